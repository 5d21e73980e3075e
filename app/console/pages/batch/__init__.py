"""Batches: a list of people and a stack of blank cards, worked off at any number of readers without a click."""

from __future__ import annotations

from app.console.devices.sounds import Speaker
from app.console.pages.batch.presenter import BatchPresenter
from app.console.pages.batch.view import BatchView
from app.console.session import WindowSession


def make(session: WindowSession) -> BatchPresenter:
    """The page."""
    view = BatchView(session.actions, session.names, training=session.training)
    return BatchPresenter(session, view, Speaker(session.preferences))
