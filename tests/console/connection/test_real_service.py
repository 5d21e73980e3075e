"""The console with the real service on a training site: start, a killed child, a frozen child, the end."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.console.app import Console
from app.console.connection.supervisor import ServiceState, service_command
from app.console.diagnostics.process import alive
from app.console.page import PageRow
from app.console.theme.tokens import Meaning
from tests.console.conftest import until
from tests.served_site import ServedSite

PAGES = (PageRow("settings", "Settings", "settings", "Ctrl+Shift+2", "app.console.pages.settings", offline=True),)
LIMIT_S = 60.0


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One training site for all of them, one service after the other."""
    return ServedSite.laid_out(tmp_path_factory.mktemp("real") / "site", probe_interval_s=1.0).data_dir


@pytest.fixture
def live_console(
    application: QApplication, loop: asyncio.AbstractEventLoop, site: Path, tmp_path: Path, qtbot: Any
) -> Callable[[Callable[[Console], Any]], Console]:
    """Run a scene against a whole console, from the start of the child to the end of the window."""

    def play(scene: Callable[[Console], Any]) -> Console:
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
                await until(lambda: console.session.is_connected, "the connection")
                await scene(console)
            finally:
                console.window.closing.emit()
                await running

        loop.run_until_complete(asyncio.wait_for(whole(), LIMIT_S))
        return console

    return play


def test_it_connects_registers_itself_and_follows(live_console: Any) -> None:
    """The unit is in the registry under its own key, and the stream is live."""

    async def scene(console: Console) -> None:
        await until(lambda: console.session.live.state == "live", "the stream")
        units = await console.session.client.registry_list_units()
        assert [unit.unit_id.startswith("console-") for unit in units.items] == [True]
        assert console.session.clearance == "citadel"

    live_console(scene)


def test_a_killed_service_comes_back_with_another_key(live_console: Any) -> None:
    """SIGKILL: a new child, a new client, the stream live again, no page lost."""

    async def scene(console: Console) -> None:
        await until(lambda: console.session.live.state == "live", "the stream")
        first, pid = console.session.client, console.session.service_pid
        os.kill(pid, signal.SIGKILL)
        await until(lambda: not console.session.is_connected, "the loss")
        await until(lambda: console.session.is_connected, "the new connection")
        assert console.session.client is not first
        assert console.session.service_pid != pid
        await until(lambda: console.session.live.state == "live", "the new stream")

    live_console(scene)


def test_a_frozen_service_leaves_no_green(live_console: Any) -> None:
    """SIGSTOP: nothing is heard any more, and the top bar says so within two intervals, by the local clock alone."""

    async def scene(console: Console) -> None:
        live, mark = console.session.live, console.window.top.service
        await until(lambda: live.state == "live" and live.stream.interval_s == 1.0, "the probes' pulse")
        await until(lambda: mark.word == "Connected", "the good state")
        pid = console.session.service_pid
        os.kill(pid, signal.SIGSTOP)
        try:
            await until(lambda: mark.state is Meaning.IDLE, "the stale mark")
            assert mark.word.startswith("STALE since ")
        finally:
            os.kill(pid, signal.SIGCONT)
        await until(lambda: mark.word == "Connected", "the good state again")

    live_console(scene)


def test_closing_leaves_no_process_and_no_task(live_console: Any) -> None:
    """The child has ended when the console has."""
    pids: list[int] = []

    async def scene(console: Console) -> None:
        pids.append(console.session.service_pid)

    console = live_console(scene)
    assert not alive(pids[0])
    assert console.supervisor is not None
    assert console.supervisor.state is ServiceState.STOPPED
    assert len(console.session.tasks) == 0


def test_a_closed_console_has_taken_its_unit_back(live_console: Any) -> None:
    """The next launch finds its own unit and not that of the one before, whose name was of another key."""
    launches: list[tuple[str, set[str]]] = []

    async def scene(console: Console) -> None:
        await until(lambda: console.session.live.state == "live", "the stream")
        units = (await console.session.client.registry_list_units()).items
        assert all(unit.tags == ["console-launch"] for unit in units)
        newest = max(units, key=lambda unit: unit.created_at)
        launches.append((newest.unit_id, {unit.unit_id for unit in units}))

    live_console(scene)
    live_console(scene)
    (first, _), (second, found) = launches
    assert second != first
    assert first not in found
