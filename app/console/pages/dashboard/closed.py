"""What needed somebody within the last hour and is closed: what it was, and who closed it. Without Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console.language import tr
from app.console.moments import parse_time
from app.console.pages.dashboard.attention_words import text_of
from app.console.theme.tokens import sentence_case
from app.delivery.messages import Alarm

RAISED, TAKEN, CLEARED = "alarm.raised", "alarm.taken", "alarm.cleared"
"""Actions of the audit log."""
SERVICE = "service"
"""The actor of what the service does by itself."""


@dataclass(frozen=True)
class ClosedRow:
    """One alarm that was closed. ``at``: Unix time of it; ``who``: who closed or had it, and what was said of it."""

    key: str
    at: float
    text: str
    who: str


def closed_rows(
    entries: Iterable[AuditEntry], person: Callable[[str], str], actor: Callable[[AuditEntry], str]
) -> list[ClosedRow]:
    """The alarms that entries of the audit log tell to be closed, the last one first. ``person``: the name of a node,
    ``actor``: who did what an entry tells."""
    raised: dict[str, AuditEntry] = {}
    taken: dict[str, AuditEntry] = {}
    closed: list[AuditEntry] = []
    for entry in sorted(entries, key=lambda one: one.seq):
        alarm_id = str(entry.detail.get("alarm_id", ""))
        if entry.action == RAISED:
            raised.setdefault(alarm_id, entry)
        elif entry.action == TAKEN:
            taken[alarm_id] = entry
        elif entry.action == CLEARED:
            closed.append(entry)
    rows = []
    for entry in reversed(closed):
        alarm_id = str(entry.detail.get("alarm_id", ""))
        text = _what(entry, raised.get(alarm_id), person)
        rows.append(ClosedRow(alarm_id, parse_time(entry.timestamp), text, _who(entry, taken.get(alarm_id), actor)))
    return rows


def _what(entry: AuditEntry, raised: AuditEntry | None, person: Callable[[str], str]) -> str:
    """What the alarm said; its kind where the entry that raised it was not read."""
    if raised is None or raised.erased:
        return sentence_case(str(entry.detail.get("kind", "")).replace(".", " ").replace("_", " "))
    told = raised.detail
    alarm = Alarm(
        alarm_id=str(told.get("alarm_id", "")),
        kind=str(told.get("kind", "")),
        since=raised.timestamp,
        node_id=raised.node_id,
        ref=str(told.get("ref", "")) or None,
        text=str(told.get("text", "")),
    )
    return text_of(alarm, person)


def _who(entry: AuditEntry, taken: AuditEntry | None, actor: Callable[[AuditEntry], str]) -> str:
    """Who closed it; of what closed with its fact, who had it. Behind that what the owner said of it."""
    by = entry if entry.actor != SERVICE else taken
    if by is None:
        return tr("ended by itself")
    note = "" if taken is None else str(taken.detail.get("note", ""))
    name = actor(by)
    return f"{name} · {note}" if note else name
