"""Fan-out of the telemetry stream: one ring of encoded events, any number of readers.

An event is encoded once, when it is published, and kept in a ring of ``ring`` events. A reader is only a position in
that ring, so a slow reader costs as much as a fast one. A reader that falls behind the end of the ring gets a ``gap``
with the number of events that it lost. ``Last-Event-ID`` is a position too, so replay and catching up are the same.

Event ids are ``<epoch>.<number>``. The epoch is drawn at each start, because the ring does not outlive the process: the
id of another run is answered with a gap of unknown size.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import threading
from collections import deque
from collections.abc import Callable

import msgspec

from app.capabilities.gateway.telemetry.messages import GapEvent
from app.delivery.events import Event, EventBus

HEARTBEAT_S = 15.0
UNREAD_S = 30.0
"""A stream that nobody begins to read within this time is closed."""
CHUNK_EVENTS = 256
"""Events in the largest chunk for a reader that catches up."""
_BEAT = b": beat\n\n"
_HELLO = b"retry: 1000\n: arc telemetry 1\n\n"
_ID = re.compile(r"([0-9a-f]{8})\.([0-9]{1,18})", re.ASCII)


def frame(kind: str, body: msgspec.Struct, event_id: str) -> bytes:
    """One event in the WHATWG stream format. The JSON has no line breaks."""
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (event_id.encode(), kind.encode(), msgspec.json.encode(body))


class Stream:
    """One reader: an asynchronous iterator of chunks, on the event loop. ``close`` ends it at once; the server calls
    ``aclose`` when the reader has left."""

    def __init__(self, hub: Hub, unit_id: str, key_id: str, position: int, gap: GapEvent | None) -> None:
        self.unit_id = unit_id
        self.key_id = key_id
        self.opened = asyncio.get_running_loop().time()
        self.reading = False
        self._hub = hub
        self._position = position
        self._ready: list[bytes] = [_HELLO]
        self._beats = hub.beats
        self._closed = False
        self._waiter: asyncio.Future[None] | None = None
        if gap is not None:
            self._ready.append(hub.gap_frame(position, gap))

    def __aiter__(self) -> Stream:
        return self

    async def __anext__(self) -> bytes:
        self.reading = True
        while not self._closed:
            chunk = self._take()
            if chunk:
                return chunk
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        raise StopAsyncIteration

    def _take(self) -> bytes:
        parts, self._ready = self._ready, []
        if self._beats != self._hub.beats:
            self._beats = self._hub.beats
            parts.append(_BEAT)
        frames, self._position, lost = self._hub.since(self._position)
        if lost:
            parts.append(self._hub.gap_frame(self._position - len(frames), GapEvent(lost=lost)))
        # One event for a reader that is up to date is the common case: it gets the ring's own bytes, not a copy.
        if not parts and len(frames) == 1:
            return frames[0]
        return b"".join((*parts, *frames))

    def wake(self) -> None:
        """There may be something to take."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def close(self) -> None:
        """The reader sees the end of the stream."""
        self._closed = True
        self._hub.remove(self)
        self.wake()

    async def aclose(self) -> None:
        """The reader has left."""
        self.close()


class Hub:
    """All readers. ``start`` and everything about readers belong on one event loop; events may come from any thread."""

    def __init__(self, bus: EventBus, *, ring: int = 4096) -> None:
        self._bus = bus
        self._epoch = secrets.token_hex(4)
        self._lock = threading.Lock()
        self._ring: deque[bytes] = deque(maxlen=ring)
        self._next = 1
        """Number of the next event; the ring's oldest is ``_next - len(_ring)``."""
        self._streams: dict[Stream, None] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waking = False
        self._unsubscribe: Callable[[], None] | None = None
        self._heart: asyncio.Task[None] | None = None
        self.beats = 0

    @property
    def readers(self) -> int:
        """Open streams."""
        return len(self._streams)

    def start(self) -> None:
        """Begins to take events; on the event loop."""
        self._loop = asyncio.get_running_loop()
        self._unsubscribe = self._bus.subscribe(self.publish)
        self._heart = asyncio.create_task(self._beat(), name="telemetry-heartbeat")

    async def stop(self) -> None:
        """Takes no more events and ends every stream."""
        if self._unsubscribe is not None:
            self._unsubscribe()
        if self._heart is not None:
            self._heart.cancel()
            await asyncio.gather(self._heart, return_exceptions=True)
        for stream in tuple(self._streams):
            stream.close()

    def publish(self, event: Event) -> None:
        """Puts the event into the ring and wakes the readers, once for all events in one turn of the loop."""
        with self._lock:
            self._ring.append(frame(event.kind, event.body, f"{self._epoch}.{self._next}"))
            self._next += 1
            if self._waking or self._loop is None:
                return
            self._waking = True
        try:
            self._loop.call_soon_threadsafe(self._wake)
        except RuntimeError:
            # The loop was closed while a thread still publishes: no reader is left.
            with self._lock:
                self._waking = False

    def _wake(self) -> None:
        with self._lock:
            self._waking = False
        for stream in tuple(self._streams):
            stream.wake()

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            self.beats += 1
            old = asyncio.get_running_loop().time() - UNREAD_S
            for stream in tuple(self._streams):
                if not stream.reading and stream.opened < old:
                    stream.close()
                stream.wake()

    def open(self, unit_id: str, key_id: str, last_event_id: str | None) -> Stream:
        """A reader that starts after ``last_event_id``, or now."""
        with self._lock:
            position, gap = self._next, None
            if last_event_id is not None:
                found = _ID.fullmatch(last_event_id)
                number = int(found[2]) + 1 if found is not None and found[1] == self._epoch else None
                if number is not None and number <= self._next:
                    position = number
                else:
                    # An id of another run, or not ours: what was lost since cannot be counted.
                    position, gap = self._next - len(self._ring), GapEvent(lost=None)
        stream = Stream(self, unit_id, key_id, position, gap)
        self._streams[stream] = None
        return stream

    def remove(self, stream: Stream) -> None:
        """The stream has ended."""
        self._streams.pop(stream, None)

    def since(self, position: int) -> tuple[list[bytes], int, int]:
        """Events from ``position`` on, the position after them, and the number of lost events before them."""
        with self._lock:
            behind = self._next - position
            if behind <= 0:
                return [], position, 0
            if behind == 1:
                return [self._ring[-1]], self._next, 0
            size = len(self._ring)
            lost = max(0, behind - size)
            first = max(0, size - behind)
            frames = [self._ring[index] for index in range(first, min(size, first + CHUNK_EVENTS))]
            return frames, position + lost + len(frames), lost

    def gap_frame(self, position: int, gap: GapEvent) -> bytes:
        """A ``gap`` before the event at ``position``; with its id a reader can go on from there."""
        return frame("gap", gap, f"{self._epoch}.{position - 1}")

    def close_unit(self, unit_id: str) -> None:
        """Ends the streams of a unit whose key is no longer registered. From any thread."""
        self._close_where(lambda stream: stream.unit_id == unit_id)

    def close_key(self, key_id: str) -> None:
        """Ends the streams of an API key that was revoked. From any thread."""
        self._close_where(lambda stream: stream.key_id == key_id)

    def _close_where(self, ended: Callable[[Stream], bool]) -> None:
        def close() -> None:
            for stream in tuple(self._streams):
                if ended(stream):
                    stream.close()

        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(close)

    def keys(self) -> set[str]:
        """API keys with open streams."""
        return {stream.key_id for stream in self._streams}

    def streams_of(self, unit_id: str) -> int:
        """Open streams of the unit."""
        return sum(stream.unit_id == unit_id for stream in self._streams)
