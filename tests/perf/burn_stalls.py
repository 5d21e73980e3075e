"""The window of the console with the page Burn while it burns over 1,000 readers: the longest gaps without an answer.

The service, a process of its own, has the training doors and as many more simulated ones as make 1,000; the Burn page
follows its stream, orders the burn, and shows every door as its proof comes. The peer is the same page in the same run
with nobody burned. A gap of over 50 ms is ours where the window's thread used 25 ms of processor time in it
(``diagnostics/stall.py``). ``python -m tests.perf.burn_stalls`` prints the row: ms of processor time in the worst gap
of the window's thread.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import qasync
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.console import theme
from app.console.application import make_application
from app.console.connection.client import ConsoleClient, UnitStream
from app.console.connection.unit_key import UnitKeyPair
from app.console.diagnostics.stall import StallWatch
from app.console.pages import PAGES
from app.console.pages import burn as burn_page
from app.console.pages.burn import BurnPresenter
from app.console.preferences import PreferenceStore
from app.console.process.collector import Collector
from app.console.shell.window import MainWindow
from app.console.telemetry.live import Live
from app.console.theme.tokens import DARK
from app.registry.messages.clusters import ReaderBody, ReaderClusterBody
from tests.console.built import built
from tests.perf.report import Row, run
from tests.served_site import ServedSite

READERS, TRAINING_DOORS, GOAL_MS = 1000, 104, 50.0
IDLE_S, SETTLED_S = 10.0, 3.0
SUBJECT, PATIENCE_S = "ARC-T0012", 120.0
WIDTH, HEIGHT = 1480, 900


class WorstGap(StallWatch):
    """Notes the most processor time of the window's thread between two beats, ms."""

    cpu_ms = 0.0

    def _beat(self) -> None:
        before = self._cpu
        super()._beat()
        self.cpu_ms = max(self.cpu_ms, (self._cpu - before) * 1e3)


async def until(holds: Callable[[], object], what: str) -> None:
    """Let the window live until that holds."""
    end = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError(f"{what} did not come in {PATIENCE_S:.0f} s")
        await asyncio.sleep(0.02)


async def more_doors(client: ConsoleClient) -> None:
    """Registers readers until there are ``READERS``, and waits until all are online."""
    readers = [
        ReaderBody(reader_id=f"hall-{number:03}", channel="simulated:", address=number % 127)
        for number in range(READERS - TRAINING_DOORS)
    ]
    await client.registry_put_reader_cluster("hall", ReaderClusterBody(display_name="Hall", readers=readers))
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        clusters = (await client.registry_list_reader_clusters()).items
        if all(reader.secure_channel for cluster in clusters for reader in cluster.readers):
            return
        await asyncio.sleep(0.5)
    raise TimeoutError("the readers did not come online")


async def burn(page: BurnPresenter) -> None:
    """Chooses the subject and a reason, holds Space, and waits until every door has proven."""
    page.enter({"node_id": SUBJECT})
    await until(lambda: page.preview is not None and page.preview.node_id == SUBJECT, "the blast radius")
    page.session.actions.trigger("burn.reason_lost")
    button = page.view.order.hold
    button._hold_ms = 60
    button.setFocus()
    await until(lambda: button.is_ready, "the hold")
    QTest.keyPress(button, Qt.Key.Key_Space)
    await until(lambda: page.board.burn is not None and not page.board.clock(time.time()).running, "the last door")
    page.repaint()


async def measured(page: BurnPresenter, work: Awaitable[None]) -> WorstGap:
    """The gaps of the window while that is done, and while what it has left behind is shown."""
    watch = WorstGap(parent=page.view)
    watch.start()
    await work
    await asyncio.sleep(SETTLED_S)
    watch.stop()
    return watch


async def script(site: ServedSite, window: MainWindow) -> tuple[WorstGap, WorstGap, int]:
    """Idle, then burning; and the doors that were proven."""
    session = window.session
    key = site.client.headers["Authorization"].removeprefix("Bearer ")
    client = ConsoleClient(site.base_url, key, session.calls.add)
    session.attach(client, site.base_url, client.clearance)
    await more_doors(client)
    page = built(burn_page, session)
    window.add_presenter("burn", page)
    window.resize(WIDTH, HEIGHT)
    window.show()
    window.activateWindow()
    session.live.tick.connect(window.repaint_page)
    session.live.look(True)
    source = UnitStream(
        client, UnitKeyPair.generate(), "console-of-the-benchmark", "Console of the benchmark", time.time
    )
    follow = asyncio.create_task(session.live.follow(source))
    await until(lambda: not session.live.stale, "the stream")
    idle = await measured(page, asyncio.sleep(IDLE_S))
    burning = await measured(page, burn(page))
    doors = sum(row.kind == "reader" for row in page.board.rows.values())
    session.live.look(False)
    follow.cancel()
    await asyncio.gather(follow, return_exceptions=True)
    await window.close_pages()
    await client.aclose()
    window.hide()
    return idle, burning, doors


def stalls() -> Row:
    """Processor time of the worst gap, and whether one of over 50 ms was ours."""
    application = make_application()
    theme.apply(application, DARK)
    loop = qasync.QEventLoop(application)
    asyncio.set_event_loop(loop)
    with tempfile.TemporaryDirectory() as scratch:
        site = ServedSite.laid_out(Path(scratch) / "site", "--no-pcsc", "--profile", "training")
        store = PreferenceStore(Path(scratch) / "preferences.json")
        window = MainWindow("training", store, [row for row in PAGES if row.id == "burn"])
        window.session.live = Live(window.session.clock, window)
        with site.running():
            site.wait_for_doors()
            # As the console does: Python's own collector would stop the window for 20 ms at any time.
            Collector(window).start()
            idle, burning, doors = loop.run_until_complete(script(site, window))
    asyncio.set_event_loop(None)
    loop.close()
    return Row(
        name=f"burn of {doors} readers: worst gap of the window, {burning.ours} of ours",
        unit="ms",
        ours=burning.cpu_ms,
        peer=idle.cpu_ms,
        ratio=burning.cpu_ms / idle.cpu_ms,
        goal=f"none of ours > {GOAL_MS:.0f} ms",
        against=f"the same page with nobody burned, {idle.ours} of ours",
        met=burning.ours == 0,
    )


ROWS = (stalls,)

if __name__ == "__main__":
    run(ROWS)
