"""An HR system as it calls: bodies, and the headers that each scheme signs them with."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from datetime import UTC, datetime

from standardwebhooks import Webhook

KEY = bytes(range(32))
SECRET = "whsec_" + base64.b64encode(KEY).decode()
PATH = "/webhooks/hr-sync"


def event(employee_id: str, name: str = "EMPLOYEE_DISCHARGE", **more: object) -> bytes:
    """The body of a call."""
    return json.dumps({"event": name, "employee_id": employee_id, **more}).encode()


def signed(
    body: bytes, *, call_id: str = "msg_1", at: float | None = None, secret: str | bytes = SECRET
) -> dict[str, str]:
    """Headers of Standard Webhooks, as its own library signs."""
    at_s = int(time.time() if at is None else at)
    # The library takes the wall clock of the datetime for UTC.
    signature = Webhook(secret).sign(call_id, datetime.fromtimestamp(at_s, UTC), body.decode())
    return {"webhook-id": call_id, "webhook-timestamp": str(at_s), "webhook-signature": signature}


def bamboohr(body: bytes, secret: str, *, at: float | None = None) -> dict[str, str]:
    """Headers of BambooHR."""
    at_s = str(int(time.time() if at is None else at))
    signature = hmac.new(secret.encode(), body + at_s.encode(), hashlib.sha256).hexdigest()
    return {"x-bamboohr-timestamp": at_s, "x-bamboohr-signature": signature}


def basic(secret: str) -> dict[str, str]:
    """HTTP Basic with ``user:password``."""
    return {"authorization": "Basic " + base64.b64encode(secret.encode()).decode()}
