"""From 512 features to a renewable template: a secret projection, the same to the bit on every machine.

The projection is a rotation of 512 dimensions that a registry's key makes. No step of making it uses a mathematical
function whose last bit may differ between machines: bits of SHAKE-256 are counted, the matrix of the counts is made
orthonormal, and its entries are rounded to 16 bits. A key whose rounding could depend on the machine is refused
(`RedrawKey`), so every implementation reaches the same integers. ``tests/vectors/template-1.json`` holds some of them,
and ``README.md`` beside this file describes every step.

Key, seed and projection are one secret: any of them is enough to compute features back from templates.
`Projection.wipe` clears what a projection holds, in memory that is locked where the machine allows it (2.5 MiB). The
scratch of making one (SHAKE-256's output, LAPACK's copies) is freed, not cleared. Scratch that holds features or
templates is cleared before it is freed, so nothing here computes into an array that has no name. The operands that
OpenBLAS packs for one product stay in its own buffer until the next.

Sources: RFC 5869 (HKDF), FIPS 202 (SHAKE-256), ISO/IEC 24745 (renewability).
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Any, Final, Self, TypeAlias

import numpy as np
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from numpy.typing import NDArray

from hardware.memory import allocate_locked, wipe

Floats: TypeAlias = NDArray[np.float64]
Templates: TypeAlias = NDArray[np.int8]

DIMENSIONS: Final = 512
"""Values of a template, for every sensor."""

KEY_BYTES: Final = 32
SEED_BYTES: Final = 32
MATRIX_BYTES: Final = 2 * DIMENSIONS * DIMENSIONS

UNIT: Final = 32
"""Template units a standard deviation of a random direction; values stop at +-127, four of them."""

_SALT: Final = b"arc-stylized/1"
_COUNT_BYTES: Final = 8
_SCALE: Final = 724.0773439350247  # UNIT * sqrt(DIMENSIONS), written out: no machine has to take the root
_LEAST_PIVOT: Final = 0.01
_LEAST_MARGIN: Final = 1e-9


class RedrawKey(ValueError):
    """The key's matrix is nearly singular, or an entry lies so near a half that machines could round it differently.
    About 1 key in 300; `draw_key` never gives one."""


def seed_of(registry_key: bytes | bytearray | memoryview, registry_id: str, epoch: int) -> bytearray:
    """The 32 bytes that make the projection of one registry at one epoch, as a terminal's bundle carries them.

    The caller wipes them.

    `registry_key`: 32 bytes, random and of this epoch alone. `registry_id`: 1 to 255 bytes of UTF-8. `epoch`: 32 bits.
    Raises ValueError outside these bounds.
    """
    name = registry_id.encode()
    if len(registry_key) != KEY_BYTES:
        raise ValueError(f"a registry's key has {KEY_BYTES} bytes")
    if not 1 <= len(name) <= 255:
        raise ValueError("a registry's id has 1 to 255 bytes of UTF-8")
    if not 0 <= epoch < 2**32:
        raise ValueError("a key epoch has 32 bits")
    info = b"rotation" + bytes([len(name)]) + name + epoch.to_bytes(4, "big")
    seed = bytearray(SEED_BYTES)
    HKDF(SHA256(), SEED_BYTES, _SALT, info).derive_into(registry_key, seed)
    return seed


def counts(seed: bytes | bytearray | memoryview) -> NDArray[np.int8]:
    """The matrix G of (512, 512), row-major: set bits of each next 8 bytes of SHAKE-256(seed), minus 32."""
    stream = hashlib.shake_256(seed).digest(DIMENSIONS * DIMENSIONS * _COUNT_BYTES)
    words = np.frombuffer(stream, np.uint64)  # bits are counted, so the order of bytes does not matter
    return (np.bitwise_count(words).astype(np.int8) - 4 * _COUNT_BYTES).reshape(DIMENSIONS, DIMENSIONS)


def orthonormal(matrix: NDArray[np.int8]) -> NDArray[np.int16]:
    """Q of matrix = QR with a positive diagonal of R, times 2^15, rounded.

    Raises `RedrawKey` where machines could round differently.
    """
    q, r = np.linalg.qr(matrix.astype(np.float64))
    pivots: Floats = np.diagonal(r)
    q *= np.where(pivots < 0, -(2.0**15), 2.0**15)
    rounded = np.rint(q)
    # rint goes to the nearest integer: a distance of almost a half means that the nearest half is close.
    if float(np.abs(pivots).min()) < _LEAST_PIVOT or float(np.abs(q - rounded).max()) > 0.5 - _LEAST_MARGIN:
        raise RedrawKey("this registry key is one of the few whose projection is not the same everywhere: draw another")
    q15: NDArray[np.int16] = rounded.astype(np.int16)
    return q15


class Projection:
    """The projection of one registry at one epoch. Safe to share between threads until `wipe`.

    `q15`: (512, 512) int16, Q * 2^15. Raises ValueError for a key, id or epoch out of bounds, `RedrawKey` for a key
    that does not serve.
    """

    def __init__(self, registry_key: bytes | bytearray | memoryview, registry_id: str, epoch: int) -> None:
        seed = seed_of(registry_key, registry_id, epoch)
        try:
            self._make(seed, registry_id, epoch)
        finally:
            seed[:] = bytes(SEED_BYTES)

    @classmethod
    def of_seed(cls, seed: bytes | bytearray | memoryview, registry_id: str, epoch: int) -> Self:
        """As a terminal makes it: it is given the seed and never the key."""
        if len(seed) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes")
        made = cls.__new__(cls)
        made._make(seed, registry_id, epoch)
        return made

    @classmethod
    def of_matrix(cls, q15: bytes | bytearray | memoryview) -> Self:
        """From the ``q15`` of another process (row-major, this machine's byte order), which gives neither key nor seed
        away. The projection does not know its registry."""
        if len(q15) != MATRIX_BYTES:
            raise ValueError(f"a projection has {DIMENSIONS} x {DIMENSIONS} entries of 16 bits")
        made = cls.__new__(cls)
        made.registry_id, made.epoch = "", 0
        made._hold(np.frombuffer(q15, np.int16).reshape(DIMENSIONS, DIMENSIONS))
        return made

    def _make(self, seed: bytes | bytearray | memoryview, registry_id: str, epoch: int) -> None:
        self.registry_id = registry_id
        self.epoch = epoch
        scratch = orthonormal(counts(seed))
        self._hold(scratch)
        scratch.fill(0)

    def _hold(self, q15: NDArray[np.int16]) -> None:
        self.q15 = allocate_locked(MATRIX_BYTES).view(np.int16).reshape(DIMENSIONS, DIMENSIONS)
        self.q15[...] = q15
        # Held from the start, so that no call leaves a copy of the secret behind.
        self._wide = allocate_locked(4 * MATRIX_BYTES).view(np.float64).reshape(DIMENSIONS, DIMENSIONS)
        self._wide[...] = q15
        self._wiped = False

    def __repr__(self) -> str:
        return f"Projection(registry_id={self.registry_id!r}, epoch={self.epoch})"

    def template(self, x: NDArray[np.floating[Any]]) -> Templates:
        """The templates of features `x` of shape (..., 512), of any length above 0: int8 of the same shape.

        Raises ValueError for another shape, or a vector that is not finite or has no direction.
        """
        self._check()
        whole = fixed_point(x)
        projected = whole @ self._wide.T  # integers below 2^53 all along: exact in any order
        whole.fill(0)
        projected /= 2.0**30
        made = quantise(projected)
        projected.fill(0)
        return made

    def features(self, templates: Templates) -> Floats:
        """The features that `templates` (..., 512) were made of, to a cosine of about 0.999: Q^T T, length 1.

        Raises as `template` does.
        """
        self._check()
        _check_width(templates.shape)
        whole = templates.astype(np.float64)
        back = whole @ self._wide
        whole.fill(0)
        made = unit(back)
        back.fill(0)
        return made

    def wipe(self) -> None:
        """Clear the matrix. Every later call raises ValueError."""
        self._wiped = True
        self.q15.fill(0)
        self._wide.fill(0)

    def _check(self) -> None:
        if self._wiped:
            raise ValueError("this projection was wiped")


def draw_key(registry_id: str, epoch: int) -> tuple[NDArray[np.uint8], Projection]:
    """A fresh random key for an epoch of a registry, and its projection.

    The key is 32 bytes of locked memory, which the caller wipes.
    """
    key = allocate_locked(KEY_BYTES)
    while True:
        drawn = secrets.token_bytes(KEY_BYTES)
        key[:] = np.frombuffer(drawn, np.uint8)
        wipe(drawn)
        try:
            return key, Projection(key.data, registry_id, epoch)
        except RedrawKey:
            continue


def renew(templates: Templates, old: Projection, new: Projection) -> Templates:
    """The templates (..., 512) of `old` as `new` would have made them, without the person having to come.

    Each renewal rounds and clips once more. After five, the mean cosine to a fresh template is 0.9997. It is at least
    0.998 except for about one in 3,000 which has a value beyond four deviations (of 36,000 the worst was 0.9966).
    """
    x = old.features(templates)
    made = new.template(x)
    x.fill(0)
    return made


def unit(x: NDArray[np.floating[Any]] | Templates) -> Floats:
    """`x` of shape (..., 512) with each row at length 1; ValueError for rows that are not finite or are all zero."""
    _check_width(x.shape)
    wide = x.astype(np.float64)
    norms = np.sqrt(np.einsum("...i,...i->...", wide, wide))[..., np.newaxis]
    if not np.isfinite(norms).all() or not (norms > 0).all():
        wide.fill(0)
        raise ValueError("features are finite and not all zero")
    wide /= norms
    return wide


def quantise(directions: Floats) -> Templates:
    """Directions of length 1, shape (..., 512), as int8: `UNIT` per standard deviation, halves away from zero."""
    scaled = np.abs(directions)
    scaled *= _SCALE
    scaled += 0.5
    np.floor(scaled, out=scaled)
    np.copysign(scaled, directions, out=scaled)
    made: Templates = np.clip(scaled, -127, 127, out=scaled).astype(np.int8)
    scaled.fill(0)
    return made


def fixed_point(x: NDArray[np.floating[Any]]) -> Floats:
    """`x` at length 1, times 2^15, rounded: the integers (as float64) that the matrix is multiplied by."""
    whole = unit(x)
    whole *= 2.0**15
    return np.rint(whole, out=whole)


def _check_width(shape: tuple[int, ...]) -> None:
    if not shape or shape[-1] != DIMENSIONS:
        raise ValueError(f"features and templates have {DIMENSIONS} values")
