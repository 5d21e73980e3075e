"""Checks that a store's two logs are what was signed: every row, tile, head, note, word and erasure, each against the
next.

It takes one read snapshot and one pass, in memory that does not grow with the store (but for the erased ranges), beside
a running service or without one. Every fault is a finding; none ends the check. A store cannot know of itself that it
is an older copy, or that its end was cut off consistently: the witnesses' heads show that (``SeenHead``).

One edit cannot be found, by design: a deleted row of ``log_late``. A cosignature that came after its note had met its
quorum is an extra: nothing refers to it, and no proof needs it. Every such row that exists is judged. (An outside time
stamp is an extra too, but a leaf names each of them.)
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from cryptography import x509

from app.ledger.c2sp.note import Note, NoteError, parse_checkpoint, parse_note
from app.ledger.c2sp.policy import WitnessPolicy
from app.ledger.check.rows import WHOLE, AuditRun, LogFault, LogIdentity, LogPart, LogRun, Progress, Ranges, SealRun
from app.ledger.check.stamps import AnchorCheck, frozen_note, judge_token
from app.ledger.check.state import check_state
from app.ledger.log.log import LedgerBroken
from app.ledger.tables import AUDIT, SEAL, tile_id
from app.ledger.tree.tree import Node, levels_of
from app.ledger.witnesses.recorded_quorum import RecordedQuorums, deciding_text, read_quorums
from app.store.engine import open_snapshot

_INTEGRITY: Final = 100
_CACHE_KIB: Final = 65_536
"""SQLite's page cache: a few pages for each node, actor and action in use."""


@dataclass(frozen=True)
class SeenHead:
    """The newest note that a witness says it has seen of a log; ``None`` if it has seen none."""

    witness: str
    log: int
    note: str | None


@dataclass(frozen=True)
class CheckedLog:
    """A log as it was found, for checks of what others derive from it. Each call of ``nodes()`` gives the nodes over
    its ``size`` entries, and the result caches the tiles that it read."""

    size: int
    nodes: Callable[[], Node]


Check = Callable[[sqlite3.Connection, CheckedLog], Iterable[LogFault]]
"""Compares what a capability derives from the seal log with that log."""


@dataclass(frozen=True, kw_only=True)
class Against:
    """What a store is checked against, beyond itself.

    ``policy``: who must have cosigned; without it only the log's own signatures are judged. It must be the one that the
    newest leaf of a policy states; each checkpoint must meet that of its time. ``earlier``: the policies of earlier
    generations. ``roots``: certificates of the site's time-stamp authority; without them its tokens are not
    judged. ``anchor_roots``: those of each outside authority, by its URL. ``seen``: the witnesses' heads. ``derived``:
    checks of what capabilities keep and the seal log must give again."""

    seal: LogIdentity
    audit: LogIdentity
    policy: WitnessPolicy | None = None
    earlier: Sequence[WitnessPolicy] = ()
    roots: Sequence[x509.Certificate] = ()
    anchor_roots: Mapping[str, Sequence[x509.Certificate]] = field(default_factory=dict)
    seen: Sequence[SeenHead] = ()
    derived: Sequence[Check] = ()


def fsck(path: Path, against: Against, progress: Progress | None = None, part: LogPart = WHOLE) -> Iterator[LogFault]:
    """Every fault of the store at ``path``, as it is found. ``sqlite3.Error`` if it cannot be read at all.

    A ``part`` covers all tiles and heads, and a share of the entries and cosigned checkpoints. The first part also
    covers what can only be checked as a whole: the contents of the indexes, outside time stamps against their leaves,
    and derived rows. In a part the search index is only searched for the part's entries; only the whole check finds
    extra text in it, and words that no entry names.
    """
    connection = open_snapshot(path)
    # The integrity check looks each entry up in every index, and comes again and again to the same pages.
    connection.execute(f"PRAGMA cache_size={-_CACHE_KIB}")
    try:
        yield from _FsckRun(connection, against, progress or _silent, part).findings()
    finally:
        connection.close()


def _silent(_what: str, _done: int, _of: int) -> None:
    pass


class _FsckRun:
    def __init__(self, connection: sqlite3.Connection, against: Against, progress: Progress, part: LogPart) -> None:
        self._part = part
        self._connection = connection
        self._against = against
        self._progress = progress
        self._erased = {AUDIT: Ranges(), SEAL: Ranges()}
        self._found: dict[int, LogRun] = {}
        self._quorums = RecordedQuorums()

    def findings(self) -> Iterator[LogFault]:
        self._progress("integrity", 0, 1)
        yield from self._guard("store", self._integrity())
        seal = SealRun(self._connection, SEAL, self._against.seal, self._progress, self._part)
        audit = AuditRun(self._connection, AUDIT, self._against.audit, self._progress, self._erased, self._part)
        for run in (audit, seal):
            self._found[run.number] = run
            yield from self._guard(run.table, run.findings())
        if self._part == WHOLE:
            yield from self._guard("log_word", audit.unused_words())
        yield from self._guard("policy", self._judge_policy())
        anchors = AnchorCheck(self._connection, self._against.anchor_roots)
        for run in (audit, seal):
            yield from self._judge_erasures(run)
            yield from self._guard("log_cosigned", self._judge_cosigned(run))
            yield from self._guard("log_late", self._judge_late(run))
            yield from self._guard("log_anchor", anchors.findings(run.number, *self._part.sizes(run.size)))
            yield from self._judge_seen(run)
        yield from self._guard("log_tile", self._find_strangers())
        if not self._part.first:
            return
        yield from self._guard("log_anchor", anchors.compare_with_leaves())
        self._progress("rows", 0, 1)
        yield from self._guard("state_sum", check_state(self._connection))
        for check in self._against.derived:
            yield from self._guard("derived", check(self._connection, CheckedLog(seal.size, seal.fresh_nodes)))

    def _guard(self, where: str, found: Iterable[LogFault]) -> Iterator[LogFault]:
        """Turns a part that cannot be read into a finding, so that the next part is checked all the same."""
        try:
            yield from found
        except (sqlite3.Error, LedgerBroken, ValueError, TypeError, AttributeError, OverflowError) as error:
            yield LogFault(where, f"cannot be read to its end: {error}")

    def _integrity(self) -> Iterator[LogFault]:
        check = "integrity_check" if self._part.first else "quick_check"
        for (line,) in self._connection.execute(f"PRAGMA {check}({_INTEGRITY})"):
            if line != "ok":
                yield LogFault("store", f"the file is damaged: {line}")

    def _find_strangers(self) -> Iterator[LogFault]:
        """Rows of no log that there is, and tiles of no full part of one."""
        for table, column in (("log_head", "log"), ("log_cosigned", "log"), ("log_late", "log"), ("log_anchor", "log")):
            for (log,) in self._connection.execute(f"SELECT {column} FROM {table} WHERE log NOT IN (0, 1)"):
                yield LogFault(table, f"a row of a log {log}, which there is not")
        for run in self._found.values():
            levels = levels_of(run.size)
            for level in range(levels):
                first = tile_id(run.number, level, run.size >> (8 * level + 8))
                yield from self._find_extra_tiles(first, tile_id(run.number, level + 1, 0))
            yield from self._find_extra_tiles(tile_id(run.number, levels, 0), tile_id(run.number + 1, 0, 0))
        yield from self._find_extra_tiles(-(2**63), tile_id(0, 0, 0))
        yield from self._find_extra_tiles(tile_id(2, 0, 0), 2**63 - 1)

    def _find_extra_tiles(self, low: int, high: int) -> Iterator[LogFault]:
        for (number,) in self._connection.execute("SELECT id FROM log_tile WHERE id >= ? AND id < ?", (low, high)):
            yield LogFault("log_tile", f"tile {number} is of no full part of a log")

    # -- what the leaves say was erased

    def _judge_erasures(self, run: LogRun) -> Iterator[LogFault]:
        said = self._erased[run.number]
        for seq in said.missing(run.empty):
            yield LogFault(run.table, "the payload is gone, and no leaf says that it was erased", seq)
        for first, last in said:
            left = self._connection.execute(
                f"SELECT seq FROM {run.table} WHERE seq BETWEEN ? AND ? AND payload IS NOT NULL LIMIT 1", (first, last)
            ).fetchone()
            if left is not None:
                yield LogFault(run.table, "a leaf says that the payload was erased, but it is there", left[0])

    # -- notes

    def _judge_cosigned(self, run: LogRun) -> Iterator[LogFault]:
        """Every cosigned checkpoint: its root, its signatures, its quorum, its time stamp."""
        rows = self._connection.execute(
            "SELECT size, note, quorum_at, token FROM log_cosigned WHERE log = ? AND size BETWEEN ? AND ? "
            "ORDER BY size",
            (run.number, *self._part.sizes(run.size)),
        )
        of = self._connection.execute("SELECT count(*) FROM log_cosigned WHERE log = ?", (run.number,)).fetchone()[0]
        for done, (size, packed, quorum_at, token) in enumerate(rows):
            if done % 1_000 == 0:
                self._progress(f"{run.table}: cosigned checkpoints", done, of)
            note = frozen_note(packed)
            if isinstance(note, str):
                yield LogFault("log_cosigned", note, size)
                continue
            yield from run.judge("log_cosigned", note, size)
            yield from self._judge_quorum(run.number, note, size, quorum_at)
            if self._against.roots:
                yield from judge_token("log_cosigned", note, size, token, self._against.roots, (quorum_at, quorum_at))

    def _judge_policy(self) -> Iterator[LogFault]:
        """The policy is the one that the newest leaf of a policy states. What older leaves state counts for the
        checkpoints of their time and for no others, so nobody makes an old checkpoint good by an edit of the file."""
        self._quorums = read_quorums(self._connection)
        policy = self._against.policy
        if policy is None or not self._quorums.all:
            return
        newest = self._quorums.all[-1]
        if hashlib.sha256(deciding_text(policy)).hexdigest() != newest.sha256:
            yield LogFault(
                "policy",
                "the policy file has other witnesses or another quorum than this entry of the audit log states. If you "
                "changed it, start the service: it states the change. If not, restore the file from a backup",
                newest.seq,
            )

    def _policy_of(self, log: int, note: Note, size: int) -> WitnessPolicy | None:
        """The policy under which the checkpoint was cosigned: what a leaf states of its time, else the file of today or
        that of the earlier generation whose origin the note has. The logs' keys are always those of the file."""
        origin = note.text.partition("\n")[0]
        named = (one for one in self._against.earlier if any(row.key.name == origin for row in one.logs))
        earlier = next(named, None)
        base = earlier or self._against.policy
        recorded = self._quorums.at(log, size)
        if recorded is None and earlier is None and self._quorums.all:
            # Older than the first leaf: cosigned before there were such leaves, under the policy that it states.
            recorded = self._quorums.all[0]
        if base is None or recorded is None or recorded.policy is None:
            return base
        stated = recorded.policy
        return replace(base, witnesses=stated.witnesses, groups=stated.groups, quorum=stated.quorum)

    def _judge_quorum(self, log: int, note: Note, size: int, quorum_at: int) -> Iterator[LogFault]:
        """The note meets the policy of its time, at the time that the row says, and has no line that the policy does
        not explain."""
        policy = self._policy_of(log, note, size)
        if policy is None:
            return
        try:
            met_at = policy.check(note)
        except NoteError as error:
            yield LogFault("log_cosigned", f"the note does not meet the policy of its time: {error}", size)
            return
        if met_at != quorum_at:
            yield LogFault("log_cosigned", f"the quorum was met at {met_at}, the row says {quorum_at}", size)
        signed = len(policy.times(note)) + len(_own_lines(policy, note))
        if signed != len(note.signatures):
            yield LogFault(
                "log_cosigned", "the note has a signature line of nobody in the policy, or a wrong one", size
            )

    def _judge_late(self, run: LogRun) -> Iterator[LogFault]:
        """Every cosignature that came after its note was frozen: one valid line of a witness of the policy, of its
        time or of a later one."""
        rows = self._connection.execute(
            "SELECT late.size, late.key_id, late.line, of.note FROM log_late AS late LEFT JOIN log_cosigned AS of "
            "ON of.log = late.log AND of.size = late.size WHERE late.log = ? AND late.size BETWEEN ? AND ? "
            "ORDER BY late.size",
            (run.number, *self._part.sizes(run.size)),
        )
        for size, key_id, line, packed in rows:
            if packed is None:
                yield LogFault("log_late", "a cosignature of a checkpoint that is not there", size)
                continue
            frozen = frozen_note(packed)
            policy = None if isinstance(frozen, str) else self._policy_of(run.number, frozen, size)
            if policy is None or isinstance(frozen, str):
                continue
            since = self._quorums.at(run.number, size)
            later = [one.policy for one in self._quorums.all if one.policy and (since is None or one.seq > since.seq)]
            rows_of = [row for one in (policy, *later) for row in one.witnesses]
            row = next((row for row in rows_of if row.key.key_id.hex() == key_id), None)
            if row is None:
                yield LogFault("log_late", "a cosignature of nobody in the policy of its time or a later one", size)
                continue
            try:
                note = parse_note(f"{frozen.text}\n{line}".encode())
                row.key.time_of(note)
            except NoteError as error:
                yield LogFault("log_late", f"a late cosignature is wrong: {error}", size)
            else:
                if len(note.signatures) != 1:
                    yield LogFault("log_late", "a late cosignature is more than one line", size)

    def _judge_seen(self, run: LogRun) -> Iterator[LogFault]:
        """What the witnesses have seen is a state that this log has been in."""
        for head in self._against.seen:
            if head.log != run.number or head.note is None:
                continue
            where = f"witness {head.witness}"
            try:
                note = parse_note(head.note.encode())
                size = parse_checkpoint(note.text).size
            except NoteError as error:
                yield LogFault(where, f"answers no checkpoint: {error}")
                continue
            if size > run.size:
                yield LogFault(
                    where,
                    f"has cosigned {size} entries, the store has {run.size}: it was cut off or is an old copy",
                    size,
                )
            else:
                yield from run.judge(where, note, size)


def _own_lines(policy: WitnessPolicy, note: Note) -> list[bytes]:
    origin = parse_checkpoint(note.text).origin
    own = {row.key.key_id for row in policy.logs if row.key.name == origin}
    return [line.key_id for line in note.signatures if line.name == origin and line.key_id in own]
