"""The telemetry stream over HTTP: who gets it, what comes, how it ends."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import msgspec
import pytest
from sqlalchemy import func, select

from app.capabilities.gateway.telemetry.service import OPENED
from app.capabilities.gateway.telemetry.tables import proof_horizon, proof_used
from app.console.connection.unit_key import UnitKeyPair
from app.delivery.events import Event
from app.registry.messages.jwk import EcJwk
from app.registry.messages.units import CONSOLE_LAUNCH, UnitBody
from app.store.writer import ActOutcome
from tests.service.capabilities.gateway.gateway_unit import PATH, RunningUnit
from tests.service.capabilities.infrastructure.watch_site import WatchSite, until


class Note(msgspec.Struct):
    """A body of an event."""

    n: int


def publish(site: WatchSite, number: int) -> None:
    """One event of a capability."""
    site.bus.publish(Event("card", Note(number), 0))


def code(response: Any) -> tuple[int, str]:
    """Status and code of a problem document."""
    assert response.headers["content-type"] == "application/problem+json"
    return response.status_code, response.json()["code"]


def test_stream_carries_events(unit: RunningUnit) -> None:
    """A unit with a good proof reads events with name, id and JSON."""
    with unit.stream() as reader:
        assert reader.response.headers["content-type"] == "text/event-stream"
        publish(unit.site, 7)
        kind, event_id, data = reader.event()
    assert (kind, data) == ("card", {"n": 7})
    assert event_id


def test_proof_in_the_header(unit: RunningUnit) -> None:
    """The proof may come as Arc-Enclave-Sig instead."""
    params = {"unit_id": unit.unit_id}
    with unit.client.stream("GET", PATH, params=params, headers={"Arc-Enclave-Sig": unit.proof()}) as response:
        assert response.status_code == 200


def test_same_proof_in_both_places(unit: RunningUnit) -> None:
    """Both and equal is one proof."""
    proof = unit.proof()
    with unit.stream(proof, **{"Arc-Enclave-Sig": proof}) as reader:
        assert reader.response.status_code == 200


def test_two_different_proofs_conflict(unit: RunningUnit) -> None:
    """Both and different is refused before any is looked at."""
    assert code(unit.ask(unit.proof(), **{"Arc-Enclave-Sig": unit.proof()})) == (400, "parameter_conflict")


def test_no_proof_is_refused(unit: RunningUnit) -> None:
    """An API key alone opens no stream."""
    assert code(unit.ask()) == (403, "proof_invalid")


def test_bad_proof_is_refused(unit: RunningUnit) -> None:
    """A proof for another method."""
    assert code(unit.ask(unit.proof(htm="POST"))) == (403, "proof_invalid")


def test_unknown_unit_is_refused(unit: RunningUnit) -> None:
    """A proof of nobody."""
    proof = unit.proof()
    unit.unit_id = "nobody"
    assert code(unit.ask(proof)) == (403, "proof_invalid")


@pytest.mark.parametrize("shift", [-61, 63])
def test_proof_of_another_time_is_refused(unit: RunningUnit, shift: int) -> None:
    """More than a minute old, or ahead of its time."""
    assert code(unit.ask(unit.proof(iat=int(time.time()) + shift))) == (403, "proof_invalid")


def test_proof_of_another_unit_is_refused(unit: RunningUnit) -> None:
    """A registered unit speaks for itself alone; its attempt is a leaf of the unit that it named."""
    other = RunningUnit(unit.site, "unit-2")
    assert code(unit.ask(other.proof())) == (403, "proof_invalid")
    assert [leaf.unit_id for leaf in unit.site.leaves(action=OPENED)] == ["unit-1"]
    with other.stream() as reader:
        assert reader.response.status_code == 200
    other.close()


def test_refused_proof_is_not_used_up(unit: RunningUnit) -> None:
    """Somebody who saw a proof cannot spend it elsewhere."""
    proof = unit.proof()
    unit.unit_id = "unit-2"
    assert code(unit.ask(proof)) == (403, "proof_invalid")
    unit.unit_id = "unit-1"
    with unit.stream(proof) as reader:
        assert reader.response.status_code == 200


def test_clock_that_is_set_back_reopens_no_proof(unit: RunningUnit) -> None:
    """Ten minutes ahead, and back again: what was used then stays used."""
    proof = unit.proof()
    with unit.stream(proof):
        pass
    writer = unit.site.store.writer
    writer._clock = lambda: time.time_ns() // 1000 + 600_000_000
    with unit.stream():
        pass
    writer._clock = lambda: time.time_ns() // 1000
    with unit.stream(proof) as reader:
        assert reader.response.status_code == 409


def test_no_key_is_unauthenticated(unit: RunningUnit) -> None:
    """A proof alone opens no stream either."""
    unit.client.headers.pop("Authorization")
    assert code(unit.ask(unit.proof())) == (401, "unauthenticated")


def test_missing_unit_is_invalid(unit: RunningUnit) -> None:
    """``unit_id`` is required."""
    assert code(unit.client.get(PATH)) == (422, "invalid_body")


def test_proof_opens_once(unit: RunningUnit) -> None:
    """The same proof again is a replay."""
    proof = unit.proof()
    with unit.stream(proof):
        assert code(unit.ask(proof)) == (409, "replayed")


def test_bound_proof_needs_its_key(unit: RunningUnit) -> None:
    """A proof that names another API key is not for this call."""
    assert code(unit.ask(unit.proof(ath="A" * 43))) == (403, "proof_invalid")


def test_opening_and_refusal_are_leaves(unit: RunningUnit) -> None:
    """Who read, and who tried, is in the audit log; no proof is."""
    proof = unit.proof()
    with unit.stream(proof):
        unit.ask(proof)
    leaves = unit.site.leaves(action=OPENED)
    assert [(leaf.outcome, leaf.unit_id) for leaf in leaves] == [
        (ActOutcome.ACCEPTED, "unit-1"),
        (ActOutcome.DENIED, "unit-1"),
    ]
    assert proof not in str(leaves)


def test_reconnect_goes_on(unit: RunningUnit) -> None:
    """``Last-Event-ID`` brings what was missed."""
    with unit.stream() as reader:
        publish(unit.site, 1)
        _kind, event_id, _data = reader.event()
    publish(unit.site, 2)
    with unit.stream(**{"Last-Event-ID": event_id}) as reader:
        assert reader.event()[2] == {"n": 2}


def test_lost_events_are_told(unit: RunningUnit) -> None:
    """What the ring forgot is a gap with its number."""
    with unit.stream() as reader:
        publish(unit.site, 0)
        _kind, event_id, _data = reader.event()
    for number in range(1, 21):
        publish(unit.site, number)
    with unit.stream(**{"Last-Event-ID": event_id}) as reader:
        assert (reader.event()[0], reader.event()[2]) == ("gap", {"n": 5})


def test_deleted_unit_stops_reading(unit: RunningUnit) -> None:
    """The stream of a unit ends with its row."""
    with unit.stream() as reader:
        unit.delete()
        assert reader.ends()


def test_changed_key_stops_reading(unit: RunningUnit) -> None:
    """A stream opened by a key that is no longer the unit's ends."""
    with unit.stream() as reader:
        unit.renew_key()
        assert reader.ends()


def test_unchanged_unit_reads_on(unit: RunningUnit) -> None:
    """Registering the same key again ends nothing."""
    with unit.stream() as reader:
        unit.register()
        publish(unit.site, 3)
        assert reader.event()[2] == {"n": 3}


def test_revoked_api_key_stops_reading(unit: RunningUnit) -> None:
    """A revocation reaches the streams that the key opened."""
    with unit.stream() as reader:
        with unit.site.client(unit.site.make_key("citadel").key) as operator:
            assert operator.delete(f"/v1/keys/{unit.api.kid}").is_success
        assert reader.ends()


def test_reader_who_leaves_is_forgotten(unit: RunningUnit) -> None:
    """A closed connection leaves no reader behind."""
    with unit.stream():
        assert unit.site.hub.readers == 1
    until(lambda: unit.site.hub.readers == 0)


def test_streams_of_a_unit_are_bounded(unit: RunningUnit, monkeypatch: pytest.MonkeyPatch) -> None:
    """One unit cannot take all places."""
    monkeypatch.setattr("app.capabilities.gateway.telemetry.service.STREAMS_PER_UNIT", 1)
    with unit.stream():
        assert code(unit.ask(unit.proof())) == (429, "rate_limited")


def test_a_proof_whose_row_was_deleted_stays_used(unit: RunningUnit) -> None:
    """The table holds what could still be replayed, no more; and where the clock went ahead by a day and back, the
    store knows up to which time proofs were used. A newer one opens."""
    used = unit.proof(iat=int(time.time()) - 5)
    with unit.stream(used):
        pass
    writer = unit.site.store.writer
    writer._clock = lambda: time.time_ns() // 1000 + 90_000 * 1_000_000
    with unit.stream(unit.proof(iat=int(time.time()) + 30)):
        pass
    with unit.site.store.read() as connection:
        assert connection.scalar(select(func.count()).select_from(proof_used)) == 1
        horizon = connection.scalar(select(proof_horizon.c.iat))
    writer._clock = lambda: time.time_ns() // 1000
    assert code(unit.ask(used)) == (409, "replayed")
    assert horizon is not None
    assert code(unit.ask(unit.proof(iat=horizon))) == (409, "replayed")
    assert abs(horizon - time.time()) < 60
    with unit.stream(unit.proof(iat=horizon + 1)) as reader:
        assert reader.response.status_code == 200


def test_a_proof_ahead_of_the_stores_time_is_kept_from_its_own(unit: RunningUnit) -> None:
    """Its row lasts for a day after the proof's time, not after the earlier one at which it was used."""
    iat = int(time.time()) + 50
    with unit.stream(unit.proof(iat=iat)):
        pass
    with unit.site.store.read() as connection:
        assert connection.scalar(select(proof_used.c.until_us)) == (iat + 86_400) * 1_000_000


def test_units_of_killed_consoles_are_swept_away(unit: RunningUnit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a launch that no stream holds, once they are old; what a console of today has, and every other unit,
    stays."""
    left = msgspec.convert({**UnitKeyPair.generate().jwk}, EcJwk)
    tagged = UnitBody(public_key=left, actions=[], tags=[CONSOLE_LAUNCH])
    registry, writer = unit.site.registry, unit.site.store.writer
    asyncio.run(registry.units.put("console-left", tagged, actor="tester"))

    def swept() -> int:
        return writer.submit(unit.site.telemetry.sweep).result(10)

    assert swept() == 0
    monkeypatch.setattr("app.capabilities.gateway.telemetry.service.LEFT_US", -1)
    assert swept() == 1
    assert registry.unit_key("console-left") is None
    assert registry.unit_key(unit.unit_id) is not None
    own = registry.unit_key(unit.unit_id)
    assert own is not None
    asyncio.run(
        registry.units.put(
            unit.unit_id, UnitBody(public_key=own.public_key, actions=[], tags=[CONSOLE_LAUNCH]), actor="tester"
        )
    )
    with unit.stream():
        assert swept() == 0
    until(lambda: unit.site.hub.readers == 0)
    assert swept() == 1


def test_stop_ends_the_streams(unit: RunningUnit) -> None:
    """A graceful stop of the service ends what is being read."""
    with unit.stream() as reader:
        loop = unit.site.hub._loop
        assert loop is not None
        asyncio.run_coroutine_threadsafe(unit.site.hub.stop(), loop).result(10)
        assert reader.ends()


def test_handshakes_are_on_the_stream(unit: RunningUnit) -> None:
    """A registered frame's measurements arrive as they are made."""
    _server, port = unit.site.frame("a")
    with unit.stream() as reader:
        unit.site.put_peer("a", port)
        while (event := reader.event())[0] != "handshake":
            pass
    item = event[2]["items"][0]
    assert item["node_id"] == "FRAME-a"
    assert item["latency_ms"] > 0
