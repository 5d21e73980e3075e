"""A brought list before and while it is sent: all that is wrong with it by line, or what will be taken."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.capabilities.provisioning.stock.messages import ImportReply, ImportRow, Validation
from app.console.code_words import code_word
from app.console.failures import Failure
from app.console.formats.spreadsheet import MOST_WRONG, Wrong
from app.console.language import number, tr
from app.console.pages.stock.lines import Brought, ElementList
from app.console.pages.stock.words import declared_words
from app.console.widgets.banner import Banner
from app.console.widgets.buttons import plain_button
from app.console.widgets.dialog import Dialog
from app.console.widgets.dialog_size import resize_dialog
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import label


class ImportDialog(Dialog):
    """Emits ``asked`` when the list (or the rest of it) is to be sent, ``another`` for another file.

    ``taken`` counts the chunks that the service has: sending goes on after them. Secrets of the file are never shown;
    of a line's keys it only says that there are some.
    """

    asked = Signal()
    another = Signal()

    def __init__(self, window: QWidget, name: str, brought: ElementList) -> None:
        super().__init__(window)
        self.brought = brought
        self.taken = 0
        self.sending = False
        self.stopping = False
        self._made = 0
        self._changed = 0
        self.setWindowTitle(tr("Import {name}", name=name))
        self.setAccessibleName(tr("Import {name}", name=name))
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        resize_dialog(self, 860, 560)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(label(tr("Import {name}", name=name), "title"))
        self.words = label(self._summary(), "dim", wrap=True)
        column.addWidget(self.words)
        self.banner = Banner()
        column.addWidget(self.banner)
        self.table = self._wrong_table() if brought.wrong else self._line_table()
        column.addWidget(self.table, 1)
        row = QHBoxLayout()
        self.progress = label("", "dim")
        row.addWidget(self.progress)
        row.addStretch(1)
        self.cancel = plain_button(tr("Cancel"), self.reject)
        self.choose = plain_button(tr("Choose another file"), self.another.emit)
        self.send = plain_button(tr("Import {count:,}", count=len(brought.lines)), self._ask)
        self.send.setProperty("role", "primary")
        for part in (self.cancel, self.choose, self.send):
            row.addWidget(part)
        column.addLayout(row)
        if brought.wrong:
            self.send.hide()
            self.choose.setDefault(True)
            self.choose.setFocus()
        else:
            self.send.setDefault(True)
            self.send.setFocus()

    # --- what is shown -----------------------------------------------------------------------------------------------

    def _summary(self) -> str:
        """What the file holds, or what is wrong with it."""
        found = self.brought
        ignored = (
            tr(" Columns that mean nothing here: {columns}.", columns=", ".join(found.ignored)) if found.ignored else ""
        )
        if found.wrong:
            lines = len({one.number for one in found.wrong})
            if lines <= 1:
                said = tr("One line is wrong; nothing was sent. Mend the file and choose it again.")
            elif len(found.wrong) < MOST_WRONG:
                said = tr(
                    "{count:,} lines are wrong; nothing was sent. Mend the file and choose it again.", count=lines
                )
            else:
                said = tr(
                    "{count:,} or more lines are wrong; nothing was sent. Mend the file and choose it again.",
                    count=lines,
                )
            return said + ignored
        keys = sum(one.row.transport is not None for one in found.lines)
        with_keys = tr("{count:,} of them with transport keys, which are not shown. ", count=keys) if keys else ""
        return tr(
            "{count:,} elements, all lines are good. {with_keys}An element that is in the stock already "
            "takes the line's values; its state stays unless the line names one, its keys unless it has "
            "some.{ignored}",
            count=len(found.lines),
            with_keys=with_keys,
            ignored=ignored,
        )

    def _wrong_table(self) -> DataTable:
        columns: list[Column[tuple[int, Wrong]]] = [
            Column(tr("LINE"), lambda row: number(row[1].number, ","), 72, right=True),
            Column(tr("COLUMN"), lambda row: row[1].column or "–", 132, mono=True),
            Column(tr("WHAT IS RIGHT"), lambda row: row[1].sentence),
        ]
        rows = RowsModel(columns, lambda row: str(row[0]), self)
        rows.set_rows(list(enumerate(self.brought.wrong)))
        return DataTable(rows, name=tr("What is wrong with the file, by line"))

    def _line_table(self) -> DataTable:
        """The table of the lines that are good."""
        columns: list[Column[Brought]] = [
            Column(tr("LINE"), lambda line: number(line.number, ","), 72, right=True, dim=True),
            Column(tr("ELEMENT"), lambda line: line.row.hardware_uid, 124, mono=True),
            Column(tr("PRODUCT"), lambda line: line.row.product, least=140),
            Column(tr("LOCATION"), lambda line: line.row.location or "–", 108, dim=True),
            Column(tr("STATE"), _state_word, 84, dim=True),
            Column(tr("DECLARED"), lambda line: _declaration(line.row), 160, dim=True),
            Column(tr("KEYS"), lambda line: tr("Given") if line.row.transport else "–", 60, dim=True),
        ]
        rows = RowsModel(columns, lambda line: str(line.number), self)
        rows.set_rows(self.brought.lines)
        return DataTable(rows, name=tr("Elements of the file"))

    # --- sending -----------------------------------------------------------------------------------------------------

    @property
    def chunk(self) -> Sequence[Brought]:
        """What goes next; empty when all was taken."""
        chunks = self.brought.chunks
        return chunks[self.taken] if self.taken < len(chunks) else ()

    @property
    def sent(self) -> int:
        """How many elements the service has taken."""
        return sum(len(chunk) for chunk in self.brought.chunks[: self.taken])

    def _ask(self) -> None:
        self.banner.clear()
        self.stopping = False
        self._sends(True)
        self.asked.emit()

    def took(self, reply: ImportReply) -> None:
        """The service has taken the next chunk, whole."""
        self._made += reply.made
        self._changed += reply.changed
        self.taken += 1
        self.progress.setText(tr("{count:,} of {total:,} taken", count=self.sent, total=len(self.brought.lines)))

    def show_stop(self, failure: Failure | None = None) -> None:
        """Sending has ended before the end: by the person, or because a chunk was refused."""
        chunk = self.chunk
        self._sends(False)
        if self.taken:
            self.send.setText(tr("Import the other {count:,}", count=len(self.brought.lines) - self.sent))
        self.send.setAccessibleName(self.send.text())
        self.send.setFocus()
        if failure is not None:
            self.banner.show_failure(failure)
        taken = tr("{count:,} of {total:,} are in the stock.", count=self.sent, total=len(self.brought.lines))
        why = (
            tr("Of lines {first:,} to {last:,} none was taken.", first=chunk[0].number, last=chunk[-1].number)
            if failure is not None
            else tr("The others were not sent.")
        )
        self.progress.setText(f"{taken} {why}")

    @property
    def outcome(self) -> str:
        """What became of it, in words."""
        return tr(
            "{count:,} elements imported: {new:,} new, {changed:,} changed.",
            count=self.sent,
            new=self._made,
            changed=self._changed,
        )

    def _sends(self, sending: bool) -> None:
        self.sending = sending
        self.send.setEnabled(not sending)
        self.choose.setEnabled(not sending)
        self.cancel.setText(tr("Stop") if sending else tr("Close") if self.taken else tr("Cancel"))
        self.cancel.setAccessibleName(self.cancel.text())
        if sending:
            self.progress.setText(tr("{count:,} of {total:,} taken", count=self.sent, total=len(self.brought.lines)))
            self.cancel.setFocus()

    def reject(self) -> None:
        """Esc, Cancel, Stop: what is on its way to the service is waited for, so that nobody is left guessing."""
        if self.sending:
            self.stopping = True
            self.cancel.setEnabled(False)
            self.progress.setText(tr("Stopping after this part"))
            return
        super().reject()


def _state_word(line: Brought) -> str:
    return code_word(line.row.state) if line.row.state else tr("As it is")


def _declaration(row: ImportRow) -> str:
    found = row.validation
    if found is None:
        return "–"
    tag = str(found.__struct_config__.tag)
    level = getattr(found, "level", None)
    return declared_words(Validation(standard=tag, certificate=found.certificate, level=level))  # type: ignore[arg-type]
