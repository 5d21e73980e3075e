"""Secure elements come into the stock, and one of them is written."""

from __future__ import annotations

from app.console.tour.eyes import NotSeen
from app.console.tour.walk import Chapter
from app.console.widgets.marks import StateMark

ELEMENTS = "Secure elements of the stock"
APART = "training-0002"
"""An element of the stock that no card of this site is."""


class StockChapter(Chapter):
    """Secure elements come into the stock, and one of them is written."""

    async def take_in_elements(self) -> None:
        """The card that lies in the reader, and one that is set apart, are taken into the stock."""
        hands, eyes = self._hands, self._eyes
        # The card in the second reader is the last that a training site lays out: until then other blank cards pass
        # through the first one, on their way to their holders.
        laid_out = "Training Reader 2, Written"
        await hands.until("the site's cards", lambda: laid_out in " ".join(eyes.items("Card readers")))
        await hands.press("Alt+2")
        await hands.until("a blank card lies in the reader", lambda: "Blank" in " ".join(eyes.words("Card")))
        uid = eyes.fact("Chip number")
        await self._walk.go("stock")
        await self._add_element(uid, "Training card", "Desk 1")
        await self._add_element(APART, "Training card", "Safe 2, tray 14")
        await hands.press("F7")
        await self._walk.wait_for_dialog()
        await hands.type("Contacts are scratched")
        await hands.press("Return")
        await self._walk.wait_for_window()
        await hands.until("the element is set apart", lambda: self._stock_row(APART)["STATE"] == "Quarantined")
        await hands.press("Alt+1")
        self._walk.read(elements=eyes.rows(ELEMENTS), counts=[mark.word for mark in eyes.all(StateMark)])
        await self._walk.picture("stock", "The stock of secure elements: one may be written, one may not")
        await self._walk.open_page("write-card")

    async def _add_element(self, uid: str, product: str, location: str) -> None:
        """Fill in the form of a new element and wait for its row."""
        hands = self._hands
        await self._walk.wait_until_ready("Add an element")
        await hands.press("Ctrl+N")
        await self._walk.wait_for_dialog()
        await hands.type(uid)
        await hands.press("Tab")
        await hands.type(product)
        await hands.press("Tab")
        await hands.type(location)
        await hands.press("Return")
        await hands.until(f"{uid} in the stock", lambda: self._stock_row(uid))
        await self._walk.wait_for_window()

    def _stock_row(self, uid: str) -> dict[str, str]:
        """The row of an element. Raises NotSeen."""
        for row in self._eyes.rows(ELEMENTS):
            if row["ELEMENT"] == uid.lower():
                return row
        raise NotSeen(f"no element {uid} in the stock")

    async def see_issued_card(self) -> None:
        """What the stock says of the card of this job."""
        hands, eyes = self._hands, self._eyes
        await self._walk.go("stock")
        await hands.press("Alt+1", "Up")
        row = await hands.until("the written card", lambda: [r for r in eyes.rows(ELEMENTS) if r["STATE"] == "Issued"])
        written = await hands.until("what was written", lambda: eyes.rows("Provisionings of the element, newest first"))
        self._walk.read(element=row[0], written=written)
        await self._walk.picture("stock-issued", "The written card in the stock, with its provisioning")
