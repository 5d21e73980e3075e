"""Settings > Directories and a person's accounts, against a real training service and its own directory."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.console.pages import settings
from app.console.pages.settings import SettingsPresenter
from app.console.pages.settings.directory_form import DirectoryForm
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.confirm import ConfirmDialog
from app.registry.messages.directories import DirectoryBody
from app.registry.messages.nodes import DirectoryAccount, NodeBody
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, dialog_of, on_screen

TRAINING = "training-directory"


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> SettingsPresenter:
    """The page at the size of the design, its actions in the table."""
    presenter = built(settings, session)
    assert isinstance(presenter, SettingsPresenter)
    on_screen(presenter, "settings", session, qtbot)
    return presenter


async def listed(page: SettingsPresenter, directory_id: str = TRAINING) -> None:
    """The tab with the cursor on that directory."""
    page.tab.read_now()
    await until(lambda: page.tabs["directories"].view.rows.row_of(directory_id) >= 0, "the directory")
    page.tabs["directories"].view.table.selectRow(page.tabs["directories"].view.rows.row_of(directory_id))


def trial(page: SettingsPresenter, directory_id: str) -> tuple[Meaning | None, str]:
    """What the last trial of a row says."""
    tab = page.tabs["directories"].view
    row = tab.rows.rows[tab.rows.row_of(directory_id)]
    column = next(one for one in tab.rows.columns if one.title == "LAST TRIAL")
    assert column.state is not None
    return column.state(row), column.text(row)


def test_the_training_directory_is_tried_and_ready(page: SettingsPresenter, connect: Connect, run: Run) -> None:
    """A trial changes nothing, and says what answered."""

    async def work() -> None:
        async with connect(page) as client:
            page.enter({"section": "directories"})
            await listed(page)
            before = await client.registry_get_directory(TRAINING)
            assert trial(page, TRAINING) == (Meaning.IDLE, "Not tried")
            assert page.session.actions.trigger("settings.directory_try")
            await until(lambda: trial(page, TRAINING)[0] is Meaning.OK, "the trial")
            await until(lambda: "SCIM 2.0 with PATCH" in page.tabs["directories"].view.note.text(), "what answered")
            assert await client.registry_get_directory(TRAINING) == before

    run(work())


def test_a_directory_is_registered_by_keys_changed_and_deleted(
    page: SettingsPresenter, connect: Connect, run: Run
) -> None:
    """It is tried when it is saved: nobody answers there, so a burn could not act, and that is said. The secret stays
    while the address does."""

    async def work() -> None:
        async with connect(page) as client:
            page.enter({"section": "directories"})
            await listed(page)
            page.session.actions.trigger("settings.directory_new")
            form: DirectoryForm = await dialog_of(page, DirectoryForm)
            QTest.keyClicks(form.directory_id, "shop")
            QTest.keyClicks(form.url, "http://127.0.0.1:9/scim")
            QTest.keyClicks(form.secret, "a secret of the shop")
            QTest.keyClick(form.secret, Qt.Key.Key_Return)
            await until(lambda: page.tabs["directories"].view.rows.row_of("shop") >= 0, "the new row")
            await until(lambda: trial(page, "shop") == (Meaning.BAD, "Would fail"), "the trial")
            made = await client.registry_get_directory("shop")
            assert (made.secret.set, made.kind, made.tags) == (True, "scim", [])
            await listed(page, "shop")
            page.session.actions.trigger("settings.directory_change")
            form = await dialog_of(page, DirectoryForm)
            form.name.setText("The shop")
            form.timeout.setText("700")
            form.drill.click()
            form.trial.click()
            form.save.click()
            await until(lambda: _names(page).get("shop") == "The shop", "the change")
            changed = await client.registry_get_directory("shop")
            assert (changed.secret, changed.timeout_ms, changed.tags) == (made.secret, 700, ["drill"])
            await listed(page, "shop")
            page.session.actions.trigger("settings.directory_delete")
            (await dialog_of(page, ConfirmDialog)).accept()
            await until(lambda: page.tabs["directories"].view.rows.row_of("shop") < 0, "the row leaves")

    run(work())


def _names(page: SettingsPresenter) -> dict[str, str | None]:
    return {row.directory_id: row.display_name for row in page.tabs["directories"].view.rows.rows}


def test_bad_input_is_told_at_its_field(page: SettingsPresenter, connect: Connect, run: Run) -> None:
    """A wrong address, one without TLS, an id that is taken, a time-out that is none: nothing is registered."""

    async def work() -> None:
        async with connect(page) as client:
            page.enter({"section": "directories"})
            await listed(page)
            before = await client.registry_list_directories()
            page.session.actions.trigger("settings.directory_new")
            form: DirectoryForm = await dialog_of(page, DirectoryForm)
            form.timeout.setText("1")
            form.save.click()
            assert form.error("id")
            assert form.error("url")
            assert form.error("timeout_ms") == "A number from 100 to 30000, or nothing."
            form.timeout.clear()
            form.directory_id.setText("elsewhere")
            for url, said in (
                ("idp.example/scim", "An address with its scheme"),
                ("ldaps://ldap.example", "begins with https or http"),
                ("http://idp.example/scim", "Without TLS"),
                ("https://user:word@idp.example/scim", "Leave user"),
            ):
                form.url.setText(url)
                form.save.click()
                await until(lambda said=said: said in form.error("url"), said)  # type: ignore[misc]
            form.url.setText("https://idp.example/scim")
            form.ca.setPlainText("no certificate")
            form.save.click()
            await until(lambda: "PEM" in form.error("ca"), "the refusal of the CA")
            form.ca.clear()
            form.directory_id.setText(TRAINING)
            form.save.click()
            await until(lambda: "already" in form.error("id"), "the duplicate")
            form.reject()
            assert await client.registry_list_directories() == before

    run(work())


def test_a_stored_secret_goes_to_no_other_address(page: SettingsPresenter, connect: Connect, run: Run) -> None:
    """A new address without the secret is refused at the secret."""

    async def work() -> None:
        async with connect(page) as client:
            page.enter({"section": "directories"})
            await listed(page)
            before = await client.registry_get_directory(TRAINING)
            page.session.actions.trigger("settings.directory_change")
            form: DirectoryForm = await dialog_of(page, DirectoryForm)
            assert form.secret.text() == ""
            form.url.setText("http://127.0.0.1:9/scim/v2")
            form.save.click()
            await until(lambda: "former address" in form.error("secret"), "the refusal")
            form.reject()
            assert await client.registry_get_directory(TRAINING) == before

    run(work())


def test_a_stored_ca_is_never_lost_by_a_save(page: SettingsPresenter, connect: Connect, run: Run) -> None:
    """It is known by its SHA-256 alone: pasted again, or dropped on purpose."""

    async def work() -> None:
        async with connect(page) as client:
            roots = (await client.log_roots()).decode()
            body = DirectoryBody(kind="webhook", url="https://127.0.0.1:9/x", ca=roots)
            await client.registry_put_directory("with-ca", body)
            page.enter({"section": "directories"})
            await listed(page, "with-ca")
            page.session.actions.trigger("settings.directory_try")
            form: DirectoryForm = await dialog_of(page, DirectoryForm)
            form.save.click()
            assert form.error("ca").startswith("Paste the CA again")
            assert (await client.registry_get_directory("with-ca")).ca_sha256
            form.drop_ca.click()
            form.trial.click()
            form.save.click()
            await until(lambda: not page.view.window().findChildren(DirectoryForm), "the save")
            assert (await client.registry_get_directory("with-ca")).ca_sha256 == []
            await client.registry_delete_directory("with-ca")

    run(work())


def test_only_the_fields_of_a_kind_are_shown(page: SettingsPresenter, qtbot: Any) -> None:
    """LDAP has names and a dialect, signed events an audience."""
    form = DirectoryForm(page.view.window())
    form.open()
    shown = {}
    fields = ("bind_dn", "base_dn", "dialect", "audience")
    for kind in ("ldap", "ssf", "scim"):
        form.kind.setCurrentIndex(form.kind.findData(kind))
        shown[kind] = [name for name in fields if getattr(form, name).isVisible()]
    assert shown == {"ldap": ["bind_dn", "base_dn", "dialect"], "ssf": ["audience"], "scim": []}


def test_a_directory_with_accounts_is_not_deleted(page: SettingsPresenter, connect: Connect, run: Run) -> None:
    """The refusal says what to do first."""

    async def work() -> None:
        async with connect(page) as client:
            account = DirectoryAccount(directory_id=TRAINING, account="T-0039")
            await client.registry_put_node("ARC-ACCOUNTS", NodeBody(display_name="T", directory_accounts=[account]))
            page.enter({"section": "directories"})
            await listed(page)
            page.session.actions.trigger("settings.directory_delete")
            (await dialog_of(page, ConfirmDialog)).accept()
            await until(lambda: "have an account" in page.view.banner.text, "the refusal")
            await client.registry_delete_node("ARC-ACCOUNTS")

    run(work())


def test_a_sovereign_console_is_told_so(page: SettingsPresenter, connect: Connect, run: Run) -> None:
    """No list, no button that works, one sentence."""

    async def work() -> None:
        async with connect(page):
            page.session.clearance = "sovereign"
            page.enter({"section": "directories"})
            tab = page.tabs["directories"].view
            await until(lambda: tab.stack.currentWidget() is tab.closed, "the sentence")
            for name in ("new", "try", "change", "delete"):
                assert not page.session.actions.is_enabled(f"settings.directory_{name}")

    run(work())
