"""Rows of the operation table of the approvals: four eyes for what one key may not do alone."""

from __future__ import annotations

from app.api.operation import Answer, Call, Clearance, Endpoint, Rate
from app.api.roles import ADMIN, ANY_ROLE, AUDITOR, BADGE, DESK
from app.api.wire import NoBody
from app.approvals.messages import Approval, ApprovalBody, ApprovalListQuery, ApprovalPage
from app.approvals.service import Approvals
from app.registry.service import now_us


async def _request(service: Approvals, call: Call[ApprovalBody, None]) -> Answer:
    item, made = await service.request(
        call.body, actor=call.caller.key_id, request_id=call.request_id, roles=call.caller.roles
    )
    return Answer(item, status=201 if made else 200)


async def _list_approvals(service: Approvals, call: Call[None, ApprovalListQuery]) -> ApprovalPage:
    return service.page(call.query, now_us(), actor=call.caller.key_id)


async def _get_approval(service: Approvals, call: Call[None, None]) -> Approval:
    return service.get(call.path["approval_id"], now_us(), actor=call.caller.key_id)


async def _approve(service: Approvals, call: Call[NoBody, None]) -> Approval:
    return await service.approve(
        call.path["approval_id"], actor=call.caller.key_id, request_id=call.request_id, roles=call.caller.roles
    )


async def _reject(service: Approvals, call: Call[NoBody, None]) -> Approval:
    return await service.reject(
        call.path["approval_id"], actor=call.caller.key_id, request_id=call.request_id, roles=call.caller.roles
    )


_APPROVALS = "/v1/citadel/uac/approvals"

OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="approvals.request",
        method="POST",
        path=_APPROVALS,
        handler=_request,
        summary="Asks a second person to agree (201); what is asked for already is the same approval (200).",
        clearance=Clearance.CITADEL,
        roles=ADMIN | AUDITOR | BADGE | DESK,
        request=ApprovalBody,
        response=Approval,
        statuses=(200, 201),
        problems=("insufficient_clearance", "not_found", "state_conflict"),
        rate=Rate.WRITE,
    ),
    Endpoint(
        name="approvals.list",
        method="GET",
        path=_APPROVALS,
        handler=_list_approvals,
        summary="Approvals, newest first.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        query=ApprovalListQuery,
        response=ApprovalPage,
    ),
    Endpoint(
        name="approvals.get",
        method="GET",
        path=f"{_APPROVALS}/{{approval_id}}",
        handler=_get_approval,
        summary="One approval.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        response=Approval,
        problems=("not_found",),
    ),
    Endpoint(
        name="approvals.approve",
        method="POST",
        path=f"{_APPROVALS}/{{approval_id}}/approve",
        handler=_approve,
        summary="Agrees, by a person older than the request, whose line does not meet that of the one who asked.",
        clearance=Clearance.CITADEL,
        roles=ADMIN | AUDITOR | BADGE | DESK,
        request=NoBody,
        response=Approval,
        problems=("insufficient_clearance", "not_found", "state_conflict"),
        rate=Rate.WRITE,
        optional_body=True,
    ),
    Endpoint(
        name="approvals.reject",
        method="POST",
        path=f"{_APPROVALS}/{{approval_id}}/reject",
        handler=_reject,
        summary="Refuses a request, or takes an approval back that is not used yet; by another person.",
        clearance=Clearance.CITADEL,
        roles=ADMIN | AUDITOR | BADGE | DESK,
        request=NoBody,
        response=Approval,
        problems=("insufficient_clearance", "not_found", "state_conflict"),
        rate=Rate.WRITE,
        optional_body=True,
    ),
)
