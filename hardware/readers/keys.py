"""Secure Channel base keys (SCBK, OSDP 2.2 annex D): AES-128 keys, one of its own for each reader.

Keys are made with `secrets` (libosdp's own key maker uses a predictable generator). The caller, which unseals them,
hands them in as bytes; they are never logged, written or compared in variable time.
"""

from __future__ import annotations

import hmac
import secrets

SCBK_BYTES = 16
"""Length of an SCBK in bytes (AES-128)."""

_SCBK_D = bytes(range(0x30, 0x40))


def generate_scbk() -> bytes:
    """Return a new random SCBK of 16 bytes."""
    while True:
        key = secrets.token_bytes(SCBK_BYTES)
        if not is_weak(key):
            return key


def is_weak(scbk: bytes) -> bool:
    """True for the published default key SCBK-D and for keys of one repeated byte: anyone can open a channel with
    these."""
    return hmac.compare_digest(scbk, _SCBK_D) or len(set(scbk)) == 1


def check_scbk(scbk: bytes) -> bytes:
    """Return `scbk` if a reader may be run with it; ValueError (without the key in its text) otherwise."""
    if len(scbk) != SCBK_BYTES:
        raise ValueError(f"an SCBK has {SCBK_BYTES} bytes, not {len(scbk)}")
    if is_weak(scbk):
        raise ValueError("this SCBK is published or trivial; make one with generate_scbk()")
    return scbk
