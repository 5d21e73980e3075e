"""C2SP tlog-proof files and what they prove offline.

A proof holds the leaf's index, its inclusion path and a cosigned checkpoint, verbatim. A verifier with a policy of
pinned keys needs nothing else.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.ledger.c2sp.note import NOTE_LIMIT, NoteError, parse_checkpoint, parse_note
from app.ledger.c2sp.policy import WitnessPolicy
from app.ledger.tree.tree import HASH, verify_inclusion

_HEAD: Final = "c2sp.org/tlog-proof@v1"
_LONGEST_PATH: Final = 63
PROOF_LIMIT: Final = NOTE_LIMIT + 8_192
"""Bytes of the longest proof that is parsed at all."""
_SEAL: Final = b"arc-knot-seal/v1\n"


class ProofError(ValueError):
    """The bytes are no proof, or the proof proves nothing under the policy."""


@dataclass(frozen=True)
class LogProof:
    """A parsed proof: the leaf's ``index``, the ``path`` from leaf to root (32 bytes a step), the verbatim ``note``."""

    index: int
    path: tuple[bytes, ...]
    note: str


@dataclass(frozen=True)
class Proven:
    """What a proof proves: the leaf stands in the tree of ``size`` leaves of the log ``origin``. ``quorum_at``: the
    least time (Unix seconds) at which enough witnesses had cosigned."""

    origin: str
    size: int
    root: bytes
    quorum_at: int


def proof_bytes(index: int, path: Sequence[bytes], note: str) -> bytes:
    """The file of a proof. It never has an ``extra`` line, because nobody signs that."""
    hashes = "".join([f"{base64.b64encode(step).decode()}\n" for step in path])
    return f"{_HEAD}\nindex {index}\n{hashes}\n{note}".encode()


def consensus_seal(proof: bytes) -> str:
    """``0x`` and 64 hexadecimal digits over a proof's bytes: commits to the leaf's place, the root and the
    cosignatures."""
    return f"0x{hashlib.sha256(_SEAL + proof).hexdigest()}"


def parse_proof(data: bytes) -> LogProof:
    """Parse the file of a proof and skip ``extra``; ``ProofError`` if it is no proof."""
    if len(data) > PROOF_LIMIT:
        raise ProofError("the proof is too long")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise ProofError("the proof is not UTF-8") from None
    head, empty, note = text.partition("\n\n")
    lines = head.split("\n")
    if not empty or lines.pop(0) != _HEAD:
        raise ProofError("not a tlog-proof file")
    if lines and lines[0].startswith("extra "):
        _base64(lines.pop(0).removeprefix("extra "))
    if not lines or not lines[0].startswith("index "):
        raise ProofError("the proof has no index")
    digits = lines.pop(0).removeprefix("index ")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 19 or (digits[0] == "0" and digits != "0"):
        raise ProofError("the proof's index is no decimal number")
    if len(lines) > _LONGEST_PATH:
        raise ProofError("the proof's path is too long")
    path = tuple(map(_base64, lines))
    if any(len(step) != HASH for step in path):
        raise ProofError("a hash of the path is not 32 bytes")
    return LogProof(int(digits), path, note)


def verify_proof(proof: LogProof, leaf: bytes, policy: WitnessPolicy) -> Proven:
    """Verify that the leaf hash ``leaf`` stands at the proof's index under a checkpoint that ``policy`` accepts.
    ``ProofError`` says what does not hold."""
    try:
        note = parse_note(proof.note.encode())
        checkpoint = parse_checkpoint(note.text)
        quorum_at = policy.check(note)
    except NoteError as error:
        raise ProofError(str(error)) from error
    if not verify_inclusion(leaf, proof.index, checkpoint.size, proof.path, checkpoint.root):
        raise ProofError("the leaf is not in the tree that the checkpoint signs")
    return Proven(checkpoint.origin, checkpoint.size, checkpoint.root, quorum_at)


def _base64(text: str) -> bytes:
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ProofError("a line of the proof is not base64") from None
    if base64.b64encode(raw).decode() != text:
        raise ProofError("a line of the proof is not canonical base64")
    return raw
