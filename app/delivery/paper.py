"""Sheets (PDF, A4) that the site prints: one font for every text, and texts that this font can show."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence, Set
from datetime import datetime
from io import BytesIO
from pathlib import Path
from textwrap import wrap

from fpdf import FPDF
from fpdf.fonts import TTFFont

FONTS = Path(__file__).parents[2] / "resources" / "fonts"
# The console's own text font has CFF outlines, which fpdf2 does not embed as readers expect; this one has TrueType's,
# and letters of every European script.
_REGULAR, _BOLD = FONTS / "JetBrainsMono-Regular.ttf", FONTS / "JetBrainsMono-Bold.ttf"
FONT = "text"

_LEFT, _WIDTH, _TOP, _BOTTOM = 18.0, 174.0, 20.0, 277.0
_LETTERS = 96
"""Of a line at 8 points."""
_NAMES = 16
_FOOT = 287.0


def sheet(title: str, at: datetime) -> FPDF:
    """A document without pages that never breaks a page by itself; its font is ``FONT``, regular and bold."""
    page = FPDF(format="A4")
    page.set_creation_date(at)
    page.set_title(title)
    page.set_auto_page_break(False)
    page.add_font(FONT, "", _REGULAR)
    page.add_font(FONT, "B", _BOLD)
    return page


def letters_of(page: FPDF) -> Set[int]:
    """Code points that the document's font can show."""
    font = page.fonts[FONT]
    return font.cmap.keys() if isinstance(font, TTFFont) else frozenset()


def printable(page: FPDF, text: str, most: int) -> str:
    """``text`` as one line that the current font can show, at most ``most`` characters: a missing letter loses its
    accent or becomes a question mark, and an invisible character becomes a space."""
    known = letters_of(page)
    found = []
    for letter in unicodedata.normalize("NFC", text)[:most]:
        base = letter if ord(letter) in known else unicodedata.normalize("NFKD", letter)[0]
        unseen = unicodedata.category(letter)[0] in "CZ"
        found.append(" " if unseen else base if ord(base) in known else "?")
    return "".join(found)


class LinePaper:
    """Lines from top to bottom, on as many pages as it takes; ``mark`` stands at the head of each."""

    def __init__(self, page: FPDF, mark: str) -> None:
        self.page = page
        self._mark = mark
        self._y = _BOTTOM + 1

    def line(
        self, words: str, *, size: float = 8.0, bold: bool = False, height: float = 4.2, inset: float = 0.0
    ) -> None:
        """One line, cut to what fits."""
        if self._y + height > _BOTTOM:
            self._turn()
        self.page.set_font(FONT, "B" if bold else "", size)
        most = int(_LETTERS * 8.0 / size - inset / 1.8)
        self.page.set_xy(_LEFT + inset, self._y)
        self.page.cell(_WIDTH - inset, height, printable(self.page, words, most))
        self._y += height

    def text(self, words: str, *, inset: float = 0.0) -> None:
        """As many lines as the words need."""
        for part in wrap(words, int(_LETTERS - inset / 1.8)):
            self.line(part, inset=inset)

    def title(self, words: str) -> None:
        """Words over what follows."""
        self._y += 3.0
        if self._y + 12 > _BOTTOM:
            self._turn()
        self.line(words, size=11, bold=True, height=6.5)

    def fact(self, name: str, value: str) -> None:
        """A name and its value; a long value goes on below."""
        for part in wrap(value, _LETTERS - _NAMES) or [""]:
            self.line(f"{name:<{_NAMES}}{part}")
            name = ""

    def cells(self, words: Sequence[str], widths: Sequence[float], *, bold: bool = False) -> None:
        """One line in columns of so many mm, cut to what fits: the first from the left, the others from the right."""
        height = 4.2
        if self._y + height > _BOTTOM:
            self._turn()
        self.page.set_font(FONT, "B" if bold else "", 8.0)
        left = _LEFT
        for at, (text, width) in enumerate(zip(words, widths, strict=True)):
            self.page.set_xy(left, self._y)
            most = int(width / _WIDTH * _LETTERS)
            self.page.cell(width, height, printable(self.page, text, most), align="R" if at else "L")
            left += width
        self._y += height

    def room(self, height: float) -> tuple[float, float, float]:
        """Keeps so many mm free for a drawing, on one page; left edge, top and width of the place, mm."""
        if self._y + height > _BOTTOM:
            self._turn()
        top = self._y
        self._y += height + 2
        return _LEFT, top, _WIDTH

    def pictures(self, pictures: Sequence[tuple[str, bytes]], height: float) -> None:
        """Pictures (PNG or JPEG) side by side under their titles, each in a box of ``height`` mm and an equal share of
        the width."""
        wide = (_WIDTH - 4 * (len(pictures) - 1)) / max(len(pictures), 1)
        if self._y + height + 5 > _BOTTOM:
            self._turn()
        for at, (title, data) in enumerate(pictures):
            left = _LEFT + at * (wide + 4)
            self.page.set_font(FONT, "", 7)
            self.page.set_xy(left, self._y)
            self.page.cell(wide, 4, title)
            self.page.image(BytesIO(data), left, self._y + 4.5, wide, height, keep_aspect_ratio=True)
        self._y += height + 7

    def _turn(self) -> None:
        self.page.add_page()
        self.page.set_font(FONT, "B", 8)
        self.page.set_xy(_LEFT, 10)
        self.page.cell(_WIDTH, 4, self._mark)
        self.page.set_font(FONT, "", 7)
        self.page.set_xy(_LEFT, _FOOT)
        self.page.cell(_WIDTH, 4, f"Page {self.page.page_no()}", align="R")
        self._y = _TOP
