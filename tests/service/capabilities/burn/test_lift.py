"""Un-burn: two Citadel keys, and even then nothing that the node held opens anything again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api.problems import Problem
from app.approvals.messages import ApprovalBody
from app.capabilities.burn.lift import LIFTED
from app.capabilities.burn.messages import Burn, BurnBody, BurnEvent
from app.registry.messages.profiles import CredentialBody, CredentialProfileBody
from app.registry.standing import STANDING_CHANGE
from app.store.errors import StoreUnavailable
from app.store.writer import Transaction
from tests.door_site import ACTOR, DoorSite, door_site, until

NODE = "ARC-1"
NEW_CARD = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
ONE, TWO = "key-one", "key-two"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DoorSite]:
    """A site with two doors and a person whose badge opens them."""
    with door_site(tmp_path / "site") as made:
        made.cluster("east", 2)
        made.person(NODE, clusters=["east"])
        yield made


async def approved(site: DoorSite, burn_id: str) -> str:
    """Asked for by one key, agreed to by another."""
    body = ApprovalBody(kind="lift", subjects=[burn_id], reason="the wrong twin")
    approval, _ = await site.approvals.request(body, actor=ONE)
    await site.approvals.approve(approval.approval_id, actor=TWO)
    return approval.approval_id


async def lift(site: DoorSite, burn_id: str) -> Burn:
    """By the key that asked."""
    return await site.burns.lift(burn_id, await approved(site, burn_id), actor=ONE, request_id="req_1")


def standing(site: DoorSite) -> str:
    """As everybody sees it now."""
    with site.store.read() as connection:
        return site.registry.require_node(connection, NODE).standing


def new_badge(site: DoorSite) -> None:
    """The person's profile names another card."""
    body = CredentialProfileBody(
        node_id=NODE, credentials=[CredentialBody(format="piv-guid", card_guid=NEW_CARD)], clusters=["east"]
    )
    site.write(lambda tx: site.registry.profiles.put_in(tx, f"badge-{NODE}", body, ACTOR))


def checked(site: DoorSite) -> None:
    """A live check of the person succeeds."""
    site.write(lambda tx: site.registry.standing.record(tx, node_id=NODE, kind="palm", ref="again"))


def test_only_a_new_check_and_a_new_card_open_a_door_again(site: DoorSite) -> None:
    """UNVERIFIED at first; the old card stays denied for ever, the new one opens."""

    async def main() -> None:
        async with site.running():
            await site.secure(2)
            await site.sync(NODE, "east")
            burn = await site.burn(NODE)
            lifted = await lift(site, burn.burn_id)
            assert lifted.lifted_at is not None
            assert standing(site) == "UNVERIFIED"
            with pytest.raises(Problem):
                await site.sync(NODE, "east")
            checked(site)
            assert standing(site) == "VERIFIED_DIGITAL_HUMAN"
            await site.sync(NODE, "east")
            old = await site.credentials.present("east-1", NODE)
            assert (old.decision, old.reason) == ("DENY", "burned")
            await asyncio.to_thread(new_badge, site)
            await site.sync(NODE, "east")
            assert (await site.credentials.present("east-1", NODE)).decision == "GRANT"

    asyncio.run(main())
    assert LIFTED in site.actions()
    told = [event.body for event in site.events if isinstance(event.body, BurnEvent)]
    assert [body.lifted for body in told].count(True) == 1
    assert told[-1].lifted


def test_the_old_card_stays_denied_over_a_restart(tmp_path: Path) -> None:
    """The node is free, what it held is not."""
    with door_site(tmp_path / "site") as site:
        site.cluster("east", 1)
        site.person(NODE, clusters=["east"])

        async def main() -> None:
            await lift(site, (await site.burn(NODE, wait_s=0.0)).burn_id)

        asyncio.run(main())
    with door_site(tmp_path / "site") as site:
        assert site.registry.deny.denies_node(NODE) is None
        with site.store.read() as connection:
            (profile,) = site.registry.profiles.of_node(connection, NODE)
        assert all(site.registry.deny.denies_credential(held) is not None for held in profile.credentials)


def test_open_targets_are_closed_and_nothing_goes_on(site: DoorSite) -> None:
    """Doors that were not reached are closed as lifted, the alarm goes, and a restart takes nothing up."""

    async def main() -> Burn:
        # The readers are not driven: no door is ever proven.
        await site.burns.start()
        try:
            burn = await site.burn(NODE, wait_s=0.0)
            lifted = await lift(site, burn.burn_id)
            assert site.burns._fanout.running == {}
            return lifted
        finally:
            await site.burns.stop()

    lifted = asyncio.run(main())
    assert (lifted.state, lifted.counts) == ("COMPLETE", {"revoked": 1, "closed": 2})
    assert {target.evidence for target in lifted.targets if target.state == "closed"} == {
        f"lifted by {ONE}, approved by {TWO}"
    }
    assert [alarm.kind for alarm in site.alarms.open()] == []


def test_the_standing_stays_while_another_burn_denies(site: DoorSite) -> None:
    """Each burn is lifted by itself."""

    async def main() -> None:
        first = await site.burn(NODE, wait_s=0.0)
        body = BurnBody(node_id=NODE, scope="LOCAL_ONLY", reason="badge lost")
        second = await site.burns.burn(body, actor=ACTOR, wait_s=0.0)
        await lift(site, first.burn_id)
        assert standing(site) == "REVOKED"
        entry = site.registry.deny.denies_node(NODE)
        assert entry is not None
        assert entry.reference == second.burn_id
        await lift(site, second.burn_id)
        assert standing(site) == "UNVERIFIED"

    asyncio.run(main())
    assert site.actions().count(STANDING_CHANGE) == 2


def test_a_lifted_node_is_burned_anew(site: DoorSite) -> None:
    """Another burn with another id; the old one reads as lifted."""

    async def main() -> tuple[Burn, Burn]:
        first = await site.burn(NODE, wait_s=0.0)
        await lift(site, first.burn_id)
        return site.burns.get(first.burn_id), await site.burn(NODE, wait_s=0.0)

    old, new = asyncio.run(main())
    assert old.burn_id != new.burn_id
    assert (old.lifted_at is None, new.lifted_at) == (False, None)
    assert site.registry.deny.denies_node(NODE) is not None


@pytest.mark.parametrize("state", ["pending", "rejected", "other", "unknown"])
def test_without_an_approval_that_holds_nothing_is_lifted(site: DoorSite, state: str) -> None:
    """409, or 404 for an approval that there is not; the node stays burned."""

    async def main() -> str:
        burn = await site.burn(NODE, wait_s=0.0)
        other = await site.burn("ARC-2", wait_s=0.0)
        about = other.burn_id if state == "other" else burn.burn_id
        if state == "other":
            approval_id = await approved(site, about)
        else:
            body = ApprovalBody(kind="lift", subjects=[about], reason="x")
            approval_id = (await site.approvals.request(body, actor=ONE))[0].approval_id
        if state == "rejected":
            await site.approvals.reject(approval_id, actor=TWO)
        with pytest.raises(Problem) as caught:
            await site.burns.lift(burn.burn_id, "apr_0" if state == "unknown" else approval_id, actor=ONE)
        assert site.burns.get(burn.burn_id).lifted_at is None
        return caught.value.code

    assert asyncio.run(main()) == ("not_found" if state == "unknown" else "state_conflict")
    assert site.registry.deny.denies_node(NODE) is not None
    assert standing(site) == "REVOKED"


def test_a_lift_is_asked_for_about_a_burn_that_stands(site: DoorSite) -> None:
    """404 for an unknown burn, 409 for a lifted one, 422 for several."""

    async def main() -> list[str]:
        burn = await site.burn(NODE, wait_s=0.0)
        await lift(site, burn.burn_id)
        codes = []
        for subjects in (["burn_none"], [burn.burn_id], ["burn_1", "burn_2"], []):
            with pytest.raises(Problem) as caught:
                await site.approvals.request(ApprovalBody(kind="lift", subjects=subjects, reason="x"), actor=ONE)
            codes.append(caught.value.code)
        return codes

    assert asyncio.run(main()) == ["not_found", "state_conflict", "invalid_body", "invalid_body"]


def test_a_lift_is_done_once(site: DoorSite) -> None:
    """The same call again gives the lifted burn, and ten at once use one approval."""

    async def main() -> None:
        burn = await site.burn(NODE, wait_s=0.0)
        approval_id = await approved(site, burn.burn_id)
        lifted = await asyncio.gather(*(site.burns.lift(burn.burn_id, approval_id, actor=ONE) for _ in range(10)))
        assert len({one.lifted_at for one in lifted}) == 1
        assert await site.burns.lift(burn.burn_id, approval_id, actor=ONE) == lifted[0]

    asyncio.run(main())
    assert site.actions().count(LIFTED) == 1


@pytest.mark.parametrize("stored", [True, False])
def test_a_burn_that_comes_while_the_old_one_is_lifted_wins(
    site: DoorSite, stored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The node is denied at every moment, and burned at the end, whether or not the lift comes through."""

    async def main() -> None:
        burn = await site.burn(NODE, wait_s=0.0)
        approval_id = await approved(site, burn.burn_id)
        run, reached, go_on = site.store.writer.run, asyncio.Event(), asyncio.Event()

        async def slow(job: object, **options: object) -> object:
            reached.set()
            await go_on.wait()
            if not stored:
                raise StoreUnavailable("The disk is full; nothing was written.")
            return await run(job, **options)  # type: ignore[arg-type]

        with monkeypatch.context() as patch:
            patch.setattr(site.store.writer, "run", slow)
            lifting = asyncio.create_task(site.burns.lift(burn.burn_id, approval_id, actor=ONE))
            await reached.wait()
        again = asyncio.create_task(site.burn(NODE, wait_s=0.0))
        await asyncio.sleep(0)
        forget, denied = site.registry.deny.forget, []

        def watched(*named: object, **options: object) -> None:
            forget(*named, **options)  # type: ignore[arg-type]
            denied.append(site.registry.deny.denies_node(NODE) is not None)

        monkeypatch.setattr(site.registry.deny, "forget", watched)
        go_on.set()
        await asyncio.wait([lifting])
        new = await again
        assert (new.burn_id == burn.burn_id) is not stored
        assert new.lifted_at is None
        assert denied == [True]
        assert site.registry.deny.denies_node(NODE) is not None
        await until(lifting.done)
        assert (lifting.exception() is None) is stored

    asyncio.run(main())


def test_a_refused_burn_that_waited_for_a_lift_denies_nobody(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller takes his burn back: the lifted node is free."""

    def refuse(tx: Transaction, reference: str) -> None:
        raise LookupError(reference)

    async def main() -> None:
        burn = await site.burn(NODE, wait_s=0.0)
        approval_id = await approved(site, burn.burn_id)
        run, reached, go_on = site.store.writer.run, asyncio.Event(), asyncio.Event()

        async def slow(job: object, **options: object) -> object:
            reached.set()
            await go_on.wait()
            return await run(job, **options)  # type: ignore[arg-type]

        with monkeypatch.context() as patch:
            patch.setattr(site.store.writer, "run", slow)
            lifting = asyncio.create_task(site.burns.lift(burn.burn_id, approval_id, actor=ONE))
            await reached.wait()
        asked = site.burns.burn_with(NODE, "discharged", actor="hr", request_id=None, also=refuse)
        refused = asyncio.create_task(asked)
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.wait([lifting, refused])
        assert isinstance(refused.exception(), LookupError)
        assert site.registry.deny.denies_node(NODE) is None

    asyncio.run(main())
