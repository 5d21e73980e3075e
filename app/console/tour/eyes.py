"""What a person can read in the window: values by the accessible names of the widgets, rows of tables, the focus."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeVar

import numpy as np
from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QListView,
    QTableView,
    QWidget,
)

from app.console.code_words import decision_word
from app.console.page import PageView
from app.console.widgets.kpi import KpiTile
from app.console.widgets.marks import StateMark
from app.console.widgets.rotating_code import RotatingCode
from app.console.widgets.text import TitledPanel
from app.console.widgets.verdict import VerdictLabel

Kind = TypeVar("Kind", bound=QWidget)
Rows = list[dict[str, str]]


LET_IN, REFUSED = decision_word("GRANT"), decision_word("DENY")


class NotSeen(Exception):
    """Nothing with that name is in the window now."""


class Eyes:
    """Looks at widgets that can be seen now; never at what a page keeps to itself."""

    def __init__(self, window: QWidget) -> None:
        self.window = window

    # --- widgets -----------------------------------------------------------------------------------------------------

    def place(self, widget: QWidget) -> QRect:
        """The part of a widget that no ancestor cuts off, in the window's coordinates; empty when there is none."""
        box = QRect(widget.mapTo(self.window, QPoint(0, 0)), widget.size()) if widget is not self.window else QRect()
        if widget is self.window:
            return self.window.rect()
        parent = widget.parentWidget()
        while parent is not None:
            box &= QRect(parent.mapTo(self.window, QPoint(0, 0)), parent.size())
            if parent is self.window:
                return box
            parent = parent.parentWidget()
        return QRect()

    def all(self, kind: type[Kind], within: QWidget | None = None) -> Iterator[Kind]:
        """Every widget of a kind that can be seen, in the order in which they were made. Hidden widgets are not
        searched: they are most of a window with many pages."""
        start = within or self.window
        if not start.isVisible():
            return
        # What is still to be looked into, the next one last: where it stands and how much of it is seen (window
        # coordinates). No recursion: a generator in a generator would hand each widget up through all that it lies in.
        rest = [(start, start.mapTo(self.window, QPoint(0, 0)), self.place(start))]
        while rest:
            parent, corner, box = rest.pop()
            if parent is not start and isinstance(parent, kind):
                yield parent
            inner = []
            for widget in parent.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
                if not widget.isVisible() or widget.isWindow():
                    continue
                whole = widget.geometry().translated(corner)
                seen = whole & box
                if not seen.isEmpty():
                    inner.append((widget, whole.topLeft(), seen))
            rest += reversed(inner)

    def find(self, kind: type[Kind], name: str) -> Kind:
        """The widget with that accessible name (``*`` at its end: any name that begins so). Raises NotSeen."""
        for widget in self.all(kind):
            said = widget.accessibleName()
            if said == name or (name.endswith("*") and said.startswith(name[:-1])):
                return widget
        raise NotSeen(f"no {kind.__name__} named {name!r}")

    # --- values ------------------------------------------------------------------------------------------------------

    @property
    def page(self) -> str:
        """Name of the page that is shown; empty while there is none."""
        return next((view.accessibleName() for view in self.all(PageView)), "")

    def tile(self, title: str) -> str:
        """Value of a key figure."""
        return self.find(KpiTile, f"{title} *").value

    def label(self, name: str) -> str:
        """Text of the label with that accessible name."""
        return self.find(QLabel, name).text()

    def fact(self, title: str) -> str:
        """Value of a named fact (its accessible name is ``title: value``)."""
        said = self.find(QLabel, f"{title}: *").accessibleName()
        return said.removeprefix(f"{title}: ")

    def words(self, panel: str = "") -> list[str]:
        """Words of the states that are shown, in a panel or in the whole window."""
        within = self.find(TitledPanel, panel) if panel else None
        return [mark.accessibleName() for mark in self.all(StateMark, within) if mark.accessibleName()]

    def verdict(self) -> str:
        """A door's decision in large letters, ``LET_IN`` or ``REFUSED``; empty when there is none."""
        return next((label.word for label in self.all(VerdictLabel) if label.word in (LET_IN, REFUSED)), "")

    def texts(self) -> list[str]:
        """Every text of labels that can be seen."""
        return [label.text() for label in self.all(QLabel) if label.text()]

    def text_like(self, pattern: str) -> str:
        """The first text that matches. Raises NotSeen."""
        for text in self.texts():
            if re.search(pattern, text):
                return text
        raise NotSeen(f"no text like {pattern!r}")

    def code(self) -> str:
        """Text of the rotating code on the screen, read as a phone reads it. Raises NotSeen."""
        # Imported here: what reads a code is wanted for this alone.
        import zxingcpp

        shown = self.find(RotatingCode, "Rotating code of terminal *").grab().toImage()
        image = shown.convertToFormat(QImage.Format.Format_Grayscale8)
        lines = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.bytesPerLine())
        found = zxingcpp.read_barcodes(lines[:, : image.width()].copy())
        if len(found) != 1:
            raise NotSeen("no code that can be read")
        return found[0].text

    # --- rows --------------------------------------------------------------------------------------------------------

    def rows(self, name: str, most: int = 500) -> Rows:
        """Rows of the table with that accessible name, by the titles of its columns."""
        return table_rows(self.find(QTableView, name), most)

    def items(self, name: str) -> list[str]:
        """Lines of the list with that accessible name."""
        view = self.find(QListView, name)
        model = view.model()
        made = []
        for at in range(model.rowCount()):
            index = model.index(at, 0)
            said = index.data(Qt.ItemDataRole.AccessibleTextRole) or index.data(Qt.ItemDataRole.DisplayRole)
            made.append(str(said or ""))
        return made

    # --- focus and tree ----------------------------------------------------------------------------------------------

    @staticmethod
    def focus() -> QWidget | None:
        """Who has the focus."""
        return QApplication.focusWidget()

    def has_focus(self, name: str) -> bool:
        """Whether the widget with that accessible name has the focus."""
        focus = self.focus()
        return focus is not None and focus.accessibleName() == name

    def tree(self) -> list[dict[str, str]]:
        """What assistive technology reads: kind, name and value of every visible widget."""
        entries = []
        for widget in self.all(QWidget):
            name, value = widget.accessibleName(), value_of(widget)
            if name or value:
                entry = {"kind": type(widget).__name__}
                entry |= {"name": name} if name else {}
                entry |= {"value": value} if value and value != name else {}
                entries.append(entry)
        return entries


def value_of(widget: QWidget) -> str:
    """What a widget shows as text."""
    if isinstance(widget, QLabel | QAbstractButton | QLineEdit):
        return widget.text().strip().replace("\u200b", "")
    if isinstance(widget, QComboBox):
        return widget.currentText()
    if isinstance(widget, QTableView):
        return f"{widget.model().rowCount()} rows"
    if isinstance(widget, KpiTile):
        return widget.value
    return ""


def table_rows(view: QTableView, most: int) -> Rows:
    """The first ``most`` rows of a table."""
    model = view.model()
    titles = [
        str(model.headerData(at, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole) or at)
        for at in range(model.columnCount(QModelIndex()))
    ]
    return [
        {title: str(model.index(row, at).data() or "") for at, title in enumerate(titles)}
        for row in range(min(most, model.rowCount(QModelIndex())))
    ]


def table_texts(view: QTableView, most: int) -> Iterator[str]:
    """What stands in the first ``most`` rows of a table."""
    model = view.model()
    columns = range(model.columnCount(QModelIndex()))
    for row in range(min(most, model.rowCount(QModelIndex()))):
        for at in columns:
            yield str(model.index(row, at).data() or "")


def viewport_of(widget: QWidget, window: QWidget) -> QWidget | None:
    """The viewport that a widget scrolls in; None when it does not scroll."""
    parent = widget.parentWidget()
    while parent is not None and parent is not window:
        above = parent.parentWidget()
        if isinstance(above, QAbstractScrollArea) and above.viewport() is parent:
            return parent
        parent = above
    return None
