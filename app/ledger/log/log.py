"""A Merkle log: numbers leaves for the writer, grows the tree, signs a checkpoint with every commit.

Only the writer's thread changes it. Readers on any thread see ``snapshot()``, an immutable state that changes only
after the fsync. Proofs are made from that state and from full tiles in the store, never from the live tree."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import Connection

from app.ledger.c2sp.note import NoteError, Verifier, checkpoint_text, parse_checkpoint, parse_note
from app.ledger.log.keys import LedgerBroken, LogKeyRow, LogRing, Pair, add_row
from app.ledger.tables import tile_id
from app.ledger.tree.leaf import leaf_hash
from app.ledger.tree.tree import (
    HASH,
    WIDTH,
    Node,
    Tree,
    consistency_path,
    fold,
    inclusion_path,
    levels_of,
    root_at,
    tile_nodes,
)
from app.store.engine import driver

__all__ = ["AnyLog", "CommittedHead", "LedgerBroken", "Log"]

RowT = TypeVar("RowT", bound=tuple[Any, ...])
"""A kept leaf; its first member is the header."""


ReadRing = Callable[[sqlite3.Connection | None], LogRing]
"""Reads a log's keys from its store; without a store, the keys of a new site."""


@dataclass(frozen=True)
class CommittedHead:
    """One committed state of the log. ``note`` is the signed checkpoint, ``open_tiles`` its partial tiles."""

    size: int
    root: bytes
    note: str
    open_tiles: tuple[bytes, ...]


class Log(ABC, Generic[RowT]):
    """What the audit log and the seal log share. A subclass knows its rows."""

    number: int
    """In ``log_tile`` and ``log_head``."""
    title: str
    """For people: ``audit log``."""
    rows: str
    """Its table, with ``seq``, ``ts`` and ``header``."""

    def __init__(self, origin: str, keys: Ed25519PrivateKey | ReadRing) -> None:
        """``origin`` is the permanent name of log and keys (``Site.origin``). ``keys``: one key, for a log that is
        never witnessed, or the function that reads the log's keys."""
        self._origin = origin
        if isinstance(keys, Ed25519PrivateKey):
            alone = LogRing.alone(origin, keys)
            self._read_ring: ReadRing = lambda _connection: alone
        else:
            self._read_ring = keys
        self._ring = self._read_ring(None)
        self._rekeyed: tuple[LogKeyRow, Pair] | None = None
        self._next_ring: LogRing | None = None
        self._tree = Tree()
        self._undo: tuple[int, list[bytes], tuple[bytes, ...]] | None = None
        self._kept: list[RowT] = []
        self._next: CommittedHead | None = None
        self._head = self._sign(self._tree, self._ring)
        self.on_grown: Callable[[], None] | None = None
        """Called on the writer's thread when readers can see new leaves. It must be quick and must not raise."""

    # -- readers, any thread

    @property
    def origin(self) -> str:
        """Origin line and key name."""
        return self._origin

    @property
    def ring(self) -> LogRing:
        """The log's keys."""
        return self._ring

    @property
    def verifier(self) -> Verifier:
        """The log's newest public key; its ``vkey`` is what others pin."""
        return self._ring.newest.signer.verifier

    def snapshot(self) -> CommittedHead:
        """The newest durable state."""
        return self._head

    def head(self) -> tuple[int, bytes]:
        """Size and root of the newest durable state."""
        head = self._head
        return head.size, head.root

    def checkpoint(self) -> str:
        """The signed checkpoint of the newest durable state."""
        return self._head.note

    def checkpoint_at(self, connection: Connection, size: int) -> str:
        """The checkpoint of an earlier size, signed by the keys of now; if they are still the keys of then, it is the
        same note to the byte.

        Only for sizes that a commit really had, or the log would sign a head that it never published: callers take
        ``size`` from one of our cursors.
        """
        head = self._head
        if size == head.size:
            return head.note
        root = root_at(self.nodes(connection, head), size)
        return self._ring.note(checkpoint_text(self._origin, size, root))

    def inclusion_proof(self, connection: Connection, seq: int, size: int | None = None) -> list[bytes]:
        """RFC 6962 audit path of leaf ``seq``, from leaf to root, in the tree of ``size`` (``None``: the newest).

        ``ValueError`` if there is no such leaf or the log has not that size yet.
        """
        head, size = self._head_for(connection, size)
        return inclusion_path(self.nodes(connection, head), seq, size)

    def consistency_proof(self, connection: Connection, old: int, size: int | None = None) -> list[bytes]:
        """RFC 6962 proof that the tree of ``size`` (``None``: the newest) continues the tree of ``old``.

        ``ValueError`` if the log has not that size yet.
        """
        head, size = self._head_for(connection, size)
        return consistency_path(self.nodes(connection, head), old, size)

    def _head_for(self, connection: Connection, size: int | None) -> tuple[CommittedHead, int]:
        head = self.head_in(connection)
        size = head.size if size is None else size
        if size > head.size:
            raise ValueError("the log has not grown to that size")
        return head, size

    def head_in(self, connection: Connection) -> CommittedHead:
        """The newest state whose full tiles are all in the snapshot of ``connection``: later commits may have filled
        more. It covers every cosigned checkpoint of that snapshot."""
        head = self._head
        cursor = driver(connection).cursor()
        row = cursor.execute("SELECT size FROM log_head WHERE log = ?", (self.number,)).fetchone()
        size = 0 if row is None else int(row[0])
        if head.size // WIDTH <= size // WIDTH:
            return head
        return self._sign(self._rebuild(cursor, size), self._ring)

    def nodes(self, connection: Connection, head: CommittedHead) -> Node:
        """Complete nodes of the tree of ``head``, from full tiles and its own open ones, each read and folded once. The
        snapshot of ``connection`` must be no older than ``head`` (``head_in``)."""
        cursor = driver(connection).cursor()
        return tile_nodes(lambda level, index: self._read_tile(cursor, level, index), head.size, head.open_tiles)

    def tile(self, connection: Connection, level: int, index: int) -> bytes:
        """The hashes of a tile (C2SP tlog-tiles), as far as the newest durable state has them; empty beyond that."""
        head = self._head
        if index < head.size >> (8 * level + 8):
            return self._read_tile(driver(connection).cursor(), level, index)
        if level < len(head.open_tiles) and index == head.size >> (8 * level + 8):
            return head.open_tiles[level]
        return b""

    def headers(self, connection: Connection, first: int, count: int) -> list[bytes]:
        """The headers of leaves ``[first, first + count)``, as far as the newest durable state has them."""
        end = min(first + count, self._head.size)
        if first >= end:
            return []
        found = driver(connection).execute(
            f"SELECT header FROM {self.rows} WHERE seq >= ? AND seq < ? ORDER BY seq", (first, end)
        )
        return [bytes(row[0]) for row in found]

    # -- the writer's thread

    def load(self, connection: Connection) -> int:
        """Rebuild the tree from tiles and headers, and compare it with what the stored head signed
        (``LogAppender``)."""
        cursor = driver(connection).cursor()
        stored = cursor.execute("SELECT size, root, note FROM log_head WHERE log = ?", (self.number,)).fetchone()
        last = cursor.execute(f"SELECT seq, ts FROM {self.rows} ORDER BY seq DESC LIMIT 1").fetchone()
        if stored is None:
            if last is not None:
                raise LedgerBroken(f"The {self.title} has entries but no signed head. Restore the store from a backup.")
            tree = Tree()
        else:
            size = int(stored[0])
            if last is None or last[0] != size - 1:
                raise LedgerBroken(
                    f"The {self.title}'s head says {size} entries, its rows say otherwise. Restore a backup."
                )
            tree = self._rebuild(cursor, size)
        self._tree = tree
        self._undo = None
        self._kept.clear()
        self._rekeyed = self._next_ring = None
        self._ring = self._read_ring(cursor.connection)
        head = self._sign(tree, self._ring)
        if stored is not None:
            self._check(stored[2], bytes(stored[1]), head)
        self._head = head
        return 0 if last is None else int(last[1])

    def _in_tree(self, cursor: sqlite3.Cursor, header: bytes) -> bool:
        """Whether the newest leaf of the loaded tree has this header."""
        size = self._tree.size
        tile = self._head.open_tiles[0] if size % WIDTH else self._read_tile(cursor, 0, size // WIDTH - 1)
        return leaf_hash(header) == tile[-HASH:]

    def _rebuild(self, cursor: sqlite3.Cursor, size: int) -> Tree:
        """The tree of ``size`` leaves from the stored tiles and the last headers; ``LedgerBroken`` where some are
        gone."""
        tiles = []
        for level in range(levels_of(size)):
            done = size >> (8 * level)
            first = done & ~0xFF
            if level == 0:
                found = cursor.execute(
                    f"SELECT header FROM {self.rows} WHERE seq >= ? AND seq < ? ORDER BY seq", (first, size)
                )
                tiles.append(b"".join([leaf_hash(bytes(row[0])) for row in found]))
            else:
                tiles.append(b"".join([fold(self._read_tile(cursor, level - 1, at)) for at in range(first, done)]))
        try:
            return Tree.rebuild(size, tiles)
        except ValueError:
            raise LedgerBroken(f"The {self.title} has gaps in its rows. Restore the store from a backup.") from None

    def _check(self, stored_note: bytes, stored_root: bytes, head: CommittedHead) -> None:
        """``LedgerBroken`` unless the stored head is that of the rebuilt tree, signed by the log's keys."""
        if stored_root != head.root:
            raise LedgerBroken(
                f"The {self.title}'s rows do not give the root that its head signed: entries were changed. "
                "Keep this store as evidence and restore a backup."
            )
        try:
            note = parse_note(bytes(stored_note))
            self.verifier.verify(note)
            self._ring.judge_head(self._origin, [(line.name, line.key_id) for line in note.signatures])
            checkpoint = parse_checkpoint(note.text)
        except NoteError as error:
            raise LedgerBroken(
                f"The {self.title}'s head is not signed by this site's key ({error}). "
                "The store belongs to another site, or it was changed."
            ) from error
        if (checkpoint.origin, checkpoint.size, checkpoint.root) != (self._origin, head.size, head.root):
            raise LedgerBroken(
                f"The {self.title}'s signed head is of another log or size. Restore the store from a backup."
            )

    @property
    def _next_seq(self) -> int:
        return self._tree.size + len(self._kept)

    def mark(self) -> tuple[int, ...]:
        """How many leaves are kept (``LogAppender``)."""
        return (len(self._kept),)

    def take_back(self, mark: tuple[int, ...]) -> None:
        """Forget the leaves since ``mark`` (``LogAppender``)."""
        del self._kept[mark[0] :]
        if self._rekeyed is not None and self._rekeyed[0].seq >= self._next_seq:
            self._rekeyed = None

    def rekey(self, connection: Connection, row: LogKeyRow, pair: Pair) -> None:
        """Replace the keys, inside the job that appended the leaf ``row.seq``: ``pair`` signs from its commit on."""
        add_row(driver(connection), self.number, row)
        self._rekeyed = row, pair

    def write(self, connection: Connection) -> None:
        """Rows, search text, full tiles and the signed head, into the open transaction."""
        kept = self._kept
        if not kept:
            return
        cursor = driver(connection).cursor()
        tree = self._tree
        self._undo = tree.mark()
        for row in kept:
            tree.append(leaf_hash(row[0]))
        self._insert(cursor, kept)
        full = tree.take_full()
        if full:
            cursor.executemany(
                "INSERT INTO log_tile (id, h) VALUES (?, ?)",
                [(tile_id(self.number, level, index), hashes) for level, index, hashes in full],
            )
        if self._rekeyed is not None:
            replaced, pair = self._rekeyed
            self._next_ring = self._ring.followed_by(pair, replaced)
        head = self._next = self._sign(tree, self._next_ring or self._ring)
        cursor.execute(
            "INSERT INTO log_head (log, size, root, note) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (log) DO UPDATE SET size = excluded.size, root = excluded.root, note = excluded.note",
            (self.number, head.size, head.root, head.note.encode()),
        )

    @abstractmethod
    def _insert(self, cursor: sqlite3.Cursor, kept: list[RowT]) -> None:
        """Write the rows of the kept leaves, in order."""

    def publish(self) -> None:
        """Publish the new head (``LogAppender``)."""
        grown = self._next is not None
        if self._next is not None:
            self._head = self._next
        if self._next_ring is not None:
            self._ring = self._next_ring
        self._next = self._next_ring = self._rekeyed = None
        self._undo = None
        self._kept.clear()
        if grown and self.on_grown is not None:
            self.on_grown()

    def roll_back(self) -> None:
        """Go back to the last published state (``LogAppender``)."""
        if self._undo is not None:
            self._tree.restore(self._undo)
        self._undo = None
        self._next = self._next_ring = self._rekeyed = None
        self._kept.clear()

    def _sign(self, tree: Tree, ring: LogRing) -> CommittedHead:
        root = tree.root()
        note = ring.note(checkpoint_text(self._origin, tree.size, root))
        return CommittedHead(tree.size, root, note, tree.open_tiles())

    def _read_tile(self, cursor: sqlite3.Cursor, level: int, index: int) -> bytes:
        row = cursor.execute("SELECT h FROM log_tile WHERE id = ?", (tile_id(self.number, level, index),)).fetchone()
        if row is None or len(row[0]) != HASH * WIDTH:
            raise LedgerBroken(f"Tile {level}/{index} of the {self.title} is missing. Restore the store from a backup.")
        return bytes(row[0])


AnyLog = Log[Any]
