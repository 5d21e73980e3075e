"""One line of a benchmark and how it is printed. Every figure stands beside its peer's, measured in the same run."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the table. ``ours`` and ``peer`` in ``unit``; ``ratio`` is what ``goal`` speaks of, None where the
    peer was too unsteady for one; ``against`` names the peer; ``met`` None where no goal was set or none can be judged.
    """

    name: str
    unit: str
    ours: float
    peer: float
    ratio: float | None
    goal: str
    against: str = ""
    met: bool | None = None

    def line(self) -> str:
        """For people."""
        verdict = {True: "met", False: "MISSED", None: ""}[self.met]
        ratio = "-" if self.ratio is None else f"{self.ratio:.2f}"
        return (
            f"{self.name:58.58} {self.ours:10.2f} {self.unit:4.4} {self.peer:10.2f} {ratio:>7}  "
            f"{self.goal:22.22} {verdict:6} {self.against}"
        )


HEAD = f"{'benchmark':58} {'ours':>10} {'':4} {'peer':>10} {'ratio':>7}  {'goal':22} {'':6} against"


def run(rows: Sequence[Callable[[], Row | Iterable[Row]]]) -> None:
    """Measures and prints each as it comes; with ``--json`` one JSON object a line, for the whole table's run."""
    as_json = "--json" in sys.argv[1:]
    if not as_json:
        print(HEAD)
    for measure in rows:
        found = measure()
        for row in [found] if isinstance(found, Row) else found:
            print(json.dumps(dataclasses.asdict(row)) if as_json else row.line(), flush=True)
