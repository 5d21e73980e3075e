"""Enforcement: signed declarations to platforms, drafted beside the law and followed to their end."""

from __future__ import annotations

from app.console.pages.enforcement.presenter import EnforcementPresenter
from app.console.pages.enforcement.view import EnforcementView
from app.console.session import WindowSession


def make(session: WindowSession) -> EnforcementPresenter:
    """The page."""
    return EnforcementPresenter(session, EnforcementView(session))
