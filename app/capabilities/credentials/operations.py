"""Rows of the operation table for credential sync, and the training site's own readers."""

from __future__ import annotations

import asyncio

from app.api.operation import Answer, Call, Clearance, Endpoint, Rate
from app.api.roles import ANY_ROLE, AUDITOR, BADGE, DESK
from app.capabilities.credentials.decisions import DoorDecisions
from app.capabilities.credentials.messages import (
    DoorDecisionPage,
    DoorDecisionQuery,
    NodeAccess,
    PresentBody,
    PresentReply,
    ReaderPlugBody,
    ReaderPlugReply,
    SyncBody,
    SyncReply,
)
from app.capabilities.credentials.service import CredentialService


async def _sync(service: CredentialService, call: Call[SyncBody, None]) -> Answer:
    reply = await service.sync(call.body, actor=call.caller.key_id, request_id=call.request_id)
    return Answer(reply, status=200 if all(part.state == "applied" for part in reply.readers) else 202)


async def _get(service: CredentialService, call: Call[None, None]) -> SyncReply:
    return service.get(call.path["sync_id"])


async def _access(service: CredentialService, call: Call[None, None]) -> NodeAccess:
    return await asyncio.to_thread(service.access.look, call.path["id"])


async def _decisions(service: DoorDecisions, call: Call[None, DoorDecisionQuery]) -> DoorDecisionPage:
    return await asyncio.to_thread(service.page, call.query)


async def _present(service: CredentialService, call: Call[PresentBody, None]) -> PresentReply:
    return await service.present(call.body.reader_id, call.body.node_id)


async def _plug(service: CredentialService, call: Call[ReaderPlugBody, None]) -> ReaderPlugReply:
    return await service.plug(call.body.reader_id, call.body.action)


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="credentials.sync",
        method="POST",
        path="/v1/uac/credential/sync",
        handler=_sync,
        summary="Grants a profile at a cluster until its time; 202 while a reader is still to be reached.",
        clearance=Clearance.SOVEREIGN,
        roles=BADGE | DESK,
        request=SyncBody,
        response=SyncReply,
        statuses=(200, 202),
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
    ),
    Endpoint(
        name="credentials.get_sync",
        method="GET",
        path="/v1/uac/credential/sync/{sync_id}",
        handler=_get,
        summary="A sync and where each reader stands.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        response=SyncReply,
        problems=("not_found",),
    ),
    Endpoint(
        name="credentials.access",
        method="GET",
        path="/v1/registry/nodes/{id}/access",
        handler=_access,
        summary="Which doors would open for a node now, and until when.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        response=NodeAccess,
        problems=("not_found",),
    ),
    Endpoint(
        name="door_decisions.list",
        method="GET",
        path="/v1/citadel/uac/door-decisions",
        handler=_decisions,
        summary="What doors and terminals decided, newest first; of a node or of a reader.",
        clearance=Clearance.CITADEL,
        roles=AUDITOR | DESK,
        query=DoorDecisionQuery,
        response=DoorDecisionPage,
    ),
    Endpoint(
        name="credentials.present",
        method="POST",
        path="/v1/training/present",
        handler=_present,
        summary="Holds a node's badge to a simulated reader; the door decides as any door does.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        request=PresentBody,
        response=PresentReply,
        problems=("not_found", "state_conflict", "dependency_unavailable"),
        rate=Rate.WRITE,
        training_only=True,
    ),
    Endpoint(
        name="credentials.plug_reader",
        method="POST",
        path="/v1/training/readers",
        handler=_plug,
        summary="Pulls a simulated reader's line, or puts it back.",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        request=ReaderPlugBody,
        response=ReaderPlugReply,
        problems=("not_found", "state_conflict", "dependency_unavailable"),
        rate=Rate.WRITE,
        training_only=True,
    ),
)
