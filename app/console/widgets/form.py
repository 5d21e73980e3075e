"""A form in a dialog: fields with their names, an error line at each, the rest at the head, one button that saves."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import TypeVar

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.client import ApiError
from app.console import theme
from app.console.actions import key_words
from app.console.failures import Failure
from app.console.ids import wrong_id
from app.console.language import tr
from app.console.widgets.banner import Banner
from app.console.widgets.buttons import plain_button
from app.console.widgets.dialog import Dialog
from app.console.widgets.dialog_size import FieldScroller, grow_dialog, room_for
from app.console.widgets.text import label

RowT = TypeVar("RowT")


class FormDialog(Dialog):
    """Subclasses add fields by ``line``, ``text`` and ``add``, put further widgets into ``body`` and override ``ask``;
    the dialog stays open until its opener calls ``accept``.

    A field's key is the first part of the JSON pointer by which the service names it. ``shapes`` says in words what a
    field takes: it replaces what the service says in terms of its schema.
    """

    def __init__(
        self, window: QWidget, title: str, sentence: str, verb: str, *, shapes: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(window)
        self._shapes = dict(shapes or {})
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(theme.px(560))
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(label(title, "title", wrap=True))
        if sentence:
            column.addWidget(label(sentence, "dim", wrap=True))
        self.banner = Banner()
        column.addWidget(self.banner)
        inside = QWidget()
        fields = QVBoxLayout(inside)
        fields.setContentsMargins(0, 0, 0, 0)
        fields.setSpacing(12)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        fields.addLayout(self._grid)
        self.body = QVBoxLayout()
        self.body.setSpacing(12)
        fields.addLayout(self.body, 1)
        self._scroller = FieldScroller(inside)
        column.addWidget(self._scroller, 1)
        self._errors: dict[str, QLabel] = {}
        self._fields: dict[str, QWidget] = {}
        self._names: dict[str, QLabel] = {}
        row = QHBoxLayout()
        row.addStretch(1)
        self.save = QPushButton(verb)
        self.save.setAccessibleName(verb)
        self.save.setProperty("role", "primary")
        self.save.setDefault(True)
        self.save.clicked.connect(self._ask)
        # In a field of several lines Enter begins a new one.
        self.save.setToolTip(key_words("Ctrl+Enter"))
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self).activated.connect(self.save.click)
        row.addWidget(plain_button(tr("Cancel"), self.reject))
        row.addWidget(self.save)
        column.addLayout(row)

    async def find_existing(self, reading: Awaitable[RowT]) -> RowT | None:
        """The row that already has the id of a new one, or None: a PUT to an id that is taken would overwrite that row.
        ``reading`` reads it. After None the caller goes on; otherwise, and after an error, the form can be saved again.
        An id that the service refuses is not taken: the PUT will say so at its field."""
        try:
            found = await reading
        except ApiError as refused:
            if refused.code in ("not_found", "invalid_body"):
                return None
            self.save.setEnabled(True)
            raise
        self.save.setEnabled(True)
        return found

    # --- fields ------------------------------------------------------------------------------------------------------

    def line(self, key: str, title: str, example: str = "") -> QLineEdit:
        """Add a field of one line; ``example`` stands in it while it is empty."""
        field = QLineEdit()
        field.setPlaceholderText(example)
        self.add(key, title, field)
        return field

    def text(self, key: str, title: str, example: str = "", *, height: int = 64) -> QPlainTextEdit:
        """Add a field of several lines, ``height`` px at 100 % text; Tab leaves it."""
        field = QPlainTextEdit()
        field.setPlaceholderText(example)
        field.setTabChangesFocus(True)
        field.setFixedHeight(theme.px(height))
        self.add(key, title, field)
        return field

    def add(self, key: str, title: str, field: QWidget) -> None:
        """Add a field of any kind, with its name before it and room for its error below it."""
        at = 2 * len(self._fields)
        name = label(title, "dim")
        name.setBuddy(field)
        field.setAccessibleName(title)
        wrong = label("", "error", wrap=True)
        wrong.hide()
        self._grid.addWidget(name, at, 0)
        self._grid.addWidget(field, at, 1)
        self._grid.addWidget(wrong, at + 1, 1)
        self._fields[key], self._errors[key], self._names[key] = field, wrong, name

    def show_field(self, key: str, shown: bool) -> None:
        """Show a field with its name, or hide both while it has no meaning."""
        self._fields[key].setVisible(shown)
        self._names[key].setVisible(shown)
        if not shown:
            self._errors[key].hide()

    # --- size --------------------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        # Qt has made it as high as its fields, up to two thirds of the screen.
        self.resize(self.size().boundedTo(room_for(self)))
        grow_dialog(self)
        super().showEvent(event)

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest and self.isVisible():
            grow_dialog(self)
        return done

    # --- saving ------------------------------------------------------------------------------------------------------

    def ask(self) -> bool:
        """The operator saves: mark what is wrong, or start the change. True when it was started: the button then stays
        off until ``show_failure``, so that nothing is sent twice."""
        return False

    def _ask(self) -> None:
        self.clear()
        self.save.setEnabled(False)
        if not self.ask():
            self.save.setEnabled(True)

    def show_failure(self, failure: Failure) -> None:
        """Show why the service refused: at the fields that it names, the rest at the head."""
        self.save.setEnabled(True)
        named = False
        for pointer, detail in failure.fields:
            key = pointer.strip("/").split("/")[0]
            if key in self._fields:
                self.mark(key, self._shapes.get(key, detail) if detail.startswith("Expected") else detail)
                named = True
        if not named:
            self.banner.show_failure(failure)

    def mark(self, key: str, sentence: str) -> None:
        """Show at a field what is wrong with it; the first marked field gets the focus."""
        first = not self.marked
        self._errors[key].setText(sentence)
        self._errors[key].show()
        self._fields[key].setAccessibleDescription(sentence)
        theme.mark_invalid(self._fields[key], True)
        if first:
            self._fields[key].setFocus()
            self._scroller.ensureWidgetVisible(self._fields[key])

    def mark_id(self, key: str, text: str, *, node: bool = False) -> None:
        """Show at a field what is wrong with the id of the registry, or of a node, that stands in it."""
        if sentence := wrong_id(text, node=node):
            self.mark(key, sentence)

    def error(self, key: str) -> str:
        """The error shown at a field; empty when there is none."""
        return self._errors[key].text() if not self._errors[key].isHidden() else ""

    @property
    def marked(self) -> bool:
        """Whether any field shows an error."""
        return any(not wrong.isHidden() for wrong in self._errors.values())

    def clear(self) -> None:
        """Remove all errors."""
        self.banner.clear()
        for key, wrong in self._errors.items():
            if not wrong.isHidden():
                wrong.hide()
                self._fields[key].setAccessibleDescription("")
                theme.mark_invalid(self._fields[key], False)
