"""Signed notes and checkpoints, byte-exact C2SP (signed-note, tlog-checkpoint).

A note is text that ends in a newline, an empty line, and signature lines ``— <name> base64(key id || signature)``. A
checkpoint's text is ``origin``, size in decimal, root in base64, one a line.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

ED25519: Final = 0x01
"""Signature type: Ed25519 over the note's text."""
NOTE_LIMIT: Final = 131_072
"""Bytes of the longest note that is parsed at all."""
_SIGNATURES_LIMIT: Final = 100
_LARGEST: Final = 2**63 - 1
_DASH: Final = "\u2014 "
_CONTROL: Final = re.compile(r"[\x00-\x09\x0b-\x1f]")


class NoteError(ValueError):
    """The bytes are no signed note or checkpoint, or carry no valid signature of the wanted key."""


@dataclass(frozen=True)
class SignatureLine:
    """One signature line: ``key_id`` 4 bytes, ``signature`` what follows it."""

    name: str
    key_id: bytes
    signature: bytes

    @property
    def text(self) -> str:
        """The line, with its newline."""
        return signature_line(self.name, self.key_id, self.signature)


@dataclass(frozen=True)
class Note:
    """A parsed note. ``text`` ends in a newline and is what signatures cover."""

    text: str
    signatures: tuple[SignatureLine, ...]


@dataclass(frozen=True)
class Checkpoint:
    """A tree head. ``root`` is 32 bytes; ``extensions`` are further lines, which our logs never write."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verifier:
    """A public key with its name."""

    name: str
    key: Ed25519PublicKey

    @property
    def key_id(self) -> bytes:
        """SHA-256(name || newline || type || public key), first 4 bytes."""
        return key_id(self.name, ED25519, self.key.public_bytes_raw())

    @property
    def vkey(self) -> str:
        """``name+hex(key id)+base64(type || public key)``."""
        return vkey_of(self.name, ED25519, self.key.public_bytes_raw())

    @classmethod
    def parse(cls, vkey: str) -> Verifier:
        """The verifier of ``vkey``; ``NoteError`` if it is damaged or of another type."""
        name, kind, public = split_vkey(vkey)
        if kind != ED25519 or len(public) != 32:
            raise NoteError("not an Ed25519 verifier key")
        return cls(name, Ed25519PublicKey.from_public_bytes(public))

    def verify(self, note: Note) -> None:
        """``NoteError`` unless ``note`` carries a valid signature of this key."""
        own = self.key_id
        for line in note.signatures:
            if line.name == self.name and line.key_id == own:
                try:
                    self.key.verify(line.signature, note.text.encode())
                except InvalidSignature:
                    raise NoteError(f"the signature of {self.name} is wrong") from None
                return
        raise NoteError(f"the note is not signed by {self.name}")


class Signer:
    """A private key with its name; ``sign`` is what the log calls with every commit."""

    def __init__(self, name: str, key: Ed25519PrivateKey) -> None:
        if not _valid_name(name):
            raise ValueError("a key's name has no space and no plus sign")
        self.verifier = Verifier(name, key.public_key())
        self._key = key
        self._key_id = self.verifier.key_id

    def sign(self, text: str) -> str:
        """The note over ``text``, which ends in a newline."""
        return f"{text}\n{self.line(text)}"

    def line(self, text: str) -> str:
        """The signature line over ``text``, with its newline."""
        return signature_line(self.verifier.name, self._key_id, self.raw(text.encode()))

    def raw(self, message: bytes) -> bytes:
        """The 64 bytes of a signature over ``message``."""
        return self._key.sign(message)


def signature_line(name: str, key_id: bytes, signature: bytes) -> str:
    """``— <name> base64(key id || signature)`` and its newline; ``ValueError`` for a name with a space or a plus."""
    if not _valid_name(name):
        raise ValueError("a key's name has no space and no plus sign")
    return f"{_DASH}{name} {base64.b64encode(key_id + signature).decode()}\n"


def vkey_of(name: str, kind: int, public: bytes) -> str:
    """``name+hex(key id)+base64(type || public key)``."""
    return f"{name}+{key_id(name, kind, public).hex()}+{base64.b64encode(bytes((kind,)) + public).decode()}"


def split_vkey(vkey: str) -> tuple[str, int, bytes]:
    """Name, type and public key of a vkey of any type; ``NoteError`` if it is damaged."""
    # The base64 part may itself hold a plus sign; the name may not.
    parts = vkey.split("+", 2)
    if len(parts) != 3 or not _valid_name(parts[0]) or len(parts[1]) != 8:
        raise NoteError("not a verifier key")
    name, hexadecimal, coded = parts
    raw = _base64(coded)
    if len(raw) < 2:
        raise NoteError("the verifier key holds no key")
    try:
        own = key_id(name, raw[0], raw[1:])
    except UnicodeEncodeError:
        raise NoteError("the verifier key's name is not UTF-8") from None
    if own.hex() != hexadecimal:
        raise NoteError("the verifier key's id does not fit its key")
    return name, raw[0], raw[1:]


def key_id(name: str, kind: int, public: bytes) -> bytes:
    """Key id of signed-note: 4 bytes."""
    return hashlib.sha256(name.encode() + b"\n" + bytes((kind,)) + public).digest()[:4]


def checkpoint_text(origin: str, size: int, root: bytes) -> str:
    """The text of a checkpoint."""
    return f"{origin}\n{size}\n{base64.b64encode(root).decode()}\n"


def parse_note(data: bytes) -> Note:
    """Parse a signed note; ``NoteError`` if it is none. Signatures of unknown keys are kept, as the standard asks."""
    if len(data) > NOTE_LIMIT:
        raise NoteError("the note is too long")
    try:
        whole = data.decode()
    except UnicodeDecodeError:
        raise NoteError("the note is not UTF-8") from None
    if _CONTROL.search(whole):
        raise NoteError("the note has control characters")
    # The last empty line parts text from signatures: the text may hold empty lines itself.
    cut = whole.rfind("\n\n")
    if cut < 0:
        raise NoteError("the note has no signatures")
    text, lines = whole[: cut + 1], whole[cut + 2 :]
    if not lines.endswith("\n"):
        raise NoteError("the note does not end in a newline")
    rows = lines[:-1].split("\n")
    if len(rows) > _SIGNATURES_LIMIT:
        raise NoteError("the note has too many signatures")
    return Note(text, tuple(map(_signature, rows)))


def parse_checkpoint(text: str) -> Checkpoint:
    """The checkpoint in a note's text; ``NoteError`` if it is none."""
    lines = text.split("\n")
    if len(lines) < 4 or lines[-1] or not lines[0] or any(not line for line in lines[3:-1]):
        raise NoteError("not a checkpoint")
    digits = lines[1]
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 19 or (digits[0] == "0" and digits != "0"):
        raise NoteError("the checkpoint's size is no decimal number")
    if int(digits) > _LARGEST:
        raise NoteError("the checkpoint's size is beyond any log's")
    root = _base64(lines[2])
    if len(root) != 32:
        raise NoteError("the checkpoint's root is not 32 bytes")
    return Checkpoint(lines[0], int(digits), root, tuple(lines[3:-1]))


def _signature(row: str) -> SignatureLine:
    if not row.startswith(_DASH):
        raise NoteError("a signature line does not begin with an em dash")
    name, space, coded = row[len(_DASH) :].partition(" ")
    if not space or not _valid_name(name):
        raise NoteError("a signature line has no name")
    raw = _base64(coded)
    if len(raw) < 5:
        raise NoteError("a signature is too short")
    return SignatureLine(name, raw[:4], raw[4:])


def _valid_name(name: str) -> bool:
    return bool(name) and "+" not in name and not any(char.isspace() for char in name)


def _base64(text: str) -> bytes:
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise NoteError("not base64") from None
    # One value, one text: with unused trailing bits one signature could be written as two notes.
    if base64.b64encode(raw).decode() != text:
        raise NoteError("not canonical base64")
    return raw
