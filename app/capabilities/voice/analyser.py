"""What the service asks of the engine that hears, and where its work is done: a few threads of their own.

One check costs about 100 ms of a core, an enrolment seconds. On the event loop that would stop doors; on threads
without a limit a crowd of callers would take every core and, with 8 MiB each, the memory.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from app.api.problems import Problem
from app.capabilities.voice.matrix import VoiceMatrix

T = TypeVar("T")

log = logging.getLogger(__name__)

MODELS: Final = Path(__file__).parents[3] / "resources" / "voice"
THREADS: Final = 2
MOST_WAITING: Final = 16
"""Checks and enrolments that may wait for a thread: at two threads a second or two."""
_RETRY_S: Final = "2"


class ModelIdentity(Protocol):
    """``id`` and ``sha256`` (hexadecimal) of the models together."""

    @property
    def id(self) -> str: ...
    @property
    def sha256(self) -> str: ...


class MeasuredQuality(Protocol):
    """See ``analysis/quality.py``: seconds, dB, Hz, share, dBFS, dB."""

    @property
    def speech_s(self) -> float: ...
    @property
    def snr_db(self) -> float: ...
    @property
    def bandwidth_hz(self) -> float: ...
    @property
    def clipping(self) -> float: ...
    @property
    def level_dbfs(self) -> float: ...
    @property
    def reverberation_db(self) -> float | None: ...


class MeasuredResonance(Protocol):
    """See ``analysis/resonance.py``."""

    @property
    def f0_hz(self) -> float: ...
    @property
    def f0_jitter(self) -> float: ...
    @property
    def formants(self) -> Sequence[float]: ...
    @property
    def residual_kurtosis(self) -> float: ...
    @property
    def group_delay_spread(self) -> float: ...
    @property
    def coherence(self) -> float: ...


class HeardSegment(Protocol):
    """A stretch of the recording, seconds; ``speaker`` float32 (1024,)."""

    @property
    def t0(self) -> float: ...
    @property
    def t1(self) -> float: ...
    @property
    def speaker(self) -> NDArray[np.float32]: ...
    @property
    def synthetic_probability(self) -> float: ...


class HeardTake(Protocol):
    """What was heard of one matrix. ``speaker`` float32 (1024,): the caller wipes it, and those of the segments."""

    @property
    def quality(self) -> MeasuredQuality: ...
    @property
    def resonance(self) -> MeasuredResonance: ...
    @property
    def resonance_z(self) -> Mapping[str, float]: ...
    @property
    def speaker(self) -> NDArray[np.float32]: ...
    @property
    def segments(self) -> Sequence[HeardSegment]: ...
    @property
    def synthetic_llr(self) -> float: ...
    @property
    def synthetic_probability(self) -> float: ...
    @property
    def phase(self) -> bool: ...
    @property
    def unreliable(self) -> Sequence[str]: ...


class Closeness(Protocol):
    """How close a voice is to a signature: ``llr`` in nats, ``similarity`` 0..1."""

    @property
    def llr(self) -> float: ...
    @property
    def similarity(self) -> float: ...


class VoiceAnalyser(Protocol):
    """The engine. Safe on several threads; it wipes every copy of the voice that it makes, but for what it returns."""

    @property
    def model(self) -> ModelIdentity: ...

    @property
    def gate_llr(self) -> float:
        """The clone gate: synthetic from this ``synthetic_llr`` on."""
        ...

    def analyse(self, matrix: VoiceMatrix) -> HeardTake:
        """Everything that is measured of one recording."""
        ...

    def signature(self, waves: Sequence[NDArray[np.float32]]) -> NDArray[np.float16]:
        """float16 (8, 1024) of the takes' waveforms (n,), 16 kHz."""
        ...

    def compare(self, speakers: NDArray[np.float32], signature: NDArray[np.float16]) -> Sequence[Closeness]:
        """Each of several voices (n, 1024) with a signature (8, 1024)."""
        ...

    def error_rates(self, threshold_llr: float) -> tuple[float, float, int, int]:
        """False accepts, false rejects, and the numbers of genuine and impostor trials behind them."""
        ...


class VoiceModels:
    """The engine of a running site, or why there is none. ``load`` reads the models of a folder; it raises ``OSError``
    or ``ValueError`` with a sentence."""

    def __init__(self, load: Callable[[Path], VoiceAnalyser], folder: Path) -> None:
        self._load = load
        self._folder = folder
        self._loading: asyncio.Task[VoiceAnalyser | str] | None = None

    async def start(self) -> None:
        """Begins to load the models, beside everything else: doors do not wait for them."""
        self._loading = asyncio.create_task(self._load_once())

    async def stop(self) -> None:
        """Waits for the end of the loading."""
        if self._loading is not None:
            await self._loading

    async def _load_once(self) -> VoiceAnalyser | str:
        try:
            return await asyncio.to_thread(self._load, self._folder)
        except (OSError, ValueError) as error:
            log.error("the voice check is out of use: its models cannot be read", extra={"why": str(error)})
            return "The models of the voice check are missing or were altered: install the program again."

    async def engine(self) -> VoiceAnalyser:
        """The engine, as soon as it is loaded; 503 ``dependency_unavailable`` without one."""
        found = "The voice check has not started." if self._loading is None else await asyncio.shield(self._loading)
        if isinstance(found, str):
            raise Problem("dependency_unavailable", found, headers={"Retry-After": "60"})
        return found


class AnalysisThreads:
    """A few threads for the voice check, with a queue that does not grow."""

    def __init__(self, threads: int = THREADS, most_waiting: int = MOST_WAITING) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="voice")
        self._most = threads + most_waiting
        self.busy = 0
        """Jobs that run or wait."""

    async def run(self, job: Callable[[], T]) -> T:
        """The job's result. 503 ``dependency_unavailable`` where too many wait. A caller who leaves leaves the job to
        end by itself: it wipes what it was given."""
        if self.busy >= self._most:
            raise Problem(
                "dependency_unavailable",
                "Too many recordings wait to be judged: send this one again in two seconds.",
                headers={"Retry-After": _RETRY_S},
            )
        self.busy += 1
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(self._pool, job)
        work.add_done_callback(self._leave)
        # Shielded: a job that waits must run, or nobody would wipe what it holds.
        return await asyncio.shield(work)

    def _leave(self, work: asyncio.Future[T]) -> None:
        self.busy -= 1
        if not work.cancelled():
            # Fetched, so that the failure of a job whose caller is gone ends in no warning.
            work.exception()

    async def stop(self) -> None:
        """Lets the jobs that were taken end."""
        await asyncio.to_thread(self._pool.shutdown)
