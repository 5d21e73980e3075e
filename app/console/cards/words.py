"""Words about a card: its state, why it is not written, and what to do; the same for the service of the readers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from app.capabilities.provisioning.messages import Card, CardList
from app.console.language import tr
from app.console.theme.tokens import Meaning

DEMANDS = (
    "FIPS 140-3 Level 2",
    "FIPS 140-3 Level 2 physical 3",
    "FIPS 140-3 Level 3",
    "FIPS 201-3",
    "GSA APL 1512",
)
"""What may be demanded of a card, as the service reads it."""
EVIDENCE: Mapping[str, str] = {
    "attested": tr("attested"),
    "device_reported": tr("device reported"),
    "identified": tr("identified"),
    "declared": tr("declared"),
}
"""By what it is known which module a card is, where anything proves it."""


@dataclass(frozen=True)
class CardWords:
    """A card's state for people. ``remedy``: why it is not written and what to do; empty for one that may be."""

    state: Meaning
    word: str
    remedy: str = ""
    writable: bool = False


SILENT_S = 60.0
"""A card that was asked something so long ago does not answer any more."""

BARRED: Mapping[str, CardWords] = {
    "REVOKED": CardWords(
        Meaning.CRIT, tr("Revoked"), tr("Its holder is burned: it opens nothing any more. Take it back and destroy it.")
    ),
    "SUSPENDED": CardWords(
        Meaning.CRIT,
        tr("Contained"),
        tr("Its holder is contained: it opens nothing until they are reinstated. Keep it."),
    ),
}
"""What is said of a card whose holder has one of these standings, in the place of anything good."""


class CardHolder(NamedTuple):
    """Whose card it is: name and standing of the person, as last read."""

    name: str
    standing: str


Holders = Mapping[str, CardHolder]
"""Holders of cards by node id."""
NO_HOLDERS: Holders = {}


def holder_name(node_id: str | None, holders: Holders) -> str:
    """What people call the holder of a card; the id while that is not read."""
    known = holders.get(node_id or "")
    return known.name if known is not None else node_id or tr("nobody")


def barred_by_holder(node_id: str | None, holders: Holders) -> CardWords | None:
    """What is said of the cards of a person who is burned or contained; None for anybody else."""
    known = holders.get(node_id or "")
    return None if known is None else BARRED.get(known.standing)


def is_being_written(card: Card) -> bool:
    """Whether this site writes the card now; another program may hold it, too."""
    return card.state == "busy" and (card.detail or "").startswith("being written")


def card_words(card: Card, holders: Holders = NO_HOLDERS) -> CardWords:
    """State, word and remedy of what lies in a reader; a written card is only as good as its holder's standing."""
    if card.silent_s >= SILENT_S:
        remedy = tr(
            "It has not answered for {seconds:.0f} s. Pull the card out; then unplug the reader.",
            seconds=card.silent_s,
        )
        return CardWords(Meaning.BAD, tr("Does not answer"), remedy)
    if not card.present:
        return CardWords(Meaning.IDLE, tr("Empty"), tr("Put a card into this reader."))
    if card.state in ("provisioned", "revoked") and (barred := barred_by_holder(card.node_id, holders)):
        return barred
    detail = as_sentence(card.detail)
    holder = holder_name(card.node_id, holders)
    match card.state:
        case "blank" if card.node_id:
            remedy = tr("It was {holder}'s and was reset. It is free when its re-issue is approved.", holder=holder)
            return CardWords(Meaning.WARN, tr("Reset"), remedy, writable=True)
        case "blank" if detail:
            return CardWords(Meaning.WARN, tr("Blank"), detail, writable=True)
        case "blank":
            return CardWords(Meaning.OK, tr("Blank"), writable=True)
        case "refused":
            return CardWords(Meaning.BAD, tr("Refused"), detail or tr("A write of it was refused."), writable=True)
        case "revoked" if card.node_id is None:
            remedy = tr("{detail} It may be written.", detail=detail).strip()
            return CardWords(Meaning.WARN, tr("Released"), remedy, writable=True)
        case "revoked":
            remedy = tr(
                "{detail} It opens nothing any more. Take it back and destroy it, or have its re-issue approved.",
                detail=detail,
            )
            return CardWords(Meaning.CRIT, tr("Revoked"), remedy.strip())
        case "torn":
            return CardWords(
                Meaning.BAD, tr("Torn"), tr("Half written. The same person and Write finish it."), writable=True
            )
        case "provisioned":
            return CardWords(
                Meaning.OK, tr("Written"), tr("Belongs to {holder}. Take a blank card for anybody else.", holder=holder)
            )
        case "foreign":
            return CardWords(Meaning.WARN, tr("Foreign"), tr("Holds another issuer's certificates. Take a blank card."))
        case "locked":
            if card.provision_id is not None and card.node_id is not None:
                remedy = tr("A PIN reset heals it: open {holder}'s card in History and ask for one.", holder=holder)
                return CardWords(Meaning.BAD, tr("PIN blocked"), remedy)
            return CardWords(Meaning.BAD, tr("PIN blocked"), tr("Its PIN is blocked. Take another card."))
        case "busy" if is_being_written(card):
            return CardWords(Meaning.WORK, tr("Being written"), tr("Leave it in until the write has ended."))
        case "busy":
            return CardWords(Meaning.WARN, tr("Busy"), detail or tr("Another program uses it. Close that program."))
        case "not_piv":
            return CardWords(Meaning.WARN, tr("No PIV"), tr("It has no PIV application. Take a PIV card."))
        case None if card.detail:
            return CardWords(Meaning.BAD, tr("Unreadable"), detail)
        case _:
            return CardWords(Meaning.WORK, tr("Reading"), tr("The card is being identified."))


def holder_words(card: Card, holders: Holders = NO_HOLDERS) -> str:
    """Whose card it is, and that they are burned or contained."""
    known = holders.get(card.node_id or "")
    holder = holder_name(card.node_id, holders)
    match "" if known is None else known.standing:
        case "REVOKED":
            return tr("Holder {holder} is burned", holder=holder)
        case "SUSPENDED":
            return tr("Holder {holder} is contained", holder=holder)
    return tr("Holder {holder}", holder=holder)


def service_words(cards: CardList, *, training: bool) -> tuple[Meaning, str, str]:
    """State, word and remedy of the PC/SC service. A training site works without one: nothing is wrong there."""
    if cards.service == "up":
        return Meaning.OK, tr("PC/SC up"), ""
    detail = as_sentence(cards.detail)
    if cards.service == "down":
        if training and any(card.simulated for card in cards.items):
            return Meaning.IDLE, tr("Simulated readers"), tr("No PC/SC service: simulated readers only.")
        remedy = tr("{detail} Start pcscd: sudo systemctl start pcscd.socket", detail=detail)
        return Meaning.BAD, tr("PC/SC down"), remedy.strip()
    remedy = tr("{detail} Real readers need a service started without it.", detail=detail)
    return Meaning.IDLE, tr("PC/SC off"), remedy.strip()


def as_sentence(text: str | None) -> str:
    """A text of the service as a sentence: a capital first, a full stop last; empty stays empty."""
    if not text:
        return ""
    text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
