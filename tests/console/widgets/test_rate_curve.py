"""The curve of a calibration: what is painted where."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtGui import QColor

from app.console import theme
from app.console.widgets.rate_curve import RateCurve, RatePoint
from app.console.widgets.rate_scale import RateLimit

POINTS = (RatePoint(0.2, 1.0, 0.99, 1.0), RatePoint(0.5, 0.1, 0.05, 0.2), RatePoint(0.8, 0.001, 0.0003, 0.005))


@pytest.fixture
def curve(qtbot: Any) -> RateCurve:
    """A curve of three scores."""
    made = RateCurve((RateLimit(0.01, "Manipulated"),), name="Rates")
    qtbot.addWidget(made)
    made.resize(600, 400)
    made.show()
    made.show_curve(POINTS, (), None, "words")
    return made


def shade(curve: RateCurve, score: float, rate: float) -> QColor:
    """What stands at a score and a rate."""
    return QColor(curve.grab().toImage().pixelColor(curve._spot(score, rate).toPoint()))


def test_the_band_lies_between_the_ends_of_the_interval(curve: RateCurve) -> None:
    """Tinted within, plain outside."""
    plain = shade(curve, 0.65, 0.0005)
    assert shade(curve, 0.65, 0.15) != plain
    assert shade(curve, 0.65, 0.03) == plain
    assert shade(curve, 0.65, 0.4) == plain


def test_between_two_scores_the_rate_is_that_of_the_lower_one(curve: RateCurve) -> None:
    """The true one is no higher."""
    assert shade(curve, 0.65, 0.1).name() == theme.current().accent.lower()


def test_a_score_of_ones_own_is_marked(curve: RateCurve) -> None:
    """A line from top to foot, and a ring at its rate."""
    before = shade(curve, 0.35, 0.0004)
    curve.show_curve(POINTS, (), (0.35, 0.3))
    assert shade(curve, 0.35, 0.0004) != before


def test_a_rate_of_nothing_stands_at_the_foot(curve: RateCurve) -> None:
    """A logarithm has no place for it."""
    assert curve._spot(0.5, 0.0) == curve._spot(0.5, 0.0001)


def test_who_does_not_see_it_hears_it(curve: RateCurve) -> None:
    """All in words."""
    assert (curve.accessibleName(), curve.accessibleDescription()) == ("Rates", "words")
    curve.show_curve((), (), None)
    assert curve.accessibleDescription() == "nothing is known"
