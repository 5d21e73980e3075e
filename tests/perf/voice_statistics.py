"""What it costs to measure 5 s of speech: processor time of one core, each part beside a plain Fourier transform of it.

The peer is the complex short-time Fourier transform of the same 5 s, 400 samples in 512 by 160, with its power: no
judge of voices needs less. Medians of the process' own CPU time, one after the other in turns, so that a
busy machine slows both. The goals are the shares of the 100 ms that a whole check of 5 s may take; the last row is that
check, as the service makes it with the shipped models: read, print, measure, compare the whole and each piece, wipe.
``python -m tests.perf.voice_statistics`` prints the rows.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import statistics
import time
from collections.abc import Callable, Iterator

import numpy as np

from app.capabilities.voice.analyser import MODELS
from app.capabilities.voice.analysis.envelope_statistics import envelope_statistics
from app.capabilities.voice.analysis.magnitude_statistics import magnitude_statistics
from app.capabilities.voice.analysis.phase_statistics import phase_statistics
from app.capabilities.voice.analysis.quality import quality_of
from app.capabilities.voice.analysis.resonance import resonance_of
from app.capabilities.voice.analysis.spectra import condition, subband_envelopes
from app.capabilities.voice.analysis.statistics import statistics_of
from app.capabilities.voice.engine import VoiceEngine
from app.capabilities.voice.matrix import Samples, magnitudes_of, matrix_of, npy_bytes, read_matrix, wave_of
from app.capabilities.voice.replay import ReplayMemory
from app.capabilities.voice.service import closeness, wipe_take
from tests.perf.report import Row, run
from tests.unit.capabilities.voice.analysis.synthetic_voice import speech

SAMPLES, TURNS = 80_000, 25


def cpu_ms(work: Callable[[], object]) -> float:
    """Of one call."""
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1e3


def plain_transform(wave: Samples) -> np.ndarray:
    """The power of every frame, by nothing but numpy's transform."""
    frames = np.lib.stride_tricks.sliding_window_view(wave, 400)[::160] * np.hanning(400).astype(np.float32)
    spectra = np.fft.rfft(frames, 512)
    return spectra.real**2 + spectra.imag**2


def whole_check(raw: bytes, wave: Samples) -> Callable[[], object]:
    """What a check of these bytes does on its thread, against a signature of ``wave``."""
    engine, memory = VoiceEngine.load(MODELS), ReplayMemory(bytes(32))
    signature = engine.signature([wave])

    def check() -> None:
        matrix = read_matrix(raw)
        memory.print_of(matrix)
        take = engine.analyse(matrix)
        matrix.wipe()
        closeness(engine, [take.speaker, *(segment.speaker for segment in take.segments)], signature)
        wipe_take(take)

    return check


def parts() -> Iterator[Row]:
    """Decoding, the three groups of statistics, all of them with their conditioning, quality and resonance."""
    wave = speech(seconds=6)
    clean = condition(wave)[:SAMPLES]
    assert len(clean) == SAMPLES
    wave = wave[: SAMPLES + 4800]  # with the pause that the conditioning cuts
    envelopes, magnitudes = subband_envelopes(clean), magnitudes_of(clean)
    phase = phase_statistics(clean, envelopes)
    raw = npy_bytes(matrix_of(wave))
    measured: tuple[tuple[str, float, Callable[[], object]], ...] = (
        ("voice, 5 s: matrix read and decoded", 2, lambda: wave_of(read_matrix(raw))),
        ("voice, 5 s: 133 magnitude statistics", 19, lambda: magnitude_statistics(magnitudes)),
        ("voice, 5 s: 94 phase statistics", 36, lambda: phase_statistics(clean, envelopes)),
        ("voice, 5 s: 156 envelope statistics", 20, lambda: envelope_statistics(clean, envelopes)),
        ("voice, 5 s: all statistics, from the waveform", 75, lambda: statistics_of(wave)),
        ("voice, 5 s: quality and resonance", 20, lambda: (quality_of(wave), resonance_of(wave, phase))),
        ("voice, 5 s: the whole check", 100, whole_check(raw, wave)),
    )
    for name, budget, work in measured:
        work()
        turns = [(cpu_ms(work), cpu_ms(lambda: plain_transform(clean))) for _ in range(TURNS)]
        ours, peer = (statistics.median(side) for side in zip(*turns, strict=True))
        yield Row(name, "ms", ours, peer, ours / peer, f"<= {budget:g} ms", "a plain STFT", ours <= budget)


if __name__ == "__main__":
    run([parts])
