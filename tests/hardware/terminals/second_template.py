"""The template and the extractor once more, straight from their description: slow, and with nothing of the product's.

Matrices in the machine's extended precision (64 bits of mantissa) by modified Gram-Schmidt, keys by the command
`openssl kdf`, filters as sums of shifted pictures.
"""

from __future__ import annotations

import hashlib
import math
import subprocess
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray


def seed(key: bytes, registry_id: str, epoch: int) -> bytes:
    """HKDF-SHA256 by openssl."""
    name = registry_id.encode()
    info = b"rotation" + bytes([len(name)]) + name + epoch.to_bytes(4, "big")
    options = ["digest:SHA256", f"hexkey:{key.hex()}", f"hexsalt:{b'arc-stylized/1'.hex()}", f"hexinfo:{info.hex()}"]
    command = ["openssl", "kdf", "-keylen", "32", *(part for each in options for part in ("-kdfopt", each)), "HKDF"]
    printed = subprocess.run(command, check=True, capture_output=True, timeout=20).stdout.decode()
    return bytes.fromhex(printed.strip().replace(":", ""))


def counts(made_of: bytes) -> list[list[int]]:
    """G, 512 rows of 512."""
    stream = hashlib.shake_256(made_of).digest(512 * 512 * 8)
    flat = [int.from_bytes(stream[at : at + 8], "big").bit_count() - 32 for at in range(0, len(stream), 8)]
    return [flat[at : at + 512] for at in range(0, len(flat), 512)]


def gram_schmidt(matrix: list[list[int]]) -> tuple[NDArray[Any], float]:
    """Q in extended precision, and the smallest diagonal entry of R."""
    assert np.finfo(np.longdouble).nmant >= 63, "this machine has no extended precision"
    columns = np.array(matrix, np.longdouble).T.copy()  # row i is column i of the matrix: contiguous
    scratch = np.empty_like(columns)
    smallest = math.inf
    for i in range(512):
        length = np.sqrt((columns[i] * columns[i]).sum())
        smallest = min(smallest, float(length))
        columns[i] /= length
        rest = columns[i + 1 :]
        rest -= np.multiply((rest @ columns[i])[:, np.newaxis], columns[i], out=scratch[: len(rest)])
    return columns.T, smallest


def template(q15: NDArray[Any], x: NDArray[Any]) -> list[int]:
    """T of x (512,), in whole numbers and fractions."""
    wide = x.astype(np.longdouble)
    xq = [int(value) for value in np.rint(wide / np.sqrt((wide * wide).sum()) * 32768)]
    scale = Fraction(724.0773439350247) / 2**30
    made = []
    for row in q15.tolist():
        a = sum(q * value for q, value in zip(row, xq, strict=True))
        assert -(2**31) <= a < 2**31
        rounded = math.floor(abs(a) * scale + Fraction(1, 2))
        made.append(max(-127, min(127, rounded if a >= 0 else -rounded)))
    return made


def _gauss(values: NDArray[Any], sigma: float) -> NDArray[Any]:
    reach = int(4 * sigma + 0.5)
    weights = [math.exp(-(at**2) / (2 * sigma**2)) for at in range(-reach, reach + 1)]
    total = math.fsum(weights)
    for axis in (0, 1):
        widths = [(0, 0), (0, 0)]
        widths[axis] = (reach, reach)
        padded = np.pad(values, widths, mode="symmetric")
        size = values.shape[axis]
        parts = [np.take(padded, range(at, at + size), axis) * (w / total) for at, w in enumerate(weights)]
        values = sum(parts[1:], parts[0])
    return values


def orientation_field(roi: NDArray[Any]) -> NDArray[Any]:
    """The orientation field z, complex (128, 128)."""
    grey = roi.astype(np.float64)
    detail = grey - _gauss(grey, 8)
    even = detail / (np.sqrt(_gauss(detail**2, 8)) + 0.001)
    padded = np.pad(even, 17)
    field = np.zeros((128, 128), np.complex128)
    for k in range(12):
        t = math.pi * k / 12
        kernel = np.zeros((35, 35))
        for y in range(-17, 18):
            for x in range(-17, 18):
                u, v = x * math.cos(t) + y * math.sin(t), -x * math.sin(t) + y * math.cos(t)
                kernel[y + 17, x + 17] = math.exp(-(u * u + 0.36 * v * v) / (2 * 4.6**2)) * math.cos(
                    2 * math.pi * u / 9
                )
        kernel -= kernel.mean()
        kernel /= math.sqrt((kernel**2).sum())
        answer = np.zeros((128, 128))
        for y in range(-17, 18):
            for x in range(-17, 18):  # a convolution: the picture is read at the place minus the offset
                answer += kernel[y + 17, x + 17] * padded[17 - y : 145 - y, 17 - x : 145 - x]
        field += np.maximum(0, -answer) * complex(math.cos(2 * t), math.sin(2 * t))
    return _gauss(field.real, 2.5) + 1j * _gauss(field.imag, 2.5)


def view(field: NDArray[Any], dy: int, dx: int) -> list[float]:
    """The 512 values of the view at (dy, dx)."""
    values = []
    for row in range(4, 128, 8):
        for column in range(4, 128, 8):
            cell = complex(field[(row - dy) % 128, (column - dx) % 128])
            values += [math.copysign(math.sqrt(abs(part)), part) for part in (cell.real, cell.imag)]
    length = math.sqrt(math.fsum(value * value for value in values))
    return [value / length for value in values]
