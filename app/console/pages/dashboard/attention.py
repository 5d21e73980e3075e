"""What needs a person: reads alarms, burns and readers; opens, mutes and closes what they say."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec
import numpy as np
from PySide6.QtWidgets import QWidget

from app.api.operator_id import is_operator
from app.capabilities.burn.messages import Burn, BurnListQuery, BurnSpeedReport
from app.capabilities.gateway.audit.messages import AuditCriteria, AuditEntry, AuditQuery, AuditRange
from app.console.actions import Action, Effect
from app.console.alarm_taking import taking
from app.console.audit_sentences import by_words
from app.console.door_clusters import read_readers
from app.console.frames.board import FrameBoard
from app.console.language import number, tr
from app.console.moments import api_time
from app.console.operations import Operation
from app.console.pages.dashboard.attention_words import AttentionRow, DownFrame, attention_rows
from app.console.pages.dashboard.closed import CLEARED, RAISED, TAKEN, ClosedRow, closed_rows
from app.console.pages.dashboard.opening import has_page, open_page
from app.console.pages.dashboard.state_words import (
    WhatAnswers,
    doors_foot,
    last_door_foot,
    last_door_s,
    site_state,
)
from app.console.pages.dashboard.view import DashboardView
from app.console.part import Host, Part
from app.console.shown_time import REACH_S
from app.console.telemetry.live import Listener, LiveEvent
from app.console.telemetry.site_events import AHEAD_S
from app.console.theme.tokens import Meaning
from app.delivery.messages import Alarm
from app.registry.messages.clusters import Reader

SPEED_EVERY_S = 15.0
"""How often it is counted how soon burns were proven: over all burns of 30 days."""
CLOSED_EVERY_S = 60.0
"""How often the audit log is asked which alarms were closed; at once after an alarm."""
OPENED_WITHIN_S = 86_400.0
"""So long before they were closed it is looked for what alarms said when they were raised, seconds."""
MOST_BURNS = 20
"""Burns whose last doors are the line of their tile."""
DOORS_KEPT = 1200
"""Readings of the doors that the line of their tile is made of: the last hour."""


class Attention(Part):
    """Alarms, burns and readers are read every three seconds, and at once after an alarm or a burn. ``board`` tells
    which frames are down. What it knows is in the state line, in the list, and in the tiles of burns and doors."""

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
        self._speed: BurnSpeedReport | None = None
        self._speed_at = 0.0
        """When the speed of burns was read, by the monotonic clock; 0: it is to be read now."""
        self._closed_entries: Sequence[AuditEntry] = ()
        self._closed: Sequence[ClosedRow] = ()
        self._closed_at = 0.0
        """When it was read what was closed, by the monotonic clock; 0: it is to be read now."""
        self._last_doors: dict[str, float | None] = {}
        """Seconds to the last door, by burn; None: of that burn there is no such time."""
        self._online: deque[int] = deque(maxlen=DOORS_KEPT)
        self._down_since: dict[str, float] = {}
        self._ticks = 0
        self._dirty = True
        view.attention.opened.connect(self._open)
        view.attention.taken.connect(self._take)
        host.session.people.changed.connect(self.paint_all)
        host.session.shown_time.changed.connect(self.paint_all)

    def actions(self) -> Sequence[Action]:
        here, panel = "dashboard", self._panel
        return [
            Action(
                "dashboard.open", tr("Open"), lambda: self._open(panel.chosen), "arrow-right", ("Ctrl+O",), here,
                when=lambda: panel.chosen is not None and has_page(self.session, panel.chosen.page),
                hint=tr("Opens what needs you, with the next step before you. Enter in the list does the same."),
            ),
            Action(
                "dashboard.take", tr("Take this alarm"), lambda: self._take(panel.chosen), "user-check", ("Ctrl+T",),
                here, when=lambda: panel.chosen is not None and panel.chosen.waits_for_owner,
                hint=tr("You own it from now on; every console says so."), calls=("gateway_take_alarm",),
            ),
            Action(
                "dashboard.take_worst", tr("Take the most pressing alarm"), lambda: self._take(self._worst),
                "user-check", (), here, when=lambda: self._worst is not None and self._worst.waits_for_owner,
                hint=tr("The one that the state line tells of."), calls=("gateway_take_alarm",),
            ),
            Action(
                "dashboard.mute_worst", tr("Mute the most pressing for 15 min"), lambda: self._mute(self._worst),
                "eye-off", (), here, when=lambda: self._worst is not None,
                hint=tr("The one that the state line tells of, on this console only."),
            ),
            Action(
                "dashboard.mute", tr("Mute 15 min"), lambda: self._mute(panel.chosen), "eye-off", ("Ctrl+M",), here,
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

    @property
    def _worst(self) -> AttentionRow | None:
        """What presses most and is not muted; None where nothing is known now."""
        if self.fresh.words():
            return None
        return next((row for row in self._panel.rows.rows if not row.muted_until), None)

    def _can_close(self) -> bool:
        row = self._panel.chosen
        return row is not None and bool(row.closes) and self.session.clearance.lower() != "sovereign"

    # --- reading -----------------------------------------------------------------------------------------------------

    def resume(self) -> None:
        super().resume()
        self._dirty = True

    def listeners(self) -> Mapping[str, Listener]:
        return {
            "alarm": self._take_alarm,
            "gap": self._take_alarm,
            "burn": self._take_burn,
            "handshake": self._mark_dirty,
            "status": self._mark_dirty,
        }

    def _take_alarm(self, _events: Sequence[LiveEvent]) -> None:
        self._closed_at = 0.0
        self.read_now()

    def _take_burn(self, _events: Sequence[LiveEvent]) -> None:
        self._speed_at = 0.0
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
        if not self._speed_at or time.monotonic() - self._speed_at > SPEED_EVERY_S:
            self._speed = await client.burn_speed()
            await self._read_last_doors()
            self._speed_at = time.monotonic()
        if not self._closed_at or time.monotonic() - self._closed_at > CLOSED_EVERY_S:
            self._closed_at = time.monotonic()
            await self._read_closed()
        self._alarms, self._burns, self._readers = alarms.items, burns.items, readers
        self._online.append(sum(reader.online for reader in readers))

    async def _read_last_doors(self) -> None:
        """How long the last burns took to their last door. A burn that has ended is read once."""
        client = self.session.client
        page = await client.burn_list(query=BurnListQuery(limit=MOST_BURNS))
        known = self._last_doors
        found: dict[str, float | None] = {}
        for burn in reversed(page.items):
            if burn.drill or burn.state != "COMPLETE":
                continue
            seconds = known[burn.burn_id] if burn.burn_id in known else last_door_s(await client.burn_get(burn.burn_id))
            found[burn.burn_id] = seconds
        self._last_doors = found

    async def _read_closed(self) -> None:
        """What the audit log tells of the alarms that were closed within the last hour, where the operator may read
        it."""
        if not self.session.permissions.may("gateway_audit_log_query"):
            self._closed_entries = ()
            return
        now = self.session.live.now()

        async def entries(action: str, since_s: float) -> Sequence[AuditEntry]:
            span = AuditRange(from_=api_time(now - since_s), to=api_time(now + AHEAD_S))
            query = AuditQuery(range=span, criteria=AuditCriteria(action=action, limit=100))
            return (await self.session.client.gateway_audit_log_query(query)).entries

        cleared = await entries(CLEARED, REACH_S)
        opened = await asyncio.gather(*(entries(one, OPENED_WITHIN_S) for one in (RAISED, TAKEN))) if cleared else ()
        self._closed_entries = [*cleared, *(entry for some in opened for entry in some)]

    # --- painting ----------------------------------------------------------------------------------------------------

    def paint_all(self) -> None:
        self._dirty = True

    def paint(self) -> None:
        # Frames go down and facts turn stale by the clock alone: look twice a second, and whenever something came.
        self._ticks += 1
        if self._dirty or self._ticks % 5 == 0:
            self._paint_tiles()
            self._paint_rows()
            self._paint_closed()
            self._paint_state()
            self._dirty = False
        if self._ticks % 10 == 0:
            self._panel.show_ages()

    def _paint_tiles(self) -> None:
        """How soon the last door of a burn closed, and the doors that are online."""
        tiles = self._page.last_door_tile, self._page.doors_tile
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
            self._paint_last_door()
            self._paint_doors()

    def _paint_last_door(self) -> None:
        report = self._speed
        if report is None:
            return
        foot, p95 = last_door_foot(report), report.last_door.p95_ms
        self._page.name_last_door(report.last_door.timed)
        value = "–" if p95 is None else number(p95 / 1000, ".2f")
        tile = self._page.last_door_tile
        tile.set(value, foot.below, foot.state, foot.word, goal=True, unit="" if p95 is None else "s")
        times = [seconds for seconds in self._last_doors.values() if seconds is not None]
        # One time is no course.
        tile.set_trend(np.array(times if len(times) > 1 else (), dtype=np.float64), report.goal_ms / 1000)

    def _paint_doors(self) -> None:
        total, tile = len(self._readers), self._page.doors_tile
        if not total:
            tile.set("0", tr("no reader is registered"), unit="")
            return
        online = sum(reader.online for reader in self._readers)
        secure = sum(reader.online and reader.secure_channel for reader in self._readers)
        foot = doors_foot(online, secure, total)
        tile.set(str(online), foot.below, foot.state, foot.word, goal=True, unit=tr("of {count}", count=total))
        tile.set_trend(np.array(self._online, dtype=np.float64))

    def _paint_state(self) -> None:
        """The state line; its buttons are those of the row that it tells of."""
        panel, line, board = self._panel, self._page.state_line, self._board
        old = self.fresh.words()
        counts = board.counts()
        answers = WhatAnswers(
            sum(counts.values()),
            counts.get(tr("Operational"), 0) + counts.get(tr("Degraded"), 0),
            len(self._readers),
            sum(reader.online for reader in self._readers),
            counts.get(tr("Stale"), 0) + counts.get(tr("Unknown"), 0),
        )
        stale = old or (board.stale_since() if board.frames else "")
        said = site_state(panel.rows.rows, answers, stale, self.fresh.awaited, self.session.live.now())
        word = tr("Now: {word}", word=said.word) if self.session.shown_time.is_past else said.word
        line.set(said.state, word, said.sentence, said.detail)
        worst = None if stale else self._worst
        may = self.session.permissions.may("gateway_take_alarm")
        panel.allow_taking(may)
        line.offer(take=worst is not None and worst.waits_for_owner and may, mute=worst is not None)

    def _with_names(self, alarm: Alarm) -> Alarm:
        """The alarm with the names of operators in place of their ids."""
        names = self.session.names
        owner = None if alarm.taken_by is None else names.of(alarm.taken_by, alarm.taken_by_name)
        return msgspec.structs.replace(alarm, text=names.in_text(alarm.text), taken_by_name=owner)

    def _paint_rows(self) -> None:
        """The list, if a row is another one or what is known of them has turned old or new again."""
        rows = attention_rows(
            [self._with_names(one) for one in self._alarms],
            self._burns,
            self._down_frames(self.session.live.now()),
            self.session.mutes.standing(),
            lambda node: self.session.people.of(node) or node,
        )
        old, panel = self.fresh.words(), self._panel
        if rows != panel.rows.rows or not panel.mark.word or old:
            panel.show_rows(rows, old, loading=self.fresh.awaited)
            self.session.actions.refresh()
        elif panel.mark.state is Meaning.IDLE:
            panel.show_rows(rows, "")

    def _down_frames(self, now: float) -> list[DownFrame]:
        """The frames that do not answer, each with the Unix time at which that was first seen."""
        down = []
        for peer_id in self._board.frames:
            standing = self._board.standing(peer_id)
            if standing.word == tr("Unreachable"):
                since = self._down_since.setdefault(peer_id, now)
                down.append(DownFrame(peer_id, peer_id, standing.hint, since))
            else:
                self._down_since.pop(peer_id, None)
        return down

    def _actor(self, entry: AuditEntry) -> str:
        """Who did what an entry tells: an operator by name, while names are told."""
        if is_operator(entry.actor):
            return self.session.names.of(entry.actor, entry.actor_name)
        return by_words(entry).strip()

    def _paint_closed(self) -> None:
        """What was closed within the last hour, with names as far as they are known."""
        people = self.session.people
        since = self.session.live.now() - REACH_S
        rows = closed_rows(self._closed_entries, lambda node: people.of(node) or node, self._actor)
        rows = [replace(one, text=self.session.names.in_text(one.text)) for one in rows if one.at >= since]
        if rows != self._closed:
            self._closed = rows
            self._panel.show_closed(rows)

    # --- hands -------------------------------------------------------------------------------------------------------

    def _open(self, row: object) -> None:
        if isinstance(row, AttentionRow):
            open_page(self.session, row.page, row.arguments)

    def _mute(self, row: AttentionRow | None) -> None:
        if row is None:
            return
        self.session.mutes.toggle(row.key)
        self._paint_rows()
        self._paint_state()

    def _take(self, row: AttentionRow | None) -> None:
        """Make the operator, or this console's key, the owner of the row's alarm."""
        if row is None or not row.waits_for_owner:
            return
        operation = taking(row.takes)
        operation.success(lambda _alarm: self.read_now()).failure(self.host.show_failure).run(self.session, self._panel)

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
