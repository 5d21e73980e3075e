"""A declaration under a law: drafted beside its elements, signed, sent to a platform, answered, proven."""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path

from PySide6.QtWidgets import QPushButton

from app.console.tour.eyes import Rows
from app.console.tour.hands import StepFailed
from app.console.tour.pages import PAGES
from app.console.tour.walk import Chapter
from app.console.widgets.fold_row import FoldRow
from app.console.widgets.marks import StateMark

NAME = "Training Person 02"
STATEMENT = "The picture shows a place that never was, and is used in an advertisement without consent."
ADDRESS = "https://platform-a.training.invalid/v/88121"
SENT = "Sent, waits"


class EnforcementChapter(Chapter):
    """A declaration under a law: drafted beside its elements, signed, sent to a platform, answered, proven."""

    async def issue_strike(self) -> None:
        """The scan of a picture becomes a declaration: each element gets its sign as it is typed, the name attests it,
        Ctrl+Return signs it, and the platform's server takes it."""
        hands, eyes = self._hands, self._eyes
        await self._walk.open_page("media")
        await self._walk.wait_until_ready("Enforce with this scan")
        await hands.press("Ctrl+Shift+E")
        await hands.until("page Enforcement", lambda: eyes.page == "Enforcement")
        await hands.until("the laws", lambda: eyes.has_focus("Law"))
        await hands.until("the board", lambda: eyes.find(QPushButton, "Open notices: 0"))
        await self._walk.picture("enforcement-empty", "No strike was issued: the page says what one is")
        await hands.type("EU")
        await hands.until("the law's elements", lambda: eyes.items("What this law asks for"))
        for field, text in (
            ("Exact addresses", ADDRESS),
            ("Why it is illegal", STATEMENT),
            ("Declared by", NAME),
            ("In the capacity of", "the person shown"),
            ("E-mail", "p02@training.example"),
        ):
            await self._tab_to(field)
            await hands.type(text)
        await hands.until("all but the attestation", lambda: eyes.find(StateMark, "3 of 4"))
        await self._tab_to("Your name, typed under the attestation")
        await hands.type(NAME)
        await hands.until("the whole draft", lambda: eyes.find(StateMark, "4 of 4"))
        self._walk.read(elements=eyes.items("What this law asks for"))
        await self._walk.picture("enforcement-draft", "A declaration beside what its law asks for: all of it is there")
        await hands.press("Ctrl+Return")
        token = await hands.until("the tracking token", lambda: eyes.text_like(r"^ARC-ST-[0-9A-Z]{32}$"))
        sent = await hands.until("the platform's server took it", lambda: self._rows_of(SENT))
        self._walk.read(token=token, sent=sent)
        await self._walk.picture("enforcement-sent", "The strike with its history, and its notices with their clocks")

    async def record_outcome(self) -> None:
        """What the platform did is recorded, and stands among the resolved notices."""
        hands, eyes = self._hands, self._eyes
        await hands.until("the sent notice", lambda: self._rows_of(SENT))
        await self._choose(SENT)
        await hands.press("Ctrl+O")
        await self._walk.wait_for_dialog()
        await hands.press("Down", "Return")
        await self._walk.wait_for_window()
        await hands.until("what became of it", lambda: eyes.find(FoldRow, "1 resolved: 1 removed"))
        await self._walk.picture("enforcement-board", "The open notices, and in a line what became of the others")

    async def save_bundle(self) -> None:
        """One key saves all that proves the strike, as soon as witnesses have signed for its newest entry."""
        hands = self._hands
        with tempfile.TemporaryDirectory(prefix="arc-tour-") as folder:
            path = Path(folder) / "strike.zip"
            await hands.press("Ctrl+E")
            await self._walk.wait_for_dialog()
            await hands.press("Ctrl+A")
            await hands.type(str(path), "the path of a file")
            await hands.press("Return")
            await self._walk.wait_for_window()
            await hands.until("the bundle", path.exists, 100.0)
            with zipfile.ZipFile(path) as bundle:
                self._walk.read(bundle=sorted(bundle.namelist()))

    def _rows_of(self, word: str) -> Rows:
        """Rows of the board with that state."""
        return [row for row in self._eyes.rows(PAGES["enforcement"].table) if row["STATE"] == word]

    async def _choose(self, word: str) -> None:
        """Put the cursor on the first notice of that state."""
        rows = self._eyes.rows(PAGES["enforcement"].table)
        at = next((at for at, row in enumerate(rows) if row["STATE"] == word), None)
        if at is None:
            raise StepFailed(f"no notice is {word!r}")
        await self._hands.press("Alt+3", "Home", *["Down"] * at)

    async def _tab_to(self, name: str) -> None:
        """Tab to the field of that name."""
        for _ in range(24):
            if self._eyes.has_focus(name):
                return
            await self._hands.press("Tab")
        raise StepFailed(f"Tab does not lead to {name!r}")
