"""Brings the pages of the audit table that can be seen, and only those."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console.pages.audit.filtered_log import FilteredLog
from app.console.pages.audit.shown_log import ShownLog
from app.console.pages.audit.view import AuditView
from app.console.session import WindowSession
from app.console.tasks import Tasks

AGAIN_AFTER_S = 2.0
NEAR_END = 50
"""Rows before the end of a filtered view at which the next page is fetched."""


class PageLoader:
    """One task reads page after page. ``arrived`` gets the entries of each, and whether they are new rows of a filtered
    view; ``failed`` gets what a reading raised, and tells whether it is worth another try."""

    def __init__(
        self,
        session: WindowSession,
        view: AuditView,
        log: ShownLog,
        *,
        arrived: Callable[[Sequence[AuditEntry], bool], None],
        failed: Callable[[BaseException], bool],
    ) -> None:
        self._session = session
        self._view = view
        self._log = log
        self._arrived = arrived
        self._report = failed
        self._now = asyncio.Event()
        self._tasks = Tasks(self._fail)
        view.model.missing.connect(lambda _page: self.look())
        view.table.verticalScrollBar().valueChanged.connect(lambda _value: self.look())

    def look(self) -> None:
        """Read what can be seen now and is not there."""
        self._now.set()

    def restart(self) -> None:
        """Drop what is being read: the table shows something else."""
        self.cancel()
        self._tasks.spawn(self._load(), name="audit pages")
        self.look()

    def cancel(self) -> None:
        """Read nothing more until ``restart``."""
        self._tasks.cancel()

    async def close(self) -> None:
        """Every task has ended when this returns."""
        await self._tasks.close()

    async def _load(self) -> None:
        """Read every page that is due, then wait for ``look``."""
        while True:
            await self._now.wait()
            self._now.clear()
            while (work := self._due()) is not None:
                page, listing = work
                grown = listing is not None and page >= listing.pages
                try:
                    entries = await self._read(page, listing)
                except BaseException:
                    self._view.model.give_up(page)
                    raise
                self._arrived(entries, grown)

    async def _read(self, page: int, listing: FilteredLog | None) -> Sequence[AuditEntry]:
        """Read one page and put it into the table's model."""
        client, model = self._session.client, self._view.model
        if listing is not None and page >= listing.pages:
            entries = await listing.extend(client)
            model.append(entries)
        else:
            entries = await (self._log.whole if listing is None else listing).page(client, page)
            model.put(page, entries)
        return entries

    def _due(self) -> tuple[int, FilteredLog | None] | None:
        """The page that can be seen and is not there; for a filtered view also the next one near the end."""
        model, listing = self._view.model, self._log.filtered
        first, last = self._view.visible_rows()
        row = first
        while row <= last:
            page, at = model.place(row)
            if not model.has(page):
                return page, listing
            # Without a filter pages run against the rows: on to the first row of the next one. With one, rows fold.
            row += at + 1 if listing is None else 1
        if listing is not None and not listing.done and last >= model.rowCount() - NEAR_END:
            return listing.pages, listing
        return None

    def _fail(self, error: BaseException) -> None:
        if self._report(error):
            self._tasks.spawn(self._load_later(), name="audit pages again")

    async def _load_later(self) -> None:
        await asyncio.sleep(AGAIN_AFTER_S)
        self.restart()
