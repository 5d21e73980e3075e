"""The acknowledgement of a bundle: a terminal's signed statement that it has taken it.

That a bundle was fetched proves nothing of its terminal: any holder of the API key may fetch it, and the reply may be
lost, fail to open, or not be recorded. So a terminal that has

1. opened the bundle and checked it (its site's signature, its name, its time, its number),
2. recorded that durably, so that no earlier one is in use again after a loss of power, and
3. put it in the place of the one before, of which nothing is left,

signs, with the key that it signs palm frames with (Ed25519 or ES256, 64 bytes), this text, integers big-endian:

======  =====  ==============================================================================================
offset  bytes
======  =====  ==============================================================================================
0       19     ``arc-bundle-taken/1`` and a zero byte
19      2      u16, length of the terminal's id in UTF-8
21      n      the terminal's id, as in ``aud`` of the head
21 + n  8      u64, ``issue`` of the head
29 + n  32     SHA-256 of the head: of the bytes between the u32 length and the seed, as they stand in the plaintext
======  =====  ==============================================================================================

and sends ``{"issue": 7, "signature": "<86 characters of base64url without padding>"}`` to
``POST /v1/registry/terminals/{id}/bundle/taken`` until that is answered 200. A terminal without a line writes the same
text to a file, which a person hands in at the console. The head is inside the sealed part, so only a terminal that can
open the bundle can sign this. An acknowledgement that is sent again says nothing new.
"""

from __future__ import annotations

import struct
from typing import Final

from cryptography.exceptions import InvalidSignature

from hardware.terminals.signing import SigningKey, VerifyingKey, check_signature, signature

DIGEST_BYTES: Final = 32

_CONTEXT: Final = b"arc-bundle-taken/1\0"
_MOST_ISSUE: Final = 2**64 - 1
_MOST_TEXT_BYTES: Final = 2**16 - 1


class AckForged(ValueError):
    """The acknowledgement was not signed by this terminal for this bundle."""


def ack_text(terminal_id: str, issue: int, head_sha256: bytes) -> bytes:
    """The bytes that are signed. ValueError for a value that does not fit its field."""
    name = terminal_id.encode()
    if not 1 <= len(name) <= _MOST_TEXT_BYTES or not 0 <= issue <= _MOST_ISSUE or len(head_sha256) != DIGEST_BYTES:
        raise ValueError("a terminal, the number of a bundle and the SHA-256 of its head")
    return b"".join((_CONTEXT, struct.pack(">H", len(name)), name, struct.pack(">Q", issue), head_sha256))


def acknowledge(terminal_id: str, issue: int, head_sha256: bytes, key: SigningKey) -> bytes:
    """The signature (64 bytes). ValueError for a key that is neither Ed25519 nor P-256."""
    return signature(ack_text(terminal_id, issue, head_sha256), key)


def check_acknowledgement(proof: bytes, terminal_id: str, issue: int, head_sha256: bytes, key: VerifyingKey) -> None:
    """Raises ``AckForged`` unless this terminal signed this; ValueError for a key that is neither Ed25519 nor
    P-256."""
    try:
        check_signature(proof, ack_text(terminal_id, issue, head_sha256), key)
    except InvalidSignature:
        raise AckForged("it was not signed by this terminal for this bundle") from None
