"""The two logs as the writer sees them: audit entries and seals, numbered in one commit."""

from __future__ import annotations

import os
import sqlite3
from typing import Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import Connection

from app.ledger.log.keys import LedgerBroken, LogKey
from app.ledger.log.log import Log, ReadRing
from app.ledger.state.book import ACTOR, ADOPTED, CHANGED, StateBook
from app.ledger.tables import AUDIT, OUTCOMES, SEAL
from app.ledger.tree import leaf as leaves
from app.store.engine import driver
from app.store.writer import ACCEPTED, Leaf, Sealed, SealLeaf

_NUMBER: Final = {outcome: number for number, outcome in enumerate(OUTCOMES)}
_WORDS_KEPT: Final = 200_000

_NAMES: Final = (
    "SELECT 1 FROM audit_entry INDEXED BY audit_by_node WHERE node = ? AND node IS NOT NULL LIMIT 1",
    "SELECT 1 FROM audit_entry INDEXED BY audit_by_unit WHERE unit = ? AND unit IS NOT NULL LIMIT 1",
    "SELECT 1 FROM audit_entry INDEXED BY audit_by_actor WHERE actor = ? LIMIT 1",
    "SELECT 1 FROM audit_entry INDEXED BY audit_by_action WHERE action = ? LIMIT 1",
)
"""Each finds whether an entry names a word."""

_AuditRow = tuple[bytes, int, int, str, int, str, str | None, str | None, bytes, bytes, str]
"""header, seq, ts, action, outcome, actor, node, unit, salt, payload, words"""
_SealRow = tuple[bytes, int, int, str, bytes, bytes]
"""header, seq, ts, knot_id, salt, payload"""


class AuditLog(Log[_AuditRow]):
    """The audit log. By itself it is a ``writer.LogAppender`` for a store that seals nothing."""

    number = AUDIT
    title = "audit log"
    rows = "audit_entry"

    def __init__(self, origin: str, keys: Ed25519PrivateKey | ReadRing) -> None:
        super().__init__(origin, keys)
        self._words: dict[str, int] = {}
        self._new_words: list[str] = []
        self._state = StateBook()

    def load(self, connection: Connection) -> int:
        """As ``Log.load``; the rows that decide are those that the newest leaf states."""
        self._words.clear()
        self._new_words.clear()
        last_us = super().load(connection)
        raw = driver(connection)
        self._state.load(raw, self._tree.size, self._read_state(raw))
        return last_us

    @property
    def adopts(self) -> bool:
        """Whether rows of an earlier version wait for their leaf (``LogAppender``)."""
        return self._state.adopts

    def check_all(self, connection: Connection) -> None:
        """As ``load``, for every row (``LogAppender``)."""
        self.load(connection)
        self._state.check_all(driver(connection))

    def _read_state(self, raw: sqlite3.Connection) -> str | None:
        """What the newest leaf states of the store's rows; ``None`` where it is of an earlier version, or there is
        none. ``LedgerBroken`` unless its content is the one that the tree holds."""
        if not self._tree.size:
            return None
        row = raw.execute("SELECT header, salt, payload FROM audit_entry ORDER BY seq DESC LIMIT 1").fetchone()
        header, salt, payload = row
        try:
            if (
                None not in (header, salt, payload)
                and self._in_tree(raw.cursor(), header)
                and leaves.read_header(header).body == leaves.body_of(salt, payload)
            ):
                return leaves.read_payload(payload).state
        except msgspec.MsgspecError:
            pass
        raise LedgerBroken(
            "The content of the audit log's newest entry, which states the store's rows, is not the one that was "
            "signed. Keep this store as evidence and restore a backup."
        )

    def append(self, leaf: Leaf) -> int:
        """Number a leaf (``LogAppender``)."""
        leaves.check(leaf)
        payload = leaves.payload_of(leaf)
        salt = os.urandom(16)
        seq = self._next_seq
        header = leaves.header_of(leaf, seq, leaves.body_of(salt, payload))
        self._kept.append(
            (
                header,
                seq,
                leaf.ts_us,
                leaf.action,
                _NUMBER[leaf.outcome],
                leaf.actor,
                leaf.node_id,
                leaf.unit_id,
                salt,
                payload,
                leaves.words_of(leaf),
            )
        )
        return seq

    def flush(self, connection: Connection, now_us: int) -> None:
        """As ``Log.write``; the last leaf of the commit states all rows that are covered (``state.book``)."""
        raw = driver(connection)
        changed = self._state.take_notes(raw)
        if self._state.adopts:
            self._service_leaf(ADOPTED, now_us, {})
        elif changed and not self._kept:
            self._service_leaf(CHANGED, now_us, {"rows": changed})
        if self._kept:
            self._keep_state(self._state.state(raw), now_us)
        self.write(connection)

    def _service_leaf(self, action: str, now_us: int, detail: dict[str, object]) -> None:
        self.append(Leaf(action, ACTOR, ACCEPTED, now_us, None, None, None, None, detail))

    def _keep_state(self, state: str, now_us: int) -> None:
        """Puts ``state`` into the last kept leaf, or into one of its own where that has no room."""
        try:
            self._kept[-1] = _with_state(self._kept[-1], state)
        except leaves.PayloadTooLong:
            self._service_leaf(CHANGED, now_us, {})
            self._kept[-1] = _with_state(self._kept[-1], state)

    def _insert(self, cursor: sqlite3.Cursor, kept: list[_AuditRow]) -> None:
        """Rows with their words as numbers, and the text of the search."""
        word = self._word
        cursor.executemany(
            "INSERT INTO audit_entry (seq, ts, action, outcome, actor, node, unit, header, salt, payload) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    seq,
                    ts,
                    word(cursor, action),
                    outcome,
                    word(cursor, actor),
                    None if node is None else word(cursor, node),
                    None if unit is None else word(cursor, unit),
                    header,
                    salt,
                    payload,
                )
                for header, seq, ts, action, outcome, actor, node, unit, salt, payload, _ in kept
            ],
        )
        cursor.executemany("INSERT INTO audit_text (rowid, words) VALUES (?, ?)", [(row[1], row[10]) for row in kept])

    def publish(self) -> None:
        """As ``Log.publish``."""
        super().publish()
        self._state.publish()
        self._new_words.clear()
        if len(self._words) > _WORDS_KEPT:
            self._words.clear()

    def roll_back(self) -> None:
        """As ``Log.roll_back``."""
        super().roll_back()
        self._state.roll_back()
        # Their rows were rolled back: their ids may now go to other words.
        for text in self._new_words:
            self._words.pop(text, None)
        self._new_words.clear()

    def forget_word(self, connection: sqlite3.Connection, number: int) -> bool:
        """Delete the word ``number`` if no entry names it any more; whether it was deleted. Inside a job."""
        row = connection.execute("SELECT text FROM log_word WHERE id = ?", (number,)).fetchone()
        if row is None or any(connection.execute(query, (number,)).fetchone() is not None for query in _NAMES):
            return False
        connection.execute("DELETE FROM log_word WHERE id = ?", (number,))
        # Its id may go to another word. Where the job fails, the word is only looked up once more.
        self._words.pop(row[0], None)
        return True

    def _word(self, cursor: sqlite3.Cursor, text: str) -> int:
        found = self._words.get(text)
        if found is None:
            row = cursor.execute("SELECT id FROM log_word WHERE text = ?", (text,)).fetchone()
            if row is None:
                cursor.execute("INSERT INTO log_word (text) VALUES (?)", (text,))
                found = int(cursor.lastrowid or 0)
                self._new_words.append(text)
            else:
                found = int(row[0])
            self._words[text] = found
        return found


def _with_state(row: _AuditRow, state: str) -> _AuditRow:
    _, seq, ts, action, outcome, actor, node, unit, salt, payload, words = row
    payload = leaves.with_state(payload, unit, state)
    body = leaves.body_of(salt, payload)
    header = leaves.header_from(action, actor, body, OUTCOMES[outcome].value, seq, ts)
    return header, seq, ts, action, outcome, actor, node, unit, salt, payload, words


class SealLog(Log[_SealRow]):
    """The seal log. The ``outcome`` in its headers is the standing that the leaf states."""

    number = SEAL
    title = "seal log"
    rows = "seal_entry"

    def append(self, leaf: SealLeaf) -> Sealed:
        """Number a seal's leaf. Without ``knot_id`` it begins a knot, which gets its name from the leaf."""
        leaves.check(leaf)
        payload = leaves.check_payload(leaves.canonical(leaf.payload))
        salt = os.urandom(16)
        seq = self._next_seq
        header = leaves.header_of(leaf, seq, leaves.body_of(salt, payload))
        hashed = leaves.leaf_hash(header)
        knot_id = leaf.knot_id or leaves.knot_id_of(hashed)
        self._kept.append((header, seq, leaf.ts_us, knot_id, salt, payload))
        return Sealed(seq, knot_id, leaf.ts_us, header, hashed, salt, payload)

    def _insert(self, cursor: sqlite3.Cursor, kept: list[_SealRow]) -> None:
        cursor.executemany(
            "INSERT INTO seal_entry (seq, ts, knot_id, header, salt, payload) VALUES (?, ?, ?, ?, ?, ?)",
            [(seq, ts, knot_id, header, salt, payload) for header, seq, ts, knot_id, salt, payload in kept],
        )


class Ledger:
    """The ``writer.LogAppender`` of both logs: one transaction numbers, stores and signs the leaves of both."""

    def __init__(self, audit: AuditLog, seal: SealLog) -> None:
        self.audit = audit
        self.seal = seal

    @property
    def adopts(self) -> bool:
        """As of the audit log."""
        return self.audit.adopts

    def log_keys(self) -> list[LogKey]:
        """The public keys that sign for both logs now, those of the seal log first."""
        return [*self.seal.ring.keys(), *self.audit.ring.keys()]

    def load(self, connection: Connection) -> int:
        """Load both logs; the later of their last times."""
        return max(self.audit.load(connection), self.seal.load(connection))

    def append(self, leaf: Leaf) -> int:
        """Number an audit entry."""
        return self.audit.append(leaf)

    def append_seal(self, leaf: SealLeaf) -> Sealed:
        """Number a seal's leaf."""
        return self.seal.append(leaf)

    def mark(self) -> tuple[int, ...]:
        """The point to which ``take_back`` can return in both."""
        return (*self.audit.mark(), *self.seal.mark())

    def take_back(self, mark: tuple[int, ...]) -> None:
        """Forget the leaves of both since ``mark``."""
        self.audit.take_back(mark[:1])
        self.seal.take_back(mark[1:])

    def check_all(self, connection: Connection) -> None:
        """Check both, and every row that they state."""
        self.audit.check_all(connection)
        self.seal.load(connection)

    def flush(self, connection: Connection, now_us: int) -> None:
        """Write both into the open transaction."""
        self.audit.flush(connection, now_us)
        self.seal.write(connection)

    def publish(self) -> None:
        """The flush of both is durable."""
        self.audit.publish()
        self.seal.publish()

    def roll_back(self) -> None:
        """The flush of both did not happen."""
        self.audit.roll_back()
        self.seal.roll_back()
