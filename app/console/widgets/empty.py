"""An empty state teaches: one sentence, what will appear here, and the next action as a button with its key.
It stands at the top of its panel: centred in a void, nobody finds it."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.console import theme
from app.console.actions import ActionTable
from app.console.theme import icons
from app.console.widgets.buttons import ActionButton
from app.console.widgets.text import label


class EmptyState(QWidget):
    """``sentence`` says what is missing, ``detail`` what will appear here; ``action`` is the next step."""

    def __init__(
        self,
        icon: str,
        sentence: str,
        detail: str = "",
        *,
        table: ActionTable | None = None,
        action: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._name = icon
        column = QVBoxLayout(self)
        column.setSpacing(8)
        self._icon = label()
        self._sentence = label(sentence, "heading", wrap=True)
        self._detail = label(detail, "dim", wrap=True)
        for part in (self._icon, self._sentence, self._detail):
            column.addWidget(part)
        self._button: ActionButton | None = None
        if table is not None and action:
            column.addSpacing(8)
            self._button = ActionButton(table, action, role="primary", with_key=True)
            row = QHBoxLayout()
            row.addWidget(self._button)
            row.addStretch(1)
            column.addLayout(row)
        column.addStretch(1)
        self._dress()

    def say(self, sentence: str, detail: str = "") -> None:
        """Show other words, because something else is missing now."""
        self._sentence.setText(sentence)
        self._detail.setText(detail)

    def offer(self, on: bool) -> None:
        """Show the next action, or leave it out because it stands beside this already."""
        if self._button is not None:
            self._button.setVisible(on)

    def _dress(self) -> None:
        self._icon.setPixmap(icons.pixmap(self._name, theme.current().dim, theme.px(32), self.devicePixelRatioF()))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self._dress()
        super().changeEvent(event)
