"""The site's local witnesses: three ``arc-console witness`` processes beside the service.

With them a fresh site can seal at once. They run on the same machine for the same user, so they prove order and nothing
more: a witness is independent only if somebody else runs it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Sequence, Set
from pathlib import Path
from typing import Final

import msgspec

from app.ledger.c2sp.cosignature import CosignerKey, parse_vkey
from app.ledger.c2sp.note import NoteError
from app.ledger.witnesses.client import WitnessClient
from app.program import program, started_in

COUNT: Final = 3
READY_S: Final = 30.0
STOP_S: Final = 3.0
FIRST_BACKOFF_S: Final = 0.2
LONGEST_BACKOFF_S: Final = 30.0
_STEADY_S: Final = 60.0
"""A process that lived this long is started again without delay."""
_LINE_MAX: Final = 65_536

log = logging.getLogger("arc.ledger")


class _Ready(msgspec.Struct):
    """The line that a witness prints when it is ready."""

    base_url: str
    vkeys: list[str]


def witness_command(data_dir: Path, name: str, logs: Sequence[str]) -> list[str]:
    """The command line of this program in its role as a witness."""
    return [*program(), "witness", "--supervised", "--data-dir", str(data_dir), "--name", name, "--log", *logs]


class LocalWitness:
    """One witness process: started again when it dies, ended with the service."""

    def __init__(self, name: str, data_dir: Path, logs: Sequence[str]) -> None:
        """``name``: of its keys. ``logs``: the vkeys that it trusts."""
        self.name = name
        self.data_dir = data_dir
        self.url = ""
        """Its submission prefix while it runs."""
        self.keys: list[CosignerKey] = []
        """Its public keys, known from its first ready line on."""
        self.client: WitnessClient | None = None
        """The client whose ``url`` follows that of the process."""
        self.ready = asyncio.Event()
        """Set with the first ready line."""
        self._logs = logs
        self._pinned: Set[str] = frozenset()
        self._task: asyncio.Task[None] | None = None

    def start(self, pinned: Set[str] = frozenset()) -> None:
        """Begin, without waiting for anything. ``pinned``: the vkeys by which it is known. A process with other keys is
        not used: it has forgotten all that the witness had seen."""
        self._pinned = pinned
        self._task = asyncio.get_running_loop().create_task(self._keep(), name=f"witness {self.name}")

    async def trust(self, logs: Sequence[str]) -> None:
        """Start the process again so that it trusts ``logs``; returns when it is ready. ``TimeoutError`` after a
        minute."""
        await self.stop()
        self._logs = logs
        self.ready.clear()
        self.start(self._pinned)
        await asyncio.wait_for(self.ready.wait(), 2 * READY_S)

    async def stop(self) -> None:
        """End the process, and wait for its end."""
        if self._task is not None:
            self._task.cancel()
            # Not ``await self._task``: its cancellation would look like the caller's own.
            await asyncio.wait([self._task])

    async def _keep(self) -> None:
        """Starts the process again whenever it ends, with a growing delay."""
        backoff = FIRST_BACKOFF_S
        while True:
            began = time.monotonic()
            try:
                await self._live()
                log.warning("the local witness %s ended; it is started again", self.name)
            except (OSError, TimeoutError, ValueError, msgspec.MsgspecError) as error:
                log.warning("the local witness %s does not start: %s", self.name, error or type(error).__name__)
            if time.monotonic() - began > _STEADY_S:
                backoff = FIRST_BACKOFF_S
            await asyncio.sleep(backoff)
            backoff = min(2 * backoff, LONGEST_BACKOFF_S)

    async def _live(self) -> None:
        """One life of the process, from its start to its end."""
        place = self.data_dir.parent
        place.mkdir(mode=0o700, exist_ok=True)
        # Sites that an earlier version laid out have it readable for all.
        place.chmod(0o700)
        process = await asyncio.create_subprocess_exec(
            *witness_command(self.data_dir, self.name, self._logs),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=started_in(),
            limit=_LINE_MAX,
            # Ctrl-C in a terminal is meant for the service, which ends its witnesses after its own last round.
            start_new_session=True,
        )
        try:
            if process.stdout is None:
                raise OSError("no pipe")
            line = await asyncio.wait_for(process.stdout.readline(), READY_S)
            if not line:
                raise OSError("it ended before it was ready; its reason is in this log")
            ready = msgspec.json.decode(line, type=_Ready)
            if not self._pinned <= set(ready.vkeys):
                raise ValueError(f"its keys are not those of the policy; restore {self.data_dir} from a backup")
            self.keys = [_cosigner_key(vkey) for vkey in ready.vkeys]
            self._set_url(f"{ready.base_url}/")
            self.ready.set()
            await process.wait()
        finally:
            self._set_url("")
            await _end(process)

    def _set_url(self, url: str) -> None:
        self.url = url
        if self.client is not None:
            self.client.url = url


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), STOP_S)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _cosigner_key(vkey: str) -> CosignerKey:
    key = parse_vkey(vkey)
    if not isinstance(key, CosignerKey):
        raise NoteError("a witness's key is no cosigner's")
    return key
