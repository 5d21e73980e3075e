"""The way through the console: the main job step by step, then every page in both themes and at other sizes.

The operator's hands are imitated by keys, and values are read from the window. The size of the window is the one thing
that keys do not set: a display would give it.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

from PySide6.QtWidgets import QWidget

from app.console.tour.chapters.burns import BurnChapter
from app.console.tour.chapters.cards import CardChapter
from app.console.tour.chapters.doors import DoorChapter
from app.console.tour.chapters.enforcement import EnforcementChapter
from app.console.tour.chapters.looks import LooksChapter
from app.console.tour.chapters.media import MediaChapter
from app.console.tour.chapters.opening import OpeningChapter
from app.console.tour.chapters.people import PeopleChapter
from app.console.tour.chapters.site import SiteChapter
from app.console.tour.chapters.stock import StockChapter
from app.console.tour.chapters.verification import VerifyChapter
from app.console.tour.chapters.voices import VoiceChapter
from app.console.tour.eyes import NotSeen
from app.console.tour.hands import StepFailed
from app.console.tour.report import Report, TourStep
from app.console.tour.walk import Walk

DESK, BADGE, ADMIN = "Training desk", "Training badge office", "Training administrator"


class Step(NamedTuple):
    """One step: its name, its work, and the training operator whose work it is; empty: anybody's."""

    name: str
    work: Callable[[], Awaitable[None]]
    operator: str = ""


def steps_of(walk: Walk) -> list[Step]:
    """Every step by its name, in the order in which they are walked: a later one relies on what earlier ones did."""
    opening, stock, cards, doors = OpeningChapter(walk), StockChapter(walk), CardChapter(walk), DoorChapter(walk)
    burns, verification, site, looks = BurnChapter(walk), VerifyChapter(walk), SiteChapter(walk), LooksChapter(walk)
    media, voices, enforcement = MediaChapter(walk), VoiceChapter(walk), EnforcementChapter(walk)
    people = PeopleChapter(walk)
    return [
        Step("the console opens", opening.open_console, DESK),
        Step("find a person in the palette", opening.find_person, BADGE),
        Step("the stock gets two elements", stock.take_in_elements, BADGE),
        Step("write the card", cards.write_card, BADGE),
        Step("grant access", cards.grant_access, BADGE),
        Step("read every APDU", cards.read_apdus, BADGE),
        Step("the badge opens a door", doors.open_door, BADGE),
        Step("a person on one page", people.open_person, DESK),
        Step("enrol the palm at the training terminal", verification.enrol_palm, BADGE),
        Step("the palm is matched", verification.match_palm, BADGE),
        Step("a voice is checked", voices.check_voice, BADGE),
        Step("takes of a voice", voices.enrol_voice, BADGE),
        Step("see what a burn would touch", burns.preview_burn, DESK),
        Step("contain and release", burns.contain_and_release, DESK),
        Step("hold to burn", burns.hold_to_burn, DESK),
        Step("the door refuses the badge", doors.refuse_badge, DESK),
        Step("the palm is matched no more", verification.refuse_palm, DESK),
        Step("the dashboard tells of the burned badge", burns.see_alarm, DESK),
        Step("the burn's evidence is verified", burns.verify_evidence, DESK),
        Step("a drill is one", burns.burn_drill_identity, DESK),
        Step("the audit log has the job", burns.read_audit_log, DESK),
        Step("back to the moment of the burn", burns.show_past, DESK),
        Step("rows of the log are proven", burns.prove_rows, DESK),
        Step("a report over a day", burns.save_report, DESK),
        Step("write a batch of two cards", cards.write_batch, BADGE),
        Step("the stock tells of the written card", stock.see_issued_card, BADGE),
        Step("look at the readers with the doctor", cards.ask_doctor, BADGE),
        Step("seal a consent", site.seal_consent, BADGE),
        Step("a rotating code is accepted once", verification.scan_code, BADGE),
        Step("a picture is scanned", media.scan_picture, DESK),
        Step("a declaration is issued and sent", enforcement.issue_strike, DESK),
        Step("what the platform did is recorded", enforcement.record_outcome, DESK),
        Step("the strike's bundle is saved", enforcement.save_bundle, DESK),
        Step("an HR system is believed, and its signed test is taken", site.add_hr_source, ADMIN),
        Step("infrastructure", site.read_infrastructure, ADMIN),
        Step("settings", site.read_settings, ADMIN),
        Step("lock the desk and unlock it", opening.lock_desk, ADMIN),
        Step("the wall display and back", opening.show_wall, ADMIN),
        Step("every page in light", looks.show_light_theme, ADMIN),
        Step("every page at 125 % text", looks.show_larger_text, ADMIN),
        Step("every page at 150 % text", looks.show_large_text, ADMIN),
        Step("every page at 1024 x 700", looks.show_small_window, ADMIN),
        Step("every page at 1920 x 1080", looks.show_large_window, ADMIN),
    ]


class Route:
    """Walks the steps. ``report`` fills on the way, so that a tour that ends early tells what was seen until then."""

    def __init__(self, window: QWidget, out: Path, report: Report, ends_at: float) -> None:
        self._walk = Walk(window, out, ends_at)
        self._report = report
        self._ends_at = ends_at

    async def walk(self) -> None:
        """Take every step in order until the tour's time is over; a step that fails is reported, and the next one is
        tried."""
        for name, work, operator in steps_of(self._walk):
            began = time.monotonic()
            if began > self._ends_at:
                self._report.trouble.append(f"the time is over before: {name}")
                return
            step = self._walk.step = TourStep(name)
            self._report.steps.append(step)
            try:
                await self._walk.become(operator)
                await work()
                step.ok = True
            except (StepFailed, NotSeen) as error:
                step.reason = str(error)
                await self._show_failure()
            step.did = self._walk.hands.take_done()
            step.seconds = round(time.monotonic() - began, 2)

    async def leave(self) -> None:
        """Quit as a person does. The caller sees whether the console closed."""
        with contextlib.suppress(StepFailed):
            await self._walk.hands.press("Ctrl+Q")

    async def _show_failure(self) -> None:
        """Keep a picture of the failed step, then press Esc to leave a dialog or a palette."""
        await self._walk.keep_failure()
        with contextlib.suppress(StepFailed):
            await self._walk.hands.press("Esc")
