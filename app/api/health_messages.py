"""What crosses the wire of the health endpoints."""

from __future__ import annotations

from typing import Literal

from app.api.wire import Reply, Timestamp


class Alive(Reply, kw_only=True):
    """GET ``/healthz``: the process answers. It says nothing else, since it needs no key."""

    status: Literal["ok"] = "ok"


class SignedStatement(Reply, kw_only=True):
    """A flattened JWS (RFC 7515, 7.2.2; EdDSA): base64url texts. ``typ`` of the protected header is ``arc-site``, its
    ``x5c`` leads to the site's root."""

    payload: str
    protected: str
    signature: str


class SiteStatement(Reply, kw_only=True):
    """What the site says that it is, signed for this answer at ``at``: the payload of ``SignedStatement``."""

    profile: Literal["training", "production"]
    site_id: str
    version: str
    at: Timestamp


class Ready(Reply, kw_only=True):
    """GET ``/readyz``: everything that the service needs works. ``checks`` are the names of what was looked at.
    ``profile``, ``site_id`` (16 hexadecimal digits) and ``version`` (of the program) are those of ``statement``, the
    signed form of them, which the 503 of a service that is not ready bears as well. A program believes the statement
    alone, once its chain ends in a root that it knows or pins."""

    ready: bool
    checks: list[str]
    profile: Literal["training", "production"]
    site_id: str
    version: str
    statement: SignedStatement
