"""Rows of the operation table for knot seals (specification 4.3)."""

from __future__ import annotations

import asyncio

from app.api.operation import Answer, Call, Clearance, Endpoint, Rate
from app.api.roles import ANY_ROLE, BADGE, DESK
from app.capabilities.provenance.messages import KnotListQuery, KnotPage, KnotSeal, KnotSealBody, WithdrawBody
from app.capabilities.provenance.service import Provenance

PATH = "/v1/citadel/provenance/knot-seal"
ZIP = "application/zip"


def _answer(found: KnotSeal, sealed: bool) -> Answer:
    # Pending is no failure: the next round seals it, and the same knot can be read.
    return Answer(found, status=200) if sealed else Answer(found, status=202, headers={"Retry-After": "5"})


async def _issue(service: Provenance, call: Call[KnotSealBody, None]) -> Answer:
    return _answer(*await service.issue(call.body, actor=call.caller.key_id, request_id=call.request_id))


async def _withdraw(service: Provenance, call: Call[WithdrawBody, None]) -> Answer:
    found = await service.withdraw(
        call.path["knot_id"], call.body, actor=call.caller.key_id, request_id=call.request_id
    )
    return _answer(*found)


async def _get(service: Provenance, call: Call[None, None]) -> KnotSeal:
    return await service.get(call.path["knot_id"])


async def _bundle(service: Provenance, call: Call[None, None]) -> Answer:
    knot_id = call.path["knot_id"]
    named = {"Content-Disposition": f'attachment; filename="{knot_id}.zip"'}
    return Answer(await service.bundle(knot_id), media_type=ZIP, headers=named)


async def _list(service: Provenance, call: Call[None, KnotListQuery]) -> KnotPage:
    return await asyncio.to_thread(service.page, call.query)


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="provenance.issue",
        method="POST",
        path=PATH,
        handler=_issue,
        summary="Seals a consent: a leaf of the seal log, cosigned by witnesses; 202 while their quorum is missing.",
        clearance=Clearance.CITADEL,
        roles=BADGE | DESK,
        request=KnotSealBody,
        response=KnotSeal,
        statuses=(200, 202),
        problems=("not_found", "state_conflict", "invalid_body"),
        rate=Rate.WRITE,
    ),
    Endpoint(
        name="provenance.list",
        method="GET",
        path=PATH,
        handler=_list,
        summary="Knot seals, newest first; by node or by consensus seal.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        query=KnotListQuery,
        response=KnotPage,
    ),
    Endpoint(
        name="provenance.get",
        method="GET",
        path=f"{PATH}/{{knot_id}}",
        handler=_get,
        summary="A knot with every statement about it and its proof.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        response=KnotSeal,
        problems=("not_found",),
    ),
    Endpoint(
        name="provenance.bundle",
        method="GET",
        path=f"{PATH}/{{knot_id}}/bundle",
        handler=_bundle,
        summary="A knot as a signed bundle that anybody can verify offline.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        media_type=ZIP,
        problems=("not_found", "state_conflict"),
    ),
    Endpoint(
        name="provenance.withdraw",
        method="POST",
        path=f"{PATH}/{{knot_id}}/withdraw",
        handler=_withdraw,
        summary="Takes a consent back by a new leaf; the first one stays, as it must.",
        clearance=Clearance.CITADEL,
        roles=BADGE | DESK,
        request=WithdrawBody,
        response=KnotSeal,
        statuses=(200, 202),
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
        optional_body=True,
    ),
)
