"""Vocal signatures of nodes: sealed rows, each under an orthogonal matrix of its own.

Eight vectors of 1,024 numbers, one for each simulated condition of the enrolment. They are kept turned by the node's
orthogonal matrix, whose seed is drawn at each enrolment and sealed in a field of its own: two enrolments of one person
have nothing in common that could be compared, and cosines stay what they are. Implements ``GrantHolder`` and
``PersonRecords``: a burn erases the node's signature, and so does the erasure of a person.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, func, insert, select
from sqlalchemy.engine import RowMapping

from app.capabilities.voice.matrix import wipe
from app.capabilities.voice.tables import voice_probe, voice_signature
from app.delivery.events import Held, Holding, RevocationEvidence
from app.store.engine import Store
from app.store.errors import SealBroken
from app.store.sealed import OVERHEAD
from app.store.writer import Transaction

VECTORS, NUMBERS = 8, 1024
SIGNATURE_BYTES: Final = VECTORS * NUMBERS * 2
SEED_BYTES: Final = 32
ENROL: Final = "voice.enrol"
ERASE: Final = "voice.erase"
HOLDER_ID: Final = "voice"

_NAME: Final = "Vocal signature"
_SIGNATURE: Final = "voice-signature"
_SEED: Final = "voice-seed"
_ROUNDS: Final = 3
_SERIAL_DIGITS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

Signature = NDArray[np.float16]
"""Shape (8, 1024), rows of length 1 as the engine made them, little-endian where stored."""


@dataclass(frozen=True, slots=True)
class SignatureFacts:
    """What the row of a vocal signature says beside the vectors."""

    node_id: str
    serial: str
    model_id: str
    model_sha256: str
    takes: int
    quality: int
    speech_s: float
    consent_us: int | None
    enrolled_us: int


@dataclass(frozen=True, slots=True)
class NewSignature:
    """A signature that is about to be kept. ``quality``: 100 times the lowest similarity of two takes; ``gate_llr``:
    the highest score of a take at the clone gate."""

    vectors: Signature
    model_id: str
    model_sha256: str
    takes: int
    quality: int
    speech_s: float
    gate_llr: float
    consent: bool


def make_serial() -> str:
    """A vocal signature serial number: ``VSSN-`` and 16 digits of Crockford's base 32, 80 random bits."""
    return "VSSN-" + "".join(secrets.choice(_SERIAL_DIGITS) for _ in range(16))


class VocalSignatures:
    """The signatures of a site. None is held in memory: one is opened for a check and wiped after it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sealer = store.sealer

    def facts(self, connection: Connection, node_id: str) -> SignatureFacts | None:
        """What is enrolled of the node, or None."""
        row = self._row(connection, node_id)
        if row is None:
            return None
        return SignatureFacts(
            node_id=node_id,
            serial=row["serial"],
            model_id=row["model_id"],
            model_sha256=row["model_sha256"],
            takes=row["takes"],
            quality=row["quality"],
            speech_s=row["speech_s"],
            consent_us=row["consent_us"],
            enrolled_us=row["enrolled_us"],
        )

    def open(self, connection: Connection, node_id: str, serial: str) -> Signature | None:
        """The node's vectors, which the caller wipes; None where another serial stands there by now. ``SealBroken`` for
        a row that was altered or moved."""
        row = self._row(connection, node_id)
        if row is None or row["serial"] != serial:
            return None
        if len(row["sealed"]) != SIGNATURE_BYTES + OVERHEAD or len(row["seed_sealed"]) != SEED_BYTES + OVERHEAD:
            raise SealBroken("A vocal signature has not the length of one. Restore the row from a backup.")
        turned: Signature = np.zeros((VECTORS, NUMBERS), "<f2")
        seed = bytearray(SEED_BYTES)
        context = _context(node_id, serial, row["model_sha256"])
        try:
            self._sealer.open_into(_SIGNATURE, row["sealed"], context, turned.view(np.uint8).reshape(-1).data)
            self._sealer.open_into(_SEED, row["seed_sealed"], context, seed)
            return turn_back(turned, bytes(seed))
        finally:
            wipe(turned)
            seed[:] = bytes(SEED_BYTES)

    def put(
        self, tx: Transaction, node_id: str, made: NewSignature, *, actor: str, request_id: str | None
    ) -> SignatureFacts:
        """Keeps the signature in place of the one that the node had, under a new serial and a new matrix."""
        replaced = tx.connection.execute(delete(voice_signature).where(voice_signature.c.node_id == node_id)).rowcount
        serial, seed = make_serial(), os.urandom(SEED_BYTES)
        context = _context(node_id, serial, made.model_sha256)
        turned = turn(made.vectors, seed)
        try:
            # Without a copy: one as bytes would be freed and not wiped.
            sealed = self._sealer.seal(_SIGNATURE, turned.view(np.uint8).reshape(-1).data, context)
        finally:
            wipe(turned)
        tx.connection.execute(
            insert(voice_signature).values(
                node_id=node_id,
                serial=serial,
                sealed=sealed,
                seed_sealed=self._sealer.seal(_SEED, seed, context),
                model_id=made.model_id,
                model_sha256=made.model_sha256,
                takes=made.takes,
                quality=made.quality,
                speech_s=made.speech_s,
                gate_llr=made.gate_llr,
                consent_us=tx.now_us if made.consent else None,
                enrolled_us=tx.now_us,
            )
        )
        if replaced:
            tx.scrub()
        detail = {
            "serial": serial,
            "takes": made.takes,
            "quality": made.quality,
            "speech_s": round(made.speech_s, 2),
            "model": made.model_id,
            "consent": made.consent,
            "replaced": replaced,
        }
        tx.audit(ENROL, actor=actor, node_id=node_id, request_id=request_id, detail=detail)
        return SignatureFacts(
            node_id=node_id,
            serial=serial,
            model_id=made.model_id,
            model_sha256=made.model_sha256,
            takes=made.takes,
            quality=made.quality,
            speech_s=made.speech_s,
            consent_us=tx.now_us if made.consent else None,
            enrolled_us=tx.now_us,
        )

    def erase(
        self,
        tx: Transaction,
        node_id: str,
        *,
        actor: str,
        request_id: str | None = None,
        burn_id: str | None = None,
    ) -> int:
        """Erases the node's signature, and what recognizes its recordings; gives how many signatures there were."""
        serial = tx.connection.scalar(select(voice_signature.c.serial).where(voice_signature.c.node_id == node_id))
        self._delete(tx, node_id)
        if serial is None:
            return 0
        detail = {"serial": serial, **({} if burn_id is None else {"burn_id": burn_id})}
        tx.audit(ERASE, actor=actor, node_id=node_id, request_id=request_id, detail=detail)
        return 1

    def _delete(self, tx: Transaction, node_id: str) -> int:
        """Deletes the node's signature and prints of recordings; how many rows."""
        gone = 0
        for table in (voice_signature, voice_probe):
            gone += tx.connection.execute(delete(table).where(table.c.node_id == node_id)).rowcount
        if gone:
            tx.scrub()
        return gone

    @staticmethod
    def _row(connection: Connection, node_id: str) -> RowMapping | None:
        found = connection.execute(select(voice_signature).where(voice_signature.c.node_id == node_id))
        return found.mappings().one_or_none()

    @staticmethod
    def _count(connection: Connection, node_id: str) -> int:
        return sum(
            connection.execute(select(func.count()).select_from(table).where(table.c.node_id == node_id)).scalar_one()
            for table in (voice_signature, voice_probe)
        )

    # --- what an erasure of a person takes away ---

    def held_records(self, connection: Connection, node_id: str) -> Held:
        """As ``PersonRecords``: the signature, and keyed digests of the recordings of a day."""
        return Held(self._count(connection, node_id))

    def forget(self, tx: Transaction, node_id: str) -> int:
        """As ``PersonRecords``. It writes no leaf of its own, which would name the person."""
        return self._delete(tx, node_id)

    # --- what a burn takes away ---

    def holdings(self, node_id: str) -> Sequence[Holding]:
        """The node's signature, as ``GrantHolder``."""
        with self._store.read() as connection:
            if self._row(connection, node_id) is None:
                return ()
        detail = "erased for good; enrolment takes the person"
        return (Holding(HOLDER_ID, "template", _NAME, 1, reversible=False, detail=detail),)

    def revoke(self, tx: Transaction, node_id: str, burn_id: str) -> Sequence[RevocationEvidence]:
        """Erases it inside the burn's transaction."""
        if not self.erase(tx, node_id, actor="service", burn_id=burn_id):
            return ()
        detail = "1 vocal signature erased"
        return (RevocationEvidence(HOLDER_ID, "template", _NAME, 1, already=False, detail=detail),)


def turn(vectors: Signature, seed: bytes) -> Signature:
    """The vectors under the orthogonal matrix of ``seed`` (32 bytes), float16 (8, 1024), a new array.

    The matrix is H D3 H D2 H D1 / 32^3: D are signs, H the Hadamard matrix of order 1,024 (``README.md``, section 2).
    It takes 30,720 additions a vector, where a drawn matrix would take 8 MiB and a decomposition.
    """
    work = vectors.astype(np.float64)
    for sign in _signs(seed):
        work *= sign
        _hadamard(work)
    return _half_precision(work)


def turn_back(vectors: Signature, seed: bytes) -> Signature:
    """What ``turn`` was given, to the rounding of float16."""
    work = vectors.astype(np.float64)
    for sign in reversed(_signs(seed)):
        _hadamard(work)
        work *= sign
    return _half_precision(work)


def _half_precision(work: NDArray[np.float64]) -> Signature:
    found: Signature = work.astype("<f2")
    wipe(work)
    return found


def _signs(seed: bytes) -> list[NDArray[np.float64]]:
    drawn = hashlib.shake_256(b"arc-voice-turn/1\x00" + seed).digest(_ROUNDS * NUMBERS // 8)
    bits = np.unpackbits(np.frombuffer(drawn, np.uint8)).reshape(_ROUNDS, NUMBERS)
    return [1.0 - 2.0 * row for row in bits.astype(np.float64)]


def _hadamard(work: NDArray[np.float64]) -> None:
    """Each row under the Hadamard matrix of its order, scaled to be orthonormal, in place."""
    count = work.shape[1]
    half = 1
    while half < count:
        pairs = work.reshape(len(work), count // (2 * half), 2, half)
        first = pairs[:, :, 0].copy()
        pairs[:, :, 0] += pairs[:, :, 1]
        np.subtract(first, pairs[:, :, 1], out=pairs[:, :, 1])
        wipe(first)
        half *= 2
    work /= np.sqrt(count)


def _context(node_id: str, serial: str, model_sha256: str) -> bytes:
    return f"voice_signature|{node_id}|{serial}|{model_sha256}".encode()
