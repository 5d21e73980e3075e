"""Motion JPEG: one answer without an end, whose parts are pictures."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Final

from app.capabilities.media.feeds.clock import FeedClock
from app.capabilities.media.feeds.errors import FeedBroken
from app.capabilities.media.feeds.kinds import is_picture
from app.capabilities.media.feeds.multipart import PartSplitter, boundary_of
from app.capabilities.media.feeds.reach import FeedReach, wrong_status
from app.capabilities.media.feeds.sources import FeedPiece

_LEAST_READ: Final = 4096
_LEAST_PICTURE: Final = 32768
"""What comes in smaller pieces counts as these, bytes: each takes time of the event loop, of which there is one."""


class MjpegSource:
    """``bytes_per_s``: the source may send no more on average; what is beyond waits in its own buffers.
    ``connection_s``: no answer is read for longer."""

    def __init__(
        self,
        reach: FeedReach,
        url: str,
        clock: FeedClock,
        *,
        bytes_per_s: float,
        connection_s: float,
        patience_s: float,
    ) -> None:
        self._reach = reach
        self._url = url
        self._clock = clock
        self._bytes_per_s = bytes_per_s
        self._connection_s = connection_s
        self._patience_s = patience_s

    @property
    def patience_s(self) -> float:
        """As it was given: a picture that comes too slowly is as good as none."""
        return self._patience_s

    async def pieces(self) -> AsyncGenerator[FeedPiece | None, None]:
        """Each picture; ends at the closing boundary."""
        paid_until = self._clock.now() - 1
        async with self._reach.open(self._url, total_s=self._connection_s) as answer:
            if answer.status != 200:
                raise wrong_status(answer)
            splitter = PartSplitter(boundary_of(answer.headers.get("content-type", "")))
            async for received in answer.parts():
                bodies = splitter.feed(received)
                for body in bodies:
                    if not is_picture(body):
                        raise FeedBroken("A part of the feed is no picture that can be decoded.")
                    yield FeedPiece("frame", body)
                if splitter.ended:
                    return
                now = self._clock.now()
                # A second that was not used may be used at once: pictures come in bursts.
                charged = max(len(received), _LEAST_READ, _LEAST_PICTURE * len(bodies))
                paid_until = max(paid_until, now - 1) + charged / self._bytes_per_s
                if paid_until > now:
                    await self._clock.sleep(paid_until - now)
        raise FeedBroken("The source closed the feed in the middle.")
