"""The tab of diagnostics: what the console measures of itself."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from typing import Final

import PySide6
from PySide6.QtCore import qVersion
from PySide6.QtGui import QGuiApplication

from app.console.actions import Action
from app.console.clock import clock_time
from app.console.language import tr
from app.console.pages.settings.diagnostics_view import DiagnosticsView, Fact
from app.console.pages.settings.words import PAGE
from app.console.part import Host, Part
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning

_STREAM: Final[Mapping[str, str]] = {"connecting": tr("connecting"), "lost": tr("lost")}
"""Words for the states of the stream in which nothing comes."""


class DiagnosticsTab(Part):
    """Painted twice a second: no one reads figures that change ten times a second. Reads nothing from the service."""

    ticks_a_paint = 5

    view: DiagnosticsView

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.view = DiagnosticsView(host.session)

    def actions(self) -> Sequence[Action]:
        return [Action("settings.copy", tr("Copy diagnostics"), self._copy, "copy", page=PAGE)]

    async def run(self, arguments: Mapping[str, str]) -> None:
        del arguments
        self.paint()

    def paint(self) -> None:
        self.view.facts.set_rows(facts(self.session))

    def _copy(self) -> None:
        lines = [f"{fact.name}: {fact.value}" for fact in facts(self.session)]
        QGuiApplication.clipboard().setText("\n".join(lines))
        self.session.notify(tr("Diagnostics are on the clipboard."), subject=tr("Clipboard"))


def facts(session: WindowSession) -> list[Fact]:
    """What the console knows of itself now."""
    return [
        *_of_service(session),
        _of_lag(session),
        _of_clock(session),
        *_of_calls(session),
        _of_frames(session),
        *_of_stalls(session),
        _of_versions(),
    ]


def _of_service(session: WindowSession) -> list[Fact]:
    """The service and the stream of its events."""
    live = session.live
    return [
        Fact(
            tr("Service"),
            session.base_url or tr("none", "service"),
            Meaning.OK if session.is_connected else Meaning.BAD,
            tr("Where calls go."),
        ),
        Fact(
            tr("Service process"),
            tr("pid {pid}, start {number}", pid=session.service_pid, number=session.service_starts)
            if session.service_pid
            else tr("not ours"),
            Meaning.WARN if session.service_starts > 1 else Meaning.OK,
            tr("A child of this console gets a new key at every start."),
        ),
        Fact(
            tr("Telemetry stream"),
            tr("Live")
            if not live.stale
            else live.trouble or live.stream.words() or _STREAM.get(live.state, live.state),
            Meaning.IDLE if live.stale else Meaning.OK,
            tr("Everything that moves comes over this one stream."),
        ),
        Fact(tr("Events received"), f"{live.received}", Meaning.OK, tr("Since this console was started.")),
        Fact(
            tr("Events lost"),
            f"{live.lost}",
            Meaning.WARN if live.lost else Meaning.OK,
            tr("On the way, or more than we could keep."),
        ),
    ]


def _of_lag(session: WindowSession) -> Fact:
    lag_s = session.live.lag_s
    lag = tr("none yet") if lag_s is None else tr("{ms:.0f} ms", ms=lag_s * 1000)
    state = Meaning.IDLE if lag_s is None else Meaning.OK
    return Fact(tr("Stream lag"), lag, state, tr("Age of the newest event when it came, by the service's clock."))


def _of_clock(session: WindowSession) -> Fact:
    offset, error = session.clock.offset_s, session.clock.error_s
    clock = (
        tr("not measured")
        if offset is None or error is None
        else tr("{offset:+.1f} ms ± {error:.1f} ms", offset=offset * 1000, error=error * 1000)
    )
    state = Meaning.IDLE if offset is None else Meaning.OK
    return Fact(tr("Clock offset"), clock, state, tr("Of the service against this machine, lowest round trip."))


def _of_calls(session: WindowSession) -> list[Fact]:
    found = []
    for name, share in ((tr("Calls, median"), 0.5), (tr("Calls, p99"), 0.99)):
        value = session.calls.percentile(share)
        shown = tr("none yet") if value is None else tr("{ms:.1f} ms", ms=value)
        found.append(Fact(name, shown, Meaning.IDLE if value is None else Meaning.OK, tr("Time of an API call.")))
    return found


def _of_frames(session: WindowSession) -> Fact:
    frame = session.frames.p95
    shown = tr("none yet") if frame is None else tr("{ms:.1f} ms", ms=frame)
    return Fact(tr("Repaint, p95"), shown, Meaning.OK, tr("Of the last 100 repaints."))


def _of_stalls(session: WindowSession) -> list[Fact]:
    """The moments in which the console did not answer, ours and the machine's; the last one if there was any."""
    stalls = session.stalls
    found = [
        Fact(
            tr("Longest stall"),
            tr("{ms:.0f} ms", ms=stalls.worst_ms),
            Meaning.OK,
            tr("In the last minute, of any cause."),
        ),
        Fact(
            tr("Stalls of ours"),
            f"{stalls.ours}",
            Meaning.WARN if stalls.ours else Meaning.OK,
            tr("Over 50 ms with more than 25 ms of our own work in them."),
        ),
        Fact(
            tr("Stalls of the machine"),
            f"{stalls.machines}",
            Meaning.OK,
            tr("Over 50 ms in which we were not let run."),
        ),
    ]
    if stalls.gaps:
        gap = stalls.gaps[-1]
        length = tr("{ms:.0f} ms, CPU {cpu_ms:.0f} ms", ms=gap.length_s * 1000, cpu_ms=gap.cpu_s * 1000)
        found.append(Fact(tr("Last stall"), length, Meaning.OK, tr("Ended at {time}.", time=clock_time(gap.unix))))
    return found


def _of_versions() -> Fact:
    return Fact(
        tr("Versions"),
        tr(
            "Python {python}, Qt {qt}, PySide6 {pyside}",
            python=platform.python_version(),
            qt=qVersion(),
            pyside=PySide6.__version__,
        ),
        Meaning.OK,
        f"{platform.system()} {platform.release()} {platform.machine()}",
    )
