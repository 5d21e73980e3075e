"""Rosters against the nodes: what differs is told to people, and nobody is burned."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from app.api.problems import Problem
from app.capabilities.lifecycle.messages import Employment, Roster, RosterBody
from app.capabilities.lifecycle.reconcile import DIFFERENCE_ALARM, LATE_ALARM, LATE_US
from app.capabilities.lifecycle.tables import hr_roster
from app.registry.messages.nodes import NodeBody
from tests.door_site import ACTOR
from tests.hr_sender import event
from tests.hr_site import HrSite, hr_site


@pytest.fixture
def site(tmp_path: Path) -> Iterator[HrSite]:
    """E1 to E4 with a node each, and a node without an employee."""
    with hr_site(tmp_path / "site") as made:
        made.source()
        made.people(["E1", "E2", "E3", "E4"])
        nobody = NodeBody(display_name="Training Visitor")
        made.doors.write(lambda tx: made.doors.registry.nodes.put_in(tx, "ARC-VISITOR", nobody, ACTOR))
        yield made


def post(site: HrSite, *employees: Employment) -> Roster:
    """What the roster comes to."""
    return asyncio.run(site.rosters.post(RosterBody(employees=list(employees)), actor=ACTOR))


def employed(*employees: str) -> list[Employment]:
    """Employees without an end."""
    return [Employment(employee_id=employee) for employee in employees]


def told(roster: Roster) -> set[tuple[str, str]]:
    """Kind and node of each difference."""
    return {(part.kind, part.node_id) for part in roster.differences}


def test_a_roster_that_agrees_says_nothing(site: HrSite) -> None:
    """No alarm; nodes without an employee are counted."""
    roster = post(site, *employed("E1", "E2", "E3", "E4", "E5"))
    assert (roster.count, roster.employed, roster.unlinked, site.alarms()) == (0, 5, 1, [])


def test_who_is_not_employed_is_told_and_not_burned(site: HrSite) -> None:
    """Left out, or with an end that is over; one that is to come is no end yet."""
    ended = Employment(employee_id="E3", ended_at="2020-01-31T00:00:00Z")
    leaving = Employment(employee_id="E4", ended_at="2999-01-31T00:00:00Z")
    roster = post(site, *employed("E1"), ended, leaving)
    assert told(roster) == {("not_employed", "ARC-E2-0"), ("not_employed", "ARC-E3-0")}
    assert (site.alarms(), site.burned()) == ([DIFFERENCE_ALARM], set())


def test_who_is_employed_and_burned_is_told(site: HrSite) -> None:
    """A wrong discharge, or a rehired person without a node."""
    site.run(event("E1"))
    assert told(post(site, *employed("E1", "E2", "E3", "E4"))) == {("employed_but_burned", "ARC-E1-0")}


def test_a_difference_keeps_its_beginning_and_ends(site: HrSite) -> None:
    """The next night tells since when; a settled one goes, and with the last one the alarm."""
    first = post(site, *employed("E1", "E2", "E3"))
    second = post(site, *employed("E1", "E2", "E3"))
    assert first.differences == second.differences
    assert site.alarms() == [DIFFERENCE_ALARM]
    assert post(site, *employed("E1", "E2", "E3", "E4")).count == 0
    assert site.alarms() == []


def test_a_rosters_period_counts_as_a_rehire(site: HrSite) -> None:
    """A discharge from before it burns nobody."""
    site.doors.write(lambda tx: tx.connection.exec_driver_sql("UPDATE hr_period SET started_us = 1"))
    began = Employment(employee_id="E1", started_at="2026-01-01T00:00:00Z")
    post(site, began, *employed("E2", "E3", "E4"))
    old, fresh = site.run(event("E1", timestamp="2025-12-31T12:00:00Z"), event("E1"))
    assert (old.reason, fresh.action) == ("older_than_rehire", "burn")


def test_an_employee_stands_in_a_roster_once(site: HrSite) -> None:
    """Two periods of one person contradict each other."""
    with pytest.raises(Problem) as refused:
        post(site, *employed("E1", "E2", "E1"))
    assert refused.value.errors[0].pointer == "/employees/2/employee_id"


def test_a_roster_that_does_not_come_is_an_alarm(site: HrSite) -> None:
    """Once there was one: a quiet HR system looks like a quiet day."""
    site.doors.write(site.rosters.sweep)
    assert site.alarms() == []
    post(site, *employed("E1", "E2", "E3", "E4"))
    values = {"posted_us": hr_roster.c.posted_us - LATE_US}
    site.doors.write(lambda tx: tx.connection.execute(update(hr_roster).values(values)))
    site.doors.write(site.rosters.sweep)
    assert site.alarms() == [LATE_ALARM]
    post(site, *employed("E1", "E2", "E3", "E4"))
    assert site.alarms() == []


def test_before_the_first_there_is_none(site: HrSite) -> None:
    """404, with what to do."""
    with pytest.raises(Problem, match="No roster"):
        site.rosters.newest()
