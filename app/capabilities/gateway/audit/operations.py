"""The row of the audit query."""

from __future__ import annotations

from app.api.operation import Call, Clearance, Endpoint, Rate
from app.api.roles import ANY_ROLE
from app.capabilities.gateway.audit.messages import AuditPage, AuditProofs, AuditQuery
from app.capabilities.gateway.audit.service import AuditQueries


async def _query(service: AuditQueries, call: Call[AuditQuery, AuditProofs]) -> AuditPage:
    return await service.page(call.body, proofs=call.query.proofs)


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="gateway.audit_log_query",
        service="audit",
        method="POST",
        path="/v1/audit-log-query",
        handler=_query,
        summary="One page of the audit log by time and criteria, with the checkpoint it is of",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        request=AuditQuery,
        query=AuditProofs,
        response=AuditPage,
        rate=Rate.READ,
    ),
)
