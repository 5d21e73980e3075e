"""What the application stands on: the parts that every endpoint shares, made once for a site."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.api.health import Health
from app.api.idempotency import Replies
from app.api.keys import KeyRing
from app.api.logs import RequestLog
from app.api.metrics import Metrics
from app.api.operation import Rate
from app.api.rates import RateRule, Rates
from app.api.refusals import Refusals
from app.site.settings import RateSettings, Settings
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.keys import Keys


@dataclass
class Context:
    """Made by ``open``. ``hosts`` is filled by ``serve`` once the port is known; until then every Host is refused."""

    keyring: KeyRing
    rates: Rates
    metrics: Metrics
    refusals: Refusals
    replies: Replies
    health: Health
    request_log: RequestLog | None
    training: bool
    hosts: set[bytes] = field(default_factory=set)

    @classmethod
    def open(cls, store: Store, keys: Keys, settings: Settings, *, training: bool, request_log: bool = True) -> Context:
        """The shared parts over ``store`` and the site's keys."""
        metrics = Metrics()
        health = Health(metrics)
        health.check("store", lambda: store.probe().reason)
        metrics.gauge("writer_waiting", "Jobs that wait for the writer.", lambda: store.writer.waiting)
        metrics.gauge("writer_busy_seconds", "Age of the commit in progress.", lambda: store.writer.busy_s)
        metrics.gauge("disk_free_bytes", "Free space of the store's disk.", lambda: store.probe().free_bytes)
        return cls(
            keyring=KeyRing(
                store,
                peppers=keys.secrets("pepper"),
                cursors=Cursors.of(keys),
                overlap_s=int(settings.key_overlap_s),
            ),
            rates=Rates(rules(settings.rates)),
            metrics=metrics,
            refusals=Refusals(store.writer),
            replies=Replies(store, keys.secret("idempotency"), int(settings.idempotency_s * 1_000_000)),
            health=health,
            request_log=RequestLog() if request_log else None,
            training=training,
        )

    async def close(self) -> None:
        """Hand the last counts to the store. Call before it closes."""
        await self.refusals.flush()
        self.keyring.close()
        if self.request_log is not None:
            self.request_log.flush()


def rules(settings: RateSettings) -> Mapping[Rate, RateRule]:
    """The buckets that a site's settings ask for."""
    return {
        rate: RateRule(
            getattr(settings, f"{rate.value}_per_minute") / 60.0,
            getattr(settings, f"{rate.value}_burst"),
        )
        for rate in Rate
    }
