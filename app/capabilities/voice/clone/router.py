"""Which way a recording came, by five numbers of its magnitudes: each way has its own expert."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.capabilities.voice.analysis.moments import Numbers

ROUTES: Final = ("clean", "phone", "opus", "noise")
"""``noise``: noise or a room, also before a telephone."""


@dataclass(frozen=True, slots=True, eq=False)
class ConditionRouter:
    """Multinomial logistic regression on the numbers, standardised, and their products by twos.

    ``centre``, ``spread`` (5,); ``weights`` (20, 4); ``intercepts`` (4,)."""

    centre: Numbers
    spread: Numbers
    weights: Numbers
    intercepts: Numbers

    def probabilities(self, numbers: Numbers) -> Numbers:
        """Of each of ``ROUTES``, (n, 4), rows sum to 1, for numbers (n, 5)."""
        logits = route_terms((numbers - self.centre) / self.spread) @ self.weights + self.intercepts
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def route_terms(standardised: Numbers) -> Numbers:
    """The numbers (n, 5), within four deviations, and their products by twos with the squares, (n, 20)."""
    bounded = np.clip(standardised, -4, 4)
    first, second = np.triu_indices(bounded.shape[1])
    return np.asarray(np.concatenate([bounded, bounded[:, first] * bounded[:, second]], axis=1))
