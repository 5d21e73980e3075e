"""The rows of action permits: mint one, and decide on it once."""

from __future__ import annotations

from app.api.operation import Answer, Call, Clearance, Endpoint, Idempotency, Rate
from app.api.roles import ADMIN, DESK
from app.capabilities.gateway.actions.messages import ActionDecision, AuthorizeBody, PermitBody, PermitReply
from app.capabilities.gateway.actions.service import Permits


async def _mint(service: Permits, call: Call[PermitBody, None]) -> Answer:
    minted = await service.mint(call.body, actor=call.caller.key_id, request_id=call.request_id)
    return Answer(minted, status=201)


async def _authorize(service: Permits, call: Call[AuthorizeBody, None]) -> ActionDecision:
    return await service.authorize(call.body, actor=call.caller.key_id, request_id=call.request_id)


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="permits.mint",
        method="POST",
        path="/v1/permits",
        handler=_mint,
        summary="A permit for one action of a unit; its token is shown this once",
        clearance=Clearance.SOVEREIGN,
        roles=ADMIN | DESK,
        request=PermitBody,
        response=PermitReply,
        statuses=(201,),
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
        idempotency=Idempotency.SECRET,
    ),
    Endpoint(
        name="permits.authorize",
        method="POST",
        path="/v1/authorize-action",
        handler=_authorize,
        summary="Decide on a unit's action by its permit, once",
        clearance=Clearance.SOVEREIGN,
        roles=ADMIN | DESK,
        request=AuthorizeBody,
        response=ActionDecision,
        problems=("permit_invalid", "replayed"),
        rate=Rate.WRITE,
    ),
)
