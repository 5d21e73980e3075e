"""Rows of the operation table below ``/v1/registry`` of biometrics: template registries, the bundles of terminals, and
the enrolments that palm and stylized have alike."""

from __future__ import annotations

from typing import Final, Literal, Protocol

from app.api.operation import Answer, Call, Clearance, Endpoint, Rate
from app.api.roles import ADMIN, AUDITOR, BADGE
from app.api.wire import NoBody
from app.biometrics.bundles import MEDIA_TYPE as BUNDLE_TYPE
from app.biometrics.enrolments import Enrolments
from app.biometrics.messages import (
    BundleTaken,
    BundleTakenBody,
    EnrolledTemplates,
    ErasedTemplates,
    RenewedTemplateRegistry,
    TemplateRegistry,
    TemplateRegistryBody,
    TemplateRegistryPage,
    TemplateSamples,
)
from app.biometrics.service import Biometrics
from app.registry.crud_operations import crud_rows
from app.registry.service import now_us

_SERVICE: Final = "biometrics"


async def _renew(service: Biometrics, call: Call[NoBody, None]) -> RenewedTemplateRegistry:
    return await service.template_registries.renew(
        call.path["id"], actor=call.caller.key_id, request_id=call.request_id
    )


async def _bundle(service: Biometrics, call: Call[None, None]) -> Answer:
    text = await service.bundles.issue(call.path["id"], actor=call.caller.key_id, request_id=call.request_id)
    return Answer(text, media_type=BUNDLE_TYPE)


async def _acknowledge(service: Biometrics, call: Call[BundleTakenBody, None]) -> BundleTaken:
    return await service.bundles.acknowledge(
        call.path["id"], call.body, actor=call.caller.key_id, request_id=call.request_id
    )


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="registry.get_terminal_bundle",
        method="GET",
        path="/v1/registry/terminals/{id}/bundle",
        handler=_bundle,
        summary="A new bundle for a palm terminal (JWE to its key of a JWS by this site): what it makes templates with,"
        " who is denied and, if it may decide offline, whom it may let in until when.",
        clearance=Clearance.SOVEREIGN,
        roles=ADMIN,
        media_type=BUNDLE_TYPE,
        problems=("not_found", "state_conflict", "dependency_unavailable"),
        rate=Rate.WRITE,
        service=_SERVICE,
    ),
    Endpoint(
        name="registry.acknowledge_terminal_bundle",
        method="POST",
        path="/v1/registry/terminals/{id}/bundle/taken",
        handler=_acknowledge,
        summary="A terminal's signed word that it opened, checked and kept a bundle: it has none of before any more, "
        "which is what a burn takes as proof. A repeat changes nothing.",
        clearance=Clearance.SOVEREIGN,
        roles=ADMIN,
        request=BundleTakenBody,
        response=BundleTaken,
        problems=("not_found", "proof_invalid", "state_conflict"),
        rate=Rate.WRITE,
        service=_SERVICE,
    ),
    *crud_rows(
        "template-registries",
        "template registry",
        "template registries",
        lambda biometrics: biometrics.template_registries,
        TemplateRegistryBody,
        TemplateRegistry,
        TemplateRegistryPage,
        service=_SERVICE,
        puts=ADMIN,
        deletes=ADMIN,
    ),
    Endpoint(
        name="registry.renew_template_registry",
        method="POST",
        path="/v1/registry/template-registries/{id}/renew",
        handler=_renew,
        summary="Makes every template anew under the next key, without the persons, and destroys the old key. A set of "
        "templates that was taken before stays linkable with the new one.",
        clearance=Clearance.CITADEL,
        roles=ADMIN,
        request=NoBody,
        response=RenewedTemplateRegistry,
        problems=("not_found", "state_conflict", "dependency_unavailable"),
        rate=Rate.WRITE,
        optional_body=True,
        service=_SERVICE,
    ),
)


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
            roles=BADGE,
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
            roles=AUDITOR | BADGE,
            response=ErasedTemplates,
            problems=("not_found",),
            rate=Rate.WRITE,
        ),
    )
