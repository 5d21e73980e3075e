"""The statement by which a log's keys are replaced: four signatures over one text, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey
from hypothesis import example, given
from hypothesis import strategies as st

from app.ledger.c2sp.note import NoteError, parse_checkpoint
from app.ledger.log.keys import KeyStatement, LogKeyRow, LogRing, RotationError, base_of, check_rotation, sign_rotation

ORIGIN = "training-0123456789abcdef.site.invalid/seal"
HOUR_US = 3_600_000_000


def pair(seed: int) -> LogRing:
    """A ring of one fixed pair."""
    raw = bytes((seed,)) * 32
    return LogRing.alone(ORIGIN, Ed25519PrivateKey.from_private_bytes(raw), MLDSA44PrivateKey.from_seed_bytes(raw))


OLD, NEW = pair(1).newest, pair(2).newest
GOOD = sign_rotation(ORIGIN, OLD, NEW, 1_800_000_000)


def test_who_trusts_the_old_learns_the_new() -> None:
    """Both pairs, the time and the origin come back."""
    found = check_rotation(GOOD)
    assert [key.vkey for key in found.old] == [key.vkey for key in OLD.keys]
    assert [key.vkey for key in found.new] == [key.vkey for key in NEW.keys]
    assert (found.origin, found.until_s) == (ORIGIN, 1_800_000_000)


@pytest.mark.parametrize("place", range(4))
def test_each_of_the_four_must_sign(place: int) -> None:
    """Any signature of another key, or none, is refused."""
    for wrong in (GOOD.signatures[(place + 1) % 4], GOOD.signatures[(place + 2) % 4], "", "x"):
        signatures = list(GOOD.signatures)
        signatures[place] = wrong
        with pytest.raises(RotationError, match="is not signed by"):
            check_rotation(KeyStatement(GOOD.statement, signatures))


@given(
    place=st.integers(0, len(GOOD.statement) - 1), text=st.sampled_from(["", " ", "\n", "0", "+", "old", "\x00", "é"])
)
def test_an_edited_statement_is_refused(place: int, text: str) -> None:
    """Whatever is put into it, at any place."""
    edited = GOOD.statement[:place] + text + GOOD.statement[place + 1 :]
    if edited != GOOD.statement:
        with pytest.raises(RotationError):
            check_rotation(KeyStatement(edited, GOOD.signatures))


@given(statement=st.text(), signatures=st.lists(st.text(max_size=8), max_size=5))
@example(statement="arc-log-key/v1\n\nuntil 1\nold \nold \nnew \nnew \n", signatures=[""] * 4)
def test_any_bytes_are_judged(statement: str, signatures: Sequence[str]) -> None:
    """Nothing but ``RotationError`` comes of what is no statement."""
    with pytest.raises(RotationError):
        check_rotation(KeyStatement(statement, list(signatures)))


def test_the_earlier_pair_signs_until_its_end() -> None:
    """Each rotation has an end of its own; the newest pair signs always, and first."""
    now_us = 1_000 * HOUR_US
    ring = pair(1)
    for number, until_us in ((2, now_us + HOUR_US), (3, now_us + 2 * HOUR_US)):
        ring = ring.followed_by(pair(number).newest, LogKeyRow(number, b"", b"", until_us))
    names = {one.signer.verifier.key_id: number for number, one in enumerate(ring.pairs, 1)}

    def signing(at_us: int) -> list[int]:
        return [names[one.signer.verifier.key_id] for one in ring.in_force(at_us)]

    assert signing(now_us) == [3, 2, 1]
    assert signing(now_us + HOUR_US) == [3, 2]
    assert signing(now_us + 2 * HOUR_US) == [3]


def test_a_statement_is_no_checkpoint() -> None:
    """What a key has signed for a replacement can be shown as nothing else."""
    with pytest.raises(NoteError):
        parse_checkpoint(GOOD.statement)
    with pytest.raises(RotationError, match="twice"):
        check_rotation(sign_rotation(ORIGIN, OLD, OLD, 1_800_000_000))


def test_generations_share_a_base() -> None:
    """A later generation's log goes on with the keys of the first."""
    assert base_of(f"{ORIGIN}/2") == base_of(ORIGIN) == ORIGIN
