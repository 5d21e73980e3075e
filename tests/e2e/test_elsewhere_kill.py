"""kill -9 at twenty points of one burn that reaches doors and directories, and what every one of them got of it.

A point is a step of the burn itself, or a call that a system elsewhere took and could not answer any more.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from app.capabilities.burn.messages import Burn
from app.capabilities.burn.tables import burn, burn_segment
from app.capabilities.burn.targets.connectors import CONNECTORS
from tests.door_site import DoorSite, door_site, until
from tests.e2e.elsewhere_kill_child import NODE, READERS
from tests.elsewhere import Elsewhere, elsewhere, email, login
from tests.receiver import Received, Receiver, Reply
from tests.relay import relay
from tests.service.capabilities.burn.checked_segments import found_in
from tests.slapd import GROUPS, dn_of

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
STEPS = {"denied": 1, "committed": 1, "announced": 1, "effect": 4, "confirmed": 4, "promised": 1, "sealed": 1}
PEERS = {"staff": 10, "apps": 5, "signals": 3, "idp": 1, "vpn": 1}
"""Steps of the burn and directories, and up to which passing or call of each a point may lie."""
POOL = [(where, count) for where, most in {**STEPS, **PEERS}.items() for count in range(1, most + 1)]
SEED = 4
POINTS = random.Random(SEED).sample(POOL, 20)
EVERY_CHANGE = 1
KINDS = {"ldap": "staff", "scim": "apps", "ssf": "signals", "oauth": "idp", "webhook": "vpn"}


class Wires:
    """Every way from a site to the systems elsewhere, with what went over it."""

    def __init__(self, other: Elsewhere) -> None:
        self.other = other
        self.received: Counter[str] = Counter()
        """Calls (LDAP: pieces of a connection) by directory."""
        self._changes: list[Received] = []
        self._client = httpx.Client(trust_env=False)
        self.directories: dict[str, dict[str, Any]] = {}
        self._guard = threading.Lock()
        self._at: tuple[str, int] = ("", 0)
        self._kill: Callable[[], None] = lambda: None

    @contextlib.contextmanager
    def laid(self) -> Iterator[Wires]:
        """All of them, until the end of the block; the systems elsewhere all answer."""
        apps = Receiver(self._apps)
        other = self.other
        other.signals.answer = self._told("signals", other.signals.take)
        other.refusing.answer = self._told("vpn", other.refusing.take)
        other.hanging.answer = self._told("idp", other.hanging.revoke)
        with apps.listening(), self._client, relay(other.staff.port, lambda: self._took("staff")) as staff:
            self.directories = other.directories(patient=True)
            for directory_id in ("idp", "vpn"):
                self.directories[directory_id]["timeout_ms"] = 5000
            self.directories["apps"]["url"] = apps.url
            self.directories["staff"]["url"] = f"ldap://localhost:{staff}"
            yield self

    def arm(self, where: str, count: int, kill: Callable[[], None]) -> None:
        """Forgets what was, and kills at this call."""
        with self._guard:
            self.received.clear()
            self._at, self._kill = (where, count), kill

    def seen(self) -> Counter[str]:
        """What every directory received so far."""
        with self._guard:
            return self.received.copy()

    def changes(self, number: int) -> tuple[int, int]:
        """How often the person's account in SCIM was changed, and how often it was taken out of a group."""
        user = self.other.users[number]
        with self._guard:
            users = sum(call.path.endswith(f"/Users/{user}") for call in self._changes)
            return users, sum("/Groups/" in call.path and user.encode() in call.body for call in self._changes)

    def _took(self, where: str) -> None:
        with self._guard:
            self.received[where] += 1
            if (where, self.received[where]) == self._at:
                self._kill()

    def _told(self, where: str, answer: Callable[[Received], Reply]) -> Callable[[Received], Reply]:
        def take(call: Received) -> Reply:
            reply = answer(call)
            self._took(where)
            return reply

        return take

    def _apps(self, call: Received) -> Reply:
        """Hands it on to the SCIM server: its effect is there before anybody is killed."""
        headers = {
            name: call.headers[name] for name in ("authorization", "accept", "content-type") if name in call.headers
        }
        url = self.other.apps.url + call.path
        answer = self._client.request(call.method, url, headers=headers, content=call.body)
        if call.method == "PATCH":
            with self._guard:
                self._changes.append(call)
        self._took("apps")
        return answer.status_code, {"Content-Type": "application/scim+json"}, answer.content


@pytest.fixture(scope="module")
def wires(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wires]:
    """One set for all; each point burns a person of its own."""
    with elsewhere(tmp_path_factory.mktemp("elsewhere"), len(POINTS)) as other:
        other.revive()
        with Wires(other).laid() as made:
            yield made


def killed(wires: Wires, directory: Path, number: int, where: str, count: int) -> None:
    """Burns person ``number`` in a process that is killed at the point, or, if the burn never comes to it, after the
    answer."""
    child = subprocess.Popen(
        [sys.executable, str(HERE / "elsewhere_kill_child.py"), str(directory), where, str(count)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        known = {
            "directories": wires.directories,
            "accounts": wires.other.accounts(number),
            "email": email(number),
        }
        child.stdin.write(json.dumps(known).encode() + b"\n")
        child.stdin.flush()
        wires.other.signals.trust(json.loads(child.stdout.readline())["keys"])
        wires.arm(where, count, lambda: child.send_signal(signal.SIGKILL))
        child.stdin.write(b"burn\n")
        child.stdin.flush()
        if child.stdout.readline():
            child.kill()
        assert child.wait(30) == -signal.SIGKILL
    finally:
        child.kill()
        child.wait(10)
        child.stdin.close()
        child.stdout.close()


@pytest.mark.parametrize(
    ("number", "where", "count"),
    [
        pytest.param(
            number, where, count, id=f"{where}-{count}", marks=[] if number <= EVERY_CHANGE else pytest.mark.campaign
        )
        for number, (where, count) in enumerate(POINTS, 1)
    ],
)
def test_a_killed_burn_goes_on_where_it_was(
    wires: Wires, tmp_path: Path, capsys: pytest.CaptureFixture[str], number: int, where: str, count: int
) -> None:
    """Exactly the targets without a durable proof are reached again, and nobody takes anything for two burns."""
    killed(wires, tmp_path / "site", number, where, count)
    first = wires.seen()
    wires.arm("", 0, lambda: None)
    with door_site(tmp_path / "site", connectors=CONNECTORS) as site:
        burn_id = stored(site)
        # A burn that was never stored was never answered either, and nobody elsewhere has heard of it.
        assert burn_id is not None or (where == "denied" and not first)
        before = None if burn_id is None else site.burns.get(burn_id)
        after = asyncio.run(completed(site, before))
        assert found_in(site) == []
        with site.store.read() as connection:
            assert connection.scalars(select(burn_segment.c.burn_id)).all().count(after.burn_id) >= 1
        actions = Counter(site.actions())
    again = wires.seen()

    assert after.state == "COMPLETE"
    assert set(after.counts) <= {"revoked", "already", "delivered"}
    assert (actions["burn.executed"], actions["burn.complete"]) == (1, 1)
    proven = set()
    for position, new in enumerate(after.targets):
        old = None if before is None else before.targets[position]
        done = old is not None and old.state in ("revoked", "already", "delivered")
        if new.kind in KINDS:
            assert (again[KINDS[new.kind]] == 0) is done, new
        if old is not None:
            assert new.attempts == (old.attempts if done else old.attempts + 1)
        if done:
            assert new == old
            proven.add(new.id)
    missing = len(after.targets) - len(proven)

    other = wires.other
    assert other.locked(number)
    assert dn_of(login(number)) not in other.staff.read(f"cn=all,{GROUPS}", "member")["member"]
    # What was repeated is known as the same by whoever takes it: no event and no call has a second name.
    events, calls = other.signalled(after.burn_id), other.told(after.burn_id)
    assert (len(events), len(calls)) == (3, 1)
    assert max(*events.values(), *calls.values()) <= 2
    # These are not repeated at all: the second attempt finds them done.
    assert wires.changes(number) == (1, 1)
    with capsys.disabled():
        shown = ", ".join(f"{name} {first[name]}+{again[name]}" for name in sorted(PEERS))
        print(
            f"\nkilled at {where} {count}: of {len(after.targets)} targets ({READERS} doors, {len(KINDS)} directories) "
            f"{len(proven)} proven before, {missing} by the restart; calls before + after: {shown}"
        )


def stored(site: DoorSite) -> str | None:
    """Id of the only burn on the disk."""
    with site.store.read() as connection:
        found = connection.scalars(select(burn.c.burn_id)).all()
    assert len(found) <= 1
    return found[0] if found else None


async def completed(site: DoorSite, before: Burn | None) -> Burn:
    """The burn once it is complete and sealed; one that was never stored is called again."""
    async with site.running():
        burn_id = (await site.burn(NODE, wait_s=20)).burn_id if before is None else before.burn_id
        await until(lambda: site.burns.get(burn_id).state == "COMPLETE", 20)
        await until(lambda: site.burns.get(burn_id).log.manifest_url is not None, 20)
        return site.burns.get(burn_id)
