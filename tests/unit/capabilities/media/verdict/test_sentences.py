"""What findings, layers, regions and faces say at their bounds."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from app.capabilities.media.analysis.judgement import TraceOutcome
from app.capabilities.media.calibration import POOLED, FalseAlarmRate
from app.capabilities.media.detectors.jpeg_grid import GridRegion
from app.capabilities.media.messages import C2paState, ExifState, MediaProvenance, ScanFace, ScanFinding
from app.capabilities.media.verdict.categories import category_scores, jump_across
from app.capabilities.media.verdict.decision import decide, worth
from app.capabilities.media.verdict.faces import measure_faces
from app.capabilities.media.verdict.findings import DETECTORS, findings_of
from app.capabilities.media.verdict.hard_evidence import HardEvidence
from app.capabilities.media.verdict.layers import palette_png, preview_layer, reliability_layer, value_layer
from app.capabilities.media.verdict.regions import FoundRegion, find_regions, warm_places
from app.capabilities.media.verdict.reliability import Reliability
from app.capabilities.media.verdict.report import scan_report
from tests.unit.capabilities.media.verdict.judgements import GRID, copied, judgement, outcomes, picture, place

NO_EVIDENCE = HardEvidence((), {})
READABLE = Reliability(np.zeros(GRID, np.uint8), 1.0, 1.0, ())


def _told(
    detector: str, *, regions: tuple[FoundRegion, ...] = (), hard: HardEvidence = NO_EVIDENCE, **made: object
) -> ScanFinding:
    """What one detector says."""
    found = findings_of(judgement(**made), regions, hard, None)  # type: ignore[arg-type]
    return next(one for one in found if one.detector == detector)


@pytest.mark.parametrize(("p_value", "status"), [(0.05, "FIRED"), (0.0501, "QUIET")])
def test_a_detector_fires_up_to_five_percent(p_value: float, status: str) -> None:
    """Without a region single blocks stand out."""
    told = _told("ela", traces=outcomes(ela=p_value))
    assert told.status == status
    single = "single blocks stand out more than in most authentic images, but no region does as a whole"
    assert (single in told.explanation) == (status == "FIRED")
    assert f"{100 * p_value:.2g} % of authentic images show as much." in told.explanation


@pytest.mark.parametrize(("p_value", "said"), [(0.0001, "0.01 %"), (0.00009, "Less than 0.01 %"), (0.5, "50 %")])
def test_no_share_is_told_as_none(p_value: float, said: str) -> None:
    """Small ones as less than a hundredth of a percent."""
    assert f" {said} of authentic images show as much." in _told("ela", traces=outcomes(ela=p_value)).explanation


def test_without_calibration_a_region_lets_a_detector_fire() -> None:
    """Six regions are named, each with its share of pairs."""
    regions = tuple(FoundRegion(f"r{at}", "anomaly", place(), 0.5, {"ela": 0.7 + at / 100}) for at in range(1, 9))
    told = _told("ela", regions=regions)
    assert told.status == "FIRED"
    where = "; ".join(f"r{at} in {70 + at}" for at in range(1, 7))
    assert f"the one inside stands out more: {where}. How often" in told.explanation
    assert told.region_ids == [f"r{at}" for at in range(1, 9)]
    quiet = _told("ela")
    assert (quiet.status, "no region stands out. How often" in quiet.explanation) == ("QUIET", True)


@pytest.mark.parametrize(
    ("detector", "said"),
    [
        ("noise", "The noise of the image has a deviation of 2.50 grey levels."),
        ("ghost", "The image as a whole comes nearest to quality 85."),
        ("quantization", "7 of 12 coefficients show an earlier compression of the image."),
    ],
)
def test_a_number_of_the_whole_image_is_told(detector: str, said: str) -> None:
    """Where the detector gave it."""
    assert said in _told(detector).explanation
    found = findings_of(replace(judgement(), globals={}), (), NO_EVIDENCE, None)
    assert said not in next(one.explanation for one in found if one.detector == detector)


def test_a_detector_that_says_nothing_says_why() -> None:
    """As a sentence, whatever its words were."""
    traces = tuple(TraceOutcome(name, "the file is none.", 0.0) for name in DETECTORS)
    told = _told("cfa", traces=traces)
    assert (told.status, told.reason, told.strength) == ("NOT_APPLICABLE", "The file is none.", None)
    assert told.explanation == f"Not searched: {DETECTORS['cfa'].searched}. The file is none."


def _grid(at: int, nfa: float, phase: tuple[int, int] = (5, 3)) -> FoundRegion:
    return FoundRegion(f"r{at}", "foreign_grid", place(), 1.0, grid=GridRegion(place(), phase, nfa))


def test_sure_grids_are_told_with_their_offsets() -> None:
    """Six of them; as strong as the surest."""
    told = _told("jpeg_grid", regions=tuple(_grid(at, -float(at + 2)) for at in range(8)), main=(1, 2))
    assert (told.status, told.strength, told.log10_nfa) == ("FIRED", 9.0, -9.0)
    assert told.explanation.startswith("The JPEG grid is offset by (3, 5) in r1, by chance in 1 of 1000 images")
    assert "in r6, " in told.explanation
    assert "in r7, " not in told.explanation
    assert "; (2, 1) elsewhere." in told.explanation


@pytest.mark.parametrize(
    ("nfa", "doubts", "main", "said"),
    [
        (-2.0, {}, (0, 0), "only r1, by chance in 1 of 100 images of this size. Chance may have made it."),
        (-5.0, {"r1": "It is plain."}, None, "only r1, by chance in 1 of 10^5 images of this size. It is plain."),
    ],
)
def test_grids_that_do_not_count_are_told_with_the_doubt(
    nfa: float, doubts: dict[str, str], main: tuple[int, int] | None, said: str
) -> None:
    """The detector stays quiet."""
    told = _told("jpeg_grid", regions=(_grid(1, nfa),), hard=HardEvidence((), doubts), main=main)
    assert told.status == "QUIET"
    assert said in told.explanation


@pytest.mark.parametrize(
    ("main", "said"),
    [
        (None, "the image has no JPEG grid, and no region of it has one."),
        ((1, 2), "every region with a grid has that of the image, offset by (2, 1)."),
    ],
)
def test_without_a_foreign_grid_the_image_has_one_or_none(main: tuple[int, int] | None, said: str) -> None:
    """There is no number of false alarms then."""
    told = _told("jpeg_grid", main=main)
    assert (told.status, told.strength, told.log10_nfa) == ("QUIET", 0, None)
    assert said in told.explanation


@pytest.mark.parametrize(
    ("inliers", "doubted", "status", "said"),
    [
        (12, False, "QUIET", "12 details match at most; authentic images reach 12."),
        (13, False, "FIRED", "r2 shows the same as r1, 13 details match. Which of two is the original"),
        (13, True, "QUIET", "r1, r2, 13 details match at most. It is drawn."),
    ],
)
def test_a_copy_is_found_above_twelve_matches(inliers: int, doubted: bool, status: str, said: str) -> None:
    """Fewer, and drawn ones, are told and do not count."""
    regions, _ = find_regions(judgement(copies=(copied(inliers),)))
    hard = HardEvidence((), {"r1": "It is drawn.", "r2": "It is drawn."} if doubted else {})
    told = _told("copy_move", regions=regions, hard=hard, copies=(copied(inliers),))
    assert (told.status, told.strength) == (status, inliers)
    assert said in told.explanation
    assert "no two places match in 8 details or more." in _told("copy_move").explanation


def test_of_many_places_six_are_named() -> None:
    """And it is told how many more there are."""
    for count, said in ((6, "r6, by"), (7, "r6 and 1 more, by")):
        regions = tuple(_grid(at, -1.0) for at in range(1, count + 1))
        assert f"r5, {said}" in _told("jpeg_grid", regions=regions).explanation


@pytest.mark.parametrize(
    ("state", "codes", "source", "status", "said"),
    [
        ("none", [], None, "NOT_APPLICABLE", "Most files carry none"),
        (
            "invalid",
            ["assertion.dataHash.mismatch"],
            None,
            "FIRED",
            "are bound to other bytes; status codes: assertion",
        ),
        ("invalid", [], None, "FIRED", "do not hold; status codes: none."),
        ("invalid", [f"c{at}" for at in range(8)], None, "FIRED", "status codes: c0, c1, c2, c3, c4, c5."),
        ("trusted", [], None, "QUIET", "signed by somebody this site trusts."),
        ("trusted", [], "x/compositeWithTrainedAlgorithmicMedia", "QUIET", "trusts. They declare that a model"),
        ("valid", [], "x/trainedAlgorithmicMedia", "QUIET", "anybody can sign. They declare that a model"),
        ("valid", [], "x/digitalCapture", "QUIET", "nobody this site trusts signed them: anybody can sign."),
    ],
)
def test_credentials_are_told_by_their_state(
    state: str, codes: list[str], source: str | None, status: str, said: str
) -> None:
    """What a model made is no manipulation."""
    credentials = C2paState(state=state, codes=codes, digital_source_type=source)  # type: ignore[arg-type]
    provenance = MediaProvenance(c2pa=credentials, exif=ExifState())
    told, exif = findings_of(judgement(), (), NO_EVIDENCE, provenance)[-2:]
    assert (told.status, said in told.explanation) == (status, True)
    assert told.explanation.endswith(said) == (not said.endswith(("assertion", "model", "none")))
    assert exif.status == "NOT_APPLICABLE"


@pytest.mark.parametrize(("differs", "status"), [(True, "FIRED"), (False, "QUIET")])
def test_a_thumbnail_is_compared(differs: bool, status: str) -> None:
    """It shows the same, or not."""
    provenance = MediaProvenance(c2pa=C2paState(state="none"), exif=ExifState(thumbnail_mismatch=differs))
    told = findings_of(judgement(), (), NO_EVIDENCE, provenance)[-1]
    assert told.status == status
    assert ("something else" in told.explanation) == differs


# --- regions, layers, categories ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "found"), [(3, 0), (4, 1)])
def test_four_blocks_make_a_place(count: int, found: int) -> None:
    """From the threshold on, in a row; those that meet in corners alone are two."""
    heat = np.zeros(GRID, np.float32)
    heat[5, 5 : 5 + count] = 0.5
    assert len(warm_places(heat, 0.5)) == found
    corners = np.zeros(GRID, np.float32)
    corners[5:7, 5:7] = corners[7:9, 7:9] = 0.5
    assert len(warm_places(corners, 0.5)) == 2


def test_at_most_eight_copies_and_eight_grids_are_told() -> None:
    """The surest copies; the rest is counted, copies with both places."""
    copies = tuple(copied(20 + at) for at in range(10))
    foreign = tuple(GridRegion(place(), (1, 1), -9.0 + at / 10) for at in range(11))
    heat = np.zeros(GRID, np.float32)
    for at in range(12):
        heat[at // 6 * 5 : at // 6 * 5 + 2, at % 6 * 6 : at % 6 * 6 + 2] = 0.9
    regions, surplus = find_regions(judgement(heat, copies=copies, foreign=foreign))
    kinds = [one.kind for one in regions]
    assert (kinds.count("copy_source"), kinds.count("copy_target"), kinds.count("foreign_grid")) == (8, 8, 8)
    assert (kinds.count("anomaly"), len(regions), surplus) == (8, 32, 2 * 2 + 3 + 4)
    assert [one.copy.inliers for one in regions[:4:2] if one.copy is not None] == [29, 28]
    assert [one.partner for one in regions[:4]] == ["r2", "r1", "r4", "r3"]


@pytest.mark.parametrize(("step", "backs"), [(0.0625, True), (0.04, False)])
def test_a_layer_backs_a_region_by_a_step_of_medians(step: float, backs: bool) -> None:
    """A twentieth, and three quarters of all pairs."""
    inside = place()
    layer = np.where(inside, np.float32(0.25 + step), np.float32(0.25))
    (region,) = find_regions(judgement(inside.astype(np.float32), layers={"ela": layer}))[0]
    assert dict(region.backing) == ({"ela": 1.0} if backs else {})


@pytest.mark.parametrize(("high", "backs"), [(72, True), (71, False)])
def test_a_layer_backs_a_region_in_three_quarters_of_pairs(high: int, backs: bool) -> None:
    """72 of 96 blocks inside are above all elsewhere, the others below all."""
    inside = place()
    layer = np.full(GRID, 0.5, np.float32)
    values = np.zeros(96, np.float32)
    values[:high] = 0.9
    layer[inside] = values
    (region,) = find_regions(judgement(inside.astype(np.float32), layers={"ela": layer}))[0]
    assert dict(region.backing) == ({"ela": 0.75} if backs else {})


@pytest.mark.parametrize(("kept", "jump"), [(4, 0.5), (3, 0.0)])
def test_a_jump_needs_four_reliable_blocks_to_each_side(kept: int, jump: float) -> None:
    """Two blocks to each side of the border count, none farther away."""
    area = place(slice(10, 20), slice(10, 20))
    layer = np.where(area, np.float32(0.75), np.float32(0.25))
    layer[12:18, 12:18] = layer[:8] = layer[22:] = layer[:, :8] = layer[:, 22:] = 1
    region = FoundRegion("r1", "anomaly", area, 0.5)
    made = judgement(layers={"noise": layer})
    assert jump_across(made, region) == 0.5
    for rows, columns in ((slice(8, 10), slice(8, 22)), (slice(10, 12), slice(10, 20))):
        reliable = ~place(slice(0, 40), slice(0, 50))
        reliable[20:22, 8:22] = reliable[18:20, 10:20] = True
        reliable[20:22, 8:22] &= rows.start != 8
        reliable[18:20, 10:20] &= rows.start != 10
        reliable[rows.start, columns.start : columns.start + kept] = True
        assert jump_across(judgement(layers={"noise": layer}, reliable=reliable), region) == jump
    assert jump_across(judgement(), region) == 0


def test_scores_are_those_of_the_strongest_that_apply() -> None:
    """Between 0 and 1; a question without a detector has none."""
    traces = (TraceOutcome("ela", None, 0.4), TraceOutcome("ghost", None, 1.5), TraceOutcome("noise", "no", 0.9))
    assert category_scores(judgement(traces=traces), ()) == {"artifact_variations": 1.0}
    layers = {"ela": np.zeros(GRID, np.float32)}
    assert category_scores(judgement(traces=traces[:1], layers=layers), ()) == {
        "artifact_variations": 0.4,
        "fake_boundaries": 0.0,
    }


def test_pictures_have_one_pixel_for_each_block() -> None:
    """Width before height; the legend's colours are those of the palette, dark to light."""
    values = np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 4)
    readable = np.ones((3, 4), np.bool_)
    readable[2, 3] = False
    layer, png = value_layer("ela", values, readable)
    assert (layer.width, layer.height, layer.grid_px, layer.name) == (4, 3, 8, "ela")
    with Image.open(BytesIO(png)) as read:
        assert (read.size, read.mode) == ((4, 3), "P")
        assert np.asarray(read).ravel().tolist() == [*(round(250 * at / 11) for at in range(11)), 255]
    assert [(one.index, one.value) for one in layer.legend] == [
        (0, 0), (50, 0.2), (100, 0.4), (150, 0.6), (200, 0.8), (250, 1), (255, None)
    ]  # fmt: skip
    assert [one.color for one in layer.legend] == [
        "#000004", "#420a68", "#932667", "#dd513a", "#fca50a", "#fcffa4", "#808080"
    ]  # fmt: skip
    shown = preview_layer(palette_png(np.zeros((5, 9), np.uint8), [(1, 2, 3)]))
    assert (shown.width, shown.height, shown.grid_px) == (9, 5, None)
    worth_layer, worth_png = reliability_layer(Reliability(np.arange(6, dtype=np.uint8).reshape(2, 3), 1 / 6, 0.5, ()))
    assert (worth_layer.width, worth_layer.height, worth_layer.share) == (3, 2, 1 / 6)
    with Image.open(BytesIO(worth_png)) as read:
        assert np.asarray(read).ravel().tolist() == list(range(6))
        colours = [
            f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in np.asarray(read.convert("RGB")).reshape(-1, 3)
        ]
    assert [one.color for one in worth_layer.legend] == colours
    assert colours == ["#266e50", "#808080", "#c8c8c8", "#965aa0", "#aa6e32", "#3c64aa"]


def test_a_face_is_an_ellipse_and_its_ring_one_and_six_tenths_of_it() -> None:
    """Medians of blocks by their middles, in robust deviations, 8 at most."""
    noise = np.random.default_rng(1).random(GRID).astype(np.float32)
    box = (120, 80, 96, 64)
    inside: list[float] = []
    ring: list[float] = []
    for row in range(GRID[0]):
        for column in range(GRID[1]):
            far = ((8 * column + 4 - 168) / 48) ** 2 + ((8 * row + 4 - 112) / 32) ** 2
            (inside if far <= 1 else ring if far <= 1.6**2 else []).append(float(noise[row, column]))
    spread = 1.4826 * np.median(np.abs(noise - np.median(noise)))
    (face,) = measure_faces([box], judgement(layers={"noise": noise}))
    assert face.inside_vs_ring.noise == pytest.approx((np.median(inside) - np.median(ring)) / spread, rel=1e-5)
    flat = np.zeros(GRID, np.float32)
    flat[10:18, 15:27] = 1
    (face,) = measure_faces([box], judgement(layers={"noise": flat}))
    assert face.inside_vs_ring.noise == 8
    assert [one.id for one in measure_faces([box] * 40, judgement())] == [f"f{at}" for at in range(1, 33)]


@pytest.mark.parametrize(("kept", "known"), [(6, True), (5, False)])
def test_a_face_and_its_ring_need_six_reliable_blocks(kept: int, known: bool) -> None:
    """Each of both."""
    noise = np.random.default_rng(1).random(GRID).astype(np.float32)
    middle, around = place(slice(13, 14), slice(18, 18 + kept)), place(slice(18, 19), slice(17, 17 + kept))
    rich = place(slice(12, 16), slice(17, 25)), place(slice(18, 19), slice(15, 27))
    for reliable in (middle | rich[1], rich[0] | around):
        (face,) = measure_faces([(120, 80, 96, 64)], judgement(layers={"noise": noise}, reliable=reliable))
        assert (face.inside_vs_ring.noise is not None) == known


# --- verdicts -----------------------------------------------------------------------------------------------------


def _rate(
    p_value: float = 0.5, low: float = 0.0, rate: float = 0.1, high: float = 0.12, of: str = "jpeg"
) -> FalseAlarmRate:
    return FalseAlarmRate(rate, low, high, p_value, of, 400)


@pytest.mark.parametrize(
    ("p_value", "verdict", "said"),
    [
        (0.01, "MANIPULATED", "At most 1 % of authentic images score as high or higher."),
        (0.0101, "SUSPICIOUS", "1 % of authentic images score as high or higher: that is rare, but no proof."),
        (0.10, "SUSPICIOUS", "10 % of authentic images score as high or higher: that is rare, but no proof."),
        (0.101, "AUTHENTIC_CONSISTENT", "No change was found: 10 % of authentic images score as high or higher."),
    ],
)
def test_a_verdict_is_that_of_its_share(p_value: float, verdict: str, said: str) -> None:
    """One and ten percent belong to the graver one."""
    told, (reason,) = decide(_rate(p_value), NO_EVIDENCE, READABLE)
    assert told == verdict
    assert reason.startswith(said)


@pytest.mark.parametrize(("count", "more"), [(6, ()), (7, ("Findings of this kind that are not told here: 1.",))])
def test_six_pieces_of_evidence_are_told(count: int, more: tuple[str, ...]) -> None:
    """And how many more there are."""
    reasons = tuple(f"Reason {at}." for at in range(count))
    assert decide(None, HardEvidence(reasons, {}), READABLE) == ("MANIPULATED", (*reasons[:6], *more))


@pytest.mark.parametrize(("share", "verdict"), [(0.6, "SUSPICIOUS"), (0.59, "INCONCLUSIVE")])
def test_six_tenths_must_be_readable(share: float, verdict: str) -> None:
    """In percent."""
    told, (reason, *_) = decide(_rate(0.05), NO_EVIDENCE, replace(READABLE, share=share))
    assert told == verdict
    assert ("Only 59 % of it can be read" in reason) == (verdict == "INCONCLUSIVE")


@pytest.mark.parametrize(
    ("rate", "after", "said"),
    [
        (
            _rate(),
            "jpeg",
            "Of 400 authentic images 10 % score as high or higher (0 to 12 %, with 95 % confidence). All of",
        ),
        (_rate(rate=0.125, high=0.1875), "jpeg", "That is a wide span: there are few of them."),
        (
            _rate(of=POOLED),
            "jpeg",
            "They are of all kinds: those of its own (jpeg) are fewer than 200, or score lower.",
        ),
        (_rate(of=POOLED), POOLED, f"All of them are of its own kind ({POOLED})."),
    ],
)
def test_a_rate_is_told_with_what_it_stands_on(rate: FalseAlarmRate, after: str, said: str) -> None:
    """Its span, and the kind of its images."""
    assert said in worth(rate, after, NO_EVIDENCE, READABLE, ())[1]


def test_what_lowers_the_worth_is_told() -> None:
    """The first two doubts, the share that can be read, and conversions in words."""
    hard = HardEvidence((), {f"r{at}": f"doubt {at}." for at in range(3)})
    told = worth(None, "burnt", hard, replace(READABLE, readable=0.834), ("cmyk_to_rgb", "16_bit"))
    assert told == (
        "The file's traces look as if the image was last treated in a way that is not known.",
        "83 % of its blocks are neither flat, black nor white.",
        "r0: doubt 0.",
        "r1: doubt 1.",
        "To be read it was converted, which may hide traces: cmyk to rgb, 16 bit.",
    )


@pytest.mark.parametrize(("columns", "covers"), [(6, True), (5, False)])
def test_a_region_covers_a_face_by_half(columns: int, covers: bool) -> None:
    """Six of twelve columns of its box; a face smaller than a block is judged by that block."""
    made = judgement(place(slice(8, 20), slice(20, 20 + columns)).astype(np.float32))
    face = ScanFace(
        id="f1", bbox=[160, 64, 96, 96], inside_vs_ring=measure_faces([(0, 0, 8, 8)], made)[0].inside_vs_ring
    )
    report, _ = scan_report(made, picture(), None, None, faces=[face])
    assert (report.regions[0].face_id, "It covers the face f1." in report.regions[0].evidence) == (
        "f1" if covers else None,
        covers,
    )
    small = ScanFace(id="f2", bbox=[162, 66, 5, 5], inside_vs_ring=face.inside_vs_ring)
    assert scan_report(made, picture(), None, None, faces=[small])[0].regions[0].face_id == "f2"


def test_a_region_tells_its_size_and_its_evidence() -> None:
    """In px; a copy's turn in degrees, its scale, and whether it is mirrored."""
    turn = np.radians(30)
    linear = 1.5 * np.array([[np.cos(turn), np.sin(turn)], [np.sin(turn), -np.cos(turn)]])
    copy = replace(copied(40), similarity=np.column_stack([linear, [160, 0]]))
    report, _ = scan_report(judgement(place().astype(np.float32), copies=(copy,)), picture(), None, None)
    source, target, warm = report.regions
    assert (
        source.evidence[0] == "r2 shows the same, turned by 30 degrees and scaled by 1.50, mirrored; 40 details match."
    )
    assert target.evidence[0].startswith("It shows the same as r1, turned by 30 degrees and scaled by 1.50, mirrored")
    assert (source.area, warm.area, source.detectors, warm.detectors) == (6400, 6144, ["copy_move"], [])
    assert warm.evidence == [
        "All detectors together give it 1.00 of 1 on the mean; a region begins at 0.45.",
        "No single detector tells it apart from the rest; only all of them together do.",
    ]


def test_ten_detectors_back_a_region_in_its_evidence() -> None:
    """The strongest first, in pairs of a hundred."""
    inside = place().astype(np.float32)
    layers = {f"d{at:02}": inside.copy() for at in range(12)}
    report, _ = scan_report(judgement(inside, layers=layers), picture(), None, None)
    pairs = [line for line in report.regions[0].evidence if "of 100 pairs" in line]
    assert pairs == [
        f"d{at:02}: a block here stands out more than one elsewhere in 100 of 100 pairs." for at in range(10)
    ]
    assert report.regions[0].detectors == [f"d{at:02}" for at in range(12)]
