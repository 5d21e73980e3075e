"""What a burn leaves that others can verify: segments of the revocation log, their manifests, the evidence bundle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, Row, Select, select

from app.api.persons import name_and_id, names_of
from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.burn.log.bundles import BurnProof, burn_bundle
from app.capabilities.burn.log.segments import read_segment
from app.capabilities.burn.tables import burn, burn_segment
from app.ledger.log.append import AuditLog
from app.pki.proven_leaf import read_leaf
from app.store.engine import Store


class Revocations:
    """Reads alone; every call blocks on the disk. Any thread."""

    def __init__(self, store: Store, log: AuditLog, sign: Callable[[bytes], bytes], *, training: bool) -> None:
        """``sign`` signs a bundle's manifest (``app.ledger.bundle.write_bundle``)."""
        self._store = store
        self._log = log
        self._sign = sign
        self._training = training

    def segment(self, burn_id: str, part: int) -> bytes:
        """The burn's first segment (``part`` 0) or one of its follow-ups. 404: no such burn or part."""
        return bytes(self._part(burn_id, part).body)

    def manifest(self, burn_id: str, part: int) -> bytes:
        """The C2PA manifest of that segment. 404, 409 in the moment before it is sealed."""
        row = self._part(burn_id, part)
        if row.manifest is None:
            raise Problem("state_conflict", f"Segment {row.number} is being sealed; ask again in a second.")
        return bytes(row.manifest)

    def bundle(self, burn_id: str) -> bytes:
        """All of it as one file. 404; 409 while a segment waits for its seal or an entry for its witnesses: the bundle
        could not be verified."""
        with self._store.read() as connection:
            of = _burn(connection, burn_id)
            rows = connection.execute(_segments(burn_id)).all()
            if not rows or any(row.manifest is None for row in rows):
                raise Problem("state_conflict", f"Burn {burn_id} is not sealed yet; ask again when it is.")
            names = names_of(connection, (of.actor, of.lifted_by))
            leaves = [read_leaf(self._log, connection, seq) for seq in (of.leaf, *(row.leaf for row in rows))]
        proof = BurnProof(
            burn_id=burn_id,
            node_id=of.node_id,
            training=self._training,
            log_origin=self._log.origin,
            segments=[row.number for row in rows],
            leaves=leaves,
        )
        # Imported here: what makes PDFs is a quarter of a second of every start.
        from app.capabilities.burn.log.report import burn_report

        taken_back = "" if of.lifted_us is None else f"{rfc3339(of.lifted_us)} by {name_and_id(of.lifted_by, names)}"
        parts = [(read_segment(bytes(row.body)), row.sha256, row.leaf) for row in rows]
        report = burn_report(parts, name_and_id(of.actor, names), taken_back)
        return burn_bundle(proof, [(bytes(row.body), bytes(row.manifest)) for row in rows], report, self._sign)

    def _part(self, burn_id: str, part: int) -> Row[Any]:
        with self._store.read() as connection:
            _burn(connection, burn_id)
            row = connection.execute(_segments(burn_id).offset(part).limit(1)).one_or_none()
        if row is None:
            raise Problem("not_found", f"Burn {burn_id} has no segment {part} of the revocation log (yet).")
        return row


def _segments(burn_id: str) -> Select[Any]:
    return select(burn_segment).where(burn_segment.c.burn_id == burn_id).order_by(burn_segment.c.number)


def _burn(connection: Connection, burn_id: str) -> Row[Any]:
    row = connection.execute(select(burn).where(burn.c.burn_id == burn_id)).one_or_none()
    if row is None:
        raise Problem("not_found", f"No burn {burn_id} was made here; check the identifier.")
    return row
