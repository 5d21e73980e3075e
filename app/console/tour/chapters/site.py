"""What the site is made of: consents, HR systems, server frames, settings."""

from __future__ import annotations

import contextlib

from PySide6.QtWidgets import QApplication, QTabBar, QTableView

from app.console.tour.eyes import NotSeen, Rows, table_rows
from app.console.tour.hands import StepFailed
from app.console.tour.pages import PAGES
from app.console.tour.walk import Chapter
from app.console.widgets.secret import SecretDialog
from app.console.widgets.verdict import VerdictLabel

CONSENTS = "ARC-T0002"
"""A training person whose card was written: a live check stands."""


class SiteChapter(Chapter):
    """What the site is made of: consents, HR systems, server frames, settings."""

    async def seal_consent(self) -> None:
        """A consent becomes a leaf that the site's witnesses cosign; its proof is checked on this machine."""
        hands, eyes = self._hands, self._eyes
        await self._walk.open_page("seals")
        await self._walk.wait_until_ready("Seal a consent")
        await hands.press("Ctrl+N")
        await self._walk.wait_for_dialog()
        await self._walk.choose_person(CONSENTS)
        await hands.press("Tab")
        for text in ("Identity check at the door", "TRAINING site", "Card"):
            await hands.type(text)
            await hands.press("Tab")
        await hands.press("Return")
        await self._walk.wait_for_window()
        rows = await hands.until("the seal", lambda: self._walk.loaded_rows(PAGES["seals"].table))
        await hands.until("both heads", lambda: eyes.words("Witnesses and heads").count("Cosigned") == 2)
        await self._walk.wait_until_ready("Verify now")
        await hands.press("Ctrl+Return")
        await hands.until("the verdict", lambda: eyes.find(VerdictLabel, "Proof holds"))
        self._walk.read(seals=rows, witnesses=eyes.rows("Witnesses of the logs"))
        await self._walk.picture("seals", "A sealed consent: its proof holds, and who cosigned it")

    async def add_hr_source(self) -> None:
        """A source is added, and this console calls the service as that source, with the secret from the clipboard."""
        hands, eyes = self._hands, self._eyes
        await self._walk.open_page("hr")
        await hands.until("the inbox", lambda: "Nothing waits" in eyes.words("Inbox"))
        await self._walk.picture("hr-empty", "Nobody has called: the page says what to do first")
        await self._walk.wait_until_ready("Add a source")
        await hands.press("Ctrl+N")
        await self._walk.wait_for_dialog()
        await hands.type("training-hr")
        await hands.press("Return")
        await hands.until("the secret, shown once", lambda: isinstance(QApplication.activeModalWidget(), SecretDialog))
        await self._walk.wait_for_dialog()
        # The focus is on its button to copy; the next one closes it.
        await hands.press("Space", "Tab", "Space")
        await self._walk.wait_for_window()
        sources = await hands.until("the source", lambda: eyes.rows("HR sources"))
        await self._walk.picture("hr-sources", "Who is believed, by which signature, under which brake")
        await self._walk.wait_until_ready("Send a signed test")
        await hands.press("Ctrl+T")
        await self._walk.wait_for_dialog()
        await hands.press("Ctrl+V", "Return")
        await self._walk.wait_for_window()
        calls = await hands.until("the test in the inbox", lambda: self._walk.loaded_rows(PAGES["hr"].table))
        await hands.until("what came of it", lambda: "Test, verified" in eyes.words("Event"))
        self._walk.read(sources=sources, calls=calls)
        await self._walk.picture("hr-inbox", "The signed test: its signature is good, and it burned nobody")

    async def read_infrastructure(self) -> None:
        """Read each frame's percentiles and its certificate."""
        hands, eyes = self._hands, self._eyes
        await self._walk.go("infrastructure")
        table = PAGES["infrastructure"].table
        folded = len(eyes.rows(table))
        await hands.press("Ctrl+Shift+A")
        rows = await hands.until(
            "percentiles", lambda: [r for r in eyes.rows(table) if r["P50"]] if len(eyes.rows(table)) > folded else []
        )
        self._walk.read(
            frames=len(rows), first=rows[0], operational=sum(row["STATUS"] == "Operational" for row in rows)
        )
        await hands.press("Ctrl+Shift+A", "Alt+1", "Home", "Down")
        await self._walk.picture("infrastructure", "Each frame, the worst first: percentiles, course, slowest phase")

    async def read_settings(self) -> None:
        """Walk through every section of the settings by the arrow keys; read the diagnostics."""
        hands, eyes = self._hands, self._eyes
        await self._walk.go("settings")
        for _ in range(12):
            if isinstance(eyes.focus(), QTabBar):
                break
            await hands.press("Tab")
        rows: Rows = []
        bar = eyes.focus()
        if not isinstance(bar, QTabBar):
            raise StepFailed("Tab does not lead to the sections of the settings")
        for at in range(bar.count()):
            title = bar.tabText(bar.currentIndex())
            if title in ("Operators", "Directories", "Diagnostics"):
                await hands.until(f"rows of {title}", lambda: any(table_rows(one, 1) for one in eyes.all(QTableView)))
            with contextlib.suppress(NotSeen):
                rows = eyes.rows("Diagnostics")
            await self._walk.picture(f"settings-{title.lower().replace(' ', '-')}", f"Settings: {title}")
            if at < bar.count() - 1:
                await hands.press("Right")
        if not rows:
            raise StepFailed("no section of the settings has the diagnostics")
        self._walk.read(diagnostics={row["MEASURED"]: row["NOW"] for row in rows})
        await hands.press(*["Left"] * (bar.count() - 1))
