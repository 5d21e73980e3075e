"""Burn: whom, what a burn would touch, the hold, and every door proven one by one."""

from __future__ import annotations

import asyncio

from app.console.pages.burn.presenter import BurnPresenter
from app.console.pages.burn.view import BurnView
from app.console.session import WindowSession


async def make(session: WindowSession) -> BurnPresenter:
    """The page, first what is seen of it."""
    view = BurnView(session)
    await asyncio.sleep(0)
    return BurnPresenter(session, view)
