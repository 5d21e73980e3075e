"""What one key may not do alone: burn a list of people, or take a burn back. Burning ONE person never comes here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from app.approvals.messages import Approval, ApprovalBody, ApprovalListQuery
from app.capabilities.burn.messages import Burn, LiftBody, MassBurn, MassBurnBody
from app.console.actions import Action, Effect
from app.console.approvals import OPEN, decide, pending_words, reason_of, verdict_of
from app.console.clock import Freshness
from app.console.failures import Failure, failure_of
from app.console.operations import Operation, OperationPhase, OperationProgress
from app.console.page import Presenter
from app.console.pages.burn.two_keys_view import KINDS, LiftForm, ListForm, TwoKeysView, what_of
from app.console.session import WindowSession
from app.console.tasks import woken
from app.console.widgets.choice import Choice

EVERY_S = 3.0
LISTED = 200


class TwoKeys:
    """``find`` searches people, ``burn`` gives the burn on the board, ``chosen`` the nodes chosen in another list with
    their reason, ``front`` brings this list to the front, ``shown`` tells whether it is there."""

    def __init__(
        self,
        session: WindowSession,
        view: TwoKeysView,
        initiator: Presenter,
        *,
        find: Callable[[str], Coroutine[Any, Any, list[Choice]]],
        burn: Callable[[], Burn | None],
        chosen: Callable[[], tuple[list[str], str]],
        front: Callable[[], None],
        shown: Callable[[], bool],
    ) -> None:
        self._session = session
        self._view = view
        self._initiator = initiator
        self._find = find
        self._burn = burn
        self._chosen_nodes = chosen
        self._front = front
        self._shown = shown
        self.requests: Sequence[Approval] = ()
        self._own: set[str] = set()
        """Requests of this console's key, as far as they are known: asked for here, or refused to us as our own."""
        self._fresh = Freshness(EVERY_S)
        self._wake: asyncio.Event | None = None
        self._wanted = ""
        self._running: Approval | None = None
        self._asking = False
        self._burned: MassBurn | None = None
        """The list that was burned from here, until all of it is proven."""
        view.table.selected.connect(lambda _row: self._chosen())
        view.confirm.ordered.connect(self._do)
        view.confirm.mistyped.connect(self._mistyped)

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table."""
        page = "burn"
        return [
            Action(
                "burn.ask_list", "Ask to burn a list of people", self._ask_list, "users", ("Ctrl+Shift+B",), page,
                when=lambda: self._citadel, effect=Effect.CHANGE,
                hint="The nodes chosen in the list in front are filled in. Another Citadel key must approve.",
            ),
            Action(
                "burn.ask_lift", "Ask to un-burn", self._ask_lift, "rotate-ccw", ("Ctrl+Shift+U",), page,
                when=self._liftable, effect=Effect.CHANGE,
                hint="Asks a second key to take the shown burn back.",
            ),
            Action(
                "burn.approve", "Approve the request", lambda: self._decide(approve=True), "check", ("Alt+A",), page,
                when=lambda: self._can_decide(("PENDING",)), effect=Effect.CHANGE,
                hint="Never one's own: the service refuses the key that asked.",
            ),
            Action(
                "burn.reject", "Reject the request", lambda: self._decide(approve=False), "x", ("Alt+X",), page,
                when=lambda: self._can_decide(OPEN), effect=Effect.CHANGE,
            ),
        ]  # fmt: skip

    # --- what is known -----------------------------------------------------------------------------------------------

    @property
    def _citadel(self) -> bool:
        return self._session.clearance == "citadel"

    async def run(self) -> None:
        """Read the requests for as long as the page is shown."""
        self._wake = asyncio.Event()
        end = self._session.live.subscribe("alarm", lambda _events: self.read_now())
        try:
            while True:
                try:
                    await self._read()
                except Exception as error:  # told at the head of the page; the list itself turns stale
                    self._initiator.show_failure(failure_of(error))
                await woken(self._wake, EVERY_S)
        finally:
            end()

    def read_now(self) -> None:
        """Do not wait for the next reading."""
        if self._wake is not None:
            self._wake.set()

    async def _read(self) -> None:
        client = self._session.client
        page = await client.approvals_list(query=ApprovalListQuery(limit=LISTED))
        self.requests = [one for one in page.items if one.kind in KINDS]
        self._fresh.touch()
        if self._burned is not None and self._burned.state != "COMPLETE":
            # The same approval again is the same list, as it is now.
            body = MassBurnBody(approval_id=self._burned.approval_id)
            self._burned = await client.mass_burns_burn(body, prefer="wait=0")
        self.show()

    def show(self) -> None:
        """The list, and what the selected request waits for."""
        self._view.show_requests(self.requests, frozenset(self._own))
        self._view.show_outcome(self._burned)
        self._select()
        self._view.mark.set(*verdict_of(self.requests, self._own, self._fresh.words()))
        self._chosen()

    def want(self, approval_id: str) -> None:
        """Select a request, now or as soon as it is read."""
        self._wanted = approval_id
        self._select()

    def _select(self) -> None:
        at = self._view.rows.row_of(self._wanted)
        if at >= 0:
            self._wanted = ""
            self._view.table.selectRow(at)

    def _chosen(self) -> None:
        one = self._view.chosen
        self._view.words.setText(self._words(one))
        ready = one is not None and one.state == "APPROVED" and self._running is None
        what = "" if one is None else what_of(one)
        verb = "un-burn" if one is not None and one.kind == "lift" else "burn"
        word = "" if one is None else what if one.kind == "lift" else str(len(one.subjects))
        if self._view.confirm.isVisibleTo(self._view) != ready:
            self._view.confirm.clear()
            self._view.confirm.setVisible(ready)
        self._view.confirm.show_ready(ready, f"Hold to {verb} {what}", word)
        self._session.actions.refresh()

    def _words(self, one: Approval | None) -> str:
        if self._running is not None:
            return "Unknown, asking again until it is answered." if self._asking else "Sent."
        if one is None:
            return "Select a request to decide it." if self.requests else ""
        what = f"{KINDS[one.kind]}: {what_of(one)}. {reason_of(one)}"
        if one.state == "PENDING":
            return f"{what} {pending_words(one, self._own)}"
        if one.state == "APPROVED":
            how = "the id" if one.kind == "lift" else "the number of nodes"
            return f"{what} Approved by {one.approved_by}. Hold, or type {how}."
        return f"{what} Used by {one.used_by}." if one.state == "USED" else what

    # --- asking ------------------------------------------------------------------------------------------------------

    def _ask_list(self) -> None:
        nodes, reason = self._chosen_nodes()
        form = ListForm(
            self._initiator.view.window(),
            nodes,
            reason,
            lambda nodes, reason: self._request(ApprovalBody(kind="mass_burn", subjects=nodes, reason=reason), form),
        )

        async def offer(text: str) -> None:
            form.people.offer(await self._find(text))

        form.people.searched.connect(lambda text: self._initiator.spawn(offer(text), name="people of a list"))
        form.open()

    def _liftable(self) -> bool:
        burn = self._burn()
        return self._citadel and burn is not None and burn.lifted_at is None and self._open_lift(burn) is None

    def _open_lift(self, burn: Burn) -> Approval | None:
        found = (one for one in self.requests if one.kind == "lift" and burn.burn_id in one.subjects)
        return next((one for one in found if one.state in OPEN), None)

    def _ask_lift(self) -> None:
        burn = self._burn()
        if burn is None:
            return
        form = LiftForm(
            self._initiator.view.window(),
            burn.node_id,
            lambda reason: self._request(ApprovalBody(kind="lift", subjects=[burn.burn_id], reason=reason), form),
        )
        form.open()

    def _request(self, body: ApprovalBody, form: ListForm | LiftForm) -> None:
        def asked(made: Approval) -> None:
            self._own.add(made.approval_id)
            self.requests = [made, *(one for one in self.requests if one.approval_id != made.approval_id)]
            form.accept()
            self._front()
            self.show()
            self.want(made.approval_id)
            self.read_now()

        operation: Operation[Approval] = Operation(
            lambda client, key: client.approvals_request(body, idempotency_key=key),
            title=f"Ask: {KINDS[body.kind]}",
            changes=("approvals",),
            asks=True,
        )
        operation.success(asked).failure(form.show_failure).run(self._session, form)

    # --- deciding ----------------------------------------------------------------------------------------------------

    def _can_decide(self, states: Sequence[str]) -> bool:
        one = self._view.chosen
        decidable = one is not None and one.state in states and one.approval_id not in self._own
        return self._citadel and self._shown() and decidable

    def _decide(self, *, approve: bool) -> None:
        one = self._view.chosen
        if one is None:
            return
        decide(
            self._session,
            self._initiator,
            one,
            approve=approve,
            own=self._own,
            on_failure=self._initiator.show_failure,
            on_end=self.read_now,
        )

    # --- doing -------------------------------------------------------------------------------------------------------

    def _mistyped(self, word: str) -> None:
        self._view.words.setText(f"That is not {word}. Nothing was done.")

    def _do(self) -> None:
        one = self._view.chosen
        if one is None or one.state != "APPROVED" or self._running is not None:
            return
        self._running, self._asking = one, False
        if one.kind == "lift":
            lift = LiftBody(approval_id=one.approval_id)
            lifting: Operation[Burn] = Operation(
                lambda client, _key: client.burn_lift(one.subjects[0], lift),
                title=f"Un-burn {what_of(one)}",
                changes=("burns", "nodes", "alarms", "approvals"),
                asks=True,
            )
            lifting.progress(self._progressed).success(self._lifted).failure(self._failed)
            lifting.run(self._session, self._initiator)
        else:
            mass = MassBurnBody(approval_id=one.approval_id)
            burning: Operation[MassBurn] = Operation(
                lambda client, _key: client.mass_burns_burn(mass),
                title=f"Burn of {what_of(one)}",
                changes=("burns", "nodes", "alarms", "approvals"),
                asks=True,
            )
            burning.progress(self._progressed).success(self._listed).failure(self._failed)
            burning.run(self._session, self._initiator)
        self._chosen()

    def _progressed(self, progress: OperationProgress) -> None:
        self._asking = progress.phase is OperationPhase.ASKING
        self._chosen()

    def _ended(self) -> None:
        self._running = None
        self.read_now()
        self._chosen()

    def _listed(self, done: MassBurn) -> None:
        self._burned = done
        self._session.notify(f"{len(done.burns)} nodes are denied everywhere here; their burns run.", "warn")
        self._view.show_outcome(done)
        self._ended()

    def _lifted(self, burn: Burn) -> None:
        self._session.notify(f"The burn of {burn.node_id} is lifted. What it held stays revoked; issue anew.", "warn")
        self._ended()

    def _failed(self, failure: Failure) -> None:
        self._initiator.show_failure(failure)
        self._ended()
