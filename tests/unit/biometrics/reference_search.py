"""What a search of a gallery gives, in plain words: every cosine in double precision, and no state."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from app.biometrics.gallery import RANKED
from app.biometrics.template_codes import Int8
from hardware.terminals.bundle import FEW_OTHERS


@dataclass(frozen=True)
class PlainFound:
    """As ``gallery.Found``; ``scores`` of all nodes that were searched, falling, the claimed one before them;
    ``outside``: scores of those that could not be found, but are of the cohort."""

    scores: list[tuple[str, float]]
    searched: int
    outside: tuple[float, ...] = ()

    @property
    def best(self) -> list[tuple[str, float]]:
        """The nodes that a search names."""
        return self.scores[:RANKED]

    @property
    def cohort(self) -> list[float]:
        """Scores of all others than the first, rising."""
        return sorted([score for _, score in self.scores[1:]] + list(self.outside))


def score(probes: Int8, rows: Int8) -> float:
    """A node's score: the cosine of its best row and the best view."""
    views, templates = np.atleast_2d(probes).astype(float), rows.astype(float)
    lengths = np.outer(np.linalg.norm(views, axis=1), np.linalg.norm(templates, axis=1))
    return float((views @ templates.T / lengths).max())


def search(templates: Mapping[str, Int8], probes: Int8, partition: Collection[str] | None = None) -> PlainFound:
    """Among ``partition`` or all; of a partition of few, everybody else is of the cohort."""
    names = templates.keys() if partition is None else templates.keys() & set(partition)
    scores = sorted(((name, score(probes, templates[name])) for name in names), key=lambda one: -one[1])
    others = templates.keys() - names if 0 < len(names) <= FEW_OTHERS else ()
    return PlainFound(scores, len(scores), tuple(score(probes, templates[name]) for name in others))


def verify(templates: Mapping[str, Int8], probes: Int8, node_id: str) -> PlainFound:
    """The claimed node first, beside all others; nothing if it has no templates."""
    if node_id not in templates:
        return PlainFound([], 0)
    found = search(templates, probes).scores
    return PlainFound(sorted(found, key=lambda one: one[0] != node_id), 1)
