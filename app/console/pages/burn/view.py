"""The burn page: order at the left; at the right blast radius or live board, and lists: burns, contained, two keys.
In a wide page the burns stand beside them; in a narrow one all of it is one column."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.console import theme
from app.console.language import tr
from app.console.page import PageView
from app.console.pages.burn.badge_view import BadgePanel
from app.console.pages.burn.blast_view import BlastRadiusView
from app.console.pages.burn.board_view import BoardView
from app.console.pages.burn.burned_view import BurnedPanel
from app.console.pages.burn.contained_view import ContainedView
from app.console.pages.burn.drill import mark_drill
from app.console.pages.burn.evidence_view import EvidenceView
from app.console.pages.burn.history_view import BurnHistoryView
from app.console.pages.burn.lost_card_view import LostCardPanel
from app.console.pages.burn.order_view import OrderPanel
from app.console.pages.burn.speed_view import BurnSpeedView
from app.console.pages.burn.subject_view import SubjectPanel
from app.console.pages.burn.two_keys_view import TwoKeysView
from app.console.session import WindowSession
from app.console.widgets.breadth import ONE_COLUMN_BELOW, WIDEST, lay
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.room_tabs import RoomTabs
from app.console.widgets.scroller import bring_into_sight
from app.console.widgets.text import TitledPanel, label
from app.console.widgets.third_column import ThirdColumn

SUBJECT, BURNS, CONTAINED, TWO_KEYS, EVIDENCE, SPEED = range(6)
"""Tabs at the right."""
_TITLES = (tr("Subject", "burn"), tr("Burns"), tr("Contained"), tr("Two keys"), tr("Evidence"), tr("Speed"))
_TABS_LEAST, _HERO_LEAST = 440, 236
"""Height of the tabs and of the clock with its marks in one column, px at 100 % text."""
_BELOW_BESIDE_FROM = 840
"""Width of the page from which order and badge stand beside each other below the tabs, px at 100 % text."""
_ROOMY = 660
"""Height of a tab from which all is shown that explains, px at 100 % text."""


class BurnLists:
    """What the tabs behind the first one show. It is made in a turn of its own, before the page that takes it in."""

    def __init__(self, session: WindowSession) -> None:
        table, now = session.actions, session.live.now
        self.history = BurnHistoryView(table, now)
        self.contained = ContainedView(table, now, session.names)
        self.two_keys = TwoKeysView(table, session.names)
        self.evidence = EvidenceView(table)
        self.speed = BurnSpeedView()


class BurnTargets:
    """What a burn would touch, and the board of one. Made in a turn of its own, too."""

    def __init__(self, session: WindowSession) -> None:
        table, now = session.actions, session.live.now
        self.blast = BlastRadiusView(now)
        self.board = BoardView(table, now)


class BurnView(PageView):
    """Everything that the presenter fills; intents come from its parts."""

    def __init__(self, session: WindowSession, targets: BurnTargets, lists: BurnLists) -> None:
        super().__init__(tr("Burn"), scrolls=True, widest=WIDEST)
        table = session.actions
        self.subject = SubjectPanel(table)
        self.order = OrderPanel(table)
        self.burned = BurnedPanel()
        self.badge = BadgePanel(table)
        self._may_present = session.training
        self._somebody = True
        self.lost_card = LostCardPanel()
        self.lost_card.turned.connect(self._show_badge)
        self._show_badge()
        self._column = _Column([self.subject, self.lost_card, self.order, self.burned, self.badge])
        self._area = _Side(self._column)
        side = QWidget()
        self._left = QVBoxLayout(side)
        self._left.setContentsMargins(0, 0, 0, 0)
        self._left.setSpacing(12)
        self._left.addWidget(self._area, 1)
        self._foot = QWidget()
        self._left.addWidget(self._foot)
        foot = QHBoxLayout(self._foot)
        foot.setContentsMargins(0, 0, 0, 0)
        foot.setSpacing(8)
        foot.addWidget(ActionButton(table, "burn.open_profile"), 1)
        foot.addWidget(ActionButton(table, "burn.new"), 1)
        self._foot.hide()
        self._burned = self._chosen = False
        self.badge.grown.connect(lambda: bring_into_sight(self.badge))

        self.target_panel = TitledPanel(tr("Blast radius"))
        self.as_of = label("", "small")
        self.target_panel.head.addWidget(self.as_of)
        self._training = tr(" On this training site nothing real is touched.") if session.training else ""
        self.empty = EmptyState("flame", "", table=table, action="burn.subject")
        self.say_empty()
        self.blast, self.board = targets.blast, targets.board
        self._foreseen = QStackedWidget()
        self.target_panel.body.addWidget(self._foreseen, 1)
        self._foreseen.addWidget(self.empty)
        self._foreseen.addWidget(self.blast)
        self._before = QWidget()
        before = QVBoxLayout(self._before)
        before.setContentsMargins(0, 0, 0, 0)
        before.setSpacing(12)
        before.addWidget(self.target_panel, 1)
        before.addWidget(self.blast.residual)
        self.pages = _TargetPages()
        self.pages.low.connect(self.board.set_low)
        self.pages.low.connect(self.blast.residual.set_low)
        for page in (self._before, self.board):
            self.pages.addWidget(page)

        self.history, self.contained, self.two_keys = lists.history, lists.contained, lists.two_keys
        self.evidence, self.speed = lists.evidence, lists.speed
        self.tabs = RoomTabs(QSize(0, 0), scrolls=False)
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        target = QWidget()
        inside = QVBoxLayout(target)
        inside.setContentsMargins(0, 12, 0, 0)
        inside.addWidget(self.pages)
        burns = QWidget()
        home = QVBoxLayout(burns)
        home.setContentsMargins(0, 0, 0, 0)
        tabs = (target, burns, self.contained, self.two_keys, self.evidence, self.speed)
        for part, title in zip(tabs, _TITLES, strict=True):
            self.tabs.addTab(part, title)
        main = QWidget()
        self._both = QBoxLayout(QBoxLayout.Direction.LeftToRight, main)
        self._both.setContentsMargins(0, 0, 0, 0)
        self._both.setSpacing(12)
        self._both.addWidget(side)
        self._both.addWidget(self.tabs)
        self._below = QHBoxLayout()
        self._both.addLayout(self._below)
        self._below.setSpacing(12)
        self._below_right = QVBoxLayout()
        self._below.addLayout(self._below_right, 2)
        self._below_right.setSpacing(12)
        self._one_column: bool | None = None
        self.arrange()
        self.third = ThirdColumn(main, self.history, home, open_home=lambda: self.tabs.setCurrentIndex(BURNS))
        self.third.moved.connect(self.history.stand_beside)
        self.tabs.currentChanged.connect(lambda at: self.third.keep_home(at == BURNS))
        self.body.addWidget(self.third, 1)

    def grounds(self) -> Sequence[QWidget]:
        panels = (self.subject, self.lost_card, self.order, self.burned, self.badge, self._foot)
        lists = (self.history, self.contained, self.two_keys, self.evidence, self.speed)
        bars = (self.tabs.tabBar(), self._area.verticalScrollBar())
        return (*self.frame_grounds, *bars, *panels, self._before, self.board, *lists)

    def arrange(self) -> None:
        """In a narrow page order and tabs are one column: the order as rows above the tabs, what can wait below."""
        one = self.width() < theme.px(ONE_COLUMN_BELOW)
        self.board.hero.setMinimumHeight(theme.px(_HERO_LEAST) if one else 0)
        lay(self._below, across=self.width() >= theme.px(_BELOW_BESIDE_FROM))
        if one == self._one_column:
            return
        self._one_column = one
        self._place_subject()
        hands = self.window().focusWidget()
        moves = (self.burned, self.badge, self._foot)
        held = hands is not None and any(part.isAncestorOf(hands) for part in moves)
        for panel in (self.subject, self.order, self.burned):
            panel.lie(one)
        self._area.show_whole(one)
        self.tabs.set_least(QSize(0, _TABS_LEAST if one else 0))
        lay(self._both, across=not one)
        for at, share in enumerate((0, 1, 0) if one else (3, 7, 0)):
            self._both.setStretch(at, share)
        if one:
            self._below.insertWidget(0, self.burned, 3)
            self._below_right.addWidget(self.badge)
            self._below_right.addWidget(self._foot)
        else:
            self._column.take_in(self.burned, self.badge)
            self._left.addWidget(self._foot)
        self.show_order(burned=self._burned, chosen=self._chosen)
        self._show_badge()
        if held and hands is not None:
            hands.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def burns_shown(self) -> bool:
        """Whether the list of burns is in sight: beside the rest, or in its tab."""
        return self.third.beside or self.tabs.currentIndex() == BURNS

    def count(self, tab: int, number: int) -> None:
        """Show how many rows of a tab wait for somebody."""
        title = f"{_TITLES[tab]} ({number})" if number else _TITLES[tab]
        if self.tabs.tabText(tab) != title:
            self.tabs.setTabText(tab, title)

    def say_empty(self, *, unseen: bool = False, closed: str = "") -> None:
        """What stands where no blast radius is: nobody was chosen, nobody can say what a burn would touch, or why it is
        ``closed`` to the operator."""
        if closed:
            self.empty.say(tr("What this burn would touch is not shown to you."), closed)
        elif unseen:
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
                    "Choose a subject. Every door, card and system that a burn would reach "
                    "appears here before anything happens.{training}",
                    training=self._training,
                ),
            )

    def show_foreseen(self, part: QWidget, title: str) -> None:
        """Show what a burn would touch (``blast``), or why that is not known (``empty``), under a title."""
        self.pages.setCurrentWidget(self._before)
        self._place_subject()
        self._foreseen.setCurrentWidget(part)
        self.blast.residual.setVisible(part is self.blast)
        self.target_panel.title.setText(title)
        self.target_panel.setAccessibleName(title)

    def _place_subject(self) -> None:
        """In one column a burn's clock says whose it is: above it stands the field alone, and all is in sight while the
        hands are at the targets."""
        with_clock = self._one_column and self.pages.currentWidget() is self.board
        whom = self.subject.whom if with_clock else None
        self.board.hero.show_whom(whom)
        self.subject.show_whom(whom is None)

    def show_board(self, *, drill: bool) -> None:
        """Show the burn that is on the board."""
        self.pages.setCurrentWidget(self.board)
        self._place_subject()
        title = mark_drill(tr("Targets"), drill)
        self.board.targets.title.setText(title)
        self.board.targets.setAccessibleName(title)

    def show_somebody(self, on: bool) -> None:
        """Whether the subject is somebody, who has a badge to present: a mere id has none."""
        self._somebody = on
        self._show_badge()

    def _show_badge(self) -> None:
        """Show the badge at a door, on training sites, unless who or what is meant is still asked."""
        self.badge.setVisible(self._may_present and self._somebody and self.lost_card.isHidden())

    def show_order(self, *, burned: bool, chosen: bool) -> None:
        """Show the form of the order, or once it was burned the order as a fact, with ways on from there. In one column
        a form that cannot be used yet, for nobody is ``chosen``, would take the room of all else."""
        self._burned, self._chosen = burned, chosen
        self.order.setVisible(not burned and (chosen or not self._one_column))
        self.burned.setVisible(burned)
        self._foot.setVisible(burned)


class _TargetPages(QStackedWidget):
    """What a burn would touch, or has. Emits ``low`` when there has come to be little height, or enough."""

    low = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self._low = True

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        low = self.height() < theme.px(_ROOMY)
        if low != self._low:
            self._low = low
            self.low.emit(low)


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
        self._count = len(parts)

    def take_in(self, *parts: QWidget) -> None:
        """Have the last of its panels stand in it again."""
        for at, part in enumerate(parts, self._count - len(parts)):
            self._lines.insertWidget(at, part)

    def minimumSizeHint(self) -> QSize:
        width = self._lines.minimumSize().width()
        return QSize(width, self._lines.totalHeightForWidth(max(width, self.width())))


class _Side(QScrollArea):
    """A column that scrolls downwards only: it is never narrower than what stands in it, at any text size, and as high
    where the page scrolls."""

    def __init__(self, inside: QWidget) -> None:
        super().__init__()
        self._inside = inside
        self._whole = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(inside)
        self.show_whole(False)

    def show_whole(self, whole: bool) -> None:
        """Be as high as what stands in it, or as there is room."""
        self._whole = whole
        more = QSizePolicy.Policy.Fixed if whole else QSizePolicy.Policy.Expanding
        self.setSizePolicy(QSizePolicy.Policy.Preferred, more)
        # A bar would take of the width by which its height was found, and stay for that.
        bar = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if whole else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.setVerticalScrollBarPolicy(bar)

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        inside = self._inside.minimumSizeHint()
        bar = 0 if self._whole else self.verticalScrollBar().sizeHint().width()
        return QSize(inside.width() + bar, inside.height() if self._whole else 200)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._whole and event.size().width() != event.oldSize().width():
            # How high its texts are is known by their width alone.
            self.updateGeometry()
