"""Our software PIV card, for training and tests: same APDUs as a real one, in process or in a virtual reader."""

from hardware.cards.software.attestation import TrainingMaker
from hardware.cards.software.card import ATR, CardAbsent, SoftwareCard
from hardware.cards.software.quirks import (
    ISSUER_KEYED_CARD,
    SELF_ATTESTING_CARD,
    SIMPLE_CARD,
    AttestationQuirk,
    PinAlways,
    Quirks,
    Tear,
    TearPoint,
)
from hardware.cards.software.state import StateError

__all__ = [
    "ATR",
    "ISSUER_KEYED_CARD",
    "SELF_ATTESTING_CARD",
    "SIMPLE_CARD",
    "AttestationQuirk",
    "CardAbsent",
    "PinAlways",
    "Quirks",
    "SoftwareCard",
    "StateError",
    "Tear",
    "TearPoint",
    "TrainingMaker",
]
