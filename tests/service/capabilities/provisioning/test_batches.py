"""Batches on a real store with software cards: each card takes a line, no line waits for another, nothing is lost."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from app.api.problems import Problem
from app.capabilities.provisioning.batches.messages import Batch, BatchBody, BatchEvent, BatchLine, BatchListQuery
from app.capabilities.provisioning.batches.service import MAX_CARDS, Batches
from app.capabilities.provisioning.messages import CardEvent, ReceiptListQuery
from app.capabilities.provisioning.stock.messages import ElementBody
from app.delivery.events import Event
from hardware.cards.software import Quirks, SoftwareCard
from tests.service.capabilities.provisioning.card_desk import ACTOR, FIPS, READER, SECOND, CardTable, Desk, GatedCard


def card(serial: int, quirks: Quirks | None = None) -> GatedCard:
    """A blank card that counts."""
    return GatedCard(SoftwareCard(serial=serial, quirks=quirks))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A site whose batches are this test's alone: an open line takes any blank card."""
    made = Desk(tmp_path / "site")
    yield made
    made.close()


class Office:
    """A started site with batches, and the person at its readers."""

    def __init__(self, desk: Desk, table: CardTable, batches: Batches) -> None:
        self.desk = desk
        self.table = table
        self.batches = batches

    async def make(self, *nodes: str, readers: list[str] | None = None, uids: dict[str, str] | None = None) -> str:
        """A batch of these nodes."""
        lines = [BatchLine(node_id=one, hardware_uid=(uids or {}).get(one)) for one in nodes]
        body = BatchBody(label="Test", fips_standard=FIPS, rows=lines, readers=readers or [])
        return (await self.batches.make(body, actor=ACTOR, request_id="req_test")).batch_id

    async def until(self, batch_id: str, true: Callable[[Batch], bool]) -> Batch:
        """The batch once it is as expected; every change of a line or card is looked at."""
        changed = asyncio.Event()
        loop = asyncio.get_running_loop()

        def heard(event: Event) -> None:
            if isinstance(event.body, BatchEvent | CardEvent):
                loop.call_soon_threadsafe(changed.set)

        stop = self.desk.bus.subscribe(heard)
        try:
            async with asyncio.timeout(15):
                while not true(found := self.batches.get(batch_id)):
                    await changed.wait()
                    changed.clear()
            return found
        finally:
            stop()

    async def done(self, batch_id: str) -> Batch:
        """The batch once no line is open."""
        return await self.until(batch_id, lambda found: found.state == "DONE")


@contextlib.asynccontextmanager
async def office(desk: Desk, cards: dict[str, GatedCard] | None = None) -> AsyncIterator[Office]:
    """The desk with its batches running."""
    async with desk.running(cards or {}) as table:
        batches = Batches(desk.site, desk.store, desk.registry, table.service, desk.cursors, desk.bus)
        await batches.start()
        try:
            yield Office(desk, table, batches)
        finally:
            await batches.stop()


def states(found: Batch) -> list[str]:
    """The lines' states in order."""
    return [row.state for row in found.rows]


def test_each_blank_card_takes_the_next_line(desk: Desk) -> None:
    """Cards put in one after the other, into two readers, take all lines; nobody calls anything in between."""

    async def main() -> None:
        nodes = [desk.node() for _ in range(4)]
        async with office(desk, {READER: card(900), SECOND: card(901)}) as here:
            batch_id = await here.make(*nodes)
            for n, reader in ((2, READER), (3, SECOND)):
                await here.until(
                    batch_id,
                    lambda found, reader=reader: any(  # type: ignore[misc]
                        row.reader == reader and row.state == "COMPLETE" for row in found.rows
                    ),
                )
                await here.table.remove(reader)
                await here.table.insert(card(900 + n), reader)
            found = await here.done(batch_id)
            assert states(found) == ["COMPLETE"] * 4
            assert (found.counts.complete, found.counts.total, found.eta_seconds) == (4, 4, None)
            assert {here.table.service.records.get(row.provision_id or "").node_id for row in found.rows} == set(nodes)

    asyncio.run(main())


def test_a_card_that_lies_there_takes_one_line_only(desk: Desk) -> None:
    """A written card is not taken again; the other line waits for the next card."""

    async def main() -> None:
        nodes = [desk.node(), desk.node()]
        async with office(desk, {READER: card(910)}) as here:
            batch_id = await here.make(*nodes)
            found = await here.until(batch_id, lambda found: found.counts.complete == 1)
            assert states(found) == ["COMPLETE", "WAITING"]
            assert found.eta_seconds is not None

    asyncio.run(main())


def test_a_line_that_names_its_element_waits_for_it(desk: Desk) -> None:
    """Another blank card takes the other line, though it comes later in the list."""

    async def main() -> None:
        first, second = desk.node(), desk.node()
        async with office(desk, {READER: card(921)}) as here:
            batch_id = await here.make(first, second, uids={first: "920"})
            found = await here.until(batch_id, lambda found: found.counts.complete == 1)
            assert states(found) == ["WAITING", "COMPLETE"]
            await here.table.insert(card(920), SECOND)
            assert states(await here.done(batch_id)) == ["COMPLETE", "COMPLETE"]

    asyncio.run(main())


def test_a_burned_or_unknown_node_fails_alone(desk: Desk) -> None:
    """Its line is FAILED from the beginning, with the reason, and takes no card."""

    async def main() -> None:
        burned, good = desk.node(), desk.node()
        desk.deny(burned, "burn")
        async with office(desk, {READER: card(930)}) as here:
            found = await here.done(await here.make(burned, "ARC-NOBODY", good))
            assert states(found) == ["FAILED", "FAILED", "COMPLETE"]
            assert [row.code for row in found.rows] == ["state_conflict", "not_found", None]

    asyncio.run(main())


def test_a_bad_card_is_quarantined_and_the_line_has_the_next(desk: Desk) -> None:
    """A card that refuses what it cannot do without leaves the stock; the person gets another card."""

    async def main() -> None:
        node = desk.node()
        bad = card(940, Quirks(refusals={0x47: 0x6985}))
        async with office(desk, {READER: bad}) as here:
            await here.table.service.stock.put("940", ElementBody(product="Bad card"), actor=ACTOR)
            batch_id = await here.make(node)
            found = await here.until(batch_id, lambda found: found.rows[0].attempts == 1)
            assert states(found) == ["WAITING"]
            element = here.table.service.stock.get("940", 0)
            assert element.state == "quarantined"
            assert element.detail
            await here.table.insert(card(941), SECOND)
            found = await here.done(batch_id)
            assert (states(found), found.rows[0].reader) == (["COMPLETE"], SECOND)

    asyncio.run(main())


def test_a_person_whom_no_card_takes_blocks_nothing(desk: Desk) -> None:
    """After three bad cards the line is FAILED."""

    async def main() -> None:
        node = desk.node()
        async with office(desk) as here:
            batch_id = await here.make(node)
            for n in range(MAX_CARDS):
                await here.table.insert(card(950 + n, Quirks(refusals={0x47: 0x6985})))
                await here.until(batch_id, lambda found, n=n: found.rows[0].attempts == n + 1)  # type: ignore[misc]
                await here.table.remove()
            assert states(await here.done(batch_id)) == ["FAILED"]

    asyncio.run(main())


def test_a_card_that_was_pulled_out_takes_its_own_line_again(desk: Desk) -> None:
    """Torn is a state; another blank card takes the next line, the same card goes on with its own."""

    async def main() -> None:
        nodes = [desk.node(), desk.node()]
        torn = card(960)
        async with office(desk, {READER: torn}) as here:
            torn.arm(20)
            batch_id = await here.make(*nodes)
            await here.table.reached(torn)
            here.table.backend.remove(READER)
            torn.open.set()
            await here.until(batch_id, lambda found: found.counts.torn == 1)
            await here.table.insert(card(961))
            found = await here.until(batch_id, lambda found: found.counts.complete == 1)
            assert states(found) == ["TORN", "COMPLETE"]
            await here.table.insert(torn, SECOND)
            found = await here.done(batch_id)
            assert states(found) == ["COMPLETE", "COMPLETE"]
            assert found.rows[0].reader == SECOND

    asyncio.run(main())


def test_pause_holds_and_resume_goes_on(desk: Desk) -> None:
    """A paused batch gives no line to a card; resumed, the card that lies there takes it."""

    async def main() -> None:
        node = desk.node()
        blank = card(970)
        async with office(desk) as here:
            batch_id = await here.make(node)
            await here.batches.change_state(batch_id, "PAUSED", actor=ACTOR, request_id="req_test")
            blank.arm(1_000)
            await here.table.insert(blank)
            seen = blank.count
            await here.table.service.readers.settle()
            assert (states(here.batches.get(batch_id)), blank.count) == (["WAITING"], seen)
            await here.batches.change_state(batch_id, "RUNNING", actor=ACTOR, request_id="req_test")
            assert states(await here.done(batch_id)) == ["COMPLETE"]

    asyncio.run(main())


def test_cancel_ends_what_was_not_begun(desk: Desk) -> None:
    """The card in work is finished, the other lines never begin; a cancelled batch is over."""

    async def main() -> None:
        nodes = [desk.node(), desk.node()]
        slow = card(980)
        async with office(desk, {READER: slow}) as here:
            slow.arm(10)
            batch_id = await here.make(*nodes)
            await here.table.reached(slow)
            await here.batches.change_state(batch_id, "CANCELLED", actor=ACTOR, request_id="req_test")
            slow.open.set()
            found = await here.until(batch_id, lambda found: found.counts.running == 0)
            assert (found.state, states(found)) == ("CANCELLED", ["COMPLETE", "CANCELLED"])
            with pytest.raises(Problem, match="cancelled"):
                await here.batches.change_state(batch_id, "RUNNING", actor=ACTOR, request_id="req_test")

    asyncio.run(main())


def test_only_the_batchs_own_readers_take_lines(desk: Desk) -> None:
    """A blank card in another reader stays blank."""

    async def main() -> None:
        node = desk.node()
        async with office(desk, {READER: card(990)}) as here:
            batch_id = await here.make(node, readers=[SECOND])
            await here.table.insert(card(991), SECOND)
            found = await here.done(batch_id)
            assert found.rows[0].reader == SECOND
            cards = {one.reader: one.state for one in (await here.table.service.cards()).items}
            assert cards[READER] == "blank"

    asyncio.run(main())


def test_a_card_that_the_stock_withholds_takes_no_line(desk: Desk) -> None:
    """A quarantined element lies in the reader; the line waits for another."""

    async def main() -> None:
        node = desk.node()
        async with office(desk) as here:
            await here.table.service.stock.put("995", ElementBody(product="Odd", state="quarantined"), actor=ACTOR)
            await here.table.insert(card(995))
            batch_id = await here.make(node)
            await here.table.insert(card(996), SECOND)
            found = await here.done(batch_id)
            assert found.rows[0].reader == SECOND

    asyncio.run(main())


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (
            BatchBody(label="x", fips_standard=FIPS, rows=[BatchLine(node_id="ARC-A"), BatchLine(node_id="ARC-A")]),
            "/rows/1/node_id",
        ),
        (
            BatchBody(
                label="x",
                fips_standard=FIPS,
                rows=[
                    BatchLine(node_id="ARC-A", hardware_uid="0a"),
                    BatchLine(node_id="ARC-B", hardware_uid="0A"),
                ],
            ),
            "/rows/1/hardware_uid",
        ),
        (
            BatchBody(label="x", fips_standard=FIPS, rows=[BatchLine(node_id="ARC-A")], readers=["R", "R"]),
            "/readers",
        ),
        (BatchBody(label="x", fips_standard="FIPS 1", rows=[BatchLine(node_id="ARC-A")]), "/fips_standard"),
    ],
)
def test_a_wrong_batch_is_refused_at_its_field(desk: Desk, body: BatchBody, pointer: str) -> None:
    """Twice the same person, element or reader, or a demand that nobody can read: 422, nothing made."""

    async def main() -> None:
        async with office(desk) as here:
            with pytest.raises(Problem) as refused:
                await here.batches.make(body, actor=ACTOR, request_id="req_test")
            assert (refused.value.code, refused.value.errors[0].pointer) == ("invalid_body", pointer)

    asyncio.run(main())


def test_pages_give_every_batch_once_newest_first(desk: Desk) -> None:
    """Cursors lead through the list; a state narrows it."""

    async def main() -> None:
        node = desk.node()
        async with office(desk) as here:
            made = [await here.make(node) for _ in range(3)]
            await here.batches.change_state(made[0], "CANCELLED", actor=ACTOR, request_id="req_test")
            first = here.batches.page(BatchListQuery(limit=2))
            second = here.batches.page(BatchListQuery(limit=2, cursor=first.next))
            assert [one.batch_id for one in (*first.items, *second.items)] == made[::-1]
            assert second.next is None
            cancelled = here.batches.page(BatchListQuery(state="CANCELLED")).items
            assert [one.batch_id for one in cancelled] == made[:1]

    asyncio.run(main())


def test_the_receipts_of_a_batch_are_one_table(desk: Desk) -> None:
    """The CSV that the batch names has its cards and no other."""

    async def main() -> None:
        other, node = desk.node(), desk.node()
        async with office(desk, {READER: card(1)}) as here:
            await here.table.done(other, "1")
            await here.table.remove()
            await here.table.insert(card(2))
            batch_id = await here.make(node)
            await here.done(batch_id)
            lines = here.table.service.receipts.table(ReceiptListQuery(batch_id=batch_id)).decode().splitlines()
            assert len(lines) == 2
            assert f",{batch_id},{node},2,2," in f",{lines[1]}"

    asyncio.run(main())
