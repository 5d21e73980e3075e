"""Server frames as people read them: the rows of the table, and the lines of the history. Without Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from app.capabilities.infrastructure.messages import Frame, HistoryPoint, Percentiles
from app.console.clock import parse_time
from app.console.frames.groups import caption, group_of
from app.console.frames.measurements import FloatArray
from app.console.frames.standing import FrameStanding, certificate_days, certificate_state
from app.console.language import number, tr
from app.console.shown_time import NOW_ALONE
from app.console.theme.tokens import Meaning


@dataclass(frozen=True)
class Span:
    """A span of history: ``seconds`` long, in steps of ``step`` seconds. ``before``: its title where it ends at a
    moment of the past, ``until`` where it names the clock time of it; ``around``: that it lies around an older moment,
    empty: it never does."""

    seconds: int
    step: int
    title: str
    before: str
    until: Callable[[str], str]
    around: str = ""


SPANS = (
    Span(
        3600, 60, tr("Last hour"), tr("Hour before"), lambda clock: tr("Hour to {clock}", clock=clock),
        tr("Hour around"),
    ),
    Span(6 * 3600, 180, tr("Last 6 hours"), tr("6 h before"), lambda clock: tr("6 hours to {clock}", clock=clock)),
    Span(86_400, 600, tr("Last 24 hours"), tr("24 h before"), lambda clock: tr("24 hours to {clock}", clock=clock)),
    Span(7 * 86_400, 3600, tr("Last 7 days"), tr("7 d before"), lambda clock: tr("7 days to {clock}", clock=clock)),
    Span(
        30 * 86_400, 14_400, tr("Last 30 days"), tr("30 d before"),
        lambda clock: tr("30 days to {clock}", clock=clock),
    ),
)  # fmt: skip


def span_title(span: Span, clock: str, *, older: bool = False) -> str:
    """``Last hour``, or ``Hour to 14:32:07Z`` where it ends at the time ``clock``. ``older``: that is of an older
    moment, and an hour is the one around it."""
    if older and span.around:
        return tr("Hour around {clock}", clock=clock)
    return span.until(clock) if clock else span.title


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
    missed: int | None
    resolve: str
    connect: str
    first_byte: str
    certificate: str
    certificate_state: Meaning | None
    uplink: str
    unknown: str = ""
    """Why phases, certificate and uplink are not known, a sentence."""


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


def past_row(frame: Frame, then: FrameStanding, latency_ms: float | None, span: Percentiles | None) -> FrameRow:
    """The row of a frame at a moment of the past. ``then``: how it answered; ``latency_ms``: its newest handshake at
    that moment; ``span``: of the span that ends there, None before it was read."""
    return FrameRow(
        peer_id=frame.peer_id,
        group=caption(group_of(frame.peer_id)),
        state=then.state,
        word=then.word,
        hint=then.hint,
        now=_ms(latency_ms),
        p50=_ms(span.p50 if span else None),
        p95=_ms(span.p95 if span else None),
        p99=_ms(span.p99 if span else None),
        worst=_ms(span.max if span else None),
        # Where no probe is known, none is known to have been missed.
        missed=span.missed if span and span.count + span.missed else None,
        resolve="–",
        connect="–",
        first_byte="–",
        certificate="–",
        certificate_state=None,
        uplink="–",
        unknown=NOW_ALONE,
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
