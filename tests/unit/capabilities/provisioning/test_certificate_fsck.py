"""What the check of card certificates and revocation lists says, leaf by leaf, and at which leaf."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from app.capabilities.provisioning.card_revocation import REVOKE_CARD
from app.capabilities.provisioning.fsck import check_certificates
from app.capabilities.provisioning.grants import REVOKE
from app.capabilities.provisioning.write.finish import COMPLETE, TORN
from app.capabilities.provisioning.write.order import REFUSE
from app.capabilities.provisioning.write.reissue import RELEASE
from app.ledger.check.fsck import CheckedLog
from app.ledger.tree.leaf import canonical
from app.pki.crl import SIGNED

BEGINS, ENDS = datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)
NOTHING = CheckedLog(0, lambda: pytest.fail("the tree is not needed"))
Told = tuple[str, str, int | None]
Leaf = tuple[str, object]


def named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def certificate(key: ec.EllipticCurvePrivateKey, serial: int) -> x509.Certificate:
    builder = x509.CertificateBuilder().subject_name(named("x")).issuer_name(named("x")).public_key(key.public_key())
    builder = builder.serial_number(serial).not_valid_before(BEGINS).not_valid_after(ENDS)
    return builder.sign(key, hashes.SHA256())


def list_of(key: ec.EllipticCurvePrivateKey, name: str) -> bytes:
    builder = x509.CertificateRevocationListBuilder().issuer_name(named(name)).last_update(BEGINS).next_update(ENDS)
    return builder.sign(key, hashes.SHA256()).public_bytes(Encoding.DER)


OWN, OTHER = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
ROOT, STRANGE = certificate(OWN, 7), certificate(OTHER, 8)
CARDS: Final = [certificate(OWN, serial).public_bytes(Encoding.DER) for serial in (0x1A, 0x2B)]
A, B = (sha256(der).hexdigest() for der in CARDS)
"""Two certificates of the card that order ``p1`` wrote."""


@pytest.fixture
def raw() -> Iterator[sqlite3.Connection]:
    """Two valid certificates of one order, no leaf and no list."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        made.executescript(
            "CREATE TABLE audit_entry (seq INTEGER PRIMARY KEY, action INTEGER, payload BLOB); "
            "CREATE TABLE log_word (id INTEGER PRIMARY KEY, text TEXT UNIQUE); "
            "CREATE TABLE card_certificate (sha256 TEXT, provision_id TEXT, certificate BLOB, serial TEXT, "
            "revoked_us INTEGER); CREATE TABLE revocation_list (number INTEGER, this_us INTEGER, next_us INTEGER, "
            "entries INTEGER, sha256 TEXT, crl BLOB)"
        )
        for digest, der, serial in zip((A, B), CARDS, ("1a", "2b"), strict=True):
            made.execute("INSERT INTO card_certificate VALUES (?, 'p1', ?, ?, NULL)", (digest, der, serial))
        yield made


def put_leaves(raw: sqlite3.Connection, leaves: Sequence[Leaf]) -> None:
    """One entry for each, from 0 on; ``None`` as detail: the payload was erased."""
    for seq, (action, detail) in enumerate(leaves):
        raw.execute("INSERT INTO log_word (text) VALUES (?) ON CONFLICT DO NOTHING", (action,))
        payload = detail if detail is None or isinstance(detail, bytes) else canonical({"detail": detail})
        raw.execute("INSERT INTO audit_entry SELECT ?, id, ? FROM log_word WHERE text = ?", (seq, payload, action))


def told(raw: sqlite3.Connection, roots: Sequence[x509.Certificate] = (ROOT,)) -> list[Told]:
    return [(fault.where, fault.what, fault.seq) for fault in check_certificates(roots, raw, NOTHING)]


def valid(digest: str, seq: int) -> Told:
    return "card_certificate", f"{digest} is valid, and its leaf revokes it", seq


OF_ORDER = {"provision_id": "p1"}


@pytest.mark.parametrize(
    ("leaves", "expected"),
    [
        ([], []),
        ([("test.added", {"certificates": [A]})], []),
        ([(REVOKE, {"certificates": [A]})], [valid(A, 0)]),
        ([(REVOKE_CARD, {"certificates": [A, B]})], [valid(A, 0), valid(B, 0)]),
        ([(REVOKE, {"certificates": [A]}), (REVOKE_CARD, {"certificates": [A]})], [valid(A, 1)]),
        ([(REVOKE, {}), (REVOKE, {"certificates": ["another"]})], []),
        # An order that ended keeps what it names, and that alone.
        ([(COMPLETE, {**OF_ORDER, "certificates": [A, B]})], []),
        ([(COMPLETE, {**OF_ORDER, "certificates": [A]})], [valid(B, 0)]),
        ([(COMPLETE, OF_ORDER)], [valid(A, 0), valid(B, 0)]),
        *[([(action, OF_ORDER)], [valid(A, 0), valid(B, 0)]) for action in (TORN, REFUSE, RELEASE)],
        ([(TORN, {**OF_ORDER, "certificates": [A]})], [valid(A, 0), valid(B, 0)]),
        ([(TORN, {"provision_id": "p2"}), (REFUSE, {"other": 1})], []),
        # What was torn and then written is valid; what was written and then torn is not.
        ([(TORN, OF_ORDER), (COMPLETE, {**OF_ORDER, "certificates": [A, B]})], []),
        ([(COMPLETE, {**OF_ORDER, "certificates": [A, B]}), (TORN, OF_ORDER)], [valid(A, 1), valid(B, 1)]),
        # An erased leaf, or one that cannot be read, says nothing, and those behind it count.
        ([(REVOKE, None), (REVOKE, b"x"), (REVOKE, b"{}"), (REVOKE, {"certificates": [B]})], [valid(B, 3)]),
    ],
)
def test_what_leaves_revoke_is_revoked(raw: sqlite3.Connection, leaves: list[Leaf], expected: list[Told]) -> None:
    """Each valid row is told with the leaf that revokes it; a revoked one never."""
    put_leaves(raw, leaves)
    assert told(raw) == expected
    raw.execute("UPDATE card_certificate SET revoked_us = 0")
    assert told(raw) == []


def test_a_row_is_of_its_own_certificate(raw: sqlite3.Connection) -> None:
    """Digest and serial number; it is told once, also where a leaf revokes it."""
    put_leaves(raw, [(REVOKE, {"certificates": [A, B]})])
    raw.execute("UPDATE card_certificate SET serial = '1A' WHERE sha256 = ?", (A,))
    raw.execute("UPDATE card_certificate SET certificate = ? WHERE sha256 = ?", (CARDS[0], B))
    another = "is another certificate than its row says"
    assert told(raw) == [("card_certificate", f"{digest} {another}", None) for digest in (A, B)]


def put_list(raw: sqlite3.Connection, number: int, der: bytes) -> Leaf:
    """A list and the leaf that says so."""
    detail = {"number": number, "this_us": 1, "next_us": 2, "sha256": sha256(der).hexdigest(), "entries": 3}
    raw.execute("INSERT INTO revocation_list VALUES (?, 1, 2, 3, ?, ?)", (number, detail["sha256"], der))
    return SIGNED, detail


def test_lists_are_those_of_their_leaves(raw: sqlite3.Connection) -> None:
    """Each number, time, count and byte; older ones may be gone, the newest may not."""
    put_leaves(raw, [put_list(raw, number, list_of(OWN, f"n{number}")) for number in (1, 2, 10)])
    assert told(raw) == []

    def other(number: int, seq: int | None) -> Told:
        return "revocation_list", f"list {number} is not the one that its leaf says", seq

    newest = ("revocation_list", "list 10 is missing, the newest one", 2)
    for column in ("this_us", "next_us", "entries"):
        raw.execute(f"UPDATE revocation_list SET {column} = {column} + 1 WHERE number = 2")
        assert told(raw) == [other(2, 1)]
        raw.execute(f"UPDATE revocation_list SET {column} = {column} - 1 WHERE number = 2")
    raw.execute("UPDATE revocation_list SET crl = x'00' WHERE number = 1")
    raw.execute("UPDATE revocation_list SET sha256 = 'x' WHERE number = 10")
    assert told(raw) == [other(1, 0), other(10, 2), newest]
    raw.execute("DELETE FROM revocation_list WHERE number IN (1, 10)")
    assert told(raw) == [newest]
    put_list(raw, 11, list_of(OWN, "n11"))
    assert told(raw) == [other(11, None), newest]


def test_lists_are_signed_by_the_authority(raw: sqlite3.Connection) -> None:
    """By one of its roots, where they are known; what is signed by another is there all the same."""
    put_leaves(raw, [put_list(raw, 1, list_of(OTHER, "x"))])
    strange = ("revocation_list", "list 1 is not signed by the site's authority", 0)
    assert told(raw) == [strange]
    assert told(raw, [ROOT, STRANGE]) == told(raw, [STRANGE, ROOT]) == told(raw, []) == []
