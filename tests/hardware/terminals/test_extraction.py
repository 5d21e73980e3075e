"""The process of one enrolment: orders, rows, and what it says of a sample that gives nothing."""

from __future__ import annotations

import io
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

from hardware.terminals import crease
from hardware.terminals.enrolment import enrol
from hardware.terminals.extraction import ExtractionOrder, ExtractionResult, needs_projection, work
from hardware.terminals.projection import Projection, draw_key
from hardware.terminals.synthetic_palms import SyntheticPalm
from tests.memory_scan import core_files

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def projection() -> Projection:
    """Any."""
    return draw_key("default", 1)[1]


def test_pictures_give_what_extractor_and_projection_give(projection: Projection) -> None:
    """Through the process and without it: the same row to the bit, by the matrix alone."""
    hand = SyntheticPalm("training", "ARC-X01")
    pictures = [hand.shot(number) for number in range(3)]
    order = ExtractionOrder(samples=[("roi128", picture.size) for picture in pictures], together=True, rotated=True)
    sent = msgspec.json.encode(order) + b"\n" + projection.q15.tobytes() + b"".join(p.tobytes() for p in pictures)
    command = [sys.executable, "-m", "hardware.terminals.extraction"]
    done = subprocess.run(command, input=sent, capture_output=True, cwd=ROOT, check=True)
    line, _, rows = done.stdout.partition(b"\n")
    templates = [projection.template(crease.features(picture)) for picture in pictures]
    expected = enrol(templates)
    views = templates[expected.reference]
    assert msgspec.json.decode(line, type=ExtractionResult) == ExtractionResult(
        1, 25, expected.quality, list(expected.discarded)
    )
    assert rows == expected.row.tobytes() + views.tobytes()


def test_stylized_samples_stay_beside_their_sum(projection: Projection) -> None:
    """Each sample that is like the first is a row, and one more is their sum; a single one stays alone."""
    x = np.random.default_rng(3).standard_normal(512)
    near, other = projection.template(x), projection.template(-x)
    again = projection.template(x + 0.3 * np.random.default_rng(4).standard_normal(512))
    samples = [near, again, other]
    order = ExtractionOrder(samples=[("i8x512", 512)] * 3, together=False, rotated=False)
    result, rows = work(order, io.BytesIO(b"".join(sample.tobytes() for sample in samples)))
    assert (result.rows, result.views, result.discarded, rows.shape) == (3, 1, [2], (4, 512))
    assert (rows[0] == near).all()
    alone, row = work(
        ExtractionOrder(samples=[("i8x512", 512)], together=False, rotated=False), io.BytesIO(near.tobytes())
    )
    assert (alone.rows, alone.quality) == (1, 100)
    assert (row[0] == near).all()


def test_a_sample_that_gives_nothing_is_named(projection: Projection) -> None:
    """An even grey, zeros, features that are no numbers, and what needs a projection that was not sent."""
    matrix = projection.q15.tobytes()
    good = np.random.default_rng(4).standard_normal(512).astype("<f4").tobytes()
    for encoding, raw in (("roi128", bytes(16384)), ("i8x512", bytes(512)), ("f32x512", b"\xff" * 2048)):
        order = ExtractionOrder(samples=[("f32x512", 2048), (encoding, len(raw))], together=True, rotated=True)  # type: ignore[list-item]
        result, rows = work(order, io.BytesIO(matrix + good + raw))
        assert (result.rows, result.faulty, len(rows)) == (0, 1, 0)
        assert result.fault
    result, _ = work(ExtractionOrder(samples=[("f32x512", 2048)], together=True, rotated=False), io.BytesIO(good))
    assert result.rows == 0
    assert needs_projection(["i8x512", "roi128"])
    assert not needs_projection(["i8x512"])


def test_an_aborted_child_leaves_no_core(tmp_path: Path, projection: Projection) -> None:
    """It holds a hand and the registry's projection: where cores are allowed, the kernel is told to make none of it."""
    order = ExtractionOrder(samples=[("roi128", 16384)], together=True, rotated=True)
    command = [sys.executable, "-m", "hardware.terminals.extraction"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}
    ) as child:
        most = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.prlimit(child.pid, resource.RLIMIT_CORE, (most, most))
        assert child.stdin is not None
        # More than a pipe holds: when all of it is written, the child is at work on it.
        child.stdin.write(msgspec.json.encode(order) + b"\n" + projection.q15.tobytes())
        child.stdin.flush()
        child.send_signal(signal.SIGABRT)
        _, status = os.waitpid(child.pid, 0)
    assert os.WTERMSIG(status) == signal.SIGABRT
    assert not os.WCOREDUMP(status)
    assert core_files(tmp_path) == []


def test_a_cut_order_is_no_result() -> None:
    """Less than was announced ends the process without a line."""
    with pytest.raises(EOFError):
        work(ExtractionOrder(samples=[("i8x512", 512)], together=True, rotated=False), io.BytesIO(b"x"))


@pytest.mark.parametrize("encoding", ["i8x512", "f32x512", "roi128"])
def test_what_is_of_no_person_is_refused_with_its_place(projection: Projection, encoding: str) -> None:
    """A constant, a slope or a gradient, and the same sample again: no rows, but number and reason."""
    random, ramp = np.random.default_rng(6), np.arange(128) * 2
    hand = SyntheticPalm("training", "ARC-X02")
    pictures = [hand.shot(1), hand.shot(2)]
    vectors = random.standard_normal((2, 512))
    good = {"i8x512": projection.template(vectors), "f32x512": vectors.astype("<f4"), "roi128": np.stack(pictures)}
    bad = {
        "i8x512": np.full(512, 32, np.int8),
        "f32x512": np.ones(512, "<f4"),
        "roi128": np.tile(ramp, (128, 1)).astype(np.uint8),
    }[encoding]
    first, second = (one.tobytes() for one in good[encoding])
    for samples, faulty, fault in (
        ([first, bad.tobytes(), second], 1, "line" if encoding == "roi128" else "of no person"),
        ([first, second, first], 2, "copy of sample 1"),
    ):
        order = ExtractionOrder(samples=[(encoding, len(one)) for one in samples], together=True, rotated=True)  # type: ignore[misc]
        result, rows = work(order, io.BytesIO(projection.q15.tobytes() + b"".join(samples)))
        assert (result.rows, result.faulty, len(rows)) == (0, faulty, 0)
        assert fault in result.fault
