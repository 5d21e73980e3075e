"""What of a provisioning gets onto its badge."""

from __future__ import annotations

from datetime import date

import pytest

from app.capabilities.provisioning.messages import FipsVerdict, Printed, Provision
from app.console.badge import badge_of
from app.registry.messages.nodes import Node
from tests.console.badge.conftest import GUID

AT = "2026-11-21T23:40:00Z"
PRINTED = Printed(affiliation="TRAINING", expires="2029-11-20", serial="1F3A22B0", issuer="TRAINING")


def provision(**changes: object) -> Provision:
    """A finished card."""
    fields: dict[str, object] = {
        "provision_id": "prv_1", "node_id": "ARC-T0040", "hardware_uid": "7", "hardware_uid_now": "7",
        "state": "COMPLETE", "card_guid": GUID, "slots": [],
        "fips": FipsVerdict(required="FIPS 201-3", verdict="UNKNOWN", evidence="none", module=None, certificate=None),
        "verification": None, "apdu_count": 37, "duration_ms": 1.0, "receipt_url": None, "standing": "UNVERIFIED",
        "timestamp": AT, "printed": PRINTED, "display_name": "Training Person 40", "training": True,
    }  # fmt: skip
    return Provision(**{**fields, **changes})  # type: ignore[arg-type]


def node(node_id: str, name: str) -> Node:
    """A person."""
    return Node(
        node_id=node_id, display_name=name, employee_id=None, email=None, notes=None, directory_accounts=[], tags=[],
        standing="UNVERIFIED", verified_at=None, credentials=[], live_checks=[], templates=[],
        created_at=AT, changed_at=AT,
    )  # fmt: skip


def test_a_badge_says_what_the_cards_printed_information_says() -> None:
    """And beside it the name in its own letters, the GUID, the day of the write."""
    badge = badge_of(provision())
    assert (badge.affiliation, badge.issuer, badge.serial) == ("TRAINING", "TRAINING", "1F3A22B0")
    assert (badge.issued, badge.expires) == (date(2026, 11, 21), date(2029, 11, 20))
    assert (badge.display_name, badge.node_id, badge.card_guid) == ("Training Person 40", "ARC-T0040", GUID)
    assert badge.training
    assert badge.photo is None


def test_the_nodes_name_is_the_newer_one() -> None:
    """Without any name the node's identifier stands for it: a node may have been deleted since."""
    assert badge_of(provision(), node("ARC-T0040", "Training Person 41")).display_name == "Training Person 41"
    assert badge_of(provision(display_name=None)).display_name == "ARC-T0040"


@pytest.mark.parametrize("changes", [{"state": "TORN"}, {"state": "RUNNING"}, {"printed": None}, {"card_guid": None}])
def test_an_unfinished_card_has_no_badge(changes: dict[str, object]) -> None:
    """Nobody is given a badge whose card may open nothing."""
    with pytest.raises(ValueError, match="not finished"):
        badge_of(provision(**changes))


def test_a_badge_is_of_one_person() -> None:
    """Another node's name on a card would be a forged badge."""
    with pytest.raises(ValueError, match="not of ARC-T0041"):
        badge_of(provision(), node("ARC-T0041", "Training Person 41"))
