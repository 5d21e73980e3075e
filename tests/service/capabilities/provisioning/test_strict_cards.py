"""Cards of other makers, each bent as the standard or a published card allows: written and proven, or as they came."""

import asyncio
import contextlib
from collections.abc import Callable
from uuid import UUID

import pytest

from app.api.problems import Problem
from app.capabilities.provisioning.messages import Provision
from tests.hardware.cards.strict_card import Make, StrictCard, factory_chuid, factory_key
from tests.service.capabilities.provisioning.card_desk import READER, CardTable, Desk, PulledCard

MOST_APDUS = 110
"""The full order in short APDUs of a card that lets everything be asked twice."""

PROVEN: dict[str, Make] = {
    "standard": Make(),
    "short-6700": Make(extended=False),
    "short-6a80": Make(extended=False, extended_refusal=0x6A80),
    "short-6f00": Make(extended=False, extended_refusal=0x6F00),
    "short-6b00": Make(extended=False, extended_refusal=0x6B00),
    "extended-to-1336": Make(longest=1336),
    "extended-to-600": Make(longest=600),
    "full-name-only": Make(shortest_aid=11),
    "any-prefix": Make(shortest_aid=5),
    "select-says-nothing": Make(template=""),
    "select-says-its-name": Make(template="611A4F0BA000000308000010000100790B4F09A00000030800001000"),
    "announces": Make(announces=True, extended=False),
    "corrects-le": Make(exact_le=True, extended=False),
    "parts-of-100": Make(block=100, extended=False),
    "rsa-2048-only": Make(algorithms=(0x07,)),
    "rsa-2048-short": Make(algorithms=(0x07,), extended=False),
    "p-384-only": Make(algorithms=(0x14,), no_algorithm=0x6A81),
    "rsa-with-more": Make(algorithms=(0x07,), generate_extra=True, no_algorithm=0x6A86),
    "generate-with-more": Make(generate_extra=True),
    "9b-3des": Make(cipher=0x03, management=(0x03,)),
    "9b-aes-128": Make(cipher=0x08, other_cipher=0x6A80),
    "9b-aes-192": Make(cipher=0x0A, management=(0x0A,), other_cipher=0x6A88),
    "9b-aes-128-for-ever": Make(cipher=0x08, management=(0x08,)),
    "9b-other-6982": Make(cipher=0x0C, other_cipher=0x6982),
    "9b-other-6a82": Make(cipher=0x0A, other_cipher=0x6A82),
    "9b-other-6700": Make(cipher=0x08, other_cipher=0x6700),
    "9b-asks-response": Make(asks_response=True),
    "9b-external-only": Make(mutual=False),
    "9b-external-3des": Make(mutual=False, cipher=0x03, management=(0x03,)),
    "tells-no-tries": Make(unverified=0x6300),
    "verify-refused": Make(unverified=0x6982),
    "verify-9000": Make(unverified=0x9000),
    "seven-tries": Make(tries=7),
    "no-reset-6d00": Make(reset=False),
    "no-reset-6982": Make(reset=False, no_reset=0x6982),
    "no-reset-6e00": Make(reset=False, no_reset=0x6E00),
    "refuses-objects-6a82": Make(refused=(("5FC106", 0x6A82), ("5FC109", 0x6A82), ("5FC107", 0x6A82))),
    "refuses-objects-6982": Make(refused=(("5FC106", 0x6982), ("5FC109", 0x6982))),
    "refuses-objects-6a84": Make(refused=(("5FC106", 0x6A84), ("5FC109", 0x6A84)), extended=False),
    "absent-6a88": Make(absent=0x6A88),
    "absent-6a80": Make(absent=0x6A80),
    "absent-6a81": Make(absent=0x6A81),
    "absent-6985": Make(absent=0x6985),
    "no-discovery": Make(discovery=False),
    "nothing-guarded": Make(guarded=()),
    "everything-guarded": Make(guarded=("5FC109", "5FC107", "5FC106")),
    "factory-guid": Make(chuid=factory_chuid()),
    "factory-guid-zero": Make(chuid=factory_chuid(bytes(16))),
    "always-every-key": Make(always=(0x9A, 0x9C, 0x9D)),
    "forgets": Make(forgets=True),
    "warns-6282": Make(read_warning=0x6282),
    "glitches-reading": Make(glitch=(0xCB,)),
    "glitches-authenticating": Make(glitch=(0x87,)),
    "unknown-6e00": Make(no_instruction=0x6E00),
    "unknown-6881": Make(no_instruction=0x6881),
    "unknown-6882": Make(no_instruction=0x6882),
    "small-objects": Make(largest=1600),
}
REFUSED: dict[str, tuple[Make, str]] = {
    "no-way-to-set-9b": (Make(management=None), "management"),
    "no-way-to-set-9b-6e00": (Make(management=None, no_instruction=0x6E00), "management"),
    "contactless": (Make(contactless=True), "6982"),
    "no-known-algorithm": (Make(algorithms=(0x15,)), "9A"),
}


async def write(desk: Desk, card: StrictCard) -> Provision:
    """The whole call on this card."""
    async with desk.running({READER: card}) as table:
        return await table.done(desk.node())


@pytest.mark.parametrize("make", PROVEN.values(), ids=PROVEN)
def test_every_make_is_written_and_proven(desk: Desk, make: Make) -> None:
    """Complete with its proofs; no PIN try was ever lost, no factory secret is left, and the APDUs are few."""
    card = StrictCard(make)
    reply = asyncio.run(write(desk, card))
    proofs = reply.verification
    assert proofs is not None
    refused = {tag for tag, _ in make.refused}
    assert (proofs.read_back, proofs.proof_of_possession, proofs.chuid_signature) == (True, True, True)
    assert proofs.security_object is ("5FC106" not in refused)
    assert len([one for one in reply.warnings if "refused" in one]) >= len(refused)
    assert (card.pin_left, card.fewest_pin, card.puk_left) == (make.tries, 99, make.tries)
    assert card.pin != b"123456\xff\xff"
    assert card.puk != b"12345678"
    assert card.management_key not in {factory_key(cipher) for cipher in (0x03, 0x08, 0x0A, 0x0C)}
    assert {slot: key[0] for slot, key in card.keys.items()}.keys() == {0x9A, 0x9C, 0x9D, 0x9E}
    assert UUID(reply.card_guid).bytes in card.objects["5FC102"]
    assert reply.apdu_count <= MOST_APDUS
    assert reply.weak_management_key is (card.management_cipher == 0x03)


@pytest.mark.parametrize(("make", "named"), REFUSED.values(), ids=REFUSED)
def test_a_make_that_cannot_be_ours_is_left_as_it_came(desk: Desk, make: Make, named: str) -> None:
    """Refused by name, with its secrets and tries as they were."""
    card = StrictCard(make)

    async def main() -> None:
        async with desk.running({READER: card}) as table:
            problem = await table.refused(desk.node())
            assert (problem.code, problem.status) == ("state_conflict", 409)
            assert named in problem.detail

    asyncio.run(main())
    assert (card.pin, card.puk, card.management_key) == (b"123456\xff\xff", b"12345678", factory_key(make.cipher))
    assert (card.pin_left, card.puk_left) == (make.tries, make.tries)
    if make.management is None:
        assert not card.objects
        assert not card.keys


def unhurt(card: StrictCard) -> None:
    """The finished card: all tries, and no secret of the factory."""
    assert (card.pin_left, card.puk_left) == (card.make.tries, card.make.tries)
    # Without RESET RETRY COUNTER a PIN in doubt is found by trying: one try, given back by the right one.
    assert card.fewest_pin >= (99 if card.make.reset else card.make.tries - 1)
    assert card.pin != b"123456\xff\xff"
    assert card.puk != b"12345678"
    assert card.management_key not in {factory_key(cipher) for cipher in (0x03, 0x08, 0x0A, 0x0C)}


async def pull(
    table: CardTable, node: str, card: PulledCard[StrictCard], at: Callable[[int, bytes], bool], *, after: bool
) -> str:
    """A call in which the card is pulled; the provisioning that it leaves."""
    await table.service.readers.settle()
    card.arm(at, after=after)
    problem = await table.refused(node)
    assert problem.code == "state_conflict"
    return str(problem.extra["provision_id"])


@pytest.mark.parametrize("make", [Make(), Make(reset=False), Make(wrong_pin=0x6300)], ids=["reset", "no-reset", "6300"])
@pytest.mark.parametrize("first", [True, False], ids=["set", "not-set"])
@pytest.mark.parametrize("second", [True, False], ids=["tried", "not-tried"])
@pytest.mark.parametrize("third", [None, True, False], ids=["once", "tried-again", "not-tried-again"])
def test_a_puk_in_doubt_is_found_again_and_again(
    desk: Desk, make: Make, first: bool, second: bool, third: bool | None
) -> None:
    """Pulled while its PUK was changed, and again while the PUK was tried: found by the next call, with no try lost."""
    card = PulledCard(StrictCard(make))

    def opens_by_puk(_: int, apdu: bytes) -> bool:
        return (apdu[1] == 0x2C and make.reset) or (apdu[1], apdu[3]) == (0x24, 0x81)

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: card}) as table:
            torn = await pull(table, node, card, lambda n, apdu: (apdu[1], apdu[3]) == (0x24, 0x81), after=first)
            assert await pull(table, node, card, opens_by_puk, after=second) == torn
            if third is not None:
                assert await pull(table, node, card, opens_by_puk, after=third) == torn
            if (make.reset, first, second, third) == (False, False, True, False):
                # No PUK ever opened this card, and one try is left: it is not risked.
                assert (await table.refused(node)).code == "card_locked"
                assert card.card.puk_left == 1
                return
            assert (await table.done(node)).provision_id == torn

            unhurt(card.card)

    asyncio.run(main())


@pytest.mark.parametrize("make", [Make(), Make(extended=False, reset=False)], ids=["standard", "short-no-reset"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.campaign
def test_every_pull_of_another_make_is_finished(
    desk: Desk, make: Make, after: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each APDU, alone and with a second pull in the next attempt: one more call completes the same provisioning;
    two where a card without RESET RETRY COUNTER has one try of its PIN left."""
    cases = slow = 0

    async def one(apdu: int, second: int | None) -> bool:
        card, node = PulledCard(StrictCard(make)), desk.node()
        async with desk.running({READER: card}) as table:
            await table.service.readers.settle()
            card.arm(lambda n, _: n == apdu, after=after)
            with contextlib.suppress(AssertionError):
                await table.refused(node)
            if not card.pulled:
                return False
            if second is not None:
                await table.service.readers.settle()
                card.arm(lambda n, _: n == second, after=True)
                with contextlib.suppress(AssertionError):
                    await table.refused(node)
            with contextlib.suppress(Problem):
                await table.done(node)
                unhurt(card.card)
                return True
            nonlocal slow
            slow += 1
            assert (second is None, make.reset, card.card.pin_left) == (False, False, 1)
            # The call that found one PIN wrong tried no other; the next knows which one is left.
            await table.done(node)
            assert card.card.pin_left == make.tries
        return True

    for apdu in range(1, 200):
        done = [asyncio.run(one(apdu, second)) for second in (None, 5, 12, 18, 24, 30)]
        if not any(done):
            break
        cases += sum(done)
    with capsys.disabled():
        print(f" {cases} pulls, {slow} by two calls", end="")
    assert cases > 200
    assert slow < cases / 50
