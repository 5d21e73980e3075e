"""The check of the revocation log: what each row, leaf, manifest and segment must say of the others; and of the
reserve."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from copy import copy
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.capabilities.burn import fsck
from app.capabilities.burn.burn_record import BurnRecord
from app.capabilities.burn.fsck import check_reserve, check_segments
from app.capabilities.burn.log.segments import Earlier, SegmentHead, assertion_of, write_segment
from app.capabilities.burn.messages import Scope
from app.ledger.check.fsck import CheckedLog
from app.ledger.sidecar import SidecarSigner
from app.pki.authority import Root, SiteAuthority, make_root
from app.store.errors import SealBroken
from app.store.reserve import KeptRecord

LEAVES = (11, 22, 33)
TABLES = """
CREATE TABLE log_word (id INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE audit_entry (seq INTEGER PRIMARY KEY, action INTEGER, payload BLOB);
CREATE INDEX audit_by_action ON audit_entry (action, seq);
CREATE TABLE burn_segment (number INTEGER PRIMARY KEY, burn_id TEXT, leaf INTEGER, body BLOB, sha256 TEXT,
    manifest BLOB);
INSERT INTO log_word VALUES (1, 'burn.sealed'), (2, 'burn.complete');
"""


class Signing:
    """A site's authority with the signer of its manifests."""

    def __init__(self) -> None:
        key, own = ec.generate_private_key(ec.SECP256R1()), Ed25519PrivateKey.generate()
        self.root = make_root(key, training=True, site="test.invalid", now=datetime.now(UTC))
        authority = SiteAuthority(Root(self.root, key), training=True)
        self.signer = SidecarSigner(own, [authority.provenance_signer(own.public_key()).certificate, self.root])


SITE, STRANGER = Signing(), Signing()


class Log:
    """Three segments: two burns, and what followed for the first of them."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:")
        self.connection.executescript(TABLES)
        self.bodies: list[bytes] = []
        before: str | None = None
        for number, burn_id in enumerate(("burn_a", "burn_b", "burn_a")):
            follows = Earlier(0, digest(self.bodies[0])) if number == 2 else None
            body = segment(number, burn_id, before, follows)
            self.bodies.append(body)
            before = digest(body)
            self.leaf(LEAVES[number], {"burn_id": burn_id, "segment": number, "sha256": before})
            manifest = SITE.signer.sign(body, "s", "org.arc.revocation", assertion_of(number, burn_id, body))
            row = (number, burn_id, LEAVES[number], body, before, manifest)
            self.connection.execute("INSERT INTO burn_segment VALUES (?, ?, ?, ?, ?, ?)", row)
        self.connection.commit()

    def leaf(self, seq: int, detail: object, action: int = 1) -> None:
        """A leaf of this action with this detail."""
        payload = msgspec.json.encode({"detail": detail})
        self.connection.execute("INSERT OR REPLACE INTO audit_entry VALUES (?, ?, ?)", (seq, action, payload))

    def rewrite(self, number: int, body: bytes) -> None:
        """A segment with other bytes, vouched for by its row and leaf."""
        burn_id = ("burn_a", "burn_b", "burn_a")[number]
        self.leaf(LEAVES[number], {"burn_id": burn_id, "segment": number, "sha256": digest(body)})
        self.run(
            "UPDATE burn_segment SET body = ?, sha256 = ?, manifest = NULL WHERE number = ?", body, digest(body), number
        )

    def run(self, sql: str, *values: object) -> None:
        """One statement."""
        self.connection.execute(sql, values)

    def told(self, roots: Sequence[Signing] = (SITE,)) -> list[tuple[str, int | None]]:
        """What the check finds, and at which leaf."""

        def nodes() -> NoReturn:
            raise AssertionError("segments are of no tree")

        found = list(check_segments([one.root for one in roots], self.connection, CheckedLog(0, nodes)))
        assert {one.where for one in found} <= {"burn_segment"}
        return [(one.what, one.seq) for one in found]


def digest(body: bytes) -> str:
    """As segments name each other."""
    return sha256(body).hexdigest()


def segment(number: int, burn_id: str, before: str | None, follows: Earlier | None) -> bytes:
    """A segment without targets. The first of a site names 64 zeros as the one before it."""
    head = SegmentHead(
        log="site.invalid/audit",
        segment=number,
        prev_sha256=before or "0" * 64,
        follows=follows,
        burn_id=burn_id,
        node_id="ARC-1",
        scope="GLOBAL_REVOCATION",
        reason="lost",
        epoch=1,
        burned_at="2026-01-01T00:00:00.000000Z",
        made_at="2026-01-01T00:00:00.000000Z",
        state="COMPLETE",
        targets=0,
        open=0,
        delivered=0,
        unlinked=0,
        drill=False,
        training=True,
    )
    return write_segment(head, [])


@pytest.fixture(scope="module")
def whole() -> Log:
    """A good one, to be copied."""
    return Log()


@pytest.fixture
def log(whole: Log) -> Iterator[Log]:
    """A copy of the good one."""
    made = copy(whole)
    made.connection = sqlite3.connect(":memory:")
    whole.connection.backup(made.connection)
    yield made
    made.connection.close()


def test_a_good_log_has_no_fault(log: Log) -> None:
    """With its manifests judged, and without roots too."""
    assert (log.told(), log.told([]), log.told([STRANGER, SITE])) == ([], [], [])


def test_a_segment_that_is_missing_ends_the_check(log: Log) -> None:
    """What follows hangs on it; the first one may be it."""
    log.run("DELETE FROM burn_segment WHERE number = 1")
    assert log.told() == [("segment 1 is missing", 33)]
    log.run("DELETE FROM burn_segment WHERE number = 0")
    assert log.told() == [("segment 0 is missing", 33)]


def test_the_last_segment_is_missed_by_its_leaf(log: Log) -> None:
    """Nothing else knows of it."""
    log.run("DELETE FROM burn_segment WHERE number = 2")
    assert log.told() == [("a leaf is of a segment that is not there", 33)]


def test_changed_bytes_are_told(log: Log) -> None:
    """By the row's digest and by the manifest."""
    log.run("UPDATE burn_segment SET body = ? WHERE number = 1", log.bodies[1].replace(b"lost", b"Lost"))
    assert [what for what, _ in log.told([])] == ["segment 1 was changed"]
    assert len(log.told()) == 2


@pytest.mark.parametrize(
    "change", ["DELETE FROM audit_entry WHERE seq = 22", "UPDATE audit_entry SET action = 2 WHERE seq = 22"]
)
def test_a_segment_without_its_leaf_is_told(log: Log, change: str) -> None:
    """None there, or a leaf of something else."""
    log.run(change)
    assert log.told() == [("segment 1 has no leaf", 22)]


@pytest.mark.parametrize(
    "detail",
    [
        {"burn_id": "burn_x", "segment": 1},
        {"burn_id": "burn_b", "segment": 7},
        {"burn_id": "burn_b", "segment": 1, "sha256": "0" * 64},
        {"burn_id": "burn_b", "segment": 1, "more": 1},
        None,
    ],
)
def test_a_leaf_of_another_segment_is_told(log: Log, detail: dict[str, object] | None) -> None:
    """Burn, number and digest, and nothing else."""
    log.leaf(22, None if detail is None else {"sha256": digest(log.bodies[1]), **detail})
    assert log.told() == [("segment 1 is not the one that its leaf says", 22)]


@pytest.mark.parametrize(("payload", "told"), [(None, 0), (b"\xff", 1), (b"[]", 1), (b"{}", 1)])
def test_an_erased_leaf_says_nothing_and_a_broken_one_something_else(
    log: Log, payload: bytes | None, told: int
) -> None:
    """After an erasure the chain alone holds the segment."""
    log.run("UPDATE audit_entry SET payload = ? WHERE seq = 22", payload)
    assert log.told() == [("segment 1 is not the one that its leaf says", 22)][:told]


def test_what_is_no_segment_is_told(log: Log) -> None:
    """In the words of its reader; the chain goes on behind it."""
    log.rewrite(2, b"{}\n")
    assert log.told() == [("segment 2: It is no segment of a revocation log.", 33)]


@pytest.mark.parametrize(
    ("number", "burn_id", "before"), [(3, "burn_a", None), (2, "burn_b", None), (2, "burn_a", "0" * 64)]
)
def test_a_segment_that_leaves_the_chain_is_told(log: Log, number: int, burn_id: str, before: str | None) -> None:
    """Its own number, its burn, and the one before it."""
    follows = Earlier(0, digest(log.bodies[0]))
    log.rewrite(2, segment(number, burn_id, before or digest(log.bodies[1]), follows))
    assert log.told() == [("segment 2 does not continue the chain", 33)]


@pytest.mark.parametrize("follows", [None, (1, "b"), (0, "0" * 64), (1, "a")])
def test_a_segment_that_follows_another_is_told(log: Log, follows: tuple[int, str] | None) -> None:
    """The burn's own segment before: its number and its digest."""
    names = {"a": digest(log.bodies[0]), "b": digest(log.bodies[1])}
    said = None if follows is None else Earlier(follows[0], names.get(follows[1], follows[1]))
    log.rewrite(2, segment(2, "burn_a", digest(log.bodies[1]), said))
    assert log.told() == [("segment 2 does not follow its burn's segment before", 33)]


def test_the_first_segment_of_a_burn_follows_none(log: Log) -> None:
    """Not even another burn's."""
    body = segment(1, "burn_b", digest(log.bodies[0]), Earlier(0, digest(log.bodies[0])))
    log.rewrite(1, body)
    assert ("segment 1 does not follow its burn's segment before", 22) in log.told()


def test_a_manifest_is_the_sites_own(log: Log) -> None:
    """A stranger's signature counts for nothing; where no roots are given none is judged."""
    assert [seq for _, seq in log.told([STRANGER])] == [11, 22, 33]
    assert all(what.startswith(f"segment {number}: ") for number, (what, _) in enumerate(log.told([STRANGER])))
    log.run("UPDATE burn_segment SET manifest = NULL")
    assert log.told([STRANGER]) == []


def test_a_manifest_of_another_segment_is_told(log: Log) -> None:
    """Signed by the site over these bytes, and yet it states another number."""
    manifest = SITE.signer.sign(log.bodies[1], "s", "org.arc.revocation", assertion_of(7, "burn_b", log.bodies[1]))
    log.run("UPDATE burn_segment SET manifest = ? WHERE number = 1", manifest)
    assert log.told() == [("the manifest of segment 1 is of another segment", 22)]


def test_a_leaf_of_another_action_needs_no_segment(log: Log) -> None:
    """Only sealed segments have one."""
    log.leaf(44, {}, action=2)
    assert log.told() == []
    log.leaf(55, {})
    assert log.told() == [("a leaf is of a segment that is not there", 55)]


# --- the reserve ---


def record(burn_id: str, node_id: str = "ARC-1", scope: Scope = "GLOBAL_REVOCATION") -> bytes:
    """A burn as the reserve keeps it."""
    made = BurnRecord(
        burn_id=burn_id,
        node_id=node_id,
        scope=scope,
        reason="lost",
        actor="key-test",
        request_id=None,
        received_us=1,
        local_deny_us=1.0,
        epoch=1,
        known=None,
        drill=False,
    )
    return msgspec.msgpack.encode(made)


def told_of_reserve(kept: list[KeptRecord] | Exception, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], list[str]]:
    """Faults and notes of a reserve beside one stored burn."""

    def read(path: Path, sealer: object) -> list[KeptRecord]:
        if isinstance(kept, Exception):
            raise kept
        return kept

    connection, notes = sqlite3.connect(":memory:"), list[str]()
    connection.execute("CREATE TABLE burn (burn_id TEXT, node_id TEXT, scope TEXT)")
    connection.execute("INSERT INTO burn VALUES ('burn_a', 'ARC-1', 'GLOBAL_REVOCATION')")
    monkeypatch.setattr(fsck, "read_records", read)
    sealer: Any = None
    found = list(check_reserve(Path("/x/reserve"), sealer, connection, notes))
    connection.close()
    assert {(one.where, one.seq) for one in found} <= {("reserve", None)}
    return [one.what for one in found], notes


def test_what_waits_in_the_reserve_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted; a burn that is stored already is none, and without any nothing is said."""
    assert told_of_reserve([], monkeypatch) == ([], [])
    assert told_of_reserve([KeptRecord(0, record("burn_a"))], monkeypatch) == ([], [])
    waiting = [KeptRecord(at, record(name)) for at, name in enumerate(("burn_a", "burn_b", "burn_c"))]
    note = "Burns that wait in reserve and are stored by the next start with room: 2."
    assert told_of_reserve(waiting, monkeypatch) == ([], [note])


@pytest.mark.parametrize(
    "body",
    [record("burn_a", "ARC-2"), record("burn_a", scope="LOCAL_ONLY"), record("burn_a", "ARC-2", "LOCAL_ONLY")],
)
def test_a_record_of_another_burn_is_a_fault(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its id is taken; node and scope are both compared."""
    told = "record 3 is not the burn that is stored as burn_a"
    assert told_of_reserve([KeptRecord(3, body)], monkeypatch) == ([told], [])


def test_a_record_that_cannot_be_read_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is looked at; a file that does not open is one fault."""
    faults, notes = told_of_reserve([KeptRecord(1, b"no"), KeptRecord(2, record("burn_b"))], monkeypatch)
    assert [fault.startswith("record 1 cannot be read: ") for fault in faults] == [True]
    assert len(notes) == 1
    for error in (OSError("No space."), SealBroken("The seal is broken.")):
        assert told_of_reserve(error, monkeypatch) == ([str(error)], [])
