"""Where the 8x8 grid of a JPEG past starts, and regions that have another one.

After T. Nikoukhah, J. Anger, M. Colom, J.-M. Morel, R. Grompone von Gioi, "ZERO: a Local JPEG Grid Origin Detector
Based on the Number of DCT Zeros and its Applications in Image Forensics", IPOL 11, 2021 (doi 10.5201/ipol.2021.390).
A JPEG's quantizer makes most AC coefficients zero on its own grid; at another offset the same pixels have fewer zeros.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from app.capabilities.media.detectors.blocks import block_mean
from app.capabilities.media.detectors.dct import every_offset
from app.capabilities.media.detectors.image import BLOCK, DecodedImage, FloatMap, TraceMaps

PHASES: Final = BLOCK * BLOCK
"""Offsets that a grid can have. Phase ``8 r + c`` has blocks that start at rows r mod 8 and columns c mod 8."""
NO_COUNT: Final = 255
"""In place of a number of zeros: the block at this offset reaches over the border."""
NO_VOTE: Final = 255
"""In place of a phase: this pixel does not vote."""
SIGNIFICANT: Final = 0.0
"""log10 of the number of false alarms (NFA) below which a grid counts: fewer than one such by chance in an image."""
_ZERO: Final = 0.5
_FLAT: Final = PHASES - 1
"""Zeros of a block without any AC coefficient."""
_SEED: Final = 16
"""Votes of a block, of 64, from which on it may belong to a region of their phase."""
_AROUND: Final = (5, 5)
_WINDOW: Final = np.ones((BLOCK, BLOCK), np.uint8)
_LAST: Final = (BLOCK - 1, BLOCK - 1)

Counts = npt.NDArray[np.uint8]
Votes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class GridRegion:
    """A region with a grid of its own. ``mask``: its blocks, shape ``DecodedImage.grid``; ``phase``: rows and columns
    mod 8 where its blocks start."""

    mask: npt.NDArray[np.bool_]
    phase: tuple[int, int]
    log10_nfa: float


@dataclass(frozen=True)
class GridFinding:
    """What the votes say.

    ``main``: rows and columns mod 8 where the blocks of the main grid start, None where no phase is significant;
    ``log10_nfa``: that of the phase with most votes, significant or not, 0 where no pixel can vote; ``regions``: the
    significant ones of foreign phases, the surest first; ``counts``: as ``zero_counts`` gives them.
    """

    main: tuple[int, int] | None
    log10_nfa: float
    regions: tuple[GridRegion, ...]
    counts: Counts
    traces: TraceMaps


def jpeg_grid(image: DecodedImage) -> GridFinding:
    """The main grid, the foreign regions, and three maps: shares of the pixels in 5x5 blocks (0 to 1) that vote for
    the main grid (``grid_main``), for any other phase (``grid_missing``) and for the strongest foreign phase
    (``grid_foreign``). Without a main grid the first two are zero. A JPEG's own phase (0, 0) is never foreign.

    Numbers: ``grid_share`` of the votes that are for the strongest phase, ``grid_log10_nfa`` and
    ``grid_foreign_log10_nfa`` (that of the surest region, 0 without one). Not applicable below 16 px a side.
    """
    counts = zero_counts(image.luma)
    if min(image.rgb.shape[:2]) < 2 * BLOCK:
        return GridFinding(None, 0.0, (), counts, TraceMaps.none("The image is smaller than two blocks."))
    votes = _votes_of_blocks(phase_votes(counts))
    total = votes.sum(axis=(0, 1))
    strongest = int(total.argmax())
    nfa = _log10_tests(votes) + log10_tail(votes.shape[0] * votes.shape[1], int(total[strongest]) // PHASES)
    main = strongest if nfa < SIGNIFICANT else None
    foreign = np.ones(PHASES, np.bool_)
    foreign[0] = image.jpeg is None
    if main is not None:
        foreign[main] = False
    regions = foreign_regions(votes, foreign)
    numbers = {
        "grid_share": float(total[strongest] / max(1, total.sum())),
        "grid_log10_nfa": nfa,
        "grid_foreign_log10_nfa": regions[0].log10_nfa if regions else 0.0,
    }
    could_vote = block_mean(_under_all_phases(counts).astype(np.float32))
    traces = TraceMaps(_shares(votes, could_vote, main, foreign), numbers)
    return GridFinding(None if main is None else divmod(main, BLOCK), nfa, regions, counts, traces)


def zero_counts(luma: FloatMap) -> Counts:
    """For each whole block the number of AC coefficients below 0.5 (0 to 63) at each of the 64 offsets from it:
    shape (rows, columns, 64), ``NO_COUNT`` where the block at that offset is not wholly in the image."""
    rows, columns = luma.shape[0] // BLOCK, luma.shape[1] // BLOCK
    counts = np.empty((rows, BLOCK, columns, BLOCK), np.uint8)
    for row, coefficients in enumerate(every_offset(luma)):
        zero = np.abs(coefficients, out=coefficients) < _ZERO
        zero[:, 0, :, :, 0] = False
        # Eight truth values are one word: a sum of words counts in each byte, the product adds the bytes up.
        words = zero.view(np.uint64)[..., 0].sum(axis=1)
        counts[row] = words * np.uint64(0x0101010101010101) >> np.uint64(56)
    by_block = counts.transpose(0, 2, 1, 3)
    by_block[-1:, :, luma.shape[0] % BLOCK + 1 :] = NO_COUNT
    by_block[:, -1:, :, luma.shape[1] % BLOCK + 1 :] = NO_COUNT
    return by_block.reshape(rows, columns, PHASES)


def phase_volume(counts: Counts) -> FloatMap:
    """``zero_counts`` minus the mean over each block's offsets, divided by 8: float32 of the same shape, zero where
    there is no count."""
    known = counts != NO_COUNT
    mean = (counts * known).sum(axis=2, keepdims=True) / np.maximum(1, known.sum(axis=2, keepdims=True))
    return np.asarray(np.where(known, (counts - mean) / BLOCK, 0), np.float32)


def mirrored_phases(counts: Counts, axis: int) -> Counts:
    """The counts of the mirrored image of whole blocks, upside down (``axis`` 0) or left to right (1): offset p becomes
    (8 - p) mod 8, and offsets p > 0 shift by one block, which leaves the last block none of them."""
    by_offset = np.moveaxis(counts.reshape(*counts.shape[:2], BLOCK, BLOCK), (axis, 2 + axis), (0, 1))
    turned = by_offset[::-1, -np.arange(BLOCK) % BLOCK]
    mirrored = np.full_like(turned, NO_COUNT)
    mirrored[:, 0] = turned[:, 0]
    mirrored[:-1, 1:] = turned[1:, 1:]
    return np.moveaxis(mirrored, (0, 1), (axis, 2 + axis)).reshape(counts.shape)


def phase_votes(counts: Counts) -> npt.NDArray[np.uint8]:
    """For each pixel of the whole blocks the phase of the block over it that has most zeros, shape (8 rows, 8
    columns). ``NO_VOTE`` where two phases tie, where the block has no AC coefficient at all, and where blocks at some
    phase would reach over the border."""
    phases = np.arange(PHASES, dtype=np.uint16)
    zeros = np.where(counts == NO_COUNT, 0, counts).astype(np.uint16) * PHASES
    # Of equal counts the one key prefers the highest phase, the other the lowest: they differ at a tie only.
    highest = cv2.dilate(_by_pixel(zeros + phases), _WINDOW, anchor=_LAST)
    lowest = cv2.dilate(_by_pixel(zeros + phases[::-1]), _WINDOW, anchor=_LAST)
    tie = highest % PHASES != PHASES - 1 - lowest % PHASES
    void = tie | (highest >= _FLAT * PHASES) | ~_under_all_phases(counts)
    return np.where(void, NO_VOTE, highest % PHASES).astype(np.uint8)


def foreign_regions(votes: Votes, foreign: npt.NDArray[np.bool_]) -> tuple[GridRegion, ...]:
    """Connected blocks with votes for one foreign phase whose rectangle has more of them than chance would give, the
    surest first. ``votes``: of each block for each phase, shape (rows, columns, 64); ``foreign``: 64 truth values.

    Votes of neighbours share their block, so that 64 of them are one trial; NFA = 64 N^2 times the binomial tail.
    """
    tests = _log10_tests(votes)
    found: list[GridRegion] = []
    for phase in np.flatnonzero(foreign):
        of_phase = votes[:, :, phase]
        seeds = (of_phase >= _SEED).astype(np.uint8)
        count, labels, boxes, _ = cv2.connectedComponentsWithStats(seeds, connectivity=8)
        for label in range(1, count):
            left, top, width, height, _ = boxes[label]
            successes = int(of_phase[top : top + height, left : left + width].sum()) // PHASES
            nfa = tests + log10_tail(int(width * height), successes)
            if nfa < SIGNIFICANT:
                found.append(GridRegion(labels == label, divmod(int(phase), BLOCK), nfa))
    return tuple(sorted(found, key=lambda region: region.log10_nfa))


def log10_tail(trials: int, successes: int) -> float:
    """log10 of the probability of at least ``successes`` of ``trials`` (0 to ``trials``) where each has probability
    1/64. Sums logarithms, so that it neither underflows nor loses digits: exact to 1e-8 for a million trials."""
    if successes == 0:
        return 0.0
    log_odds = -math.log(PHASES - 1)
    first = math.lgamma(trials + 1) - math.lgamma(successes + 1) - math.lgamma(trials - successes + 1)
    first += successes * log_odds + trials * math.log1p(-1 / PHASES)
    hits = np.arange(successes, trials, dtype=np.float64)
    terms = np.concatenate([[0.0], np.cumsum(np.log((trials - hits) / (hits + 1)) + log_odds)])
    largest = float(terms.max())
    return (first + largest + math.log(float(np.exp(terms - largest).sum()))) / math.log(10)


def _by_pixel(counts: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint16]:
    """The counts where their blocks start, shape (8 rows, 8 columns)."""
    rows, columns = counts.shape[:2]
    by_offset = counts.reshape(rows, columns, BLOCK, BLOCK).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(by_offset.reshape(rows * BLOCK, columns * BLOCK))


def _under_all_phases(counts: Counts) -> npt.NDArray[np.bool_]:
    """Pixels of the whole blocks that have a block of each phase over them."""
    inside = _by_pixel((counts != NO_COUNT).astype(np.uint16))
    eroded = cv2.erode(inside, _WINDOW, anchor=_LAST, borderType=cv2.BORDER_CONSTANT, borderValue=0)
    return np.asarray(eroded > 0)


def _votes_of_blocks(votes: npt.NDArray[np.uint8]) -> Votes:
    """How many pixels of each block vote for each phase: shape (rows, columns, 64)."""
    rows, columns = votes.shape[0] // BLOCK, votes.shape[1] // BLOCK
    block = np.arange(rows).repeat(BLOCK)[:, None] * columns + np.arange(columns).repeat(BLOCK)
    valid = votes != NO_VOTE
    cells = block[valid] * PHASES + votes[valid]
    return np.bincount(cells, minlength=rows * columns * PHASES).reshape(rows, columns, PHASES)


def _log10_tests(votes: Votes) -> float:
    """log10 of 64 N^2: about as many rectangles of pixels and phases could be tested in an image of N pixels."""
    pixels = votes.shape[0] * votes.shape[1] * BLOCK * BLOCK
    return math.log10(PHASES) + 2 * math.log10(pixels)


def _shares(
    votes: Votes, could_vote: FloatMap, main: int | None, foreign: npt.NDArray[np.bool_]
) -> dict[str, FloatMap]:
    """The three maps; ``could_vote``: the part of each block's pixels that could vote."""
    around = cv2.boxFilter(
        votes.astype(np.float32), cv2.CV_32F, _AROUND, normalize=False, borderType=cv2.BORDER_CONSTANT
    )
    could = PHASES * cv2.boxFilter(could_vote, cv2.CV_32F, _AROUND, normalize=False, borderType=cv2.BORDER_CONSTANT)
    of_main = np.zeros_like(could) if main is None else around[:, :, main]
    missing = np.zeros_like(could) if main is None else around.sum(axis=2) - of_main
    shares = {"grid_main": of_main, "grid_missing": missing, "grid_foreign": around[:, :, foreign].max(axis=2)}
    return {name: np.asarray(share / could, np.float32) for name, share in shares.items()}
