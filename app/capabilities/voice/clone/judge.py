"""The judge of synthesis: experts, mixed by how likely each one's way was."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import msgspec
import numpy as np

from app.capabilities.voice.analysis.moments import Numbers
from app.capabilities.voice.analysis.statistics import FEATURES_VERSION, VoiceStatistics
from app.capabilities.voice.clone.experts import EXPERTS, STATISTICS, CloneExpert, read_expert
from app.capabilities.voice.clone.machines import QuantileMap
from app.capabilities.voice.clone.network import CloneNetwork
from app.capabilities.voice.clone.router import ROUTES, ConditionRouter
from app.capabilities.voice.even_odds import at_even_odds
from app.capabilities.voice.model_files import VoiceModel

ARRAYS_FILE: Final = "clone.npz"
NETWORK_FILE: Final = "clone.onnx"
_EXPERT_OF_ROUTE: Final[Mapping[str, str]] = {"clean": "clean", "phone": "call", "opus": "call", "noise": "noise"}


class CloneFacts(msgspec.Struct, frozen=True):
    """What ``model.json`` says of the judge.

    ``gate_llr``: from this on a voice counts as synthetic: five in a hundred living ones of the training's held-out
    folds lie above it. No tolerance moves it. ``room_gate``: from this ``room_probability`` on reverberation has taken
    the traces, and there is no verdict.
    """

    gate_llr: float
    room_gate: float


@dataclass(frozen=True, slots=True)
class CloneScore:
    """``llr``: nats, positive for synthetic; ``probability``: at even odds; ``noise_probability``: that the recording
    is noisy or from a room; ``room_probability``: that its reverberation is louder than its direct voice by 4 dB or
    more, 0 where there is no phase to tell it by."""

    llr: float
    probability: float
    noise_probability: float
    room_probability: float


@dataclass(frozen=True, slots=True, eq=False)
class RoomHead:
    """Logistic regression on normal scores of all statistics: whether the room is louder than the voice.

    ``weights`` (383,) in the order of ``experts.STATISTICS``."""

    weights: Numbers
    intercept: float

    def probability(self, maps: Mapping[str, QuantileMap], statistics: Mapping[str, Numbers]) -> Numbers:
        """(n,), of statistics (n, f) by name."""
        scores = np.concatenate([maps[name].normal_scores(found) for name, found in statistics.items()], axis=1)
        return np.asarray(1 / (1 + np.exp(-np.clip(scores @ self.weights + self.intercept, -40, 40))))


class CloneJudge:
    """Experts, router and network of one folder."""

    def __init__(
        self,
        facts: CloneFacts,
        experts: Mapping[str, CloneExpert],
        router: ConditionRouter,
        room: RoomHead,
        network: CloneNetwork,
    ) -> None:
        self.facts = facts
        self._experts = experts
        self._router = router
        self._room = room
        self._network = network

    @classmethod
    def load(cls, model: VoiceModel) -> CloneJudge:
        """The judge of a model that was read. ``ValueError`` where it was trained on statistics of another version."""
        if model.facts.features_version != FEATURES_VERSION:
            raise ValueError(f"the model is of statistics {model.facts.features_version}, not {FEATURES_VERSION}")
        facts = msgspec.json.decode(model.facts.clone, type=CloneFacts)
        with np.load(io.BytesIO(model.files[ARRAYS_FILE]), allow_pickle=False) as stored:
            arrays = dict(stored)
        experts = {name: read_expert(name, arrays) for name in EXPERTS}
        router = ConditionRouter(*(arrays[f"router.{part}"] for part in ("centre", "spread", "weights", "intercepts")))
        room = RoomHead(arrays["room.weights"], float(arrays["room.intercept"]))
        return cls(facts, experts, router, room, CloneNetwork(model.files[NETWORK_FILE]))

    def judge(self, statistics: VoiceStatistics) -> CloneScore:
        """The experts' likelihood ratios by the router's probabilities."""
        ways = dict(zip(ROUTES, self._router.probabilities(statistics.router[None])[0].tolist(), strict=True))
        network = self._network.score(statistics.bands)
        shares = dict.fromkeys(EXPERTS, 0.0)
        for route, probability in ways.items():
            shares[_EXPERT_OF_ROUTE[route]] += probability
        llr = sum(share * self._experts[name].llr(statistics, network) for name, share in shares.items())
        room = 0.0
        if statistics.phase is not None:
            given = {name: getattr(statistics, name)[None] for name in STATISTICS}
            room = float(self._room.probability(self._experts["noise"].maps, given)[0])
        return CloneScore(llr, at_even_odds(llr), ways["noise"], room)
