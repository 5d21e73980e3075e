"""The board's work: reads the notices of all strikes, and takes each one's next step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtWidgets import QWidget

from app.capabilities.enforcement.messages import NoticePage, NoticeQuery, NoticeRow, Strike, StrikeNotice
from app.console.actions import Action
from app.console.failures import failure_of
from app.console.growing import Growing
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.enforcement.board_view import BoardPanel
from app.console.pages.enforcement.forms import FormHelper, OutcomeForm
from app.console.pages.enforcement.words import (
    ANSWERED,
    CHANNELS,
    KIND,
    KINDS_WITHIN,
    PAGE,
    SOON_AGAIN_S,
    ShownNotice,
    appeal_words,
    board_rows,
    ends_words,
    moves,
)
from app.console.part import Host, Part
from app.console.telemetry.live import Listener, LiveEvent
from app.console.widgets.buttons import plain_button
from app.console.widgets.confirm import ConfirmDialog
from app.console.widgets.text_dialog import TextDialog
from app.delivery.messages import Delivery, RecordOutcome

NOTICES = 100
"""Of one page of the list."""
SENDABLE = frozenset({"held", "bounced", "failed"})


class BoardPart(Part):
    """``choose`` hears on which strike the cursor is, ``open_strike`` when it is to be shown, ``supply`` when its
    details are to be supplied, ``renew`` when a second notice is to be written."""

    every_s = 10.0
    ticks_a_paint = 10
    kinds = frozenset({KIND, "deliveries"})

    def __init__(
        self,
        host: Host,
        view: BoardPanel,
        *,
        choose: Callable[[str], None],
        open_strike: Callable[[str], None],
        supply: Callable[[Strike], None],
        renew: Callable[[Strike], None],
    ) -> None:
        super().__init__(host, view.mark)
        self.view: BoardPanel = view
        self._choose_strike = choose
        self._open_strike = open_strike
        self._supply_strike = supply
        self._renew_strike = renew
        self._resolved = False
        self._list: Growing[NoticeRow] = Growing(self._ask, lambda row: row.notice.notice_id, page=NOTICES)
        self._ended: NoticePage | None = None
        self._chosen = ""
        self._sought = ""
        view.chosen.connect(self._choose)
        view.opened.connect(self._open)
        view.pressed.connect(self._press)
        view.more.connect(self._grow)
        view.sought.connect(open_strike)

    # --- what can be done --------------------------------------------------------------------------------------------

    @property
    def row(self) -> ShownNotice | None:
        """The notice under the cursor."""
        at = self.view.rows.row_of(self._chosen)
        return self.view.rows.rows[at] if at >= 0 else None

    def actions(self) -> Sequence[Action]:
        def has_state(states: frozenset[str]) -> Callable[[], bool]:
            return lambda: self._may() and self.row is not None and self.row.notice.state in states

        def is_sendable() -> bool:
            row = self.row
            return has_state(SENDABLE)() and row is not None and not row.notice.missing

        return [
            Action("enforcement.step", tr("Take the next step of the notice"), self._step, "arrow-right", ("F7",), PAGE,
                   when=lambda: self._may() and self.row is not None and self.row.step is not None,
                   hint=tr("Asks first, whatever it is.")),
            Action("enforcement.send", tr("Release it, or send it again"), self._ask_send, "send", ("Ctrl+R",), PAGE,
                   when=is_sendable, hint=tr("Asks first."), calls=("deliveries_send",)),
            Action("enforcement.outcome", tr("Record an outcome"), self._ask_outcome, "check", ("Ctrl+O",), PAGE,
                   when=has_state(ANSWERED), hint=tr("What the platform answered; it becomes a leaf of the audit log."),
                   calls=("deliveries_record_outcome",)),
            Action("enforcement.helper", tr("Open the form helper"), self._ask_form, "copy", ("Ctrl+H",), PAGE,
                   when=has_state(frozenset({"operator_action"})),
                       hint=tr("Each field of the platform's form to copy."),
                   calls=("deliveries_record_outcome",)),
            Action("enforcement.appeal", tr("Words for an appeal or a second notice"), self._ask_appeal, "file-text",
                   ("Ctrl+T",), PAGE, when=has_state(frozenset({"expired", "rejected", "countered"}))),
            Action("enforcement.resolved", tr("Open notices, or resolved ones"), self._switch, "funnel", ("Alt+O",),
                PAGE,
                   when=lambda: self.host.may_write),
        ]  # fmt: skip

    def filter_field(self) -> QWidget:
        return self.view.token

    def _may(self) -> bool:
        return self.host.may_write

    # --- reading -----------------------------------------------------------------------------------------------------

    def listeners(self) -> Mapping[str, Listener]:
        return {"alarm": self._read_soon}

    def _read_soon(self, _events: Sequence[LiveEvent]) -> None:
        self.read_now()

    async def _ask(self, cursor: str | None, limit: int) -> NoticePage:
        query = NoticeQuery(open=not self._resolved, limit=limit, cursor=cursor)
        return await self.session.client.enforcement_notices(query=query)

    def take(self, arguments: Mapping[str, str]) -> None:
        self._sought = arguments.get("strike_id", "")

    async def read(self) -> None:
        await self._list.read()
        if self._sought:
            rows = self._list.rows.values()
            found = next((row for row in rows if row.strike_id == self._sought), None)
            if found is not None:
                self._chosen = found.notice.notice_id
                self._choose_strike(found.tracking_token)
            self._sought = ""
        if self._resolved:
            self._ended = None
        else:
            query = NoticeQuery(open=False, limit=NOTICES)
            self._ended = await self.session.client.enforcement_notices(query=query)

    def _grow(self) -> None:
        if self._list.can_grow and self.host.may_write:
            self.host.spawn(self._read_more(), name="more notices")

    async def _read_more(self) -> None:
        if await self._list.grow():
            self._paint_rows()

    def _switch(self) -> None:
        self._resolved = not self._resolved
        self._list.forget()
        self.view.table.scrollToTop()
        self.read_now()

    # --- painting ----------------------------------------------------------------------------------------------------

    def paint_all(self) -> None:
        self._paint_rows()
        ended = self._ended
        if ended is None or not ended.items:
            self.view.show_ends("" if ended is None else "0", "")
        else:
            number = len(ended.items)
            count = str(number) if ended.next is None else tr("{count} or more", count=number)
            self.view.show_ends(count, tr("{count} resolved: {ends}", count=count, ends=ends_words(ended.items)))
        self.view.near_end()

    def _paint_rows(self) -> None:
        rows = board_rows(self._list.rows.values(), self.session.live.now())
        keys = [row.notice.notice_id for row in rows]
        if self._chosen not in keys:
            self._chosen = keys[0] if keys else ""
            if rows:
                self._choose_strike(rows[0].row.tracking_token)
        self.view.show_rows(rows, self._chosen, resolved=self._resolved, whole=self._list.complete)

    def paint(self) -> None:
        super().paint()
        if self.fresh.since is not None and self._list.rows:
            self._paint_rows()  # the clocks go on
        now, age = self.session.live.now(), self.fresh.age_s()
        if age is not None and age >= SOON_AGAIN_S and any(moves(row.notice, now) for row in self._list.rows.values()):
            self.read_now()

    def point_at(self, token: str) -> None:
        """Put the cursor on the first notice of a strike, now or as soon as it is read."""
        found = next((key for key, row in self._list.rows.items() if row.tracking_token == token), "")
        self._chosen = found or self._chosen
        self.read_now()

    def _choose(self, key: str) -> None:
        if key and key != self._chosen:
            self._chosen = key
            if (row := self.row) is not None:
                self._choose_strike(row.row.tracking_token)
        self.session.actions.refresh()

    def _open(self, key: str) -> None:
        self._choose(key)
        if (row := self.row) is not None:
            self._open_strike(row.row.tracking_token)

    # --- next steps --------------------------------------------------------------------------------------------------

    def _press(self, key: str) -> None:
        self._choose(key)
        self._step()

    def _step(self) -> None:
        """Take the next step of the notice under the cursor."""
        row = self.row
        if row is None or row.step is None:
            return
        if row.step.action == "enforcement.supply" and self.host.may("enforcement_supply"):
            self.host.spawn(self._with_strike(row, self._supply_strike), name="supply details")
        else:
            self.session.actions.trigger(row.step.action)

    async def _with_strike(self, row: ShownNotice, take: Callable[[Strike], None]) -> None:
        """Read the strike of a notice and hand it on."""
        take(await self.session.client.enforcement_get(row.row.tracking_token))

    def _ask_send(self) -> None:
        """Ask before a held notice is released, or one that failed is sent again."""
        row = self.row
        if row is None:
            return
        notice = row.notice
        what = tr(
            "The {kind} {number} goes to {platform} by {channel}",
            kind=KINDS_WITHIN[notice.kind],
            number=notice.tracking,
            platform=notice.platform_name,
            channel=CHANNELS[notice.channel],
        )
        held = notice.state == "held"
        fault = (notice.fault or tr("the reason is in the history")).rstrip(".")
        ConfirmDialog(
            self.view.window(),
            tr("Release it?") if held else tr("Send it again?"),
            tr("{what}. What was sent cannot be called back.", what=what)
            if held
            else tr("{what}; the last attempt failed: {fault}.", what=what, fault=fault),
            tr("Release it") if held else tr("Send it again"),
            lambda: self._send(notice),
        ).open()

    def _send(self, notice: StrikeNotice) -> None:
        operation: Operation[Delivery] = Operation(
            lambda client, key: client.deliveries_send(notice.notice_id, idempotency_key=key),
            title=tr("Send {number}", number=notice.tracking),
            changes=(KIND, "deliveries"),
            asks=True,
        )
        operation.success(lambda _reply: self._tell(notice, tr("goes out"))).failure(self.host.show_failure)
        operation.run(self.session, self.view)

    def _tell(self, notice: StrikeNotice, words: str) -> None:
        self.session.notify(
            tr(
                "{number} to {platform} {words}.",
                number=notice.tracking,
                platform=notice.platform_name,
                words=words,
            ),
            subject=notice.notice_id,
        )

    def _ask_outcome(self) -> None:
        if (row := self.row) is not None:
            self._record_by(OutcomeForm(self.view.window(), row.notice), row.notice, tr("has its outcome"))

    def _ask_form(self) -> None:
        if (row := self.row) is not None:
            self.host.spawn(self._with_strike(row, lambda strike: self._show_form(strike, row.notice)), name="form")

    def _show_form(self, strike: Strike, notice: StrikeNotice) -> None:
        """Open the helper with the fields of the form, which the strike has and the board has not."""
        whole = next((one for one in strike.notices if one.notice_id == notice.notice_id), notice)
        self._record_by(FormHelper(self.view.window(), whole), whole, tr("is sent; its clock runs"))

    def _record_by(self, form: OutcomeForm | FormHelper, notice: StrikeNotice, words: str) -> None:
        """Record what the form gives."""

        def record(body: RecordOutcome) -> None:
            operation: Operation[Delivery] = Operation(
                lambda client, key: client.deliveries_record_outcome(notice.notice_id, body, idempotency_key=key),
                title=tr("Record the outcome of {number}", number=notice.tracking),
                changes=(KIND, "deliveries"),
                asks=True,
            )
            operation.success(finish).failure(form.show_failure).run(self.session, form)

        def finish(_reply: Delivery) -> None:
            form.accept()
            self._tell(notice, words)

        form.asked.connect(record)
        form.open()

    def _ask_appeal(self) -> None:
        if (row := self.row) is not None:
            self.host.spawn(self._with_strike(row, lambda strike: self._show_appeal(strike, row.notice)), name="appeal")

    def _show_appeal(self, strike: Strike, notice: StrikeNotice) -> None:
        """Show words to copy; a second notice begins as a draft that is filled in."""
        law = strike.law
        dialog = TextDialog(
            self.view.window(),
            tr("Appeal, or second notice, to {platform}", platform=notice.platform_name),
            tr(
                "Facts of the strike, to be copied into your own letter; what to argue is yours. {law}: "
                "see its file for the authority above the platform.",
                law=law.title,
            ),
            appeal_words(strike, notice, self.session.live.now()),
        )

        def renew() -> None:
            dialog.accept()
            self._renew_strike(strike)

        dialog.buttons.addWidget(plain_button(tr("Begin a second notice"), renew))
        dialog.open()

    def show_error(self, error: Exception) -> None:
        """A reading failed. A board that was never read does not go on saying that it is being read."""
        super().show_error(error)
        if self.fresh.since is None:
            self.view.waits.say(tr("The notices cannot be read."), failure_of(error).sentence)
