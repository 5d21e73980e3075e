"""The first half minute of a feed, for a scan that has an end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Final, Literal

from app.capabilities.media.feeds.clock import FeedClock, RunningClock
from app.capabilities.media.feeds.errors import FeedBroken, FeedStalled
from app.capabilities.media.feeds.kinds import FeedKind
from app.capabilities.media.feeds.reach import FeedReach
from app.capabilities.media.feeds.sources import FeedPiece
from app.capabilities.media.feeds.sources.hls import HlsSource
from app.capabilities.media.feeds.sources.mjpeg import MjpegSource
from app.capabilities.media.feeds.sources.still import StillSource

EXCERPT_S: Final = 30.0
EXCERPT_BYTES: Final = (64 << 20) - (64 << 10)
"""What a worker takes, less room for a container around it."""
EXCERPT_PIECES: Final = 60
EXCERPT_PICTURES: Final = 1800
"""Of motion JPEG: 60 a second."""

ExcerptEnd = Literal["ended", "seconds", "bytes", "pieces", "broken"]


@dataclass(frozen=True)
class FeedExcerpt:
    """At most ``EXCERPT_PIECES`` pieces (``EXCERPT_PICTURES`` of motion JPEG) of ``EXCERPT_BYTES`` together, at least
    one. ``end``: what ended it; ``span_s``: from the first piece's coming to the last one's."""

    pieces: tuple[FeedPiece, ...]
    end: ExcerptEnd
    span_s: float


async def collect_excerpt(
    reach: FeedReach, url: str, kind: FeedKind, *, seconds: float = EXCERPT_S, clock: FeedClock | None = None
) -> FeedExcerpt:
    """What a feed sends within ``seconds``: one still picture, all pictures of motion JPEG, or segments of HLS that
    last so long together (the first of a stream that has ended, else the newest). A feed that breaks after its first
    piece gives what came. Raises ``FeedBroken``."""
    kept = _Collection(clock or RunningClock())
    collecting = asyncio.create_task(kept.collect(_pieces(reach, url, kind, kept.clock, seconds), kind))
    timing = asyncio.create_task(kept.clock.sleep(seconds))
    try:
        await asyncio.wait([collecting, timing], return_when=asyncio.FIRST_COMPLETED)
        end = await collecting if collecting.done() else "seconds"
    except FeedBroken:
        if not kept.pieces:
            raise
        end = "broken"
    finally:
        collecting.cancel()
        timing.cancel()
        await asyncio.gather(collecting, timing, return_exceptions=True)
    if not kept.pieces:
        raise FeedStalled(f"The source has sent nothing within {seconds:g} s.")
    return FeedExcerpt(tuple(kept.pieces), end, kept.last - kept.first)


class _Collection:
    """What is kept so far."""

    def __init__(self, clock: FeedClock) -> None:
        self.clock = clock
        self.pieces: list[FeedPiece] = []
        self.first = self.last = 0.0
        """When the first and the newest piece came, by the clock."""
        self._bytes = 0

    async def collect(self, source: AsyncGenerator[FeedPiece | None, None], kind: FeedKind) -> ExcerptEnd:
        """Keeps pieces until a bound is reached."""
        most = EXCERPT_PICTURES if kind == "mjpeg" else EXCERPT_PIECES
        async with contextlib.aclosing(source) as pieces:
            async for piece in pieces:
                if piece is None:
                    continue
                if self._bytes + len(piece.body) > EXCERPT_BYTES:
                    return "bytes"
                self.last = self.clock.now()
                if not self.pieces:
                    self.first = self.last
                self._bytes += len(piece.body)
                self.pieces.append(piece)
                if kind == "still":
                    return "ended"
                if len(self.pieces) == most:
                    return "pieces"
        return "ended"


def _pieces(
    reach: FeedReach, url: str, kind: FeedKind, clock: FeedClock, seconds: float
) -> AsyncGenerator[FeedPiece | None, None]:
    """One try at a source of this kind."""
    match kind:
        case "still":
            return StillSource(reach, url, clock, seconds, seconds).pieces()
        case "mjpeg":
            rate = EXCERPT_BYTES / seconds * 4
            return MjpegSource(
                reach, url, clock, bytes_per_s=rate, connection_s=2 * seconds, patience_s=seconds
            ).pieces()
        case "hls":
            return HlsSource(reach, url, clock, seconds).excerpt(seconds)
