"""Operators of a served site: made as the command line makes them, signed in as a console does."""

from __future__ import annotations

import base64
import json
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from app.api.roles import Role
from app.operators.messages import OperatorBody, SignInMethod
from app.service.assembly import create_operator
from app.site.site import Site
from tests.served_site import ServedSite

PASSPHRASE = "correct horse battery staple"
UNIT = "desk-1"
UNIT_KEY = {
    "kty": "OKP",
    "crv": "Ed25519",
    # RFC 8037, appendix A.2.
    "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
}


def encode(passphrase: str) -> str:
    """A passphrase as it crosses the wire."""
    return base64.b64encode(unicodedata.normalize("NFC", passphrase).encode()).decode()


def register_unit(site: ServedSite, unit_id: str = UNIT) -> None:
    """The console unit that sessions are bound to."""
    answer = site.put(f"/v1/registry/units/{unit_id}", {"public_key": UNIT_KEY, "actions": []})
    assert answer.status_code in (200, 201), answer.text


def make_operator(
    site: ServedSite,
    *roles: Role,
    name: str = "Somebody",
    node_id: str | None = None,
    methods: Sequence[SignInMethod] = ("passphrase",),
    passphrase: str | None = PASSPHRASE,
) -> str:
    """An operator of a line of its own; its id."""
    body = OperatorBody(display_name=name, roles=list(roles), node_id=node_id, methods=list(methods))
    secret = None if passphrase is None else memoryview(passphrase.encode())
    return create_operator(Site.existing(site.data_dir), body, secret)


def sign_in(site: ServedSite, operator_id: str, passphrase: str = PASSPHRASE, unit_id: str = UNIT) -> httpx.Response:
    """The call by which a console signs an operator in."""
    body = {"operator_id": operator_id, "unit_id": unit_id, "passphrase": encode(passphrase)}
    return site.post("/v1/operators/sign-in/passphrase", body)


class SignedInOperator:
    """A session: calls are made with its key."""

    def __init__(self, site: ServedSite, operator_id: str, answer: httpx.Response | None = None) -> None:
        self.site = site
        self.operator_id = operator_id
        answer = sign_in(site, operator_id) if answer is None else answer
        assert answer.status_code == 200, answer.text
        said = answer.json()
        self.key: str = said["key"]
        self.session: dict[str, Any] = said["session"]

    def call(self, method: str, path: str, body: object | None = None, **headers: str) -> httpx.Response:
        """One call; ``body`` None: without a body."""
        sent = {"Authorization": f"Bearer {self.key}", **headers}
        if body is None:
            return self.site.client.request(method, path, headers=sent)
        sent = {"Content-Type": "application/json", **sent}
        return self.site.client.request(method, path, headers=sent, content=json.dumps(body).encode())

    def is_in(self) -> bool:
        """Whether the key opens calls."""
        return self.call("GET", "/v1/operators/session").status_code == 200


def audited(site: ServedSite, **criteria: object) -> list[dict[str, Any]]:
    """The audit entries of the last 300 days with these criteria, newest first."""
    to = datetime.now(UTC) + timedelta(days=1)
    body = {"range": f"P300D/{to:%Y-%m-%dT%H:%M:%SZ}", "criteria": {**criteria, "limit": 500}}
    answer = site.post("/v1/audit-log-query", body)
    assert answer.status_code == 200, answer.text
    entries: list[dict[str, Any]] = answer.json()["entries"]
    return entries
