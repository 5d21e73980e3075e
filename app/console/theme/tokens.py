"""Colours and states. A test computes their contrasts and colour differences."""

from __future__ import annotations

import enum
from typing import NamedTuple


class Density(enum.StrEnum):
    """Row height of tables."""

    COMPACT = "compact"
    COMFORTABLE = "comfortable"


class Meaning(enum.StrEnum):
    """What a state means to the operator. Always shown as colour, painted shape and word together."""

    OK = "ok"
    WORK = "work"
    """Normal work goes on: nobody need look. Never for what waits for a person, or for an answer that was lost."""
    WARN = "warn"
    BAD = "bad"
    CRIT = "crit"
    IDLE = "idle"


STATE_OF_WORD: dict[str, Meaning] = {
    "OPERATIONAL": Meaning.OK,
    "DEGRADED": Meaning.WARN,
    "UNREACHABLE": Meaning.BAD,
    "MAINTENANCE": Meaning.IDLE,
    "UNKNOWN": Meaning.IDLE,
    "STALE": Meaning.IDLE,
    "VERIFIED_DIGITAL_HUMAN": Meaning.OK,
    "UNVERIFIED": Meaning.IDLE,
    "PENDING_CONSENSUS": Meaning.WARN,
    "EXPIRED": Meaning.WARN,
    "WITHDRAWN": Meaning.IDLE,
    "SUSPENDED": Meaning.WARN,
    "REVOKED": Meaning.CRIT,
    "SYNTHETIC_SUSPECTED": Meaning.BAD,
    "ACCEPTED": Meaning.OK,
    "DENIED": Meaning.WARN,
    "FAILED": Meaning.BAD,
    "COMPLETE": Meaning.OK,
    "PARTIAL": Meaning.WARN,
    "ALREADY": Meaning.OK,
    "PENDING_OFFLINE": Meaning.WARN,
    "UNSUPPORTED": Meaning.IDLE,
    "CLOSED": Meaning.IDLE,
    "DELIVERED": Meaning.IDLE,
    "UNLINKED": Meaning.IDLE,
    "ONLINE": Meaning.OK,
    "OFFLINE": Meaning.BAD,
    "ALARM": Meaning.CRIT,
    "RUNNING": Meaning.WORK,
    "ACTIVE": Meaning.OK,
}
"""Words of the API (any case) and what they mean to a person. An unknown word is IDLE, never green."""


def state_of(word: str) -> Meaning:
    """The state that a word of the API stands for; an unknown word must not look healthy."""
    return STATE_OF_WORD.get(word.upper(), Meaning.IDLE)


def sentence_case(word: str) -> str:
    """``VERIFIED_DIGITAL_HUMAN`` as people read it: ``Verified digital human``."""
    return word.replace("_", " ").capitalize()


class ThemeTokens(NamedTuple):
    """One theme. Every value is ``#RRGGBB``."""

    name: str
    bg: str
    panel: str
    raised: str
    text: str
    dim: str
    line: str
    border: str
    accent: str
    ok: str
    work: str
    warn: str
    """Ink of words and lines."""
    warn_fill: str
    """Ground of the shape; where it is another than ``warn``, that is its outline."""
    bad: str
    crit: str
    idle: str
    on_fill: str
    """Ink on a fill of accent or crit."""
    band: str
    """First colour of the TRAINING band."""
    stripe: str
    """Its second colour, and the ink on the first."""

    def state(self, state: Meaning) -> str:
        """Colour of a state."""
        return {
            Meaning.OK: self.ok,
            Meaning.WORK: self.work,
            Meaning.WARN: self.warn,
            Meaning.BAD: self.bad,
            Meaning.CRIT: self.crit,
            Meaning.IDLE: self.idle,
        }[state]


DARK = ThemeTokens(
    name="dark",
    bg="#0E1116",
    panel="#151A21",
    raised="#1C232C",
    text="#E6EAF0",
    dim="#9AA7B5",
    line="#2A333E",
    border="#667384",
    accent="#56B4E9",
    ok="#85F6B3",
    work="#BBD6FB",
    warn="#FBDE2F",
    warn_fill="#FBDE2F",
    bad="#E5673A",
    crit="#DE54E2",
    idle="#8A9197",
    on_fill="#0E1116",
    band="#FBDE2F",
    stripe="#141A21",
)

LIGHT = ThemeTokens(
    name="light",
    bg="#F5F7FA",
    panel="#FFFFFF",
    raised="#EDF0F4",
    text="#141A21",
    dim="#54606D",
    line="#D5DBE2",
    border="#7C8894",
    accent="#0B68A8",
    ok="#197A4A",
    work="#4A1FF0",
    warn="#5E3501",
    warn_fill="#FFC21A",
    bad="#CA4414",
    crit="#870A96",
    idle="#59697D",
    on_fill="#FFFFFF",
    band="#FBDE2F",
    stripe="#141A21",
)
