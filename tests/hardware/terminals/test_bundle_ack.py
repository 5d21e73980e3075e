"""The acknowledgement of a bundle: byte for byte, and nobody else's."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, derive_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hardware.terminals.bundle import PalmBundle, PalmBundleHead, head_digest, pack, parse
from hardware.terminals.bundle_ack import AckForged, ack_text, acknowledge, check_acknowledgement

ED25519 = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
ES256 = derive_private_key(20_261_122, SECP256R1())
HEAD = bytes(range(32, 64))


def test_the_text_is_laid_out_so() -> None:
    """Context, length and id, number, digest; the signature of the key 00..1f over it, which openssl made too."""
    text = ack_text("T-14", 7, HEAD)
    assert text.hex() == (
        "6172632d62756e646c652d74616b656e2f3100"
        "0004"
        "542d3134"
        "0000000000000007"
        "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
    )
    assert acknowledge("T-14", 7, HEAD, ED25519).hex() == (
        "bed4b229a7b5203a1d374b352a033465e894585a0edf5710d96fa3d63280d155"
        "e3536996e461dd83580500a02b3eff3b2f1b052f12e313074de23cddb4d8830f"
    )


@pytest.mark.parametrize("key", [ED25519, ES256], ids=["ed25519", "es256"])
def test_it_is_of_one_terminal_and_one_bundle(key: Any) -> None:
    """Another terminal, number or head, another key, a bit or a byte more: none is proven."""
    proof = acknowledge("T-14", 7, HEAD, key)
    public = key.public_key()
    check_acknowledgement(proof, "T-14", 7, HEAD, public)
    flipped = bytes([proof[0] ^ 1]) + proof[1:]
    other = ES256 if key is ED25519 else ED25519
    for signature, terminal_id, issue, head, by in (
        (proof, "T-15", 7, HEAD, public),
        (proof, "T-14", 8, HEAD, public),
        (proof, "T-14", 7, HEAD[::-1], public),
        (proof, "T-14", 7, HEAD, other.public_key()),
        (flipped, "T-14", 7, HEAD, public),
        (proof + b"\0", "T-14", 7, HEAD, public),
        (proof[:-1], "T-14", 7, HEAD, public),
    ):
        with pytest.raises(AckForged):
            check_acknowledgement(signature, terminal_id, issue, head, by)


def test_what_fits_into_no_field_is_not_signed() -> None:
    """An id without letters, a number beyond 64 bits, half a digest."""
    for terminal_id, issue, head in (("", 7, HEAD), ("T-14", 2**64, HEAD), ("T-14", -1, HEAD), ("T-14", 7, HEAD[:16])):
        with pytest.raises(ValueError, match="SHA-256"):
            ack_text(terminal_id, issue, head)


def test_the_head_is_hashed_as_it_was_written() -> None:
    """Not as this program would write it: another site may set its blanks otherwise."""
    head = PalmBundleHead("site.example", "T-14", 7, 0, 300, "default", 1, 1, 3, [], None)
    plain = bytes(pack(PalmBundle(head, bytearray(32), np.zeros((0, 512), np.int8))))
    assert parse(plain).head_sha256 == head_digest(head)
    wide = msgspec.json.format(msgspec.json.encode(head), indent=2)
    other = parse(plain[:4] + len(wide).to_bytes(4, "big") + wide + bytes(32))
    assert other.head == head
    assert other.head_sha256 == hashlib.sha256(wide).digest() != head_digest(head)
