"""The stages of the search for copies, each against plain loops on drawn points and small pictures."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from app.capabilities.media.detectors import copy_move
from app.capabilities.media.detectors.copy_move import FoundCopy

Numbers = npt.NDArray[np.float64]


def _matrix(scale: float, degrees: float, shift: tuple[float, float], mirrored: bool = False) -> Numbers:
    """A similarity by its parts; mirrored ones turn y around first."""
    turn = np.radians(degrees)
    linear = scale * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    if mirrored:
        linear = linear @ np.diag([1, -1])
    return np.column_stack([linear, shift])


def _apply(matrix: Numbers, points: Numbers) -> Numbers:
    return np.asarray([matrix[:, :2] @ one + matrix[:, 2] for one in points])


def _points(count: int, seed: int, side: float = 120) -> Numbers:
    return np.random.default_rng(seed).uniform(0, side, (count, 2))


def test_descriptors_of_a_mirrored_picture_are_mirrored() -> None:
    """OpenCV's own of the picture upside down, at the same places."""
    grey = cv2.GaussianBlur(np.random.default_rng(1).integers(0, 256, (96, 96)).astype(np.uint8), (0, 0), 2)
    keypoints = [cv2.KeyPoint(x, y, 12.0, angle) for x, y, angle in ((40, 50, 30.0), (55, 44, 140.0), (48, 48, 250.0))]
    turned = [cv2.KeyPoint(one.pt[0], 95 - one.pt[1], 12.0, 360 - one.angle) for one in keypoints]
    sift = cv2.SIFT.create()
    wanted = sift.compute(np.ascontiguousarray(grey[::-1]), turned)[1]
    found = copy_move._mirror(np.asarray(sift.compute(grey, keypoints)[1], np.float32))
    for one, other in zip(found, wanted, strict=True):
        assert one @ other / np.linalg.norm(one) / np.linalg.norm(other) > 0.995


def test_the_three_nearest_are_told_with_their_distances() -> None:
    """Of unit vectors: sqrt(2 - 2 cos), the nearest first."""
    alike = np.random.default_rng(1).uniform(-1, 1, (7, 30)).astype(np.float32)
    nearest, far = copy_move._nearest(alike.copy())
    for row, values in enumerate(alike):
        order = sorted(range(30), key=lambda at: -values[at])[:3]
        assert nearest[row].tolist() == order
        assert far[row] == pytest.approx([np.sqrt(2 - 2 * values[at]) for at in order], rel=1e-5)
    assert copy_move._nearest(np.full((1, 4), 1.5, np.float32))[1][0].tolist() == [0, 0, 0]


def _plain_matches(
    places: Numbers, roots: npt.NDArray[np.float32], others: npt.NDArray[np.float32]
) -> set[tuple[int, int]]:
    """Each with each: the nearest, or the two nearest, of what lies 28 px away, by three quarters of the next."""
    found = set()
    for one, root in enumerate(roots):
        far = [
            (
                np.sqrt(max(2 - 2 * float(root @ others[other]), 0))
                if np.hypot(*(places[one] - places[other])) >= 28
                else 2.0,
                other,
            )
            for other in range(len(places))
        ]
        first, second, third = sorted(far)[:3]
        if second[0] < 0.75 * third[0]:
            found |= {(one, first[1]), (one, second[1])} if first[0] < 2 else set()
        elif first[0] < 0.75 * second[0]:
            found.add((one, first[1]))
    return found | {(other, one) for one, other in found}


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("rows", [256, 7])
def test_matches_are_those_of_each_with_each(monkeypatch: pytest.MonkeyPatch, mirrored: bool, rows: int) -> None:
    """Descriptors of which some come two and three times, near and far, in any number of rows at once."""
    monkeypatch.setattr(copy_move, "_ROWS", rows)
    drawn = np.random.default_rng(3)
    places = drawn.uniform(0, 90, (60, 2))
    places = places[np.argsort(places[:, 1])]
    roots = np.abs(drawn.normal(0, 1, (60, 128)))
    for group in ((0, 30), (5, 44), (8, 9), (12, 40, 59), (20, 21, 50), (25, 33, 48, 57), (2, 58)):
        for at in group[1:]:
            copied = roots[group[0]] + drawn.normal(0, drawn.uniform(0.05, 0.6), 128)
            roots[at] = copy_move._mirror(copied[None].astype(np.float32))[0] if mirrored else copied
    roots /= np.linalg.norm(roots, axis=1, keepdims=True)
    kept = roots.astype(np.float32)
    others = copy_move._mirror(kept) if mirrored else kept
    one, other = copy_move._matches(places, kept, mirrored)
    assert set(zip(one.tolist(), other.tolist(), strict=True)) == _plain_matches(places, kept, others)
    assert len(set(zip(one.tolist(), other.tolist(), strict=True))) == len(one)


def test_matches_at_the_same_pixels_count_once() -> None:
    """Keypoints of two scales at one place: of equal pairs of pixels the first is kept."""
    drawn = np.random.default_rng(4)
    places = np.array([[10.0, 10.0], [10.2, 10.2], [80.0, 60.0]])
    roots = np.abs(drawn.normal(0, 1, (4, 128)))[[0, 0, 0]] + drawn.normal(0, 0.01, (3, 128))
    roots /= np.linalg.norm(roots, axis=1, keepdims=True)
    one, other = copy_move._matches(places, roots.astype(np.float32), mirrored=False)
    assert sorted(zip(np.rint(places[one]).tolist(), np.rint(places[other]).tolist(), strict=True)) == [
        ([10, 10], [80, 60]),
        ([80, 60], [10, 10]),
    ]


def test_an_error_is_the_distance_from_where_a_similarity_takes_it() -> None:
    """Point by point."""
    matrix, one, other = _matrix(1.3, 20, (5, -7)), _points(9, 1), _points(9, 2)
    wanted = [np.hypot(*(taken - true)) for taken, true in zip(_apply(matrix, one), other, strict=True)]
    assert copy_move._error(matrix, one, other) == pytest.approx(wanted)


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize(("scale", "found"), [(0.39, False), (0.41, True), (1.0, True), (2.45, True), (2.55, False)])
def test_a_similarity_is_found_among_wrong_matches(mirrored: bool, scale: float, found: bool) -> None:
    """A compact copy of 20 among 60 matches without an order, by a scale of 0.4 to 2.5."""
    matrix = _matrix(scale, 35, (30, 200), mirrored)
    one = np.concatenate([_points(20, 1, 60), _points(60, 2, 400) + 100])
    other = np.concatenate([_apply(matrix, one[:20]), _points(60, 3, 400)])
    told = copy_move._best_similarity(one, other, mirrored)
    assert (told is not None and np.allclose(told, matrix, atol=1e-6)) == found


@pytest.mark.parametrize("scale", [2.52, 0.398])
def test_a_similarity_that_is_fitted_to_another_size_is_none(scale: float) -> None:
    """Single pairs have a size that is looked for, since places are not exact; all matches together have none."""
    one = _points(24, 1, 60)
    other = _apply(_matrix(scale, 35, (30, 200)), one) + np.random.default_rng(7).normal(0, 0.8, one.shape)
    apart, far = (np.linalg.norm(each[:, None] - each, axis=2) for each in (one, other))
    sizes = far[apart > 8] / apart[apart > 8]
    assert ((sizes > 0.4) & (sizes < 2.5)).any()
    assert copy_move._best_similarity(one, other, mirrored=False) is None


def test_without_a_pair_of_that_size_there_is_no_similarity() -> None:
    """All within five px."""
    near = _points(12, 1, 5)
    assert copy_move._best_similarity(near, near + 50, mirrored=False) is None


@pytest.mark.parametrize(("count", "found"), [(9, False), (22, False), (23, True), (24, False), (26, False)])
def test_each_third_neighbour_up_to_the_22nd_is_paired(count: int, found: bool) -> None:
    """Of points within 8 px, the farthest just beyond: it is the neighbour before last of the first."""
    line = np.column_stack([np.append(np.linspace(0, 7.9, count - 1), 8.1), np.zeros(count)])
    line[1:-1] *= 0.98
    assert (copy_move._best_similarity(line, line + 50, mirrored=False) is not None) == found
    line[-1] = (8.0, 0)
    assert copy_move._best_similarity(line, line + 50, mirrored=False) is None


def test_a_similarity_is_fitted_by_least_squares() -> None:
    """To what it explains within 3 px: numpy's solution of the same matches."""
    drawn = np.random.default_rng(5)
    matrix, one = _matrix(1.2, -50, (40, 90)), _points(30, 4)
    other = _apply(matrix, one) + drawn.normal(0, 0.5, (30, 2))
    p, q = (np.asarray(each @ np.array([1, 1j]), np.complex128) for each in (one, other))
    terms = np.column_stack([p, np.ones(30)])
    wanted = np.linalg.lstsq(terms, q, rcond=None)[0]
    turn = complex(1.2 * np.exp(-1j * np.radians(50)))
    count, fitted, shift = copy_move._refine(turn, 40 + 90j, p, q)
    assert count == 30
    assert [fitted, shift] == pytest.approx([complex(one) for one in wanted])
    assert copy_move._refine(1, 1e6, p, q) == (0, 1, 1e6)
    # Two matches do not fix it: it stays as it was.
    assert copy_move._refine(turn, 40 + 90j, p[:2], q[:2]) == (2, turn, 40 + 90j)
    assert copy_move._refine(turn, 40 + 90j, p[:3], q[:3])[1] != turn


def _held(one: Numbers, other: Numbers) -> list[list[int]]:
    return [sorted(held.tolist()) for _, held in copy_move._similarities(one, other, mirrored=False)]


@pytest.mark.parametrize(("count", "found"), [(7, False), (8, True), (9, True)])
def test_eight_matches_make_a_copy(count: int, found: bool) -> None:
    """Alone, and with others that no similarity explains."""
    one = _points(count, 1)
    matrix = _matrix(1, 10, (300, 0))
    assert _held(one, _apply(matrix, one)) == [list(range(count))] * found
    with_others = np.concatenate([one, _points(9, 7, 900)])
    taken = np.concatenate([_apply(matrix, one), _points(9, 8, 900)])
    assert _held(with_others, taken) == [list(range(count))] * found


@pytest.mark.parametrize("copies", [3, 4, 5])
def test_four_copies_at_most_are_looked_for(copies: int) -> None:
    """The one with most matches first; what one explains, or its inverse, the next does not count."""
    ones = [_points(30 - 3 * at, at, 80) + 150 * at for at in range(copies)]
    others = [_apply(_matrix(1, 5, (2000 + 500 * at, 40)), one) for at, one in enumerate(ones)]
    one, other = np.concatenate([*ones, *others]), np.concatenate([*others, *ones])
    starts = np.cumsum([0] + [len(each) for each in ones])
    held = copy_move._similarities(one, other, mirrored=False)
    assert [len(each) for _, each in held] == [len(each) for each in ones][:4]
    for at, (_, each) in enumerate(held):
        assert sorted(int(place) % starts[-1] for place in each) == list(range(starts[at], starts[at + 1]))


def test_what_is_near_what_was_explained_is_not_explained_again() -> None:
    """Matches up to six px off belong to it, but count for nothing; those farther off make another."""
    one = _points(40, 3)
    for off, count in ((5.9, 1), (6.1, 2)):
        other = one + np.array([300, 0])
        other[:15, 0] += off
        assert len(_held(one, other)) == count


@pytest.mark.parametrize(("error", "found"), [(0.6, True), (0.7, False)])
def test_matches_of_a_copy_are_65_hundredths_of_a_px_off_at_most(error: float, found: bool) -> None:
    """On the median; what only looks alike is farther off."""
    angles = np.linspace(0, 2 * np.pi, 60, endpoint=False) * 7
    one = _points(60, 3)
    other = one + np.array([300, 0]) + error * np.column_stack([np.cos(angles), np.sin(angles)])
    assert bool(_held(one, other)) == found


def test_correlations_are_those_of_nine_by_nine_px() -> None:
    """Numpy's, pixel by pixel; 0 where one of them is plain."""
    drawn = np.random.default_rng(1)
    one = drawn.integers(0, 256, (24, 30)).astype(np.uint8)
    other = np.clip(one * 0.5 + drawn.normal(60, 30, one.shape), 0, 255).astype(np.uint8)
    for spread, columns in ((1.9, slice(0, 12)), (2.1, slice(16, 30))):
        other[:, columns] = 100 + np.rint(
            spread * (-1.0) ** np.add.outer(np.arange(24), np.arange(columns.stop - columns.start))
        )
    found = copy_move._zncc(one, other)
    padded = [np.pad(each.astype(float), 4, mode="reflect") for each in (one, other)]
    for row in range(24):
        for column in range(30):
            a, b = (each[row : row + 9, column : column + 9].ravel() for each in padded)
            plain = min(a.var(), b.var())
            if abs(plain - 4) < 0.01:
                continue
            wanted = np.corrcoef(a, b)[0, 1] if plain > 4 else 0.0
            assert found[row, column] == pytest.approx(wanted, abs=2e-3), (row, column)


def test_values_are_taken_at_the_nearest_pixels() -> None:
    """x is the column."""
    values = np.arange(12).reshape(3, 4)
    assert copy_move._at(values, np.array([[2.4, 1.0], [2.6, 0.4], [0.0, 1.6]])).tolist() == [6, 3, 8]


def test_more_than_half_of_a_block_is_copied() -> None:
    """33 of 64 px are, 32 are not; also of a picture that was searched in half its size."""
    mask = np.zeros((16, 24), np.bool_)
    mask[0:4, 0:8], mask[8:12, 8:16], mask[12, 8] = True, True, True
    assert copy_move._on_grid(mask, (24, 16)).tolist() == [[False, False, False], [False, True, False]]
    small = np.zeros((8, 12), np.bool_)
    small[0:2, 0:4], small[4:7, 4:8] = True, True
    assert copy_move._on_grid(small, (24, 16)).tolist() == [[False, False, False], [False, True, False]]


@pytest.mark.parametrize("shrunk", [1.0, 0.5, 0.7])
def test_a_similarity_of_a_smaller_image_is_one_of_the_image(shrunk: float) -> None:
    """The centre of pixel 0 lies half a pixel inside, in both sizes."""
    matrix, points = _matrix(1.1, 25, (13, -4)), _points(6, 1)
    small = (points + 0.5) * shrunk - 0.5
    taken = (_apply(matrix, small) + 0.5) / shrunk - 0.5
    np.testing.assert_allclose(_apply(copy_move._in_pixels(matrix, shrunk), points), taken, atol=1e-9)


def _copy(source: slice, copy: slice) -> FoundCopy:
    """Of columns of a picture of 4 x 40 blocks."""
    masks = np.zeros((2, 4, 40), np.bool_)
    masks[0, :, source], masks[1, :, copy] = True, True
    return FoundCopy(np.eye(2, 3), 9, masks[0], masks[1])


A, B, C, E, F = (slice(8 * at, 8 * at + 8) for at in range(5))


@pytest.mark.parametrize(
    ("links", "kept"),
    [
        ([(A, B)], [0]),
        ([(A, B), (B, C)], [0, 1]),
        ([(A, B), (A, C), (E, F)], [0, 1, 2]),
        ([(A, B), (B, C), (C, E)], []),
        ([(A, B), (C, E), (B, C)], []),
        ([(A, B), (C, E), (C, F)], [0, 1, 2]),
        ([(A, B), (A, C), (A, E)], []),
        ([(A, slice(6, 14)), (C, E)], [1]),
        ([(A, slice(7, 15)), (C, E)], [0, 1]),
        ([(A, slice(6, 14)), (A, C)], []),
        ([(A, B), (slice(14, 22), E)], [0, 1]),
        ([(A, slice(7, 9)), (C, E)], [1]),
    ],
)
def test_copies_that_link_more_than_three_places_are_a_pattern(
    links: list[tuple[slice, slice]], kept: list[int]
) -> None:
    """A place and its two copies are none, what is its own copy in part is one; a quarter in common is the same."""
    copies = [_copy(*link) for link in links]
    assert [at for one in copy_move._without_patterns(copies) for at, copy in enumerate(copies) if copy is one] == kept


def test_the_bounds_of_the_search_are_those_of_the_page() -> None:
    """Two megapixels, 6000 keypoints, four similarities of each kind, two copies of a place."""
    assert (copy_move.MOST_PIXELS, copy_move.MOST_KEYPOINTS) == (2_000_000, 6000)
    assert (copy_move.MOST_FOUND, copy_move.MOST_COPIES, copy_move.FEWEST) == (4, 2, 8)


def test_of_many_matches_512_are_tried() -> None:
    """Evenly spread, the first and the last among them."""
    count = 1400
    one = np.column_stack([np.arange(count) * 40.0, np.zeros(count)])
    other = np.random.default_rng(1).uniform(0, 1e6, (count, 2))
    tried = np.unique(np.linspace(0, count - 1, 512).astype(int))
    for at in (int(tried[100]), int(tried[-1]) - 9):
        moved = other.copy()
        moved[at - 8 : at + 9] = one[at - 8 : at + 9] + 7
        assert copy_move._best_similarity(one, moved, mirrored=False) is not None
