"""A site whose voices are judged by a small engine of the tests' own, and voices for it: pulses through resonators.

The engine hears real signals by plain means. Its figures say nothing of the product's; what stands around it is real.
"""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.api.operation import Caller, Clearance
from app.capabilities.burn.running import Failpoint
from app.capabilities.voice.analyser import MODELS, AnalysisThreads, VoiceAnalyser, VoiceModels
from app.capabilities.voice.enrolment import VoiceEnrolments
from app.capabilities.voice.matrix import VoiceMatrix, magnitudes_of, matrix_of, npy_bytes, wave_of
from app.capabilities.voice.messages import EnrolledVoice, SpectralCheck, SpectralCheckBody, VoiceSamples
from app.capabilities.voice.replay import ReplayMemory
from app.capabilities.voice.service import VoiceChecks
from app.capabilities.voice.signatures import VocalSignatures
from app.delivery.events import Holding, RevocationEvidence
from app.store.writer import Transaction
from tests.door_site import ACTOR, DoorSite, door_site

Wave = NDArray[np.float32]

RATE = 16_000
CITADEL = Caller("kid-citadel", Clearance.CITADEL, "test")
SOVEREIGN = Caller("kid-sovereign", Clearance.SOVEREIGN, "test")


@dataclass(frozen=True)
class PlainTake:
    """What the plain engine hears."""

    quality: Any
    resonance: Any
    resonance_z: dict[str, float]
    speaker: NDArray[np.float32]
    segments: Sequence[Any]
    synthetic_llr: float
    synthetic_probability: float
    phase: bool
    unreliable: tuple[str, ...]


@dataclass
class PlainEngine:
    """A speaker is the shape of the mean spectrum; a machine speaks with a pulse that never wavers."""

    sha256: str = "ab" * 32
    gate_llr: float = 0.0
    unreliable: tuple[str, ...] = ()
    seen: list[VoiceMatrix] = field(default_factory=list)

    @property
    def model(self) -> Any:
        return SimpleNamespace(id="plain-1", sha256=self.sha256)

    def analyse(self, matrix: VoiceMatrix) -> PlainTake:
        self.seen.append(matrix)
        if matrix.profile == "magnitude":
            return self._take(np.zeros(RATE, np.float32), matrix)
        wave = wave_of(matrix)
        try:
            return self._take(wave, matrix)
        finally:
            wave.fill(0)

    def _take(self, wave: Wave, matrix: VoiceMatrix) -> PlainTake:
        spectra = magnitudes_of(wave) if matrix.profile == "mdct" else matrix.values
        power = (spectra.astype(np.float64) ** 2).sum(axis=1)
        loud = power > 1e-3 * max(power.max(), 1e-12)
        quiet = np.quantile(power, 0.02) + 1e-12
        wavering = _wavering(wave) if matrix.profile == "mdct" else 1.0
        synthetic = 40.0 * (0.3 - wavering)
        level = 10 * np.log10(np.mean(power) / 200**2 + 1e-12)
        return PlainTake(
            quality=SimpleNamespace(
                speech_s=float(loud.sum()) / 100,
                snr_db=float(10 * np.log10((np.quantile(power, 0.9) + 1e-12) / quiet)),
                bandwidth_hz=7000.0,
                clipping=float(np.mean(np.abs(wave) > 0.98)),
                level_dbfs=float(level),
                reverberation_db=None,
            ),
            resonance=SimpleNamespace(
                f0_hz=120.0,
                f0_jitter=wavering,
                formants=(500.0, 1500.0, 2500.0),
                residual_kurtosis=3.0,
                group_delay_spread=float("nan"),
                coherence=0.5,
            ),
            resonance_z={"f0_hz": 0.5},
            speaker=_speaker(spectra[loud]),
            segments=[
                SimpleNamespace(t0=t / 100, t1=(t + 100) / 100, speaker=_speaker(part), synthetic_probability=0.25)
                for t in range(0, len(spectra) - 99, 100)
                for part in [spectra[t : t + 100]]
            ],
            synthetic_llr=synthetic,
            synthetic_probability=float(1 / (1 + np.exp(-synthetic))),
            phase=matrix.profile == "mdct",
            unreliable=self.unreliable,
        )

    def signature(self, waves: Sequence[Wave]) -> NDArray[np.float16]:
        mean = np.mean([_speaker(magnitudes_of(wave)) for wave in waves], axis=0)
        return np.repeat((mean / np.linalg.norm(mean))[np.newaxis], 8, axis=0).astype(np.float16)

    def compare(self, speakers: NDArray[np.float32], signature: NDArray[np.float16]) -> Any:
        cosines = (speakers @ signature.astype(np.float64).T).max(axis=1).tolist()
        return [SimpleNamespace(llr=120 * (one - 0.93), similarity=min(1.0, max(0.0, one))) for one in cosines]

    def error_rates(self, threshold_llr: float) -> tuple[float, float, int, int]:
        return float(np.exp(-threshold_llr - 7)), float(np.exp(threshold_llr - 7)), 100, 1000


def _speaker(spectra: NDArray[np.float32]) -> NDArray[np.float32]:
    if not len(spectra):
        return np.full(1024, np.nan, np.float32)
    bands = np.log(np.add.reduceat((spectra.astype(np.float64) ** 2).mean(axis=0), np.arange(4, 132, 4)) + 1e-6)
    bands -= bands.mean()
    full = np.repeat(bands, 32)
    return (full / (np.linalg.norm(full) + 1e-9)).astype(np.float32)


def _wavering(wave: Wave) -> float:
    """How little the loudest stretches repeat after one of their periods: 0 for a machine's pulse."""
    found = []
    for at in range(0, len(wave) - 2400, 2400):
        part = wave[at : at + 2400].astype(np.float64)
        if np.abs(part).max() >= 0.02:
            lags = range(80, 200)
            found.append(1 - max(part[n:] @ part[: len(part) - n] / (part[n:] @ part[n:] + 1e-9) for n in lags))
        part.fill(0)
    return float(np.median(found)) if found else 1.0


@dataclass(frozen=True)
class Speaker:
    """A voice. ``formants`` Hz; ``jitter``: relative, of each period; 0 is a machine's."""

    formants: tuple[float, float, float] = (520.0, 1480.0, 2500.0)
    f0_hz: float = 118.0
    jitter: float = 0.06

    def says(self, words: int, seconds: float = 5.0, level: float = 0.4) -> Wave:
        """``seconds`` of syllables, other ones for each number; a fifth is pauses."""
        random = np.random.default_rng([words, int(self.formants[0])])
        count = int(seconds * RATE)
        pulses = np.zeros(count)
        at = 0.0
        while at < count:
            pulses[int(at)] = 1.0
            at += RATE / self.f0_hz * (1 + self.jitter * random.standard_normal())
        spectrum = np.fft.rfft(pulses)
        hertz = np.fft.rfftfreq(count, 1 / RATE)
        wave = np.zeros(count)
        # Six syllables a second, each with another balance of twelve bands; the speaker's resonances lie over all.
        syllables = np.arange(0, count, RATE // 6)
        for centre in np.geomspace(300, 3400, 12):
            own = sum(1 / (1 + ((centre - formant) / 250) ** 2) for formant in self.formants)
            part = np.fft.irfft(spectrum * np.exp(-(((hertz - centre) / 120) ** 2)), count)
            wave += own * part * np.repeat(random.exponential(1.0, len(syllables)), RATE // 6)[:count]
        spoken = np.repeat(np.arange(len(syllables)) % 5 != 4, RATE // 6)[:count]
        wave *= spoken
        wave *= level / np.abs(wave).max()
        return (wave + 1e-4 * random.standard_normal(count)).astype(np.float32)


ALICE = Speaker()
BOB = Speaker(formants=(300.0, 2100.0, 3100.0), f0_hz=150.0)
ROBOT = Speaker(jitter=0.0)


def text_of(values: NDArray[Any]) -> msgspec.Raw:
    """A body's field of a matrix."""
    return msgspec.Raw(b'"' + base64.b64encode(npy_bytes(values)) + b'"')


def sent(wave: Wave) -> msgspec.Raw:
    """A body's field of a recording."""
    return text_of(matrix_of(wave))


class ReadyModels(VoiceModels):
    """The site's plain engine, on every loop that a test makes."""

    def __init__(self, site: VoiceSite) -> None:
        super().__init__(lambda _folder: site.engine, MODELS)
        self._site = site

    async def engine(self) -> VoiceAnalyser:
        return self._site.engine


class VoiceSite:
    """Node ids are the tests' own. ``doors`` is the site below."""

    def __init__(self, doors: DoorSite, engine: PlainEngine | None = None, **settings: Any) -> None:
        self.doors = doors
        self.engine = engine or PlainEngine()
        self.threads = AnalysisThreads()
        self.models = ReadyModels(self)
        self.signatures = VocalSignatures(doors.store)
        self.memory = ReplayMemory(doors.keys.secret("voice-replay"))
        tuned = msgspec.structs.replace(doors.site.settings, **settings)
        self.checks = VoiceChecks(
            doors.store, doors.registry, doors.alarms, self.models, self.threads, self.signatures, self.memory, tuned
        )
        self.enrolments = VoiceEnrolments(
            doors.store, doors.registry, self.models, self.threads, self.signatures, self.memory
        )

    async def enrol(self, node_id: str, speaker: Speaker = ALICE, takes: int = 3, **more: Any) -> EnrolledVoice:
        """Registers the node where it is not, and enrols three takes of 5 s."""
        with self.doors.store.read() as connection:
            known = self.doors.registry.node(connection, node_id) is not None
        if not known:
            self.doors.person(node_id, verified=False)
        samples = [sent(speaker.says(900 + number)) for number in range(takes)]
        return await self.put(node_id, samples, **more)

    async def put(self, node_id: str, samples: list[msgspec.Raw], **more: Any) -> EnrolledVoice:
        return await self.enrolments.put(node_id, VoiceSamples(samples=samples, **more), actor=ACTOR, request_id="req")

    async def check(
        self, node_id: str, given: Wave | msgspec.Raw, *, caller: Caller = CITADEL, **more: Any
    ) -> SpectralCheck:
        field = given if isinstance(given, msgspec.Raw) else sent(given)
        body = SpectralCheckBody(node_id=node_id, audio_stream_vector=field, **more)
        return await self.checks.check(body, caller=caller, request_id="req")

    def standing(self, node_id: str) -> str:
        with self.doors.store.read() as connection:
            return self.doors.registry.require_node(connection, node_id).standing

    def leaves(self, action: str) -> list[dict[str, Any]]:
        """Details of the audit leaves of this action, oldest first, with ``outcome``."""
        with self.doors.store.read() as connection:
            rows = connection.exec_driver_sql("SELECT header, payload FROM audit_entry ORDER BY seq").all()
        heads = [(msgspec.json.decode(header), msgspec.json.decode(payload)) for header, payload in rows]
        return [{**body["detail"], "outcome": head["outcome"]} for head, body in heads if head["action"] == action]


class LateHolder:
    """Hands a burn to the signatures, which are made after it."""

    signatures: VocalSignatures

    def holdings(self, node_id: str) -> Sequence[Holding]:
        return self.signatures.holdings(node_id)

    def revoke(self, tx: Transaction, node_id: str, burn_id: str) -> Sequence[RevocationEvidence]:
        return self.signatures.revoke(tx, node_id, burn_id)


@contextlib.contextmanager
def voice_site(
    data_dir: Path, engine: PlainEngine | None = None, *, failpoint: Failpoint = lambda _: None, **settings: Any
) -> Iterator[VoiceSite]:
    """A site with its models loaded. ``failpoint``: called at each step of a burn."""
    holder = LateHolder()
    with door_site(data_dir, holders=[holder], failpoint=failpoint) as doors:
        made = VoiceSite(doors, engine, **settings)
        holder.signatures = made.signatures
        made.doors.registry.nodes.add_holder(made.signatures)
        yield made
