"""HR events: who was discharged by whose signature, what came of it, and what waits for a person."""

from __future__ import annotations

from app.console.pages.hr.presenter import HrPresenter
from app.console.pages.hr.view import HrView
from app.console.session import WindowSession


def make(session: WindowSession) -> HrPresenter:
    """The page."""
    return HrPresenter(session, HrView(session))
