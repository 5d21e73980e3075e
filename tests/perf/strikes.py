"""Strikes: the signature against pyHanko as it comes, a call against its own rendering and signing, a forged token
against one look-up of SQLite.

``python -m tests.perf.strikes`` prints the rows. CPU of one thread, or of the whole process for the call.
"""

from __future__ import annotations

import asyncio
import io
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from asn1crypto import cms, keys
from asn1crypto import x509 as asn1_x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.sign.fields import SigSeedSubFilter
from pyhanko.sign.signers import PdfSignatureMetadata, PdfSigner, SimpleSigner
from pyhanko.sign.timestamps import TimeStamper
from pyhanko_certvalidator.registry import SimpleCertificateStore

from app.api.problems import Problem
from app.capabilities.enforcement.declaration import Sheet, render_pdf
from app.capabilities.enforcement.documents import make_documents, plan_notices
from app.capabilities.enforcement.notice import render_text
from app.capabilities.enforcement.recipients import NoticeRecipient
from app.capabilities.enforcement.tracking import TrackingTokens
from tests.perf.report import Row, run
from tests.perf.seals import Asn1Stamps
from tests.service.capabilities.enforcement.strike_site import WHOLE, strike_site
from tests.unit.capabilities.enforcement.notice_facts import TOKEN, TestAuthority, facts

SIGNATURES, CALLS, TOKENS = 60, 40, 2_000
PEER_TARGET, CALL_RATIO, CALL_P95_MS = 1.2, 1.3, 400.0


class PeerStamps(TimeStamper):
    """A time-stamp authority of asn1crypto's objects."""

    def __init__(self, stamps: Asn1Stamps) -> None:
        super().__init__(include_nonce=False)
        self._stamps = stamps

    async def async_timestamp(self, message_digest: bytes, md_algorithm: str) -> cms.ContentInfo:
        """The token over the digest."""
        return cms.ContentInfo.load(self._stamps.stamp(message_digest, datetime.now(UTC)))


def signature() -> Row:
    """CPU of a PAdES B-T signature over one and the same declaration."""
    site = TestAuthority()
    lines = render_text(facts("EU"), "declaration", "en", recipients=["Training video"], tracking=TOKEN)
    pdf = render_pdf(lines, Sheet("A declaration", site.now, ["foot"]))[0]
    private = site.key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    certificate = site.certificate.public_bytes(Encoding.DER)
    stamp_key = ec.generate_private_key(ec.SECP256R1())
    stamper = site.authority.stamp_signer(stamp_key.public_key()).certificate

    def ours() -> bytes:
        return site.signer.sign_pdf(pdf, datetime.now(UTC))

    def peer() -> bytes:
        # Read anew each time, as a script does: objects of asn1crypto that are used again grow with each use.
        own, pem = asn1_x509.Certificate.load(certificate), keys.PrivateKeyInfo.load(private)
        store = SimpleCertificateStore()
        signer = SimpleSigner(signing_cert=own, signing_key=pem, cert_registry=store, embed_roots=False)
        meta = PdfSignatureMetadata(
            field_name="Declaration", md_algorithm="sha256", subfilter=SigSeedSubFilter.PADES, certify=True
        )
        stamps = PeerStamps(Asn1Stamps(stamper, stamp_key, "2.25.7"))
        out = PdfSigner(meta, signer, timestamper=stamps).sign_pdf(IncrementalPdfFileWriter(io.BytesIO(pdf)))
        return bytes(out.getvalue())

    spent: dict[Callable[[], bytes], list[float]] = {ours: [], peer: []}
    for call in spent:
        call()
    for _ in range(SIGNATURES):
        for call, times in spent.items():
            began = time.thread_time()
            call()
            times.append(time.thread_time() - began)
    mine, theirs = (statistics.median(times) * 1e3 for times in spent.values())
    good = theirs / mine >= PEER_TARGET and mine <= 30
    return Row(
        "PAdES B-T signature, CPU", "ms", mine, theirs, theirs / mine, ">= 1.2, <= 30 ms", "pyHanko as it comes", good
    )


def strike_call() -> list[Row]:
    """A whole strike with one platform, from the call to its answer, against its rendering and signing alone."""
    with tempfile.TemporaryDirectory() as scratch, strike_site(Path(scratch) / "site") as site:
        site.platform()
        recipient = NoticeRecipient("video", "Training video", "form", "https://video.example/report", (), ())
        whole = facts("EU")
        signer = site.strikes._signer

        def render() -> None:
            at = whole.__class__(**{**vars(whole), "at_us": time.time_ns() // 1_000})
            make_documents(at, plan_notices([recipient]), token=TOKEN, revision=1, signer=signer)

        async def work() -> tuple[list[float], list[float]]:
            calls, alone = [], []
            for number in range(-2, CALLS):
                began = time.perf_counter()
                await site.issue("EU", platforms=["video"], target_compromise_signature=f"call {number}", **WHOLE)
                calls.append(time.perf_counter() - began)
                began = time.perf_counter()
                await asyncio.to_thread(render)
                alone.append(time.perf_counter() - began)
            return calls[2:], alone[2:]

        calls, alone = asyncio.run(work())
    mine, theirs = statistics.median(calls) * 1e3, statistics.median(alone) * 1e3
    p95 = sorted(calls)[int(CALLS * 0.95)] * 1e3
    return [
        Row(
            "strike, one platform, call to answer (median)",
            "ms",
            mine,
            theirs,
            mine / theirs,
            "<= 1.3",
            "render and sign alone",
            mine / theirs <= CALL_RATIO,
        ),
        Row(
            "strike, one platform, call to answer (p95)",
            "ms",
            p95,
            CALL_P95_MS,
            None,
            "<= 400 ms",
            "",
            p95 <= CALL_P95_MS,
        ),
    ]


def forged_token() -> Row:
    """CPU of a token that is refused by its MAC, against one indexed look-up."""
    tokens = TrackingTokens([bytes(range(32))])
    good = tokens.token(bytes(12))
    forged = good[:-1] + ("0" if good[-1] != "0" else "1")
    scratch = tempfile.TemporaryDirectory()
    # As the store has it: a file in WAL mode.
    connection = sqlite3.connect(Path(scratch.name) / "store.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE strike (strike_id TEXT PRIMARY KEY, track BLOB NOT NULL UNIQUE) STRICT")
    rows = [(f"str_{number}", number.to_bytes(12)) for number in range(10_000)]
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO strike VALUES (?, ?)", rows)
    connection.execute("COMMIT")

    def refuse() -> None:
        if tokens.read(forged) is not None:
            raise Problem("internal_error", "a forged token was taken")

    def look_up() -> None:
        connection.execute("SELECT strike_id FROM strike WHERE track = ?", (bytes(12),)).fetchone()

    spent: dict[Callable[[], None], list[float]] = {refuse: [], look_up: []}
    for _ in range(9):
        for call, times in spent.items():
            began = time.thread_time()
            for _ in range(TOKENS):
                call()
            times.append((time.thread_time() - began) / TOKENS)
    connection.close()
    scratch.cleanup()
    mine, theirs = (statistics.median(times) * 1e6 for times in spent.values())
    return Row(
        "forged tracking token, CPU", "us", mine, theirs, mine / theirs, "<= 1", "one look-up of SQLite", mine <= theirs
    )


ROWS = (signature, strike_call, forged_token)

if __name__ == "__main__":
    run(ROWS)
