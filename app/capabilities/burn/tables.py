"""Tables of burns (each of their targets the durable outbox of their fan-out), containments and lists to burn."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection, ForeignKey, Index, bindparam, func, select
from sqlalchemy import text as sql

from app.store.tables import blob, integer, real, table, text

burn = table(
    "burn",
    integer("number", primary_key=True),
    text("burn_id", unique=True),
    text("node_id"),
    text("scope"),
    text("reason"),
    integer("epoch"),
    real("local_deny_us"),
    integer("leaf"),
    text("actor"),
    integer("created_us"),
    integer("completed_us", nullable=True),
    integer("lifted_us", nullable=True),
    integer("drill", server_default=sql("0")),
    text("lifted_by", nullable=True),
    integer("known", server_default=sql("1")),
    integer("received_us", nullable=True),
)
"""``known``: whether the node was registered. ``received_us``: when the call came, of a burn that waited for the store;
its leaf says both."""
_c = burn.c
Index(
    "burn_once",
    _c.node_id,
    _c.scope,
    unique=True,
    sqlite_where=_c.lifted_us.is_(None),
    postgresql_where=_c.lifted_us.is_(None),
)
"""Node and scope name one burn while it is not lifted: a repeat is the same burn."""
Index(
    "burn_open",
    _c.number,
    sqlite_where=_c.completed_us.is_(None),
    postgresql_where=_c.completed_us.is_(None),
)

burn_target = table(
    "burn_target",
    text("burn_id", ForeignKey("burn.burn_id"), primary_key=True),
    text("target_id", primary_key=True),
    integer("position"),
    text("kind"),
    text("display_name", nullable=True),
    text("state"),
    integer("attempts", server_default=sql("0")),
    integer("latency_us", nullable=True),
    text("evidence", nullable=True),
    integer("changed_us"),
    text("told", nullable=True),
)
"""``pending_offline`` from the burn's own transaction on, until there is proof. ``told``: how the revocation log told
it last, its state if that was final, else ``open``; NULL before the burn's first segment."""

burn_subject = table(
    "burn_subject",
    text("burn_id", primary_key=True),
    text("target_id", primary_key=True),
    text("directory_id"),
    text("account", nullable=True),
    text("email", nullable=True),
    text("employee_id", nullable=True),
)
"""Whom a target in a directory is about, frozen by the burn: what is changed or erased in the registry afterwards must
not let an account get away. No foreign key: the row is there before its burn's, in the same transaction."""

burn_segment = table(
    "burn_segment",
    integer("number", primary_key=True, autoincrement=False),
    text("burn_id"),
    integer("leaf", unique=True),
    blob("body"),
    text("sha256"),
    text("open"),
    blob("manifest", nullable=True),
    integer("made_us"),
    Index("burn_segment_of", "burn_id", "number"),
)
"""The revocation log (``log/segments.py``), numbered from 0 without a gap. ``open``: JSON, the targets of its burn
that had no proof when it was made. A row is written with its leaf and never changed but once: ``manifest`` is its C2PA
manifest as soon as it is signed."""
Index(
    "burn_segment_unsigned",
    burn_segment.c.number,
    sqlite_where=burn_segment.c.manifest.is_(None),
    postgresql_where=burn_segment.c.manifest.is_(None),
)
containment = table(
    "containment",
    integer("number", primary_key=True),
    text("containment_id", unique=True),
    text("node_id"),
    text("cause"),
    text("state"),
    text("message", nullable=True),
    text("actor"),
    integer("created_us"),
    integer("until_us", nullable=True),
    integer("ended_us", nullable=True),
    text("ended_by", nullable=True),
    text("burn_id", nullable=True),
)
_h = containment.c
Index(
    "containment_once",
    _h.node_id,
    _h.cause,
    unique=True,
    sqlite_where=_h.ended_us.is_(None),
    postgresql_where=_h.ended_us.is_(None),
)
"""Of one cause a node has one containment that is not over: a repeat is the same one."""
Index(
    "containment_due",
    _h.until_us,
    sqlite_where=_h.ended_us.is_(None),
    postgresql_where=_h.ended_us.is_(None),
)
"""``queued`` ones deny nobody. ``until_us`` NULL: until a person decides."""

mass_burn = table(
    "mass_burn",
    text("approval_id", primary_key=True),
    text("reason"),
    text("actor"),
    text("request_id", nullable=True),
    integer("created_us"),
)
mass_burn_node = table(
    "mass_burn_node",
    text("approval_id", ForeignKey("mass_burn.approval_id"), primary_key=True),
    integer("position", primary_key=True),
    text("node_id"),
    text("burn_id"),
    integer("done_us", nullable=True),
)
"""The list of an approval that was used. ``burn_id``: under which the node is denied, and its burn once it is done."""
Index(
    "mass_burn_node_open",
    mass_burn_node.c.approval_id,
    sqlite_where=mass_burn_node.c.done_us.is_(None),
    postgresql_where=mass_burn_node.c.done_us.is_(None),
)

# A thousand rows by ONE statement: the driver gives the interpreter away at each step, and with a thousand polled
# readers in the process that costs more than the work. (SQLite's json_each; PostgreSQL has json_to_recordset.)
_INSERT = sql(
    """
    INSERT INTO burn_target (burn_id, target_id, position, kind, display_name, state, attempts, latency_us, evidence,
                             changed_us)
    SELECT :burn_id, value ->> 0, key, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
           :now_us
    FROM json_each(:rows)
    """
)
_PROVE = sql(
    """
    UPDATE burn_target
    SET state = proof.value ->> 2, attempts = attempts + 1, latency_us = proof.value ->> 3,
        evidence = proof.value ->> 4, changed_us = :now_us
    FROM json_each(:rows) AS proof
    WHERE burn_target.burn_id = proof.value ->> 0 AND burn_target.target_id = proof.value ->> 1
      AND burn_target.state NOT IN ('revoked', 'already', 'delivered', 'unlinked', 'closed')
    """
)

_RESTATE = sql(
    """
    UPDATE burn_target
    SET state = proof.value ->> 2, attempts = attempts + 1, latency_us = proof.value ->> 3,
        evidence = proof.value ->> 4, changed_us = :now_us
    FROM json_each(:rows) AS proof
    WHERE burn_target.burn_id = proof.value ->> 0 AND burn_target.target_id = proof.value ->> 1
      AND burn_target.state <> 'closed'
    """
)
_UNTOLD = sql(
    """
    SELECT json_group_array(json_array(target_id, kind, display_name, state, attempts, latency_us, evidence))
    FROM (
        SELECT * FROM burn_target
        WHERE burn_id = :burn_id AND (
            told IS NULL
            OR told <> CASE WHEN state IN ('revoked', 'already', 'delivered', 'unlinked', 'closed') THEN state ELSE
            'open' END )
        ORDER BY position
    )
    """
)

_TELL = sql(
    """
    UPDATE burn_target
    SET told = CASE WHEN state IN ('revoked', 'already', 'delivered', 'unlinked', 'closed') THEN state ELSE 'open' END
    WHERE burn_id = :burn_id
    """
)

FINAL_STATES = ("revoked", "already", "delivered", "unlinked", "closed")
"""As ``targets.FINAL``, in the statements here."""
# Made once: asked with each batch of results.
_OPEN = select(func.count()).where(burn_target.c.burn_id == bindparam("of"), burn_target.c.state.not_in(FINAL_STATES))
_UNPROVEN = select(
    func.count().filter(burn_target.c.state == "delivered"), func.count().filter(burn_target.c.state == "unlinked")
).where(burn_target.c.burn_id == bindparam("of"))

TargetRow = tuple[str, str, str | None, str, int, int | None, str | None]
"""Target id, kind, display name, state, attempts, latency (us), evidence."""
ProofRow = tuple[str, str, str, int | None, str]
"""Burn id, target id, state, latency (us), evidence."""


def insert_targets(connection: Connection, burn_id: str, rows: Sequence[TargetRow], now_us: int) -> None:
    """The targets of a burn, in their order."""
    packed = msgspec.json.encode(rows).decode()
    connection.execute(_INSERT, {"burn_id": burn_id, "rows": packed, "now_us": now_us})


def prove_targets(connection: Connection, rows: Sequence[ProofRow], now_us: int) -> None:
    """How attempts ended. What is final already stays as it is."""
    connection.execute(_PROVE, {"rows": msgspec.json.encode(rows).decode(), "now_us": now_us})


def restate_targets(connection: Connection, rows: Sequence[ProofRow], now_us: int) -> None:
    """How another look at final targets ended. What a person closed stays as it is."""
    connection.execute(_RESTATE, {"rows": msgspec.json.encode(rows).decode(), "now_us": now_us})


def tell_targets(connection: Connection, burn_id: str) -> list[TargetRow]:
    """The targets of a burn that stand otherwise than the revocation log told last, in their order; they count as told
    from now on."""
    packed = connection.execute(_UNTOLD, {"burn_id": burn_id}).scalar_one()
    connection.execute(_TELL, {"burn_id": burn_id})
    return msgspec.json.decode(packed, type=list[TargetRow])


def count_open(connection: Connection, burn_id: str) -> int:
    """How many targets of a burn are not final. Asked of the rows, not of the memory: a person may have closed a target
    in the transaction before this one."""
    return connection.execute(_OPEN, {"of": burn_id}).scalar_one()


def count_unproven(connection: Connection, burn_id: str) -> tuple[int, int]:
    """How many targets of a burn are ``delivered``, and how many ``unlinked``."""
    delivered, unlinked = connection.execute(_UNPROVEN, {"of": burn_id}).one()
    return delivered, unlinked
