"""What one key may not do alone: burn a list of people, or take a burn back. Burning ONE person never comes here."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from app.approvals.messages import Approval, ApprovalBody, ApprovalListQuery
from app.capabilities.burn.messages import Burn, LiftBody, MassBurn, MassBurnBody
from app.console.actions import Action, Effect
from app.console.approvals import OPEN, decidable, decide, pending_words, reason_of, request_approval, verdict_of
from app.console.failures import Failure
from app.console.language import tr
from app.console.operations import Operation, OperationPhase, OperationProgress
from app.console.pages.burn.two_keys_view import KINDS, ListForm, TwoKeysView, what_of
from app.console.part import Host, Part
from app.console.reason_form import ReasonForm
from app.console.session import MessageWay
from app.console.telemetry.live import Listener
from app.console.widgets.choice import Choice
from app.console.widgets.form import FormDialog

LISTED = 200


class TwoKeys(Part):
    """``find`` searches people, ``burn`` gives the burn on the board, ``nodes`` the nodes chosen in another list with
    their reason."""

    every_s = 3.0

    def __init__(
        self,
        host: Host,
        view: TwoKeysView,
        *,
        find: Callable[[str], Coroutine[Any, Any, list[Choice]]],
        burn: Callable[[], Burn | None],
        nodes: Callable[[], tuple[list[str], str]],
    ) -> None:
        super().__init__(host)
        self.view: TwoKeysView = view
        self._find = find
        self._burn = burn
        self._chosen_nodes = nodes
        self.requests: Sequence[Approval] = ()
        """The newest requests, as last read."""
        self._wanted = ""
        self._running: Approval | None = None
        """The request that is being carried out from here."""
        self._asking = False
        self._burned: MassBurn | None = None
        """The list that was burned from here, until all of it is proven."""
        view.table.selected.connect(lambda _row: self._show_chosen())
        view.confirm.ordered.connect(self._do)
        view.confirm.mistyped.connect(self._refuse_word)

    def actions(self) -> Sequence[Action]:
        page = "burn"
        return [
            Action(
                "burn.ask_list", tr("Ask to burn a list of people"), self._ask_list, "users", ("Ctrl+Shift+B",), page,
                when=lambda: self._citadel, effect=Effect.CHANGE,
                hint=tr("The nodes chosen in the list in front are filled in. Another Citadel key must approve."),
                calls=("approvals_request",), approval="mass_burn",
            ),
            Action(
                "burn.ask_lift", tr("Ask to un-burn"), self._ask_lift, "rotate-ccw", ("Ctrl+Shift+U",), page,
                when=self._liftable, effect=Effect.CHANGE,
                hint=tr("Asks a second key to take the shown burn back."),
                calls=("approvals_request",), approval="lift",
            ),
            Action(
                "burn.approve", tr("Approve the request"), lambda: self._decide(approve=True), "check", ("Alt+A",),
                    page,
                when=lambda: self._can_decide(approve=True), effect=Effect.CHANGE,
                hint=tr(
                    "Never one's own, nor that of a key which this one comes from, made, or shares a maker "
                    "with."),
                calls=("approvals_approve",),
            ),
            Action(
                "burn.reject", tr("Reject the request"), lambda: self._decide(approve=False), "x", ("Alt+X",), page,
                when=lambda: self._can_decide(approve=False), effect=Effect.CHANGE,
                calls=("approvals_reject",),
            ),
        ]  # fmt: skip

    # --- what is known -----------------------------------------------------------------------------------------------

    @property
    def _citadel(self) -> bool:
        return self.session.clearance == "citadel"

    def listeners(self) -> Mapping[str, Listener]:
        return {"alarm": lambda _events: self.read_now()}

    def recover(self) -> None:
        """The head of the page may hold what a burn has answered: it stays."""

    def take(self, arguments: Mapping[str, str]) -> None:
        if approval_id := arguments.get("approval_id"):
            self.host.show()
            self.want(approval_id)

    async def read(self) -> None:
        client = self.session.client
        page = await client.approvals_list(query=ApprovalListQuery(limit=LISTED))
        self.requests = [one for one in page.items if one.kind in KINDS]
        if (
            self._burned is not None
            and self._burned.state != "COMPLETE"
            and self.session.permissions.may("mass_burns_burn")
        ):
            # The same approval again is the same list, as it is now.
            body = MassBurnBody(approval_id=self._burned.approval_id)
            self._burned = await client.mass_burns_burn(body, prefer="wait=0")

    def paint(self) -> None:
        """Nothing changes by itself: the list is read often."""

    def paint_all(self) -> None:
        self.view.show_requests(self.requests)
        self.view.show_outcome(self._burned)
        self._select()
        self.view.mark.set(*verdict_of(self.requests, self.fresh.words()))
        self._show_chosen()

    def want(self, approval_id: str) -> None:
        """Select a request, now or as soon as it is read."""
        self._wanted = approval_id
        self._select()

    def _select(self) -> None:
        at = self.view.rows.row_of(self._wanted)
        if at >= 0:
            self._wanted = ""
            self.view.table.selectRow(at)

    def _show_chosen(self) -> None:
        """Show what the selected request waits for, and the hold that carries it out."""
        one = self.view.chosen
        self.view.words.setText(self._words(one))
        ready = one is not None and one.state == "APPROVED" and self._running is None
        ready = ready and self._may_do(one)
        what = "" if one is None else what_of(one)
        lifts = one is not None and one.kind == "lift"
        verb = tr("Hold to un-burn {what}", what=what) if lifts else tr("Hold to burn {what}", what=what)
        word = "" if one is None else what if one.kind == "lift" else str(len(one.subjects))
        if self.view.confirm.isVisibleTo(self.view) != ready:
            self.view.confirm.clear()
            self.view.confirm.setVisible(ready)
        self.view.confirm.show_ready(ready, verb, word)
        self.session.actions.refresh()

    def _may_do(self, one: Approval | None) -> bool:
        """Whether the operator at the desk may carry the request out, once it is approved."""
        permissions = self.session.permissions
        if one is None or one.kind == "mass_burn":
            return permissions.may("mass_burns_burn")
        return permissions.may("burn_lift")

    def _words(self, one: Approval | None) -> str:
        """What the selected request is about and what it waits for."""
        if self._running is not None:
            return tr("Unknown, asking again until it is answered.") if self._asking else tr("Sent.")
        if one is None:
            return tr("Select a request to decide it.") if self.requests else ""
        names = self.session.names
        what = f"{KINDS[one.kind]}: {what_of(one)}. {reason_of(one)}"
        if one.state == "PENDING":
            return f"{what} {pending_words(self.session, one)}"
        if one.state == "APPROVED":
            person = names.of(one.approved_by, one.approved_by_name)
            if one.kind == "lift":
                return tr("{what} Approved by {person}. Hold, or type the id.", what=what, person=person)
            return tr("{what} Approved by {person}. Hold, or type the number of nodes.", what=what, person=person)
        return (
            tr("{what} Used by {person}.", what=what, person=names.of(one.used_by, one.used_by_name))
            if one.state == "USED"
            else what
        )

    # --- asking ------------------------------------------------------------------------------------------------------

    def _ask_list(self) -> None:
        """Open the form of a list; the nodes chosen in the list in front are filled in."""
        nodes, reason = self._chosen_nodes()
        form = ListForm(
            self.view.window(),
            nodes,
            reason,
            lambda nodes, reason: self._request(ApprovalBody(kind="mass_burn", subjects=nodes, reason=reason), form),
        )

        async def offer(text: str) -> None:
            form.people.offer(await self._find(text))

        form.people.searched.connect(lambda text: self.host.spawn(offer(text), name="people of a list"))
        form.open()

    def _liftable(self) -> bool:
        burn = self._burn()
        return self._citadel and burn is not None and burn.lifted_at is None and self._open_lift(burn) is None

    def _open_lift(self, burn: Burn) -> Approval | None:
        found = (one for one in self.requests if one.kind == "lift" and burn.burn_id in one.subjects)
        return next((one for one in found if one.state in OPEN), None)

    def _ask_lift(self) -> None:
        """Ask for the reason of an un-burn, and with it for the second key."""
        burn = self._burn()
        if burn is None:
            return
        form = ReasonForm(
            self.view.window(),
            tr("Ask to un-burn {person}", person=burn.node_id),
            tr(
                "Another Citadel key must approve. Cards, badges and grants that were revoked stay so for "
                "ever: new ones are issued, and the standing returns only by a new live check."
            ),
            lambda reason: self._request(ApprovalBody(kind="lift", subjects=[burn.burn_id], reason=reason), form),
            example=tr("The token was found; the wrong person was burned"),
        )
        form.open()

    def _request(self, body: ApprovalBody, form: FormDialog) -> None:
        """Ask for the second key; the form stays open until the service has the request."""

        def finish(made: Approval) -> None:
            self.requests = [made, *(one for one in self.requests if one.approval_id != made.approval_id)]
            form.accept()
            self.host.show()
            self.paint_all()
            self.want(made.approval_id)
            self.read_now()

        request_approval(self.session, form, body, title=tr("Ask: {kind}", kind=KINDS[body.kind]), on_made=finish)

    # --- deciding ----------------------------------------------------------------------------------------------------

    def _can_decide(self, *, approve: bool) -> bool:
        return self._citadel and self.host.shown() and decidable(self.session, self.view.chosen, approve=approve)

    def _decide(self, *, approve: bool) -> None:
        """Approve or reject the selected request."""
        one = self.view.chosen
        if one is None:
            return
        decide(
            self.session,
            self.view,
            one,
            approve=approve,
            on_failure=self.host.show_failure,
            on_end=self.read_now,
        )

    # --- doing -------------------------------------------------------------------------------------------------------

    def _refuse_word(self, word: str) -> None:
        self.view.words.setText(tr("That is not {word}. Nothing was done.", word=word))

    def _do(self) -> None:
        """Carry the selected request out, if it is approved and none is being carried out."""
        one = self.view.chosen
        if one is None or one.state != "APPROVED" or self._running is not None:
            return
        self._running, self._asking = one, False
        if one.kind == "lift":
            lift = LiftBody(approval_id=one.approval_id)
            lifting: Operation[Burn] = Operation(
                lambda client, _key: client.burn_lift(one.subjects[0], lift),
                title=tr("Un-burn {person}", person=what_of(one)),
                changes=("burns", "nodes", "alarms", "approvals"),
                asks=True,
            )
            lifting.progress(self._show_progress).success(self._finish_lift).failure(self._fail)
            lifting.run(self.session, self.view)
        else:
            mass = MassBurnBody(approval_id=one.approval_id)
            burning: Operation[MassBurn] = Operation(
                lambda client, _key: client.mass_burns_burn(mass),
                title=tr("Burn of {person}", person=what_of(one)),
                changes=("burns", "nodes", "alarms", "approvals"),
                asks=True,
            )
            burning.progress(self._show_progress).success(self._finish_list).failure(self._fail)
            burning.run(self.session, self.view)
        self._show_chosen()

    def _show_progress(self, progress: OperationProgress) -> None:
        self._asking = progress.phase is OperationPhase.ASKING
        self._show_chosen()

    def _end(self) -> None:
        self._running = None
        self.read_now()
        self._show_chosen()

    def _finish_list(self, done: MassBurn) -> None:
        self._burned = done
        self.session.notify(
            tr("{count} nodes are denied everywhere here; their burns run.", count=len(done.burns)), "warn"
        )
        self.view.show_outcome(done)
        self._end()

    def _finish_lift(self, burn: Burn) -> None:
        self.session.notify(
            tr("The burn of {person} is lifted. What it held stays revoked; issue anew.", person=burn.node_id),
            "warn",
            subject=burn.node_id,
            way=MessageWay("burn", {"burn_id": burn.burn_id}),
        )
        self._end()

    def _fail(self, failure: Failure) -> None:
        self.host.show_failure(failure)
        self._end()
