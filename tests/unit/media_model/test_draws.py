"""Seeds and distributions."""

from __future__ import annotations

from zlib import crc32

import numpy as np

from media_model.draws import generator_of, log_uniform


def test_a_purpose_is_seeded_by_number_and_name() -> None:
    """The seed is the number and the name's CRC-32, so that every process draws the same."""
    expected = np.random.default_rng([7, crc32(b"after")]).random(4)
    assert (generator_of(7, "after").random(4) == expected).all()
    assert (generator_of(7, "prior").random(4) != expected).all()
    assert (generator_of(8, "after").random(4) != expected).all()


def test_each_octave_is_as_likely() -> None:
    """The logarithm is uniform: quarters of the range of logarithms get a quarter of the draws each."""
    generator = np.random.default_rng(1)
    drawn = np.array([log_uniform(generator, 1, 16) for _ in range(4000)])
    counts = np.histogram(drawn, [1, 2, 4, 8, 16])[0]
    assert counts.sum() == 4000
    assert (abs(counts - 1000) < 120).all()
