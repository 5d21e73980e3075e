"""The sheets: a card's two sides (ISO/IEC 7810 ID-1) and a label for its envelope, drawn to scale.

The front leaves the place of the contacts free (ISO/IEC 7816-2, with room around them). Pages come in the order front,
back, front, back, as the duplex unit of a card printer takes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QBuffer, QIODevice, QLineF, QMarginsF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QPageSize,
    QPainter,
    QPainterPath,
    QPdfWriter,
    QPen,
    QPolygonF,
)

from app.console.badge.code import contents, data_matrix
from app.console.badge.model import Badge
from app.console.badge.photo import crop
from app.console.badge.text import Face, draw, fit, one_line, printable
from app.console.language import tr
from app.console.theme.fonts import MONO_FAMILY, UI_FAMILY
from app.console.theme.tokens import DARK, LIGHT

CARD_MM = (85.60, 53.98)
"""ID-1 (ISO/IEC 7810): width, height."""
LABEL_MM = (62.0, 29.0)
"""The die-cut address label that most desktop label printers take: width, height."""

UNIT = 40.0
"""Units of the drawing in a millimetre (1016 dots an inch)."""
_MM_POINT = 25.4 / 72

CONTACTS_MM = (7.0, 16.0, 16.5, 16.0)
"""Left, top, width, height that the front leaves free: the contacts lie 10.25 to 19.87 mm from the left edge and 19.23
to 28.55 mm from the top (ISO/IEC 7816-2), the module reaches a little beyond."""

_INK, _DIM, _LINE, _ACCENT = (QColor(colour) for colour in (LIGHT.text, LIGHT.dim, LIGHT.line, LIGHT.accent))
_PAPER, _BLACK = QColor("#FFFFFF"), QColor("#000000")
_GROUND = QColor(LIGHT.raised)


def _face(family: str, weight: QFont.Weight, largest: float, smallest: float) -> Face:
    """Sizes in points."""
    return Face(family, weight, largest * _MM_POINT * UNIT, smallest * _MM_POINT * UNIT)


_NAME = _face(UI_FAMILY, QFont.Weight.DemiBold, 15, 8)
_FULL_NAME = _face(UI_FAMILY, QFont.Weight.Normal, 7, 3.5)
_ISSUER = _face(UI_FAMILY, QFont.Weight.Bold, 12, 7)
_KIND = _face(UI_FAMILY, QFont.Weight.Medium, 6, 6)
_CAPTION = _face(UI_FAMILY, QFont.Weight.Medium, 5, 5)
_VALUE = _face(UI_FAMILY, QFont.Weight.DemiBold, 10, 6)
_DATE = _face(UI_FAMILY, QFont.Weight.Medium, 7.5, 6)
_MONO = _face(MONO_FAMILY, QFont.Weight.Medium, 7, 5)
_NOTE = _face(UI_FAMILY, QFont.Weight.Normal, 5.5, 5)
_BAND = _face(UI_FAMILY, QFont.Weight.Bold, 8.5, 8.5)
_LABEL_NAME = _face(UI_FAMILY, QFont.Weight.DemiBold, 12, 7)
_LABEL_TEXT = _face(UI_FAMILY, QFont.Weight.Medium, 7, 6)


def badge_pdf(badges: Sequence[Badge]) -> bytes:
    """PDF with two pages for each badge, front and back, 85.60 x 53.98 mm each. ValueError without a badge."""
    return _document(CARD_MM, tr("Badges"), [side for badge in badges for side in (_front(badge), _back(badge))])


def label_pdf(badges: Sequence[Badge]) -> bytes:
    """PDF with one page for each badge, 62 x 29 mm, black on white. ValueError without a badge."""
    return _document(LABEL_MM, tr("Card labels"), [_label(badge) for badge in badges])


def unprintable(badges: Iterable[Badge]) -> list[str]:
    """A sentence for each name with letters that no font on this machine has; empty when all is well."""
    sentences = []
    for badge in badges:
        _, missing = printable(_name(badge), _NAME)
        if missing:
            letters = ", ".join(missing[:10]) + (", ..." if len(missing) > 10 else "")
            sentences.append(
                tr(
                    "No font on this machine has {letters} of {node_id}'s name: printed without accents or "
                    "as ?. Install a font for its script.",
                    letters=letters,
                    node_id=badge.node_id,
                )
            )
    return sentences


_Sheet = Callable[[QPainter], None]


def _document(size_mm: tuple[float, float], title: str, sheets: Sequence[_Sheet]) -> bytes:
    """A PDF of ``sheets``, one page each, of the exact size. ValueError without a sheet."""
    if not sheets:
        raise ValueError(tr("There is no badge to print."))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(title)
    writer.setCreator("ARC Console")
    writer.setResolution(round(UNIT * 25.4))
    writer.setPageSize(
        QPageSize(QSizeF(*size_mm), QPageSize.Unit.Millimeter, title, QPageSize.SizeMatchPolicy.ExactMatch)
    )
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    painter = QPainter(writer)
    for number, sheet in enumerate(sheets):
        if number:
            writer.newPage()
        sheet(painter)
    painter.end()
    return _exact(bytes(buffer.data().data()), size_mm)


def _exact(document: bytes, size_mm: tuple[float, float]) -> bytes:
    """Write the exact page size into the PDF. Qt rounds a page to whole points, which is outside the tolerance of
    ISO/IEC 7810. The exact figures have as many digits as the rounded ones, so that no offset in the file moves."""

    def true_size(found: re.Match[bytes]) -> bytes:
        figures = [f"{side / _MM_POINT:.6f}".encode() for side in size_mm]
        made = b"/MediaBox [0 0 %s %s]" % tuple(figures)
        if len(made) != len(found[0]):
            raise ValueError("the page's size has another number of digits")
        return made

    return re.sub(rb"/MediaBox \[0 0 [0-9.]+ [0-9.]+\]", true_size, document)


def _box(x: float, y: float, width: float, height: float) -> QRectF:
    """A rectangle given in millimetres."""
    return QRectF(x * UNIT, y * UNIT, width * UNIT, height * UNIT)


def _text(
    painter: QPainter, text: str, face: Face, box: QRectF, ink: QColor, *, lines: int = 1, down: float = 0.0
) -> bool:
    """Fit the text into the box and paint it; returns whether its middle had to be left out."""
    fitted = fit(printable(text, face)[0], face, box.width(), box.height(), lines)
    draw(painter, fitted, box, ink, down=down)
    return fitted.elided


def _text_with_caption(painter: QPainter, caption: str, text: str, face: Face, box: QRectF, *, lines: int = 1) -> None:
    _text(painter, caption, _CAPTION, QRectF(box.x(), box.y(), box.width(), 2.4 * UNIT), _DIM)
    _text(painter, text, face, box.adjusted(0, 2.4 * UNIT, 0, 0), _INK, lines=lines)


def _name(badge: Badge) -> str:
    """The display name; the node id if that has no visible character: a badge is never anonymous."""
    return one_line(badge.display_name) or badge.node_id


_FRONT_NAME = (4.0, 33.2, 50.5, 10.8)


def _front(badge: Badge) -> _Sheet:
    """The front: issuer, photo, name, number and dates."""

    def paint(painter: QPainter) -> None:
        painter.fillRect(_box(0, 0, CARD_MM[0] + 1, 9.5), _ACCENT)
        _text(painter, badge.issuer, _ISSUER, _box(4, 0, 45, 9.5), _PAPER, down=0.5)
        kind = fit(tr("IDENTIFICATION CARD"), _KIND, 40 * UNIT, 4 * UNIT, 1)
        width = kind.layout.lineAt(0).naturalTextWidth()
        right = QRectF((CARD_MM[0] - 4) * UNIT - width, 0, width + UNIT, 9.5 * UNIT)
        draw(painter, kind, right, _PAPER, down=0.5)
        _photo(painter, badge, _box(57.6, 13, 24, 32))
        column = 27.0
        _text_with_caption(painter, tr("EXPIRES"), badge.expires.isoformat(), _VALUE, _box(column, 13, 29, 7))
        _text_with_caption(painter, tr("CARD NO."), badge.serial, _MONO, _box(column, 20.6, 29, 6))
        if badge.affiliation:
            _text_with_caption(painter, tr("AFFILIATION"), badge.affiliation, _DATE, _box(column, 27.2, 29, 6))
        _text(painter, _name(badge), _NAME, _box(*_FRONT_NAME), _INK, lines=2, down=1.0)
        _text(painter, badge.node_id, _MONO, _box(4, 44, 50.5, 3.6), _DIM)
        _foot(painter, badge)

    return paint


def _photo(painter: QPainter, badge: Badge, frame: QRectF) -> None:
    """The holder's photo in its frame; a neutral figure without one."""
    if badge.photo is not None and not badge.photo.isNull():
        painter.drawImage(frame, badge.photo, crop(badge.photo.size()))
    else:
        painter.fillRect(frame, _GROUND)
        painter.save()
        painter.setClipRect(frame)
        figure = QPainterPath()
        middle = frame.center().x()
        figure.addEllipse(QPointF(middle, frame.y() + 12.5 * UNIT), 5.0 * UNIT, 6.0 * UNIT)
        figure.addEllipse(QPointF(middle, frame.y() + 32 * UNIT), 10.0 * UNIT, 11.5 * UNIT)
        painter.fillPath(figure, QColor(LIGHT.line))
        painter.restore()
    painter.setPen(QPen(QColor(LIGHT.border), 0.15 * UNIT))
    painter.drawRect(frame)


def _foot(painter: QPainter, badge: Badge) -> None:
    """A striped band with TRAINING, on both sides of a training card; a plain line otherwise."""
    if not badge.training:
        painter.fillRect(_box(0, CARD_MM[1] - 1.2, CARD_MM[0] + 1, 2.2), _ACCENT)
        return
    top, height = 48.6, CARD_MM[1] - 48.6
    band = _box(0, top, CARD_MM[0] + 1, height + 1)
    painter.fillRect(band, QColor(DARK.band))
    painter.save()
    painter.setClipRect(band)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(DARK.stripe))
    for x in range(-8, 96, 8):
        left, right = x * UNIT, (x + 4) * UNIT
        slant = 5.4 * UNIT
        painter.drawPolygon(
            QPolygonF(
                [
                    QPointF(left, band.bottom()),
                    QPointF(right, band.bottom()),
                    QPointF(right + slant, band.top()),
                    QPointF(left + slant, band.top()),
                ]
            )
        )
    painter.restore()
    word = fit("TRAINING", _BAND, 40 * UNIT, height * UNIT, 1)
    width = word.layout.lineAt(0).naturalTextWidth()
    plate = QRectF(CARD_MM[0] * UNIT / 2 - width / 2 - 2.5 * UNIT, top * UNIT, width + 5 * UNIT, (height + 1) * UNIT)
    painter.fillRect(plate, QColor(DARK.band))
    draw(
        painter,
        word,
        QRectF(plate.x() + 2.5 * UNIT, plate.y(), width + UNIT, height * UNIT),
        QColor(DARK.stripe),
        down=0.5,
    )


def _back(badge: Badge) -> _Sheet:
    """The back: Data Matrix, card and node id, dates, what a finder should do."""

    def paint(painter: QPainter) -> None:
        painter.fillPath(data_matrix(badge.card_guid, _box(5, 5.5, 20, 20)), _BLACK)
        left, width = 31.0, CARD_MM[0] - 31 - 4
        _text_with_caption(
            painter, tr("CARD"), contents(badge.card_guid)[len("urn:uuid:") :], _MONO, _box(left, 5, width, 6)
        )
        _text_with_caption(painter, tr("ARC-NODE ID"), badge.node_id, _MONO, _box(left, 11.6, width, 8), lines=2)
        _text_with_caption(painter, tr("ISSUED"), badge.issued.isoformat(), _DATE, _box(left, 20, 24, 6.2))
        _text_with_caption(painter, tr("EXPIRES"), badge.expires.isoformat(), _DATE, _box(left + 25, 20, 24, 6.2))
        name, _ = printable(_name(badge), _NAME)
        front = _box(*_FRONT_NAME)
        if fit(name, _NAME, front.width(), front.height(), 2).elided:
            _text_with_caption(
                painter, tr("NAME"), _name(badge), _FULL_NAME, _box(5, 27, CARD_MM[0] - 9, 10.6), lines=6
            )
        painter.setPen(QPen(_LINE, 0.2 * UNIT))
        painter.drawLine(QLineF(5 * UNIT, 38.6 * UNIT, (CARD_MM[0] - 4) * UNIT, 38.6 * UNIT))
        notes = [
            tr(
                "Property of {issuer}. If found, please hand it to the issuer or to any police station.",
                issuer=badge.issuer,
            ),
            tr("Lost or stolen? Tell your badge office at once, so that the card can be revoked."),
        ]
        if badge.training:
            notes[0] = tr(
                "This card is for training and opens nothing real. If you find it, please hand it to the issuer."
            )
        for at, note in enumerate(notes):
            _text(painter, note, _NOTE, _box(5, 40.2 + 3.6 * at, CARD_MM[0] - 9, 3.6), _DIM)
        _foot(painter, badge)

    return paint


def _label(badge: Badge) -> _Sheet:
    """The label: Data Matrix, name, node id, end of the card number and dates."""

    def paint(painter: QPainter) -> None:
        side = 19.0
        painter.fillPath(data_matrix(badge.card_guid, _box(LABEL_MM[0] - side - 3, 3, side, side)), _BLACK)
        width = LABEL_MM[0] - side - 3 - 2 - 3
        _text(painter, _name(badge), _LABEL_NAME, _box(3, 2.4, width, 9.4), _BLACK, lines=3, down=0.5)
        _text(painter, badge.node_id, _MONO, _box(3, 12, width, 5.8), _BLACK, lines=2)
        _text(
            painter,
            tr("Card …{end}", end=badge.card_guid[-8:].lower()),
            _MONO,
            _box(3, 18, width, 3.4),
            _BLACK,
        )
        foot = _box(0, 23.4, LABEL_MM[0] + 1, LABEL_MM[1] - 23.4)
        dates = tr("Issued {issued} · Expires {expires}", issued=badge.issued, expires=badge.expires)
        if badge.training:
            painter.fillRect(_box(0, 24.4, LABEL_MM[0] + 1, 5.6), _BLACK)
            foot = _box(0, 24.4, LABEL_MM[0], 4.6)
            dates = f"TRAINING \u00b7 {dates}"
        ink = _PAPER if badge.training else _BLACK
        _text(painter, dates, _LABEL_TEXT, foot.adjusted(3 * UNIT, 0, -3 * UNIT, 0), ink, down=0.5)

    return paint
