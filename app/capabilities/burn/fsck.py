"""The revocation log, compared with the audit log that vouches for it (``ledger.fsck.Check``)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import msgspec
from cryptography import x509

from app.capabilities.burn.burn_record import BurnRecord
from app.capabilities.burn.log.segments import LABEL, NOTHING, SEALED, SegmentError, assertion_of, read_segment
from app.ledger.check.fsck import CheckedLog
from app.ledger.check.rows import LogFault
from app.ledger.sidecar import SidecarError, verify_sidecar
from app.store.errors import SealBroken
from app.store.reserve import read_records
from app.store.sealed import FieldSealer

_WHERE: Final = "burn_segment"


def check_segments(
    roots: Sequence[x509.Certificate], connection: sqlite3.Connection, _: CheckedLog
) -> Iterator[LogFault]:
    """Segments are numbered without a gap, each names the one before it, its leaf commits to its bytes, its manifest
    is of them and signed under ``roots`` (without any, manifests are not judged), and no leaf names a missing one."""
    before = NOTHING
    last_of: dict[str, tuple[int, str]] = {}
    rows = connection.execute(
        "SELECT s.number, s.burn_id, s.leaf, s.body, s.sha256, s.manifest, e.payload, w.text, e.seq "
        "FROM burn_segment AS s LEFT JOIN audit_entry AS e ON e.seq = s.leaf LEFT JOIN log_word AS w "
        "ON w.id = e.action ORDER BY s.number"
    )
    for at, (number, burn_id, leaf, body, digest, manifest, payload, action, seq) in enumerate(rows):
        if number != at:
            yield LogFault(_WHERE, f"segment {at} is missing", leaf)
            return
        if sha256(body).hexdigest() != digest:
            yield LogFault(_WHERE, f"segment {number} was changed", leaf)
        if seq is None or action != SEALED:
            yield LogFault(_WHERE, f"segment {number} has no leaf", leaf)
        elif payload is not None and _detail(payload) != {"burn_id": burn_id, "segment": number, "sha256": digest}:
            yield LogFault(_WHERE, f"segment {number} is not the one that its leaf says", leaf)
        try:
            head = read_segment(body).head
        except SegmentError as error:
            yield LogFault(_WHERE, f"segment {number}: {error}", leaf)
        else:
            follows = None if head.follows is None else (head.follows.segment, head.follows.sha256)
            if (head.segment, head.burn_id, head.prev_sha256) != (number, burn_id, before):
                yield LogFault(_WHERE, f"segment {number} does not continue the chain", leaf)
            if follows != last_of.get(burn_id):
                yield LogFault(_WHERE, f"segment {number} does not follow its burn's segment before", leaf)
        if manifest is not None and roots:
            yield from _manifest(number, burn_id, leaf, body, manifest, roots)
        before = digest
        last_of[burn_id] = number, digest
    for (seq,) in connection.execute(
        "SELECT seq FROM audit_entry AS e INDEXED BY audit_by_action JOIN log_word AS w ON w.id = e.action "
        "WHERE w.text = ? AND seq NOT IN (SELECT leaf FROM burn_segment)",
        (SEALED,),
    ):
        yield LogFault(_WHERE, "a leaf is of a segment that is not there", seq)


def check_reserve(
    path: Path, sealer: FieldSealer, connection: sqlite3.Connection, notes: list[str]
) -> Iterator[LogFault]:
    """What waits in the reserve is of this site, and not another burn than the stored one of its id. ``notes`` is told
    how many burns the next start stores."""
    try:
        kept = read_records(path, sealer)
    except (OSError, SealBroken) as error:
        yield LogFault(path.name, str(error))
        return
    waiting = 0
    for one in kept:
        try:
            record = msgspec.msgpack.decode(one.record, type=BurnRecord)
        except msgspec.MsgspecError as error:
            yield LogFault(path.name, f"record {one.slot} cannot be read: {error}")
            continue
        row = connection.execute("SELECT node_id, scope FROM burn WHERE burn_id = ?", (record.burn_id,)).fetchone()
        waiting += row is None
        if row is not None and row != (record.node_id, record.scope):
            yield LogFault(path.name, f"record {one.slot} is not the burn that is stored as {record.burn_id}")
    if waiting:
        notes.append(f"Burns that wait in {path.name} and are stored by the next start with room: {waiting}.")


def _manifest(
    number: int, burn_id: str, leaf: int, body: bytes, manifest: bytes, roots: Sequence[x509.Certificate]
) -> Iterator[LogFault]:
    try:
        said, _ = verify_sidecar(body, manifest, LABEL, roots)
    except SidecarError as error:
        yield LogFault(_WHERE, f"segment {number}: {error}", leaf)
    else:
        if said != assertion_of(number, burn_id, body):
            yield LogFault(_WHERE, f"the manifest of segment {number} is of another segment", leaf)


def _detail(payload: bytes) -> object:
    try:
        found: object = msgspec.json.decode(payload, type=dict[str, Any]).get("detail")
    except msgspec.MsgspecError:
        found = None
    return found
