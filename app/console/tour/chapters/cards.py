"""Cards are written: one by hand, two in a batch; the doctor says what is the matter with readers."""

from __future__ import annotations

import re

from PySide6.QtWidgets import QApplication, QCheckBox, QLineEdit, QListView

from app.console.tour.eyes import Eyes, NotSeen, Rows
from app.console.tour.hands import StepFailed
from app.console.tour.walk import PERSON, Chapter
from app.console.widgets.buttons import ActionButton
from app.console.widgets.stepper import Stepper

BATCH = ("ARC-T0040", "ARC-T0041")
"""Training persons without a card, who get theirs in one batch."""
MOST_SWAPS = 24
"""Cards in and out, by a batch of two at any number of readers."""


class CardChapter(Chapter):
    """Cards are written: one by hand, two in a batch; the doctor says what is the matter with readers."""

    async def write_card(self) -> None:
        """Write the blank card in the reader for the person, and read every proof of it."""
        hands, eyes = self._hands, self._eyes
        await hands.until("the person is chosen", lambda: eyes.text_like(PERSON))
        await hands.until("a blank card lies in the reader", lambda: "Blank" in " ".join(eyes.items("Card readers")))
        self._walk.read(
            person=eyes.find(QLineEdit, "Person who holds the card").text(),
            standing_before=eyes.words("Order")[0],
            readers=eyes.items("Card readers"),
            card=eyes.fact("Card"),
        )
        await self._walk.picture("write-card-ready", "A blank card and its future holder")
        await self._walk.wait_until_ready("Write card")
        await hands.press("Ctrl+Return")
        stages = await hands.until("a stage runs", lambda: self._stages("running") or self._stages("done"))
        self._walk.read(stages_running=stages)
        await self._walk.picture("write-card-running", "Stages of the write", settle=False)
        await hands.press("Alt+2")
        await hands.until("the card is finished", lambda: "Complete" in eyes.words("Proof"), 30.0)
        finished = eyes.fact("Finished").split()
        figures = re.search(r"(\d+) APDUs in (.+)", eyes.fact("Write"))
        if figures is None:
            raise StepFailed(f"no figures in {eyes.fact('Write')!r}")
        self._walk.read(
            provision_id=finished[-1],
            state=next(word for word in eyes.words("Proof") if word == "Complete"),
            proofs=[word for word in eyes.words("Proof") if word != "Complete"],
            apdu_count=int(figures[1]),
            duration=figures[2],
            card_guid=eyes.fact("Card GUID"),
            keys=eyes.rows("Keys of the card, with the SHA-256 of certificate and public key"),
            stages=self._stages("done"),
        )
        await self._walk.picture("write-card-proof", "Written, read back and proven")

    def _stages(self, state: str) -> list[str]:
        for stepper in self._eyes.all(Stepper):
            said = stepper.accessibleName().split(", ")
            return [one.removesuffix(f" {state}") for one in said if one.endswith(f" {state}")]
        raise NotSeen("no stages")

    async def grant_access(self) -> None:
        """Give the card the doors of the cluster."""
        hands, eyes = self._hands, self._eyes
        await self._walk.wait_until_ready("Grant access")
        await hands.press("Ctrl+G")
        await hands.until("the clusters have the focus", lambda: isinstance(eyes.focus(), QCheckBox))
        focus = eyes.focus()
        self._walk.read(cluster=focus.accessibleName() if focus is not None else "")
        await hands.press("Space", "Ctrl+G")
        await hands.until("access is granted", lambda: "Granted" in eyes.words("Then"))
        self._walk.read(doors=[word for word in eyes.words("Then") if "doors in" in word])
        await self._walk.picture("grant", "The doors have the card")

    async def read_apdus(self) -> None:
        """Read the APDU trace of the write and what it is compared with."""
        hands, eyes = self._hands, self._eyes
        await hands.press("Alt+3")
        rows = await hands.until("the APDUs", lambda: eyes.rows("APDUs of this provisioning", 2000))
        verdict = [word for word in eyes.words() if "differen" in word or "compare" in word or "slow" in word]
        self._walk.read(verdict=verdict, against=eyes.text_like("last good|first good"))
        self._walk.read(
            apdus=len(rows), first=rows[0], last=rows[-1], said=eyes.text_like(r"\d+ APDUs, .* in the card")
        )
        await self._walk.focus_table("APDUs of this provisioning")
        await self._walk.picture("apdu-trace", "Every APDU, secrets as their length")
        await hands.press("Alt+1")

    async def write_batch(self) -> None:
        """Two people without a card are ticked; every card goes in and out as the page asks."""
        hands, eyes = self._hands, self._eyes
        await self._walk.go("batch")
        await self._walk.wait_until_ready("People without a card")
        await hands.press("Ctrl+P")
        await self._walk.wait_for_dialog()
        for node_id in BATCH:
            await self._tick(node_id)
        await hands.press("Return")
        await self._walk.wait_for_window()
        lines = await hands.until("two good lines", lambda: "2 lines, all good" in eyes.words("Lines"))
        self._walk.read(lines=lines, listed=eyes.rows("Lines of the list, bad ones first"))
        await self._walk.picture("batch-list", "Who gets a card, checked line by line")
        await self._walk.wait_until_ready("Start the batch")
        await hands.press("Ctrl+Return")
        table = "Lines of the batch, those that need somebody first"
        await hands.until("the batch", lambda: eyes.rows(table))

        def over() -> Rows:
            rows = eyes.rows(table)
            return rows if all(row["STATE"] == "Written" for row in rows) else []

        def asks() -> bool:
            return eyes.find(ActionButton, "Next training card").isEnabled()

        for at in range(MOST_SWAPS):
            await hands.until("a reader asks for a card, or all are written", lambda: over() or asks())
            if over():
                break
            await hands.press("Ctrl+I")
            if at == 0:
                await self._walk.picture(
                    "batch-running", "Each reader says what the person at it does next", settle=False
                )
        rows = await hands.until("every card of the batch", over)
        await hands.until("the batch is done", lambda: eyes.text_like("Done: 2 written"))
        self._walk.read(rows=rows, words=eyes.words())
        await self._walk.picture("batch-done", "Two cards written without a click")

    async def _tick(self, node_id: str) -> None:
        """Search a person in the dialog and tick them."""
        hands = self._hands
        top = QApplication.activeModalWidget()
        if top is None:
            raise StepFailed("no dialog has the keys")
        dialog = Eyes(top)
        search = dialog.find(QLineEdit, "Search people without a card")
        while not search.hasFocus():
            await hands.press("Shift+Tab")
        await hands.press("Ctrl+A")
        await hands.type(node_id)
        people = dialog.find(QListView, "People; Space ticks")
        await hands.until(
            f"{node_id} alone", lambda: [node_id in one for one in dialog.items("People; Space ticks")] == [True]
        )
        await hands.press("Tab")
        await hands.until("the people have the focus", people.hasFocus)
        await hands.press("Home", "Space")

    async def ask_doctor(self) -> None:
        """What is the matter with each reader."""
        hands, eyes = self._hands, self._eyes
        await self._walk.go("write-card")
        await hands.press("Alt+4")
        table = "What is the matter with readers and cards"
        found = await hands.until("the doctor's findings", lambda: eyes.rows(table))
        await hands.until("the findings have the focus", lambda: eyes.has_focus(table))
        await hands.press("Home", "Down")
        self._walk.read(findings=found)
        await self._walk.picture("doctor", "Each reader: what is so, and what to do")
        await hands.press("Alt+1")
