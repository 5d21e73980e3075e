"""How credential sync joins a site."""

from __future__ import annotations

from app.capabilities.credentials import operations
from app.capabilities.credentials.decisions import DoorDecisions
from app.capabilities.credentials.service import CredentialService
from app.wiring.parts import Parts
from app.wiring.wired import Capability, Life, Wired


def wire(parts: Parts) -> Wired:
    """Doors, their grants and what they decided. The deny set is in memory by now: no reader is driven before it is."""
    decisions = DoorDecisions(parts.store, parts.bus, parts.cursors, days=parts.site.settings.door_history_days)
    decisions.load()
    parts.door_trace.fill(decisions)
    credentials = CredentialService(parts.site, parts.store, parts.registry, parts.bus, parts.keys)
    credentials.load()
    parts.door_fleet.fill(credentials.doors.fleet)
    return Wired(
        services={"credentials": credentials, "door_decisions": decisions},
        # It hears the first decision of a reader, and the last.
        lives=[Life(decisions.start, decisions.stop), Life(credentials.start, credentials.stop)],
        sweeps=[decisions.sweep],
        grant_holders=[credentials],
        personal_records=[decisions],
    )


CREDENTIALS = Capability("credentials", operations.OPERATIONS, wire)
