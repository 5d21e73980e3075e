"""Two pictures of one place side by side that move together: the source, and what was measured on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from app.console import theme
from app.console.language import tr

MOST_ZOOM = 32.0
STEP = 1.25
"""Factor of one turn of the wheel, and of one key."""
_PAN = 0.15
"""Of what is seen, for one arrow key."""
_CLICK_PX = 4


@dataclass(frozen=True)
class MarkedPlace:
    """A place that is pointed at: ``tag`` is written beside it, empty: it has a thin outline alone; ``box`` (left, top,
    width, height) and ``outline`` in shares of the picture, 0..1; ``words`` for who hears it; ``oval``: within its box,
    dashed, for what is no finding."""

    id: str
    tag: str
    box: tuple[float, float, float, float]
    outline: tuple[tuple[float, float], ...] = ()
    words: str = ""
    oval: bool = False


class PictureAim(QObject):
    """Where all views of a picture look: ``zoom`` 1 shows it whole, ``centre`` in shares of the picture."""

    moved = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.zoom = 1.0
        self.centre = QPointF(0.5, 0.5)

    def set(self, zoom: float, centre: QPointF) -> None:
        """Look there; zoom 1 to 32, and never beside the picture."""
        zoom = min(max(zoom, 1.0), MOST_ZOOM)
        half = 0.5 / zoom
        centre = QPointF(min(max(centre.x(), half), 1 - half), min(max(centre.y(), half), 1 - half))
        if (zoom, centre) != (self.zoom, self.centre):
            self.zoom, self.centre = zoom, centre
            self.moved.emit()

    def reset(self) -> None:
        """Show the picture whole."""
        self.set(1.0, QPointF(0.5, 0.5))

    def step(self, factor: float) -> None:
        """Nearer (above 1) or farther."""
        self.set(self.zoom * factor, self.centre)

    def look_at(self, box: tuple[float, float, float, float]) -> None:
        """Bring a place into the middle; the zoom stays unless the place would not fit."""
        left, top, width, height = box
        largest = 0.8 / max(width, height, 1e-3)
        self.set(min(self.zoom, max(largest, 1.0)), QPointF(left + width / 2, top + height / 2))


class PictureView(QWidget):
    """One picture with what lies on it. Wheel, + and - zoom, 0 shows it whole, drag and arrows move it, a click or
    Page Up and Page Down choose a place."""

    place_chosen = Signal(str)

    def __init__(self, aim: PictureAim, *, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._aim = aim
        self._name = name
        self._picture: QImage | None = None
        self._shown: QImage | None = None
        self._heat: QImage | None = None
        self._unjudged: QImage | None = None
        self._cover = (0.0, 0.0, 1.0, 1.0)
        self._opacity = 1.0
        self._places: tuple[MarkedPlace, ...] = ()
        self._chosen = ""
        self._missing = ""
        self._grip: tuple[QPointF, QPointF] | None = None
        self._dragged = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(160, 120)
        aim.moved.connect(self._move)
        self._describe()

    # --- what is shown -----------------------------------------------------------------------------------------------

    def set_picture(self, picture: QImage | None, missing: str = "") -> None:
        """Show a picture; without one the sentence ``missing`` stands in its place."""
        self._picture, self._shown, self._missing = picture, None, missing
        self._describe()
        self.update()

    def set_maps(
        self,
        heat: QImage | None,
        unjudged: QImage | None,
        cover: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0),
    ) -> None:
        """Lay a map on it, and the mask of what was not judged. ``cover``: where they lie (left, top, width, height),
        in shares of the picture."""
        self._heat, self._unjudged, self._cover = heat, unjudged, cover
        self.update()

    def set_opacity(self, opacity: float) -> None:
        """How much of the map covers the picture, 0..1."""
        self._opacity = opacity
        self.update()

    def set_places(self, places: Sequence[MarkedPlace], chosen: str) -> None:
        """Point at places; the one of the id ``chosen`` in the colour of what is chosen."""
        self._places, self._chosen = tuple(places), chosen
        self._describe()
        self.update()

    @property
    def percent(self) -> float | None:
        """Size of the picture on the screen against its pixels, percent; None without a picture."""
        return self.percent_of(0)

    def percent_of(self, width: int) -> float | None:
        """The same against an original of that width, px, which the picture shows smaller; 0: against its own."""
        if self._picture is None:
            return None
        return 100 * self._frame().width() / (width or self._picture.width())

    def place_at(self, point: QPointF) -> str:
        """Id of the smallest place under a point of the widget; empty for none."""
        frame = self._frame()
        under = [one for one in self._places if _on(frame, one.box).contains(point)]
        return min(under, key=lambda one: one.box[2] * one.box[3]).id if under else ""

    def _describe(self) -> None:
        """Tell who does not see it what there is."""
        self.setAccessibleName(self._name)
        if self._picture is None:
            self.setAccessibleDescription(self._missing)
            return
        marked = "; ".join(one.words or tr("place {tag}", tag=one.tag) for one in self._places) or tr(
            "no place is marked"
        )
        self.setAccessibleDescription(
            tr(
                "{width} x {height} pixels; {marked}",
                width=self._picture.width(),
                height=self._picture.height(),
                marked=marked,
            )
        )

    # --- where it stands ---------------------------------------------------------------------------------------------

    def _whole_size(self) -> QSize:
        """Size of the whole picture in the widget."""
        if self._picture is None:
            return QSize()
        return self._picture.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)

    def _frame(self) -> QRectF:
        """Where the whole picture would stand, of which the widget shows a part."""
        fitted = self._whole_size()
        width, height = fitted.width() * self._aim.zoom, fitted.height() * self._aim.zoom
        centre = self._aim.centre
        left = self.width() / 2 - centre.x() * width
        top = self.height() / 2 - centre.y() * height
        return QRectF(left, top, width, height)

    def _move(self) -> None:
        self._shown = None
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(320), theme.px(200))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._shown = None

    # --- painting ----------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = theme.current()
        painter.fillRect(self.rect(), QColor(tokens.bg))
        if self._picture is None:
            painter.setPen(QColor(tokens.dim))
            flags = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
            painter.drawText(self.rect().adjusted(16, 16, -16, -16), flags, self._missing)
        else:
            self._paint_picture(painter)
            # What is no finding lies below what is one, and the chosen place above all.
            for place in sorted(self._places, key=lambda one: (one.id == self._chosen, not one.oval)):
                self._paint_place(painter, place)
            for id_, tag in self._tags().items():
                self._paint_tag(painter, id_, tag)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))

    def _paint_picture(self, painter: QPainter) -> None:
        """The picture, the map on it, and what was not judged; painted once for each place and size."""
        if self._shown is None or self._shown.size() != self.size() * self.devicePixelRatioF():
            self._shown = self._visible_part()
        painter.drawImage(self.rect(), self._shown)
        if self._heat is not None or self._unjudged is not None:
            painter.save()
            painter.setClipRect(self._frame().intersected(QRectF(self.rect())))
            self._paint_maps(painter)
            painter.restore()

    def _visible_part(self) -> QImage:
        """What the widget shows of the picture, at the pixels of the screen."""
        ratio = self.devicePixelRatioF()
        made = QImage(self.size() * ratio, QImage.Format.Format_ARGB32_Premultiplied)
        made.setDevicePixelRatio(ratio)
        made.fill(QColor(0, 0, 0, 0))
        if self._picture is not None:
            inner = QPainter(made)
            inner.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, (self.percent or 0) < 200)
            inner.drawImage(self._frame(), self._picture)
            inner.end()
        return made

    def _paint_maps(self, painter: QPainter) -> None:
        frame = _on(self._frame(), self._cover)
        if self._heat is not None:
            painter.setOpacity(self._opacity)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(frame, self._heat)
            painter.setOpacity(1.0)
        if self._unjudged is not None:
            painter.drawImage(QPointF(0, 0), self._veil(frame, self._unjudged))

    def _veil(self, frame: QRectF, mask: QImage) -> QImage:
        """Grey with lines at 45 degrees where nothing was judged."""
        tokens = theme.current()
        made = QImage(self.size(), QImage.Format.Format_ARGB32_Premultiplied)
        made.fill(QColor(0, 0, 0, 0))
        inner = QPainter(made)
        ground = QColor(tokens.idle)
        ground.setAlpha(96)
        inner.fillRect(self.rect(), ground)
        inner.fillRect(self.rect(), QBrush(QColor(tokens.bg), Qt.BrushStyle.BDiagPattern))
        inner.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationIn)
        cut = QImage(self.size(), QImage.Format.Format_ARGB32_Premultiplied)
        cut.fill(QColor(0, 0, 0, 0))
        stencil = QPainter(cut)
        stencil.drawImage(frame, mask)
        stencil.end()
        inner.drawImage(QPointF(0, 0), cut)
        inner.end()
        return made

    def _paint_place(self, painter: QPainter, place: MarkedPlace) -> None:
        """Frame or outline in two inks, so that it is seen on any picture."""
        frame = self._frame()
        box = _on(frame, place.box)
        chosen = place.id == self._chosen
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        outline = QPolygonF([_point_on(frame, one) for one in place.outline])
        thin = not place.tag and not chosen
        for ink, width in ((QColor(theme.DARK.bg), 2.5 if thin else 4.0), (_ink(chosen), 1.0 if thin else 2.0)):
            painter.setPen(QPen(ink, width, Qt.PenStyle.DashLine if place.oval else Qt.PenStyle.SolidLine))
            if place.oval:
                painter.drawEllipse(box)
            elif len(place.outline) > 2:
                painter.drawPolygon(outline)
            else:
                painter.drawRect(box)
        painter.restore()

    def _tags(self) -> dict[str, QRectF]:
        """Where the tag of each place stands, by id: above the place, and beside what stands there already. The chosen
        place comes first, so that no other one moves its tag."""
        side, frame = theme.px(20), self._frame()
        tags: dict[str, QRectF] = {}
        for place in sorted((one for one in self._places if one.tag), key=lambda one: one.id != self._chosen):
            box = _on(frame, place.box)
            tag = QRectF(box.left() - 2, box.top() - side - 2, max(side, theme.px(10) * len(place.tag) + 8), side)
            tag.moveLeft(min(max(tag.left(), 0.0), self.width() - tag.width()))
            tag.moveTop(min(max(tag.top(), 0.0), self.height() - tag.height()))
            first = tag.left()
            while hidden := next((other for other in tags.values() if tag.intersects(other)), None):
                tag.moveLeft(hidden.right() + 2)
                if tag.right() > self.width():
                    tag.moveTopLeft(QPointF(first, tag.top() + side + 2))
            tags[place.id] = tag
        return tags

    def _paint_tag(self, painter: QPainter, id_: str, tag: QRectF) -> None:
        """The tag of a place, in the colour of what is chosen if it is."""
        tokens, chosen = theme.current(), id_ == self._chosen
        painter.save()
        painter.setFont(theme.ui(12, QFont.Weight.DemiBold))
        painter.fillRect(tag, QColor(tokens.accent if chosen else theme.DARK.bg))
        painter.setPen(QColor(tokens.on_fill if chosen else theme.DARK.text))
        words = next(one.tag for one in self._places if one.id == id_)
        painter.drawText(tag, int(Qt.AlignmentFlag.AlignCenter), words)
        painter.restore()

    # --- hands -------------------------------------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self._picture is None or not event.angleDelta().y():
            event.ignore()
            return
        self._zoom_at(event.position(), STEP ** (event.angleDelta().y() / 120))
        event.accept()

    def _zoom_at(self, point: QPointF, factor: float) -> None:
        """Zoom so that what is under ``point`` stays there."""
        under = self._share(point)
        zoom = min(max(self._aim.zoom * factor, 1.0), MOST_ZOOM)
        share = self._aim.zoom / zoom
        self._aim.set(zoom, under + (self._aim.centre - under) * share)

    def _share(self, point: QPointF) -> QPointF:
        """A point of the widget in shares of the picture."""
        frame = self._frame()
        return QPointF(
            (point.x() - frame.left()) / max(frame.width(), 1), (point.y() - frame.top()) / max(frame.height(), 1)
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._grip, self._dragged = (event.position(), self._aim.centre), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grip is None:
            return
        start, centre = self._grip
        moved = event.position() - start
        if not self._dragged and moved.manhattanLength() < _CLICK_PX:
            return
        self._dragged = True
        frame = self._frame()
        shift = QPointF(moved.x() / max(frame.width(), 1), moved.y() / max(frame.height(), 1))
        self._aim.set(self._aim.zoom, centre - shift)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._grip is not None and not self._dragged and (found := self.place_at(event.position())):
            self.place_chosen.emit(found)
        self._grip = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {
            Qt.Key.Key_Left: QPointF(-1, 0),
            Qt.Key.Key_Right: QPointF(1, 0),
            Qt.Key.Key_Up: QPointF(0, -1),
            Qt.Key.Key_Down: QPointF(0, 1),
        }
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self._aim.step(STEP)
        elif key is Qt.Key.Key_Minus:
            self._aim.step(1 / STEP)
        elif key is Qt.Key.Key_0:
            self._aim.reset()
        elif key in moves:
            self._aim.set(self._aim.zoom, self._aim.centre + moves[key] * (_PAN / self._aim.zoom))
        elif key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp) and self._places:
            self._choose_next(1 if key is Qt.Key.Key_PageDown else -1)
        else:
            super().keyPressEvent(event)

    def _choose_next(self, step: int) -> None:
        ids = [one.id for one in self._places]
        at = ids.index(self._chosen) + step if self._chosen in ids else (0 if step > 0 else -1)
        self.place_chosen.emit(ids[at % len(ids)])


def _ink(chosen: bool) -> QColor:
    return QColor(theme.current().accent if chosen else theme.DARK.text)


def _on(frame: QRectF, box: tuple[float, float, float, float]) -> QRectF:
    left, top, width, height = box
    return QRectF(
        frame.left() + left * frame.width(), frame.top() + top * frame.height(),
        width * frame.width(), height * frame.height(),
    )  # fmt: skip


def _point_on(frame: QRectF, share: tuple[float, float]) -> QPointF:
    return QPointF(frame.left() + share[0] * frame.width(), frame.top() + share[1] * frame.height())
