"""How credential sync joins a site."""

from __future__ import annotations

from app.capabilities.credentials import operations
from app.capabilities.credentials.service import CredentialService
from app.wiring.parts import Parts
from app.wiring.wired import Capability, Life, Wired


def wire(parts: Parts) -> Wired:
    """Doors and their grants. The deny set is in memory by now: no reader is driven before it is."""
    credentials = CredentialService(parts.site, parts.store, parts.registry, parts.bus, parts.keys)
    credentials.load()
    parts.door_fleet.fill(credentials.doors.fleet)
    return Wired(
        services={"credentials": credentials},
        lives=[Life(credentials.start, credentials.stop)],
        grant_holders=[credentials],
    )


CREDENTIALS = Capability("credentials", operations.OPERATIONS, wire)
