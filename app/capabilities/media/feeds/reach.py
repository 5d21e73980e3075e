"""How a feed asks its source: behind the guard each time, as the site allows it just then."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from app.capabilities.media.feeds.errors import FeedBroken, FeedTooLarge, FeedUnreached
from app.capabilities.media.feeds.playlist import ByteRange
from app.delivery.guarded import FetchLimits, FetchRefused, GuardedFetch, OpenAnswer, UrlRefused
from app.registry.media_sources import MediaAccess
from app.store.errors import SealBroken

_UNBOUNDED: Final = 1 << 62
"""The guard's own bound has one wording for all; here each answer is counted by what it is."""
_PARTS: Final = 1000
_PART_MEAN: Final = 1024
"""An answer comes in no more than ``_PARTS`` parts, and one for each so many bytes."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class FeedReach:
    """``access(url)``: how a URL may be fetched now; asked for each one, so that a source that the site lists no more
    is not fetched any more. It blocks, and is called on a thread."""

    fetch: GuardedFetch
    access: Callable[[str], MediaAccess]

    @contextlib.asynccontextmanager
    async def open(
        self, url: str, *, headers: Mapping[str, str] | None = None, total_s: float = FetchLimits().total_s
    ) -> AsyncIterator[OpenAnswer]:
        """An answer of any status; its body is not bounded. ``FeedUnreached`` for each way in which it fails, also
        while it is read."""
        limits = FetchLimits(body=_UNBOUNDED, total_s=total_s)
        try:
            access = await asyncio.to_thread(self.access, url)
            sent = dict(headers or {})
            if access.authorization is not None:
                sent["Authorization"] = access.authorization
            async with self.fetch.open(url, allowed=access.allowed, limits=limits, headers=sent) as answer:
                yield answer
        except (FetchRefused, UrlRefused, SealBroken) as error:
            cause = error.cause if isinstance(error, FetchRefused) else str(error)
            log.info("a feed could not be fetched: %s", cause)
            raise FeedUnreached from error

    async def take(self, url: str, limit: int, part: ByteRange | None = None) -> tuple[str, bytes]:
        """The address that answered at last, and the whole body or ``part`` of it, at most ``limit`` bytes. Raises
        ``FeedUnreached``, ``FeedTooLarge``, and ``FeedBroken`` for another answer than 200 (206 for a part)."""
        headers = None
        if part is not None:
            if not 0 < part.length <= limit:
                raise FeedTooLarge("A piece of the feed is empty or too long.")
            headers = {"Range": f"bytes={part.start}-{part.start + part.length - 1}"}
        async with self.open(url, headers=headers) as answer:
            if answer.status == 206 and part is not None:
                body = await body_of(answer, part.length)
            elif answer.status == 200:
                body = await body_of(answer, limit)
                if part is not None:
                    # A server may pass over a range (RFC 9110, 14.2).
                    body = body[part.start : part.start + part.length]
            else:
                raise wrong_status(answer)
        if part is not None and len(body) != part.length:
            raise FeedBroken("The source sent another part of a file than it was asked for.")
        return answer.final_url, body


async def body_of(answer: OpenAnswer, limit: int) -> bytes:
    """The rest of the answer. ``FeedTooLarge`` beyond ``limit`` bytes; ``FeedBroken`` where it comes in crumbs, each of
    which takes time of the event loop."""
    body, left = bytearray(), _PARTS + limit // _PART_MEAN
    async for part in answer.parts():
        body += part
        left -= 1
        if len(body) > limit:
            raise FeedTooLarge("An answer of the feed is too long.")
        if left < 0:
            raise FeedBroken("An answer of the feed comes in too many pieces.")
    return bytes(body)


def wrong_status(answer: OpenAnswer) -> FeedBroken:
    """What is raised for an answer of another status."""
    return FeedBroken(f"The source answered {answer.status}.")
