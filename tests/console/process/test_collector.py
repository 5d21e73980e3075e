"""Cycles are collected on the GUI thread and on no other."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from app.console.process.collector import Collector


@pytest.fixture
def collector(application: QApplication) -> Iterator[Collector]:
    """One that has begun; afterwards what it froze and is garbage by then goes."""
    made = Collector()
    made.start()
    yield made
    gc.unfreeze()
    gc.collect()
    gc.freeze()


class Knot:
    """A cycle that tells on which thread it ends."""

    def __init__(self, ended: list[int]) -> None:
        self.me = self
        self.ended = ended

    def __del__(self) -> None:
        self.ended.append(threading.get_ident())


def churn() -> None:
    """Far more allocations than any generation waits for."""
    for _ in range(200):
        held = [[] for _ in range(1000)]
        del held


def test_a_worker_thread_collects_nothing(collector: Collector) -> None:
    """However much it allocates."""
    ended: list[int] = []
    Knot(ended)
    worker = threading.Thread(target=churn)
    worker.start()
    worker.join()
    assert ended == []


def test_the_beat_collects_on_its_own_thread(collector: Collector) -> None:
    """What was left since the last beat, once enough was allocated."""
    ended: list[int] = []
    Knot(ended)
    kept = [[] for _ in range(1000)]
    collector.beat()
    assert ended == [threading.get_ident()]
    del kept


def test_full_collections_come_too(collector: Collector) -> None:
    """A cycle that grew old ends as well."""
    owner = QObject()
    owner.cycle = owner  # type: ignore[attr-defined]
    alive = weakref.ref(owner)
    gc.collect(0)
    gc.collect(1)
    del owner
    for _ in range(200):
        kept = [[] for _ in range(1000)]
        collector.beat()
        del kept
    assert alive() is None
