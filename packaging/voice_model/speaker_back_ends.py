"""Fits the speaker score's back ends to embeddings of many speakers, and judges trials of speakers that they never saw.

An embedding is 1,024 numbers of one take under one condition (``app/capabilities/voice/speaker/embedding.py``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from app.capabilities.voice.conditions import CONDITIONS
from app.capabilities.voice.speaker.embedding import Embedding, mean_embedding
from app.capabilities.voice.speaker.scoring import PARTS, BackEnd, nearest_of

SHRINK: Final[Mapping[str, float]] = {"vector": 0.5, "layer_means": 0.1}
"""How far each back end's within-class covariance is drawn towards a multiple of the identity: what was best in
development, the d-vector's few numbers being the more even ones."""
COHORT_CONDITIONS: Final = ("clean", "telephone", "opus", "noise_room")
TAKES: Final = 3
"""Of an enrolment: 12 s."""
MOST_ENROLMENTS: Final = 4
MOST_IMPOSTOR_TAKES: Final = 6

FIELDS: Final = ("genuine", "channel", "enrolled", "tested", "language", "same_package")
"""Of ``Trials``, all but the scores."""

Names = npt.NDArray[np.str_]
PeerScores = Mapping[str, Mapping[str, npt.NDArray[np.float64]]]
"""Of other systems, by name and channel: the score of every take with every enrolment of ``enrolments_of``, (n, e)."""


@dataclass(frozen=True)
class SpeakerTakes:
    """Embeddings of n takes. ``enrolled``: (n, 8, 1024), under the conditions of an enrolment; ``tested``: by the name
    of a channel, (n, 1024), drawn apart from those. ``speaker``, ``person`` (whose voice it is: one person may be two
    speakers), ``language``, ``package``: (n,)."""

    enrolled: Embedding
    tested: Mapping[str, Embedding]
    speaker: Names
    person: Names
    language: Names
    package: Names


@dataclass(frozen=True)
class Enrolment:
    """A signature of some of a speaker's takes. ``takes``: their numbers; ``signature``: (8, 1024)."""

    takes: tuple[int, ...]
    speaker: str
    language: str
    package: str
    signature: Embedding


@dataclass(frozen=True)
class Trials:
    """What was compared and how it scored, m trials. ``scores``: by the name of a system, (m,)."""

    scores: Mapping[str, npt.NDArray[np.float64]]
    genuine: npt.NDArray[np.bool_]
    channel: Names
    enrolled: Names
    tested: Names
    language: Names
    same_package: npt.NDArray[np.bool_]

    def chosen(self, which: npt.NDArray[np.bool_]) -> Trials:
        """Those trials alone for which ``which`` (m,) is true."""
        return Trials(
            {name: scores[which] for name, scores in self.scores.items()},
            *(getattr(self, field)[which] for field in FIELDS),
        )


def enrolments_of(takes: SpeakerTakes) -> list[Enrolment]:
    """For each speaker up to ``MOST_ENROLMENTS`` signatures of ``TAKES`` takes of their own, as long as one take is
    left to be tested with."""
    found = []
    for speaker in sorted(set(takes.speaker.tolist())):
        own = np.flatnonzero(takes.speaker == speaker)
        for begin in range(0, min(len(own) - TAKES, TAKES * MOST_ENROLMENTS), TAKES):
            chosen = own[begin : begin + TAKES]
            if len(chosen) < TAKES or len(own) == len(chosen):
                continue
            signature = np.stack([mean_embedding(takes.enrolled[chosen, place]) for place in range(len(CONDITIONS))])
            # A signature is kept as float16.
            signature = signature.astype(np.float16).astype(np.float32)
            first = chosen[0]
            found.append(
                Enrolment(
                    tuple(chosen.tolist()), speaker, str(takes.language[first]), str(takes.package[first]), signature
                )
            )
    return found


@dataclass(frozen=True)
class SpeakerMoments:
    """What fitting needs of s speakers, reckoned once. ``person``, ``language``: (s,); by back end of d numbers
    ``means`` (s, d), ``within`` (s, d, d), the covariance of a speaker's takes under all conditions, and ``cohort``
    (s, 4, d), the mean of their first takes under those of ``COHORT_CONDITIONS``."""

    person: Names
    language: Names
    means: Mapping[str, Embedding]
    within: Mapping[str, Embedding]
    cohort: Mapping[str, Embedding]

    def unseen(self, languages: Collection[str], persons: Collection[str]) -> npt.NDArray[np.bool_]:
        """Which speakers (s,) are of neither these languages nor these persons, nor persons who speak these languages
        under another name."""
        spoken = np.isin(self.language, list(languages))
        return ~(spoken | np.isin(self.person, [*persons, *self.person[spoken].tolist()]))


def moments_of(takes: SpeakerTakes) -> SpeakerMoments:
    """Of all speakers, in the order of their names."""
    speakers = sorted(set(takes.speaker.tolist()))
    several = [takes.enrolled[takes.speaker == speaker] for speaker in speakers]
    first = np.array([np.flatnonzero(takes.speaker == speaker)[0] for speaker in speakers])
    places = [list(CONDITIONS).index(name) for name in COHORT_CONDITIONS]
    rows = np.stack([[mean_embedding(one[:TAKES, place]) for place in places] for one in several])
    flat = {
        name: [one[..., part].reshape(-1, part.stop - part.start) for one in several] for name, part in PARTS.items()
    }
    means = {name: np.stack([one.mean(axis=0) for one in ones]) for name, ones in flat.items()}
    within = {
        name: np.stack([(one - mean).T @ (one - mean) / len(one) for one, mean in zip(ones, means[name], strict=True)])
        for name, ones in flat.items()
    }
    cohort = {name: rows[..., part] for name, part in PARTS.items()}
    return SpeakerMoments(takes.person[first], takes.language[first], means, within, cohort)


def fit_back_ends(
    moments: SpeakerMoments, chosen: npt.NDArray[np.bool_], scales: Mapping[str, float]
) -> dict[str, BackEnd]:
    """The back ends of the speakers of ``chosen`` (s,), every speaker counting the same; they are their own cohort."""
    fitted = {}
    for name in PARTS:
        centre = moments.means[name][chosen].mean(axis=0)
        projection = whitening(moments.within[name][chosen].mean(axis=0, dtype=np.float64), SHRINK[name])
        bare = BackEnd(centre, projection, np.zeros((0, len(centre)), np.float32), scales[name])
        rows = moments.cohort[name][chosen].reshape(-1, len(centre))
        fitted[name] = replace(bare, cohort=bare.project(rows))
    return fitted


def whitening(within: npt.NDArray[np.float64], shrink: float) -> npt.NDArray[np.float32]:
    """The projection (d, d) that makes a within-class covariance the identity, after a share ``shrink`` of it (0 to 1)
    was replaced by its mean variance in every direction. Its largest column has length 1: cosines do not ask for more,
    and float16 keeps it."""
    size = len(within)
    shrunk = (1 - shrink) * within + shrink * np.trace(within) / size * np.eye(size)
    projection = np.linalg.cholesky(np.linalg.inv(shrunk))
    return np.asarray(projection / np.linalg.norm(projection, axis=0).max(), np.float32)


def normalised_scores(
    end: BackEnd, probes: npt.NDArray[np.float32], signatures: npt.NDArray[np.float32]
) -> npt.NDArray[np.float64]:
    """As ``BackEnd.score`` for all pairs of ``probes`` (p, d) and ``signatures`` (e, 8, d): (p, e)."""
    tested, known = end.project(probes), end.project(signatures)
    of_tested = np.array([nearest_of(scores) for scores in tested @ end.cohort.T])
    of_known = np.array([nearest_of(scores) for scores in (known @ end.cohort.T).max(axis=1)])
    highest = np.max([tested @ known[:, row].T for row in range(known.shape[1])], axis=0).astype(np.float64)
    by_tested = (highest - of_tested[:, :1]) / of_tested[:, 1:]
    by_known = (highest - of_known[:, 0]) / of_known[:, 1]
    return np.asarray((by_tested + by_known) / (2 * end.scale))


def impostors_of(takes: SpeakerTakes, language: str) -> set[int]:
    """The takes that others' signatures are tested with: up to ``MOST_IMPOSTOR_TAKES`` of each speaker of a language,
    spread over what there is."""
    chosen: set[int] = set()
    for speaker in set(takes.speaker[takes.language == language].tolist()):
        own = np.flatnonzero(takes.speaker == speaker)
        chosen.update(own[np.linspace(0, len(own) - 1, min(len(own), MOST_IMPOSTOR_TAKES)).astype(int)].tolist())
    return chosen


def held_out_trials(
    takes: SpeakerTakes,
    groups: int | None,
    trained_on: SpeakerTakes | None = None,
    peers: PeerScores = MappingProxyType({}),
) -> Trials:
    """Every signature against takes of its own speaker and of others, by back ends that saw **neither language** of a
    trial and no person who speaks one of them. ``groups``: how many groups the languages are dealt into, which are left
    out as a whole and are fewer back ends to fit; None: each language by itself. ``trained_on``: what the back ends are
    fitted to, the same takes where None. Systems: the shipped score's parts (``vector``, ``layer_means``, not yet
    scaled against each other); ``plain``, the cosine of the mean clean d-vector; the ``peers``."""
    enrolments = enrolments_of(takes)
    moments = moments_of(takes if trained_on is None else trained_on)
    languages = sorted(set(takes.language.tolist()))
    count = len(languages) if groups is None else groups
    dealt = [tuple(languages[place::count]) for place in range(min(count, len(languages)))]
    blocks = [
        block
        for one, other in combinations_with_replacement(dealt, 2)
        for block in _pair(takes, moments, enrolments, one, other, peers)
    ]
    return Trials(
        {name: np.concatenate([block.scores[name] for block in blocks]) for name in blocks[0].scores},
        *(np.concatenate([getattr(block, field) for block in blocks]) for field in FIELDS),
    )


def _pair(
    takes: SpeakerTakes,
    moments: SpeakerMoments,
    enrolments: Sequence[Enrolment],
    one: tuple[str, ...],
    other: tuple[str, ...],
    peers: PeerScores,
) -> Iterator[Trials]:
    """The trials between two groups of languages, or within one, by back ends that saw neither."""
    persons = set(takes.person[np.isin(takes.language, [*one, *other])].tolist())
    ends: dict[str, BackEnd] = {}
    for here, there in {(one, other), (other, one)}:
        places = [place for place, enrolment in enumerate(enrolments) if enrolment.language in here]
        mine = [enrolments[place] for place in places]
        impostors = {take for language in there for take in impostors_of(takes, language)}
        probes = np.flatnonzero(np.isin(takes.language, there))
        if not mine:
            continue
        allowed = np.array([[_kind(takes, e, p, p in impostors) for e in mine] for p in probes.tolist()])
        rows, columns = np.nonzero(allowed >= 0)
        if not len(rows):
            continue
        ends = ends or fit_back_ends(moments, moments.unseen([*one, *other], persons), dict.fromkeys(PARTS, 1.0))
        signatures = np.stack([e.signature for e in mine])
        for channel, embeddings in takes.tested.items():
            tested = embeddings[probes]
            scores = {
                name: normalised_scores(ends[name], tested[:, part], signatures[..., part])
                for name, part in PARTS.items()
            }
            scores["plain"] = cosines(
                tested[:, PARTS["vector"]], np.stack([e.signature[0, PARTS["vector"]] for e in mine])
            )
            scores |= {name: by_channel[channel][probes][:, places] for name, by_channel in peers.items()}
            yield Trials(
                {name: several[rows, columns] for name, several in scores.items()},
                allowed[rows, columns] == 1,
                np.full(len(rows), channel),
                np.array([e.speaker for e in mine])[columns],
                takes.speaker[probes[rows]],
                np.array([e.language for e in mine])[columns],
                np.array([e.package for e in mine])[columns] == takes.package[probes[rows]],
            )


def cosines(probes: Embedding, known: Embedding) -> npt.NDArray[np.float64]:
    """Of all pairs, (len(probes), len(known))."""
    one = probes / np.linalg.norm(probes, axis=1, keepdims=True)
    other = known / np.linalg.norm(known, axis=1, keepdims=True)
    return np.asarray(one @ other.T, np.float64)


def _kind(takes: SpeakerTakes, enrolment: Enrolment, probe: int, impostor: bool) -> int:
    """1 for a genuine trial, 0 for an impostor's, -1 for none."""
    if takes.speaker[probe] == enrolment.speaker:
        return -1 if probe in enrolment.takes else 1
    same_person = takes.person[probe] == takes.person[enrolment.takes[0]]
    return 0 if impostor and not same_person else -1
