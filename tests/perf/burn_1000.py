"""Burns over 1000 readers, against the slowest reader's own round trip in the same run.

Ours is a whole burn: denial, durable outbox, fan-out, every reader's proof over its secure channel, grouped durable
results, the answer. The peer is the bare announcement of an epoch to the same readers: what the wire itself costs the
last of them. ``ROWS`` are functions without arguments; ``python -m tests.perf.burn_1000`` prints them.
"""

from __future__ import annotations

import asyncio
import functools
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import wait
from pathlib import Path

from app.capabilities.burn.messages import Burn
from tests.door_site import DoorSite, door_site
from tests.perf.report import Row, run

READERS = 1000
BURNS = 15
GOAL_RATIO = "<= 1.5 x"
DENY_GOAL_US = 50.0


def _bare(site: DoorSite, count: int) -> list[float]:
    """Milliseconds to the last acknowledgement of a bare announcement, ``count`` times."""
    last = []
    for _ in range(count):
        epoch = 0

        def advance(tx: object) -> None:
            nonlocal epoch
            epoch = site.registry.deny.advance(tx)  # type: ignore[arg-type]

        site.write(advance)
        began = time.perf_counter()
        wait(site.credentials.doors.fleet.announce(epoch, bytes(16)).values(), timeout=5)
        last.append((time.perf_counter() - began) * 1000)
    return last


@functools.cache
def _run() -> tuple[list[Burn], list[float], list[float]]:
    """Burns, their answers' milliseconds, and the peer's; taken in turns, so that both meet the same machine."""

    async def measure(site: DoorSite) -> tuple[list[Burn], list[float], list[float]]:
        burns, answers, peer = [], [], []
        async with site.running():
            await site.secure(READERS, 60)
            await site.burn("ARC-WARM-UP")
            for number in range(BURNS):
                peer += await asyncio.to_thread(_bare, site, 1)
                began = time.perf_counter()
                burns.append(await site.burn(f"ARC-{number}", wait_s=10))
                answers.append((time.perf_counter() - began) * 1000)
        return burns, answers, peer

    with tempfile.TemporaryDirectory() as directory, door_site(Path(directory) / "site") as site:
        site.cluster("east", READERS)
        for number in range(BURNS):
            site.person(f"ARC-{number}")
        measured = asyncio.run(measure(site))
    if any(burn.state != "COMPLETE" for burn in measured[0]):
        raise RuntimeError("a burn was not complete; its figures mean nothing")
    return measured


def burn_to_last_ack() -> Row:
    """From the call to the last reader's proof."""
    burns, _, peer = _run()
    ours = statistics.median(max(target.latency_ms or 0.0 for target in burn.targets) for burn in burns)
    bare = statistics.median(peer)
    return Row(
        f"burn over {READERS} readers, to the last ack",
        "ms",
        ours,
        bare,
        ours / bare,
        GOAL_RATIO,
        "bare announcement",
        ours / bare <= 1.5,
    )


def burn_to_answer() -> Row:
    """From the call to the answer: every proof durable too."""
    _, answers, peer = _run()
    ours, bare = statistics.median(answers), statistics.median(peer)
    return Row(f"burn over {READERS} readers, to the durable answer", "ms", ours, bare, ours / bare, "told beside it")


def local_deny() -> Row:
    """The slowest denial of the run, while 1000 readers are polled in the same process."""
    burns, _, _ = _run()
    ours = statistics.median(burn.local_deny_us for burn in burns)
    return Row(
        "local deny while 1000 readers are polled (median)", "us", ours, DENY_GOAL_US, ours / DENY_GOAL_US, "<= 50 us"
    )


ROWS: tuple[Callable[[], Row], ...] = (burn_to_last_ack, burn_to_answer, local_deny)


if __name__ == "__main__":
    run(ROWS)
