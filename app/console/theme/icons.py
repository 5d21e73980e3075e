"""Lucide icons in the colours of the tokens.

Qt's SVG renderer paints ``currentColor`` black, so the token's hex is put into the bytes before they are rendered. They
are read as the style sheet reads its pictures, by Qt's plugin, which draws an SVG at the size that it states: that
needs neither ``PySide6.QtSvg`` nor a painter for each, 3 ms of the first frame.
"""

from __future__ import annotations

from functools import cache

from PySide6.QtGui import QGuiApplication, QIcon, QPixmap

from app.console.theme.resources import ROOT

_FOLDER = str(ROOT / "icons")
_pixmaps: dict[tuple[str, str, int, float], QPixmap] = {}


def forget() -> None:
    """Drop the cache (the theme changed)."""
    _pixmaps.clear()


def names() -> list[str]:
    """Names of the icons that ship."""
    return sorted(path.stem for path in (ROOT / "icons").glob("*.svg"))


@cache
def _drawing(name: str) -> bytes:
    """The file of an icon. Each change of the look draws all that are shown."""
    with open(f"{_FOLDER}/{name}.svg", "rb") as file:
        return file.read()


def pixmap(name: str, colour: str, size: int, ratio: float = 1.0) -> QPixmap:
    """Icon ``name`` in ``colour`` (``#RRGGBB``), ``size`` logical px at the device pixel ``ratio``; made once.

    Raises FileNotFoundError for a name that does not ship: a missing icon is a mistake of the program. RuntimeError
    where Qt has no plugin for SVG.
    """
    key = (name, colour, size, ratio)
    if key not in _pixmaps:
        pixels = b'"%d"' % round(size * ratio)
        data = _drawing(name).replace(b"currentColor", colour.encode())
        data = data.replace(b'width="24"', b"width=" + pixels, 1).replace(b'height="24"', b"height=" + pixels, 1)
        made = QPixmap()
        if not made.loadFromData(data, "SVG"):
            raise RuntimeError(f"Qt cannot read the icon {name}")
        made.setDevicePixelRatio(ratio)
        _pixmaps[key] = made
    return _pixmaps[key]


def icon(name: str, colour: str, *, size: int = 16, checked: str | None = None, disabled: str | None = None) -> QIcon:
    """A QIcon of that pixmap for the screens that there are. ``checked`` and ``disabled`` are the colours of those
    states."""
    made = QIcon()
    for ratio in {screen.devicePixelRatio() for screen in QGuiApplication.screens()} or {1.0}:
        made.addPixmap(pixmap(name, colour, size, ratio))
        if checked:
            made.addPixmap(pixmap(name, checked, size, ratio), QIcon.Mode.Normal, QIcon.State.On)
        if disabled:
            made.addPixmap(pixmap(name, disabled, size, ratio), QIcon.Mode.Disabled)
    return made
