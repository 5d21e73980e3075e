"""Files that a person opens or keeps: a dialog that stops nothing asks where they lie, and what is kept is written in
the background, whole or not at all."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog, QWidget

from app.console.failures import Failure, failure_of
from app.console.session import WindowSession

# --- asking where -----------------------------------------------------------------------------------------------------


def ask_save(
    parent: QWidget,
    title: str,
    name: str,
    save: Callable[[Path], object],
    *,
    kinds: Sequence[str] = (),
    folder: Path | None = None,
    overwrite: bool = True,
) -> None:
    """Ask where a file goes, ``name`` proposed, and call ``save`` with the place.

    ``kinds`` as Qt writes them, ``PDF (*.pdf)``: the one that is chosen gives the suffix. ``folder``: where the dialog
    begins, by default with the person's documents. ``overwrite`` False: the dialog does not ask about a name that
    exists, because ``save`` refuses it.
    """
    dialog = _dialog(parent, title, folder or _documents(), kinds)
    dialog.setOption(QFileDialog.Option.DontConfirmOverwrite, not overwrite)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(Path(name).suffix.lstrip("."))
    dialog.filterSelected.connect(lambda kind: dialog.setDefaultSuffix(kind.rpartition("*.")[2].rstrip(")")))
    dialog.selectFile(name)
    dialog.fileSelected.connect(lambda path: save(Path(path)))
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
    ``pictures``: the dialog begins with the person's pictures instead of the documents."""
    where = QStandardPaths.StandardLocation.PicturesLocation
    folder = Path(QStandardPaths.writableLocation(where)) if pictures else _documents()
    dialog = _dialog(parent, title, folder, kinds)
    mode = QFileDialog.FileMode
    dialog.setFileMode(mode.ExistingFiles if several else mode.ExistingFile)
    dialog.filesSelected.connect(lambda names: take([Path(name) for name in names]))
    dialog.open()


def ask_folder(parent: QWidget, title: str, take: Callable[[Path], object]) -> None:
    """Ask for an existing folder, and call ``take`` with it."""
    dialog = _dialog(parent, title, _documents(), ())
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.fileSelected.connect(lambda path: take(Path(path)))
    dialog.open()


def _documents() -> Path:
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))


def _dialog(parent: QWidget, title: str, folder: Path, kinds: Sequence[str]) -> QFileDialog:
    """Qt's own dialog: a native one would stop the loop."""
    dialog = QFileDialog(parent, title, str(folder))
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    if kinds:
        dialog.setNameFilters(list(kinds))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return dialog


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
        session.notify(f"{what} was not saved as {path}: {error.strerror}.", "bad", subject=str(path))
        return False
    session.notify(f"{what} saved as {path}.", subject=str(path))
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
            self._session.notify(f"{what} is in {path}. {then}".rstrip(), subject=str(path))
        except OSError as error:
            sentence = f"{path} cannot be written: {error.strerror or error}."
            self._session.notify_failure(what, Failure("export_failed", sentence, "Choose another place."))
        except Exception as error:  # told as a toast: the page may be gone
            self._session.notify_failure(what, failure_of(error))
        finally:
            self.saving = ""
            self._session.actions.refresh()
