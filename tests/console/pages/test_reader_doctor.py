"""The reader doctor's words: every trouble has one sentence that a person at the desk can follow."""

from __future__ import annotations

import msgspec
import pytest

from app.capabilities.provisioning.messages import Card, CardList, FipsVerdict, Provision
from app.console.cards.words import CardHolder
from app.console.pages.write_card.doctor import SILENT_S, ReaderFinding, examine
from app.console.theme.tokens import Meaning

AT = "2026-03-01T10:00:00.000000Z"
READER = "Reader 1"
CARD = Card(
    reader=READER, atr="3B00", hardware_uid="70000001", uid_source="serial", aliases=[], card_guid=None, node_id=None,
    state="blank", present=True, pin_tries=3,
)  # fmt: skip
TORN = Provision(
    provision_id="prv_1", node_id="ARC-T0020", hardware_uid="70000001", hardware_uid_now=None, state="TORN",
    card_guid=None, slots=[], verification=None, apdu_count=0, duration_ms=0.0, receipt_url=None,
    fips=FipsVerdict(required="FIPS 201-3", verdict="UNKNOWN", evidence="none", module=None, certificate=None),
    standing="UNVERIFIED", timestamp=AT, display_name="Training Person 20",
)  # fmt: skip


def of_card(**changes: object) -> list[ReaderFinding]:
    """What is said of a reader with this card in it."""
    cards = CardList(items=[msgspec.structs.replace(CARD, **changes)], service="up")
    found = examine(cards, [TORN], {"ARC-T0020": CardHolder("Training Person 20", "REVOKED")}, training=False)
    return [one for one in found if one.where == READER]


def of_service(*, training: bool = False, **told: object) -> list[ReaderFinding]:
    """What is said of the card service."""
    cards = CardList(**{"items": [msgspec.structs.replace(CARD, simulated=training)], "service": "up", **told})  # type: ignore[arg-type]
    found = examine(cards, [], {}, training=training)
    return [one for one in found if one.where == "Card service"]


@pytest.mark.parametrize(
    ("changes", "state", "words", "remedy"),
    [
        ({"silent_s": SILENT_S + 1}, Meaning.BAD, "does not answer", "Pull the card out"),
        ({"state": "busy", "detail": f"{READER}: the card is held by scdaemon (process 7)"}, Meaning.WARN, "scdaemon",
         "Close that program"),
        ({"state": "busy", "detail": None}, Meaning.WARN, "another program", "Close that program"),
        ({"state": "busy", "detail": "being written (prv_1)"}, Meaning.WORK, "being written", "Leave it in"),
        ({"state": "torn"}, Meaning.BAD, "prv_1, for Training Person 20", "press Write"),
        ({"state": "torn", "hardware_uid": "8"}, Meaning.BAD, "Half written", "No record"),
        ({"state": "not_piv"}, Meaning.WARN, "ATR 3B00", "PIV card"),
        ({"state": "locked"}, Meaning.BAD, "PIN is blocked", "another card"),
        ({"state": "foreign"}, Meaning.WARN, "another issuer", "blank card"),
        ({"state": None, "detail": "the card did not answer"}, Meaning.BAD, "Cannot be read (ATR 3B00)", "wipe"),
        ({"state": "provisioned", "node_id": "ARC-T0020"}, Meaning.CRIT, "Training Person 20", "destroy"),
    ],
)  # fmt: skip
def test_a_card_in_trouble_has_a_remedy(changes: dict[str, object], state: Meaning, words: str, remedy: str) -> None:
    """What is so, and what to do."""
    first = of_card(**changes)[0]
    assert first.state is state
    assert words in first.found
    assert remedy in first.remedy


@pytest.mark.parametrize("changes", [{}, {"present": False, "state": None}, {"silent_s": SILENT_S - 1}])
def test_a_good_reader_is_good(changes: dict[str, object]) -> None:
    """Nothing to do, and nothing is said of it."""
    assert [(one.state, one.remedy) for one in of_card(**changes)] == [(Meaning.OK, "")]


def test_the_last_try_and_the_last_trouble_are_told() -> None:
    """Beside what is so now."""
    found = of_card(pin_tries=1, last_error="the card was taken out (80100069)", last_error_at=AT)
    assert [one.state for one in found] == [Meaning.OK, Meaning.WARN, Meaning.IDLE]
    assert "80100069" in found[2].found
    assert found[2].remedy == "It is over."


@pytest.mark.parametrize(
    ("trouble", "words"),
    [("missing", "apt-get install"), ("stopped", "systemctl start"), ("no_access", "polkit"), (None, "systemctl")],
)
def test_a_service_that_is_away_says_why(trouble: str | None, words: str) -> None:
    """Each with the command for whoever looks after the computer."""
    (found,) = of_service(service="down", trouble=trouble)
    assert found.state is Meaning.BAD
    assert words in found.remedy


def test_a_training_site_needs_no_card_service() -> None:
    """Its absence is told and is no alarm."""
    assert [one.state for one in of_service(training=True, service="down", trouble="missing")] == [Meaning.IDLE]
    assert [one.state for one in of_service(training=True, service="off")] == [Meaning.IDLE]
    assert [one.state for one in of_service(service="off")] == [Meaning.BAD]


def test_a_service_that_came_back_is_told() -> None:
    """And so is one that sees no reader."""
    assert [one.found for one in of_service(restarts=2)] == ["Runs", "Was away and came back 2 times"]
    assert [one.state for one in of_service(items=[])] == [Meaning.OK, Meaning.WARN]


def test_a_silent_service_hides_what_it_said_before() -> None:
    """Nothing good is told of readers that nobody has seen for a while."""
    cards = CardList(items=[CARD], service="up")
    (found,) = examine(cards, [], {}, training=False, silent="STALE since 14:32:07")
    assert (found.state, found.found) == (Meaning.IDLE, "STALE since 14:32:07")
