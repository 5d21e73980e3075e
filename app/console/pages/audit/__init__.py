"""Audit: every entry of the log, newest first, found by words, names and time."""

from __future__ import annotations

from app.console.pages.audit.presenter import AuditPresenter
from app.console.pages.audit.view import AuditView
from app.console.session import WindowSession


def make(session: WindowSession) -> AuditPresenter:
    """The page."""
    return AuditPresenter(session, AuditView(session))
