"""Brings the dashboard to life: reads what is not in the stream, paints what is, opens what a row is about."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

import msgspec
from PySide6.QtWidgets import QWidget

from app.api.wire import ListQuery
from app.capabilities.burn.messages import Burn, BurnEvent, BurnListQuery
from app.console.actions import Action, Effect
from app.console.clock import Freshness
from app.console.failures import failure_of
from app.console.frames import GRID_SECONDS, FrameBoard, caption, group_of
from app.console.growing import read_all
from app.console.live import LiveEvent
from app.console.operations import Change, Operation
from app.console.page import Presenter
from app.console.pages.dashboard.attention import MUTE_S, DownFrame, Need, needs
from app.console.pages.dashboard.recent_events import KEPT, Happening, of_access, of_burn, of_burn_event
from app.console.pages.dashboard.view import DashboardView, ListedFrame
from app.console.session import WindowSession
from app.console.tasks import woken
from app.console.theme.tokens import Meaning
from app.delivery.messages import Alarm
from app.registry.messages import AccessEvent, Reader

FACTS_EVERY_S = 3.0
"""Seconds between two readings of alarms, burns and readers; an alarm or a burn has them read at once."""
FRAMES_EVERY_S = 5.0
BURNS_SHOWN = 20


class DashboardPresenter(Presenter):
    """Reads what is not in the stream, paints what is."""

    view: DashboardView

    def __init__(self, session: WindowSession, view: DashboardView) -> None:
        super().__init__(session, view)
        self._board = FrameBoard(session)
        self._facts = Freshness(FACTS_EVERY_S)
        self._alarms: Sequence[Alarm] = ()
        self._burns: Sequence[Burn] = ()
        self._readers: Sequence[Reader] = ()
        self._muted: dict[str, float] = {}
        self._down_since: dict[str, float] = {}
        self._happened: dict[str, Happening] = {}
        self._accesses = 0
        self._wake: asyncio.Event | None = None
        self._ticks = 0
        self._dirty = True
        self._chosen = ""
        view.frame_chosen.connect(self._choose)
        view.frame_opened.connect(self._open_frame)
        view.need_opened.connect(self._open_need)
        view.happening_opened.connect(lambda row: self._open(row.page, row.arguments))
        live = session.live
        live.subscribe("handshake", self._measured)
        live.subscribe("status", self._measured)
        live.subscribe("access", self._accessed)
        live.subscribe("burn", self._burned)
        live.subscribe("alarm", lambda _events: self._read_facts_now())
        live.subscribe("gap", lambda _events: self._read_facts_now())

    def actions(self) -> Sequence[Action]:
        view = self.view
        here = "dashboard"
        return [
            Action("dashboard.needs", "Go to what needs you", view.focus_needs, "bell", ("Alt+1",), here),
            Action("dashboard.grid", "Go to the frames", view.focus_frames, "layout-grid", ("Alt+2",), here),
            Action("dashboard.happened", "Go to cards and burns", view.focus_happenings, "history", ("Alt+3",), here),
            Action(
                "dashboard.open",
                "Open",
                lambda: self._open_need(view.chosen_need),
                "arrow-right",
                ("Ctrl+O",),
                here,
                when=lambda: view.chosen_need is not None and self._has(view.chosen_need.page),
                hint="Opens what needs you, with the next step before you. Enter in the list does the same.",
            ),
            Action(
                "dashboard.mute",
                "Mute 15 min",
                self._mute,
                "eye-off",
                ("Ctrl+M",),
                here,
                when=lambda: view.chosen_need is not None,
                hint="On this console only; the row stays until the fact has changed. Again: unmute.",
            ),
            Action(
                "dashboard.seen",
                "Close this alarm",
                self._seen,
                "check",
                ("Ctrl+Shift+M",),
                here,
                when=lambda: (
                    view.chosen_need is not None
                    and bool(view.chosen_need.closes)
                    and self.session.clearance.lower() != "sovereign"
                ),
                effect=Effect.CHANGE,
                hint="For everybody, when you have seen to what happened. Other rows go with what they tell of.",
            ),
            Action(
                "dashboard.list",
                "Grid or list",
                self._switch,
                "list",
                ("Ctrl+Shift+L",),
                here,
                when=lambda: bool(self._board.frames),
            ),
            Action(
                "dashboard.all",
                "Chart all frames",
                self._choose_none,
                "activity",
                ("Ctrl+Shift+A",),
                here,
                when=lambda: bool(self._chosen),
            ),
            Action(
                "dashboard.frame",
                "Open the chosen frame",
                lambda: self._open_frame(self._chosen),
                "server",
                ("Ctrl+Return",),
                here,
                when=lambda: bool(self._chosen) and self._has("infrastructure"),
            ),
            Action(
                "dashboard.register",
                "Register a peer",
                lambda: self._open("infrastructure", {"do": "register"}),
                "plus",
                ("Ctrl+N",),
                here,
                when=lambda: self._has("infrastructure"),
            ),
        ]

    def first_control(self) -> QWidget:
        view = self.view
        return view.needs_list if view.needs.rows else view.list if view.lists else view.grid

    # --- reading -----------------------------------------------------------------------------------------------------

    async def run(self, arguments: Mapping[str, str]) -> None:
        del arguments
        self._wake = asyncio.Event()
        self._dirty = True
        if not self.session.live.stale:
            self._facts.resume()
        self.spawn(self._keep(self._read_frames, FRAMES_EVERY_S), name="dashboard frames")
        self.spawn(self._keep(self._read_facts, FACTS_EVERY_S, self._wake), name="dashboard facts")
        await self._fill_happenings()

    async def _keep(
        self, read: Callable[[], Coroutine[Any, Any, None]], every_s: float, wake: asyncio.Event | None = None
    ) -> None:
        """Read again and again; a failure stands in the banner until it works again."""
        failing = False
        while True:
            try:
                await read()
            except Exception as error:  # told at the head of the page; the next turn tries again
                failing = True
                self.show_failure(failure_of(error))
            else:
                if failing:
                    failing = False
                    self.view.banner.clear()
            self._dirty = True
            if wake is None:
                await asyncio.sleep(every_s)
            else:
                await woken(wake, every_s)

    async def _read_frames(self) -> None:
        await self._board.read()

    async def _read_facts(self) -> None:
        client = self.session.client
        alarms, burns, readers = await asyncio.gather(
            client.gateway_alarms(),
            client.burn_list(query=BurnListQuery(state="PARTIAL", limit=500)),
            self._read_readers(),
        )
        self._alarms, self._burns, self._readers = alarms.items, burns.items, readers
        self._facts.touch()

    async def _read_readers(self) -> list[Reader]:
        client = self.session.client
        clusters = await read_all(
            lambda cursor: client.registry_list_reader_clusters(query=ListQuery(limit=500, cursor=cursor))
        )
        return [reader for cluster in clusters for reader in cluster.readers]

    def _read_facts_now(self) -> None:
        if self._wake is not None:
            self._wake.set()

    async def _fill_happenings(self) -> None:
        page = await self.session.client.burn_list(query=BurnListQuery(limit=BURNS_SHOWN))
        for burn in page.items:
            row = of_burn(burn)
            self._happened.setdefault(row.key, row)
        self._show_happenings()

    def take_change(self, change: Change) -> None:
        if change.kinds & {"burns", "nodes", "readers", "clusters", "peers"}:
            self._read_facts_now()
        if "peers" in change.kinds:
            self.spawn(self._read_frames(), name="dashboard frames again")

    # --- the stream --------------------------------------------------------------------------------------------------

    def _measured(self, _events: Sequence[LiveEvent]) -> None:
        self._dirty = True

    def _accessed(self, events: Sequence[LiveEvent]) -> None:
        for event in events:
            try:
                row = of_access(event.read(AccessEvent), self._accesses)
            except (msgspec.DecodeError, ValueError):
                continue
            self._accesses += 1
            self._happened[row.key] = row
        self._show_happenings()

    def _burned(self, events: Sequence[LiveEvent]) -> None:
        for event in events:
            try:
                burn = event.read(BurnEvent)
                known = self._happened.get(f"burn:{burn.burn_id}")
                row = of_burn_event(burn, known.at if known else None)
            except (msgspec.DecodeError, ValueError):
                continue
            self._happened[row.key] = row
        self._show_happenings()
        self._read_facts_now()

    def _show_happenings(self) -> None:
        rows = sorted(self._happened.values(), key=lambda row: row.at, reverse=True)[:KEPT]
        self._happened = {row.key: row for row in rows}
        self.view.show_happenings(rows)

    # --- painting ----------------------------------------------------------------------------------------------------

    def repaint(self) -> None:
        self._ticks += 1
        # States turn stale by the clock alone, without any event: look twice a second, and whenever something came.
        second = self._ticks % 5 == 0
        if not (self._dirty or second):
            return
        self._paint_frames()
        if self._ticks % 2 == 0 or second:
            self._paint_chart()
        if second or self._dirty:
            self._paint_tiles()
            self._paint_needs()
            self._paint_inspector()
        self._dirty = False
        if self._board.unknown or (self._board.behind and self._ticks % 10 == 0):
            self._board.unknown = False
            self.spawn(self._read_frames(), name="dashboard frames again")

    def _paint_frames(self) -> None:
        view, board = self.view, self._board
        if not board.frames:
            # Nothing is taught before the list was read: it may be long.
            if board.age.since is not None:
                view.show_frames(False)
            return
        view.show_frames(True)
        nodes = board.grid_nodes()
        view.grid.set_nodes(nodes)
        groups: dict[str, int] = {}
        for node in nodes:
            groups[node.group] = groups.get(node.group, 0) + 1
        view.fit_names(list(groups.values()))
        view.grid.set_values(board.values(GRID_SECONDS))
        stale = board.stale_since()
        view.frames_stale.setVisible(bool(stale))
        if stale:
            view.frames_stale.set(Meaning.IDLE, stale)
        if view.lists:
            live = self.session.live
            view.listed.set_rows(
                [
                    ListedFrame(
                        node.id,
                        caption(group_of(node.id)),
                        node.state,
                        node.word,
                        live.frames[node.id].handshake_latency if node.id in live.frames else "",
                        board.standing(node.id).hint,
                    )
                    for node in nodes
                ]
            )

    def _paint_chart(self) -> None:
        view, board = self.view, self._board
        end = self.session.live.now()
        start = end - GRID_SECONDS
        if self._chosen in board.frames:
            x, y = board.line(self._chosen, GRID_SECONDS)
            view.one_chart.set_data({"Handshake": (x, y)}, start=start, end=end)
            view.chart_title.setText(f"LATENCY OF {self._chosen.upper()}")
            view.chart_stack.setCurrentWidget(view.one_chart)
            return
        if board.frames:
            x, half, high = board.all_lines(GRID_SECONDS)
            view.all_chart.set_data({"p50": (x, half), "p99": (x, high)}, start=start, end=end)
        view.chart_title.setText("LATENCY OF ALL FRAMES")
        view.chart_stack.setCurrentWidget(view.all_chart)

    def _paint_tiles(self) -> None:
        view, board = self.view, self._board
        stale = board.stale_since()
        counts = board.counts()
        total = len(board.frames)
        operational = counts.get("Operational", 0)
        rest = ", ".join(f"{number} {word.lower()}" for word, number in sorted(counts.items()) if word != "Operational")
        if stale:
            # The last value stays, but it is no longer said to be so: frames turn stale one after the other.
            records = self.session.live.frames
            known = sum(records[peer].status == "OPERATIONAL" for peer in board.frames if peer in records)
            view.frames_tile.set(f"{known}/{total}")
            view.frames_tile.set_stale(stale)
            view.latency_tile.set_stale(stale)
        elif total:
            state, word = (Meaning.OK, "Operational")
            if counts.get("Unreachable"):
                state, word = Meaning.BAD, "Unreachable"
            elif counts.get("Degraded"):
                state, word = Meaning.WARN, "Degraded"
            elif counts.get("Stale") or counts.get("Unknown"):
                state, word = Meaning.IDLE, "Stale"
            view.frames_tile.set(f"{operational}/{total}", rest or "every frame answers", state, word)
            half, high, count = board.minute()
            if half is None or high is None:
                view.latency_tile.set("–", "no handshake in the last minute", Meaning.IDLE, "Unknown")
            else:
                view.latency_tile.set(f"{half:.2f} / {high:.2f}", f"{count:,} handshakes in the last minute")
        elif board.age.since is not None:
            view.frames_tile.set("0", "no frame is registered")
            view.latency_tile.set("–", "no frame is registered")
        old = self._facts.words()
        if old and self._facts.since is None:
            return
        if self._facts.awaited:
            for tile in (view.burns_tile, view.readers_tile):
                tile.set(tile.value, old, Meaning.IDLE, "Refreshing")
            return
        if old:
            view.burns_tile.set_stale(old)
            view.readers_tile.set_stale(old)
            return
        waiting = sum(len(burn.targets) for burn in self._burns)
        if self._burns:
            below = f"{waiting} targets are not proven yet" if waiting != 1 else "1 target is not proven yet"
            view.burns_tile.set(str(len(self._burns)), below, Meaning.WARN, "Pending")
        else:
            view.burns_tile.set("0", "every burn is proven everywhere", Meaning.OK, "Complete")
        online = sum(reader.online for reader in self._readers)
        secure = sum(reader.online and reader.secure_channel for reader in self._readers)
        if not self._readers:
            view.readers_tile.set("0", "no reader is registered")
        else:
            away = len(self._readers) - online
            state, word = (Meaning.OK, "Online") if not away else (Meaning.BAD, f"{away} offline")
            view.readers_tile.set(f"{online}/{len(self._readers)}", f"{secure} over a secure channel", state, word)

    def _paint_needs(self) -> None:
        board = self._board
        now = time.time()
        down = []
        for peer_id in board.frames:
            standing = board.standing(peer_id)
            if standing.word == "Unreachable":
                since = self._down_since.setdefault(peer_id, now)
                down.append(DownFrame(peer_id, peer_id, standing.hint, since))
            else:
                self._down_since.pop(peer_id, None)
        self._muted = {key: until for key, until in self._muted.items() if until > now}
        rows = needs(self._alarms, self._burns, down, self._muted)
        old = self._facts.words()
        if rows != self.view.needs.rows or not self.view.needs_mark.word or old:
            self.view.show_needs(rows, old, loading=self._facts.awaited)
        elif self.view.needs_mark.state is Meaning.IDLE:
            self.view.show_needs(rows, "")

    def _paint_inspector(self) -> None:
        board, live = self._board, self.session.live
        frame, record = board.frames.get(self._chosen), live.frames.get(self._chosen)
        if frame is None or record is None:
            self.view.inspector.show_nothing()
        else:
            self.view.inspector.show_frame(frame, board.told(frame, record), board.standing(self._chosen), live.now())

    # --- hands -------------------------------------------------------------------------------------------------------

    def _has(self, page: str) -> bool:
        return any(action.id == f"page.{page}" for action in self.session.actions.all())

    def _open(self, page: str, arguments: Mapping[str, str]) -> None:
        if self._has(page):
            self.session.navigate(page, **{name: value for name, value in arguments.items() if value})

    def _open_frame(self, peer_id: str) -> None:
        self._open("infrastructure", {"peer_id": peer_id})

    def _open_need(self, need: object) -> None:
        if isinstance(need, Need):
            self._open(need.page, need.arguments)

    def _choose(self, peer_id: str) -> None:
        if peer_id != self._chosen:
            self._chosen = peer_id
            self._paint_chart()
            self._paint_inspector()
            self.session.actions.refresh()

    def _choose_none(self) -> None:
        self.view.list.clearSelection()
        self.view.grid.set_current("")
        self._choose("")

    def _mute(self) -> None:
        need = self.view.chosen_need
        if need is None:
            return
        if self._muted.pop(need.key, None) is None:
            self._muted[need.key] = time.time() + MUTE_S
        self._paint_needs()

    def _seen(self) -> None:
        need = self.view.chosen_need
        if need is None or not need.closes:
            return
        alarm_id = need.closes

        def closed(alarm: Alarm) -> None:
            self._alarms = [known for known in self._alarms if known.alarm_id != alarm.alarm_id]
            self._paint_needs()
            self._read_facts_now()

        operation: Operation[Alarm] = Operation(
            lambda client, _key: client.gateway_acknowledge_alarm(alarm_id), title="Close the alarm"
        )
        operation.success(closed).run(self.session, self)

    def _switch(self) -> None:
        self.view.show_list(not self.view.lists)
        self._paint_frames()
        self.view.focus_frames()
