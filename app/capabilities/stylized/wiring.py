"""How the stylized match joins a site."""

from __future__ import annotations

from app.capabilities.stylized import operations
from app.capabilities.stylized.service import Stylized
from app.wiring.parts import Parts
from app.wiring.wired import Capability, Wired


def wire(parts: Parts) -> Wired:
    """Matches against the live registries."""
    stylized = Stylized(
        parts.store,
        parts.biometrics,
        parts.alarms,
        parts.enrolments,
        parts.newest_seal.get(),
        training=parts.site.training,
    )
    return Wired(services={"stylized": stylized})


STYLIZED = Capability("stylized", operations.OPERATIONS, wire)
