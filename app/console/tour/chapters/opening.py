"""The console opens, and a person is found."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton

from app.console.shell.wall import SCENES
from app.console.shell.wall_parts import SceneRow
from app.console.tour.walk import PERSON, Chapter


class OpeningChapter(Chapter):
    """The console opens, and a person is found."""

    async def open_console(self) -> None:
        """Wait for the service; look at the first steps, and go past them; read one frame's record."""
        hands, eyes = self._hands, self._eyes
        await hands.until("the service is connected", lambda: eyes.find(QPushButton, "Link: Live*"), 60.0)
        await hands.until("the dashboard", lambda: eyes.page == "Dashboard")
        await hands.take_keys()
        await hands.until("the first steps", lambda: eyes.has_focus("Burn a training person"))
        await self._walk.picture("first-steps", "A new site: three steps, each ticked by what the service knows")
        await hands.press("Alt+0")
        await self._walk.wait_for_dashboard()
        self._walk.read_dashboard()
        await hands.press("Alt+2", "Right", "Right")
        await hands.until("the certificate of a frame", lambda: "days left" in eyes.label("Certificate"))
        record = eyes.label("First byte after")
        self._walk.read(
            node_id=eyes.label("Node"),
            status=eyes.label("Status"),
            handshake_latency=record,
            active_sovereign_nodes=eyes.label("Sovereign frames"),
            uplink=eyes.label("Uplink").replace("\n", " "),
        )
        await self._walk.picture("dashboard", "The site is live: frames, readers, latencies, one frame's record")

    async def find_person(self) -> None:
        """Open the palette, look at its commands, and go to a person's card."""
        hands, eyes = self._hands, self._eyes
        await hands.press("Ctrl+K")
        await hands.until("the palette", lambda: eyes.has_focus("Search people, ids, commands"))
        commands = await hands.until("its commands", lambda: eyes.items("Results"))
        self._walk.read(commands=len(commands))
        await self._walk.picture("palette-commands", "Every action with its key")
        await hands.type(f"@{PERSON}")
        found = await hands.until("the person", lambda: [one for one in eyes.items("Results") if PERSON in one])
        self._walk.read(found=found)
        await self._walk.picture("palette-people", "A person, and what can be done")
        await hands.press("Down", "Return")
        await hands.until("page Write card", lambda: eyes.page == "Write card")

    async def lock_desk(self) -> None:
        """Lock: alarms stay in sight, names go; sign in again by a button of the training operators."""
        hands, eyes = self._hands, self._eyes
        who = self._walk.operator
        await hands.press("Ctrl+L")
        await hands.until("the lock", lambda: "Locked" in eyes.texts())
        await self._walk.picture("locked", "A locked desk: what is wrong, never who")
        while not eyes.has_focus(f"Sign in as {who}"):
            await hands.press("Tab")
        await hands.press("Space")
        await hands.until("the desk", lambda: self._walk.operator == who)

    async def show_wall(self) -> None:
        """F11: the wall display, each scene by hand; Esc goes back to the page."""
        hands, eyes = self._hands, self._eyes
        await hands.press("F11")
        await hands.until("the wall", lambda: eyes.find(SceneRow, "*"))
        for at, name in enumerate(("frames", "latency", "burns", "needs"), 1):
            # An alarm that waits, or the time, may have chosen any of them: a round leads to each.
            for _step in range(4):
                if eyes.find(SceneRow, "*").accessibleName().endswith(f", scene {at} of 4"):
                    break
                await hands.press("Right")
            eyes.find(SceneRow, f"{SCENES[at - 1]}, scene {at} of 4")
            await self._walk.picture(f"wall-{name}", "The wall display: how the site stands, and nobody's name")
        await hands.press("Escape")
        await hands.until("the page", lambda: not list(eyes.all(SceneRow)))
