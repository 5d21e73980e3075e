"""The one stream, the rings and the one beat."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import msgspec
import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from app.capabilities.infrastructure.messages import FrameList, NodesQuery, StatusRecord
from app.client import ServerEvent, Unreachable
from app.console import clock
from app.console.clock import ServiceClock
from app.console.moments import api_time
from app.console.telemetry import live as module
from app.console.telemetry.live import AT_ONCE, GapEvent, Live, LiveEvent, next_wait
from tests.console.conftest import until

START = 1_767_225_600.0


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


@pytest.mark.parametrize(
    ("before_s", "lived_s", "wait_s"),
    [(0.0, 0.0, 0.2), (0.2, 0.0, 0.4), (0.2, 29.9, 0.4), (0.2, 30.0, 0.2), (5.0, 31.0, 0.2), (4.0, 1.0, 5.0)],
)
def test_the_wait_grows_unless_a_stream_lived(before_s: float, lived_s: float, wait_s: float) -> None:
    """A stream that is taken away at once again and again is not asked for five times a second."""
    assert next_wait(before_s, lived_s) == wait_s


def test_streams_that_end_at_once_are_asked_for_less_and_less(live: Live, run: Any, monkeypatch: Any) -> None:
    """Each connects, gives an event and ends; one that lived long begins anew."""
    asked: list[tuple[float, bool]] = []

    def note(before_s: float, lived_s: float) -> float:
        asked.append((before_s, lived_s > 0))
        return before_s + 0.001

    monkeypatch.setattr(module, "next_wait", note)
    source = Source(*[[event("access", {})] for _ in range(3)])
    follow(live, source, run, lambda: len(asked) >= 4)
    assert [before for before, _ in asked[:4]] == pytest.approx([0.0, 0.001, 0.002, 0.003])
    assert [lived for _, lived in asked[:4]] == [True, True, True, False]


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
    monkeypatch.setattr(clock, "running_s", lambda: now)
    now = 100.0
    live.fresh("p1").touch()
    now = 102.3
    assert not live.fresh("p1").stale
    now = 102.5
    assert live.fresh("p1").stale


def frames(*peers: str, interval_ms: int = 1000) -> FrameList:
    """A list of frames of which nothing is known but their ids."""
    record = {"node_id": "N-0", "status": "OPERATIONAL", "handshake_latency": "NaN ms", "active_sovereign_nodes": 0}
    nothing = {"count": 0, "missed": 0, "p50": None, "p95": None, "p99": None, "max": None}
    rest = {"phases": None, "certificate_not_after": None, "group": None, "cipher": None, "protocol": None}
    item = {"record": {**record, "uplink": "none"}, "span": nothing, "history": [], **rest}
    whole = {"items": [{"peer_id": peer, **item} for peer in peers], "from": api_time(START), "to": api_time(START)}
    return msgspec.convert({**whole, "step": 60, "probe_interval_ms": interval_ms}, FrameList)


def test_the_pulse_is_that_of_the_probes(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    """While frames are probed the service reports each second; without frames only heartbeats come."""
    monkeypatch.setattr(clock, "running_s", lambda: now)
    now = 100.0
    live._note_pulse()
    live.take_frames(frames("p1"))
    now = 102.5
    assert live.stale
    live.take_frames(frames())
    assert not live.stale


def test_seldom_probes_hide_no_silence(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames that are looked at each minute: the stream's own heartbeat, each 15 s, tells of a service that froze."""
    monkeypatch.setattr(clock, "running_s", lambda: now)
    now = 100.0
    live._note_pulse()
    live.take_frames(frames("p1", interval_ms=60_000))
    now = 129.9
    assert not live.stale
    now = 130.1
    assert live.stale


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


def test_a_burst_goes_out_in_turns(live: Live, qtbot: Any) -> None:
    """While the window is shown it answers in between; all events come, in their order, and views paint at the end."""
    turns: list[list[bytes]] = []
    ticks: list[int] = []
    live.subscribe("audit", lambda events: turns.append([event.data for event in events]))
    live.tick.connect(lambda: ticks.append(len(turns)))
    burst = [str(number) for number in range(2 * AT_ONCE + 1)]
    for number in burst:
        live._take("audit", number)
    live.look(True)
    qtbot.waitUntil(lambda: sum(map(len, turns)) == len(burst))
    live.look(False)
    assert [len(turn) for turn in turns] == [AT_ONCE, AT_ONCE, 1]
    assert b",".join(one for turn in turns for one in turn).decode() == ",".join(burst)
    assert ticks[-1] == len(turns)


def test_listeners_share_what_an_event_says(live: Live) -> None:
    """It is decoded once, however many read it."""
    event = LiveEvent("gap", b'{"lost": 3}', 0.0)
    assert event.read(GapEvent) is event.read(GapEvent)


class Hall:
    """A service that answers how its frames stand by a clock ``ahead_s`` ahead of ours; ``asked`` has the queries."""

    def __init__(self) -> None:
        self.ahead_s = 0.0
        self.asked: list[NodesQuery] = []
        self.silent = False

    async def infrastructure_nodes(self, *, query: NodesQuery) -> FrameList:
        self.asked.append(query)
        if self.silent:
            raise Unreachable("Nobody listens.")
        return msgspec.structs.replace(frames("p1"), to=api_time(time.time() + self.ahead_s))


def watched(live: Live, hall: Hall, run: Any, steps: Callable[[], Awaitable[None]]) -> None:
    """Take ``steps`` while the frames are watched."""

    async def scene() -> None:
        task = asyncio.ensure_future(live.watch(hall))  # type: ignore[arg-type]
        await until(lambda: len(hall.asked) == 1)
        await steps()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run(scene())


def probe(live: Live, at: float) -> None:
    """One probe comes over the stream."""
    live._take("handshake", json.dumps({"items": [sample("p1", 2.5, at)]}))


def test_a_clock_of_ours_that_is_set_shows_no_lag(live: Live, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three hours ahead, as by a machine's time service: no figure until the service's clock was measured anew, which
    the next event asks for, and then the true one."""
    hall, true = Hall(), time.time
    monkeypatch.setattr(module, "WATCH_EVERY_S", 600.0)

    async def steps() -> None:
        probe(live, true() - 0.5)
        assert live.lag_s == pytest.approx(0.5, abs=0.2)
        monkeypatch.setattr(clock.time, "time", lambda: true() + 10_800.0)
        hall.ahead_s = -10_800.0
        probe(live, true() - 0.5)
        assert live.lag_s is None
        await until(lambda: len(hall.asked) == 2)
        await until(lambda: not live._clock.doubtful)
        probe(live, true() - 0.5)
        assert live.lag_s == pytest.approx(0.5, abs=0.2)

    watched(live, hall, run, steps)


def test_charts_of_a_machine_whose_clock_is_ahead_take_what_is_measured(
    live: Live, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The window beats before a service answers: what comes then is not too old for its rings."""
    hall, true = Hall(), time.time
    monkeypatch.setattr(clock.time, "time", lambda: true() + 10_800.0)
    hall.ahead_s = -10_800.0
    live.drain()

    async def steps() -> None:
        probe(live, true())
        live.drain()
        assert np.nanmax(live.handshakes.last(5)) == pytest.approx(2.5)

    watched(live, hall, run, steps)


def test_a_service_whose_clock_is_set_back_is_charted_again(
    live: Live, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it measured by the wrong clock is of times to come, and goes."""
    hall = Hall()
    hall.ahead_s = 10_800.0
    monkeypatch.setattr(module, "WATCH_EVERY_S", 0.01)

    async def steps() -> None:
        probe(live, time.time() + 10_800.0)
        live.drain()
        hall.ahead_s = 0.0
        await until(lambda: live.handshakes.end < time.time() + 60.0)
        probe(live, time.time())
        live.drain()
        assert np.nanmax(live.handshakes.last(5)) == pytest.approx(2.5)

    watched(live, hall, run, steps)


def test_a_clock_that_cannot_be_measured_is_asked_for_again(
    live: Live, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not without a pause."""
    hall, true = Hall(), time.time
    monkeypatch.setattr(module, "WATCH_EVERY_S", 600.0)
    monkeypatch.setattr(module, "DOUBT_WAIT_S", 0.05)

    async def steps() -> None:
        hall.silent = True
        monkeypatch.setattr(clock.time, "time", lambda: true() + 10_800.0)
        live.drain()
        began = time.monotonic()
        await until(lambda: len(hall.asked) == 4)
        assert time.monotonic() - began > 0.09
        assert live.lag_s is None
        hall.silent = False
        await until(lambda: not live._clock.doubtful)

    watched(live, hall, run, steps)
