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
