"""The issued cards of a node as grants that a burn revokes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, select, update

from app.capabilities.provisioning.issuer import card_certificates as certificates
from app.capabilities.provisioning.tables import pin_reset, provision
from app.delivery.events import Holding, RevocationEvidence
from app.registry.messages.nodes import NodeCredential
from app.store.engine import Store
from app.store.writer import Transaction

REVOKE = "provisioning.revoke"
HOLDER_ID = "issued-cards"


class IssuedCards:
    """Implements ``GrantHolder`` for the certificates of issued cards, and lists the cards for the registry."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def holdings(self, node_id: str) -> Sequence[Holding]:
        """The node's cards whose certificates are still valid."""
        with self._store.read() as connection:
            rows = certificates.holding(connection, node_id)
        if not rows:
            return ()
        cards = {row.provision_id for row in rows}
        detail = f"{len(rows)} certificates on {len(cards)} card{'s' * (len(cards) != 1)}"
        return (Holding(HOLDER_ID, "card", "Issued cards", len(cards), reversible=False, detail=detail),)

    def revoke(self, tx: Transaction, node_id: str, burn_id: str) -> Sequence[RevocationEvidence]:
        """Revokes the node's certificates and destroys PINs that wait for their mailer. The journal's guard stops the
        write of a card at its next step."""
        if not certificates.any_card(tx.connection, node_id):
            return ()
        rows = certificates.holding(tx.connection, node_id)
        cards = {row.provision_id for row in rows}
        tx.connection.execute(update(provision).where(provision.c.node_id == node_id).values(pin=None))
        of_node = select(provision.c.provision_id).where(provision.c.node_id == node_id)
        tx.connection.execute(update(pin_reset).where(pin_reset.c.provision_id.in_(of_node)).values(pin=None))
        certificates.revoke_node(tx, node_id, burn_id)
        if rows:
            detail = {"burn_id": burn_id, "certificates": [row.sha256 for row in rows]}
            tx.audit(REVOKE, actor="service", node_id=node_id, detail=detail)
        elif not certificates.ever_issued(tx.connection, node_id):
            return ()
        sentence = (
            f"{len(rows)} certificates of {len(cards)} card{'s' * (len(cards) != 1)} revoked"
            if rows
            else "all revoked before"
        )
        return (RevocationEvidence(HOLDER_ID, "card", "Issued cards", len(cards), already=not rows, detail=sentence),)

    def credentials(self, connection: Connection, node_ids: Sequence[str]) -> Mapping[str, Sequence[NodeCredential]]:
        """The issued cards of these nodes, for the registry's replies."""
        return certificates.credentials(connection, node_ids)
