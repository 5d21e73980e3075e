"""Burns over readers, LDAP, SCIM and SSF at once, against the slowest of them alone and against one commit a result.

``to_last_ack``: 1000 readers and three directories in their own processes, from the call to the last proof. The peer is
the slowest target's own round trip: each connector as a burn calls it and the bare announcement to all readers, one
after the other, nothing else under way. Readers are simulated in the service's process, as on a training site. Three
times: all on this machine's loopback, so that they share its processors with the service; the systems ``AWAY_MS`` away,
as those of a site are; and, told without a goal, the readers in a process of their own on 1000 TCP lines.

``one_commit_a_result``: a site that has a refusing and a hanging system too, from the call
until the last live target's proof is durable. The peer is the same, with an fsync for each result. ``ROWS`` are
functions without arguments; ``python -m tests.perf.burn_everywhere`` prints them.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import json
import math
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from app.capabilities.burn.messages import Burn, BurnEvent
from app.capabilities.burn.proofs import Proofs
from app.capabilities.burn.running import Running
from app.capabilities.burn.targets import FINAL, BurnFacts, TargetResult
from app.capabilities.burn.targets.connector import AttemptSubject, Connector, Tools
from app.capabilities.burn.targets.connectors import CONNECTORS
from app.delivery.published_keys import PublishedKeys
from hardware.readers.reader import Ack
from tests.door_site import ACTOR, DoorSite, door_site
from tests.elsewhere import DEAD, LIVE, elsewhere, email
from tests.perf.child import child
from tests.perf.far_away import far_away
from tests.perf.report import Row, run

READERS = 1000
DIRECTORIES = ("staff", "apps", "signals")
ROUNDS = 15
GOAL_RATIO = 1.5
DENY_GOAL_US = 50.0
AWAY_MS = 20
"""There and back, to a system at another place. What a loopback takes nobody has in the field."""
SECTION_4_READERS = 96
SECTION_4_ROUNDS = 12
SECTION_4_GOAL = 2.0
SECTION_4_P95_MS = 500.0
Kind = Literal["here", "away", "lines"]
_FACTS = BurnFacts("burn_alone", "ARC-ALONE", "GLOBAL_REVOCATION", 1, "measured", 0, training=True)


@contextlib.contextmanager
def burned_site(readers: int, persons: int, *, dead: bool, kind: Kind = "here") -> Iterator[DoorSite]:
    """Nodes ``ARC-1`` and so on, each with its own accounts. On ``lines`` the readers have no key yet."""
    with (
        tempfile.TemporaryDirectory() as name,
        elsewhere(Path(name), persons) as other,
        door_site(Path(name) / "site", connectors=CONNECTORS) as site,
        contextlib.ExitStack() as stack,
    ):
        systems = other.directories(dead=dead)
        keys = msgspec.to_builtins(PublishedKeys(site.keys).public())["keys"]
        ports, systems["signals"]["url"] = stack.enter_context(_others(readers if kind == "lines" else 0, keys))
        site.cluster("east", readers, [f"tcp://127.0.0.1:{port}" for port in ports])
        if kind == "away":
            near = [urlsplit(body["url"]).port or 0 for body in systems.values()]
            far = stack.enter_context(far_away(near, AWAY_MS))
            for body, port, moved in zip(systems.values(), near, far, strict=True):
                body["url"] = body["url"].replace(f":{port}", f":{moved}")
        for directory_id, body in systems.items():
            site.directory(directory_id, **body)
        for number in range(1, persons + 1):
            site.account(f"ARC-{number}", *other.accounts(number, dead=dead), email=email(number))
        yield site


@contextlib.contextmanager
def _others(readers: int, keys: Sequence[object]) -> Iterator[tuple[list[int], str]]:
    """Ports of so many new readers, and where a receiver takes signals under these keys."""
    # Its readers complain of a line that is hung up, a thousand times at the end.
    with child("tests.perf.others_child", readers, quiet=True) as (told, stdin):
        stdin.write(json.dumps(keys) + "\n")
        stdin.flush()
        yield told["readers"], told["signals"]


def percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[math.ceil(share * len(values)) - 1]


class NotAcknowledged(RuntimeError):
    """By a reader, of an epoch."""


class Alone:
    """Each kind of target by itself, as a burn reaches it."""

    def __init__(self, site: DoorSite) -> None:
        tools = Tools(site.outbound, site.keys, site.site.name, True)
        made: list[Connector] = [make(tools) for make in CONNECTORS]
        self._connectors = {connector.kind: connector for connector in made}
        self._site = site

    async def directory(self, directory_id: str, number: int) -> float:
        """Milliseconds of one attempt."""
        with self._site.store.read() as connection:
            where = self._site.registry.directories.with_secret(connection, directory_id)
            accounts = dict(self._site.registry.nodes.accounts(connection, f"ARC-{number}"))
        if where is None:
            raise LookupError(directory_id)
        who = AttemptSubject(f"ARC-{number}", accounts.get(directory_id), email(number), None)
        began = time.perf_counter()
        outcome = await self._connectors[where.kind].revoke(where, who, _FACTS, 10.0)
        if outcome.state not in FINAL:
            raise RuntimeError(f"{where.kind}: {outcome.evidence}; the figures mean nothing")
        return (time.perf_counter() - began) * 1000

    async def readers(self) -> float:
        """Milliseconds until the last reader acknowledged an epoch, told as a burn tells them."""
        site = self._site
        epoch = await site.store.writer.run(site.registry.deny.advance)
        loop = asyncio.get_running_loop()
        done = asyncio.Event()
        acks: list[tuple[float, bool]] = []

        def answered(reader_id: str, ack: object) -> None:
            acks.append((time.perf_counter(), isinstance(ack, Ack) and ack.delta_acked is True))
            if len(acks) == READERS:
                loop.call_soon_threadsafe(done.set)

        began = time.perf_counter()
        site.credentials.doors.fleet.tell(epoch, bytes(16), answered)
        await done.wait()
        if not all(acked for _, acked in acks):
            raise NotAcknowledged("a reader did not acknowledge; the figures mean nothing")
        return (max(at for at, _ in acks) - began) * 1000

    async def everything(self, number: int) -> float:
        """Milliseconds until all of them have answered, asked at once: no transaction, no rows, nothing durable."""
        began = time.perf_counter()
        await asyncio.gather(self.readers(), *(self.directory(where, number) for where in DIRECTORIES))
        return (time.perf_counter() - began) * 1000

    async def enrol(self) -> None:
        """Gives the readers their keys and lists; returns when all acknowledge what they are told."""
        await self._site.registry.clusters.enrol("east", None, 60, actor=ACTOR)
        async with asyncio.timeout(60):
            while True:
                with contextlib.suppress(NotAcknowledged):
                    await self.readers()
                    return

    async def close(self) -> None:
        """Lets go of connections."""
        for connector in self._connectors.values():
            await connector.close()


@functools.cache
def _thousand(kind: Kind) -> tuple[list[Burn], list[float], dict[str, list[float]]]:
    """Burns, their answers' milliseconds, and what each kind takes alone; in turns, so that all meet the same
    machine."""
    persons = 3 * ROUNDS + 2

    async def measure(site: DoorSite) -> tuple[list[Burn], list[float], dict[str, list[float]]]:
        burns, answers = [], []
        alone: dict[str, list[float]] = {"reader": [], "all": [], "staff": [], "apps": [], "signals": []}
        single = Alone(site)
        async with site.running():
            if kind == "lines":
                await single.enrol()
            await site.secure(READERS, 60)
            gc.freeze()  # as the service does when it has started
            await site.burn(f"ARC-{persons}", wait_s=10)
            for directory_id in DIRECTORIES:
                await single.directory(directory_id, persons - 1)
            for turn in range(ROUNDS):
                for directory_id in DIRECTORIES:
                    alone[directory_id].append(await single.directory(directory_id, 3 * turn + 2))
                alone["reader"].append(await single.readers())
                alone["all"].append(await single.everything(3 * turn + 3))
                began = time.perf_counter()
                burns.append(await site.burn(f"ARC-{3 * turn + 1}", wait_s=10))
                answers.append((time.perf_counter() - began) * 1000)
            await single.close()
        return burns, answers, alone

    with burned_site(READERS, persons, dead=False, kind=kind) as site:
        measured = asyncio.run(measure(site))
    if any(burn.state != "COMPLETE" for burn in measured[0]):
        raise RuntimeError("a burn was not complete; its figures mean nothing")
    return measured


def to_last_ack() -> list[Row]:
    """From the call to the last proof of all, and that of each kind."""
    return [*_last_acks("here"), *_last_acks("away"), *_last_acks("lines")]


def _last_acks(kind: Kind) -> list[Row]:
    burns, answers, alone = _thousand(kind)
    medians = {name: statistics.median(values) for name, values in alone.items()}
    at_once = medians.pop("all")
    slowest = max(medians, key=lambda name: medians[name])
    lasts = [max(target.latency_ms or 0.0 for target in burn.targets) for burn in burns]
    last = statistics.median(lasts)
    ratio = statistics.median(whole / one for whole, one in zip(lasts, alone[slowest], strict=True))
    judged = kind != "lines"
    named = {
        "here": f"burn of {READERS} readers, LDAP, SCIM, SSF,",
        "away": f"burn of {READERS} readers, systems {AWAY_MS} ms away,",
        "lines": f"burn of {READERS} TCP readers, LDAP, SCIM, SSF,",
    }[kind]
    rows = [
        Row(
            f"{named} to the last ack",
            "ms",
            last,
            medians[slowest],
            ratio,
            f"<= {GOAL_RATIO} x" if judged else "told beside it",
            f"slowest alone: {slowest}; pairs",
            ratio <= GOAL_RATIO if judged else None,
        ),
        Row("  the same", "ms", last, at_once, last / at_once, "told beside it", "all of them at once, without a burn"),
        Row(
            f"{named} to the answer",
            "ms",
            statistics.median(answers),
            medians[slowest],
            statistics.median(answers) / medians[slowest],
            "told beside it",
        ),
    ]
    for target_kind, directory_id in (("reader", "reader"), ("ldap", "staff"), ("scim", "apps"), ("ssf", "signals")):
        within = statistics.median(
            max(target.latency_ms or 0.0 for target in burn.targets if target.kind == target_kind) for burn in burns
        )
        peer = medians[directory_id]
        rows.append(
            Row(f"  {target_kind} inside that burn", "ms", within, peer, within / peer, "told beside it", "alone")
        )
    return rows


def local_deny() -> list[Row]:
    """The denial in this process' memory, while 1000 readers are polled."""
    burns, _, _ = _thousand("here")
    times = [burn.local_deny_us for burn in burns]
    return [
        Row(
            f"local deny while {READERS} readers are polled ({name})",
            "us",
            value,
            DENY_GOAL_US,
            value / DENY_GOAL_US,
            "<= 50 us",
            "the goal itself",
            value <= DENY_GOAL_US,
        )
        for name, value in (("median", statistics.median(times)), ("slowest", max(times)))
    ]


@contextlib.contextmanager
def _one_commit_a_result() -> Iterator[None]:
    """The fan-out as it would be without grouping."""
    grouped = Proofs._make_durable

    async def singly(self: Proofs, batch: Sequence[tuple[Running, TargetResult]]) -> None:
        for part in batch:
            await grouped(self, [part])

    Proofs._make_durable = singly  # type: ignore[method-assign]
    try:
        yield
    finally:
        Proofs._make_durable = grouped  # type: ignore[method-assign]


async def _last_live(site: DoorSite, number: int) -> float:
    """Milliseconds from the call until the proof of the last live target is durable."""
    done = asyncio.Event()
    loop = asyncio.get_running_loop()
    live = {f"reader:east-{reader}" for reader in range(1, SECTION_4_READERS + 1)} | set(LIVE)
    last = 0.0

    def seen(event: object) -> None:
        nonlocal last
        body = getattr(event, "body", None)
        if not isinstance(body, BurnEvent) or body.node_id != f"ARC-{number}" or body.target is None:
            return
        if body.target.state in FINAL and body.target.kind not in DEAD:
            live.discard(body.target.id if body.target.kind == "reader" else body.target.kind)
            if not live and not last:
                last = body.elapsed_ms
                loop.call_soon_threadsafe(done.set)

    forget = site.bus.subscribe(seen)
    try:
        await site.burn(f"ARC-{number}", wait_s=0)
        async with asyncio.timeout(30):
            await done.wait()
    finally:
        forget()
    return last


def one_commit_a_result() -> list[Row]:
    """Ours and the peer in turns on the same site."""
    persons = 2 * SECTION_4_ROUNDS + 2

    async def measure(site: DoorSite) -> tuple[list[float], list[float]]:
        ours, peer = [], []
        async with site.running():
            await site.secure(SECTION_4_READERS, 60)
            await _last_live(site, persons)
            for turn in range(SECTION_4_ROUNDS):
                ours.append(await _last_live(site, 2 * turn + 1))
                with _one_commit_a_result():
                    peer.append(await _last_live(site, 2 * turn + 2))
        return ours, peer

    with burned_site(SECTION_4_READERS, persons, dead=True) as site:
        ours, peer = asyncio.run(measure(site))
    middle, other = statistics.median(ours), statistics.median(peer)
    p95 = percentile(ours, 0.95)
    named = f"burn of {SECTION_4_READERS} readers, LDAP, SCIM, SSF and 2 dead,"
    return [
        Row(
            f"{named} last live read-back",
            "ms",
            middle,
            other,
            other / middle,
            f">= {SECTION_4_GOAL} x faster",
            "one commit a result",
            other / middle >= SECTION_4_GOAL,
        ),
        Row(
            f"{named} the same, p95",
            "ms",
            p95,
            SECTION_4_P95_MS,
            p95 / SECTION_4_P95_MS,
            "<= 500 ms",
            "the goal itself",
            p95 <= SECTION_4_P95_MS,
        ),
    ]


ROWS: tuple[Callable[[], list[Row]], ...] = (to_last_ack, local_deny, one_commit_a_result)


if __name__ == "__main__":
    run(ROWS)
