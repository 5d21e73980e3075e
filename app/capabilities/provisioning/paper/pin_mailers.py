"""The mailer of a holder's PIN: printed once, then the PIN is destroyed."""

from __future__ import annotations

import asyncio
from typing import Any

from sqlalchemy import Connection, Row, select, update

from app.api.operation import Caller
from app.api.problems import Problem
from app.capabilities.provisioning.rows import provision_row, require_writer
from app.capabilities.provisioning.tables import pin_reset, provision
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

    async def pin_mailer(self, provision_id: str, *, caller: Caller, request_id: str) -> bytes:
        """The PIN as a PDF, once, for a Citadel key or the one that put this PIN on the card. The sealed PIN is
        destroyed and the audit leaf written before the first byte leaves. 403: it is another key; 404, 409, 410: there
        is none to print."""
        with self._store.read() as connection:
            row = self._printable(connection, provision_id, caller)
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
            self._printable(tx.connection, provision_id, caller)
            tx.connection.execute(
                update(provision).where(provision.c.provision_id == provision_id).values(pin=None, mailer_us=tx.now_us)
            )
            tx.audit(
                PRINT_MAILER,
                actor=caller.key_id,
                node_id=row.node_id,
                request_id=request_id,
                detail={"provision_id": provision_id},
            )

        await self._store.writer.run(job)
        return page

    def _printable(self, connection: Connection, provision_id: str, caller: Caller) -> Row[Any]:
        """The row of a finished card whose PIN is still there and is the caller's to print; 403, 409 and 410
        otherwise. Whose it is comes first: another key learns nothing of it."""
        row = provision_row(connection, provision_id)
        require_writer(caller, _pin_writer(connection, row), "the mailer of its PIN")
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


def _pin_writer(connection: Connection, row: Row[Any]) -> str:
    """The key that put the present PIN on the card: of the last reset, else of the write."""
    resets = select(pin_reset.c.operator).where(
        pin_reset.c.provision_id == row.provision_id,
        pin_reset.c.state == "COMPLETE",
        pin_reset.c.finished_us >= (row.finished_us or 0),  # 0: it is being written
    )
    return str(connection.scalar(resets.order_by(pin_reset.c.finished_us.desc()).limit(1)) or row.operator)
