"""Lengths that follow the look of the window."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget

from app.console import theme
from app.console.theme.tokens import DARK, Density
from app.console.widgets.lengths import keep_lengths


def test_a_length_follows_the_text(application: QApplication, qtbot: Any) -> None:
    place = QWidget()
    qtbot.addWidget(place)
    words = QLabel("Words", place)
    keep_lengths(words, lambda one: one.setIndent(theme.px(20)))
    theme.wear(place)
    place.show()
    theme.apply(application, DARK, scale=2.0)
    assert words.indent() == 40


def test_a_height_of_rows_follows_the_density(application: QApplication, qtbot: Any) -> None:
    place = QWidget()
    qtbot.addWidget(place)
    keep_lengths(place, lambda one: one.setMinimumHeight(4 * theme.row_height()))
    theme.wear(place)
    place.show()
    assert place.minimumHeight() == 4 * 32
    theme.apply(application, DARK, density=Density.COMPACT)
    assert place.minimumHeight() == 4 * 24


def test_what_was_hidden_meanwhile_has_its_length_as_it_is_shown(application: QApplication, qtbot: Any) -> None:
    place = QWidget()
    qtbot.addWidget(place)
    inside = QWidget()
    QVBoxLayout(place).addWidget(inside)
    keep_lengths(inside, lambda one: one.setMinimumWidth(theme.px(100)))
    theme.wear(place)
    theme.apply(application, DARK, scale=1.5)
    place.show()
    assert inside.minimumWidth() == 150
