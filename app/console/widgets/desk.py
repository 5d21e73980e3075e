"""What a window does for the widgets in it that know no session: it keeps how tables are set, and saves files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from PySide6.QtWidgets import QWidget

from app.console.table_layout import TableLayout

Trace = int | str
"""Where the audit log tells of a row: the number of its entry, or an id that its entries name."""


class Desk(Protocol):
    """The attribute ``table_desk`` of a window."""

    def layout_of(self, name: str) -> TableLayout:
        """How the operator has set the table of that name."""
        ...

    def keep_layout(self, name: str, layout: TableLayout) -> None:
        """Keep it for the next time, here and at the next start."""
        ...

    def save_lines(self, name: str, heads: Sequence[str], lines: Iterable[Sequence[str]], count: int) -> None:
        """Ask where a CSV file goes and write it: ``count`` lines, which are made one by one while the window goes on
        answering. ``name`` says what they are of."""
        ...

    def save_evidence(self, name: str, traces: Sequence[Trace], rows: int) -> None:
        """Ask where a signed bundle goes, and write the audit log's entries of so many rows with their proofs. ``name``
        says what they are of."""
        ...

    def person(self, node_id: str) -> str:
        """What people call this node; empty while it is not known."""
        ...

    def say(self, text: str) -> None:
        """Tell what was done, in one sentence."""
        ...


def desk_of(widget: QWidget) -> Desk | None:
    """That of the first parent that has one; None where no window of the console is above."""
    above = widget.parentWidget()
    while above is not None:
        desk: Desk | None = getattr(above, "table_desk", None)
        if desk is not None:
            return desk
        above = above.parentWidget()
    return None
