"""Motion JPEG over HTTP: the parts of ``multipart/x-mixed-replace`` (RFC 2046, 5.1), cut as the bytes come."""

from __future__ import annotations

import re
from typing import Final

from app.capabilities.media.feeds.errors import FeedBroken

PART_LIMIT: Final = 8 << 20
"""Longest part, bytes: one picture."""
HEAD_LIMIT: Final = 4096
"""Most bytes between two parts: the boundary's line and the part's own header fields."""
_TYPE: Final = re.compile(r"multipart/x-mixed-replace\s*;(?P<parameters>.*)", re.IGNORECASE | re.DOTALL)
_BOUNDARY: Final = re.compile(r'(?:^|;)\s*boundary\s*=\s*(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s;"]+))', re.IGNORECASE)
# RFC 2046 allows 70 of these; cameras write the two dashes that come before it into the parameter as well.
_ALLOWED: Final = re.compile(r"[0-9A-Za-z'()+_,\-./:=? ]{0,71}[0-9A-Za-z'()+_,\-./:=?]\Z")
_LENGTH: Final = re.compile(rb"[0-9]{1,9}\Z")


def boundary_of(content_type: str) -> bytes:
    """The boundary that the response's ``Content-Type`` names, without leading dashes of its own. ``FeedBroken`` for
    another type, and for a boundary that is missing or none."""
    of = _TYPE.match(content_type.strip())
    found = None if of is None else _BOUNDARY.search(of["parameters"])
    if found is None:
        raise FeedBroken("The source does not send multipart/x-mixed-replace with a boundary.")
    named = found["bare"] if found["quoted"] is None else found["quoted"]
    if _ALLOWED.match(named) is None or not named.strip("-"):
        raise FeedBroken("The boundary of the feed's parts is none that RFC 2046 allows.")
    return named.removeprefix("--").encode("ascii")


class PartSplitter:
    """Takes the body in pieces of any size and gives whole parts. After ``FeedBroken`` it is not used again."""

    def __init__(self, boundary: bytes) -> None:
        """``boundary``: as ``boundary_of`` gives it."""
        self._mark = b"--" + boundary
        self._kept = bytearray()
        self._length: int | None = None
        """What the part's own header says of its length."""
        self._in_part = False
        self._looked = 0
        """So many bytes of this part hold no boundary: looking again at all of them would take the square of time."""
        self.ended = False
        """The closing boundary came: nothing follows."""

    def feed(self, piece: bytes) -> list[bytes]:
        """The bodies of the parts that ``piece`` completes. Raises ``FeedBroken`` for a part beyond ``PART_LIMIT``, for
        a head beyond ``HEAD_LIMIT``, and for what is no part at all."""
        self._kept += piece
        parts: list[bytes] = []
        while not self.ended:
            if not self._in_part:
                if not self._take_head():
                    break
            else:
                body = self._take_body()
                if body is None:
                    break
                parts.append(body)
        if self.ended:
            self._kept.clear()
        return parts

    def _take_head(self) -> bool:
        """Take the boundary's line and the part's header fields, if they are whole."""
        at = self._kept.find(self._mark)
        if at < 0:
            # A preamble, or the line end behind a part: without a boundary it may not go on.
            self._refuse_beyond(len(self._kept), HEAD_LIMIT, "The feed sends no boundary between its parts.")
            return False
        after = at + len(self._mark)
        if len(self._kept) - after < 2:
            return False
        if self._kept[after : after + 2] == b"--":
            self.ended = True
            return True
        end, gap = _end_of_head(self._kept, after)
        if end < 0:
            self._refuse_beyond(len(self._kept) - at, HEAD_LIMIT, "A part of the feed has too long a head.")
            return False
        self._refuse_beyond(end - at, HEAD_LIMIT, "A part of the feed has too long a head.")
        self._length = _length_in(bytes(self._kept[after:end]))
        if self._length is not None:
            self._refuse_beyond(self._length, PART_LIMIT, "A picture of the feed is too long.")
        del self._kept[: end + gap]
        self._in_part = True
        return True

    def _take_body(self) -> bytes | None:
        """The part's body, if it is whole: by its own length, else up to the next boundary."""
        if self._length is not None:
            if len(self._kept) < self._length:
                return None
            end = self._length
        else:
            at = self._kept.find(b"\n" + self._mark, self._looked)
            if at < 0:
                self._looked = max(0, len(self._kept) - len(self._mark))
                self._refuse_beyond(len(self._kept), PART_LIMIT, "A picture of the feed is too long.")
                return None
            self._refuse_beyond(at, PART_LIMIT, "A picture of the feed is too long.")
            end = at - 1 if at and self._kept[at - 1 : at] == b"\r" else at
        body = bytes(self._kept[:end])
        del self._kept[:end]
        self._looked = 0
        self._in_part = False
        return body

    @staticmethod
    def _refuse_beyond(length: int, limit: int, sentence: str) -> None:
        """``FeedBroken`` where it is longer."""
        if length > limit:
            raise FeedBroken(sentence)


def _end_of_head(kept: bytearray, start: int) -> tuple[int, int]:
    """Where the head ends that begins at ``start``, and how long the empty line is; -1 while it is not whole."""
    ends = [(at, len(gap)) for gap in (b"\r\n\r\n", b"\n\n") if (at := kept.find(gap, start)) >= 0]
    return min(ends, default=(-1, 0))


def _length_in(head: bytes) -> int | None:
    """``Content-Length`` of a part's head; None where there is none, or one that is no number."""
    for line in head.splitlines():
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and _LENGTH.match(value.strip()):
            return int(value)
    return None
