"""How the tiles of an image become one judgement, against plain loops; network and measures are made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from app.capabilities.media.analysis import judge as judging
from app.capabilities.media.analysis.judge import copies_strength, cut_of, scale_heatmap, tail_mean
from app.capabilities.media.analysis.judgement import THRESHOLD
from app.capabilities.media.analysis.measure import Measured
from app.capabilities.media.analysis.measure import measure as really_measure
from app.capabilities.media.analysis.model import ModelFacts
from app.capabilities.media.analysis.network import NetworkAnswer
from app.capabilities.media.detectors.copy_move import FoundCopy
from app.capabilities.media.detectors.image import DecodedImage, TraceMaps
from app.capabilities.media.detectors.jpeg_grid import GridFinding, GridRegion

GRID = (20, 50)
CORNERS = ((0, 0), (0, 96), (0, 240))
Map = npt.NDArray[np.float32]


FACTS = ModelFacts(
    version="1",
    floor=0.3,
    share=0.5,
    after_lives=("png", "jpeg", "twice"),
    scores={"jpeg": (0.1, 0.2)},
    strengths={"ela": (0.1, 0.2, 0.2, 0.4), "noise": ()},
)


class Network:
    """Answers as it is told."""

    def __init__(self, answers: Sequence[NetworkAnswer]) -> None:
        self._left = list(answers)

    def answer(self, _: object) -> NetworkAnswer:
        """The next one."""
        return self._left.pop(0)


class Tiles:
    """Three tiles of 20 x 20 blocks, the first two overlap by 8 and the last two by 2, and what is measured of each."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        drawn = np.random.default_rng(1)
        rgb = drawn.integers(0, 256, (163, 405, 3)).astype(np.uint8)
        self.image = DecodedImage(rgb)
        small = DecodedImage(np.ascontiguousarray(rgb[:160, :160]))
        base = really_measure(small, ())
        self.copies: tuple[FoundCopy, ...] = ()
        self.passed: list[tuple[FoundCopy, ...]] = []
        self.maps = [drawn.random((20, 20)).astype(np.float32) for _ in CORNERS]
        self.answers = [
            NetworkAnswer(heatmap, score, tuple(after))
            for heatmap, score, after in zip(
                self.maps, (0.2, 0.7, 0.4), ((0.9, 0.1, 0.0), (0.0, 0.3, 0.7), (0.0, 0.8, 0.2)), strict=True
            )
        ]
        self.measured = [
            replace(
                base,
                telling=drawn.random((20, 20)) > 0.6,
                traces=dict.fromkeys(base.traces, TraceMaps.none(f"tile {number} says nothing"))
                | {"ela": TraceMaps({"ela_70": drawn.normal(0, 1, (20, 20)).astype(np.float32)}, {"number": number})},
                grid=self.grid(number, -3.0 - number, (2, number)),
                timings_ms={"ela": 1.5, "shared": 2.0 + number},
            )
            for number in range(3)
        ]
        left = iter(self.measured)

        def measure(_: DecodedImage, copies: tuple[FoundCopy, ...]) -> Measured:
            self.passed.append(copies)
            return next(left)

        for name, value in {
            "corners": lambda size: {(163, 405): CORNERS}[size],
            "tile_of": lambda _, __: small,
            "measure": measure,
            "copy_moves": lambda _: self.copies,
            "block_inputs": lambda _: None,
            "OVERLAP": 64,
        }.items():
            monkeypatch.setattr(judging, name, value)

    @staticmethod
    def grid(number: int, nfa: float, main: tuple[int, int] | None, *regions: GridRegion) -> GridFinding:
        """Of one tile, its counts are its number."""
        return GridFinding(main, nfa, regions, np.full((20, 20, 64), number, np.uint8), TraceMaps({}, {"n": number}))

    def judgement(self) -> Any:
        """Of all."""
        network: Any = Network(self.answers)
        return judging._Assembly(self.image, network, FACTS).judgement()


@pytest.fixture
def tiles(monkeypatch: pytest.MonkeyPatch) -> Tiles:
    """Three of them."""
    return Tiles(monkeypatch)


def _blended(maps: Sequence[Map]) -> Map:
    """Each tile counts the less, the nearer a block is to its border: eighths over eight blocks."""
    total, weights = np.zeros(GRID), np.zeros(GRID)
    for values, (_, left) in zip(maps, CORNERS, strict=True):
        for row in range(20):
            for column in range(20):
                near = [min(1, (1 + min(at, 19 - at)) / 8) for at in (row, column)]
                total[row, left // 8 + column] += near[0] * near[1] * values[row, column]
                weights[row, left // 8 + column] += near[0] * near[1]
    return np.asarray(total / weights, np.float32)


def test_tiles_are_blended_by_their_distance_from_the_border(tiles: Tiles) -> None:
    """Heatmap and layers; a block is reliable if it is in any tile."""
    told = tiles.judgement()
    np.testing.assert_allclose(told.heatmap, scale_heatmap(_blended(tiles.maps), 0.3, 0.5), rtol=1e-5)
    layers = []
    for one in tiles.measured:
        values = one.traces["ela"].maps["ela_70"]
        middle = np.median(values)
        scores = np.abs(values - middle) / (1.4826 * np.median(np.abs(values - middle)))
        layers.append(np.minimum(scores, 8) / 8)
    np.testing.assert_allclose(told.layers["ela"], _blended(layers), rtol=1e-4)
    reliable = np.zeros(GRID, np.bool_)
    for one, (_, left) in zip(tiles.measured, CORNERS, strict=True):
        reliable[:, left // 8 : left // 8 + 20] |= one.telling
    np.testing.assert_array_equal(told.reliable, reliable)
    assert set(told.layers) == {"ela"}


def test_the_highest_score_counts_and_the_mean_after_life(tiles: Tiles) -> None:
    """The numbers are those of the tile with it; what tiles took is added up."""
    told = tiles.judgement()
    assert (told.score, told.globals, told.after_life) == (0.7, {"number": 1, "tiles": 3.0}, "jpeg")
    assert (told.timings_ms["ela"], told.timings_ms["shared"]) == (4.5, 9.0)
    assert 0 <= told.timings_ms["network"] < 60_000
    assert 0 <= told.timings_ms["copy_move"] < 60_000


def test_an_outcome_has_the_share_of_those_that_are_as_strong(tiles: Tiles) -> None:
    """One more than those that are, of one more than all; without any known there is none."""
    told = tiles.judgement()
    of = {trace.name: trace for trace in told.traces}
    strength = tail_mean(told.layers["ela"])
    assert (of["ela"].strength, of["ela"].log10_nfa, of["ela"].p_value) == (
        strength,
        None,
        (1 + sum(known >= strength for known in (0.1, 0.2, 0.2, 0.4))) / 5,
    )
    assert (of["noise"].not_applicable, of["noise"].strength) == ("tile 2 says nothing", 0.0)
    assert (of["copy_move"].strength, of["copy_move"].p_value) == (0, None)
    assembly = judging._Assembly(tiles.image, Network([]), FACTS)  # type: ignore[arg-type]
    told_shares = {strength: assembly._p_value("ela", strength) for strength in (0.05, 0.1, 0.2, 0.21, 0.4, 0.5)}
    assert told_shares == {0.05: 1, 0.1: 1, 0.2: 4 / 5, 0.21: 2 / 5, 0.4: 2 / 5, 0.5: 1 / 5}
    assert assembly._p_value("noise", 0.5) is None
    assert assembly._p_value("ghost", 0.5) is None


def test_copies_are_a_layer_of_their_places(tiles: Tiles) -> None:
    """Each tile gets its part of them; the strength is that of the one with most matches."""
    masks = np.zeros((4, *GRID), np.bool_)
    for number, mask in enumerate(masks):
        mask[3:6, 5 + 10 * number : 9 + 10 * number] = True
    tiles.copies = (FoundCopy(np.eye(2, 3), 20, masks[0], masks[1]), FoundCopy(np.eye(2, 3), 45, masks[2], masks[3]))
    told = tiles.judgement()
    np.testing.assert_array_equal(told.layers["copy_move"], masks.any(axis=0))
    assert told.layers["copy_move"].dtype == np.float32
    (trace,) = [trace for trace in told.traces if trace.name == "copy_move"]
    assert trace.strength == copies_strength(45) == 0.45
    for passed, (_, left) in zip(tiles.passed, CORNERS, strict=True):
        np.testing.assert_array_equal(passed[1].copy, masks[3][:, left // 8 : left // 8 + 20])
        np.testing.assert_array_equal(passed[0].source, masks[0][:, left // 8 : left // 8 + 20])


@pytest.mark.parametrize(("inliers", "strength"), [(0, 0), (1, 0.01), (99, 0.99), (100, 1), (101, 1)])
def test_a_hundred_matches_are_a_full_copy(inliers: int, strength: float) -> None:
    """In hundredths below."""
    assert copies_strength(inliers) == strength


def _regions(tiles: Tiles, *found: tuple[int, float, tuple[int, int]], main: Any = (2, 1), nfa: float = -5.0) -> Any:
    """The grids of tiles of which the second is the surest, with these regions: tile, log10 NFA, phase."""
    mask = np.zeros((20, 20), np.bool_)
    mask[4:8, 6:9] = True
    for number in range(3):
        own = [GridRegion(mask, phase, of) for tile, of, phase in found if tile == number]
        own_nfa = nfa if number == 1 else nfa + 1
        tiles.measured[number] = replace(
            tiles.measured[number], grid=Tiles.grid(number, own_nfa, main if number == 1 else (7, 7), *own)
        )
    return tiles.judgement().grid


def test_the_main_grid_is_that_of_the_surest_tile(tiles: Tiles) -> None:
    """Each tile is a test of its own: three times as many false alarms. Counts stand where their tiles are."""
    told = _regions(tiles)
    assert (told.main, told.log10_nfa, told.traces.globals) == ((2, 1), pytest.approx(np.log10(3) - 5), {"n": 1})
    assert (told.counts.shape, told.counts[3, :, 5].tolist()) == ((20, 50, 64), [0] * 12 + [1] * 18 + [2] * 20)


@pytest.mark.parametrize(("nfa", "main"), [(-0.48, (2, 1)), (-0.47, None)])
def test_a_main_grid_is_significant_as_one_of_three(tiles: Tiles, nfa: float, main: tuple[int, int] | None) -> None:
    """-log10 of 3 is .477."""
    assert _regions(tiles, nfa=nfa).main == main


def test_regions_that_stay_significant_are_told_surest_first(tiles: Tiles) -> None:
    """At the place of their tile, without those of the main grid."""
    told = _regions(
        tiles, (0, -0.48, (1, 1)), (1, -9.0, (3, 4)), (2, -0.47, (5, 5)), (2, -12.0, (2, 1)), (2, -2.0, (6, 6))
    )
    assert [(one.phase, one.log10_nfa) for one in told.regions] == [
        ((3, 4), pytest.approx(np.log10(3) - 9)),
        ((6, 6), pytest.approx(np.log10(3) - 2)),
        ((1, 1), pytest.approx(np.log10(3) - 0.48)),
    ]
    for one, left in zip(told.regions, (12, 30, 0), strict=True):
        assert np.argwhere(one.mask).min(axis=0).tolist() == [4, left + 6]
        assert one.mask.sum() == 12


@pytest.mark.parametrize(("count", "kept"), [(1, 1), (49, 1), (74, 1), (76, 2), (1000, 20)])
def test_a_tail_is_the_largest_two_percent(count: int, kept: int) -> None:
    """One value at least."""
    values = np.random.default_rng(count).random(count).astype(np.float32)
    assert tail_mean(values.reshape(1, -1)) == pytest.approx(float(np.mean(sorted(values)[-kept:])), rel=1e-6)


def test_probabilities_lie_on_two_lines() -> None:
    """Up to the border, and from it to one; the border is a share of the 99.5 % quantile, or the floor."""
    values = np.linspace(0, 1, 1001, dtype=np.float32)[None]
    assert cut_of(values, 0.2, 0.5) == pytest.approx(0.4975, abs=1e-4)
    assert cut_of(values, 0.6, 0.5) == 0.6
    told = scale_heatmap(values, 0.2, 0.4)[0]
    border = 0.398
    middle = THRESHOLD
    wanted = [at / border * middle if at < border else 1 - (1 - at) * (1 - middle) / (1 - border) for at in values[0]]
    np.testing.assert_allclose(told, wanted, atol=1e-4)
