"""How the HR listener joins a site."""

from __future__ import annotations

from app.capabilities.lifecycle import operations
from app.capabilities.lifecycle.personal_data import HrRecords
from app.capabilities.lifecycle.reconcile import Rosters
from app.capabilities.lifecycle.service import Lifecycle
from app.wiring.parts import Parts
from app.wiring.wired import Capability, Gauge, Life, Wired


def wire(parts: Parts) -> Wired:
    """Discharges that burn, and the nightly rosters."""
    lifecycle = Lifecycle(parts.store, parts.registry, parts.burner.get(), parts.alarms, parts.bus, parts.cursors)
    rosters = Rosters(parts.store, parts.alarms)
    return Wired(
        services={"lifecycle": lifecycle, "rosters": rosters},
        lives=[Life(lifecycle.start, lifecycle.stop)],
        sweeps=[rosters.sweep],
        personal_records=[HrRecords()],
        gauges=[
            Gauge("hr_calls", "Signed calls of HR systems since the start, by action.", lambda: lifecycle.taken),
            Gauge("hr_waiting", "Discharges that wait for an operator.", lifecycle.waiting),
        ],
    )


LIFECYCLE = Capability("lifecycle", operations.OPERATIONS, wire)
