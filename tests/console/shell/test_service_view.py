"""What is shown while no service answers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from app.console.actions import Action, ActionTable
from app.console.connection.supervisor import StartRefusal
from app.console.shell.service_view import ServiceView
from tests.console.conftest import Run, until

SENTENCE = "This production site has no place for its key: no keyring answers and there is no passphrase file."
WORDS = "correct horse battery staple"


@pytest.fixture
def view(application: Any, qtbot: Any) -> ServiceView:
    """A shown view."""
    owner = QWidget()
    qtbot.addWidget(owner)
    table = ActionTable(owner)
    table.add([Action(name, name, lambda: None) for name in ("console.reconnect", "console.copy_log")])
    made = ServiceView(table, owner)
    made.resize(900, 600)
    made.held = owner  # type: ignore[attr-defined]  # it lives as long as the view
    owner.show()
    return made


def refused(view: ServiceView, path: Path | str) -> None:
    """The service refused to start, and a passphrase in that file would help."""
    view.show_stopped("The service cannot start", SENTENCE, [])
    view.ask_for(StartRefusal(SENTENCE, str(path)))


def test_the_remedy_is_read_whole(view: ServiceView, tmp_path: Path) -> None:
    """No line is cut at the window's edge: it is wrapped, and says where the passphrase goes."""
    refused(view, tmp_path / "passphrase")
    shown = [one for one in view.findChildren(QLabel) if one.isVisible() and SENTENCE in one.text()]
    assert shown
    assert all(one.wordWrap() for one in shown)
    assert view.form is not None
    assert str(tmp_path / "passphrase") in view.form._where.text()
    assert not view.shows_log


def test_the_passphrase_is_kept_and_the_service_started(
    view: ServiceView, tmp_path: Path, qtbot: Any, run: Run
) -> None:
    """Typed twice, Enter: in its file for its owner alone, gone from the window."""
    path = tmp_path / "passphrase"
    given: list[bool] = []
    view.given.connect(lambda: given.append(True))
    refused(view, path)
    form = view.form
    assert form is not None

    async def work() -> None:
        first, second = form.fields
        for one, other, wrong in (
            ("short", "short", "At least 16 characters."),
            (WORDS, WORDS + "!", "The two are not the same."),
        ):
            first.setText(one)
            second.setText(other)
            qtbot.keyClick(second, Qt.Key.Key_Return)
            assert form.wrong.text() == wrong
            assert not path.exists()
        second.setText(WORDS)
        qtbot.keyClick(first, Qt.Key.Key_Return)
        await until(lambda: given, "the passphrase")

    run(work())
    assert path.read_text() == WORDS + "\n"
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert [field.text() for field in form.fields] == ["", ""]


def test_a_file_that_cannot_be_written_says_why(view: ServiceView, tmp_path: Path, run: Run) -> None:
    """What was typed stays, to be tried again."""
    refused(view, tmp_path / "nowhere" / "passphrase")
    form = view.form
    assert form is not None

    async def work() -> None:
        for field in form.fields:
            field.setText(WORDS)
        form.button.click()
        await until(form.wrong.text, "the reason")

    run(work())
    assert "cannot be written: No such file or directory." in form.wrong.text()
    assert form.button.isEnabled()
    assert form.fields[0].text() == WORDS


def test_where_no_passphrase_helps_none_is_asked(view: ServiceView, tmp_path: Path) -> None:
    """Another remedy, and what was asked before goes with its reason."""
    view.show_stopped("The service cannot start", "Port 1 is taken.", [])
    view.ask_for(StartRefusal("Port 1 is taken."))
    assert view.form is None
    refused(view, tmp_path / "passphrase")
    assert view.form is not None
    assert view.form.isVisible()
    view.show_busy("Starting the service", "")
    assert not view.form.isVisible()
    refused(view, tmp_path / "passphrase")
    view.show_stopped("The service does not stay up", "", ["last words"])
    assert not view.form.isVisible()
