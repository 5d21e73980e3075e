"""The row of erasures."""

from __future__ import annotations

from app.api.operation import Call, Clearance, Endpoint, Rate
from app.api.roles import AUDITOR
from app.capabilities.gateway.audit.erasures.messages import ErasureBody, ErasureReply
from app.capabilities.gateway.audit.erasures.service import Erasures


async def _erase(service: Erasures, call: Call[ErasureBody, None]) -> ErasureReply:
    return await service.erase(call.body, actor=call.caller.key_id, request_id=call.request_id)


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="erasures.erase",
        method="POST",
        path="/v1/citadel/erasures",
        handler=_erase,
        summary="Erases what the logs say of a node, for ever, by an approval of another Citadel key; the leaves stay "
        "and prove. Backups keep it.",
        clearance=Clearance.CITADEL,
        roles=AUDITOR,
        request=ErasureBody,
        response=ErasureReply,
        problems=("not_found", "state_conflict"),
        rate=Rate.WRITE,
        timeout_s=300.0,
    ),
)
