"""Examples are kept as they are, once, and of the photographs of their split."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from media_model.dataset import PROOF, example_of, keep, photos_of, sizes_of
from media_model.examples import Example, read, save
from media_model.generate import carry_out, draw_plan
from media_model.lives import ScaleStep
from media_model.photos import Album, Photo
from tests.unit.media_model.scenes import photo

SMALL = photo(1, 420, 340)
ALBUM = Album(tuple(Photo(str(number), f"{number:064x}", SMALL) for number in range(10)), {})


def _example() -> Example:
    plan = draw_plan(3, [0])
    return example_of(carry_out(plan, [SMALL], (96, 128)), plan.after.kind)


def test_an_example_is_read_as_it_was_saved(tmp_path: Path) -> None:
    """Counts, bins and labels to the bit, maps and histograms to half precision."""
    example = _example()
    save(example, tmp_path / "3.npz")
    seen = read(tmp_path / "3.npz")
    assert (seen.kind, seen.after, seen.source) == (example.kind, example.after, example.source)
    np.testing.assert_array_equal(seen.labels, example.labels)
    np.testing.assert_array_equal(seen.inputs.counts, example.inputs.counts)
    np.testing.assert_array_equal(seen.inputs.bins, example.inputs.bins)
    np.testing.assert_array_equal(seen.inputs.numbers, example.inputs.numbers)
    np.testing.assert_allclose(seen.inputs.maps, example.inputs.maps, atol=2e-3)
    np.testing.assert_allclose(seen.inputs.histograms, example.inputs.histograms, atol=2e-3)
    assert [path.name for path in tmp_path.iterdir()] == ["3.npz"]


def test_labels_lie_on_the_measured_blocks() -> None:
    """One for each."""
    example = _example()
    assert example.labels.shape == example.inputs.maps.shape[:2]


def test_held_out_photographs_are_in_no_training() -> None:
    """Each photograph is on one side, and none moves because another one is there."""
    held_out = {ALBUM.photos[number].sha256 for number in (1, 4, 6, 8)}
    train, check, plain, proof = (photos_of(ALBUM, split, held_out) for split in ("train", "check", "plain", "proof"))
    assert check == plain
    assert {one.sha256 for one in (*check, *proof)} == held_out
    assert not {one.sha256 for one in train} & held_out
    assert len(train) == 6
    assert photos_of(Album(ALBUM.photos[3:], {}), "check", held_out) == check[1:]


def test_what_proves_the_rates_chooses_and_calibrates_nothing() -> None:
    """One held-out photograph in three, by its hash."""
    held_out = {one.sha256 for one in ALBUM.photos}
    check, proof = ([int(one.sha256, 16) for one in photos_of(ALBUM, split, held_out)] for split in ("check", "proof"))
    assert proof == [number for number in range(10) if number % PROOF == 0]
    assert sorted(check + proof) == list(range(10))


def test_what_is_scaled_down_begins_larger() -> None:
    """So that it ends with about as many blocks, as far as sizes allow."""
    plans = [draw_plan(seed, [0]) for seed in range(300)]
    ends = [
        sizes_of(plan)[0][0] * min([1.0, *(step.factor for step in plan.after.steps if isinstance(step, ScaleStep))])
        for plan in plans
    ]
    assert {round(end / 96) for end in ends} == {4, 5}
    assert all(side % 8 == 0 for plan in plans for size in sizes_of(plan) for side in size)


def test_a_photograph_that_is_too_small_makes_none(tmp_path: Path) -> None:
    """It is passed over, and nothing is left behind."""
    (tmp_path / "train").mkdir()
    assert not keep(tmp_path, "train", 1, [SMALL[:200, :200]])
    assert not list((tmp_path / "train").iterdir())


def test_what_is_there_is_not_made_again(tmp_path: Path) -> None:
    """Even where no photograph would do."""
    (tmp_path / "train").mkdir()
    save(_example(), tmp_path / "train" / "1.npz")
    assert keep(tmp_path, "train", 1, [SMALL[:200, :200]])
