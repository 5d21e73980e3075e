"""Signed notes and checkpoints against the standards' own examples."""

from __future__ import annotations

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from app.ledger.c2sp.note import (
    Checkpoint,
    NoteError,
    Signer,
    Verifier,
    checkpoint_text,
    parse_checkpoint,
    parse_note,
    split_vkey,
    vkey_of,
)

# The worked example of C2SP signed-note, and the package example of golang.org/x/mod/sumdb/note.
EXAMPLES = [
    (
        "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
        "This is an example message.\n",
        "— example.com/foo "
        "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n",
    ),
    (
        "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n",
        "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n",
    ),
]
SIGNER = Signer("example.org/log", Ed25519PrivateKey.from_private_bytes(b"\x03" * 32))


@pytest.mark.parametrize(("vkey", "text", "line"), EXAMPLES)
def test_standard_example_verifies(vkey: str, text: str, line: str) -> None:
    """A note of the standard verifies with its published key."""
    note = parse_note(f"{text}\n{line}".encode())
    assert note.text == text
    Verifier.parse(vkey).verify(note)


@pytest.mark.parametrize(("vkey", "text", "line"), EXAMPLES)
def test_altered_example_is_refused(vkey: str, text: str, line: str) -> None:
    """The same note with one letter changed is refused."""
    with pytest.raises(NoteError, match="wrong"):
        Verifier.parse(vkey).verify(parse_note(f"{text.replace('is', 'as', 1)}\n{line}".encode()))


@pytest.mark.parametrize("vkey", [example[0] for example in EXAMPLES])
def test_vkey_is_written_as_read(vkey: str) -> None:
    """A verifier key comes out byte for byte."""
    assert Verifier.parse(vkey).vkey == vkey


def test_own_example_is_signed_alike() -> None:
    """The private key of the second example gives exactly its signature line."""
    seed = base64.b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
    _, text, line = EXAMPLES[1]
    assert Signer("PeterNeumann", Ed25519PrivateKey.from_private_bytes(seed)).sign(text) == f"{text}\n{line}"


def test_checkpoint_bytes() -> None:
    """A checkpoint is origin, size and root, a line each, and nothing else."""
    assert checkpoint_text("example.org/log", 5, b"\x00" * 32) == (
        "example.org/log\n5\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
    )


@given(
    st.text(st.characters(min_codepoint=33, exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"]), min_size=1),
    st.integers(0, 2**62),
    st.binary(min_size=32, max_size=32),
)
def test_checkpoint_reads_back(origin: str, size: int, root: bytes) -> None:
    """A checkpoint that was signed parses to what it said."""
    signer = Signer(origin.replace("+", "-"), Ed25519PrivateKey.from_private_bytes(b"\x03" * 32))
    note = parse_note(signer.sign(checkpoint_text(origin, size, root)).encode())
    signer.verifier.verify(note)
    assert parse_checkpoint(note.text) == Checkpoint(origin, size, root)


def test_unknown_signatures_are_kept() -> None:
    """A witness's line does not hide the log's own."""
    whole = SIGNER.sign("text\n") + "— witness.example " + base64.b64encode(b"1234" + b"x" * 72).decode() + "\n"
    note = parse_note(whole.encode())
    SIGNER.verifier.verify(note)
    assert [line.name for line in note.signatures] == ["example.org/log", "witness.example"]


def test_note_without_our_signature() -> None:
    """A note that another key signed is not ours, whatever its name."""
    other = Signer("example.org/log", Ed25519PrivateKey.from_private_bytes(b"\x04" * 32))
    with pytest.raises(NoteError, match="not signed by"):
        SIGNER.verifier.verify(parse_note(other.sign("text\n").encode()))


MUTATED = st.builds(
    lambda at, byte: (lambda raw: raw[: at % len(raw)] + bytes([byte]) + raw[at % len(raw) + 1 :])(
        SIGNER.sign(checkpoint_text("example.org/log", 77, b"\x05" * 32)).encode()
    ),
    st.integers(0, 4_000),
    st.integers(0, 255),
)


@given(st.binary(max_size=300) | MUTATED)
def test_any_bytes_parse_or_are_refused(data: bytes) -> None:
    """Whatever arrives, a forged note never passes and only ``NoteError`` is raised."""
    genuine = SIGNER.sign(checkpoint_text("example.org/log", 77, b"\x05" * 32)).encode()
    try:
        note = parse_note(data)
        SIGNER.verifier.verify(note)
    except NoteError:
        return
    assert data == genuine


@given(st.text(max_size=120))
def test_any_text_is_a_checkpoint_or_refused(text: str) -> None:
    """Whatever a note's text is, parsing gives a checkpoint that writes the same lines, or ``NoteError``."""
    try:
        found = parse_checkpoint(text)
    except NoteError:
        return
    assert text.startswith(checkpoint_text(found.origin, found.size, found.root))


@given(st.text(max_size=80) | st.sampled_from([example[0][:-1] for example in EXAMPLES]))
def test_any_vkey_parses_or_is_refused(text: str) -> None:
    """Whatever an operator pins, it is a key that writes back alike, or ``NoteError``."""
    try:
        found = Verifier.parse(text)
    except NoteError:
        return
    assert found.vkey == text


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\u00a0b"])
def test_name_of_a_key(name: str) -> None:
    """A key's name has no space and no plus sign."""
    with pytest.raises(ValueError, match="name"):
        Signer(name, Ed25519PrivateKey.generate())


TEXT = "example.org/log\n5\n" + base64.b64encode(bytes(32)).decode() + "\n"
LINE = "— a.invalid " + base64.b64encode(b"1234x").decode() + "\n"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"text\n\n\xff\n", "not UTF-8"),
        (f"te\tt\n\n{LINE}".encode(), "control characters"),
        (f"te\rt\n\n{LINE}".encode(), "control characters"),
        (f"text\n{LINE}".encode(), "no signatures"),
        (f"text\n\n{LINE}".encode().removesuffix(b"\n"), "does not end in a newline"),
        (f"text\n\n{LINE.replace('—', '-')}".encode(), "em dash"),
        (f"text\n\n{LINE}\n".encode(), "em dash|does not end"),
        (b"text\n\n\xe2\x80\x94 a.invalid\n", "no name"),
        ("text\n\n— a+b MTIzNHg=\n".encode(), "no name"),
        ("text\n\n— a.invalid MTIzNA==\n".encode(), "too short"),
        ("text\n\n— a.invalid MTIzNHg\n".encode(), "base64"),
    ],
)
def test_what_is_no_note_is_refused_with_its_reason(data: bytes, why: str) -> None:
    """C2SP signed-note: text, an empty line, then signature lines alone, each with its newline."""
    with pytest.raises(NoteError, match=why):
        parse_note(data)


def test_the_shortest_note_and_line() -> None:
    """A text of one empty line; a signature of one byte behind the key's id."""
    note = parse_note(f"\n\n{LINE}".encode())
    assert (note.text, [line.signature for line in note.signatures]) == ("\n", [b"x"])
    assert note.signatures[0].text == LINE


def test_the_text_may_hold_empty_lines() -> None:
    """The last empty line parts text from signatures."""
    assert parse_note(f"one\n\ntwo\n\n{LINE}".encode()).text == "one\n\ntwo\n"


def test_a_note_has_a_hundred_signatures_at_most() -> None:
    """More are refused before any is decoded."""
    assert len(parse_note(("text\n\n" + 100 * LINE).encode()).signatures) == 100
    with pytest.raises(NoteError, match="too many"):
        parse_note(("text\n\n" + 101 * LINE).encode())


def test_a_note_beyond_128_kib_is_not_parsed() -> None:
    """The limit itself is taken."""
    tail = f"\n\n{LINE}".encode()
    assert parse_note(b"x" * (131_072 - len(tail)) + tail)
    with pytest.raises(NoteError, match="too long"):
        parse_note(b"x" * (131_073 - len(tail)) + tail)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (TEXT.removesuffix("\n"), "not a checkpoint"),
        ("example.org/log\n5\n", "not a checkpoint"),
        ("\n" + TEXT.partition("\n")[2], "not a checkpoint"),
        (TEXT + "\nextension\n", "not a checkpoint"),
        (TEXT + "extension\n\n", "not a checkpoint"),
        (TEXT + "extension", "not a checkpoint"),
        *((TEXT.replace("\n5\n", f"\n{size}\n"), "no decimal number") for size in ("05", "-5", "\u0665", "", "5.0")),
        (TEXT.replace("\n5\n", "\n" + 20 * "1" + "\n"), "no decimal number"),
        (TEXT.replace("\n5\n", "\n9223372036854775808\n"), "beyond any log"),
        (TEXT.replace("AAAA", "", 1), "not 32 bytes"),
        (TEXT.replace("A=", "A", 1), "base64"),
        (TEXT.replace("A=", "B=", 1), "base64"),
    ],
)
def test_what_is_no_checkpoint_is_refused_with_its_reason(text: str, why: str) -> None:
    """C2SP tlog-checkpoint: origin, decimal size, base64 of 32 bytes, then extension lines that are not empty."""
    with pytest.raises(NoteError, match=why):
        parse_checkpoint(text)


@pytest.mark.parametrize("size", [0, 10, 2**63 - 1])
def test_a_checkpoint_of_any_size_is_read(size: int) -> None:
    """From the empty log to the largest; extension lines are kept in their order."""
    found = parse_checkpoint(checkpoint_text("example.org/log", size, b"\x05" * 32) + "one\ntwo\n")
    assert found == Checkpoint("example.org/log", size, b"\x05" * 32, ("one", "two"))


def test_a_verifier_key_of_any_type_is_split() -> None:
    """The shortest key is one byte behind its type."""
    assert split_vkey(vkey_of("a.invalid", 2, b"x")) == ("a.invalid", 2, b"x")


@pytest.mark.parametrize(
    ("vkey", "why"),
    [
        ("a.invalid+00000000", "not a verifier key"),
        ("a b+00000000+AQI=", "not a verifier key"),
        ("a.invalid+0000000+AQI=", "not a verifier key"),
        ("a.invalid+00000000+AQ==", "holds no key"),
        ("a.invalid+00000000+AQI=", "does not fit"),
        ("a.invalid+00000000+AQI", "base64"),
        ("a\ud800+00000000+AQI=", "not UTF-8"),
    ],
)
def test_a_damaged_verifier_key_is_refused_with_its_reason(vkey: str, why: str) -> None:
    """Name, 8 digits of the id, base64 of type and key; the id fits the rest."""
    with pytest.raises(NoteError, match=why):
        split_vkey(vkey)


@pytest.mark.parametrize(("kind", "size"), [(1, 31), (1, 33), (4, 32)])
def test_a_verifier_of_another_type_or_length_is_refused(kind: int, size: int) -> None:
    """Type 0x01 with 32 bytes is Ed25519; 0x04 is a cosigner's, whose signature covers other bytes."""
    with pytest.raises(NoteError, match="not an Ed25519 verifier key"):
        Verifier.parse(vkey_of("a.invalid", kind, bytes(size)))
