"""What a window does for its tables and charts: it keeps how the operator has set them, and saves rows as CSV."""

from __future__ import annotations

import re
import time
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.console.table_layout import AS_MADE, TableLayout

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.console.files import FileKeeper
    from app.console.session import WindowSession

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

        many = "1 row" if count == 1 else f"{count:,} rows"
        what = f"“{name}”, {many},"
        self._files.ask("Save rows", f"{proposed}.csv", lambda path: self._files.keep_made(path, what, make))

    def say(self, text: str) -> None:
        """Tell what was done, in one sentence."""
        self._session.notify(text, subject="Clipboard")
