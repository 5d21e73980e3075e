"""The rows of enforcement."""

from __future__ import annotations

import asyncio
from typing import Final

from app.api.operation import Answer, Call, Clearance, Endpoint, Rate
from app.api.roles import ADMIN, ANY_ROLE, DESK
from app.capabilities.enforcement.messages import (
    JurisdictionList,
    NoticePage,
    NoticeQuery,
    Strike,
    StrikeBody,
    StrikeDetails,
    StrikePage,
    StrikePreview,
    StrikeQuery,
    TrackingToken,
    WithdrawStrike,
)
from app.capabilities.enforcement.records import PATH
from app.capabilities.enforcement.service import Strikes

ACTION: Final = "/v1/citadel/action"
ONE: Final = f"{PATH}/{{tracking_token}}"
PDF: Final = "application/pdf"
ZIP: Final = "application/zip"
_TOKEN: Final = {"tracking_token": TrackingToken}


async def _issue(service: Strikes, call: Call[StrikeBody, None]) -> Answer:
    found, made = await service.issue(call.body, actor=call.caller.key_id, request_id=call.request_id)
    return Answer(found, status=201 if made else 200)


async def _preview(service: Strikes, call: Call[StrikeBody, None]) -> StrikePreview:
    return await service.preview(call.body, actor=call.caller.key_id)


async def _list(service: Strikes, call: Call[None, StrikeQuery]) -> StrikePage:
    return await asyncio.to_thread(service.records.page, call.query)


async def _get(service: Strikes, call: Call[None, None]) -> Strike:
    return await asyncio.to_thread(service.records.get, call.path["tracking_token"])


async def _supply(service: Strikes, call: Call[StrikeDetails, None]) -> Strike:
    token = call.path["tracking_token"]
    return await service.supply(token, call.body, actor=call.caller.key_id, request_id=call.request_id)


async def _declaration(service: Strikes, call: Call[None, None]) -> Answer:
    token = call.path["tracking_token"]
    named = {"Content-Disposition": f'attachment; filename="declaration-{service.file_name(token)}.pdf"'}
    return Answer(await asyncio.to_thread(service.records.declaration, token), media_type=PDF, headers=named)


async def _bundle(service: Strikes, call: Call[None, None]) -> Answer:
    token = call.path["tracking_token"]
    named = {"Content-Disposition": f'attachment; filename="{service.file_name(token)}.zip"'}
    return Answer(await asyncio.to_thread(service.bundles.bundle, token), media_type=ZIP, headers=named)


async def _withdraw(service: Strikes, call: Call[WithdrawStrike, None]) -> Strike:
    return await service.withdraw(
        call.path["tracking_token"], call.body.reason, actor=call.caller.key_id, request_id=call.request_id
    )


async def _notices(service: Strikes, call: Call[None, NoticeQuery]) -> NoticePage:
    return await asyncio.to_thread(service.records.board, call.query)


async def _jurisdictions(service: Strikes, _call: Call[None, None]) -> JurisdictionList:
    return await asyncio.to_thread(service.jurisdictions)


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="enforcement.strike",
        method="POST",
        path=PATH,
        handler=_issue,
        summary="Issues a signed declaration with its notices; three fields suffice, and nothing incomplete leaves.",
        clearance=Clearance.CITADEL,
        roles=ADMIN | DESK,
        request=StrikeBody,
        response=Strike,
        statuses=(201, 200),
        problems=("not_found", "state_conflict", "invalid_body", "dependency_unavailable"),
        rate=Rate.WRITE,
    ),
    Endpoint(
        name="enforcement.preview",
        method="POST",
        path=f"{PATH}/preview",
        handler=_preview,
        summary="What a strike would be: texts, what is missing, the declaration as a draft. Nothing is written.",
        clearance=Clearance.CITADEL,
        roles=ADMIN | DESK,
        request=StrikeBody,
        response=StrikePreview,
        problems=("not_found", "invalid_body", "dependency_unavailable"),
        rate=Rate.WRITE,
    ),
    Endpoint(
        name="enforcement.list",
        method="GET",
        path=PATH,
        handler=_list,
        summary="Strikes, newest first; by node or by jurisdiction.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        query=StrikeQuery,
        response=StrikePage,
    ),
    Endpoint(
        name="enforcement.get",
        method="GET",
        path=ONE,
        handler=_get,
        summary="A strike by its tracking token, with each notice and its history.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        response=Strike,
        problems=("not_found",),
        path_types=_TOKEN,
    ),
    Endpoint(
        name="enforcement.supply",
        method="PATCH",
        path=ONE,
        handler=_supply,
        summary="Supplies details while notices are held for want of them; what may leave then, leaves.",
        clearance=Clearance.CITADEL,
        roles=ADMIN | DESK,
        request=StrikeDetails,
        response=Strike,
        problems=("not_found", "state_conflict", "invalid_body", "dependency_unavailable"),
        rate=Rate.WRITE,
        path_types=_TOKEN,
    ),
    Endpoint(
        name="enforcement.declaration",
        method="GET",
        path=f"{ONE}/declaration.pdf",
        handler=_declaration,
        summary="The signed declaration (PAdES B-T).",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        media_type=PDF,
        problems=("not_found", "gone"),
        path_types=_TOKEN,
    ),
    Endpoint(
        name="enforcement.bundle",
        method="GET",
        path=f"{ONE}/bundle",
        handler=_bundle,
        summary="A strike as a signed bundle that anybody can verify offline.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        media_type=ZIP,
        problems=("not_found", "state_conflict", "gone"),
        path_types=_TOKEN,
    ),
    Endpoint(
        name="enforcement.withdraw",
        method="POST",
        path=f"{ONE}/withdraw",
        handler=_withdraw,
        summary="Takes a strike back: what has not left never leaves.",
        clearance=Clearance.CITADEL,
        roles=ADMIN | DESK,
        request=WithdrawStrike,
        response=Strike,
        problems=("not_found",),
        rate=Rate.WRITE,
        path_types=_TOKEN,
    ),
    Endpoint(
        name="enforcement.notices",
        method="GET",
        path=f"{ACTION}/notices",
        handler=_notices,
        summary="Notices of all strikes, the most urgent first.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        query=NoticeQuery,
        response=NoticePage,
    ),
    Endpoint(
        name="enforcement.jurisdictions",
        method="GET",
        path=f"{ACTION}/jurisdictions",
        handler=_jurisdictions,
        summary="The law files: what each asks, its clock, its date, who signed it off; and what is no law.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        response=JurisdictionList,
    ),
)
