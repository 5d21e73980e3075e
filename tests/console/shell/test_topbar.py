"""The top bar: the field of the palette never moves, and nothing is painted over anything."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QWidget

from app.console import theme
from app.console.actions import Action, ActionTable
from app.console.desk_state import DeskOperator
from app.console.shell.topbar import SEARCH_AT_PX, TopBar
from app.console.theme.tokens import DARK, Meaning

TITLES = ("Audit", "Infrastructure", "Settings")
USED = ("console.palette", "console.alarms", "console.switch", "console.theme", "console.keys")


@pytest.fixture
def bar(application: QApplication, qtbot: Any) -> TopBar:
    """As beside a wide rail at the size of the design, with an operator at the desk."""
    owner = QWidget()
    qtbot.addWidget(owner)
    table = ActionTable(owner)
    table.add([Action(name, name, lambda: None, "sun") for name in USED])
    made = TopBar(table, TITLES, owner)
    operator = DeskOperator("opr_1", "Training administrator", frozenset({"admin"}))
    made.set_operator(operator)
    made.resize(1284, 48)
    owner.resize(1480, 48)
    owner.show()
    return made


def parts(bar: TopBar) -> list[QWidget]:
    """What is shown of it, from the left."""
    shown = [one for one in bar.findChildren(QWidget) if one.parentWidget() is bar and one.isVisible()]
    return sorted(shown, key=lambda one: one.x())


def test_the_field_stays_where_it_is(bar: TopBar, application: QApplication) -> None:
    """For every title, with every word beside it."""
    places = set()
    for title, words in itertools.product(TITLES, ("No alarm", "12 need you", "Alarms unknown")):
        bar.set_title(title)
        bar.set_alarms(Meaning.CRIT, words)
        application.processEvents()
        places.add((bar.search.x(), bar.search.width()))
    assert places == {(SEARCH_AT_PX, 340)}


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5])
def test_nothing_lies_over_anything_in_a_narrow_window(bar: TopBar, application: QApplication, scale: float) -> None:
    """1024 px wide: what has no room is left out, the alarms, the service and somebody at the desk stay."""
    theme.apply(application, DARK, scale=scale)
    try:
        bar.set_title("Infrastructure")
        bar.set_narrow(True)
        bar.resize(1024 - theme.px(56), theme.px(48))
        bar.set_alarms(Meaning.IDLE, "Alarms unknown")
        bar.set_service(Meaning.WARN, "No live data")
        application.processEvents()
        shown = parts(bar)
        assert {bar.search, bar.alarms, bar.service, bar.operator} <= set(shown)
        for left, right in itertools.pairwise(shown):
            assert left.geometry().right() < right.x(), (left.accessibleName(), right.accessibleName())
        assert shown[-1].geometry().right() <= bar.width()
    finally:
        theme.apply(application, DARK)
