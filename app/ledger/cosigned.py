"""Cosigned checkpoints as the store keeps them, and the proofs under them (``README.md``, sections 3 and 5).

The checkpoint of a leaf is the smallest cosigned one that covers it. Its note is frozen, so the leaf's proof never
changes.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cached_property

from sqlalchemy import Connection

from app.ledger.c2sp.note import NOTE_LIMIT
from app.ledger.c2sp.proof import consensus_seal, proof_bytes
from app.ledger.log.log import AnyLog
from app.ledger.tree.tree import Node, inclusion_path
from app.store.engine import driver
from app.store.writer import Transaction


@dataclass(frozen=True)
class Cosigned:
    """A checkpoint that met its quorum at ``quorum_at`` (Unix seconds); ``token`` is the time stamp over its text."""

    size: int
    note: str
    quorum_at: int
    token: bytes | None


@dataclass(frozen=True)
class LeafProof:
    """The proof of the leaf at ``seq``, under the one checkpoint that it keeps for ever."""

    seq: int
    data: bytes
    cosigned: Cosigned

    @cached_property
    def consensus_seal(self) -> str:
        """``0x`` and 64 hexadecimal digits."""
        return consensus_seal(self.data)


def make_proof(node: Node, seq: int, cosigned: Cosigned) -> LeafProof:
    """The proof of a leaf, from the nodes of a tree of at least ``cosigned.size`` leaves."""
    return LeafProof(seq, proof_bytes(seq, inclusion_path(node, seq, cosigned.size), cosigned.note), cosigned)


def proof_of(log: AnyLog, connection: Connection, seq: int) -> LeafProof | None:
    """The proof of the leaf at ``seq``; ``None`` while no quorum has cosigned a checkpoint beyond it."""
    cosigned = _row(
        connection,
        "SELECT size, note, quorum_at, token FROM log_cosigned WHERE log = ? AND size > ? ORDER BY size LIMIT 1",
        (log.number, seq),
    )
    if cosigned is None:
        return None
    return make_proof(log.nodes(connection, log.head_in(connection)), seq, cosigned)


def newest(log: AnyLog, connection: Connection) -> Cosigned | None:
    """The newest cosigned checkpoint of ``log``."""
    return _row(
        connection,
        "SELECT size, note, quorum_at, token FROM log_cosigned WHERE log = ? ORDER BY size DESC LIMIT 1",
        (log.number,),
    )


def freeze(tx: Transaction, log: AnyLog, cosigned: Cosigned) -> None:
    """Keep a checkpoint that met its quorum. If the size already has one, that one stays: proofs stand under it."""
    driver(tx.connection).execute(
        "INSERT INTO log_cosigned (log, size, note, quorum_at, token) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (log.number, cosigned.size, zlib.compress(cosigned.note.encode(), 1), cosigned.quorum_at, cosigned.token),
    )


def add_late(tx: Transaction, log: AnyLog, size: int, key_id: bytes, line: str) -> None:
    """Keep a cosignature line that came after its note was frozen; nothing where ``size`` has no frozen note."""
    driver(tx.connection).execute(
        "INSERT INTO log_late (log, size, key_id, line) SELECT log, size, ?, ? FROM log_cosigned "
        "WHERE log = ? AND size = ? ON CONFLICT DO NOTHING",
        (key_id.hex(), line, log.number, size),
    )


def inflate(note: bytes) -> str:
    """The text of a kept note. ``ValueError`` if it is damaged or longer than any note."""
    unpacker = zlib.decompressobj()
    try:
        data = unpacker.decompress(note, NOTE_LIMIT)
    except zlib.error:
        raise ValueError("a kept note is damaged") from None
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError("a kept note is damaged")
    return data.decode()


def _row(connection: Connection, query: str, values: tuple[int, ...]) -> Cosigned | None:
    row = driver(connection).execute(query, values).fetchone()
    if row is None:
        return None
    size, note, quorum_at, token = row
    return Cosigned(int(size), inflate(bytes(note)), int(quorum_at), None if token is None else bytes(token))
