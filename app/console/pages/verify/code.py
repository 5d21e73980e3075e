"""The code tab: a terminal's rotating code on this screen, renewed while it is wanted, and scanned codes judged."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.capabilities.burn.messages import BurnEvent
from app.capabilities.keystone.messages import (
    LIFETIME_S,
    CodeSession,
    QrRotateBody,
    QrSession,
    QrVerdict,
    QrVerifyBody,
    boot_ns,
)
from app.client import Client
from app.console.actions import Action, Effect
from app.console.clock import clock_time
from app.console.failures import Failure
from app.console.growing import page_query, read_all
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.verify.code_view import NOTHING, CodeView
from app.console.pages.verify.code_words import NO_PAYLOAD, NO_TERMINAL, CodeJudgement, judgement_of, not_judged
from app.console.pages.verify.words import PAGE
from app.console.part import Host, Part, person
from app.console.telemetry.live import Listener, LiveEvent
from app.console.theme.tokens import Meaning

OWN = tr("This console's key")
AGAIN_S = 5.0
"""Seconds after which a session that could not be opened is asked for again."""
KEPT = 50
"""Judgements."""


class CodeTab(Part):
    """Shows a code to the person who wants one until they stop it or leave: it is renewed before its session ends, and
    asked for anew when the service was away. No code is on the screen unless the service has answered within two
    intervals.

    The session's secret is in the widget and, for its renewal, here; both forget it with the code.
    """

    every_s = 2.0
    kinds = frozenset({"terminals"})

    view: CodeView

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.view = CodeView(host.session.actions, self.mark)
        self._terminals: list[tuple[str, str]] = []
        self._wanted: QrRotateBody | None = None
        self._token: str | None = None
        self._own = ""
        self._since_ns = 0
        self._asking = self._due = False
        self._turn = 0
        self._again_at = self._hidden_at = 0.0
        self._judged: list[CodeJudgement] = []
        self._number = 0
        view = self.view
        view.person.searched.connect(lambda text: host.suggest(view.person, text))
        view.scanned.connect(self._judge)
        view.code.renewalDue.connect(self._renew)

    # --- what can be done --------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        shown, view = self.host.shown, self.view

        def idle() -> bool:
            return shown() and self._wanted is None and not self._asking and self.session.is_connected

        return [
            Action(
                "verify.code_show", tr("Show the terminal's code"), self._show, "play", ("F7",), PAGE, when=idle,
                effect=Effect.CHANGE, hint=tr("Opens a session of 600 s, renewed until you stop it or leave the page."),
                calls=("keystone_rotate",),
            ),
            Action(
                "verify.code_stop", tr("Stop showing the code"), self._end, "square", ("Ctrl+.",), PAGE,
                when=lambda: shown() and self._wanted is not None,
            ),
            Action(
                "verify.code_full", tr("Show the code in the full window"), view.open_full, "monitor", ("F8",), PAGE,
                when=lambda: shown() and view.code.showing, hint=tr("For a phone that scans it; Esc goes back."),
            ),
            Action(
                "verify.code_scan", tr("Go to the scanner's field"), self._to_scan, "keyboard", ("F9",), PAGE,
                calls=("keystone_verify",),
            ),
            Action(
                "verify.code_log", tr("Find the scanned codes in the audit log"), self._log, "scroll-text",
                ("Ctrl+Shift+I",), PAGE, when=lambda: shown() and bool(self._judged),
                hint=tr("With the cause of each refusal, which is told nowhere else."),
            ),
            Action(
                "verify.code_alarm", tr("See the alarm of the replayed code"), self._alarm, "bell", ("Ctrl+Shift+A",),
                PAGE, when=lambda: shown() and bool(self._judged) and self._judged[0].state is Meaning.CRIT,
            ),
        ]  # fmt: skip

    def first_control(self) -> QWidget | None:
        return self.view.payload

    def take(self, arguments: Mapping[str, str]) -> None:
        node_id = arguments.get("node_id", "")
        if node_id and self._wanted is None:
            self.host.spawn(self._take_person(node_id))

    async def _take_person(self, node_id: str) -> None:
        self.view.person.choose(person(await self.session.client.registry_get_node(node_id)))

    def _to_scan(self) -> None:
        self.host.show()
        self.view.payload.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _log(self) -> None:
        self.session.navigate("audit", action="keystone.verify")

    def _alarm(self) -> None:
        self.session.navigate("dashboard")

    # --- reading -----------------------------------------------------------------------------------------------------

    async def run(self, arguments: Mapping[str, str]) -> None:
        if self._wanted is not None and time.monotonic() - self._hidden_at > LIFETIME_S:
            # The person who wanted a code so long ago may not stand here any more.
            self._end()
        try:
            await super().run(arguments)
        finally:
            self._hidden_at = time.monotonic()
            if self.session.is_connected:
                self._end()
            elif self.view.code.showing:
                self._hide(tr("STALE since {time}", time=clock_time(time.time())))

    async def read(self) -> None:
        client = self.session.client
        listed = await read_all(lambda cursor: client.registry_list_terminals(query=page_query(cursor)))
        found = sorted(listed, key=lambda row: (row.kind != "keystone", row.terminal_id))
        self._terminals = [(row.terminal_id, row.display_name or "") for row in found]

    def paint_all(self) -> None:
        names = [(name, f"{name}   {title}".rstrip()) for name, title in self._terminals]
        self.view.show_terminals([*names, ("", OWN)])

    def paint(self) -> None:
        super().paint()
        code = self.view.code
        if self.fresh.stale and code.showing:
            self._hide(self.fresh.words())
        missing = not self._asking and (self._due or not code.showing)
        if self._wanted is not None and missing and not self.fresh.stale and time.monotonic() >= self._again_at:
            self._ask(self._wanted)
        if code.showing:
            self.view.show_left(LIFETIME_S - (boot_ns() - self._since_ns) / 1e9)

    def listeners(self) -> Mapping[str, Listener]:
        return {"burn": self._take_burns}

    def take_stream(self, state: str) -> None:
        # What was on the screen may be of a service that was started anew since: a session lives in memory alone.
        if state == "live" and self.view.code.showing:
            self._due = True

    def _take_burns(self, events: Sequence[LiveEvent]) -> None:
        if self._wanted is None or self._wanted.node_id is None:
            return
        burns = [event.read(BurnEvent) for event in events]
        if any(burn.node_id == self._wanted.node_id and not burn.lifted for burn in burns):
            self._end(tr("{node_id} is burned: its code is accepted nowhere any more.", node_id=self._wanted.node_id))

    # --- a session ---------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        """Ask for the code of the chosen terminal, person and intent."""
        view = self.view
        chosen = view.person.choice
        if chosen is None and view.person.text().strip():
            view.person.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return
        self._wanted = QrRotateBody(
            terminal_id=view.terminal.currentData() or None,
            node_id=None if chosen is None else chosen.id,
            intent=view.intent.currentData() or None,
        )
        self._again_at = 0.0
        view.lock(locked=True)
        self._ask(self._wanted)

    def _end(self, why: str = NOTHING) -> None:
        """Forget the session: nobody wants a code any more."""
        self._wanted = self._token = None
        self._due = False
        self._turn += 1
        self.view.lock(locked=False)
        self.view.show_none(why)
        self.session.actions.refresh()

    def _hide(self, since: str) -> None:
        """Take the code off the screen while the service is silent, and may not accept it. It comes back by itself."""
        self.view.show_none(
            tr("{since}: the service does not answer, so no code is shown. It comes back by itself.", since=since)
        )
        self.session.actions.refresh()

    def _renew(self) -> None:
        self._due = True

    def _ask(self, wanted: QrRotateBody) -> None:
        """Ask for a session, or renew it; an answer to an earlier wish is dropped."""
        body = msgspec.structs.replace(wanted, session_token=self._token)
        turn = self._turn
        self._asking = True

        async def rotate(client: Client, _key: str) -> tuple[QrSession, int]:
            # Steps count from the receipt: a repeated request, whose answer comes out of the service's memory, would be
            # behind by as long as it took. So without a key, and never asked for again as the same.
            reply = await client.keystone_rotate(body)
            return reply, boot_ns()

        def take(answer: tuple[QrSession, int]) -> None:
            self._asking = False
            if turn == self._turn:
                self._take_session(*answer)

        def refuse(failure: Failure) -> None:
            self._asking = False
            if turn == self._turn:
                self._take_failure(failure)

        operation: Operation[tuple[QrSession, int]] = Operation(rotate, title=tr("Show a code"))
        operation.success(take).failure(refuse).run(self.session, self.view)
        self.session.actions.refresh()

    def _take_session(self, reply: QrSession, received_ns: int) -> None:
        self._token, self._since_ns, self._due = reply.session_token, received_ns, False
        if self._wanted is not None and self._wanted.terminal_id is None:
            self._own = reply.terminal_id
        session = CodeSession.of_reply(reply.session_token, reply.seed_nonce, reply.terminal_id)
        self.view.show_session(session, received_ns, reply)
        self.paint()
        self.session.actions.refresh()

    def _take_failure(self, failure: Failure) -> None:
        if failure.status in (403, 404, 409, 422):
            self._end(failure.sentence)
        else:
            self._again_at = time.monotonic() + (failure.retry_after_s or AGAIN_S)
        self.host.show_failure(failure)
        self.session.actions.refresh()

    # --- a scanned code ----------------------------------------------------------------------------------------------

    def _judge(self) -> None:
        """Have the service judge the code that was scanned."""
        field = self.view.payload
        payload, terminal = field.text(), self.view.terminal.currentData() or self._own
        field.clear()
        if not payload:
            return
        self._number += 1
        number, now = self._number, self.session.live.now
        if refusal := self.session.permissions.refusal(("keystone_verify",)):
            self._keep(CodeJudgement(number, now(), terminal or OWN, Meaning.WARN, tr("Not judged"), refusal))
            return
        if not terminal:
            self._keep(CodeJudgement(number, now(), OWN, Meaning.WARN, tr("Not judged"), NO_TERMINAL))
            return
        try:
            body = msgspec.convert({"payload": payload, "terminal_id": terminal}, QrVerifyBody)
        except msgspec.ValidationError:
            self._keep(CodeJudgement(number, now(), terminal, Meaning.WARN, tr("No code"), NO_PAYLOAD))
            return
        # Never asked again when the answer is lost: "accepted" a minute later would open for another person, who stands
        # there then.
        operation: Operation[QrVerdict] = Operation(
            lambda client, key: client.keystone_verify(body, idempotency_key=key), title=tr("Scanned code")
        )
        operation.success(lambda verdict: self._keep(judgement_of(number, now(), terminal, verdict))).failure(
            lambda failure: self._keep(not_judged(number, now(), terminal, failure))
        ).run(self.session, self.view)

    def _keep(self, judgement: CodeJudgement) -> None:
        self._judged = [judgement, *self._judged[: KEPT - 1]]
        self.view.show_judgements(self._judged, self.session.live.now())
        self.session.actions.refresh()
