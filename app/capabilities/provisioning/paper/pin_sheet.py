"""The PIN mailer: one sheet that gives a card's PIN to its holder, made in memory.

A4, folded twice like a Z: the upper third, with the address, is outside; the other two lie face to face inside. The
PIN is in the page's content stream and nowhere else: no metadata, no file, no log. The PUK is not printed.
"""

from __future__ import annotations

from datetime import UTC, datetime

from fpdf import FPDF

from app.delivery.paper import FONT, printable, sheet

_THIRD = 99.0
_LEFT, _WIDTH = 22.0, 166.0
_NAME_MAX = 64
"""Most characters of issuer and name, so that the lines below keep their places."""


def pin_page(*, pin: str, display_name: str, node_id: str, card_guid: str, issuer: str, training: bool) -> bytes:
    """The PDF (A4, one page). Blocks for some milliseconds; takes any text."""
    page = sheet("PIN mailer", datetime.now(UTC))
    page.add_page()
    page.set_font(FONT, size=9)
    issuer, name = printable(page, issuer, _NAME_MAX), printable(page, display_name, _NAME_MAX)
    for third in range(3):
        if training:
            page.set_font(FONT, "B", 9)
            _line(page, third * _THIRD + 6, "TRAINING - this card opens nothing real.")
    _folds(page)

    # At the window of a DIN long envelope (DIN 5008, form B), in which the sheet may also be sent.
    page.set_font(FONT, size=8)
    _line(page, 45, issuer)
    page.set_font(FONT, "B", 12)
    _paragraph(page, 51, name, 6)
    page.set_font(FONT, size=10)
    _line(page, 70, f"ARC-Node ID {node_id}")
    _line(page, 80, "Personal. To be opened by the addressee only.")

    page.set_font(FONT, "B", 14)
    _line(page, _THIRD + 18, "Your card's PIN")
    page.set_font(FONT, "B", 26)
    _line(page, _THIRD + 34, f"PIN {pin}")
    page.set_font(FONT, size=9)
    _line(page, _THIRD + 56, f"Card {card_guid}")
    _line(page, _THIRD + 62, f"Issued by {issuer}")

    page.set_font(FONT, size=9)
    _paragraph(
        page,
        2 * _THIRD + 18,
        "Learn the PIN and destroy this sheet. Nobody will ever ask you for it.\n\n"
        "If this sheet was open or torn when you got it, tell your badge office before you use the card.\n\n"
        "After several wrong tries the card locks; your badge office can then set a new PIN.",
        5,
    )
    return bytes(page.output())


def _folds(page: FPDF) -> None:
    """Two dashed lines, each with its instruction."""
    page.set_font(FONT, size=6)
    page.set_draw_color(150)
    page.set_dash_pattern(dash=2, gap=2)
    for y, words in ((_THIRD, "fold back"), (2 * _THIRD, "fold forward")):
        page.line(0, y, 210, y)
        _line(page, y - 3, words)
    page.set_dash_pattern()


def _line(page: FPDF, y: float, words: str) -> None:
    page.set_xy(_LEFT, y)
    page.cell(_WIDTH, 4, words)


def _paragraph(page: FPDF, y: float, words: str, height: float) -> None:
    page.set_xy(_LEFT, y)
    page.multi_cell(_WIDTH, height, words, align="L")
