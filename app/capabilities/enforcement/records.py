"""Strikes and notices as callers see them: one, pages of them, their files. Reads alone; all of it blocks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, select

from app.api.problems import Problem
from app.api.wire import rfc3339
from app.capabilities.enforcement.journal import LAW_FOLDER
from app.capabilities.enforcement.jurisdictions import Law, LawRefused, load_law
from app.capabilities.enforcement.messages import (
    FormField,
    LawUsed,
    MissingElement,
    NoticeEvent,
    NoticePage,
    NoticeQuery,
    NoticeRow,
    SignedDeclaration,
    Strike,
    StrikeEvidence,
    StrikeNotice,
    StrikePage,
    StrikeQuery,
    StrikeRow,
)
from app.capabilities.enforcement.notice import (
    NoticeFacts,
    StrikeRecord,
    form_fields,
    merge_missing,
    no_platform,
)
from app.capabilities.enforcement.states import ENDED, OPEN, NoticeStanding, strike_state
from app.capabilities.enforcement.tables import strike, strike_event, strike_file, strike_notice
from app.capabilities.enforcement.tracking import TrackingTokens, notice_tracking
from app.delivery.notices import NoticeProgress, Notices
from app.store.cursor import Cursors
from app.store.engine import Store

PATH: Final = "/v1/citadel/action/strike"
STRIKES: Final = "strikes"
BOARD: Final = "strike_notices"
ERASED: Final = "[erased]"
"""What stands for the signature of a strike that was erased."""
_FAULTS: Final[Mapping[str, str]] = {
    "no_answer": "No connection, or no answer in time.",
    "refused": "The other side refused it for the moment.",
    "url_refused": "The platform's address may not be reached from this site.",
    "internal": "This service's own fault; its log tells it.",
    "bounced": "The mail server refused it for good.",
    "not_set_up": "The site has no mail relay that it may use.",
    "platform_changed": "The platform was deleted, or has another address since.",
}


class StrikeRecords:
    """Reads the rows of strikes. Any thread."""

    def __init__(
        self, store: Store, cursors: Cursors, tokens: TrackingTokens, notices: Notices, *, training: bool
    ) -> None:
        self._store = store
        self._cursors = cursors
        self._tokens = tokens
        self._notices = notices
        self._training = training

    def get(self, tracking_token: str) -> Strike:
        """The strike of a token; 404."""
        track = self.track_of(tracking_token)
        with self._store.read() as connection:
            return self._strike(connection, self.row_of(connection, track))

    def by_id(self, strike_id: str) -> Strike:
        """The strike of this id, which is there."""
        with self._store.read() as connection:
            row = connection.execute(select(strike).where(strike.c.strike_id == strike_id)).one()
            return self._strike(connection, row)

    def track_of(self, tracking_token: str) -> bytes:
        """The random part of a token; 404 for one that this site never made, without a look at the store."""
        track = self._tokens.read(tracking_token)
        if track is None:
            raise unknown_strike()
        return track

    @staticmethod
    def row_of(connection: Connection, track: bytes) -> Row[Any]:
        """The row; 404."""
        row = connection.execute(select(strike).where(strike.c.track == track)).one_or_none()
        if row is None:
            raise unknown_strike()
        return row

    def declaration(self, tracking_token: str) -> bytes:
        """The signed PDF. 404; 410 once it was erased."""
        track = self.track_of(tracking_token)
        with self._store.read() as connection:
            row = self.row_of(connection, track)
        if row.declaration is None:
            raise Problem("gone", "The content of this strike was erased; its digests stay in the audit log.")
        return bytes(row.declaration)

    def page(self, query: StrikeQuery) -> StrikePage:
        """Strikes, newest first."""
        binding = f"{query.node_id}|{query.jurisdiction}".encode()
        wanted = select(strike)
        if query.node_id is not None:
            wanted = wanted.where(strike.c.node_id == query.node_id)
        if query.jurisdiction is not None:
            code = query.jurisdiction.upper().replace("_", "-")
            wanted = wanted.where((strike.c.law == code) | (strike.c.law_state == code))
        key = (strike.c.created_us, strike.c.strike_id)
        with self._store.read() as connection:
            rows, after = self._cursors.page(
                connection, wanted, STRIKES, key, limit=query.limit, cursor=query.cursor, query=binding
            )
            notices = _notices_of(connection, [row.strike_id for row in rows])
        return StrikePage(items=[self._summary(row, notices[row.strike_id]) for row in rows], next=after)

    def board(self, query: NoticeQuery) -> NoticePage:
        """Notices of all strikes, the most urgent first."""
        binding = f"{query.open}|{query.platform}".encode()
        states = OPEN if query.open else sorted(ENDED)
        wanted = select(strike_notice, strike.c.track, strike.c.law, strike.c.created_us).join(
            strike, strike.c.strike_id == strike_notice.c.strike_id
        )
        wanted = wanted.where(strike_notice.c.state.in_(states))
        if query.platform is not None:
            wanted = wanted.where(strike_notice.c.platform == query.platform)
        key = (strike_notice.c.due_us, strike_notice.c.notice_id)
        with self._store.read() as connection:
            rows, after = self._cursors.page(
                connection, wanted, BOARD, key, limit=query.limit, cursor=query.cursor, query=binding, rising=True
            )
            progress = self._notices.progress(connection, [row.notice_id for row in rows])
        items = []
        for row in rows:
            token = self._tokens.token(bytes(row.track))
            items.append(
                NoticeRow(
                    strike_id=row.strike_id,
                    tracking_token=token,
                    enforcement_jurisdiction=row.law,
                    created_at=rfc3339(row.created_us),
                    notice=notice_message(row, token, progress.get(row.notice_id)),
                )
            )
        return NoticePage(items=items, next=after)

    @staticmethod
    def files_of(connection: Connection, row: Row[Any]) -> dict[str, bytes]:
        """What the strike pins beside its documents, by name; without what was erased."""
        wanted = select(strike_file.c.name, strike_file.c.data).where(strike_file.c.strike_id == row.strike_id)
        return {one.name: bytes(one.data) for one in connection.execute(wanted) if one.data is not None}

    def law_of(self, connection: Connection, row: Row[Any]) -> Law | None:
        """The law as the strike pinned it; None where it can be read no more."""
        files = self.files_of(connection, row)
        found = {name.removeprefix(LAW_FOLDER): data for name, data in files.items() if name.startswith(LAW_FOLDER)}
        try:
            return load_law(row.law, found)
        except LawRefused:
            return None

    def facts_of(self, row: Row[Any], law: Law) -> NoticeFacts:
        """What the documents of a strike say, from its row."""
        return NoticeFacts(
            strike_id=row.strike_id,
            law=law,
            target=row.target or ERASED,
            automated=bool(row.automated),
            at_us=row.created_us,
            record=record_of(row),
            evidence=evidence_of(row),
            state=row.law_state,
            mandate=row.mandate,
            training=self._training,
        )

    def _strike(self, connection: Connection, row: Row[Any]) -> Strike:
        """The row with its notices as the wire's message."""
        rows = _notices_of(connection, [row.strike_id])[row.strike_id]
        ids = [one.notice_id for one in rows]
        progress = self._notices.progress(connection, ids)
        history = _history_of(connection, ids)
        token = self._tokens.token(bytes(row.track))
        record = record_of(row)
        forms = self._forms(connection, row, rows, token)
        notices = [
            notice_message(
                one, token, progress.get(one.notice_id), forms.get(one.notice_id, []), history.get(one.notice_id, [])
            )
            for one in rows
        ]
        standing = [one for one in notices if one.state != "withdrawn" or row.withdrawn_us is not None]
        missing = merge_missing([one.missing for one in standing])
        return Strike(
            strike_id=row.strike_id,
            tracking_token=token,
            state=_state_of(row, rows),
            declaration=SignedDeclaration(
                sha256=row.sha256,
                pdf_url=f"{PATH}/{token}/declaration.pdf",
                revision=row.revision,
                pages=row.pages,
            ),
            notices=notices,
            missing=missing if standing else [no_platform(), *missing],
            warnings=msgspec.json.decode(row.warnings, type=list[str]),
            timestamp=rfc3339(row.created_us),
            target_compromise_signature=row.target or ERASED,
            enforcement_jurisdiction=row.law,
            automated_dmca_dispatch=bool(row.automated),
            law=msgspec.json.decode(row.law_used, type=LawUsed),
            evidence=evidence_of(row),
            node_id=row.node_id,
            mandate=row.mandate,
            content_urls=record.content_urls,
            statement=record.statement,
            declarant=record.declarant_shown(),
            work=record.work_shown(),
            nature=record.nature,
            training=self._training,
        )

    def _forms(
        self, connection: Connection, row: Row[Any], rows: Sequence[Row[Any]], token: str
    ) -> dict[str, list[FormField]]:
        """What a person copies into the forms of platforms, by notice."""
        by_form = [one for one in rows if one.channel == "form" and one.state not in ENDED]
        law = self.law_of(connection, row) if by_form else None
        if law is None:
            return {}
        facts = self.facts_of(row, law)
        return {
            one.notice_id: form_fields(
                facts, one.kind, recipients=[one.platform_name], tracking=notice_tracking(token, one.number)
            )
            for one in by_form
        }

    def _summary(self, row: Row[Any], rows: Sequence[Row[Any]]) -> StrikeRow:
        """The row in a list."""
        standing = [one for one in rows if one.state in OPEN]
        ends = [one.deadline_us for one in standing if one.deadline_us is not None]
        return StrikeRow(
            strike_id=row.strike_id,
            tracking_token=self._tokens.token(bytes(row.track)),
            state=_state_of(row, rows),
            enforcement_jurisdiction=row.law,
            target_compromise_signature=row.target or ERASED,
            node_id=row.node_id,
            notices=len(rows),
            open_notices=len(standing),
            next_deadline=rfc3339(min(ends)) if ends else None,
            timestamp=rfc3339(row.created_us),
        )


def unknown_strike() -> Problem:
    """404 with what to do."""
    return Problem("not_found", "No strike has this tracking token; list the strikes to find it.")


def record_of(row: Row[Any]) -> StrikeRecord:
    """What was recorded; nothing once it was erased."""
    return StrikeRecord() if row.details is None else msgspec.json.decode(row.details, type=StrikeRecord)


def evidence_of(row: Row[Any]) -> StrikeEvidence:
    """What the signature names; nothing once it was erased."""
    if row.evidence is None:
        return StrikeEvidence(kind="reference", ref=ERASED, known=False, title=ERASED)
    return msgspec.json.decode(row.evidence, type=StrikeEvidence)


def _state_of(row: Row[Any], rows: Sequence[Row[Any]]) -> Any:
    standings = [NoticeStanding(one.state, one.missing != "[]") for one in rows]
    return strike_state(standings, withdrawn=row.withdrawn_us is not None)


def _notices_of(connection: Connection, strike_ids: Sequence[str]) -> dict[str, list[Row[Any]]]:
    """Notices by strike, in their order."""
    wanted = select(strike_notice).where(strike_notice.c.strike_id.in_(strike_ids)).order_by(strike_notice.c.number)
    found: dict[str, list[Row[Any]]] = defaultdict(list)
    for row in connection.execute(wanted):
        found[row.strike_id].append(row)
    return found


def _history_of(connection: Connection, notice_ids: Sequence[str]) -> dict[str, list[NoticeEvent]]:
    wanted = select(strike_event).where(strike_event.c.notice_id.in_(notice_ids)).order_by(strike_event.c.number)
    found: dict[str, list[NoticeEvent]] = defaultdict(list)
    for row in connection.execute(wanted):
        found[row.notice_id].append(
            NoticeEvent(at=rfc3339(row.at_us), state=row.state, actor=row.actor, detail=row.detail, leaf=row.leaf)
        )
    return found


def notice_message(
    row: Row[Any],
    token: str,
    progress: NoticeProgress | None,
    form: Sequence[FormField] = (),
    history: Sequence[NoticeEvent] = (),
) -> StrikeNotice:
    """The row as the wire's message."""

    def stamp(at_us: int | None) -> str | None:
        return None if at_us is None else rfc3339(at_us)

    on_its_way = progress is not None and row.state == "queued"
    return StrikeNotice(
        notice_id=row.notice_id,
        platform=row.platform,
        platform_name=row.platform_name,
        kind=row.kind,
        channel=row.channel,
        state="sending" if on_its_way and progress is not None and progress.sending else row.state,
        tracking=notice_tracking(token, row.number),
        deadline=stamp(row.deadline_us),
        deadline_basis=row.deadline_basis,
        deadline_about=bool(row.deadline_about),
        follow_up_at=stamp(row.follow_up_us),
        sent_at=stamp(row.sent_us),
        reference=row.reference,
        decision=row.decision,
        missing=msgspec.json.decode(row.missing, type=list[MissingElement]),
        attempts=0 if progress is None else progress.attempts,
        next_attempt_at=stamp(progress.next_us) if on_its_way and progress is not None else None,
        fault=_fault(progress),
        form_url=row.address if row.channel == "form" else None,
        form=list(form),
        history=list(history),
    )


def _fault(progress: NoticeProgress | None) -> str | None:
    """Why the last attempt failed, in words, with what the other side said."""
    if progress is None or progress.fault is None:
        return None
    words = _FAULTS.get(progress.fault, progress.fault)
    return words if progress.answer is None else f"{words} It said: {progress.answer}"
