"""The place of the pages: one is shown, as large as the place, the others wait."""

from __future__ import annotations

from PySide6 import QtCore
from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget


class PageStack(QWidget):
    """Shows one of the pages that it holds.

    It is no QStackedWidget. To change its page that one holds back the updates of all that it holds and lets them go
    again: with that Qt marks each widget of the page for itself, and paints nearly all of the page twice in one frame.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current: QWidget | None = None
        self._least = QSize()

    def addWidget(self, page: QWidget) -> None:
        """Hold ``page``, hidden until it is the current one. The first one is at once."""
        page.setParent(self)
        page.hide()
        if self._current is None:
            self.setCurrentWidget(page)

    def currentWidget(self) -> QWidget | None:
        """The page that is shown."""
        return self._current

    def setCurrentWidget(self, page: QWidget) -> None:
        """Show ``page``, and bring the hands from the one before it to where they were last on this one, as if nobody
        had gone there: a field of suggestions would open them over the page."""
        before = self._current
        if page is before:
            return
        hands = self.window().focusWidget()
        follows = before is not None and hands is not None and self.isAncestorOf(hands)
        if follows:
            # Not clearFocus: the page that goes would forget where they were.
            self.setFocus(QtCore.Qt.FocusReason.PopupFocusReason)
        self._current = page
        page.setGeometry(self.rect())
        page.show()
        if before is not None:
            before.hide()
        if follows and (last := page.focusWidget()) is not None:
            last.setFocus(QtCore.Qt.FocusReason.PopupFocusReason)
        self._ask_for_room()

    def minimumSizeHint(self) -> QSize:
        """What the page that is shown needs at least."""
        return QSize() if self._current is None else self._current.minimumSizeHint()

    def _ask_for_room(self) -> None:
        """Tell the window around it when the page needs another least size, and only then: most of what changes on a
        page changes nothing outside it."""
        least = self.minimumSizeHint()
        if least != self._least:
            self._least = least
            self.updateGeometry()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._ask_for_room()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._current is not None:
            self._current.setGeometry(self.rect())
