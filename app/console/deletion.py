"""Deletes one row of the registry: asks first, does it, says that it is done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.console.failures import Failure
from app.console.operations import Operation
from app.console.widgets.confirm import ConfirmDialog

if TYPE_CHECKING:
    from app.client import Client
    from app.console.session import WindowSession
    from app.registry.messages import Deleted


@dataclass(frozen=True)
class Deletion:
    """``name``: what people call it; ``changes``: kinds that are others afterwards; ``consequence``: what ends and what
    stays; ``button``: names the thing that goes."""

    name: str
    delete: Callable[[Client], Awaitable[Deleted]]
    changes: Iterable[str]
    consequence: str
    button: str

    def ask(
        self,
        session: WindowSession,
        view: QWidget,
        refused: Callable[[Failure], None],
        gone: Callable[[], None] | None = None,
    ) -> None:
        """Opens the question over the window of ``view``. ``refused`` shows why it could not be deleted; ``gone`` is
        called before people are told that it was."""

        def done(_reply: Deleted) -> None:
            if gone is not None:
                gone()
            session.notify(f"{self.name} is deleted.")

        def agreed() -> None:
            operation: Operation[Deleted] = Operation(
                lambda client, _key: self.delete(client), title=f"Delete {self.name}", changes=self.changes
            )
            operation.success(done).failure(refused).run(session, view)

        ConfirmDialog(view.window(), f"Delete {self.name}?", self.consequence, self.button, agreed).open()
