"""Sheets (PDF, A4) that the site prints: one font for every text, and texts that this font can show."""

from __future__ import annotations

import unicodedata
from datetime import datetime
from pathlib import Path

from fpdf import FPDF
from fpdf.fonts import TTFFont

FONTS = Path(__file__).parents[2] / "resources" / "fonts"
# The console's own text font has CFF outlines, which fpdf2 does not embed as readers expect; this one has TrueType's,
# and letters of every European script.
_REGULAR, _BOLD = FONTS / "JetBrainsMono-Regular.ttf", FONTS / "JetBrainsMono-Bold.ttf"
FONT = "text"


def sheet(title: str, at: datetime) -> FPDF:
    """A document without pages that never breaks a page by itself; its font is ``FONT``, regular and bold."""
    page = FPDF(format="A4")
    page.set_creation_date(at)
    page.set_title(title)
    page.set_auto_page_break(False)
    page.add_font(FONT, "", _REGULAR)
    page.add_font(FONT, "B", _BOLD)
    return page


def printable(page: FPDF, text: str, most: int) -> str:
    """``text`` as one line that the current font can show, at most ``most`` characters: a missing letter loses its
    accent or becomes a question mark, and an invisible character becomes a space."""
    font = page.current_font
    known = font.cmap if isinstance(font, TTFFont) else {}
    found = []
    for letter in unicodedata.normalize("NFC", text)[:most]:
        base = letter if ord(letter) in known else unicodedata.normalize("NFKD", letter)[0]
        unseen = unicodedata.category(letter)[0] in "CZ"
        found.append(" " if unseen else base if ord(base) in known else "?")
    return "".join(found)
