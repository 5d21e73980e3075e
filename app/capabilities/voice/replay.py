"""Recognizes a recording that was sent before: the same matrix, and nearly the same.

Two keyed values are kept for 24 h, in rows of the store, so that a restart forgets nothing:

* **digest**: HMAC-SHA256 over the matrix's values. The same matrix in another NPY version or item size has the same.
* **marks**: of each 10 ms frame one 24-bit word says between which of 25 bands, and in which direction, energy moves
  within 80 ms, each band smoothed over 320 ms (Haitsma and Kalker 2002, with smoothing for frames that fall elsewhere).
  A word survives a change of level, coarser numbers, a shift of less than a frame, a cut and a little noise. What is
  stored is not the word but 4 bytes of its keyed digest, each once and sorted: without the key neither the words nor
  their order can be had back.

Two recordings are one if they share ``SAME_SHARE`` of the marks of the shorter one (``README.md``, section 4, says how
that was measured). The rows of one node are compared, the newest ``MOST_COMPARED`` of them: the rate of checks of a key
and a node keeps their number below that.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, func, insert, select

from app.capabilities.voice.matrix import VoiceMatrix, magnitudes_of, wave_of, wipe
from app.capabilities.voice.tables import voice_probe
from app.store.writer import Transaction

KEPT_US: Final = 24 * 3600 * 1_000_000
"""How long a recording is remembered."""
SAME_SHARE: Final = 0.12
"""Of the marks of the shorter recording: from here on the two are one."""
LEAST_MARKS: Final = 24
"""Distinct marks below which a recording says too little to be compared: silence, a held tone."""
MOST_COMPARED: Final = 8192
SWEEP_ROWS: Final = 1000

_BANDS: Final = 25
_SMOOTHED: Final = 32
"""Frames of the smoothing window: 320 ms."""
_APART: Final = 8
"""Frames between the two moments that a word compares: 80 ms."""
_LOUD: Final = 0.02
"""Share of the loudest moments' energy below which a frame gives no word: its bits would be those of noise."""
_EDGES: Final = np.round(np.geomspace(300.0, 3400.0, _BANDS + 1) / 31.25).astype(int)
"""Bins of the bands' limits: what a telephone carries."""


@dataclass(frozen=True, slots=True)
class VoicePrint:
    """What is kept of one recording: ``digest``, 32 bytes, and ``marks``, uint32 (m,), ascending and distinct."""

    digest: bytes
    marks: NDArray[np.uint32]


class ReplayMemory:
    """The recordings of the last 24 h. ``key``: 32 secret bytes."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def print_of(self, matrix: VoiceMatrix) -> VoicePrint:
        """Of a matrix that was read. Copies of the waveform are wiped before it returns."""
        code = hmac.new(self._key, b"voice-digest/1|" + matrix.profile.encode() + b"|", hashlib.sha256)
        code.update(np.ascontiguousarray(matrix.values).data)
        return VoicePrint(code.digest(), self._mark_words(_words(matrix)))

    def _mark_words(self, words: NDArray[np.uint32]) -> NDArray[np.uint32]:
        base = hashlib.blake2b(key=self._key, digest_size=4, person=b"voice-mark/1")
        marks = []
        for word in np.unique(words):
            one = base.copy()
            one.update(int(word).to_bytes(4, "big"))
            marks.append(int.from_bytes(one.digest(), "big"))
        return np.unique(np.asarray(marks, np.uint32))

    def newest(self, connection: Connection) -> int:
        """The number of the row that was written last; 0 without any."""
        return connection.scalar(select(func.max(voice_probe.c.number))) or 0

    def is_known(self, connection: Connection, node_id: str, given: VoicePrint, now_us: int, *, after: int = 0) -> bool:
        """Whether the same recording, or nearly the same one of this node, has a row with a number above ``after``."""
        recent = (voice_probe.c.number > after, voice_probe.c.at_us > now_us - KEPT_US)
        same = select(voice_probe.c.number).where(voice_probe.c.digest == given.digest, *recent).limit(1)
        if connection.scalar(same) is not None:
            return True
        rows = connection.scalars(
            select(voice_probe.c.marks)
            .where(voice_probe.c.node_id == node_id, *recent)
            .order_by(voice_probe.c.number.desc())
            .limit(MOST_COMPARED)
        )
        return any_same(given.marks, (np.frombuffer(row, ">u4") for row in rows))

    def remember(self, tx: Transaction, node_id: str, given: VoicePrint, *, synthetic: bool = False) -> None:
        """Keeps the recording. Inside the transaction that decides on it."""
        tx.connection.execute(
            insert(voice_probe).values(
                node_id=node_id,
                digest=given.digest,
                marks=given.marks.astype(">u4").tobytes(),
                synthetic=int(synthetic),
                at_us=tx.now_us,
            )
        )

    def synthetic_since(self, connection: Connection, node_id: str, since_us: int) -> int:
        """How many recordings for the node were judged synthetic since then."""
        count = select(func.count()).select_from(voice_probe)
        mine = count.where(
            voice_probe.c.node_id == node_id, voice_probe.c.synthetic == 1, voice_probe.c.at_us > since_us
        )
        return connection.execute(mine).scalar_one()

    def sweep(self, tx: Transaction) -> int:
        """Forgets recordings after 24 h; how many."""
        old = select(voice_probe.c.number).where(voice_probe.c.at_us < tx.now_us - KEPT_US).limit(SWEEP_ROWS)
        return tx.connection.execute(delete(voice_probe).where(voice_probe.c.number.in_(old))).rowcount


def any_same(marks: NDArray[np.uint32], others: Iterable[NDArray[np.uint32]]) -> bool:
    """Whether one of the others is nearly the same recording."""
    return any(share_of(marks, other) >= SAME_SHARE for other in others)


def share_of(marks: NDArray[np.uint32], other: NDArray[np.uint32]) -> float:
    """The share of the shorter one's marks that both have; 0.0 where one has too few to be compared."""
    least = min(len(marks), len(other))
    if least < LEAST_MARKS:
        return 0.0
    return len(np.intersect1d(marks, other, assume_unique=True)) / least


def _words(matrix: VoiceMatrix) -> NDArray[np.uint32]:
    """The words of the frames that are loud enough, uint32 (n,)."""
    if matrix.profile == "mdct":
        wave = wave_of(matrix)
        magnitudes = magnitudes_of(wave)
        wipe(wave)
    else:
        magnitudes = matrix.values.copy()
    try:
        return _words_of(magnitudes)
    finally:
        wipe(magnitudes)


def _words_of(magnitudes: NDArray[np.float32]) -> NDArray[np.uint32]:
    """Of magnitudes (T, 257): bit b of a word is set where the step from band b to b + 1 grew within 80 ms."""
    if len(magnitudes) < _SMOOTHED + _APART:
        return np.zeros(0, np.uint32)
    power = np.square(magnitudes, dtype=np.float64)
    bands = np.add.reduceat(power, _EDGES[:-1], axis=1)
    bands[:, -1] = power[:, _EDGES[-2] : _EDGES[-1]].sum(axis=1)
    wipe(power)
    window = np.hanning(_SMOOTHED + 2)[1:-1]
    smooth = np.stack([np.convolve(band, window, "valid") for band in bands.T], axis=1)
    loud = smooth.sum(axis=1)
    slope = np.diff(smooth, axis=1)
    bits = slope[_APART:] > slope[:-_APART]
    level = np.minimum(loud[_APART:], loud[:-_APART])
    kept = bits[level > _LOUD * np.quantile(loud, 0.9)]
    weights = (1 << np.arange(_BANDS - 1)).astype(np.uint32)
    words: NDArray[np.uint32] = (kept * weights).sum(axis=1, dtype=np.uint32)
    return words
