"""The calibration as curves, by the rates that a scan of the same score would state."""

from __future__ import annotations

import numpy as np
import pytest

from app.capabilities.media.analysis.model import ModelFacts, read_facts
from app.capabilities.media.calibration import HARDEST, Calibration
from app.capabilities.media.curves import calibration_curves
from app.capabilities.media.verdict.decision import MANIPULATED_AT, SUSPICIOUS_AT
from app.capabilities.media.worker.workers import MODEL


def facts(**scores: tuple[float, ...]) -> ModelFacts:
    """A model that was shipped with these scores."""
    return ModelFacts("m1", 0.1, 0.6, tuple(scores), scores, {})


FEW = tuple(np.linspace(0.01, 0.5, 30).tolist())
MANY = tuple(np.linspace(0.02, 0.98, 320).tolist())


def test_each_set_that_is_large_enough_has_a_curve() -> None:
    """The others count among all together, which stand last."""
    told = calibration_curves(facts(png=FEW, jpeg=MANY))
    assert [(one.calibration_set, one.n) for one in told.curves] == [("jpeg", 320), ("pooled", 350)]
    assert told.model_version == "m1"


def test_a_curve_says_what_a_scan_of_that_score_would() -> None:
    """Rate and interval are those of ``Calibration``; scores fall, rates rise to all."""
    known, scores = Calibration({"jpeg": MANY}), {"jpeg": MANY}
    curve = calibration_curves(facts(**scores)).curves[0]
    for point in curve.points:
        stated = known.false_alarm_rate(point.score, "jpeg")
        assert (point.rate, tuple(point.ci95)) == (stated.rate, (stated.low, stated.high))
    assert [one.score for one in curve.points] == sorted({one.score for one in curve.points}, reverse=True)
    assert (curve.points[0].rate, curve.points[-1].rate) == (1 / 320, 1.0)


@pytest.mark.parametrize("size", [300, 1098, 5000])
def test_a_curve_has_48_points_and_those_where_a_verdict_turns(size: int) -> None:
    """As many for each power of ten of the rate; at one and at ten in a hundred both sides of the turn."""
    scores = tuple(np.linspace(0.02, 0.98, size).tolist())
    curve = calibration_curves(facts(jpeg=scores)).curves[0]
    ranks = {round(size ** (step / 47)) for step in range(48)}
    turns = {size // 100 - 1 if size % 100 < 99 else size // 100, size // 10 - 1 if size % 10 < 9 else size // 10}
    ranks |= {turn + beside for turn in turns for beside in (0, 1) if turn + beside}
    assert [round(one.rate * size) for one in curve.points] == sorted(ranks)


@pytest.mark.parametrize("size", [200, 209, 219, 1098])
def test_an_operating_point_is_where_the_verdict_turns(size: int) -> None:
    """Just above it the p-value is at most the stated share, at it no more."""
    scores = tuple(np.linspace(0.02, 0.98, size).tolist())
    known = Calibration({"jpeg": scores})
    manipulated, suspicious = calibration_curves(facts(jpeg=scores)).curves[0].operating_points
    for point, limit in ((manipulated, MANIPULATED_AT), (suspicious, SUSPICIOUS_AT)):
        assert point.above is not None
        above = known.false_alarm_rate(float(np.nextafter(point.above, 1)), "jpeg")
        assert above.p_value <= limit < known.false_alarm_rate(point.above, "jpeg").p_value
        assert (point.stated, point.rate, tuple(point.ci95)) == (limit, above.rate, (above.low, above.high))


def test_a_set_may_be_too_small_for_a_verdict() -> None:
    """Of fifty images none makes a p-value of one in a hundred."""
    (pooled,) = calibration_curves(facts(png=MANY[:50])).curves
    manipulated, suspicious = pooled.operating_points
    assert (manipulated.above, suspicious.above is None) == (None, False)


def test_the_shipped_model_has_its_curves() -> None:
    """As many images as it was calibrated with; the hardest of them, a curve of their own, are counted once."""
    shipped = read_facts(MODEL)
    told = calibration_curves(shipped)
    images = sum(len(some) for life, some in shipped.scores.items() if life != HARDEST)
    assert (told.model_version, told.curves[-1].n) == (shipped.version, images)
