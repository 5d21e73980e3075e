"""Files that the page gives out: where they shall lie is asked in a dialog that stops nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from app.console.saving import save_private
from app.console.session import WindowSession


def ask_file(
    parent: QWidget, title: str, name: str, kind: str, chosen: Callable[[Path], object], *, overwrite: bool = True
) -> None:
    """``chosen`` is called with the path that the person agreed to. ``kind`` as Qt writes it, ``PDF (*.pdf)``;
    ``overwrite`` False: a name that is taken is refused later, by whoever makes the file."""
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    dialog = QFileDialog(parent, title, folder, kind)
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    dialog.setOption(QFileDialog.Option.DontConfirmOverwrite, not overwrite)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(kind.rpartition("*.")[2].rstrip(")"))
    dialog.selectFile(name)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(lambda path: chosen(Path(path)))
    dialog.open()


async def save_file(session: WindowSession, path: Path, data: bytes, what: str) -> bool:
    """Write it whole or not at all, and tell how it went; ``what`` begins the sentence. Whether it is there."""
    try:
        await asyncio.to_thread(save_private, path, data)
    except OSError as error:
        session.notify(f"{what} was not saved as {path}: {error.strerror}.", "bad")
        return False
    session.notify(f"{what} saved as {path}.")
    return True
