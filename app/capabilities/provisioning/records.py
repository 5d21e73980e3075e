"""Provisionings as callers see them: one, pages of them, and their traces."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Select, and_, func, or_, select

from app.api.operation import Caller, Clearance
from app.api.persons import names_of
from app.api.wire import rfc3339
from app.capabilities.provisioning.messages import (
    FipsVerdict,
    Provision,
    ProvisionListQuery,
    ProvisionPage,
    SlotReply,
    Stage,
    Trace,
    TraceEntry,
    Verification,
)
from app.capabilities.provisioning.paper.printed_information import printed_of
from app.capabilities.provisioning.reference_trace import model_of, reference_trace_of
from app.capabilities.provisioning.rows import provision_row, require_writer
from app.capabilities.provisioning.tables import provision
from app.registry.service import Registry
from app.site.site import Site
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.tables import json_text


class Records:
    """Reads the table ``provision``. ``running`` holds the stages of the writes under way in this process, by
    provisioning: a row that is RUNNING without an entry was left by a process that died, and counts as torn."""

    def __init__(self, site: Site, store: Store, registry: Registry, cursors: Cursors) -> None:
        self._site = site
        self._store = store
        self._registry = registry
        self._cursors = cursors
        self.running: dict[str, list[Stage]] = {}

    def get(self, provision_id: str) -> Provision:
        """The provisioning as it stands; 404 for an unknown one."""
        with self._store.read() as connection:
            row = provision_row(connection, provision_id)
            return self._reply(connection, row)

    def page(self, query: ProvisionListQuery) -> ProvisionPage:
        """Provisionings, newest first."""
        binding = f"{query.node_id}|{query.hardware_uid}|{query.state}|{query.q}".encode()
        key = (provision.c.started_us, provision.c.provision_id)
        with self._store.read() as connection:
            rows, following = self._cursors.page(
                connection,
                self._matching(query),
                "provisions",
                key,
                limit=query.limit,
                cursor=query.cursor,
                query=binding,
            )
            items = [self._reply(connection, row) for row in rows]
        return ProvisionPage(items=items, next=following)

    def _matching(self, query: ProvisionListQuery) -> Select[Any]:
        """The provisionings that the query asks for, in no order; RUNNING and TORN are told apart by ``running``."""
        rows_of = select(provision)
        if query.node_id is not None:
            rows_of = rows_of.where(provision.c.node_id == query.node_id)
        if query.hardware_uid is not None:
            # Cards name themselves in lower case, packaging in any case.
            named = json_text(query.hardware_uid)
            asked = func.lower(provision.c.hardware_uid) == query.hardware_uid.lower()
            rows_of = rows_of.where(or_(asked, provision.c.aliases.icontains(named, autoescape=True)))
        if query.state is not None:
            running = and_(provision.c.state == "RUNNING", provision.c.provision_id.in_(list(self.running)))
            ended = and_(provision.c.state == query.state, provision.c.state != "RUNNING")
            lost = and_(provision.c.state == "RUNNING", provision.c.provision_id.not_in(list(self.running)))
            wanted = {"RUNNING": running, "TORN": or_(ended, lost)}.get(query.state, ended)
            rows_of = rows_of.where(wanted)
        if query.q:
            rows_of = rows_of.where(
                or_(
                    provision.c.node_id.icontains(query.q, autoescape=True),
                    provision.c.hardware_uid.icontains(query.q, autoescape=True),
                    provision.c.card_guid.icontains(query.q, autoescape=True),
                    provision.c.provision_id.icontains(query.q, autoescape=True),
                )
            )
        return rows_of

    def trace(self, provision_id: str, caller: Caller) -> Trace:
        """Every APDU of the last attempt, secrets as lengths, and the id of its reference trace, which is one that the
        caller may read as well. 403: neither a Citadel key nor the one that wrote the card. Blocks."""
        with self._store.read() as connection:
            row = provision_row(connection, provision_id)
            require_writer(caller, row.operator, "the trace of its APDUs")
            writer = None if caller.clearance is Clearance.CITADEL else caller.key_id
            entries = [] if row.trace is None else msgspec.json.decode(row.trace, type=list[TraceEntry])
            model = model_of(entries)
            return Trace(
                provision_id=provision_id,
                entries=entries,
                attempt=row.attempt,
                model=None if model is None else model.name,
                golden_provision_id=None if model is None else reference_trace_of(connection, row, model, writer),
            )

    def _reply(self, connection: Connection, row: Row[Any]) -> Provision:
        """The row as the wire's message, with the live stages where the write is under way."""
        node = self._registry.node(connection, row.node_id)
        live = self.running.get(row.provision_id)
        stages = list(live) if live is not None else msgspec.json.decode(row.stages, type=list[Stage])
        slots = msgspec.json.decode(row.slots, type=list[SlotReply])
        names = names_of(connection, (row.operator, row.approver))
        return Provision(
            provision_id=row.provision_id,
            node_id=row.node_id,
            display_name=None if node is None else node.display_name,
            hardware_uid=row.hardware_uid,
            hardware_uid_now=row.hardware_uid_now,
            state="TORN" if row.state == "RUNNING" and live is None else row.state,
            reader=row.reader,
            card_guid=row.card_guid,
            slots=slots,
            fips=msgspec.json.decode(row.fips, type=FipsVerdict),
            verification=None if row.verification is None else msgspec.json.decode(row.verification, type=Verification),
            apdu_count=sum(stage.apdus for stage in stages) if live is not None else row.apdu_count,
            duration_ms=row.duration_ms,
            receipt_url=None if row.receipt is None else f"/v1/hardware/se/provisions/{row.provision_id}/receipt",
            standing=node.standing if node is not None else "UNVERIFIED",
            timestamp=rfc3339(row.finished_us or row.started_us),
            stages=stages,
            warnings=msgspec.json.decode(row.warnings, type=list[str]),
            weak_management_key=bool(row.weak_management_key),
            mailer_printed=row.mailer_us is not None,
            printed=printed_of(row.card_guid, slots, training=self._site.training),
            detail=row.detail,
            operator=row.operator,
            operator_name=names.get(row.operator),
            approver=row.approver,
            approver_name=names.get(row.approver),
            released_at=None if row.released_us is None else rfc3339(row.released_us),
            training=self._site.training,
        )
