"""The first steps of a new site, against a real training service."""

from __future__ import annotations

from typing import Any

import pytest

from app.capabilities.burn.messages import BurnBody
from app.capabilities.provisioning.messages import ProvisionBody
from app.console.actions import Action
from app.console.failures import NothingRead
from app.console.pages import dashboard
from app.console.pages.dashboard.presenter import DashboardPresenter
from app.console.preferences import PreferenceStore
from app.console.session import WindowSession
from app.registry.messages.directories import DirectoryBody
from app.training.cards import READERS
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, on_screen

OFFLINE_DIRECTORY = DirectoryBody(kind="webhook", url="https://127.0.0.1:9/hook", display_name="Own", secret="s" * 32)


@pytest.fixture
def new_preferences(preferences: PreferenceStore) -> PreferenceStore:
    """Of somebody who sees the site for the first time."""
    preferences.set(first_steps="")
    return preferences


@pytest.fixture
def page(session: WindowSession, new_preferences: PreferenceStore, qtbot: Any) -> DashboardPresenter:
    del new_preferences
    presenter = built(dashboard, session)
    assert isinstance(presenter, DashboardPresenter)
    on_screen(presenter, "dashboard", session, qtbot)
    return presenter


def said(page: DashboardPresenter) -> dict[str, tuple[str, str]]:
    """State and sentence of each step, by its key."""
    return {card.step.key: (card.mark.word, card.result.text()) for card in page.view.welcome.cards}


def test_a_new_training_site_shows_its_steps(page: DashboardPresenter, connect: Connect, run: Run) -> None:
    """The cards, and the directory, that the site brings along tick nothing."""

    async def work() -> None:
        async with connect(page):
            page.enter({})
            await until(lambda: page.view.welcomes, "the steps")
            assert {key: word for key, (word, _) in said(page).items()} == dict.fromkeys(
                ("burn", "card", "directory"), "Open"
            )
            assert page.view.welcome.count.word == "0 of 3 done"

    run(work())


def framed(page: DashboardPresenter) -> list[str]:
    """Keys of the steps that are framed as the next one."""
    return [card.step.key for card in page.view.welcome.cards if card.property("look") == "chosen"]


def test_the_step_that_comes_next_is_framed(page: DashboardPresenter) -> None:
    """The first that is open to the operator: one that is done is behind them, one of another role is not theirs."""
    view = page.view.welcome
    for card in view.cards:
        card.button.setEnabled(True)
    nobody = dict.fromkeys(("burn", "card", "directory"), "")
    seen = []
    for done in ({}, {"burn": "Burned"}, dict.fromkeys(nobody, "Done")):
        view.show_results(done, nobody)
        seen.append(framed(page))
    view.cards[0].button.setEnabled(False)
    view.show_results({}, nobody)
    assert [*seen, framed(page)] == [["burn"], ["card"], [], ["card"]]


def test_a_real_site_has_steps_of_its_own(
    session: WindowSession, new_preferences: PreferenceStore, connect: Connect, run: Run, qtbot: Any
) -> None:
    """Its readers answer; it has one administrator, who is no second one."""
    del new_preferences
    session.profile = "production"
    page = built(dashboard, session)
    assert isinstance(page, DashboardPresenter)
    on_screen(page, "dashboard", session, qtbot)

    async def work() -> None:
        async with connect(page):
            page.enter({})
            await until(lambda: page.view.welcomes, "the steps")
            await until(lambda: said(page)["readers"] == ("Done", "104 of 104 readers online"), "the readers")
            assert said(page)["operators"] == ("Open", "")

    run(work())


def test_the_desk_is_one_key_away_and_stays(
    page: DashboardPresenter, connect: Connect, run: Run, new_preferences: PreferenceStore
) -> None:
    """Skipped: the choice is kept, and the palette brings the steps back."""

    async def work() -> None:
        async with connect(page):
            page.enter({})
            await until(lambda: page.view.welcomes, "the steps")
            assert page.session.actions.trigger("dashboard.desk")
            assert not page.view.welcomes
            assert new_preferences.value.first_steps == "skipped"
            assert page.session.actions.trigger("dashboard.steps")
            assert page.view.welcomes
            assert new_preferences.value.first_steps == "shown"

    run(work())


def test_the_first_step_opens_the_burn_of_somebody_with_a_card(
    page: DashboardPresenter, connect: Connect, run: Run
) -> None:
    """It burns nobody by itself."""
    opened: list[tuple[str, dict[str, str]]] = []

    async def work() -> None:
        async with connect(page) as client:
            page.session.actions.add([Action("page.burn", "Burn", lambda: None)])
            page.session.set_navigator(lambda to, arguments: opened.append((to, dict(arguments))))
            page.enter({})
            await until(lambda: page.view.welcomes, "the steps")
            assert page.session.actions.trigger("dashboard.first_burn")
            await until(lambda: opened, "the page")
            ((to, arguments),) = opened
            assert (to, (await client.burn_list()).items) == ("burn", [])
            cards = await client.provisioning_list_provisions()
            assert arguments["node_id"] in {one.node_id for one in cards.items}

    run(work())


def test_what_was_done_is_ticked_and_the_last_step_brings_the_desk(
    page: DashboardPresenter, connect: Connect, run: Run
) -> None:
    """By what the service knows: a burn, a directory, and a card that a key of this site wrote. Then nothing is asked
    any more."""

    async def work() -> None:
        async with connect(page) as client:
            page.enter({})
            await until(lambda: page.view.welcomes, "the steps")
            await client.burn_execute(BurnBody(node_id="ARC-T0003", scope="LOCAL_ONLY", reason="first step"))
            await client.registry_put_directory("own-directory", OFFLINE_DIRECTORY)
            page.welcome.read_now()
            await until(lambda: page.view.welcome.count.word == "2 of 3 done", "two steps")
            words = said(page)
            assert words["burn"][0] == "Done"
            assert words["burn"][1].startswith("ARC-T0003: ")
            assert words["directory"] == ("Done", "Own registered")
            assert words["card"][0] == "Open"
            assert page.view.welcomes
            order = ProvisionBody(node_id="ARC-T0004", hardware_uid=f"reader:{READERS[0]}", fips_standard="FIPS 201-3")
            written = await client.provisioning_provision(order)
            assert written.state == "COMPLETE"
            page.welcome.read_now()
            await until(lambda: not page.view.welcomes, "the desk")
            assert page.session.preferences.value.first_steps == ""
            with pytest.raises(NothingRead):
                await page.welcome.read()

    run(work())
