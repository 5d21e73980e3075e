"""Proof files, to the byte of C2SP tlog-proof, and what they prove under a policy."""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ledger.c2sp.policy import parse_policy
from app.ledger.c2sp.proof import ProofError, consensus_seal, parse_proof, proof_bytes, verify_proof
from app.ledger.tree.tree import inclusion_path, root_at
from tests.unit.ledger.c2sp.note_strategies import ORIGIN, cosigned, policy_text
from tests.unit.ledger.tree.test_tree import nodes_of, some_leaves

POLICY = parse_policy(policy_text().encode())
LEAVES = some_leaves(11)
NODES = nodes_of(LEAVES)
NOTE = cosigned({0: 10, 2: 20}, size=11, root=root_at(NODES, 11))


def proof_of(index: int) -> bytes:
    """The proof of a leaf."""
    return proof_bytes(index, inclusion_path(NODES, index, 11), NOTE)


def test_bytes_are_the_standards() -> None:
    """Head, index, hashes, an empty line, the note; LF, no extra."""
    lines = proof_of(10).decode().split("\n")
    assert lines[0] == "c2sp.org/tlog-proof@v1"
    assert lines[1] == "index 10"
    assert [base64.b64decode(line) for line in lines[2:4]] == inclusion_path(NODES, 10, 11)
    assert lines[4] == ""
    assert "\n".join(lines[5:]) == NOTE


@pytest.mark.parametrize("index", range(11))
def test_every_leaf_is_proven(index: int) -> None:
    """Origin, size and quorum time come out."""
    proven = verify_proof(parse_proof(proof_of(index)), LEAVES[index], POLICY)
    assert (proven.origin, proven.size, proven.quorum_at) == (ORIGIN, 11, 20)


def test_another_leaf_is_not_proven() -> None:
    """The path is of this leaf alone."""
    with pytest.raises(ProofError, match="not in the tree"):
        verify_proof(parse_proof(proof_of(3)), LEAVES[4], POLICY)


def test_another_index_is_not_proven() -> None:
    """The index is proven too."""
    moved = dataclasses.replace(parse_proof(proof_of(3)), index=2)
    with pytest.raises(ProofError, match="not in the tree"):
        verify_proof(moved, LEAVES[3], POLICY)


def test_too_few_witnesses() -> None:
    """The policy decides, not the proof."""
    note = cosigned({0: 10}, size=11, root=root_at(NODES, 11))
    with pytest.raises(ProofError, match="too few"):
        verify_proof(parse_proof(proof_bytes(3, inclusion_path(NODES, 3, 11), note)), LEAVES[3], POLICY)


def test_extra_is_read_over() -> None:
    """The standard allows it, nobody signs it."""
    data = proof_of(3).replace(b"index", b"extra aGVsbG8=\nindex", 1)
    assert parse_proof(data) == parse_proof(proof_of(3))


def test_consensus_seal_is_a_hash_of_the_bytes() -> None:
    """``0x`` and 64 digits over the domain's line and the proof."""
    seal = consensus_seal(proof_of(3))
    assert seal == "0x" + hashlib.sha256(b"arc-knot-seal/v1\n" + proof_of(3)).hexdigest()
    assert len(seal) == 66


@given(st.integers(0, len(proof_of(5)) - 1), st.integers(1, 255))
def test_every_edited_byte_is_found(at: int, flip: int) -> None:
    """One changed byte: no proof, or not proven, unless it stands in a cosignature that the quorum does not need."""
    data = bytearray(proof_of(5))
    data[at] ^= flip
    try:
        proven = verify_proof(parse_proof(bytes(data)), LEAVES[5], POLICY)
    except ProofError:
        return
    assert (proven.size, proven.root) == (11, root_at(NODES, 11))
    assert data.index(b"\n\n") + len(ORIGIN) + 2 < at


@given(st.binary(max_size=300) | st.binary(max_size=100).map(lambda tail: b"c2sp.org/tlog-proof@v1\nindex 1\n" + tail))
def test_any_bytes_are_a_proof_or_refused(data: bytes) -> None:
    """Nothing but ``ProofError``."""
    with contextlib.suppress(ProofError):
        parse_proof(data)
