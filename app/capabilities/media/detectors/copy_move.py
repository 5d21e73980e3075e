"""Copy-move: places that are copies of others of the same image, turned, scaled or mirrored (after Amerini et al., "A
SIFT-based forensic method for copy-move attack detection and transformation recovery", IEEE TIFS 2011; root-SIFT:
Arandjelović and Zisserman, "Three things everyone should know to improve object retrieval", CVPR 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from app.capabilities.media.detectors.blocks import block_mean
from app.capabilities.media.detectors.image import DecodedImage, FloatMap

Points = npt.NDArray[np.float64]
Similarity = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Grey = npt.NDArray[np.uint8]

MOST_PIXELS: Final = 2_000_000
"""Larger images are scaled down to this for this detector alone: its time grows with the square of the keypoints."""
MOST_KEYPOINTS: Final = 6000
APART: Final = 28.0
"""Least distance of a copy from its source, px of the searched image."""
MOST_COPIES: Final = 2
"""A place with more copies than this is part of a pattern."""
MOST_FOUND: Final = 4
"""Most similarities that are looked for, plain and mirrored each."""
FEWEST: Final = 8
"""Least matches of a copy."""
MOST_ERROR: Final = 0.65
"""Largest median error of a copy's matches, px. Copies keep below .6; things that merely look alike begin at .8."""
_RATIO: Final = 0.75
_CONTRAST: Final = 0.01  # a quarter of OpenCV's own: of smooth places its own leaves too few keypoints
_ROWS: Final = 256
_TOLERANCE: Final = 3.0
_ANCHORS: Final = 512
_NEIGHBOURS: Final = slice(1, 25, 3)
_SHORTEST: Final = 8.0
_SIZES: Final = (0.4, 2.5)
_REFINED: Final = 12
_ALIKE: Final = 0.8
_FLATTEST: Final = 4.0


@dataclass(frozen=True)
class FoundCopy:
    """Two places that show the same. Which of them is the original, it cannot tell.

    ``similarity`` takes (x, y, 1) of the source to (x, y) of the copy, px of the image, shape (2, 3); its determinant
    is negative where the copy is mirrored. ``inliers`` counts the matches inside ``source``. The masks have the shape
    ``DecodedImage.grid``: blocks that are more than half copied.
    """

    similarity: Similarity
    inliers: int
    source: Mask
    copy: Mask


def copy_moves(image: DecodedImage) -> tuple[FoundCopy, ...]:
    """The copies in an image, plain ones first, each with 8 inliers or more; no part of a pattern, which has more than
    two copies of one place, or two at equal steps. The same image gives the same result."""
    size = image.rgb.shape[1::-1]
    shrunk = min(1.0, (MOST_PIXELS / (size[0] * size[1])) ** 0.5)
    luma = (
        cv2.resize(image.luma, None, fx=shrunk, fy=shrunk, interpolation=cv2.INTER_AREA) if shrunk < 1 else image.luma
    )
    grey = np.rint(luma).astype(np.uint8)
    places, roots = _keypoints(grey)
    if not len(places):
        return ()
    found = []
    for mirrored in (False, True):
        one, other = _matches(places, roots, mirrored)
        for similarity, held in _similarities(places[one], places[other], mirrored):
            source, copy = _masks(grey, similarity, places[one][held])
            inliers = int(_at(source, places[one][held]).sum())
            if inliers >= FEWEST:
                masks = (_on_grid(mask, size) for mask in (source, copy))
                found.append(FoundCopy(_in_pixels(similarity, shrunk), inliers, *masks))
    return _without_patterns(found)


def _keypoints(grey: Grey) -> tuple[Points, FloatMap]:
    """Places (x, y) from top to bottom, shape (n, 2), and their root-SIFT descriptors, shape (n, 128)."""
    sift = cv2.SIFT.create(nfeatures=MOST_KEYPOINTS, contrastThreshold=_CONTRAST)
    keypoints, descriptors = sift.detectAndCompute(grey, None)
    if not keypoints:
        return np.zeros((0, 2)), np.zeros((0, 128), np.float32)
    places = np.array([keypoint.pt for keypoint in keypoints], np.float64)
    order = np.lexsort((places[:, 0], places[:, 1]))
    shares = descriptors / np.maximum(descriptors.sum(axis=1, keepdims=True), 1)
    return places[order], np.asarray(np.sqrt(shares[order]), np.float32)


def _mirror(roots: FloatMap) -> FloatMap:
    """The descriptors that the keypoints have in the mirrored image: the rows of the 4 x 4 x 8 histogram in reverse,
    its directions negated."""
    cells = roots.reshape(-1, 4, 4, 8)[:, ::-1]
    return np.ascontiguousarray(cells[..., -np.arange(8) % 8].reshape(-1, 128))


def _matches(places: Points, roots: FloatMap, mirrored: bool) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Keypoints that look alike, both ways round: those nearer in descriptor than .75 of the next, at most two each
    (generalized 2NN test)."""
    others = _mirror(roots) if mirrored else roots
    pairs = []
    for start in range(0, len(places), _ROWS):
        here = places[start : start + _ROWS]
        alike = roots[start : start + _ROWS] @ others.T
        first, last = np.searchsorted(places[:, 1], (here[0, 1] - APART, here[-1, 1] + APART))
        across, down = (np.subtract.outer(here[:, axis], places[first:last, axis]) for axis in (0, 1))
        alike[:, first:last][across * across + down * down < APART * APART] = -1
        nearest, far = _nearest(alike)
        single, double = (far[:, :-1] < _RATIO * far[:, 1:]).T
        for rank, passed in enumerate((single | double, double & ~single)):
            held = np.flatnonzero(passed)
            pairs.append(np.stack([start + held, nearest[held, rank]], axis=1))
    both = np.concatenate(pairs)
    both = np.concatenate([both, both[:, ::-1]])
    spots = np.rint(np.concatenate([places[both[:, 0]], places[both[:, 1]]], axis=1)).astype(np.int64)
    kept = both[np.unique(spots, axis=0, return_index=True)[1]]
    return kept[:, 0], kept[:, 1]


def _nearest(alike: FloatMap) -> tuple[npt.NDArray[np.intp], FloatMap]:
    """The three columns of largest similarity in each row, and their distances; ``alike`` is spent."""
    row = np.arange(len(alike))
    nearest, far = [], []
    for _ in range(MOST_COPIES + 1):
        best = alike.argmax(axis=1)
        far.append(np.sqrt(np.maximum(2 - 2 * alike[row, best], 0)))
        nearest.append(best)
        alike[row, best] = -1
    return np.stack(nearest, axis=1), np.stack(far, axis=1)


def _similarities(one: Points, other: Points, mirrored: bool) -> list[tuple[Similarity, npt.NDArray[np.intp]]]:
    """Up to four similarities that each explain at least eight matches, with these matches; what one explains, or its
    inverse, the next does not count."""
    found = []
    left = np.arange(len(one))
    for _ in range(MOST_FOUND):
        if len(left) < FEWEST:
            break
        similarity = _best_similarity(one[left], other[left], mirrored)
        if similarity is None:
            break
        error = _error(similarity, one[left], other[left])
        held = error < _TOLERANCE
        if held.sum() < FEWEST:
            break
        if np.median(error[held]) < MOST_ERROR:
            found.append((similarity, left[held]))
        back = _error(similarity, other[left], one[left])
        left = left[np.minimum(error, back) >= 2 * _TOLERANCE]
    return found


def _error(similarity: Similarity, one: Points, other: Points) -> npt.NDArray[np.float64]:
    """How far the similarity takes ``one`` from ``other``, px."""
    return np.asarray(np.linalg.norm(one @ similarity[:, :2].T + similarity[:, 2] - other, axis=1), np.float64)


def _best_similarity(one: Points, other: Points, mirrored: bool) -> Similarity | None:
    """The similarity that explains most matches, of those that each match makes with its neighbours; None where none
    is of a size that is looked for. Neighbours instead of drawn pairs: a copy is compact, so that a few matches among
    many suffice, and no chance is in it."""
    p = one[:, 0] + (-1j if mirrored else 1j) * one[:, 1]
    q = other[:, 0] + 1j * other[:, 1]
    anchors = np.unique(np.linspace(0, len(p) - 1, _ANCHORS).astype(np.intp))
    near = np.argsort(np.abs(p[anchors, None] - p), axis=1, kind="stable")[:, _NEIGHBOURS]
    anchor, neighbour = np.repeat(anchors, near.shape[1]), near.ravel()
    far = np.abs(p[anchor] - p[neighbour]) > _SHORTEST
    anchor, neighbour = anchor[far], neighbour[far]
    turns = (q[anchor] - q[neighbour]) / (p[anchor] - p[neighbour])
    sized = _has_size(turns)
    turns, anchor = turns[sized], anchor[sized]
    shifts = q[anchor] - turns * p[anchor]
    counts = np.array([_explains(turn, shift, p, q).sum() for turn, shift in zip(turns, shifts, strict=True)])
    best: tuple[int, complex, complex] = (0, 1, 0)
    for index in np.argsort(-counts, kind="stable")[:_REFINED]:
        refined = _refine(complex(turns[index]), complex(shifts[index]), p, q)
        if refined[0] > best[0] and _has_size(refined[1]):
            best = refined
    explained, turn, shift = best
    if not explained:
        return None
    matrix = np.array([[turn.real, -turn.imag, shift.real], [turn.imag, turn.real, shift.imag]])
    return matrix * [1, -1, 1] if mirrored else matrix


def _has_size(turn: complex | npt.NDArray[np.complex128]) -> npt.NDArray[np.bool_]:
    """Whether a similarity scales by .4 to 2.5."""
    size = np.abs(turn)
    return np.asarray((size > _SIZES[0]) & (size < _SIZES[1]))


def _explains(turn: complex, shift: complex, p: npt.NDArray[np.complex128], q: npt.NDArray[np.complex128]) -> Mask:
    """The matches that ``turn * p + shift`` takes within 3 px."""
    return np.asarray(np.abs(turn * p + (shift - q)) < _TOLERANCE, np.bool_)


def _refine(
    turn: complex, shift: complex, p: npt.NDArray[np.complex128], q: npt.NDArray[np.complex128]
) -> tuple[int, complex, complex]:
    """How many matches the similarity explains after four fits by least squares to those that it explains, and it."""
    for _ in range(4):
        held = _explains(turn, shift, p, q)
        if held.sum() < 3:
            break
        middle, target = p[held].mean(), q[held].mean()
        off = p[held] - middle
        turn = complex((off.conj() * (q[held] - target)).sum() / (np.abs(off) ** 2).sum())
        shift = complex(target - turn * middle)
    return int(_explains(turn, shift, p, q).sum()), turn, shift


def _masks(grey: Grey, similarity: Similarity, inliers: Points) -> tuple[Mask, Mask]:
    """The px of the source and of the copy: where the 9x9 ZNCC of the image and of the image taken back by the
    similarity is above .8, joined over 16 px, as far as it hangs together with inliers."""
    size = grey.shape[::-1]
    back = cv2.WARP_INVERSE_MAP
    there = cv2.warpAffine(grey, similarity, size, flags=cv2.INTER_LINEAR | back, borderMode=cv2.BORDER_REPLICATE)
    inside = cv2.warpAffine(np.ones_like(grey), similarity, size, flags=cv2.INTER_NEAREST | back)
    alike = (_zncc(grey, np.asarray(there, np.uint8)) > _ALIKE) & (np.asarray(inside) > 0)
    opened = cv2.morphologyEx(alike.astype(np.uint8), cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
    joined = cv2.morphologyEx(opened, cv2.MORPH_CLOSE, np.ones((17, 17), np.uint8))
    labels = np.asarray(cv2.connectedComponents(joined)[1], np.int32)
    held = _at(labels, inliers)
    source = np.isin(labels, held[held > 0])
    copy = cv2.warpAffine(source.astype(np.uint8), similarity, size, flags=cv2.INTER_NEAREST)
    return source, np.asarray(copy, np.bool_)


def _at(values: npt.NDArray[Any], places: Points) -> npt.NDArray[Any]:
    """The values at the pixels that are nearest to places."""
    column, row = np.rint(places).astype(np.intp).T
    held: npt.NDArray[Any] = values[row, column]
    return held


def _zncc(one: Grey, other: Grey) -> FloatMap:
    """Zero-mean normalized cross-correlation in 9x9 px; 0 where either has a deviation below 2 levels, for there it is
    one of noise."""
    a, b = one.astype(np.float32), other.astype(np.float32)
    mean_a, mean_b, aa, bb, ab = (cv2.blur(values, (9, 9)) for values in (a, b, a * a, b * b, a * b))
    of_a, of_b = aa - mean_a**2, bb - mean_b**2
    seen = np.minimum(of_a, of_b) > _FLATTEST
    return np.where(seen, (ab - mean_a * mean_b) / np.sqrt(np.where(seen, of_a * of_b, 1)), np.float32(0))


def _on_grid(mask: Mask, size: tuple[int, int]) -> Mask:
    """The blocks of the image, ``size`` (width, height), of which the mask covers more than half."""
    full = cv2.resize(mask.astype(np.float32), size, interpolation=cv2.INTER_NEAREST)
    return block_mean(np.asarray(full, np.float32)) > 0.5


def _in_pixels(similarity: Similarity, shrunk: float) -> Similarity:
    """A similarity of the image shrunk by a factor as one of the image itself; pixel centres are at whole numbers."""
    edge = np.full(2, 0.5)
    linear = similarity[:, :2]
    shift = linear @ (edge - edge / shrunk) + (similarity[:, 2] + edge) / shrunk - edge
    return np.column_stack([linear, shift])


def _without_patterns(found: list[FoundCopy]) -> tuple[FoundCopy, ...]:
    """Those that link at most three places with one another, a place and its two copies, and none with itself."""
    places: list[Mask] = []
    links = [{_place(places, one.source), _place(places, one.copy)} for one in found]
    groups: list[set[int]] = []
    for link in links:
        apart = [group for group in groups if not group & link]
        groups = [*apart, link.union(*(group for group in groups if group & link))]
    loops = set().union(*(link for link in links if len(link) == 1))
    patterns = set().union(*(group for group in groups if len(group) > MOST_COPIES + 1 or group & loops))
    return tuple(one for one, link in zip(found, links, strict=True) if not link & patterns)


def _place(places: list[Mask], mask: Mask) -> int:
    """The number of the place that shares at least a quarter of the smaller's blocks with the mask; if none does, the
    mask is a new place. What is its own source in part becomes a place that is linked with itself."""
    for number, place in enumerate(places):
        if 4 * (place & mask).sum() >= min(place.sum(), mask.sum()):
            return number
    places.append(mask)
    return len(places) - 1
