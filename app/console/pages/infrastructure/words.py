"""Server frames as people read them: the spans, the rows of the table, their order, and what is folded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from app.capabilities.infrastructure.messages import Frame, FramePhases, Percentiles, StatusRecord
from app.console.frames.groups import caption, group_of
from app.console.frames.standing import FrameStanding, certificate_days, certificate_state
from app.console.language import number, tr
from app.console.moments import moment, parse_time
from app.console.shown_time import NOW_ALONE
from app.console.theme.tokens import Meaning
from app.console.widgets.table_cells import Course


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
    slowest: str
    """The phase that took longest in the last handshake."""
    phases: str
    """All phases of it in a sentence."""
    certificate: str
    certificate_state: Meaning | None
    uplink: str
    high: float | None = None
    """Its p99 over the span, ms."""
    course: Course | None = None
    """Its p99 step by step."""
    course_words: str = ""
    """The course in words, or why there is none."""
    unknown: str = ""
    """Why phases, certificate and uplink are not known, a sentence."""


def frame_row(
    frame: Frame, standing: FrameStanding, latency_ms: float | None, now: float, course: Course | None = None
) -> FrameRow:
    """The row of a frame. ``latency_ms``: its newest handshake; ``now``: Unix seconds of the service."""
    days = certificate_days(frame, now)
    span = frame.span
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
        slowest=slowest_phase(frame.phases),
        phases=phase_words(frame.phases),
        certificate="–" if days is None else tr("{days:.0f} days", days=days),
        certificate_state=None if days is None else _unless_idle(standing, certificate_state(days)),
        uplink=frame.group or "–",
        high=span.p99,
        course=course,
        course_words=_course_words(span) if course is not None else _silence(frame.record, now),
    )


def past_row(
    frame: Frame,
    then: FrameStanding,
    latency_ms: float | None,
    span: Percentiles | None,
    course: Course | None = None,
) -> FrameRow:
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
        slowest="–",
        phases="",
        certificate="–",
        certificate_state=None,
        uplink="–",
        high=span.p99 if span else None,
        course=course,
        course_words=_course_words(span) if course is not None and span else tr("no sample of that span"),
        unknown=NOW_ALONE,
    )


def matches(row: FrameRow, text: str) -> bool:
    """Whether the row holds every word of ``text``."""
    hay = f"{row.peer_id} {row.group} {row.word} {row.uplink}".lower()
    return all(word in hay for word in text.lower().split())


# --- phases -----------------------------------------------------------------------------------------------------------

PHASES = (tr("Resolve"), tr("Connect"), tr("First byte"), tr("Rest of TLS"))
"""One after the other; the first byte is that of the server after ClientHello, what is left of the handshake follows
it."""


def phase_lengths(found: FramePhases) -> tuple[float, float, float, float]:
    """Milliseconds of ``PHASES``, none of which holds another."""
    rest = max(0.0, found.handshake_ms - found.first_byte_ms)
    return found.resolve_ms, found.connect_ms, found.first_byte_ms, rest


def slowest_phase(found: FramePhases | None) -> str:
    """The phase that took longest; a dash before the first handshake."""
    if found is None:
        return "–"
    lengths = phase_lengths(found)
    return PHASES[lengths.index(max(lengths))]


def phase_words(found: FramePhases | None) -> str:
    """All phases of the last handshake: ``Resolve 0.00 ms, Connect 0.14 ms, ...``."""
    if found is None:
        return tr("No handshake was measured yet.")
    named = zip(PHASES, phase_lengths(found), strict=True)
    return ", ".join(tr("{name} {ms:.2f} ms", name=name, ms=ms) for name, ms in named)


# --- order and fold ---------------------------------------------------------------------------------------------------

_RANKS = {Meaning.CRIT: 0, Meaning.BAD: 0, Meaning.WARN: 1, Meaning.WORK: 2, Meaning.IDLE: 2, Meaning.OK: 3}


def worst_first(rows: Sequence[FrameRow]) -> list[FrameRow]:
    """Those that fail, then those that are slow, then those of which nothing is known or expected, then the operational
    ones, each by the highest p99; a frame without one comes last among its like."""
    return sorted(rows, key=lambda row: (_RANKS[row.state], -(row.high or 0.0), row.peer_id))


def fold(
    rows: Sequence[FrameRow], room: int, kept: Collection[str] = (), goal: float | None = None
) -> tuple[list[FrameRow], list[FrameRow]]:
    """The rows that are listed, and those that one row below stands for. ``rows``: the worst first; ``room``: rows that
    have room above that one.

    Who needs somebody is always listed: what is not operational, misses the ``goal`` or has a certificate that presses;
    and the ``kept`` ones, which the operator has chosen or marked. The slowest of the others take the room that is
    left.
    """
    listed = {row.peer_id for row in rows if row.peer_id in kept or needs_eyes(row, goal)}
    for row in rows:
        if len(listed) >= room:
            break
        listed.add(row.peer_id)
    above = [row for row in rows if row.peer_id in listed]
    below = [row for row in rows if row.peer_id not in listed]
    return above, below


def needs_eyes(row: FrameRow, goal: float | None) -> bool:
    """Whether a frame is one to look at: in its state, by the goal or by its certificate."""
    late = goal is not None and row.high is not None and row.high > goal
    return row.state is not Meaning.OK or late or row.certificate_state in (Meaning.WARN, Meaning.BAD)


def fold_words(below: Sequence[FrameRow], *, past: bool) -> tuple[str, str]:
    """What the row says that stands for others: how many, and the slowest of them."""
    one = len(below) == 1
    if past:
        count = tr("1 more, answered") if one else tr("{count} more, all answered", count=len(below))
    else:
        count = tr("1 more, operational") if one else tr("{count} more, all operational", count=len(below))
    highest = max((row.high for row in below if row.high is not None), default=None)
    return count, "" if highest is None else tr("slowest p99 {ms:.1f} ms", ms=highest)


def _course_words(span: Percentiles) -> str:
    return tr("max {ms:.2f} ms", ms=span.max) if span.max is not None else ""


def _silence(record: StatusRecord, now: float) -> str:
    """Why a frame has no course."""
    if record.measured_at is None:
        return tr("never measured")
    return tr("not measured since {time}", time=moment(parse_time(record.measured_at), now))


def _ms(value: float | None) -> str:
    """Two decimals, of a large value fewer: a column is as wide as its usual figures."""
    return "–" if value is None else number(value, ".2f" if value < 100 else ",.1f" if value < 1000 else ",.0f")


def _unless_idle(standing: FrameStanding, state: Meaning) -> Meaning:
    """A frozen service leaves no green: what is said of a frame that was not seen again is idle."""
    return Meaning.IDLE if standing.state is Meaning.IDLE else state
