"""Two pictures that move together, and what lies on them."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication

from app.console import theme
from app.console.theme.heat import STOPS, heat_table
from app.console.theme.tokens import DARK, LIGHT
from app.console.widgets.picture_layers import LayerRefused, heat_image, index_map, read_layer, unjudged_image
from app.console.widgets.picture_view import MOST_ZOOM, MarkedPlace, PictureAim, PictureView
from tests.console.theme.test_tokens import luminance
from tests.console.widgets.shown import png_of

PLACES = (
    MarkedPlace("large", "1", (0.25, 0.25, 0.5, 0.5), words="the middle"),
    MarkedPlace("small", "2", (0.45, 0.45, 0.1, 0.1), words="its middle"),
)


@pytest.fixture
def pair(application: QApplication, qtbot: Any) -> tuple[PictureAim, PictureView, PictureView]:
    """Two views of a white picture of 400 x 200, each 400 x 200 large."""
    aim = PictureAim()
    picture = QImage(400, 200, QImage.Format.Format_RGB32)
    picture.fill(QColor("white"))
    views = []
    for name in ("Source", "Heatmap"):
        view = PictureView(aim, name=name)
        qtbot.addWidget(view)
        view.resize(400, 200)
        view.set_picture(picture)
        view.set_places(PLACES, "")
        view.show()
        views.append(view)
    return aim, views[0], views[1]


def pixel(view: PictureView, x: int, y: int) -> QColor:
    """What is painted there."""
    return QColor(view.grab().toImage().pixelColor(x, y))


def test_what_moves_in_one_moves_in_the_other(pair: tuple[PictureAim, PictureView, PictureView], qtbot: Any) -> None:
    """Keys zoom and pan; both show the same part of the picture at the same size."""
    aim, source, heat = pair
    for key in (Qt.Key.Key_Plus, Qt.Key.Key_Plus, Qt.Key.Key_Right):
        qtbot.keyClick(source, key)
    assert aim.zoom > 1.5
    assert aim.centre.x() > 0.5
    assert source.percent == heat.percent
    qtbot.keyClick(heat, Qt.Key.Key_0)
    assert (aim.zoom, aim.centre) == (1.0, QPointF(0.5, 0.5))


@given(st.floats(-5, 50), st.floats(-3, 3), st.floats(-3, 3))
def test_no_view_looks_beside_the_picture(zoom: float, x: float, y: float) -> None:
    """Whatever is asked for, what is seen lies in the picture."""
    aim = PictureAim()
    aim.set(zoom, QPointF(x, y))
    half = 0.5 / aim.zoom
    assert 1.0 <= aim.zoom <= MOST_ZOOM
    for at in (aim.centre.x(), aim.centre.y()):
        assert half - 1e-9 <= at <= 1 - half + 1e-9


def test_a_drag_moves_and_a_click_chooses(pair: tuple[PictureAim, PictureView, PictureView], qtbot: Any) -> None:
    """The smallest place under the pointer is chosen; a drag that ends on one chooses nothing."""
    aim, source, _ = pair
    chosen: list[str] = []
    source.place_chosen.connect(chosen.append)
    qtbot.mouseClick(source, Qt.MouseButton.LeftButton, pos=QPoint(200, 100))
    qtbot.mouseClick(source, Qt.MouseButton.LeftButton, pos=QPoint(120, 70))
    qtbot.mouseClick(source, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    assert chosen == ["small", "large"]
    aim.step(4.0)
    qtbot.mousePress(source, Qt.MouseButton.LeftButton, pos=QPoint(200, 100))
    qtbot.mouseMove(source, QPoint(150, 100))
    qtbot.mouseRelease(source, Qt.MouseButton.LeftButton, pos=QPoint(150, 100))
    assert aim.centre.x() > 0.5
    assert len(chosen) == 2


def test_keys_go_from_place_to_place(pair: tuple[PictureAim, PictureView, PictureView], qtbot: Any) -> None:
    """Page Down and Page Up, around the end."""
    _, source, _ = pair
    chosen: list[str] = []
    source.place_chosen.connect(lambda one: (chosen.append(one), source.set_places(PLACES, one)))
    for key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageDown, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
        qtbot.keyClick(source, key)
    assert chosen == ["large", "small", "large", "small"]
    assert "the middle" in source.accessibleDescription()


def test_the_map_covers_as_much_as_its_opacity_says(pair: tuple[PictureAim, PictureView, PictureView]) -> None:
    """None of it at 0, all of it at 1: the last colour of the scale."""
    _, _, view = pair
    view.set_places((), "")
    view.set_maps(heat_image(np.full((25, 50), 255, np.uint8)), None)
    view.set_opacity(0.0)
    assert pixel(view, 100, 100) == QColor("white")
    view.set_opacity(1.0)
    assert pixel(view, 100, 100) == QColor(STOPS[-1])


def test_what_was_not_judged_is_grey(pair: tuple[PictureAim, PictureView, PictureView]) -> None:
    """In its place alone, in both themes."""
    _, _, view = pair
    view.set_places((), "")
    judged = np.ones((2, 2), bool)
    judged[0, 0] = False
    view.set_maps(None, unjudged_image(judged))
    for tokens in (DARK, LIGHT):
        theme.apply(QApplication.instance(), tokens)
        assert pixel(view, 20, 20) != QColor("white")
        assert pixel(view, 300, 150) == QColor("white")


def test_the_scale_is_read_without_colours() -> None:
    """Each stop is lighter than the one before, and a value of 0 covers nothing."""
    lights = [luminance(stop) for stop in STOPS]
    assert lights == sorted(lights)
    table = heat_table()
    assert table[0] >> 24 == 0
    assert table[-1] == 0xFF000000 | int(STOPS[-1][1:], 16)


def test_a_layer_is_read_as_it_was_written() -> None:
    """Each value of a grey PNG."""
    values = np.arange(6 * 7, dtype=np.uint8).reshape(6, 7)
    assert np.array_equal(index_map(read_layer(png_of(values))), values)


@pytest.mark.parametrize("colours", [2, 4, 6, 200])
def test_a_palette_is_read_by_its_indexes(colours: int) -> None:
    """Its colours do not matter, nor how few bits a pixel has for them."""
    indexes = (np.arange(12 * 18) % colours).astype(np.uint8).reshape(12, 18)
    made = Image.fromarray(indexes, "L")
    made.putpalette([(7 * colour) % 256 for colour in range(3 * colours)])
    file = io.BytesIO()
    made.save(file, "PNG")
    assert np.array_equal(index_map(read_layer(file.getvalue())), indexes)


# Qt's decoders warn of what they refuse.
@pytest.mark.qt_log_level_fail("CRITICAL")
@given(st.binary(max_size=60) | st.binary(max_size=60).map(b"\xff\xd8".__add__), st.integers(0, 60))
def test_a_broken_layer_is_refused(noise: bytes, at: int) -> None:
    """Bytes of any kind are a picture, or LayerRefused and nothing else."""
    whole = png_of(np.zeros((8, 8), np.uint8))
    for data in (noise, whole[:at] + noise + whole[at + len(noise) :]):
        with contextlib.suppress(LayerRefused):
            assert not read_layer(data).isNull()


def _place(id_: str, left: float, top: float) -> MarkedPlace:
    return MarkedPlace(id_, id_, (left, top, 0.1, 0.1))


@pytest.mark.parametrize(("left", "top"), [(0.3, 0.5), (0.95, 0.5), (0.0, 0.0), (0.95, 0.95)])
def test_no_tag_hides_another(pair: tuple[PictureAim, PictureView, PictureView], left: float, top: float) -> None:
    """Of places that lie on each other, at the edges too; the chosen one's stays above its place."""
    _, source, _ = pair
    places = [_place(str(number), left + number / 200, top) for number in range(4)]
    source.set_places(places, "3")
    tags = source._tags()
    assert sorted(tags) == ["0", "1", "2", "3"]
    pairs = [(one, other) for one in tags for other in tags if one < other]
    assert not [pair for pair in pairs if tags[pair[0]].intersects(tags[pair[1]])]
    source.set_places([places[3]], "3")
    assert source._tags()["3"] == tags["3"]
    assert all(tag.left() >= 0 and tag.right() <= source.width() for tag in tags.values())


def test_the_chosen_place_lies_above_the_others(pair: tuple[PictureAim, PictureView, PictureView]) -> None:
    """Its tag has the colour of what is chosen, whichever place is told first."""
    _, source, _ = pair
    for chosen in ("0", "1"):
        source.set_places([_place("0", 0.3, 0.5), _place("1", 0.3, 0.5)], chosen)
        tag = source._tags()[chosen]
        assert pixel(source, int(tag.left()) + 1, int(tag.top()) + 1) == QColor(theme.current().accent)
        # Its frame: of two on the same spot the later one is seen.
        assert pixel(source, int(0.35 * 400), int(0.5 * 200)) == QColor(theme.current().accent)
