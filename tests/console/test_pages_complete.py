"""Every page of the rail is complete: the tour visits it, the README names it, the help leads to it."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QTabWidget

from app.console.actions import Effect
from app.console.page import PageRow
from app.console.pages import PAGES
from app.console.preferences import PreferenceStore
from app.console.session import WindowSession
from app.console.shell.cheatsheet import CheatSheet
from app.console.shell.window import MainWindow
from app.console.tour.pages import PAGES as STOPS
from tests.console.built import built

README = (Path(__file__).parents[2] / "app/console/README.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(\w+)` \| ([^|]+) \| (\S+) \| ([^|]+) \|$", re.MULTILINE)
WRITTEN = {found[1]: (found[2], found[3]) for found in ROW.finditer(README)}
"""Title and key of each page in the README's table, by id."""
every_page = pytest.mark.parametrize("row", PAGES, ids=lambda row: row.id)


@pytest.fixture
def window(application: QApplication, preferences: PreferenceStore) -> Iterator[MainWindow]:
    """The window with the pages of the product; none of their modules is loaded."""
    made = MainWindow("training", preferences, PAGES)
    yield made
    made.finish()
    made.deleteLater()


@every_page
def test_the_tour_visits_the_page(row: PageRow) -> None:
    """By its own key, under its own title: ``tour/pages.py`` has its stop."""
    stop = STOPS[row.id.replace("_", "-")]
    assert (stop.key, stop.title) == (row.keys, row.title)


@every_page
def test_the_readme_names_the_page(row: PageRow) -> None:
    """With its title and its key: ``app/console/README.md`` has its row."""
    assert WRITTEN[row.id] == (row.title, row.keys)


def test_the_keys_follow_the_rail() -> None:
    """From its top: nobody counts to another key, and none in between leads nowhere. Settings alone, at the foot, keeps
    the key that it has always had."""
    in_turn = [f"Ctrl+{digit}" for digit in "1234567890"] + [f"Ctrl+Shift+{digit}" for digit in "13456789"]
    assert [row.keys for row in PAGES if row.id != "settings"] == in_turn[: len(PAGES) - 1]
    assert [row.keys for row in PAGES if row.id == "settings"] == ["Ctrl+Shift+2"]


@every_page
def test_the_rail_shows_the_key_that_works(row: PageRow, window: MainWindow) -> None:
    """Beside the title, whole in the tooltip and for who hears it; icons alone have room for none."""
    assert [one.keys for one in window.actions_.all() if one.id == f"page.{row.id}"] == [(row.keys,)]
    button = window.rail.buttons[row.id]
    assert row.keys in button.toolTip()
    assert button.accessibleDescription() == row.keys
    window.rail.set_narrow(False)
    assert button.key_shown
    assert f"Ctrl+{'Shift+' if button.shift else ''}{button.key}" == row.keys
    window.rail.set_narrow(True)
    assert not button.key_shown


@every_page
def test_the_palette_leads_to_the_page(row: PageRow, window: MainWindow) -> None:
    """A command of its title, with its key."""
    window.palette_.open(row.title)
    assert f"Go to {row.title}" in [entry.title for entry in window.palette_.entries]


@every_page
def test_the_cheat_sheet_has_the_page(row: PageRow, window: MainWindow) -> None:
    """Among the keys that work everywhere."""
    sheet = CheatSheet(window, window.actions_, "")
    assert f"Go to {row.title}" in [label.text() for label in sheet.findChildren(QLabel)]


@every_page
def test_the_page_is_a_package_of_its_own(row: PageRow) -> None:
    """``pages/<id>/``, where a reader of the README looks for it."""
    assert row.module == f"app.console.pages.{row.id}"
    found = importlib.util.find_spec(row.module)
    assert found is not None
    assert found.submodule_search_locations


def test_no_stop_of_the_tour_is_without_a_page() -> None:
    """A page that went takes its stop along."""
    assert {name.replace("-", "_") for name in STOPS} == {row.id for row in PAGES}


def test_no_row_of_the_readme_is_without_a_page() -> None:
    """In the order of the rail."""
    assert list(WRITTEN) == [row.id for row in PAGES]


@pytest.mark.parametrize("page", ["settings", "verify", "hr", "readers", "batch"])
def test_a_changing_key_of_a_tab_belongs_to_it(page: str, session: WindowSession) -> None:
    """A person who looks at another tab changes nothing in this one by a key."""
    presenter = built(importlib.import_module(f"app.console.pages.{page}"), session)
    tabs = presenter.view.findChild(QTabWidget)
    actions = [one for one in presenter.actions() if one.keys and one.effect is not Effect.NONE]
    assert actions
    for action in actions:
        fronts = []
        for at in range(tabs.count()):
            tabs.setCurrentIndex(at)
            fronts.append(action.shown())
        assert sum(fronts) == 1, action.id
