"""kill -9 of the logs under load: what was answered is there and proves, and no witness ever saw another tree."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from app.ledger.c2sp.proof import parse_proof, verify_proof
from app.ledger.check.fsck import Against, SeenHead, fsck
from app.ledger.check.rows import LogIdentity
from app.ledger.cosigned import proof_of
from app.ledger.tables import SEAL
from app.ledger.tree.leaf import leaf_hash, read_payload
from app.ledger.tree.tree import verify_inclusion
from app.store.engine import driver
from tests.e2e.killed_child import killed_after
from tests.service.ledger.check.checked_site import newest
from tests.service.ledger.witnesses.witnessed_site import WitnessedSite


@pytest.mark.parametrize("kills", [6, pytest.param(200, marks=pytest.mark.campaign)])
def test_nothing_answered_is_lost(tmp_path: Path, kills: int) -> None:
    """Processes killed one after the other, while clients audit and seal and three witnesses cosign, leave two whole
    logs that hold and prove every answer, and that every witness's last checkpoint is of."""
    chance = random.Random(kills)
    answers: list[list[str]] = []
    for kill in range(kills):
        answers += killed_after("ledger_kill_child.py", str(tmp_path), f"k{kill}", lines=chance.randint(1, 160))
    said = Counter(kind for kind, _, _ in answers)
    print(f"{kills} kills: {said['a']} audits, {said['s']} seals, {said['p']} proofs answered")
    assert min(said["a"], said["s"]) >= kills // 2

    site = WitnessedSite(tmp_path)
    try:
        audit, seal = site.ledger.audit, site.ledger.seal
        head = audit.snapshot()
        with site.store.read() as connection:
            raw = driver(connection)
            for kind, seq_text, word in answers:
                seq = int(seq_text)
                table = "audit_entry" if kind == "a" else "seal_entry"
                header, payload = raw.execute(f"SELECT header, payload FROM {table} WHERE seq = ?", (seq,)).fetchone()
                if kind == "a":
                    assert read_payload(payload).detail == {"word": word}
                elif kind == "s":
                    assert payload == f'{{"word":"{word}"}}'.encode()
                else:
                    proof = proof_of(seal, connection, seq)
                    assert proof is not None
                    assert proof.consensus_seal == word
                    if seq % 16 == 0:
                        verify_proof(parse_proof(proof.data), leaf_hash(header), site.policy)
                if kind == "a" and seq % 16 == 0:
                    path = audit.inclusion_proof(connection, seq, head.size)
                    assert verify_inclusion(leaf_hash(header), seq, head.size, path, head.root)
        seen = [SeenHead(f"w{number}", SEAL, newest(each, seal)) for number, each in enumerate(site.witnesses)]
        assert all(each.note is not None for each in seen)
        against = Against(
            seal=LogIdentity(seal.origin, [seal.verifier, site.mldsa.key]),
            audit=LogIdentity(audit.origin, [audit.verifier]),
            policy=site.policy,
            seen=seen,
        )
        assert list(fsck(site.store.path, against)) == []
    finally:
        site.close()
