"""What crosses the wire of alarms: the open list and the telemetry event."""

from __future__ import annotations

from typing import Literal

from app.api.wire import Reply, Timestamp


class Alarm(Reply, kw_only=True):
    """An open alarm: it leaves only when the fact has changed."""

    alarm_id: str
    kind: str
    since: Timestamp
    node_id: str | None
    ref: str | None
    text: str


class AlarmEvent(Reply, kw_only=True):
    """Body of the telemetry event ``alarm``: ``alarm`` as it was opened, and whether it now opens or closes."""

    state: Literal["raised", "cleared"]
    alarm: Alarm
