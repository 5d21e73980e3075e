"""Every way in which a gallery searches, against the plain form of a search."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.biometrics import gallery as module
from app.biometrics.gallery import Found, Gallery
from app.biometrics.template_codes import NORM, Int8
from tests.unit.biometrics import reference_search
from tests.unit.biometrics.reference_search import PlainFound

PEOPLE = 12
WAYS = {"blocks": (100, 100), "one probe by faiss": (100, 2), "signs, then rows": (2, 2)}
"""By size: up to how many rows every row is scored, and up to how many blocks score one probe."""


def templates(count: int, seed: int) -> Int8:
    """Templates of strangers."""
    directions = np.random.default_rng(seed).standard_normal((count, 512))
    scaled = directions * (NORM / np.linalg.norm(directions, axis=1, keepdims=True))
    return np.clip(np.rint(scaled), -127, 127).astype(np.int8)


@pytest.fixture(scope="module", params=WAYS, ids=str)
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """A small gallery searched as one of another size is."""
    exhaustive, small = WAYS[request.param]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "EXHAUSTIVE_ROWS", exhaustive)
        patched.setattr(module, "_SMALL", small)
        yield request.param


def assert_same(found: Found, plain: PlainFound) -> None:
    """The same nodes with the same scores, the same others, and as many searched."""
    assert [node_id for node_id, _ in found.best] == [node_id for node_id, _ in plain.best]
    assert [score for _, score in found.best] == pytest.approx([score for _, score in plain.best], abs=1e-6)
    assert sorted(found.cohort.tolist()) == pytest.approx(plain.cohort, abs=1e-6)
    assert found.searched == plain.searched


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("faiss", [True, False], ids=["faiss", "numpy"])
@settings(max_examples=25)
@given(
    changes=st.lists(st.tuples(st.integers(0, PEOPLE - 1), st.integers(0, 3)), min_size=1, max_size=30),
    views=st.integers(1, 3),
    seed=st.integers(0, 1_000),
)
def test_a_search_is_its_plain_form(faiss: bool, changes: list[tuple[int, int]], views: int, seed: int) -> None:
    """After any changes (0 templates: removed), for all, for a part of the nodes, and for a claimed one."""
    made, known = Gallery(capacity=1, faiss=faiss, seed=7), dict[str, Int8]()
    for step, (person, count) in enumerate(changes):
        node_id = f"ARC-{person:02}"
        if count:
            known[node_id] = templates(count, seed * 100 + step)
            made.add(node_id, known[node_id])
        else:
            known.pop(node_id, None)
            made.remove(node_id)
    probes = templates(views, seed + 200_000)
    assert_same(made.search(probes), reference_search.search(known, probes))
    part = [f"ARC-{person:02}" for person in range(0, PEOPLE, 2)]
    assert_same(made.search(probes, part), reference_search.search(known, probes, part))
    assert_same(made.verify(probes, "ARC-01"), reference_search.verify(known, probes, "ARC-01"))
