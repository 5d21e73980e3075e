"""The report on paper, for people (PDF, A4): how the site stands, how fast it is, its burns, its alarms, who acted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime

from fpdf import FPDF

from app.capabilities.burn.messages import SystemSpeed
from app.console.clock import age, date_time, utc_time, zone_name
from app.console.report.facts import (
    MOST_BURNS,
    TIMED_BURNS,
    ChartStep,
    ReportedAlarm,
    SiteReport,
    milliseconds,
)
from app.console.theme.tokens import LIGHT, sentence_case
from app.delivery.paper import FONT, LinePaper, sheet

CHART_MM = 52.0
MOST_TROUBLED, MOST_FRAMES, MOST_ALARMS, MOST_ACTORS = 12, 25, 80, 40
"""Lines of each list; what is left out is counted."""
TICKS = 4
_AXIS_MM, _LABEL_MM = 16.0, 5.0
_HATCH_MM = 1.6
_ONE_DAY_S = 90_000.0
"""Up to here the axis tells the time of day alone."""


def report_paper(report: SiteReport, bundle: tuple[str, str], goal_ms: float | None) -> bytes:
    """The paper of a report. ``bundle``: name and SHA-256 of the evidence beside it; both empty: there is none.
    ``goal_ms``: of handshakes. Blocks for some hundred milliseconds."""
    made = datetime.fromtimestamp(report.read_at)
    mark = "   ".join(["ARC Console", *(["TRAINING - nothing in this report is real."] if report.training else [])])
    paper = LinePaper(sheet(f"Report of site {report.site}", made), mark)
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
    paper.line("Site report", size=16, bold=True, height=10)
    paper.fact("Site", report.site)
    paper.fact("From", f"{date_time(report.low)} {zone_name(report.low)}  ({utc_time(report.low)})")
    paper.fact("To", f"{date_time(report.high)} {zone_name(report.high)}  ({utc_time(report.high)})")
    paper.fact("Read", f"{date_time(report.read_at)}{f' by {report.asked_by}' if report.asked_by else ''}")
    sample = report.newest_sample
    paper.fact(
        "Newest sample", "none" if sample is None else f"{age(max(report.read_at - sample, 0.0))} before it was read"
    )
    paper.line("All times but those in UTC (Z) are local. The figures are the service's own record.")


def _write_standing(paper: LinePaper, report: SiteReport) -> None:
    """How it stood when it was read."""
    paper.title(f"How it stood at {date_time(report.read_at)}")
    frames = report.frames
    well = sum(one.record.status == "OPERATIONAL" for one in frames)
    open_ = [one for one in report.alarms if one.closed is None]
    untaken = sum(not one.owner for one in open_)
    paper.fact("Server frames", f"{well} of {len(frames)} operational")
    troubled = [frame for frame in frames if frame.record.status != "OPERATIONAL"]
    for one in troubled[:MOST_TROUBLED]:
        why = f": {one.record.reason}" if one.record.reason else ""
        paper.text(f"{one.peer_id} {sentence_case(one.record.status).lower()}{why}", inset=6)
    if len(troubled) > MOST_TROUBLED:
        counts = Counter(sentence_case(one.record.status).lower() for one in troubled[MOST_TROUBLED:])
        rest = ", ".join(f"{count} {status}" for status, count in counts.most_common())
        paper.line(f"and {len(troubled) - MOST_TROUBLED} more: {rest}", inset=6)
    paper.fact("Open alarms", f"{len(open_)}, {untaken} of them without an owner" if open_ else "none")
    waiting = report.speed.last_door.open
    paper.fact("Burns", f"{waiting} of the span with a door that is not proven" if waiting else "none misses a door")
    if report.speed.waiting:
        paper.fact("Not stored yet", f"{report.speed.waiting} burns, which are in no figure of this report")


# --- latency ----------------------------------------------------------------------------------------------------------


def _write_latency(paper: LinePaper, report: SiteReport, goal_ms: float | None) -> None:
    """The chart of all frames, and each frame's figures, the slowest first."""
    paper.title("Handshakes with the server frames")
    steps = report.steps
    measured = [one for one in steps if one.p99 is not None]
    if measured:
        _draw_chart(paper, report, goal_ms)
    if not measured:
        paper.line("No frame was measured in this span.")
    else:
        paper.text(
            f"Each step is {age(report.step_s)}: the largest p99 of a frame (dark), the median of all p50 (blue)."
        )
    if measured and len(measured) < len(steps):
        paper.text(
            f"No frame had a sample in {len(steps) - len(measured)} of {len(steps)} steps, {age(report.unsampled_s)} "
            "in all: hatched, and in no figure."
        )
    if goal_ms is not None and measured:
        missed = sum((one.p99 or 0.0) > goal_ms for one in measured)
        paper.text(f"Goal {goal_ms:g} ms: the slowest frame missed it in {missed} of {len(measured)} measured steps.")
    elif measured:
        paper.text("This console has no goal of handshakes: nothing is said to be fast enough.")
    sampled = [one for one in report.frames if one.span.p99 is not None]
    if sampled:
        _table(paper, ("Frame", "p50", "p95", "p99", "max", "samples", "missed"), (34, 24, 24, 24, 24, 22, 22), [
            (
                one.peer_id,
                *(milliseconds(value) for value in (one.span.p50, one.span.p95, one.span.p99, one.span.max)),
                f"{one.span.count:,}",
                f"{one.span.missed:,}",
            )
            for one in sampled[:MOST_FRAMES]
        ])  # fmt: skip
    if len(sampled) > MOST_FRAMES:
        paper.line(f"and {len(sampled) - MOST_FRAMES} more frames, none of them with a larger p99")
    silent = [one.peer_id for one in report.frames if one.span.p99 is None]
    if silent:
        paper.text(f"Without a sample in this span: {', '.join(silent)}.")


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
        page.cell(40, 3.2, f"Goal {goal_ms:g} ms")
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
            page.cell(18, 4, "no sample", align="C", fill=True)
        at = end


# --- burns, alarms, persons ------------------------------------------------------------------------------------------


def _write_burns(paper: LinePaper, report: SiteReport) -> None:
    """From the call to the proof of the last door, by system, then each burn."""
    speed = report.speed
    paper.title(f"Burns ({speed.burns}, without drills)")
    if speed.burns:
        paper.line(f"From the call to the proof. The site's deadline is {milliseconds(speed.goal_ms)}.")
        rows = [("last door of a burn", speed.last_door), *((one.kind, one) for one in speed.systems)]
        _table(
            paper,
            ("Until", "p50", "p95", "max", "in time", "open", "no proof"),
            (44, 22, 22, 22, 24, 20, 20),
            [(name, *_speed_cells(one)) for name, one in rows],
        )
        if speed.last_door.timed == 0:
            paper.text("No burn of the span has all its doors proven, so there is no time to the last door.")
    for one in report.burns:
        burn = one.burn
        drill = "DRILL: " if burn.drill else ""
        who = f"{one.name} ({burn.node_id})" if one.name else f"{burn.node_id}"
        paper.line(f"{date_time(one.at)}  {drill}{who}: {sentence_case(burn.state)}", bold=burn.state != "COMPLETE")
        by = f"ordered by {one.ordered_by}" if one.ordered_by else "who ordered it is not in what was read"
        lifted = " Taken back." if burn.lifted_at else ""
        paper.text(f"{one.doors}; {by}; {burn.scope}. {burn.reason}.{lifted} {burn.burn_id}", inset=6)
    if not report.burns:
        paper.line("Nobody was burned in this span.")
    if len(report.burns) >= MOST_BURNS:
        paper.line(f"These are the newest {len(report.burns)}; there may be more in the span.")
    elif len(report.burns) > TIMED_BURNS:
        paper.line(f"The doors of the newest {TIMED_BURNS} burns were read; all of them are in the figures above.")


def _speed_cells(one: SystemSpeed) -> tuple[str, ...]:
    return (
        *(milliseconds(value) for value in (one.p50_ms, one.p95_ms, one.max_ms)),
        f"{one.within} of {one.timed}",
        str(one.open),
        str(one.unproven),
    )


def _write_alarms(paper: LinePaper, report: SiteReport) -> None:
    """Open ones first, each with its owner and the next step."""
    open_ = sum(one.closed is None for one in report.alarms)
    paper.title(f"Alarms ({len(report.alarms)}, {open_} open now)")
    for one in report.alarms[:MOST_ALARMS]:
        paper.line(_alarm_times(one), bold=one.closed is None)
        paper.text(one.text, inset=6)
        owner = f"Owner: {one.owner}{f' ({one.note})' if one.note else ''}." if one.owner else "Nobody took it."
        step = f" Next: {one.step}." if one.closed is None and one.step else ""
        paper.text(f"{owner}{step}", inset=6)
    if not report.alarms:
        paper.line("No alarm was open in this span.")
    if len(report.alarms) > MOST_ALARMS:
        paper.line(f"and {len(report.alarms) - MOST_ALARMS} older ones, which are in the audit log")


def _alarm_times(one: ReportedAlarm) -> str:
    """When it was raised, and when it was closed."""
    raised = "before the span" if one.raised is None else date_time(one.raised)
    if one.closed is None:
        return f"{raised}  open"
    after = "" if one.raised is None else f", after {age(one.closed - one.raised)}"
    return f"{raised}  closed {date_time(one.closed)}{after}"


def _write_actors(paper: LinePaper, report: SiteReport) -> None:
    """Who acted, and what most often."""
    paper.title(f"Who acted ({len(report.actors)})")
    for one in report.actors[:MOST_ACTORS]:
        vain = f", {one.in_vain} of them refused or failed" if one.in_vain else ""
        paper.line(f"{one.name}: {one.acts:,} act{'s' * (one.acts != 1)}{vain}", bold=True)
        paper.text(f"most often: {one.most}", inset=6)
    if not report.actors:
        paper.line("Nobody but the service itself acted in this span.")
    if len(report.actors) > MOST_ACTORS:
        paper.line(f"and {len(report.actors) - MOST_ACTORS} more, who acted less")
    what = f"Counted over {report.entries_read:,} entries of the audit log"
    paper.text(
        f"{what}, the newest of the span: it has more, and older ones are not counted." if report.cut else f"{what}."
    )


def _write_proof(paper: LinePaper, report: SiteReport, name: str, sha256: str) -> None:
    """Which bytes prove which part of it."""
    paper.title("What proves it")
    if name:
        paper.text(
            f"This paper proves nothing. Of its burns and alarms {len(report.leaves)} entries of the signed audit log "
            f"lie, each with its proof, in {name} beside it, a zip whose SHA-256 is"
        )
        paper.line(sha256, inset=6)
        paper.text("Anybody checks it without asking the site: arc-console verify BUNDLE.zip --trust DIR.")
    else:
        paper.text(
            "This paper proves nothing, and no evidence bundle was made with it: the audit log has no entry of a burn "
            "or an alarm in this span, or none was asked for."
        )
    if name and report.leaves_left_out:
        paper.text(f"{report.leaves_left_out} older entries found no room in the bundle.")
    paper.text("Latencies and counts are the service's own record: no log holds them, and no signature proves them.")
    paper.line("Checkpoint of the audit log when this was read:")
    for line in report.checkpoint.split("\n\n")[0].splitlines():
        paper.line(line, inset=6)


def _table(paper: LinePaper, heads: Sequence[str], widths: Sequence[float], rows: Sequence[Sequence[str]]) -> None:
    """Columns of these widths in mm, the first one from the left, figures from the right."""
    paper.cells(heads, widths, bold=True)
    for row in rows:
        paper.cells(row, widths)
