"""The gallery: scores, removal, races, and the same answers with faiss and without."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.biometrics import gallery as module
from app.biometrics import template_scans as scans
from app.biometrics.gallery import COHORT, RANKED, Found, Gallery
from app.biometrics.template_codes import NORM, Int8


def templates(count: int, seed: int = 1) -> Int8:
    """Templates of strangers, int8 (count, 512)."""
    values = np.random.default_rng(seed).standard_normal((count, 512))
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    return np.clip(np.rint(values * NORM), -127, 127).astype(np.int8)


def near(template: Int8, cosine: float, seed: int = 2) -> Int8:
    """Another shot of the same hand, at about this cosine."""
    mixed = cosine * template + np.sqrt(1 - cosine**2) * templates(1, seed)[0]
    return np.clip(np.rint(mixed * (NORM / np.linalg.norm(mixed))), -127, 127).astype(np.int8)


def names(count: int) -> list[str]:
    """Node ids."""
    return [f"ARC-{number:05}" for number in range(count)]


def cosines(probes: Int8, rows: Int8) -> np.ndarray:
    """The best view's cosine of each row, in double precision."""
    left, right = np.atleast_2d(probes).astype(float), rows.astype(float)
    products = left @ right.T
    products /= np.linalg.norm(left, axis=1)[:, None]
    return (products / np.linalg.norm(right, axis=1)).max(axis=0)


def filled(rows: Int8, *, faiss: bool = True) -> Gallery:
    """A gallery of one row a node."""
    made = Gallery(capacity=len(rows), faiss=faiss, seed=7)
    made.load(names(len(rows)), rows)
    return made


@pytest.fixture(scope="module")
def rows() -> Int8:
    """Ten thousand templates."""
    return templates(10_000)


@pytest.mark.parametrize("views", [1, 3, 25])
@pytest.mark.parametrize("faiss", [True, False])
def test_scores_are_cosines(faiss: bool, views: int) -> None:
    """Every node's score is the cosine of the best view, and the cohort is all other nodes."""
    rows = templates(1_500)
    probes = np.stack([near(rows[77], 0.7, 100 + view) for view in range(views)])
    found = filled(rows, faiss=faiss).search(probes)
    expected = cosines(probes, rows)
    assert found.best[0][0] == "ARC-00077"
    assert [score for _, score in found.best] == pytest.approx(sorted(expected, reverse=True)[: len(found.best)])
    assert np.sort(found.cohort) == pytest.approx(np.sort(np.delete(expected, 77)), abs=1e-6)
    assert found.searched == 1_500


def test_a_score_is_the_same_in_whatever_products_it_is_summed() -> None:
    """The scores of many views are, to the last bit, the best of those of each view and of each part of the rows."""
    rows, probes = templates(700), templates(25, seed=3)
    stored, every = filled(rows)._rows, scans.Query.of(probes)
    together = scans.scores(stored, every, None, 700)
    assert (
        np.max([scans.scores(stored, scans.Query.of(view), None, 700) for view in probes], axis=0) == together
    ).all()
    for part in (np.arange(7), np.arange(640, 700), np.array([3, 600, 5])):
        assert (scans.scores(stored, every, part) == together[part]).all()


def test_the_int8_scan_and_the_blocks_agree(rows: Int8) -> None:
    """faiss's scan of one probe finds the nodes that the exact product finds, with equal scores."""
    probe = near(rows[4_321], 0.5)
    assert filled(rows).search(probe).best == filled(rows, faiss=False).search(probe).best


def test_a_sampled_cohort_is_of_the_others(rows: Int8) -> None:
    """Where not every node is scored, a thousand random others stand for them, and their spread is the whole's."""
    probe = near(rows[5], 0.8)
    found = filled(rows).search(probe)
    assert len(found.cohort) == COHORT
    assert found.cohort.max() < found.best[0][1]
    assert float(np.std(found.cohort)) == pytest.approx(float(np.std(cosines(probe, rows)[6:])), rel=0.1)


@pytest.mark.parametrize("faiss", [True, False])
def test_signs_choose_the_candidates_above_the_limit(rows: Int8, monkeypatch: pytest.MonkeyPatch, faiss: bool) -> None:
    """With more rows than are all scored the mates are still found, and with their exact scores."""
    monkeypatch.setattr(module, "EXHAUSTIVE_ROWS", 5_000)
    made = filled(rows, faiss=faiss)
    for node in range(0, 10_000, 500):
        probes = np.stack([near(rows[node], 0.6, 100 + node + view) for view in range(2)])
        found = made.search(probes)
        assert found.best[0] == (f"ARC-{node:05}", pytest.approx(cosines(probes, rows[node : node + 1])[0], abs=1e-6))
        assert found.searched == 10_000


@pytest.mark.parametrize("faiss", [True, False])
@pytest.mark.parametrize("alike", [False, True], ids=["strangers", "one crowd"])
def test_no_row_has_nearer_signs_than_the_chosen(rows: Int8, faiss: bool, alike: bool) -> None:
    """The candidates are the nearest by signs and all as near as the last of them, each once and rising, also of rows
    whose distances are nothing like what a sample lets expect: all but a few the same."""
    kept = rows[:3_000].copy()
    if alike:
        kept[40:] = rows[0]
    views = np.stack([near(rows[5], 0.6, 100 + view) for view in range(3)])
    distances = np.array([[(np.signbit(view) != np.signbit(row)).sum() for row in kept] for view in views])
    for probes, expected in ((views[0], distances[:1]), (views, distances)):
        stored = filled(kept, faiss=faiss)._rows
        chosen = scans.nearest_signs(stored, scans.Query.of(probes), len(kept), 30)
        pairs = np.sort(expected.ravel())[: 30 * len(expected)]
        least = expected.min(axis=0)
        assert chosen.tolist() == np.flatnonzero(least <= pairs[-1]).tolist()


def test_what_a_search_worked_on_is_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of rows and probe nothing stays in the memory that a search took for its work."""
    made, probes = filled(templates(600)), templates(9)
    scratch: list[np.ndarray] = []

    def keeping(allocate: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
        def kept(*given: object, **named: object) -> np.ndarray:
            scratch.append(allocate(*given, **named))
            return scratch[-1]

        return kept

    for name in ("empty", "zeros"):
        monkeypatch.setattr(np, name, keeping(getattr(np, name)))
    made.search(probes)
    made.search(probes, names(300))
    monkeypatch.undo()
    clear = [array for array in scratch if 512 in array.shape]
    assert len(clear) >= 5
    assert [array.shape for array in clear if array.any()] == []


def test_a_node_is_as_good_as_its_best_row() -> None:
    """Several templates of a node are one candidate, and none of them is in its cohort."""
    rows = templates(40)
    made = Gallery()
    made.add("ARC-MANY", rows[:10])
    made.load(names(30), rows[10:])
    found = made.search(rows[3])
    assert found.best[0] == ("ARC-MANY", pytest.approx(1.0))
    assert (len(found.cohort), found.searched, made.rows, len(made)) == (30, 31, 40, 31)


def test_only_the_partition_is_searched() -> None:
    """A node outside the partition is never found; one without templates does not count."""
    rows = templates(50)
    made = filled(rows)
    found = made.search(rows[3], [*names(50)[10:20], "ARC-NOBODY"])
    assert {node for node, _ in found.best} <= set(names(50)[10:20])
    assert found.searched == 10
    assert found.best[0][1] < 0.3
    assert made.search(rows[12], names(50)[10:20]).best[0] == ("ARC-00012", pytest.approx(1.0))
    assert made.search(rows[3], ["ARC-NOBODY"]).best == ()


@pytest.mark.parametrize(("count", "cohort"), [(1, 59), (20, 59), (21, 20), (40, 39)])
def test_a_partition_of_few_has_the_registry_as_its_cohort(count: int, cohort: int) -> None:
    """What a stranger scores is told by everybody, whoever may pass here; of twenty-one and more by them alone."""
    found = filled(templates(60)).search(templates(61)[60], names(60)[:count])
    assert (found.searched, len(found.cohort)) == (count, cohort)
    assert len(found.best) == min(count, RANKED)


def test_a_claim_is_scored_beside_random_others(rows: Int8) -> None:
    """1:1: the claimed node comes first even where another is nearer; an unknown one is nobody."""
    made = filled(rows)
    found = made.verify(rows[5], "ARC-00009")
    assert found.best[0] == ("ARC-00009", pytest.approx(cosines(rows[5], rows[9:10])[0], abs=1e-6))
    assert (len(found.cohort), found.searched) == (COHORT, 1)
    assert made.verify(rows[5], "ARC-NOBODY").best == ()


def test_an_empty_gallery_finds_nobody() -> None:
    """No templates, no candidate."""
    assert Gallery().search(templates(1)[0]).best == ()
    assert Gallery().search(templates(1)[0], ["ARC-1"]).best == ()


def test_a_removed_node_is_found_no_more_and_its_bytes_are_gone() -> None:
    """The last row takes its place, the freed row is zero in every array, and the others keep their scores."""
    rows = templates(20)
    made = filled(rows)
    assert (made.remove("ARC-00004"), made.remove("ARC-00004")) == (1, 0)
    stored = made._rows
    assert not any(array[19:].any() for array in (stored.codes, stored.signs, stored.scale, stored.owner))
    assert rows[4].tobytes() not in (stored.codes ^ np.uint8(128)).tobytes()
    for node in set(range(20)) - {4}:
        assert made.search(rows[node]).best[0][0] == f"ARC-{node:05}"
    assert "ARC-00004" not in {node for node, _ in made.search(rows[4]).best}


def test_growing_wipes_the_old_rows() -> None:
    """When the rows move to larger memory nothing stays in the old one, even if a search still holds it."""
    made = Gallery(capacity=4)
    rows = templates(9)
    made.load(names(4), rows[:4])
    old = made._rows
    made.add("ARC-X", rows[8])
    assert made._rows is not old
    assert not any(array.any() for array in (old.codes, old.signs, old.scale, old.owner))
    assert made.search(rows[2]).best[0][0] == "ARC-00002"


def test_clearing_leaves_nothing() -> None:
    """After ``clear`` no template is in memory and the gallery works on."""
    made = filled(templates(9))
    made.clear()
    assert (len(made), made.rows, made._rows.codes.any()) == (0, 0, False)
    made.add("ARC-1", templates(1)[0])
    assert made.search(templates(1)[0]).best[0][0] == "ARC-1"


class Interrupted(Gallery):
    """Changes itself between a scan and what is made of it."""

    change: Callable[[], object] | None = None

    def _state(self) -> module._State:
        state = super()._state()
        change, self.change = self.change, None
        if change is not None:
            change()
        return state


def test_a_row_that_moved_is_not_told_as_another_node() -> None:
    """A node removed while its row is being scored is not found, and neither is the one that was moved there."""
    rows = templates(30)
    made = Interrupted()
    made.load(names(30), rows)
    made.change = lambda: made.remove("ARC-00004")
    found = made.search(rows[4])
    assert max(score for _, score in found.best) < 0.5
    assert found.searched == 29


def test_searches_while_nodes_come_and_go() -> None:
    """Threads that add and remove never make a search name a node that the probe is not of, or miss one that stays."""
    rows = templates(300)
    made = Gallery(capacity=8)
    made.load(names(100), rows[:100])
    wrong: list[Found] = []
    done = threading.Event()

    def look() -> None:
        node = 0
        while not done.is_set():
            node = (node + 7) % 100
            found = made.search(rows[node])
            if found.best[0] != (f"ARC-{node:05}", pytest.approx(1.0)):
                wrong.append(found)

    lookers = [threading.Thread(target=look) for _ in range(2)]
    for thread in lookers:
        thread.start()
    for _ in range(5):
        for number in range(100, 300):
            made.add(f"ARC-{number:05}", rows[number])
        for number in range(100, 300):
            made.remove(f"ARC-{number:05}")
    done.set()
    for thread in lookers:
        thread.join()
    assert (wrong, made.rows) == ([], 100)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), max_size=40))
def test_adding_and_removing_keeps_what_a_dict_keeps(changes: list[tuple[int, int]]) -> None:
    """Whatever is added, replaced and removed, the gallery holds each node's last templates and nothing else."""
    pool = templates(64, seed=9)
    made, known = Gallery(capacity=1), {}
    for step, (node, count) in enumerate(changes):
        if count:
            known[f"N{node}"] = pool[(step + np.arange(count)) % len(pool)]
            made.add(f"N{node}", known[f"N{node}"])
        else:
            made.remove(f"N{node}")
            known.pop(f"N{node}", None)
    assert (len(made), made.rows) == (len(known), sum(map(len, known.values())))
    for node_id, rows in known.items():
        assert sorted(map(bytes, made.templates(node_id))) == sorted(map(bytes, rows))
    assert not made._rows.codes[made.rows :].any()


@pytest.mark.parametrize(
    "bad",
    [
        np.zeros(512, np.int8),
        np.ones(512, np.int8),
        np.ones(511, np.int8),
        np.zeros((0, 512), np.int8),
        np.ones(512, np.float32),
        np.full(512, 127, np.int8),
    ],
    ids=["zero", "short vector", "511", "no rows", "float", "long vector"],
)
def test_what_is_no_template_is_refused(bad: Int8) -> None:
    """Another type, shape or length than a projection gives is not stored."""
    with pytest.raises(ValueError, match="template"):
        Gallery().add("ARC-1", bad)


@pytest.mark.parametrize("bad", [np.zeros(512, np.int8), np.ones((2, 3), np.int8), np.ones(512, np.uint8)])
def test_what_is_no_probe_is_refused(bad: Int8) -> None:
    """Another type or shape, or a view of zeros, is not searched for."""
    with pytest.raises(ValueError, match="probe"):
        Gallery().search(bad)


def test_a_node_is_loaded_once() -> None:
    """Rows of one node that do not stand together, or a node that is there, are refused before anything is added."""
    rows = templates(3)
    made = filled(templates(2))
    for ids in (["A", "B", "A"], ["ARC-00001", "A", "B"], ["A"]):
        with pytest.raises(ValueError, match="once"):
            made.load(ids, rows)
    assert made.rows == 2
