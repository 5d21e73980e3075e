"""Logs and witnesses with fixed keys, and notes that they sign."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

from app.ledger.c2sp.cosignature import Cosigner
from app.ledger.c2sp.note import Signer, checkpoint_text

ORIGIN = "training-0123456789abcdef.site.invalid/seal"
LOG = Signer(ORIGIN, Ed25519PrivateKey.from_private_bytes(b"\x01" * 32))
LOG_MLDSA = Cosigner(ORIGIN, MLDSA44PrivateKey.from_seed_bytes(b"\x02" * 32))
ROOT = bytes(range(32))


def witness(number: int) -> tuple[Cosigner, Cosigner]:
    """The two keys of a witness."""
    name = f"w{number}.witness.invalid"
    seed = bytes((16 + number,)) * 32
    return (
        Cosigner(name, Ed25519PrivateKey.from_private_bytes(seed)),
        Cosigner(name, MLDSA44PrivateKey.from_seed_bytes(seed)),
    )


WITNESSES = [witness(number) for number in range(3)]


def policy_text(quorum: int = 2) -> str:
    """The default policy over three witnesses with two keys each."""
    lines = [f"log {LOG.verifier.vkey}", f"log {LOG_MLDSA.key.vkey}"]
    for number, (ed25519, mldsa) in enumerate(WITNESSES):
        lines += [f"witness w{number}-ed25519 {ed25519.key.vkey}", f"witness w{number}-mldsa {mldsa.key.vkey}"]
        lines.append(f"group w{number} any w{number}-ed25519 w{number}-mldsa")
    lines += [f"group all-of-them {quorum} w0 w1 w2", "quorum all-of-them"]
    return "\n".join(lines) + "\n"


def cosigned(times: dict[int, int], *, size: int = 7, root: bytes = ROOT, kinds: str = "em") -> str:
    """A checkpoint that the log signed and the witnesses of ``times`` (number: Unix seconds) cosigned."""
    text = checkpoint_text(ORIGIN, size, root)
    note = LOG.sign(text)
    for number, time_s in times.items():
        ed25519, mldsa = WITNESSES[number]
        if "e" in kinds:
            note += ed25519.line(text, time_s)
        if "m" in kinds:
            note += mldsa.line(text, time_s)
    return note
