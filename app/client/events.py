"""Server-sent events out of the bytes of a stream."""

from __future__ import annotations

from dataclasses import dataclass

from app.client.errors import ApiError

EVENT_MAX = 1 << 20
"""Bytes of one server-sent event; a longer one ends the stream."""


@dataclass(frozen=True)
class ServerEvent:
    """One server-sent event. ``id`` is the last id of the stream, as the standard defines it; ``data`` is JSON text."""

    id: str
    event: str
    data: str


class EventParser:
    """Parses server-sent events (WHATWG HTML, 9.2.6): CR LF, LF or CR ends a line; comments are dropped."""

    def __init__(self, last_id: str = "") -> None:
        self._buffer = b""
        self._id = last_id
        self._event = ""
        self._data: list[str] = []
        self._skip_lf = False
        self._first = True

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """The events that end within ``chunk``. Raises ``ApiError`` if one grows past ``EVENT_MAX``."""
        found: list[ServerEvent] = []
        self._buffer += chunk
        while True:
            if self._skip_lf and self._buffer:
                self._skip_lf = False
                if self._buffer[:1] == b"\n":
                    self._buffer = self._buffer[1:]
            ends = [at for at in (self._buffer.find(b"\r"), self._buffer.find(b"\n")) if at >= 0]
            if not ends:
                break
            end = min(ends)
            line = self._buffer[:end]
            self._skip_lf = self._buffer[end : end + 1] == b"\r"
            self._buffer = self._buffer[end + 1 :]
            event = self._line(line.decode("utf-8", "replace"))
            if event is not None:
                found.append(event)
        if len(self._buffer) + sum(map(len, self._data)) > EVENT_MAX:
            raise ApiError("malformed_request", "The service sent an event that is too large.", "", 0)
        return found

    def _line(self, line: str) -> ServerEvent | None:
        """Take one line; an empty line ends an event, which is returned if it has data."""
        if self._first:
            self._first = False
            line = line.removeprefix("\ufeff")
        if not line:
            event = ServerEvent(self._id, self._event or "message", "\n".join(self._data)) if self._data else None
            self._event = ""
            self._data = []
            return event
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value
        return None
