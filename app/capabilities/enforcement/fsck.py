"""Compares what strikes keep with what they state: documents with their digests, notices with their signatures
(``ledger.check.fsck.Check``)."""

from __future__ import annotations

import base64
import hashlib
import sqlite3
from collections.abc import Iterator

from app.capabilities.enforcement.jurisdictions import LAW
from app.ledger.check.fsck import CheckedLog
from app.ledger.check.rows import LogFault


def check_strikes(connection: sqlite3.Connection, log: CheckedLog) -> Iterator[LogFault]:
    """Every declaration, notice and pinned file is the one whose digest its row states, and every signature is over its
    notice. What was erased is not judged."""
    del log
    rows = connection.execute("SELECT strike_id, declaration, sha256, leaf FROM strike ORDER BY strike_id")
    for strike_id, declaration, digest, leaf in rows:
        if declaration is not None and hashlib.sha256(declaration).hexdigest() != digest:
            yield LogFault("strike", f"the declaration of {strike_id} is not the one that it states", leaf)
    notices = connection.execute("SELECT notice_id, notice, notice_sha256, jws FROM strike_notice ORDER BY notice_id")
    for notice_id, notice, digest, jws in notices:
        if notice is None:
            continue
        if hashlib.sha256(notice).hexdigest() != digest:
            yield LogFault("strike", f"{notice_id} is not the notice that it states", None)
        payload = base64.urlsafe_b64encode(notice).rstrip(b"=").decode()
        if jws is None or jws.split(".")[1:2] != [payload]:
            yield LogFault("strike", f"the signature of {notice_id} is over another notice", None)
    files = connection.execute("SELECT strike_id, name, sha256, data FROM strike_file ORDER BY strike_id, name")
    for strike_id, name, digest, data in files:
        if data is not None and hashlib.sha256(data).hexdigest() != digest:
            yield LogFault("strike", f"{name} of {strike_id} is not the file that it pins", None)
    missing = connection.execute(
        "SELECT strike_id, leaf FROM strike WHERE strike_id NOT IN (SELECT strike_id FROM strike_file WHERE name = ?)",
        (f"law/{LAW}",),
    )
    for strike_id, leaf in missing:
        yield LogFault("strike", f"{strike_id} pins no law", leaf)
