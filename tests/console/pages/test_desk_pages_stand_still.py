"""At 1480 x 900 no page of the desk scrolls, only tables in it do: Dashboard, Write card and Burn on a training site,
which has the most to show, against its real service."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QAbstractItemView, QAbstractScrollArea, QApplication, QWidget

from app.capabilities.burn.messages import ContainmentBody
from app.console.connection.client import ConsoleClient
from app.console.page import Presenter
from app.console.pages.burn.badge import KEPT_DECISIONS
from app.console.session import WindowSession
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, on_screen
from tests.console.pages.test_burn import chosen, granted, hold

AT_1480 = 1284, 804
"""Size of a page in a window of 1480 x 900, px: without rail, top bar, time strip and status bar."""
PEOPLE = {"chosen": "ARC-T0013", "contained": "ARC-T0014", "lost": "ARC-T0002", "burned": "ARC-T0012"}
Make = Callable[[str], Any]


@pytest.fixture
def make(session: WindowSession, qtbot: Any) -> Make:
    """A page, by its id, as it stands in that window."""

    def made(page: str) -> Presenter:
        session.preferences.set(sounds=False)
        presenter: Presenter = built(importlib.import_module(f"app.console.pages.{page}"), session)
        on_screen(presenter, page, session, qtbot)
        presenter.view.resize(*AT_1480)
        return presenter

    return made


async def scrolling(view: QWidget) -> list[str]:
    """What scrolls down in a page, and is no table."""
    # The layout takes some turns: widths first, then what wraps for them.
    for _ in range(6):
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        await asyncio.sleep(0)
    return [
        f"{type(area).__name__} {area.accessibleName()!r} by {area.verticalScrollBar().maximum()} px"
        for area in view.findChildren(QAbstractScrollArea)
        if area.isVisible() and not isinstance(area, QAbstractItemView) and area.verticalScrollBar().maximum()
    ]


async def contain(page: Any, client: ConsoleClient) -> None:
    """Somebody who is contained stands there."""
    await client.containments_contain(ContainmentBody(node_id=PEOPLE["contained"], message="test"))
    await chosen(page, PEOPLE["contained"])
    await until(page.view.order.held.isVisible, "the containment")


async def lose(page: Any, _client: ConsoleClient) -> None:
    """A lost card is the reason, and the card of its holder is offered."""
    await chosen(page, PEOPLE["lost"])
    page.session.actions.trigger("burn.reason_lost")
    await until(page.view.lost_card.isVisible, "the card")


async def mistype(page: Any, _client: ConsoleClient) -> None:
    """An id that nobody has, and people with like ones."""
    await chosen(page, "ARC-T00133")


async def open_it(page: Any, _client: ConsoleClient) -> None:
    """Nobody is chosen yet."""
    page.enter({})
    await until(lambda: page.session.live.state == "live", "the stream")


STATES: dict[str, Callable[[Any, ConsoleClient], Any]] = {
    "nobody": open_it,
    "contained": contain,
    "lost card": lose,
    "mistyped": mistype,
}


async def present(page: Any) -> None:
    """The badge is presented until the oldest decision has given up its place."""
    for _ in range(KEPT_DECISIONS + 2):
        await until(lambda: page.session.actions.trigger("burn.present"), "a door")
        await until(lambda: page.session.actions.is_enabled("burn.present"), "the decision")
    assert len(page.view.badge.past.toolTip().splitlines()) == KEPT_DECISIONS


@pytest.mark.parametrize("state", STATES)
def test_before_a_burn_the_page_burn_stands_still(state: str, make: Make, connect: Connect, run: Run) -> None:
    """Whoever is chosen, and whatever is asked of them."""
    page = make("burn")

    async def work() -> list[str]:
        async with connect(page) as client:
            await STATES[state](page, client)
            return await scrolling(page.view)

    assert run(work()) == []


def test_decisions_at_a_door_move_nothing(make: Make, connect: Connect, run: Run) -> None:
    """On a training site the badge is shown again and again."""
    page = make("burn")

    async def work() -> list[str]:
        async with connect(page) as client:
            await granted(client, PEOPLE["chosen"])
            await chosen(page, PEOPLE["chosen"])
            await present(page)
            return await scrolling(page.view)

    assert run(work()) == []


def test_a_burn_of_many_kinds_of_targets_stands_still(make: Make, connect: Connect, run: Run, qtbot: Any) -> None:
    """Order, what was touched, and the badge at a door afterwards."""
    page = make("burn")
    page.view.order.hold._hold_ms = 60

    async def work() -> list[str]:
        async with connect(page) as client:
            await granted(client, PEOPLE["burned"])
            await chosen(page, PEOPLE["burned"])
            page.session.actions.trigger("burn.reason_leak")
            await hold(page, qtbot)
            await until(lambda: page.board.burn is not None and page.board.burn.state == "COMPLETE", "the burn")
            await present(page)
            return await scrolling(page.view)

    assert run(work()) == []


@pytest.mark.parametrize("page_id", ["dashboard", "write_card"])
def test_a_page_stands_still_as_it_opens(page_id: str, make: Make, connect: Connect, run: Run) -> None:
    """With the frames, doors, readers and cards of a training site."""
    page = make(page_id)

    async def work() -> list[str]:
        async with connect(page):
            page.enter({})
            await until(lambda: page.session.live.state == "live", "the stream")
            known = {
                "dashboard": lambda: page.view.doors_tile.value == "104",
                "write_card": lambda: page.state.items,
            }
            await until(known[page_id], "what it shows")
            return await scrolling(page.view)

    assert run(work()) == []
