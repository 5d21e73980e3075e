"""The field in which a moment of the past is typed, over the page below the strip."""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QWidget

from app.console import theme
from app.console.clock import date_time, zone_name
from app.console.language import tr
from app.console.shown_time import DAY_S
from app.console.widgets.text import label

WIDE, FIELD_WIDE = 700, 170
LONGEST = 40
"""Signs that a time may have."""
ELSEWHERE = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)
"""The keys went to another window or to the field's own menu, and come back."""


class TimeEdit(QLineEdit):
    """Emits ``left`` when the hands have gone elsewhere, ``cancelled`` on Esc, which is not the window's here."""

    left = Signal()
    cancelled = Signal()

    def event(self, event: QEvent) -> bool:
        override = event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if override and event.key() == Qt.Key.Key_Escape:  # type: ignore[attr-defined]  # ``override`` says what it is
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in ELSEWHERE:
            self.left.emit()


class TimeField(QFrame):
    """Emits ``given`` with what was typed; the caller answers by ``close_`` or ``refuse``. ``gone``: it was closed by
    Esc, so the keys are to go back."""

    given = Signal(str)
    gone = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 8, 12, 8)
        row.setSpacing(12)
        self.edit = TimeEdit()
        self.edit.setAccessibleName(tr("Time to show"))
        self.edit.setMaxLength(LONGEST)
        self.edit.returnPressed.connect(lambda: self.given.emit(self.edit.text()))
        self.edit.textEdited.connect(lambda _text: self._say("", wrong=False))
        self.edit.cancelled.connect(self._cancel)
        self.edit.left.connect(self.close_)
        self.said = label("", "dim", wrap=True)
        row.addWidget(self.edit)
        row.addWidget(self.said, 1)
        self.hide()

    def place(self, corner: QPoint, room: int) -> None:
        """Stand with the upper left corner there in the parent, at most ``room`` px wide."""
        self.edit.setFixedWidth(theme.px(FIELD_WIDE))
        self.setFixedWidth(min(theme.px(WIDE), room))
        self.move(corner)
        self._fit()

    def open_with(self, text: str) -> None:
        """Open where it was placed, with ``text`` in it."""
        self.edit.setText(text)
        self.show()
        self.raise_()
        self._say("", wrong=False)
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        # Keys that come by a shortcut choose the text: what follows must stand behind it.
        self.edit.end(False)

    def refuse(self, sentence: str) -> None:
        """Say why that time is not shown; what was typed stays, chosen whole so that another takes its place."""
        self._say(sentence, wrong=True)
        self.edit.selectAll()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.edit, sentence))

    def close_(self) -> None:
        """Close it."""
        self.hide()

    def _cancel(self) -> None:
        self.hide()
        self.gone.emit()

    def _say(self, sentence: str, *, wrong: bool) -> None:
        words = sentence or _hint()
        self.said.setText(words)
        self.edit.setAccessibleDescription(words)
        theme.set_property(self.said, "role", "error" if wrong else "dim")
        theme.mark_invalid(self.edit, wrong)
        self._fit()

    def _fit(self) -> None:
        """As high as its sentence needs."""
        layout = self.layout()
        if layout is not None and self.isVisible():
            self.setFixedHeight(max(layout.heightForWidth(self.width()), layout.minimumSize().height()))


def _hint() -> str:
    """What can be typed, and whose clock is meant."""
    zone, date = zone_name(), f"{date_time(time.time() - DAY_S)[:10]} 14:32"
    if zone == "UTC":
        return tr(
            "14:32:07 or 14:32 in UTC, with its date ({date}) for another day, or -5m, -3h, -2d. "
            "Enter goes there, Esc closes.",
            date=date,
        )
    return tr(
        "14:32:07 or 14:32 in {zone}, 14:32Z in UTC, with its date ({date}) for another day, or -5m, -3h, -2d. "
        "Enter goes there, Esc closes.",
        zone=zone,
        date=date,
    )
