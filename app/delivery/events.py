"""Events and interfaces through which capabilities meet without importing each other.

* ``EventBus`` carries events of this moment to its listeners: the telemetry stream, counters, the tripwire. It promises
  nothing across a crash: what must survive one is a row first.
* ``GrantHolder``: a burn calls every holder of grants of a node inside its own transaction, so a grant is gone exactly
  when the burn is durable.
* ``Burner``: through it a capability that learned that a person leaves (HR) has that person burned, contained or
  queued.
* ``PersonRecords``: an erasure calls every keeper of rows that say more about a person than the registry does.
* ``DoorTrace``: through it a burn learns where a person was last let in.
* ``EvidenceSource``: through it a strike learns what this site knows of the scan, seal or media that it names.
* ``LiveChecks``: through it a capability that saw the living person (card, palm, voice) informs the registry.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import msgspec
from sqlalchemy import Connection

from app.store.writer import Transaction

EventKind = Literal["status", "handshake", "card", "access", "burn", "containment", "scan", "hr", "alarm"]
Listener = Callable[["Event"], None]
Also = Callable[[Transaction, str], None]
"""Writes the caller's own rows in the same transaction; the text is the id of the burn or containment."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Event:
    """Something that happened. ``body`` is a message Struct, ``at_us`` is in Unix microseconds."""

    kind: EventKind
    body: msgspec.Struct
    at_us: int


class EventBus:
    """Fan-out inside the process. ``publish`` may be called on any thread, and calls the listeners on that thread: a
    listener must be quick, must not block and must not raise. If one raises, that is logged and the others go on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: tuple[Listener, ...] = ()

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Adds a listener; the returned callable removes it."""
        with self._lock:
            self._listeners = (*self._listeners, listener)

        def unsubscribe() -> None:
            with self._lock:
                self._listeners = tuple(known for known in self._listeners if known is not listener)

        return unsubscribe

    def publish(self, event: Event) -> None:
        """Hands the event to every present listener."""
        for listener in self._listeners:
            try:
                listener(event)
            except Exception:
                log.exception("event listener failed", extra={"kind": event.kind})


@dataclass(frozen=True)
class RevocationEvidence:
    """What a holder did for a burn. ``id`` names the target, ``detail`` proves what was done."""

    id: str
    kind: str
    display_name: str
    count: int
    already: bool
    detail: str


@dataclass(frozen=True)
class Holding:
    """What a holder has of a node, for the preview of a burn."""

    id: str
    kind: str
    display_name: str
    count: int
    reversible: bool
    detail: str


class GrantHolder(Protocol):
    """A holder of grants of nodes: certificates of cards, QR sessions, permits, reader grants."""

    def holdings(self, node_id: str) -> Sequence[Holding]:
        """What a burn of this node would revoke; only reads."""
        ...

    def revoke(self, tx: Transaction, node_id: str, burn_id: str) -> Sequence[RevocationEvidence]:
        """Revokes all of it inside the burn's transaction. Must be idempotent and quick, and must not raise for an
        unknown node."""
        ...


@dataclass(frozen=True)
class Held:
    """What rows say about the person of a node: from how many an erasure removes something, and in sentences what
    stays."""

    rows: int
    kept: Sequence[str] = ()


class PersonRecords(Protocol):
    """A keeper of rows, beside the logs, that say more about a person than the registry does."""

    def held_records(self, connection: Connection, node_id: str) -> Held:
        """What an erasure of this node would do; only reads."""
        ...

    def forget(self, tx: Transaction, node_id: str) -> int:
        """Removes it inside the erasure's transaction; from how many rows. Idempotent, also for an unknown node. Rows
        that deny a person stay in force."""
        ...


class Burner(Protocol):
    """The side of burn. Event loop only. Each call returns when its ONE transaction, with ``also`` in it, is durable;
    it waits for no target. ``also`` runs once in every call that returns. If it raises, the caller gets the exception,
    nothing of the call is durable and it denies nobody. A burn that waits for room on the disk returns, too: its
    ``also`` runs when it is stored. A ``Problem`` 503 means that the store could not take it: call again (a burn's node
    stays denied in memory even then)."""

    async def burn_with(self, node_id: str, reason: str, *, actor: str, request_id: str | None, also: Also) -> str:
        """Burns the node everywhere (GLOBAL_REVOCATION); the burn_id. A node that is already burned keeps its burn:
        then ``also`` gets a transaction of its own and the existing burn_id."""
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
        node that this cause already contains keeps that containment, with the later end; a queued one becomes
        contained. A burned one needs none: its record is over from the start and names the burn."""
        ...

    async def queue_with(self, node_id: str, *, message: str, actor: str, request_id: str | None, also: Also) -> str:
        """Denies nothing: the node is listed as queued until a person releases or burns it; the containment_id. A node
        that the brake already holds or queued keeps that row."""
        ...


class DoorTrace(Protocol):
    """The side of the doors: what is kept of their decisions. Any thread that may block."""

    def last_grant(self, node_id: str) -> tuple[int, str] | None:
        """When (Unix microseconds) and at which reader or terminal the node was last let in; None: not since
        ``since_us``."""
        ...

    def since_us(self) -> int:
        """From when on (Unix microseconds) decisions are known: what was before was not kept."""
        ...


@dataclass(frozen=True)
class FoundEvidence:
    """What a capability knows of a reference. ``title`` and ``facts``: sentences for people; ``files``: by name, what
    proves it without this site (a signed bundle)."""

    kind: Literal["scan", "seal", "media"]
    ref: str
    title: str
    facts: Sequence[str]
    files: Mapping[str, bytes] = field(default_factory=dict)


class EvidenceSource(Protocol):
    """A capability that has evidence to name. Any thread that may block."""

    def find(self, ref: str) -> FoundEvidence | None:
        """What is known of ``ref``, any text; None where it is none of this source's, or unknown here. Only reads."""
        ...


class LiveChecks(Protocol):
    """The side of the registry: records checks of the living person."""

    def record(
        self, tx: Transaction, *, node_id: str, kind: Literal["voice", "palm", "stylized", "card"], ref: str
    ) -> None:
        """A check of the node succeeded now: its standing becomes VERIFIED_DIGITAL_HUMAN unless burned or suspended."""
        ...
