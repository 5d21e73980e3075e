"""What the page looks like: a list that is prepared, a batch that is worked off, and the batches before it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QTabWidget, QWidget

from app.console.actions import ActionTable
from app.console.files import dropped_file
from app.console.language import tr
from app.console.names import OperatorNames
from app.console.page import PageView, tab_grounds
from app.console.pages.batch.history_view import BatchHistoryView
from app.console.pages.batch.new_list_view import NewListView
from app.console.pages.batch.run_view import RunView

LIST, RUN, HISTORY = 0, 1, 2


class BatchView(PageView):
    """Emits ``dropped`` (path of a file)."""

    dropped = Signal(object)

    def __init__(self, table: ActionTable, names: OperatorNames, *, training: bool) -> None:
        super().__init__(tr("Batches"))
        self.setAcceptDrops(True)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setAccessibleName(tr("Parts of the page"))
        self.list = NewListView(table)
        self.run = RunView(table, training=training)
        self.history = BatchHistoryView(table, names)
        for part, title in ((self.list, tr("New list")), (self.run, tr("Batch")), (self.history, tr("History"))):
            self.tabs.addTab(part, title)
        self.body.addWidget(self.tabs, 1)

    def grounds(self) -> Sequence[QWidget]:
        return (*self.frame_grounds, *tab_grounds(self.tabs))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_file(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = dropped_file(event)
        if path is not None:
            event.acceptProposedAction()
            self.dropped.emit(path)
