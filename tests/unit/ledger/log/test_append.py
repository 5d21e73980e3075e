"""The log in the store: what is committed is what the head signs, and a changed store is refused."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import text

from app.ledger.c2sp.note import parse_checkpoint, parse_note
from app.ledger.log.log import LedgerBroken
from app.ledger.tree.leaf import body_of, leaf_hash
from app.ledger.tree.tree import verify_inclusion


def rows(ledger: Any, sql: str) -> list[Any]:
    """Rows of a query."""
    with ledger.store.read() as connection:
        return list(connection.execute(text(sql)))


def test_checkpoint_of_an_empty_log(ledger: Any) -> None:
    """A log without entries has a signed checkpoint of size 0."""
    note = parse_note(ledger.log.checkpoint().encode())
    ledger.log.verifier.verify(note)
    assert parse_checkpoint(note.text).size == 0


def test_head_is_the_definition_over_the_rows(ledger: Any, oracle: Any) -> None:
    """The signed root is that of RFC 6962 over the headers that lie in the store, in order of ``seq``."""
    for count in (1, 3, 260, 40):
        ledger.add(count)
    headers = [row.header for row in rows(ledger, "SELECT header FROM audit_entry ORDER BY seq")]
    note = parse_note(ledger.log.checkpoint().encode())
    ledger.log.verifier.verify(note)
    found = parse_checkpoint(note.text)
    assert (found.size, found.root) == (304, oracle[0]([leaf_hash(header) for header in headers]))


def test_row_fits_its_header(ledger: Any) -> None:
    """Columns, words, salt and payload of a row say what its header commits to."""
    ledger.add(1, node_id="ARC-1", unit_id="unit-9", request_id="req_1")
    row = rows(
        ledger,
        "SELECT e.*, a.text AS act, k.text AS who, n.text AS nod, u.text AS uni FROM audit_entry AS e "
        "JOIN log_word AS a ON a.id = action JOIN log_word AS k ON k.id = actor "
        "JOIN log_word AS n ON n.id = node JOIN log_word AS u ON u.id = unit",
    )[0]
    header = json.loads(row.header)
    assert (header["seq"], header["ts"], header["action"], header["actor"]) == (row.seq, row.ts, row.act, row.who)
    assert (row.nod, row.uni, row.outcome) == ("ARC-1", "unit-9", 0)
    assert header["body"] == body_of(row.salt, row.payload) == hashlib.sha256(row.salt + row.payload).hexdigest()
    payload = json.loads(row.payload)
    assert len(payload.pop("state")) == 64
    assert payload == {
        "detail": {"number": 0},
        "node_id": "ARC-1",
        "request_id": "req_1",
        "unit_id": "unit-9",
    }


def test_no_personal_data_in_the_header(ledger: Any) -> None:
    """Node, unit and detail are in the payload alone, which can be erased."""
    ledger.add(1, node_id="ARC-SECRET", unit_id="UNIT-SECRET")
    assert b"SECRET" not in rows(ledger, "SELECT header FROM audit_entry")[0].header


def test_every_leaf_is_provable(ledger: Any) -> None:
    """At the newest and at an older size, paths made from tiles verify against the signed root of that size."""
    ledger.add(300)
    older = parse_checkpoint(parse_note(ledger.log.checkpoint().encode()).text)
    ledger.add(400)
    newest = parse_checkpoint(parse_note(ledger.log.checkpoint().encode()).text)
    headers = [row.header for row in rows(ledger, "SELECT header FROM audit_entry ORDER BY seq")]
    with ledger.store.read() as connection:
        for head in (older, newest):
            for seq in (0, 1, 255, 256, 299, head.size - 1):
                path = ledger.log.inclusion_proof(connection, seq, head.size)
                assert verify_inclusion(leaf_hash(headers[seq]), seq, head.size, path, head.root)


def test_future_size_is_refused(ledger: Any) -> None:
    """There is no proof in a tree that does not exist yet."""
    ledger.add(2)
    with ledger.store.read() as connection, pytest.raises(ValueError, match="not grown"):
        ledger.log.inclusion_proof(connection, 0, 3)


def test_older_checkpoint_is_given_again(ledger: Any) -> None:
    """The checkpoint of an older size comes back to the byte."""
    ledger.add(257)
    older = ledger.log.checkpoint()
    ledger.add(600)
    with ledger.store.read() as connection:
        assert ledger.log.checkpoint_at(connection, 257) == older


@pytest.mark.parametrize("count", [0, 1, 255, 256, 700])
def test_log_is_the_same_after_a_restart(opening: Callable[..., Any], count: int) -> None:
    """Reopened, the log has the same checkpoint and goes on numbering where it stood."""
    first = opening()
    if count:
        first.add(count)
    first.store.close()
    again = opening()
    assert again.log.checkpoint() == first.log.checkpoint()
    assert again.run(lambda tx: tx.audit("test.added", actor="tester")) == count


TAMPERS = {
    "header edited": "UPDATE audit_entry SET header = CAST(replace(header, 'tester', 'nobody') AS BLOB) "
    "WHERE seq = 515",
    "entry deleted": "DELETE FROM audit_entry WHERE seq = 515",
    "last entry deleted": "DELETE FROM audit_entry WHERE seq = 519",
    "entry added": "INSERT INTO audit_entry (seq, ts, action, outcome, actor, header) "
    "SELECT 520, ts, action, outcome, actor, header FROM audit_entry WHERE seq = 519",
    "headers exchanged": "UPDATE audit_entry SET header = (SELECT e.header FROM audit_entry AS e "
    "WHERE e.seq = 1027 - audit_entry.seq) WHERE seq IN (513, 514)",
    "tile edited": "UPDATE log_tile SET h = zeroblob(8192) WHERE id = (1 << 56) + 1",
    "tile deleted": "DELETE FROM log_tile WHERE id = (1 << 56)",
    "tile cut": "UPDATE log_tile SET h = substr(h, 1, 8160) WHERE id = (1 << 56)",
    "root edited": "UPDATE log_head SET root = zeroblob(32)",
    "size edited": "UPDATE log_head SET size = 519",
    "note edited": "UPDATE log_head SET note = CAST(replace(note, '520', '521') AS BLOB)",
    "note damaged": "UPDATE log_head SET note = CAST('gone' AS BLOB)",
    "head deleted": "DELETE FROM log_head",
}


@pytest.mark.parametrize("sql", [pytest.param(sql, id=name) for name, sql in TAMPERS.items()])
def test_changed_store_is_refused(opening: Callable[..., Any], sql: str) -> None:
    """A store in which somebody changed what the start can see is refused in a sentence."""
    first = opening()
    first.add(520)
    first.store.close()
    raw = sqlite3.connect(first.path)
    # The growing end, which the start rebuilds, begins at 512; older headers are fsck's to read.
    raw.execute(sql)
    raw.commit()
    raw.close()
    with pytest.raises(LedgerBroken, match="audit log"):
        opening()


def test_log_of_another_key_is_refused(opening: Callable[..., Any]) -> None:
    """A store whose head another key signed is not ours."""
    first = opening()
    first.add(3)
    first.store.close()
    with pytest.raises(LedgerBroken, match="not signed by this site's key"):
        opening(key=Ed25519PrivateKey.from_private_bytes(b"\x09" * 32))


def test_word_is_stored_once(ledger: Any) -> None:
    """However often an actor acts, one word stands for it, also when the first use was rolled back."""

    def fails(tx: Any) -> None:
        tx.audit("test.added", actor="fresh")
        raise LookupError

    with pytest.raises(LookupError):
        ledger.run(fails)
    for _ in range(3):
        ledger.run(lambda tx: tx.audit("test.added", actor="fresh"))
    assert rows(ledger, "SELECT count(*) FROM log_word WHERE text = 'fresh'")[0][0] == 1
    assert rows(ledger, "SELECT count(DISTINCT actor) FROM audit_entry")[0][0] == 1
