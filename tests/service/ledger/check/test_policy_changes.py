"""A policy that changes: every checkpoint is judged by the policy of its time, and no edited file makes one good."""

import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from app.ledger.c2sp.note import parse_note
from app.ledger.c2sp.policy import WitnessPolicy
from app.ledger.check.fsck import fsck
from app.ledger.check.rows import LogFault
from app.ledger.tables import AUDIT, SEAL
from app.ledger.tree.leaf import Payload
from app.ledger.witnesses.recorded_quorum import (
    RECORDED,
    QuorumDetail,
    RecordedQuorum,
    RecordedQuorums,
    deciding_text,
    record_quorum,
)
from app.store.engine import driver
from tests.service.ledger.check.checked_site import CheckedSite


@pytest.fixture
def site(tmp_path: Path) -> Iterator[CheckedSite]:
    """Two of three witnesses are its quorum."""
    made = CheckedSite(tmp_path)
    yield made
    made.close()


def demanding(policy: WitnessPolicy, threshold: int) -> WitnessPolicy:
    """The same with another number of witnesses."""
    groups = tuple(replace(one, threshold=threshold) if one.name == policy.quorum else one for one in policy.groups)
    return replace(policy, groups=groups)


def grow(site: CheckedSite) -> None:
    """New leaves in both logs, cosigned by two witnesses; the third came late."""
    site.audit(2)
    site.seal(2)
    site.cosign(site.site.ledger.seal)
    site.cosign(site.site.ledger.audit)


def record(site: CheckedSite, policy: WitnessPolicy) -> None:
    """As the service does at its start."""
    site.run(lambda tx: record_quorum(tx, policy))


def found(site: CheckedSite, policy: WitnessPolicy) -> list[LogFault]:
    """The findings under this file."""
    return list(fsck(site.store_path, replace(site.against(), policy=policy)))


def stated(site: CheckedSite) -> list[QuorumDetail]:
    """What the leaves of policies say."""
    with site.site.store.read() as connection:
        rows = driver(connection).execute(
            "SELECT payload FROM audit_entry WHERE action = (SELECT id FROM log_word WHERE text = ?) ORDER BY seq",
            (RECORDED,),
        )
        return [msgspec.convert(msgspec.json.decode(row[0], type=Payload).detail, QuorumDetail) for row in rows]


def cosigned(site: CheckedSite) -> dict[int, int]:
    """The newest cosigned size of each log."""
    with site.site.store.read() as connection:
        rows = driver(connection).execute("SELECT log, max(size) FROM log_cosigned GROUP BY log").fetchall()
    return dict(rows)


def cut_a_witness(site: CheckedSite, log: int, size: int) -> None:
    """An attacker with the disk takes the second witness's lines out of a frozen note."""
    weak = demanding(site.policy, 1)
    with sqlite3.connect(site.store_path) as raw:
        (packed,) = raw.execute("SELECT note FROM log_cosigned WHERE log = ? AND size = ?", (log, size)).fetchone()
        kept = [line for line in zlib.decompress(packed).decode().splitlines(keepends=True) if " w1." not in line]
        quorum_at = weak.check(parse_note("".join(kept).encode()))
        raw.execute(
            "UPDATE log_cosigned SET note = ?, quorum_at = ? WHERE log = ? AND size = ?",
            (zlib.compress("".join(kept).encode()), quorum_at, log, size),
        )
    raw.close()


def test_a_raised_quorum_leaves_older_checkpoints_good(site: CheckedSite) -> None:
    """They met the policy that a leaf states of their time; those of afterwards must meet the new one."""
    record(site, site.policy)
    grow(site)
    raised = demanding(site.policy, 3)
    record(site, raised)
    assert found(site, raised) == []
    last = {SEAL: site.site.ledger.seal.snapshot().size, AUDIT: site.site.ledger.audit.snapshot().size}
    grow(site)
    late = found(site, raised)
    assert {fault.where for fault in late} == {"log_cosigned"}
    assert len(late) == 2
    assert all("policy of its time" in fault.what for fault in late)
    assert all(fault.seq is not None and fault.seq > min(last.values()) for fault in late)


def test_checkpoints_of_before_the_first_leaf_are_judged_by_it(site: CheckedSite) -> None:
    """A site of an earlier version: its first start states the policy that it has."""
    grow(site)
    first = cosigned(site)
    record(site, site.policy)
    grow(site)
    second = cosigned(site)
    raised = demanding(site.policy, 3)
    record(site, raised)
    assert found(site, raised) == []
    assert [(one.seal, one.audit) for one in stated(site)] == [(one[SEAL], one[AUDIT]) for one in (first, second)]
    assert first[SEAL] < second[SEAL]


def test_a_policy_file_that_no_leaf_states_is_a_finding(site: CheckedSite) -> None:
    """An edit of the file is told until the service states it, weaker or stronger."""
    record(site, site.policy)
    grow(site)
    for other in (demanding(site.policy, 1), demanding(site.policy, 3)):
        (fault,) = found(site, other)
        assert (fault.where, fault.seq) == ("policy", 0)
        assert "start the service" in fault.what
        assert "restore the file" in fault.what


@pytest.mark.parametrize("restarted", [False, True])
def test_a_weaker_policy_makes_no_older_checkpoint_good(site: CheckedSite, restarted: bool) -> None:
    """A checkpoint without its quorum stays a finding under an edited file, even after the service has stated it."""
    record(site, site.policy)
    grow(site)
    weak = demanding(site.policy, 1)
    if restarted:
        record(site, weak)
    sizes = cosigned(site)
    for log, size in sizes.items():
        cut_a_witness(site, log, size)
    faults = [fault for fault in found(site, weak) if fault.where == "log_cosigned"]
    assert sorted(fault.seq or 0 for fault in faults if "policy of its time" in fault.what) == sorted(sizes.values())


def test_the_same_policy_is_stated_once(site: CheckedSite) -> None:
    """Each start asks; a change of addresses, of the logs' lines or of comments is none of what decides."""
    record(site, site.policy)
    record(site, site.policy)
    moved = tuple(replace(row, url="http://elsewhere.invalid") for row in site.policy.witnesses)
    record(site, replace(site.policy, logs=(), witnesses=moved))
    assert len(stated(site)) == 1
    record(site, demanding(site.policy, 3))
    record(site, site.policy)
    assert len(stated(site)) == 3
    assert stated(site)[0].policy == deciding_text(site.policy).decode()
    assert stated(site)[0].sha256 == stated(site)[2].sha256


def test_a_policy_too_long_for_a_leaf_is_named_by_its_digest(site: CheckedSite) -> None:
    """Its checkpoints are judged by the file, and the file must still be the one."""
    long = site.policy
    names = tuple(replace(one, name=one.name * 20_000) for one in long.groups if one.name == long.quorum)
    long = replace(
        long, groups=(*[one for one in long.groups if one.name != long.quorum], *names), quorum=names[0].name
    )
    record(site, long)
    grow(site)
    assert stated(site)[0].policy is None
    assert found(site, long) == []
    assert [fault.where for fault in found(site, site.policy)] == ["policy"]


def test_a_leaf_that_states_no_policy_is_a_finding(site: CheckedSite) -> None:
    """Another digest, no policy, or sizes that fall: each is told, and the check goes on."""
    text = deciding_text(site.policy).decode()
    good = QuorumDetail(audit=9, policy=text, seal=9, sha256="0" * 64)
    for detail in (good, replace_text(good, "quorum nobody\n"), {"policy": 7}):
        site.run(lambda tx, detail=detail: tx.audit(RECORDED, actor="service", detail=msgspec.to_builtins(detail)))
        (fault,) = [one for one in found(site, site.policy) if one.where == "policy"]
        assert "the leaf 0 of a policy states" in fault.what


def replace_text(detail: QuorumDetail, text: str) -> QuorumDetail:
    """The detail with another policy."""
    return msgspec.structs.replace(detail, policy=text)


@pytest.mark.parametrize("fallen", ["seal", "audit"])
def test_leaves_out_of_order_are_a_finding(site: CheckedSite, fallen: str) -> None:
    """The sizes of neither log fall from leaf to leaf."""
    record(site, site.policy)
    first = msgspec.structs.replace(stated(site)[0], seal=5, audit=5)
    for detail in (first, first, msgspec.structs.replace(first, **{fallen: 4})):
        assert not [one for one in found(site, site.policy) if one.where == "policy"]
        site.run(lambda tx, detail=detail: tx.audit(RECORDED, actor="service", detail=msgspec.to_builtins(detail)))
    (fault,) = [one for one in found(site, site.policy) if one.where == "policy"]
    assert "the leaf 3 of a policy is out of order" in fault.what


@pytest.mark.parametrize(
    ("log", "size", "expected"),
    [(SEAL, 1, None), (SEAL, 3, None), (SEAL, 4, 10), (SEAL, 7, 10), (SEAL, 8, 30), (AUDIT, 5, None), (AUDIT, 6, 30)],
)
def test_each_checkpoint_has_one_policy(log: int, size: int, expected: int | None) -> None:
    """That of the last leaf before it was cosigned; of two leaves with nothing between them the later."""
    leaves = [(10, 3, 5), (20, 7, 5), (30, 7, 5)]
    quorums = RecordedQuorums(
        [RecordedQuorum(seq, "", None, {SEAL: seal, AUDIT: audit}) for seq, seal, audit in leaves]
    )
    found_leaf = quorums.at(log, size)
    assert (None if found_leaf is None else found_leaf.seq) == expected
