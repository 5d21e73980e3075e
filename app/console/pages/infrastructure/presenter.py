"""Brings the infrastructure page to life: reads the history, shows it beside what is live, changes peers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QWidget

from app.api.wire import ListQuery
from app.capabilities.infrastructure.messages import Frame
from app.console.actions import Action, Effect
from app.console.clock import Freshness, parse_time
from app.console.deleting import Deletion
from app.console.failures import Failure, failure_of
from app.console.frames import (
    FloatArray,
    FrameBoard,
    FrameStanding,
    caption,
    certificate_days,
    certificate_state,
    group_of,
)
from app.console.growing import read_all
from app.console.operations import Change, Operation
from app.console.page import Presenter
from app.console.pages.infrastructure.form import PeerForm, PeerRequest
from app.console.pages.infrastructure.view import SPANS, FrameRow, InfrastructureView, Span
from app.console.session import WindowSession
from app.console.tasks import woken
from app.console.theme.tokens import Meaning
from app.registry.messages import Peer, PeerBody

if TYPE_CHECKING:
    from app.client import Client

HISTORY_EVERY_S = 5.0


class OwnCertificates(Exception):
    """The peer has certificates that a whole new row would lose."""


def _ms(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _seen(standing: FrameStanding, state: Meaning) -> Meaning:
    """A frozen service leaves no green: what was not seen again is idle."""
    return Meaning.IDLE if standing.state is Meaning.IDLE else state


class InfrastructurePresenter(Presenter):
    """Reads history, shows it beside what is live, changes peers."""

    view: InfrastructureView

    def __init__(self, session: WindowSession, view: InfrastructureView) -> None:
        super().__init__(session, view)
        self._board = FrameBoard(session)
        self._board.age = Freshness(HISTORY_EVERY_S)
        self._peers: dict[str, Peer] = {}
        self._span: Span = SPANS[0]
        self._range = (0.0, 0.0)
        self._chosen = ""
        self._wanted = ""
        self._filter = ""
        self._wake: asyncio.Event | None = None
        self._ticks = 0
        view.chosen.connect(self._choose)
        view.opened.connect(lambda _peer_id: self._change_peer())
        view.filtered.connect(self._set_filter)
        view.span_chosen.connect(self._set_span)

    def actions(self) -> Sequence[Action]:
        here = "infrastructure"

        def chosen() -> bool:
            return self._chosen in self._peers and self._may_write()

        return [
            Action(
                "infrastructure.register",
                "Register a peer",
                self._register,
                "plus",
                ("Ctrl+N",),
                here,
                when=self._may_write,
                effect=Effect.CHANGE,
                hint="A server frame that is probed each second.",
            ),
            Action(
                "infrastructure.change",
                "Change",
                self._change_peer,
                "pencil",
                ("Ctrl+Return",),
                here,
                when=chosen,
                effect=Effect.CHANGE,
                hint="Address, level and certificates of the chosen frame.",
            ),
            Action(
                "infrastructure.maintenance",
                "Maintenance on or off",
                self._maintain,
                "pause",
                ("Ctrl+Shift+M",),
                here,
                when=chosen,
                effect=Effect.CHANGE,
                hint="A frame under maintenance is probed and never an alarm.",
            ),
            Action(
                "infrastructure.delete",
                "Delete",
                self._delete,
                "trash-2",
                ("Ctrl+Del",),
                here,
                when=chosen,
                effect=Effect.CHANGE,
                hint="Asks first. The frame is no longer probed.",
            ),
            Action("infrastructure.table", "Go to the frames", self._to_table, "table-2", ("Alt+1",), here),
            Action("infrastructure.span", "Choose the span", self._to_span, "clock", ("Alt+2",), here),
        ]

    def filter_field(self) -> QWidget | None:
        return self.view.filter

    def first_control(self) -> QWidget:
        return self.view.table

    def _may_write(self) -> bool:
        return self.session.clearance.lower() != "sovereign"

    def _to_table(self) -> None:
        self.view.table.setFocus()

    def _to_span(self) -> None:
        self.view.spans.setFocus()

    # --- reading -----------------------------------------------------------------------------------------------------

    async def run(self, arguments: Mapping[str, str]) -> None:
        self._wake = asyncio.Event()
        if arguments.get("peer_id"):
            self._wanted = arguments["peer_id"]
            self.view.filter.clear()
        if arguments.get("do") == "register" and self._may_write():
            self._register()
        if not self.session.live.stale:
            self._board.age.resume()
        failing = False
        while True:
            try:
                await self._read()
            except Exception as error:  # told at the head of the page; the next turn tries again
                failing = True
                self.show_failure(failure_of(error))
            else:
                if failing:
                    failing = False
                    self.view.banner.clear()
                self._paint_rows()
                self._paint_history()
                self.session.actions.refresh()
            await woken(self._wake, HISTORY_EVERY_S)

    async def _read(self) -> None:
        span = self._span
        found, peers = await asyncio.gather(self._board.read(span.seconds, span.step), self._read_peers())
        self._peers = peers
        self._range = (parse_time(found.from_), parse_time(found.to))

    async def _read_peers(self) -> dict[str, Peer]:
        client = self.session.client
        found = await read_all(lambda cursor: client.registry_list_peers(query=ListQuery(limit=500, cursor=cursor)))
        return {peer.peer_id: peer for peer in found}

    def _read_now(self) -> None:
        if self._wake is not None:
            self._wake.set()

    def take_change(self, change: Change) -> None:
        if "peers" in change.kinds:
            self._read_now()

    # --- painting ----------------------------------------------------------------------------------------------------

    def repaint(self) -> None:
        self._ticks += 1
        if self._ticks % 5:
            return
        if self._board.unknown or (self._board.behind and self._ticks % 10 == 0):
            self._board.unknown = False
            self._read_now()
        if self._board.age.since is None:
            return
        self._paint_rows()
        self._paint_inspector()

    def _paint_rows(self) -> None:
        view, board = self.view, self._board
        rows = [self._row(frame) for frame in board.frames.values()]
        rows.sort(key=lambda row: (row.group, row.peer_id))
        words = self._filter.lower().split()
        shown = [
            row
            for row in rows
            if all(word in f"{row.peer_id} {row.group} {row.word} {row.uplink}".lower() for word in words)
        ]
        wanted = self._wanted or self._chosen or (shown[0].peer_id if shown else "")
        if self._wanted in board.frames:
            self._wanted = ""
        view.show_rows(shown, len(rows), wanted)
        stale = board.stale_since() or board.age.words()
        view.mark.setVisible(bool(stale))
        if stale:
            view.mark.set(Meaning.IDLE, stale)

    def _row(self, frame: Frame) -> FrameRow:
        live = self.session.live
        standing = self._board.standing(frame.peer_id)
        now = live.latency.get(frame.peer_id)
        days = certificate_days(frame, live.now())
        span, phases = frame.span, frame.phases
        return FrameRow(
            peer_id=frame.peer_id,
            group=caption(group_of(frame.peer_id)),
            state=standing.state,
            word=standing.word,
            hint=standing.hint,
            now=_ms(now),
            p50=_ms(span.p50),
            p95=_ms(span.p95),
            p99=_ms(span.p99),
            worst=_ms(span.max),
            missed=f"{span.missed:,}",
            resolve=_ms(phases.resolve_ms if phases else None),
            connect=_ms(phases.connect_ms if phases else None),
            first_byte=_ms(phases.first_byte_ms if phases else None),
            certificate="–" if days is None else f"{days:.0f} days",
            certificate_state=None if days is None else _seen(standing, certificate_state(days)),
            uplink=frame.group or "–",
        )

    def _paint_inspector(self) -> None:
        board, live = self._board, self.session.live
        frame, record = board.frames.get(self._chosen), live.frames.get(self._chosen)
        if frame is None or record is None:
            self.view.inspector.show_nothing()
        else:
            self.view.inspector.show_frame(frame, board.told(frame, record), board.standing(self._chosen), live.now())

    def _paint_history(self) -> None:
        view = self.view
        frame = self._board.frames.get(self._chosen)
        start, end = self._range
        title = "Handshake history" if frame is None else f"Handshake history of {frame.peer_id}"
        view.chart_title.setText(f"{title}, {self._span.title}".upper())
        points = [] if frame is None else [point for point in frame.history if point.handshake.p50 is not None]
        if not points:
            view.chart_stack.setCurrentWidget(view.chart_empty)
            return
        view.chart_stack.setCurrentWidget(view.chart)
        # A step's percentile holds for the whole step, so each is drawn from its start to its end; a step without a
        # handshake stays NaN and breaks the line.
        step = float(self._span.step)
        first = parse_time(points[0].at)
        size = int((parse_time(points[-1].at) - first) // step) + 1
        edges: FloatArray = np.arange(size, dtype=np.float64) * step + first
        x: FloatArray = np.column_stack((edges, edges + step * 0.98)).ravel()
        lines: dict[str, FloatArray] = {name: np.full(2 * size, np.nan) for name in ("p50", "p99", "max")}
        for point in points:
            at = 2 * min(size - 1, int((parse_time(point.at) - first) // step))
            for name, line in lines.items():
                value = getattr(point.handshake, name)
                line[at : at + 2] = np.nan if value is None else value
        view.chart.set_data({name: (x, line) for name, line in lines.items()}, start=start, end=end)

    # --- hands -------------------------------------------------------------------------------------------------------

    def _choose(self, peer_id: str) -> None:
        # A filter that hides the chosen frame does not forget it: its history stays on the screen.
        if peer_id and peer_id != self._chosen:
            self._chosen = peer_id
            self._paint_history()
            self._paint_inspector()
            self.session.actions.refresh()

    def _set_filter(self, text: str) -> None:
        self._filter = text
        self._paint_rows()

    def _set_span(self, span: object) -> None:
        if isinstance(span, Span):
            self._span = span
            self._read_now()

    # --- changing ----------------------------------------------------------------------------------------------------

    def _register(self) -> None:
        self._open_form(None)

    def _change_peer(self) -> None:
        peer = self._peers.get(self._chosen)
        if peer is not None and self._may_write():
            self._open_form(peer)

    def _open_form(self, peer: Peer | None, *, maintenance: bool | None = None) -> None:
        form = PeerForm(self.view.window(), peer)
        if maintenance is not None:
            form.maintenance.setChecked(maintenance)
        form.asked.connect(lambda request: self._save(form, request))
        form.open()

    def _save(self, form: PeerForm, request: PeerRequest) -> None:
        peer_id, body = request.peer_id, request.body

        def saved(peer: Peer) -> None:
            self._wanted = peer.peer_id
            form.accept()
            self.session.notify(f"{peer.peer_id} is registered; its first probe follows within a second.")

        operation: Operation[Peer] = Operation(
            lambda client, _key: client.registry_put_peer(peer_id, body),
            title=f"Register {peer_id}",
            changes=("peers",),
            asks=True,
        )
        operation.success(saved).failure(form.show_failure).run(self.session, form)

    def _maintain(self) -> None:
        peer = self._peers.get(self._chosen)
        if peer is None:
            return
        if peer.ca_sha256 or peer.certificate_sha256:
            self._open_form(peer, maintenance=not peer.maintenance)
            return
        on = not peer.maintenance

        async def request(client: Client, _key: str) -> Peer:
            now = await client.registry_get_peer(peer.peer_id)
            if now.ca_sha256 or now.certificate_sha256:
                raise OwnCertificates("It was given certificates of its own meanwhile; use Change.")
            body = PeerBody(
                node_id=now.node_id,
                url=now.url,
                level="citadel" if now.level == "citadel" else "sovereign",
                maintenance=on,
                tags=now.tags,
            )
            return await client.registry_put_peer(peer.peer_id, body)

        words = "under maintenance" if on else "in service again"
        operation: Operation[Peer] = Operation(request, title=f"Maintenance of {peer.peer_id}", changes=("peers",))
        operation.success(lambda _peer: self.session.notify(f"{peer.peer_id} is {words}."))
        operation.failure(self._refused).run(self.session, self)

    def _delete(self) -> None:
        peer = self._peers.get(self._chosen)
        if peer is None:
            return

        def gone() -> None:
            if self._chosen == peer.peer_id:
                self._chosen = ""

        Deletion(
            peer.peer_id,
            lambda client: client.registry_delete_peer(peer.peer_id),
            ("peers",),
            f"{peer.node_id} at {peer.url} is no longer probed, its alarm closes. What the audit log says of it stays.",
            "Delete the peer",
        ).ask(self.session, self.view, self._refused, gone)

    def _refused(self, failure: Failure) -> None:
        self.show_failure(failure)
