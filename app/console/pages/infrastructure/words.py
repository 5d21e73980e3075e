"""Server frames as people read them: the rows of the table, and the lines of the history. Without Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.capabilities.infrastructure.messages import Frame, HistoryPoint
from app.console.clock import parse_time
from app.console.frames.groups import caption, group_of
from app.console.frames.measurements import FloatArray
from app.console.frames.standing import FrameStanding, certificate_days, certificate_state
from app.console.language import number, tr
from app.console.theme.tokens import Meaning


@dataclass(frozen=True)
class Span:
    """A span of history: ``seconds`` long, in steps of ``step`` seconds."""

    title: str
    seconds: int
    step: int


SPANS = (
    Span(tr("Last hour"), 3600, 60),
    Span(tr("Last 6 hours"), 6 * 3600, 180),
    Span(tr("Last 24 hours"), 86_400, 600),
    Span(tr("Last 7 days"), 7 * 86_400, 3600),
    Span(tr("Last 30 days"), 30 * 86_400, 14_400),
)


@dataclass(frozen=True)
class FrameRow:
    """One frame as the table has it: texts, made whenever the frame changes."""

    peer_id: str
    group: str
    state: Meaning
    word: str
    hint: str
    now: str
    p50: str
    p95: str
    p99: str
    worst: str
    missed: int
    resolve: str
    connect: str
    first_byte: str
    certificate: str
    certificate_state: Meaning | None
    uplink: str


def frame_row(frame: Frame, standing: FrameStanding, latency_ms: float | None, now: float) -> FrameRow:
    """The row of a frame. ``latency_ms``: its newest handshake; ``now``: Unix seconds of the service."""
    days = certificate_days(frame, now)
    span, phases = frame.span, frame.phases
    return FrameRow(
        peer_id=frame.peer_id,
        group=caption(group_of(frame.peer_id)),
        state=standing.state,
        word=standing.word,
        hint=standing.hint,
        now=_ms(latency_ms),
        p50=_ms(span.p50),
        p95=_ms(span.p95),
        p99=_ms(span.p99),
        worst=_ms(span.max),
        missed=span.missed,
        resolve=_ms(phases.resolve_ms if phases else None),
        connect=_ms(phases.connect_ms if phases else None),
        first_byte=_ms(phases.first_byte_ms if phases else None),
        certificate="–" if days is None else tr("{days:.0f} days", days=days),
        certificate_state=None if days is None else _unless_idle(standing, certificate_state(days)),
        uplink=frame.group or "–",
    )


def matches(row: FrameRow, text: str) -> bool:
    """Whether the row holds every word of ``text``."""
    hay = f"{row.peer_id} {row.group} {row.word} {row.uplink}".lower()
    return all(word in hay for word in text.lower().split())


def history_lines(history: Sequence[HistoryPoint], step: float) -> dict[str, tuple[FloatArray, FloatArray]]:
    """The lines ``p50``, ``p99`` and ``max`` as x (Unix seconds) and y (milliseconds); empty without a handshake.

    A percentile holds for its whole step of ``step`` seconds and stands at its start; a step without a handshake stays
    NaN and breaks the line.
    """
    points = [point for point in history if point.handshake.p50 is not None]
    if not points:
        return {}
    first = parse_time(points[0].at)
    size = int((parse_time(points[-1].at) - first) // step) + 1
    x: FloatArray = np.arange(size, dtype=np.float64) * step + first
    lines: dict[str, FloatArray] = {name: np.full(size, np.nan) for name in ("p50", "p99", "max")}
    for point in points:
        at = min(size - 1, int((parse_time(point.at) - first) // step))
        for name, line in lines.items():
            value = getattr(point.handshake, name)
            line[at] = np.nan if value is None else value
    return {name: (x, line) for name, line in lines.items()}


def _ms(value: float | None) -> str:
    return "–" if value is None else number(value, ".2f")


def _unless_idle(standing: FrameStanding, state: Meaning) -> Meaning:
    """A frozen service leaves no green: what is said of a frame that was not seen again is idle."""
    return Meaning.IDLE if standing.state is Meaning.IDLE else state
