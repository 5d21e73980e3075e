"""Which kind of feed an address is: judged by its text, and then by what it first answers.

What the bytes say counts more than what the source calls them. DASH, RTSP and the rest are refused with their names.
"""

from __future__ import annotations

import re
from typing import Final, Literal
from urllib.parse import urlsplit

from app.capabilities.media.feeds.errors import FeedBroken, FeedUnsupported
from app.capabilities.media.feeds.multipart import boundary_of
from app.capabilities.media.feeds.reach import FeedReach, wrong_status

FeedKind = Literal["still", "mjpeg", "hls"]
PieceKind = Literal["frame", "segment"]

BEGINNING: Final = 512
"""So many bytes tell what a body is."""
_SCHEME: Final = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.-]*):")
_PICTURES: Final = re.compile(
    rb"\xff\xd8\xff|\x89PNG\r\n\x1a\n|GIF8[79]a|RIFF....WEBP|II\x2a\0|MM\0\x2a|BM....\0\0\0\0", re.DOTALL
)
"""JPEG, PNG, GIF, WebP, TIFF, BMP: what the worker decodes."""
_DASH: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,200}?-->\s*)?<MPD[\s>]", re.DOTALL
)
_PLAYLISTS: Final = frozenset(
    {"application/vnd.apple.mpegurl", "application/x-mpegurl", "audio/mpegurl", "audio/x-mpegurl"}
)
_BOXES: Final = frozenset({b"ftyp", b"styp", b"moov", b"moof", b"sidx", b"emsg", b"prft"})
_TS_PACKET: Final = 188
_NO_DASH: Final = "DASH is not read yet. Give the address of an HLS or motion JPEG feed, or of a still picture."
_OTHERS: Final = {
    "rtsp": "RTSP is not read yet. Most cameras have an address for motion JPEG or a still picture over HTTP as well.",
    "rtsps": "RTSP is not read yet. Most cameras have an address for motion JPEG or a still picture over HTTP as well.",
    "rtmp": "RTMP is not read. Give the address of the stream as HLS.",
    "rtmps": "RTMP is not read. Give the address of the stream as HLS.",
    "srt": "SRT is not read. Give the address of the stream as HLS.",
}


def judge_scheme(url: str) -> None:
    """``FeedUnsupported`` for another scheme than http and https, in words that name what is taken. The guard judges
    the rest."""
    found = _SCHEME.match(url)
    scheme = "" if found is None else found[1].lower()
    if scheme not in ("http", "https"):
        raise FeedUnsupported(_OTHERS.get(scheme, "Media are read over http:// and https:// alone."))


def judge_feed_url(url: str) -> None:
    """``FeedUnsupported`` for an address that can be no feed which is read, by its text alone: as ``judge_scheme``, or
    the name of a DASH manifest."""
    judge_scheme(url)
    try:
        path = urlsplit(url).path
    except ValueError:
        raise FeedUnsupported("The address of the feed is none.") from None
    if path.lower().endswith(".mpd"):
        raise FeedUnsupported(_NO_DASH)


def kind_of_answer(content_type: str, beginning: bytes) -> FeedKind:
    """The kind of an answer 200 by its ``Content-Type`` and the first ``BEGINNING`` bytes of its body. Raises
    ``FeedUnsupported`` for what is no feed that is read."""
    mime = content_type.partition(";")[0].strip().lower()
    if is_picture(beginning):
        return "still"
    if is_motion(content_type):
        try:
            boundary_of(content_type)
        except FeedBroken as error:
            raise FeedUnsupported(str(error)) from None
        return "mjpeg"
    if beginning.startswith(b"#EXTM3U"):
        return "hls"
    if mime == "application/dash+xml" or _DASH.match(beginning) is not None:
        raise FeedUnsupported(_NO_DASH)
    if is_video(beginning) or mime.startswith("video/"):
        raise FeedUnsupported("The address is that of a file, which has an end: have it scanned without a feed.")
    if mime.startswith("image/"):
        raise FeedUnsupported("The source calls a picture what is none that can be decoded.")
    if mime in _PLAYLISTS:
        raise FeedUnsupported("The source calls a playlist what does not begin with #EXTM3U.")
    raise FeedUnsupported("The source sends no picture, no motion JPEG and no HLS playlist.")


async def find_kind(reach: FeedReach, url: str) -> FeedKind:
    """Asks the address once and reads no further than it must. Raises ``FeedUnsupported``, ``FeedUnreached``, and
    ``FeedBroken`` for another answer than 200."""
    judge_feed_url(url)
    async with reach.open(url) as answer:
        if answer.status != 200:
            raise wrong_status(answer)
        declared = answer.headers.get("content-type", "")
        beginning = b""
        if not is_motion(declared):
            # A motion JPEG may take its time for the first picture; its head says enough.
            async for part in answer.parts():
                beginning += part
                if len(beginning) >= BEGINNING:
                    break
        return kind_of_answer(declared, beginning[:BEGINNING])


def is_motion(content_type: str) -> bool:
    """Whether an answer is declared as motion JPEG: a body in parts (RFC 2046, 5.1)."""
    return content_type.lstrip().lower().startswith("multipart/")


def is_picture(body: bytes) -> bool:
    """Whether the bytes begin as a picture does that is decoded."""
    return _PICTURES.match(body) is not None


def is_video(body: bytes) -> bool:
    """Whether the bytes begin as MPEG-TS (ISO 13818-1: a sync byte each 188) or as MP4 (ISO 14496-12: a box)."""
    if body[4:8] in _BOXES:
        return True
    return body[:1] == b"\x47" and (len(body) == _TS_PACKET or body[_TS_PACKET : _TS_PACKET + 1] == b"\x47")
