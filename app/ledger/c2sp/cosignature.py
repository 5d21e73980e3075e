"""Cosignatures: a timed statement by a witness that a log only grew (C2SP tlog-cosignature).

Two types: 0x04 is Ed25519 over ``cosignature/v1``, the time and the checkpoint's text; 0x06 is ML-DSA-44 (FIPS 204,
empty context) over a ``cosigned_message`` that also names the cosigner. Both signatures begin with their time, 8 bytes.
A log signs its own checkpoints with 0x06 as well, under its origin.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey, MLDSA44PublicKey

from app.ledger.c2sp.note import (
    ED25519,
    Note,
    NoteError,
    SignatureLine,
    Verifier,
    key_id,
    parse_checkpoint,
    signature_line,
    split_vkey,
    vkey_of,
)

ED25519_COSIGNATURE: Final = 0x04
MLDSA44: Final = 0x06
_TIME: Final = 8
_PUBLIC: Final = {ED25519_COSIGNATURE: 32, MLDSA44: 1312}
"""Bytes of a public key by its type."""
_SIGNATURE: Final = {ED25519_COSIGNATURE: 64, MLDSA44: 2420}
_LABEL: Final = b"subtree/v1\n\0"
_LATEST: Final = 2**63 - 1


@dataclass(frozen=True)
class CosignerKey:
    """A cosigner's public key: ``kind`` is 0x04 or 0x06, ``public`` 32 or 1,312 bytes."""

    name: str
    kind: int
    public: bytes

    @cached_property
    def key_id(self) -> bytes:
        """4 bytes."""
        return key_id(self.name, self.kind, self.public)

    @property
    def vkey(self) -> str:
        """``name+hex(key id)+base64(type || public key)``."""
        return vkey_of(self.name, self.kind, self.public)

    def time_of(self, note: Note) -> int:
        """When this key cosigned ``note``, Unix seconds; ``NoteError`` unless it validly did."""
        # Anybody may add a line under this name and id: one valid line is enough.
        failure = NoteError(f"the note is not cosigned by {self.name}")
        for line in note.signatures:
            if line.name == self.name and line.key_id == self.key_id:
                try:
                    return self._check(note.text, line)
                except NoteError as error:
                    failure = error
        raise failure

    def _check(self, text: str, line: SignatureLine) -> int:
        """The time of one signature line; ``NoteError`` unless the signature is valid."""
        if len(line.signature) != _TIME + _SIGNATURE[self.kind]:
            raise NoteError(f"the cosignature of {self.name} has another length")
        time_s = int.from_bytes(line.signature[:_TIME])
        if time_s > _LATEST:
            raise NoteError(f"the cosignature of {self.name} has no possible time")
        signature = line.signature[_TIME:]
        message = cosigned_message(self.kind, self.name, text, time_s)
        try:
            if self.kind == MLDSA44:
                MLDSA44PublicKey.from_public_bytes(self.public).verify(signature, message)
            else:
                Ed25519PublicKey.from_public_bytes(self.public).verify(signature, message)
        except InvalidSignature:
            raise NoteError(f"the cosignature of {self.name} is wrong") from None
        return time_s


class Cosigner:
    """A private key that cosigns checkpoints under ``name``."""

    def __init__(self, name: str, private: Ed25519PrivateKey | MLDSA44PrivateKey) -> None:
        """``ValueError`` for a name that has a space or a plus sign, or beyond 255 bytes."""
        if len(name.encode()) > 255:
            raise ValueError("a cosigner's name has at most 255 bytes")
        kind = MLDSA44 if isinstance(private, MLDSA44PrivateKey) else ED25519_COSIGNATURE
        self.key = CosignerKey(name, kind, private.public_key().public_bytes_raw())
        self._private = private
        signature_line(name, self.key.key_id, b"")  # refuses a bad name

    def line(self, text: str, time_s: int) -> str:
        """The signature line for the checkpoint ``text``, with its newline. ``NoteError`` if it is no checkpoint."""
        signature = self.raw(cosigned_message(self.key.kind, self.key.name, text, time_s))
        return signature_line(self.key.name, self.key.key_id, time_s.to_bytes(_TIME) + signature)

    def raw(self, message: bytes) -> bytes:
        """The bytes of a signature over ``message``, which must not equal the ``cosigned_message`` of anything else."""
        return self._private.sign(message)


def cosigned_message(kind: int, name: str, text: str, time_s: int) -> bytes:
    """The bytes that a cosignature of ``kind`` signs. ``NoteError`` if ``text`` is no checkpoint."""
    if kind == ED25519_COSIGNATURE:
        return f"cosignature/v1\ntime {time_s}\n{text}".encode()
    checkpoint = parse_checkpoint(text)
    origin = checkpoint.origin.encode()
    cosigner = name.encode()
    if len(origin) > 255:
        raise NoteError("the checkpoint's origin is longer than 255 bytes")
    return b"".join(
        (
            _LABEL,
            len(cosigner).to_bytes(1),
            cosigner,
            time_s.to_bytes(8),
            len(origin).to_bytes(1),
            origin,
            (0).to_bytes(8),
            checkpoint.size.to_bytes(8),
            checkpoint.root,
        )
    )


def parse_vkey(vkey: str) -> Verifier | CosignerKey:
    """The key of a vkey of type 0x01, 0x04 or 0x06; ``NoteError`` if it is damaged or of another type."""
    name, kind, public = split_vkey(vkey)
    if kind == ED25519:
        return Verifier.parse(vkey)
    if len(public) != _PUBLIC.get(kind):
        raise NoteError("a verifier key of a type that is not known")
    return CosignerKey(name, kind, public)
