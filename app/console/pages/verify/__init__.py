"""Verify: whose palm lies on a terminal, who is enrolled, and what of it is kept."""

from __future__ import annotations

import asyncio

from app.console.pages.verify.presenter import VerifyPresenter, tabs_of
from app.console.pages.verify.view import VerifyView
from app.console.pages.verify.voice.view import spectrogram
from app.console.session import WindowSession


async def make(session: WindowSession) -> VerifyPresenter:
    """The page, tab by tab."""
    made, sound = VerifyPresenter(session, VerifyView()), spectrogram()
    for row in tabs_of(sound):
        await asyncio.sleep(0)
        made.add_tab(row)
    return made
