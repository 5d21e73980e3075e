"""``/v1/registry/peers``: server frames."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import NodeId, RegistryId, Reply, Request, Timestamp
from app.registry.messages.shared import PORT, Tags


class PeerBody(Request, kw_only=True):
    """PUT ``/v1/registry/peers/{id}``: a server frame that is probed by TLS handshakes.

    ``ca``: PEM certificates that its chain must end at; ``certificate``: PEM of the exact pinned certificate.
    """

    node_id: NodeId
    url: Annotated[str, msgspec.Meta(pattern=rf"^(\[[0-9a-fA-F:]{{2,45}}\]|[A-Za-z0-9._-]{{1,253}}):{PORT}\Z")]
    ca: Annotated[str, msgspec.Meta(max_length=20000)] | None = None
    certificate: Annotated[str, msgspec.Meta(max_length=20000)] | None = None
    level: Literal["sovereign", "citadel"] = "sovereign"
    maintenance: bool = False
    tags: Tags = []


class Peer(Reply, kw_only=True):
    """A server frame as registered. Certificates are shown by their SHA-256 only."""

    peer_id: RegistryId
    node_id: str
    url: str
    ca_sha256: list[str]
    certificate_sha256: str | None
    level: str
    maintenance: bool
    tags: list[str]
    created_at: Timestamp
    changed_at: Timestamp


class PeerPage(Reply, kw_only=True):
    """A page of peers."""

    items: list[Peer]
    next: str | None
