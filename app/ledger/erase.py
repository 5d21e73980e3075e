"""Erasure of the content of leaves: the leaf stays in the tree and proves, its content is gone (``README.md``, 10).

Erased are the payload and its salt, the columns of node and unit, the words in the search index, and the node's own
word where no other entry names it. In the same transaction the leaf ``audit.erased`` says what was erased and on which
legal basis; it names nobody, and is never erased itself. Backups keep what they hold until they expire."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import msgspec

from app.ledger.log.append import Ledger
from app.ledger.query.search import TABLE, entry_words
from app.ledger.tree import leaf as leaves
from app.store.engine import driver
from app.store.writer import Transaction

ERASED: Final = "audit.erased"
"""Action of the leaf that says what was erased."""
AT_ONCE: Final = 500
"""Entries that one transaction erases at most: other jobs wait for the writer meanwhile."""
RANGES: Final = 1_000
"""Ranges that one leaf names at most: its payload has a bound."""
_MERGED_AT_ONCE: Final = 500
"""Pages of the search index that are merged in one transaction."""
_SMALL_INDEX: Final = 2_000
"""A search index of fewer pages (8 MiB) is merged as a whole after each erasure."""

_LASTING: Final = leaves.OF_THE_LOG | {ERASED}
"""Actions of leaves that are never erased."""

LogName = Literal["audit", "seal"]


class Erasure(msgspec.Struct, frozen=True):
    """The detail of the leaf: ``seqs`` are inclusive ranges of the log named ``log``."""

    log: LogName
    seqs: list[tuple[int, int]]
    legal_basis: str


@dataclass(frozen=True)
class Erased:
    """What one transaction erased: the number of entries, the ``seq`` of its leaf (``None`` if there was nothing to
    erase), and the number of words of nodes and units that no entry names any more."""

    entries: int
    leaf_seq: int | None
    words: int


class Eraser:
    """Erases inside the writer's jobs."""

    def __init__(self, ledger: Ledger, *, lasting: Collection[str] = ()) -> None:
        """``lasting``: further actions whose leaves are never erased, because they are evidence that must stay."""
        self._audit = ledger.audit
        self._lasting = _LASTING.union(lasting)

    def of_node(self, connection: sqlite3.Connection, node_id: str, below: int) -> list[int]:
        """The audit entries of a node that are not erased yet, with ``seq`` < ``below``."""
        rows = connection.execute(
            "SELECT seq FROM audit_entry INDEXED BY audit_by_node WHERE node IS NOT NULL "
            "AND node = (SELECT id FROM log_word WHERE text = ?) AND seq < ? ORDER BY seq",
            (node_id, below),
        )
        return [row[0] for row in rows]

    def erasable(self, connection: sqlite3.Connection, log: LogName, seqs: Iterable[int]) -> list[int]:
        """Those of ``seqs`` that exist, are not erased yet, and may be erased; ascending."""
        table = "audit_entry" if log == "audit" else "seal_entry"
        found = []
        for seq in sorted(set(seqs)):
            row = connection.execute(f"SELECT header, payload FROM {table} WHERE seq = ?", (seq,)).fetchone()
            if row is not None and row[1] is not None and _action(row[0]) not in self._lasting:
                found.append(seq)
        return found

    def erase(
        self,
        tx: Transaction,
        log: LogName,
        seqs: Sequence[int],
        *,
        legal_basis: str,
        actor: str,
        request_id: str | None = None,
    ) -> Erased:
        """Erase those of ``seqs`` that may be erased, and add the leaf that says so. ``ValueError`` for more than
        ``AT_ONCE`` entries, or more than ``RANGES`` ranges."""
        connection = driver(tx.connection)
        wanted = self.erasable(connection, log, seqs)
        ranges = _ranges(wanted)
        if len(wanted) > AT_ONCE or len(ranges) > RANGES:
            raise ValueError(f"one transaction erases {AT_ONCE} entries at most")
        if not wanted:
            return Erased(0, None, 0)
        if log == "audit":
            words = self._audit_entries(connection, wanted)
            self._merge_if_small(connection)
        else:
            words = 0
            connection.executemany(
                "UPDATE seal_entry SET salt = NULL, payload = NULL WHERE seq = ?", [(seq,) for seq in wanted]
            )
        said = Erasure(log, ranges, legal_basis)
        seq = tx.audit(ERASED, actor=actor, request_id=request_id, detail=msgspec.to_builtins(said))
        # Frames of the WAL and pages of the file still hold the old bytes.
        tx.scrub()
        return Erased(len(wanted), seq, words)

    def _audit_entries(self, connection: sqlite3.Connection, seqs: Sequence[int]) -> int:
        """Erases entries of the audit log; how many words of nodes and units no entry names any more."""
        named: set[int] = set()
        for seq in seqs:
            raw, payload, node, unit = connection.execute(
                "SELECT header, payload, node, unit FROM audit_entry WHERE seq = ?", (seq,)
            ).fetchone()
            header = leaves.read_header(raw)
            # A contentless index deletes an entry only if it is given exactly the text that it was made from.
            text = entry_words(header.action, header.actor, leaves.read_payload(payload))
            connection.execute(f"INSERT INTO {TABLE} ({TABLE}, rowid, words) VALUES ('delete', ?, ?)", (seq, text))
            named.update(number for number in (node, unit) if number is not None)
        connection.executemany(
            "UPDATE audit_entry SET salt = NULL, payload = NULL, node = NULL, unit = NULL WHERE seq = ?",
            [(seq,) for seq in seqs],
        )
        return sum(self._audit.forget_word(connection, number) for number in sorted(named))

    def _merge_if_small(self, connection: sqlite3.Connection) -> None:
        pages = connection.execute(f"SELECT count(*) FROM (SELECT 1 FROM {TABLE}_data LIMIT {_SMALL_INDEX})").fetchone()
        if pages[0] < _SMALL_INDEX:
            connection.execute(f"INSERT INTO {TABLE} ({TABLE}) VALUES ('optimize')")

    def merge(self, tx: Transaction, first: bool) -> bool:
        """Merge a part of the search index, so that erased terms leave it too; whether more is left. ``first`` starts a
        merge of the whole index. Each call is its own transaction: a large index takes minutes in all."""
        connection = driver(tx.connection)
        before = connection.total_changes
        pages = -_MERGED_AT_ONCE if first else _MERGED_AT_ONCE
        connection.execute(f"INSERT INTO {TABLE} ({TABLE}, rank) VALUES ('merge', ?)", (pages,))
        tx.scrub()
        # One change is the command itself (SQLite, FTS5 section 6.8).
        return connection.total_changes - before >= 2


def _action(header: bytes) -> str:
    # A seal's header has the same members; its outcome is a standing.
    return leaves.read_seal_header(header).action


def _ranges(seqs: Sequence[int]) -> list[tuple[int, int]]:
    """Inclusive ranges of ascending numbers."""
    found: list[tuple[int, int]] = []
    for seq in seqs:
        if found and found[-1][1] == seq - 1:
            found[-1] = (found[-1][0], seq)
        else:
            found.append((seq, seq))
    return found
