"""Controls of the draft whose words are shortened to the room that they have; the tooltip has them whole."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QComboBox, QLabel, QPlainTextEdit, QPushButton, QSizePolicy

from app.console import theme
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import StateMark


class StatementField(QPlainTextEdit):
    """A text that takes the height that is left. Qt would have it 192 pixels high as soon as the words of a fault below
    it wrap, and what is above and below it would scroll away."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumHeight())

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), self.minimumHeight())


class FaultLabel(QLabel):
    """The words of a fault below its field, on as many lines as its width takes. Qt asks for the lines of the narrowest
    width, too, and gave what was too much of them to the statement."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "error")
        self.setWordWrap(True)
        self.hide()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.fontMetrics().height())


def without_last_parts(text: str, metrics: QFontMetrics, room: int) -> str:
    """As much of ``text`` as ``room`` px have place for: without its last parts, each after a comma, before any word is
    cut."""
    shown = text
    while metrics.horizontalAdvance(shown) > room and ", " in shown:
        shown = shown.rpartition(", ")[0]
    return metrics.elidedText(shown, Qt.TextElideMode.ElideRight, room)


class FittedBox(QComboBox):
    """A list whose entries are shortened to its width; the tooltip has the whole entry."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self._whole: list[str] = []

    def set_entries(self, entries: Sequence[tuple[str, str]]) -> None:
        """Texts and data. The chosen one stays chosen if it is still there."""
        if [(text, self.itemData(at)) for at, text in enumerate(self._whole)] == list(entries):
            return
        chosen = self.currentData()
        self.blockSignals(True)
        self.clear()
        self._whole = [text for text, _ in entries]
        for at, (text, data) in enumerate(entries):
            self.addItem(text, data)
            self.setItemData(at, text, Qt.ItemDataRole.ToolTipRole)
            self.setItemData(at, text, Qt.ItemDataRole.AccessibleTextRole)
        self.setCurrentIndex(max(0, self.findData(chosen)) if entries else -1)
        self.blockSignals(False)
        self._fit()

    def _fit(self) -> None:
        room = self.width() - theme.px(28) - 14
        for at, text in enumerate(self._whole):
            shown = without_last_parts(text, self.fontMetrics(), room)
            if shown != self.itemText(at):
                self.setItemText(at, shown)
        at = self.currentIndex()
        self.setToolTip(self._whole[at] if 0 <= at < len(self._whole) else "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


class PlatformsButton(QPushButton):
    """Shows which platforms are chosen, as many names as fit, and asks for others when it is pressed."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "field")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._names: tuple[str, ...] = ()
        self._otherwise = ""
        self.say((), tr("No platform is registered"))

    def say(self, names: Sequence[str], otherwise: str) -> None:
        """Show these names; ``otherwise`` in place of none."""
        self._names, self._otherwise = tuple(names), otherwise
        self.setAccessibleName(tr("Platforms: {names}", names=", ".join(names) or otherwise))
        self.setToolTip("\n".join(names))
        self._fit()

    def _fit(self) -> None:
        whole = ", ".join(self._names) or self._otherwise
        room = self.width() - theme.px(28)
        if self._names and self.fontMetrics().horizontalAdvance(whole) > room:
            whole = tr("{count} platforms: {names}", count=len(self._names), names=whole)
        text = self.fontMetrics().elidedText(whole, Qt.TextElideMode.ElideRight, max(room, theme.px(60)))
        self.setText(text.replace("&", "&&"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


class FoundMark(StateMark):
    """A mark whose words lose their last parts where they have no room; the tooltip has them whole."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._found = (Meaning.IDLE, "")

    def sizeHint(self) -> QSize:
        # As high as the name beside it: fields of one row stand in one line.
        return QSize(super().sizeHint().width(), self.fontMetrics().height())

    def say(self, state: Meaning, word: str, hint: str) -> None:
        """Show as much of a word as there is room for."""
        self._found = (state, word)
        self.setToolTip(hint)
        self.setAccessibleDescription(word)
        self._fit()

    def _fit(self) -> None:
        state, word = self._found
        room = self.width() - theme.px(16) - 4
        self.set(state, without_last_parts(word, self.fontMetrics(), room))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
