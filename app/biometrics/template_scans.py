"""The searches over the rows of a gallery, which touch no name and take no lock: scores, and which rows to score.

Fast and hard to read. What they must give in plain words: ``scores`` the best view's cosine of each row; ``nearest``
the rows with the largest inner products; ``nearest_signs`` the rows in whose signs the fewest differ. Tests compare
them with that. Without faiss numpy does everything, with the same scores.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.biometrics.template_codes import BIAS, SIGN_BYTES, Codes, Int8, Rows, Scores, signs_of
from app.biometrics.template_rows import TemplateRows
from hardware.terminals.projection import DIMENSIONS

TOP: Final = 64
"""Rows that faiss's scan gives back: more than one node's, so that the second best node is among them."""
_SCORED: Final = 240
"""Rows that are scored at a time: as float32 they stay in a core's second cache between the copy and the product."""
_PRODUCT: Final = 1_920
"""Rows times views of one matrix product: with 512 values not over 10^6 multiplications, which OpenBLAS does in place
(AVX-512; 25 views: 2.7 instead of 3.4 ms at 10k). Larger products it copies first."""
_COLUMNS: Final = 8
"""More views than this are filled up to a multiple of it with zeros: no product ends in odd columns."""
_SIGN_BLOCK: Final = 1 << 14
"""Rows whose signs stay in the cache while every view is compared with them."""
_SAMPLE_RUNS: Final = 64
_SAMPLE_RUN: Final = 64
"""The sample of rows whose signs say how far the nearest will be: so many places, so many rows each."""
_SPARE: Final = 1.3
"""The first radius aims at this many times the wanted candidates: each spare one costs 0.03 us in a quiet memory, 0.2
in a busy one; a second scan, in less than one search of a hundred, costs a whole scan."""
_WIDER: Final = 4
_CANDIDATES: Final = 1_000
_CANDIDATE_SHARE: Final = 250
"""Candidates of each view: at least so many, and one of so many rows. Of 825 mates whom a search of every row of 1M
names (80 independent directions, cosine 0.5: the hardest of the sweep) half as many candidates missed two, these none.
"""


@dataclass(frozen=True, slots=True)
class Query:
    """The views of a probe, a column each: whole numbers as float32, so that every inner product is exact, (512, V or
    more: columns of zeros follow); signs (V, 64), 1 / length (V,). Its maker wipes it."""

    columns: Scores
    signs: Codes
    scale: Scores

    @classmethod
    def of(cls, probes: Int8) -> Query:
        """Of int8 (512,) or (V, 512); ``ValueError`` for another shape or a view of zeros."""
        views = probes[None] if probes.ndim == 1 else probes
        if views.dtype != np.int8 or views.ndim != 2 or not len(views) or views.shape[1] != DIMENSIONS:
            raise ValueError("a probe is int8, 512 values a view")
        if not views.any(axis=1).all():
            raise ValueError("a view of the probe is empty")
        count = len(views)
        columns = np.zeros((DIMENSIONS, count if count <= _COLUMNS else -(-count // _COLUMNS) * _COLUMNS), np.float32)
        columns[:, :count] = views.T
        lengths = np.sqrt(np.einsum("ij,ij->j", columns[:, :count], columns[:, :count]))
        return cls(columns, signs_of(views, 0), np.float32(1.0) / lengths)

    @property
    def views(self) -> int:
        """How many there are."""
        return len(self.signs)

    def wipe(self) -> None:
        """Overwrites them."""
        self.columns.fill(0)
        self.signs.fill(0)


def scores(stored: TemplateRows, query: Query, rows: Rows | None, count: int = 0) -> Scores:
    """The best view's cosine of each of ``rows``, or of the first ``count``."""
    found = np.empty(count if rows is None else len(rows), np.float32)
    width = query.columns.shape[1]
    each = max(_PRODUCT // width, 1)
    size = min(_SCORED, max(len(found), 1))
    codes = np.empty((0 if rows is None else size, DIMENSIONS), np.uint8)
    values = np.empty((size, DIMENSIONS), np.float32)
    products = np.empty((size, width), np.float32)
    views = np.empty((query.views, size), np.float32)
    bias = BIAS * query.columns[:, : query.views].sum(axis=0)[:, None]
    scale = query.scale[:, None]
    try:
        for at in range(0, len(found), size):
            part = slice(at, min(at + size, len(found)))
            number = part.stop - at
            if rows is None:
                values[:number] = stored.codes[part]
            else:
                # "clip": any other mode copies once more, into memory that nobody wipes.
                np.take(stored.codes, rows[part], axis=0, out=codes[:number], mode="clip")
                values[:number] = codes[:number]
            # At most 512 * 127 * 255 < 2^24: exact in any order of the sum. The rows come first, as the product
            # then needs no copy of them; transposed after, as a maximum along 25 values is slow.
            for first in range(0, number, each):
                some = slice(first, min(first + each, number))
                np.matmul(values[some], query.columns, out=products[some])
            best = np.subtract(products[:number, : query.views].T, bias, out=views[:, :number])
            best *= scale
            np.multiply(best.max(axis=0), stored.scale[part if rows is None else rows[part]], out=found[part])
    finally:
        values.fill(0)
        codes.fill(0)
    return found


def nearest(stored: TemplateRows, query: Query) -> Rows:
    """The rows with the largest inner products with a single view, by faiss."""
    _engine_for_one(stored)
    _, labels = stored.scan.search(query.columns.T, TOP)
    rows: Rows = labels[0]
    return rows[rows >= 0]


def near_signs(stored: TemplateRows, query: Query, count: int) -> Rows:
    """Rows among the first ``count`` whose signs are nearest to a view's: max(1,000, n / 250) for each view."""
    return nearest_signs(stored, query, count, max(_CANDIDATES, count // _CANDIDATE_SHARE))


def nearest_signs(stored: TemplateRows, query: Query, count: int, wanted: int) -> Rows:
    """As ``near_signs``: rows of the ``wanted`` nearest pairs of row and view for each view there is, and of those
    pairs that are as near as the last; each once, rising.

    One scan of everything within a radius, which is judged from a sample and widened where that was wrong: to keep
    the best so far while scanning (faiss's ``hammings_knn_mc``) mispredicts a branch for each new one, and each
    time the processor forgets the rows that it was fetching ahead.
    """
    wanted = min(wanted, count) * query.views
    distances, rows = _near_pairs(stored, query, count, wanted)
    if len(rows) > wanted:
        rows = rows[distances <= np.partition(distances, wanted - 1)[wanted - 1]]
    if query.views == 1:
        return rows
    # Several views find the same row. Marks, as sorting so many pairs takes ten times as long.
    near = np.zeros(count, np.bool_)
    near[rows] = True
    return np.flatnonzero(near)


def _near_pairs(stored: TemplateRows, query: Query, count: int, wanted: int) -> tuple[NDArray[Any], Rows]:
    """Distances and rows of at least the ``wanted`` nearest pairs, of each view in the order of the rows."""
    if stored.engine is None:
        return _all_pairs(stored, query, count)
    radius = _first_radius(stored, query, count, wanted)
    distances, rows = _pairs_within(stored, query, count, radius)
    while len(rows) < wanted:
        radius += _WIDER
        distances, rows = _pairs_within(stored, query, count, radius)
    return distances, rows


def _first_radius(stored: TemplateRows, query: Query, count: int, wanted: int) -> int:
    """About how many signs differ at most in the ``wanted`` nearest pairs of row and view."""
    step = max(count // _SAMPLE_RUNS, 1)
    runs = stored.signs[: count // step * step].reshape(-1, step * SIGN_BYTES)
    # A copy in any case: it is wiped, and of few rows the runs are the rows themselves.
    sample = runs[:, : _SAMPLE_RUN * SIGN_BYTES].copy().reshape(-1, SIGN_BYTES)
    distances = np.empty((query.views, len(sample)), np.int32)
    engine = _engine_for_one(stored)
    engine.hammings(
        engine.swig_ptr(query.signs),
        engine.swig_ptr(sample),
        query.views,
        len(sample),
        SIGN_BYTES,
        engine.swig_ptr(distances),
    )
    sample.fill(0)
    share = min(_SPARE * wanted / (count * query.views), 0.5)
    # Their spread on the far side: on the near one a mate in the sample would be taken for spread.
    far = distances.astype(np.float32)
    middle = float(np.add.reduce(far, axis=None)) / far.size
    far -= middle
    np.maximum(far, 0, out=far)
    spread = math.sqrt(float(np.vdot(far, far)) / max(int(np.count_nonzero(far)), 1))
    return math.ceil(middle + spread * NormalDist().inv_cdf(share))


def _pairs_within(stored: TemplateRows, query: Query, count: int, radius: int) -> tuple[Scores, Rows]:
    """Distances and rows of all pairs of row and view in which at most ``radius`` signs differ."""
    engine = _engine_for_one(stored)
    # One view reads each row once in any case.
    block = count if query.views == 1 else _SIGN_BLOCK
    found: list[tuple[Scores, Rows]] = []
    for at in range(0, count, block):
        result = engine.RangeSearchResult(query.views)
        engine.hamming_range_search(
            engine.swig_ptr(query.signs),
            engine.swig_ptr(stored.signs[at:]),
            query.views,
            min(block, count - at),
            radius + 1,
            SIGN_BYTES,
            result,
        )
        number = int(engine.rev_swig_ptr(result.lims, query.views + 1)[-1])
        if number:
            rows = engine.rev_swig_ptr(result.labels, number) + at
            found.append((engine.rev_swig_ptr(result.distances, number).copy(), rows))
    if len(found) == 1:
        return found[0]
    if not found:
        return np.empty(0, np.float32), np.empty(0, np.int64)
    return np.concatenate([part for part, _ in found]), np.concatenate([part for _, part in found])


def _all_pairs(stored: TemplateRows, query: Query, count: int) -> tuple[NDArray[np.uint16], Rows]:
    """As ``_pairs_within``, but of every pair and without faiss."""
    words = stored.signs.view(np.uint64)
    distances = np.empty((query.views, count), np.uint16)
    mixed = np.empty((min(_SIGN_BLOCK, count), words.shape[1]), np.uint64)
    for at in range(0, count, _SIGN_BLOCK):
        part = words[at : min(at + _SIGN_BLOCK, count)]
        for view, row in zip(query.signs.view(np.uint64), distances, strict=True):
            differing = np.bitwise_xor(part, view, out=mixed[: len(part)])
            np.bitwise_count(differing).sum(axis=1, dtype=np.uint16, out=row[at : at + len(part)])
    mixed.fill(0)
    return distances.ravel(), np.tile(np.arange(count), query.views)


def _engine_for_one(stored: TemplateRows) -> ModuleType:
    """faiss, set to use the calling thread alone: two threads on loaded cores wait for each other."""
    if stored.engine is None:
        raise TypeError("this gallery has no faiss")
    stored.engine.omp_set_num_threads(1)
    return stored.engine
