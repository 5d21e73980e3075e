"""A training site that has run for weeks: its log and its history of frames are older than its first start."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.capabilities.infrastructure import history
from app.capabilities.infrastructure.handshake import Measurement, Phases
from app.capabilities.infrastructure.history import History
from app.delivery.alarms import AlarmBook
from app.delivery.events import EventBus
from app.registry.messages.nodes import NodeBody
from app.registry.service import Registry
from app.service.open_store import open_ledger
from app.site.settings import Settings
from app.site.site import Site
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.keys import Keys, find_kek
from tests.served_site import ServedSite

HOUR, DAY = 3600, 86_400
PERSON = "ARC-OLD-1"
FAST, SLOW = "training-a-01", "training-a-02"
FAST_MS, SLOW_MS, HOURLY_MS = 4.0, 8.0, 5.0
BURNED = "ARC-OLD-2"


@dataclass(frozen=True)
class Then:
    """Moments of that site, Unix times of whole minutes. ``at``: three hours ago, with an alarm and a burn in the hour
    around it; ``long_ago``: three days ago, of which hours are kept; ``first``: of the first entry of its log."""

    at: float
    long_ago: float
    first: float
    alarm: float
    burn: float

    @classmethod
    def of(cls, now: float) -> Then:
        """Those of a site that is started at ``now``."""
        at = now // 60 * 60 - 3 * HOUR
        return cls(at, (now - 3 * DAY) // HOUR * HOUR + 600, now // 60 * 60 - 40 * DAY, at - 600, at + 300)


def lay_out(data_dir: Path, then: Then, **settings: Any) -> ServedSite:
    """Write what such a site has, by the writers of the service, each entry at its time."""
    site = Site.open(data_dir, "training", settings=Settings(**settings))
    clock = [int(then.first * 1e6)]
    with contextlib.closing(Keys(site.keys_path, find_kek(site))) as keys:
        store = Store.open(site.store_path, open_ledger(site, keys), sealer=keys.sealer, clock=lambda: clock[0])
        with contextlib.closing(store):
            registry, alarms = Registry(site, store, keys, Cursors.of(keys)), AlarmBook(store, EventBus())
            registry.load()
            body = NodeBody(display_name="Person of Old")
            store.writer.submit(lambda tx: registry.nodes.put_in(tx, PERSON, body, "op_old")).result()
            clock[0] = int(then.alarm * 1e6)
            store.writer.submit(
                lambda tx: alarms.raise_alarm(tx, "frame.unreachable", FAST, "A frame does not answer.")
            ).result()
            clock[0] = int(then.burn * 1e6)
            detail = {"burn_id": "brn_of_old", "drill": False}
            store.writer.submit(
                lambda tx: tx.audit("burn.executed", actor="op_old", node_id=BURNED, detail=detail)
            ).result()
            _fill_history(History(store), then)
    return ServedSite(data_dir, "--no-pcsc", "--profile", "training")


def _fill_history(kept: History, then: Then) -> None:
    """Around ``at`` two probes a minute: the slow frame misses one of the minute after it, all of the one after that,
    and none is made of it later. Around ``long_ago`` a probe a minute for three hours."""
    for minute in range(-90, 90):
        start = then.at + minute * 60
        for second in (0, 30):
            kept.add(_probe(FAST, start + second, FAST_MS))
            if minute < 3:
                is_missed = minute == 2 or (minute, second) == (1, 30)
                kept.add(_probe(SLOW, start + second, None if is_missed else SLOW_MS))
    for minute in range(-90, 90):
        kept.add(_probe(FAST, then.long_ago + minute * 60, HOURLY_MS))
    with pytest.MonkeyPatch.context() as patch:
        # The service has written these minutes one by one; here they all wait at once.
        patch.setattr(history, "_PENDING_MAX", 1 << 20)
        kept.flush()
    while kept.roll_up():
        pass


def _probe(peer_id: str, at: float, ms: float | None) -> Measurement:
    at_us = int(at * 1e6)
    if ms is None:
        return Measurement(peer_id, at_us, "missed")
    return Measurement(
        peer_id, at_us, None, Phases(0.0, 0.1, ms, ms + 1), "C", "G", "TLSv1.3", int((time.time() + DAY) * 1e6)
    )
