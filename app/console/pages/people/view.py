"""The page's two faces: everybody, or one person."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget

from app.console.language import tr
from app.console.page import PageView
from app.console.pages.people.everybody_view import EverybodyView
from app.console.pages.people.profile_view import ProfileView
from app.console.session import WindowSession
from app.console.widgets.breadth import PANEL


class PeopleView(PageView):
    """``faces`` shows ``everybody`` or ``profile``."""

    def __init__(self, session: WindowSession) -> None:
        super().__init__(tr("People"), widest=PANEL)
        self.everybody = EverybodyView(session)
        self.profile = ProfileView(session.actions)
        self.faces = QStackedWidget()
        self.faces.addWidget(self.everybody)
        self.faces.addWidget(self.profile)
        self.body.addWidget(self.faces, 1)

    @property
    def shows_profile(self) -> bool:
        """Whether one person is in front."""
        return self.faces.currentWidget() is self.profile
