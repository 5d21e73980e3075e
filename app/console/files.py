"""Files that a person opens or keeps: a dialog that stops nothing asks where they lie, and what is kept is written in
the background, whole or not at all."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import threading
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from app.console.failures import Failure, failure_of
from app.console.file_dialog import Asked, FileDialog
from app.console.language import tr
from app.console.session import WindowSession

NATIVE_THEMES = ("gtk3", "xdgdesktopportal")

# --- asking where -----------------------------------------------------------------------------------------------------

HOW_TO_VERIFY = tr("Anybody checks it with: arc-console verify")
"""What a toast says of a signed bundle after its place."""


class LastFolders:
    """The folder of each kind of file (its dialog's title) that was used last, in a file of this user."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._found: dict[str, str] = {}

    def keep_in(self, path: Path) -> None:
        """Keep them in that file from now on. What cannot be read is forgotten."""
        self._path = path
        self._found = {}
        with contextlib.suppress(OSError, ValueError, RecursionError):
            found = json.loads(path.read_bytes())
            if isinstance(found, dict):
                self._found = {key: value for key, value in found.items() if isinstance(value, str)}

    def of(self, kind: str, otherwise: Path) -> Path:
        """Where the last one of that kind was; ``otherwise`` before the first."""
        return Path(self._found[kind]) if kind in self._found else otherwise

    def remember(self, kind: str, folder: Path) -> None:
        """Note where one was opened or saved. Writing is the work of a thread: nobody waits for it."""
        if self._found.get(kind) == str(folder):
            return
        self._found[kind] = str(folder)
        if (path := self._path) is not None:
            data = json.dumps(self._found, indent=2).encode()
            threading.Thread(target=self._write, args=(path, data), name="last folders", daemon=True).start()

    @staticmethod
    def _write(path: Path, data: bytes) -> None:
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            save_private(path, data)


last_folders = LastFolders()
"""Those of this console."""


def ask_save(
    parent: QWidget,
    title: str,
    name: str,
    save: Callable[[Path], object],
    *,
    kinds: Sequence[str] = (),
    overwrite: bool = True,
) -> None:
    """Ask where a file goes, ``name`` proposed, and call ``save`` with the place.

    ``kinds`` as Qt writes them, ``PDF (*.pdf)``: the one that is chosen gives the suffix. ``overwrite`` False: the
    dialog does not ask about a name that exists, because ``save`` refuses it.
    """
    folder = last_folders.of(title, _documents())

    def take(paths: list[Path]) -> None:
        last_folders.remember(title, paths[0].parent)
        save(paths[0])

    if has_native():
        native = _native(parent, title, folder, kinds)
        native.setOption(QFileDialog.Option.DontConfirmOverwrite, not overwrite)
        native.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        native.setDefaultSuffix(Path(name).suffix.lstrip("."))
        native.filterSelected.connect(lambda kind: native.setDefaultSuffix(_suffix_of(kind)))
        native.selectFile(name)
        native.fileSelected.connect(lambda path: take([Path(path)]))
        native.open()
        return
    dialog = FileDialog(parent, title, folder, Asked.SAVE, kinds=kinds, confirms=overwrite)
    dialog.suffix = Path(name).suffix.lstrip(".")

    def follow(kind: str) -> None:
        dialog.suffix = _suffix_of(kind)

    dialog.kind_chosen.connect(follow)
    dialog.select_file(name)
    dialog.chosen.connect(take)
    dialog.open()


def ask_open(
    parent: QWidget,
    title: str,
    take: Callable[[list[Path]], object],
    *,
    kinds: Sequence[str] = (),
    pictures: bool = False,
    several: bool = False,
) -> None:
    """Ask for an existing file, or for ``several``, and call ``take`` with what is chosen. ``kinds`` as Qt writes them;
    ``pictures``: the first dialog begins with the person's pictures instead of the documents."""
    where = QStandardPaths.StandardLocation.PicturesLocation
    first = Path(QStandardPaths.writableLocation(where)) if pictures else _documents()
    folder = last_folders.of(title, first)

    def hand_over(paths: list[Path]) -> None:
        last_folders.remember(title, paths[0].parent)
        take(paths)

    if has_native():
        native = _native(parent, title, folder, kinds)
        mode = QFileDialog.FileMode
        native.setFileMode(mode.ExistingFiles if several else mode.ExistingFile)
        native.filesSelected.connect(lambda names: hand_over([Path(name) for name in names]))
        native.open()
        return
    dialog = FileDialog(parent, title, folder, Asked.OPEN, kinds=kinds, several=several)
    dialog.chosen.connect(hand_over)
    dialog.open()


def ask_folder(parent: QWidget, title: str, take: Callable[[Path], object]) -> None:
    """Ask for an existing folder, and call ``take`` with it."""
    folder = last_folders.of(title, _documents())

    def hand_over(path: Path) -> None:
        last_folders.remember(title, path)
        take(path)

    if has_native():
        native = _native(parent, title, folder, ())
        native.setOption(QFileDialog.Option.ShowDirsOnly)
        native.setFileMode(QFileDialog.FileMode.Directory)
        native.fileSelected.connect(lambda path: hand_over(Path(path)))
        native.open()
        return
    dialog = FileDialog(parent, title, folder, Asked.FOLDER)
    dialog.chosen.connect(lambda paths: hand_over(paths[0]))
    dialog.open()


def has_native() -> bool:
    """Whether the desktop has a file dialog of its own that Qt opens without holding the loop: Windows, macOS, and the
    platform themes ``gtk3`` and ``xdgdesktopportal`` (``QT_QPA_PLATFORMTHEME``)."""
    if QGuiApplication.platformName() in ("windows", "cocoa"):
        return True
    themed = os.environ.get("QT_QPA_PLATFORMTHEME", "") in NATIVE_THEMES
    return themed and QGuiApplication.platformName() in ("xcb", "wayland")


def _native(parent: QWidget, title: str, folder: Path, kinds: Sequence[str]) -> QFileDialog:
    dialog = QFileDialog(parent, title, str(folder))
    if kinds:
        dialog.setNameFilters(list(kinds))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return dialog


def _suffix_of(kind: str) -> str:
    return kind.rpartition("*.")[2].rstrip(")")


def _documents() -> Path:
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))


def dropped_file(event: QDropEvent) -> Path | None:
    """The one file that is dropped; None for anything else."""
    urls = event.mimeData().urls()
    return Path(urls[0].toLocalFile()) if len(urls) == 1 and urls[0].isLocalFile() else None


# --- reading and writing ----------------------------------------------------------------------------------------------


def read_some(path: Path, most: int) -> bytes:
    """At most ``most`` bytes of a file. Raises OSError. Blocks on the disk."""
    with path.open("rb") as file:
        return file.read(most)


def save_private(path: Path, data: bytes) -> None:
    """Write ``data`` durably beside ``path`` and put it in its place, readable by its owner alone. Raises OSError; what
    was there before is then still there. Blocks on the disk."""
    part = path.with_name(f".{path.name}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            part.unlink()


async def save_file(session: WindowSession, path: Path, data: bytes, what: str) -> bool:
    """Write a file by ``save_private`` and say in a toast how it went; ``what`` begins the sentence. Returns whether it
    is written."""
    try:
        await asyncio.to_thread(save_private, path, data)
    except OSError as error:
        session.notify(
            tr("{what} was not saved as {path}: {reason}.", what=what, path=path, reason=error.strerror),
            "bad",
            subject=str(path),
        )
        return False
    session.notify(tr("{what} saved as {path}.", what=what, path=path), subject=str(path))
    return True


class FileKeeper:
    """Files that a page gives away, one at a time; ``saving`` names what is being saved. It goes on when the page is
    left."""

    def __init__(self, view: QWidget, session: WindowSession) -> None:
        self._view = view
        self._session = session
        self.saving = ""

    def ask(self, title: str, name: str, save: Callable[[Path], None]) -> None:
        """Ask where a file goes, ``name`` proposed, and call ``save`` with the place."""
        ask_save(self._view, title, name, save)

    def keep(self, path: Path, what: str, data: bytes) -> None:
        """Write ``data`` to ``path``."""

        async def give() -> bytes:
            return data

        self.keep_made(path, what, give)

    def keep_made(self, path: Path, what: str, make: Callable[[], Awaitable[bytes]], then: str = "") -> None:
        """Write what ``make`` gives to ``path``, and say ``then`` what is to be done with it. Does nothing while
        another file is being written."""
        if not self.saving:
            self.saving = what
            self._session.actions.refresh()
            self._session.tasks.spawn(self._write(path, what, make, then), name=f"save {path.name}")

    async def _write(self, path: Path, what: str, make: Callable[[], Awaitable[bytes]], then: str) -> None:
        """Make the bytes, write them, and say in a toast how it went."""
        try:
            data = await make()
            await asyncio.to_thread(save_private, path, data)
            # The folder's name and the file's: a whole path leaves no room for what is to be done with it.
            where = f"{path.parent.name}/{path.name}"
            kept = tr("{what} is in {place}.", what=what, place=where)
            self._session.notify(f"{kept} {then}".rstrip(), subject=str(path))
        except OSError as error:
            sentence = tr("{path} cannot be written: {why}.", path=path, why=error.strerror or error)
            self._session.notify_failure(what, Failure("export_failed", sentence, tr("Choose another place.")))
        except Exception as error:  # told as a toast: the page may be gone
            self._session.notify_failure(what, failure_of(error))
        finally:
            self.saving = ""
            self._session.actions.refresh()
