"""Somebody becomes the owner of an alarm: the order that is sent. The list of alarms and the Dashboard share it."""

from __future__ import annotations

from app.console.language import tr
from app.console.operations import Operation
from app.delivery.messages import Alarm, TakeAlarm


def taking(alarm_id: str, note: str = "") -> Operation[Alarm]:
    """Make the operator, or this console's key, the owner. ``note``: what the owner does about it; empty: none."""
    body = TakeAlarm(note=note or None)
    # Without an idempotency key: that needs the disk, and taking is idempotent by nature.
    return Operation(
        lambda client, _key: client.gateway_take_alarm(alarm_id, body), title=tr("Take the alarm"), asks=True
    )
