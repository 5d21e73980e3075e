"""The way to one service: ``app.client`` with the console's measurements, and the API keys of services elsewhere."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import msgspec

from app.capabilities.gateway.telemetry.messages import TelemetryQuery
from app.client import ApiError, Client, ServerEvent
from app.console.connection.unit_key import UnitKeyPair
from app.console.failures import NobodySignedIn
from app.registry.messages.jwk import Jwk
from app.registry.messages.units import CONSOLE_LAUNCH, UnitBody

STREAM_PATH = "/v1/telemetry-stream"
KEYRING_SERVICE = "arc-console-key"
PATIENCE_S = 30.0
"""The longest that one call waits for its key's bucket (the service says how long, in Retry-After), seconds."""


class ConsoleClient(Client):
    """The client of one service and one key. ``timed`` gets the milliseconds of every call that was answered. A call
    that finds its bucket empty waits for its turn, up to ``PATIENCE_S``, because reading thousands of rows takes many
    calls. With ``reads_alone`` it sends GET alone, and raises NobodySignedIn for anything else."""

    def __init__(self, base_url: str, key: str, timed: Callable[[float], None], *, reads_alone: bool = False) -> None:
        super().__init__(base_url.rstrip("/"), key)
        self.base_url = base_url.rstrip("/")
        self.key = key
        self._reads_alone = reads_alone
        self.clearance = "sovereign" if key.startswith("arc_sov_") else "citadel"
        """What the key's prefix says."""
        self._timed = timed

    async def _call(
        self,
        method: str,
        path: str,
        reply: Any,
        *,
        body: msgspec.Struct | None = None,
        content: bytes | None = None,
        content_type: str = "application/json",
        query: msgspec.Struct | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> Any:
        """Make the call; while the service says that the key's bucket is empty, wait as long as it says and call
        again."""
        if self._reads_alone and method != "GET":
            raise NobodySignedIn
        patience = PATIENCE_S
        while True:
            began = time.perf_counter()
            try:
                answer = await super()._call(
                    method,
                    path,
                    reply,
                    body=body,
                    content=content,
                    content_type=content_type,
                    query=query,
                    headers=headers,
                )
            except ApiError as refused:
                # Refused before anything was done, so the same request may be sent again when the service allows it.
                wait = refused.retry_after
                if refused.code != "rate_limited" or wait is None or wait > patience:
                    raise
                patience -= wait
                await asyncio.sleep(wait)
            else:
                self._timed((time.perf_counter() - began) * 1000)
                return answer


class UnitStream:
    """A ``live.TelemetrySource``. The console is a unit: it registers itself before the first connect, and again when
    its proof was refused (the service was restored from a backup, or the unit was deleted)."""

    def __init__(
        self, client: ConsoleClient, key: UnitKeyPair, unit_id: str, display_name: str, now: Callable[[], float]
    ) -> None:
        """``now``: Unix time by the service's clock, which judges how old a proof is."""
        self._client = client
        self._key = key
        self._unit_id = unit_id
        self._name = display_name
        self._now = now
        self._registered = False

    async def register(self) -> None:
        """Have the unit in the registry: a stream, and a session of an operator, are bound to it."""
        if not self._registered:
            jwk = msgspec.convert({**self._key.jwk, "alg": "ES256", "use": "sig"}, Jwk)
            await self._client.registry_put_unit(
                self._unit_id,
                UnitBody(public_key=jwk, actions=[], display_name=self._name, tags=[CONSOLE_LAUNCH]),
            )
            self._registered = True

    async def follow(self, last_event_id: str, heard: Callable[[], None]) -> AsyncIterator[ServerEvent]:
        """Connect once with a new proof and yield events until the stream ends."""
        await self.register()
        self._client.heard = heard
        try:
            async for event in self._client.gateway_telemetry_stream(
                query=TelemetryQuery(unit_id=self._unit_id),
                arc_enclave_sig=self._key.proof("GET", self._client.base_url + STREAM_PATH, now=self._now()),
                last_event_id=last_event_id or None,
            ):
                yield event
        except ApiError as refused:
            if refused.code in ("proof_invalid", "not_found"):
                self._registered = False
            raise

    async def forget(self) -> None:
        """Take the unit out of the registry: the console closes."""
        if self._registered:
            self._registered = False
            await self._client.registry_delete_unit(self._unit_id)


def unit_id(key: UnitKeyPair) -> str:
    """Name of this launch of the console in the registry: no other console, of this machine or user or of any, has
    it."""
    return f"console-{key.thumbprint[:16].replace('_', '.')}"


def recall_key(url: str) -> str:
    """The API key kept for that service; empty when there is none, or no keyring. Blocks."""
    import keyring
    import keyring.errors

    try:
        return keyring.get_password(KEYRING_SERVICE, url) or ""
    except (keyring.errors.KeyringError, OSError):
        return ""


def remember_key(url: str, key: str) -> bool:
    """Keep the API key in the keyring; False when there is no keyring. Blocks."""
    import keyring
    import keyring.errors

    try:
        keyring.set_password(KEYRING_SERVICE, url, key)
    except (keyring.errors.KeyringError, OSError):
        return False
    return True
