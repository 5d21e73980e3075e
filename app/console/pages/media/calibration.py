"""The calibration tab: what the scores of this site's model are worth, by what happened last to a picture."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from app.capabilities.media.messages import CalibrationCurve, MediaCalibration, Scan
from app.console.language import number, tr
from app.console.pages.media.calibration_view import CalibrationView, ShownCurve
from app.console.pages.media.words import VERDICTS
from app.console.part import Host, Part
from app.console.widgets.rate_curve import RatePoint
from app.console.widgets.rate_scale import percent_words

POOLED = "pooled"
_LIVES = {
    POOLED: tr("of every kind"),
    "png": tr("stored without loss"),
    "jpeg": tr("compressed as JPEG"),
    "twice": tr("compressed as JPEG twice"),
    "filtered": tr("filtered as a whole"),
    "resized": tr("resized"),
    "hardest": tr("of photographs that score highest"),
    "others": tr("of other photographs and cameras"),
}


class CalibrationTab(Part):
    """Shows one set after the other, at first the one that the open scan was compared with."""

    every_s = 300.0

    view: CalibrationView

    def __init__(self, host: Host, open_scan: Callable[[], Scan | None]) -> None:
        """``open_scan``: the scan that the page shows."""
        super().__init__(host)
        self.view = CalibrationView(self.mark)
        self._open_scan = open_scan
        self._known: MediaCalibration | None = None
        self._of = ""
        self.view.chosen.connect(lambda _set: self._paint())

    def first_control(self) -> QWidget:
        return self.view.sets

    async def read(self) -> None:
        self._known = await self.session.client.media_calibration()

    def paint_all(self) -> None:
        scan = self._open_scan()
        known = self._known.curves if self._known is not None else []
        chosen = self.view.set_id or POOLED
        if scan is not None and scan.scan_id != self._of:
            # Another scan was opened meanwhile: what it was compared with comes first.
            self._of = scan.scan_id
            chosen = scan.false_alarm_rate.calibration_set if scan.false_alarm_rate else chosen
        self.view.show_sets([(one.calibration_set, _name(one)) for one in known], chosen)
        self._paint()

    def _paint(self) -> None:
        known = self._known
        curve = next((one for one in known.curves if one.calibration_set == self.view.set_id), None) if known else None
        if known is None or curve is None:
            self.view.show_curve(None)
            return
        self.view.show_curve(curve_words(curve, known, self._open_scan()))


def curve_words(curve: CalibrationCurve, known: MediaCalibration, scan: Scan | None) -> ShownCurve:
    """A set as the tab shows it. ``scan``: the open one."""
    lines = [
        tr(
            "{count:,} authentic pictures that were {life}; no training saw one of them.",
            count=curve.n,
            life=_life(curve.calibration_set),
        )
    ]
    turns = []
    for point in curve.operating_points:
        _, verdict = VERDICTS[point.verdict]
        if point.above is None:
            lines.append(
                tr(
                    "{verdict} by no score alone: the set is too small for {rate}.",
                    verdict=verdict,
                    rate=percent_words(point.stated),
                )
            )
            continue
        turns.append((point.above, point.rate))
        low, high = point.ci95
        lines.append(
            tr(
                "{verdict} above {score:.3f}: {rate} of them score higher (95 %: {low} to {high}).",
                verdict=verdict,
                score=point.above,
                rate=percent_words(point.rate),
                low=percent_words(low),
                high=percent_words(high),
            )
        )
    own = None
    if scan is not None and scan.score is not None and scan.false_alarm_rate is not None:
        rate = scan.false_alarm_rate
        if rate.calibration_set == curve.calibration_set:
            own = scan.score, rate.at_this_score
            lines.append(
                tr(
                    "The open scan, {score:.2f}, is met by {rate} of them.",
                    score=scan.score,
                    rate=percent_words(rate.at_this_score),
                )
            )
            if scan.model_version != known.model_version:
                lines.append(tr("It was judged by another model: its own rate holds, not this curve."))
        else:
            lines.append(
                tr("The open scan was compared with pictures that were {life}.", life=_life(rate.calibration_set))
            )
    lines.append(
        tr(
            "The band is the exact 95 % interval (Clopper and Pearson). Model {model}.",
            model=known.model_version,
        )
    )
    points = tuple(RatePoint(one.score, one.rate, one.ci95[0], one.ci95[1]) for one in curve.points)
    return ShownCurve(curve.calibration_set, _name(curve), points, tuple(turns), own, tuple(lines))


def _life(calibration_set: str) -> str:
    return _LIVES.get(calibration_set, calibration_set.replace("_", " "))


def _name(curve: CalibrationCurve) -> str:
    return f"{_life(curve.calibration_set)} ({number(curve.n, ',')})"
