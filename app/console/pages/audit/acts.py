"""Entries of one act in direct succession: a burn, the writing of a card, a batch. They fold under one row, which says
what the act came to. Without Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console.audit_lines import LineNames, LogLine, log_line
from app.console.language import number, tr

LEAST = 3
"""Entries from which an act is folded: two are read as fast as their head."""
_IDS = ("burn_id", "provision_id", "batch_id")
_REFERENCES = ("burn_", "prv_")
_APART = frozenset({"burn.tripwire", "alarm.raised", "alarm.taken", "alarm.cleared"})
"""What happens because of an act later, and calls for somebody: it is never folded away."""
_ENDS = frozenset({"burn.complete", "provisioning.complete", "provisioning.batch_done"})
_ORDERS = frozenset({"burn.executed", "provisioning.begin", "provisioning.batch_made"})


@dataclass(frozen=True)
class Act:
    """``first``: the row of its newest entry among all rows; ``main``: the entry that says what it came to, ``order``
    the one that began it. ``low`` and ``high``: numbers of its entries."""

    first: int
    count: int
    low: int
    high: int
    newest: AuditEntry
    main: AuditEntry
    order: AuditEntry

    @property
    def leaves(self) -> str:
        """``242–249``."""
        return f"{number(self.low, ',')}–{number(self.high, ',')}"


def act_id(entry: AuditEntry) -> str:
    """The act that the entry belongs to; empty for an entry that stands for itself."""
    if entry.action in _APART:
        return ""
    for key in _IDS:
        named = entry.detail.get(key)
        if isinstance(named, str) and named:
            return named
    ref = entry.detail.get("ref")
    return ref if isinstance(ref, str) and ref.startswith(_REFERENCES) else ""


def acts_in(entries: Sequence[AuditEntry], first: int) -> list[Act]:
    """The acts among entries that stand one below the other, the newest first; ``first``: the row of the first one."""
    found: list[Act] = []
    for act, group in groupby(entries, key=act_id):
        members = list(group)
        if act and len(members) >= LEAST:
            newest = members[0]
            main = next((one for one in members if one.action in _ENDS), None)
            order = next((one for one in members if one.action in _ORDERS), None)
            told = main or order or newest
            low, high = members[-1].seq, newest.seq
            found.append(Act(first, len(members), low, high, newest, told, order or told))
        first += len(members)
    return found


def act_line(act: Act, names: LineNames) -> LogLine:
    """What the act came to; while that is not among its entries, how many there are."""
    line = log_line(act.main, names)
    if act.main.action in _ENDS:
        return line
    return LogLine(line.state, tr("{line}, {count} entries", line=line.marked, count=act.count))
