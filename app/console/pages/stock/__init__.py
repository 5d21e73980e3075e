"""Stock: the secure elements that were bought, what they are declared to be, and what became of each."""

from __future__ import annotations

from app.console.pages.stock.presenter import StockPresenter
from app.console.pages.stock.view import StockView
from app.console.session import WindowSession


def make(session: WindowSession) -> StockPresenter:
    """The page."""
    return StockPresenter(session, StockView(session.actions))
