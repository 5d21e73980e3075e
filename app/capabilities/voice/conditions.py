"""What a way to the microphone or a line does to a voice: eight simulated conditions.

A signature is enrolled under all of them, so that a take over a telephone is compared with a telephone's; the training
draws the same ones. A wave is float32 of shape (n,), mono, 16 kHz, full scale 1.0. Each function gives a new array of
the same length and changes no input; what it held of the wave on the way is zeroed before it returns, but for the few
milliseconds inside a codec's own state.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

import av
import numpy as np
import numpy.typing as npt

from app.capabilities.voice.matrix import SAMPLE_RATE, Samples, wipe

FloatArray = npt.NDArray[np.floating]
Condition = Callable[[Samples, np.random.Generator], Samples]

FEWEST_SAMPLES: Final = 400
"""Of a wave: one window of 25 ms, below which no level can be told."""
TELEPHONE_HZ: Final = (300.0, 3400.0)
"""The band of a telephone line (ITU-T G.712)."""
OPUS_BITS_S: Final = (12_000, 24_000)
"""Bits a second that the opus condition draws from: speech over the internet (RFC 7587, 3.1.1)."""

_BLOCK: Final = 160
_QUIETEST_SPEECH: Final = 0.01
_ROLL_OFF_HZ: Final = 100.0
_MU: Final = 255.0
_NARROW_RATE: Final = 8000
_LOUDEST: Final = 0.99
_SAVED_PHASE_S: Final = 0.002
_NOISE_SLOPES: Final = (0.0, 2.0)
_REVERBERATION_S: Final = (0.2, 0.8)
_NOISE_FLOOR_HZ: Final = 50.0


def clean(wave: Samples, _rng: np.random.Generator) -> Samples:
    """The wave as it is."""
    return wave.copy()


def telephone(wave: Samples, _rng: np.random.Generator) -> Samples:
    """A telephone line: 300 to 3400 Hz, 8 kHz, 8 bits by the mu-law (the continuous curve of ITU-T G.711)."""
    even = len(wave) + len(wave) % 2
    spectrum = np.fft.rfft(wave, even)
    hertz = np.arange(len(spectrum)) * (SAMPLE_RATE / even)
    low, high = TELEPHONE_HZ
    spectrum *= _ramp((hertz - low) / _ROLL_OFF_HZ + 1.0) * _ramp((high - hertz) / _ROLL_OFF_HZ + 1.0)
    half = even * _NARROW_RATE // SAMPLE_RATE
    narrow = np.fft.irfft(spectrum[: half // 2 + 1], half) * (half / even)
    quantize_mu_law(narrow)
    narrow_spectrum = np.fft.rfft(narrow)
    spectrum[:] = 0.0
    spectrum[: half // 2] = narrow_spectrum[: half // 2] * (even / half)
    wide = np.fft.irfft(spectrum, even)
    heard = _fit_full_scale(wide[: len(wave)].astype(np.float32))
    wipe(spectrum, narrow, narrow_spectrum, wide)
    return heard


def opus(wave: Samples, rng: np.random.Generator) -> Samples:
    """An internet call: through the Opus codec (RFC 6716) at a drawn rate of ``OPUS_BITS_S``, without lost packets."""
    low, high = OPUS_BITS_S
    return through_opus(wave, int(rng.integers(low, high + 1)))


def noisy_room(
    wave: Samples, rng: np.random.Generator, snr_db: tuple[float, float], direct_db: tuple[float, float]
) -> Samples:
    """First a room, then noise: ``snr_db`` and ``direct_db`` are the ranges that signal to noise and direct voice to
    reverberation are drawn from, evenly in dB."""
    sounding = in_room(wave, rng, rng.uniform(*direct_db))
    heard = with_noise(sounding, rng, rng.uniform(*snr_db))
    wipe(sounding)
    return heard


def telephone_with_noise(wave: Samples, rng: np.random.Generator) -> Samples:
    """Noise of 8 to 20 dB around the caller, then the line."""
    noisy = with_noise(wave, rng, rng.uniform(8.0, 20.0))
    heard = telephone(noisy, rng)
    wipe(noisy)
    return heard


CONDITIONS: Final[Mapping[str, Condition]] = MappingProxyType(
    {
        "clean": clean,
        "telephone": telephone,
        "opus": opus,
        "noise_room": lambda wave, rng: noisy_room(wave, rng, (10.0, 20.0), (-3.0, 8.0)),
        "loud_noise_room": lambda wave, rng: noisy_room(wave, rng, (5.0, 12.0), (-6.0, 6.0)),
        "noise_strong_room": lambda wave, rng: noisy_room(wave, rng, (12.0, 22.0), (-11.0, -4.0)),
        "room": lambda wave, rng: in_room(wave, rng, rng.uniform(-10.0, 3.0)),
        "telephone_noise": telephone_with_noise,
    }
)
"""The eight conditions of an enrolment, in the order of a signature's rows."""


def with_noise(wave: Samples, rng: np.random.Generator, snr_db: float) -> Samples:
    """Adds steady noise so that the speech is ``snr_db`` above it: power of the blocks of 10 ms that hold speech to the
    noise's mean power. The noise's spectrum falls by a drawn exponent (0: white, 1: pink, 2: brown), and its loudness
    wavers by a few dB. Silence stays silence."""
    size = len(wave)
    bins = size // 2 + 1
    hertz = np.maximum(np.arange(bins) * (SAMPLE_RATE / size), _NOISE_FLOOR_HZ)
    slope = rng.uniform(*_NOISE_SLOPES)
    spectrum = (rng.standard_normal(bins) + 1j * rng.standard_normal(bins)) * hertz ** (-slope / 2)
    spectrum[0] = 0.0
    noise = np.fft.irfft(spectrum, size)
    seconds = np.arange(size) / SAMPLE_RATE
    depth, rate, begin = rng.uniform(0.0, 0.3), rng.uniform(0.1, 1.0), rng.uniform(0.0, 2 * math.pi)
    noise *= 1.0 + depth * np.sin(2 * math.pi * rate * seconds + begin)
    power = float(np.mean(np.square(noise)))
    noise *= math.sqrt(speech_power(wave) * 10 ** (-snr_db / 10) / power)
    noise += wave
    heard = _fit_full_scale(noise.astype(np.float32))
    wipe(noise)
    return heard


def in_room(wave: Samples, rng: np.random.Generator, direct_db: float) -> Samples:
    """Speech in a room: the direct voice and a decaying tail whose energy lies ``direct_db`` below it (above where
    negative). The tail is noise that falls by 60 dB in a drawn 0.2 to 0.8 s (statistical room acoustics, Polack 1988)
    and begins 2 ms after the voice. The level of the whole is that of the wave."""
    decay_s = rng.uniform(*_REVERBERATION_S)
    length = int(decay_s * SAMPLE_RATE)
    seconds = np.arange(length) / SAMPLE_RATE
    response = rng.standard_normal(length) * np.exp(-math.log(1000.0) * seconds / decay_s)
    response[: int(_SAVED_PHASE_S * SAMPLE_RATE)] = 0.0
    response *= math.sqrt(10 ** (-direct_db / 10) / float(np.sum(np.square(response))))
    response[0] = 1.0
    # Powers of two are far cheaper than a length with a large prime factor.
    size = 1 << (len(wave) + length - 1).bit_length()
    spectrum = np.fft.rfft(wave, size)
    spectrum *= np.fft.rfft(response, size)
    sounding = np.fft.irfft(spectrum, size)
    cut = sounding[: len(wave)]
    loudness = float(np.mean(np.square(cut)))
    if loudness > 0.0:
        cut *= math.sqrt(float(np.mean(np.square(wave, dtype=np.float64))) / loudness)
    heard = _fit_full_scale(cut.astype(np.float32))
    wipe(spectrum, sounding)
    return heard


def through_opus(wave: Samples, bits_s: int) -> Samples:
    """Encodes by libopus in frames of its own length (20 ms) and decodes, without a container; the encoder's delay is
    taken out, so that the result lies where the wave lay. ``bits_s``: 6000 to 510000."""
    encoder = av.AudioCodecContext.create("libopus", "w")
    encoder.sample_rate, encoder.layout, encoder.format, encoder.bit_rate = SAMPLE_RATE, "mono", "flt", bits_s
    encoder.open()
    decoder = av.AudioCodecContext.create("libopus", "r")
    # The header tells the decoder the encoder's delay, which it takes out.
    decoder.extradata = encoder.extradata
    resampler = av.AudioResampler(format="flt", layout="mono", rate=SAMPLE_RATE)
    size = encoder.frame_size
    # One frame more than the wave: what the encoder's delay, a third of a frame, would hold back.
    frames = -(-len(wave) // size) + 1
    padded = np.zeros((frames, 1, size), np.float32)
    padded.reshape(-1)[: len(wave)] = wave
    heard = np.zeros(len(wave), np.float32)
    filled = 0

    def packets() -> Iterator[av.Packet[av.AudioStream]]:
        for number, block in enumerate(padded):
            frame = av.AudioFrame.from_ndarray(block, format="flt", layout="mono")
            frame.sample_rate, frame.pts = SAMPLE_RATE, number * size
            yield from encoder.encode(frame)
            _wipe_frame(frame)
        yield from encoder.encode(None)

    def pieces() -> Iterator[av.AudioFrame]:
        for packet in packets():
            for decoded in decoder.decode(packet):
                yield from resampler.resample(decoded)
                _wipe_frame(decoded)
        yield from resampler.resample(None)

    for piece in pieces():
        samples = np.frombuffer(memoryview(piece.planes[0]), np.float32, piece.samples)
        kept = samples[: len(heard) - filled]
        heard[filled : filled + len(kept)] = kept
        filled += len(kept)
        _wipe_frame(piece)
    wipe(padded)
    return _fit_full_scale(heard)


def quantize_mu_law(samples: FloatArray) -> None:
    """Rounds to the 256 steps of the mu-law in place; what is beyond full scale is clipped."""
    np.clip(samples, -1.0, 1.0, out=samples)
    signs = np.sign(samples)
    np.abs(samples, out=samples)
    samples *= _MU
    np.log1p(samples, out=samples)
    samples /= math.log1p(_MU)
    # 128 levels a sign, at the middle of each step but the one that holds silence.
    samples *= 127.0
    np.rint(samples, out=samples)
    samples *= math.log1p(_MU) / 127.0
    np.expm1(samples, out=samples)
    samples *= signs / _MU
    wipe(signs)


def speech_power(wave: Samples) -> float:
    """Mean power of the blocks of 10 ms that have at least a hundredth of the loudest one's: pauses do not count. 0 for
    silence. Raises ``ValueError`` for a wave of fewer than ``FEWEST_SAMPLES``."""
    if len(wave) < FEWEST_SAMPLES:
        raise ValueError(f"a wave has at least {FEWEST_SAMPLES} samples, this one {len(wave)}")
    blocks = wave[: len(wave) // _BLOCK * _BLOCK].reshape(-1, _BLOCK)
    powers = np.einsum("bs,bs->b", blocks, blocks, dtype=np.float64) / _BLOCK
    return float(powers[powers >= powers.max() * _QUIETEST_SPEECH].mean())


def _fit_full_scale(wave: Samples) -> Samples:
    """The same array, quieter where it would not fit full scale."""
    peak = float(np.abs(wave).max())
    if peak > _LOUDEST:
        wave *= _LOUDEST / peak
    return wave


def _ramp(position: FloatArray) -> FloatArray:
    """A raised cosine from 0 to 1 while the position goes from 0 to 1."""
    return np.asarray(0.5 - 0.5 * np.cos(math.pi * np.clip(position, 0.0, 1.0)))


def _wipe_frame(frame: av.AudioFrame) -> None:
    for plane in frame.planes:
        plane.update(bytes(plane.buffer_size))
