"""The rotating code: what a symbol costs, how late a step comes on the screen, whether grabbed frames decode.

Symbol: matrix and image for the screen, against segno's matrix and PNG of the same payloads (CPU ms, median).
Lateness: 250 steps of the shown widget, from the step's boundary to its paint; a step without a paint is skipped. The
peer is the same timer without anything to paint. Decoding: 400 grabs of the screen at odd moments while the code
rotates; zxing-cpp must read each as a code of the session, OpenCV is the second opinion.
``python -m tests.perf.keystone`` prints the rows; under ``xvfb-run`` with QT_QPA_PLATFORM=xcb the window is a real one.
"""

from __future__ import annotations

import io
import statistics
import time
from collections.abc import Callable, Sequence

import cv2
import numpy as np
import segno
import zxingcpp
from PySide6.QtCore import QElapsedTimer, QEventLoop, QObject, Qt, QTimer
from PySide6.QtGui import QImage, QPaintEvent
from PySide6.QtWidgets import QApplication

from app.console import theme
from app.console.app import make_application
from app.console.theme.tokens import DARK
from app.console.widgets.rotating_code import RotatingCode, code_image
from app.keystone.messages import STEP_MS, Session, boot_ns, step_at, to_next_ns
from tests.perf.report import Row, run

SYMBOLS, STEPS, GRABS, GRAB_EVERY_MS = 200, 250, 400, 53
SYMBOL_GOAL, LATE_GOAL_MS, OPENCV_GOAL = 10.0, 5.0, 95.0
SESSION = Session(bytes(range(32)), bytes(range(16)), "T-14")


class Watched(RotatingCode):
    """Notes when each step is painted for the first time."""

    def __init__(self, since_ns: int) -> None:
        super().__init__()
        self.since_ns = since_ns
        self.late_ms: dict[int, float] = {}

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        age_ns = boot_ns() - self.since_ns
        self.late_ms.setdefault(step_at(age_ns), STEP_MS - to_next_ns(age_ns) / 1e6)


class Bare(QObject):
    """The peer: the clock alone."""

    def __init__(self, since_ns: int) -> None:
        super().__init__()
        self.since_ns = since_ns
        self.late_ms: dict[int, float] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.beat)

    def beat(self) -> None:
        """Notes the lateness and waits for the next boundary."""
        age_ns = boot_ns() - self.since_ns
        self.late_ms.setdefault(step_at(age_ns), STEP_MS - to_next_ns(age_ns) / 1e6)
        self._timer.start(-(-to_next_ns(age_ns) // 1_000_000))


def cost(work: Callable[[str], object], payloads: Sequence[str]) -> list[float]:
    """CPU ms of each."""
    costs = []
    for payload in payloads:
        began = time.thread_time()
        work(payload)
        costs.append((time.thread_time() - began) * 1000)
    return costs


def with_segno(payload: str) -> bytes:
    """Matrix and picture of the peer."""
    file = io.BytesIO()
    segno.make(payload, error="M", boost_error=False, micro=False).save(file, kind="png", border=0)
    return file.getvalue()


def symbol() -> Row:
    """Both in turns, so that they share the machine's moods."""
    payloads = [SESSION.payload(step) for step in range(SYMBOLS)]
    code_image(payloads[0]), with_segno(payloads[0])
    ours: list[float] = []
    peer: list[float] = []
    for at in range(0, SYMBOLS, 20):
        ours += cost(code_image, payloads[at : at + 20])
        peer += cost(with_segno, payloads[at : at + 20])
    ratio = statistics.median(peer) / statistics.median(ours)
    return Row(
        "QR matrix + image, CPU",
        "ms",
        statistics.median(ours),
        statistics.median(peer),
        ratio,
        f">= {SYMBOL_GOAL:.0f}x",
        "segno + PNG",
        ratio >= SYMBOL_GOAL,
    )


def wait(ms: int) -> None:
    """Lets Qt work for so long."""
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


def shown(application: QApplication) -> Watched:
    """The widget, rotating on the screen for two steps already."""
    theme.apply(application, DARK)
    widget = Watched(boot_ns())
    widget.resize(widget.sizeHint())
    widget.show()
    widget.show_session(SESSION, widget.since_ns)
    wait(2 * STEP_MS)
    return widget


def lateness() -> Row:
    """p99 over 250 steps; the step that was begun before is no step of the count."""
    widget = shown(make_application())
    first = step_at(boot_ns() - widget.since_ns) + 1
    bare = Bare(widget.since_ns)
    bare.beat()
    wait(STEPS * STEP_MS + STEP_MS)
    counted = range(first, first + STEPS)
    skipped = sum(step not in widget.late_ms for step in counted)
    late = sorted(widget.late_ms[step] for step in counted if step in widget.late_ms)
    peer = sorted(bare.late_ms[step] for step in counted if step in bare.late_ms)
    widget.clear()
    p99 = late[int(len(late) * 0.99)]
    words = f"a timer alone; p50 {statistics.median(late):.1f}, max {late[-1]:.1f} ms, {skipped} skipped"
    return Row(
        "rotating code: a step's paint after its boundary, p99",
        "ms",
        p99,
        peer[int(len(peer) * 0.99)],
        p99 / max(peer[int(len(peer) * 0.99)], 0.001),
        f"<= {LATE_GOAL_MS:.0f} ms idle, 0 skipped",
        words,
        p99 <= LATE_GOAL_MS and not skipped,
    )


def decoded() -> Row:
    """Share of grabs that were read as a code of the session that was shown then or a step before."""
    widget = shown(make_application())
    screen = widget.screen()
    by_zxing = by_opencv = 0
    clock = QElapsedTimer()
    clock.start()
    for at in range(GRABS):
        wait(max(1, at * GRAB_EVERY_MS - clock.elapsed()))
        image = screen.grabWindow(widget.winId()).toImage().convertToFormat(QImage.Format.Format_Grayscale8)
        step = step_at(boot_ns() - widget.since_ns)
        lines = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.bytesPerLine())
        pixels = lines[:, : image.width()].copy()
        shown_now = [SESSION.payload(step), SESSION.payload(step - 1)]
        by_zxing += [found.text in shown_now for found in zxingcpp.read_barcodes(pixels)] == [True]
        by_opencv += cv2.QRCodeDetector().detectAndDecode(pixels)[0] in shown_now
    widget.clear()
    ours, peer = 100 * by_zxing / GRABS, 100 * by_opencv / GRABS
    return Row(
        "rotating code: grabbed frames that decode",
        "%",
        ours,
        peer,
        None,
        f"100 %; OpenCV >= {OPENCV_GOAL:.0f} %",
        "zxing-cpp; OpenCV",
        by_zxing == GRABS and peer >= OPENCV_GOAL,
    )


ROWS = (symbol, lateness, decoded)

if __name__ == "__main__":
    run(ROWS)
