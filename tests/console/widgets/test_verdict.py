"""Large words for a state, and for a decision of a moment."""

from __future__ import annotations

import time
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.console.clock import date_time
from app.console.theme.tokens import Meaning
from app.console.widgets import verdict as module
from app.console.widgets.verdict import PassingVerdict, moment


@pytest.fixture
def label(application: QApplication, qtbot: Any) -> PassingVerdict:
    """A shown one."""
    made = PassingVerdict(22)
    qtbot.addWidget(made)
    made.show()
    return made


def test_a_decision_carries_its_time(label: PassingVerdict) -> None:
    """In its name as on the screen; it stands while it is young."""
    at = time.time()
    label.decide(Meaning.OK, "GRANT", at)
    assert (label.state, label.word) == (Meaning.OK, "GRANT")
    assert label.accessibleName() == f"GRANT at {moment(at)}"
    assert label.decided == (Meaning.OK, "GRANT", at)
    timed = label.sizeHint().width()
    label.set(Meaning.OK, "GRANT")
    assert label.sizeHint().width() < timed
    assert label.accessibleName() == "GRANT"
    assert label.decided is None


def test_a_decision_passes_with_time(label: PassingVerdict, qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No green stays: ring, and the word says that it was."""
    monkeypatch.setattr(module, "STANDS_S", 0.05)
    at = time.time()
    with qtbot.waitSignal(label.passed):
        label.decide(Meaning.OK, "GRANT", at)
    assert (label.state, label.word) == (Meaning.IDLE, "Was GRANT")
    assert label.accessibleName() == f"Was GRANT at {moment(at)}"
    assert label.decided is None
    label.decide(Meaning.OK, "GRANT", at)
    assert label.state is Meaning.IDLE
    label.decide(Meaning.CRIT, "DENY", time.time())
    assert label.word == "DENY"


@pytest.mark.parametrize("word", ["GRANT", "DENY", "No match"])
def test_what_has_passed_needs_no_more_room(label: PassingVerdict, word: str) -> None:
    """Its place was made for the decision; and what stands below stays where it is."""
    label.decide(Meaning.OK, word, time.time())
    standing = label.sizeHint()
    label.pass_by()
    assert label.sizeHint().width() <= standing.width()
    assert label.sizeHint().height() == standing.height()


def test_an_old_decision_is_of_the_past_at_once(label: PassingVerdict) -> None:
    """One that is opened from a list has its age."""
    heard: list[str] = []
    label.passed.connect(lambda: heard.append("passed"))
    label.decide(Meaning.BAD, "No match", time.time() - module.STANDS_S - 1)
    assert (label.state, label.word, heard) == (Meaning.IDLE, "Was No match", ["passed"])


def test_a_decision_of_tomorrow_stands_no_longer(label: PassingVerdict) -> None:
    """The service's clock is ahead: it is current for ten seconds, not for a day."""
    label.decide(Meaning.OK, "GRANT", time.time() + 86_400)
    assert 0 < label._timer.interval() <= module.STANDS_S * 1000


def test_a_decision_is_as_old_as_by_the_clock_that_it_is_of(label: PassingVerdict) -> None:
    """A service three hours behind this machine decided a moment ago: that stands."""
    service = time.time() - 10_800.0
    label.decide(Meaning.OK, "GRANT", service - 2.0, now=service)
    assert (label.state, label.word) == (Meaning.OK, "GRANT")
    assert label.age_s == pytest.approx(2.0, abs=0.5)


def test_nothing_passes_when_nothing_was_decided(label: PassingVerdict) -> None:
    """A state that is no decision is left alone."""
    label.set(Meaning.IDLE, "None yet")
    label.pass_by()
    assert label.word == "None yet"


def test_a_time_of_another_day_has_its_day() -> None:
    """Today's has the time alone."""
    now = time.time()
    assert moment(now) == date_time(now)[11:]
    assert moment(now - 5 * 86_400) == date_time(now - 5 * 86_400)
