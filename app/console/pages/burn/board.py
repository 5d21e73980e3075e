"""A burn as it is seen, without Qt: its targets, and the time to the last door."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.capabilities.burn.messages import Burn, BurnEvent, BurnTarget, Preview, Scope
from app.console.blast_radius import DOOR, expected_last_door
from app.console.language import number, tr
from app.console.moments import parse_time
from app.console.pages.burn.words import (
    OWN_ROWS,
    PROVEN,
    WAITING,
    duration,
    kind_word,
    local_times,
    target_state,
    target_word,
    unproven_words,
)
from app.console.theme.tokens import Meaning

CLOSES_DOOR = frozenset({"revoked", "already", "unsupported"})
"""States in which a door lets the clock stop."""
FINAL = frozenset({"revoked", "already", "delivered", "unlinked", "closed"})
"""States that need nothing more: proof is there, none is to be had, or a person gave the target up."""
_URGENCY = {"failed": 0, "pending_offline": 1, "unsupported": 2, WAITING: 3, "unlinked": 4, "delivered": 5}
"""What needs somebody first comes first."""
_NEXT = {
    "pending_offline": tr(
        "Tried again by itself, within a minute at most, and at once when it answers. Ctrl+R tries now."
    ),
    "failed": tr("It refused. Tried again each 5 min; look at what it says, then try now (Ctrl+R) or close it."),
    "unsupported": tr("It cannot do this by itself: end the access there by hand, then close it with what was done."),
    WAITING: tr("Sent; no word from it yet."),
    "delivered": tr("It took the burn. What it did with it cannot be read: ask there if it must be known."),
    "unlinked": tr("If the person has an account there, name it at the person (Settings) and look again (Ctrl+R)."),
}
"""What happens with a target without proof, and what a person can do."""


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
        return self.state not in FINAL and self.state != WAITING

    @property
    def triable(self) -> bool:
        """Whether a person may have it tried, or looked at again: not what was given up, nor this site's own rows."""
        return self.open or (self.state in FINAL and self.state != "closed" and self.kind not in OWN_ROWS)

    @property
    def next(self) -> str:
        """What happens next, for a target without proof; empty for the others."""
        return _NEXT.get(self.state, "")

    @property
    def urgency(self) -> tuple[int, bool, str]:
        """Sort key: what needs somebody first, then systems, then doors by name."""
        return _URGENCY.get(self.state, len(_URGENCY)), self.kind == DOOR, self.name


@dataclass(frozen=True)
class ClockFace:
    """The time to the last door. ``seconds`` None: nothing has begun, or there is no door. ``done`` counts the doors
    that let the clock stop, ``unable`` those of them that cannot refuse by themselves, ``closed`` the doors that a
    person gave up without proof."""

    total: int
    done: int
    closed: int
    seconds: float | None
    running: bool
    unable: int = 0

    @property
    def refusing(self) -> str:
        """``101 of 104``, of the doors that refuse; a dash where there is no door."""
        return tr("{done} of {total}", done=self.done - self.unable, total=self.total) if self.total else "–"

    @property
    def count(self) -> str:
        """``12 of 13 doors``."""
        if not self.total:
            return tr("no doors")
        if self.total == 1:
            return tr("{done} of 1 door", done=self.done)
        return tr("{done} of {total} doors", done=self.done, total=self.total)

    @property
    def time(self) -> str:
        """``0.41 s``: always seconds, so that a running and a stopped clock read alike."""
        if self.seconds is None:
            return "–"
        if self.seconds >= 600:
            minutes, seconds = divmod(int(self.seconds), 60)
            hours, minutes = divmod(minutes, 60)
            return f"{hours}:{minutes:02}:{seconds:02}"
        return f"{number(self.seconds, '.3f' if not self.running and self.seconds < 1 else '.2f')} s"

    @property
    def parts(self) -> tuple[str, str]:
        """The figure, and its unit where it has one."""
        figure, _, unit = self.time.partition(" ")
        return figure, unit


@dataclass(frozen=True)
class TouchedKind:
    """All targets of one kind: how many are proven, and the state of the worst."""

    title: str
    proven: int
    total: int
    state: Meaning

    @classmethod
    def of(cls, kind: str, rows: Sequence[BoardRow]) -> TouchedKind:
        """The line of these rows."""
        worst = min(rows, key=lambda row: row.urgency)
        title = tr("Doors") if kind == DOOR else kind_word(kind)
        return cls(title, sum(row.state in PROVEN for row in rows), len(rows), target_state(worst.state))


MOST_KINDS = 6
"""Lines of kinds that a page has room for."""


def few_kinds(kinds: Sequence[TouchedKind]) -> tuple[TouchedKind, ...]:
    """As many lines as there is room for: the last of the proven kinds are one line, what needs somebody keeps its
    own."""
    surplus = len(kinds) - MOST_KINDS
    proven = [kind for kind in kinds if kind.state is Meaning.OK]
    if surplus <= 0 or len(proven) < 2:
        return tuple(kinds)
    folded = proven[-(surplus + 1) :]
    total = sum(kind.total for kind in folded)
    last = TouchedKind(
        tr("{count} other kinds", count=len(folded)), sum(kind.proven for kind in folded), total, Meaning.OK
    )
    return (*(kind for kind in kinds if kind not in folded), last)


def _door_words(states: Sequence[str]) -> list[tuple[int, str]]:
    """How many doors are in each of these states that are no proof, and the words for them."""
    asked, offline, failed, unable, closed = map(
        states.count, (WAITING, "pending_offline", "failed", "unsupported", "closed")
    )
    rest = len(states) - asked - offline - failed - unable - closed
    return [
        (failed, tr("1 refused the burn") if failed == 1 else tr("{count} refused the burn", count=failed)),
        (asked, tr("1 is being asked") if asked == 1 else tr("{count} are being asked", count=asked)),
        (offline, tr("1 is offline") if offline == 1 else tr("{count} are offline", count=offline)),
        (unable, tr("1 cannot do it") if unable == 1 else tr("{count} cannot do it", count=unable)),
        (closed, tr("1 was given up") if closed == 1 else tr("{count} were given up", count=closed)),
        (rest, tr("1 is not proven") if rest == 1 else tr("{count} are not proven", count=rest)),
    ]


@dataclass
class BurnBoard:
    """One burn as it is seen: from the moment the hold completes, or opened from the history.

    Answers of the API win over events, except that they never take back a proof that an event has brought: an answer
    may be older than the event that overtook it. A proof that was lost is newer: it took another attempt.
    """

    node_id: str = ""
    scope: Scope = "GLOBAL_REVOCATION"
    burn: Burn | None = None
    rows: dict[str, BoardRow] = field(default_factory=dict)
    expected_doors: int = 0
    expected_ms: float | None = None
    """When the last door was expected as the hold completed; None: no door had a history, or it began elsewhere."""
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
        """The hold is complete: show every target of the blast radius as waiting."""
        self.node_id, self.scope, self.burn, self.burn_id = node_id, scope, None, ""
        self.began = time.monotonic()
        self.rows = {}
        self.drilled = preview is not None and preview.node_id == node_id and preview.drill
        self.expected_ms = None
        if preview is not None and preview.node_id == node_id:
            self.expected_ms = expected_last_door(preview)
            self.rows = {t.id: BoardRow(t.id, t.kind, t.display_name, WAITING) for t in preview.targets}
        self.expected_doors = sum(row.kind == DOOR for row in self.rows.values())
        self.touched += 1

    def take_burn(self, burn: Burn) -> None:
        """Take an answer of the API, which has all targets."""
        fresh = burn.burn_id != self.burn_id and self.burn_id != ""
        if fresh or burn.node_id != self.node_id:
            self.began, self.expected_ms, self.rows = None, None, {}
        rows = {target.id: _row(target) for target in burn.targets}
        for name, row in self.rows.items():
            if name in rows and _is_newer(row, rows[name]):
                rows[name] = row
        self.rows = rows
        self.burn, self.burn_id, self.node_id, self.scope = burn, burn.burn_id, burn.node_id, burn.scope
        self.touched += 1

    def take_event(self, event: BurnEvent) -> bool:
        """Take an event of the stream. Returns False when it is of another burn."""
        mine = event.burn_id == self.burn_id if self.burn_id else self._asked_for(event)
        if not mine:
            return False
        self.burn_id = event.burn_id
        self.drilled = self.drilled or event.drill
        if event.target is not None:
            row = _row(event.target)
            before = self.rows.get(row.id)
            if before is None or not _is_newer(before, row):
                self.rows[row.id] = row
        self.touched += 1
        return True

    def _asked_for(self, event: BurnEvent) -> bool:
        return self.began is not None and (event.node_id, event.scope) == (self.node_id, self.scope)

    @property
    def drill(self) -> bool:
        """Whether this is a drill: the node is a drill identity, and nothing real ends."""
        return self.burn.drill if self.burn is not None else self.drilled

    def sorted_rows(self) -> list[BoardRow]:
        """The rows: refusals first, then what is pending, then everything proven; systems before doors, by name."""
        return sorted(self.rows.values(), key=lambda row: row.urgency)

    def age_s(self, row: BoardRow, now: float) -> float | None:
        """Seconds that a target has been without proof at ``now`` (Unix seconds by the service's clock); None when
        nothing is open."""
        if row.state in FINAL:
            return None
        if self.burn is not None:
            return max(0.0, now - parse_time(self.burn.timestamp))
        return None if self.began is None else time.monotonic() - self.began

    def epoch_of(self, row: BoardRow) -> int | None:
        """Epoch that a door has proven to hold; None for other systems, which have no epochs."""
        proven = row.kind == DOOR and row.state in ("revoked", "already")
        return self.burn.epoch if proven and self.burn is not None else None

    @property
    def open(self) -> int:
        """How many targets are without proof, of those that the burn has reported."""
        return sum(row.open for row in self.rows.values())

    @property
    def unproven(self) -> str:
        """What is final without a proof, in words; empty where everything is proven."""
        states = [row.state for row in self.rows.values()]
        return unproven_words(states.count("delivered"), states.count("unlinked"))

    @property
    def not_yet(self) -> str:
        """Which doors do not refuse yet, in words; of a burn whose doors all do, which was the last."""
        doors = [row for row in self.rows.values() if row.kind == DOOR]
        states = [row.state for row in doors if row.state not in PROVEN]
        said = [words for state, words in _door_words(states) if state]
        if said:
            return tr("{count} not yet: {states}", count=len(states), states=", ".join(said))
        timed = [(row.latency_ms, row.name) for row in doors if row.latency_ms is not None]
        if not timed:
            return ""
        took, door = max(timed)
        return tr("The last was {door}, after {time}.", door=door, time=duration(took))

    def touched_kinds(self) -> list[TouchedKind]:
        """What the burn touches, doors first, one line a kind."""
        kinds: dict[str, list[BoardRow]] = {}
        for row in sorted(self.rows.values(), key=lambda row: row.kind != DOOR):
            kinds.setdefault(row.kind, []).append(row)
        return [TouchedKind.of(kind, rows) for kind, rows in kinds.items()]

    def clock(self, now: float) -> ClockFace:
        """The clock at ``now`` (Unix seconds by the service's clock; only for burns that were begun elsewhere)."""
        doors = [row for row in self.rows.values() if row.kind == DOOR]
        done = [row for row in doors if row.state in CLOSES_DOOR]
        closed = sum(row.state == "closed" for row in doors)
        unable = sum(row.state == "unsupported" for row in doors)
        total = len(doors) if self.burn is not None else max(len(doors), self.expected_doors)
        if self.burn is not None and len(done) + closed == total:
            latest = [row.latency_ms for row in done if row.latency_ms is not None]
            return ClockFace(total, len(done), closed, max(latest) / 1000 if latest else None, False, unable)
        if self.began is not None:
            return ClockFace(total, len(done), closed, time.monotonic() - self.began, True, unable)
        if self.burn is not None:
            since = max(0.0, now - parse_time(self.burn.timestamp))
            return ClockFace(total, len(done), closed, since, True, unable)
        return ClockFace(0, 0, 0, None, running=False)


def _is_newer(known: BoardRow, told: BoardRow) -> bool:
    """Whether what is known of a target is a proof that ``told`` is too old to take back."""
    return known.state in FINAL and told.state not in FINAL and known.attempts >= told.attempts


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
            "open": row.state not in FINAL,
            "doors": row.kind == DOOR,
            "systems": row.kind != DOOR,
        }.get(which, True)
        hay = f"{row.name} {row.id} {target_word(row.state)} {kind_word(row.kind)} {row.evidence}".lower()
        if wanted and all(word in hay for word in words):
            found.append(row)
    return found
