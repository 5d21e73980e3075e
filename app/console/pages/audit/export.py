"""Writes the entries of the present filter into a file, also while another page is shown."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from app.api.wire import rfc3339
from app.console.actions import Action
from app.console.failures import Failure, failure_of
from app.console.files import ask_save
from app.console.language import tr
from app.console.pages.audit.export_file import ExportFile
from app.console.pages.audit.filtered_log import FilteredLog
from app.console.pages.audit.question import IN_VAIN, Filter
from app.console.pages.audit.shown_log import ShownLog
from app.console.pages.audit.view import AuditView
from app.console.session import WindowSession


class AuditExport:
    """One export at a time. ``now_us``: the service's clock, Unix microseconds."""

    def __init__(self, session: WindowSession, view: AuditView, log: ShownLog, now_us: Callable[[], int]) -> None:
        self._session = session
        self._view = view
        self._log = log
        self._now_us = now_us
        self._task: asyncio.Task[object] | None = None

    @property
    def running(self) -> bool:
        """Whether a file is being written."""
        return self._task is not None

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table."""
        here = "audit"
        return [
            Action(
                "audit.export", tr("Export"), self._ask_file, "download", ("Ctrl+S",), here,
                when=lambda: not self.running and self._view.model.total > 0,
                hint=tr("Writes the entries of this filter, all of them, as JSON or CSV."),
            ),
            Action(
                "audit.cancel_export", tr("Cancel the export"), self._cancel, "x", ("Ctrl+.",), here,
                when=lambda: self.running,
            ),
        ]  # fmt: skip

    def _ask_file(self) -> None:
        """Ask where the file goes and whether it is JSON or CSV."""
        stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(self._session.live.now()))
        ask_save(
            self._view,
            tr("Export the entries of this filter"),
            f"audit-{stamp}.json",
            self.export_to,
            kinds=("JSON (*.json)", "CSV (*.csv)"),
        )

    def export_to(self, path: Path) -> None:
        """Write every entry of the present filter to ``path``. Goes on when the page is left."""
        if self._task is None and self._log.opened:
            self._task = self._session.tasks.spawn(self._export(path, self._log.wanted), name="audit export")
            self._session.actions.refresh()

    async def _export(self, path: Path, wanted: Filter) -> None:
        """Write the file, and tell as a toast what became of it: the page may be gone."""
        try:
            count = await self._write(path, wanted)
            self._session.notify(tr("{count:,} entries are in {path}.", count=count, path=path))
        except asyncio.CancelledError:
            self._session.notify(tr("The export was cancelled; no file was left."), "info")
            raise
        except OSError as error:
            said = tr("{path} cannot be written: {why}.", path=path, why=error.strerror or error)
            self._session.notify_failure(tr("Export"), Failure("export_failed", said, tr("Choose another place.")))
        except Exception as error:  # every kind is shown, none is swallowed
            self._session.notify_failure(tr("Export"), failure_of(error))
        finally:
            self._task = None
            self._view.bar.show_export("")
            self._session.actions.refresh()

    async def _write(self, path: Path, wanted: Filter) -> int:
        """Search the log and write what is found; how many entries that were. The disk is never on this thread."""
        listing = self._log.search(wanted, self._now_us())
        file = ExportFile(path, _filter_of(wanted, listing))
        await asyncio.to_thread(file.__enter__)
        try:
            while not listing.done:
                entries = await listing.extend(self._session.client)
                await asyncio.to_thread(file.write, entries)
                self._view.bar.show_export(tr("Exporting: {count:,} entries", count=file.count))
            await asyncio.to_thread(file.finish, listing.checkpoint)
        finally:
            await asyncio.to_thread(file.__exit__, None, None, None)
        return file.count

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()


def _filter_of(wanted: Filter, listing: FilteredLog) -> dict[str, object]:
    """The filter as the JSON file states it; fields that narrow nothing are left out."""
    fields = {
        "action": wanted.action,
        "actor": wanted.actor,
        "node_id": wanted.node_id,
        "outcome": ", ".join(IN_VAIN) if wanted.in_vain else wanted.outcome,
        "text": wanted.text,
        "from": None if wanted.since_us is None else rfc3339(wanted.since_us),
        "to": rfc3339(listing.until_us),
    }
    return {name: value for name, value in fields.items() if value}
