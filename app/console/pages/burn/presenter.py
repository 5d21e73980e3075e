"""What the burn page does: looks subjects up, foresees, burns, follows every target, presents the badge."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping, Sequence

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.api.wire import ListQuery
from app.burn.messages import Burn, BurnBody, BurnEvent, BurnListQuery, CloseBody, Preview, PreviewBody
from app.console.actions import Action, Effect
from app.console.clock import Freshness, clock_time, parse_time
from app.console.failures import Failure
from app.console.live import LiveEvent
from app.console.operations import Change, Operation, Phase, Progress
from app.console.page import Presenter
from app.console.pages.burn.board import REASON_WORDS, Board
from app.console.pages.burn.parts import REASONS
from app.console.pages.burn.view import BurnView
from app.console.session import Session
from app.console.tasks import Tasks
from app.console.theme.tokens import sentence_case
from app.console.widgets.choice import Choice
from app.credentials.messages import PresentBody, PresentReply

PREVIEW_EVERY_S = 3.0
FOLLOW_EVERY_S = 2.0
SUGGESTIONS = 20
HISTORY_PAGE = 50
KEPT_DECISIONS = 3
_NODE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{2,63}\Z")


class BurnPresenter(Presenter):
    """Keeps the subject and the burn while other pages are shown; the burn itself belongs to the service."""

    view: BurnView

    def __init__(self, session: Session, view: BurnView) -> None:
        super().__init__(session, view)
        self.board = Board()
        self.preview: Preview | None = None
        self._subject: Choice | None = None
        self._phase: Phase | None = None
        """Of the burn that was sent from here and is not answered yet."""
        self._foreseen = Freshness(PREVIEW_EVERY_S)
        self._history: list[Burn] = []
        self._next: str | None = None
        self._dirty = True
        self._history_due = False
        self._readers: list[Choice] = []
        self._decisions: list[str] = []
        self._last: PresentReply | None = None
        self._told_before = ""
        self._presenting = False
        # The look-ups of one subject end when another is chosen, so that no late answer paints over the new one.
        self._lookups = Tasks(self.failed)
        subject = view.subject.field
        subject.searched.connect(lambda text: self.spawn(self._suggest(text), name="burn suggestions"))
        subject.returnPressed.connect(lambda: self.spawn(self._take_typed(), name="burn subject"))
        subject.chosen.connect(self._chosen)
        subject.cleared.connect(self._unchosen)
        view.order.changed.connect(self._ordered_changed)
        view.order.ordered.connect(self.burn)
        view.order.typed.returnPressed.connect(self._typed_id)
        view.history_table.opened.connect(self._open_row)
        view.badge.field.searched.connect(self._offer_doors)
        view.badge.field.chosen.connect(lambda _door: session.actions.refresh())
        view.badge.field.cleared.connect(session.actions.refresh)
        view.board.close_reason.textChanged.connect(lambda _text: session.actions.refresh())
        view.board.close_reason.returnPressed.connect(lambda: session.actions.trigger("burn.close"))
        self._show()

    # --- the table ---------------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        made = [
            Action(
                "burn.next",
                "Next step of the burn",
                self.next_step,
                "flame",
                ("Ctrl+Return", "Ctrl+Enter"),
                page="burn",
                effect=Effect.IRREVERSIBLE,
                hint="Goes to what is missing, at last to the hold button. It never burns by itself.",
            ),
            Action(
                "burn.subject",
                "Choose whom to burn",
                lambda: self._focus(self.view.subject.field),
                "user-x",
                ("Ctrl+F",),
                page="burn",
            ),
            Action("burn.new", "Another subject", self.start_anew, "rotate-ccw", ("Ctrl+N",), page="burn"),
            Action(
                "burn.retry",
                "Try this target now",
                self._retry,
                "refresh-cw",
                ("Ctrl+R",),
                page="burn",
                when=self._target_open,
                effect=Effect.CHANGE,
            ),
            Action(
                "burn.close",
                "Close without proof",
                self._close,
                "x",
                page="burn",
                when=lambda: self._target_open() and bool(self.view.board.close_reason.text().strip()),
                effect=Effect.CHANGE,
                hint="Gives the target up: it is no longer tried, and your reason stays in the audit log.",
            ),
            Action(
                "burn.older",
                "Show older burns",
                lambda: self.spawn(self._older(), name="older burns"),
                "history",
                page="burn",
                when=lambda: self._next is not None,
            ),
            Action(
                "burn.history",
                "Go to the list of burns",
                lambda: self._focus(self.view.history_table),
                "list",
                ("Ctrl+H",),
                page="burn",
                when=lambda: bool(self._history),
            ),
        ]
        for number, (key, text) in enumerate(REASONS, start=1):
            made.append(
                Action(
                    f"burn.reason_{key}",
                    text,
                    lambda text=text: self.view.order.reason.setText(text),  # type: ignore[misc]  # binds the text now
                    keys=(f"Alt+{number}",),
                    page="burn",
                    hint="Fills the reason in.",
                )
            )
        if self.session.training:
            made.append(
                Action(
                    "burn.present",
                    "Present the badge",
                    self._present,
                    "nfc",
                    ("Ctrl+P",),
                    page="burn",
                    when=self._can_present,
                    effect=Effect.CHANGE,
                    hint="Holds the subject's badge to the simulated reader; the door decides as any door does.",
                )
            )
        return made

    def filter_field(self) -> QWidget | None:
        if self.view.pages.currentWidget() is self.view.board:
            return self.view.board.filter
        return self.view.subject.field

    def first_control(self) -> QWidget:
        return self.view.subject.field

    def next_step(self) -> None:
        """Ctrl+Enter: to what is missing; the hold button when nothing is."""
        order = self.view.order
        if self._subject is None:
            self._focus(self.view.subject.field)
        elif order.hold.isEnabled():
            self._focus(order.hold)
        elif not order.reason.text().strip() and not self._burned():
            self._focus(order.reason)
        elif self.board.open:
            self._focus(self.view.board.table)
            self._select_open()
        else:
            self._focus(self.view.subject.field)

    def start_anew(self) -> None:
        """Clear the page for another subject. The burn goes on; it is in the list."""
        self.view.order.reason.clear()
        self.view.order.typed.clear()
        self.view.order.choose_scope("GLOBAL_REVOCATION")
        self.view.subject.field.choose(None)
        self._focus(self.view.subject.field)

    def _focus(self, widget: QWidget) -> None:
        widget.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # --- the page's life ---------------------------------------------------------------------------------------------

    async def run(self, arguments: Mapping[str, str]) -> None:
        if not self.session.live.stale:
            self._foreseen.resume()
        forget = self.session.live.subscribe("burn", self._events)
        try:
            if node_id := arguments.get("node_id"):
                self.view.order.reason.clear()
                await self._choose_id(node_id)
            elif burn_id := arguments.get("burn_id"):
                await self._open(burn_id)
            elif self._subject is None:
                self._focus(self.view.subject.field)
            if self.session.training:
                await self._load_doors()
            await self._load_history()
            await self._follow()
        finally:
            forget()
            self._lookups.cancel()

    async def _follow(self) -> None:
        """Keep reachability and open targets current. The stream tells most; a lost event must not stay lost."""
        looked = time.monotonic()
        while True:
            await asyncio.sleep(0.25)
            if self._history_due:
                self._history_due = False
                await self._load_history()
            if time.monotonic() - looked < FOLLOW_EVERY_S:
                continue
            looked = time.monotonic()
            if self.board.burn is not None and self.board.burn.state == "PARTIAL":
                self._take_burn(await self.session.client.burn_get(self.board.burn.burn_id))
            age = self._foreseen.age_s()
            if self._subject is not None and (age is None or age >= PREVIEW_EVERY_S):
                await self._foresee()

    def repaint(self) -> None:
        board = self.view.board
        if self.view.pages.currentWidget() is board:
            asking = self._phase is Phase.ASKING
            board.show_board(self.board, self.session.live.now(), asking=asking)
        if self.preview is not None:
            self.view.as_of.setText(self._foreseen.words() or f"As of {clock_time(self._foreseen.since or 0)}")
        if self._dirty:
            self._show()

    def changed(self, change: Change) -> None:
        if change.kinds & {"burns", "nodes", "readers", "cards", "grants"}:
            self._history_due = True
            self._look_up()

    # --- subject -----------------------------------------------------------------------------------------------------

    async def _find(self, text: str) -> list[Choice]:
        page = await self.session.client.registry_list_nodes(query=ListQuery(q=text or None, limit=SUGGESTIONS))
        found = [Choice(node.node_id, node.display_name, node.node_id) for node in page.items]
        if _NODE_ID.match(text) and all(choice.id != text for choice in found):
            found.append(Choice(text, text, "not registered"))
        return found

    async def _suggest(self, text: str) -> None:
        found = await self._find(text)
        if self.view.subject.field.text().strip() == text:
            self.view.subject.field.offer(found)

    async def _take_typed(self) -> None:
        """Enter: the node whose id or name was typed whole, or the only one that is found."""
        field = self.view.subject.field
        text = field.text().strip()
        if field.choice is not None or not text:
            return
        found = await self._find(text)
        if field.choice is not None or field.text().strip() != text:
            return
        registered = [choice for choice in found if choice.detail != "not registered"]
        exact = [choice for choice in registered if text in (choice.id, choice.title)]
        take = exact or (registered if len(registered) == 1 else [] if registered else found)
        if take:
            field.choose(take[0])
        else:
            field.offer(found)

    async def _choose_id(self, node_id: str) -> None:
        found = [choice for choice in await self._find(node_id) if choice.id == node_id]
        if found:
            self.view.subject.field.choose(found[0])

    def _chosen(self, choice: Choice) -> None:
        if self._subject is None or choice.id != self._subject.id:
            self.view.order.typed.clear()
            self._decisions.clear()
            self._last = None
            self.view.badge.clear()
            self.view.banner.clear()
            self.preview = None
        self._subject = choice
        self._look_up()
        self._show()
        if not self.view.order.reason.text():
            self._focus(self.view.order.reason)

    def _unchosen(self) -> None:
        self._lookups.cancel()
        self._subject = self.preview = None
        self._last = None
        self._decisions.clear()
        self.view.badge.clear()
        self._show()

    def _ordered_changed(self) -> None:
        if self.preview is not None and self.preview.scope != self.view.order.scope:
            self.preview = None
            self._look_up()
        self._show()

    def _look_up(self) -> None:
        """Ask anew what a burn of the subject would touch."""
        self._lookups.cancel()
        if self._subject is not None and self.session.is_connected and self.view.isVisible():
            self._lookups.spawn(self._foresee(), name="blast radius")

    async def _foresee(self) -> None:
        subject, scope = self._subject, self.view.order.scope
        if subject is None:
            return
        preview = await self.session.client.burn_preview(PreviewBody(node_id=subject.id, scope=scope))
        if self._subject is not subject or self.view.order.scope != scope:
            return
        self.preview = preview
        self._foreseen.touch()
        if preview.already_burned is not None and self.board.burn_id != preview.already_burned and not self._sent():
            self._take_burn(await self.session.client.burn_get(preview.already_burned))
        self._show()

    # --- what is shown -----------------------------------------------------------------------------------------------

    def _sent(self) -> bool:
        """A burn was sent from here and is not answered."""
        return self._phase is not None

    def _burned(self) -> bool:
        """The board shows a burn of this subject with this scope."""
        return self._subject is not None and (self.board.node_id, self.board.scope) == (
            self._subject.id,
            self.view.order.scope,
        )

    def _show(self) -> None:
        """Bring every part in line with what is known."""
        self._dirty = False
        view, preview = self.view, self.preview
        if preview is not None:
            view.subject.show_preview(preview)
            view.blast.show_preview(preview)
        elif self._subject is None:
            view.subject.show_nobody()
        if self._burned():
            view.show_part(view.board, "Targets")
            view.board.show_board(self.board, self.session.live.now(), asking=self._phase is Phase.ASKING)
        elif preview is not None:
            view.show_part(view.blast, "Blast radius · writes nothing")
        elif self._subject is None:
            view.show_part(view.empty, "Blast radius")
        if preview is None or self._burned():
            view.as_of.setText("")
        view.as_of.setVisible(preview is not None and not self._burned())
        ready, sentence = self._readiness()
        view.order.show_ready(ready, sentence, self._subject.id if self._subject else "")
        self.session.actions.refresh()

    def _readiness(self) -> tuple[bool, str]:
        if self._subject is None:
            return False, "Choose a subject first."
        if self._sent():
            return False, "Unknown, asking again until it is answered." if self._phase is Phase.ASKING else "Burning."
        if self._burned() and self.board.burn is not None:
            when = clock_time(parse_time(self.board.burn.timestamp))
            return False, f"Burned at {when} with this scope; its targets are at the right. Ctrl+N: another subject."
        if self.preview is None:
            return False, "Asking what this burn would touch."
        if not self.view.order.reason.text().strip():
            return False, "Say why: it stays in the audit log."
        return True, "Hold 1.5 s with the mouse or Space; letting go aborts. A burn is not taken back by itself."

    # --- the burn ----------------------------------------------------------------------------------------------------

    def _typed_id(self) -> None:
        order = self.view.order
        if self._subject is None or not order.hold.isEnabled():
            return
        if order.typed.text().strip() == self._subject.id:
            self.burn()
        else:
            order.wrong_id(self._subject.id)

    def burn(self) -> None:
        """Burn the subject: the clock starts here."""
        ready, _ = self._readiness()
        if self._subject is None or not ready:
            return
        body = BurnBody(
            node_id=self._subject.id, scope=self.view.order.scope, reason=self.view.order.reason.text().strip()
        )
        self.view.banner.clear()
        self.view.order.typed.clear()
        self.board.begin(body.node_id, body.scope, self.preview)
        self._phase = Phase.RUNNING
        # No idempotency key: by node and scope the same POST is the same burn, and each answer is the newest state.
        operation: Operation[Burn] = Operation(
            lambda client, _key: client.burn_execute(body),
            title=f"Burn of {body.node_id}",
            changes=("burns", "nodes", "alarms"),
            asks=True,
        )
        operation.progress(self._progressed).success(self._answered).failure(self._refused).run(self.session, self)
        self._show()
        self._focus(self.view.board.table)

    def _progressed(self, progress: Progress) -> None:
        self._phase = progress.phase
        self._dirty = True

    def _answered(self, burn: Burn) -> None:
        self._phase = None
        if (self.board.node_id, self.board.scope) == (burn.node_id, burn.scope):
            self._take_burn(burn)
        face = self.board.clock(self.session.live.now())
        if not self.view.isVisible():
            said = f"{burn.node_id} is burned: {face.count} in {face.time}."
            self.session.notify(said, "warn" if face.running else "ok", burn.burn_id)
        self._dirty = True

    def _refused(self, failure: Failure) -> None:
        self._phase = None
        self.board = Board()
        if self.view.isVisible():
            self.show_failure(failure)
        else:
            self.session.notify_failure("Burn", failure)
        self._dirty = True

    def _take_burn(self, burn: Burn) -> None:
        self.board.take_burn(burn)
        self._dirty = True

    def _events(self, events: Sequence[LiveEvent]) -> None:
        for live in events:
            try:
                event = live.read(BurnEvent)
            except msgspec.DecodeError:
                self.session.live.lost += 1
                continue
            self.board.take_event(event)
            if event.target is None:
                self._history_due = True
                if event.state == "COMPLETE" and self.board.burn is not None and event.burn_id == self.board.burn_id:
                    self.spawn(self._reread(event.burn_id), name="burn complete")

    async def _reread(self, burn_id: str) -> None:
        burn = await self.session.client.burn_get(burn_id)
        if self.board.burn_id == burn_id:
            self._take_burn(burn)

    # --- targets without proof ---------------------------------------------------------------------------------------

    def _target_open(self) -> bool:
        row = self.view.board.target
        return row is not None and row.open and self.board.burn is not None and self._burned()

    def _select_open(self) -> None:
        for at, row in enumerate(self.view.board.model.rows):
            if row.open:
                self.view.board.table.selectRow(at)
                return

    def _retry(self) -> None:
        burn, row = self.board.burn, self.view.board.target
        if burn is None or row is None:
            return
        operation: Operation[Burn] = Operation(
            lambda client, _key: client.burn_retry_target(burn.burn_id, row.id),
            title=f"Try {row.name} again",
            changes=("burns",),
            asks=True,
        )
        operation.success(self._target_told).failure(self.show_failure).run(self.session, self)

    def _close(self) -> None:
        burn, row = self.board.burn, self.view.board.target
        reason = self.view.board.close_reason.text().strip()
        if burn is None or row is None or not reason:
            return
        operation: Operation[Burn] = Operation(
            lambda client, key: client.burn_close_target(
                burn.burn_id, row.id, CloseBody(reason=reason), idempotency_key=key
            ),
            title=f"Close {row.name} without proof",
            changes=("burns",),
            asks=True,
        )
        operation.success(self._target_told).failure(self.show_failure).run(self.session, self)
        self.view.board.close_reason.clear()

    def _target_told(self, burn: Burn) -> None:
        if self.board.burn_id == burn.burn_id:
            self._take_burn(burn)

    # --- history -----------------------------------------------------------------------------------------------------

    async def _load_history(self) -> None:
        page = await self.session.client.burn_list(query=BurnListQuery(limit=HISTORY_PAGE))
        kept = {burn.burn_id for burn in page.items}
        # Older pages that were asked for stay; the newest page is always as it is now.
        rest = [burn for burn in self._history if burn.burn_id not in kept] if len(self._history) > HISTORY_PAGE else []
        self._history = [*page.items, *rest]
        if not rest:
            self._next = page.next
        self.view.show_history(self._history, more=self._next is not None)
        self.session.actions.refresh()

    async def _older(self) -> None:
        if self._next is None:
            return
        page = await self.session.client.burn_list(query=BurnListQuery(limit=HISTORY_PAGE, cursor=self._next))
        known = {burn.burn_id for burn in self._history}
        self._history += [burn for burn in page.items if burn.burn_id not in known]
        self._next = page.next
        self.view.show_history(self._history, more=self._next is not None)
        self.session.actions.refresh()

    def _open_row(self, at: int) -> None:
        if 0 <= at < len(self._history):
            self.spawn(self._open(self._history[at].burn_id), name="open burn")

    async def _open(self, burn_id: str) -> None:
        burn = await self.session.client.burn_get(burn_id)
        if self._sent():
            return
        self.view.order.choose_scope(burn.scope)
        self._take_burn(burn)
        await self._choose_id(burn.node_id)

    # --- the badge at a door -----------------------------------------------------------------------------------------

    async def _load_doors(self) -> None:
        query = ListQuery(limit=500)
        found: list[Choice] = []
        while True:
            page = await self.session.client.registry_list_reader_clusters(query=query)
            found += [
                Choice(reader.reader_id, reader.reader_id, cluster.display_name)
                for cluster in page.items
                for reader in cluster.readers
            ]
            if page.next is None:
                break
            query = ListQuery(limit=500, cursor=page.next)
        self._readers = found
        self._first_door()

    def _first_door(self) -> None:
        """Fill in a door, so that one key shows what the badge does."""
        field = self.view.badge.field
        if field.choice is None and not field.hasFocus() and self._readers:
            field.choose(self._readers[0])

    def _offer_doors(self, text: str) -> None:
        words = text.lower().split()
        found = [door for door in self._readers if all(word in f"{door.id} {door.detail}".lower() for word in words)]
        self.view.badge.field.offer(found[:SUGGESTIONS])

    def _can_present(self) -> bool:
        return self._subject is not None and self.view.badge.field.choice is not None and not self._presenting

    def _present(self) -> None:
        subject, door = self._subject, self.view.badge.field.choice
        if subject is None or door is None:
            return
        body = PresentBody(reader_id=door.id, node_id=subject.id)
        self._presenting = True
        operation: Operation[PresentReply] = Operation(
            lambda client, key: client.credentials_present(body, idempotency_key=key),
            title=f"Badge of {subject.title} at {door.id}",
            changes=("access",),
            asks=True,
        )
        operation.success(self._decided).failure(self._not_presented).run(self.session, self)

    def _decided(self, reply: PresentReply) -> None:
        self._presenting = False
        if self._subject is not None and self._subject.id == reply.node_id:
            if self._last is not None:
                self._decisions = [self._told_before, *self._decisions][:KEPT_DECISIONS]
            why = REASON_WORDS.get(reply.reason, sentence_case(reply.reason))
            at = clock_time(time.time())
            self._last = reply
            self._told_before = f"{at}  {reply.decision}  {reply.reader_id}, {reply.reason.replace('_', ' ')}"
            sentence = f"{reply.reader_id} at {at}, after {reply.latency_ms:.1f} ms. {why}"
            self.view.badge.show_decision(reply.decision == "GRANT", sentence, self._decisions)
        self.session.actions.refresh()

    def _not_presented(self, failure: Failure) -> None:
        self._presenting = False
        self.view.badge.show_refusal(f"{failure.sentence} {failure.next_step}".strip())
        self.session.actions.refresh()

    async def close(self) -> None:
        await self._lookups.close()
        await super().close()
