"""The report on paper, for people (PDF, A4): how the site stands, how fast it is, its burns, its alarms, who acted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final

from fpdf import FPDF

from app.capabilities.burn.messages import SystemSpeed
from app.console.clock import age, date_time, utc_time, zone_name
from app.console.code_words import code_word
from app.console.language import number, tr
from app.console.report.facts import (
    MOST_BURNS,
    TIMED_BURNS,
    ChartStep,
    ReportedAlarm,
    SiteReport,
    milliseconds,
)
from app.console.theme.tokens import LIGHT
from app.delivery.paper import FONT, LinePaper, sheet

CHART_MM = 52.0
MOST_TROUBLED, MOST_FRAMES, MOST_ALARMS, MOST_ACTORS = 12, 25, 80, 40
"""Lines of each list; what is left out is counted."""
TICKS = 4
_AXIS_MM, _LABEL_MM = 16.0, 5.0
_HATCH_MM = 1.6
_ONE_DAY_S = 90_000.0
"""Up to here the axis tells the time of day alone."""

_STATUSES: Final[Mapping[str, str]] = {
    "DEGRADED": tr("degraded"),
    "UNREACHABLE": tr("unreachable"),
    "MAINTENANCE": tr("maintenance"),
}
_SYSTEMS: Final[Mapping[str, str]] = {
    "reader": tr("reader"),
    "card": tr("card"),
    "grant": tr("grant"),
    "permit": tr("permit"),
    "seal": tr("seal"),
    "session": tr("session"),
    "template": tr("template"),
    "terminal": tr("terminal"),
    "holder": tr("holder"),
    "local": tr("local"),
    "directory": tr("directory"),
    "peer": tr("peer"),
}
"""Words for the kinds of systems that a burn reaches."""


def report_paper(report: SiteReport, bundle: tuple[str, str], goal_ms: float | None) -> bytes:
    """The paper of a report. ``bundle``: name and SHA-256 of the evidence beside it; both empty: there is none.
    ``goal_ms``: of handshakes. Blocks for some hundred milliseconds."""
    made = datetime.fromtimestamp(report.read_at)
    mark = "   ".join(["ARC Console", *([tr("TRAINING - nothing in this report is real.")] if report.training else [])])
    paper = LinePaper(sheet(tr("Report of site {site}", site=report.site), made), mark)
    _write_head(paper, report)
    _write_standing(paper, report)
    _write_latency(paper, report, goal_ms)
    _write_burns(paper, report)
    _write_alarms(paper, report)
    _write_actors(paper, report)
    _write_proof(paper, report, *bundle)
    return bytes(paper.page.output())


def _write_head(paper: LinePaper, report: SiteReport) -> None:
    """Which site and span, when it was read, and how old the newest facts are."""
    paper.line(tr("Site report"), size=16, bold=True, height=10)
    paper.fact(tr("Site"), report.site)
    paper.fact(tr("From", "time"), f"{date_time(report.low)} {zone_name(report.low)}  ({utc_time(report.low)})")
    paper.fact(tr("To", "time"), f"{date_time(report.high)} {zone_name(report.high)}  ({utc_time(report.high)})")
    read = date_time(report.read_at)
    if report.asked_by:
        read = tr("{time} by {person}", time=read, person=report.asked_by)
    paper.fact(tr("Read", "past"), read)
    sample = report.newest_sample
    paper.fact(
        tr("Newest sample"),
        tr("none", "sample")
        if sample is None
        else tr("{age} before it was read", age=age(max(report.read_at - sample, 0.0))),
    )
    paper.line(tr("All times but those in UTC (Z) are local. The figures are the service's own record."))


def _write_standing(paper: LinePaper, report: SiteReport) -> None:
    """How it stood when it was read."""
    paper.title(tr("How it stood at {time}", time=date_time(report.read_at)))
    frames = report.frames
    well = sum(one.record.status == "OPERATIONAL" for one in frames)
    open_ = [one for one in report.alarms if one.closed is None]
    untaken = sum(not one.owner for one in open_)
    paper.fact(tr("Server frames"), tr("{count} of {total} operational", count=well, total=len(frames)))
    troubled = [frame for frame in frames if frame.record.status != "OPERATIONAL"]
    for one in troubled[:MOST_TROUBLED]:
        why = f": {one.record.reason}" if one.record.reason else ""
        paper.text(f"{one.peer_id} {_status_word(one.record.status)}{why}", inset=6)
    if len(troubled) > MOST_TROUBLED:
        counts = Counter(_status_word(one.record.status) for one in troubled[MOST_TROUBLED:])
        rest = ", ".join(f"{count} {status}" for status, count in counts.most_common())
        paper.line(tr("and {count} more: {rest}", count=len(troubled) - MOST_TROUBLED, rest=rest), inset=6)
    paper.fact(
        tr("Open alarms"),
        tr("{count}, {untaken} of them without an owner", count=len(open_), untaken=untaken)
        if open_
        else tr("none", "alarm"),
    )
    waiting = report.speed.last_door.open
    paper.fact(
        tr("Burns"),
        tr("{count} of the span with a door that is not proven", count=waiting)
        if waiting
        else tr("none misses a door"),
    )
    if report.speed.waiting:
        paper.fact(
            tr("Not stored yet"),
            tr("{count} burns, which are in no figure of this report", count=report.speed.waiting),
        )


# --- latency ----------------------------------------------------------------------------------------------------------


def _write_latency(paper: LinePaper, report: SiteReport, goal_ms: float | None) -> None:
    """The chart of all frames, and each frame's figures, the slowest first."""
    paper.title(tr("Handshakes with the server frames"))
    steps = report.steps
    measured = [one for one in steps if one.p99 is not None]
    if measured:
        _draw_chart(paper, report, goal_ms)
    if not measured:
        paper.line(tr("No frame was measured in this span."))
    else:
        paper.text(
            tr(
                "Each step is {time}: the largest p99 of a frame (dark), the median of all p50 (blue).",
                time=age(report.step_s),
            )
        )
    if measured and len(measured) < len(steps):
        paper.text(
            tr(
                "No frame had a sample in {count} of {total} steps, {time} in all: hatched, and in no figure.",
                count=len(steps) - len(measured),
                total=len(steps),
                time=age(report.unsampled_s),
            )
        )
    if goal_ms is not None and measured:
        missed = sum((one.p99 or 0.0) > goal_ms for one in measured)
        paper.text(
            tr(
                "Goal {goal_ms:g} ms: the slowest frame missed it in {missed} of {measured} measured steps.",
                goal_ms=goal_ms,
                missed=missed,
                measured=len(measured),
            )
        )
    elif measured:
        paper.text(tr("This console has no goal of handshakes: nothing is said to be fast enough."))
    sampled = [one for one in report.frames if one.span.p99 is not None]
    if sampled:
        heads = tr("Frame"), "p50", "p95", "p99", tr("max"), tr("samples"), tr("missed", "samples")
        _table(paper, heads, (34, 24, 24, 24, 24, 22, 22), [
            (
                one.peer_id,
                *(milliseconds(value) for value in (one.span.p50, one.span.p95, one.span.p99, one.span.max)),
                number(one.span.count, ","),
                number(one.span.missed, ","),
            )
            for one in sampled[:MOST_FRAMES]
        ])  # fmt: skip
    if len(sampled) > MOST_FRAMES:
        paper.line(tr("and {count} more frames, none of them with a larger p99", count=len(sampled) - MOST_FRAMES))
    silent = [one.peer_id for one in report.frames if one.span.p99 is None]
    if silent:
        paper.text(tr("Without a sample in this span: {frames}.", frames=", ".join(silent)))


def _draw_chart(paper: LinePaper, report: SiteReport, goal_ms: float | None) -> None:
    """Both lines on one axis; a step without a sample breaks them and is hatched."""
    left, top, width = paper.room(CHART_MM + _LABEL_MM)
    page, steps = paper.page, report.steps
    most = max(one.p99 for one in steps if one.p99 is not None)
    high = max(most, goal_ms or 0.0) * 1.08
    x0, x1, y0, y1 = left + _AXIS_MM, left + width, top + 2.0, top + CHART_MM
    span = max(report.high - report.low, 1.0)

    def x_of(at: float) -> float:
        return x0 + (x1 - x0) * min(max((at - report.low) / span, 0.0), 1.0)

    def y_of(ms: float) -> float:
        return y1 - (y1 - y0) * ms / high

    page.set_font(FONT, "", 6.5)
    page.set_line_width(0.1)
    page.set_draw_color(LIGHT.line)
    for share in (0.0, 0.5, 1.0):
        ms = most * share
        page.line(x0, y_of(ms), x1, y_of(ms))
        page.set_xy(left, y_of(ms) - 1.6)
        page.cell(_AXIS_MM - 1.5, 3.2, milliseconds(ms), align="R")
    for tick in range(TICKS + 1):
        at = report.low + span * tick / TICKS
        page.set_xy(min(max(x_of(at) - 14, x0), x1 - 28), y1 + 0.8)
        page.cell(
            28,
            3.2,
            date_time(at)[11:16] if span <= _ONE_DAY_S else date_time(at)[5:16],
            align="L" if tick == 0 else "R" if tick == TICKS else "C",
        )
    _hatch(page, steps, report.step_s, x_of, y0, y1)
    if goal_ms is not None:
        page.set_draw_color(LIGHT.text)
        page.set_dash_pattern(1.2, 1.0)
        page.line(x0, y_of(goal_ms), x1, y_of(goal_ms))
        page.set_dash_pattern()
        page.set_xy(x0 + 1, y_of(goal_ms) - 3.4)
        page.cell(40, 3.2, tr("Goal {goal_ms:g} ms", goal_ms=goal_ms))
    middle = report.step_s / 2
    lines = (LIGHT.text, 0.25, [one.p99 for one in steps]), (LIGHT.accent, 0.35, [one.p50 for one in steps])
    for colour, width_mm, values in lines:
        page.set_draw_color(colour)
        page.set_fill_color(colour)
        page.set_line_width(width_mm)
        places = [x_of(one.at + middle) for one in steps]
        _draw_line(page, list(zip(places, values, strict=True)), y_of)
    page.set_draw_color(0)
    page.set_line_width(0.2)


def _draw_line(page: FPDF, points: Sequence[tuple[float, float | None]], y_of: Callable[[float], float]) -> None:
    """A line that breaks where there is no value; a value that stands alone is a dot."""
    before: tuple[float, float] | None = None
    for at, (x, value) in enumerate(points):
        if value is None:
            before = None
            continue
        here = x, y_of(value)
        after = points[at + 1][1] if at + 1 < len(points) else None
        if before is not None:
            page.line(*before, *here)
        elif after is None:
            page.ellipse(x - 0.3, here[1] - 0.3, 0.6, 0.6, style="F")
        before = here


def _hatch(
    page: FPDF, steps: Sequence[ChartStep], step_s: float, x_of: Callable[[float], float], y0: float, y1: float
) -> None:
    """Slanted lines over each stretch without a sample, and its name where there is room."""
    at = 0
    while at < len(steps):
        end = at
        while end < len(steps) and steps[end].p99 is None:
            end += 1
        if end == at:
            at += 1
            continue
        x0, x1 = x_of(steps[at].at), x_of(steps[end - 1].at + step_s)
        with page.rect_clip(x0, y0, x1 - x0, y1 - y0):
            page.set_draw_color(LIGHT.border)
            x = x0 - (y1 - y0)
            while x < x1:
                page.line(x, y1, x + (y1 - y0), y0)
                x += _HATCH_MM
        if x1 - x0 > 24:
            page.set_fill_color(255)
            page.set_xy((x0 + x1) / 2 - 9, (y0 + y1) / 2 - 2)
            page.cell(18, 4, tr("no sample"), align="C", fill=True)
        at = end


# --- burns, alarms, persons ------------------------------------------------------------------------------------------


def _write_burns(paper: LinePaper, report: SiteReport) -> None:
    """From the call to the proof of the last door, by system, then each burn."""
    speed = report.speed
    paper.title(tr("Burns ({count}, without drills)", count=speed.burns))
    if speed.burns:
        paper.line(tr("From the call to the proof. The site's deadline is {time}.", time=milliseconds(speed.goal_ms)))
        rows = [
            (tr("last door of a burn"), speed.last_door),
            *((_SYSTEMS.get(one.kind, one.kind), one) for one in speed.systems),
        ]
        _table(
            paper,
            (tr("Until"), "p50", "p95", tr("max"), tr("in time"), tr("open", "state"), tr("no proof")),
            (44, 22, 22, 22, 24, 20, 20),
            [(name, *_speed_cells(one)) for name, one in rows],
        )
        if speed.last_door.timed == 0:
            paper.text(tr("No burn of the span has all its doors proven, so there is no time to the last door."))
    for one in report.burns:
        burn = one.burn
        drill = tr("DRILL: ") if burn.drill else ""
        who = f"{one.name} ({burn.node_id})" if one.name else f"{burn.node_id}"
        paper.line(f"{date_time(one.at)}  {drill}{who}: {code_word(burn.state)}", bold=burn.state != "COMPLETE")
        by = (
            tr("ordered by {person}", person=one.ordered_by)
            if one.ordered_by
            else tr("who ordered it is not in what was read")
        )
        lifted = tr(" Taken back.") if burn.lifted_at else ""
        paper.text(f"{one.doors}; {by}; {burn.scope}. {burn.reason}.{lifted} {burn.burn_id}", inset=6)
    if not report.burns:
        paper.line(tr("Nobody was burned in this span."))
    if len(report.burns) >= MOST_BURNS:
        paper.line(tr("These are the newest {count}; there may be more in the span.", count=len(report.burns)))
    elif len(report.burns) > TIMED_BURNS:
        paper.line(
            tr(
                "The doors of the newest {count} burns were read; all of them are in the figures above.",
                count=TIMED_BURNS,
            )
        )


def _status_word(status: str) -> str:
    """How a frame that is not operational stands, within a sentence."""
    return _STATUSES.get(status, status.replace("_", " ").lower())


def _speed_cells(one: SystemSpeed) -> tuple[str, ...]:
    return (
        *(milliseconds(value) for value in (one.p50_ms, one.p95_ms, one.max_ms)),
        tr("{count} of {total}", count=one.within, total=one.timed),
        str(one.open),
        str(one.unproven),
    )


def _write_alarms(paper: LinePaper, report: SiteReport) -> None:
    """Open ones first, each with its owner and the next step."""
    open_ = sum(one.closed is None for one in report.alarms)
    paper.title(tr("Alarms ({count}, {open} open now)", count=len(report.alarms), open=open_))
    for one in report.alarms[:MOST_ALARMS]:
        paper.line(_alarm_times(one), bold=one.closed is None)
        paper.text(one.text, inset=6)
        owner = (
            tr("Owner: {owner}{note}.", owner=one.owner, note=f" ({one.note})" if one.note else "")
            if one.owner
            else tr("Nobody took it.")
        )
        step = tr(" Next: {step}.", step=one.step) if one.closed is None and one.step else ""
        paper.text(f"{owner}{step}", inset=6)
    if not report.alarms:
        paper.line(tr("No alarm was open in this span."))
    if len(report.alarms) > MOST_ALARMS:
        paper.line(tr("and {count} older ones, which are in the audit log", count=len(report.alarms) - MOST_ALARMS))


def _alarm_times(one: ReportedAlarm) -> str:
    """When it was raised, and when it was closed."""
    raised = tr("before the span") if one.raised is None else date_time(one.raised)
    if one.closed is None:
        return tr("{raised}  open", raised=raised)
    after = "" if one.raised is None else tr(", after {time}", time=age(one.closed - one.raised))
    return tr("{raised}  closed {closed}{after}", raised=raised, closed=date_time(one.closed), after=after)


def _write_actors(paper: LinePaper, report: SiteReport) -> None:
    """Who acted, and what most often."""
    paper.title(tr("Who acted ({count})", count=len(report.actors)))
    for one in report.actors[:MOST_ACTORS]:
        vain = tr(", {count} of them refused or failed", count=one.in_vain) if one.in_vain else ""
        acts = tr("1 act") if one.acts == 1 else tr("{count:,} acts", count=one.acts)
        paper.line(f"{one.name}: {acts}{vain}", bold=True)
        paper.text(tr("most often: {acts}", acts=one.most), inset=6)
    if not report.actors:
        paper.line(tr("Nobody but the service itself acted in this span."))
    if len(report.actors) > MOST_ACTORS:
        paper.line(tr("and {count} more, who acted less", count=len(report.actors) - MOST_ACTORS))
    count = report.entries_read
    paper.text(
        tr(
            "Counted over {count:,} entries of the audit log, the newest of the span: it has more, and older ones are "
            "not counted.",
            count=count,
        )
        if report.cut
        else tr("Counted over {count:,} entries of the audit log.", count=count)
    )


def _write_proof(paper: LinePaper, report: SiteReport, name: str, sha256: str) -> None:
    """Which bytes prove which part of it."""
    paper.title(tr("What proves it"))
    if name:
        paper.text(
            tr(
                "This paper proves nothing. Of its burns and alarms {count} entries of the signed audit log "
                "lie, each with its proof, in {name} beside it, a zip whose SHA-256 is",
                count=len(report.leaves),
                name=name,
            )
        )
        paper.line(sha256, inset=6)
        paper.text(tr("Anybody checks it without asking the site: arc-console verify BUNDLE.zip --trust DIR."))
    else:
        paper.text(
            tr(
                "This paper proves nothing, and no evidence bundle was made with it: the audit log has no "
                "entry of a burn or an alarm in this span, or none was asked for."
            )
        )
    if name and report.leaves_left_out:
        paper.text(tr("{count} older entries found no room in the bundle.", count=report.leaves_left_out))
    paper.text(
        tr("Latencies and counts are the service's own record: no log holds them, and no signature proves them.")
    )
    paper.line(tr("Checkpoint of the audit log when this was read:"))
    for line in report.checkpoint.split("\n\n")[0].splitlines():
        paper.line(line, inset=6)


def _table(paper: LinePaper, heads: Sequence[str], widths: Sequence[float], rows: Sequence[Sequence[str]]) -> None:
    """Columns of these widths in mm, the first one from the left, figures from the right."""
    paper.cells(heads, widths, bold=True)
    for row in rows:
        paper.cells(row, widths)
