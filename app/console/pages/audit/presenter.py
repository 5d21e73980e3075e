"""Brings the audit page to life: opens the log, filters it, goes to a time, watches its end."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractItemView, QWidget

from app.capabilities.gateway.audit.messages import AuditEntry, Outcome
from app.console.actions import Action
from app.console.clock import age, date_time, utc_time
from app.console.evidence.pinning import PinDamaged
from app.console.failures import Failure, failure_of
from app.console.growing import page_query, read_all
from app.console.language import tr
from app.console.moments import parse_moment
from app.console.operations import Change
from app.console.page import Presenter
from app.console.pages.audit.entry import ChosenEntry
from app.console.pages.audit.export import AuditExport
from app.console.pages.audit.filter_view import IN_VAIN
from app.console.pages.audit.loading import PageLoader
from app.console.pages.audit.question import PAGE, Filter, LogLost
from app.console.pages.audit.shown_log import ShownLog
from app.console.pages.audit.view import AuditView
from app.console.pages.audit.whole_log import WholeLog
from app.console.part import Poll
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning

LOOK_EVERY_S = 2.0
RESTS_MS = 150
NAMED_MS = 300
"""So long rows rest before names that are not known are asked for: none is, of what passes by."""
AHEAD_S = 1.0
"""From here on the page says that the log's time is ahead of the clock."""


class _Fields(NamedTuple):
    """The filter bar as it is filled in; ``seconds`` 0: all time."""

    action: str
    actor: str
    node_id: str
    outcome: Outcome | None
    text: str
    seconds: int
    in_vain: bool


NO_FILTER = _Fields("", "", "", None, "", 0, False)


class AuditPresenter(Presenter):
    """One log, whole or filtered; the table asks for pages, and only those that can be seen are fetched."""

    view: AuditView
    past_words = tr("The table stands at that moment; rows above it came later.")

    def __init__(self, session: WindowSession, view: AuditView) -> None:
        super().__init__(session, view)
        self.log = ShownLog()
        self._shown = NO_FILTER
        self._poll = Poll(
            self._read,
            LOOK_EVERY_S,
            show=self._show_tail,
            on_error=self.show_error,
            on_recovery=self.view.banner.clear,
        )
        self._entered = False
        """The log was opened since the page is shown."""
        self._fresh, self._fresh_more = 0, False
        self.entry = ChosenEntry(session, view, self.log, spawn=self.spawn, only_node=self._only_node)
        self.export = AuditExport(session, view, self.log, self._now_us)
        self._loader = PageLoader(session, view, self.log, arrived=self._show_page, failed=self._report_page)
        view.table.selected.connect(lambda _row: self.entry.show())
        view.table.opened.connect(view.model.turn)
        view.bar.changed.connect(self._filter_changed)
        view.bar.sought.connect(self._seek)
        self._seeking: asyncio.Task[None] | None = None
        self._stands_in_past = False
        """The table was brought to a moment of the past that the window showed."""
        self._resting = session.resting
        self._name_rest = QTimer(self)
        self._name_rest.setSingleShot(True)
        self._name_rest.setInterval(NAMED_MS)
        self._name_rest.timeout.connect(self._ask_names)
        view.table.verticalScrollBar().valueChanged.connect(lambda _value: self._name_rest.start())
        view.table.verticalScrollBar().valueChanged.connect(lambda _value: self._fit_columns())
        for known in (session.people, session.names):
            known.changed.connect(self._call_anew)
        # A hand that drags passes many moments: the log is asked for the one on which it rests.
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(RESTS_MS)
        self._rest.timeout.connect(self._follow_moment)
        session.shown_time.changed.connect(self._rest.start)

    # --- the table ---------------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        bar, model, here = self.view.bar, self.view.model, "audit"
        return [
            Action("audit.time", tr("Go to a time"), lambda: self._focus(bar.time), "clock", ("Ctrl+G",), here),
            Action(
                "audit.clear", tr("Clear the filter"), self._clear, "x", ("Ctrl+Shift+X",), here,
                when=lambda: not self.log.wanted.whole,
            ),
            Action("audit.newest", tr("Show the newest entries"), self._newest, "arrow-up", ("Ctrl+Home",), here),
            Action(
                "audit.folds", tr("Unfold or fold every act"), model.turn_all, "list", ("Ctrl+U",), here,
                when=lambda: model.acts > 0,
                hint=tr("The entries of a burn, a card or a batch stand under one row in a filtered view."),
            ),
            *self.export.actions(),
            *self.entry.actions(),
            Action("audit.rows", tr("Go to the table"), lambda: self._focus(self.view.table), "list", ("Ctrl+T",),
                here),
            Action(
                "audit.newer", tr("Newer 200"), lambda: self._move(-1), "arrow-up", ("Alt+PgUp",), here,
                when=lambda: model.windowed and model.window[0] > 0,
            ),
            Action(
                "audit.older", tr("Older 200"), lambda: self._move(1), "arrow-down", ("Alt+PgDown",), here,
                when=lambda: model.windowed and (model.window[1] < model.total or not self.log.complete),
            ),
        ]  # fmt: skip

    def filter_field(self) -> QWidget | None:
        return self.view.bar.text

    def first_control(self) -> QWidget:
        return self.view.table

    def _focus(self, widget: QWidget) -> None:
        widget.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # --- the page's life ---------------------------------------------------------------------------------------------

    async def run(self, arguments: Mapping[str, str]) -> None:
        if not self.session.live.stale:
            self._poll.fresh.resume()
        bar = self.view.bar
        if arguments:
            bar.clear_fields()
            bar.text.setText(arguments.get("text", ""))
            bar.node.setText(arguments.get("node_id", ""))
            bar.action.setText(arguments.get("action", ""))
        self._entered = False
        try:
            await self._poll.run()
        finally:
            self._loader.cancel()

    async def _read(self) -> None:
        """Open the log once, then look at its end; a log that was lost is opened again."""
        if self._entered:
            try:
                await self._look()
            except LogLost as lost:
                self.log.opened = self._entered = False
                self.show_failure(Failure("log_lost", str(lost)))
        if not self._entered:
            await self._open()
            self._entered = True
            self._follow_moment()

    async def _open(self) -> None:
        """Find the ends of the whole log, then show what the filter says."""
        client, log = self.session.client, self.log
        if log.opened:
            try:
                await log.whole.look(client, self._now_us())
            except LogLost:
                log.opened = False
        if not log.opened:
            log.whole = WholeLog()
            self.view.model.mark_all(False)  # of another log, perhaps
            newest = await log.whole.open(client, self._now_us())
            log.opened = True
            log.show_everything()
            self._shown = NO_FILTER
            self.view.model.reset_whole(log.whole.size)
            self._put_newest(newest)
        self._show()
        self._name_rest.start()
        self.spawn(self._read_clusters(), name="names of doors")
        if self._fields() != self._shown:
            self._apply()
        else:
            self._loader.restart()

    def _put_newest(self, newest: Sequence[AuditEntry]) -> None:
        """Fill the first screen with the entries that opening the log has read, as far as they make whole pages."""
        if not newest:
            return
        rising, size = list(reversed(newest)), self.log.whole.size
        for number in range(rising[0].seq // PAGE, (size - 1) // PAGE + 1):
            part = [entry for entry in rising if entry.seq // PAGE == number]
            if len(part) == min(PAGE, size - number * PAGE):
                self.view.model.put(number, part)
        self.view.bar.learn(rising)

    async def _look(self) -> None:
        """Ask how many entries are newer than the table; at its top they are shown at once."""
        client, now = self.session.client, self._now_us()
        whole = self.log.whole
        await whole.look(client, now)
        listing = self.log.filtered
        if listing is None:
            self._fresh, self._fresh_more = whole.newest - whole.size, False
            at_top = self.view.table.verticalScrollBar().value() == 0
            if self._fresh and at_top and not self.view.model.windowed:
                self._grow()
        elif whole.newest > listing.size:
            fresh, more = await listing.newer(client, now)
            if self.log.filtered is listing:
                self._fresh, self._fresh_more = fresh, more
        self._show()

    def _grow(self) -> None:
        self.view.model.grow(self.log.whole.grow())
        self._fresh = 0
        self._loader.look()
        self.entry.show()

    def take_change(self, change: Change) -> None:
        del change  # every change leaves a leaf in the log
        self._poll.read_now()

    def _ask_names(self) -> None:
        """Ask for the names of the people in sight."""
        for entry in self._in_sight():
            if entry.node_id:
                self.session.people.of(entry.node_id)

    def _in_sight(self) -> list[AuditEntry]:
        """The entries in sight that are here."""
        first, last = self.view.visible_rows()
        found = (self.view.model.entry(row) for row in range(first, last + 1))
        return [entry for entry in found if entry is not None]

    def _fit_columns(self, *, anew: bool = False) -> None:
        """Times of another day stand with it, and leaves of an act are two numbers: they need the room. Only ``anew``
        times give it back: columns do not move to and fro while somebody scrolls."""
        model = self.view.model
        model.set_today(utc_time(self.session.live.now())[:10])
        oldest = model.get(self.view.visible_rows()[1])
        dated = oldest is not None and not oldest.timestamp.startswith(model.today)
        wider = model.widen_leaves()
        if ((dated or anew) and model.widen_times(dated)) or wider:
            self.view.table.head.fit_soon()

    def _fit_names(self) -> None:
        """The names of those who acted are told whole."""
        if self.view.model.widen_names(self._in_sight()):
            self.view.table.head.fit_soon()

    def _call_anew(self) -> None:
        """Names are known now, or others."""
        self.view.model.call_anew()
        self._fit_names()
        self.view.bar.learn(self._in_sight())
        self.entry.show()

    async def _read_clusters(self) -> None:
        """What people call the doors; without it they are told by their ids."""
        clusters = await read_all(
            lambda cursor: self.session.client.registry_list_reader_clusters(query=page_query(cursor))
        )
        self.view.model.clusters = {one.cluster_id: one.display_name for one in clusters}
        self._call_anew()

    def repaint(self) -> None:
        if self.session.resting != self._resting:
            self._resting = self.session.resting
            self._call_anew()
        self.view.model.set_today(utc_time(self.session.live.now())[:10])
        active = QAccessible.isActive()
        if active != self.view.model.windowed:
            self.view.model.set_windowed(active)
            self.view.bar.show_windows(active)
            self.session.actions.refresh()
        self._show_tail()

    def _now_us(self) -> int:
        return int(self.session.live.now() * 1e6)

    def show_error(self, error: BaseException) -> None:
        if isinstance(error, LogLost):
            self.log.opened = False
            self.show_failure(Failure("log_lost", str(error), tr("Open the page again.")))
        elif isinstance(error, PinDamaged):
            self.show_failure(Failure("policy_damaged", str(error)))
        else:
            super().show_error(error)

    def _show_page(self, entries: Sequence[AuditEntry], grown: bool) -> None:
        """A page of the table was read."""
        if grown:
            self._show()
        self.view.bar.learn(entries)
        self._name_rest.start()
        self._fit_columns()
        self._fit_names()
        if self.view.table.selectedIndexes():
            self.entry.show()

    def _report_page(self, error: BaseException) -> bool:
        """A page could not be read: say so, and whether to try again. A filter that the service refuses is not."""
        failure = failure_of(error)
        for pointer, _ in failure.fields:
            self.view.bar.mark_invalid(pointer)
        self.show_error(error)
        return failure.status != 422 and self.view.isVisible() and self.session.is_connected

    # --- what is shown -----------------------------------------------------------------------------------------------

    def _show(self) -> None:
        """Say how much was found, and how far back the search has come."""
        bar, model, listing = self.view.bar, self.view.model, self.log.filtered
        if listing is None:
            bar.show_count(tr("{count:,} entries", count=model.total))
            bar.searching.setText("")
        else:
            whole = max(self.log.whole.newest, listing.size)
            bar.show_count(
                tr("{count:,} of {whole:,} entries", count=listing.count, whole=whole)
                if listing.done
                else tr("{count:,} of {whole:,} so far", count=listing.count, whole=whole)
            )
            back = date_time(listing.searched_us / 1e6)
            bar.searching.setText("" if listing.done else tr("searched back to {back}", back=back))
        if model.windowed:
            first, last = model.window
            bar.searching.setText(tr("rows {first:,} to {last:,}", first=first + 1, last=last))
        bar.searching.setVisible(bool(bar.searching.text()))
        empty = listing is not None and listing.done and not listing.count
        self.view.pages.setCurrentWidget(self.view.nothing if empty else self.view.table)
        self._show_tail()
        self.session.actions.refresh()

    def _show_tail(self) -> None:
        word = self._poll.fresh.words() or self._behind()
        state, word = (Meaning.IDLE, word) if word else (Meaning.OK, tr("Live"))
        if self.log.whole.ahead_s >= AHEAD_S:
            state, word = (
                Meaning.WARN,
                tr("{word}; the log's time is {age} ahead", word=word, age=age(self.log.whole.ahead_s)),
            )
        self.view.bar.show_tail(state, word, self._fresh, self._fresh_more)

    def _behind(self) -> str:
        """Why the rows on the screen are not the newest ones; empty when they are."""
        if self.session.shown_time.is_past:
            return tr("Past")
        if (until := self.log.wanted.until_us) is not None:
            return tr("Up to {time}", time=date_time(until / 1000000.0))
        if self._fresh:
            return tr("Paused")
        model = self.view.model
        scrolled = self.view.table.verticalScrollBar().value() > 0 or (model.windowed and model.window[0] > 0)
        return tr("Older rows") if scrolled else ""

    # --- filter ------------------------------------------------------------------------------------------------------

    def _fields(self) -> _Fields:
        bar, outcome = self.view.bar, self.view.bar.outcome.currentData()
        return _Fields(
            bar.action.value,
            bar.actor.value,
            bar.node.value,
            outcome if outcome in ("ACCEPTED", "DENIED", "FAILED") else None,
            bar.text.text().strip(),
            int(bar.range.currentData()),
            outcome == IN_VAIN,
        )

    def _filter_changed(self) -> None:
        if self.log.opened and self.session.is_connected and self._fields() != self._shown:
            self._apply()

    def _apply(self, until_us: int | None = None) -> None:
        """Show what the fields say, up to ``until_us`` (Unix microseconds) if it is given."""
        log = self.log
        self._loader.cancel()
        self.view.banner.clear()
        self.view.bar.mark_invalid("")
        self._shown = fields = self._fields()
        since = self._now_us() - fields.seconds * 1_000_000 if fields.seconds else None
        log.wanted = Filter(*fields[:5], since, until_us, fields.in_vain)
        self._fresh, self._fresh_more = 0, False
        if log.wanted.whole:
            log.filtered = None
            log.whole.grow()
            self.view.model.reset_whole(log.whole.size)
        else:
            log.filtered = log.search(log.wanted, self._now_us())
            self.view.model.reset_filtered()
        self.view.table.scrollToTop()
        self._fit_columns(anew=True)
        self.entry.show()
        self._show()
        self._loader.restart()

    def _clear(self) -> None:
        self.view.bar.clear_fields()
        self._apply()

    def _only_node(self, node_id: str) -> None:
        self.view.bar.node.setText(node_id)
        self._filter_changed()

    def _newest(self) -> None:
        """Go to the top, with everything that came since, and choose the newest entry."""
        self._show_newest()
        if self.view.model.rowCount():
            self.view.table.selectRow(0)

    def _show_newest(self) -> None:
        """Go to the top; what is chosen stays so."""
        if self.log.filtered is not None:
            self._apply()
        else:
            self._grow()
            self.view.model.move_window(0)
        self.view.table.scrollToTop()
        self._show()

    def _move(self, windows: int) -> None:
        """Go so many windows down (negative: up); past the last row that is known, search on first."""
        model = self.view.model
        first, last = model.window
        if windows > 0 and last >= model.total and self.log.filtered is not None:
            self.spawn(self._search_on(), name="older rows")
            return
        model.move_window(first + windows * PAGE)
        self.view.table.scrollToTop()
        self._loader.look()
        self._show()

    async def _search_on(self) -> None:
        listing = self.log.filtered
        if listing is None or listing.done:
            return
        entries = await listing.extend(self.session.client)
        if self.log.filtered is listing:
            self.view.model.append(entries)
            self.view.model.move_window(self.view.model.total - 1)
            self._show()

    # --- time --------------------------------------------------------------------------------------------------------

    def _seek(self, text: str) -> None:
        at = parse_moment(text, self.session.live.now())
        self.view.bar.show_time_wrong(at is None)
        if at is None or not self.log.opened:
            return
        self.view.bar.time.clear()
        self.spawn(self.go_to(int(at * 1e6)), name="go to time")

    def _follow_moment(self) -> None:
        """Go to the moment that the window shows, or back to the newest entries; the hands stay on the strip, and the
        entry that was found stays chosen."""
        # A page that is not shown follows when it is entered: the past may have come or gone meanwhile.
        if not self._entered or not self.view.isVisible() or not self.session.is_connected:
            return
        if self._seeking is not None:
            self._seeking.cancel()
        at, was_past = self.session.shown_time.at, self._stands_in_past
        self._stands_in_past = at is not None
        if at is None:
            if was_past:
                self._show_newest()
        else:
            self._seeking = self.spawn(self.go_to(int(at * 1e6), focus=False), name="go to the moment shown")

    async def go_to(self, at_us: int, *, focus: bool = True) -> None:
        """Choose the newest entry at or before that time (Unix microseconds); a filtered view begins there. ``focus``:
        the table gets the keys."""
        if self.log.filtered is not None:
            self._apply(until_us=at_us + 1)
            if focus:
                self._focus(self.view.table)
            return
        seq = await self.log.whole.at_time(self.session.client, at_us)
        if seq is None:
            self.view.table.clearSelection()
            self.view.banner.show_note(tr("The log has no entry at that moment or before it."))
            return
        model, table = self.view.model, self.view.table
        model.move_window(self.log.whole.size - 1 - seq)
        row = model.row_of(seq)
        table.selectRow(row)
        table.scrollTo(model.index(row, 0), QAbstractItemView.ScrollHint.PositionAtCenter)
        if focus:
            self._focus(table)
        self._loader.look()
        self._show()

    async def close(self) -> None:
        await self._loader.close()
        await super().close()
