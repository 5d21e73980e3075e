"""What an operator does not want to be called for now: facts, muted on this console for 15 minutes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from app.running_clock import running_s

if TYPE_CHECKING:
    from app.delivery.messages import Alarm

MUTE_S = 15 * 60.0


def fact_key(alarm: Alarm) -> str:
    """Key of the fact that the alarm is about: an alarm and what it tells of (a frame, a burn) are muted together."""
    if alarm.kind == "frame.unreachable":
        return f"frame:{alarm.ref or ''}"
    if alarm.kind == "burn.pending":
        return f"burn:{alarm.ref or ''}"
    return f"alarm:{alarm.alarm_id}"


class Mutes:
    """The muted facts of one window. They end by themselves, and with the window."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}

    def toggle(self, key: str) -> None:
        """Mute the fact; or unmute it when it is muted."""
        if key in self.standing():
            del self._until[key]
        else:
            self._until[key] = running_s() + MUTE_S

    def standing(self) -> dict[str, float]:
        """Until when (local Unix time, whole seconds) each fact is muted that is muted now."""
        now, shift_s = running_s(), time.time() - running_s()
        self._until = {key: until for key, until in self._until.items() if until > now}
        return {key: float(round(until + shift_s)) for key, until in self._until.items()}
