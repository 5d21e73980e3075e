"""The Verify page's frame and its palm tab against a real training service with its palm terminals."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.console.connection import ConsoleClient
from app.console.pages.verify import make
from app.console.pages.verify.palm import PalmTab
from app.console.pages.verify.presenter import VerifyPresenter
from app.console.session import Session
from app.console.widgets.choice import Choice
from app.palm.messages import TrainingEnrolBody, TrainingPalmBody
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect

NODE, STRANGER = "ARC-T0031", "ARC-T0032"
"""One is enrolled by these tests, the other never."""


@pytest.fixture
def page(session: Session, qtbot: Any) -> VerifyPresenter:
    """The page at the size of the design, its actions in the table."""
    presenter = make(session)
    presenter.view.resize(1284, 820)
    qtbot.addWidget(presenter.view)
    session.actions.add(presenter.actions())
    session.actions.set_page("verify")
    presenter.view.show()
    return presenter


@asynccontextmanager
async def opened(page: VerifyPresenter, connect: Connect, **arguments: str) -> AsyncIterator[tuple[PalmTab, Any]]:
    """The palm tab after its first reading."""
    tab = page.tabs["palm"]
    assert isinstance(tab, PalmTab)
    async with connect(page) as client:
        page.enter(arguments)
        await until(lambda: len(tab.view.place_rows.rows) == 3, "the terminals")
        yield tab, client


async def laid(client: ConsoleClient, node_id: str, terminal_id: str = "palm-lobby", **values: str) -> str:
    """The decision of a drawn palm on a terminal, by its id."""
    body = TrainingPalmBody(terminal_id=terminal_id, node_id=node_id, **values)
    return (await client.training_palms_lay(body)).decision_id


def test_nobody_yet_teaches_the_first_palm(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """The terminals stand there before the first decision, and the next step is a button with its key."""

    async def work() -> None:
        async with opened(page, connect) as (tab, _):
            assert tab.view.stack.currentWidget() is tab.view.empty
            assert next(row.name for row in tab.view.place_rows.rows) == "All terminals"
            assert page.session.actions.enabled("verify.lay")
            assert not page.session.actions.enabled("verify.audit")
            page.session.actions.trigger("verify.lay")
            assert tab.view.person.hasFocus()

    run(work())


def test_a_drawn_palm_is_laid_by_keys_and_decided_live(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """Person, terminal, intent, Ctrl+Enter: the decision comes by the stream, with all that may be said of it."""

    async def work() -> None:
        async with opened(page, connect) as (tab, client):
            await client.training_palms_enrol(TrainingEnrolBody(terminal_id="palm-lobby", node_id=NODE))
            view = tab.view
            view.person.choose(Choice(NODE, "Training Person 31", NODE))
            view.intent.setFocus()
            QTest.keyClicks(view.intent, "Approve")
            assert page.session.actions.trigger("verify.lay")
            await until(lambda: tab.decision is not None, "the decision")
            decision = tab.decision
            assert decision is not None
            assert (decision.matched, decision.node_id, decision.intent) == (True, NODE, "PAYMENT_APPROVE")
            assert view.verdict.word == "Match"
            assert "Card or PIN" in view.facts.values["factor"].text()
            assert float(view.facts.values["confidence"].text()) > 0.5
            assert "card or PIN" in view.words.text()

    run(work())


def test_why_nobody_matched_is_not_told(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """A stranger and a contained person look alike here; the audit log alone has the cause, one key away."""

    async def work() -> None:
        async with opened(page, connect) as (tab, client):
            wanted = await laid(client, STRANGER)
            tab._chosen = wanted
            await until(lambda: tab.decision is not None and tab.decision.decision_id == wanted, "the decision")
            view = tab.view
            assert (view.verdict.word, view.facts.values["confidence"].text()) == ("No match", "0.0000")
            shown = " ".join(label.text() for label in view.facts.values.values()) + view.words.text()
            causes = ("below_floor", "among_the_others", "two_alike", "liveness", "nobody", "floor")
            assert not [cause for cause in causes if cause in shown]
            asked: list[tuple[str, dict[str, str]]] = []
            page.session.set_navigator(lambda name, arguments: asked.append((name, arguments)))
            page.session.actions.trigger("verify.audit")
            assert asked == [("audit", {"text": wanted})]

    run(work())


def test_a_strict_rate_is_called_extrapolated(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """Below what was measured the word stands there, with the bound of the rule of three."""

    async def work() -> None:
        async with opened(page, connect) as (tab, client):
            for number in (33, 34):
                body = TrainingEnrolBody(terminal_id="palm-lobby", node_id=f"ARC-T00{number}")
                await client.training_palms_enrol(body)
            wanted = await laid(client, "ARC-T0033", intent="LOGIN")
            tab._chosen = wanted
            await until(lambda: tab.decision is not None and tab.decision.decision_id == wanted, "the decision")
            assert tab.decision is not None
            assert tab.decision.extrapolated
            assert "extrapolated" in tab.view.facts.values["rate"].text().replace("\u200b", "")
            assert "0 of 660 searches, so in fewer than 0.45 %" in tab.view.sure.text()

    run(work())


def test_decisions_are_narrowed_to_one_terminal(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """The cursor on a terminal shows that terminal's alone; a move of it is a key."""

    async def work() -> None:
        async with opened(page, connect) as (tab, client):
            lobby, vault = await laid(client, STRANGER), await laid(client, STRANGER, "palm-vault")
            view = tab.view

            def ids() -> set[str]:
                return {row.decision_id for row in view.rows.rows}

            await until(lambda: {lobby, vault} <= ids(), "both decisions")
            view.place_table.setFocus()
            for _ in ("palm-lobby", "palm-vault"):
                QTest.keyClick(view.place_table, Qt.Key.Key_Down)
            assert {row.terminal for row in view.rows.rows} == {"palm-vault"}
            assert vault in ids()
            assert lobby not in ids()

    run(work())
