"""What every step of the tour stands on: the window is read and pressed, pictures are taken and judged."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget

from app.console import theme
from app.console.shell.operator_cell import OperatorCell
from app.console.shell.picture_file import save_picture
from app.console.tour.eyes import Eyes, NotSeen, Rows
from app.console.tour.hands import Hands, StepFailed
from app.console.tour.judge import judge_picture
from app.console.tour.layout import Layout, layout_of, stale_words, stream_lives
from app.console.tour.pages import PAGES
from app.console.tour.pixels import pixels_of
from app.console.tour.report import Picture, TourStep
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import ChoiceField
from app.console.widgets.hero import StateHero
from app.console.widgets.kpi import KpiTile

PERSON = "ARC-T0001"
"""A training person without a card."""
LAYOUT_S, VALUE_S = 1.0, 10.0
"""How long changed words may take to be laid out, and a chart's newest value to come: two looks at a frame."""


def _choice_field() -> ChoiceField:
    """The field of suggestions that has the focus. Raises NotSeen."""
    field = QApplication.focusWidget()
    if not isinstance(field, ChoiceField):
        raise NotSeen(f"the focus is in {type(field).__name__}")
    return field


class Walk:
    """One walk through the window: its hands, its eyes, the step at work and the pictures taken so far."""

    def __init__(self, window: QWidget, out: Path, ends_at: float) -> None:
        self.window = window
        self.hands = Hands(window, ends_at)
        self.eyes = Eyes(window)
        self.step = TourStep("start")
        """The step that pictures and values belong to."""
        self._out = out
        self._pictures = 0

    def look(self) -> QImage:
        """The window with what lies over it (lists that drop down are windows of their own)."""
        image = self.window.grab().toImage()
        over = [top for top in QApplication.topLevelWidgets() if top.isVisible() and top is not self.window]
        if over:
            painter = QPainter(image)
            for top in over:
                painter.drawPixmap(top.pos() - self.window.mapToGlobal(QPoint(0, 0)), top.grab())
            painter.end()
        return image

    def _shape(self) -> list[QRect]:
        return [widget.geometry() for widget in self.eyes.all(QWidget)]

    async def settle(self) -> None:
        """Wait until the layout no longer moves and no value is stale because the page was left. What stays stale is
        judged with the picture."""
        # The dashboard fits its grid twice a second; other pages lay themselves out at once.
        quiet = 0.6 if self.eyes.page == "Dashboard" else 0.08
        before, since = self._shape(), time.monotonic()
        for _ in range(75):
            await asyncio.sleep(0.04)
            now = self._shape()
            if now != before or theme.waits():
                before, since = now, time.monotonic()
            elif time.monotonic() - since >= quiet:
                if not stale_words(self.eyes):
                    return
                since = time.monotonic()

    async def picture(self, name: str, shows: str, *, settle: bool = True) -> None:
        """Take a picture of the window and judge it."""
        if settle:
            await self.settle()
        image, layout = self.look(), layout_of(self.eyes)
        if layout.missing or layout.cut:
            # Words that have just changed are laid out in a later turn of the loop, and on a busy machine a value comes
            # late; a fault that stays is judged below.
            with contextlib.suppress(StepFailed):
                await self.hands.until("the values", lambda: not layout_of(self.eyes).missing, VALUE_S)
                await self.hands.until("the layout", lambda: not layout_of(self.eyes).cut, LAYOUT_S)
            image, layout = self.look(), layout_of(self.eyes)
        await self._take(self.eyes, layout, image, name, shows)

    async def picture_of_form(self, name: str, shows: str) -> None:
        """Take a picture of the form that lies over the window, and judge it alone: it covers words of the page."""
        form = QApplication.activeModalWidget()
        if form is None:
            raise StepFailed("no form is open")
        eyes = Eyes(form)
        with contextlib.suppress(StepFailed):
            await self.hands.until("the layout", lambda: not layout_of(eyes).cut, LAYOUT_S)
        image = form.grab().toImage()
        await self._take(eyes, layout_of(eyes), image, name, shows)

    async def _take(self, eyes: Eyes, layout: Layout, image: QImage, name: str, shows: str) -> None:
        """Keep the picture of what ``eyes`` see, which stood as ``layout`` says, judged, with the step."""
        seen = eyes.tree()
        self._pictures += 1
        file = f"{self._pictures:03}-{name}.png"
        judgement = await asyncio.to_thread(self._keep, image, layout, file)
        size = image.size() / image.devicePixelRatio()
        tokens = theme.current()
        self.step.pictures.append(
            Picture(file, shows, size.width(), size.height(), tokens.name, theme.px(100), judgement, seen)
        )

    async def keep_failure(self) -> None:
        """Keep a picture of the window where a step failed; it is not judged."""
        image = self.look()
        self._pictures += 1
        await asyncio.to_thread(save_picture, image, self._out / f"{self._pictures:03}-failed.png")

    def _keep(self, image: QImage, layout: Layout, file: str) -> dict[str, object]:
        save_picture(image, self._out / file)
        return judge_picture(layout, pixels_of(image), image.devicePixelRatio())

    def read(self, **values: object) -> None:
        """Keep what was read from the window with the step."""
        self.step.read.update(values)

    async def wait_until_fresh(self, title: str) -> None:
        """Until the page has read its values again: those from an earlier visit are stale."""
        await self.hands.until(f"{title} of now", lambda: not stale_words(self.eyes))

    @property
    def operator(self) -> str:
        """Who the top bar says is signed in; empty: nobody."""
        return next((one.name for one in self.eyes.all(OperatorCell)), "")

    async def become(self, operator: str) -> None:
        """Switch operators by the key until it is this one; the first wait is for the service itself."""
        await self.hands.until("somebody at the desk", lambda: self.operator, 60.0)
        while self.operator != operator:
            past = ("", self.operator)
            await self.hands.press("F12")
            await self.hands.until("another operator", partial(self._is_other, past))

    def _is_other(self, past: tuple[str, str]) -> bool:
        return self.operator not in past

    async def go(self, page: str) -> None:
        """Open a page by its key; return when what it is for can be read."""
        stop = PAGES[page]
        await self.open_page(page)
        if page == "dashboard":
            await self.wait_for_dashboard()
        elif stop.table:
            await self.hands.until(f"rows of {stop.table}", lambda: self.loaded_rows(stop.table))
        await self.wait_until_fresh(stop.title)

    async def open_page(self, page: str) -> None:
        """Press the page's key until the page is shown, whether or not it has anything to show."""
        stop = PAGES[page]
        await self.hands.press(stop.key)
        await self.hands.until(f"page {stop.title}", lambda: self.eyes.page == stop.title)

    async def choose_person(self, name: str) -> None:
        """Type a name into the field of persons that has the focus, and take the row that is found. Raises
        StepFailed."""
        field = await self.hands.until("the hands in a field of persons", _choice_field)
        await self.hands.type(name)
        await self.hands.until("the person's row", QApplication.activePopupWidget)
        # The list may still be that of fewer letters: the choice is made when the answer to all of them has come.
        await self.hands.press("Return")
        await self.hands.until("the person", lambda: field.choice)

    def loaded_rows(self, table: str) -> Rows:
        """The rows of a table; none while a row still waits for its values."""
        rows = self.eyes.rows(table)
        return [] if any("…" in row.values() for row in rows[:40]) else rows

    def _count(self, title: str) -> tuple[int, int]:
        """``51 of 52`` of a key figure."""
        tile = self.eyes.find(KpiTile, f"{title} *")
        shown = f"{tile.value} {tile.unit}"
        found = re.fullmatch(r"(\d+) of (\d+)", shown)
        if found is None:
            raise NotSeen(f"{title} shows {shown!r}")
        return int(found[1]), int(found[2])

    def _frames_summary(self) -> str:
        """The accessible summary of all frames: ``Frames operational 51 of 52 Operational 1 maintenance``."""
        return self.eyes.find(KpiTile, "Frames operational *").accessibleName()

    async def wait_for_dashboard(self) -> None:
        """Until every frame answers, every reader is online and the live stream delivers events."""
        eyes = self.eyes

        def all_there() -> bool:
            working, _ = self._count("Frames operational")
            online, doors = self._count("Doors online")
            # Until somebody is burned, nobody knows how soon the last door of a burn closes.
            filled = eyes.tile("Handshake p99") not in ("", "–")
            # Frames under maintenance, and slow ones on a loaded machine, answer all the same.
            well = working > 0 and not re.search("unreachable|stale|unknown", self._frames_summary(), re.IGNORECASE)
            return filled and well and online == doors > 0

        await self.hands.until("every frame answers, every reader is online", all_there, 40.0)
        await self.hands.until("an event's age", lambda: stream_lives(eyes))

    def read_dashboard(self) -> None:
        """Keep the key figures of the dashboard with the step."""
        working, frames = self._count("Frames operational")
        online, doors = self._count("Doors online")
        self.read(
            frames_operational=working,
            frames=frames,
            frames_said=self._frames_summary(),
            readers_online=online,
            readers=doors,
            handshake_p99_ms=float(self.eyes.tile("Handshake p99")),
            state=self.eyes.find(StateHero, "State of the site*").words[0],
        )

    async def wait_until_ready(self, action: str) -> None:
        """Until the button of an action can be pressed."""
        await self.hands.until(f"{action} can be done", lambda: self.eyes.find(ActionButton, action).isEnabled())

    async def wait_for_dialog(self) -> None:
        """Until a form has the keyboard focus: keys that are pressed earlier are lost."""

        def has_the_keys() -> bool:
            form, focus = QApplication.activeModalWidget(), QApplication.focusWidget()
            return form is not None and focus is not None and form.isAncestorOf(focus)

        await self.hands.until("the form", lambda: QApplication.activeModalWidget() is not None)
        await self.hands.take_keys()
        await self.hands.until("the form's first field", has_the_keys)

    async def wait_for_window(self) -> None:
        """Until the form has closed and the window has the keyboard focus again."""
        await self.hands.until("the form has gone", lambda: QApplication.activeModalWidget() is None)
        await self.hands.take_keys()

    async def focus_table(self, name: str) -> None:
        """Tab to a table, and to its first row."""
        for _ in range(24):
            if self.eyes.has_focus(name):
                break
            await self.hands.press("Tab")
        if not self.eyes.has_focus(name):
            raise StepFailed(f"Tab does not lead to {name!r}")
        await self.hands.press("Home")


class Chapter:
    """A part of the job: the steps of one class share the window, the hands and the eyes of one walk."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._hands = walk.hands
        self._eyes = walk.eyes
