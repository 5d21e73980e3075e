"""The curve of errors: what is said between measured settings, and where nothing was measured."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.console.widgets.error_curve import ErrorCurve, ErrorCurvePoint, rates_at

POINTS = (ErrorCurvePoint(0.0, 0.001, 0.4), ErrorCurvePoint(0.5, 0.011, 0.2), ErrorCurvePoint(1.0, 0.5, 0.01))


@pytest.mark.parametrize(
    ("setting", "accepted", "refused"),
    [(0.0, 0.001, 0.4), (0.25, 0.006, 0.3), (0.5, 0.011, 0.2), (0.75, 0.2555, 0.105), (1.0, 0.5, 0.01)],
)
def test_between_two_measured_settings_a_line_is_drawn(setting: float, accepted: float, refused: float) -> None:
    """At a measured one it is what was measured."""
    found = rates_at(POINTS, setting)
    assert (found.accepted, found.refused) == pytest.approx((accepted, refused))


def test_beyond_the_ends_nothing_is_drawn_on() -> None:
    """The last measured rates hold."""
    assert rates_at(POINTS[1:], 0.2).accepted == pytest.approx(0.011)
    assert rates_at(POINTS[:1], 0.9).refused == pytest.approx(0.4)


def test_without_a_measurement_there_is_no_rate() -> None:
    """None is made up."""
    with pytest.raises(ValueError, match="no rates"):
        rates_at((), 0.5)


def test_the_curve_says_its_rates(application: QApplication, qtbot: Any) -> None:
    """And "under" where there were too few trials."""
    curve = ErrorCurve("strangers", "the person", name="Errors")
    qtbot.addWidget(curve)
    assert curve.accessibleName() == "Errors: nothing was measured"
    curve.set_points(POINTS, 0.005)
    assert curve.accessibleName() == "Errors: strangers under 0.5 %, the person 40 %"
    curve.set_setting(0.5)
    assert curve.accessibleName() == "Errors: strangers 1.1 %, the person 20 %"
    curve.resize(300, 160)
    assert not curve.grab().isNull()
