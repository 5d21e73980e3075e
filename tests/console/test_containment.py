"""What is told of a person who is denied at this site for a while."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.capabilities.burn.messages import Containment, ContainmentBody
from app.console.containment import contained_words, containment, release, released_words, subject_of


def held(until: str | None) -> Containment:
    """A containment."""
    return Containment(
        containment_id="ctn_1", node_id="ARC-1", display_name=None, state="contained", cause="containment",
        message=None, actor="op_1", since="2026-11-26T10:00:00Z", until=until,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("until", "words"),
    [
        (None, "Ada is denied at this site. Ctrl+U releases."),
        ("2026-11-26T10:15:30Z", "Ada is denied at this site until 10:15:30. Ctrl+U releases."),
    ],
)
def test_a_containment_says_until_when_it_is(until: str | None, words: str, set_zone: Callable[[str], None]) -> None:
    """Where it ends by itself."""
    set_zone("UTC")
    assert contained_words(held(until), "Ada") == words


def test_messages_of_one_person_take_each_others_place() -> None:
    """Those of another do not."""
    assert subject_of("ARC-1") == "Containment of ARC-1"
    assert released_words("Ada") == "Ada is released."


def test_either_order_names_its_person() -> None:
    """While it runs, and where it failed."""
    assert containment(ContainmentBody(node_id="ARC-1", seconds=600), "Ada").title == "Contain Ada"
    assert release(held(None), "Ada").title == "Release Ada"
