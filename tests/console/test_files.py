"""Files that a person opens or keeps."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from app.console import file_dialog, files
from app.console.file_dialog import FileDialog
from app.console.files import FileKeeper, LastFolders, ask_folder, ask_open, ask_save, read_some, save_private
from app.console.session import WindowSession
from tests.console.conftest import Run, until


@pytest.fixture
def window(application: object, qtbot: Any) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


def dialog_of(window: QWidget) -> FileDialog:
    return window.findChild(FileDialog)


@pytest.fixture(autouse=True)
def folders(monkeypatch: pytest.MonkeyPatch) -> LastFolders:
    """No test knows where another one was."""
    made = LastFolders()
    monkeypatch.setattr(files, "last_folders", made)
    return made


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


def test_a_file_is_kept_where_the_person_says(window: QWidget, tmp_path: Path, qtbot: Any) -> None:
    """The proposed name gives the suffix to one that has none."""
    places: list[Path] = []
    ask_save(window, "Save", "list.csv", places.append)
    dialog = dialog_of(window)
    assert dialog.name.text() == "list.csv"
    dialog.select_file(str(tmp_path / "mine"))
    qtbot.keyClick(dialog.name, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(places))
    assert places == [tmp_path / "mine.csv"]


def test_the_suffix_follows_the_kind_that_is_chosen(window: QWidget) -> None:
    """JSON at first, CSV when that is chosen."""
    ask_save(window, "Save", "list.json", lambda _path: None, kinds=["JSON (*.json)", "CSV (*.csv)"])
    dialog = dialog_of(window)
    assert dialog.suffix == "json"
    dialog.kinds.setCurrentIndex(1)
    assert dialog.suffix == "csv"


@pytest.mark.parametrize("overwrite", [True, False])
def test_a_name_that_exists_is_confirmed_unless_the_writer_refuses_it(
    window: QWidget, tmp_path: Path, qtbot: Any, overwrite: bool
) -> None:
    """By a second Enter; another name in between begins anew."""
    (tmp_path / "a.csv").write_text("")
    (tmp_path / "b.csv").write_text("")
    places: list[Path] = []
    ask_save(window, "Save", "list.csv", places.append, overwrite=overwrite)
    dialog = dialog_of(window)
    if overwrite:
        for name in ("a", "b"):
            dialog.select_file(str(tmp_path / f"{name}.csv"))
            dialog.take()
            qtbot.waitUntil(lambda name=name: f"{name}.csv exists" in dialog.note.text())
        assert dialog.button.text() == "Replace"
        assert places == []
    dialog.select_file(str(tmp_path / "b.csv"))
    dialog.take()
    qtbot.waitUntil(lambda: bool(places))
    assert places == [tmp_path / "b.csv"]


@pytest.mark.parametrize("several", [False, True])
def test_what_is_opened_exists(window: QWidget, tmp_path: Path, qtbot: Any, several: bool) -> None:
    """One, or as many as are chosen in the list."""
    for name in ("a.json", "b.json", "c.txt"):
        (tmp_path / name).write_text("")
    opened: list[list[Path]] = []
    ask_open(window, "Open", opened.append, several=several, kinds=["JSON (*.json)"])
    dialog = dialog_of(window)
    dialog.select_file(str(tmp_path / "none.json"))
    dialog.take()
    qtbot.waitUntil(lambda: "none.json is not there" in dialog.note.text())
    dialog.select_file(str(tmp_path))
    dialog.take()
    qtbot.waitUntil(lambda: dialog.folder == tmp_path)
    assert [one.name for one in dialog.rows.rows] == ["a.json", "b.json"]
    dialog.table.selectRow(0)
    if several:
        dialog.table.selectAll()
    dialog.take()
    qtbot.waitUntil(lambda: bool(opened))
    assert opened == [[tmp_path / "a.json", tmp_path / "b.json"] if several else [tmp_path / "a.json"]]


def test_a_folder_is_taken(window: QWidget, tmp_path: Path, qtbot: Any) -> None:
    """One that is there: a file is none."""
    (tmp_path / "cards").mkdir()
    (tmp_path / "file").write_text("")
    folders: list[Path] = []
    ask_folder(window, "Folder", folders.append)
    dialog = dialog_of(window)
    dialog.select_file(str(tmp_path / "file"))
    dialog.take()
    qtbot.waitUntil(lambda: "is no folder" in dialog.note.text())
    dialog.select_file(str(tmp_path / "cards"))
    dialog.take()
    qtbot.waitUntil(lambda: bool(folders))
    assert folders == [tmp_path / "cards"]


def test_what_was_said_of_a_name_outlives_the_folder_s_own_trouble(window: QWidget, tmp_path: Path) -> None:
    """The answers come from two threads, in any order: nobody would learn why nothing happened."""
    ask_folder(window, "Folder", lambda _path: None)
    dialog = dialog_of(window)
    dialog._judge([tmp_path / "file"], ["file"], "folder")
    dialog._show_trouble(dialog._turn, "It cannot be read.")
    assert "is no folder" in dialog.note.text()


def test_folders_are_walked_by_keys(window: QWidget, tmp_path: Path, qtbot: Any) -> None:
    """Enter opens a folder of the list, and chooses a file; the parent has a button; a typed folder is opened."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "x.bin").write_bytes(b"1" * 20_000)
    opened: list[list[Path]] = []
    ask_open(window, "Open", opened.append)
    dialog = dialog_of(window)
    dialog.show_folder(tmp_path)
    qtbot.waitUntil(lambda: dialog.folder == tmp_path)
    dialog.table.selectRow(0)
    assert dialog.name.text() == ""
    qtbot.keyClick(dialog.table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: dialog.folder == tmp_path / "in")
    assert [dialog.rows.columns[at].text(dialog.rows.rows[0]) for at in (0, 1)] == ["x.bin", "20 kB"]
    dialog.up.click()
    qtbot.waitUntil(lambda: dialog.folder == tmp_path)
    assert [dialog.rows.columns[at].text(dialog.rows.rows[0]) for at in (0, 1)] == ["in/", ""]
    dialog.take()
    assert dialog.note.text() == "Choose a file, or type its name."
    dialog.show_folder(tmp_path / "in")
    qtbot.waitUntil(lambda: dialog.folder == tmp_path / "in")
    dialog.table.selectRow(0)
    qtbot.keyClick(dialog.table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(opened))
    assert opened == [[tmp_path / "in" / "x.bin"]]


def test_a_place_for_a_file_is_a_folder(window: QWidget, tmp_path: Path, qtbot: Any) -> None:
    """A folder that is not there is said at once, and nothing is made."""
    places: list[Path] = []
    ask_save(window, "Save", "list.csv", places.append)
    dialog = dialog_of(window)
    dialog.select_file(str(tmp_path / "nowhere" / "a.csv"))
    dialog.take()
    qtbot.waitUntil(lambda: dialog.note.text().endswith("nowhere is no folder."))
    dialog.folder = tmp_path
    dialog.select_file("new")
    assert dialog.paths == [tmp_path / "new.csv"]
    dialog.select_file("")
    assert dialog.paths == []
    assert places == []


def test_kinds_are_patterns() -> None:
    """As Qt writes them; what names none is everything."""
    assert file_dialog.patterns_of("Photos (*.jpg *.png)") == ["*.jpg", "*.png"]
    assert file_dialog.patterns_of("") == ["*"]
    assert file_dialog.patterns_of("All ()") == ["*"]


def test_a_folder_that_hangs_holds_nothing(
    window: QWidget, tmp_path: Path, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dead share: the dialog answers, another folder can be shown, and the late answer changes nothing."""
    (tmp_path / "here.txt").write_text("")
    release, reads = threading.Event(), []
    read = file_dialog.read_folder

    def slow(path: Path, *rest: Any, **more: Any) -> Any:
        reads.append(threading.current_thread() is threading.main_thread())
        if path.name == "dead":
            release.wait(30)
            return [file_dialog.FolderEntry("late", folder=False)], False
        return read(path, *rest, **more)

    monkeypatch.setattr(file_dialog, "read_folder", slow)
    ask_open(window, "Open", lambda _paths: None)
    dialog = dialog_of(window)
    dialog.show_folder(tmp_path / "dead")
    dialog.show_folder(tmp_path)
    qtbot.waitUntil(lambda: dialog.folder == tmp_path)
    release.set()
    qtbot.waitUntil(lambda: not [one for one in threading.enumerate() if one.name == "folder"])
    QApplication.processEvents()
    assert [one.name for one in dialog.rows.rows] == ["here.txt"]
    assert not any(reads)


def test_a_folder_that_cannot_be_read_says_why(window: QWidget, tmp_path: Path, qtbot: Any) -> None:
    """What was shown stays."""
    ask_open(window, "Open", lambda _paths: None)
    dialog = dialog_of(window)
    dialog.place.setText(str(tmp_path / "nowhere"))
    qtbot.keyClick(dialog.place, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "nowhere cannot be read: No such file" in dialog.note.text())


def test_a_full_folder_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders first; hidden files and other kinds are left out; a file that leads nowhere is none."""
    for name in ("b.json", "A.json", ".hidden.json", "c.txt"):
        (tmp_path / name).write_text("")
    (tmp_path / "z").mkdir()
    (tmp_path / "dead.json").symlink_to(tmp_path / "nowhere")
    found, more = file_dialog.read_folder(tmp_path, ["*.json"])
    assert ([one.name for one in found], more) == (["z", "A.json", "b.json"], False)
    found, _ = file_dialog.read_folder(tmp_path, ["*"], folders_only=True)
    assert [one.name for one in found] == ["z"]
    monkeypatch.setattr(file_dialog, "MOST", 2)
    found, more = file_dialog.read_folder(tmp_path, ["*.json"])
    assert (len(found), more) == (2, True)


def test_the_last_folder_of_each_kind_is_kept(
    window: QWidget, tmp_path: Path, qtbot: Any, folders: LastFolders
) -> None:
    """Across a restart of the console; what cannot be read is forgotten."""
    kept = tmp_path / "config" / "folders.json"
    folders.keep_in(kept)
    opened: list[Path] = []
    ask_save(window, "Save receipt", "r.json", opened.append)
    dialog_of(window).select_file(str(tmp_path / "r.json"))
    dialog_of(window).take()
    qtbot.waitUntil(lambda: bool(opened) and kept.exists())
    again = LastFolders()
    again.keep_in(kept)
    assert again.of("Save receipt", Path("/else")) == tmp_path
    assert again.of("Save badge", Path("/else")) == Path("/else")
    kept.write_text("[")
    again.keep_in(kept)
    assert again.of("Save receipt", Path("/else")) == Path("/else")


@pytest.mark.parametrize(
    ("platform", "themed", "native"),
    [
        ("windows", "", True),
        ("cocoa", "", True),
        ("xcb", "", False),
        ("xcb", "gtk3", True),
        ("wayland", "xdgdesktopportal", True),
        ("offscreen", "gtk3", False),
        ("xcb", "qt6ct", False),
    ],
)
def test_the_desktops_own_dialog_is_taken_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch, platform: str, themed: str, native: bool
) -> None:
    """A platform theme without dialogs would be Qt's own again."""
    monkeypatch.setattr(files.QGuiApplication, "platformName", lambda: platform)
    monkeypatch.setenv("QT_QPA_PLATFORMTHEME", themed)
    assert files.has_native() is native


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
    assert toasts == [f"The list is in {path.parent.name}/{path.name}."]


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
