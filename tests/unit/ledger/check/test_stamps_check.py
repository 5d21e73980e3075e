"""Time stamps of a store against their checkpoints, their authorities and the leaves that name them."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from app.ledger.c2sp.note import checkpoint_text, parse_note
from app.ledger.check.stamps import AnchorCheck, frozen_note, judge_token
from app.ledger.stamps.anchors import ANCHORED
from app.ledger.tables import AUDIT
from app.ledger.tree.leaf import canonical
from tests.unit.ledger.check.made_log import SIGNERS, Told, as_told
from tests.unit.ledger.stamps.test_timestamp import AUTHORITY, ROOT

URL: Final = "https://tsa.invalid"
AT: Final = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)
SECOND: Final = int(AT.timestamp())
TEXT: Final = checkpoint_text("log1", 200, bytes(32))
TOKEN: Final = AUTHORITY.token(TEXT.encode(), AT)
NOTE: Final = SIGNERS[AUDIT].sign(TEXT)


@pytest.fixture
def raw() -> Iterator[sqlite3.Connection]:
    """One checkpoint with one stamp, and the leaf that names it."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        made.executescript(
            "CREATE TABLE log_cosigned (log, size, note, quorum_at, token); "
            "CREATE TABLE log_anchor (log, size, authority, at_us, token); "
            "CREATE TABLE audit_entry (seq, ts, action, outcome, payload); CREATE TABLE log_word (id, text)"
        )
        note = zlib.compress(NOTE.encode())
        made.execute("INSERT INTO log_cosigned VALUES (1, 200, ?, ?, NULL)", (note, SECOND))
        made.execute("INSERT INTO log_anchor VALUES (1, 200, ?, ?, ?)", (URL, SECOND * 1_000_000, TOKEN))
        made.execute("INSERT INTO log_word VALUES (1, ?), (2, 'test.added')", (ANCHORED,))
        detail = {"log": "audit", "size": 200, "authority": URL, "token": hashlib.sha256(TOKEN).hexdigest()}
        payload = canonical({"detail": detail})
        made.execute("INSERT INTO audit_entry VALUES (7, ?, 1, 0, ?)", (SECOND * 1_000_000, payload))
        yield made


def judged(
    raw: sqlite3.Connection, *, known: bool = True, log: int = 1, sizes: tuple[int, int] = (1, 900)
) -> list[Told]:
    check = AnchorCheck(raw, {URL: [ROOT]} if known else {})
    return [as_told(fault) for fault in check.findings(log, *sizes)]


def compared(raw: sqlite3.Connection) -> list[Told]:
    return [as_told(fault) for fault in AnchorCheck(raw, {}).compare_with_leaves()]


def test_a_stamp_is_of_a_checkpoint_and_an_authority(raw: sqlite3.Connection) -> None:
    """Of a size and a log that are asked for; the checkpoint is there, and the settings name the authority."""
    assert judged(raw) == judged(raw, sizes=(200, 200)) == []
    named = f"a time stamp of {URL}, which the settings do not name: name it and ask it not"
    assert judged(raw, known=False) == [("log_anchor", named, 200)]
    for elsewhere in ({"sizes": (1, 199)}, {"sizes": (201, 900)}, {"log": 0}):
        assert judged(raw, known=False, **elsewhere) == []  # type: ignore[arg-type]
    gone: list[Told] = [("log_anchor", "a time stamp of a checkpoint that is not there", 200)]
    raw.execute("UPDATE log_cosigned SET note = x'00'")
    assert judged(raw) == gone
    raw.execute("DELETE FROM log_cosigned")
    assert judged(raw) == judged(raw, known=False) == gone


@pytest.mark.parametrize(
    ("quorum_at", "at", "apart"),
    [
        # Five minutes before the quorum, or after the stamp was asked for, are allowed.
        (300, 300, None),
        (301, 301, 301),
        (-5_000, -300, None),
        (-5_000, -301, 301),
        # The log's clock stood still: the later of both times counts.
        (-300, -5_000, None),
        (-301, -5_000, 301),
    ],
)
def test_a_stamp_is_of_its_time(raw: sqlite3.Connection, quorum_at: int, at: int, apart: int | None) -> None:
    """Within a span of seconds around the stamp's own time."""
    raw.execute("UPDATE log_cosigned SET quorum_at = ?", (SECOND + quorum_at,))
    raw.execute("UPDATE log_anchor SET at_us = ?", ((SECOND + at) * 1_000_000,))
    said = [] if apart is None else [("log_anchor", f"the time stamp is {apart} s from its time", 200)]
    assert judged(raw) == said


def test_a_token_is_judged() -> None:
    """None, a damaged one, and one over another text."""
    note = parse_note(NOTE.encode())
    span = SECOND, SECOND

    def said(token: bytes | None) -> list[Told]:
        return [as_told(fault) for fault in judge_token("x", note, 5, token, [ROOT], span)]

    assert said(TOKEN) == []
    assert said(None) == [("x", "the checkpoint has no time stamp", 5)]
    for token in (b"", TOKEN[:-1], AUTHORITY.token(b"other", AT)):
        ((where, what, size),) = said(token)
        assert (where, size) == ("x", 5)
        assert what.startswith("the time stamp is wrong: ")
    assert [fault.what[:24] for fault in judge_token("x", note, 5, TOKEN, [], span)] == ["the time stamp is wrong:"]


def test_a_frozen_note_is_read() -> None:
    """Or what is wrong with it is said."""
    assert frozen_note(zlib.compress(NOTE.encode())) == parse_note(NOTE.encode())
    assert frozen_note(b"x") == "the note is damaged: a kept note is damaged"
    assert frozen_note(zlib.compress(b"x")) == "the note is damaged: the note has no signatures"


def test_leaves_and_stamps_name_each_other(raw: sqlite3.Connection) -> None:
    """One that is gone, changed, moved in time or given to another; and those that no leaf tells of, by number."""
    assert compared(raw) == []
    other: Told = ("log_anchor", f"the time stamp of {URL} is not the one that a leaf tells of", 7)
    gone: Told = ("log_anchor", f"the time stamp of {URL} that a leaf tells of is gone", 7)
    untold: Told = ("log_anchor", "1 time stamps that no leaf tells of", None)
    raw.execute("UPDATE log_anchor SET at_us = at_us + 1")
    assert compared(raw) == [other]
    raw.execute("UPDATE log_anchor SET at_us = at_us - 1, token = x'00'")
    assert compared(raw) == [other]
    raw.execute("UPDATE log_anchor SET token = ?", (TOKEN,))
    for column, value, back in (("log", 0, 1), ("size", 201, 200), ("authority", "x", URL)):
        raw.execute(f"UPDATE log_anchor SET {column} = ?", (value,))
        assert compared(raw) == [gone, untold]
        raw.execute(f"UPDATE log_anchor SET {column} = ?", (back,))
    raw.execute("INSERT INTO log_anchor SELECT 0, size, authority, at_us, token FROM log_anchor")
    raw.execute("INSERT INTO log_anchor SELECT 9, size, authority, at_us, token FROM log_anchor WHERE log = 1")
    assert compared(raw) == [untold]
    raw.execute("DELETE FROM log_anchor WHERE log = 1")
    assert compared(raw) == [gone, untold]


def test_only_leaves_of_stamps_that_were_accepted_count(raw: sqlite3.Connection) -> None:
    """One that names no stamp is told, and those behind it count."""
    raw.execute("INSERT INTO audit_entry VALUES (3, 1, 1, 0, CAST('{}' AS BLOB)), (4, 1, 1, 0, NULL)")
    raw.execute("INSERT INTO audit_entry VALUES (5, 1, 1, 2, NULL), (6, 1, 2, 0, NULL)")
    assert compared(raw) == [("audit_entry", "a leaf of a time stamp does not name one", seq) for seq in (3, 4)]
