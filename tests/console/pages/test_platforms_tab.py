"""Settings > Platforms, against a real training service and its own platforms."""

from __future__ import annotations

from datetime import date
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.console.pages import settings
from app.console.pages.settings import SettingsPresenter
from app.console.pages.settings.platform_form import PlatformForm, load_suggestions
from app.console.session import WindowSession
from app.console.widgets.confirm import ConfirmDialog
from app.registry.messages.platforms import PlatformBody, PlatformContact
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, dialog_of, on_screen

CALLED = "training-platform-d"


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> SettingsPresenter:
    """The page at the size of the design, its actions in the table."""
    presenter = built(settings, session)
    assert isinstance(presenter, SettingsPresenter)
    on_screen(presenter, "settings", session, qtbot)
    return presenter


async def choose(page: SettingsPresenter, platform_id: str = CALLED) -> None:
    """The tab with the cursor on that platform."""
    page.tab.read_now()
    await until(lambda: page.tabs["platforms"].view.rows.row_of(platform_id) >= 0, "the platform")
    page.tabs["platforms"].view.table.selectRow(page.tabs["platforms"].view.rows.row_of(platform_id))


def cell(page: SettingsPresenter, platform_id: str, title: str) -> str:
    """What a column says of a platform."""
    rows = page.tabs["platforms"].view.rows
    return next(one for one in rows.columns if one.title == title).text(rows.rows[rows.row_of(platform_id)])


def test_the_training_platforms_are_listed(page: SettingsPresenter, connect: Connect, run: Run) -> None:
    """A to E with their channels; A and D are those of a strike that names none."""

    async def work() -> None:
        async with connect(page):
            page.enter({"section": "platforms"})
            await choose(page)
            ids = [f"training-platform-{letter}" for letter in "abcde"]
            assert [cell(page, one, "CHANNEL") for one in ids] == ["Mail", "Mail", "Mail", "Call", "Form"]
            assert [cell(page, one, "DEFAULT") for one in ids] == ["Yes", "–", "–", "Yes", "–"]

    run(work())


def test_a_platform_is_registered_by_keys_changed_and_deleted(
    page: SettingsPresenter, connect: Connect, run: Run
) -> None:
    """With a contact of its own for a law and a token, which stays while the addresses do."""

    async def work() -> None:
        async with connect(page) as client:
            page.enter({"section": "platforms"})
            await choose(page)
            page.session.actions.trigger("settings.platform_new")
            form: PlatformForm = await dialog_of(page, PlatformForm)
            QTest.keyClicks(form.platform_id, "clips")
            QTest.keyClicks(form.name, "Clips")
            form.channel.setCurrentIndex(form.channel.findData("https"))
            QTest.keyClicks(form.address, "https://clips.example/notices")
            QTest.keyClicks(form.contacts, "eu MAIL dsa@clips.example")
            QTest.keyClicks(form.domains, "clips.example  c.example")
            QTest.keyClicks(form.secret, "a token of clips")
            QTest.keyClick(form.secret, Qt.Key.Key_Return)
            await until(lambda: page.tabs["platforms"].view.rows.row_of("clips") >= 0, "the new row")
            made = await client.registry_get_platform("clips")
            assert made.framework_contacts == {"EU": PlatformContact(channel="mail", address="dsa@clips.example")}
            assert (made.secret.set, made.channel, made.domains) == (True, "https", ["clips.example", "c.example"])
            await choose(page, "clips")
            page.session.actions.trigger("settings.platform_change")
            form = await dialog_of(page, PlatformForm)
            form.name.setText("Clips and more")
            form.default.setChecked(True)
            form.save.click()
            await until(lambda: cell(page, "clips", "NAME") == "Clips and more", "the change")
            changed = await client.registry_get_platform("clips")
            assert (changed.secret.set, changed.default) == (True, True)
            assert changed.framework_contacts == made.framework_contacts
            await choose(page, "clips")
            page.session.actions.trigger("settings.platform_delete")
            (await dialog_of(page, ConfirmDialog)).accept()
            await until(lambda: page.tabs["platforms"].view.rows.row_of("clips") < 0, "the deletion")

    run(work())


def test_what_the_service_refuses_stands_at_its_field(page: SettingsPresenter, connect: Connect, run: Run) -> None:
    """An address that fits no channel, then an id that is taken: the form stays open and says so."""

    async def work() -> None:
        async with connect(page):
            page.enter({"section": "platforms"})
            await choose(page)
            page.session.actions.trigger("settings.platform_new")
            form: PlatformForm = await dialog_of(page, PlatformForm)
            form.platform_id.setText("clips")
            form.name.setText("Clips")
            form.address.setText("https://clips.example/")
            form.save.click()
            await until(lambda: "mail address" in form.error("address"), "the refusal")
            form.address.setText("abuse@clips.example")
            form.platform_id.setText(CALLED)
            form.save.click()
            await until(lambda: "there already" in form.error("id"), "the id that is taken")

    run(work())


@pytest.mark.parametrize(
    "line",
    [
        "EU",
        "EU mail",
        "EU post a@b.example",
        "EU mail a@b.example x",
        "EU mail a@b.example\neu form https://b.example/",
    ],
)
def test_a_line_that_is_no_contact_is_marked(page: SettingsPresenter, connect: Connect, run: Run, line: str) -> None:
    """Before anything is sent."""

    async def work() -> None:
        async with connect(page):
            page.enter({"section": "platforms"})
            await choose(page)
            page.session.actions.trigger("settings.platform_new")
            form: PlatformForm = await dialog_of(page, PlatformForm)
            form.platform_id.setText("clips")
            form.name.setText("Clips")
            form.address.setText("abuse@clips.example")
            form.contacts.setPlainText(line)
            form.save.click()
            assert "A line for each law" in form.error("framework_contacts")
            assert form.isVisible()

    run(work())


def test_a_public_form_is_suggested(page: SettingsPresenter, connect: Connect, run: Run) -> None:
    """Its name and address are filled in, and where they were read; the rest is the operator's."""

    async def work() -> None:
        async with connect(page):
            page.enter({"section": "platforms"})
            await choose(page)
            page.session.actions.trigger("settings.platform_new")
            form: PlatformForm = await dialog_of(page, PlatformForm)
            form.start.setCurrentIndex(1)
            (first, *_) = load_suggestions()
            assert (form.platform_id.text(), form.address.text()) == (first.platform_id, first.address)
            assert form.channel.currentData() == "form"
            assert first.source in form.hint.text()

    run(work())


def test_suggestions_are_platforms() -> None:
    """Each fits the registry, is a form on https, has a source and a date, and no mail address."""
    found = load_suggestions()
    assert len({one.platform_id for one in found}) == len(found)
    for one in found:
        body = {
            "display_name": one.display_name,
            "channel": "form",
            "address": one.address,
            "domains": one.domains,
        }
        assert msgspec.convert(body, PlatformBody).address == one.address
        assert urlsplit(one.address).scheme == urlsplit(one.source).scheme == "https"
        assert date.fromisoformat(one.as_of) >= date(2026, 11, 25)
        assert "@" not in msgspec.json.encode(one).decode()
