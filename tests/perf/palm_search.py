"""1:N search of templates: CPU time of one thread at 10k, 100k and 1M nodes, against one read of the same bytes,
faiss's own flat indexes and usearch, turn about in the same run; and the recall of the two stages against a search of
every row, over drawn populations of several effective dimensions and likenesses.

``python -m tests.perf.palm_search`` prints the rows. Peak memory about 2 GB.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator, Sequence

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import faiss
import numpy as np
from usearch.index import MetricKind, search

from app.biometrics import template_scans as scans
from app.biometrics.gallery import Gallery
from app.biometrics.template_codes import Int8
from hardware.terminals.projection import DIMENSIONS
from tests.perf.palm_population import COSINE_SWEEP, DIMENSION_SWEEP, Population, templates
from tests.perf.report import Row, run

MILLION = 1_000_000
ROUNDS = 9
PROBES = 200
"""Mated probes of each shape in the recall."""
SEED = 21


def turn_about(*works: Callable[[], object], rounds: int = ROUNDS) -> list[float]:
    """Median CPU milliseconds of the calling thread for each."""
    spent: list[list[float]] = [[] for _ in works]
    for _ in range(rounds + 1):
        for work, costs in zip(works, spent, strict=True):
            began = time.thread_time()
            work()
            costs.append(time.thread_time() - began)
    return [sorted(costs[1:])[rounds // 2] * 1e3 for costs in spent]


def strangers(count: int, dimension: int = 160) -> Iterator[tuple[int, Int8, np.ndarray]]:
    """Templates of so many, in parts: where each begins, and the projection that made it."""
    population = Population(SEED, dimension, COSINE_SWEEP[1])
    turn = population.projection()
    for first in range(0, count, 50_000):
        persons = population.persons(min(50_000, count - first))
        yield first, templates(persons, turn), turn


def filled(count: int) -> Gallery:
    """A gallery of strangers."""
    gallery = Gallery(capacity=count, seed=SEED)
    for first, part, _ in strangers(count):
        gallery.load([f"N{first + number:07}" for number in range(len(part))], part)
    return gallery


def read(array: np.ndarray) -> Callable[[], object]:
    """One pass over its bytes."""
    words = array.reshape(-1).view(np.uint64)
    return words.sum


def whole(count: int) -> list[Row]:
    """One call of ``Gallery.search``: candidates, ranking and cohort."""
    gallery = filled(count)
    probe = gallery.templates("N0000001")[0]
    views = np.concatenate([gallery.templates(f"N{number:07}") for number in range(25)])
    codes = gallery._rows.codes[:count]
    name = f"1:N search among {count:,}"
    ours, pass_ = turn_about(lambda: gallery.search(probe), read(codes))
    rows = [Row(f"{name}, one view", "ms", ours, pass_, ours / pass_, "told", "one read of the int8 rows")]
    if count == 10_000:
        index = flat(gallery)
        several = views.astype(np.float32)
        ours, peer = turn_about(lambda: gallery.search(views), lambda: index.search(several, 10), rounds=25)
        against = "faiss IndexScalarQuantizer"
        rows.append(Row(f"{name}, 25 views", "ms", ours, peer, ours / peer, "<= 1.0", against, ours <= peer))
    return rows


def flat(gallery: Gallery) -> faiss.Index:
    """faiss's own int8 index of the same rows."""
    kind = faiss.ScalarQuantizer.QT_8bit_direct_signed
    index = faiss.IndexScalarQuantizer(DIMENSIONS, kind, faiss.METRIC_INNER_PRODUCT)
    index.add(gallery.templates("N0000000").astype(np.float32))
    index.reset()
    for first in range(0, gallery.rows, 50_000):
        rows = np.arange(first, min(first + 50_000, gallery.rows))
        index.add(gallery._rows.templates(rows).astype(np.float32))
    return index


def small() -> list[Row]:
    """10k and 100k."""
    faiss.omp_set_num_threads(1)
    return whole(10_000) + whole(100_000)


def million() -> list[Row]:
    """1M: the search, both scans alone, and their peers."""
    faiss.omp_set_num_threads(1)
    gallery = filled(MILLION)
    rows, probe = gallery._rows, gallery.templates("N0000001")
    query = scans.Query.of(probe)
    ours, pass_ = turn_about(lambda: gallery.search(probe), read(rows.codes[:MILLION]))
    told = [Row("1:N search among 1,000,000, one view", "ms", ours, pass_, ours / pass_, "told", "one int8 read")]
    views = np.concatenate([gallery.templates(f"N{number:07}") for number in range(25)])
    ours, pass_ = turn_about(lambda: gallery.search(views), read(rows.codes[:MILLION]), rounds=3)
    told.append(Row("1:N search among 1,000,000, 25 views", "ms", ours, pass_, ours / pass_, "told", "one int8 read"))

    binary = faiss.IndexBinaryFlat(DIMENSIONS)
    binary.add(rows.signs[:MILLION])
    # Every round has another probe: how many rows the first radius lets in is a matter of luck.
    queries = [scans.Query.of(gallery.templates(f"N{number:07}")) for number in range(25)]

    def of_each(work: Callable[[scans.Query], object]) -> Callable[[], object]:
        turn = itertools.cycle(queries)
        return lambda: work(next(turn))

    best, pass_, its, used, bare = turn_about(
        of_each(lambda query: scans.nearest_signs(rows, query, MILLION, 1_000)),
        read(rows.signs[:MILLION]),
        of_each(lambda query: binary.search(query.signs, 1_000)),
        of_each(lambda query: scans.near_signs(rows, query, MILLION)),
        # Nobody is so near: what faiss's loop alone takes, which nothing built on it can beat.
        of_each(lambda query: scans._pairs_within(rows, query, MILLION, -1)),
        rounds=len(queries),
    )
    name = "signs of 1,000,000"
    for what, spent in (("best 1,000", best), (f"best {MILLION // scans._CANDIDATE_SHARE:,}, as used", used)):
        goal, met = ">= 0.8 of bandwidth", spent * 0.8 <= pass_
        told.append(Row(f"{name}, {what}", "ms", spent, pass_, pass_ / spent, goal, "one read", met))
    told += [
        Row(f"{name}, choosing none", "ms", bare, pass_, pass_ / bare, "told", "one read"),
        Row(f"{name}, best 1,000", "ms", best, its, best / its, "<= 1.0", "faiss IndexBinaryFlat", best <= its),
    ]
    binary.reset()
    plain = rows.templates(np.arange(MILLION))
    scan, pass_, its = turn_about(
        lambda: scans.nearest(rows, query),
        read(rows.codes[:MILLION]),
        lambda: search(plain, probe[0], 64, MetricKind.IP, exact=True, threads=1),
        rounds=5,
    )
    name = "int8 scan of 1,000,000"
    told += [
        Row(name, "ms", scan, pass_, pass_ / scan, ">= 0.75 of bandwidth", "one read", scan * 0.75 <= pass_),
        Row(name, "ms", scan, its, its / scan, ">= 3", "usearch, exact, int8", its >= 3 * scan),
    ]
    return told


def recall() -> list[Row]:
    """Whether the two stages name the node that a search of every row names."""
    faiss.omp_set_num_threads(1)
    rows: list[Row] = []
    same_all = asked_all = 0
    for dimension in DIMENSION_SWEEP:
        gallery = Gallery(capacity=MILLION, seed=SEED)
        probes: dict[float, Int8] = {}
        for first, part, turn in strangers(MILLION, dimension):
            gallery.load([f"N{first + number:07}" for number in range(len(part))], part)
            if not first:
                # What a template was made of, but for its rounding, is found by turning it back.
                people = part[:PROBES].astype(np.float32) @ turn
                people /= np.linalg.norm(people, axis=1, keepdims=True)
                for cosine in COSINE_SWEEP:
                    drawn = Population(SEED, dimension, cosine)
                    probes[cosine] = templates(drawn.shots(people), turn)
        for cosine, mated in probes.items():
            same = mates = 0
            for number, probe in enumerate(mated):
                found = gallery.search(probe).best[0][0]
                rows_near = scans.nearest(gallery._rows, scans.Query.of(probe))
                scores = scans.scores(gallery._rows, scans.Query.of(probe), rows_near)
                exact = f"N{int(rows_near[int(np.argmax(scores))]):07}"
                same += found == exact
                mates += exact == f"N{number:07}"
            same_all, asked_all = same_all + same, asked_all + PROBES
            name = f"two stages, 1M, dimension {dimension}, cosine {cosine}"
            against = f"of {PROBES}; beside: whose best is the mate"
            rows.append(Row(name, "same", same, mates, same / PROBES, "told", against))
    share = same_all / asked_all
    name, against = "two stages, 1M, all of these", "a search of every row"
    rows.append(Row(name, "same", same_all, asked_all, share, ">= 0.999", against, share >= 0.999))
    return rows


ROWS: Sequence[Callable[[], list[Row]]] = (small, million, recall)

if __name__ == "__main__":
    run(ROWS)
