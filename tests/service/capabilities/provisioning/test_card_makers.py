"""Makers that a site pins: by a call, in the log, across restarts; and what a refused demand advises."""

from __future__ import annotations

import asyncio

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from app.api.problems import Problem
from app.capabilities.provisioning.stock import policy as policies
from app.capabilities.provisioning.stock.makers import BY_HAND, PIN, UNPIN, PinnedMakers
from app.capabilities.provisioning.stock.messages import Declared1403, ElementBody
from app.capabilities.provisioning.stock.policy import FipsPolicy
from hardware.cards.attestation import load_makers
from hardware.cards.fips import AcceptancePolicy
from hardware.cards.software import SoftwareCard, TrainingMaker
from tests.service.capabilities.provisioning.card_desk import ACTOR, READER, Desk

YUBICO = "yubico-piv"
LEVEL_1, LEVEL_2 = (Declared1403(certificate="9999", level=level, physical=level) for level in (1, 2))


def pinned(desk: Desk) -> tuple[PinnedMakers, FipsPolicy]:
    """What the site has pinned, as a start reads it."""
    policy = FipsPolicy.open(desk.site)
    return PinnedMakers(desk.site, desk.store, policy), policy


def leaves(desk: Desk, action: str) -> int:
    """How many leaves say so."""
    with desk.store.read() as connection:
        headers = connection.exec_driver_sql("SELECT header FROM audit_entry").scalars()
        return sum(f'"action":"{action}"'.encode() in bytes(header) for header in headers)


def test_a_pin_counts_at_once_and_after_a_restart(desk: Desk) -> None:
    """Three equal calls are one leaf; the end of the pin leaves no file behind."""
    makers, policy = pinned(desk)
    assert policy.makers is None
    assert [item.pinned for item in makers.listing().items] == [False]

    async def main() -> None:
        for _ in range(3):
            assert (await makers.pin(YUBICO, actor=ACTOR, request_id=None)).pinned
        assert leaves(desk, PIN) == 1
        again, reopened = pinned(desk)
        assert reopened.makers == policy.makers
        assert [item.pinned for item in again.listing().items] == [True]
        for _ in range(3):
            assert not (await makers.unpin(YUBICO, actor=ACTOR, request_id=None)).pinned
        assert leaves(desk, UNPIN) == 1
        assert policy.makers is None
        assert not (desk.site.data_dir / policies.MAKERS).exists()

    asyncio.run(main())


def test_what_an_operator_pinned_by_hand_stays_and_is_shown(desk: Desk) -> None:
    """Another maker's root in the file survives a pin and its end."""
    other = TrainingMaker.create().certificate
    path = desk.site.data_dir / policies.MAKERS
    path.write_bytes(other.public_bytes(Encoding.PEM))
    makers, policy = pinned(desk)
    assert [item.maker_id for item in makers.listing().items] == [YUBICO, BY_HAND]

    async def main() -> None:
        await makers.pin(YUBICO, actor=ACTOR, request_id=None)
        assert other in load_makers(path.read_bytes())
        await makers.unpin(YUBICO, actor=ACTOR, request_id=None)
        assert policy.makers == [other]
        assert load_makers(path.read_bytes()) == [other]

    try:
        asyncio.run(main())
    finally:
        path.unlink()


def test_a_full_disk_pins_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """503 with what to do; the policy is as it was, and the same call goes on."""
    makers, policy = pinned(desk)

    def full(*_given: object) -> None:
        raise OSError(28, "No space left on device")

    async def main() -> None:
        with monkeypatch.context() as disk:
            disk.setattr("app.capabilities.provisioning.stock.makers.write_private", full)
            with pytest.raises(Problem, match="Make room") as refused:
                await makers.pin(YUBICO, actor=ACTOR, request_id=None)
            assert refused.value.status == 503
            assert policy.makers is None
        assert (await makers.pin(YUBICO, actor=ACTOR, request_id=None)).pinned
        await makers.unpin(YUBICO, actor=ACTOR, request_id=None)

    asyncio.run(main())


def test_no_other_maker_can_be_named(desk: Desk) -> None:
    """404 for both calls."""
    makers, _ = pinned(desk)
    for change in (makers.pin, makers.unpin):
        with pytest.raises(Problem) as refused:
            asyncio.run(change("nobody", actor=ACTOR, request_id=None))
        assert refused.value.code == "not_found"


def test_declared_is_advised_where_it_helps(production: Desk) -> None:
    """Who follows the advice has the card written."""
    policy = FipsPolicy(FipsPolicy.open(production.site).modules, None, AcceptancePolicy("declared"))

    async def main() -> None:
        node = production.node()
        async with production.running({READER: SoftwareCard(serial=21)}, fips=policy) as table:
            assert "declare its validation in the stock" in (await table.refused(node, "21")).detail
            await table.service.stock.put("21", ElementBody(product="Card", validation=LEVEL_2), actor=ACTOR)
            await table.done(node, "21")

    asyncio.run(main())


def test_a_pin_is_advised_where_no_declaration_helps(production: Desk) -> None:
    """By default a declaration does not reach what the site asks for: the advice is another, and goes once followed."""

    async def main() -> None:
        node = production.node()
        async with production.running({READER: SoftwareCard(serial=22)}) as table:
            for declared in (None, LEVEL_2):
                await table.service.stock.put("22", ElementBody(product="Card", validation=declared), actor=ACTOR)
                detail = (await table.refused(node, "22")).detail
                assert "declare its" not in detail
                assert "pin the maker" in detail
            await table.service.makers.pin(YUBICO, actor=ACTOR, request_id=None)
            detail = (await table.refused(node, "22")).detail
            assert "pin the maker" not in detail
            assert "Use another element" in detail
            await table.service.stock.put("22", ElementBody(product="Card", validation=LEVEL_2), actor=ACTOR)

    asyncio.run(main())


def test_what_the_stock_declares_too_low_is_to_be_corrected(production: Desk) -> None:
    """A declared level below the demand."""
    policy = FipsPolicy(FipsPolicy.open(production.site).modules, None, AcceptancePolicy("declared"))

    async def main() -> None:
        node = production.node()
        async with production.running({READER: SoftwareCard(serial=23)}, fips=policy) as table:
            await table.service.stock.put("23", ElementBody(product="Card", validation=LEVEL_1), actor=ACTOR)
            assert "correct its declaration" in (await table.refused(node, "23")).detail
            await table.service.stock.put("23", ElementBody(product="Card", validation=LEVEL_2), actor=ACTOR)
            await table.done(node, "23")

    asyncio.run(main())


@pytest.mark.parametrize("listed", [True, False], ids=["in the module table", "declared alone"])
def test_a_written_card_is_judged_by_each_calls_demand(production: Desk, listed: bool) -> None:
    """The same or an easier demand gets the stored reply with its verdict; a harder one is 422, and audited."""
    policy = FipsPolicy(FipsPolicy.open(production.site).modules, None, AcceptancePolicy("declared"))

    async def main() -> None:
        node = production.node()
        module = next(row for row in policy.modules if row.standard == "FIPS 140-3")
        assert module.level is not None
        declared = Declared1403(
            certificate=module.certificate if listed else "9999", level=module.level, physical=module.physical or 1
        )
        async with production.running({READER: SoftwareCard(serial=24)}, fips=policy) as table:
            await table.service.stock.put("24", ElementBody(product="Card", validation=declared), actor=ACTOR)
            first = await table.done(node, "24")
            for easier in ("FIPS 140-3 Level 1", "140-3"):
                reply, status = await table.call(node, "24", easier)
                assert (status, reply.provision_id, reply.fips.verdict) == (200, first.provision_id, "MET")
            for _ in range(3):
                problem = await table.refused(node, "24", "FIPS 140-3 Level 4")
                assert (problem.code, problem.status) == ("fips_not_met", 422)
                assert problem.extra["provision_id"] == first.provision_id
                said = problem.extra["fips"]
                assert isinstance(said, dict)
                assert (said["required"], said["verdict"]) == ("FIPS 140-3 Level 4", "NOT_MET")
            assert leaves(production, "provisioning.refuse") == 3
            await table.remove()
            assert (await table.refused(node, "24", "FIPS 140-3 Level 4")).code == "fips_not_met"

    asyncio.run(main())
