"""Whether a decision that is shown still stands: what the stream tells of its person and its door since."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from app.capabilities.burn.messages import BurnEvent, ContainmentEvent
from app.console.moments import parse_time
from app.console.session import WindowSession
from app.console.telemetry.live import LiveEvent
from app.console.theme.tokens import Meaning
from app.console.widgets.verdict import PassingVerdict
from app.registry.messages.access import AccessEvent

EventT = TypeVar("EventT", BurnEvent, ContainmentEvent, AccessEvent)


class VerdictWatch:
    """Lets ``label`` pass by when something newer is known: another decision about the person or at the door, a burn or
    a containment of a person who was granted, the end of one for a person who was denied. A grant that comes after
    a burn stays: it must be seen."""

    def __init__(self, session: WindowSession, label: PassingVerdict) -> None:
        self._session = session
        self._label = label
        self._node_id = self._reader_id = ""
        live = session.live
        live.subscribe("burn", self._take_burns)
        live.subscribe("containment", self._take_containments)
        live.subscribe("access", self._take_accesses)

    def decide(self, state: Meaning, word: str, at: float, *, node_id: str, reader_id: str = "") -> None:
        """Show a decision of ``at`` (Unix time of the service) about a person, at a door. Without a door, other
        decisions do not end it: the page that shows it follows them by itself."""
        self._node_id, self._reader_id = node_id, reader_id
        self._label.decide(state, word, at, self._session.live.now())

    def take_burn(self, node_id: str, at: float, *, lifted: bool = False) -> None:
        """A burn of the node began (or was lifted) at that time."""
        self._end(node_id, at, granted=not lifted)

    def _end(self, node_id: str, at: float, *, granted: bool) -> None:
        """A grant (or a denial) of the node that is older than ``at`` has passed."""
        decided = self._label.decided
        if decided is None or node_id != self._node_id or at <= decided[2]:
            return
        if (decided[0] is Meaning.OK) is granted:
            self._label.pass_by()

    def _take_burns(self, events: Sequence[LiveEvent]) -> None:
        for live in events:
            if (event := self._read(live, BurnEvent)) is not None:
                self.take_burn(event.node_id, parse_time(event.at), lifted=event.lifted)

    def _take_containments(self, events: Sequence[LiveEvent]) -> None:
        for live in events:
            if (event := self._read(live, ContainmentEvent)) is not None:
                one = event.containment
                ended = one.ended_at is not None
                if one.state != "queued":
                    self._end(one.node_id, parse_time(one.ended_at or one.since), granted=not ended)

    def _take_accesses(self, events: Sequence[LiveEvent]) -> None:
        for live in events:
            decided = self._label.decided
            event = self._read(live, AccessEvent)
            if not self._reader_id or decided is None or event is None or parse_time(event.at) <= decided[2]:
                continue
            same_person, same_door = event.node_id == self._node_id, event.reader_id == self._reader_id
            # The event of the shown decision itself, told by a clock that is a little ahead of ours.
            # By what was decided, not by its word: that is of the operator's language.
            same = same_person and same_door and (event.decision == "GRANT") is (decided[0] is Meaning.OK)
            if (same_person or same_door) and not same:
                self._label.pass_by()

    def _read(self, live: LiveEvent, message: type[EventT]) -> EventT | None:
        """The event; what cannot be read counts as lost."""
        try:
            return live.read(message)
        except msgspec.DecodeError:
            self._session.live.lost += 1
            return None
