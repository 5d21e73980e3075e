"""The rotating code on the screen, read back by an independent decoder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest
import segno
import zxingcpp
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from app.capabilities.keystone.messages import LIFETIME_S, STEP_MS, CodeSession, boot_ns
from app.console import theme
from app.console.theme.tokens import DARK, LIGHT, ThemeTokens
from app.console.widgets import rotating_code
from app.console.widgets.rotating_code import MODULE_MIN, MODULES, QUIET, RENEW_S, RotatingCode, code_image

SESSION = CodeSession(bytes(range(32)), bytes(range(16)), "T-14")
MS = 1_000_000
STEP = STEP_MS * MS


class Clock:
    """The widget's clock, as the test sets it."""

    def __init__(self) -> None:
        self.now = 7_000_000_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """In the place of the machine's."""
    made = Clock()
    monkeypatch.setattr(rotating_code, "boot_ns", made)
    return made


@pytest.fixture
def widget(application: QApplication, qtbot: Any) -> Iterator[RotatingCode]:
    """Shown, at the least size that it takes."""
    made = RotatingCode()
    qtbot.addWidget(made)
    made.resize(made.minimumSize())
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.clear()


def pixels(widget: RotatingCode) -> npt.NDArray[np.uint8]:
    """Grey values of what is painted."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    lines = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.bytesPerLine())
    return lines[:, : image.width()].copy()


def read(widget: RotatingCode) -> list[str]:
    """What zxing-cpp reads off the widget."""
    return [found.text for found in zxingcpp.read_barcodes(pixels(widget), formats=zxingcpp.BarcodeFormat.QRCode)]


@pytest.mark.parametrize("look", [DARK, LIGHT])
def test_every_step_is_read_off_the_screen(
    application: QApplication, widget: RotatingCode, clock: Clock, look: ThemeTokens
) -> None:
    """40 codes in each theme, at the least size, as the service expects them."""
    theme.apply(application, look)
    widget.show_session(SESSION, clock.now)
    for step in range(40):
        assert read(widget) == [SESSION.payload(step)]
        clock.now += STEP


def test_a_second_decoder_reads_the_code(widget: RotatingCode, clock: Clock) -> None:
    """OpenCV knows nothing of the library that wrote it; it misses a few symbols of any writer, and misreads none."""
    widget.resize(widget.sizeHint())
    widget.show_session(SESSION, clock.now)
    found = []
    for step in range(40):
        text, _, _ = cv2.QRCodeDetector().detectAndDecode(pixels(widget))
        if text:
            assert text == SESSION.payload(step)
            found.append(step)
        clock.now += STEP
    assert len(found) >= 30


def test_the_image_is_the_symbol_of_segno(application: QApplication) -> None:
    """Every module, under one of the eight masks."""
    for step in range(5):
        image = code_image(SESSION.payload(step))
        dark = np.array([[image.pixelColor(x, y).red() == 0 for x in range(MODULES)] for y in range(MODULES)])
        made = [segno.make(SESSION.payload(step), error="M", mask=mask, boost_error=False) for mask in range(8)]
        assert any(np.array_equal(dark, np.array([list(row) for row in symbol.matrix]) != 0) for symbol in made)


@pytest.mark.parametrize("extra", [0, 13, 36, 37, 200])
def test_modules_are_whole_pixels_in_white(widget: RotatingCode, clock: Clock, extra: int) -> None:
    """Black and white alone, four modules of white around, whatever the size."""
    side = MODULE_MIN * (MODULES + 2 * QUIET) + extra
    widget.resize(side + 50, side)
    widget.show_session(SESSION, clock.now)
    seen = pixels(widget)
    assert set(np.unique(seen)) == {0, 255}
    rows, columns = np.where(seen == 0)
    module = (rows.max() - rows.min() + 1) // MODULES
    height, width = seen.shape
    assert module == side // (MODULES + 2 * QUIET)
    assert (rows.max() - rows.min() + 1, columns.max() - columns.min() + 1) == (module * MODULES,) * 2
    margins = (rows.min(), height - 1 - rows.max(), columns.min(), width - 1 - columns.max())
    assert min(margins) >= QUIET * module
    corner = seen[rows.min() : rows.min() + module * MODULES, columns.min() : columns.min() + module * MODULES]
    blocks = corner.reshape(MODULES, module, MODULES, module)
    assert np.array_equal(blocks.min(axis=(1, 3)), blocks.max(axis=(1, 3)))


def test_the_step_is_read_while_painting(widget: RotatingCode, clock: Clock) -> None:
    """However late a paint comes, it shows the code of its own moment."""
    widget.show_session(SESSION, clock.now - 3 * STEP)
    clock.now += 117 * STEP + 399 * MS
    assert read(widget) == [SESSION.payload(120)]


def test_a_code_is_ready_before_its_step(widget: RotatingCode, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the boundary it is only laid on the screen: its image was made while the step before it was shown."""
    widget.show_session(SESSION, clock.now)
    asked: list[str] = []
    monkeypatch.setattr(rotating_code, "code_image", lambda payload: asked.append(payload) or code_image(payload))
    clock.now += STEP
    assert read(widget) == [SESSION.payload(1)]
    # A slow machine lets the widget's own timer fall into the reading: it then makes the step after this one.
    assert SESSION.payload(1) not in asked
    widget._beat()
    assert asked == [SESSION.payload(2)]


@pytest.mark.parametrize(("age_ms", "wait_ms"), [(0, 400), (399, 1), (250, 150), (800, 400)])
def test_the_timer_goes_to_the_next_boundary(widget: RotatingCode, clock: Clock, age_ms: int, wait_ms: int) -> None:
    """From wherever it is; never by a fixed period that would drift."""
    widget.show_session(SESSION, clock.now - age_ms * MS)
    assert widget._timer.interval() == wait_ms
    assert widget._timer.isSingleShot()


def test_a_timer_never_fires_before_its_boundary(widget: RotatingCode, clock: Clock) -> None:
    """Part of a millisecond counts as a whole one."""
    widget.show_session(SESSION, clock.now - STEP + 1)
    assert widget._timer.interval() == 1


def test_codes_follow_the_machine_clock(widget: RotatingCode, qtbot: Any) -> None:
    """Without a hand on the clock three codes in a row come by themselves, in order."""
    widget.show_session(SESSION, boot_ns())
    known = [SESSION.payload(step) for step in range(200)]
    seen: list[int] = []

    def three() -> bool:
        (text,) = read(widget)
        if known.index(text) not in seen:
            seen.append(known.index(text))
        return len(seen) >= 3

    qtbot.waitUntil(three, timeout=30_000)
    assert seen == sorted(seen)


def test_nothing_is_shown_after_the_session(widget: RotatingCode, clock: Clock, qtbot: Any) -> None:
    """The next session is asked for once before its end; then the code is gone, and its secret with it."""
    asked: list[str] = []
    widget.renewalDue.connect(lambda: asked.append("due"))
    widget.ended.connect(lambda: asked.append("ended"))
    widget.show_session(SESSION, clock.now)
    assert asked == []
    clock.now += RENEW_S * 1000 * MS
    widget._beat()
    widget._beat()
    assert asked == ["due"]
    clock.now += (LIFETIME_S - RENEW_S) * 1000 * MS
    widget._beat()
    assert asked == ["due", "ended"]
    assert not widget.showing
    assert read(widget) == []
    assert not widget._timer.isActive()


def test_a_hidden_code_does_no_work(widget: RotatingCode, clock: Clock) -> None:
    """Hidden it sleeps; shown again it shows the code of now."""
    widget.show_session(SESSION, clock.now)
    widget.hide()
    assert not widget._timer.isActive()
    clock.now += 50 * STEP
    widget.show()
    assert widget._timer.isActive()
    assert read(widget) == [SESSION.payload(50)]


def test_it_says_why_nothing_is_shown(widget: RotatingCode, clock: Clock) -> None:
    """In the place of the code, and to a screen reader."""
    widget.show_session(SESSION, clock.now)
    widget.clear("STALE since 14:32:07")
    assert widget.accessibleName() == "STALE since 14:32:07"
    assert read(widget) == []


def test_it_is_named_and_its_code_is_not(widget: RotatingCode, clock: Clock) -> None:
    """A screen reader hears which terminal it is, never the payload."""
    assert widget.accessibleName() == "No code is shown."
    widget.show_session(SESSION, clock.now)
    assert widget.accessibleName() == "Rotating code of terminal T-14"
    assert "KQ1" not in widget.accessibleName() + widget.accessibleDescription() + widget.toolTip()
