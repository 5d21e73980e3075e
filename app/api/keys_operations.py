"""Rows of ``/v1/keys``."""

from __future__ import annotations

from app.api.keys import KeyRing
from app.api.keys_messages import CreateKey, KeyMade, KeyPage, KeyQuery, KeyRotated, RotateKey
from app.api.operation import Answer, Call, Clearance, Endpoint, Idempotency, Rate
from app.api.roles import ADMIN, AUDITOR


async def _create(service: KeyRing, call: Call[CreateKey, None]) -> KeyMade:
    return await service.create(call.body, actor=call.caller.key_id, request_id=call.request_id)


async def _page(service: KeyRing, call: Call[None, KeyQuery]) -> KeyPage:
    return service.page(call.query)


async def _rotate(service: KeyRing, call: Call[RotateKey, None]) -> KeyRotated:
    return await service.rotate(
        call.path["kid"],
        call.body.overlap_seconds,
        actor=call.caller.key_id,
        request_id=call.request_id,
        approval_id=call.body.approval_id,
    )


async def _revoke(service: KeyRing, call: Call[None, None]) -> Answer:
    await service.revoke(call.path["kid"], actor=call.caller.key_id, request_id=call.request_id)
    return Answer(None, status=204)


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="keys.create",
        method="POST",
        path="/v1/keys",
        handler=_create,
        summary="Make an API key; its secrets are shown this once",
        clearance=Clearance.CITADEL,
        roles=ADMIN,
        request=CreateKey,
        response=KeyMade,
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
        idempotency=Idempotency.SECRET,
    ),
    Endpoint(
        name="keys.list",
        method="GET",
        path="/v1/keys",
        handler=_page,
        summary="API keys, newest first; never their secrets",
        clearance=Clearance.CITADEL,
        roles=ADMIN | AUDITOR,
        query=KeyQuery,
        response=KeyPage,
    ),
    Endpoint(
        name="keys.rotate",
        method="POST",
        path="/v1/keys/{kid}/rotate",
        handler=_rotate,
        summary="Give a key a new secret; the old one opens for a while more",
        clearance=Clearance.CITADEL,
        roles=ADMIN,
        request=RotateKey,
        response=KeyRotated,
        rate=Rate.WRITE,
        problems=("state_conflict",),
        idempotency=Idempotency.SECRET,
        optional_body=True,
    ),
    Endpoint(
        name="keys.revoke",
        method="DELETE",
        path="/v1/keys/{kid}",
        handler=_revoke,
        summary="End a key at once",
        clearance=Clearance.CITADEL,
        roles=ADMIN,
        statuses=(204,),
        rate=Rate.WRITE,
    ),
)
