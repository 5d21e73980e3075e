"""A third column: what a page has of the past stands beside its main part where there is room, elsewhere at its home.

It is one widget that moves, so that a page has its list once: rows, selection, marks and place of scrolling go with it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.console import theme
from app.console.widgets.breadth import COLUMN, COLUMN_FROM, COLUMN_STAYS, GUTTER, PAGE, PANEL, WIDEST, Narrow


class ThirdColumn(QWidget):
    """``main``, and beside it ``guest`` from ``column_from`` px at 100 % text on. Elsewhere ``guest`` stands in
    ``home``, as the last part of it with ``stretch``; ``open_home`` brings that to the front when the hands are in
    ``guest`` as it goes there. ``moved`` says whether it stands beside now."""

    moved = Signal(bool)

    def __init__(
        self,
        main: QWidget,
        guest: QWidget,
        home: QBoxLayout,
        *,
        stretch: int = 0,
        open_home: Callable[[], None] | None = None,
        column_from: int = COLUMN_FROM,
    ) -> None:
        super().__init__()
        self._guest, self._home, self._stretch = guest, home, stretch
        self._open_home, self._column_from = open_home, column_from
        self._kept_home = False
        self.beside = False
        """Whether ``guest`` stands beside ``main``."""
        row = QHBoxLayout()
        row.setSpacing(GUTTER)
        row.addWidget(main, 1)
        self._place = QWidget()
        self._column = QVBoxLayout(self._place)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._place.hide()
        row.addWidget(self._place)
        self._outer = Narrow(PAGE, row, parent=self)
        home.addWidget(guest, stretch)
        _reach_last(guest, main)

    def keep_home(self, on: bool) -> None:
        """Have it at home in a wide page, too: its home is in front, where there is more room for it."""
        self._kept_home = on
        self._fit()

    def _fit(self) -> None:
        """Bring it to where it belongs at this width."""
        least = self._column_from - (COLUMN_STAYS if self.beside else 0)
        beside = self.width() >= theme.px(least) and not self._kept_home
        if beside:
            left_over = self.width() - theme.px(PAGE) - GUTTER
            self._place.setFixedWidth(max(theme.px(COLUMN), min(theme.px(PANEL), left_over)))
        if beside != self.beside:
            self._move(beside)

    def _move(self, beside: bool) -> None:
        """Put it beside, or home, with the hands that are in it."""
        hands = self.window().focusWidget()
        held = hands is not None and (hands is self._guest or self._guest.isAncestorOf(hands))
        if held and hands is not None:
            # Qt would give the keys of what moves to the next widget, and that would hear of it.
            hands.clearFocus()
        self.beside = beside
        if beside:
            self._column.addWidget(self._guest)
        else:
            self._home.addWidget(self._guest, self._stretch)
            if held and self._open_home is not None:
                self._open_home()
        self._place.setVisible(beside)
        self._outer.set_widest(WIDEST if beside else PAGE)
        self._guest.show()
        self.moved.emit(beside)
        if held and hands is not None:
            hands.setFocus(Qt.FocusReason.OtherFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        # Where a page's parts wear the look, what holds them hears of another size of the text by its own font.
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange) and hasattr(self, "_outer"):
            self._fit()
        super().changeEvent(event)


def _reach_last(guest: QWidget, main: QWidget) -> None:
    """Have Tab come to what stands in ``guest`` after all else in ``main``, as they stand on the screen, however early
    it was made."""
    reached: list[QWidget] = []
    one = main.nextInFocusChain()
    while one is not None and one is not main:
        if main.isAncestorOf(one) and one.focusPolicy() & Qt.FocusPolicy.TabFocus:
            reached.append(one)
        one = one.nextInFocusChain()
    inside = [one for one in reached if one is guest or guest.isAncestorOf(one)]
    outside = [one for one in reached if one not in inside]
    for before, after in pairwise([*outside[-1:], *inside]):
        QWidget.setTabOrder(before, after)
