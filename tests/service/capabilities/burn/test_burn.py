"""Burns on a real site: readers over the real protocol, rows and leaves in a real store."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from sqlalchemy import Connection

from app.api.operation import Call, Caller, Clearance
from app.api.problems import Problem
from app.capabilities.burn import operations
from app.capabilities.burn.messages import Burn, BurnBody, BurnEvent, BurnListQuery, NodeSuggestion, PreviewBody
from app.capabilities.burn.tables import burn_target
from app.delivery.events import Holding, RevocationEvidence
from app.ledger.tree.leaf import leaf_hash
from app.pki.revocation import KnownCertificate, NodeCertificate, RevokedEntry
from app.registry.messages.clusters import ReaderBody, ReaderClusterBody
from app.registry.messages.profiles import CredentialBody, CredentialProfileBody
from app.registry.service import now_us
from app.store.errors import StoreUnavailable
from app.store.writer import Transaction
from tests.door_site import ACTOR, GUID, DoorSite, door_site, until


class Cards:
    """A holder of two cards of ARC-1."""

    def __init__(self) -> None:
        self.revoked: list[str] = []

    def holdings(self, node_id: str) -> Sequence[Holding]:
        """Two, until they are revoked."""
        if node_id != "ARC-1" or self.revoked:
            return []
        return [Holding("issued", "card", "Issued cards", 2, reversible=False, detail="two live certificates")]

    def revoke(self, tx: Transaction, node_id: str, burn_id: str) -> Sequence[RevocationEvidence]:
        """Takes both away."""
        del tx
        if node_id != "ARC-1":
            return []
        already = bool(self.revoked)
        self.revoked.append(burn_id)
        return [RevocationEvidence("issued", "card", "Issued cards", 2, already, "certificates revoked")]

    def entries(self, _connection: Connection, _ended_after_us: int) -> Sequence[RevokedEntry]:
        """As a source of revocation lists: both certificates once they are revoked."""
        return [RevokedEntry(serial, 1, None) for serial in (7, 8) if self.revoked]

    def find(self, _connection: Connection, _serial: int) -> KnownCertificate | None:
        """Nobody asks here."""
        return None

    def of_node(self, _connection: Connection, node_id: str) -> Sequence[NodeCertificate]:
        """The certificates of ARC-1."""
        if node_id != "ARC-1":
            return []
        by = self.revoked[0] if self.revoked else None
        return [NodeCertificate(serial, f"card-{serial}", 1, by) for serial in (7, 8)]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DoorSite]:
    """Cluster ``east`` with four readers; ARC-1 with a badge for it and two cards."""
    cards = Cards()
    with door_site(tmp_path / "site", holders=[cards], sources=[cards]) as made:
        made.cluster("east", 4)
        made.person("ARC-1", clusters=["east"])
        yield made


def onboard(site: DoorSite) -> None:
    """A reader that decides by its own list too."""
    part = ReaderBody(reader_id="safe-1", channel="simulated:", address=1, onboard_list=True)
    body = ReaderClusterBody(display_name="Safe", readers=[part])
    site.write(lambda tx: site.registry.clusters.put_in(tx, "safe", body, ACTOR))


async def unplugged(site: DoorSite, reader_id: str) -> None:
    """Pulls a reader's line and waits until the panel has noticed."""
    await until(lambda: site.credentials.doors.fleet.states()[reader_id].secure_channel)
    await site.credentials.plug(reader_id, "unplug")
    await until(lambda: not site.credentials.doors.fleet.states()[reader_id].online)


def burned(site: DoorSite, node_id: str = "ARC-1") -> Burn:
    """Starts the site and burns the node."""

    async def run() -> Burn:
        async with site.running():
            await site.secure(4)
            return await site.burn(node_id)

    return asyncio.run(run())


def test_every_door_and_card_is_proven(site: DoorSite) -> None:
    """COMPLETE: the deny set, the cards, and every reader by its own acknowledgement."""
    reply = burned(site)
    doors = [target for target in reply.targets if target.kind == "reader"]
    assert (reply.state, reply.counts, len(doors)) == ("COMPLETE", {"revoked": len(reply.targets)}, 4)
    assert all("acknowledged over secure channel" in (door.evidence or "") for door in doors)


def test_every_target_tells_its_latency(site: DoorSite) -> None:
    """From the call to this target's proof."""
    assert all(target.latency_ms is not None and target.latency_ms > 0 for target in burned(site).targets)


def test_a_granted_badge_is_denied_after_the_burn(site: DoorSite) -> None:
    """The door that opened before says burned."""

    async def run() -> list[str]:
        async with site.running():
            await site.secure(4)
            await site.sync("ARC-1", "east")
            before = await site.credentials.present("east-1", "ARC-1")
            await site.burn("ARC-1")
            after = await site.credentials.present("east-1", "ARC-1")
            return [before.reason, after.reason]

    assert asyncio.run(run()) == ["granted", "burned"]


def test_an_offline_reader_is_revoked_where_the_controller_decides(site: DoorSite) -> None:
    """Nothing is granted through it: proven, and the evidence says that it was offline."""

    async def run() -> Burn:
        async with site.running():
            await unplugged(site, "east-2")
            return await site.burn("ARC-1")

    reply = asyncio.run(run())
    target = next(target for target in reply.targets if target.id == "reader:east-2")
    assert (reply.state, target.state, "offline" in (target.evidence or "")) == ("COMPLETE", "revoked", True)


def test_an_offline_reader_with_its_own_list_is_pending_until_it_is_back(site: DoorSite) -> None:
    """PARTIAL at the deadline with the residual exposure; COMPLETE by itself once the reader acknowledged."""
    onboard(site)

    async def run() -> tuple[Burn, Burn]:
        async with site.running():
            await unplugged(site, "safe-1")
            partial = await site.burn("ARC-1", wait_s=0.3)
            await site.credentials.plug("safe-1", "plug")
            await until(lambda: site.burns.get(partial.burn_id).state == "COMPLETE", 20)
            return partial, site.burns.get(partial.burn_id)

    partial, done = asyncio.run(run())
    safe = next(target for target in done.targets if target.id == "reader:safe-1")
    assert (partial.state, partial.counts["pending_offline"], len(partial.residual_exposure)) == ("PARTIAL", 1, 2)
    assert (safe.state, safe.attempts > 1) == ("revoked", True)


def test_an_overdue_burn_raises_an_alarm_that_its_completion_clears(tmp_path: Path) -> None:
    """Raised at the deadline while a target lacks proof; gone when a person closes that target."""
    with door_site(tmp_path / "site") as site:
        onboard(site)
        site.person("ARC-1")

        async def run() -> tuple[list[str], list[str]]:
            async with site.running():
                await unplugged(site, "safe-1")
                partial = await site.burn("ARC-1", wait_s=0)
                await until(lambda: bool(site.alarms.open()))
                open_ = [alarm.kind for alarm in site.alarms.open()]
                await site.burns.close(partial.burn_id, "reader:safe-1", "reader is scrapped", actor=ACTOR)
                return open_, [alarm.kind for alarm in site.alarms.open()]

        assert asyncio.run(run()) == (["burn.pending"], [])


def test_closing_the_last_target_completes_the_burn(site: DoorSite) -> None:
    """A person's word with its reason is the evidence."""
    onboard(site)

    async def run() -> Burn:
        async with site.running():
            await unplugged(site, "safe-1")
            burn_id = (await site.burn("ARC-1", wait_s=0)).burn_id

            def unproven() -> list[str]:
                return [target.id for target in site.burns.get(burn_id).targets if target.state != "revoked"]

            await until(lambda: unproven() == ["reader:safe-1"])
            return await site.burns.close(burn_id, "reader:safe-1", "reader is scrapped", actor=ACTOR)

    reply = asyncio.run(run())
    target = next(target for target in reply.targets if target.id == "reader:safe-1")
    assert (reply.state, target.state, target.evidence) == (
        "COMPLETE",
        "closed",
        "closed by key-test: reader is scrapped",
    )


def test_a_retry_answers_after_its_attempt(site: DoorSite) -> None:
    """One more attempt is counted, and the reply already knows it."""
    onboard(site)

    async def run() -> tuple[int, int]:
        async with site.running():
            await unplugged(site, "safe-1")
            partial = await site.burn("ARC-1", wait_s=0)
            before = next(target.attempts for target in partial.targets if target.id == "reader:safe-1")
            after = await site.burns.retry(partial.burn_id, "reader:safe-1")
            return before, next(target.attempts for target in after.targets if target.id == "reader:safe-1")

    before, after = asyncio.run(run())
    assert after > before


@pytest.mark.parametrize(("target_id", "status"), [("local", 409), ("reader:nowhere", 404)])
def test_this_site_itself_or_an_unknown_target_is_not_retried(site: DoorSite, target_id: str, status: int) -> None:
    """409 where the site's own rows stand, 404 where nothing is."""

    async def run() -> None:
        async with site.running():
            await site.secure(4)
            reply = await site.burn("ARC-1")
            await site.burns.retry(reply.burn_id, target_id)

    with pytest.raises(Problem) as caught:
        asyncio.run(run())
    assert caught.value.status == status


def test_a_door_that_is_proven_is_looked_at_again(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a try and by a repeat: each door has the burn's epoch told once more, and what is as it was writes nothing."""
    fleet = site.credentials.doors.fleet
    tell, told = fleet.tell, []

    def tells(*arguments: Any, **named: Any) -> Any:
        told.append(arguments[0])
        return tell(*arguments, **named)

    async def run() -> None:
        async with site.running():
            await site.secure(4)
            first = await site.burn("ARC-1")
            leaves = len(site.actions())
            monkeypatch.setattr(fleet, "tell", tells)
            tried = await site.burns.retry(first.burn_id, "reader:east-1")
            again = await site.burn("ARC-1")
            assert told == [first.epoch] * 2
            assert (tried.state, again.state, again.targets) == ("COMPLETE", "COMPLETE", first.targets)
            assert len(site.actions()) == leaves

    asyncio.run(run())


def test_the_same_node_and_scope_is_the_same_burn(site: DoorSite) -> None:
    """Ten callers at once and one later: one burn, one leaf."""

    async def run() -> set[str]:
        async with site.running():
            replies = await asyncio.gather(*(site.burn("ARC-1") for _ in range(10)))
            return {reply.burn_id for reply in [*replies, await site.burn("ARC-1")]}

    assert (len(asyncio.run(run())), site.actions().count("burn.executed")) == (1, 1)


def test_a_complete_burn_reads_as_it_was_answered(site: DoorSite) -> None:
    """What the rows give later is to the figure what the call answered."""

    answered = burned(site)
    assert site.burns.get(answered.burn_id) == answered


def test_another_scope_is_another_burn_that_finds_it_done(site: DoorSite) -> None:
    """The cards are ``already`` revoked; the doors take the new epoch."""

    async def run() -> tuple[Burn, Burn]:
        async with site.running():
            first = await site.burn("ARC-1")
            body = BurnBody(node_id="ARC-1", scope="LOCAL_ONLY", reason="again")
            return first, await site.burns.burn(body, actor=ACTOR)

    first, second = asyncio.run(run())
    cards = next(target for target in second.targets if target.kind == "card")
    assert (second.burn_id == first.burn_id, second.epoch > first.epoch, cards.state) == (False, True, "already")


def test_cards_without_a_signed_list_are_not_proven(site: DoorSite) -> None:
    """While the authority's key signs nothing the burn stays PARTIAL and says so; the first list that can be signed
    completes it, by its number."""

    async def run() -> tuple[Burn, Burn]:
        async with site.running():
            await site.secure(4)
            with patch("app.pki.crl.sign_crl", side_effect=OSError("the token is gone")):
                first = await site.burn("ARC-1")
            assert site.burns.get(first.burn_id).state == "PARTIAL"
            await until(lambda: site.burns.get(first.burn_id).state == "COMPLETE")
            return first, site.burns.get(first.burn_id)

    first, second = asyncio.run(run())
    before, after = (next(one for one in burn.targets if one.kind == "card") for burn in (first, second))
    assert (first.state, before.state) == ("PARTIAL", "pending_offline")
    unsigned = "the certificates are revoked here; no signed revocation list names them yet"
    assert before.evidence == f"{unsigned}: see the service's log"
    number = site.newest_list().number
    assert after.state == "revoked"
    assert (after.evidence or "").startswith(f"2 certificates of 2 cards are in revocation list {number}, good until ")


def test_a_list_that_misses_a_certificate_proves_nothing(site: DoorSite) -> None:
    """The signed bytes are read: what is not in them is refused, however the rows stand."""

    async def run() -> Burn:
        async with site.running():
            await site.secure(4)
            with patch.object(Cards, "entries", lambda *_: []):
                return await site.burn("ARC-1")

    card = next(one for one in asyncio.run(run()).targets if one.kind == "card")
    assert (card.state, card.evidence) == ("failed", "the newest revocation list misses a certificate of the node")


def test_an_unknown_node_is_denied_too(site: DoorSite) -> None:
    """The reply says that nobody registered it."""
    reply = burned(site, "ARC-NOBODY")
    entry = site.registry.deny.denies_node("ARC-NOBODY")
    assert "no such node is registered" in (reply.targets[0].evidence or "")
    assert (reply.state, entry is not None and entry.reference) == ("COMPLETE", reply.burn_id)


def test_an_unknown_nodes_burn_holds_when_it_is_registered_later(site: DoorSite) -> None:
    """Registering a burned id does not bring it back."""
    burned(site, "ARC-NOBODY")
    site.person("ARC-NOBODY", verified=True)
    assert site.registry.nodes.get("ARC-NOBODY", now_us()).standing == "REVOKED"


def test_the_standing_is_revoked_by_a_leaf(site: DoorSite) -> None:
    """The node says REVOKED, and its change of standing stands in the log."""
    burned(site)
    node = site.registry.nodes.get("ARC-1", now_us())
    assert (node.standing, node.credentials[0].state, "registry.standing_change" in site.actions()) == (
        "REVOKED",
        "revoked",
        True,
    )


def test_a_live_check_does_not_bring_a_burned_node_back(site: DoorSite) -> None:
    """Un-burn is never automatic."""
    burned(site)
    site.write(lambda tx: site.registry.standing.record(tx, node_id="ARC-1", kind="voice", ref="later"))
    assert site.registry.nodes.get("ARC-1", now_us()).standing == "REVOKED"


def test_a_burned_badge_cannot_be_given_to_another_person(site: DoorSite) -> None:
    """Its profile may go, the badge stays denied."""
    burned(site)
    site.person("ARC-2")
    asyncio.run(site.registry.profiles.delete("badge-ARC-1", actor=ACTOR))
    body = CredentialProfileBody(
        node_id="ARC-2", credentials=[CredentialBody(format="piv-guid", card_guid=GUID)], clusters=["east"]
    )
    with pytest.raises(Problem) as caught:
        asyncio.run(site.registry.profiles.put("other", body, actor=ACTOR))
    assert caught.value.status == 409


def test_nothing_is_issued_to_a_burned_node(site: DoorSite) -> None:
    """Neither a profile nor a grant."""
    burned(site)
    body = CredentialProfileBody(
        node_id="ARC-1", credentials=[CredentialBody(format="raw", bits="abcd")], clusters=["east"]
    )
    refusals = []
    for call in (site.registry.profiles.put("new", body, actor=ACTOR), site.sync("ARC-1", "east")):
        with pytest.raises(Problem) as caught:
            asyncio.run(call)
        refusals.append(caught.value.status)
    assert refusals == [409, 409]


def test_the_reply_names_its_leaf(site: DoorSite) -> None:
    """Index and hash are those of the leaf of its segment of the revocation log."""
    reply = burned(site)
    with site.store.read() as connection:
        header = connection.exec_driver_sql(
            "SELECT header FROM audit_entry WHERE seq = ?", (reply.log.index,)
        ).scalar_one()
    assert (leaf_hash(header).hex(), b'"burn.sealed"' in header) == (reply.log.sha256, True)


def test_the_page_lists_newest_first_with_open_targets_only(site: DoorSite) -> None:
    """A thousand proven doors do not fill a list; their count does."""

    async def run() -> None:
        async with site.running():
            for number in range(3):
                await site.burn(f"ARC-X{number}")

    asyncio.run(run())
    first = site.burns.page(BurnListQuery(limit=2))
    second = site.burns.page(BurnListQuery(limit=2, cursor=first.next))
    assert [item.node_id for item in [*first.items, *second.items]] == ["ARC-X2", "ARC-X1", "ARC-X0"]
    assert (first.items[0].targets, first.items[0].counts, second.next) == ([], {"revoked": 5}, None)


def test_the_page_filters(site: DoorSite) -> None:
    """By node, by state, by words of the reason."""
    burned(site)
    assert [
        len(site.burns.page(query).items)
        for query in (
            BurnListQuery(node_id="ARC-1"),
            BurnListQuery(node_id="ARC-2"),
            BurnListQuery(state="PARTIAL"),
            BurnListQuery(q="STREET"),
            BurnListQuery(q="%"),
        )
    ] == [1, 0, 0, 1, 0]


def test_the_preview_shows_the_blast_radius_and_writes_nothing(site: DoorSite) -> None:
    """Doors, cards, profiles, where the person was last; no row, no leaf."""

    async def run() -> tuple[object, ...]:
        async with site.running():
            await site.secure(4)
            await site.sync("ARC-1", "east")
            await site.credentials.present("east-3", "ARC-1")
            before = site.log.head()
            seen = site.burns.preview(PreviewBody(node_id="ARC-1"))
            after = site.log.head()
            return before == after, seen.doors, seen.doors_online, seen.cards, seen.profiles, seen.last_access_reader

    assert asyncio.run(run()) == (True, 4, 4, 2, 1, "east-3")


def test_the_preview_knows_what_was_measured(site: DoorSite) -> None:
    """After a burn every door has an expected latency, before the first none."""

    def measured(node_id: str) -> list[bool]:
        seen = site.burns.preview(PreviewBody(node_id=node_id))
        return [target.expected_ms is not None for target in seen.targets if target.kind == "reader"]

    async def run() -> tuple[list[bool], list[bool]]:
        async with site.running():
            await site.secure(4)
            before = measured("ARC-1")
            await site.burn("ARC-1")
            return before, measured("ARC-1")

    assert asyncio.run(run()) == ([False] * 4, [True] * 4)


def test_a_restart_keeps_what_the_preview_knows(tmp_path: Path) -> None:
    """Where the person was let in, how long each door takes, and since when anything is known."""

    async def before(site: DoorSite) -> tuple[str | None, dict[str, float | None]]:
        async with site.running():
            await site.secure(2)
            await site.sync("ARC-1", "east")
            await site.credentials.present("east-2", "ARC-1")
            for node_id in ("ARC-2", "ARC-3"):
                await site.burn(node_id)
            seen = site.burns.preview(PreviewBody(node_id="ARC-1"))
            return seen.last_access, {target.id: target.expected_ms for target in seen.targets}

    with door_site(tmp_path / "again") as site:
        site.cluster("east", 2)
        site.person("ARC-1", clusters=["east"])
        last, expected = asyncio.run(before(site))
    assert last is not None
    assert sum(took is not None for took in expected.values()) >= 2
    with door_site(tmp_path / "again") as site:
        seen = site.burns.preview(PreviewBody(node_id="ARC-1"))
        assert (seen.last_access, seen.last_access_reader) == (last, "east-2")
        assert {target.id: target.expected_ms for target in seen.targets} == expected
        stranger = site.burns.preview(PreviewBody(node_id="ARC-9"))
        assert (stranger.last_access, stranger.last_access_since) == (None, last)


def test_the_preview_names_the_burn_that_there_is(site: DoorSite) -> None:
    """A node that is burned already says by which burn."""
    reply = burned(site)
    seen = site.burns.preview(PreviewBody(node_id="ARC-1"))
    assert (seen.already_burned, seen.standing) == (reply.burn_id, "REVOKED")


def test_a_burned_badge_trips_the_wire(site: DoorSite) -> None:
    """The door shows an ordinary denial; the alarm names the burn."""

    async def run() -> tuple[str, str]:
        async with site.running():
            await site.secure(4)
            await site.sync("ARC-1", "east")
            reply = await site.burn("ARC-1")
            await site.credentials.present("east-1", "ARC-1")
            await until(lambda: bool(site.alarms.open()))
            alarm = site.alarms.open()[0]
            assert alarm.kind == "burn.tripwire"
            return reply.burn_id, alarm.ref or ""

    burn_id, named = asyncio.run(run())
    assert (named, "burn.tripwire" in site.actions()) == (burn_id, True)


def test_each_target_is_an_event_and_the_last_says_complete(site: DoorSite) -> None:
    """The live board: begun, one event a door, one for the cards, complete."""

    async def run() -> list[BurnEvent]:
        def told() -> list[BurnEvent]:
            return [event.body for event in site.events if isinstance(event.body, BurnEvent)]

        async with site.running():
            await site.secure(4)
            await site.burn("ARC-1")
            await until(lambda: bool(told()) and told()[-1].target is None and told()[-1].state == "COMPLETE")
            return told()

    told = asyncio.run(run())
    doors = {event.target.id for event in told if event.target is not None}
    expected = {"card:issued", *(f"reader:east-{n}" for n in range(1, 5))}
    assert (told[0].target, doors, told[-1].open) == (None, expected, 0)


def test_a_burn_that_cannot_be_stored_denies_all_the_same(site: DoorSite) -> None:
    """It is kept, and the door refuses; the same call later stores it under the same id, and the alarm closes."""

    async def run() -> tuple[bool, str, str, str, list[str]]:
        async with site.running():
            await site.secure(4)
            await site.sync("ARC-1", "east")
            lock = sqlite3.connect(site.site.store_path, isolation_level=None)
            lock.execute("BEGIN IMMEDIATE")
            kept = await site.burn("ARC-1")
            refused = (await site.credentials.present("east-1", "ARC-1")).reason
            entry = site.registry.deny.denies_node("ARC-1")
            assert entry is not None
            lock.execute("ROLLBACK")
            lock.close()
            reply = await site.burn("ARC-1")
            await until(lambda: "burn.not_durable" not in [alarm.kind for alarm in site.alarms.open()])
            open_ = [alarm.kind for alarm in site.alarms.open() if alarm.kind != "burn.tripwire"]
            return kept.stored, refused, entry.reference, reply.burn_id, open_

    stored, refused, denied_by, burn_id, open_ = asyncio.run(run())
    assert (stored, refused, denied_by == burn_id, open_) == (False, "burned", True, [])


def test_an_id_that_nobody_has_is_told_loudly(site: DoorSite) -> None:
    """Preview, reply and list say it and what it means; the alarm stays until a person closes it or the burn is lifted;
    people who may be meant are offered. A person's burn says nothing of the kind."""
    mistyped = "arc-1"

    async def main() -> None:
        async with site.running():
            before = site.burns.preview(PreviewBody(node_id=mistyped))
            assert before.known is False
            assert "an id that nobody has" in (before.headline or "")
            assert before.nearest[0] == NodeSuggestion(
                node_id="ARC-1", display_name="Training Person ARC-1", employee_id=None, matched="node_id", distance=0
            )
            reply = await site.burn(mistyped, wait_s=0.0)
            again = site.burns.get(reply.burn_id)
            (listed,) = site.burns.page(BurnListQuery()).items
            for said in (reply, again, listed):
                assert (said.known, "that person is not burned" in (said.headline or "")) == (False, True)
            (alarm,) = [one for one in site.alarms.open() if one.kind == "burn.unknown_node"]
            assert alarm.text.startswith("An id that nobody has was burned: arc-1")
            assert (alarm.node_id, alarm.ref) == (mistyped, reply.burn_id)
            assert site.registry.deny.denies_node(mistyped) is not None
            assert site.registry.deny.denies_node("ARC-1") is None
            await site.alarms.acknowledge(alarm.alarm_id, actor=ACTOR)
            person = await site.burn("ARC-1", wait_s=0.0)
            known = site.burns.preview(PreviewBody(node_id="ARC-1"))
            assert (person.known, person.headline, known.headline, known.nearest) == (True, None, None, [])
            assert [one for one in site.alarms.open() if one.kind == "burn.unknown_node"] == []

    asyncio.run(main())


def test_results_wait_for_a_store_that_is_away(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the outbox is durable nothing fails the call: it answers PARTIAL, and completes when the store is back."""
    stored = threading.Event()
    write = site.burns._fanout.proofs._write

    def failing(tx: Transaction, batch: Sequence[object]) -> dict[str, int]:
        if not stored.is_set():
            raise StoreUnavailable("The disk is full.")
        return write(tx, batch)  # type: ignore[arg-type]

    monkeypatch.setattr(site.burns._fanout.proofs, "_write", failing)

    async def run() -> list[str]:
        async with site.running():
            await site.secure(4)
            partial = await site.burn("ARC-1", wait_s=0.2)
            stored.set()
            await until(lambda: site.burns.get(partial.burn_id).state == "COMPLETE")
            return [partial.state, site.burns.get(partial.burn_id).state]

    assert asyncio.run(run()) == ["PARTIAL", "COMPLETE"]


def test_a_restart_takes_up_what_has_no_proof(tmp_path: Path) -> None:
    """Stopped before any reader was reached, the next start completes exactly the missing doors."""
    with door_site(tmp_path / "site") as first:
        first.cluster("east", 4)
        first.person("ARC-1", clusters=["east"])

        async def begin() -> str:
            await first.registry.start()
            await first.burns.start()
            reply = await first.burn("ARC-1", wait_s=0)
            await first.burns.stop()
            await first.registry.stop()
            return reply.burn_id

        burn_id = asyncio.run(begin())
    with door_site(tmp_path / "site") as second:
        denied = second.registry.deny.denies_node("ARC-1")

        async def go_on() -> Burn:
            async with second.running():
                await until(lambda: second.burns.get(burn_id).state == "COMPLETE")
                return second.burns.get(burn_id)

        reply = asyncio.run(go_on())
    assert denied is not None
    assert (reply.counts, denied.reference) == ({"revoked": len(reply.targets)}, burn_id)


def test_a_reader_that_was_deleted_is_proven_by_being_gone(site: DoorSite) -> None:
    """Nothing is granted through a door that nobody drives any more."""
    onboard(site)

    async def run() -> Burn:
        async with site.running():
            await unplugged(site, "safe-1")
            partial = await site.burn("ARC-1", wait_s=0)
            await site.registry.clusters.delete("safe", actor=ACTOR)
            await site.credentials.doors.settle()
            await until(lambda: site.burns.get(partial.burn_id).state == "COMPLETE")
            return site.burns.get(partial.burn_id)

    reply = asyncio.run(run())
    target = next(target for target in reply.targets if target.id == "reader:safe-1")
    assert "no longer registered" in (target.evidence or "")


@pytest.mark.parametrize(("prefer", "status"), [("", 200), ("respond-async", 202)])
def test_the_status_says_whether_all_is_proven(site: DoorSite, prefer: str, status: int) -> None:
    """200 COMPLETE, 202 when the caller did not want to wait; what was followed is told."""
    call: Call[BurnBody, None] = Call(
        body=BurnBody(node_id="ARC-1", scope="GLOBAL_REVOCATION", reason="lost"),
        query=None,
        path={},
        caller=Caller("key-1", Clearance.CITADEL, "test"),
        request_id="req_1",
        headers={"prefer": prefer} if prefer else {},
        url="http://127.0.0.1/v1/citadel/uac/burn",
        disconnected=lambda: asyncio.sleep(0, False),
    )

    async def run() -> tuple[int, str | None]:
        async with site.running():
            await site.secure(4)
            answer = await operations._burn(site.burns, call)
            return answer.status, answer.headers.get("Preference-Applied")

    assert asyncio.run(run()) == (status, prefer or None)


def test_results_of_a_burn_share_their_fsyncs(tmp_path: Path) -> None:
    """Sixty doors answer in far fewer commits than sixty: each takes all that came in meanwhile."""
    with door_site(tmp_path / "site") as site:
        site.cluster("east", 60)

        async def run() -> Burn:
            async with site.running():
                await site.secure(60)
                return await site.burn("ARC-1")

        reply = asyncio.run(run())
        with site.store.read() as connection:
            commits = {row.changed_us for row in connection.execute(burn_target.select())}
    assert (reply.state, len(commits) <= 12) == ("COMPLETE", True)
