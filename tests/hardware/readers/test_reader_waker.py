"""What a loop thread sleeps on."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from hardware.readers.channels import _READ_MAX, TcpChannel
from hardware.readers.waker import Bell

LONG_S = 30.0


@pytest.fixture
def bell() -> Iterator[Bell]:
    made = Bell()
    yield made
    made.close()


class Pair:
    """A watched TCP line and its other end."""

    def __init__(self, bell: Bell) -> None:
        self.told = 0
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.line = TcpChannel("127.0.0.1", server.getsockname()[1])
            self.line.attend(bell, self._heard)
            while not self.line.ready():
                time.sleep(0.001)
            self.other, _ = server.accept()

    def _heard(self) -> None:
        self.told += 1


@pytest.fixture
def pair(bell: Bell) -> Iterator[Pair]:
    made = Pair(bell)
    yield made
    made.line.close()
    made.other.close()


@pytest.mark.parametrize("eager", [False, True])
@pytest.mark.parametrize("lines", [False, True])
def test_who_is_rung_wakes(bell: Bell, lines: bool, eager: bool) -> None:
    """Whatever it sleeps on, and however often it is rung: the sleep is not slept to its end."""
    kept = Pair(bell) if lines else None
    over = threading.Event()

    def sleep() -> None:
        bell.wait(LONG_S, eager=eager)
        over.set()

    thread = threading.Thread(target=sleep)
    thread.start()
    while not over.is_set():
        bell.ring()
    thread.join(LONG_S / 2)
    assert not thread.is_alive()
    if kept is not None:
        kept.line.close()
        kept.other.close()


@pytest.mark.parametrize("eager", [False, True])
def test_a_ring_before_the_sleep_is_not_lost(bell: Bell, eager: bool) -> None:
    """It ends the next one, and that one alone."""
    bell.ring()
    began = time.monotonic()
    bell.wait(LONG_S, eager=eager)
    assert time.monotonic() - began < LONG_S / 2
    began = time.monotonic()
    bell.wait(0.05, eager=eager)
    assert time.monotonic() - began >= 0.04


def test_a_line_wakes_the_eager(bell: Bell, pair: Pair) -> None:
    """It has been read when the wait returns, so the panel asks memory."""
    pair.other.sendall(b"reply")
    bell.wait(LONG_S, eager=True)
    assert (pair.told, pair.line.read(64)) == (1, b"reply")


def test_others_read_their_lines_when_they_wake(bell: Bell, pair: Pair) -> None:
    """All that has come meanwhile, at once."""
    pair.other.sendall(b"reply")
    while not pair.told:
        bell.wait(0.01, eager=False)
    assert pair.line.read(3) + pair.line.read(64) == b"reply"


def test_a_line_that_is_hung_up_is_watched_no_more(bell: Bell, pair: Pair) -> None:
    """Else its end would wake the thread for ever."""
    pair.other.close()
    bell.wait(LONG_S, eager=True)
    assert pair.line.write(b"x") == -1
    assert bell._watched == 0


def test_what_comes_unasked_does_not_pile_up(bell: Bell, pair: Pair) -> None:
    """A device that never stops talking has a few kilobytes of memory and no more."""
    for _ in range(10):
        pair.other.sendall(bytes(_READ_MAX))
        bell.wait(LONG_S, eager=True)
    assert len(pair.line._incoming) <= _READ_MAX


def test_flushing_drops_what_was_read(bell: Bell, pair: Pair) -> None:
    """A reader that comes back is not answered by what it said before."""
    pair.other.sendall(b"old")
    bell.wait(LONG_S, eager=True)
    pair.line.flush()
    pair.other.sendall(b"new")
    bell.wait(LONG_S, eager=True)
    assert pair.line.read(64) == b"new"
