"""One card ends: its certificates by the revocation list, its place at every door; the person stays.

What a burn does for a person this does for a card: rows, doors and leaf in one urgent transaction, then the proof by a
signed list. A repeat changes nothing and gives the same answer.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, func, or_, select, update

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.provisioning.issuer import card_certificates as certificates
from app.capabilities.provisioning.messages import RevokedCard
from app.capabilities.provisioning.records import Records
from app.capabilities.provisioning.tables import card_certificate, pin_reset, provision
from app.pki.crl import RevocationList, RevocationLists
from app.pki.revocation import RevocationReason
from app.registry.service import Registry
from app.site.site import Site
from app.store.engine import Store
from app.store.tables import json_text
from app.store.writer import Transaction

log = logging.getLogger(__name__)

REVOKE_CARD = "provisioning.revoke_card"
_OVER = "The card was revoked before it was finished."


class CardRevoker:
    """Serves the row that revokes one card. ``records``: knows which writes are under way."""

    def __init__(self, site: Site, store: Store, registry: Registry, records: Records, lists: RevocationLists) -> None:
        self._deadline_s = site.settings.burn_deadline_s
        self._store = store
        self._registry = registry
        self._records = records
        self._lists = lists

    async def revoke(self, name: str, reason: str, *, actor: str, request_id: str | None) -> RevokedCard:
        """Revokes the card that has this name (packaging's or its own, GUID included), finished or not. 404: no card
        of anybody has it; 409: it is being written now; 503: nothing was stored."""
        await self._store.writer.run(lambda tx: self._revoke(tx, name, reason, actor, request_id), urgent=True)
        listed: RevocationList | None = None
        try:
            async with asyncio.timeout(self._deadline_s):
                listed = await self._lists.publish()
        except Exception:
            # By any error the card is revoked here, and the list is signed as soon as one can be.
            log.warning("no revocation list names the card yet", exc_info=True)
        return await asyncio.to_thread(self._reply, name, listed)

    def _revoke(self, tx: Transaction, name: str, reason: str, actor: str, request_id: str | None) -> None:
        """The transaction. A leaf for each record that changes by it, none where nothing is left to do."""
        for row in self._rows(tx.connection, name):
            if row.provision_id in self._records.running:
                raise Problem("state_conflict", "The card is being written: revoke it when that is over.")
            ended = certificates.revoke_provision(tx, row.provision_id, RevocationReason.KEY_COMPROMISE)
            profiles = self._registry.profiles.withdraw_card(tx, row.card_guid, actor=actor, request_id=request_id)
            is_open = row.state in ("RUNNING", "TORN")
            values: dict[str, object] = {"pin": None}
            if is_open:
                # The same call must not finish it.
                values |= {"state": "REFUSED", "detail": _OVER, "finished_us": tx.now_us}
            mine = provision.c.provision_id == row.provision_id
            tx.connection.execute(update(provision).where(mine).values(values))
            of_it = pin_reset.c.provision_id == row.provision_id
            tx.connection.execute(update(pin_reset).where(of_it).values(pin=None))
            if ended or profiles or is_open:
                tx.audit(
                    REVOKE_CARD,
                    actor=actor,
                    node_id=row.node_id,
                    request_id=request_id,
                    detail={
                        "provision_id": row.provision_id,
                        "card_guid": row.card_guid,
                        "reason": reason,
                        "certificates": list(certificates.of_provision(tx.connection, row.provision_id)),
                        "profiles": profiles,
                    },
                )

    def _rows(self, connection: Connection, name: str) -> Sequence[Row[Any]]:
        """The records of the card that are its holder's; 404 if there is none."""
        named = or_(
            func.lower(provision.c.hardware_uid) == name.lower(),
            provision.c.hardware_uid_now == name,
            provision.c.card_guid == name.lower(),
            provision.c.aliases.icontains(json_text(name), autoescape=True),
        )
        mine = select(provision).where(named, provision.c.released_us.is_(None)).order_by(provision.c.started_us)
        rows = connection.execute(mine).all()
        if not rows:
            raise Problem("not_found", "No card of anybody has this name; look it up among the provisionings.")
        return rows

    def _reply(self, name: str, listed: RevocationList | None) -> RevokedCard:
        """The card as the rows have it; ``listed`` only where its signed bytes name each of its certificates."""
        now_us = time.time_ns() // 1000
        with self._store.read() as connection:
            rows = self._rows(connection, name)
            held = connection.execute(
                select(card_certificate.c.serial, card_certificate.c.revoked_us).where(
                    card_certificate.c.provision_id.in_([row.provision_id for row in rows]),
                    card_certificate.c.not_after_us > now_us,
                )
            ).all()
        is_listed = listed is not None and listed.names(int(one.serial, 16) for one in held)
        revoked_us = max((one.revoked_us for one in held if one.revoked_us is not None), default=None)
        until = None if revoked_us is None else self._lists.believed_until(revoked_us)
        return RevokedCard(
            hardware_uid=name,
            node_id=rows[-1].node_id,
            card_guid=rows[-1].card_guid,
            provisions=[row.provision_id for row in rows],
            state="COMPLETE" if is_listed else "PARTIAL",
            certificates=len(held),
            revocation_list=listed.number if listed is not None and is_listed else None,
            older_list_until=None if until is None else rfc3339(until),
            revoked_at=None if revoked_us is None else rfc3339(revoked_us),
        )
