"""What a group owes its readers and the callers that wait, without any reader: the bookkeeping alone."""

from __future__ import annotations

import time

import pytest

from hardware.readers.channels import MemoryChannel
from hardware.readers.delta import Delta, DeltaOperation
from hardware.readers.epochs import _MAX_UNACKED, EpochBook
from hardware.readers.errors import DoorReaderError, FleetStopped, ReaderOffline
from hardware.readers.keys import generate_scbk
from hardware.readers.panel import LinkPhase, ReaderLink
from hardware.readers.reader import Ack, DoorReaderConfig
from hardware.readers.shared import FleetShared, GroupShared
from tests.hardware.readers.reader_site import DenySet

DIGEST = bytes(32)


class Group:
    """A group of one reader, ``door``, that is up."""

    def __init__(self, *, delta: bool = True) -> None:
        fleet = FleetShared(DenySet(), lambda event: None, lambda state: None, lambda reader_id: None)
        self.shared = GroupShared("group", fleet)
        self.book = EpochBook(self.shared)
        config = DoorReaderConfig("door", "north", "simulated:", 1, generate_scbk(), delta=delta)
        self.link = ReaderLink(config, MemoryChannel())
        self.link.phase = LinkPhase.UP
        self.shared.links["door"] = self.link
        self.acks: list[Ack | DoorReaderError] = []

    def announce(self, epoch: int, reader_id: str = "door") -> Delta:
        step = Delta(DeltaOperation.DENY, epoch, DIGEST)
        self.book.announce(step, [(reader_id, self.acks.append)], time.perf_counter_ns(), ())
        return step

    def answers(self) -> list[bool | None]:
        return [ack.delta_acked for ack in self.acks if isinstance(ack, Ack)]


def test_a_step_is_owed_until_it_is_acknowledged() -> None:
    """Its caller is answered then, and only once."""
    group = Group()
    step = group.announce(5)
    assert (group.book.next_step(group.link), group.acks) == (step, [])
    group.book.take_answer(group.link, step, False)
    group.book.settle(group.link)
    group.book.settle(group.link)
    assert (group.book.next_step(group.link), group.answers(), group.link.acked_epoch) == (None, [True], 5)


def test_the_oldest_step_goes_first() -> None:
    """For any order of announcements; the acknowledged epoch counts without gaps."""
    group = Group()
    later, earlier = group.announce(9), group.announce(8)
    assert group.book.next_step(group.link) == earlier
    group.book.take_answer(group.link, later, False)
    assert group.link.acked_epoch == 7


def test_three_failures_are_a_refusal_until_the_next_announcement() -> None:
    """A NAK and a dying line look alike, so one failure proves nothing."""
    group = Group()
    step = group.announce(5)
    for _ in range(2):
        group.book.note_failure(group.link)
    assert group.book.next_step(group.link) == step
    group.book.note_failure(group.link)
    assert group.book.next_step(group.link) is None
    group.announce(6)
    assert group.book.next_step(group.link) == step


def test_a_reader_that_is_long_away_is_owed_a_bounded_number() -> None:
    """The oldest steps are dropped."""
    group = Group()
    group.link.phase = LinkPhase.DOWN
    for epoch in range(1, _MAX_UNACKED + 11):
        group.announce(epoch)
    assert (len(group.link.unacked), min(group.link.unacked)) == (_MAX_UNACKED, 11)


@pytest.mark.parametrize(("delta", "phase"), [(False, LinkPhase.UP), (True, LinkPhase.DOWN)])
def test_a_caller_does_not_wait_for_what_cannot_be_sent(delta: bool, phase: LinkPhase) -> None:
    """A reader without deltas, and one that is away: the thread's epoch is the answer."""
    group = Group(delta=delta)
    group.link.phase = phase
    group.announce(3)
    assert group.answers() == [None]
    assert [ack.thread_epoch_acked for ack in group.acks if isinstance(ack, Ack)] == [3]


def test_a_reader_that_is_gone_is_an_error() -> None:
    """Removed meanwhile, or the whole group stopped."""
    group = Group()
    group.announce(3, "other")
    group.shared.stopped = True
    group.announce(4, "other")
    assert [type(error) for error in group.acks] == [ReaderOffline, FleetStopped]
