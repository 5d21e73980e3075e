"""How action permits join a site."""

from __future__ import annotations

from app.capabilities.gateway.actions import operations
from app.capabilities.gateway.actions.service import Permits
from app.capabilities.gateway.actions.token import PermitTokens
from app.wiring.parts import Parts
from app.wiring.wired import Capability, Wired


def wire(parts: Parts) -> Wired:
    """Permits, which a burn takes away."""
    permits = Permits(parts.store, parts.registry, PermitTokens(parts.keys, parts.site.origin("audit")))
    return Wired(services={"permits": permits}, sweeps=[permits.sweep], grant_holders=[permits])


ACTIONS = Capability("gateway.actions", operations.OPERATIONS, wire)
