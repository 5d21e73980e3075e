"""The mailer of a holder's PIN: printed once, then the PIN is destroyed."""

from __future__ import annotations

import asyncio
from typing import Any

from sqlalchemy import Connection, Row, update

from app.api.problems import Problem
from app.capabilities.provisioning.rows import provision_row
from app.capabilities.provisioning.tables import provision
from app.registry.service import Registry
from app.site.site import Site
from app.store.engine import Store
from app.store.writer import Transaction

PRINT_MAILER = "provisioning.mailer_printed"
PIN_PURPOSE = "provision.pin"


def pin_context(provision_id: str) -> bytes:
    """The context to which the sealed PIN of this provisioning is bound."""
    return f"provision.pin|{provision_id}".encode()


class PinMailers:
    """Prints PIN mailers."""

    def __init__(self, site: Site, store: Store, registry: Registry) -> None:
        self._site = site
        self._store = store
        self._registry = registry

    async def pin_mailer(self, provision_id: str, *, actor: str, request_id: str) -> bytes:
        """The PIN as a PDF, once. The sealed PIN is destroyed and the audit leaf written before the first byte
        leaves."""
        with self._store.read() as connection:
            row = self._printable(connection, provision_id)
            node = self._registry.node(connection, row.node_id)
        # Imported here: the PDF library would cost every start a quarter of a second.
        from app.capabilities.provisioning.paper.pin_sheet import pin_page

        # The page is made first: a PIN that could not be printed is not lost.
        page = await asyncio.to_thread(
            pin_page,
            pin=self._store.sealer.open(PIN_PURPOSE, row.pin, pin_context(provision_id)).decode(),
            display_name=node.display_name if node is not None else row.node_id,
            node_id=row.node_id,
            card_guid=row.card_guid,
            issuer=self._site.name,
            training=self._site.training,
        )

        def job(tx: Transaction) -> None:
            self._printable(tx.connection, provision_id)
            tx.connection.execute(
                update(provision).where(provision.c.provision_id == provision_id).values(pin=None, mailer_us=tx.now_us)
            )
            tx.audit(
                PRINT_MAILER,
                actor=actor,
                node_id=row.node_id,
                request_id=request_id,
                detail={"provision_id": provision_id},
            )

        await self._store.writer.run(job)
        return page

    def _printable(self, connection: Connection, provision_id: str) -> Row[Any]:
        """The row of a finished card whose PIN is still there; 409 and 410 otherwise."""
        row = provision_row(connection, provision_id)
        if row.state != "COMPLETE":
            raise Problem("state_conflict", "The card is not finished; its PIN is printed when it is.")
        if row.pin is None and row.mailer_us is None:
            raise Problem(
                "gone",
                "This PIN was destroyed: the node was burned, or the card was written anew or is getting a new PIN.",
            )
        if row.pin is None:
            raise Problem("gone", "This PIN was given out before; reset it to get another mailer.")
        return row
