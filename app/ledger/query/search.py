"""The search index over the audit entries: its words, and the proof that it holds those of the entries and no others.

The index is contentless, so it cannot be read entry by entry. It can be read term by term (``fts5vocab``), and so it
is compared whole: a sum over all its terms, each with its entry and its place in it, is independent of their order.
"""

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
"""Of the index (``tables.py``): what its tokens are."""
TOKEN_BYTES: Final = bytes(ord(chr(byte).lower()) if byte < 128 and chr(byte).isalnum() else 32 for byte in range(256))
"""``translate`` by it and ``split``: the tokens of an ASCII text."""
TOKEN_LIMIT: Final = 32_768
"""Bytes of a token, beyond which FTS5 cuts it."""
# Primes below 2^30: up to there an integer of Python's has one digit, and a remainder costs a third.
_M: Final = 1_073_741_789
_P: Final = 1_073_741_783
_Q: Final = 1_073_741_741
_AT_ONCE: Final = 4_096
PLACES: Final = range(65_536)
"""Of the tokens of one entry: a payload has not more."""
_MASK: Final = 2**128 - 1


def entry_words(action: str, actor: str, payload: Payload) -> str:
    """The text that the index holds of an entry, as ``leaf.words_of`` made it."""
    return search_words(action, actor, payload.node_id, payload.unit_id, payload.request_id, payload.detail)


class TokenSum(NamedTuple):
    """A text's tokens: how many, the sum of their hashes, and that of each hash times its place in the text.

    Texts that follow each other in an entry have the sums of both: a later one is ``number`` places further on, which
    adds so many times its ``total``.
    """

    number: int
    total: int
    placed: int


def tokens_of(words: str) -> TokenSum | None:
    """``None`` for what only FTS5 itself can split: letters beyond ASCII, which it folds by its own tables, or a token
    that it may cut."""
    if not words.isascii() or len(words) > TOKEN_LIMIT:
        return None
    hashes = [*map(hash, words.encode().translate(TOKEN_BYTES).split())]
    return TokenSum(len(hashes), sum(hashes), sum(map(operator.mul, hashes, PLACES)))


class Fingerprint:
    """What the index must hold, summed entry by entry; then compared with what it holds.

    Each token of an entry counts its hash times the entry's weight and the token's place. The weights are of numbers
    drawn for this one run, so that no edit can be made to fit the sum.
    """

    def __init__(self) -> None:
        self._k, self._l = (secrets.randbelow(_Q - 2) + 1 for _ in range(2))
        self._sum = 0
        self._other = sqlite3.connect(":memory:", isolation_level=None)
        self._other.execute(f"CREATE VIRTUAL TABLE {TABLE} USING fts5({OPTIONS})")
        self._others = 0

    def close(self) -> None:
        """Give the memory back."""
        self._other.close()

    def add(self, seq: int, words: str) -> None:
        """An entry of ``words`` is in the log."""
        tokens = tokens_of(words)
        if tokens is None:
            # It goes through an index of the same kind.
            self._other.execute(f"INSERT INTO {TABLE} (rowid, words) VALUES (?, ?)", (seq, words))
            self._others += 1
            if self._others == 4_096:
                self._take_others()
            return
        (weight,) = self.weights(seq, 1)
        self._sum += weight * tokens.total + tokens.placed

    def add_sum(self, of_entries: int) -> None:
        """Entries are in the log whose tokens, by their ``weights``, sum up to ``of_entries``."""
        self._sum += of_entries

    def matches(self, connection: sqlite3.Connection) -> bool:
        """Whether the index of ``connection`` holds just what was added. ``sqlite3.DatabaseError`` if it is damaged."""
        self._take_others()
        return (self._sum - self._read(connection)) & _MASK == 0

    def _take_others(self) -> None:
        self._sum += self._read(self._other)
        self._other.execute(f"INSERT INTO {TABLE} ({TABLE}) VALUES ('delete-all')")
        self._others = 0

    def weights(self, first: int, count: int) -> Iterator[int]:
        """Of ``count`` entries from ``first`` on, as the statement in ``_read`` computes them."""
        # Two moduli: no sum over places is an equation that an edit of several entries could solve.
        of_p = map(operator.mod, itertools.count(first * self._k, self._k), itertools.repeat(_P))
        of_q = map(operator.mod, itertools.count(first * self._l, self._l), itertools.repeat(_Q))
        products = map(operator.mul, of_p, of_q)
        return map(operator.mod, products, itertools.repeat(_M, count))

    def _read(self, connection: sqlite3.Connection) -> int:
        connection.execute(f"CREATE VIRTUAL TABLE temp.found USING fts5vocab(main, {TABLE}, instance)")
        try:
            rows = connection.execute(
                # Numbers of entries below 2^32: beyond, SQLite's integers end.
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
    """Whether a search for all of ``words`` finds the entry: the way down to the terms, which their sum says nothing
    of."""
    phrases: Sequence[str] = words.replace("\0", " ").split()
    query = " ".join(['"' + phrase.replace('"', '""') + '"' for phrase in dict.fromkeys(phrases)])
    row = connection.execute(f"SELECT 1 FROM {TABLE} WHERE {TABLE} MATCH ? AND rowid = ?", (query, seq)).fetchone()
    return row is not None
