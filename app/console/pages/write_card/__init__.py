"""Write card: choose the person, press Write, and the card is made, proven, and opens doors."""

from __future__ import annotations

import asyncio

from app.console.devices.sounds import Speaker
from app.console.pages import PAGES
from app.console.pages.write_card.presenter import WriteCardPresenter
from app.console.pages.write_card.view import OutcomeTabs, WriteCardView
from app.console.session import WindowSession


async def make(session: WindowSession) -> WriteCardPresenter:
    """The page, in three pieces."""
    pages = frozenset(row.id for row in PAGES)
    behind = OutcomeTabs(session.actions, session.names)
    await asyncio.sleep(0)
    view = WriteCardView(
        session.actions,
        behind,
        session.live.now,
        training=session.training,
        can_present=session.training and "readers" in pages,
        can_burn="burn" in pages,
    )
    await asyncio.sleep(0)
    return WriteCardPresenter(session, view, pages, Speaker(session.preferences))
