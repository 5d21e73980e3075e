"""Signed webhooks, against a receiver that checks each with the published library."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.capabilities.burn.messages import Burn, BurnTarget, Residual
from app.capabilities.burn.targets.connectors import CONNECTORS
from tests.burn_receivers import WEBHOOK_SECRET as SECRET
from tests.burn_receivers import WebhookReceiver
from tests.door_site import DoorSite, door_site
from tests.receiver import Received, Reply


@pytest.fixture
def subscriber() -> Iterator[WebhookReceiver]:
    """A receiver."""
    made = WebhookReceiver()
    with made.listening():
        yield made


@pytest.fixture
def site(tmp_path: Path, subscriber: WebhookReceiver) -> Iterator[DoorSite]:
    """A site that tells the receiver."""
    with door_site(tmp_path / "site", connectors=CONNECTORS) as made:
        made.directory("vpn", "webhook", subscriber.url, secret=SECRET, timeout_ms=5000)
        yield made


def burned(site: DoorSite, wait_s: float = 5.0) -> tuple[Burn, BurnTarget]:
    """The burn of ARC-1 and its webhook target."""

    async def run() -> tuple[Burn, BurnTarget]:
        async with site.running():
            return await site.tried("webhook", wait_s)

    reply, found = asyncio.run(run())
    assert SECRET not in (found.evidence or "")
    return reply, found


def test_the_call_tells_who_and_why(site: DoorSite, subscriber: WebhookReceiver) -> None:
    """Signed, and everything that is documented is in it."""
    site.account("ARC-1", ("vpn", "t1"), employee_id="E-1", tags=[])
    reply, found = burned(site)
    assert subscriber.taken == [
        {
            "type": "burn.executed",
            "timestamp": reply.timestamp,
            "data": {
                "burn_id": reply.burn_id,
                "node_id": "ARC-1",
                "account": "t1",
                "employee_id": "E-1",
                "reason": "badge found on the street",
                "scope": "GLOBAL_REVOCATION",
                "at": reply.timestamp,
                "training": True,
                "drill": False,
            },
        }
    ]
    message_id = subscriber.calls[0].headers["webhook-id"]
    assert (found.state, found.evidence, reply.residual_exposure) == (
        "delivered",
        f"taken (204) as {message_id}, its effect cannot be read",
        [Residual(what="vpn: what the receiver does with the call is not told", until=None)],
    )


def test_a_repeat_has_the_same_id(site: DoorSite, subscriber: WebhookReceiver) -> None:
    """The receiver answers 500 once: the same message comes again."""

    def breaks_once(call: Received) -> Reply:
        subscriber.answer = subscriber.take
        return 500, {}, b""

    subscriber.answer = breaks_once
    assert burned(site)[1].state == "delivered"
    first, again = subscriber.calls
    assert (first.headers["webhook-id"], first.body) == (again.headers["webhook-id"], again.body)


@pytest.mark.parametrize(
    ("status", "evidence"),
    [
        (410, "answered 410: it is gone for good"),
        (401, "answered 401: it does not take our secret"),
        (400, "answered 400"),
    ],
)
def test_a_refusal_is_a_failure(site: DoorSite, subscriber: WebhookReceiver, status: int, evidence: str) -> None:
    """2xx alone is proof."""
    subscriber.answer = lambda call: (status, {}, b"")
    reply, found = burned(site, 0.0)
    assert (found.state, found.evidence) == ("failed", evidence)
    assert [left.what for left in reply.residual_exposure] == ["vpn: everything that waits for this call"]


@pytest.mark.parametrize("secret", [None, "a password", "whsec_", "whsec_%%%", "whsec_" + "QUJD" * 4])
def test_nothing_is_sent_unsigned(site: DoorSite, subscriber: WebhookReceiver, secret: str | None) -> None:
    """A secret that is none fails before anything leaves."""
    site.directory("vpn", "webhook", subscriber.url, secret=secret)
    found = burned(site, 0.0)[1]
    assert (found.state, subscriber.calls) == ("failed", [])
    assert "whsec_ followed by" in (found.evidence or "")


def test_the_trial_is_no_message(site: DoorSite, subscriber: WebhookReceiver) -> None:
    """Nothing that could be taken for a burn."""

    async def run() -> Any:
        async with site.running():
            return (await site.registry.directories.probe(site.registry.directories.get("vpn", 0))).probe

    probe = asyncio.run(run())
    assert probe.ok
    assert [call.method for call in subscriber.calls] == ["OPTIONS"]
