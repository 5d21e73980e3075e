"""Norms of resonance over speakers, against numbers reckoned by hand."""

import math
from dataclasses import replace

from app.capabilities.voice.analysis.resonance import Resonance
from voice_model.resonance_norms import NUMBERS, norms_of

TAKE = Resonance(100.0, 0.01, (500.0, 1500.0, 2500.0), 2.0, 0.5, 0.2)


def test_every_speaker_counts_the_same_however_many_takes_there_are() -> None:
    norms = norms_of({"low": [TAKE] * 9, "high": [replace(TAKE, f0_hz=200.0)]})
    assert norms["f0_hz"] == (150.0, 50.0)


def test_a_number_that_was_not_measured_counts_for_nothing() -> None:
    unknown = replace(TAKE, coherence=math.nan)
    norms = norms_of({"one": [TAKE, unknown], "other": [unknown], "third": [replace(TAKE, coherence=0.4)]})
    assert norms["coherence"] == (0.3, 0.1)


def test_each_listed_number_is_one_of_resonance() -> None:
    assert set(norms_of({"one": [TAKE]})) == set(NUMBERS) < set(Resonance.__dataclass_fields__)
