"""The badge at the doors: before the burn they open, after it they refuse."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit

from app.console.tour.eyes import REFUSED, NotSeen, Rows
from app.console.tour.walk import Chapter


class DoorChapter(Chapter):
    """The badge at the doors: before the burn they open, after it they refuse."""

    async def open_door(self) -> None:
        """Hold the badge up at a door that knows it."""
        hands, eyes = self._hands, self._eyes
        await hands.press("Ctrl+D")
        await hands.until("page Readers", lambda: eyes.page == "Readers")
        doors = await hands.until("doors", lambda: eyes.rows("Doors of the cluster"))
        await hands.until("the badge in hand", lambda: eyes.find(QLineEdit, "Person whose badge is held up").text())
        await hands.until("the doors have the focus", lambda: eyes.has_focus("Doors of the cluster"))
        self._walk.read(doors=len(doors), secure=sum(door["STATE"] == "Secure channel" for door in doors))
        await self._present()
        await self._walk.picture("readers-grant", "The badge at a door: it opens")

    async def refuse_badge(self) -> None:
        """Hold the burned badge up on the burn page and at its door."""
        hands, eyes = self._hands, self._eyes
        await self._walk.wait_until_ready("Present the badge")
        await hands.press("Ctrl+P")
        await hands.until("the door refuses", lambda: eyes.verdict() == REFUSED)
        self._walk.read(decision_at_burn_page=eyes.verdict(), said=eyes.text_like(r"after [\d.]+ ms\."))
        await self._walk.picture("burn-deny", "The same badge at the same door")
        await self._walk.go("readers")
        await self._present()
        await self._walk.picture("readers-deny", "The badge at its door: it stays shut")

    async def _present(self) -> str:
        """Hold the badge up at the chosen door of the readers page."""
        hands, eyes = self._hands, self._eyes
        table = "Cards at doors, newest first"

        def accesses() -> Rows:
            try:
                return eyes.rows(table)
            except NotSeen:
                return []

        before = len(accesses())
        await self._walk.wait_until_ready("Present the badge")
        await hands.press("Ctrl+Return")
        newest = await hands.until("the stream tells of it", lambda: accesses()[:1] if len(accesses()) > before else [])
        decision = await hands.until("the door decides", eyes.verdict)
        self._walk.read(decision=decision, access=newest[0])
        return decision
