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


@pytest.mark.parametrize("digits", ["0", "7", "10", "1000000000000000000"])
def test_an_index_is_read_as_it_is_written(digits: str) -> None:
    """Decimal, of up to 19 digits."""
    assert parse_proof(proof_of(3).replace(b"index 3\n", f"index {digits}\n".encode(), 1)).index == int(digits)


@pytest.mark.parametrize("digits", ["", "-1", "+1", "01", "1e3", "a", " 1", "1_0", "\u0661", "\u00b2", 20 * "1"])
def test_another_way_to_write_an_index_is_refused(digits: str) -> None:
    """One number has one text (C2SP): no sign, no zero in front, no digits of other scripts."""
    with pytest.raises(ProofError, match="no decimal number"):
        parse_proof(proof_of(3).replace(b"index 3\n", f"index {digits}\n".encode(), 1))


@pytest.mark.parametrize(
    ("found", "instead", "why"),
    [
        (b"@v1\n", b"@v2\n", "not a tlog-proof file"),
        (b"index 3\n", b"", "no index"),
        (b"index 3\n", b"extra aGVsbG8=\n", "no index"),
        (b"index 3\n", b"extra aGVsbG8\nindex 3\n", "not base64"),
        (b"index 3\n", b"index 3\nAAAA\n", "not 32 bytes"),
        (b"index 3\n", b"index 3\n" + 43 * b"A" + b"B=\n", "not canonical base64"),
        (b"index 3\n", b"index 3\n\xff\n", "not UTF-8"),
    ],
)
def test_what_is_no_proof_is_refused_with_its_reason(found: bytes, instead: bytes, why: str) -> None:
    """Each line of the format has one form."""
    with pytest.raises(ProofError, match=why):
        parse_proof(proof_of(3).replace(found, instead, 1))


def test_a_proof_without_a_note_is_none() -> None:
    """The empty line that ends the path is missing."""
    with pytest.raises(ProofError, match="not a tlog-proof file"):
        parse_proof(proof_of(3).partition(b"\n\n")[0])


def test_a_path_is_no_longer_than_that_of_the_largest_tree() -> None:
    """A tree has up to 2^63 leaves: 63 steps from a leaf to the root."""
    assert len(parse_proof(proof_bytes(1, [bytes(32)] * 63, NOTE)).path) == 63
    with pytest.raises(ProofError, match="path is too long"):
        parse_proof(proof_bytes(1, [bytes(32)] * 64, NOTE))


def test_a_file_beyond_the_limit_is_not_parsed() -> None:
    """A note of 128 KiB and 8 KiB before it are taken, one byte more is not."""
    data = proof_of(3)
    assert parse_proof(data + b"x" * (139_264 - len(data)))
    with pytest.raises(ProofError, match="too long"):
        parse_proof(data + b"x" * (139_265 - len(data)))
