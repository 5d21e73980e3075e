"""The cards at doors that a window knows: those of the service's record, and those that it heard itself.

The record is read whenever the stream has begun, or has lost something: so nothing is missing between what is read and
what is heard, and what is in both counts once.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, Signal

from app.capabilities.credentials.messages import DoorDecisionQuery
from app.client import ClientError
from app.console.failures import NotConnected, failure_of
from app.console.moments import parse_time
from app.console.telemetry.live import LiveEvent
from app.registry.messages.access import AccessEvent

if TYPE_CHECKING:
    from app.console.session import WindowSession

KEPT = 500
"""Decisions that a window keeps, and the longest page of the record."""


@dataclass(frozen=True)
class CardAtDoor:
    """A card at a door. ``heard``: this window heard it when it happened; else it stands in the record."""

    event: AccessEvent
    at: float
    heard: bool

    @property
    def key(self) -> str:
        """Names the decision: no reader makes two in one microsecond."""
        return f"{self.event.at} {self.event.reader_id}"


class DoorFeed(QObject):
    """One for each window (``session.doors``), for its whole life."""

    changed = Signal()

    def __init__(self, session: WindowSession) -> None:
        super().__init__(session)
        self.rows: list[CardAtDoor] = []
        """Newest first."""
        self.recorded_since: float | None = None
        """When the record begins, Unix time; None: it was not read yet."""
        self.trouble = ""
        """Why the record could not be read, one sentence."""
        self._session = session
        self._known: dict[str, CardAtDoor] = {}
        self._reading = self._again = False
        live = session.live
        live.subscribe("access", self.take_accesses)
        live.subscribe("gap", lambda _events: self._read_soon())
        live.state_changed.connect(self._take_state)
        self._take_state(live.state)

    def _take_state(self, state: str) -> None:
        if state == "live":
            self._read_soon()

    def _read_soon(self) -> None:
        """Read the record; once more where that is being done, for it may have begun too early."""
        if not self._session.is_connected:
            return
        if refusal := self._session.permissions.refusal(("door_decisions_list",)):
            self.trouble = refusal
            self.changed.emit()
            return
        if self._reading:
            self._again = True
            return
        self._reading = True
        self._session.tasks.spawn(self._read(), name="read what doors decided")

    async def _read(self) -> None:
        """Read the newest page, until no stream began and none lost anything meanwhile."""
        try:
            while True:
                self._again = False
                page = await self._session.client.door_decisions_list(query=DoorDecisionQuery(limit=KEPT))
                self.recorded_since, self.trouble = parse_time(page.recorded_since), ""
                self._add([CardAtDoor(event, parse_time(event.at), heard=False) for event in page.items])
                if not self._again:
                    return
        except (ClientError, NotConnected) as error:
            # What is shown stays, and the next stream reads again.
            self.trouble = failure_of(error).sentence
            self.changed.emit()
        finally:
            self._reading = False

    def take_accesses(self, events: Sequence[LiveEvent]) -> None:
        """Add decisions of the stream; what cannot be read counts as lost."""
        heard: list[CardAtDoor] = []
        for event in events:
            try:
                body = event.read(AccessEvent)
                heard.append(CardAtDoor(body, parse_time(body.at), heard=True))
            except (msgspec.DecodeError, ValueError):
                self._session.live.lost += 1
        self._add(heard)

    def _add(self, rows: Sequence[CardAtDoor]) -> None:
        """Keep the newest of all; what this window heard stays heard."""
        for row in rows:
            if row.heard or row.key not in self._known:
                self._known[row.key] = row
        self.rows = heapq.nlargest(KEPT, self._known.values(), key=lambda row: row.key)
        self._known = {row.key: row for row in self.rows}
        self.changed.emit()
