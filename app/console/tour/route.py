"""The way through the console: the main job step by step, then every page in both themes and at other sizes.

Everything is done by keys and read from the window. The size of the window is the one thing that keys do not set: it is
what a display would give.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLineEdit, QListView, QTabBar, QTableView, QWidget

from app.console import theme
from app.console.shell.picture_file import save_picture
from app.console.tour.eyes import Eyes, NotSeen, Rows, table_rows
from app.console.tour.hands import Hands, StepFailed
from app.console.tour.judge import (
    Layout,
    filled_share,
    judged,
    layout_of,
    pixels_of,
    stale_words,
    stream_lives,
)
from app.console.tour.report import Picture, Report, TourStep
from app.console.widgets.buttons import ActionButton
from app.console.widgets.hold import HoldButton
from app.console.widgets.kpi import KpiTile
from app.console.widgets.marks import StateMark
from app.console.widgets.secret import SecretDialog
from app.console.widgets.stepper import Stepper
from app.console.widgets.verdict import VerdictLabel

PERSON = "ARC-T0001"
"""A training person without a card."""
BATCH = ("ARC-T0040", "ARC-T0041")
"""Training persons without a card, who get theirs in one batch."""
CONSENTS = "ARC-T0002"
"""A training person whose card was written: a live check stands."""
NORMAL, LARGE = QSize(1480, 900), QSize(1920, 1080)
PAGES: Mapping[str, tuple[str, str]] = {
    "dashboard": ("Ctrl+1", "Dashboard"),
    "write-card": ("Ctrl+2", "Write card"),
    "batch": ("Ctrl+Shift+3", "Batches"),
    "stock": ("Ctrl+Shift+4", "Stock"),
    "burn": ("Ctrl+3", "Burn"),
    "verify": ("Ctrl+4", "Verify"),
    "seals": ("Ctrl+6", "Seals"),
    "readers": ("Ctrl+8", "Readers"),
    "hr": ("Ctrl+9", "HR events"),
    "audit": ("Ctrl+0", "Audit"),
    "infrastructure": ("Ctrl+Shift+1", "Infrastructure"),
    "settings": ("Ctrl+Shift+2", "Settings"),
}
TABLE = {
    "readers": "Doors of the cluster",
    "audit": "Audit log, newest entry first",
    "infrastructure": "Server frames by group",
    "burn": "Targets of the burn",
    "verify": "Palm terminals and what they decided",
    "seals": "Consents that were sealed, newest first",
    "hr": "Calls of HR systems, newest first",
}
"""The table that a page is looked at for."""
HELD = "Contained and queued, newest first"
ELEMENTS = "Secure elements of the stock"
APART = "training-0002"
"""An element of the stock that no card of this site is."""
SCANS = "Codes that this console has judged, newest first"
MOST_SCANS = 20
MOST_SWAPS = 24
"""Cards in and out, by a batch of two at any number of readers."""
LAYOUT_S = 1.0
"""How long changed words may take to be laid out."""
HALF_HELD = 0.45


class Route:
    """Walks it. ``report`` fills while it goes, so that a tour that ends early tells what was seen until then."""

    def __init__(self, window: QWidget, out: Path, report: Report, ends_at: float) -> None:
        self._window = window
        self._out = out
        self._report = report
        self._ends_at = ends_at
        self._hands = Hands(window, ends_at)
        self._eyes = Eyes(window)
        self._step = TourStep("start")
        self._pictures = 0

    async def walk(self) -> None:
        """Every step in order; one that fails is told and the next is tried, until the tour's time is over."""
        steps: list[tuple[str, Callable[[], Awaitable[None]]]] = [
            ("the console opens", self._opens),
            ("find a person in the palette", self._palette),
            ("the stock gets two elements", self._stock),
            ("write the card", self._write_card),
            ("grant access", self._grant),
            ("read every APDU", self._trace),
            ("the badge opens a door", self._granted),
            ("enrol the palm at the training terminal", self._palm_enrolled),
            ("the palm is matched", self._palm_matched),
            ("see what a burn would touch", self._foresee),
            ("contain and release", self._contain),
            ("hold to burn", self._burn),
            ("the door refuses the badge", self._denied),
            ("the palm is matched no more", self._palm_refused),
            ("the dashboard tells of the burned badge", self._alarm),
            ("the burn's evidence is verified", self._evidence),
            ("a drill is one", self._drill),
            ("the audit log has the job", self._audit),
            ("write a batch of two cards", self._batch),
            ("the stock tells of the written card", self._issued),
            ("look at the readers with the doctor", self._doctor),
            ("seal a consent", self._seals),
            ("a rotating code is accepted once", self._codes),
            ("an HR system is believed, and its signed test is taken", self._hr),
            ("infrastructure", self._infrastructure),
            ("settings", self._settings),
            ("every page in light", self._light),
            ("every page at 125 % text", self._larger),
            ("every page at 1920 x 1080", self._large),
        ]
        for name, work in steps:
            began = time.monotonic()
            if began > self._ends_at:
                self._report.trouble.append(f"the time is over before: {name}")
                return
            self._step = TourStep(name)
            self._report.steps.append(self._step)
            try:
                await work()
                self._step.ok = True
            except (StepFailed, NotSeen) as error:
                self._step.reason = str(error)
                await self._failed()
            self._step.did = self._hands.take_done()
            self._step.seconds = round(time.monotonic() - began, 2)

    async def leave(self) -> None:
        """Quit as a person does. Whether the console closed is seen by whoever runs it."""
        with contextlib.suppress(StepFailed):
            await self._hands.press("Ctrl+Q")

    async def _failed(self) -> None:
        """A picture of where it failed, and out of anything that lies over the page."""
        image = self._look()
        self._pictures += 1
        await asyncio.to_thread(save_picture, image, self._out / f"{self._pictures:02}-failed.png")
        with contextlib.suppress(StepFailed):
            await self._hands.press("Esc")

    # --- parts -------------------------------------------------------------------------------------------------------

    def _look(self) -> QImage:
        """The window with what lies over it (lists that drop down are windows of their own)."""
        image = self._window.grab().toImage()
        over = [top for top in QApplication.topLevelWidgets() if top.isVisible() and top is not self._window]
        if over:
            painter = QPainter(image)
            for top in over:
                painter.drawPixmap(top.pos() - self._window.mapToGlobal(QPoint(0, 0)), top.grab())
            painter.end()
        return image

    def _shape(self) -> list[QRect]:
        return [widget.geometry() for widget in self._eyes.all(QWidget)]

    async def _settled(self) -> None:
        """Until the layout no longer moves and nothing waits for its first answer after the page was left. What stays
        stale is judged with the picture."""
        # The dashboard fits its grid twice a second; other pages lay themselves out at once.
        quiet = 0.6 if self._eyes.page == "Dashboard" else 0.08
        before, since = self._shape(), time.monotonic()
        for _ in range(75):
            await asyncio.sleep(0.04)
            now = self._shape()
            if now != before or stale_words(self._eyes):
                before, since = now, time.monotonic()
            elif time.monotonic() - since >= quiet:
                return

    async def _picture(self, name: str, shows: str, *, settle: bool = True) -> None:
        """Take a picture of the window and judge it."""
        if settle:
            await self._settled()
        # Words that have just changed are laid out in a later turn of the loop; a fault that stays is told below.
        with contextlib.suppress(StepFailed):
            await self._hands.until("the layout", lambda: not layout_of(self._eyes).cut, LAYOUT_S)
        layout = layout_of(self._eyes)
        image = self._look()
        seen = self._eyes.tree()
        self._pictures += 1
        file = f"{self._pictures:02}-{name}.png"
        judgement = await asyncio.to_thread(self._keep, image, layout, file)
        size = image.size() / image.devicePixelRatio()
        tokens = theme.current()
        self._step.pictures.append(
            Picture(file, shows, size.width(), size.height(), tokens.name, theme.px(100), judgement, seen)
        )

    def _keep(self, image: QImage, layout: Layout, file: str) -> dict[str, object]:
        save_picture(image, self._out / file)
        return judged(layout, pixels_of(image), image.devicePixelRatio())

    def _read(self, **values: object) -> None:
        self._step.read.update(values)

    async def _fresh(self, title: str) -> None:
        """What a page had when it was left is old until it has asked again."""
        await self._hands.until(f"{title} of now", lambda: not stale_words(self._eyes))

    async def _go(self, page: str) -> None:
        """Open a page by its key; return when what it is for can be read."""
        key, title = PAGES[page]
        await self._hands.press(key)
        await self._hands.until(f"page {title}", lambda: self._eyes.page == title)
        if page == "dashboard":
            await self._dashboard_is_there()
        elif page in TABLE:
            await self._hands.until(f"rows of {TABLE[page]}", lambda: self._loaded(TABLE[page]))
        await self._fresh(title)

    def _loaded(self, table: str) -> Rows:
        """The rows of a table when all that was asked for has come."""
        rows = self._eyes.rows(table)
        return [] if any("…" in row.values() for row in rows[:40]) else rows

    def _count(self, title: str) -> tuple[int, int]:
        """``51/52`` of a key figure."""
        found = re.fullmatch(r"(\d+)/(\d+)", self._eyes.tile(title))
        if found is None:
            raise NotSeen(f"{title} shows {self._eyes.tile(title)!r}")
        return int(found[1]), int(found[2])

    def _frames_said(self) -> str:
        """What is said of all frames: ``Frames operational 51/52 Operational 1 maintenance``."""
        return self._eyes.named(KpiTile, "Frames operational *").accessibleName()

    async def _dashboard_is_there(self) -> None:
        eyes = self._eyes

        def all_there() -> bool:
            working, _ = self._count("Frames operational")
            online, doors = self._count("Readers online")
            told = all(tile.value not in ("", "–") for tile in eyes.all(KpiTile))
            # Frames under maintenance, and slow ones on a loaded machine, answer all the same.
            well = working > 0 and not re.search("unreachable|stale|unknown", self._frames_said(), re.IGNORECASE)
            return told and well and online == doors > 0

        await self._hands.until("every frame answers, every reader is online", all_there, 40.0)
        await self._hands.until("an event's age", lambda: stream_lives(eyes))

    def _dashboard_figures(self) -> None:
        working, frames = self._count("Frames operational")
        online, doors = self._count("Readers online")
        half, _, high = self._eyes.tile("Handshake p50 / p99").partition(" / ")
        self._read(
            frames_operational=working,
            frames=frames,
            frames_said=self._frames_said(),
            readers_online=online,
            readers=doors,
            handshake_p50_ms=float(half),
            handshake_p99_ms=float(high),
            open_burns=int(self._eyes.tile("Open burns")),
        )

    # --- the main job ------------------------------------------------------------------------------------------------

    async def _ready(self, action: str) -> None:
        """Until the button of an action can be pressed."""
        await self._hands.until(f"{action} can be done", lambda: self._eyes.named(ActionButton, action).isEnabled())

    async def _opens(self) -> None:
        hands, eyes = self._hands, self._eyes
        await hands.until("the service is connected", lambda: "Connected" in eyes.words(), 60.0)
        await hands.until("the dashboard", lambda: eyes.page == "Dashboard")
        await hands.take_keys()
        await self._dashboard_is_there()
        self._dashboard_figures()
        await hands.press("Alt+2", "Right", "Right")
        await hands.until("the certificate of a frame", lambda: "days left" in eyes.label("Certificate"))
        record = eyes.label("handshake_latency")
        self._read(
            node_id=eyes.label("node_id"),
            status=eyes.label("status"),
            handshake_latency=record,
            active_sovereign_nodes=eyes.label("active_sovereign_nodes"),
            uplink=eyes.label("uplink").replace("\n", " "),
        )
        await self._picture("dashboard", "The site is live: frames, readers, latencies, one frame's record")

    async def _palette(self) -> None:
        hands, eyes = self._hands, self._eyes
        await hands.press("Ctrl+K")
        await hands.until("the palette", lambda: eyes.focused("Search people, ids, commands"))
        commands = await hands.until("its commands", lambda: eyes.items("Results"))
        self._read(commands=len(commands))
        await self._picture("palette-commands", "Every action with its key")
        await hands.type(f"@{PERSON}")
        found = await hands.until("the person", lambda: [one for one in eyes.items("Results") if PERSON in one])
        self._read(found=found)
        await self._picture("palette-people", "A person, and what can be done")
        await hands.press("Down", "Return")
        await hands.until("page Write card", lambda: eyes.page == "Write card")

    async def _write_card(self) -> None:
        hands, eyes = self._hands, self._eyes
        await hands.until("the person is chosen", lambda: any(PERSON in word for word in eyes.words("Order")))
        await hands.until("a blank card lies in the reader", lambda: "Blank" in " ".join(eyes.words("Card")))
        self._read(
            person=eyes.named(QLineEdit, "Person who holds the card").text(),
            standing_before=eyes.words("Order")[0],
            readers=eyes.items("Card readers"),
            card=eyes.words("Card")[0],
            hardware_uid=eyes.fact("hardware_uid"),
        )
        await self._picture("write-card-ready", "A blank card and its future holder")
        await self._ready("Write card")
        await hands.press("Ctrl+Return")
        stages = await hands.until("a stage runs", lambda: self._stages("running") or self._stages("done"))
        self._read(stages_running=stages)
        await self._picture("write-card-running", "Stages of the write", settle=False)
        await hands.until("the card is finished", lambda: "Complete" in eyes.words("Proof"), 30.0)
        finished = eyes.fact("Finished").split()
        figures = re.search(r"(\d+) APDUs in (.+)", eyes.fact("Write"))
        if figures is None:
            raise StepFailed(f"no figures in {eyes.fact('Write')!r}")
        self._read(
            provision_id=finished[-1],
            state=next(word for word in eyes.words("Proof") if word == "Complete"),
            proofs=[word for word in eyes.words("Proof") if word != "Complete"],
            apdu_count=int(figures[1]),
            duration=figures[2],
            card_guid=eyes.fact("Card GUID"),
            keys=eyes.rows("Keys of the card, with the SHA-256 of certificate and public key"),
            stages=self._stages("done"),
        )
        await self._picture("write-card-proof", "Written, read back and proven")

    def _stages(self, state: str) -> list[str]:
        for stepper in self._eyes.all(Stepper):
            said = stepper.accessibleName().split(", ")
            return [one.removesuffix(f" {state}") for one in said if one.endswith(f" {state}")]
        raise NotSeen("no stages")

    async def _grant(self) -> None:
        hands, eyes = self._hands, self._eyes
        await self._ready("Grant access")
        await hands.press("Ctrl+G")
        await hands.until("the clusters have the focus", lambda: isinstance(eyes.focus(), QCheckBox))
        focus = eyes.focus()
        self._read(cluster=focus.accessibleName() if focus is not None else "")
        await hands.press("Space", "Ctrl+G")
        await hands.until("access is granted", lambda: "Granted" in eyes.words("Next"))
        self._read(doors=[word for word in eyes.words("Next") if "doors in" in word])
        await self._picture("grant", "The doors have the card")

    async def _trace(self) -> None:
        hands, eyes = self._hands, self._eyes
        await hands.press("Alt+2")
        rows = await hands.until("the APDUs", lambda: eyes.rows("APDUs of this provisioning", 2000))
        verdict = [word for word in eyes.words() if "differen" in word or "compare" in word or "slow" in word]
        self._read(verdict=verdict, against=eyes.text_like("last good|first good"))
        self._read(apdus=len(rows), first=rows[0], last=rows[-1], said=eyes.text_like(r"\d+ APDUs, .* in the card"))
        await self._focus_table("APDUs of this provisioning")
        await self._picture("apdu-trace", "Every APDU, secrets as their length")
        await hands.press("Alt+1")

    async def _focus_table(self, name: str) -> None:
        """Tab to a table, and to its first row."""
        for _ in range(24):
            if self._eyes.focused(name):
                break
            await self._hands.press("Tab")
        if not self._eyes.focused(name):
            raise StepFailed(f"Tab does not lead to {name!r}")
        await self._hands.press("Home")

    async def _granted(self) -> None:
        hands, eyes = self._hands, self._eyes
        await hands.press("Ctrl+D")
        await hands.until("page Readers", lambda: eyes.page == "Readers")
        doors = await hands.until("doors", lambda: eyes.rows("Doors of the cluster"))
        await hands.until("the badge in hand", lambda: eyes.named(QLineEdit, "Person whose badge is held up").text())
        await hands.until("the doors have the focus", lambda: eyes.focused("Doors of the cluster"))
        self._read(doors=len(doors), secure=sum(door["STATE"] == "Secure channel" for door in doors))
        await self._present()
        await self._picture("readers-grant", "The badge at a door: it opens")

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
        await self._ready("Present the badge")
        await hands.press("Ctrl+Return")
        newest = await hands.until("the stream tells of it", lambda: accesses()[:1] if len(accesses()) > before else [])
        decision = await hands.until("the door decides", eyes.verdict)
        self._read(decision=decision, access=newest[0])
        return decision

    async def _foresee(self) -> None:
        hands, eyes = self._hands, self._eyes
        await hands.press("Ctrl+K")
        await hands.type(f"@{PERSON}")
        await hands.until("the person", lambda: [one for one in eyes.items("Results") if PERSON in one])
        await hands.press("Return")
        await hands.until("page Burn", lambda: eyes.page == "Burn")
        rows = await hands.until("the blast radius", lambda: eyes.rows("Blast radius, one row a system"))
        await hands.press("Alt+1")
        await hands.until("a reason", lambda: eyes.named(QLineEdit, "Reason of the burn").text())
        await self._ready("Present the badge")
        await hands.press("Ctrl+P")
        before = await hands.until("the door decides", eyes.verdict)
        hold = eyes.named(HoldButton, "Hold to burn*")
        await hands.until("the burn is ready to be held", hold.isEnabled)
        await hands.press("Ctrl+Return")
        await hands.until("the hold button has the focus", lambda: isinstance(eyes.focus(), HoldButton))
        self._read(
            subject=eyes.named(QLineEdit, "Whom to burn").text(),
            doors=eyes.tile("Doors"),
            cards=eyes.tile("Cards"),
            expected_last_door=eyes.tile("Expected last door"),
            systems=rows,
            reason=eyes.named(QLineEdit, "Reason of the burn").text(),
            decision_before=before,
        )
        await self._picture("burn-blast-radius", "What the burn would touch; nothing has happened")

    async def _burn(self) -> None:
        hands, eyes = self._hands, self._eyes
        hold = eyes.named(HoldButton, f"Hold to burn {PERSON}")
        await hands.down("Space")

        def half() -> bool:
            return filled_share(hold.grab().toImage(), theme.current().crit) >= HALF_HELD

        try:
            await hands.until("half of the hold", half, 5.0)
            await self._picture("burn-hold", "Held with Space; letting go aborts", settle=False)
            await hands.until("the board", lambda: eyes.rows("Targets of the burn"), 5.0)
        finally:
            await hands.up("Space")
        await hands.until("every door refuses", lambda: "Every door refuses" in eyes.words("Targets"), 20.0)
        told = await hands.until("the answer", lambda: eyes.text_like(r"^burn_\S+ · denied here in"))
        rows = eyes.rows("Targets of the burn")
        doors = [row for row in rows if row["KIND"] == "Door"]
        self._read(
            burn_id=told.split()[0],
            time_to_last_door=eyes.label("Time to last door"),
            doors=len(doors),
            count=eyes.text_like(r"^\d+ of \d+ doors$"),
            states=sorted({row["STATE"] for row in rows}),
            slowest_door=max((row["PROVEN AFTER"] for row in doors), key=_milliseconds),
            others=[row for row in rows if row["KIND"] != "Door"],
            facts=told,
        )
        await self._picture("burn-board", "Every target with its proof; the clock has stopped")
        await hands.press("Ctrl+H")

        def listed() -> Rows:
            rows = eyes.rows("Burns, newest first")
            return [row for row in rows if row["NODE"] == PERSON and row["STATE"] == "Complete"]

        history = await hands.until("the burn among the burns", listed)
        self._read(burn_state=history[0]["STATE"].upper())
        await self._picture("burns", "Every burn, newest first")
        await hands.press("Alt+4")

    async def _contain(self) -> None:
        """The subject is locked for a while, and let in again: the badge is refused in between."""
        hands, eyes = self._hands, self._eyes
        await self._ready("Contain the subject now")
        await hands.press("Ctrl+D")

        def contained() -> Rows:
            return [row for row in eyes.rows(HELD) if row["NODE"] == PERSON]

        await hands.press("Alt+6")
        rows = await hands.until("the containment", contained)
        await hands.press("Ctrl+P")
        await hands.until("the door refuses", lambda: eyes.verdict() == "DENY")
        self._read(contained=rows, said=eyes.text_like(r"after [\d.]+ ms\."))
        await self._picture("contained", "Denied at every door of the site for a quarter of an hour, and counted down")
        await hands.press("Alt+4")
        await self._ready("Release the subject")
        await hands.press("Ctrl+U")

        def free() -> bool:
            return not eyes.named(ActionButton, "Release the subject").isEnabled()

        await hands.until("the release", free)
        await hands.press("Ctrl+P")
        await hands.until("the door opens", lambda: eyes.verdict() == "GRANT")
        self._read(released=eyes.verdict())
        await hands.press("Ctrl+Return")
        await hands.until("the hold button has the focus", lambda: isinstance(eyes.focus(), HoldButton))

    async def _evidence(self) -> None:
        """The row of the dashboard opens the burn; its bundle is checked on this machine."""
        hands, eyes = self._hands, self._eyes
        await hands.press("Home", "Return")
        await hands.until("page Burn", lambda: eyes.page == "Burn")
        alarm = await hands.until(
            "the alarm at the board", lambda: next((word for word in eyes.words() if word.startswith("Alarm: ")), "")
        )
        await hands.press("Alt+8")
        await self._ready("Verify now")
        await hands.press("Ctrl+Shift+V")
        await hands.until("the checks", lambda: eyes.text_like("^Checked on this machine"))
        self._read(alarm=alarm, checks=eyes.words("Evidence of the burn"), leaf_hash=eyes.fact("Leaf hash"))
        await self._picture("burn-evidence", "The burn's bundle, every check made on this machine")
        await hands.press("Alt+4")

    async def _drill(self) -> None:
        """The drill identity is burned, and nobody can take it for real."""
        hands, eyes = self._hands, self._eyes
        await hands.press("Ctrl+N", "Ctrl+Shift+D")
        await hands.until("the drill identity", lambda: eyes.rows("Blast radius, one row a system"))
        await hands.press("Alt+1")
        hold = await hands.until("the order", lambda: eyes.named(HoldButton, "DRILL: hold to burn *"))
        await hands.until("the drill is ready to be held", hold.isEnabled)
        self._read(button=hold.text(), systems=eyes.rows("Blast radius, one row a system"))
        await self._picture("drill-before", "A drill says so before anything happens")
        await hands.press("Ctrl+Return")
        await hands.down("Space")
        try:
            await hands.until("the board", lambda: eyes.rows("Targets of the burn"), 5.0)
        finally:
            await hands.up("Space")
        await hands.until("every door refuses", lambda: "Every door refuses" in eyes.words("DRILL · Targets"), 20.0)
        self._read(doors=eyes.text_like(r"^\d+ of \d+ doors$"), said=eyes.text_like("^DRILL · TRAINING"))
        await self._picture("drill-after", "And on every record after it")

    async def _denied(self) -> None:
        hands, eyes = self._hands, self._eyes
        await self._ready("Present the badge")
        await hands.press("Ctrl+P")
        await hands.until("the door refuses", lambda: eyes.verdict() == "DENY")
        self._read(decision_at_burn_page=eyes.verdict(), said=eyes.text_like(r"after [\d.]+ ms\."))
        await self._picture("burn-deny", "The same badge at the same door")
        await self._go("readers")
        await self._present()
        await self._picture("readers-deny", "The badge at its door: it stays shut")

    async def _alarm(self) -> None:
        hands, eyes = self._hands, self._eyes
        await self._go("dashboard")
        needs = await hands.until("the burned badge", lambda: self._needs("Burned badge used"))
        await hands.press("Alt+1")
        await hands.until("the focus", lambda: eyes.focused("Needs you"))
        self._dashboard_figures()
        self._read(needs=needs, happened=eyes.rows("Cards and burns", 8))
        await self._picture("dashboard-needs-you", "A burned badge was used: the first row of what needs a person")

    def _needs(self, words: str) -> Rows:
        return [row for row in self._eyes.rows("Needs you") if words in row["WHAT"]]

    async def _audit(self) -> None:
        hands, eyes = self._hands, self._eyes
        await hands.press("Ctrl+K")
        await hands.type(f"#{PERSON}")
        await hands.until("the search", lambda: [one for one in eyes.items("Results") if PERSON in one])
        await hands.press("Return")
        await hands.until("page Audit", lambda: eyes.page == "Audit")
        table = TABLE["audit"]
        wanted = {"burn.executed", "burn.complete", "burn.tripwire", "provisioning.complete", "credentials.sync"}

        def job() -> Rows:
            rows = self._loaded(table)
            return rows if wanted <= {row["ACTION"] for row in rows} else []

        rows = await hands.until("the rows of the job", job)
        await hands.press("Ctrl+T", "Home", "Down")
        await hands.until("an entry", lambda: eyes.label("Leaf hash"))
        self._read(
            found=eyes.text_like(r"^[\d,]+ found"),
            actions=[row["ACTION"] for row in rows],
            outcomes=sorted({row["OUTCOME"] for row in rows}),
            leaf_hash=eyes.label("Leaf hash").replace("\u200b", ""),
            checkpoint=eyes.label("Checkpoint, signed by the log").replace("\u200b", "").split("\n")[0],
        )
        await self._picture("audit", "Every act of this job in the signed log")

    async def _stock(self) -> None:
        """The card that lies in the reader, and one that is set apart, are taken into the stock."""
        hands, eyes = self._hands, self._eyes
        # The card in the second reader is the last that a training site lays out: until then other blank cards pass
        # through the first one, on their way to their holders.
        laid_out = "Training Reader 2, Written"
        await hands.until("the site's cards", lambda: laid_out in " ".join(eyes.items("Card readers")))
        await hands.until("a blank card lies in the reader", lambda: "Blank" in " ".join(eyes.words("Card")))
        uid = eyes.fact("hardware_uid")
        await self._go("stock")
        await self._add_element(uid, "Training card", "Desk 1")
        await self._add_element(APART, "Training card", "Safe 2, tray 14")
        await hands.press("F7")
        await self._dialog()
        await hands.type("Contacts are scratched")
        await hands.press("Return")
        await self._back_in_the_window()
        await hands.until("the element is set apart", lambda: self._stock_row(APART)["STATE"] == "Quarantined")
        await hands.press("Alt+1")
        self._read(elements=eyes.rows(ELEMENTS), counts=[mark.word for mark in eyes.all(StateMark)])
        await self._picture("stock", "The stock of secure elements: one may be written, one may not")
        key, title = PAGES["write-card"]
        await hands.press(key)
        await hands.until(f"page {title}", lambda: eyes.page == title)

    async def _dialog(self) -> None:
        """Until a form has the keys: what is typed before goes nowhere."""

        def has_the_keys() -> bool:
            form, focus = QApplication.activeModalWidget(), QApplication.focusWidget()
            return form is not None and focus is not None and form.isAncestorOf(focus)

        await self._hands.until("the form", lambda: QApplication.activeModalWidget() is not None)
        await self._hands.take_keys()
        await self._hands.until("the form's first field", has_the_keys)

    async def _back_in_the_window(self) -> None:
        """The form has gone, and the window has the keys again."""
        await self._hands.until("the form has gone", lambda: QApplication.activeModalWidget() is None)
        await self._hands.take_keys()

    async def _add_element(self, uid: str, product: str, location: str) -> None:
        hands = self._hands
        await self._ready("Add an element")
        await hands.press("Ctrl+N")
        await self._dialog()
        await hands.type(uid)
        await hands.press("Tab")
        await hands.type(product)
        await hands.press("Tab")
        await hands.type(location)
        await hands.press("Return")
        await hands.until(f"{uid} in the stock", lambda: self._stock_row(uid))
        await self._back_in_the_window()

    def _stock_row(self, uid: str) -> dict[str, str]:
        for row in self._eyes.rows(ELEMENTS):
            if row["ELEMENT"] == uid.lower():
                return row
        raise NotSeen(f"no element {uid} in the stock")

    async def _issued(self) -> None:
        """What the stock says of the card of this job."""
        hands, eyes = self._hands, self._eyes
        await self._go("stock")
        await hands.press("Alt+1", "Up")
        row = await hands.until("the written card", lambda: [r for r in eyes.rows(ELEMENTS) if r["STATE"] == "Issued"])
        written = await hands.until("what was written", lambda: eyes.rows("Provisionings of the element, newest first"))
        self._read(element=row[0], written=written)
        await self._picture("stock-issued", "The written card in the stock, with its provisioning")

    async def _batch(self) -> None:
        """Two people without a card are ticked; every card goes in and out as the page asks."""
        hands, eyes = self._hands, self._eyes
        await self._go("batch")
        await self._ready("People without a card")
        await hands.press("Ctrl+P")
        await self._dialog()
        for node_id in BATCH:
            await self._tick(node_id)
        await hands.press("Return")
        await self._back_in_the_window()
        lines = await hands.until("two good lines", lambda: "2 lines, all good" in eyes.words("Lines"))
        self._read(lines=lines, listed=eyes.rows("Lines of the list, bad ones first"))
        await self._picture("batch-list", "Who gets a card, checked line by line")
        await self._ready("Start the batch")
        await hands.press("Ctrl+Return")
        table = "Lines of the batch, those that need somebody first"
        await hands.until("the batch", lambda: eyes.rows(table))

        def over() -> Rows:
            rows = eyes.rows(table)
            return rows if all(row["STATE"] == "Written" for row in rows) else []

        def asks() -> bool:
            return eyes.named(ActionButton, "Next training card").isEnabled()

        for at in range(MOST_SWAPS):
            await hands.until("a reader asks for a card, or all are written", lambda: over() or asks())
            if over():
                break
            await hands.press("Ctrl+I")
            if at == 0:
                await self._picture("batch-running", "Each reader says what the person at it does next", settle=False)
        rows = await hands.until("every card of the batch", over)
        await hands.until("the batch is done", lambda: eyes.text_like("ended 20"))
        self._read(rows=rows, words=eyes.words())
        await self._picture("batch-done", "Two cards written without a click")

    async def _tick(self, node_id: str) -> None:
        """Search a person in the dialog and tick them."""
        hands = self._hands
        top = QApplication.activeModalWidget()
        if top is None:
            raise StepFailed("no dialog has the keys")
        dialog = Eyes(top)
        search = dialog.named(QLineEdit, "Search people without a card")
        while not search.hasFocus():
            await hands.press("Shift+Tab")
        await hands.press("Ctrl+A")
        await hands.type(node_id)
        people = dialog.named(QListView, "People; Space ticks")
        await hands.until(
            f"{node_id} alone", lambda: [node_id in one for one in dialog.items("People; Space ticks")] == [True]
        )
        await hands.press("Tab")
        await hands.until("the people have the focus", people.hasFocus)
        await hands.press("Home", "Space")

    async def _doctor(self) -> None:
        """What is the matter with each reader."""
        hands, eyes = self._hands, self._eyes
        await self._go("write-card")
        await hands.press("Alt+4")
        table = "What is the matter with readers and cards"
        found = await hands.until("the doctor's findings", lambda: eyes.rows(table))
        await hands.until("the findings have the focus", lambda: eyes.focused(table))
        await hands.press("Home", "Down")
        self._read(findings=found)
        await self._picture("doctor", "Each reader: what is so, and what to do")
        await hands.press("Alt+1")

    async def _seals(self) -> None:
        """A consent becomes a leaf that the site's witnesses cosign; its proof is checked on this machine."""
        hands, eyes = self._hands, self._eyes
        key, title = PAGES["seals"]
        await hands.press(key)
        await hands.until(f"page {title}", lambda: eyes.page == title)
        await self._ready("Seal a consent")
        await hands.press("Ctrl+N")
        await self._dialog()
        await hands.type(CONSENTS)
        await hands.until("the person's row", QApplication.activePopupWidget)
        await hands.press("Return", "Tab")
        for text in ("Identity check at the door", "TRAINING site", "Card"):
            await hands.type(text)
            await hands.press("Tab")
        await hands.press("Return")
        await self._back_in_the_window()
        rows = await hands.until("the seal", lambda: self._loaded(TABLE["seals"]))
        await hands.until("both heads", lambda: eyes.words("Witnesses and heads").count("Cosigned") == 2)
        await self._ready("Verify now")
        await hands.press("Ctrl+Return")
        await hands.until("the verdict", lambda: eyes.named(VerdictLabel, "Proof holds"))
        self._read(seals=rows, witnesses=eyes.rows("Witnesses of the logs"))
        await self._picture("seals", "A sealed consent: its proof holds, and who cosigned it")

    async def _palm_enrolled(self) -> None:
        hands, eyes = self._hands, self._eyes
        await hands.press(PAGES["verify"][0])
        await hands.until("the page", lambda: eyes.page == PAGES["verify"][1])
        await hands.press("Alt+4")
        await hands.type(PERSON)
        await hands.until("the person's row", QApplication.activePopupWidget)
        await hands.press("Return")
        await hands.until("the person is not enrolled", lambda: "Not enrolled" in eyes.words("Who is enrolled"))
        await self._ready("Enrol by the training terminal")
        await hands.press("Ctrl+Shift+E")
        await hands.until("the outcome", lambda: eyes.named(VerdictLabel, "Enrolled"))
        await hands.until("the person is enrolled", lambda: "Palm enrolled" in eyes.words("Who is enrolled"))
        self._read(samples=eyes.fact("Samples"), registry=eyes.fact("Registry"))
        await self._picture("palm-enrolled", "A palm enrolled at the training terminal: what is kept and what is not")

    async def _palm_matched(self) -> None:
        hands, eyes = self._hands, self._eyes
        await hands.press("Alt+1")
        await hands.until("the terminals", lambda: eyes.rows(TABLE["verify"]))
        # Nobody is chosen yet: the key leads to the field.
        await hands.press("Ctrl+T")
        await hands.type(PERSON)
        await hands.until("the person's row", QApplication.activePopupWidget)
        await hands.press("Return", "Ctrl+T")
        await self._palm_decided("Match")
        await self._picture("palm-match", "The palm at a terminal: decision, confidence, how far it may be believed")

    async def _palm_refused(self) -> None:
        hands = self._hands
        await self._go("verify")
        await hands.press("Alt+1", "Ctrl+T")
        await self._palm_decided("No match")
        await self._picture("palm-burned", "The same palm after the burn: nobody, and the cause is in the log alone")

    async def _palm_decided(self, word: str) -> None:
        """The newest decision is this one, and is the one that is explained."""
        eyes = self._eyes
        await self._hands.until(f"the decision {word}", lambda: eyes.named(VerdictLabel, word))
        decisions = eyes.rows("Decisions by palm, newest first")
        self._read(decision=decisions[0], person=eyes.fact("Person"), confidence=eyes.fact("Confidence"))

    async def _codes(self) -> None:
        """The code is read off the screen as a phone would and typed as a scanner types; the same one again is told."""
        hands, eyes = self._hands, self._eyes
        key, title = PAGES["verify"]
        await hands.press(key)
        await hands.until(f"page {title}", lambda: eyes.page == title)
        await hands.press("F9")
        await hands.until("the terminals", lambda: eyes.named(QComboBox, "Terminal").currentText())
        await self._ready("Show the terminal's code")
        await hands.press("F7")
        await hands.until("the code", eyes.code)
        accepted = ""
        for _ in range(MOST_SCANS):
            accepted = eyes.code()
            # A machine that is held up for two steps scans too late.
            if await self._scanned(accepted) == "Accepted":
                break
        else:
            raise StepFailed("no code was accepted")
        self._read(terminal=eyes.fact("Terminal"), first=eyes.rows(SCANS)[0]["RESULT"])
        await self._picture("verify-code", "A terminal's rotating code, read off the screen and accepted")
        self._read(second=await self._scanned(accepted))
        await self._picture("verify-code-replayed", "The same code a second time: refused, and an alarm")
        await hands.press("Ctrl+.", "Alt+1")

    async def _scanned(self, payload: str) -> str:
        """What is said of a scanned code."""
        before = len(self._eyes.rows(SCANS))
        await self._hands.type(payload, told="the scanned code")
        await self._hands.press("Return")
        rows = await self._hands.until(
            "the judgement", lambda: self._eyes.rows(SCANS)[before:] and self._eyes.rows(SCANS)
        )
        return rows[0]["RESULT"]

    async def _hr(self) -> None:
        """A source is added, and this console calls the service as that source, with the secret from the clipboard."""
        hands, eyes = self._hands, self._eyes
        key, title = PAGES["hr"]
        await hands.press(key)
        await hands.until(f"page {title}", lambda: eyes.page == title)
        await hands.until("the inbox", lambda: "Nothing waits" in eyes.words("Inbox"))
        await self._picture("hr-empty", "Nobody has called: the page says what to do first")
        await self._ready("Add a source")
        await hands.press("Ctrl+N")
        await self._dialog()
        await hands.type("training-hr")
        await hands.press("Return")
        await hands.until("the secret, shown once", lambda: isinstance(QApplication.activeModalWidget(), SecretDialog))
        await self._dialog()
        # The focus is on its button to copy; the next one closes it.
        await hands.press("Space", "Tab", "Space")
        await self._back_in_the_window()
        sources = await hands.until("the source", lambda: eyes.rows("HR sources"))
        await self._picture("hr-sources", "Who is believed, by which signature, under which brake")
        await self._ready("Send a signed test")
        await hands.press("Ctrl+T")
        await self._dialog()
        await hands.press("Ctrl+V", "Return")
        await self._back_in_the_window()
        calls = await hands.until("the test in the inbox", lambda: self._loaded(TABLE["hr"]))
        await hands.until("what came of it", lambda: "Ignored" in eyes.words("Event"))
        self._read(sources=sources, calls=calls)
        await self._picture("hr-inbox", "The signed test: its signature is good, and it burned nobody")

    async def _infrastructure(self) -> None:
        hands, eyes = self._hands, self._eyes
        await self._go("infrastructure")
        await hands.press("Alt+1", "Home", "Down")
        rows = await hands.until("percentiles", lambda: [r for r in eyes.rows(TABLE["infrastructure"]) if r["P50"]])
        self._read(frames=len(rows), first=rows[0], operational=sum(row["STATUS"] == "Operational" for row in rows))
        await self._picture("infrastructure", "Each frame: percentiles, phases, certificate, group")

    async def _settings(self) -> None:
        hands, eyes = self._hands, self._eyes
        await self._go("settings")
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
            with contextlib.suppress(NotSeen):
                rows = eyes.rows("Diagnostics")
            if title in ("People", "Directories"):
                await hands.until(f"rows of {title}", lambda: any(table_rows(one, 1) for one in eyes.all(QTableView)))
            await self._picture(f"settings-{title.lower().replace(' ', '-')}", f"Settings: {title}")
            if at < bar.count() - 1:
                await hands.press("Right")
        if not rows:
            raise StepFailed("no section of the settings has the diagnostics")
        self._read(diagnostics={row["MEASURED"]: row["NOW"] for row in rows})
        await hands.press(*["Left"] * (bar.count() - 1))

    # --- looks -------------------------------------------------------------------------------------------------------

    async def _light(self) -> None:
        await self._hands.press("Ctrl+Shift+T")
        await self._hands.until("the light theme", lambda: theme.current().name == "light")
        try:
            await self._every_page("light")
        finally:
            await self._hands.press("Ctrl+Shift+T")
            await self._hands.until("the dark theme", lambda: theme.current().name == "dark")

    async def _larger(self) -> None:
        await self._hands.press("Ctrl++")
        await self._hands.until("larger text", lambda: theme.px(100) == 125)
        try:
            await self._every_page("125")
        finally:
            await self._hands.press("Ctrl+-")
            await self._hands.until("the text as before", lambda: theme.px(100) == 100)

    async def _large(self) -> None:
        self._window.resize(LARGE)
        try:
            await self._every_page("1920x1080")
        finally:
            self._window.resize(NORMAL)

    def _burned(self) -> bool:
        return any("Revoked" in word for word in self._eyes.words("Order"))

    async def _every_page(self, suffix: str) -> None:
        """A picture of each page as it stands after the job."""
        focus = {
            "dashboard": ("Alt+1",),
            "write-card": ("Ctrl+R",),
            "burn": ("Alt+4",),
            "readers": ("Ctrl+P",),
            "audit": ("Ctrl+T",),
            "infrastructure": ("Alt+1",),
            "batch": ("Alt+3",),
            "stock": ("Alt+1",),
            "settings": (),
            "verify": ("Alt+1",),
            "seals": ("Alt+1",),
            "hr": ("Alt+1",),
        }
        failed = []
        for page, (_, title) in PAGES.items():
            try:
                await self._go(page)
                if page == "write-card":
                    await self._hands.until("the person is told as burned", self._burned)
                await self._hands.press(*focus[page])
                await self._picture(f"{page}-{suffix}", f"{title}, {suffix}")
            except (StepFailed, NotSeen) as error:
                failed.append(f"{title}: {error}")
        if failed:
            raise StepFailed("; ".join(failed))


def _milliseconds(text: str) -> float:
    found = re.match(r"[\d.]+", text)
    return float(found[0]) if found else -1.0
