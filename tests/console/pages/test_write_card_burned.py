"""Write card after a burn, against a real training service: nothing good is said of a card whose holder is burned."""

from __future__ import annotations

from typing import Any

import pytest

from app.capabilities.burn.messages import BurnBody
from app.capabilities.provisioning.messages import ProvisionListQuery
from app.console.pages import write_card as write_card_page
from app.console.pages.write_card import WriteCardPresenter
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, on_screen

READER = "Training Reader 2"
BURNED = "ARC-T0008"
"""Holds a card from the first start on; it lies in no reader."""


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> WriteCardPresenter:
    """The page at the size of the design, its actions in the table; a test hears what is told, and plays nothing."""
    session.preferences.set(sounds=False)
    presenter = built(write_card_page, session)
    on_screen(presenter, "write_card", session, qtbot)
    return presenter


def row_of(page: WriteCardPresenter, reader: str) -> Any:
    """What the list shows of a reader."""
    return next((row for row in page.view.readers.rows.rows if row.reader == reader), None)


async def ready(page: WriteCardPresenter) -> None:
    """The stream is live, and the first start has laid out its cards."""
    page.enter({})
    await until(lambda: page.session.live.state == "live", "the stream")
    await until(lambda: (row := row_of(page, READER)) is not None and row.word == "Written", "the cards")


def test_a_burn_elsewhere_revokes_the_card_that_is_shown(page: WriteCardPresenter, connect: Connect, run: Run) -> None:
    """The holder is burned by another console: the card says Revoked and what to do, and no step leads on."""

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            found = await client.provisioning_list_provisions(query=ProvisionListQuery(node_id=BURNED))
            page.view.provision_opened.emit(found.items[0].provision_id)
            await until(lambda: page.state.shows(found.items[0].provision_id), "the provisioning")
            await client.burn_execute(BurnBody(node_id=BURNED, scope="LOCAL_ONLY", reason="test"))
            await until(lambda: page.view.outcome.state.word == "Revoked", "the revoked card")
            outcome = page.view.outcome
            assert (outcome.state.state, outcome.standing.state) == (Meaning.CRIT, Meaning.CRIT)
            assert "destroy it" in page.view.then.barred_words.text()
            assert page.view.then.pin.isHidden()
            assert not page.session.actions.is_enabled("write_card.grant")
            assert not page.session.actions.is_enabled("write_card.mailer")

    run(work())


def test_a_burn_elsewhere_shows_in_the_standing_of_the_chosen_person(
    page: WriteCardPresenter, connect: Connect, run: Run
) -> None:
    """No card of theirs lies in a reader: the person is read again all the same, and the hero says it first."""

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            await page.order.fill_person("ARC-T0046")
            await until(lambda: page.state.node is not None, "the person")
            await client.burn_execute(BurnBody(node_id="ARC-T0046", scope="LOCAL_ONLY", reason="test"))
            await until(lambda: page.view.hero.standing.state is Meaning.CRIT, "the standing")
            await until(lambda: page.view.hero.headline.word == "Training Person 46 is burned", "the hero")
            assert not page.session.actions.is_enabled("write_card.write")
            assert page.view.then.doors.why.text() == "No card is written for them."
            assert page.view.then.whose.text() == ""

    run(work())


def test_a_burn_while_the_page_was_away_is_seen_on_entry(page: WriteCardPresenter, connect: Connect, run: Run) -> None:
    """The row of a written card and its grants are read anew when the page is opened again."""

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            holder = next(card.node_id for card in page.state.items if card.reader == READER)
            assert holder is not None
            found = await client.provisioning_list_provisions(query=ProvisionListQuery(node_id=holder))
            page.view.provision_opened.emit(found.items[0].provision_id)
            await until(lambda: page.state.shows(found.items[0].provision_id), "the provisioning")
            page.leave()
            await client.burn_execute(BurnBody(node_id=holder, scope="LOCAL_ONLY", reason="test"))
            page.enter({})
            await until(lambda: row_of(page, READER).word == "Revoked", "the row")
            await until(lambda: page.view.outcome.state.word == "Revoked", "the result")
            page.view.readers.choose(READER)
            assert page.view.outcome.card_mark.state is Meaning.CRIT
            assert page.view.hero.headline.state is Meaning.CRIT

    run(work())
