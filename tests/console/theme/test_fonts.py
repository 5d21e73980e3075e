"""Fonts of the program's own families."""

from __future__ import annotations

from typing import Any

from PySide6.QtGui import QFont, QFontInfo

from app.console.theme import fonts


def test_a_font_that_is_changed_leaves_the_next_one_as_it_was(application: Any) -> None:
    """Each is a copy of one that is kept."""
    first = fonts.font(fonts.UI_FAMILY, 13)
    first.setPixelSize(40)
    first.setItalic(True)
    again = fonts.font(fonts.UI_FAMILY, 13)
    assert (again.pixelSize(), again.italic()) == (13, False)


def test_sizes_and_weights_are_fonts_of_their_own(application: Any) -> None:
    """What is kept is kept for one size and one weight."""
    made = [fonts.font(fonts.UI_FAMILY, *how) for how in ((13,), (14,), (13, QFont.Weight.Bold))]
    assert [(one.pixelSize(), one.weight()) for one in made] == [
        (13, QFont.Weight.Normal), (14, QFont.Weight.Normal), (13, QFont.Weight.Bold),
    ]  # fmt: skip


def test_figures_are_tabular_and_codes_have_no_ligatures(application: Any) -> None:
    """A running clock does not dance, and ``->`` shows two characters."""
    face, code = (fonts.font(family, 13) for family in (fonts.UI_FAMILY, fonts.MONO_FAMILY))
    assert (face.featureValue(QFont.Tag("tnum")), code.featureValue(QFont.Tag("calt"))) == (1, 0)
    assert (QFontInfo(face).family(), QFontInfo(code).family()) == (fonts.UI_FAMILY, fonts.MONO_FAMILY)
