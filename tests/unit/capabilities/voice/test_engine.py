"""The engine joins what is measured of a take; the judge of synthesis here is one that always says the same."""

import json
import math
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.capabilities.voice.analysis.resonance import Resonance
from app.capabilities.voice.analysis.statistics import VoiceStatistics
from app.capabilities.voice.clone.judge import CloneFacts, CloneScore
from app.capabilities.voice.decision import VoicePolicy, decide, faults_of
from app.capabilities.voice.engine import VoiceEngine, deviations
from app.capabilities.voice.matrix import SAMPLE_RATE, Samples, VoiceMatrix, magnitudes_of, matrix_of
from app.capabilities.voice.model_files import VoiceModel, VoiceModelFacts
from app.capabilities.voice.service import heard_of
from app.capabilities.voice.speaker.encoder import SpeakerEncoder
from app.capabilities.voice.speaker.scoring import ErrorRates
from tests.unit.capabilities.voice.speaker.test_mel import vowel
from tests.unit.capabilities.voice.speaker.test_scoring import FACTS, scorer

NETWORK = Path(__file__).parents[4] / "resources" / "voice" / "encoder.onnx"


LIVING = CloneScore(-2.0, 0.12, 0.0, 0.0)


class FixedJudge:
    """Gives one score and keeps what it was shown, as it was shown."""

    facts = CloneFacts(gate_llr=1.5, room_gate=0.5)

    def __init__(self, score: CloneScore) -> None:
        self.score = score
        self.shown: list[VoiceStatistics] = []

    def judge(self, statistics: VoiceStatistics) -> CloneScore:
        self.shown.append(statistics)
        assert statistics.magnitude.any()
        return self.score


def engine_with(score: CloneScore = LIVING) -> tuple[VoiceEngine, FixedJudge]:
    facts = VoiceModelFacts("arc-voice-1", 1, {}, FACTS, msgspec.Raw(b"null"), {"f0_hz": (100.0, 10.0)})
    judge = FixedJudge(score)
    encoder = SpeakerEncoder(NETWORK.read_bytes())
    return VoiceEngine(encoder, scorer(), judge, VoiceModel(facts, "ab" * 32, {})), judge  # type: ignore[arg-type]


def take(seconds: float = 4.0) -> Samples:
    """A vowel with pauses, over a little noise: 1.6 s of it, 0.4 s of pause, and again."""
    rng = np.random.default_rng(0)
    once = np.concatenate([vowel(), np.zeros(6400, np.float32)])
    wave = np.resize(once, int(seconds * SAMPLE_RATE))
    return wave + np.asarray(1e-4 * rng.standard_normal(len(wave)), np.float32)


def mdct(wave: Samples) -> VoiceMatrix:
    return VoiceMatrix("mdct", matrix_of(wave).astype(np.float32))


def test_a_take_has_a_speaker_segments_and_the_judge_s_score() -> None:
    """And its deviations from living voices; its segments go from the first to the last word."""
    engine, _ = engine_with()
    heard = engine.analyse(mdct(take()))
    assert heard.speaker.shape == (1024,)
    assert np.linalg.norm(heard.speaker[:256]) == pytest.approx(1.0, abs=1e-5)
    assert (heard.synthetic_llr, heard.synthetic_probability, heard.phase) == (-2.0, 0.12, True)
    assert heard.unreliable == ()
    assert heard.segments[0].t0 == pytest.approx(0.0, abs=0.05)
    assert heard.segments[-1].t1 == pytest.approx(3.6, abs=0.1)
    assert [segment.synthetic_probability for segment in heard.segments] == [0.12] * len(heard.segments)
    assert heard.resonance_z == {"f0_hz": (heard.resonance.f0_hz - 100.0) / 10.0}


def test_the_matrix_stays_and_the_statistics_are_wiped() -> None:
    """The matrix is the caller's; what was measured is not."""
    engine, judge = engine_with()
    matrix = mdct(take())
    before = matrix.values.copy()
    engine.analyse(matrix)
    assert np.array_equal(matrix.values, before)
    (shown,) = judge.shown
    assert not any(array.any() for array in (shown.magnitude, shown.phase, shown.envelope, shown.bands, shown.router))


def test_a_take_without_speech_is_not_judged() -> None:
    """It is as likely synthetic as not, and is told as too short."""
    engine, judge = engine_with()
    heard = engine.analyse(mdct(np.zeros(SAMPLE_RATE, np.float32)))
    assert judge.shown == []
    assert (heard.synthetic_llr, heard.synthetic_probability) == (0.0, 0.5)
    assert heard.unreliable == ("too_short",)
    assert np.isfinite(heard.speaker).all()
    assert heard.resonance_z == {}


def test_noise_and_a_strong_room_are_told() -> None:
    """The room from the gate of the models on."""
    engine, _ = engine_with(CloneScore(0.0, 0.5, 1.0, 0.5))
    loud = take() + np.asarray(0.05 * np.random.default_rng(1).standard_normal(4 * SAMPLE_RATE), np.float32)
    assert {"noise", "reverberation"} <= set(engine.analyse(mdct(loud)).unreliable)


def test_an_overdriven_take_is_told() -> None:
    """By its flat tops."""
    engine, _ = engine_with()
    assert "clipping" in engine.analyse(mdct(np.clip(take() * 8, -0.9, 0.9))).unreliable


def test_a_narrow_take_is_told() -> None:
    """It ends at 2 kHz."""
    engine, _ = engine_with()
    wave = take()
    spectrum = np.fft.rfft(wave)
    spectrum[round(2000 * len(wave) / SAMPLE_RATE) :] = 0.0
    assert "bandwidth" in engine.analyse(mdct(np.fft.irfft(spectrum, len(wave)).astype(np.float32))).unreliable


def test_magnitudes_have_no_phase_and_nearly_the_same_speaker() -> None:
    """The judge gets no statistics of a phase."""
    engine, judge = engine_with()
    heard = engine.analyse(VoiceMatrix("magnitude", magnitudes_of(take())))
    assert not heard.phase
    assert "phase_missing" in heard.unreliable
    assert judge.shown[0].phase is None
    whole = engine.analyse(mdct(take()))
    assert float(heard.speaker[:256] @ whole.speaker[:256]) > 0.97


def test_a_signature_has_eight_rows_and_is_repeatable() -> None:
    """All of them different, and the takes stay as they were."""
    engine, _ = engine_with()
    waves = [take(2.0), take(2.5)]
    before = [wave.copy() for wave in waves]
    signature = engine.signature(waves)
    assert signature.shape == (8, 1024)
    assert signature.dtype == np.float16
    assert np.array_equal(signature, engine.signature(waves))
    assert all(np.array_equal(wave, kept) for wave, kept in zip(waves, before, strict=True))
    assert len({row.tobytes() for row in signature}) == 8


def test_a_take_is_near_to_its_own_signature() -> None:
    """Much nearer than noise is."""
    engine, _ = engine_with()
    signature = engine.signature([take(3.0)])
    (own,) = engine.compare(engine.analyse(mdct(take())).speaker[None], signature)
    noise = np.asarray(0.1 * np.random.default_rng(2).standard_normal(3 * SAMPLE_RATE), np.float32)
    (other,) = engine.compare(engine.analyse(mdct(noise)).speaker[None], signature)
    assert own.llr > other.llr + 10


def test_the_engine_tells_its_model_its_gate_and_its_error_rates() -> None:
    """As the models have them."""
    engine, _ = engine_with()
    assert (engine.model.id, engine.model.sha256, engine.gate_llr) == ("arc-voice-1", "ab" * 32, 1.5)
    assert engine.error_rates(0.0) == pytest.approx(ErrorRates(0.1, 0.1, 100, 1000))


def test_a_folder_without_models_is_an_error_of_the_system(tmp_path: Path) -> None:
    """Which the service says as 503."""
    with pytest.raises(FileNotFoundError):
        VoiceEngine.load(tmp_path)


def test_what_was_not_measured_has_no_deviation() -> None:
    """And what has no norm has none."""
    resonance = Resonance(120.0, math.nan, (500.0, 1500.0, 2500.0), 1.0, 0.5, 0.2)
    norms = {"f0_hz": (100.0, 10.0), "f0_jitter": (0.01, 0.01), "coherence": (0.4, 0.1)}
    assert deviations(resonance, norms) == pytest.approx({"f0_hz": 2.0, "coherence": -2.0})


@pytest.mark.parametrize("profile", ["mdct", "magnitude"])
def test_silence_is_called_silence(profile: str) -> None:
    """In both profiles: an operator is sent to the microphone's switch, not to a quieter room."""
    engine, _ = engine_with()
    silence = np.zeros(3 * SAMPLE_RATE, np.float32)
    matrix = mdct(silence) if profile == "mdct" else VoiceMatrix("magnitude", magnitudes_of(silence))
    assert faults_of(heard_of(engine.analyse(matrix), 0.0)) == ("silent", "too_short")


@pytest.mark.parametrize("profile", ["mdct", "magnitude"])
def test_the_shipped_models_give_numbers_that_a_reply_can_carry(profile: str) -> None:
    """Plain ones: a number of numpy's is refused by the encoder after the verdict was written."""
    engine = VoiceEngine.load(NETWORK.parent)
    heard = engine.analyse(mdct(take()) if profile == "mdct" else VoiceMatrix("magnitude", magnitudes_of(take())))
    spans = [(one.t0, one.t1, one.synthetic_probability) for one in heard.segments]
    (score,) = engine.compare(heard.speaker[None], np.stack([heard.speaker] * 8))
    told = [heard.quality, heard.resonance, heard.resonance_z, heard.synthetic_llr, heard.synthetic_probability, spans]
    assert json.loads(msgspec.json.encode([*told, score, tuple(engine.error_rates(0.0))]))[5] == [
        list(one) for one in spans
    ]


@pytest.fixture(scope="module")
def shipped() -> VoiceEngine:
    """The models of the program."""
    return VoiceEngine.load(NETWORK.parent)


def strange(kind: str, rng: np.random.Generator, shape: tuple[int, int], bounds: tuple[float, float]) -> np.ndarray:
    """A matrix that no microphone gives, within what may be sent."""
    low, high = bounds
    values = np.zeros(shape, np.float32)
    if kind == "one value":
        values[rng.integers(shape[0]), rng.integers(shape[1])] = high
    elif kind == "one band":
        values[:, rng.integers(shape[1])] = high
    elif kind == "one moment":
        values[rng.integers(shape[0])] = high
    elif kind == "full":
        values[:] = high
    elif kind == "noise":
        values = rng.uniform(low, high, shape)
    elif kind == "tiny":
        values = rng.uniform(0, 1e-6, shape)
    elif kind == "beats":
        values = rng.uniform(low, high, shape) * 0.02 * np.sin(np.arange(shape[0]) * 0.3)[:, None] ** 2
    return np.asarray(values, np.float32)


@settings(max_examples=40, deadline=None)
@given(
    kind=st.sampled_from(["zeros", "one value", "one band", "one moment", "full", "noise", "tiny", "beats"]),
    magnitudes=st.booleans(),
    frames=st.integers(100, 260),
    seed=st.integers(0, 2**32 - 1),
)
def test_no_matrix_stops_the_engine(shipped: VoiceEngine, kind: str, magnitudes: bool, frames: int, seed: int) -> None:
    """What is no voice is INCONCLUSIVE or SYNTHETIC, never a person; every number of it can be told."""
    rng = np.random.default_rng(seed)
    shape, bounds = ((frames, 257), (0.0, 512.0)) if magnitudes else ((frames, 160), (-32.0, 32.0))
    values = np.abs(strange(kind, rng, shape, bounds)) if magnitudes else strange(kind, rng, shape, bounds)
    heard = shipped.analyse(VoiceMatrix("magnitude" if magnitudes else "mdct", values))
    assert np.isfinite(heard.speaker).all()
    found = decide(heard_of(heard, 100.0), VoicePolicy(shipped.gate_llr, 3.45))
    assert found.verdict in ("INCONCLUSIVE", "SYNTHETIC")
    json.loads(msgspec.json.encode([heard.quality, heard.resonance, heard.synthetic_llr, heard.synthetic_probability]))
