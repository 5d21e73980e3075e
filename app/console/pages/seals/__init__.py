"""Seals: consents as leaves of a log that witnesses cosign, and the proof that needs nobody's word."""

from __future__ import annotations

from app.console.pages.seals.presenter import SealsPresenter
from app.console.pages.seals.view import SealsView
from app.console.session import WindowSession


def make(session: WindowSession) -> SealsPresenter:
    """The page."""
    return SealsPresenter(session, SealsView(session))
