"""A witness for other sites' logs: it cosigns a checkpoint only if that continues the last one it saw (C2SP
tlog-witness).

It keeps one checkpoint of each log. Comparing with it and replacing it are one transaction, durable before anything is
signed: a witness that signed first could be made to sign two trees by a crash.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.ledger.c2sp.cosignature import Cosigner, CosignerKey
from app.ledger.c2sp.note import NOTE_LIMIT, Note, NoteError, Verifier, parse_checkpoint, parse_note
from app.ledger.tree.tree import EMPTY, HASH, verify_consistency

BODY_LIMIT: Final = NOTE_LIMIT
"""Bytes of the longest request."""
SIZE_TYPE: Final = "text/x.tlog.size"
TEXT_TYPE: Final = "text/plain; charset=utf-8"
_LONGEST_PATH: Final = 63
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS seen (
    origin TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    root BLOB NOT NULL,
    note BLOB NOT NULL
) STRICT
"""

LogKey = Verifier | CosignerKey


@dataclass(frozen=True)
class WitnessReply:
    """The reply: an HTTP status, a text and its media type."""

    status: int
    body: str
    media_type: str = TEXT_TYPE


@dataclass(frozen=True)
class _Request:
    old: int
    path: tuple[bytes, ...]
    note: Note


class Witness:
    """One witness with its state. Safe on any thread; only one call at a time changes the state."""

    def __init__(
        self,
        path: Path,
        cosigners: Sequence[Cosigner],
        logs: Sequence[LogKey],
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``path``: the file of its state. ``logs``: the keys it trusts; a key's name is its log's origin. Raises
        ``sqlite3.Error`` when the file cannot be used."""
        self._cosigners = cosigners
        self._logs: dict[str, list[LogKey]] = {}
        for key in logs:
            self._logs.setdefault(key.name, []).append(key)
        self._origins = {hashlib.sha256(origin.encode()).hexdigest(): origin for origin in self._logs}
        self._clock = clock
        self._lock = threading.Lock()
        self._file = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=2.0)
        try:
            # Locked for its whole life: two witnesses over one state could each sign what the other has not seen.
            self._file.execute("PRAGMA locking_mode=EXCLUSIVE")
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=FULL")
            self._file.execute("BEGIN EXCLUSIVE")
            self._file.execute(_TABLE)
            self._file.execute("COMMIT")
        except sqlite3.Error:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()

    def add_checkpoint(self, body: bytes) -> WitnessReply:
        """``POST add-checkpoint``, judged in the order of the standard. Raises ``sqlite3.Error`` if the state cannot be
        kept; then nothing was signed."""
        if len(body) > BODY_LIMIT:
            return WitnessReply(413, "the request is longer than any checkpoint\n")
        try:
            request = _parse(body)
            checkpoint = parse_checkpoint(request.note.text)
        except NoteError as error:
            return WitnessReply(400, f"{error}\n")
        keys = self._logs.get(checkpoint.origin)
        if keys is None:
            return WitnessReply(404, "this witness does not know the log\n")
        signer = next((key for key in keys if _has_signed(key, request.note)), None)
        if signer is None:
            return WitnessReply(403, "no key that this witness trusts has signed the checkpoint\n")
        if request.old > checkpoint.size:
            return WitnessReply(400, "the old size is beyond the checkpoint's\n")
        with self._lock:
            with closing(self._file.cursor()) as cursor:
                cursor.execute("BEGIN IMMEDIATE")
                try:
                    row = cursor.execute(
                        "SELECT size, root FROM seen WHERE origin = ?", (checkpoint.origin,)
                    ).fetchone()
                    size, root = (0, EMPTY) if row is None else (int(row[0]), bytes(row[1]))
                    if request.old != size:
                        return WitnessReply(409, f"{size}\n", SIZE_TYPE)
                    if size == checkpoint.size and root != checkpoint.root and not request.path:
                        return WitnessReply(409, "the root of that size is another: the log has forked\n")
                    if not verify_consistency(size, checkpoint.size, request.path, root, checkpoint.root):
                        return WitnessReply(422, "the tree does not continue what this witness saw\n")
                    cursor.execute(
                        "INSERT INTO seen (origin, size, root, note) VALUES (?, ?, ?, ?) ON CONFLICT (origin) "
                        "DO UPDATE SET size = excluded.size, root = excluded.root, note = excluded.note",
                        (checkpoint.origin, checkpoint.size, checkpoint.root, _own_lines(request.note, signer)),
                    )
                    cursor.execute("COMMIT")
                finally:
                    if self._file.in_transaction:
                        cursor.execute("ROLLBACK")
            return WitnessReply(200, self._sign(request.note.text))

    def checkpoint(self, origin_hash: str) -> WitnessReply:
        """``GET <hexadecimal SHA-256(origin)>/checkpoint``: the last cosigned checkpoint, with a new cosignature."""
        origin = self._origins.get(origin_hash)
        with self._lock:
            row = self._file.execute("SELECT note FROM seen WHERE origin = ?", (origin or "",)).fetchone()
            if row is None:
                return WitnessReply(404, "this witness has seen no checkpoint of that log\n")
            note = bytes(row[0]).decode()
            # Under the lock: a cosignature says that the witness has seen nothing larger up to its time.
            return WitnessReply(200, note + self._sign(parse_note(note.encode()).text))

    def _sign(self, text: str) -> str:
        now = int(self._clock())
        return "".join([cosigner.line(text, now) for cosigner in self._cosigners])


def _parse(body: bytes) -> _Request:
    head, empty, note = body.partition(b"\n\n")
    try:
        lines = head.decode("ascii").split("\n")
    except UnicodeDecodeError:
        raise NoteError("the request's head is not ASCII") from None
    digits = lines.pop(0).removeprefix("old ") if lines[0].startswith("old ") else ""
    if not empty or not digits.isdecimal() or len(digits) > 19 or (digits[0] == "0" and digits != "0"):
        raise NoteError("the request has no old size")
    if len(lines) > _LONGEST_PATH:
        raise NoteError("the consistency proof is too long")
    return _Request(int(digits), tuple(map(_hash, lines)), parse_note(note))


def _hash(line: str) -> bytes:
    try:
        raw = base64.b64decode(line, validate=True)
    except (binascii.Error, ValueError):
        raise NoteError("a line of the consistency proof is not base64") from None
    if len(raw) != HASH or base64.b64encode(raw).decode() != line:
        raise NoteError("a line of the consistency proof is no hash")
    return raw


def _has_signed(key: LogKey, note: Note) -> bool:
    try:
        if isinstance(key, Verifier):
            key.verify(note)
        else:
            key.time_of(note)
    except NoteError:
        return False
    return True


def _own_lines(note: Note, key: LogKey) -> bytes:
    """The note with only the lines of the verified key: anybody may add others, even under the log's name."""
    lines = [line.text for line in note.signatures if (line.name, line.key_id) == (key.name, key.key_id)]
    return f"{note.text}\n{''.join(lines)}".encode()
