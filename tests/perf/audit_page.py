"""Random jumps in the audit page over a million entries, against a bare QTableView on the same rows in sqlite3.

Ours goes through the whole way: table, placeholders, calls of the API to a service in a process of its own, decoding,
painting. The peer reads the store's file itself and paints with Qt's own delegate. Figures are CPU milliseconds of the
GUI thread from the jump until every row in sight is painted (median of 40). Goal: 20 ms.
``python -m tests.perf.audit_page [DIRECTORY]`` prints the row; a DIRECTORY with a store that is there is used as it is.
"""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections import OrderedDict
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import qasync
from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QApplication, QTableView, QWidget

import app.service.assembly  # noqa: F401  # declares every table: the store that is built must be one that can be served
from app.console import theme
from app.console.actions import ActionTable
from app.console.application import make_application
from app.console.connection.client import ConsoleClient
from app.console.pages.audit import AuditPresenter, make
from app.console.preferences import PreferenceStore
from app.console.session import WindowSession
from app.console.telemetry.live import Live
from app.console.theme.tokens import DARK
from tests.perf.audit_rows import build
from tests.perf.report import Row, run
from tests.served_site import ServedSite

ENTRIES, JUMPS, GOAL_MS = 1_000_000, 40, 20.0
WIDTH, HEIGHT = 1284, 820


class BareModel(QAbstractTableModel):
    """The peer: pages of 200 rows straight from the file."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._raw = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self._rows = int(self._raw.execute("SELECT max(seq) + 1 FROM audit_entry").fetchone()[0])
        self._pages: OrderedDict[int, list[tuple[object, ...]]] = OrderedDict()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else self._rows

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else 7

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        page, at = divmod(index.row(), 200)
        rows = self._pages.get(page)
        if rows is None:
            rows = self._pages[page] = self._raw.execute(
                "SELECT seq, ts, a.text, outcome, b.text, c.text, CAST(payload AS TEXT) FROM audit_entry "
                "LEFT JOIN log_word a ON a.id = action LEFT JOIN log_word b ON b.id = actor "
                "LEFT JOIN log_word c ON c.id = node WHERE seq >= ? AND seq < ? ORDER BY seq",
                (page * 200, page * 200 + 200),
            ).fetchall()
            if len(self._pages) > 64:
                self._pages.popitem(last=False)
        return str(rows[at][index.column()]) if at < len(rows) else ""


def _peer(application: QApplication, path: Path, rows: list[int]) -> float:
    table = QTableView()
    table.setModel(BareModel(path))
    table.verticalHeader().hide()
    table.resize(900, 690)
    table.show()
    application.processEvents()
    costs = []
    for row in rows:
        began = time.thread_time()
        table.scrollTo(table.model().index(row, 0), QAbstractItemView.ScrollHint.PositionAtCenter)
        table.viewport().repaint()
        costs.append((time.thread_time() - began) * 1000)
    table.hide()
    table.deleteLater()
    return statistics.median(costs)


def _seen(page: AuditPresenter) -> bool:
    model, (first, last) = page.view.model, page.view.visible_rows()
    return last > first and model.has(model.place(first)[0]) and model.has(model.place(last)[0])


class _Paints(QObject):
    """Whether the viewport has painted what the model told of last."""

    def __init__(self, page: AuditPresenter) -> None:
        super().__init__()
        self.newest = False
        page.view.model.dataChanged.connect(self._lose)
        page.view.table.viewport().installEventFilter(self)

    def _lose(self) -> None:
        self.newest = False

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.newest = True
        return False


async def _jumps(page: AuditPresenter, rows: list[int]) -> tuple[float, float]:
    """Median CPU ms of a jump, mean calls of the API."""
    table, model = page.view.table, page.view.model
    came, paints = asyncio.Event(), _Paints(page)
    model.dataChanged.connect(lambda *_: came.set())
    page.enter({})
    while not (page.log.opened and _seen(page)):
        came.clear()
        await came.wait()
    costs, calls = [], page.log.whole.calls
    for row in rows:
        began = time.thread_time()
        table.scrollTo(model.index(row, 0), QAbstractItemView.ScrollHint.PositionAtCenter)
        table.viewport().repaint()
        while not _seen(page):
            came.clear()
            await came.wait()
        if not paints.newest:  # else the loop has painted it before this coroutine went on
            table.viewport().repaint()
        costs.append((time.thread_time() - began) * 1000)
        await asyncio.sleep(0.05)  # what is left of this jump must not be counted to the next
    return statistics.median(costs), (page.log.whole.calls - calls) / len(rows)


def _ours(application: QApplication, site: ServedSite, rows: list[int]) -> tuple[float, float]:
    loop = qasync.QEventLoop(application)
    asyncio.set_event_loop(loop)
    owner = QWidget()
    store = PreferenceStore(site.data_dir.with_name("preferences.json"))
    session = WindowSession(profile="training", preferences=store, actions=ActionTable(owner), parent=owner)
    session.live = Live(session.clock, owner)

    async def script() -> tuple[float, float]:
        key = site.client.headers["Authorization"].removeprefix("Bearer ")
        client = ConsoleClient(site.base_url, key, session.calls.add)
        session.attach(client, site.base_url, client.clearance)
        page = make(session)
        session.actions.add(page.actions())
        session.actions.set_page("audit")
        for ground in page.view.grounds():
            theme.wear(ground)
        page.view.resize(WIDTH, HEIGHT)
        page.view.show()
        found = await _jumps(page, rows)
        page.view.hide()
        await page.close()
        await client.aclose()
        page.view.deleteLater()
        return found

    try:
        return loop.run_until_complete(script())
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def random_jump() -> Row:
    """A row anywhere in the log, until it can be read."""
    given = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(given[0]) if given else Path(scratch) / "site"
        if not (directory / "store.db").exists():
            build(directory, ENTRIES)
        application = make_application()
        theme.apply(application, DARK)
        chance = random.Random(11)
        rows = [chance.randrange(ENTRIES) for _ in range(JUMPS)]
        site = ServedSite(directory)
        with site.running():
            ours, calls = _ours(application, site, rows)
        peer = _peer(application, directory / "store.db", rows)
    return Row(
        name=f"audit page, {ENTRIES:,} rows, random jump, {calls:.1f} calls",
        unit="ms",
        ours=ours,
        peer=peer,
        ratio=ours / peer,
        goal=f"<= {GOAL_MS:.0f} ms CPU",
        against="bare QTableView on sqlite3, own file",
        met=ours <= GOAL_MS,
    )


ROWS = (random_jump,)

if __name__ == "__main__":
    run(ROWS)
