"""Shared Signals, against a receiver that checks every token with PyJWT and the published keys."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.capabilities.burn.messages import Burn, BurnTarget
from app.capabilities.burn.targets.connectors import CONNECTORS
from app.delivery.published_keys import SECURITY_EVENTS, PublishedKeys
from app.store.keys import Kek, Keys
from tests.burn_receivers import SSF_AUDIENCE as AUDIENCE
from tests.burn_receivers import SSF_TOKEN as TOKEN
from tests.burn_receivers import SsfReceiver
from tests.door_site import DoorSite, door_site, until
from tests.receiver import Received, Reply, answering


@pytest.fixture
def verifier() -> Iterator[SsfReceiver]:
    """A receiver."""
    made = SsfReceiver()
    with made.listening():
        yield made


@pytest.fixture
def site(tmp_path: Path, verifier: SsfReceiver) -> Iterator[DoorSite]:
    """A site whose events the receiver takes."""
    with door_site(tmp_path / "site", connectors=CONNECTORS) as made:
        made.directory("signals", "ssf", verifier.url, secret=TOKEN, audience=AUDIENCE, timeout_ms=5000)
        verifier.trust(msgspec.to_builtins(PublishedKeys(made.keys).public())["keys"])
        yield made


def burned(site: DoorSite, wait_s: float = 5.0) -> tuple[Burn, BurnTarget]:
    """The burn of ARC-1 and its SSF target."""

    async def run() -> tuple[Burn, BurnTarget]:
        async with site.running():
            return await site.tried("ssf", wait_s)

    reply, found = asyncio.run(run())
    assert TOKEN not in (found.evidence or "")
    return reply, found


def test_three_events_are_taken(site: DoorSite, verifier: SsfReceiver) -> None:
    """CAEP session-revoked and credential-change, RISC account-disabled; one event a token, none with ``sub``."""
    site.account("ARC-1", email="t1@site.invalid")
    reply, found = burned(site)
    events = [next(iter(claims["events"].items())) for claims in verifier.taken]
    assert [name.rpartition("/")[2] for name, _ in events] == [
        "session-revoked",
        "credential-change",
        "account-disabled",
    ]
    assert (events[1][1]["change_type"], events[2][1]) == ("revoke", {"reason": "hijacking"})
    for claims in verifier.taken:
        assert claims["txn"] == reply.burn_id
        assert claims["iss"] == site.site.name
        assert claims["sub_id"] == {"format": "complex", "user": {"format": "email", "email": "t1@site.invalid"}}
        assert claims["arc"] == {"training": True, "drill": False}
        assert not {"sub", "exp"} & set(claims)
    assert events[0][1]["reason_admin"] == {"en": "TRAINING: badge found on the street"}
    assert found.state == "delivered"
    assert all(claims["jti"] in (found.evidence or "") for claims in verifier.taken)


def test_taken_is_not_done(site: DoorSite) -> None:
    """The effect cannot be read: the receiver stays in the residual exposure of a complete burn."""
    reply, _ = burned(site)
    assert reply.state == "COMPLETE"
    assert [left.what for left in reply.residual_exposure] == [
        "signals: what the receiver does with the events is not told"
    ]


def test_a_repeat_is_known_as_one(site: DoorSite, verifier: SsfReceiver) -> None:
    """The receiver breaks at the second event: all come again, each with its former ``jti`` and claims."""

    def breaks_once(call: Received) -> Reply:
        answer = verifier.take(call)
        if len(verifier.taken) == 2:
            verifier.answer = verifier.take
            return 503, {}, b""
        return answer

    verifier.answer = breaks_once
    assert burned(site)[1].state == "delivered"
    first, again = verifier.taken[:2], verifier.taken[2:]
    assert len(again) == 3
    assert again[:2] == first


def test_a_new_key_is_known_by_its_name(site: DoorSite, verifier: SsfReceiver) -> None:
    """After a rotation both keys are published; a receiver that did not look again refuses the new one's events."""
    keys = Keys(site.site.keys_path, Kek(bytes(32)))
    old = PublishedKeys(keys).newest(SECURITY_EVENTS).thumbprint()
    keys.renew(SECURITY_EVENTS, "p256")
    published = [key.kid for key in PublishedKeys(keys).public().keys]
    assert published[1:-1] == [old]
    assert published[0] == PublishedKeys(keys).newest(SECURITY_EVENTS).thumbprint()
    assert set(verifier.keys) == {old, published[-1]}


@pytest.mark.parametrize(
    ("answer", "evidence"),
    [
        (SsfReceiver.refusal("invalid_key"), "answered 400: the receiver refuses the event (invalid_key)"),
        ((400, {}, b"[]"), "answered 400: the receiver refuses the event (without a known code)"),
        (SsfReceiver.refusal(TOKEN), "answered 400: the receiver refuses the event (without a known code)"),
        ((401, {}, b""), "answered 401: it does not take our secret"),
        ((200, {}, b""), "answered 200: RFC 8935 has 202 for an event that was taken"),
    ],
)
def test_a_refusal_is_a_failure(site: DoorSite, verifier: SsfReceiver, answer: Reply, evidence: str) -> None:
    """With the receiver's code, never with its words."""
    verifier.answer = lambda call: answer
    found = burned(site, 0.0)[1]
    assert (found.state, found.evidence) == ("failed", evidence)


def test_the_trial_is_a_verification_event(site: DoorSite, verifier: SsfReceiver) -> None:
    """It is about the stream and nobody in it."""

    async def run() -> Any:
        async with site.running():
            return (await site.registry.directories.probe(site.registry.directories.get("signals", 0))).probe

    probe = asyncio.run(run())
    unread = "what it does with events cannot be read: a burn is delivered there"
    assert (probe.ok, probe.found) == (True, f"the verification event was taken (202); {unread}")
    (claims,) = verifier.taken
    assert [name.rpartition("/")[2] for name in claims["events"]] == ["verification"]


def test_connections_stay_warm(site: DoorSite, verifier: SsfReceiver) -> None:
    """Three events and the next burn's three are one connection."""
    site.account("ARC-2")

    async def run() -> None:
        async with site.running():
            await site.burn("ARC-1", 5.0)
            await site.burn("ARC-2", 5.0)
            await until(lambda: len(verifier.taken) == 6)

    asyncio.run(run())
    assert len({call.port for call in verifier.calls if call.method == "POST"}) == 1


def test_the_keys_are_published(site: DoorSite) -> None:
    """That of events and that of bundles; no private part is among them."""
    published = msgspec.json.encode(PublishedKeys(Keys(site.site.keys_path, Kek(bytes(32)))).public())
    keys = json.loads(published)["keys"]
    assert len(keys) == 2
    assert all(set(key) == {"kty", "crv", "x", "y", "kid", "alg", "use"} for key in keys)


def test_a_dead_receiver_is_pending(site: DoorSite, verifier: SsfReceiver) -> None:
    """Its targets wait."""
    verifier.answer = answering(503)
    assert burned(site, 0.0)[1].state == "pending_offline"
