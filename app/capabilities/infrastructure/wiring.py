"""How the probing of server frames joins a site."""

from __future__ import annotations

from app.capabilities.infrastructure import operations
from app.capabilities.infrastructure.service import Infrastructure
from app.wiring.parts import Parts
from app.wiring.wired import Capability, Life, Wired


def wire(parts: Parts) -> Wired:
    """The prober of all frames, and the site's own frame."""
    site = parts.site
    infrastructure = Infrastructure(
        registry=parts.registry,
        store=parts.store,
        bus=parts.bus,
        alarms=parts.alarms,
        authority=parts.authority,
        node_id=f"ARC-SITE-{site.site_id.upper()}",
        training=site.training,
        interval_s=site.settings.probe_interval_s,
    )
    return Wired(
        services={"infrastructure": infrastructure},
        lives=[Life(infrastructure.start, infrastructure.stop)],
        health={"frames": infrastructure.trouble},
    )


INFRASTRUCTURE = Capability("infrastructure", operations.OPERATIONS, wire)
