"""The eight simulated conditions: their bands, levels and ratios, measured on tones and noise."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.capabilities.voice import conditions
from app.capabilities.voice.conditions import (
    CONDITIONS,
    FEWEST_SAMPLES,
    in_room,
    quantize_mu_law,
    speech_power,
    telephone,
    telephone_with_noise,
    through_opus,
    with_noise,
)
from app.capabilities.voice.matrix import SAMPLE_RATE, Samples


def tone(hertz: float, seconds: float = 1.0, peak: float = 0.3) -> Samples:
    return np.asarray(
        peak * np.sin(2 * np.pi * hertz * np.arange(int(seconds * SAMPLE_RATE)) / SAMPLE_RATE), np.float32
    )


def power(wave: Samples) -> float:
    return float(np.mean(np.square(wave, dtype=np.float64)))


def seeded(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_the_conditions_are_eight_in_the_order_of_a_signature() -> None:
    """A signature's rows are told by their place alone."""
    assert list(CONDITIONS) == [
        "clean",
        "telephone",
        "opus",
        "noise_room",
        "loud_noise_room",
        "noise_strong_room",
        "room",
        "telephone_noise",
    ]


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_condition_keeps_length_and_input_and_is_the_same_for_the_same_seed(name: str) -> None:
    """Of a length that no block divides."""
    wave = tone(440.0, 0.5317)
    before = wave.copy()
    heard = CONDITIONS[name](wave, seeded(3))
    assert heard.dtype == np.float32
    assert heard.shape == wave.shape
    assert np.array_equal(wave, before)
    assert not np.shares_memory(heard, wave)
    assert np.array_equal(heard, CONDITIONS[name](wave, seeded(3)))


@pytest.mark.parametrize("name", CONDITIONS)
def test_no_condition_leaves_full_scale(name: str) -> None:
    """Nor does the loudest wave there is."""
    loud = np.sign(tone(200.0, 0.5))
    assert np.abs(CONDITIONS[name](loud, seeded())).max() <= 1.0


@pytest.mark.parametrize(("hertz", "passed"), [(1010.0, 1.0), (300.0, 1.0), (3400.0, 1.0), (250.0, 0.5), (3450.0, 0.5)])
def test_a_telephone_passes_its_band_with_a_raised_cosine_at_its_ends(hertz: float, passed: float) -> None:
    """Half the amplitude 50 Hz outside."""
    wave = tone(hertz)
    assert math.sqrt(power(telephone(wave, seeded())) / power(wave)) == pytest.approx(passed, abs=0.01)


@pytest.mark.parametrize("hertz", [100.0, 200.0, 3600.0, 4500.0, 7000.0])
def test_a_telephone_stops_what_is_out_of_its_band(hertz: float) -> None:
    """Below and above, and nothing of it folds back."""
    assert power(telephone(tone(hertz), seeded())) < 1e-8


def test_a_telephone_keeps_the_place_of_a_sound() -> None:
    """No delay: sound and silence stay where they were."""
    wave = tone(1000.0)
    wave[: SAMPLE_RATE // 2] = 0.0
    heard = telephone(wave, seeded())
    assert np.corrcoef(wave, heard)[0, 1] > 0.99


def test_mu_law_steps_are_those_of_its_curve() -> None:
    """Reckoned by hand; silence stays silence, and what is beyond full scale is cut off."""
    samples = np.array([0.0, 1.0, -1.0, 2.0, 0.5, -0.5])
    quantize_mu_law(samples)
    # ln(1 + 255/2) / ln 256 is 111.19 steps of 127: rounded to 111.
    half = (256 ** (111 / 127) - 1) / 255
    assert samples == pytest.approx([0.0, 1.0, -1.0, 1.0, half, -half])


@given(st.floats(-1.0, 1.0))
def test_mu_law_errs_by_at_most_half_a_step(sample: float) -> None:
    """A step is as wide as the curve is steep there."""
    samples = np.array([sample])
    quantize_mu_law(samples)
    assert abs(samples[0] - sample) <= (abs(sample) + 1 / 255) * (256 ** (0.5 / 127) - 1) + 1e-12


@settings(max_examples=25, deadline=None)
@given(st.floats(0.0, 30.0), st.integers(0, 1000))
def test_noise_lies_as_far_below_the_speech_as_asked(snr_db: float, seed: int) -> None:
    """Whatever its colour and its wavering."""
    wave = tone(500.0, 0.4, peak=0.05)
    noise = with_noise(wave, seeded(seed), snr_db).astype(np.float64) - wave
    assert 10 * math.log10(speech_power(wave) / power(noise)) == pytest.approx(snr_db, abs=0.01)


def test_noise_has_no_energy_below_its_floor_beyond_that_of_the_floor() -> None:
    """A brown noise would be nothing but a rumble."""
    silence = tone(0.0)
    silence[:4000] = tone(500.0)[:4000]
    noise = with_noise(silence, seeded(1), 10.0) - silence
    spectrum = np.square(np.abs(np.fft.rfft(noise)))
    assert spectrum[2:40].mean() < 4 * spectrum[50:90].mean()


@pytest.mark.parametrize("size", [1600, 2001])
def test_noise_is_drawn_in_one_order(size: int) -> None:
    """Slope, both parts of the spectrum, wavering: training and enrolment hear the same noise of one seed."""
    wave, rng = tone(500.0)[:size], seeded(4)
    slope = rng.uniform(0.0, 2.0)
    real, imaginary = (rng.standard_normal(size // 2 + 1) for _ in range(2))
    hertz = np.array([max(bin_ * 16_000 / size, 50.0) for bin_ in range(size // 2 + 1)])
    spectrum = (real + 1j * imaginary) / hertz ** (slope / 2)
    spectrum[0] = 0
    depth, rate, begin = rng.uniform(0.0, 0.3), rng.uniform(0.1, 1.0), rng.uniform(0.0, 2 * np.pi)
    noise = np.fft.irfft(spectrum, size) * (1 + depth * np.sin(2 * np.pi * rate * np.arange(size) / 16_000 + begin))
    noise *= math.sqrt(speech_power(wave) / 10 / float(np.mean(noise**2)))
    assert with_noise(wave, seeded(4), 10.0) == pytest.approx(wave + noise, abs=1e-6)


def test_a_room_is_drawn_in_one_order() -> None:
    """How long it sounds, then its tail, which falls by 60 dB in that time; the whole at the level of the wave."""
    wave, rng = tone(500.0, 0.5), seeded(6)
    decay_s = rng.uniform(0.2, 0.8)
    count = int(decay_s * 16_000)
    tail = rng.standard_normal(count) * 10 ** (-3 * np.arange(count) / 16_000 / decay_s)
    tail[:32] = 0
    tail *= math.sqrt(10**-0.3 / float(np.sum(tail**2)))
    tail[0] = 1
    sounding = np.convolve(wave, tail)[: len(wave)]
    sounding *= math.sqrt(power(wave) / float(np.mean(sounding**2)))
    assert in_room(wave, seeded(6), 3.0) == pytest.approx(sounding, abs=1e-6)


def test_silence_gets_no_noise() -> None:
    """There is no speech that it could lie below."""
    silence = np.zeros(1600, np.float32)
    assert not with_noise(silence, seeded(), 0.0).any()
    assert not in_room(silence, seeded(), 0.0).any()


def test_a_room_keeps_the_level_and_the_direct_voice_in_its_place() -> None:
    """And nothing comes before it."""
    wave = np.zeros(SAMPLE_RATE, np.float32)
    wave[1000] = 0.5
    heard = in_room(wave, seeded(), 6.0)
    assert power(heard) == pytest.approx(power(wave), rel=1e-5)
    assert int(np.abs(heard).argmax()) == 1000
    assert np.abs(heard[:1000]).max() < 1e-6
    # 2 ms of nothing but the direct voice.
    assert np.abs(heard[1001:1032]).max() < 1e-6


@pytest.mark.parametrize("direct_db", [-10.0, 0.0, 6.0])
def test_a_room_s_tail_has_the_energy_that_was_asked(direct_db: float) -> None:
    """Of an impulse, whose answer is the room."""
    wave = np.zeros(SAMPLE_RATE, np.float32)
    wave[0] = 0.5
    heard = in_room(wave, seeded(2), direct_db).astype(np.float64)
    tail = float(np.sum(np.square(heard[32:])))
    assert 10 * math.log10(heard[0] ** 2 / tail) == pytest.approx(direct_db, abs=0.01)


def test_opus_keeps_place_and_shape_at_24_kbit_a_second() -> None:
    """The delay of the encoder is taken out."""
    wave = tone(700.0) * np.linspace(0.1, 1.0, SAMPLE_RATE, dtype=np.float32)
    assert np.corrcoef(wave, through_opus(wave, 24_000))[0, 1] > 0.98


@pytest.mark.parametrize(("drawn", "expected"), [(0, 12_000), (-1, 24_000)])
def test_an_internet_call_has_12_to_24_kbit_a_second(
    monkeypatch: pytest.MonkeyPatch, drawn: int, expected: int
) -> None:
    """Both ends are drawn, too."""

    class Draws:
        def integers(self, low: int, high: int) -> int:
            return range(low, high)[drawn]

    asked: list[int] = []
    monkeypatch.setattr(conditions, "through_opus", lambda wave, bits_s: asked.append(bits_s) or wave)
    CONDITIONS["opus"](tone(440.0), Draws())  # type: ignore[arg-type]
    assert asked == [expected]


@pytest.mark.parametrize("samples", [400, 15_999, 16_000, 16_001, 40_123])
def test_opus_gives_the_end_of_a_recording_too(samples: int) -> None:
    """Whatever its length: the encoder's delay holds nothing back, and nothing is shifted."""
    wave = tone(700.0, 3.0)[:samples]
    heard = through_opus(wave, 64_000)
    assert heard.shape == wave.shape
    last = slice(-200, None)
    assert float(heard[last] @ wave[last]) > 0.8 * float(wave[last] @ wave[last])
    early, late = (float(heard[200:-200] @ np.roll(wave, shift)[200:-200]) for shift in (-8, 8))
    assert float(heard[200:-200] @ wave[200:-200]) > max(early, late) or samples == 400


def test_opus_at_a_low_rate_errs_more() -> None:
    """The rate is the one that was asked for."""
    rng = seeded(5)
    wave = np.asarray(0.1 * rng.standard_normal(SAMPLE_RATE), np.float32)
    errors = [power(through_opus(wave, bits_s) - wave) for bits_s in (12_000, 96_000)]
    assert errors[0] > 2 * errors[1]


def test_noise_of_a_caller_goes_through_the_line() -> None:
    """It is around the caller, so the line cuts it off as well."""
    heard = telephone_with_noise(tone(1000.0), seeded())
    spectrum = np.square(np.abs(np.fft.rfft(heard)))
    assert spectrum[4100:].sum() < 1e-6 * spectrum.sum()


def test_speech_power_counts_no_pauses() -> None:
    """Half a tone of 0.3 is as loud as a whole one."""
    wave = tone(1000.0)
    wave[SAMPLE_RATE // 2 :] = 0.0
    assert speech_power(wave) == pytest.approx(0.045, rel=1e-3)


def test_a_wave_too_short_to_have_a_level_is_refused() -> None:
    """With both lengths."""
    assert speech_power(np.ones(FEWEST_SAMPLES, np.float32)) == 1.0
    with pytest.raises(ValueError, match="at least 400 samples, this one 399"):
        speech_power(np.ones(FEWEST_SAMPLES - 1, np.float32))
