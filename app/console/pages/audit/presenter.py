"""What the audit page does: brings the pages that are looked at, filters, goes to a time, watches the end, exports."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QFileDialog, QWidget

from app.api.wire import rfc3339
from app.capabilities.gateway.messages import AuditEntry, Outcome
from app.console.actions import Action
from app.console.clock import Freshness, date_time, parse_moment
from app.console.failures import Failure, failure_of
from app.console.files import FileKeeper
from app.console.operations import Change
from app.console.page import Presenter
from app.console.pages.audit.export import ExportFile
from app.console.pages.audit.source import PAGE, Filter, FilteredLog, LogLost, WholeLog, proven_page
from app.console.pages.audit.view import AuditView, entry_json
from app.console.pinning import PinDamaged, pins_of, seen_policy
from app.console.session import WindowSession
from app.console.tasks import Tasks, woken
from app.console.theme.tokens import Meaning
from app.console.verifying import entry_proof, verify_entry

LOOK_EVERY_S = 2.0
NEAR_END = 50
"""Rows before the end of a filtered view at which the next page is fetched."""


class _Fields(NamedTuple):
    """The filter bar as it is filled in; ``seconds`` 0: all time."""

    action: str
    actor: str
    node_id: str
    outcome: Outcome | None
    text: str
    seconds: int


NO_FILTER = _Fields("", "", "", None, "", 0)


class AuditPresenter(Presenter):
    """One log, whole or filtered; the table asks for pages, and only those that can be seen are fetched."""

    view: AuditView

    def __init__(self, session: WindowSession, view: AuditView) -> None:
        super().__init__(session, view)
        self.whole = WholeLog()
        self.filtered: FilteredLog | None = None
        self._wanted, self._shown = Filter(), NO_FILTER
        self._heard = Freshness(LOOK_EVERY_S)
        self._opened = False
        self._look_now = asyncio.Event()
        self._load_now = asyncio.Event()
        self._fresh, self._fresh_more = 0, False
        self._loading = Tasks(self._load_failed)
        self._export: asyncio.Task[object] | None = None
        self._judging = False
        self._pins = pins_of(session)
        self.files = FileKeeper(view, session)
        view.model.missing.connect(lambda _page: self._load_now.set())
        view.table.verticalScrollBar().valueChanged.connect(lambda _value: self._load_now.set())
        view.table.selected.connect(self._selected)
        view.bar.changed.connect(self._filter_changed)
        view.bar.sought.connect(self._sought)

    # --- the table ---------------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        bar, model = self.view.bar, self.view.model
        return [
            Action("audit.time", "Go to a time", lambda: self._focus(bar.time), "clock", ("Ctrl+L",), page="audit"),
            Action(
                "audit.clear",
                "Clear the filter",
                self._clear,
                "x",
                ("Ctrl+Shift+X",),
                page="audit",
                when=lambda: not self._wanted.whole,
            ),
            Action(
                "audit.newest",
                "Show the newest entries",
                self._newest,
                "arrow-up",
                ("Ctrl+Home",),
                page="audit",
            ),
            Action(
                "audit.export",
                "Export",
                self._ask_file,
                "download",
                ("Ctrl+S",),
                page="audit",
                when=lambda: self._export is None and model.total > 0,
                hint="Writes the entries of this filter, all of them, as JSON or CSV.",
            ),
            Action(
                "audit.cancel_export",
                "Cancel the export",
                self._cancel_export,
                "x",
                ("Ctrl+.",),
                page="audit",
                when=lambda: self._export is not None,
            ),
            Action(
                "audit.copy",
                "Copy the entry",
                self._copy,
                "copy",
                ("Ctrl+Shift+C",),
                page="audit",
                when=lambda: self.current() is not None,
            ),
            Action(
                "audit.same_node",
                "Only this node",
                self._same_node,
                "funnel",
                ("Ctrl+I",),
                page="audit",
                when=self._has_node,
            ),
            Action(
                "audit.verify",
                "Verify now",
                self._verify,
                "shield-check",
                ("Ctrl+Return", "Ctrl+Enter"),
                page="audit",
                when=lambda: self.current() is not None and not self._judging,
                hint="Fetches the entry's proof and checks it on this machine, by the pinned policy.",
            ),
            Action(
                "audit.save_proof",
                "Save the proof",
                self._ask_proof,
                "file-check",
                ("Ctrl+Shift+S",),
                page="audit",
                when=lambda: self.current() is not None and not self.files.saving,
                hint="A C2SP tlog-proof file: place, path, and the newest checkpoint with its witnesses.",
            ),
            Action(
                "audit.rows", "Go to the table", lambda: self._focus(self.view.table), "list", ("Ctrl+T",), page="audit"
            ),
            Action(
                "audit.newer",
                "Newer 200",
                lambda: self._move(-1),
                "arrow-up",
                ("Alt+PgUp",),
                page="audit",
                when=lambda: model.windowed and model.window[0] > 0,
            ),
            Action(
                "audit.older",
                "Older 200",
                lambda: self._move(1),
                "arrow-down",
                ("Alt+PgDown",),
                page="audit",
                when=lambda: model.windowed and (model.window[1] < model.total or not self._complete()),
            ),
        ]

    def filter_field(self) -> QWidget | None:
        return self.view.bar.text

    def first_control(self) -> QWidget:
        return self.view.table

    def _focus(self, widget: QWidget) -> None:
        widget.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # --- the page's life ---------------------------------------------------------------------------------------------

    async def run(self, arguments: Mapping[str, str]) -> None:
        if not self.session.live.stale:
            self._heard.resume()
        bar = self.view.bar
        if arguments:
            bar.clear_fields()
            bar.text.setText(arguments.get("text", ""))
            bar.node.setText(arguments.get("node_id", ""))
            bar.action.setText(arguments.get("action", ""))
        try:
            await self._open()
            await self._watch()
        finally:
            self._loading.cancel()

    async def _open(self) -> None:
        """The whole log's ends, then what the filter says."""
        client = self.session.client
        if self._opened:
            try:
                await self.whole.look(client, self._now_us())
            except LogLost:
                self._opened = False
        if not self._opened:
            self.whole = WholeLog()
            newest = await self.whole.open(client, self._now_us())
            self._opened = True
            self._wanted, self._shown = Filter(), NO_FILTER
            self.filtered = None
            self.view.model.reset_whole(self.whole.size)
            self._put_newest(newest)
        self._heard.touch()
        self._show()
        if self._fields() != self._shown:
            self._apply()
        else:
            self._begin_loading()

    def _put_newest(self, newest: Sequence[AuditEntry]) -> None:
        """The first screen is there already: cut what was read into pages, as far as they are whole."""
        if not newest:
            return
        rising = list(reversed(newest))
        for number in range(rising[0].seq // PAGE, (self.whole.size - 1) // PAGE + 1):
            part = [entry for entry in rising if entry.seq // PAGE == number]
            if len(part) == min(PAGE, self.whole.size - number * PAGE):
                self.view.model.put(number, part)
        self.view.bar.learn(rising)

    async def _watch(self) -> None:
        """Look at the end of the log each two seconds, and at once after a change of ours."""
        while True:
            await woken(self._look_now, LOOK_EVERY_S)
            try:
                await self._look()
            except LogLost as lost:
                self._opened = False
                self.show_failure(Failure("log_lost", str(lost)))
                await self._open()

    async def _look(self) -> None:
        client, now = self.session.client, self._now_us()
        await self.whole.look(client, now)
        listing = self.filtered
        if listing is None:
            self._fresh, self._fresh_more = self.whole.newest - self.whole.size, False
            at_top = self.view.table.verticalScrollBar().value() == 0
            if self._fresh and at_top and not self.view.model.windowed:
                self._grow()
        elif self.whole.newest > listing.size:
            fresh, more = await listing.newer(client, now)
            if self.filtered is listing:
                self._fresh, self._fresh_more = fresh, more
        self._heard.touch()
        self._show()

    def _grow(self) -> None:
        self.view.model.grow(self.whole.grow())
        self._fresh = 0
        self._load_now.set()
        self._selected(self.view.table.currentIndex().row())

    def take_change(self, change: Change) -> None:
        del change  # whatever was changed left a leaf
        self._look_now.set()

    def repaint(self) -> None:
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
            self._opened = False
            self.show_failure(Failure("log_lost", str(error), "Open the page again."))
        elif isinstance(error, PinDamaged):
            self.show_failure(Failure("policy_damaged", str(error)))
        else:
            super().show_error(error)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def _complete(self) -> bool:
        return self.filtered is None or self.filtered.done

    def _show(self) -> None:
        bar, model, listing = self.view.bar, self.view.model, self.filtered
        if listing is None:
            bar.count.setText(f"{model.total:,} entries")
            bar.searching.setText("")
        else:
            bar.count.setText(f"{listing.count:,} found{'' if listing.done else ' so far'}")
            back = date_time(listing.searched_us / 1e6)
            bar.searching.setText("" if listing.done else f"searched back to {back}")
        if model.windowed:
            first, last = model.window
            bar.searching.setText(f"rows {first + 1:,} to {last:,}")
        bar.searching.setVisible(bool(bar.searching.text()))
        empty = listing is not None and listing.done and not listing.count
        self.view.pages.setCurrentWidget(self.view.nothing if empty else self.view.table)
        self._show_tail()
        self.session.actions.refresh()

    def _show_tail(self) -> None:
        if old := self._heard.words():
            state, word = Meaning.IDLE, old
        else:
            state, word = Meaning.OK, "Live"
        self.view.bar.show_tail(state, word, self._fresh, self._fresh_more)

    def current(self) -> AuditEntry | None:
        """The entry that is chosen, when it is there."""
        row = self.view.table.currentIndex().row()
        return self.view.model.entry(row) if 0 <= row < self.view.model.rowCount() else None

    def _selected(self, _row: int) -> None:
        listing = self.filtered
        self.view.entry.show_entry(self.current(), self.whole.checkpoint if listing is None else listing.checkpoint)
        self.session.actions.refresh()

    # --- pages -------------------------------------------------------------------------------------------------------

    def _begin_loading(self) -> None:
        self._loading.cancel()
        self._loading.spawn(self._load(), name="audit pages")
        self._load_now.set()

    async def _load(self) -> None:
        while True:
            await self._load_now.wait()
            self._load_now.clear()
            while (work := self._due()) is not None:
                page, listing = work
                try:
                    if listing is None:
                        entries = await self.whole.page(self.session.client, page)
                        self.view.model.put(page, entries)
                    elif page < listing.pages:
                        entries = await listing.page(self.session.client, page)
                        self.view.model.put(page, entries)
                    else:
                        entries = await listing.extend(self.session.client)
                        self.view.model.append(entries)
                        self._show()
                except BaseException:
                    self.view.model.give_up(page)
                    raise
                self.view.bar.learn(entries)
                if self.view.table.selectedIndexes():
                    self._selected(0)

    def _due(self) -> tuple[int, FilteredLog | None] | None:
        """The page that is looked at and not there; for a filtered view also the next one near the end."""
        model, listing = self.view.model, self.filtered
        first, last = self.view.visible_rows()
        row = first
        while row <= last:
            page, at = model.place(row)
            if not model.has(page):
                return page, listing
            # To the first row of the next page: without a filter pages run against the rows.
            if listing is None:
                row += at + 1
            else:
                after = listing.offsets[page + 1] if page + 1 < listing.pages else listing.count
                row = max(row + 1, after - model.window[0])
        if listing is not None and not listing.done and last >= model.rowCount() - NEAR_END:
            return listing.pages, listing
        return None

    def _load_failed(self, error: BaseException) -> None:
        failure = failure_of(error)
        for pointer, _ in failure.fields:
            self.view.bar.mark_invalid(pointer)
        self.show_error(error)
        if failure.status != 422 and self.view.isVisible() and self.session.is_connected:
            self._loading.spawn(self._load_later(), name="audit pages again")

    async def _load_later(self) -> None:
        await asyncio.sleep(LOOK_EVERY_S)
        self._begin_loading()

    # --- filter ------------------------------------------------------------------------------------------------------

    def _fields(self) -> _Fields:
        bar = self.view.bar
        return _Fields(
            bar.action.text().strip(),
            bar.actor.text().strip(),
            bar.node.text().strip(),
            bar.outcome.currentData() or None,
            bar.text.text().strip(),
            int(bar.range.currentData()),
        )

    def _filter_changed(self) -> None:
        if self._opened and self.session.is_connected and self._fields() != self._shown:
            self._apply()

    def _apply(self, until_us: int | None = None) -> None:
        """Show what the fields say."""
        self._loading.cancel()
        self.view.banner.clear()
        self.view.bar.mark_invalid("")
        self._shown = fields = self._fields()
        since = self._now_us() - fields.seconds * 1_000_000 if fields.seconds else None
        self._wanted = Filter(*fields[:5], since, until_us)
        self._fresh, self._fresh_more = 0, False
        if self._wanted.whole:
            self.filtered = None
            self.whole.grow()
            self.view.model.reset_whole(self.whole.size)
        else:
            floor = self.whole.anchors.around(0)[0][1] if self.whole.size else self._now_us()
            self.filtered = FilteredLog(self._wanted, until_us=self._now_us() + 1_000_000, floor_us=floor)
            self.view.model.reset_filtered()
        self.view.table.scrollToTop()
        self._selected(-1)
        self._show()
        self._begin_loading()

    def _clear(self) -> None:
        self.view.bar.clear_fields()
        self._apply()

    def _same_node(self) -> None:
        entry = self.current()
        if entry is not None and entry.node_id:
            self.view.bar.node.setText(entry.node_id)
            self._filter_changed()

    def _has_node(self) -> bool:
        entry = self.current()
        return entry is not None and entry.node_id is not None and entry.node_id != self._wanted.node_id

    def _newest(self) -> None:
        """To the top, with everything that came since."""
        if self.filtered is not None:
            self._apply()
        else:
            self._grow()
            self.view.model.move_window(0)
        self.view.table.scrollToTop()
        if self.view.model.rowCount():
            self.view.table.selectRow(0)
        self._show()

    def _move(self, windows: int) -> None:
        model = self.view.model
        first, last = model.window
        if windows > 0 and last >= model.total and self.filtered is not None:
            self.spawn(self._more(), name="older rows")
            return
        model.move_window(first + windows * PAGE)
        self.view.table.scrollToTop()
        self._load_now.set()
        self._show()

    async def _more(self) -> None:
        listing = self.filtered
        if listing is None or listing.done:
            return
        entries = await listing.extend(self.session.client)
        if self.filtered is listing:
            self.view.model.append(entries)
            self.view.model.move_window(self.view.model.total - 1)
            self._show()

    # --- time --------------------------------------------------------------------------------------------------------

    def _sought(self, text: str) -> None:
        at = parse_moment(text, self.session.live.now())
        self.view.bar.show_time_wrong(at is None)
        if at is None or not self._opened:
            return
        self.view.bar.time.clear()
        self.spawn(self.go_to(int(at * 1e6)), name="go to time")

    async def go_to(self, at_us: int) -> None:
        """Choose the newest entry at or before that time; a filtered view begins there."""
        if self.filtered is not None:
            self._apply(until_us=at_us + 1)
            self._focus(self.view.table)
            return
        seq = await self.whole.at_time(self.session.client, at_us)
        if seq is None:
            return
        model, table = self.view.model, self.view.table
        model.move_window(self.whole.size - 1 - seq)
        row = model.row_of(seq)
        table.selectRow(row)
        table.scrollTo(model.index(row, 0), QAbstractItemView.ScrollHint.PositionAtCenter)
        self._focus(table)
        self._load_now.set()
        self._show()

    # --- proof -------------------------------------------------------------------------------------------------------

    def _verify(self) -> None:
        entry = self.current()
        if entry is not None and not self._judging:
            self._judging = True
            self.session.actions.refresh()
            self.spawn(self._judge(entry), name="verify an entry")

    async def _judge(self, entry: AuditEntry) -> None:
        try:
            session = self.session
            page = await proven_page(session.client, entry)
            pin = await seen_policy(session, self._pins)
            judgement = await asyncio.to_thread(verify_entry, entry, page, pin.policy)
        finally:
            self._judging = False
            self.session.actions.refresh()
        note = f"Checked on this machine by the policy pinned on {date_time(pin.since)}."
        if pin.changed:
            note += " POLICY CHANGED: the service gives another one now; see the page Seals before you trust it."
        current = self.current()
        if current is not None and current.seq == entry.seq:
            self.view.entry.show_judgement(judgement, note)

    def _ask_proof(self) -> None:
        entry = self.current()
        if entry is not None:
            name = f"audit-{entry.seq}.tlog-proof"
            self.files.ask("Save the proof", name, lambda path: self.save_proof(path, entry))

    def save_proof(self, path: Path, entry: AuditEntry) -> None:
        """Keep the entry's proof as a tlog-proof file; a toast says under which checkpoint it stands."""

        async def made() -> bytes:
            proof = entry_proof(await proven_page(self.session.client, entry), entry.seq)
            if proof is None:
                raise LogLost(f"The service gave no proof of entry {entry.seq:,}.")
            if not proof.cosigned:
                said = "No quorum covers the entry yet: its proof stands under the log's own signature alone."
                self.session.notify(said, "warn")
            return proof.text.encode()

        self.files.keep_made(path, f"The proof of entry {entry.seq:,}", made)

    # --- out of the page ---------------------------------------------------------------------------------------------

    def _copy(self) -> None:
        entry = self.current()
        if entry is not None:
            QGuiApplication.clipboard().setText(entry_json(entry))
            self.session.notify(f"Entry {entry.seq:,} is on the clipboard.")

    def _ask_file(self) -> None:
        stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(self.session.live.now()))
        dialog = QFileDialog(self.view, "Export the entries of this filter", str(Path.home() / f"audit-{stamp}.json"))
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters(["JSON (*.json)", "CSV (*.csv)"])
        dialog.setDefaultSuffix("json")
        dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix("csv" if "csv" in chosen else "json"))
        dialog.selectFile(f"audit-{stamp}.json")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.export_to(Path(name)))
        dialog.open()

    def export_to(self, path: Path) -> None:
        """Write every entry of the present filter to ``path``. Goes on when the page is left."""
        if self._export is None and self._opened:
            self._export = self.session.tasks.spawn(self._write(path, self._wanted), name="audit export")
            self.session.actions.refresh()

    async def _write(self, path: Path, wanted: Filter) -> None:
        floor = self.whole.anchors.around(0)[0][1] if self.whole.size else self._now_us()
        listing = FilteredLog(wanted, until_us=self._now_us() + 1_000_000, floor_us=floor)
        try:
            with_filter: dict[str, object] = {
                name: value
                for name, value in (
                    ("action", wanted.action),
                    ("actor", wanted.actor),
                    ("node_id", wanted.node_id),
                    ("outcome", wanted.outcome),
                    ("text", wanted.text),
                    ("from", None if wanted.since_us is None else rfc3339(wanted.since_us)),
                    ("to", rfc3339(listing.until_us)),
                )
                if value
            }
            file = ExportFile(path, with_filter)
            await asyncio.to_thread(file.__enter__)
            try:
                while not listing.done:
                    entries = await listing.extend(self.session.client)
                    await asyncio.to_thread(file.write, entries)
                    self.view.bar.show_export(f"Exporting: {file.count:,} entries")
                await asyncio.to_thread(file.finish, listing.checkpoint)
            finally:
                await asyncio.to_thread(file.__exit__, None, None, None)
            self.session.notify(f"{file.count:,} entries are in {path}.")
        except asyncio.CancelledError:
            self.session.notify("The export was cancelled; no file was left.", "info")
            raise
        except OSError as error:
            said = f"{path} cannot be written: {error.strerror or error}."
            self.session.notify_failure("Export", Failure("export_failed", said, "Choose another place."))
        except Exception as error:  # told as a toast: the page may be gone
            self.session.notify_failure("Export", failure_of(error))
        finally:
            self._export = None
            self.view.bar.show_export("")
            self.session.actions.refresh()

    def _cancel_export(self) -> None:
        if self._export is not None:
            self._export.cancel()

    async def close(self) -> None:
        await self._loading.close()
        await super().close()
