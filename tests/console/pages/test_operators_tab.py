"""Settings > Operators, against a real training service with its own operators."""

from __future__ import annotations

from typing import Any

import pytest

from app.api.operator_id import draw_operator_id
from app.api.roles import Role
from app.approvals.messages import Approval
from app.console.approvals import STATES
from app.console.connection.client import ConsoleClient
from app.console.desk_state import DeskOperator
from app.console.failures import Failure
from app.console.pages import settings
from app.console.pages.settings import SettingsPresenter
from app.console.pages.settings.key_forms import KeyForm
from app.console.pages.settings.operator_form import OperatorForm, PassphraseForm
from app.console.pages.settings.operators import OperatorsTab, wanted_of
from app.console.pages.settings.operators_view import line_words, what_of
from app.console.pages.settings.second_admin import asks_second
from app.console.reason_form import ReasonForm
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.choice import Choice
from app.console.widgets.confirm import ConfirmDialog
from app.console.widgets.secret import SecretDialog
from app.operators.messages import Operator, OperatorBody
from app.operators.register import subjects_of
from app.training.operators import PASSPHRASE, training_operator_id
from tests.console.built import built
from tests.console.conftest import Run, apart, until
from tests.console.operator_rows import AT, of_operator
from tests.console.pages.conftest import Connect, Service, another_key, dialog_of, on_screen
from tests.operator_desk import SignedInOperator, register_unit, sign_in
from tests.served_site import ServedSite

DESK = training_operator_id("Training desk")
ALEX = "op_00000000000000aa"


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> SettingsPresenter:
    """The page at the size of the design, its actions in the table."""
    presenter = built(settings, session)
    assert isinstance(presenter, SettingsPresenter)
    on_screen(presenter, "settings", session, qtbot)
    return presenter


def tab_of(page: SettingsPresenter) -> OperatorsTab:
    """The tab of operators."""
    tab = page.tabs["operators"]
    assert isinstance(tab, OperatorsTab)
    return tab


async def opened(page: SettingsPresenter, operator_id: str = DESK) -> OperatorsTab:
    """The tab in front, with the cursor on that operator."""
    page.enter({"section": "operators"})
    tab = tab_of(page)
    await until(lambda: tab.view.rows.row_of(operator_id) >= 0, "the operator")
    tab.view.table.selectRow(tab.view.rows.row_of(operator_id))
    return tab


async def made(client: ConsoleClient, name: str, *roles: Role) -> Operator:
    """An operator that this console's key makes."""
    body = OperatorBody(display_name=name, roles=list(roles), methods=["passphrase"])
    return await client.registry_put_operator(draw_operator_id(), body)


async def two_administrators(client: ConsoleClient) -> None:
    """The site has had two, from a test before or from now on."""
    page = await client.registry_list_operators()
    if sum(Role.ADMIN in one.roles for one in page.items) < 2:
        await made(client, "Second administrator", Role.ADMIN)


def signed_in(site: ServedSite, operator_id: str, passphrase: str) -> SignedInOperator:
    """A session elsewhere."""
    return SignedInOperator(site, operator_id, sign_in(site, operator_id, passphrase))


def fill(form: OperatorForm, name: str, *roles: Role) -> None:
    """Type a name and tick the roles."""
    form.name.setText(name)
    for role, box in form.roles.items():
        box.setChecked(role in roles)


# --- list, make, change ----------------------------------------------------------------------------------------------


def test_the_operators_are_listed(page: SettingsPresenter, connect: Connect, run: Run) -> None:
    """With their roles, and who else could sign in as the chosen one."""

    async def work() -> None:
        async with connect(page):
            tab = await opened(page)
            row = tab.view.chosen
            assert row is not None
            assert (row.display_name, row.roles) == ("Training desk", [Role.DESK])
            assert "Nobody else could sign in as this operator" in tab.view.note.text()
            assert page.session.names.of(DESK) == "Training desk"

    run(work())


def test_an_operator_is_made_and_changed(page: SettingsPresenter, connect: Connect, run: Run) -> None:
    """By the form; the cursor stands on the new one, whose line names this console's key."""

    async def work() -> None:
        async with connect(page) as client:
            tab = await opened(page)
            page.session.actions.trigger("settings.operator_new")
            form: OperatorForm = await dialog_of(page, OperatorForm)
            form.save.click()
            assert form.error("display_name")
            assert form.error("roles")
            fill(form, "Robin Vale", Role.DESK)
            form.methods["card"].setChecked(True)
            form.save.click()
            assert form.error("node_id")
            form.person.choose(Choice("ARC-T0003", "Somebody", "ARC-T0003"))
            form.save.click()
            await until(lambda: tab.view.chosen is not None and tab.view.chosen.display_name == "Robin Vale", "the row")
            chosen = tab.view.chosen
            assert chosen is not None
            assert (chosen.node_id, chosen.methods, chosen.line) == (
                "ARC-T0003",
                ["card", "passphrase"],
                ["key_launch"],
            )
            assert page.session.actions.trigger("settings.operator_change")
            change: OperatorForm = await dialog_of(page, OperatorForm)
            assert change.roles[Role.DESK].isChecked()
            change.roles[Role.MANAGER].setChecked(True)
            change.save.click()
            operator_id = chosen.operator_id
            await until(lambda: tab.view.chosen is not None and len(tab.view.chosen.roles) == 2, "the change")
            now = await client.registry_get_operator(operator_id)
            assert (now.roles, now.node_id) == ([Role.DESK, Role.MANAGER], "ARC-T0003")

    run(work())


def test_what_the_service_refuses_is_shown_in_the_form(page: SettingsPresenter, connect: Connect, run: Run) -> None:
    """A person who is not registered, at its field."""

    async def work() -> None:
        async with connect(page):
            await opened(page)
            page.session.actions.trigger("settings.operator_new")
            form: OperatorForm = await dialog_of(page, OperatorForm)
            fill(form, "Nobody's own", Role.DESK)
            form.person.setText("ARC-NOBODY")
            form.save.click()
            await until(lambda: form.error("node_id"), "the refusal")
            assert form.error("node_id") == "No node ARC-NOBODY is registered."
            assert form.save.isEnabled()

    run(work())


def test_an_operator_is_ended(page: SettingsPresenter, connect: Connect, run: Run) -> None:
    """After a question; the row stays."""

    async def work() -> None:
        async with connect(page) as client:
            one = await made(client, "Leaves today", Role.MANAGER)
            tab = await opened(page, one.operator_id)
            await until(lambda: page.session.actions.is_enabled("settings.operator_end"), "the button")
            page.session.actions.trigger("settings.operator_end")
            asked: ConfirmDialog = await dialog_of(page, ConfirmDialog)
            assert (await client.registry_get_operator(one.operator_id)).state == "active"
            asked.accept()
            await until(lambda: tab.view.chosen is not None and tab.view.chosen.state == "ended", "the end")
            assert not page.session.actions.is_enabled("settings.operator_end")

    run(work())


# --- passphrases and sessions ----------------------------------------------------------------------------------------


def test_a_passphrase_is_set(page: SettingsPresenter, connect: Connect, run: Run, training_service: Service) -> None:
    """It opens a session at once, and is neither in the form nor in memory of ours afterwards; a short one, or one
    that was typed otherwise the second time, is not sent."""
    site = training_service.site
    apart(register_unit, site)

    async def work() -> str:
        async with connect(page) as client:
            one = await made(client, "Has a passphrase", Role.MANAGER)
            await opened(page, one.operator_id)
            await until(lambda: page.session.actions.is_enabled("settings.operator_passphrase"), "the button")
            page.session.actions.trigger("settings.operator_passphrase")
            form: PassphraseForm = await dialog_of(page, PassphraseForm)
            left: list[str] = []
            form.finished.connect(lambda _result: left.extend((form.first.text(), form.again.text())))
            form.first.setText("too short")
            form.save.click()
            assert form.error("passphrase")
            form.first.setText("four words of some length")
            form.again.setText("four words of same length")
            form.save.click()
            assert form.error("again")
            form.again.setText("four words of some length")
            form.save.click()
            await until(lambda: left, "the form closes")
            assert left == ["", ""]
            return one.operator_id

    operator_id = run(work())
    assert apart(apart(signed_in, site, operator_id, "four words of some length").is_in)


def test_an_operator_is_signed_out_everywhere(
    page: SettingsPresenter, connect: Connect, run: Run, training_service: Service
) -> None:
    """Both sessions end; the list says how many there were."""
    site = training_service.site
    apart(register_unit, site)
    opened_there = [apart(signed_in, site, DESK, PASSPHRASE) for _ in range(2)]

    async def work() -> None:
        async with connect(page):
            tab = await opened(page)
            await until(lambda: page.session.actions.is_enabled("settings.operator_sign_out"), "the sessions")
            chosen = tab.view.chosen
            assert chosen is not None
            assert (tab.view._state_words(chosen), tab.view._state(chosen)) == ("Signed in 2 times", Meaning.OK)
            page.session.actions.trigger("settings.operator_sign_out")
            await until(lambda: not page.session.actions.is_enabled("settings.operator_sign_out"), "the end")

    run(work())
    assert not any(apart(one.is_in) for one in opened_there)


# --- a second administrator ------------------------------------------------------------------------------------------


def test_a_third_administrator_takes_two(
    page: SettingsPresenter, connect: Connect, run: Run, training_service: Service
) -> None:
    """The refusal leads to a request, the request to another person's approval, the approval to the form, filled in."""

    async def work() -> None:
        async with connect(page) as client, another_key(training_service) as other:
            await two_administrators(client)
            tab = await opened(page)
            page.session.actions.trigger("settings.operator_new")
            form: OperatorForm = await dialog_of(page, OperatorForm)
            fill(form, "Third administrator", Role.ADMIN)
            form.save.click()
            ask: ReasonForm = await dialog_of(page, ReasonForm)
            ask.save.click()
            assert ask.error("reason")
            ask.reason.setPlainText("Night shift")
            ask.save.click()
            await until(lambda: tab.view.chosen_request is not None, "the request")
            request = tab.view.chosen_request
            assert request is not None
            assert (request.kind, request.state, request.reason) == ("operator", "PENDING", "Night shift")
            for name in ("request_approve", "request_reject", "request_use"):
                assert not page.session.actions.is_enabled(f"settings.{name}")
            await other.approvals_approve(request.approval_id)
            tab.read_now()
            await until(lambda: page.session.actions.is_enabled("settings.request_use"), "the approval")
            page.session.actions.trigger("settings.request_use")
            again: OperatorForm = await dialog_of(page, OperatorForm)
            assert again.roles[Role.ADMIN].isChecked()
            again.name.setText("Third administrator")
            again.save.click()
            operator_id = request.subjects[0]
            await until(lambda: tab.view.rows.row_of(operator_id) >= 0, "the operator")
            now = await client.registry_get_operator(operator_id)
            assert (now.display_name, now.roles, now.line) == ("Third administrator", [Role.ADMIN], [])

    run(work())


def test_a_citadel_key_takes_two(
    page: SettingsPresenter, connect: Connect, run: Run, training_service: Service
) -> None:
    """The same way, from the tab of keys to this one and back."""
    session = page.session
    led: list[tuple[str, dict[str, str]]] = []

    def navigate(where: str, arguments: dict[str, str]) -> None:
        led.append((where, arguments))
        page.enter(arguments)

    session.set_navigator(navigate)

    async def work() -> None:
        async with connect(page) as client, another_key(training_service) as other:
            await two_administrators(client)
            page.enter({"section": "keys"})
            await until(lambda: session.actions.is_enabled("settings.key_new"), "the tab")
            session.actions.trigger("settings.key_new")
            form: KeyForm = await dialog_of(page, KeyForm)
            form.label.setText("gate controller")
            form.clearance.setCurrentIndex(form.clearance.findData("citadel"))
            form.save.click()
            ask: ReasonForm = await dialog_of(page, ReasonForm)
            ask.reason.setPlainText("New gate")
            ask.save.click()
            tab = tab_of(page)
            await until(lambda: tab.view.chosen_request is not None, "the request")
            request = tab.view.chosen_request
            assert request is not None
            assert led == [("settings", {"section": "operators", "approval_id": request.approval_id})]
            await other.approvals_approve(request.approval_id)
            tab.read_now()
            await until(lambda: session.actions.is_enabled("settings.request_use"), "the approval")
            session.actions.trigger("settings.request_use")
            again: KeyForm = await dialog_of(page, KeyForm)
            assert (again.label.text(), again.label.isEnabled()) == ("gate controller", False)
            again.save.click()
            shown: SecretDialog = await dialog_of(page, SecretDialog)
            shown.accept()
            labels = {row.label: row.clearance for row in (await client.keys_list()).items}
            assert labels["gate controller"] == "citadel"

    run(work())


def test_a_request_of_another_is_decided_here(
    page: SettingsPresenter, connect: Connect, run: Run, training_service: Service
) -> None:
    """Approve and reject, by the keys of the list."""

    async def work() -> None:
        async with connect(page), another_key(training_service) as other:
            tab = await opened(page)
            for action, state in (("request_reject", "REJECTED"), ("request_approve", "APPROVED")):
                body = OperatorBody(display_name="?", roles=[Role.ADMIN], methods=["passphrase"])
                form = asks_second(refused(["op_00000000000000cc", *subjects_of("", body)[1:]]))
                assert form is not None
                form.reason = "elsewhere"
                one = await other.approvals_request(form)
                tab.want(one.approval_id)
                await until(lambda: page.session.actions.is_enabled("settings.request_reject"), "the request")
                page.session.actions.trigger(f"settings.{action}")

                def decided(approval_id: str = one.approval_id, state: str = state) -> bool:
                    at = tab.view.requests.row_of(approval_id)
                    return at >= 0 and tab.view.requests.rows[at].state == state

                await until(decided, state)

    run(work())


# --- who may ---------------------------------------------------------------------------------------------------------


def test_the_desk_reads_and_changes_nothing(page: SettingsPresenter, connect: Connect, run: Run) -> None:
    """The list is for everybody, its buttons for administrators; keys are not even listed."""

    async def work() -> None:
        async with connect(page):
            page.session.operator = DeskOperator(DESK, "Training desk", frozenset({Role.DESK}))
            tab = await opened(page)
            offered = {action.id for action in page.session.actions.permitted_actions()}
            assert not any(name.startswith(("settings.operator_", "settings.key_")) for name in offered)
            assert tab.view.table.isVisible()
            page.enter({"section": "keys"})
            keys: Any = page.tabs["keys"].view
            await until(lambda: keys.stack.currentWidget() is keys.closed, "the sentence")

    run(work())


def test_a_sovereign_console_is_told_so(page: SettingsPresenter, connect: Connect, run: Run) -> None:
    """No list, no button that works."""

    async def work() -> None:
        async with connect(page):
            page.session.clearance = "sovereign"
            page.enter({"section": "operators"})
            view = tab_of(page).view
            await until(lambda: view.stack.currentWidget() is view.closed, "the sentence")
            assert not page.session.actions.is_enabled("settings.operator_new")

    run(work())


# --- words -----------------------------------------------------------------------------------------------------------


def refused(subjects: object, kind: str = "operator", code: str = "state_conflict") -> Failure:
    """The service refuses what one administrator may not do alone."""
    return Failure(code, "Have it approved.", extra={"approval_kind": kind, "approval_subjects": subjects})


def test_a_refusal_says_what_to_ask_for() -> None:
    """Only where it is about a second administrator."""
    asked = asks_second(refused([ALEX, "roles=admin", "methods="]))
    assert asked is not None
    assert (asked.kind, asked.subjects) == ("operator", [ALEX, "roles=admin", "methods="])
    assert asks_second(refused(["x"], code="not_found")) is None
    assert asks_second(refused(["x"], kind="lift")) is None
    assert asks_second(refused("x")) is None
    assert asks_second(Failure("state_conflict", "Something else.")) is None


@pytest.mark.parametrize(
    "body",
    [
        OperatorBody(
            display_name="?", roles=[Role.ADMIN, Role.DESK], methods=["passphrase", "card"], node_id="ARC-0001"
        ),
        OperatorBody(display_name="?", roles=[Role.ADMIN], methods=[]),
        OperatorBody(display_name="?", roles=[Role.BADGE], methods=["oidc"], subject="somebody"),
    ],
)
def test_what_was_approved_is_read_back(body: OperatorBody) -> None:
    """What the form begins with is asked for in the very words of the approval; the provider's subject, which an
    approval holds as a digest alone, is typed again."""
    subjects = subjects_of(ALEX, body)
    wanted = wanted_of(subjects[1:])
    assert subjects_of(ALEX, wanted) == [one for one in subjects if not one.startswith("subject=")]


def test_a_request_is_said_with_names(session: WindowSession) -> None:
    """Who the operator is, and what it shall be."""
    session.names.take([of_operator(ALEX, "Alex Novak")])

    def request(kind: Any, *subjects: str) -> Approval:
        return Approval(
            approval_id="apr_1", kind=kind, subjects=list(subjects), provision_id=None, node_id=None, card_guid=None,
            reason="x", state="PENDING", requested_by="key_1", requested_at=AT, expires_at=AT,
        )  # fmt: skip

    one = request("operator", ALEX, "roles=admin,desk", "methods=card", "node=ARC-0001", "subject=" + "0" * 64)
    assert what_of(session.names, one) == "Alex Novak: roles admin, desk; methods card; node ARC-0001"
    assert what_of(session.names, request("operator", ALEX, "passphrase")) == "Alex Novak: a passphrase"
    assert what_of(session.names, request("citadel_key", "gate")) == "Key gate"
    assert set(STATES) >= {one.state}


def test_a_line_is_said_with_names(session: WindowSession) -> None:
    """Who else could sign in as the operator."""
    session.names.take([of_operator(ALEX, "Alex Novak")])
    said = line_words(session.names, of_operator("op_00000000000000bb", "Sam", line=[ALEX, "key_1"]))
    assert said.endswith("never approve each other's requests: Alex Novak, key_1.")
