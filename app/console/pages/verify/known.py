"""What is known of a person's enrolment: by the registry, by the alarms, and by the audit log."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from app.capabilities.gateway.audit.messages import AuditCriteria, AuditEntry, AuditQuery, AuditRange
from app.console.language import tr
from app.console.moments import api_time, parse_time
from app.console.session import WindowSession
from app.delivery.messages import Alarm
from app.registry.messages.nodes import Node, NodeTemplates

YEAR_S = 365 * 86_400.0
"""How far back the audit log is asked for an erasure: the longest time that one question may span."""
TWICE = "enrolment.known_person"
"""The alarm of a person who is enrolled as another node."""
BARRED = {
    "REVOKED": tr("Burned: the service enrols nothing for this person."),
    "SUSPENDED": tr("Contained: the service enrols nothing for this person until the containment is lifted."),
}
"""Why nothing is enrolled, by standing."""


@dataclass(frozen=True)
class Known:
    """What is known of a person's enrolment. ``kept``: the newest of the templates that are there; ``entry``: of its
    enrolment, or of the last erasure of a year; ``quality``: of the samples. The log may have lost or erased both."""

    node: Node
    kept: NodeTemplates | None
    entry: AuditEntry | None
    quality: AuditEntry | None
    alarm: Alarm | None

    @property
    def note(self) -> str:
        """Why nothing can be enrolled."""
        return BARRED.get(self.node.standing, "")


async def look_up(session: WindowSession, node_id: str) -> Known:
    """What the registry, the alarms and the audit log know of a person. Raises what the client raises."""
    client = session.client

    async def newest(action: str, begin: float, end: float) -> AuditEntry | None:
        query = AuditQuery(
            range=AuditRange(from_=api_time(begin), to=api_time(end)),
            criteria=AuditCriteria(node_id=node_id, action=action, outcome="ACCEPTED", limit=1),
        )
        return next(iter((await client.gateway_audit_log_query(query)).entries), None)

    node, alarms = await asyncio.gather(client.registry_get_node(node_id), client.gateway_alarms())
    alarm = next((one for one in alarms.items if one.kind == TWICE and one.node_id == node_id), None)
    kept = max(node.templates, key=lambda one: one.enrolled_at, default=None)
    if kept is None:
        now = session.live.now()
        erased = await newest("registry.templates_erase", now - YEAR_S, now + 60)
        return Known(node, None, erased, None, alarm)
    # The leaves are of the rows' own transaction: however long ago that was, the log is asked for that moment.
    at = parse_time(kept.enrolled_at)
    entry, palm, stylized = await asyncio.gather(
        *(newest(action, at - 1, at + 1) for action in ("registry.templates_enrol", "palm.enrol", "stylized.enrol"))
    )
    made = max((one for one in (palm, stylized) if one is not None), key=lambda one: one.seq, default=None)
    return Known(node, kept, entry, made, alarm)


def twice_words(alarm: Alarm) -> str:
    """What the alarm of a hand that is enrolled twice asks for."""
    return tr(
        "This hand is enrolled as {person}. See by papers and card who stands before you, erase the "
        "templates of the wrong one, enrol the right one again: that ends the alarm.",
        person=alarm.ref,
    )
