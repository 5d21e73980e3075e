"""What a server process asks of the system, and what it says when the system refuses."""

from __future__ import annotations

import asyncio
import errno
import logging
import resource
from pathlib import Path
from typing import Any

import pytest

from app.api.guard import GuardPolicy
from app.service import process
from app.service.process import DESCRIPTORS, GuardedServer, bind, connection_bound, limit_process


@pytest.mark.parametrize(
    ("soft", "bound"), [(1024, 512), (DESCRIPTORS, DESCRIPTORS // 2), (1_000_000, DESCRIPTORS // 2)]
)
def test_connections_leave_half_of_the_descriptors(soft: int, bound: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store, doors and directories keep theirs."""
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (soft, soft))
    assert connection_bound() == bound


def test_no_limit_of_the_system_is_no_limit_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Infinity is not taken for a number."""
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert connection_bound() == DESCRIPTORS // 2


def test_policy_is_bounded_by_the_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    """The smaller of both counts."""
    monkeypatch.setattr(process, "connection_bound", lambda: 100)
    wide, narrow = GuardPolicy(connections=4096), GuardPolicy(connections=20)
    for policy in (wide, narrow):
        with bind("127.0.0.1", 0) as listener:
            GuardedServer(_no_application, listener, policy)
    assert (wide.connections, narrow.connections) == (100, 20)


async def _no_application(*_given: Any) -> None:
    raise AssertionError


def test_new_files_are_their_owners_alone(tmp_path: Path) -> None:
    """Also parents that a library makes on the way."""
    limit_process()
    deep = tmp_path / "one" / "two"
    deep.mkdir(parents=True)
    (deep / "file").write_text("x")
    assert [oct(path.stat().st_mode & 0o777) for path in (deep.parent, deep, deep / "file")] == [
        "0o700",
        "0o700",
        "0o600",
    ]


def refusals(errors: list[OSError], message: str = "socket.accept() out of system resource") -> None:
    """Gives each error to the handler, as a loop does that cannot accept."""
    handler = process._LoopErrors()
    loop = asyncio.new_event_loop()
    try:
        for error in errors:
            handler(loop, {"message": message, "exception": error})
    finally:
        loop.close()


def test_failed_accepts_are_told_once_a_second(caplog: pytest.LogCaptureFixture) -> None:
    """A thousand of them in a row fill no log."""
    with caplog.at_level(logging.ERROR):
        refusals([OSError(errno.EMFILE, "Too many open files")] * 1000)
    assert [record.getMessage() for record in caplog.records] == [
        "no connection can be accepted: Too many open files (1 times)"
    ]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(errno.EBADF, "Bad file descriptor"), "socket.accept() out of system resource"),
        (OSError(errno.EMFILE, "Too many open files"), "Task exception was never retrieved"),
    ],
)
def test_other_errors_of_the_loop_are_told_each(error: OSError, message: str, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing else is swallowed."""
    with caplog.at_level(logging.ERROR):
        refusals([error] * 3, message)
    assert len(caplog.records) == 3
