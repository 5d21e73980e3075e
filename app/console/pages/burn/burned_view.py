"""A burn as a fact: who ordered what and why, and what it touched. It stands where the order stood before."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.console import theme
from app.console.clock import date_time, utc_time
from app.console.language import number, tr
from app.console.moments import parse_time
from app.console.pages.burn.board import BurnBoard, TouchedKind, few_kinds
from app.console.pages.burn.words import SCOPE_WORDS, leaf_words
from app.console.widgets.breadth import lay
from app.console.widgets.facts import Facts
from app.console.widgets.marks import paint_shape
from app.console.widgets.text import TitledPanel, label, separator

_ROW = 22


class TouchedKinds(QWidget):
    """A line for each kind of target: how many of it are proven, and the state of the worst."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kinds: tuple[TouchedKind, ...] = ()
        self._lines: tuple[TouchedKind, ...] = ()
        self.setAccessibleName(tr("Touched by the burn"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_kinds(self, kinds: Sequence[TouchedKind]) -> None:
        """Show these lines."""
        if tuple(kinds) == self._kinds:
            return
        self._kinds = tuple(kinds)
        self._lines = few_kinds(kinds)
        self.setAccessibleDescription(
            ", ".join(
                tr("{title}: {proven} of {total} proven", title=one.title, proven=one.proven, total=one.total)
                for one in kinds
            )
        )
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), theme.px(_ROW) * len(self._lines))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self.updateGeometry()
        super().changeEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, tokens, high = QPainter(self), theme.current(), theme.px(_ROW)
        side = theme.px(9)
        at = int(Qt.AlignmentFlag.AlignVCenter)
        for row, kind in enumerate(self._lines):
            box = QRectF(0, row * high, self.width(), high)
            paint_shape(painter, QRectF(box.right() - side, box.center().y() - side / 2, side, side), kind.state)
            box.setRight(box.right() - side - theme.px(10))
            painter.setPen(QColor(tokens.text))
            painter.setFont(theme.ui(13, QFont.Weight.Medium))
            count = f"{number(kind.proven, 'd')} / {number(kind.total, 'd')}"
            painter.drawText(box, at | int(Qt.AlignmentFlag.AlignRight), count)
            room = int(box.width()) - painter.fontMetrics().horizontalAdvance(count) - theme.px(8)
            painter.setFont(theme.ui(13))
            title = painter.fontMetrics().elidedText(kind.title, Qt.TextElideMode.ElideRight, room)
            painter.drawText(box, at | int(Qt.AlignmentFlag.AlignLeft), title)


class BurnedPanel(TitledPanel):
    """Emits ``wider`` when the burn of this site alone is to become one of all systems."""

    wider = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Order"), padding=12, parent=parent)
        self.facts = Facts(
            [
                ("reason", tr("Reason"), False),
                ("scope", tr("Scope"), False),
                ("by", tr("By"), False),
                ("at", tr("At"), False),
                ("here", tr("Locally"), False),
                ("log", tr("Log"), False),
            ]
        )
        self._parts = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self.body.addLayout(self._parts)
        ordered, touched = QVBoxLayout(), QVBoxLayout()
        for part in (ordered, touched):
            self._parts.addLayout(part)
            part.setSpacing(8)
        ordered.addWidget(self.facts)
        self.everywhere = QPushButton(tr("Burn the other systems, too…"))
        self.everywhere.setToolTip(tr("Shows what that would touch; it is held or typed, as any burn."))
        self.everywhere.clicked.connect(self.wider)
        ordered.addWidget(self.everywhere)
        self._line = separator()
        touched.addWidget(self._line)
        touched.addWidget(label(tr("Touched"), "section"))
        self.touched = TouchedKinds()
        touched.addWidget(self.touched)
        for part in (ordered, touched):
            part.addStretch(1)
        self.lie(False)
        self._shown: tuple[object, ...] = ()
        self.hide()

    def lie(self, flat: bool) -> None:
        """Have what was touched beside the order, or below it."""
        lay(self._parts, across=flat)
        self._parts.setSpacing(24 if flat else 8)
        self._line.setHidden(flat)
        for at, share in enumerate((3, 2)):
            self._parts.setStretch(at, share if flat else 0)

    def show_burned(self, board: BurnBoard, *, reason: str, by: str, may_burn: bool) -> None:
        """Show the burn. ``reason`` stands until the burn itself is known; ``by``: the operator here who ordered it,
        empty where none is known."""
        shown = (board, board.touched, reason, by, may_burn)
        if shown == self._shown:
            return
        self._shown = shown
        burn, facts = board.burn, self.facts
        facts.set("scope", SCOPE_WORDS[board.scope])
        facts.set("by", by or tr("the audit log names the key"))
        if burn is None:
            for key, words in (("reason", reason), ("at", tr("now")), ("here", tr("asking")), ("log", tr("asking"))):
                facts.set(key, words)
        else:
            at = parse_time(burn.timestamp)
            facts.set("reason", burn.reason)
            facts.set("at", date_time(at))
            facts.values["at"].setToolTip(utc_time(at))
            facts.set("here", tr("denied after {us:.0f} µs, epoch {epoch}", us=burn.local_deny_us, epoch=burn.epoch))
            facts.set("log", leaf_words(burn))
            facts.values["log"].setToolTip(f"{burn.burn_id}\n{burn.log.sha256 or ''}".strip())
            facts.values["log"].setAccessibleDescription(
                tr("Leaf hash {hash}", hash=burn.log.sha256) if burn.log.sha256 else leaf_words(burn)
            )
        self.everywhere.setVisible(board.scope == "LOCAL_ONLY" and may_burn)
        self.touched.show_kinds(board.touched_kinds())
