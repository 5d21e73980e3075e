"""What crosses the wire of palm verification and of palm enrolment."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import Base64, NodeId, RegistryId, Reply, Request, Timestamp
from app.registry.messages.nodes import Standing

Intent = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
"""Purpose of an authentication. A text that we do not define is recorded as given and judged by the strictest rules."""


class PalmVerifyBody(Request, kw_only=True):
    """POST ``/v1/ambient/palm-verify`` (specification 4.7).

    ``dermal_vector``: the frame that the terminal signed for this ``intent``; a ``legacy`` terminal sends only 512
    signed bytes or 512 float32.
    """

    dermal_vector: Base64
    terminal_id: RegistryId
    intent: Intent


class PalmVerdict(Reply, kw_only=True):
    """One decision, of the same shape for every outcome.

    Without a match ``node_id`` and ``knot_id`` are null, ``confidence`` is exactly 0.0 and ``standing`` UNVERIFIED, for
    every reason alike; the audit log has the reason under ``decision_id``. ``confidence`` 0..1: posterior that it is
    this node. ``liveness``: as the sensor reported it, 0..100. ``second_factor``: whether the intent needs a card or a
    PIN besides the palm. ``basis``, by the number of people that were searched alone: COHORT (21 and more), FEW (9 to
    20: the limit is so high that right hands are missed), TOO_FEW (fewer: nobody is ever found). A training site finds
    by the score alone below 21.
    """

    verified: bool
    node_id: NodeId | None
    confidence: float
    knot_id: str | None
    standing: Standing
    terminal_id: str
    intent: str
    decision_id: str
    liveness: int | Literal["NOT_REPORTED"]
    second_factor: Literal["NONE", "REQUIRED"]
    basis: Literal["COHORT", "FEW", "TOO_FEW"]
    timestamp: Timestamp
