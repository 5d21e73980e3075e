"""Rows of the operation table for burns, their targets and the preview (specification 4.6), and for lists of nodes;
those of containments stand in ``containments/operations.py``, those of what a burn leaves as evidence in
``log/operations.py``."""

from __future__ import annotations

import asyncio
from typing import Any

from app.api.operation import Answer, Call, Clearance, Endpoint, Rate
from app.api.prefer import preferred_wait
from app.api.roles import ANY_ROLE, DESK
from app.capabilities.burn.containments import operations as containments
from app.capabilities.burn.mass import MassBurns
from app.capabilities.burn.messages import (
    Burn,
    BurnBody,
    BurnListQuery,
    BurnPage,
    BurnSpeedQuery,
    BurnSpeedReport,
    CloseBody,
    LiftBody,
    MassBurn,
    MassBurnBody,
    Preview,
    PreviewBody,
)
from app.capabilities.burn.service import BurnService


async def _burn(service: BurnService, call: Call[BurnBody, None]) -> Answer:
    wait_s, applied = preferred_wait(call.headers.get("prefer", ""))
    reply = await service.burn(call.body, actor=call.caller.key_id, request_id=call.request_id, wait_s=wait_s)
    return _answer(reply, applied)


def _answer(reply: Burn | MassBurn, applied: str | None) -> Answer:
    headers = {} if applied is None else {"Preference-Applied": applied}
    return Answer(reply, status=200 if reply.state == "COMPLETE" else 202, headers=headers)


async def _burn_list(service: MassBurns, call: Call[MassBurnBody, None]) -> Answer:
    wait_s, applied = preferred_wait(call.headers.get("prefer", ""))
    reply = await service.burn(
        call.body.approval_id, actor=call.caller.key_id, request_id=call.request_id, wait_s=wait_s
    )
    return _answer(reply, applied)


async def _list(service: BurnService, call: Call[None, BurnListQuery]) -> BurnPage:
    # A page may count the targets of 500 burns at 1000 doors each: not on the loop that answers everybody else.
    return await asyncio.to_thread(service.page, call.query)


async def _speed(service: BurnService, call: Call[None, BurnSpeedQuery]) -> BurnSpeedReport:
    return await asyncio.to_thread(service.speed, call.query)


async def _get(service: BurnService, call: Call[Any, Any]) -> Burn:
    return service.get(call.path["burn_id"])


async def _retry(service: BurnService, call: Call[Any, Any]) -> Burn:
    return await service.retry(call.path["burn_id"], call.path["target_id"])


async def _close(service: BurnService, call: Call[CloseBody, None]) -> Burn:
    return await service.close(
        call.path["burn_id"],
        call.path["target_id"],
        call.body.reason,
        actor=call.caller.key_id,
        request_id=call.request_id,
    )


async def _preview(service: BurnService, call: Call[PreviewBody, None]) -> Preview:
    return await service.look(call.body)


async def _lift(service: BurnService, call: Call[LiftBody, None]) -> Burn:
    return await service.lift(
        call.path["burn_id"], call.body.approval_id, actor=call.caller.key_id, request_id=call.request_id
    )


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="burn.execute",
        method="POST",
        path="/v1/citadel/uac/burn",
        handler=_burn,
        summary="Ends all access of a node at once; 202 while a target lacks proof. Idempotent by node and scope.",
        clearance=Clearance.CITADEL,
        roles=DESK,
        request=BurnBody,
        response=Burn,
        statuses=(200, 202),
        rate=Rate.BURN,
        headers=("Prefer",),
    ),
    Endpoint(
        name="burn.list",
        method="GET",
        path="/v1/citadel/uac/burn",
        handler=_list,
        summary="Burns, newest first, each with its targets without proof.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        query=BurnListQuery,
        response=BurnPage,
    ),
    Endpoint(
        name="burn.speed",
        method="GET",
        path="/v1/citadel/uac/burn/speed",
        handler=_speed,
        summary="How soon burns were proven in a range of time: by system, to the last door, and the worst five.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        query=BurnSpeedQuery,
        response=BurnSpeedReport,
    ),
    Endpoint(
        name="burn.get",
        method="GET",
        path="/v1/citadel/uac/burn/{burn_id}",
        handler=_get,
        summary="A burn with all its targets.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        response=Burn,
        problems=("not_found",),
    ),
    Endpoint(
        name="burn.preview",
        method="POST",
        path="/v1/citadel/uac/burn/preview",
        handler=_preview,
        summary="The blast radius of a burn; writes nothing.",
        clearance=Clearance.CITADEL,
        roles=DESK,
        request=PreviewBody,
        response=Preview,
    ),
    Endpoint(
        name="burn.retry_target",
        method="POST",
        path="/v1/citadel/uac/burn/{burn_id}/targets/{target_id}/retry",
        handler=_retry,
        summary="Tries one target without proof now.",
        clearance=Clearance.CITADEL,
        roles=DESK,
        response=Burn,
        problems=("not_found", "state_conflict"),
        rate=Rate.BURN,
    ),
    Endpoint(
        name="burn.close_target",
        method="POST",
        path="/v1/citadel/uac/burn/{burn_id}/targets/{target_id}/close",
        handler=_close,
        summary="A person gives a target without proof up, with a reason.",
        clearance=Clearance.CITADEL,
        roles=DESK,
        request=CloseBody,
        response=Burn,
        problems=("not_found", "state_conflict"),
        rate=Rate.BURN,
    ),
    Endpoint(
        name="mass_burns.burn",
        method="POST",
        path="/v1/citadel/uac/burn/mass",
        handler=_burn_list,
        summary="Burns the list that another Citadel key approved: all denied first; 202 while a target lacks proof.",
        clearance=Clearance.CITADEL,
        roles=DESK,
        request=MassBurnBody,
        response=MassBurn,
        statuses=(200, 202),
        problems=("not_found", "state_conflict"),
        rate=Rate.BURN,
        headers=("Prefer",),
    ),
    Endpoint(
        name="burn.lift",
        method="POST",
        path="/v1/citadel/uac/burn/{burn_id}/lift",
        handler=_lift,
        summary="Takes a burn back by an approval of another Citadel key; what the node held stays denied for ever.",
        clearance=Clearance.CITADEL,
        roles=DESK,
        request=LiftBody,
        response=Burn,
        problems=("not_found", "state_conflict"),
        rate=Rate.BURN,
    ),
    *containments.OPERATIONS,
)
