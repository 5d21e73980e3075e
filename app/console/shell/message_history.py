"""What this window said since it was opened: the history behind the bell."""

from __future__ import annotations

from PySide6 import QtCore
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.console import theme
from app.console.clock import clock_time, date_time
from app.console.language import tr
from app.console.shell.toasts import Toast, Toasts
from app.console.widgets.dialog import Dialog
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import label


class MessageHistory(Dialog):
    """The history, newest first. Opened by ``open()``, never ``exec()``: a second event loop would break tasks."""

    def __init__(self, window: QWidget, toasts: Toasts) -> None:
        super().__init__(window)
        self._toasts = toasts
        self.setWindowTitle(tr("Messages"))
        self.setModal(True)
        self.setAttribute(QtCore.Qt.WidgetAttribute.WA_DeleteOnClose)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(24, 20, 24, 16)
        outer.setSpacing(12)
        outer.addWidget(label(tr("Messages"), "title"))
        outer.addWidget(label(tr("What this window said since it was opened. The audit log has what was done."), "dim"))
        self.rows: RowsModel[Toast] = RowsModel(
            [
                Column(tr("TIME"), lambda one: clock_time(one.at), 96, mono=True, hint=lambda one: date_time(one.at)),
                Column(tr("MESSAGE"), lambda one: one.text, state=lambda one: one.state),
                Column(tr("ID"), lambda one: one.reference, 240, mono=True, dim=True),
            ],
            lambda one: str(one.number),
        )
        self.rows.set_rows(list(reversed(toasts.history)))
        self.table = DataTable(self.rows, name=tr("Messages of this window"))
        outer.addWidget(self.table, 1)
        self._whole = label("", "", wrap=True, selectable=True)
        self._whole.setMinimumHeight(theme.px(44))
        outer.addWidget(self._whole)
        foot = QHBoxLayout()
        self.copy = QPushButton(tr("Copy"))
        self.copy.setAccessibleName(tr("Copy the chosen message"))
        self.copy.clicked.connect(self._copy_chosen)
        foot.addWidget(self.copy)
        self.open_ = QPushButton(tr("Open"))
        self.open_.setAccessibleName(tr("Open what the chosen message is about"))
        self.open_.clicked.connect(self._follow_chosen)
        foot.addWidget(self.open_)
        foot.addStretch(1)
        close = QPushButton(tr("Close"))
        close.clicked.connect(self.accept)
        foot.addWidget(close)
        outer.addLayout(foot)
        self.table.selected.connect(lambda _row: self._tell())
        self.table.opened.connect(lambda _row: self._follow_chosen())
        if self.rows.rows:
            self.table.selectRow(0)
        self._tell()
        self.table.setFocus()
        self.resize(min(theme.px(960), window.width() - 80), min(theme.px(560), window.height() - 80))

    @property
    def chosen(self) -> Toast | None:
        """The message under the cursor; None: there is none."""
        return self.rows.get(self.table.currentIndex().row())

    def _tell(self) -> None:
        chosen = self.chosen
        words = chosen.text if chosen else tr("Nothing was said yet.")
        self._whole.setText(words)
        self._whole.setAccessibleName(tr("The chosen message: {words}", words=words))
        self.copy.setEnabled(chosen is not None)
        self.open_.setEnabled(chosen is not None and bool(chosen.way.page))

    def _follow_chosen(self) -> None:
        if (chosen := self.chosen) is not None and chosen.way.page:
            self.accept()
            self._toasts.led.emit(chosen.way.page, dict(chosen.way.arguments))

    def _copy_chosen(self) -> None:
        if (chosen := self.chosen) is not None:
            words = (date_time(chosen.at), chosen.text, chosen.reference)
            QGuiApplication.clipboard().setText("  ".join(word for word in words if word))
