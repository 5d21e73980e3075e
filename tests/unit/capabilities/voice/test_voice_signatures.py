"""The node's orthogonal matrix and the serial: what is kept cannot be compared between enrolments."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

from app.capabilities.voice.signatures import NUMBERS, VECTORS, make_serial, turn, turn_back

VECTOR = json.loads((Path(__file__).parents[3] / "vectors" / "voice-signature-1.json").read_text())


def drawn(seed: int) -> np.ndarray:
    vectors = np.random.default_rng(seed).standard_normal((VECTORS, NUMBERS))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    a, b = a.astype(np.float64), b.astype(np.float64)
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_the_vector() -> None:
    """As the format's page shows it."""
    x = np.frombuffer(hashlib.shake_256(b"arc-voice-turn/1 test x").digest(NUMBERS), np.int8)
    assert hashlib.sha256(x.tobytes()).hexdigest() == VECTOR["x_sha256"]
    vectors = np.repeat(x[np.newaxis].astype(np.float16), VECTORS, axis=0)
    turned = turn(vectors, bytes.fromhex(VECTOR["seed"]))
    assert turned[0, :8].astype(float).tolist() == VECTOR["turned_head"]
    assert hashlib.sha256(turned.tobytes()).hexdigest() == VECTOR["turned_sha256"]


def test_the_matrix_is_that_of_the_format() -> None:
    """H D3 H D2 H D1 / 32^3, by the plain definition: H[i][j] is -1 to the number of common bits of i and j."""
    seed = bytes.fromhex(VECTOR["seed"])
    bits = np.unpackbits(np.frombuffer(hashlib.shake_256(b"arc-voice-turn/1\0" + seed).digest(384), np.uint8))
    common = np.arange(NUMBERS)[:, None] & np.arange(NUMBERS)
    hadamard = 1.0 - 2.0 * (np.bitwise_count(common) % 2 if hasattr(np, "bitwise_count") else _parity(common))
    whole = np.eye(NUMBERS)
    for signs in bits.reshape(3, NUMBERS):
        whole = hadamard @ np.diag(1.0 - 2.0 * signs) @ whole / 32
    vectors = drawn(1)
    expected = vectors.astype(np.float64) @ whole.T
    assert np.abs(turn(vectors, seed) - expected).max() < 1e-4


def _parity(values: np.ndarray) -> np.ndarray:
    count = np.zeros_like(values)
    for bit in range(10):
        count += values >> bit & 1
    return count % 2


def test_turning_back_gives_what_was_there() -> None:
    """To the rounding of float16."""
    vectors, seed = drawn(2), bytes(32)
    assert np.abs(turn_back(turn(vectors, seed), seed).astype(float) - vectors.astype(float)).max() < 3e-4


def test_cosines_stay_under_one_matrix_and_vanish_under_two() -> None:
    """Two enrolments of one voice have nothing in common."""
    a, b = drawn(3), drawn(4)
    near = (a.astype(np.float32) + 0.5 * b.astype(np.float32)).astype(np.float16)
    one, other = bytes(32), bytes([1]) * 32
    assert cosine(turn(a, one)[0], turn(near, one)[0]) == pytest.approx(cosine(a[0], near[0]), abs=1e-3)
    assert abs(cosine(turn(a, one)[0], turn(a, other)[0])) < 0.15
    assert cosine(turn_back(turn(a, one), other)[0], a[0]) < 0.15


def test_serials_are_vocal_signature_serial_numbers() -> None:
    """80 random bits in digits that nobody confuses."""
    made = {make_serial() for _ in range(100)}
    assert len(made) == 100
    assert all(re.fullmatch(r"VSSN-[0-9A-HJKMNP-TV-Z]{16}", serial) for serial in made)
