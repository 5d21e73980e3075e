"""How well the extractor tells synthetic palms apart.

``python -m hardware.terminals.report [--worlds N] [--people N]`` prints it.

Worlds differ by the seed of their hands. Each person is enrolled with 1, 3 or 5 shots, and the hand is laid again a
number of times; a third of the people are never enrolled. Deterministic: the same options print the same figures on one
machine (except speed, which only ``--speed`` prints).

A match is counted where the score reaches a floor of 0.40 and leads the next person's by 0.08. The full policy of a
site, which also bounds the rate of false matches, is not applied here.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, TypeAlias, get_args

import numpy as np

from hardware.terminals import crease
from hardware.terminals.enrolment import enrol
from hardware.terminals.projection import DIMENSIONS, Floats, Projection, Templates, unit
from hardware.terminals.synthetic_palms import SyntheticPalm

FLOOR: Final = 0.40
LEAD: Final = 0.08
SHOTS: Final = (1, 3, 5)
_PROBES: Final = 4
_REMARK: Final = (
    "Drawn palms only: they show that the chain from a picture to a score works and that views matter.\n"
    "They are no proof of any error rate for hands."
)


@dataclass(frozen=True, slots=True)
class CellCounts:
    """Counts of one cell.

    `eer`: equal error rate of all genuine against all impostor scores. `genuine`: the lowest score of a person with the
    person's own row. `impostor`: the highest score of a person with another person's row.
    """

    probes: int
    rejected: int
    wrong: int
    strangers: int
    accepted_strangers: int
    eer: float
    genuine: float
    impostor: float


Cells: TypeAlias = dict[tuple[int, crease.Views], CellCounts]
"""Counts by the number of shots enrolled and of views of the probe."""


def equal_error_rate(genuine: Floats, impostor: Floats) -> float:
    """The rate at which the share of genuine scores below a threshold equals that of impostor scores at or above it
    (the mean of the two where they are nearest)."""
    thresholds = np.unique(np.concatenate([genuine, impostor]))
    missed = np.searchsorted(np.sort(genuine), thresholds) / genuine.size
    passed = 1.0 - np.searchsorted(np.sort(impostor), thresholds) / impostor.size
    nearest = int(np.argmin(np.abs(missed - passed)))
    return float((missed[nearest] + passed[nearest]) / 2)


def world(seed: str, people: int) -> Cells:
    """Enrol and lay the hands of one world."""
    projection = Projection(sha256(seed.encode()).digest(), "report", 1)
    enrolled = people - people // 3
    most = max(SHOTS)
    shots = np.stack([_shots(SyntheticPalm(seed, str(person)), projection) for person in range(people)])
    outcomes = {}
    for count in SHOTS:
        rows = np.stack([enrol(list(shots[person, :count])).row for person in range(enrolled)])
        for views in get_args(crease.Views):
            chosen = [crease.shifts(25).index(shift) for shift in crease.shifts(views)]
            probes = shots[:, most:][:, :, chosen]
            outcomes[count, views] = _count(_scores(probes, rows), enrolled)
    return outcomes


def _shots(palm: SyntheticPalm, projection: Projection) -> Templates:
    """(shots, 25, 512): those to enrol with, then the probes."""
    return np.stack([projection.template(crease.features(palm.shot(n))) for n in range(max(SHOTS) + _PROBES)])


def _scores(probes: Templates, rows: Templates) -> Floats:
    """(people, probes, rows): each row's best view."""
    views = unit(probes).reshape(-1, DIMENSIONS)
    cosines = views @ unit(rows).T
    return np.asarray(cosines.reshape(*probes.shape[:3], len(rows)).max(axis=2), np.float64)


def _count(scores: Floats, enrolled: int) -> CellCounts:
    """The counts of (people, probes, rows) of scores, where the first ``enrolled`` people own the rows."""
    own = np.eye(enrolled, dtype=bool)[:, np.newaxis, :].repeat(scores.shape[1], axis=1)
    genuine = scores[:enrolled][own]
    impostor = np.concatenate([scores[:enrolled][~own], scores[enrolled:].ravel()])
    ordered = np.sort(scores, axis=2)
    accepted = (ordered[:, :, -1] >= FLOOR) & (ordered[:, :, -1] - ordered[:, :, -2] >= LEAD)
    right = scores.argmax(axis=2) == np.arange(len(scores))[:, np.newaxis]
    members, strangers = accepted[:enrolled], accepted[enrolled:]
    return CellCounts(
        probes=members.size,
        rejected=int((~members).sum()),
        wrong=int((members & ~right[:enrolled]).sum()),
        strangers=strangers.size,
        accepted_strangers=int(strangers.sum()),
        eer=equal_error_rate(genuine, impostor),
        genuine=float(genuine.min()),
        impostor=float(impostor.max()),
    )


def _pool(worlds: Sequence[Cells]) -> Cells:
    """All worlds' counts together, with the mean of their equal error rates."""
    pooled = {}
    for cell in worlds[0]:
        each = [cells[cell] for cells in worlds]
        pooled[cell] = CellCounts(
            probes=sum(one.probes for one in each),
            rejected=sum(one.rejected for one in each),
            wrong=sum(one.wrong for one in each),
            strangers=sum(one.strangers for one in each),
            accepted_strangers=sum(one.accepted_strangers for one in each),
            eer=sum(one.eer for one in each) / len(each),
            genuine=min(one.genuine for one in each),
            impostor=max(one.impostor for one in each),
        )
    return pooled


def _cpu_ms(work: Callable[[], object], times: int = 50) -> float:
    """Median CPU time of this process, in ms."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return float(np.median(taken)) * 1e3


def _print_speed() -> None:
    """Print the CPU time of each step from a hand to its templates."""
    projection = Projection(bytes(32), "report", 1)
    picture = SyntheticPalm("speed", "1").shot(1)
    views = crease.features(picture)
    for name, work in (
        ("features, 1 view", lambda: crease.features(picture, 1)),
        ("features, 25 views", lambda: crease.features(picture)),
        ("templates of 25 views", lambda: projection.template(views)),
        ("rotation of a key", lambda: Projection(bytes(32), "report", 1)),
        ("a hand drawn", lambda: SyntheticPalm("speed", "1")),
    ):
        print(f"{name:24}{_cpu_ms(work):8.2f} ms of CPU")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m hardware.terminals.report", description="Drawn palms told apart.")
    parser.add_argument("--worlds", type=int, default=5, metavar="N")
    parser.add_argument("--people", type=int, default=45, metavar="N", help="a third of them never enrolled; from 6 on")
    parser.add_argument("--speed", action="store_true", help="print CPU times instead")
    options = parser.parse_args(arguments)
    if options.speed:
        _print_speed()
        return 0
    if options.worlds < 1 or options.people < 6:
        parser.error("at least 1 world of 6 people")
    print("world   shots views    EER  rejected   wrong  strangers in  lowest own  highest other")
    worlds = [world(f"world {number}", options.people) for number in range(options.worlds)]
    for name, cells in (*((str(number), cells) for number, cells in enumerate(worlds)), ("all", _pool(worlds))):
        for (shots, views), cell in cells.items():
            print(
                f"{name:5}{shots:8}{views:6}{cell.eer:7.2%}{cell.rejected:6}/{cell.probes}{cell.wrong:8}"
                f"{cell.accepted_strangers:10}/{cell.strangers}{cell.genuine:12.3f}{cell.impostor:15.3f}"
            )
    print(_REMARK)
    return 0


if __name__ == "__main__":
    sys.exit(main())
