"""Wrappers of layout items that Qt has deleted.

``addLayout`` of a layout that has items already makes PySide 6.11 wrap each of them and keep the wrapper as long as the
outer layout. Qt deletes the item together with its widget, or when the widget moves to another layout, and tells
nobody: the wrapper stays registered by the item's address. The next object at that address, whichever it is, then ends
with the wrapper's memory: ``free(): invalid pointer``, and the console is gone.
"""

from __future__ import annotations

import re

from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget
from shiboken6 import dump, getAllValidWrappers, getCppPointer, invalidate

_PARENT = re.compile(r"^parent\.+ <.* at (0x[0-9a-f]+)>$", re.MULTILINE)


def stale_items() -> list[str]:
    """In which widget each was. Only layouts that were made here, or asked for, are looked at: those of the program."""
    wrappers = getAllValidWrappers()
    known = {getCppPointer(one)[0]: one for one in wrappers if _is_item(one)}
    if not known:
        return []
    layouts = [one for one in wrappers if isinstance(one, QLayout)]
    for layout in layouts:
        for at in range(layout.count()):
            item = layout.itemAt(at)
            if item is not None and _is_item(item) and known.pop(getCppPointer(item)[0], None) is None:
                invalidate(item)  # looking must not make what is looked for
    homes = {hex(id(one)): one for one in layouts}
    return [_home(one, homes) for one in known.values()]


def _is_item(one: object) -> bool:
    return isinstance(one, QLayoutItem) and not isinstance(one, QLayout)


def _home(item: object, homes: dict[str, QLayout]) -> str:
    found = _PARENT.search(dump(item))
    layout = homes.get(found[1]) if found is not None else None
    names = []
    one: QWidget | None = layout.parentWidget() if layout is not None else None
    while one is not None:
        names.append(type(one).__name__)
        one = one.parentWidget()
    return " in ".join(names) or dump(item)
