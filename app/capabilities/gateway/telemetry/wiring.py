"""How the telemetry stream joins a site."""

from __future__ import annotations

from app.capabilities.gateway.telemetry import operations
from app.capabilities.gateway.telemetry.service import Telemetry
from app.capabilities.gateway.telemetry.stream import Hub
from app.wiring.parts import Parts
from app.wiring.wired import Capability, Life, Wired


def wire(parts: Parts) -> Wired:
    """The stream over the site's events."""
    hub = Hub(parts.bus, ring=parts.site.settings.telemetry_ring)
    telemetry = Telemetry(store=parts.store, registry=parts.registry, hub=hub, keyring=parts.context.keyring)
    return Wired(
        services={"telemetry": telemetry}, lives=[Life(telemetry.start, telemetry.stop)], sweeps=[telemetry.sweep]
    )


TELEMETRY = Capability("gateway.telemetry", operations.OPERATIONS, wire)
