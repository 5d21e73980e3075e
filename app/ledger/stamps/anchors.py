"""Time stamps of outside authorities over cosigned checkpoints, as the store keeps them (``ledger/README.md``, 8).

A token states that the log had this root at a time; the statement comes from somebody who does not know us. Together
with a consistency proof it renews every older seal: the stamped tree still holds what the older checkpoint promised.

Each token is named by a leaf of the audit log (``log.anchored``, in the same transaction). So a row that was removed,
inserted or changed is found, and nobody can invent an authority's silence afterwards.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
from sqlalchemy import Connection

from app.ledger.c2sp.note import parse_note
from app.ledger.cosigned import Cosigned, inflate
from app.ledger.log.log import AnyLog
from app.ledger.tables import AUDIT, SEAL
from app.ledger.tree.leaf import Payload
from app.store.engine import driver
from app.store.writer import Transaction

ANCHORED: Final = "log.anchored"
"""Action of the leaf."""
_ACTOR: Final = "service"
_NAMES: Final = {SEAL: "seal", AUDIT: "audit"}


class AnchorDetail(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The detail of the leaf ``log.anchored``. ``token``: hexadecimal SHA-256 of the token."""

    log: str
    size: int
    authority: str
    token: str

    @property
    def number(self) -> int | None:
        """The number of the log; ``None`` for a name of no log."""
        return next((number for number, name in _NAMES.items() if name == self.log), None)


@dataclass(frozen=True)
class Anchor:
    """``authority`` stamped ``text``, the checkpoint of ``size`` entries."""

    size: int
    authority: str
    text: str
    token: bytes


def add_anchor(tx: Transaction, log: AnyLog, size: int, authority: str, token: bytes) -> None:
    """Keep a verified token over the cosigned checkpoint of ``size``, with its leaf. A token that exists stays."""
    kept = driver(tx.connection).execute(
        "INSERT INTO log_anchor (log, size, authority, at_us, token) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (log.number, size, authority, tx.now_us, token),
    )
    if kept.rowcount:
        detail = AnchorDetail(_NAMES[log.number], size, authority, hashlib.sha256(token).hexdigest())
        tx.audit(ANCHORED, actor=_ACTOR, detail=msgspec.to_builtins(detail))


def read_detail(payload: bytes) -> AnchorDetail:
    """The detail of a leaf's payload; ``msgspec.MsgspecError`` if it names no token."""
    return msgspec.convert(msgspec.json.decode(payload, type=Payload).detail, AnchorDetail)


def owed_since(connection: Connection, log: AnyLog, newest: Cosigned, authority: str) -> int | None:
    """Since when (Unix seconds) the log has a cosigned checkpoint that ``authority`` should stamp. ``None`` if it need
    not stamp ``newest``: it already has, or only leaves about stamps were added since."""
    raw = driver(connection)
    (last,) = raw.execute(
        "SELECT ifnull(max(size), 0) FROM log_anchor WHERE log = ? AND authority = ?", (log.number, authority)
    ).fetchone()
    if newest.size <= last:
        return None
    if log.number == AUDIT and not _has_other_leaves(raw, last, newest.size):
        return None
    row = raw.execute(
        "SELECT quorum_at FROM log_cosigned WHERE log = ? AND size > ? ORDER BY size LIMIT 1", (log.number, last)
    ).fetchone()
    return None if row is None else int(row[0])


def _has_other_leaves(raw: sqlite3.Connection, first: int, beyond: int) -> bool:
    # Each stamp adds a leaf, and each leaf would ask for a stamp: without this a quiet log would grow for ever.
    row = raw.execute(
        "SELECT 1 FROM audit_entry WHERE seq >= ? AND seq < ? "
        "AND action <> ifnull((SELECT id FROM log_word WHERE text = ?), -1) LIMIT 1",
        (first, beyond, ANCHORED),
    ).fetchone()
    return row is not None


def anchors_of(connection: Connection, log: AnyLog, size: int) -> Sequence[Anchor]:
    """The first and the newest outside time stamp over a checkpoint of at least ``size`` entries; only one where both
    are over the same size. The first says how early the leaf was seen; the newest holds when the keys of the first are
    old."""
    newest = _anchor(connection, log, size, "DESC")
    if newest is None:
        return ()
    first = _anchor(connection, log, size, "ASC")
    return (newest,) if first is None or first.size == newest.size else (first, newest)


def _anchor(connection: Connection, log: AnyLog, size: int, order: str) -> Anchor | None:
    """The time stamp over the smallest (``ASC``) or largest (``DESC``) checkpoint of at least ``size`` entries."""
    row = (
        driver(connection)
        .execute(
            "SELECT a.size, a.authority, of.note, a.token FROM log_anchor AS a JOIN log_cosigned AS of "
            "ON of.log = a.log AND of.size = a.size WHERE a.log = ? AND a.size >= ? "
            f"ORDER BY a.size {order}, a.authority {order} LIMIT 1",
            (log.number, size),
        )
        .fetchone()
    )
    if row is None:
        return None
    return Anchor(row[0], row[1], parse_note(inflate(bytes(row[2])).encode()).text, bytes(row[3]))
