"""HR sources: the systems whose signed calls may discharge an employee, and the secrets that they sign with."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import msgspec
from sqlalchemy import Connection, Row, Table, select, update

from app.api.problems import invalid_field
from app.api.wire import SecretState, rfc3339
from app.registry.crud import RegistryKind
from app.registry.messages.hr_sources import HrScheme, HrSource, HrSourceBody
from app.registry.tables import hr_source
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.sealed import FieldSealer
from app.store.tables import json_text
from app.store.writer import Transaction

SECRET_PURPOSE = "hr-source"  # noqa: S105 -- the name of a key
_SECRETS = ("secret", "next_secret")
_PREFIX = "whsec_"
_SHORTEST = 16
_KEY_BYTES = range(24, 65)
"""Standard Webhooks asks for 24 to 64 bytes."""


@dataclass(frozen=True, slots=True)
class HrSourceRow:
    """A source as the judge of its calls needs it. ``keys``: what a call may be signed with (two during a rotation),
    hidden from ``repr``; for ``standard-webhooks`` the decoded secret, for all others its UTF-8."""

    source_id: str
    scheme: HrScheme
    keys: tuple[bytes, ...] = field(repr=False)
    max_discharges_per_minute: int


class HrSources(RegistryKind[HrSourceBody, HrSource]):
    """The kind ``hr-sources``."""

    word: ClassVar[str] = "hr_source"
    table: ClassVar[Table] = hr_source

    def __init__(self, store: Store, cursors: Cursors, sealer: FieldSealer) -> None:
        super().__init__(store, cursors)
        self._sealer = sealer

    def all(self, connection: Connection) -> list[HrSourceRow]:
        """Every source by rising id, with its secrets opened. ``SealBroken`` if one does not open."""
        rows = connection.execute(select(hr_source).order_by(hr_source.c.hr_source_id)).all()
        return [
            HrSourceRow(
                source_id=row.hr_source_id,
                scheme=row.scheme,
                keys=tuple(
                    key_of(row.scheme, secret)
                    for secret in (self._open_secret(row, name) for name in _SECRETS)
                    if secret is not None
                ),
                max_discharges_per_minute=row.max_discharges_per_minute,
            )
            for row in rows
        ]

    def _open_secret(self, row: Row[Any], name: str) -> str | None:
        sealed = row._mapping[f"{name}_sealed"]
        if sealed is None:
            return None
        return self._sealer.open(SECRET_PURPOSE, sealed, _context(row.hr_source_id, name)).decode()

    def name_of(self, body: HrSourceBody) -> str:
        return f"{body.display_name or ''}\n{body.scheme}"

    def check(self, item_id: str, body: HrSourceBody) -> None:
        del item_id
        for name in _SECRETS:
            secret = getattr(body, name)
            if isinstance(secret, str):
                _check(body.scheme, secret, f"/{name}")

    def values(self, body: HrSourceBody) -> dict[str, Any]:
        return {
            "scheme": body.scheme,
            "display_name": body.display_name,
            "max_discharges_per_minute": body.max_discharges_per_minute,
            "tags": json_text(body.tags),
        }

    def check_in(self, tx: Transaction, item_id: str, body: HrSourceBody) -> None:
        known = self.row(tx.connection, item_id)
        if body.secret is msgspec.UNSET:
            if known is None:
                raise invalid_field("/secret", "A new source needs the secret that it signs with.")
            if known.scheme != body.scheme:
                raise invalid_field("/secret", "The stored secret belongs to the former scheme; give it again.")
        if (
            known is not None
            and known.scheme != body.scheme
            and known.next_secret_sealed is not None
            and body.next_secret is msgspec.UNSET
        ):
            raise invalid_field(
                "/next_secret", "The stored secret belongs to the former scheme; give it again, or null."
            )
        given = {name: getattr(body, name) for name in _SECRETS if isinstance(getattr(body, name), str)}
        if not given:
            return
        taken = {key for other in self.all(tx.connection) if other.source_id != item_id for key in other.keys}
        for name, secret in given.items():
            # Each source remembers its own calls alone: a call to one could be sent again in the name of the other.
            if key_of(body.scheme, secret) in taken:
                raise invalid_field(f"/{name}", "Another source signs with this secret; give each one of its own.")

    def write_parts(self, tx: Transaction, item_id: str, body: HrSourceBody, made: bool) -> list[str]:
        del made
        mine = hr_source.c.hr_source_id == item_id
        changed = []
        for name in _SECRETS:
            given = getattr(body, name)
            if given is msgspec.UNSET:
                continue
            row = tx.connection.execute(select(hr_source).where(mine)).one()
            if self._open_secret(row, name) == given:
                continue
            sealed = None
            if given is not None:
                sealed = self._sealer.seal(SECRET_PURPOSE, given.encode(), _context(item_id, name))
            values = {f"{name}_sealed": sealed, f"{name}_changed_us": tx.now_us}
            tx.connection.execute(update(hr_source).where(mine).values(**values))
            changed.append(name)
        return changed

    def items(self, connection: Connection, rows: Sequence[Row[Any]], now_us: int) -> list[HrSource]:
        del connection, now_us
        return [
            HrSource(
                hr_source_id=row.hr_source_id,
                scheme=row.scheme,
                display_name=row.display_name,
                secret=_state(row.secret_sealed, row.secret_changed_us),
                next_secret=_state(row.next_secret_sealed, row.next_secret_changed_us),
                max_discharges_per_minute=row.max_discharges_per_minute,
                tags=msgspec.json.decode(row.tags, type=list[str]),
                created_at=rfc3339(row.created_us),
                changed_at=rfc3339(row.changed_us),
            )
            for row in rows
        ]


def key_of(scheme: HrScheme, secret: str) -> bytes:
    """The key that calls of ``scheme`` are signed with; ``ValueError`` if the secret is not valid for that scheme."""
    if scheme != "standard-webhooks":
        return secret.encode()
    text = secret.removeprefix(_PREFIX).rstrip("=")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error as error:
        raise ValueError("not base64") from error


def _check(scheme: HrScheme, secret: str, pointer: str) -> None:
    if scheme == "standard-webhooks":
        try:
            size = len(key_of(scheme, secret))
        except ValueError:
            size = 0
        if size not in _KEY_BYTES:
            raise invalid_field(pointer, "Give 24 to 64 bytes in base64, with whsec_ before them or without.")
    elif len(secret) < _SHORTEST:
        raise invalid_field(pointer, f"Give at least {_SHORTEST} characters.")
    elif scheme == "basic" and not 0 < secret.find(":") < len(secret) - 1:
        raise invalid_field(pointer, "Give user and password with a colon between them.")


def _state(sealed: bytes | None, changed_us: int | None) -> SecretState:
    return SecretState(set=sealed is not None, changed_at=None if changed_us is None else rfc3339(changed_us))


def _context(source_id: str, name: str) -> bytes:
    return f"hr_source.{name}|{source_id}".encode()
