"""A lock elsewhere that somebody undid: what is told of it."""

from __future__ import annotations

from typing import Final

RESTORED: Final = "burn.lock_restored"
"""Leaf and alarm: a lock was undone and is set again. The alarm stays until the burn is lifted: an operator must ask
who did it."""
MISSING: Final = "burn.lock_missing"
"""Leaf and alarm: a lock was undone and could not be set again; each round of the watch tries."""
REOPENED: Final = "burn.reopened"
"""Leaf: targets that were final were looked at again and could not be proven; they are open again."""


def key_of(burn_id: str, target_id: str) -> str:
    """What names a target in the alarms of its lock."""
    return f"{burn_id}/{target_id}"
