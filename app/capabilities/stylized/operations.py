"""Rows of the operation table for the stylized template: match and enrolment."""

from __future__ import annotations

from app.api.operation import Call, Clearance, Endpoint, Rate
from app.api.roles import BADGE, DESK
from app.biometrics.operations import enrolment_rows
from app.capabilities.stylized.messages import StylizedBody, StylizedMatch
from app.capabilities.stylized.service import Stylized


async def _verify(service: Stylized, call: Call[StylizedBody, None]) -> StylizedMatch:
    return await service.verify(call.body, actor=call.caller.key_id, request_id=call.request_id)


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="stylized.verify",
        method="POST",
        path="/v1/ambient/verify/stylized",
        handler=_verify,
        summary="Compares a stylized template with a registry, or with one node of it.",
        clearance=Clearance.SOVEREIGN,
        roles=BADGE | DESK,
        request=StylizedBody,
        response=StylizedMatch,
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
        body_limit=64 << 10,
        secret=True,
    ),
    *enrolment_rows(
        "stylized",
        enrols="Enrols the node's stylized templates (1 to 25 samples), in place of those before.",
        erases="Erases the node's stylized templates from every registry.",
    ),
)
