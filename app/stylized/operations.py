"""Rows of the operation table for the stylized template: match and enrolment."""

from __future__ import annotations

from app.api.operation import Call, Clearance, Operation, Rate
from app.registry.enrolment_messages import EnrolledTemplates, ErasedTemplates, TemplateSamples
from app.registry.service import now_us
from app.stylized.messages import StylizedBody, StylizedMatch
from app.stylized.service import Stylized

_ENROLMENT = "/v1/registry/nodes/{id}/stylized"


async def _verify(service: Stylized, call: Call[StylizedBody, None]) -> StylizedMatch:
    return await service.verify(call.body, actor=call.caller.key_id, request_id=call.request_id)


async def _enrol(service: Stylized, call: Call[TemplateSamples, None]) -> EnrolledTemplates:
    return await service.enrolments.put(
        "stylized", call.path["id"], call.body, actor=call.caller.key_id, request_id=call.request_id, now_us=now_us()
    )


async def _erase(service: Stylized, call: Call[None, None]) -> ErasedTemplates:
    return await service.enrolments.erase(
        call.path["id"], actor=call.caller.key_id, request_id=call.request_id, now_us=now_us()
    )


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        name="stylized.verify",
        method="POST",
        path="/v1/ambient/verify/stylized",
        handler=_verify,
        summary="Compares a stylized template with a registry, or with one node of it.",
        clearance=Clearance.SOVEREIGN,
        request=StylizedBody,
        response=StylizedMatch,
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
        body_limit=64 << 10,
        secret=True,
    ),
    Operation(
        name="stylized.enrol",
        method="PUT",
        path=_ENROLMENT,
        handler=_enrol,
        summary="Enrols the node's stylized templates (1 to 25 samples), in place of those before.",
        clearance=Clearance.CITADEL,
        request=TemplateSamples,
        response=EnrolledTemplates,
        problems=("not_found", "proof_invalid", "state_conflict", "replayed"),
        rate=Rate.ENROL,
        secret=True,
    ),
    Operation(
        name="stylized.erase",
        method="DELETE",
        path=_ENROLMENT,
        handler=_erase,
        summary="Erases the node's stylized templates from every registry.",
        clearance=Clearance.CITADEL,
        response=ErasedTemplates,
        problems=("not_found",),
        rate=Rate.WRITE,
    ),
)
