"""Names of any length and script in a box: shrunk, then on two lines, then without their middle.

Lengths are in units of the sheet (``sheets.UNIT`` to a millimetre); a font's pixels are units too.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QTextLayout, QTextOption

from app.console.theme import fonts

_JOINERS = ("\u200c", "\u200d")
"""Format characters that change how letters look, and nothing else: Persian and Indic names need them."""
_WIDE = 1e7
_STEPS = 12


@dataclass(frozen=True)
class Face:
    """A font family of the program with a weight and two limits of size."""

    family: str
    weight: QFont.Weight
    largest: float
    smallest: float

    def font(self, size: float) -> QFont:
        """The font at ``size``, measured as it is drawn."""
        made = fonts.font(self.family, max(1, round(size)), self.weight)
        # Inter's glyphs for tabular figures and contexts have private code points: text that is copied from the PDF,
        # or read aloud, would consist of those.
        made.clearFeatures()
        made.setFeature(QFont.Tag("calt"), 0)
        made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        return made


@dataclass(frozen=True)
class Fitted:
    """Lines that fit their box; ``elided``: the middle is left out."""

    layout: QTextLayout
    height: float
    elided: bool


def one_line(text: str) -> str:
    """``text`` without invisible characters: white space becomes a space, control and direction characters are
    removed."""
    kept = []
    for letter in unicodedata.normalize("NFC", text):
        category = unicodedata.category(letter)
        if letter.isspace() or category[0] == "Z":
            kept.append(" ")
        elif category[0] != "C" or letter in _JOINERS or category == "Co":
            kept.append(letter)
    return " ".join("".join(kept).split())


def printable(text: str, face: Face) -> tuple[str, list[str]]:
    """``text`` on one line as the fonts here can show it, and the letters that no font has. Such a letter is printed
    without its accents, or as a question mark: never as an empty box."""
    line = one_line(text)
    if _has_glyphs(line, face):
        return line, []
    missing: list[str] = []
    letters = []
    for cluster in clusters(line):
        if cluster == " " or _has_glyphs(cluster, face):
            letters.append(cluster)
            continue
        missing.append(cluster)
        base = unicodedata.normalize("NFD", cluster)[0]
        letters.append(base if _has_glyphs(base, face) else "?")
    return "".join(letters), list(dict.fromkeys(missing))


@lru_cache(maxsize=4096)
def _has_glyphs(text: str, face: Face) -> bool:
    """Whether every letter has a glyph, in the family or in one that the machine has."""
    layout = _lay_out(text, face.font(face.largest), _WIDE, QTextOption.WrapMode.NoWrap)
    return all(glyph for run in layout.glyphRuns() for glyph in run.glyphIndexes())


def clusters(text: str) -> Iterator[str]:
    """The letters as a reader sees them (grapheme clusters of UAX 29, as Qt cuts them)."""
    layout = QTextLayout(text)
    units = text.encode("utf-16-le")
    at = 0
    while at < len(units) // 2:
        after = layout.nextCursorPosition(at)
        if after <= at:
            return
        yield units[2 * at : 2 * after].decode("utf-16-le")
        at = after


def _lay_out(text: str, font: QFont, width: float, wrap: QTextOption.WrapMode) -> QTextLayout:
    """Break ``text`` into lines of ``width`` in its own direction of writing."""
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(wrap)
    option.setUseDesignMetrics(True)
    if _right_to_left(text):
        option.setTextDirection(Qt.LayoutDirection.RightToLeft)
        option.setAlignment(Qt.AlignmentFlag.AlignRight)
    layout.setTextOption(option)
    layout.beginLayout()
    y = 0.0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        line.setPosition(QPointF(0, y))
        y += line.height()
    layout.endLayout()
    return layout


def _right_to_left(text: str) -> bool:
    """Whether the first letter that has a direction is written right to left (UAX 9, P2 and P3)."""
    directions = (unicodedata.bidirectional(letter) for letter in text)
    return next((one for one in directions if one in ("L", "R", "AL")), "L") != "L"


def _fits(layout: QTextLayout, width: float, height: float, lines: int) -> bool:
    count = layout.lineCount()
    if not count:
        return True
    last = layout.lineAt(count - 1)
    widest = max(layout.lineAt(at).naturalTextWidth() for at in range(count))
    return count <= lines and widest <= width and last.y() + last.height() <= height


def fit(text: str, face: Face, width: float, height: float, lines: int = 2) -> Fitted:
    """``text`` (of ``printable``) in a box: on one line as large as possible, else on up to ``lines``, else at the
    smallest size without its middle."""
    word, anywhere = QTextOption.WrapMode.WordWrap, QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere
    span = face.largest - face.smallest
    sizes = [face.largest - span * step / _STEPS for step in range(_STEPS + 1)]
    # One line may shrink by a third of the way only: two larger lines are read from farther away.
    tries = [(size, 1, word) for size in (sizes[: _STEPS // 3 + 1] if lines > 1 else sizes)]
    tries += [(size, lines, word) for size in sizes] + [(size, lines, anywhere) for size in sizes[-3:]]
    for size, count, wrap in tries:
        layout = _lay_out(text, face.font(size), width, wrap)
        if _fits(layout, width, height, count):
            return _measure(layout, elided=False)
    letters = list(clusters(text))
    least, most = 0, len(letters)
    while most - least > 1:
        kept = (least + most) // 2
        if _fits(_lay_out(_cut_middle(letters, kept), face.font(sizes[-1]), width, anywhere), width, height, lines):
            least = kept
        else:
            most = kept
    return _measure(_lay_out(_cut_middle(letters, least), face.font(sizes[-1]), width, anywhere), elided=True)


def _cut_middle(letters: list[str], kept: int) -> str:
    head = (kept + 1) // 2
    tail = kept // 2
    return "".join([*letters[:head], "\u2026", *letters[len(letters) - tail :]])


def _measure(layout: QTextLayout, *, elided: bool) -> Fitted:
    count = layout.lineCount()
    last = layout.lineAt(count - 1) if count else None
    return Fitted(layout, last.y() + last.height() if last is not None else 0.0, elided)


def draw(painter: QPainter, fitted: Fitted, box: QRectF, ink: QColor, *, down: float = 0.0) -> None:
    """Paint into ``box``; ``down`` of the remaining height stays above (0 top, 1 bottom). Marks that stack above a
    letter without limit stay inside the box: they must not cover the text beside it."""
    painter.save()
    painter.setClipRect(box)
    painter.setPen(ink)
    fitted.layout.draw(painter, QPointF(box.x(), box.y() + (box.height() - fitted.height) * down))
    painter.restore()
