"""Rows of the operation table for palm verification and palm enrolment."""

from __future__ import annotations

from app.api.operation import Call, Clearance, Endpoint, Rate
from app.api.roles import BADGE, DESK
from app.biometrics.operations import enrolment_rows
from app.capabilities.palm.messages import PalmVerdict, PalmVerifyBody
from app.capabilities.palm.service import Palm


async def _verify(service: Palm, call: Call[PalmVerifyBody, None]) -> PalmVerdict:
    return await service.verify(call.body, actor=call.caller.key_id, request_id=call.request_id)


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="palm.verify",
        method="POST",
        path="/v1/ambient/palm-verify",
        handler=_verify,
        summary="Decides whose palm lies on a terminal; no match is a 200 of the same shape.",
        clearance=Clearance.SOVEREIGN,
        roles=BADGE | DESK,
        request=PalmVerifyBody,
        response=PalmVerdict,
        problems=("not_found", "proof_invalid", "state_conflict", "replayed"),
        rate=Rate.WRITE,
        body_limit=64 << 10,
        secret=True,
    ),
    *enrolment_rows(
        "palm",
        enrols="Enrols the node's palm from at least three samples, in place of the one before.",
        erases="Erases the node's palm from every registry.",
    ),
)
