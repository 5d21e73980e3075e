"""The heads of a table's columns: what sorts, how wide each column is, where it stands, what the operator changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import QPointF, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFont, QFontMetrics, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QHeaderView, QStyleOptionHeader, QWidget

from app.console import theme
from app.console.table_layout import AS_MADE, LEAST_PX, MOST_PX, TableLayout
from app.console.theme.tokens import sentence_case
from app.console.widgets.breadth import TEXT
from app.console.widgets.table_cells import PADDING
from app.console.widgets.table_fit import ColumnNeed, fit

HEAD_HEIGHT = 28
_SOME_WORDS = 80
"""Px at 100 % text that a column of texts keeps in a place that is too narrow for its least."""
_SENTENCE = 360
"""Px at 100 % text up to which a column of texts takes what is left over, however short its texts in sight are."""
_REST_MS = 400
"""Least time between two fits that nobody waits for."""
_SHORT = {"id": "ID", "apdus": "APDUs", "pin": "PIN", "utc": "UTC", "fips": "FIPS", "(utc)": "(UTC)", "p50": "p50",
          "p95": "p95", "p99": "p99"}  # fmt: skip


def head_words(title: str) -> str:
    """The title of a column as its head shows it: ``KEY ID`` as ``Key ID``. A translation says itself which words are
    large."""
    if any(word[:1].isupper() and word[1:2].islower() for word in title.split(" ")):
        return title
    words = sentence_case(title).split(" ")
    return " ".join(_SHORT.get(word.casefold(), word) for word in words)


class HeadColumn(Protocol):
    """What the head must know of a column."""

    @property
    def title(self) -> str: ...
    @property
    def width(self) -> int: ...
    @property
    def least(self) -> int: ...
    @property
    def spare(self) -> int: ...
    @property
    def weight(self) -> float: ...


class TableHead(QHeaderView):
    """One for each ``DataTable``. The column that sorts carries a chevron in its right padding, where it takes no room
    from the title: up while the smallest is first.

    ``measure(column)`` gives the px that the texts in sight need, padding included, and may give what it gave before
    until it is told to ``forget``: while a page is opened the table gets several sizes. A dragged edge and a head that
    was dragged to another place stay so (``layout``); all else follows the room (``table_fit``).
    """

    changed = Signal()
    """The operator has changed widths, order or choice."""
    asked = Signal(int, object)
    """The menu is wanted over that column, at that place of the screen (``QPoint``)."""

    def __init__(
        self, measure: Callable[[int], int], forget: Callable[[], object], parent: QWidget | None = None
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._measure, self._forget = measure, forget
        self._columns: Sequence[HeadColumn] = ()
        self._wide: dict[int, int] = {}
        self._hidden: set[int] = set()
        self._shown: set[int] = set()
        self._grown: dict[int, int] = {}
        self._edition = theme.edition()
        self._room = 0
        self._fitting = False
        self.first = 0
        """The column at the left edge."""
        self._fit_soon = QTimer(self)
        self._fit_soon.setSingleShot(True)
        self._fitted_at = 0.0
        self._fit_soon.timeout.connect(self._fit_again)
        self.setHighlightSections(False)
        self.setSectionsMovable(True)
        self.setFirstSectionMovable(True)
        self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.dress()
        # A column is measured by its cells in sight: by 1000 rows, a table of a million would read pages of its log.
        self.setResizeContentsPrecision(0)
        self.sectionResized.connect(self._take_width)
        self.sectionMoved.connect(self._take_move)

    @property
    def titles(self) -> list[str]:
        """Titles of the columns, in the order of the model."""
        return [column.title for column in self._columns]

    # --- widths ------------------------------------------------------------------------------------------------------

    def set_columns(self, columns: Sequence[HeadColumn]) -> None:
        """Take the columns of the model."""
        if columns is not self._columns:
            self._grown.clear()
        self._columns = columns
        self.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)

    def least_of(self, at: int) -> int:
        """Px without which the table scrolls rather: of a column of texts those of its head and some words."""
        if self._columns[at].width:
            return self._least(at)
        return min(self._least(at), max(self.words_width(at), theme.px(_SOME_WORDS)))

    def need(self, at: int) -> ColumnNeed:
        """What the column needs now."""
        column = self._columns[at]
        spare = 0 if at in self._shown else column.spare
        if at in self._wide:
            wide = theme.px(self._wide[at])
            return ColumnNeed(wide, wide, 0.0, spare, still=True)
        least = self._least(at)
        # A priority 1 cell is not elided. What takes the rest has texts of any length: they end where the room does.
        wanted = self._grown.get(at, 0) if column.width and not column.spare else 0
        if column.width:
            return ColumnNeed(least, max(least, wanted), 0.0, spare)
        most = min(theme.px(TEXT), max(theme.px(_SENTENCE), self._grown.get(at, 0)))
        return ColumnNeed(least, least, column.weight, spare, gives=least - self.least_of(at), most=most)

    def _least(self, at: int) -> int:
        """Px that the page gives the column, and those of its title's words: another language has longer ones."""
        column = self._columns[at]
        words = self._metrics.horizontalAdvance(head_words(column.title)) + 2 * PADDING
        return max(theme.px(column.width or column.least), words)

    def fit(self, room: int) -> None:
        """Give the columns their widths in ``room`` px, and leave out what has none."""
        if not self._columns or self.count() != len(self._columns) or room <= 0:
            return
        self._room = room
        self._fitted_at = time.monotonic()
        self._grow()
        shown = [at for at in range(len(self._columns)) if at not in self._hidden]
        widths = dict(zip(shown, fit([self.need(at) for at in shown], room), strict=True))
        self._fitting = True
        try:
            for at in range(len(self._columns)):
                width = widths.get(at, 0)
                if self.isSectionHidden(at) != (width == 0):
                    self.setSectionHidden(at, width == 0)
                if width and self.sectionSize(at) != width:
                    self.resizeSection(at, width)
        finally:
            self._fitting = False
        self.first = next(iter(self.places()), 0)

    def fit_soon(self) -> None:
        """Fit when what is going on is over: many changes of cells are one fit. Of a table that is scrolled or whose
        cells come in piece by piece, each cell in sight would be measured at each step: it rests between two fits."""
        if self._room and not self._fit_soon.isActive():
            rested = time.monotonic() - self._fitted_at > _REST_MS / 1000
            self._fit_soon.start(0 if rested else _REST_MS)

    def _fit_again(self) -> None:
        # A name that has come, or an age, changes a cell without a word of the model.
        self._forget()
        self.fit(self._room)

    def _grow(self) -> None:
        """Columns only grow with what they show: one that shrank again would move all others at each scroll."""
        if self._edition != theme.edition():
            self._edition = theme.edition()
            self._grown.clear()
        for at, column in enumerate(self._columns):
            measured = not column.width or not column.spare
            if measured and at not in self._wide and at not in self._hidden:
                self._grown[at] = max(self._grown.get(at, 0), self._measure(at))

    def fit_column(self, at: int) -> None:
        """As wide as its head and its cells in sight need."""
        self._forget()
        self._set_width(at, max(self._measure(at), self.words_width(at)))

    def widen(self, at: int, by: int) -> None:
        """Wider by ``by`` px, or narrower."""
        self._set_width(at, self.sectionSize(at) + by)

    def _set_width(self, at: int, px: int) -> None:
        self._keep_width(at, px)
        self.fit(self._room)
        self.changed.emit()

    def _keep_width(self, at: int, px: int) -> None:
        """Keep a width of the operator's own, in px at a text size of 100 %."""
        self._wide[at] = min(max(round(px * 100 / theme.px(100)), LEAST_PX), MOST_PX)

    def words_width(self, at: int) -> int:
        """Px that the words of the head need, with its chevron."""
        words = head_words(self._columns[at].title)
        return self._metrics.horizontalAdvance(words) + theme.px(2 * PADDING + 8)

    def _take_width(self, at: int, _before: int, now: int) -> None:
        """The operator drags the edge of a column."""
        if not self._fitting and now and self._columns:
            self._keep_width(at, now)
            self.fit_soon()
            self.changed.emit()

    # --- order and choice --------------------------------------------------------------------------------------------

    def _take_move(self, _at: int, _from: int, _to: int) -> None:
        if not self._fitting:
            self.fit_soon()
            self.changed.emit()

    def places(self) -> list[int]:
        """The columns that are shown, from the left."""
        order = (self.logicalIndex(place) for place in range(self.count()))
        return [at for at in order if not self.isSectionHidden(at)]

    def shift(self, at: int, step: int) -> None:
        """Move a column by ``step`` places among those that are shown."""
        shown = self.places()
        if at in shown and 0 <= shown.index(at) + step < len(shown):
            self.moveSection(self.visualIndex(at), self.visualIndex(shown[shown.index(at) + step]))

    def show_column(self, at: int, on: bool) -> None:
        """Show a column, even where room is short, or hide it. The last one stays."""
        if not on and self.places() == [at]:
            return
        (self._shown.add if on else self._shown.discard)(at)
        (self._hidden.discard if on else self._hidden.add)(at)
        self.fit(self._room)
        self.changed.emit()

    def layout_now(self, sort: str, descending: bool) -> TableLayout:
        """What the operator has changed."""
        titles = self.titles
        order = [self.logicalIndex(place) for place in range(self.count())]
        return TableLayout(
            widths={titles[at]: px for at, px in sorted(self._wide.items())},
            order=() if order == sorted(order) else tuple(titles[at] for at in order),
            hidden=tuple(titles[at] for at in sorted(self._hidden)),
            shown=tuple(titles[at] for at in sorted(self._shown)),
            sort=sort,
            descending=descending,
        )

    def take_layout(self, layout: TableLayout) -> None:
        """Set widths, order and choice anew. Titles that the table does not have change nothing."""
        at_of = {column.title: at for at, column in enumerate(self._columns)}
        self._wide = {at_of[title]: px for title, px in layout.widths.items() if title in at_of}
        self._shown = {at_of[title] for title in layout.shown if title in at_of}
        self._hidden = {at_of[title] for title in layout.hidden if title in at_of} - self._shown
        if len(self._hidden) == len(self._columns):
            self._hidden.clear()
        known = [at_of[title] for title in dict.fromkeys(layout.order) if title in at_of]
        order = known + [at for at in range(len(self._columns)) if at not in known]
        self._fitting = True
        try:
            for place, at in enumerate(order):
                self.moveSection(self.visualIndex(at), place)
        finally:
            self._fitting = False
        self.fit(self._room)

    def restore(self) -> None:
        """Widths, order and choice as the page has them."""
        self.take_layout(AS_MADE)
        self.changed.emit()

    @property
    def is_changed(self) -> bool:
        """Whether the operator has changed widths, order or choice."""
        return self.layout_now("", False) != AS_MADE

    # --- painting ----------------------------------------------------------------------------------------------------

    def dress(self) -> None:
        """Take height and font of the theme in force."""
        self.setFixedHeight(theme.px(HEAD_HEIGHT))
        self.setMinimumSectionSize(theme.px(LEAST_PX))
        font = theme.ui(12, QFont.Weight.Medium)
        self.setFont(font)
        # Of the titles, not of the widget: until it is shown the sheet's font for any widget stands in its way.
        self._metrics = QFontMetrics(font)

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, logicalIndex: int) -> None:
        super().initStyleOptionForIndex(option, logicalIndex)
        if logicalIndex < len(self._columns):
            option.text = head_words(self._columns[logicalIndex].title)

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:
        painter.save()
        super().paintSection(painter, rect, logicalIndex)
        painter.restore()
        if logicalIndex != self.sortIndicatorSection():
            return
        half = theme.px(3)
        up = self.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder
        middle = QPointF(rect.right() - half - 1, rect.center().y() + 0.5)
        tip = -half / 2 if up else half / 2
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.current().accent), 1.5))
        painter.drawPolyline(
            QPolygonF([middle + QPointF(-half, -tip), middle + QPointF(0, tip), middle + QPointF(half, -tip)])
        )
        painter.restore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.asked.emit(self.logicalIndexAt(event.pos()), event.globalPos())
        event.accept()
