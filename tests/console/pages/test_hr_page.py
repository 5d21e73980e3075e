"""The HR page against a real training service: sources, signed calls, the brake, the roster."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from app.capabilities.lifecycle.messages import Employment, HrCall, HrReply, RosterBody
from app.console.connection.client import ConsoleClient
from app.console.pages.hr import make
from app.console.pages.hr.forms import CloseForm, NextSecretForm, SecretForm, SourceForm
from app.console.pages.hr.presenter import HrPresenter
from app.console.pages.hr.signing import SCHEMES, TEST, new_secret, signed_fields
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.confirm import ConfirmDialog
from app.console.widgets.secret import SecretDialog
from app.registry.messages.hr_sources import HrScheme, HrSourceBody
from app.registry.messages.nodes import NodeBody
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, Service, dialog_of, on_screen


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> HrPresenter:
    """The page at the size of the design, its actions in the table."""
    presenter = make(session)
    on_screen(presenter, "hr", session, qtbot)
    return presenter


@asynccontextmanager
async def opened(page: HrPresenter, connect: Connect, **arguments: str) -> AsyncIterator[ConsoleClient]:
    """The page after its first reading."""
    async with connect(page) as client:
        page.enter(arguments)
        await until(lambda: page.inbox.fresh.since is not None and page.view.inbox.standing.word, "the first reading")
        yield client


async def a_source(client: ConsoleClient, limit: int = 10) -> tuple[str, str]:
    """A source of the test: its id and its secret."""
    source_id, secret = f"hr-{secrets.token_hex(4)}", new_secret("standard-webhooks")
    body = HrSourceBody(scheme="standard-webhooks", secret=secret, max_discharges_per_minute=limit)
    await client.registry_put_hr_source(source_id, body)
    return source_id, secret


async def called(page: HrPresenter, client: ConsoleClient, source: tuple[str, str], employee_id: str) -> HrReply:
    """A signed discharge."""
    body = HrCall(event="EMPLOYEE_DISCHARGE", employee_id=employee_id)
    at_s = int(page.session.live.now())
    call_id = f"msg_{secrets.token_hex(8)}"
    fields = signed_fields("standard-webhooks", source[1], msgspec.json.encode(body), call_id, at_s)
    return await client.hr_sync_signed(source[0], body, fields)


async def a_person(client: ConsoleClient, number: int) -> tuple[str, str]:
    """A person of the test: node and employee id."""
    node_id, employee_id = f"ARC-HR-{secrets.token_hex(4).upper()}", f"E-{secrets.token_hex(4)}"
    body = NodeBody(display_name=f"Training Person HR {number}", employee_id=employee_id)
    await client.registry_put_node(node_id, body)
    return node_id, employee_id


async def chosen(page: HrPresenter, event_id: str) -> None:
    """The page with the cursor on that event."""
    await until(lambda: page.view.inbox.rows.row_of(event_id) >= 0, "the event in the inbox")
    page.view.inbox.table.selectRow(page.view.inbox.rows.row_of(event_id))
    assert page.inbox.event is not None
    assert page.inbox.event.event_id == event_id


def told(page: HrPresenter) -> list[str]:
    """What the toasts say from now on."""
    said: list[str] = []
    page.session.toast.connect(lambda text, _kind, _reference: said.append(text))
    return said


def test_the_empty_page_teaches_the_first_source(page: HrPresenter, connect: Connect, run: Run) -> None:
    """Each section says what is missing; the next step is a button with its key."""

    async def work() -> None:
        async with opened(page, connect):
            view = page.view
            assert view.inbox.stack.currentWidget() is view.inbox.empty
            assert view.sources.stack.currentWidget() is view.sources.no_source
            assert view.roster.stack.currentWidget() is view.roster.no_roster
            assert page.session.actions.is_enabled("hr.source_new")
            assert page.session.actions.answers("Ctrl+N"), "the empty inbox offers this key"
            for name in ("close", "release", "release_all", "burn", "open", "source_test", "source_rotate"):
                assert not page.session.actions.is_enabled(f"hr.{name}")

    run(work())


def test_unsigned_calls_stand_as_refused(
    page: HrPresenter, connect: Connect, run: Run, training_service: Service
) -> None:
    """Nothing is kept of them but that they came, and why they were not believed. (The first refusal of a minute is
    written at once: this one comes before the others of the file.)"""

    async def work() -> None:
        async with opened(page, connect):
            async with httpx.AsyncClient(trust_env=False) as http:
                content = msgspec.json.encode(TEST)
                headers = {"Content-Type": "application/json"}
                url = f"{training_service.base_url}/webhooks/hr-sync"
                assert (await http.post(url, content=content, headers=headers)).status_code == 401

            def refused() -> bool:
                page.inbox.read_now()
                return any(row.signature[1] == "Unsigned" for row in page.view.inbox.rows.rows)

            await until(refused, "the refusal")

    run(work())


def test_a_source_is_added_by_keys_and_a_signed_test_stands_in_the_inbox(
    page: HrPresenter, connect: Connect, run: Run
) -> None:
    """Ctrl+N, an id, Enter: the made secret is shown once. Pasted into the test's form, it goes the whole way."""

    async def work() -> None:
        async with opened(page, connect) as client:
            said = told(page)
            page.session.actions.trigger("hr.source_new")
            form: SourceForm = await dialog_of(page, SourceForm)
            QTest.keyClicks(form.source_id, "head-office")
            QTest.keyClick(form.source_id, Qt.Key.Key_Return)
            shown: SecretDialog = await dialog_of(page, SecretDialog)
            secret = shown.fields[0].text()
            assert secret.startswith("whsec_")
            shown.copies[0].click()
            assert QGuiApplication.clipboard().text() == secret
            shown.accept()
            await until(
                lambda: page.view.sources.source and page.view.sources.source.hr_source_id == "head-office", "the row"
            )
            assert secret not in (await client.registry_get_hr_source("head-office")).__repr__()
            page.session.set_navigator(lambda _page, arguments: page.enter(arguments))
            page.session.actions.trigger("hr.source_test")
            test: SecretForm = await dialog_of(page, SecretForm)
            QTest.keyClick(test.secret, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
            QTest.keyClick(test.secret, Qt.Key.Key_Return)
            await until(lambda: any("received and verified" in one for one in said), "the verdict")
            await until(lambda: page.inbox.event and page.inbox.event.event == TEST.event, "the test in the inbox")
            row = page.inbox.row
            assert row is not None
            assert (row.signature, row.action) == ((Meaning.OK, "Signed"), (Meaning.OK, "Test, verified"))

    run(work())


@pytest.mark.parametrize("scheme", [scheme for scheme, _ in SCHEMES])
def test_every_scheme_s_signature_is_taken(page: HrPresenter, connect: Connect, run: Run, scheme: HrScheme) -> None:
    """What the console signs with a secret that it made, the service's own judge believes."""

    async def work() -> None:
        async with opened(page, connect) as client:
            source_id, secret = f"scheme-{scheme}", new_secret(scheme)
            await client.registry_put_hr_source(source_id, HrSourceBody(scheme=scheme, secret=secret))
            at_s = int(page.session.live.now())
            fields = signed_fields(scheme, secret, msgspec.json.encode(TEST), "msg_1", at_s)
            assert (await client.hr_sync_signed(source_id, TEST, fields)).action == "ignored"

    run(work())


def test_bad_input_is_told_at_its_field(page: HrPresenter, connect: Connect, run: Run) -> None:
    """An id that is taken, a brake that is no number, a secret that is none: nothing is changed by any of them."""

    async def work() -> None:
        async with opened(page, connect) as client:
            source_id, secret = await a_source(client)
            before = await client.registry_get_hr_source(source_id)
            page.session.actions.trigger("hr.source_new")
            form: SourceForm = await dialog_of(page, SourceForm)
            form.limit.setText("many")
            form.save.click()
            assert form.error("id")
            assert form.error("max_discharges_per_minute") == "A number from 1 to 1000."
            form.limit.setText("3")
            form.source_id.setText(source_id)
            form.save.click()
            await until(lambda: form.error("id") == "A source of this id is there already.", "the duplicate")
            form.source_id.setText("not an id")
            form.save.click()
            await until(lambda: form.banner.text or "letters" in form.error("id"), "the refusal of the id")
            form.source_id.setText(f"{source_id}-2")
            form.secret.setText("not base64, and far too long to be so!")
            form.save.click()
            await until(lambda: "24 to 64 bytes" in form.error("secret"), "the refusal of the secret")
            form.secret.setText(secret)
            form.save.click()
            await until(lambda: "Another source signs" in form.error("secret"), "the secret of another")
            form.reject()
            assert await client.registry_get_hr_source(source_id) == before

    run(work())


def test_a_wrong_secret_fails_the_test_at_its_field(page: HrPresenter, connect: Connect, run: Run) -> None:
    """The service refuses it, or it is none at all: the form stays and can be tried again."""

    async def work() -> None:
        async with opened(page, connect, section="sources") as client:
            source_id, _ = await a_source(client)
            await source_under_cursor(page, source_id)
            page.session.actions.trigger("hr.source_test")
            form: SecretForm = await dialog_of(page, SecretForm)
            for secret in (new_secret("standard-webhooks"), "whsec_é"):
                form.secret.setText(secret)
                form.save.click()
                await until(lambda: "another secret" in form.error("secret"), "the refusal")
                assert form.save.isEnabled()
            form.reject()

    run(work())


async def source_under_cursor(page: HrPresenter, source_id: str) -> None:
    """The sources tab with the cursor on that source."""
    page.sources.read_now()
    await until(lambda: page.view.sources.rows.row_of(source_id) >= 0, "the source")
    page.view.sources.table.selectRow(page.view.sources.rows.row_of(source_id))


def test_a_rotation_loses_no_call(page: HrPresenter, connect: Connect, run: Run) -> None:
    """Both secrets are taken until the new one is given again; the old one given by mistake ends nothing."""

    async def work() -> None:
        async with opened(page, connect, section="sources") as client:
            source_id, old = await a_source(client)
            await source_under_cursor(page, source_id)
            page.session.actions.trigger("hr.source_rotate")
            form: NextSecretForm = await dialog_of(page, NextSecretForm)
            form.save.click()
            shown: SecretDialog = await dialog_of(page, SecretDialog)
            new = shown.fields[0].text()
            shown.accept()
            await source_under_cursor(page, source_id)
            await until(lambda: page.session.actions.is_enabled("hr.source_finish"), "the rotation")
            for secret in (old, new):
                assert (await called(page, client, (source_id, secret), "E-none")).received
            page.session.actions.trigger("hr.source_finish")
            finish: SecretForm = await dialog_of(page, SecretForm)
            finish.secret.setText(old)
            finish.save.click()
            await until(lambda: "in use until now" in finish.error("secret"), "the old one is refused")
            assert (await client.registry_get_hr_source(source_id)).next_secret.set
            finish.secret.setText(new)
            finish.save.click()
            await until(lambda: not page.session.actions.is_enabled("hr.source_finish"), "the end of the rotation")
            assert (await called(page, client, (source_id, new), "E-none")).received
            with pytest.raises(Exception, match="unauthenticated"):
                await called(page, client, (source_id, old), "E-none")

    run(work())


def test_an_unknown_employee_waits_until_it_is_decided(page: HrPresenter, connect: Connect, run: Run) -> None:
    """The row says why; with a reason it is closed, by Ctrl+Return and Enter, and its alarm ends."""

    async def work() -> None:
        async with opened(page, connect) as client:
            source = await a_source(client)
            reply = await called(page, client, source, "E-nobody-here")
            await chosen(page, reply.event_id)
            row = page.inbox.row
            assert row is not None
            assert (row.action[1], row.why) == ("Waits for you", "Unknown employee")
            assert page.view.inbox.why.text().startswith("No node is registered")
            assert reply.event_id in {alarm.ref for alarm in (await client.gateway_alarms()).items}
            page.session.actions.trigger("hr.close")
            form: CloseForm = await dialog_of(page, CloseForm)
            form.save.click()
            assert form.error("reason")
            QTest.keyClicks(form.reason, "Not one of ours, HR says")
            QTest.keyClick(form.reason, Qt.Key.Key_Return)
            await until(lambda: page.inbox.row and page.inbox.row.action[1] == "Decided", "the decision")
            assert "Not one of ours" in page.view.inbox.facts.values["decided"].text().replace("\u200b", "")
            assert reply.event_id not in {alarm.ref for alarm in (await client.gateway_alarms()).items}

    run(work())


def test_a_discharge_is_shown_with_its_burn(page: HrPresenter, connect: Connect, run: Run) -> None:
    """The stream tells of it; its burn is one key away."""

    async def work() -> None:
        async with opened(page, connect) as client:
            node_id, employee_id = await a_person(client, 1)
            reply = await called(page, client, await a_source(client), employee_id)
            await chosen(page, reply.event_id)
            await until(lambda: page.view.inbox.done.rows, "what was done")
            assert [(one.node_id, one.measure, one.ref) for one in page.view.inbox.done.rows] == [
                (node_id, "burn", reply.burn_id)
            ]
            went: list[tuple[str, dict[str, str]]] = []
            page.session.set_navigator(lambda name, arguments: went.append((name, arguments)))
            for action in ("hr.open", "hr.person", "hr.audit"):
                assert page.session.actions.trigger(action)
            assert went == [
                ("burn", {"burn_id": reply.burn_id}),
                ("people", {"text": employee_id}),
                ("audit", {"text": reply.event_id}),
            ]

    run(work())


def test_what_the_brake_holds_is_released_or_burned(page: HrPresenter, connect: Connect, run: Run) -> None:
    """Above the limit the nodes are held: one goes to the burn page filled in, the others are released, and all the
    source's events are closed with one reason."""

    async def work() -> None:
        async with opened(page, connect) as client:
            source = await a_source(client, limit=1)
            people = [await a_person(client, number) for number in range(3)]
            replies = [await called(page, client, source, employee_id) for _, employee_id in people]
            assert [reply.reason for reply in replies] == [None, "contained", "contained"]
            await until(lambda: len(page.view.inbox.held_rows.rows) == 2, "the held ones")
            assert page.view.inbox.standing.word.endswith("2 held")
            went: list[tuple[str, dict[str, str]]] = []
            page.session.set_navigator(lambda name, arguments: went.append((name, arguments)))
            held = page.view.inbox.held
            assert held is not None
            page.session.actions.trigger("hr.burn")
            assert went == [("burn", {"node_id": held.node_id})]
            page.session.actions.trigger("hr.release")
            dialog: ConfirmDialog = await dialog_of(page, ConfirmDialog)
            assert len(page.view.inbox.held_rows.rows) == 2
            dialog.accept()
            await until(lambda: len(page.view.inbox.held_rows.rows) == 1, "the release")
            assert (await client.registry_get_node(held.node_id)).standing == "UNVERIFIED"
            page.session.actions.trigger("hr.release_all")
            (await dialog_of(page, ConfirmDialog)).accept()
            await until(lambda: not page.view.inbox.held_rows.rows, "all released")
            await chosen(page, replies[1].event_id)
            await until(lambda: "close it" in page.view.inbox.why.text(), "what is left to do")
            page.session.actions.trigger("hr.close")
            form: CloseForm = await dialog_of(page, CloseForm)
            form.all.click()
            form.reason.setText("A test of HR")
            form.save.click()
            await until(lambda: not any(r.waits and r.source == source[0] for r in page.view.inbox.rows.rows), "closed")
            assert not [a for a in (await client.gateway_alarms()).items if a.ref == source[0]]

    run(work())


def test_only_what_waits_is_shown_by_one_key(page: HrPresenter, connect: Connect, run: Run) -> None:
    """Ignored and refused calls leave, and come back."""

    async def work() -> None:
        async with opened(page, connect) as client:
            reply = await called(page, client, await a_source(client), "E-waits")
            await chosen(page, reply.event_id)
            before = len(page.view.inbox.rows.rows)
            page.session.actions.trigger("hr.waiting")
            await until(
                lambda: page.view.inbox.rows.rows and all(row.waits for row in page.view.inbox.rows.rows), "what waits"
            )
            page.session.actions.trigger("hr.waiting")
            await until(lambda: len(page.view.inbox.rows.rows) >= before, "everything")

    run(work())


def test_the_roster_s_differences_go_to_a_person(page: HrPresenter, connect: Connect, run: Run) -> None:
    """Who is not employed is listed; the burn page opens filled in, and nothing is burned."""

    async def work() -> None:
        async with opened(page, connect, section="roster") as client:
            node_id, employee_id = await a_person(client, 9)
            await client.rosters_post(RosterBody(employees=[Employment(employee_id="E-someone-else")]))
            page.roster.read_now()
            key = f"not_employed {node_id}"
            await until(lambda: page.view.roster.rows.row_of(key) >= 0, "the difference")
            page.view.roster.table.selectRow(page.view.roster.rows.row_of(key))
            went: list[tuple[str, dict[str, str]]] = []
            page.session.set_navigator(lambda name, arguments: went.append((name, arguments)))
            page.session.actions.trigger("hr.difference_burn")
            assert went == [("burn", {"node_id": node_id})]
            assert (await client.registry_get_node(node_id)).standing == "UNVERIFIED"
            await client.rosters_post(RosterBody(employees=[Employment(employee_id=employee_id)]))
            page.roster.read_now()
            await until(lambda: page.view.roster.rows.row_of(key) < 0, "they agree")

    run(work())


def test_a_deleted_source_is_believed_no_longer(page: HrPresenter, connect: Connect, run: Run) -> None:
    """Asked first; its calls are refused from then on."""

    async def work() -> None:
        async with opened(page, connect, section="sources") as client:
            source = await a_source(client)
            await source_under_cursor(page, source[0])
            page.session.actions.trigger("hr.source_delete")
            (await dialog_of(page, ConfirmDialog)).accept()
            await until(lambda: page.view.sources.rows.row_of(source[0]) < 0, "the row leaves")
            with pytest.raises(Exception, match="unauthenticated"):
                await called(page, client, source, "E-none")

    run(work())


def test_a_sovereign_console_is_told_so(page: HrPresenter, connect: Connect, run: Run) -> None:
    """No list, no button that works, one sentence."""

    async def work() -> None:
        async with connect(page):
            page.session.clearance = "sovereign"
            page.enter({})
            await until(lambda: page.view.inbox.stack.currentWidget() is page.view.inbox.closed, "the sentence")
            for name in ("source_new", "source_test", "waiting", "close"):
                assert not page.session.actions.is_enabled(f"hr.{name}")

    run(work())
