"""What a preview of a burn says of its doors. The pages Burn and Dashboard share it."""

from __future__ import annotations

from app.capabilities.burn.messages import Preview

DOOR = "reader"
"""The kind of a target that is a door."""


def expected_last_door(preview: Preview) -> float | None:
    """Milliseconds after which the slowest door with a history is proven; None without any history."""
    known = [t.expected_ms for t in preview.targets if t.kind == DOOR and t.expected_ms is not None]
    return max(known) if known else None
