"""A unit as an outside party writes one: its key, its proofs, its reading of the stream."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from cryptography.hazmat.primitives.asymmetric import ec
from joserfc import jws
from joserfc.jwk import ECKey

from app.registry.messages.jwk import EcJwk
from app.registry.messages.units import UnitBody
from tests.service.capabilities.infrastructure.watch_site import WatchSite

PATH = "/v1/telemetry-stream"


class RunningUnit:
    """A registered unit of a served site."""

    def __init__(self, site: WatchSite, unit_id: str = "unit-1") -> None:
        self.site = site
        self.unit_id = unit_id
        self.actions = ["door.open"]
        self.key = ECKey.import_key(ec.generate_private_key(ec.SECP256R1()))
        self.register()
        self.api = site.make_key()
        self.client = site.client(self.api.key)

    def close(self) -> None:
        """Closes its connections."""
        self.client.close()

    def renew_key(self) -> None:
        """PUT of the unit with another key."""
        self.key = ECKey.import_key(ec.generate_private_key(ec.SECP256R1()))
        self.register()

    def register(self) -> None:
        """PUT of the unit with its present key."""
        members = self.key.as_dict(private=False)
        body = UnitBody(public_key=EcJwk(crv="P-256", x=str(members["x"]), y=str(members["y"])), actions=self.actions)
        self.site.store.writer.submit(
            lambda tx: self.site.registry.units.put_in(tx, self.unit_id, body, "tester")
        ).result(10)

    def delete(self) -> None:
        """DELETE of the unit."""
        asyncio.run(self.site.registry.units.delete(self.unit_id, actor="tester"))

    def proof(self, **claims: Any) -> str:
        """A fresh proof for this site's stream."""
        body = {
            "htm": "GET",
            "htu": self.site.base_url + PATH,
            "iat": int(time.time()),
            "jti": secrets.token_urlsafe(12),
            **claims,
        }
        jwk = {name: self.key.as_dict(private=False)[name] for name in ("kty", "crv", "x", "y")}
        registry = jws.JWSRegistry(algorithms=["ES256"], strict_check_header=False)
        head = {"typ": "dpop+jwt", "alg": "ES256", "jwk": jwk}
        return jws.serialize_compact(head, json.dumps(body), self.key, registry=registry)

    def ask(self, proof: str | None = None, **headers: str) -> httpx.Response:
        """The stream's head with its whole body read: for refusals."""
        return self.client.get(PATH, params=self._params(proof), headers=headers)

    @contextmanager
    def stream(self, proof: str | None = None, **headers: str) -> Iterator[Reader]:
        """An open stream; its opening comment has been read."""
        params = self._params(proof or self.proof())
        with self.client.stream("GET", PATH, params=params, headers=headers) as response:
            reader = Reader(response)
            if response.status_code == 200:
                reader.comment()
            yield reader

    def _params(self, proof: str | None) -> dict[str, str]:
        return {"unit_id": self.unit_id, **({"enclave_sig": proof} if proof is not None else {})}


class Reader:
    """Reads server-sent events as a browser would."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self._lines = response.iter_lines()

    def comment(self) -> str:
        """Lines up to the next comment."""
        return next(line for line in self._lines if line.startswith(":"))

    def event(self) -> tuple[str, str, Any]:
        """The next event: its name, id and data."""
        fields: dict[str, str] = {}
        for line in self._lines:
            if not line:
                if "data" in fields:
                    return fields["event"], fields["id"], json.loads(fields["data"])
                fields = {}
            elif not line.startswith(":"):
                name, _colon, value = line.partition(": ")
                fields[name] = value
        raise EOFError

    def ends(self) -> bool:
        """Reads to the end; True when it comes properly."""
        for _line in self._lines:
            pass
        return True
