"""What an entry of the audit log says to people."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import app as program  # its folder is read
from app.capabilities.gateway.audit.messages import AuditEntry
from app.console.audit_sentences import _SAYINGS, LANES, by_words, saying
from app.console.theme.tokens import Meaning

AT = "2026-11-26T10:00:00Z"
ACTION = re.compile(r'"([a-z_]+\.[a-z_]+)"')
BUILT = {"registry.node_put", "registry.node_delete", "palm.enrol", "stylized.enrol"}
"""Actions whose names are put together of a kind and a verb."""


def entry(action: str, *, actor: str = "service", outcome: Any = "ACCEPTED", **detail: object) -> AuditEntry:
    return AuditEntry(
        seq=7, timestamp=AT, actor=actor, action=action, node_id="ARC-1", outcome=outcome, detail=detail,
        leaf_hash="00" * 32,
    )  # fmt: skip


def test_every_sentence_is_of_an_action_that_is_written() -> None:
    """A renamed action does not leave a sentence behind that nobody says any more."""
    root = Path(program.__path__[0])
    written = {
        found
        for place in ("capabilities", "registry", "delivery", "biometrics")
        for path in (root / place).rglob("*.py")
        for found in ACTION.findall(path.read_text(encoding="utf-8"))
    }
    assert _SAYINGS.keys() - written - BUILT == set()


@pytest.mark.parametrize("action", sorted(_SAYINGS))
def test_a_sentence_needs_no_detail(action: str) -> None:
    """An entry whose detail is empty, or of other types than expected, is told all the same."""
    for detail in ({}, dict.fromkeys(("card_guid", "reason", "until", "changed", "grants", "why"), 5)):
        for outcome in ("ACCEPTED", "DENIED"):
            said = saying(entry(action, outcome=outcome, **detail), {})
            assert said.lane in LANES
            assert said.text
            assert not said.text.endswith(".")


def test_an_unknown_action_is_told_by_its_own_words() -> None:
    """Nothing is left out, and nothing unknown is green."""
    said = saying(entry("provisioning.polished", actor="op_1", outcome="FAILED"), {})
    assert (said.lane, said.state, said.text) == ("Card", Meaning.BAD, "Provisioning: polished by op 1")
    assert saying(entry("makers.found"), {}).state is Meaning.IDLE


@pytest.mark.parametrize(
    ("actor", "name", "words"),
    [
        ("op_1", "Training desk", " by Training desk"),
        ("service", None, ""),
        ("key_launch", None, " by the console"),
        ("hr:bamboo", None, " by the HR system bamboo"),
        ("key_7f", None, " by key 7f"),
    ],
)
def test_the_actor_is_named(actor: str, name: str | None, words: str) -> None:
    """By the name of the operator, where there is one."""
    one = entry("burn.executed", actor=actor)
    one.actor_name = name
    assert by_words(one) == words


def test_what_was_erased_tells_nothing() -> None:
    """Its action may still say something of the person: that is not told either."""
    one = entry("burn.executed", reason="private")
    one.erased = True
    assert "private" not in f"{saying(one, {})}"


def test_ids_are_shown_by_their_names() -> None:
    """A cluster by the name that people gave it; without one by its id."""
    one = entry("credentials.sync", actor="op_1", cluster="data-hall", not_after="2026-11-26T18:00:00Z")
    assert saying(one, {"data-hall": "Data hall"}).text == "Data hall opened by op 1"
    assert saying(one, {}).text == "data-hall opened by op 1"


def test_burn_and_containment_say_why() -> None:
    """With the reason in quotes; a drill says that it is one."""
    said = saying(entry("burn.executed", actor="key_launch", scope="GLOBAL_REVOCATION", reason="left", drill=True), {})
    assert (said.state, said.text, said.detail) == (Meaning.CRIT, "DRILL: burned everywhere by the console", "“left”")
    held = saying(entry("containment.contained", message="on a table", cause="containment"), {})
    assert (held.state, held.detail) == (Meaning.WARN, "“on a table”")
