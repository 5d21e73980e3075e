"""A person of whom no account is named: what a search for accounts found, and what its attempts come to together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.capabilities.burn.messages import TargetState
from app.capabilities.burn.targets.connector import AttemptOutcome

LINK: Final = "link it to the node (Settings, People), or close this target with what was done"
_ORDER: Final[tuple[TargetState, ...]] = (
    "pending_offline",
    "failed",
    "unsupported",
    "unlinked",
    "delivered",
    "revoked",
    "already",
)
"""From what is least known to what is proven without having been changed."""
MATCHES: Final = 10
"""Accounts that may bear one address; beyond that the address says nothing."""


def sum_up(done: Sequence[AttemptOutcome], missed: Sequence[str], searched: str) -> AttemptOutcome:
    """What a search comes to. ``done``: the attempts at the accounts that were to be locked; ``missed``: names of
    active accounts that bear the address alone and were left; ``searched``: by what, in words. One that is not proven
    outweighs all others."""
    found = list(done)
    if missed:
        found.append(AttemptOutcome("failed", f"{', '.join(missed)} bears the e-mail address alone: {LINK}"))
    if not found:
        return AttemptOutcome("unlinked", f"no account there has the {searched}; none was named")
    return combine(found)


def combine(done: Sequence[AttemptOutcome]) -> AttemptOutcome:
    """Attempts at several accounts of one target as one: the least that is true of all of them. A search that found
    nobody counts only where nothing else was done."""
    found = [outcome for outcome in done if outcome.state != "unlinked"] or list(done[:1])
    evidence = "; ".join(outcome.evidence for outcome in found)
    return replace(min(found, key=lambda outcome: _ORDER.index(outcome.state)), evidence=evidence)
