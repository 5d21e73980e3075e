"""What HTTP answers other than success mean for a target, the same for every kind of directory."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime

from app.capabilities.burn.messages import TargetState
from app.capabilities.burn.targets import PROVEN
from app.capabilities.burn.targets.connector import AttemptOutcome, Refusal
from app.delivery.outbound import OutboundAnswer, SystemUnreachable, retry_after_s

_NOBODY = (502, 503, 504)
"""A gateway answered: whether the directory itself is there is not known."""
_LATER = (408, 425, 429)
_WORDS = {
    401: "it does not take our secret",
    403: "our secret does not allow this there",
    404: "nothing is there",
    405: "it does not take this call",
    410: "it is gone for good",
    413: "it calls our request too large",
}


def unsuccessful(answer: OutboundAnswer, words: str | None = None) -> AttemptOutcome:
    """An answer that is no success: ``failed`` where the directory refuses, ``pending_offline`` where it may do it
    later. ``words``: what a refusal of this status means here."""
    status = answer.status
    if status in _LATER or status >= 500:
        pause_s = retry_after_s(answer.headers.get("retry-after"), datetime.now(UTC))
        evidence = f"answered {status}" + (f", again in {pause_s:.0f} s" if pause_s else "")
        return AttemptOutcome(
            "pending_offline", evidence, answered=status not in _NOBODY or pause_s > 0, pause_s=pause_s
        )
    if 300 <= status < 400:
        return AttemptOutcome(
            "failed", f"answered {status}: it points elsewhere, and the secret goes to its own address only"
        )
    words = words or _WORDS.get(status)
    return AttemptOutcome("failed", f"answered {status}" + ("" if words is None else f": {words}"))


class Unsuccessful(Exception):
    """An attempt ends at an answer that is no success."""

    def __init__(self, outcome: AttemptOutcome) -> None:
        super().__init__(outcome.evidence)
        self.outcome = outcome


def successful(answer: OutboundAnswer, *statuses: int, words: str | None = None) -> OutboundAnswer:
    """The answer, if it has one of these statuses (none named: 200 or 204); else raises ``Unsuccessful``."""
    if answer.status not in (statuses or (200, 204)):
        raise Unsuccessful(unsuccessful(answer, words))
    return answer


@contextlib.contextmanager
def probing() -> Iterator[None]:
    """For a trial: ``Unsuccessful`` becomes what trials raise."""
    try:
        yield
    except Unsuccessful as error:
        passing = error.outcome.state == "pending_offline"
        raise (SystemUnreachable if passing else Refusal)(error.outcome.evidence) from error


def bearer(secret: str | None) -> dict[str, str]:
    """The header of a bearer token (RFC 6750); ``Refusal`` where none is registered or it cannot be sent."""
    if secret is None:
        raise Refusal("no secret is registered for this directory")
    if not (secret.isascii() and secret.isprintable()):
        raise Refusal("the registered secret holds characters that no token has")
    return {"Authorization": f"Bearer {secret}"}


def outlives(name: str, state: TargetState, what: str) -> str:
    """Words for what access is left: ``what`` once the directory is proven or took it, what was not found where nobody
    was, else everything there."""
    if state == "unlinked":
        return f"{name}: an account of the person that does not bear what was looked for"
    if state in PROVEN or state == "delivered":
        return f"{name}: {what}"
    return f"{name}: everything the account may do, until it is reached"
