"""Rows of the operation table that enrol and erase a node's templates, for each capability that has such."""

from __future__ import annotations

from typing import Literal, Protocol

from app.api.operation import Call, Clearance, Endpoint, Rate
from app.biometrics.enrolments import Enrolments
from app.biometrics.messages import EnrolledTemplates, ErasedTemplates, TemplateSamples
from app.registry.service import now_us


class Enrolling(Protocol):
    """A service whose nodes have templates."""

    @property
    def enrolments(self) -> Enrolments:
        """Who keeps them."""


def enrolment_rows(capability: Literal["palm", "stylized"], *, enrols: str, erases: str) -> tuple[Endpoint, Endpoint]:
    """PUT and DELETE of ``/v1/registry/nodes/{id}/<capability>`` with their summaries. The capability's service is
    ``Enrolling``."""
    path = f"/v1/registry/nodes/{{id}}/{capability}"

    async def enrol(service: Enrolling, call: Call[TemplateSamples, None]) -> EnrolledTemplates:
        who, request_id = call.caller.key_id, call.request_id
        return await service.enrolments.put(
            capability, call.path["id"], call.body, actor=who, request_id=request_id, now_us=now_us()
        )

    async def erase(service: Enrolling, call: Call[None, None]) -> ErasedTemplates:
        return await service.enrolments.erase(
            call.path["id"], actor=call.caller.key_id, request_id=call.request_id, now_us=now_us()
        )

    return (
        Endpoint(
            name=f"{capability}.enrol",
            method="PUT",
            path=path,
            handler=enrol,
            summary=enrols,
            clearance=Clearance.CITADEL,
            request=TemplateSamples,
            response=EnrolledTemplates,
            problems=("not_found", "proof_invalid", "state_conflict", "replayed"),
            rate=Rate.ENROL,
            secret=True,
        ),
        Endpoint(
            name=f"{capability}.erase",
            method="DELETE",
            path=path,
            handler=erase,
            summary=erases,
            clearance=Clearance.CITADEL,
            response=ErasedTemplates,
            problems=("not_found",),
            rate=Rate.WRITE,
        ),
    )
