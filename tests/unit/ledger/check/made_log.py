"""Two small logs in a database in memory, sound to the byte: what a check of one log reads, with no site around it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import StaticPool, create_engine

from app.ledger.c2sp.note import Signer, checkpoint_text
from app.ledger.check.fast_path import Row
from app.ledger.check.rows import WHOLE, AuditRun, LogFault, LogIdentity, LogPart, LogRun, Progress, Ranges, SealRun
from app.ledger.tables import AUDIT, SEAL, audit_entry, log_head, log_tile, log_word, seal_entry, tile_id
from app.ledger.tree.leaf import body_of, canonical, header_of, knot_id_of, leaf_hash, words_of
from app.ledger.tree.tree import Tree
from app.store.tables import metadata
from app.store.writer import ActOutcome, Leaf, SealLeaf
from tests.unit.ledger.check.test_fast_path import Words, row_of

SIZE: Final = 600
"""Entries of each log: two full tiles, and an open one of 88."""
SIGNERS: Final = {log: Signer(f"log{log}", Ed25519PrivateKey.from_private_bytes(bytes([log]) * 32)) for log in (0, 1)}
OTHER: Final = Signer("log1", Ed25519PrivateKey.from_private_bytes(b"\x09" * 32))
"""A key of the audit log's name that nobody knows."""
INTO_AUDIT: Final = "INSERT INTO audit_entry (seq, header, ts, action, outcome, actor, node, unit, salt, payload) "
INTO_SEAL: Final = "INSERT INTO seal_entry (seq, header, ts, knot_id, salt, payload) VALUES (?, ?, ?, ?, ?, ?)"
Told = tuple[str, str, int | None]
"""A fault: where, what, which entry."""


def leaf_at(seq: int) -> Leaf:
    """What entry ``seq`` of the audit log says."""
    node = None if seq % 3 == 0 else f"ARC-{seq % 5}"
    return Leaf(
        f"test.added{seq % 4}",
        f"key_{seq % 2}",
        list(ActOutcome)[seq % 3],
        1_000 + seq // 2,
        None,
        node,
        "unit-1" if seq % 7 == 0 else None,
        f"req_{seq}",
        {"number": seq},
    )


def seal_rows(size: int) -> list[Row]:
    """The rows of a seal log in which each even entry begins a knot that the next one continues."""
    rows: list[Row] = []
    for seq in range(size):
        payload = canonical({"number": seq})
        leaf = SealLeaf("knots.issue", "key_1", "VERIFIED", 1_000 + seq, {}, None)
        header = header_of(leaf, seq, body_of(bytes(16), payload))
        knot = rows[-1][3] if seq % 2 else knot_id_of(leaf_hash(header))
        rows.append((seq, header, leaf.ts_us, knot, bytes(16), payload))
    return rows


def put_tree(raw: sqlite3.Connection, log: int, headers: Sequence[bytes]) -> None:
    """The tiles and the signed head over ``headers``, in the place of those that are there."""
    tree = Tree()
    for header in headers:
        tree.append(leaf_hash(header))
    raw.execute("DELETE FROM log_tile WHERE id >> 56 = ?", (log,))
    tiles = [(tile_id(log, level, index), tile) for level, index, tile in tree.take_full()]
    raw.executemany("INSERT INTO log_tile (id, h) VALUES (?, ?)", tiles)
    signer = SIGNERS[log]
    note = signer.sign(checkpoint_text(signer.verifier.name, tree.size, tree.root()))
    raw.execute("REPLACE INTO log_head VALUES (?, ?, ?, ?)", (log, tree.size, tree.root(), note.encode()))


def make_logs(size: int = SIZE) -> sqlite3.Connection:
    """A database with both logs of ``size`` entries. The caller closes it."""
    raw = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    engine = create_engine("sqlite://", creator=lambda: raw, poolclass=StaticPool)
    metadata.create_all(engine, tables=[audit_entry, seal_entry, log_word, log_tile, log_head])
    words = Words()
    entries = [leaf_at(seq) for seq in range(size)]
    rows = [row_of(leaf, seq, words) for seq, leaf in enumerate(entries)]
    raw.executemany(f"{INTO_AUDIT} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    raw.executemany("INSERT INTO log_word VALUES (?, ?)", words.rows())
    texts = [(seq, words_of(leaf)) for seq, leaf in enumerate(entries)]
    raw.executemany("INSERT INTO audit_text (rowid, words) VALUES (?, ?)", texts)
    put_tree(raw, AUDIT, [row[1] for row in rows])
    seals = seal_rows(size)
    raw.executemany(INTO_SEAL, seals)
    put_tree(raw, SEAL, [row[1] for row in seals])
    return raw


def identity_of(log: int) -> LogIdentity:
    """The log with its one key."""
    return LogIdentity(SIGNERS[log].verifier.name, [SIGNERS[log].verifier])


def audit_run(
    raw: sqlite3.Connection,
    part: LogPart = WHOLE,
    identity: LogIdentity | None = None,
    erased: dict[int, Ranges] | None = None,
    progress: Progress = lambda *_: None,
) -> AuditRun:
    """A check of the audit log."""
    ranges = {AUDIT: Ranges(), SEAL: Ranges()} if erased is None else erased
    return AuditRun(raw, AUDIT, identity or identity_of(AUDIT), progress, ranges, part)


def seal_run(raw: sqlite3.Connection, part: LogPart = WHOLE, identity: LogIdentity | None = None) -> SealRun:
    """A check of the seal log."""
    return SealRun(raw, SEAL, identity or identity_of(SEAL), lambda *_: None, part)


def told(run: LogRun) -> list[Told]:
    """All that the check says, in its order."""
    return [as_told(fault) for fault in run.findings()]


def as_told(fault: LogFault) -> Told:
    """To be compared."""
    return fault.where, fault.what, fault.seq
