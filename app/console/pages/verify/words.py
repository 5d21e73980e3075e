"""Words of the page: what a decision says to a person, and how sure anybody may be of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console.language import number, tr
from app.console.moments import parse_time
from app.console.theme.tokens import Meaning

PAGE = "verify"
INTENTS: tuple[tuple[str, str], ...] = (
    ("ACCESS_ENTRY", tr("Enter a door")),
    ("ACCESS_EXIT", tr("Leave by a door")),
    ("LOGIN", tr("Log in")),
    ("PAYMENT_APPROVE", tr("Approve a payment")),
    ("CARD_PICKUP", tr("Take a card")),
    ("PROVISION_CONFIRM", tr("Confirm a written card")),
    ("BURN_CONFIRM", tr("Confirm a burn")),
)
"""Intents that the service knows, for the training terminal; any other text is judged as the strictest."""
STRANGERS = 660
"""Searches of real palms that nobody had enrolled: none was accepted."""
MEASURED = 1e-4
"""Below this false match rate nothing was measured: what is said of it is extrapolated."""


@dataclass(frozen=True)
class ShownDecision:
    """One decision of a terminal as the audit log has it, without the cause: that stays in the log.

    ``refused``: the frame was none that is judged (signature, time, counter). ``confidence`` 0..1. ``rate``: the false
    match rate of one comparison that was asked for; None where nothing was compared.
    """

    decision_id: str
    at: float
    terminal: str
    intent: str
    matched: bool
    refused: bool
    node_id: str
    confidence: float | None
    standing: str
    second_factor: str
    liveness: int | None
    rate: float | None
    extrapolated: bool
    copy: bool
    basis: str

    @property
    def mark(self) -> tuple[Meaning, str]:
        """Its shape and word."""
        if self.matched:
            return Meaning.OK, tr("Match")
        return (Meaning.WARN, tr("Frame refused")) if self.refused else (Meaning.BAD, tr("No match"))


def decisions(entries: Iterable[AuditEntry]) -> list[ShownDecision]:
    """The decisions of the leaves ``palm.verify``. A leaf whose content was erased is left out: it says nothing any
    more."""
    return [_decision(entry) for entry in entries if not entry.erased]


def _decision(entry: AuditEntry) -> ShownDecision:
    """A decision, from its leaf of the audit log."""
    detail = entry.detail
    matched = entry.outcome == "ACCEPTED"
    rate = detail.get("rate")
    return ShownDecision(
        decision_id=str(detail.get("decision_id", "")),
        at=parse_time(entry.timestamp),
        terminal=str(detail.get("terminal_id", "")),
        intent=str(detail.get("intent", "")),
        matched=matched,
        refused=rate is None,
        node_id=entry.node_id or "" if matched else "",
        confidence=_number(detail.get("confidence")) if matched else 0.0,
        standing=str(detail.get("standing", "")) if matched else "UNVERIFIED",
        second_factor=str(detail.get("second_factor", "")),
        liveness=detail.get("liveness"),
        rate=_number(rate),
        extrapolated=bool(detail.get("extrapolated")),
        copy=matched and bool(detail.get("copy")),
        basis=str(detail.get("basis", "")),
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def factor_word(decision: ShownDecision) -> str:
    """Whether a card or PIN must come beside the palm."""
    return {"REQUIRED": tr("Card or PIN"), "NONE": tr("Not needed")}.get(decision.second_factor, "–")


def confidence_word(decision: ShownDecision) -> str:
    """Four decimals, as the service gives them."""
    return "–" if decision.confidence is None else number(decision.confidence, ".4f")


def rate_word(decision: ShownDecision) -> str:
    """The false match rate that was asked for, and whether anybody has measured it."""
    if decision.rate is None:
        return "–"
    return tr("{rate:.0e}, extrapolated", rate=decision.rate) if decision.extrapolated else f"{decision.rate:.0e}"


def error_bound(errors: int, trials: int) -> str:
    """What ``errors`` = 0 of ``trials`` allows to say, by the rule of three (95 % confidence)."""
    if errors:
        raise ValueError("the rule of three is for no error at all")
    return tr("0 of {trials:,} searches, so in fewer than {percent:.2f} %", trials=trials, percent=300 / trials)


FEW_WORDS = {
    "FEW": tr(
        "Only 9 to 20 people were searched. Their scores set the limit so high that right hands are missed: "
        "enrol more people, or use a card. "
    ),
    "TOO_FEW": tr(
        "Fewer than 9 people were searched: their scores justify no limit, so nobody is found (on a training "
        "site the score alone decides). Enrol more people, or use a card. "
    ),
}


def sureness(decision: ShownDecision) -> str:
    """How far the decision may be believed: how many people it rests on, what was measured, and what was not."""
    if decision.rate is None:
        return tr("Nothing was compared: the frame itself was refused.")
    return FEW_WORDS.get(decision.basis, "") + _rate_words(decision)


def _rate_words(decision: ShownDecision) -> str:
    """What is known of the rate."""
    measured = tr(
        "Measured: real palms that nobody had enrolled were accepted in {bound} (rule of three, 95 % confidence).",
        bound=error_bound(0, STRANGERS),
    )
    if decision.extrapolated:
        return tr(
            "The rate {rate:.0e} of one comparison is extrapolated: nothing below {least:.0e} was "
            "ever measured. {measured}",
            rate=decision.rate,
            least=MEASURED,
            measured=measured,
        )
    return measured


def decided_words(decision: ShownDecision) -> str:
    """What it means, in one sentence."""
    if decision.matched:
        said = tr("The palm stands out of all others of this search.")
        if decision.second_factor == "REQUIRED":
            said += tr(" This intent needs a card or PIN beside it: the palm alone is one factor.")
        if decision.copy:
            said += tr(" It looks like a copy of a template and counts as no live check.")
        return said
    if decision.refused:
        return tr("The terminal's frame was not taken: its cause is in the audit log.")
    return tr("Nobody was found. Why is said in the audit log alone.")


@dataclass(frozen=True)
class Place:
    """One terminal with what it decided in the time that is shown; ``terminal`` empty: all of them."""

    terminal: str
    name: str
    matches: int
    others: int
    last: ShownDecision | None


def places(named: Sequence[tuple[str, str]], found: Sequence[ShownDecision]) -> list[Place]:
    """All terminals in the first row, then each palm terminal that is registered or has decided. ``found``: newest
    first."""
    names = dict(named)
    for decision in found:
        names.setdefault(decision.terminal, "")
    made = [_place("", tr("All terminals"), found)]
    for terminal in sorted(name for name in names if name):
        own = [decision for decision in found if decision.terminal == terminal]
        made.append(_place(terminal, names[terminal] or tr("Not registered any more"), own))
    return made


def _place(terminal: str, name: str, own: Sequence[ShownDecision]) -> Place:
    matches = sum(decision.matched for decision in own)
    return Place(terminal, name, matches, len(own) - matches, own[0] if own else None)
