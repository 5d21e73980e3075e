"""Infrastructure: the server frames by group, how fast they answer, and the rows by which they are probed."""

from __future__ import annotations

from app.console.pages.infrastructure.presenter import InfrastructurePresenter
from app.console.pages.infrastructure.view import InfrastructureView
from app.console.session import WindowSession


def make(session: WindowSession) -> InfrastructurePresenter:
    """The page."""
    return InfrastructurePresenter(session, InfrastructureView(session.actions))
