"""The rows of the audit query, and of the evidence of what it found."""

from __future__ import annotations

from app.api.operation import Answer, Call, Clearance, Endpoint, Idempotency, Rate
from app.api.roles import ANY_ROLE
from app.capabilities.gateway.audit.evidence import AuditEvidence
from app.capabilities.gateway.audit.messages import AuditPage, AuditProofs, AuditQuery, EvidenceEntries
from app.capabilities.gateway.audit.service import AuditQueries

ZIP = "application/zip"


async def _query(service: AuditQueries, call: Call[AuditQuery, AuditProofs]) -> AuditPage:
    return await service.page(call.body, proofs=call.query.proofs)


async def _evidence(service: AuditEvidence, call: Call[EvidenceEntries, None]) -> Answer:
    data = await service.bundle(call.body.entries)
    headers = {"Content-Disposition": 'attachment; filename="audit-entries.zip"'}
    return Answer(data, media_type=ZIP, headers=headers)


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
    Endpoint(
        name="gateway.audit_evidence",
        service="audit_evidence",
        method="POST",
        path="/v1/audit-log-query/evidence",
        handler=_evidence,
        summary="Chosen entries of the audit log as a signed bundle that anybody can verify offline",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        request=EvidenceEntries,
        media_type=ZIP,
        problems=("state_conflict",),
        rate=Rate.READ,
        # A kept reply would hold, in base64 where no erasure finds it, what was erased since.
        idempotency=Idempotency.SECRET,
    ),
)
