"""The training drawer: simulated cards are put into a reader and pulled out, also in the middle of a write."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.console.actions import Action, Effect
from app.console.failures import Failure
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.write_card.state import WriteCardState
from app.training.messages import TrainingCardBody, TrainingCardReply


class DrawerMoves:
    """Moves one card at a time. ``read_now`` has the readers read again."""

    def __init__(self, state: WriteCardState, initiator: object, read_now: Callable[[], None]) -> None:
        self._state = state
        self._initiator = initiator
        self._read_now = read_now
        self._moving = False

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table."""
        page = "write_card"
        return [
            Action(
                "write_card.insert", tr("Insert a training card"), self._insert, "download", ("Ctrl+I",), page,
                when=lambda: self._can_move(present=False), effect=Effect.CHANGE,
                calls=("drawer_move_card",),
            ),
            Action(
                "write_card.pull", tr("Pull the training card out"), self._pull, "upload", ("Ctrl+Shift+I",), page,
                when=lambda: self._can_move(present=True), effect=Effect.CHANGE,
                hint=tr("Also in the middle of a write: the card is then torn, and the same card goes on."),
                calls=("drawer_move_card",),
            ),
        ]  # fmt: skip

    def _can_move(self, *, present: bool) -> bool:
        card = self._state.card
        return not self._moving and card is not None and card.simulated and card.present is present

    def _insert(self) -> None:
        card = self._state.card
        if card is not None:
            name = self._state.view.drawer.currentData()
            self._move(TrainingCardBody(reader=card.reader, action="insert", card=name), tr("Insert a training card"))

    def _pull(self) -> None:
        card = self._state.card
        if card is not None:
            self._move(TrainingCardBody(reader=card.reader, action="remove"), tr("Pull the training card out"))

    def _move(self, body: TrainingCardBody, title: str) -> None:
        """Put a card in or pull it out, and show what is left in the drawer."""
        self._moving = True

        def take(reply: TrainingCardReply) -> None:
            self._moving = False
            self._state.view.offer_drawer(reply.drawer)
            self._read_now()

        def refuse(failure: Failure) -> None:
            self._moving = False
            self._state.show_failure(failure)

        Operation(
            lambda client, key: client.drawer_move_card(body, idempotency_key=key), title=title, changes=("cards",)
        ).success(take).failure(refuse).run(self._state.session, self._initiator)
