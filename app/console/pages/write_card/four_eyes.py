"""What one key may not do alone with a written card: give it a new PIN, or take it from its holder."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from app.approvals.messages import Approval, ApprovalBody, ApprovalKind, ApprovalListQuery
from app.capabilities.provisioning.messages import PinReset, PinResetBody, Provision
from app.console.actions import Action, Effect
from app.console.approvals import OPEN, decidable, decide, pending_words, reason_of, request_approval, verdict_of
from app.console.cards import CARDS_EVERY_S
from app.console.cards.words import BARRED
from app.console.failures import Failure, failure_of
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.write_card.four_eyes_view import KINDS
from app.console.pages.write_card.state import WriteCardState
from app.console.pages.write_card.view import FOUR_EYES
from app.console.part import Host, Part
from app.console.reason_form import ReasonForm
from app.console.telemetry.live import Listener
from app.console.theme.tokens import Meaning

if TYPE_CHECKING:
    from app.client import Client

LISTED = 50


class FourEyes(Part):
    """Requests for a second key, as the service has them. ``reread`` reads a provisioning again, ``open_card`` shows
    one, ``tab`` brings this section to the front."""

    every_s = CARDS_EVERY_S

    def __init__(
        self,
        host: Host,
        state: WriteCardState,
        initiator: object,
        *,
        reread: Callable[[str], Awaitable[None]],
        open_card: Callable[[str], None],
        tab: Callable[[int], None],
    ) -> None:
        super().__init__(host)
        self._told: Failure | None = None
        self._state = state
        self._initiator = initiator
        self._reread = reread
        self._tab = tab
        self._requests: Sequence[Approval] = ()
        self._busy = False
        view = state.view.four_eyes
        view.table.selected.connect(lambda _row: self._show_chosen())
        view.table.opened.connect(lambda row: open_card(view.rows.rows[row].subjects[0]))

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table."""
        page = "write_card"
        return [
            Action(
                "write_card.four_eyes", tr("Show requests for a second key"), lambda: self._tab(FOUR_EYES), "users",
                ("Alt+5",), page,
            ),
            Action(
                "write_card.ask_pin_reset", tr("Ask for a PIN reset"), lambda: self._ask("pin_reset"), "key-round",
                ("Ctrl+Shift+M",), page, when=lambda: self._can_ask("pin_reset"), effect=Effect.CHANGE,
                hint=tr("The shown card gets a new PIN when another Citadel key has agreed."),
                calls=("approvals_request",), approval="pin_reset",
            ),
            Action(
                "write_card.ask_reissue", tr("Ask for re-issue"), lambda: self._ask("reissue"), "rotate-ccw",
                ("Ctrl+Shift+R",), page, when=lambda: self._can_ask("reissue"), effect=Effect.CHANGE,
                hint=tr("The shown card may be written for somebody else when another Citadel key has agreed."),
                calls=("approvals_request",), approval="reissue",
            ),
            Action(
                "write_card.approve", tr("Approve the request"), lambda: self._decide(approve=True), "check", ("Alt+A",
                    ),
                page, when=lambda: self._can_decide(approve=True), effect=Effect.CHANGE,
                calls=("approvals_approve",),
            ),
            Action(
                "write_card.reject", tr("Reject the request"), lambda: self._decide(approve=False), "x", ("Alt+X",),
                    page,
                when=lambda: self._can_decide(approve=False), effect=Effect.CHANGE,
                calls=("approvals_reject",),
            ),
            Action(
                "write_card.reset_pin", tr("Reset PIN"), self._reset, "rotate-ccw", ("Ctrl+Shift+P",), page,
                when=lambda: not self._busy and self._resettable() is not None, effect=Effect.CHANGE,
                hint=tr("The card in the reader gets a new PIN; its mailer can then be saved once more."),
                calls=("provisioning_reset_pin",),
            ),
        ]  # fmt: skip

    # --- what is known -----------------------------------------------------------------------------------------------

    def listeners(self) -> Mapping[str, Listener]:
        return {"alarm": lambda _events: self.read_now()}

    async def run(self, arguments: Mapping[str, str]) -> None:
        """Read the requests for as long as the page is shown, if this key may."""
        if self._citadel:
            await super().run(arguments)
        else:
            self._show()

    @property
    def _citadel(self) -> bool:
        return self._state.session.clearance == "citadel"

    async def read(self) -> None:
        page = await self.session.client.approvals_list(query=ApprovalListQuery(limit=LISTED))
        self._requests = [one for one in page.items if one.kind in KINDS]
        self._state.reissues = {
            one.card_guid for one in page.items if (one.kind, one.state) == ("reissue", "APPROVED") and one.card_guid
        }
        self._state.dirty = True

    def show_error(self, error: Exception) -> None:
        """The section turns stale by itself: a lost connection is told by the shell."""
        failure = failure_of(error)
        if failure.code != "connection_lost":
            self._told = failure
            self.host.show_failure(failure)

    def recover(self) -> None:
        """A reading succeeds again: what a reading told is over. What else stands at the head of the page may be of a
        write: it stays."""
        self.host.banner.withdraw(self._told)

    def paint_all(self) -> None:
        self._show()

    def paint(self) -> None:
        """Say so when the list is old."""
        if self._citadel and self._requests and self.fresh.words():
            self._show()

    def _show(self) -> None:
        view = self._state.view.four_eyes
        view.show_requests(self._requests)
        if self._citadel:
            view.verdict.set(*verdict_of(self._requests, self.fresh.words()))
        else:
            view.verdict.set(Meaning.IDLE, tr("Needs a Citadel key"))
        waiting = sum(one.state == "PENDING" for one in self._requests)
        title = tr("Four eyes ({count})", count=waiting) if waiting else tr("Four eyes")
        if self._state.view.tabs.tabText(FOUR_EYES) != title:
            self._state.view.tabs.setTabText(FOUR_EYES, title)
        self._show_chosen()

    def _show_chosen(self) -> None:
        self._state.view.four_eyes.words.setText(self._words())
        self._state.session.actions.refresh()

    def _words(self) -> str:
        """What the chosen request waits for, and what to do."""
        if not self._citadel:
            return tr(
                "This console's key is a Sovereign one: to ask and to agree takes two consoles with Citadel keys."
            )
        one = self._state.view.four_eyes.chosen
        if one is None:
            return tr("Open a card under Result or History to ask for it; select a request to decide it.")
        what = tr("{request} of {person}: {reason}", request=KINDS[one.kind], person=one.node_id, reason=reason_of(one))
        if one.state == "PENDING":
            return f"{what} {pending_words(self.session, one)}"
        if one.state == "APPROVED" and one.kind == "reissue":
            return tr("{request} Approved: put the card in, choose its new holder, and Write.", request=what)
        if one.state == "APPROVED":
            return tr("{request} Approved: open it (Enter), put the card in, and Reset PIN.", request=what)
        return what

    # --- asking ------------------------------------------------------------------------------------------------------

    def _open(self, kind: ApprovalKind, provision_id: str) -> Approval | None:
        found = (one for one in self._requests if (one.kind, one.provision_id) == (kind, provision_id))
        return next((one for one in found if one.state in OPEN), None)

    def _can_ask(self, kind: ApprovalKind) -> bool:
        shown = self._state.shown
        if shown is None or not self._citadel or shown.released_at is not None:
            return False
        fit = shown.state == "COMPLETE" if kind == "pin_reset" else shown.state in ("COMPLETE", "TORN")
        barred = kind == "pin_reset" and shown.standing in BARRED
        return fit and not barred and self._open(kind, shown.provision_id) is None

    def _ask(self, kind: ApprovalKind) -> None:
        """Ask for the reason of a request."""
        shown = self._state.shown
        if shown is None:
            return
        who = shown.display_name or shown.node_id
        sentence = {
            "pin_reset": tr("The card of {holder} gets a new PIN; the old one opens nothing any more.", holder=who),
            "reissue": tr("The card is taken from {holder} and may be written for somebody else.", holder=who),
        }[kind]
        dialog = ReasonForm(
            self._state.view.window(),
            tr("Ask for a PIN reset") if kind == "pin_reset" else tr("Ask for re-issue"),
            tr("{sentence} Another Citadel key must agree.", sentence=sentence),
            lambda reason: self.request(kind, shown, reason, dialog),
            example=tr("The holder has forgotten the PIN"),
        )
        dialog.open()

    def request(self, kind: ApprovalKind, shown: Provision, reason: str, dialog: ReasonForm) -> None:
        """Ask the service; the dialog closes when it has been asked."""
        body = ApprovalBody(kind=kind, provision_id=shown.provision_id, reason=reason)

        def show(_made: Approval) -> None:
            dialog.accept()
            self._tab(FOUR_EYES)
            self.read_now()

        request_approval(
            self._state.session,
            dialog,
            body,
            title=tr("Ask for PIN reset") if kind == "pin_reset" else tr("Ask for Re-issue"),
            on_made=show,
        )

    # --- deciding ----------------------------------------------------------------------------------------------------

    def _can_decide(self, *, approve: bool) -> bool:
        return self._citadel and decidable(self.session, self._state.view.four_eyes.chosen, approve=approve)

    def _decide(self, *, approve: bool) -> None:
        """Agree to the chosen request, or refuse it."""
        one = self._state.view.four_eyes.chosen
        if one is None:
            return
        decide(
            self._state.session,
            self._initiator,
            one,
            approve=approve,
            on_failure=self._state.show_failure,
            on_end=self.read_now,
        )

    # --- the new PIN -------------------------------------------------------------------------------------------------

    def _resettable(self) -> Approval | None:
        """The approval for the shown card, if that card lies in a reader."""
        shown = self._state.shown
        if shown is None or shown.card_guid is None or shown.standing in BARRED:
            return None
        found = self._open("pin_reset", shown.provision_id)
        lies = any(card.present and card.card_guid == shown.card_guid for card in self._state.items)
        return found if found is not None and found.state == "APPROVED" and lies else None

    def _reset(self) -> None:
        """Give the card in the reader a new PIN, by its approval."""
        found = self._resettable()
        if found is None:
            return
        provision_id, body = found.subjects[0], PinResetBody(approval_id=found.approval_id)
        self._busy = True

        async def request(client: Client, _key: str) -> PinReset:
            # No idempotency key: the call is idempotent by its approval, and a key would repeat the stored 202.
            while True:
                reply = await client.provisioning_reset_pin(provision_id, body)
                if reply.state != "RUNNING":
                    return reply

        def tell(reply: PinReset) -> None:
            self._end(provision_id)
            self._state.session.notify(
                tr("The card of {holder} has a new PIN: save its mailer (Ctrl+M).", holder=reply.node_id)
            )

        def refuse(failure: Failure) -> None:
            self._end(provision_id)
            self._state.show_failure(failure)

        self._state.view.banner.clear()
        Operation(request, title=tr("Reset PIN"), changes=("cards",), asks=True).success(tell).failure(refuse).run(
            self._state.session, self._initiator
        )

    def _end(self, provision_id: str) -> None:
        self._busy = False
        self.read_now()
        self._state.session.tasks.spawn(self._again(provision_id), name="provisioning")

    async def _again(self, provision_id: str) -> None:
        await self._reread(provision_id)
