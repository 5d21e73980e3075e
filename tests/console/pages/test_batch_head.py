"""The line that is read first of a batch: its four states as a bar and in words, what is left, what can be done."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from app.console.moments import parse_time
from app.console.pages.batch.head_view import BatchHead
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from tests.console.pages.batch_samples import AT, batch, row

NOW = parse_time(AT) + 60
MIXED = batch(row(1, "COMPLETE"), row(2, "TORN"), row(3, "RUNNING"), row(4))


@pytest.fixture
def head(session: WindowSession, qtbot: Any) -> BatchHead:
    """The line."""
    made = BatchHead(session.actions, training=True)
    qtbot.addWidget(made)
    return made


def test_the_bar_has_four_states_and_each_has_its_word(head: BatchHead) -> None:
    """What waits is the empty rest."""
    head.show_summary(MIXED, "Somebody", 0, NOW, stale=False)
    assert head.bar.parts() == [(Meaning.OK, 0.25), (Meaning.BAD, 0.25), (Meaning.WORK, 0.25)]
    marks = (head.written, head.needs, head.working, head.left)
    assert [one.word for one in marks] == ["1 written", "1 needs you", "1 writing", "1 waits"]
    assert [one.state for one in marks] == [Meaning.OK, Meaning.BAD, Meaning.WORK, Meaning.IDLE]


def test_nothing_looks_known_while_nothing_is_heard(head: BatchHead) -> None:
    """No green, and no minutes that count down by themselves."""
    found = msgspec.structs.replace(MIXED, eta_seconds=780, cards_per_minute=2.0)
    head.show_summary(found, "Somebody", 0, NOW, stale=True)
    assert {state for state, _ in head.bar.parts()} == {Meaning.IDLE}
    assert (head.written.state, head.rest.text(), head.pace.text()) == (Meaning.IDLE, "", "")


def test_who_began_it_and_how_long_it_takes(head: BatchHead) -> None:
    """As the service tells them."""
    found = msgspec.structs.replace(MIXED, eta_seconds=780, cards_per_minute=2.0)
    head.show_summary(found, "Somebody", 0, NOW, stale=False)
    assert head.begun.text().startswith("Running · started ")
    assert head.begun.text().endswith(" by Somebody")
    assert (head.rest.text(), head.pace.text()) == ("about 13 min left", "2.0 cards a minute")


def test_a_batch_that_is_over_says_how_long_it_took(head: BatchHead) -> None:
    """It cannot be paused or cancelled, and nobody is asked for a training card."""
    found = batch(row(1, "COMPLETE"), row(2, "FAILED"), state="DONE")
    found = msgspec.structs.replace(found, finished_at="2026-03-01T10:12:00.000000Z")
    head.show_summary(found, "Somebody", 0, NOW, stale=False)
    assert head.word == "Done, 1 failed"
    assert head.rest.text() == "took 12 min"
    assert head.pace.text().startswith("ended ")
    assert head.swap is not None
    assert [one.isHidden() for one in (head.pause, head.resume, head.cancel, head.swap)] == [True] * 4


def test_going_on_takes_the_place_of_the_pause(head: BatchHead) -> None:
    """One of them at a time."""
    head.show_summary(batch(row(1), state="PAUSED"), "Somebody", 0, NOW, stale=False)
    assert (head.pause.isHidden(), head.resume.isHidden()) == (True, False)


def test_what_ends_it_for_good_is_framed(head: BatchHead) -> None:
    """As everything that cannot be undone."""
    assert head.cancel.property("role") == "danger"
