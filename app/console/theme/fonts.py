"""The two families that ship with the program, so that every machine measures text alike."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from PySide6.QtGui import QFont, QFontDatabase

from app.console.theme.resources import ROOT

UI_FAMILY = "Inter"
MONO_FAMILY = "JetBrains Mono"
FIRST = ("Inter-Regular.otf", "Inter-Medium.otf", "Inter-SemiBold.otf", "JetBrainsMono-Regular.ttf")
"""What the first frame shows."""
REST = ("Inter-Bold.otf", "JetBrainsMono-Medium.ttf", "JetBrainsMono-Bold.ttf")
_loaded: set[str] = set()


def load(names: Sequence[str] = FIRST + REST) -> list[str]:
    """Register these files of the families with Qt, once for each process; ``FIRST`` before any widget. Gives those
    that could not be loaded (then Qt's default family is used, which is legible and no reason to refuse to start)."""
    folder = ROOT / "fonts"
    new = [name for name in names if name not in _loaded]
    _loaded.update(name for name in new if QFontDatabase.addApplicationFont(str(folder / name)) >= 0)
    # A kept font may have been drawn with another face of its family while its own was not there.
    _font_of.cache_clear()
    return [name for name in names if name not in _loaded]


def font(family: str, pixels: int, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """A font of ``pixels`` height. Figures are tabular: live numbers must not make their neighbours dance."""
    # A copy, which the caller may change: it shares what Qt has found for the kept one, and a text is drawn in two
    # thirds of the time that it takes with a font made anew.
    return QFont(_font_of(family, pixels, weight))


@functools.cache
def _font_of(family: str, pixels: int, weight: QFont.Weight) -> QFont:
    made = QFont(family)
    made.setPixelSize(pixels)
    made.setWeight(weight)
    if family == UI_FAMILY:
        made.setFeature(QFont.Tag("tnum"), 1)
    else:
        # No ligatures: "++" and "->" must show the characters that are there.
        made.setFeature(QFont.Tag("calt"), 0)
    return made
