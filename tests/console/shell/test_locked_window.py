"""The whole window over a real training service: locked it shows what is wrong and nobody's name, and does nothing."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6 import QtCore
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QLabel, QLineEdit, QWidget

from app.capabilities.burn.messages import BurnBody
from app.console.actions import WHILE_LOCKED
from app.console.app import Console
from app.console.connection.supervisor import service_command
from app.console.devices.screen_saver import ScreenSaver
from app.console.page import PageRow
from app.console.theme.tokens import Meaning
from app.registry.messages.nodes import NodeBody
from tests.console.conftest import until
from tests.served_site import ServedSite

PAGES = (
    PageRow("burn", "Burn", "flame", "Ctrl+3", "app.console.pages.burn"),
    PageRow("settings", "Settings", "settings", "Ctrl+Shift+4", "app.console.pages.settings", offline=True),
)
SECRET = "Wilhelmina Nobody-Else"
LIMIT_S = 90.0


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One training site for all of them, one service after the other."""
    return ServedSite.laid_out(tmp_path_factory.mktemp("locked") / "site").data_dir


@pytest.fixture
def played(
    application: QApplication, loop: asyncio.AbstractEventLoop, site: Path, tmp_path: Path, qtbot: Any
) -> Callable[[Callable[[Console], Any]], None]:
    """Run a scene against a whole console, from the start of the child to the end of the window."""

    def play(scene: Callable[[Console], Any]) -> None:
        console = Console(
            application,
            profile="training",
            command=service_command(site, "training"),
            preferences_path=tmp_path / "preferences.json",
            pages=PAGES,
        )
        qtbot.addWidget(console.window)
        console.start()
        console.load()

        async def whole() -> None:
            running = asyncio.ensure_future(console.run())
            try:
                await until(lambda: console.session.operator is not None, "somebody at the desk")
                await scene(console)
            finally:
                console.window.closing.emit()
                await running

        loop.run_until_complete(asyncio.wait_for(whole(), LIMIT_S))

    return play


def shown_texts(console: Console) -> str:
    """Every text that can be seen or read aloud in the window."""
    said = []
    for one in console.window.findChildren(QWidget):
        if one.isVisible():
            text = one.text() if isinstance(one, QLabel | QAbstractButton | QLineEdit) else ""
            said += [text, one.accessibleName(), one.toolTip()]
    return " ".join(said)


def test_a_locked_window_names_nobody_and_the_page_stays(played: Any) -> None:
    async def scene(console: Console) -> None:
        window, session = console.window, console.session
        await session.client.burn_execute(BurnBody(node_id="ARC-NOBODY-1", scope="LOCAL_ONLY", reason=SECRET))
        window.navigate("burn", {})
        page: Any = window.presenter("burn")
        page.view.order.reason.setText(SECRET)
        session.notify(f"{SECRET} was burned.")
        alarms = window._alarms
        assert alarms is not None
        await until(lambda: any(one.kind == "burn.unknown_node" for one in alarms.alarms), "the alarm")
        assert SECRET in shown_texts(console)

        assert window.actions_.trigger("console.lock")
        await until(lambda: "A burn names an id that nobody has" in shown_texts(console), "the alarm without a name")
        said = shown_texts(console)
        assert SECRET not in said
        assert "ARC-NOBODY-1" not in said
        assert {one.id for one in window.actions_.all() if window.actions_.is_enabled(one.id)} <= WHILE_LOCKED

        lock: Any = window._lock_view
        lock.panel.people[0].click()
        await until(lambda: session.operator is not None, "the next operator")
        assert page.view.order.reason.text() == SECRET
        assert window.page == "burn"
        assert page.view.isVisible()

    played(scene)


def test_a_locked_window_tells_how_the_site_is(played: Any) -> None:
    """Frames, doors and open burns with their age; of a service that is frozen, how old they are."""

    async def scene(console: Console) -> None:
        window = console.window
        assert window.actions_.trigger("console.lock")
        lock: Any = window._lock_view
        figures = lock.alarms.figures.values
        await until(lambda: figures["Data"].text().endswith("s old"), "the figures")
        assert (figures["Doors"].text(), figures["Open burns"].text()) == ("104 of 104", "0")
        await until(lambda: int(figures["Frames"].text().split(" of ")[0]) > 40, "frames that answer")
        child = console.session.service_pid
        os.kill(child, signal.SIGSTOP)
        try:
            await until(lambda: figures["Data"].text().startswith("STALE since"), "their age")
        finally:
            os.kill(child, signal.SIGCONT)

    played(scene)


def test_one_key_switches_the_training_operator_and_keeps_the_page(played: Any) -> None:
    async def scene(console: Console) -> None:
        window, session = console.window, console.session
        window.navigate("settings", {})
        assert window.top.operator.name == "Training desk"
        assert window.actions_.trigger("console.switch")
        await until(lambda: window.top.operator.name == "Training badge office", "the other one")
        body = NodeBody(display_name="Training Newcomer")
        made = await session.client.registry_put_node("ARC-NEWCOMER", body)
        assert made.node_id == "ARC-NEWCOMER"
        assert window.page == "settings"

    played(scene)


def test_a_dialog_comes_back_without_the_secrets_of_the_last_operator(played: Any) -> None:
    async def scene(console: Console) -> None:
        window = console.window
        dialog = QDialog(window)
        words, secret = QLineEdit("kept", dialog), QLineEdit("a PIN", dialog)
        secret.setEchoMode(QLineEdit.EchoMode.Password)
        dialog.open()
        window.actions_.trigger("console.lock")
        await until(lambda: not dialog.isVisible(), "the dialog is covered")
        lock: Any = window._lock_view
        lock.panel.people[1].click()
        await until(dialog.isVisible, "the dialog is back")
        assert (words.text(), secret.text()) == ("kept", "")
        dialog.close()

    played(scene)


def test_a_wall_names_nobody_and_takes_no_action(played: Any, qtbot: Any) -> None:
    """An alarm holds its scene; the lock that comes meanwhile stands behind the wall when Esc ends it."""

    async def scene(console: Console) -> None:
        window, session = console.window, console.session
        await session.client.burn_execute(BurnBody(node_id="ARC-NOBODY-2", scope="LOCAL_ONLY", reason=SECRET))
        assert window.actions_.trigger("console.wall")
        wall: Any = window._wall
        await until(wall.isVisible, "the wall")
        await until(lambda: wall.sentence.text() == "A burn names an id that nobody has", "the alarm without a name")
        assert wall.state.text().endswith("you")
        assert wall.scenes.currentWidget() is wall.burns
        assert SECRET not in shown_texts(console)
        assert "ARC-NOBODY-2" not in shown_texts(console)
        assert {one.id for one in window.actions_.all() if window.actions_.is_enabled(one.id)} <= WHILE_LOCKED

        desk: Any = window._desk
        desk.lock()
        await until(lambda: session.resting, "the lock")
        assert wall.isVisible()
        assert not window._lock_view.isVisible()  # type: ignore[union-attr]
        await until(lambda: wall.age.text().endswith("s old"), "figures that nobody signed in for")
        qtbot.keyClick(wall, QtCore.Qt.Key.Key_Escape)
        assert window._lock_view.isVisible()  # type: ignore[union-attr]
        assert not window._open.isVisible()
        assert not window.actions_.is_enabled("page.settings")

    played(scene)


def test_a_wall_keeps_the_screen_awake_while_it_is_shown(played: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judged by what the wall says to the screen saver; ``test_screen_saver`` judges what that says to a desktop."""
    said: list[str] = []
    monkeypatch.setattr(ScreenSaver, "hold", lambda _self, reason: said.append(reason))
    monkeypatch.setattr(ScreenSaver, "release", lambda _self: said.append("free"))

    async def scene(console: Console) -> None:
        window = console.window
        assert said == []
        for _ in range(2):
            said.clear()
            assert window.actions_.trigger("console.wall")
            await until(lambda: bool(said), "the wall")
            assert said == ["A wall display is shown"]
            assert window.actions_.trigger("console.wall")
            assert said[1:] == ["free"]

    played(scene)


def test_a_wall_over_a_frozen_service_is_never_green(played: Any) -> None:
    async def scene(console: Console) -> None:
        window = console.window
        assert window.actions_.trigger("console.wall")
        wall: Any = window._wall
        await until(wall.isVisible, "the wall")
        await until(lambda: wall.meaning is not Meaning.IDLE, "the state of the site")
        await until(lambda: wall.age.text().endswith("s old"), "figures")
        await until(lambda: wall.tiles[3].said == ("0", Meaning.OK, "No target is open"), "open burns")
        online, state, _words = wall.tiles[1].said
        assert (online.split(" of ")[0], state) == (online.split(" of ")[1], Meaning.OK)
        child = console.session.service_pid
        os.kill(child, signal.SIGSTOP)
        try:
            await until(lambda: wall.meaning is Meaning.IDLE, "that nothing is known")
            assert wall.state.text() == "Unknown"
            await until(lambda: "STALE since" in wall.age.text(), "since when")
            # Nothing stays from before: neither a figure nor a list of what was open.
            wall._beat()
            assert {tile.said[:2] for tile in wall.tiles} == {("–", Meaning.IDLE)}
            assert "Nobody knows what is open" in wall.needs.accessibleName()
            assert "–" in wall.burns.accessibleName()
        finally:
            os.kill(child, signal.SIGCONT)

    played(scene)


def test_keys_choose_the_scene_of_a_wall_and_hold_it(played: Any, qtbot: Any) -> None:
    async def scene(console: Console) -> None:
        window = console.window
        assert window.actions_.trigger("console.wall")
        wall: Any = window._wall
        await until(wall.isVisible, "the wall")
        chosen = (wall.scenes.currentIndex() + 1) % 4
        qtbot.keyClick(wall, QtCore.Qt.Key.Key_Right)
        assert wall.scenes.currentIndex() == chosen
        assert wall.why.text() == "Held by hand"
        assert window.actions_.trigger("console.wall")
        assert window._open.isVisible()
        assert not wall.isVisible()

    played(scene)
