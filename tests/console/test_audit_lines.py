"""What an entry of the audit log says as one whole sentence."""

from __future__ import annotations

from typing import Any

import pytest

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console.audit_lines import _LINES, _THINGS, LineNames, log_line, who_did
from app.console.audit_sentences import _SAYINGS
from app.console.theme.tokens import Meaning

AT = "2026-11-26T10:00:00.000000Z"
NAMES = LineNames(
    {"ARC-1": "Training Person 01"}.get, lambda actor, known: known or actor, {"hall": "Data hall"}.get  # type: ignore[arg-type]
)  # fmt: skip


def entry(action: str, *, actor: str = "service", outcome: Any = "ACCEPTED", **detail: object) -> AuditEntry:
    return AuditEntry(
        seq=7, timestamp=AT, actor=actor, action=action, node_id="ARC-1", outcome=outcome, detail=detail,
        leaf_hash="00" * 32,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (entry("burn.tripwire", outcome="DENIED", reader_id="data-hall-01"),
         "data-hall-01 refused the burned badge of Training Person 01"),
        (entry("alarm.raised", kind="burn.tripwire",
               text="A burned badge of node ARC-1 was presented at reader data-hall-01 (burn_1)."),
         "Alarm: burned badge of Training Person 01 shown at data-hall-01"),
        (entry("alarm.raised", kind="x", text="The keys of node ARC-1 are old."),
         "Alarm: The keys of Training Person 01 are old"),
        (entry("burn.executed", reason="left", drill=True), "DRILL: Training Person 01 burned everywhere: “left”"),
        (entry("burn.complete", elapsed_ms=51), "Burn of Training Person 01, complete in 0.051 s"),
        (entry("credentials.sync", cluster="hall", readers=20, not_after="2026-11-26T18:00:00Z"),
         "Training Person 01 may open Data hall, 20 doors, until 18:00"),
        (entry("credentials.sync", cluster="hall", not_after="2026-11-27T18:00:00Z"),
         "Training Person 01 may open Data hall, until 2026-11-27"),
        (entry("provisioning.complete", card_guid="700000010000", apdus=37),
         "Card 70000001 written for Training Person 01, proven, 37 APDUs"),
        (entry("credentials.sync", outcome="DENIED", cluster="hall", reason="no_grant"),
         "Training Person 01 may open Data hall: refused, no grant"),
        (entry("registry.node_put", made=True, id="ARC-1"), "Training Person 01 registered"),
        (entry("made.up"), "Training Person 01: Made: up"),
    ],
)  # fmt: skip
def test_a_sentence_has_the_names_in_it(one: AuditEntry, text: str) -> None:
    """Of the person, the door and the card."""
    assert log_line(one, NAMES).text == text


def test_names_stand_apart() -> None:
    """So that they can be painted in another weight."""
    line = log_line(entry("burn.tripwire", outcome="DENIED", reader_id="data-hall-01"), NAMES)
    assert line.runs == [
        ("data-hall-01", True), (" refused the burned badge of ", False), ("Training Person 01", True),
    ]  # fmt: skip


@pytest.mark.parametrize("action", sorted({*_LINES, *_SAYINGS}))
def test_a_line_needs_no_detail(action: str) -> None:
    """An entry whose detail is empty, or of other types than expected, is told all the same."""
    keys = ("card_guid", "reason", "until", "changed", "grants", "rows", "certificates", "templates", "text", "id")
    for detail in ({}, dict.fromkeys(keys, 5)):
        for outcome in ("ACCEPTED", "DENIED"):
            line = log_line(entry(action, outcome=outcome, **detail), NAMES)
            assert line.text
            assert not line.text.endswith(".")


def test_a_line_is_never_milder_than_its_outcome() -> None:
    """What was refused or failed is not green, and neither is a burn."""
    assert log_line(entry("voice.enrol"), NAMES).state is Meaning.OK
    assert log_line(entry("voice.enrol", outcome="DENIED"), NAMES).state is Meaning.WARN
    assert log_line(entry("voice.enrol", outcome="FAILED"), NAMES).state is Meaning.BAD
    assert log_line(entry("burn.executed"), NAMES).state is Meaning.CRIT


def test_what_was_erased_names_nobody() -> None:
    """Its action may still say something of the person: that is not told either."""
    one = entry("burn.executed", reason="private")
    one.erased = True
    assert log_line(one, NAMES).text == "Erased on a legal basis; the leaf stays in the log"


@pytest.mark.parametrize(
    ("actor", "known", "words"),
    [
        ("op_0123456789abcdef", "Training desk", "Training desk"),
        ("service", None, "the service"),
        ("key_launch", None, "the console"),
        ("hr:bamboo", None, "HR system bamboo"),
        ("key_7f", None, "key_7f"),
    ],
)
def test_who_did_it_is_named(actor: str, known: str | None, words: str) -> None:
    """The program itself is the service."""
    one = entry("burn.executed", actor=actor)
    one.actor_name = known
    assert who_did(one, NAMES) == words


def test_every_thing_of_the_registry_has_both_sentences() -> None:
    """That it came, and that it went."""
    assert {f"{thing}_{verb}" for thing in _THINGS for verb in ("put", "delete")} <= _LINES.keys()
