"""Signed bundles that the console asks the service for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from app.capabilities.gateway.audit.messages import EvidenceEntries
from app.client import ApiError

if TYPE_CHECKING:
    from app.console.session import WindowSession

TRIES: Final = 8
_BETWEEN_S: Final = 1.0
"""Witnesses sign for the log's newest entries each second."""


async def bundle_of_entries(session: WindowSession, seqs: Iterable[int]) -> bytes:
    """The bundle of these entries of the audit log. One that has only just been written waits for its witnesses: it is
    asked for again, some times. Raises what the client raises."""
    wanted = EvidenceEntries(entries=sorted(set(seqs)))
    for _ in range(TRIES - 1):
        try:
            return await session.client.gateway_audit_evidence(wanted)
        except ApiError as refused:
            if refused.code != "state_conflict":
                raise
        await asyncio.sleep(_BETWEEN_S)
    return await session.client.gateway_audit_evidence(wanted)
