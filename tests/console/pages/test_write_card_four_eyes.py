"""Write card's four eyes against a real training service: this key asks, another agrees, the card is changed once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.approvals.messages import ApprovalBody
from app.capabilities.provisioning.messages import ProvisionListQuery
from app.console.connection.client import ConsoleClient
from app.console.pages import write_card as write_card_page
from app.console.pages.write_card import WriteCardPresenter
from app.console.reason_form import ReasonForm
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.choice import Choice
from app.training.messages import TrainingCardBody
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, Service, another_key, on_screen

READER = "Training Reader 4"


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> WriteCardPresenter:
    """The page at the size of the design, its actions in the table; a test hears what is told, and plays nothing."""
    session.preferences.set(sounds=False)
    presenter = built(write_card_page, session)
    on_screen(presenter, "write_card", session, qtbot)
    return presenter


@asynccontextmanager
async def lying(client: ConsoleClient, page: WriteCardPresenter, card: str) -> AsyncIterator[None]:
    """The card lies in ``READER``, which is the chosen one; afterwards the reader is empty."""
    await client.drawer_move_card(TrainingCardBody(reader=READER, action="insert", card=card))
    try:
        await until(lambda: [one for one in page.state.items if one.reader == READER and one.card_guid], "the card")
        page.view.readers.choose(READER)
        yield
    finally:
        await client.drawer_move_card(TrainingCardBody(reader=READER, action="remove"))


async def opened(page: WriteCardPresenter, client: ConsoleClient, node_id: str) -> str:
    """The finished card of this person is shown; its provisioning."""
    found = await client.provisioning_list_provisions(query=ProvisionListQuery(node_id=node_id, state="COMPLETE"))
    provision_id = found.items[0].provision_id
    page.view.provision_opened.emit(provision_id)
    await until(lambda: page.state.shows(provision_id), "the provisioning")
    return provision_id


async def ready(page: WriteCardPresenter) -> None:
    """The stream is live, and the first start has laid out its cards: the one in the second reader comes last."""
    page.enter({})
    await until(lambda: page.session.live.state == "live", "the stream")
    await until(
        lambda: [one for one in page.state.items if (one.reader, one.state) == ("Training Reader 2", "provisioned")],
        "the cards",
    )


async def ask(page: WriteCardPresenter, action: str, reason: str) -> None:
    """Ask for a second key through the form."""
    page.session.actions.refresh()
    await until(lambda: page.session.actions.is_enabled(action), action)
    page.session.actions.trigger(action)
    dialog = next(found for found in QApplication.topLevelWidgets() if isinstance(found, ReasonForm))
    dialog.reason.setPlainText(reason)
    dialog.save.click()
    view = page.view.four_eyes
    await until(lambda: [one for one in view.rows.rows if one.reason == reason], "the request")
    view.table.selectRow(next(at for at, one in enumerate(view.rows.rows) if one.reason == reason))


@pytest.mark.qt_log_ignore("does not support raise", "does not support grabbing the keyboard", extend=True)
def test_a_pin_is_reset_when_another_key_agrees(
    page: WriteCardPresenter, connect: Connect, run: Run, training_service: Service, tmp_path: Path
) -> None:
    """Asked for, not to be approved here, approved elsewhere, reset on the card, and the mailer comes once more."""

    async def work() -> None:
        async with connect(page) as client, another_key(training_service) as other:
            await ready(page)
            await opened(page, client, "ARC-T0005")
            page.mailer.save(tmp_path / "first.pdf")
            await until(lambda: page.view.then.pin.mark.word == "Given out", "the first mailer")
            await ask(page, "write_card.ask_pin_reset", "The PIN is forgotten")
            view = page.view.four_eyes
            assert view.chosen is not None
            approval_id = view.chosen.approval_id
            assert "waits for another Citadel key" in view.words.text()
            assert not page.session.actions.is_enabled("write_card.approve")
            assert not page.session.actions.is_enabled("write_card.reset_pin")
            await other.approvals_approve(approval_id)
            async with lying(client, page, "card-of-ARC-T0005"):
                await until(lambda: page.session.actions.is_enabled("write_card.reset_pin"), "Reset PIN")
                page.session.actions.trigger("write_card.reset_pin")
                await until(lambda: page.view.then.pin.mark.word == "Waits", "the new PIN")
                page.mailer.save(tmp_path / "second.pdf")
                await until(lambda: page.view.then.pin.mark.word == "Given out", "the second mailer")
            assert (tmp_path / "second.pdf").read_bytes().startswith(b"%PDF-")
            await until(lambda: view.chosen is not None and view.chosen.state == "USED", "the used approval")
            assert not page.session.actions.is_enabled("write_card.reset_pin")

    run(work())


@pytest.mark.qt_log_ignore("does not support raise", "does not support grabbing the keyboard", extend=True)
def test_a_card_is_issued_anew_when_another_key_agrees(
    page: WriteCardPresenter, connect: Connect, run: Run, training_service: Service
) -> None:
    """Another person's card is refused until then; afterwards Write makes it theirs."""

    async def work() -> None:
        async with connect(page) as client, another_key(training_service) as other:
            await ready(page)
            await opened(page, client, "ARC-T0006")
            async with lying(client, page, "card-of-ARC-T0006"):
                page.view.person.choose(Choice("ARC-T0045", "ARC-T0045"))
                await until(lambda: page.view.hero.headline.word == "Card of Training Person 06", "the refusal")
                assert not page.session.actions.is_enabled("write_card.write")
                await ask(page, "write_card.ask_reissue", "Moves to another department")
                view = page.view.four_eyes
                assert view.chosen is not None
                await other.approvals_approve(view.chosen.approval_id)
                await until(lambda: page.view.hero.headline.word == "Re-issue approved", "the approval")
                page.session.actions.trigger("write_card.write")
                await until(lambda: page.view.hero.headline.word.startswith("Written and proven"), "the end")
                assert page.state.shown is not None
                assert page.state.shown.node_id == "ARC-T0045"

    run(work())


def test_a_request_of_another_key_is_decided_here(
    page: WriteCardPresenter, connect: Connect, run: Run, training_service: Service
) -> None:
    """Counted at the tab, rejected by one key; what was decided is not decided again."""

    async def work() -> None:
        async with connect(page) as client, another_key(training_service) as other:
            await ready(page)
            provision_id = await opened(page, client, "ARC-T0007")
            asked = await other.approvals_request(
                ApprovalBody(kind="reissue", provision_id=provision_id, reason="By mistake")
            )
            view = page.view.four_eyes
            await until(lambda: view.rows.row_of(asked.approval_id) >= 0, "the request")
            assert page.view.tabs.tabText(4) == "Four eyes (1)"
            assert view.verdict.state is Meaning.WARN
            view.table.selectRow(view.rows.row_of(asked.approval_id))
            assert page.session.actions.is_enabled("write_card.approve")
            page.session.actions.trigger("write_card.reject")
            await until(lambda: view.chosen is not None and view.chosen.state == "REJECTED", "the rejection")
            assert not page.session.actions.is_enabled("write_card.approve")
            assert not page.session.actions.is_enabled("write_card.reject")

    run(work())


def test_a_sovereign_key_is_told_why_it_cannot_ask(
    page: WriteCardPresenter, connect: Connect, run: Run, training_service: Service
) -> None:
    """Nothing is offered that the service would refuse."""

    async def work() -> None:
        async with connect(page) as client:
            page.session.clearance = "sovereign"
            await ready(page)
            await opened(page, client, "ARC-T0007")
            page.session.actions.refresh()
            await until(lambda: "Sovereign" in page.view.four_eyes.words.text(), "the reason")
            assert not page.session.actions.is_enabled("write_card.ask_pin_reset")
            assert not page.session.actions.is_enabled("write_card.ask_reissue")

    run(work())
