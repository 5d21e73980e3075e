"""Which quorum each cosigned checkpoint needed: the policy's witnesses, groups and quorum, stated by the audit log.

The policy is a file, and the operator may demand more tomorrow. What was cosigned before met the policy of its time and
never meets the new one. So the service states the policy by a leaf before the first checkpoint is cosigned under it,
with the newest checkpoint of each log that was cosigned before. Sizes of cosigned checkpoints only grow, so the leaves
give each one exactly one policy, and a file that is edited afterwards changes nothing about older ones."""

from __future__ import annotations

import hashlib
import sqlite3
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from app.ledger.c2sp.policy import PolicyError, WitnessPolicy, parse_policy
from app.ledger.tables import AUDIT, SEAL
from app.ledger.tree.leaf import Payload
from app.store.engine import driver
from app.store.writer import Transaction

RECORDED: Final = "log.quorum"
"""Action of the leaf."""
_ACTOR: Final = "service"
_LONGEST: Final = 49_152
"""Bytes of the longest policy that a leaf holds; of a longer one it names the digest alone."""
_LEAVES: Final = (
    "SELECT seq, payload FROM audit_entry WHERE action = (SELECT id FROM log_word WHERE text = ?) AND outcome = 0 "
    "ORDER BY seq"
)
_NEWEST: Final = f"{_LEAVES} DESC LIMIT 1"


class QuorumDetail(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The detail of the leaf ``log.quorum``. ``policy``: ``deciding_text``; ``sha256``: its digest in hexadecimal.
    ``seal``, ``audit``: the size of the newest checkpoint of each log that was cosigned before, else 0."""

    audit: int
    policy: str | None
    seal: int
    sha256: str


@dataclass(frozen=True)
class RecordedQuorum:
    """What the leaf at ``seq`` states. ``policy`` is ``None`` where it was too long for a leaf; ``after`` holds the
    sizes by log."""

    seq: int
    sha256: str
    policy: WitnessPolicy | None
    after: Mapping[int, int]


def deciding_text(policy: WitnessPolicy) -> bytes:
    """What decides whether a quorum was met: the policy without logs and addresses, as a file. The logs' keys follow
    the log's own leaves, and where a witness is asked does not matter to what it signed."""
    witnesses = tuple(replace(row, url=None) for row in policy.witnesses)
    return replace(policy, logs=(), witnesses=witnesses).text().encode("utf-8", "surrogateescape")


def record_quorum(tx: Transaction, policy: WitnessPolicy) -> None:
    """State the policy by a leaf, unless the newest such leaf states the same. To be committed before any checkpoint
    is cosigned under it."""
    raw = driver(tx.connection)
    text = deciding_text(policy)
    digest = hashlib.sha256(text).hexdigest()
    found = raw.execute(_NEWEST, (RECORDED,)).fetchone()
    if found is not None and _detail(found[1]).sha256 == digest:
        return
    newest = "SELECT ifnull(max(size), 0) FROM log_cosigned WHERE log = ?"
    seal, audit = (int(raw.execute(newest, (log,)).fetchone()[0]) for log in (SEAL, AUDIT))
    try:
        stated = text.decode() if len(text) <= _LONGEST else None
    except UnicodeDecodeError:
        # Names of a policy are opaque octets to the standard; JSON has no place for them.
        stated = None
    detail = QuorumDetail(audit=audit, policy=stated, seal=seal, sha256=digest)
    tx.audit(RECORDED, actor=_ACTOR, detail=msgspec.to_builtins(detail))


def _detail(payload: bytes) -> QuorumDetail:
    return msgspec.convert(msgspec.json.decode(payload, type=Payload).detail, QuorumDetail)


class RecordedQuorums:
    """All that the leaves of a store state, in their order."""

    def __init__(self, recorded: Sequence[RecordedQuorum] = ()) -> None:
        self.all = tuple(recorded)
        self._after = {log: [one.after[log] for one in self.all] for log in (SEAL, AUDIT)}

    def at(self, log: int, size: int) -> RecordedQuorum | None:
        """What was in force when the checkpoint of ``size`` was cosigned; ``None`` where that was before the first
        leaf."""
        place = bisect_left(self._after[log], size)
        return self.all[place - 1] if place else None


def read_quorums(connection: sqlite3.Connection) -> RecordedQuorums:
    """The leaves of a store. ``ValueError`` with a sentence for people if one states no policy, or another than its
    digest says."""
    found: list[RecordedQuorum] = []
    for seq, payload in connection.execute(_LEAVES, (RECORDED,)):
        try:
            detail = _detail(payload)
            policy = None if detail.policy is None else parse_policy(detail.policy.encode())
        except (msgspec.MsgspecError, TypeError, PolicyError):
            raise ValueError(f"the leaf {seq} of a policy states none") from None
        if policy is not None and hashlib.sha256(deciding_text(policy)).hexdigest() != detail.sha256:
            raise ValueError(f"the leaf {seq} of a policy states another than its digest says")
        after = {SEAL: detail.seal, AUDIT: detail.audit}
        if found and any(after[log] < found[-1].after[log] for log in after):
            raise ValueError(f"the leaf {seq} of a policy is out of order")
        found.append(RecordedQuorum(seq, detail.sha256, policy, after))
    return RecordedQuorums(found)
