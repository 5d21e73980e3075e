"""The console in the tray, and what closing its window does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QPushButton, QSystemTrayIcon, QWidget

from app.console import theme
from app.console.page import PageRow
from app.console.preferences import PreferenceStore
from app.console.shell.tray import QUIT_WORDS, Tray, tray_icon
from app.console.shell.window import MainWindow
from app.console.telemetry.live import Live
from app.console.theme.tokens import DARK, LIGHT, Meaning, ThemeTokens

PAGES = (PageRow("sample", "Sample", "server", "Ctrl+1", "tests.console.sample_page"),)
pytestmark = pytest.mark.qt_log_ignore("systemTrayWindowChanged", "does not support raise")


class Desktop:
    """A desktop that has a tray, or none."""

    has_tray = True


@pytest.fixture
def desktop(monkeypatch: pytest.MonkeyPatch) -> Desktop:
    """One that has a tray, to begin with."""
    made = Desktop()
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: made.has_tray)
    return made


class Scene:
    """A window that is shown, with its tray; ``ended`` counts how often the console was to end."""

    def __init__(self, preferences: PreferenceStore) -> None:
        self.window = MainWindow("training", preferences, PAGES)
        self.window.session.live = Live(self.window.session.clock, self.window)
        self.tray = Tray(self.window.actions_, self.window.windowTitle(), self.window)
        self.window.stay_in(self.tray)
        self.ended = 0
        self.window.closing.connect(self._count)
        self.window.show()

    def _count(self) -> None:
        self.ended += 1

    def press(self, words: str) -> None:
        """Press the button of the dialog that asks."""
        (asks,) = [one for one in self.window.findChildren(QDialog) if one.isVisible()]
        (button,) = [one for one in asks.findChildren(QPushButton) if one.text() == words]
        button.click()


@pytest.fixture
def scene(preferences: PreferenceStore, desktop: Desktop, qtbot: Any) -> Iterator[Scene]:
    """A window on that desktop."""
    made = Scene(preferences)
    qtbot.addWidget(made.window)
    yield made
    made.window.finish()


def icons(scene: Scene) -> list[QSystemTrayIcon]:
    """Those that the tray shows."""
    return [one for one in scene.tray.findChildren(QSystemTrayIcon) if one.isVisible()]


def test_the_icon_tells_the_state_by_shape_and_words(scene: Scene) -> None:
    """From the start, when nothing is known, to the alarm; its tooltip and the head of its menu say the same."""
    (icon,) = icons(scene)
    assert icon.toolTip() == "training – ARC Console: Alarms unknown"
    before = icon.icon().pixmap(22, 22).toImage()
    scene.tray.set_state(Meaning.CRIT, "2 alarms")
    assert icon.toolTip() == "training – ARC Console: 2 alarms"
    assert icon.icon().pixmap(22, 22).toImage() != before
    menu = icon.contextMenu()
    assert isinstance(menu, QMenu)
    assert [one.text() for one in menu.actions() if one.text()] == [icon.toolTip(), "Open", "Lock", QUIT_WORDS]


@pytest.mark.parametrize("tokens", [DARK, LIGHT])
def test_every_state_has_a_shape_of_its_own(application: QApplication, tokens: ThemeTokens) -> None:
    """Without its colour, too: the pixels that differ from the tile are not the same for two states."""
    theme.apply(application, tokens)
    shapes = set()
    for state in Meaning:
        image = tray_icon(state).pixmap(32, 32).toImage()
        ground = image.pixelColor(5, 16).name()
        shapes.add(tuple(image.pixelColor(x, y).name() == ground for x in range(6, 26) for y in range(6, 26)))
    assert len(shapes) == len(Meaning)


def test_a_desktop_without_a_tray_gets_no_icon(scene: Scene, desktop: Desktop) -> None:
    """And a tray that comes late gets it."""
    desktop.has_tray = False
    scene.tray.look()
    assert icons(scene) == []
    assert not scene.tray.is_there
    desktop.has_tray = True
    scene.tray.look()
    assert len(icons(scene)) == 1
    assert scene.tray.is_there


def test_the_icon_opens_the_window(scene: Scene) -> None:
    """By a click, by its menu, and by the notice that says where the console is."""
    (icon,) = icons(scene)
    menu = icon.contextMenu()
    (opens,) = [one for one in menu.actions() if one.text() == "Open"]
    for way in (lambda: icon.activated.emit(QSystemTrayIcon.ActivationReason.Trigger), opens.trigger):
        scene.window.hide()
        way()
        assert scene.window.isVisible()
    scene.window.close()
    icon.messageClicked.emit()
    assert scene.window.isVisible()


def test_a_right_click_opens_the_menu_alone(scene: Scene) -> None:
    """Somebody who wants to lock or quit need not see the window."""
    scene.window.hide()
    icons(scene)[0].activated.emit(QSystemTrayIcon.ActivationReason.Context)
    assert not scene.window.isVisible()


def test_a_notice_of_an_alarm_leads_to_the_list(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is shown while the operator works elsewhere, and not over the console itself."""
    said: list[tuple[str, str]] = []
    monkeypatch.setattr(QSystemTrayIcon, "showMessage", lambda _icon, title, text, _kind: said.append((title, text)))
    followed: list[None] = []
    scene.tray.followed.connect(lambda: followed.append(None))
    front: list[QWidget | None] = [scene.window]
    monkeypatch.setattr(QApplication, "activeWindow", lambda: front[0])
    scene.tray.call("1 alarm", "Fact.")
    assert said == []
    front[0] = None
    scene.tray.call("1 alarm", "Fact.")
    assert said == [("training – ARC Console: 1 alarm", "Fact.")]
    icons(scene)[0].messageClicked.emit()
    assert followed == [None]


def test_the_lock_of_the_menu_follows_its_action(scene: Scene) -> None:
    """Nobody is signed in here, so there is nobody to lock out."""
    (lock,) = [one for one in icons(scene)[0].contextMenu().actions() if one.text() == "Lock"]
    assert not lock.isEnabled()


def test_a_closed_window_waits_in_the_tray(scene: Scene) -> None:
    """The console goes on and says where it is; Quit ends it, from the menu as by its key."""
    scene.window.close()
    assert not scene.window.isVisible()
    assert scene.ended == 0
    (leave,) = [one for one in icons(scene)[0].contextMenu().actions() if one.text() == QUIT_WORDS]
    leave.trigger()
    assert scene.ended == 1


def test_closing_ends_the_console_where_the_person_prefers_that(scene: Scene, preferences: PreferenceStore) -> None:
    """Without a question."""
    preferences.set(closing="quit")
    scene.window.close()
    assert (scene.window.isVisible(), scene.ended) == (True, 1)


def test_closing_asks_where_no_tray_could_keep_the_console(scene: Scene, desktop: Desktop) -> None:
    """Staying changes nothing, quitting ends it."""
    desktop.has_tray = False
    scene.tray.look()
    scene.window.close()
    scene.press("Stay")
    assert (scene.window.isVisible(), scene.ended) == (True, 0)
    scene.window.close()
    scene.press("Quit")
    assert scene.ended == 1


def test_the_end_of_the_desktop_s_session_ends_the_console(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits for nobody, and a console in the tray would be killed."""
    monkeypatch.setattr(QGuiApplication, "isSavingSession", lambda _application: True)
    scene.window.close()
    assert scene.ended == 1


def test_a_tray_that_goes_gives_the_window_back(scene: Scene, desktop: Desktop) -> None:
    """Else nobody could reach it; it says why it is there."""
    scene.window.close()
    assert not scene.window.isVisible()
    desktop.has_tray = False
    scene.tray.look()
    assert scene.window.isVisible()
    assert "the window is back" in scene.window.toasts.texts[0]
