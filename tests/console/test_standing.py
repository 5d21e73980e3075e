"""The words for how a person or a consent stands."""

from __future__ import annotations

from typing import get_args

from app.console.standing import STANDINGS, standing_word
from app.registry.messages.nodes import Standing


def test_every_standing_of_the_service_has_a_word() -> None:
    assert set(STANDINGS) == set(get_args(Standing))


def test_a_standing_of_a_newer_service_is_shown_as_it_is_called() -> None:
    assert standing_word("FROZEN_BY_COURT") == "Frozen by court"
