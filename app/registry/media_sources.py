"""Media sources: what the site lists of its own network, so that media may be fetched from there or reported to it."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import msgspec
from sqlalchemy import Connection, Row, Table, select, update

from app.api.problems import invalid_field
from app.api.wire import SecretState, rfc3339
from app.delivery.addresses import AllowedReach
from app.delivery.guarded import UrlRefused, judge_url
from app.registry.crud import RegistryKind
from app.registry.messages.media_sources import MediaSource, MediaSourceBody
from app.registry.tables import media_source
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.sealed import FieldSealer
from app.store.tables import json_text
from app.store.writer import Transaction

SECRET_PURPOSE = "media-source"  # noqa: S105 -- the name of a key


class MediaReach(NamedTuple):
    """What one source opens: ``reach`` for URLs with one of ``hosts`` (empty: for all)."""

    media_source_id: str
    reach: AllowedReach
    hosts: frozenset[str]


@dataclass(frozen=True, slots=True)
class MediaAccess:
    """How a URL is fetched: ``allowed`` beside public addresses, and the value of ``Authorization`` for its ``host``,
    hidden from ``repr``."""

    host: str
    allowed: tuple[AllowedReach, ...]
    authorization: str | None = field(default=None, repr=False)


class MediaSources(RegistryKind[MediaSourceBody, MediaSource]):
    """The kind ``media-sources``."""

    word: ClassVar[str] = "media_source"
    table: ClassVar[Table] = media_source

    def __init__(self, store: Store, cursors: Cursors, sealer: FieldSealer) -> None:
        super().__init__(store, cursors)
        self._sealer = sealer

    def reaches(self, connection: Connection) -> list[MediaReach]:
        """What every source opens, by rising id, without its secret."""
        rows = connection.execute(select(media_source).order_by(media_source.c.media_source_id))
        return [
            MediaReach(
                row.media_source_id,
                AllowedReach.of(_texts(row.cidrs), msgspec.json.decode(row.ports, type=list[int])),
                frozenset(_texts(row.hosts)),
            )
            for row in rows
        ]

    def reach(self) -> list[AllowedReach]:
        """What is open for every host, and so for callbacks. Blocks for a short read."""
        with self.store.read() as connection:
            return [one.reach for one in self.reaches(connection) if not one.hosts]

    def access_to(self, connection: Connection, url: str) -> MediaAccess:
        """How ``url`` is fetched or called. Of several sources that name its host the first by id that has a secret
        gives it. Raises ``UrlRefused`` as ``judge_url`` does; ``SealBroken`` if the secret does not open."""
        reaches = self.reaches(connection)
        host = judge_url(url, [one.reach for one in reaches]).host
        fitting = [one for one in reaches if not one.hosts or host in one.hosts]
        allowed = tuple(one.reach for one in fitting)
        # Once more: an address or a port may be open to other hosts alone.
        judge_url(url, allowed)
        for one in fitting:
            row = self.row(connection, one.media_source_id)
            if host in one.hosts and row is not None and row.secret_sealed is not None:
                return MediaAccess(host, allowed, _authorization(self._open(row)))
        return MediaAccess(host, allowed)

    def _open(self, row: Row[Any]) -> str:
        return self._sealer.open(SECRET_PURPOSE, row.secret_sealed, _context(row.media_source_id)).decode()

    def name_of(self, body: MediaSourceBody) -> str:
        return "\n".join([body.display_name or "", *body.cidrs, *body.hosts])

    def check(self, item_id: str, body: MediaSourceBody) -> None:
        del item_id
        for name, given in (("cidrs", body.cidrs), ("ports", body.ports), ("hosts", body.hosts)):
            if len(set(given)) != len(given):
                raise invalid_field(f"/{name}", "An entry stands there twice; name each once.")
        for place, cidr in enumerate(body.cidrs):
            try:
                reach = AllowedReach.of([cidr], body.ports)
            except ValueError as error:
                raise invalid_field(
                    f"/cidrs/{place}",
                    "Give a network of the site or a wholly public one, without bits beside its prefix; link local is "
                    "never reached.",
                ) from error
            if str(reach.cidrs[0]) != cidr:
                raise invalid_field(f"/cidrs/{place}", f"Write it in its usual form: {reach.cidrs[0]}.")
        reaches = [AllowedReach.of(body.cidrs, body.ports)]
        for place, host in enumerate(body.hosts):
            shown = f"[{host}]" if ":" in host else host
            try:
                judged = judge_url(f"http://{shown}:{body.ports[0]}/", reaches).host
            except UrlRefused as error:
                raise invalid_field(f"/hosts/{place}", "Give a name, or an address that cidrs has.") from error
            if judged != host:
                raise invalid_field(f"/hosts/{place}", f"Write it in its usual form: {judged}.")
        if isinstance(body.secret, str) and not body.hosts:
            raise invalid_field("/hosts", "A secret is sent to named hosts alone; name them.")

    def values(self, body: MediaSourceBody) -> dict[str, Any]:
        return {
            "display_name": body.display_name,
            "cidrs": json_text(body.cidrs),
            "ports": json_text(body.ports),
            "hosts": json_text(body.hosts),
            "tags": json_text(body.tags),
        }

    def decisions(self, body: MediaSourceBody) -> dict[str, object]:
        return {"cidrs": body.cidrs, "ports": body.ports, "hosts": body.hosts}

    def check_in(self, tx: Transaction, item_id: str, body: MediaSourceBody) -> None:
        known = self.row(tx.connection, item_id)
        if known is None or known.secret_sealed is None or body.secret is not msgspec.UNSET:
            return
        if (known.cidrs, known.ports, known.hosts) != tuple(map(json_text, (body.cidrs, body.ports, body.hosts))):
            # Otherwise an operator who may edit addresses could have the stored secret sent to another host.
            raise invalid_field("/secret", "The stored secret belongs to the former addresses; give it again, or null.")

    def write_parts(self, tx: Transaction, item_id: str, body: MediaSourceBody, made: bool) -> list[str]:
        del made
        if body.secret is msgspec.UNSET:
            return []
        mine = media_source.c.media_source_id == item_id
        row = tx.connection.execute(select(media_source).where(mine)).one()
        if (None if row.secret_sealed is None else self._open(row)) == body.secret:
            return []
        sealed = None
        if body.secret is not None:
            sealed = self._sealer.seal(SECRET_PURPOSE, body.secret.encode(), _context(item_id))
        values = {"secret_sealed": sealed, "secret_changed_us": tx.now_us}
        tx.connection.execute(update(media_source).where(mine).values(**values))
        return ["secret"]

    def items(self, connection: Connection, rows: Sequence[Row[Any]], now_us: int) -> list[MediaSource]:
        del connection, now_us
        return [
            MediaSource(
                media_source_id=row.media_source_id,
                display_name=row.display_name,
                cidrs=_texts(row.cidrs),
                ports=msgspec.json.decode(row.ports, type=list[int]),
                hosts=_texts(row.hosts),
                secret=SecretState(
                    set=row.secret_sealed is not None,
                    changed_at=None if row.secret_changed_us is None else rfc3339(row.secret_changed_us),
                ),
                tags=_texts(row.tags),
                created_at=rfc3339(row.created_us),
                changed_at=rfc3339(row.changed_us),
            )
            for row in rows
        ]


def _authorization(secret: str) -> str:
    if ":" in secret:
        return f"Basic {base64.b64encode(secret.encode()).decode()}"
    return f"Bearer {secret}"


def _texts(column: str) -> list[str]:
    return msgspec.json.decode(column, type=list[str])


def _context(media_source_id: str) -> bytes:
    return f"media_source.secret|{media_source_id}".encode()
