"""The menu of a table: copies, the file of its rows, marks, columns and order. Each line says its keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.console import theme
from app.console.actions import COPY_ROW, EVIDENCE, SORT_NEXT, SORT_TURN, key_words
from app.console.language import tr
from app.console.widgets.table_head import head_words

if TYPE_CHECKING:
    from app.console.widgets.table import DataTable

MENU, FIT_COLUMN = "Shift+F10", "Ctrl+Shift+F"
WIDER, NARROWER, TO_LEFT, TO_RIGHT = "Ctrl+Shift+Right", "Ctrl+Shift+Left", "Ctrl+Alt+Left", "Ctrl+Alt+Right"
"""Keys of the current column, which Left and Right choose."""
STEP = 16
"""Px at 100 % text by which a column is made wider or narrower."""


def table_menu(table: DataTable, at: int) -> QMenu:
    """Copy the chosen row or its cell in column ``at``, save the rows, choose columns and order."""
    menu = QMenu(table)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setAccessibleName(tr("Menu of {name}", name=table.accessibleName()))
    chosen = table.selectionModel().hasSelection()
    _line(menu, tr("Copy the cell"), "", lambda: table.copy_cell(at), on=chosen)
    _line(menu, tr("Copy the row"), COPY_ROW, table.copy_row, on=chosen)
    rows = table.rows_model
    if rows is not None and table.desk is not None:
        many = tr("1 row") if rows.rowCount() == 1 else tr("{count:,} rows", count=rows.rowCount())
        _line(menu, tr("Save {many} as CSV", many=many), "", table.save_rows, on=bool(rows.rows))
    if table.proves:
        _line(menu, tr("Evidence bundle"), EVIDENCE, table.save_evidence, on=chosen or bool(table.marks_count))
    if table.marking is not None:
        menu.addSeparator()
        _line(menu, tr("Mark the row"), "Space", lambda: table.mark_row(table.currentIndex().row()))
        if rows is not None:
            _line(menu, tr("Mark all rows"), "", lambda: table.mark_all(True), on=bool(rows.rows))
        _line(menu, tr("Take all marks away"), "", lambda: table.mark_all(False), on=bool(table.marks_count))
    if table.head.titles:
        _add_columns(menu, table, at)
    if table.sorts:
        _add_sorting(menu, table)
    return menu


def _add_columns(menu: QMenu, table: DataTable, at: int) -> None:
    """Which columns are shown, and width and place of the one that is meant."""
    menu.addSeparator()
    head = table.head
    shown = head.places()
    choice = menu.addMenu(tr("Columns"))
    choice.setAccessibleName(tr("Columns"))
    for one, title in enumerate(head.titles):
        made = _line(
            choice,
            head_words(title),
            "",
            lambda one=one: head.show_column(one, one not in shown),  # type: ignore[misc]  # default binds it now
            on=shown != [one],
        )
        made.setCheckable(True)
        made.setChecked(one in shown)
    title = head_words(head.titles[at])
    _line(menu, tr("Fit “{title}” to its texts", title=title), FIT_COLUMN, lambda: head.fit_column(at))
    _line(menu, tr("Make “{title}” wider", title=title), WIDER, lambda: head.widen(at, theme.px(STEP)))
    _line(menu, tr("Make “{title}” narrower", title=title), NARROWER, lambda: head.widen(at, -theme.px(STEP)))
    _line(menu, tr("Move “{title}” to the left", title=title), TO_LEFT, lambda: head.shift(at, -1), on=at != shown[0])
    _line(menu, tr("Move “{title}” to the right", title=title), TO_RIGHT, lambda: head.shift(at, 1), on=at != shown[-1])
    _line(menu, tr("Columns of the page"), "", head.restore, on=head.is_changed)


def _add_sorting(menu: QMenu, table: DataTable) -> None:
    """By which column, and in which direction."""
    head = table.head
    menu.addSeparator()
    by = menu.addMenu(tr("Sort by"))
    by.setAccessibleName(tr("Sort by"))
    for at in head.places():
        one = _line(by, head_words(head.titles[at]), "", lambda at=at: table.sort_by(at))  # type: ignore[misc]
        one.setCheckable(True)
        one.setChecked(at == head.sortIndicatorSection())
    any_sorted = head.sortIndicatorSection() >= 0
    _line(menu, tr("Sort by the next column"), SORT_NEXT, table.sort_next)
    _line(menu, tr("Turn the order around"), SORT_TURN, table.sort_turn, on=any_sorted)
    _line(menu, tr("Order of the page"), "", lambda: table.sort_by(-1), on=any_sorted)


def _line(menu: QMenu, title: str, keys: str, run: Callable[[], object], *, on: bool = True) -> QAction:
    """Add a line to a menu, with the keys that do the same."""
    shown = key_words(keys)
    made = menu.addAction(f"{title}\t{shown}" if shown else title)
    made.triggered.connect(lambda _checked=False: run())
    made.setEnabled(on)
    return made
