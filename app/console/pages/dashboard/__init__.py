"""Dashboard: what works, what does not, what needs a person now."""

from __future__ import annotations

import asyncio

from app.console.pages.dashboard.frames_view import FramesPanel
from app.console.pages.dashboard.presenter import DashboardPresenter
from app.console.pages.dashboard.view import DashboardView
from app.console.session import WindowSession


async def make(session: WindowSession) -> DashboardPresenter:
    """The page, in three pieces."""
    frames = FramesPanel(session.actions)
    await asyncio.sleep(0)
    view = DashboardView(session, frames)
    await asyncio.sleep(0)
    return DashboardPresenter(session, view)
