"""How the audit query, the published logs and erasures join a site."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from app.api.persons import names_of
from app.capabilities.gateway.audit import operations
from app.capabilities.gateway.audit.erasures import operations as erasure_operations
from app.capabilities.gateway.audit.erasures.service import FORGOTTEN, Erasures
from app.capabilities.gateway.audit.evidence import AuditEvidence
from app.capabilities.gateway.audit.logs import operations as log_operations
from app.capabilities.gateway.audit.logs.service import PublishedLogs
from app.capabilities.gateway.audit.service import AuditQueries
from app.ledger.query.query import AuditIndex
from app.wiring.parts import Parts
from app.wiring.wired import Capability, Wired


def wire(parts: Parts) -> Wired:
    """What others may read of the logs. Wired last: an erasure asks every keeper of personal data."""
    index = AuditIndex(parts.store, parts.ledger.audit, parts.cursors)
    erasures = Erasures(
        parts.store,
        parts.ledger,
        parts.seals_of.get(),
        parts.approvals,
        secret=parts.keys.secret("erasure-subject"),
        records=parts.personal_records,
        lasting={*parts.lasting, FORGOTTEN},
    )
    root = parts.authority.root_pem()

    def operator_names(actors: Iterable[str]) -> Mapping[str, str]:
        with parts.store.read() as connection:
            return names_of(connection, actors)

    def published_size() -> int:
        newest = parts.witnessing.audit.newest()
        return 0 if newest is None else newest.size

    evidence = AuditEvidence(
        parts.store, parts.ledger.audit, parts.documents.sign_bundle, published_size, training=parts.site.training
    )
    return Wired(
        services={
            "audit_evidence": evidence,
            "audit": AuditQueries(index, lambda: parts.witnessing.audit.confirmed, operator_names),
            "erasures": erasures,
            "log": PublishedLogs(parts.store, parts.ledger, parts.witnessing, root, parts.nightly),
        },
        lasting=frozenset({FORGOTTEN}),
    )


AUDIT = Capability(
    "gateway.audit",
    (*operations.OPERATIONS, *erasure_operations.OPERATIONS, *log_operations.OPERATIONS),
    wire,
)
