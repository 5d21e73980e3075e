"""The revocation log: a hash chain of segments, each a leaf of the audit log and sealed by a C2PA sidecar manifest.

In two steps, each durable. *Promised*: number, bytes and leaf are written in the transaction that also decides what
they hold, so a segment has one content for ever. *Sealed*: its manifest, made on a thread of its own. A crash between
leaves a promised segment, which the next start seals.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any, Literal, Protocol

from sqlalchemy import Connection, Row, Select, bindparam, insert, select, update

from app.api.wire import rfc3339
from app.capabilities.burn.log.segments import (
    LABEL,
    NOTHING,
    SEALED,
    Earlier,
    SegmentHead,
    SegmentTarget,
    assertion_of,
    write_segment,
)
from app.capabilities.burn.messages import BurnLog
from app.capabilities.burn.tables import burn, burn_segment, burn_target, count_unproven, tell_targets
from app.capabilities.burn.targets import FINAL
from app.delivery.alarms import AlarmBook
from app.ledger.tables import audit_entry
from app.ledger.tree.leaf import leaf_hash
from app.site.site import Site
from app.store.engine import Store
from app.store.errors import StoreError
from app.store.tables import json_text
from app.store.writer import Transaction

log = logging.getLogger(__name__)

UNSEALED = "burn.unsealed"
_AT_ONCE = 32
_NEWEST: Select[Any] = (
    select(burn_segment.c.number, burn_segment.c.sha256, burn_segment.c.open)
    .order_by(burn_segment.c.number.desc())
    .limit(1)
)
_NEWEST_OF = _NEWEST.where(burn_segment.c.burn_id == bindparam("of"))
_OPEN = (
    select(burn_target.c.target_id)
    .where(burn_target.c.burn_id == bindparam("of"), burn_target.c.state.not_in(FINAL))
    .order_by(burn_target.c.position)
)
_BURN = select(burn).where(burn.c.burn_id == bindparam("of"))
_PROMISE = insert(burn_segment)
_UNSIGNED = (
    select(burn_segment).where(burn_segment.c.manifest.is_(None)).order_by(burn_segment.c.number).limit(_AT_ONCE)
)
_SEAL = (
    update(burn_segment)
    .where(burn_segment.c.number == bindparam("at"), burn_segment.c.manifest.is_(None))
    .values(manifest=bindparam("signed"))
)
_RETRY_S = 1.0
_RETRY_MOST_S = 60.0

Step = Literal["promised", "sealed"]


class ManifestSigner(Protocol):
    """Signs manifests, on one thread at a time (``app.ledger.sidecar.SidecarSigner``)."""

    def sign(self, data: bytes, title: str, label: str, assertion: Mapping[str, object]) -> bytes:
        """The sidecar manifest of ``data``."""


class RevocationLog:
    """``promise`` and ``follow_up`` run inside a writer's transaction, everything else on the event loop."""

    def __init__(
        self, site: Site, store: Store, sealer: ManifestSigner, alarms: AlarmBook, *, failpoint: Callable[[Step], None]
    ) -> None:
        self._site = site
        self._store = store
        self._sealer = sealer
        self._alarms = alarms
        self._failpoint = failpoint
        self._thread: ThreadPoolExecutor | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._promised = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._waiting: dict[str, asyncio.Future[BurnLog]] = {}

    # --- life ---

    def start(self) -> None:
        """Loads the signer's library beside the start, then seals what a crash left promised. To be called after every
        ``expect`` for burns that were there."""
        self._loop = asyncio.get_running_loop()
        self._promised.set()
        self._thread = ThreadPoolExecutor(1, "segment-sealer")
        self._task = self._loop.create_task(self._seal_all(self._thread))

    async def stop(self) -> None:
        """Ends the sealing; what is promised is sealed at the next start."""
        self._loop = None
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._thread is not None:
            await asyncio.to_thread(self._thread.shutdown)

    # --- inside a transaction ---

    def promise(self, tx: Transaction, burn_id: str) -> None:
        """The burn's first segment, or a follow-up with all that was proven or has lost its proof since its last
        one."""
        self._promise(tx, burn_id, first=True)

    def follow_up(self, tx: Transaction, burn_id: str) -> None:
        """A follow-up, if the burn has a segment and a target stands otherwise since."""
        self._promise(tx, burn_id, first=False)

    def _promise(self, tx: Transaction, burn_id: str, *, first: bool) -> None:
        """Writes the burn's next segment with its leaf, if there is something to say. ``first``: also if the burn has
        none yet."""
        connection = tx.connection
        before = _newest(connection, burn_id)
        if before is None and not first:
            return
        targets = tell_targets(connection, burn_id)
        if before is not None and not targets:
            return
        still_open = list(connection.scalars(_OPEN, {"of": burn_id}))
        head = self._head(tx, burn_id, before, len(targets), len(still_open))
        body = write_segment(head, [_line(row) for row in targets])
        digest = sha256(body).hexdigest()
        detail = {"burn_id": burn_id, "segment": head.segment, "sha256": digest}
        leaf = tx.audit(SEALED, actor="service", node_id=head.node_id, detail=detail)
        row = {
            "number": head.segment,
            "burn_id": burn_id,
            "leaf": leaf,
            "body": body,
            "sha256": digest,
            "open": json_text(still_open),
            "made_us": tx.now_us,
        }
        connection.execute(_PROMISE, row)
        tx.after_commit(self._wake)

    def _head(
        self, tx: Transaction, burn_id: str, before: Row[Any] | None, targets: int, still_open: int
    ) -> SegmentHead:
        """The first line of the site's next segment; ``before``: the burn's segment before it."""
        of = tx.connection.execute(_BURN, {"of": burn_id}).one()
        delivered, unlinked = count_unproven(tx.connection, burn_id)
        newest = _newest(tx.connection)
        return SegmentHead(
            log=self._site.origin("audit"),
            segment=0 if newest is None else newest.number + 1,
            prev_sha256=NOTHING if newest is None else newest.sha256,
            follows=None if before is None else Earlier(before.number, before.sha256),
            burn_id=burn_id,
            node_id=of.node_id,
            scope=of.scope,
            reason=of.reason,
            epoch=of.epoch,
            burned_at=rfc3339(of.created_us),
            made_at=rfc3339(tx.now_us),
            state="PARTIAL" if of.completed_us is None else "COMPLETE",
            targets=targets,
            open=still_open,
            delivered=delivered,
            unlinked=unlinked,
            drill=bool(of.drill),
            training=self._site.training,
        )

    def _wake(self) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._promised.set)

    # --- the event loop ---

    def expect(self, burn_id: str) -> asyncio.Future[BurnLog]:
        """Gives where the burn's first segment stands once that is sealed. To be called as soon as the burn is durable:
        a segment that was sealed before the call is not reported."""
        return self._waiting.setdefault(burn_id, asyncio.get_running_loop().create_future())

    async def _seal_all(self, thread: ThreadPoolExecutor) -> None:
        """Seals what is promised, as often as something is; tries again for ever, with an alarm while it fails."""
        loop = asyncio.get_running_loop()
        pause = _RETRY_S
        failed = False
        await loop.run_in_executor(thread, self._warm_up)
        while True:
            await self._promised.wait()
            self._promised.clear()
            try:
                while manifests := await loop.run_in_executor(thread, self._sign):
                    self._failpoint("promised")
                    await self._keep(manifests)
                    self._failpoint("sealed")
                if failed:
                    await self._store.writer.run(lambda tx: self._alarms.clear(tx, UNSEALED, "signer"))
                    failed = False
                pause = _RETRY_S
            except Exception as error:
                # On any error: what is promised stays so, an alarm says it, and it is tried again for ever.
                log.error("segments of the revocation log wait for their manifests", exc_info=error)
                failed = await self._raise_unsealed() or failed
                await asyncio.sleep(pause)
                pause = min(2 * pause, _RETRY_MOST_S)
                self._promised.set()

    async def _raise_unsealed(self) -> bool:
        """Raises the alarm; whether the store took it."""
        text = "Segments of the revocation log cannot be sealed; burns go on. See the service's log."
        try:
            await self._store.writer.run(lambda tx: self._alarms.raise_alarm(tx, UNSEALED, "signer", text))
        except StoreError:
            return False
        return True

    async def _keep(self, manifests: Mapping[int, tuple[str, bytes]]) -> None:
        def job(tx: Transaction) -> dict[str, BurnLog]:
            tx.connection.execute(
                _SEAL, [{"at": number, "signed": manifest} for number, (_, manifest) in manifests.items()]
            )
            return places(tx.connection, [burn_id for burn_id, _ in manifests.values()])

        # Urgent: an answer waits for it.
        for burn_id, place in (await self._store.writer.run(job, urgent=True)).items():
            future = self._waiting.pop(burn_id, None)
            if future is not None:
                future.set_result(place)

    # --- the sealer's thread ---

    def _warm_up(self) -> None:
        try:
            self._sealer.sign(b"{}", "warm-up", LABEL, {})
        except Exception:
            log.exception("the signer of the revocation log does not work")

    def _sign(self) -> dict[int, tuple[str, bytes]]:
        """The oldest promised segments by their numbers: of which burn each is, and its manifest."""
        with self._store.read() as connection:
            rows = connection.execute(_UNSIGNED).all()
        return {row.number: (row.burn_id, self._manifest(row)) for row in rows}

    def _manifest(self, row: Row[Any]) -> bytes:
        statement = assertion_of(row.number, row.burn_id, bytes(row.body))
        return self._sealer.sign(bytes(row.body), f"Revocation log, segment {row.number}", LABEL, statement)


def places(connection: Connection, burn_ids: list[str]) -> dict[str, BurnLog]:
    """Where the first sealed segments of these burns stand."""
    rows = connection.execute(
        select(burn_segment.c.burn_id, burn_segment.c.leaf, audit_entry.c.header)
        .join(audit_entry, audit_entry.c.seq == burn_segment.c.leaf, isouter=True)
        .where(burn_segment.c.burn_id.in_(burn_ids), burn_segment.c.manifest.is_not(None))
        .order_by(burn_segment.c.number.desc())
    )
    return {
        row.burn_id: BurnLog(
            index=row.leaf,
            sha256=leaf_hash(bytes(row.header)).hex(),
            manifest_url=f"/v1/citadel/uac/burn/{row.burn_id}/manifest",
        )
        for row in rows
    }


def _newest(connection: Connection, burn_id: str | None = None) -> Row[Any] | None:
    newest = _NEWEST if burn_id is None else _NEWEST_OF
    return connection.execute(newest, {"of": burn_id}).one_or_none()


def _line(row: tuple[Any, ...]) -> SegmentTarget:
    target, kind, display_name, state, attempts, latency_us, evidence = row
    return SegmentTarget(
        target=target,
        kind=kind,
        display_name=display_name,
        state=state,
        attempts=attempts,
        latency_us=latency_us,
        evidence=evidence,
    )
