"""How knot seals join a site."""

from __future__ import annotations

from app.capabilities.provenance import operations
from app.capabilities.provenance.fsck import check_knots
from app.capabilities.provenance.seals import seals_of
from app.capabilities.provenance.service import Provenance, knots_sealed
from app.wiring.parts import Parts
from app.wiring.wired import Capability, Wired


def wire(parts: Parts) -> Wired:
    """Seals; a burn withdraws a node's, and other capabilities ask for the newest one."""
    provenance = Provenance(
        parts.site,
        parts.store,
        parts.registry,
        parts.ledger.seal,
        parts.witnessing.seal,
        parts.cursors,
        parts.documents.sign_bundle,
    )
    parts.on_sealed.append(knots_sealed)
    parts.newest_seal.fill(provenance.newest_of)
    parts.seals_of.fill(seals_of)
    parts.mandate_of.fill(provenance.mandate_of)
    parts.evidence_sources.append(provenance)
    return Wired(
        services={"provenance": provenance},
        sweeps=[provenance.expire],
        grant_holders=[provenance],
        personal_records=[provenance],
    )


PROVENANCE = Capability("provenance", operations.OPERATIONS, wire, fsck=(lambda _roots: check_knots,))
