"""Verify: whose palm lies on a terminal, who is enrolled, and what of it is kept."""

from __future__ import annotations

from app.console.pages.verify.presenter import VerifyPresenter
from app.console.pages.verify.view import VerifyView
from app.console.session import WindowSession


def make(session: WindowSession) -> VerifyPresenter:
    """The page."""
    return VerifyPresenter(session, VerifyView())
