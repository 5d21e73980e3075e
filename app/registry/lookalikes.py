"""Ids that a person takes for one another: they differ in capitals alone, or in characters that look alike.

The alphabet of a node id is ASCII, so what looks alike there is few: O and 0; I, l and 1. Two nodes never have ids that
look alike, and an id that nobody has is offered with the nearest people.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from sqlalchemy import ColumnElement, Connection, bindparam, literal_column, select

from app.registry.crud import fold
from app.registry.tables import SKELETON, deny, node
from app.store.engine import Store

Field = Literal["node_id", "display_name", "employee_id"]

SUGGESTIONS: Final = 3
LOOK_S: Final = 0.5
"""How long the store is asked at most."""
_CANDIDATES: Final = 200
_BITS: Final = 12
_STEPS: Final = 20_000
_ALIKE: Final = str.maketrans("oil", "011")


# The very words of the index (``registry.tables``): else each look-up would read every row.
_SKELETON: ColumnElement[str] = literal_column(SKELETON)
_LIKE = _SKELETON.op("=")(bindparam("like"))
_IDS = tuple(
    select(column).where(_LIKE, column != bindparam("own")).limit(1) for column in (node.c.node_id, deny.c.node_id)
)


def skeleton(node_id: str) -> str:
    """Equal for ids that look alike: small letters, with one character for those that are taken for one another."""
    return node_id.lower().translate(_ALIKE)


def alike(connection: Connection, node_id: str) -> str | None:
    """An id that looks like this one and is another: of a node, or of a burn or containment that is in force."""
    for ids in _IDS:
        found = connection.scalar(ids, {"like": skeleton(node_id), "own": node_id})
        if found is not None:
            return str(found)
    return None


@dataclass(frozen=True)
class NearNode:
    """A registered node that somebody may have meant. ``matched``: by what; ``distance``: characters to be inserted,
    left out, replaced or exchanged with their neighbour; 0: only capitals, look-alikes or punctuation differ."""

    node_id: str
    display_name: str
    employee_id: str | None
    matched: Field
    distance: int


def nearest(store: Store, typed: str, seconds: float = LOOK_S) -> list[NearNode]:
    """At most ``SUGGESTIONS`` nodes whose id, name or employee number is near ``typed``, the nearest first. Any thread.
    The store is asked for ``seconds`` at most; what it has not found by then is not offered."""
    key = _key(typed)
    reach = max(2, len(key) // 4)
    near: list[NearNode] = []
    for row in _candidates(store, typed, seconds):
        fields: tuple[tuple[Field, str | None], ...] = (
            ("node_id", row[0]),
            ("employee_id", row[2]),
            ("display_name", row[1]),
        )
        distance, matched = min(
            ((distance_of(key, _key(text), reach), name) for name, text in fields if text),
            key=lambda found: found[0],
        )
        if distance <= reach:
            near.append(NearNode(row[0], row[1], row[2], matched, distance))
    return sorted(near, key=lambda one: (one.distance, one.node_id))[:SUGGESTIONS]


def _candidates(store: Store, typed: str, seconds: float) -> Sequence[tuple[str, str, str | None]]:
    """The nodes that look like what was typed, or share most pairs of neighbouring characters with it; fewer if that
    takes too long. Each statement walks one covering index, and takes no text of a caller but as a value."""
    pairs = _pairs(typed)
    shared = " + ".join(f"(instr(text, ?{number}) > 0)" for number in range(1, len(pairs) + 1))
    near = f"ORDER BY {shared} DESC LIMIT {_CANDIDATES}"
    employees = "SELECT rowid, lower(employee_id) AS text FROM node WHERE employee_id > ''"
    statements: list[tuple[str, Sequence[str]]] = [(f"SELECT rowid FROM node WHERE {SKELETON} = ?", [skeleton(typed)])]
    if pairs:
        statements += [
            (f"SELECT rowid FROM (SELECT rowid, search AS text FROM node) {near}", pairs),
            (f"SELECT rowid FROM ({employees}) {near}", pairs),
        ]
    end = time.monotonic() + seconds
    found: list[int] = []
    with store.snapshot() as raw:
        raw.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
        try:
            for statement, values in statements:
                found += [row[0] for row in raw.execute(statement, values)]
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                raise
        finally:
            raw.set_progress_handler(None, 0)
        places = ", ".join("?" * len(found))
        rows = f"SELECT node_id, display_name, employee_id FROM node WHERE rowid IN ({places})"
        return raw.execute(rows, found).fetchall()


def _pairs(typed: str) -> list[str]:
    """Pairs of neighbours among letters and digits, the last first: ids of one site begin alike."""
    text = fold(typed)
    pairs = (text[at : at + 2] for at in range(len(text) - 2, -1, -1))
    return list(dict.fromkeys(pair for pair in pairs if pair.isalnum()))[:_BITS]


def _key(text: str) -> str:
    """Letters and digits alone, those that look alike as one."""
    return "".join(filter(str.isalnum, fold(text))).translate(_ALIKE)


def distance_of(one: str, other: str, most: int) -> int:
    """Optimal string alignment distance (Damerau-Levenshtein with neighbours exchanged once), or ``most + 1`` where it
    is more than ``most``."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return min(last[-1], most + 1)
