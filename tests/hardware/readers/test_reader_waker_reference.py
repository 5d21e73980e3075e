"""The waker does what its plain reference does."""

from __future__ import annotations

import socket
import threading
import time
from collections import deque
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.readers.waker import Waker
from tests.hardware.readers.reference_waker import ReferenceWaker

LONG_S = 30.0
SHORT_S = 0.003

AnyWaker = Waker | ReferenceWaker
Step = tuple[str, int]

steps = st.lists(
    st.one_of(
        st.tuples(st.just("wake"), st.just(0)),
        st.tuples(st.sampled_from(["wait", "wait eagerly"]), st.just(0)),
        st.tuples(st.sampled_from(["watch", "send", "forget"]), st.integers(0, 2)),
    ),
    max_size=20,
)


class Line:
    """A line in the hands of one waker."""

    def __init__(self) -> None:
        self.near, self.far = socket.socketpair()
        self.near.setblocking(False)
        self.came: list[bytes] = []

    def receive(self) -> None:
        self.came.append(self.near.recv(1024))

    def close(self) -> None:
        self.near.close()
        self.far.close()


class Driven:
    """One waker, its three lines, and what the steps have made of them."""

    def __init__(self, waker: AnyWaker) -> None:
        self.waker = waker
        self.lines = [Line() for _ in range(3)]
        self.watched: set[int] = set()

    def carry_out(self, step: Step, due: bool) -> None:
        """One step. A wait that is due must end at once, any other must last: the first would time the test out."""
        what, number = step
        line = self.lines[number]
        if what == "wake":
            self.waker.wake()
        elif what == "watch" and number not in self.watched:
            self.watched.add(number)
            self.waker.watch(line, line.near.fileno())
        elif what == "forget" and number in self.watched:
            self.watched.discard(number)
            self.waker.forget(line.near.fileno())
        elif what == "send":
            line.far.send(b"x")
        elif what.startswith("wait"):
            began = time.monotonic()
            self.waker.wait(LONG_S if due else SHORT_S, eager=what == "wait eagerly")
            assert (time.monotonic() - began < LONG_S / 2) if due else (time.monotonic() - began >= SHORT_S / 2)

    def close(self) -> None:
        self.waker.close()
        for line in self.lines:
            line.close()


@given(steps)
@settings(max_examples=150)
def test_the_same_steps_end_the_same_waits_and_read_the_same_bytes(taken: list[Step]) -> None:
    """Calls, lines that come and go, bytes, and waits of either kind in any order."""
    driven = [Driven(Waker()), Driven(ReferenceWaker())]
    called, unread, watched = False, set[int](), set[int]()
    try:
        for what, number in taken:
            due = called or (what == "wait eagerly" and bool(unread & watched))
            for one in driven:
                one.carry_out((what, number), due)
            if what == "wake":
                called = True
            elif what == "send":
                unread.add(number)
            elif what == "watch":
                watched.add(number)
            elif what == "forget":
                watched.discard(number)
            else:
                called = False
                unread -= watched
            fast, plain = ([line.came for line in one.lines] for one in driven)
            assert fast == plain
    finally:
        for one in driven:
            one.close()


@pytest.mark.parametrize("make", [Waker, ReferenceWaker])
@given(eager=st.lists(st.booleans(), min_size=1, max_size=8), lines=st.booleans())
@settings(max_examples=40)
def test_nothing_that_was_queued_before_a_call_is_overslept(
    make: Callable[[], AnyWaker], eager: list[bool], lines: bool
) -> None:
    """Another thread queues its work and calls, while this one waits, works and waits again."""
    waker, line, queue = make(), Line(), deque[int]()
    if lines:
        waker.watch(line, line.near.fileno())

    def work() -> None:
        for number in range(50):
            queue.append(number)
            waker.wake()

    thread = threading.Thread(target=work)
    thread.start()
    done: list[int] = []
    began = time.monotonic()
    try:
        while len(done) < 50:
            waker.wait(LONG_S, eager=eager[len(done) % len(eager)])
            while queue:
                done.append(queue.popleft())
        assert done == list(range(50))
        assert time.monotonic() - began < LONG_S / 2
    finally:
        thread.join()
        waker.close()
        line.close()
