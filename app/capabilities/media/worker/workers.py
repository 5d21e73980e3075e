"""The service's side of the workers: one process for each file, a warm one in reserve, and an end for each that takes
too long."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import struct
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from app.capabilities.media.messages import ScanReport
from app.capabilities.media.worker.protocol import (
    MEDIA_MAX,
    PRELUDE,
    ImageFacts,
    ImageMeasures,
    MediaJob,
    MessageBroken,
    ScanFound,
    VideoFacts,
    VideoMeasures,
    WorkerMessage,
    WorkerReady,
    WorkerRefusal,
    frame,
    header_length,
    parse_message,
)
from app.capabilities.media.worker.refusals import (
    MediaNotSandboxed,
    MediaTookTooLong,
    MediaTooLarge,
    MediaUnready,
    MediaWorkerDied,
    from_message,
)
from app.capabilities.media.worker.sandbox import SandboxLimits
from app.program import ChildRole, child

START_S: Final = 60.0
"""Time in which a worker must be warm and locked. It needs a second of a processor, and takes what doors, callers and
other programs leave: on a busy machine 20 s were too few."""
PICTURE_SIDE: Final = 2560
"""Longest side of a picture that a worker may give, px: a block of a heatmap has 8 x 8 px of the image."""
# Signature, then the chunk IHDR with width and height (PNG, third edition, 5.2 and 11.2.1).
_PNG: Final = struct.Struct("!8sI4sII")
MODEL: Final = Path(__file__).parents[4] / "resources" / "media"
"""The model that the product has."""


@dataclass(frozen=True)
class WorkerLimits:
    """Limits of a job. Processor time of its worker's life: ``cpu_s`` and ``cpu_s_per_mp`` for each 10^6 pixels, in
    whole seconds, at least 1 and at most ``SandboxLimits.cpu_hard_s``. ``wall_s``: from the job to its answer."""

    cpu_s: float = 15.0
    cpu_s_per_mp: float = 4.0
    wall_s: float = 240.0
    model: Path = MODEL
    """Directory of the model that judges images."""

    def processor_time(self, measures: ImageMeasures | VideoMeasures) -> int:
        """Processor time that a worker may take for a file, s: a video takes all that a worker may have."""
        hard = SandboxLimits().cpu_hard_s
        if isinstance(measures, VideoMeasures):
            return hard
        return min(hard, max(1, round(self.cpu_s + self.cpu_s_per_mp * measures.width * measures.height / 1e6)))


class ScanAnswer(NamedTuple):
    """What a worker found. ``pictures``: PNGs by layer. ``cpu_s``: processor time of the job, s."""

    facts: ImageFacts | VideoFacts
    report: ScanReport
    pictures: Mapping[str, bytes]
    cpu_s: float


class MediaWorker:
    """One process, locked and ready for a job."""

    def __init__(self, process: Process, limits: WorkerLimits) -> None:
        """``start`` makes one that is ready."""
        self._process = process
        self._limits = limits

    @classmethod
    async def start(cls, limits: WorkerLimits) -> MediaWorker:
        """A process that is warm and locked. Raises ``MediaNotSandboxed``, ``MediaUnjudged`` or ``MediaWorkerDied``."""
        if sys.platform != "linux":
            raise MediaNotSandboxed(
                f"Media files are decoded on Linux alone: nothing confines a decoder on {sys.platform}."
            )
        process = await asyncio.create_subprocess_exec(
            *child(ChildRole.MEDIA, str(limits.model)),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env={},
            # Ctrl-C in a terminal is meant for the service, which ends its workers.
            start_new_session=True,
        )
        worker = cls(process, limits)
        try:
            async with asyncio.timeout(START_S):
                said, _ = await worker._message()
            if isinstance(said, WorkerRefusal):
                raise from_message(said)
            if not isinstance(said, WorkerReady):
                raise MediaWorkerDied("The worker did not say that it is locked.")
        except (TimeoutError, EOFError, MessageBroken) as error:
            await worker.end()
            raise MediaWorkerDied("The worker did not start.") from error
        except BaseException:
            await worker.end()
            raise
        return worker

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._process.returncode is None

    async def answer(self, media: bytes) -> ScanAnswer:
        """What the file holds. Raises a ``MediaRefused``; the worker is ended where that is not the file's own. A
        caller that is cancelled ends the worker."""
        try:
            async with asyncio.timeout(self._limits.wall_s):
                return await self._exchange(media)
        except TimeoutError as error:
            await self.end()
            raise MediaTookTooLong(f"The analysis took more than {self._limits.wall_s:g} s.") from error
        except MessageBroken as error:
            await self.end()
            raise MediaWorkerDied("The worker wrote what is no answer.") from error
        except (EOFError, OSError) as error:
            await self.end()
            if self._process.returncode == -signal.SIGXCPU:
                raise MediaTookTooLong("The analysis needs more processor time than it may have.") from error
            raise MediaWorkerDied(f"The worker ended early ({self._process.returncode}).") from error

    async def end(self) -> None:
        """Ends the process; once it has ended, nothing."""
        if self.alive:
            # Not Popen's own kill: it asks first whether the process has ended, and would take its exit status away
            # from the loop, which then reports 255 for a process that used up its processor time.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        # Reads what is left in the pipe: only then is it closed.
        await self._process.communicate()
        if self._process.stdin is not None:
            # The job may have met a closed pipe; told here, the loop does not tell it once more.
            with contextlib.suppress(OSError):
                await self._process.stdin.wait_closed()

    async def _exchange(self, media: bytes) -> ScanAnswer:
        """Sends the job and reads until its answer."""
        if self._process.stdin is None:
            raise EOFError
        self._process.stdin.writelines(frame(MediaJob("scan"), media))
        await self._process.stdin.drain()
        measured = False
        while True:
            said, parts = await self._message()
            if isinstance(said, WorkerRefusal):
                raise from_message(said)
            if isinstance(said, ImageMeasures | VideoMeasures) and not measured:
                measured = True
                self._allow(said)
            elif isinstance(said, ScanFound) and measured:
                report, pictures = _read_report(parts[0]), parts[1:]
                for picture in pictures:
                    _require_picture(picture)
                return ScanAnswer(said.facts, report, dict(zip(said.layers, pictures, strict=True)), said.cpu_s)
            else:
                raise MessageBroken(f"{type(said).__name__} out of turn")

    def _allow(self, measures: ImageMeasures | VideoMeasures) -> None:
        """Limits the processor time by the size of the image; of a video to all that a worker may have."""
        import resource

        given = self._limits.processor_time(measures)
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(self.pid, resource.RLIMIT_CPU, (given, SandboxLimits().cpu_hard_s))

    async def _message(self) -> tuple[WorkerMessage, list[bytes]]:
        """The next message and its parts. Raises ``EOFError`` and ``MessageBroken``."""
        if self._process.stdout is None:
            raise EOFError
        read = self._process.stdout.readexactly
        said, lengths = parse_message(await read(header_length(await read(PRELUDE))))
        return said, [await read(length) for length in lengths]


class MediaWorkers:
    """Workers of one event loop: each does one job, and one waits. How many work at the same time is the caller's to
    bound: each may take ``SandboxLimits.memory``."""

    def __init__(self, limits: WorkerLimits) -> None:
        """Starts nothing; the first job waits for its worker unless ``warm`` was called."""
        self._limits = limits
        self._taking = asyncio.Lock()
        self._spare: asyncio.Task[MediaWorker] | None = None

    def warm(self) -> asyncio.Task[MediaWorker]:
        """The start of the worker that waits for the next job; begins it if none waits."""
        if self._spare is None:
            self._spare = asyncio.create_task(MediaWorker.start(self._limits))
        return self._spare

    async def answer(self, media: bytes) -> ScanAnswer:
        """What a file holds, by a worker of its own. Raises a ``MediaRefused``; ``MediaUnready`` where none starts."""
        if len(media) > MEDIA_MAX:
            raise MediaTooLarge(f"The file has {len(media)} bytes, more than are decoded.")
        try:
            worker = await self._take()
        except MediaWorkerDied as died:
            raise MediaUnready(str(died)) from died
        try:
            self.warm()
            return await worker.answer(media)
        finally:
            await worker.end()

    async def close(self) -> None:
        """Ends the worker that waits."""
        spare, self._spare = self._spare, None
        if spare is not None:
            spare.cancel()
            await _end_of(spare)

    async def _take(self) -> MediaWorker:
        """The worker that waits, or a new one where it has died meanwhile or never came up."""
        async with self._taking:
            if self._spare is not None:
                # Not awaited itself: who no longer wants the job must not cancel the start.
                await asyncio.wait([self._spare])
                spare, self._spare = self._spare, None
                if spare.exception() is None and spare.result().alive:
                    return spare.result()
                await _end_of(spare)
            return await MediaWorker.start(self._limits)


async def _end_of(spare: asyncio.Task[MediaWorker]) -> None:
    await asyncio.wait([spare])
    if not spare.cancelled() and spare.exception() is None:
        await spare.result().end()


def _read_report(data: bytes) -> ScanReport:
    """Raises ``MessageBroken`` for bytes that are no report within its bounds."""
    try:
        return msgspec.json.decode(data, type=ScanReport)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise MessageBroken(str(error)) from error


def _require_picture(data: bytes) -> None:
    """Raises ``MessageBroken`` unless the bytes begin as a PNG of a size that pictures have: a viewer would
    otherwise make room for what a hostile header says."""
    if len(data) >= _PNG.size:
        signature, length, kind, width, height = _PNG.unpack_from(data)
        sides = 1 <= min(width, height) <= max(width, height) <= PICTURE_SIDE
        if (signature, length, kind, sides) == (b"\x89PNG\r\n\x1a\n", 13, b"IHDR", True):
            return
    raise MessageBroken("a part that is no picture")
