"""The templates of one registry in memory: added, removed, searched (palm and stylized share it).

A template is 512 x int8, a score the cosine of two templates, and a node's score the best over its rows and the probe's
views. numpy owns every array; faiss only looks at them, without a copy. Three searches, by size (``Gallery.search``):
every row in blocks of one matrix product each; one probe against up to ``EXHAUSTIVE_ROWS`` rows by faiss's int8 scan;
above that the signs (64 bytes a row) choose candidates and the int8 rows rank them. Without faiss numpy does all three,
with the same scores.

Removal moves the last row into the hole and wipes where it was, so that nothing of a removed node stays here. A search
holds no lock while it scans. Invariant: every change of rows bumps ``_version`` under the lock, and what a scan found
becomes nodes under the lock only while the version is the one it began with. Else a score of a removed row would be
told of the node whose row was moved there.
"""

from __future__ import annotations

import itertools
import math
import mmap
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from types import ModuleType
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

DIMENSIONS: Final = 512
EXHAUSTIVE_ROWS: Final = 100_000
"""Up to so many rows every row is scored; above, the candidates that the signs choose."""
COHORT: Final = 1_000
"""Random nodes that stand for the others where not every node is scored."""
RANKED: Final = 8
"""Nodes that a search names."""
NORM: Final = 724.0773439350247
"""Length of a template: 32 units a standard deviation, 512 values."""
NORM_TOLERANCE: Final = 0.1
"""Rounding and clipping change the length by less than this part of it. Rows of other lengths are no templates, and
would spoil the order of inner products."""

_SIGN_BYTES: Final = DIMENSIONS // 8
_BLOCK: Final = 1_024
_SCORED: Final = 240
"""Rows that are scored at a time: as float32 they stay in a core's second cache between the copy and the product."""
_PRODUCT: Final = 1_920
"""Rows times views of one matrix product: with 512 values not over 10^6 multiplications, which OpenBLAS does where the
rows stand (AVX-512; 25 views: 2.7 instead of 3.4 ms at 10k). What is larger it copies first."""
_COLUMNS: Final = 8
"""More views than this are filled up to a multiple of it with zeros: no product ends in odd columns."""
_SIGN_BLOCK: Final = 1 << 14
"""Rows whose signs stay there while every view is compared with them."""
_SAMPLE_RUNS: Final = 64
_SAMPLE_RUN: Final = 64
"""Rows whose signs say how far the nearest will be: so many places, so many rows each."""
_SPARE: Final = 1.3
"""Times the wanted candidates that the first radius aims at: each spare one costs 0.03 us in a quiet memory, 0.2 in a
busy one; a second scan, less often than one search in a hundred, all anew."""
_WIDER: Final = 4
_SMALL: Final = 4_096
"""Up to so many rows blocks score every node about as fast as faiss finds the best ones."""
_TOP: Final = 64
"""Rows that faiss's scan gives back: more than one node's, so that the second best node is among them."""
_CANDIDATES: Final = 1_000
_CANDIDATE_SHARE: Final = 250
"""Candidates of each view: at least so many, and one of so many rows. Of 825 mates whom a search of every row of 1M
names (80 independent directions, cosine 0.5: the hardest of the sweep) half as many candidates missed two, these none.
"""
_TRIES: Final = 3
_PAGE: Final = 4_096
_BIAS: Final = 128
"""faiss's signed 8-bit code of a value is the value plus this."""

Int8 = NDArray[np.int8]
Scores = NDArray[np.float32]
Rows = NDArray[np.int64]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found. ``best``: at most ``RANKED`` nodes with their scores, falling. ``cohort``: scores of other
    nodes than the first. ``searched``: nodes that could have been found."""

    best: tuple[tuple[str, float], ...]
    cohort: Scores
    searched: int


@cache
def _faiss() -> ModuleType | None:
    try:
        import faiss
    except ImportError:
        return None
    found: ModuleType = faiss
    return found


class Gallery:
    """Templates by node. Safe on any thread. ``faiss`` False: numpy alone. ``seed`` draws the cohorts."""

    def __init__(self, *, capacity: int = _BLOCK, faiss: bool = True, seed: int | None = None) -> None:
        self._engine = _faiss() if faiss else None
        self._random = np.random.default_rng(seed)
        self._lock = threading.Lock()
        self._version = 0
        self._rows = _Buffers(max(capacity, 1), self._engine)
        self._count = 0
        self._numbers: dict[str, int] = {}
        # By number of the node: its name and its rows. Numbers of removed nodes are used again.
        self._names: list[str] = []
        self._rows_of: list[tuple[int, ...]] = []
        self._free: list[int] = []

    def __len__(self) -> int:
        """Number of nodes."""
        return len(self._numbers)

    def __contains__(self, node_id: str) -> bool:
        return node_id in self._numbers

    @property
    def rows(self) -> int:
        """Number of templates."""
        return self._count

    # --- changes ---

    def add(self, node_id: str, rows: Int8) -> None:
        """Puts the node's templates, int8 (512,) or (k, 512), in place of those that it had. ``ValueError`` if they are
        none."""
        codes = checked(rows)
        try:
            with self._lock:
                self._remove(node_id)
                self._append([node_id], [len(codes)], codes)
        finally:
            codes.fill(0)

    def load(self, node_ids: Sequence[str], rows: Int8) -> None:
        """Adds row i of int8 (m, 512) to ``node_ids[i]``, for nodes that have none yet; rows of one node stand
        together. ``ValueError`` otherwise."""
        if len(node_ids) != len(rows):
            raise ValueError("each node is loaded once, with a name for each row")
        self.restore([(node_id, len(list(run))) for node_id, run in itertools.groupby(node_ids)], rows)

    def restore(self, nodes: Sequence[tuple[str, int]], rows: Int8) -> None:
        """Adds to each of these nodes, which have none yet, so many of the rows, in their order: what ``copied`` gave.
        ``ValueError`` otherwise."""
        codes = checked(rows)
        names, counts = [name for name, _ in nodes], [count for _, count in nodes]
        try:
            with self._lock:
                known = len(set(names)) != len(names) or not self._numbers.keys().isdisjoint(names)
                if known or sum(counts) != len(codes) or min(counts, default=0) < 1:
                    raise ValueError("each node is loaded once, with a name for each row")
                self._append(names, counts, codes)
        finally:
            codes.fill(0)

    def remove(self, node_id: str) -> int:
        """Takes the node's templates out and wipes them; how many. Nothing that starts after it can find them."""
        with self._lock:
            return self._remove(node_id)

    def clear(self) -> None:
        """Removes and wipes everything."""
        with self._lock:
            self._version += 1
            self._rows.wipe(self._count)
            self._set_count(0)
            self._numbers.clear()
            self._names.clear()
            self._rows_of.clear()
            self._free.clear()

    def templates(self, node_id: str) -> Int8:
        """A copy of the node's templates, int8 (k, 512); k is 0 for an unknown node."""
        with self._lock:
            number = self._numbers.get(node_id)
            rows = () if number is None else self._rows_of[number]
            return self._rows.templates(np.array(rows, np.int64))

    def counts(self) -> list[tuple[str, int]]:
        """Every node with how many templates it has."""
        with self._lock:
            return [(node_id, len(self._rows_of[number])) for node_id, number in self._numbers.items()]

    def copied(self, node_ids: Collection[str], limit: int) -> tuple[list[tuple[str, int]], Int8]:
        """Those of ``node_ids`` that have templates, each with how many, and a copy of these, int8 (k, 512), that the
        caller wipes. ``ValueError`` if they are more than ``limit``."""
        with self._lock:
            numbers = [(node_id, self._numbers[node_id]) for node_id in node_ids if node_id in self._numbers]
            rows = self._rows_of_nodes([node_id for node_id, _ in numbers])
            if len(rows) > limit:
                raise ValueError(f"{len(rows)} templates")
            return [(node_id, len(self._rows_of[number])) for node_id, number in numbers], self._rows.templates(rows)

    # -- the lock is held

    def _append(self, names: Sequence[str], counts: Sequence[int], codes: NDArray[np.uint8]) -> None:
        first, count = self._count, self._count + len(codes)
        self._version += 1
        if count > self._rows.capacity:
            larger = _Buffers(max(count, 2 * self._rows.capacity), self._engine)
            larger.copy(self._rows, first)
            self._rows.wipe(first)
            self._rows = larger
        numbers: list[int] = []
        at = first
        for node_id, size in zip(names, counts, strict=True):
            rows = (at,) if size == 1 else tuple(range(at, at + size))
            if self._free:
                number = self._free.pop()
                self._names[number], self._rows_of[number] = node_id, rows
            else:
                number = len(self._names)
                self._names.append(node_id)
                self._rows_of.append(rows)
            self._numbers[node_id] = number
            numbers.append(number)
            at += size
        self._rows.write(first, codes, np.repeat(np.array(numbers, np.int32), counts))
        self._set_count(count)

    def _remove(self, node_id: str) -> int:
        number = self._numbers.pop(node_id, None)
        if number is None:
            return 0
        self._version += 1
        rows = self._rows_of[number]
        self._rows_of[number], self._names[number] = (), ""
        self._free.append(number)
        # The highest first: the last row is then never one that is still to go.
        for row in sorted(rows, reverse=True):
            last = self._count - 1
            if row != last:
                owner = self._rows.move(last, row)
                held = self._rows_of[owner]
                self._rows_of[owner] = (row,) if len(held) == 1 else tuple(row if one == last else one for one in held)
            self._rows.wipe_row(last)
            self._set_count(last)
        return len(rows)

    def _set_count(self, count: int) -> None:
        self._count = count
        self._rows.show(count)

    # --- searches ---

    def search(self, probes: Int8, partition: Collection[str] | None = None) -> Found:
        """The best nodes for the views of one probe, int8 (512,) or (V, 512), among ``partition`` or all. Nodes of
        ``partition`` without templates do not count. ``ValueError`` for probes of another shape or all zero."""

        def scan(state: _State, query: _Query) -> Found:
            if partition is not None:
                rows = self._resolved(state, lambda: self._rows_of_nodes(partition))
                scores = state.rows.scores(query, rows)
                return self._resolved(state, lambda: self._ranked(rows, scores))
            if state.count > EXHAUSTIVE_ROWS:
                return self._narrowed(state, query, state.rows.near_signs(query, state.count))
            if state.count > _SMALL and query.views == 1 and self._engine is not None:
                return self._narrowed(state, query, state.rows.nearest(query))
            scores = state.rows.scores(query, None, state.count)
            return self._resolved(state, lambda: self._ranked(None, scores))

        return self._consistent(probes, scan)

    def verify(self, probes: Int8, node_id: str) -> Found:
        """The claimed node first and then the best others of ``COHORT`` random nodes; ``best`` is empty if it has no
        templates. As ``search``."""

        def scan(state: _State, query: _Query) -> Found:
            def chosen() -> tuple[Rows, int]:
                number = self._numbers.get(node_id)
                if number is None:
                    raise LookupError(node_id)
                return self._with_cohort(np.array(self._rows_of[number], np.int64)), number

            rows, number = self._resolved(state, chosen)
            scores = state.rows.scores(query, rows)
            return self._resolved(state, lambda: self._ranked(rows, scores, searched=1, first=number))

        try:
            return self._consistent(probes, scan)
        except LookupError:
            return Found((), np.zeros(0, np.float32), 0)

    def _consistent(self, probes: Int8, scan: Callable[[_State, _Query], Found]) -> Found:
        """``scan`` of one state of the rows: begun anew when they changed meanwhile, at last with changes held off."""
        query = _Query.of(probes)
        try:
            for _ in range(_TRIES):
                try:
                    return scan(self._state(), query)
                except _Changed:
                    continue
            with self._lock:
                return scan(_State(self._rows, self._count, self._version, held=True), query)
        finally:
            query.wipe()

    def _state(self) -> _State:
        with self._lock:
            return _State(self._rows, self._count, self._version)

    def _resolved(self, state: _State, look: Callable[[], T]) -> T:
        """``look`` at the nodes, if the rows are still those of ``state``."""
        if state.held:
            return look()
        with self._lock:
            if self._version != state.version:
                raise _Changed
            return look()

    def _narrowed(self, state: _State, query: _Query, near: Rows) -> Found:
        """The best candidates are ranked by all rows of their nodes, and a cohort is scored beside them."""
        near_scores = -state.rows.scores(query, near)
        top = np.argpartition(near_scores, min(_TOP, len(near)) - 1)[:_TOP]
        leading = near[top[np.argsort(near_scores[top], kind="stable")]]

        def chosen() -> tuple[Rows, frozenset[int]]:
            leaders = list(dict.fromkeys(state.rows.owner[leading].tolist()))[:RANKED]
            named = [self._rows_of[number] for number in leaders]
            rows = np.fromiter(itertools.chain.from_iterable(named), np.int64)
            return self._with_cohort(rows), frozenset(leaders)

        rows, leaders = self._resolved(state, chosen)
        scores = state.rows.scores(query, rows)
        return self._resolved(state, lambda: self._ranked(rows, scores, searched=len(self._numbers), leaders=leaders))

    # -- the lock is held

    def _rows_of_nodes(self, node_ids: Collection[str]) -> Rows:
        numbers = (self._numbers.get(node_id) for node_id in node_ids)
        named = (self._rows_of[number] for number in numbers if number is not None)
        return np.fromiter(itertools.chain.from_iterable(named), np.int64)

    def _with_cohort(self, rows: Rows) -> Rows:
        """``rows`` and then all rows of ``COHORT`` random nodes that are none of theirs (or of all there are)."""
        own = np.unique(self._rows.owner[rows])
        if len(self._numbers) <= COHORT + len(own):
            others = self._first_of_others(np.arange(self._count), own)
        else:
            # Drawn by rows, a node once: with few rows each that is nearly by nodes.
            drawn = others = np.empty(0, np.int64)
            while len(others) < COHORT:
                drawn = np.concatenate([drawn, self._random.integers(0, self._count, COHORT)])
                others = self._first_of_others(drawn, own)
            others = others[:COHORT]
        if self._count != len(self._numbers):
            named = itertools.chain.from_iterable(self._rows_of[number] for number in self._rows.owner[others].tolist())
            others = np.fromiter(named, np.int64)
        return np.concatenate([rows, others])

    def _first_of_others(self, drawn: Rows, own: NDArray[np.int32]) -> Rows:
        """Of rows the first of each node, in their order, without nodes of ``own``."""
        numbers, first = np.unique(self._rows.owner[drawn], return_index=True)
        return drawn[np.sort(first[~np.isin(numbers, own)])]

    def _ranked(
        self,
        rows: Rows | None,
        scores: Scores,
        *,
        searched: int | None = None,
        first: int | None = None,
        leaders: frozenset[int] = frozenset(),
    ) -> Found:
        """Nodes from scores of rows. ``first`` is named first whatever its score. ``leaders``: nodes that were chosen
        for their scores, where the others were drawn."""
        owners = self._rows.owner[: len(scores)] if rows is None else self._rows.owner[rows]
        numbers, best = _by_node(owners, scores)
        if not len(numbers):
            return Found((), np.zeros(0, np.float32), 0)
        top = np.argpartition(-best, min(RANKED, len(best)) - 1)[:RANKED]
        order = top[np.lexsort((numbers[top], -best[top]))].tolist()
        if first is not None:
            claimed = int(np.searchsorted(numbers, first))
            order = [claimed, *(one for one in order if one != claimed)][:RANKED]
        apart = [order[0]]
        if len(numbers) - len(leaders) >= COHORT:
            # Beside nodes that were drawn at random, the best of all would widen the cohort.
            apart += [int(np.searchsorted(numbers, number)) for number in leaders]
        return Found(
            best=tuple((self._names[numbers[one]], float(best[one])) for one in order),
            cohort=np.delete(best, apart),
            searched=len(numbers) if searched is None else searched,
        )


class _Changed(Exception):
    """The rows changed during a scan."""


@dataclass(frozen=True, slots=True)
class _State:
    """The rows that a scan works on. ``held``: the lock is, so that they cannot change."""

    rows: _Buffers
    count: int
    version: int
    held: bool = False


@dataclass(frozen=True, slots=True)
class _Query:
    """The views of a probe, a column each: whole numbers as float32, so that every inner product is exact, (512, V or
    more: columns of zeros follow); signs (V, 64), 1 / length (V,). Whoever made it wipes it."""

    columns: Scores
    signs: NDArray[np.uint8]
    scale: Scores

    @classmethod
    def of(cls, probes: Int8) -> _Query:
        views = probes[None] if probes.ndim == 1 else probes
        if views.dtype != np.int8 or views.ndim != 2 or not len(views) or views.shape[1] != DIMENSIONS:
            raise ValueError("a probe is int8, 512 values a view")
        if not views.any(axis=1).all():
            raise ValueError("a view of the probe is empty")
        count = len(views)
        columns = np.zeros((DIMENSIONS, count if count <= _COLUMNS else -(-count // _COLUMNS) * _COLUMNS), np.float32)
        columns[:, :count] = views.T
        lengths = np.sqrt(np.einsum("ij,ij->j", columns[:, :count], columns[:, :count]))
        return cls(columns, _signs(views, 0), np.float32(1.0) / lengths)

    @property
    def views(self) -> int:
        return len(self.signs)

    def wipe(self) -> None:
        self.columns.fill(0)
        self.signs.fill(0)


class _Buffers:
    """Arrays of one capacity: codes (n, 512), signs (n, 64), 1 / length and node number of each row.

    Anonymous memory of our own: huge pages are asked for (signs 22 -> 31 GB/s), and no core dump has it.
    """

    def __init__(self, capacity: int, engine: ModuleType | None) -> None:
        self.capacity = capacity
        self._engine = engine
        head = b"" if engine is None else _index_head(engine, capacity)
        self._memory = _memory(_PAGE + capacity * DIMENSIONS)
        self.codes = self._memory[_PAGE:].reshape(capacity, DIMENSIONS)
        self.signs = _memory(capacity * _SIGN_BYTES).reshape(capacity, _SIGN_BYTES)
        self.scale = _memory(capacity * 4).view(np.float32)
        self.owner = _memory(capacity * 4).view(np.int32)
        self._scan: Any = None
        self._lent: Any = None
        if engine is not None:
            # The head ends where the codes begin: faiss reads both as one stream and keeps looking at the codes.
            start = self._memory[_PAGE - len(head) :]
            start[: len(head)] = np.frombuffer(head, np.uint8)
            reader = engine.ZeroCopyIOReader(engine.swig_ptr(start), len(start))
            # Both are kept: the index by its own type does not own what it looks at.
            self._lent = (reader, engine.read_index(reader))
            self._scan = engine.downcast_index(self._lent[1])
            self._scan.ntotal = 0

    # --- changes: the gallery's lock is held ---

    def write(self, first: int, codes: NDArray[np.uint8], owners: NDArray[np.int32]) -> None:
        """Rows from ``first`` on."""
        for at in range(0, len(codes), _BLOCK):
            part = codes[at : at + _BLOCK]
            rows = slice(first + at, first + at + len(part))
            self.codes[rows] = part
            self.signs[rows] = _signs(part, _BIAS)
            self.scale[rows] = 1.0 / _norms(part)
            self.owner[rows] = owners[at : at + len(part)]

    def move(self, source: int, target: int) -> int:
        """One row over another; whose it is."""
        self.codes[target] = self.codes[source]
        self.signs[target] = self.signs[source]
        self.scale[target] = self.scale[source]
        self.owner[target] = self.owner[source]
        return int(self.owner[target])

    def copy(self, other: _Buffers, count: int) -> None:
        """The first rows of another."""
        for mine, its in zip(self._arrays(), other._arrays(), strict=True):
            mine[:count] = its[:count]

    def wipe_row(self, row: int) -> None:
        """Nothing of it stays."""
        for array in self._arrays():
            array[row] = 0

    def wipe(self, count: int) -> None:
        """As ``wipe_row`` for the first ``count``."""
        for array in self._arrays():
            array[:count] = 0

    def show(self, count: int) -> None:
        """How many rows faiss looks at."""
        if self._scan is not None:
            self._scan.ntotal = count

    def _arrays(self) -> tuple[NDArray[Any], ...]:
        return self.codes, self.signs, self.scale, self.owner

    # --- scans: any thread, no lock ---

    def templates(self, rows: Rows) -> Int8:
        """A copy of these rows as templates."""
        codes = self.codes[rows]
        codes ^= np.uint8(_BIAS)
        return codes.view(np.int8)

    def scores(self, query: _Query, rows: Rows | None, count: int = 0) -> Scores:
        """The best view's cosine of each of ``rows``, or of the first ``count``."""
        found = np.empty(count if rows is None else len(rows), np.float32)
        width = query.columns.shape[1]
        each = max(_PRODUCT // width, 1)
        size = min(_SCORED, max(len(found), 1))
        codes = np.empty((0 if rows is None else size, DIMENSIONS), np.uint8)
        values = np.empty((size, DIMENSIONS), np.float32)
        products = np.empty((size, width), np.float32)
        views = np.empty((query.views, size), np.float32)
        bias = _BIAS * query.columns[:, : query.views].sum(axis=0)[:, None]
        scale = query.scale[:, None]
        try:
            for at in range(0, len(found), size):
                part = slice(at, min(at + size, len(found)))
                number = part.stop - at
                if rows is None:
                    values[:number] = self.codes[part]
                else:
                    # "clip": any other mode copies once more, into memory that nobody wipes.
                    np.take(self.codes, rows[part], axis=0, out=codes[:number], mode="clip")
                    values[:number] = codes[:number]
                # At most 512 * 127 * 255 < 2^24: exact in whatever order it is summed. This way around, as the product
                # needs no copy of the rows; its transpose after, as a maximum along 25 values is slow.
                for first in range(0, number, each):
                    some = slice(first, min(first + each, number))
                    np.matmul(values[some], query.columns, out=products[some])
                best = np.subtract(products[:number, : query.views].T, bias, out=views[:, :number])
                best *= scale
                np.multiply(best.max(axis=0), self.scale[part if rows is None else rows[part]], out=found[part])
        finally:
            values.fill(0)
            codes.fill(0)
        return found

    def nearest(self, query: _Query) -> Rows:
        """The rows with the largest inner products with a single view, by faiss."""
        self._engine_for_one()
        _, labels = self._scan.search(query.columns.T, _TOP)
        rows: Rows = labels[0]
        return rows[rows >= 0]

    def near_signs(self, query: _Query, count: int) -> Rows:
        """Rows among the first ``count`` whose signs are nearest to a view's: max(1,000, n / 250) for each view."""
        return self.nearest_signs(query, count, max(_CANDIDATES, count // _CANDIDATE_SHARE))

    def nearest_signs(self, query: _Query, count: int, wanted: int) -> Rows:
        """As ``near_signs``: rows of the ``wanted`` nearest pairs of row and view for each view there is, and of those
        pairs that are as near as the last; each once, rising.

        One scan of everything within a radius, which is judged from a sample and widened where that was wrong: to keep
        the best so far while scanning (faiss's ``hammings_knn_mc``) mispredicts a branch for each new one, and each
        time the processor forgets the rows that it was fetching ahead.
        """
        wanted = min(wanted, count) * query.views
        distances, rows = self._about(query, count, wanted)
        if len(rows) > wanted:
            rows = rows[distances <= np.partition(distances, wanted - 1)[wanted - 1]]
        if query.views == 1:
            return rows
        # Several views find the same row. Marks, as sorting so many pairs takes ten times as long.
        near = np.zeros(count, np.bool_)
        near[rows] = True
        return np.flatnonzero(near)

    def _about(self, query: _Query, count: int, wanted: int) -> tuple[NDArray[Any], Rows]:
        """Distances and rows of at least the ``wanted`` nearest pairs, of each view in the order of the rows."""
        if self._engine is None:
            return self._all_signs(query, count)
        radius = self._radius(query, count, wanted)
        distances, rows = self._within(query, count, radius)
        while len(rows) < wanted:
            radius += _WIDER
            distances, rows = self._within(query, count, radius)
        return distances, rows

    def _radius(self, query: _Query, count: int, wanted: int) -> int:
        """About how many signs differ at most in the ``wanted`` nearest pairs of row and view."""
        step = max(count // _SAMPLE_RUNS, 1)
        runs = self.signs[: count // step * step].reshape(-1, step * _SIGN_BYTES)
        # A copy in any case: it is wiped, and of few rows the runs are the rows themselves.
        sample = runs[:, : _SAMPLE_RUN * _SIGN_BYTES].copy().reshape(-1, _SIGN_BYTES)
        distances = np.empty((query.views, len(sample)), np.int32)
        engine = self._engine_for_one()
        engine.hammings(
            engine.swig_ptr(query.signs),
            engine.swig_ptr(sample),
            query.views,
            len(sample),
            _SIGN_BYTES,
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

    def _within(self, query: _Query, count: int, radius: int) -> tuple[Scores, Rows]:
        """Distances and rows of all pairs of row and view in which at most ``radius`` signs differ."""
        engine = self._engine_for_one()
        # One view reads each row once in any case.
        block = count if query.views == 1 else _SIGN_BLOCK
        found: list[tuple[Scores, Rows]] = []
        for at in range(0, count, block):
            result = engine.RangeSearchResult(query.views)
            engine.hamming_range_search(
                engine.swig_ptr(query.signs),
                engine.swig_ptr(self.signs[at:]),
                query.views,
                min(block, count - at),
                radius + 1,
                _SIGN_BYTES,
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

    def _all_signs(self, query: _Query, count: int) -> tuple[NDArray[np.uint16], Rows]:
        """As ``_within``, without faiss: of every pair."""
        words = self.signs.view(np.uint64)
        distances = np.empty((query.views, count), np.uint16)
        mixed = np.empty((min(_SIGN_BLOCK, count), words.shape[1]), np.uint64)
        for at in range(0, count, _SIGN_BLOCK):
            part = words[at : min(at + _SIGN_BLOCK, count)]
            for view, row in zip(query.signs.view(np.uint64), distances, strict=True):
                differing = np.bitwise_xor(part, view, out=mixed[: len(part)])
                np.bitwise_count(differing).sum(axis=1, dtype=np.uint16, out=row[at : at + len(part)])
        mixed.fill(0)
        return distances.ravel(), np.tile(np.arange(count), query.views)

    def _engine_for_one(self) -> ModuleType:
        """faiss, told that the calling thread works alone: two threads on loaded cores wait for each other."""
        if self._engine is None:
            raise TypeError("this gallery has no faiss")
        self._engine.omp_set_num_threads(1)
        return self._engine


def checked(rows: Int8) -> NDArray[np.uint8]:
    """The codes of templates, int8 (512,) or (k, 512) with k >= 1; ``ValueError`` if they are none."""
    templates = rows[None] if rows.ndim == 1 else rows
    if templates.dtype != np.int8 or templates.ndim != 2 or not len(templates) or templates.shape[1] != DIMENSIONS:
        raise ValueError("a template is int8, 512 values")
    codes = np.bitwise_xor(templates.view(np.uint8), np.uint8(_BIAS), order="C")
    for at in range(0, len(codes), _BLOCK):
        if (np.abs(_norms(codes[at : at + _BLOCK]) - NORM) > NORM_TOLERANCE * NORM).any():
            codes.fill(0)
            raise ValueError("a template has another length than one that a projection gives")
    return codes


def _norms(codes: NDArray[np.uint8]) -> Scores:
    values = codes.astype(np.float32)
    values -= _BIAS
    lengths: Scores = np.sqrt(np.einsum("ij,ij->i", values, values))
    values.fill(0)
    return lengths


def _signs(values: NDArray[Any], zero: int) -> NDArray[np.uint8]:
    """A bit for each value, 1 from ``zero`` on: (n, 512) to (n, 64)."""
    positive = values >= zero
    signs = np.packbits(positive, axis=1)
    positive.fill(False)
    return signs


def _by_node(owners: NDArray[np.int32], scores: Scores) -> tuple[NDArray[np.int32], Scores]:
    """Each node once, rising, with its best score."""
    if (owners[1:] > owners[:-1]).all():
        # So it is already, as long as nodes have a row each and none was removed.
        return owners, scores
    # Stable: rows mostly stand in the order of their nodes already, and sorting them is then one walk.
    order = np.argsort(owners, kind="stable")
    sorted_owners = owners[order]
    starts = np.flatnonzero(np.diff(sorted_owners, prepend=-1))
    return sorted_owners[starts], np.maximum.reduceat(scores[order], starts)


def _memory(size: int) -> NDArray[np.uint8]:
    """Zeroed bytes that nobody else has."""
    if not hasattr(mmap, "MAP_PRIVATE"):
        return np.frombuffer(mmap.mmap(-1, size), np.uint8)
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for advice in ("MADV_HUGEPAGE", "MADV_DONTDUMP"):
        if hasattr(mmap, advice):
            memory.madvise(getattr(mmap, advice))
    return np.frombuffer(memory, np.uint8)


def _index_head(engine: ModuleType, capacity: int) -> bytes:
    """What faiss writes before the codes of ``capacity`` rows: taken from an empty index, with both sizes put in
    (``ntotal`` after the type and the dimension, length of the codes at the end)."""
    index = engine.IndexScalarQuantizer(
        DIMENSIONS, engine.ScalarQuantizer.QT_8bit_direct_signed, engine.METRIC_INNER_PRODUCT
    )
    head = bytearray(engine.serialize_index(index).tobytes())
    head[8:16] = capacity.to_bytes(8, "little")
    head[-8:] = (capacity * DIMENSIONS).to_bytes(8, "little")
    return bytes(head)
