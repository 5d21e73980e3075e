"""How rotating codes join a site."""

from __future__ import annotations

from app.capabilities.keystone import operations
from app.capabilities.keystone.service import Keystone
from app.wiring.parts import Parts
from app.wiring.wired import Capability, Wired


def wire(parts: Parts) -> Wired:
    """Sessions of codes; a revoked API key ends those that it opened."""
    keystone = Keystone(parts.store, parts.registry, parts.alarms)
    parts.context.keyring.on_revoke(keystone.end_key)
    return Wired(services={"keystone": keystone}, sweeps=[keystone.sweep], grant_holders=[keystone])


KEYSTONE = Capability("keystone", operations.OPERATIONS, wire)
