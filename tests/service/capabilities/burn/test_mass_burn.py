"""A list of nodes is burned by two keys: all denied first, then each by a burn of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.api.problems import Problem
from app.approvals.messages import ApprovalBody
from app.capabilities.burn.commit import EXECUTED
from app.capabilities.burn.mass import BEGUN, MOST
from app.capabilities.burn.messages import MassBurn
from app.store.errors import StoreUnavailable
from app.store.reserve import Reserve
from tests.door_site import DoorSite, door_site, until

ONE, TWO = "key-one", "key-two"
NODES = [f"ARC-{number}" for number in range(5)]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DoorSite]:
    """A site with five persons and two doors."""
    with door_site(tmp_path / "site") as made:
        made.cluster("east", 2)
        for node_id in NODES:
            made.person(node_id)
        yield made


async def approved(site: DoorSite, nodes: list[str] = NODES) -> str:
    """Asked for by one key, agreed to by another."""
    body = ApprovalBody(kind="mass_burn", subjects=nodes, reason="the plant was sold")
    approval, _ = await site.approvals.request(body, actor=ONE)
    await site.approvals.approve(approval.approval_id, actor=TWO)
    return approval.approval_id


async def burned(site: DoorSite, approval_id: str, wait_s: float | None = None) -> MassBurn:
    """The call."""
    return await site.mass.burn(approval_id, actor=ONE, request_id="req_1", wait_s=wait_s)


def denied(site: DoorSite) -> list[bool]:
    """Of each node."""
    return [site.registry.deny.denies_node(node_id) is not None for node_id in NODES]


async def refusal(site: DoorSite, approval_id: str) -> str:
    """The code of a call that must be refused."""
    with pytest.raises(Problem) as caught:
        await burned(site, approval_id)
    return caught.value.code


def test_every_node_of_the_list_is_burned(site: DoorSite) -> None:
    """Each has a burn of its own with the approval's reason; the same call again changes nothing."""

    async def main() -> None:
        async with site.running():
            await site.secure(2)
            approval_id = await approved(site)
            reply = await burned(site, approval_id, 20.0)
            assert (reply.state, [part.node_id for part in reply.burns]) == ("COMPLETE", NODES)
            for part in reply.burns:
                burn = site.burns.get(part.burn_id)
                assert (burn.node_id, burn.reason, burn.scope) == (
                    part.node_id,
                    "the plant was sold",
                    "GLOBAL_REVOCATION",
                )
            assert await burned(site, approval_id) == reply

    asyncio.run(main())
    assert site.actions().count(EXECUTED) == 5
    assert site.actions().count(BEGUN) == 1
    assert denied(site) == [True] * 5


def test_all_are_denied_before_the_first_is_burned(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """While burns cannot be made, every node of the stored list is denied, in memory and on the disk."""

    async def away(*_: object, **__: object) -> str:
        raise StoreUnavailable("The disk is full; nothing was written.")

    async def main() -> str:
        approval_id = await approved(site)
        monkeypatch.setattr(site.burns, "burn_with", away)
        reply = await burned(site, approval_id, 0.0)
        assert {part.state for part in reply.burns} == {"PENDING"}
        await site.mass.stop()
        return approval_id

    approval_id = asyncio.run(main())
    assert denied(site) == [True] * 5
    monkeypatch.undo()

    async def go_on() -> None:
        async with site.running():
            await site.secure(2)
            await until(lambda: site.actions().count(EXECUTED) == 5)
            assert (await burned(site, approval_id, 20.0)).state == "COMPLETE"

    asyncio.run(go_on())


def test_a_node_that_is_burned_keeps_its_burn(site: DoorSite) -> None:
    """The list names the burn that there is."""

    async def main() -> None:
        async with site.running():
            first = await site.burn(NODES[2], wait_s=0.0)
            reply = await burned(site, await approved(site))
            assert reply.burns[2].burn_id == first.burn_id

    asyncio.run(main())
    assert site.actions().count(EXECUTED) == 5


def test_what_contained_the_nodes_is_over(site: DoorSite) -> None:
    """What the brake holds is burned straight from its list."""

    def nothing(*_: object) -> None:
        pass

    async def main() -> None:
        async with site.running():
            held = [
                await site.burns.contain_with(
                    NODES[0], cause="brake", seconds=None, message="x", actor="hr", request_id=None, also=nothing
                ),
                await site.burns.queue_with(NODES[1], message="x", actor="hr", request_id=None, also=nothing),
            ]
            reply = await burned(site, await approved(site, NODES[:2]))
            over = [site.burns.containments.get(containment_id) for containment_id in held]
            assert [(one.state, one.burn_id) for one in over] == [("burned", part.burn_id) for part in reply.burns]

    asyncio.run(main())


def test_without_an_approval_that_holds_nobody_is_denied(site: DoorSite) -> None:
    """Pending, of another kind, or none such: refused, and every door is as it was."""

    async def main() -> None:
        body = ApprovalBody(kind="mass_burn", subjects=NODES, reason="x")
        pending, _ = await site.approvals.request(body, actor=ONE)
        other = await site.burn("ARC-9", wait_s=0.0)
        lift, _ = await site.approvals.request(
            ApprovalBody(kind="lift", subjects=[other.burn_id], reason="x"), actor=ONE
        )
        codes = [await refusal(site, named) for named in (pending.approval_id, lift.approval_id, "apr_0")]
        assert codes == ["state_conflict", "state_conflict", "not_found"]

    asyncio.run(main())
    assert denied(site) == [False] * 5


def test_a_refused_list_takes_no_other_denial_away(site: DoorSite) -> None:
    """Who is burned or contained stays denied."""

    async def main() -> None:
        await site.burn(NODES[0], wait_s=0.0)
        body = ApprovalBody(kind="mass_burn", subjects=NODES, reason="x")
        pending, _ = await site.approvals.request(body, actor=ONE)
        await refusal(site, pending.approval_id)

    asyncio.run(main())
    assert denied(site) == [True, False, False, False, False]


def test_the_list_may_be_asked_for_in_any_order(site: DoorSite) -> None:
    """The same nodes are the same approval; it names how many and some of them."""

    async def main() -> None:
        first, made = await site.approvals.request(
            ApprovalBody(kind="mass_burn", subjects=[*NODES, "ARC-X"], reason="x"), actor=ONE
        )
        again, made_again = await site.approvals.request(
            ApprovalBody(kind="mass_burn", subjects=["ARC-X", *reversed(NODES)], reason="x"), actor=TWO
        )
        assert (first.approval_id, made, made_again) == (again.approval_id, True, False)
        assert (first.node_id, first.provision_id, len(first.subjects)) == (None, None, 6)
        (alarm,) = site.alarms.open()
        assert "Burn of 6 nodes, 1 of them not registered (ARC-0, ARC-1" in alarm.text

    asyncio.run(main())


@pytest.mark.parametrize(
    "subjects", [[], ["a b c"], ["ARC-1", ""], [f"ARC-{number}" for number in range(MOST + 1)]], ids=len
)
def test_what_is_no_list_of_nodes_is_not_asked_for(site: DoorSite, subjects: list[str]) -> None:
    """422 for none, too many, or what no node can be called."""

    async def main() -> str:
        with pytest.raises(Problem) as caught:
            await site.approvals.request(ApprovalBody(kind="mass_burn", subjects=subjects, reason="x"), actor=ONE)
        return caught.value.code

    assert asyncio.run(main()) == "invalid_body"


def test_a_list_that_cannot_be_stored_waits_as_burns(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every node is denied and kept, the caller is told so each time; with room the burns and the list are stored."""
    run = site.store.writer.run
    full = False

    async def away(*args: Any, **options: Any) -> Any:
        if full and options.get("urgent"):
            raise StoreUnavailable("The disk is full; nothing was written.")
        return await run(*args, **options)

    async def main() -> None:
        nonlocal full
        async with site.running():
            approval_id = await approved(site)
            monkeypatch.setattr(site.store.writer, "run", away)
            full = True
            first = await burned(site, approval_id, 0.0)
            again = await burned(site, approval_id, 0.0)
            assert first.burns == again.burns
            assert (first.state, first.reason) == ("PARTIAL", "the plant was sold")
            assert {part.state for part in first.burns} == {"PENDING"}
            assert [site.burns.get(part.burn_id).stored for part in first.burns] == [False] * 5
            assert denied(site) == [True] * 5
            with monkeypatch.context() as patch:
                patch.setattr(Reserve, "keep", unkept)
                other = await approved(site, ["ARC-90", NODES[0]])
                with pytest.raises(Problem, match="1 of 2 nodes are denied in memory alone"):
                    await burned(site, other, 0.0)
            full = False
            await until(lambda: site.actions().count(EXECUTED) == 6 and site.actions().count(BEGUN) == 1)
            await until(lambda: site.burns.trouble() is None)
            done = await burned(site, approval_id, 20.0)
            assert [part.burn_id for part in done.burns] == [part.burn_id for part in first.burns]

    asyncio.run(main())
    assert site.actions().count(EXECUTED) == 6


def unkept(*_: object) -> int:
    """A reserve that takes nothing."""
    raise StoreUnavailable("No space left on device.")


def test_a_list_without_its_second_key_denies_nobody(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk, too, an approval that does not hold is refused, and its nodes are as they were."""

    async def away(*_: object, **__: object) -> str:
        raise StoreUnavailable("The disk is full; nothing was written.")

    async def main() -> None:
        async with site.running():
            body = ApprovalBody(kind="mass_burn", subjects=NODES, reason="the plant was sold")
            asked, _ = await site.approvals.request(body, actor=ONE)
            with monkeypatch.context() as patch:
                patch.setattr(site.store.writer, "run", away)
                with pytest.raises(Problem) as caught:
                    await burned(site, asked.approval_id, 0.0)
            assert caught.value.code == "state_conflict"

    asyncio.run(main())
    assert denied(site) == [False] * 5
