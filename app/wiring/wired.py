"""What a capability gives back, and how it is declared."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from cryptography import x509

from app.api import metrics
from app.api.operation import Endpoint
from app.delivery.events import GrantHolder, PersonRecords
from app.ledger.check.fsck import Check
from app.registry.service import Sweep
from app.wiring.parts import Parts

FsckPart = Callable[[Sequence[x509.Certificate]], Check]
"""Makes one check of what a capability derives from the logs; it is given the site's roots."""


async def nothing() -> None:
    """The start of a part that only needs to be stopped."""


@dataclass(frozen=True)
class Life:
    """A part that runs: ``start`` on the event loop before the service answers, ``stop`` after its last answer. Parts
    are started in the order of the wiring and stopped in the opposite one."""

    start: Callable[[], Awaitable[None]]
    stop: Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class Gauge:
    """One gauge of ``/metrics``, as ``app.api.metrics.Metrics.gauge`` takes it."""

    name: str
    description: str
    read: metrics.Gauge


@dataclass(frozen=True)
class Wired:
    """One capability of a running site. ``services`` by the names that its rows say (``Endpoint.served_by``)."""

    services: Mapping[str, object]
    lives: Sequence[Life] = ()
    sweeps: Sequence[Sweep] = ()
    """Called each minute, to record what time has ended."""
    grant_holders: Sequence[GrantHolder] = ()
    personal_records: Sequence[PersonRecords] = ()
    lasting: frozenset[str] = frozenset()
    gauges: Sequence[Gauge] = ()
    health: Mapping[str, Callable[[], str | None]] = field(default_factory=dict)
    """What ``/readyz`` asks: a sentence while something is wrong."""


@dataclass(frozen=True)
class Capability:
    """One capability, as its ``wiring`` module declares it. ``operations`` and ``fsck`` stand without a site."""

    name: str
    operations: tuple[Endpoint, ...]
    wire: Callable[[Parts], Wired]
    fsck: tuple[FsckPart, ...] = ()
