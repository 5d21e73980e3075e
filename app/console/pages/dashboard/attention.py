"""What needs a person: reads alarms, burns and readers; opens, mutes and closes what they say."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence

import msgspec
from PySide6.QtWidgets import QWidget

from app.capabilities.burn.messages import Burn, BurnListQuery
from app.console.actions import Action, Effect
from app.console.door_clusters import read_readers
from app.console.frames.board import FrameBoard
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.dashboard.attention_words import AttentionRow, DownFrame, attention_rows
from app.console.pages.dashboard.opening import has_page, open_page
from app.console.pages.dashboard.view import DashboardView
from app.console.part import Host, Part
from app.console.telemetry.live import Listener, LiveEvent
from app.console.theme.tokens import Meaning
from app.delivery.messages import Alarm
from app.registry.messages.clusters import Reader


class Attention(Part):
    """Alarms, burns and readers are read every three seconds, and at once after an alarm or a burn. ``board`` tells
    which frames are down."""

    every_s = 3.0
    kinds = frozenset({"burns", "nodes", "readers", "clusters", "peers"})

    def __init__(self, host: Host, view: DashboardView, board: FrameBoard) -> None:
        super().__init__(host)
        self.view: QWidget = view.attention
        self._page = view
        self._panel = view.attention
        self._board = board
        self._alarms: Sequence[Alarm] = ()
        self._burns: Sequence[Burn] = ()
        self._readers: Sequence[Reader] = ()
        self._down_since: dict[str, float] = {}
        self._ticks = 0
        self._dirty = True
        view.attention.opened.connect(self._open)

    def actions(self) -> Sequence[Action]:
        here, panel = "dashboard", self._panel
        return [
            Action(
                "dashboard.open", tr("Open"), lambda: self._open(panel.chosen), "arrow-right", ("Ctrl+O",), here,
                when=lambda: panel.chosen is not None and has_page(self.session, panel.chosen.page),
                hint=tr("Opens what needs you, with the next step before you. Enter in the list does the same."),
            ),
            Action(
                "dashboard.mute", tr("Mute 15 min"), self._mute, "eye-off", ("Ctrl+M",), here,
                when=lambda: panel.chosen is not None,
                hint=tr("On this console only; the row stays until the fact has changed. Again: unmute."),
            ),
            Action(
                "dashboard.seen", tr("Close this alarm"), self._close_alarm, "check", ("Ctrl+Shift+M",), here,
                when=self._can_close, effect=Effect.CHANGE,
                hint=tr(
                    "For everybody, when you have seen to what happened. Other rows go with what they tell "
                    "of."),
                calls=("gateway_acknowledge_alarm",),
            ),
        ]  # fmt: skip

    def first_control(self) -> QWidget | None:
        return self._panel.table if self._panel.rows.rows else None

    def _can_close(self) -> bool:
        row = self._panel.chosen
        return row is not None and bool(row.closes) and self.session.clearance.lower() != "sovereign"

    # --- reading -----------------------------------------------------------------------------------------------------

    def resume(self) -> None:
        super().resume()
        self._dirty = True

    def listeners(self) -> Mapping[str, Listener]:
        soon = dict.fromkeys(("alarm", "burn", "gap"), self._read_soon)
        return {**soon, "handshake": self._mark_dirty, "status": self._mark_dirty}

    def _read_soon(self, _events: Sequence[LiveEvent]) -> None:
        self.read_now()

    def _mark_dirty(self, _events: Sequence[LiveEvent]) -> None:
        self._dirty = True

    async def read(self) -> None:
        client = self.session.client
        alarms, burns, readers = await asyncio.gather(
            client.gateway_alarms(),
            client.burn_list(query=BurnListQuery(state="PARTIAL", limit=500)),
            read_readers(client),
        )
        self._alarms, self._burns, self._readers = alarms.items, burns.items, readers

    # --- painting ----------------------------------------------------------------------------------------------------

    def paint_all(self) -> None:
        self._dirty = True

    def paint(self) -> None:
        # Frames go down and facts turn stale by the clock alone: look twice a second, and whenever something came.
        self._ticks += 1
        if self._dirty or self._ticks % 5 == 0:
            self._paint_tiles()
            self._paint_rows()
            self._dirty = False

    def _paint_tiles(self) -> None:
        """Open burns, and readers that are online."""
        tiles = self._page.burns_tile, self._page.readers_tile
        old = self.fresh.words()
        if old and self.fresh.since is None:
            return
        if self.fresh.awaited:
            for tile in tiles:
                tile.set(tile.value, old, Meaning.IDLE, tr("Refreshing"))
        elif old:
            for tile in tiles:
                tile.set_stale(old)
        else:
            self._paint_burns()
            self._paint_readers()

    def _paint_burns(self) -> None:
        waiting = sum(len(burn.targets) for burn in self._burns)
        if self._burns:
            below = (
                tr("{count} targets are not proven yet", count=waiting)
                if waiting != 1
                else tr("1 target is not proven yet")
            )
            self._page.burns_tile.set(str(len(self._burns)), below, Meaning.WARN, tr("Pending"))
        else:
            self._page.burns_tile.set("0", tr("no burn is open"))

    def _paint_readers(self) -> None:
        total = len(self._readers)
        if not total:
            self._page.readers_tile.set("0", tr("no reader is registered"))
            return
        online = sum(reader.online for reader in self._readers)
        secure = sum(reader.online and reader.secure_channel for reader in self._readers)
        away = total - online
        state, word = (Meaning.OK, tr("Online")) if not away else (Meaning.BAD, tr("{count} offline", count=away))
        self._page.readers_tile.set(f"{online}/{total}", tr("{count} encrypted", count=secure), state, word, goal=True)

    def _with_names(self, alarm: Alarm) -> Alarm:
        """The alarm with the names of operators in place of their ids."""
        names = self.session.names
        owner = None if alarm.taken_by is None else names.of(alarm.taken_by, alarm.taken_by_name)
        return msgspec.structs.replace(alarm, text=names.in_text(alarm.text), taken_by_name=owner)

    def _paint_rows(self) -> None:
        """The list, if a row is another one or what is known of them has turned old or new again."""
        now = time.time()
        rows = attention_rows(
            [self._with_names(one) for one in self._alarms],
            self._burns,
            self._down_frames(now),
            self.session.mutes.standing(),
        )
        old, panel = self.fresh.words(), self._panel
        if rows != panel.rows.rows or not panel.mark.word or old:
            panel.show_rows(rows, old, loading=self.fresh.awaited)
        elif panel.mark.state is Meaning.IDLE:
            panel.show_rows(rows, "")

    def _down_frames(self, now: float) -> list[DownFrame]:
        """The frames that do not answer, each with the local Unix time at which that was first seen."""
        down = []
        for peer_id in self._board.frames:
            standing = self._board.standing(peer_id)
            if standing.word == tr("Unreachable"):
                since = self._down_since.setdefault(peer_id, now)
                down.append(DownFrame(peer_id, peer_id, standing.hint, since))
            else:
                self._down_since.pop(peer_id, None)
        return down

    # --- hands -------------------------------------------------------------------------------------------------------

    def _open(self, row: object) -> None:
        if isinstance(row, AttentionRow):
            open_page(self.session, row.page, row.arguments)

    def _mute(self) -> None:
        row = self._panel.chosen
        if row is None:
            return
        self.session.mutes.toggle(row.key)
        self._paint_rows()

    def _close_alarm(self) -> None:
        """Close the alarm of the chosen row for everybody."""
        row = self._panel.chosen
        if row is None or not row.closes:
            return
        alarm_id = row.closes

        def finish(alarm: Alarm) -> None:
            self._alarms = [known for known in self._alarms if known.alarm_id != alarm.alarm_id]
            self._paint_rows()
            self.read_now()

        operation: Operation[Alarm] = Operation(
            lambda client, _key: client.gateway_acknowledge_alarm(alarm_id), title=tr("Close the alarm")
        )
        operation.success(finish).run(self.session, self._panel)
