"""PIN reset: an approval, the same card, one PUK try at most; torn anywhere the same call goes on."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import pytest
from sqlalchemy import select

from app.api.operation import Caller, Clearance
from app.api.problems import Problem
from app.capabilities.provisioning.messages import PinReset, PinResetEvent, Provision
from app.capabilities.provisioning.paper.receipts import journal_digest
from app.capabilities.provisioning.readers.card_readers import ReaderFamily
from app.capabilities.provisioning.tables import pin_reset
from app.capabilities.provisioning.write.pin_reset import PinResets
from hardware.cards.apdu import ApduChannel
from hardware.cards.backend import CardError, CardLocked, StatusWordError
from hardware.cards.inprocess import InProcessBackend, InsertableCard
from hardware.cards.pin_reset import RESET_STEPS
from hardware.cards.piv import ManagementAlgorithm, ManagementKey, PivObject, PivSession
from hardware.cards.software import Quirks, SoftwareCard, Tear, TearPoint
from tests.service.capabilities.provisioning.card_desk import (
    ACTOR,
    APPROVER,
    READER,
    SECOND,
    WRITER,
    CardTable,
    Desk,
    GatedCard,
    pin_on,
)

ORDER = 6
"""SELECT, CHUID, 9E signs, RESET RETRY COUNTER; after power off and on SELECT, VERIFY."""


async def reset(table: CardTable, provision_id: str, approval_id: str) -> tuple[PinReset, int]:
    """The call."""
    return await table.service.resets.reset(provision_id, approval_id, actor=ACTOR, request_id="req_test")


async def done(table: CardTable, provision_id: str, approval_id: str) -> PinReset:
    """The reply of a call that must finish."""
    reply, status = await reset(table, provision_id, approval_id)
    assert (status, reply.state) == (200, "COMPLETE")
    return reply


async def refused(table: CardTable, provision_id: str, approval_id: str) -> Problem:
    """The problem of a call that must not."""
    with pytest.raises(Problem) as caught:
        await reset(table, provision_id, approval_id)
    return caught.value


@contextmanager
def opened(table: CardTable, reader: str = READER) -> Iterator[PivSession]:
    """A session with the card in the reader."""
    with table.backend.open(reader) as connection:
        piv = PivSession(ApduChannel(connection))
        piv.select()
        yield piv


async def mailed(table: CardTable, provision_id: str) -> str:
    """The PIN on the printed mailer."""
    page = await table.service.mailers.pin_mailer(provision_id, caller=WRITER, request_id="req_test")
    return pin_on(page)


async def issued(table: CardTable, card: InsertableCard) -> Provision:
    """A finished card of a new node, put in anew."""
    made = await table.done(table.desk.node())
    await table.remove()
    await table.insert(card)
    return made


def block_pin(table: CardTable) -> None:
    """Wrong PINs until the card takes none any more."""
    with opened(table) as piv:
        for _ in range(3):
            with pytest.raises(CardError):
                piv.verify("99999999")


def test_a_card_gets_a_new_pin_and_another_mailer(desk: Desk) -> None:
    """The old PIN is dead, the new one is on the card and on the next mailer, once; the approval is used."""

    async def main() -> None:
        card = SoftwareCard(serial=8001)
        async with desk.running({READER: card}) as table:
            made = await issued(table, card)
            old = await mailed(table, made.provision_id)
            assert table.service.records.get(made.provision_id).mailer_printed
            approval_id = await desk.approved("pin_reset", made.provision_id)
            reply = await done(table, made.provision_id, approval_id)
            assert (reply.node_id, reply.card_guid, reply.reader) == (made.node_id, made.card_guid, READER)
            assert [(stage.step, stage.state) for stage in reply.stages] == [(step, "done") for step in RESET_STEPS]
            assert sum(stage.apdus for stage in reply.stages) == ORDER
            assert not reply.mailer_printed
            assert not table.service.records.get(made.provision_id).mailer_printed
            new = await mailed(table, made.provision_id)
            assert new != old
            with opened(table) as piv:
                with pytest.raises(StatusWordError):
                    piv.verify(old)
                piv.verify(new)
            with pytest.raises(Problem) as again:
                await mailed(table, made.provision_id)
            assert again.value.code == "gone"
            assert desk.state(approval_id) == "USED"
            assert desk.leaves(made.node_id)[-8:] == [
                "approvals.request",
                "alarm.raised",
                "approvals.approve",
                "alarm.cleared",
                "provisioning.pin_reset_begin",
                "approvals.use",
                "provisioning.pin_reset",
                "provisioning.mailer_printed",
            ]

    asyncio.run(main())


def test_a_blocked_pin_is_opened(desk: Desk) -> None:
    """A card that a person locked by wrong PINs is what a reset is for."""

    async def main() -> None:
        card = SoftwareCard(serial=8002)
        async with desk.running({READER: card}) as table:
            made = await issued(table, card)
            block_pin(table)
            await table.remove()
            await table.insert(card)
            assert (await table.service.cards()).items[0].state == "locked"
            await done(table, made.provision_id, await desk.approved("pin_reset", made.provision_id))
            with opened(table) as piv:
                piv.verify(await mailed(table, made.provision_id))
            await table.service.readers.settle()
            assert (await table.service.cards()).items[0].state == "provisioned"

    asyncio.run(main())


def test_the_same_call_again_costs_no_apdu(desk: Desk) -> None:
    """The stored reply, with the card gone too; another approval makes another PIN."""

    async def main() -> None:
        card = GatedCard(SoftwareCard(serial=8003))
        async with desk.running({READER: card}) as table:
            made = await issued(table, card)
            approval_id = await desk.approved("pin_reset", made.provision_id)
            first = await done(table, made.provision_id, approval_id)
            await table.service.readers.settle()
            card.count = 0
            assert await done(table, made.provision_id, approval_id) == first
            assert card.count == 0
            await table.remove()
            assert await done(table, made.provision_id, approval_id) == first
            await table.insert(card)
            assert (await desk.approved("pin_reset", made.provision_id)) != approval_id

    asyncio.run(main())


@pytest.mark.parametrize("point", [TearPoint.BEFORE, TearPoint.AFTER])
@pytest.mark.parametrize("second", [None, 4])
@pytest.mark.parametrize("apdu", range(1, ORDER + 1))
def test_a_torn_reset_is_finished_by_the_same_call(desk: Desk, apdu: int, second: int | None, point: TearPoint) -> None:
    """Pulled at any APDU, once or twice: 409, the approval is not used, no mailer gives a PIN in doubt, and the same
    call finishes with the PIN of its first attempt; no try of PIN or PUK is lost."""

    async def main() -> None:
        card = SoftwareCard()
        async with desk.running({READER: card}) as table:
            made = await issued(table, card)
            old = desk.rows(made.provision_id).pin
            approval_id = await desk.approved("pin_reset", made.provision_id)
            for switch in [Tear(apdu, point)] + ([] if second is None else [Tear(second, TearPoint.AFTER)]):
                await table.service.readers.settle()
                before = table.changes()
                card.arm(switch)
                problem = await refused(table, made.provision_id, approval_id)
                card.arm(None)
                await table.noticed(before)
                assert (problem.code, problem.status) == ("state_conflict", 409)
                assert (problem.extra["provision_id"], problem.extra["approval_id"]) == (made.provision_id, approval_id)
                assert desk.state(approval_id) == "APPROVED"
            if apdu >= 4 or second is not None:
                assert desk.rows(made.provision_id).pin is None
                with pytest.raises(Problem) as caught:
                    await mailed(table, made.provision_id)
                assert caught.value.code == "gone"
            else:
                assert desk.rows(made.provision_id).pin == old
            with desk.store.read() as connection:
                sealed = connection.execute(select(pin_reset).where(pin_reset.c.approval_id == approval_id)).one().pin
            first = desk.store.sealer.open("provision.pin", sealed, f"pin_reset.pin|{approval_id}".encode()).decode()
            await done(table, made.provision_id, approval_id)
            assert desk.state(approval_id) == "USED"
            assert table.service.records.get(made.provision_id).state == "COMPLETE"
            assert len(desk.certificates(made.provision_id, live=True)) == 4
            new = await mailed(table, made.provision_id)
            assert new == first
            puk = desk.master.secrets_for(UUID(made.card_guid or ""), pin=new).puk
            with opened(table) as piv:
                assert piv.pin_tries() == 3
                piv.verify(new)
                piv.reset_pin(puk, new)

    asyncio.run(main())


@pytest.mark.parametrize("at", [1, 3, 4, 5])
def test_a_restart_in_the_middle_is_resumed(desk: Desk, at: int) -> None:
    """A process that died while it reset: the next one calls it torn, and the same call completes it."""
    gated = GatedCard(SoftwareCard(serial=8100 + at))

    async def die() -> tuple[str, str]:
        backend = InProcessBackend([READER])
        service = desk.provisioning(ReaderFamily(backend, simulated=True, service=False))
        table = CardTable(desk, service, backend)
        await service.start()
        await table.insert(gated)
        made = await issued(table, gated)
        approval_id = await desk.approved("pin_reset", made.provision_id)
        gated.arm(at)
        going = asyncio.create_task(reset(table, made.provision_id, approval_id))
        await table.reached(gated)
        going.cancel()
        # The loop ends here with the reset in it; its thread finds the card gone.
        backend.remove(READER)
        service.readers._workers.close(0)
        return made.provision_id, approval_id

    def row(approval_id: str) -> str:
        with desk.store.read() as connection:
            state: str = connection.execute(select(pin_reset).where(pin_reset.c.approval_id == approval_id)).one().state
        return state

    async def resume() -> None:
        async with desk.running({READER: gated.card}) as table:
            assert row(approval_id) == "TORN"
            await done(table, provision_id, approval_id)
            with opened(table) as piv:
                piv.verify(await mailed(table, provision_id))

    provision_id, approval_id = asyncio.run(die())
    gated.open.set()
    assert row(approval_id) == "RUNNING"
    asyncio.run(resume())


def test_concurrent_calls_are_one_reset(desk: Desk) -> None:
    """Eight calls at once reset once; while it goes on the caller is told RUNNING and joins."""

    async def main() -> None:
        gated = GatedCard(SoftwareCard(serial=8004))
        async with desk.running({READER: gated}, answer_s=0.2) as table:
            made = await issued(table, gated)
            approval_id = await desk.approved("pin_reset", made.provision_id)
            await table.service.readers.settle()
            gated.arm(3)
            calls = [asyncio.create_task(reset(table, made.provision_id, approval_id)) for _ in range(8)]
            await table.reached(gated)
            answers = await asyncio.gather(*calls)
            assert {(status, reply.state) for reply, status in answers} == {(202, "RUNNING")}
            busy = await table.refused(made.node_id, made.card_guid or "")
            assert "new PIN" in busy.detail
            gated.open.set()
            for _ in range(50):
                reply, status = await reset(table, made.provision_id, approval_id)
                if status == 200:
                    break
            assert reply.state == "COMPLETE"
            assert [row.step for row in desk.steps(made.provision_id)].count("pin_reset") == 1

    asyncio.run(main())


def test_the_steps_are_told_as_they_go(desk: Desk) -> None:
    """Each step as running and done, then the end, by an event of its own kind that is no write's."""

    async def main() -> None:
        card = SoftwareCard(serial=8005)
        async with desk.running({READER: card}) as table:
            made = await issued(table, card)
            approval_id = await desk.approved("pin_reset", made.provision_id)
            desk.events.clear()
            await done(table, made.provision_id, approval_id)
        told = [event.body for event in desk.events if isinstance(event.body, PinResetEvent)]
        done_steps = [body.stage.step for body in told if body.stage is not None and body.stage.state == "done"]
        assert done_steps == list(RESET_STEPS)
        assert (told[-1].pin_reset, told[-1].stage, told[-1].approval_id) == ("COMPLETE", None, approval_id)

    asyncio.run(main())


def test_another_card_is_409_and_never_hears_the_puk(desk: Desk) -> None:
    """In no reader, another card alone, and a forged one with the same GUID: refused, and no PUK is sent."""

    class Watched(GatedCard):
        heard: set[int]

        def transmit(self, apdu: bytes) -> bytes:
            self.heard.add(apdu[1])
            return super().transmit(apdu)

    async def main() -> None:
        card, forged = SoftwareCard(serial=8006), Watched(SoftwareCard(serial=8906))
        async with desk.running({READER: card}) as table:
            made = await issued(table, card)
            approval_id = await desk.approved("pin_reset", made.provision_id)
            await table.remove()
            assert "in no reader" in (await refused(table, made.provision_id, approval_id)).detail
            forged.heard = set()
            await table.insert(forged)
            other = await table.done(desk.node(), "8906")
            row = desk.rows(other.provision_id)
            await table.remove()
            assert "in no reader" in (await refused(table, made.provision_id, approval_id)).detail
            # The forger copies what can be read off the card: CHUID and certificates.
            copied = {}
            await table.insert(card)
            with opened(table) as piv:
                for item in (PivObject.CHUID, PivObject.AUTHENTICATION, PivObject.CARD_AUTHENTICATION):
                    copied[item] = piv.get_object(item) or b""
            await table.remove()
            await table.insert(forged)
            with opened(table) as piv:
                ours = desk.master.secrets_for(UUID(row.card_guid), pin="00000000")
                piv.authenticate_management([ManagementKey(ManagementAlgorithm.AES_256, ours.management_key)])
                for item, content in copied.items():
                    piv.put_object(item, content)
            await table.remove()
            await table.insert(forged)
            forged.heard.clear()
            problem = await refused(table, made.provision_id, approval_id)
            assert (problem.code, problem.status) == ("state_conflict", 409)
            assert "not the key" in problem.detail
            assert 0x87 in forged.heard
            assert not forged.heard & {0x2C, 0x24}
            await table.insert(card, SECOND)
            assert "Two cards" in (await refused(table, made.provision_id, approval_id)).detail
            await table.remove()
            await done(table, made.provision_id, approval_id)

    asyncio.run(main())


@pytest.mark.parametrize("blocked", [False, True])
def test_a_puk_that_is_not_ours_is_423_and_costs_one_try(desk: Desk, blocked: bool) -> None:
    """Changed or blocked elsewhere: one try at most however often the call is made, and the old PIN stands."""

    async def main() -> None:
        card = SoftwareCard(serial=8007 + blocked)
        async with desk.running({READER: card}) as table:
            made = await issued(table, card)
            old = await mailed(table, made.provision_id)
            ours = desk.master.secrets_for(UUID(made.card_guid or ""), pin=old).puk
            with opened(table) as piv:
                piv.change_puk(ours, "87654321")
                for _ in range(3 if blocked else 0):
                    with pytest.raises(CardError):
                        piv.reset_pin("00000000", old)
            approval_id = await desk.approved("pin_reset", made.provision_id)
            for _ in range(4):
                problem = await refused(table, made.provision_id, approval_id)
                assert (problem.code, problem.status) == ("card_locked", 423)
                assert "PUK" in problem.detail
            assert desk.state(approval_id) == "APPROVED"
            with opened(table) as piv:
                piv.verify(old)
                if blocked:
                    with pytest.raises(CardLocked):
                        piv.reset_pin("87654321", old)
                else:
                    with pytest.raises(StatusWordError) as wrong:
                        piv.reset_pin("00000000", old)
                    assert wrong.value.tries == 1  # of three: one by the resets, one here

    asyncio.run(main())


def test_a_card_that_stumbles_before_it_hears_the_puk_is_tried_again(desk: Desk) -> None:
    """A refusal of what only reads ends nothing: the same call goes on with the same approval."""

    class Stumbling(GatedCard):
        stumbles = False

        def transmit(self, apdu: bytes) -> bytes:
            if self.stumbles and apdu[1] == 0xCB:
                self.stumbles = False
                return b"\x69\x85"
            return super().transmit(apdu)

    async def main() -> None:
        card = Stumbling(SoftwareCard(serial=8015))
        async with desk.running({READER: card}) as table:
            made = await issued(table, card)
            approval_id = await desk.approved("pin_reset", made.provision_id)
            await table.service.readers.settle()
            card.stumbles = True
            problem = await refused(table, made.provision_id, approval_id)
            assert (problem.code, problem.status) == ("state_conflict", 409)
            assert "6985" in problem.detail
            assert desk.rows(made.provision_id).pin is not None
            await done(table, made.provision_id, approval_id)

    asyncio.run(main())


def test_a_card_without_reset_is_refused(desk: Desk) -> None:
    """A card that knows no RESET RETRY COUNTER keeps its PIN, and the caller is told."""

    async def main() -> None:
        card = SoftwareCard(serial=8009, quirks=Quirks(refusals={0x2C: 0x6D00}))
        async with desk.running({READER: card}) as table:
            made = await issued(table, card)
            problem = await refused(table, made.provision_id, await desk.approved("pin_reset", made.provision_id))
            assert (problem.code, problem.status) == ("state_conflict", 409)
            assert "6D00" in problem.detail

    asyncio.run(main())


@pytest.mark.parametrize(("cause", "word"), [("burn", "burned"), ("containment", "contained")])
def test_a_barred_node_gets_no_pin(desk: Desk, cause: str, word: str) -> None:
    """Burned or contained after the approval: 409 before the card hears anything."""

    async def main() -> None:
        card = GatedCard(SoftwareCard())
        async with desk.running({READER: card}) as table:
            made = await issued(table, card)
            approval_id = await desk.approved("pin_reset", made.provision_id)
            desk.deny(made.node_id, cause, table.service)  # type: ignore[arg-type]
            await table.service.readers.settle()
            card.count = 0
            problem = await refused(table, made.provision_id, approval_id)
            assert (problem.code, card.count) == ("state_conflict", 0)
            assert word in problem.detail
            with pytest.raises(Problem, match=word):
                await desk.asked("pin_reset", made.provision_id)

    asyncio.run(main())


def test_a_burn_in_the_middle_ends_it_without_a_pin(desk: Desk) -> None:
    """Burned while the card is in work: the PUK is not sent, no PIN is kept anywhere, and nothing resumes it."""

    async def main() -> None:
        gated = GatedCard(SoftwareCard(serial=8010))
        async with desk.running({READER: gated}) as table:
            made = await issued(table, gated)
            approval_id = await desk.approved("pin_reset", made.provision_id)
            await table.service.readers.settle()
            gated.arm(3)
            going = asyncio.create_task(refused(table, made.provision_id, approval_id))
            await table.reached(gated)
            desk.deny(made.node_id, "burn", table.service)
            gated.open.set()
            assert "burned" in (await going).detail
            with desk.store.read() as connection:
                row = connection.execute(select(pin_reset).where(pin_reset.c.approval_id == approval_id)).one()
            assert (row.state, row.pin, desk.rows(made.provision_id).pin) == ("REFUSED", None, None)
            assert "pin_reset" not in [step.step for step in desk.steps(made.provision_id)]

    asyncio.run(main())


@pytest.mark.parametrize("state", ["asked", "rejected", "other card", "unknown"])
def test_without_an_approval_that_holds_nothing_is_reset(desk: Desk, state: str) -> None:
    """409 for what is not approved or is another card's; 404 for an approval that there is not; no APDU."""

    async def main() -> None:
        card = GatedCard(SoftwareCard())
        async with desk.running({READER: card, SECOND: SoftwareCard()}) as table:
            made = await issued(table, card)
            other = await table.done(desk.node(), f"reader:{SECOND}")
            about = other.provision_id if state == "other card" else made.provision_id
            approval_id = "apr_0" if state == "unknown" else await desk.asked("pin_reset", about)
            if state == "rejected":
                await desk.approvals.reject(approval_id, actor=APPROVER)
            if state == "other card":
                await desk.approvals.approve(approval_id, actor=APPROVER)
            await table.service.readers.settle()
            card.count = 0
            problem = await refused(table, made.provision_id, approval_id)
            assert problem.code == ("not_found" if state == "unknown" else "state_conflict")
            assert card.count == 0

    asyncio.run(main())


def test_an_approval_that_is_taken_back_in_the_middle_is_not_used(desk: Desk) -> None:
    """Rejected while the card is in work: 409, the PIN in doubt is given to nobody, and another approval finishes."""

    async def main() -> None:
        gated = GatedCard(SoftwareCard(serial=8011))
        async with desk.running({READER: gated}) as table:
            made = await issued(table, gated)
            approval_id = await desk.approved("pin_reset", made.provision_id)
            await table.service.readers.settle()
            gated.arm(ORDER)
            going = asyncio.create_task(refused(table, made.provision_id, approval_id))
            await table.reached(gated)
            await desk.approvals.reject(approval_id, actor="key-third")
            gated.open.set()
            assert "rejected" in (await going).detail
            assert desk.rows(made.provision_id).pin is None
            await done(table, made.provision_id, await desk.approved("pin_reset", made.provision_id))
            with opened(table) as piv:
                piv.verify(await mailed(table, made.provision_id))
            with desk.store.read() as connection:
                assert connection.scalars(select(pin_reset.c.pin)).all().count(None) >= 2

    asyncio.run(main())


def test_a_half_card_gets_no_pin(desk: Desk) -> None:
    """Only a finished card can be asked for; and one that lost its certificates elsewhere is not mended by a PIN."""

    async def main() -> None:
        card = SoftwareCard(serial=8012)
        async with desk.running({READER: card}) as table:
            node = desk.node()
            card.arm(Tear(14, TearPoint.AFTER))
            torn = str((await table.refused(node)).extra["provision_id"])
            card.arm(None)
            with pytest.raises(Problem, match="not finished"):
                await desk.asked("pin_reset", torn)
            made = await table.done(node)
            with opened(table) as piv:
                ours = desk.master.secrets_for(UUID(made.card_guid or ""), pin="00000000")
                piv.authenticate_management([ManagementKey(ManagementAlgorithm.AES_256, ours.management_key)])
                piv.put_object(PivObject.CARD_AUTHENTICATION, b"")
            await table.remove()
            await table.insert(card)
            problem = await refused(table, made.provision_id, await desk.approved("pin_reset", made.provision_id))
            assert "re-issue" in problem.detail

    asyncio.run(main())


def test_a_reset_leaves_receipt_and_journal_as_they_were(desk: Desk) -> None:
    """The journal's digest in the receipt stays true: it is of the write, whatever was reset later."""

    async def main() -> None:
        card = SoftwareCard(serial=8013)
        async with desk.running({READER: card}) as table:
            made = await issued(table, card)
            with desk.store.read() as connection:
                before = journal_digest(connection, made.provision_id)
            receipt = table.service.receipts.get(made.provision_id)
            await done(table, made.provision_id, await desk.approved("pin_reset", made.provision_id))
            with desk.store.read() as connection:
                assert journal_digest(connection, made.provision_id) == before
            assert table.service.receipts.get(made.provision_id) == receipt
            assert desk.steps(made.provision_id)[-1].step == "pin_reset"
            assert table.service.records.get(made.provision_id) == made

    asyncio.run(main())


def test_a_full_disk_is_503_and_the_call_goes_on_later(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """An end that cannot be recorded is not claimed; the same call with room on the disk finishes."""
    from app.store.errors import StoreUnavailable

    async def main() -> None:
        card = SoftwareCard(serial=8014)
        async with desk.running({READER: card}) as table:
            made = await issued(table, card)
            approval_id = await desk.approved("pin_reset", made.provision_id)
            with monkeypatch.context() as disk:

                def full(*_: object) -> None:
                    raise StoreUnavailable("The disk is full.")

                disk.setattr(PinResets, "_finish", full)
                problem = await refused(table, made.provision_id, approval_id)
                assert (problem.code, problem.headers["Retry-After"]) == ("dependency_unavailable", "5")
            assert desk.state(approval_id) == "APPROVED"
            await done(table, made.provision_id, approval_id)
            with opened(table) as piv:
                piv.verify(await mailed(table, made.provision_id))

    asyncio.run(main())


def test_the_mailer_of_a_new_pin_is_that_of_the_key_that_set_it(desk: Desk) -> None:
    """Not of the key that wrote the card once: it knows the old PIN alone. Citadel may in any case."""
    resetter = Caller("key-resets", Clearance.SOVEREIGN, "x")

    async def main() -> None:
        async with desk.running({READER: SoftwareCard(serial=77)}) as table:
            provision_id = (await table.done(desk.node())).provision_id
            await mailed(table, provision_id)
            approval_id = await desk.approved("pin_reset", provision_id)
            await table.service.resets.reset(provision_id, approval_id, actor=resetter.key_id, request_id="req_t")
            with pytest.raises(Problem) as caught:
                await mailed(table, provision_id)
            assert caught.value.code == "insufficient_clearance"
            assert await table.service.mailers.pin_mailer(provision_id, caller=resetter, request_id="req_t")

    asyncio.run(main())
