"""Frames that come twice, against plain loops over drawn fingerprints."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from app.capabilities.media.video import duplication as duplicates
from app.capabilities.media.video.duplication import FoundDuplicate, duplication, find_duplicates

Prints = npt.NDArray[np.float16]


def _alike(prints: Prints) -> npt.NDArray[np.float64]:
    """Correlations without the mean of all; what coding makes, three grey levels, counts as unlike."""
    values = prints.astype(float) - prints.astype(float).mean(axis=0)
    lengths = [np.sqrt(sum(one * one + 9.0)) for one in values]
    scaled = [one / length for one, length in zip(values, lengths, strict=True)]
    return np.array([[one @ other for other in scaled] for one in scaled])


def _plain(prints: Prints) -> tuple[list[float], list[int]]:
    """Of each frame the best run of five with it in it, above the two diagonals to each side, and its lag."""
    count = len(prints)
    scores, lags = [0.0] * count, [0] * count
    if count < 11:
        return scores, lags
    table = _alike(prints)

    def at(frame: int, lag: int) -> float:
        return float(table[frame, frame - lag]) if 2 <= lag <= frame else 0.0

    for lag in range(4, count - 4):
        above = {
            frame: at(frame, lag) - max(at(frame, lag + step) for step in (-2, -1, 1, 2)) for frame in range(lag, count)
        }
        for first in range(lag, count - 4):
            run = sum(above[frame] for frame in range(first, first + 5)) / 5
            for frame in range(first, first + 5):
                for place, signed in ((frame, lag), (frame - lag, -lag)):
                    if run > scores[place] + 1e-7:
                        scores[place], lags[place] = run, signed
    return scores, lags


@pytest.mark.parametrize("count", [9, 10, 11, 12, 16, 30])
@pytest.mark.parametrize("size", [5, 40])
def test_the_best_run_of_each_frame_is_that_of_plain_loops(count: int, size: int) -> None:
    """Fingerprints that change little by little, some of which come twice."""
    drawn = np.random.default_rng(count)
    prints = np.cumsum(drawn.normal(0, 6, (count, size)), axis=0) + drawn.normal(0, 3, (count, size))
    prints[-6:] = prints[:6] + drawn.normal(0, 1, (6, size))
    kept = prints.astype(np.float16)
    scores, lags = duplication(kept)
    wanted, where = _plain(kept)
    assert scores == pytest.approx(wanted, abs=2e-5)
    assert lags.tolist() == where
    assert scores.dtype == np.float32


@pytest.mark.parametrize(("back", "found"), [(3, False), (4, True), (5, True), (15, True), (25, True)])
@pytest.mark.parametrize("length", [4, 5, 6])
def test_a_duplicate_has_five_frames_four_or_more_away(back: int, found: bool, length: int) -> None:
    """Frames without anything in common, some of which come twice, at the very end too."""
    drawn = np.random.default_rng(back)
    prints = drawn.normal(0, 40, (30, 300)).astype(np.float16)
    for at in range(30 - length, 30):
        prints[at] = prints[at - back]
    scores, lags = duplication(prints)
    told = [(one.first, one.last, one.lag, one.strength) for one in find_duplicates(prints)]
    assert told == _runs(scores.tolist(), lags.tolist())
    assert any(one[1] == 29 and one[2] == back for one in told) == (found and length > 3)


def _runs(scores: list[float], lags: list[int]) -> list[tuple[int, int, int, Any]]:
    """Five frames or more with a score of 0.15 that equal earlier ones at one lag."""
    found, begin = [], 0
    for at in range(1, len(scores) + 1):
        strong = [one >= 0.15 for one in scores]
        if at == len(scores) or lags[at] != lags[begin] or strong[at] != strong[begin]:
            if strong[begin] and lags[begin] > 0 and at - begin >= 5:
                found.append((begin, at - 1, lags[begin], pytest.approx(np.mean(scores[begin:at]), rel=1e-5)))
            begin = at
    return found


def test_runs_are_those_of_plain_words() -> None:
    """Series of any kind: half of each copied from before, more or less exactly."""
    told = 0
    for seed in range(40):
        drawn = np.random.default_rng(seed)
        prints = drawn.normal(0, 9, (26, 20))
        begin, back, length = 12 + seed % 3, 4 + seed % 9, 4 + seed % 8
        noise = drawn.normal(0, drawn.uniform(0, 14), (length, 20))
        prints[begin : begin + length] = prints[begin - back : begin - back + length] + noise
        kept = prints.astype(np.float16)
        scores, lags = duplication(kept)
        found = find_duplicates(kept)
        assert [(one.first, one.last, one.lag, one.strength) for one in found] == _runs(scores.tolist(), lags.tolist())
        told += len(found)
    assert told > 10


def test_a_run_from_the_first_frame_on_is_the_earlier_one() -> None:
    """Frames 0 to 5 once more as 20 to 25: found behind, and told by what is there."""
    prints = np.random.default_rng(1).normal(0, 60, (40, 500)).astype(np.float16)
    prints[20:26] = prints[:6]
    _, lags = duplication(prints)
    (found,) = find_duplicates(prints)
    assert isinstance(found, FoundDuplicate)
    assert (found.lag, lags[0], lags[5], lags[20]) == (20, -20, -20, 20)
    assert found.first <= 20 <= 25 <= found.last
    assert find_duplicates(prints[:10]) == find_duplicates(prints[:0]) == []


def test_a_run_on_the_threshold_is_a_duplicate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its weakest frame may be just as strong."""
    prints = np.random.default_rng(1).normal(0, 60, (30, 500)).astype(np.float16)
    prints[20:25] = prints[:5]
    scores, lags = duplication(prints)
    monkeypatch.setattr(duplicates, "DUPLICATE", float(scores[20:25].min()))
    assert lags[20:25].tolist() == [20] * 5
    assert [one.lag for one in find_duplicates(prints)] == [20]
