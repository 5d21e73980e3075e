"""Pictures of motion JPEG as one video file, so that they are read as a video's frames.

The file is an AVI (Multimedia Programming Interface and Data Specifications 1.0, Microsoft and IBM 1991) with one
stream of the codec ``MJPG`` and no index. No picture is changed.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

_SLOWEST: Final = 0.1
_FASTEST: Final = 60.0
_SUPPOSED: Final = 25.0
"""Frames a second where they came all at once."""
_SCALE: Final = 1000
"""Rates are told in thousandths of a frame a second."""
_MAIN_HEADER: Final = struct.Struct("<14I")
_STREAM_HEADER: Final = struct.Struct("<4s4s10I4H")
_BITMAP_HEADER: Final = struct.Struct("<3I2H6I")


def motion_video(pictures: Sequence[bytes], span_s: float) -> bytes:
    """An AVI of JPEG files, at least two, that came within ``span_s`` seconds. Their size is left to the decoder."""
    rate = (len(pictures) - 1) / span_s if span_s > 0 else _SUPPOSED
    thousandths = round(_SCALE * min(max(rate, _SLOWEST), _FASTEST))
    count, longest = len(pictures), max(map(len, pictures))
    main = _MAIN_HEADER.pack(10**9 // thousandths, 0, 0, 0, count, 0, 1, longest, 0, 0, 0, 0, 0, 0)
    stream = _STREAM_HEADER.pack(b"vids", b"MJPG", 0, 0, 0, _SCALE, thousandths, 0, count, longest, 0, 0, 0, 0, 0, 0)
    bitmap = _BITMAP_HEADER.pack(_BITMAP_HEADER.size, 0, 0, 1, 24, int.from_bytes(b"MJPG", "little"), 0, 0, 0, 0, 0)
    streams = _list(b"strl", _chunk(b"strh", stream) + _chunk(b"strf", bitmap))
    headers = _list(b"hdrl", _chunk(b"avih", main) + streams)
    frames = _list(b"movi", b"".join(_chunk(b"00dc", one) for one in pictures))
    return _chunk(b"RIFF", b"AVI " + headers + frames)


def _chunk(name: bytes, body: bytes) -> bytes:
    """Its length counts no padding to an even place."""
    return name + struct.pack("<I", len(body)) + body + bytes(len(body) % 2)


def _list(name: bytes, chunks: bytes) -> bytes:
    return _chunk(b"LIST", name + chunks)
