"""Plans and the images that are made of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from media_model.edits import FAMILIES, SHARES
from media_model.generate import AUTHENTIC, as_it_was, carry_out, draw_plan, sample
from media_model.lives import CropStep, FileLife, JpegStep, ScaleStep, decode
from tests.unit.media_model.scenes import photo, within

PHOTOS = [photo(seed) for seed in range(4)]
SIZE = (96, 128)
PLANS = [draw_plan(seed, [0] * 4) for seed in range(600)]


def test_a_seed_is_one_image() -> None:
    """The same seed makes the same bytes and the same mask."""
    for seed in (0, 5, 2**40):
        first, second = sample(seed, PHOTOS, SIZE), sample(seed, PHOTOS, SIZE)
        assert first.file == second.file
        assert (first.mask == second.mask).all()
        assert replace(first, mask=second.mask) == second


def test_seeds_are_different_images() -> None:
    """No two of some seeds make the same bytes."""
    assert len({sample(seed, PHOTOS, SIZE).file for seed in range(12)}) == 12


def test_a_plan_is_drawn_without_pixels() -> None:
    """The same seed draws the same plan, and a sample is its plan carried out."""
    plan = draw_plan(12, [0] * 4)
    assert plan == draw_plan(12, [0] * 4)
    made, direct = carry_out(plan, PHOTOS, SIZE), sample(12, PHOTOS, SIZE)
    assert made.file == direct.file
    assert (made.kind, made.prior, made.after, made.source) == (
        plan.kind,
        plan.prior.text,
        plan.after.text,
        plan.source,
    )


def test_the_share_of_authentic_images_is_a_parameter() -> None:
    """Half by default; none and all at the ends."""
    assert within(sum(plan.kind == AUTHENTIC for plan in PLANS), 0.5, 600)
    for share in (0.0, 0.3, 1.0):
        count = sum(draw_plan(seed, [0], share).kind == AUTHENTIC for seed in range(200))
        assert within(count, share, 200)


def test_families_are_as_frequent_as_their_shares_say() -> None:
    """Each that exists has one, and they make a whole."""
    counts = Counter(plan.kind for plan in PLANS if plan.kind != AUTHENTIC)
    assert set(counts) == set(FAMILIES) == set(SHARES)
    assert sum(SHARES.values()) == pytest.approx(1)
    assert all(within(count, SHARES[family], counts.total()) for family, count in counts.items())


def test_a_life_does_not_know_of_the_edit() -> None:
    """With or without an edit a seed has the same photograph, the same lives and the same area."""
    for seed in range(150):
        edited, untouched = draw_plan(seed, [0] * 4, 0.0), draw_plan(seed, [0] * 4, 1.0)
        assert untouched == replace(edited, kind=AUTHENTIC)


def test_authentic_and_edited_images_have_the_same_lives() -> None:
    """Among the authentic plans each kind of life is as frequent as among the edited ones."""
    for life in ("prior", "after"):
        groups = [
            Counter(getattr(plan, life).kind for plan in PLANS if (plan.kind == AUTHENTIC) is authentic)
            for authentic in (True, False)
        ]
        for kind in groups[0] | groups[1]:
            shares = [group[kind] / group.total() for group in groups]
            both = (groups[0][kind] + groups[1][kind]) / 600
            spread = (both * (1 - both) * sum(1 / group.total() for group in groups)) ** 0.5
            assert abs(shares[0] - shares[1]) < 4 * spread


def test_draws_of_one_seed_do_not_hang_together() -> None:
    """The donor's life is not the host's, and life before and after are drawn apart."""
    assert 0.2 < np.mean([plan.prior.kind == plan.donor_prior.kind for plan in PLANS]) < 0.45
    assert sum(plan.prior.steps == plan.donor_prior.steps != () for plan in PLANS) < 30
    twice = [plan for plan in PLANS if plan.prior.kind == "twice"]
    assert within(sum(plan.after.kind == "resized" for plan in twice), 0.4, len(twice))


def test_host_and_donor_are_of_one_fold() -> None:
    """The donor is another photograph of the host's fold, and the host itself only where it is alone there."""
    folds = [0, 1, 0, 1, 1, 2]
    plans = [draw_plan(seed, folds) for seed in range(400)]
    assert all(folds[plan.source] == folds[plan.donor] for plan in plans)
    assert all((plan.source == plan.donor) == (plan.source == 5) for plan in plans)
    pairs = {(plan.source, plan.donor) for plan in plans}
    assert pairs == {(a, b) for a in range(6) for b in range(6) if folds[a] == folds[b] and (a != b or a == 5)}


def test_folds_reach_the_image() -> None:
    """A sample takes its folds; without them all photographs are of one."""
    seed = next(seed for seed in range(200) if draw_plan(seed, [0] * 4, 0).kind == "splice")
    alone = [0, 1, 2, 3]
    apart, together = sample(seed, PHOTOS, SIZE, 0, alone), sample(seed, PHOTOS, SIZE, 0)
    assert apart.file == carry_out(draw_plan(seed, alone, 0), PHOTOS, SIZE).file
    assert together.file != apart.file
    assert (together.source, together.kind) == (apart.source, apart.kind)


@pytest.mark.parametrize("family", FAMILIES)
def test_an_edit_changes_its_mask_alone(family: str) -> None:
    """Written without loss, the image differs from the one without the edit inside the mask only, and there in most
    pixels; the mask covers 1 to 16 %."""
    for seed in (1, 2):
        plan = replace(draw_plan(seed, [0] * 4), kind=family, prior=FileLife("none"), after=FileLife("png"))
        edited, untouched = carry_out(plan, PHOTOS, SIZE), carry_out(replace(plan, kind=AUTHENTIC), PHOTOS, SIZE)
        changed = (decode(edited.file) != decode(untouched.file)).any(axis=2)
        assert not changed[edited.mask == 0].any()
        assert changed[edited.mask > 0].mean() >= 0.5
        assert (edited.mask > 0).mean() == pytest.approx(plan.area, abs=1e-4)
        assert 0.0099 <= (edited.mask > 0).mean() <= 0.1601


def test_files_and_masks_fit() -> None:
    """Each mask is of the height and width of its file and holds 0 and 255 alone; only edited images have white, and
    the file is a JPEG where the life ends as one."""
    for seed in range(25):
        made, plan = sample(seed, PHOTOS, SIZE), draw_plan(seed, [0] * 4)
        assert decode(made.file).shape[:2] == made.mask.shape
        assert made.mask.dtype == np.uint8
        assert set(np.unique(made.mask)) == ({0} if made.kind == AUTHENTIC else {0, 255})
        is_jpeg = bool(plan.after.steps) and isinstance(plan.after.steps[-1], JpegStep)
        assert made.file.startswith(b"\xff\xd8" if is_jpeg else b"\x89PNG")


def test_the_mask_goes_where_the_image_goes() -> None:
    """Cropped and resized, a drawn object is still under its mask."""
    after = FileLife("resized", (CropStep(5, 3), ScaleStep(1.3, "linear")))
    for seed in (3, 4, 5):
        plan = replace(draw_plan(seed, [0] * 4), kind="drawn_object", after=after, area=0.1)
        edited, untouched = carry_out(plan, PHOTOS, SIZE), carry_out(replace(plan, kind=AUTHENTIC), PHOTOS, SIZE)
        changed = (decode(edited.file) != decode(untouched.file)).any(axis=2)
        assert edited.mask.shape == (round(91 * 1.3), round(125 * 1.3))
        assert (changed == (edited.mask > 0)).mean() > 0.97


def test_a_life_of_one_jpeg_writes_it_once() -> None:
    """The file is the JPEG of the very pixels that the lossless twin holds."""
    for step in (JpegStep(70, 0), JpegStep(93, 2)):
        plan = replace(draw_plan(9, [0] * 4, 0.0), prior=FileLife("none"), after=FileLife("jpeg", (step,)))
        twin = carry_out(replace(plan, after=FileLife("png")), PHOTOS, SIZE)
        made = carry_out(plan, PHOTOS, SIZE)
        assert made.file == step.file(decode(twin.file))
        assert made.after == step.text


def test_every_life_before_the_edit_gives_the_size() -> None:
    """Off the grid, twice or rescaled: the image before its second life has the wanted size."""
    for kind in ("none", "jpeg", "twice", "rescaled"):
        plan = next(plan for plan in PLANS if plan.prior.kind == kind)
        assert carry_out(replace(plan, kind=AUTHENTIC, after=FileLife("png")), PHOTOS, SIZE).mask.shape == SIZE
        assert decode(carry_out(replace(plan, after=FileLife("png")), PHOTOS, SIZE).file).shape == (*SIZE, 3)


def test_host_and_donor_are_taken_by_cameras_of_their_own() -> None:
    """A splice from the same photograph is still another exposure by another camera."""
    plan = next(plan for plan in PLANS if plan.kind == "splice" and plan.source != plan.donor)
    same = replace(plan, donor=plan.source, after=FileLife("png"), prior=FileLife("none"), donor_prior=FileLife("none"))
    other = replace(same, donor=plan.donor)
    assert carry_out(same, PHOTOS, SIZE).file != carry_out(other, PHOTOS, SIZE).file
    changed = replace(same, donor_prior=FileLife("jpeg", (JpegStep(55, 2),)))
    assert carry_out(same, PHOTOS, SIZE).file != carry_out(changed, PHOTOS, SIZE).file


@pytest.mark.parametrize("size", [(56, 128), (96, 56), (97, 128), (96, 132)])
def test_sides_are_whole_blocks(size: tuple[int, int]) -> None:
    """A size that is small or not of whole 8 px blocks is refused."""
    with pytest.raises(ValueError, match="multiples of 8 px, at least 64"):
        sample(1, PHOTOS, size)


def test_the_smallest_size_is_made() -> None:
    """64 x 64 px with each family."""
    for family in FAMILIES:
        plan = replace(draw_plan(1, [0] * 4), kind=family, after=FileLife("png"))
        assert (carry_out(plan, PHOTOS, (64, 64)).mask > 0).mean() == pytest.approx(plan.area, abs=1e-3)


def test_a_small_photograph_is_refused() -> None:
    """What is less than the window of the plan cannot be used."""
    with pytest.raises(ValueError, match="too small"):
        sample(1, [PHOTOS[0][:100, :100]], SIZE)


def test_some_images_are_taken_by_no_simulated_camera() -> None:
    """Four in ten: without lives some of them are a window of their photograph to the bit."""
    windows = 0
    for seed in range(30):
        plan = replace(PLANS[0], kind=AUTHENTIC, seed=seed, prior=FileLife("none"), after=FileLife("png"))
        seen, source = decode(carry_out(plan, PHOTOS, SIZE).file), PHOTOS[plan.source]
        places = np.argwhere((source[: -SIZE[0] + 1, : -SIZE[1] + 1] == seen[0, 0]).all(axis=2))
        windows += any((source[y : y + SIZE[0], x : x + SIZE[1]] == seen).all() for y, x in places)
    assert within(windows, 0.2, 30)


def test_a_photograph_as_it_was_has_no_camera() -> None:
    """Without lives it is a window of the photograph to the bit, or of it scaled down; nothing is edited."""
    plans = [replace(PLANS[0], seed=seed, prior=FileLife("none"), after=FileLife("png")) for seed in range(12)]
    windows = 0
    for plan in plans:
        made = as_it_was(plan, PHOTOS, SIZE)
        assert made.kind == AUTHENTIC
        assert not made.mask.any()
        seen = decode(made.file)
        assert seen.shape == (*SIZE, 3)
        source = PHOTOS[plan.source]
        places = np.argwhere((source[: -SIZE[0] + 1, : -SIZE[1] + 1] == seen[0, 0]).all(axis=2))
        windows += any((source[y : y + SIZE[0], x : x + SIZE[1]] == seen).all() for y, x in places)
    assert 2 <= windows <= 10
