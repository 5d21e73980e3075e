"""What crosses the wire of the stylized template match."""

from __future__ import annotations

from typing import Annotated

import msgspec

from app.api.wire import Base64, NodeId, RegistryId, Reply, Request
from app.registry.messages.nodes import Standing


class StylizedBody(Request, kw_only=True):
    """POST ``/v1/ambient/verify/stylized`` (specification 4.8).

    ``stylized_template``: 512 signed bytes, made under ``key_epoch`` of ``registry_id``. With ``node_id`` only that
    node is compared (1:1).
    """

    stylized_template: Base64
    registry_id: RegistryId
    key_epoch: Annotated[int, msgspec.Meta(ge=0, le=4_294_967_295)]
    node_id: NodeId | None = None


class StylizedMatch(Reply, kw_only=True):
    """The stylized match result of the specification, part 2: exactly these fields.

    Without a match ``confidence`` is 0.0, ``knot_id`` "" and ``standing`` UNVERIFIED. A match of a node without a seal
    has ``knot_id`` "" too.
    """

    match: bool
    confidence: float
    knot_id: str
    standing: Standing
