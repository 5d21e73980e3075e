"""What the Dashboard tells of alarms that were closed: what it was, and who closed it."""

from __future__ import annotations

from typing import Any

import pytest

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console.moments import parse_time
from app.console.pages import dashboard
from app.console.pages.dashboard import DashboardPresenter
from app.console.pages.dashboard.closed import CLEARED, RAISED, TAKEN, ClosedRow, closed_rows
from app.console.session import WindowSession
from tests.console.built import built
from tests.console.pages.conftest import on_screen

AT = "2026-03-01T10:{minute:02}:00.000000Z"
BURNED = "A burned badge of node ARC-X was presented at reader door-1 (burn_1)."
PEOPLE = {"ARC-X": "Ada"}


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> DashboardPresenter:
    """The page without a service."""
    presenter = built(dashboard, session)
    assert isinstance(presenter, DashboardPresenter)
    on_screen(presenter, "dashboard", session, qtbot)
    return presenter


def entry(seq: int, action: str, actor: str = "service", name: str | None = None, **detail: Any) -> AuditEntry:
    """A leaf about alarm 1, in minute ``seq``."""
    return AuditEntry(
        seq=seq, timestamp=AT.format(minute=seq), actor=actor, actor_name=name, action=action, node_id="ARC-X",
        outcome="ACCEPTED", detail={"alarm_id": "alm_1", "kind": "burn.tripwire", "key": "k", **detail},
        leaf_hash="00" * 32,
    )  # fmt: skip


def rows(*entries: AuditEntry) -> list[ClosedRow]:
    """What these entries tell, with the name of the person."""
    return closed_rows(entries, PEOPLE.__getitem__, lambda one: one.actor_name or one.actor)


def test_a_closed_alarm_says_what_it_was_and_who_closed_it() -> None:
    """In the words of the list in which it stood open."""
    (row,) = rows(entry(1, RAISED, text=BURNED), entry(2, CLEARED, "op_2", "Operator 02"))
    assert (row.text, row.who) == ("Burned badge of Ada shown at door-1", "Operator 02")
    assert row.at == parse_time(AT.format(minute=2))


def test_what_ended_by_itself_names_its_owner_and_the_note() -> None:
    """The service closes what a change of the fact closes; who had taken it is who saw to it."""
    (row,) = rows(
        entry(1, RAISED, text=BURNED), entry(2, TAKEN, "op_2", "Operator 02", note="port replaced"), entry(3, CLEARED)
    )
    assert row.who == "Operator 02 · port replaced"


def test_what_nobody_had_ended_by_itself() -> None:
    """Nobody is named who did nothing."""
    (row,) = rows(entry(1, RAISED, text=BURNED), entry(2, CLEARED))
    assert row.who == "ended by itself"


def test_who_closes_it_is_named_before_who_had_it() -> None:
    """The note stays that of the owner."""
    (row,) = rows(entry(2, TAKEN, "op_2", "Operator 02", note="looked"), entry(3, CLEARED, "op_3", "Operator 03"))
    assert row.who == "Operator 03 · looked"


def test_an_alarm_whose_beginning_was_not_read_is_told_by_its_kind() -> None:
    """Nothing is made up of it."""
    (row,) = rows(entry(2, CLEARED, kind="frame.unreachable"))
    assert row.text == "Frame unreachable"


def test_what_is_open_is_not_among_the_closed() -> None:
    """Raised and taken alone close nothing."""
    assert rows(entry(1, RAISED, text=BURNED), entry(2, TAKEN, "op_2")) == []


def test_the_last_closed_is_first() -> None:
    """As lists of the past are."""
    found = rows(entry(1, CLEARED), entry(2, CLEARED, alarm_id="alm_2"))
    assert [row.key for row in found] == ["alm_2", "alm_1"]


def test_without_anything_closed_no_list_is_shown(page: DashboardPresenter) -> None:
    """And with something it stands below the sentence."""
    panel = page.view.attention
    panel.show_rows([], "")
    assert panel.nothing.table.isHidden()
    panel.show_closed([ClosedRow("alm_1", 1000.0, "Fact", "Operator 02")])
    assert (panel.nothing.table.isVisible(), panel.nothing.caption.text()) == (True, "Closed in the last hour")
    assert panel.nothing.least_px <= panel.stack.height()
