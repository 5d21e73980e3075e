"""The judge of synthesis."""

from __future__ import annotations

import math
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from app.capabilities.voice.analysis.statistics import FEATURES_VERSION, VoiceStatistics, statistics_of
from app.capabilities.voice.clone.judge import CloneJudge
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
    score = judge.judge(statistics)
    assert score.probability == pytest.approx(1 / (1 + math.exp(-score.llr)))


def test_the_same_statistics_have_one_score(judge: CloneJudge, statistics: VoiceStatistics) -> None:
    assert judge.judge(statistics) == judge.judge(statistics)


def test_all_that_is_told_lies_in_its_bounds(judge: CloneJudge, statistics: VoiceStatistics) -> None:
    score = judge.judge(statistics)
    assert math.isfinite(score.llr)
    assert 0 <= score.noise_probability <= 1
    assert 0 <= score.room_probability <= 1


def test_magnitudes_alone_are_judged_too(judge: CloneJudge, statistics: VoiceStatistics) -> None:
    score = judge.judge(replace(statistics, phase=None, envelope=None))
    assert math.isfinite(score.llr)
    assert score.room_probability == 0.0


def test_the_ratio_lies_between_those_of_the_experts(statistics: VoiceStatistics) -> None:
    below, above = (
        CloneJudge.load(clone_model(intercepts=(low, low, low))).judge(statistics).llr for low in (-2.0, 3.0)
    )
    mixed = CloneJudge.load(clone_model(intercepts=(-2.0, 3.0, 1.0))).judge(statistics).llr
    assert below < mixed < above
    assert above - below == pytest.approx(5.0)


def test_the_gate_is_the_models(judge: CloneJudge) -> None:
    assert judge.facts.gate_llr == 1.5
    assert judge.facts.room_gate == 0.75


def test_statistics_of_another_version_are_refused() -> None:
    model = clone_model()
    other = replace(model, facts=msgspec.structs.replace(model.facts, features_version=FEATURES_VERSION + 1))
    with pytest.raises(ValueError, match=f"not {FEATURES_VERSION}"):
        CloneJudge.load(other)
