"""The keyboard alone: each control of each page, of each dialog and of the wall has a name, Tab reaches it, and one
sees that it is there."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDateTimeEdit,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QRadioButton,
    QScrollBar,
    QTabWidget,
    QToolButton,
    QWidget,
)

from app.console.actions import ActionTable
from app.console.page import PageRow
from app.console.pages import PAGES
from app.console.preferences import PreferenceStore
from app.console.shell.wall import WallView
from app.console.shell.window import MainWindow
from app.console.telemetry.live import Live
from tests.console.built import built, let_dress
from tests.console.dialogs import DIALOGS, kinds_of_dialog, watched_alarms
from tests.console.pages.batch_samples import show_running

CONTROLS = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
)
MOST_STOPS = 250
"""More than a page has."""
SEEN_PIXELS = 12
"""That differ at least where the focus is: less nobody sees."""


@pytest.fixture
def window(application: QApplication, preferences: PreferenceStore, loop: Any) -> Iterator[MainWindow]:
    """The window of the product on a training site, without a service."""
    made = MainWindow("training", preferences, PAGES)
    made.session.live = Live(made.session.clock, made)
    made.resize(QSize(1480, 900))
    made.show()
    yield made
    loop.run_until_complete(made.close_pages())
    made.finish()
    made.deleteLater()


def is_inner(widget: QWidget) -> bool:
    """A part of another control, which speaks for it: the line of a box, the icon in a field, a bar, a head; or what
    speaks by its parts: tabs by their bar."""
    owner = widget.parentWidget()
    return (
        isinstance(widget, QScrollBar | QHeaderView | QTabWidget)
        or widget.objectName().startswith("qt_")
        or (isinstance(widget, QLineEdit) and isinstance(owner, QComboBox | QAbstractSpinBox))
        or (isinstance(widget, QToolButton) and isinstance(owner, QLineEdit))
    )


def controls_of(page: QWidget) -> list[QWidget]:
    """What one can do something with, as far as it is shown."""
    return [
        one
        for one in page.findChildren(QWidget)
        if one.isVisible()
        and not is_inner(one)
        and not isinstance(one, QLabel)
        and (isinstance(one, CONTROLS) or one.focusPolicy() & Qt.FocusPolicy.TabFocus)
    ]


def spoken_name(widget: QWidget) -> str:
    """What a screen reader calls it."""
    name = widget.accessibleName()
    return name or (widget.text() if isinstance(widget, QAbstractButton) else "")


def unspoken(page: QWidget) -> list[str]:
    """Labels whose own name keeps a screen reader from what they show."""
    return [
        f"a screen reader says {one.accessibleName()!r} and not {one.text()!r}"
        for one in page.findChildren(QLabel)
        if one.isVisible()
        and one.accessibleName()
        and one.text().strip(" –")
        and one.text().replace("\u200b", "") not in one.accessibleName()
    ]


def wide_place(widget: QWidget, window: QWidget) -> QRect:
    """Where it stands with the frame around it, in the window."""
    place = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size()).adjusted(-4, -4, 4, 4)
    return place & window.rect()


def pixels_at(window: QWidget, place: QRect) -> np.ndarray:
    """What is shown there, (height, width, 4)."""
    image = window.grab(place).toImage().convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(bytes(image.constBits()), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)


def tab_walk(start: QWidget) -> list[QWidget]:
    """The stops of Tab from ``start`` on until it comes round."""
    start.setFocus(Qt.FocusReason.TabFocusReason)
    stops: list[QWidget] = []
    for _ in range(MOST_STOPS):
        here = QApplication.focusWidget()
        assert here is not None, f"Tab leads nowhere after {stops[-1:]}"
        # A date has a stop for each of its parts.
        if here in stops[:-1] or (here in stops and not isinstance(here, QDateTimeEdit)):
            return stops
        if here not in stops:
            stops.append(here)
        QTest.keyClick(here, Qt.Key.Key_Tab)
    raise AssertionError(f"Tab does not come round: {[spoken_name(one) for one in stops[-8:]]}")


def unseen(window: QWidget, stops: list[QWidget], elsewhere: QWidget) -> list[str]:
    """The stops that look the same with the focus and while it is ``elsewhere``."""
    found = []
    for stop in stops:
        stop.setFocus(Qt.FocusReason.TabFocusReason)
        QApplication.processEvents()
        place = wide_place(stop, window)
        with_focus = pixels_at(window, place)
        elsewhere.setFocus(Qt.FocusReason.TabFocusReason)
        QApplication.processEvents()
        without = pixels_at(window, place)
        if with_focus.shape == without.shape and int((with_focus != without).any(axis=2).sum()) < SEEN_PIXELS:
            found.append(f"{type(stop).__name__} {spoken_name(stop)!r} does not show the focus")
    return found


def faults_of(view: QWidget, window: MainWindow, start: QWidget) -> list[str]:
    """What the keyboard cannot do on a page as it is shown now; Tab begins at ``start``, outside of it."""
    let_dress()
    for _ in range(3):
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        QApplication.processEvents()
    controls = controls_of(view)
    found = [f"a {type(one).__name__} has no name" for one in controls if not spoken_name(one).strip()]
    found += unspoken(view)
    for one in controls:
        one.setEnabled(True)
    stops = tab_walk(start)
    # Of a group of radio buttons Tab reaches the chosen one, the arrow keys the others.
    grouped = {one for one in controls if isinstance(one, QRadioButton) and not one.isChecked()}
    missed = [one for one in controls if one not in stops and one not in grouped]
    found += [f"Tab passes {type(one).__name__} {spoken_name(one)!r}" for one in missed]
    return found + unseen(window, [one for one in stops if view.isAncestorOf(one)], start)


@pytest.mark.parametrize("row", PAGES, ids=lambda row: row.id)
def test_the_keyboard_reaches_all_of_a_page(
    row: PageRow, window: MainWindow, application: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In every tab: a name, a stop of Tab, a focus that is seen. Without a service most actions are off: the keyboard
    must reach them, too, when they are on."""
    monkeypatch.setattr(ActionTable, "is_enabled", lambda _table, _name: True)
    window.add_presenter(row.id, built(importlib.import_module(row.module), window.session))
    view = window.presenter(row.id).view
    window.navigate(row.id, {})
    window.stack.setCurrentWidget(view)
    window.activateWindow()
    QTest.qWaitForWindowActive(window)
    tabs = next(iter(view.findChildren(QTabWidget)), None)
    found = []
    for at in range(tabs.count() if tabs else 1):
        if tabs is not None:
            tabs.setCurrentIndex(at)
        name = tabs.tabText(at) if tabs else row.title
        found += [f"{name}: {fault}" for fault in faults_of(view, window, window.rail.buttons[row.id])]
    assert "\n".join(dict.fromkeys(found)) == ""


def test_the_keyboard_reaches_all_of_a_batch(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it is at work: what can be done with it, the cards that are handed out, the lines and what is folded."""
    monkeypatch.setattr(ActionTable, "is_enabled", lambda _table, _name: True)
    presenter = built(importlib.import_module("app.console.pages.batch"), window.session)
    window.add_presenter("batch", presenter)
    window.navigate("batch", {})
    window.stack.setCurrentWidget(presenter.view)
    window.activateWindow()
    QTest.qWaitForWindowActive(window)
    view = show_running(presenter, 4, 39)
    assert faults_of(presenter.view, window, window.rail.buttons["batch"]) == []
    hands = (view.head.pause, view.head.cancel, view.hand_out.rows[0].button, view.hand_out.fold, view.lines.filter,
             view.lines.save, view.lines.table, view.lines.waiting, view.lines.written)  # fmt: skip
    assert [one.isVisible() for one in hands] == [True] * len(hands)


def test_the_keyboard_reaches_all_of_the_frame(window: MainWindow, application: QApplication) -> None:
    """Rail, top bar and status bar: a name, a stop of Tab (of the rail one, the arrow keys lead to the others), a focus
    that is seen."""
    application.processEvents()
    window.activateWindow()
    QTest.qWaitForWindowActive(window)
    controls = [one for one in controls_of(window) if not window.stack.isAncestorOf(one) and one.isEnabled()]
    assert [type(one).__name__ for one in controls if not spoken_name(one).strip()] == []
    rail = list(window.rail.buttons.values())
    stops = tab_walk(window.rail.buttons["dashboard"])
    assert [spoken_name(one) for one in controls if one not in stops and one not in rail] == []
    own = [one for one in stops if one in controls]
    assert [*unseen(window, own[:-1], own[-1]), *unseen(window, own[-1:], own[0])] == []


def test_every_dialog_is_walked() -> None:
    """One that nobody has added to the list would be walked by nobody."""
    assert {name.split()[0] for name in DIALOGS} == kinds_of_dialog()


@pytest.mark.parametrize("name", DIALOGS)
def test_the_keyboard_reaches_all_of_a_dialog(name: str, window: MainWindow, application: QApplication) -> None:
    """A name of the dialog and of each control, a stop of Tab, a focus that is seen; the hands begin at a control."""
    dialog = DIALOGS[name](window)
    dialog.open()
    dialog.activateWindow()
    QTest.qWaitForWindowActive(dialog)
    for _ in range(3):
        application.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        application.processEvents()
    found = [] if dialog.accessibleName() or dialog.windowTitle() else ["the dialog has no name"]
    controls = controls_of(dialog)
    found += [f"a {type(one).__name__} has no name" for one in controls if not spoken_name(one).strip()]
    found += unspoken(dialog)
    first = dialog.focusWidget()
    if controls and first not in controls:
        found.append(f"the hands begin at {first}")
    for one in controls:
        one.setEnabled(True)
    start = next((one for one in controls if one.focusPolicy() & Qt.FocusPolicy.TabFocus), None)
    if start is not None:
        stops = tab_walk(start)
        grouped = {one for one in controls if isinstance(one, QRadioButton) and not one.isChecked()}
        found += [
            f"Tab passes {type(one).__name__} {spoken_name(one)!r}"
            for one in controls
            if one not in stops and one not in grouped
        ]
        if len(stops) > 1:
            found += unseen(dialog, stops[1:], stops[0]) + unseen(dialog, stops[:1], stops[1])
    dialog.done(0)
    assert "\n".join(dict.fromkeys(found)) == ""


def test_the_wall_takes_the_keyboard_and_gives_it_back(window: MainWindow, application: QApplication) -> None:
    """It has no control that could be passed over: the wall itself has the focus, its name says the state, and Esc
    leads back to the page."""
    window.watch_alarms(watched_alarms(window))
    window.turn_wall()
    while window._wall is None or window._wall.isHidden():
        application.processEvents()
    window.activateWindow()
    QTest.qWaitForWindowActive(window)
    wall = QApplication.focusWidget()
    assert isinstance(wall, WallView)
    assert wall.accessibleName().startswith("Wall display: ")
    assert [spoken_name(one) for one in controls_of(wall)] == []
    assert unspoken(wall) == []
    QTest.keyClick(wall, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is wall
    QTest.keyClick(wall, Qt.Key.Key_Escape)
    assert not wall.isVisible()
