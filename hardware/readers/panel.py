"""One libosdp `ControlPanel`, and its readers as their group's thread drives them: what each reader is doing, what is
queued for it, and what it still has to be told.

libosdp 3.2.9 takes at most 32 devices per `ControlPanel`. Their state is known from events, never from `status()`. The
callbacks that the library makes inside `refresh()` only take notes; the notes are acted upon after `refresh()` has
returned. So no code of ours runs inside the library, and no exception of ours can come out of it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any

from hardware.readers.binding import MAX_DEVICES_PER_PANEL, osdp_sys
from hardware.readers.channels import Channel
from hardware.readers.decision import AccessDecision, CardRead, Credential
from hardware.readers.delta import VENDOR_CODE, Delta
from hardware.readers.reader import AckCallback, DoorReaderConfig, DoorReaderIdentity, DoorReaderState, Setup
from hardware.readers.transfer import ListSender, ListTransfer

# 100 idle readers and their simulation take 7.4 % of a core at 1 ms, 4.4 % at 4 ms, 4.1 % at 8 ms. Work wakes the loop,
# and so do bytes on a line.
PAUSE = 0.004
TURNS = 3
"""The library takes this many turns from bytes that have come, or a command, to what it sends or reports next."""
BACKOFF = (1.0, 5.0)
"""Seconds until a lost reader is tried again: the first time, and at most."""
COMMAND_SECONDS = 1.0
"""Deadline of one attempt of one command, from its submission."""

MAX_PANELS_PER_GROUP = 3
"""With 32 devices a panel 96 readers: with more, one loop thread serves its readers too late."""


def resolve(future: Future[Any] | None, outcome: Any) -> None:
    """Complete `future` with a value or an exception; one that the caller has cancelled stays cancelled."""
    if future is None:
        return
    with suppress(InvalidStateError):
        if isinstance(outcome, BaseException):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)


@dataclass(slots=True, eq=False)
class Presentation:
    """One card at one reader, until the reader has acknowledged every signal.

    `card` is None for card data that has no name.
    """

    decision: AccessDecision | None = None
    card: CardRead | None = None
    credential: Credential | None = None
    future: Future[AccessDecision] | None = None
    deadline: float = 0.0
    remaining: int = 0


@dataclass(slots=True, eq=False)
class ReaderCommand:
    """A command for a reader, in libosdp's `fields`, and what to do at its completion. `opens`: it opens the door."""

    fields: dict[str, Any]
    future: Future[None] | None = None
    presentation: Presentation | None = None
    opens: bool = False
    delta: Delta | None = None
    setup: Setup | None = None
    """Of a KEYSET or COMSET: how to talk to the reader once it has carried the command out."""
    deadline: float = 0.0

    @property
    def rekeys(self) -> bool:
        """True for a KEYSET."""
        return bool(self.fields["command"] == osdp_sys.CMD_KEYSET)


def delta_command(delta: Delta) -> ReaderCommand:
    """The command that sends this delta."""
    fields = {"command": osdp_sys.CMD_MFG, "vendor_code": VENDOR_CODE, "mfg_command": 1, "data": delta.encode()}
    return ReaderCommand(fields, delta=delta)


@dataclass(slots=True, eq=False)
class Waiter:
    """A caller that waits for an epoch. `called_at`: `perf_counter_ns` of its call; `thread_us`: microseconds until the
    loop thread had the call."""

    answer: AckCallback
    epoch: int
    called_at: int
    thread_us: float = 0.0


class LinkPhase(Enum):
    """Phase of a reader's line. UP: over its Secure Channel, with its own key."""

    CONNECTING = 1
    UP = 2
    DOWN = 3


class ReaderLink:
    """One reader on a group's thread. Only `config`, `state` and `attempts` may be read from elsewhere.

    `attempts`: how often connecting to it has failed since it was last up.
    """

    def __init__(self, config: DoorReaderConfig, channel: Channel) -> None:
        self.config = config
        self.channel = channel
        self.setup = config.setups[0]
        self.state = DoorReaderState(config.reader_id, False, False, "", config.acked_epoch, time.time(), self.setup)
        self.identity: DoorReaderIdentity | None = None
        self.panel: ReaderPanel | None = None
        self.index = 0
        self.phase = LinkPhase.CONNECTING
        self.online = False
        self.secure = False
        self.phase_since = 0.0
        self.retry_at = 0.0
        self.backoff = BACKOFF[0]
        self.attempts = 0
        self.slot: ReaderCommand | None = None
        self.queue: deque[ReaderCommand] = deque()
        self.presentations: list[Presentation] = []
        self.unacked: dict[int, Delta] = {}
        self.highest_acked = config.acked_epoch
        self.delta_failures = 0
        self.waiters: list[Waiter] = []
        self.rekeying: Future[None] | None = None
        """Resolved when the channel is up with the key that a KEYSET has set."""
        self.setup_pause = BACKOFF[0]
        self.setup_at = 0.0
        self.gap_since: float | None = None
        """When the reader asked for the whole list; no step is sent until it has the list."""
        self.list = ListTransfer()

    @property
    def reader_id(self) -> str:
        return self.config.reader_id

    @property
    def acked_epoch(self) -> int:
        """Every delta up to this epoch has been acknowledged."""
        return min(self.highest_acked, min(self.unacked) - 1) if self.unacked else self.highest_acked

    def busy(self) -> bool:
        """True while something of ours is on its way to or from the reader."""
        return self.phase is LinkPhase.CONNECTING or bool(
            self.slot or self.queue or self.presentations or self.waiters or self.list.wanted
        )


class ReaderPanel:
    """One libosdp `ControlPanel` of at most 32 links.

    `notes`: what its callbacks saw inside the last refresh, in order.
    """

    def __init__(self, links: Sequence[ReaderLink]) -> None:
        if not 1 <= len(links) <= MAX_DEVICES_PER_PANEL:
            raise ValueError(f"a panel drives 1 to {MAX_DEVICES_PER_PANEL} readers, not {len(links)}")
        self.links = tuple(links)
        self.heard = False
        """Bytes have come for one of its readers. Set on any thread, reset before the turn that handles them."""
        self.turns = TURNS
        self.due = 0.0
        self.notes: list[tuple[int, dict[str, Any], int | None]] = []
        notes = self.notes

        def on_event(index: int, event: dict[str, Any]) -> int:
            notes.append((index, event, None))
            return 0

        def on_completion(index: int, command: dict[str, Any], status: int) -> None:
            notes.append((index, command, status))

        self.context: Any = osdp_sys.ControlPanel([self._info(link) for link in self.links])
        self.context.set_event_callback(on_event)
        self.context.set_command_completion_callback(on_completion)
        self.files = ListSender(
            self.context, [index for index, link in enumerate(self.links) if link.config.trust is not None]
        )

    def wants_turn(self, now: float) -> bool:
        """True if there is something to do for its readers, or the last turn is a pause ago."""
        if self.heard:
            self.heard = False
            self.turns = TURNS
        elif self.turns:
            self.turns -= 1
        elif now < self.due:
            return False
        self.due = now + PAUSE
        return True

    @staticmethod
    def _info(link: ReaderLink) -> dict[str, Any]:
        """What the library must know of one reader."""
        # Without ENFORCE_SECURE the library would fall back to the default key, then to plain text. That is wanted only
        # to enrol a reader. In both cases the reader is not served before it is up with its own key.
        security = 0 if link.config.install else osdp_sys.FLAG_ENFORCE_SECURE
        return {
            "name": link.reader_id[:15],
            "address": link.setup.address,
            "flags": osdp_sys.FLAG_ENABLE_NOTIFICATION | security,
            "scbk": link.setup.scbk,
            "channel": link.channel,
            "version": 0,
            "model": 0,
            "vendor_code": 0,
            "serial_number": 0,
            "firmware_version": 0,
        }
