"""Icons and fonts that ship."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QFontDatabase
from PySide6.QtWidgets import QApplication

from app.console.pages import PAGES
from app.console.theme import fonts, icons
from app.console.theme.resources import ROOT


@pytest.mark.parametrize("name", ["flame", "shield-check", "settings"])
def test_an_icon_is_painted_in_its_token_s_colour(application: QApplication, name: str) -> None:
    """No black pixel: Qt alone would paint currentColor black."""
    image = icons.pixmap(name, "#56B4E9", 32).toImage()
    inks = {
        image.pixelColor(x, y).name()
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).alpha() == 255
    }
    assert inks == {QColor("#56B4E9").name()}


def test_an_icon_has_the_size_that_is_asked_for(application: QApplication) -> None:
    """Every one that ships, in pixels of the screen."""
    sizes = {(one.width(), one.height()) for one in (icons.pixmap(name, "#56B4E9", 18, 1.5) for name in icons.names())}
    assert sizes == {(27, 27)}


def test_every_page_has_an_icon_that_ships() -> None:
    """A row of the rail names an icon that is there."""
    assert {row.icon for row in PAGES} <= set(icons.names())


def test_an_icon_that_does_not_ship_is_a_mistake(application: QApplication) -> None:
    """It raises instead of painting nothing."""
    with pytest.raises(FileNotFoundError):
        icons.pixmap("no-such-icon", "#FFFFFF", 16)


def test_the_families_are_loaded(application: QApplication) -> None:
    """Text is measured alike on every machine."""
    assert fonts.load() == []
    assert {fonts.UI_FAMILY, fonts.MONO_FAMILY} <= set(QFontDatabase.families())


@pytest.mark.parametrize("path", ["fonts/Inter-OFL.txt", "fonts/JetBrainsMono-OFL.txt", "icons/LICENSE"])
def test_licences_ship(path: str) -> None:
    """Fonts and icons come with their licences."""
    assert (ROOT / path).stat().st_size > 1000
