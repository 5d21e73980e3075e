"""The one stream, the rings and the one beat."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication

from app.capabilities.infrastructure.messages import FrameList, HistoryPoint, Percentiles, StatusRecord
from app.client import ServerEvent, Unreachable
from app.console import clock
from app.console.clock import ServiceClock, api_time
from app.console.telemetry import live as module
from app.console.telemetry.live import Live, LiveEvent
from app.console.telemetry.rings import Rings, spread
from tests.console.conftest import until


@given(st.lists(st.tuples(st.integers(0, 40), st.floats(0, 100, width=32)), max_size=60))
def test_a_ring_is_the_last_columns_of_what_was_put(puts: list[tuple[int, float]]) -> None:
    """Against a dictionary: the largest value of each second, for the last eight seconds, NaN where nothing was."""
    ring = Rings(columns=8, step_s=1.0)
    model: dict[int, float] = {}
    head: int | None = None
    for second, value in puts:
        head = second if head is None else max(head, second)
        if second > head - 8:
            model[second] = max(model.get(second, value), value)
        ring.put("a", float(second), value)
    if head is None:
        assert ring.last(8).shape == (0, 8)
        return
    expected = [model.get(second, np.nan) for second in range(head - 7, head + 1)]
    np.testing.assert_array_equal(ring.last(8)[0], np.array(expected, dtype=np.float32))


def test_a_ring_grows_with_its_nodes() -> None:
    """The first node keeps its values when the hundredth comes."""
    ring = Rings(columns=4)
    for at in range(100):
        ring.put(f"n{at}", 10.0, float(at))
    assert ring.last(1)[:, 0].tolist() == [float(at) for at in range(100)]


def test_coarse_history_hides_no_measurement() -> None:
    """Values of the API fill what is empty and nothing else."""
    ring = Rings(columns=6)
    ring.put("a", 13.0, 7.0)
    ring.advance(15.0)
    ring.fill("a", 11.0, np.full(4, 2.0, dtype=np.float32))
    np.testing.assert_array_equal(ring.last(6)[0], np.array([np.nan, 2, 2, 7, 2, np.nan], dtype=np.float32))


START = 1_767_225_600.0


def point(second: float, p50: float | None, count: int, missed: int = 0) -> HistoryPoint:
    """A step of history that begins that many seconds after the start."""
    found = Percentiles(count=count, missed=missed, p50=p50, p95=p50, p99=p50, max=p50)
    return HistoryPoint(at=api_time(START + second), handshake=found)


def spread_out(*points: HistoryPoint, seconds: int = 10) -> list[float | None]:
    """As the rings get it, with steps of five seconds and a probe a second; None where nothing was measured."""
    return [None if value != value else value for value in spread(points, START, seconds, 5.0, 1.0).tolist()]


def test_a_step_holds_its_median_for_as_long_as_it_lasts() -> None:
    """And no longer: a step without a point stays empty."""
    assert spread_out(point(5, 2.0, 5)) == [None] * 5 + [2.0] * 5


def test_a_missed_probe_breaks_the_seeded_line() -> None:
    """A median of four good probes must not hide the fifth."""
    assert spread_out(point(0, 2.0, 4, missed=1)) == [2.0, 2.0] + [None] * 8


def test_a_step_of_misses_alone_is_empty() -> None:
    """There is no latency to show."""
    assert spread_out(point(0, None, 0, missed=5)) == [None] * 10


def test_a_minute_kept_as_one_fills_its_minute() -> None:
    """After a restart of the service its older minutes are single points: they must not look like twelve gaps."""
    found = spread_out(point(0, 2.0, 60), point(60, 3.0, 30, missed=30), seconds=120)
    assert found == [2.0] * 60 + [3.0] * 30 + [None] * 30


def test_what_is_finer_writes_over_a_minute() -> None:
    """The minute in which the service was started is known both ways."""
    assert spread_out(point(0, 2.0, 60), point(5, 4.0, 5), seconds=60)[3:12] == [2.0] * 2 + [4.0] * 5 + [2.0] * 2


class Source:
    """A telemetry source that plays scripts: each connect is a list of events, then an end or an error."""

    def __init__(self, *connects: list[ServerEvent | Exception]) -> None:
        self.connects = list(connects)
        self.asked: list[str] = []

    async def follow(self, last_event_id: str, heard: Callable[[], None]) -> AsyncIterator[ServerEvent]:
        self.asked.append(last_event_id)
        for event in self.connects.pop(0) if self.connects else [Unreachable("Nobody listens.")]:
            if isinstance(event, Exception):
                raise event
            heard()
            yield event


def event(kind: str, body: Any, number: str = "") -> ServerEvent:
    """An event as the client gives it."""
    return ServerEvent(number, kind, json.dumps(body))


def sample(peer: str, latency: float | None, at: float, status: str = "OPERATIONAL") -> dict[str, Any]:
    """One probe."""
    return {"peer_id": peer, "node_id": f"N-{peer}", "at": api_time(at), "latency_ms": latency, "status": status}


@pytest.fixture
def live(application: QApplication, monkeypatch: pytest.MonkeyPatch) -> Live:
    """A live side whose waits are short."""
    monkeypatch.setattr(module, "FIRST_WAIT_S", 0.001)
    monkeypatch.setattr(module, "LONGEST_WAIT_S", 0.002)
    return Live(ServiceClock())


def follow(live: Live, source: Source, run: Any, condition: Callable[[], object]) -> None:
    """Follow until the condition holds."""

    async def scene() -> None:
        task = asyncio.ensure_future(live.follow(source))
        await until(condition)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run(scene())


def test_events_are_handed_out_a_tick_at_a_time(live: Live, run: Any) -> None:
    """Three events, one call."""
    batches: list[int] = []
    live.subscribe("access", lambda events: batches.append(len(events)))
    follow(live, Source([event("access", {"n": n}) for n in range(3)]), run, lambda: live.received == 3)
    live.drain()
    assert batches == [3]


def test_a_lost_stream_goes_on_after_the_last_event(live: Live, run: Any) -> None:
    """The id of the last event is what the next connect asks from; an event without one does not forget it."""
    source = Source([event("card", {}, "7"), event("card", {}), Unreachable("broke")], [event("card", {}, "8")])
    follow(live, source, run, lambda: live.received == 3)
    assert source.asked[:2] == ["", "7"]


def test_another_service_begins_anew(live: Live, run: Any) -> None:
    """Its ids are not the old one's."""
    source = Source([event("card", {}, "7")])
    follow(live, source, run, lambda: live.received == 1)
    live.restart()
    again = Source([event("card", {}, "1")])
    follow(live, again, run, lambda: live.received == 2)
    assert again.asked[0] == ""


def test_a_gap_is_counted(live: Live, run: Any) -> None:
    """What the service lost, and what nobody can count, stand in the status bar."""
    follow(live, Source([event("gap", {"lost": 41}), event("gap", {"lost": None})]), run, lambda: live.received == 2)
    assert live.lost == 42


def test_an_event_that_is_no_message_is_counted(live: Live, run: Any) -> None:
    """It raises nowhere."""
    follow(live, Source([ServerEvent("", "handshake", "no json")]), run, lambda: live.received == 1)
    assert live.lost == 1


def test_a_silent_stream_is_stale(live: Live, run: Any) -> None:
    """Without a connection nothing is fresh, and the reason is told."""
    follow(live, Source(), run, lambda: live.state == "lost")
    assert live.stale
    assert live.trouble == "Nobody listens."


def test_a_probe_fills_ring_and_freshness(live: Live) -> None:
    """The frame is fresh, its latency is the probe's, its column is in the ring."""
    now = live.now()
    data = json.dumps({"items": [sample("p1", 2.5, now)]}).encode()
    live._queue.append(LiveEvent("handshake", data, now))
    live.drain()
    assert not live.fresh("p1").stale
    assert live.latency == {"p1": 2.5}
    assert np.nanmax(live.handshakes.last(3)) == np.float32(2.5)


def test_a_missed_probe_has_no_latency(live: Live) -> None:
    """The last good value must not look like the present one."""
    now = live.now()
    for latency in (2.5, None):
        data = json.dumps({"items": [sample("p1", latency, now)]}).encode()
        live._queue.append(LiveEvent("handshake", data, now))
    live.drain()
    assert live.latency == {}


def test_a_missed_probe_leaves_the_time_of_the_last_success(live: Live) -> None:
    """An old latency must not look new: the record's measured_at stays that of its latency."""
    now = live.now()
    record = StatusRecord(
        node_id="N-p1",
        status="OPERATIONAL",
        handshake_latency="2.50 ms",
        active_sovereign_nodes=1,
        uplink="none",
        measured_at=api_time(now - 9),
    )
    live.frames["p1"] = record
    data = json.dumps({"items": [sample("p1", None, now, "DEGRADED")]}).encode()
    live._queue.append(LiveEvent("handshake", data, now))
    live.drain()
    assert live.frames["p1"] == msgspec.structs.replace(record, status="DEGRADED")


def test_a_late_report_of_a_missed_probe_is_no_silence(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes up to 2.25 s after the last one: the frame must not flicker to stale at every miss."""
    monkeypatch.setattr(clock.time, "monotonic", lambda: now)
    now = 100.0
    live.fresh("p1").touch()
    now = 102.3
    assert not live.fresh("p1").stale
    now = 102.5
    assert live.fresh("p1").stale


def frames(*peers: str) -> FrameList:
    """A list of frames of which nothing is known but their ids."""
    record = {"node_id": "N-0", "status": "OPERATIONAL", "handshake_latency": "NaN ms", "active_sovereign_nodes": 0}
    nothing = {"count": 0, "missed": 0, "p50": None, "p95": None, "p99": None, "max": None}
    rest = {"phases": None, "certificate_not_after": None, "group": None, "cipher": None, "protocol": None}
    item = {"record": {**record, "uplink": "none"}, "span": nothing, "history": [], **rest}
    whole = {"items": [{"peer_id": peer, **item} for peer in peers], "from": api_time(START), "to": api_time(START)}
    return msgspec.convert({**whole, "step": 60, "probe_interval_ms": 1000}, FrameList)


def test_the_pulse_is_that_of_the_probes(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    """While frames are probed the service reports each second; without frames only heartbeats come."""
    monkeypatch.setattr(clock.time, "monotonic", lambda: now)
    now = 100.0
    live._heard()
    live.take_frames(frames("p1"))
    now = 102.5
    assert live.stale
    live.take_frames(frames())
    assert not live.stale


def test_a_replayed_probe_does_not_freshen(live: Live) -> None:
    """After a reconnect old events come again."""
    data = json.dumps({"items": [sample("p1", 2.5, live.now() - 60)]}).encode()
    live._queue.append(LiveEvent("handshake", data, live.now()))
    live.drain()
    assert live.fresh("p1").stale


def test_nothing_beats_while_nobody_looks(live: Live, qtbot: Any) -> None:
    """A hidden window costs nothing."""
    live.look(True)
    with qtbot.waitSignal(live.tick, timeout=2000):
        pass
    live.look(False)
    assert not live._timer.isActive()
