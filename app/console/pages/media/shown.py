"""What the page shows of a scan, as its widgets take it: sentences and states, no messages of the API."""

from __future__ import annotations

from dataclasses import dataclass

from app.console.theme.tokens import Meaning
from app.console.widgets.picture_view import MarkedPlace
from app.console.widgets.timeline import TimeSpan


@dataclass(frozen=True)
class ShownVerdict:
    """The line that is read first."""

    state: Meaning
    word: str
    sentence: str
    detail: str = ""


@dataclass(frozen=True)
class ShownPlace:
    """A place of the picture: where it is, what was measured there in words, and how often that comes by chance.
    ``face``: it is a face, which is no finding; ``weak``: so many others are stronger that it stands behind them."""

    mark: MarkedPlace
    title: str
    evidence: str
    state: Meaning
    chance: str
    face: bool = False
    weak: bool = False


@dataclass(frozen=True)
class ShownFinding:
    """What one detector says. ``word``: fired, quiet, not applicable, failed; ``fired``: it is the first of these."""

    detector: str
    name: str
    about: str
    state: Meaning
    word: str
    chance: str
    explanation: str
    fired: bool


@dataclass(frozen=True)
class ShownLayer:
    """A map that can be laid on the picture: what the API calls it, and people; ``note``: the name beside a picture."""

    id: str
    name: str
    note: str


@dataclass(frozen=True)
class ShownRate:
    """A false-alarm rate with its 95 % interval, shares, and what it was measured on."""

    rate: float
    low: float
    high: float
    words: str


@dataclass(frozen=True)
class ShownScan:
    """One scan, finished or not."""

    scan_id: str
    title: str
    facts: str
    verdict: ShownVerdict
    finished: bool
    places: tuple[ShownPlace, ...] = ()
    looked: tuple[str, ...] = ()
    """What was looked for and not found, and what could not be looked for: a sentence each."""
    findings: tuple[ShownFinding, ...] = ()
    layers: tuple[ShownLayer, ...] = ()
    rate: ShownRate | None = None
    trust: str = ""
    origin: tuple[tuple[str, str], ...] = ()
    width: int = 0
    """Of the original as it is shown, px; 0: not known."""
    turn: str = ""
    """What was done to the pictures so that they stand upright; empty for nothing."""
    length_s: float = 0.0
    spans: tuple[TimeSpan, ...] = ()
