"""The kinds of feeds: each asks its source and gives the pieces that are to be looked at, one after the other.

A source is made once for a feed; ``pieces()`` is one try to read it, which ends when the feed has ended and raises
``FeedBroken`` when it broke. The next try goes on at the live edge.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol

from app.capabilities.media.feeds.kinds import PieceKind


@dataclass(frozen=True)
class FeedPiece:
    """A picture, or a segment that a decoder takes by itself. ``duration_s``: of a segment; 0 for a picture.
    ``missed``: so many before it were passed over or could not be had."""

    kind: PieceKind
    body: bytes
    duration_s: float = 0.0
    missed: int = 0
    discontinuity: bool = False


class FeedSource(Protocol):
    """One kind of feed."""

    @property
    def patience_s(self) -> float:
        """A source that gives nothing for so long has stalled, seconds."""
        ...

    def pieces(self) -> AsyncGenerator[FeedPiece | None, None]:
        """What comes; None: the source answered that there is nothing new."""
        ...
