"""Events and interfaces through which capabilities meet without importing each other.

* ``EventBus`` carries what happens now to whoever listens: the telemetry stream, counters, the tripwire. It promises
  nothing across a crash: what must survive one is a row first.
* ``GrantHolder`` is what burn asks of everybody who holds a grant of a node. It is called inside the burn's own
  transaction, so a grant is gone exactly when the burn is durable.
* ``Burner`` is how a capability that learned of a person's leaving (HR) has him burned, contained or queued.
* ``PersonRecords`` is what an erasure asks of everybody whose rows say more of a person than the registry does.
* ``LiveChecks`` is how a capability that saw the living person (card, palm, voice) tells the registry.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import msgspec
from sqlalchemy import Connection

from app.store.writer import Transaction

EventKind = Literal["status", "handshake", "card", "access", "burn", "containment", "scan", "hr", "alarm"]
Listener = Callable[["Event"], None]
Also = Callable[[Transaction, str], None]
"""What the caller writes in the same transaction; the text is the id of the burn or containment."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Event:
    """Something that happened. ``body`` is a message Struct; ``at_us`` Unix microseconds."""

    kind: EventKind
    body: msgspec.Struct
    at_us: int


class EventBus:
    """Fan-out inside the process. ``publish`` may be called on any thread and calls the listeners on that thread:
    a listener must be quick, must not block and must not raise (one that does is logged and the others go on)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: tuple[Listener, ...] = ()

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Adds a listener; the returned callable takes it away."""
        with self._lock:
            self._listeners = (*self._listeners, listener)

        def unsubscribe() -> None:
            with self._lock:
                self._listeners = tuple(known for known in self._listeners if known is not listener)

        return unsubscribe

    def publish(self, event: Event) -> None:
        """Hands the event to every listener of this moment."""
        for listener in self._listeners:
            try:
                listener(event)
            except Exception:
                log.exception("event listener failed", extra={"kind": event.kind})


@dataclass(frozen=True)
class RevocationEvidence:
    """What a holder did for a burn: ``id`` names the target, ``detail`` is what proves it."""

    id: str
    kind: str
    display_name: str
    count: int
    already: bool
    detail: str


@dataclass(frozen=True)
class Holding:
    """What a holder has of a node, for the preview: nothing is changed. ``until_us`` None = no end known."""

    id: str
    kind: str
    display_name: str
    count: int
    reversible: bool
    detail: str


class GrantHolder(Protocol):
    """Whoever holds grants of nodes: certificates of cards, QR sessions, permits, reader grants."""

    def holdings(self, node_id: str) -> Sequence[Holding]:
        """What a burn of this node would take away; reads only."""
        ...

    def revoke(self, tx: Transaction, node_id: str, burn_id: str) -> Sequence[RevocationEvidence]:
        """Takes it all away inside the burn's transaction; must be idempotent and quick, and must not raise for a
        node that it does not know."""
        ...


@dataclass(frozen=True)
class Held:
    """What rows say of a node's person: how many an erasure takes something out of, and what stays, in sentences."""

    rows: int
    kept: Sequence[str] = ()


class PersonRecords(Protocol):
    """Whoever keeps rows, beside the logs, that say more of a person than the registry does."""

    def held_records(self, connection: Connection, node_id: str) -> Held:
        """What an erasure of this node would do; reads only."""
        ...

    def forget(self, tx: Transaction, node_id: str) -> int:
        """Takes it out inside the erasure's transaction; how many rows. Idempotent, also for a node that nobody knows;
        what denies somebody stays in force."""
        ...


class Burner(Protocol):
    """Burn's side. Event loop only; each call answers when its ONE transaction, with ``also`` in it, is durable, and
    waits for no target. ``also`` runs once in every call that returns. What it raises is raised to the caller, and then
    nothing of the call is durable and nobody is denied by it. A ``Problem`` 503: the store could not take it; send it
    again (a burn's node stays denied in memory even then)."""

    async def burn_with(self, node_id: str, reason: str, *, actor: str, request_id: str | None, also: Also) -> str:
        """Burns the node everywhere (GLOBAL_REVOCATION); the burn_id. A node that is burned already keeps its burn:
        ``also`` gets a transaction of its own and the known burn_id."""
        ...

    async def contain_with(
        self,
        node_id: str,
        *,
        cause: Literal["containment", "brake"],
        seconds: float | None,
        message: str,
        actor: str,
        request_id: str | None,
        also: Also,
    ) -> str:
        """Denies the node here, reversibly, for ``seconds`` or (None) until a person decides; the containment_id. A
        node that this cause contains already keeps that containment, with the later end; a queued one is contained. A
        burned one needs none: what is recorded is over from the start and names the burn."""
        ...

    async def queue_with(self, node_id: str, *, message: str, actor: str, request_id: str | None, also: Also) -> str:
        """Denies nothing: the node is listed as queued until a person releases or burns it; the containment_id. A node
        that the brake holds or queued already keeps that row."""
        ...


class LiveChecks(Protocol):
    """The registry's side: the record of checks of the living person."""

    def record(
        self, tx: Transaction, *, node_id: str, kind: Literal["voice", "palm", "stylized", "card"], ref: str
    ) -> None:
        """A check of the node succeeded now: standing becomes VERIFIED_DIGITAL_HUMAN unless burned or suspended."""
        ...
