"""Reader clusters: the doors that are granted as one, their readers, and the readers' Secure Channel keys.

A reader's key (SCBK) is 16 random bytes of its own, made with the row, sealed, and never shown. A real reader learns it
in an enrolment window; a simulated one is made with it.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol

import msgspec
from sqlalchemy import Connection, Row, Table, delete, insert, select, update

from app.api.problems import Problem, invalid_field
from app.api.wire import rfc3339
from app.registry import schedules
from app.registry.crud import RegistryKind
from app.registry.messages.clusters import (
    EnrolReply,
    Reader,
    ReaderBody,
    ReaderCluster,
    ReaderClusterBody,
    ReaderKeyed,
    RotateKeysReply,
)
from app.registry.tables import profile_cluster, reader, reader_cluster, terminal
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.sealed import FieldSealer
from app.store.tables import json_text
from app.store.writer import Transaction
from hardware.readers.channels import check_uri
from hardware.readers.keys import generate_scbk

SIMULATED = "simulated:"
KEY_PURPOSE = "reader-key"


@dataclass(frozen=True, slots=True)
class ReaderNow:
    """The present state of a reader. ``firmware`` None: not reported yet; ``epoch``: the newest that it acknowledged;
    ``since_us``: when ``online`` last changed."""

    online: bool
    secure_channel: bool
    firmware: str | None
    epoch: int
    since_us: int | None


OFFLINE = ReaderNow(online=False, secure_channel=False, firmware=None, epoch=0, since_us=None)


@dataclass(frozen=True, slots=True)
class Keyed:
    """What became of one reader's new key; ``detail`` says why the reader does not have it."""

    state: Literal["rotated", "pending_offline", "failed"]
    detail: str | None = None


class ReaderBoard(Protocol):
    """The part that drives the readers, as the registry sees it."""

    def now(self, reader_ids: Collection[str]) -> Mapping[str, ReaderNow]:
        """The present states of these readers; one that is not driven may be missing."""
        ...

    async def enrol(self, reader_ids: Collection[str], seconds: int) -> None:
        """Opens the key window of these readers: within it they are keyed over the standard's default key."""
        ...

    def setup_changed(self) -> None:
        """Keys or places of readers changed: read them anew. On the writer's thread, after the commit."""
        ...

    async def rekey(self, reader_ids: Collection[str]) -> Mapping[str, Keyed]:
        """Has these readers take the keys that are pending for them; returns within some seconds."""
        ...


@dataclass(frozen=True, slots=True)
class ReaderRow:
    """A reader as the part that drives it needs it. ``scbk`` is secret: never logged, hidden from ``repr``."""

    reader_id: str
    cluster_id: str
    channel: str
    address: int
    baud: int
    onboard_list: bool
    enrolled: bool
    key_changed_us: int
    wire: tuple[int, int] | None
    """Address and speed at which it was last seen, if it is registered elsewhere now."""
    scbk: bytes = field(repr=False)
    pending: bytes | None = field(repr=False, default=None)
    """The key that the reader is to take, or took just before the service ended."""


class ReaderClusters(RegistryKind[ReaderClusterBody, ReaderCluster]):
    """The kind ``reader-clusters``."""

    word: ClassVar[str] = "cluster"
    table: ClassVar[Table] = reader_cluster

    def __init__(self, store: Store, cursors: Cursors, sealer: FieldSealer, *, training: bool) -> None:
        super().__init__(store, cursors)
        self._sealer = sealer
        self._training = training
        self._board: ReaderBoard | None = None

    def drive(self, board: ReaderBoard) -> None:
        """Sets the part that drives the readers. Before start only; until then every reader is shown offline."""
        self._board = board

    def readers(self, connection: Connection, cluster_id: str | None = None) -> list[ReaderRow]:
        """Every reader, or those of one cluster, with its key opened, in the order of clusters and positions.
        ``SealBroken`` if a key does not open: the doors then stay shut."""
        wanted = select(reader).order_by(reader.c.cluster_id, reader.c.position)
        rows = connection.execute(wanted if cluster_id is None else wanted.where(reader.c.cluster_id == cluster_id))
        return [self._reader_row(row) for row in rows]

    def reader(self, connection: Connection, reader_id: str) -> ReaderRow | None:
        """One reader with its keys opened."""
        row = connection.execute(select(reader).where(reader.c.reader_id == reader_id)).one_or_none()
        return None if row is None else self._reader_row(row)

    def _reader_row(self, row: Row[Any]) -> ReaderRow:
        """The row with its keys opened."""
        pending = row.pending_sealed
        return ReaderRow(
            reader_id=row.reader_id,
            cluster_id=row.cluster_id,
            channel=row.channel,
            address=row.address,
            baud=row.baud,
            onboard_list=bool(row.onboard_list),
            enrolled=row.enrolled_us is not None,
            key_changed_us=row.key_changed_us,
            wire=None if row.wire_address is None else (row.wire_address, row.wire_baud),
            scbk=self._sealer.open(KEY_PURPOSE, row.key_sealed, _context(row.reader_id)),
            pending=None if pending is None else self._sealer.open(KEY_PURPOSE, pending, _pending(row.reader_id)),
        )

    def renew_key(self, tx: Transaction, reader_id: str) -> None:
        """Draws the reader's next key and keeps it as pending. One that is pending already stays: the reader may have
        taken it."""
        sealed = self._sealer.seal(KEY_PURPOSE, generate_scbk(), _pending(reader_id))
        tx.connection.execute(
            update(reader)
            .where(reader.c.reader_id == reader_id, reader.c.pending_sealed.is_(None))
            .values(pending_sealed=sealed, pending_since_us=tx.now_us)
        )

    def record_setup(self, tx: Transaction, reader_id: str, address: int, baud: int, scbk: bytes) -> None:
        """Records with which setup the reader's channel came up. A pending key that the reader proves to hold becomes
        its key, with its leaf; the place where it was found becomes its place. Writes nothing for a reader whose setup
        is already recorded."""
        row = tx.connection.execute(select(reader).where(reader.c.reader_id == reader_id)).one_or_none()
        if row is None:
            return
        known = self._reader_row(row)
        values: dict[str, Any] = {}
        wire = None if (address, baud) == (known.address, known.baud) else (address, baud)
        if wire != known.wire:
            values["wire_address"], values["wire_baud"] = wire or (None, None)
        promoted = known.pending is not None and hmac.compare_digest(known.pending, scbk)
        if promoted:
            # Sealed anew: a field opens in its own place only.
            values["key_sealed"] = self._sealer.seal(KEY_PURPOSE, scbk, _context(reader_id))
            values["key_changed_us"] = tx.now_us
            values["pending_sealed"] = values["pending_since_us"] = None
        if not values:
            return
        tx.connection.execute(update(reader).where(reader.c.reader_id == reader_id).values(**values))
        if promoted:
            tx.audit("registry.reader_keyed", actor="service", detail={"id": row.cluster_id, "reader_id": reader_id})
        self.set_up(tx)

    def set_up(self, tx: Transaction) -> None:
        """Has the part that drives the readers read keys and places anew, once this transaction is durable."""
        if self._board is not None:
            tx.after_commit(self._board.setup_changed)

    def record_enrolment(self, tx: Transaction, reader_id: str) -> None:
        """Records, with a leaf, that the reader holds its key now. Writes nothing for a reader that is not registered
        or held its key before."""
        row = tx.connection.execute(
            select(reader.c.cluster_id, reader.c.enrolled_us).where(reader.c.reader_id == reader_id)
        ).one_or_none()
        if row is None or row.enrolled_us is not None:
            return
        tx.connection.execute(update(reader).where(reader.c.reader_id == reader_id).values(enrolled_us=tx.now_us))
        tx.audit("registry.reader_enrolled", actor="service", detail={"id": row.cluster_id, "reader_id": reader_id})
        self.notify(tx, row.cluster_id, self.row(tx.connection, row.cluster_id))

    async def enrol(
        self,
        cluster_id: str,
        reader_ids: Sequence[str] | None,
        seconds: int,
        *,
        actor: str,
        request_id: str | None = None,
    ) -> EnrolReply:
        """Opens the key window of readers of this cluster, by default of those without a key. 409 when there is
        nothing to enrol, 404 for a cluster or reader that is not registered."""

        def job(tx: Transaction) -> EnrolReply:
            if self.row(tx.connection, cluster_id) is None:
                raise self.missing(cluster_id)
            known = {
                row.reader_id: row
                for row in tx.connection.execute(
                    select(reader).where(reader.c.cluster_id == cluster_id).order_by(reader.c.position)
                )
            }
            unknown = sorted(set(reader_ids or ()) - known.keys())
            if unknown:
                raise Problem("not_found", f"Cluster {cluster_id} has no reader {unknown[0]}; check the identifier.")
            wanted = reader_ids if reader_ids is not None else [r for r in known if known[r].enrolled_us is None]
            chosen = [reader_id for reader_id in known if reader_id in wanted and known[reader_id].channel != SIMULATED]
            if not chosen:
                raise Problem(
                    "state_conflict", "Every reader asked for holds its key already; name the ones to key anew."
                )
            detail = {"id": cluster_id, "reader_ids": chosen, "seconds": seconds}
            tx.audit("registry.cluster_enrol", actor=actor, request_id=request_id, detail=detail)
            until = rfc3339(tx.now_us + seconds * 1_000_000)
            return EnrolReply(cluster_id=cluster_id, reader_ids=chosen, until=until)

        if self._board is None:
            raise Problem("dependency_unavailable", "No reader is driven by this service now; try again later.")
        reply = await self.store.writer.run(job)
        await self._board.enrol(reply.reader_ids, seconds)
        return reply

    async def rotate_keys(
        self, cluster_id: str, reader_ids: Sequence[str] | None, *, actor: str, request_id: str | None = None
    ) -> RotateKeysReply:
        """Gives readers of this cluster new keys, by default all that hold one. The new keys are durable before the
        first is sent. 409 when none of them holds a key, 404 for a cluster or reader that is not registered."""

        def job(tx: Transaction) -> list[str]:
            if self.row(tx.connection, cluster_id) is None:
                raise self.missing(cluster_id)
            rows = tx.connection.execute(
                select(reader.c.reader_id, reader.c.enrolled_us)
                .where(reader.c.cluster_id == cluster_id)
                .order_by(reader.c.position)
            ).all()
            unknown = sorted(set(reader_ids or ()) - {row.reader_id for row in rows})
            if unknown:
                raise Problem("not_found", f"Cluster {cluster_id} has no reader {unknown[0]}; check the identifier.")
            chosen = [
                row.reader_id
                for row in rows
                if row.enrolled_us is not None and (reader_ids is None or row.reader_id in reader_ids)
            ]
            if not chosen:
                raise Problem("state_conflict", "None of these readers holds a key yet; open the key window for them.")
            for reader_id in chosen:
                self.renew_key(tx, reader_id)
            detail = {"id": cluster_id, "reader_ids": chosen}
            tx.audit("registry.cluster_rotate_keys", actor=actor, request_id=request_id, detail=detail)
            self.set_up(tx)
            return chosen

        if self._board is None:
            raise Problem("dependency_unavailable", "No reader is driven by this service now; try again later.")
        chosen = await self.store.writer.run(job)
        outcomes = await self._board.rekey(chosen)
        with self.store.read() as connection:
            changed = {
                row.reader_id: row.key_changed_us
                for row in connection.execute(select(reader).where(reader.c.reader_id.in_(chosen)))
            }
        return RotateKeysReply(
            cluster_id=cluster_id,
            readers=[
                ReaderKeyed(
                    reader_id=reader_id,
                    state=outcomes[reader_id].state,
                    key_changed_at=rfc3339(changed[reader_id]),
                    detail=outcomes[reader_id].detail,
                )
                for reader_id in chosen
                if reader_id in changed
            ],
        )

    def name_of(self, body: ReaderClusterBody) -> str:
        # Readers are found by their id too: an operator knows a door by what stands on it.
        return "\n".join([body.display_name, *(part.reader_id for part in body.readers)])

    def check(self, item_id: str, body: ReaderClusterBody) -> None:
        del item_id
        ids: set[str] = set()
        lines: dict[str, str] = {}
        for index, part in enumerate(body.readers):
            at = f"/readers/{index}"
            if part.reader_id in ids:
                raise invalid_field(
                    f"{at}/reader_id", f"Reader {part.reader_id} stands here twice; give each its own id."
                )
            ids.add(part.reader_id)
            if part.channel == SIMULATED:
                if not self._training:
                    raise invalid_field(
                        f"{at}/channel", "Simulated readers exist on training sites only; name a real channel."
                    )
                continue
            try:
                check_uri(part.channel)
            except ValueError as error:
                raise invalid_field(f"{at}/channel", f"This channel cannot be opened: {error}.") from error
            if part.channel in lines:
                raise invalid_field(f"{at}/channel", _shared_line(lines[part.channel]))
            lines[part.channel] = part.reader_id

    def values(self, body: ReaderClusterBody) -> dict[str, Any]:
        return {
            "display_name": body.display_name,
            "schedule": schedules.to_column(body.schedule),
            "tags": json_text(body.tags),
        }

    def check_in(self, tx: Transaction, item_id: str, body: ReaderClusterBody) -> None:
        ids = {part.reader_id: index for index, part in enumerate(body.readers)}
        elsewhere = tx.connection.execute(
            select(reader.c.reader_id, reader.c.cluster_id)
            .where(reader.c.reader_id.in_(ids), reader.c.cluster_id != item_id)
            .limit(1)
        ).one_or_none()
        if elsewhere is not None:
            raise Problem(
                "state_conflict",
                f"Reader {elsewhere.reader_id} belongs to cluster {elsewhere.cluster_id}; take it out there first.",
            )
        lines = {part.channel: index for index, part in enumerate(body.readers) if part.channel != SIMULATED}
        other = tx.connection.execute(
            select(reader.c.reader_id, reader.c.channel)
            .where(reader.c.channel.in_(lines), reader.c.cluster_id != item_id)
            .limit(1)
        ).one_or_none()
        if other is not None:
            raise invalid_field(f"/readers/{lines[other.channel]}/channel", _shared_line(other.reader_id))

    def write_parts(self, tx: Transaction, item_id: str, body: ReaderClusterBody, made: bool) -> list[str]:
        before: dict[str, Row[Any]] = {}
        if not made:
            rows = tx.connection.execute(select(reader).where(reader.c.cluster_id == item_id))
            before = {row.reader_id: row for row in rows}
        changed = []
        for position, part in enumerate(body.readers):
            values = _columns(part, position)
            old = before.pop(part.reader_id, None)
            if old is None:
                scbk = self._sealer.seal(KEY_PURPOSE, generate_scbk(), _context(part.reader_id))
                tx.connection.execute(
                    insert(reader).values(
                        reader_id=part.reader_id,
                        cluster_id=item_id,
                        key_sealed=scbk,
                        key_changed_us=tx.now_us,
                        enrolled_us=tx.now_us if part.channel == SIMULATED else None,
                        **values,
                    )
                )
                changed.append(f"readers/{part.reader_id}")
            elif any(old._mapping[name] != value for name, value in values.items()):
                if (old.channel == SIMULATED) != (part.channel == SIMULATED):
                    # Another device: a real one does not hold the key of a simulated one.
                    values["enrolled_us"] = tx.now_us if part.channel == SIMULATED else None
                if old.channel != part.channel:
                    values["wire_address"] = values["wire_baud"] = None
                elif (old.address, old.baud) != (part.address, part.baud) and old.wire_address is None:
                    # It is where it was until a sync has moved it (COMSET).
                    values["wire_address"], values["wire_baud"] = old.address, old.baud
                tx.connection.execute(update(reader).where(reader.c.reader_id == part.reader_id).values(**values))
                changed.append(f"readers/{part.reader_id}")
        for reader_id in before:
            tx.connection.execute(delete(reader).where(reader.c.reader_id == reader_id))
            changed.append(f"readers/{reader_id}")
        return changed

    def delete_parts(self, tx: Transaction, item_id: str) -> None:
        profiles = tx.connection.scalars(
            select(profile_cluster.c.profile_id).where(profile_cluster.c.cluster_id == item_id).limit(5)
        ).all()
        if profiles:
            names = ", ".join(profiles)
            raise Problem(
                "state_conflict", f"Credential profiles open cluster {item_id} ({names}); take it out of them first."
            )
        # Without its cluster a terminal would search everybody.
        terminals = tx.connection.scalars(
            select(terminal.c.terminal_id).where(terminal.c.cluster_id == item_id).limit(5)
        ).all()
        if terminals:
            names = ", ".join(terminals)
            raise Problem("state_conflict", f"Terminals stand in cluster {item_id} ({names}); move them first.")
        tx.connection.execute(delete(reader).where(reader.c.cluster_id == item_id))

    def items(self, connection: Connection, rows: Sequence[Row[Any]], now_us: int) -> list[ReaderCluster]:
        del now_us
        parts: dict[str, list[Row[Any]]] = {row.cluster_id: [] for row in rows}
        for part in connection.execute(
            select(reader).where(reader.c.cluster_id.in_(parts)).order_by(reader.c.cluster_id, reader.c.position)
        ):
            parts[part.cluster_id].append(part)
        ids = [part.reader_id for found in parts.values() for part in found]
        states = self._board.now(ids) if self._board is not None else {}
        return [
            ReaderCluster(
                cluster_id=row.cluster_id,
                display_name=row.display_name,
                readers=[_reader(part, states.get(part.reader_id, OFFLINE)) for part in parts[row.cluster_id]],
                schedule=schedules.from_column(row.schedule),
                tags=msgspec.json.decode(row.tags, type=list[str]),
                created_at=rfc3339(row.created_us),
                changed_at=rfc3339(row.changed_us),
            )
            for row in rows
        ]


def _shared_line(other: str) -> str:
    # Several addresses on one line are not verified with the library (burn.md section 2), so the fleet refuses them.
    return f"Reader {other} is wired to this channel; give each reader a channel of its own."


def _context(reader_id: str) -> bytes:
    return f"reader.key_sealed|{reader_id}".encode()


def _pending(reader_id: str) -> bytes:
    return f"reader.pending_sealed|{reader_id}".encode()


def _columns(part: ReaderBody, position: int) -> dict[str, Any]:
    return {
        "position": position,
        "channel": part.channel,
        "address": part.address,
        "baud": part.baud,
        "onboard_list": int(part.onboard_list),
    }


def _reader(part: Row[Any], state: ReaderNow) -> Reader:
    """What the wire shows of a reader: its row, and how it is now."""
    return Reader(
        reader_id=part.reader_id,
        channel=part.channel,
        address=part.address,
        baud=part.baud,
        onboard_list=bool(part.onboard_list),
        online=state.online,
        secure_channel=state.secure_channel,
        firmware=state.firmware,
        epoch=state.epoch,
        since=None if state.since_us is None else rfc3339(state.since_us),
        enrolled=part.enrolled_us is not None,
        key_changed_at=rfc3339(part.key_changed_us),
        key_pending=None if part.pending_since_us is None else rfc3339(part.pending_since_us),
    )
