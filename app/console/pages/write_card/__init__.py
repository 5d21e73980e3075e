"""Write card: choose the person, press Write, and the card is made, proven, and opens doors."""

from __future__ import annotations

import asyncio

from app.console.devices.sounds import Speaker
from app.console.pages import PAGES
from app.console.pages.write_card.presenter import WriteCardPresenter
from app.console.pages.write_card.view import WriteCardView
from app.console.session import WindowSession


async def make(session: WindowSession) -> WriteCardPresenter:
    """The page, first what is seen of it."""
    pages = frozenset(row.id for row in PAGES)
    view = WriteCardView(
        session.actions,
        session.names,
        session.live.now,
        training=session.training,
        can_present=session.training and "readers" in pages,
        can_burn="burn" in pages,
    )
    await asyncio.sleep(0)
    return WriteCardPresenter(session, view, pages, Speaker(session.preferences))
