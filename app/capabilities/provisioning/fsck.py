"""Certificates of cards and revocation lists, compared with the audit log that vouches for them
(``ledger.fsck.Check``)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, Final

from cryptography import x509

from app.capabilities.provisioning.audit_details import read_details
from app.capabilities.provisioning.card_revocation import REVOKE_CARD
from app.capabilities.provisioning.grants import REVOKE
from app.capabilities.provisioning.write.finish import COMPLETE, TORN
from app.capabilities.provisioning.write.order import REFUSE
from app.capabilities.provisioning.write.reissue import RELEASE
from app.ledger.check.fsck import CheckedLog
from app.ledger.check.rows import LogFault
from app.pki.crl import SIGNED

_CERTIFICATE: Final = "card_certificate"
_LIST: Final = "revocation_list"


def check_certificates(
    roots: Sequence[x509.Certificate], connection: sqlite3.Connection, _: CheckedLog
) -> Iterator[LogFault]:
    """What the leaves say is revoked is revoked, every list is the one of its leaf (and signed under ``roots``, where
    they are given), and the newest one is there."""
    revoked = dict(_revocations_of_leaves(connection))
    for digest, der, serial, revoked_us in connection.execute(
        "SELECT sha256, certificate, serial, revoked_us FROM card_certificate"
    ):
        if sha256(der).hexdigest() != digest or f"{x509.load_der_x509_certificate(der).serial_number:x}" != serial:
            yield LogFault(_CERTIFICATE, f"{digest} is another certificate than its row says", None)
        elif digest in revoked and revoked_us is None:
            yield LogFault(_CERTIFICATE, f"{digest} is valid, and its leaf revokes it", revoked[digest])
    yield from _lists(roots, connection)


def _lists(roots: Sequence[x509.Certificate], connection: sqlite3.Connection) -> Iterator[LogFault]:
    """Each list against its leaf and the authority, and whether the newest one is there."""
    said = {detail["number"]: (seq, detail) for seq, _, detail in read_details(connection, (SIGNED,)) if detail}
    kept: dict[int, x509.CertificateRevocationList] = {}
    for number, this_us, next_us, entries, digest, der in connection.execute(
        "SELECT number, this_us, next_us, entries, sha256, crl FROM revocation_list ORDER BY number"
    ):
        seq, detail = said.get(number, (None, None))
        row = {"number": number, "this_us": this_us, "next_us": next_us, "sha256": digest, "entries": entries}
        if detail != row or sha256(der).hexdigest() != digest:
            yield LogFault(_LIST, f"list {number} is not the one that its leaf says", seq)
            continue
        kept[number] = x509.load_der_x509_crl(der)
        keys: list[Any] = [root.public_key() for root in roots]
        if keys and not any(kept[number].is_signature_valid(key) for key in keys):
            yield LogFault(_LIST, f"list {number} is not signed by the site's authority", seq)
    if said and max(said) not in kept:
        yield LogFault(_LIST, f"list {max(said)} is missing, the newest one", said[max(said)][0])


def _revocations_of_leaves(connection: sqlite3.Connection) -> Iterator[tuple[str, int]]:
    """Certificates (SHA-256) that leaves say are revoked now, each with the leaf. A leaf whose detail was erased says
    nothing."""
    of: dict[str, list[str]] = {}
    for digest, provision_id in connection.execute("SELECT sha256, provision_id FROM card_certificate"):
        of.setdefault(provision_id, []).append(digest)
    found: dict[str, int] = {}
    for seq, action, detail in read_details(connection, (REVOKE, REVOKE_CARD, COMPLETE, TORN, REFUSE, RELEASE)):
        if action in (REVOKE, REVOKE_CARD):
            found.update(dict.fromkeys(detail.get("certificates", ()), seq))
            continue
        mine = of.get(detail.get("provision_id", ""), [])
        kept = set(detail.get("certificates", ())) if action == COMPLETE else set()
        for digest in mine:
            if digest in kept:
                found.pop(digest, None)
            else:
                found[digest] = seq
    yield from found.items()
