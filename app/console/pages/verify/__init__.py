"""Verify: whose palm lies on a terminal, who is enrolled, and what of it is kept."""

from __future__ import annotations

import asyncio

from app.console.pages.verify.presenter import TABS, VerifyPresenter
from app.console.pages.verify.view import VerifyView
from app.console.session import WindowSession


async def make(session: WindowSession) -> VerifyPresenter:
    """The page, tab by tab."""
    made = VerifyPresenter(session, VerifyView())
    for row in TABS:
        made.add_tab(row)
        await asyncio.sleep(0)
    return made
