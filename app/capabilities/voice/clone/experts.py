"""Three experts, for clean recordings, for calls and for noise: one on all of them would cost clean speech dearly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from app.capabilities.voice.analysis.moments import Numbers
from app.capabilities.voice.analysis.statistics import VoiceStatistics
from app.capabilities.voice.clone.machines import QuantileMap, VectorMachine, packed_vectors, unpacked_vectors

EXPERTS: Final = ("clean", "call", "noise")
STATISTICS: Final = ("magnitude", "phase", "envelope")
MACHINE_WEIGHTS: Final[Mapping[str, tuple[float, float, float]]] = {
    "clean": (0.5, 1.0, 0.5),
    "call": (0.5, 1.0, 0.5),
    "noise": (1.0, 1.0, 1.0),
}
"""Of the machines on magnitude, phase and envelope statistics, in each expert's sum."""


@dataclass(frozen=True, slots=True)
class RatioCalibration:
    """From scores to a log likelihood ratio: each score by its slope, and the intercept. ``network`` 0: without."""

    machines: float
    network: float
    intercept: float

    def llr(self, machines: Numbers, network: Numbers) -> Numbers:
        """Nats; positive for synthetic."""
        return np.asarray(self.machines * machines + self.network * network + self.intercept)


@dataclass(frozen=True, slots=True, eq=False)
class CloneExpert:
    """One expert. ``maps`` and ``machines`` by ``STATISTICS``; ``whole`` calibrates the sum of all machines with the
    network's score, ``without_phase`` that of the machine on magnitudes alone with it."""

    name: str
    maps: Mapping[str, QuantileMap]
    machines: Mapping[str, VectorMachine]
    whole: RatioCalibration
    without_phase: RatioCalibration

    def decisions(self, statistics: Mapping[str, Numbers]) -> dict[str, Numbers]:
        """Of each machine whose statistics (n, f) are there, (n,)."""
        return {
            name: self.machines[name].decide(self.maps[name].normal_scores(found)) for name, found in statistics.items()
        }

    def llr(self, statistics: VoiceStatistics, network: float) -> float:
        """Of one recording."""
        given = {name: found[None] for name in STATISTICS if (found := getattr(statistics, name)) is not None}
        decided = self.decisions(given)
        if len(decided) < len(STATISTICS):
            return float(self.without_phase.llr(decided["magnitude"], np.array([network]))[0])
        return float(self.whole.llr(weighted_sum(self.name, decided), np.array([network]))[0])


def weighted_sum(expert: str, decisions: Mapping[str, Numbers]) -> Numbers:
    """The machines' decisions (n,) by ``MACHINE_WEIGHTS``."""
    return np.asarray(
        sum(weight * decisions[name] for weight, name in zip(MACHINE_WEIGHTS[expert], STATISTICS, strict=True))
    )


Stored = Mapping[str, npt.NDArray[np.generic]]


def stored_expert(expert: CloneExpert) -> dict[str, npt.NDArray[np.generic]]:
    """The arrays of ``clone.npz`` that ``read_expert`` reads."""
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    for name in STATISTICS:
        machine, place = expert.machines[name], f"{expert.name}.{name}"
        arrays[f"{place}.knots"] = np.asarray(expert.maps[name].knots, np.float32)
        arrays[f"{place}.vectors"] = packed_vectors(machine.vectors)
        arrays[f"{place}.weights"] = np.asarray(machine.weights, np.float32)
        arrays[f"{place}.facts"] = np.array([machine.gamma, machine.intercept])
    for name, calibration in (("whole", expert.whole), ("without_phase", expert.without_phase)):
        arrays[f"{expert.name}.{name}"] = np.array([calibration.machines, calibration.network, calibration.intercept])
    return arrays


def read_expert(name: str, stored: Stored) -> CloneExpert:
    """The expert of this name. ``KeyError`` where one of its arrays is not there."""
    maps, machines = {}, {}
    for kind in STATISTICS:
        place = f"{name}.{kind}"
        maps[kind] = QuantileMap(np.asarray(stored[f"{place}.knots"], np.float32))
        gamma, intercept = np.asarray(stored[f"{place}.facts"], np.float64)
        vectors = unpacked_vectors(np.asarray(stored[f"{place}.vectors"], np.int8))
        weights = np.asarray(stored[f"{place}.weights"], np.float32)
        machines[kind] = VectorMachine(vectors, weights, float(gamma), float(intercept))
    whole, without_phase = (
        RatioCalibration(*(float(number) for number in np.asarray(stored[f"{name}.{kind}"], np.float64)))
        for kind in ("whole", "without_phase")
    )
    return CloneExpert(name, maps, machines, whole, without_phase)
