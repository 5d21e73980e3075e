"""The house as a machine can check it: names, words, floors. A fault is told by file and line."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import house_rules

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("rule", house_rules.RULES, ids=lambda rule: rule.__name__)
def test_no_fault(rule: Callable[[], list[str]]) -> None:
    """The program keeps the rule everywhere."""
    assert rule() == []


FAULTY = '''
"""Told by whoever reads it."""
class Store: ...
def told(): ...
def _grind():
    a = 1
    b = 2
    c = 3
    d = 4
    e = 5
    f = 6
    g = 7
    h = 8
    i = 9
    j = 10
    k = 11
    return a + b + c + d + e + f + g + h + i + j + k
class Inner:
    class Store: ...
box.setText("Nobody heard it")
first = layout.itemAt(0)
'''


@pytest.mark.parametrize("rule", house_rules.RULES, ids=lambda rule: rule.__name__)
def test_a_fault_is_found(rule: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each rule finds its fault where there is one."""
    (tmp_path / "faulty.py").write_text(FAULTY)
    monkeypatch.setattr(house_rules, "ROOT", tmp_path)
    assert len(rule((tmp_path,))) == 1


@pytest.mark.parametrize("line", ["tr(words)", """f"{name}: {tr('none')}\""""])
def test_a_call_of_tr_that_the_tools_cannot_find_is_a_fault(
    line: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """``lupdate`` takes literals alone, and does not look into an f-string."""
    (tmp_path / "faulty.py").write_text(f"said = {line}\n")
    monkeypatch.setattr(house_rules, "ROOT", tmp_path)
    assert len(house_rules.words_without_tr((tmp_path,))) == 1


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program with its contracts."""
    where = tmp_path_factory.mktemp("tree")
    for name in ("app", "hardware"):
        shutil.copytree(ROOT / name, where / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / ".importlinter", where)
    return where


def broken(tree: Path) -> set[str]:
    """Names of the contracts that the tree breaks."""
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tree, capture_output=True, text=True, timeout=300, check=False
    )
    return set(re.findall(r"^(.+) BROKEN\b", done.stdout, re.MULTILINE))


MADE_UP = {
    "another capability": ("service", "from app.capabilities.burn.service import BurnService"),
    "a Qt class": ("service", "from PySide6.QtCore import QObject"),
    "a table in messages": ("messages", "from app.registry.tables import node"),
    "the service": ("service", "from app.service.assembly import TABLE"),
    "the simulated site": ("service", "from app.training.cards import CardDrawer"),
}
RED = {
    "another capability": "Capabilities do not import each other",
    "a Qt class": "Nothing but the console imports Qt",
    "a table in messages": "Messages know messages: no service, no table, no store",
    "the service": "Each room stands on those below it, and no room is left out",
    "the simulated site": "Each room stands on those below it, and no room is left out",
}


@pytest.mark.parametrize("what", MADE_UP)
def test_a_new_capability_is_held_to_the_floors(copy: Path, what: str) -> None:
    """A capability that nobody has written into a contract breaks the right one, by name."""
    package = copy / "app" / "capabilities" / "made_up"
    module, line = MADE_UP[what]
    package.mkdir()
    try:
        (package / "__init__.py").write_text("")
        (package / f"{module}.py").write_text(line + "\n")
        assert RED[what] in broken(copy)
    finally:
        shutil.rmtree(package)


def test_a_new_room_must_have_a_floor(copy: Path) -> None:
    """A package beside the others that no layer names is a fault."""
    room = copy / "app" / "made_up"
    room.mkdir()
    try:
        (room / "__init__.py").write_text("")
        assert broken(copy) == {"Each room stands on those below it, and no room is left out"}
    finally:
        shutil.rmtree(room)


def test_a_page_may_not_import_another(copy: Path) -> None:
    """What two pages share lies outside the pages."""
    page = copy / "app" / "console" / "pages" / "made_up"
    page.mkdir()
    try:
        (page / "__init__.py").write_text("from app.console.pages.burn.view import BurnView\n")
        assert broken(copy) == {"Pages do not import each other"}
    finally:
        shutil.rmtree(page)


def test_no_circle_between_rooms() -> None:
    """Rooms and their sub-rooms import each other in one direction alone, below the floors too."""
    assert house_rules.circles() == []
