"""Batches: a list of people and a stack of blank cards, worked off at any number of readers without a click."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.capabilities.provisioning.batches.messages import Batch, BatchListQuery, BatchSummary
from app.console.actions import Action
from app.console.cards import CARDS_EVERY_S
from app.console.failures import failure_of
from app.console.operations import Change
from app.console.page import Presenter
from app.console.pages.batch.board import OPEN_BATCH
from app.console.pages.batch.list_section import ListSection
from app.console.pages.batch.run_section import RunSection
from app.console.pages.batch.view import HISTORY, LIST, RUN, BatchView
from app.console.session import WindowSession
from app.console.sounds import Speaker
from app.console.tasks import woken

HISTORY_PAGE = 100


class BatchPresenter(Presenter):
    """Prepares one list, follows one batch, lists all."""

    view: BatchView

    def __init__(self, session: WindowSession, view: BatchView, speaker: Speaker) -> None:
        super().__init__(session, view)
        self._wake: asyncio.Event | None = None
        self._next: str | None = None
        speaker.setParent(self)
        self.running = RunSection(session, view.run, speaker, self, self._read_now, self.spawn, self.show_failure)
        self.list = ListSection(session, view.list, self, self.spawn, self.show_failure, self._begun)
        view.dropped.connect(self._dropped)
        view.batch_opened.connect(lambda batch_id: self.spawn(self._open(batch_id), name="batch"))
        view.tabs.currentChanged.connect(self._tab_shown)

    def actions(self) -> Sequence[Action]:
        page = "batch"
        return [
            *self.list.actions(lambda: self.view.tabs.currentIndex() == LIST),
            *self.running.actions(lambda: self.view.tabs.currentIndex() == RUN),
            Action("batch.list", "New list", lambda: self._tab(LIST), "plus", ("Alt+1",), page),
            Action("batch.run", "Show the batch", lambda: self._tab(RUN), "play", ("Alt+2",), page),
            Action("batch.history", "Show all batches", lambda: self._tab(HISTORY), "history", ("Alt+3",), page),
            Action(
                "batch.older", "Older batches", self._older, "chevron-down", page=page,
                when=lambda: self._next is not None,
            ),
        ]  # fmt: skip

    def filter_field(self) -> QWidget | None:
        return self.view.run.filter if self.view.tabs.currentIndex() == RUN else None

    def first_control(self) -> QWidget:
        return self.view.tabs.tabBar()

    # --- life --------------------------------------------------------------------------------------------------------

    async def run(self, arguments: Mapping[str, str]) -> None:
        live = self.session.live
        self._wake = asyncio.Event()
        self.running.fresh.resume()
        ends = (
            live.subscribe("card", self.running.events),
            live.subscribe("gap", lambda _events: self._read_whole()),
        )
        live.state_changed.connect(self._stream_changed)
        failing = False
        try:
            self.list.check_again()
            await self._begin(arguments)
            while True:
                try:
                    await self._read()
                except Exception as error:  # told once; what is shown turns stale by itself
                    if not failing and (failure := failure_of(error)).code != "connection_lost":
                        self.show_failure(failure)
                    failing = True
                else:
                    if failing:
                        failing = False
                        self.view.banner.clear()
                await woken(self._wake, CARDS_EVERY_S)
        finally:
            live.state_changed.disconnect(self._stream_changed)
            for unsubscribe in ends:
                unsubscribe()

    async def _begin(self, arguments: Mapping[str, str]) -> None:
        """The batch that is asked for; else the one that was followed; else the oldest that is open, which is the one
        that cards are given to."""
        board = self.running.board
        items = await self._load_history(None)
        if batch_id := arguments.get("batch_id"):
            await self._open(batch_id)
        elif board is not None:
            await self.running.read_whole()
        elif waiting := [item for item in items if item.state in OPEN_BATCH]:
            await self._open(waiting[-1].batch_id)

    async def _read(self) -> None:
        cards = await self.session.client.provisioning_list_cards()
        self.view.list.offer_readers([card.reader for card in cards.items])
        await self.running.take_cards(cards.items)

    def _stream_changed(self, state: str) -> None:
        # What happened while nobody listened was told to nobody.
        if state == "live":
            self._read_whole()

    def _read_whole(self) -> None:
        self.spawn(self.running.read_whole(), name="batch")

    def repaint(self) -> None:
        self.list.paint()
        self.running.paint()

    def take_change(self, change: Change) -> None:
        if "batches" in change.kinds and self.session.is_connected:
            self.spawn(self._load_history(None), name="batches")
        if change.kinds & {"nodes", "burns"}:
            self.list.check_again()

    def _read_now(self) -> None:
        if self._wake is not None:
            self._wake.set()

    # --- batches -----------------------------------------------------------------------------------------------------

    def _begun(self, batch: Batch) -> None:
        self.running.show_batch(batch)
        self._tab(RUN)

    async def _open(self, batch_id: str) -> None:
        self.running.show_batch(await self.session.client.batches_get(batch_id))
        self._tab(RUN)

    async def _load_history(self, cursor: str | None) -> list[BatchSummary]:
        query = BatchListQuery(limit=HISTORY_PAGE, cursor=cursor)
        page = await self.session.client.batches_list(query=query)
        view = self.view
        rows = page.items if cursor is None else [*view.history.rows, *page.items]
        view.history.set_rows(rows)
        view.history_stack.setCurrentWidget(view.history_table if rows else view.no_history)
        self._next = page.next
        here = self.running.board.batch_id if self.running.board is not None else ""
        self.running.others = sum(row.state in OPEN_BATCH and row.batch_id != here for row in rows)
        self.session.actions.refresh()
        return page.items

    def _older(self) -> None:
        self.spawn(self._load_history(self._next), name="batches")

    # --- hands -------------------------------------------------------------------------------------------------------

    def _dropped(self, path: object) -> None:
        self._tab(LIST)
        if self.session.is_connected:
            self.list.take_file(path)  # type: ignore[arg-type]  # the view emits a Path

    def _tab(self, at: int) -> None:
        view = self.view
        view.tabs.setCurrentIndex(at)
        target = {LIST: view.list.label, RUN: view.run.table, HISTORY: view.history_table}[at]
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _tab_shown(self, at: int) -> None:
        if at == HISTORY and self.session.is_connected:
            self.spawn(self._load_history(None), name="batches")
        self.session.actions.refresh()


def make(session: WindowSession) -> BatchPresenter:
    """The page."""
    return BatchPresenter(session, BatchView(session.actions, training=session.training), Speaker(session.preferences))
