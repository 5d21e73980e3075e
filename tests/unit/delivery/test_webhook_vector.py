"""The vector of a signed call that ``app/delivery/README.md`` shows, recomputed."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from app.capabilities.burn.targets.webhook import Webhook
from app.delivery.outbound import OutboundAnswer

VECTOR = json.loads((Path(__file__).parents[2] / "vectors" / "webhook-1.json").read_text(encoding="utf-8"))


class Recorder:
    """Takes one call as the receiver would."""

    async def call(self, method: str, url: str, **how: Any) -> OutboundAnswer:
        self.headers, self.body = how["headers"], how["content"]
        return OutboundAnswer(204, {}, b"")


def sign(message_id: str, timestamp: str, body: str) -> str:
    """``webhook-signature``, by the standard library alone."""
    key = base64.b64decode(VECTOR["secret"].removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.{body}".encode()
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()


def test_the_signature_is_over_id_time_and_body() -> None:
    """HMAC-SHA256 of the three, joined by dots; the id is a hash of burn, directory and account."""
    digest = hashlib.sha256(VECTOR["named"].encode()).hexdigest()
    assert f"msg_{digest[:32]}" == VECTOR["webhook_id"]
    assert sign(VECTOR["webhook_id"], VECTOR["webhook_timestamp"], VECTOR["body"]) == VECTOR["webhook_signature"]


def test_the_call_is_that_of_the_vector() -> None:
    """What the site sends for the same burn: body and id to the byte, the signature over its own time."""
    data = json.loads(VECTOR["body"])["data"]
    facts = SimpleNamespace(
        burn_id=data["burn_id"],
        node_id=data["node_id"],
        reason=data["reason"],
        scope=data["scope"],
        at_us=1_700_000_000_000_000,
        training=True,
        drill=False,
    )
    where = SimpleNamespace(directory_id="vpn", url="https://receiver.example/", ca=None, secret=VECTOR["secret"])
    who = SimpleNamespace(account=data["account"], employee_id=data["employee_id"])
    http = Recorder()
    target = Webhook(SimpleNamespace(http=http))  # type: ignore[arg-type]
    asyncio.run(target.revoke(where, who, facts, 1.0))  # type: ignore[arg-type]
    assert (http.body.decode(), http.headers["webhook-id"]) == (VECTOR["body"], VECTOR["webhook_id"])
    signed = sign(VECTOR["webhook_id"], http.headers["webhook-timestamp"], VECTOR["body"])
    assert http.headers["webhook-signature"] == signed


def test_the_page_shows_these_values() -> None:
    """What a reader copies from the page is what the file holds."""
    page = (Path(__file__).parents[3] / "app" / "delivery" / "README.md").read_text(encoding="utf-8")
    shown = [VECTOR[name] for name in ("secret", "webhook_id", "webhook_timestamp", "body", "webhook_signature")]
    assert [text for text in shown if text not in page] == []
