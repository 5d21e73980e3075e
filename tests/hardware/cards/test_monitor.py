"""The monitor: every change is told once and in order, through failures of the service."""

import contextlib
import threading
from collections.abc import Callable, Iterator

import pytest

from hardware.cards import monitor as monitor_module
from hardware.cards.backend import CardBackend, CardConnection, NoReaderService, ReaderSnapshot, ReaderWatch
from hardware.cards.inprocess import InProcessBackend
from hardware.cards.monitor import CardMonitor, CardReaderState
from hardware.cards.software import ATR, SoftwareCard


class Log:
    """Collects what a monitor tells, and waits for it."""

    def __init__(self) -> None:
        self.told: list[list[CardReaderState]] = []
        self._changed = threading.Condition()

    def __call__(self, states: list[CardReaderState]) -> None:
        with self._changed:
            self.told.append(states)
            self._changed.notify_all()

    def wait(self, condition: Callable[[list[CardReaderState]], bool]) -> list[CardReaderState]:
        with self._changed:
            assert self._changed.wait_for(lambda: bool(self.told) and condition(self.told[-1]), 20), self.told
            return self.told[-1]


@contextlib.contextmanager
def watching(*backends: CardBackend) -> Iterator[tuple[CardMonitor, Log]]:
    log = Log()
    monitor = CardMonitor(backends, log)
    monitor.start()
    try:
        yield monitor, log
    finally:
        monitor.stop()


class FailingBackend:
    """A backend whose service can be taken away."""

    def __init__(self, inner: InProcessBackend) -> None:
        self._inner = inner
        self.down = False

    def readers(self) -> list[str]:
        return self._inner.readers()

    def open(self, reader: str) -> CardConnection:
        return self._inner.open(reader)

    def watch(self) -> ReaderWatch:
        if self.down:
            raise NoReaderService("the service is down")
        outer, watch = self, self._inner.watch()

        class Watch:
            def wait(self, timeout: float) -> list[ReaderSnapshot]:
                snapshots = watch.wait(0.01)
                if outer.down:
                    raise NoReaderService("the service went down")
                return snapshots

            def cancel(self) -> None:
                watch.cancel()

            def close(self) -> None:
                watch.close()

        return Watch()


def test_first_view_is_told_at_once() -> None:
    """Soon after the start all readers are known."""
    with watching(InProcessBackend(["R1", "R2"])) as (_, log):
        states = log.wait(lambda states: len(states) == 2)
    assert [(state.reader, state.present, state.atr) for state in states] == [("R1", False, b""), ("R2", False, b"")]


def test_insertion_is_told_with_the_atr() -> None:
    """A card that comes in is seen with its ATR."""
    backend = InProcessBackend(["R"])
    with watching(backend) as (_, log):
        log.wait(lambda states: len(states) == 1)
        backend.insert("R", SoftwareCard())
        (state,) = log.wait(lambda states: states[0].present)
    assert state.atr == ATR


def test_swapped_card_is_another_one() -> None:
    """Out and in between two looks: still present, but `changes` has grown."""
    backend = InProcessBackend(["R"])
    backend.insert("R", SoftwareCard())
    with watching(backend) as (_, log):
        before = log.wait(lambda states: states[0].present)[0].changes
        backend.remove("R")
        backend.insert("R", SoftwareCard())
        log.wait(lambda states: states[0].present and states[0].changes > before)


def test_readers_come_and_go() -> None:
    """Plugged and unplugged readers are told."""
    backend = InProcessBackend(["R1"])
    with watching(backend) as (_, log):
        log.wait(lambda states: len(states) == 1)
        backend.add_reader("R2")
        log.wait(lambda states: len(states) == 2)
        backend.remove_reader("R1")
        log.wait(lambda states: [state.reader for state in states] == ["R2"])


def test_several_backends_are_one_list() -> None:
    """Readers of all backends are told together, in the backends' order."""
    with watching(InProcessBackend(["A"]), InProcessBackend(["B"])) as (monitor, log):
        log.wait(lambda states: [state.reader for state in states] == ["A", "B"])
        assert monitor.services() == [None, None]


def test_failing_service_is_told_and_survived(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers vanish with the service and come back with it, and every card counts as another one."""
    monkeypatch.setattr(monitor_module, "RETRY", 0.01)
    inner = InProcessBackend(["R"])
    inner.insert("R", SoftwareCard())
    backend = FailingBackend(inner)
    with watching(backend) as (monitor, log):
        before = log.wait(lambda states: bool(states) and states[0].present)[0].changes
        backend.down = True
        log.wait(lambda states: not states)
        assert monitor.services() != [None]
        backend.down = False
        after = log.wait(lambda states: bool(states) and states[0].present)[0].changes
        assert after > before
        assert monitor.services() == [None]


def test_nothing_is_told_twice() -> None:
    """Looks without a difference are not told."""
    inner = InProcessBackend(["R"])
    with watching(FailingBackend(inner)) as (_, log):
        log.wait(lambda states: len(states) == 1)
        inner.insert("R", SoftwareCard())
        log.wait(lambda states: states[0].present)
    assert len(log.told) == 2


def test_broken_handler_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """What the handler raises is logged; the next change is told all the same."""
    backend = InProcessBackend(["R"])
    log = Log()

    def handler(states: list[CardReaderState]) -> None:
        log(states)
        raise RuntimeError("broken handler")

    monitor = CardMonitor([backend], handler)
    monitor.start()
    try:
        log.wait(lambda states: len(states) == 1)
        backend.insert("R", SoftwareCard())
        log.wait(lambda states: states[0].present)
    finally:
        monitor.stop()
    assert "the handler of card changes failed" in caplog.text


def test_stopped_monitor_is_silent() -> None:
    """After `stop` nothing is told any more."""
    backend = InProcessBackend(["R"])
    with watching(backend) as (_, log):
        log.wait(lambda states: len(states) == 1)
    backend.insert("R", SoftwareCard())
    assert len(log.told) == 1
