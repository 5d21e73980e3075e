"""Rows of the operation table for what a burn leaves to be verified."""

from __future__ import annotations

import asyncio
from typing import Any

from app.api.operation import Answer, Call, Clearance, Endpoint
from app.api.roles import AUDITOR, DESK, MANAGER
from app.capabilities.burn.log.revocations import Revocations
from app.capabilities.burn.messages import PartQuery

PATH = "/v1/citadel/uac/burn/{burn_id}"
ZIP = "application/zip"
C2PA = "application/c2pa"
LINES = "application/x-ndjson"


def _attachment(call: Call[Any, Any], ending: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{call.path["burn_id"]}{ending}"'}


async def _segment(service: Revocations, call: Call[None, PartQuery]) -> Answer:
    data = await asyncio.to_thread(service.segment, call.path["burn_id"], call.query.part)
    return Answer(data, media_type=LINES, headers=_attachment(call, f".{call.query.part}.jsonl"))


async def _manifest(service: Revocations, call: Call[None, PartQuery]) -> Answer:
    data = await asyncio.to_thread(service.manifest, call.path["burn_id"], call.query.part)
    return Answer(data, media_type=C2PA, headers=_attachment(call, f".{call.query.part}.c2pa"))


async def _evidence(service: Revocations, call: Call[Any, Any]) -> Answer:
    data = await asyncio.to_thread(service.bundle, call.path["burn_id"])
    return Answer(data, media_type=ZIP, headers=_attachment(call, ".zip"))


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="revocations.segment",
        method="GET",
        path=f"{PATH}/segment",
        handler=_segment,
        summary="A burn's segment of the revocation log (JSON lines): the first, or a follow-up.",
        clearance=Clearance.CITADEL,
        roles=AUDITOR | DESK | MANAGER,
        query=PartQuery,
        media_type=LINES,
        problems=("not_found",),
    ),
    Endpoint(
        name="revocations.manifest",
        method="GET",
        path=f"{PATH}/manifest",
        handler=_manifest,
        summary="The C2PA sidecar manifest of that segment.",
        clearance=Clearance.CITADEL,
        roles=AUDITOR | DESK | MANAGER,
        query=PartQuery,
        media_type=C2PA,
        problems=("not_found", "state_conflict"),
    ),
    Endpoint(
        name="revocations.evidence",
        method="GET",
        path=f"{PATH}/evidence",
        handler=_evidence,
        summary="A burn as a signed bundle that anybody can verify offline.",
        clearance=Clearance.CITADEL,
        roles=AUDITOR | DESK | MANAGER,
        media_type=ZIP,
        problems=("not_found", "state_conflict"),
    ),
)
