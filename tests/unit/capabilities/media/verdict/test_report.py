"""Whole reports: of every judgement there is one, within its bounds, and its pictures say what it says."""

from __future__ import annotations

from io import BytesIO

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from PIL import Image

from app.capabilities.media.analysis.judgement import ImageJudgement, TraceOutcome
from app.capabilities.media.bundles import place_layers
from app.capabilities.media.calibration import Calibration
from app.capabilities.media.detectors.copy_move import FoundCopy
from app.capabilities.media.detectors.image import FloatMap
from app.capabilities.media.detectors.jpeg_grid import GridFinding, GridRegion, TraceMaps
from app.capabilities.media.messages import C2paState, ExifState, MediaProvenance, ScanReport
from app.capabilities.media.verdict.findings import DETECTORS
from app.capabilities.media.verdict.layers import TOP, UNREADABLE
from app.capabilities.media.verdict.report import scan_report
from tests.unit.capabilities.media.verdict.judgements import GRID, judgement, outcomes, picture, place

SHARES = some.floats(0, 1, width=32)
KNOWN = Calibration({"jpeg": list(np.linspace(0, 1, 300)), "png": [0.1, 0.2]})
SIDES = some.one_of(some.integers(1, 12), some.integers(1, 80))
CODES = some.lists(some.text(max_size=200), max_size=32)


@some.composite
def judgements(draw: some.DrawFn) -> ImageJudgement:
    """Any judgement of any grid."""
    grid = draw(SIDES), draw(SIDES)
    drawn = np.random.default_rng(draw(some.integers(0, 1000)))

    def map_of() -> FloatMap:
        kind = draw(some.sampled_from(("zero", "one", "noise", "coarse")))
        if kind == "coarse":
            steps = drawn.random((-(-grid[0] // 4), -(-grid[1] // 4))).repeat(4, 0).repeat(4, 1)
            return steps[: grid[0], : grid[1]].astype(np.float32)
        return {"zero": np.zeros, "one": np.ones, "noise": drawn.random}[kind](grid).astype(np.float32)

    def mask_of() -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        return map_of() > 0.5

    traces = tuple(
        TraceOutcome(
            name,
            draw(some.none() | some.text(max_size=700)),
            draw(SHARES),
            p_value=draw(some.none() | SHARES),
        )
        for name in DETECTORS
        if draw(some.booleans())
    )
    foreign = tuple(
        GridRegion(mask_of(), divmod(draw(some.integers(0, 63)), 8), draw(some.floats(-1e6, 0)))
        for _ in range(draw(some.integers(0, 12)))
    )
    copies = tuple(
        FoundCopy(drawn.normal(0, 1, (2, 3)), draw(some.integers(8, 6000)), mask_of(), mask_of())
        for _ in range(draw(some.integers(0, 10)))
    )
    main = draw(some.none() | some.just((3, 5)))
    grids = GridFinding(main, -9.0, foreign, np.zeros((*grid, 64), np.uint8), TraceMaps({}, {}))
    return ImageJudgement(
        heatmap=map_of(),
        threshold=draw(SHARES),
        reliable=mask_of(),
        score=draw(SHARES),
        layers={name: map_of() for name in list(DETECTORS)[: draw(some.integers(0, 4))]},
        traces=traces,
        grid=draw(some.sampled_from((None, grids))),
        copies=copies,
        after_life=draw(some.sampled_from(("png", "jpeg", "twice", "filtered", "resized"))),
        globals={"noise_deviation": draw(SHARES)},
        timings_ms={"noise": draw(SHARES)},
    )


@settings(max_examples=40, deadline=None)
@given(judgements(), some.booleans(), CODES)
def test_every_judgement_gives_a_report_within_its_bounds(made: ImageJudgement, known: bool, codes: list[str]) -> None:
    """It reads back strictly; each region lies within the image; each place that is named exists."""
    image = picture(grid=made.heatmap.shape)
    provenance = MediaProvenance(c2pa=C2paState(state="invalid", codes=codes), exif=ExifState(thumbnail_mismatch=True))
    report, pictures = scan_report(made, image, provenance, KNOWN if known else None)
    assert msgspec.json.decode(msgspec.json.encode(report), type=ScanReport) == report
    height, width = image.rgb.shape[:2]
    for region in report.regions:
        left, top, across, down = region.bbox
        assert 0 <= left < left + across <= width
        assert 0 <= top < top + down <= height
        assert all(left <= x <= left + across and top <= y <= top + down for x, y in region.polygon)
        assert 0 < region.area <= across * down
    ids = {region.id for region in report.regions}
    named = {one for finding in report.findings for one in finding.region_ids}
    partners = {region.partner_id for region in report.regions if region.partner_id is not None}
    assert named | partners <= ids
    assert len(ids) == len(report.regions)
    assert pictures.keys() == {"fused", "reliability", *made.layers}
    assert report.confidence_reasons


def test_the_heatmap_says_its_values_and_what_cannot_be_read() -> None:
    """Index 250 v in the palette, 255 where nothing can be read; the legend's colors are the palette's."""
    warm = np.linspace(0, 1, GRID[0] * GRID[1], dtype=np.float32).reshape(GRID)
    dull = place()
    report, pictures = scan_report(judgement(warm, reliable=~dull), picture(), None, None)
    with Image.open(BytesIO(pictures["fused"])) as png:
        indices = np.asarray(png)
        palette = png.getpalette("RGB") or []
    np.testing.assert_array_equal(indices, np.where(dull, UNREADABLE, np.rint(warm * TOP)))
    assert report.heatmap is not None
    assert (report.heatmap.width, report.heatmap.height) == (GRID[1], GRID[0])
    for entry in report.heatmap.legend:
        assert bytes.fromhex(entry.color[1:]) == bytes(palette[3 * entry.index : 3 * entry.index + 3])
        assert entry.value is None or entry.index == entry.value * TOP


def test_the_reliability_map_tells_flat_from_saturated() -> None:
    """By the legend's index of each block."""
    image = picture()
    image.rgb[: 8 * 4] = 128
    image.rgb[8 * 4 : 8 * 8] = 255
    report, pictures = scan_report(judgement(reliable=~place(slice(0, 8), slice(0, 50))), image, None, None)
    assert report.reliability_map is not None
    meanings = {entry.index: entry.meaning for entry in report.reliability_map.legend}
    with Image.open(BytesIO(pictures["reliability"])) as png:
        said = [meanings[int(index)].split(":")[0] for index in np.asarray(png)[[0, 4, 8], 0]]
    assert said == ["flat", "black or white to the limit", "can be read"]
    assert report.reliability_map.share == pytest.approx(0.8)


def test_quiet_detectors_say_what_they_looked_for() -> None:
    """Each of them, in a sentence that begins with the search."""
    report, _ = scan_report(judgement(), picture(), None, None)
    assert {one.detector for one in report.findings} == set(DETECTORS)
    assert all(one.status == "QUIET" and one.explanation.startswith("Searched for") for one in report.findings)


def test_a_detector_fires_by_its_p_value_alone_where_it_has_one() -> None:
    """One that backs a region, as authentic images do in half of all cases, stays quiet and says so."""
    inside = place()
    layers = {name: inside.astype(np.float32) for name in ("noise", "ela", "ghost")}
    made = judgement(inside.astype(np.float32), layers=layers, traces=outcomes(noise=0.5, ela=0.001))
    report, _ = scan_report(made, picture(), None, None)
    found = {one.detector: one for one in report.findings}
    assert [found[name].status for name in ("noise", "ela", "ghost")] == ["QUIET", "FIRED", "FIRED"]
    assert found["noise"].region_ids == ["r1"]
    assert "50 % of authentic images show as much" in found["noise"].explanation


def test_a_detector_without_outcome_is_an_error() -> None:
    """It is neither quiet nor left out."""
    report, _ = scan_report(judgement(traces=outcomes()[1:]), picture(), None, None)
    assert [one.detector for one in report.findings if one.status == "ERROR"] == [next(iter(DETECTORS))]


def test_categories_are_bounded_by_their_members() -> None:
    """Noise: the least of three p-values, threefold; artifacts: unknown where one p-value is."""
    traces = outcomes(noise=0.01, splicebuster=0.4, cfa=0.9, ela=0.01)
    report, _ = scan_report(judgement(traces=traces), picture(), None, None)
    assert report.categories is not None
    assert report.categories.pixel_noise is not None
    assert report.categories.pixel_noise.far == pytest.approx(0.03)
    assert report.categories.artifact_variations is not None
    assert report.categories.artifact_variations.far is None


def test_a_jump_across_a_border_is_a_boundary() -> None:
    """Only where the layer differs to both sides, and by its own calibration where there is one."""
    inside = place()
    sharp = np.where(inside, np.float32(0.8), np.float32(0.1))
    made = judgement(inside.astype(np.float32), layers={"sharpness": sharp})
    scores = Calibration({"jpeg": list(np.linspace(0, 1, 200, endpoint=False))})
    report, _ = scan_report(made, picture(), None, None, category_calibrations={"fake_boundaries": scores})
    assert report.categories is not None
    boundaries = report.categories.fake_boundaries
    assert boundaries is not None
    assert boundaries.score == pytest.approx(0.7)
    assert boundaries.far == pytest.approx(0.3, abs=0.01)


def test_layers_are_placed_below_their_scan() -> None:
    """Every address begins with the scan's."""
    preview = scan_report(judgement(), picture(), None, None)[1]["fused"]
    report, _ = scan_report(judgement(), picture(), None, None, preview=preview)
    place_layers(report, "/v1/citadel/defense/radar/scan_1")
    assert report.heatmap is not None
    assert report.heatmap.png_url == "/v1/citadel/defense/radar/scan_1/heatmap.png?layer=fused"
    assert [layer.png_url for layer in report.layers] == ["/v1/citadel/defense/radar/scan_1/heatmap.png?layer=preview"]


def test_a_region_is_told_with_the_mean_of_the_heatmap() -> None:
    """12 x 8 blocks at (160, 64); of a place that a detector is sure of the score is 1."""
    report, _ = scan_report(judgement(place().astype(np.float32) * np.float32(0.6)), picture(), None, None)
    (region,) = report.regions
    assert (region.kind, region.bbox, region.area) == ("anomaly", [160, 64, 96, 64], 96 * 64)
    assert region.score == pytest.approx(0.6)
    assert region.evidence == [
        "All detectors together give it 0.60 of 1 on the mean; a region begins at 0.45.",
        "No single detector tells it apart from the rest; only all of them together do.",
    ]
    foreign = GridRegion(place(), (5, 3), -40.0)
    (region,) = scan_report(judgement(foreign=(foreign,)), picture(), None, None)[0].regions
    assert (region.score, region.log10_nfa, region.detectors) == (1.0, -40.0, ["jpeg_grid"])
