"""A locked window says what is wrong, never who."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.console.shell.lock_words import alarm_detail, alarm_state, alarm_words, owner_words
from app.console.theme.tokens import Meaning
from app.delivery.messages import Alarm

SECRETS = ("Ada", "ARC-T0001", "burn_7", "Taker")


def alarm(kind: str, taken: bool = False) -> Alarm:
    """An alarm whose every text names somebody."""
    return Alarm(
        alarm_id="alarm_1",
        kind=kind,
        since="2026-11-26T10:00:00Z",
        node_id="ARC-T0001",
        ref="burn_7",
        text="Ada (ARC-T0001) was shown",
        taken_by="op_1" if taken else None,
        taken_by_name="Taker" if taken else None,
        note="Ada was called" if taken else None,
    )


@given(st.sampled_from(["burn.tripwire", "lifecycle.brake", "strike.expired", "witness.fault", "x", ""]), st.booleans())
def test_no_word_of_an_alarm_names_anybody(kind: str, taken: bool) -> None:
    made = alarm(kind, taken)
    said = " ".join((alarm_words(made), alarm_detail(made, 1.8e9), owner_words(made)))
    assert not any(secret in said for secret in SECRETS)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("burn.tripwire", "A burned badge was shown at a door"),
        ("burn.new_kind", "A burn needs somebody"),
        ("unheard.of", "Something needs somebody"),
    ],
)
def test_a_kind_is_told_as_closely_as_it_is_known(kind: str, words: str) -> None:
    assert alarm_words(alarm(kind)) == words


def test_an_alarm_with_an_owner_is_no_longer_critical() -> None:
    assert [alarm_state(alarm("x", taken)) for taken in (False, True)] == [Meaning.CRIT, Meaning.WARN]
