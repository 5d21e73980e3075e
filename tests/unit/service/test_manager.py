"""What a service manager hears of this process, on a real datagram socket as systemd binds it."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api.guard import GuardPolicy
from app.service.manager import ServiceManager
from app.service.process import GuardedServer, bind

WATCHDOG_US = 30_000


@pytest.fixture
def heard(tmp_path: Path) -> Iterator[socket.socket]:
    """The manager's socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(str(tmp_path / "notify"))
        receiver.settimeout(30)
        yield receiver


def _queued(heard: socket.socket) -> list[bytes]:
    """What has come by now."""
    heard.setblocking(False)
    states = []
    with contextlib.suppress(BlockingIOError):
        while True:
            states.append(heard.recv(4096))
    return states


def _environment(heard: socket.socket, **more: str) -> dict[str, str]:
    return {"NOTIFY_SOCKET": heard.getsockname(), **more}


async def _no_application(_scope: object, _receive: object, _send: object) -> None:
    return None


def test_server_tells_its_start_and_its_end(heard: socket.socket) -> None:
    """Ready comes after the ready line's port answers, stopping before the last request ends."""
    manager = ServiceManager.of(_environment(heard))

    async def serve() -> None:
        with bind("127.0.0.1", 0) as listener:
            server = GuardedServer(_no_application, listener, GuardPolicy(), stdout=io.StringIO(), manager=manager)
            served = asyncio.create_task(server.run_on_listener())
            assert await asyncio.to_thread(heard.recv, 4096) == b"READY=1"
            _, writer = await asyncio.open_connection(*listener.getsockname())
            writer.close()
            server.should_exit = True
            await served

    asyncio.run(serve())
    assert _queued(heard) == [b"STOPPING=1"]


def test_running_loop_gives_signs_of_life(heard: socket.socket) -> None:
    """Each is followed by another one."""
    manager = ServiceManager.of(_environment(heard, WATCHDOG_USEC=str(WATCHDOG_US), WATCHDOG_PID=str(os.getpid())))

    async def live() -> list[bytes]:
        manager.ready(asyncio.get_running_loop())
        states = [await asyncio.to_thread(heard.recv, 4096) for _ in range(4)]
        manager.stopping()
        return states

    assert asyncio.run(live()) == [b"READY=1", b"WATCHDOG=1", b"WATCHDOG=1", b"WATCHDOG=1"]


def test_stuck_loop_gives_no_sign_of_life(heard: socket.socket) -> None:
    """Signs come from the loop and from nothing beside it: the second one needs a turn of it."""
    manager = ServiceManager.of(_environment(heard, WATCHDOG_USEC="1"))
    loop = asyncio.new_event_loop()
    with contextlib.closing(loop):
        manager.ready(loop)
        assert _queued(heard) == [b"READY=1", b"WATCHDOG=1"]


def test_no_sign_of_life_after_the_end_began(heard: socket.socket) -> None:
    """The manager's own limit of the end counts from there."""
    manager = ServiceManager.of(_environment(heard, WATCHDOG_USEC="1"))

    async def end() -> None:
        manager.ready(asyncio.get_running_loop())
        manager.stopping()
        for _ in range(100):
            await asyncio.sleep(0)

    asyncio.run(end())
    assert _queued(heard) == [b"READY=1", b"WATCHDOG=1", b"STOPPING=1"]


def test_watchdog_waits_while_the_loop_is_held_on_purpose(heard: socket.socket) -> None:
    """It is set again as it was, also when the work fails."""
    manager = ServiceManager.of(_environment(heard, WATCHDOG_USEC="30000000"))
    with pytest.raises(OSError, match="no room"), manager.patience():
        raise OSError("no room")
    assert _queued(heard) == [b"WATCHDOG_USEC=0", b"WATCHDOG_USEC=30000000"]


def test_watchdog_of_another_process_is_not_answered(heard: socket.socket) -> None:
    """``WATCHDOG_PID`` says whose signs of life are waited for."""
    manager = ServiceManager.of(_environment(heard, WATCHDOG_USEC="1", WATCHDOG_PID=str(os.getpid() + 1)))
    with contextlib.closing(asyncio.new_event_loop()) as loop:
        manager.ready(loop)
    assert _queued(heard) == [b"READY=1"]


def test_children_do_not_inherit_the_manager() -> None:
    """A witness that told its own end would end the service."""
    environment = {"NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "1", "WATCHDOG_PID": "1", "HOME": "/"}
    ServiceManager.of(environment)
    assert environment == {"HOME": "/"}


def test_abstract_socket_is_reached() -> None:
    """``@`` stands for the zero byte of an abstract name."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind("")
        name = receiver.getsockname()[1:].decode("ascii")
        ServiceManager(f"@{name}").stopping()
        assert _queued(receiver) == [b"STOPPING=1"]


def test_manager_that_is_gone_ends_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It is a line in the log."""
    ServiceManager(str(tmp_path / "gone")).stopping()
    assert "the service manager was not told STOPPING=1" in caplog.text


_texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=200)


@given(address=_texts, watchdog=_texts, watched=_texts)
def test_environment_of_any_text_ends_nothing(address: str, watchdog: str, watched: str) -> None:
    """A manager that says nonsense is told nothing, or not reached."""
    environment = {
        "NOTIFY_SOCKET": f"/nowhere/{address}",
        "WATCHDOG_USEC": watchdog,
        "WATCHDOG_PID": watched,
    }
    ServiceManager.of(environment).stopping()
    ServiceManager.of({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": watchdog})
    assert environment == {}
