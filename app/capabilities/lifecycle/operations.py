"""Rows of the operation table for the HR listener, its events and rosters (specification 6.2)."""

from __future__ import annotations

import asyncio

from app.api.operation import Call, Caller, Clearance, Endpoint, Rate, SignedRequest
from app.api.problems import Problem
from app.api.roles import ADMIN, ANY_ROLE, DESK
from app.capabilities.lifecycle.messages import (
    Challenge,
    HrCall,
    HrCloseBody,
    HrCloseReply,
    HrEventPage,
    HrEventQuery,
    HrReply,
    Roster,
    RosterBody,
)
from app.capabilities.lifecycle.reconcile import Rosters
from app.capabilities.lifecycle.senders import HEADERS
from app.capabilities.lifecycle.service import Lifecycle
from app.capabilities.lifecycle.signatories import Signatory

BODY_LIMIT = 64 << 10
ROSTER_LIMIT = 16 << 20
CHALLENGE = "X-Okta-Verification-Challenge"
_PATHS = {"hr_sync": "/webhooks/hr-sync", "hr_sync_from": "/webhooks/hr-sync/{source}"}


def _sender(service: Lifecycle, sent: SignedRequest) -> Caller:
    return service.sender(sent)


def _signatory(caller: Caller) -> Signatory:
    if not isinstance(caller, Signatory):
        raise TypeError("the row has no sender")
    return caller


async def _hr_sync(service: Lifecycle, call: Call[None, None]) -> HrReply:
    # The row has a sender: its body comes as the bytes that were signed.
    raw: object = call.body
    if not isinstance(raw, bytes):
        raise TypeError("the row has no sender")
    return await service.receive(raw, _signatory(call.caller), request_id=call.request_id)


async def _verify(service: Lifecycle, call: Call[None, None]) -> Challenge:
    del service
    challenge = call.headers.get(CHALLENGE.lower())
    if challenge is None:
        raise Problem("malformed_request", f"Send the challenge as {CHALLENGE}.")
    return Challenge(verification=challenge)


async def _events(service: Lifecycle, call: Call[None, HrEventQuery]) -> HrEventPage:
    return await asyncio.to_thread(service.page, call.query)


async def _close(service: Lifecycle, call: Call[HrCloseBody, None]) -> HrCloseReply:
    return await service.close(call.body, actor=call.caller.key_id, request_id=call.request_id)


async def _post_roster(service: Rosters, call: Call[RosterBody, None]) -> Roster:
    return await service.post(call.body, actor=call.caller.key_id, request_id=call.request_id)


async def _roster(service: Rosters, call: Call[None, None]) -> Roster:
    del call
    return await asyncio.to_thread(service.newest)


OPERATIONS: tuple[Endpoint, ...] = (
    *(
        Endpoint(
            name=f"lifecycle.{name}",
            method="POST",
            path=path,
            handler=_hr_sync,
            summary="A signed call of an HR system; EMPLOYEE_DISCHARGE burns the employee's nodes.",
            clearance=Clearance.OPEN,
            roles=ANY_ROLE,
            request=HrCall,
            response=HrReply,
            statuses=(202,),
            rate=Rate.WEBHOOK,
            body_limit=BODY_LIMIT,
            headers=HEADERS,
            sender=_sender,
        )
        for name, path in _PATHS.items()
    ),
    *(
        Endpoint(
            name=f"lifecycle.verify_{name}",
            method="GET",
            path=path,
            handler=_verify,
            summary="Gives an Okta event hook its challenge back; for the schemes header and basic.",
            clearance=Clearance.OPEN,
            roles=ANY_ROLE,
            response=Challenge,
            rate=Rate.WEBHOOK,
            headers=(CHALLENGE, "Authorization"),
            sender=_sender,
        )
        for name, path in _PATHS.items()
    ),
    Endpoint(
        name="lifecycle.list_events",
        method="GET",
        path="/v1/citadel/lifecycle/events",
        handler=_events,
        summary="Signed calls of HR systems, newest first, with what was done.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        query=HrEventQuery,
        response=HrEventPage,
    ),
    Endpoint(
        name="lifecycle.close_events",
        method="POST",
        path="/v1/citadel/lifecycle/events/close",
        handler=_close,
        summary="A person has decided what discharges that waited come to; their alarms end.",
        clearance=Clearance.CITADEL,
        roles=DESK,
        request=HrCloseBody,
        response=HrCloseReply,
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
    ),
    Endpoint(
        name="rosters.post",
        method="POST",
        path="/v1/citadel/lifecycle/roster",
        handler=_post_roster,
        summary="Compares everybody whom HR employs with the active nodes; differences go to operators.",
        clearance=Clearance.CITADEL,
        roles=ADMIN | DESK,
        request=RosterBody,
        response=Roster,
        rate=Rate.WRITE,
        body_limit=ROSTER_LIMIT,
    ),
    Endpoint(
        name="rosters.get",
        method="GET",
        path="/v1/citadel/lifecycle/roster",
        handler=_roster,
        summary="What the newest roster came to.",
        clearance=Clearance.CITADEL,
        roles=ANY_ROLE,
        response=Roster,
        problems=("not_found",),
    ),
)
