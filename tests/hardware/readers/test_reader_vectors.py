"""The vectors of `hardware/readers/README.md`: by the product, and straight from the tables of that page."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import struct
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hardware.readers import delta as delta_module
from hardware.readers.decision import Credential
from hardware.readers.delta import Delta, DeltaOperation
from hardware.readers.listblob import AccessList, ListTrust, digest

ROOT = Path(__file__).parents[3]
VECTORS = ROOT / "tests" / "vectors"
DELTAS: list[dict[str, Any]] = json.loads((VECTORS / "reader-delta-1.json").read_text(encoding="utf-8"))
LIST: dict[str, Any] = json.loads((VECTORS / "reader-list-1.json").read_text(encoding="utf-8"))
SIGNER = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(LIST["signing_seed"]))
TRUST = ListTrust(bytes.fromhex(LIST["cluster_key"]), bytes.fromhex(LIST["public_key"]))


@pytest.mark.parametrize("vector", DELTAS, ids=lambda vector: vector["operation"])
def test_a_delta_comes_out(vector: dict[str, Any]) -> None:
    """Version, operation, epoch and digest, in the bytes of the table."""
    made = Delta(DeltaOperation[vector["operation"]], vector["epoch"], bytes.fromhex(vector["digest"]))
    assert made.encode().hex() == vector["data"]
    assert Delta.decode(bytes.fromhex(vector["data"])) == made
    number = {"DENY": 1, "SYNC": 2, "TRUST": 3, "LIST": 4}[vector["operation"]]
    assert struct.pack(">BBQ", 1, number, vector["epoch"]).hex() + vector["digest"] == vector["data"]


def test_the_vendor_code_is_that_of_the_page() -> None:
    """On the wire the bytes 02 41 52."""
    assert delta_module.VENDOR_CODE.to_bytes(3, "little") == b"\x02AR"


def test_the_trust_and_the_question_carry_what_the_page_says() -> None:
    """Cluster key and public key; the start of the blob's SHA-256."""
    by_name = {vector["operation"]: vector for vector in DELTAS}
    assert by_name["TRUST"]["digest"] == LIST["cluster_key"] + LIST["public_key"] == TRUST.delta().digest.hex()
    assert by_name["LIST"]["digest"] == LIST["digest"]
    assert by_name["DENY"]["digest"] == LIST["admitted"][0]["name"]


def test_the_list_comes_out() -> None:
    """Names, order, signature: the whole blob by the product."""
    admitted = [
        (Credential(one["format"], one["bits"], bytes.fromhex(one["value"])), one["until"]) for one in LIST["admitted"]
    ]
    assert [TRUST.name(credential).hex() for credential, _ in admitted] == [one["name"] for one in LIST["admitted"]]
    made = AccessList.build(TRUST, LIST["epoch"], LIST["issued"], LIST["not_after"], admitted)
    blob = made.encode(SIGNER.sign)
    assert (blob.hex(), digest(blob).hex()) == (LIST["blob"], LIST["digest"])
    assert AccessList.decode(blob, TRUST.public_key) == made


def test_the_list_is_laid_out_as_the_page_says() -> None:
    """The blob once more, by `struct`, `hmac` and `hashlib` alone."""
    key = bytes.fromhex(LIST["cluster_key"])

    def name(one: dict[str, Any]) -> bytes:
        text = one["format"].encode() + b"|" + struct.pack(">H", one["bits"]) + bytes.fromhex(one["value"])
        return hmac.new(key, text, hashlib.sha256).digest()[:16]

    cluster = hmac.new(key, b"cluster", hashlib.sha256).digest()[:16]
    assert cluster.hex() == LIST["cluster_hash"]
    entries = sorted((name(one), one["until"]) for one in LIST["admitted"])
    body = b"ARCS\x01" + cluster + struct.pack(">QQQI", LIST["epoch"], LIST["issued"], LIST["not_after"], len(entries))
    body += b"".join(each + struct.pack(">IHH", until, 0, 0) for each, until in entries)
    blob = body + SIGNER.sign(body)
    assert blob.hex() == LIST["blob"]
    assert hashlib.sha256(blob).hexdigest()[:32] == LIST["digest"]


def test_the_page_shows_the_vectors() -> None:
    """Every long hexadecimal number of the page is part of a vector."""
    vectors = "".join(path.read_text(encoding="utf-8") for path in sorted(VECTORS.glob("reader-*.json")))
    shown = re.findall(r"[0-9a-f]{16,}", (ROOT / "hardware" / "readers" / "README.md").read_text(encoding="utf-8"))
    assert len(shown) > 5
    assert [number for number in shown if number not in vectors] == []


def test_the_page_shows_the_whole_list() -> None:
    """Its lines, without their blanks, are the blob."""
    page = (ROOT / "hardware" / "readers" / "README.md").read_text(encoding="utf-8")
    assert LIST["blob"] in re.sub(r"\s", "", page)
