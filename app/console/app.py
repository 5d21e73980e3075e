"""Start and stop of the console.

Order of the start: paint first. Only QtWidgets, the shell and the small modules it needs are imported before the window
is on the screen; numpy, httpx, qasync, pyqtgraph and the pages are imported by one worker thread while the window
already answers. Then one qasync loop runs for life. Nothing ever calls ``exec`` on a dialog, a menu or the application.

Order of the stop: pages, session, stream and client end; the child is told to stop, and the console waits for it; tasks
that are left are cancelled; the loop closes; the application is dropped last.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QApplication

from app.console import theme
from app.console.application import make_application
from app.console.connection.attachment import Attachment
from app.console.connection.supervisor import ServiceState, Supervisor, own_command, service_command
from app.console.diagnostics.crash import CrashFile, let_go
from app.console.language import tr
from app.console.page import PageRow
from app.console.pages import PAGES
from app.console.preferences import PreferenceStore, default_path
from app.console.process.instance import SingleInstance, socket_name
from app.console.process.signals import SignalWake
from app.console.shell.window import MainWindow, dress

if TYPE_CHECKING:
    import asyncio

CANCELLED_AT_MOST = 50
"""Times a task is asked to end, a tenth of a second apart; then the loop closes all the same."""

BREATH_S = 0.002
"""Between two pieces of the pages: what waits meanwhile (a key, a frame, a part to dress) has a turn of its own."""


class Console:
    """One running console. ``start`` shows the window, ``run`` lives until it is closed.

    ``command`` is how the service is started (None with ``connect_url``: attach to a service elsewhere). ``profile`` is
    that of the site; with ``connect_url`` it is what the operator expects (empty: either), and the service states it.
    ``picture`` names the file in which a picture of the window is kept.
    """

    def __init__(
        self,
        application: QApplication,
        *,
        profile: str,
        command: Sequence[str] | None,
        connect_url: str | None = None,
        preferences_path: Path | None = None,
        pages: Sequence[PageRow] = PAGES,
        picture: Path | None = None,
    ) -> None:
        self._application = application
        self._connect_url = connect_url
        self._pages = list(pages)
        self.preferences = PreferenceStore(preferences_path or default_path())
        # Dressed before the first widget is made: a style sheet that comes later polishes every widget twice.
        dress(application, self.preferences.value)
        self.window = MainWindow("" if connect_url is not None else profile, self.preferences, self._pages)
        self.session = self.window.session
        self.supervisor: Supervisor | None = None
        self.crash: CrashFile | None = None
        self.loaded = False
        """The pages are built and the loop runs."""
        self._close_wanted = False
        self._closed: asyncio.Event | None = None
        if command is not None:
            self.supervisor = Supervisor(command, self.window)
        self.refusal = ""
        """Why the console would not work with the service elsewhere: it contradicts ``profile``."""
        self._expected = profile
        self._attachment = Attachment(self.window, self.supervisor, connect_url)
        self.window.reconnect.connect(self._attachment.reconnect)
        self.window.closing.connect(self._close)
        if picture is not None:
            from app.console.shell.picture_file import PictureFile

            kept = PictureFile(self.window, picture)
            self.session.connected.connect(kept.begin)
            kept.failed.connect(lambda sentence: self.session.notify(sentence, "warn"))

    # --- start -------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the child and show the window."""
        if self.supervisor is not None:
            self.supervisor.start()
        else:
            self.window.show_service_busy(tr("Connecting"), tr("to {url}", url=self._connect_url))
        self.window.show_again()

    def load(self) -> None:
        """Import what is heavy on a worker thread while the window answers; returns when it is there."""
        from PySide6.QtCore import QEventLoop

        from app.console.process.imports import HEAVY, BackgroundImporter
        from app.console.process.qt_types import QtTypes

        done = False

        def finish() -> None:
            nonlocal done
            done = True

        importer = BackgroundImporter([*HEAVY, *(row.module for row in self._pages)])
        importer.done.connect(finish)
        types = QtTypes()
        types.made.connect(importer.start)
        started = False

        def begin() -> None:
            nonlocal started
            if not started:
                started = True
                self.window.settle()
                types.start()

        self.window.painted.connect(begin)
        if not self.window.isVisible() or self.window.windowHandle() is None:
            begin()
        while not done:
            self._application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
            if not self.window.isVisible():
                begin()
        importer.join()
        if importer.error is not None:
            raise importer.error
        self._modules = importer.modules
        # Before the first page: the first frame has no area that scrolls.
        from app.console.accessibility import install_interfaces

        install_interfaces()

    async def run(self) -> None:
        """Live until the window is closed, then stop everything in order."""
        import asyncio
        import inspect

        from app.console.devices.motion import SystemMotion
        from app.console.files import last_folders
        from app.console.operators.cards import DeskCards
        from app.console.operators.desk import OperatorDesk
        from app.console.shell.search import ids, people
        from app.console.telemetry.hour_events import HourEvents
        from app.console.telemetry.live import Live

        self._closed = asyncio.Event()
        closed = self._closed
        if self._close_wanted:
            # The operator closed the window, or ended the process, while modules were still being imported.
            await self._stop()
            return
        await asyncio.to_thread(last_folders.keep_in, self.preferences.directory / "folders.json")
        if self._connect_url is not None and not await self._learn_site(closed):
            await self._stop()
            return
        self.window.follow_motion(SystemMotion(self.window))
        theme.yield_to(lambda: self.session.stalls.is_busy)
        live = Live(self.session.clock, self.window)
        self.session.live = live
        live.tick.connect(self.window.repaint_page)
        self.window.looked.connect(live.look)
        live.look(self.window.isVisible())
        for row in self._pages:
            made = self._modules[row.module].make(self.session)
            presenter = await made if inspect.isawaitable(made) else made
            # A page takes some ms to build, and some to be added: in between the window answers.
            await asyncio.sleep(BREATH_S)
            self.window.add_presenter(row.id, presenter)
            await asyncio.sleep(BREATH_S)
        names = [row.id for row in self._pages]
        if not {"people", "burn", "write_card"}.isdisjoint(names):
            self.window.palette_.add_search("@", tr("People"), "users", people(self.session, names))
        if "audit" in names:
            self.window.palette_.add_search("#", tr("Ids"), "hash", ids(self.session))
        self.loaded = True
        if self.preferences.left_out:
            self.session.notify(self.preferences.left_out, "warn", subject=tr("Preferences"))
        if self.crash is not None:
            self._offer_crash(self.crash)
        self._watch_alarms()
        self.window.watch_hour(HourEvents(self.session, self.window))
        desk = OperatorDesk(self.session, DeskCards(own_command("desk-card"), self.window), self.window)
        self.window.watch_desk(desk)
        self._attachment.begin(desk)
        await asyncio.sleep(BREATH_S)
        self.window.prepare_lock()
        await closed.wait()
        await self._stop()

    def _watch_alarms(self) -> None:
        """Count and call out the open alarms on every page, and in the tray while the window is hidden or behind
        others; a notice there leads to the list."""
        from app.console.devices.sounds import Speaker
        from app.console.shell.alarm_watch import AlarmWatch
        from app.console.shell.tray import Tray

        tray = Tray(self.window.actions_, self.window.windowTitle(), self.window)
        self.window.stay_in(tray)
        speaker = Speaker(self.preferences, parent=self.window, which="alarm_sounds")
        self.window.watch_alarms(AlarmWatch(self.session, self.window, speaker, tray))

    async def _learn_site(self, closed_event: asyncio.Event) -> bool:
        """Ask the service elsewhere which site it is, for as long as the window is open: pages are made for a known
        one. False: the window is to be closed."""
        import asyncio

        closed = asyncio.ensure_future(closed_event.wait())
        learned = asyncio.ensure_future(self._attachment.learn_site())
        try:
            await asyncio.wait([closed, learned], return_when=asyncio.FIRST_COMPLETED)
            if not learned.done():
                return False
            found = learned.result().profile
            if self._expected and found != self._expected:
                self.refusal = tr(
                    "{connect_url} is a {found} site; it was asked for as {expected}. Leave --profile "
                    "out, or name the other service.",
                    connect_url=self._connect_url,
                    found=found,
                    expected=self._expected,
                )
                return False
            self.window.show_profile(found)
            return True
        finally:
            closed.cancel()
            learned.cancel()

    def _close(self) -> None:
        self._close_wanted = True
        if self._closed is not None:
            self._closed.set()

    def _offer_crash(self, crash: CrashFile) -> None:
        """Offer the reports of consoles that died as one zip; nothing is sent anywhere."""
        from app.console.actions import Action

        def save() -> None:
            folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DownloadLocation)
            target = Path(folder or Path.home()) / f"arc-console-crash-{time.strftime('%Y%m%d-%H%M%S')}.zip"
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                crash.pack(target)
            except OSError as error:
                self.session.notify(
                    tr("The report could not be written to {target}: {error}", target=target, error=error), "bad"
                )
                return
            self.session.notify(tr("The report is {target}.", target=target))

        self.window.actions_.add(
            [Action("console.crash", tr("Save crash reports"), save, "bug", when=lambda: bool(crash.earlier))]
        )
        if crash.earlier:
            self.session.notify(
                tr(
                    "The console ended unexpectedly before. The command Save crash reports keeps what is "
                    "known in a file."
                ),
                "warn",
            )

    async def _stop(self) -> None:
        """Stop in the order that the module describes; returns when the child has ended."""
        import asyncio

        theme.yield_to(bool)
        await self.window.close_pages()
        await self.session.tasks.close()
        await self._attachment.close()
        if self.supervisor is not None:
            stopped = asyncio.Event()
            self.supervisor.state_changed.connect(
                lambda state: stopped.set() if state is ServiceState.STOPPED else None
            )
            self.supervisor.stop()
            # Without a child ``stop`` is done when it returns and no signal comes later.
            if self.supervisor.state is not ServiceState.STOPPED:
                await stopped.wait()
        self.window.finish()


def _cancel_rest(loop: asyncio.AbstractEventLoop) -> None:
    """End the tasks that no group owns, so that the loop closes with nothing pending."""
    import asyncio

    # Again and again: a connection that is being made can take a cancellation for its own failure and go on.
    for _ in range(CANCELLED_AT_MOST):
        rest = asyncio.all_tasks(loop)
        if not rest:
            return
        for task in rest:
            task.cancel()
        loop.run_until_complete(asyncio.wait(rest, timeout=0.1))


def live_until_closed(application: QApplication, console: Console, loaded: Callable[[], None] | None = None) -> None:
    """Paint, load, run the one loop, close it. ``loaded`` is called when everything is imported."""
    # While thousands of objects are being made a collection frees nothing; later it belongs to the GUI thread alone.
    gc.disable()
    console.start()
    console.load()
    from app.console.process.collector import Collector

    Collector(console.window).start()
    if loaded is not None:
        loaded()
    import asyncio

    import qasync

    loop = qasync.QEventLoop(application)
    asyncio.set_event_loop(loop)
    loop.set_exception_handler(lambda _loop, context: _report(console, context))
    try:
        loop.run_until_complete(console.run())
        _cancel_rest(loop)
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        if console.supervisor is not None:
            console.supervisor.abandon()
        asyncio.set_event_loop(None)
        loop.close()


def _report(console: Console, context: dict[str, Any]) -> None:
    """Report an error that no task of ours caught: to the crash file, and as a toast."""
    error = context.get("exception")
    text = f"{type(error).__name__}: {error}" if error is not None else str(context.get("message", ""))
    if isinstance(error, BaseException) and console.crash is not None:
        console.crash.exception(type(error), error, error.__traceback__)
    console.session.notify(tr("Something in the console failed. {error}", error=text), "bad")


def run_console(profile: str, data_dir: Path, connect_url: str | None = None, picture: Path | None = None) -> int:
    """Run the console of a site until its window is closed; 0, or 2 after a sentence on stderr for a service that is
    not of the expected profile. ``profile``: as of ``Console``; ``connect_url`` attaches to a service that runs
    elsewhere instead of starting one on ``data_dir``; ``picture`` keeps a PNG of the window there."""
    application = make_application()
    name = socket_name(data_dir if connect_url is None else Path(connect_url), profile)
    instance = SingleInstance(name)
    if not instance.claim():
        return 0
    state = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppLocalDataLocation))
    crash = CrashFile(state / "crashes")
    console = Console(
        application,
        profile=profile,
        command=None if connect_url is not None else service_command(data_dir, profile),
        connect_url=connect_url,
        picture=picture,
    )
    console.crash = crash

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        crash.exception(kind, error, trace)
        let_go(error)
        if issubclass(kind, KeyboardInterrupt):
            console.window.close()
            return
        console.session.notify(
            tr("Something in the console failed. {name}: {error}", name=kind.__name__, error=error), "bad"
        )

    def close_window(_number: int, _frame: object) -> None:
        console.window.closing.emit()

    sys.excepthook = hook
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, close_window)
    # Elsewhere a wake-up needs a socket, and the system ends a program without asking it.
    wake = SignalWake() if os.name == "posix" else None

    instance.raised.connect(console.window.raise_up)
    try:
        live_until_closed(application, console, instance.listen)
    finally:
        sys.excepthook = sys.__excepthook__
        if wake is not None:
            wake.close()
        instance.release()
        crash.close()
    # The window first, the application last: a widget that outlives QApplication aborts the process.
    console.window.deleteLater()
    application.processEvents()
    if console.refusal:
        sys.stderr.write(f"arc-console: {console.refusal}\n")
    return 2 if console.refusal else 0
