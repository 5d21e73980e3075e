"""The access decision: may this card open this door now? Pure, in memory, no waiting, no I/O.

Order (the first that applies decides): deny set on the credential or its node, unknown credential, cluster, schedule,
expiry, grant. Anything that is missing or unclear denies. The linearization point of a burn is the look at the deny
set: a decision that begins after the deny was written does not grant. Card numbers never leave this module in text:
`Credential` hides its value from `repr`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

Reason = Literal["granted", "burned", "contained", "unknown_credential", "wrong_cluster", "outside_schedule", "expired"]
CardFormat = Literal["raw", "wiegand"]

MAX_CARD_BITS = 64 * 8
"""libosdp carries at most 64 bytes of card data (OSDP_EVENT_CARDREAD_MAX_DATALEN)."""

MINUTES_PER_DAY = 24 * 60

_FORMATS: tuple[CardFormat, ...] = ("raw", "wiegand")


@dataclass(frozen=True, slots=True)
class Credential:
    """What a reader reads off a card; grant table and deny set are keyed by it.

    `format`: how the reader coded it (osdp_RAW, OSDP 2.2 section 7.10: 0 raw, 1 wiegand). `bits`: 1 to 512. `value`:
    the bits, first bit first, left aligned in ceil(bits / 8) bytes; bits beyond `bits` are forced to zero, so that
    readers which pad with rubbish still name the same credential. ValueError for anything else.
    """

    format: CardFormat
    bits: int
    value: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if self.format not in _FORMATS:
            raise ValueError("a credential's format is raw or wiegand")
        if not 1 <= self.bits <= MAX_CARD_BITS:
            raise ValueError(f"a credential has 1 to {MAX_CARD_BITS} bits, not {self.bits}")
        if len(self.value) != (self.bits + 7) // 8:
            raise ValueError(f"{self.bits} bits need {(self.bits + 7) // 8} bytes, not {len(self.value)}")
        surplus = -self.bits % 8
        if surplus and self.value[-1] & ((1 << surplus) - 1):
            object.__setattr__(self, "value", self.value[:-1] + bytes([self.value[-1] >> surplus << surplus]))

    @classmethod
    def from_event(cls, event: Mapping[str, object]) -> Credential:
        """The credential in libosdp's CARDREAD event (`format`, `length` in bits, `data`).

        The bytes come from the wire, so every field is checked. ValueError if they name no credential.
        """
        code, bits, data = event.get("format"), event.get("length"), event.get("data")
        if not isinstance(code, int) or not isinstance(bits, int) or not isinstance(data, bytes):
            raise ValueError("the card event lacks format, length or data")
        if not 0 <= code < len(_FORMATS):
            raise ValueError(f"card format {code} is not supported")
        return cls(_FORMATS[code], bits, data)

    def to_event(self) -> dict[str, object]:
        """Return the fields that libosdp's device side wants for this card (the inverse of `from_event`)."""
        return {"format": _FORMATS.index(self.format), "length": self.bits, "data": self.value}


@dataclass(frozen=True, slots=True)
class DenyEntry:
    """Why a node or a credential is denied.

    `reference`: burn_id, containment id or brake id. `epoch`: the deny set's epoch at the entry.
    """

    cause: Literal["burn", "containment", "brake"]
    reference: str
    epoch: int


class DenyView(Protocol):
    """The site's deny set, read by the loop threads while its one writer changes it in place.

    Both calls must be O(1), must not wait and must not raise.
    """

    def denies_node(self, node_id: str) -> DenyEntry | None:
        """Return the entry that denies this node, or None."""
        ...

    def denies_credential(self, key: Credential) -> DenyEntry | None:
        """Return the entry that denies this credential, or None."""
        ...

    def credentials_of(self, node_id: str) -> Collection[Credential]:
        """Return the credentials of the node's profiles: readers with a list of their own must forget them with it."""
        ...


class Moment(NamedTuple):
    """An instant on both clocks. `wall`: Unix seconds, UTC. `monotonic`: seconds of `time.monotonic()`."""

    wall: float
    monotonic: float


@dataclass(frozen=True, slots=True)
class Window:
    """A weekly window: `day` 0 (Monday) to 6, `start` to `end` in minutes of the local day (0 to 1440), `end` excluded.

    `end` before `start` means over midnight into the next day; equal is refused (write 0 to 1440 for the whole day).
    """

    day: int
    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.day <= 6:
            raise ValueError(f"day {self.day} is not within 0 (Monday) to 6")
        if not (0 <= self.start < MINUTES_PER_DAY and 0 < self.end <= MINUTES_PER_DAY) or self.start == self.end:
            raise ValueError(f"window {self.start} to {self.end} is not within one day of {MINUTES_PER_DAY} minutes")

    def contains(self, day: int, minute: int) -> bool:
        """True if `minute` of local weekday `day` lies in the window."""
        if self.start < self.end:
            return day == self.day and self.start <= minute < self.end
        return (day == self.day and minute >= self.start) or (day == (self.day + 1) % 7 and minute < self.end)


@lru_cache(maxsize=64)
def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"time zone {name!r} is not known on this machine") from error


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a grant holds: weekly windows on the clock of the site's time zone (IANA name). No window: never.

    Windows follow the local clock through changes of summer time, as a sign at the door would be read.
    """

    zone: str
    windows: tuple[Window, ...]

    def __post_init__(self) -> None:
        _zone(self.zone)  # an unknown zone must fail here, not at the door

    def allows(self, wall: float) -> bool:
        """True if the Unix time `wall` lies in one of the windows."""
        local = datetime.fromtimestamp(wall, UTC).astimezone(_zone(self.zone))
        minute = local.hour * 60 + local.minute
        return any(window.contains(local.weekday(), minute) for window in self.windows)

    def open_until(self, wall: float, horizon: float) -> float:
        """The end of the open time at the Unix time `wall`: the first full minute at which the schedule does not allow
        access, at most `horizon`; `wall` itself if it does not allow access then."""
        at = wall
        while at < horizon and self.allows(at):
            at = (at // 60 + 1) * 60
        return min(at, horizon)


@dataclass(frozen=True, slots=True)
class Grant:
    """One registered credential profile of one node.

    `clusters`: reader clusters that it opens. `schedule`: None = always. It ends at the earlier of `not_after` (Unix
    seconds) and `deadline` (`time.monotonic()` seconds), so that a clock turned back prolongs nothing.
    """

    node_id: str
    credentials: tuple[Credential, ...]
    clusters: frozenset[str]
    schedule: Schedule | None
    not_after: float
    deadline: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.not_after) and math.isfinite(self.deadline)):
            raise ValueError("a grant needs a finite end on both clocks")

    def has_expired(self, now: Moment) -> bool:
        """True from its end on, by the clock that reaches the end first."""
        return not (now.wall < self.not_after and now.monotonic < self.deadline)


class GrantTable:
    """All grants, looked up by credential in O(1). Immutable: a change is a new table.

    A node may hold one credential by several grants (profiles). ValueError for a credential that two nodes hold: no one
    could say who came in.
    """

    __slots__ = ("_by_credential",)

    def __init__(self, grants: Iterable[Grant] = ()) -> None:
        table: dict[Credential, tuple[Grant, ...]] = {}
        for grant in grants:
            for credential in dict.fromkeys(grant.credentials):
                others = table.get(credential, ())
                if others and others[0].node_id != grant.node_id:
                    raise ValueError(f"nodes {others[0].node_id} and {grant.node_id} hold the same credential")
                table[credential] = (*others, grant)
        self._by_credential: Mapping[Credential, tuple[Grant, ...]] = MappingProxyType(table)

    def find(self, credential: Credential) -> tuple[Grant, ...]:
        """Return the grants of `credential`, all of one node; empty if it is unknown."""
        return self._by_credential.get(credential, ())

    def __len__(self) -> int:
        """Number of credentials in the table."""
        return len(self._by_credential)


@dataclass(frozen=True, slots=True)
class CardRead:
    """A card was presented at `reader_id` of cluster `cluster_id`."""

    reader_id: str
    cluster_id: str
    credential: Credential


@dataclass(frozen=True, slots=True)
class AccessDecision:
    """The outcome of `decide`.

    `node_id`: None if the credential is unknown. `deny`: the entry behind `burned` and `contained`.

    `latency_us`: microseconds from the card event on the loop thread to the decision; 0 when `decide` is called by
    itself.
    """

    grant: bool
    reason: Reason
    node_id: str | None = None
    deny: DenyEntry | None = None
    latency_us: float = 0.0


def decide(event: CardRead, deny: DenyView, grants: GrantTable, now: Moment) -> AccessDecision:
    """Decide one presentation. Never waits; raises only what `deny` raises (the panel then denies)."""
    candidates = grants.find(event.credential)
    node_id = candidates[0].node_id if candidates else None
    # The deny set comes first and is asked for both keys: a burn wins over a containment, and either wins over every
    # grant.
    by_credential = deny.denies_credential(event.credential)
    by_node = deny.denies_node(node_id) if node_id is not None else None
    entry = by_node if by_credential is None or (by_node is not None and by_node.cause == "burn") else by_credential
    if entry is not None:
        return AccessDecision(False, "burned" if entry.cause == "burn" else "contained", node_id, entry)
    if not candidates:
        return AccessDecision(False, "unknown_credential")
    reason: Reason = "wrong_cluster"
    for grant in candidates:
        if event.cluster_id not in grant.clusters:
            continue
        if grant.schedule is not None and not grant.schedule.allows(now.wall):
            reason = "outside_schedule" if reason == "wrong_cluster" else reason
            continue
        if grant.has_expired(now):
            reason = "expired"
            continue
        return AccessDecision(True, "granted", node_id)
    return AccessDecision(False, reason, node_id)
