"""The smallest screen that the console is made for, the largest one, and large text: no page, no dialog and no wall
cuts its words or controls, lays parts over each other, or scrolls sideways; and on the largest one nothing is
stretched."""

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
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QTabWidget,
    QWidget,
)

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console import theme
from app.console.language import PSEUDO, language
from app.console.page import PageRow
from app.console.pages import PAGES
from app.console.pages.burn.board import TouchedKind
from app.console.pages.burn.history_view import BurnHistoryView
from app.console.pages.dashboard.welcome_view import WelcomeView
from app.console.pages.media.scan_list import ScanList
from app.console.shell.wall import SCENES
from app.console.shell.window import MainWindow
from app.console.theme.tokens import DARK, LIGHT, Meaning
from app.console.tour.eyes import Eyes
from app.console.tour.layout import cut_controls, layout_of, overlaps, wide_tables
from app.console.widgets.breadth import COLUMN, PAGE
from app.console.widgets.empty import EmptyState
from app.console.widgets.hold import HoldButton
from app.console.widgets.stepper import Stepper
from app.console.widgets.text import TitledPanel
from app.console.widgets.third_column import ThirdColumn
from tests.console.built import built, let_dress
from tests.console.dialogs import DIALOGS, watched_alarms
from tests.console.pages.batch_samples import show_running
from tests.console.pages.conftest import MakeWindow

LOOKS = (
    {"1480x900": (QSize(1480, 900), 100)}
    if language() == PSEUDO
    else {
        "1024x700": (QSize(1024, 700), 100),
        "1480x900-150%": (QSize(1480, 900), 150),
        "1920x1080-200%": (QSize(1920, 1080), 200),
        "3840x2160": (QSize(3840, 2160), 100),
    }
)
"""Sizes of the window with the text size, per cent. Between them there is more room. Words that are longer by
two fifths are wanted at the usual size alone."""


def faults_of(window: QWidget, view: QWidget, application: QApplication) -> list[str]:
    """What is wrong with a page as it stands there."""
    # Its parts are dressed in turns; then the layout takes some: widths first, then what wraps for them.
    let_dress()
    for _ in range(4):
        application.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        application.processEvents()
    eyes = Eyes(window)
    layout = layout_of(eyes)
    found = (*cut_controls(eyes, view), *wide_tables(view, theme.px(8)), *layout.cut, *layout.bare, *overlaps(view))
    return list(dict.fromkeys(found))


def shown_tabs(row: PageRow, window: MainWindow) -> Iterator[tuple[str, QWidget]]:
    """The page as it is shown, in each of its tabs in turn, with the name of the tab, or its own."""
    window.add_presenter(row.id, built(importlib.import_module(row.module), window.session))
    view = window.presenter(row.id).view
    window.navigate(row.id, {})
    window.stack.setCurrentWidget(view)
    tabs = next(iter(view.findChildren(QTabWidget)), None)
    for at in range(tabs.count() if tabs else 1):
        if tabs is not None:
            tabs.setCurrentIndex(at)
        yield tabs.tabText(at) if tabs else row.title, view


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("row", PAGES, ids=lambda row: row.id)
def test_no_page_cuts_anything(row: PageRow, look: str, make_window: MakeWindow, application: QApplication) -> None:
    """In every tab words and buttons have room, the primary buttons are whole in sight, nothing scrolls sideways."""
    size, text = LOOKS[look]
    window = make_window(size, text)
    found = []
    for name, view in shown_tabs(row, window):
        found += [f"{name}: {fault}" for fault in faults_of(window, view, application)]
        assert window.size() == size
    assert "\n".join(found) == ""


def share_of(colour: str, view: QWidget) -> float:
    """So much of what is seen of the view has just that colour."""
    picture = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(picture.constBits(), np.uint32) & 0xFFFFFF
    return float(np.mean(pixels == int(colour.removeprefix("#"), 16)))


@pytest.mark.parametrize("row", PAGES if language() == "en" else (), ids=lambda row: row.id)
def test_nothing_is_left_of_the_look_before(row: PageRow, make_window: MakeWindow, application: QApplication) -> None:
    """The ground of the dark look is in no tab of the light one."""
    window = make_window(QSize(1480, 900), 100)
    try:
        found = {}
        for name, view in shown_tabs(row, window):
            theme.apply(application, DARK)
            faults_of(window, view, application)
            assert share_of(DARK.bg, view) > 0.05
            theme.apply(application, LIGHT)
            faults_of(window, view, application)
            found[name] = share_of(DARK.bg, view) + share_of(DARK.panel, view)
    finally:
        theme.apply(application, DARK)
    assert {name: share for name, share in found.items() if share > 0.001} == {}


CRAMPED = {
    "1024x700-125%": (QSize(1024, 700), 125),
    "1480x900-200%": (QSize(1480, 900), 200),
}


@pytest.mark.parametrize("look", CRAMPED if language() != PSEUDO else ())
@pytest.mark.parametrize("row", PAGES, ids=lambda row: row.id)
def test_no_page_scrolls_sideways_at_large_text(
    row: PageRow, look: str, make_window: MakeWindow, application: QApplication
) -> None:
    """In no tab: what has no room beside something else stands below it."""
    window = make_window(*CRAMPED[look])
    found = []
    for name, view in shown_tabs(row, window):
        found += [f"{name}: {fault}" for fault in faults_of(window, view, application) if "sideways" in fault]
    assert "\n".join(found) == ""


_ROUNDED = 4
"""Px: gaps between panels do not follow the text size."""
WIDE = {"3840x2160": (QSize(3840, 2160), 100), "3840x2160-125%": (QSize(3840, 2160), 125)}


def stretched(view: QWidget) -> list[str]:
    """What is wider on a wide screen than anybody can use: buttons over 352 px at 100 % text, fields over 720, panels
    over 1600; and what a panel without rows says anywhere but at its top."""
    found = []
    most: tuple[tuple[type[QWidget], int], ...] = (
        (QPushButton, 352),
        (HoldButton, 352),
        (QLineEdit, 720),
        (QComboBox, 720),
        (QPlainTextEdit, 720),
        (TitledPanel, 1600),
        (WelcomeView, 1600),
        (Stepper, 1600),
    )
    for kind, px in most:
        for one in view.findChildren(kind):
            limit = theme.px(720 if one.property("role") == "field" else px)
            if isinstance(one, QPushButton):
                limit = max(limit, one.sizeHint().width())  # its words
            if one.isVisible() and one.width() > limit + _ROUNDED:
                found.append(f"{kind.__name__} {one.accessibleName()!r} is {one.width()} px wide")
    for empty in view.findChildren(EmptyState):
        first = next((one for one in empty.findChildren(QLabel) if one.isVisible()), None)
        if first is not None and first.y() > theme.px(24):
            found.append(f"what an empty panel says begins {first.y()} px below its top: {first.text()!r}")
    return found


@pytest.mark.parametrize("look", WIDE)
@pytest.mark.parametrize("row", PAGES, ids=lambda row: row.id)
def test_nothing_is_stretched_on_a_wide_screen(
    row: PageRow, look: str, make_window: MakeWindow, application: QApplication
) -> None:
    """Width goes to time axes and to a third zone, never to buttons and fields."""
    window = make_window(*WIDE[look])
    found = []
    for name, view in shown_tabs(row, window):
        faults_of(window, view, application)
        found += [f"{name}: {fault}" for fault in stretched(view)]
    assert "\n".join(found) == ""


def test_the_dashboard_has_a_third_zone_on_a_wide_screen(make_window: MakeWindow, application: QApplication) -> None:
    """Beside frames and what needs a person: the chart and what just happened. On other screens they are below."""
    window = make_window(*WIDE["3840x2160"])
    view = built(importlib.import_module("app.console.pages.dashboard"), window.session).view
    window.stack.addWidget(view)
    window.stack.setCurrentWidget(view)
    faults_of(window, view, application)
    places = [one.mapTo(view, QPoint(0, 0)).x() for one in (view.frames, view.burn_dock, view.latency)]
    assert places == sorted(set(places))
    assert view.at_doors.x() == view.latency.x()
    view.frames.show_any(True)
    faults_of(window, view, application)
    grid, listed = view.frames.grid, view.frames.list
    assert listed.isVisible()
    assert listed.mapTo(view, QPoint(0, 0)).y() >= grid.mapTo(view, QPoint(0, 0)).y() + grid.height()
    window.resize(1480, 900)
    faults_of(window, view, application)
    assert view.frames.isAncestorOf(view.latency)
    assert not listed.isVisible()


def test_hands_in_the_list_of_frames_stay_in_it(make_window: MakeWindow, application: QApplication) -> None:
    """As the window becomes smaller the list takes the place of the grid, for whoever works in it."""
    window = make_window(*WIDE["3840x2160"])
    window.activateWindow()
    frames = in_front("dashboard", window).view.frames
    frames.show_any(True)
    faults_of(window, frames, application)
    frames.list.setFocus()
    window.resize(1480, 900)
    faults_of(window, frames, application)
    assert frames.list.isVisible()
    assert window.focusWidget() is frames.list
    assert not frames.grid.isVisible()


def third_column(page: str, window: MainWindow) -> tuple[ThirdColumn, QWidget]:
    """The column of a page that has history, and its list; the page is in front."""
    window.add_presenter(page, built(importlib.import_module(f"app.console.pages.{page}"), window.session))
    view = window.presenter(page).view
    window.navigate(page, {})
    window.stack.setCurrentWidget(view)
    kinds: dict[str, type[QWidget]] = {"burn": BurnHistoryView, "media": ScanList}
    listed = view.findChildren(kinds[page])[0] if page in kinds else view.history_table  # type: ignore[attr-defined]
    return view.findChildren(ThirdColumn)[0], listed


HISTORIES = ("burn", "write_card", "media")


@pytest.mark.parametrize("page", HISTORIES)
def test_history_has_a_column_of_its_own_at_1920(page: str, make_window: MakeWindow, application: QApplication) -> None:
    """Beside what it was beside behind a tab, which has as much room as in the window of the design."""
    window = make_window(QSize(1480, 900), 100)
    column, listed = third_column(page, window)
    faults_of(window, column, application)
    assert not column.beside
    before = next(child for child in column.findChildren(QTabWidget)).width()
    window.resize(1920, 1080)
    assert faults_of(window, column, application) == []
    assert column.beside
    assert listed.isVisible()
    assert listed.mapTo(column, QPoint(0, 0)).x() > column.width() - theme.px(COLUMN) - _ROUNDED
    assert next(child for child in column.findChildren(QTabWidget)).width() >= before - theme.px(16)


@pytest.mark.parametrize("page", HISTORIES)
def test_history_takes_the_third_zone(page: str, make_window: MakeWindow, application: QApplication) -> None:
    """At 3840 x 2160 it ends where the page ends, and what stands beside it is a main zone and a side."""
    window = make_window(*WIDE["3840x2160"])
    column, listed = third_column(page, window)
    faults_of(window, column, application)
    assert listed.mapTo(column, QPoint(0, 0)).x() > theme.px(PAGE)
    assert column.mapTo(window, QPoint(column.width(), 0)).x() > window.width() - theme.px(32)


AN_ENTRY = AuditEntry(
    seq=1, timestamp="2026-03-01T10:00:00.000000Z", actor="key_1", action="test.done", node_id="ARC-1",
    outcome="ACCEPTED", detail={"what": "done"}, leaf_hash="ab" * 32,
)  # fmt: skip


def in_front(page: str, window: MainWindow) -> Any:
    """The presenter of a page that is shown."""
    window.add_presenter(page, built(importlib.import_module(f"app.console.pages.{page}"), window.session))
    window.navigate(page, {})
    window.stack.setCurrentWidget(window.presenter(page).view)
    return window.presenter(page)


def test_the_history_of_a_frame_stands_beside_the_table(make_window: MakeWindow, application: QApplication) -> None:
    """In the third zone of Infrastructure; the table has the whole height. On other screens the table is below it."""
    window = make_window(*WIDE["3840x2160"])
    view = in_front("infrastructure", window).view
    faults_of(window, view, application)
    table, chart = view.stack.mapTo(view, QPoint(0, 0)), view.chart_stack.mapTo(view, QPoint(0, 0))
    side = view.inspector.mapTo(view, QPoint(0, 0)).x()
    assert table.x() + view.stack.width() < side < chart.x() - view.inspector.width()
    assert view.stack.height() > 1800
    window.resize(1480, 900)
    faults_of(window, view, application)
    assert view.chart_stack.mapTo(view, QPoint(0, 0)).x() < theme.px(64)
    assert view.chart_stack.mapTo(view, QPoint(0, 0)).y() < view.stack.mapTo(view, QPoint(0, 0)).y()


def test_chart_and_frames_are_in_sight_at_once_in_a_small_window(
    make_window: MakeWindow, application: QApplication
) -> None:
    """The chart is lower there; the record of a frame is below."""
    window = make_window(QSize(1024, 700), 100)
    view = in_front("infrastructure", window).view
    assert faults_of(window, view, application) == []
    for one in (view.chart_stack, view.stack):
        assert view.rect().contains(QRect(one.mapTo(view, QPoint(0, 0)), one.size())), one


def test_clusters_are_beside_the_doors_and_the_badge_above_them_in_a_small_window(
    make_window: MakeWindow, application: QApplication
) -> None:
    """On a training site; in the window of the design the badge is at the right."""
    window = make_window(QSize(1024, 700), 100)
    doors = in_front("readers", window).view.doors
    faults_of(window, doors, application)
    badge, table = doors.training, doors.table
    assert badge.width() == doors.width()
    assert badge.mapTo(doors, QPoint(0, badge.height())).y() < table.mapTo(doors, QPoint(0, 0)).y()
    assert doors.cluster_table.mapTo(doors, QPoint(0, 0)).x() < table.mapTo(doors, QPoint(0, 0)).x()
    window.resize(1480, 900)
    faults_of(window, doors, application)
    assert badge.mapTo(doors, QPoint(0, 0)).x() > table.mapTo(doors, QPoint(table.width(), 0)).x()


def test_readers_and_drawer_are_in_a_row_where_nothing_has_room_beside_the_person(
    make_window: MakeWindow, application: QApplication
) -> None:
    """Below the person, whose main button stays in sight; elsewhere they are at the left."""
    window = make_window(*CRAMPED["1024x700-125%"])
    view = in_front("write_card", window).view
    faults_of(window, view, application)
    person = view.hero.mapTo(view, QPoint(0, view.hero.height())).y()
    assert view.readers.mapTo(view, QPoint(0, 0)).y() > person
    assert view.drawer.mapTo(view, QPoint(0, 0)).x() > view.readers.mapTo(view, QPoint(view.readers.width(), 0)).x()
    window.resize(1480, 900)
    faults_of(window, view, application)
    assert view.readers.mapTo(view, QPoint(view.readers.width(), 0)).x() < view.hero.mapTo(view, QPoint(0, 0)).x()


def test_everybody_stands_beside_a_person(make_window: MakeWindow, application: QApplication) -> None:
    """In the third zone of People, while one person is in front; on other screens one of the two is in front."""
    window = make_window(*WIDE["3840x2160"])
    view = in_front("people", window).view
    faults_of(window, view, application)
    assert view.everybody.isVisible()
    assert not view.third.beside
    view.show_face(view.profile)
    assert faults_of(window, view, application) == []
    assert view.profile.isVisible()
    assert view.everybody.mapTo(view, QPoint(0, 0)).x() > theme.px(PAGE)
    window.resize(1920, 1080)
    faults_of(window, view, application)
    assert view.profile.isVisible()
    assert not view.everybody.isVisible()


def test_what_proves_an_entry_stands_beside_what_it_says(make_window: MakeWindow, application: QApplication) -> None:
    """In the third zone of Audit: its codes are open there, no leaf hash is broken into lines, and nothing is below the
    other; elsewhere they are folded, below the proof."""
    window = make_window(*WIDE["3840x2160"])
    view = in_front("audit", window).view
    view.entry.show_entry(AN_ENTRY, "")
    faults_of(window, view, application)
    proven, codes = view.entry.proof, view.entry.codes
    assert codes.isVisible()
    assert codes.mapTo(view, QPoint(0, 0)).x() > proven.mapTo(view, QPoint(0, 0)).x() + theme.px(400)
    window.resize(1480, 900)
    faults_of(window, view, application)
    assert not codes.isVisible()
    view.entry.fold.click()
    faults_of(window, view, application)
    assert codes.mapTo(view, QPoint(0, 0)).x() == proven.mapTo(view, QPoint(0, 0)).x()
    assert view.entry.codes_area.mapTo(view, QPoint(0, 0)).y() > proven.mapTo(view, QPoint(0, 0)).y()


@pytest.mark.parametrize("look", CRAMPED if language() != PSEUDO else ())
def test_a_burn_and_an_address_of_hr_do_not_scroll_sideways(
    look: str, make_window: MakeWindow, application: QApplication
) -> None:
    """What the service fills in: the order as a fact with the badge beside it, and the address that HR calls."""
    window = make_window(*CRAMPED[look])
    burn = in_front("burn", window).view
    burn.show_order(burned=True, chosen=True)
    burn.burned.touched.show_kinds([TouchedKind("Doors", 104, 104, Meaning.OK)])
    assert [fault for fault in faults_of(window, burn, application) if "sideways" in fault] == []
    hr = in_front("hr", window).view
    hr.show_section("sources")
    hr.sources.address.setText(
        "HR calls POST http://127.0.0.1:41927/webhooks/hr-sync/head-office with employee_id. " * 2
    )
    assert [fault for fault in faults_of(window, hr, application) if "sideways" in fault] == []


def test_burn_is_one_column_in_a_small_window(make_window: MakeWindow, application: QApplication) -> None:
    """Subject, order and tabs are as wide as the page, one below the other, and the hold is whole in sight. In the
    window of the design the tabs stand beside the order."""
    window = make_window(QSize(1024, 700), 100)
    view = in_front("burn", window).view
    view.show_order(burned=False, chosen=True)
    assert faults_of(window, view, application) == []
    places = [QRect(one.mapTo(view, QPoint(0, 0)), one.size()) for one in (view.subject, view.order, view.tabs)]
    assert len({(place.left(), place.right()) for place in places}) == 1
    assert [place.top() for place in places] == sorted(place.top() for place in places)
    assert view.rect().contains(QRect(view.order.hold.mapTo(view, QPoint(0, 0)), view.order.hold.size()))
    window.resize(1480, 900)
    faults_of(window, view, application)
    assert view.tabs.mapTo(view, QPoint(0, 0)).x() > view.order.mapTo(view, QPoint(0, 0)).x() + view.order.width()


@pytest.mark.parametrize("look", [*CRAMPED, "1024x700"] if language() != PSEUDO else ())
def test_the_order_of_a_burn_is_whole_in_one_column(
    look: str, make_window: MakeWindow, application: QApplication
) -> None:
    """The page scrolls, and nothing else: the order has the height of its texts, those of a drill too."""
    window = make_window(*{**CRAMPED, **LOOKS}[look])
    view = in_front("burn", window).view
    view.show_order(burned=False, chosen=True)
    view.subject.drill.show_drill(True)
    faults_of(window, view, application)
    around = [one for one in view.findChildren(QScrollArea) if one.isAncestorOf(view.order)]
    column = min(around, key=QScrollArea.height)
    assert len(around) == 2
    assert column.verticalScrollBar().maximum() == 0
    assert view.order.mapTo(column, QPoint(0, view.order.height())).y() <= column.height()


def test_hands_at_the_door_stay_there_as_burn_becomes_one_column(
    make_window: MakeWindow, application: QApplication
) -> None:
    """The badge goes below the tabs with the keys in its field."""
    window = make_window(QSize(1480, 900), 100)
    window.activateWindow()
    view = in_front("burn", window).view
    faults_of(window, view, application)
    view.badge.field.setFocus()
    window.resize(1024, 700)
    faults_of(window, view, application)
    assert window.focusWidget() is view.badge.field
    assert view.badge.mapTo(view, QPoint(0, 0)).y() > view.tabs.mapTo(view, QPoint(0, 0)).y()


@pytest.mark.parametrize("look", LOOKS)
def test_a_strike_is_whole(look: str, make_window: MakeWindow, application: QApplication) -> None:
    """What stands in the place of the draft on the page Enforcement."""
    window = make_window(*LOOKS[look])
    presenter = built(importlib.import_module("app.console.pages.enforcement"), window.session)
    window.add_presenter("enforcement", presenter)
    window.navigate("enforcement", {})
    window.stack.setCurrentWidget(presenter.view)
    presenter.view.show_section("strike")
    assert faults_of(window, presenter.view, application) == []


@pytest.mark.parametrize("look", [one for one in LOOKS if language() != PSEUDO])
def test_a_batch_is_whole(look: str, make_window: MakeWindow, application: QApplication) -> None:
    """Who is next, the readers, what is handed out and the lines."""
    window = make_window(*LOOKS[look])
    view = show_running(in_front("batch", window), 4, 39)
    assert faults_of(window, view, application) == []


@pytest.mark.parametrize("readers", [0, 1, 8])
@pytest.mark.parametrize("lines", [5, 500])
def test_a_batch_does_not_scroll_at_the_usual_size(
    readers: int, lines: int, make_window: MakeWindow, application: QApplication
) -> None:
    """Only the lines in their table do."""
    window = make_window(QSize(1480, 900), 100)
    view = show_running(in_front("batch", window), readers, lines)
    assert faults_of(window, view, application) == []
    assert view.shown.verticalScrollBar().maximum() == 0


def test_what_a_batch_is_done_with_is_in_sight_in_a_small_window(
    make_window: MakeWindow, application: QApplication
) -> None:
    """Pause, the order, the first card to hand over, and saving."""
    window = make_window(QSize(1024, 700), 100)
    view = show_running(in_front("batch", window), 4, 39)
    faults_of(window, view, application)
    sight = view.shown.viewport()
    for one in (view.head.pause, view.head.cancel, view.hero.order, view.hand_out.rows[0].button, view.lines.save):
        place = QRect(one.mapTo(sight, QPoint(0, 0)), one.size())
        assert sight.rect().contains(place), one.accessibleName()


def test_what_is_handed_out_has_the_side_zone(make_window: MakeWindow, application: QApplication) -> None:
    """On the widest screens; nothing else of a batch is wider than a main zone."""
    window = make_window(*WIDE["3840x2160"])
    view = show_running(in_front("batch", window), 4, 39)
    faults_of(window, view, application)
    assert stretched(view) == []
    assert view.hand_out.y() == view.head.y()
    assert view.hand_out.x() > view.lines.x() + view.lines.width()


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", DIALOGS)
def test_no_dialog_cuts_anything(name: str, look: str, make_window: MakeWindow, application: QApplication) -> None:
    """As it opens, and it is no larger than the window."""
    size, text = LOOKS[look]
    dialog = DIALOGS[name](make_window(size, text))
    dialog.open()
    found = faults_of(dialog, dialog, application)
    if dialog.width() > size.width() or dialog.height() > size.height():
        found.append(f"it is {dialog.width()} x {dialog.height()} px")
    dialog.done(0)
    assert "\n".join(found) == ""


@pytest.mark.parametrize("look", LOOKS)
def test_no_scene_of_the_wall_cuts_anything(look: str, make_window: MakeWindow, application: QApplication) -> None:
    """With alarms of more kinds than a scene has lines; no service says how frames and doors are."""
    size, _text = LOOKS[look]
    window = make_window(*LOOKS[look])
    window.watch_alarms(watched_alarms(window))
    window.turn_wall()
    wall = window._wall
    assert wall is not None
    while wall.isHidden():
        application.processEvents()
    window.showNormal()
    window.resize(size)
    found = []
    for scene in SCENES:
        found += [f"{scene}: {fault}" for fault in faults_of(window, wall, application)]
        QTest.keyClick(wall, Qt.Key.Key_Right)
    assert window.size() == size
    assert "\n".join(found) == ""


def profile_in_front(window: MainWindow) -> Any:
    """The page People with one person on it."""
    view = in_front("people", window).view
    faces = view.profile.parentWidget()
    assert isinstance(faces, QStackedWidget)
    faces.setCurrentWidget(view.profile)
    return view


def test_a_profile_is_whole_in_large_text(make_window: MakeWindow, application: QApplication) -> None:
    """The page does not scroll: its list gives way, and the times below the lanes stay."""
    window = make_window(QSize(1480, 900), 150)
    view = profile_in_front(window)
    view.profile.head.name.setText("Training Person 01")
    assert [fault for fault in faults_of(window, view, application) if "LaneChart" in fault] == []


def test_what_is_painted_lower_than_it_can_be_is_told(make_window: MakeWindow, application: QApplication) -> None:
    """Nothing else would: no widget of it is cut, its foot is."""
    window = make_window(QSize(1480, 900), 100)
    view = profile_in_front(window)
    chart = view.profile.history.chart
    faults_of(window, view, application)
    chart.setFixedHeight(chart.minimumSizeHint().height() - 9)
    faults = faults_of(window, view, application)
    assert [fault for fault in faults if "LaneChart" in fault and "lacks 9 px" in fault]
