"""Infrastructure as it is served: records, history, events, alarms, with frames that really fail."""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path

import pytest

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.infrastructure.handshake import Measurement, Phases
from app.capabilities.infrastructure.listener import Mode
from app.capabilities.infrastructure.messages import NodesQuery, StatusRecord
from app.capabilities.infrastructure.service import UNREACHABLE_ALARM
from app.registry.peers import PeerRow
from tests.service.capabilities.infrastructure.watch_site import OWN, WatchSite, until


def record(site: WatchSite, peer_id: str | None) -> StatusRecord:
    """The record of a registered frame, or of this node."""
    return asyncio.run(site.infrastructure.status(f"FRAME-{peer_id}" if peer_id is not None else None))


def comes_to(site: WatchSite, peer_id: str, status: str) -> StatusRecord:
    """Waits until the frame has the status."""
    return until(lambda: found if (found := record(site, peer_id)).status == status else None)


def test_record_is_measured(site: WatchSite) -> None:
    """A registered frame's record has the specification's fields, read from a real handshake."""
    _server, port = site.frame("a")
    with site.probing():
        site.put_peer("a", port)
        found = comes_to(site, "a", "OPERATIONAL")
    assert re.fullmatch(r"\d+\.\d\d ms", found.handshake_latency)
    assert found.uplink == "TLS_AES_256_GCM_SHA384 / X25519MLKEM768"
    assert found.active_sovereign_nodes == 1
    assert found.measured_at is not None


def test_this_node_is_measured(site: WatchSite) -> None:
    """Without a parameter the record is of this node, measured at its own listener."""
    with site.probing():
        found = until(lambda: got if (got := record(site, None)).status == "OPERATIONAL" else None)
    assert found.node_id == OWN
    assert found.measured_at is not None


def test_this_node_is_no_sovereign_peer(site: WatchSite) -> None:
    """The count is of registered frames."""
    with site.probing():
        until(lambda: record(site, None).measured_at)
        assert record(site, None).active_sovereign_nodes == 0


def test_unknown_frame_is_not_found(site: WatchSite) -> None:
    """A node that is no frame is 404."""
    with site.probing(), pytest.raises(Problem) as caught:
        record(site, "nobody")
    assert caught.value.code == "not_found"


def test_registered_frame_is_known_at_once(site: WatchSite) -> None:
    """The record is there before the first probe, and does not claim to be working."""
    with site.probing():
        site.put_peer("a", 9)
        assert record(site, "a").status in ("DEGRADED", "UNREACHABLE")


def test_never_measured_shows_no_number(site: WatchSite) -> None:
    """A frame that never answered has NaN for its latency and no time of measurement."""
    with site.probing():
        site.put_peer("a", 9)
        found = comes_to(site, "a", "UNREACHABLE")
    assert (found.handshake_latency, found.measured_at, found.uplink) == ("NaN ms", None, "none")
    assert found.reason


def test_outage_is_an_alarm_until_it_is_over(site: WatchSite) -> None:
    """A frame that stops answering raises one alarm; when it answers again the alarm closes."""
    server, port = site.frame("a")
    with site.probing():
        site.put_peer("a", port)
        comes_to(site, "a", "OPERATIONAL")
        server.mode("a", Mode.CLOSED)
        comes_to(site, "a", "UNREACHABLE")
        (alarm,) = until(site.alarms.open)
        assert (alarm.kind, alarm.node_id, alarm.ref) == (UNREACHABLE_ALARM, "FRAME-a", "a")
        server.mode("a", Mode.UP)
        comes_to(site, "a", "OPERATIONAL")
        until(lambda: not site.alarms.open())


def alarms_after(site: WatchSite, *ticks: dict[str, bool]) -> int:
    """How many alarms are open after these ticks were taken in, without any prober: for each frame, whether it
    answered."""
    infrastructure = site.infrastructure
    infrastructure._own = PeerRow("~self", OWN, "127.0.0.1:1", None, None, "sovereign", False, ())
    infrastructure._targets()
    for tick in ticks:
        infrastructure._take([answered(name) if well else Measurement(name, 1, "Late.") for name, well in tick.items()])
        if infrastructure._alarming is not None:
            infrastructure._alarming.result(10)
    return len(site.alarms.open())


def answered(name: str) -> Measurement:
    """A good handshake with the frame."""
    return Measurement(name, 1, None, Phases(0, 0.1, 2.0, 3.0), "TLS_AES_256_GCM_SHA384", "X25519", "TLSv1.3")


def test_a_flap_is_no_alarm(site: WatchSite) -> None:
    """Two misses are told by the status; an alarm, which stays in the log, takes five in a row."""
    site.put_peer("a", 9)
    down, up = {"a": False}, {"a": True}
    assert alarms_after(site, down, down, down, down, up, down, down, down, down) == 0
    assert record(site, "a").status == "UNREACHABLE"
    assert alarms_after(site, down) == 1


def test_late_machine_blames_no_frame(site: WatchSite) -> None:
    """While this node misses its own frame, which is in this process, the others' misses open no alarm."""
    site.put_peer("a", 9)
    late = {"~self": False, "a": False}
    assert alarms_after(site, *[late] * 8) == 0
    assert alarms_after(site, {"~self": True, "a": False}) == 1


def test_outage_keeps_the_last_measurement(site: WatchSite) -> None:
    """An unreachable frame says when it was last measured, and that value stays."""
    server, port = site.frame("a")
    with site.probing():
        site.put_peer("a", port)
        comes_to(site, "a", "OPERATIONAL")
        server.mode("a", Mode.CLOSED)
        first = comes_to(site, "a", "UNREACHABLE")
        again = record(site, "a")
    assert first.measured_at is not None
    assert (again.handshake_latency, again.measured_at) == (first.handshake_latency, first.measured_at)
    assert first.active_sovereign_nodes == 0


def test_maintenance_raises_no_alarm(site: WatchSite) -> None:
    """A frame under maintenance may be away."""
    _server, port = site.frame("b")
    with site.probing():
        site.put_peer("a", 9, maintenance=True)
        site.put_peer("b", port)
        comes_to(site, "b", "OPERATIONAL")
        until(lambda: len(site.bodies("handshake")) > 2)
        assert record(site, "a").status == "MAINTENANCE"
        assert site.alarms.open() == []


def test_maintenance_closes_the_alarm(site: WatchSite) -> None:
    """Registering the maintenance is an answer to the alarm."""
    with site.probing():
        site.put_peer("a", 9)
        until(site.alarms.open)
        site.put_peer("a", 9, maintenance=True)
        until(lambda: not site.alarms.open())


def test_removed_frame_takes_its_alarm_along(site: WatchSite) -> None:
    """A frame that is registered no more has no alarm and no record."""
    with site.probing():
        site.put_peer("a", 9)
        until(site.alarms.open)
        asyncio.run(site.registry.peers_kind.delete("a", actor="tester"))
        until(lambda: not site.alarms.open())
        with pytest.raises(Problem):
            record(site, "a")


def test_change_of_status_is_an_event(site: WatchSite) -> None:
    """Each change is published with what was before."""
    server, port = site.frame("a")
    with site.probing():
        site.put_peer("a", port)
        comes_to(site, "a", "OPERATIONAL")
        server.mode("a", Mode.CLOSED)
        comes_to(site, "a", "UNREACHABLE")
        changes = until(lambda: found if len(found := site.bodies("status")) >= 3 else None)
    assert [(change.before, change.record.status) for change in changes[:3]] == [
        ("DEGRADED", "OPERATIONAL"),
        ("OPERATIONAL", "DEGRADED"),
        ("DEGRADED", "UNREACHABLE"),
    ]


def test_handshakes_are_batched(site: WatchSite) -> None:
    """Probes come as one event a tick, each with its own time; a missed one has no latency."""
    _server, port = site.frame("a")
    with site.probing():
        site.put_peer("a", port)
        site.put_peer("b", 9)
        until(lambda: {item.peer_id for body in site.bodies("handshake") for item in body.items} == {"a", "b"})
    items = [item for body in site.bodies("handshake") for item in body.items]
    assert all((item.latency_ms is None) == (item.peer_id == "b") for item in items)
    assert max(len(body.items) for body in site.bodies("handshake")) > 1


def test_history_has_percentiles(site: WatchSite) -> None:
    """The list has every frame with its percentiles, phases and certificate."""
    _server, port = site.frame("a")
    with site.probing():
        site.put_peer("a", port)
        site.put_peer("b", 9)
        comes_to(site, "a", "OPERATIONAL")
        comes_to(site, "b", "UNREACHABLE")
        found = asyncio.run(site.infrastructure.nodes(NodesQuery(step=1)))
    good, bad = found.items
    assert good.span.count > 0
    assert good.span.p50 is not None
    assert sum(point.handshake.count for point in good.history) == good.span.count
    assert good.phases is not None
    assert good.certificate_not_after is not None
    assert good.protocol == "TLSv1.3"
    assert (bad.span.count, bad.span.p50, bad.phases) == (0, None, None)
    assert bad.span.missed > 0


def test_restart_keeps_the_last_measurement(tmp_path: Path) -> None:
    """After a restart an unreachable frame still shows its last measurement with its time, and the history before."""
    before = WatchSite(tmp_path / "site")
    try:
        server, port = before.frame("a")
        with before.probing():
            before.put_peer("a", port)
            comes_to(before, "a", "OPERATIONAL")
        last = before.infrastructure.status
        measured = asyncio.run(last("FRAME-a"))
        server.stop()
    finally:
        before.close()
    after = WatchSite(tmp_path / "site")
    try:
        with after.probing():
            found = comes_to(after, "a", "UNREACHABLE")
            listed = asyncio.run(after.infrastructure.nodes(NodesQuery())).items[0]
    finally:
        after.close()
    assert (found.handshake_latency, found.measured_at) == (measured.handshake_latency, measured.measured_at)
    assert listed.span.count > 0


def test_a_range_that_ends_before_it_begins_is_empty(site: WatchSite) -> None:
    """Its frames are there, without a point and without a probe."""
    now = time.time_ns() // 1000
    _server, port = site.frame("a")
    with site.probing():
        site.put_peer("a", port)
        comes_to(site, "a", "OPERATIONAL")
        query = NodesQuery(from_=rfc3339(now + 10_000_000), to=rfc3339(now - 10_000_000))
        (frame,) = asyncio.run(site.infrastructure.nodes(query)).items
    assert (frame.history, frame.span.count, frame.span.missed) == ([], 0, 0)


@pytest.mark.parametrize(
    ("to", "asked", "used"),
    [
        ("2026-01-01T00:24:00Z", 1, 1),
        ("2026-01-01T00:24:00.000001Z", 1, 2),
        ("2026-01-02T00:00:00Z", 1, 60),
        ("2026-01-02T00:00:00Z", 3600, 3600),
    ],
)
def test_the_step_is_the_smallest_that_fits(site: WatchSite, to: str, asked: int, used: int) -> None:
    """1440 steps at most; what was asked for where it is enough. The reply says what was used."""
    with site.probing():
        site.put_peer("a", 9)
        query = NodesQuery(from_="2026-01-01T00:00:00Z", to=to, step=asked)
        found = asyncio.run(site.infrastructure.nodes(query))
    assert (len(found.items), found.step) == (1, used)


def test_the_hour_before_the_first_time_begins_with_it(site: WatchSite) -> None:
    """The wire has no time before the year 1000."""
    with site.probing():
        found = asyncio.run(site.infrastructure.nodes(NodesQuery(to="1000-01-01T00:00:01Z")))
    assert found.from_ == "1000-01-01T00:00:00.000000Z"


def test_stop_ends_the_probing(site: WatchSite) -> None:
    """After the stop nothing is probed, and readiness says so."""
    with site.probing():
        assert site.infrastructure.trouble() is None
    assert site.infrastructure.trouble() is not None
