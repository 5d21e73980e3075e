"""A knot seal as an evidence bundle (``app/ledger/bundle.py``)."""

from __future__ import annotations

import base64
from collections.abc import Callable

import msgspec

from app.capabilities.provenance.messages import KnotSeal
from app.ledger.bundle import SEAL, proof_parts, write_bundle

KIND = "knot-seal"


def seal_bundle(seal: KnotSeal, sign: Callable[[bytes], bytes]) -> bytes:
    """The bundle of ``seal``: the same bytes for the same statements. ``sign`` as for ``write_bundle``."""
    text = msgspec.json.format(msgspec.json.encode(seal), indent=2) + b"\n"
    return write_bundle(KIND, {SEAL: text, **seal_parts(seal)}, training=seal.training, sign=sign)


def seal_parts(seal: KnotSeal) -> dict[str, bytes]:
    """The files that a bundle has beside its seal; all follow from the seal. ``ValueError`` if a proof or token cannot
    be read."""
    parts: dict[str, bytes] = {}
    for leaf in seal.leaves:
        proof = None if leaf.seal_proof is None else leaf.seal_proof.encode()
        token = None if leaf.timestamp_token is None else base64.b64decode(leaf.timestamp_token, validate=True)
        stem = f"seal/{leaf.log_index}.outside"
        for number, stamp in enumerate(leaf.outside_stamps or (), 1):
            parts[f"{stem}-{number}.checkpoint"] = stamp.checkpoint.encode()
            parts[f"{stem}-{number}.consistency"] = "".join(f"{step}\n" for step in stamp.consistency).encode()
            parts[f"{stem}-{number}.tst"] = base64.b64decode(stamp.timestamp_token, validate=True)
        parts |= proof_parts("seal", leaf.log_index, leaf.leaf.encode(), proof, token)
    return parts
