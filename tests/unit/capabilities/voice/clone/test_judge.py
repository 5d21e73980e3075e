"""The judge of synthesis."""

from __future__ import annotations

import io
import math
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from app.capabilities.voice.analysis.statistics import FEATURES_VERSION, VoiceStatistics, statistics_of
from app.capabilities.voice.clone.experts import read_expert
from app.capabilities.voice.clone.judge import ARRAYS_FILE, CloneJudge
from app.capabilities.voice.clone.router import ConditionRouter
from tests.clone_model import clone_model


@pytest.fixture(scope="module")
def judge() -> CloneJudge:
    return CloneJudge.load(clone_model())


@pytest.fixture(scope="module")
def statistics() -> VoiceStatistics:
    seconds = np.arange(32_000) / 16_000
    loud = 0.2 + 0.1 * np.sin(2 * math.pi * 3 * seconds)
    wave = sum(np.sin(2 * math.pi * 120 * number * seconds) / number for number in range(1, 20)) * loud * 0.3
    noise = np.random.default_rng(8).standard_normal(32_000) * 0.003
    return statistics_of((wave + noise).astype(np.float32))


def test_the_probability_is_that_of_the_ratio_at_even_odds(judge: CloneJudge, statistics: VoiceStatistics) -> None:
    """Nothing else is told as a probability."""
    score = judge.judge(statistics)
    assert score.probability == pytest.approx(1 / (1 + math.exp(-score.llr)))


def test_the_same_statistics_have_one_score(judge: CloneJudge, statistics: VoiceStatistics) -> None:
    """Nothing is drawn."""
    assert judge.judge(statistics) == judge.judge(statistics)


def test_all_that_is_told_lies_in_its_bounds(judge: CloneJudge, statistics: VoiceStatistics) -> None:
    """Finite, and shares between 0 and 1."""
    score = judge.judge(statistics)
    assert math.isfinite(score.llr)
    assert 0 <= score.noise_probability <= 1
    assert 0 <= score.room_probability <= 1


def test_magnitudes_alone_are_judged_too(judge: CloneJudge, statistics: VoiceStatistics) -> None:
    """Of the room they tell nothing."""
    score = judge.judge(replace(statistics, phase=None, envelope=None))
    assert math.isfinite(score.llr)
    assert score.room_probability == 0.0


def test_the_ratio_lies_between_those_of_the_experts(statistics: VoiceStatistics) -> None:
    """It is their mean by the router."""
    below, above = (
        CloneJudge.load(clone_model(intercepts=(low, low, low))).judge(statistics).llr for low in (-2.0, 3.0)
    )
    mixed = CloneJudge.load(clone_model(intercepts=(-2.0, 3.0, 1.0))).judge(statistics).llr
    assert below < mixed < above
    assert above - below == pytest.approx(5.0)


def test_the_experts_are_mixed_by_the_ways_that_are_theirs(statistics: VoiceStatistics) -> None:
    """Clean recordings by the first, telephone and Opus by the second, noise by the third, in the router's shares."""
    model = clone_model()
    with np.load(io.BytesIO(model.files[ARRAYS_FILE])) as stored:
        parts = [stored[f"router.{part}"] for part in ("centre", "spread", "weights", "intercepts")]
    clean, phone, opus, noise = ConditionRouter(*parts).probabilities(statistics.router[None])[0]
    nothing = CloneJudge.load(model).judge(statistics)
    lifted = [CloneJudge.load(clone_model(intercepts=given)).judge(statistics) for given in np.eye(3).tolist()]
    shares = [score.llr - nothing.llr for score in lifted]
    assert shares == pytest.approx([clean, phone + opus, noise], abs=1e-6)
    assert nothing.noise_probability == pytest.approx(noise)


def test_the_room_is_told_by_all_statistics(statistics: VoiceStatistics) -> None:
    """Logistic regression on their normal scores by the maps of the noise expert, in their order."""
    assert statistics.phase is not None
    assert statistics.envelope is not None
    model = clone_model()
    with np.load(io.BytesIO(model.files[ARRAYS_FILE])) as stored:
        weights, intercept = stored["room.weights"], float(stored["room.intercept"])
        maps = read_expert("noise", dict(stored)).maps
    parts = {"magnitude": statistics.magnitude, "phase": statistics.phase, "envelope": statistics.envelope}
    scores = np.concatenate([maps[name].normal_scores(part[None])[0] for name, part in parts.items()])
    expected = 1 / (1 + math.exp(-(float(scores @ weights) + intercept)))
    assert CloneJudge.load(model).judge(statistics).room_probability == pytest.approx(expected, abs=1e-6)


def test_the_gate_is_the_models(judge: CloneJudge) -> None:
    """Both gates come with the model."""
    assert judge.facts.gate_llr == 1.5
    assert judge.facts.room_gate == 0.75


def test_statistics_of_another_version_are_refused() -> None:
    """Machines would be asked about other numbers."""
    model = clone_model()
    other = replace(model, facts=msgspec.structs.replace(model.facts, features_version=FEATURES_VERSION + 1))
    with pytest.raises(ValueError, match=f"not {FEATURES_VERSION}"):
        CloneJudge.load(other)
