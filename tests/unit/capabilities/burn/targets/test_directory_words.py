"""Names and words of directory targets: what is shown of them, and under which id they are kept."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from app.capabilities.burn.messages import Residual, TargetState
from app.capabilities.burn.targets import BurnFacts
from app.capabilities.burn.targets.connector import AttemptOutcome, AttemptSubject, Refusal
from app.capabilities.burn.targets.directory import (
    DirectoryTargets,
    _display_name,
    _drill,
    _shorten,
    _subject,
    _target_id,
)
from app.capabilities.burn.targets.oauth import OAuth
from app.capabilities.burn.targets.peer import PeerConnector
from app.capabilities.burn.targets.scim import Scim
from app.capabilities.burn.targets.ssf import Ssf
from app.delivery.outbound import SystemUnreachable
from app.registry.directories import DirectoryRow
from app.store.errors import StoreError

ROW = DirectoryRow("d", "scim", "D", "https://d.invalid", "12345678", None, None, None, None, None, None, ())
NAMELESS = AttemptSubject("ARC-1", None, None, None)
FACTS = BurnFacts("burn_1", "ARC-1", "GLOBAL_REVOCATION", 1, "lost", 0, training=False)


class Registered:
    """Stands for the registry: what ``residual`` asks it."""

    def __init__(self, row: DirectoryRow | None = ROW) -> None:
        self.row = row
        self.directories = self
        self.asked: list[str] = []

    def probe_with(self, prober: Any) -> None:
        """Taken."""

    def accept_schemes(self, schemes: Any) -> None:
        """Taken."""

    def without_secret(self, connection: Any, directory_id: str) -> DirectoryRow | None:
        """The row."""
        self.asked.append(directory_id)
        return self.row


class Reading:
    """Stands for the store. ``broken``: it cannot be read."""

    broken = False

    def read(self) -> Any:
        """A connection."""
        if self.broken:
            raise StoreError("The disk is gone.")
        return self

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        return None


def targets(registered: Registered | None = None, store: Reading | None = None, *connectors: Any) -> DirectoryTargets:
    """Directory targets with these connectors, by default one of each kind that needs no key."""
    tools: Any = SimpleNamespace(http=None, keys=None, issuer="site", training=False)
    made: Any = connectors or (Scim(tools), OAuth(tools), PeerConnector(tools), Ssf(tools))
    reg: Any = registered or Registered()
    reading: Any = store or Reading()
    return DirectoryTargets(made, reading, reg, deadline_s=2.0, again=lambda burn_id, target_id: None)


@pytest.mark.parametrize(
    ("secret", "shown"),
    [("12345678", "a (secret) b"), ("1234567", "a 12345678 b"), (None, "a 12345678 b"), ("123456789", "a 12345678 b")],
)
def test_our_secret_is_not_shown(secret: str | None, shown: str) -> None:
    """Of eight characters at least: a shorter one is part of many words."""
    assert _shorten(replace(ROW, secret=secret), "a 12345678 b") == shown


def test_what_is_shown_is_short_and_printable() -> None:
    """500 characters; what would move a terminal is a question mark."""
    assert _shorten(ROW, "x" * 501) == "x" * 500
    assert _shorten(ROW, "a\n\x1b\u202eb é") == "a???b é"


def test_who_an_attempt_is_about() -> None:
    """The node's own address and number; a node that is not registered has none."""
    node: Any = SimpleNamespace(email="t1@x", employee_id="E-1", tags=["x"])
    assert _subject("ARC-1", "t1", node) == AttemptSubject("ARC-1", "t1", "t1@x", "E-1")
    assert _subject("ARC-1", "t1", None) == AttemptSubject("ARC-1", "t1", None, None)
    drill: Any = SimpleNamespace(tags=["drill"])
    assert (_drill(None), _drill(node), _drill(drill)) == (False, False, True)


def test_a_target_is_named_by_directory_and_digest() -> None:
    """Twelve digits; a colon of a directory's id cannot part the name."""
    digest = hashlib.sha256(b"t/1").hexdigest()[:12]
    assert _target_id("scim", "a:b", "t/1") == f"scim:a~b:{digest}"
    assert _target_id("scim", "a:b", None) == "scim:a~b"
    assert _display_name(ROW, NAMELESS) == "D"
    assert _display_name(ROW, replace(NAMELESS, account="t1")) == "D · t1"


@pytest.mark.parametrize(
    ("kind", "owns", "again"),
    [
        ("scim", True, True),
        ("oauth", True, False),
        ("peer", True, False),
        ("directory", True, False),
        ("webhook", False, False),
        ("local", False, False),
    ],
)
def test_what_is_reached_and_looked_at_again(kind: str, owns: bool, again: bool) -> None:
    """Only where the account's own state is read does ``revoked`` say that its lock had been undone."""
    found = targets()
    assert (found.owns(kind), found.looks_again(kind)) == (owns, again)


@pytest.mark.parametrize(
    ("kind", "who", "nothing"),
    [
        ("scim", NAMELESS, "employee number and e-mail address"),
        ("scim", replace(NAMELESS, email="t1@x"), None),
        ("scim", replace(NAMELESS, employee_id="E-1"), None),
        ("scim", replace(NAMELESS, account="t1"), None),
        ("oauth", replace(NAMELESS, employee_id="E-1"), "e-mail address"),
        ("oauth", replace(NAMELESS, email="t1@x"), None),
        ("peer", NAMELESS, None),
        ("webhook", NAMELESS, None),
    ],
)
def test_who_cannot_be_looked_for(kind: Any, who: AttemptSubject, nothing: str | None) -> None:
    """By nothing that this kind searches for; a site is told about anybody."""
    words = f"not looked for: the node names no account there, and its {nothing} is not registered"
    assert targets()._nothing_to_search(replace(ROW, kind=kind), who) == (None if nothing is None else words)


SESSIONS = "D: sessions and tokens that were handed out before, until they end"
WHATEVER = "a:b: whatever the account may do there"


@pytest.mark.parametrize(
    ("row", "kind", "left"),
    [
        (ROW, "scim", SESSIONS),
        (ROW, "directory", SESSIONS),
        (ROW, "oauth", WHATEVER),
        (None, "scim", WHATEVER),
        (replace(ROW, kind="webhook"), "webhook", WHATEVER),
    ],
)
def test_what_is_left_at_a_directory(row: DirectoryRow | None, kind: str, left: str) -> None:
    """In the connector's words while it is registered as it was; else anything."""
    registered = Registered(row)
    assert targets(registered).residual(kind, f"{kind}:a~b:0", "revoked", 0) == Residual(what=left, until=None)
    assert registered.asked == ["a:b"]
    store = Reading()
    store.broken = True
    assert targets(None, store).residual("scim", "scim:a~b", "revoked", 0) == Residual(what=WHATEVER, until=None)


class Told(Scim):
    """Answers what the test gives it."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[tuple[AttemptSubject, float]] = []

    async def revoke(
        self, where: DirectoryRow, who: AttemptSubject, facts: BurnFacts, deadline_s: float
    ) -> AttemptOutcome:
        """One attempt."""
        self.asked.append((who, deadline_s))
        return self.say()  # type: ignore[no-any-return]

    async def probe(self, where: DirectoryRow, deadline_s: float) -> str:
        """One trial."""
        self.asked.append((NAMELESS, deadline_s))
        return str(self.say())

    def say(self) -> Any:
        """The answer, or the error."""
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "state", "evidence", "answered"),
    [
        (SystemUnreachable("No connection."), "pending_offline", "No connection.", False),
        (TimeoutError(), "pending_offline", "No answer within 2 s.", False),
        (Refusal("no such account"), "failed", "no such account", True),
        (RuntimeError("bug"), "failed", "the attempt broke; see the service's log", True),
    ],
)
def test_every_error_of_an_attempt_is_an_outcome(
    answer: Exception, state: TargetState, evidence: str, answered: bool
) -> None:
    """Who does not answer is taken for dead; who refuses or breaks is not."""
    found = targets(None, None, Told(answer))
    outcome = asyncio.run(found._revoke(ROW, replace(NAMELESS, account="t1"), FACTS))
    assert outcome == AttemptOutcome(state, evidence, answered=answered)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("takes 12345678", (True, True, "takes (secret)")),
        (Refusal("refuses 12345678"), (True, False, "refuses (secret)")),
        (SystemUnreachable("No connection."), (False, False, "No connection.")),
        (TimeoutError(), (False, False, "No answer within 2 s.")),
        (RuntimeError("bug"), (False, False, "the trial broke; see the service's log")),
    ],
)
def test_every_error_of_a_trial_is_told(answer: Any, told: tuple[bool, bool, str]) -> None:
    """Whether it answered, whether a burn could act, and what it said; latency of a success alone."""
    found = targets(None, None, Told(answer))
    assert asyncio.run(found._try(ROW)) == told
    probe = asyncio.run(found.probe(ROW))
    assert (probe.ok, probe.found, probe.latency_ms is not None) == (told[1], told[2], told[1])
    assert probe.latency_ms is None or 0 <= probe.latency_ms < 1000
    unknown = "this version reaches no directory of kind ssf"
    assert asyncio.run(found._try(replace(ROW, kind="ssf"))) == (False, False, unknown)


@pytest.mark.parametrize(
    ("readable", "linked", "email", "asked"),
    [
        (True, (), "t1@x", [None]),
        (True, ("a", "b"), "t1@x", ["a", "b", None]),
        (True, ("a",), None, ["a"]),
        (False, ("a",), "t1@x", ["a"]),
        (False, (), "t1@x", [None]),
    ],
)
def test_those_who_were_linked_since_come_before_the_search(
    readable: bool, linked: tuple[str, ...], email: str | None, asked: list[str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing can be read back the person is not named twice. Each gets the directory's own deadline."""
    connector = Told(AttemptOutcome("revoked", "locked"))
    monkeypatch.setattr(Told, "readable", readable, raising=False)
    who = replace(NAMELESS, email=email, linked=linked)
    outcome = asyncio.run(targets(None, None, connector)._revoke(replace(ROW, timeout_s=4.0), who, FACTS))
    assert outcome == AttemptOutcome("revoked", "; ".join(["locked"] * len(asked)))
    assert connector.asked == [(replace(NAMELESS, email=email, account=account), 4.0) for account in asked]


def test_who_can_still_not_be_looked_for_is_unlinked() -> None:
    """Nobody was asked, so nobody answered."""
    connector = Told(AttemptOutcome("revoked", "locked"))
    outcome = asyncio.run(targets(None, None, connector)._revoke(ROW, NAMELESS, FACTS))
    assert (outcome.state, outcome.answered, connector.asked) == ("unlinked", False, [])
    assert outcome.evidence.startswith("not looked for: ")
