"""Registries of few people: ``python -m tests.perf palm_few`` (``python -m tests.perf.palm_few`` prints the table).

Over drawn populations of several effective dimensions and numbers of people: how many strangers the policy of
``app.biometrics.matching`` takes and how many mates it finds, beside the score alone (0.50), which decided below 21
people before. Also how often the effective dimension, told from so many people, lets the features be enrolled.

Nothing here is a statement about real hands: the populations are drawn.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TextIO

import numpy as np

from app.biometrics.effective_dimension import LEAST_DIMENSION, PEOPLE, effective_dimension
from app.biometrics.gallery import Gallery
from app.biometrics.matching import Rules, basis_of, identify
from tests.perf.error_rates import bounded, bounds
from tests.perf.palm_population import Population, templates
from tests.perf.report import Row

DIMENSIONS: Final = (8, 24, 64, 512)
COUNTS: Final = (5, 9, 15, 19, 30)
COSINE: Final = 0.85
"""Of two shots of one hand, in the mean."""
REGISTRIES: Final = 200
STRANGERS: Final = 10
"""Searched in each registry; and as many mates, or all there are."""
ASKED: Final = 1e-3
"""ACCESS_ENTRY."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Of ``searches`` strangers, how many the policy took, and how many the score alone; of ``mates``, how many the
    policy found as themselves, and how many the score alone; in how many of the ``registries`` the features were wide
    enough to enrol, None with too few people to tell."""

    searches: int
    taken: int
    taken_by_score: int
    mates: int
    found: int
    found_by_score: int
    registries: int
    enrolled: int | None


def trial(dimension: int, people: int, registries: int, seed: int) -> Trial:
    """So many registries of so many people, each searched for ``STRANGERS`` strangers and mates."""
    population = Population(seed, dimension, COSINE)
    projection = population.projection()
    strict, by_score = Rules(), Rules(few_by_score=True)
    taken = taken_by_score = found = found_by_score = enrolled = 0
    mates = min(people, STRANGERS)
    for number in range(registries):
        persons = population.persons(people)
        rows = templates(persons, projection)
        enrolled += people >= PEOPLE and effective_dimension(rows) >= LEAST_DIMENSION
        gallery = Gallery(capacity=people, faiss=False, seed=number)
        gallery.load([f"N{one}" for one in range(people)], rows)
        for probe in templates(population.persons(STRANGERS), projection):
            search = gallery.search(probe)
            taken += identify(search, "ACCESS_ENTRY", strict).matched
            taken_by_score += identify(search, "ACCESS_ENTRY", by_score).matched
        for one, probe in enumerate(templates(population.shots(persons[:mates]), projection)):
            search = gallery.search(probe)
            found += identify(search, "ACCESS_ENTRY", strict).node_id == f"N{one}"
            found_by_score += identify(search, "ACCESS_ENTRY", by_score).node_id == f"N{one}"
    return Trial(
        searches=registries * STRANGERS,
        taken=taken,
        taken_by_score=taken_by_score,
        mates=registries * mates,
        found=found,
        found_by_score=found_by_score,
        registries=registries,
        enrolled=enrolled if people >= PEOPLE else None,
    )


def report(out: TextIO) -> Iterator[Row]:
    """The table on ``out``, and its rows."""
    print(
        f"ACCESS_ENTRY (asked for: {ASKED:g}), {REGISTRIES} registries a line, {STRANGERS} strangers and as many mates "
        f"each, cosine of mates {COSINE}.\n\n"
        "  dim people basis     strangers taken                  by score   mates found   by score   may be enrolled",
        file=out,
    )
    for dimension in DIMENSIONS:
        wide = dimension >= LEAST_DIMENSION
        all_taken = asked = 0
        for people in COUNTS:
            one = trial(dimension, people, REGISTRIES, seed=people)
            enrolled = "not told" if one.enrolled is None else f"{one.enrolled / one.registries:8.1%}"
            print(
                f"{dimension:5} {people:6} {basis_of(people - 1):8} {one.taken:5} of {one.searches}"
                f" {bounded(one.taken, one.searches)} {one.taken_by_score / one.searches:10.4f}"
                f" {one.found / one.mates:13.3f} {one.found_by_score / one.mates:10.3f}   {enrolled}",
                file=out,
                flush=True,
            )
            all_taken, asked = all_taken + one.taken, asked + one.searches
            if wide:
                missed, name = one.mates - one.found, f"palm few: mates missed, dimension {dimension}, {people} people"
                yield Row(name, "", missed, one.mates, missed / one.mates, "told", "mates", None)
        upper = bounds(all_taken, asked)[1]
        name = f"palm few: strangers taken, dimension {dimension}, 5 to 30 people"
        yield Row(
            name, "", all_taken, asked, upper, f"<= {ASKED:g}", "searches; upper bound of the rate", upper <= ASKED
        )
    print(file=out)


def main(arguments: list[str]) -> int:
    """The table on stdout; with ``--json`` on stderr, and its rows as JSON on stdout."""
    as_json = "--json" in arguments
    print("Drawn populations: no proof of any rate of real palms.", file=sys.stderr if as_json else sys.stdout)
    for row in report(sys.stderr if as_json else sys.stdout):
        print(json.dumps(dataclasses.asdict(row)) if as_json else row.line(), flush=True)
    return 0


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    sys.exit(main(sys.argv[1:]))
