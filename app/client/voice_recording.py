"""Recordings on their way to the voice check: WAV and FLAC files, and a microphone's blocks, to mono at 16 kHz.

::

    wave = read_recording(Path("take.flac").read_bytes())
    vector = base64.b64encode(npy_bytes(matrix_of(wave)))

WAV is read here, chunk by chunk (Microsoft and IBM, Multimedia Programming Interface and Data Specifications 1.0; the
extensible form of ``ksmedia.h``). FLAC (RFC 9639) has its first block read here, so that its length is known before a
sample is decoded, and is then decoded by FFmpeg, which is told the format and may open nothing else. A file that does
not keep to its own header is refused whole: nothing is guessed, repaired or cut.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from io import BytesIO
from typing import Final, Never

import numpy as np
import numpy.typing as npt

from app.capabilities.voice.matrix import HOP, MAX_SAMPLES, MIN_FRAMES, SAMPLE_RATE, wipe

FloatArray = npt.NDArray[np.float32]

SHORTEST_S: Final = MIN_FRAMES * HOP / SAMPLE_RATE
LONGEST_S: Final = MAX_SAMPLES / SAMPLE_RATE
"""Seconds of a recording that the matrix on the wire holds."""
MAX_BYTES: Final = 64 << 20
"""Of a file: more than the longest recording at the highest rate with the most channels takes."""
RATES: Final = range(8_000, 192_001)
"""Samples a second."""
MAX_CHANNELS: Final = 8

_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_SUBFORMAT = b"\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"
"""What follows the two bytes of the format in the GUID of an extensible WAV file."""
_FORMAT_SIZES = {_PCM: (16, 18), _FLOAT: (16, 18), _EXTENSIBLE: (40,)}
_MAX_CHUNKS = 1_000

_ZEROS = 48
"""Zero crossings of the low-pass on each side."""
_KAISER = 9.0
"""Its window: 90 dB in the stop band."""
_EDGE = 0.95
"""Its middle, of the lower one of both Nyquist frequencies: 7.2 kHz pass whole, nothing above 8 kHz folds back."""
_PHASES = 1_024
"""Most positions between two samples that are kept; where a rate has more, neighbours are interpolated (-120 dB)."""
_OUTPUTS = 2_048
"""Samples that are made at a time: bounds the memory of a long recording."""


class RecordingRefused(ValueError):
    """The recording cannot be taken; the text is a sentence for people."""


def read_recording(data: bytes | bytearray | memoryview) -> FloatArray:
    """The recording in a WAV (PCM of 8, 16, 24 or 32 bits, float of 32 or 64) or FLAC file as mono at 16 kHz, float32
    (n,), full scale 1.0: the mean of its channels. ``SHORTEST_S`` to ``LONGEST_S`` seconds, 1 to 8 channels, 8 to 192
    kHz. The array owns its memory and may be wiped. Raises RecordingRefused. Blocks for up to some 100 ms; any thread.
    """
    view = memoryview(data).cast("B")
    if len(view) > MAX_BYTES:
        # The caller may have read no more of it than tells this: its whole length is not known here.
        raise RecordingRefused(f"The file has more than {MAX_BYTES >> 20} MiB; a recording of half a minute has less.")
    begin = bytes(view[:12])
    if begin[:4] == b"RIFF" and begin[8:] == b"WAVE":
        rate, samples = _read_wav(view)
    elif begin[:4] == b"fLaC":
        rate, samples = _read_flac(view)
    else:
        raise RecordingRefused("The file is neither WAV nor FLAC.")
    mono = samples.mean(axis=1, dtype=np.float32)
    wipe(samples)
    wave = resample(mono, rate)
    if wave is not mono:
        wipe(mono)
    return wave


# --- files ------------------------------------------------------------------------------------------------------------


def _refuse_damaged(why: str) -> Never:
    raise RecordingRefused(f"The file is damaged: {why}.")


def _check_form(rate: int, channels: int, frames: int) -> None:
    """Judge what a header says before a sample is read. Raises RecordingRefused."""
    if rate not in RATES:
        raise RecordingRefused(f"The recording has {rate} samples a second; {RATES[0]} to {RATES[-1]} are read.")
    if not 1 <= channels <= MAX_CHANNELS:
        raise RecordingRefused(f"The recording has {channels} channels; 1 to {MAX_CHANNELS} are read.")
    seconds = frames / rate
    if not SHORTEST_S <= seconds <= LONGEST_S:
        raise RecordingRefused(
            f"The recording lasts {seconds:.2f} s; {SHORTEST_S:.0f} to {LONGEST_S:.2f} s are checked at a time."
        )


def _chunks(view: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    """Name and content of each chunk of a WAV file. Raises RecordingRefused."""
    (size,) = struct.unpack_from("<I", view, 4) if len(view) >= 12 else _refuse_damaged("it ends in its header")
    if size + 8 > len(view):
        _refuse_damaged("it is shorter than its header says")
    at, end, count = 12, size + 8, 0
    while at < end:
        count += 1
        if at + 8 > end or count > _MAX_CHUNKS:
            _refuse_damaged("its chunks do not fit into it")
        name, length = struct.unpack_from("<4sI", view, at)
        at += 8
        if at + length > end:
            _refuse_damaged("a chunk is longer than the file")
        yield name, view[at : at + length]
        at += length + length % 2


def _read_wav(view: memoryview) -> tuple[int, FloatArray]:
    """Rate and samples, float32 (frames, channels). Raises RecordingRefused."""
    form: memoryview | None = None
    data: memoryview | None = None
    for name, content in _chunks(view):
        if name == b"fmt ":
            form = content if form is None else _refuse_damaged("it says twice how it is written")
        elif name == b"data":
            data = content if data is None else _refuse_damaged("it has two recordings")
    if form is None or data is None:
        _refuse_damaged("it does not say how it is written" if form is None else "it has no recording")
    if len(form) < 16:
        _refuse_damaged("it does not say how it is written")
    kind, channels, rate, per_second, per_frame, bits = struct.unpack_from("<HHIIHH", form)
    if len(form) not in _FORMAT_SIZES.get(kind, ()):
        if kind not in _FORMAT_SIZES:
            raise RecordingRefused("The WAV file is compressed; save it as PCM or as FLAC.")
        _refuse_damaged("it does not say how it is written")
    if kind == _EXTENSIBLE:
        _, valid, _mask, kind = struct.unpack_from("<HHIH", form, 16)
        if bytes(form[26:40]) != _SUBFORMAT or kind not in (_PCM, _FLOAT):
            raise RecordingRefused("The WAV file is compressed; save it as PCM or as FLAC.")
        if not 1 <= valid <= bits:
            _refuse_damaged("it does not say how it is written")
    if bits not in ((8, 16, 24, 32) if kind == _PCM else (32, 64)):
        raise RecordingRefused(f"The WAV file has samples of {bits} bits; save it with 16 or 24 bits.")
    if per_frame != channels * bits // 8 or per_second != rate * per_frame or not per_frame or len(data) % per_frame:
        _refuse_damaged("its header contradicts itself")
    _check_form(rate, channels, len(data) // per_frame)
    return rate, _full_scale(data, kind, bits).reshape(-1, channels)


def _full_scale(data: memoryview, kind: int, bits: int) -> FloatArray:
    """WAV samples as float32 of full scale 1.0. Raises RecordingRefused for a float that is no number."""
    if kind == _FLOAT:
        found = np.frombuffer(data, "<f4" if bits == 32 else "<f8")
        if not np.isfinite(found).all():
            _refuse_damaged("a sample is no number")
        return np.asarray(np.clip(found, -1.0, 1.0), np.float32)
    octets = np.frombuffer(data, np.uint8)
    if bits == 8:
        return np.asarray((octets.astype(np.float32) - 128) / 128, np.float32)
    if bits == 24:
        # Each three bytes become the upper ones of four.
        wide = np.zeros((len(octets) // 3, 4), np.uint8)
        wide[:, 1:] = octets.reshape(-1, 3)
        octets, bits = wide.reshape(-1), 32
    return np.asarray(octets.view(f"<i{bits // 8}") / 2.0 ** (bits - 1), np.float32)


def _read_flac(view: memoryview) -> tuple[int, FloatArray]:
    """Rate and samples, float32 (frames, channels). Raises RecordingRefused."""
    if len(view) < 42 or view[4] & 0x7F or int.from_bytes(view[5:8], "big") != 34:
        _refuse_damaged("it does not begin with what FLAC says of itself")
    # RFC 9639, 8.2: 20 bits of rate, 3 of channels less one, 5 of bits less one, 36 of the number of samples.
    packed = int.from_bytes(view[18:26], "big")
    rate, channels, frames = packed >> 44, (packed >> 41 & 7) + 1, packed & (1 << 36) - 1
    if not frames:
        raise RecordingRefused("The FLAC file does not say how long it is; save it anew, not as a stream.")
    _check_form(rate, channels, frames)
    return rate, _decode_flac(view, rate, channels, frames)


def _decode_flac(view: memoryview, rate: int, channels: int, frames: int) -> FloatArray:
    """The samples that the header announces: no more, no fewer. Raises RecordingRefused."""
    # Its libraries are large: a program that takes microphones and WAV alone never loads them.
    import av

    samples = np.zeros((frames, channels), np.float32)
    at = 0
    options = {"protocol_whitelist": "", "format_whitelist": "flac", "max_streams": "2", "threads": "1"}
    try:
        with av.open(BytesIO(view), "r", format="flac", options=options, io_open=_open_nothing) as container:
            for frame in container.decode(container.streams.audio[0]):
                if (frame.sample_rate, frame.layout.nb_channels) != (rate, channels):
                    _refuse_damaged("its form changes on the way")
                if at + frame.samples > frames:
                    _refuse_damaged("it is longer than its header says")
                # FFmpeg gives FLAC as it is coded, channel beside channel.
                found = frame.to_ndarray().reshape(-1, channels)
                whole = 2**15 if found.dtype == np.int16 else 2**31
                np.divide(found, whole, out=samples[at : at + frame.samples], dtype=np.float32, casting="unsafe")
                at += frame.samples
    except RecordingRefused:
        raise
    except Exception as error:  # a hostile file makes a decoder raise anything
        raise RecordingRefused("The file is damaged: its sound cannot be read.") from error
    if at != frames:
        _refuse_damaged("it is shorter than its header says")
    return samples


def _open_nothing(url: str, _flags: int, _options: object) -> Never:
    raise PermissionError(f"a recording asks for {url[:80]}")


# --- rates ------------------------------------------------------------------------------------------------------------


def resample(wave: FloatArray, rate: int) -> FloatArray:
    """``wave`` (n,) of ``rate`` samples a second at 16 kHz: the same array where it has that rate already. As long as
    before within a sample, its time unmoved. Raises ValueError for a rate outside ``RATES``."""
    if rate == SAMPLE_RATE:
        return wave
    made = Resampler(rate)
    return np.concatenate([made.push(wave), made.finish()])


class Resampler:
    """Turns a stream of blocks into 16 kHz: a polyphase low-pass (windowed sinc, linear phase), whose delay is taken
    out. Any cut of the stream into blocks gives the same samples. ``wipe`` ends it."""

    def __init__(self, rate: int) -> None:
        """``rate``: samples a second. Raises ValueError outside ``RATES``."""
        if rate not in RATES:
            raise ValueError(f"{rate} samples a second; {RATES[0]} to {RATES[-1]} are resampled")
        common = math.gcd(rate, SAMPLE_RATE)
        self._up, self._down = SAMPLE_RATE // common, rate // common
        cutoff = _EDGE * min(1.0, SAMPLE_RATE / rate)
        self._half = math.ceil(_ZEROS / cutoff)
        self._exact = self._up <= _PHASES
        self._bank = _filter_bank(self._up if self._exact else _PHASES, self._half, cutoff)
        self._rest = np.zeros(self._half - 1, np.float32)
        """Input from the first sample that the next output needs."""
        self._taken = self._given = 0
        self._base = 0
        """Input sample that ``_rest`` begins with, plus ``_half`` - 1."""

    def push(self, block: FloatArray) -> FloatArray:
        """Take the next samples, float32 (n,); give those that are complete now."""
        self._taken += len(block)
        before = self._rest
        self._rest = np.concatenate([before, block])
        wipe(before)
        # Output k needs the inputs up to floor(k down / up) + half.
        ready = max(0, -((self._half - self._taken) * self._up // self._down))
        return self._make(ready)

    def finish(self) -> FloatArray:
        """Give the rest, as if silence followed."""
        count = -(-self._taken * self._up // self._down)
        before = self._rest
        self._rest = np.concatenate([before, np.zeros(self._half + 1, np.float32)])
        wipe(before)
        made = self._make(count)
        self.wipe()
        return made

    def wipe(self) -> None:
        """Overwrite what it holds of the sound."""
        wipe(self._rest)

    def _make(self, until: int) -> FloatArray:
        """The outputs up to number ``until``, and forget the input that none needs any more."""
        parts = []
        while self._given < until:
            stop = min(until, self._given + _OUTPUTS)
            parts.append(self._some(np.arange(self._given, stop, dtype=np.int64)))
            self._given = stop
        begin = self._given * self._down // self._up - self._base
        kept = self._rest[max(0, begin) :].copy()
        self._base += len(self._rest) - len(kept)
        wipe(self._rest)
        self._rest = kept
        return np.concatenate(parts) if parts else np.zeros(0, np.float32)

    def _some(self, numbers: npt.NDArray[np.int64]) -> FloatArray:
        """The outputs of these numbers."""
        whole, part = np.divmod(numbers * self._down, self._up)
        taps = self._bank.shape[1]
        inputs = np.lib.stride_tricks.sliding_window_view(self._rest, taps)[whole - self._base]
        if self._exact:
            return np.asarray(np.einsum("kt,kt->k", inputs, self._bank[part]), np.float32)
        place = part * (_PHASES / self._up)
        row = place.astype(np.int64)
        weight = (place - row).astype(np.float32)[:, None]
        bank = self._bank[row] * (1 - weight) + self._bank[row + 1] * weight
        return np.asarray(np.einsum("kt,kt->k", inputs, bank), np.float32)


def _filter_bank(phases: int, half: int, cutoff: float) -> FloatArray:
    """Taps (phases + 1, 2 half) of the low-pass: row p weighs the inputs around a point p / phases behind one of them,
    each with a sum of 1. ``cutoff``: of the input's Nyquist frequency."""
    offset = np.arange(1 - half, half + 1)[None, :] - np.arange(phases + 1)[:, None] / phases
    window = np.i0(_KAISER * np.sqrt(np.clip(1 - (offset / half) ** 2, 0, None))) / np.i0(_KAISER)
    taps = np.sinc(offset * cutoff) * window
    found: FloatArray = (taps / taps.sum(axis=1, keepdims=True)).astype(np.float32)
    return found
