"""How the burn joins a site."""

from __future__ import annotations

from functools import partial

from app.capabilities.burn import operations
from app.capabilities.burn.commit import EXECUTED
from app.capabilities.burn.drift import DriftWatch
from app.capabilities.burn.fsck import check_segments
from app.capabilities.burn.log import operations as log_operations
from app.capabilities.burn.log.revocations import Revocations
from app.capabilities.burn.log.segments import SEALED
from app.capabilities.burn.mass import MassBurns
from app.capabilities.burn.personal_data import BurnRecords
from app.capabilities.burn.service import BurnService
from app.capabilities.burn.targets.connector import Tools
from app.capabilities.burn.targets.connectors import CONNECTORS
from app.pki.site_certificates import sidecar_signer
from app.wiring.parts import Parts
from app.wiring.wired import Capability, Life, Wired


def wire(parts: Parts) -> Wired:
    """Burns, lists of burns, the watch over what was locked elsewhere, and the revocation log."""
    site, store, registry = parts.site, parts.store, parts.registry
    tools = Tools(parts.outbound, parts.keys, site.name, site.training)
    connectors = [make(tools) for make in CONNECTORS]
    burn = BurnService(
        site,
        store,
        registry,
        parts.biometrics,
        parts.door_fleet.get(),
        parts.grant_holders,
        parts.revocation_lists,
        parts.alarms,
        parts.bus,
        parts.cursors,
        sidecar_signer(store, parts.keys, parts.authority),
        parts.approvals,
        connectors,
        trace=parts.door_trace.get(),
    )
    burn.load()
    parts.burner.fill(burn)
    drift = DriftWatch(site, store, registry, parts.alarms, connectors, burn.look_again)
    mass = MassBurns(site, store, registry, burn, parts.approvals)
    mass.load()
    revocations = Revocations(store, parts.ledger.audit, parts.documents.sign_bundle, training=site.training)
    return Wired(
        services={
            "burn": burn,
            "containments": burn.containments,
            "mass_burns": mass,
            "revocations": revocations,
        },
        lives=[Life(burn.start, burn.stop), Life(drift.start, drift.stop), Life(mass.start, mass.stop)],
        health={"burns": burn.trouble},
        personal_records=[BurnRecords()],
        lasting=frozenset({EXECUTED, SEALED}),
    )


BURN = Capability(
    "burn",
    (*operations.OPERATIONS, *log_operations.OPERATIONS),
    wire,
    fsck=(lambda roots: partial(check_segments, roots),),
)
