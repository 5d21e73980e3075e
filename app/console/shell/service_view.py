"""What stands in place of the pages while no service answers: starting, connecting, given up with the log's tail."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QProgressBar, QVBoxLayout, QWidget

from app.console import theme
from app.console.actions import ActionTable
from app.console.theme import icons
from app.console.widgets.buttons import ActionButton
from app.console.widgets.text import label


class ServiceView(QWidget):
    """One sentence, what happens next, and when the service was given up: its last words and the way out."""

    def __init__(self, actions: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._icon_name = "activity"
        column = QVBoxLayout(self)
        column.setContentsMargins(48, 32, 48, 32)
        column.setSpacing(12)
        column.addStretch(1)
        self._icon = label()
        self._icon.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._sentence = label("", "title", wrap=True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._detail = label("", "dim", wrap=True)
        self._detail.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._busy = QProgressBar()
        self._busy.setRange(0, 0)
        self._busy.setTextVisible(False)
        self._busy.setFixedWidth(240)
        self._busy.setAccessibleName("Working")
        self.log = QPlainTextEdit()
        self.log.setReadOnly(True)
        self.log.setAccessibleName("Last lines of the service's log")
        self.log.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.log.hide()
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        self._again = ActionButton(actions, "console.reconnect", role="primary")
        self._copy = ActionButton(actions, "console.copy_log")
        buttons.addWidget(self._again)
        buttons.addWidget(self._copy)
        buttons.addStretch(1)
        column.addWidget(self._icon)
        column.addWidget(self._sentence)
        column.addWidget(self._detail)
        column.addWidget(self._busy, 0, Qt.AlignmentFlag.AlignCenter)
        column.addSpacing(4)
        column.addWidget(self.log, 6)
        column.addLayout(buttons)
        column.addStretch(1)
        self.show_busy("Starting the service", "The console opens as soon as it answers.")

    def show_busy(self, sentence: str, detail: str) -> None:
        """Something goes on by itself."""
        self._icon_name = "activity"
        self._say(sentence, detail)
        self._busy.show()
        self.log.hide()
        self._again.hide()
        self._copy.hide()

    def show_stopped(self, sentence: str, detail: str, tail: Sequence[str]) -> None:
        """Nothing goes on until a person decides."""
        self._icon_name = "octagon-alert"
        self._say(sentence, detail)
        self._busy.hide()
        self.log.setPlainText("\n".join(tail))
        self.log.setVisible(bool(tail))
        bar = self.log.verticalScrollBar()
        bar.setValue(bar.maximum())
        self._again.show()
        self._copy.setVisible(bool(tail))

    def _say(self, sentence: str, detail: str) -> None:
        self._sentence.setText(sentence)
        self._detail.setText(detail)
        self.setAccessibleName(f"{sentence}. {detail}")
        self._dress()

    def _dress(self) -> None:
        tokens = theme.current()
        colour = tokens.bad if self._icon_name == "octagon-alert" else tokens.accent
        self._icon.setPixmap(icons.pixmap(self._icon_name, colour, theme.px(40), self.devicePixelRatioF()))
        self.log.setFont(theme.mono(12))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "log"):
            self._dress()
        super().changeEvent(event)
