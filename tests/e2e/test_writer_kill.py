"""kill -9 in the middle of writing: everything answered is there and proves, and nothing is there by halves."""

from __future__ import annotations

import random
from pathlib import Path

from sqlalchemy import text

from app.ledger.c2sp.note import parse_checkpoint, parse_note
from app.ledger.log.append import AuditLog
from app.ledger.tree.leaf import body_of, leaf_hash
from app.ledger.tree.tree import Tree, verify_inclusion
from app.site.site import Site
from app.store.engine import Store
from app.store.keys import Keys, find_kek
from tests.e2e.killed_child import killed_after

KILLS = 8


def test_nothing_answered_is_lost(tmp_path: Path) -> None:
    """Eight processes killed one after the other while 16 clients write to the same site leave one whole log."""
    chance = random.Random(11)
    answered: list[tuple[int, str]] = []
    for kill in range(KILLS):
        lines = killed_after("writer_kill_child.py", str(tmp_path / "site"), f"k{kill}", lines=chance.randint(1, 900))
        answered += [(int(seq), word) for seq, word in lines]

    site = Site.open(tmp_path / "site", "training")
    keys = Keys(site.keys_path, find_kek(site))
    log = AuditLog(site.origin("audit"), keys.ed25519("audit"))
    with Store.open(site.store_path, log, sealer=keys.sealer) as store, store.read() as connection:
        note = parse_note(log.checkpoint().encode())
        log.verifier.verify(note)
        head = parse_checkpoint(note.text)
        entries = connection.execute(text("SELECT seq, header, salt, payload FROM audit_entry ORDER BY seq")).all()
        words = {row.seq: row.word for row in connection.execute(text("SELECT seq, word FROM test_killed_row"))}

        assert len(set(answered)) == len({seq for seq, _ in answered}) == len(answered)
        assert all(words[seq] == word for seq, word in answered)
        # Row and leaf of a change are there together or not at all.
        assert sorted(words) == [entry.seq for entry in entries] == list(range(head.size))

        tree = Tree()
        for entry in entries:
            assert f'"body":"{body_of(entry.salt, entry.payload)}"'.encode() in entry.header
            tree.append(leaf_hash(entry.header))
        assert tree.root() == head.root
        for seq, _ in chance.sample(answered, 50):
            path = log.inclusion_proof(connection, seq, head.size)
            assert verify_inclusion(leaf_hash(entries[seq].header), seq, head.size, path, head.root)
    keys.close()
