"""Is it the same speaker: two back ends, summed, as a likelihood ratio.

Each back end takes its part of an embedding, subtracts the mean of many speakers, projects so that what varies within
a speaker counts less (within-class covariance normalisation, Hatch et al. 2006), and scores by the cosine. A signature
has eight embeddings, one for each condition; the nearest counts. The score is measured against those of a cohort of
other speakers (adaptive symmetric normalisation, Matejka et al. 2017). A line fitted by logistic regression turns the
sum into a log-likelihood ratio in nats.
"""

from __future__ import annotations

import io
import zipfile
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Self

import msgspec
import numpy as np
import numpy.typing as npt

from app.capabilities.voice.even_odds import at_even_odds
from app.capabilities.voice.speaker.embedding import EMBEDDING, Embedding
from app.capabilities.voice.speaker.encoder import VECTOR

NEAREST: Final = 100
"""Of the cohort's scores, those that a score is measured against: the highest. With cohorts of 120 to 180 takes, 40
were 0.2 points worse in development."""
PARTS: Final[Mapping[str, slice]] = {"vector": slice(0, VECTOR), "layer_means": slice(VECTOR, EMBEDDING)}
"""Which numbers of an embedding each back end reads."""
_LEAST_SPREAD: Final = 1e-3


@dataclass(frozen=True)
class BackEnd:
    """``centre``: (d,), the mean that is subtracted; ``projection``: (d, d), applied from the right; ``cohort``:
    (k, d), projected embeddings of k >= 2 takes of other speakers, each of length 1; ``scale``: what a normalised score
    is divided by, so that both back ends weigh the same. float32."""

    centre: npt.NDArray[np.float32]
    projection: npt.NDArray[np.float32]
    cohort: npt.NDArray[np.float32]
    scale: float

    def project(self, part: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Centred, projected and brought to length 1: (n, d) to (n, d)."""
        projected = (part - self.centre) @ self.projection
        projected /= np.linalg.norm(projected, axis=-1, keepdims=True)
        return np.asarray(projected, np.float32)

    def scores(self, probes: npt.NDArray[np.float32], signature: npt.NDArray[np.float32]) -> list[float]:
        """Of each embedding of (n, d) with a signature's (8, d): the highest cosine, in standard deviations over the
        cohort's scores with the probe and with the signature, the mean of both."""
        voices, enrolled = self.project(probes), self.project(signature)
        highest = (voices @ enrolled.T).max(axis=1).tolist()
        known = nearest_of((enrolled @ self.cohort.T).max(axis=0))
        return [
            sum((best - mean) / spread for mean, spread in (nearest_of(scores), known)) / (2 * self.scale)
            for best, scores in zip(highest, voices @ self.cohort.T, strict=True)
        ]


def nearest_of(scores: npt.NDArray[np.float32]) -> tuple[float, float]:
    """Mean and standard deviation of the ``NEAREST`` highest scores, or of all where there are fewer."""
    chosen = np.partition(scores, -NEAREST)[-NEAREST:] if len(scores) > NEAREST else scores
    return float(chosen.mean()), max(float(chosen.std()), _LEAST_SPREAD)


class SpeakerFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The speaker's part of ``model.json``. ``slope`` and ``offset``: the likelihood ratio of a score s is ``slope s +
    offset`` nats. ``scales``: as ``BackEnd.scale``. ``thresholds``: likelihood ratios in rising order; ``far`` and
    ``frr``: at each, the measured share of other speakers at or above it and of the same speakers below it, 0 to 1.
    ``genuine_trials``, ``impostor_trials``: how many were measured."""

    slope: float
    offset: float
    scales: dict[str, float]
    thresholds: tuple[float, ...]
    far: tuple[float, ...]
    frr: tuple[float, ...]
    genuine_trials: int
    impostor_trials: int


class SpeakerScore(msgspec.Struct, frozen=True):
    """``llr``: natural logarithm of how much likelier the two are by one speaker than by two. ``similarity``: 0 to 1,
    the probability of one speaker where both are as likely beforehand."""

    llr: float
    similarity: float


class ErrorRates(NamedTuple):
    """At one threshold: shares of impostor trials accepted and of genuine trials refused, and of how many."""

    far: float
    frr: float
    genuine_trials: int
    impostor_trials: int


class SpeakerScorer:
    """Back ends and calibration in memory."""

    def __init__(self, back_ends: Mapping[str, BackEnd], facts: SpeakerFacts) -> None:
        """``back_ends``: by the names of ``PARTS``. Raises ``ValueError`` where one is missing, a shape is another or
        the table does not rise."""
        if back_ends.keys() != PARTS.keys():
            raise ValueError(f"the speaker model has the back ends {sorted(back_ends)}")
        for name, part in PARTS.items():
            size, end = part.stop - part.start, back_ends[name]
            shapes = end.centre.shape, end.projection.shape, end.cohort.shape[1:]
            if shapes != ((size,), (size, size), (size,)) or len(end.cohort) < 2 or end.scale <= 0.0:
                raise ValueError(f"the back end {name} has the shapes {shapes}")
        if not (len(facts.thresholds) == len(facts.far) == len(facts.frr) >= 2):
            raise ValueError("the table of error rates has rows of different lengths")
        if list(facts.thresholds) != sorted(set(facts.thresholds)) or facts.slope <= 0.0:
            raise ValueError("the table's thresholds and the calibration rise")
        self._back_ends, self._facts = dict(back_ends), facts

    @classmethod
    def read(cls, arrays: bytes, facts: SpeakerFacts) -> Self:
        """``arrays``: an NPZ file with ``<back end>_centre``, ``_projection`` and ``_cohort``, float16 or float32; no
        pickle is read. Raises ``ValueError`` for another file."""
        try:
            with np.load(io.BytesIO(arrays), allow_pickle=False) as stored:
                back_ends = {
                    name: BackEnd(
                        stored[f"{name}_centre"].astype(np.float32),
                        stored[f"{name}_projection"].astype(np.float32),
                        stored[f"{name}_cohort"].astype(np.float32),
                        facts.scales[name],
                    )
                    for name in PARTS
                }
        except (KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
            raise ValueError(f"no speaker model: {error}") from error
        return cls(back_ends, facts)

    def compare(self, probes: Embedding, signature: npt.NDArray[np.floating]) -> tuple[SpeakerScore, ...]:
        """Each voice of ``probes`` (n, 1024) with ``signature`` (8, 1024), as ``VoiceEngine.signature`` gives it.
        ``ValueError`` where either is no finite array of that shape."""
        known = np.asarray(signature, np.float32)
        if (
            probes.ndim != 2
            or known.ndim != 2
            or {*probes.shape[1:], *known.shape[1:]} != {EMBEDDING}
            or not len(known)
        ):
            raise ValueError(f"no embeddings of one speaker: {probes.shape}, {known.shape}")
        if not (np.isfinite(probes).all() and np.isfinite(known).all()):
            raise ValueError("an embedding is not finite")
        parts = [end.scores(probes[:, PARTS[name]], known[:, PARTS[name]]) for name, end in self._back_ends.items()]
        ratios = [self._facts.slope * sum(scores) + self._facts.offset for scores in zip(*parts, strict=True)]
        return tuple(SpeakerScore(llr, at_even_odds(llr)) for llr in ratios)

    def error_rates(self, threshold_llr: float) -> ErrorRates:
        """What was measured at a threshold, between two of the table's by a line, beyond its ends as at them. A rate is
        never told as lower than one trial of those that were made."""
        facts = self._facts
        return ErrorRates(
            max(interpolate(facts.thresholds, facts.far, threshold_llr), 1 / facts.impostor_trials),
            max(interpolate(facts.thresholds, facts.frr, threshold_llr), 1 / facts.genuine_trials),
            facts.genuine_trials,
            facts.impostor_trials,
        )


def interpolate(places: Sequence[float], values: Sequence[float], place: float) -> float:
    """The value at a place on the line of its neighbours in ``places``, which rise; the ends hold beyond them."""
    after = bisect_left(places, place)
    if after == 0:
        return values[0]
    if after == len(places):
        return values[-1]
    share = (place - places[after - 1]) / (places[after] - places[after - 1])
    return values[after - 1] + share * (values[after] - values[after - 1])
