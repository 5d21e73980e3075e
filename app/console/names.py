"""The names of operators, wherever the console shows who did something.

What is stored and signed names an operator by its id alone, and a name is read when it is shown. Most lists have the id
only, so one list of the operators is read for all of them, and again when it changed or an id is not in it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal

from app.api.operator_id import OPERATOR_PREFIX, is_operator
from app.client import ClientError
from app.console.failures import NotConnected
from app.console.growing import page_query, read_all
from app.console.language import tr
from app.console.widgets.table import Column

if TYPE_CHECKING:
    from app.client import Client
    from app.console.operations import Change
    from app.console.session import WindowSession
    from app.operators.messages import Operator

RENAMED_S = 60.0
"""After so long the list is read again: somebody may have been renamed at another console."""
HIDDEN = tr("an operator")
"""Stands for every operator while nobody is signed in."""

RowT = TypeVar("RowT")


class OperatorNames(QObject):
    """One for each window (``session.names``). ``changed``: another name is known."""

    changed = Signal()

    def __init__(self, session: WindowSession) -> None:
        super().__init__(session)
        self._session = session
        self._names: dict[str, str] = {}
        self._asked: set[str] = set()
        """Ids that the list did not have: it is not read for them at once again."""
        self._read_at = -math.inf
        self._reading = False
        session.connected.connect(self._begin)
        session.changed.connect(self._take_change)

    def of(self, actor: str | None, known: str | None = None) -> str:
        """The operator's name, and ``known`` where the service has said it beside the id. Any other actor (a key, a
        source, a command) as it is, and nothing for None. No name while nobody is signed in."""
        if actor is None or not is_operator(actor):
            return actor or ""
        if self._session.resting:
            return HIDDEN
        if known:
            return known
        name = self._names.get(actor)
        if (name is None and actor not in self._asked) or time.monotonic() - self._read_at > RENAMED_S:
            self._read_soon()
        if name is None:
            self._asked.add(actor)
        return name or actor

    def full(self, actor: str | None, known: str | None = None) -> str:
        """The name with the id behind it, where a proof is shown or copied; other actors as ``of`` says."""
        name = self.of(actor, known)
        return name if name in (actor, "") else f"{name} ({actor})"

    def in_text(self, text: str) -> str:
        """A sentence of the service in which ids of operators stand, with their names."""
        words = text.split(" ")
        return " ".join(self._word(word) for word in words) if OPERATOR_PREFIX in text else text

    def _word(self, word: str) -> str:
        bare = word.rstrip(".,:;!?)")
        return self.of(bare) + word[len(bare) :] if is_operator(bare) else word

    def take(self, operators: Sequence[Operator]) -> None:
        """This is the whole list of operators, read just now."""
        self._read_at = time.monotonic()
        names = {one.operator_id: one.display_name for one in operators}
        if names != self._names:
            self._names = names
            self.changed.emit()

    def _begin(self) -> None:
        # Another service, or another operator at the desk: what was not there may be there now.
        self._asked = set()

    def _take_change(self, change: Change) -> None:
        if "operators" in change.kinds:
            self._asked = set()
            self._read_soon()

    def _read_soon(self) -> None:
        if self._session.is_connected and not self._reading:
            self._reading = True
            self._session.tasks.spawn(self._read(self._session.client), name="names of operators")

    async def _read(self, client: Client) -> None:
        self._read_at = time.monotonic()  # also a reading that fails is not tried again at once
        try:
            self.take(await read_all(lambda cursor: client.registry_list_operators(query=page_query(cursor))))
        except (ClientError, NotConnected):
            # The ids stand in place of the names, until the next reading.
            return
        finally:
            self._reading = False


def who(
    names: OperatorNames,
    title: str,
    actor: Callable[[RowT], str | None],
    width: int,
    *,
    known: Callable[[RowT], str | None] = lambda _row: None,
    spare: int = 0,
    dim: bool = False,
) -> Column[RowT]:
    """The column that says who did something: the name, with the id on hover and beside it in what is copied."""
    return Column(
        title,
        lambda row: names.of(actor(row), known(row)),
        width,
        spare=spare,
        dim=dim,
        hint=lambda row: actor(row) or "",
        copied=lambda row: names.full(actor(row), known(row)),
    )
