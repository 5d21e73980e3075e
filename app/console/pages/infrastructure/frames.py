"""The frames of the infrastructure page: tiles, the chart that they choose, what a selection says, and the table."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from app.capabilities.infrastructure.messages import NodesQuery
from app.console.actions import Action
from app.console.frames.board import FrameBoard
from app.console.frames.goal import GoalDialog, goal_of
from app.console.growing import page_query, read_all
from app.console.language import tr
from app.console.moments import api_time, parse_time
from app.console.pages.infrastructure.courses import Courses
from app.console.pages.infrastructure.history import history_name, history_of
from app.console.pages.infrastructure.selection_words import (
    around,
    change_detail,
    change_of,
    change_sentence,
    changes_of,
    phase_changes,
    phase_note,
    selected_words,
    sharpen,
)
from app.console.pages.infrastructure.tile_words import Measure
from app.console.pages.infrastructure.tiles import Minutes, live_faces, past_faces, probed_frames
from app.console.pages.infrastructure.view import BEING_READ, NOTHING_MEASURED, InfrastructureView
from app.console.pages.infrastructure.words import (
    SPANS,
    FrameRow,
    Span,
    fold,
    fold_words,
    frame_row,
    matches,
    past_row,
    span_title,
    worst_first,
)
from app.console.part import Host, Part
from app.console.telemetry.older_hour import RESTS_MS
from app.console.telemetry.past_frames import PastFrames, read_older
from app.console.telemetry.site_events import SiteEvents, read_events
from app.console.theme.tokens import Meaning
from app.console.widgets.chart_plot import ChartEvent
from app.console.widgets.desk import desk_of
from app.console.widgets.table_cells import Course
from app.registry.messages.peers import Peer


@dataclass(frozen=True)
class PastHistory:
    """The history of all frames over the span that ends at a moment of the past, or is the hour around an older one.
    That does not change any more: it is read once. ``range``: Unix times that the chart shows; ``events``: what
    happened in it."""

    moment: float
    span: Span
    courses: Courses
    range: tuple[float, float]
    events: Sequence[ChartEvent]

    @property
    def past(self) -> PastFrames:
        """What the service answered."""
        return self.courses.past


TILES_EVERY = 10
"""Ticks of 100 ms between two paints of the tiles."""


class FrameTable(Part):
    """Reads the history of all frames over the chosen span, and the rows by which they are probed; shows them beside
    what is live."""

    every_s = 5.0
    kinds = frozenset({"peers"})

    def __init__(self, host: Host, view: InfrastructureView) -> None:
        super().__init__(host, view.mark)
        self.view: InfrastructureView = view
        self.board = FrameBoard(host.session)
        self.board.age = self.fresh
        self.peers: dict[str, Peer] = {}
        """As last read, by ``peer_id``."""
        self.chosen = ""
        """``peer_id`` of the frame under the cursor; a filter that hides it does not change it."""
        self._span: Span = SPANS[0]
        self._known: Courses | None = None
        """Of the span that was read last."""
        self._range = (0.0, 0.0)
        self._wanted = ""
        self._filter = ""
        self._ticks = 0
        self._events = SiteEvents(host.session)
        self._minutes = Minutes(np.zeros(0), np.zeros(0))
        """As of the last reading: they are of a whole hour of all frames."""
        self._drawn: tuple[Courses | None, float | None, Mapping[str, Course]] = (None, None, {})
        self._past: PastHistory | None = None
        self._hour: PastHistory | None = None
        """That of the hour around an older moment, which the window has asked for."""
        # A hand that drags passes many moments: the service is asked for the one on which it rests.
        self._rest = QTimer(view)
        self._rest.setSingleShot(True)
        self._rest.setInterval(RESTS_MS)
        self._rest.timeout.connect(self.read_now)
        host.session.shown_time.changed.connect(self._take_moment)
        self.board.asked.changed.connect(self._take_hour)
        host.session.older_events.changed.connect(self._take_hour)
        view.chosen.connect(self._choose)
        view.filtered.connect(self._set_filter)
        view.span_chosen.connect(self._set_span)
        view.tiles.chosen.connect(lambda _measure: self._paint_history())
        view.table.marked.connect(lambda _count: self._paint_history())
        view.folded.room_changed.connect(self._follow_room)
        view.folded.fold.toggled.connect(lambda _on: self._follow_room())
        view.table.head.sortIndicatorChanged.connect(lambda _at, _order: self._follow_room())
        view.chart.range.changed.connect(self._paint_selection)

    @property
    def peer(self) -> Peer | None:
        """The peer of the frame under the cursor."""
        return self.peers.get(self.chosen)

    def want(self, peer_id: str) -> None:
        """Bring the cursor to that frame as soon as it is listed."""
        self._wanted = peer_id

    def forget(self, peer_id: str) -> None:
        """The peer was deleted: the cursor is on nothing if it was on it."""
        if self.chosen == peer_id:
            self.chosen = ""

    def actions(self) -> Sequence[Action]:
        here, view = "infrastructure", self.view
        return [
            Action("infrastructure.table", tr("Go to the frames"), view.table.setFocus, "table-2", ("Alt+1",), here),
            Action("infrastructure.span", tr("Choose the span"), view.spans.setFocus, "clock", ("Alt+2",), here),
            Action("infrastructure.tiles", tr("Go to the tiles"), self._focus_tiles, "gauge", ("Alt+5",), here),
            Action(
                "infrastructure.all",
                tr("All frames or the worst"),
                view.folded.fold.toggle,
                "list",
                ("Ctrl+Shift+A",),
                here,
                when=lambda: bool(self.board.frames),
                hint=tr("Lists every frame, or folds the operational ones into one row."),
            ),
            Action("infrastructure.chart", tr("Go to the chart"), self._focus_chart, "activity", ("Alt+3",), here),
            Action(
                "infrastructure.bundle",
                tr("Evidence of what happened around it"),
                self._save_bundle,
                "package",
                (),
                here,
                when=lambda: bool(view.selection.traces),
                hint=tr("A signed bundle of the entries of the audit log that tell of it."),
            ),
            Action(
                "infrastructure.goal",
                tr("Goal of handshakes"),
                lambda: GoalDialog(view.window(), self.session.preferences).open(),
                "gauge",
                ("Alt+4",),
                here,
                hint=tr("What the p99 of a minute should stay under: charts draw it, tiles say whether it was kept."),
            ),
        ]

    def _focus_chart(self) -> None:
        self.view.chart.plot.setFocus()

    def _save_bundle(self) -> None:
        """What the audit log tells of the time around the selection."""
        panel = self.view.selection
        desk, traces = desk_of(panel), panel.traces
        if desk is not None and traces:
            desk.save_evidence(panel.title.text(), traces, len(traces))

    def _focus_tiles(self) -> None:
        tiles = self.view.tiles
        tiles.tiles[tiles.measure].setFocus()

    def filter_field(self) -> QWidget:
        return self.view.filter

    def first_control(self) -> QWidget:
        return self.view.table

    # --- reading -----------------------------------------------------------------------------------------------------

    def take(self, arguments: Mapping[str, str]) -> None:
        if arguments.get("peer_id"):
            self.want(arguments["peer_id"])
            self.view.filter.clear()

    async def begin(self, arguments: Mapping[str, str]) -> None:
        del arguments
        self._read_events()

    def _read_events(self) -> None:
        """What happened in the span, beside what is being read of the frames."""
        end = self.session.live.now()
        self.host.spawn(self._events.read(end - self._span.seconds, end), name="events of the span")

    async def read(self) -> None:
        span = self._span
        listed, self.peers = await asyncio.gather(self.board.read(span.seconds, span.step), self._read_peers())
        self._known = await self._courses_of(await asyncio.to_thread(PastFrames, listed))
        self._range = (parse_time(listed.from_), parse_time(listed.to))
        moment = self.board.moment
        if moment is not None and not self._shows_hour and self._then() is None:
            self._past = await self._read_past(moment, self._span)

    async def _read_past(self, moment: float, span: Span) -> PastHistory:
        """What the service knows of the span that ends at ``moment``, and what happened in it. The rings of this window
        have no percentiles of what it did not hear, and reach back an hour."""
        # The whole second that the clock names: the rings have no finer step.
        end = math.floor(moment) + 1.0
        start = end - span.seconds
        if self.board.is_older:
            past, happened = await asyncio.gather(
                read_older(self.session, start, end, span.step),
                read_events(self.session, start, end, contained=False),
            )
            # Steps that are kept may go on after the moment; what happened then was not asked for.
            return PastHistory(moment, span, await self._courses_of(past), (start, end), happened.all())
        query = NodesQuery(from_=api_time(start), to=api_time(end), step=span.step)
        found, _since = await asyncio.gather(
            self.session.client.infrastructure_nodes(query=query), self._events.read(start, end)
        )
        past = PastFrames(found)
        return PastHistory(moment, span, await self._courses_of(past), past.range, self._events.all())

    async def _courses_of(self, past: PastFrames) -> Courses:
        """Their arrays, off the GUI thread: many frames have many points."""
        peer_ids = list(self.board.frames)
        return await asyncio.to_thread(Courses, past, peer_ids)

    @property
    def _shows_hour(self) -> bool:
        """Whether the span is the hour around an older moment, which the window has asked for."""
        return self.board.is_older and bool(self._span.around)

    def _then(self) -> PastHistory | None:
        """The history to the moment that is shown, or around it; None before it was read."""
        hour, older, moment = self.session.shown_time.hour, self.board.older, self.board.moment
        if self._shows_hour:
            if hour is None or older is None or moment is None:
                return None
            happened = self.session.older_events.answer
            events = () if happened is None else happened.all()
            known = self._hour
            if known is None or known.past is not older or list(known.events) != list(events):
                courses = known.courses if known is not None and known.past is older else None
                known = PastHistory(
                    moment, self._span, courses or Courses(older, list(self.board.frames)), hour, events
                )
                self._hour = known
            return known
        past = self._past
        fits = past is not None and past.moment == self.board.moment and past.span is self._span
        return past if fits else None

    async def _read_peers(self) -> dict[str, Peer]:
        client = self.session.client
        peers = await read_all(lambda cursor: client.registry_list_peers(query=page_query(cursor)))
        return {peer.peer_id: peer for peer in peers}

    # --- painting ----------------------------------------------------------------------------------------------------

    def paint_all(self) -> None:
        if self.board.moment is None:
            self._minutes = Minutes.of(self.board)
        self._paint_tiles()
        self._paint_rows()
        self._paint_history()

    def paint(self) -> None:
        self._ticks += 1
        if self._ticks % 5:
            return
        if self.board.unknown or (self.board.behind and self._ticks % 10 == 0):
            self.board.unknown = False
            self.read_now()
        if self.fresh.since is None:
            return
        if self._ticks % TILES_EVERY == 0:
            self._paint_tiles()
        self._paint_rows()
        self._paint_inspector()
        if self.board.is_older and self._then() is None:
            # A service that is asked may have fallen silent meanwhile.
            self._paint_history()

    @property
    def _goal(self) -> float | None:
        return goal_of(self.session.preferences)

    def _courses(self) -> Courses | None:
        """Those of what is shown; None before they were read."""
        if self.board.moment is None:
            return self._known
        then = self._then()
        return None if then is None else then.courses

    def _paint_tiles(self) -> None:
        """The five figures; those of a silent service stay, and are idle."""
        board, tiles = self.board, self.view.tiles
        if board.moment is not None:
            for measure, face in past_faces(board, self._courses()).items():
                tiles.show_face(measure, face)
            return
        stale = board.stale_since()
        now = self.session.live.now()
        for measure, face in live_faces(board, self._known, self._minutes, self._goal, now).items():
            tiles.show_face(measure, face, stale if board.frames else "")

    def _paint_rows(self) -> None:
        """The rows that the filter leaves, the worst first, and how old they are. Without a filter the operational ones
        are one row below."""
        board, live, view = self.board, self.session.live, self.view
        now = live.now()
        past = board.moment is not None
        if past:
            rows = self._past_rows()
        else:
            cells = self._cells()
            rows = [
                frame_row(
                    frame,
                    board.standing(frame.peer_id),
                    live.latency.get(frame.peer_id),
                    now,
                    cells.get(frame.peer_id),
                )
                for frame in board.frames.values()
            ]
        rows = worst_first(rows)
        found = [row for row in rows if matches(row, self._filter)]
        wanted = self._wanted or self.chosen or (found[0].peer_id if found else "")
        shown: list[FrameRow] = found
        below: list[FrameRow] = []
        # Who sorts by a column wants all of it.
        if not self._filter.strip() and view.rows.sorted_by < 0:
            kept = {wanted, *view.rows.marked}
            shown, below = fold(found, view.folded.room(folded=True), kept, self._goal)
            if len(found) <= view.folded.room(folded=False):
                shown, below = found, []
        if below:
            view.folded.fold.show_words(*fold_words(below, past=past))
            if view.folded.fold.isChecked():
                shown = found
        view.folded.show_fold(bool(below))
        if self._wanted in board.frames:
            self._wanted = ""
        view.show_rows(shown, len(rows), len(found), wanted)
        # What was is not growing old.
        stale = "" if past else board.stale_since() or self.fresh.words()
        state, why = board.asked.lacks if board.is_older else (Meaning.IDLE, stale)
        self.mark.setVisible(bool(why))
        if why:
            self.mark.set(state, board.asked.word if board.is_older else why)
        self.mark.setToolTip(why)

    def _cells(self) -> Mapping[str, Course]:
        """The courses that the table draws; made once for each reading and each goal."""
        courses = self._courses()
        if courses is None:
            return {}
        known, goal, cells = self._drawn
        if known is not courses or goal != self._goal:
            cells = courses.cells(self._goal)
            self._drawn = (courses, self._goal, cells)
        return cells

    def _past_rows(self) -> list[FrameRow]:
        """The frames that are registered now, each as it was at the moment shown."""
        board, then, cells = self.board, self._then(), self._cells()
        made = []
        for peer_id, frame in board.frames.items():
            known = then.past.frames.get(peer_id) if then is not None else None
            span = known.span if known is not None else None
            standing, latency = board.past_standing(peer_id), board.past_latency(peer_id)
            made.append(past_row(frame, standing, latency, span, cells.get(peer_id)))
        return made

    def _follow_room(self) -> None:
        """Another number of rows has room, or the folded ones are listed."""
        if self.board.frames:
            self._paint_rows()

    def _paint_inspector(self) -> None:
        board, live = self.board, self.session.live
        if board.moment is not None:
            return  # the view says that it is known of now alone
        frame, record = board.frames.get(self.chosen), live.frames.get(self.chosen)
        if frame is None or record is None:
            self.view.inspector.show_nothing()
        else:
            self.view.inspector.show_frame(
                frame, board.shown_record(frame, record), board.standing(self.chosen), live.now()
            )

    def _paint_history(self) -> None:
        """The chart that the chosen tile names."""
        view, board, moment, then = self.view, self.board, self.board.moment, self._then()
        measure, courses = view.tiles.measure, self._courses()
        chosen = self.chosen if self.chosen in board.frames else ""
        shown = None
        if courses is not None:
            compared = [one for one in view.rows.marked if one != chosen]
            shown = history_of(measure, courses, chosen, probed_frames(board), compared)
        of_frames = measure in (Measure.OPERATIONAL, Measure.MISSED)
        name = history_name(measure, chosen)
        older = board.is_older
        if older and chosen and not of_frames:
            # With its day and its step the moment takes the room: the frame alone is named before it.
            name = chosen
        title = f"{name}, {span_title(self._span, self.session.shown_time.clock, older=older)}"
        if older and then is not None:
            title = tr("{title}, in steps of {step}", title=title, step=then.past.step_words)
        view.chart_title.setText(title)
        if measure is Measure.CERTIFICATES:
            view.chart_note.setText(tr("no history of certificates"))
        else:
            compares = measure in (Measure.P50, Measure.P99) and bool(chosen) and not view.rows.marked
            hint = tr("Mark frames to compare")
            view.chart_note.setText(hint if compares and moment is None else "")
        view.chart_empty.say(*self._empty_words(unread=moment is not None and then is None))
        view.chart_stack.setCurrentWidget(view.chart if shown is not None else view.chart_empty)
        if shown is not None and courses is not None:
            start, end = self._range if then is None else then.range
            view.chart.set_series(shown.series, shown.unit, counts=shown.counts)
            view.chart.set_data(shown.lines, start=start, end=end, step=courses.step, holds=True)
            view.chart.set_events([*self._chart_events(), *board.moment_mark()])
            view.chart.set_goal(self._goal if measure in (Measure.P99, Measure.CERTIFICATES) else None)
        self._paint_selection()

    def _chart_events(self) -> Sequence[ChartEvent]:
        """What the chart marks."""
        then = self._then()
        return self._events.all() if then is None else then.events

    def _paint_selection(self) -> None:
        """What the selection on the chart says of the chosen frame, in the place of its record."""
        view, courses, live = self.view, self._courses(), self.session.live
        selected = view.chart.range.selection
        shown = selected is not None and courses is not None and self.chosen in self.board.frames
        if shown == view.selection.isHidden():
            view.show_selected(shown)
            self.session.actions.refresh()
        if not shown or selected is None or courses is None:
            return
        step, chosen = courses.step, self.chosen
        change = change_of(courses.starts, courses.one(courses.p50, chosen), step, selected)
        if change.at is not None and self.board.moment is None:
            change = sharpen(change, *self.board.seconds_of(chosen, change.at, change.at + step))
        others = changes_of(courses.starts, courses.others(courses.p50, chosen), step, selected)
        before = live.phases.between(chosen, courses.starts[0], selected[0])
        inside = live.phases.between(chosen, *selected)
        view.selection.show_change(
            selected_words(selected, step),
            change_sentence(chosen, change, step),
            change_detail(change, others),
            phase_changes(before, inside),
            phase_note(before, inside),
        )
        view.selection.show_around(around(self._chart_events(), selected))
        self.session.actions.refresh()

    def _empty_words(self, *, unread: bool) -> tuple[str, str]:
        """What stands in the chart's place, and what to do."""
        if not unread:
            return NOTHING_MEASURED
        state, why = self.board.asked.lacks if self.board.is_older else (Meaning.WORK, "")
        return (why, "") if state is Meaning.IDLE else BEING_READ

    # --- hands -------------------------------------------------------------------------------------------------------

    def _choose(self, peer_id: str) -> None:
        # A filter that hides the chosen frame does not forget it: its history stays on the screen.
        if peer_id and peer_id != self.chosen:
            self.chosen = peer_id
            self._paint_history()
            self._paint_inspector()
            self.session.actions.refresh()

    def _set_filter(self, text: str) -> None:
        self._filter = text
        self._paint_rows()

    def _set_span(self, span: object) -> None:
        if isinstance(span, Span):
            self._span = span
            self.view.chart.range.zoom_to(None)
            self._read_events()
            self.read_now()
            if self.board.moment is not None:
                self.paint_all()

    def _take_moment(self) -> None:
        """Another moment is shown, or now again. At once: nothing of one moment stands beside the name of another."""
        at = self.session.shown_time.at
        self.board.moment = at
        self.view.show_past(self.session.shown_time.clock, older=self.board.is_older)
        self.view.chart.range.zoom_to(None)
        if self.board.frames:
            self.paint_all()
            self._paint_inspector()
        if at is None or self._shows_hour:
            self._rest.stop()
        else:
            self._rest.start()

    def _take_hour(self) -> None:
        """The service answered of an older hour, or did not."""
        if self.board.is_older and self.board.frames:
            self.paint_all()
