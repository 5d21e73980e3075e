"""No id of a person stands without the name, and what the audit log tells of can be saved as evidence."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.console.page import PageRow
from app.console.pages import PAGES
from app.console.preferences import PreferenceStore
from app.console.shell.window import MainWindow
from app.console.telemetry.live import Live
from app.console.widgets.table import DataTable
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.dialogs import PERSON, people
from tests.console.test_people_names import Registry

IDS = {"NODE", "NODE ID"}
NAMES = {"NAME", "PERSON", "WRITTEN FOR"}
PROVEN = {
    "At the doors", "Audit log, newest entry first", "Batches, newest first", "Burns, newest first",
    "Cards at doors, newest first", "Consents that were sealed, newest first", "Credential profiles",
    "Decisions by palm, newest first", "Discharges that the brake holds", "Files and addresses of the batch",
    "Calls of HR systems, newest first", "Lines of the batch, those that need somebody first", "Needs you",
    "Notices of all strikes, most urgent first", "Notices of this strike", "Provisionings of the element, newest first",
    "Provisionings, newest first", "Requests for a second administrator, newest first",
    "Requests for a second key, newest first", "Scans of this site, newest first", "Secure elements of the stock",
    "The worst five burns; Enter opens the board", "What happened to its notices, newest first",
    "What happened to the person, newest first", "What was done to each node",
}  # fmt: skip
"""Tables whose rows stand for entries of the log, burns, deliveries, verdicts or cards."""


@pytest.fixture
def window(application: QApplication, preferences: PreferenceStore, loop: Any) -> Iterator[MainWindow]:
    """The window of the product on a training site, without a service."""
    made = MainWindow("training", preferences, PAGES)
    made.session.live = Live(made.session.clock, made)
    made.show()
    yield made
    loop.run_until_complete(made.close_pages())
    made.finish()
    made.deleteLater()


def tables_of(window: MainWindow, row: PageRow) -> list[DataTable]:
    """The tables of a page."""
    window.add_presenter(row.id, built(importlib.import_module(row.module), window.session))
    return [one for one in window.presenter(row.id).view.findChildren(DataTable) if hasattr(one.model(), "columns")]


def test_no_id_of_a_person_stands_alone(window: MainWindow) -> None:
    """On any page."""
    alone = []
    for row in PAGES:
        for table in tables_of(window, row):
            columns = table.model().columns  # type: ignore[attr-defined]
            ids = [one for one in columns if one.mono and one.title in IDS | NAMES]
            if ids and not any(one.title in NAMES and not one.mono for one in columns):
                alone.append(f"{row.id}: {table.name}")
    assert alone == []


def test_what_the_log_tells_of_can_be_saved_as_evidence(window: MainWindow) -> None:
    """By Ctrl+E, in each of these tables."""
    proven = {table.name for row in PAGES for table in tables_of(window, row) if table.proves}
    assert PROVEN - proven == set()


def test_the_name_comes_beside_the_id(window: MainWindow, run: Run) -> None:
    """As soon as it is known; until then the id stands there. In a narrow table the name stands alone: it has the id in
    its tooltip, and in what is copied."""
    registry: Any = Registry()
    registry.name = PERSON

    async def work() -> None:
        window.session.attach(registry, "http://127.0.0.1:1", "citadel")
        table = next(
            one for row in PAGES if row.id == "readers" for one in tables_of(window, row) if "profiles" in one.name
        )
        columns = table.model().columns  # type: ignore[attr-defined]
        node, name = (next(one for one in columns if one.title == title) for title in ("NODE", "NAME"))
        shown = people(1)[0]
        assert (node.text(shown), name.text(shown)) == ("ARC-T1", "ARC-T1")
        await until(lambda: name.text(shown) == PERSON, "the name")
        assert (node.hint(shown), name.hint(shown)) == (PERSON, "ARC-T1")
        assert name.copy(shown) == f"{PERSON} (ARC-T1)"
        assert node.spare > name.spare

    run(work())
