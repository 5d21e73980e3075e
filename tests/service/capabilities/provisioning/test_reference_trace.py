"""Reference traces: the last good trace of the same kind of card, to which another one is compared."""

import asyncio
from collections.abc import Callable

import pytest
from sqlalchemy import update

from app.api.operation import Caller, Clearance
from app.api.problems import Problem
from app.capabilities.provisioning.messages import TraceEntry
from app.capabilities.provisioning.reference_trace import model_of
from app.capabilities.provisioning.tables import provision
from hardware.cards.software import Quirks, SoftwareCard, Tear, TearPoint
from tests.service.capabilities.provisioning.card_desk import READER, WRITER, Desk

FEWER = Quirks(algorithms=(0x11,))
"""Another kind of card: it offers one algorithm, and its property template says so."""


def test_the_newest_other_card_of_the_same_kind_is_the_reference(desk: Desk) -> None:
    """A later card names the one before; a card of another kind, written between, is passed over."""

    async def main() -> None:
        async with desk.running() as table:
            written = []
            for card in (SoftwareCard(serial=11), SoftwareCard(serial=12, quirks=FEWER), SoftwareCard(serial=13)):
                await table.insert(card)
                written.append(await table.done(desk.node()))
                await table.remove()
            first, other, last = (table.service.records.trace(one.provision_id, WRITER) for one in written)
            assert last.golden_provision_id == written[0].provision_id
            assert last.model == first.model
            assert last.model is not None
            assert last.model.startswith("ARC TRAINING PIV ")
            assert other.model != last.model
            assert other.golden_provision_id is None

    asyncio.run(main())


def test_a_torn_card_names_its_reference_trace_and_is_never_one(desk: Desk) -> None:
    """Held against a good one while it is torn; finished in a second attempt it is no measure for others."""

    async def main() -> None:
        async with desk.running() as table:
            await table.insert(SoftwareCard(serial=21))
            good = await table.done(desk.node())
            await table.remove()
            torn = SoftwareCard(serial=22)
            torn.arm(Tear(20, TearPoint.AFTER))
            await table.insert(torn)
            node = desk.node()
            problem = await table.refused(node)
            provision_id = str(problem.extra["provision_id"])
            trace = table.service.records.trace(provision_id, WRITER)
            assert (trace.attempt, trace.golden_provision_id) == (1, good.provision_id)
            await table.remove()
            await table.insert(torn)
            finished = await table.done(node, "22")
            assert table.service.records.trace(finished.provision_id, WRITER).attempt == 2
            await table.remove()
            await table.insert(SoftwareCard(serial=23))
            last = await table.done(desk.node())
            assert table.service.records.trace(last.provision_id, WRITER).golden_provision_id == good.provision_id

    asyncio.run(main())


def test_a_trace_without_a_select_is_of_no_known_kind() -> None:
    """A reader that broke before the card answered: there is nothing to hold the trace against."""
    entry = TraceEntry(
        index=1, stage="identify", header="00a40400", lc=5, le=256, sw="6A82", ms=1.0, data="a000000308",
        response="", response_length=0,
    )  # fmt: skip
    assert model_of([entry]) is None
    assert model_of([]) is None


def test_a_card_without_a_label_is_named_by_its_template() -> None:
    """The template is optional in all its parts (SP 800-73-5 part 2, table 3)."""
    entry = TraceEntry(
        index=1, stage="identify", header="00A40400", lc=5, le=256, sw="9000", ms=1.0, data="A000000308",
        response="6106" + "4F0411223344", response_length=8,
    )  # fmt: skip
    model = model_of([entry])
    assert model is not None
    assert model.name.startswith("PIV ")


def test_only_the_writer_or_citadel_reads_a_trace_or_prints_a_pin(desk: Desk) -> None:
    """A stranger's Sovereign key is refused both, whatever became of the card, and takes nothing from those who may;
    the trace that it is compared with is one that the caller may read."""
    stranger, citadel = Caller("key-other", Clearance.SOVEREIGN, "x"), Caller("key-c", Clearance.CITADEL, "x")

    async def main() -> None:
        async with desk.running({READER: SoftwareCard(serial=31)}) as table:
            service = table.service
            first = (await table.done(desk.node())).provision_id
            await table.remove()
            await table.insert(SoftwareCard(serial=32))
            second = (await table.done(desk.node())).provision_id
            for _ in range(3):
                assert refused_code(lambda: service.records.trace(second, stranger)) == "insufficient_clearance"
                with pytest.raises(Problem) as caught:
                    await service.mailers.pin_mailer(second, caller=stranger, request_id="req_1")
                assert caught.value.code == "insufficient_clearance"
            assert service.records.trace(second, WRITER).golden_provision_id == first
            assert service.records.trace(second, citadel).golden_provision_id == first
            others = provision.c.provision_id != second
            change = update(provision).where(others).values(operator="key-other")
            desk.store.writer.submit(lambda tx: tx.connection.execute(change)).result()
            assert service.records.trace(second, WRITER).golden_provision_id is None
            assert service.records.trace(second, citadel).golden_provision_id == first
            assert service.records.trace(first, stranger).golden_provision_id != second
            assert await service.mailers.pin_mailer(second, caller=citadel, request_id="req_2")
            assert await service.mailers.pin_mailer(first, caller=stranger, request_id="req_3")
            for caller, code in ((stranger, "insufficient_clearance"), (WRITER, "gone"), (citadel, "gone")):
                with pytest.raises(Problem) as caught:
                    await service.mailers.pin_mailer(second, caller=caller, request_id="req_4")
                assert caught.value.code == code

    asyncio.run(main())


def refused_code(call: Callable[[], object]) -> str:
    """Of a call that must be refused."""
    with pytest.raises(Problem) as caught:
        call()
    return caught.value.code
