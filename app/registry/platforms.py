"""Platforms: systems elsewhere that declarations and notices go to, by mail, by a call, or by their form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import urlsplit

import msgspec
from sqlalchemy import Connection, Row, Table, select, update

from app.api.problems import invalid_field
from app.api.wire import SecretState, rfc3339
from app.delivery.notice_content import PlatformAccess
from app.registry.crud import RegistryKind
from app.registry.messages.platforms import NoticePlatform, PlatformBody, PlatformChannel, PlatformContact
from app.registry.peers import digests
from app.registry.tables import platform
from app.site.settings import is_loopback
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.sealed import FieldSealer
from app.store.tables import json_text
from app.store.writer import Transaction

SECRET_PURPOSE = "platform"  # noqa: S105 -- the name of a key
_CONTACTS = dict[str, PlatformContact]


@dataclass(frozen=True, slots=True)
class PlatformRow:
    """A platform as enforcement needs it, without its secret. ``contacts``: by jurisdiction code."""

    platform_id: str
    display_name: str
    channel: PlatformChannel
    address: str
    contacts: Mapping[str, PlatformContact]
    domains: tuple[str, ...]
    languages: tuple[str, ...]

    def contact(self, code: str) -> PlatformContact:
        """Where a notice under this jurisdiction goes: the contact of the code, else of the code without its last part
        (``US-NCII``, then ``US``), else the platform's own."""
        parts = code.split("-")
        for length in range(len(parts), 0, -1):
            found = self.contacts.get("-".join(parts[:length]))
            if found is not None:
                return found
        return PlatformContact(channel=self.channel, address=self.address)


class Platforms(RegistryKind[PlatformBody, NoticePlatform]):
    """The kind ``platforms``."""

    word: ClassVar[str] = "platform"
    table: ClassVar[Table] = platform

    def __init__(self, store: Store, cursors: Cursors, sealer: FieldSealer, *, training: bool) -> None:
        """``training``: whether a platform may be called by plain http, on this machine."""
        super().__init__(store, cursors)
        self._sealer = sealer
        self._training = training

    def look_up(self, connection: Connection, platform_id: str) -> PlatformRow | None:
        """The platform of this id, or None."""
        row = self.row(connection, platform_id)
        return None if row is None else _platform(row)

    def defaults(self, connection: Connection) -> list[PlatformRow]:
        """The platforms that a strike means which names none, by rising id."""
        wanted = select(platform).where(platform.c.default_named == 1).order_by(platform.c.platform_id)
        return [_platform(row) for row in connection.execute(wanted)]

    def access(self, platform_id: str, address: str) -> PlatformAccess | None:
        """How the platform is called at an address; None where it has this address no more: its secret goes nowhere
        else. Blocks on the store; ``SealBroken`` if the secret does not open."""
        with self.store.read() as connection:
            row = self.row(connection, platform_id)
        if row is None or address not in {one.address for one in _all_contacts(row) if one.channel == "https"}:
            return None
        secret = None if row.secret_sealed is None else self._open(row)
        return PlatformAccess(secret, row.ca)

    def _open(self, row: Row[Any]) -> str:
        return self._sealer.open(SECRET_PURPOSE, row.secret_sealed, _context(row.platform_id)).decode()

    def name_of(self, body: PlatformBody) -> str:
        return "\n".join([body.display_name, body.channel, body.address, *body.domains])

    def check(self, item_id: str, body: PlatformBody) -> None:
        del item_id
        try:
            digests(body.ca)
        except ValueError as error:
            raise invalid_field("/ca", "Give ca as PEM certificates; this text has none to read.") from error
        for name, given in (("domains", body.domains), ("languages", body.languages)):
            if len(set(given)) != len(given):
                raise invalid_field(f"/{name}", "An entry stands there twice; name each once.")
        contacts = [("", body.channel, body.address)]
        contacts += [(f"/framework_contacts/{code}", one.channel, one.address) for code, one in _contacts_by_code(body)]
        for place, channel, address in contacts:
            why = self._refusal(channel, address)
            if why is not None:
                raise invalid_field(f"{place}/address", why)
        if isinstance(body.secret, str) and all(channel != "https" for _, channel, _ in contacts):
            raise invalid_field("/secret", "Only a platform that is called (channel https) takes a secret.")

    def _refusal(self, channel: PlatformChannel, address: str) -> str | None:
        """Why this address is none of the channel, a sentence."""
        is_url = address.startswith(("http://", "https://"))
        if channel == "mail":
            return "Channel mail has a mail address (name@domain)." if is_url else _mail_refusal(address)
        if not is_url:
            return f"Channel {channel} has a URL that begins with https://."
        try:
            parts = urlsplit(address)
            host, user, port = parts.hostname, parts.username, parts.port
        except ValueError:
            return "This address cannot be read; give scheme, host and path."
        if not host or user is not None or port == 0 or parts.fragment:
            return "Name a host, and leave user and fragment out; a secret goes into secret."
        if channel == "https" and parts.scheme == "http" and not (self._training and is_loopback(host)):
            return "Notices go to https:// alone; a training site also calls http:// on this machine."
        return None

    def values(self, body: PlatformBody) -> dict[str, Any]:
        return {
            "display_name": body.display_name,
            "channel": body.channel,
            "address": body.address,
            "framework_contacts": json_text(dict(_contacts_by_code(body))),
            "domains": json_text(body.domains),
            "default_named": int(body.default),
            "languages": json_text(body.languages),
            "ca": body.ca,
            "tags": json_text(body.tags),
        }

    def decisions(self, body: PlatformBody) -> dict[str, object]:
        return {"channel": body.channel, "default_named": int(body.default)}

    def check_in(self, tx: Transaction, item_id: str, body: PlatformBody) -> None:
        known = self.row(tx.connection, item_id)
        if known is None or known.secret_sealed is None or body.secret is not msgspec.UNSET:
            return
        values = self.values(body)
        if any(known._mapping[name] != values[name] for name in ("channel", "address", "framework_contacts", "ca")):
            # Otherwise an operator who may edit an address could have the stored secret sent to another host.
            raise invalid_field("/secret", "The stored secret belongs to the former addresses; give it again, or null.")

    def write_parts(self, tx: Transaction, item_id: str, body: PlatformBody, made: bool) -> list[str]:
        del made
        if body.secret is msgspec.UNSET:
            return []
        mine = platform.c.platform_id == item_id
        row = tx.connection.execute(select(platform).where(mine)).one()
        if (None if row.secret_sealed is None else self._open(row)) == body.secret:
            return []
        sealed = None
        if body.secret is not None:
            sealed = self._sealer.seal(SECRET_PURPOSE, body.secret.encode(), _context(item_id))
        values = {"secret_sealed": sealed, "secret_changed_us": tx.now_us}
        tx.connection.execute(update(platform).where(mine).values(**values))
        return ["secret"]

    def items(self, connection: Connection, rows: Sequence[Row[Any]], now_us: int) -> list[NoticePlatform]:
        del connection, now_us
        return [
            NoticePlatform(
                platform_id=row.platform_id,
                display_name=row.display_name,
                channel=row.channel,
                address=row.address,
                framework_contacts=_contacts(row),
                domains=_texts(row.domains),
                default=bool(row.default_named),
                languages=_texts(row.languages),
                secret=SecretState(
                    set=row.secret_sealed is not None,
                    changed_at=None if row.secret_changed_us is None else rfc3339(row.secret_changed_us),
                ),
                ca_sha256=digests(row.ca),
                tags=_texts(row.tags),
                created_at=rfc3339(row.created_us),
                changed_at=rfc3339(row.changed_us),
            )
            for row in rows
        ]


def _platform(row: Row[Any]) -> PlatformRow:
    return PlatformRow(
        platform_id=row.platform_id,
        display_name=row.display_name,
        channel=row.channel,
        address=row.address,
        contacts=_contacts(row),
        domains=tuple(_texts(row.domains)),
        languages=tuple(_texts(row.languages)),
    )


def _contacts_by_code(body: PlatformBody) -> list[tuple[str, PlatformContact]]:
    """The contacts by code, so that equal ones are equal text in the row."""
    return [
        (code, PlatformContact(channel=one.channel, address=one.address))
        for code, one in sorted(body.framework_contacts.items())
    ]


def _contacts(row: Row[Any]) -> dict[str, PlatformContact]:
    return msgspec.json.decode(row.framework_contacts, type=_CONTACTS)


def _all_contacts(row: Row[Any]) -> Iterator[PlatformContact]:
    yield PlatformContact(channel=row.channel, address=row.address)
    yield from _contacts(row).values()


def _mail_refusal(address: str) -> str | None:
    """Why this is no mail address that RFC 5321 (4.1.2) takes without quotes, a sentence."""
    name, _, domain = address.rpartition("@")
    labels = domain.split(".")
    if name.startswith(".") or name.endswith(".") or ".." in name or any(mark in name for mark in '"(),:;<>[\\]@'):
        return "The part before @ of this mail address needs quotes; give one that needs none."
    if any(not label or label.startswith("-") or label.endswith("-") for label in labels):
        return "The part after @ of this mail address is no domain."
    return None


def _texts(column: str) -> list[str]:
    return msgspec.json.decode(column, type=list[str])


def _context(platform_id: str) -> bytes:
    return f"platform.secret|{platform_id}".encode()
