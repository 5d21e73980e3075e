"""Any other system: a signed call that announces the burn (Standard Webhooks 1.0).

Headers ``webhook-id`` (fixed by burn and target: a repeat is known as one), ``webhook-timestamp`` and
``webhook-signature`` (``v1``, HMAC-SHA256 under the registered ``whsec_`` secret); the body is a ``BurnWebhook``.
"""

from __future__ import annotations

import hashlib
import time
from typing import ClassVar, Literal

import msgspec

from app.api.wire import rfc3339
from app.capabilities.burn.messages import Residual, Scope, TargetState
from app.capabilities.burn.targets import BurnFacts
from app.capabilities.burn.targets.answers import Unsuccessful, probing, unsuccessful
from app.capabilities.burn.targets.connector import WEB, AttemptOutcome, AttemptSubject, Refusal, Tools
from app.delivery.webhook_signature import SECRET_PREFIX, SHORTEST, read_secret, signed_headers
from app.registry.directories import DirectoryRow
from app.registry.messages.directories import DirectoryKind

_NOT_THERE = (404, 410)


class BurnWebhookData(msgspec.Struct, kw_only=True):
    """Who was burned, and why. ``account``: as registered for this receiver; ``scope`` and ``reason`` as called;
    ``training``: nothing real happened; ``drill``: a drill identity."""

    burn_id: str
    node_id: str
    account: str | None
    employee_id: str | None
    reason: str
    scope: Scope
    at: str
    training: bool
    drill: bool


class BurnWebhook(msgspec.Struct, kw_only=True):
    """The body of the call; ``timestamp`` of the burn, the same in each repeat."""

    type: Literal["burn.executed"] = "burn.executed"
    timestamp: str
    data: BurnWebhookData


class Webhook:
    """The kind ``webhook``."""

    kind: ClassVar[DirectoryKind] = "webhook"
    per: ClassVar[Literal["person", "site"]] = "site"
    searches: ClassVar[tuple[Literal["employee_id", "email"], ...]] = ()
    readable: ClassVar[bool] = False
    schemes: ClassVar[tuple[str, ...]] = WEB
    credential: ClassVar[str] = "signing secret: whsec_ and at least 24 bytes in base64"
    fields: ClassVar[tuple[str, ...]] = ()

    def __init__(self, tools: Tools) -> None:
        self._http = tools.http

    async def revoke(
        self, where: DirectoryRow, who: AttemptSubject, facts: BurnFacts, deadline_s: float
    ) -> AttemptOutcome:
        """2xx: the receiver has it, and what it does with it is not told."""
        secret = _secret_of(where)
        at = rfc3339(facts.at_us)
        data = BurnWebhookData(
            burn_id=facts.burn_id,
            node_id=facts.node_id,
            account=who.account,
            employee_id=who.employee_id,
            reason=facts.reason,
            scope=facts.scope,
            at=at,
            training=facts.training,
            drill=facts.drill,
        )
        body = msgspec.json.encode(BurnWebhook(timestamp=at, data=data))
        named = msgspec.json.encode([facts.burn_id, where.directory_id, who.account])
        message_id = f"msg_{hashlib.sha256(named).hexdigest()[:32]}"
        headers = signed_headers(message_id, int(time.time()), body, secret=secret)
        answer = await self._http.call(
            "POST", where.url, timeout_s=deadline_s, headers=headers, content=body, ca=where.ca
        )
        if not 200 <= answer.status < 300:
            return unsuccessful(answer)
        return AttemptOutcome("delivered", f"taken ({answer.status}) as {message_id}, its effect cannot be read")

    async def probe(self, where: DirectoryRow, deadline_s: float) -> str:
        """Asks what the address takes (OPTIONS): a signed call could be taken for a burn."""
        _secret_of(where)
        answer = await self._http.call("OPTIONS", where.url, timeout_s=deadline_s, ca=where.ca)
        if answer.status >= 500 or answer.status in _NOT_THERE:
            with probing():
                raise Unsuccessful(unsuccessful(answer))
        return (
            f"the address answers ({answer.status}); its first burn shows whether it takes the signature; "
            "its effect cannot be read: a burn is delivered there"
        )

    def residual(self, where: DirectoryRow, state: TargetState, at_us: int) -> Residual | None:
        """What the receiver does with a call is its own affair; one that was not reached goes on as before."""
        del at_us
        if state == "delivered":
            return Residual(what=f"{where.display_name}: what the receiver does with the call is not told", until=None)
        return Residual(what=f"{where.display_name}: everything that waits for this call", until=None)

    async def close(self) -> None:
        """The connections belong to the client of all."""


def _secret_of(where: DirectoryRow) -> bytes:
    """Refuses what would sign with nothing, or with less than it seems."""
    try:
        return read_secret(where.secret or "")
    except ValueError as error:
        raise Refusal(
            f"the registered secret is no {SECRET_PREFIX} followed by {SHORTEST} bytes or more in base64"
        ) from error
