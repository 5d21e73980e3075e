"""The picture of sound: it rolls while sound comes, is whole afterwards, and holds nothing once it is cleared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from app.console.widgets.spectrogram import ROLLING_S, Spectrogram, break_jumps


@pytest.fixture
def picture(application: QApplication, qtbot: Any) -> Spectrogram:
    """Rows of 10 ms, columns of 31.25 Hz, at most 20 s."""
    made = Spectrogram(0.01, 31.25, 2_000, name="Sound")
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.show()
    return made


def rows(count: int) -> np.ndarray[Any, Any]:
    """Magnitudes of a tone."""
    found = np.full((count, 257), 1e-4, np.float32)
    found[:, 32] = 1.0
    return found


def test_what_comes_in_rolls_from_right_to_left(picture: Spectrogram) -> None:
    """The newest moment stands at the right end once there is more than fits."""
    picture.append(rows(300), rolling=True)
    assert picture.span == (0.0, ROLLING_S)
    picture.append(rows(700), rolling=True)
    assert picture.span == pytest.approx((10 - ROLLING_S, 10.0))


def test_a_whole_recording_is_seen_whole(picture: Spectrogram) -> None:
    """From its begin to its end."""
    picture.append(rows(1_000), rolling=True)
    picture.append(rows(0), rolling=False)
    assert picture.span == pytest.approx((0.0, 10.0))
    assert picture.accessibleName() == "Sound: 10.0 s"


def test_no_more_is_taken_than_fits(picture: Spectrogram) -> None:
    """The rest is not drawn."""
    picture.append(rows(2_500), rolling=False)
    assert picture.seconds == pytest.approx(20.0)


def test_a_cleared_picture_holds_nothing(picture: Spectrogram) -> None:
    """Neither the loudness nor the lines over it."""
    picture.append(rows(200), rolling=False)
    picture.show_tracks(np.full(200, 120, np.float32), [np.full(200, 500, np.float32)] * 3)
    picture.clear()
    assert not picture._power.any()
    assert picture._image.image is None
    assert all(len(line.getData()[0] if line.getData()[0] is not None else ()) == 0 for line in picture._resonances)
    assert picture.accessibleName() == "Sound: nothing yet"


def test_a_line_is_broken_where_it_jumps() -> None:
    """Another resonance takes its place there: no stroke leads to it."""
    found = break_jumps(np.array([500, 520, 1_500, 1_510], np.float32))
    assert np.isnan(found).tolist() == [False, False, True, False]
