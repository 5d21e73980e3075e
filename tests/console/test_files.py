"""Files that a person opens or keeps."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget

from app.console.files import FileKeeper, ask_folder, ask_open, ask_save, read_some, save_private
from app.console.session import WindowSession
from tests.console.conftest import Run, until


@pytest.fixture
def window(application: object, qtbot: Any) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


def dialog_of(window: QWidget) -> QFileDialog:
    return window.findChild(QFileDialog)


@pytest.fixture
def toasts(session: WindowSession) -> list[str]:
    found: list[str] = []
    session.toast.connect(lambda text, _kind, _reference: found.append(text))
    return found


def test_a_file_is_there_whole_and_for_its_owner_alone(tmp_path: Path) -> None:
    """It takes the place of the one before; nothing else is left beside it."""
    path = tmp_path / "list.csv"
    path.write_bytes(b"before")
    save_private(path, b"after")
    assert path.read_bytes() == b"after"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_take_its_place_leaves_nothing(tmp_path: Path) -> None:
    """A folder of that name stays, and no part of the file remains."""
    path = tmp_path / "list.csv"
    path.mkdir()
    with pytest.raises(OSError, match=r"."):
        save_private(path, b"after")
    assert list(tmp_path.iterdir()) == [path]


def test_no_more_of_a_file_is_read_than_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_bytes(b"0123456789")
    assert read_some(path, 4) == b"0123"


# --- where a file lies ------------------------------------------------------------------------------------------------


def test_a_file_is_kept_where_the_person_says(window: QWidget, tmp_path: Path) -> None:
    places: list[Path] = []
    ask_save(window, "Save", "list.csv", places.append)
    dialog_of(window).fileSelected.emit(str(tmp_path / "mine.csv"))
    assert places == [tmp_path / "mine.csv"]


def test_the_suffix_follows_the_kind_that_is_chosen(window: QWidget) -> None:
    ask_save(window, "Save", "list.json", lambda _path: None, kinds=["JSON (*.json)", "CSV (*.csv)"])
    dialog = dialog_of(window)
    assert dialog.defaultSuffix() == "json"
    dialog.filterSelected.emit("CSV (*.csv)")
    assert dialog.defaultSuffix() == "csv"


@pytest.mark.parametrize("overwrite", [True, False])
def test_a_dialog_asks_about_a_name_that_exists_unless_the_writer_refuses_it(window: QWidget, overwrite: bool) -> None:
    ask_save(window, "Save", "list.csv", lambda _path: None, overwrite=overwrite)
    assert dialog_of(window).testOption(QFileDialog.Option.DontConfirmOverwrite) is not overwrite


@pytest.mark.parametrize(
    ("several", "mode"), [(False, QFileDialog.FileMode.ExistingFile), (True, QFileDialog.FileMode.ExistingFiles)]
)
def test_what_is_opened_exists(window: QWidget, several: bool, mode: QFileDialog.FileMode) -> None:
    opened: list[list[Path]] = []
    ask_open(window, "Open", opened.append, several=several)
    assert dialog_of(window).fileMode() is mode
    dialog_of(window).filesSelected.emit(["/tmp/a", "/tmp/b"])
    assert opened == [[Path("/tmp/a"), Path("/tmp/b")]]


def test_a_folder_is_taken(window: QWidget) -> None:
    folders: list[Path] = []
    ask_folder(window, "Folder", folders.append)
    dialog_of(window).fileSelected.emit("/tmp/cards")
    assert folders == [Path("/tmp/cards")]


def test_no_dialog_stops_the_loop(window: QWidget) -> None:
    ask_open(window, "Open", lambda _paths: None)
    assert dialog_of(window).testOption(QFileDialog.Option.DontUseNativeDialog)


# --- keeping in the background ----------------------------------------------------------------------------------------


def test_a_toast_says_where_a_file_was_kept(
    window: QWidget, session: WindowSession, toasts: list[str], run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "list.csv"

    async def work() -> None:
        FileKeeper(window, session).keep(path, "The list", b"rows")
        await until(lambda: toasts)

    run(work())
    assert path.read_bytes() == b"rows"
    assert toasts == [f"The list is in {path}."]


def test_a_toast_says_that_a_file_cannot_be_kept(
    window: QWidget, session: WindowSession, toasts: list[str], run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "nowhere" / "list.csv"

    async def work() -> None:
        FileKeeper(window, session).keep(path, "The list", b"rows")
        await until(lambda: toasts)

    run(work())
    assert f"{path} cannot be written" in toasts[0]


def test_one_file_is_kept_at_a_time(window: QWidget, session: WindowSession, run: Run, tmp_path: Path) -> None:
    go = asyncio.Event()

    async def give() -> bytes:
        await go.wait()
        return b"first"

    async def work() -> None:
        keeper = FileKeeper(window, session)
        keeper.keep_made(tmp_path / "first", "The first", give)
        assert keeper.saving == "The first"
        keeper.keep(tmp_path / "second", "The second", b"second")
        go.set()
        await until(lambda: not keeper.saving)

    run(work())
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["first"]
