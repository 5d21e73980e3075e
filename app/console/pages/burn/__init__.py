"""Burn: whom, what a burn would touch, the hold, and every door proven one by one."""

from __future__ import annotations

from app.console.pages.burn.presenter import BurnPresenter
from app.console.pages.burn.view import BurnView
from app.console.session import WindowSession


def make(session: WindowSession) -> BurnPresenter:
    """The page."""
    return BurnPresenter(session, BurnView(session))
