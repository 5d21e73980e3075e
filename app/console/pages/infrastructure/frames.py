"""The frames of the infrastructure page: their table, the history of the chosen one, and its record."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from app.capabilities.infrastructure.messages import NodesQuery
from app.console.actions import Action
from app.console.clock import api_time, parse_time
from app.console.frames.board import FrameBoard
from app.console.frames.goal import GoalDialog, goal_of
from app.console.growing import page_query, read_all
from app.console.language import tr
from app.console.pages.infrastructure.view import BEING_READ, NOTHING_MEASURED, InfrastructureView
from app.console.pages.infrastructure.words import (
    SPANS,
    FrameRow,
    Span,
    frame_row,
    history_lines,
    matches,
    past_row,
    span_title,
)
from app.console.part import Host, Part
from app.console.telemetry.older_hour import RESTS_MS
from app.console.telemetry.past_frames import PastFrames, read_older
from app.console.telemetry.site_events import SiteEvents, read_events
from app.console.theme.tokens import Meaning
from app.console.widgets.chart_plot import ChartEvent
from app.registry.messages.peers import Peer


@dataclass(frozen=True)
class PastHistory:
    """The history of all frames over the span that ends at a moment of the past, or is the hour around an older one.
    That does not change any more: it is read once. ``range``: Unix times that the chart shows; ``events``: what
    happened in it."""

    moment: float
    span: Span
    past: PastFrames
    range: tuple[float, float]
    events: Sequence[ChartEvent]


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
        self._range = (0.0, 0.0)
        self._wanted = ""
        self._filter = ""
        self._ticks = 0
        self._events = SiteEvents(host.session)
        self._past: PastHistory | None = None
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
            Action("infrastructure.chart", tr("Go to the chart"), self._focus_chart, "activity", ("Alt+3",), here),
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
            return PastHistory(moment, span, past, (start, end), happened.all())
        query = NodesQuery(from_=api_time(start), to=api_time(end), step=span.step)
        found, _since = await asyncio.gather(
            self.session.client.infrastructure_nodes(query=query), self._events.read(start, end)
        )
        past = PastFrames(found)
        return PastHistory(moment, span, past, past.range, self._events.all())

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
            return PastHistory(moment, self._span, older, hour, () if happened is None else happened.all())
        past = self._past
        fits = past is not None and past.moment == self.board.moment and past.span is self._span
        return past if fits else None

    async def _read_peers(self) -> dict[str, Peer]:
        client = self.session.client
        peers = await read_all(lambda cursor: client.registry_list_peers(query=page_query(cursor)))
        return {peer.peer_id: peer for peer in peers}

    # --- painting ----------------------------------------------------------------------------------------------------

    def paint_all(self) -> None:
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
        self._paint_rows()
        self._paint_inspector()
        if self.board.is_older and self._then() is None:
            # A service that is asked may have fallen silent meanwhile.
            self._paint_history()

    def _paint_rows(self) -> None:
        """The rows that the filter leaves, sorted by group, and how old they are."""
        board, live = self.board, self.session.live
        now = live.now()
        past = board.moment is not None
        if past:
            rows = self._past_rows()
        else:
            rows = [
                frame_row(frame, board.standing(frame.peer_id), live.latency.get(frame.peer_id), now)
                for frame in board.frames.values()
            ]
        rows.sort(key=lambda row: (row.group, row.peer_id))
        shown = [row for row in rows if matches(row, self._filter)]
        wanted = self._wanted or self.chosen or (shown[0].peer_id if shown else "")
        if self._wanted in board.frames:
            self._wanted = ""
        self.view.show_rows(shown, len(rows), wanted)
        # What was is not growing old.
        stale = "" if past else board.stale_since() or self.fresh.words()
        state, why = board.asked.lacks if board.is_older else (Meaning.IDLE, stale)
        self.mark.setVisible(bool(why))
        if why:
            self.mark.set(state, board.asked.word if board.is_older else why)
        self.mark.setToolTip(why)

    def _past_rows(self) -> list[FrameRow]:
        """The frames that are registered now, each as it was at the moment shown."""
        board, then = self.board, self._then()
        made = []
        for peer_id, frame in board.frames.items():
            known = then.past.frames.get(peer_id) if then is not None else None
            span = known.span if known is not None else None
            made.append(past_row(frame, board.past_standing(peer_id), board.past_latency(peer_id), span))
        return made

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
        """The chart of the chosen frame."""
        view, moment, then = self.view, self.board.moment, self._then()
        frame = self.board.frames.get(self.chosen)
        title = tr("Handshake history") if frame is None else tr("Handshake history of {peer}", peer=frame.peer_id)
        older = self.board.is_older
        if older and frame is not None:
            # With its day and its step the moment takes the room: the frame alone is named before it.
            title = frame.peer_id
        title = f"{title}, {span_title(self._span, self.session.shown_time.clock, older=older)}"
        if older and then is not None:
            title = tr("{title}, in steps of {step}", title=title, step=then.past.step_words)
        view.chart_title.setText(title)
        if moment is not None and frame is not None:
            frame = then.past.frames.get(frame.peer_id) if then is not None else None
        step = float(self._span.step) if then is None else float(then.past.step_s)
        lines = {} if frame is None else history_lines(frame.history, step)
        view.chart_empty.say(*self._empty_words(unread=moment is not None and then is None))
        view.chart_stack.setCurrentWidget(view.chart if lines else view.chart_empty)
        if lines:
            start, end = self._range if then is None else then.range
            view.chart.set_data(lines, start=start, end=end, step=step, holds=True)
            happened = self._events.all() if then is None else then.events
            view.chart.set_events([*happened, *self.board.moment_mark()])
            view.chart.set_goal(goal_of(self.session.preferences))

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
