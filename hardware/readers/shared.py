"""What several threads or several parts of one thread have in common."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any

from hardware.readers.decision import AccessDecision, CardRead, DenyView, GrantTable, Moment, decide
from hardware.readers.errors import FleetStopped
from hardware.readers.panel import ReaderLink, resolve
from hardware.readers.reader import DecidedPresentation, DoorReaderState

_log = logging.getLogger(__name__)


class FleetShared:
    """What all groups of a fleet read: deny view, grant table, callbacks. Assignments are atomic; nothing is locked."""

    def __init__(
        self,
        deny: DenyView,
        on_access: Callable[[DecidedPresentation], None],
        on_state: Callable[[DoorReaderState], None],
        on_gap: Callable[[str], None],
    ) -> None:
        self.deny = deny
        self.on_access = on_access
        self.on_state = on_state
        self.on_gap = on_gap
        self.grants = GrantTable()
        """Empty until the first table comes: every card is denied until then."""

    def decide(self, card: CardRead) -> AccessDecision:
        """Decide by the newest table. Any error denies."""
        try:
            return decide(card, self.deny, self.grants, Moment(time.time(), time.monotonic()))
        except Exception:
            _log.exception("access decision failed at reader %s: denied", card.reader_id)
            return AccessDecision(False, "unknown_credential")


class GroupShared:
    """What the parts of one group (loop, lines, epochs, access) work on. Only the group's loop thread changes it.

    `links`: the group's readers by id. `hot`: those of which something is expected; the loop serves them at every turn.
    `epoch`: the newest that was announced to this thread. `stopped`: the thread has ended, or is just ending.
    """

    def __init__(self, name: str, fleet: FleetShared) -> None:
        self.name = name
        self.fleet = fleet
        self.links: dict[str, ReaderLink] = {}
        self.hot: dict[ReaderLink, None] = {}
        self.epoch = 0
        self.stopped = False

    def heat(self, link: ReaderLink) -> None:
        """Something is expected of this reader from now on."""
        self.hot[link] = None

    def notify(self, callback: Callable[[Any], None], what: object) -> None:
        """Call back; an error of the caller's code is logged and goes no further."""
        try:
            callback(what)
        except Exception:
            _log.exception("%s: a callback failed", self.name)

    def set_state(self, link: ReaderLink, *, online: bool, secure: bool) -> None:
        """Take over what is known of the reader, and report its state if that has changed."""
        link.online, link.secure = online, secure
        old = link.state
        changed = (online, secure) != (old.online, old.secure_channel)
        firmware = link.identity.firmware if link.identity else old.firmware
        since = time.time() if changed else old.since
        new = DoorReaderState(link.reader_id, online, secure, firmware, link.acked_epoch, since, link.setup)
        if new != old:
            link.state = new
            self.notify(self.fleet.on_state, new)


def stopped_error() -> FleetStopped:
    """What every caller is told whom a stopped group can no longer serve."""
    return FleetStopped("the readers were stopped")


def fail_all(futures: Iterable[Future[Any] | None]) -> None:
    """Fail the futures as stopped."""
    for future in futures:
        resolve(future, stopped_error())
