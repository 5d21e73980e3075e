"""``/healthz``, ``/readyz``, ``/metrics`` and the OpenAPI document."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from app.api.health_messages import Alive, Ready, SignedStatement, SiteStatement
from app.api.metrics import CONTENT_TYPE, Metrics
from app.api.operation import Answer, Call, Clearance, Endpoint, Rate
from app.api.problems import Problem
from app.api.roles import ANY_ROLE
from app.api.wire import FieldError

Introduction = Callable[[], tuple[SiteStatement, SignedStatement]]
"""What the site says that it is, and the same signed. Called on the event loop for each answer."""

Check = Callable[[], str | None]
"""None if all is well, else a sentence with the remedy. Called on the event loop: it must be quick."""


class Health:
    """What the service says of itself. Parts register their checks and gauges."""

    def __init__(self, metrics: Metrics) -> None:
        self.metrics = metrics
        self._describe: Callable[[], bytes] = bytes
        self._document = b""
        self._describing = threading.Lock()
        self._checks: dict[str, Check] = {}
        self._introduce: Introduction | None = None

    def introduce_by(self, introduce: Introduction) -> None:
        """Take what signs the site's statement. Before the service starts."""
        self._introduce = introduce

    def describe_by(self, describe: Callable[[], bytes]) -> None:
        """Take what makes the interface's document, JSON. Before the service starts."""
        self._describe = describe

    def document(self) -> bytes:
        """The interface's document. It is made at the first call, half a second of work for which no start waits; calls
        at the same time wait for the one that makes it. On a thread that may block."""
        with self._describing:
            if not self._document:
                self._document = self._describe()
        return self._document

    def check(self, name: str, look: Check) -> None:
        """Register a part that the service cannot be ready without. A name is taken once."""
        if name in self._checks:
            raise ValueError(f"a check has this name already: {name}")
        self._checks[name] = look

    def failures(self) -> dict[str, str]:
        """What is wrong now, by check."""
        found = {}
        for name, look in self._checks.items():
            reason = look()
            if reason is not None:
                found[name] = reason
        return found

    def ready(self) -> Ready:
        """``Ready``, or ``Problem`` 503 that names each failed check in ``errors``. The 503 has no statement where
        a first start was cut short before the site could sign one."""
        introduced = None if self._introduce is None else self._introduce()
        failures = self.failures()
        if failures:
            raise Problem(
                "dependency_unavailable",
                "The service is not ready: see errors for what to do.",
                errors=[FieldError(pointer=f"/checks/{name}", detail=reason) for name, reason in failures.items()],
                headers={"Retry-After": "5"},
                extra={} if introduced is None else {"statement": introduced[1]},
            )
        if introduced is None:
            raise RuntimeError("no part of the service signs the site's statement")
        said, statement = introduced
        return Ready(
            ready=True,
            checks=sorted(self._checks),
            profile=said.profile,
            site_id=said.site_id,
            version=said.version,
            statement=statement,
        )


async def _alive(_service: Health, _call: Call[None, None]) -> Alive:
    return Alive()


async def _ready(service: Health, _call: Call[None, None]) -> Ready:
    return service.ready()


async def _metrics(service: Health, _call: Call[None, None]) -> Answer:
    return Answer(service.metrics.text().encode(), media_type=CONTENT_TYPE)


async def _openapi(service: Health, _call: Call[None, None]) -> Answer:
    return Answer(await asyncio.to_thread(service.document))


OPERATIONS: tuple[Endpoint, ...] = (
    Endpoint(
        name="health.alive",
        method="GET",
        path="/healthz",
        handler=_alive,
        summary="Whether the process answers",
        clearance=Clearance.OPEN,
        roles=ANY_ROLE,
        response=Alive,
        rate=Rate.HEALTH,
    ),
    Endpoint(
        name="health.ready",
        method="GET",
        path="/readyz",
        handler=_ready,
        summary="Whether everything that the service needs works, and which site it is, signed",
        clearance=Clearance.OPEN,
        roles=ANY_ROLE,
        response=Ready,
        rate=Rate.HEALTH,
    ),
    Endpoint(
        name="health.metrics",
        method="GET",
        path="/metrics",
        handler=_metrics,
        summary="Counts and gauges as OpenMetrics text",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        media_type=CONTENT_TYPE,
        rate=Rate.HEALTH,
    ),
    Endpoint(
        name="health.openapi",
        method="GET",
        path="/v1/openapi.json",
        handler=_openapi,
        summary="This interface as an OpenAPI 3.1 document",
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        rate=Rate.HEALTH,
    ),
)
