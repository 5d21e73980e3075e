"""The enforcement page: the draft beside the law, or one strike, above the board of all notices."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.console import theme
from app.console.language import tr
from app.console.page import PageView
from app.console.pages.enforcement.board_view import BoardPanel
from app.console.pages.enforcement.draft_view import DraftPanel
from app.console.pages.enforcement.law_view import LawPanel
from app.console.pages.enforcement.strike_view import StrikePanel
from app.console.session import WindowSession
from app.console.widgets.breadth import PANEL, Narrow
from app.console.widgets.stack import Stack

_UPPER, _BOARD = 350, 216


class EnforcementView(PageView):
    """What is above the board is ``draft`` or ``strike``."""

    def __init__(self, session: WindowSession) -> None:
        super().__init__(tr("Enforcement"), scrolls=True)
        table = session.actions
        self.draft = DraftPanel(table)
        self.law = LawPanel(table)
        self.strike = StrikePanel(table, session.names)
        self._both = QWidget()
        row = QHBoxLayout(self._both)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        row.addWidget(self.draft, 7)
        row.addWidget(self.law, 5)
        self.upper = Stack(0)
        self.upper.addWidget(self._both)
        self.upper.addWidget(self.strike)
        for part in (self._both, self.strike):
            part.installEventFilter(self)
        self.upper.currentChanged.connect(lambda _at: self._fit_upper())
        self.board = BoardPanel(table)
        self.body.addLayout(Narrow(PANEL, self.upper), 2)
        self.body.addLayout(Narrow(PANEL, self.board), 1)
        self._fit()

    def grounds(self) -> Sequence[QWidget]:
        return (*self.frame_grounds, self.draft, self.law, self.strike, self.board)

    def _fit(self) -> None:
        self._fit_upper()
        self.board.setMinimumHeight(theme.px(_BOARD))

    def _fit_upper(self) -> None:
        """What the law says of itself, and the first notices of a strike, are never cut: on a small screen the page
        scrolls instead."""
        row = (self.strike if self.section == "strike" else self._both).layout()
        needed = row.totalMinimumHeightForWidth(self.upper.width()) if row is not None else 0
        self.upper.set_least(max(theme.px(_UPPER), needed))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self._fit_upper()
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange and hasattr(self, "board"):
            self._fit()
        super().changeEvent(event)

    @property
    def section(self) -> str:
        """``draft`` or ``strike``: what is above the board."""
        return "strike" if self.upper.currentWidget() is self.strike else "draft"

    def show_section(self, section: str) -> None:
        """Show the draft or the strike."""
        self.upper.setCurrentIndex(1 if section == "strike" else 0)

    def show_closed(self) -> None:
        """The key of this console may see none of it."""
        self.show_section("draft")
        self.draft.setEnabled(False)
        self.law.setEnabled(False)
        self.board.show_closed()
