"""Cards pulled, readers unplugged, disks full, services killed: the next call finishes the card or says why not."""

import asyncio
import contextlib
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import update

from app.capabilities.provisioning.readers.card_readers import ReaderFamily
from app.capabilities.provisioning.tables import provision
from app.capabilities.provisioning.write.journal import secret_holders
from hardware.cards.apdu import ApduChannel
from hardware.cards.inprocess import InProcessBackend, InsertableCard
from hardware.cards.piv import ManagementAlgorithm, ManagementKey, PivObject, PivSession
from hardware.cards.software import SELF_ATTESTING_CARD, SIMPLE_CARD, Quirks, SoftwareCard, Tear, TearPoint
from tests.service.capabilities.provisioning.card_desk import FIPS, NAMELESS, READER, SECOND, CardTable, Desk, GatedCard

FULL_ORDER = 39
REPRESENTATIVE = (1, 4, 6, 8, 9, 12, 13, 14, 15, 21, 22, 23, 24, 25, 38)
"""Before anything, around CHUID, keys, PIN, PUK, first and last certificate, security object and 9B, in the proof."""
SHORT = Quirks(longest_command=261, keeps_partial_chain=True)


async def tear(table: CardTable, node: str, card: SoftwareCard, switch: Tear, uid: str = f"reader:{READER}") -> str:
    """A call in which the card is pulled out; the provisioning it leaves."""
    # The identification of what was before must not set the switch off.
    await table.service.readers.settle()
    before = table.changes()
    card.arm(switch)
    problem = await table.refused(node, uid)
    card.arm(None)
    await table.noticed(before)
    assert (problem.code, problem.status) == ("state_conflict", 409)
    provision_id = str(problem.extra["provision_id"])
    assert table.service.records.get(provision_id).state == "TORN"
    assert table.desk.certificates(provision_id, live=True) == []
    return provision_id


def opened(table: CardTable, reader: str = READER) -> contextlib.AbstractContextManager[PivSession]:
    """A session with the card in the reader."""

    @contextlib.contextmanager
    def session() -> Iterator[PivSession]:
        with table.backend.open(reader) as connection:
            piv = PivSession(ApduChannel(connection))
            piv.select()
            yield piv

    return session()


def assert_secrets_are_ours(table: CardTable, provision_id: str, tries: int | None = 3) -> None:
    """PIN, PUK and management key are those of the record, the factory's are gone, and no PIN try was lost."""
    row = table.desk.rows(provision_id)
    pin = table.desk.store.sealer.open("provision.pin", row.pin, f"provision.pin|{provision_id}".encode()).decode()
    made = table.desk.master.secrets_for(UUID(row.card_guid), pin=pin)
    with table.desk.store.read() as connection:
        for step in ("pin", "puk", "management_key"):
            assert secret_holders(connection, UUID(row.card_guid), step)[0] == UUID(row.card_guid)  # type: ignore[arg-type]
    with opened(table) as piv:
        assert piv.pin_tries() == tries
        piv.verify(pin)
        piv.reset_pin(made.puk, pin)


@pytest.mark.parametrize("apdu", REPRESENTATIVE)
@pytest.mark.parametrize("point", [TearPoint.BEFORE, TearPoint.AFTER])
def test_the_same_call_finishes_a_pulled_card(desk: Desk, apdu: int, point: TearPoint) -> None:
    """Pulled before or after an APDU: 409 with the provisioning, and the same call completes that provisioning."""

    async def main() -> None:
        node = desk.node()
        card = SoftwareCard(serial=(1000 if point is TearPoint.BEFORE else 1500) + apdu)
        async with desk.running({READER: card}) as table:
            torn = await tear(table, node, card, Tear(apdu, point))
            reply = await table.done(node)
            assert reply.provision_id == torn
            assert desk.rows(torn).attempt == 2
            assert len(desk.certificates(torn, live=True)) == 4
            assert_secrets_are_ours(table, torn)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("quirks", "tries"),
    [
        (SIMPLE_CARD, 3),
        (SELF_ATTESTING_CARD, 5),
        (SHORT, 3),
        (NAMELESS, 3),
        (dataclasses.replace(NAMELESS, longest_command=261, keeps_partial_chain=True), 3),
        (Quirks(refusals={0x2C: 0x6D00}), None),
    ],
    ids=["simple", "self-attesting", "short", "nameless", "nameless-short", "no-reset"],
)
def test_odd_cards_are_finished_too(desk: Desk, quirks: Quirks, tries: int | None) -> None:
    """Torn in the PIN's step, then between the blocks of a chain or at the management key: still one record."""

    async def main() -> None:
        node = desk.node()
        card = SoftwareCard(quirks=quirks)
        short = quirks.longest_command == 261
        async with desk.running({READER: card}) as table:
            first = await tear(table, node, card, Tear(30 if short else 19, TearPoint.AFTER))
            second = await tear(table, node, card, Tear(1, TearPoint.BETWEEN) if short else Tear(22, TearPoint.AFTER))
            reply = await table.done(node)
            assert first == second == reply.provision_id
            if tries is not None:
                assert_secrets_are_ours(table, first, tries)

    asyncio.run(main())


@pytest.mark.campaign
@pytest.mark.parametrize(
    "quirks",
    [Quirks(), SIMPLE_CARD, SELF_ATTESTING_CARD, SHORT, NAMELESS, Quirks(refusals={0x2C: 0x6D00})],
    ids=["plain", "simple", "self-attesting", "short", "nameless", "no-reset"],
)
@pytest.mark.parametrize("point", list(TearPoint))
def test_every_tear_is_finished(
    desk: Desk, quirks: Quirks, point: TearPoint, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every single APDU, before, after and inside; and each with a second tear in the next attempt."""
    cases = 0

    async def main() -> None:
        nonlocal cases
        for apdu in range(1, 70):
            for second in (None, 6, 20):
                node = desk.node()
                card = SoftwareCard(quirks=quirks)
                async with desk.running({READER: card}) as table:
                    try:
                        torn = await tear(table, node, card, Tear(apdu, point))
                    except AssertionError as whole:
                        assert "answered 200" in str(whole)  # noqa: PT017 -- the order is shorter than the switch
                        continue
                    if second is not None:
                        with contextlib.suppress(AssertionError):
                            await tear(table, node, card, Tear(second, TearPoint.AFTER))
                    assert (await table.done(node)).provision_id == torn
                    cases += 1

    asyncio.run(main())
    with capsys.disabled():
        print(f" {cases} tears", end="")
    # A card that takes extended APDUs is never sent a chain.
    assert cases or (point is TearPoint.BETWEEN and quirks is not SHORT)


def test_a_card_pulled_by_hand_is_told_and_finished(desk: Desk) -> None:
    """Taken out in the middle: 409 at once; without it the call says to put it back; with it the call completes."""

    async def main() -> None:
        node = desk.node()
        gated = GatedCard(SoftwareCard(serial=2001))
        async with desk.running({READER: gated}) as table:
            gated.arm(14)
            writing = asyncio.create_task(table.refused(node, "2001"))
            await table.reached(gated)
            table.backend.remove(READER)
            gated.open.set()
            torn = (await writing).extra["provision_id"]
            away = await table.refused(node, "2001")
            assert (away.code, away.extra["provision_id"]) == ("state_conflict", torn)
            assert "SAME card" in away.detail
            await table.insert(gated, SECOND)
            assert (await table.done(node, "2001")).provision_id == torn

    asyncio.run(main())


def test_another_card_does_not_finish_a_torn_one(desk: Desk) -> None:
    """Asked by the reader's name with another blank card in it: refused, untouched; by its own name it is its own."""

    async def main() -> None:
        node = desk.node()
        card, other = SoftwareCard(serial=2002), GatedCard(SoftwareCard(serial=2003))
        async with desk.running({READER: card}) as table:
            torn = await tear(table, node, card, Tear(14, TearPoint.AFTER))
            await table.remove()
            await table.insert(other)
            other.arm(1)
            problem = await table.refused(node)
            assert (problem.code, problem.extra["provision_id"]) == ("state_conflict", torn)
            assert other.count == 0
            other.open.set()
            assert (await table.done(node, "2003")).provision_id != torn
            await table.remove()
            await table.insert(card)
            assert (await table.done(node, "2002")).provision_id == torn

    asyncio.run(main())


def test_any_blank_card_takes_up_what_never_began(desk: Desk) -> None:
    """Torn before a card acknowledged anything, the record goes to the next blank card, under a new GUID."""

    async def main() -> None:
        node = desk.node()
        card = SoftwareCard(quirks=NAMELESS)
        async with desk.running({READER: card}) as table:
            torn = await tear(table, node, card, Tear(6, TearPoint.AFTER))
            before = desk.rows(torn).card_guid
            await table.remove()
            await table.insert(SoftwareCard(quirks=NAMELESS))
            reply = await table.done(node)
            assert reply.provision_id == torn
            assert reply.card_guid != before

    asyncio.run(main())


def test_a_torn_card_is_not_another_nodes(desk: Desk) -> None:
    """A half card belongs to the node that it was begun for."""

    async def main() -> None:
        node, other = desk.node(), desk.node()
        card = SoftwareCard(serial=2004)
        async with desk.running({READER: card}) as table:
            await tear(table, node, card, Tear(14, TearPoint.AFTER))
            assert node in (await table.refused(other, "2004")).detail

    asyncio.run(main())


def test_a_finished_card_that_lost_its_certificates_is_written_anew(desk: Desk) -> None:
    """Damaged elsewhere, a card of ours opens to its old secrets even when the second write is torn before its own;
    what the first record issued does not hold any more and its PIN is gone."""

    async def main() -> None:
        node = desk.node()
        card = SoftwareCard(serial=2005)
        async with desk.running({READER: card}) as table:
            first = await table.done(node)
            row = desk.rows(first.provision_id)
            with opened(table) as piv:
                made = desk.master.secrets_for(UUID(row.card_guid), pin="00000000")
                key = ManagementKey(ManagementAlgorithm.AES_256, made.management_key)
                piv.authenticate_management([key])
                for item in (PivObject.CARD_AUTHENTICATION, PivObject.AUTHENTICATION):
                    piv.put_object(item, b"")
            await table.remove()
            await table.insert(card)
            torn = await tear(table, node, card, Tear(9, TearPoint.AFTER))
            assert torn != first.provision_id
            assert await tear(table, node, card, Tear(20, TearPoint.BEFORE)) == torn
            second = await table.done(node)
            assert second.provision_id == torn
            assert_secrets_are_ours(table, torn)
            assert desk.certificates(first.provision_id, live=True) == []
            assert desk.rows(first.provision_id).pin is None

    asyncio.run(main())


def test_an_unplugged_reader_leaves_a_card_to_finish(desk: Desk) -> None:
    """The reader is unplugged and plugged in again while it writes: one record, and nobody else gets the reader."""

    async def main() -> None:
        node = desk.node()
        gated = GatedCard(SoftwareCard(serial=2006))
        async with desk.running({READER: gated}) as table:
            gated.arm(14)
            writing = asyncio.create_task(table.refused(node, "2006"))
            await table.reached(gated)
            table.backend.remove_reader(READER)
            table.backend.add_reader(READER)
            await table.service.readers.wait_for_card(READER, present=False)
            card_reader = table.service.readers.get(READER)
            assert card_reader is not None
            assert card_reader.writing is not None
            gated.open.set()
            problem = await writing
            assert problem.code == "state_conflict"
            await table.insert(gated)
            assert (await table.done(node, "2006")).provision_id == problem.extra["provision_id"]

    asyncio.run(main())


class Filling(GatedCard):
    """A card during whose APDU ``at`` the disk fills up."""

    def __init__(self, desk: Desk, card: SoftwareCard, at: int) -> None:
        super().__init__(card)
        self._desk = desk
        self._fill_at = at

    def transmit(self, apdu: bytes) -> bytes:
        answer = super().transmit(apdu)
        if self.count == self._fill_at:
            fill_disk(self._desk)
        return answer


def fill_disk(desk: Desk) -> None:
    """From now on the store cannot grow, as on a full disk: SQLite itself says so at the next page it needs."""
    desk.write(lambda tx: tx.connection.exec_driver_sql("CREATE TABLE IF NOT EXISTS ballast (b BLOB) STRICT"))
    desk.write(lambda tx: tx.connection.exec_driver_sql("PRAGMA max_page_count = 1").fetchall())
    with contextlib.suppress(Exception):
        while True:
            desk.write(lambda tx: tx.connection.exec_driver_sql("INSERT INTO ballast VALUES (zeroblob(3000))"))


def free_disk(desk: Desk) -> None:
    """There is room again."""
    desk.write(lambda tx: tx.connection.exec_driver_sql("PRAGMA max_page_count = 4294967294").fetchall())
    desk.write(lambda tx: tx.connection.exec_driver_sql("DROP TABLE ballast"))


@pytest.mark.parametrize("at", [10, 36], ids=["journal", "end"])
def test_a_full_disk_is_503_and_the_call_goes_on_later(tmp_path: Path, at: int) -> None:
    """The step that cannot be journalled is not sent; the end that cannot be recorded is not claimed."""
    desk = Desk(tmp_path / "site")

    async def main() -> None:
        node = desk.node()
        card = Filling(desk, SoftwareCard(), 10**9)
        async with desk.running({READER: card}) as table:
            if at < 36:
                # Another card's certificates first: the next ones find no room in the pages that are there.
                await table.insert(SoftwareCard(serial=2009), SECOND)
                await table.done(desk.node(), "2009")
                await table.remove(SECOND)
            card.count, card._fill_at = 0, at
            problem = await table.refused(node)
            assert (problem.code, problem.headers["Retry-After"]) == ("dependency_unavailable", "5")
            torn = str(problem.extra["provision_id"])
            assert table.service.records.get(torn).state == "TORN"
            assert (desk.steps(torn)[-1].step == "management_key") is (at == 36)
            refused = await table.refused(node)
            assert refused.code == "dependency_unavailable"
            free_disk(desk)
            assert (await table.done(node)).provision_id == torn
            assert_secrets_are_ours(table, torn)

    try:
        asyncio.run(main())
    finally:
        desk.close()


@pytest.mark.parametrize("at", [3, 14, 24])
def test_a_restart_in_the_middle_leaves_a_card_to_finish(desk: Desk, at: int) -> None:
    """A process that died while it wrote: the next one calls the record torn, and the same call completes it."""
    gated = GatedCard(SoftwareCard(serial=2100 + at))
    node = desk.node()

    async def die() -> None:
        backend = InProcessBackend([READER])
        service = desk.provisioning(ReaderFamily(backend, simulated=True, service=False))
        table = CardTable(desk, service, backend)
        await service.start()
        await table.insert(gated)
        gated.arm(at)
        writing = asyncio.create_task(table.done(node))
        await table.reached(gated)
        writing.cancel()
        # The loop ends here with the write in it; its thread finds the card gone.
        backend.remove(READER)
        service.readers._workers.close(0)

    async def resume() -> None:
        async with desk.running({READER: gated.card}) as table:
            torn = desk.rows(lost).provision_id
            assert table.service.records.get(torn).state == "TORN"
            assert (await table.done(node)).provision_id == torn

    asyncio.run(die())
    gated.open.set()
    with desk.store.read() as connection:
        row = connection.execute(provision.select().where(provision.c.node_id == node)).one()
    lost = row.provision_id
    assert row.state == "RUNNING"
    asyncio.run(resume())


def test_a_record_that_says_running_without_a_write_is_torn(desk: Desk) -> None:
    """What nobody writes is not shown as running, in the record, the list and the call."""

    async def main() -> None:
        node = desk.node()
        card = SoftwareCard(serial=2200)
        async with desk.running({READER: card}) as table:
            torn = await tear(table, node, card, Tear(14, TearPoint.AFTER))
            of_it = update(provision).where(provision.c.provision_id == torn)
            desk.write(lambda tx: tx.connection.execute(of_it.values(state="RUNNING")))
            assert table.service.records.get(torn).state == "TORN"
            assert (await table.done(node)).provision_id == torn

    asyncio.run(main())


def test_a_stopping_service_takes_no_card(desk: Desk) -> None:
    """503 with Retry-After, and nothing is begun."""

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: SoftwareCard(serial=2201)}) as table:
            before = desk.count()
            await table.service.stop()
            problem = await table.refused(node)
            assert (problem.code, desk.count()) == ("dependency_unavailable", before)

    asyncio.run(main())


def test_a_stop_waits_for_the_card_that_is_written(desk: Desk) -> None:
    """A graceful stop lets the card be finished; its caller gets the reply."""

    async def main() -> None:
        node = desk.node()
        gated = GatedCard(SoftwareCard(serial=2202))
        async with desk.running({READER: gated}) as table:
            gated.arm(14)
            writing = asyncio.create_task(table.done(node))
            await table.reached(gated)
            stopping = asyncio.create_task(table.service.stop())
            await asyncio.sleep(0)
            assert not stopping.done()
            gated.open.set()
            await stopping
            assert (await writing).state == "COMPLETE"

    asyncio.run(main())


def test_an_answer_that_lies_is_never_a_success(desk: Desk) -> None:
    """A card that reads back another CHUID is not proven: torn, no live check, and the same call with an honest card
    finishes it."""

    class Lying(GatedCard):
        lies = True

        def transmit(self, apdu: bytes) -> bytes:
            answer = super().transmit(apdu)
            if self.lies and self.count > 25 and apdu[1] == 0xCB and bytes.fromhex("5fc102") in apdu:
                return answer[:40] + bytes((answer[40] ^ 1,)) + answer[41:]
            return answer

    async def main() -> None:
        node = desk.node()
        card: InsertableCard = Lying(SoftwareCard(serial=2203))
        async with desk.running({READER: card}) as table:
            assert isinstance(card, Lying)
            card.count = 0
            problem = await table.refused(node, "2203", FIPS)
            assert "not proven" in problem.detail
            torn = str(problem.extra["provision_id"])
            assert desk.rows(torn).state == "TORN"
            assert "registry.live_check" not in desk.leaves(node)
            card.lies = False
            await table.remove()
            await table.insert(card)
            assert (await table.done(node, "2203")).provision_id == torn

    asyncio.run(main())
