"""A panel whose hero is a decision: when it was made, how long ago, and what passes with it."""

from __future__ import annotations

import time
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.console.theme.tokens import Meaning
from app.console.widgets.verdict import moment
from app.console.widgets.verdict_panel import VerdictPanel


@pytest.fixture
def panel(application: QApplication, qtbot: Any) -> VerdictPanel:
    """A shown one."""
    made = VerdictPanel("Verdict", 28)
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.mark.parametrize(("old", "words"), [(0, "0 s ago"), (7, "7 s ago"), (600, "10 min ago")])
def test_a_decision_has_its_time_and_its_age(panel: VerdictPanel, old: int, words: str) -> None:
    """Above the word, whether it still stands or has passed."""
    at = time.time() - old
    panel.verdict.decide(Meaning.OK, "Genuine", at)
    assert panel.when.text() == f"Verdict, {moment(at)}, {words}"


def test_without_a_decision_there_is_no_time(panel: VerdictPanel) -> None:
    """Its title stands alone."""
    panel.verdict.decide(Meaning.OK, "Genuine", time.time())
    panel.verdict.set(Meaning.WORK, "Judging")
    assert panel.when.text() == "Verdict"


def test_the_word_has_no_second_time(panel: VerdictPanel) -> None:
    """It stands above already."""
    panel.verdict.set(Meaning.OK, "Genuine")
    bare = panel.verdict.sizeHint()
    panel.verdict.decide(Meaning.OK, "Genuine", time.time())
    assert panel.verdict.sizeHint() == bare
