"""Palms and rotating codes."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox

from app.console.tour.hands import StepFailed
from app.console.tour.walk import PERSON, Chapter
from app.console.widgets.verdict import VerdictLabel

TERMINALS = "Palm terminals and what they decided"
SCANS = "Codes that this console has judged, newest first"
MOST_SCANS = 20


class VerifyChapter(Chapter):
    """Palms and rotating codes."""

    async def enrol_palm(self) -> None:
        """Enrol the person's palm at the training terminal."""
        hands, eyes = self._hands, self._eyes
        await self._walk.open_page("verify")
        await hands.press("Alt+5")
        await self._walk.choose_person(PERSON)
        await hands.until("the person is not enrolled", lambda: "Not enrolled" in eyes.words("Who is enrolled"))
        await self._walk.wait_until_ready("Enrol by the training terminal")
        await hands.press("Ctrl+Shift+E")
        await hands.until("the outcome", lambda: eyes.find(VerdictLabel, "Enrolled"))
        await hands.until("the person is enrolled", lambda: "Palm enrolled" in eyes.words("Who is enrolled"))
        self._walk.read(samples=eyes.fact("Samples"), registry=eyes.fact("Registry"))
        await self._walk.picture(
            "palm-enrolled", "A palm enrolled at the training terminal: what is kept and what is not"
        )

    async def match_palm(self) -> None:
        """Hold the palm over a terminal: it is matched."""
        hands = self._hands
        await self._open_palms()
        # Nobody is chosen yet: the key leads to the field.
        await hands.press("Ctrl+T")
        await self._walk.choose_person(PERSON)
        await hands.press("Ctrl+T")
        await self._read_decision("Match")
        await self._walk.picture(
            "palm-match", "The palm at a terminal: decision, confidence, how far it may be believed"
        )

    async def refuse_palm(self) -> None:
        """Hold the same palm over it after the burn: nobody is matched."""
        await self._walk.open_page("verify")
        await self._open_palms()
        await self._hands.press("Ctrl+T")
        await self._read_decision("No match")
        await self._walk.picture(
            "palm-burned", "The same palm after the burn: nobody, and the cause is in the log alone"
        )

    async def _open_palms(self) -> None:
        """Show the tab of palms, with its terminals."""
        await self._hands.press("Alt+2")
        await self._hands.until("the terminals", lambda: self._eyes.rows(TERMINALS))

    async def _read_decision(self, word: str) -> None:
        """Wait for this decision to be the newest one, and keep what is said about it."""
        eyes = self._eyes
        await self._hands.until(f"the decision {word}", lambda: eyes.find(VerdictLabel, f"{word} at *"))
        decisions = eyes.rows("Decisions by palm, newest first")
        self._walk.read(decision=decisions[0], person=eyes.fact("Person"), confidence=eyes.fact("Confidence"))

    async def scan_code(self) -> None:
        """Read the code off the screen as a phone would, type it as a scanner does; the same code again is refused."""
        hands, eyes = self._hands, self._eyes
        await self._walk.open_page("verify")
        await hands.press("F9")
        await hands.until("the terminals", lambda: eyes.find(QComboBox, "Terminal").currentText())
        await self._walk.wait_until_ready("Show the terminal's code")
        await hands.press("F7")
        await hands.until("the code", eyes.code)
        accepted = ""
        for _ in range(MOST_SCANS):
            accepted = eyes.code()
            # A machine that is held up for two steps scans too late.
            if await self._scan(accepted) == "Accepted":
                break
        else:
            raise StepFailed("no code was accepted")
        self._walk.read(terminal=eyes.fact("Terminal"), first=eyes.rows(SCANS)[0]["RESULT"])
        await self._walk.picture("verify-code", "A terminal's rotating code, read off the screen and accepted")
        self._walk.read(second=await self._scan(accepted))
        await self._walk.picture("verify-code-replayed", "The same code a second time: refused, and an alarm")
        await hands.press("Ctrl+.", "Alt+1")

    async def _scan(self, payload: str) -> str:
        """Type a code as a scanner does; return the result that the page shows."""
        before = len(self._eyes.rows(SCANS))
        await self._hands.type(payload, shown_as="the scanned code")
        await self._hands.press("Return")
        rows = await self._hands.until(
            "the judgement", lambda: self._eyes.rows(SCANS)[before:] and self._eyes.rows(SCANS)
        )
        return rows[0]["RESULT"]
