"""Dashboard: what works, what does not, what needs a person now."""

from __future__ import annotations

from app.console.pages.dashboard.presenter import DashboardPresenter
from app.console.pages.dashboard.view import DashboardView
from app.console.session import WindowSession


def make(session: WindowSession) -> DashboardPresenter:
    """The page."""
    return DashboardPresenter(session, DashboardView(session))
