"""The widgets that wear the style sheet, each with all that it holds: parts of the window, pages, dialogs.

The application wears none. While it does, Qt looks up the style of a whole tree each time that a filled widget is put
into another, which took half of the time in which the pages were built; and a new sheet dresses every widget of every
page in one piece. A ground is dressed by itself, a page in a turn of its own: what can be seen first, what is hidden
when there is time, and at the latest as it is shown for the first time. For some frames one part may have the new look
and another the old one. To paint nothing meanwhile (``setUpdatesEnabled``) would be worse: a window whose update is
pending when it is told so paints nothing for good.
"""

from __future__ import annotations

from collections.abc import Callable

import shiboken6
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

_MOST_YIELDS = 5
"""Turns in a row that other work may have before its own: a loop that is always busy must be dressed, too."""
_BARE = -1
"""The edition of what has worn no look yet."""


class Grounds(QObject):
    """All grounds of the application, and the sheet that they wear. One for each process, as QApplication is."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._sheet = ""
        self._edition = 0
        self._worn: dict[QWidget, int] = {}
        """Of each ground the edition of the sheet that it wears. It is kept until Qt deletes it: of a part that Qt made
        (a row of tabs, a list of suggestions) nobody else might keep what Python knows it by."""
        self._late: set[QWidget] = set()
        self._arrangements: dict[QWidget, Callable[[], object]] = {}
        self.busy: Callable[[], bool] = bool
        """Whether the turn is long already without a ground being dressed in it."""
        self._yielded = 0
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.timeout.connect(self._dress_one)

    def add(self, widget: QWidget, *, later: bool) -> None:
        """``widget`` is a ground from now on, unless it stands on one. It is dressed when this returns, or, now and
        after each change, ``later`` in a turn of its own."""
        above: QWidget | None = widget
        while above is not None:
            if above in self._worn:
                return
            above = above.parentWidget()
        widget.installEventFilter(self)
        widget.destroyed.connect(lambda: self._forget(widget))
        if later:
            self._late.add(widget)
            self._worn[widget] = _BARE
            self._rest.start()
        else:
            self._dress(widget)

    def _forget(self, widget: QWidget) -> None:
        self._worn.pop(widget, None)
        self._late.discard(widget)

    def change(self, sheet: str) -> None:
        """All wear ``sheet`` from now on: when this returns, what can be seen and may not wait; then one by one what
        else can be seen, and at last what is hidden."""
        self._sheet = sheet
        self._edition += 1
        for ground in self._those_left():
            if ground.isVisible():
                self._dress_shown(ground)
        self._rest.start()

    def arrange(self, widget: QWidget, work: Callable[[], object]) -> None:
        """Do what gives the parts of ``widget`` other places for another size of the text: now while it can be seen,
        else in a turn of its own after everything is dressed. The newest ``work`` of a widget counts."""
        if widget.isVisible():
            self._arrangements.pop(widget, None)
            work()
        else:
            self._arrangements[widget] = work
            self._rest.start()

    def _those_left(self) -> list[QWidget]:
        return [
            ground for ground, edition in self._worn.items()
            if edition != self._edition and shiboken6.isValid(ground)
        ]  # fmt: skip

    @property
    def waits(self) -> bool:
        """Whether something that can be seen is still to be dressed."""
        return any(one.isVisible() for one in (*self._those_left(), *self._left_to_arrange()))

    def _left_to_arrange(self) -> list[QWidget]:
        return [widget for widget in self._arrangements if shiboken6.isValid(widget)]

    def _dress_shown(self, ground: QWidget) -> None:
        """Dress what can be seen: at once, or in its turn what has worn a look before."""
        if ground not in self._late or self._worn[ground] == _BARE:
            self._dress(ground)

    def _dress(self, ground: QWidget) -> None:
        self._worn[ground] = self._edition
        ground.setStyleSheet(self._sheet)

    def _dress_one(self) -> None:
        """Dress the next ground, what can be seen first, or arrange a widget that was hidden. One at each turn of the
        loop: between two the window answers."""
        if self._yielded < _MOST_YIELDS and self.busy():
            self._yielded += 1
            self._rest.start()
            return
        self._yielded = 0
        left, unarranged = self._those_left(), self._left_to_arrange()
        came = next((widget for widget in unarranged if widget.isVisible()), None)
        if came is None and left:
            self._dress(min(left, key=lambda ground: not ground.isVisible()))
        elif unarranged:
            self._arrangements.pop(came or unarranged[0])()
        else:
            self._arrangements.clear()
            return
        self._rest.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.Show
            and isinstance(watched, QWidget)
            and self._worn.get(watched, self._edition) != self._edition
        ):
            self._dress_shown(watched)
            self._rest.start()
        return False
