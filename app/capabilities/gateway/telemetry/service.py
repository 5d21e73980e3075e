"""Opens the telemetry stream: a unit proves its registered key, once, and the stream ends with the unit's key or the
API key that it was opened with."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from typing import Any

from sqlalchemy import Row, delete, func, insert, select
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.exc import IntegrityError

from app.api.keys import KeyRing
from app.api.lineage import LAUNCH_KID, is_session
from app.api.problems import Problem
from app.api.tables import api_key
from app.capabilities.gateway.telemetry.proof import EnclaveProof, ProofInvalid, verify
from app.capabilities.gateway.telemetry.stream import Hub, Stream
from app.capabilities.gateway.telemetry.tables import proof_horizon, proof_used
from app.registry.service import Registry
from app.registry.units import UnitKey
from app.store.engine import Store
from app.store.errors import StoreError
from app.store.writer import DENIED, ActOutcome, Transaction

log = logging.getLogger(__name__)

OPENED = "gateway.telemetry_open"
STREAMS_PER_UNIT = 16
STREAMS_MAX = 4096
_PROOF_KEPT_US = 86_400 * 1_000_000
"""A proof is fresh for two minutes at most. Its row is kept for a day; afterwards ``proof_horizon`` speaks for it."""
LEFT_US = 10 * 60 * 1_000_000
"""So long a console may be away before its unit is deleted."""
SWEPT = 200
"""Units that one sweep deletes at most."""
_KEYS_EVERY_S = 15.0
_PRUNE_ROWS = 1000


class Telemetry:
    """Order of life: construct before the registry starts; ``start()`` and ``stop()`` on the event loop."""

    def __init__(self, *, store: Store, registry: Registry, hub: Hub, keyring: KeyRing) -> None:
        self._store = store
        self._registry = registry
        self._hub = hub
        self._keyring = keyring
        self._watch: asyncio.Task[None] | None = None
        registry.units.on_change(self._unit_changed)
        keyring.on_revoke(hub.close_key)

    # --- life ---

    async def start(self) -> None:
        """Starts the fan-out and the watch over expiring keys."""
        self._hub.start()
        self._watch = asyncio.create_task(self._watch_keys(), name="telemetry-keys")

    async def stop(self) -> None:
        """Ends every stream."""
        if self._watch is not None:
            self._watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watch
        await self._hub.stop()

    async def _watch_keys(self) -> None:
        """Ends the streams of keys that have expired. A stream outlives the call that opened it, but not its key, and
        no event tells of an expiry."""
        while True:
            await asyncio.sleep(_KEYS_EVERY_S)
            held = self._hub.keys() - {LAUNCH_KID}
            # One that ended while its call was being judged found no stream to end.
            for session_id in filter(is_session, held):
                if not self._keyring.is_session_open(session_id):
                    self._hub.close_key(session_id)
            keys = {key for key in held if not is_session(key)}
            if not keys:
                continue
            try:
                alive = await asyncio.to_thread(self._alive, keys)
            except StoreError:
                log.warning("the keys of open streams could not be looked at", exc_info=True)
                continue
            for key_id in keys - alive:
                self._hub.close_key(key_id)

    def _alive(self, keys: set[str]) -> set[str]:
        now_us = time.time_ns() // 1000
        with self._store.read() as connection:
            rows = connection.execute(
                select(api_key.c.kid, api_key.c.expires_us)
                .where(api_key.c.revoked_us.is_(None))
                .where(api_key.c.kid.in_(sorted(keys)))
            )
            return {row.kid for row in rows if row.expires_us is None or row.expires_us > now_us}

    def _unit_changed(self, tx: Transaction, unit_id: str, before: Row[Any] | None) -> None:
        after = self._registry.units.row(tx.connection, unit_id)
        if before is not None and (after is None or after.thumbprint != before.thumbprint):
            tx.after_commit(lambda: self._hub.close_unit(unit_id))

    def sweep(self, tx: Transaction) -> int:
        """Deletes the units of consoles that were killed: of a launch, ``LEFT_US`` old, without a stream; how many. A
        console that lives registers itself again."""
        units = self._registry.units
        left = units.left_behind(tx.connection, tx.now_us - LEFT_US)
        gone = [unit_id for unit_id in left if self._hub.streams_of(unit_id) == 0]
        for unit_id in gone[:SWEPT]:
            units.delete_in(tx, unit_id, "service")
        return len(gone[:SWEPT])

    # --- the call ---

    async def open(
        self,
        *,
        unit_id: str,
        enclave_sig: str | None,
        url: str,
        access_token: str | None,
        last_event_id: str | None,
        key_id: str,
        grant_id: str,
        request_id: str,
    ) -> Stream:
        """The stream for a unit that proves its key; it lasts as long as ``grant_id``, a key or a session. 403
        ``proof_invalid``, 409 ``replayed``: both leave a leaf. 429 ``rate_limited``: too many streams are open."""
        unit = await asyncio.to_thread(self._registry.unit_key, unit_id)
        try:
            proof = _proof(unit, enclave_sig, url, access_token)
        except ProofInvalid as error:
            await self._refuse(unit_id, str(error), key_id, request_id)
            raise Problem("proof_invalid", str(error)) from error
        if self._hub.readers >= STREAMS_MAX or self._hub.streams_of(unit_id) >= STREAMS_PER_UNIT:
            raise Problem(
                "rate_limited",
                f"A unit has at most {STREAMS_PER_UNIT} streams and this service {STREAMS_MAX}; close one.",
                headers={"Retry-After": "5"},
            )
        # Open before the transaction: a change of the unit's row after it then finds the stream and ends it.
        stream = self._hub.open(unit_id, grant_id, last_event_id)
        try:
            fault = await self._store.writer.run(lambda tx: self._admit(tx, unit_id, proof, key_id, request_id))
            if fault is not None:
                raise fault
        except BaseException:
            stream.close()
            raise
        return stream

    def _admit(
        self, tx: Transaction, unit_id: str, proof: tuple[UnitKey, EnclaveProof], key_id: str, request_id: str
    ) -> Problem | None:
        """Uses the proof up. A refusal is returned, not raised, so that its leaf stays."""
        unit, used = proof
        row = self._registry.units.row(tx.connection, unit_id)
        fault = None
        if row is None or row.thumbprint != unit.thumbprint:
            fault = Problem("proof_invalid", "The unit's key was changed meanwhile; sign with the registered one.")
        elif used.iat <= _horizon(tx):
            fault = Problem(
                "replayed", "A proof of this time may have been used before: set the clocks, then sign a new proof."
            )
        else:
            _prune(tx)
            try:
                # Never counted from before its own time: the store's may be behind a clock that jumped ahead.
                used_us = max(tx.now_us, used.iat * 1_000_000)
                tx.connection.execute(insert(proof_used).values(digest=used.digest, until_us=used_us + _PROOF_KEPT_US))
            except IntegrityError:
                fault = Problem("replayed", "This proof was used before; sign a new one with a new jti.")
        _leaf(tx, unit_id, key_id, request_id, fault.detail if fault is not None else None)
        return fault

    async def _refuse(self, unit_id: str, reason: str, key_id: str, request_id: str) -> None:
        await self._store.writer.run(lambda tx: _leaf(tx, unit_id, key_id, request_id, reason))


def _proof(
    unit: UnitKey | None, enclave_sig: str | None, url: str, access_token: str | None
) -> tuple[UnitKey, EnclaveProof]:
    """The unit with the proof that holds for it; ``ProofInvalid`` where one is missing or the proof does not hold."""
    if enclave_sig is None:
        raise ProofInvalid("Send the unit's proof as enclave_sig or in the header Arc-Enclave-Sig.")
    if unit is None:
        raise ProofInvalid("No such unit is registered; PUT it under /v1/registry/units with its public key.")
    return unit, verify(
        enclave_sig,
        registered=unit.public_key,
        method="GET",
        url=url,
        now_s=time.time(),
        access_token=access_token,
    )


def _horizon(tx: Transaction) -> int:
    """Unix seconds up to which a proof may be one whose row was deleted."""
    return tx.connection.scalar(select(proof_horizon.c.iat)) or 0


def _prune(tx: Transaction) -> None:
    """Deletes rows that have ended, and keeps in mind which proofs they can have been of."""
    old = tx.connection.execute(
        select(proof_used.c.digest, proof_used.c.until_us)
        .where(proof_used.c.until_us <= tx.now_us)
        .order_by(proof_used.c.until_us)
        .limit(_PRUNE_ROWS)
    ).all()
    if not old:
        return
    tx.connection.execute(delete(proof_used).where(proof_used.c.digest.in_([row.digest for row in old])))
    used_us = old[-1].until_us - _PROOF_KEPT_US
    add = upsert(proof_horizon).values(one=1, iat=used_us // 1_000_000)
    tx.connection.execute(
        add.on_conflict_do_update(
            index_elements=[proof_horizon.c.one], set_={"iat": func.max(proof_horizon.c.iat, add.excluded.iat)}
        )
    )


def _leaf(tx: Transaction, unit_id: str, key_id: str, request_id: str, refusal: str | None) -> None:
    outcome = ActOutcome.ACCEPTED if refusal is None else DENIED
    detail = {} if refusal is None else {"reason": refusal}
    tx.audit(OPENED, actor=key_id, outcome=outcome, unit_id=unit_id, request_id=request_id, detail=detail)
