"""Which places are regions, and what backs them."""

from __future__ import annotations

import numpy as np
import pytest

from app.capabilities.media.detectors.jpeg_grid import GridRegion
from app.capabilities.media.messages import MOST_REGIONS
from app.capabilities.media.verdict.regions import find_regions, superiority, warm_places
from tests.unit.capabilities.media.verdict.judgements import GRID, copied, judgement, place


def test_a_gap_of_one_block_joins_and_a_speck_is_none() -> None:
    """Two places one block apart are one region; three blocks by themselves are none."""
    warm = np.zeros(GRID, np.float32)
    warm[5:9, 5:9] = warm[5:9, 10:14] = 0.8
    warm[30, 40:43] = 0.9
    (area, score), *others = warm_places(warm, 0.45)
    assert not others
    assert area.sum() == 4 * 9
    assert score == pytest.approx(0.8 * 32 / 36)


def test_the_warmest_places_come_first_and_the_rest_is_counted() -> None:
    """Of 40 places 32 are listed, largest first, those at the border too."""
    warm = np.zeros(GRID, np.float32)
    for number in range(40):
        row, column = divmod(number, 10)
        warm[row * 10 : row * 10 + (3 if number == 34 else 2), column * 5 : column * 5 + 2] = 0.7
    regions, surplus = find_regions(judgement(warm))
    assert (len(regions), surplus) == (MOST_REGIONS, 8)
    assert [int(one.area.sum()) for one in regions] == [6] + 31 * [4]


def test_a_copy_is_two_regions_that_name_each_other() -> None:
    """Source and target, before places of the heatmap."""
    warm = place().astype(np.float32)
    regions, _ = find_regions(judgement(warm, copies=(copied(40),)))
    assert [(one.id, one.kind, one.partner) for one in regions] == [
        ("r1", "copy_source", "r2"),
        ("r2", "copy_target", "r1"),
        ("r3", "anomaly", None),
    ]


def test_a_foreign_grid_is_a_region() -> None:
    """Also where the heatmap is cold."""
    regions, _ = find_regions(judgement(foreign=(GridRegion(place(), (5, 3), -40.0),)))
    assert [one.kind for one in regions] == ["foreign_grid"]
    np.testing.assert_array_equal(regions[0].area, place())


def test_only_detectors_that_differ_there_back_a_region() -> None:
    """One that stands out everywhere, or hardly, backs nothing; unreliable blocks do not count."""
    drawn = np.random.default_rng(1).uniform(0, 0.2, GRID).astype(np.float32)
    inside = place()
    dull = ~place(slice(0, 40), slice(0, 20))
    layers = {
        "noise": np.where(inside, np.float32(0.9), drawn),
        "ela": drawn,
        "ghost": np.where(inside, np.float32(0.02), np.float32(0)),
        "blocking": np.where(inside, np.float32(0.9), np.where(dull, drawn, np.float32(1))),
    }
    regions, _ = find_regions(judgement(inside.astype(np.float32), layers=layers, reliable=dull))
    assert regions[0].backing == {"noise": 1.0, "blocking": 1.0}


def test_superiority_counts_pairs() -> None:
    """Against all pairs by hand, ties half."""
    inside = np.array([1, 2, 2, 5], np.float32)
    outside = np.array([0, 2, 3], np.float32)
    pairs = [(one > other) + (one == other) / 2 for one in inside for other in outside]
    assert superiority(inside, outside) == pytest.approx(np.mean(pairs))
