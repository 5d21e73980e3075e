"""Re-issue: only an approval takes a card from its node, and with it goes all that was issued for it."""

import asyncio
import base64
import json

import pytest
from sqlalchemy import select

from app.api.problems import Problem
from app.approvals.service import Approvals
from app.capabilities.provisioning.messages import Provision
from app.registry.messages.clusters import ReaderBody, ReaderClusterBody
from app.registry.messages.profiles import CredentialBody, CredentialProfileBody
from app.registry.service import now_us
from app.registry.tables import profile_credential
from hardware.cards.inprocess import InsertableCard
from hardware.cards.software import SIMPLE_CARD, Quirks, SoftwareCard, Tear, TearPoint
from tests.service.capabilities.provisioning.card_desk import (
    ACTOR,
    APPROVER,
    NAMELESS,
    READER,
    CardTable,
    Desk,
    GatedCard,
)
from tests.service.capabilities.provisioning.test_provision_tears import SHORT, assert_secrets_are_ours, tear

REPRESENTATIVE = (1, 4, 6, 8, 9, 10, 13, 15, 20, 22, 23, 25, 32, 38)
"""Before anything, around 9B, CHUID, keys, certificates, security object, PIN, PUK, the new 9B, and in the proof."""


def payload(table: CardTable, provision_id: str) -> dict[str, object]:
    """What the receipt says."""
    text = table.service.receipts.get(provision_id).payload
    found: dict[str, object] = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    return found


async def issued(table: CardTable, card: InsertableCard) -> Provision:
    """A finished card of a new node, put in anew as it is when somebody brings it back."""
    first = await table.done(table.desk.node())
    await table.remove()
    await table.insert(card)
    return first


def test_an_approved_card_is_written_for_another_node(desk: Desk) -> None:
    """New record, new GUID, new secrets; the old record holds nothing any more, and the receipt names who approved."""

    async def main() -> None:
        card, other = SoftwareCard(serial=7001), desk.node()
        async with desk.running({READER: card}) as table:
            first = await issued(table, card)
            approval_id = await desk.approved("reissue", first.provision_id)
            second = await table.done(other, "7001")
            assert second.provision_id != first.provision_id
            assert second.card_guid != first.card_guid
            assert (second.node_id, second.approver) == (other, APPROVER)
            assert desk.certificates(first.provision_id, live=True) == []
            assert len(desk.certificates(second.provision_id, live=True)) == 4
            assert desk.rows(first.provision_id).pin is None
            old = table.service.records.get(first.provision_id)
            assert (old.state, old.released_at is not None) == ("COMPLETE", True)
            used = desk.approvals.get(approval_id, now_us(), actor=ACTOR)
            assert (used.state, used.used_by) == ("USED", ACTOR)
            assert payload(table, second.provision_id)["approver"] == APPROVER
            assert payload(table, first.provision_id)["approver"] is None
            assert_secrets_are_ours(table, second.provision_id)
            assert "provisioning.release" in desk.leaves(first.node_id)
            with desk.store.read() as connection:
                states = [
                    one.state for one in table.service.holder.credentials(connection, [first.node_id])[first.node_id]
                ]
            assert states == ["revoked"]
            assert await table.done(other, "7001") == second
            assert second.node_id in (await table.refused(first.node_id, "7001")).detail
            await table.remove()
            # Without the card a finished call is answered from its record; this one is over.
            assert (await table.refused(first.node_id, "7001")).code == "not_found"
            assert await table.done(other, "7001") == second

    asyncio.run(main())


def test_the_same_node_gets_its_card_anew(desk: Desk) -> None:
    """Without an approval the stored reply; with one a new record, once."""

    async def main() -> None:
        card = SoftwareCard(serial=7002)
        async with desk.running({READER: card}) as table:
            first = await issued(table, card)
            assert await table.done(first.node_id, "7002") == first
            await desk.approved("reissue", first.provision_id)
            second = await table.done(first.node_id, "7002")
            assert second.provision_id != first.provision_id
            assert await table.done(first.node_id, "7002") == second
            assert_secrets_are_ours(table, second.provision_id)

    asyncio.run(main())


@pytest.mark.parametrize("state", ["asked", "rejected", "other"])
def test_without_an_approval_that_holds_the_card_stays(desk: Desk, state: str) -> None:
    """Merely asked for, rejected, or of another kind: 409 as ever, no APDU, and the certificates hold."""

    async def main() -> None:
        uid = {"asked": 7003, "rejected": 7103, "other": 7203}[state]
        card, other = GatedCard(SoftwareCard(serial=uid)), desk.node()
        async with desk.running({READER: card}) as table:
            first = await issued(table, card)
            approval_id = await desk.asked("pin_reset" if state == "other" else "reissue", first.provision_id)
            if state != "asked":
                decide = desk.approvals.reject if state == "rejected" else desk.approvals.approve
                await decide(approval_id, actor=APPROVER)
            await table.service.readers.settle()
            card.count = 0
            problem = await table.refused(other, str(uid))
            assert (problem.code, problem.status, card.count) == ("state_conflict", 409, 0)
            assert first.node_id in problem.detail
            assert len(desk.certificates(first.provision_id, live=True)) == 4

    asyncio.run(main())


def test_an_approval_that_goes_at_the_last_moment_is_409(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Taken back between the look at the card and the first row: refused, and nothing was changed."""

    async def main() -> None:
        card, other = SoftwareCard(serial=7004), desk.node()
        async with desk.running({READER: card}) as table:
            first = await issued(table, card)
            await desk.approved("reissue", first.provision_id)
            before, used = desk.count(), Approvals.use

            def late(self: Approvals, tx: object, approval_id: str, *rest: object, **more: object) -> str:
                of_it = Approvals._change  # what another key's reject does, in the transaction before
                of_it(tx, self.require(tx.connection, approval_id, *rest, tx.now_us), "REJECTED", {})  # type: ignore[attr-defined,arg-type]
                return used(self, tx, approval_id, *rest, **more)  # type: ignore[arg-type]

            monkeypatch.setattr(Approvals, "use", late)
            problem = await table.refused(other, "7004")
            assert (problem.code, desk.count()) == ("state_conflict", before)
            assert len(desk.certificates(first.provision_id, live=True)) == 4

    asyncio.run(main())


def test_of_two_nodes_that_want_one_card_one_gets_it(desk: Desk) -> None:
    """One approval, two calls at once for different nodes: one card, one owner."""

    async def main() -> None:
        card, two = SoftwareCard(serial=7005), [desk.node(), desk.node()]
        async with desk.running({READER: card}) as table:
            first = await issued(table, card)
            await desk.approved("reissue", first.provision_id)
            answers = await asyncio.gather(*(table.call(node, "7005") for node in two), return_exceptions=True)
            assert sorted(type(answer).__name__ for answer in answers) == ["Problem", "tuple"]

    asyncio.run(main())


def test_door_credentials_go_with_the_card(desk: Desk) -> None:
    """Every profile that named the card loses it in the transaction that takes the card; other badges stay."""

    async def main() -> None:
        card, other = SoftwareCard(serial=7006), desk.node()
        async with desk.running({READER: card}) as table:
            first = await issued(table, card)
            cluster = ReaderClusterBody(
                display_name="Gate", readers=[ReaderBody(reader_id="gate-1", channel="simulated:", address=1)]
            )
            badge = CredentialBody(format="wiegand26", bits="1234560")
            of_card = CredentialBody(format="piv-guid", card_guid=first.card_guid)
            profile = CredentialProfileBody(node_id=first.node_id, credentials=[of_card, badge], clusters=["gate"])
            desk.write(lambda tx: desk.registry.clusters.put_in(tx, "gate", cluster, ACTOR))
            desk.write(lambda tx: desk.registry.profiles.put_in(tx, "badge-7006", profile, ACTOR))
            await desk.approved("reissue", first.provision_id)
            await table.done(other, "7006")
            with desk.store.read() as connection:
                left = connection.execute(select(profile_credential.c.format, profile_credential.c.card_guid)).all()
            assert [tuple(row) for row in left] == [("wiegand26", None)]

    asyncio.run(main())


def test_a_burned_nodes_card_is_given_on(desk: Desk) -> None:
    """A card that came back from somebody who was burned may be re-issued; his certificates stay revoked."""

    async def main() -> None:
        card, other = SoftwareCard(serial=7007), desk.node()
        async with desk.running({READER: card}) as table:
            first = await issued(table, card)
            desk.deny(first.node_id, "burn", table.service)
            await desk.approved("reissue", first.provision_id)
            assert (await table.done(other, "7007")).node_id == other
            assert {row.burn_id for row in desk.certificates(first.provision_id)} == {"burn-test"}

    asyncio.run(main())


def test_a_torn_card_of_somebody_else_is_freed(desk: Desk) -> None:
    """A half card whose node will not come back is re-issued; its old record is over, and nobody has to finish it."""

    async def main() -> None:
        card, node, other = SoftwareCard(serial=7008), desk.node(), desk.node()
        async with desk.running({READER: card}) as table:
            torn = await tear(table, node, card, Tear(21, TearPoint.AFTER))
            await desk.approved("reissue", torn)
            second = await table.done(other, "7008")
            assert table.service.records.get(torn).state == "REFUSED"
            assert_secrets_are_ours(table, second.provision_id)

    asyncio.run(main())


@pytest.mark.parametrize("apdu", REPRESENTATIVE)
@pytest.mark.parametrize("point", [TearPoint.BEFORE, TearPoint.AFTER])
def test_a_torn_re_issue_is_finished_by_the_same_call(desk: Desk, apdu: int, point: TearPoint) -> None:
    """Pulled at any APDU the card opens to the old record's secrets or the new one's; no second approval is needed."""

    async def main() -> None:
        card, other = SoftwareCard(), desk.node()
        async with desk.running({READER: card}) as table:
            first = await issued(table, card)
            approval_id = await desk.approved("reissue", first.provision_id)
            torn = await tear(table, other, card, Tear(apdu, point))
            assert desk.state(approval_id) == "USED"
            assert desk.certificates(first.provision_id, live=True) == []
            second = await table.done(other)
            assert second.provision_id == torn
            assert_secrets_are_ours(table, torn)
            assert payload(table, torn)["approver"] == APPROVER

    asyncio.run(main())


@pytest.mark.parametrize(
    ("quirks", "tries"),
    [(SIMPLE_CARD, 3), (SHORT, 3), (NAMELESS, 3), (Quirks(longest_command=261, refusals=NAMELESS.refusals), 3)],
    ids=["simple", "short-partial", "nameless", "short"],
)
@pytest.mark.parametrize("point", [TearPoint.AFTER, TearPoint.BETWEEN])
def test_other_cards_are_re_issued_through_tears(desk: Desk, quirks: Quirks, tries: int, point: TearPoint) -> None:
    """Chained writes torn inside the CHUID leave a card without a name: it still opens, and is finished."""

    async def main() -> None:
        card, other = SoftwareCard(quirks=quirks), desk.node()
        async with desk.running({READER: card}) as table:
            first = await issued(table, card)
            await desk.approved("reissue", first.provision_id)
            try:
                torn = await tear(table, other, card, Tear(1 if point is TearPoint.BETWEEN else 9, point))
            except AssertionError as whole:
                assert point is TearPoint.BETWEEN
                assert "answered 200" in str(whole)  # noqa: PT017
                return
            second = await table.done(other)
            assert second.provision_id == torn
            assert_secrets_are_ours(table, torn, tries)

    asyncio.run(main())


def test_what_needs_no_re_issue_cannot_be_asked_for(desk: Desk) -> None:
    """An unknown provisioning is 404; one whose card was taken already is 409."""

    async def main() -> None:
        card, other = SoftwareCard(serial=7009), desk.node()
        async with desk.running({READER: card}) as table:
            first = await issued(table, card)
            with pytest.raises(Problem) as unknown:
                await desk.asked("reissue", "prv_0")
            assert unknown.value.code == "not_found"
            await desk.approved("reissue", first.provision_id)
            await table.done(other, "7009")
            for kind in ("reissue", "pin_reset"):
                with pytest.raises(Problem) as taken:
                    await desk.asked(kind, first.provision_id)  # type: ignore[arg-type]
                assert taken.value.code == "state_conflict"

    asyncio.run(main())
