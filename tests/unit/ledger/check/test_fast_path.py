"""Entries that are proved sound by their bytes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from app.ledger.c2sp.note import Verifier
from app.ledger.check.fast_path import Row, SoundEntries
from app.ledger.check.rows import AuditRun, LogFault, LogIdentity, LogRun, Ranges
from app.ledger.erase import ERASED
from app.ledger.query.search import OPTIONS, TABLE, Fingerprint
from app.ledger.tables import AUDIT, OUTCOMES, SEAL
from app.ledger.tree.leaf import body_of, header_of, payload_of, words_of
from app.store.writer import ActOutcome, Leaf

FIRST = 512
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
PLAIN = st.from_regex(r"[A-Za-z0-9 ._-]{1,12}", fullmatch=True)
DETAILS = st.dictionaries(TEXT, TEXT | st.integers(-9, 9) | st.booleans() | st.lists(TEXT, max_size=3), max_size=3)


@st.composite
def leaves_of(draw: st.DrawFn) -> Leaf:
    """A leaf whose words are of one script or of several."""
    return Leaf(
        draw(st.sampled_from(["burn.started", "access.decided", ERASED])),
        draw(PLAIN | TEXT.filter(bool)),
        draw(st.sampled_from(ActOutcome)),
        draw(st.integers(1_000, 1_003)),
        draw(st.none() | st.integers(0, 9)),
        draw(st.none() | PLAIN | TEXT.filter(bool)),
        draw(st.none() | PLAIN),
        draw(st.none() | st.from_regex(r"req_[0-9a-f]{24}", fullmatch=True) | TEXT),
        draw(DETAILS),
    )


class Words:
    """Numbers of words, as the store gives them."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def number(self, text: str | None) -> int | None:
        """From 1 on."""
        if text is None:
            return None
        if text not in self._texts:
            self._texts.append(text)
        return self._texts.index(text) + 1

    def rows(self) -> list[tuple[int, str]]:
        """Every word with its number."""
        return list(enumerate(self._texts, 1))

    def text(self, number: int | None) -> str | None:
        """``None`` for what has none."""
        return self._texts[number - 1] if number and 0 < number <= len(self._texts) else None


def row_of(leaf: Leaf, seq: int, words: Words) -> Row:
    """The leaf's row."""
    salt, payload = bytes(16), payload_of(leaf)
    header = header_of(leaf, seq, body_of(salt, payload))
    action, actor, node, unit = map(words.number, (leaf.action, leaf.actor, leaf.node_id, leaf.unit_id))
    return seq, header, leaf.ts_us, action, OUTCOMES.index(leaf.outcome), actor, node, unit, salt, payload


@pytest.fixture(scope="module")
def index() -> Iterator[sqlite3.Connection]:
    """An empty search index."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute(f"CREATE VIRTUAL TABLE {TABLE} USING fts5({OPTIONS})")
    yield connection
    connection.close()


@given(leaves=st.lists(leaves_of(), min_size=1, max_size=8), missing=st.booleans())
@settings(max_examples=60)
def test_words_are_those_of_the_index(index: sqlite3.Connection, leaves: Sequence[Leaf], missing: bool) -> None:
    """What is counted of sound entries, with the doubtful ones' words, is what FTS5 made of the same texts."""
    words, search = Words(), Fingerprint()
    index.execute(f"INSERT INTO {TABLE} ({TABLE}) VALUES ('delete-all')")
    texts = {seq: words_of(leaf) for seq, leaf in enumerate(leaves, FIRST)}
    index.executemany(f"INSERT INTO {TABLE} (rowid, words) VALUES (?, ?)", texts.items())
    rows = [row_of(leaf, seq, words) for seq, leaf in enumerate(leaves, FIRST)]
    doubtful = [row[0] for row, _ in SoundEntries(words.text, search, alone=frozenset((ERASED,))).doubtful(rows)]
    assert {row[0] for row, leaf in zip(rows, leaves, strict=True) if leaf.action == ERASED} <= set(doubtful)
    for seq in doubtful:
        search.add(seq, texts[seq])
    if missing:
        index.execute(f"INSERT INTO {TABLE} ({TABLE}, rowid, words) VALUES ('delete', ?, ?)", (FIRST, texts[FIRST]))
    # Each entry has words: its action's.
    assert search.matches(index) is not missing
    search.close()


LEAF = Leaf(
    "burn.started", "key_1", ActOutcome.DENIED, 1_001, None, "ARC-1", None, "req_0a", {"reason": "lost", "at": 3}
)


def test_sound_entries_raise_no_doubt() -> None:
    """Entries as the log writes them are proved, with a request and without, one after the other."""
    words, search = Words(), Fingerprint()
    rows = [
        row_of(LEAF, FIRST, words),
        row_of(Leaf("a.b", "k", ActOutcome.FAILED, 1_001, 5, None, "u-1", None, {}), 513, words),
    ]
    assert list(SoundEntries(words.text, search, alone=frozenset()).doubtful(rows)) == []
    search.close()


COLUMNS = ("seq", "header", "ts", "action", "outcome", "actor", "node", "unit", "salt", "payload")
VALUES = {
    "header": [b"", "text", None],
    "ts": [1_002, 999, "1001", None],
    "action": [2, 99, None],
    "outcome": [0, 3, -1, "1"],
    "actor": [1, 99],
    "node": [1, 99, None],
    "unit": [1, 99],
    "salt": [bytes(15) + b"\1", None, ""],
    "payload": [b"{}", b"", None, "text"],
}


@pytest.mark.parametrize(("column", "value"), [(column, value) for column in VALUES for value in VALUES[column]])
def test_an_edited_column_is_doubted(column: str, value: object) -> None:
    """Whatever one column of an entry is changed to, also to another type; the ones beside it are not doubted, and each
    is judged by the time before it."""
    words, search = Words(), Fingerprint()
    rows = [row_of(LEAF, seq, words) for seq in range(FIRST, FIRST + 3)]
    edited = list(rows[1])
    edited[COLUMNS.index(column)] = value
    rows[1] = tuple(edited)
    sound = SoundEntries(words.text, search, alone=frozenset())
    sound.last_ts = 1_000
    doubted = [(row[0], before_ts) for row, before_ts in sound.doubtful(rows)]
    # A later time makes the next one too old.
    assert doubted == [(FIRST + 1, 1_001)] + ([(FIRST + 2, 1_002)] if value == 1_002 else [])
    search.close()


def test_a_node_without_its_word_is_doubted() -> None:
    """A number that names nothing is no missing node."""
    words, search = Words(), Fingerprint()
    row = row_of(Leaf("a.b", "k", ActOutcome.ACCEPTED, 1, None, None, None, None, {}), FIRST, words)
    edited = (*row[:6], 99, *row[7:])
    assert [found[0] for found in SoundEntries(words.text, search, alone=frozenset()).doubtful([edited])] == [edited]
    search.close()


def run_over(words: Words) -> AuditRun:
    """A check of an audit log whose store has these words alone; the search is looked up for no entry."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE log_word (id INTEGER PRIMARY KEY, text TEXT)")
    connection.executemany("INSERT INTO log_word VALUES (?, ?)", words.rows())
    key = Verifier("log", Ed25519PrivateKey.generate().public_key())
    erased = {AUDIT: Ranges(), SEAL: Ranges()}
    run = AuditRun(connection, AUDIT, LogIdentity("log", [key]), lambda *_: None, erased)
    run._every = 1 << 40
    run._last_ts = 1_000
    return run


def faults(run: AuditRun, found: Iterator[LogFault]) -> tuple[object, ...]:
    """All that a check learned from its entries: faults, hashes, erased entries, the sum of their words."""
    wrong = sorted((fault.seq or 0, fault.what) for fault in found)
    run._search._take_others()
    return wrong, list(filter(None, run._hashes)), list(run.empty), run._last_ts, run._search._sum % 2**128


edits = st.dictionaries(
    st.integers(0, 7),
    st.sampled_from([(column, value) for column in VALUES for value in VALUES[column]])
    | st.tuples(st.sampled_from(["header", "salt", "payload"]), st.integers(0, 4_000)),
    max_size=3,
)


@given(leaves=st.lists(leaves_of(), min_size=1, max_size=8), edited=edits)
@settings(max_examples=150)
def test_the_fast_path_finds_what_the_plain_one_finds(
    leaves: Sequence[Leaf], edited: dict[int, tuple[str, object]]
) -> None:
    """Entries as they were written, with columns replaced and bits turned: judged by bytes, or field by field."""
    words = Words()
    rows = [row_of(leaf, seq, words) for seq, leaf in enumerate(leaves, FIRST)]
    for index, (column, value) in edited.items():
        if index < len(rows):
            row = list(rows[index])
            at = COLUMNS.index(column)
            if isinstance(value, int) and column in ("header", "salt", "payload"):
                raw = bytearray(row[at])
                raw[value // 8 % len(raw)] ^= 1 << value % 8
                row[at] = bytes(raw)
            else:
                row[at] = value
            rows[index] = tuple(row)
    fast, plain = run_over(words), run_over(words)
    plain._search._k, plain._search._l = fast._search._k, fast._search._l
    assert faults(fast, fast._tile_rows(rows)) == faults(plain, LogRun._tile_rows(plain, rows))
    for run in (fast, plain):
        run._search.close()
        run._connection.close()
