"""Written cards that wait for their persons: the face is looked at, the card handed over, the line marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.console import theme
from app.console.language import tr
from app.console.widgets.buttons import plain_button
from app.console.widgets.fold_row import FoldRow
from app.console.widgets.portrait import Portrait
from app.console.widgets.scroller import scroller
from app.console.widgets.text import ElidedLabel, label, separator

MOST_ROWS = 30
"""Cards that are listed at a time; the others come up as these are given."""
OWN_MARK = tr("A mark of this console, until it ends: the service does not keep it.")
_ROWS, _FEW_ROWS, _ROW = 3, 2, 52
"""Rows that are whole in any case, and their height."""


@dataclass(frozen=True)
class HandLine:
    """One card: the line's number, whose it is, and where it is."""

    n: int
    person: str
    where: str


class HandRow(QWidget):
    """One card with its button. Emits ``pressed`` with the number of the line."""

    pressed = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[HandLine, bool] | None = None
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 5, 12, 5)
        row.setSpacing(12)
        row.addWidget(Portrait(36, 42))
        words = QVBoxLayout()
        row.addLayout(words, 1)
        words.setSpacing(0)
        self.person = ElidedLabel()
        self.where = label("", "small", wrap=True)
        words.addWidget(self.person)
        words.addWidget(self.where)
        self.button = plain_button("", self._press)
        row.addWidget(self.button)

    def show_line(self, line: HandLine, *, given: bool) -> None:
        """Show another card, or where it is now."""
        if self._shown == (line, given):
            return
        self._shown = (line, given)
        for one, text in ((self.person, line.person), (self.where, line.where)):
            if one.text() != text:
                one.setText(text)
        words = tr("Take back") if given else tr("Given")
        if self.button.text() != words:
            self.button.setText(words)
            self.button.setMaximumWidth(self.button.sizeHint().width())
        self.button.setAccessibleName(f"{words}: {line.person}")
        self.button.setToolTip(OWN_MARK)

    def _press(self) -> None:
        if self._shown is not None:
            self.pressed.emit(self._shown[0].n)


class HandOutPanel(QFrame):
    """Emits ``given`` and ``taken_back`` with the number of a line. The row at its foot shows the given ones."""

    given = Signal(int)
    taken_back = Signal(int)
    turned = Signal()
    """The other list is wanted."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self.setAccessibleName(tr("Hand these out"))
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 0, 1, 1)
        column.setSpacing(0)
        head = QHBoxLayout()
        column.addLayout(head)
        head.setContentsMargins(16, 10, 16, 10)
        head.setSpacing(12)
        head.addWidget(label(tr("Hand these out"), "paneltitle"))
        self._how = ElidedLabel(tr("pull, check the face, hand over"), "small")
        head.addWidget(self._how, 1)
        head.addStretch()
        column.addWidget(separator())
        inside = QWidget()
        self._list = QVBoxLayout(inside)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(0)
        self.empty = label("", "dim", wrap=True)
        self.empty.setContentsMargins(16, 12, 16, 12)
        self.more = label("", "small")
        self.more.setContentsMargins(16, 6, 16, 6)
        self.unknown = label("", "small", wrap=True)
        self.unknown.setContentsMargins(16, 8, 16, 4)
        self._list.addWidget(self.empty)
        self._list.addWidget(self.unknown)
        self._rows_place = QVBoxLayout()
        self._list.addLayout(self._rows_place)
        self._rows_place.setSpacing(0)
        self._list.addWidget(self.more)
        self._list.addStretch(1)
        self._area = scroller(inside)
        # The row that it stands in is as high as the hero; what does not fit scrolls here.
        self._area.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        column.addWidget(self._area, 1)
        self._line = separator()
        column.addWidget(self._line)
        self.fold = FoldRow()
        self.fold.setToolTip(OWN_MARK)
        self.fold.toggled.connect(lambda _on: self.turned.emit())
        column.addWidget(self.fold)
        self.rows: list[HandRow] = []
        self._low = False
        self._fit()

    @property
    def shows_given(self) -> bool:
        """Whether the given ones are listed, to take one back."""
        return self.fold.isChecked()

    def show_lines(
        self, to_give: Sequence[HandLine], given: Sequence[HandLine], *, written: int, unknown: int = 0
    ) -> None:
        """``written``: how many cards of the batch are, given or not. ``unknown``: how many of those to give may have
        been given before this console looked."""
        if not given and self.fold.isChecked():
            self.fold.setChecked(False)
        back = self.shows_given
        shown = given if back else to_give
        self._take(shown[:MOST_ROWS], given=back)
        self.unknown.setVisible(unknown > 0 and not back)
        self.unknown.setText(
            tr("1 was written before this console looked: it may be given already.")
            if unknown == 1
            else tr("{count} were written before this console looked: they may be given already.", count=unknown)
        )
        more = len(shown) - MOST_ROWS
        self.more.setVisible(more > 0)
        self.more.setText(tr("{count} more", count=more))
        self.empty.setVisible(not shown)
        all_given, none_yet = tr("Every written card is marked as given."), tr("A card stands here once it is written.")
        self.empty.setText(all_given if written else none_yet)
        for one in (self._line, self.fold):
            one.setVisible(bool(given))
        self.fold.show_words(tr("{count} given", count=len(given)), tr("marked on this console"))

    def _take(self, lines: Sequence[HandLine], *, given: bool) -> None:
        while len(self.rows) < len(lines):
            row = HandRow()
            row.pressed.connect(self._press)
            self._rows_place.addWidget(row)
            self.rows.append(row)
        for row, line in zip(self.rows, lines, strict=False):
            row.show_line(line, given=given)
        for at, row in enumerate(self.rows):
            row.setVisible(at < len(lines))

    def _press(self, n: int) -> None:
        (self.taken_back if self.shows_given else self.given).emit(n)

    def become_low(self, low: bool) -> None:
        """Take less room, because there is little."""
        if low != self._low:
            self._low = low
            self._how.setVisible(not low)
            self._fit()

    def _fit(self) -> None:
        self._area.setMinimumHeight(theme.px(_ROW * (_FEW_ROWS if self._low else _ROWS)))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "rows"):
            self._fit()
        super().changeEvent(event)
