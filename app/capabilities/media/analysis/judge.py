"""Judges one image: measured, read by the network, and put together from tiles where it is large."""

from __future__ import annotations

import math
import time
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from app.capabilities.media.analysis.features import SCORED, block_inputs
from app.capabilities.media.analysis.judgement import THRESHOLD, ImageJudgement, TraceOutcome
from app.capabilities.media.analysis.measure import COPIES, LEAST_SIDE, OVERLAP, Measured, corners, measure, tile_of
from app.capabilities.media.analysis.model import NETWORK_FILE, ModelFacts, read_facts
from app.capabilities.media.analysis.network import BlockNetwork, NetworkAnswer
from app.capabilities.media.calibration import Calibration
from app.capabilities.media.detectors.blocks import CLIP, robust_score
from app.capabilities.media.detectors.copy_move import FoundCopy, copy_moves
from app.capabilities.media.detectors.image import BLOCK, DecodedImage, FloatMap
from app.capabilities.media.detectors.jpeg_grid import PHASES, SIGNIFICANT, GridFinding, GridRegion

DETECTORS: Final = (
    "ela",
    "noise",
    "sharpness",
    "ghost",
    "splicebuster",
    "blocking",
    "quantization",
    "cfa",
    "jpeg_grid",
    COPIES,
)
"""The detectors in the order of a judgement's traces."""
LOSSLESS: Final = "png"
"""The after-life of a file that was written without loss once, and not changed as a whole."""
_TAIL: Final = 0.02
_FULL_COPY: Final = 100
_HIGHEST: Final = 0.995
_TOO_SMALL: Final = f"a side is shorter than {LEAST_SIDE} px"

Cells = tuple[slice, slice]


class ImageJudge:
    """A model that is ready. ``facts``: what it was shipped with; ``calibration``: false-alarm rates of its scores."""

    def __init__(self, network: BlockNetwork, facts: ModelFacts) -> None:
        self.facts = facts
        self.calibration = Calibration(facts.scores)
        self._network = network
        # The first answer of a session makes what the later ones use.
        self.judge(DecodedImage(np.random.default_rng(0).integers(0, 256, (264, 264, 3), np.uint8)))

    @classmethod
    def load(cls, directory: Path) -> ImageJudge:
        """Reads a model's directory, and opens no file afterwards. Raises ``OSError``, or ``ValueError`` where it is
        no model."""
        return cls(BlockNetwork((directory / NETWORK_FILE).read_bytes()), read_facts(directory))

    def judge(self, image: DecodedImage) -> ImageJudgement:
        """The judgement of an image of any size, on one thread. Under 64 px a side nothing is measured: the heatmap is
        zero, no block is reliable. An image larger than a tile is judged by tiles, which are blended where they
        overlap; its score is that of the tile with the highest, so that as many tiles as ``globals["tiles"]`` had the
        chance of a false alarm, and ``globals`` are that tile's."""
        if min(image.rgb.shape[:2]) < LEAST_SIDE:
            return self._too_small(image)
        return _Assembly(image, self._network, self.facts).judgement()

    def _too_small(self, image: DecodedImage) -> ImageJudgement:
        """Nothing is known of it."""
        return ImageJudgement(
            heatmap=np.zeros(image.grid, np.float32),
            threshold=THRESHOLD,
            reliable=np.zeros(image.grid, np.bool_),
            score=0.0,
            layers={},
            traces=tuple(TraceOutcome(name, _TOO_SMALL, 0.0) for name in DETECTORS),
            grid=None,
            copies=(),
            after_life=LOSSLESS if image.jpeg is None else "jpeg",
            globals={"tiles": 0.0},
            timings_ms={},
        )


class _Assembly:
    """One image's judgement, tile by tile, so that only one tile's measures are in memory."""

    def __init__(self, image: DecodedImage, network: BlockNetwork, facts: ModelFacts) -> None:
        self._image, self._network, self._facts = image, network, facts
        self._sums: dict[str, FloatMap] = {}
        self._weights = np.zeros(image.grid, np.float32)
        self._reliable = np.zeros(image.grid, np.bool_)
        self._why: dict[str, str] = {}
        self._answers: list[NetworkAnswer] = []
        self._numbers: list[dict[str, float]] = []
        self._grids: list[tuple[Cells, GridFinding]] = []
        self._timings_ms: dict[str, float] = {}

    def judgement(self) -> ImageJudgement:
        """All tiles, and what they say together."""
        begun = time.perf_counter()
        copies = copy_moves(self._image)
        self._timings_ms[COPIES] = (time.perf_counter() - begun) * 1000
        places = corners(self._image.rgb.shape[:2])
        for corner in places:
            self._add(corner, copies)
        means = {name: np.clip(total / self._weights, 0, 1) for name, total in self._sums.items()}
        heatmap = scale_heatmap(means.pop(""), self._facts.floor, self._facts.share)
        if copies:
            means[COPIES] = np.max([copy.source | copy.copy for copy in copies], axis=0).astype(np.float32)
        highest = max(range(len(places)), key=lambda number: self._answers[number].score)
        grid = self._grid()
        after = np.mean([answer.after for answer in self._answers], axis=0).tolist()
        return ImageJudgement(
            heatmap=heatmap,
            threshold=THRESHOLD,
            reliable=self._reliable,
            score=self._answers[highest].score,
            layers=means,
            traces=tuple(self._outcome(name, means, copies, grid) for name in DETECTORS),
            grid=grid,
            copies=copies,
            after_life=likeliest_life(
                dict(zip(self._facts.after_lives, after, strict=True)), self._image.jpeg is not None
            ),
            globals={**self._numbers[highest], "tiles": float(len(places))},
            timings_ms=self._timings_ms,
        )

    def _add(self, corner: tuple[int, int], copies: tuple[FoundCopy, ...]) -> None:
        """Measures a tile, and adds what it says to what the others said."""
        tile = tile_of(self._image, corner)
        row, column = corner[0] // BLOCK, corner[1] // BLOCK
        cells = np.s_[row : row + tile.grid[0], column : column + tile.grid[1]]
        here = tuple(replace(copy, source=copy.source[cells], copy=copy.copy[cells]) for copy in copies)
        measured = measure(tile, here)
        begun = time.perf_counter()
        answer = self._network.answer(block_inputs(measured))
        spent = {**measured.timings_ms, "network": (time.perf_counter() - begun) * 1000}
        for name, took in spent.items():
            self._timings_ms[name] = self._timings_ms.get(name, 0.0) + took
        weights = _weights(tile.grid)
        self._weights[cells] += weights
        self._reliable[cells] |= measured.telling
        for name, values in {"": answer.heatmap, **_layers(measured)}.items():
            total = self._sums.setdefault(name, np.zeros(self._image.grid, np.float32))
            total[cells] += weights * values
        for name, trace in measured.traces.items():
            if trace.not_applicable is not None:
                self._why[name] = trace.not_applicable
        self._answers.append(answer)
        self._numbers.append(
            {name: value for trace in measured.traces.values() for name, value in trace.globals.items()}
        )
        self._grids.append((cells, measured.grid))

    def _grid(self) -> GridFinding:
        """Of one tile its own; of several the main grid of the surest, and all regions that stay significant when
        each tile counts as a test of its own."""
        if len(self._grids) == 1:
            return self._grids[0][1]
        tests = math.log10(len(self._grids))
        _, surest = min(self._grids, key=lambda one: one[1].log10_nfa)
        nfa = surest.log10_nfa + tests
        counts = np.zeros((*self._image.grid, PHASES), np.uint8)
        regions: list[GridRegion] = []
        main = surest.main if nfa < SIGNIFICANT else None
        for cells, finding in self._grids:
            counts[cells] = finding.counts
            for region in finding.regions:
                if region.log10_nfa + tests < SIGNIFICANT and region.phase != main:
                    mask = np.zeros(self._image.grid, np.bool_)
                    mask[cells] = region.mask
                    regions.append(GridRegion(mask, region.phase, region.log10_nfa + tests))
        regions.sort(key=lambda region: region.log10_nfa)
        return GridFinding(main, nfa, tuple(regions), counts, surest.traces)

    def _outcome(
        self, name: str, layers: Mapping[str, FloatMap], copies: tuple[FoundCopy, ...], grid: GridFinding
    ) -> TraceOutcome:
        """Of one detector over the whole image."""
        nfa = None
        if name == COPIES:
            strength = copies_strength(max((copy.inliers for copy in copies), default=0))
        elif name in layers:
            strength = tail_mean(layers[name])
        else:
            return TraceOutcome(name, self._why[name], 0.0)
        if name == "jpeg_grid":
            nfa = grid.regions[0].log10_nfa if grid.regions else 0.0
        return TraceOutcome(name, None, strength, nfa, self._p_value(name, strength))

    def _p_value(self, name: str, strength: float) -> float | None:
        known = self._facts.strengths.get(name)
        if not known:
            return None
        return (1 + len(known) - bisect_left(known, strength)) / (1 + len(known))


def scale_heatmap(probabilities: FloatMap, floor: float, share: float) -> FloatMap:
    """The heatmap of an image: probabilities on two straight lines that meet at ``THRESHOLD``, where a block begins to
    count as changed: at ``share`` of the image's 99.5 % quantile, but not below ``floor``. The order of the blocks
    stays. An edit that is faint as a whole would have no block above a threshold that all images share."""
    border = cut_of(probabilities, floor, share)
    below = probabilities * (THRESHOLD / border)
    above = 1 - (1 - probabilities) * ((1 - THRESHOLD) / (1 - border))
    return np.asarray(np.where(probabilities < border, below, above), np.float32)


def cut_of(probabilities: FloatMap, floor: float, share: float) -> float:
    """The probability from which on a block of this image counts as changed."""
    return max(floor, share * float(np.quantile(probabilities, _HIGHEST)))


def likeliest_life(chances: Mapping[str, float], is_jpeg: bool) -> str:
    """The after-life with the highest chance; that of a JPEG file is not ``LOSSLESS``, even if that is likelier."""
    return max(chances, key=lambda life: -1.0 if is_jpeg and life == LOSSLESS else chances[life])


def tail_mean(values: FloatMap) -> float:
    """Mean of the largest 2 % of a map, of one value at least."""
    ordered = np.sort(values, axis=None)
    return float(ordered[-max(1, round(_TAIL * ordered.size)) :].mean())


def copies_strength(inliers: int) -> float:
    """Strength of the copy with most inliers: 1 from a hundred on."""
    return min(1.0, inliers / _FULL_COPY)


def _layers(measured: Measured) -> dict[str, FloatMap]:
    """Of each applicable detector the largest of its maps' robust scores, by size, 0 to 1."""
    layers: dict[str, FloatMap] = {}
    for detector, name in SCORED:
        if name in measured.traces[detector].maps:
            scores = np.abs(robust_score(measured.traces[detector].maps[name])) / np.float32(CLIP)
            layers[detector] = np.asarray(np.maximum(scores, layers.get(detector, scores)), np.float32)
    return layers


def _weights(grid: tuple[int, int]) -> FloatMap:
    """Of a tile's blocks: 1 inside, falling towards its border over the overlap, never 0."""
    ramps = []
    for side in grid:
        nearest = np.minimum(np.arange(side), np.arange(side)[::-1]) + 1
        ramps.append(np.minimum(1, nearest / (OVERLAP // BLOCK)).astype(np.float32))
    return np.outer(*ramps)
