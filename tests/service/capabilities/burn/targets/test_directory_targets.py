"""What all directories share: who is a target there, eight at a time, one prober at a dead one, frozen subjects."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from sqlalchemy import delete, update

from app.capabilities.burn import fanout
from app.capabilities.burn.messages import Burn, BurnTarget, Preview, PreviewBody, Residual, TargetState
from app.capabilities.burn.targets import BurnFacts, directory_line
from app.capabilities.burn.targets.connector import AttemptOutcome, AttemptSubject, Connector, Refusal, Tools
from app.capabilities.burn.undone import RESTORED
from app.delivery.outbound import CONNECTIONS, SystemUnreachable
from app.registry.directories import DirectoryRow
from app.registry.messages.directories import DirectoryKind
from app.registry.tables import directory
from tests.door_site import DoorSite, door_site, until

URL = "https://directory.invalid/"


class Hand:
    """A kind of directory that answers what the test's hand gives it, when it gives it."""

    kind: ClassVar[DirectoryKind] = "scim"
    per: Literal["person", "site"] = "person"
    searches: tuple[Literal["employee_id", "email"], ...] = ("employee_id", "email")
    readable = True
    schemes: ClassVar[tuple[str, ...]] = ("https", "http")
    credential: ClassVar[str] = "a token"
    fields: ClassVar[tuple[str, ...]] = ()

    def __init__(self) -> None:
        self.asked: list[tuple[str, AttemptSubject]] = []
        self.at_once = 0
        self.most = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.answer: Callable[[AttemptSubject], AttemptOutcome] = lambda who: AttemptOutcome(
            "revoked", f"{who.account} is locked"
        )
        self.probed = 0

    def __call__(self, tools: Tools) -> Connector:
        """Made as every connector is."""
        del tools
        return self

    async def revoke(
        self, where: DirectoryRow, who: AttemptSubject, facts: BurnFacts, deadline_s: float
    ) -> AttemptOutcome:
        """Waits for the gate, then answers."""
        self.asked.append((where.url, who))
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            await self.gate.wait()
            return self.answer(who)
        finally:
            self.at_once -= 1

    async def probe(self, where: DirectoryRow, deadline_s: float) -> str:
        """As the answer to nobody."""
        self.probed += 1
        await self.gate.wait()
        return self.answer(AttemptSubject("ARC-0", None, None, None)).evidence

    def residual(self, where: DirectoryRow, state: TargetState, at_us: int) -> Residual | None:
        """Always some."""
        return Residual(what=f"{where.display_name}: tokens", until=None)

    async def close(self) -> None:
        """Nothing is held."""


def dead(_who: AttemptSubject) -> AttemptOutcome:
    """Nobody there."""
    raise SystemUnreachable("No connection.")


@pytest.fixture
def hand() -> Hand:
    """What the directory answers is in the test's hand."""
    return Hand()


@pytest.fixture
def site(tmp_path: Path, hand: Hand) -> Iterator[DoorSite]:
    """A site with the directory ``staff``."""
    with door_site(tmp_path / "site", connectors=[hand]) as made:
        made.directory("staff", "scim", URL, display_name="Staff", secret="a-long-token")
        yield made


def target(burn: Burn, kind: str = "scim") -> BurnTarget:
    """The only target of this kind."""
    (found,) = [item for item in burn.targets if item.kind == kind]
    return found


def burned(site: DoorSite, node_id: str = "ARC-1", wait_s: float = 5.0) -> Burn:
    """Starts the site and burns the node."""

    async def run() -> Burn:
        async with site.running():
            return await site.burn(node_id, wait_s)

    return asyncio.run(run())


def test_each_account_is_a_target(site: DoorSite) -> None:
    """Two accounts of one person in one directory are proven each by itself."""
    site.account("ARC-1", ("staff", "t1"), ("staff", "t1-admin"))
    reply = burned(site)
    assert sorted(item.evidence or "" for item in reply.targets if item.kind == "scim") == [
        "t1 is locked",
        "t1-admin is locked",
    ]
    assert reply.state == "COMPLETE"


def test_who_cannot_be_looked_for_is_told(site: DoorSite, hand: Hand) -> None:
    """No account is named, and nothing is known by which one could be found: said as a target, never a proof."""
    site.account("ARC-1")
    foreseen = site.burns.preview(PreviewBody(node_id="ARC-1"))
    reply = burned(site)
    why = (
        "not looked for: the node names no account there, and its employee number and e-mail address is not registered"
    )
    assert (target(reply).state, target(reply).evidence) == ("unlinked", why)
    assert (reply.state, reply.unlinked, reply.delivered) == ("COMPLETE", 1, 0)
    assert hand.asked == []
    (seen,) = [item for item in foreseen.targets if item.kind == "scim"]
    assert seen.detail == why


def test_an_account_that_is_linked_after_the_burn_is_reached(site: DoorSite, hand: Hand) -> None:
    """The operator who follows the advice "link it" ends at the account: each that is named since, then the search."""
    site.account("ARC-1", email="t1@site.invalid")

    def answer(who: AttemptSubject) -> AttemptOutcome:
        if who.account is None:
            return AttemptOutcome("failed", "t1 bears the address alone")
        return AttemptOutcome("revoked", f"{who.account} is locked")

    hand.answer = answer

    async def run() -> tuple[BurnTarget, Burn]:
        async with site.running():
            before, found = await site.tried("scim")
            site.account("ARC-1", ("staff", "t1"), ("staff", "t2"), ("other", "t3"), email="t1@site.invalid")
            hand.answer = lambda who: AttemptOutcome("unlinked" if who.account is None else "revoked", f"{who.account}")
            return found, await site.burns.retry(before.burn_id, found.id)

    before, after = asyncio.run(run())
    assert before.state == "failed"
    assert [who.account for _, who in hand.asked] == [None, "t1", "t2", None]
    assert (target(after).state, target(after).evidence) == ("revoked", "t1; t2")


def test_directories_are_asked_before_doors_are_told(
    site: DoorSite, hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand doors must not hold up the attempt that takes longest; they deny already."""
    fleet = site.credentials.doors.fleet
    tell, asked = fleet.tell, []

    def told(*arguments: Any, **named: Any) -> Any:
        asked.append(len(hand.asked))
        return tell(*arguments, **named)

    site.cluster("east", 1)
    site.account("ARC-1", ("staff", "t1"))
    monkeypatch.setattr(fleet, "tell", told)
    assert burned(site).counts == {"revoked": 3}
    assert asked[-1] == 1


def test_a_burn_that_ends_at_once_tells_nobody(site: DoorSite, hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lifted in the turn in which it began: neither directory nor door is asked for it."""
    announced: list[str] = []
    site.cluster("east", 1)
    site.account("ARC-1", ("staff", "t1"))
    fan = site.burns._fanout
    begin = fan.begin

    def begin_and_end(running: Any) -> None:
        begin(running)
        fan.end(running.facts.burn_id)

    async def run() -> None:
        async with site.running():
            await site.secure(1)
            monkeypatch.setattr(
                site.credentials.doors.fleet, "announce", lambda *a, **k: announced.append("door") or {}
            )
            monkeypatch.setattr(fan, "begin", begin_and_end)
            await site.burn("ARC-1", 0.0)
            await asyncio.sleep(3 * fanout._HEAD_START_S)

    asyncio.run(run())
    assert (hand.asked, announced) == ([], [])


@pytest.mark.parametrize(
    ("per", "employee", "reached"),
    [("person", "E-1", True), ("person", None, False), ("site", None, True)],
)
def test_who_is_reached_without_an_account(
    site: DoorSite, hand: Hand, per: Literal["person", "site"], employee: str | None, reached: bool
) -> None:
    """By the employee number where the kind knows how; always where the whole site is told."""
    hand.per = per
    site.account("ARC-1", employee_id=employee)
    burned(site)
    assert [who for _, who in hand.asked] == ([AttemptSubject("ARC-1", None, None, employee)] if reached else [])


def test_an_account_in_a_directory_that_is_not_registered_stays_open(site: DoorSite, hand: Hand) -> None:
    """PARTIAL, never a success; once the directory is registered the next try ends it there."""
    site.account("ARC-1", ("staff", "t1"), ("gone", "t2"))

    async def run() -> tuple[Burn, Burn]:
        async with site.running():
            before = await site.burn("ARC-1", 1.0)
            site.directory("gone", "scim", URL + "gone")
            return before, await site.burns.retry(before.burn_id, target(before, "directory").id)

    before, after = asyncio.run(run())
    assert (before.state, target(before, "directory").state) == ("PARTIAL", "failed")
    assert "gone" in (target(before, "directory").evidence or "")
    assert (after.state, target(after, "directory").evidence) == ("COMPLETE", "t2 is locked")
    assert [url for url, _ in hand.asked] == [URL, URL + "gone"]


def test_a_kind_that_nobody_reaches_is_told(site: DoorSite) -> None:
    """An account in a directory of a kind without a connector is unsupported, not left out."""
    site.directory("old", "peer", URL)
    site.account("ARC-1", ("old", "t1"))
    reply = burned(site, wait_s=1.0)
    assert (reply.state, target(reply, "peer").state) == ("PARTIAL", "unsupported")


def test_a_broken_seal_stops_no_burn(site: DoorSite) -> None:
    """A secret that does not open fails its own target; the burn is stored and the rest is reached."""
    site.directory("other", "scim", URL, secret="another")
    site.account("ARC-1", ("staff", "t1"), ("other", "t1"))
    broken = update(directory).where(directory.c.directory_id == "other").values(secret_sealed=b"\x00" * 60)
    site.write(lambda tx: tx.connection.execute(broken))
    reply = burned(site, wait_s=1.0)
    assert sorted(item.state for item in reply.targets) == ["failed", "revoked", "revoked"]


def test_eight_attempts_at_a_time(site: DoorSite, hand: Hand) -> None:
    """A burn of twenty accounts in one directory keeps to eight at once and ends all."""
    site.account("ARC-1", *[("staff", f"t{number}") for number in range(20)])
    hand.gate.clear()

    async def run() -> Burn:
        async with site.running():
            burning = asyncio.create_task(site.burn("ARC-1", 5.0))
            await until(lambda: hand.at_once == CONNECTIONS)
            hand.gate.set()
            return await burning

    assert asyncio.run(run()).state == "COMPLETE"
    assert (hand.most, len(hand.asked)) == (CONNECTIONS, 20)


def test_one_prober_at_a_dead_directory(site: DoorSite, hand: Hand) -> None:
    """While it is dead a single attempt is made at a time; when it answers all that wait go on at once."""
    people = [f"ARC-{number}" for number in range(1, 16)]
    for node_id in people:
        site.account(node_id, ("staff", node_id))
    hand.answer = dead

    async def run() -> list[Burn]:
        async with site.running():
            # The first to come find out that it is dead.
            await site.burn(people[0], 0.05)
            await until(lambda: not hand.at_once and len(hand.asked) > 0)
            hand.gate.clear()
            pending = [await site.burn(node_id, 0.0) for node_id in people[1:]]
            await until(lambda: hand.at_once == 1)
            hand.most = 1
            later = [await site.burn(node_id, 0.05) for node_id in people]
            assert {target(item).state for item in pending + later} == {"pending_offline"}
            assert hand.most == 1
            hand.answer = lambda who: AttemptOutcome("revoked", f"{who.account} is locked")
            hand.gate.set()
            # Nobody's own turn of the back-off is due so soon for all of them.
            return [await site.burn(node_id, 10.0) for node_id in people]

    done = asyncio.run(run())
    assert {item.state for item in done} == {"COMPLETE"}
    assert hand.most <= CONNECTIONS


def test_those_who_wait_go_on_without_their_turn(site: DoorSite, hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    """The directory's answer to one brings all: the one that was turned away and the one that had failed."""
    monkeypatch.setattr(fanout, "_pause", lambda target: 3600.0)
    for number in (1, 2, 3):
        site.account(f"ARC-{number}", ("staff", f"t{number}"))
    hand.answer = dead

    async def run() -> list[BurnTarget]:
        async with site.running():
            failed, _ = await site.tried("scim")
            hand.gate.clear()
            prober = await site.burn("ARC-2", 0.0)
            await until(lambda: hand.at_once == 1)
            turned_away = await site.burn("ARC-3", 0.0)
            await until(lambda: target(site.burns.get(turned_away.burn_id)).attempts == 1)
            assert "has not answered" in (target(site.burns.get(turned_away.burn_id)).evidence or "")
            hand.answer = lambda who: AttemptOutcome("revoked", "locked")
            hand.gate.set()
            ids = [failed.burn_id, prober.burn_id, turned_away.burn_id]
            await until(lambda: all(site.burns.get(burn_id).state == "COMPLETE" for burn_id in ids))
            return [target(site.burns.get(burn_id)) for burn_id in ids]

    assert [found.attempts for found in asyncio.run(run())] == [2, 1, 2]


def test_a_pause_that_is_asked_for_is_kept(site: DoorSite, hand: Hand) -> None:
    """Nobody goes there until it is over; then all go on by themselves."""
    site.account("ARC-1", ("staff", "t1"))
    site.account("ARC-2", ("staff", "t2"))
    hand.answer = lambda who: AttemptOutcome("pending_offline", "too many", pause_s=0.4)

    async def run() -> tuple[Burn, Burn]:
        async with site.running():
            await site.burn("ARC-1", 0.0)
            await until(lambda: len(hand.asked) == 1 and not hand.at_once)
            second = await site.burn("ARC-2", 0.05)
            assert len(hand.asked) == 1
            hand.answer = lambda who: AttemptOutcome("revoked", "locked")
            return second, await site.burn("ARC-2", 5.0)

    second, done = asyncio.run(run())
    assert target(second).state == "pending_offline"
    assert done.state == "COMPLETE"


@pytest.mark.parametrize(("error", "state"), [(Refusal("no such account"), "failed"), (RuntimeError("bug"), "failed")])
def test_what_breaks_in_one_directory_is_its_own(
    site: DoorSite, hand: Hand, error: Exception, state: TargetState
) -> None:
    """A refusal is told in its words; a defect says where to look, and nothing of it leaves."""
    site.account("ARC-1", ("staff", "t1"))

    def broken(_who: AttemptSubject) -> AttemptOutcome:
        raise error

    hand.answer = broken
    found = target(burned(site, wait_s=0.5))
    assert found.state == state
    assert ("no such account" in (found.evidence or "")) is isinstance(error, Refusal)
    assert "bug" not in (found.evidence or "")


def test_what_a_directory_says_is_told_short_and_plain(site: DoorSite, hand: Hand) -> None:
    """It may send any text, our own secret among it."""
    site.account("ARC-1", ("staff", "t1"))
    hand.answer = lambda who: AttemptOutcome("revoked", "version a-long-token\n\x1b[2J" + "9" * 1000)
    evidence = target(burned(site)).evidence or ""
    assert evidence.startswith("version (secret)??[2J9")
    assert len(evidence) == 500


def test_who_is_burned_is_frozen(tmp_path: Path, hand: Hand) -> None:
    """A node that is changed after the burn, and a restart, change nothing in whom the directory is asked to end."""
    hand.answer = dead
    with door_site(tmp_path / "site", connectors=[hand]) as site:
        site.directory("staff", "scim", URL)
        site.account("ARC-1", ("staff", "t1"), employee_id="E-1", email="t1@site.invalid")
        before = burned(site, wait_s=0.3)
        site.account("ARC-1")
    assert target(before).state == "pending_offline"
    hand.answer = lambda who: AttemptOutcome("revoked", "locked")
    hand.asked.clear()
    with door_site(tmp_path / "site", connectors=[hand]) as site:

        async def again() -> None:
            async with site.running():
                await until(lambda: site.burns.get(before.burn_id).state == "COMPLETE")

        asyncio.run(again())
    assert [who for _, who in hand.asked] == [AttemptSubject("ARC-1", "t1", "t1@site.invalid", "E-1")]


def test_an_attempt_that_is_cut_off_comes_again(tmp_path: Path, hand: Hand) -> None:
    """A stop in the middle leaves the target open, and the next start reaches it."""
    hand.gate.clear()
    with door_site(tmp_path / "site", connectors=[hand]) as site:
        site.directory("staff", "scim", URL)
        site.account("ARC-1", ("staff", "t1"))
        before = burned(site, wait_s=0.1)
        assert (target(before).state, hand.at_once) == ("pending_offline", 0)
        hand.gate.set()

        async def again() -> None:
            async with site.running():
                await until(lambda: site.burns.get(before.burn_id).state == "COMPLETE")

        asyncio.run(again())
    assert len(hand.asked) == 2


def test_a_directory_that_is_taken_out_fails_its_target(site: DoorSite, hand: Hand) -> None:
    """Not a success: somebody must look."""
    hand.answer = dead
    site.account("ARC-1", ("staff", "t1"))

    async def run() -> Burn:
        async with site.running():
            first = await site.burn("ARC-1", 0.1)
            site.write(lambda tx: tx.connection.execute(delete(directory)))
            await until(lambda: target(site.burns.get(first.burn_id)).state == "failed")
            return site.burns.get(first.burn_id)

    reply = asyncio.run(run())
    assert (target(reply).state, reply.residual_exposure[-1].what) == (
        "failed",
        "staff: whatever the account may do there",
    )


def test_a_directory_of_another_kind_is_not_asked_about_its_accounts(site: DoorSite, hand: Hand) -> None:
    """The same name for another kind of system: its accounts were never meant."""
    hand.answer = dead
    site.account("ARC-1", ("staff", "t1"))

    async def run() -> Burn:
        async with site.running():
            first = await site.burn("ARC-1", 0.1)
            site.directory("staff", "webhook", URL, secret=None)
            await until(lambda: target(site.burns.get(first.burn_id)).state == "failed")
            return site.burns.get(first.burn_id)

    assert target(asyncio.run(run())).evidence == "staff is registered as webhook now"


def test_a_drill_reaches_drill_directories_alone(site: DoorSite, hand: Hand) -> None:
    """A drill identity's accounts elsewhere are no targets, registered or not."""
    site.directory("practice", "scim", URL + "practice", tags=["drill"])
    site.account("ARC-1", ("staff", "t1"), ("practice", "t1"), ("gone", "t1"), tags=["drill"])
    assert burned(site).state == "COMPLETE"
    assert [url for url, _ in hand.asked] == [URL + "practice"]


@pytest.mark.parametrize(
    ("per", "readable", "told"), [("person", True, [RESTORED]), ("person", False, []), ("site", True, [])]
)
def test_a_proven_target_is_looked_at_again(
    site: DoorSite, hand: Hand, per: Literal["person", "site"], readable: bool, told: list[str]
) -> None:
    """Once more than it was; where the account's state is read there, a lock that had to be set again was undone, and
    that is an alarm."""
    hand.per, hand.readable = per, readable
    site.account("ARC-1", ("staff", "t1"))

    async def run() -> tuple[Burn, Burn]:
        async with site.running():
            first = await site.burn("ARC-1", 5.0)
            return first, await site.burns.retry(first.burn_id, target(first).id)

    first, again = asyncio.run(run())
    assert (first.state, again.state, len(hand.asked)) == ("COMPLETE", "COMPLETE", 2)
    assert [alarm.kind for alarm in site.alarms.open()] == told


# --- preview ---


def look(site: DoorSite, node_id: str = "ARC-1", **fields: object) -> Preview:
    """The preview as the call makes it."""

    async def run() -> Preview:
        async with site.running():
            return await site.burns.look(PreviewBody(node_id=node_id, **fields))  # type: ignore[arg-type]

    return asyncio.run(run())


def test_the_preview_looks_at_the_directories(site: DoorSite, hand: Hand) -> None:
    """Before any burn it says who answers."""
    site.account("ARC-1", ("staff", "t1"), ("gone", "t2"))
    seen = look(site)
    assert [(item.kind, item.reachable) for item in seen.targets] == [("scim", True), ("directory", False)]
    assert hand.asked == []


def test_the_preview_says_why_one_is_not_reachable(site: DoorSite, hand: Hand) -> None:
    """In the words of the trial; a refusal is an answer."""
    site.account("ARC-1", ("staff", "t1"))
    hand.answer = dead
    assert [(item.reachable, item.detail) for item in look(site).targets] == [(False, "No connection.")]

    def refuses(_who: AttemptSubject) -> AttemptOutcome:
        raise Refusal("the token is refused")

    hand.answer = refuses
    assert [(item.reachable, item.detail) for item in look(site).targets] == [(True, "the token is refused")]


def test_the_preview_waits_for_nobody(site: DoorSite, hand: Hand) -> None:
    """A directory that hangs is unknown; it is looked at once however many previews come."""
    site.account("ARC-1", ("staff", "t1"))
    hand.gate.clear()

    async def run() -> list[Preview]:
        async with site.running():
            body = PreviewBody(node_id="ARC-1")
            return list(await asyncio.gather(*[site.burns.look(body) for _ in range(5)]))

    assert [item.reachable for seen in asyncio.run(run()) for item in seen.targets] == [None] * 5
    assert hand.probed == 1


def test_a_local_burn_previews_no_directory(site: DoorSite, hand: Hand) -> None:
    """It would reach none."""
    site.account("ARC-1", ("staff", "t1"))
    assert (look(site, scope="LOCAL_ONLY").targets, hand.probed) == ([], 0)


def test_a_preview_that_reaches_a_dead_directory_lets_burns_go_on(
    site: DoorSite, hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who finds out that it is back does not matter: the burn does not wait for its own next turn."""
    monkeypatch.setattr(fanout, "_pause", lambda target: 3600.0)
    monkeypatch.setattr(directory_line, "FRESH_S", 0.0)
    site.account("ARC-1", ("staff", "t1"))
    hand.answer = dead

    async def run() -> Burn:
        async with site.running():
            first, _ = await site.tried("scim")
            await until(lambda: not site.burns._fanout.running[first.burn_id].in_flight)
            hand.answer = lambda who: AttemptOutcome("revoked", "locked")
            await site.burns.look(PreviewBody(node_id="ARC-1"))
            await until(lambda: site.burns.get(first.burn_id).state == "COMPLETE")
            return site.burns.get(first.burn_id)

    assert target(asyncio.run(run())).attempts == 2
