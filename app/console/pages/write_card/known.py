"""What is known of a card and its person beside the standing: only what the service tells."""

from __future__ import annotations

from app.capabilities.provisioning.messages import Card, Provision
from app.console.cards.jobs import names_of
from app.console.cards.words import Holders, card_words, holder_name
from app.console.language import tr
from app.registry.messages.nodes import Node


def hero_facts(card: Card | None, node: Node | None, shown: Provision | None, holders: Holders) -> dict[str, str]:
    """The card in the chosen reader, how long the card that is shown holds, and the person's other cards."""
    facts: dict[str, str] = {}
    if card is not None and card.present and card.hardware_uid:
        if card.node_id and card.state == "provisioned":
            facts["card"] = tr("{uid}, of {holder}", uid=card.hardware_uid, holder=holder_name(card.node_id, holders))
        else:
            facts["card"] = f"{card.hardware_uid}, {card_words(card, holders).word}"
    if node is None:
        return facts
    own = shown if shown is not None and card is not None and _is_of(shown, node, card) else None
    if own is not None and own.slots:
        facts["until"] = min(slot.not_after for slot in own.slots)[:10]
    here = {own.card_guid if own is not None else None, card.card_guid if card is not None else None}
    others = {
        one.card_guid: (one.not_after or "")[:10]
        for one in node.credentials
        if one.card_guid and one.state in ("active", "granted") and one.card_guid not in here
    }
    facts["old"] = ", ".join(
        tr("{card}, valid until {day}", card=guid[:8], day=day) if day else guid[:8] for guid, day in others.items()
    ) or tr("none")
    return facts


def _is_of(shown: Provision, node: Node, card: Card) -> bool:
    """Whether the provisioning made this card for this person."""
    names = {shown.hardware_uid, shown.hardware_uid_now, shown.card_guid}
    return shown.node_id == node.node_id and shown.state == "COMPLETE" and bool(names & names_of(card))
