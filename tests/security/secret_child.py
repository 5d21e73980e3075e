"""Serves three rows that get the same body: one that keeps nothing of it, one that is slow with it, and one that reads
it as any service would: ``python -m tests.security.secret_child DIR``."""

from __future__ import annotations

import asyncio
import base64
import sys
from pathlib import Path

from app.api.guard import GuardPolicy
from app.api.operation import Call, Clearance, Endpoint, Rate
from app.api.roles import ANY_ROLE
from app.api.secret import decode_base64
from app.api.wire import Base64, Reply, Request
from app.service import serving as serve
from tests.service.api.api_site import ApiSite, Sample

BODY_S = 0.5
"""Time for a body of this service."""


class Kept(Request, kw_only=True):
    """A value that must not stay."""

    value: Base64
    name: str = ""


class Naive(Request, kw_only=True):
    """The same, as text."""

    value: str


class Length(Reply, kw_only=True):
    """How many bytes came, and their sum."""

    bytes: int
    sum: int


async def _clean(service: Sample, call: Call[Kept, None]) -> Length:
    with decode_base64(call.body.value, "/value", limit=1 << 16) as value:
        return Length(bytes=len(value), sum=sum(value))


async def _late(service: Sample, call: Call[Kept, None]) -> Length:
    """Works on past its time limit, as a change does."""
    await asyncio.sleep(0.1)
    service.runs += 1
    return await _clean(service, call)


async def _naive(service: Sample, call: Call[Naive, None]) -> Length:
    value = base64.b64decode(call.body.value)
    return Length(bytes=len(value), sum=sum(value))


def _row(name: str, handler: object, request: type[Request], *, secret: bool, timeout_s: float = 30.0) -> Endpoint:
    return Endpoint(
        name=f"sample.{name}",
        method="POST",
        path=f"/v1/sample/{name}",
        handler=handler,  # type: ignore[arg-type]
        summary=name,
        clearance=Clearance.SOVEREIGN,
        roles=ANY_ROLE,
        request=request,
        response=Length,
        rate=Rate.WRITE,
        body_limit=64 << 10,
        secret=secret,
        timeout_s=timeout_s,
    )


ROWS = (
    _row("clean", _clean, Kept, secret=True),
    _row("late", _late, Kept, secret=True, timeout_s=0.02),
    _row("naive", _naive, Naive, secret=False),
)


def main() -> int:
    """Serve until stopped; the first line on stderr is the key."""

    def assemble() -> serve.Assembly:
        site = ApiSite(Path(sys.argv[1]), rows=ROWS)

        async def stop() -> None:
            site.close()

        return serve.Assembly(site.table, {"sample": site.sample}, site.context, stop=stop)

    return serve.serve(assemble, serve.Launch(supervised=True, policy=GuardPolicy(body_deadline_s=BODY_S)))


if __name__ == "__main__":
    sys.exit(main())
