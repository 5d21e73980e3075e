"""Boxes and polygons of blocks."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra.numpy import arrays

from app.capabilities.media.messages import MOST_CORNERS
from app.capabilities.media.verdict import outlines
from app.capabilities.media.verdict.outlines import box_of, polygon_of
from tests.unit.capabilities.media.verdict.judgements import Mask, place

AREAS = arrays(np.bool_, some.tuples(some.integers(1, 24), some.integers(1, 24))).filter(np.any)


def _size_of(outline: list[list[int]]) -> float:
    """By the shoelace formula, px."""
    x, y = np.array(outline, np.float64).T
    return float(abs((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()) / 2)


def test_a_rectangle_has_its_four_corners() -> None:
    """Corners lie on the edges of the blocks, not in their middles."""
    area = place()
    assert box_of(area) == [160, 64, 96, 64]
    assert sorted(map(tuple, polygon_of(area))) == [(160, 64), (160, 128), (256, 64), (256, 128)]


def test_one_block_is_a_square() -> None:
    """A single block has four corners, eight px apart."""
    assert sorted(map(tuple, polygon_of(place(slice(3, 4), slice(5, 6))))) == [(40, 24), (40, 32), (48, 24), (48, 32)]


def test_places_apart_have_one_hull() -> None:
    """Of blocks that do not hang together the outline is around all of them."""
    area = place(slice(0, 2), slice(0, 2)) | place(slice(10, 12), slice(10, 12))
    assert {(0, 0), (96, 96)} <= set(map(tuple, polygon_of(area)))


@settings(max_examples=60, deadline=None)
@given(AREAS)
def test_every_area_has_an_outline_inside_its_box(area: Mask) -> None:
    """Three to 24 corners, none outside the box, and an area that is not nothing."""
    left, top, width, height = box_of(area)
    outline = polygon_of(area)
    assert 3 <= len(outline) <= MOST_CORNERS
    assert all(left <= x <= left + width and top <= y <= top + height for x, y in outline)
    assert 0 < _size_of(outline) <= width * height


def _turned(area: Mask) -> set[tuple[int, int]]:
    """The outline's corners, in no order."""
    return {(x, y) for x, y in polygon_of(area)}


def test_corners_are_those_of_the_blocks() -> None:
    """An L, and a cross: six and twelve corners, each where two edges of blocks meet."""
    bent = place(slice(0, 3), slice(0, 1), (6, 6)) | place(slice(2, 3), slice(0, 4), (6, 6))
    assert _turned(bent) == {(0, 0), (8, 0), (8, 16), (32, 16), (32, 24), (0, 24)}
    cross = place(slice(2, 3), slice(0, 5), (6, 6)) | place(slice(0, 5), slice(2, 3), (6, 6))
    assert len(_turned(cross)) == 12
    assert _size_of(polygon_of(cross)) == 9 * 64


def test_holes_are_filled() -> None:
    """A ring has the outline of its outer edge."""
    ring = place(slice(1, 6), slice(1, 6), (8, 8)) & ~place(slice(2, 5), slice(2, 5), (8, 8))
    assert _turned(ring) == {(8, 8), (48, 8), (8, 48), (48, 48)}


@pytest.mark.parametrize("teeth", [3, 4, 5, 7, 20])
def test_an_outline_of_too_many_corners_is_made_coarser(teeth: int) -> None:
    """A comb of up to 4 teeth is kept whole, with each inner corner twice; of 5 it is not."""
    comb = np.zeros((12, 2 * teeth), np.bool_)
    comb[6:], comb[:, ::2] = True, True
    outline = polygon_of(comb)
    exact = 64 * int(comb.sum())
    assert (_size_of(outline) == exact) == (teeth <= 4)
    assert len(outline) == 5 * teeth + 1 if teeth <= 4 else len(outline) <= MOST_CORNERS
    if teeth > 4:
        assert exact * 0.5 < _size_of(outline) <= 12 * 2 * teeth * 64


def test_two_places_have_the_hull_of_both() -> None:
    """Also where one of them is a single block."""
    apart = place(slice(0, 2), slice(0, 2), (9, 9)) | place(slice(6, 7), slice(6, 7), (9, 9))
    assert _turned(apart) == {(0, 0), (16, 0), (56, 48), (56, 56), (48, 56), (0, 16)}


def _crossing(outline: list[list[int]]) -> bool:
    """Whether two sides that do not follow each other have an inner point in common."""
    corners = [np.array(corner, float) for corner in outline]
    sides = list(zip(corners, corners[1:] + corners[:1], strict=True))
    for at, (a, b) in enumerate(sides):
        for c, d in sides[at + 1 :]:
            system = np.column_stack([b - a, c - d])
            if abs(np.linalg.det(system)) > 1e-9:
                s, t = np.linalg.solve(system, c - a)
                if 1e-9 < s < 1 - 1e-9 and 1e-9 < t < 1 - 1e-9:
                    return True
    return False


def test_no_outline_crosses_itself() -> None:
    """Ragged areas, whose coarse outlines would: the hull is taken instead."""
    for seed in range(40):
        drawn = np.random.default_rng(seed)
        rough = cv2.GaussianBlur(drawn.normal(0, 1, (24, 24)), (0, 0), 1.2)
        count, labels = cv2.connectedComponents((rough > 0).astype(np.uint8), connectivity=4)
        area = labels == 1 + int(np.argmax(np.bincount(labels.ravel(), minlength=count)[1:]))
        assert not _crossing(polygon_of(area)), seed


@pytest.mark.parametrize(
    ("outline", "crosses"),
    [
        ([[0, 0], [8, 8], [8, 0], [0, 8]], True),
        ([[8, 0], [0, 0], [8, 8], [16, 0], [16, 16], [0, 16]], True),
        ([[0, 0], [8, 0], [8, 8], [0, 8]], False),
        ([[0, 0], [24, 0], [24, 24], [8, -8], [0, 24]], True),
        ([[0, 24], [0, 0], [24, 0], [24, 24], [8, -8]], True),
        ([[8, -8], [0, 24], [0, 0], [24, 0], [24, 24]], True),
        ([[0, 0], [24, 0], [24, 24], [12, 0], [0, 24]], False),
        ([[0, 0], [16, 0], [16, 8], [8, 8], [8, 16], [24, 16], [24, 4], [12, 4], [12, 20], [0, 20]], True),
    ],
)
def test_two_sides_cross_where_each_parts_the_other(outline: list[list[int]], crosses: bool) -> None:
    """Wherever the outline begins and whichever way round; that they touch is none."""
    assert _crossing(outline) == crosses
    for turned in range(len(outline)):
        began = outline[turned:] + outline[:turned]
        assert outlines._crosses_itself(began) == crosses
        assert outlines._crosses_itself(began[::-1]) == crosses


def test_an_outline_of_24_corners_is_kept() -> None:
    """Teeth of one and two blocks: what is enclosed is exactly the blocks."""
    area = np.zeros((5, 9), np.bool_)
    for column, height in enumerate((1, 0, 2, 0, 1, 0, 2, 0, 1)):
        area[4 - height :, column] = True
    outline = polygon_of(area)
    assert len(outline) == MOST_CORNERS == 24
    assert _size_of(outline) == 64 * area.sum()


def test_what_is_thin_becomes_its_box_and_a_stair_a_triangle() -> None:
    """Thirty steps have too many corners; of blocks that meet in their corners alone a line would be left."""
    assert polygon_of(np.tril(np.ones((30, 30), np.bool_))) == [[0, 0], [0, 240], [240, 240]]
    for side in (10, 30):
        line = np.zeros((side + 2, side + 5), np.bool_)
        line[np.arange(side) + 1, np.arange(side) + 3] = True
        end = 8 * side
        assert polygon_of(line) == [[24, 8], [24 + end, 8], [24 + end, 8 + end], [24, 8 + end]]
