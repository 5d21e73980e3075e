"""What audit leaves say of cards, as the store has them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec


def read_details(
    connection: sqlite3.Connection, actions: Sequence[str]
) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """Number, action and detail of the leaves with one of these actions, in order."""
    marks = ", ".join("?" * len(actions))
    rows = connection.execute(
        "SELECT e.seq, w.text, e.payload FROM audit_entry AS e JOIN log_word AS w ON w.id = e.action "
        f"WHERE w.text IN ({marks}) ORDER BY e.seq",
        actions,
    )
    for seq, action, payload in rows:
        if payload is None:
            continue
        try:
            detail = msgspec.json.decode(payload, type=dict[str, Any]).get("detail")
        except msgspec.MsgspecError:
            continue
        if isinstance(detail, dict):
            yield seq, action, detail
