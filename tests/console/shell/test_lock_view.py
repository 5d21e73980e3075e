"""What a locked window shows of alarms, as it stands on the screen."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QApplication

from app.console import theme
from app.console.shell.lock_view import AlarmsOfNobody
from app.console.theme.tokens import DARK


def test_since_when_stands_under_the_words_whatever_the_text_size(application: QApplication, qtbot: Any) -> None:
    """Not under their shape, which grows with the text."""
    alarms = AlarmsOfNobody()
    qtbot.addWidget(alarms)
    theme.wear(alarms)
    alarms.show()
    theme.apply(application, DARK, scale=2.0)
    assert {row.detail.indent() for row in alarms.rows} == {theme.px(20)} == {40}
