"""Deletes one row of the registry: asks first, deletes it, reports that it is deleted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.console.failures import Failure
from app.console.language import tr
from app.console.operations import Operation
from app.console.widgets.confirm import ConfirmDialog

if TYPE_CHECKING:
    from app.client import Client
    from app.console.session import WindowSession
    from app.registry.messages.shared import Deleted


@dataclass(frozen=True)
class Deletion:
    """``name``: what people call the row; ``changes``: kinds that change with it; ``consequence``: what ends and what
    stays; ``button``: names what is deleted."""

    name: str
    delete: Callable[[Client], Awaitable[Deleted]]
    changes: Iterable[str]
    consequence: str
    button: str

    def ask(
        self,
        session: WindowSession,
        view: QWidget,
        on_refusal: Callable[[Failure], None],
        on_gone: Callable[[], None] | None = None,
    ) -> None:
        """Open the question over the window of ``view``. ``on_refusal`` shows why it could not be deleted; ``on_gone``
        is called before the toast that says that it was."""

        def report_done(_reply: Deleted) -> None:
            if on_gone is not None:
                on_gone()
            session.notify(tr("{name} is deleted.", name=self.name), subject=self.name)

        def delete_now() -> None:
            operation: Operation[Deleted] = Operation(
                lambda client, _key: self.delete(client),
                title=tr("Delete {name}", name=self.name),
                changes=self.changes,
            )
            operation.success(report_done).failure(on_refusal).run(session, view)

        ConfirmDialog(
            view.window(), tr("Delete {name}?", name=self.name), self.consequence, self.button, delete_now
        ).open()
