"""Alarms of burned badges that were presented: the words of the one that belongs to the burn on the board."""

from __future__ import annotations

from app.console.clock import clock_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.session import WindowSession
from app.delivery.messages import Alarm

TRIPWIRE = "burn.tripwire"
"""Kind of the alarm that a burned badge was presented; its ref is the burn."""


class TripwirePart:
    """The open alarms, by the id of their burn."""

    def __init__(self, session: WindowSession) -> None:
        self._session = session
        self.alarms: dict[str, Alarm] = {}

    async def read(self) -> None:
        """Read the open alarms. Raises what the client raises."""
        found = (await self._session.client.gateway_alarms()).items
        self.alarms = {alarm.ref: alarm for alarm in found if alarm.kind == TRIPWIRE and alarm.ref}

    def words(self, burn_id: str) -> str:
        """What the alarm of that burn says; empty when there is none."""
        alarm = self.alarms.get(burn_id)
        if alarm is None:
            return ""
        text = alarm.text.removesuffix(f" ({alarm.ref}).")
        return tr("Alarm: {words}, first at {time}", words=text, time=clock_time(parse_time(alarm.since)))
