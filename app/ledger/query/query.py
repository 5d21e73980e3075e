"""The audit query: a range of time and criteria give one page of entries; all pages of a query are of one tree size.

Time becomes ``seq`` by a search over the log. Entries that came while the log's time was ahead of the clock are found
by their own clock as well: they follow behind, in runs. A rule chooses the driving index, and ``INDEXED BY`` forces it.
Ids come from the covering index before any row is read. No page reads more than ``BUDGET`` index rows: where little
matches, a page is short and has ``next`` set.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from app.ledger.cosigned import Cosigned, newest
from app.ledger.interval import check_range, rfc3339
from app.ledger.log.append import AuditLog
from app.ledger.log.log import CommittedHead
from app.ledger.query.page_proof import PageProofs, page_proofs
from app.ledger.tables import CLOCK, HAS_CLOCK, OUTCOMES
from app.ledger.tree import leaf as leaves
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.errors import BadCursor
from app.store.writer import ActOutcome

BUDGET: Final = 50_000
"""Index rows that one page may read."""
LIMIT: Final = 500
"""Entries of the longest page."""
_KIND: Final = "audit"
_Row = tuple[int, bytes, bytes | None, bytes | None]
"""seq, header, payload, salt."""


@dataclass(frozen=True, kw_only=True)
class EntryCriteria:
    """What entries must fulfil, all of it. ``text``: each word must occur in action, actor, ids or detail."""

    actor: str | None = None
    action: str | None = None
    node_id: str | None = None
    unit_id: str | None = None
    outcome: ActOutcome | None = None
    text: str | None = None
    order: Literal["asc", "desc"] = "desc"
    limit: int = 100
    cursor: str | None = None


class LoggedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One leaf with its payload. ``detail`` and the ids are empty where the payload was erased.

    A Struct, because making 500 frozen dataclasses costs more than reading their rows.
    """

    seq: int
    ts_us: int
    timestamp: str
    """RFC 3339, UTC, microseconds."""
    received_us: int | None
    """The machine's clock when the entry came, where the log's time was ahead of it."""
    actor: str
    action: str
    outcome: ActOutcome
    node_id: str | None
    unit_id: str | None
    request_id: str | None
    detail: Mapping[str, Any]
    erased: bool
    """The payload was erased; the leaf stays."""
    leaf_hash: str
    """64 hexadecimal digits."""


@dataclass(frozen=True, kw_only=True)
class LoggedPage:
    """One page. ``seq_range``: the half-open range of ``seq`` that the query's time covers at ``tree_size``.
    ``ahead_us``: how far the log's time is ahead of the clock now."""

    entries: Sequence[LoggedEntry]
    next: str | None
    checkpoint: str
    """Signed note of ``tree_size``, the same for every page of one query."""
    tree_size: int
    seq_range: tuple[int, int]
    ahead_us: int
    proofs: PageProofs | None = None
    """Proofs of the entries, in their order, if the caller asked for them."""


class _Ids:
    """Criteria as ids of ``log_word``."""

    __slots__ = ("action", "actor", "node", "outcome", "unit")

    def __init__(self, cursor: sqlite3.Cursor, criteria: EntryCriteria) -> None:
        """``KeyError`` if a word was never logged: then nothing can match."""
        self.actor = _word(cursor, criteria.actor)
        self.action = _word(cursor, criteria.action)
        self.node = _word(cursor, criteria.node_id)
        self.unit = _word(cursor, criteria.unit_id)
        self.outcome = None if criteria.outcome is None else OUTCOMES.index(criteria.outcome)


class AuditIndex:
    """Answers audit queries from the store. Calls block on the disk: not on an event loop. Safe on any thread."""

    def __init__(self, store: Store, log: AuditLog, cursors: Cursors) -> None:
        self._store = store
        self._log = log
        self._cursors = cursors

    def page(self, from_us: int, to_us: int, criteria: EntryCriteria, *, proofs: bool = False) -> LoggedPage:
        """At most ``limit`` (1 to 500) entries with ``from_us`` <= time < ``to_us`` that fulfil ``criteria``. The time
        is that in the log, or that at which the entry came where the log's was ahead.

        For the next page, pass the same range and criteria and set ``cursor`` to ``next`` of this page; it has the tree
        size of the first page. ``proofs``: with the proof of each entry. Raises ``IntervalError`` for a range that is
        reversed or longer than 366 days, ``BadCursor`` for a cursor of another query, and ``ValueError`` for a limit
        out of bounds.
        """
        from_us, to_us = check_range(from_us, to_us)
        if not 1 <= criteria.limit <= LIMIT:
            raise ValueError(f"a page has 1 to {LIMIT} entries")
        query = _fingerprint(from_us, to_us, criteria)
        # Read the cosigned checkpoint first, then the log's snapshot, then the store's: each is at least as new as the
        # one before it, so the log covers the checkpoint, and the store has the log's rows and tiles.
        cosigned = self._newest_cosigned() if proofs else None
        head = self._log.snapshot()
        size, after = head.size, None
        if criteria.cursor is not None:
            size, after = self._resume(criteria.cursor, query, head.size)
        with self._store.snapshot() as raw:
            cursor = raw.cursor()
            low = _seek(cursor, from_us, 0, size)
            high = _seek(cursor, to_us, low, size)
            seq_range = (low, high)
            windows = [seq_range, *_runs_by_clock(cursor, from_us, to_us, high, size)]
            rows, more = _find_in(cursor, criteria, windows, after)
        entries = [_entry(seq, header, payload) for seq, header, payload, _ in rows]
        checkpoint = head.note if size == head.size else self._checkpoint(size)
        following = None if more is None else self._cursors.encode(_KIND, (more, size), query=query)
        return LoggedPage(
            entries=entries,
            next=following,
            checkpoint=checkpoint,
            tree_size=size,
            seq_range=seq_range,
            ahead_us=self._store.writer.ahead_us,
            proofs=self._proofs(rows, head, size, cosigned) if proofs else None,
        )

    def _newest_cosigned(self) -> Cosigned | None:
        with self._store.read() as connection:
            return newest(self._log, connection)

    def _proofs(self, rows: Sequence[_Row], head: CommittedHead, size: int, cosigned: Cosigned | None) -> PageProofs:
        # Another snapshot than that of the rows serves as well: tiles are only ever added.
        with self._store.read() as connection:
            return page_proofs(rows, self._log.nodes(connection, head), size, cosigned)

    def _checkpoint(self, size: int) -> str:
        # Another snapshot serves as well: tiles are only ever added.
        with self._store.read() as connection:
            return self._log.checkpoint_at(connection, size)

    def _resume(self, text: str, query: bytes, newest: int) -> tuple[int, int]:
        values = self._cursors.decode(_KIND, text, query=query)
        match values:
            case [int(after), int(size)] if size <= newest:
                return size, after
            case _:
                # A larger size comes from the time before an older store was restored.
                raise BadCursor("This cursor is of a newer state of the log. Start again without it.")


def _fingerprint(from_us: int, to_us: int, criteria: EntryCriteria) -> bytes:
    """Names a query, so that a cursor continues no other one. ``limit`` may differ from page to page."""
    parts = (
        from_us,
        to_us,
        criteria.actor,
        criteria.action,
        criteria.node_id,
        criteria.unit_id,
        criteria.outcome,
        criteria.text,
        criteria.order,
    )
    return hashlib.sha256(msgspec.json.encode(parts)).digest()


def _word(cursor: sqlite3.Cursor, text: str | None) -> int | None:
    if text is None:
        return None
    row = cursor.execute("SELECT id FROM log_word WHERE text = ?", (text,)).fetchone()
    if row is None:
        raise KeyError(text)
    return int(row[0])


def _seek(cursor: sqlite3.Cursor, us: int, low: int, high: int) -> int:
    """First ``seq`` in ``[low, high)`` whose time is not before ``us``, else ``high``; time never falls along the log.

    Interpolation reads few rows where entries come evenly. Every third step halves the range, so that bursts cost at
    most three times a binary search.
    """
    if low >= high:
        return high
    first, last = _time_of(cursor, low), _time_of(cursor, high - 1)
    if first >= us:
        return low
    if last < us:
        return high
    # ``below`` is always before ``us``, ``above`` never is.
    below, above = low, high - 1
    step = 0
    while above - below > 1:
        step += 1
        if step % 3:
            share = (above - below) * (us - first) // (last - first)
            middle = min(max(below + share, below + 1), above - 1)
        else:
            middle = (below + above) // 2
        time = _time_of(cursor, middle)
        if time < us:
            below, first = middle, time
        else:
            above, last = middle, time
    return above


def _time_of(cursor: sqlite3.Cursor, seq: int) -> int:
    time: int = cursor.execute("SELECT ts FROM audit_entry WHERE seq = ?", (seq,)).fetchone()[0]
    return time


def _runs_by_clock(cursor: sqlite3.Cursor, from_us: int, to_us: int, low: int, high: int) -> list[tuple[int, int]]:
    """Half-open runs of ``seq`` in ``[low, high)``, rising, whose entries came in the range of time. Their time in the
    log is later than their clock, so all of them follow behind the entries whose time in the log is in the range."""
    found = cursor.execute(
        f"SELECT seq FROM audit_entry INDEXED BY audit_by_clock WHERE {HAS_CLOCK} AND {CLOCK} >= ? AND {CLOCK} < ? "
        "AND seq >= ? AND seq < ? ORDER BY seq",
        (from_us, to_us, low, high),
    )
    runs: list[tuple[int, int]] = []
    for (seq,) in found:
        if runs and runs[-1][1] == seq:
            runs[-1] = (runs[-1][0], seq + 1)
        else:
            runs.append((seq, seq + 1))
    return runs


def _find_in(
    cursor: sqlite3.Cursor, criteria: EntryCriteria, windows: Sequence[tuple[int, int]], after: int | None
) -> tuple[list[_Row], int | None]:
    """As ``_find``, over rising windows of ``seq`` one after the other. ``after``: where the page before ended."""
    descending = criteria.order == "desc"
    rows: list[_Row] = []
    for first, end in reversed(windows) if descending else windows:
        low, high = first, end
        if after is not None:
            low, high = (low, min(high, after)) if descending else (max(low, after), high)
        if low >= high:
            continue
        if len(rows) == criteria.limit:
            return rows, rows[-1][0] if descending else rows[-1][0] + 1
        found, more = _find(cursor, criteria, low, high, criteria.limit - len(rows))
        rows += found
        if more is not None:
            return rows, more
    return rows, None


def _find(
    cursor: sqlite3.Cursor, criteria: EntryCriteria, low: int, high: int, limit: int
) -> tuple[list[_Row], int | None]:
    """The rows of the page's entries in order, and where the next page begins (``None``: there is none).

    That bound is exclusive from above when descending, and inclusive from below when ascending.
    """
    try:
        ids = _Ids(cursor, criteria)
    except KeyError:
        return [], None
    descending = criteria.order == "desc"
    drive, values, rest, rest_values = _plan(ids, criteria, low, high)
    drive = f"{drive} ORDER BY seq {'DESC' if descending else 'ASC'}"
    if rest:
        # A subquery with its own LIMIT runs as a co-routine: the outer LIMIT stops it, and its order is kept.
        page = f"SELECT seq FROM ({drive} LIMIT {BUDGET}) AS found WHERE {rest} LIMIT {limit + 1}"
    else:
        page = f"SELECT seq FROM ({drive} LIMIT {limit + 1})"
    # CROSS JOIN keeps the page outside: rows are read in its order.
    entry = "e.seq, e.header, e.payload, e.salt"
    sql = f"SELECT {entry} FROM ({page}) AS page CROSS JOIN audit_entry AS e ON e.seq = page.seq"
    rows = cursor.execute(sql, (*values, *rest_values)).fetchall()
    if len(rows) > limit:
        del rows[limit:]
        return rows, rows[-1][0] if descending else rows[-1][0] + 1
    # An index has at most one row for each entry: a shorter range cannot use up the budget.
    if rest and high - low >= BUDGET:
        last = cursor.execute(f"{drive} LIMIT 1 OFFSET {BUDGET - 1}", values).fetchone()
        if last is not None:
            return rows, last[0] if descending else last[0] + 1
    return rows, None


def _plan(
    ids: _Ids, criteria: EntryCriteria, low: int, high: int
) -> tuple[str, tuple[object, ...], str, tuple[object, ...]]:
    """The driving SELECT without order and limit, its values, and what is left to filter with its values.

    The order of the cases is the rule. SQLite uses a partial index only where the index's own
    condition stands literally in the query.
    """
    window = (low, high)
    terms = _terms(criteria)
    if terms:
        # The text also holds the words of the other criteria: they narrow the search before any row is read.
        drive = "SELECT rowid AS seq FROM audit_text WHERE audit_text MATCH ? AND rowid >= ? AND rowid < ?"
        rest, values = _rest(
            ("e.node", ids.node),
            ("e.unit", ids.unit),
            ("e.actor", ids.actor),
            ("e.action", ids.action),
            ("e.outcome", ids.outcome),
        )
        if rest:
            rest = f"EXISTS (SELECT 1 FROM audit_entry AS e WHERE e.seq = found.seq AND {rest})"
        return drive, (terms, *window), rest, values
    within = "AND seq >= ? AND seq < ?"
    narrow = (("actor", ids.actor), ("action", ids.action), ("outcome", ids.outcome))
    if ids.node is not None:
        unit = "" if ids.unit is None else ", unit"
        drive = (
            f"SELECT seq, actor, action, outcome{unit} FROM audit_entry INDEXED BY audit_by_node "
            f"WHERE node = ? AND node IS NOT NULL {within}"
        )
        return drive, (ids.node, *window), *_rest(*narrow, ("unit", ids.unit))
    if ids.unit is not None:
        drive = (
            "SELECT seq, actor, action, outcome FROM audit_entry INDEXED BY audit_by_unit "
            f"WHERE unit = ? AND unit IS NOT NULL {within}"
        )
        return drive, (ids.unit, *window), *_rest(*narrow)
    if ids.actor is not None:
        drive = f"SELECT seq, action, outcome FROM audit_entry INDEXED BY audit_by_actor WHERE actor = ? {within}"
        return drive, (ids.actor, *window), *_rest(("action", ids.action), ("outcome", ids.outcome))
    if ids.action is not None:
        one = f"SELECT seq FROM audit_entry INDEXED BY audit_by_action WHERE action = ? AND outcome = ? {within}"
        if ids.outcome is not None:
            return one, (ids.action, ids.outcome, *window), "", ()
        # Three runs of the index, each in order of seq: SQLite merges them and sorts nothing.
        drive = " UNION ALL ".join([one] * len(OUTCOMES))
        return drive, tuple(value for number in range(len(OUTCOMES)) for value in (ids.action, number, *window)), "", ()
    if ids.outcome:
        drive = f"SELECT seq FROM audit_entry INDEXED BY audit_by_outcome WHERE outcome = ? AND outcome <> 0 {within}"
        return drive, (ids.outcome, *window), "", ()
    drive = "SELECT seq, outcome FROM audit_entry NOT INDEXED WHERE seq >= ? AND seq < ?"
    return drive, window, *_rest(("outcome", ids.outcome))


def _rest(*conditions: tuple[str, int | None]) -> tuple[str, tuple[object, ...]]:
    given = [(name, value) for name, value in conditions if value is not None]
    return " AND ".join([f"{name} = ?" for name, _ in given]), tuple(value for _, value in given)


def _terms(criteria: EntryCriteria) -> str:
    """The full-text query: each word is a quoted phrase, so that no word of a user is an operator."""
    words = (criteria.text or "").replace("\0", " ").split()
    if words:
        words += [
            word
            for word in (criteria.actor, criteria.action, criteria.node_id, criteria.unit_id)
            if word is not None and "\0" not in word
        ]
    return " ".join(['"' + word.replace('"', '""') + '"' for word in words])


def _entry(seq: int, raw: bytes, stored: bytes | None) -> LoggedEntry:
    """The entry of a header and of a payload that may be erased."""
    header = leaves.read_header(raw)
    payload = leaves.Payload() if stored is None else leaves.read_payload(stored)
    return LoggedEntry(
        seq=seq,
        ts_us=header.ts,
        timestamp=rfc3339(header.ts),
        received_us=payload.clock,
        actor=header.actor,
        action=header.action,
        outcome=header.outcome,
        node_id=payload.node_id,
        unit_id=payload.unit_id,
        request_id=payload.request_id,
        detail=payload.detail,
        erased=stored is None,
        leaf_hash=leaves.leaf_hash(raw).hex(),
    )
