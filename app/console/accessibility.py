"""What a screen reader finds where Qt's own answer would end the console."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAbstractScrollArea, QAccessibleWidget

SCROLL_AREAS = frozenset({"QScrollArea", "QAbstractScrollArea"})
"""Classes whose accessible interface is replaced. Tables, lists and texts have interfaces of their own before these."""


@cache
def install_interfaces() -> None:
    """Give every scroll area the accessible interface of a plain widget, from the next one that is asked for on.

    A screen reader asks how many children a widget has and then for each by its number. Qt counts the scroll bars that
    are visible and reads its list without looking at the bounds (QAccessibleAbstractScrollArea::child, Qt 6.11): when a
    bar has gone between the two questions, the process ends. A plain widget's interface counts the same children,
    visible or not, and answers a number past the end by nothing."""
    # After the QApplication is made: the factory that was installed last is asked first.
    QAccessible.installFactory(_interface)


def _interface(class_name: str, of: QObject) -> QAccessibleInterface | None:
    """The interface for ``of``, seen as one of ``class_name``; None leaves it to Qt."""
    if class_name in SCROLL_AREAS and isinstance(of, QAbstractScrollArea):
        return QAccessibleWidget(of)
    return None
