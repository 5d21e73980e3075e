"""One person on one page: found by name, looked at, and everybody around them."""

from __future__ import annotations

from app.console.tour.pages import PAGES
from app.console.tour.walk import PERSON, Chapter
from app.console.widgets.marks import StateMark


class PeopleChapter(Chapter):
    """One person on one page: found by name, looked at, and everybody around them."""

    async def open_person(self) -> None:
        """The palette's first line for a name is the profile; the door that has just opened is told there."""
        hands, eyes = self._hands, self._eyes
        await hands.press("Ctrl+K")
        await hands.until("the palette", lambda: eyes.has_focus("Search people, ids, commands"))
        await hands.type(f"@{PERSON}")
        await hands.until("the person", lambda: [one for one in eyes.items("Results") if PERSON in one])
        await hands.press("Return")
        await hands.until("page People", lambda: eyes.page == "People")
        table = PAGES["people"].table
        rows = await hands.until(
            "the door", lambda: [row for row in eyes.rows(table) if row["WHAT HAPPENED"].startswith("Let in at ")]
        )
        await hands.until("the standing", lambda: eyes.find(StateMark, "Verified digital human"))
        self._walk.read(let_in=rows[0], events=len(eyes.rows(table)))
        await self._walk.picture("people-profile", "One person: doors open now, cards, and what happened")
        await hands.press("Alt+1")
        await hands.until("everybody", lambda: eyes.rows("People"))
        await self._walk.picture("people-list", "Everybody in the registry")
        await self._walk.focus_table("People")
        await hands.press("Return")
        await hands.until("the person again", lambda: eyes.rows(table))
