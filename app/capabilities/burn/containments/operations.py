"""Rows of the operation table for containments."""

from __future__ import annotations

import asyncio
from typing import Any

from app.api.operation import Answer, Call, Clearance, Endpoint, Rate
from app.api.roles import ANY_ROLE, DESK
from app.capabilities.burn.containments.service import Containments
from app.capabilities.burn.messages import Containment, ContainmentBody, ContainmentListQuery, ContainmentPage

PATH = "/v1/citadel/uac/containments"


async def _contain(service: Containments, call: Call[ContainmentBody, None]) -> Answer:
    item, made = await service.contain(call.body, actor=call.caller.key_id, request_id=call.request_id)
    return Answer(item, status=201 if made else 200)


async def _list(service: Containments, call: Call[None, ContainmentListQuery]) -> ContainmentPage:
    return await asyncio.to_thread(service.page, call.query)


async def _get(service: Containments, call: Call[Any, Any]) -> Containment:
    return service.get(call.path["containment_id"])


async def _release(service: Containments, call: Call[Any, Any]) -> Containment:
    return await service.release(call.path["containment_id"], actor=call.caller.key_id, request_id=call.request_id)


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="containments.contain",
        method="POST",
        path=PATH,
        handler=_contain,
        summary="Denies a node at this site for a time (201); one that is contained already is so for longer (200).",
        clearance=Clearance.CITADEL,
        roles=DESK,
        request=ContainmentBody,
        response=Containment,
        statuses=(200, 201),
        problems=("state_conflict",),
        rate=Rate.BURN,
    ),
    Endpoint(
        name="containments.list",
        method="GET",
        path=PATH,
        handler=_list,
        summary="Containments, newest first: contained and queued ones, or those of one state.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        query=ContainmentListQuery,
        response=ContainmentPage,
    ),
    Endpoint(
        name="containments.get",
        method="GET",
        path=f"{PATH}/{{containment_id}}",
        handler=_get,
        summary="A containment, also one that is over.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        response=Containment,
        problems=("not_found",),
    ),
    Endpoint(
        name="containments.release",
        method="DELETE",
        path=f"{PATH}/{{containment_id}}",
        handler=_release,
        summary="Ends a containment now; a door opens again when no other cause denies the node.",
        clearance=Clearance.CITADEL,
        roles=DESK,
        response=Containment,
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
    ),
)
