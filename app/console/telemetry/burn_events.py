"""Events of burns, for lists that a burn changes as a whole."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from app.capabilities.burn.messages import BurnEvent
from app.console.telemetry.live import LiveEvent


def tell_whole_burn(events: Sequence[LiveEvent]) -> bool:
    """Whether one of them tells of a burn as a whole: those of single targets change nothing in such a list."""
    for live in events:
        try:
            event = live.read(BurnEvent)
        except msgspec.DecodeError:
            continue  # who shows that burn counts it as lost
        if event.target is None:
            return True
    return False
