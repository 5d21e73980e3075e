"""A store with both logs, cosigned by three witnesses and time-stamped, to be looked at by fsck and edited behind its
back."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

from app.ledger.c2sp.cosignature import Cosigner
from app.ledger.c2sp.note import Checkpoint, parse_checkpoint, parse_note
from app.ledger.c2sp.policy import parse_policy
from app.ledger.check.fsck import Against, SeenHead, fsck
from app.ledger.check.rows import LogFault, LogIdentity
from app.ledger.cosigned import Cosigned, add_late, freeze
from app.ledger.log.log import AnyLog
from app.ledger.stamps.anchors import add_anchor
from app.ledger.witnesses.client import request_body
from app.ledger.witnesses.witness import Witness
from app.store.engine import driver
from app.store.writer import ACCEPTED, DENIED, FAILED, Sealed, Transaction
from tests.service.ledger.witnesses.witnessed_site import WitnessedSite
from tests.unit.ledger.stamps.test_timestamp import AUTHORITY, ROOT

WORDS = ("alpha", "Größe", "中文 字", "x-7", "ΑΒΓ")
OUTSIDE = "https://tsa.invalid"
OUTCOMES = (ACCEPTED, DENIED, FAILED)


class CheckedSite:
    """``path`` is an empty directory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.site = WitnessedSite(path)
        ledger = self.site.ledger
        self._cosigners = {
            0: self.site.mldsa,
            1: Cosigner(ledger.audit.origin, MLDSA44PrivateKey.from_seed_bytes(b"\x0a" * 32)),
        }
        keys = [log.verifier for log in (ledger.seal, ledger.audit)] + [each.key for each in self._cosigners.values()]
        for witness in self.site.witnesses:
            witness.close()
        self.witnesses = [
            Witness(path / f"witness-{number}.db", cosigners, keys)
            for number, cosigners in enumerate(self.site.cosigners)
        ]
        self.site.witnesses = self.witnesses
        own = [f"log {ledger.audit.verifier.vkey}", f"log {self._cosigners[1].key.vkey}", self.site.policy.text()]
        self.policy = parse_policy("\n".join(own).encode())
        self.sealed: list[Sealed] = []

    @property
    def store_path(self) -> Path:
        """The store's file."""
        return self.site.store.path

    def run(self, job: Any) -> Any:
        """One job, waited for."""
        return self.site.store.writer.submit(job).result(30)

    def audit(self, count: int) -> None:
        """``count`` audit entries in one commit."""

        def job(tx: Transaction) -> None:
            first = self.site.ledger.audit.snapshot().size
            for number in range(first, first + count):
                tx.audit(
                    f"test.added{number % 5}",
                    actor=f"key_{number % 7}",
                    outcome=OUTCOMES[number % 3],
                    node_id=None if number % 4 == 0 else f"NODE-{number % 11}",
                    unit_id=f"unit-{number // 200}" if number % 4 == 1 else None,
                    request_id=f"req-{number}",
                    detail={"number": number, "word": WORDS[number % 5], "share": number / 8, "huge": 1e22},
                )

        self.run(job)

    def seal(self, count: int) -> None:
        """``count`` leaves of the seal log in one commit; every third continues the knot of the one before."""

        def job(tx: Transaction) -> None:
            for number in range(count):
                first = self.sealed[-1] if number % 3 == 2 else None
                payload: dict[str, object] = {"node_id": f"NODE-{number % 11}", "number": number}
                if first is not None:
                    payload["first_leaf"] = first.leaf_hash.hex()
                sealed = tx.seal(
                    "knots.withdraw" if first else "knots.issue",
                    actor="key_1",
                    standing="WITHDRAWN" if first else "VERIFIED_DIGITAL_HUMAN",
                    payload=payload,
                    knot_id=first.knot_id if first else None,
                )
                if first is None:
                    self.sealed.append(sealed)

        self.run(job)

    def cosign(self, log: AnyLog) -> None:
        """All witnesses cosign the newest head: two in the frozen note, the third came late."""
        head = log.snapshot()
        note = parse_note(head.note.encode())
        text = note.text
        own = head.note + self._cosigners[log.number].line(text, 1_800_000_000)
        lines = []
        for witness in self.witnesses:
            old = self._seen(witness, log)
            size = 0 if old is None else old.size
            with self.site.store.read() as connection:
                path = log.consistency_proof(connection, size, head.size)
            reply = witness.add_checkpoint(request_body(size, path, own))
            assert reply.status == 200, reply
            lines.append(reply.body)
        frozen = own + lines[0] + lines[1]
        quorum_at = self.policy.check(parse_note(frozen.encode()))
        token = AUTHORITY.token(text.encode(), datetime.now(UTC))
        late = lines[2].splitlines(keepends=True)

        def job(tx: Transaction) -> None:
            freeze(tx, log, Cosigned(head.size, frozen, quorum_at, token))
            for cosigner, line in zip(self.site.cosigners[2], late, strict=True):
                add_late(tx, log, head.size, cosigner.key.key_id, line)
            add_anchor(tx, log, head.size, OUTSIDE, token)

        self.run(job)

    def _seen(self, witness: Witness, log: AnyLog) -> Checkpoint | None:
        note = newest(witness, log)
        return None if note is None else parse_checkpoint(parse_note(note.encode()).text)

    def fill(self) -> None:
        """Three rounds of both logs, each with two leaves of outside time stamps, and something that nobody has
        cosigned yet. ``older.db`` and ``older.wal`` beside the store are it after the second, ``middle.wal`` in its
        midst; both WALs begin after the first."""
        ledger = self.site.ledger
        for number, (entries, seals) in enumerate(((300, 100), (398, 203), (321, 209))):
            self.audit(entries)
            if number == 1:
                shutil.copyfile(f"{self.store_path}-wal", self.store_path.with_name("middle.wal"))
            self.seal(seals)
            self.cosign(ledger.audit)
            self.cosign(ledger.seal)
            if number == 0:
                with contextlib.closing(sqlite3.connect(self.store_path)) as other:
                    other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            if number == 1:
                shutil.copyfile(f"{self.store_path}-wal", self.store_path.with_name("older.wal"))
                self._back_up(self.store_path.with_name("older.db"))
        self.audit(15)
        self.seal(5)

    def _back_up(self, to: Path) -> None:
        with contextlib.closing(sqlite3.connect(to)) as copy, self.site.store.read() as connection:
            driver(connection).backup(copy)

    def seen(self) -> list[SeenHead]:
        """What the witnesses say that they saw."""
        logs: Iterable[AnyLog] = (self.site.ledger.audit, self.site.ledger.seal)
        return [
            SeenHead(f"w{number}", log.number, newest(witness, log))
            for log in logs
            for number, witness in enumerate(self.witnesses)
        ]

    def against(self, *, witnesses: bool = True) -> Against:
        """All that the store can be checked against."""
        ledger = self.site.ledger
        return Against(
            seal=LogIdentity(ledger.seal.origin, [ledger.seal.verifier, self._cosigners[0].key]),
            audit=LogIdentity(ledger.audit.origin, [ledger.audit.verifier, self._cosigners[1].key]),
            policy=self.policy,
            roots=[ROOT],
            anchor_roots={OUTSIDE: [ROOT]},
            seen=self.seen() if witnesses else (),
        )

    def check(self, *, witnesses: bool = True) -> list[LogFault]:
        """The findings of this site's own store."""
        return list(fsck(self.store_path, self.against(witnesses=witnesses)))

    def close(self) -> None:
        """Give every file back."""
        self.site.close()


def newest(witness: Witness, log: AnyLog) -> str | None:
    """The note that a witness last cosigned."""
    reply = witness.checkpoint(hashlib.sha256(log.origin.encode()).hexdigest())
    return reply.body if reply.status == 200 else None
