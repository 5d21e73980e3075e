"""The templates of one registry in memory: added, removed, searched (palm and stylized share it).

A score is the cosine of two templates, and a node's score the best over its rows and the probe's views. Three searches,
by size (``Gallery.search``): every row in blocks of one matrix product each; one probe against up to
``EXHAUSTIVE_ROWS`` rows by faiss's int8 scan; above that the signs (64 bytes a row) choose candidates and the int8 rows
rank them. ``template_rows`` keeps the rows and ``template_scans`` computes over them; this module knows which node a
row belongs to, and makes every search see one state. In plain words a search is ``reference_search`` of the tests.

Removal moves the last row into the hole and wipes where it was, so that nothing of a removed node stays here. A search
holds no lock while it scans. Invariant: every change of rows bumps ``_version`` under the lock, and what a scan found
becomes nodes under the lock only while the version is the one it began with. Otherwise the score of a removed row would
be reported for the node whose row was moved there.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from app.biometrics import template_scans as scans
from app.biometrics.template_codes import BLOCK, Codes, Int8, Rows, Scores, codes_of
from app.biometrics.template_rows import TemplateRows, faiss_module
from hardware.terminals.bundle import FEW_OTHERS

EXHAUSTIVE_ROWS: Final = 100_000
"""Up to so many rows every row is scored; above, the candidates that the signs choose."""
COHORT: Final = 1_000
"""Random nodes that stand for the others where not every node is scored."""
RANKED: Final = 8
"""Nodes that a search names."""
_SMALL: Final = 4_096
"""Up to so many rows blocks score every node about as fast as faiss finds the best ones."""
_TRIES: Final = 3
"""Scans that may be begun anew because the rows changed; the next one holds changes off."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found. ``best``: at most ``RANKED`` nodes with falling scores. ``cohort``: scores of other nodes
    than the first. ``searched``: how many nodes could have been found."""

    best: tuple[tuple[str, float], ...]
    cohort: Scores
    searched: int


class Gallery:
    """Templates by node. Safe on any thread. ``faiss`` False: numpy alone. ``seed``: of the random cohorts."""

    def __init__(self, *, capacity: int = BLOCK, faiss: bool = True, seed: int | None = None) -> None:
        self._engine = faiss_module() if faiss else None
        self._random = np.random.default_rng(seed)
        self._lock = threading.Lock()
        self._version = 0
        self._rows = TemplateRows(max(capacity, 1), self._engine)
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
        no templates."""
        codes = codes_of(rows)
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
        """Adds to each of these nodes, which have none yet, so many of the rows, in their order: what ``copy_of`` gave.
        ``ValueError`` otherwise."""
        codes = codes_of(rows)
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
        """Removes the node's templates and wipes them; gives how many there were. A search that starts later cannot
        find them."""
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

    def copy_of(self, node_ids: Collection[str], limit: int) -> tuple[list[tuple[str, int]], Int8]:
        """Those of ``node_ids`` that have templates, each with how many, and a copy of these, int8 (k, 512), that the
        caller wipes. ``ValueError`` if they are more than ``limit``."""
        with self._lock:
            numbers = [(node_id, self._numbers[node_id]) for node_id in node_ids if node_id in self._numbers]
            rows = self._rows_of_nodes([node_id for node_id, _ in numbers])
            if len(rows) > limit:
                raise ValueError(f"{len(rows)} templates")
            return [(node_id, len(self._rows_of[number])) for node_id, number in numbers], self._rows.templates(rows)

    # -- the lock is held

    def _append(self, names: Sequence[str], counts: Sequence[int], codes: Codes) -> None:
        """Puts the rows of new nodes behind the others, in larger memory if they need it."""
        first, count = self._count, self._count + len(codes)
        self._version += 1
        if count > self._rows.capacity:
            larger = TemplateRows(max(count, 2 * self._rows.capacity), self._engine)
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
        """Fills each hole with the last row, and wipes that row."""
        number = self._numbers.pop(node_id, None)
        if number is None:
            return 0
        self._version += 1
        rows = self._rows_of[number]
        self._rows_of[number], self._names[number] = (), ""
        self._free.append(number)
        # The highest first, so that the last row is never one that is removed next.
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
        ``partition`` without templates do not count. Where it has no more than ``FEW_OTHERS`` nodes, up to ``COHORT``
        random nodes of the registry are its cohort with them: what a stranger scores does not depend on who may pass.
        ``ValueError`` for probes of another shape or all zero."""

        def scan(state: _State, query: scans.Query) -> Found:
            if partition is not None:
                rows, among = self._resolve(state, lambda: self._partition(partition))
                scores = scans.scores(state.rows, query, rows)
                searched = None if among is None else len(among)
                return self._resolve(state, lambda: self._rank(rows, scores, searched=searched, among=among))
            if state.count > EXHAUSTIVE_ROWS:
                return self._search_among(state, query, scans.near_signs(state.rows, query, state.count))
            if state.count > _SMALL and query.views == 1 and self._engine is not None:
                return self._search_among(state, query, scans.nearest(state.rows, query))
            scores = scans.scores(state.rows, query, None, state.count)
            return self._resolve(state, lambda: self._rank(None, scores))

        return self._consistent(probes, scan)

    def verify(self, probes: Int8, node_id: str) -> Found:
        """The claimed node first and then the best of ``COHORT`` random other nodes; ``best`` is empty if the claimed
        node has no templates. Otherwise as ``search``."""

        def scan(state: _State, query: scans.Query) -> Found:
            def choose() -> tuple[Rows, int]:
                number = self._numbers.get(node_id)
                if number is None:
                    raise LookupError(node_id)
                return self._with_cohort(np.array(self._rows_of[number], np.int64)), number

            rows, number = self._resolve(state, choose)
            scores = scans.scores(state.rows, query, rows)
            return self._resolve(state, lambda: self._rank(rows, scores, searched=1, first=number))

        try:
            return self._consistent(probes, scan)
        except LookupError:
            return Found((), np.zeros(0, np.float32), 0)

    def _consistent(self, probes: Int8, scan: Callable[[_State, scans.Query], Found]) -> Found:
        """The result of ``scan`` over one state of the rows. It is begun anew when the rows changed meanwhile, and at
        last runs with changes held off."""
        query = scans.Query.of(probes)
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

    def _resolve(self, state: _State, look: Callable[[], T]) -> T:
        """The result of ``look``, if the rows are still those of ``state``."""
        if state.held:
            return look()
        with self._lock:
            if self._version != state.version:
                raise _Changed
            return look()

    def _search_among(self, state: _State, query: scans.Query, near: Rows) -> Found:
        """Ranks the best candidates by all rows of their nodes, and scores a cohort beside them."""
        near_scores = -scans.scores(state.rows, query, near)
        top = np.argpartition(near_scores, min(scans.TOP, len(near)) - 1)[: scans.TOP]
        leading = near[top[np.argsort(near_scores[top], kind="stable")]]

        def choose() -> tuple[Rows, frozenset[int]]:
            leaders = list(dict.fromkeys(state.rows.owner[leading].tolist()))[:RANKED]
            named = [self._rows_of[number] for number in leaders]
            rows = np.fromiter(itertools.chain.from_iterable(named), np.int64)
            return self._with_cohort(rows), frozenset(leaders)

        rows, leaders = self._resolve(state, choose)
        scores = scans.scores(state.rows, query, rows)
        return self._resolve(state, lambda: self._rank(rows, scores, searched=len(self._numbers), leaders=leaders))

    # -- the lock is held

    def _rows_of_nodes(self, node_ids: Collection[str]) -> Rows:
        numbers = (self._numbers.get(node_id) for node_id in node_ids)
        named = (self._rows_of[number] for number in numbers if number is not None)
        return np.fromiter(itertools.chain.from_iterable(named), np.int64)

    def _partition(self, node_ids: Collection[str]) -> tuple[Rows, NDArray[np.int32] | None]:
        """The rows of these nodes; of few, a cohort behind them, and then the numbers of those that may be found."""
        rows = self._rows_of_nodes(node_ids)
        inside = np.unique(self._rows.owner[rows])
        if not 0 < len(inside) <= FEW_OTHERS:
            return rows, None
        return self._with_cohort(rows), inside

    def _with_cohort(self, rows: Rows) -> Rows:
        """``rows`` and then all rows of ``COHORT`` random nodes that are none of theirs (or of all there are)."""
        own = np.unique(self._rows.owner[rows])
        if len(self._numbers) <= COHORT + len(own):
            others = self._first_of_others(np.arange(self._count), own)
        else:
            # Rows are drawn and each node counts once: with few rows a node that is nearly a draw of nodes.
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
        """The first row of each node, in the order of ``drawn``, without nodes of ``own``."""
        numbers, first = np.unique(self._rows.owner[drawn], return_index=True)
        return drawn[np.sort(first[~np.isin(numbers, own)])]

    def _rank(
        self,
        rows: Rows | None,
        scores: Scores,
        *,
        searched: int | None = None,
        first: int | None = None,
        leaders: frozenset[int] = frozenset(),
        among: NDArray[np.int32] | None = None,
    ) -> Found:
        """Nodes from the scores of rows. ``first`` is named first at any score. ``leaders``: nodes that were chosen for
        their scores, where the others were drawn at random. ``among``: the numbers that may be named; the others are of
        the cohort alone."""
        owners = self._rows.owner[: len(scores)] if rows is None else self._rows.owner[rows]
        numbers, best = _by_node(owners, scores)
        if not len(numbers):
            return Found((), np.zeros(0, np.float32), 0)
        named = np.arange(len(best)) if among is None else np.flatnonzero(np.isin(numbers, among))
        top = named[np.argpartition(-best[named], min(RANKED, len(named)) - 1)[:RANKED]]
        order = top[np.lexsort((numbers[top], -best[top]))].tolist()
        if first is not None:
            claimed = int(np.searchsorted(numbers, first))
            order = [claimed, *(one for one in order if one != claimed)][:RANKED]
        apart = [order[0]]
        if len(numbers) - len(leaders) >= COHORT:
            # Among nodes that were drawn at random, the best of all would widen the cohort.
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
    """The rows that a scan works on. ``held``: the lock is held, so that they cannot change."""

    rows: TemplateRows
    count: int
    version: int
    held: bool = False


def _by_node(owners: NDArray[np.int32], scores: Scores) -> tuple[NDArray[np.int32], Scores]:
    """Each node once, rising, with its best score."""
    if (owners[1:] > owners[:-1]).all():
        # The case as long as every node has one row and none was removed.
        return owners, scores
    # Stable: rows mostly stand in the order of their nodes already, and sorting them is then one walk.
    order = np.argsort(owners, kind="stable")
    sorted_owners = owners[order]
    starts = np.flatnonzero(np.diff(sorted_owners, prepend=-1))
    return sorted_owners[starts], np.maximum.reduceat(scores[order], starts)
