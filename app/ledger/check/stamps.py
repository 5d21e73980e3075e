"""Checks the time stamps of a store: each over its checkpoint, under its authority's roots, at its time (``fsck.py``).

Tokens of outside authorities are compared with the leaves that name them, in both directions: a token that was removed,
inserted, or moved to another authority or time is found, even if it verifies by itself.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from cryptography import x509

from app.ledger.c2sp.note import Note, NoteError, parse_note
from app.ledger.check.rows import LogFault
from app.ledger.cosigned import inflate
from app.ledger.stamps.anchors import ANCHORED, read_detail
from app.ledger.stamps.timestamp import APART_S, StampError, verify_token

_TABLE = "log_anchor"


class AnchorCheck:
    """Outside time stamps. ``roots`` by the authority's URL."""

    def __init__(self, connection: sqlite3.Connection, roots: Mapping[str, Sequence[x509.Certificate]]) -> None:
        self._connection = connection
        self._roots = roots

    def findings(self, log: int, first: int, last: int) -> Iterator[LogFault]:
        """What is wrong with the tokens over checkpoints of ``first`` to ``last`` entries of one log, each judged by
        itself."""
        rows = self._connection.execute(
            "SELECT a.size, a.authority, a.at_us, a.token, of.note, of.quorum_at FROM log_anchor AS a "
            "LEFT JOIN log_cosigned AS of ON of.log = a.log AND of.size = a.size "
            "WHERE a.log = ? AND a.size BETWEEN ? AND ? ORDER BY a.size",
            (log, first, last),
        )
        for size, authority, at_us, token, packed, quorum_at in rows:
            note = "no such checkpoint" if packed is None else frozen_note(packed)
            if isinstance(note, str):
                yield LogFault(_TABLE, "a time stamp of a checkpoint that is not there", size)
            elif authority not in self._roots:
                yield LogFault(
                    _TABLE, f"a time stamp of {authority}, which the settings do not name: name it and ask it not", size
                )
            else:
                # The row has the log's time, which stands still while the machine's clock is behind it.
                span = quorum_at, max(quorum_at, at_us / 1e6)
                yield from judge_token(_TABLE, note, size, token, self._roots[authority], span)

    def compare_with_leaves(self) -> Iterator[LogFault]:
        """Where the leaves about tokens and the kept tokens differ."""
        leaves = self._connection.execute(
            "SELECT seq, ts, payload FROM audit_entry WHERE action = (SELECT id FROM log_word WHERE text = ?) "
            "AND outcome = 0 ORDER BY seq",
            (ANCHORED,),
        )
        named = 0
        for seq, ts, payload in leaves:
            try:
                detail = read_detail(payload)
            except (msgspec.MsgspecError, TypeError):
                yield LogFault("audit_entry", "a leaf of a time stamp does not name one", seq)
                continue
            row = self._connection.execute(
                "SELECT at_us, token FROM log_anchor WHERE log = ? AND size = ? AND authority = ?",
                (detail.number, detail.size, detail.authority),
            ).fetchone()
            if row is None:
                yield LogFault(_TABLE, f"the time stamp of {detail.authority} that a leaf tells of is gone", seq)
                continue
            named += 1
            if row[0] != ts or hashlib.sha256(row[1]).hexdigest() != detail.token:
                yield LogFault(_TABLE, f"the time stamp of {detail.authority} is not the one that a leaf tells of", seq)
        (kept,) = self._connection.execute("SELECT count(*) FROM log_anchor WHERE log IN (0, 1)").fetchone()
        if kept > named:
            yield LogFault(_TABLE, f"{kept - named} time stamps that no leaf tells of")


def frozen_note(packed: bytes) -> Note | str:
    """A kept note, parsed; or a sentence that says what is wrong with it."""
    try:
        return parse_note(inflate(packed).encode())
    except (NoteError, ValueError) as error:
        return f"the note is damaged: {error}"


def judge_token(
    where: str,
    note: Note,
    size: int,
    token: bytes | None,
    roots: Sequence[x509.Certificate],
    span: tuple[float, float],
) -> Iterator[LogFault]:
    """What is wrong with the token over ``note``. ``span``: first and last Unix second of the time when it was made."""
    if token is None:
        yield LogFault(where, "the checkpoint has no time stamp", size)
        return
    try:
        at = verify_token(bytes(token), note.text.encode(), roots)
    except StampError as error:
        yield LogFault(where, f"the time stamp is wrong: {error}", size)
        return
    apart = max(span[0] - at.timestamp(), at.timestamp() - span[1])
    if apart > APART_S:
        yield LogFault(where, f"the time stamp is {apart:.0f} s from its time", size)
