"""What crosses the wire of the health endpoints."""

from __future__ import annotations

from typing import Literal

from app.api.wire import Reply


class Alive(Reply, kw_only=True):
    """GET ``/healthz``: the process answers. It says nothing else, since it needs no key."""

    status: Literal["ok"] = "ok"


class Ready(Reply, kw_only=True):
    """GET ``/readyz``: everything that the service needs works. ``checks`` are the names of what was looked at."""

    ready: bool
    checks: list[str]
