"""Two keys at the burn page, against a real training service: a list is asked for, approved by another key, and burned;
a burn is taken back the same way; nobody approves what they asked for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.api.keys_messages import CreateKey
from app.approvals.messages import Approval, ApprovalBody
from app.capabilities.burn.messages import Burn, BurnBody, BurnListQuery, ContainmentBody
from app.console.connection.client import ConsoleClient
from app.console.pages import burn as burn_page
from app.console.pages.burn import BurnPresenter
from app.console.pages.burn.two_keys_view import ListForm, ids_of
from app.console.pages.dashboard.attention_words import attention_rows
from app.console.reason_form import ReasonForm
from app.console.session import WindowSession
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, Service, another_key, on_screen


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> BurnPresenter:
    """The page at the size of the design; holding takes 60 ms."""
    presenter = built(burn_page, session)
    presenter.view.order.hold._hold_ms = presenter.view.two_keys.confirm.hold._hold_ms = 60
    on_screen(presenter, "burn", session, qtbot)
    return presenter


async def asked_list(page: BurnPresenter, text: str) -> Approval:
    """A list is asked for through the form."""
    page.enter({})
    page.session.actions.trigger("burn.ask_list")
    form = page.view.window().findChild(ListForm)
    assert form is not None
    form.nodes.setPlainText(text)
    form.reason.setPlainText("Stolen reader")
    form.save.click()
    await until(lambda: page.view.two_keys.chosen, "the request")
    one = page.view.two_keys.chosen
    assert one is not None
    return one


async def burns(client: ConsoleClient, node_id: str) -> list[Burn]:
    """What the service says was burned."""
    return list((await client.burn_list(query=BurnListQuery(node_id=node_id))).items)


@given(st.text(max_size=60))
def test_any_pasted_text_is_ids_and_words_that_are_none(text: str) -> None:
    """No word is lost, none is taken twice."""
    good, bad = ids_of(text)
    words = set(text.replace(",", " ").replace(";", " ").split())
    assert set(good) | set(bad) == words
    assert not set(good) & set(bad)


def test_a_list_is_burned_by_two_keys(
    page: BurnPresenter, connect: Connect, run: Run, qtbot: Any, training_service: Service
) -> None:
    """Asked here, approved elsewhere, held here: each node has a burn of its own."""

    async def script() -> tuple[list[int], bool, str]:
        async with connect(page) as client, another_key(training_service) as other:
            one = await asked_list(page, "ARC-LIST-1, ARC-LIST-2\nARC-LIST-1")
            before = page.view.two_keys.confirm.isVisible()
            await other.approvals_approve(one.approval_id)
            page.two_keys.read_now()
            confirm = page.view.two_keys.confirm
            await until(confirm.isVisible, "the hold")
            confirm.hold.setFocus()
            qtbot.keyPress(confirm.hold, Qt.Key.Key_Space)
            await until(page.view.two_keys.outcome.text, "the answer")
            made = [len(await burns(client, name)) for name in ("ARC-LIST-1", "ARC-LIST-2")]
            return made, before, page.view.two_keys.outcome.text()

    made, before, said = run(script())
    assert (made, before) == ([1, 1], False)
    assert said.startswith("2 nodes are denied.")


def test_a_list_is_burned_by_typing_how_many(
    page: BurnPresenter, connect: Connect, run: Run, qtbot: Any, training_service: Service
) -> None:
    """Nothing is by hold alone; another number burns nobody."""

    async def script() -> tuple[int, str, int]:
        async with connect(page) as client, another_key(training_service) as other:
            one = await asked_list(page, "ARC-LIST-3 ARC-LIST-4")
            await other.approvals_approve(one.approval_id)
            page.two_keys.read_now()
            typed = page.view.two_keys.confirm.typed
            await until(typed.isVisible, "the field")
            qtbot.keyClicks(typed, "3")
            qtbot.keyClick(typed, Qt.Key.Key_Return)
            said, none = page.view.two_keys.words.text(), len(await burns(client, "ARC-LIST-3"))
            typed.clear()
            qtbot.keyClicks(typed, "2")
            qtbot.keyClick(typed, Qt.Key.Key_Return)
            await until(page.view.two_keys.outcome.text, "the answer")
            return none, said, len(await burns(client, "ARC-LIST-3"))

    assert run(script()) == (0, "That is not 2. Nothing was done.", 1)


def test_what_was_asked_for_here_cannot_be_approved_here(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """Said before the click."""

    async def script() -> tuple[bool, bool, bool]:
        async with connect(page):
            await asked_list(page, "ARC-LIST-5")
            enabled = page.session.actions.is_enabled
            own = "another Citadel key" in page.view.two_keys.words.text()
            return enabled("burn.approve"), enabled("burn.reject"), own

    assert run(script()) == (False, False, True)


def test_ones_own_request_of_another_console_is_known(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """The same key asked at another console: neither approved nor rejected here."""

    async def script() -> tuple[bool, bool]:
        async with connect(page) as client:
            body = ApprovalBody(kind="mass_burn", subjects=["ARC-LIST-6"], reason="elsewhere")
            one = await client.approvals_request(body)
            page.enter({"approval_id": one.approval_id})
            await until(lambda: page.view.two_keys.chosen, "the request")
            assert "Asked for with this key" in page.view.two_keys.words.text()
            enabled = page.session.actions.is_enabled
            return enabled("burn.approve"), enabled("burn.reject")

    assert run(script()) == (False, False)


def test_why_a_key_of_the_same_line_may_not_approve_is_said(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """A key that this console made asks: this one may reject, and is told why it may not approve, and what may."""

    async def script() -> tuple[str, bool, bool, str]:
        async with connect(page) as client:
            made = await client.keys_create(CreateKey(label="minted here", clearance="citadel"))
            minted = ConsoleClient(client.base_url, made.key, lambda _ms: None)
            try:
                body = ApprovalBody(kind="mass_burn", subjects=["ARC-LIST-9"], reason="minted")
                one = await minted.approvals_request(body)
            finally:
                await minted.aclose()
            page.enter({"approval_id": one.approval_id})
            await until(lambda: page.view.two_keys.chosen, "the request")
            enabled = page.session.actions.is_enabled
            return page.view.two_keys.words.text(), enabled("burn.approve"), enabled("burn.reject"), made.kid

    said, approve, reject, kid = run(script())
    assert f"The key that asked, {kid}, comes from this one, which could hold both." in said
    assert "arc-console key create" in said
    assert (approve, reject) == (False, True)


def test_a_request_of_another_key_is_approved_here(
    page: BurnPresenter, connect: Connect, run: Run, training_service: Service
) -> None:
    """The row in Needs you opens it, Alt+A agrees."""

    async def script() -> tuple[str, str]:
        async with connect(page) as client, another_key(training_service) as other:
            body = ApprovalBody(kind="mass_burn", subjects=["ARC-LIST-7"], reason="flood")
            one = await other.approvals_request(body)
            alarms = (await client.gateway_alarms()).items
            (need,) = [
                row for row in attention_rows(alarms, (), (), {}) if row.arguments.get("approval_id") == one.approval_id
            ]
            page.enter(dict(need.arguments))
            await until(lambda: page.view.two_keys.chosen, "the request")
            page.session.actions.trigger("burn.approve")
            await until(page.view.two_keys.confirm.isVisible, "the approval")
            return need.page, (await client.approvals_get(one.approval_id)).state

    assert run(script()) == ("burn", "APPROVED")


def test_words_that_are_no_ids_are_told_at_the_field(page: BurnPresenter, connect: Connect, run: Run) -> None:
    """Nothing is sent."""

    async def script() -> tuple[str, int]:
        async with connect(page) as client:
            page.enter({})
            page.session.actions.trigger("burn.ask_list")
            form = page.view.window().findChild(ListForm)
            assert form is not None
            form.nodes.setPlainText("ARC-LIST-8 !! ??")
            form.reason.setPlainText("typo")
            before = len((await client.approvals_list()).items)
            form.save.click()
            said = form.error("subjects")
            form.reject()
            return said, len((await client.approvals_list()).items) - before

    assert run(script()) == ("No node id: !!, ??.", 0)


def test_those_chosen_in_the_list_of_contained_ones_are_filled_in(
    page: BurnPresenter, connect: Connect, run: Run
) -> None:
    """What the brake holds is burned as a list, by two keys."""

    async def script() -> set[str]:
        async with connect(page) as client:
            made = [
                await client.containments_contain(ContainmentBody(node_id=name, seconds=60, message="flood"))
                for name in ("ARC-T0041", "ARC-T0042")
            ]
            page.enter({})
            page.session.actions.trigger("burn.show_contained")
            await until(lambda: len(page.contained.rows) == len(made), "the list")
            page.view.contained.table.selectAll()
            page.session.actions.trigger("burn.ask_list")
            form = page.view.window().findChild(ListForm)
            assert form is not None
            good, _ = ids_of(form.nodes.toPlainText())
            assert form.reason.toPlainText() == "flood"
            form.reject()
            for one in made:
                await client.containments_release(one.containment_id)
            return set(good)

    assert run(script()) == {"ARC-T0041", "ARC-T0042"}


def test_a_burn_is_taken_back_by_two_keys(
    page: BurnPresenter, connect: Connect, run: Run, qtbot: Any, training_service: Service
) -> None:
    """Asked for at its board, approved elsewhere, confirmed by its node id; the node can then be burned anew."""

    async def script() -> tuple[bool, str, bool]:
        async with connect(page) as client, another_key(training_service) as other:
            made = await client.burn_execute(
                BurnBody(node_id="ARC-T0043", scope="GLOBAL_REVOCATION", reason="the wrong one")
            )
            page.enter({"burn_id": made.burn_id})
            await until(lambda: page.session.actions.trigger("burn.ask_lift"), "the board")
            form = page.view.window().findChild(ReasonForm)
            assert form is not None
            form.reason.setPlainText("The wrong person")
            form.save.click()
            await until(lambda: page.view.two_keys.chosen, "the request")
            one = page.view.two_keys.chosen
            assert one is not None
            await other.approvals_approve(one.approval_id)
            page.two_keys.read_now()
            typed = page.view.two_keys.confirm.typed
            await until(typed.isVisible, "the field")
            qtbot.keyClicks(typed, "ARC-T0043")
            qtbot.keyClick(typed, Qt.Key.Key_Return)
            await until(lambda: page.board.burn is not None and page.board.burn.lifted_at, "the lifted burn")
            page.view.order.reason.setText("again")
            await until(page.view.order.hold.isEnabled, "the order")
            page.repaint()
            lifted = (await client.burn_get(made.burn_id)).lifted_at is not None
            page.session.actions.trigger("burn.history")
            await until(lambda: page.view.history.rows.row_of(made.burn_id) >= 0, "the row")
            await until(
                lambda: page.view.history.rows.rows[page.view.history.rows.row_of(made.burn_id)].lifted_at, "lifted"
            )
            row = page.view.history.rows.row_of(made.burn_id)
            return lifted, str(page.view.history.rows.index(row, 3).data()), QApplication.activeModalWidget() is None

    assert run(script()) == (True, "Lifted", True)
