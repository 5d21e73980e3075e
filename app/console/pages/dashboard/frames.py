"""The frames of the dashboard: all of them at a glance, their latency, and the record of the chosen one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from PySide6.QtWidgets import QWidget

from app.capabilities.infrastructure.messages import StatusRecord
from app.console.actions import Action
from app.console.frames.board import GRID_SECONDS, MINUTE, FrameBoard
from app.console.frames.goal import GoalDialog, goal_of
from app.console.frames.groups import caption, group_of
from app.console.frames.panel import NO_RECORD, NOTHING_CHOSEN
from app.console.frames.standing import frames_foot
from app.console.language import local_figure, number, tr
from app.console.pages.dashboard.frames_view import CHART, ListedFrame
from app.console.pages.dashboard.opening import has_page, open_page
from app.console.pages.dashboard.view import DashboardView
from app.console.part import Host, Part
from app.console.telemetry.live import Listener, LiveEvent
from app.console.telemetry.site_events import SiteEvents
from app.console.theme.tokens import Meaning
from app.console.widgets.kpi import goal_foot

TREND_S = 10
"""Seconds of a point of a tile's line."""


class FramesPart(Part):
    """Reads the registered frames; how they are now comes by the stream."""

    every_s = 5.0
    kinds = frozenset({"peers"})

    def __init__(self, host: Host, view: DashboardView) -> None:
        super().__init__(host)
        self.view: QWidget = view.frames
        self.board = FrameBoard(host.session)
        self._page = view
        self._chosen = ""
        self._ticks = 0
        self._dirty = True
        self._events = SiteEvents(host.session)
        host.session.shown_time.changed.connect(self._take_moment)
        self.board.asked.changed.connect(self._take_hour)
        host.session.older_events.changed.connect(self._take_hour)
        view.frames.chosen.connect(self._choose)
        view.frames.opened.connect(self._open)
        view.record_left.connect(self._leave_record)

    def actions(self) -> Sequence[Action]:
        here = "dashboard"
        return [
            Action(
                "dashboard.list", tr("Grid or list"), self._switch, "list", ("Ctrl+Shift+L",), here,
                when=lambda: bool(self.board.frames),
            ),
            Action(
                "dashboard.all", tr("Chart all frames"), self._chart_all, "activity", ("Ctrl+Shift+A",), here,
                when=lambda: bool(self.board.frames),
            ),
            Action(
                "dashboard.chart", tr("Chart of handshakes"), lambda: self._page.frames.show_view(CHART), "activity",
                ("Ctrl+Shift+H",), here, when=lambda: bool(self.board.frames),
                hint=tr("Of the chosen frame, or of all; Ctrl+Shift+L brings the frames back."),
            ),
            Action(
                "dashboard.close_frame", tr("Close the frame's record"), self._choose_none, "x", ("Ctrl+W",), here,
                when=lambda: bool(self._chosen), hint=tr("At the doors comes back in its place. Esc does the same."),
            ),
            Action(
                "dashboard.frame", tr("Open the chosen frame"), lambda: self._open(self._chosen), "server",
                ("Ctrl+Return",), here, when=lambda: bool(self._chosen) and self._has_infrastructure(),
            ),
            Action(
                "dashboard.goal", tr("Goal of handshakes"),
                lambda: GoalDialog(self._page.window(), self.session.preferences).open(), "gauge", (), here,
                hint=tr(
                    "What the p99 of a minute should stay under: charts draw it, tiles say whether it was "
                    "kept."),
            ),
            Action(
                "dashboard.register", tr("Register a peer"),
                lambda: open_page(self.session, "infrastructure", {"do": "register"}), "plus", ("Ctrl+N",), here,
                when=self._has_infrastructure,
            ),
        ]  # fmt: skip

    def _has_infrastructure(self) -> bool:
        return has_page(self.session, "infrastructure")

    def first_control(self) -> QWidget:
        frames = self._page.frames
        return frames.list if frames.lists else frames.grid

    def resume(self) -> None:
        super().resume()
        self._dirty = True

    def listeners(self) -> Mapping[str, Listener]:
        return {"handshake": self._mark_dirty, "status": self._mark_dirty}

    def _take_moment(self) -> None:
        """Another moment is shown, or now again."""
        at = self.session.shown_time.at
        self.board.moment = at
        self._page.show_past(self.session.shown_time.clock, older=self.board.is_older)
        # A frame's record is known of now alone.
        self._page.inspector.show_nothing(NOTHING_CHOSEN if at is None else NO_RECORD)
        self._take_hour()

    def _take_hour(self) -> None:
        """The service answered of an older hour, or another one is shown."""
        self._dirty = True
        # The next paint takes the chart, too: tiles of one moment never stand above a chart of another.
        self._ticks = -1

    def _mark_dirty(self, _events: Sequence[LiveEvent]) -> None:
        self._dirty = True

    async def begin(self, arguments: Mapping[str, str]) -> None:
        del arguments
        end = self.session.live.now()
        self.host.spawn(self._events.read(end - GRID_SECONDS, end), name="events of the charts")

    async def read(self) -> None:
        await self.board.read()

    # --- painting ----------------------------------------------------------------------------------------------------

    def paint_all(self) -> None:
        self._dirty = True

    def paint(self) -> None:
        self._ticks += 1
        # States turn stale by the clock alone, without any event: look twice a second, and whenever something came.
        second = self._ticks % 5 == 0
        if not (self._dirty or second):
            return
        self._paint_frames()
        if self._ticks % 2 == 0 or second:
            self._paint_chart()
        self._paint_tiles()
        self._paint_inspector()
        self._dirty = False
        if self.board.unknown or (self.board.behind and self._ticks % 10 == 0):
            self.board.unknown = False
            self.read_now()

    def _paint_frames(self) -> None:
        """The grid, or the list; how to register a frame when there is none."""
        view, board = self._page.frames, self.board
        if not board.frames:
            # Nothing is taught before the list was read: it may be long.
            if board.age.since is not None:
                view.show_any(False)
            return
        view.show_any(True)
        past = board.moment is not None
        nodes = board.past_nodes() if past else board.grid_nodes()
        view.grid.set_nodes(nodes)
        groups: dict[str, int] = {}
        for node in nodes:
            groups[node.group] = groups.get(node.group, 0) + 1
        view.fit_names(list(groups.values()))
        view.grid.set_values(board.values(GRID_SECONDS))
        stale = "" if past else board.stale_since()
        state, why = board.asked.lacks if board.is_older else (Meaning.IDLE, stale)
        view.stale_mark.setVisible(bool(why))
        if why:
            view.stale_mark.set(state, why)
        if view.list_shown:
            live = self.session.live
            view.listed.set_rows(
                [
                    ListedFrame(
                        node.id,
                        caption(group_of(node.id)),
                        node.state,
                        node.word,
                        "" if past else latency_words(live.frames.get(node.id)),
                        board.past_standing(node.id).hint if past else board.standing(node.id).hint,
                    )
                    for node in nodes
                ]
            )

    def _paint_chart(self) -> None:
        """The handshakes of the chosen frame, or the percentiles of all."""
        view, board = self._page.latency, self.board
        if board.is_older:
            self._paint_older_chart()
            return
        view.note.hide()
        end = self.session.live.now() if board.moment is None else board.newest()
        start = end - GRID_SECONDS
        if self._chosen in board.frames:
            x, y = board.line(self._chosen, GRID_SECONDS)
            step = max(self.session.live.probe_interval_s, 1.0)  # the rings have one value a second
            view.one_chart.set_data({"Handshake": (x, y)}, start=start, end=end, step=step)
            view.one_chart.set_events(self._events.all())
            view.one_chart.set_goal(goal_of(self.session.preferences))
            view.title.setText(tr("Latency of {frame}", frame=self._chosen))
            view.stack.setCurrentWidget(view.one_chart)
            return
        if board.frames:
            x, half, high = board.all_lines(GRID_SECONDS)
            view.all_chart.set_data({"p50": (x, half), "p99": (x, high)}, start=start, end=end, step=1.0)
            view.all_chart.set_events(self._events.all())
            view.all_chart.set_goal(goal_of(self.session.preferences))
        view.title.setText(tr("Latency of all frames"))
        view.stack.setCurrentWidget(view.all_chart)

    def _paint_older_chart(self) -> None:
        """The hour around an older moment: medians of the chosen frame, or of all, in the steps that are kept."""
        view, board, older, hour = self._page.latency, self.board, self.board.older, self.session.shown_time.hour
        one = self._chosen in board.frames
        view.title.setText(tr("Latency of {frame}", frame=self._chosen) if one else tr("Latency of all frames"))
        view.note.setVisible(older is not None)
        if older is None or hour is None:
            view.unread.setText(board.asked.lacks[1])
            view.stack.setCurrentWidget(view.unread)
            return
        if one:
            chart, lines = view.one_chart, {"Handshake": board.line(self._chosen, GRID_SECONDS)}
            view.note.setText(tr("Medians, each of {step}.", step=older.step_words))
        else:
            x, half, high = board.all_lines(GRID_SECONDS)
            chart, lines = view.all_chart, {"p50": (x, half), "p99": (x, high)}
            view.note.setText(tr("Middle p50 and highest p99 of the frames, each of {step}.", step=older.step_words))
        # No more than the hour: of what happened before and after it nothing is known here.
        chart.set_data(lines, start=hour[0], end=hour[1], step=float(older.step_s), holds=True)
        events = self.session.older_events.answer
        chart.set_events([*(events.all() if events is not None else ()), *board.moment_mark()])
        chart.set_goal(goal_of(self.session.preferences))
        view.stack.setCurrentWidget(chart)

    def _paint_tiles(self) -> None:
        """How many frames are operational, and how fast they answered in the last minute."""
        frames, latency, board = self._page.frames_tile, self._page.latency_tile, self.board
        total = len(board.frames)
        if total and board.moment is not None:
            self._paint_past_tiles(total)
        elif stale := board.stale_since():
            # The last value stays, but it is no longer said to be so: frames turn stale one after the other.
            records = self.session.live.frames
            known = sum(records[peer].status == "OPERATIONAL" for peer in board.frames if peer in records)
            frames.set(str(known), unit=tr("of {count}", count=total))
            frames.set_stale(stale)
            latency.set_stale(stale)
        elif total:
            counts = board.counts()
            state, word, below = frames_foot(counts)
            answering = counts.get(tr("Operational"), 0)
            frames.set(str(answering), below, state, word, goal=True, unit=tr("of {count}", count=total))
            frames.set_trend(board.count_answers(GRID_SECONDS, TREND_S))
            _, high, count = board.minute()
            if high is None:
                latency.set("–", tr("no handshake in the last minute"), Meaning.IDLE, tr("Unknown"), unit="")
            else:
                goal, value = goal_of(self.session.preferences), number(high, ".1f")
                if goal is None:
                    latency.set(value, tr("{count:,} handshakes in the last minute", count=count), unit="ms")
                else:
                    minutes = board.high(GRID_SECONDS, MINUTE)
                    minutes = minutes[np.isfinite(minutes)]
                    foot = goal_foot(goal, "ms", int((minutes > goal).sum()), len(minutes), tr("min"))
                    latency.set(value, "", *foot, goal=True, unit="ms")
                latency.set_trend(board.high(GRID_SECONDS, TREND_S), goal)
        elif board.age.since is not None:
            frames.set("0", tr("no frame is registered"), unit="")
            latency.set("–", tr("no frame is registered"), unit="")

    def _paint_past_tiles(self, total: int) -> None:
        """How many frames answered at the moment shown, and how fast they did in the minute to it."""
        frames, latency, board = self._page.frames_tile, self._page.latency_tile, self.board
        state, why = board.asked.lacks if board.is_older else (Meaning.OK, "")
        if why:
            for tile in (frames, latency):
                tile.set("–", "", state, board.asked.word, unit="")
                tile.set_trend(np.zeros(0))
            return
        states = [one.state for one in board.past_nodes()]
        answered = sum(one in (Meaning.OK, Meaning.WARN) for one in states)
        if answered or Meaning.BAD in states:
            # Of those nobody knows whether they answered.
            unknown = states.count(Meaning.IDLE)
            said = tr("{count:,} without a sample", count=unknown) if unknown else tr("of the frames registered now")
            frames.set(str(answered), said, unit=tr("of {count}", count=total))
        else:
            # That nothing is known does not say that none answered.
            frames.set("–", tr("no handshake is known of that moment"), Meaning.IDLE, tr("Unknown"), unit="")
        frames.set_trend(board.count_answers(GRID_SECONDS, TREND_S))
        if board.older is not None:
            _, high = board.past_percentiles()
            if high is None:
                latency.set("–", tr("no handshake is known of that moment"), Meaning.IDLE, tr("Unknown"), unit="")
            else:
                latency.set(
                    number(high, ".1f"), tr("highest of the frames, {step}", step=board.older.step_words), unit="ms"
                )
            latency.set_trend(board.high(GRID_SECONDS, TREND_S), goal_of(self.session.preferences))
            return
        _, high, count = board.minute()
        if high is None:
            known = np.isfinite(board.values(MINUTE)).any()
            said = tr("medians alone are known of it") if known else tr("no handshake is known of that minute")
            latency.set("–", said, Meaning.IDLE, tr("Unknown"), unit="")
        else:
            latency.set(number(high, ".1f"), tr("{count:,} handshakes in the minute to it", count=count), unit="ms")
        latency.set_trend(board.high(GRID_SECONDS, TREND_S), goal_of(self.session.preferences))

    def _paint_inspector(self) -> None:
        board, live = self.board, self.session.live
        if board.moment is not None:
            return
        frame, record = board.frames.get(self._chosen), live.frames.get(self._chosen)
        if frame is None or record is None:
            self._page.inspector.show_nothing()
        else:
            standing = board.standing(self._chosen)
            self._page.inspector.show_frame(frame, board.shown_record(frame, record), standing, live.now())

    # --- hands -------------------------------------------------------------------------------------------------------

    def _open(self, peer_id: str) -> None:
        open_page(self.session, "infrastructure", {"peer_id": peer_id})

    def _choose(self, peer_id: str) -> None:
        if peer_id != self._chosen:
            self._chosen = peer_id
            self._page.show_record(bool(peer_id))
            self._paint_chart()
            self._paint_inspector()
            self.session.actions.refresh()

    def close_record(self) -> None:
        """Give the place of the record back to who is at the doors, where it stands in that place."""
        if not self._page.third:
            self._choose_none()

    def _leave_record(self) -> None:
        """Esc: close the record. Hands that were in it go to the frames."""
        hands = self._page.focusWidget()
        inside = hands is not None and self._page.inspector.isAncestorOf(hands)
        self._choose_none()
        if inside:
            self._page.frames.focus_list()

    def _choose_none(self) -> None:
        self._page.frames.list.clearSelection()
        self._page.frames.grid.set_current("")
        self._choose("")

    def _chart_all(self) -> None:
        self._choose_none()
        self._page.frames.show_view(CHART)

    def _switch(self) -> None:
        """From the chart back to the frames; else from grid to list, and back."""
        view = self._page.frames
        view.show_list(view.lists if view.charts else not view.lists)
        self._paint_frames()
        view.focus_list()


def latency_words(record: StatusRecord | None) -> str:
    """The latest handshake; a dash for a frame that none is known of."""
    return "–" if record is None or record.measured_at is None else local_figure(record.handshake_latency)
