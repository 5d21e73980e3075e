"""Checks of knot seals, bundles and checkpoints under a pinned policy."""

from __future__ import annotations

import base64
import json
from collections.abc import Set
from dataclasses import dataclass
from typing import Any

import msgspec

from app.capabilities.provenance.messages import KnotSeal
from app.console.evidence.judgement import SealCheck, SealJudgement
from app.console.evidence.verifier import verifier
from app.console.language import tr

TITLES = {
    "policy": tr("Pinned policy"),
    "file": tr("File"),
    "shape": tr("Form", "shape"),
    "seal": tr("Consensus seal"),
    "leaf": tr("Leaf and opening"),
    "quorum": tr("Witnesses"),
    "path": tr("Path to the root"),
    "stamp": tr("Time stamp"),
    "outside": tr("Outside time stamps"),
    "knot": tr("Name and order"),
    "training": tr("Training or real"),
    "zip": tr("Bundle"),
    "manifest": tr("List of files"),
    "signature": tr("Signature of the site"),
    "content": tr("Content"),
    "parts": tr("Files beside it"),
    "chain": tr("Chain of segments"),
}


@dataclass(frozen=True)
class CosignedBy:
    """One witness of the policy. ``at``: Unix seconds at which it cosigned, by a signature that holds; else None."""

    name: str
    at: int | None


@dataclass(frozen=True)
class VerifiedCheckpoint:
    """A checkpoint whose signatures hold. ``quorum_at``: Unix seconds."""

    origin: str
    size: int
    root: bytes
    quorum_at: int


def knot_file(knot: KnotSeal) -> bytes:
    """A knot as the file that ``arc_verify.py`` and ``arc-console verify`` take."""
    return msgspec.json.format(msgspec.json.encode(knot), indent=2) + b"\n"


def verify_knot(knot: KnotSeal, policy: bytes) -> SealJudgement:
    """Every check of a knot and of each of its statements."""
    pending = {str(number) for number, leaf in enumerate(knot.leaves, 1) if leaf.seal_proof is None}
    return _judge(knot_file(knot), policy, pending, numbered=len(knot.leaves) > 1)


def verify_file(data: bytes, policy: bytes) -> SealJudgement:
    """Every check of a file that leaves the site: a seal, an evidence bundle."""
    return _judge(data, policy, frozenset(), numbered=True)


def _judge(data: bytes, policy: bytes, pending: Set[str], *, numbered: bool) -> SealJudgement:
    """Run the verifier on ``data`` and title its checks; a failed one of a ``pending`` statement is not judged yet."""
    checks = []
    for name, good, sentence in verifier().verify(data, policy).checks:
        kind, _, number = name.partition(" ")
        # A proof that the site does not claim to have yet is no forged one.
        awaited = not good and number in pending and kind in ("seal", "quorum")
        title = f"{number} · {TITLES[kind]}" if number and numbered else TITLES[kind]
        checks.append(SealCheck(title, None if awaited else good, sentence))
    return SealJudgement(tuple(checks))


def cosigners(seal_proof: str, policy: bytes) -> list[CosignedBy]:
    """Every witness of the policy, in its order, and when it cosigned the proof's checkpoint. Raises ValueError."""
    arc = verifier()
    try:
        note, trusted = arc.Proof(seal_proof).note, arc.Policy(policy)
    except arc.Bad as error:
        raise ValueError(str(error)) from error
    found: dict[str, int | None] = {}
    for _, key in trusted.witnesses:
        at = key.time(note)
        before = found.get(key.name)
        found[key.name] = before if at is None else at if before is None else min(at, before)
    return [CosignedBy(name, at) for name, at in found.items()]


def checked_head(note: str, policy: bytes) -> VerifiedCheckpoint:
    """A cosigned checkpoint whose log signature and quorum hold. Raises ValueError."""
    arc = verifier()
    try:
        parsed = arc.Note(note)
        return VerifiedCheckpoint(parsed.origin, parsed.size, parsed.root, arc.Policy(policy).met_at(parsed))
    except arc.Bad as error:
        raise ValueError(str(error)) from error


def opening_of(payload: str | None) -> dict[str, Any] | None:
    """The content of a seal's opening; None when it is erased or no object. ``verify_knot`` checks whether the leaf
    commits to it."""
    if payload is None:
        return None
    try:
        said = json.loads(base64.b64decode(payload, validate=True))
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None
