"""The tour: the real console over a real service in a training site of its own, driven by keys, pictures and
``tour.json`` in a directory. The site is removed at the end; the person's keyring and preferences are not touched.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

LONGEST_S = 400.0
"""The tour gives up after this time, in seconds; an idle machine needs a quarter of it."""


def run_tour(out: Path, make_site: Callable[[Path], None]) -> int:
    """Drive the console through the main job and save pictures and ``tour.json`` in ``out`` (made when missing).
    ``make_site`` makes the training site in the directory that it is given.

    0 when every step worked and every picture is well; 1 otherwise. What was wrong is said on stderr, line by line.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _write_line(f"arc-console: {out}: {error.strerror}", wrong=True)
        return 2
    with tempfile.TemporaryDirectory(prefix="arc-tour-", ignore_cleanup_errors=True) as place:
        os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
        if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get("QT_QPA_PLATFORM")):
            os.environ["QT_QPA_PLATFORM"] = "offscreen"
        if os.environ.get("QT_QPA_PLATFORM") == "offscreen":
            os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={_screen(Path(place))}"
        make_site(Path(place) / "site")
        return _tour(out, Path(place))


def _write_line(line: str, *, wrong: bool = False) -> None:
    (sys.stderr if wrong else sys.stdout).write(f"{line}\n")


def _screen(place: Path) -> Path:
    """Write the description of a screen of 1920 x 1080 for the offscreen platform, whose own is 800 x 800."""
    screen = {"name": "tour", "x": 0, "y": 0, "width": 1920, "height": 1080, "logicalDpi": 96, "dpr": 1}
    path = place / "screen.json"
    path.write_text(json.dumps({"screens": [screen]}), encoding="utf-8")
    return path


def _tour(out: Path, place: Path) -> int:
    # Qt reads its environment when it is loaded.
    """Run the console and the walk through it in one process; write the report; 0 if all is well."""
    import asyncio
    import traceback
    from types import TracebackType

    from app.console.app import Console, live_until_closed
    from app.console.application import make_application
    from app.console.connection.supervisor import service_command
    from app.console.diagnostics.crash import let_go
    from app.console.tour.report import Report
    from app.console.tour.route import Route

    began = time.monotonic()
    application = make_application()
    report = Report(datetime.now(UTC).isoformat(timespec="seconds"), application.platformName())

    class Toured(Console):
        """A console that a tour goes through while it lives."""

        async def run(self) -> None:
            route = Route(self.window, out, report, began + LONGEST_S)
            walk = asyncio.get_running_loop().create_task(self._walk_route(route))
            try:
                await super().run()
            finally:
                walk.cancel()
                await asyncio.gather(walk, return_exceptions=True)

        async def _walk_route(self, route: Route) -> None:
            try:
                await route.walk()
            except Exception as error:  # an error of the tour itself is reported like one of the console
                report.trouble.append(f"the tour failed: {type(error).__name__}: {error}")
                traceback.print_exc()
            await route.leave()
            if self.window.isVisible() and not self._closing():
                report.trouble.append("Ctrl+Q did not close the console")
                self.window.close()

        def _closing(self) -> bool:
            return self._closed is not None and self._closed.is_set()

    # No card reader of this machine: the tour must never write on somebody's card.
    command = [*service_command(place / "site", "training"), "--no-pcsc"]
    console = Toured(application, profile="training", command=command, preferences_path=place / "preferences.json")

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        report.trouble.append(f"an error in the console: {kind.__name__}: {error}")
        traceback.print_exception(kind, error, trace)
        let_go(error)

    sys.excepthook = hook
    console.session.toast.connect(
        lambda text, kind, _reference: report.trouble.append(f"the console says: {text}") if kind == "bad" else None
    )
    try:
        live_until_closed(application, console)
    finally:
        sys.excepthook = sys.__excepthook__
        report.seconds = time.monotonic() - began
        report.write(out)
    console.window.deleteLater()
    application.processEvents()
    for problem in report.problems():
        _write_line(problem, wrong=True)
    pictures = sum(len(step.pictures) for step in report.steps)
    worked = sum(step.ok for step in report.steps)
    _write_line(f"{worked} of {len(report.steps)} steps, {pictures} pictures, {report.seconds:.0f} s: {out}")
    return 0 if report.ok else 1
