"""The drawer of training cards, as the batch asks for it: a card out, a blank one or the same one in."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from app.console.failures import Failure
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.batch.board import BatchBoard, NextMove
from app.console.part import Host
from app.training.messages import TrainingCardBody, TrainingCardReply


class BatchDrawer:
    """Moves one card at a time. ``board`` gives the batch that is shown, ``read_now`` has the readers read."""

    def __init__(
        self, host: Host, view: QWidget, board: Callable[[], BatchBoard | None], read_now: Callable[[], None]
    ) -> None:
        self._host = host
        self._view = view
        self._board = board
        self._read_now = read_now
        self._inside: dict[str, str] = {}
        """The card that was put into each reader last."""
        self._swapping = False

    @property
    def can_swap(self) -> bool:
        """Whether a simulated reader asks for hands."""
        return not self._swapping and self._next_move() is not None

    def _next_move(self) -> TrainingCardBody | None:
        """What the person at the desk would do next at the first simulated reader that asks for hands."""
        board = self._board()
        if board is None or board.summary.state != "RUNNING":
            return None
        for station in board.stations():
            card = board.cards.get(station.reader)
            if card is None or not card.simulated:
                continue
            match station.hands:
                case NextMove.TAKE_OUT | NextMove.CLEAR | NextMove.SAME_AGAIN:
                    return TrainingCardBody(reader=station.reader, action="remove")
                case NextMove.SAME_BACK if (same := self._inside.get(station.reader)) is not None:
                    return TrainingCardBody(reader=station.reader, action="insert", card=same)
                case NextMove.INSERT | NextMove.SAME_BACK if board.summary.counts.waiting:
                    return TrainingCardBody(reader=station.reader, action="insert")
        return None

    def swap(self) -> None:
        """Make that move."""
        body = self._next_move()
        if body is None:
            return
        self._swapping = True

        def take(reply: TrainingCardReply) -> None:
            self._swapping = False
            if reply.card is not None:
                self._inside[reply.reader] = reply.card
            self._read_now()

        def refuse(failure: Failure) -> None:
            self._swapping = False
            self._host.show_failure(failure)

        Operation(
            lambda client, key: client.drawer_move_card(body, idempotency_key=key),
            title=tr("Next training card"),
            changes=("cards",),
        ).success(take).failure(refuse).run(self._host.session, self._view)
