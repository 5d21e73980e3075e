"""Larger text, offered once: on a screen of 3840 x 2160 that nothing scales, text at 100 % is too small for a desk.

A line above the page, which moves the page down and covers nothing. Either answer is kept in the preferences.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QScreen
from PySide6.QtWidgets import QFrame, QVBoxLayout

from app.console import theme
from app.console.language import tr
from app.console.preferences import Preferences
from app.console.widgets.buttons import plain_button
from app.console.widgets.text import label
from app.console.widgets.wrap_row import WrapRow

OFFERED_SCALE = 150
BUTTON_HIGH = 32
WIDE, HIGH = 3840, 2160
"""The least size of a screen, in its own pixels, on which larger text is offered."""


def is_due(screen: QScreen, value: Preferences) -> bool:
    """Whether larger text is offered on this screen: it is large, nothing scales it, and nobody has chosen yet."""
    size, scale = screen.size(), screen.devicePixelRatio()
    large = size.width() * scale >= WIDE and size.height() * scale >= HIGH
    return large and scale == 1.0 and value.text_scale == 100 and value.larger_text == ""


class TextOffer(QFrame):
    """Emits ``answered`` with whether larger text was taken."""

    answered = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "raised")
        inside = QVBoxLayout(self)
        inside.setContentsMargins(16, 8, 8, 8)
        row = WrapRow()
        inside.addLayout(row)
        sentence = tr(
            "This screen is large, and its text is small. Text can be shown at {scale} %.", scale=OFFERED_SCALE
        )
        detail = tr("Ctrl++ and Ctrl+- change it at any time, and so do the settings.")
        self.setAccessibleName(f"{sentence} {detail}")
        for words in (label(sentence), label(detail, "dim")):
            words.setMinimumHeight(theme.px(BUTTON_HIGH))
            row.addWidget(words)
        self.take = plain_button(tr("Show text at {scale} %", scale=OFFERED_SCALE), lambda: self.answered.emit(True))
        self.leave = plain_button(tr("Keep it as it is"), lambda: self.answered.emit(False))
        row.addWidget(self.take)
        row.addWidget(self.leave)
