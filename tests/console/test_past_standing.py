"""How people stood at a moment, rebuilt from the audit log's entries after it."""

from __future__ import annotations

from typing import Any

import pytest

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console.clock import api_time
from app.console.past_standing import BURNED, CHANGE, CHECK, CONFLICT, HELD, PUT, QUEUED, PastStanding, standing_at

AT = 1_772_020_800.0
"""2026-02-25 12:00:00 UTC: the moment."""
VERIFIED, SUSPENDED, REVOKED = "VERIFIED_DIGITAL_HUMAN", "SUSPENDED", "REVOKED"
ONE = {"containment_id": "con_1", "cause": "operator"}
BRAKE = {"containment_id": "con_1", "cause": "brake"}


def leaf(after_s: float, action: str, erased: bool = False, **detail: Any) -> AuditEntry:
    """An entry so many seconds after the moment; its number follows the time."""
    return AuditEntry(
        seq=1000 + int(after_s * 1000), timestamp=api_time(AT + after_s), actor="op", action=action, node_id="ARC-1",
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


@pytest.mark.parametrize(("after_s", "standing"), [(600, VERIFIED), (30, "")])
def test_a_live_check_that_ran_out_about_then_is_not_guessed(after_s: float, standing: str) -> None:
    """The service writes it down up to a minute late."""
    assert standing_at("EXPIRED", [change(after_s, VERIFIED, "EXPIRED")], AT).standing == standing


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
