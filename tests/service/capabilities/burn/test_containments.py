"""Containments on a real store with simulated readers: denied at once, and open again only when no cause is left."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from app.api.problems import Problem
from app.capabilities.burn.containments.service import BURNED, CONTAINED, EXTENDED, QUEUED, RELEASED
from app.capabilities.burn.messages import Containment, ContainmentBody, ContainmentEvent, ContainmentListQuery
from app.delivery.events import Also
from app.registry.messages.nodes import Standing
from app.registry.standing import STANDING_CHANGE
from app.registry.tables import deny, deny_credential
from app.store.errors import BadCursor, StoreUnavailable
from app.store.writer import Transaction
from tests.door_site import ACTOR, DoorSite, door_site, until

NODE = "ARC-1"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DoorSite]:
    """A site with two doors and a person whose badge opens them."""
    with door_site(tmp_path / "site") as made:
        made.cluster("east", 2)
        made.person(NODE, clusters=["east"])
        yield made


async def contain(site: DoorSite, node_id: str = NODE, seconds: int = 900, message: str | None = None) -> Containment:
    """A containment by an operator."""
    body = ContainmentBody(node_id=node_id, seconds=seconds, message=message)
    return (await site.burns.containments.contain(body, actor=ACTOR))[0]


async def brake(site: DoorSite, node_id: str = NODE, seconds: float | None = None) -> str:
    """A containment by the brake on discharges."""
    return await site.burns.contain_with(
        node_id, cause="brake", seconds=seconds, message="discharged", actor=ACTOR, request_id=None, also=nothing
    )


async def queue(site: DoorSite, node_id: str = NODE) -> str:
    """A node that the brake only lists."""
    return await site.burns.queue_with(node_id, message="discharged", actor=ACTOR, request_id=None, also=nothing)


def nothing(tx: Transaction, reference: str) -> None:
    """Writes nothing beside it."""


async def release(site: DoorSite, containment_id: str) -> Containment:
    """By another operator."""
    return await site.burns.containments.release(containment_id, actor="key-two")


def standing(site: DoorSite, node_id: str = NODE) -> Standing:
    """As everybody sees it now."""
    with site.store.read() as connection:
        return site.registry.require_node(connection, node_id).standing


def rows(site: DoorSite) -> int:
    """Rows that deny a node or a credential."""
    with site.store.read() as connection:
        return len(connection.execute(select(deny)).all()) + len(connection.execute(select(deny_credential)).all())


def test_a_contained_badge_is_refused_until_it_is_released(site: DoorSite) -> None:
    """DENY contained at once; after the release the grant that is still valid opens again."""

    async def main() -> None:
        async with site.running():
            await site.secure(2)
            await site.sync(NODE, "east")
            assert (await site.credentials.present("east-1", NODE)).decision == "GRANT"
            held = await contain(site, message="seen in two places")
            refused = await site.credentials.present("east-1", NODE)
            assert (refused.decision, refused.reason) == ("DENY", "contained")
            assert standing(site) == "SUSPENDED"
            await release(site, held.containment_id)
            assert (await site.credentials.present("east-1", NODE)).decision == "GRANT"
            assert standing(site) == "VERIFIED_DIGITAL_HUMAN"

    asyncio.run(main())
    assert rows(site) == 0


def test_it_ends_by_itself(site: DoorSite) -> None:
    """After its time it is expired, by the service, and nobody is denied."""

    async def main() -> Containment:
        async with site.running():
            held = await contain(site, seconds=1)
            assert site.registry.deny.denies_node(NODE) is not None
            await until(lambda: site.registry.deny.denies_node(NODE) is None)
            return site.burns.containments.get(held.containment_id)

    over = asyncio.run(main())
    assert (over.state, over.ended_by, rows(site)) == ("expired", "service", 0)
    assert over.ended_at is not None
    assert over.until is not None
    assert over.ended_at >= over.until


def test_it_holds_over_a_restart_and_what_fell_due_is_ended_then(tmp_path: Path) -> None:
    """Denied before any reader is driven, also when its time was over meanwhile; ended by the start."""
    with door_site(tmp_path / "site") as site:
        site.person(NODE)
        site.person("ARC-2")
        held = asyncio.run(contain(site))
        asyncio.run(brake(site, "ARC-2", 0.0))
    with door_site(tmp_path / "site") as site:
        assert {site.registry.deny.denies_node(node_id) is None for node_id in (NODE, "ARC-2")} == {False}

        async def main() -> None:
            async with site.running():
                await until(lambda: site.registry.deny.denies_node("ARC-2") is None)

        asyncio.run(main())
        assert site.registry.deny.denies_node(NODE) is not None
        assert site.burns.containments.get(held.containment_id).state == "contained"
        assert (standing(site), standing(site, "ARC-2")) == ("SUSPENDED", "VERIFIED_DIGITAL_HUMAN")


def test_every_step_is_a_leaf(site: DoorSite) -> None:
    """Contained, extended, released, and both changes of the standing."""
    before = len(site.actions())
    held = asyncio.run(contain(site))
    asyncio.run(contain(site, seconds=1800))
    asyncio.run(release(site, held.containment_id))
    assert site.actions()[before:] == [CONTAINED, STANDING_CHANGE, EXTENDED, RELEASED, STANDING_CHANGE]


def test_every_step_is_an_event(site: DoorSite) -> None:
    """Each tells the containment as it is then."""
    held = asyncio.run(contain(site))
    asyncio.run(release(site, held.containment_id))
    told = [event.body for event in site.events if isinstance(event.body, ContainmentEvent)]
    assert [body.containment.state for body in told] == ["contained", "released"]
    assert told[0].containment == held


def test_the_same_again_is_the_same_containment_for_longer(site: DoorSite) -> None:
    """The later end and the newest message hold; a shorter one shortens nothing."""
    first = asyncio.run(contain(site, seconds=900, message="one"))
    longer = asyncio.run(contain(site, seconds=1800, message="two"))
    shorter = asyncio.run(contain(site, seconds=1))
    assert {first.containment_id, longer.containment_id, shorter.containment_id} == {first.containment_id}
    assert first.until is not None
    assert longer.until is not None
    assert longer.until > first.until
    assert (shorter.until, shorter.message) == (longer.until, "two")
    assert rows(site) == 2


def test_each_cause_leaves_alone(site: DoorSite) -> None:
    """Operator's lock and brake are two: the door opens when both are gone."""

    async def main() -> None:
        held, braked = await contain(site), await brake(site)
        await release(site, held.containment_id)
        entry = site.registry.deny.denies_node(NODE)
        assert entry is not None
        assert (entry.cause, entry.reference) == ("brake", braked)
        assert standing(site) == "SUSPENDED"
        await release(site, braked)
        assert site.registry.deny.denies_node(NODE) is None

    asyncio.run(main())


def test_a_queued_node_is_listed_and_not_denied(site: DoorSite) -> None:
    """Nothing is denied; the brake may contain it later under the same id; releasing ends it."""

    async def main() -> None:
        queued = await queue(site)
        assert (site.registry.deny.denies_node(NODE), standing(site)) == (None, "VERIFIED_DIGITAL_HUMAN")
        assert await queue(site) == queued
        assert [item.state for item in site.burns.containments.page(ContainmentListQuery()).items] == ["queued"]
        assert await brake(site) == queued
        assert await queue(site) == queued
        assert site.burns.containments.get(queued).state == "contained"
        assert site.registry.deny.denies_node(NODE) is not None
        await release(site, queued)
        assert site.registry.deny.denies_node(NODE) is None

    asyncio.run(main())
    assert QUEUED in site.actions()


def test_a_burn_ends_what_contains_the_node(site: DoorSite) -> None:
    """Every containment names the burn, which denies alone; none can be released any more."""

    async def main() -> None:
        ids = [(await contain(site)).containment_id, await brake(site)]
        burn = await site.burn(NODE, wait_s=0.0)
        for containment_id in ids:
            over = site.burns.containments.get(containment_id)
            assert (over.state, over.burn_id, over.ended_by) == ("burned", burn.burn_id, ACTOR)
            with pytest.raises(Problem) as caught:
                await release(site, containment_id)
            assert caught.value.code == "state_conflict"
        entry = site.registry.deny.denies_node(NODE)
        assert entry is not None
        assert (entry.cause, entry.reference) == ("burn", burn.burn_id)
        assert site.burns.containments.page(ContainmentListQuery()).items == []

    asyncio.run(main())
    assert site.actions().count(BURNED) == 2
    assert rows(site) == 2


def test_a_burned_node_is_not_contained(site: DoorSite) -> None:
    """An operator is told; the brake's record is over from the start and names the burn."""

    async def main() -> None:
        burn = await site.burn(NODE, wait_s=0.0)
        with pytest.raises(Problem) as caught:
            await contain(site)
        assert caught.value.code == "state_conflict"
        for containment_id in (await brake(site), await queue(site)):
            over = site.burns.containments.get(containment_id)
            assert (over.state, over.burn_id) == ("burned", burn.burn_id)
        entry = site.registry.deny.denies_node(NODE)
        assert entry is not None
        assert entry.reference == burn.burn_id

    asyncio.run(main())
    assert rows(site) == 2


def test_an_unknown_node_is_denied_too(site: DoorSite) -> None:
    """As by a burn: it holds when the node is registered later."""
    asyncio.run(contain(site, "ARC-9"))
    site.person("ARC-9")
    assert standing(site, "ARC-9") == "SUSPENDED"


def test_nothing_is_granted_to_a_contained_node(site: DoorSite) -> None:
    """A credential sync is 409."""

    async def main() -> Problem:
        async with site.running():
            await contain(site)
            with pytest.raises(Problem) as caught:
                await site.sync(NODE, "east")
            return caught.value

    assert asyncio.run(main()).code == "state_conflict"


def test_what_is_over_is_released_again_without_effect(site: DoorSite) -> None:
    """The first release stands; an unknown id is 404."""
    held = asyncio.run(contain(site))
    first = asyncio.run(release(site, held.containment_id))
    leaves = len(site.actions())
    assert asyncio.run(release(site, held.containment_id)) == first
    assert len(site.actions()) == leaves
    with pytest.raises(Problem) as caught:
        asyncio.run(release(site, "con_none"))
    assert caught.value.code == "not_found"


def unstorable(tx: Transaction, reference: str) -> None:
    """A caller whose rows the store does not take."""
    raise StoreUnavailable("The disk is full; nothing was written.")


def test_what_cannot_be_stored_is_denied_and_stored_later(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """503 that says so, and an alarm; a repeat denies no second time; with room it is stored, and the alarm closes."""
    monkeypatch.setattr("app.capabilities.burn.containments.service._RETRY_S", 0.01)
    full = True

    def also(tx: Transaction, reference: str) -> None:
        if full:
            unstorable(tx, reference)

    async def main() -> None:
        nonlocal full
        for _ in range(2):
            with pytest.raises(Problem, match="a restart would let it in") as caught:
                await site.burns.contain_with(
                    NODE, cause="brake", seconds=None, message="x", actor=ACTOR, request_id=None, also=also
                )
            assert caught.value.code == "dependency_unavailable"
        assert site.registry.deny.denies_node(NODE) is not None
        assert site.registry.nodes.get(NODE, 0).standing == "SUSPENDED"
        assert [alarm.kind for alarm in site.alarms.open()] == ["containment.not_stored"]
        full = False
        await until(lambda: rows(site) == 2 and not site.alarms.open())
        await site.burns.containments.stop()

    asyncio.run(main())
    assert site.registry.deny.denies_node(NODE) is not None
    (held,) = site.burns.containments.page(ContainmentListQuery()).items
    assert (held.cause, held.until) == ("brake", None)


def test_what_memory_alone_contains_ends_with_its_time(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is denied longer than was asked for, nor by what the store refuses for another reason."""
    monkeypatch.setattr("app.capabilities.burn.containments.service._RETRY_S", 0.01)

    def contained(seconds: float, also: Also) -> Coroutine[object, object, str]:
        return site.burns.contain_with(
            NODE, cause="containment", seconds=seconds, message="x", actor=ACTOR, request_id=None, also=also
        )

    async def main() -> None:
        with pytest.raises(Problem):
            await contained(3.0, unstorable)
        assert site.registry.deny.denies_node(NODE) is not None
        await until(lambda: site.registry.deny.denies_node(NODE) is None and not site.alarms.open())
        fails = [StoreUnavailable("full"), LookupError("refused")]

        def also(tx: Transaction, reference: str) -> None:
            raise fails.pop(0)

        with pytest.raises(Problem):
            await contained(600.0, also)
        await until(lambda: site.registry.deny.denies_node(NODE) is None and not site.alarms.open())

    asyncio.run(main())
    assert rows(site) == 0


def test_pages_and_filters(site: DoorSite) -> None:
    """Newest first, over pages; by node, cause and state; a foreign cursor is refused."""

    async def main() -> list[str]:
        ids = [(await contain(site, f"ARC-{number}")).containment_id for number in range(5)]
        await release(site, ids[0])
        await brake(site, "ARC-3")
        return ids

    ids = asyncio.run(main())
    page = site.burns.containments.page
    first = page(ContainmentListQuery(limit=3, cause="containment"))
    rest = page(ContainmentListQuery(limit=3, cause="containment", cursor=first.next))
    assert [item.containment_id for item in (*first.items, *rest.items)] == ids[:0:-1]
    assert rest.next is None
    assert [item.cause for item in page(ContainmentListQuery(node_id="ARC-3")).items] == ["brake", "containment"]
    assert [item.containment_id for item in page(ContainmentListQuery(state="released")).items] == ids[:1]
    with pytest.raises(BadCursor):
        page(ContainmentListQuery(limit=3, cursor=first.next))


def test_of_many_at_once_one_is_made(site: DoorSite) -> None:
    """Ten operators contain one node: one containment, one denial."""

    async def main() -> set[str]:
        return {held.containment_id for held in await asyncio.gather(*(contain(site) for _ in range(10)))}

    assert len(asyncio.run(main())) == 1
    assert rows(site) == 2
