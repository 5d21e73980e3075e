"""Jumps of a whole picture, against plain sums over drawn series of thumbnails."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from app.capabilities.media.video import jumps
from app.capabilities.media.video.jumps import FoundJump, find_jumps, jump_strengths

Thumbs = npt.NDArray[np.uint8]


def _scene(seed: int, light: float = 130, contrast: float = 30) -> npt.NDArray[np.float64]:
    """A picture of 6 x 8."""
    return light + contrast * np.random.default_rng(seed).normal(0, 1, (6, 8)).clip(-1.5, 1.5)


def _moving(count: int, seed: int = 1, step: float = 1.0) -> npt.NDArray[np.float64]:
    """A scene that drifts towards another, one step a frame."""
    one, other = _scene(seed), _scene(seed + 50)
    return np.stack([one + (other - one) * step * at / 60 for at in range(count)])


def _thumbs(levels: npt.NDArray[np.float64]) -> Thumbs:
    return np.clip(np.rint(levels), 0, 255).astype(np.uint8)


def _far(one: Thumbs, other: Thumbs) -> float:
    """Mean difference when the other has the first one's light, and 0.4 to 2.5 of its contrast."""
    a, b = one.astype(float) - one.mean(), other.astype(float) - other.mean()
    gain = (a * b).mean() / (b * b).mean() if (b * b).mean() > 1 else 1.0
    return float(np.abs(a - sorted((0.4, gain, 2.5))[1] * b).mean())


def _usual(thumbs: Thumbs) -> tuple[list[float], list[float]]:
    """Of each frame the distance from the one before, and the median of the 13 around."""
    far = [_far(thumbs[max(0, at - 1)], thumbs[at]) for at in range(len(thumbs))]
    far[0] = far[1]
    width = min(13, len(far))
    begins = [min(max(0, at - width // 2), len(far) - width) for at in range(len(far))]
    return far, [float(np.median(far[begin : begin + width])) for begin in begins]


@pytest.mark.parametrize("count", [2, 9, 13, 14, 30])
def test_a_jump_is_measured_against_the_13_frames_around(count: int) -> None:
    """Frame by frame; the first has none before it, and 0.6 grey levels are what rounding does."""
    drawn = np.random.default_rng(count)
    thumbs = _thumbs(_scene(3) + drawn.normal(0, 1, (count, 6, 8)) * drawn.uniform(0.2, 30, (count, 1, 1)))
    far, usual = _usual(thumbs)
    wanted = [0.0] + [each / (middle + 0.6) for each, middle in list(zip(far, usual, strict=True))[1:]]
    assert jump_strengths(thumbs) == pytest.approx(wanted, rel=1e-5)


def test_of_one_frame_and_of_none_nothing_is_told() -> None:
    """There is no frame before."""
    one = _thumbs(_scene(1))[None]
    assert jump_strengths(one).tolist() == [0]
    assert jump_strengths(one[:0]).tolist() == []
    assert find_jumps(one) == find_jumps(one[:0]) == []


def test_light_and_contrast_are_no_jump_but_within_bounds() -> None:
    """A scene at 0.4 to 2.5 of its contrast is the same; beyond, and where it shows nothing, it is another."""
    flat, scene = np.full((6, 8), 90.0), _scene(2, contrast=20)
    changed = [scene, (scene - 130) / 2 + 90, (scene - 130) / 3 + 130, (scene - 130) * 2.8 + 130, flat, scene]
    checks = (-1) ** np.add.outer(np.arange(6), np.arange(8))
    changed += [
        flat + checks,
        flat + 10 * checks,
        flat + checks,
        flat + np.eye(6, 8),
        flat + 3 * np.eye(6, 8),
        255 - scene,
    ]
    thumbs = _thumbs(np.stack(changed))
    far, usual = _usual(thumbs)
    wanted = [each / (middle + 0.6) for each, middle in zip(far, usual, strict=True)]
    assert jump_strengths(thumbs)[1:] == pytest.approx(wanted[1:], rel=1e-5)


def _with(begin: int, end: int, seed: int = 9) -> npt.NDArray[np.float64]:
    """A moving scene in which other frames lie, from ``begin`` to before ``end``."""
    return np.concatenate([_moving(begin), _moving(end - begin, seed), _moving(60)[begin : 60 - end + begin]])


@pytest.mark.parametrize(("begin", "end"), [(20, 30), (20, 25), (3, 12), (1, 2), (20, 21), (30, 59)])
def test_frames_that_were_put_in_are_found_at_their_places(begin: int, end: int) -> None:
    """From the first foreign one to the last; as strong as the weaker of both jumps."""
    thumbs = _thumbs(_with(begin, end))
    strengths = jump_strengths(thumbs)
    strength = float(min(strengths[begin], strengths[end]))
    assert find_jumps(thumbs) == [FoundJump("insertion", begin, end - 1, strength)]


@pytest.mark.parametrize("missing", [6, 30])
def test_frames_that_are_missing_are_found_where_they_were(missing: int) -> None:
    """One jump within a scene, which does not come back."""
    levels = np.concatenate([_moving(25), _moving(25 + missing + 25)[25 + missing :]])
    thumbs = _thumbs(levels)
    assert find_jumps(thumbs) == [FoundJump("deletion", 25, 25, float(jump_strengths(thumbs)[25]))]


def _toward(other: npt.NDArray[np.float64], share: float) -> npt.NDArray[np.float64]:
    """A still scene that is part another from frame 20 on."""
    scene = _scene(1)
    return np.stack([scene] * 20 + [scene * (1 - share) + other * share] * 20)


@pytest.mark.parametrize("other", [_scene(40), _scene(41)])
def test_a_deletion_keeps_a_correlation_above_55_percent(other: npt.NDArray[np.float64]) -> None:
    """With less it is a cut to another scene: at the same share as numpy says."""
    told = []
    for share in np.linspace(0.02, 0.98, 49):
        thumbs = _thumbs(_toward(other, float(share)))
        alike = np.corrcoef(thumbs[19].ravel(), thumbs[20].ravel())[0, 1]
        strong = _far(thumbs[19], thumbs[20]) / 0.6
        told.append(bool(alike > 0.55 and strong >= 3))
        assert bool(find_jumps(thumbs)) == told[-1], share
    assert len(set(told)) == 2


@pytest.mark.parametrize(
    ("length", "share", "found"), [(4, 0.7, False), (5, 0.7, True), (4, 0.95, True), (1, 0.7, False), (1, 0.95, True)]
)
def test_a_flash_lasts_up_to_four_frames_of_the_same_scene(length: int, share: float, found: bool) -> None:
    """A longer one, and one of another scene, was put in."""
    levels = np.stack([_scene(1)] * 40)
    levels[20 : 20 + length] = _scene(1) * share + _scene(42) * (1 - share) if share == 0.7 else _scene(42)
    assert [(one.kind, one.first, one.last) for one in find_jumps(_thumbs(levels))] == (
        [("insertion", 20, 19 + length)] if found else []
    )


@pytest.mark.parametrize(("contrast", "found"), [(5.0, False), (9.0, True)])
def test_what_shows_nothing_was_not_put_in(contrast: float, found: bool) -> None:
    """A cap before the lens: a deviation below 6 grey levels."""
    levels = np.stack([_scene(1)] * 40)
    levels[15:25] = _scene(43, contrast=contrast)
    assert bool(find_jumps(_thumbs(levels))) == found
    assert (levels[15].std() >= 6) == found


@pytest.mark.parametrize(("length", "found"), [(500, True), (501, False)])
def test_an_insertion_has_500_frames_at_most(length: int, found: bool) -> None:
    """What comes back later is another story: a cut, and a cut back."""
    levels = np.concatenate([[_scene(1)] * 20, [_scene(44)] * length, [_scene(1)] * 20])
    assert [one.kind for one in find_jumps(_thumbs(levels))] == ["insertion"] * found


def test_frames_go_on_at_twice_the_usual_distance() -> None:
    """The frame behind an insertion may be off by twice what two that follow each other are, and 0.6 levels."""
    told = []
    for off in np.linspace(0, 12, 31):
        levels = _with(20, 30)
        levels[30:] += off * np.sign(_scene(45) - 130)
        thumbs = _thumbs(levels)
        _, usual = _usual(thumbs)
        near = _far(thumbs[19], thumbs[30]) <= 2 * (max(usual[20], usual[30]) + 0.6)
        found = [one.kind for one in find_jumps(thumbs)]
        told.append(near)
        assert ("insertion" in found) == near, off
    assert len(set(told)) == 2


def _going_on(thumbs: Thumbs, first: int) -> bool:
    """In plain words: some frame of the five before and some of the few behind, not more than five frames apart, are as
    near as 1.4 times the median of frames so far apart among the twelve before."""
    for before in range(max(0, first - 5), first):
        for lag in range(2, 6):
            behind = before + lag
            if behind < first or behind >= len(thumbs):
                continue
            pairs = [(at, at + lag) for at in range(max(0, before - 12), before - lag + 1)]
            far = [_far(thumbs[one], thumbs[other]) for one, other in pairs]
            usual = float(np.median(far)) if len(far) > 2 else 0.0
            if _far(thumbs[before], thumbs[behind]) <= 1.4 * usual + 0.6:
                return True
    return False


@pytest.mark.parametrize("first", [4, 6, 20, 36])
@pytest.mark.parametrize("broken", [0, 1, 3, 5])
def test_a_video_that_goes_on_behind_broken_frames_lacks_none(first: int, broken: int) -> None:
    """A leap of a moving scene, some of whose frames before it are noise: found or not as plain words say."""
    drawn = np.random.default_rng(first)
    told = set()
    for leap in np.linspace(0, 9, 13):
        levels = _moving(60, step=2.5)
        levels[first:] += leap * np.sign(_scene(46) - 130)
        levels[first - broken : first - (broken > 1)] += drawn.normal(0, 6, (6, 8))
        thumbs = _thumbs(levels[:39])
        strengths = jump_strengths(thumbs)
        found = [one for one in find_jumps(thumbs) if one.kind == "deletion" and one.first == first]
        if strengths[first] >= 3 and all(one.kind == "deletion" for one in find_jumps(thumbs)):
            alike = np.corrcoef(thumbs[first - 1].ravel(), thumbs[first].ravel())[0, 1] > 0.55
            told.add(bool(found))
            assert bool(found) == (alike and not _going_on(thumbs, first)), leap
    assert told


def test_earlier_frames_tell_how_far_frames_are_apart() -> None:
    """Drifts that stop and go: the twelve frames before decide, as plain words say."""
    told = []
    for seed in range(60):
        drawn = np.random.default_rng(seed)
        scene, way = _scene(seed), np.sign(_scene(seed + 1) - 130)
        steps = drawn.choice([0.5, 1.5, 3.0], 40) * (np.arange(40) < 20 - drawn.integers(9, 15))
        levels = scene + way * np.cumsum(steps)[:, None, None]
        levels[20:] += drawn.uniform(1, 16) * way
        thumbs = _thumbs(levels)
        if jump_strengths(thumbs)[20] >= 3:
            told.append(_going_on(thumbs, 20))
            found = [one for one in find_jumps(thumbs) if one.first == 20]
            assert bool(found) != told[-1], seed
    assert 4 < sum(told) < len(told) - 4


def test_what_lies_on_a_threshold_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A jump as strong as is asked for is one, and a picture as plain as that is none; likeness must be larger."""
    cut = _thumbs(np.concatenate([_moving(25), _moving(80)[55:]]))
    monkeypatch.setattr(jumps, "JUMP", float(jump_strengths(cut)[25]))
    assert len(find_jumps(cut)) == 1
    alike = jumps._likeness(cut[24], cut[25])
    monkeypatch.setattr(jumps, "SAME_SCENE", alike)
    assert find_jumps(cut) == []
    put_in = _thumbs(_with(20, 22))
    monkeypatch.setattr(jumps, "JUMP", 3.0)
    monkeypatch.setattr(jumps, "SAME_SCENE", jumps._likeness(put_in[19], put_in[20]))
    monkeypatch.setattr(jumps, "_FLAT", float(put_in[20].std()))
    assert [one.kind for one in find_jumps(put_in)] == ["insertion"]
    monkeypatch.setattr(jumps, "_FLAT", float(np.nextafter(put_in[20].std(), 100)))
    assert find_jumps(put_in) == []
