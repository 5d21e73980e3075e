"""What the console measures of itself."""

from __future__ import annotations

import platform
from dataclasses import dataclass

import PySide6
from PySide6.QtCore import qVersion
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.console.clock import clock_time
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel


@dataclass(frozen=True)
class Fact:
    """One line of the diagnostics table."""

    name: str
    value: str
    state: Meaning
    meaning: str


class DiagnosticsView(QWidget):
    """The table of facts; the presenter fills it."""

    def __init__(self, session: WindowSession) -> None:
        super().__init__()
        columns: list[Column[Fact]] = [
            Column("MEASURED", lambda fact: fact.name, 220),
            Column("NOW", lambda fact: fact.value, 320, state=lambda fact: fact.state),
            Column("WHAT IT MEANS", lambda fact: fact.meaning, dim=True),
        ]
        self.facts = RowsModel(columns, lambda fact: fact.name)
        self.table = DataTable(self.facts, name="Diagnostics")
        panel = TitledPanel("The console measures itself", padding=12)
        panel.head.addWidget(ActionButton(session.actions, "settings.copy", role="quiet"))
        panel.body.addWidget(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 16, 0, 0)
        column.addWidget(panel)


def facts(session: WindowSession) -> list[Fact]:
    """What the console knows of itself now."""
    live, stalls, frames = session.live, session.stalls, session.frames
    made = [
        Fact(
            "Service",
            session.base_url or "none",
            Meaning.OK if session.is_connected else Meaning.BAD,
            "Where calls go.",
        ),
        Fact(
            "Service process",
            f"pid {session.service_pid}, start {session.service_starts}" if session.service_pid else "not ours",
            Meaning.WARN if session.service_starts > 1 else Meaning.OK,
            "A child of this console gets a new key at every start.",
        ),
        Fact(
            "Telemetry stream",
            "Live" if not live.stale else live.trouble or live.stream.words() or live.state,
            Meaning.IDLE if live.stale else Meaning.OK,
            "Everything that moves comes over this one stream.",
        ),
        Fact("Events received", f"{live.received}", Meaning.OK, "Since this console was started."),
        Fact(
            "Events lost",
            f"{live.lost}",
            Meaning.WARN if live.lost else Meaning.OK,
            "On the way, or more than we could keep.",
        ),
    ]
    lag = "none yet" if live.lag_s is None else f"{live.lag_s * 1000:.0f} ms"
    made.append(
        Fact(
            "Stream lag",
            lag,
            Meaning.IDLE if live.lag_s is None else Meaning.OK,
            "Age of the newest event when it came, by the service's clock.",
        )
    )
    offset, error = session.clock.offset_s, session.clock.error_s
    clock = "not measured" if offset is None or error is None else f"{offset * 1000:+.1f} ms ± {error * 1000:.1f} ms"
    made.append(
        Fact(
            "Clock offset",
            clock,
            Meaning.IDLE if offset is None else Meaning.OK,
            "Of the service against this machine, lowest round trip.",
        )
    )
    for name, share in (("Calls, median", 0.5), ("Calls, p99", 0.99)):
        value = session.calls.percentile(share)
        shown = "none yet" if value is None else f"{value:.1f} ms"
        made.append(Fact(name, shown, Meaning.IDLE if value is None else Meaning.OK, "Time of an API call."))
    frame = frames.p95
    made.append(
        Fact(
            "Repaint, p95", "none yet" if frame is None else f"{frame:.1f} ms", Meaning.OK, "Of the last 100 repaints."
        )
    )
    made += [
        Fact("Longest stall", f"{stalls.worst_ms:.0f} ms", Meaning.OK, "In the last minute, whoever caused it."),
        Fact(
            "Stalls of ours",
            f"{stalls.ours}",
            Meaning.WARN if stalls.ours else Meaning.OK,
            "Over 50 ms with more than 25 ms of our own work in them.",
        ),
        Fact("Stalls of the machine", f"{stalls.machines}", Meaning.OK, "Over 50 ms in which we were not let run."),
    ]
    if stalls.gaps:
        gap = stalls.gaps[-1]
        made.append(
            Fact(
                "Last stall",
                f"{gap.length_s * 1000:.0f} ms, CPU {gap.cpu_s * 1000:.0f} ms",
                Meaning.OK,
                f"Ended at {clock_time(gap.unix)}.",
            )
        )
    made.append(
        Fact(
            "Versions",
            f"Python {platform.python_version()}, Qt {qVersion()}, PySide6 {PySide6.__version__}",
            Meaning.OK,
            f"{platform.system()} {platform.release()} {platform.machine()}",
        )
    )
    return made
