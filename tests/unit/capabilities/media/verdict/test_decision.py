"""The order of the verdict's rules, on whole reports."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.capabilities.media.calibration import HARDEST, OTHERS, Calibration
from app.capabilities.media.detectors.image import DecodedImage
from app.capabilities.media.detectors.jpeg_grid import GridRegion
from app.capabilities.media.messages import C2paState, ExifState, MediaProvenance, ScanReport
from app.capabilities.media.verdict.decision import in_percent
from app.capabilities.media.verdict.report import scan_report
from tests.unit.capabilities.media.verdict.judgements import GRID, copied, judgement, picture, place

KNOWN = Calibration({"jpeg": list(np.linspace(0, 1, 400))})
FOREIGN = GridRegion(place(), (5, 3), -6.0)


def _of(report: ScanReport, detector: str) -> str:
    return next(one.status for one in report.findings if one.detector == detector)


@pytest.mark.parametrize(
    ("score", "verdict"),
    [(0.2, "AUTHENTIC_CONSISTENT"), (0.89, "AUTHENTIC_CONSISTENT"), (0.91, "SUSPICIOUS"), (0.999, "MANIPULATED")],
)
def test_without_more_the_false_alarm_rate_decides(score: float, verdict: str) -> None:
    """At 1 % and at 10 % of the authentic images."""
    report, _ = scan_report(judgement(score=score), picture(), None, KNOWN)
    assert report.verdict == verdict
    assert report.false_alarm_rate is not None
    assert report.false_alarm_rate.calibration_set == "jpeg"


def test_few_authentic_images_cannot_show_a_small_rate() -> None:
    """Of 50 images none scores as high: that is no 1 %."""
    few = Calibration({"jpeg": list(np.linspace(0, 0.5, 50))})
    report, _ = scan_report(judgement(score=0.9), picture(), None, few)
    assert report.verdict == "SUSPICIOUS"
    assert any("those of its own (jpeg) are fewer than 200" in reason for reason in report.confidence_reasons)


@pytest.mark.parametrize(
    ("known", "score", "told"),
    [
        (400, 0.995, "All of them are of its own kind (jpeg)."),
        (210, 0.5, "That is a wide span: there are few of them."),
    ],
)
def test_a_rate_tells_what_it_stands_on(known: int, score: float, told: str) -> None:
    """Images of the same kind; where they are few, how far the rate can be trusted."""
    calibration = Calibration({"jpeg": list(np.linspace(0, 1, known))})
    report, _ = scan_report(judgement(score=score), picture(), None, calibration)
    assert sum(reason.endswith(told) for reason in report.confidence_reasons) == 1


def test_a_rate_of_the_hardest_photographs_says_so() -> None:
    """Where theirs is the highest."""
    calibration = Calibration({"jpeg": list(np.linspace(0, 0.5, 400)), HARDEST: list(np.linspace(0.5, 1, 200))})
    report, _ = scan_report(judgement(score=0.7), picture(), None, calibration)
    assert report.false_alarm_rate is not None
    assert report.false_alarm_rate.calibration_set == HARDEST
    assert any(reason.endswith("hardest to tell from changed ones.") for reason in report.confidence_reasons)


def test_an_image_of_several_parts_is_judged_by_the_chances_of_all() -> None:
    """What is rare for one part may be common for four; one that was too small to be judged had one chance."""
    known = Calibration({"jpeg": list(np.linspace(0, 1, 400))})
    one = judgement(score=0.93)
    four, none = (replace(one, globals={"tiles": tiles}) for tiles in (4.0, 0.0))
    reports = [scan_report(each, picture(), None, known)[0] for each in (one, none, four)]
    assert [report.verdict for report in reports] == ["SUSPICIOUS", "SUSPICIOUS", "AUTHENTIC_CONSISTENT"]
    rates = [report.false_alarm_rate for report in reports]
    assert rates[0] is not None
    assert rates[1] == rates[0]
    assert rates[2] is not None
    assert rates[2].at_this_score == pytest.approx(1 - (1 - rates[0].at_this_score) ** 4)
    assert any(
        "in one of 4 parts, which this image was judged in" in reason for reason in reports[2].confidence_reasons
    )


def test_a_rate_of_images_by_others_says_so() -> None:
    """With the wide interval of the few that they are."""
    calibration = Calibration({"jpeg": list(np.linspace(0, 0.5, 400)), OTHERS: list(np.linspace(0.5, 1, 20))})
    report, _ = scan_report(judgement(score=0.99), picture(), None, calibration)
    assert report.false_alarm_rate is not None
    rate = report.false_alarm_rate
    assert (rate.calibration_set, rate.n) == (OTHERS, 20)
    assert rate.ci95[0] < rate.at_this_score == 1 / 20 < rate.ci95[1]
    assert any(reason.endswith("cameras than all the rest.") for reason in report.confidence_reasons)


def test_without_calibration_nothing_is_claimed() -> None:
    """The highest score alone is no verdict, and no rate is stated."""
    report, _ = scan_report(judgement(score=1.0), picture(), None, None)
    assert report.verdict == "INCONCLUSIVE"
    assert report.false_alarm_rate is None


def test_a_foreign_grid_is_evidence_whatever_the_score() -> None:
    """The region tells both offsets and the chance, x before y."""
    report, _ = scan_report(judgement(foreign=(FOREIGN,)), picture(), None, KNOWN)
    assert report.verdict == "MANIPULATED"
    assert report.regions[0].evidence[0] == (
        "The JPEG grid is offset by (3, 5) here and at (0, 0) elsewhere; by chance in 1 of 10^6 images of this size."
    )
    assert _of(report, "jpeg_grid") == "FIRED"


def test_a_grid_that_chance_may_make_is_none() -> None:
    """log10 NFA of -1 is told, and decides nothing."""
    report, _ = scan_report(judgement(foreign=(GridRegion(place(), (5, 3), -1.0),)), picture(), None, KNOWN)
    assert report.verdict == "AUTHENTIC_CONSISTENT"
    assert _of(report, "jpeg_grid") == "QUIET"


@pytest.mark.parametrize(("inliers", "verdict"), [(31, "MANIPULATED"), (30, "AUTHENTIC_CONSISTENT")])
def test_a_copy_counts_from_31_matches(inliers: int, verdict: str) -> None:
    """In an image that is no drawing."""
    report, _ = scan_report(judgement(copies=(copied(inliers),)), picture(), None, KNOWN)
    assert report.verdict == verdict
    assert _of(report, "copy_move") == "FIRED"


def test_what_is_drawn_twice_is_no_copy() -> None:
    """The same words on one shade stand on every screen: the report says why it does not count."""
    drawing = np.full((320, 400, 3), 250, np.uint8)
    drawing[160:240, 32:272:5] = 20
    report, _ = scan_report(judgement(copies=(copied(60),)), DecodedImage(drawing), None, KNOWN)
    assert report.verdict == "AUTHENTIC_CONSISTENT"
    assert _of(report, "copy_move") == "QUIET"
    assert any("drawings repeat" in sentence for sentence in report.regions[0].evidence)


def test_a_gradient_has_no_grid() -> None:
    """Its zeros come of no compression."""
    light = np.broadcast_to(np.linspace(20, 180, 400)[None, :, None], (320, 400, 3))
    report, _ = scan_report(judgement(foreign=(FOREIGN,)), DecodedImage(light.astype(np.uint8)), None, KNOWN)
    assert report.verdict == "AUTHENTIC_CONSISTENT"
    assert _of(report, "jpeg_grid") == "QUIET"


@pytest.mark.parametrize(
    ("code", "verdict"),
    [("assertion.dataHash.mismatch", "MANIPULATED"), ("signingCredential.expired", "AUTHENTIC_CONSISTENT")],
)
def test_only_the_broken_hash_of_credentials_is_evidence(code: str, verdict: str) -> None:
    """What is invalid for another reason is a finding and no verdict."""
    provenance = MediaProvenance(c2pa=C2paState(state="invalid", codes=[code]), exif=ExifState())
    report, _ = scan_report(judgement(), picture(), provenance, KNOWN)
    assert report.verdict == verdict
    assert _of(report, "c2pa") == "FIRED"


def test_evidence_comes_before_what_cannot_be_read() -> None:
    """A heavily compressed image with a copy is manipulated; without, inconclusive."""
    found, _ = scan_report(judgement(copies=(copied(50),)), picture(quantizer=46), None, KNOWN)
    nothing, _ = scan_report(judgement(score=0.999), picture(quantizer=46), None, KNOWN)
    assert (found.verdict, nothing.verdict) == ("MANIPULATED", "INCONCLUSIVE")


def test_a_small_image_is_inconclusive() -> None:
    """Short side below 256 px; the reliability map says so of every block."""
    cold = np.zeros((20, 50), np.float32)
    report, _ = scan_report(judgement(cold, score=0.999), picture(grid=(20, 50)), None, KNOWN)
    assert report.verdict == "INCONCLUSIVE"
    assert report.reliability_map is not None
    assert report.reliability_map.share == 0


@pytest.mark.parametrize(("rows", "verdict"), [(17, "INCONCLUSIVE"), (16, "MANIPULATED")])
def test_below_60_percent_reliable_it_is_inconclusive(rows: int, verdict: str) -> None:
    """16 of 40 rows are 40 %."""
    reliable = ~place(slice(0, rows), slice(0, GRID[1]))
    report, _ = scan_report(judgement(score=0.999, reliable=reliable), picture(), None, KNOWN)
    assert report.verdict == verdict


def test_the_after_life_is_named() -> None:
    """What weakens the traces stands in the reasons."""
    report, _ = scan_report(judgement(after_life="twice"), picture(), None, KNOWN)
    assert any("compressed as JPEG twice" in reason for reason in report.confidence_reasons)


@pytest.mark.parametrize(
    ("share", "told"),
    [
        (0.0, "0"),
        (0.000912, "0.091"),
        (0.0038, "0.38"),
        (0.0999, "10"),
        (0.0961, "9.6"),
        (0.1, "10"),
        (0.1449, "14"),
        (0.996, "100"),
        (1.0, "100"),
    ],
)
def test_shares_are_told_in_plain_figures(share: float, told: str) -> None:
    """Two that count, and never a power of ten."""
    assert in_percent(share) == told


def test_a_low_score_is_told_in_plain_figures() -> None:
    """All authentic images score as high: 100 %, in every sentence."""
    report, _ = scan_report(judgement(score=0.0), picture(), None, KNOWN)
    told = " ".join([*report.confidence_reasons, *(one.explanation for one in report.findings)])
    assert "100 % of authentic images score as high or higher" in told
    assert "e+" not in told
