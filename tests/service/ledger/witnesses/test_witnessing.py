"""A service's witnesses from the first second to the last: real processes, real rounds, real ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sqlite3
import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

from app.ledger.c2sp.cosignature import Cosigner
from app.ledger.c2sp.note import Signer, checkpoint_text
from app.ledger.c2sp.policy import WitnessPolicy
from app.ledger.c2sp.proof import parse_proof, verify_proof
from app.ledger.log.append import AuditLog, Ledger, SealLog
from app.ledger.log.keys import LogRing
from app.ledger.log.log import ReadRing
from app.ledger.stamps.timestamp import StampError
from app.ledger.tree.tree import node_hash, root_at
from app.ledger.witnesses import witnessing
from app.ledger.witnesses.client import WitnessClient, WitnessFault
from app.ledger.witnesses.local import LocalWitness
from app.ledger.witnesses.recorded_quorum import read_quorums, record_quorum
from app.ledger.witnesses.rounds import CLOCK_S, Rounds
from app.ledger.witnesses.start_check import StoreStanding
from app.ledger.witnesses.witnessing import (
    CHECK_ALARM,
    CLOCK_ALARM,
    FAULT_ALARM,
    POLICY_ALARM,
    STAMP_ALARM,
    STORE_ALARM,
    Alarms,
    Witnessing,
)
from app.store.engine import Store
from app.store.errors import StoreUnavailable
from app.store.sealed import FieldSealer
from app.store.writer import Sealed, Transaction
from tests.service.capabilities.infrastructure.watch_site import until
from tests.unit.ledger.witnesses.growing_log import GrowingLog

DOMAIN = "training-0123456789abcdef.site.invalid"
ORIGIN = f"{DOMAIN}/seal"
PATIENCE_S = 60.0


class NoKeys:
    """These logs seal no fields."""

    def data_key(self, purpose: str, kid: int | None = None) -> tuple[int, bytes]:
        raise KeyError(purpose)


def _fixed_ring(origin: str, ed25519: bytes, mldsa44: bytes) -> ReadRing:
    ring = LogRing.alone(
        origin, Ed25519PrivateKey.from_private_bytes(ed25519 * 32), MLDSA44PrivateKey.from_seed_bytes(mldsa44 * 32)
    )
    return lambda _connection: ring


class Service:
    """Store, logs and their witnesses, as a service joins them. Reopening it finds what was there."""

    def __init__(self, path: Path) -> None:
        self.ledger = Ledger(
            AuditLog(f"{DOMAIN}/audit", _fixed_ring(f"{DOMAIN}/audit", b"\x07", b"\x0a")),
            SealLog(ORIGIN, _fixed_ring(ORIGIN, b"\x08", b"\x09")),
        )
        self.store = Store.open(path / "store.db", self.ledger, sealer=FieldSealer(NoKeys()))
        self.facts: dict[tuple[str, str], str] = {}
        self.witnessing = Witnessing(
            path,
            self.store,
            self.ledger,
            Rounds(self.ledger.seal, self.store),
            Rounds(self.ledger.audit, self.store, interval_s=0.1),
            alarm=self._alarm,
            begin_s=0.05,
            watch_s=0.1,
        )

    async def _alarm(self, facts: Alarms) -> None:
        self.facts = dict(facts)

    async def seal(self, n: int) -> Sealed:
        """One leaf."""

        def job(tx: Transaction) -> Sealed:
            tx.audit("seal.issued", actor="key_1")
            return tx.seal("seal.issued", actor="key_1", standing="UNVERIFIED", payload={"n": n})

        return await self.store.writer.run(job, seal=True)

    async def sealed(self, n: int) -> None:
        """One leaf whose proof holds under the site's own policy."""
        sealed = await self.seal(n)
        proof = await self.witnessing.seal.prove(sealed.seq, timeout_s=PATIENCE_S)
        assert proof is not None
        assert self.witnessing.policy is not None
        verify_proof(parse_proof(proof.data), sealed.leaf_hash, self.witnessing.policy)


def run(path: Path, work: Callable[[Service], Awaitable[None]]) -> None:
    """``work`` beside a service's witnesses; both end well."""

    async def main() -> None:
        service = Service(path)
        await service.witnessing.start()
        service.witnessing.begin()
        try:
            await work(service)
        finally:
            await service.witnessing.stop()
            service.store.close()

    asyncio.run(main())


def children() -> set[int]:
    """Processes of ours that are witnesses."""
    found = set()
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            stat = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(stat[1]) == os.getpid() and b"witness" in (entry / "cmdline").read_bytes():
                found.add(int(entry.name))
    return found


def test_a_fresh_site_seals_with_its_own_witnesses(tmp_path: Path) -> None:
    """Policy, keys and rounds come into being by themselves, both logs are cosigned, and no process is left over."""

    async def work(service: Service) -> None:
        await service.sealed(1)
        await asyncio.to_thread(until, lambda: service.witnessing.lags() == {"seal": 0, "audit": 0})
        # The second leaf of the audit log states the policy.
        assert service.witnessing.sizes() == {"seal": 1, "audit": 2}
        assert service.witnessing.standing is StoreStanding.CONFIRMED
        await asyncio.to_thread(until, lambda: set(service.witnessing.up().values()) == {1.0})
        views = service.witnessing.witnesses()
        assert [view.name for view in views] == [f"{DOMAIN}/w{number}" for number in (1, 2, 3)]
        assert all(view.local and view.fault is None for view in views)
        assert len(children()) == 3
        assert service.witnessing.trouble() is None
        assert service.facts == {}

    run(tmp_path, work)
    assert children() == set()


def test_the_policy_is_stated_before_anything_is_cosigned_under_it(tmp_path: Path) -> None:
    """A leaf tells it once, whatever the number of starts; another quorum is told at the next start, with what was
    cosigned before."""
    for threshold in (2, 2, 3):
        path = tmp_path / "policy"
        if path.exists():
            path.write_text(path.read_text().replace("group witnesses 2 ", f"group witnesses {threshold} "))

        async def work(service: Service) -> None:
            await service.sealed(1)

        run(tmp_path, work)
    with contextlib.closing(sqlite3.connect(tmp_path / "store.db")) as store:
        first, second = read_quorums(store).all
        cosigned = [size for (size,) in store.execute("SELECT size FROM log_cosigned WHERE log = 0 ORDER BY size")]
    assert first.policy is not None
    assert second.policy is not None
    assert [one.policy and one.policy.groups[-1].threshold for one in (first, second)] == [2, 3]
    assert (first.after[0], second.after[0]) == (0, cosigned[-2])


def test_a_full_disk_delays_the_statement_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the policy cannot be stated nothing is cosigned; then it is."""
    tries: list[int] = []

    def full(tx: Transaction, policy: WitnessPolicy) -> None:
        tries.append(1)
        if len(tries) < 3:
            raise StoreUnavailable("The disk is full.")
        record_quorum(tx, policy)

    monkeypatch.setattr(witnessing, "record_quorum", full)
    run(tmp_path, lambda service: service.sealed(1))
    with contextlib.closing(sqlite3.connect(tmp_path / "store.db")) as store:
        (only,) = read_quorums(store).all
        assert only.after[0] == 0
    assert len(tries) == 3


def test_a_service_that_ends_at_once_starts_no_witness(tmp_path: Path) -> None:
    """Nothing is paid for what nobody needed."""

    async def main() -> None:
        service = Service(tmp_path)
        await service.witnessing.start()
        service.witnessing.begin()
        await service.witnessing.stop()
        service.store.close()

    asyncio.run(main())
    assert not (tmp_path / "witnesses").exists()


def test_a_restart_goes_on(tmp_path: Path) -> None:
    """The same policy to the byte, the same keys; the witnesses' heads confirm the store."""

    async def first(service: Service) -> None:
        await service.sealed(1)

    run(tmp_path, first)
    policy = (tmp_path / "policy").read_bytes()

    async def second(service: Service) -> None:
        await service.sealed(2)
        assert service.witnessing.sizes()["seal"] == 2

    run(tmp_path, second)
    assert (tmp_path / "policy").read_bytes() == policy


def test_a_witness_that_dies_is_started_again(tmp_path: Path) -> None:
    """The quorum of the others holds meanwhile; it comes back under another port and cosigns again."""

    async def work(service: Service) -> None:
        await service.sealed(1)
        before = children()
        victim = min(before)
        os.kill(victim, signal.SIGKILL)
        await service.sealed(2)
        await asyncio.to_thread(until, lambda: len(children()) == 3 and victim not in children())

        async def all_have_it() -> bool:
            await service.sealed(3)
            return all(view.sizes["seal"] >= 3 and view.fault is None for view in service.witnessing.witnesses())

        async with asyncio.timeout(PATIENCE_S):
            while not await all_have_it():
                continue

    run(tmp_path, work)


@pytest.mark.parametrize("lost", ["witness-keys.json", pytest.param(".", marks=pytest.mark.campaign)])
def test_a_witness_that_lost_its_keys_is_an_alarm(tmp_path: Path, lost: str) -> None:
    """Two of three suffice; the third one's fault is told for as long as it lasts. One that begins anew has other keys
    and remembers nothing: it is not taken for the old one."""

    async def first(service: Service) -> None:
        await service.sealed(1)

    run(tmp_path, first)
    place = tmp_path / "witnesses" / "w2" / lost
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    name = f"{DOMAIN}/w2"

    async def second(service: Service) -> None:
        await service.sealed(2)
        await asyncio.to_thread(until, lambda: (FAULT_ALARM, name) in service.facts)
        view = next(view for view in service.witnessing.witnesses() if view.name == name)
        assert view.fault is WitnessFault.UNREACHABLE
        assert service.witnessing.up()[name] == 0.0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.ledger.witnesses.witnessing.FIRST_READY_S", 1.0)
        run(tmp_path, second)


def test_seals_wait_while_a_quorum_is_silent(tmp_path: Path) -> None:
    """Without two witnesses the store is not confirmed: appends go on, no checkpoint is made, and it is told."""

    async def first(service: Service) -> None:
        await service.sealed(1)

    run(tmp_path, first)
    for number in (1, 2):
        (tmp_path / "witnesses" / f"w{number}" / "witness-keys.json").rename(tmp_path / f"keys-{number}")

    async def second(service: Service) -> None:
        sealed = await service.seal(2)
        await asyncio.to_thread(until, lambda: (CHECK_ALARM, "store") in service.facts)
        assert await service.witnessing.seal.prove(sealed.seq, timeout_s=0.1) is None
        assert service.witnessing.standing is StoreStanding.UNCONFIRMED
        assert service.witnessing.trouble() is None
        for number in (1, 2):
            (tmp_path / f"keys-{number}").rename(tmp_path / "witnesses" / f"w{number}" / "witness-keys.json")
        proof = await service.witnessing.seal.prove(sealed.seq, timeout_s=PATIENCE_S)
        assert proof is not None
        await asyncio.to_thread(until, lambda: service.facts == {})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.ledger.witnesses.witnessing.LONGEST_CHECK_S", 1.0)
        patch.setattr("app.ledger.witnesses.witnessing.FIRST_READY_S", 1.0)
        run(tmp_path, second)


def test_an_old_copy_of_the_store_writes_burns_alone(tmp_path: Path) -> None:
    """Both heads are told, the service is not ready, what is urgent is written and nothing else."""

    async def first(service: Service) -> None:
        await service.sealed(1)
        with contextlib.closing(sqlite3.connect(tmp_path / "store.db")) as file:
            file.execute("VACUUM INTO ?", (str(tmp_path / "old.db"),))
        await service.sealed(2)

    run(tmp_path, first)
    for name in ("store.db-wal", "store.db-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    shutil.move(tmp_path / "old.db", tmp_path / "store.db")

    async def second(service: Service) -> None:
        await asyncio.to_thread(until, lambda: (STORE_ALARM, "seal") in service.facts)
        assert service.witnessing.standing is StoreStanding.ROLLED_BACK
        told = service.witnessing.trouble()
        assert told is not None
        assert "2 entries" in told
        assert "1 entries" in told
        with pytest.raises(StoreUnavailable, match="old copy"):
            await service.seal(3)
        assert await service.store.writer.run(lambda tx: tx.audit("burn.begun", actor="key_1"), urgent=True) == 2
        assert service.witnessing.seal.confirmed is False

    run(tmp_path, second)


def test_a_copy_that_runs_elsewhere_is_found_out(tmp_path: Path) -> None:
    """Somebody with the log's key lets the witnesses cosign another tree: with that as the proof this store stops."""

    async def work(service: Service) -> None:
        await service.sealed(1)
        elsewhere = Signer(ORIGIN, Ed25519PrivateKey.from_private_bytes(b"\x08" * 32))
        other = root_at(GrowingLog().node, 1)
        head = service.ledger.seal.snapshot()
        note = elsewhere.sign(checkpoint_text(ORIGIN, 2, node_hash(head.root, other)))
        async with httpx.AsyncClient(trust_env=False) as http:
            for view in service.witnessing.witnesses():
                await WitnessClient(view.name, view.url, http).add_checkpoint(1, [other], note, size=2)
        sealed = await service.seal(2)
        assert await service.witnessing.seal.prove(sealed.seq, timeout_s=0.1) is None
        await asyncio.to_thread(until, lambda: (STORE_ALARM, "seal") in service.facts)
        assert service.witnessing.standing is StoreStanding.FORKED
        with pytest.raises(StoreUnavailable, match="forked"):
            await service.seal(3)

    run(tmp_path, work)


def test_a_clock_far_off_is_an_alarm(tmp_path: Path) -> None:
    """Whose of the two is wrong, a person must see; a seal is complete where its time stamp may be so far off."""

    async def work(service: Service) -> None:
        service.witnessing.seal._clock = lambda: time.time() + 120.0
        await service.sealed(1)
        await asyncio.to_thread(until, lambda: len([key for key in service.facts if key[0] == CLOCK_ALARM]) >= 2)

    run(tmp_path, work)


def test_only_a_witness_elsewhere_vouches_for_the_time(tmp_path: Path) -> None:
    """The local ones run by this machine's clock. One whose clock differs from it vouches for nothing."""
    vouched: list[int] = []

    async def work(service: Service) -> None:
        witnessing = service.witnessing
        witnessing._vouch = vouched.append
        await service.sealed(1)
        await asyncio.to_thread(until, lambda: all(state.good_at for state in witnessing.audit.witnesses))
        witnessing._vouch_for_time()
        assert vouched == []
        witnessing._local.clear()
        witnessing._vouch_for_time()
        assert vouched
        assert all(abs(at_us / 1e6 - time.time()) < 60 for at_us in vouched)
        for _, rounds in witnessing._rounds():
            for state in rounds.witnesses:
                state.skew_s = CLOCK_S + 1
        vouched.clear()
        witnessing._vouch_for_time()
        assert vouched == []

    run(tmp_path, work)


def test_checkpoints_without_a_stamp_are_an_alarm(tmp_path: Path) -> None:
    """Nothing is sealed meanwhile, and a person must set what is wrong."""

    def stamp(_text: bytes, _at: datetime) -> bytes:
        raise StampError("this machine's clock says 1970")

    async def work(service: Service) -> None:
        service.witnessing.seal._stamp = stamp
        await service.seal(1)
        await asyncio.to_thread(until, lambda: (STAMP_ALARM, "seal") in service.facts)
        assert "says 1970. Set the clock" in service.facts[(STAMP_ALARM, "seal")]
        service.witnessing.seal._stamp = None
        await service.sealed(2)
        await asyncio.to_thread(until, lambda: (STAMP_ALARM, "seal") not in service.facts)

    run(tmp_path, work)


def test_a_policy_that_was_lost_is_not_made_anew(tmp_path: Path) -> None:
    """A new one might ask for less than what the site's seals were proven under."""
    run(tmp_path, lambda service: service.sealed(1))
    (tmp_path / "policy").unlink()

    async def work(service: Service) -> None:
        await asyncio.to_thread(until, lambda: (POLICY_ALARM, "policy") in service.facts)
        assert "is gone" in str(service.witnessing.trouble())

    run(tmp_path, work)
    assert not (tmp_path / "policy").exists()


def with_strangers(text: str) -> str:
    """The policy with one more witness, without a URL, that everything depends on."""
    key = Cosigner("far.invalid/w", Ed25519PrivateKey.from_private_bytes(b"\x0c" * 32)).key
    return text.replace("quorum witnesses\n", f"witness far {key.vkey}\ngroup all all witnesses far\nquorum all\n")


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda text: "quorum none\n", "proves nothing"),
        (lambda text: text.replace(f"{DOMAIN}/w", f"{DOMAIN}/v"), "Line "),
        (with_strangers, "far.invalid/w cannot be asked"),
        (lambda text: text.replace(" 2 w1 w2 w3", " 2 w1-ed25519 w1-mldsa44 w2").replace("group w1", "#"), "w1 twice"),
    ],
)
def test_a_policy_that_cannot_be_used_is_told(tmp_path: Path, edit: Callable[[str], str], said: str) -> None:
    """The service goes on without seals: a typing error must not keep anybody from burning."""
    run(tmp_path, lambda service: service.sealed(1))
    edited = edit((tmp_path / "policy").read_text())
    (tmp_path / "policy").write_text(edited)

    async def work(service: Service) -> None:
        sealed = await service.seal(2)
        await asyncio.to_thread(until, lambda: (POLICY_ALARM, "policy") in service.facts)
        told = service.witnessing.trouble()
        assert told is not None
        assert said in told
        assert str(tmp_path / "policy") in told
        assert await service.witnessing.seal.prove(sealed.seq, timeout_s=0.1) is None
        assert children() == set()

    run(tmp_path, work)
    assert (tmp_path / "policy").read_text() == edited


def test_an_outside_witness_is_asked_alike(tmp_path: Path) -> None:
    """An operator demands it beside two local ones; the third local one is named by nobody and does not run."""

    async def first(service: Service) -> None:
        await service.sealed(1)

    run(tmp_path, first)
    text = (tmp_path / "policy").read_text()
    logs = [line.split()[1] for line in text.splitlines() if line.startswith("log ")]

    async def work(service: Service) -> None:
        await service.sealed(2)
        views = {view.name: view for view in service.witnessing.witnesses()}
        assert {name: view.local for name, view in views.items()} == {
            f"{DOMAIN}/w1": True,
            f"{DOMAIN}/w2": True,
            "outside.invalid/w": False,
        }
        assert views["outside.invalid/w"].sizes["seal"] == 2

    async def main() -> None:
        outside = LocalWitness("outside.invalid/w", tmp_path / "outside", logs)
        outside.start()
        await asyncio.wait_for(outside.ready.wait(), PATIENCE_S)
        rows = [row for row in text.splitlines() if not row.split()[1].startswith(("w3", "witnesses"))]
        rows += [f"witness far{n} {key.vkey} {outside.url}" for n, key in enumerate(outside.keys)]
        rows += ["group w3 any far0 far1", "group witnesses all w1 w2 w3", "quorum witnesses"]
        (tmp_path / "policy").write_text("\n".join(rows) + "\n")
        service = Service(tmp_path)
        await service.witnessing.start()
        service.witnessing.begin()
        try:
            await work(service)
        finally:
            await service.witnessing.stop()
            service.store.close()
            await outside.stop()

    asyncio.run(main())
