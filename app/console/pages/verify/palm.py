"""The palm tab: decisions by terminal as they fall, and in training the palm that is laid on one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.capabilities.gateway.audit.messages import AuditCriteria, AuditQuery, AuditRange
from app.capabilities.palm.messages import PalmVerdict
from app.console.actions import Action, Effect
from app.console.failures import Failure
from app.console.growing import page_query, read_all
from app.console.language import tr
from app.console.moments import api_time
from app.console.operations import Operation
from app.console.pages.verify.palm_view import PalmView
from app.console.pages.verify.words import PAGE, ShownDecision, decisions, places
from app.console.part import Host, Part, person
from app.console.telemetry.live import Listener, LiveEvent
from app.console.verdicts import VerdictWatch
from app.registry.messages.access import AccessEvent
from app.training.messages import SOFTWARE_TERMINALS, TrainingPalmBody

VERIFY = "palm.verify"
SHOWN_S = 86_400.0
"""Decisions of so many seconds are shown; older ones are in the audit log."""
MOST = 500


class PalmTab(Part):
    """Reads what the terminals decided; lays palms by ``Operation``."""

    kinds = frozenset({"palm", "terminals", "nodes", "burns"})

    view: PalmView

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.view = PalmView(host.session.actions, self.mark, training=host.session.training)
        self._found: list[ShownDecision] = []
        self._complete = True
        self._terminals: list[tuple[str, str]] = []
        self._terminal = ""
        self._chosen = ""
        self._newest = ""
        self._laying = False
        self._watch = VerdictWatch(host.session, self.view.verdict)
        self.view.chosen.connect(self._choose)
        self.view.placed.connect(self._place)
        if host.session.training:
            field = self.view.person
            field.searched.connect(lambda text: host.suggest(field, text))
            field.chosen.connect(lambda _choice: host.session.actions.refresh())
            field.cleared.connect(host.session.actions.refresh)

    # --- what can be done --------------------------------------------------------------------------------------------

    @property
    def decision(self) -> ShownDecision | None:
        """The decision under the cursor."""
        at = self.view.rows.row_of(self._chosen)
        return self.view.rows.rows[at] if at >= 0 else None

    def actions(self) -> Sequence[Action]:
        def is_chosen() -> bool:
            return self.host.shown() and self.decision is not None

        def has_person() -> bool:
            return is_chosen() and self.decision is not None and bool(self.decision.node_id)

        made = [
            Action(
                "verify.audit", tr("Find the decision in the audit log"), self._audit, "scroll-text", ("Ctrl+I",), PAGE,
                when=is_chosen, hint=tr("With its cause, which is told nowhere else."),
            ),
            Action("verify.person", tr("Find the person"), self._person, "users", ("Ctrl+D",), PAGE, when=has_person),
        ]  # fmt: skip
        if self.session.training:
            made += [
                Action(
                    "verify.lay", tr("Lay the person's drawn palm"), self._lay, "fingerprint",
                    ("Ctrl+T",), PAGE, when=lambda: self.host.shown() and not self._laying,
                    effect=Effect.CHANGE,
                    hint=tr("TRAINING: on a terminal in software, which signs as a real one does."),
                    calls=("training_palms_lay",),
                ),
            ]  # fmt: skip
        return made

    def first_control(self) -> QWidget | None:
        return self.view.table if self._found else self.view.place_table

    def take(self, arguments: Mapping[str, str]) -> None:
        node_id = arguments.get("node_id", "")
        if node_id and self.session.training:
            self.host.spawn(self._take_person(node_id))
        self._chosen = arguments.get("decision_id", self._chosen)

    async def _take_person(self, node_id: str) -> None:
        self.view.person.choose(person(await self.session.client.registry_get_node(node_id)))

    # --- reading -----------------------------------------------------------------------------------------------------

    def listeners(self) -> Mapping[str, Listener]:
        return {"access": self._take_accesses}

    def _take_accesses(self, events: Sequence[LiveEvent]) -> None:
        # Badges at doors are such events, too, and many.
        own = {name for name, _ in self._terminals}
        with contextlib.suppress(msgspec.DecodeError):
            if any(event.read(AccessEvent).reader_id in own for event in events):
                self.read_now()

    async def read(self) -> None:
        client, now = self.session.client, self.session.live.now()
        query = AuditQuery(
            range=AuditRange(from_=api_time(now - SHOWN_S), to=api_time(now + 60)),
            criteria=AuditCriteria(action=VERIFY, limit=MOST),
        )
        page, registered = await asyncio.gather(
            client.gateway_audit_log_query(query),
            read_all(lambda cursor: client.registry_list_terminals(query=page_query(cursor))),
        )
        self._found, self._complete = decisions(page.entries), page.next is None
        self._terminals = [(one.terminal_id, one.display_name or "") for one in registered if one.kind == "palm"]

    def paint_all(self) -> None:
        view = self.view
        view.show_places(places(self._terminals, self._found), self._terminal)
        if self.session.training:
            view.show_terminals([name for name, _ in self._terminals if name in SOFTWARE_TERMINALS])
        self._show_decisions()

    def _show_decisions(self) -> None:
        found = [one for one in self._found if self._terminal in ("", one.terminal)]
        ids = [one.decision_id for one in found]
        if found and (self._chosen == self._newest or self._chosen not in ids):
            # A person who looks at the newest decision sees the next one; a person who looks back keeps what they look
            # at.
            self._chosen = ids[0]
        self._newest = ids[0] if ids else ""
        self.view.show_decisions(found, self._chosen, complete=self._complete)
        self._show_decision()

    def _show_decision(self) -> None:
        decision = self.decision
        self.view.show_decision(decision)
        if decision is not None:
            self._watch.decide(*decision.mark, decision.at, node_id=decision.node_id)

    def _choose(self, decision_id: str) -> None:
        if decision_id and decision_id != self._chosen:
            self._chosen = decision_id
            self._show_decision()
        self.session.actions.refresh()

    def _place(self, terminal: str) -> None:
        if terminal != self._terminal:
            self._terminal = terminal
            self._show_decisions()
            self.session.actions.refresh()

    # --- hands -------------------------------------------------------------------------------------------------------

    def _audit(self) -> None:
        if (decision := self.decision) is not None:
            self.session.navigate("audit", text=decision.decision_id)

    def _person(self) -> None:
        if (decision := self.decision) is not None:
            self.session.navigate("people", node_id=decision.node_id)

    def _lay(self) -> None:
        """Lay the person's drawn palm on the chosen terminal."""
        chosen, terminal = self.view.person.choice, self.view.terminal.currentText()
        if chosen is None or not terminal:
            self.view.person.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return
        self._laying = True
        body = TrainingPalmBody(terminal_id=terminal, node_id=chosen.id, intent=self.view.intent.currentData())

        def take(verdict: PalmVerdict) -> None:
            self._laying = False
            self._chosen = verdict.decision_id
            self.session.actions.refresh()

        def refuse(failure: Failure) -> None:
            self._laying = False
            self.host.show_failure(failure)
            self.session.actions.refresh()

        Operation(
            lambda client, key: client.training_palms_lay(body, idempotency_key=key),
            title=tr("Palm of {person} on {terminal}", person=chosen.id, terminal=terminal),
            changes=("palm",),
        ).success(take).failure(refuse).run(self.session, self.view)
