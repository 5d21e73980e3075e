"""What time ends: alarms when the law's time runs out, notices that expire, platforms to ask again. A sweep."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Row, select, update

from app.api.wire import rfc3339
from app.capabilities.enforcement.journal import DEADLINE, EXPIRED, FOLLOW_UP, StrikeJournal
from app.capabilities.enforcement.jurisdictions import LawShelf
from app.capabilities.enforcement.states import RUNNING
from app.capabilities.enforcement.tables import strike, strike_notice
from app.delivery.alarms import SERVICE_ACTOR, AlarmBook
from app.store.writer import Transaction

REFUSED: Final = "law.refused"
"""Kind of the alarm of a law file, by its code."""
SWEEP: Final = 100
"""Notices of one transaction."""

_DUE: Final = select(strike_notice, strike.c.node_id).join(strike, strike.c.strike_id == strike_notice.c.strike_id)


class NoticeClocks:
    """The clocks of notices that a platform has. The ends stand in the rows: no clock is asked what was meant."""

    def __init__(self, journal: StrikeJournal, alarms: AlarmBook, shelf: LawShelf) -> None:
        self._shelf = shelf
        self._journal = journal
        self._alarms = alarms

    def sweep(self, tx: Transaction) -> int:
        """Records what is due now, of at most ``SWEEP`` notices of each kind; how many."""
        return self._expire(tx) + self._warn(tx)

    def tell_refused(self, tx: Transaction) -> int:
        """A law file that is not used is an alarm until it can be used again; 0: what is told once is no work left."""
        facts = {(REFUSED, code): f"{code} is not used: {why}" for code, why in self._shelf.book().refused.items()}
        self._alarms.settle(tx, [REFUSED], facts)
        return 0

    def _expire(self, tx: Transaction) -> int:
        """Notices whose time is over: ``expired``, with an alarm that leads to the next step."""
        due = _DUE.where(strike_notice.c.state.in_(sorted(RUNNING)), strike_notice.c.deadline_us <= tx.now_us).order_by(
            strike_notice.c.deadline_us
        )
        rows = tx.connection.execute(due.limit(SWEEP)).all()
        for row in rows:
            self._journal.notice_changed(
                tx,
                row.notice_id,
                "expired",
                at_us=tx.now_us,
                actor=SERVICE_ACTOR,
                request_id=None,
                detail=f"The law's time ended at {rfc3339(row.deadline_us)}.",
                reference=None,
                decision=None,
                evidence={"deadline": rfc3339(row.deadline_us)},
            )
            self._set_warned(tx, row.notice_id)
            self._alarms.clear(tx, DEADLINE, row.notice_id)
            text = (
                f"The time of {row.platform_name} for the {row.kind} {row.notice_id} has passed without an outcome. "
                "Record what it did, or take the next step: appeal, regulator, second notice."
            )
            self._raise(tx, EXPIRED, row, text)
        return len(rows)

    def _warn(self, tx: Transaction) -> int:
        """Notices of whose time three quarters are gone, or whose platform is to be asked again."""
        due = _DUE.where(strike_notice.c.warn_us <= tx.now_us).order_by(strike_notice.c.warn_us)
        rows = tx.connection.execute(due.limit(SWEEP)).all()
        for row in rows:
            self._set_warned(tx, row.notice_id)
            if row.deadline_us is None:
                text = f"{row.platform_name} has not answered the {row.kind} {row.notice_id}: ask again."
                self._raise(tx, FOLLOW_UP, row, text)
            else:
                about = "about " if row.deadline_about else ""
                text = (
                    f"Three quarters of the time of the {row.kind} {row.notice_id} to {row.platform_name} are gone; "
                    f"it ends {about}{rfc3339(row.deadline_us)}."
                )
                self._raise(tx, DEADLINE, row, text)
        return len(rows)

    def _raise(self, tx: Transaction, kind: str, row: Row[tuple[object, ...]], text: str) -> None:
        self._alarms.raise_alarm(tx, kind, row.notice_id, text, node_id=row.node_id, ref=row.strike_id)

    @staticmethod
    def _set_warned(tx: Transaction, notice_id: str) -> None:
        one = update(strike_notice).where(strike_notice.c.notice_id == notice_id)
        tx.connection.execute(one.values(warn_us=None))
