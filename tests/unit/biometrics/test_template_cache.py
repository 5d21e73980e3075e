"""The file that a start is quick by: it opens for one state of one registry, or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from app.biometrics.gallery import Gallery
from app.biometrics.template_cache import CacheUnusable, TemplateCache
from app.biometrics.template_codes import NORM

SECRET, OTHER_SECRET = b"s" * 32, b"t" * 32
GENERATION, OTHER_GENERATION = b"a" * 32, b"b" * 32
NODES = 5_000
ROOT = Path(__file__).parents[3]
WRITER = """
import sys
from pathlib import Path
from tests.unit.biometrics.test_template_cache import GENERATION, OTHER_GENERATION, SECRET, filled
from app.biometrics.template_cache import TemplateCache
gallery, cache = filled(), TemplateCache(Path(sys.argv[1]), SECRET)
while True:
    for generation in (GENERATION, OTHER_GENERATION):
        cache.write("default", generation, gallery)
        print("written", flush=True)
"""


def filled(nodes: int = NODES) -> Gallery:
    """Nodes with two templates each, after some were removed: not in the order in which they came."""
    random = np.random.default_rng(3)
    rows = random.standard_normal((2 * nodes, 512))
    rows *= NORM / np.linalg.norm(rows, axis=1, keepdims=True)
    made = Gallery(seed=1)
    made.load([f"ARC-{n // 2}" for n in range(2 * nodes)], np.clip(np.rint(rows), -127, 127).astype(np.int8))
    for n in range(0, nodes, 7):
        made.remove(f"ARC-{n}")
    return made


@pytest.fixture(scope="module")
def gallery() -> Gallery:
    return filled()


@pytest.fixture
def cache(tmp_path: Path, gallery: Gallery) -> TemplateCache:
    """Written."""
    made = TemplateCache(tmp_path / "cache", SECRET)
    made.write("default", GENERATION, gallery)
    return made


def test_what_was_kept_is_read_again(cache: TemplateCache, gallery: Gallery) -> None:
    """Every node with its own templates, over more than one chunk."""
    found = cache.read("default", GENERATION, gallery.rows)
    assert sorted(found.counts()) == sorted(gallery.counts())
    for node_id, _ in gallery.counts():
        assert np.array_equal(found.templates(node_id), gallery.templates(node_id))
    assert cache.path("default").stat().st_size > 4 << 20


def test_nothing_of_it_is_in_the_clear(cache: TemplateCache, gallery: Gallery) -> None:
    """Neither a name nor a template, as it is or as the gallery keeps it; others may not even read it."""
    data = cache.path("default").read_bytes()
    row = gallery.templates("ARC-1")[0]
    for part in (b"ARC-", row.tobytes()[:24], (row.view(np.uint8) ^ 128).tobytes()[:24]):
        assert part not in data
    assert cache.path("default").stat().st_mode & 0o777 == 0o600


def test_another_state_does_not_open(cache: TemplateCache, gallery: Gallery, tmp_path: Path) -> None:
    """Another generation, another site, another registry's file in its place, another number of rows, no file."""
    for generation, rows in ((OTHER_GENERATION, gallery.rows), (GENERATION, gallery.rows + 1)):
        with pytest.raises(CacheUnusable):
            cache.read("default", generation, rows)
    with pytest.raises(CacheUnusable):
        TemplateCache(tmp_path / "cache", OTHER_SECRET).read("default", GENERATION, gallery.rows)
    cache.path("default").replace(cache.path("visitors"))
    for registry_id in ("visitors", "default"):
        with pytest.raises(CacheUnusable):
            cache.read(registry_id, GENERATION, gallery.rows)


def test_a_damaged_file_does_not_open(cache: TemplateCache, gallery: Gallery) -> None:
    """A flipped byte in the head, in a length, a nonce, each chunk and at the end; cut, longer, chunks exchanged."""
    path = cache.path("default")
    good = path.read_bytes()
    first = 13 + 4 + int.from_bytes(good[13:17], "big")
    places = (0, 7, 11, 14, 20, 40, first // 2, first + 1, first + 9, first + 500, len(good) - 1)
    damaged = [good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :] for at in places]
    damaged += [good[:-1], good[:first], good[:5], b"", good + b"x", good[:13] + good[first:] + good[13:first]]
    for data in damaged:
        path.write_bytes(data)
        with pytest.raises(CacheUnusable):
            cache.read("default", GENERATION, gallery.rows)
    path.write_bytes(good)
    assert cache.read("default", GENERATION, gallery.rows).rows == gallery.rows


def test_a_killed_writer_leaves_a_whole_file(tmp_path: Path, gallery: Gallery) -> None:
    """SIGKILL at any moment: the file before or the one after opens, and what was half written goes."""
    cache = TemplateCache(tmp_path / "cache", SECRET)
    for wait_s in (0.0, 0.005, 0.02):
        child = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path / "cache")], stdout=subprocess.PIPE, cwd=ROOT
        )
        assert child.stdout is not None
        assert child.stdout.readline() == b"written\n"
        time.sleep(wait_s)
        os.kill(child.pid, signal.SIGKILL)
        child.communicate()
        opened = 0
        for generation in (GENERATION, OTHER_GENERATION):
            try:
                opened += cache.read("default", generation, gallery.rows).rows == gallery.rows
            except CacheUnusable:
                continue
        assert opened == 1
    cache.sweep()
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [cache.path("default").name]
