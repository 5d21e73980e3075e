"""How many independent directions the features of a registry have, judged by its templates of different people.

An extractor whose features move together makes strangers alike: what looks like 512 numbers is a handful, and no limit
that is drawn from the scores of a few others tells a stranger from a mate then. The measure is the participation ratio
of the covariance, ``trace(S)^2 / trace(S^2)``: 512 for features that are all independent, 1 for one direction.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from app.biometrics.gallery import Gallery
from app.biometrics.template_codes import Int8
from hardware.terminals.projection import DIMENSIONS

LEAST_DIMENSION: Final = 40.0
"""Features of fewer effective dimensions are not enrolled."""
PEOPLE: Final = 11
"""From so many people on it is judged: their 55 pairs tell it to a fifth of its value (one deviation)."""
_MOST: Final = 200
"""People that are looked at in a larger registry."""


def effective_dimension(templates: Int8) -> float:
    """The participation ratio, 1 to 512, of the covariance of which these templates, one of each person, int8 (n, 512)
    with n >= 4, are a sample.

    Both traces are U-statistics of the cosines of pairs, and so have no bias by n: the sample's own covariance could
    not have more than n - 1 directions (trace of the square: Chen, Zhang and Zhong 2010, equation 2.3).
    """
    rows = templates.astype(np.float64)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    gram = rows @ rows.T
    rows.fill(0.0)
    n = len(gram)
    own = float(np.trace(gram)) / n
    np.fill_diagonal(gram, 0.0)
    pairs, squares = float(gram.sum()), float((gram**2).sum())
    rows_squared = float((gram.sum(axis=1) ** 2).sum())
    of_two = n * (n - 1)
    of_three, of_four = of_two * (n - 2), of_two * (n - 2) * (n - 3)
    trace = own - pairs / of_two
    square = (
        squares / of_two
        - 2.0 * (rows_squared - squares) / of_three
        + (pairs**2 - 4.0 * rows_squared + 2.0 * squares) / of_four
    )
    if square * DIMENSIONS <= trace**2:
        return float(DIMENSIONS)
    return max(1.0, trace**2 / square)


def dimension_with(gallery: Gallery, node_id: str, rows: Int8) -> tuple[float, int] | None:
    """The effective dimension of the gallery's people with these rows of ``node_id`` in place of its own, and of how
    many people it was told; None with fewer than ``PEOPLE``."""
    others = sorted(name for name, _ in gallery.counts() if name != node_id)
    others = others[:: -(-len(others) // (_MOST - 1))] if len(others) >= _MOST else others
    if len(others) + 1 < PEOPLE:
        return None
    people: Int8 = np.zeros((len(others) + 1, DIMENSIONS), np.int8)
    try:
        for at, name in enumerate(others):
            held = gallery.templates(name)
            if len(held):
                people[at] = _mean_template(held)
            held.fill(0)
        people[-1] = _mean_template(rows)
        # A node that was erased meanwhile left no template.
        present = people[np.any(people, axis=1)]
        return (effective_dimension(present), len(present)) if len(present) >= PEOPLE else None
    finally:
        people.fill(0)


def _mean_template(rows: Int8) -> Int8:
    """One template for the node: its row, or the mean of its rows."""
    mean: Int8 = np.rint(rows.astype(np.float32).mean(axis=0)).astype(np.int8)
    return mean
