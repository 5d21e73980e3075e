"""What a loop thread sleeps on."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from hardware.readers.channels import _READ_MAX, TcpChannel
from hardware.readers.waker import Waker

LONG_S = 30.0


@pytest.fixture
def waker() -> Iterator[Waker]:
    made = Waker()
    yield made
    made.close()


class Pair:
    """A watched TCP line and its other end."""

    def __init__(self, waker: Waker) -> None:
        self.calls = 0
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.line = TcpChannel("127.0.0.1", server.getsockname()[1])
            self.line.attend(waker, self._heard)
            while not self.line.ready():
                time.sleep(0.001)
            self.other, _ = server.accept()

    def _heard(self) -> None:
        self.calls += 1


@pytest.fixture
def pair(waker: Waker) -> Iterator[Pair]:
    made = Pair(waker)
    yield made
    made.line.close()
    made.other.close()


@pytest.mark.parametrize("eager", [False, True])
@pytest.mark.parametrize("lines", [False, True])
def test_a_thread_that_is_woken_returns(waker: Waker, lines: bool, eager: bool) -> None:
    """With and without lines, eager or not, however often it is woken: it does not wait to the end of its time."""
    watched = Pair(waker) if lines else None
    over = threading.Event()

    def wait() -> None:
        waker.wait(LONG_S, eager=eager)
        over.set()

    thread = threading.Thread(target=wait)
    thread.start()
    while not over.is_set():
        waker.wake()
    thread.join(LONG_S / 2)
    assert not thread.is_alive()
    if watched is not None:
        watched.line.close()
        watched.other.close()


@pytest.mark.parametrize("eager", [False, True])
def test_a_call_before_the_wait_is_not_lost(waker: Waker, eager: bool) -> None:
    """It ends the next wait, and that one alone."""
    waker.wake()
    began = time.monotonic()
    waker.wait(LONG_S, eager=eager)
    assert time.monotonic() - began < LONG_S / 2
    began = time.monotonic()
    waker.wait(0.05, eager=eager)
    assert time.monotonic() - began >= 0.04


def test_a_line_wakes_the_eager(waker: Waker, pair: Pair) -> None:
    """It has been read when the wait returns, so the panel asks memory."""
    pair.other.sendall(b"reply")
    waker.wait(LONG_S, eager=True)
    assert (pair.calls, pair.line.read(64)) == (1, b"reply")


def test_others_read_their_lines_when_they_wake(waker: Waker, pair: Pair) -> None:
    """All that has come meanwhile, at once."""
    pair.other.sendall(b"reply")
    while not pair.calls:
        waker.wait(0.01, eager=False)
    assert pair.line.read(3) + pair.line.read(64) == b"reply"


def test_a_line_that_is_hung_up_is_watched_no_more(waker: Waker, pair: Pair) -> None:
    """Otherwise its end would wake the thread for ever."""
    pair.other.close()
    waker.wait(LONG_S, eager=True)
    assert pair.line.write(b"x") == -1
    assert waker._watched == 0


def test_what_comes_unasked_does_not_pile_up(waker: Waker, pair: Pair) -> None:
    """A device that never stops talking has a few kilobytes of memory and no more."""
    for _ in range(10):
        pair.other.sendall(bytes(_READ_MAX))
        waker.wait(LONG_S, eager=True)
    assert len(pair.line._incoming) <= _READ_MAX


def test_flushing_drops_what_was_read(waker: Waker, pair: Pair) -> None:
    """A reader that comes back is not answered by what it said before."""
    pair.other.sendall(b"old")
    waker.wait(LONG_S, eager=True)
    pair.line.flush()
    pair.other.sendall(b"new")
    waker.wait(LONG_S, eager=True)
    assert pair.line.read(64) == b"new"
