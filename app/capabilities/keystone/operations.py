"""The rows of rotating codes: a session opened or renewed, a scanned code judged."""

from __future__ import annotations

from app.api.operation import Call, Clearance, Endpoint, Idempotency, Rate
from app.api.roles import BADGE, DESK
from app.capabilities.keystone.messages import QrRotateBody, QrSession, QrVerdict, QrVerifyBody
from app.capabilities.keystone.service import Keystone


async def _rotate(service: Keystone, call: Call[QrRotateBody, None]) -> QrSession:
    return await service.rotate(call.body, actor=call.caller.key_id, request_id=call.request_id)


async def _verify(service: Keystone, call: Call[QrVerifyBody, None]) -> QrVerdict:
    return await service.verify(call.body, actor=call.caller.key_id, request_id=call.request_id)


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="keystone.rotate",
        method="POST",
        path="/v1/hardware/keystone/qr-rotate",
        handler=_rotate,
        summary="Opens or renews a session of rotating codes; its secret is shown this once.",
        clearance=Clearance.SOVEREIGN,
        roles=BADGE | DESK,
        request=QrRotateBody,
        optional_body=True,
        response=QrSession,
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
        idempotency=Idempotency.MEMORY,
    ),
    Endpoint(
        name="keystone.verify",
        method="POST",
        path="/v1/hardware/keystone/qr-verify",
        handler=_verify,
        summary="Accepts the code that a terminal shows now, once.",
        clearance=Clearance.SOVEREIGN,
        roles=BADGE | DESK,
        request=QrVerifyBody,
        response=QrVerdict,
        problems=("not_found", "replayed"),
        rate=Rate.WRITE,
    ),
)
