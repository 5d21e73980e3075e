"""The burn on the board: sent from here or opened from a list, and followed to the proof of its last target."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from app.capabilities.burn.messages import Burn, BurnBody, BurnEvent, Preview
from app.console.failures import Failure
from app.console.language import tr
from app.console.operations import Operation, OperationPhase, OperationProgress
from app.console.pages.burn.board import BurnBoard
from app.console.pages.burn.drill import mark_drill
from app.console.pages.burn.view import BurnView
from app.console.part import Host
from app.console.session import MessageWay
from app.console.telemetry.live import LiveEvent


class RunningBurn:
    """``changed`` is called whenever the board has something to paint."""

    def __init__(self, host: Host, view: BurnView, changed: Callable[[], None]) -> None:
        self._host = host
        self._session = host.session
        self._view = view
        self._changed = changed
        self.board = BurnBoard()
        self.ordered_by = ""
        """The operator here who ordered the burn on the board; empty: it was ordered elsewhere, or by no operator."""
        self.phase: OperationPhase | None = None
        """Of the burn that was sent from here and is not answered yet."""

    @property
    def sent(self) -> bool:
        """Whether a burn was sent from here and is not answered."""
        return self.phase is not None

    @property
    def asking(self) -> bool:
        """Whether its answer was lost, and is asked for again."""
        return self.phase is OperationPhase.ASKING

    def show(self) -> None:
        """Paint the board as it is now."""
        live = self._session.live
        self._view.board.show_board(self.board, live.now(), asking=self.asking, stale=live.stale)

    # --- burning -----------------------------------------------------------------------------------------------------

    def send(self, body: BurnBody, preview: Preview | None) -> None:
        """Burn: the clock starts here. ``preview`` has the targets that wait from now on."""
        self.board.begin(body.node_id, body.scope, preview)
        operator = self._session.operator
        self.ordered_by = "" if operator is None else operator.display_name
        self.phase = OperationPhase.RUNNING
        # No idempotency key: by node and scope the same POST is the same burn, and each answer is the newest state.
        operation: Operation[Burn] = Operation(
            lambda client, _key: client.burn_execute(body),
            title=tr("Burn of {person}", person=body.node_id),
            changes=("burns", "nodes", "alarms"),
            asks=True,
        )
        operation.progress(self._show_progress).success(self._take_answer).failure(self._take_refusal)
        operation.run(self._session, self._view)

    def _show_progress(self, progress: OperationProgress) -> None:
        self.phase = progress.phase
        self._changed()

    def _take_answer(self, burn: Burn) -> None:
        """Show the burn; a toast says how far it is when another page is shown."""
        self.phase = None
        if (self.board.node_id, self.board.scope) == (burn.node_id, burn.scope):
            self.take(burn)
        face = self.board.clock(self._session.live.now())
        if not self._view.isVisible():
            said = mark_drill(
                tr("{person} is burned: {count} in {time}.", person=burn.node_id, count=face.count, time=face.time),
                burn.drill,
            )
            way = MessageWay("burn", {"burn_id": burn.burn_id})
            self._session.notify(said, "warn" if face.running else "ok", burn.burn_id, subject=burn.node_id, way=way)
        self._changed()

    def _take_refusal(self, failure: Failure) -> None:
        self.phase = None
        self.board = BurnBoard()
        if self._view.isVisible():
            self._host.show_failure(failure)
        else:
            self._session.notify_failure(tr("Burn", "record"), failure)
        self._changed()

    # --- following ---------------------------------------------------------------------------------------------------

    def take(self, burn: Burn) -> None:
        """Show a burn as an answer has it."""
        self.board.take_burn(burn)
        if self.board.began is None:
            self.ordered_by = ""
        self._changed()

    def take_if_shown(self, burn: Burn) -> None:
        """Bring the board up to date, if it shows that burn."""
        if self.board.burn_id == burn.burn_id:
            self.take(burn)

    def take_events(self, events: Sequence[LiveEvent]) -> None:
        """Bring the board up to date; what cannot be read counts as lost. A burn that has ended is read whole."""
        for live in events:
            try:
                event = live.read(BurnEvent)
            except msgspec.DecodeError:
                self._session.live.lost += 1
                continue
            self.board.take_event(event)
            ended = event.target is None and (event.state == "COMPLETE" or event.lifted)
            if ended and self.board.burn is not None and event.burn_id == self.board.burn_id:
                self._host.spawn(self._read_again(event.burn_id), name="burn complete")

    async def read_open(self) -> None:
        """Read the burn on the board again while it has targets without proof: a lost event must not stay lost."""
        if self.board.burn is not None and self.board.burn.state == "PARTIAL":
            self.take(await self._session.client.burn_get(self.board.burn.burn_id))

    async def _read_again(self, burn_id: str) -> None:
        self.take_if_shown(await self._session.client.burn_get(burn_id))
