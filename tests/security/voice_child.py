"""Serves a site whose voice check keeps the recordings of one node, as a handler would that thinks of nothing:
``python -m tests.security.voice_child plain|shipped PYTHON -m app serve ...``. Either the tests' own engine hears, or
the shipped models, with their clone gate open: it would refuse every drawn voice, and nothing would be enrolled."""

from __future__ import annotations

import base64
import io
import math
import sys
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np

from app.__main__ import main
from app.capabilities.voice import wiring
from app.capabilities.voice.analyser import VoiceAnalyser
from app.capabilities.voice.analysis.spectra import condition
from app.capabilities.voice.matrix import magnitudes_of, read_matrix, wave_of
from app.capabilities.voice.service import VoiceChecks
from app.capabilities.voice.signatures import SignatureFacts
from tests.voice_site import PlainEngine

NAIVE = "ARC-T0002"
"""The node whose recordings are read as any service would."""


KEPT: deque[object] = deque(maxlen=8)
"""Its last recordings, as a service keeps what it may need again. What it only frees is too large to stay: such pieces
go back to the kernel at once."""


def patch(engine: str) -> None:
    """Puts the naive reading before the real one, and the tests' engine where it is asked for."""
    load = wiring.load_engine

    def patched(folder: Path) -> VoiceAnalyser:
        if engine == "plain":
            return PlainEngine()
        shipped = load(folder)
        shipped.gate_llr = math.inf  # type: ignore[misc]
        return shipped

    wiring.load_engine = patched
    hear = VoiceChecks._hear

    def naive(self: VoiceChecks, engine: VoiceAnalyser, text: Any, facts: SignatureFacts) -> Any:
        if facts.node_id == NAIVE:
            raw = base64.b64decode(bytes(text)[1:-1])
            sound = wave_of(read_matrix(raw))
            made = [(part, magnitudes_of(part)) for part in (sound, condition(sound))]
            KEPT.append((bytes(text), raw, np.load(io.BytesIO(raw)).astype(np.float32), made))
        return hear(self, engine, text, facts)

    VoiceChecks._hear = naive  # type: ignore[method-assign]


if __name__ == "__main__":
    patch(sys.argv[1])
    # What comes next is how the program is called without this module.
    sys.exit(main(sys.argv[5:]))
