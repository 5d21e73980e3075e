"""Events of burns, for the lists of whole burns."""

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
            continue  # the board counts it as lost
        if event.target is None:
            return True
    return False
