"""Text made larger while the window is open: every page lies as it does in a window that was opened with that text."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QSize
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QTabWidget, QWidget

from app.console import theme
from app.console.page import PageRow
from app.console.pages import PAGES
from app.console.preferences import PreferenceStore
from app.console.shell.window import MainWindow, dress
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.pages.conftest import MakeWindow

SIZE, FROM, TO = QSize(1920, 1080), 100, 200
"""The window, and the text size before and after, per cent."""
_ROUNDED = 2
Lengths = dict[str, tuple[int, ...]]
Found = dict[str, Lengths]
"""Lengths of widgets, by their paths."""


async def laid_out(application: QApplication) -> None:
    """What wears the look is dressed one in a turn. The layout takes some more: widths first, then what wraps for
    them."""
    grounds = theme._ThemeLook.grounds
    await until(lambda: grounds is None or not grounds._rest.isActive(), "the look of what is hidden, too")
    for _ in range(40):
        application.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        await asyncio.sleep(0)


def lengths(widget: QWidget) -> Lengths:
    """How large a widget is, how large it may be, and the room that it keeps. Of a hidden one, how high it will be:
    Qt gives it the widths of the style sheet when it is shown."""
    high = (widget.minimumHeight(), widget.maximumHeight())
    if not widget.isVisible():
        return {"high": high}
    found: Lengths = {
        "size": (widget.width(), widget.height()),
        "high": high,
        "wide": (widget.minimumWidth(), widget.maximumWidth()),
    }
    if isinstance(widget, QLabel):
        found["indent"] = (widget.indent(),)
    if isinstance(widget, QAbstractButton):
        found["icon"] = (widget.iconSize().width(), widget.iconSize().height())
    layout = widget.layout()
    if layout is not None:
        sides = layout.contentsMargins()
        found["margins"] = (sides.left(), sides.top(), sides.right(), sides.bottom())
    return found


def walk(widget: QWidget, path: str = "") -> Iterator[tuple[str, QWidget]]:
    """A widget and all that stands in it, each with a path to it; without the scroll bars, which Qt makes as it needs
    them."""
    yield path, widget
    seen: dict[str, int] = {}
    for child in widget.children():
        if isinstance(child, QWidget) and not child.isWindow() and not child.objectName().startswith("qt_scrollarea_"):
            kind = type(child).__name__
            seen[kind] = seen.get(kind, 0) + 1
            yield from walk(child, f"{path}/{kind}{seen[kind]}")


def page_of(row: PageRow, window: MainWindow) -> QWidget:
    """The page in front, as it is made: it is not entered, because what it would say of a service that is away comes at
    no fixed time."""
    window.add_presenter(row.id, built(importlib.import_module(row.module), window.session))
    view = window.presenter(row.id).view
    window.stack.setCurrentWidget(view)
    return view


async def all_lengths(view: QWidget, application: QApplication) -> Found:
    """Of every widget of a page, with each of its tabs in front in turn."""
    tabs = next(iter(view.findChildren(QTabWidget)), None)
    found = {}
    for at in range(tabs.count() if tabs else 1):
        if tabs is not None:
            tabs.setCurrentIndex(at)
        await laid_out(application)
        found.update({f"{at}{path}": lengths(widget) for path, widget in walk(view)})
    return found


def differ(one: Found, other: Found) -> list[str]:
    """What is not the same, by the path of its widget."""
    assert one.keys() == other.keys()
    return [f"{path}: {one[path]}, opened so {other[path]}" for path in other if not alike(one[path], other[path])]


def alike(one: Lengths, other: Lengths) -> bool:
    """Whether lengths are the same, but for what is rounded. A hidden table has another frame until it is shown."""
    return one.keys() == other.keys() and all(
        abs(first - second) <= _ROUNDED
        for kind, values in one.items()
        for first, second in zip(values, other[kind], strict=True)
    )


@pytest.mark.parametrize("row", PAGES, ids=lambda row: row.id)
def test_a_page_follows_the_text_while_it_is_open(
    row: PageRow, make_window: MakeWindow, application: QApplication, preferences: PreferenceStore, run: Run
) -> None:
    """Each of its widgets, in every tab, is as large afterwards as in a window that was opened so."""

    async def script() -> list[str]:
        window = make_window(SIZE, FROM)
        view = page_of(row, window)
        await all_lengths(view, application)
        preferences.set(text_scale=TO)
        dress(application, preferences.value)
        live = await all_lengths(view, application)
        window.hide()
        return differ(live, await all_lengths(page_of(row, make_window(SIZE, TO)), application))

    assert "\n".join(run(script())) == ""


def test_what_stands_around_the_pages_follows_the_text(
    make_window: MakeWindow, application: QApplication, preferences: PreferenceStore, run: Run
) -> None:
    """Rail, top bar, time strip and status bar."""

    async def around(window: MainWindow) -> Found:
        await laid_out(application)
        inside = set(window.stack.findChildren(QWidget))
        return {path: lengths(widget) for path, widget in walk(window) if widget not in inside}

    async def script() -> list[str]:
        window = make_window(SIZE, FROM)
        await around(window)
        preferences.set(text_scale=TO)
        dress(application, preferences.value)
        live = await around(window)
        window.hide()
        return differ(live, await around(make_window(SIZE, TO)))

    assert "\n".join(run(script())) == ""
