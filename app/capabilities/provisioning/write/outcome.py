"""What an error of a write means for the record and for the caller."""

from __future__ import annotations

import logging

import msgspec

from app.api.problems import Problem
from app.capabilities.provisioning.messages import ProvisionState
from app.capabilities.provisioning.stock.policy import FipsNotMet
from app.store.errors import StoreError
from hardware.cards.backend import (
    CardError,
    CardLocked,
    CardRefused,
    NoReaderService,
    ProtocolError,
    StatusWordError,
)

log = logging.getLogger(__name__)


class NodeBarred(Exception):
    """The node was burned, contained or deleted while its card was being written."""

    def __init__(self, sentence: str, *, final: bool) -> None:
        super().__init__(sentence)
        self.final = final


def problem_of(error: Exception, provision_id: str) -> tuple[ProvisionState, Problem]:
    """The state that an error leaves, and the problem for the caller. TORN: the same call may finish the card under the
    same record; REFUSED: it never will."""
    extra: dict[str, object] = {"provision_id": provision_id}
    sentence = f"{error}. {error.remedy()}" if isinstance(error, CardError) else str(error)
    retry = {"Retry-After": "5"}
    match error:
        case NodeBarred():
            return "REFUSED" if error.final else "TORN", Problem("state_conflict", sentence, extra=extra)
        case FipsNotMet():
            extra["fips"] = msgspec.to_builtins(error.verdict)
            return "REFUSED", Problem("fips_not_met", sentence, extra=extra)
        case StoreError() | NoReaderService():
            # The journal could not record the next step: what is on the card stays, and the same call resumes.
            return "TORN", Problem("dependency_unavailable", sentence, headers=retry, extra=extra)
        case CardLocked():
            return "REFUSED", Problem("card_locked", sentence, extra=extra)
        case CardRefused() | ProtocolError() | StatusWordError():
            return "REFUSED", Problem("state_conflict", sentence, extra=extra)
        case CardError():
            return "TORN", Problem("state_conflict", sentence, extra=extra)
        case _:
            log.error("a personalization failed unexpectedly", exc_info=error)
            sentence = "The write stopped by a fault of the service; see its log."
            return "TORN", Problem("internal_error", sentence, extra=extra)


def unrecorded_problem(provision_id: str) -> Problem:
    """The problem of a write that succeeded on the card but is not in the store: the same call resumes it."""
    return Problem(
        "dependency_unavailable",
        "The card was written, but the store could not record it; free the disk and repeat the call with this card.",
        headers={"Retry-After": "5"},
        extra={"provision_id": provision_id},
    )
