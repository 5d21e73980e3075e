"""A burn as an evidence bundle (``app/ledger/bundle.py``): its segments, their manifests, the proofs of its leaves."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from app.api.wire import Reply, Timestamp
from app.ledger.bundle import proof_parts, write_bundle

KIND: Final = "burn"
PROOF: Final = "burn.json"
REPORT: Final = "report.pdf"


class BurnOpening(Reply, kw_only=True):
    """What opens a leaf, as with seals: its ``body`` is hexadecimal SHA-256(salt || payload), both in base64."""

    salt: str | None
    payload: str | None


class BurnLeaf(Reply, kw_only=True):
    """An entry of the audit log with its proof (C2SP tlog-proof) under a checkpoint that met its quorum at
    ``timestamp``; ``timestamp_token``: RFC 3161, base64, over that checkpoint."""

    log_index: int
    leaf: str
    opening: BurnOpening
    proof: str
    timestamp: Timestamp
    timestamp_token: str | None


class BurnProof(Reply, kw_only=True):
    """``burn.json``. ``leaves``: the burn's own, then those of its ``segments``, in the log's order."""

    burn_id: str
    node_id: str
    training: bool
    log_origin: str
    segments: list[int]
    leaves: list[BurnLeaf]


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
    parts = {PROOF: text, REPORT: report, **leaf_parts(proof)}
    for number, (body, manifest) in zip(proof.segments, segments, strict=True):
        parts[segment_name(number)] = body
        parts[manifest_name(number)] = manifest
    return write_bundle(KIND, parts, training=proof.training, sign=sign)


def leaf_parts(proof: BurnProof) -> dict[str, bytes]:
    """The files that stand for the leaves: all follow from them. ``ValueError`` for what is no proof or token."""
    parts: dict[str, bytes] = {}
    for leaf in proof.leaves:
        token = None if leaf.timestamp_token is None else base64.b64decode(leaf.timestamp_token, validate=True)
        parts |= proof_parts("audit", leaf.log_index, leaf.leaf.encode(), leaf.proof.encode(), token)
    return parts
