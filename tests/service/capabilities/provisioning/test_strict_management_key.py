"""A site that takes no 3DES key, and cards that come with one: tried first of all writes, refused once, finished after
any tear."""

import asyncio
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import msgspec
import pytest

from app.capabilities.provisioning.stock.messages import ChannelKeySet, Declared1403, ElementBody, Transport
from app.capabilities.provisioning.stock.policy import FipsPolicy
from app.capabilities.provisioning.write.card_records import refused_keys
from hardware.cards.fips import AcceptancePolicy
from hardware.cards.software import ISSUER_KEYED_CARD, SIMPLE_CARD, Quirks, SoftwareCard, TearPoint
from hardware.cards.software.attestation import TrainingMaker
from tests.service.capabilities.provisioning.card_desk import (
    ACTOR,
    NAMELESS,
    READER,
    WRITER,
    CardTable,
    Desk,
    PulledCard,
    pin_on,
)

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


CHANNEL = Transport(scp03=ChannelKeySet(keys=bytes(range(0x40, 0x50)).hex() * 3))
"""The set with which the software card's maker leaves it."""
OTHER_MODULE = Declared1403(certificate="9999", level=2, physical=3)
"""A validation that the module table does not have: nothing says how its 9B is set."""


async def declared(table: CardTable, transport: Transport | None = CHANNEL) -> str:
    """The card in the reader, in the stock with these transport keys; its name."""
    uid = await uid_of(table)
    body = ElementBody(product="Card", validation=OTHER_MODULE, transport=transport, state="in_stock")
    await table.service.stock.put(uid, body, actor=ACTOR)
    return uid


def is_keyed(card: SoftwareCard, desk: Desk, guid: str | None) -> bool:
    """Whether the card's 9B is the site's of this GUID."""
    management = card._state.management
    return management.key == desk.master.secrets_for(UUID(guid or ""), pin="").management_key


def test_a_card_that_its_issuer_keys_gets_its_key_over_the_secure_channel(office: Desk) -> None:
    """CHANGE REFERENCE DATA of 9B, protected; nothing of Yubico's; PIN and PUK are drawn anew by the card's rule."""
    soft = SoftwareCard(quirks=ISSUER_KEYED_CARD)
    card = PulledCard(soft)

    async def main() -> None:
        node = office.node()
        async with office.running({READER: card}) as table:
            uid = await declared(table)
            made = await table.done(node, uid)
            assert is_keyed(soft, office, made.card_guid)
            set_by = [apdu for apdu in card.sent if (apdu[1], apdu[3]) == (0x24, 0x9B)]
            assert [(apdu[0], apdu[2]) for apdu in set_by] == [(0x04, 0x0C)]
            assert not [apdu for apdu in card.sent if apdu[1] == 0xFF and apdu[0] != 0xFF and len(apdu) > 4]
            names = {row.step for row in office.steps(made.provision_id)}
            assert {"pin.2", "puk.2", "management_key"} <= names
            mailer = await table.service.mailers.pin_mailer(made.provision_id, caller=WRITER, request_id="req_test")
            assert soft._state.pin.matches(pin_on(mailer).encode())
            assert (soft._state.pin.tries, soft._state.puk.tries) == (3, 3)

    asyncio.run(main())


def test_the_row_of_a_module_decides_how_its_key_is_set(office: Desk) -> None:
    """Declared as a YubiKey it is taken for one: the table's command is asked for, the card is refused untouched."""
    card = PulledCard(SoftwareCard(quirks=ISSUER_KEYED_CARD))

    async def main() -> None:
        async with office.running({READER: card}) as table:
            uid = await uid_of(table)
            body = ElementBody(product="Card", validation=LEVEL_2, transport=CHANNEL, state="in_stock")
            await table.service.stock.put(uid, body, actor=ACTOR)
            problem = await table.refused(office.node(), uid)
            assert "management_key" in problem.detail
            assert not office.steps(str(problem.extra["provision_id"]))
            assert not [apdu for apdu in card.sent if apdu[1] in (0x24, 0xDB)]

    asyncio.run(main())


def test_without_the_channels_keys_the_card_stays_as_it_came(office: Desk, tmp_path: Path) -> None:
    """Refused before any write with what is missing; with the keys in its stock row the same call finishes it."""
    path = tmp_path / "card.json"
    card = SoftwareCard(path, quirks=ISSUER_KEYED_CARD)

    async def main() -> None:
        node = office.node()
        async with office.running({READER: card}) as table:
            uid = await declared(table, None)
            came = path.read_bytes()
            for _ in range(3):
                problem = await table.refused(node, uid)
                assert (problem.code, problem.status) == ("card_locked", 423)
                assert "scp03" in problem.detail
                assert path.read_bytes() == came
                await declared(table, None)
            await declared(table)
            assert (await table.done(node, uid)).state == "COMPLETE"

    asyncio.run(main())


def test_a_card_whose_key_has_one_cipher_for_ever_is_refused_as_it_came(office: Desk, tmp_path: Path) -> None:
    """It has a 3DES key and takes none of AES (6A88): told by the first write, which it refuses."""
    path = tmp_path / "card.json"
    quirks = dataclasses.replace(ISSUER_KEYED_CARD, factory_management=0x03)
    card = SoftwareCard(path, quirks=quirks)

    async def main() -> None:
        node = office.node()
        async with office.running({READER: card}) as table:
            uid = await declared(table)
            came = path.read_bytes()
            problem = await table.refused(node, uid)
            assert "management_key" in problem.detail
            assert "6A88" in problem.detail
            assert path.read_bytes() == came

    asyncio.run(main())


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    "at", [(0x24, 0x9B, 1), (0x2C, 0x80, 2), (0x24, 0x81, 2), (0x50, 0x00, 1)], ids=["9b", "pin", "puk", "channel"]
)
def test_an_issuer_keyed_card_torn_anywhere_is_finished(office: Desk, at: tuple[int, int, int], after: bool) -> None:
    """Pulled at its 9B, at the second draw of PIN and PUK, at the channel's handshake: the next call finds its keys."""
    ins, reference, number = at
    soft = SoftwareCard(quirks=ISSUER_KEYED_CARD)
    card = PulledCard(soft)

    async def main() -> None:
        node = office.node()
        async with office.running({READER: card}) as table:
            uid = await declared(table)
            seen = iter(range(1, 99))
            card.arm(lambda _, apdu: (apdu[1], apdu[3]) == (ins, reference) and next(seen) == number, after=after)
            torn = await table.refused(node, uid)
            assert card.pulled
            made = await table.done(node, uid)
            assert made.provision_id == torn.extra["provision_id"]
            assert is_keyed(soft, office, made.card_guid)
            assert (soft._state.pin.tries, soft._state.puk.tries) == (3, 3)

    asyncio.run(main())
