"""HTTP Live Streaming: a playlist's text read (RFC 8216). What it names is an address to be judged, nothing more."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urljoin

from app.capabilities.media.feeds.errors import FeedBroken

PLAYLIST_LIMIT: Final = 1 << 20
"""Longest playlist, bytes."""
SEGMENTS_MAX: Final = 5000
"""Most segments, or variants, of a playlist."""
_URI_MAX: Final = 2048
_DURATION_MAX: Final = 3600.0
_ATTRIBUTE: Final = re.compile(r'([A-Z0-9-]+)=("[^"\r\n]*"|[^",]*)(?:,|\Z)')
_RANGE: Final = re.compile(r"([0-9]{1,12})(?:@([0-9]{1,12}))?\Z")
_NUMBER: Final = re.compile(r"[0-9]{1,19}\Z")
_SECONDS: Final = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?\Z")
_IV: Final = re.compile(r"0[xX]([0-9A-Fa-f]{1,32})\Z")


@dataclass(frozen=True)
class ByteRange:
    """Part of a file: ``length`` bytes from ``start``."""

    start: int
    length: int


@dataclass(frozen=True)
class SegmentKey:
    """AES-128 in CBC mode (RFC 8216, 4.3.2.4). ``url`` has the 16 bytes of the key; ``iv``: 16 bytes."""

    url: str
    iv: bytes


@dataclass(frozen=True)
class MediaSegment:
    """One piece of the stream. ``sequence``: its number, which it keeps while the playlist moves on;
    ``initialization``: what a decoder needs before it, with its range (fragmented MP4); ``discontinuity``: its clock
    and format have nothing to do with those of the segment before it."""

    sequence: int
    url: str
    duration_s: float
    byte_range: ByteRange | None = None
    key: SegmentKey | None = None
    initialization: tuple[str, ByteRange | None] | None = None
    discontinuity: bool = False


@dataclass(frozen=True)
class MediaPlaylist:
    """Segments, oldest first. ``target_s``: no segment is longer, and how soon to read again; ``ended``: no segment
    will be added."""

    segments: tuple[MediaSegment, ...]
    target_s: float
    ended: bool


@dataclass(frozen=True)
class Variant:
    """A media playlist of the same stream. ``bandwidth``: its highest rate, bit/s."""

    url: str
    bandwidth: int


@dataclass(frozen=True)
class MasterPlaylist:
    """Names media playlists, least bandwidth first."""

    variants: tuple[Variant, ...]


def read_playlist(raw: bytes, url: str) -> MasterPlaylist | MediaPlaylist:
    """What the playlist at ``url`` says; every URI is resolved against ``url`` and NOT judged.

    Raises ``FeedBroken`` for what is no playlist, for a cipher other than AES-128, and for a bound that is passed.
    Tags that are not known are passed over, as the standard wants it.
    """
    if len(raw) > PLAYLIST_LIMIT:
        raise FeedBroken("The playlist is too long.")
    try:
        lines = [line.strip() for line in raw.decode("utf-8").splitlines()]
    except UnicodeDecodeError:
        raise FeedBroken("The playlist is no UTF-8 text.") from None
    if not lines or lines[0] != "#EXTM3U":
        raise FeedBroken("The source sends no playlist: it does not begin with #EXTM3U.")
    if any(line.startswith("#EXT-X-STREAM-INF:") for line in lines):
        return _read_master(lines, url)
    return _MediaReader(url).read(lines)


def _read_master(lines: list[str], url: str) -> MasterPlaylist:
    """The streams: each is named in the first line behind its tag that is neither empty nor another tag."""
    variants: list[Variant] = []
    pending: dict[str, str] | None = None
    for line in lines:
        if line.startswith("#EXT-X-STREAM-INF:"):
            pending = _attributes(line)
        elif line and not line.startswith("#") and pending is not None:
            variants.append(Variant(_resolve(url, line), _number(pending.get("BANDWIDTH", ""))))
            pending = None
            _refuse_more(len(variants))
    if not variants:
        raise FeedBroken("The playlist names no stream.")
    return MasterPlaylist(tuple(sorted(variants, key=lambda one: one.bandwidth)))


class _MediaReader:
    """What the tags so far mean for the next segment."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._segments: list[MediaSegment] = []
        self._target: float | None = None
        self._ended = False
        self._first = 0
        self._duration: float | None = None
        self._range: tuple[int, int | None] | None = None
        self._key: tuple[str, bytes | None] | None = None
        self._initialization: tuple[str, ByteRange | None] | None = None
        self._discontinuity = False

    def read(self, lines: list[str]) -> MediaPlaylist:
        """The whole playlist."""
        for line in lines[1:]:
            if line.startswith("#"):
                self._take_tag(line)
            elif line:
                self._take_segment(line)
        if self._target is None:
            raise FeedBroken("The playlist states no target duration.")
        return MediaPlaylist(tuple(self._segments), self._target, self._ended)

    def _take_tag(self, line: str) -> None:
        """Note what a line that begins with # says of the playlist or of the next segment."""
        name, _, value = line.partition(":")
        match name:
            case "#EXTINF":
                self._duration = _seconds(value.partition(",")[0])
            case "#EXT-X-TARGETDURATION":
                self._target = _seconds(value)
            case "#EXT-X-MEDIA-SEQUENCE":
                if self._segments:
                    raise FeedBroken("The playlist numbers its segments after the first of them.")
                self._first = _number(value)
            case "#EXT-X-ENDLIST":
                self._ended = True
            case "#EXT-X-DISCONTINUITY":
                self._discontinuity = True
            case "#EXT-X-BYTERANGE":
                self._range = _range(value)
            case "#EXT-X-KEY":
                self._take_key(_attributes(line))
            case "#EXT-X-MAP":
                self._take_map(_attributes(line))
            case _:
                pass

    def _take_key(self, said: dict[str, str]) -> None:
        """Note the key of the segments that follow, or that they have none."""
        method = said.get("METHOD", "")
        if method == "NONE":
            self._key = None
            return
        if method != "AES-128" or said.get("KEYFORMAT", "identity") != "identity":
            raise FeedBroken("The stream is encrypted by a method other than AES-128: it cannot be looked at.")
        iv = None
        if "IV" in said:
            found = _IV.match(said["IV"])
            if found is None:
                raise FeedBroken("The playlist states no initialization vector of 16 bytes.")
            iv = int(found[1], 16).to_bytes(16)
        self._key = _resolve(self._url, said.get("URI", "")), iv

    def _take_map(self, said: dict[str, str]) -> None:
        part = None
        if "BYTERANGE" in said:
            length, start = _range(said["BYTERANGE"])
            part = ByteRange(start or 0, length)
        self._initialization = _resolve(self._url, said.get("URI", "")), part

    def _take_segment(self, line: str) -> None:
        """Add the segment of this address with what the tags before it said; the next one begins anew."""
        if self._duration is None:
            raise FeedBroken("The playlist states no duration of a segment.")
        url, number = _resolve(self._url, line), self._first + len(self._segments)
        key = None
        if self._key is not None:
            # Without a vector of its own a segment's is its number (5.2).
            key = SegmentKey(self._key[0], self._key[1] or number.to_bytes(16))
        self._segments.append(
            MediaSegment(
                number, url, self._duration, self._byte_range(url), key, self._initialization, self._discontinuity
            )
        )
        self._duration, self._range, self._discontinuity = None, None, False
        _refuse_more(len(self._segments))

    def _byte_range(self, url: str) -> ByteRange | None:
        """The segment's range; without a start it goes on where the segment before it ended, in the same file."""
        if self._range is None:
            return None
        length, start = self._range
        if start is None:
            before = self._segments[-1] if self._segments else None
            if before is None or before.url != url or before.byte_range is None:
                raise FeedBroken("The playlist states a range that begins nowhere.")
            start = before.byte_range.start + before.byte_range.length
        return ByteRange(start, length)


def _attributes(line: str) -> dict[str, str]:
    """The attribute list behind a tag's colon; the first of equal names counts."""
    found: dict[str, str] = {}
    for name, value in _ATTRIBUTE.findall(line.partition(":")[2]):
        found.setdefault(name, value.strip('"').strip())
    return found


def _resolve(base: str, uri: str) -> str:
    """The address that ``uri`` names from the playlist's own."""
    if not uri or len(uri) > _URI_MAX:
        raise FeedBroken("The playlist names an address that is empty or too long.")
    try:
        return urljoin(base, uri)
    except ValueError:
        raise FeedBroken("The playlist names an address that is none.") from None


def _range(text: str) -> tuple[int, int | None]:
    found = _RANGE.match(text.strip())
    if found is None:
        raise FeedBroken("The playlist states a range that is none.")
    return int(found[1]), None if found[2] is None else int(found[2])


def _number(text: str) -> int:
    if _NUMBER.match(text.strip()) is None:
        raise FeedBroken("The playlist has a word where a number belongs.")
    return int(text)


def _seconds(text: str) -> float:
    if _SECONDS.match(text.strip()) is None or float(text) > _DURATION_MAX:
        raise FeedBroken("The playlist states a duration that is none.")
    return float(text)


def _refuse_more(count: int) -> None:
    if count > SEGMENTS_MAX:
        raise FeedBroken("The playlist names too many segments.")
