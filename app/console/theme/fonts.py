"""The two families that ship with the program, so that every machine measures text alike."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontDatabase

from app.console.theme.resources import ROOT

UI_FAMILY = "Inter"
MONO_FAMILY = "JetBrains Mono"
FILES = (
    "Inter-Regular.otf",
    "Inter-Medium.otf",
    "Inter-SemiBold.otf",
    "Inter-Bold.otf",
    "JetBrainsMono-Regular.ttf",
    "JetBrainsMono-Medium.ttf",
    "JetBrainsMono-Bold.ttf",
)


def load() -> list[str]:
    """Register the families with Qt; before any widget. Gives the files that could not be loaded (then Qt's default
    family is used, which is legible and no reason to refuse to start)."""
    return [name for name in FILES if QFontDatabase.addApplicationFont(str(ROOT / "fonts" / name)) < 0]


def font(family: str, pixels: int, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """A font of ``pixels`` height. Figures are tabular: live numbers must not make their neighbours dance."""
    made = QFont(family)
    made.setPixelSize(pixels)
    made.setWeight(weight)
    if family == UI_FAMILY:
        made.setFeature(QFont.Tag("tnum"), 1)
    else:
        # No ligatures: "++" and "->" must show the characters that are there.
        made.setFeature(QFont.Tag("calt"), 0)
    return made
