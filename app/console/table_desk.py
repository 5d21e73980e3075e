"""What a window does for its tables and charts: it keeps how the operator has set them, and saves rows as CSV or as
evidence."""

from __future__ import annotations

import re
import time
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.console.failures import NoEvidence
from app.console.language import tr
from app.console.table_layout import AS_MADE, TableLayout

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.capabilities.gateway.audit.messages import AuditEntry
    from app.console.files import FileKeeper
    from app.console.session import WindowSession
    from app.console.widgets.desk import Trace

SLICE_S = 0.008
"""So long rows are made into text before the window answers again."""
MOST_ENTRIES = 500
"""Entries of the audit log that one bundle takes."""
_DAY_S = 86_400.0
_LOOK_BACK_S = 365 * _DAY_S
"""So far back entries of an id are looked for."""


class TableDesk:
    """One for each window, made before its first paint: what it needs to save a file is imported at the first one."""

    def __init__(self, session: WindowSession, window: QWidget) -> None:
        self._session = session
        self._window = window
        self._names_wanted = False

    @cached_property
    def _files(self) -> FileKeeper:
        from app.console.files import FileKeeper

        return FileKeeper(self._window, self._session)

    def layout_of(self, name: str) -> TableLayout:
        """How the operator has set the table of that name."""
        return self._session.preferences.value.tables.get(name, AS_MADE)

    def keep_layout(self, name: str, layout: TableLayout) -> None:
        """Keep it for the next time, here and at the next start."""
        self._session.preferences.remember_table(name, layout)

    def save_lines(self, name: str, heads: Sequence[str], lines: Iterable[Sequence[str]], count: int) -> None:
        """Ask where a CSV file goes and write it: ``count`` lines, which are made one by one while the window goes on
        answering. ``name`` says what they are of."""
        proposed = re.sub("[^a-z0-9]+", "-", name.casefold()).strip("-") or "table"

        async def make() -> bytes:
            import asyncio

            from app.console.formats.spreadsheet import table_bytes

            made, began = [], time.monotonic()
            for line in lines:
                # On this thread, because a column may ask its page: a slice at a time, the window answers in between.
                made.append(line)
                if time.monotonic() - began > SLICE_S:
                    await asyncio.sleep(0)
                    began = time.monotonic()
            return await asyncio.to_thread(table_bytes, heads, made)

        many = tr("1 row") if count == 1 else tr("{count:,} rows", count=count)
        what = tr("“{name}”, {many},", name=name, many=many)
        self._files.ask(tr("Save rows"), f"{proposed}.csv", lambda path: self._files.keep_made(path, what, make))

    def save_evidence(self, name: str, traces: Sequence[Trace], rows: int) -> None:
        """Ask where a signed bundle goes, and write the audit log's entries of so many rows with their proofs. ``name``
        says what they are of."""
        from app.console.files import HOW_TO_VERIFY

        many = tr("1 row") if rows == 1 else tr("{rows:,} rows", rows=rows)
        stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(self._session.live.now()))

        async def make() -> bytes:
            return await self.evidence_of(traces)

        what = tr("The evidence of {many} of “{name}”", many=many, name=name)
        self._files.ask(
            tr("Save the evidence bundle"),
            f"evidence-{stamp}.zip",
            lambda path: self._files.keep_made(path, what, make, HOW_TO_VERIFY),
        )

    async def evidence_of(self, traces: Sequence[Trace]) -> bytes:
        """The signed bundle of the entries that ``traces`` lead to. Raises ``NoEvidence``."""
        from app.console.evidence.bundles import bundle_of_entries

        found = {trace for trace in traces if isinstance(trace, int)}
        for trace in dict.fromkeys(traces):
            if isinstance(trace, str):
                found |= await self._entries_naming(trace)
            if len(found) > MOST_ENTRIES:
                sentence = tr(
                    "This is more than {count} entries of the log: choose fewer rows for one bundle.",
                    count=MOST_ENTRIES,
                )
                raise NoEvidence(sentence)
        return await bundle_of_entries(self._session, found)

    async def _entries_naming(self, wanted: str) -> set[int]:
        """Numbers of the entries that name an id; ``NoEvidence`` where there is none."""
        from app.capabilities.gateway.audit.messages import AuditCriteria, AuditQuery, AuditRange
        from app.console.moments import api_time

        now = self._session.live.now()
        span = AuditRange(from_=api_time(now - _LOOK_BACK_S), to=api_time(now + _DAY_S))
        found: set[int] = set()
        cursor: str | None = None
        while len(found) <= MOST_ENTRIES:
            criteria = AuditCriteria(text=wanted, limit=MOST_ENTRIES, cursor=cursor)
            page = await self._session.client.gateway_audit_log_query(AuditQuery(range=span, criteria=criteria))
            found |= {entry.seq for entry in page.entries if _names(entry, wanted)}
            cursor = page.next
            if cursor is None:
                break
        if not found:
            raise NoEvidence(
                tr(
                    "The audit log of the last 365 days has no entry that names {id}: nothing proves it.",
                    id=wanted,
                )
            )
        return found

    def person(self, node_id: str) -> str:
        """What people call this node; empty while it is not known. A name that comes later is painted then."""
        if not self._names_wanted:
            self._names_wanted = True
            self._session.people.changed.connect(self._paint_names)
        return self._session.people.of(node_id)

    def _paint_names(self) -> None:
        from app.console.widgets.table import DataTable

        for table in self._window.findChildren(DataTable):
            if table.isVisible():
                table.viewport().update()
                table.head.fit_soon()

    def say(self, text: str) -> None:
        """Tell what was done, in one sentence."""
        self._session.notify(text, subject=tr("Clipboard"))


def _names(entry: AuditEntry, wanted: str) -> bool:
    """Whether the entry is about this id: the search finds the words of it anywhere."""
    return wanted in (entry.node_id, entry.unit_id) or _holds(entry.detail, wanted)


def _holds(value: object, wanted: str) -> bool:
    if isinstance(value, dict):
        return any(_holds(one, wanted) for one in value.values())
    if isinstance(value, list):
        return any(_holds(one, wanted) for one in value)
    return value == wanted
