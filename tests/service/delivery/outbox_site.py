"""A site that delivers to receivers on loopback: store, log, keys and an outbox whose waits a test chooses."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import text

from app.api.keys_messages import CreateKey, KeyMade
from app.delivery.addresses import AllowedReach
from app.delivery.deliveries import Deliveries
from app.delivery.delivery_rows import DeliveryRows
from app.delivery.messages import Delivery, DeliveryQuery
from app.delivery.outbox import Outbox
from app.delivery.published_keys import PublishedKeys
from app.ledger.query.query import LoggedEntry
from app.store.writer import Transaction
from tests.door_site import until
from tests.service.capabilities.infrastructure.watch_site import WatchSite

AT_ONCE = (0.0,) * 7
"""The schedule without its waits: eight attempts, one after the other."""
NEVER = (3_600.0,) * 7
"""The first attempt is the only one of a test."""
TYPE = "radar.scan.completed"


class OutboxSite:
    """``outbox`` and ``deliveries`` are those of the newest ``running``."""

    def __init__(self, data_dir: Path) -> None:
        self.parts = WatchSite(data_dir)
        self.keyring = self.parts.context.keyring
        self.published = PublishedKeys(self.parts.keys)
        self.alarms = self.parts.alarms
        self.outbox = self.parts.outbox
        self.rows = self.parts.delivery_rows
        self.deliveries = Deliveries(self.parts.store, self.rows, self.outbox, self.parts.notices, self.parts.cursors)

    def close(self) -> None:
        """Closes the store."""
        self.parts.close()

    def key(self, **how: Any) -> KeyMade:
        """A new API key with its webhook secret."""
        return self.keyring.create_now(CreateKey(label="test", clearance="citadel", **how), actor="tester")

    def make_rows(self, retries_s: Sequence[float] = AT_ONCE, clock: Callable[[], int] | None = None) -> DeliveryRows:
        """Rows with a schedule of the test's, without jitter."""
        how: dict[str, Any] = {} if clock is None else {"clock": clock}
        secret = self.parts.keys.secret("delivery-target")
        return DeliveryRows(self.parts.store, secret, self.alarms, retries_s=retries_s, chance=lambda: 0.0, **how)

    @contextlib.asynccontextmanager
    async def running(
        self, *urls: str, retries_s: Sequence[float] = AT_ONCE, plain_http: bool = True, listed: Iterable[int] = ()
    ) -> AsyncIterator[None]:
        """An outbox that reaches loopback at the ports of ``urls`` and at those ``listed``, started and stopped."""
        ports = [*listed, *(port for port in (urlsplit(url).port for url in urls) if port)]
        reach = [AllowedReach.of(["127.0.0.0/8"], ports)] if ports else []
        self.rows = self.make_rows(retries_s)
        store = self.parts.store
        self.outbox = Outbox(store, self.rows, self.keyring, self.published, plain_http=plain_http, reach=lambda: reach)
        self.deliveries = Deliveries(store, self.rows, self.outbox, self.parts.notices, self.parts.cursors)
        await self.outbox.start()
        try:
            yield
        finally:
            await self.outbox.stop()

    def write(self, job: Callable[[Transaction], Any]) -> Any:
        """One transaction, from the test's thread; what its job gives."""
        return self.parts.store.writer.submit(job).result(20)

    def put(self, kid: str, url: str, **more: Any) -> str:
        """Puts a delivery in a transaction of its own; its id."""
        how = {"event_type": TYPE, "data": {"scan_id": "scan_1"}, "subject": "scan_1", **more}
        return str(self.write(lambda tx: self.outbox.put(tx, kid=kid, url=url, **how)))

    def get(self, delivery_id: str) -> Delivery:
        """The delivery as it is listed."""
        return self.deliveries.get(delivery_id)

    async def state(self, delivery_id: str, state: str) -> Delivery:
        """The delivery once it has this state."""
        await until(lambda: self.get(delivery_id).state == state)
        return self.get(delivery_id)

    async def tried(self, delivery_id: str, attempts: int = 1) -> Delivery:
        """The delivery once so many attempts are recorded."""
        await until(lambda: self.get(delivery_id).attempts >= attempts)
        return self.get(delivery_id)

    def listed(self, **query: Any) -> list[str]:
        """Ids of a listing, newest first."""
        return [one.delivery_id for one in self.deliveries.page(DeliveryQuery(**query)).items]

    async def send(self, delivery_id: str) -> Delivery:
        """A person sends it again."""
        return await self.deliveries.send(delivery_id, actor="tester", request_id="req_t")

    def leaves(self, action: str, delivery_id: str) -> list[LoggedEntry]:
        """Leaves of the action about the delivery."""
        return [leaf for leaf in self.parts.leaves(action=action) if delivery_id in str(leaf)]

    def count_leaves(self) -> int:
        """How many leaves the audit log has."""
        with self.parts.store.read() as connection:
            return connection.scalar(text("SELECT count(*) FROM audit_entry")) or 0

    def open_alarms(self, kid: str) -> list[str]:
        """Kinds of the open alarms about the key."""
        return [one.kind for one in self.alarms.open() if one.ref == kid]


def run(work: Any) -> None:
    """On an event loop of its own."""
    asyncio.run(work)
