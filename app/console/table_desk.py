"""What a window does for its tables: it keeps how the operator has set them, and saves their rows as CSV."""

from __future__ import annotations

import re
import time
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.console.table_layout import AS_MADE, TableLayout

if TYPE_CHECKING:
    from pathlib import Path

    from app.console.files import FileKeeper
    from app.console.session import WindowSession
    from app.console.widgets.table import DataTable

SLICE_S = 0.008
"""So long rows are made into text before the window answers again."""


class TableDesk:
    """One for each window, made before its first paint: what it needs to save a file is imported at the first one."""

    def __init__(self, session: WindowSession, window: QWidget) -> None:
        self._session = session
        self._window = window

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

    def save_rows(self, table: DataTable) -> None:
        """Ask where the rows of a table go, and write them as CSV: the columns that are shown, in their order."""
        proposed = re.sub("[^a-z0-9]+", "-", table.name.casefold()).strip("-") or "table"
        self._files.ask("Save the rows of a table", f"{proposed}.csv", lambda path: self.save_to(path, table))

    def save_to(self, path: Path, table: DataTable) -> None:
        """Write the rows that the table has now to ``path``. Raises TypeError for a table that has not all its rows in
        memory."""
        from app.console.formats.spreadsheet import table_bytes
        from app.console.widgets.table_head import head_words

        model = table.rows_model
        if model is None:
            raise TypeError(f"the rows of {table.name} are not in memory")
        columns = [model.columns[at] for at in table.head.places()]
        rows = list(model.rows)

        async def make() -> bytes:
            import asyncio

            lines, began = [], time.monotonic()
            for row in rows:
                # On this thread, because a column may ask its page: a slice at a time, the window answers in between.
                lines.append([column.text(row) for column in columns])
                if time.monotonic() - began > SLICE_S:
                    await asyncio.sleep(0)
                    began = time.monotonic()
            return await asyncio.to_thread(table_bytes, [head_words(column.title) for column in columns], lines)

        many = "1 row" if len(rows) == 1 else f"{len(rows):,} rows"
        self._files.keep_made(path, f"“{table.name}”, {many},", make)
