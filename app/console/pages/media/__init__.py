"""Media: whether a picture, a video or a feed was manipulated, where, and what that judgement is worth."""

from __future__ import annotations

from app.console.pages.media.presenter import MediaPresenter
from app.console.pages.media.view import MediaView
from app.console.session import WindowSession


def make(session: WindowSession) -> MediaPresenter:
    """The page."""
    return MediaPresenter(session, MediaView())
