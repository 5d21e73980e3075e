"""How a person or a consent stands, in the words that people read wherever the console shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.console.language import tr
from app.console.theme.tokens import sentence_case

STANDINGS: Final[Mapping[str, str]] = {
    "VERIFIED_DIGITAL_HUMAN": tr("Verified digital human"),
    "UNVERIFIED": tr("Unverified"),
    "PENDING_CONSENSUS": tr("Pending consensus"),
    "EXPIRED": tr("Expired"),
    "WITHDRAWN": tr("Withdrawn"),
    "SUSPENDED": tr("Suspended"),
    "REVOKED": tr("Revoked"),
    "SYNTHETIC_SUSPECTED": tr("Synthetic suspected"),
}


def standing_word(standing: str) -> str:
    """A standing at the head of a line or a cell; one that this console does not know as the service calls it."""
    return STANDINGS.get(standing, sentence_case(standing))
