"""A feed with all around it: a source on a socket, a clock that a test moves, and what was looked at and told."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from app.capabilities.media.feeds.reach import FeedReach
from app.capabilities.media.feeds.runner import FeedEvent, FeedLimits, FeedOrder, FeedRunner, PieceReport
from app.capabilities.media.feeds.sources import FeedPiece
from app.delivery.addresses import AllowedReach
from app.delivery.guarded import GuardedFetch
from app.registry.media_sources import MediaAccess
from tests.door_site import until
from tests.unit.delivery.loopback_peer import Peer, Reader, Writer, serving

BEGAN_US = 1_700_000_000_000_000
FETCH = GuardedFetch()
PATIENT = FeedLimits(stall_s=1e6)
"""For tests that move the clock while sockets work: nothing stalls."""
Route = Callable[[str], bytes] | Callable[[Reader, Writer], Awaitable[None]] | bytes


def picture(number: int = 0) -> bytes:
    """Bytes that begin as a JPEG does."""
    return b"\xff\xd8\xff\xe0" + number.to_bytes(4)


def answer(body: bytes, *lines: str, status: int = 200) -> bytes:
    """A whole answer."""
    head = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(body)}", *lines, "", ""]
    return "\r\n".join(head).encode() + body


def part(body: bytes) -> bytes:
    """A part of motion JPEG with its length, as cameras send it."""
    return b"--cut\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%b\r\n" % (len(body), body)


MJPEG_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=cut\r\n\r\n"


class ManualClock:
    """Time passes when a test says so. ``slept``: what was waited for; ``reads``: how often it was asked."""

    def __init__(self) -> None:
        self.time = 100.0
        self.reads = 0
        self.slept: list[float] = []
        self._order = itertools.count()
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []

    def now(self) -> float:
        self.reads += 1
        return self.time

    def wall_us(self) -> int:
        return BEGAN_US + round((self.time - 100) * 1e6)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        waiting = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (self.time + seconds, next(self._order), waiting))
        await waiting

    async def advance(self, seconds: float) -> None:
        """That much later all that was to happen until then has been woken, in its order."""
        end = self.time + seconds
        await self._settle()
        while self._waiting and self._waiting[0][0] <= end:
            due, _, waiting = heapq.heappop(self._waiting)
            if not waiting.done():
                self.time = max(self.time, due)
                waiting.set_result(None)
                await self._settle()
        self.time = end

    @staticmethod
    async def _settle() -> None:
        """What can go on without a socket goes on, and waits for its next time."""
        for _ in range(8):
            await asyncio.sleep(0)

    async def advance_until(self, condition: Callable[[], bool], step: float = 0.25) -> None:
        """Moves on until the condition holds, and gives sockets their turn in between."""
        deadline = asyncio.get_running_loop().time() + 30
        while not condition():
            assert asyncio.get_running_loop().time() < deadline, "the awaited state was not reached"
            await self.advance(step)
            await asyncio.sleep(0.002)


class FeedServer:
    """A server of paths. ``asked``: each request's path and head, in their order."""

    def __init__(self) -> None:
        self.routes: dict[str, Route] = {}
        self.asked: list[tuple[str, str]] = []
        self.peer = Peer(b"")

    def url(self, path: str) -> str:
        """The address of a path."""
        return self.peer.url + path

    def paths(self) -> list[str]:
        """What was asked for."""
        return [path for path, _ in self.asked]

    async def serve(self, reader: Reader, writer: Writer) -> None:
        """One request; the connection ends with its answer."""
        head = self.peer.heads[-1].decode()
        path = head.split(" ")[1].lstrip("/")
        self.asked.append((path, head))
        route = self.routes.get(path, answer(b"", status=404))
        if isinstance(route, bytes):
            writer.write(route)
        else:
            given: Any = route
            if asyncio.iscoroutinefunction(given) or hasattr(given, "serve_feed"):
                await given(reader, writer)
            else:
                writer.write(given(head))
        with contextlib.suppress(ConnectionError):
            await writer.drain()
            writer.close()


@contextlib.asynccontextmanager
async def source() -> AsyncIterator[FeedServer]:
    """A server with no paths yet."""
    made = FeedServer()
    async with serving(made.serve) as peer:
        made.peer = peer
        yield made


class MotionCamera:
    """A route that sends what a test puts in. ``hang_up()`` ends the present connection."""

    serve_feed = True

    def __init__(self) -> None:
        self.connections = 0
        self._pieces: asyncio.Queue[bytes | None] = asyncio.Queue()

    def send(self, piece: bytes) -> None:
        """More of the body."""
        self._pieces.put_nowait(piece)

    def hang_up(self) -> None:
        """The connection ends behind what was sent."""
        self._pieces.put_nowait(None)

    async def __call__(self, reader: Reader, writer: Writer) -> None:
        self.connections += 1
        writer.write(MJPEG_HEAD)
        sending = asyncio.create_task(self._send_all(writer))
        leaving = asyncio.create_task(reader.read())
        await asyncio.wait([sending, leaving], return_when=asyncio.FIRST_COMPLETED)
        for task in (sending, leaving):
            task.cancel()
        await asyncio.gather(sending, leaving, return_exceptions=True)

    async def _send_all(self, writer: Writer) -> None:
        while (piece := await self._pieces.get()) is not None:
            writer.write(piece)
            await writer.drain()


def harmless(_piece: FeedPiece) -> PieceReport:
    """Nothing was found, for 10 ms of a processor."""
    return PieceReport(0.1, "AUTHENTIC_CONSISTENT", (), 0.01)


class WatchedFeeds:
    """Feeds of one source, and what came of them."""

    def __init__(self, source: FeedServer) -> None:
        self.source = source
        self.clock = ManualClock()
        self.events: list[FeedEvent] = []
        self.looked: list[FeedPiece] = []
        self.report: Callable[[FeedPiece], PieceReport] = harmless
        """May raise."""
        self.free = asyncio.Event()
        """Looks wait while it is not set."""
        self.free.set()
        self.began = 0
        self.cancelled = 0
        self.allowed = [AllowedReach.of(["127.0.0.0/8"], [source.peer.port])]
        self.authorization: str | None = None
        self.reach = FeedReach(FETCH, lambda _url: MediaAccess("127.0.0.1", tuple(self.allowed), self.authorization))

    async def scan(self, piece: FeedPiece) -> PieceReport:
        """A look."""
        self.began += 1
        try:
            await self.free.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        self.looked.append(piece)
        return self.report(piece)

    async def tell(self, event: FeedEvent) -> None:
        """Keeps an event."""
        self.events.append(event)

    def types(self) -> list[str]:
        """The events, in short."""
        return [event.type.removeprefix("radar.feed.") for event in self.events]

    def bodies(self) -> list[bytes]:
        """What was looked at."""
        return [piece.body for piece in self.looked]

    def runner(self, kind: Any, path: str = "feed", limits: FeedLimits = PATIENT, **more: Any) -> FeedRunner:
        """A feed that has not begun."""
        order = FeedOrder("scan_00000000000000000001", self.source.url(path), kind)
        return FeedRunner(
            order, self.reach, self.scan, self.tell, limits=limits, clock=self.clock, draw=lambda: 0.0, **more
        )


@contextlib.asynccontextmanager
async def watched() -> AsyncIterator[WatchedFeeds]:
    """A source, and nothing that watches it yet."""
    async with source() as made:
        yield WatchedFeeds(made)


@contextlib.asynccontextmanager
async def running(runner: FeedRunner) -> AsyncIterator[FeedRunner]:
    """The feed runs, and is stopped in the end."""
    runner.start()
    try:
        yield runner
    finally:
        await runner.stop()


async def ended(runner: FeedRunner) -> None:
    """Waits until the feed has ended by itself."""
    await until(lambda: runner.start().done())
