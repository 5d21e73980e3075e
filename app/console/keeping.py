"""Files that a page gives away: the person says where, the file is written in the background, a toast tells how."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from app.console.failures import Failure, failure_of
from app.console.saving import save_private
from app.console.session import WindowSession


class FileKeeper:
    """One file at a time; ``saving`` names what is being saved. It goes on when the page is left."""

    def __init__(self, view: QWidget, session: WindowSession) -> None:
        self._view = view
        self._session = session
        self.saving = ""

    def ask(self, title: str, name: str, save: Callable[[Path], None]) -> None:
        """Ask where a file goes, ``name`` proposed, and call ``save`` with the place."""
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        dialog = QFileDialog(self._view, title, folder)
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(Path(name).suffix.lstrip("."))
        dialog.selectFile(name)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda chosen: save(Path(chosen)))
        dialog.open()

    def keep(self, path: Path, what: str, data: bytes) -> None:
        """Write ``data`` to ``path``."""

        async def made() -> bytes:
            return data

        self.keep_made(path, what, made)

    def keep_made(self, path: Path, what: str, made: Callable[[], Awaitable[bytes]], then: str = "") -> None:
        """Write what ``made`` gives to ``path``, and say ``then`` what is to be done with it; nothing while another
        file is being written."""
        if not self.saving:
            self.saving = what
            self._session.actions.refresh()
            self._session.tasks.spawn(self._write(path, what, made, then), name=f"save {path.name}")

    async def _write(self, path: Path, what: str, made: Callable[[], Awaitable[bytes]], then: str) -> None:
        try:
            data = await made()
            await asyncio.to_thread(save_private, path, data)
            self._session.notify(f"{what} is in {path}. {then}".rstrip())
        except OSError as error:
            said = f"{path} cannot be written: {error.strerror or error}."
            self._session.notify_failure(what, Failure("export_failed", said, "Choose another place."))
        except Exception as error:  # told as a toast: the page may be gone
            self._session.notify_failure(what, failure_of(error))
        finally:
            self.saving = ""
            self._session.actions.refresh()
