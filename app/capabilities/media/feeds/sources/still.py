"""A still picture that is asked for again and again (RFC 9110, 13: conditional requests)."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from typing import Final

from app.capabilities.media.feeds.clock import FeedClock
from app.capabilities.media.feeds.errors import FeedBroken
from app.capabilities.media.feeds.kinds import is_picture
from app.capabilities.media.feeds.multipart import PART_LIMIT
from app.capabilities.media.feeds.reach import FeedReach, body_of, wrong_status
from app.capabilities.media.feeds.sources import FeedPiece
from app.delivery.guarded import OpenAnswer

_ECHOED: Final = re.compile(r"[\x21-\x7e][\x20-\x7e]{0,255}\Z")
"""Validators that are sent back."""


class StillSource:
    """Polls ``url`` each ``poll_s`` seconds."""

    def __init__(self, reach: FeedReach, url: str, clock: FeedClock, poll_s: float, patience_s: float) -> None:
        self._reach = reach
        self._url = url
        self._clock = clock
        self._poll_s = poll_s
        self._patience_s = max(patience_s, 2 * poll_s)

    @property
    def patience_s(self) -> float:
        """At least two polls."""
        return self._patience_s

    async def pieces(self) -> AsyncGenerator[FeedPiece | None, None]:
        """Each picture that the source calls new; never ends by itself."""
        known: dict[str, str] = {}
        while True:
            async with self._reach.open(self._url, headers=known) as answer:
                if answer.status == 304 and known:
                    body = None
                elif answer.status == 200:
                    body = await body_of(answer, PART_LIMIT)
                    known = _validators(answer)
                else:
                    raise wrong_status(answer)
            if body is None:
                yield None
            elif is_picture(body):
                yield FeedPiece("frame", body)
            else:
                raise FeedBroken("The source sends no picture that can be decoded.")
            await self._clock.sleep(self._poll_s)


def _validators(answer: OpenAnswer) -> dict[str, str]:
    """The fields that make the next request a conditional one."""
    found = {
        "If-None-Match": answer.headers.get("etag", ""),
        "If-Modified-Since": answer.headers.get("last-modified", ""),
    }
    return {name: value for name, value in found.items() if _ECHOED.match(value)}
