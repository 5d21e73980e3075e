"""What a batch leaves as files: the report of its lines, badges and labels of its cards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from app.capabilities.provisioning.batches.messages import REPORT_COLUMNS, BatchRow
from app.capabilities.provisioning.messages import Provision
from app.console.formats.spreadsheet import table_bytes


def report(rows: Iterable[BatchRow]) -> bytes:
    """What became of each line as CSV (``REPORT_COLUMNS``), in the order of the list."""
    ordered = sorted(rows, key=lambda row: row.n)
    return table_bytes(REPORT_COLUMNS, [[_text(getattr(row, name)) for name in REPORT_COLUMNS] for row in ordered])


def _text(value: object) -> str:
    return "" if value is None else str(value)


def sheets(cards: Sequence[Provision], *, labels: bool) -> bytes:
    """Badges (or labels) of finished cards as one PDF, in this order. Raises ValueError when no card is finished. Any
    thread; some ms a card."""
    # Imported here: most people who open the page print nothing.
    from app.console.badge import badge_of, badge_pdf, label_pdf

    made: Callable[..., bytes] = label_pdf if labels else badge_pdf
    return made([badge_of(card) for card in cards])
