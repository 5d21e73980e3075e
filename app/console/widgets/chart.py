"""A chart over clock time: legend with values, tools, what the selection says, and the plot or its table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from app.console import theme
from app.console.clock import clock_time, utc_time
from app.console.language import tr
from app.console.moments import api_time
from app.console.theme import icons
from app.console.widgets.buttons import plain_button
from app.console.widgets.chart_data import NO_SAMPLE, Lines, change_words, rows_between
from app.console.widgets.chart_plot import ChartEvent, Plot, Series
from app.console.widgets.chart_range import TimeRange
from app.console.widgets.desk import desk_of
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.taking_away import take_away
from app.console.widgets.text import ElidedLabel, label

TOOLS_FROM = 520
"""Width, px at 100 % text, from which the tools stand in the head; a narrower chart has them in its menu alone."""
GAP_STEPS = 2.5


class TwinRow(NamedTuple):
    """A time of the chart's table and the values at it, in the order of the series."""

    at: float
    values: tuple[float | None, ...]


class LegendLine(QWidget):
    """A short piece of the line as it is drawn, for the legend."""

    def __init__(self, series: Series) -> None:
        super().__init__()
        self._series = series
        self.setFixedSize(22, 12)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        pen = QPen(QColor(getattr(theme.current(), self._series.colour)), 2)
        if self._series.dash:
            pen.setDashPattern([3, 2])
        painter.setPen(pen)
        painter.drawLine(0, self.height() // 2, self.width(), self.height() // 2)


class ToolButton(QPushButton):
    """An icon alone; its words are its name and tooltip."""

    def __init__(self, icon: str, words: str) -> None:
        super().__init__()
        self._icon = icon
        self.setProperty("role", "quiet")
        self.setAccessibleName(words)
        self.setToolTip(words)
        self._dress()

    def _dress(self) -> None:
        tokens = theme.current()
        self.setIconSize(QSize(theme.px(16), theme.px(16)))
        self.setIcon(icons.icon(self._icon, tokens.text, size=theme.px(16), disabled=tokens.idle))
        self.setFixedWidth(theme.px(34))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self._dress()
        super().changeEvent(event)


class TimeChart(QWidget):
    """Series over time. ``span`` is shared by all charts of a page: they zoom, pan, select and point together.

    ``set_data`` takes Unix seconds and values, one each ``step`` seconds; call it at most 5 times a second. ``log``:
    the axis is logarithmic while values are far apart: one slow answer does not flatten all others. Drag zooms,
    double click goes out, Shift-drag pans, Ctrl-drag selects; the keys are ``Plot.keyPressEvent``'s. ``tells``: it says
    itself what changed in a selection; without, the page does.
    """

    def __init__(
        self,
        series: Sequence[Series],
        *,
        unit: str,
        name: str,
        log: bool = False,
        span: TimeRange | None = None,
        tells: bool = True,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._series = list(series)
        self._unit = unit
        self._name = name
        self._tells = tells
        self.setAccessibleName(name)
        self.range = TimeRange(self) if span is None else span
        self.plot = Plot(self._series, unit, self.range, log=log)
        self.plot.setAccessibleName(name)
        self.plot.installEventFilter(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        head = QHBoxLayout()
        head.setSpacing(6)
        column.addLayout(head)
        self.legend: dict[str, QLabel] = {}
        self._legend_row = QHBoxLayout()
        self._legend_row.setSpacing(6)
        head.addLayout(self._legend_row)
        self._legend_parts: list[QWidget] = []
        self._fill_legend()
        head.addStretch(1)
        self.readout = label("", "small")
        head.addWidget(self.readout)
        self.out = plain_button(tr("Zoom out"), lambda: self.range.zoom_to(None))
        self.out.setProperty("role", "quiet")
        self.out.hide()
        head.addWidget(self.out)
        self._tools = QWidget()
        tools = QHBoxLayout(self._tools)
        tools.setContentsMargins(0, 0, 0, 0)
        tools.setSpacing(2)
        self.as_table = ToolButton("table-2", tr("{name} as a table", name=name))
        self.as_table.setCheckable(True)
        self.as_table.toggled.connect(self.show_table)
        self.copy = ToolButton("copy", tr("Copy {name} as a picture", name=name))
        self.copy.clicked.connect(self.copy_picture)
        self.save = ToolButton("download", tr("Save {name} as CSV", name=name))
        self.save.clicked.connect(self.save_values)
        for button in (self.as_table, self.copy, self.save):
            tools.addWidget(button)
        head.addWidget(self._tools)
        self._selected = QWidget()
        chosen = QHBoxLayout(self._selected)
        chosen.setContentsMargins(0, 0, 0, 0)
        self.change = ElidedLabel()
        chosen.addWidget(self.change, 1)
        chosen.addWidget(plain_button(tr("Zoom"), self.zoom_selection))
        chosen.addWidget(plain_button(tr("Clear"), lambda: self.range.select(None)))
        self._selected.hide()
        column.addWidget(self._selected)
        self._twin: DataTable | None = None
        self._twin_rows: RowsModel[TwinRow] | None = None
        room = QWidget()
        self._stack = QStackedLayout(room)
        self._stack.addWidget(self.plot)
        column.addWidget(room, 1)
        self.range.changed.connect(self._take_range)
        self.range.pointed.connect(self._read_out)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def _fill_legend(self) -> None:
        """Say of each series how it is drawn, the most important one first: that is drawn last, on top."""
        take_away(self._legend_row, self._legend_parts)
        self._legend_parts, self.legend = [], {}
        for entry in reversed(self._series):
            words = label(entry.name, "small")
            words.setContentsMargins(0, 0, 6, 0)
            self.legend[entry.name] = words
            for part in (LegendLine(entry), words):
                self._legend_row.addWidget(part)
                self._legend_parts.append(part)

    def set_series(self, series: Sequence[Series], unit: str, *, counts: bool = False) -> None:
        """Show other series, the most important one last, in another unit; ``counts``: whole numbers on an even axis,
        which has a zero. ``set_data`` follows: until then there is nothing to show."""
        if (list(series), unit, counts) == (self._series, self._unit, self.plot.counts):
            return
        twin = self.as_table.isChecked()
        self.show_table(False)
        if self._twin is not None:
            self._stack.removeWidget(self._twin)
            self._twin.deleteLater()
            self._twin = self._twin_rows = None
        self._series, self._unit = list(series), unit
        self.plot.set_series(self._series, unit, counts=counts)
        self._fill_legend()
        self.show_table(twin)

    def set_data(self, data: Lines, *, start: float, end: float, step: float, holds: bool = False) -> None:
        """Show these values between Unix times ``start`` and ``end``; NaN breaks a line. ``holds``: a value is of the
        whole step from its time on. A gap of more than 2.5 steps (1.5 where values hold) is hatched. A zoom, a
        selection and a crosshair of what is no longer there are taken away."""
        self.plot.set_lines(data, (start, end), step, (1.5 if holds else GAP_STEPS) * step, holds=holds)
        span = self.range
        if span.at is not None and not start <= span.at <= end:
            span.point(None)
        if span.zoom is not None and (span.zoom[1] <= start or span.zoom[0] >= end):
            span.zoom_to(None)
        if span.selection is not None and (span.selection[1] <= start or span.selection[0] >= end):
            span.select(None)
        self._read_out()
        self._tell_selection()
        self._fill_twin()

    def set_goal(self, goal: float | None) -> None:
        """Draw the goal, or none."""
        if goal != self.plot.goal:
            self.plot.goal = goal
            self.plot.renew()

    def set_events(self, events: Sequence[ChartEvent]) -> None:
        """Show what happened beside the values."""
        ordered = sorted(events, key=lambda one: one.at)
        if ordered != self.plot.events:
            self.plot.events = ordered
            self.plot.renew()

    def _take_range(self) -> None:
        self.out.setVisible(self.range.zoom is not None)
        self._tell_selection()
        self._fill_twin()

    def _read_out(self) -> None:
        """Say at each series what was measured at the time of the crosshair, or without one what was measured last; and
        the time, where the plot has no room for it."""
        at = self.range.at
        for name, value in (self._newest() if at is None else self.plot.values_at(at)).items():
            self.legend[name].setText(name + ("  –" if value is None else f"  {self.plot.figure(value)} {self._unit}"))
        if at is None:
            self.readout.setText("")
            return
        nothing = all(value is None for value in self.plot.values_at(at).values())
        words = f"{clock_time(at)}   {NO_SAMPLE}" if nothing else clock_time(at)
        self.readout.setText("" if self.plot.reads_out else words)
        self.readout.setToolTip(utc_time(at))
        if self.plot.hasFocus():
            self.plot.setAccessibleDescription(self.words_at(at))

    def _newest(self) -> dict[str, float | None]:
        found: dict[str, float | None] = dict.fromkeys(self.legend)
        for name in self.legend:
            if name in self.plot.lines:
                y = self.plot.lines[name][1]
                good = np.flatnonzero(np.isfinite(y))
                found[name] = float(y[good[-1]]) if len(good) else None
        return found

    def words_at(self, at: float) -> str:
        """What the crosshair reads out, for who hears the chart."""
        values = self.plot.values_at(at)
        said = (f"{name} {self._value_words(value)}" for name, value in values.items())
        return f"{clock_time(at)}: {', '.join(said)}"

    def _value_words(self, value: float | None) -> str:
        return NO_SAMPLE if value is None else f"{self.plot.figure(value)} {self._unit}"

    def summary(self) -> str:
        """The chart in words: span, newest values, gaps, goal, events."""
        start, end = self.plot.shown
        found = self._newest().items()
        newest = [f"{name} {self._value_words(value)}" for name, value in found if value is not None]
        gaps = len(self.plot.gaps())
        events = [f"{clock_time(one.at)} {one.word}" for one in self.plot.events if start <= one.at <= end]
        parts = [
            tr("{start} to {end}", start=clock_time(start), end=clock_time(end)),
            tr("newest {newest}", newest=", ".join(newest)) if newest else tr("no sample"),
            (tr("1 gap") if gaps == 1 else tr("{count} gaps", count=gaps)) if gaps else "",
            tr("goal {goal:g} {unit}", goal=self.plot.goal, unit=self._unit) if self.plot.goal is not None else "",
            tr("events {events}", events=", ".join(events)) if events else "",
        ]
        return tr("{parts}. Left and Right move the crosshair.", parts="; ".join(part for part in parts if part))

    # --- the selection -----------------------------------------------------------------------------------------------

    def _tell_selection(self) -> None:
        """Say in a sentence what changed in the selection."""
        chosen = self.range.selection
        self._selected.setVisible(chosen is not None and self._tells)
        if chosen is None or not self._series or not self._tells:
            return
        # The last series is the first one of the legend's order of importance: p50 stands last, on top of the others.
        name = self._series[-1].name
        lines = self.plot.lines.get(name)
        said = change_words(name, *lines, chosen, self._unit) if lines is not None else ""
        words = tr(
            "{start} to {end}: {said}",
            start=clock_time(chosen[0]),
            end=clock_time(chosen[1]),
            said=said,
        )
        self.change.setText(words)
        self.change.setAccessibleName(words)

    def zoom_selection(self) -> None:
        """Show no more than what is selected."""
        if self.range.selection is not None:
            self.plot.zoom(self.range.selection)
            self.range.select(None)

    # --- the table ---------------------------------------------------------------------------------------------------

    def show_table(self, on: bool) -> None:
        """Show the values as a table, newest first, or the plot."""
        if on and self._twin is None:
            columns: list[Column[TwinRow]] = [
                Column(tr("TIME"), lambda row: clock_time(row.at), 90, mono=True, hint=lambda row: utc_time(row.at)),
                *(self._value_column(at, one.name) for at, one in enumerate(self._series)),
            ]
            self._twin_rows = RowsModel(columns, lambda row: f"{row.at:.3f}")
            self._twin = DataTable(self._twin_rows, name=tr("{name}, values", name=self._name))
            self._stack.addWidget(self._twin)
        if self._twin is not None:
            self._stack.setCurrentWidget(self._twin if on else self.plot)
            self._fill_twin()
        self.as_table.setChecked(on)

    def _value_column(self, at: int, name: str) -> Column[TwinRow]:
        def words(row: TwinRow) -> str:
            value = row.values[at]
            return NO_SAMPLE if value is None else self.plot.figure(value)

        return Column(f"{name} {self._unit}", words, 110, right=True)

    def _fill_twin(self) -> None:
        if self._twin_rows is not None and self._stack.currentWidget() is self._twin:
            self._twin_rows.set_rows([TwinRow(at, tuple(values)) for at, values in reversed(self._rows())])

    def _rows(self) -> list[tuple[float, list[float | None]]]:
        return rows_between(self.plot.lines, [one.name for one in self._series], *self.plot.shown)

    # --- tools -------------------------------------------------------------------------------------------------------

    def copy_picture(self) -> None:
        """Put the chart as it is seen on the clipboard, where programs take it as PNG."""
        self._tools.hide()
        picture = self.grab()
        self._show_tools()
        QGuiApplication.clipboard().setPixmap(picture)
        if (desk := desk_of(self)) is not None:
            desk.say(tr("The chart is on the clipboard as a picture."))

    def save_values(self) -> None:
        """Ask where a CSV file goes, and write the values of what is shown: a line a time, in UTC."""
        desk = desk_of(self)
        if desk is None:
            return
        rows = self._rows()
        lines = ([api_time(at), *("" if value is None else f"{value:.6g}" for value in values)] for at, values in rows)
        desk.save_lines(self._name, ["time", *(f"{one.name} {self._unit}" for one in self._series)], lines, len(rows))

    def menu(self) -> QMenu:
        """Zoom, table, picture, file."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setAccessibleName(tr("Menu of {name}", name=self._name))
        menu.addAction(tr("Zoom out\tBackspace"), lambda: self.range.zoom_to(None)).setEnabled(
            self.range.zoom is not None
        )
        twin = menu.addAction(tr("Show as a table"), lambda: self.show_table(not self.as_table.isChecked()))
        twin.setCheckable(True)
        twin.setChecked(self.as_table.isChecked())
        menu.addAction(tr("Copy as a picture"), self.copy_picture)
        menu.addAction(tr("Save the values as CSV"), self.save_values).setEnabled(desk_of(self) is not None)
        return menu

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        keys = event.reason() == QContextMenuEvent.Reason.Keyboard
        self.menu().popup(self.plot.mapToGlobal(QPoint(8, 8)) if keys else event.globalPos())
        event.accept()

    def eventFilter(self, watched: QWidget, event: QEvent) -> bool:  # type: ignore[override]  # the plot alone
        if isinstance(event, QFocusEvent) and event.gotFocus() and watched is self.plot:
            self.plot.setAccessibleDescription(self.summary())
        return super().eventFilter(watched, event)

    def _show_tools(self) -> None:
        self._tools.setVisible(self.width() >= theme.px(TOOLS_FROM))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_tools()
