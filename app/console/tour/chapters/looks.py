"""Every page in the light theme, with larger text, in the smallest window and in a larger one."""

from __future__ import annotations

from PySide6.QtCore import QSize

from app.console import theme
from app.console.tour.eyes import NotSeen
from app.console.tour.hands import StepFailed
from app.console.tour.pages import PAGES
from app.console.tour.walk import Chapter

SMALL, NORMAL, LARGE = QSize(1024, 700), QSize(1480, 900), QSize(1920, 1080)


class LooksChapter(Chapter):
    """Every page in the light theme, with larger text, in the smallest window and in a larger one."""

    async def show_light_theme(self) -> None:
        """Every page in the light theme."""
        await self._hands.press("Ctrl+Shift+T")
        await self._hands.until("the light theme", lambda: theme.current().name == "light")
        try:
            await self._show_every_page("light")
        finally:
            await self._hands.press("Ctrl+Shift+T")
            await self._hands.until("the dark theme", lambda: theme.current().name == "dark")

    async def show_larger_text(self) -> None:
        """Every page at 125 % text."""
        await self._show_text(125)

    async def show_large_text(self) -> None:
        """Every page at 150 % text."""
        await self._show_text(150)

    async def _show_text(self, percent: int) -> None:
        """Every page at so much of the text's size, in steps of 25 % from 100 %."""
        steps = (percent - 100) // 25
        try:
            await self._hands.press(*["Ctrl++"] * steps)
            await self._hands.until("larger text", lambda: theme.px(100) == percent)
            await self._show_every_page(str(percent))
        finally:
            await self._hands.press(*["Ctrl+-"] * steps)
            await self._hands.until("the text as before", lambda: theme.px(100) == 100)

    async def show_small_window(self) -> None:
        """Every page at 1024 x 700."""
        await self._show_size(SMALL)

    async def show_large_window(self) -> None:
        """Every page at 1920 x 1080."""
        await self._show_size(LARGE)

    async def _show_size(self, size: QSize) -> None:
        """Every page in a window of that size."""
        self._walk.window.resize(size)
        try:
            await self._show_every_page(f"{size.width()}x{size.height()}")
        finally:
            self._walk.window.resize(NORMAL)

    def _person_is_burned(self) -> bool:
        """Whether the page Write card says that the person's card is revoked."""
        return any("Revoked" in word for word in self._eyes.words("Order"))

    async def _show_every_page(self, suffix: str) -> None:
        """A picture of each page as it stands after the job."""
        failed = []
        for page, stop in PAGES.items():
            try:
                await self._walk.go(page)
                if page == "write-card":
                    await self._hands.until("the person is told as burned", self._person_is_burned)
                await self._hands.press(*stop.focus)
                await self._walk.picture(f"{page}-{suffix}", f"{stop.title}, {suffix}")
            except (StepFailed, NotSeen) as error:
                failed.append(f"{stop.title}: {error}")
        if failed:
            raise StepFailed("; ".join(failed))
