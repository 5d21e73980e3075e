"""Provisioning on a real store with software cards in process: what is written, who is refused, what is joined."""

import asyncio
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from cryptography import x509

from app.capabilities.provisioning.messages import CardEvent, ProvisionEvent, ProvisionListQuery
from app.capabilities.provisioning.write.journal import puk_mark
from app.delivery.events import Holding
from app.store.errors import BadCursor
from hardware.cards.apdu import ApduChannel
from hardware.cards.backend import CardError
from hardware.cards.identify import CardState
from hardware.cards.piv import Algorithm, PivSession
from hardware.cards.software import SIMPLE_CARD, Quirks, SoftwareCard
from hardware.cards.steps import STEPS
from tests.service.capabilities.provisioning.card_desk import FIPS, NAMELESS, READER, SECOND, WRITER, Desk, GatedCard

FULL_ORDER = 39  # with the same-card rule: the serial number is asked again


def card(serial: int | None = None, quirks: Quirks | None = None) -> GatedCard:
    """A blank card that counts."""
    return GatedCard(SoftwareCard(serial=serial, quirks=quirks))


def test_a_card_is_written_and_proven(desk: Desk) -> None:
    """The reply says what the fresh session proved, and the node is verified by it."""

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: card(100)}) as table:
            reply = await table.done(node, "100")
            assert reply.verification is not None
            proof = reply.verification
            assert (proof.read_back, proof.proof_of_possession, proof.chuid_signature, proof.security_object) == (
                True,
            ) * 4
            assert [slot.slot for slot in reply.slots] == ["9A", "9C", "9D", "9E"]
            assert (reply.hardware_uid, reply.hardware_uid_now) == ("100", "100")
            assert reply.apdu_count == FULL_ORDER
            assert reply.standing == "VERIFIED_DIGITAL_HUMAN"
            assert [stage.step for stage in reply.stages] == list(STEPS)
            assert {stage.state for stage in reply.stages} == {"done"}
            assert sum(stage.apdus for stage in reply.stages) == FULL_ORDER
            assert (reply.training, reply.fips.verdict, reply.fips.required) == (True, "UNKNOWN", "FIPS 140-3 Level 2")

    asyncio.run(main())


def test_a_written_card_leaves_rows_leaves_and_a_live_check(desk: Desk) -> None:
    """Certificates, credential, live check and audit leaves of one provisioning say the same."""

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: card(101)}) as table:
            reply = await table.done(node)
            kept = {row.sha256: row for row in desk.certificates(reply.provision_id, live=True)}
            assert set(kept) == {slot.certificate_sha256 for slot in reply.slots}
            names = x509.load_der_x509_certificate(kept[reply.slots[0].certificate_sha256].certificate)
            alternative = names.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
            uris = alternative.get_values_for_type(x509.UniformResourceIdentifier)
            assert uris == [f"urn:arc-node:{node}", f"urn:uuid:{reply.card_guid}"]
            assert desk.leaves(node) == [
                "registry.node_put",
                "provisioning.begin",
                "provisioning.complete",
                "registry.live_check",
            ]
            with desk.store.read() as connection:
                found = table.service.holder.credentials(connection, [node])[node]
            assert [(one.format, one.card_guid, one.state) for one in found] == [
                ("piv-guid", reply.card_guid, "active")
            ]

    asyncio.run(main())


def test_every_changing_step_was_journalled_with_its_outcome(desk: Desk) -> None:
    """The journal holds the fifteen changing steps in their order, each with 9000, and no secret."""

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: card(102)}) as table:
            reply = await table.done(node)
        steps = desk.steps(reply.provision_id)
        assert [row.step for row in steps] == [
            step for step in STEPS if step not in ("identify", "authenticate", "verify")
        ]
        assert {row.sw for row in steps} == {0x9000}
        assert {row.step for row in steps if row.digest is None} == {"management_key"}
        # Of a PUK it is kept whose it was, the card's first one here, and nothing that it could be guessed by.
        assert {row.digest for row in steps if row.step in ("pin", "puk")} == {puk_mark(None)}

    asyncio.run(main())


def test_the_stepper_is_told_as_it_goes(desk: Desk) -> None:
    """Each step is told as running and as done, then the end; the reader is shown as busy meanwhile."""

    async def main() -> None:
        node = desk.node()
        desk.events.clear()
        async with desk.running({READER: card(103)}) as table:
            reply = await table.done(node)
        bodies = [event.body for event in desk.events]
        told = [body for body in bodies if isinstance(body, ProvisionEvent) and body.node_id == node]
        running = [body.stage.step for body in told if body.stage is not None and body.stage.state == "running"]
        done = [body.stage.step for body in told if body.stage is not None and body.stage.state == "done"]
        assert running == done == list(STEPS)
        assert told[-1].state == "COMPLETE"
        assert {body.provision_id for body in told} == {reply.provision_id}
        seen = [body.card.state for body in bodies if isinstance(body, CardEvent) and body.card.reader == READER]
        assert seen[-1] == "provisioned"
        assert "busy" in seen

    asyncio.run(main())


def test_the_same_call_again_costs_no_apdu(desk: Desk) -> None:
    """A finished provisioning gives its stored reply: by any of the card's names, and with the card gone."""

    async def main() -> None:
        node = desk.node()
        written = card(104)
        async with desk.running({READER: written}) as table:
            first = await table.done(node, "104")
            written.arm(1)
            for uid in ("104", first.card_guid or "", f"reader:{READER}"):
                assert await table.done(node, uid) == first
            assert written.count == 0
            written.open.set()
            await table.remove()
            assert await table.done(node, "104") == first

    asyncio.run(main())


def test_an_unknown_node_is_not_found(desk: Desk) -> None:
    """A card is written for registered nodes alone."""

    async def main() -> None:
        blank = card(105)
        async with desk.running({READER: blank}) as table:
            blank.arm(1)
            problem = await table.refused("ARC-NOBODY")
            assert (problem.code, problem.status, blank.count) == ("not_found", 404, 0)
            blank.open.set()

    asyncio.run(main())


@pytest.mark.parametrize("uid", ["4711", "reader:Reader 2", "reader:No such reader"])
def test_an_unknown_card_is_not_found(desk: Desk, uid: str) -> None:
    """A name that no inserted card has, an empty reader, a reader that is not there."""

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: card(106)}) as table:
            assert (await table.refused(node, uid)).code == "not_found"

    asyncio.run(main())


def test_two_cards_alike_are_refused(desk: Desk) -> None:
    """Two cards of one serial number: neither is touched, both readers are named."""

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: card(107), SECOND: card(107)}) as table:
            before = desk.count()
            problem = await table.refused(node, "107")
            assert problem.code == "state_conflict"
            assert READER in problem.detail
            assert SECOND in problem.detail
            assert desk.count() == before

    asyncio.run(main())


def test_another_nodes_card_is_refused(desk: Desk) -> None:
    """A finished card is its owner's."""

    async def main() -> None:
        owner, other = desk.node(), desk.node()
        async with desk.running({READER: card(108)}) as table:
            await table.done(owner)
            problem = await table.refused(other, "108")
            assert problem.code == "state_conflict"
            assert owner in problem.detail

    asyncio.run(main())


@pytest.mark.parametrize(("cause", "word"), [("burn", "burned"), ("containment", "contained")])
def test_a_barred_node_gets_no_card(desk: Desk, cause: str, word: str) -> None:
    """Burned and contained nodes are refused before the card is touched."""

    async def main() -> None:
        node = desk.node()
        desk.deny(node, cause)  # type: ignore[arg-type]
        async with desk.running({READER: card()}) as table:
            before = desk.count()
            problem = await table.refused(node)
            assert problem.code == "state_conflict"
            assert word in problem.detail
            assert desk.count() == before

    asyncio.run(main())


@pytest.mark.parametrize("text", ["", "FIPS", "FIPS 140-4", "ISO 7816", "140-3 level 9"])
def test_an_unknown_standard_is_refused_with_the_forms(desk: Desk, text: str) -> None:
    """A demand that cannot be read is 422 and says which can."""

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: card()}) as table:
            problem = await table.refused(node, fips=text)
            assert (problem.code, problem.status) == ("invalid_body", 422)
            assert problem.errors[0].pointer == "/fips_standard"
            assert "GSA APL" in problem.detail

    asyncio.run(main())


def test_a_production_site_refuses_what_is_not_proven(production: Desk) -> None:
    """Without evidence there is no record and no write, the refusal carries the verdict, and a leaf says who asked."""

    async def main() -> None:
        node = production.node()
        async with production.running({READER: card(1)}) as table:
            problem = await table.refused(node, "1")
            assert (problem.code, problem.status) == ("fips_not_met", 422)
            assert problem.extra["fips"] == {
                "required": "FIPS 140-3 Level 2",
                "verdict": "UNKNOWN",
                "evidence": "none",
                "module": None,
                "certificate": None,
                "detail": "nothing proves which module it is",
            }
            assert (await table.service.cards()).items[0].state == "blank"
            assert production.count() == 0
        assert production.leaves(node)[-1] == "provisioning.refuse"

    asyncio.run(main())


def test_a_card_with_a_blocked_pin_is_locked(desk: Desk) -> None:
    """A blocked PIN is 423 before anything is written."""

    async def main() -> None:
        node = desk.node()
        blocked = card(109)
        async with desk.running() as table:
            table.backend.insert(SECOND, blocked)
            with table.backend.open(SECOND) as connection:
                piv = PivSession(ApduChannel(connection))
                piv.select()
                for _ in range(3):
                    with pytest.raises(CardError):
                        piv.verify("99999999")
            table.backend.remove(SECOND)
            await table.insert(blocked)
            problem = await table.refused(node)
            assert (problem.code, problem.status) == ("card_locked", 423)

    asyncio.run(main())


def test_another_issuers_card_is_refused(desk: Desk, tmp_path: Path) -> None:
    """A card with certificates of another site is foreign here."""
    other = Desk(tmp_path / "other")
    theirs = card(110)

    async def write_there() -> None:
        async with other.running({READER: theirs}) as table:
            await table.done(other.node())

    async def main() -> None:
        async with desk.running({READER: theirs}) as table:
            problem = await table.refused(desk.node())
            assert problem.code == "state_conflict"
            assert "another issuer" in problem.detail

    try:
        asyncio.run(write_there())
    finally:
        other.close()
    asyncio.run(main())


def test_a_card_without_piv_is_refused(desk: Desk) -> None:
    """What has no PIV application is not written."""

    class Other(GatedCard):
        def transmit(self, apdu: bytes) -> bytes:
            return b"\x6a\x82"

    async def main() -> None:
        async with desk.running({READER: Other(SoftwareCard())}) as table:
            assert "no PIV application" in (await table.refused(desk.node())).detail

    asyncio.run(main())


def test_a_card_that_another_program_held_is_looked_at_again(desk: Desk) -> None:
    """A card that was busy when it was put in is written as soon as it is free: nobody has to pull it."""

    async def main() -> None:
        node = desk.node()
        async with desk.running() as table:
            table.backend.insert(READER, card(111))
            with table.backend.open(READER):
                await table.service.readers.wait_for_card(READER, present=True)
                cards = await table.service.cards()
                assert [one.state for one in cards.items if one.reader == READER] == [CardState.BUSY]
            await table.done(node, "111")

    asyncio.run(main())


def test_a_card_without_any_name_becomes_its_guid(desk: Desk) -> None:
    """Known by its reader before, by its new GUID afterwards; the next blank card there is a new provisioning."""

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: card(None, NAMELESS)}) as table:
            first = await table.done(node)
            assert first.hardware_uid == f"reader:{READER}"
            assert first.hardware_uid_now == first.card_guid
            await table.remove()
            await table.insert(card(None, NAMELESS))
            second = await table.done(node)
            assert second.provision_id != first.provision_id
            assert (await table.done(node, first.card_guid or "")) == first

    asyncio.run(main())


def test_a_factory_guid_stays_an_alias(desk: Desk) -> None:
    """A card asked for by the GUID that its maker gave it answers to that name afterwards too."""

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: card(None, SIMPLE_CARD)}) as table:
            uid = (await table.service.cards()).items[0].hardware_uid or ""
            reply = await table.done(node, uid)
            assert str(UUID(uid)) == uid
            assert reply.hardware_uid_now != uid
            assert (reply.weak_management_key, reply.verification and reply.verification.security_object) == (
                True,
                False,
            )
            assert await table.done(node, uid) == reply

    asyncio.run(main())


def test_concurrent_calls_are_one_provisioning(desk: Desk) -> None:
    """Eight calls at once, by two names of the card, write it once and get the same reply."""

    async def main() -> None:
        node = desk.node()
        one = card(112)
        async with desk.running({READER: one}) as table:
            before = desk.count()
            calls = [table.done(node, uid) for uid in ("112", f"reader:{READER}") * 4]
            replies = await asyncio.gather(*calls)
            assert len({reply.provision_id for reply in replies}) == 1
            assert desk.count() == before + 1
            assert desk.rows(replies[0].provision_id).attempt == 1

    asyncio.run(main())


def test_another_node_does_not_join(desk: Desk) -> None:
    """While a card is being written for one node, a call for another is refused and changes nothing."""

    async def main() -> None:
        first, second = desk.node(), desk.node()
        gated = card(113)
        async with desk.running({READER: gated}) as table:
            gated.arm(10)
            writing = asyncio.create_task(table.done(first))
            await table.reached(gated)
            problem = await table.refused(second)
            assert problem.code == "state_conflict"
            assert "another node" in problem.detail
            gated.open.set()
            await writing

    asyncio.run(main())


def test_a_slow_write_is_202_and_then_joined(desk: Desk) -> None:
    """Past the answer's time the caller is told RUNNING with the stepper; the same call joins the same write."""

    async def main() -> None:
        node = desk.node()
        gated = card(114)
        async with desk.running({READER: gated}, answer_s=0.2) as table:
            gated.arm(12)
            reply, status = await table.call(node)
            assert (status, reply.state) == (202, "RUNNING")
            await table.reached(gated)
            assert (await table.service.cards()).items[0].state == "busy"
            again, status = await table.call(node)
            assert (status, again.provision_id) == (202, reply.provision_id)
            assert "running" in {stage.state for stage in again.stages}
            gated.open.set()
            for _ in range(50):
                if (ended := await table.call(node))[1] == 200:
                    break
            assert (ended[0].state, ended[0].provision_id) == ("COMPLETE", reply.provision_id)

    asyncio.run(main())


def test_a_caller_who_hangs_up_stops_nothing(desk: Desk) -> None:
    """The write goes on without its caller, and the next one gets its reply."""

    async def main() -> None:
        node = desk.node()
        gated = card(115)
        async with desk.running({READER: gated}) as table:
            gated.arm(10)
            caller = asyncio.create_task(table.done(node))
            await table.reached(gated)
            caller.cancel()
            await asyncio.wait([caller])
            gated.open.set()
            reply = await table.done(node)
            assert desk.rows(reply.provision_id).attempt == 1

    asyncio.run(main())


@pytest.mark.parametrize("cause", ["burn", "containment"])
def test_a_burn_stops_the_write_at_its_next_step(desk: Desk, cause: str) -> None:
    """A node that is burned or contained while its card is written gets no card, and no certificate of it holds."""

    async def main() -> None:
        node = desk.node()
        gated = card(116 if cause == "burn" else 117)
        async with desk.running({READER: gated}) as table:
            gated.arm(16)
            writing = asyncio.create_task(table.refused(node))
            await table.reached(gated)
            desk.deny(node, cause, table.service if cause == "burn" else None)  # type: ignore[arg-type]
            gated.open.set()
            problem = await writing
            assert problem.code == "state_conflict"
            row = desk.rows(str(problem.extra["provision_id"]))
            assert row.state == ("REFUSED" if cause == "burn" else "TORN")
            assert desk.certificates(row.provision_id)
            assert desk.certificates(row.provision_id, live=True) == []
            assert desk.steps(row.provision_id)[-1].step != "verify"

    asyncio.run(main())


def test_a_burn_takes_the_certificates_and_the_pin(desk: Desk) -> None:
    """As a grant holder: the preview tells the card, the burn revokes all four certificates, a repeat says so."""

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: card(118)}) as table:
            reply = await table.done(node)
            service = table.service
            assert service.holder.holdings(node) == (
                Holding("issued-cards", "card", "Issued cards", 1, False, "4 certificates on 1 card"),
            )
            first = desk.write(lambda tx: service.holder.revoke(tx, node, "burn-1"))
            assert [(one.count, one.already) for one in first] == [(1, False)]
            rows = desk.certificates(reply.provision_id)
            assert {row.burn_id for row in rows} == {"burn-1"}
            assert all(row.revoked_us is not None for row in rows)
            again = desk.write(lambda tx: service.holder.revoke(tx, node, "burn-2"))
            assert [one.already for one in again] == [True]
            assert service.holder.holdings(node) == ()
            assert desk.write(lambda tx: service.holder.revoke(tx, desk_stranger, "burn-3")) == ()
            assert desk.rows(reply.provision_id).pin is None
            with desk.store.read() as connection:
                assert [one.state for one in service.holder.credentials(connection, [node])[node]] == ["revoked"]

    desk_stranger = "ARC-STRANGER"
    asyncio.run(main())


def test_odd_names_are_written(desk: Desk) -> None:
    """A node id with an underscore and a name that is long, not Latin and has a control character give a good card."""

    async def main() -> None:
        node = desk.node("node_with_underscores", display_name="Training Person " + "\u0394\u03b9\u03ac\n\u738b" * 40)
        async with desk.running({READER: card(119)}) as table:
            assert (await table.done(node)).verification is not None

    asyncio.run(main())


@pytest.mark.parametrize(
    ("quirks", "state"),
    [(Quirks(refusals={0xFF: 0x6D00}), "REFUSED"), (Quirks(refusals={0x47: 0x6A86}), "REFUSED")],
    ids=["management-key", "generate"],
)
def test_a_card_that_refuses_a_step_is_never_a_success(desk: Desk, quirks: Quirks, state: str) -> None:
    """The record ends REFUSED, none of its certificates holds, its PIN is gone."""

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: card(None, dataclasses.replace(quirks, cplc_status=0x6A88))}) as table:
            problem = await table.refused(node)
            row = desk.rows(str(problem.extra["provision_id"]))
            assert (problem.code, row.state, row.pin) == ("state_conflict", state, None)
            assert desk.certificates(row.provision_id, live=True) == []

    asyncio.run(main())


def test_rsa_keys_are_not_the_default(desk: Desk) -> None:
    """All four keys are P-256."""

    async def main() -> None:
        async with desk.running({READER: card(120)}) as table:
            reply = await table.done(desk.node())
            assert {slot.algorithm for slot in reply.slots} == {Algorithm.P256.label}

    asyncio.run(main())


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Desk, list[str]]]:
    """A site of its own with five finished cards and one torn, oldest first."""
    site = Desk(tmp_path_factory.mktemp("list") / "site")
    made: list[str] = []

    async def fill() -> None:
        for number in range(6):
            gated = card(number + 1)
            async with site.running({READER: gated}) as table:
                node = site.node(f"ARC-LIST-{number}")
                if number < 5:
                    made.append((await table.done(node)).provision_id)
                    continue
                gated.arm(14)
                writing = asyncio.create_task(table.refused(node))
                await table.reached(gated)
                table.backend.remove(READER)
                gated.open.set()
                made.append(str((await writing).extra["provision_id"]))

    asyncio.run(fill())
    yield site, made
    site.close()


def test_pages_give_every_provisioning_once_newest_first(listed: tuple[Desk, list[str]]) -> None:
    """Cursors lead through the list without a gap or a repeat."""
    site, made = listed
    service = site.provisioning()
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = service.records.page(ProvisionListQuery(limit=4, cursor=cursor))
        found += [item.provision_id for item in page.items]
        if (cursor := page.next) is None:
            break
    assert found == made[::-1]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (ProvisionListQuery(node_id="ARC-LIST-2"), [2]),
        (ProvisionListQuery(state="TORN"), [5]),
        (ProvisionListQuery(state="RUNNING"), []),
        (ProvisionListQuery(state="COMPLETE", limit=500), [4, 3, 2, 1, 0]),
        (ProvisionListQuery(q="list-1"), [1]),
        (ProvisionListQuery(q="%"), []),
    ],
)
def test_the_list_is_narrowed(listed: tuple[Desk, list[str]], query: ProvisionListQuery, expected: list[int]) -> None:
    """By node, state and text; wildcards of the store are plain text."""
    site, made = listed
    assert [item.provision_id for item in site.provisioning().records.page(query).items] == [made[n] for n in expected]


def test_a_cursor_is_of_its_list_and_query(listed: tuple[Desk, list[str]]) -> None:
    """One changed character, or another query, and the cursor is none."""
    site, _ = listed
    service = site.provisioning()
    cursor = service.records.page(ProvisionListQuery(limit=2)).next or ""
    changed = cursor[:-1] + ("A" if cursor[-1] != "A" else "B")
    for query in (ProvisionListQuery(cursor=changed), ProvisionListQuery(cursor=cursor, state="COMPLETE")):
        with pytest.raises(BadCursor):
            service.records.page(query)


def test_the_trace_masks_every_secret(desk: Desk) -> None:
    """PIN, PUK and both management keys occur in no form in the trace; what is public does (the search works)."""

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: card(121)}) as table:
            reply = await table.done(node)
            row = desk.rows(reply.provision_id)
            pin = desk.store.sealer.open("provision.pin", row.pin, f"provision.pin|{row.provision_id}".encode())
            made = desk.master.secrets_for(UUID(reply.card_guid or ""), pin=pin.decode())
            trace = table.service.records.trace(reply.provision_id, WRITER)
            assert len(trace.entries) == FULL_ORDER
            text = "".join((entry.data or "") + (entry.response or "") for entry in trace.entries).lower()
            assert UUID(reply.card_guid or "").hex in text
            for secret in (pin, made.puk.encode(), made.management_key, made.management_key_3des, b"12345678"):
                assert secret.hex() not in text
            secret_steps = [entry for entry in trace.entries if entry.header[2:4] in ("20", "24", "2c", "87", "ff")]
            assert len(secret_steps) >= 10
            assert {(entry.data, entry.response) for entry in secret_steps} == {(None, None)}
            assert all(entry.lc for entry in secret_steps if entry.header[2:4] != "20")

    asyncio.run(main())


def test_a_demand_in_another_form_is_the_same_provisioning(desk: Desk) -> None:
    """Idempotent by node and card alone."""

    async def main() -> None:
        node = desk.node()
        async with desk.running({READER: card(122)}) as table:
            first = await table.done(node)
            reply, status = await table.call(node, fips="140-3 l2")
            assert (reply, status, FIPS) == (first, 200, first.fips.required)

    asyncio.run(main())
