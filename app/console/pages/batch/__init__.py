"""Batches: a list of people and a stack of blank cards, worked off at any number of readers without a click."""

from __future__ import annotations

from app.console.devices.sounds import Speaker
from app.console.pages.batch.presenter import BatchPresenter
from app.console.pages.batch.view import BatchView
from app.console.session import WindowSession


def make(session: WindowSession) -> BatchPresenter:
    """The page."""
    return BatchPresenter(session, BatchView(session.actions, training=session.training), Speaker(session.preferences))
