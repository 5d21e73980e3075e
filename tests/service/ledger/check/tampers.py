"""What somebody with the store's file can do to the logs, by name."""

from __future__ import annotations

import shutil
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path

AUDIT_TILE = 1 << 56

SQL: dict[str, str] = {
    "header edited": "UPDATE audit_entry SET header = CAST(replace(header, 'key_1', 'key_9') AS BLOB) WHERE seq = 50",
    "time edited": "UPDATE audit_entry SET ts = ts + 1 WHERE seq = 50",
    "action edited": "UPDATE audit_entry SET action = (SELECT action FROM audit_entry WHERE seq = 51) WHERE seq = 50",
    "outcome edited": "UPDATE audit_entry SET outcome = (outcome + 1) % 3 WHERE seq = 50",
    "actor edited": "UPDATE audit_entry SET actor = (SELECT actor FROM audit_entry WHERE seq = 51) WHERE seq = 50",
    "node edited": "UPDATE audit_entry SET node = (SELECT node FROM audit_entry WHERE seq = 51) WHERE seq = 50",
    "node taken away": "UPDATE audit_entry SET node = NULL WHERE seq = 50",
    "unit put in": "UPDATE audit_entry SET unit = 1 WHERE seq = 50",
    "payload edited": "UPDATE audit_entry SET payload = CAST(replace(payload, '50', '51') AS BLOB) WHERE seq = 50",
    "salt edited": "UPDATE audit_entry SET salt = zeroblob(16) WHERE seq = 50",
    "payload erased without its leaf": "UPDATE audit_entry SET salt = NULL, payload = NULL, node = NULL, unit = NULL "
    "WHERE seq = 50",
    "salt alone erased": "UPDATE audit_entry SET salt = NULL WHERE seq = 50",
    "entry deleted": "DELETE FROM audit_entry WHERE seq = 50",
    "first entry deleted": "DELETE FROM audit_entry WHERE seq = 0",
    "last entry deleted": "DELETE FROM audit_entry WHERE seq = 1039",
    "a tile of entries deleted": "DELETE FROM audit_entry WHERE seq BETWEEN 256 AND 511",
    "all entries deleted": "DELETE FROM audit_entry",
    "entry inserted at the end": "INSERT INTO audit_entry SELECT 1040, ts, action, outcome, actor, node, unit, header, "
    "salt, payload FROM audit_entry WHERE seq = 1039",
    "entry inserted far away": "INSERT INTO audit_entry SELECT 1 << 60, ts, action, outcome, actor, node, unit, "
    "header, "
    "salt, payload FROM audit_entry WHERE seq = 1039",
    "entry inserted before the first": "INSERT INTO audit_entry SELECT -1, ts, action, outcome, actor, node, unit, "
    "header, salt, payload FROM audit_entry WHERE seq = 0",
    "entry replaced by another": "UPDATE audit_entry SET (ts, action, outcome, actor, node, unit, header, salt, "
    "payload)"
    " = (SELECT ts, action, outcome, actor, node, unit, header, salt, payload FROM audit_entry WHERE seq = 60) "
    "WHERE seq = 50",
    "two entries swapped": "UPDATE audit_entry SET (ts, action, outcome, actor, node, unit, header, salt, payload) = "
    "(SELECT ts, action, outcome, actor, node, unit, header, salt, payload FROM audit_entry AS e "
    "WHERE e.seq = 111 - audit_entry.seq) WHERE seq IN (55, 56)",
    "entries reordered": "UPDATE audit_entry SET seq = -seq - 1 WHERE seq BETWEEN 40 AND 50; "
    "UPDATE audit_entry SET seq = 91 + seq WHERE seq < 0",
    "truncated": "DELETE FROM audit_entry WHERE seq >= 1000",
    "truncated with its head": "DELETE FROM audit_entry WHERE seq >= 1024; UPDATE log_head SET size = 1024 "
    "WHERE log = 1",
    "search text of an entry removed": "INSERT INTO audit_text (audit_text, rowid, words) VALUES ('delete', 54, "
    "'test.added4 key_5 NODE-10 req-54 1e+22 54 6.75 ΑΒΓ')",
    "search text added": "INSERT INTO audit_text (rowid, words) VALUES (54, 'innocent')",
    "search text of no entry": "INSERT INTO audit_text (rowid, words) VALUES (5400, 'innocent')",
    "search index emptied": "INSERT INTO audit_text (audit_text) VALUES ('delete-all')",
    "word edited": "UPDATE log_word SET text = 'key_9' WHERE text = 'key_1'",
    "words swapped": "UPDATE log_word SET text = 'x' WHERE text = 'key_1'; "
    "UPDATE log_word SET text = 'key_1' WHERE text = 'key_2'; UPDATE log_word SET text = 'key_2' WHERE text = 'x'",
    "word deleted": "DELETE FROM log_word WHERE text = 'NODE-3'",
    "word of nobody": "INSERT INTO log_word (text) VALUES ('NODE-99')",
    "seal edited": "UPDATE seal_entry SET header = CAST(replace(header, 'VERIFIED', 'CERTAIN_') AS BLOB) WHERE seq = 9",
    "seal's payload edited": "UPDATE seal_entry SET payload = CAST(replace(payload, '\"number\"', '\"numbex\"') "
    "AS BLOB) "
    "WHERE seq = 9",
    "seal's payload erased without its leaf": "UPDATE seal_entry SET salt = NULL, payload = NULL WHERE seq = 9",
    "seal's time edited": "UPDATE seal_entry SET ts = ts + 1 WHERE seq = 9",
    "seal deleted": "DELETE FROM seal_entry WHERE seq = 9",
    "seals swapped": "UPDATE seal_entry SET (ts, knot_id, header, salt, payload) = (SELECT ts, knot_id, header, salt, "
    "payload FROM seal_entry AS e WHERE e.seq = 25 - seal_entry.seq) WHERE seq IN (12, 13)",
    "seal given to another knot": "UPDATE seal_entry SET knot_id = (SELECT knot_id FROM seal_entry WHERE seq = 3) "
    "WHERE seq = 4",
    "seal of a knot that nobody began": "UPDATE seal_entry SET knot_id = 'KNOT-0000000000000000' WHERE seq = 8",
    "tile edited": f"UPDATE log_tile SET h = zeroblob(8192) WHERE id = {AUDIT_TILE + 1}",
    "tile deleted": f"DELETE FROM log_tile WHERE id = {AUDIT_TILE}",
    "tile cut": f"UPDATE log_tile SET h = substr(h, 1, 8160) WHERE id = {AUDIT_TILE}",
    "tiles swapped": f"UPDATE log_tile SET h = (SELECT h FROM log_tile AS t WHERE t.id = {2 * AUDIT_TILE + 1} - "
    f"log_tile.id) WHERE id IN ({AUDIT_TILE}, {AUDIT_TILE + 1})",
    "tile added": f"INSERT INTO log_tile (id, h) VALUES ({AUDIT_TILE + 9}, zeroblob(8192))",
    "tile of a level that is not begun": f"INSERT INTO log_tile (id, h) VALUES ({AUDIT_TILE + (5 << 48)}, "
    f"zeroblob(8192))",
    "tile of a third log": f"INSERT INTO log_tile (id, h) VALUES ({2 * AUDIT_TILE}, zeroblob(8192))",
    "head's root edited": "UPDATE log_head SET root = zeroblob(32) WHERE log = 1",
    "head's size edited": "UPDATE log_head SET size = size - 1 WHERE log = 1",
    "head's size enormous": "UPDATE log_head SET size = 1 << 62 WHERE log = 1",
    "head's size negative": "UPDATE log_head SET size = -5 WHERE log = 1",
    "head's note edited": "UPDATE log_head SET note = CAST(replace(note, '1040', '1041') AS BLOB) WHERE log = 1",
    "head's note damaged": "UPDATE log_head SET note = CAST('gone' AS BLOB) WHERE log = 1",
    "head deleted": "DELETE FROM log_head WHERE log = 1",
    "heads of the logs swapped": "UPDATE log_head SET log = 9 WHERE log = 0; UPDATE log_head SET log = 0 WHERE "
    "log = 1; "
    "UPDATE log_head SET log = 1 WHERE log = 9",
    "head of a third log": "INSERT INTO log_head SELECT 2, size, root, note FROM log_head WHERE log = 1",
    "token edited": "UPDATE log_cosigned SET token = CAST(substr(token, 1, 400) || x'00' || substr(token, 402) "
    "AS BLOB) "
    "WHERE log = 1 AND size = 700",
    "token of another checkpoint": "UPDATE log_cosigned SET token = (SELECT token FROM log_cosigned WHERE log = 1 "
    "AND size = 300) WHERE log = 1 AND size = 700",
    "quorum's time edited": "UPDATE log_cosigned SET quorum_at = quorum_at - 3600 WHERE log = 1 AND size = 700",
    "note at another size": "UPDATE log_cosigned SET size = 699 WHERE log = 1 AND size = 700",
    "note of the other log": "UPDATE log_cosigned SET log = 1 WHERE log = 0 AND size = 303",
    "note beyond the log": "UPDATE log_cosigned SET size = 99999 WHERE log = 1 AND size = 1023",
    "late cosignature edited": "UPDATE log_late SET line = (SELECT line FROM log_late AS l WHERE l.log = 1 AND "
    "l.size = 300 AND l.key_id = log_late.key_id) WHERE log = 1 AND size = 700",
    "late cosignature of no checkpoint": "UPDATE log_late SET size = 701 WHERE log = 1 AND size = 700",
    "late cosignature of less than nothing": "UPDATE log_late SET size = -999300 WHERE log = 1 AND size = 700",
    "outside time stamp edited": "UPDATE log_anchor SET token = (SELECT token FROM log_anchor WHERE log = 1 AND "
    "size = 300) WHERE log = 1 AND size = 700",
    "outside time stamp deleted": "DELETE FROM log_anchor WHERE log = 1 AND size = 700",
    "outside time stamp of another authority": "UPDATE log_anchor SET authority = 'https://other.invalid' "
    "WHERE log = 1 AND size = 700",
    "outside time stamp fetched at another time": "UPDATE log_anchor SET at_us = at_us + 1 "
    "WHERE log = 1 AND size = 700",
    "outside time stamp that no leaf tells of": "INSERT INTO log_anchor SELECT log, size, authority || '/', at_us, "
    "token FROM log_anchor WHERE log = 1 AND size = 700",
    "time stamp taken away": "UPDATE log_cosigned SET token = NULL WHERE log = 1 AND size = 700",
    "late cosignature with another behind it": "UPDATE log_late SET line = line || (SELECT line FROM log_late AS l "
    "WHERE l.log = 1 AND l.size = 300) WHERE log = 1 AND size = 700",
    "time going back": "UPDATE audit_entry SET ts = 1 WHERE seq = 700",
}
"""Statements by what they do to the store of ``CheckedSite.fill``."""


def run_sql(path: Path, sql: str) -> None:
    """The statements, as one who does not care for constraints."""
    raw = sqlite3.connect(path)
    try:
        raw.executescript(f"PRAGMA foreign_keys=OFF; BEGIN; {sql}; COMMIT")
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        raw.close()


def edit_note(path: Path, edit: Callable[[str], str]) -> None:
    """Rewrite the frozen note of 700 audit entries."""
    raw = sqlite3.connect(path)
    try:
        (packed,) = raw.execute("SELECT note FROM log_cosigned WHERE log = 1 AND size = 700").fetchone()
        changed = zlib.compress(edit(zlib.decompress(packed).decode()).encode(), 1)
        raw.execute("UPDATE log_cosigned SET note = ? WHERE log = 1 AND size = 700", (changed,))
        raw.commit()
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        raw.close()


def _line(note: str, number: int) -> list[str]:
    lines = note.splitlines(keepends=True)
    assert lines[number].startswith("\N{EM DASH} ")
    return lines


def drop_cosignature(note: str) -> str:
    """One witness's two lines less: too few are left."""
    return "".join(_line(note, -1)[:-2])


def flip_signature(note: str) -> str:
    """One character of the last signature."""
    lines = _line(note, -1)
    text = lines[-1]
    at = len(text) - 40
    return "".join([*lines[:-1], text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :]])


def flip_log_signature(note: str) -> str:
    """One character of the log's own signature."""
    lines = note.splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if line.startswith("\N{EM DASH} "))
    text = lines[at]
    cut = len(text) - 20
    lines[at] = text[:cut] + ("A" if text[cut] != "A" else "B") + text[cut + 1 :]
    return "".join(lines)


NOTES: dict[str, Callable[[str], str]] = {
    "note's size edited": lambda note: note.replace("\n700\n", "\n701\n", 1),
    "note without a witness": drop_cosignature,
    "note's cosignature edited": flip_signature,
    "note's log signature edited": flip_log_signature,
    "note with a line of nobody": lambda note: f"{note}\N{EM DASH} nobody.invalid AAAAAAAAAAAAAAAA\n",
}


def table_of_older(path: Path, older: Path, table: str) -> None:
    """One table as it was in an older copy, the rest as it is."""
    raw = sqlite3.connect(path, isolation_level=None)
    try:
        raw.execute("ATTACH ? AS older", (str(older),))
        raw.execute("BEGIN")
        raw.execute(f"DELETE FROM main.{table}")
        raw.execute(f"INSERT INTO main.{table} SELECT * FROM older.{table}")
        raw.execute("COMMIT")
        raw.execute("DETACH older")
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        raw.close()


LOG_TABLES = ("audit_entry", "seal_entry", "log_word", "log_tile", "log_head", "log_cosigned", "log_late", "log_anchor")


EXTRAS = ("log_late",)
"""Tables whose rows nobody is owed: a later cosignature may be missing."""


def truncate_consistently(path: Path, older: Path) -> None:
    """Back to an older head with every row, tile, note and word after it gone: what the log's key signed itself."""
    for table in LOG_TABLES:
        table_of_older(path, older, table)
    raw = sqlite3.connect(path, isolation_level=None)
    try:
        raw.execute("ATTACH ? AS older", (str(older),))
        raw.execute("BEGIN")
        for shadow in ("audit_text_data", "audit_text_idx", "audit_text_config"):
            raw.execute(f"DELETE FROM main.{shadow}")
            raw.execute(f"INSERT INTO main.{shadow} SELECT * FROM older.{shadow}")
        raw.execute("COMMIT")
        raw.execute("DETACH older")
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        raw.close()


def stale_wal(path: Path, wal: Path) -> None:
    """The WAL of an earlier time beside a newer file."""
    shutil.copyfile(wal, path.with_name(path.name + "-wal"))
