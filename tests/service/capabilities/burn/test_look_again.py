"""What is proven elsewhere is looked at again: by a repeated call, by a try by hand, and by the watch."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api.problems import Problem
from app.capabilities.burn.drift import DriftWatch
from app.capabilities.burn.log.segments import read_segment
from app.capabilities.burn.messages import Burn, BurnTarget
from app.capabilities.burn.tables import burn_segment
from app.capabilities.burn.targets.connector import Tools
from app.capabilities.burn.targets.connectors import CONNECTORS
from app.capabilities.burn.targets.scim import Scim
from app.capabilities.burn.undone import MISSING, REOPENED, RESTORED
from tests.door_site import DoorSite, door_site, until
from tests.scim_server import TOKEN, ScimServer

OTHER = "another-token"


@pytest.fixture(scope="module")
def scim() -> Iterator[ScimServer]:
    """One server for all; each test has users of its own."""
    with ScimServer().running() as server:
        yield server


@pytest.fixture
def site(tmp_path: Path, scim: ScimServer) -> Iterator[DoorSite]:
    """A site with the directory ``staff``."""
    with door_site(tmp_path / "site", connectors=CONNECTORS) as made:
        register(made, scim)
        yield made


def register(site: DoorSite, scim: ScimServer, secret: str = TOKEN) -> None:
    """``staff``, by a token that the server takes or not."""
    site.directory("staff", "scim", scim.url, secret=secret, timeout_ms=5000)


def target(burn: Burn) -> BurnTarget:
    """The one at the SCIM server."""
    return next(one for one in burn.targets if one.kind == "scim")


def active(scim: ScimServer, user_id: str) -> bool:
    """As its administrator sees it."""
    return bool(scim.call("GET", f"/Users/{user_id}")["active"])


def activate(scim: ScimServer, user_id: str) -> None:
    """A helpdesk lets the person in again."""
    change = {"op": "replace", "path": "active", "value": True}
    schemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"]
    scim.call("PATCH", f"/Users/{user_id}", {"schemas": schemas, "Operations": [change]})
    assert active(scim, user_id)


def alarms(site: DoorSite) -> list[str]:
    """Kinds of all open alarms."""
    return sorted(alarm.kind for alarm in site.alarms.open())


def states_told(site: DoorSite) -> list[dict[str, str]]:
    """What each segment says of the SCIM target."""
    with site.store.read() as connection:
        bodies = connection.scalars(burn_segment.select().with_only_columns(burn_segment.c.body)).all()
    return [
        {"burn": found.head.state, **{one.kind: one.state for one in found.targets if one.kind == "scim"}}
        for found in (read_segment(bytes(body)) for body in bodies)
    ]


@pytest.mark.parametrize("by", ["burn", "retry"])
def test_an_account_that_was_let_in_again_is_locked_again(site: DoorSite, scim: ScimServer, by: str) -> None:
    """The same burn, three times: the lock that was undone is set again with leaf and alarm, else nothing is written;
    also after a restart, when the burn is in memory no more."""
    user = scim.user(f"again-{by}", f"E-again-{by}")
    site.account("ARC-1", ("staff", f"E-again-{by}"))

    async def again(first: Burn | None) -> Burn:
        async with site.running():
            if first is None or by == "burn":
                return await site.burn("ARC-1", 8.0)
            return await site.burns.retry(first.burn_id, target(first).id)

    first = asyncio.run(again(None))
    held = asyncio.run(again(first))
    assert (held.burn_id, held.state, target(held)) == (first.burn_id, "COMPLETE", target(first))
    assert (alarms(site), RESTORED in site.actions()) == ([], False)
    told = states_told(site)
    activate(scim, user)
    after = asyncio.run(again(first))
    assert (after.burn_id, after.state, active(scim, user)) == (first.burn_id, "COMPLETE", False)
    assert target(after).attempts == target(first).attempts + 1
    assert alarms(site) == [RESTORED]
    assert site.actions().count(RESTORED) == 1
    assert states_told(site) == told


def test_what_cannot_be_proven_again_is_open_again(site: DoorSite, scim: ScimServer) -> None:
    """A repeat that is refused there is PARTIAL, durably: memory, rows and revocation log say so; and COMPLETE again
    once the lock is read back."""
    user = scim.user("lost", "E-lost")
    site.account("ARC-1", ("staff", "E-lost"))

    async def run() -> tuple[Burn, Burn, Burn]:
        async with site.running():
            first = await site.burn("ARC-1", 8.0)
            register(site, scim, OTHER)
            activate(scim, user)
            lost = await site.burn("ARC-1", 2.0)
            read = site.burns.get(first.burn_id)
            assert (read.state, read.completed_at) == ("PARTIAL", None)
        async with site.running():
            assert site.burns.get(first.burn_id).state == "PARTIAL"
            register(site, scim)
            return first, lost, await site.burn("ARC-1", 8.0)

    first, lost, done = asyncio.run(run())
    assert (first.state, lost.state, done.state) == ("COMPLETE", "PARTIAL", "COMPLETE")
    assert (target(lost).state, target(lost).latency_ms) == ("failed", None)
    assert "does not take our secret" in (target(lost).evidence or "")
    assert (target(done).state, active(scim, user)) == ("revoked", False)
    assert site.actions().count(REOPENED) == 1
    # A first segment of a slow machine tells it as open once more.
    assert [one for one in states_told(site) if one.get("scim", "pending_offline") != "pending_offline"] == [
        {"burn": "COMPLETE", "scim": "revoked"},
        {"burn": "PARTIAL", "scim": "failed"},
        {"burn": "COMPLETE", "scim": "revoked"},
    ]


def test_a_server_that_is_silent_confirms_nothing(site: DoorSite, scim: ScimServer) -> None:
    """The proof of before is not what was asked for: told as being looked at, or as pending."""
    scim.user("silent", "E-silent")
    site.account("ARC-1", ("staff", "E-silent"))

    async def run() -> Burn:
        async with site.running():
            assert (await site.burn("ARC-1", 8.0)).state == "COMPLETE"
            site.directory("staff", "scim", ScimServer().url, secret=TOKEN, timeout_ms=5000)
            at_once = await site.burn("ARC-1", 0.0)
            assert (at_once.state, target(at_once).state) == ("PARTIAL", "pending_offline")
            assert "is being looked at again; before: revoked" in (target(at_once).evidence or "")
            await until(lambda: site.burns.get(at_once.burn_id).completed_at is None)
            return site.burns.get(at_once.burn_id)

    assert target(asyncio.run(run())).state == "pending_offline"


def test_an_account_that_has_appeared_is_found_by_a_repeat(site: DoorSite, scim: ScimServer) -> None:
    """Nobody was there; now somebody is."""
    site.account("ARC-1", employee_id="E-new")

    async def run() -> tuple[Burn, str, Burn]:
        async with site.running():
            before = await site.burn("ARC-1", 8.0)
            user = scim.user("new", "E-new")
            return before, user, await site.burn("ARC-1", 8.0)

    before, user, after = asyncio.run(run())
    assert (target(before).state, target(after).state, active(scim, user)) == ("unlinked", "revoked", False)
    assert (before.unlinked, after.unlinked) == (1, 0)
    told = [one["scim"] for one in states_told(site) if "scim" in one]
    assert told[-2:] == ["unlinked", "revoked"]


def test_what_a_person_closed_stays_closed(site: DoorSite, scim: ScimServer) -> None:
    """A repeat does not open it, and a try of it says so; nor does it try what stands in this site's own rows."""
    register(site, scim, OTHER)
    scim.user("closed", "E-closed")
    site.account("ARC-1", ("staff", "E-closed"))

    async def run() -> tuple[Burn, list[str]]:
        async with site.running():
            burn, found = await site.tried("scim")
            await site.burns.close(burn.burn_id, found.id, "ended by hand", actor="key-a")
            again = await site.burn("ARC-1", 8.0)
            refused = []
            for name in (found.id, "local"):
                with pytest.raises(Problem) as problem:
                    await site.burns.retry(burn.burn_id, name)
                refused.append(problem.value.code)
            return again, refused

    again, refused = asyncio.run(run())
    assert (again.state, target(again).state, refused) == ("COMPLETE", "closed", ["state_conflict"] * 2)


# --- the watch ---


async def round_of(site: DoorSite, look: bool = True) -> None:
    """One round of a watch with a connector of its own."""
    connectors = [Scim(Tools(site.outbound, site.keys, site.site.name, True))]
    arguments = (site.site, site.store, site.registry, site.alarms, connectors)
    await (DriftWatch(*arguments, site.burns.look_again) if look else DriftWatch(*arguments)).round()


@pytest.mark.parametrize("named", ["externalId", "id", "userName", "nobody"])
def test_the_watch_locks_again(site: DoorSite, scim: ScimServer, named: str) -> None:
    """However the account is named, or found; once undone, one leaf and one alarm, and a second round has nothing to
    do."""
    user = scim.user(f"watched-{named}", f"E-w-{named}")
    account = {"externalId": f"E-w-{named}", "id": f"id:{user}", "userName": f"userName:watched-{named}"}.get(named)
    site.account("ARC-1", *([] if account is None else [("staff", account)]), employee_id=f"E-w-{named}")

    async def run() -> None:
        async with site.running():
            assert (await site.burn("ARC-1", 8.0)).state == "COMPLETE"
            await round_of(site)
            assert (alarms(site), RESTORED in site.actions()) == ([], False)
            activate(scim, user)
            for _ in range(2):
                await round_of(site)
                assert not active(scim, user)

    asyncio.run(run())
    assert alarms(site) == [RESTORED]
    assert site.actions().count(RESTORED) == 1


def test_the_watch_finds_who_has_appeared(site: DoorSite, scim: ScimServer) -> None:
    """An account that is made after the burn found none is locked, and the burn says so."""
    site.account("ARC-1", employee_id="E-late")

    async def run() -> tuple[str, Burn]:
        async with site.running():
            burn = await site.burn("ARC-1", 8.0)
            user = scim.user("late", "E-late")
            await round_of(site)
            await until(lambda: target(site.burns.get(burn.burn_id)).state == "already")
            return user, site.burns.get(burn.burn_id)

    user, burn = asyncio.run(run())
    assert (active(scim, user), target(burn).state, alarms(site)) == (False, "already", [RESTORED])


def test_the_watch_follows_what_was_linked_since(site: DoorSite, scim: ScimServer) -> None:
    """The account bears neither number nor address of the person: the link alone names it."""
    user = scim.user("linked-since", "E-somebody")
    site.account("ARC-1", employee_id="E-unknown")

    async def run() -> None:
        async with site.running():
            burn = await site.burn("ARC-1", 8.0)
            assert target(burn).state == "unlinked"
            site.account("ARC-1", ("staff", f"id:{user}"), employee_id="E-unknown")
            assert target(await site.burn("ARC-1", 8.0)).state == "revoked"
            activate(scim, user)
            await round_of(site)

    asyncio.run(run())
    assert (active(scim, user), alarms(site)) == (False, [RESTORED])


def test_a_lock_that_cannot_be_set_again_reopens_the_burn(
    site: DoorSite, scim: ScimServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """COMPLETE would be untrue: the burn is PARTIAL with an alarm until the lock is there again."""
    user = scim.user("stuck", "E-stuck")
    site.account("ARC-1", ("staff", "E-stuck"))
    lock = Scim._lock

    async def refused(*arguments: object) -> object:
        from app.capabilities.burn.targets.connector import Refusal

        raise Refusal("not allowed there")

    async def run() -> str:
        async with site.running():
            burn = await site.burn("ARC-1", 8.0)
            activate(scim, user)
            monkeypatch.setattr(Scim, "_lock", refused)
            await round_of(site)
            await until(lambda: site.burns.get(burn.burn_id).state == "PARTIAL")
            assert MISSING in alarms(site)
            monkeypatch.setattr(Scim, "_lock", lock)
            await round_of(site)
            assert not active(scim, user)
            return (await site.burn("ARC-1", 8.0)).state

    assert asyncio.run(run()) == "COMPLETE"
    assert alarms(site) == [RESTORED]
