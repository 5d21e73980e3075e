"""The checks of a judgement: what is not good stands first, and many good ones are one row until they are asked for."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.console.evidence.checks_view import MOST_GOOD, CheckList
from app.console.evidence.judgement import SealCheck, SealJudgement


@pytest.fixture
def checks(application: Any, qtbot: Any) -> CheckList:
    made = CheckList("Nothing is checked yet.")
    qtbot.addWidget(made)
    made.show()
    return made


def judged(*good: bool | None) -> SealJudgement:
    found = [SealCheck(f"Check {at}", one, f"Sentence {at}.") for at, one in enumerate(good)]
    return SealJudgement(tuple(found))


def test_many_good_checks_are_one_row(checks: CheckList, qtbot: Any) -> None:
    """Which Space on its button opens, and folds again."""
    checks.show_judgement(judged(*[True] * 30), "By this machine.")
    assert checks.rows == [("Good", "30 checks hold")]
    checks.unfold.setFocus()
    qtbot.keyClick(checks.unfold, Qt.Key.Key_Space)
    assert checks.rows == [("Good", f"Check {at}") for at in range(30)]
    qtbot.keyClick(checks.unfold, Qt.Key.Key_Space)
    assert len(checks.rows) == 1


def test_what_is_not_good_is_never_folded(checks: CheckList) -> None:
    """It stands above the good ones, in its order."""
    checks.show_judgement(judged(*[True] * 9, False, *[True] * 9, None), "By this machine.")
    assert checks.rows == [("Bad", "Check 9"), ("Open", "Check 19"), ("Good", "18 checks hold")]


def test_few_good_checks_are_each_a_row(checks: CheckList) -> None:
    """Nothing is folded that one look takes in."""
    checks.show_judgement(judged(*[True] * MOST_GOOD), "By this machine.")
    assert [word for word, _ in checks.rows] == ["Good"] * MOST_GOOD
    assert not checks.unfold.isVisible()


def test_another_judgement_is_folded_again(checks: CheckList) -> None:
    """And after what is shown is forgotten, nothing of it stays."""
    checks.show_judgement(judged(*[True] * 9), "By this machine.")
    checks.unfold.click()
    checks.show_judgement(judged(*[True] * 8), "By this machine.")
    assert checks.rows == [("Good", "8 checks hold")]
    checks.forget()
    assert (checks.rows, checks.checks, checks.unfold.isVisible()) == ([], (), False)
