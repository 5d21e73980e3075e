"""A judge of synthesis that nobody trained: the shapes of the real one, and a network that takes the bands' mean."""

from __future__ import annotations

import base64
import io
from typing import Final

import msgspec
import numpy as np

from app.capabilities.voice.analysis.statistics import FEATURES_VERSION
from app.capabilities.voice.clone.experts import EXPERTS, CloneExpert, RatioCalibration, stored_expert
from app.capabilities.voice.clone.judge import ARRAYS_FILE, NETWORK_FILE, CloneFacts
from app.capabilities.voice.clone.machines import QuantileMap, VectorMachine
from app.capabilities.voice.model_files import VoiceModel, VoiceModelFacts
from app.capabilities.voice.speaker.scoring import SpeakerFacts

WIDTHS: Final = {"magnitude": 133, "phase": 94, "envelope": 156}
_MEAN: Final = (
    "CAcSB3B5dG9yY2gaBjEuMTMuMDq3AgpYCgViYW5kcxIUL1JlZHVjZU1lYW5fb3V0cHV0XzAaCy9SZWR1Y2VNZWFuIgpSZWR1Y2VN"
    "ZWFuKg8KBGF4ZXNAAUACQAOgAQcqDwoIa2VlcGRpbXMYAKABAgpFEhIvQ29uc3RhbnRfb3V0cHV0XzAaCS9Db25zdGFudCIIQ29u"
    "c3RhbnQqGgoFdmFsdWUqDggBEAdKCAEAAAAAAAAAoAEECkgKFC9SZWR1Y2VNZWFuX291dHB1dF8wChIvQ29uc3RhbnRfb3V0cHV0"
    "XzASBXNjb3JlGgovVW5zcXVlZXplIglVbnNxdWVlemUSCXRvcmNoX2ppdFomCgViYW5kcxIdChsIARIXCgIIAQoCCAEKCBIGZnJh"
    "bWVzCgMIgAFiFwoFc2NvcmUSDgoMCAESCAoCCAEKAggBQgIQDQ=="
)
"""An ONNX file: the mean of ``bands`` (1, 1, T, 128) as ``score`` (1, 1). Written by PyTorch 1.13."""


def mean_network() -> bytes:
    """The ONNX file."""
    return base64.b64decode(_MEAN)


def made_expert(name: str, seed: int, intercept: float = 0.0) -> CloneExpert:
    """One of random vectors."""
    rng = np.random.default_rng(seed)
    maps, machines = {}, {}
    for kind, width in WIDTHS.items():
        maps[kind] = QuantileMap(np.sort(rng.standard_normal((41, width)), axis=0).astype(np.float32))
        vectors = rng.standard_normal((7, width)).astype(np.float32).clip(-3, 3)
        machines[kind] = VectorMachine(vectors, rng.standard_normal(7).astype(np.float32), 1 / width, 0.1)
    return CloneExpert(
        name, maps, machines, RatioCalibration(1.5, 0.5, intercept), RatioCalibration(2.0, 0.25, -intercept)
    )


def clone_model(intercepts: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> VoiceModel:
    """The model in memory; ``intercepts``: of the experts' calibrations."""
    rng = np.random.default_rng(9)
    arrays: dict[str, np.ndarray] = {}
    for number, name in enumerate(EXPERTS):
        arrays |= stored_expert(made_expert(name, number, intercepts[number]))
    arrays |= {"router.centre": np.zeros(5), "router.spread": np.ones(5)}
    arrays |= {"router.weights": rng.standard_normal((20, 4)), "router.intercepts": np.zeros(4)}
    arrays |= {"room.weights": rng.standard_normal(sum(WIDTHS.values())) * 0.01, "room.intercept": np.array(0.0)}
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    facts = VoiceModelFacts(
        id="untrained",
        features_version=FEATURES_VERSION,
        files={},
        speaker=SpeakerFacts(
            slope=1.0,
            offset=0.0,
            scales={},
            thresholds=(0.0,),
            far=(0.5,),
            frr=(0.5,),
            genuine_trials=1,
            impostor_trials=1,
        ),
        clone=msgspec.Raw(msgspec.json.encode(CloneFacts(gate_llr=1.5, room_gate=0.75))),
    )
    return VoiceModel(facts, "", {ARRAYS_FILE: packed.getvalue(), NETWORK_FILE: mean_network()})
