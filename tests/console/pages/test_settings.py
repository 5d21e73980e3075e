"""Settings against a real training service: API keys, licences."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QApplication

from app.api.keys_messages import CreateKey, KeyMade, KeyRow
from app.client import ApiError
from app.console.connection.client import ConsoleClient
from app.console.pages import settings
from app.console.pages.settings import SettingsPresenter
from app.console.pages.settings.directory_form import DirectoryForm
from app.console.pages.settings.key_forms import KeyForm, RotateKeyForm
from app.console.pages.settings.keys_view import ListedKey
from app.console.pages.settings.licences import read_licences
from app.console.pages.settings.licences_view import LicensedPart
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets import secret
from app.console.widgets.confirm import ConfirmDialog
from app.console.widgets.secret import Secret, SecretDialog
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.operator_rows import of_operator
from tests.console.pages.conftest import Connect, Service, dialog_of, on_screen


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> SettingsPresenter:
    """The page at the size of the design, its actions in the table."""
    presenter = built(settings, session)
    assert isinstance(presenter, SettingsPresenter)
    on_screen(presenter, "settings", session, qtbot)
    return presenter


@asynccontextmanager
async def a_key(client: ConsoleClient) -> AsyncIterator[KeyMade]:
    """A key of the test, revoked afterwards."""
    made = await client.keys_create(CreateKey(label="of the test", clearance="sovereign"))
    try:
        yield made
    finally:
        if made.kid in {row.kid for row in (await client.keys_list()).items}:
            await client.keys_revoke(made.kid)


def test_a_key_is_made_by_keys_alone_and_opens(
    page: SettingsPresenter, connect: Connect, run: Run, qtbot: Any, training_service: Service
) -> None:
    """Ctrl+N, a label, Enter: the secret that is shown is a Sovereign key of this service, and it is listed."""

    async def work() -> None:
        async with connect(page) as client:
            page.enter({"section": "keys"})
            await until(
                lambda: page.tabs["keys"].view.stack.currentWidget() is not page.tabs["keys"].view.away, "the list"
            )
            page.session.actions.trigger("settings.key_new")
            form: KeyForm = await dialog_of(page, KeyForm)
            qtbot.keyClicks(form.label, "North tower")
            qtbot.keyClick(form.label, Qt.Key.Key_Return)
            shown: SecretDialog = await dialog_of(page, SecretDialog)
            key, secret = (field.text() for field in shown.fields)
            assert key.startswith("arc_sov_")
            assert secret.startswith("whsec_")
            other = ConsoleClient(training_service.base_url, key, lambda _ms: None)
            await other.gateway_alarms()
            await other.aclose()
            shown.accept()
            await until(lambda: page.tabs["keys"].view.chosen is not None, "the new row")
            chosen = page.tabs["keys"].view.chosen
            assert chosen is not None
            assert (chosen.row.label, chosen.word) == ("North tower", "Active")
            await client.keys_revoke(chosen.row.kid)

    run(work())


def test_new_means_what_is_in_front(page: SettingsPresenter, connect: Connect, run: Run) -> None:
    """Ctrl+N among directories adds a directory, among keys a key, and where nothing is added it does nothing."""

    def keys() -> list[QAction]:
        table = page.session.actions
        new = QKeySequence("Ctrl+N")
        return [one for one in table._owner.actions() if one.isEnabled() and one.shortcut() == new]

    async def work() -> None:
        async with connect(page):
            for section, kind in (("directories", DirectoryForm), ("keys", KeyForm)):
                page.enter({"section": section})
                await until(lambda section=section: page.section == section and keys(), section)  # type: ignore[misc]
                (one,) = keys()
                one.trigger()
                form = await dialog_of(page, kind)
                form.reject()
            page.enter({"section": "diagnostics"})
            await until(lambda: page.section == "diagnostics", "diagnostics")
            assert keys() == []

    run(work())


def test_nothing_of_a_secret_is_left_when_it_closes(application: QApplication, qtbot: Any) -> None:
    """The fields are empty; Esc before anything was copied asks twice."""
    dialog = SecretDialog(None, "Key", "Once.", [Secret("API key", "arc_sov_x")])  # type: ignore[arg-type]
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(dialog)
    dialog.open()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    assert "never be shown again" in dialog.said.text()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    assert dialog.fields[0].text() == ""


def test_a_copied_secret_leaves_the_clipboard(
    application: QApplication, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After its time, and only if it is still there."""
    monkeypatch.setattr(secret, "CLIPBOARD_S", 0)
    dialog = SecretDialog(None, "Key", "Once.", [Secret("API key", "arc_sov_x")])  # type: ignore[arg-type]
    qtbot.addWidget(dialog)
    dialog.open()
    dialog.copies[0].click()
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() == "", timeout=2000)


def test_a_secret_is_in_no_text_of_the_program() -> None:
    """What a log or a traceback might print of it is its name."""
    assert "arc_sov_x" not in repr(Secret("API key", "arc_sov_x"))


def test_what_the_service_refuses_of_a_key_is_told_at_the_field(
    page: SettingsPresenter, connect: Connect, run: Run
) -> None:
    """A day that has passed is marked at the day; a text that is no day is not even sent."""

    async def work() -> None:
        async with connect(page):
            page.enter({"section": "keys"})
            page.session.actions.trigger("settings.key_new")
            form: KeyForm = await dialog_of(page, KeyForm)
            form.label.setText("late")
            form.life.setCurrentIndex(form.life.findData(-1))
            form.day.setText("soon")
            form.save.click()
            assert form.error("expires_at").startswith("A day such as")
            form.day.setText("2020-01-31")
            form.save.click()
            await until(lambda: form.error("expires_at") == "This time has passed.", "the refusal")
            assert form.save.isEnabled()
            form.reject()

    run(work())


def test_a_rotated_key_shows_its_new_secret(
    page: SettingsPresenter, connect: Connect, run: Run, training_service: Service
) -> None:
    """With no overlap the old one is refused at once and the new one opens."""

    async def work() -> None:
        async with connect(page) as client, a_key(client) as made:
            page.tabs["keys"]._wanted = made.kid
            page.enter({"section": "keys"})
            await until(lambda: page.session.actions.is_enabled("settings.key_rotate"), "a chosen key")
            page.session.actions.trigger("settings.key_rotate")
            form: RotateKeyForm = await dialog_of(page, RotateKeyForm)
            form.overlap.setCurrentIndex(form.overlap.findData(0))
            form.save.click()
            shown: SecretDialog = await dialog_of(page, SecretDialog)
            new = shown.fields[0].text()
            shown.accept()
            async with ConsoleClient(training_service.base_url, new, lambda _ms: None) as opens:
                await opens.gateway_alarms()
            async with ConsoleClient(training_service.base_url, made.key, lambda _ms: None) as closed:
                with pytest.raises(ApiError, match="unauthenticated"):
                    await closed.gateway_alarms()

    run(work())


def test_revoking_asks_first(page: SettingsPresenter, connect: Connect, run: Run) -> None:
    """Nothing ends before the person agrees; then the row leaves, and comes back when revoked keys are shown."""

    async def work() -> None:
        async with connect(page) as client, a_key(client) as made:
            page.tabs["keys"]._wanted = made.kid
            page.enter({"section": "keys"})
            await until(lambda: page.session.actions.is_enabled("settings.key_revoke"), "a chosen key")
            page.session.actions.trigger("settings.key_revoke")
            dialog: ConfirmDialog = await dialog_of(page, ConfirmDialog)
            assert made.kid in {row.kid for row in (await client.keys_list()).items}
            dialog.accept()
            await until(lambda: page.tabs["keys"].view.rows.row_of(made.kid) < 0, "the row leaves")
            page.session.actions.trigger("settings.keys_revoked")
            await until(lambda: page.tabs["keys"].view.rows.row_of(made.kid) >= 0, "the revoked row")
            rows = page.tabs["keys"].view.rows
            row = rows.rows[rows.row_of(made.kid)]
            assert (row.word, row.state) == ("Revoked", Meaning.IDLE)

    run(work())


def test_a_sovereign_console_is_told_so(page: SettingsPresenter, connect: Connect, run: Run) -> None:
    """No list, no button that works, one sentence."""

    async def work() -> None:
        async with connect(page):
            page.session.clearance = "sovereign"
            page.enter({"section": "keys"})
            await until(
                lambda: page.tabs["keys"].view.stack.currentWidget() is page.tabs["keys"].view.closed, "the sentence"
            )
            for name in ("key_new", "key_rotate", "key_revoke", "keys_revoked", "directory_new"):
                assert not page.session.actions.is_enabled(f"settings.{name}")

    run(work())


@pytest.mark.parametrize(
    ("changes", "word", "state"),
    [
        ({}, "Active", Meaning.OK),
        ({"expires_at": "2026-01-05T00:00:00Z"}, "Expires soon", Meaning.WARN),
        ({"expires_at": "2025-12-31T00:00:00Z"}, "Expired", Meaning.IDLE),
        ({"previous_valid_until": "2026-01-02T00:00:00Z"}, "Rotating", Meaning.OK),
        ({"revoked_at": "2025-12-31T00:00:00Z", "expires_at": "2026-01-05T00:00:00Z"}, "Revoked", Meaning.IDLE),
    ],
)
def test_a_key_s_state_is_what_it_opens_now(changes: dict[str, str], word: str, state: Meaning) -> None:
    """On the first of January 2026."""
    made: Any = {"made_by": None, "line": [], **changes}
    row = KeyRow(kid="key_0", label="x", clearance="citadel", created_at="2025-06-01T00:00:00Z", **made)
    listed = ListedKey(row, 1767225600.0)
    assert (listed.word, listed.state) == (word, state)


@pytest.mark.parametrize(
    ("made_by", "line", "maker", "said"),
    [
        (None, [], "command line", "Nobody else could have its secret"),
        ("key_launch", ["key_launch"], "a console", "did: the console that runs the service. It approves nothing"),
        ("key_1", ["key_1", "key_2"], "key_1", "did: key_1, key_2. It approves nothing"),
        (None, [f"key_{n}" for n in range(9)], "command line", "key_7 and 1 more. It approves nothing"),
        ("op_00000000000000aa", ["op_00000000000000aa"], "Alex Novak", "did: Alex Novak. It approves nothing"),
        (None, [f"key_{n}" for n in range(8)], "command line", "key_7. It approves nothing"),
    ],
)
def test_who_made_a_key_is_shown(
    made_by: str | None, line: list[str], maker: str, said: str, session: WindowSession
) -> None:
    """And whose requests it can therefore not approve."""
    made = {"kid": "key_0", "label": "x", "clearance": "citadel", "created_at": "2025-06-01T00:00:00Z"}
    listed = ListedKey(msgspec.convert({**made, "made_by": made_by, "line": line}, KeyRow), 0.0)
    session.names.take([of_operator("op_00000000000000aa", "Alex Novak")])
    assert listed.maker(session.names) == maker
    assert said in listed.line(session.names)


# --- the rest --------------------------------------------------------------------------------------------------------


def test_licences_are_read_off_the_gui_thread(page: SettingsPresenter, connect: Connect, run: Run) -> None:
    """Shown when the tab is, with the texts of fonts and icons."""

    async def work() -> None:
        async with connect(page):
            page.enter({"section": "licences"})
            await until(lambda: page.tabs["licences"].view.shown, "the licences")
            assert "SIL OPEN FONT LICENSE" in page.tabs["licences"].view.texts.toPlainText()

    run(work())


def test_every_part_that_ships_is_listed(tmp_path: Path) -> None:
    """Packages of the lock with their versions, what is inside them under other terms, fonts and icons."""
    parts, texts = read_licences()
    assert LicensedPart("Inter", "", "OFL-1.1") in parts
    assert {"PySide6_Essentials", "httpx", "cryptography"} <= {part.name for part in parts}
    assert "FFmpeg, in opencv-python-headless" in {part.name for part in parts}
    assert "Lucide" in texts
    (tmp_path / "httpx-1").mkdir()
    (tmp_path / "httpx-1/LICENSE").write_text("terms of httpx")
    assert read_licences(tmp_path)[1] == "httpx-1\n=======\n\nterms of httpx"


def test_a_tab_that_is_opened_shows_at_once_what_is_known(page: SettingsPresenter) -> None:
    page.show_section("diagnostics")
    assert page.tabs["diagnostics"].view.facts.rows
