"""A dialog that asks where a file lies. Folders are read on a worker thread, so a full, slow or dead one stops nothing:
Qt's own dialog holds the window while it reads thousands of files."""

from __future__ import annotations

import contextlib
import enum
import fnmatch
import os
import stat
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.console import theme
from app.console.clock import date_time
from app.console.language import number, tr
from app.console.widgets.buttons import plain_button
from app.console.widgets.dialog import Dialog
from app.console.widgets.dialog_size import resize_dialog
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import label

_READING = tr("Reading the folder.")
MOST = 5000
"""Entries that are listed; of a folder with more a name is typed."""


class Asked(enum.Enum):
    """What the dialog asks for."""

    OPEN = "open"
    SAVE = "save"
    FOLDER = "folder"


_BUTTONS: Mapping[Asked, str] = {Asked.OPEN: tr("Open"), Asked.SAVE: tr("Save"), Asked.FOLDER: tr("Choose")}


@dataclass(frozen=True)
class FolderEntry:
    """One line: ``size`` in bytes, ``changed`` Unix seconds."""

    name: str
    folder: bool
    size: int = 0
    changed: float = 0.0


def read_folder(path: Path, patterns: Sequence[str], *, folders_only: bool = False) -> tuple[list[FolderEntry], bool]:
    """What lies in a folder, folders first, and whether there is more than that. Hidden files and those that match no
    pattern are left out. Raises OSError. Blocks on the disk."""
    found: list[FolderEntry] = []
    more = False
    with os.scandir(path) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):  # it went meanwhile, or leads nowhere
                seen = entry.stat()
                folder = stat.S_ISDIR(seen.st_mode)
                fits = folder or (not folders_only and any(fnmatch.fnmatch(entry.name, one) for one in patterns))
                if entry.name.startswith(".") or not fits:
                    continue
                if len(found) >= MOST:
                    more = True
                    break
                found.append(FolderEntry(entry.name, folder, seen.st_size, seen.st_mtime))
    found.sort(key=lambda one: (not one.folder, one.name.casefold()))
    return found, more


def patterns_of(kind: str) -> list[str]:
    """Of a kind as Qt writes it: ``JSON (*.json)``. Everything where it names none."""
    inside = kind.rpartition("(")[2].rstrip(")") if "(" in kind else ""
    return inside.split() or ["*"]


def _size_order(entry: FolderEntry) -> int | None:
    return None if entry.folder else entry.size


def _size_words(entry: FolderEntry) -> str:
    if entry.folder:
        return ""
    return f"{number(entry.size, ',')} B" if entry.size < 10_000 else f"{number(entry.size / 1000, ',.0f')} kB"


def _files(count: int) -> str:
    """What stands in the field of the name while several files are chosen."""
    return tr("{count} files", count=count)


class FileDialog(Dialog):
    """Emits ``chosen`` (paths, one unless ``several``) and ``kind_chosen`` (as Qt writes it). ``confirms``: a file that
    exists is written over only when Save is pressed again."""

    chosen = Signal(list)
    kind_chosen = Signal(str)
    _answered = Signal(object)

    def __init__(
        self,
        parent: QWidget,
        title: str,
        folder: Path,
        asked: Asked,
        *,
        kinds: Sequence[str] = (),
        several: bool = False,
        confirms: bool = True,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.asked, self.several, self.confirms = asked, several, confirms
        self.suffix = ""
        """What a name without a suffix gets, without its dot."""
        self.folder = folder
        self._turn = 0
        self._confirmed: Path | None = None
        self._answered.connect(lambda answer: answer())
        self._build(title, kinds)
        self.show_folder(folder)
        resize_dialog(self, 760, 520)

    def _build(self, title: str, kinds: Sequence[str]) -> None:
        """Make and lay out the widgets."""
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(label(title, "title"))
        head = QHBoxLayout()
        self.place = QLineEdit()
        self.place.setAccessibleName(tr("Folder"))
        self.place.setFont(theme.mono())
        self.place.returnPressed.connect(lambda: self.show_folder(Path(self.place.text()).expanduser()))
        self.up = plain_button(tr("Parent folder"), lambda: self.show_folder(self.folder.parent))
        head.addWidget(self.place, 1)
        head.addWidget(self.up)
        column.addLayout(head)
        self.rows: RowsModel[FolderEntry] = RowsModel(
            [
                Column(tr("NAME"), lambda one: one.name + "/" * one.folder),
                Column(tr("SIZE"), _size_words, 112, right=True, dim=True, order=_size_order),
                Column(tr("CHANGED"), lambda one: date_time(one.changed), 176, mono=True, dim=True, spare=1),
            ],
            lambda one: one.name,
        )
        self.table = DataTable(self.rows, name=tr("Files of the folder"), sorts=True)
        if self.several:
            self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.opened.connect(self._open_row)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._take_selection())
        column.addWidget(self.table, 1)
        form = QGridLayout()
        self.name = QLineEdit()
        self.name.setAccessibleName(tr("Name of the file"))
        self.name.setPlaceholderText(tr("Name, or a whole path"))
        self.name.returnPressed.connect(self.take)
        self.name.textEdited.connect(lambda _text: self._forget())
        form.addWidget(self.name, 0, 0)
        self.kinds = QComboBox()
        self.kinds.setAccessibleName(tr("Kind of file"))
        self.kinds.addItems(list(kinds))
        self.kinds.setVisible(bool(kinds) and self.asked is not Asked.FOLDER)
        self.kinds.currentTextChanged.connect(self._take_kind)
        form.addWidget(self.kinds, 0, 1)
        column.addLayout(form)
        self.note = label("", "small", wrap=True)
        column.addWidget(self.note)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(plain_button(tr("Cancel"), self.reject))
        self.button = plain_button(_BUTTONS[self.asked], self.take)
        self.button.setProperty("role", "primary")
        foot.addWidget(self.button)
        column.addLayout(foot)
        self.name.setFocus()

    # --- the folder --------------------------------------------------------------------------------------------------

    def show_folder(self, folder: Path) -> None:
        """Read a folder on a worker thread, and show it if nothing else was asked meanwhile."""
        self._turn += 1
        turn, folders_only = self._turn, self.asked is Asked.FOLDER
        patterns = patterns_of(self.kinds.currentText())
        self.note.setText(_READING)

        def work() -> Callable[[], None]:
            try:
                found, more = read_folder(folder, patterns, folders_only=folders_only)
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or str(error)
                return lambda: self._show_trouble(
                    turn, tr("{folder} cannot be read: {reason}.", folder=folder, reason=reason)
                )
            return lambda: self._show_entries(turn, folder, found, more=more)

        self._start(work)

    def _start(self, work: Callable[[], Callable[[], None]]) -> None:
        """Run ``work`` on a thread of its own (a dead share may hold it for minutes), then what it gives, here."""

        def run() -> None:
            answer = work()
            with contextlib.suppress(RuntimeError):  # the dialog was closed meanwhile
                self._answered.emit(answer)

        threading.Thread(target=run, name="folder", daemon=True).start()

    def _show_entries(self, turn: int, folder: Path, found: Sequence[FolderEntry], *, more: bool) -> None:
        if turn != self._turn:
            return
        self.folder = folder
        self.place.setText(str(folder))
        self.rows.set_rows(found)
        # What was said meanwhile of a name that was taken stays: nobody would learn why nothing happened.
        if self.note.text() == _READING:
            self.note.setText(
                tr("The first {most:,} are listed. Type the name of another one.", most=MOST) if more else ""
            )

    def _show_trouble(self, turn: int, words: str) -> None:
        # As above: what was said of a name stays.
        if turn == self._turn and self.note.text() == _READING:
            self.note.setText(words)

    def _take_kind(self, kind: str) -> None:
        self.kind_chosen.emit(kind)
        self.show_folder(self.folder)

    # --- the choice --------------------------------------------------------------------------------------------------

    def select_file(self, name: str) -> None:
        """Fill a name, or a whole path, in."""
        self.name.setText(name)

    def _forget(self) -> None:
        self._confirmed = None
        self.button.setText(_BUTTONS[self.asked])

    def _chosen_rows(self) -> list[FolderEntry]:
        return [self.rows.rows[index.row()] for index in self.table.selectionModel().selectedRows()]

    def _take_selection(self) -> None:
        names = [one.name for one in self._chosen_rows() if one.folder is (self.asked is Asked.FOLDER)]
        if names:
            self._forget()
            self.name.setText(names[0] if len(names) == 1 else _files(len(names)))

    def _open_row(self, row: int) -> None:
        entry = self.rows.rows[row]
        if entry.folder:
            self.show_folder(self.folder / entry.name)
        else:
            self.take()

    @property
    def paths(self) -> list[Path]:
        """What is chosen: the rows, where several are, else the name."""
        rows = [one for one in self._chosen_rows() if not one.folder]
        if self.several and len(rows) > 1 and self.name.text() == _files(len(rows)):
            return [self.folder / one.name for one in rows]
        text = self.name.text().strip()
        if not text:
            return [self.folder] if self.asked is Asked.FOLDER else []
        path = self.folder / Path(text).expanduser()
        if self.asked is Asked.SAVE and self.suffix and not path.suffix:
            path = path.with_name(f"{path.name}.{self.suffix}")
        return [path]

    def take(self) -> None:
        """Look, on a worker thread, whether what is chosen will do; then give it out."""
        paths = self.paths
        if not paths:
            self.note.setText(tr("Choose a file, or type its name."))
            return

        def work() -> Callable[[], None]:
            kinds = [_kind_of(path) for path in paths]
            parent = _kind_of(paths[0].parent)
            return lambda: self._judge(paths, kinds, parent)

        self._start(work)

    def _judge(self, paths: Sequence[Path], kinds: Sequence[str], parent: str) -> None:
        """Give the paths out, or say what is missing."""
        first = paths[0]
        if self.asked is not Asked.FOLDER and kinds == ["folder"]:
            self.name.clear()
            self.show_folder(first)
        elif self.asked is Asked.OPEN and "" in kinds:
            self.note.setText(tr("{file} is not there.", file=paths[list(kinds).index("")]))
        elif self.asked is Asked.FOLDER and kinds != ["folder"]:
            self.note.setText(tr("{folder} is no folder.", folder=first))
        elif self.asked is Asked.SAVE and parent != "folder":
            self.note.setText(tr("{folder} is no folder.", folder=first.parent))
        elif self.asked is Asked.SAVE and kinds == ["file"] and self.confirms and self._confirmed != first:
            self._confirmed = first
            self.button.setText(tr("Replace"))
            self.note.setText(tr("{file} exists. Press Enter again to replace it.", file=first.name))
        else:
            self.accept()
            self.chosen.emit(list(paths))


def _kind_of(path: Path) -> str:
    """``folder``, ``file``, or empty for what is not there. Blocks on the disk."""
    try:
        return "folder" if stat.S_ISDIR(os.stat(path).st_mode) else "file"
    except (OSError, ValueError):
        return ""
