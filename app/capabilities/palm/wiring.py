"""How palm verification joins a site."""

from __future__ import annotations

from app.capabilities.palm import operations
from app.capabilities.palm.service import Palm
from app.wiring.parts import Parts
from app.wiring.wired import Capability, Wired


def wire(parts: Parts) -> Wired:
    """Decisions of palm terminals."""
    palm = Palm(
        parts.store,
        parts.registry,
        parts.biometrics,
        parts.bus,
        parts.alarms,
        parts.enrolments,
        parts.newest_seal.get(),
        training=parts.site.training,
    )
    return Wired(services={"palm": palm})


PALM = Capability("palm", operations.OPERATIONS, wire)
