"""The search index over the audit entries: its words, and the proof that it holds those of the entries and no others.

The index is contentless, so it cannot be read entry by entry. It can be read term by term (``fts5vocab``), so it is
compared as a whole: by a sum over all terms, each with its entry and its place in that entry. Such a sum does not
depend on the order of the terms."""

from __future__ import annotations

import itertools
import operator
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from app.ledger.tree.leaf import Payload, search_words

TABLE: Final = "audit_text"
OPTIONS: Final = "words, content='', columnsize=0, tokenize='unicode61 remove_diacritics 2'"
"""Options of the index (``tables.py``): they decide what its tokens are."""
TOKEN_BYTES: Final = bytes(ord(chr(byte).lower()) if byte < 128 and chr(byte).isalnum() else 32 for byte in range(256))
"""``translate`` with this table, then ``split``, gives the tokens of an ASCII text."""
TOKEN_LIMIT: Final = 32_768
"""FTS5 cuts a token beyond this many bytes."""
# Primes below 2^30: a Python integer up to there has one digit, and a remainder costs a third.
_M: Final = 1_073_741_789
_P: Final = 1_073_741_783
_Q: Final = 1_073_741_741
_AT_ONCE: Final = 4_096
PLACES: Final = range(65_536)
"""Places of the tokens of one entry: no payload has more."""
_MASK: Final = 2**128 - 1


def entry_words(action: str, actor: str, payload: Payload) -> str:
    """The text that the index holds of an entry, as ``leaf.words_of`` made it."""
    return search_words(action, actor, payload.node_id, payload.unit_id, payload.request_id, payload.detail)


class TokenSum(NamedTuple):
    """A text's tokens: their number, the sum of their hashes (``total``), and the sum of each hash times its place in
    the text (``placed``).

    Texts that follow each other in an entry can be added: the later one starts ``number`` places further on, which adds
    ``number`` times its ``total`` to ``placed``.
    """

    number: int
    total: int
    placed: int


def tokens_of(words: str) -> TokenSum | None:
    """The tokens of a text. ``None`` where only FTS5 itself can split it: letters beyond ASCII, which it folds by its
    own tables, or a token that it may cut."""
    if not words.isascii() or len(words) > TOKEN_LIMIT:
        return None
    hashes = [*map(hash, words.encode().translate(TOKEN_BYTES).split())]
    return TokenSum(len(hashes), sum(hashes), sum(map(operator.mul, hashes, PLACES)))


class Fingerprint:
    """Sums up entry by entry what the index must hold, then compares that with what it holds.

    Each token counts its hash times (the entry's weight plus the token's place). The weights come from numbers drawn
    for this one run, so that nobody can make an edit that fits the sum."""

    def __init__(self) -> None:
        self._k, self._l = (secrets.randbelow(_Q - 2) + 1 for _ in range(2))
        self._sum = 0
        self._other = sqlite3.connect(":memory:", isolation_level=None)
        self._other.execute(f"CREATE VIRTUAL TABLE {TABLE} USING fts5({OPTIONS})")
        self._others = 0

    def close(self) -> None:
        """Free the memory."""
        self._other.close()

    def add(self, seq: int, words: str) -> None:
        """Count an entry of the log with the text ``words``."""
        tokens = tokens_of(words)
        if tokens is None:
            # An index of the same kind splits it.
            self._other.execute(f"INSERT INTO {TABLE} (rowid, words) VALUES (?, ?)", (seq, words))
            self._others += 1
            if self._others == 4_096:
                self._take_others()
            return
        (weight,) = self.weights(seq, 1)
        self._sum += weight * tokens.total + tokens.placed

    def add_sum(self, of_entries: int) -> None:
        """Count entries of the log whose tokens, by their ``weights``, add up to ``of_entries``."""
        self._sum += of_entries

    def matches(self, connection: sqlite3.Connection) -> bool:
        """Whether the index of ``connection`` holds exactly what was counted. ``sqlite3.DatabaseError`` if it is
        damaged."""
        self._take_others()
        return (self._sum - self._read(connection)) & _MASK == 0

    def _take_others(self) -> None:
        self._sum += self._read(self._other)
        self._other.execute(f"INSERT INTO {TABLE} ({TABLE}) VALUES ('delete-all')")
        self._others = 0

    def weights(self, first: int, count: int) -> Iterator[int]:
        """The weights of ``count`` entries from ``first`` on, as the statement in ``_read`` computes them."""
        # Two moduli, so that the sums over places are no equation that an edit of several entries could solve.
        of_p = map(operator.mod, itertools.count(first * self._k, self._k), itertools.repeat(_P))
        of_q = map(operator.mod, itertools.count(first * self._l, self._l), itertools.repeat(_Q))
        products = map(operator.mul, of_p, of_q)
        return map(operator.mod, products, itertools.repeat(_M, count))

    def _read(self, connection: sqlite3.Connection) -> int:
        """The sum over all terms of an index."""
        connection.execute(f"CREATE VIRTUAL TABLE temp.found USING fts5vocab(main, {TABLE}, instance)")
        try:
            rows = connection.execute(
                # Numbers of entries stay below 2^32: beyond that, SQLite's integers overflow.
                "SELECT CAST(term AS BLOB), sum((doc * :k % :p) * (doc * :l % :q) % :m + offset) "
                "FROM temp.found GROUP BY term",
                {"p": _P, "q": _Q, "m": _M, "k": self._k, "l": self._l},
            )
            found = 0
            while some := rows.fetchmany(_AT_ONCE):
                terms, placed = zip(*some, strict=True)
                found += sum(map(operator.mul, map(hash, terms), placed))
            return found
        finally:
            connection.execute("DROP TABLE temp.found")


def finds(connection: sqlite3.Connection, seq: int, words: str) -> bool:
    """Whether a search for all of ``words`` finds the entry. This checks the way down to the terms, of which their sum
    says nothing."""
    phrases: Sequence[str] = words.replace("\0", " ").split()
    query = " ".join(['"' + phrase.replace('"', '""') + '"' for phrase in dict.fromkeys(phrases)])
    row = connection.execute(f"SELECT 1 FROM {TABLE} WHERE {TABLE} MATCH ? AND rowid = ?", (query, seq)).fetchone()
    return row is not None
