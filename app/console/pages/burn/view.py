"""The burn page: order at the left; at the right blast radius or live board, and lists: burns, contained, two keys.
In a wide page the burns stand beside them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.console.language import tr
from app.console.page import PageView
from app.console.pages.burn.badge_view import BadgePanel
from app.console.pages.burn.blast_view import BlastRadiusView
from app.console.pages.burn.board_view import BoardView
from app.console.pages.burn.contained_view import ContainedView
from app.console.pages.burn.evidence_view import EvidenceView
from app.console.pages.burn.history_view import BurnHistoryView
from app.console.pages.burn.lost_card_view import LostCardPanel
from app.console.pages.burn.order_view import OrderPanel
from app.console.pages.burn.speed_view import BurnSpeedView
from app.console.pages.burn.subject_view import SubjectPanel
from app.console.pages.burn.two_keys_view import TwoKeysView
from app.console.session import WindowSession
from app.console.widgets.breadth import WIDEST
from app.console.widgets.empty import EmptyState
from app.console.widgets.text import TitledPanel, label
from app.console.widgets.third_column import ThirdColumn

SUBJECT, BURNS, CONTAINED, TWO_KEYS, EVIDENCE, SPEED = range(6)
"""Tabs at the right."""
_TITLES = (tr("Subject", "burn"), tr("Burns"), tr("Contained"), tr("Two keys"), tr("Evidence"), tr("Speed"))


class BurnView(PageView):
    """Everything that the presenter fills; intents come from its parts."""

    def __init__(self, session: WindowSession) -> None:
        super().__init__(tr("Burn"), widest=WIDEST)
        table = session.actions
        now = session.live.now
        self.subject = SubjectPanel(table)
        self.order = OrderPanel(table)
        self.badge = BadgePanel(table)
        self.badge.setVisible(session.training)
        self.lost_card = LostCardPanel()
        area = _Side(_Column([self.subject, self.lost_card, self.order, self.badge]))
        self.badge.grown.connect(lambda: area.ensureWidgetVisible(self.badge, 0, 0))

        self.target_panel = TitledPanel(tr("Blast radius"))
        self.as_of = label("", "small")
        self.target_panel.head.addWidget(self.as_of)
        self.pages = QStackedWidget()
        self._training = tr(" On this training site nothing real is touched.") if session.training else ""
        self.empty = EmptyState("flame", "", table=table, action="burn.subject")
        self.say_empty()
        self.blast = BlastRadiusView(now)
        self.board = BoardView(table, now)
        for page in (self.empty, self.blast, self.board):
            self.pages.addWidget(page)
        self.target_panel.body.addWidget(self.pages, 1)

        self.history = BurnHistoryView(table, now)
        self.contained = ContainedView(table, now, session.names)
        self.two_keys = TwoKeysView(table, session.names)
        self.evidence = EvidenceView(table)
        self.speed = BurnSpeedView()
        self.tabs = QTabWidget()
        target = QWidget()
        inside = QVBoxLayout(target)
        inside.setContentsMargins(0, 12, 0, 0)
        inside.addWidget(self.target_panel)
        burns = QWidget()
        home = QVBoxLayout(burns)
        home.setContentsMargins(0, 0, 0, 0)
        tabs = (target, burns, self.contained, self.two_keys, self.evidence, self.speed)
        for part, title in zip(tabs, _TITLES, strict=True):
            self.tabs.addTab(part, title)
        main = QWidget()
        both = QHBoxLayout(main)
        both.setContentsMargins(0, 0, 0, 0)
        both.setSpacing(12)
        both.addWidget(area, 3)
        both.addWidget(self.tabs, 7)
        self.third = ThirdColumn(main, self.history, home, open_home=lambda: self.tabs.setCurrentIndex(BURNS))
        self.third.moved.connect(self.history.stand_beside)
        self.tabs.currentChanged.connect(lambda at: self.third.keep_home(at == BURNS))
        self.body.addWidget(self.third, 1)

    @property
    def burns_shown(self) -> bool:
        """Whether the list of burns is in sight: beside the rest, or in its tab."""
        return self.third.beside or self.tabs.currentIndex() == BURNS

    def count(self, tab: int, number: int) -> None:
        """Show how many rows of a tab wait for somebody."""
        title = f"{_TITLES[tab]} ({number})" if number else _TITLES[tab]
        if self.tabs.tabText(tab) != title:
            self.tabs.setTabText(tab, title)

    def say_empty(self, *, unseen: bool = False) -> None:
        """What stands where no blast radius is: nobody was chosen, or nobody can say what a burn would touch."""
        if unseen:
            self.empty.say(
                tr("What this burn would touch cannot be looked up now."),
                tr(
                    "The service burns all the same: every door denies the id at once, and what waits is "
                    "shown afterwards."
                ),
            )
        else:
            self.empty.say(
                tr("Whose access ends?"),
                tr(
                    "Choose a subject at the left. Every door, card and system that a burn would reach "
                    "appears here before anything happens.{training}",
                    training=self._training,
                ),
            )

    def show_part(self, part: QWidget, title: str) -> None:
        """Show one of the three parts of the subject's tab, under its title."""
        self.pages.setCurrentWidget(part)
        self.target_panel.title.setText(title)
        self.target_panel.setAccessibleName(title)


class _Column(QWidget):
    """Panels one below the other. Its least height is that of its texts at the width it has: Qt would take the height
    at the least width, and scroll where nothing is cut."""

    def __init__(self, parts: Sequence[QWidget]) -> None:
        super().__init__()
        self._lines = QVBoxLayout(self)
        self._lines.setContentsMargins(0, 0, 0, 0)
        self._lines.setSpacing(12)
        for part in parts:
            self._lines.addWidget(part)
        self._lines.addStretch(1)

    def minimumSizeHint(self) -> QSize:
        width = self._lines.minimumSize().width()
        return QSize(width, self._lines.totalHeightForWidth(max(width, self.width())))


class _Side(QScrollArea):
    """A column that scrolls downwards only: it is never narrower than what stands in it, at any text size."""

    def __init__(self, inside: QWidget) -> None:
        super().__init__()
        self._inside = inside
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(inside)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(self._inside.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width(), 200)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().event(event)
