"""The tab Speed of the burn page: figures of a real training service, ranges, drills, and the worst five's boards."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from app.capabilities.burn.messages import BurnBody
from app.console.connection.client import ConsoleClient
from app.console.pages import burn as burn_page
from app.console.pages.burn import BurnPresenter
from app.console.pages.burn.view import SPEED, SUBJECT
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, on_screen


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> BurnPresenter:
    """The page at the size of the design."""
    presenter = built(burn_page, session)
    on_screen(presenter, "burn", session, qtbot)
    return presenter


async def burned(client: ConsoleClient, node_id: str) -> str:
    """A burn whose doors are all proven."""
    body = BurnBody(node_id=node_id, scope="GLOBAL_REVOCATION", reason="speed")
    burn = await client.burn_execute(body)
    while any(target.kind == "reader" and target.state == "pending_offline" for target in burn.targets):
        await asyncio.sleep(0.02)
        burn = await client.burn_get(burn.burn_id)
    return burn.burn_id


def test_the_worst_burns_open_as_boards(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """The hands go to the board: in the field of the subject they would open its suggestions over it."""

    async def script() -> tuple[int, bool]:
        async with connect(page) as client:
            burn_id = await burned(client, "ARC-T0021")
            page.enter({})
            assert page.session.actions.trigger("burn.show_speed")
            view = page.view.speed
            await until(lambda: view.worst.row_of(burn_id) >= 0, "the burn among the worst")
            assert {row.kind for row in view.systems.rows} >= {"reader", "local"}
            await until(lambda: page.view.focusWidget() is view.worst_table, "the hands at the list")
            view.worst_table.opened.emit(view.worst.row_of(burn_id))
            await until(lambda: page.board.burn is not None and page.board.burn.burn_id == burn_id, "its board")
            await until(lambda: page.view.focusWidget() is page.view.board.table, "the hands at the board")
            return page.view.tabs.currentIndex(), page.view.subject.field.hasFocus()

    assert run(script()) == (SUBJECT, False)


def test_a_site_without_a_drill_has_no_figure_of_drills(page: BurnPresenter, connect: Connect, run: Run) -> None:
    async def script() -> tuple[Meaning, str]:
        async with connect(page) as client:
            await burned(client, "ARC-T0022")
            page.enter({})
            page.view.tabs.setCurrentIndex(SPEED)
            view = page.view.speed
            await until(lambda: bool(view.worst.rows), "the figures of burns")
            page.session.actions.trigger("burn.speed_drills")
            await until(lambda: not view.worst.rows, "those of drills")
            return view.hero.state, view.hero.words[0]

    assert run(script()) == (Meaning.IDLE, "No figure")


def test_nothing_is_read_for_a_tab_that_nobody_sees(page: BurnPresenter, connect: Connect, run: Run) -> None:
    async def script() -> list[object]:
        async with connect(page) as client:
            await burned(client, "ARC-T0023")
            page.enter({})
            await until(lambda: bool(page.view.history.rows.rows), "the list of burns")
            return list(page.view.speed.worst.rows)

    assert run(script()) == []


def test_old_figures_judge_nothing(page: BurnPresenter, connect: Connect, run: Run) -> None:
    async def script() -> tuple[Meaning, str]:
        async with connect(page) as client:
            await burned(client, "ARC-T0024")
            page.enter({})
            page.view.tabs.setCurrentIndex(SPEED)
            await until(lambda: bool(page.view.speed.worst.rows), "the figures")
            page.speed.fresh.interval_s = 1e-9
            page.speed.fresh._asked = None
            page.speed.paint()
            return page.view.speed.hero.state, page.view.speed.hero.words[0]

    assert run(script()) == (Meaning.IDLE, "Not current")
