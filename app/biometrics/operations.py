"""Rows of the operation table below ``/v1/registry`` that biometrics serves: template registries and the bundles of
terminals."""

from __future__ import annotations

from typing import Final

from app.api.operation import Answer, Call, Clearance, Endpoint, Rate
from app.api.wire import NoBody
from app.biometrics.bundles import MEDIA_TYPE as BUNDLE_TYPE
from app.biometrics.messages import (
    BundleTaken,
    BundleTakenBody,
    TemplateRegistry,
    TemplateRegistryBody,
    TemplateRegistryPage,
)
from app.biometrics.service import Biometrics
from app.registry.crud_operations import crud_rows

_SERVICE: Final = "biometrics"


async def _renew(service: Biometrics, call: Call[NoBody, None]) -> TemplateRegistry:
    return await service.template_registries.renew(
        call.path["id"], actor=call.caller.key_id, request_id=call.request_id
    )


async def _bundle(service: Biometrics, call: Call[None, None]) -> Answer:
    text = await service.bundles.issue(call.path["id"], actor=call.caller.key_id, request_id=call.request_id)
    return Answer(text, media_type=BUNDLE_TYPE)


async def _acknowledge(service: Biometrics, call: Call[BundleTakenBody, None]) -> BundleTaken:
    return await service.bundles.taken(call.path["id"], call.body, actor=call.caller.key_id, request_id=call.request_id)


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="registry.get_terminal_bundle",
        method="GET",
        path="/v1/registry/terminals/{id}/bundle",
        handler=_bundle,
        summary="A new bundle for a palm terminal (JWE to its key of a JWS by this site): what it makes templates with,"
        " who is denied and, if it may decide offline, whom it may let in until when.",
        clearance=Clearance.SOVEREIGN,
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
    ),
    Endpoint(
        name="registry.renew_template_registry",
        method="POST",
        path="/v1/registry/template-registries/{id}/renew",
        handler=_renew,
        summary="Makes every template anew under the next key, without the persons, and destroys the old key.",
        clearance=Clearance.CITADEL,
        request=NoBody,
        response=TemplateRegistry,
        problems=("not_found", "state_conflict", "dependency_unavailable"),
        rate=Rate.WRITE,
        optional_body=True,
        service=_SERVICE,
    ),
)
