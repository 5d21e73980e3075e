"""The tab of all batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from app.capabilities.provisioning.batches.messages import BatchListQuery, BatchSummary
from app.console.actions import Action
from app.console.language import tr
from app.console.operations import Change
from app.console.pages.batch.board import OPEN_BATCH
from app.console.pages.batch.history_view import BatchHistoryView
from app.console.part import Host, Part

PAGE = 100


class HistoryTab(Part):
    """Read when it is opened and when a batch was changed. ``shown_batch`` gives the id of the batch that is followed,
    or an empty text."""

    view: BatchHistoryView

    def __init__(self, host: Host, view: BatchHistoryView, shown_batch: Callable[[], str]) -> None:
        super().__init__(host)
        self.view = view
        self._shown_batch = shown_batch
        self._next: str | None = None
        self.others = 0
        """Open batches beside the one that was followed when the list was read."""

    def actions(self) -> Sequence[Action]:
        return [
            Action(
                "batch.older", tr("Older batches"), lambda: self.read_now(self._next), "chevron-down", page="batch",
                when=lambda: self._next is not None,
            ),
        ]  # fmt: skip

    async def run(self, arguments: Mapping[str, str]) -> None:
        """Nothing is read by itself."""

    def take_change(self, change: Change) -> None:
        if "batches" in change.kinds:
            self.read_now()

    def read_now(self, cursor: str | None = None) -> None:
        """Read the newest batches, or those from ``cursor`` on behind the ones that are shown."""
        if self.session.is_connected:
            self.host.spawn(self.load(cursor), name="batches")

    async def load(self, cursor: str | None) -> list[BatchSummary]:
        """Read a page and show it: in place of all, or behind them. Gives the page."""
        page = await self.session.client.batches_list(query=BatchListQuery(limit=PAGE, cursor=cursor))
        rows = page.items if cursor is None else [*self.view.rows.rows, *page.items]
        self.view.show_batches(rows)
        self._next = page.next
        self._count_others()
        self.session.actions.refresh()
        return page.items

    def _count_others(self) -> None:
        here = self._shown_batch()
        self.others = sum(row.state in OPEN_BATCH and row.batch_id != here for row in self.view.rows.rows)

    def hear(self, summary: BatchSummary) -> None:
        """A batch changed while the list is shown elsewhere: what waits behind it must not wait for ever."""
        rows = self.view.rows.rows
        if any(row.batch_id == summary.batch_id for row in rows):
            self.view.show_batches([summary if row.batch_id == summary.batch_id else row for row in rows])
            self._count_others()

    def ahead_of(self, summary: BatchSummary) -> str:
        """The label of an older batch that takes the cards at readers of this one first; empty: none does."""
        for row in reversed(self.view.rows.rows):
            older = (row.created_at, row.batch_id) < (summary.created_at, summary.batch_id)
            shares = not row.readers or not summary.readers or set(row.readers) & set(summary.readers)
            if older and shares and row.state == "RUNNING" and row.counts.waiting:
                return row.label
        return ""
