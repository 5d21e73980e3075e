"""People: everybody in the registry, and one person on one page with all that is known and can be done."""

from __future__ import annotations

from app.console.pages.people.presenter import PeoplePresenter
from app.console.pages.people.view import PeopleView
from app.console.session import WindowSession


def make(session: WindowSession) -> PeoplePresenter:
    """The page."""
    return PeoplePresenter(session, PeopleView(session))
