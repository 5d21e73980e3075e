"""Peers: the server frames that are probed by TLS handshakes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from sqlalchemy import Connection, Row, Table, select

from app.api.problems import Problem, invalid_field
from app.api.wire import rfc3339
from app.registry.crud import RegistryKind
from app.registry.messages.peers import Peer, PeerBody
from app.registry.tables import peer
from app.store.tables import json_text
from app.store.writer import Transaction


@dataclass(frozen=True, slots=True)
class PeerRow:
    """A server frame as its prober needs it: ``ca`` and ``certificate`` as PEM texts."""

    peer_id: str
    node_id: str
    url: str
    ca: str | None
    certificate: str | None
    level: Literal["sovereign", "citadel"]
    maintenance: bool
    tags: tuple[str, ...]

    @property
    def host(self) -> str:
        """Name or address without the brackets of an IPv6 literal."""
        return self.url.rpartition(":")[0].strip("[]")

    @property
    def port(self) -> int:
        """TCP port, 1..65535."""
        return int(self.url.rpartition(":")[2])


def digests(pem: str | None) -> list[str]:
    """SHA-256 of each PEM certificate, hexadecimal. ``ValueError`` if the text has none to read."""
    if pem is None:
        return []
    return [
        hashlib.sha256(certificate.public_bytes(Encoding.DER)).hexdigest()
        for certificate in x509.load_pem_x509_certificates(pem.encode())
    ]


class Peers(RegistryKind[PeerBody, Peer]):
    """The kind ``peers``."""

    word: ClassVar[str] = "peer"
    table: ClassVar[Table] = peer

    def all(self) -> tuple[PeerRow, ...]:
        """Every frame as committed, by rising id."""
        with self.store.read() as connection:
            rows = connection.execute(select(peer).order_by(peer.c.peer_id)).all()
        return tuple(
            PeerRow(
                peer_id=row.peer_id,
                node_id=row.node_id,
                url=row.url,
                ca=row.ca,
                certificate=row.certificate,
                level=row.level,
                maintenance=bool(row.maintenance),
                tags=tuple(msgspec.json.decode(row.tags, type=list[str])),
            )
            for row in rows
        )

    def name_of(self, body: PeerBody) -> str:
        return f"{body.node_id}\n{body.url}"

    def check(self, item_id: str, body: PeerBody) -> None:
        del item_id
        for name, pem in (("ca", body.ca), ("certificate", body.certificate)):
            try:
                found = digests(pem)
            except ValueError as error:
                raise invalid_field(
                    f"/{name}", f"Give {name} as PEM certificates; this text has none to read."
                ) from error
            if name == "certificate" and len(found) > 1:
                raise invalid_field("/certificate", "Pin one certificate: the frame's own.")

    def values(self, body: PeerBody) -> dict[str, Any]:
        return {
            "node_id": body.node_id,
            "url": body.url,
            "ca": body.ca,
            "certificate": body.certificate,
            "level": body.level,
            "maintenance": int(body.maintenance),
            "tags": json_text(body.tags),
        }

    def check_in(self, tx: Transaction, item_id: str, body: PeerBody) -> None:
        other = tx.connection.scalar(
            select(peer.c.peer_id).where(peer.c.node_id == body.node_id, peer.c.peer_id != item_id)
        )
        if other is not None:
            raise Problem(
                "state_conflict", f"Peer {other} is already frame {body.node_id}; give each frame its own id."
            )

    def items(self, connection: Connection, rows: Sequence[Row[Any]], now_us: int) -> list[Peer]:
        del connection, now_us
        return [
            Peer(
                peer_id=row.peer_id,
                node_id=row.node_id,
                url=row.url,
                ca_sha256=digests(row.ca),
                certificate_sha256=next(iter(digests(row.certificate)), None),
                level=row.level,
                maintenance=bool(row.maintenance),
                tags=msgspec.json.decode(row.tags, type=list[str]),
                created_at=rfc3339(row.created_us),
                changed_at=rfc3339(row.changed_us),
            )
            for row in rows
        ]
