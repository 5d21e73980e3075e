"""What a recording is good for, on recordings whose faults are known."""

from __future__ import annotations

import numpy as np
import pytest

from app.capabilities.voice.analysis.quality import (
    bandwidth_of,
    centred_magnitudes,
    clipping_of,
    quality_of,
    quality_of_magnitudes,
    reverberation_of,
    snr_of,
)
from app.capabilities.voice.analysis.speech import levels_of, seconds_of, speech_mask
from tests.unit.capabilities.voice.analysis.synthetic_voice import speech


def with_noise(snr_db: float) -> np.ndarray:
    """A voice under white noise that is so far below its speech."""
    wave = speech(1, seconds=5)
    wave[:12_000] = wave[60_000:] = 0
    mask = np.repeat(speech_mask(wave), 160)
    power = np.mean(wave[: len(mask)][mask].astype(np.float64) ** 2)
    noise = np.random.default_rng(4).normal(0, np.sqrt(power * 10 ** (-snr_db / 10)), len(wave))
    return (wave + noise).astype(np.float32)


@pytest.mark.parametrize("snr_db", [10, 20, 30])
def test_noise_is_measured(snr_db: float) -> None:
    """Within 2 dB."""
    assert quality_of(with_noise(snr_db)).snr_db == pytest.approx(snr_db, abs=2)


def test_the_snr_written_out() -> None:
    """Lowest tenth of each band, brought to a mean by 1.85, under the mean of the speech frames."""
    power = np.ones((100, 257), np.float32)
    power[50:] = 101
    speech_frames = np.arange(100) >= 50
    expected = 10 * np.log10((101 - 1.85) / 1.85)
    assert snr_of(power, speech_frames) == pytest.approx(expected, abs=1e-3)


def test_digital_silence_is_no_infinite_snr() -> None:
    """60 dB at most."""
    power = np.zeros((100, 257), np.float32)
    power[50:] = 1
    assert snr_of(power, np.arange(100) >= 50) == pytest.approx(60)


@pytest.mark.parametrize("highest", [3400, 5000])
def test_bandwidth_is_measured(highest: int) -> None:
    """The end of a band-limited recording, to 200 Hz."""
    wave = with_noise(40)
    spectrum = np.fft.rfft(wave)
    spectrum[np.fft.rfftfreq(len(wave), 1 / 16_000) > highest] = 0
    limited = np.fft.irfft(spectrum, len(wave)).astype(np.float32)
    assert quality_of(limited).bandwidth_hz == pytest.approx(highest, abs=200)


def test_bandwidth_ends_where_the_floor_begins() -> None:
    """Speech that is only as loud as the pauses above a frequency has no more bandwidth."""
    power = np.ones((100, 257), np.float32)
    power[50:, :97] = 100
    speech_frames = np.arange(100) >= 50
    # Bins 0 to 96, and two more by the mean over five.
    assert bandwidth_of(power, speech_frames) == 98 * 31.25
    assert bandwidth_of(np.ones((100, 257), np.float32), speech_frames) == 0


def test_bandwidth_ends_60_db_below_the_peak() -> None:
    """What is fainter is a leak, whatever the pauses are."""
    power = np.zeros((100, 257), np.float32)
    power[50:, :64] = 1e4
    power[50:, 64:128] = 0.011
    power[50:, 128:] = 0.009
    assert bandwidth_of(power, np.arange(100) >= 50) == pytest.approx(127 * 31.25, abs=2 * 31.25)


@pytest.mark.parametrize("share", [0.01, 0.03, 0.1])
def test_clipping_is_measured(share: float) -> None:
    """Clipped at full scale or before a gain: the share of samples, within a quarter of it."""
    wave = speech(2)
    limit = np.quantile(np.abs(wave), 1 - share)
    clipped = np.clip(wave, -limit, limit)
    assert clipping_of(clipped) == pytest.approx(share, rel=0.25)
    assert clipping_of(clipped * np.float32(0.1)) == clipping_of(clipped)


def test_clipping_written_out() -> None:
    """Three level samples at the top, two at the bottom, one alone at the top and a rise near it, of twelve."""
    wave = np.array([0, 1, 1, 0.9995, 0, 1, 0, -0.8, -0.8, 0.975, 0.98, 0], np.float32)
    assert clipping_of(wave) == pytest.approx(5 / 12)


def test_an_unclipped_voice_has_none() -> None:
    """Less than a sample in a thousand."""
    assert clipping_of(speech(3)) < 0.001
    assert clipping_of(np.zeros(1000, np.float32)) == 0
    assert clipping_of(np.zeros(0, np.float32)) == 0


def test_level_and_seconds_are_those_of_the_speech() -> None:
    """As the mask says."""
    wave = speech(1)
    mask = speech_mask(wave)
    found = quality_of(wave)
    assert found.speech_s == pytest.approx(seconds_of(mask), abs=0.1)
    expected = 10 * np.log10(np.mean(10 ** (levels_of(wave)[mask] / 10)))
    assert found.level_dbfs == pytest.approx(expected, abs=0.5)


@pytest.mark.parametrize(("level", "expected"), [(0.0, -90.0), (0.1, -23.0)])
def test_without_speech_there_is_a_level_alone(level: float, expected: float) -> None:
    """Zero seconds, and NaN where there is nothing to measure; silence has the floor's level, a tone its own."""
    found = quality_of(np.asarray(level * np.sin(np.arange(32_000) * 0.7), np.float32))
    assert found.speech_s == 0
    assert np.isnan([found.snr_db, found.bandwidth_hz]).all()
    assert found.level_dbfs == pytest.approx(expected, abs=0.1)
    assert found.reverberation_db is None


def test_magnitudes_have_the_same_quality() -> None:
    """All but the clipping, which needs samples."""
    wave = speech(1)
    found, whole = quality_of_magnitudes(centred_magnitudes(wave)), quality_of(wave)
    assert np.isnan(found.clipping)
    assert (found.speech_s, found.snr_db, found.bandwidth_hz, found.level_dbfs) == (
        whole.speech_s,
        whole.snr_db,
        whole.bandwidth_hz,
        whole.level_dbfs,
    )


def test_rooms_are_put_in_order() -> None:
    """The tail of a room, 0.5 s, 10 dB below the voice and as loud as it: each seems wetter than the one before."""
    rng = np.random.default_rng(6)
    tail = rng.normal(0, 1, 8000) * 10 ** (-3 * np.arange(8000) / 8000)
    tail *= 1 / np.sqrt(np.sum(tail**2))
    wave = speech(1) * (np.sin(np.arange(48_000) * np.pi / 4000) > -0.3)
    found = []
    for gain in (0.0, 10**-0.5, 1.0):
        wet = wave + gain * np.fft.irfft(np.fft.rfft(wave, 65_536) * np.fft.rfft(tail, 65_536))[:48_000]
        found.append(quality_of(wet.astype(np.float32)).reverberation_db)
    assert found[0] < found[1] < found[2]


def test_the_room_is_not_judged_under_noise() -> None:
    """Below 10 dB the tails are covered."""
    assert quality_of(with_noise(3)).reverberation_db is None
    assert quality_of(with_noise(20)).reverberation_db is not None


def test_reverberation_written_out() -> None:
    """Three quantiles of the falls of all bands within 40 ms, from within 20 dB of the loudest, weighted."""
    levels = np.tile(np.concatenate([np.zeros(6), np.linspace(-2, -30, 9), np.full(5, -50.0)]), 5)
    power = (10 ** (levels / 10))[:, None] * np.ones((1, 257))
    floored = np.maximum(levels, -40)
    falls = [floored[t + 4] - floored[t] for t in range(len(levels) - 4) if floored[t] > -20]
    expected = 4.9 + 1.96 * np.quantile(falls, 0.02) - 1.62 * np.quantile(falls, 0.1) - 0.18 * np.quantile(falls, 0.3)
    assert -15 < expected < 3
    assert reverberation_of(power) == pytest.approx(expected, abs=0.05)
    assert reverberation_of(np.ones((50, 257))) == 3
    steep = np.tile(np.repeat([1.0, 1e-6], [22, 3]), 4)[:, None] * np.ones((1, 257))
    assert -15 <= reverberation_of(steep) <= 3


def test_frames_are_those_of_the_mask() -> None:
    """One for each whole block, around its middle."""
    wave = np.zeros(16_100, np.float32)
    wave[8000:8160] = 0.5
    found = centred_magnitudes(wave)
    assert len(found) == len(speech_mask(wave)) == 100
    assert found.sum(axis=1).argmax() == 50
