"""The shapes of states: told apart without their colours."""

from __future__ import annotations

import itertools

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QIcon, QImage, QPainter
from PySide6.QtWidgets import QApplication

from app.console import theme
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import paint_fill, paint_shape, shape_icon

SIDE = 10


def shape(state: Meaning) -> list[bool]:
    """Which pixels the shape of a state covers, in one colour, at the size of a table's cell."""
    image = QImage(SIDE, SIDE, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    paint_shape(painter, QRectF(0, 0, SIDE, SIDE), state, "#FFFFFF")
    painter.end()
    return [image.pixelColor(x, y).alpha() > 127 for y in range(SIDE) for x in range(SIDE)]


@pytest.mark.parametrize("pair", list(itertools.combinations(Meaning, 2)), ids="-".join)
def test_no_two_states_have_the_same_shape(application: QApplication, pair: tuple[Meaning, Meaning]) -> None:
    """Who sees no colours sees at least six pixels of a hundred otherwise: a quarter of a ring."""
    one, other = (shape(state) for state in pair)
    assert sum(a != b for a, b in zip(one, other, strict=True)) >= 6


def test_work_is_open_at_its_upper_right(application: QApplication) -> None:
    """Three quarters of the ring of an idle state, empty within."""
    cells = shape(Meaning.WORK)
    half = SIDE // 2
    quarters = [
        sum(cells[y * SIDE + x] for y in ys for x in xs)
        for ys in (range(half), range(half, SIDE))
        for xs in (range(half), range(half, SIDE))
    ]
    upper_left, upper_right, lower_left, lower_right = quarters
    assert upper_right <= 2 < min(upper_left, lower_left, lower_right)
    assert not cells[half * SIDE + half]


@pytest.mark.parametrize("state", list(Meaning))
def test_a_shape_has_the_colour_of_its_state(application: QApplication, state: Meaning) -> None:
    """Unless another one is given."""
    image = QImage(40, 40, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    paint_shape(painter, QRectF(0, 0, 40, 40), state)
    painter.end()
    inks = {image.pixelColor(x, y).name().upper() for x in range(40) for y in range(40)}
    assert theme.current().state(state).upper() in inks


def test_a_shape_on_a_button_that_takes_no_press_keeps_its_colour(application: QApplication) -> None:
    """A locked window says by it how the service is reached."""
    icon = shape_icon(Meaning.OK, 20)
    middles = [icon.pixmap(20, mode).toImage().pixelColor(10, 10) for mode in (QIcon.Mode.Normal, QIcon.Mode.Disabled)]
    assert middles == [QColor(theme.current().ok)] * 2


@pytest.mark.parametrize("tokens", [theme.DARK, theme.LIGHT], ids=lambda one: one.name)
def test_a_part_of_a_bar_has_the_fill_of_its_state(application: QApplication, tokens: theme.ThemeTokens) -> None:
    """That of a warning has its outline where it would be too faint alone."""
    theme.apply(application, tokens)
    for state in (Meaning.OK, Meaning.WARN, Meaning.BAD):
        image = QImage(40, 20, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(0)
        painter = QPainter(image)
        paint_fill(painter, QRectF(0, 0, 40, 20), state)
        painter.end()
        inside, edge = image.pixelColor(20, 10), image.pixelColor(20, 0)
        assert inside == QColor(tokens.warn_fill if state is Meaning.WARN else tokens.state(state))
        assert (edge != inside) is (state is Meaning.WARN and tokens.warn != tokens.warn_fill)
    theme.apply(application, theme.DARK)
