"""The process of the training directory, as the service starts and ends it.

The simulation is at the edge of the wire alone: a burn finds accounts, locks them, takes them out of groups and reads
back over HTTP, as in any other directory. The accounts are kept over restarts.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from app.program import ChildRole, child
from app.site.private_files import write_private
from app.training.directory.accounts import BASE, FILE, Accounts, Person, first_accounts
from app.training.directory.server import HOST, DirectorySetup, DirectoryStarted

DIRECTORY_ID: Final = "training-directory"
DISPLAY_NAME: Final = "TRAINING directory"
_START_S: Final = 30.0
_STOP_S: Final = 5.0


class TrainingDirectory:
    """The server's process. Refuses a production site: a simulated directory there would be a lie."""

    def __init__(self, data_dir: Path, *, training: bool) -> None:
        if not training:
            raise ValueError("a simulated directory belongs to training sites only")
        self._path = data_dir / FILE
        self._process: asyncio.subprocess.Process | None = None

    async def start(self, people: Sequence[Person], known_port: int = 0) -> tuple[str, str]:
        """Starts the process; its address and token. ``people`` get their accounts at the first start only.
        ``known_port``: that of the last run, reused where it is free. RuntimeError when the process does not start."""
        token = await asyncio.to_thread(self._prepare, people)
        process = await asyncio.create_subprocess_exec(
            *child(ChildRole.TRAINING_DIRECTORY),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        self._process = process
        try:
            async with asyncio.timeout(_START_S):
                port = await self._ready(process, known_port)
        except (TimeoutError, OSError, ValueError) as error:
            await self.stop()
            raise RuntimeError(f"the training directory did not start; its accounts are in {self._path}") from error
        return f"http://{HOST}:{port}{BASE}", token

    def _prepare(self, people: Sequence[Person]) -> str:
        if not self._path.exists():
            write_private(self._path, first_accounts(people))
        try:
            return Accounts(self._path).token
        except (OSError, msgspec.MsgspecError) as error:
            raise RuntimeError(f"{self._path} cannot be read; delete it to begin with new accounts") from error

    async def _ready(self, process: asyncio.subprocess.Process, known_port: int) -> int:
        if process.stdin is None or process.stdout is None:
            raise OSError("no pipe")
        process.stdin.write(msgspec.json.encode(DirectorySetup(path=str(self._path), port=known_port)) + b"\n")
        await process.stdin.drain()
        return msgspec.json.decode(await process.stdout.readline(), type=DirectoryStarted).port

    async def stop(self) -> None:
        """Ends the process by ending its input; kills it if it does not end."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
                await process.stdin.wait_closed()
        try:
            await asyncio.wait_for(process.wait(), _STOP_S)
        except TimeoutError:
            process.kill()
            await process.wait()
