"""The rules from probes to a status."""

from __future__ import annotations

import dataclasses

from app.capabilities.infrastructure.handshake import Measurement, Phases
from app.capabilities.infrastructure.status import FrameState
from app.registry.peers import PeerRow

PEER = PeerRow("p", "FRAME-P", "127.0.0.1:1", None, None, "sovereign", False, ())


def good(ms: float = 2.0) -> Measurement:
    """A handshake that took ``ms`` to the first byte."""
    return Measurement("p", 1, None, Phases(0, 0.1, ms, ms + 1), "TLS_AES_256_GCM_SHA384", "X25519MLKEM768", "TLSv1.3")


def missed(reason: str = "The frame cannot be reached.") -> Measurement:
    """A probe that failed."""
    return Measurement("p", 1, reason)


def after(*probes: Measurement, median: float | None = None, peer: PeerRow = PEER) -> FrameState:
    """The state after these probes."""
    state = FrameState(peer)
    state.median_ms = median
    for probe in probes:
        state.observe(probe)
    return state


def test_unprobed_is_not_operational() -> None:
    """A frame that was never probed is not called working."""
    assert after().status == "DEGRADED"


def test_success_is_operational() -> None:
    """One handshake is enough."""
    assert after(good()).status == "OPERATIONAL"


def test_one_miss_is_degraded() -> None:
    """A missed probe shows, with its reason."""
    state = after(good(), missed("Refused."))
    assert (state.status, state.reason) == ("DEGRADED", "Refused.")


def test_two_misses_are_unreachable() -> None:
    """Two missed in a row."""
    assert after(good(), missed(), missed()).status == "UNREACHABLE"


def test_two_misses_apart_are_degraded() -> None:
    """Two missed with a success between them are no outage."""
    assert after(missed(), good(), missed()).status == "DEGRADED"


def test_back_at_once() -> None:
    """A frame that answers again is operational with its first answer."""
    assert after(missed(), missed(), good()).status == "OPERATIONAL"


def steady(*latencies: float, median: float) -> str:
    """The status after each latency was measured three times, one after the other."""
    return after(*(good(ms) for ms in latencies for _ in range(3)), median=median).status


def test_slow_is_degraded() -> None:
    """Latency above three times the hour's median."""
    assert steady(60.1, median=20.0) == "DEGRADED"


def test_three_times_the_median_is_operational() -> None:
    """The bound itself is still good."""
    assert steady(60.0, median=20.0) == "OPERATIONAL"


def test_a_few_milliseconds_are_noise() -> None:
    """Three times half a millisecond wakes nobody: a slow frame is also 20 ms above its median."""
    assert steady(1.82, median=0.56) == "OPERATIONAL"
    assert steady(20.5, median=0.5) == "OPERATIONAL"
    assert steady(20.6, median=0.5) == "DEGRADED"


def test_slow_frame_stays_slow_until_it_is_clearly_faster() -> None:
    """Around the bound the status does not flap."""
    assert steady(60.1, 59.0, median=20.0) == "DEGRADED"
    assert steady(60.1, 40.1, median=20.0) == "DEGRADED"
    assert steady(60.1, 40.0, median=20.0) == "OPERATIONAL"
    assert steady(60.1, 40.0, 59.0, median=20.0) == "OPERATIONAL"


def test_one_slow_probe_is_no_state() -> None:
    """A single late probe among quick ones changes nothing."""
    assert after(good(), good(50.0), good(), median=2.0).status == "OPERATIONAL"


def test_maintenance_wins() -> None:
    """What the operator registered comes before what was measured."""
    assert after(missed(), missed(), peer=dataclasses.replace(PEER, maintenance=True)).status == "MAINTENANCE"


def test_last_success_stays() -> None:
    """A frame that fails keeps its last measurement, so that nothing is made up for it."""
    state = after(good(7.0), missed(), missed())
    assert state.good is not None
    assert state.good.phases is not None
    assert state.good.phases.first_byte_ms == 7.0


def test_the_first_miss_of_a_start_is_no_outage() -> None:
    """As after a success: the second in a row is."""
    assert after(missed("Refused.")).status == "DEGRADED"
    state = after(missed("Refused."), missed("No route."))
    assert (state.status, state.reason) == ("UNREACHABLE", "No route.")


def test_an_unprobed_frame_says_so() -> None:
    """Also where an earlier run of the service knew it well."""
    state = FrameState(PEER, good(7.0))
    assert (state.status, state.probed) == ("DEGRADED", 0)
    assert "No probe" in (state.reason or "")


def test_probes_are_counted_one_by_one() -> None:
    """All of them, and those in a row of one kind, which a probe of the other kind ends."""
    counts = []
    state = FrameState(PEER)
    for probe in (good(), good(), missed(), missed(), missed(), good()):
        state.observe(probe)
        counts.append((state.probed, state.good_in_a_row, state.missed_in_a_row))
    assert counts == [(1, 1, 0), (2, 2, 0), (3, 0, 1), (4, 0, 2), (5, 0, 3), (6, 1, 0)]
    assert (FrameState(PEER).good_in_a_row, FrameState(PEER).missed_in_a_row) == (0, 0)


def test_a_good_frame_has_no_reason() -> None:
    """The failure before it is over, also for the next miss."""
    state = after(missed("Refused."), good())
    assert (state.status, state.reason, state.failure) == ("OPERATIONAL", None, None)


def test_slowness_is_told_in_numbers() -> None:
    """The operator sees by how much; two slow probes are too few to say."""
    state = after(good(61.0), good(61.0), median=20.0)
    assert state.status == "OPERATIONAL"
    state.observe(good(61.0))
    assert state.reason == "Latency 61.00 ms is far over its hour's median 20.00 ms."
