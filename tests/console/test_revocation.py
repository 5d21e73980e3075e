"""How one card is named, and what is told of its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.capabilities.provisioning.messages import RevokedCard
from app.console.revocation import card_words, revocation, revoked_words
from app.registry.messages.nodes import NodeCredential

GUID = "0f8fad5b-d9cb-469f-a165-70867728950e"
END = "2029-11-21T09:20:00Z"


@pytest.mark.parametrize(
    ("profile", "not_after", "uid", "words"),
    [
        (None, END, "70000031", "70000031, card 0f8fad5b, until 2029-11-21 09:20:00"),
        (None, END, "", "Card 0f8fad5b, until 2029-11-21 09:20:00"),
        (None, None, "70000031", "70000031, card 0f8fad5b"),
        ("p-1", END, "70000031", "70000031, card 0f8fad5b"),
        ("p-1", END, "", "Card 0f8fad5b"),
    ],
)
def test_a_card_is_named_by_what_is_known_of_it(
    profile: str | None, not_after: str | None, uid: str, words: str, set_zone: Callable[[str], None]
) -> None:
    """The end of a grant is not that of its card."""
    set_zone("UTC")
    card = NodeCredential(profile=profile, format="piv-guid", card_guid=GUID, state="active", not_after=not_after)
    assert card_words(card, uid) == words


@pytest.mark.parametrize(
    ("state", "revocation_list", "words", "kind"),
    [
        ("COMPLETE", 1234, "Card 0f8fad5b of Ada is revoked: revocation list 1234 names it. Ada is not burned.", "ok"),
        (
            "PARTIAL",
            None,
            "Card 0f8fad5b of Ada is revoked: no signed list names it yet, which is tried on. Ada is not burned.",
            "warn",
        ),
    ],
)
def test_what_is_told_of_a_card_that_ended(state: Any, revocation_list: int | None, words: str, kind: str) -> None:
    """A card that no signed list names is not done with."""
    card = RevokedCard(
        hardware_uid="70000031", node_id="ARC-1", card_guid=GUID, provisions=["prv_1"], state=state, certificates=3,
        revocation_list=revocation_list, older_list_until=None, revoked_at=None,
    )  # fmt: skip
    assert revoked_words(card, "Ada") == (words, kind)


def test_the_order_names_its_card() -> None:
    """While it runs, and where it failed."""
    assert revocation(GUID, "Lost card").title == "Revoke card 0f8fad5b"
