"""Words of the page People: cards, doors, standing, and the lines of the history."""

from __future__ import annotations

from typing import Any

import pytest

from app.capabilities.burn.messages import Containment
from app.capabilities.credentials.messages import ClusterAccess
from app.capabilities.gateway.audit.messages import AuditEntry
from app.capabilities.provisioning.messages import FipsVerdict, Provision, SlotReply
from app.console.moments import api_time, parse_time
from app.console.pages.people.history import of_decision, without_repeats
from app.console.pages.people.words import card_lines, door_line, standing_words, where_words
from app.console.revocation import valid_cards
from app.console.theme.tokens import Meaning
from app.registry.messages.access import AccessEvent
from app.registry.messages.nodes import Node, NodeCredential

AT = "2026-11-26T10:00:00Z"
NOW = parse_time(AT)
LATER = api_time(NOW + 1e6)
GUID = "0f8fad5b-d9cb-469f-a165-70867728950e"


def person(standing: Any = "VERIFIED_DIGITAL_HUMAN", *credentials: NodeCredential) -> Node:
    return Node(
        node_id="ARC-1", display_name="Training Person 01", employee_id=None, email=None, notes=None,
        directory_accounts=[], tags=[], standing=standing, verified_at=None, credentials=list(credentials),
        live_checks=[], templates=[], created_at=AT, changed_at=AT,
    )  # fmt: skip


def credential(state: Any, profile: str | None = None, guid: str = GUID) -> NodeCredential:
    return NodeCredential(profile=profile, format="piv-guid", card_guid=guid, state=state)


def card(state: Any = "COMPLETE", *, guid: str | None = GUID, until: str = LATER, **more: Any) -> Provision:
    fips = FipsVerdict(required="none", verdict="UNKNOWN", evidence="none", module=None, certificate=None)
    slot = SlotReply(slot="9A", algorithm="ECCP256", certificate_sha256="", public_key_sha256="", not_after=until)
    return Provision(
        provision_id="prv_1", node_id="ARC-1", hardware_uid="70000031", hardware_uid_now=None, state=state,
        card_guid=guid, slots=[slot], fips=fips, verification=None, apdu_count=0, duration_ms=0.0, receipt_url=None,
        standing="VERIFIED_DIGITAL_HUMAN", timestamp=AT, **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("written", "known", "word", "state"),
    [
        (card(), credential("granted", "p-1"), "In use", Meaning.OK),
        (card(), credential("expired", "p-1"), "In use", Meaning.OK),
        (card(until=AT), credential("expired"), "Expired", Meaning.WARN),
        (card(), credential("revoked"), "Revoked", Meaning.CRIT),
        (card(), None, "Ended", Meaning.IDLE),
        (card("TORN"), None, "Torn", Meaning.BAD),
        (card("RUNNING"), None, "Writing", Meaning.WORK),
        (card("REFUSED"), None, "Not written", Meaning.IDLE),
        (card(released_at=AT), credential("active"), "Ended", Meaning.IDLE),
    ],
)
def test_a_card_is_told_as_it_stands(written: Provision, known: NodeCredential | None, word: str, state: Any) -> None:
    """The end of a grant is not the end of its card."""
    (line,) = card_lines([written], [] if known is None else [known], NOW)
    assert (line.title, line.word, line.state) == ("70000031", word, state)


def test_a_card_that_was_written_twice_is_one_line() -> None:
    """The newest record of it."""
    lines = card_lines([card("TORN"), card()], [credential("active")], NOW)
    assert [line.word for line in lines] == ["Torn"]


def test_only_good_cards_can_be_lost() -> None:
    """Each once, whatever its grants came to; what was revoked or has ended is not offered."""
    guids = [f"{number:08x}{GUID[8:]}" for number in range(4)]
    node = person(
        "VERIFIED_DIGITAL_HUMAN",
        credential("expired", "p-1", guids[0]),
        credential("granted", "p-2", guids[0]),
        credential("active", None, guids[1]),
        credential("revoked", None, guids[2]),
        credential("expired", None, guids[3]),
    )
    assert [one.card_guid for one in valid_cards(node)] == guids[:2]


@pytest.mark.parametrize(
    ("reason", "word", "state"),
    [
        ("granted", "Until ", Meaning.OK),
        ("no_grant", "No grant", Meaning.IDLE),
        ("contained", "Contained", Meaning.WARN),
        ("burned", "Burned", Meaning.CRIT),
        ("outside_schedule", "Outside the hours", Meaning.IDLE),
    ],
)
def test_doors_say_why(reason: Any, word: str, state: Meaning) -> None:
    """Only doors that open are green."""
    until = LATER if reason == "granted" else None
    one = ClusterAccess(
        cluster_id="east", display_name="East", profile_id="p-1", doors=1, reason=reason, until=until
    )  # fmt: skip
    line = door_line(one, NOW)
    assert line.word.startswith(word)
    assert (line.title, line.detail, line.state) == ("East", "1 door", state)


def test_a_contained_person_is_no_longer_green() -> None:
    """The containment is told before the standing that it will give back."""
    held = Containment(
        containment_id="ctn_1", node_id="ARC-1", display_name=None, state="contained", cause="containment",
        message=None, actor="op_1", since=AT, until=api_time(NOW + 120),
    )  # fmt: skip
    state, word, since = standing_words(person(), [held], NOW)
    assert (state, word) == (Meaning.WARN, "Contained")
    assert since.endswith("2 min left")
    assert standing_words(person("REVOKED"), [], NOW)[:2] == (Meaning.CRIT, "Burned")


def decision(kind: Any, reason: str) -> AccessEvent:
    return AccessEvent(
        reader_id="east-1", cluster_id="east", node_id="ARC-1", decision=kind, reason=reason, ref=None,
        latency_ms=21.3, epoch=4, at=AT,
    )  # fmt: skip


def test_a_door_is_told_in_a_sentence() -> None:
    """What it decided and why; a burned badge stands out."""
    let_in, kept_out = of_decision(decision("GRANT", "granted")), of_decision(decision("DENY", "burned"))
    assert (let_in.text, let_in.detail, let_in.state) == ("Let in at east-1", "decided in 21.3 ms", Meaning.OK)
    assert (kept_out.text, kept_out.detail, kept_out.state) == ("Not let in at east-1", "burned", Meaning.CRIT)
    assert of_decision(decision("DENY", "wrong_cluster")).state is Meaning.IDLE


def test_nobody_is_said_to_be_inside() -> None:
    """Doors do not tell who leaves: the place is where the person was let in."""
    place, said = where_words(decision("GRANT", "granted"), AT, NOW + 7)
    assert place == "east-1"
    assert said.endswith("7.0 s ago; doors do not tell who leaves")
    assert where_words(None, AT, NOW)[0] == "No trace"


def test_an_act_is_told_once() -> None:
    """The change of standing that a containment brings says nothing of its own; another one does."""

    def leaf(seq: int, action: str, **detail: str) -> AuditEntry:
        return AuditEntry(
            seq=seq, timestamp=AT, actor="op_1", action=action, node_id="ARC-1", outcome="ACCEPTED", detail=detail,
            leaf_hash="00" * 32,
        )  # fmt: skip

    entries = [
        leaf(1, "containment.contained", containment_id="ctn_1"),
        leaf(2, "registry.standing_change", ref="ctn_1"),
        leaf(3, "registry.standing_change", ref="live-check-window"),
    ]
    assert [one.seq for one in without_repeats(entries)] == [1, 3]
    steps = [leaf(4, "burn.confirmed", burn_id="burn_1"), leaf(5, "burn.confirmed", burn_id="burn_2")]
    done = leaf(6, "burn.complete", burn_id="burn_1")
    assert [one.seq for one in without_repeats([*steps, done])] == [5, 6]
