"""What a selection says: which frame changed and when, and which phase of its handshakes grew."""

from __future__ import annotations

import numpy as np
import pytest

from app.console.clock import clock_time
from app.console.pages.infrastructure.selection_words import (
    AROUND_S,
    MedianChange,
    around,
    change_detail,
    change_of,
    change_sentence,
    phase_changes,
    phase_note,
    selected_words,
    sharpen,
)
from app.console.theme.tokens import Meaning
from app.console.widgets.chart_plot import ChartEvent

START = 1_772_000_040.0 // 60 * 60
STARTS = START + np.arange(10, dtype=np.float64) * 60
GROWN = np.array([0.9] * 6 + [61.2] * 4)


def test_a_frame_that_grew() -> None:
    """The medians before and in the selection, and the step in which it had grown."""
    change = change_of(STARTS, GROWN, 60.0, (START + 300, START + 600))
    assert (change.before, change.now, change.at) == (0.9, 61.2, START + 360)
    clock = clock_time(START + 360)[:-3]
    assert change_sentence("c-07", change, 60.0) == f"c-07 grew 68 times at {clock}"


def test_the_second_is_told_where_handshakes_show_it() -> None:
    """Not where the first one that is known had changed already: it may have done so before."""
    change = MedianChange(0.9, 61.2, START)
    seconds = START + np.arange(4, dtype=np.float64)
    sharp = sharpen(change, seconds, np.array([0.9, 1.1, 60.0, 61.0]))
    assert (sharp.at, sharp.exact) == (START + 2, True)
    assert change_sentence("c-07", sharp, 60.0).endswith(f" at {clock_time(START + 2)}")
    assert sharpen(change, seconds, np.array([60.0, 60.0, 60.0, 61.0])) is change
    assert sharpen(change, seconds[:0], np.zeros(0)) is change


def test_it_grew_before_the_selection_began() -> None:
    """The time is that of the growth, not of the selection's edge."""
    assert change_of(STARTS, GROWN, 60.0, (START + 480, START + 600)).at == START + 360


def test_a_median_within_the_bound_did_not_change() -> None:
    """1.5 times as much is none yet."""
    steady = change_of(STARTS, np.array([1.0] * 6 + [1.5] * 4), 60.0, (START + 360, START + 600))
    assert (steady.changed, steady.at) == (False, None)
    assert change_sentence("c-07", steady, 60.0) == "c-07 did not change"
    assert change_of(STARTS, np.array([1.0] * 6 + [1.6] * 4), 60.0, (START + 360, START + 600)).changed


def test_a_frame_that_fell() -> None:
    change = MedianChange(8.0, 2.0)
    assert change_sentence("c-07", change, 60.0) == "c-07 fell to 25%"


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([1.0] * 6 + [np.nan] * 4, "c-07 was not measured"),
        ([np.nan] * 6 + [1.0] * 4, "c-07: nothing before it to compare"),
    ],
)
def test_what_was_not_measured_is_not_compared(values: list[float], sentence: str) -> None:
    change = change_of(STARTS, np.array(values), 60.0, (START + 360, START + 600))
    assert change.factor is None
    assert change_sentence("c-07", change, 60.0) == sentence


def test_the_other_frames_are_counted() -> None:
    """Those that changed, those that did not, and those of which nobody knows."""
    change, still, moved, unknown = (
        MedianChange(0.9, 61.4), MedianChange(1.0, 1.1), MedianChange(1.0, 4.0), MedianChange(1.0, None),
    )  # fmt: skip
    assert change_detail(change, [still] * 51) == "p50 0.900 to 61.4 ms. The other 51 frames did not change."
    assert change_detail(change, [still, moved]).endswith("Of the other 2 frames 1 changed, too.")
    assert change_detail(change, [still, unknown]).endswith("The other frame did not change. Of 1 it is not known.")


def handshakes(resolve: float, connect: float, first: float, whole: float, count: int) -> np.ndarray:
    """So many alike, as the log of phases gives them."""
    return np.tile(np.array([[resolve], [connect], [first], [whole]], np.float32), (1, count))


def test_the_phase_that_grew() -> None:
    """One alone: that which grew by the most milliseconds."""
    before, now = handshakes(0.0, 0.1, 0.5, 0.9, 40), handshakes(0.0, 0.2, 0.5, 61.0, 12)
    found = phase_changes(before, now)
    assert [one.name for one in found if one.grew] == ["Rest of TLS"]
    assert found[3].now == pytest.approx(60.5)
    assert phase_note(before, now) == "Rest of TLS grew. Of 12 handshakes, 40 before."


def test_few_handshakes_do_not_say_which_phase_grew() -> None:
    """One slow handshake is no median."""
    before, now = handshakes(0.0, 0.1, 0.5, 0.9, 40), handshakes(0.0, 0.2, 0.5, 61.0, 2)
    assert not any(one.grew for one in phase_changes(before, now))
    assert phase_note(before, now) == "Of 2 handshakes, 40 before. Too few to say which grew."


def test_phases_that_nobody_read_are_not_compared() -> None:
    """Before the selection, or in it."""
    none, some = np.empty((4, 0), np.float32), handshakes(0.0, 0.1, 0.5, 0.9, 1)
    assert phase_changes(some, none) == []
    assert phase_note(some, none).startswith("The phases of that time are not known")
    assert [(one.before, one.grew) for one in phase_changes(none, some)] == [(None, False)] * 4
    assert phase_note(none, some) == "Of 1 handshake; no phases were read before."


def test_a_selection_is_named_by_its_minutes() -> None:
    first, last = (clock_time(START + one) for one in (300, 600))
    assert selected_words((START + 300, START + 600), 60.0) == f"Selected {first[:-3]} to {last[:-3]}"
    assert selected_words((START + 300, START + 304), 60.0).startswith(f"Selected {first} to ")


def test_what_happened_around_it() -> None:
    """A minute before and after it."""
    events = [ChartEvent(START + at, Meaning.BAD, "Alarm", str(at)) for at in (900, 539, 601, 239)]
    chosen = (START + 300, START + 540)
    assert [one.sentence for one in around(events, chosen)] == ["539"]
    assert AROUND_S == 60
    assert [one.sentence for one in around(events, (START + 300, START + 541))] == ["539", "601"]
