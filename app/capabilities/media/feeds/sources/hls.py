"""HTTP Live Streaming (RFC 8216): the newest segments of a playlist that moves on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Final, TypeVar

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7

from app.capabilities.media.feeds.clock import FeedClock
from app.capabilities.media.feeds.errors import FeedBroken
from app.capabilities.media.feeds.kinds import is_video
from app.capabilities.media.feeds.playlist import (
    PLAYLIST_LIMIT,
    ByteRange,
    MasterPlaylist,
    MediaPlaylist,
    MediaSegment,
    SegmentKey,
    read_playlist,
)
from app.capabilities.media.feeds.reach import FeedReach
from app.capabilities.media.feeds.sources import FeedPiece

SEGMENT_LIMIT: Final = 24 << 20
"""Longest segment, bytes."""
INITIALIZATION_LIMIT: Final = 1 << 20
NEWEST: Final = 2
"""So many segments at the end of a playlist are looked at; those before them are passed over."""
BANDWIDTH_MAX: Final = 8_000_000
"""Of several streams the best up to this rate is taken, bit/s."""
_RELOAD_S: Final = (1.0, 60.0)
"""A playlist is read again no sooner and no later than this, also if its target duration is another."""
_KEY_BYTES: Final = 16
_KEPT: Final = 4
"""Keys and initializations that are kept, of each."""

K = TypeVar("K")


class HlsSource:
    """Remembers from one try to the next which segment was the last."""

    def __init__(self, reach: FeedReach, url: str, clock: FeedClock, patience_s: float) -> None:
        self._reach = reach
        self._url = url
        self._clock = clock
        self._least_patience_s = patience_s
        self._target_s = 0.0
        self._last: int | None = None
        self._missed = 0
        """Segments since the last that was had."""
        self._keys: dict[str, bytes] = {}
        self._initializations: dict[tuple[str, ByteRange | None], bytes] = {}

    @property
    def patience_s(self) -> float:
        """At least three target durations: within them a live playlist names a new segment (6.2.2)."""
        return max(self._least_patience_s, 3 * self._target_s)

    async def pieces(self) -> AsyncGenerator[FeedPiece | None, None]:
        """Each new segment, decrypted and behind its initialization; ends where the playlist says so."""
        url, playlist = await self._find_stream()
        while True:
            loaded_at = self._clock.now()
            self._target_s = playlist.target_s
            fresh = self._choose(playlist)
            for segment in fresh:
                # Noted first: one that cannot be had is not asked for again.
                self._last = segment.sequence
                self._missed += 1
                body = await self._fetch_segment(segment)
                missed, self._missed = self._missed - 1, 0
                yield FeedPiece("segment", body, segment.duration_s, missed, segment.discontinuity)
            if playlist.ended:
                return
            # Unchanged, it is read again after half the time (6.3.4).
            wait_s = min(max(playlist.target_s if fresh else playlist.target_s / 2, _RELOAD_S[0]), _RELOAD_S[1])
            await self._clock.sleep(max(0.0, loaded_at + wait_s - self._clock.now()))
            _, found = await self._load(url)
            if isinstance(found, MasterPlaylist):
                raise FeedBroken("The playlist of segments became one of streams.")
            playlist = found

    async def excerpt(self, seconds: float) -> AsyncGenerator[FeedPiece | None, None]:
        """Segments that are there now and last ``seconds`` together, one at least: the first of a stream that has
        ended, else the newest."""
        _, playlist = await self._find_stream()
        chosen: list[MediaSegment] = []
        for segment in playlist.segments if playlist.ended else reversed(playlist.segments):
            if chosen and sum(one.duration_s for one in chosen) + segment.duration_s > seconds:
                break
            chosen.append(segment)
        for segment in sorted(chosen, key=lambda one: one.sequence):
            body = await self._fetch_segment(segment)
            yield FeedPiece("segment", body, segment.duration_s, 0, segment.discontinuity)

    async def _find_stream(self) -> tuple[str, MediaPlaylist]:
        """The playlist of segments at the address, or of the best stream that it names."""
        url, found = await self._load(self._url)
        if isinstance(found, MasterPlaylist):
            within = [one for one in found.variants if one.bandwidth <= BANDWIDTH_MAX]
            url, found = await self._load((within or found.variants[:1])[-1].url)
            if isinstance(found, MasterPlaylist):
                raise FeedBroken("The playlist names another playlist of streams.")
        return url, found

    async def _load(self, url: str) -> tuple[str, MasterPlaylist | MediaPlaylist]:
        answered, raw = await self._reach.take(url, PLAYLIST_LIMIT)
        # A long one takes a tenth of a second, which the event loop has not.
        return answered, await asyncio.to_thread(read_playlist, raw, answered)

    def _choose(self, playlist: MediaPlaylist) -> tuple[MediaSegment, ...]:
        """The newest segments that were not looked at; those before them are passed over."""
        segments = playlist.segments
        last = self._last
        if last is not None and segments and segments[-1].sequence < last:
            # The source began to count anew.
            last = self._last = None
        if last is None:
            return segments[-NEWEST:]
        fresh = tuple(one for one in segments if one.sequence > last)[-NEWEST:]
        if fresh:
            self._missed += fresh[0].sequence - last - 1
        return fresh

    async def _fetch_segment(self, segment: MediaSegment) -> bytes:
        _, body = await self._reach.take(segment.url, SEGMENT_LIMIT, segment.byte_range)
        if segment.key is not None:
            body = await asyncio.to_thread(decrypt, body, await self._key(segment.key), segment.key.iv)
        if segment.initialization is not None:
            body = await self._initialization(segment.initialization, segment.key) + body
        if not is_video(body):
            raise FeedBroken("A segment of the feed is neither MPEG-TS nor MP4.")
        return body

    async def _key(self, key: SegmentKey) -> bytes:
        """The 16 bytes at the key's address, asked for once."""
        if key.url not in self._keys:
            _, found = await self._reach.take(key.url, _KEY_BYTES)
            if len(found) != _KEY_BYTES:
                raise FeedBroken("The key of the feed has not 16 bytes.")
            _keep(self._keys, key.url, found)
        return self._keys[key.url]

    async def _initialization(self, where: tuple[str, ByteRange | None], key: SegmentKey | None) -> bytes:
        """What a decoder needs before a segment, asked for once. It may be encrypted as the segment is (4.3.2.5)."""
        if where not in self._initializations:
            _, found = await self._reach.take(where[0], INITIALIZATION_LIMIT, where[1])
            if key is not None and not is_video(found):
                found = decrypt(found, await self._key(key), key.iv)
            _keep(self._initializations, where, found)
        return self._initializations[where]


def decrypt(body: bytes, key: bytes, iv: bytes) -> bytes:
    """AES-128 in CBC mode with PKCS #7 padding (4.3.2.4); ``key``, ``iv``: 16 bytes. ``FeedBroken`` for what is no
    such text."""
    if not body or len(body) % 16:
        raise FeedBroken("A segment of the feed is not encrypted as its playlist says.")
    opener = Cipher(algorithms.AES(key), modes.CBC(iv)).decryptor()
    padded = opener.update(body) + opener.finalize()
    stripper = PKCS7(128).unpadder()
    try:
        return stripper.update(padded) + stripper.finalize()
    except ValueError:
        raise FeedBroken("A segment of the feed cannot be decrypted by the key that its playlist names.") from None


def _keep(kept: dict[K, bytes], name: K, value: bytes) -> None:
    """Adds it; the oldest goes."""
    kept[name] = value
    if len(kept) > _KEPT:
        del kept[next(iter(kept))]
