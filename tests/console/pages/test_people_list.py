"""Everybody at the page People against a real training service: found, added, changed, deleted, opened."""

from __future__ import annotations

from typing import Any

import pytest

from app.capabilities.burn.messages import BurnBody
from app.console.pages.people import make
from app.console.pages.people.everybody import Everybody
from app.console.pages.people.person_form import PersonForm, made_node_id
from app.console.pages.people.presenter import PeoplePresenter
from app.console.session import WindowSession
from app.console.widgets.confirm import ConfirmDialog
from app.registry.messages.nodes import DirectoryAccount, NodeBody
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, dialog_of, on_screen

NEW, BURNED = "ARC-PEOPLE-1", "ARC-PEOPLE-2"
TRAINING = "training-directory"


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> PeoplePresenter:
    """The page at the size of the design, its actions in the table."""
    presenter = make(session)
    on_screen(presenter, "people", session, qtbot)
    return presenter


def test_a_person_is_added_changed_and_deleted(page: PeoplePresenter, connect: Connect, run: Run) -> None:
    """Through the forms alone; what the form does not show is kept."""

    async def work() -> None:
        async with connect(page) as client:
            page.enter({})
            await until(lambda: page.everybody.view.rows.rows, "the list")
            page.session.actions.trigger("people.new")
            form: PersonForm = await dialog_of(page, PersonForm)
            form.name.setText("Training Person 99")
            form.node_id.setText(NEW)
            form.save.click()
            await until(lambda: page.everybody.view.rows.row_of(NEW) >= 0, "the new row")
            accounts = [DirectoryAccount(directory_id="ldap", account="tp99")]
            before = NodeBody(display_name="Training Person 99", directory_accounts=accounts, tags=["night"])
            await client.registry_put_node(NEW, before)
            try:
                page.session.actions.trigger("people.change")
                await until(lambda: [f for f in page.view.window().findChildren(PersonForm) if f is not form], "form")
                form = page.view.window().findChildren(PersonForm)[-1]
                form.employee_id.setText("E-99")
                form.drill.setChecked(True)
                form.save.click()
                await until(lambda: _employee(page, NEW) == "E-99", "the change")
                node = await client.registry_get_node(NEW)
                assert (node.directory_accounts, node.tags) == (accounts, ["night", "drill"])
                page.session.actions.trigger("people.delete")
                dialog: ConfirmDialog = await dialog_of(page, ConfirmDialog)
                dialog.accept()
                await until(lambda: page.everybody.view.rows.row_of(NEW) < 0, "the row leaves")
            except BaseException:
                await client.registry_delete_node(NEW)
                raise

    run(work())


def _employee(page: PeoplePresenter, node_id: str) -> str | None:
    rows = page.everybody.view.rows
    return rows.rows[rows.row_of(node_id)].employee_id if rows.row_of(node_id) >= 0 else None


def test_adding_never_overwrites_somebody(page: PeoplePresenter, connect: Connect, run: Run) -> None:
    """An id that is taken is told at its field with the name of whose it is."""

    async def work() -> None:
        async with connect(page) as client:
            before = await client.registry_get_node("ARC-T0001")
            page.enter({})
            page.session.actions.trigger("people.new")
            form: PersonForm = await dialog_of(page, PersonForm)
            form.name.setText("Somebody else")
            form.node_id.setText("ARC-T0001")
            form.save.click()
            await until(lambda: form.error("id"), "the error at the field")
            assert form.error("id") == f"{before.display_name} has this id already."
            assert (await client.registry_get_node("ARC-T0001")).display_name == before.display_name
            form.reject()

    run(work())


def test_what_the_service_refuses_of_a_person_is_told_at_the_field(
    page: PeoplePresenter, connect: Connect, run: Run
) -> None:
    """An address that is none, in words that people use."""

    async def work() -> None:
        async with connect(page):
            page.enter({})
            page.session.actions.trigger("people.new")
            form: PersonForm = await dialog_of(page, PersonForm)
            form.name.setText("Somebody")
            form.email.setText("nowhere")
            form.save.click()
            await until(lambda: form.error("email"), "the error at the field")
            assert form.error("email") == "An address such as name@example.org."
            form.reject()

    run(work())


def test_who_holds_a_card_is_not_deleted(page: PeoplePresenter, connect: Connect, run: Run) -> None:
    """The refusal stands at the head of the page with what to do first."""

    async def work() -> None:
        async with connect(page):
            page.everybody._wanted = "ARC-T0002"
            page.enter({})
            await until(lambda: page.session.actions.is_enabled("people.delete"), "a chosen person")
            page.session.actions.trigger("people.delete")
            dialog: ConfirmDialog = await dialog_of(page, ConfirmDialog)
            dialog.accept()
            await until(lambda: page.view.banner.text, "the refusal")
            assert "first" in page.view.banner.text
            assert page.everybody.view.rows.row_of("ARC-T0002") >= 0

    run(work())


def test_people_come_page_by_page_and_are_searched(page: PeoplePresenter, connect: Connect, run: Run) -> None:
    """Going down brings more; a search narrows; a search without a hit says so."""
    page.everybody._people._page = 20

    async def work() -> None:
        async with connect(page):
            page.enter({})
            await until(lambda: page.everybody.view.rows.rows, "the list")
            people = page.everybody.view
            first = len(people.rows.rows)
            people.table.selectRow(first - 1)
            await until(lambda: len(people.rows.rows) > first, "more people")
            people.filter.setText("T0007")
            await until(lambda: [node.node_id for node in people.rows.rows] == ["ARC-T0007"], "the one found")
            people.filter.setText("nobody is called so")
            await until(lambda: people.stack.currentWidget() is people.none_found, "nobody found")

    run(work())


def test_a_person_gets_an_account(page: PeoplePresenter, connect: Connect, run: Run) -> None:
    """One a line. A directory that is not registered, an account without a name and one that is there twice are told;
    an account of before in a directory that is gone stays."""

    async def work() -> None:
        async with connect(page) as client:
            gone = DirectoryAccount(directory_id="gone", account="tp 98")
            await client.registry_put_node("ARC-ACCOUNTS", NodeBody(display_name="T", directory_accounts=[gone]))
            page.everybody._wanted = "ARC-ACCOUNTS"
            page.enter({})
            await until(lambda: page.session.actions.is_enabled("people.change"), "the person")
            page.session.actions.trigger("people.change")
            form: PersonForm = await dialog_of(page, PersonForm)
            before = form.accounts.toPlainText()
            assert before == "gone tp 98"
            for text, said in (
                ("shopp T-1", f"No directory shopp is registered. There are: {TRAINING}."),
                (TRAINING, "name the account after a space"),
                (f"{TRAINING} T-0039\n{TRAINING} T-0039", "twice"),
            ):
                form.accounts.setPlainText(text)
                form.save.click()
                assert said in form.error("directory_accounts")
            form.accounts.setPlainText(f"{before}\n\n{TRAINING} T-0039")
            form.save.click()
            await until(lambda: not page.view.window().findChildren(PersonForm), "the save")
            node = await client.registry_get_node("ARC-ACCOUNTS")
            assert node.directory_accounts == [gone, DirectoryAccount(directory_id=TRAINING, account="T-0039")]
            await client.registry_delete_node("ARC-ACCOUNTS")

    run(work())


def test_a_made_id_has_crockford_s_check_symbol() -> None:
    """The number modulo 37; an id whose symbol would be no letter or digit is not made."""
    assert made_node_id(0) == "ARC-0000000000"
    assert made_node_id(32 * 37 + 5) == "ARC-0000001555"
    assert made_node_id(33) == made_node_id(36) == "ARC-000000014U"


def test_a_burn_elsewhere_is_shown_when_it_happens(
    session: WindowSession, connect: Connect, run: Run, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not at the next reading: until then the list would call a burned person verified."""
    monkeypatch.setattr(Everybody, "every_s", 600.0)
    page = make(session)
    on_screen(page, "people", session, qtbot)

    async def work() -> None:
        async with connect(page) as client:
            await client.registry_put_node(BURNED, NodeBody(display_name="Training Person 98"))
            page.enter({})
            await until(lambda: page.everybody.view.rows.row_of(BURNED) >= 0, "the list")
            await until(lambda: not session.live.stale, "the stream")
            await client.burn_execute(BurnBody(node_id=BURNED, scope="GLOBAL_REVOCATION", reason="A test of the list."))
            await until(lambda: _standing(page, BURNED) == "REVOKED", "the burn")

    run(work())


def _standing(page: PeoplePresenter, node_id: str) -> str | None:
    rows = page.everybody.view.rows
    return rows.rows[rows.row_of(node_id)].standing if rows.row_of(node_id) >= 0 else None
