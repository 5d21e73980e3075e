"""The search index over the audit entries: its words, and the proof that it holds those of the entries and no others.

The index is contentless, so it cannot be read entry by entry. It can be read term by term (``fts5vocab``), and so it
is compared whole: a sum over all its terms, each with its entry and its place in it, is independent of their order.
"""

from __future__ import annotations

import itertools
import operator
import re
import secrets
import sqlite3
from collections.abc import Sequence
from typing import Final

from app.ledger.leaf import Payload, search_words

TABLE: Final = "audit_text"
OPTIONS: Final = "words, content='', columnsize=0, tokenize='unicode61 remove_diacritics 2'"
"""Of the index (``tables.py``): what its tokens are."""
_ASCII_WORDS: Final = re.compile("[a-z0-9]+").findall
_TOKEN_LIMIT: Final = 32_768
"""Bytes of a token, beyond which FTS5 cuts it."""
_P: Final = 2_147_483_629
_Q: Final = 2_147_483_587
_M: Final = 2_147_483_647
_STRIDE: Final = 65_536
"""More than the places of one entry's words."""
_MASK: Final = 2**128 - 1


def entry_words(action: str, actor: str, payload: Payload) -> str:
    """The text that the index holds of an entry, as ``leaf.words_of`` made it."""
    return search_words(action, actor, payload.node_id, payload.unit_id, payload.request_id, payload.detail)


class Fingerprint:
    """What the index must hold, summed entry by entry; then compared with what it holds.

    The sum is keyed by numbers drawn for this one run, so that no edit can be made to fit it.
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
        if not words.isascii() or len(words) > _TOKEN_LIMIT:
            # Letters beyond ASCII are folded by FTS5's own tables: they go through an index of the same kind.
            self._other.execute(f"INSERT INTO {TABLE} (rowid, words) VALUES (?, ?)", (seq, words))
            self._others += 1
            if self._others == 4_096:
                self._take_others()
            return
        tokens = _ASCII_WORDS(words.lower())
        self._sum += sum(map(operator.mul, map(hash, tokens), itertools.count(self._weight(seq))))

    def matches(self, connection: sqlite3.Connection) -> bool:
        """Whether the index of ``connection`` holds just what was added. ``sqlite3.DatabaseError`` if it is damaged."""
        self._take_others()
        return (self._sum - self._read(connection)) & _MASK == 0

    def _take_others(self) -> None:
        self._sum += self._read(self._other)
        self._other.execute(f"INSERT INTO {TABLE} ({TABLE}) VALUES ('delete-all')")
        self._others = 0

    def _weight(self, seq: int) -> int:
        # Two moduli: no sum over places is an equation that an edit of several entries could solve.
        return (seq % _P * self._k % _P) * (seq % _Q * self._l % _Q) % _M * _STRIDE

    def _read(self, connection: sqlite3.Connection) -> int:
        connection.execute(f"CREATE VIRTUAL TABLE temp.found USING fts5vocab(main, {TABLE}, instance)")
        try:
            rows = connection.execute(
                "SELECT term, sum(((doc % :p) * :k % :p) * ((doc % :q) * :l % :q) % :m), sum(offset) "
                "FROM temp.found GROUP BY term",
                {"p": _P, "q": _Q, "m": _M, "k": self._k, "l": self._l},
            )
            return sum(hash(term) * (weight * _STRIDE + places) for term, weight, places in rows)
        finally:
            connection.execute("DROP TABLE temp.found")


def finds(connection: sqlite3.Connection, seq: int, words: str) -> bool:
    """Whether a search for all of ``words`` finds the entry: the way down to the terms, which their sum says nothing
    of."""
    phrases: Sequence[str] = words.replace("\0", " ").split()
    query = " ".join(['"' + phrase.replace('"', '""') + '"' for phrase in dict.fromkeys(phrases)])
    row = connection.execute(f"SELECT 1 FROM {TABLE} WHERE {TABLE} MATCH ? AND rowid = ?", (query, seq)).fetchone()
    return row is not None
