"""The recipes for other systems name each place of the code that differs there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CODE = [path for place in ("app", "hardware") for path in sorted((ROOT / place).rglob("*.py"))]
SPAN = re.compile(r"`((?:app|hardware|packaging|tests)/[\w./-]+)`")


def guarded(words: str) -> set[str]:
    """Modules that ask for one of these systems, but for the doctor, which only looks."""
    asks = re.compile(words)
    return {
        str(path.relative_to(ROOT))
        for path in CODE
        if "commands/doctor" not in str(path) and asks.search(path.read_text(encoding="utf-8"))
    }


def named(page: str) -> list[str]:
    """Files and folders that a recipe names."""
    return SPAN.findall((ROOT / "packaging" / page).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("windows.md", r'sys\.platform [!=]= "(win32|linux)"|os\.name [!=]= "posix"'),
        ("macos.md", r'sys\.platform [!=]= "(darwin|linux)"'),
    ],
)
def test_every_guard_is_named(page: str, words: str) -> None:
    """A new one is a fault until the recipe says what it means; a folder stands for what lies in it."""
    places = named(page)
    assert [path for path in sorted(guarded(words)) if not any(path.startswith(place) for place in places)] == []


@pytest.mark.parametrize("page", ["windows.md", "macos.md"])
def test_every_place_that_is_named_exists(page: str) -> None:
    """But for the locks that a maintainer is told to write."""
    gone = [name for name in named(page) if not (ROOT / name).exists() and not name.endswith(".lock")]
    assert gone == []


@pytest.mark.parametrize("page", ["windows.md", "macos.md"])
def test_the_recipes_say_that_nobody_ran_them(page: str) -> None:
    """In the title and in the first line."""
    title, _, first = (ROOT / "packaging" / page).read_text(encoding="utf-8").splitlines()[:3]
    assert title.endswith("a recipe that nobody has run")
    assert first.startswith("Nothing on this page was ever run")
