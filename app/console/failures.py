"""How an error is shown to the operator: code, one sentence, next step, request id."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from app.console.language import tr


class NotConnected(Exception):
    """A call was made while no service was connected; it was not sent."""


class NobodySignedIn(Exception):
    """A change was asked for while nobody is signed in: it was not sent."""


class SignInRefused(Exception):
    """Nobody was signed in, before or without an answer of the service: a sentence for people. ``tries``: PIN tries
    that are left, where the card said so."""

    def __init__(self, sentence: str, tries: int | None = None) -> None:
        super().__init__(sentence)
        self.tries = tries


class NothingRead(Exception):
    """There is no answer to show: nothing could be asked (the key of this console may not). It is no failure."""


class NoEvidence(Exception):
    """Nothing signed can be given out of what was chosen: a sentence for people."""


class Superseded(NothingRead):
    """What is asked for was changed while it was read: the answer is of no use, and the change has also woken the next
    reading."""


NEXT_STEP: dict[str, str] = {
    "unauthenticated": tr("Press F5 to connect again with a valid key."),
    "insufficient_clearance": tr("Use a Citadel key for this."),
    "not_found": tr("Look it up again; it may have been deleted."),
    "state_conflict": tr("Look at its present state and decide anew."),
    "rate_limited": tr("Wait for the countdown, then try again."),
    "dependency_unavailable": tr("Try again in a moment."),
    "card_locked": tr("Unblock the card or take another one."),
    "internal_error": tr("Copy the request id and look into the service's log."),
}
"""The next step for codes whose detail does not name one."""

CONNECTS_AGAIN = tr("The console connects again by itself; F5 does it now.")


class Failure(NamedTuple):
    """A failure as it is shown. ``unknown``: the connection was lost before the answer, so it is not known yet whether
    the change was made. ``fields`` are (JSON pointer, sentence) for marks at the form's fields."""

    code: str
    sentence: str
    next_step: str = ""
    request_id: str = ""
    retry_after_s: float | None = None
    fields: tuple[tuple[str, str], ...] = ()
    status: int = 0
    unknown: bool = False
    extra: Mapping[str, object] = MappingProxyType({})


def failure_of(error: BaseException) -> Failure:
    """The failure to show for ``error``. An unexpected error becomes ``console_error`` with its type; it is never
    hidden."""
    # Imported here: this module is needed before the first paint, the client is not.
    import httpx

    from app.client import ApiError, Unreachable

    if isinstance(error, ApiError):
        return Failure(
            code=error.code,
            sentence=error.detail,
            next_step=NEXT_STEP.get(error.code, ""),
            request_id=error.request_id,
            retry_after_s=error.retry_after,
            fields=tuple((wrong.pointer, wrong.detail) for wrong in error.errors),
            status=error.status,
            extra=error.extra,
        )
    if isinstance(error, Unreachable):
        # A connect that failed sent nothing; anything later may have reached the service.
        unsent = isinstance(error.__cause__, httpx.ConnectError | httpx.ConnectTimeout)
        return Failure("connection_lost", error.reason, CONNECTS_AGAIN, unknown=not unsent)
    if isinstance(error, NotConnected):
        return Failure("connection_lost", tr("No service is connected."), CONNECTS_AGAIN)
    if isinstance(error, NobodySignedIn):
        return Failure(
            "signed_out", tr("Nobody is signed in at this desk: nothing was sent."), tr("Sign in, then try again.")
        )
    if isinstance(error, NoEvidence):
        return Failure("no_evidence", str(error))
    return Failure("console_error", f"{type(error).__name__}: {error}", tr("Report this."))
