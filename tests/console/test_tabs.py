"""A page of several tabs: the one in front works, the others rest."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from PySide6.QtWidgets import QLineEdit, QWidget

from app.console.failures import Failure
from app.console.operations import Change
from app.console.part import Host, Part
from app.console.session import WindowSession
from app.console.tabs import TabRow, TabsPresenter, TabsView
from tests.console.conftest import Run, until


class SampleTab(Part):
    """Says what it was told."""

    every_s = 3600.0
    kinds = frozenset({"samples"})

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.view = QLineEdit()
        self.taken: list[Mapping[str, str]] = []
        self.readings = 0

    def first_control(self) -> QWidget:
        return self.view

    def take(self, arguments: Mapping[str, str]) -> None:
        self.taken.append(arguments)

    async def read(self) -> None:
        self.readings += 1


ROWS = (TabRow("left", "Left", "left", "users", SampleTab), TabRow("right", "Right", "API right", "server", SampleTab))


@pytest.fixture
def page(session: WindowSession, loop: asyncio.AbstractEventLoop, qtbot: Any) -> TabsPresenter:
    made = TabsPresenter(session, TabsView("Samples", "Kinds of samples"), "samples", ROWS)
    qtbot.addWidget(made.view)
    made.view.show()
    return made


def test_each_tab_is_opened_by_a_key(page: TabsPresenter) -> None:
    assert [(action.id, action.title, action.keys) for action in page.actions()] == [
        ("samples.left", "Samples: left", ("Alt+1",)),
        ("samples.right", "Samples: API right", ("Alt+2",)),
    ]


def test_a_tab_knows_whether_it_is_in_front(page: TabsPresenter) -> None:
    page.tabs["right"].host.show()
    assert [tab.host.shown() for tab in page.tabs.values()] == [False, True]


def test_an_unknown_tab_is_not_opened(page: TabsPresenter) -> None:
    page.show_section("middle")
    assert page.section == "left"


def test_only_the_tab_in_front_reads(page: TabsPresenter, run: Run) -> None:
    left, right = page.tabs.values()

    async def work() -> None:
        page.enter({})
        await until(lambda: left.readings == 1)
        assert right.readings == 0
        page.show_section("right")
        await until(lambda: right.readings == 1)
        left.read_now()
        await asyncio.sleep(0.02)
        assert left.readings == 1
        await page.close()

    run(work())


def test_the_arguments_are_for_the_tab_that_they_open(page: TabsPresenter, run: Run) -> None:
    left, right = page.tabs.values()

    async def work() -> None:
        page.enter({"section": "right", "node_id": "n1"})
        await until(lambda: right.readings == 1)
        page.show_section("left")
        await until(lambda: left.readings == 1)
        await page.close()

    run(work())
    assert right.taken == [{"section": "right", "node_id": "n1"}]
    assert left.taken == [{}]


def test_a_change_is_told_to_the_tab_in_front(page: TabsPresenter, run: Run) -> None:
    left, right = page.tabs.values()

    async def work() -> None:
        page.enter({})
        await until(lambda: left.readings == 1)
        page.take_change(Change(frozenset({"samples"}), None, None))
        await until(lambda: left.readings == 2)
        assert right.readings == 0
        await page.close()

    run(work())


def test_what_one_tab_has_told_goes_with_it(page: TabsPresenter) -> None:
    page.show_failure(Failure("refused", "It was refused."))
    page.show_section("right")
    assert not page.view.banner.text


def test_the_hands_go_where_the_tab_in_front_says(page: TabsPresenter) -> None:
    page.show_section("right")
    assert page.first_control() is page.tabs["right"].view
