"""Words of the burn page: kinds and states of targets, reasons of a door, scopes, times inside of sentences. Without
Qt."""

from __future__ import annotations

import re

from app.capabilities.burn.messages import Burn, Scope
from app.console.clock import date_time, parse_time
from app.console.revocation import LOST
from app.console.theme.tokens import Meaning, sentence_case, state_of

SCOPES: tuple[tuple[Scope, str, str], ...] = (
    ("GLOBAL_REVOCATION", "Global revocation", "This site and every system connected to it."),
    ("LOCAL_ONLY", "Local only", "Doors, cards and grants of this site only."),
)
SCOPE_WORDS = {scope: title for scope, title, _ in SCOPES}
REASONS = (("leak", "Token leak"), ("lost", LOST), ("discharge", "Discharge"))
"""Quick choices of a reason: action ``burn.reason_<key>`` and its text."""
DOOR = "reader"
WAITING = "waiting"
"""State of a target that the burn has not told of yet; never a word of the API."""
_STATE_WORDS = {
    "pending_offline": "Pending, offline",
    "delivered": "Delivered",
    "unlinked": "Not found",
    WAITING: "Waiting",
}
OWN_ROWS = frozenset({"local", "grant", "permit", "seal", "session", "template", "holder"})
"""Kinds that the burn's own transaction proves: no attempt could look at them anew."""
KIND_WORDS = {
    DOOR: "Door",
    "card": "Cards",
    "grant": "Reader grants",
    "permit": "Permits",
    "seal": "Knot seals",
    "session": "Rotating codes",
    "template": "Biometric templates",
    "terminal": "Palm terminal",
    "holder": "Holder",
    "local": "This site",
    "directory": "Directory",
    "ldap": "LDAP directory",
    "scim": "SCIM",
    "ssf": "Shared Signals",
    "oauth": "OAuth sessions",
    "webhook": "Webhook",
    "peer": "ARC site",
}

REASON_WORDS = {
    "granted": "The profile holds a live grant at this door.",
    "burned": "The deny set refuses this badge: its identity is burned.",
    "contained": "The identity is locked for the moment.",
    "unknown_credential": "No live grant names this badge.",
    "wrong_cluster": "The grant does not reach this door.",
    "outside_schedule": "Not within the hours of the schedule.",
    "expired": "The grant has ended.",
}
"""Reasons of a door's decision, as a sentence for people."""

_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z\b", re.ASCII)


def leaf_words(burn: Burn) -> str:
    """Where the burn stands in the audit log, or that it is not there: the disk of the service is full."""
    if not burn.stored or burn.log.index is None or burn.log.sha256 is None:
        return "NOT STORED YET: the service's disk takes nothing. Make room; other systems do not know of this burn"
    return f"audit leaf {burn.log.index}, {burn.log.sha256[:16]}"


def kind_word(kind: str) -> str:
    """What people call a kind of target."""
    return KIND_WORDS.get(kind, sentence_case(kind))


def target_state(state: str) -> Meaning:
    """What a target's state means: a revoked target is what was wanted, unlike a revoked identity."""
    return state_of("REVOKED_TARGET" if state == "revoked" else state)


def target_word(state: str) -> str:
    """``pending_offline`` as people read it."""
    return _STATE_WORDS.get(state, sentence_case(state))


def unproven_words(delivered: int, unlinked: int) -> str:
    """``2 only delivered, 1 without an account found``: what a complete burn does not prove; empty where it proves
    all."""
    said = [f"{delivered} only delivered"] * bool(delivered) + [f"{unlinked} without an account found"] * bool(unlinked)
    return ", ".join(said)


def local_times(text: str) -> str:
    """A sentence of the API with each RFC 3339 time as people here read it: local, whole seconds."""

    def local(found: re.Match[str]) -> str:
        try:
            return date_time(parse_time(found[0]))
        except (ValueError, OverflowError, OSError):
            return found[0]  # a person's own words may look like a time that no calendar has

    return _TIME.sub(local, text)


def milliseconds(value: float | None, none: str = "–") -> str:
    """``0.41 ms``, ``12.3 ms``, ``1240 ms``."""
    if value is None:
        return none
    return f"{value:.2f} ms" if value < 10 else f"{value:.1f} ms" if value < 100 else f"{value:.0f} ms"
