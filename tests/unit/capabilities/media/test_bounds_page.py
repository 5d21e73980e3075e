"""The page's tables of bounds, held to the code: a number that an operator reads there is the one that is obeyed."""

from __future__ import annotations

import ast
import re
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

from app.capabilities.media import jobs, journal
from app.capabilities.media.feeds import collection, excerpt, kinds, multipart, pace, playlist, reach, runner, state
from app.capabilities.media.feeds.sources import hls
from app.capabilities.media.provenance import credentials
from app.capabilities.media.provenance import reading as file_reading
from app.capabilities.media.video import judgement
from app.capabilities.media.video import reading as video_reading
from app.capabilities.media.worker import decode, protocol, sandbox, workers

MODULES: Final[dict[str, ModuleType]] = {
    module.__name__.removeprefix("app.capabilities.media."): module
    for module in (
        *(jobs, journal, collection, excerpt, kinds, multipart, pace, playlist, reach, runner, state, hls),
        *(credentials, file_reading, judgement, video_reading, decode, protocol, sandbox, workers),
    )
}
PAGE: Final = Path(__file__).parents[4] / "app" / "capabilities" / "media" / "README.md"
ROW: Final = re.compile(
    r"\| (?P<what>[^|]+) \| (?P<most>[\d.,]+)(?: (?P<unit>[KMG]iB))? \| [^|]+ \| `(?P<place>[\w.]+)` \|"
)
UNITS: Final = {None: 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
ROWS: Final = [found for line in PAGE.read_text("utf-8").splitlines() if (found := ROW.fullmatch(line))]


def bound_of(place: str) -> float:
    """What stands in the code there: a constant of a module, or a default of its limits."""
    module, name = max(
        (
            (module, place.removeprefix(f"{named}."))
            for named, module in MODULES.items()
            if place.startswith(f"{named}.")
        ),
        key=lambda found: len(found[0].__name__),
    )
    value: float = attrgetter(name)(module)
    return value


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["place"])
def test_a_bound_is_the_one_that_is_obeyed(row: re.Match[str]) -> None:
    """In its unit."""
    assert float(row["most"].replace(",", "")) * UNITS[row["unit"]] == bound_of(row["place"])


def test_every_line_of_the_tables_is_read() -> None:
    """A row that is written otherwise would be held to nothing."""
    lines = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("|")]
    heads = sum(line.startswith(("| what |", "|---")) for line in lines)
    assert len(ROWS) == len(lines) - heads
    assert len({row["place"] for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("name", ["feeds", "worker"])
def test_every_bound_of_what_comes_from_outside_is_a_row(name: str) -> None:
    """Whole numbers that have a public name, of the rooms that read what others send."""
    rows, missing = {row["place"] for row in ROWS}, []
    for file in sorted((PAGE.parent / name).rglob("*.py")):
        module = file.relative_to(PAGE.parent).with_suffix("").as_posix().replace("/", ".")
        for line in ast.parse(file.read_text("utf-8")).body:
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and module in MODULES:
                place = f"{module}.{line.target.id}"
                whole = type(getattr(MODULES[module], line.target.id)) is int
                named = not line.target.id.startswith("_") and place != "worker.protocol.PRELUDE"
                if whole and named and place not in rows:
                    missing.append(place)
    assert missing == []
