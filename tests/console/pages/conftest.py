"""A real training service for the tests of pages, and a session that is connected to it with its live stream."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.console.connection import ConsoleClient, UnitStream
from app.console.page import Presenter
from app.console.session import Session
from app.console.supervisor import new_citadel_key
from app.console.unit_key import UnitKey

ROOT = Path(__file__).parents[3]
START_S = 60.0


@dataclass(frozen=True)
class Service:
    """A training service in a child process. ``key`` is of Citadel clearance; never print it."""

    base_url: str
    key: str
    pid: int

    def __repr__(self) -> str:
        return f"Service({self.base_url})"


@pytest.fixture(scope="module")
def training_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One for the tests of a page, which find each other's cards and people there; no other page's. Ends with its
    standard input."""
    data_dir = tmp_path_factory.mktemp("site") / "training"
    key = new_citadel_key()
    command = [sys.executable, "-m", "app", "serve", "--supervised", "--no-pcsc", "--profile", "training"]
    with subprocess.Popen(
        [*command, "--data-dir", str(data_dir)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(key.encode("ascii") + b"\n")
        child.stdin.flush()
        line = child.stdout.readline()
        if not line:
            pytest.fail("the training service did not start; run `arc-console serve --profile training` to see why")
        ready = json.loads(line)
        yield Service(ready["base_url"], key, child.pid)
        child.stdin.close()
        try:
            child.wait(START_S)
        except subprocess.TimeoutExpired:
            child.kill()
            raise


Connect = Callable[[Presenter], AbstractAsyncContextManager[ConsoleClient]]


@pytest.fixture
def connect(session: Session, training_service: Service) -> Connect:
    """Connects the session, follows the stream and brings a page to life, until the block ends."""

    @asynccontextmanager
    async def connected(presenter: Presenter) -> AsyncIterator[ConsoleClient]:
        client = ConsoleClient(training_service.base_url, training_service.key, session.calls.add)
        source = UnitStream(client, UnitKey.generate(), "console-of-the-tests", "Console of the tests")
        session.attach(client, training_service.base_url, client.clearance)
        session.live.tick.connect(presenter.repaint)
        session.changed.connect(presenter.changed)
        session.live.look(True)
        follow = asyncio.get_running_loop().create_task(session.live.follow(source))
        try:
            yield client
        finally:
            session.live.look(False)
            session.live.tick.disconnect(presenter.repaint)
            session.changed.disconnect(presenter.changed)
            await presenter.close()
            await session.tasks.close()
            follow.cancel()
            await asyncio.gather(follow, return_exceptions=True)
            session.detach("the test ends")
            await client.aclose()

    return connected
