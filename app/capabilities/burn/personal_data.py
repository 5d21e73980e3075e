"""What burns and containments keep of a person, and what of it an erasure takes out.

Evidence stays: a burn with its reason, its read-backs and its segments of the revocation log, and the leaves that prove
those. A burned person could otherwise have the proof erased that the access was ended, and with it whose it was.
"""

from __future__ import annotations

from sqlalchemy import Connection, delete, func, select, update

from app.capabilities.burn.tables import burn, burn_subject, containment
from app.delivery.events import Held
from app.store.writer import Transaction

_SPOKEN = containment.c.message.is_not(None) & containment.c.ended_us.is_not(None)


class BurnRecords:
    """An ``app.delivery.events.PersonRecords``."""

    def held_records(self, connection: Connection, node_id: str) -> Held:
        burns, standing = connection.execute(
            select(func.count(), func.count().filter(burn.c.lifted_us.is_(None))).where(burn.c.node_id == node_id)
        ).one()
        kept = []
        if burns:
            kept.append(
                f"{burns} burn{'s' * (burns != 1)} of the node: reason, read-backs, segments of the revocation log and "
                "the audit entries that prove these are evidence that access was ended."
            )
        locked = self._subjects(connection, node_id, standing=True)
        if standing and locked:
            kept.append(
                f"{locked} account{'s' * (locked != 1)} elsewhere, as the burn froze them: they are locked again "
                "where somebody unlocks them. Erase again when the burn is lifted."
            )
        contained = connection.scalar(
            select(func.count()).where(
                containment.c.node_id == node_id, containment.c.message.is_not(None), containment.c.ended_us.is_(None)
            )
        )
        if contained:
            kept.append("The message of a containment that is in force. Erase again when it has ended.")
        messages = connection.scalar(select(func.count()).where(containment.c.node_id == node_id, _SPOKEN)) or 0
        return Held(messages + self._subjects(connection, node_id, standing=False), kept)

    def forget(self, tx: Transaction, node_id: str) -> int:
        spoken = update(containment).where(containment.c.node_id == node_id, _SPOKEN).values(message=None)
        lifted = select(burn.c.burn_id).where(burn.c.node_id == node_id, burn.c.lifted_us.is_not(None))
        gone = delete(burn_subject).where(burn_subject.c.burn_id.in_(lifted))
        return tx.connection.execute(spoken).rowcount + tx.connection.execute(gone).rowcount

    @staticmethod
    def _subjects(connection: Connection, node_id: str, *, standing: bool) -> int:
        state = burn.c.lifted_us.is_(None) if standing else burn.c.lifted_us.is_not(None)
        of_it = select(burn.c.burn_id).where(burn.c.node_id == node_id, state)
        return connection.scalar(select(func.count()).where(burn_subject.c.burn_id.in_(of_it))) or 0
