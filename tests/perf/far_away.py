"""Systems that are not on this machine: a TCP line that takes its time, in a process of its own.

``python -m tests.perf.far_away MS PORT...`` prints a JSON list of ports on loopback. What is sent to one of them
arrives at PORT after half of MS milliseconds, and what that answers comes back after the other half; so does the
connection itself. It ends with its stdin.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import sys
from collections.abc import Iterator, Sequence

from tests.perf.child import child

_CHUNK = 65_536
_END = b""


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, late_s: float) -> None:
    """In order, each chunk so late."""
    loop = asyncio.get_running_loop()
    on_the_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def deliver() -> None:
        while True:
            due, data = await on_the_way.get()
            await asyncio.sleep(due - loop.time())
            if not data:
                return
            writer.write(data)
            await writer.drain()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(deliver())
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(_CHUNK):
                on_the_way.put_nowait((loop.time() + late_s, data))
        on_the_way.put_nowait((loop.time() + late_s, _END))


async def _connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int, late_s: float) -> None:
    await asyncio.sleep(2 * late_s)
    with contextlib.suppress(ExceptionGroup, OSError):
        there, back = await asyncio.open_connection("127.0.0.1", port)
        done, _ = await asyncio.wait(
            [
                asyncio.ensure_future(_carry(reader, back, late_s)),
                asyncio.ensure_future(_carry(there, writer, late_s)),
            ],
            return_when=asyncio.FIRST_COMPLETED,
        )
        for one in done:
            one.exception()
        back.close()
    writer.close()


async def _main(late_s: float, ports: Sequence[int]) -> None:
    servers = [
        await asyncio.start_server(functools.partial(_connected, port=port, late_s=late_s), "127.0.0.1", 0)
        for port in ports
    ]
    print(json.dumps([server.sockets[0].getsockname()[1] for server in servers]), flush=True)
    await asyncio.to_thread(sys.stdin.read)


@contextlib.contextmanager
def far_away(ports: Sequence[int], milliseconds: float) -> Iterator[list[int]]:
    """Ports at which these are so far away."""
    with child("tests.perf.far_away", milliseconds, *ports) as (moved, _):
        yield moved


if __name__ == "__main__":
    asyncio.run(_main(float(sys.argv[1]) / 2000, [int(port) for port in sys.argv[2:]]))
