"""Directories: systems elsewhere that hold accounts or sessions of nodes, and that a global burn must reach."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar
from urllib.parse import urlsplit

import msgspec
from sqlalchemy import Connection, Row, Table, select, update

from app.api.problems import Problem, invalid_field
from app.api.wire import SecretState, rfc3339
from app.registry.crud import RegistryKind
from app.registry.messages.directories import Directory, DirectoryBody, DirectoryKind, DirectoryProbe, EmailMatch
from app.registry.peers import digests
from app.registry.tables import directory, node
from app.site.settings import is_loopback
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.sealed import FieldSealer
from app.store.tables import json_text
from app.store.writer import Transaction

SECRET_PURPOSE = "directory"  # noqa: S105 -- the name of a key
_ALL = select(directory).order_by(directory.c.directory_id)
OPEN_SCHEMES = ("http", "ldap")
"""Schemes without TLS, which reach this machine alone."""


@dataclass(frozen=True, slots=True)
class DirectoryRow:
    """A directory as a connector needs it. ``secret`` leaves the process for its own ``url`` only, and is hidden from
    ``repr``. ``ca``: PEM text. ``timeout_s``: of one attempt, None = the site's."""

    directory_id: str
    kind: DirectoryKind
    display_name: str
    url: str
    secret: str | None = field(repr=False)
    bind_dn: str | None
    base_dn: str | None
    dialect: str | None
    audience: str | None
    ca: str | None
    timeout_s: float | None
    tags: tuple[str, ...]
    email_match: EmailMatch = "link"


Prober = Callable[[DirectoryRow], Awaitable[DirectoryProbe]]

_NAMED = 5
"""Nodes that a refusal names."""


class Directories(RegistryKind[DirectoryBody, Directory]):
    """The kind ``directories``."""

    word: ClassVar[str] = "directory"
    table: ClassVar[Table] = directory

    def __init__(self, store: Store, cursors: Cursors, sealer: FieldSealer) -> None:
        super().__init__(store, cursors)
        self._sealer = sealer
        self._prober: Prober | None = None
        self._schemes: Mapping[DirectoryKind, Sequence[str]] = {}

    def probe_with(self, prober: Prober) -> None:
        """Sets the function that tries a directory. Before start only."""
        self._prober = prober

    def accept_schemes(self, schemes: Mapping[DirectoryKind, Sequence[str]]) -> None:
        """Names the schemes of each kind's addresses; a kind that is missing may have any. Before start only."""
        self._schemes = schemes

    async def probe(self, item: Directory) -> Directory:
        """The item with the result of a trial of it now."""
        with self.store.read() as connection:
            row = self.with_secret(connection, item.directory_id)
        if row is None or self._prober is None:
            raise Problem("dependency_unavailable", "The directory is stored; nothing here can try it now.")
        return msgspec.structs.replace(item, probe=await self._prober(row))

    def with_secret(self, connection: Connection, directory_id: str) -> DirectoryRow | None:
        """The directory of this id with its secret opened, or None. ``SealBroken`` if the secret does not open."""
        row = self.row(connection, directory_id)
        return None if row is None else self._open_row(row)

    def without_secrets(self, connection: Connection) -> list[DirectoryRow]:
        """Every directory by rising id, without its secret: one seal that does not open must not stop a burn."""
        rows = connection.execute(_ALL)
        return [self._row(row, None) for row in rows]

    def without_secret(self, connection: Connection, directory_id: str) -> DirectoryRow | None:
        """The directory of this id without its secret, or None."""
        row = self.row(connection, directory_id)
        return None if row is None else self._row(row, None)

    def _open_row(self, row: Row[Any]) -> DirectoryRow:
        sealed = row.secret_sealed
        secret = None
        if sealed is not None:
            secret = self._sealer.open(SECRET_PURPOSE, sealed, _context(row.directory_id)).decode()
        return self._row(row, secret)

    @staticmethod
    def _row(row: Row[Any], secret: str | None) -> DirectoryRow:
        """The row with this opened secret, or None for none."""
        return DirectoryRow(
            directory_id=row.directory_id,
            kind=row.kind,
            display_name=row.display_name or row.directory_id,
            url=row.url,
            secret=secret,
            bind_dn=row.bind_dn,
            base_dn=row.base_dn,
            dialect=row.dialect,
            audience=row.audience,
            ca=row.ca,
            timeout_s=None if row.timeout_ms is None else row.timeout_ms / 1000,
            tags=tuple(msgspec.json.decode(row.tags, type=list[str])),
            email_match=row.email_match,
        )

    def name_of(self, body: DirectoryBody) -> str:
        return f"{body.display_name or ''}\n{body.kind}\n{body.url}"

    def check(self, item_id: str, body: DirectoryBody) -> None:
        del item_id
        try:
            digests(body.ca)
        except ValueError as error:
            raise invalid_field("/ca", "Give ca as PEM certificates; this text has none to read.") from error
        try:
            parts = urlsplit(body.url)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise invalid_field("/url", "This address cannot be read; give scheme, host and port.") from error
        schemes = self._schemes.get(body.kind, (parts.scheme,))
        if parts.scheme not in schemes:
            known = " or ".join(schemes)
            raise invalid_field("/url", f"A directory of kind {body.kind} has an address that begins with {known}.")
        if parts.username is not None or parts.password is not None or parts.fragment:
            raise invalid_field("/url", "Leave user, password and fragment out of the address; secrets go into secret.")
        if parts.scheme != "ldapi" and (not host or port == 0):
            raise invalid_field("/url", "The address names no host that can be reached.")
        if parts.scheme in OPEN_SCHEMES and not is_loopback(host or ""):
            raise invalid_field("/url", "Without TLS only this machine itself is reached; use the scheme with TLS.")

    def values(self, body: DirectoryBody) -> dict[str, Any]:
        return {
            "kind": body.kind,
            "display_name": body.display_name,
            "url": body.url,
            "bind_dn": body.bind_dn,
            "base_dn": body.base_dn,
            "dialect": body.dialect,
            "audience": body.audience,
            "email_match": body.email_match,
            "ca": body.ca,
            "timeout_ms": body.timeout_ms,
            "tags": json_text(body.tags),
        }

    def decisions(self, body: DirectoryBody) -> dict[str, object]:
        return {"email_match": body.email_match}

    def check_in(self, tx: Transaction, item_id: str, body: DirectoryBody) -> None:
        known = self.row(tx.connection, item_id)
        if known is None or known.secret_sealed is None or body.secret is not msgspec.UNSET:
            return
        if (known.url, known.kind, known.ca) != (body.url, body.kind, body.ca):
            # Otherwise an operator who may edit an address could have the stored secret sent to another host.
            raise invalid_field("/secret", "The stored secret belongs to the former address; give it again, or null.")

    def write_parts(self, tx: Transaction, item_id: str, body: DirectoryBody, made: bool) -> list[str]:
        del made
        if body.secret is msgspec.UNSET:
            return []
        mine = directory.c.directory_id == item_id
        sealed = tx.connection.scalar(select(directory.c.secret_sealed).where(mine))
        known = None if sealed is None else self._sealer.open(SECRET_PURPOSE, sealed, _context(item_id)).decode()
        if known == body.secret:
            return []
        fresh = None
        if body.secret is not None:
            fresh = self._sealer.seal(SECRET_PURPOSE, body.secret.encode(), _context(item_id))
        values = {"secret_sealed": fresh, "secret_changed_us": tx.now_us}
        tx.connection.execute(update(directory).where(mine).values(**values))
        return ["secret"]

    def delete_parts(self, tx: Transaction, item_id: str) -> None:
        named = json_text({"directory_id": item_id})[1:-1]
        # A burned node keeps what it was: its account is locked, and nobody changes it for the sake of this deletion.
        users = tx.connection.scalars(
            select(node.c.node_id)
            .where(node.c.directory_accounts.contains(named, autoescape=True), node.c.standing != "REVOKED")
            .order_by(node.c.node_id)
            .limit(_NAMED + 1)
        ).all()
        if users:
            names = ", ".join(users[:_NAMED]) + (" and others" if len(users) > _NAMED else "")
            raise Problem(
                "state_conflict",
                f"Nodes have an account in {item_id}: {names}. PUT each without it (directory_accounts), or burn it; "
                "then delete the directory.",
            )

    def items(self, connection: Connection, rows: Sequence[Row[Any]], now_us: int) -> list[Directory]:
        del connection, now_us
        return [
            Directory(
                directory_id=row.directory_id,
                kind=row.kind,
                display_name=row.display_name,
                url=row.url,
                secret=SecretState(
                    set=row.secret_sealed is not None,
                    changed_at=None if row.secret_changed_us is None else rfc3339(row.secret_changed_us),
                ),
                bind_dn=row.bind_dn,
                base_dn=row.base_dn,
                dialect=row.dialect,
                audience=row.audience,
                email_match=row.email_match,
                ca_sha256=digests(row.ca),
                timeout_ms=row.timeout_ms,
                tags=msgspec.json.decode(row.tags, type=list[str]),
                created_at=rfc3339(row.created_us),
                changed_at=rfc3339(row.changed_us),
            )
            for row in rows
        ]


def _context(directory_id: str) -> bytes:
    return f"directory.secret|{directory_id}".encode()
