"""One scan: verdict, source beside heatmap, what was found, how far to trust it, where it comes from, and the list,
which stands beside the rest in a wide page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QSlider,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.console import theme
from app.console.actions import ActionTable
from app.console.language import tr
from app.console.pages.media.origin import ORIGIN
from app.console.pages.media.pictures import ScanPictures
from app.console.pages.media.places_view import PlacesList
from app.console.pages.media.scan_list import ScanList
from app.console.pages.media.shown import ShownFinding, ShownScan
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import NOTHING_BESIDE_BELOW, UNBOUNDED, lay
from app.console.widgets.buttons import ActionButton, plain_button
from app.console.widgets.drop_area import DropGround
from app.console.widgets.empty import EmptyState
from app.console.widgets.facts import Facts
from app.console.widgets.heat_legend import HeatLegend
from app.console.widgets.hero import StateHero
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.picture_view import PictureAim, PictureView
from app.console.widgets.rate_scale import RateLimit, RateScale
from app.console.widgets.scroller import scroller
from app.console.widgets.side import Side
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label
from app.console.widgets.third_column import ThirdColumn
from app.console.widgets.timeline import TimelineStrip
from app.console.widgets.wrap_row import WrapRow

LIMITS = (RateLimit(0.01, tr("Manipulated")), RateLimit(0.10, tr("Suspicious")))
"""Up to which false-alarm rate a score alone decides."""
READING = tr("The picture stands here once it is read.")
OPACITY = 75
"""Of the heatmap at first, percent."""
LOW = 244
"""Height of the panels below the pictures, px at 100 % text."""


class ScanView(DropGround):
    """``row_chosen`` gives the id of a scan of the list, ``place_chosen`` that of a place, ``layer_chosen`` that of a
    layer."""

    row_chosen = Signal(str)
    place_chosen = Signal(str)
    layer_chosen = Signal(str)
    more = Signal()
    """The list nears its end."""

    def __init__(self, table: ActionTable, mark: StateMark) -> None:
        super().__init__()
        self._scan: ShownScan | None = None
        self._chosen = ""
        self._all = False
        """Whether the weaker places are numbered and listed, too."""
        self._shown_layers: tuple[tuple[str, str], ...] = ()
        inside = QWidget()
        area = scroller(inside, sideways=True)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 12, 0, 0)
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        self.ask = self._address(table)
        hero, pictures, findings = self._verdict(table), self._pictures(table), self._findings()
        column.addWidget(hero)
        self._middle = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        column.addLayout(self._middle, 1)
        self._middle.setSpacing(16)
        self._middle.addWidget(pictures, 1)
        self._side = Side(336, 280)
        self._side.column.addWidget(findings, 1)
        self._middle.addWidget(self._side)
        column.addLayout(self._below(mark))
        self.third = ThirdColumn(area, self.list, self._row_below, stretch=4)
        self.third.moved.connect(lambda _beside: self._fit())
        outer.addWidget(self.third)
        bars = area.verticalScrollBar(), area.horizontalScrollBar()
        self._grounds = (*bars, hero, pictures, findings, *self._below_pictures, self.list)
        self._fit()
        self.show_scan(None)

    def grounds(self) -> Sequence[QWidget]:
        """What wears the look by itself: each panel."""
        return self._grounds

    def _fit(self) -> None:
        """Lengths that follow the text scale; where nothing has room beside something, what was found stands below the
        pictures, and one button below the other."""
        below = self.width() < theme.px(NOTHING_BESIDE_BELOW)
        for parts in (self._middle, self._buttons):
            lay(parts, across=not below)
        self._side.spread(below)
        for panel in self._below_pictures:
            panel.setFixedHeight(theme.px(LOW))
        # Beside the rest the list is as high as the page.
        self.list.setMinimumHeight(0 if self.third.beside else theme.px(LOW))
        self.list.setMaximumHeight(UNBOUNDED if self.third.beside else theme.px(LOW))
        for view in (self.source, self.heat):
            view.setMinimumHeight(theme.px(200))
        self.opacity.setFixedWidth(theme.px(110))
        self.layer.setMinimumWidth(theme.px(160))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_below_pictures"):
            self._fit()
        super().changeEvent(event)

    # --- parts -------------------------------------------------------------------------------------------------------

    def _address(self, table: ActionTable) -> QWidget:
        """The field of an address, and the button for files; the page puts it beside its tabs."""
        made = QWidget()
        row = QHBoxLayout(made)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        self.address = QLineEdit()
        self.address.setAccessibleName(tr("Address of a picture or video"))
        self.address.setPlaceholderText(tr("Address of a picture or video, or drop files"))
        self.address.setClearButtonEnabled(True)
        self.address.returnPressed.connect(lambda: table.trigger("media.ask"))
        self.address.textChanged.connect(lambda _text: table.refresh())
        row.addWidget(self.address, 1)
        # A text of its own: the scan and to scan are one word in English alone.
        row.addWidget(ActionButton(table, "media.ask", text=tr("Scan{address}", address=""), role="primary"))
        row.addWidget(ActionButton(table, "media.files", text=tr("Files…")))
        return made

    def _verdict(self, table: ActionTable) -> StateHero:
        """The line that is read first, with what is done with a result."""
        self.hero = StateHero(name=tr("Verdict"))
        self._buttons = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self.hero.row.addLayout(self._buttons)
        self._buttons.setSpacing(8)
        self._reports = [
            ActionButton(table, "media.enforce", text=tr("Enforce…")),
            ActionButton(table, "media.paper", text=tr("Report (PDF)")),
            ActionButton(table, "media.bundle", text=tr("Signed bundle")),
        ]
        for button in self._reports:
            self._buttons.addWidget(button)
        return self.hero

    def _pictures(self, table: ActionTable) -> TitledPanel:
        """Source and heatmap, what steers them, and the strip of a recording."""
        panel = TitledPanel(tr("Picture"), padding=12)
        panel.title.hide()
        head = QHBoxLayout()
        self.title = label("", "heading")
        self.facts = label("", "dim", wrap=True)
        self.zoom = label("", "dim")
        self.zoom.setToolTip(tr("Size of the picture here against its own. Both views move together."))
        head.addWidget(self.title)
        head.addWidget(self.facts, 1)
        head.addWidget(self.zoom)
        self.stop = ActionButton(table, "media.stop_shown", role="quiet", bare=True)
        self.again = ActionButton(table, "media.again", role="quiet", bare=True)
        head.addWidget(self.stop)
        head.addWidget(self.again)
        panel.body.addLayout(head)
        self.aim = PictureAim(self)
        self.source = PictureView(self.aim, name=tr("Source"))
        self.heat = PictureView(self.aim, name=tr("Heatmap"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        self.layer_words = label("", "small")
        self.source_words = label("", "small")
        for at, (view, name, note) in enumerate(
            ((self.source, tr("Source"), self.source_words), (self.heat, tr("Heatmap"), self.layer_words))
        ):
            title = QHBoxLayout()
            title.addWidget(label(name))
            title.addStretch(1)
            title.addWidget(note)
            grid.addLayout(title, 0, at)
            grid.addWidget(view, 1, at)
            grid.setColumnStretch(at, 1)
            view.place_chosen.connect(self.place_chosen)
        grid.setRowStretch(1, 1)
        panel.body.addLayout(grid, 1)
        self.aim.moved.connect(self._tell_zoom)
        self.strip = TimelineStrip(name=tr("The recording"))
        panel.body.addWidget(self.strip)
        self.span_words = label("", "small", wrap=True)
        self.strip.chosen.connect(lambda _at: self._tell_span())
        panel.body.addWidget(self.span_words)
        panel.body.addLayout(self._steering())
        return panel

    def _steering(self) -> WrapRow:
        """What the colours say, how strongly they cover, and which map it is."""
        self.opacity = QSlider(Qt.Orientation.Horizontal)
        self.opacity.setAccessibleName(tr("Opacity of the heatmap"))
        self.opacity.setRange(0, 100)
        self.opacity.setPageStep(25)
        self.opacity.valueChanged.connect(lambda percent: self.heat.set_opacity(percent / 100))
        self.opacity.setValue(OPACITY)
        self.layer = QComboBox()
        self.layer.setAccessibleName(tr("Layer of the heatmap"))
        self.layer.currentIndexChanged.connect(lambda _at: self.layer_chosen.emit(self.layer_id))
        row = WrapRow()
        row.addWidget(_line(HeatLegend(tr("as the rest"), tr("different"), tr("not judged"))))
        row.addWidget(_line(label(tr("Opacity"), "dim"), self.opacity))
        row.addWidget(_line(label(tr("Layer"), "dim"), self.layer))
        return row

    def _findings(self) -> TitledPanel:
        """The places with their evidence, and what every detector says."""
        panel = TitledPanel(tr("What was found"), padding=8)
        panel.title.hide()
        self.places = PlacesList()
        self.places.chosen.connect(self.place_chosen)
        self.no_places = EmptyState(
            "search", tr("No place is marked."), tr("Places that differ from the rest stand here.")
        )
        self.places_stack = Stack(120)
        self.places_stack.addWidget(self.places)
        self.places_stack.addWidget(self.no_places)
        self.weaker = plain_button("", self.turn_weaker)
        self.weaker.setProperty("role", "quiet")
        self.looked = label("", "small", wrap=True)
        found = QWidget()
        below = QVBoxLayout(found)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(4)
        below.addWidget(self.places_stack, 1)
        below.addWidget(self.weaker, 0, Qt.AlignmentFlag.AlignLeft)
        below.addWidget(self.looked)
        columns: list[Column[ShownFinding]] = [
            Column(tr("DETECTOR"), lambda row: row.name, hint=lambda row: row.explanation, least=110),
            Column(tr("RESULT"), lambda row: row.word, 130, state=lambda row: row.state,
                   hint=lambda row: row.explanation),
        ]  # fmt: skip
        self.findings = RowsModel(columns, lambda row: row.detector)
        self.findings_table = DataTable(self.findings, name=tr("What each detector says"))
        self.findings_table.selected.connect(lambda _row: self._tell_finding())
        self.finding_words = label("", "small", wrap=True, selectable=True)
        checks = QWidget()
        column = QVBoxLayout(checks)
        column.setContentsMargins(0, 8, 0, 0)
        column.addWidget(self.findings_table, 1)
        column.addWidget(self.finding_words)
        self.found_tabs = QTabWidget()
        self.found_tabs.setDocumentMode(True)
        self.found_tabs.tabBar().setDrawBase(False)
        self.found_tabs.setAccessibleName(tr("What was found"))
        self.found_tabs.tabBar().setAccessibleName(tr("Places or detectors"))
        self.found_tabs.addTab(found, tr("Places"))
        self.found_tabs.addTab(checks, tr("Detectors"))
        panel.body.addWidget(self.found_tabs, 1)
        return panel

    def _below(self, mark: StateMark) -> QHBoxLayout:
        """How far to trust it, where it comes from, and the scans of this site."""
        self._row_below = row = QHBoxLayout()
        row.setSpacing(16)
        trust = TitledPanel(tr("How far to trust it"), padding=12)
        self.rate = RateScale(LIMITS, name=tr("False-alarm rate"))
        self.rate_words = label("", "", wrap=True)
        self.trust_words = label("", "small", wrap=True)
        words = QWidget()
        column = QVBoxLayout(words)
        column.setContentsMargins(0, 0, 8, 0)
        column.addWidget(self.rate_words)
        column.addWidget(self.trust_words)
        column.addStretch(1)
        trust.body.addWidget(self.rate)
        trust.body.addWidget(scroller(words, tr("How far to trust it")), 1)
        origin = TitledPanel(tr("Where it comes from"), padding=12)
        self.no_origin = label(tr("What a file says of its own past stands here."), "dim", wrap=True)
        origin.body.addWidget(self.no_origin)
        self.origin = Facts(ORIGIN)
        origin.body.addWidget(scroller(self.origin, tr("Where it comes from")), 1)
        self.list = ScanList(mark)
        self.list.chosen.connect(self.row_chosen)
        self.list.more.connect(self.more)
        for panel, share in ((trust, 4), (origin, 3)):
            row.addWidget(panel, share)
        self._below_pictures = (trust, origin)
        return row

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_closed(self) -> None:
        """The key of this console may not see scans."""
        self.address.setEnabled(False)
        self.hero.set(
            Meaning.IDLE,
            tr("Closed"),
            tr("Scans need a Citadel key."),
            tr("This console's key is a Sovereign one; use another."),
        )
        self.list.show_closed()

    def show_scan(self, scan: ShownScan | None, chosen: str = "") -> None:
        """Show a scan with the place ``chosen``; None before the first."""
        new = scan is None or self._scan is None or scan.scan_id != self._scan.scan_id
        self._scan = scan
        if new:
            self._all = False
            self.aim.reset()
            # The picture of another scan must not stand below this one's name.
            self.show_pictures(ScanPictures(missing=READING if scan else ""))
        for button in self._reports:
            button.setVisible(scan is not None and bool(scan.findings))
        if scan is None:
            self._show_nothing()
            self.stop.hide()
            self.again.hide()
            return
        verdict = scan.verdict
        self.hero.set(verdict.state, verdict.word, verdict.sentence, verdict.detail)
        self.title.setText(scan.title)
        self.facts.setText(scan.facts)
        self.source_words.setText(tr("shown {turn}", turn=scan.turn) if scan.turn else tr("as it was sent"))
        self.show_chosen(chosen)
        self.looked.setText("\n".join(scan.looked))
        self.looked.setVisible(bool(scan.looked))
        self.no_places.say(*_nothing_words(scan))
        self.places_stack.setCurrentWidget(self.places if scan.places else self.no_places)
        found = sum(not one.face for one in scan.places)
        faces = len(scan.places) - found
        self.found_tabs.setTabText(
            0,
            tr("Places ({count})", count=found)
            if found
            else tr("Faces ({count})", count=faces)
            if faces
            else tr("Places"),
        )
        fired = sum(one.fired for one in scan.findings)
        self.found_tabs.setTabText(
            1,
            tr("Detectors ({fired} of {count})", fired=fired, count=len(scan.findings))
            if scan.findings
            else tr("Detectors"),
        )
        self.findings.set_rows(scan.findings)
        self._tell_finding()
        self._show_layers(scan)
        self._show_trust(scan)
        self.strip.setVisible(bool(scan.length_s))
        self.strip.set_spans(scan.length_s, scan.spans)
        self._tell_span()
        for key, value in scan.origin:
            self.origin.set(key, value)
        self.origin.show_told()
        self.no_origin.hide()

    def _show_nothing(self) -> None:
        """Before the first scan the page says what it is for."""
        self.hero.set(
            Meaning.IDLE, tr("No scan"), tr("Give an address or drop a file."),
            tr(
                "A scan tells where a picture or video differs from itself, and how often untouched ones "
                "look the same."),
        )  # fmt: skip
        self.title.setText("")
        self.facts.setText("")
        self.source_words.setText("")
        self.found_tabs.setTabText(0, tr("Places"))
        self.found_tabs.setTabText(1, tr("Detectors"))
        self.no_places.say(tr("No place is marked."), tr("Places that differ from the rest stand here."))
        for view in (self.source, self.heat):
            view.set_picture(None, tr("The source and its heatmap stand here."))
            view.set_maps(None, None)
            view.set_places((), "")
        self.places.show_places((), "")
        self.places_stack.setCurrentWidget(self.no_places)
        self.weaker.hide()
        self.looked.hide()
        self.findings.set_rows(())
        self.rate.set(None)
        self.rate_words.setText("")
        self.trust_words.setText(tr("A score is worth what its false-alarm rate says, never more."))
        self.strip.hide()
        self.span_words.hide()
        self.origin.clear()
        self.origin.show_told()
        self.no_origin.show()
        self._show_layers(None)

    def _show_layers(self, scan: ShownScan | None) -> None:
        """The layers that the scan has; the chosen one stays where it is among them."""
        layers = tuple((one.id, one.name) for one in scan.layers) if scan else ()
        self.layer.setEnabled(bool(layers))
        if layers == self._shown_layers:
            return
        self._shown_layers = layers
        before = self.layer_id
        self.layer.blockSignals(True)
        self.layer.clear()
        for id_, name in layers:
            self.layer.addItem(name, id_)
        self.layer.setCurrentIndex(max(0, self.layer.findData(before)))
        self.layer.blockSignals(False)

    def _show_trust(self, scan: ShownScan) -> None:
        rate = scan.rate
        self.rate.set(None if rate is None else (rate.rate, rate.low, rate.high))
        missing = tr("No false-alarm rate is known of this result.") if scan.findings else ""
        self.rate_words.setText(rate.words if rate else missing)
        self.trust_words.setText(scan.trust)

    def show_chosen(self, chosen: str) -> None:
        """Mark a place in both pictures and in the list. Weaker places have an outline alone, until one of them is
        chosen or all are asked for."""
        places = self._scan.places if self._scan else ()
        self._chosen = chosen
        weaker = sum(one.weak for one in places)
        self._all = self._all or any(one.weak and one.mark.id == chosen for one in places)
        listed = [one for one in places if self._all or not one.weak]
        marks = [one.mark if self._all or not one.weak else replace(one.mark, tag="") for one in places]
        for view in (self.source, self.heat):
            view.set_places(marks, chosen)
        self.places.show_places(listed, chosen)
        self.weaker.setVisible(weaker > 0)
        self.weaker.setText(
            tr("Show the strongest alone") if self._all else tr("Show {count} weaker places", count=weaker)
        )
        self.weaker.setAccessibleName(self.weaker.text())

    @property
    def has_weaker(self) -> bool:
        """Whether some places stand behind the others."""
        return self._scan is not None and any(one.weak for one in self._scan.places)

    def turn_weaker(self) -> None:
        """Show the weaker places as the others, or put them back behind those."""
        places = self._scan.places if self._scan else ()
        self._all = not self._all
        strong = [one.mark.id for one in places if not one.weak]
        keeps = self._all or self._chosen in strong
        chosen = self._chosen if keeps else next(iter(strong), "")
        if keeps:
            self.show_chosen(chosen)
        else:
            self.place_chosen.emit(chosen)

    def show_pictures(self, pictures: ScanPictures) -> None:
        """Show the source, and the map on it; or why there is none."""
        self.source.set_picture(pictures.source, pictures.missing)
        self.heat.set_picture(pictures.grey, pictures.missing)
        self.heat.set_maps(pictures.heat, pictures.unjudged, pictures.cover)
        self._tell_zoom()

    @property
    def layer_id(self) -> str:
        """The chosen layer; empty where there is none."""
        return str(self.layer.currentData() or "")

    def _tell_zoom(self) -> None:
        percent = self.source.percent_of(self._scan.width if self._scan else 0)
        self.zoom.setText("" if percent is None else tr("{percent:.0f} % of its size, both move", percent=percent))
        layers = self._scan.layers if self._scan else ()
        self.layer_words.setText(next((one.note for one in layers if one.id == self.layer_id), ""))

    def _tell_finding(self) -> None:
        finding = self.findings.get(self.findings_table.currentIndex().row())
        words = "" if finding is None else f"{finding.about}. {finding.explanation} {finding.chance}".strip()
        self.finding_words.setText(words)
        self.finding_words.setVisible(bool(words))

    def _tell_span(self) -> None:
        spans, at = self._scan.spans if self._scan else (), self.strip.at
        self.span_words.setText(spans[at].words if 0 <= at < len(spans) else "")
        self.span_words.setVisible(bool(self.span_words.text()))


def _line(*parts: QWidget) -> QWidget:
    """Controls that stay together where the row goes on in the next line, as high as a button."""
    made = QWidget()
    row = QHBoxLayout(made)
    for part in parts:
        row.addWidget(part, 0, Qt.AlignmentFlag.AlignVCenter)

    def fit(one: QWidget) -> None:
        row.setContentsMargins(0, 0, theme.px(8), 0)
        one.setMinimumHeight(theme.px(34))

    keep_lengths(made, fit)
    return made


def _nothing_words(scan: ShownScan) -> tuple[str, str]:
    """What stands where places would."""
    if not scan.finished:
        return tr("Not judged yet."), tr("Places that differ from the rest stand here when the scan is over.")
    if not scan.findings:
        return tr("There is no result."), scan.verdict.detail
    return tr("No place is marked."), tr("The detectors beside this say what was looked for, and what could not be.")
