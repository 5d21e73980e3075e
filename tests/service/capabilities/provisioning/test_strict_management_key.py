"""A site that takes no 3DES key, and cards that come with one: tried first of all writes, refused once, finished after
any tear."""

import asyncio
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import msgspec
import pytest

from app.capabilities.provisioning.stock.messages import Declared1403, ElementBody
from app.capabilities.provisioning.stock.policy import FipsPolicy
from app.capabilities.provisioning.write.card_records import refused_keys
from hardware.cards.fips import AcceptancePolicy
from hardware.cards.software import SIMPLE_CARD, Quirks, SoftwareCard, TearPoint
from hardware.cards.software.attestation import TrainingMaker
from tests.service.capabilities.provisioning.card_desk import ACTOR, NAMELESS, READER, CardTable, Desk, PulledCard

LEVEL_2 = Declared1403(certificate="5291", level=2, physical=3)
CIPHERS = {"cipher AES_128", "cipher AES_192", "cipher AES_256"}


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A production site that takes the officer's word for a validation, and no 3DES key."""
    made = Desk(tmp_path_factory.mktemp("strict") / "site", "production")
    made.site = dataclasses.replace(
        made.site, settings=msgspec.structs.replace(made.site.settings, minimum_evidence="declared")
    )
    yield made
    made.close()


async def uid_of(table: CardTable) -> str:
    """The name by which the card in the reader is known."""
    return str((await table.service.cards()).items[0].hardware_uid)


def test_a_3des_only_card_is_refused_as_it_came_and_once(office: Desk, tmp_path: Path) -> None:
    """Not one byte of it changes, its stock row says why, and the next call sends it nothing."""
    path = tmp_path / "card.json"
    card = SoftwareCard(path, quirks=SIMPLE_CARD)

    async def main() -> None:
        node = office.node()
        async with office.running({READER: card}) as table:
            uid = await uid_of(table)
            await table.service.stock.put(uid, ElementBody(product="Card", validation=LEVEL_2), actor=ACTOR)
            came = path.read_bytes()
            problem = await table.refused(node, uid)
            assert (problem.code, problem.status) == ("state_conflict", 409)
            assert "management_key" in problem.detail
            assert path.read_bytes() == came
            first = str(problem.extra["provision_id"])
            assert {step.step for step in office.steps(first)} == {"management_key"}
            with office.store.read() as connection:
                assert refused_keys(connection, [first]) == CIPHERS
            element = table.service.stock.get(uid, 0)
            assert (element.state, element.provision_id) == ("quarantined", first)
            assert "management_key" in (element.detail or "")
            rows = office.count()
            assert "quarantined" in (await table.refused(node, uid)).detail
            # An officer who releases it changes nothing of the card.
            body = ElementBody(product="Card", validation=LEVEL_2, state="in_stock")
            await table.service.stock.put(uid, body, actor=ACTOR)
            again = await table.refused(office.node(), uid)
            assert again.extra == {"provision_id": first}
            assert "accept_weak_management_key" in again.detail
            element = table.service.stock.get(uid, 0)
            assert (element.state, element.detail) == ("quarantined", again.detail)
            assert "accept_weak_management_key" in (await table.refused(node, uid)).detail
            assert (office.count(), path.read_bytes()) == (rows, came)
        kept = office.site
        office.site = dataclasses.replace(
            kept, settings=msgspec.structs.replace(kept.settings, accept_weak_management_key=True)
        )
        try:
            async with office.running({READER: card}) as table:
                await table.service.stock.put(uid, body, actor=ACTOR)
                assert (await table.done(node, uid)).weak_management_key
                assert table.service.stock.get(uid, 0).state == "issued"
        finally:
            office.site = kept

    asyncio.run(main())


def test_a_refusal_after_the_chuid_finds_the_stock_row_of_the_old_guid(office: Desk) -> None:
    """The element is known by the GUID that it came with; the card has the site's when it is refused."""
    quirks = dataclasses.replace(SIMPLE_CARD, management_algorithms=(0x0C,), refusals={0x2C: 0x6F00, 0xF7: 0x6A86})

    async def main() -> None:
        node = office.node()
        async with office.running({READER: SoftwareCard(quirks=quirks)}) as table:
            uid = await uid_of(table)
            await table.service.stock.put(uid, ElementBody(product="Card", validation=LEVEL_2), actor=ACTOR)
            problem = await table.refused(node, uid)
            assert "pin" in problem.detail
            assert await uid_of(table) != uid
            element = table.service.stock.get(uid, 0)
            assert (element.state, element.detail) == ("quarantined", problem.detail)
            # What stopped it was not its key: that is not remembered.
            with office.store.read() as connection:
                assert refused_keys(connection, [str(problem.extra["provision_id"])]) == set()

    asyncio.run(main())


@pytest.mark.parametrize("sw", [0x6982, 0x6F00])
def test_a_passing_refusal_is_not_remembered(office: Desk, sw: int) -> None:
    """Neither says that the card takes no AES: released, it is tried again."""

    async def main() -> None:
        node = office.node()
        serial = 8800 + (sw & 0xFF)
        card = SoftwareCard(serial=serial, quirks=Quirks(refusals={0xFF: sw}))
        async with office.running({READER: card}) as table:
            body = ElementBody(product="Card", validation=LEVEL_2, state="in_stock")
            await table.service.stock.put(str(serial), body, actor=ACTOR)
            first = await table.refused(node, str(serial))
            await table.service.stock.put(str(serial), body, actor=ACTOR)
            second = await table.refused(node, str(serial))
            assert first.extra != second.extra

    asyncio.run(main())


def test_a_card_that_the_gate_refused_is_written_when_the_demand_is_met(office: Desk) -> None:
    """Its factory key is back on it, although the card calls it changed; the site knows that it put it there."""

    async def main() -> None:
        node, maker = office.node(), TrainingMaker.create()
        card = SoftwareCard(serial=4, maker=maker)
        asked = FipsPolicy(FipsPolicy.open(office.site).modules, [maker.certificate], AcceptancePolicy("attested"))
        async with office.running({READER: card}, fips=asked) as table:
            problem = await table.refused(node, "4")
            assert problem.code == "fips_not_met"
            steps = [step.step for step in office.steps(str(problem.extra["provision_id"]))]
            assert (steps[0], steps[-1]) == ("management_key", "management_key.restore")
        lenient = FipsPolicy(asked.modules, None, AcceptancePolicy("declared"))
        async with office.running({READER: card}, fips=lenient) as table:
            await table.service.stock.put("4", ElementBody(product="Card", validation=LEVEL_2), actor=ACTOR)
            assert (await table.done(node, "4")).state == "COMPLETE"

    asyncio.run(main())


NAMED = dataclasses.replace(NAMELESS, factory_chuid=True)


@pytest.mark.parametrize("quirks", [NAMELESS, NAMED], ids=["nameless", "factory-guid"])
@pytest.mark.parametrize("point", [TearPoint.BEFORE, TearPoint.AFTER])
@pytest.mark.parametrize("ins", [0xFF, 0xDB], ids=["key", "chuid"])
def test_a_card_torn_around_its_first_writes_is_finished(
    office: Desk, quirks: Quirks, point: TearPoint, ins: int
) -> None:
    """Pulled while its 9B or its CHUID is written: the next call finds the key, and finishes the same record."""

    async def main() -> None:
        node = office.node()
        card = PulledCard(SoftwareCard(quirks=quirks))
        # Only the elements' validation is taken on trust, as on a training site; 3DES keys are not.
        policy = FipsPolicy(FipsPolicy.open(office.site).modules, None, AcceptancePolicy(training=True))
        async with office.running({READER: card}, fips=policy) as table:
            uid = f"reader:{READER}"
            # A command with data changes the card; the probe of the instruction has none.
            card.arm(lambda _, apdu: apdu[1] == ins and len(apdu) > 5, after=point is TearPoint.AFTER)
            torn = await table.refused(node, uid)
            assert card.pulled
            reply = await table.done(node, uid)
            assert reply.provision_id == torn.extra["provision_id"]
            assert UUID(reply.card_guid)

    asyncio.run(main())
