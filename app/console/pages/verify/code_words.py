"""Words of the code tab: what became of a scanned code, and what such a code proves."""

from __future__ import annotations

from dataclasses import dataclass

from app.capabilities.keystone.messages import QrVerdict
from app.console.failures import Failure
from app.console.language import tr
from app.console.theme.tokens import Meaning

RELAY = tr(
    "The code stops screenshots, prints and recordings: it changes every 400 ms and is accepted once. It "
    "does NOT stop a live relay: a person who films this screen and draws the code elsewhere at once is "
    "accepted there. Only presence does: a palm at the same terminal, or a card."
)
NO_PAYLOAD = tr("This is no code of a terminal: such a text has 57 characters and begins with KQ1:")
NO_TERMINAL = tr(
    "Nobody knows yet what terminal this console's key is: show its code once, or choose a registered one."
)
_AGES = {
    -1: tr("Of the next step, early"),
    0: tr("Of this step"),
    1: tr("One step old"),
    2: tr("Two steps old, slow link"),
}


@dataclass(frozen=True)
class CodeJudgement:
    """One scanned code. ``at``: Unix seconds; ``said`` tells it in a sentence; ``age`` and ``sid`` are empty unless it
    was accepted. The code itself is not kept."""

    number: int
    at: float
    terminal: str
    state: Meaning
    word: str
    said: str
    age: str = ""
    sid: str = ""


def judgement_of(number: int, at: float, terminal: str, verdict: QrVerdict) -> CodeJudgement:
    """What the service answered."""
    if not verdict.accepted:
        said = tr("It is not of a living session of this terminal, or not of its time. Why, only the audit log says.")
        return CodeJudgement(number, at, terminal, Meaning.BAD, tr("Not accepted"), said)
    age = (
        "" if verdict.step_age is None else _AGES.get(verdict.step_age, tr("{count} steps old", count=verdict.step_age))
    )
    said = tr("It is of a living session of this terminal, of its time, and was never accepted before.")
    return CodeJudgement(number, at, terminal, Meaning.OK, tr("Accepted"), said, age, verdict.sid or "")


def not_judged(number: int, at: float, terminal: str, failure: Failure) -> CodeJudgement:
    """The service refused the call, or nobody knows what it answered."""
    if failure.code == "replayed":
        said = tr("This code was accepted before. An alarm is open: see who stands at {terminal}.", terminal=terminal)
        return CodeJudgement(number, at, terminal, Meaning.CRIT, tr("Replayed"), said)
    if failure.unknown:
        said = tr("The answer was lost, so nobody knows whether it was accepted: scan the code that is shown now.")
        return CodeJudgement(number, at, terminal, Meaning.IDLE, tr("Unknown"), said)
    return CodeJudgement(number, at, terminal, Meaning.WARN, tr("Not judged"), failure.sentence)


def left_words(seconds: float) -> str:
    """How much longer a session lasts: ``9:41``."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    return f"{minutes}:{rest:02}"
