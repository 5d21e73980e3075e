"""Connections of the client: wherever a call is cancelled and the client closed meanwhile, none is left open."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import warnings
from collections.abc import AsyncIterator, Callable, Coroutine, Generator
from typing import Any

import pytest

from app.client import ApiError, Client, Unreachable

Act = Callable[["asyncio.Task[Any]"], object]
"""What is done while the call waits: it is given the task of the call."""


class Stepped:
    """Awaits ``work`` and does what ``acts`` names at its n-th wait: at once, or (``late``) when what it waits for has
    come and its task has not gone on yet."""

    def __init__(self, work: Coroutine[Any, Any, Any], acts: dict[int, list[Act]], *, late: bool) -> None:
        self._work, self._acts, self._late = work, acts, late
        self.waits = 0

    def __await__(self) -> Generator[Any, Any, Any]:
        sent: Any = None
        thrown: BaseException | None = None
        while True:
            try:
                waited = self._work.send(sent) if thrown is None else self._work.throw(thrown)
            except StopIteration as ended:
                return ended.value
            thrown = None
            self.waits += 1
            for act in self._acts.get(self.waits, ()):
                self._plan(act, waited)
            try:
                sent = yield waited
            except BaseException as error:  # a cancellation above all: it is the call's
                thrown = error

    def _plan(self, act: Act, waited: Any) -> None:
        task = asyncio.current_task()
        assert task is not None
        if self._late and waited is not None:
            # Before the task's own callback, which goes on.
            waited.add_done_callback(lambda _: act(task))
        else:
            asyncio.get_running_loop().call_soon(act, task)


@contextlib.asynccontextmanager
async def peer() -> AsyncIterator[str]:
    """Answers in pieces, so that a call waits in its answer too; each of its own ends is closed when this ends."""
    served: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.add(asyncio.current_task())  # type: ignore[arg-type]
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                status = b"404 Not Found" if b"refused" in head else b"200 OK"
                for piece in (
                    b"HTTP/1.1 " + status + b"\r\nTransfer-Encoding: chunked\r\n\r\n",
                    b"2\r\n# \r\n",
                    b"0\r\n\r\n",
                ):
                    writer.write(piece)
                    await writer.drain()
                    await asyncio.sleep(0.001)
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        if served:
            await asyncio.wait(served)


async def _events(client: Client, path: str) -> None:
    async for _event in client._events(path):
        pass


CALLS: dict[str, Callable[[Client], Coroutine[Any, Any, Any]]] = {
    "answered": lambda client: client._call("GET", "/answered", bytes),
    "refused": lambda client: client._call("GET", "/refused", bytes),
    "events": lambda client: _events(client, "/events"),
    "refused events": lambda client: _events(client, "/refused"),
}


async def _call(
    url: str, call: Callable[[Client], Coroutine[Any, Any, Any]], *, close: int, cancel: int, late: bool
) -> int:
    """Close the client at one wait of the call, or after it (0), cancel the call at another; how often it waited."""
    client = Client(url, "arc_cit_x")
    closing: list[asyncio.Task[None]] = []
    acts: dict[int, list[Act]] = {}
    if close:
        acts.setdefault(close, []).append(lambda _: closing.append(asyncio.ensure_future(client.aclose())))
    acts.setdefault(cancel, []).append(lambda task: task.cancel())
    stepped = Stepped(call(client), acts, late=late)

    async def work() -> None:
        with contextlib.suppress(ApiError, Unreachable):
            await stepped

    await asyncio.gather(asyncio.ensure_future(work()), return_exceptions=True)
    if closing:
        await closing[0]
    else:
        await client.aclose()
    # A transport closes its socket on the loop's next turn.
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return stepped.waits


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("call", CALLS)
def test_no_connection_is_left_wherever_a_call_is_cancelled_and_the_client_closed(call: str, *, late: bool) -> None:
    async def work() -> list[str]:
        left: list[str] = []
        async with peer() as url:
            whole = await _call(url, CALLS[call], close=0, cancel=0, late=late)
            assert whole > 5
            # Some hundred collections follow: what there was before has not to be looked through in each.
            gc.collect()
            gc.freeze()
            for close in range(whole + 1):
                for cancel in range(close, whole + 3):
                    with warnings.catch_warnings(record=True) as told:
                        warnings.simplefilter("always", ResourceWarning)
                        await _call(url, CALLS[call], close=close, cancel=cancel, late=late)
                        gc.collect()
                    left += [f"closed at {close}, cancelled at {cancel}: {one.message}" for one in told]
        return left

    try:
        assert asyncio.run(work()) == []
    finally:
        gc.unfreeze()
