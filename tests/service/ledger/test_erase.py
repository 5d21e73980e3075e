"""Erasure: the content is gone, to the byte; the leaf stays and proves, and another leaf says so."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.ledger.check.fsck import fsck
from app.ledger.erase import AT_ONCE, ERASED, Erased, Eraser
from app.ledger.query.query import AuditIndex, EntryCriteria
from app.ledger.tree.leaf import leaf_hash, read_payload
from app.ledger.tree.tree import verify_inclusion
from app.store.cursor import Cursors
from app.store.engine import driver
from app.store.writer import Transaction
from tests.service.ledger.check import tampers
from tests.service.ledger.check.checked_site import CheckedSite

SECRET = "Zuckerwattenbahnhof"
NODE = "NODE-forgetme"
YEAR_US = 366 * 86_400 * 1_000_000


@pytest.fixture
def site(tmp_path: Path) -> Iterator[CheckedSite]:
    """A filled site with three entries and one seal of a node that will be forgotten."""
    opened = CheckedSite(tmp_path)
    opened.fill()

    def job(tx: Transaction) -> None:
        for number in range(3):
            tx.audit("test.told", actor="key_1", node_id=NODE, detail={"said": SECRET, "number": number})
        tx.seal("knots.issue", actor="key_1", standing="UNVERIFIED", payload={"node_id": NODE, "said": SECRET})

    opened.run(job)
    yield opened
    opened.close()


def eraser(site: CheckedSite) -> Eraser:
    """Of the site's ledger."""
    return Eraser(site.site.ledger)


def erase(site: CheckedSite, log: Any, seqs: list[int]) -> Erased:
    """One erasure, durable."""
    done: Erased = site.run(
        lambda tx: eraser(site).erase(tx, log, seqs, legal_basis="GDPR Art. 17(1)(b)", actor="key_citadel")
    )
    return done


def row(site: CheckedSite, query: str, *values: object) -> Any:
    """The first row of a query."""
    with site.site.store.snapshot() as raw:
        return raw.execute(query, values).fetchone()


def on_disk(site: CheckedSite, word: str) -> list[str]:
    """The files of the store that hold the word's bytes, in either case."""
    found = []
    for path in (site.store_path, site.store_path.with_name("store.db-wal")):
        data = path.read_bytes().lower() if path.exists() else b""
        if word.lower().encode() in data:
            found.append(path.name)
    return found


def test_entry_is_erased_and_proves(site: CheckedSite) -> None:
    """Payload, salt, node and search are gone; the header, its proof and every other entry are as they were."""
    before = row(site, "SELECT header FROM audit_entry WHERE seq = 1041")[0]
    done = erase(site, "audit", [1041])
    assert (done.entries, done.leaf_seq) == (1, 1043)
    assert row(site, "SELECT salt, payload, node, unit FROM audit_entry WHERE seq = 1041") == (None,) * 4
    log = site.site.ledger.audit
    head = log.snapshot()
    with site.site.store.read() as connection:
        path = log.inclusion_proof(connection, 1041, head.size)
    header = row(site, "SELECT header FROM audit_entry WHERE seq = 1041")[0]
    assert header == before
    assert verify_inclusion(leaf_hash(header), 1041, head.size, path, head.root)
    site.cosign(log)
    assert site.check() == []


def test_leaf_says_what_was_erased(site: CheckedSite) -> None:
    """The leaf names ranges and legal basis, and nobody."""
    done = erase(site, "audit", [1042, 3, 1041, 4, 9])
    payload = read_payload(row(site, "SELECT payload FROM audit_entry WHERE seq = ?", done.leaf_seq)[0])
    assert payload.detail == {
        "log": "audit",
        "seqs": [[3, 4], [9, 9], [1041, 1042]],
        "legal_basis": "GDPR Art. 17(1)(b)",
    }
    assert payload.node_id is None


def test_bytes_are_gone(site: CheckedSite) -> None:
    """After the answer no file of the store holds a word of it: not the rows, the search, the words, nor the WAL."""
    assert on_disk(site, SECRET)
    assert on_disk(site, NODE)
    erase(site, "audit", [1040, 1041, 1042])
    erase(site, "seal", [row(site, "SELECT max(seq) FROM seal_entry")[0]])
    assert on_disk(site, SECRET) == []
    assert on_disk(site, "forgetme") == []
    assert site.check() == []


def test_reader_delays_the_bytes_alone(site: CheckedSite) -> None:
    """A long read keeps the WAL from being cut; the next commit after it does so."""
    with site.site.store.snapshot() as raw:
        raw.execute("SELECT count(*) FROM audit_entry").fetchone()
        erase(site, "audit", [1040, 1041, 1042])
    erase(site, "seal", [row(site, "SELECT max(seq) FROM seal_entry")[0]])
    assert on_disk(site, SECRET) == []


def test_search_forgets(site: CheckedSite) -> None:
    """Neither the query nor the index's own vocabulary knows a word that only erased entries held."""
    query = AuditIndex(site.site.store, site.site.ledger.audit, Cursors(b"c" * 32))
    now = row(site, "SELECT max(ts) FROM audit_entry")[0]

    def hits() -> list[int]:
        page = query.page(now - YEAR_US + 1, now + 1, EntryCriteria(text=SECRET))
        return [entry.seq for entry in page.entries]

    assert hits() == [1042, 1041, 1040]
    erase(site, "audit", [1041])
    assert hits() == [1042, 1040]
    erase(site, "audit", [1040, 1042])
    assert hits() == []
    site.close()
    raw = sqlite3.connect(site.store_path)
    raw.execute("CREATE VIRTUAL TABLE temp.v USING fts5vocab(main, audit_text, row)")
    assert raw.execute("SELECT count(*) FROM v WHERE term = ?", (SECRET.lower(),)).fetchone() == (0,)
    raw.close()


def test_query_shows_the_entry_as_erased(site: CheckedSite) -> None:
    """An auditor sees that there was an act, who did it, and that its content was erased."""
    erase(site, "audit", [1041])
    query = AuditIndex(site.site.store, site.site.ledger.audit, Cursors(b"c" * 32))
    now = row(site, "SELECT max(ts) FROM audit_entry")[0]
    page = query.page(now - YEAR_US + 1, now + 1, EntryCriteria(limit=4))
    shown = {entry.seq: entry for entry in page.entries}
    assert shown[1041].erased
    assert (shown[1041].actor, shown[1041].node_id, shown[1041].detail) == ("key_1", None, {})
    assert not shown[1040].erased


def test_word_stays_while_it_is_used(site: CheckedSite) -> None:
    """A node's word goes with its last entry, and comes back as a new one."""
    assert erase(site, "audit", [1040]).words == 0
    assert erase(site, "audit", [1041, 1042]).words == 1
    assert row(site, "SELECT count(*) FROM log_word WHERE text = ?", NODE) == (0,)
    site.run(lambda tx: tx.audit("test.told", actor="key_2", node_id=NODE))
    site.run(lambda tx: tx.audit("test.told", actor="key_2", node_id="NODE-another"))
    site.cosign(site.site.ledger.audit)
    assert site.check() == []


def test_word_that_another_job_uses_in_the_same_commit(site: CheckedSite) -> None:
    """A job of the same commit that names the node again gets a word that is there."""

    def job(tx: Transaction) -> None:
        tx.audit("test.told", actor="key_2", node_id=NODE)
        eraser(site).erase(tx, "audit", [1040, 1041, 1042], legal_basis="court order", actor="key_citadel")
        tx.audit("test.told", actor="key_2", node_id=NODE)

    site.run(job)
    assert row(
        site, "SELECT count(*) FROM audit_entry WHERE node IS (SELECT id FROM log_word WHERE text = ?)", NODE
    ) == (2,)
    site.cosign(site.site.ledger.audit)
    assert site.check() == []


def test_failed_job_erases_nothing(site: CheckedSite) -> None:
    """Taken back, everything is as it was, and the words are still found."""

    def job(tx: Transaction) -> None:
        eraser(site).erase(tx, "audit", [1040, 1041, 1042], legal_basis="court order", actor="key_citadel")
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        site.run(job)
    site.run(lambda tx: tx.audit("test.told", actor="key_2", node_id=NODE))
    site.cosign(site.site.ledger.audit)
    assert site.check() == []
    assert row(site, "SELECT count(*) FROM audit_entry WHERE payload IS NULL") == (0,)


def test_erasure_cannot_be_erased(site: CheckedSite) -> None:
    """The leaf that says what was erased stays; asking for it, for what is gone or never was, does nothing."""
    first = erase(site, "audit", [1041])
    assert first.leaf_seq is not None
    again = erase(site, "audit", [first.leaf_seq, 1041, 999_999, -1])
    assert again == Erased(0, None, 0)


def test_too_many_at_once(site: CheckedSite) -> None:
    """One transaction takes what the writer can spare."""
    with pytest.raises(ValueError, match=str(AT_ONCE)):
        erase(site, "audit", list(range(AT_ONCE + 1)))


def test_entries_of_a_node(site: CheckedSite) -> None:
    """They are found by the node, in order, below the size asked for."""
    with site.site.store.read() as connection:
        assert eraser(site).of_node(driver(connection), NODE, 1042) == [1040, 1041]
        assert eraser(site).of_node(driver(connection), "NODE-unknown", 9_999) == []


def test_large_index_is_merged_in_parts(site: CheckedSite) -> None:
    """A search index that is too large for one transaction loses the terms too, step by step."""

    def job(tx: Transaction) -> None:
        text = eraser(site)
        text._merge_if_small = lambda _connection: None  # type: ignore[method-assign]
        text.erase(tx, "audit", [1040, 1041, 1042], legal_basis="court order", actor="key_citadel")

    site.run(job)
    first, steps = True, 0
    while site.run(functools.partial(eraser(site).merge, first=first)):
        first, steps = False, steps + 1
        assert steps < 100
    erase(site, "seal", [row(site, "SELECT max(seq) FROM seal_entry")[0]])
    assert on_disk(site, SECRET) == []


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("UPDATE audit_entry SET salt = NULL, payload = NULL, node = NULL, unit = NULL WHERE seq = 1040", "no leaf"),
        ("UPDATE audit_entry SET salt = NULL, payload = NULL WHERE seq = 1043", "what was erased is gone"),
        ("UPDATE audit_entry SET salt = zeroblob(16), payload = x'7b7d' WHERE seq = 1041", "header is over"),
        (
            "UPDATE audit_entry SET node = (SELECT node FROM audit_entry WHERE seq = 1040) WHERE seq = 1041",
            "still there",
        ),
    ],
)
def test_false_erasures_are_found(site: CheckedSite, sql: str, what: str) -> None:
    """fsck tells an erasure without its leaf, an erased leaf of an erasure, and what was put back."""
    erase(site, "audit", [1041])
    assert row(site, "SELECT text FROM log_word WHERE id = (SELECT action FROM audit_entry WHERE seq = 1043)") == (
        ERASED,
    )
    against = site.against(witnesses=False)
    site.close()
    tampers.run_sql(site.store_path, sql)
    assert any(what in finding.what for finding in fsck(site.store_path, against))
