"""Lives of files: what is drawn, how often, and what it does to pixels, masks and bytes."""

from __future__ import annotations

import io
from collections import Counter

import cv2
import numpy as np
import pytest
from PIL import Image

from media_model.draws import Rgb, generator_of
from media_model.lives import (
    AFTER_SHARES,
    FILTERS,
    PRIOR_SHARES,
    CropStep,
    FileLife,
    FilterStep,
    JpegStep,
    ScaleStep,
    decode,
    draw_after,
    draw_prior,
)
from tests.unit.media_model.scenes import photo, within

SEEDS = 1500
PRIORS = [draw_prior(generator_of(seed, "prior")) for seed in range(SEEDS)]
AFTERS = [draw_after(generator_of(seed, "after")) for seed in range(SEEDS)]
KERNELS = ("linear", "cubic", "area", "lanczos")
# ITU-T T.81, table K.1.
K1 = np.array(
    [
        [16, 11, 10, 16, 24, 40, 51, 61],
        [12, 12, 14, 19, 26, 58, 60, 55],
        [14, 13, 16, 24, 40, 57, 69, 56],
        [14, 17, 22, 29, 51, 87, 80, 62],
        [18, 22, 37, 56, 68, 109, 103, 77],
        [24, 35, 55, 64, 81, 104, 113, 92],
        [49, 64, 78, 87, 103, 121, 120, 101],
        [72, 92, 95, 98, 112, 100, 103, 99],
    ]
)


def of_kind(histories: list[FileLife], kind: str) -> list[FileLife]:
    """Those of one kind."""
    return [history for history in histories if history.kind == kind]


def jpegs(history: FileLife) -> list[JpegStep]:
    """The JPEGs among the steps."""
    return [step for step in history.steps if isinstance(step, JpegStep)]


def quantizers(file: bytes) -> np.ndarray:
    """The luma quantizers of a JPEG, read from the file by Pillow."""
    return np.array(Image.open(io.BytesIO(file)).quantization[0]).reshape(8, 8)


def quantizers_of(quality: int) -> np.ndarray:
    """The luma quantizers of the Independent JPEG Group's scale."""
    scale = 5000 // quality if quality < 50 else 200 - 2 * quality
    return np.clip((K1 * scale + 50) // 100, 1, 255)


def test_the_shares_are_those_that_were_chosen() -> None:
    """40 % are resized after the edit; the other kinds keep their ratio of 12 : 38 : 15 : 12."""
    assert PRIOR_SHARES == {"none": 0.25, "jpeg": 0.45, "twice": 0.2, "rescaled": 0.1}
    assert AFTER_SHARES["resized"] == 0.4
    assert sum(AFTER_SHARES.values()) == pytest.approx(1)
    assert AFTER_SHARES["jpeg"] / AFTER_SHARES["png"] == pytest.approx(38 / 12)
    assert AFTER_SHARES["twice"] / AFTER_SHARES["filtered"] == pytest.approx(15 / 12)
    assert AFTER_SHARES["filtered"] == pytest.approx(0.6 * 12 / 77)


def test_kinds_are_drawn_by_their_shares() -> None:
    """Each kind of life is as frequent as its share, within four deviations."""
    for histories, shares in ((PRIORS, PRIOR_SHARES), (AFTERS, AFTER_SHARES)):
        counts = Counter(history.kind for history in histories)
        assert set(counts) == set(shares)
        for kind, share in shares.items():
            assert within(counts[kind], share, SEEDS), kind


def test_steps_are_those_of_the_kind() -> None:
    """No step, one JPEG, two JPEGs, a resize then a JPEG, a resize or filter then perhaps a JPEG."""
    assert {(h.kind, *(type(step).__name__ for step in h.steps)) for h in PRIORS} == {
        ("none",),
        ("jpeg", "JpegStep"),
        ("twice", "JpegStep", "JpegStep"),
        ("twice", "JpegStep", "CropStep", "JpegStep"),
        ("rescaled", "ScaleStep", "JpegStep"),
    }
    assert {(h.kind, *(type(step).__name__ for step in h.steps)) for h in AFTERS} == {
        ("png",),
        ("jpeg", "JpegStep"),
        ("twice", "JpegStep", "JpegStep"),
        ("twice", "JpegStep", "CropStep", "JpegStep"),
        ("resized", "ScaleStep"),
        ("resized", "ScaleStep", "JpegStep"),
        ("filtered", "FilterStep"),
        ("filtered", "FilterStep", "JpegStep"),
    }


def test_qualities_fill_their_range() -> None:
    """55 to 97 before the edit and 60 to 97 after it, both ends included; both samplings of chroma in halves."""
    for histories, low in ((PRIORS, 55), (AFTERS, 60)):
        drawn = [step for history in histories for step in jpegs(history)]
        assert {step.quality for step in drawn} == set(range(low, 98))
        assert within(sum(step.chroma == 2 for step in drawn), 0.5, len(drawn))
        assert {step.chroma for step in drawn} == {0, 2}


def test_half_of_the_second_jpegs_are_off_the_grid() -> None:
    """A crop between both moves the grid by one of the 63 offsets other than (0, 0)."""
    twice = of_kind(PRIORS, "twice") + of_kind(AFTERS, "twice")
    crops = [step for history in twice for step in history.steps if isinstance(step, CropStep)]
    assert within(len(crops), 0.5, len(twice))
    offsets = {(crop.top, crop.left) for crop in crops}
    assert (0, 0) not in offsets
    assert {top for top, _ in offsets} == {left for _, left in offsets} == set(range(8))


def test_scales_fill_their_range() -> None:
    """.65 to 1.4 before the edit and .55 to 1.4 after it, by four interpolations."""
    for histories, low in ((of_kind(PRIORS, "rescaled"), 0.65), (of_kind(AFTERS, "resized"), 0.55)):
        scales = [history.steps[0] for history in histories]
        factors = [step.factor for step in scales if isinstance(step, ScaleStep)]
        assert low <= min(factors) < low + 0.03
        assert 1.37 < max(factors) <= 1.4
        assert {step.kernel for step in scales if isinstance(step, ScaleStep)} == set(KERNELS)


@pytest.mark.parametrize("kind", ["resized", "filtered"])
def test_a_fifth_of_what_may_be_lossless_is(kind: str) -> None:
    """Resized and filtered images end as PNG in 20 % of the draws."""
    histories = of_kind(AFTERS, kind)
    assert within(sum(not jpegs(history) for history in histories), 0.2, len(histories))


def test_whole_filters_are_drawn_alike() -> None:
    """Each of three filters in a third of the filtered images, of any strength."""
    steps = [step for history in of_kind(AFTERS, "filtered") for step in history.steps if isinstance(step, FilterStep)]
    for name in FILTERS:
        assert within(sum(step.name == name for step in steps), 1 / 3, len(steps))
    assert min(step.strength for step in steps) < 0.05
    assert max(step.strength for step in steps) > 0.95


def test_a_life_reads_as_text() -> None:
    """Steps in order, joined by a plus; a life without steps is its kind."""
    steps = (JpegStep(88, 0), CropStep(3, 5), ScaleStep(0.8, "cubic"), FilterStep("sharpen", 0.4), JpegStep(70, 2))
    assert FileLife("twice", steps).text == "j88s0+crop3,5+rs0.80cubic+sharpen0.40+j70s2"
    assert FileLife("png").text == "png"


@pytest.mark.parametrize("chroma", [0, 2])
def test_one_jpeg_is_written_once(chroma: int) -> None:
    """A life j70 is the file that one encoder writes at quality 70, with its sampling of chroma."""
    rgb = photo(1)[:48, :64]
    file = FileLife("jpeg", (JpegStep(70, chroma),)).file(rgb)
    expected = io.BytesIO()
    Image.fromarray(rgb).save(expected, "JPEG", quality=70, subsampling=chroma)
    assert (quantizers(file) == quantizers_of(70)).all()
    opened = Image.open(io.BytesIO(file))
    assert {layer[1:3] for layer in opened.layer[:1]} == {(2, 2) if chroma else (1, 1)}
    assert np.abs(decode(file).astype(int) - decode(expected.getvalue())).max() <= 2


def test_qualities_are_read_back_from_the_file() -> None:
    """The quantizers of a file are those of its last JPEG's quality, at each quality that is drawn."""
    rgb = photo(2)[:16, :16]
    for quality in range(55, 98):
        assert (quantizers(JpegStep(quality, 0).file(rgb)) == quantizers_of(quality)).all()
    twice = FileLife("twice", (JpegStep(60, 0), CropStep(2, 1), JpegStep(91, 2)))
    assert (quantizers(twice.file(rgb)) == quantizers_of(91)).all()


def test_a_jpeg_before_the_last_is_in_the_pixels() -> None:
    """Two JPEGs are the second one of what was read back from the first, and not the second alone."""
    rgb = photo(2)[:64, :64]
    first, second = JpegStep(60, 0), JpegStep(91, 0)
    file = FileLife("twice", (first, second)).file(rgb)
    assert file == second.file(first.on(rgb))
    assert file != second.file(rgb)


def test_a_life_without_a_jpeg_ends_as_png() -> None:
    """A PNG holds the very pixels, of lives without steps and of those whose last step is none that writes."""
    rgb, scale = photo(3)[:40, :56], ScaleStep(0.75, "area")
    for history, pixels in ((FileLife("png"), rgb), (FileLife("resized", (scale,)), scale.on(rgb))):
        file = history.file(rgb)
        assert file.startswith(b"\x89PNG")
        assert (decode(file) == pixels).all()
        assert (np.array(Image.open(io.BytesIO(file))) == pixels).all()


def test_a_crop_takes_rows_and_columns() -> None:
    """The first rows and columns are gone from image and mask."""
    rgb, step = photo(3)[:40, :56], CropStep(3, 5)
    assert (step.on(rgb) == rgb[3:, 5:]).all()
    assert (step.on_mask(rgb[..., 0]) == rgb[3:, 5:, 0]).all()


@pytest.mark.parametrize("factor", [0.55, 0.8, 1.3])
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_mask_is_scaled_as_the_image_is(kernel: str, factor: float) -> None:
    """A white shape is at the same place in the mask as in the image, and the mask stays black and white."""
    mask = np.zeros((120, 160), np.uint8)
    cv2.ellipse(mask, (70, 50), (40, 25), 30, 0, 360, 255, -1)
    step = ScaleStep(factor, kernel)
    image, scaled = step.on(np.dstack([mask] * 3)), step.on_mask(mask)
    assert scaled.shape == image.shape[:2] == (round(120 * factor), round(160 * factor))
    assert set(np.unique(scaled)) == {0, 255}
    assert ((image[..., 0] > 127) == (scaled > 0)).mean() > 0.997
    assert (scaled > 0).mean() == pytest.approx((mask > 0).mean(), rel=0.01)


def test_masks_go_through_every_life() -> None:
    """After each drawn life the mask has the height and width of the file's pixels."""
    rgb = photo(4)[:64, :80]
    mask = np.where(rgb[..., 0] > 128, 255, 0).astype(np.uint8)
    for history in AFTERS[:150]:
        assert decode(history.file(rgb)).shape[:2] == history.on_mask(mask).shape == history.on(rgb).shape[:2]


def test_a_frame_is_large_enough() -> None:
    """What a camera takes for a life before the edit covers the wanted size at its end, and not much more."""
    for history in PRIORS[:400]:
        height, width = history.frame((64, 80))
        done = history.on(np.zeros((height, width, 3), np.uint8))
        assert 64 <= done.shape[0] <= 74
        assert 80 <= done.shape[1] <= 90


def roughness(rgb: Rgb) -> float:
    """Mean strength of the second derivative."""
    return float(np.abs(cv2.Laplacian(rgb.astype(np.float32), cv2.CV_32F)).mean())


def test_whole_filters_do_what_their_names_say() -> None:
    """Sharpening roughens, smoothing does the contrary, each more at a higher strength; gamma moves the tone."""
    rgb = photo(5)[:96, :128]
    rough = [roughness(FilterStep("sharpen", strength).on(rgb)) for strength in (0.0, 1.0)]
    assert roughness(rgb) * 1.1 < rough[0] * 1.1 < rough[1]
    smooth = [roughness(FilterStep("smooth", strength).on(rgb)) for strength in (0.0, 1.0)]
    assert roughness(rgb) > 1.1 * smooth[0] > 1.21 * smooth[1]


@pytest.mark.parametrize(("strength", "deviation"), [(0.0, 0.5), (0.5, 0.8), (1.0, 1.1)])
def test_smoothing_spreads_by_its_strength(strength: float, deviation: float) -> None:
    """An edge becomes as wide as a Gaussian of .5 to 1.1 px makes it."""
    edge = np.repeat(np.where(np.arange(40) < 20, 0, 250).astype(np.uint8)[None, :, None], 20, axis=0)
    steps = np.diff(FilterStep("smooth", strength).on(edge.repeat(3, axis=2))[10, :, 0].astype(float)) / 250
    assert np.sqrt((steps * (np.arange(39) - 19) ** 2).sum()) == pytest.approx(deviation, rel=0.1)


@pytest.mark.parametrize(("strength", "rise"), [(0.0, 12.6), (0.5, 31.5), (1.0, 50.4)])
def test_sharpening_adds_by_its_strength(strength: float, rise: float) -> None:
    """A lone bright pixel rises by .3 to 1.2 of what a Gaussian of 1 px takes from it (84 % of 50 levels)."""
    dot = np.full((21, 21, 3), 50, np.uint8)
    dot[10, 10] = 100
    assert FilterStep("sharpen", strength).on(dot)[10, 10, 0] == pytest.approx(100 + rise, abs=1.5)


@pytest.mark.parametrize(("strength", "power"), [(0.0, 0.75), (0.49, 0.946), (0.5, 1.05), (1.0, 1.25)])
def test_gamma_brightens_below_one_half_and_darkens_from_there(strength: float, power: float) -> None:
    """The power is .75 to .95 below a strength of .5, and 1.05 to 1.25 from there on; black and white stay."""
    grey = np.repeat(np.arange(256, dtype=np.uint8)[None, :, None], 3, axis=2)
    seen = FilterStep("gamma", strength).on(grey)[0, :, 0]
    assert np.abs(seen - 255 * (np.arange(256) / 255) ** power).max() <= 0.51
