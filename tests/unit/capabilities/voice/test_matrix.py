"""The matrix on the wire: what is read, what is refused, and that the transform gives the audio back."""

from __future__ import annotations

import contextlib
import io
import pickle
import tracemalloc

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.capabilities.voice.matrix import (
    BINS,
    HOP,
    MAX_BYTES,
    MAX_FRAMES,
    MAX_HEADER,
    MAX_SAMPLES,
    MIN_FRAMES,
    MatrixError,
    VoiceMatrix,
    magnitudes_of,
    matrix_of,
    npy_bytes,
    read_matrix,
    wave_of,
)
from tests.unit.capabilities.voice.analysis.synthetic_voice import speech

TWO_SECONDS = 32_000


def wave(seed: int = 1, samples: int = TWO_SECONDS) -> npt.NDArray[np.float32]:
    """Noise and two tones at an ordinary level, full scale 1.0."""
    rng = np.random.default_rng(seed)
    time = np.arange(samples) / 16_000
    tones = 0.2 * np.sin(2 * np.pi * 220 * time) + 0.1 * np.sin(2 * np.pi * 3100 * time + 1)
    return (tones + rng.normal(0, 0.03, samples)).astype(np.float32)


def as_numpy_writes(array: npt.NDArray[np.generic], version: tuple[int, int] = (1, 0)) -> bytes:
    """The NPY file that numpy itself writes."""
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, version=version, allow_pickle=False)
    return buffer.getvalue()


def with_header(text: bytes, data: bytes = b"", version: int = 1, length: int | None = None) -> bytes:
    """A file whose header is ``text``; ``length`` is what it says of it, if not the truth."""
    size = len(text) if length is None else length
    return b"\x93NUMPY" + bytes([version, 0]) + size.to_bytes(2 * version, "little") + text + data


HALF = np.zeros((MIN_FRAMES, HOP), "<f2")
DATA = HALF.tobytes()
HEADER = b"{'descr': '<f2', 'fortran_order': False, 'shape': (100, 160), }\n"


@pytest.mark.parametrize("version", [(1, 0), (2, 0)])
@pytest.mark.parametrize("dtype", ["<f2", "<f4"])
@pytest.mark.parametrize(("columns", "profile"), [(160, "mdct"), (257, "magnitude")])
def test_what_numpy_writes_is_read(version: tuple[int, int], dtype: str, columns: int, profile: str) -> None:
    """Both versions, both dtypes and both profiles give the values that numpy wrote."""
    written = np.random.default_rng(3).random((101, columns)).astype(dtype)
    matrix = read_matrix(as_numpy_writes(written, version))
    assert matrix.profile == profile
    assert matrix.values.dtype == np.float32
    assert np.array_equal(matrix.values, written.astype(np.float32))


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_buffer_is_read_and_let_go(kind: type[bytes]) -> None:
    """A caller may wipe its buffer, and resize it, as soon as the matrix is read."""
    raw = bytearray(npy_bytes(HALF + np.float16(0.5)))
    matrix = read_matrix(kind(raw))
    raw[:] = bytes(len(raw))
    raw.clear()
    assert (matrix.values == 0.5).all()


@pytest.mark.parametrize("frames", [MIN_FRAMES, MAX_FRAMES])
@pytest.mark.parametrize("columns", [HOP, BINS])
def test_the_bounds_belong_to_the_range(frames: int, columns: int) -> None:
    """100 and 3,000 frames are read."""
    assert read_matrix(npy_bytes(np.zeros((frames, columns), "<f4"))).values.shape == (frames, columns)


def test_the_largest_matrix_has_the_length_that_is_stated() -> None:
    """``MAX_BYTES`` is a magnitude matrix of 3,000 float32 frames behind the longest header of version 2."""
    text = b"{'descr': '<f4', 'fortran_order': False, 'shape': (3000, 257), }"
    file = with_header(text.ljust(MAX_HEADER - 1) + b"\n", bytes(3000 * 257 * 4), version=2)
    assert len(file) == MAX_BYTES
    assert read_matrix(file).values.shape == (3000, 257)


@pytest.mark.parametrize(
    "text",
    [
        b"{'shape': (100, 160), 'descr': '<f2', 'fortran_order': False}\n",
        b'{"descr": "<f2", "fortran_order": False, "shape": (100, 160)}\n',
        b"{'descr':'<f2','fortran_order':False,'shape':(100,160,),}\n",
        b"{ 'descr' : '<f2' ,\n 'fortran_order' : False ,\n 'shape' : ( 100 , 160 ) }\n",
    ],
)
def test_other_writers_of_the_same_dictionary_are_read(text: bytes) -> None:
    """Order, quotes, blanks and the last comma are the writer's."""
    assert read_matrix(with_header(text, DATA)).values.shape == (100, 160)


REFUSED = {
    "empty": (b"", "no NPY file"),
    "half the magic": (b"\x93NUM", "no NPY file"),
    "pickle": (pickle.dumps(HALF), "no NPY file"),
    "zip": (b"PK\x03\x04" + bytes(400), "no NPY file"),
    "version 3": (b"\x93NUMPY\x03\x00" + bytes(400), "version 1 or 2"),
    "version 1.1": (b"\x93NUMPY\x01\x01" + bytes(400), "version 1 or 2"),
    "no length": (b"\x93NUMPY\x02\x00\x76\x00", "cut"),
    "empty header": (with_header(b""), "no dictionary"),
    "only a magic and a version": (b"\x93NUMPY\x01\x00", "cut"),
    "header cut": (with_header(HEADER[:20], length=118), "cut"),
    "header bomb": (with_header(HEADER, version=2, length=0xFFFFFFFF), "1024 bytes"),
    "header too long": (with_header(b"{" + b" " * 1023 + b"}\n"), "1024 bytes"),
    "no dictionary": (with_header(b"(1, 2)\n"), "no dictionary"),
    "not closed": (with_header(HEADER.replace(b"}", b"")), "no dictionary"),
    "no newline": (with_header(HEADER[:-1], DATA), "no dictionary"),
    "empty dictionary": (with_header(b"{}\n"), "each once"),
    "a field missing": (with_header(b"{'descr': '<f2', 'shape': (100, 160)}\n"), "each once"),
    "a field twice": (with_header(HEADER.replace(b"}", b"'descr': '<f4'}")), "each once"),
    "a field more": (with_header(HEADER.replace(b"}", b"'x': '<f4'}")), "each once"),
    "wrong kind of value": (with_header(HEADER.replace(b"False", b"'<f2'")), "each once"),
    "an expression": (with_header(HEADER.replace(b"100", b"50*2")), "each once"),
    "a call": (with_header(HEADER.replace(b"False", b"exit()")), "each once"),
    "no comma": (with_header(HEADER.replace(b"False,", b"False ")), "each once"),
    "one dimension": (with_header(HEADER.replace(b"(100, 160)", b"(16000,)"), DATA), "each once"),
    "three dimensions": (with_header(HEADER.replace(b"(100, 160)", b"(10, 10, 160)"), DATA), "each once"),
    "negative": (with_header(HEADER.replace(b"100", b"-100"), DATA), "each once"),
    "long number": (with_header(HEADER.replace(b"100", b"1" * 10), DATA), "each once"),
    "big-endian": (as_numpy_writes(HALF.astype(">f2")), "<f2 or <f4"),
    "doubles": (as_numpy_writes(HALF.astype("<f8")), "<f2 or <f4"),
    "integers": (as_numpy_writes(HALF.astype("<i2")), "<f2 or <f4"),
    "objects": (with_header(HEADER.replace(b"<f2", b"|O"), pickle.dumps([1])), "<f2 or <f4"),
    "fields of a record": (with_header(HEADER.replace(b"'<f2'", b"[('a', '<f2')]"), DATA), "each once"),
    "Fortran order": (as_numpy_writes(np.asfortranarray(HALF)), "C order"),
    "159 columns": (as_numpy_writes(np.zeros((100, 159), "<f2")), "160 values"),
    "no columns": (as_numpy_writes(np.zeros((100, 0), "<f2")), "160 values"),
    "99 frames": (as_numpy_writes(np.zeros((99, 160), "<f2")), "100 to 3000 frames"),
    "3001 frames": (as_numpy_writes(np.zeros((3001, 160), "<f2")), "100 to 3000 frames"),
    "shape bomb": (with_header(HEADER.replace(b"100", b"999999999")), "100 to 3000 frames"),
    "a byte missing": (with_header(HEADER, DATA[:-1]), "length"),
    "a byte more": (with_header(HEADER, DATA + b"\0"), "length"),
    "another file behind": (with_header(HEADER, DATA) * 2, "length"),
    "too long": (with_header(HEADER, DATA).ljust(MAX_BYTES + 1, b"\0"), f"{MAX_BYTES} bytes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_matrix_is_refused(name: str) -> None:
    """Each fault has the sentence that names it."""
    raw, words = REFUSED[name]
    with pytest.raises(MatrixError) as refused:
        read_matrix(raw)
    assert words in refused.value.reason


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["<f2", "<f4"])
@pytest.mark.parametrize("place", [0, -1])
def test_a_value_that_is_not_finite_is_refused(value: float, dtype: str, place: int) -> None:
    """One is enough, wherever it stands."""
    values = np.zeros((100, 160), dtype)
    values.reshape(-1)[place] = value
    with pytest.raises(MatrixError, match="finite"):
        read_matrix(npy_bytes(values))


@pytest.mark.parametrize(
    ("columns", "value", "refused"),
    [
        (160, 32.0, False),
        (160, 32.03125, True),
        (160, -32.0, False),
        (160, -32.03125, True),
        (257, 512.0, False),
        (257, 512.5, True),
        (257, 0.0, False),
        (257, -0.001, True),
    ],
)
def test_another_scale_is_refused(columns: int, value: float, refused: bool) -> None:
    """Integers of 16 bits sent as floats, and negative magnitudes, are faults of the sender."""
    values = np.zeros((100, columns), "<f4")
    values[7, 11] = value
    raw = npy_bytes(values)
    if refused:
        with pytest.raises(MatrixError, match="outside"):
            read_matrix(raw)
    else:
        assert read_matrix(raw).values[7, 11] == value


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300), st.integers(0, 80), st.sampled_from([1, 2]))
@example(b"", 0, 1)
def test_any_bytes_give_a_matrix_or_a_matrix_error(junk: bytes, at: int, version: int) -> None:
    """Bytes as they are, behind the magic, inside the header and over the data: no other exception."""
    valid = as_numpy_writes(HALF, (version, 0))
    for raw in (junk, valid[:8] + junk, valid[:at] + junk, valid[:at] + junk + valid[at + len(junk) :]):
        with contextlib.suppress(MatrixError):
            matrix = read_matrix(raw)
            assert matrix.values.shape == (100, 160)
            assert np.isfinite(matrix.values).all()


@settings(max_examples=60, deadline=None)
@given(
    frames=st.integers(MIN_FRAMES, 130),
    columns=st.sampled_from([HOP, BINS]),
    dtype=st.sampled_from(["<f2", "<f4"]),
    version=st.sampled_from([(1, 0), (2, 0)]),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_matrix_comes_back(frames: int, columns: int, dtype: str, version: tuple[int, int], seed: int) -> None:
    """Value for value, whatever its length, profile, dtype and version; a byte less or more is none."""
    values = np.random.default_rng(seed).uniform(0, 30, (frames, columns)).astype(dtype)
    raw = as_numpy_writes(values, version)
    assert np.array_equal(read_matrix(raw).values, values.astype(np.float32))
    for wrong in (raw[:-1], raw + b"\0"):
        with pytest.raises(MatrixError, match="length"):
            read_matrix(wrong)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 140), st.integers(0, 255)), min_size=1, max_size=4))
def test_no_changed_matrix_does_harm(changes: list[tuple[int, int]]) -> None:
    """Bytes of its header and of its first values are others: finite values in their bounds, or a ``MatrixError``."""
    changed = bytearray(as_numpy_writes(HALF))
    for at, value in changes:
        changed[at] = value
    with contextlib.suppress(MatrixError):
        matrix = read_matrix(changed)
        assert matrix.values.shape == (100, 160)
        assert np.abs(matrix.values).max() <= 32


@settings(max_examples=200, deadline=None)
@given(
    st.text(st.sampled_from(list(" \n{}()[]'\",:0123456789<f24bdescrfortran_ordershapeTrueFalse")), max_size=1000),
)
def test_any_header_of_the_same_letters_is_judged(text: str) -> None:
    """Headers near the grammar end in a matrix or a ``MatrixError``."""
    raw = with_header(text.encode()[:MAX_HEADER], DATA)
    with contextlib.suppress(MatrixError):
        assert read_matrix(raw).values.shape == (100, 160)


@pytest.mark.parametrize(
    "raw",
    [
        with_header(HEADER, version=2, length=0xFFFFFFF0),
        with_header(HEADER.replace(b"100", b"999999999")),
        with_header(HEADER.replace(b"100", b"3000")),
        bytes(8 << 20),
    ],
    ids=["header bomb", "shape bomb", "no data", "8 MiB"],
)
def test_what_is_refused_costs_no_memory(raw: bytes) -> None:
    """Nothing is allocated for a promise that the length does not keep."""
    tracemalloc.start()
    try:
        with pytest.raises(MatrixError):
            read_matrix(raw)
        assert tracemalloc.get_traced_memory()[1] < 64 << 10
    finally:
        tracemalloc.stop()


def test_wiping_leaves_zeros() -> None:
    """The voice is gone from the matrix's buffer, which is its own."""
    matrix = read_matrix(npy_bytes(matrix_of(wave())))
    assert matrix.values.any()
    assert matrix.values.flags.owndata or matrix.values.base.flags.owndata  # type: ignore[union-attr]
    matrix.wipe()
    assert not matrix.values.any()


def naive_mdct(samples: npt.NDArray[np.float32], frame: int, coefficient: int) -> float:
    """One coefficient by the definition, in double precision: frame 0 begins with the block of zeros."""
    total = 0.0
    for n in range(320):
        at = (frame - 1) * 160 + n
        value = float(samples[at]) if 0 <= at < len(samples) else 0.0
        window = np.sin(np.pi * (n + 0.5) / 320)
        total += window * value * np.cos(np.pi / 160 * (n + 0.5 + 80) * (coefficient + 0.5))
    return float(np.sqrt(2 / 160) * total)


def test_coefficients_are_those_of_the_definition() -> None:
    """First, second and last frame agree with the sum written out, to float16."""
    samples = wave(samples=16_007)
    matrix = matrix_of(samples)
    assert matrix.dtype == np.float16
    assert matrix.shape == (102, 160)
    for frame in (0, 1, 50, 100, 101):
        for coefficient in (0, 1, 30, 159):
            expected = naive_mdct(samples, frame, coefficient)
            assert matrix[frame, coefficient] == pytest.approx(expected, rel=1e-3, abs=2e-6)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(15_681, 40_000), st.sampled_from([0.1, 0.3, 1.0]))
def test_the_audio_comes_back(seed: int, samples: int, gain: float) -> None:
    """At float16 the waveform returns with at least 72 dB of signal to noise, first and last sample included."""
    # Coloured as speech is, 6 dB an octave, and rising and falling four times a second.
    coloured = np.cumsum(np.random.default_rng(seed).normal(0, 1, samples)) / 40
    coloured = np.diff(coloured, prepend=0, n=1) + 0.2 * (coloured - np.roll(coloured, 40))
    sent = (0.3 * gain * coloured * np.sin(np.arange(samples) * np.pi / 4000) ** 2).astype(np.float32)
    back = wave_of(read_matrix(npy_bytes(matrix_of(sent))))
    assert back.dtype == np.float32
    assert len(back) == -(-samples // 160) * 160
    padded = np.zeros(len(back))
    padded[:samples] = sent
    assert 10 * np.log10(np.sum(padded**2) / np.sum((padded - back) ** 2)) >= 72


@pytest.mark.parametrize("seed", range(4))
def test_a_voice_comes_back(seed: int) -> None:
    """Of a voice at an ordinary level float16 keeps 73 dB, which the property's drawn noise misses by half of one."""
    sent = speech(seed)
    back = wave_of(read_matrix(npy_bytes(matrix_of(sent))))
    assert 10 * np.log10(np.sum(sent**2) / np.sum((sent - back) ** 2)) >= 73


def test_the_transform_is_orthonormal() -> None:
    """The matrix has the energy of the waveform."""
    samples = wave()
    energy = np.sum(matrix_of(samples).astype(np.float64) ** 2)
    assert energy == pytest.approx(np.sum(samples.astype(np.float64) ** 2), rel=1e-3)


@pytest.mark.parametrize(("samples", "frames"), [(15_681, 100), (15_840, 100), (15_841, 101), (MAX_SAMPLES, 3000)])
def test_lengths_that_a_matrix_holds(samples: int, frames: int) -> None:
    """A begun block counts as a whole one."""
    assert matrix_of(np.zeros(samples, np.float32)).shape == (frames, 160)


@pytest.mark.parametrize("samples", [0, 15_680, MAX_SAMPLES + 1])
def test_lengths_that_no_matrix_holds(samples: int) -> None:
    """Too little and too much is refused before it is sent."""
    with pytest.raises(ValueError, match="100 to 3000 frames"):
        matrix_of(np.zeros(samples, np.float32))


def test_a_waveform_that_is_not_finite_is_refused() -> None:
    """A broken recording is not sent."""
    broken = wave()
    broken[100] = np.nan
    with pytest.raises(ValueError, match="finite"):
        matrix_of(broken)


def test_magnitudes_have_no_waveform() -> None:
    """No phase is made up."""
    matrix = VoiceMatrix("magnitude", magnitudes_of(wave()))
    with pytest.raises(ValueError, match="no waveform"):
        wave_of(matrix)


def test_magnitudes_are_those_of_the_definition() -> None:
    """Some of them agree with the Fourier sum written out."""
    samples = wave(samples=16_000)
    found = magnitudes_of(samples)
    assert found.dtype == np.float32
    assert found.shape == (98, 257)
    n = np.arange(400)
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * n / 400)
    for frame in (0, 1, 97):
        for bin_ in (0, 7, 99, 256):
            sum_ = np.sum(hann * samples[frame * 160 + n] * np.exp(-2j * np.pi * bin_ * n / 512))
            assert found[frame, bin_] == pytest.approx(abs(sum_), rel=1e-3, abs=1e-5)


def test_magnitudes_pass_the_wire() -> None:
    """The second profile is read with its values."""
    sent = magnitudes_of(wave())
    matrix = read_matrix(npy_bytes(sent.astype(np.float16)))
    assert matrix.profile == "magnitude"
    assert np.allclose(matrix.values, sent, rtol=1e-3, atol=1e-6)
