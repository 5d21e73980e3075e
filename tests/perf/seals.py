"""Seals a second with their proofs, time stamps and inclusion proofs, each against its peer in the same run.

At the service's level: the store, the rounds and three real witness processes over HTTP, but clients are tasks of this
process; one row beside it tells of whole knot seals through HTTP. On a shared disk a rate says little: fsyncs a seal
and CPU a seal stand beside it, and no ratio to the disk's own rate is told where that moved by more than a quarter.
``python -m tests.perf.seals`` prints the rows.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import re
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from asn1crypto import algos, cms, core, tsp
from asn1crypto import x509 as asn1_x509
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from pymerkle import SqliteTree

from app.delivery.alarms import AlarmBook
from app.delivery.events import EventBus
from app.ledger.cosigned import Cosigned, LeafProof, make_proof
from app.ledger.log.append import AuditLog, Ledger, SealLog
from app.ledger.tree.leaf import leaf_hash
from app.ledger.witnesses.start_check import StoreStanding
from app.pki.site_certificates import open_authority, stamp_authority
from app.service import assembly
from app.site.settings import RateSettings
from app.site.site import Site
from app.store.engine import Store
from app.store.keys import Keys, find_kek
from app.store.writer import Sealed, Transaction
from tests.perf.disk import fsyncs, steady
from tests.perf.report import Row, run
from tests.served_site import ServedSite
from tests.service.capabilities.provenance.seal_site import body

CLIENTS = 64
SLICES = 5
SLICE_S = 2.0
WARM_S = 1.0
READY_S = 60.0
LEAVES = 100_000
PROOFS = 40
STAMPS = 200
KNOT_PATH = "/v1/citadel/provenance/knot-seal"
KNOT_NODE = "ARC-T0041"
PAYLOAD = {
    "node_id": "ARC-00017",
    "consent": {
        "purpose": ["identity check at the door"],
        "controller": "TRAINING site",
        "scope": ["card"],
        "given_at": "2026-01-01T00:00:00Z",
    },
    "evidence": [],
    "live_check": None,
    "training": True,
}


class CountedLedger(Ledger):
    """Counts the writer's commits: each is one fdatasync."""

    commits = 0

    def publish(self) -> None:
        """One more."""
        self.commits += 1
        super().publish()


@dataclass(frozen=True)
class Load:
    """Medians over the slices of a load. ``audit_rounds``, ``cpu_s`` and ``witness_cpu_s``: rounds of the audit log
    meanwhile, CPU of this process and of all witnesses, each a seal; ``disk``: raw rates between the slices."""

    rate: float
    p50_s: float
    seals_a_commit: float
    audit_rounds: float
    cpu_s: float
    witness_cpu_s: float
    disk: list[float]

    @property
    def raw(self) -> float:
        """R: fdatasyncs a second."""
        return statistics.median(self.disk)


class SealDesk:
    """A fresh site that seals as the service does, with its own time stamps and its three local witnesses."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.site = Site.open(directory / "site", "training")
        self.keys = Keys(self.site.keys_path, find_kek(self.site))
        self.ledger = CountedLedger(
            AuditLog(self.site.origin("audit"), self.keys.ed25519("audit")),
            SealLog(self.site.origin("seal"), self.keys.ed25519("seal")),
        )
        self.store = Store.open(self.site.store_path, self.ledger, sealer=self.keys.sealer)
        authority, _ = open_authority(self.site, self.store, self.keys)
        stamps = stamp_authority(self.site, self.store, self.keys, authority)
        alarms = AlarmBook(self.store, EventBus())
        self.witnessing = assembly._witnessing(self.site, self.ledger, self.store, alarms, stamps)

    @contextlib.asynccontextmanager
    async def witnessed(self) -> AsyncIterator[None]:
        """The witnesses run and have confirmed both logs."""
        await self.witnessing.start()
        self.witnessing.begin()
        try:
            async with asyncio.timeout(READY_S):
                while self.witnessing.standing is not StoreStanding.CONFIRMED:  # noqa: ASYNC110 - nobody is told of it
                    await asyncio.sleep(0.1)
            yield
        finally:
            await self.witnessing.stop()

    async def append(self) -> Sealed:
        """One leaf of the seal log and one of the audit log, as a knot seal has; after the fsync."""

        def job(tx: Transaction) -> Sealed:
            sealed = tx.seal("provenance.seal", actor="kid_01", standing="UNVERIFIED", payload=PAYLOAD)
            tx.audit("provenance.seal", actor="kid_01", node_id="ARC-00017", detail={"log_index": sealed.seq})
            return sealed

        return await self.store.writer.run(job, seal=True)

    async def seal(self) -> None:
        """A leaf and its proof under the witnesses' quorum."""
        sealed = await self.append()
        if await self.witnessing.seal.prove(sealed.seq) is None:
            raise RuntimeError("no quorum in time")

    async def seal_alone(self) -> None:
        """A leaf and its proof under the log's own signature."""
        sealed = await self.append()
        await asyncio.to_thread(self._own_proof, sealed.seq)

    def _own_proof(self, seq: int) -> LeafProof:
        head = self.ledger.seal.snapshot()
        with self.store.read() as connection:
            return make_proof(self.ledger.seal.nodes(connection, head), seq, Cosigned(head.size, head.note, 0, None))

    def close(self) -> None:
        """Give every file back."""
        self.store.close()
        self.keys.close()


async def _load(desk: SealDesk, call: Callable[[], Awaitable[None]], clients: int) -> Load:
    """Clients that each wait for their answer before the next call; the disk's rate between the slices."""
    await _slice(call, clients, WARM_S)
    rates, waits, commits, count, cpu, witness_cpu = [], [], 0, 0, 0.0, 0.0
    disk = [fsyncs(desk.directory / "raw")]
    for _ in range(SLICES):
        before = desk.ledger.commits, time.process_time(), _children_cpu()
        began = time.perf_counter()
        found = await _slice(call, clients, SLICE_S)
        rates.append(len(found) / (time.perf_counter() - began))
        waits += found
        count += len(found)
        commits += desk.ledger.commits - before[0]
        cpu += time.process_time() - before[1]
        witness_cpu += _children_cpu() - before[2]
        disk.append(fsyncs(desk.directory / "raw"))
    return Load(
        rate=statistics.median(rates),
        p50_s=statistics.median(waits),
        seals_a_commit=count / commits,
        audit_rounds=SLICES * SLICE_S / assembly.AUDIT_ROUND_S / count,
        cpu_s=cpu / count,
        witness_cpu_s=witness_cpu / count,
        disk=disk,
    )


async def _slice(call: Callable[[], Awaitable[None]], clients: int, seconds: float) -> list[float]:
    """How long each call took."""
    waits: list[float] = []
    end = time.perf_counter() + seconds

    async def client() -> None:
        while (began := time.perf_counter()) < end:
            await call()
            waits.append(time.perf_counter() - began)

    await asyncio.gather(*[client() for _ in range(clients)])
    return waits


def _children_cpu() -> float:
    """CPU seconds of this process's children, the witnesses."""
    own = os.getpid()
    children = Path(f"/proc/{own}/task/{own}/children").read_text().split()
    return sum(_cpu_of(int(child)) for child in children)


def _cpu_of(pid: int) -> float:
    """CPU seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def seals_a_second() -> list[Row]:
    """64 clients and 1 client, with three witnesses; 1 client without."""
    with tempfile.TemporaryDirectory() as scratch:
        desk = SealDesk(Path(scratch))

        async def main() -> tuple[Load, Load, Load]:
            alone = await _load(desk, desk.seal_alone, 1)
            async with desk.witnessed():
                return await _load(desk, desk.seal, CLIENTS), await _load(desk, desk.seal, 1), alone

        many, one, alone = asyncio.run(main())
        desk.close()
    least = min(5 * many.raw, 2_000.0)
    own = 1 / one.seals_a_commit - one.audit_rounds
    spent = f"CPU a seal, {CLIENTS} clients (three witnesses beside it: {many.witness_cpu_s * 1e3:.2f} ms)"
    return [
        Row(
            f"seals a commit, {CLIENTS} clients, 3 witnesses",
            "",
            many.seals_a_commit,
            1.0,
            many.seals_a_commit,
            ">= 20",
            "fdatasyncs of the store, counted",
            many.seals_a_commit >= 20,
        ),
        _against_disk(f"seals, {CLIENTS} clients, 3 witnesses", many, least, "min(5 R, 2000/s)", 1.0),
        Row(spent, "ms", many.cpu_s * 1e3, many.rate, None, "told beside it", "seals a second"),
        _against_disk("seals, 1 client, 3 witnesses", one, 1 / (3 / one.raw + 0.006), "1/(3/R + 6 ms)", 0.8),
        Row(
            "commits a seal, 1 client, 3 witnesses",
            "",
            own,
            2.0,
            own,
            "<= 2",
            "fdatasyncs, without the audit log's one a second",
            round(own, 2) <= 2,
        ),
        _against_disk("seals, 1 client, no witness", alone, 1 / (1 / alone.raw + 0.0008), "1/(1/R + 0.8 ms)", 0.8),
    ]


def seals_over_http() -> Row:
    """Whole knot seals by 64 connections: registry, consent, leaf, quorum, and a reply of 36 KB with its proof."""
    with tempfile.TemporaryDirectory() as scratch:
        served = ServedSite(Path(scratch) / "site")
        settings = Site.open(served.data_dir, "training").data_dir / "site.json"
        file = json.loads(settings.read_text())
        # All connections share a key.
        file["settings"]["rates"] = dict.fromkeys(RateSettings.__struct_fields__, 1_000_000)
        settings.write_text(json.dumps(file))
        with served.running():
            content = json.dumps(msgspec.to_builtins(body(KNOT_NODE))).encode()
            headers = {"Content-Type": "application/json"}
            served.wait(lambda: served.client.post(KNOT_PATH, content=content, headers=headers).status_code == 200)
            rate, cpu = asyncio.run(_http_load(served, content))
    name = f"knot seals over HTTP, {CLIENTS} connections"
    return Row(name, "/s", rate, 1 / cpu, None, "told beside it", "what the service's CPU would let through")


async def _http_load(served: ServedSite, content: bytes) -> tuple[float, float]:
    """Seals a second, CPU seconds of the service a seal."""
    url = served.client.base_url
    head = (
        f"POST {KNOT_PATH} HTTP/1.1\r\nHost: {url.host}:{url.port}\r\n"
        f"Authorization: {served.client.headers['Authorization']}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    ).encode()
    links = [await asyncio.open_connection(url.host, url.port, limit=1 << 20) for _ in range(CLIENTS)]
    free = asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]]()
    for link in links:
        free.put_nowait(link)

    async def call() -> None:
        reader, writer = await free.get()
        writer.write(head + content)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = int(re.search(rb"content-length: (\d+)", answer.lower())[1])  # type: ignore[index]
        await reader.readexactly(length)
        if not answer.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(answer[:200].decode())
        free.put_nowait((reader, writer))

    await _slice(call, CLIENTS, WARM_S)
    before, began = _cpu_of(served.pid), time.perf_counter()
    count = len(await _slice(call, CLIENTS, 2 * SLICE_S))
    took, used = time.perf_counter() - began, _cpu_of(served.pid) - before
    for _, writer in links:
        writer.close()
    return count / took, used / count


def _against_disk(name: str, load: Load, bound: float, words: str, goal: float) -> Row:
    ratio = load.rate / bound if steady(load.disk) else None
    slowest, fastest = min(load.disk), max(load.disk)
    return Row(
        f"{name}, p50 {load.p50_s * 1e3:.1f} ms",
        "/s",
        load.rate,
        bound,
        ratio,
        f">= {goal}",
        f"{words}; R {slowest:.0f} to {fastest:.0f}/s",
        None if ratio is None else ratio >= goal,
    )


def time_stamp() -> Row:
    """CPU of a token, against the same token built from asn1crypto's objects."""
    with tempfile.TemporaryDirectory() as scratch:
        desk = SealDesk(Path(scratch))
        authority, _ = open_authority(desk.site, desk.store, desk.keys)
        ours = stamp_authority(desk.site, desk.store, desk.keys, authority)
        key = desk.keys.p256("tsa")
        text = desk.ledger.seal.checkpoint().encode()
        desk.close()
    now = datetime.now(UTC)
    peer = Asn1Stamps(ours.certificate, key, "2.25.1")
    if len(peer.token(text, now)) < 700 or abs(len(peer.token(text, now)) - len(ours.token(text, now))) > 64:
        raise RuntimeError("the peer's token is another one")
    mine, theirs = [], []
    for _ in range(STAMPS):
        mine.append(_cpu(lambda: ours.token(text, now)))
        theirs.append(_cpu(lambda: peer.token(text, now)))
    a, b = statistics.median(mine) * 1e6, statistics.median(theirs) * 1e6
    return Row("time stamp, CPU", "us", a, b, b / a, ">= 20", "the same token by asn1crypto", b / a >= 20)


class Asn1Stamps:
    """The peer: a TimeStampToken from asn1crypto's classes, as its manual has it; the certificate is parsed once."""

    def __init__(self, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey, policy: str) -> None:
        self._der = certificate.public_bytes(Encoding.DER)
        self._certificate = asn1_x509.Certificate.load(self._der)
        self._key = key
        self._policy = policy

    def token(self, data: bytes, at: datetime) -> bytes:
        """As ``StampAuthority.token``."""
        return self.stamp(hashlib.sha256(data).digest(), at)

    def stamp(self, digest: bytes, at: datetime) -> bytes:
        """As ``StampAuthority.stamp``."""
        sha256 = {"algorithm": "sha256"}
        info = tsp.TSTInfo(
            {
                "version": "v1",
                "policy": self._policy,
                "message_imprint": {"hash_algorithm": sha256, "hashed_message": digest},
                "serial_number": int.from_bytes(os.urandom(16)),
                "gen_time": at,
                "accuracy": {"seconds": 1},
            }
        )
        issuer = asn1_x509.GeneralName({"directory_name": self._certificate.issuer})
        essential = tsp.ESSCertIDv2(
            {
                "cert_hash": hashlib.sha256(self._der).digest(),
                "issuer_serial": {"issuer": [issuer], "serial_number": self._certificate.serial_number},
            }
        )
        attributes = cms.CMSAttributes(
            [
                cms.CMSAttribute({"type": "content_type", "values": ["tst_info"]}),
                cms.CMSAttribute({"type": "message_digest", "values": [hashlib.sha256(info.dump()).digest()]}),
                cms.CMSAttribute(
                    {
                        "type": "signing_certificate_v2",
                        "values": [tsp.SigningCertificateV2({"certs": [essential]})],
                    }
                ),
            ]
        )
        signer = cms.SignerInfo(
            {
                "version": "v1",
                "sid": cms.IssuerAndSerialNumber(
                    {"issuer": self._certificate.issuer, "serial_number": self._certificate.serial_number}
                ),
                "digest_algorithm": algos.DigestAlgorithm(sha256),
                "signed_attrs": attributes,
                "signature_algorithm": algos.SignedDigestAlgorithm({"algorithm": "sha256_ecdsa"}),
                "signature": self._key.sign(attributes.dump(), ec.ECDSA(hashes.SHA256())),
            }
        )
        signed = cms.SignedData(
            {
                "version": "v3",
                "digest_algorithms": [algos.DigestAlgorithm(sha256)],
                "encap_content_info": {"content_type": "tst_info", "content": core.ParsableOctetString(info.dump())},
                "certificates": [self._certificate],
                "signer_infos": [signer],
            }
        )
        return cms.ContentInfo({"content_type": "signed_data", "content": signed}).dump()


def inclusion_proof() -> list[Row]:
    """CPU of one proof in a log of 100,000 leaves, nothing kept from one to the next, against pymerkle's SqliteTree."""
    with tempfile.TemporaryDirectory() as scratch:
        desk = SealDesk(Path(scratch))

        def job(tx: Transaction) -> None:
            for number in range(LEAVES // 10):
                tx.seal("provenance.seal", actor="kid_01", standing="UNVERIFIED", payload={"number": number})

        for _ in range(10):
            desk.store.writer.submit(job).result(600.0)
        log = desk.ledger.seal
        with desk.store.read() as connection:
            headers = log.headers(connection, 0, LEAVES)
        opened = Path(scratch) / "pymerkle.db"
        with SqliteTree(str(opened)) as tree:
            with tree.con:
                rows = [(header, leaf_hash(header)) for header in headers]
                tree.con.executemany("INSERT INTO leaf (entry, hash) VALUES (?, ?)", rows)
            if tree.get_root() != log.head()[1]:
                raise RuntimeError("the peer's tree is another one")
        mine, first, next_ones = [], [], []
        places = [number * LEAVES // PROOFS + 7 for number in range(PROOFS)]
        with desk.store.read() as connection, SqliteTree(str(opened)) as kept:
            kept.prove_inclusion(1)
            for place in places:
                mine.append(_cpu(lambda place=place: log.inclusion_proof(connection, place)))
                next_ones.append(_cpu(lambda place=place: kept.prove_inclusion(place + 1)))
        for place in places[:4]:
            with SqliteTree(str(opened)) as fresh:
                first.append(_cpu(lambda place=place, fresh=fresh: fresh.prove_inclusion(place + 1)))
        desk.close()
    a, b, c = (statistics.median(times) * 1e3 for times in (mine, first, next_ones))
    return [
        Row(f"inclusion proof of {LEAVES:,}, CPU", "ms", a, b, b / a, ">= 100", "pymerkle SqliteTree", b / a >= 100),
        Row("the same, its subtrees kept in memory", "ms", a, c, c / a, "told beside it", "the same SqliteTree, warm"),
    ]


def _cpu(call: Callable[[], object]) -> float:
    began = time.thread_time()
    call()
    return time.thread_time() - began


ROWS = (seals_a_second, seals_over_http, time_stamp, inclusion_proof)

if __name__ == "__main__":
    run(ROWS)
