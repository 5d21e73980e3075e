"""A burn as an evidence bundle (``app/ledger/bundle.py``): its segments, their manifests, the proofs of its leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from app.api.wire import Reply
from app.ledger.bundle import write_bundle
from app.pki.proven_leaf import ProvenLeaf, leaf_files

KIND: Final = "burn"
PROOF: Final = "burn.json"
REPORT: Final = "report.pdf"


class BurnProof(Reply, kw_only=True):
    """``burn.json``. ``leaves``: the burn's own, then those of its ``segments``, in the log's order."""

    burn_id: str
    node_id: str
    training: bool
    log_origin: str
    segments: list[int]
    leaves: list[ProvenLeaf]


def segment_name(number: int) -> str:
    """The segment in the bundle; its manifest ends in ``.c2pa``."""
    return f"segments/{number}.jsonl"


def manifest_name(number: int) -> str:
    """The segment's manifest."""
    return f"segments/{number}.c2pa"


def burn_bundle(
    proof: BurnProof,
    segments: Sequence[tuple[bytes, bytes]],
    report: bytes,
    sign: Callable[[bytes], bytes],
) -> bytes:
    """The bundle: the same bytes for the same facts. ``segments``: bytes and manifest of each of ``proof.segments``."""
    text = msgspec.json.format(msgspec.json.encode(proof), indent=2) + b"\n"
    parts = {PROOF: text, REPORT: report, **leaf_files(proof.leaves)}
    for number, (body, manifest) in zip(proof.segments, segments, strict=True):
        parts[segment_name(number)] = body
        parts[manifest_name(number)] = manifest
    return write_bundle(KIND, parts, training=proof.training, sign=sign)
