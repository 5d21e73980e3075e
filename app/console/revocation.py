"""One card ends and its person stays: which cards can, how people name them, and the order that is sent. The pages Burn
and People share it."""

from __future__ import annotations

from collections.abc import Sequence

from app.capabilities.provisioning.messages import RevokeCardBody, RevokedCard
from app.console.clock import date_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.operations import Operation
from app.registry.messages.nodes import Node, NodeCredential

SHORT = 8
"""Characters of a card's GUID by which people tell cards apart."""
LOST = tr("Lost card")
"""The reason of a card that is lost."""


def is_valid(card: NodeCredential) -> bool:
    """Whether a card is not revoked and has not ended. Of a card that a profile names the state is that of its grants:
    that those have ended says nothing of the card, and a revoked one is taken out of every profile."""
    return card.state != "revoked" and (card.profile is not None or card.state != "expired")


def valid_cards(node: Node) -> Sequence[NodeCredential]:
    """The cards of a person that are still good, each once."""
    found = {one.card_guid: one for one in node.credentials if one.card_guid is not None and is_valid(one)}
    return list(found.values())


def card_words(card: NodeCredential, uid: str = "") -> str:
    """``70000031, card 0f8fad5b, until 2029-11-21 09:20:00``: without the ``uid`` on its chip where that is not known,
    and without the end where only that of a grant is."""
    guid = (card.card_guid or "")[:SHORT]
    if card.profile is None and card.not_after:
        until = date_time(parse_time(card.not_after))
        if uid:
            return tr("{uid}, card {guid}, until {until}", uid=uid, guid=guid, until=until)
        return tr("Card {guid}, until {until}", guid=guid, until=until)
    return tr("{uid}, card {guid}", uid=uid, guid=guid) if uid else tr("Card {guid}", guid=guid)


def revocation(guid: str, reason: str) -> Operation[RevokedCard]:
    """The order. A lost answer is asked for again: the service gives a repeat the first answer."""
    body = RevokeCardBody(reason=reason)
    return Operation(
        lambda client, key: client.provisioning_revoke_card(guid, body, idempotency_key=key),
        title=tr("Revoke card {guid}", guid=guid[:SHORT]),
        changes=("cards", "nodes", "grants"),
        asks=True,
    )


def revoked_words(card: RevokedCard, holder: str) -> tuple[str, str]:
    """What is told of it, and the kind of message. ``holder``: the name of its person."""
    guid = card.card_guid[:SHORT]
    if card.state == "PARTIAL":
        text = tr(
            "Card {guid} of {holder} is revoked: no signed list names it yet, which is tried on. "
            "{holder} is not burned.",
            guid=guid,
            holder=holder,
        )
    else:
        text = tr(
            "Card {guid} of {holder} is revoked: revocation list {list} names it. {holder} is not burned.",
            guid=guid,
            holder=holder,
            list=card.revocation_list,
        )
    return text, "ok" if card.state == "COMPLETE" else "warn"
