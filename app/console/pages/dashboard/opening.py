"""Opens other pages from the dashboard, as far as this window has them."""

from __future__ import annotations

from collections.abc import Mapping

from app.console.session import WindowSession


def has_page(session: WindowSession, page: str) -> bool:
    """Whether the window has that page."""
    return any(action.id == f"page.{page}" for action in session.actions.all())


def open_page(session: WindowSession, page: str, arguments: Mapping[str, str]) -> None:
    """Open a page with those arguments that are not empty; nothing when the window does not have it."""
    if has_page(session, page):
        session.navigate(page, **{name: value for name, value in arguments.items() if value})
