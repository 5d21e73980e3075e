"""Policies: C2SP tlog-policy files and the quorum that they ask for."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ledger.c2sp.note import NoteError, checkpoint_text, parse_note
from app.ledger.c2sp.policy import PolicyError, parse_policy
from tests.unit.ledger.c2sp.note_strategies import LOG, LOG_MLDSA, ORIGIN, ROOT, WITNESSES, cosigned, policy_text

POLICY = parse_policy(policy_text().encode())
W0 = WITNESSES[0][0].key.vkey
W1 = WITNESSES[1][0].key.vkey
W2 = WITNESSES[2][0].key.vkey


def test_quorum_time_is_the_least_that_suffices() -> None:
    """Two of three at 10, 30, 20: met at 20."""
    assert POLICY.check(parse_note(cosigned({0: 10, 1: 30, 2: 20}).encode())) == 20


def test_two_keys_of_one_witness_count_once() -> None:
    """A single witness signs with both kinds and is still one."""
    with pytest.raises(NoteError, match="too few"):
        POLICY.check(parse_note(cosigned({0: 10}).encode()))


@pytest.mark.parametrize("kinds", ["e", "m"])
def test_one_kind_of_key_suffices(kinds: str) -> None:
    """Verifiers that know Ed25519 alone, or ML-DSA alone."""
    assert POLICY.check(parse_note(cosigned({0: 1, 1: 2}, kinds=kinds).encode())) == 2


def test_log_may_sign_by_mldsa_alone() -> None:
    """Any of the listed log keys."""
    text = checkpoint_text(ORIGIN, 7, ROOT)
    note = f"{text}\n{LOG_MLDSA.line(text, 5)}{WITNESSES[0][0].line(text, 5)}{WITNESSES[1][0].line(text, 6)}"
    assert POLICY.check(parse_note(note.encode())) == 6


def test_unsigned_by_the_log() -> None:
    """Witnesses alone are no log."""
    text = checkpoint_text(ORIGIN, 7, ROOT)
    note = f"{text}\n" + "".join(pair[0].line(text, 5) for pair in WITNESSES)
    with pytest.raises(NoteError, match="not signed by"):
        POLICY.check(parse_note(note.encode()))


def test_log_key_counts_for_its_own_origin() -> None:
    """A log must not vouch for another's checkpoints."""
    text = checkpoint_text("other.invalid/seal", 7, ROOT)
    note = LOG.sign(text) + "".join(pair[0].line(text, 5) for pair in WITNESSES)
    with pytest.raises(NoteError, match="names no log"):
        POLICY.check(parse_note(note.encode()))


def test_policy_reads_back() -> None:
    """Written and read again, it is the same policy."""
    assert parse_policy(POLICY.text().encode()) == POLICY


def test_nested_groups() -> None:
    """The standard's example: two of one organization and any of another."""
    text = (
        f"witness X1 {W0}\nwitness X2 {W1}\ngroup X 2 X1 X2\n"
        f"witness Y1 {W2} https://witness.invalid/\ngroup Y any Y1\ngroup both all X Y\nquorum both\n"
    )
    policy = parse_policy(text.encode())
    assert policy.met_at({"X1": 5, "X2": 9, "Y1": 7}) == 9
    assert policy.met_at({"X1": 5, "Y1": 7}) is None
    assert policy.witnesses[2].url == "https://witness.invalid/"


def test_comments_blanks_and_tabs() -> None:
    """Space, tab, empty lines and comments as the standard allows, octets beyond ASCII too."""
    text = b"# \xff\xfe any octet\n\n \t witness\tw " + W0.encode() + b"  \nquorum w\n"
    assert parse_policy(text).quorum == "w"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no quorum"),
        ("quorum none\nquorum none\n", "second quorum"),
        ("quorum w\n", "not defined"),
        ("quorum none", "newline"),
        (f"witness none {W0}\nquorum none\n", "none"),
        (f"witness w {W0}\nwitness w {W1}\nquorum w\n", "twice"),
        (f"witness w {W0}\nwitness v {W0}\nquorum w\n", "same public key"),
        (f"witness w {LOG.verifier.vkey}\nquorum w\n", "cosignature key"),
        (f"witness w {W0}\ngroup g 2 w\nquorum g\n", "beyond"),
        (f"witness w {W0}\ngroup g 0 w\nquorum g\n", "threshold"),
        (f"witness w {W0}\ngroup g 01 w\nquorum g\n", "threshold"),
        (f"witness w {W0}\ngroup g any w w\nquorum g\n", "two groups"),
        (f"witness w {W0}\ngroup g any w\ngroup h any w\nquorum g\n", "two groups"),
        ("group g any w\nquorum g\n", "not defined"),
        ("group g any\nquorum none\n", "no log"),
        (f"witness w {W0} one two\nquorum none\n", "no log"),
        ("quorum none\r\n", "control"),
    ],
)
def test_bad_policy_is_refused_with_its_reason(text: str, words: str) -> None:
    """Each rule of the standard."""
    with pytest.raises(PolicyError, match=words):
        parse_policy(text.encode())


@pytest.mark.parametrize("line", [b"log \xff+00000000+AQAA", b"witness w \xff+00000000+BAAA"])
def test_key_name_is_utf8(line: bytes) -> None:
    """Octets above 0x7F are opaque in a policy, but a key's id is over its name: the line is told."""
    with pytest.raises(PolicyError, match=r"Line 2 .* not UTF-8\.\Z"):
        parse_policy(b"# one\n" + line + b"\nquorum none\n")


@given(st.binary(max_size=200) | st.text("log witnesgrupqm 0123456789+\n", max_size=200).map(str.encode))
def test_any_bytes_are_a_policy_or_refused(data: bytes) -> None:
    """Nothing but ``PolicyError``."""
    with contextlib.suppress(PolicyError):
        parse_policy(data)
