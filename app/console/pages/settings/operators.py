"""The tab of operators: who may sit at the desk, and what one administrator may not do alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QWidget

from app.api.operator_id import draw_operator_id
from app.api.roles import Role
from app.approvals.messages import Approval, ApprovalListQuery
from app.console.actions import Action, Effect
from app.console.approvals import decidable, decide, pending_words, reason_of, verdict_of
from app.console.failures import NothingRead
from app.console.growing import page_query, read_all
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.settings.operator_form import OperatorForm, PassphraseForm
from app.console.pages.settings.operators_view import KINDS, PASSPHRASE, OperatorsView, what_of
from app.console.pages.settings.second_admin import offer
from app.console.pages.settings.words import CHANGES, PAGE
from app.console.part import Host, Part
from app.console.telemetry.live import Listener
from app.console.widgets.confirm import ConfirmDialog
from app.console.wiped_body import WipedBody
from app.operators.messages import Operator, OperatorBody, PassphraseBody, PassphraseSet, Session, SignInMethod
from app.registry.messages.shared import Deleted

LISTED = 100


class OperatorsTab(Part):
    """Reads operators, their sessions and the requests about them; changes them by ``Operation``."""

    every_s = 5.0
    ticks_a_paint = 5
    kinds = CHANGES | {"operators", "approvals"}

    view: OperatorsView

    def __init__(self, host: Host) -> None:
        self.view = OperatorsView(host.session)
        super().__init__(host, self.view.mark)
        self._operators: list[Operator] = []
        self._sessions: Sequence[Session] = ()
        self._requests: Sequence[Approval] = ()
        self._wanted = self._wanted_request = ""
        view = self.view
        view.table.selected.connect(lambda _row: host.session.actions.refresh())
        view.table.opened.connect(lambda _row: host.session.actions.trigger("settings.operator_change"))
        view.request_table.selected.connect(lambda _row: self._show_request())
        view.request_table.opened.connect(lambda _row: host.session.actions.trigger("settings.request_use"))

    def actions(self) -> Sequence[Action]:
        host = self.host

        def is_chosen() -> bool:
            return host.shown() and host.may_write and self.view.chosen is not None

        def is_signed_in() -> bool:
            chosen = self.view.chosen
            return is_chosen() and chosen is not None and bool(self._sessions_of(chosen))

        def is_active() -> bool:
            chosen = self.view.chosen
            return is_chosen() and chosen is not None and chosen.state == "active"

        def new() -> None:
            host.show()
            self._open(draw_operator_id(), None)

        return [
            Action(
                "settings.operator_new", tr("Make an operator"), new, "plus", ("Ctrl+N",), PAGE,
                when=lambda: host.may_write, effect=Effect.CHANGE, hint=tr("Somebody who signs in at the desk."),
                calls=("registry_put_operator",),
            ),
            Action(
                "settings.operator_change", tr("Change the operator"), self._change, "pencil", ("F2",), PAGE,
                when=is_chosen, effect=Effect.CHANGE, hint=tr("Name, roles, ways to sign in, person, state."),
                calls=("registry_put_operator",),
            ),
            Action(
                "settings.operator_passphrase", tr("Set a passphrase"), self._set_passphrase, "key-round",
                ("Ctrl+Shift+P",), PAGE, when=is_active, effect=Effect.CHANGE,
                hint=tr("All sessions of the operator end."), calls=("operators_set_passphrase",),
            ),
            Action(
                "settings.operator_sign_out", tr("Sign out everywhere"), self._sign_out, "lock", ("Ctrl+Shift+O",),
                PAGE, when=is_signed_in, effect=Effect.CHANGE, hint=tr("Ends all sessions of the operator at once."),
                calls=("operators_list_sessions", "operators_end_session"),
            ),
            Action(
                "settings.operator_end", tr("End the operator"), self._end, "x", ("Shift+F2",), PAGE,
                when=is_active, effect=Effect.CHANGE, hint=tr("Asks first. What the operator did keeps its name."),
                calls=("registry_delete_operator",),
            ),
            Action(
                "settings.request_approve", tr("Approve the request"), lambda: self._decide(approve=True), "check",
                ("Alt+A",), PAGE, when=lambda: self._can_decide(approve=True), effect=Effect.CHANGE,
                hint=tr("Never one's own, nor of somebody whose line meets one's own."), calls=("approvals_approve",),
            ),
            Action(
                "settings.request_reject", tr("Reject the request"), lambda: self._decide(approve=False), "x",
                ("Alt+X",), PAGE, when=lambda: self._can_decide(approve=False), effect=Effect.CHANGE,
                calls=("approvals_reject",),
            ),
            Action(
                "settings.request_use", tr("Carry the approved request out"), self._use, "arrow-right",
                ("Ctrl+Return",), PAGE, when=self._can_use, effect=Effect.CHANGE, hint=tr("Opens its form, filled in."),
                calls=("registry_put_operator", "operators_set_passphrase", "keys_create", "keys_rotate"),
            ),
        ]  # fmt: skip

    # --- reading -----------------------------------------------------------------------------------------------------

    def first_control(self) -> QWidget:
        return self.view.table

    def listeners(self) -> Mapping[str, Listener]:
        return {"alarm": lambda _events: self.read_now()}

    def take(self, arguments: Mapping[str, str]) -> None:
        self._wanted_request = arguments.get("approval_id", self._wanted_request)

    async def read(self) -> None:
        if not self.host.may_write:
            self.paint()
            raise NothingRead
        client, may = self.session.client, self.session.permissions
        self._operators = await read_all(lambda cursor: client.registry_list_operators(query=page_query(cursor)))
        self.session.names.take(self._operators)
        self._sessions = (await client.operators_list_sessions()).items if may.may("operators_list_sessions") else ()
        page = await client.approvals_list(query=ApprovalListQuery(limit=LISTED))
        self._requests = [one for one in page.items if one.kind in KINDS]

    def paint_all(self) -> None:
        view = self.view
        view.show_operators(self._operators, Counter(one.operator_id for one in self._sessions), self._wanted)
        if view.rows.row_of(self._wanted) >= 0:
            self._wanted = ""
        view.show_requests(self._requests, self._wanted_request)
        if view.requests.row_of(self._wanted_request) >= 0:
            self._wanted_request = ""
        view.verdict.set(*verdict_of(self._requests, self.fresh.words()))
        self._show_request()

    def paint(self) -> None:
        """Show how old the list is, or why there is none."""
        view = self.view
        if self.session.is_connected and not self.host.may_write:
            view.stack.setCurrentWidget(view.closed)
            view.mark.hide()
        elif self.fresh.since is None:
            view.stack.setCurrentWidget(view.away)
        else:
            super().paint()

    def _show_request(self) -> None:
        """Show what the selected request is about and what it waits for."""
        one, names = self.view.chosen_request, self.session.names
        if one is None:
            self.view.words.setText(tr("Select a request to decide it."))
        else:
            said = f"{what_of(names, one)}. {reason_of(one)}"
            if one.state == "PENDING":
                said += f" {pending_words(self.session, one)}"
            elif one.state == "APPROVED":
                by = names.of(one.approved_by, one.approved_by_name)
                said += tr(" Approved by {person}: carry it out (Ctrl+Return).", person=by)
            self.view.words.setText(said)
        self.session.actions.refresh()

    def _sessions_of(self, operator: Operator) -> list[Session]:
        return [one for one in self._sessions if one.operator_id == operator.operator_id]

    # --- changing ----------------------------------------------------------------------------------------------------

    def _open(
        self, operator_id: str, known: Operator | None, wanted: OperatorBody | None = None, approval_id: str = ""
    ) -> None:
        """The form of an operator; under an approval filled in with what was approved."""
        form = OperatorForm(self.view.window(), operator_id, known, wanted=wanted, approval_id=approval_id or None)
        form.person.searched.connect(lambda text: self.host.suggest(form.person, text))
        form.asked.connect(lambda operator_id, body: self._put(form, operator_id, body, known))
        form.open()

    def _change(self) -> None:
        chosen = self.view.chosen
        if chosen is not None:
            self.host.spawn(self._fetch(chosen.operator_id))

    async def _fetch(self, operator_id: str) -> None:
        # A PUT replaces the whole row, so the form begins with the row as it is now, not as it was listed.
        self._open(operator_id, await self.session.client.registry_get_operator(operator_id))

    def _put(self, form: OperatorForm, operator_id: str, body: OperatorBody, known: Operator | None) -> None:
        """Make or change the operator; what takes a second administrator is offered to be asked for."""

        def show(now: Operator) -> None:
            self._wanted = now.operator_id
            form.accept()
            name = now.display_name
            self.session.notify(
                tr("{name} is made.", name=name) if known is None else tr("{name} is changed.", name=name)
            )

        operation: Operation[Operator] = Operation(
            lambda client, _key: client.registry_put_operator(operator_id, body),
            title=(
                tr("Make {name}", name=body.display_name)
                if known is None
                else tr("Change {name}", name=body.display_name)
            ),
            changes=("operators", "approvals"),
            asks=True,
        )
        operation.success(show).failure(lambda failure: offer(self.session, form, failure, self.want))
        operation.run(self.session, form)

    def _set_passphrase(self, operator: Operator | None = None, approval_id: str | None = None) -> None:
        """Ask for a passphrase, and set it: its bytes are wiped when the call is over."""
        chosen = operator or self.view.chosen
        if chosen is None:
            return
        form = PassphraseForm(self.view.window(), chosen.display_name)

        def send(passphrase: bytearray) -> None:
            sent = WipedBody([passphrase])
            passphrase[:] = bytes(len(passphrase))
            body = PassphraseBody(passphrase=sent.raws[0], approval_id=approval_id)
            operation: Operation[PassphraseSet] = Operation(
                lambda client, _key: client.operators_set_passphrase(chosen.operator_id, body),
                title=tr("Passphrase of {name}", name=chosen.display_name),
                changes=("operators", "approvals"),
            )
            operation.success(show).failure(lambda failure: offer(self.session, form, failure, self.want))
            sent.wipe_after(operation.run(self.session, form))

        def show(_set: PassphraseSet) -> None:
            form.accept()
            self.session.notify(
                tr("{name} has a new passphrase; its other sessions have ended.", name=chosen.display_name)
            )

        form.asked.connect(send)
        form.open()

    def _sign_out(self) -> None:
        """End every session of the operator; one that has ended meanwhile is as good."""
        chosen = self.view.chosen
        if chosen is None:
            return
        sessions = self._sessions_of(chosen)
        for one in sessions:
            operation: Operation[object] = Operation(
                lambda client, _key, name=one.session_id: client.operators_end_session(name),  # type: ignore[misc]
                title=tr("Sign {name} out", name=chosen.display_name),
                changes=("operators",),
            )
            operation.success(
                lambda _ended: self.session.notify(tr("{name} is signed out everywhere.", name=chosen.display_name))
            )
            operation.failure(lambda failure: None if failure.code == "not_found" else self.host.show_failure(failure))
            operation.run(self.session, self.view)

    def _end(self) -> None:
        """Ask, then end the operator."""
        chosen = self.view.chosen
        if chosen is None:
            return

        def end() -> None:
            operation: Operation[Deleted] = Operation(
                lambda client, _key: client.registry_delete_operator(chosen.operator_id),
                title=tr("End {name}", name=chosen.display_name),
                changes=("operators",),
            )
            operation.success(
                lambda _gone: self.session.notify(tr("{name} is no operator any more.", name=chosen.display_name))
            )
            operation.failure(self.host.show_failure).run(self.session, self.view)

        ConfirmDialog(
            self.view.window(),
            tr("End {name}?", name=chosen.display_name),
            tr(
                "The operator signs in nowhere from that moment on, and all its sessions end. The row stays "
                "with its name, since what the operator did stands in the log."
            ),
            tr("End the operator"),
            end,
        ).open()

    # --- what takes a second administrator ---------------------------------------------------------------------------

    def want(self, approval_id: str) -> None:
        """Select a request as soon as it is read."""
        self.host.show()
        self._wanted_request = approval_id
        self.read_now()

    def _can_decide(self, *, approve: bool) -> bool:
        chosen = self.view.chosen_request
        return self.host.shown() and self.host.may_write and decidable(self.session, chosen, approve=approve)

    def _decide(self, *, approve: bool) -> None:
        one = self.view.chosen_request
        if one is not None:
            decide(
                self.session, self.view, one, approve=approve, on_failure=self.host.show_failure, on_end=self.read_now
            )

    def _can_use(self) -> bool:
        one = self.view.chosen_request
        return self.host.shown() and self.host.may_write and one is not None and one.state == "APPROVED"

    def _use(self) -> None:
        """Open the form of what was approved, filled in with exactly that."""
        one = self.view.chosen_request
        if one is None or one.state != "APPROVED":
            return
        if one.kind == "citadel_key":
            self.session.navigate(PAGE, section="keys", approval_id=one.approval_id, subject=one.subjects[0])
            return
        operator_id, *said = one.subjects
        known = next((row for row in self._operators if row.operator_id == operator_id), None)
        if said != [PASSPHRASE]:
            self._open(operator_id, known, wanted_of(said), one.approval_id)
        elif known is not None:
            self._set_passphrase(known, one.approval_id)


def wanted_of(said: Sequence[str]) -> OperatorBody:
    """What an approval's subjects say that an operator shall be; the name is not among them."""
    found = dict(part.split("=", 1) for part in said if "=" in part)
    methods: list[SignInMethod] = [one for one in ("card", "oidc", "passphrase") if one in found["methods"].split(",")]
    roles = [role for role in Role if role in found["roles"].split(",")]
    return OperatorBody(display_name="?", node_id=found.get("node"), roles=roles, methods=methods)
