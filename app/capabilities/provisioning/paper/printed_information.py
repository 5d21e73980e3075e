"""The card's printed information (container 5FC109) beside the holder's name."""

from __future__ import annotations

from collections.abc import Sequence

from app.capabilities.provisioning.messages import Printed, SlotReply


def affiliation_and_issuer(*, training: bool) -> tuple[str, str]:
    """The two fields as the site fills them: ASCII, at most 20 and 15 characters."""
    return ("TRAINING", "TRAINING") if training else ("", "ARC")


def serial_of(card_guid: str) -> str:
    """The agency card serial number: the GUID's first eight digits."""
    return card_guid[:8].upper()


def printed_of(card_guid: str, slots: Sequence[SlotReply], *, training: bool) -> Printed | None:
    """The fields of a finished card; None before there are keys. The date is the earliest end of its certificates: the
    card's own date, unless a write was resumed on a later day; then it is the day until which all of them are valid."""
    if not slots:
        return None
    affiliation, issuer = affiliation_and_issuer(training=training)
    return Printed(
        affiliation=affiliation,
        expires=min(slot.not_after for slot in slots)[:10],
        serial=serial_of(card_guid),
        issuer=issuer,
    )
