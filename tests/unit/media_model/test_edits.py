"""The families of edits: where they change an image, and what they put there."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from media_model.draws import Rgb
from media_model.edits import (
    AREA,
    FAMILIES,
    Canvas,
    change,
    copy_move,
    draw_area,
    draw_part,
    drawn_object,
    exemplar_fill,
    inpaint,
    noise,
    poisson,
    pyramid_fill,
    self_blend,
    splice,
    swap,
    telea,
    warp,
)
from tests.unit.media_model.scenes import photo, within

HOST, DONOR = photo(1)[100:228, 200:360].copy(), photo(2)[100:228, 200:360].copy()
FILLS = (telea, pyramid_fill, exemplar_fill)


def block(top: int, bottom: int, left: int, right: int, shape: tuple[int, int] = (128, 160)) -> np.ndarray:
    """A rectangular part."""
    part = np.zeros(shape, np.bool_)
    part[top:bottom, left:right] = True
    return part


def flat(*colour: int) -> Rgb:
    """An image of one colour."""
    return np.full((128, 160, 3), colour, np.uint8)


def away(one: Rgb, other: Rgb) -> np.ndarray:
    """Largest difference of a channel at each pixel."""
    return np.abs(one.astype(int) - other).max(axis=2)


def places_of(patch: Rgb, image: Rgb) -> list[tuple[int, int]]:
    """Rows and columns at which an image holds a patch exactly."""
    found = cv2.matchTemplate(image, np.ascontiguousarray(patch), cv2.TM_SQDIFF)
    return [(int(y), int(x)) for y, x in np.argwhere(found < 16)]


def test_areas_are_log_uniform() -> None:
    """From 1 to 16 %, each doubling a quarter of the draws."""
    generator = np.random.default_rng(1)
    areas = np.array([draw_area(generator) for _ in range(2000)])
    counts = np.histogram(areas, [0.01, 0.02, 0.04, 0.08, 0.16])[0]
    assert AREA == (0.01, 0.16)
    assert counts.sum() == 2000
    assert all(within(int(count), 0.25, 2000) for count in counts)


@pytest.mark.parametrize("area", [0.01, 0.05, 0.16])
def test_a_part_has_its_area_to_the_pixel(area: float) -> None:
    """Each shape covers the rounded number of pixels, wherever it lies."""
    for seed in range(25):
        part = draw_part((96, 132), area, np.random.default_rng(seed))
        assert part.shape == (96, 132)
        assert part.sum() == round(area * 96 * 132)


def test_parts_lie_everywhere_in_many_shapes() -> None:
    """Their middles spread over the image; some fill their box and others do not; most are in one piece."""
    middles, filling, pieces = [], [], []
    for seed in range(150):
        part = draw_part((96, 128), 0.05, np.random.default_rng(seed))
        canvas = Canvas(HOST, HOST, part)
        top, bottom, left, right = canvas.box
        middles.append(canvas.centre)
        filling.append(part.sum() / ((bottom - top) * (right - left)))
        pieces.append(cv2.connectedComponents(part.astype(np.uint8), connectivity=8)[0] - 1)
    x, y = np.array(middles).T
    assert x.min() < 24
    assert x.max() > 104
    assert y.min() < 18
    assert y.max() > 78
    assert within(sum(share > 0.95 for share in filling), 0.1, 150)
    assert min(filling) < 0.5
    assert 0.6 < np.mean([count == 1 for count in pieces]) < 1


def test_a_box_holds_its_part() -> None:
    """Ends are excluded, the centre is the mean of first and last pixel, and margins end at the border."""
    canvas = Canvas(HOST, HOST, block(3, 40, 100, 150))
    assert canvas.box == (3, 40, 100, 150)
    assert canvas.centre == (124.5, 21.0)
    rows, columns = canvas.around(8)
    assert (rows, columns) == (slice(0, 48), slice(92, 158))


def test_a_feather_rises_inwards() -> None:
    """0 outside, small but not 0 at the first pixel inside, 1 from the width on; without width 1 at once."""
    canvas = Canvas(HOST, HOST, block(20, 100, 30, 130))
    weights = canvas.feather(4)[60, :, 0]
    assert (weights[:30] == 0).all()
    np.testing.assert_allclose(weights[30:36], [0.2, 0.4, 0.6, 0.8, 1, 1], atol=0.03)
    assert (canvas.feather(0)[..., 0] == canvas.part).all()


def test_there_are_ten_families() -> None:
    """Nine that are known to matter, and one of our own."""
    assert list(FAMILIES) == [
        "splice",
        "swap",
        "copy_move",
        "inpaint",
        "filters",
        "noise",
        "poisson",
        "self_blend",
        "drawn_object",
        "warp",
    ]


@pytest.mark.parametrize("family", FAMILIES)
def test_only_the_part_is_changed(family: str) -> None:
    """Outside the mask no bit moves; inside at least half of the pixels do; the mask has the wanted area."""
    for seed in range(6):
        done, mask = change(family, HOST, DONOR, 0.06, seed)
        assert done.shape == HOST.shape
        assert done.dtype == mask.dtype == np.uint8
        assert set(np.unique(mask)) == {0, 255}
        assert (mask > 0).sum() == round(0.06 * 128 * 160)
        changed = (done != HOST).any(axis=2)
        assert not changed[mask == 0].any()
        assert changed[mask > 0].mean() >= 0.5


@pytest.mark.parametrize("family", FAMILIES)
def test_an_edit_is_that_of_its_seed(family: str) -> None:
    """The same seed changes the same pixels in the same way, another seed does not."""
    before = HOST.copy()
    first, second = change(family, HOST, DONOR, 0.1, 3), change(family, HOST, DONOR, 0.1, 3)
    assert (first[0] == second[0]).all()
    assert (first[1] == second[1]).all()
    assert (first[1] != change(family, HOST, DONOR, 0.1, 4)[1]).any()
    assert (before == HOST).all()


def test_a_part_that_cannot_be_seen_is_drawn_again() -> None:
    """On a host of which one half is flat, a warp is laid where it shows."""
    host = HOST.copy()
    host[:, :80] = 255
    for seed in range(12):
        done, mask = change("warp", host, host, 0.04, seed)
        assert (done != host).any(axis=2)[mask > 0].mean() >= 0.5


def test_where_nothing_shows_the_most_visible_try_counts() -> None:
    """A flat image with a textured corner ends with as much of it as some try met, and an image without any texture
    still gets its mask."""
    done, mask = change("warp", flat(9, 9, 9), flat(9, 9, 9), 0.05, 1)
    assert (done == 9).all()
    assert (mask > 0).sum() == round(0.05 * 128 * 160)
    host = flat(200, 200, 200)
    host[:40, :] = HOST[:40, :]
    for seed in range(8):
        done, mask = change("warp", host, host, 0.16, seed)
        assert (done != host).any()


def test_a_plain_splice_is_the_donors_pixels() -> None:
    """In about one draw of eight the donor is neither turned nor mirrored nor matched: its pixels are there as they
    are. Others are mirrored, and the rest scaled or matched."""
    part, plain, mirrored = block(40, 80, 60, 110), 0, 0
    for seed in range(80):
        inner = splice(Canvas(HOST, DONOR, part), np.random.default_rng(seed))[50:70, 72:98]
        plain += bool(places_of(inner, DONOR))
        mirrored += bool(places_of(inner[:, ::-1], DONOR))
    assert within(plain, 1 / 8, 80)
    assert within(mirrored, 1 / 8, 80)
    assert plain
    assert mirrored


def test_a_swap_has_the_hosts_colours_and_fades() -> None:
    """The donor's mean is far away, what is laid over has the host's; towards the part's border it is the host."""
    dark, light, part = (HOST * 0.4).astype(np.uint8), (DONOR * 0.4 + 150).astype(np.uint8), block(30, 100, 50, 130)
    for seed in range(12):
        done = swap(Canvas(dark, light, part), np.random.default_rng(seed))
        inner = np.s_[50:80, 70:110]
        assert abs(float(done[inner].mean()) - float(dark[inner].mean())) < 12
        assert away(done, dark)[inner].mean() > 2 * away(done, dark)[30, 50:130].mean()


def test_noise_is_all_that_noise_brings() -> None:
    """A flat part keeps its mean, and gets a deviation of one to fifteen."""
    host = flat(90, 120, 150)
    for seed in range(12):
        inner = noise(Canvas(host, host, block(30, 100, 40, 120)), np.random.default_rng(seed))[30:100, 40:120]
        np.testing.assert_allclose(inner.mean((0, 1)), (90, 120, 150), atol=1.5)
        assert 1 < float(inner.std((0, 1)).mean()) < 15


def test_half_of_the_splices_match_the_hosts_colours() -> None:
    """Matched pixels have the host's mean in the part; the others keep the donor's, which is far away."""
    dark, light, part = (HOST * 0.4).astype(np.uint8), (DONOR * 0.4 + 150).astype(np.uint8), block(40, 90, 60, 120)
    means = [
        float(splice(Canvas(dark, light, part), np.random.default_rng(seed))[46:84, 66:114].mean())
        for seed in range(60)
    ]
    here = float(dark[46:84, 66:114].mean())
    matched = [abs(mean - here) < 6 for mean in means]
    assert within(sum(matched), 0.5, 60)
    assert all(is_matched or mean > here + 60 for is_matched, mean in zip(matched, means, strict=True))


def test_a_copy_comes_from_elsewhere_in_the_image() -> None:
    """A plain copy holds the pixels of a place at least 24 px away; a quarter of the copies are plain."""
    part, copies = block(40, 70, 60, 100), 0
    for seed in range(60):
        inner = copy_move(Canvas(HOST, HOST, part), np.random.default_rng(seed))[46:64, 66:94]
        places = places_of(inner, HOST)
        copies += bool(places)
        assert all(np.hypot(y - 46, x - 66) >= 24 for y, x in places)
        assert all(0 <= y - 6 <= 128 - 30 and 0 <= x - 6 <= 160 - 40 for y, x in places)
    assert within(copies, 0.25, 60)


def test_a_copy_of_a_large_part_goes_as_far_as_it_can() -> None:
    """Where no place is 24 px away, the furthest of some is taken."""
    part, distances = block(8, 120, 10, 150), []
    for seed in range(40):
        inner = copy_move(Canvas(HOST, HOST, part), np.random.default_rng(seed))[20:100, 20:130]
        distances += [np.hypot(y - 20, x - 20) for y, x in places_of(inner, HOST)]
    assert 4 < np.mean(distances) < 13


@pytest.mark.parametrize("fill", FILLS)
def test_a_fill_knows_nothing_of_what_was_there(fill) -> None:
    """The same hole with another content is filled alike, and a flat image is whole again within some levels, for fast
    marching rounds at each step."""
    part = block(30, 66, 50, 101)
    marked = HOST.copy()
    marked[part] = (255, 0, 255)
    one = fill(Canvas(HOST, HOST, part), np.random.default_rng(1))
    other = fill(Canvas(marked, marked, part), np.random.default_rng(1))
    grey = flat(90, 120, 150)
    grey[part] = 0
    healed = fill(Canvas(grey, grey, part), np.random.default_rng(1))
    assert (one[part] == other[part]).all()
    assert away(healed, flat(90, 120, 150))[part].max() <= (6 if fill is telea else 1)


def test_a_pyramid_goes_on_from_side_to_side() -> None:
    """Between a dark and a light side the fill rises steadily."""
    host = np.repeat(np.linspace(20, 220, 160).astype(np.uint8)[None, :, None], 128, axis=0).repeat(3, axis=2)
    done = pyramid_fill(Canvas(host, host, block(40, 80, 60, 100)), np.random.default_rng(1))
    middle = done[60, 60:100, 0].astype(int)
    assert (np.diff(middle) >= -1).all()
    assert np.abs(middle - host[60, 60:100, 0]).max() < 25


def test_an_exemplar_repeats_what_the_image_has() -> None:
    """Stripes with a hole are stripes again, where a smooth fill would be grey."""
    stripes = np.where(np.arange(160) // 8 % 2 == 0, 60, 190).astype(np.uint8)
    host = np.repeat(np.tile(stripes, (128, 1))[..., None], 3, axis=2)
    part = block(40, 88, 56, 104)
    done = exemplar_fill(Canvas(host, host, part), np.random.default_rng(1))
    assert away(done, host)[part].mean() < 2
    assert set(np.unique(done[part])) <= {60, 190}


def test_an_exemplar_without_any_place_is_a_smooth_fill() -> None:
    """Where no whole patch lies outside the part, the pyramid fills it."""
    host = HOST[:40, :40].copy()
    canvas = Canvas(host, host, block(8, 32, 8, 32, (40, 40)))
    expected = pyramid_fill(canvas, np.random.default_rng(1))
    assert (exemplar_fill(canvas, np.random.default_rng(1)) == expected).all()


def test_two_fifths_of_the_fills_get_noise() -> None:
    """On a flat image the fill is flat, unless noise was added; that has a deviation of a level at least."""
    part = block(40, 64, 40, 72)
    spreads = [
        inpaint(Canvas(flat(120, 120, 120), flat(0, 0, 0), part), np.random.default_rng(seed))[part].std()
        for seed in range(80)
    ]
    noisy = [spread for spread in spreads if spread > 0.5]
    assert within(len(noisy), 0.4, 80)
    assert 1 < np.mean(noisy) < 1.2


def test_the_noise_of_a_fill_is_that_of_the_rest() -> None:
    """A host with strong noise gets more of it into a fill."""
    host = flat(120, 120, 120) + np.random.default_rng(1).normal(0, 8, (128, 160, 3)).astype(np.int8)
    host, part = host.astype(np.uint8), block(40, 80, 40, 90)
    smooth = [pyramid_fill(Canvas(host, host, part), np.random.default_rng(1))[part].std()]
    spreads = [inpaint(Canvas(host, host, part), np.random.default_rng(seed))[part].std() for seed in range(24)]
    assert smooth[0] < 4
    assert max(spreads) > 7


def test_gradients_without_a_step_leave_the_hosts_colour() -> None:
    """A flat donor in a flat host of another colour vanishes, up to the image's border."""
    for part in (block(40, 80, 60, 110), block(0, 30, 0, 40)):
        for seed in range(4):
            done = poisson(Canvas(flat(60, 90, 120), flat(200, 20, 160), part), np.random.default_rng(seed))
            assert away(done, flat(60, 90, 120)).max() <= 1


def test_poisson_brings_the_donors_gradients() -> None:
    """In a flat host the part has the donor's texture about the host's colour."""
    part = block(30, 90, 40, 120)
    for seed in range(6):
        done = poisson(Canvas(flat(128, 128, 128), DONOR, part), np.random.default_rng(seed))
        assert done[part].std() > 4
        assert away(done, flat(128, 128, 128))[~part].max() <= 1


def test_a_third_of_the_poissons_keep_the_hosts_texture() -> None:
    """A flat donor wipes the host's texture out, unless the stronger gradient of both counts."""
    part = block(30, 90, 40, 120)
    grain = [
        np.diff(poisson(Canvas(HOST, flat(9, 9, 9), part), np.random.default_rng(seed))[40:80, 50:110] / 1.0, axis=1)
        for seed in range(45)
    ]
    kept = [steps.std() > 0.5 * np.diff(HOST[40:80, 50:110] / 1.0, axis=1).std() for steps in grain]
    assert within(sum(kept), 1 / 3, 45)
    assert any(kept)


def test_a_self_blend_moves_a_little() -> None:
    """The content stays where it was within some pixels, but it is another image from one pixel inside the seam on."""
    part = block(20, 108, 30, 130)
    for seed in range(8):
        done = self_blend(Canvas(HOST, HOST, part), np.random.default_rng(seed))
        here = done[40:88, 55:105]
        found = cv2.matchTemplate(HOST, here, cv2.TM_CCOEFF_NORMED)
        y, x = divmod(int(np.argmax(found)), found.shape[1])
        assert found.max() > 0.7
        assert np.hypot(y - 40, x - 55) <= 8
        assert away(done, HOST)[part].mean() > 1


def test_a_drawn_object_is_no_photograph() -> None:
    """A surface of a few tones: shaded or striped, in half of the draws without any noise."""
    part, smooth, striped = block(20, 108, 30, 130), 0, 0
    for seed in range(60):
        done = drawn_object(Canvas(HOST, HOST, part), np.random.default_rng(seed)).astype(float)[24:104, 34:126]
        steps = np.abs(np.diff(done, axis=1)).max(axis=2)
        smooth += bool(np.median(steps) <= 2 and (steps[steps < 12] <= 3).all())
        striped += bool((steps > 12).sum() > 100)
    assert within(smooth, 0.5, 60)
    assert 12 <= striped <= 45


def test_a_warp_pushes_by_some_pixels() -> None:
    """On a ramp each pixel tells where it came from: at most 9 px away, at least 2 px somewhere, 0 at the border."""
    ramp = np.repeat(np.arange(160, dtype=np.uint8)[None, :, None], 128, axis=0).repeat(3, axis=2)
    part, largest = block(20, 100, 30, 130), []
    for seed in range(16):
        moved = away(warp(Canvas(ramp, ramp, part), np.random.default_rng(seed)), ramp)
        assert not moved[~part].any()
        assert moved[20, 30:130].max() <= 1
        largest.append(moved.max())
    assert max(largest) <= 9
    assert max(largest) >= 6
    assert 1 <= min(largest) <= 4
