"""What the site remembers of a card over calls and restarts: refused secrets, who held it, whose GUID it has."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable
from uuid import UUID

import pytest
from sqlalchemy import select

from app.capabilities.provisioning.issuer import card_certificates
from app.capabilities.provisioning.messages import Card
from app.capabilities.provisioning.stock.messages import ElementBody, Transport
from app.registry.messages.clusters import ReaderBody, ReaderClusterBody
from app.registry.messages.profiles import CredentialBody, CredentialProfileBody
from app.registry.tables import profile_credential
from hardware.cards.piv import FACTORY_PUK
from hardware.cards.software import Quirks, SoftwareCard, Tear, TearPoint
from hardware.cards.software.piv import CHUID, factory_chuid
from hardware.cards.software.state import TRANSPORT_PUK, transport_management_key
from tests.service.capabilities.provisioning.card_desk import (
    ACTOR,
    NAMELESS,
    READER,
    SECOND,
    CardTable,
    Desk,
    GatedCard,
)
from tests.service.capabilities.provisioning.test_provision_tears import assert_secrets_are_ours, opened, tear

MUTE = {0xF7: 0x6A86}
"""A card without GET METADATA."""
UNKNOWN_PUK = Quirks(refusals=MUTE, transport_puk=True)
TOLD_PUK = Quirks(transport_puk=True)
UNKNOWN_9B = Quirks(refusals=MUTE, transport_management=True, management_tries=3)
TOLD_9B = Quirks(transport_management=True, management_tries=3)
GUID_ONLY = dataclasses.replace(NAMELESS, refusals=NAMELESS.refusals | MUTE, transport_puk=True, factory_chuid=True)


def card_in(table: CardTable, reader: str = READER) -> Awaitable[Card]:
    """What the list says of the card in this reader."""

    async def read() -> Card:
        return next(one for one in (await table.service.cards(again=True)).items if one.reader == reader)

    return read()


def puk_tries(card: SoftwareCard) -> int:
    """PUK tries left on the card itself."""
    return card._state.puk.tries


def reset(card: SoftwareCard) -> None:
    """What the reset of a PIV application leaves: the chip, its names, and the factory's values."""
    card._state = SoftwareCard(quirks=card._state.quirks, serial=card._state.serial)._state
    card._start_applications()


async def transport(table: CardTable, uid: str, **keys: str) -> None:
    """A stock officer gives the card's transport keys."""
    body = ElementBody(product="Training card", state="in_stock", transport=Transport(**keys))
    await table.service.stock.put(uid, body, actor="key-stock")


@pytest.mark.parametrize("quirks", [UNKNOWN_PUK, GUID_ONLY], ids=["serial", "guid"])
def test_an_unknown_puk_is_tried_once(desk: Desk, quirks: Quirks) -> None:
    """One refused call costs one try; the same call again, after a restart and for others too, sends the card nothing
    that changes it. With its transport PUK in the stock the card is written."""
    soft = SoftwareCard(quirks=quirks, serial=None if quirks is GUID_ONLY else 8001)
    card = GatedCard(soft)
    node, other = desk.node(), desk.node()

    async def first() -> str:
        async with desk.running({READER: card}) as table:
            problem = await table.refused(node)
            assert (problem.code, problem.status, puk_tries(soft)) == ("card_locked", 423, 2)
            assert (await card_in(table)).state == "refused"
            return str(problem.extra["provision_id"])

    async def again() -> None:
        async with desk.running({READER: card}) as table:
            keys, records = dict(soft._state.keys), desk.count()
            for caller in (node, node, other):
                card.arm(10**9)
                problem = await table.refused(caller)
                assert (problem.code, problem.extra["provision_id"]) == ("card_locked", refused)
                assert "2 tries left" in problem.detail
                assert card.count == 0
            assert (puk_tries(soft), soft._state.keys, desk.count()) == (2, keys, records)
            uid = (await card_in(table)).hardware_uid or ""
            assert f"/v1/hardware/elements/{uid}" in problem.detail
            await transport(table, uid, puk=TRANSPORT_PUK.decode())
            reply = await table.done(node)
            assert_secrets_are_ours(table, reply.provision_id)

    refused = asyncio.run(first())
    asyncio.run(again())


def test_a_wrong_transport_puk_costs_one_try_and_the_last_is_kept(desk: Desk) -> None:
    """An officer's mistake is told; then one try is left, and no call ever takes it."""
    soft = SoftwareCard(quirks=UNKNOWN_PUK, serial=8002)

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: soft}) as table:
            await table.refused(node)
            await transport(table, "8002", puk="99999999")
            assert (await table.refused(node)).code == "card_locked"
            assert puk_tries(soft) == 1
            for puk in ("99999999", "88888888"):
                await transport(table, "8002", puk=puk)
                problem = await table.refused(node)
                assert problem.code == "card_locked"
                assert puk_tries(soft) == 1
            assert "the try is kept" in problem.detail

    asyncio.run(main())


def test_a_published_puk_that_an_officer_gives_is_tried(desk: Desk) -> None:
    """A card that was reset since it refused the published PUK has it: the officer says so, and it is written."""
    soft = SoftwareCard(quirks=UNKNOWN_PUK, serial=8003)

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: soft}) as table:
            await table.refused(node)
            soft._state.quirks = Quirks(refusals=MUTE)
            reset(soft)
            await table.remove()
            await table.insert(soft)
            assert (await table.refused(node)).code == "card_locked"
            await transport(table, "8003", puk=FACTORY_PUK)
            assert (await table.done(node)).state == "COMPLETE"

    asyncio.run(main())


@pytest.mark.parametrize(("quirks", "what"), [(TOLD_PUK, "PUK"), (TOLD_9B, "9B")], ids=["puk", "9b"])
def test_a_card_that_tells_is_not_tried(desk: Desk, quirks: Quirks, what: str) -> None:
    """Where the card says that a secret is not the factory's, no try is used and nothing is written, however often."""
    uid = {"PUK": 8004, "9B": 8014}[what]
    soft = SoftwareCard(quirks=quirks, serial=uid)

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: soft}) as table:
            for _ in range(4):
                problem = await table.refused(node)
                assert problem.code == "card_locked"
                assert what in problem.detail
                assert "as the card says" in problem.detail
            assert (puk_tries(soft), soft._state.management.wrong) == (3, 0)
            assert (soft._state.keys, soft._state.objects) == ({}, {})
            keys = {
                "PUK": {"puk": TRANSPORT_PUK.decode()},
                "9B": {"management_key": transport_management_key(0x03).key.hex()},
            }
            await transport(table, str(uid), **keys[what])
            assert (await table.done(node)).state == "COMPLETE"

    asyncio.run(main())


def test_a_blocked_puk_is_told_before_anything_is_written(desk: Desk) -> None:
    """A card whose PUK is dead can never be ours; it says so by itself where it can."""
    soft = SoftwareCard(serial=8005)
    soft._state.puk.tries = 0

    async def main() -> None:
        async with desk.running({READER: soft}) as table:
            problem = await table.refused(desk.node())
            assert (problem.code, soft._state.objects) == ("card_locked", {})
            assert "PUK: blocked" in problem.detail

    asyncio.run(main())


def test_an_unknown_management_key_is_tried_once(desk: Desk) -> None:
    """A card that counts wrong answers to 9B loses one try; the right key opens it, another one is tried once."""
    soft = SoftwareCard(quirks=UNKNOWN_9B, serial=8006)
    card = GatedCard(soft)
    node = desk.node()

    async def first() -> None:
        async with desk.running({READER: card}) as table:
            assert (await table.refused(node)).code == "card_locked"
            assert soft._state.management.wrong == 1
            assert (await card_in(table)).state == "refused"

    async def again() -> None:
        async with desk.running({READER: card}) as table:
            for _ in range(3):
                card.arm(10**9)
                problem = await table.refused(node)
                assert (problem.code, card.count) == ("card_locked", 0)
                assert "9B" in problem.detail
            await transport(table, "8006", management_key="00" * 24)
            for _ in range(3):
                await transport(table, "8006", management_key="00" * 24)
                assert (await table.refused(node)).code == "card_locked"
            assert soft._state.management.wrong == 2
            await transport(table, "8006", management_key=transport_management_key(0x03).key.hex())
            assert (await table.done(node)).state == "COMPLETE"

    asyncio.run(first())
    asyncio.run(again())


def test_an_unknown_pin_of_a_card_without_reset_is_tried_once(desk: Desk) -> None:
    """Without RESET RETRY COUNTER the old PIN is guessed: once, not until it is blocked."""
    soft = SoftwareCard(quirks=Quirks(refusals=MUTE | {0x2C: 0x6D00}), serial=8007)

    async def main() -> None:
        node = desk.node()
        async with desk.running() as table:
            table.backend.insert(SECOND, soft)
            with opened(table, SECOND) as piv:
                piv.change_pin("123456", "750318")
            table.backend.remove(SECOND)
            await table.insert(soft)
            for _ in range(4):
                problem = await table.refused(node)
                assert problem.code == "card_locked"
            assert "PIN" in problem.detail
            assert soft._state.pin.tries == 2
            await transport(table, "8007", pin="750318")
            assert (await table.done(node)).state == "COMPLETE"

    asyncio.run(main())


# --- a card that was reset ---


def profile_of(desk: Desk, node: str, guid: str) -> None:
    """The card opens a door."""
    reader = ReaderBody(reader_id="door-1", channel="simulated:", address=1)

    def job(tx: object) -> None:
        cluster = ReaderClusterBody(display_name="Doors", readers=[reader])
        desk.registry.clusters.put_in(tx, "doors", cluster, ACTOR)  # type: ignore[arg-type]
        credential = CredentialBody(format="piv-guid", card_guid=guid)
        body = CredentialProfileBody(node_id=node, credentials=[credential], clusters=["doors"])
        desk.registry.profiles.put_in(tx, "badge", body, ACTOR)  # type: ignore[arg-type]

    desk.write(job)


def doors(desk: Desk) -> list[str]:
    """GUIDs of the cards that open a door."""
    with desk.store.read() as connection:
        return list(connection.scalars(select(profile_credential.c.card_guid)))


@pytest.mark.parametrize("serial", [8101, None], ids=["serial", "chip"])
def test_a_reset_card_is_its_holders_until_a_reissue(desk: Desk, serial: int | None) -> None:
    """Blank under the same name it is nobody else's: 409 names record and approval; with it the record is revoked."""
    soft = SoftwareCard(serial=serial, quirks=Quirks() if serial else Quirks(refusals={0xF8: 0x6D00}))

    async def main() -> None:
        holder, others = desk.node(), [desk.node(), desk.node()]
        async with desk.running({READER: soft}) as table:
            first = await table.done(holder)
            profile_of(desk, holder, first.card_guid or "")
            await table.remove()
            state, cplc = soft._state, soft._state.cplc
            reset(soft)
            soft._state.cplc = cplc
            assert state is not soft._state
            await table.insert(soft)
            listed = await card_in(table)
            assert (listed.state, listed.node_id, listed.provision_id) == ("blank", holder, first.provision_id)
            for other in others:
                problem = await table.refused(other)
                assert (problem.code, problem.extra["provision_id"]) == ("state_conflict", first.provision_id)
                assert holder in problem.detail
                assert "reissue" in problem.detail
            assert soft._state.objects == {}
            await desk.approved("reissue", first.provision_id)
            second = await table.done(others[0])
            assert desk.certificates(first.provision_id, live=True) == []
            assert doors(desk) == []
            assert desk.rows(first.provision_id).released_us is not None
            assert_secrets_are_ours(table, second.provision_id)
            assert (await table.refused(others[1])).extra["provision_id"] == second.provision_id

    asyncio.run(main())


def test_a_reset_card_of_the_same_person_replaces_its_record(desk: Desk) -> None:
    """The holder's own card, reset and written again: nothing of the first record holds any more."""
    soft = SoftwareCard(serial=8102)

    async def main() -> None:
        holder = desk.node()
        async with desk.running({READER: soft}) as table:
            first = await table.done(holder)
            profile_of(desk, holder, first.card_guid or "")
            await table.remove()
            reset(soft)
            await table.insert(soft)
            second = await table.done(holder)
            assert second.provision_id != first.provision_id
            assert (desk.certificates(first.provision_id, live=True), doors(desk)) == ([], [])
            assert desk.rows(first.provision_id).pin is None
            assert len(desk.certificates(second.provision_id, live=True)) == 4

    asyncio.run(main())


def test_a_blank_card_that_was_never_begun_is_anybodys(desk: Desk) -> None:
    """Torn before the card acknowledged anything, its record takes it from nobody."""
    soft = SoftwareCard(serial=8103)

    async def main() -> None:
        async with desk.running({READER: soft}) as table:
            await tear(table, desk.node(), soft, Tear(6, TearPoint.AFTER))
            assert (await card_in(table)).node_id is None
            assert (await table.done(desk.node())).state == "COMPLETE"

    asyncio.run(main())


# --- another card under the same name ---


def with_guid(chuid: bytes) -> SoftwareCard:
    """A blank card without names of its own, with this CHUID from its maker."""
    card = SoftwareCard(quirks=NAMELESS)
    card._state.objects[CHUID] = chuid
    return card


def test_a_torn_card_is_not_finished_on_another_of_its_makers_guid(desk: Desk) -> None:
    """Two cards came with one GUID. Once the first has its own, the maker's names the torn card no more; the call that
    names it says which card to put back, and touches neither."""
    chuid = factory_chuid()
    first, second = with_guid(chuid), GatedCard(with_guid(chuid))

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: first}) as table:
            uid = (await card_in(table)).hardware_uid or ""
            torn = await tear(table, node, first, Tear(20, TearPoint.AFTER), uid)
            await table.remove()
            await table.insert(second)
            second.arm(10**9)
            problem = await table.refused(node, uid)
            assert (problem.code, problem.extra["provision_id"]) == ("state_conflict", torn)
            assert "SAME card" in problem.detail
            assert second.count == 0
            own = await table.done(node)
            assert own.provision_id != torn
            await table.remove()
            await table.insert(first)
            finished = await table.done(node, str(UUID(desk.rows(torn).card_guid)))
            assert finished.provision_id == torn
            assert len(desk.certificates(own.provision_id, live=True)) == 4

    asyncio.run(main())


@pytest.mark.parametrize("at", [16, 21, 23], ids=["9A", "9C-9D", "9E"])
def test_a_copied_chuid_does_not_take_up_a_torn_write(desk: Desk, at: int) -> None:
    """Another card with the GUID, CHUID and certificates of the torn one, but not its keys: nothing is written to it,
    and the torn card is finished afterwards."""
    torn_card, copy = SoftwareCard(serial=None, quirks=NAMELESS), SoftwareCard(quirks=NAMELESS)

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: torn_card}) as table:
            torn = await tear(table, node, torn_card, Tear(at, TearPoint.AFTER))
            await table.remove()
            copy._state.objects = dict(torn_card._state.objects)
            await table.insert(copy)
            before = dict(copy._state.objects)
            for _ in range(2):
                problem = await table.refused(node)
                assert (problem.code, problem.extra["provision_id"]) == ("state_conflict", torn)
            assert (copy._state.objects, copy._state.keys) == (before, {})
            assert desk.rows(torn).state == "TORN"
            await table.remove()
            await table.insert(torn_card)
            assert (await table.done(node)).provision_id == torn

    asyncio.run(main())


# --- what the list says ---


def revoke_by_burn(desk: Desk, table: CardTable, node: str) -> None:
    desk.deny(node, "burn", table.service)


def revoke_certificates(desk: Desk, table: CardTable, node: str) -> None:
    desk.write(lambda tx: card_certificates.revoke_node(tx, node, "burn-test"))


@pytest.mark.parametrize("end", [revoke_by_burn, revoke_certificates])
def test_a_card_whose_certificates_are_revoked_is_revoked(
    desk: Desk, end: Callable[[Desk, CardTable, str], None]
) -> None:
    """What opens nothing is not listed as good."""

    async def main() -> None:
        node = desk.node()
        uid = 8201 if end is revoke_by_burn else 8211
        async with desk.running({READER: SoftwareCard(serial=uid)}) as table:
            reply = await table.done(node)
            good = await card_in(table)
            assert (good.state, good.node_id, good.provision_id) == ("provisioned", node, reply.provision_id)
            end(desk, table, node)
            assert (await card_in(table)).state == "revoked"

    asyncio.run(main())


def test_a_card_that_was_refused_at_its_last_step_is_refused(desk: Desk) -> None:
    """All certificates are on it, and no record makes it good."""

    async def main() -> None:
        async with desk.running({READER: SoftwareCard(serial=8202, quirks=Quirks(refusals={0xFF: 0x6D00}))}) as table:
            problem = await table.refused(desk.node())
            listed = await card_in(table)
            assert (listed.state, listed.provision_id) == ("refused", problem.extra["provision_id"])
            assert listed.detail == problem.detail

    asyncio.run(main())


@pytest.mark.parametrize(("at", "state"), [(6, "blank"), (9, "torn"), (24, "torn"), (30, "torn")])
def test_a_torn_card_is_torn_wherever_it_was_torn(desk: Desk, at: int, state: str) -> None:
    """Also when every certificate is on it, and only the proof is missing."""
    soft = SoftwareCard(serial=8220 + at)

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: soft}) as table:
            await tear(table, node, soft, Tear(at, TearPoint.AFTER))
            await table.remove()
            await table.insert(soft)
            assert (await card_in(table)).state == state

    asyncio.run(main())


def test_a_blank_card_that_the_stock_does_not_offer_says_so(desk: Desk) -> None:
    """A batch passes over it; the list tells why."""

    async def main() -> None:
        async with desk.running({READER: SoftwareCard(serial=8204)}) as table:
            body = ElementBody(product="Training card", state="issued")
            await table.service.stock.put("8204", body, actor="key-stock")
            listed = await card_in(table)
            assert (listed.state, listed.detail) == (
                "blank",
                "the stock says issued; a batch takes what is in stock alone",
            )

    asyncio.run(main())


# --- the same call again ---


def test_a_refusal_by_guid_is_told_again(desk: Desk) -> None:
    """The card has another GUID since the call: the same call finds it, and is refused for the same reason."""
    soft = with_guid(factory_chuid())
    soft._state.quirks = dataclasses.replace(soft._state.quirks, algorithms=())

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: soft}) as table:
            uid = (await card_in(table)).hardware_uid or ""
            first = await table.refused(node, uid)
            again = await table.refused(node, uid)
            assert (first.code, first.detail) == (again.code, again.detail)
            assert first.code == "state_conflict"
            await table.remove()
            away = await table.refused(node, uid)
            assert away.code == "not_found"
            assert first.detail in away.detail

    asyncio.run(main())


def test_a_blocked_pin_names_what_heals_it(desk: Desk) -> None:
    """423 names the PIN reset, and the reset opens the card."""
    soft = SoftwareCard(serial=8301)

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: soft}) as table:
            reply = await table.done(node)
            soft._state.pin.tries = 0
            await table.remove()
            await table.insert(soft)
            problem = await table.refused(node)
            assert (problem.code, problem.extra["provision_id"]) == ("card_locked", reply.provision_id)
            assert f"/provisions/{reply.provision_id}/pin-reset" in problem.detail
            assert "heals" in ((await card_in(table)).detail or "")
            approval_id = await desk.approved("pin_reset", reply.provision_id)
            done, _ = await table.service.resets.reset(
                reply.provision_id, approval_id, actor=ACTOR, request_id="req_test"
            )
            assert (done.state, soft._state.pin.tries) == ("COMPLETE", 3)

    asyncio.run(main())


def test_a_card_of_nobody_with_a_blocked_pin_is_set_aside(desk: Desk) -> None:
    """No record, no PUK of ours: another card is the only advice."""
    soft = SoftwareCard(serial=8302)
    soft._state.pin.tries = 0

    async def main() -> None:
        async with desk.running({READER: soft}) as table:
            problem = await table.refused(desk.node())
            assert "use another card" in problem.detail
            assert "provision_id" not in problem.extra

    asyncio.run(main())
