"""Asks for the span of a report, and saves its paper with the evidence beside it."""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout

from app.console.clock import date_time
from app.console.evidence.bundles import bundle_of_entries
from app.console.files import FileKeeper, save_private
from app.console.frames.goal import goal_of
from app.console.language import tr
from app.console.moments import parse_moment
from app.console.report.facts import read_report
from app.console.widgets.buttons import plain_button
from app.console.widgets.dialog import Dialog
from app.console.widgets.text import label

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.console.session import WindowSession

DAY_S = 86_400.0
SPANS = (
    (tr("Today"), -1.0),
    (tr("The last 24 hours"), DAY_S),
    (tr("The last 7 days"), 7 * DAY_S),
    (tr("The last 30 days"), 30 * DAY_S),
)
"""Titles and seconds; -1: since midnight."""
BETWEEN = tr("Between two times")
LONGEST_S = 365 * DAY_S


class ReportDialog(Dialog):
    """Opened by ``open()``. The files are made after it has closed, while the window goes on."""

    def __init__(self, window: QWidget, session: WindowSession) -> None:
        super().__init__(window)
        self._session = session
        self._files = FileKeeper(window, session)
        self.setWindowTitle(tr("Report"))
        self.setModal(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(label(tr("Report"), "title"))
        says = tr(
            "Frames and their latency, burns with the time to the last door, alarms with owner and next "
            "step, and who acted: on paper (PDF), from what the service has on record."
        )
        column.addWidget(label(says, "dim", wrap=True))
        fields = QGridLayout()
        fields.setHorizontalSpacing(12)
        self.span = QComboBox()
        self.span.setAccessibleName(tr("Span of the report"))
        for title, seconds in SPANS:
            self.span.addItem(title, seconds)
        self.span.addItem(BETWEEN, 0.0)
        self.span.setCurrentIndex(1)
        self.begin, self.end = (self._time_field(name) for name in (tr("From", "time"), tr("To", "time")))
        lines = (tr("Span"), self.span), (tr("From", "time"), self.begin), (tr("To", "time"), self.end)
        for at, (name, field) in enumerate(lines):
            fields.addWidget(label(name), at, 0)
            fields.addWidget(field, at, 1)
        fields.setColumnStretch(1, 1)
        column.addLayout(fields)
        self.bundle = QCheckBox(tr("Save the evidence bundle of its burns and alarms beside it"))
        self.bundle.setChecked(True)
        column.addWidget(self.bundle)
        self.wrong = label("", "error", wrap=True)
        self.wrong.hide()
        column.addWidget(self.wrong)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(plain_button(tr("Cancel"), self.reject))
        self.save = plain_button(tr("Save"), self._ask)
        self.save.setProperty("role", "primary")
        self.save.setDefault(True)
        row.addWidget(self.save)
        column.addLayout(row)
        self.span.currentIndexChanged.connect(lambda _at: self._show_span())
        for field in (self.begin, self.end):
            field.textEdited.connect(lambda _text: self._choose_between())
        self._show_span()

    def _time_field(self, name: str) -> QLineEdit:
        field = QLineEdit()
        field.setAccessibleName(tr("{name}, a local time", name=name))
        field.setPlaceholderText("2026-01-31 14:32")
        field.setMinimumWidth(320)
        return field

    def _choose_between(self) -> None:
        """Somebody writes a time: it is the span from now on."""
        self.span.blockSignals(True)
        self.span.setCurrentIndex(self.span.count() - 1)
        self.span.blockSignals(False)

    def _show_span(self) -> None:
        """Write the times of the chosen span into the fields."""
        seconds, now = self.span.currentData(), self._session.live.now()
        if seconds:
            midnight = datetime.fromtimestamp(now).replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
            self.begin.setText(date_time(midnight if seconds < 0 else now - seconds))
            self.end.setText(date_time(now))
            self._tell("")

    def chosen_span(self) -> tuple[float, float] | None:
        """Both ends in Unix seconds; None: they are no span, and the dialog says why."""
        now = self._session.live.now()
        low, high = (parse_moment(field.text(), now) for field in (self.begin, self.end))
        wrong = ""
        if low is None or high is None:
            wrong = tr("Write both times as 2026-01-31 14:32:07, or as 14:32 for one of today.")
        elif low >= min(high, now):
            wrong = tr("The span must begin in the past, before it ends.")
        elif high - low > LONGEST_S:
            wrong = tr("A report is over a year at most.")
        self._tell(wrong)
        return None if wrong or low is None or high is None else (low, high)

    def _tell(self, wrong: str) -> None:
        self.wrong.setText(wrong)
        self.wrong.setVisible(bool(wrong))

    def _ask(self) -> None:
        span = self.chosen_span()
        if span is not None:
            days = "-".join(dict.fromkeys(time.strftime("%Y%m%d", time.localtime(at)) for at in span))
            self._files.ask(tr("Save the report"), f"report-{days}.pdf", lambda path: self._take(path, span))

    def _take(self, path: Path, span: tuple[float, float]) -> None:
        self.accept()
        keep_report(self._session, self._files, path, span, bundle=self.bundle.isChecked())


def keep_report(
    session: WindowSession, files: FileKeeper, path: Path, span: tuple[float, float], *, bundle: bool
) -> None:
    """Write the report over a span to ``path``, and with ``bundle`` its evidence beside it under the same name, as a
    zip. A toast says how it went."""
    beside = path.with_suffix(".zip")

    async def make() -> bytes:
        # Imported here, and beside the window's thread: what makes PDFs takes a quarter of a second.
        await asyncio.to_thread(importlib.import_module, "app.console.report.paper")
        from app.console.report.paper import report_paper

        report = await read_report(session, *span)
        named = "", ""
        if bundle and report.leaves:
            data = await bundle_of_entries(session, report.leaves)
            await asyncio.to_thread(_keep_beside, path, beside, data)
            named = beside.name, hashlib.sha256(data).hexdigest()
        return await asyncio.to_thread(report_paper, report, named, goal_of(session.preferences))

    files.keep_made(path, tr("The report"), make)


def _keep_beside(path: Path, beside: Path, data: bytes) -> None:
    """Write the bundle. A file that nobody agreed to replace stays: raises ``FileExistsError``. Blocks on the disk."""
    if beside.exists() and not path.exists():
        raise FileExistsError(17, tr("{name} is there already", name=beside.name))
    save_private(beside, data)
