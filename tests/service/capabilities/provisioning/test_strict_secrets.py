"""Cards that refuse a new PIN or PUK as too simple: it is drawn anew, and nothing is lost wherever the card is torn."""

import asyncio
from uuid import UUID

import pytest

from app.capabilities.provisioning.messages import Provision
from hardware.cards.piv import FACTORY_PIN, FACTORY_PUK, pin_block
from hardware.cards.software import Quirks, SoftwareCard
from tests.service.capabilities.provisioning.card_desk import ACTOR, READER, WRITER, CardTable, Desk, PulledCard, pin_on

KINDS = {
    "yubico": Quirks(blocked_values=1),
    "standard": Quirks(blocked_values=2, blocked_status=0x6A80),
    "judges-new-first": Quirks(blocked_values=2, judges_old_first=False),
    "no-reset": Quirks(blocked_values=1, refusals={0x2C: 0x6D00}),
    "reset-refused-alike": Quirks(blocked_values=1, refusals={0x2C: 0x6985}),
}


async def mailed(table: CardTable, made: Provision) -> str:
    """The PIN on the printed mailer."""
    return pin_on(await table.service.mailers.pin_mailer(made.provision_id, caller=WRITER, request_id="req_test"))


async def judge(table: CardTable, card: SoftwareCard, made: Provision) -> None:
    """The card has the PIN of the mailer and a PUK of the site, and all tries; the PUK opens a PIN reset."""
    state = card._state
    ours = table.desk.master.puks(UUID(made.card_guid or ""))
    assert state.pin.matches(pin_block(await mailed(table, made)))
    assert sum(state.puk.matches(pin_block(puk)) for puk in ours) == 1
    assert (state.pin.tries, state.puk.tries) == (3, 3)
    if 0x2C in card.quirks.refusals:
        return
    await table.service.readers.settle()
    approval_id = await table.desk.approved("pin_reset", made.provision_id)
    await table.service.resets.reset(made.provision_id, approval_id, actor=ACTOR, request_id="req_test")
    assert state.pin.matches(pin_block(await mailed(table, made)))


@pytest.mark.parametrize("quirks", KINDS.values(), ids=KINDS)
def test_a_secret_that_the_card_calls_too_simple_is_drawn_anew(desk: Desk, quirks: Quirks) -> None:
    """PIN and PUK alike; the journal names the draw that the card took."""
    card = SoftwareCard(quirks=quirks)

    async def main() -> None:
        async with desk.running({READER: card}) as table:
            made = await table.done(desk.node())
            sent = [row for row in desk.steps(made.provision_id) if row.step.startswith(("pin", "puk"))]
            for step in ("pin", "puk"):
                last = [row for row in sent if row.step.startswith(step)][-1]
                assert (last.step, last.sw) == (f"{step}.{quirks.blocked_values + 1}", 0x9000)
            refused = {row.sw for row in sent if row.sw != 0x9000}
            assert refused <= {quirks.blocked_status, *quirks.refusals.values()}
            await judge(table, card, made)

    asyncio.run(main())


def test_a_card_that_calls_every_draw_too_simple_is_refused_with_its_secrets(desk: Desk) -> None:
    """Three values and no more; the card keeps what it came with, and every try."""
    card = SoftwareCard(quirks=Quirks(blocked_values=9))

    async def main() -> None:
        async with desk.running({READER: card}) as table:
            problem = await table.refused(desk.node())
            assert (problem.code, "pin" in problem.detail) == ("state_conflict", True)
            names = [row.step for row in desk.steps(str(problem.extra["provision_id"]))]
            assert [name for name in names if name.startswith("pin")][:3] == ["pin", "pin.2", "pin.3"]
            assert not any(name.startswith("puk") for name in names)

    asyncio.run(main())
    state = card._state
    assert state.pin.matches(pin_block(FACTORY_PIN))
    assert state.puk.matches(pin_block(FACTORY_PUK))
    assert (state.pin.tries, state.puk.tries) == (3, 3)


OFTEN = ("yubico", "reset-refused-alike")
"""Kinds that are torn in every run; the others are in the campaigns."""


@pytest.mark.parametrize(
    "quirks",
    [pytest.param(KINDS[kind], marks=() if kind in OFTEN else pytest.mark.campaign, id=kind) for kind in KINDS],
)
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", [pytest.param(1, marks=pytest.mark.campaign), 2, 3, 4])
def test_a_card_torn_between_two_draws_is_finished(desk: Desk, quirks: Quirks, after: bool, at: int) -> None:
    """Pulled at each of the commands that set PIN and PUK, twice in a row: whatever it took by then opens it again."""
    soft = SoftwareCard(quirks=quirks)
    card = PulledCard(soft)

    def setter(number: int) -> None:
        seen = iter(range(1, 99))
        card.arm(lambda _, apdu: apdu[1] in (0x24, 0x2C) and next(seen) == number, after=after)

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: card}) as table:
            setter(at)
            torn = await table.refused(node)
            setter(1)
            assert (await table.refused(node)).extra == torn.extra
            assert card.pulled
            made = await table.done(node)
            assert made.provision_id == torn.extra["provision_id"]
            await judge(table, soft, made)

    asyncio.run(main())


def test_a_pin_reset_draws_anew_and_mails_what_the_card_took(desk: Desk) -> None:
    """The first PIN of a reset is blocked: the second one is set, proven and printed."""
    card = SoftwareCard()

    async def main() -> None:
        async with desk.running({READER: card}) as table:
            made = await table.done(desk.node())
            await table.service.readers.settle()
            card._state.quirks = Quirks(blocked_values=1)
            approval_id = await desk.approved("pin_reset", made.provision_id)
            await table.service.resets.reset(made.provision_id, approval_id, actor=ACTOR, request_id="req_test")
            assert [row.step for row in desk.steps(made.provision_id)][-2:] == ["pin_reset", "pin_reset.2"]
            assert card._state.pin.matches(pin_block(await mailed(table, made)))

    asyncio.run(main())
