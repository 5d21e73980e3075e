"""Register or edit a reader cluster: a form that shows at its fields what the service refuses."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.console import theme
from app.console.failures import Failure
from app.console.ids import wrong_id
from app.console.language import tr
from app.console.widgets.dialog import Dialog
from app.console.widgets.text import label
from app.registry.messages.clusters import ReaderBody, ReaderCluster, ReaderClusterBody

COLUMNS = (tr("READER ID"), tr("CHANNEL"), tr("ADDRESS"), tr("BAUD"), tr("LIST ON BOARD"))
_POINTERS = {"reader_id": 0, "channel": 1, "address": 2, "baud": 3, "onboard_list": 4}


class NotANumber(ValueError):
    """A number was expected: ``args`` are row, column and sentence."""


class ClusterEditor(Dialog):
    """``save(cluster_id, body)`` is called on Save; the caller answers by ``show_failure`` or ``accept``."""

    def __init__(
        self,
        window: QWidget,
        cluster: ReaderCluster | None,
        save: Callable[[str, ReaderClusterBody], object],
        *,
        training: bool,
    ) -> None:
        super().__init__(window)
        self._cluster = cluster
        self._save = save
        self._training = training
        title = tr("Edit {cluster}", cluster=cluster.display_name) if cluster else tr("Register a cluster")
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(820, 560)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(10)
        column.addWidget(label(title, "title"))
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(4)
        self.cluster_id = QLineEdit(cluster.cluster_id if cluster else "")
        self.cluster_id.setAccessibleName(tr("Cluster id"))
        self.cluster_id.setPlaceholderText("north-tower")
        self.cluster_id.setEnabled(cluster is None)
        self.name = QLineEdit(cluster.display_name if cluster else "")
        self.name.setAccessibleName(tr("Name of the cluster"))
        self.name.setPlaceholderText(tr("North tower"))
        for text, field in ((tr("Cluster id"), self.cluster_id), (tr("Name"), self.name)):
            caption = label(text, "dim")
            caption.setBuddy(field)
            caption.setMinimumHeight(theme.px(32))
            form.addRow(caption, field)
        column.addLayout(form)
        self.table = QTableWidget(0, len(COLUMNS))
        self.table.setAccessibleName(tr("Readers of the cluster"))
        self.table.setHorizontalHeaderLabels(list(COLUMNS))
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.setTabKeyNavigation(False)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setMinimumHeight(theme.px(32))
        self.table.verticalHeader().setDefaultSectionSize(theme.px(32))
        column.addWidget(self.table, 1)
        hint = (
            tr(
                "Channels: serial:/dev/ttyUSB0, tcp://host:port, one reader each, simulated: (training). "
                "Baud: 9600 to 230400."
            )
            if training
            else tr("Channels: serial:/dev/ttyUSB0, tcp://host:port, one reader each. Baud: 9600 to 230400.")
        )
        column.addWidget(label(hint, "small"))
        self.error = label("", "error", wrap=True)
        self.error.setMinimumHeight(theme.px(20))
        column.addWidget(self.error)
        row = QHBoxLayout()
        add = QPushButton(tr("Add a reader"))
        add.setAccessibleName(tr("Add a reader"))
        add.clicked.connect(self._add_one)
        remove = QPushButton(tr("Remove the reader"))
        remove.setAccessibleName(tr("Remove the chosen reader"))
        remove.clicked.connect(self._remove)
        row.addWidget(add)
        row.addWidget(remove)
        row.addStretch(1)
        cancel = QPushButton(tr("Cancel"))
        cancel.setAccessibleName(tr("Cancel"))
        cancel.clicked.connect(self.reject)
        self.save_button = QPushButton(tr("Save   Ctrl+Return"))
        self.save_button.setAccessibleName(tr("Save"))
        self.save_button.setShortcut("Ctrl+Return")
        self.save_button.setProperty("role", "primary")
        self.save_button.clicked.connect(self._ask)
        row.addWidget(cancel)
        row.addWidget(self.save_button)
        column.addLayout(row)
        for button in (add, remove, cancel, self.save_button):
            button.setAutoDefault(False)
        for reader in cluster.readers if cluster else ():
            self.add_reader(
                ReaderBody(
                    reader_id=reader.reader_id,
                    channel=reader.channel,
                    address=reader.address,
                    baud=reader.baud,  # type: ignore[arg-type]  # the reply says int, the service keeps it to the list
                    onboard_list=reader.onboard_list,
                )
            )
        (self.name if cluster else self.cluster_id).setFocus()

    def add_reader(self, reader: ReaderBody) -> None:
        """Add a row."""
        at = self.table.rowCount()
        self.table.insertRow(at)
        for column, text in enumerate((reader.reader_id, reader.channel, str(reader.address), str(reader.baud))):
            item = QTableWidgetItem(text)
            if column in (0, 1):
                item.setFont(theme.mono())
            self.table.setItem(at, column, item)
        box = QTableWidgetItem("")
        box.setFlags(Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        box.setCheckState(Qt.CheckState.Checked if reader.onboard_list else Qt.CheckState.Unchecked)
        self.table.setItem(at, 4, box)

    def _add_one(self) -> None:
        number = self.table.rowCount() + 1
        stem = self.cluster_id.text().strip() or "reader"
        taken = {self._text(row, 0) for row in range(self.table.rowCount())}
        while f"{stem}-{number:02}" in taken:
            number += 1
        channel = "simulated:" if self._training else "serial:/dev/ttyUSB0"
        self.add_reader(ReaderBody(reader_id=f"{stem}-{number:02}", channel=channel, address=min(number, 126)))
        self.table.setCurrentCell(self.table.rowCount() - 1, 0)
        self.table.setFocus()

    def _remove(self) -> None:
        if self.table.currentRow() >= 0:
            self.table.removeRow(self.table.currentRow())

    def _text(self, row: int, column: int) -> str:
        item = self.table.item(row, column)
        return item.text().strip() if item is not None else ""

    def body(self) -> ReaderClusterBody:
        """The cluster as the form has it. Raises NotANumber."""
        readers = []
        for row in range(self.table.rowCount()):
            numbers = []
            reader = self._text(row, 0) or tr("a reader")
            for column, wrong in (
                (2, tr("The address of {reader} is a number.", reader=reader)),
                (3, tr("The baud rate of {reader} is a number.", reader=reader)),
            ):
                text = self._text(row, column)
                if not text.isascii() or not text.isdigit():
                    raise NotANumber(row, column, wrong)
                numbers.append(int(text))
            box = self.table.item(row, 4)
            readers.append(
                ReaderBody(
                    reader_id=self._text(row, 0),
                    channel=self._text(row, 1),
                    address=numbers[0],
                    baud=numbers[1],  # type: ignore[arg-type]  # the service names the rates that it takes
                    onboard_list=box is not None and box.checkState() is Qt.CheckState.Checked,
                )
            )
        before = self._cluster
        return ReaderClusterBody(
            display_name=self.name.text().strip(),
            readers=readers,
            schedule=before.schedule if before else None,
            tags=before.tags if before else [],
        )

    def _ask(self) -> None:
        """Save what the form holds, or mark every fault of it at once."""
        self._clear_marks()
        said = self._wrong_ids()
        body: ReaderClusterBody | None = None
        try:
            body = self.body()
        except NotANumber as wrong:
            row, column, sentence = wrong.args
            self._mark(row, column)
            said.append(sentence)
        if said or body is None:
            self.error.setText(" ".join(said))
            return
        self.save_button.setEnabled(False)
        self._save(self.cluster_id.text().strip(), body)

    def _wrong_ids(self) -> list[str]:
        """Mark the ids that the service would not take; what is wrong with each."""
        said = []
        if sentence := wrong_id(self.cluster_id.text().strip()):
            theme.mark_invalid(self.cluster_id, True)
            self.cluster_id.setFocus()
            said.append(tr("Cluster id: {sentence}", sentence=sentence))
        for row in range(self.table.rowCount()):
            if sentence := wrong_id(self._text(row, 0)):
                self._mark(row, 0)
                said.append(tr("Reader {reader}: {sentence}", reader=self._text(row, 0) or row + 1, sentence=sentence))
        return said

    def show_failure(self, failure: Failure) -> None:
        """The service refused: mark the fields that it names."""
        self.save_button.setEnabled(True)
        sentences = [sentence for pointer, sentence in failure.fields if self._at(pointer)]
        self.error.setText(" ".join(dict.fromkeys(sentences)) or f"{failure.sentence} {failure.next_step}".strip())
        if not failure.fields and failure.status == 422:
            theme.mark_invalid(self.cluster_id, True)

    def _at(self, pointer: str) -> bool:
        parts = [part for part in pointer.split("/") if part]
        if parts[:1] == ["display_name"]:
            theme.mark_invalid(self.name, True)
            self.name.setFocus()
        elif parts[:1] == ["id"]:
            theme.mark_invalid(self.cluster_id, True)
            self.cluster_id.setFocus()
        elif parts[:1] == ["readers"] and len(parts) >= 2 and parts[1].isdigit():
            self._mark(int(parts[1]), _POINTERS.get(parts[2], 0) if len(parts) > 2 else 0)
        return True

    def _mark(self, row: int, column: int) -> None:
        item = self.table.item(row, column)
        if item is not None:
            self.table.blockSignals(True)
            item.setForeground(QColor(theme.current().bad))
            self.table.blockSignals(False)
            self.table.setCurrentCell(row, column)
            self.table.setFocus()

    def _clear_marks(self) -> None:
        self.error.setText("")
        theme.mark_invalid(self.cluster_id, False)
        theme.mark_invalid(self.name, False)
        self.table.blockSignals(True)
        for row in range(self.table.rowCount()):
            for column in range(len(COLUMNS)):
                item = self.table.item(row, column)
                if item is not None:
                    item.setData(Qt.ItemDataRole.ForegroundRole, None)
        self.table.blockSignals(False)
