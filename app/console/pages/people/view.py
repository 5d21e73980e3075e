"""The page's two faces: everybody, or one person. In a wide page everybody stands beside the person, too."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QStackedWidget, QWidget

from app.console.language import tr
from app.console.page import PageView
from app.console.pages.people.everybody_view import EverybodyView
from app.console.pages.people.profile_view import ProfileView
from app.console.session import WindowSession
from app.console.widgets.breadth import GUTTER, PAGE, PANEL, TEXT, WIDEST, Narrow
from app.console.widgets.third_column import ThirdColumn

LIST_FROM = PAGE + GUTTER + TEXT
"""Width of what stands in the page from which a whole profile leaves the list its columns, px at 100 % text."""


class PeopleView(PageView):
    """``show_face`` brings ``everybody`` or ``profile`` to the front."""

    def __init__(self, session: WindowSession) -> None:
        super().__init__(tr("People"), widest=WIDEST)
        self.everybody = EverybodyView(session)
        self.profile = ProfileView(session.actions)
        self._faces = QStackedWidget()
        self._place = QWidget()
        home = Narrow(PANEL, parent=self._place)
        self._faces.addWidget(self._place)
        self._faces.addWidget(self.profile)
        self.third = ThirdColumn(
            self._faces,
            self.everybody,
            home,
            open_home=lambda: self.show_face(self.everybody),
            column_from=LIST_FROM,
        )
        self.third.moved.connect(self.everybody.stand_beside)
        self._faces.currentChanged.connect(lambda _at: self.third.keep_home(not self.shows_profile))
        self.third.keep_home(True)
        self.body.addWidget(self.third, 1)

    def grounds(self) -> Sequence[QWidget]:
        return (*self.frame_grounds, self.everybody, self.profile)

    def show_face(self, face: QWidget) -> None:
        """Bring everybody to the front, or one person."""
        self._faces.setCurrentWidget(self.profile if face is self.profile else self._place)

    @property
    def shows_profile(self) -> bool:
        """Whether one person is in front."""
        return self._faces.currentWidget() is self.profile

    @property
    def shows_everybody(self) -> bool:
        """Whether the list is in sight: in front, or beside one person."""
        return self.third.beside or not self.shows_profile
