"""The layout judged from the widgets: texts that are cut, values that are missing, stale words, the focus.

Runs on the GUI thread when the picture is taken.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QFrame,
    QLabel,
    QLayout,
    QLineEdit,
    QListView,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QScrollBar,
    QSplitter,
    QStackedLayout,
    QStackedWidget,
    QTabBar,
    QTableView,
    QWidget,
)

from app.console import theme
from app.console.theme.tokens import Meaning
from app.console.tour.eyes import Eyes, table_texts, value_of, viewport_of
from app.console.widgets.kpi import KpiTile
from app.console.widgets.marks import StateMark
from app.console.widgets.stepper import Stepper, shown_time
from app.console.widgets.table import DataTable
from app.console.widgets.table_cells import INSET_ROLE, MONO_ROLE, PADDING, STATE_ROLE
from app.console.widgets.table_head import head_words
from app.console.widgets.text import ElidedLabel
from app.console.widgets.verdict import VerdictLabel

EMPTY = re.compile(r"(^|\s)[–—…-]$|^nan$|^None$")
TOLD_NONE = {"Reason", "Location", "Declared", "Transport keys"}
"""Names of values whose dash is an answer: a frame that works has no reason for not working, and of an element nothing
may be declared."""
_DRESSED = (QAbstractButton, QAbstractScrollArea, QAbstractSpinBox, QComboBox, QFrame, QLineEdit, QScrollBar, QTabBar)
_HOLDERS = (QScrollArea, QSplitter, QStackedWidget)
"""Frames to Qt of which nothing is seen: they hold what wears the look by itself, bars too."""
_TOUCH_PX = 1
"""By so much neighbours may meet: frames are drawn on one line."""
STALE = re.compile(r"\bstale\b|^refreshing\b", re.IGNORECASE)


@dataclass(frozen=True)
class Mark:
    """A state as it is shown: its shape and its word, in the window's coordinates."""

    word: str
    state: Meaning
    colour: str
    shape: QRect
    text: QRect


@dataclass
class Layout:
    """What was judged without pixels, and what remains to be looked at in them."""

    labels: int = 0
    cut: list[str] = field(default_factory=list)
    cells: int = 0
    cut_cells: list[str] = field(default_factory=list)
    """Table cells shortened to their column, which the table shows whole in the tooltip: reported, no fault."""
    bare: list[str] = field(default_factory=list)
    """What wears no look: the toolkit's own shows."""
    missing: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    live: bool = False
    marks: list[Mark] = field(default_factory=list)
    focus: str = ""
    focus_box: QRect = field(default_factory=QRect)
    focus_inks: list[str] = field(default_factory=list)


def layout_of(eyes: Eyes) -> Layout:
    """Judge what the widgets say. On the GUI thread."""
    made = Layout()
    for widget in eyes.all(QWidget):
        name = value_of(widget) or widget.accessibleName()
        fits = _fits(widget)
        if fits is None:
            continue
        made.labels += 1
        if not fits:
            made.cut.append(f"{type(widget).__name__} {name!r} has no room for its text")
        elif _is_clipped(widget, eyes):
            made.cut.append(f"{type(widget).__name__} {name!r} is cut off by what it stands in")
        _judge_words(widget, name, made)
    made.cut += squeezed_parts(eyes)
    for mark in eyes.all(QWidget):
        found = _mark(mark, eyes)
        if found is not None:
            made.marks.append(found)
    for table in eyes.all(QTableView):
        _judge_table(table, eyes, made)
    made.bare = bare_parts(eyes)
    made.live = stream_lives(eyes)
    made.stale = stale_words(eyes)
    _judge_focus(eyes, made)
    return made


def squeezed_parts(eyes: Eyes) -> list[str]:
    """What is painted by itself and is lower than its least height: a place that is too small for all in it takes from
    each, and what stands at the foot of a chart is cut. On the GUI thread."""
    found = []
    for widget in eyes.all(QWidget):
        if not (_is_ours(type(widget), "paintEvent") and _is_ours(type(widget), "minimumSizeHint")):
            continue
        wraps = widget.hasHeightForWidth()
        least = widget.heightForWidth(widget.width()) if wraps else widget.minimumSizeHint().height()
        lack = least - widget.height()
        if lack > _TOUCH_PX:
            found.append(f"{type(widget).__name__} {widget.accessibleName()!r} lacks {lack} px of its height")
    return found


def _is_ours(kind: type[QWidget], name: str) -> bool:
    """Whether a class of this program, and not of Qt, has that method."""
    return any(name in vars(one) for one in kind.__mro__ if one.__module__.startswith("app."))


def bare_parts(eyes: Eyes) -> list[str]:
    """What stands on nothing that wears the style sheet (``theme.wear``), which a new part of the window may miss. On
    the GUI thread."""
    dressed: dict[QWidget, bool] = {}

    def is_dressed(widget: QWidget) -> bool:
        if widget not in dressed:
            parent = None if widget.isWindow() else widget.parentWidget()
            dressed[widget] = bool(widget.styleSheet()) or (parent is not None and is_dressed(parent))
        return dressed[widget]

    return [
        f"{type(widget).__name__} {value_of(widget) or widget.accessibleName()!r} wears no look"
        for widget in eyes.all(QWidget)
        if isinstance(widget, _DRESSED) and not isinstance(widget, _HOLDERS) and not is_dressed(widget)
    ]


def cut_controls(eyes: Eyes, page: QWidget) -> list[str]:
    """What a small window does to the controls of a page: buttons without room for their words, primary buttons that
    are not whole in sight, and anything that scrolls sideways. On the GUI thread."""
    found = []
    for button in page.findChildren(QPushButton):
        if not button.isVisible():
            continue
        name = button.accessibleName() or button.text()
        if _fits(button) is False:
            found.append(f"button {name!r} has no room for its text")
        if button.property("role") == "primary" and eyes.place(button).size() != button.size():
            found.append(f"main button {name!r} is not whole in sight")
    for area in page.findChildren(QScrollArea):
        if area.isVisible() and area.horizontalScrollBar().maximum() > 0:
            found.append(f"the page scrolls sideways by {area.horizontalScrollBar().maximum()} px")
    return found


def overlaps(page: QWidget) -> list[str]:
    """Parts of one layout that lie over each other: a place that is too small for them squeezes them together."""
    found = []
    for room in (page, *page.findChildren(QWidget)):
        layout = room.layout()
        if layout is None or not room.isVisible():
            continue
        parts = [part for part in _parts_of(layout, room) if part.isVisible()]
        for at, one in enumerate(parts):
            for other in parts[at + 1 :]:
                common = one.geometry() & other.geometry()
                if min(common.width(), common.height()) > _TOUCH_PX:
                    names = " and ".join(
                        repr(value_of(part) or part.accessibleName() or type(part).__name__) for part in (one, other)
                    )
                    found.append(f"{names} lie over each other by {common.height()} px")
    return found


def _parts_of(layout: QLayout, room: QWidget) -> list[QWidget]:
    """The widgets of a layout of ``room`` and of those in it, but of none that shows one of its parts at a time.

    They are not asked for by ``itemAt``: PySide would keep a wrapper of each item, also after Qt has deleted it."""
    if isinstance(layout, QStackedLayout):
        return []
    inside = room.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    parts = [one for one in inside if layout.indexOf(one) >= 0]
    for inner in layout.findChildren(QLayout, options=Qt.FindChildOption.FindDirectChildrenOnly):
        parts += _parts_of(inner, room)
    return parts


def wide_tables(page: QWidget, slack: int) -> list[str]:
    """Tables of a page whose columns need more than their place, ``slack`` px aside, though spare ones are left out.
    A table that nothing fills yet is judged, too: by the width of what stands in its place."""
    found = []
    for table in page.findChildren(DataTable):
        place = table.parentWidget()
        if place is None or not place.isVisible():
            continue
        lack = table.least_width() - place.contentsRect().width()
        if lack > slack:
            found.append(f"table {table.accessibleName()!r} lacks {lack} px")
    return found


def stream_lives(eyes: Eyes) -> bool:
    """Whether the link in the status bar has the age of an event, then the stream is live."""
    cells = eyes.window.findChildren(QPushButton)
    return any(cell.accessibleName().startswith("Link: Live, ") for cell in cells)


def stale_words(eyes: Eyes) -> list[str]:
    """Every mark and text that says that something is stale."""
    said = {value_of(widget) or widget.accessibleName() for widget in eyes.all(QWidget) if _shows_state(widget)}
    for table in eyes.all(QTableView):
        said |= set(table_texts(table, 200))
    return sorted(text for text in said if STALE.search(text))


def _shows_state(widget: QWidget) -> bool:
    return isinstance(widget, QLabel | StateMark)


def _fits(widget: QWidget) -> bool | None:
    """Whether a widget's text has room; None for what shows no text of its own."""
    if isinstance(widget, ElidedLabel):
        return not widget.elided if widget.text() else None
    if isinstance(widget, QLabel):
        return _label_fits(widget) if widget.text() else None
    metrics = widget.fontMetrics()
    if isinstance(widget, QPushButton):
        text = widget.text().replace("&&", "&").strip()
        icon = widget.iconSize().width() + 4 if not widget.icon().isNull() else 0
        return metrics.horizontalAdvance(text) + icon + 4 <= widget.width() if text else None
    if isinstance(widget, QCheckBox | QRadioButton):
        text = widget.text().replace("&&", "&")
        sign = theme.px(16 if isinstance(widget, QCheckBox) else 14)
        return metrics.horizontalAdvance(text) + sign + theme.px(8) <= widget.width() if text else None
    if isinstance(widget, QComboBox):
        return metrics.horizontalAdvance(widget.currentText()) + theme.px(28) + 12 <= widget.width()
    if isinstance(widget, QLineEdit):
        if isinstance(widget.parentWidget(), QComboBox):
            return None
        if widget.text() and widget.echoMode() is not QLineEdit.EchoMode.Normal:
            return None  # nobody reads it
        text = widget.text() or widget.placeholderText()
        if not text or (widget.hasFocus() and widget.text()):
            return None  # what is typed scrolls
        margins = widget.textMargins()
        frame = 4 if isinstance(widget.parentWidget(), QAbstractSpinBox) else 24
        room = widget.width() - frame - margins.left() - margins.right()
        return metrics.horizontalAdvance(text) <= room
    if isinstance(widget, Stepper):
        return _steps_fit(widget)
    if isinstance(widget, StateMark | VerdictLabel):
        return widget.sizeHint().width() <= widget.width() + 1 if widget.accessibleName() else None
    return None


def _label_fits(label: QLabel) -> bool:
    """Whether a label has room for its text, wrapped or not."""
    box = label.contentsRect().adjusted(label.margin(), label.margin(), -label.margin(), -label.margin())
    metrics = label.fontMetrics()
    if label.wordWrap():
        flags = int(Qt.TextFlag.TextWordWrap)
        needed = metrics.boundingRect(QRect(0, 0, box.width(), 10_000), flags, label.text())
        return needed.height() <= box.height() + 2 and needed.width() <= box.width() + 2
    lines = label.text().split("\n")
    wide = max(metrics.horizontalAdvance(line) for line in lines)
    return wide <= box.width() + 1 and metrics.height() + (len(lines) - 1) * metrics.lineSpacing() <= box.height() + 2


def _steps_fit(stepper: Stepper) -> bool:
    """Whether every stage of a stepper has room for its name and its detail."""
    said = [line.split(": ", 1) for line in stepper.toolTip().split("\n") if ": " in line]
    room = stepper.width() / max(1, len(said)) - 4
    names, details = QFontMetrics(theme.ui(12)), QFontMetrics(theme.ui(11))
    if stepper.staggers:
        return all(names.horizontalAdvance(name) <= 2 * room + 4 for name, _rest in said)
    for name, rest in said:
        detail = shown_time(rest.partition(" · ")[2])
        if names.horizontalAdvance(name) > room or details.horizontalAdvance(detail) > room:
            return False
    return True


def _is_clipped(widget: QWidget, eyes: Eyes) -> bool:
    """Whether an ancestor cuts the widget off, other than by scrolling up and down."""
    whole = QRect(widget.mapTo(eyes.window, QPoint(0, 0)), widget.size())
    seen = eyes.place(widget)
    if viewport_of(widget, eyes.window) is not None:
        return seen.left() > whole.left() or seen.right() < whole.right()
    return seen != whole


def _judge_words(widget: QWidget, text: str, made: Layout) -> None:
    """Note a value that is missing: a dash that answers nothing."""
    name = widget.accessibleName()
    tile = widget.parentWidget()
    # A figure without a value says why below it ("no history yet").
    told = isinstance(tile, KpiTile) and " no " in f" {tile.accessibleName()} "
    if (
        EMPTY.search(text.strip())
        and name.partition(": ")[0] not in TOLD_NONE
        and not name.endswith(": none")
        and not told
    ):
        made.missing.append(f"{type(widget).__name__} {name!r} shows {text!r}")


def _judge_table(table: QTableView, eyes: Eyes, made: Layout) -> None:
    """Judge titles, widths, texts and states of a table's visible cells."""
    header = table.horizontalHeader()
    model = table.model()
    ui, mono = QFontMetrics(theme.ui(13)), QFontMetrics(theme.mono(12))
    titles = QFontMetrics(theme.ui(12, theme.ui().Weight.Medium))
    columns = [at for at in range(model.columnCount(QModelIndex())) if not header.isSectionHidden(at)]
    view = table.viewport()
    corner = view.mapTo(eyes.window, QPoint(0, 0))
    for at in columns:
        title = str(model.headerData(at, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole) or "")
        made.labels += 1
        if header.isVisible() and titles.horizontalAdvance(head_words(title)) + 2 * PADDING > header.sectionSize(at):
            made.cut.append(f"column title {title!r} of {table.accessibleName()!r} has no room")
    if columns and header.length() > view.width() + 1:
        made.cut.append(f"{table.accessibleName()!r} is wider than its place by {header.length() - view.width()} px")
    first, last = table.rowAt(0), table.rowAt(view.height() - 1)
    if first < 0:
        return
    for row in range(first, (last if last >= 0 else model.rowCount(QModelIndex()) - 1) + 1):
        for at in columns:
            index = model.index(row, at)
            text = str(index.data() or "")
            state = index.data(STATE_ROLE)
            metrics = mono if index.data(MONO_ROLE) else ui
            inset = theme.px(index.data(INSET_ROLE) or 0)
            shape = inset + (theme.px(10) + theme.px(8) if state is not None else 0)
            made.cells += 1
            if metrics.horizontalAdvance(text) + shape > header.sectionSize(at) - 2 * PADDING:
                made.cut_cells.append(f"{table.accessibleName()}: {text}")
            box = table.visualRect(index)
            if state is not None and view.rect().contains(box):
                side = theme.px(10)
                top = corner.y() + box.top() + (box.height() - side) // 2
                left = corner.x() + box.left() + PADDING + inset
                shape_box = QRect(left, top, side, side)
                word = QRect(
                    left + side + theme.px(8),
                    corner.y() + box.top() + 2,
                    box.width() - inset - 38 - side,
                    box.height() - 4,
                )
                if word.width() > 8 and _on_top(table, QPoint(left, top + side // 2), eyes):
                    known = Meaning(state)
                    made.marks.append(Mark(text, known, theme.current().state(known), shape_box, word))


def _mark(widget: QWidget, eyes: Eyes) -> Mark | None:
    """The state that a mark or a verdict shows, if nothing covers it."""
    if isinstance(widget, StateMark):
        if not widget.word:
            return None
        side, gap, state = theme.px(10), theme.px(6), widget.state
    elif isinstance(widget, VerdictLabel) and widget.word:
        # The shape is at the left, at most as wide as high.
        side, gap, state = min(theme.px(24), widget.height()), 0, widget.state
    else:
        return None
    place = eyes.place(widget)
    shape = QRect(place.left(), place.center().y() - side // 2, side, side)
    if place.height() < widget.height() or not all(
        _on_top(widget, point, eyes) for point in (shape.center(), place.center(), place.topRight() - QPoint(1, -1))
    ):
        return None
    text = QRect(place.left() + side + gap, place.top(), max(1, place.width() - side - gap), place.height())
    return Mark(widget.accessibleName(), state, theme.current().state(state), shape, text)


def _on_top(widget: QWidget, point: QPoint, eyes: Eyes) -> bool:
    """Whether a widget is what is seen at that point: the palette may lie over it."""
    top = eyes.window.childAt(point)
    return top is not None and (top is widget or widget.isAncestorOf(top))


def _judge_focus(eyes: Eyes, made: Layout) -> None:
    """Note which widget has the focus, and where its frame must be seen."""
    focus = eyes.focus()
    if focus is None or focus.window() is not eyes.window:
        return
    # What fills the window, a wall display, has no frame: the keys can go nowhere else.
    if eyes.place(focus).contains(eyes.window.rect()):
        return
    made.focus = focus.accessibleName() or value_of(focus) or type(focus).__name__
    box = eyes.place(focus)
    popup: QWidget | None = focus
    while popup is not None and popup.property("role") != "popup":
        popup = popup.parentWidget()
    if popup is not None:
        box = eyes.place(popup)  # the palette shows where the keys go in its list
    made.focus_box = box.adjusted(-4, -4, 4, 4) & eyes.window.rect()
    tokens = theme.current()
    made.focus_inks = [tokens.accent]
    if focus.property("role") == "primary":
        made.focus_inks = [tokens.text]
    if isinstance(focus, QTableView | QListView):
        made.focus_inks.append(tokens.raised)
