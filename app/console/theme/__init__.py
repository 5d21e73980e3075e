"""How the console looks: tokens, the one style sheet made from them, fonts, icons.

``current()`` gives the tokens that painted widgets use; it changes only through ``apply``, after which Qt sends the
widgets of each ground a ``StyleChange`` and they paint themselves anew: one ground after the other, what can be seen
first.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QWidget

from app.console.theme import fonts, icons
from app.console.theme.grounds import Grounds
from app.console.theme.sheet import palette_of, style_sheet
from app.console.theme.tokens import DARK, LIGHT, Density, Meaning, ThemeTokens

__all__ = [
    "DARK",
    "LIGHT",
    "Density",
    "Meaning",
    "ThemeTokens",
    "apply",
    "current",
    "edition",
    "mono",
    "motion",
    "px",
    "row_height",
    "ui",
    "waits",
    "wear",
]


class _ThemeLook:
    """The look in force. One for each process, as QApplication is."""

    tokens: ThemeTokens = DARK
    scale: float = 1.0
    density: Density = Density.COMFORTABLE
    reduce_motion: bool = False
    edition: int = 0
    grounds: Grounds | None = None


def edition() -> int:
    """Counts how often a look was applied. Qt reports one change of style several times to a widget: a widget that is
    costly to dress remembers for which edition it did."""
    return _ThemeLook.edition


def current() -> ThemeTokens:
    """Tokens of the theme in force."""
    return _ThemeLook.tokens


def px(value: float) -> int:
    """Logical pixels of a length given for 100 % text (``value`` at 1.0), at the text scale in force; at least 1."""
    return max(1, round(value * _ThemeLook.scale))


def row_height() -> int:
    """Height of a table row: 24 or 32 px at 100 % text."""
    return px(24 if _ThemeLook.density is Density.COMPACT else 32)


def motion(milliseconds: int) -> int:
    """Duration of an animation: at most 150 ms, 0 under "reduce motion"."""
    return 0 if _ThemeLook.reduce_motion else min(milliseconds, 150)


def ui(size: float = 13, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Interface font with tabular figures, ``size`` in px at 100 % text."""
    return fonts.font(fonts.UI_FAMILY, px(size), weight)


def mono(size: float = 12, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Fixed-pitch font for identifiers and bytes, ``size`` in px at 100 % text."""
    return fonts.font(fonts.MONO_FAMILY, px(size), weight)


def apply(
    application: QApplication,
    tokens: ThemeTokens,
    *,
    scale: float = 1.0,
    density: Density = Density.COMFORTABLE,
    reduce_motion: bool = False,
) -> None:
    """Apply the look to the whole application. ``scale`` 1.0 to 2.0."""
    if not 1.0 <= scale <= 2.0:
        raise ValueError("text scale is 1.0 to 2.0")
    _ThemeLook.tokens, _ThemeLook.scale, _ThemeLook.density, _ThemeLook.reduce_motion = (
        tokens,
        scale,
        density,
        reduce_motion,
    )
    _ThemeLook.edition += 1
    icons.forget()
    application.setFont(ui())
    application.setPalette(palette_of(tokens))
    if _ThemeLook.grounds is None:
        _ThemeLook.grounds = Grounds(application)
    _ThemeLook.grounds.change(style_sheet(tokens, px, row_height()))


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Give ``widget`` a property that the sheet asks for; its style is looked up anew where that is another value."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def mark_invalid(field: QWidget, invalid: bool) -> None:
    """Show a red frame at a field whose text is not valid, or take it away."""
    set_property(field, "invalid", "true" if invalid else "false")


def waits() -> bool:
    """Whether something that can be seen is still to be dressed."""
    return _ThemeLook.grounds is not None and _ThemeLook.grounds.waits


def yield_to(busy: Callable[[], bool]) -> None:
    """What is dressed in turns of its own waits while ``busy`` says that the turn is long already."""
    if _ThemeLook.grounds is not None:
        _ThemeLook.grounds.busy = busy


def arrange(widget: QWidget, work: Callable[[], object]) -> None:
    """Do what gives the parts of ``widget`` other places for another size of the text; while it is hidden, in a turn of
    its own: a change of the size reaches all pages at once. Before the first look there is nothing to arrange for."""
    if _ThemeLook.grounds is not None:
        _ThemeLook.grounds.arrange(widget, work)


def wear(widget: QWidget, *, later: bool = False) -> None:
    """``widget`` wears the look with all that it holds, now and after each change. For every window, and for each part
    of the main window that is not on such a part: the application itself wears no sheet (``grounds`` says why).
    ``later``: in a turn of its own, and the first time at the latest as it is shown."""
    if _ThemeLook.grounds is None:
        raise RuntimeError("no look was applied yet")
    _ThemeLook.grounds.add(widget, later=later)
