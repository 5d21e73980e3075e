"""Burns with thirty systems that take a connection and never answer, beside live ones ``AWAY_MS`` away.

``last_live``: from the call until the last live target's proof is durable, at p50 and p99 of ``BURNS`` burns. The peer
is the slowest live target's own round trip, alone, in turns with the burns. Told beside it: the same burns without the
sick systems. ``python -m tests.perf.sick_targets`` prints them.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator

from app.capabilities.burn.messages import BurnEvent
from app.capabilities.burn.targets import FINAL
from tests.door_site import DoorSite
from tests.elsewhere import LIVE
from tests.perf.burn_everywhere import AWAY_MS, DIRECTORIES, Alone, burned_site, percentile
from tests.perf.report import Row, run

SICK = 30
BURNS = 40
GOAL_RATIO = 2.0


@contextlib.contextmanager
def _silent(number: int) -> Iterator[list[int]]:
    """Ports that take connections and say nothing."""
    with contextlib.ExitStack() as stack:
        ports = []
        for _ in range(number):
            listening = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=64))
            ports.append(listening.getsockname()[1])
        yield ports


async def _last_live(site: DoorSite, number: int) -> float:
    """Milliseconds from the call until the proof of the last live target is durable."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[float] = loop.create_future()
    waiting = {f"{kind}:{name}" for kind, name in zip(LIVE, DIRECTORIES, strict=True)}

    def seen(event: object) -> None:
        body = getattr(event, "body", None)
        if not isinstance(body, BurnEvent) or body.node_id != f"ARC-{number}" or body.target is None:
            return
        if body.target.state in FINAL:
            waiting.discard(":".join(body.target.id.split(":")[:2]))
            if not waiting and not done.done():
                done.set_result(body.elapsed_ms)

    forget = site.bus.subscribe(seen)
    try:
        await site.burn(f"ARC-{number}", wait_s=0)
        async with asyncio.timeout(60):
            return await done
    finally:
        forget()


def last_live() -> list[Row]:
    """p50 and p99, with and without the sick ones."""
    persons = 3 * BURNS + 2

    async def measure(site: DoorSite, ports: list[int]) -> tuple[list[float], list[float], list[float]]:
        plain, sick, alone = [], [], []
        single = Alone(site)
        async with site.running():
            await _last_live(site, persons)
            for directory_id in DIRECTORIES:
                await single.directory(directory_id, persons - 1)
            for turn in range(BURNS):
                alone.append(max([await single.directory(name, 3 * turn + 1) for name in DIRECTORIES]))
                plain.append(await _last_live(site, 3 * turn + 2))
            for at, port in enumerate(ports):
                site.directory(f"sick-{at}", "webhook", f"http://127.0.0.1:{port}/", secret="whsec_" + "A" * 44)
            for turn in range(BURNS):
                sick.append(await _last_live(site, 3 * turn + 3))
            await single.close()
        return plain, sick, alone

    with burned_site(0, persons, dead=False, kind="away") as site, _silent(SICK) as ports:
        plain, sick, alone = asyncio.run(measure(site, ports))
    rows = []
    for name, share in (("p50", 0.5), ("p99", 0.99)):
        ours, peer = percentile(sick, share), percentile(alone, share)
        rows.append(
            Row(
                f"last live of LDAP, SCIM, SSF with {SICK} sick ones, {name}",
                "ms",
                ours,
                peer,
                ours / peer,
                f"<= {GOAL_RATIO} x",
                f"slowest live alone, {AWAY_MS} ms away, {name}",
                ours / peer <= GOAL_RATIO,
            )
        )
        without = percentile(plain, share)
        rows.append(Row("  the same", "ms", ours, without, ours / without, "told beside it", "without sick ones"))
    return rows


ROWS = (last_live,)

if __name__ == "__main__":
    run(ROWS)
