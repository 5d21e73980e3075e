"""A picture is scanned for manipulation."""

from __future__ import annotations

from app.console.theme.resources import ROOT
from app.console.tour.walk import Chapter
from app.console.widgets.hero import StateHero
from app.console.widgets.picture_view import PictureView

SCANS = "Scans of this site, newest first"
PICTURE = ROOT / "pictures" / "dashboard.png"
"""A drawing that ships with the program: no camera made it, and the scan is to say what it can tell of such a one."""
OPEN = ("No scan", "Waits", "Scanning")


class MediaChapter(Chapter):
    """A picture is scanned for manipulation."""

    async def scan_picture(self) -> None:
        """A file of this machine is chosen by its path, scanned, and shown with what the judgement is worth."""
        hands, eyes = self._hands, self._eyes
        await self._walk.open_page("media")
        await hands.until("nothing was scanned", lambda: eyes.find(StateHero, "Verdict: No scan*"))
        await self._walk.picture("media-empty", "Nothing was scanned: the page says what a scan tells")
        await self._walk.wait_until_ready("Scan files")
        await hands.press("Ctrl+O")
        await self._walk.wait_for_dialog()
        await hands.type(str(PICTURE), "the path of a picture")
        await hands.press("Return")
        await self._walk.wait_for_window()
        await hands.until("the end of the scan", lambda: eyes.rows(SCANS) and self._verdict() not in OPEN)
        await hands.until("its picture", lambda: eyes.find(PictureView, "Source").percent is not None)
        self._walk.read(scan=eyes.rows(SCANS)[0], verdict=self._verdict())
        await self._walk.picture("media-scan", "A scanned picture: verdict, places, and how far to trust it")

    def _verdict(self) -> str:
        """The word that is read first."""
        return self._eyes.find(StateHero, "Verdict: *").words[0]
