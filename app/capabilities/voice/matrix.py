"""The matrix on the wire: speech as an NPY array of MDCT coefficients, or of STFT magnitudes.

* ``mdct``, shape (T, 160): the lapped transform with time-domain aliasing cancellation (Princen, Johnson and Bradley
  1987), sine window of 320 samples, hop 160 (10 ms at 16 kHz), orthonormal scale sqrt(2/160), full scale 1.0, one block
  of zeros before the first sample. It is invertible: **it is the audio**, so it is wiped as biometric values are.
* ``magnitude``, shape (T, 257): the moduli of a short-time Fourier transform, Hann window 400, n_fft 512, hop 160, not
  scaled. It has no phase, and none is made up for it.

The console and partners' clients import this module too: it needs numpy alone.
"""

from __future__ import annotations

import functools
import io
import re
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

SAMPLE_RATE: Final = 16_000
"""Hz."""
HOP: Final = 160
"""Samples between frames: 10 ms, and the number of MDCT coefficients in one."""
WINDOW: Final = 400
"""Samples of the Hann window of the magnitude profile: 25 ms."""
N_FFT: Final = 512
BINS: Final = N_FFT // 2 + 1
"""Magnitudes in a frame, from 0 Hz to 8 kHz by 31.25 Hz."""
MIN_FRAMES: Final = 100
MAX_FRAMES: Final = 3000
MAX_SAMPLES: Final = (MAX_FRAMES - 1) * HOP
"""The longest waveform that a matrix holds: 29.99 s."""
MAX_HEADER: Final = 1024
"""Bytes of the NPY header's text; numpy writes 118 for such an array."""
MAX_BYTES: Final = 12 + MAX_HEADER + MAX_FRAMES * BINS * 4
"""No matrix is longer than this."""

Profile = Literal["mdct", "magnitude"]
Samples = npt.NDArray[np.float32]
"""A waveform, shape (n,), 16 kHz, full scale 1.0."""

_PROFILES: Final[dict[int, tuple[Profile, float, float]]] = {
    HOP: ("mdct", -32.0, 32.0),
    BINS: ("magnitude", 0.0, 512.0),
}
"""By the number of columns: profile, smallest and largest value. Full scale 1.0 gives at most 22.8 and 200: a value
beyond these bounds has another scale, and sums of such could overflow."""
_MAGIC: Final = b"\x93NUMPY"
_FIELD: Final = re.compile(
    rb"""[ \n]*(['"])(?P<key>descr|fortran_order|shape)\1[ \n]*:[ \n]*(?:"""
    rb"""(['"])(?P<descr>[^'"\\]{1,64})\3|(?P<fortran_order>True|False)"""
    rb"""|\([ \n]*(?P<shape>[0-9]{1,9}[ \n]*,[ \n]*[0-9]{1,9})[ \n]*,?[ \n]*\))[ \n]*(?:,|\Z)"""
)
"""One entry of the header's dictionary, read as text: nothing of it is ever evaluated."""


def wipe(*arrays: npt.NDArray[np.generic]) -> None:
    """Overwrites arrays with zeros, in place: they hold somebody's voice, and what is only freed can be read."""
    for array in arrays:
        array[...] = 0


class MatrixError(ValueError):
    """The bytes are no matrix of this interface. ``reason`` is one sentence for the sender."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True, eq=False)
class VoiceMatrix:
    """A matrix that was read. ``values``: float32, shape (T, 160) or (T, 257), finite, in a buffer of its own."""

    profile: Profile
    values: npt.NDArray[np.float32]

    def wipe(self) -> None:
        """Overwrites the values with zeros: they are the caller's voice."""
        wipe(self.values)


def read_matrix(raw: bytes | bytearray | memoryview) -> VoiceMatrix:
    """The matrix in ``raw``, a whole NPY file of version 1 or 2: ``<f2`` or ``<f4``, C order, 2-D, finite.

    The sender has chosen every byte. The header is matched as text, and nothing is allocated before the length is that
    of a permitted shape, at most ``MAX_BYTES``. Raises ``MatrixError`` for all else.
    """
    with memoryview(raw) as view, view.cast("B") as octets:
        if len(octets) > MAX_BYTES:
            raise MatrixError(f"A matrix has at most {MAX_BYTES} bytes.")
        start, width, frames, columns = _layout(octets)
        profile, least, most = _PROFILES[columns]
        if len(octets) != start + frames * columns * width:
            raise MatrixError("The array's length is not that of its shape.")
        stored = np.frombuffer(octets, dtype=f"<f{width}", offset=start)
        values = np.array(stored, dtype=np.float32).reshape(frames, columns)
        # Before the views are released: an array that still lives would keep the sender's buffer exported.
        del stored
    try:
        if not np.isfinite(values).all():
            raise MatrixError("A value is not finite.")
        if values.min() < least or values.max() > most:
            raise MatrixError(f"A value is outside {least:g} to {most:g}: full scale is 1.0.")
    except MatrixError:
        wipe(values)
        raise
    return VoiceMatrix(profile, values)


def _layout(octets: memoryview) -> tuple[int, int, int, int]:
    """Where the array begins, bytes of an item, rows and columns, as the header says them (NEP 1)."""
    if bytes(octets[:6]) != _MAGIC:
        raise MatrixError("This is no NPY file.")
    # Version 1 has a length of two bytes, version 2 one of four.
    start = {b"\x01\x00": 10, b"\x02\x00": 12}.get(bytes(octets[6:8]))
    if start is None:
        raise MatrixError("Send NPY version 1 or 2.")
    if len(octets) < start:
        raise MatrixError("The header is cut.")
    length = int.from_bytes(octets[8:start], "little")
    if length > MAX_HEADER:
        raise MatrixError(f"The header has at most {MAX_HEADER} bytes.")
    if len(octets) < start + length:
        raise MatrixError("The header is cut.")
    fields = _fields(bytes(octets[start : start + length]))
    if fields["descr"] not in (b"<f2", b"<f4"):
        raise MatrixError("Send the dtype <f2 or <f4.")
    if fields["fortran_order"] != b"False":
        raise MatrixError("Send the array in C order.")
    frames, columns = (int(number) for number in fields["shape"].split(b","))
    if columns not in _PROFILES:
        raise MatrixError(f"A frame has {HOP} values (MDCT) or {BINS} (magnitudes).")
    if not MIN_FRAMES <= frames <= MAX_FRAMES:
        raise MatrixError(f"A matrix has {MIN_FRAMES} to {MAX_FRAMES} frames of 10 ms.")
    return start + length, int(fields["descr"][2:]), frames, columns


def _fields(header: bytes) -> dict[str, bytes]:
    """The three entries of the dictionary that the header's text is, each once, in any order."""
    text = header.strip(b" \n")
    if header[-1:] != b"\n" or text[:1] != b"{" or text[-1:] != b"}":
        raise MatrixError("The header is no dictionary.")
    inner = text[1:-1].rstrip(b" \n")
    fields: dict[str, bytes] = {}
    position = 0
    while position < len(inner):
        entry = _FIELD.match(inner, position)
        key = entry["key"].decode() if entry else ""
        if entry is None or key in fields or entry[key] is None:
            raise MatrixError("The header has descr, fortran_order and a shape of two numbers, each once.")
        fields[key] = entry[key]
        position = entry.end()
    if len(fields) != 3:
        raise MatrixError("The header has descr, fortran_order and a shape of two numbers, each once.")
    return fields


def npy_bytes(values: npt.NDArray[np.float16] | npt.NDArray[np.float32]) -> bytes:
    """``values`` as the NPY file, version 1, that ``read_matrix`` reads."""
    little = values.dtype.newbyteorder("<")
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.ascontiguousarray(values, little), version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


@functools.cache
def _basis() -> Samples:
    """The windowed cosines of the MDCT, shape (320, 160): two blocks of samples by coefficients, orthonormal."""
    sample = np.arange(2 * HOP)[:, None]
    coefficient = np.arange(HOP)[None, :]
    cosines = np.cos(np.pi / HOP * (sample + 0.5 + HOP / 2) * (coefficient + 0.5))
    basis = np.sqrt(2 / HOP) * np.sin(np.pi * (sample + 0.5) / (2 * HOP)) * cosines
    return np.asarray(basis, np.float32)


def matrix_of(wave: Samples) -> npt.NDArray[np.float16]:
    """The MDCT of ``wave`` (n,), float16, shape (ceil(n / 160) + 1, 160).

    ``wave`` is 16 kHz, full scale 1.0, 15,681 to 479,840 samples. It ends with zeros up to a whole block, and with one
    more block, without which its last 10 ms would stay aliased. float16 keeps speech of ordinary level to some 73 dB.
    """
    blocks = -(-len(wave) // HOP)
    if not MIN_FRAMES <= blocks + 1 <= MAX_FRAMES:
        raise ValueError(f"a matrix holds {MIN_FRAMES} to {MAX_FRAMES} frames of 10 ms")
    padded = np.zeros((blocks + 2, HOP), np.float32)
    padded.reshape(-1)[HOP : HOP + len(wave)] = wave
    if not np.isfinite(padded).all():
        raise ValueError("a sample is not finite")
    basis = _basis()
    return (padded[:-1] @ basis[:HOP] + padded[1:] @ basis[HOP:]).astype(np.float16)


def wave_of(matrix: VoiceMatrix) -> Samples:
    """The waveform of an ``mdct`` matrix, shape (160 (T - 1),): all that neighbouring frames overlap on.

    ``ValueError`` for magnitudes: a phase would have to be made up, and the phase is what is judged.
    """
    if matrix.profile != "mdct":
        raise ValueError("magnitudes have no waveform")
    basis = _basis()
    wave: Samples = matrix.values[1:] @ basis[:HOP].T
    aliased = matrix.values[:-1] @ basis[HOP:].T
    wave += aliased
    wipe(aliased)
    return wave.reshape(-1)


@functools.cache
def hann() -> Samples:
    """The periodic Hann window of the magnitude profile, shape (400,)."""
    return (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)).astype(np.float32)


def magnitudes_of(wave: Samples) -> npt.NDArray[np.float32]:
    """The moduli of the short-time Fourier transform of ``wave``, shape (1 + (n - 400) // 160, 257).

    Frame t holds the samples from 160 t on, 400 of them under a periodic Hann window: nothing is padded.
    """
    frames = np.lib.stride_tricks.sliding_window_view(wave, WINDOW)[::HOP] * hann()
    spectra = np.fft.rfft(frames, N_FFT)
    found = np.abs(spectra).astype(np.float32, copy=False)
    wipe(frames, spectra)
    return found
