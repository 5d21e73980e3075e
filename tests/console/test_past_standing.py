"""How people stood at a moment, rebuilt from the audit log's entries after it."""

from __future__ import annotations

from typing import Any

import pytest

from app.capabilities.gateway.audit.messages import AuditCriteria, AuditEntry, AuditPage, AuditQuery, AuditRange
from app.console.moments import api_time, parse_time
from app.console.past_standing import (
    BURNED,
    CHANGE,
    CHECK,
    CONFLICT,
    HELD,
    NOT_READ,
    OVERLAP_S,
    PAGES,
    PUT,
    QUEUED,
    READ,
    TOO_EARLY,
    PastStanding,
    StandingLeaves,
    standing_at,
)
from app.console.session import WindowSession
from app.console.shown_time import REACH_S
from app.console.theme.tokens import Meaning
from tests.console.conftest import Run

AT = 1_772_020_800.0
"""2026-02-25 12:00:00 UTC: the moment."""
VERIFIED, SUSPENDED, REVOKED = "VERIFIED_DIGITAL_HUMAN", "SUSPENDED", "REVOKED"
ONE = {"containment_id": "con_1", "cause": "operator"}
BRAKE = {"containment_id": "con_1", "cause": "brake"}


def leaf(after_s: float, action: str, erased: bool = False, node_id: str | None = "ARC-1", **detail: Any) -> AuditEntry:
    """An entry so many seconds after the moment; its number follows the time."""
    return AuditEntry(
        seq=1000 + int(after_s * 1000), timestamp=api_time(AT + after_s), actor="op", action=action, node_id=node_id,
        outcome="ACCEPTED", detail=detail, leaf_hash="", erased=erased,
    )  # fmt: skip


def change(after_s: float, before: str, standing: str) -> AuditEntry:
    """A change of the standing."""
    return leaf(after_s, CHANGE, before=before, standing=standing, ref="x")


def test_without_a_change_people_stood_as_now() -> None:
    """And it is said from what that is known."""
    found = standing_at(VERIFIED, [change(-5, "UNVERIFIED", VERIFIED)], AT)
    assert (found.standing, found.said) == (VERIFIED, "The audit log has no change of it since that moment.")


def test_the_first_change_after_the_moment_says_what_was_before() -> None:
    """With its leaf, which anybody can look up."""
    entries = [change(60, VERIFIED, SUSPENDED), change(120, SUSPENDED, VERIFIED)]
    found = standing_at(VERIFIED, entries, AT + 90)
    assert (found.word, found.said) == ("Suspended", "Until 2026-02-25 12:02:00Z, says leaf 121,000 of the audit log.")


def test_what_happened_at_the_very_moment_is_of_it() -> None:
    """A click on a shape of the strip goes to its event, and shows it."""
    assert standing_at(SUSPENDED, [change(0, VERIFIED, SUSPENDED)], AT).standing == SUSPENDED


@pytest.mark.parametrize(("at", "standing"), [(-1, VERIFIED), (90, SUSPENDED), (150, REVOKED)])
def test_a_burn_of_somebody_contained(at: float, standing: str) -> None:
    """Its change names the standing that was recorded, not that the person was contained: the end of the containment
    says that."""
    entries = [
        leaf(60, HELD, **ONE), change(60.001, VERIFIED, SUSPENDED),
        leaf(120, BURNED, **ONE), change(120.001, VERIFIED, REVOKED),
    ]  # fmt: skip
    assert standing_at(REVOKED, entries, AT + at).standing == standing


def test_whom_the_brake_listed_before_a_burn_is_not_guessed() -> None:
    """Some that it lists are held, some are not."""
    entries = [leaf(120, BURNED, **BRAKE), change(120.001, VERIFIED, REVOKED)]
    assert standing_at(REVOKED, entries, AT).standing == ""


def test_a_live_check_that_ran_out_while_contained_lets_nobody_out() -> None:
    """Its leaf names the standing that was recorded: who was contained until a burn was contained before it, too. Whom
    the brake listed is not guessed."""
    for end, standing in ((ONE, SUSPENDED), (BRAKE, "")):
        entries = [
            leaf(-60, HELD, **end), change(600, VERIFIED, "EXPIRED"),
            leaf(700, BURNED, **end), change(700.001, "EXPIRED", REVOKED),
        ]  # fmt: skip
        assert standing_at(REVOKED, entries, AT).standing == standing


def test_a_burn_that_changed_no_standing_ended_a_containment() -> None:
    """Whom a burn had revoked before is burned again without a change."""
    assert standing_at(REVOKED, [leaf(120, BURNED, **ONE)], AT).standing == SUSPENDED


def test_a_change_before_a_burn_says_what_was_before_it() -> None:
    """Of whom the brake listed and did not hold."""
    entries = [change(60, VERIFIED, SUSPENDED), leaf(120, BURNED, **BRAKE), change(120.001, SUSPENDED, REVOKED)]
    assert standing_at(REVOKED, entries, AT).standing == VERIFIED


@pytest.mark.parametrize("action", [HELD, QUEUED])
def test_a_containment_that_began_and_ended_later_held_nobody_at_the_moment(action: str) -> None:
    """Its end tells nothing of before its beginning."""
    entries = [leaf(60, action, **BRAKE), leaf(60.001, BURNED, **BRAKE), change(120, VERIFIED, REVOKED)]
    assert standing_at(REVOKED, entries, AT).standing == VERIFIED


def test_a_live_check_changes_the_standing_of_who_was_not_verified() -> None:
    """One that only confirms it is no change."""
    check = leaf(60, CHECK, kind="palm", before="UNVERIFIED", standing=VERIFIED)
    again = leaf(90, CHECK, kind="palm", before=VERIFIED, standing=VERIFIED)
    assert standing_at(VERIFIED, [check, again], AT).standing == "UNVERIFIED"
    assert standing_at(VERIFIED, [again], AT).said == "The audit log has no change of it since that moment."


@pytest.mark.parametrize(("after_s", "standing"), [(600, VERIFIED), (75, ""), (30, "")])
def test_a_live_check_that_ran_out_about_then_is_not_guessed(after_s: float, standing: str) -> None:
    """The service writes it down up to 75 seconds late."""
    assert standing_at("EXPIRED", [change(after_s, VERIFIED, "EXPIRED")], AT).standing == standing


def test_a_live_check_that_ran_out_and_was_renewed_is_known_of_before() -> None:
    """The change after it begins where it ended."""
    entries = [change(600, VERIFIED, "EXPIRED"), change(700, "EXPIRED", VERIFIED)]
    assert standing_at(VERIFIED, entries, AT).said == "Until 2026-02-25 12:10:00Z, says leaf 601,000 of the audit log."


def test_what_is_not_known_has_a_state_and_a_word() -> None:
    """Neither is one that a person could have."""
    assert (PastStanding("", "x").state, PastStanding("", "x").word) == (Meaning.IDLE, "Not known")
    assert PastStanding(SUSPENDED, "x").state is Meaning.WARN


@pytest.mark.parametrize(
    ("now", "entries"),
    [
        (VERIFIED, [change(60, VERIFIED, SUSPENDED)]),
        (SUSPENDED, [change(600, VERIFIED, "EXPIRED")]),
        (VERIFIED, [leaf(60, CHANGE, standing=VERIFIED)]),
        (VERIFIED, [change(600, VERIFIED, "EXPIRED"), change(700, SUSPENDED, VERIFIED)]),
    ],
)
def test_entries_that_do_not_fit_say_nothing(now: str, entries: list[AuditEntry]) -> None:
    """One of them was not read, or the person stands otherwise for a reason that no entry has."""
    assert standing_at(now, entries, AT) == CONFLICT


def test_an_entry_that_was_erased_may_have_been_the_one() -> None:
    """Nobody can read any more what it was about."""
    assert standing_at(VERIFIED, [leaf(60, CHANGE, erased=True)], AT).standing == ""


def test_who_was_registered_later_is_not_known_of_then() -> None:
    """There may have been a row of that id before."""
    found = standing_at("UNVERIFIED", [leaf(60, PUT, made=True, changed=[])], AT)
    assert found == PastStanding("", "Registered 2026-02-25 12:01:00Z, after that moment.")


def test_whose_live_check_had_run_out_before_is_known_from_an_entry_alone() -> None:
    """It runs out by the clock, and may have done so after the moment without any entry."""
    check = leaf(60, CHECK, kind="palm", before="EXPIRED", standing=VERIFIED)
    assert standing_at(VERIFIED, [check], AT).standing == ""
    assert standing_at(VERIFIED, [change(-0.9, VERIFIED, "EXPIRED"), check], AT).standing == "EXPIRED"
    assert standing_at("EXPIRED", [], AT).standing == ""
    renewed = leaf(-0.3, CHECK, kind="palm", before="EXPIRED", standing=VERIFIED)
    assert standing_at("EXPIRED", [change(-0.9, VERIFIED, "EXPIRED"), renewed], AT).standing == ""


# --- the leaves that are read -----------------------------------------------------------------------------------------


class Log:
    """The service's part: its audit log, and what was asked of it. Its clock stands."""

    def __init__(self, session: WindowSession, monkeypatch: pytest.MonkeyPatch) -> None:
        self.leaves: list[AuditEntry] = []
        self.asked: list[tuple[float, AuditCriteria]] = []
        self.now = AT + 1800.0
        session.attach(self, "http://127.0.0.1:1", "citadel")  # type: ignore[arg-type]
        monkeypatch.setattr(session.live, "now", lambda: self.now)

    async def gateway_audit_log_query(self, query: AuditQuery) -> AuditPage:
        """The newest first, page by page."""
        span, criteria = query.range, query.criteria
        assert isinstance(span, AuditRange)
        assert isinstance(criteria, AuditCriteria)
        begin, end = parse_time(span.from_), parse_time(span.to)
        self.asked.append((begin, criteria))
        found = [
            one
            for one in reversed(self.leaves)
            if begin <= parse_time(one.timestamp) < end
            and criteria.action in (None, one.action)
            and criteria.node_id in (None, one.node_id)
        ]
        past = int(criteria.cursor or 0) + criteria.limit
        cursor = str(past) if past < len(found) else None
        return AuditPage(entries=found[past - criteria.limit : past], next=cursor, checkpoint="", log_ahead_s=0.0)


@pytest.fixture
def log(session: WindowSession, monkeypatch: pytest.MonkeyPatch) -> Log:
    """A log without a leaf, half an hour after the moment."""
    return Log(session, monkeypatch)


@pytest.mark.parametrize("of", ["", "ARC-1"])
def test_what_was_read_tells_of_each_person(of: str, log: Log, session: WindowSession, run: Run) -> None:
    """Of everybody or of one: their own leaves and no other's."""
    leaves = StandingLeaves(session, of)
    log.leaves = [change(60, VERIFIED, SUSPENDED), leaf(90, CHANGE, node_id="ARC-2", before="EXPIRED", standing="x")]
    run(leaves.read(AT))
    assert leaves.standing("ARC-1", SUSPENDED, AT, log.now).standing == VERIFIED
    assert leaves.standing("ARC-3", VERIFIED, AT, log.now).standing == VERIFIED


def test_an_erased_leaf_may_have_been_of_anybody(log: Log, session: WindowSession, run: Run) -> None:
    """Its person was erased with it."""
    leaves = StandingLeaves(session)
    log.leaves = [leaf(60, CHANGE, erased=True, node_id=None)]
    run(leaves.read(AT))
    assert "erased" in leaves.standing("ARC-3", VERIFIED, AT, log.now).said


def test_nothing_is_told_of_what_was_not_read(log: Log, session: WindowSession, run: Run) -> None:
    """Before the first reading; where the registry was asked after the last one, or before the moment; and before the
    hour that was read."""
    leaves = StandingLeaves(session)
    assert leaves.standing("ARC-1", VERIFIED, AT, log.now) is NOT_READ
    assert not leaves.reaches(AT, log.now)
    run(leaves.read(AT))
    hour = log.now - REACH_S - 1.0
    for at, known, told in (
        (AT, log.now + 1.0, NOT_READ),
        (AT + 1.0, AT, NOT_READ),
        (hour - 1.0, log.now, NOT_READ),
    ):
        assert leaves.standing("ARC-1", VERIFIED, at, known) is told
        assert not leaves.reaches(at, known)
    for at, known in ((hour, log.now), (AT, AT)):
        assert leaves.standing("ARC-1", VERIFIED, at, known).standing == VERIFIED
        assert leaves.reaches(at, known)


def test_a_second_reading_asks_for_what_is_new_alone(log: Log, session: WindowSession, run: Run) -> None:
    """What was written down late in the last minute is among it; what was read before still tells."""
    leaves = StandingLeaves(session)
    log.leaves = [change(60, "UNVERIFIED", VERIFIED)]
    run(leaves.read(AT))
    first, log.now = log.now, log.now + 300.0
    log.asked.clear()
    log.leaves.append(change(1900, VERIFIED, SUSPENDED))
    run(leaves.read(AT))
    assert {round(begin) for begin, _criteria in log.asked} == {round(first - OVERLAP_S)}
    assert leaves.standing("ARC-1", SUSPENDED, AT, log.now).standing == "UNVERIFIED"


def test_an_earlier_moment_is_read_from_there_on(log: Log, session: WindowSession, run: Run) -> None:
    """The window may show a moment of before the hour that was read first."""
    leaves = StandingLeaves(session)
    log.leaves = [change(-3000, "UNVERIFIED", VERIFIED)]
    run(leaves.read(AT))
    run(leaves.read(AT - 3600.0))
    assert leaves.standing("ARC-1", VERIFIED, AT - 3600.0, log.now).standing == "UNVERIFIED"


def test_after_a_long_pause_the_leaves_since_then_are_read(log: Log, session: WindowSession, run: Run) -> None:
    """None is missing between what was read before and what is read now."""
    leaves = StandingLeaves(session)
    run(leaves.read(AT))
    log.leaves = [change(2000, VERIFIED, SUSPENDED)]
    log.now += 20_000.0
    run(leaves.read(AT))
    assert leaves.standing("ARC-1", SUSPENDED, AT, log.now).standing == VERIFIED


def test_of_more_leaves_than_are_read_the_oldest_are_not_known(log: Log, session: WindowSession, run: Run) -> None:
    """Nothing is told of the time before the oldest that was read."""
    leaves = StandingLeaves(session, "ARC-1")
    log.leaves = [leaf(0.1 * at, QUEUED, **BRAKE) for at in range(READ * PAGES + 1)]
    run(leaves.read(AT))
    assert leaves.standing("ARC-1", VERIFIED, AT, log.now) is TOO_EARLY
    assert leaves.standing("ARC-1", VERIFIED, AT + 0.1, log.now).standing == VERIFIED


def test_leaves_that_were_passed_over_are_not_thought_read(log: Log, session: WindowSession, run: Run) -> None:
    """More came since the last reading than are read: of the time before them nothing is told any more."""
    leaves = StandingLeaves(session, "ARC-1")
    run(leaves.read(AT))
    log.leaves = [leaf(2000 + 0.1 * at, QUEUED, **BRAKE) for at in range(READ * PAGES + 1)]
    log.now += 1000.0
    run(leaves.read(AT))
    assert leaves.standing("ARC-1", VERIFIED, AT, log.now) is TOO_EARLY


def test_of_one_person_the_last_leaf_before_the_hour_is_read(log: Log, session: WindowSession, run: Run) -> None:
    """Only an entry says that a live check had run out; it may be old."""
    leaves = StandingLeaves(session, "ARC-1")
    log.leaves = [change(-86400 * 30, VERIFIED, "EXPIRED")]
    run(leaves.read(AT))
    assert leaves.standing("ARC-1", "EXPIRED", AT, log.now).standing == "EXPIRED"


def test_leaves_are_read_while_the_window_shows_the_past(log: Log, session: WindowSession, run: Run) -> None:
    """Live needs none."""
    leaves = StandingLeaves(session)
    run(leaves.read_shown())
    assert log.asked == []
    session.shown_time.go_to(AT)
    run(leaves.read_shown())
    assert leaves.reaches(AT, log.now)
