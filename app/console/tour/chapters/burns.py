"""The burn: what it would touch, a containment, the burn itself, its alarm, its evidence, a drill, the audit log."""

from __future__ import annotations

import re
import tempfile
import zipfile
from pathlib import Path

from PySide6.QtWidgets import QLineEdit

from app.console import theme
from app.console.shell.past_frame import PastCover
from app.console.shell.time_strip import TimeStrip
from app.console.tour.eyes import LET_IN, REFUSED, Rows
from app.console.tour.pages import PAGES
from app.console.tour.pixels import filled_share
from app.console.tour.walk import PERSON, Chapter
from app.console.widgets.buttons import ActionButton
from app.console.widgets.hold import HoldButton
from app.console.widgets.kpi import KpiTile
from app.console.widgets.marks import StateMark

HELD = "Contained and queued, newest first"
HALF_HELD = 0.45

JOB = (" burned everywhere", ", complete in ", " refused the burned badge of ", " written for ", " may open ")
"""Words of the log's sentences of this job: the burn, its end, the badge at a door, the card and its doors."""


class BurnChapter(Chapter):
    """Previews, contains, burns, and reads what is left of it: alarm, evidence, drill, audit log."""

    async def preview_burn(self) -> None:
        """Choose the person and read the blast radius; nothing is burned yet."""
        hands, eyes = self._hands, self._eyes
        await hands.press("Ctrl+K")
        await hands.type(f"@{PERSON}")
        await hands.until("the person", lambda: [one for one in eyes.items("Results") if PERSON in one])
        await hands.press("Return")
        await hands.until("page People", lambda: eyes.page == "People")
        await self._walk.wait_until_ready("Burn the person")
        await hands.press("Ctrl+B")
        await hands.until("page Burn", lambda: eyes.page == "Burn")
        rows = await hands.until("the blast radius", lambda: eyes.rows("Blast radius, one row a system"))
        await hands.press("Alt+1")
        await hands.until("a reason", lambda: eyes.find(QLineEdit, "Reason of the burn").text())
        await self._walk.wait_until_ready("Present the badge")
        await hands.press("Ctrl+P")
        before = await hands.until("the door decides", eyes.verdict)
        hold = eyes.find(HoldButton, "Hold to burn*")
        await hands.until("the burn is ready to be held", hold.isEnabled)
        await hands.press("Ctrl+Return")
        await hands.until("the hold button has the focus", lambda: isinstance(eyes.focus(), HoldButton))
        self._walk.read(
            subject=eyes.find(QLineEdit, "Whom to burn").text(),
            doors=eyes.tile("Doors"),
            cards=eyes.tile("Cards"),
            expected_last_door=eyes.tile("Expected last door"),
            systems=rows,
            reason=eyes.find(QLineEdit, "Reason of the burn").text(),
            decision_before=before,
        )
        await self._walk.picture("burn-blast-radius", "What the burn would touch; nothing has happened")

    async def contain_and_release(self) -> None:
        """The subject is locked for a while, and let in again: the badge is refused in between."""
        hands, eyes = self._hands, self._eyes
        await self._walk.wait_until_ready("Contain the subject now")
        await hands.press("Ctrl+D")

        def containment_rows() -> Rows:
            return [row for row in eyes.rows(HELD) if row["NODE"] == PERSON]

        await hands.press("Alt+6")
        rows = await hands.until("the containment", containment_rows)
        await hands.press("Ctrl+P")
        await hands.until("the door refuses", lambda: eyes.verdict() == REFUSED)
        self._walk.read(contained=rows, said=eyes.text_like(r"after [\d.]+ ms\."))
        await self._walk.picture(
            "contained", "Denied at every door of the site for a quarter of an hour, and counted down"
        )
        await hands.press("Alt+4")
        await self._walk.wait_until_ready("Release the subject")
        await hands.press("Ctrl+U")

        def free() -> bool:
            return not eyes.find(ActionButton, "Release the subject").isEnabled()

        await hands.until("the release", free)
        await hands.press("Ctrl+P")
        await hands.until("the door opens", lambda: eyes.verdict() == LET_IN)
        self._walk.read(released=eyes.verdict())
        await hands.press("Ctrl+Return")
        await hands.until("the hold button has the focus", lambda: isinstance(eyes.focus(), HoldButton))

    async def hold_to_burn(self) -> None:
        """Hold the button until the burn begins; read the board when every door refuses, then the list of burns."""
        hands, eyes = self._hands, self._eyes
        hold = eyes.find(HoldButton, f"Hold to burn {PERSON}")
        await hands.until("the hold listens", lambda: hold.is_ready)
        await hands.down("Space")

        def half() -> bool:
            return filled_share(hold.grab().toImage(), theme.current().crit) >= HALF_HELD

        try:
            await hands.until("half of the hold", half, 5.0)
            await self._walk.picture("burn-hold", "Held with Space; letting go aborts", settle=False)
            await hands.until("the board", lambda: eyes.fact("Time to last door"), 5.0)
        finally:
            await hands.up("Space")
        await hands.until("every door refuses", lambda: "Every door refuses" in eyes.words(), 20.0)
        await hands.until("the answer", lambda: eyes.fact("Locally").startswith("denied after"))
        await self._walk.picture("burn-board", "One mark for each target; the clock has stopped")
        # The row of the proven has the keys, where no target waits for anybody.
        await hands.press("Return")
        await hands.until("the proofs", lambda: eyes.rows("Targets of the burn"))
        rows = eyes.rows("Targets of the burn")
        doors = [row for row in rows if row["KIND"] == "Door"]
        self._walk.read(
            time_to_last_door=eyes.fact("Time to last door"),
            doors=len(doors),
            count=eyes.text_like(r"^\d+ of \d+$"),
            states=sorted({row["STATE"] for row in rows}),
            slowest_door=max((row["AFTER"] for row in doors), key=_milliseconds),
            others=[row for row in rows if row["KIND"] != "Door"],
            denied=eyes.fact("Locally"),
            log=eyes.fact("Log"),
        )
        await self._walk.picture("burn-targets", "Every target with its proof")
        await hands.press("Return")
        await hands.press("Ctrl+H")

        def completed_rows() -> Rows:
            rows = eyes.rows("Burns, newest first")
            return [row for row in rows if row["NODE"] == PERSON and row["STATE"] == "Complete"]

        history = await hands.until("the burn among the burns", completed_rows)
        self._walk.read(burn_state=history[0]["STATE"].upper())
        await self._walk.picture("burns", "Every burn, newest first")
        await hands.press("Alt+4")

    async def see_alarm(self) -> None:
        """Find the burned badge in the first row of what needs a person."""
        hands, eyes = self._hands, self._eyes
        await self._walk.go("dashboard")
        needs = await hands.until("the burned badge", lambda: self._needs("Burned badge of"))
        # The record of a frame may stand where who is at the doors does.
        await hands.press("Alt+3")
        await hands.until("who is at the doors", lambda: eyes.rows("At the doors", 8))
        await hands.press("Alt+1")
        await hands.until("the focus", lambda: eyes.has_focus("Needs you"))
        self._walk.read_dashboard()
        self._walk.read(needs=needs, doors=eyes.rows("At the doors", 8))
        await self._walk.picture("dashboard-needs-you", "A burned badge was used: the first row of what needs a person")

    def _needs(self, words: str) -> Rows:
        """Rows of what needs a person that contain ``words``."""
        return [row for row in self._eyes.rows("Needs you") if words in row["WHAT"]]

    async def verify_evidence(self) -> None:
        """The row of the dashboard opens the burn; its bundle is checked on this machine."""
        hands, eyes = self._hands, self._eyes
        await hands.press("Home", "Return")
        await hands.until("page Burn", lambda: eyes.page == "Burn")
        alarm = await hands.until(
            "the alarm at the board", lambda: next((word for word in eyes.words() if word.startswith("Alarm: ")), "")
        )
        await hands.press("Alt+8")
        await self._walk.wait_until_ready("Verify now")
        await hands.press("Ctrl+Shift+V")
        await hands.until("the checks", lambda: eyes.text_like("^Checked on this machine"))
        self._walk.read(alarm=alarm, checks=eyes.words("Evidence of the burn"), leaf_hash=eyes.fact("Leaf hash"))
        await self._walk.picture("burn-evidence", "The burn's bundle, every check made on this machine")
        await hands.press("Alt+4")

    async def burn_drill_identity(self) -> None:
        """The drill identity is burned, and nobody can take it for real."""
        hands, eyes = self._hands, self._eyes
        await hands.press("Ctrl+N", "Ctrl+Shift+D")
        await hands.until("the drill identity", lambda: eyes.rows("Blast radius, one row a system"))
        await hands.press("Alt+1")
        hold = await hands.until("the order", lambda: eyes.find(HoldButton, "DRILL: hold to burn *"))
        await hands.until("the drill is ready to be held", hold.isEnabled)
        self._walk.read(button=hold.text(), systems=eyes.rows("Blast radius, one row a system"))
        await self._walk.picture("drill-before", "A drill says so before anything happens")
        await hands.press("Ctrl+Return")
        await hands.until("the hold listens", lambda: hold.is_ready)
        await hands.down("Space")
        try:
            await hands.until("the board", lambda: eyes.fact("Time to last door"), 5.0)
        finally:
            await hands.up("Space")
        await hands.until("every door refuses", lambda: "Every door refuses" in eyes.words(), 20.0)
        await hands.until("the answer", lambda: eyes.fact("Locally").startswith("denied after"))
        self._walk.read(doors=eyes.text_like(r"^\d+ of \d+$"), said=eyes.text_like("^DRILL · TRAINING"))
        await self._walk.picture("drill-after", "And on every record after it")

    async def read_audit_log(self) -> None:
        """Search the log for the person and read every act of this job."""
        hands, eyes = self._hands, self._eyes
        await hands.press("Ctrl+K")
        await hands.type(f"#{PERSON}")
        await hands.until("the search", lambda: [one for one in eyes.items("Results") if PERSON in one])
        await hands.press("Return")
        await hands.until("page Audit", lambda: eyes.page == "Audit")
        table = PAGES["audit"].table
        await hands.until("the rows", lambda: self._walk.loaded_rows(table))
        await hands.press("Ctrl+U")

        def job() -> Rows:
            rows = self._walk.loaded_rows(table)
            said = [row["WHAT HAPPENED"] for row in rows]
            return rows if all(any(words in one for one in said) for words in JOB) else []

        rows = await hands.until("the rows of the job", job)
        await hands.press("Ctrl+T", "Home", "Down", "Ctrl+H")
        await hands.until("an entry and its codes", lambda: eyes.label("Leaf hash"))
        self._walk.read(
            found=eyes.text_like(r"^[\d,]+ of [\d,]+ entries"),
            acts=[row["WHAT HAPPENED"] for row in rows],
            outcomes=sorted({row["OUTCOME"] for row in rows}),
            leaf_hash=eyes.label("Leaf hash").replace("\u200b", ""),
            checkpoint=eyes.label("Checkpoint, signed by the log").replace("\u200b", "").split("\n")[0],
        )
        await hands.press("Ctrl+H", "Ctrl+Return")
        await hands.until("the proof", lambda: eyes.text_like(r"^checked \d"), 30.0)
        await self._walk.picture("audit", "Every act of this job in the signed log, and the proof of one")

    async def show_past(self) -> None:
        """The strip goes back to an event by a key; the log and the dashboard follow, and Esc is live again."""
        hands, eyes = self._hands, self._eyes
        await self._walk.open_page("audit")
        await hands.press("Alt+G", "Shift+Left")
        await hands.until("the past", lambda: self._frame_words().startswith("PAST "))
        await hands.until("the rows of then", self._past_rows)
        self._walk.read(past=self._frame_words(), strip=eyes.find(TimeStrip, "Time strip*").value_text)
        await self._walk.picture("past-audit", "A moment of the past: the log stands there, and nothing can be changed")
        await hands.press("Ctrl+1")
        await hands.until("the frames of then", lambda: eyes.find(KpiTile, "Frames that answered at *"))
        await self._walk.picture("past-dashboard", "How the frames answered then; what is of now says so")
        await hands.press("Esc")
        await hands.until("live again", lambda: not self._frame_words())

    def _past_rows(self) -> bool:
        """Whether the log's table stands in the past, and has its rows."""
        marks = [one.word for one in self._eyes.all(StateMark)]
        return "Past" in marks and bool(self._walk.loaded_rows(PAGES["audit"].table))

    def _refusals(self) -> int:
        """Rows of the log in which a door refused the burned badge."""
        rows = self._walk.loaded_rows(PAGES["audit"].table)
        return sum("refused the burned badge" in row["WHAT HAPPENED"] for row in rows)

    def _frame_words(self) -> str:
        """What the frame round the page says; empty without one."""
        return next((one.accessibleName() for one in self._eyes.all(PastCover)), "")

    async def prove_rows(self) -> None:
        """Mark rows of the log, and save what proves them as one signed file."""
        hands, eyes = self._hands, self._eyes
        await hands.press("Ctrl+0")
        await hands.until("page Audit", lambda: eyes.page == "Audit")
        # Until the rows of now have come, those of the visit before stand there. One refusal was asked for at each of
        # two pages.
        await hands.until("both refusals", lambda: self._refusals() == 2)
        await hands.press("Ctrl+T", "Home", "Space", "Down", "Space", "Down", "Space")
        await hands.until("the marks", lambda: "3 entries marked" in eyes.texts())
        await self._walk.picture("audit-marked", "Rows of the log, marked to be proven")
        with tempfile.TemporaryDirectory(prefix="arc-tour-") as folder:
            path = Path(folder) / "rows.zip"
            await self._save_as("Ctrl+E", path)
            with zipfile.ZipFile(path) as bundle:
                self._walk.read(proven=[name for name in sorted(bundle.namelist()) if name.endswith(".leaf")])

    async def save_report(self) -> None:
        """What happened over a day, on paper, with its evidence beside it."""
        hands, eyes = self._hands, self._eyes
        with tempfile.TemporaryDirectory(prefix="arc-tour-") as folder:
            path = Path(folder) / "report.pdf"
            await hands.press("Alt+R")
            await self._walk.wait_for_dialog()
            await hands.until("the spans", lambda: eyes.has_focus("Span of the report"))
            await self._walk.picture_of_form("report", "The span of a report")
            await self._save_as("Return", path)
            self._walk.read(paper=path.stat().st_size, evidence=path.with_suffix(".zip").exists())

    async def _save_as(self, keys: str, path: Path) -> None:
        """Press the keys that ask for a place, write it, and wait for the file."""
        await self._hands.press(keys)
        await self._hands.until("the name of the file", lambda: self._eyes.has_focus("Name of the file"))
        await self._hands.press("Ctrl+A")
        await self._hands.type(str(path), "the path of a file")
        await self._hands.press("Return")
        await self._walk.wait_for_window()
        await self._hands.until("the file", path.exists, 100.0)


def _milliseconds(text: str) -> float:
    found = re.match(r"[\d.]+", text)
    return float(found[0]) if found else -1.0
