"""Who acts: the operator's session whose call is being served, so that every leaf of the call names it.

A change passes through services that know of actors alone. The session goes beside them, in the context of the call's
task, and a job takes it along when it is given to the writer (``Transaction.audit``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class Acting:
    """A session at work: its operator (``actor``), its own id, and the console unit that it is bound to."""

    actor: str
    session_id: str
    unit_id: str

    def words(self) -> dict[str, str]:
        """As leaves name it."""
        return {"session_id": self.session_id, "unit_id": self.unit_id}


@dataclass(slots=True)
class _Call:
    acting: Acting
    over: bool = False


_call: ContextVar[_Call | None] = ContextVar("acting", default=None)


@contextlib.contextmanager
def acting_as(acting: Acting | None) -> Iterator[None]:
    """What is given to the writer inside the block is of this session; None: of none. A task that the block starts and
    that outlives it acts for itself from there on."""
    call = None if acting is None else _Call(acting)
    token = _call.set(call)
    try:
        yield
    finally:
        if call is not None:
            call.over = True
        _call.reset(token)


def session_at_work() -> Acting | None:
    """The session whose call is being served here; None: nobody's, or a key's."""
    call = _call.get()
    return None if call is None or call.over else call.acting
