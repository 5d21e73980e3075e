"""Puts the tabs of the page together: all of them work while the page is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.capabilities.provisioning.batches.messages import Batch
from app.console.actions import Action, of_section
from app.console.devices.sounds import Speaker
from app.console.language import tr
from app.console.pages.batch.history import HistoryTab
from app.console.pages.batch.new_list import NewListTab
from app.console.pages.batch.run import RunTab
from app.console.pages.batch.view import HISTORY, LIST, RUN, BatchView
from app.console.part import Host, PartsPresenter
from app.console.session import WindowSession


class BatchPresenter(PartsPresenter):
    """Prepares one list, follows one batch, lists all."""

    view: BatchView

    def __init__(self, session: WindowSession, view: BatchView, speaker: Speaker) -> None:
        super().__init__(session, view)
        speaker.setParent(self)
        self.list = NewListTab(self._host_of(LIST), view.list, self._follow)
        self.history = HistoryTab(self._host_of(HISTORY), view.history, self._shown_batch)
        self.running = RunTab(self._host_of(RUN), view.run, speaker, self.history, view.list.offer_readers)
        self.parts = (self.list, self.running, self.history)
        view.dropped.connect(self._take_file)
        view.history.opened.connect(lambda batch_id: self.spawn(self.running.open(batch_id), name="batch"))
        view.tabs.currentChanged.connect(self._turn)

    def _host_of(self, at: int) -> Host:
        """What the tab at this place is made with."""
        tabs = self.view.tabs
        return self.host(shown=lambda: tabs.currentIndex() == at, show=lambda: self._open_tab(at))

    def actions(self) -> Sequence[Action]:
        page = "batch"

        def opens(at: int) -> Callable[[], None]:
            return lambda: self._open_tab(at)

        return [
            *of_section(self.list.host.shown, self.list.actions()),
            *of_section(self.running.host.shown, self.running.actions()),
            Action("batch.list", tr("New list"), opens(LIST), "plus", ("Alt+1",), page),
            Action("batch.run", tr("Show the batch"), opens(RUN), "play", ("Alt+2",), page),
            Action("batch.history", tr("Show all batches"), opens(HISTORY), "history", ("Alt+3",), page),
            *of_section(self.history.host.shown, self.history.actions()),
        ]

    def filter_field(self) -> QWidget | None:
        return self.view.run.lines.filter if self.view.tabs.currentIndex() == RUN else None

    def first_control(self) -> QWidget:
        return self.view.tabs.tabBar()

    def _shown_batch(self) -> str:
        board = self.running.board
        return "" if board is None else board.batch_id

    def _follow(self, batch: Batch) -> None:
        self.running.show_batch(batch)
        self._open_tab(RUN)

    def _take_file(self, path: object) -> None:
        self._open_tab(LIST)
        if self.session.is_connected:
            self.list.take_file(path)  # type: ignore[arg-type]  # the view emits a Path

    def _open_tab(self, at: int) -> None:
        """Bring a tab to the front, and the hands to it."""
        view = self.view
        view.tabs.setCurrentIndex(at)
        target = {LIST: view.list.label, RUN: view.run.lines.table, HISTORY: view.history.table}[at]
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _turn(self, at: int) -> None:
        """Another tab is in front."""
        if at == HISTORY:
            self.history.read_now()
        self.session.actions.refresh()
