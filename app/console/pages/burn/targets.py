"""Targets of the burn on the board that are without proof: tries one again, or gives it up with a reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.capabilities.burn.messages import Burn, CloseBody
from app.console.actions import Action, Effect
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.burn.board_view import BoardView
from app.console.part import Host


class OpenTargets:
    """``burn`` gives the burn on the board while it stands, ``take`` gets it as an answer has it."""

    def __init__(
        self, host: Host, view: BoardView, *, burn: Callable[[], Burn | None], take: Callable[[Burn], None]
    ) -> None:
        self._host = host
        self._session = host.session
        self._view = view
        self._burn = burn
        self._take = take
        view.close_reason.textChanged.connect(lambda _text: self._session.actions.refresh())
        view.close_reason.returnPressed.connect(lambda: self._session.actions.trigger("burn.close"))

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table."""
        return [
            Action(
                "burn.retry", tr("Try this target now"), self._retry, "refresh-cw", ("Ctrl+R",), "burn",
                when=self._is_triable, effect=Effect.CHANGE,
                hint=tr("Looks at it, and ends there anew what somebody has undone."),
                calls=("burn_retry_target",),
            ),
            Action(
                "burn.close", tr("Close without proof"), self._close, "x", page="burn",
                when=lambda: self._is_open() and bool(self._reason), effect=Effect.CHANGE,
                hint=tr("Gives the target up: it is no longer tried, and your reason stays in the audit log."),
                calls=("burn_close_target",),
            ),
        ]  # fmt: skip

    @property
    def _reason(self) -> str:
        return self._view.close_reason.text().strip()

    def _is_open(self) -> bool:
        row = self._view.target
        return row is not None and row.open and self._burn() is not None

    def _is_triable(self) -> bool:
        row = self._view.target
        return row is not None and row.triable and self._burn() is not None

    def select_first(self) -> None:
        """Select the first target that is without proof."""
        for at, row in enumerate(self._view.model.rows):
            if row.open:
                self._view.table.selectRow(at)
                return

    def _retry(self) -> None:
        burn, row = self._burn(), self._view.target
        if burn is None or row is None:
            return
        operation: Operation[Burn] = Operation(
            lambda client, _key: client.burn_retry_target(burn.burn_id, row.id),
            title=tr("Try {name} again", name=row.name),
            changes=("burns",),
            asks=True,
        )
        operation.success(self._take).failure(self._host.show_failure).run(self._session, self._view)

    def _close(self) -> None:
        """Give the selected target up. Its reason stays in the audit log."""
        burn, row, reason = self._burn(), self._view.target, self._reason
        if burn is None or row is None or not reason:
            return
        operation: Operation[Burn] = Operation(
            lambda client, key: client.burn_close_target(
                burn.burn_id, row.id, CloseBody(reason=reason), idempotency_key=key
            ),
            title=tr("Close {name} without proof", name=row.name),
            changes=("burns",),
            asks=True,
        )
        operation.success(self._take).failure(self._host.show_failure).run(self._session, self._view)
        self._view.close_reason.clear()
