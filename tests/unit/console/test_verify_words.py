"""What the page Verify says of a decision that rests on few people."""

import pytest

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console.pages.verify.words import FEW_WORDS, decisions, sureness


def entry(**detail: object) -> AuditEntry:
    """A leaf of a decision that found nobody."""
    return AuditEntry(
        seq=1,
        node_id=None,
        timestamp="2026-11-23T03:00:00Z",
        action="palm.verify",
        actor="key-1",
        outcome="DENIED",
        detail={"rate": 1e-4, "extrapolated": False, **detail},
        leaf_hash="00" * 32,
    )


@pytest.mark.parametrize(("basis", "said"), [("FEW", "right hands are missed"), ("TOO_FEW", "nobody is found")])
def test_few_people_are_told(basis: str, said: str) -> None:
    """The page says how many were searched and what to do, before what was measured."""
    shown = sureness(decisions([entry(basis=basis)])[0])
    assert shown.startswith(FEW_WORDS[basis])
    assert said in shown
    assert "Enrol more people" in shown or "enrol more people" in shown
    assert "Measured" in shown


@pytest.mark.parametrize("detail", [{"basis": "COHORT"}, {}])
def test_enough_people_and_older_leaves_say_nothing_of_it(detail: dict[str, object]) -> None:
    """Only what was measured."""
    assert sureness(decisions([entry(**detail)])[0]).startswith("Measured")


def test_a_refused_frame_rests_on_nobody() -> None:
    """Nothing was compared, so no number of people is told."""
    assert sureness(decisions([entry(rate=None, basis="FEW")])[0]).startswith("Nothing was compared")
