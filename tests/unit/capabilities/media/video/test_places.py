"""Places that do not go on as the rest does, against plain loops over drawn changes of cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from app.capabilities.media.video import places
from app.capabilities.media.video.places import FoundPlace, find_places, freeze_strengths, local_jumps

Changes = npt.NDArray[np.float16]
Cells = tuple[slice, slice]
PLACE: Cells = (slice(8, 13), slice(10, 16))
BOX = (10 / 32, 8 / 24, 6 / 32, 5 / 24)


def _series(count: int = 60, seed: int = 1) -> npt.NDArray[np.float64]:
    """Of each cell what it changes when nothing happens: 1.6 to 2.4 grey levels."""
    return np.random.default_rng(seed).uniform(1.6, 2.4, (count, 24, 32))


def _excess(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """In plain words: over the median of the 13 around and 1.5 levels, two of it are usual, twelve more count."""
    count, excess = len(values), np.zeros_like(values)
    width = min(13, count)
    for at in range(count):
        begin = min(max(at - width // 2, 0), count - width)
        usual = np.median(values[begin : begin + width], axis=0)
        excess[at] = np.minimum(np.maximum(values[at] / (usual + 1.5) - 2, 0), 12)
    for at in [at for at in range(count) if np.median(excess[at]) > 1]:
        excess[at : at + 5] = 0
    return excess


def _mirrored(cells: npt.NDArray[np.float64], reach: int, edge: str) -> npt.NDArray[np.float64]:
    """Windows of ``2 reach + 1`` cells a side around each cell."""
    options = {"constant_values": -1.0} if edge == "constant" else {}
    padded = np.pad(cells, reach, mode=edge, **options)  # type: ignore[call-overload]
    return np.lib.stride_tricks.sliding_window_view(padded, (2 * reach + 1, 2 * reach + 1))


def _alone(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Of each frame: means of 3 x 3 cells, less the largest within 9 x 9 in two frames to each side."""
    compact = [_mirrored(one, 1, "symmetric").mean(axis=(2, 3)) for one in _excess(values)]
    around = [_mirrored(one, 4, "constant").max(axis=(2, 3)) for one in compact]
    alone = []
    for at, one in enumerate(compact):
        near = [around[place] for place in (at - 2, at - 1, at + 1, at + 2) if 0 <= place < len(compact)]
        alone.append(np.maximum(one - np.max([np.zeros_like(one), *near], axis=0), 0))
    return np.stack(alone)


def _local(values: npt.NDArray[np.float64]) -> list[float]:
    return [float(one.max()) for one in _alone(values.astype(np.float16).astype(float))]


@pytest.mark.parametrize("count", [1, 2, 5, 13, 14, 30])
def test_local_jumps_are_those_of_plain_loops(count: int) -> None:
    """Blobs of any strength anywhere, at the borders too, in frames that follow each other, and some whole jumps."""
    drawn = np.random.default_rng(count)
    values = _series(count)
    for at in range(count):
        if drawn.random() < 0.8:
            top, left = drawn.integers(-2, 24), drawn.integers(-2, 32)
            values[at, max(0, top) : top + 4, max(0, left) : left + 4] *= drawn.uniform(1, 25)
        if drawn.random() < 0.15:
            values[at] *= drawn.uniform(3, 8)
    assert local_jumps(values.astype(np.float16)) == pytest.approx(_local(values), abs=1e-4)


def test_of_no_frame_there_is_nothing() -> None:
    """Neither strengths nor places."""
    none = np.zeros((0, 24, 32), np.float16)
    assert local_jumps(none).tolist() == freeze_strengths(none).tolist() == find_places(none) == []


@pytest.mark.parametrize("above", [2.875, 3.0, 3.125])
def test_a_frame_that_jumps_as_a_whole_hides_four_behind_it(above: float) -> None:
    """An encoder sharpens a new scene place by place: the median cell decides."""
    for later in range(7):
        values = np.full((40, 24, 32), 2.5)
        values[20] = 4 * above
        values[20 + later, 8:12, 8:12] = 60
        assert (local_jumps(values.astype(np.float16))[20 + later] > 0) == (above <= 3 or later > 4)


def _jumping(*jumps: tuple[int, Cells, float], count: int = 60) -> Changes:
    """A series in which these places change so much at these frames."""
    values = np.full((count, 24, 32), 2.5)
    for at, (rows, columns), level in jumps:
        values[at, rows, columns] = level
    return values.astype(np.float16)


def _level(strength: float) -> float:
    """What a place must change for so much excess: usual are 2.5 levels."""
    return 4 * (strength + 2)


def _near(strength: float) -> Any:
    """As strong, as far as half floats tell."""
    return pytest.approx(strength, abs=0.02)


def _told(changes: Changes) -> list[FoundPlace]:
    return find_places(changes)


@pytest.mark.parametrize(("strength", "found"), [(8.375, False), (8.5, True), (20.0, True)])
def test_a_place_that_jumps_once_needs_8_and_a_half(strength: float, found: bool) -> None:
    """It is told at the frame of its jump, with its box."""
    told = _told(_jumping((20, PLACE, _level(strength))))
    assert told == ([FoundPlace("splice", 20, 20, BOX, _near(min(strength, 12)))] if found else [])


@pytest.mark.parametrize(("strength", "found"), [(6.375, False), (6.5, True)])
def test_a_place_that_jumps_back_needs_6_and_a_half(strength: float, found: bool) -> None:
    """From its first frame to the last before it jumps back; as strong as the stronger of both."""
    told = _told(_jumping((20, PLACE, _level(strength)), (30, PLACE, _level(strength + 1))))
    both = FoundPlace("splice", 20, 29, BOX, _near(strength + 1))
    assert told == ([both] if found else [])


@pytest.mark.parametrize(("later", "paired"), [(3, False), (4, True), (5, True), (35, True)])
def test_a_place_jumps_back_after_four_frames_at_the_earliest(later: int, paired: bool) -> None:
    """Before that, both are jumps of their own."""
    told = _told(_jumping((20, PLACE, _level(10)), (20 + later, PLACE, _level(9))))
    assert [(one.first, one.last) for one in told] == (
        [(20, 19 + later)] if paired else [(20, 20), (20 + later, 20 + later)]
    )


@pytest.mark.parametrize(
    ("other", "paired"),
    [
        ((slice(8, 13), slice(16, 22)), True),
        ((slice(8, 13), slice(17, 23)), False),
        ((slice(14, 19), slice(10, 16)), True),
        ((slice(15, 20), slice(10, 16)), False),
        ((slice(2, 7), slice(4, 10)), True),
        ((slice(8, 13), slice(10, 24)), True),
        ((slice(8, 13), slice(13, 27)), True),
        ((slice(8, 13), slice(14, 29)), False),
    ],
)
def test_two_jumps_are_of_one_place_within_six_cells_or_half_in_common(other: Cells, paired: bool) -> None:
    """Between the middles, along each axis; or half of the smaller lies in the larger. The box is around both."""
    told = _told(_jumping((20, PLACE, _level(10)), (40, other, _level(9))))
    assert len(told) == (1 if paired else 2)
    left, top = min(10, other[1].start), min(8, other[0].start)
    right, bottom = max(16, other[1].stop), max(13, other[0].stop)
    if paired:
        assert told[0].box == (left / 32, top / 24, (right - left) / 32, (bottom - top) / 24)


def test_of_several_jumps_each_is_used_once() -> None:
    """Three of one place: the first two are a pair, the third stands alone; nearest in time first."""
    told = _told(_jumping((10, PLACE, _level(9)), (20, PLACE, _level(9)), (45, PLACE, _level(9))))
    assert [(one.first, one.last) for one in told] == [(10, 19), (45, 45)]


@pytest.mark.parametrize(("beside", "found"), [(24, True), (28, False)])
def test_a_place_holds_seven_tenths_of_all_that_jumps(beside: int, found: bool) -> None:
    """Where many places jump, frames are missing."""
    changes = _jumping((20, (slice(4, 12), slice(4, 12)), _level(9)))
    # Weaker cells far away, each by itself: 64 cells of excess 9 against single ones of excess 9.
    rows, columns = np.unravel_index(np.arange(beside), (7, 4))
    changes[20, 14 + rows, 16 + 4 * columns] = _level(9)
    share = 64 / (64 + beside)
    assert (share >= 0.7) == found
    assert [one.first for one in _told(changes)] == [20] * found


def test_cells_of_one_and_a_half_that_hang_together_are_one_place() -> None:
    """A gap of one cell is closed; weaker cells around do not belong to it."""
    changes = _jumping((20, (slice(8, 12), slice(8, 12)), _level(11)))
    changes[20, 8:12, 13:15] = _level(1.5)
    changes[20, 8:12, 5:8] = _level(1.375)
    (told,) = _told(changes)
    assert told.box == (8 / 32, 8 / 24, 7 / 32, 4 / 24)


def _frozen(
    still: int = 10, released: int = 30, level: float = 0.4, usual: float = 2.5, strength: float = 9, count: int = 60
) -> Changes:
    """A place that changes ``usual``, ``level`` from frame ``still`` on, and jumps at ``released``."""
    values = np.full((count, 24, 32), 2.5)
    values[:, *PLACE] = usual
    values[still:released, *PLACE] = level
    median = np.median(values[released - 6 : released + 7, 8, 10])
    values[released, *PLACE] = (median + 1.5) * (strength + 2)
    return values.astype(np.float16)


def test_a_place_that_stood_still_and_jumps_was_frozen() -> None:
    """From the frame before the first that changes nothing to the one before the jump."""
    changes = _frozen()
    assert _told(changes) == [FoundPlace("freeze", 9, 29, BOX, _near(9))]
    strengths = freeze_strengths(changes)
    assert np.flatnonzero(strengths).tolist() == list(range(9, 31))
    assert strengths[9:31] == pytest.approx(9, abs=0.02)


@pytest.mark.parametrize(("strength", "found"), [(3.875, False), (4.0, True)])
def test_a_freeze_ends_with_a_jump_of_four(strength: float, found: bool) -> None:
    """Less than that is told as a strength alone, from one and a half on."""
    changes = _frozen(strength=strength)
    assert [one.kind for one in _told(changes)] == ["freeze"] * found
    assert freeze_strengths(changes).max() == pytest.approx(strength, abs=0.02)
    assert freeze_strengths(_frozen(strength=1.4)).max() == 0
    assert freeze_strengths(_frozen(strength=1.6)).max() > 1.5


@pytest.mark.parametrize(("length", "kind"), [(5, "splice"), (6, "freeze"), (7, "freeze")])
def test_a_freeze_lasts_six_frames(length: int, kind: str) -> None:
    """Less is a jump of its own."""
    assert [one.kind for one in _told(_frozen(still=30 - length))] == [kind]


@pytest.mark.parametrize(("level", "kind"), [(0.87, "freeze"), (0.875, "freeze"), (0.88, "splice")])
def test_what_stands_still_does_at_most_35_percent_of_what_is_usual(level: float, kind: str) -> None:
    """The usual is what comes behind the jump."""
    assert [one.kind for one in _told(_frozen(level=level))] == [kind]


@pytest.mark.parametrize(("usual", "kind"), [(0.59, "splice"), (0.62, "freeze")])
def test_a_place_that_hardly_moves_by_itself_is_not_frozen(usual: float, kind: str) -> None:
    """Six tenths of a grey level are alive."""
    assert [one.kind for one in _told(_frozen(usual=usual, level=0.05))] == [kind]


@pytest.mark.parametrize(("still", "kind"), [(1, "splice"), (6, "splice"), (7, "freeze"), (8, "freeze")])
def test_before_a_freeze_the_place_moved_for_six_frames(still: int, kind: str) -> None:
    """What moves behind the jump alone was put in there; the first frame of all has none before it."""
    assert [one.kind for one in _told(_frozen(still=still))] == [kind]


@pytest.mark.parametrize(("released", "kind"), [(52, "freeze"), (53, "freeze"), (54, "splice"), (59, "splice")])
def test_behind_a_freeze_six_frames_tell_what_is_usual(released: int, kind: str) -> None:
    """With fewer nothing is known of it."""
    assert [one.kind for one in _told(_frozen(still=30, released=released))] == [kind]


@pytest.mark.parametrize(("late", "kind"), [(11, "splice"), (12, "freeze")])
def test_24_frames_behind_tell_what_is_usual(late: int, kind: str) -> None:
    """Of these the median counts: here the place is quiet at first, later ones do not count."""
    changes = _frozen(still=15, released=30, count=90)
    changes[31 : 31 + 24 - late, *PLACE] = 0.5
    changes[55:, *PLACE] = 0.5 if late == 12 else 2.0
    assert [one.kind for one in _told(changes)] == [kind]


@pytest.mark.parametrize(("late", "kind"), [(11, "splice"), (12, "freeze")])
def test_24_frames_before_tell_what_was_usual(late: int, kind: str) -> None:
    """As behind the jump: the median of those."""
    changes = _frozen(still=50, released=60, count=90)
    changes[26 : 26 + 24 - late, *PLACE] = 0.5
    changes[:26, *PLACE] = 0.5 if late == 12 else 2.0
    assert [one.kind for one in _told(changes)] == [kind]
    told = freeze_strengths(changes)
    assert np.count_nonzero(told) == (12 if kind == "freeze" else 0)


def test_places_are_told_in_order_of_time() -> None:
    """A freeze that began before a splice that jumped earlier than its end comes first; it is no splice's other end."""
    changes = _frozen(still=20, released=40)
    changes[30, 18:23, 25:30] = _level(9)
    changes[50, 18:23, 25:30] = _level(9)
    assert [(one.kind, one.first, one.last) for one in _told(changes)] == [("freeze", 19, 39), ("splice", 30, 49)]
    changes = _frozen(still=20, released=40)
    changes[10, *PLACE] = _level(9)
    assert [(one.kind, one.first, one.last) for one in _told(changes)] == [("splice", 10, 10), ("freeze", 19, 39)]


def test_what_lies_on_a_threshold_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A place that moves just enough is alive, and one that holds just enough of all excess is compact."""
    monkeypatch.setattr(places, "_ALIVE", 0.625)
    assert [one.kind for one in _told(_frozen(usual=0.625, level=0.05))] == ["freeze"]
    monkeypatch.setattr(places, "_COMPACT", 0.8)
    changes = _jumping((20, (slice(4, 12), slice(4, 12)), _level(9)))
    changes[20, 14:22:2, 16:32:4] = _level(9)
    assert [one.first for one in _told(changes)] == [20]


def test_a_place_that_never_moved_before_was_not_frozen() -> None:
    """Still from the first frame on, it is a jump."""
    assert [one.kind for one in _told(_frozen(still=0, released=20))] == ["splice"]
