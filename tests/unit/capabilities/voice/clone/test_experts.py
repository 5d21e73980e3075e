"""Experts: what they add up, and how they are stored."""

from __future__ import annotations

import numpy as np
import pytest

from app.capabilities.voice.analysis.statistics import VoiceStatistics
from app.capabilities.voice.clone.experts import (
    CloneExpert,
    RatioCalibration,
    read_expert,
    stored_expert,
    weighted_sum,
)
from tests.clone_model import WIDTHS, made_expert

RNG = np.random.default_rng(5)


def _statistics(*, phase: bool = True) -> VoiceStatistics:
    drawn = {name: RNG.standard_normal(width).astype(np.float32) for name, width in WIDTHS.items()}
    return VoiceStatistics(
        drawn["magnitude"],
        drawn["phase"] if phase else None,
        drawn["envelope"] if phase else None,
        RNG.standard_normal((120, 128)).astype(np.float32),
        RNG.standard_normal(5).astype(np.float32),
    )


def test_phase_counts_twice_in_clean_speech() -> None:
    """And in calls: half of the magnitudes, half of the envelopes."""
    decided = {"magnitude": np.array([2.0]), "phase": np.array([3.0]), "envelope": np.array([4.0])}
    assert weighted_sum("clean", decided).tolist() == [6.0]
    assert weighted_sum("call", decided).tolist() == [6.0]


def test_all_count_the_same_in_noise() -> None:
    """There the phase is the first to go."""
    decided = {"magnitude": np.array([2.0]), "phase": np.array([3.0]), "envelope": np.array([4.0])}
    assert weighted_sum("noise", decided).tolist() == [9.0]


def test_a_calibration_is_a_straight_line_in_both_scores() -> None:
    """Slopes and intercept."""
    found = RatioCalibration(2.0, 3.0, -1.0).llr(np.array([1.0, 0.0]), np.array([0.5, 0.0]))
    assert found.tolist() == [2.5, -1.0]


def test_what_is_stored_is_what_is_read() -> None:
    """To the bytes of the vectors; the calibrations exactly."""
    expert = made_expert("call", seed=1)
    read = read_expert("call", stored_expert(expert))
    statistics = _statistics()
    assert read.llr(statistics, 0.3) == pytest.approx(expert.llr(statistics, 0.3), abs=0.05)
    assert read.whole == expert.whole
    assert read.without_phase == expert.without_phase


def test_without_phase_the_magnitudes_and_their_own_calibration_decide() -> None:
    """The other machines have nothing to read."""
    expert = made_expert("clean", seed=2)
    statistics = _statistics(phase=False)
    decided = expert.decisions({"magnitude": statistics.magnitude[None]})["magnitude"]
    assert expert.llr(statistics, 0.7) == pytest.approx(float(expert.without_phase.llr(decided, np.array([0.7]))[0]))


def test_with_phase_all_machines_decide() -> None:
    """By their weights and the calibration of the whole."""
    expert = made_expert("clean", seed=3)
    statistics = _statistics()
    given = {name: getattr(statistics, name)[None] for name in WIDTHS}
    joined = weighted_sum("clean", expert.decisions(given))
    assert expert.llr(statistics, -0.2) == pytest.approx(float(expert.whole.llr(joined, np.array([-0.2]))[0]))


def test_a_missing_array_is_an_error() -> None:
    """No expert is half one."""
    stored = stored_expert(made_expert("clean", seed=4))
    del stored["clean.phase.vectors"]
    with pytest.raises(KeyError):
        read_expert("clean", stored)


def test_a_stored_expert_has_its_name_in_front() -> None:
    """Three lie in one file."""
    assert all(name.startswith("noise.") for name in stored_expert(made_expert("noise", seed=5)))
    assert isinstance(made_expert("noise", seed=5), CloneExpert)
