"""The audit page: filter bar above, the table of the log at the left, the chosen entry at the right."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QEnterEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QStackedWidget, QWidget

from app.console import theme
from app.console.audit_lines import who_did
from app.console.language import number, tr
from app.console.page import PageView
from app.console.pages.audit.cells import LogCells
from app.console.pages.audit.entry_view import EntryPanel
from app.console.pages.audit.filter_view import FilterBar
from app.console.pages.audit.model import LogModel
from app.console.session import WindowSession
from app.console.widgets.breadth import GUTTER, PANEL, Narrow
from app.console.widgets.bulk_bar import BulkBar
from app.console.widgets.empty import EmptyState
from app.console.widgets.table import DataTable
from app.console.widgets.text import TitledPanel

LEAVES = 4
"""Numbers of marked entries that the bar has room for."""
NARROW = 1200
"""Width of the page, px at 100 % text, below which the table has no room for who did it."""


class _Handle(QSplitterHandle):
    """The gap between table and entry. It is painted here: the splitter wears no style, and lies on the page."""

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.underMouse():
            QPainter(self).fillRect(event.rect(), QColor(theme.current().line))

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.update()


class _Splitter(QSplitter):
    def createHandle(self) -> QSplitterHandle:
        return _Handle(self.orientation(), self)


class AuditView(PageView):
    """Filter bar above, table at the left, entry at the right."""

    def __init__(self, session: WindowSession) -> None:
        super().__init__(tr("Audit"), widest=PANEL + GUTTER + PANEL)
        table = session.actions
        self.model = LogModel(session.names, session.people, self)
        self.bar = FilterBar(table, self.model.names)
        self.table = DataTable(
            self.model, name=tr("Audit log, newest entry first"), marks=True, proof=lambda entry: entry.seq
        )
        self.table.setItemDelegate(LogCells(self.table, self.model))
        self.entry = EntryPanel(table, session.names, self.model.line, lambda entry: who_did(entry, self.model.names))
        panel = TitledPanel("", padding=4)
        self.pages = QStackedWidget()
        self.nothing = EmptyState(
            "scroll-text",
            tr("No entry matches"),
            tr("What happened, who and person are matched whole; the first field finds words anywhere in an entry."),
            table=table,
            action="audit.clear",
        )
        self.pages.addWidget(self.table)
        self.pages.addWidget(self.nothing)
        panel.body.addWidget(self.pages, 1)
        panel.body.addWidget(self.bar.foot)
        panel.body.addWidget(BulkBar(self.table, tr("entry"), tr("entries"), note=self._leaves))
        split = _Splitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.setHandleWidth(16)
        # What the table leaves on a wide screen is the entry's, which then stands in two columns.
        self._panel = panel
        split.addWidget(panel)
        split.addWidget(self.entry)
        split.setStretchFactor(0, 2)
        split.setStretchFactor(1, 1)
        split.setSizes([829, 407])
        self.body.addLayout(Narrow(PANEL, self.bar))
        self.body.addWidget(split, 1)
        self.arrange()

    def grounds(self) -> Sequence[QWidget]:
        return (*self.frame_grounds, self.bar, self._panel, self.entry)

    def _leaves(self) -> str:
        """Which entries are marked."""
        marked = sorted(self.model.marked)
        shown = ", ".join(number(seq, ",") for seq in marked[:LEAVES])
        return (tr("leaf {seqs}", seqs=shown) if len(marked) == 1 else tr("leaves {seqs}", seqs=shown)) + (
            " …" if len(marked) > LEAVES else ""
        )

    def arrange(self) -> None:
        self._panel.setMaximumWidth(theme.px(PANEL))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.model.narrow(self.width() < theme.px(NARROW)):
            self.table.head.fit_soon()

    def visible_rows(self) -> tuple[int, int]:
        """First and last row that can be seen; (0, -1) for none."""
        if not self.model.rowCount():
            return 0, -1
        first = max(0, self.table.rowAt(0))
        last = self.table.rowAt(self.table.viewport().height() - 1)
        return first, last if last >= 0 else self.model.rowCount() - 1
