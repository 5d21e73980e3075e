"""Compares the rows of knots with the seal log from which they derive (``ledger.check.fsck.Check``)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Final

import msgspec

from app.api.wire import unix_us
from app.ledger.check.fsck import CheckedLog
from app.ledger.check.rows import LogFault
from app.ledger.cosigned import Cosigned, inflate, make_proof
from app.ledger.tables import SEAL
from app.ledger.tree.leaf import OF_THE_LOG, knot_id_of, leaf_hash, read_seal_header

_NODES_KEPT: Final = 1_000
"""After so many knots the cache of the tree's nodes begins anew."""


class _Consent(msgspec.Struct):
    """Of the consent in a knot's first leaf: when it ends."""

    expires_at: str | None = None

    @property
    def end_us(self) -> int | None:
        """Unix microseconds."""
        return None if self.expires_at is None else unix_us(self.expires_at)


class _FirstStatement(msgspec.Struct):
    """What a row repeats of a knot's first leaf."""

    node_id: str
    consent: _Consent


def check_knots(connection: sqlite3.Connection, log: CheckedLog) -> Iterator[LogFault]:
    """Every knot begins where its row says, stands as its last leaf says, and has the consensus seal of its proof."""
    rows = connection.execute(
        "SELECT k.knot_id, k.seq, k.node_id, k.standing, k.consensus_seal, k.expires_us, first.header, first.payload, "
        "(SELECT header FROM seal_entry WHERE knot_id = k.knot_id ORDER BY seq DESC LIMIT 1) "
        "FROM knot AS k LEFT JOIN seal_entry AS first ON first.seq = k.seq ORDER BY k.seq"
    )
    cosigned: Cosigned | None = None
    for number, (knot_id, seq, node_id, standing, seal, expires_us, header, payload, last) in enumerate(rows):
        if number % _NODES_KEPT == 0:
            node = log.nodes()
        if header is None or last is None or knot_id_of(leaf_hash(header)) != knot_id:
            yield LogFault("knot", f"{knot_id} does not begin at this entry", seq)
            continue
        if read_seal_header(last).outcome != standing:
            yield LogFault("knot", f"{knot_id} does not stand as its last leaf says", seq)
        if payload is not None:
            said = _statement_of(payload)
            if said is None or said.node_id != node_id:
                yield LogFault("knot", f"{knot_id} is of another node than its leaf says", seq)
            if said is None or said.consent.end_us != expires_us:
                yield LogFault("knot", f"{knot_id} ends at another time than its consent says", seq)
        if seal is None:
            # Only kept for seals that a caller waited for or a round listed.
            continue
        if cosigned is None or cosigned.size <= seq:
            cosigned = _first_beyond(connection, seq)
        if cosigned is None or make_proof(node, seq, cosigned).consensus_seal != seal:
            yield LogFault("knot", f"{knot_id} has another consensus seal than its proof gives", seq)
    for seq, knot_id, header in connection.execute(
        "SELECT min(seq), knot_id, header FROM seal_entry WHERE knot_id NOT IN (SELECT knot_id FROM knot) "
        "GROUP BY knot_id"
    ):
        if read_seal_header(header).action in OF_THE_LOG:
            continue
        yield LogFault("knot", f"{knot_id} is in the log and not among the knots", seq)


def _first_beyond(connection: sqlite3.Connection, seq: int) -> Cosigned | None:
    row = connection.execute(
        "SELECT size, note, quorum_at, token FROM log_cosigned WHERE log = ? AND size > ? ORDER BY size LIMIT 1",
        (SEAL, seq),
    ).fetchone()
    return None if row is None else Cosigned(row[0], inflate(row[1]), row[2], row[3])


def _statement_of(payload: bytes) -> _FirstStatement | None:
    """What a knot's first leaf says; None where it says no such thing."""
    try:
        return msgspec.json.decode(payload, type=_FirstStatement)
    except msgspec.MsgspecError:
        return None
