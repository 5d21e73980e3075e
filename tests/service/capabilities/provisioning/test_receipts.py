"""Receipts as somebody outside checks them: an independent JOSE library, openssl, the rows they speak of."""

import asyncio
import base64
import csv
import hashlib
import io
import json
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from joserfc import jws
from joserfc.errors import BadSignatureError
from joserfc.jwk import OKPKey

from app.api.problems import Problem
from app.api.wire import unix_us
from app.capabilities.provisioning.messages import Provision, Receipt, ReceiptListQuery
from app.capabilities.provisioning.paper.receipts import COLUMNS
from hardware.cards.software import SoftwareCard
from tests.service.capabilities.provisioning.card_desk import READER, SECOND, CardTable, Desk, GatedCard

Written = tuple[Desk, Provision, Receipt]


def bytes_of(text: str) -> bytes:
    """Base64url without padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def chain_of(receipt: Receipt) -> list[x509.Certificate]:
    """The certificates in ``x5c``."""
    header = json.loads(bytes_of(receipt.protected))
    return [x509.load_der_x509_certificate(base64.b64decode(one)) for one in header["x5c"]]


def verified(receipt: Receipt) -> dict[str, Any]:
    """The payload, verified by joserfc with the key of the first certificate."""
    key = OKPKey.import_key(chain_of(receipt)[0].public_key())
    value = {"payload": receipt.payload, "protected": receipt.protected, "signature": receipt.signature}
    with warnings.catch_warnings():
        # RFC 9864 gave EdDSA a newer name; verifiers in the field know the old one.
        warnings.simplefilter("ignore")
        registry = jws.JWSRegistry(algorithms=["EdDSA"])
        registry.max_header_length = 16_384  # two certificates
        found = jws.deserialize_json(value, key, registry=registry)
    payload: dict[str, Any] = json.loads(found.payload)
    return payload


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """A finished card and its receipt."""
    site = Desk(tmp_path_factory.mktemp("receipt") / "site")

    async def main() -> tuple[Provision, Receipt]:
        node = site.node()
        async with site.running({READER: SoftwareCard(serial=7)}) as table:
            reply = await table.done(node, "7")
            return reply, table.service.receipts.get(reply.provision_id)

    reply, receipt = asyncio.run(main())
    yield site, reply, receipt
    site.close()


def test_an_independent_library_accepts_the_signature(written: Written) -> None:
    """joserfc verifies the flattened JWS; the payload says what the reply says."""
    _, reply, receipt = written
    said = verified(receipt)
    assert said["provision"]["provision_id"] == reply.provision_id
    assert said["provision"]["slots"] == [
        {name: getattr(slot, name) for name in slot.__struct_fields__} for slot in reply.slots
    ]
    assert said["provision"]["timestamp"] == reply.timestamp
    assert (said["training"], said["kind"], said["approver"]) == (True, "provision", None)


def test_one_changed_byte_is_refused(written: Written) -> None:
    """The signature covers the payload."""
    _, _, receipt = written
    other = bytes_of(receipt.payload).replace(b'"COMPLETE"', b'"COMPLETF"')
    payload = base64.urlsafe_b64encode(other).rstrip(b"=").decode()
    with pytest.raises(BadSignatureError):
        verified(Receipt(payload=payload, protected=receipt.protected, signature=receipt.signature))


def test_openssl_accepts_the_chain(written: Written, tmp_path: Path) -> None:
    """The signer's certificate leads to the site's root, which is the one that cards lead to."""
    site, _, receipt = written
    signer, root = chain_of(receipt)
    assert root == site.authority.root.certificate
    (tmp_path / "signer.pem").write_bytes(signer.public_bytes(Encoding.PEM))
    (tmp_path / "root.pem").write_bytes(site.authority.root_pem())
    ran = subprocess.run(
        ["openssl", "verify", "-x509_strict", "-CAfile", "root.pem", "signer.pem"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


def test_the_receipt_names_its_leaf_and_its_journal(written: Written) -> None:
    """The audit index is that of the completion; the journal's digest is reckoned from the rows by its definition."""
    site, reply, receipt = written
    said = verified(receipt)
    with site.store.read() as connection:
        action = connection.exec_driver_sql(
            "SELECT w.text FROM audit_entry e JOIN log_word w ON w.id = e.action WHERE e.seq = ?",
            (said["audit"]["index"],),
        ).scalar_one()
    assert (action, said["audit"]["log"]) == ("provisioning.complete", site.site.origin("audit"))
    lines = [
        f"{step.attempt} {step.n} {step.step} {'-' if step.digest is None else step.digest.hex()} {step.sw:04X} "
        f"{step.at_us}\n"
        for step in site.steps(reply.provision_id)
    ]
    assert said["journal_sha256"] == hashlib.sha256("".join(lines).encode()).hexdigest()


def test_the_receipt_names_no_person_and_no_secret(written: Written) -> None:
    """The node stands for its holder; PIN and keys stand nowhere."""
    _, reply, receipt = written
    text = bytes_of(receipt.payload).decode()
    assert (reply.display_name or "?") not in text
    assert "pin" not in text.lower().replace("training", "")


def test_the_csv_has_the_card_and_the_receipts_digest(written: Written) -> None:
    """A line a card, between two times, with the digest of what GET gives."""
    site, reply, receipt = written
    service = site.provisioning()
    rows = list(csv.reader(io.StringIO(service.receipts.table(ReceiptListQuery()).decode())))
    assert rows[0] == list(COLUMNS)
    line = dict(zip(COLUMNS, rows[1], strict=True))
    assert (line["node_id"], line["card_guid"], line["finished_at"]) == (
        reply.node_id,
        reply.card_guid,
        reply.timestamp,
    )
    assert line["certificate_9E"] == reply.slots[3].certificate_sha256
    exact = {"payload": receipt.payload, "protected": receipt.protected, "signature": receipt.signature}
    text = json.dumps(exact, separators=(",", ":"))
    assert line["receipt_sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert unix_us(reply.timestamp)
    none = service.receipts.table(ReceiptListQuery(to=reply.timestamp)).decode().splitlines()
    assert len(none) == 1


def test_an_unfinished_card_has_no_receipt(written: Written) -> None:
    """409 until it is finished; the reply names no receipt before."""
    site, _, _ = written

    async def main() -> None:
        node = site.node()
        gated = GatedCard(SoftwareCard(serial=8))
        async with site.running({SECOND: gated}) as table:
            gated.arm(20)
            problem = await pulled(table, gated, node)
            record = table.service.records.get(str(problem.extra["provision_id"]))
            assert record.receipt_url is None
            with pytest.raises(Problem) as refused:
                table.service.receipts.get(record.provision_id)
            assert refused.value.code == "state_conflict"

    asyncio.run(main())


async def pulled(table: CardTable, gated: GatedCard, node: str) -> Problem:
    """The problem of a call whose card is pulled out at its gate."""
    call = asyncio.create_task(table.refused(node, "8"))
    await table.reached(gated)
    table.backend.remove(SECOND)
    gated.open.set()
    return await call
