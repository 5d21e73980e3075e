"""A terminal that decides alone decides as the service would."""

from __future__ import annotations

import numpy as np
import pytest

from app.biometrics.gallery import Gallery
from app.biometrics.matching import Rules, entry_rules, identify
from app.biometrics.template_codes import NORM, Int8
from hardware.terminals.bundle import PartitionHead
from hardware.terminals.offline import ENTRY, Partition


def drawn(random: np.random.Generator, centre: np.ndarray[tuple[int], np.dtype[np.float64]], noise: float) -> Int8:
    """One template near a direction."""
    found = centre + noise * random.standard_normal(512)
    made: Int8 = np.clip(np.rint(found * (NORM / np.linalg.norm(found))), -127, 127).astype(np.int8)
    return made


@pytest.mark.parametrize(
    ("count", "denied", "few_by_score"),
    [(1, 0, True), (2, 0, True), (15, 0, True), (21, 0, False), (60, 0, False), (60, 39, False), (60, 45, True)],
)
def test_terminal_and_service_say_the_same(count: int, denied: int, few_by_score: bool) -> None:
    """Over mates, strangers, half mates and copies, with few and with many others, of whom many may be denied since,
    two rows a node."""
    random = np.random.default_rng(count)
    centres = random.standard_normal((count, 512))
    names = [f"ARC-{number}" for number in range(count)]
    rows = np.stack([drawn(random, centre, 0.3) for centre in centres for _ in range(2)])
    gallery = Gallery(seed=1)
    gallery.load([name for name in names for _ in range(2)], rows)
    rules = Rules(liveness_min=40, few_by_score=few_by_score)
    head = PartitionHead(2, [(name, 2) for name in names], entry_rules(count, rules))
    partition = Partition(head, rows.copy(), ())
    for name in names[count - denied :]:
        gallery.remove(name)
        partition.remove(name)
    causes = set()
    for number in range(200):
        noise = (0.3, 1.0, 1.6, 2.2, 0.0)[number % 5]
        centre = random.standard_normal(512) if number % 7 == 0 else centres[number % count]
        probe = np.stack([drawn(random, centre, noise) for _ in range(3)])
        if number % 50 == 4:
            probe[0] = rows[0]
        liveness = (90, 10)[number % 11 == 0]
        ours = identify(gallery.search(probe), ENTRY, rules, liveness=liveness)
        node_id, cause = partition.recognise(probe, liveness)
        assert (node_id, cause) == (ours.node_id, ours.cause)
        causes.add(cause)
    assert {"matched", "below_floor", "copy", "liveness"} <= causes


@pytest.mark.parametrize(("count", "denied"), [(9, 0), (20, 0), (60, 45)])
def test_a_terminal_lets_nobody_in_among_few(count: int, denied: int) -> None:
    """Not even whom it has: neither a bundle of few, nor one of which few are left, finds anybody."""
    random = np.random.default_rng(count)
    rows = np.stack([drawn(random, random.standard_normal(512), 0.0) for _ in range(count)])
    names = [f"ARC-{number}" for number in range(count)]
    partition = Partition(PartitionHead(2, [(one, 1) for one in names], entry_rules(count, Rules())), rows.copy(), ())
    for name in names[count - denied :]:
        partition.remove(name)
    probe = drawn(random, rows[0].astype(np.float64), 10.0)[np.newaxis]
    assert partition.recognise(probe, None) == (None, "among_the_others")
