"""What a burn learns from the doors: that a burned badge was presented."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from sqlalchemy import select

from app.capabilities.burn.running import drill_mark
from app.capabilities.burn.tables import burn
from app.delivery.alarms import AlarmBook
from app.delivery.events import Event, EventBus
from app.registry.messages.access import AccessEvent
from app.store.engine import Store
from app.store.errors import StoreError
from app.store.writer import DENIED, Transaction

log = logging.getLogger(__name__)

TRIPWIRE = "burn.tripwire"


class Tripwire:
    """Listens to the doors' decisions. ``start()``; ``stop()``."""

    def __init__(self, store: Store, alarms: AlarmBook, bus: EventBus) -> None:
        self._store = store
        self._alarms = alarms
        self._bus = bus
        self._unsubscribe: Callable[[], None] | None = None

    def start(self) -> None:
        """Begins to listen."""
        self._unsubscribe = self._bus.subscribe(self._on_event)

    def stop(self) -> None:
        """Listens no more."""
        if self._unsubscribe is not None:
            self._unsubscribe()

    def _on_event(self, event: Event) -> None:
        """A card at a reader: raises the alarm for a burned badge."""
        body = event.body
        if event.kind != "access" or not isinstance(body, AccessEvent):
            return
        if body.reason == "burned":
            try:
                self._store.writer.submit(lambda tx: self._trip(tx, body)).add_done_callback(_log_failure)
            except StoreError:
                log.exception("a burned badge was presented and could not be recorded")

    def _trip(self, tx: Transaction, access: AccessEvent) -> None:
        """Leaf and alarm of a burned badge at a reader."""
        burn_id = access.ref or ""
        drill = bool(tx.connection.scalar(select(burn.c.drill).where(burn.c.burn_id == burn_id)))
        detail: dict[str, object] = {
            "burn_id": burn_id,
            "reader_id": access.reader_id,
            "cluster_id": access.cluster_id,
            **drill_mark(drill),
        }
        tx.audit(TRIPWIRE, actor="service", outcome=DENIED, node_id=access.node_id, detail=detail)
        text = f"A burned badge of node {access.node_id} was presented at reader {access.reader_id} ({burn_id})."
        if drill:
            text = f"DRILL: {text}"
        self._alarms.raise_alarm(tx, TRIPWIRE, burn_id, text, node_id=access.node_id, ref=burn_id)


def _log_failure(done: Any) -> None:
    if not done.cancelled() and done.exception() is not None:
        log.error("a burned badge was presented and could not be recorded", exc_info=done.exception())
