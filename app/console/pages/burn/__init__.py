"""Burn: whom, what a burn would touch, the hold, and every door proven one by one."""

from __future__ import annotations

import asyncio

from app.console.pages.burn.presenter import BurnPresenter
from app.console.pages.burn.view import BurnLists, BurnTargets, BurnView
from app.console.session import WindowSession


async def make(session: WindowSession) -> BurnPresenter:
    """The page, in four pieces."""
    lists = BurnLists(session)
    await asyncio.sleep(0)
    targets = BurnTargets(session)
    await asyncio.sleep(0)
    view = BurnView(session, targets, lists)
    await asyncio.sleep(0)
    return BurnPresenter(session, view)
