"""The one way to change anything: an ``Operation`` has progress, success, failure, an initiator and what it changed.

An operation belongs to the session, not to the page that began it: leaving the page must not cancel a burn.
"""

from __future__ import annotations

import asyncio
import enum
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import shiboken6
from PySide6.QtCore import QObject

from app.console.failures import Failure, failure_of
from app.console.language import tr
from app.console.shown_time import PAST_SHOWN

if TYPE_CHECKING:
    from app.client import Client
    from app.console.session import WindowSession

ReplyT = TypeVar("ReplyT")

FIRST_WAIT_S = 0.2
LONGEST_WAIT_S = 5.0


class OperationPhase(enum.StrEnum):
    """Where a running operation is."""

    RUNNING = "running"
    ASKING = "asking"
    """The answer was lost: the same request is sent again until its result is known. Shown as "unknown, asking"."""


@dataclass(frozen=True)
class OperationProgress:
    """What is known while it runs. ``elapsed_s`` counts from ``run``; ``attempt`` from 1."""

    phase: OperationPhase
    attempt: int
    elapsed_s: float

    @property
    def words(self) -> str:
        """The phase as the operator reads it."""
        return tr("unknown, asking") if self.phase is OperationPhase.ASKING else tr("running")


@dataclass(frozen=True)
class Change:
    """What an operation changed: ``kinds`` such as ``nodes``, ``cards``, ``burns``; only views of those refresh."""

    kinds: frozenset[str]
    initiator: object
    reply: object


class Operation(Generic[ReplyT]):
    """A change of state. ``request(client, idempotency_key)`` makes the call; the key is the same for all attempts.
    ``asks`` says that the call is idempotent by nature or by its key: a lost answer is then asked for again, with the
    client of that moment (the service may have been started anew), until it is known. Without ``asks`` a lost answer is
    a failure with ``unknown`` set. ``changes`` are the kinds that a success changes, or a function of the reply that
    gives them."""

    def __init__(
        self,
        request: Callable[[Client, str], Awaitable[ReplyT]],
        *,
        title: str,
        changes: Iterable[str] | Callable[[ReplyT], Iterable[str]] = (),
        asks: bool = False,
    ) -> None:
        self._request = request
        self._changes = changes
        self._asks = asks
        self.title = title
        self._progress: Callable[[OperationProgress], None] | None = None
        self._success: Callable[[ReplyT], None] | None = None
        self._failure: Callable[[Failure], None] | None = None

    def progress(self, callback: Callable[[OperationProgress], None]) -> Operation[ReplyT]:
        """Call ``callback`` at the start and whenever the phase or the attempt changes."""
        self._progress = callback
        return self

    def success(self, callback: Callable[[ReplyT], None]) -> Operation[ReplyT]:
        """Call ``callback`` with the reply."""
        self._success = callback
        return self

    def failure(self, callback: Callable[[Failure], None]) -> Operation[ReplyT]:
        """Call ``callback`` with the failure; without it the failure becomes a toast."""
        self._failure = callback
        return self

    def run(self, session: WindowSession, initiator: object = None) -> asyncio.Task[ReplyT | None]:
        """Start it. ``initiator`` is the view or presenter that began it; when it is a QObject that Qt has deleted
        meanwhile, the result goes to a toast instead of its callbacks. While the window shows the past nothing is sent:
        the failure says so. What was begun before goes on."""
        refusal = session.shown_time.refusal
        work = self._refuse(session, initiator, refusal) if refusal else self._drive(session, initiator)
        return session.tasks.spawn(work, name=f"operation {self.title}")

    async def _refuse(self, session: WindowSession, initiator: object, refusal: str) -> ReplyT | None:
        failure = Failure(PAST_SHOWN, tr("{title}: nothing was sent. {refusal}", title=self.title, refusal=refusal))
        if not self._tell(initiator, self._failure, failure):
            session.notify(failure.sentence, "warn", subject=PAST_SHOWN)
        return None

    async def _drive(self, session: WindowSession, initiator: object) -> ReplyT | None:
        """Make the request, again and again while its answer is lost and it may be asked for again; then hand the reply
        or the failure to the callbacks."""
        key = secrets.token_hex(16)
        began = time.monotonic()
        attempt = 1
        phase = OperationPhase.RUNNING
        wait = FIRST_WAIT_S
        while True:
            self._tell(initiator, self._progress, OperationProgress(phase, attempt, time.monotonic() - began))
            try:
                reply = await self._request(session.client, key)
            except Exception as error:  # a request may raise anything; every error is shown, none is swallowed
                failure = failure_of(error)
                # A key whose first request still runs is answered "in progress": that is no result.
                running = failure.code == "request_in_progress" and phase is OperationPhase.ASKING
                # After a lost answer, a connection that fails says nothing about the result of that request.
                lost = failure.unknown or (phase is OperationPhase.ASKING and failure.code == "connection_lost")
                if self._asks and (lost or running):
                    phase = OperationPhase.ASKING
                    attempt += 1
                    await asyncio.sleep(wait)
                    wait = min(wait * 2, LONGEST_WAIT_S)
                    await session.wait_connected()
                    continue
                if not self._tell(initiator, self._failure, failure):
                    session.notify_failure(self.title, failure)
                return None
            break
        kinds = self._changes(reply) if callable(self._changes) else self._changes
        if not self._tell(initiator, self._success, reply):
            session.notify(tr("{title}: done", title=self.title))
        session.changed.emit(Change(frozenset(kinds), initiator, reply))
        return reply

    @staticmethod
    def _tell(initiator: object, callback: Callable[[Any], None] | None, what: object) -> bool:
        """Call ``callback`` with ``what``; False when there is none, or when Qt has deleted the initiator meanwhile."""
        if callback is None or (isinstance(initiator, QObject) and not shiboken6.isValid(initiator)):
            return False
        callback(what)
        return True
