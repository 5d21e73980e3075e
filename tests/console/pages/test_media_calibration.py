"""The calibration tab: what the shipped model's scores are worth, and the open scan among them."""

from __future__ import annotations

from typing import Any

import pytest

from app.capabilities.media.messages import CalibrationCurve, CalibrationPoint, MediaCalibration, OperatingPoint
from app.console.pages.media import MediaPresenter, make
from app.console.pages.media.calibration import curve_words
from app.console.session import WindowSession
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, on_screen
from tests.console.pages.media_scans import manipulated

CURVE = CalibrationCurve(
    calibration_set="jpeg_high",
    n=1200,
    points=[
        CalibrationPoint(score=0.9, rate=0.01, ci95=[0.005, 0.02]),
        CalibrationPoint(score=0.1, rate=1, ci95=[1, 1]),
    ],
    operating_points=[
        OperatingPoint(verdict="MANIPULATED", stated=0.01, above=None, rate=0, ci95=[0, 0.003]),
        OperatingPoint(verdict="SUSPICIOUS", stated=0.1, above=0.512, rate=0.099, ci95=[0.083, 0.117]),
    ],
)
KNOWN = MediaCalibration(model_version="m1-abc", curves=[CURVE])


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> MediaPresenter:
    """The page at the size of the design."""
    session.clearance = "citadel"
    presenter = make(session)
    on_screen(presenter, "media", session, qtbot)
    return presenter


def test_the_shipped_calibration_is_shown(page: MediaPresenter, connect: Connect, run: Run) -> None:
    """Each set with its number of images, and where each verdict turns; another one at a choice."""

    async def work() -> None:
        async with connect(page) as client:
            told = await client.media_calibration()
            page.enter({"section": "calibration"})
            view = page.calibration.view
            await until(lambda: view.sets.count() == len(told.curves), "the sets")
            assert view.set_id == "pooled"
            for at, curve in enumerate(told.curves):
                view.sets.setCurrentIndex(at)
                assert f"{curve.n:,} authentic pictures" in view.words.text()
                turn = next(one for one in curve.operating_points if one.verdict == "SUSPICIOUS")
                assert f"Suspicious above {turn.above:.3f}" in view.words.text()
            assert view.stack.currentWidget() is view.curve
            assert view.curve.accessibleDescription() == view.words.text().replace("\n\n", " ")

    run(work())


def test_the_open_scan_stands_on_the_curve_that_it_was_compared_with() -> None:
    """With the rate that its own report states, and on no other."""
    own = curve_words(CURVE, KNOWN, manipulated())
    assert own.own == (0.71, 0.04)
    assert "The open scan, 0.71, is met by 4 % of them." in own.lines
    other = curve_words(CURVE, KNOWN, manipulated(false_alarm_rate=None))
    assert other.own is None
    before = curve_words(CURVE, KNOWN, manipulated(model_version="m0"))
    assert any("another model" in line for line in before.lines)


def test_a_set_that_is_too_small_says_so() -> None:
    """No score of it makes a verdict, and none is drawn."""
    shown = curve_words(CURVE, KNOWN, None)
    assert shown.lines[1] == "Manipulated by no score alone: the set is too small for 1 %."
    assert shown.turns == ((0.512, 0.099),)
