"""Readers: the doors as they are now, what is granted at them, the machines that sign."""

from __future__ import annotations

from app.console.pages.readers.presenter import ReadersPresenter
from app.console.pages.readers.view import ReadersView
from app.console.session import WindowSession


def make(session: WindowSession) -> ReadersPresenter:
    """The page."""
    return ReadersPresenter(session, ReadersView(session.actions, session.live.now, training=session.training))
