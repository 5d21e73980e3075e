"""The watch over locked accounts, on a real slapd."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from app.capabilities.burn import drift
from app.capabilities.burn.drift import BLIND, DriftWatch
from app.capabilities.burn.targets.connector import Tools
from app.capabilities.burn.targets.ldap import LdapConnector
from app.capabilities.burn.undone import MISSING, RESTORED
from app.registry.messages.nodes import NodeBody
from tests.door_site import ACTOR, DoorSite, door_site, until
from tests.served_site import ServedSite
from tests.slapd import BASE, GROUPS, HELPDESK, HELPDESK_PASSWORD, SERVICE, SERVICE_PASSWORD, Slapd, dn_of, slapd


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Slapd]:
    """Accounts t1 and t2, and a group that t1 is not in."""

    def prepare(made: Slapd) -> None:
        made.load_people(["t1", "t2"])
        made.load_group("later", "t2")

    with slapd(tmp_path / "slapd", prepare) as made:
        yield made


@pytest.fixture
def site(tmp_path: Path, server: Slapd) -> Iterator[DoorSite]:
    """ARC-1 is t1, burned; ARC-2 is t2."""
    with door_site(tmp_path / "site", connectors=[LdapConnector]) as made:
        made.directory("staff", "ldap", server.url, bind_dn=SERVICE, secret=SERVICE_PASSWORD, base_dn=BASE)
        made.account("ARC-1", ("staff", "t1"))
        made.account("ARC-2", ("staff", dn_of("t2")))

        async def run() -> None:
            async with made.running():
                assert (await made.burn("ARC-1")).state == "COMPLETE"

        asyncio.run(run())
        yield made


@asynccontextmanager
async def watching(site: DoorSite, interval_s: float = 60.0) -> AsyncIterator[DriftWatch]:
    """A watch with a connector of its own; not started."""
    connector = LdapConnector(Tools(site.outbound, None, site.site.name, True))
    settings = msgspec.structs.replace(site.site.settings, lock_watch_s=interval_s, burn_attempt_s=5.0)
    made = dataclasses.replace(site.site, settings=settings)
    try:
        yield DriftWatch(made, site.store, site.registry, site.alarms, [connector])
    finally:
        await connector.close()


def rounds(site: DoorSite, count: int = 1, between: Callable[[], object] = lambda: None) -> None:
    """So many rounds of one watch."""

    async def run() -> None:
        async with watching(site) as watch:
            for number in range(count):
                if number:
                    between()
                await watch.round()

    asyncio.run(run())


def alarms(site: DoorSite) -> list[str]:
    """Kinds of all open alarms."""
    return [alarm.kind for alarm in site.alarms.open()]


def test_a_lock_that_a_helpdesk_undid_is_set_again(site: DoorSite, server: Slapd) -> None:
    """The new password opens nothing any more; an alarm names the account, a leaf says it."""
    server.reset_password("t1", "from-the-helpdesk")
    assert server.lets_in("t1", "from-the-helpdesk")
    rounds(site)
    assert not server.lets_in("t1", "from-the-helpdesk")
    (alarm,) = site.alarms.open()
    assert (alarm.kind, alarm.node_id) == (RESTORED, "ARC-1")
    assert "t1" in alarm.text
    assert site.actions().count(RESTORED) == 1


def test_a_lock_that_holds_is_left_alone(site: DoorSite, server: Slapd) -> None:
    """Nothing is written: not there and not here."""
    before = server.read(dn_of("t1"), "entryCSN")
    rounds(site, 2)
    assert server.read(dn_of("t1"), "entryCSN") == before
    assert alarms(site) == []
    assert RESTORED not in site.actions()


def test_each_time_is_a_leaf_under_one_alarm(site: DoorSite, server: Slapd) -> None:
    """Who undoes it again is seen again."""
    server.reset_password("t1", "one")
    rounds(site, 2, lambda: server.reset_password("t1", "two"))
    assert not server.lets_in("t1", "two")
    assert alarms(site) == [RESTORED]
    assert site.actions().count(RESTORED) == 2


def test_an_account_that_is_named_by_its_dn_is_watched(site: DoorSite, server: Slapd) -> None:
    """As the directory writes it or not."""

    async def run() -> None:
        site.account("ARC-2", ("staff", dn_of("t2").upper()))
        async with site.running():
            assert (await site.burn("ARC-2")).state == "COMPLETE"

    asyncio.run(run())
    server.reset_password("t2", "new")
    rounds(site)
    assert not server.lets_in("t2", "new")


def test_a_restart_forgets_nothing(tmp_path: Path, site: DoorSite, server: Slapd) -> None:
    """What was undone while the service was down is found by the first round of the next one, without a call."""
    site.store.close()
    server.reset_password("t1", "new")

    async def run(again: DoorSite) -> None:
        async with watching(again) as watch:
            await watch.start()
            await until(lambda: RESTORED in alarms(again), 20)
            await watch.stop()

    with door_site(tmp_path / "site", connectors=[LdapConnector]) as again:
        asyncio.run(run(again))
    assert not server.lets_in("t1", "new")


def test_the_watch_comes_back_by_itself(site: DoorSite, server: Slapd) -> None:
    """Each interval, and after a round that broke."""

    async def run() -> None:
        async with watching(site, 0.05) as watch:
            broken = iter([True])
            whole = watch._locked_accounts

            def watched() -> list[drift._Watched]:
                if next(broken, False):
                    raise RuntimeError("a row that cannot be read")
                return whole()

            watch._locked_accounts = watched  # type: ignore[method-assign]
            await watch.start()
            for password in ("one", "two"):
                server.reset_password("t1", password)
                count = site.actions().count(RESTORED)
                await until(lambda count=count: site.actions().count(RESTORED) > count, 20)
            await watch.stop()

    asyncio.run(run())
    assert not server.lets_in("t1", "two")


def test_a_lifted_burn_is_watched_no_more(site: DoorSite, server: Slapd) -> None:
    """The person may have a password again, and the alarm ends."""
    server.reset_password("t1", "one")
    rounds(site)
    site.write(lambda tx: tx.connection.exec_driver_sql("UPDATE burn SET lifted_us = 1"))
    server.reset_password("t1", "two")
    rounds(site)
    assert server.lets_in("t1", "two")
    assert alarms(site) == []


def test_a_deleted_directory_is_watched_no_more(site: DoorSite, server: Slapd) -> None:
    """Nothing is left to reach it with."""
    site.write(lambda tx: site.registry.nodes.put_in(tx, "ARC-1", NodeBody(display_name="Training Person 1"), ACTOR))
    site.write(lambda tx: site.registry.nodes.put_in(tx, "ARC-2", NodeBody(display_name="Training Person 2"), ACTOR))
    asyncio.run(site.registry.directories.delete("staff", actor=ACTOR))
    server.reset_password("t1", "new")
    rounds(site)
    assert server.lets_in("t1", "new")


def test_what_cannot_be_restored_is_told_until_it_can(site: DoorSite, server: Slapd) -> None:
    """Locked again but in a group that we may not write: one alarm, one leaf; both end when it can be left."""

    def register(dn: str, password: str) -> None:
        site.directory("staff", "ldap", server.url, bind_dn=dn, secret=password, base_dn=BASE)

    join = f"dn: cn=later,{GROUPS}\nchangetype: modify\nadd: member\nmember: {dn_of('t1')}\n"
    register(HELPDESK, HELPDESK_PASSWORD)
    server.modify(join)
    server.reset_password("t1", "new")
    rounds(site)
    assert not server.lets_in("t1", "new")
    assert alarms(site) == [MISSING]
    rounds(site)
    assert site.actions().count(MISSING) == 1
    register(SERVICE, SERVICE_PASSWORD)
    rounds(site)
    assert alarms(site) == [RESTORED]


def test_a_directory_that_is_silent_for_long_is_told(
    site: DoorSite, server: Slapd, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who cuts the watch off must not do it unseen; the alarm ends when it answers."""
    monkeypatch.setattr(drift, "BLIND_S", 0.0)
    server.kill()
    rounds(site)
    assert alarms(site) == [BLIND]
    server.start()
    rounds(site)
    assert alarms(site) == []


def test_a_short_silence_is_none(site: DoorSite, server: Slapd) -> None:
    """A restart of the directory wakes nobody."""
    server.kill()
    rounds(site, 2)
    assert alarms(site) == []


def test_the_service_itself_watches(tmp_path: Path, server: Slapd) -> None:
    """A served site as it is assembled: registered, tried and burned over HTTP; nobody calls for the lock."""
    row = {"kind": "ldap", "url": server.url, "bind_dn": SERVICE, "secret": SERVICE_PASSWORD, "base_dn": BASE}
    node = {"display_name": "Training Person 1", "directory_accounts": [{"directory_id": "staff", "account": "t1"}]}
    with ServedSite.laid_out(tmp_path / "served", lock_watch_s=0.2).running() as served:
        tried = served.client.put("/v1/registry/directories/staff?probe=true", json=row).json()["probe"]
        assert tried["ok"], tried
        assert served.client.put("/v1/registry/nodes/ARC-7001", json=node).status_code == 201
        order = {"node_id": "ARC-7001", "scope": "GLOBAL_REVOCATION", "reason": "badge found on the street"}
        waits = {"Prefer": "wait=25"}
        assert served.client.post("/v1/citadel/uac/burn", json=order, headers=waits).status_code == 200
        server.reset_password("t1", "new")
        asyncio.run(until(lambda: not server.lets_in("t1", "new"), 20))
        assert served.stop() == 0
