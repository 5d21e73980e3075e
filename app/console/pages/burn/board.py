"""What a burn page knows, without Qt: the blast radius in groups, the targets of a burn, the time to the last door."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.capabilities.burn.messages import Burn, BurnEvent, BurnTarget, Preview, PreviewTarget, Scope
from app.console.clock import age, date_time, parse_time
from app.console.theme.tokens import Meaning, sentence_case, state_of

DOOR = "reader"
WAITING = "waiting"
"""State of a target that the burn has not told of yet; never a word of the API."""
CLOSES_DOOR = frozenset({"revoked", "already", "unsupported"})
"""States in which a door lets the clock stop."""
PROVEN = frozenset({"revoked", "already", "closed"})
"""States that need nothing more: proof is there, or a person gave the target up."""
_URGENCY = {"failed": 0, "pending_offline": 1, "unsupported": 2, WAITING: 3}
"""What needs somebody first comes first."""
_NEXT = {
    "pending_offline": "Tried again by itself, within a minute at most, and at once when it answers. Ctrl+R tries now.",
    "failed": "It refused. Tried again each 5 min; look at what it says, then try now (Ctrl+R) or close it.",
    "unsupported": "It cannot do this by itself: end the access there by hand, then close it with what was done.",
    WAITING: "Sent; no word from it yet.",
}
"""What happens with a target without proof, and what a person can do."""

KIND_WORDS = {
    DOOR: "Door",
    "card": "Cards",
    "grant": "Reader grants",
    "permit": "Permits",
    "seal": "Knot seals",
    "session": "Rotating codes",
    "template": "Biometric templates",
    "terminal": "Palm terminal",
    "holder": "Holder",
    "local": "This site",
    "directory": "Directory",
    "ldap": "LDAP directory",
    "scim": "SCIM",
    "ssf": "Shared Signals",
    "oauth": "OAuth sessions",
    "webhook": "Webhook",
    "peer": "ARC site",
}

REASON_WORDS = {
    "granted": "The profile holds a live grant at this door.",
    "burned": "The deny set refuses this badge: its identity is burned.",
    "contained": "The identity is locked for the moment.",
    "unknown_credential": "No live grant names this badge.",
    "wrong_cluster": "The grant does not reach this door.",
    "outside_schedule": "Not within the hours of the schedule.",
    "expired": "The grant has ended.",
}
"""Reasons of a door's decision, as a sentence for people."""

_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z\b", re.ASCII)


def kind_word(kind: str) -> str:
    """What people call a kind of target."""
    return KIND_WORDS.get(kind, sentence_case(kind))


def target_state(state: str) -> Meaning:
    """What a target's state means: a revoked target is what was wanted, unlike a revoked identity."""
    return state_of("REVOKED_TARGET" if state == "revoked" else state)


def target_word(state: str) -> str:
    """``pending_offline`` as people read it."""
    return {"pending_offline": "Pending, offline", WAITING: "Waiting"}.get(state, sentence_case(state))


def local_times(text: str) -> str:
    """A sentence of the API with each RFC 3339 time as people here read it: local, whole seconds."""

    def local(found: re.Match[str]) -> str:
        try:
            return date_time(parse_time(found[0]))
        except (ValueError, OverflowError, OSError):
            return found[0]  # a person's own words may look like a time that no calendar has

    return _TIME.sub(local, text)


def milliseconds(value: float | None, none: str = "–") -> str:
    """``0.41 ms``, ``12.3 ms``, ``1240 ms``."""
    if value is None:
        return none
    return f"{value:.2f} ms" if value < 10 else f"{value:.1f} ms" if value < 100 else f"{value:.0f} ms"


# --- blast radius ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class System:
    """One line of the blast radius: all targets of one kind (doors: of one cluster).

    ``online`` counts the targets that answer now, None where nobody asks them; ``expected_ms`` the slowest p95.
    """

    key: str
    name: str
    kind: str
    total: int
    online: int | None
    reversible: bool
    expected_ms: float | None
    detail: str

    @property
    def state(self) -> Meaning:
        """Whether all of it can be reached now."""
        if self.online is None:
            return Meaning.IDLE
        return Meaning.OK if self.online == self.total else Meaning.WARN if self.online else Meaning.BAD

    @property
    def reach(self) -> str:
        """For people."""
        if self.online is None:
            return "Not asked"
        if self.total == 1:
            return "Reachable" if self.online else "Offline"
        return f"{self.online} of {self.total} online"


def systems_of(preview: Preview) -> list[System]:
    """The targets of a preview in groups: doors by their cluster, everything else by itself. Clusters keep the order
    of the API; systems come before doors, because a card or a directory is what people forget."""
    doors: dict[str, list[PreviewTarget]] = {}
    made: list[System] = []
    for target in preview.targets:
        if target.kind == DOOR:
            cluster = target.display_name.partition(" · ")[2] or "Doors"
            doors.setdefault(cluster, []).append(target)
        else:
            made.append(_system(target.id, target.display_name, target.kind, [target]))
    return made + [_system(f"doors:{name}", f"{name}: {len(group)}", DOOR, group) for name, group in doors.items()]


def _system(key: str, name: str, kind: str, group: Sequence[PreviewTarget]) -> System:
    asked = [target.reachable for target in group if target.reachable is not None]
    expected = [target.expected_ms for target in group if target.expected_ms is not None]
    details = {target.detail for target in group if target.detail}
    return System(
        key=key,
        name=name,
        kind=kind,
        total=len(group),
        online=sum(asked) if asked else None,
        reversible=all(target.reversible for target in group),
        expected_ms=max(expected) if expected else None,
        detail=local_times("; ".join(sorted(details))),
    )


def expected_last_door(preview: Preview) -> float | None:
    """Milliseconds after which the slowest door with a history is proven; None without any history."""
    known = [t.expected_ms for t in preview.targets if t.kind == DOOR and t.expected_ms is not None]
    return max(known) if known else None


def inside(preview: Preview, now: float) -> tuple[str, str]:
    """Whether the person may be inside at ``now`` (Unix seconds by the service's clock), and what is known: doors let
    people in and never tell when they leave."""
    if preview.last_access is None:
        return "No trace", "no entry seen"
    at = parse_time(preview.last_access)
    return "Maybe", f"let in {age(max(0.0, now - at))} ago"


def ends(until: str | None, now: float) -> str:
    """When an exposure ends, for people; what nobody knows is said so."""
    if until is None:
        return "Unknown: no end is known"
    at = parse_time(until)
    return f"{date_time(at)} ({f'in {age(at - now)}' if at > now else 'over'})"


# --- targets and clock -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BoardRow:
    """One line of the board."""

    id: str
    kind: str
    name: str
    state: str
    attempts: int = 0
    latency_ms: float | None = None
    evidence: str = ""

    @property
    def open(self) -> bool:
        """Whether this target still has no proof: it may be tried again or given up."""
        return self.state not in PROVEN and self.state != WAITING

    @property
    def next(self) -> str:
        """What happens next, for a target without proof; empty for the others."""
        return _NEXT.get(self.state, "")

    @property
    def urgency(self) -> tuple[int, bool, str]:
        """Sorts what needs somebody first, then systems, then doors by name."""
        return _URGENCY.get(self.state, len(_URGENCY)), self.kind == DOOR, self.name


@dataclass(frozen=True)
class ClockFace:
    """The time to the last door. ``seconds`` None: nothing has begun, or there is no door. ``closed`` counts doors that
    a person gave up without proof."""

    total: int
    done: int
    closed: int
    seconds: float | None
    running: bool

    @property
    def count(self) -> str:
        """``12 of 13 doors``."""
        if not self.total:
            return "no doors"
        return f"{self.done} of {self.total} door{'' if self.total == 1 else 's'}"

    @property
    def time(self) -> str:
        """``0.41 s``: always seconds, so that a running and a stopped clock read alike."""
        if self.seconds is None:
            return "–"
        if self.seconds >= 600:
            minutes, seconds = divmod(int(self.seconds), 60)
            hours, minutes = divmod(minutes, 60)
            return f"{hours}:{minutes:02}:{seconds:02}"
        return f"{self.seconds:.3f} s" if not self.running and self.seconds < 1 else f"{self.seconds:.2f} s"


@dataclass
class BurnBoard:
    """One burn as it is seen: from the moment the hold completes, or opened from the history.

    Answers of the API rule, but never take back a proof that an event has told: an answer may be older than the event
    that overtook it.
    """

    node_id: str = ""
    scope: Scope = "GLOBAL_REVOCATION"
    burn: Burn | None = None
    rows: dict[str, BoardRow] = field(default_factory=dict)
    expected_doors: int = 0
    began: float | None = None
    """Monotonic time at which the hold was completed; None for a burn that was made elsewhere or earlier."""
    burn_id: str = ""
    drilled: bool = False
    """What the preview said, until the burn itself is known."""
    touched: int = 0
    """Counts every change, so that a view repaints only what is new."""

    @property
    def shown(self) -> bool:
        """Whether there is a burn to show."""
        return bool(self.node_id)

    def begin(self, node_id: str, scope: Scope, preview: Preview | None) -> None:
        """The hold is complete: every target of the blast radius waits."""
        self.node_id, self.scope, self.burn, self.burn_id = node_id, scope, None, ""
        self.began = time.monotonic()
        self.rows = {}
        self.drilled = preview is not None and preview.node_id == node_id and preview.drill
        if preview is not None and preview.node_id == node_id:
            self.rows = {t.id: BoardRow(t.id, t.kind, t.display_name, WAITING) for t in preview.targets}
        self.expected_doors = sum(row.kind == DOOR for row in self.rows.values())
        self.touched += 1

    def take_burn(self, burn: Burn) -> None:
        """An answer of the API with all targets."""
        fresh = burn.burn_id != self.burn_id and self.burn_id != ""
        if fresh or burn.node_id != self.node_id:
            self.began, self.rows = None, {}
        told = {target.id: _row(target) for target in burn.targets}
        for name, row in self.rows.items():
            if row.state in PROVEN and name in told and told[name].state not in PROVEN:
                told[name] = row
        self.rows = told
        self.burn, self.burn_id, self.node_id, self.scope = burn, burn.burn_id, burn.node_id, burn.scope
        self.touched += 1

    def take_event(self, event: BurnEvent) -> bool:
        """Live news; False when it is of another burn."""
        mine = event.burn_id == self.burn_id if self.burn_id else self._asked_for(event)
        if not mine:
            return False
        self.burn_id = event.burn_id
        self.drilled = self.drilled or event.drill
        if event.target is not None:
            row = _row(event.target)
            before = self.rows.get(row.id)
            if before is None or before.state not in PROVEN or row.state in PROVEN:
                self.rows[row.id] = row
        self.touched += 1
        return True

    def _asked_for(self, event: BurnEvent) -> bool:
        return self.began is not None and (event.node_id, event.scope) == (self.node_id, self.scope)

    @property
    def drill(self) -> bool:
        """Nothing real ends: the node is a drill identity."""
        return self.burn.drill if self.burn is not None else self.drilled

    def ordered(self) -> list[BoardRow]:
        """Refusals first, then what is pending, then everything proven: systems before doors, by name."""
        return sorted(self.rows.values(), key=lambda row: row.urgency)

    def age_s(self, row: BoardRow, now: float) -> float | None:
        """Seconds that a target has been without proof at ``now`` (Unix seconds by the service's clock); None when
        nothing is open."""
        if row.state in PROVEN:
            return None
        if self.burn is not None:
            return max(0.0, now - parse_time(self.burn.timestamp))
        return None if self.began is None else time.monotonic() - self.began

    def epoch_of(self, row: BoardRow) -> int | None:
        """Epoch that a door was proven to have taken in; other systems know none."""
        proven = row.kind == DOOR and row.state in ("revoked", "already")
        return self.burn.epoch if proven and self.burn is not None else None

    @property
    def open(self) -> int:
        """Targets without proof, of those that the burn has told of."""
        return sum(row.open for row in self.rows.values())

    def clock(self, now: float) -> ClockFace:
        """The clock at ``now`` (Unix seconds by the service's clock; only for burns that were begun elsewhere)."""
        doors = [row for row in self.rows.values() if row.kind == DOOR]
        done = [row for row in doors if row.state in CLOSES_DOOR]
        closed = sum(row.state == "closed" for row in doors)
        total = len(doors) if self.burn is not None else max(len(doors), self.expected_doors)
        if self.burn is not None and len(done) + closed == total:
            latest = [row.latency_ms for row in done if row.latency_ms is not None]
            return ClockFace(total, len(done), closed, max(latest) / 1000 if latest else None, running=False)
        if self.began is not None:
            return ClockFace(total, len(done), closed, time.monotonic() - self.began, running=True)
        if self.burn is not None:
            since = max(0.0, now - parse_time(self.burn.timestamp))
            return ClockFace(total, len(done), closed, since, running=True)
        return ClockFace(0, 0, 0, None, running=False)


def _row(target: BurnTarget) -> BoardRow:
    return BoardRow(
        id=target.id,
        kind=target.kind,
        name=target.display_name or target.id,
        state=target.state,
        attempts=target.attempts,
        latency_ms=target.latency_ms,
        evidence=local_times(target.evidence or ""),
    )


def matching(rows: Sequence[BoardRow], text: str, which: str) -> list[BoardRow]:
    """Rows that hold every word of ``text`` and are of ``which``: ``all``, ``open``, ``doors`` or ``systems``."""
    words = text.lower().split()
    if not words and which == "all":
        return list(rows)
    found = []
    for row in rows:
        wanted = {
            "open": row.state not in PROVEN,
            "doors": row.kind == DOOR,
            "systems": row.kind != DOOR,
        }.get(which, True)
        hay = f"{row.name} {row.id} {target_word(row.state)} {kind_word(row.kind)} {row.evidence}".lower()
        if wanted and all(word in hay for word in words):
            found.append(row)
    return found
