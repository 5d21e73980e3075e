"""Policies: C2SP tlog-policy files and the quorum that they ask for."""

from __future__ import annotations

import base64
import contextlib

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from app.ledger.c2sp.cosignature import Cosigner
from app.ledger.c2sp.note import Note, NoteError, Signer, checkpoint_text, parse_note, vkey_of
from app.ledger.c2sp.policy import PolicyError, parse_policy
from tests.unit.ledger.c2sp.note_strategies import LOG, LOG_MLDSA, ORIGIN, ROOT, WITNESSES, cosigned, policy_text

POLICY = parse_policy(policy_text().encode())
W0 = WITNESSES[0][0].key.vkey
W1 = WITNESSES[1][0].key.vkey
W2 = WITNESSES[2][0].key.vkey
TEXT = checkpoint_text(ORIGIN, 7, ROOT)


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


L4 = vkey_of(ORIGIN, 4, LOG.verifier.key.public_bytes_raw())
MANY = [Cosigner(f"m{n}", Ed25519PrivateKey.from_private_bytes(n.to_bytes(32))).key.vkey for n in range(257)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"log {LOG.verifier.vkey}\nlog {L4}\nquorum none\n", "same public key"),
        (f"log {LOG.verifier.vkey} one two\nquorum none\n", "no log, witness"),
        ("log\nquorum none\n", "no log, witness"),
        ("quorum none more\n", "no log, witness"),
        (f"witness w {W0}\ngroup w any w\nquorum w\n", "defined twice"),
        (f"witness w {W0}\ngroup g -1 w\nquorum g\n", "any, all or a number"),
        (f"witness w {W0}\ngroup g \u0661 w\nquorum g\n", "any, all or a number"),
        (f"witness w {W0}\ngroup g 1000 w\nquorum g\n", "any, all or a number"),
        (f"witness w {W0}\ngroup g 999 w\nquorum g\n", "beyond its members"),
        ("quorum none\x7f\n", "control"),
        ("quorum none\x00\n", "control"),
        (f"witness w {W0}\nquorum w", r"does not end in a newline"),
        (f"# one\n\nwitness w {W0}\nquorum v\n", "Line 4 of the policy"),
    ],
)
def test_a_line_of_another_form_is_refused(text: str, words: str) -> None:
    """Each word of a line has its place."""
    with pytest.raises(PolicyError, match=words):
        parse_policy(text.encode())


@pytest.mark.parametrize(
    ("line", "more"),
    [
        ("log {key}", "too many logs"),
        ("witness w{n} {key}", "too many lines of one kind"),
        ("witness w{n} {key}\ngroup g{n} any w{n}", "too many lines of one kind"),
    ],
)
def test_a_policy_has_256_lines_of_each_kind(line: str, more: str) -> None:
    """Eight times what the standard demands; the next one is refused."""
    rows = [line.format(n=n, key=key) + "\n" for n, key in enumerate(MANY)]
    found = parse_policy("".join([*rows[:256], "quorum none\n"]).encode())
    assert {len(found.logs), len(found.witnesses), len(found.groups)} - {0} == {256}
    with pytest.raises(PolicyError, match=more):
        parse_policy("".join([*rows, "quorum none\n"]).encode())


def test_a_policy_beyond_256_kib_is_not_parsed() -> None:
    """The limit itself is taken."""
    tail = b"\nquorum none\n"
    assert parse_policy(b"#" * (262_144 - len(tail)) + tail).quorum == "none"
    with pytest.raises(PolicyError, match="too long"):
        parse_policy(b"#" * (262_145 - len(tail)) + tail)


def test_a_policy_is_written_as_it_is_read() -> None:
    """Addresses, each kind of threshold and the quorum come back to the letter."""
    text = (
        f"log {LOG.verifier.vkey} https://log.invalid/\nlog {LOG_MLDSA.key.vkey}\n"
        f"witness a {W0} https://a.invalid/\nwitness b {W1}\nwitness c {W2}\n"
        "group g any a b\ngroup h all g c\nquorum h\n"
    )
    assert parse_policy(text.encode()).text() == text
    for threshold, written in (("any", "any"), ("1", "any"), ("2", "2"), ("3", "all"), ("all", "all")):
        rows = f"witness a {W0}\nwitness b {W1}\nwitness c {W2}\ngroup g {threshold} a b c\nquorum g\n"
        assert f"group g {written} a b c\n" in parse_policy(rows.encode()).text()


def test_a_quorum_of_none_is_met_by_the_logs_signature_alone() -> None:
    """At no time: 0."""
    alone = parse_policy(f"log {LOG.verifier.vkey}\nquorum none\n".encode())
    assert alone.check(parse_note(cosigned({}).encode())) == 0


# --- the form of a frozen note ---

LINES = {
    "log": LOG.line(TEXT),
    "log-mldsa": LOG_MLDSA.line(TEXT, 5),
    **{
        f"{number}{kind}": pair[at].line(TEXT, 5)
        for number, pair in enumerate(WITNESSES)
        for at, kind in enumerate("em")
    },
    "nobody": Cosigner("nobody.invalid", Ed25519PrivateKey.from_private_bytes(bytes(32))).line(TEXT, 5),
    "1-third": Cosigner(WITNESSES[1][0].key.name, Ed25519PrivateKey.from_private_bytes(bytes(32))).line(TEXT, 5),
    "1-fourth": Cosigner(WITNESSES[1][0].key.name, Ed25519PrivateKey.from_private_bytes(b"\x01" * 32)).line(TEXT, 5),
    "log-next": Signer(ORIGIN, Ed25519PrivateKey.from_private_bytes(bytes(32))).line(TEXT),
}
ONE_KIND = parse_policy(f"log {LOG.verifier.vkey}\nwitness a {W0}\nwitness b {W1}\nquorum b\n".encode())


def formed(names: str) -> Note:
    """The note with these lines in this order."""
    return parse_note((TEXT + "\n" + "".join(LINES[name] for name in names.split())).encode())


@pytest.mark.parametrize(
    "names", ["log", "log log-mldsa", "log-mldsa log", "log 0e 0m 1e 2m", "log log-mldsa 0e 0m 1e 1m 2e 2m", "log 2e"]
)
def test_a_frozen_note_has_its_lines_in_the_policys_order(names: str) -> None:
    """The log's, then the witnesses'; a witness may be missing."""
    POLICY.check_form(formed(names))


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ("0e log", "not in their order"),
        ("log 1e 0e", "not in their order"),
        ("log 0m 0e", "not in their order"),
        ("log log", "one is there twice"),
        ("log 0e 0e", "one is there twice"),
        ("log 0e nobody", "nobody in the policy"),
        ("log 1e 1m 1-third", "nobody in the policy"),
    ],
)
def test_another_form_of_a_note_is_refused(names: str, why: str) -> None:
    """A signature proves nothing of the lines beside it: one checkpoint would have many consensus seals."""
    with pytest.raises(NoteError, match=why):
        POLICY.check_form(formed(names))


@pytest.mark.parametrize("names", ["log log-mldsa 0e 0m 1e", "log 0m 0e 1e 1m", "log log-next 0e", "log 1e 1-third"])
def test_beside_a_named_key_may_stand_its_pair(names: str) -> None:
    """A policy need not name every key of a log or witness: one more line of the same name has room."""
    ONE_KIND.check_form(formed(names))


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ("log 1e 1-third 1-fourth", "nobody in the policy"),
        ("log 0m 1e", "nobody in the policy"),
        ("log 1e 0e 0m", "not in their order"),
        ("log 1e 1m 0e", "not in their order"),
        ("log 1m 1m 1e", "nobody in the policy"),
    ],
)
def test_a_pair_is_two_lines_in_one_place(names: str, why: str) -> None:
    """No third line of the name, none without the named key beside it, none elsewhere."""
    with pytest.raises(NoteError, match=why):
        ONE_KIND.check_form(formed(names))


def test_a_checkpoint_of_a_log_that_the_policy_does_not_name() -> None:
    """Told by its origin, before any signature is looked at."""
    with pytest.raises(NoteError, match="names no log"):
        ONE_KIND.check_log(parse_note(LOG.sign(checkpoint_text("other.invalid/seal", 7, ROOT)).encode()))


def test_a_wrong_line_of_a_key_of_the_policy_condemns_the_note() -> None:
    """Though the quorum is met without it: signed-note demands that every line of a known key verifies."""
    raw = LOG_MLDSA.key.key_id + (5).to_bytes(8) + bytes(2420)
    wrong = f"— {ORIGIN} {base64.b64encode(raw).decode()}\n"
    note = parse_note((cosigned({0: 10, 1: 20}) + wrong).encode())
    with pytest.raises(NoteError, match=f"the cosignature of {ORIGIN} is wrong"):
        POLICY.check(note)
