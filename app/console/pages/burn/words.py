"""Words of the burn page: kinds and states of targets, reasons of a door, scopes, times inside of sentences. Without
Qt."""

from __future__ import annotations

import re

from app.capabilities.burn.messages import Burn, Scope
from app.console.blast_radius import DOOR
from app.console.clock import age, date_time
from app.console.code_words import code_word
from app.console.language import number, tr
from app.console.moments import parse_time
from app.console.revocation import LOST
from app.console.theme.tokens import Meaning, sentence_case, state_of

SCOPES: tuple[tuple[Scope, str, str], ...] = (
    ("GLOBAL_REVOCATION", tr("Global revocation"), tr("This site and every system connected to it.")),
    ("LOCAL_ONLY", tr("Local only"), tr("Doors, cards and grants of this site only.")),
)
SCOPE_WORDS = {scope: title for scope, title, _ in SCOPES}
REASONS = (("leak", tr("Token leak")), ("lost", LOST), ("discharge", tr("Discharge")))
"""Quick choices of a reason: action ``burn.reason_<key>`` and its text."""
WAITING = "waiting"
"""State of a target that the burn has not told of yet; never a word of the API."""
PROVEN = frozenset({"revoked", "already"})
"""States of a target that were read back."""
_PROVEN_WORD = tr("Proven")
_STATE_WORDS = {
    "revoked": _PROVEN_WORD,
    "already": _PROVEN_WORD,
    "pending_offline": tr("Offline: waits"),
    "delivered": tr("Delivered"),
    "unlinked": tr("Not found"),
    WAITING: tr("Asking"),
}
OWN_ROWS = frozenset({"local", "grant", "permit", "seal", "session", "template", "holder"})
"""Kinds that the burn's own transaction proves: no attempt could look at them anew."""
KIND_WORDS = {
    DOOR: tr("Door"),
    "card": tr("Cards"),
    "grant": tr("Reader grants"),
    "permit": tr("Permits"),
    "seal": tr("Knot seals"),
    "session": tr("Rotating codes"),
    "template": tr("Biometric templates"),
    "terminal": tr("Palm terminal"),
    "holder": tr("Holder"),
    "local": tr("This site"),
    "directory": tr("Directory"),
    "ldap": tr("LDAP directory"),
    "scim": "SCIM",
    "ssf": tr("Shared Signals"),
    "oauth": tr("OAuth sessions"),
    "webhook": tr("Webhook"),
    "peer": tr("ARC site"),
}

REASON_WORDS = {
    "granted": tr("The profile holds a live grant at this door."),
    "burned": tr("The deny set refuses this badge: its identity is burned."),
    "contained": tr("The person is contained."),
    "unknown_credential": tr("No live grant names this badge."),
    "wrong_cluster": tr("The grant does not reach this door."),
    "outside_schedule": tr("Not within the hours of the schedule."),
    "expired": tr("The grant has ended."),
}
"""Reasons of a door's decision, as a sentence for people."""

_REASON_NOTES = {
    "granted": tr("granted"),
    "burned": tr("burned"),
    "contained": tr("contained"),
    "unknown_credential": tr("unknown credential"),
    "wrong_cluster": tr("wrong cluster"),
    "outside_schedule": tr("outside schedule"),
    "expired": tr("expired"),
}
_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z\b", re.ASCII)


def leaf_words(burn: Burn) -> str:
    """Where the burn stands in the audit log, or that it is not there: the disk of the service is full."""
    if not burn.stored or burn.log.index is None or burn.log.sha256 is None:
        return tr("NOT STORED YET: the service's disk takes nothing. Make room; other systems do not know of this burn")
    return tr("audit leaf {index}, {sha256}", index=burn.log.index, sha256=burn.log.sha256[:16])


def reason_note(reason: str) -> str:
    """Why a door decided so, in a word or two within a line."""
    return _REASON_NOTES.get(reason, reason.replace("_", " "))


def kind_word(kind: str) -> str:
    """What people call a kind of target."""
    return KIND_WORDS.get(kind, sentence_case(kind))


def target_state(state: str) -> Meaning:
    """What a target's state means: a revoked target is what was wanted, unlike a revoked identity; what is offline
    waits for somebody else."""
    own = {"revoked": Meaning.OK, WAITING: Meaning.WORK, "pending_offline": Meaning.IDLE}
    return own.get(state) or state_of(state)


def target_word(state: str) -> str:
    """``pending_offline`` as people read it."""
    return _STATE_WORDS.get(state) or code_word(state)


def unproven_words(delivered: int, unlinked: int) -> str:
    """``2 only delivered, 1 without an account found``: what a complete burn does not prove; empty where it proves
    all."""
    said = [tr("{count} only delivered", count=delivered)] * bool(delivered) + [
        tr("{count} without an account found", count=unlinked)
    ] * bool(unlinked)
    return ", ".join(said)


def local_times(text: str) -> str:
    """A sentence of the API with each RFC 3339 time as people here read it: local, whole seconds."""

    def local(found: re.Match[str]) -> str:
        try:
            return date_time(parse_time(found[0]))
        except (ValueError, OverflowError, OSError):
            return found[0]  # a person's own words may look like a time that no calendar has

    return _TIME.sub(local, text)


def duration(value: float | None) -> str:
    """``43 µs``, ``47.0 ms``, ``2.50 s`` of ms, then one unit as people say it; a dash for none."""
    if value is not None and value < 1:
        return f"{number(value * 1000, '.0f')} µs"
    if value is None or value < 1000:
        return milliseconds(value)
    return f"{number(value / 1000, '.2f')} s" if value < 90_000 else age(value / 1000)


def milliseconds(value: float | None, none: str = "–") -> str:
    """``0.41 ms``, ``12.3 ms``, ``1240 ms``."""
    if value is None:
        return none
    return f"{number(value, '.2f' if value < 10 else '.1f' if value < 100 else '.0f')} ms"
