"""The strip of a recording, the scale of a false-alarm rate, and the ground where things are dropped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtWidgets import QApplication

from app.console.theme.tokens import Meaning
from app.console.widgets.drop_area import sources_in
from app.console.widgets.rate_scale import RateLimit, RateScale, percent_words
from app.console.widgets.timeline import TimelineStrip, TimeSpan, second_words

SPANS = (
    TimeSpan(2.0, 4.0, Meaning.BAD, "a piece was put in"),
    TimeSpan(6.0, 6.0, Meaning.WARN, "a frame repeats"),
    TimeSpan(8.0, 10.0, None, "12 frames were dropped"),
)


@pytest.fixture
def strip(application: QApplication, qtbot: Any) -> TimelineStrip:
    """Ten seconds on 400 px."""
    made = TimelineStrip(name="Recording")
    qtbot.addWidget(made)
    made.resize(400, 40)
    made.set_spans(10.0, SPANS)
    made.show()
    return made


def test_a_click_chooses_the_span_under_it(strip: TimelineStrip, qtbot: Any) -> None:
    """Also one that has no length; beside them nothing is chosen."""
    found: list[int] = []
    strip.chosen.connect(found.append)
    for x in (120, 241, 20, 360):
        qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(x, 10))
    assert found == [0, 1, 2]
    assert "12 frames were dropped" in strip.accessibleDescription()


def test_arrows_go_from_span_to_span(strip: TimelineStrip, qtbot: Any) -> None:
    """And stay at the ends."""
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Left):
        qtbot.keyClick(strip, key)
    assert strip.at == 0


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0:00"), (2.04, "0:02"), (127.4, "2:07.4"), (3727, "1:02:07"), (59.96, "1:00")]
)
def test_a_place_in_a_recording_in_words(seconds: float, words: str) -> None:
    """Hours where there are any, tenths where they say something."""
    assert second_words(seconds) == words


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0, "0 %"),
        (1e-6, "less than 0.01 %"),
        (0.0012, "0.12 %"),
        (0.042, "4.2 %"),
        (0.04, "4 %"),
        (1, "100 %"),
        (0.997, "more than 99 %"),
    ],
)
def test_a_rate_in_words(share: float, words: str) -> None:
    """As many digits as say something."""
    assert percent_words(share) == words


def test_a_rate_is_told_with_its_interval(application: QApplication, qtbot: Any) -> None:
    """Never alone, and nothing is told where none is known."""
    scale = RateScale((RateLimit(0.01, "1 %"),), name="False alarms")
    qtbot.addWidget(scale)
    assert scale.accessibleName() == "False alarms: no rate is known"
    scale.set((0.04, 0.03, 0.06))
    assert scale.accessibleName() == "False alarms: 4 %, between 3 % and 6 %"


def test_what_is_dropped_is_told_apart() -> None:
    """Files of this machine, addresses of others; anything else is nothing."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/tmp/a.png"), QUrl("https://example.org/b.png"), QUrl("ftp://example.org/c")])
    assert sources_in(data) == ([Path("/tmp/a.png")], ["https://example.org/b.png"])
    text = QMimeData()
    text.setText("see https://example.org/d.png and http://example.org/e.png")
    assert sources_in(text) == ([], ["https://example.org/d.png", "http://example.org/e.png"])


@given(st.floats(0, 1e6))
def test_every_place_in_a_recording_has_words(seconds: float) -> None:
    """Of digits and colons."""
    assert second_words(seconds).replace(":", "").replace(".", "").isdigit()
