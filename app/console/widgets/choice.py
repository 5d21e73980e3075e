"""A field that searches while the operator types: persons, servers, clusters. The view asks, the presenter answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QCompleter,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.console import theme
from app.console.language import tr
from app.console.theme import icons

DEBOUNCE_MS = 150
EDGE, APART = 12, 16
"""Px beside the parts of a line, and between them."""
BORDERS = 4
"""Px of the popup's two borders, in any text size."""
SPOKEN = 8
"""Answers that are told to a screen reader: as many as the popup shows at once."""
ID_ROLE = Qt.ItemDataRole.UserRole
DETAIL_ROLE = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True)
class Choice:
    """One answer: ``id`` is what the API takes, ``title`` what people read, ``detail`` beside it (mono)."""

    id: str
    title: str
    detail: str = ""


class _Choices(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self.items: list[Choice] = []

    def set(self, items: Sequence[Choice]) -> None:
        self.beginResetModel()
        self.items = list(items)
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.items)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self.items):
            return None
        item = self.items[index.row()]
        return {
            int(Qt.ItemDataRole.DisplayRole): item.title,
            int(Qt.ItemDataRole.EditRole): item.title,
            int(Qt.ItemDataRole.AccessibleTextRole): f"{item.title} {item.detail}".strip(),
            int(ID_ROLE): item.id,
            int(DETAIL_ROLE): item.detail,
        }.get(int(role))


def line_width(choice: Choice) -> int:
    """Px that title and detail need beside each other."""
    title = QFontMetrics(theme.ui()).horizontalAdvance(choice.title)
    detail = QFontMetrics(theme.mono(12)).horizontalAdvance(choice.detail)
    return title + APART + detail + 2 * EDGE


class TwoPartDelegate(QStyledItemDelegate):
    """Title at the left, detail at the right in the fixed-pitch font."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), theme.px(32))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        tokens = theme.current()
        box = option.rect
        state = option.state
        painter.save()
        if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.fillRect(box, QColor(tokens.raised))
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box.left(), box.top(), 3, box.height(), QColor(tokens.accent))
        inner = box.adjusted(EDGE, 0, -EDGE, 0)
        detail = str(index.data(DETAIL_ROLE) or "")
        painter.setFont(theme.mono(12))
        painter.setPen(QColor(tokens.dim))
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), detail)
        room = inner.width() - painter.fontMetrics().horizontalAdvance(detail) - APART
        painter.setFont(theme.ui())
        painter.setPen(QColor(tokens.text))
        title = painter.fontMetrics().elidedText(str(index.data() or ""), Qt.TextElideMode.ElideRight, max(40, room))
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), title)
        painter.restore()


class ChoiceField(QLineEdit):
    """A field with suggestions. ``searched`` asks for choices (150 ms after the last key; also with the empty text when
    the field gets the focus); ``offer`` answers; ``chosen`` gives the choice, ``cleared`` says that a chosen one was
    edited away. An empty ``icon``: none."""

    searched = Signal(str)
    chosen = Signal(object)
    cleared = Signal()

    def __init__(self, placeholder: str, *, name: str, icon: str = "search", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(name)
        self._choice: Choice | None = None
        self._model = _Choices()
        self._completer = QCompleter(self._model, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setMaxVisibleItems(SPOKEN)
        popup = self._popup = QListView()
        popup.setMouseTracking(True)
        self._completer.setPopup(popup)
        theme.wear(popup, later=True)
        popup.setItemDelegate(TwoPartDelegate(popup))
        self._completer.activated[QModelIndex].connect(self._take_pick)  # type: ignore[index]  # overload by type
        self.setCompleter(self._completer)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DEBOUNCE_MS)
        self._timer.timeout.connect(self._ask)
        self._asked: str | None = None
        self._answered: str | None = None
        """The text of the newest question, and of the one that the choices answer."""
        self._entered = False
        """Enter was pressed before the answer to what stands in the field came: it is taken then."""
        self._choosing = False
        self.textEdited.connect(lambda _text: self._take_edit())
        # What a screen reader puts into the field is no edit to Qt.
        self.textChanged.connect(lambda _text: self._take_edit() if self.hasFocus() and not self._choosing else None)
        if icon:
            self.addAction(icons.icon(icon, theme.current().dim), QLineEdit.ActionPosition.LeadingPosition)

    @property
    def choice(self) -> Choice | None:
        """The choice; None while the field holds mere text."""
        return self._choice

    def choose(self, choice: Choice | None) -> None:
        """Set the choice from the program; emits ``chosen`` or ``cleared``."""
        self._timer.stop()
        self._entered = False
        self._popup.hide()
        self._choice = choice
        self.setAccessibleDescription("")
        self._choosing = True
        self.setText(choice.title if choice else "")
        self._choosing = False
        if choice:
            self.setToolTip(f"{choice.title}\n{choice.id}")
            self.chosen.emit(choice)
        else:
            self.setToolTip("")
            self.cleared.emit()

    def offer(self, choices: Sequence[Choice]) -> None:
        """Answer the last ``searched``. The popup opens only while the field has the focus. A screen reader, which no
        popup is told of, hears the answers as the field's description."""
        self._model.set(choices)
        self._answered = self._asked
        said = "; ".join(f"{item.title} {item.detail}".strip() for item in choices[:SPOKEN])
        self.setAccessibleDescription(
            tr("{count} found: {said}", count=len(choices), said=said) if choices else tr("Nobody and nothing is found")
        )
        self._widen()
        if self._entered and self._choice is None and (match := self._match()) is not None:
            self.choose(match)
        elif self.hasFocus() and choices and self._choice is None:
            self._completer.complete()

    def _widen(self) -> None:
        """A popup is as wide as its longest answer, up to the edge of the window: names that begin alike are not told
        apart by what a narrow field has room for."""
        longest = max((line_width(item) for item in self._model.items), default=0)
        bar = self._popup.verticalScrollBar().sizeHint().width() if len(self._model.items) > SPOKEN else 0
        room = self.window().width() - self.mapTo(self.window(), QPoint(0, 0)).x() - theme.px(EDGE)
        self._popup.setMinimumWidth(max(self.width(), min(longest + bar + BORDERS, room)))

    def mark_invalid(self, invalid: bool) -> None:
        """Red frame at the field (the API's ``errors[].pointer`` names it)."""
        theme.mark_invalid(self, invalid)

    def _take_edit(self) -> None:
        self._entered = False
        if self._choice is not None:
            self._choice = None
            self.cleared.emit()
        self._timer.start()

    def _ask(self) -> None:
        self._asked = self.text().strip()
        self.searched.emit(self._asked)

    def _match(self) -> Choice | None:
        """The choice whose whole id or title stands in the field, else the only answer to what stands there: never
        that to an earlier text."""
        text = self.text().strip()
        exact = next((item for item in self._model.items if text in (item.id, item.title)), None)
        if exact is None and self._answered == text and len(self._model.items) == 1:
            return self._model.items[0]
        return exact

    def _take_pick(self, index: QModelIndex) -> None:
        row = index.row()
        if 0 <= row < len(self._model.items):
            self.choose(self._model.items[row])

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self._choice is not None and event.reason() is not Qt.FocusReason.MouseFocusReason:
            # What is typed next is another name: it takes the place of the chosen one instead of following it.
            self.selectAll()
        if self._choice is None and event.reason() is not Qt.FocusReason.PopupFocusReason:
            self._timer.start()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in (
            Qt.FocusReason.PopupFocusReason,
            # Enter and Tab of a quick hand: the choice is made behind it. Elsewhere nobody waits for it any more.
            Qt.FocusReason.TabFocusReason,
            Qt.FocusReason.BacktabFocusReason,
        ):
            self._entered = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._choice is None:
            if (match := self._match()) is not None:
                self.choose(match)
                event.accept()
                return
            # A quick hand is there before the answer.
            self._entered = bool(self.text().strip())
            if self._timer.isActive():
                self._timer.stop()
                self._ask()
        super().keyPressEvent(event)
