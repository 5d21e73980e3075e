"""What strikes keep of a person, and what of it an erasure takes out.

A strike that is over (withdrawn, or every notice at its end) gives up its content: who declared, what was stated, the
documents, the evidence. What was sent to platforms is theirs. A strike that is open stays whole: it is a claim of the
person that is being pursued. A strike that names no node is no node's, and no erasure finds it.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, func, or_, select, update

from app.capabilities.enforcement.journal import EVIDENCE_FOLDER
from app.capabilities.enforcement.tables import strike, strike_file, strike_notice
from app.delivery.events import Held
from app.delivery.notices import Notices
from app.store.writer import Transaction

_OVER: ColumnElement[bool] = or_(strike.c.withdrawn_us.is_not(None), strike.c.ended_us.is_not(None))


class StrikeContent:
    """An ``app.delivery.events.PersonRecords``."""

    def __init__(self, notices: Notices) -> None:
        self._notices = notices

    def held_records(self, connection: Connection, node_id: str) -> Held:
        of_node = select(func.count()).select_from(strike).where(strike.c.node_id == node_id)
        over = connection.scalar(of_node.where(_OVER, strike.c.details.is_not(None))) or 0
        running = connection.scalar(of_node.where(~_OVER)) or 0
        kept = []
        if running:
            kept.append(
                f"{running} strike{'s' * (running != 1)} of the node that {'are' if running != 1 else 'is'} open: "
                "declaration, notices and who declared them. Erase again when they are over, or withdraw them."
            )
        if over:
            kept.append("What was sent to platforms is with them; digests, states and times of the notices stay.")
        return Held(over, kept)

    def forget(self, tx: Transaction, node_id: str) -> int:
        over = select(strike.c.strike_id).where(strike.c.node_id == node_id, _OVER, strike.c.details.is_not(None))
        strike_ids = tx.connection.scalars(over).all()
        for strike_id in strike_ids:
            emptied = {
                "target": None,
                "details": None,
                "evidence": None,
                "declaration": None,
                "warnings": "[]",
            }
            tx.connection.execute(update(strike).where(strike.c.strike_id == strike_id).values(emptied))
            notices = update(strike_notice).where(strike_notice.c.strike_id == strike_id)
            tx.connection.execute(notices.values(notice=None, jws=None, reference=None))
            files = update(strike_file).where(strike_file.c.strike_id == strike_id)
            tx.connection.execute(files.where(strike_file.c.name.startswith(EVIDENCE_FOLDER)).values(data=None))
            self._notices.erase(tx, strike_id)
        return len(strike_ids)
