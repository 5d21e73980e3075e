"""The inspector of one server frame: its record as the API gives it, phases, certificate, what was negotiated."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.capabilities.infrastructure.messages import Frame, FramePhases, StatusRecord
from app.console.clock import age, date_time, utc_time
from app.console.frames.standing import FrameStanding, certificate_days, certificate_state
from app.console.language import local_figure, tr
from app.console.moments import parse_time
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import StateMark
from app.console.widgets.phases import PhaseBars, ProbePhase
from app.console.widgets.text import ElidedLabel, TitledPanel, label


def phases_of(found: FramePhases | None) -> list[ProbePhase]:
    """The phases on one axis: resolve, connect, then the handshake with its first byte inside."""
    if found is None:
        return []
    shake = found.resolve_ms + found.connect_ms
    return [
        ProbePhase(tr("Resolve"), 0.0, found.resolve_ms),
        ProbePhase(tr("Connect"), found.resolve_ms, found.connect_ms),
        ProbePhase(tr("First byte"), shake, found.first_byte_ms),
        ProbePhase(tr("Handshake"), shake, found.handshake_ms),
    ]


NO_RECORD = tr("The record of a frame is known of now alone, not of a moment of the past. Esc for live.")
NOTHING_CHOSEN = tr("Choose a frame in the grid: arrow keys move, its record appears here.")


class FramePanel(TitledPanel):
    """``show_frame`` fills it; ``show_nothing`` says what to do."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Frame"), padding=12, parent=parent)
        self.mark = StateMark()
        self.head.addWidget(self.mark)
        self._nothing = label(NOTHING_CHOSEN, "dim", wrap=True)
        self._name = ElidedLabel("", "heading")
        self._facts = QWidget()
        grid = QGridLayout(self._facts)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(1)
        grid.setColumnStretch(1, 1)
        self._values: dict[str, QLabel] = {}
        for at, (key, title) in enumerate(
            (
                ("node_id", tr("Node", "frame")),
                ("status", tr("Status")),
                ("handshake_latency", tr("First byte after")),
                ("active_sovereign_nodes", tr("Sovereign frames")),
                ("uplink", tr("Uplink")),
                ("measured", tr("Measured")),
                ("reason", tr("Reason")),
                ("certificate", tr("Certificate")),
                ("protocol", tr("Protocol")),
            )
        ):
            name = label(title, "small")
            role = "mono" if key in _RECORD else ""
            # The uplink takes two lines, cipher suite above key exchange group.
            # A reason is a sentence: it takes the lines that it needs.
            whole = key in ("uplink", "certificate", "reason")
            value: QLabel = label("", role, wrap=key == "reason") if whole else ElidedLabel("", role)
            value.setAccessibleName(title)
            name.setToolTip(_HINTS.get(key, ""))
            value.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
            name.setBuddy(value)
            grid.addWidget(name, at, 0)
            grid.addWidget(value, at, 1, 1, 1 if key == "certificate" else 2)
            self._values[key] = value
        self._cert_mark = StateMark()
        grid.addWidget(self._cert_mark, 7, 2)
        self.phases = PhaseBars()
        for part in (self._nothing, self._name, self._facts, self.phases):
            self.body.addWidget(part)
        self.body.addStretch(1)
        self.show_nothing()

    def value(self, key: str) -> str:
        """The text shown for a field of the record, ``certificate``, ``measured``, ``reason`` or ``protocol``."""
        return self._values[key].text()

    def show_nothing(self, sentence: str = "") -> None:
        """No frame is chosen."""
        if sentence:
            self._nothing.setText(sentence)
        self._nothing.show()
        for part in (self._name, self._facts, self.phases, self.mark):
            part.hide()

    def show_frame(self, frame: Frame, record: StatusRecord, standing: FrameStanding, now: float) -> None:
        """Show a frame; ``record`` is the newest that is known, ``now`` Unix seconds of the service's clock."""
        self._nothing.hide()
        for part in (self._name, self._facts, self.phases, self.mark):
            part.show()
        self._name.setText(frame.peer_id)
        self.mark.set(standing.state, standing.word)
        values = self._values
        values["node_id"].setText(record.node_id)
        values["status"].setText(record.status)
        values["handshake_latency"].setText(local_figure(record.handshake_latency))
        values["active_sovereign_nodes"].setText(str(record.active_sovereign_nodes))
        values["uplink"].setText(record.uplink.replace(" / ", " /\n"))
        if record.measured_at is None:
            values["measured"].setText(tr("never"))
        else:
            at = parse_time(record.measured_at)
            values["measured"].setText(tr("{age} ago", age=age(now - at)))
            values["measured"].setToolTip(utc_time(at))
        values["reason"].setText(standing.hint or "–")
        days = certificate_days(frame, now)
        if days is None or frame.certificate_not_after is None:
            values["certificate"].setText(tr("not seen yet"))
            self._cert_mark.hide()
        else:
            ends = parse_time(frame.certificate_not_after)
            words = tr("{days:.0f} days left", days=days) if days >= 0 else tr("ended {days:.0f} days ago", days=-days)
            values["certificate"].setText(words)
            values["certificate"].setToolTip(tr("until {time}\n{utc}", time=date_time(ends), utc=utc_time(ends)))
            # A frozen service leaves no green: the days still count, but the certificate was not seen again.
            state = Meaning.IDLE if standing.state is Meaning.IDLE else certificate_state(days)
            self._cert_mark.set(
                state, {"ok": tr("Valid"), "warn": tr("Renew"), "bad": tr("Renew now")}.get(state, standing.word)
            )
            self._cert_mark.show()
        values["protocol"].setText(frame.protocol or "–")
        self.phases.set(phases_of(frame.phases))


_RECORD = ("node_id", "status", "handshake_latency", "active_sovereign_nodes", "uplink")
"""Fields of the record as in the specification; what they say is shown as the service wrote it."""
_HINTS = {
    "handshake_latency": tr(
        "Of the last handshake, from ClientHello to the first byte of the server (handshake_latency)."
    ),
    "active_sovereign_nodes": tr("Frames of level sovereign that are operational now (active_sovereign_nodes)."),
}
"""What stands behind the names that people read."""
