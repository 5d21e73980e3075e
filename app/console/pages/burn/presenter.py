"""What the burn page does: looks subjects up, foresees, burns, follows every target."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping, Sequence

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.api.wire import ListQuery
from app.capabilities.burn.messages import Burn, BurnBody, BurnEvent, BurnListQuery, CloseBody, Preview, PreviewBody
from app.console.actions import Action, Effect
from app.console.clock import Freshness, clock_time, parse_time
from app.console.failures import Failure
from app.console.live import LiveEvent
from app.console.operations import Change, Operation, OperationPhase, OperationProgress
from app.console.page import Presenter
from app.console.pages.burn.badge import BadgeAtDoor
from app.console.pages.burn.board import BurnBoard
from app.console.pages.burn.contained import Contained
from app.console.pages.burn.drill import marked
from app.console.pages.burn.evidence import BurnEvidence
from app.console.pages.burn.order import REASONS
from app.console.pages.burn.two_keys import TwoKeys
from app.console.pages.burn.view import BURNS, CONTAINED, EVIDENCE, SUBJECT, TWO_KEYS, BurnView
from app.console.session import WindowSession
from app.console.tasks import Tasks
from app.console.widgets.choice import Choice
from app.delivery.messages import Alarm
from app.registry.messages import DRILL_TAG

PREVIEW_EVERY_S = 3.0
FOLLOW_EVERY_S = 2.0
SUGGESTIONS = 20
HISTORY_PAGE = 50
TRIPWIRE = "burn.tripwire"
"""Kind of the alarm that a burned badge was presented; its ref is the burn."""
_NODE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{2,63}\Z")


class BurnPresenter(Presenter):
    """Keeps the subject and the burn while other pages are shown; the burn itself belongs to the service."""

    view: BurnView

    def __init__(self, session: WindowSession, view: BurnView) -> None:
        super().__init__(session, view)
        self.board = BurnBoard()
        self.preview: Preview | None = None
        self._subject: Choice | None = None
        self._phase: OperationPhase | None = None
        """Of the burn that was sent from here and is not answered yet."""
        self._foreseen = Freshness(PREVIEW_EVERY_S)
        self._history: list[Burn] = []
        self._next: str | None = None
        self._dirty = True
        self._history_due = False
        self._tripped: dict[str, Alarm] = {}
        self._opened = ""
        """The burn that was opened from a list: it is shown though it may be lifted."""
        # The look-ups of one subject end when another is chosen, so that no late answer paints over the new one.
        self._lookups = Tasks(self.show_error)
        self.badge = BadgeAtDoor(session, view.badge, self, lambda: self._subject)
        self.contained = Contained(
            session,
            view.contained,
            view.order,
            self,
            subject=lambda: self._subject,
            burned=self._burned,
            burn=self._order_for,
            shown=lambda: view.tabs.currentIndex() == CONTAINED,
        )
        self.two_keys = TwoKeys(
            session,
            view.two_keys,
            self,
            find=self._find,
            burn=self._shown_burn,
            chosen=self._chosen_nodes,
            front=lambda: self._tab(TWO_KEYS),
            shown=lambda: view.tabs.currentIndex() == TWO_KEYS,
        )
        self.evidence = BurnEvidence(
            session, view.evidence, self, burn=self._shown_burn, front=lambda: self._tab(EVIDENCE)
        )
        view.tabs.currentChanged.connect(lambda _tab: session.actions.refresh())
        subject = view.subject.field
        subject.searched.connect(lambda text: self.spawn(self._suggest(text), name="burn suggestions"))
        subject.returnPressed.connect(lambda: self.spawn(self._take_typed(), name="burn subject"))
        subject.chosen.connect(self._chosen)
        subject.cleared.connect(self._unchosen)
        # Typing shows the subject; a late answer that fills one in takes no tab to the front.
        subject.textEdited.connect(lambda _text: view.tabs.setCurrentIndex(SUBJECT))
        view.order.changed.connect(self._ordered_changed)
        view.order.ordered.connect(self.burn)
        view.history_table.opened.connect(self._open_row)
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
                lambda: self._tab(BURNS),
                "list",
                ("Ctrl+H", "Alt+5"),
                page="burn",
            ),
            Action(
                "burn.drill",
                "Choose a drill identity",
                self._drill,
                "zap",
                ("Ctrl+Shift+D",),
                page="burn",
                hint="A drill burns it for real, at drill targets alone; every record says DRILL.",
            ),
            Action("burn.show_subject", "Show the subject", lambda: self._tab(SUBJECT), "user-x", ("Alt+4",), "burn"),
            Action(
                "burn.show_contained", "Show who is contained", lambda: self._tab(CONTAINED), "lock", ("Alt+6",), "burn"
            ),
            Action(
                "burn.show_two_keys",
                "Show what needs two keys",
                lambda: self._tab(TWO_KEYS),
                "users",
                ("Alt+7",),
                "burn",
            ),
            Action(
                "burn.show_evidence", "Show the evidence", lambda: self._tab(EVIDENCE), "file-check", ("Alt+8",), "burn"
            ),
            *self.contained.actions(),
            *self.two_keys.actions(),
            *self.evidence.actions(),
            *self.badge.actions(),
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
        return made

    def _tab(self, tab: int) -> None:
        """Bring a tab to the front, and its list under the hands."""
        view = self.view
        view.tabs.setCurrentIndex(tab)
        lists = {BURNS: view.history_table, CONTAINED: view.contained.table, TWO_KEYS: view.two_keys.table}
        if tab in lists and lists[tab].isVisible():
            self._focus(lists[tab])
        elif tab == SUBJECT and self._burned():
            self._focus(view.board.table)

    def filter_field(self) -> QWidget | None:
        if self.view.pages.currentWidget() is self.view.board:
            return self.view.board.filter
        return self.view.subject.field

    def first_control(self) -> QWidget:
        return self.view.subject.field

    def next_step(self) -> None:
        """Ctrl+Enter: to what is missing; the hold button when nothing is."""
        order = self.view.order
        confirm = self.view.two_keys.confirm
        if self.view.tabs.currentIndex() == TWO_KEYS and confirm.isVisible():
            self._focus(confirm.hold)
        elif self._subject is None:
            self._focus(self.view.subject.field)
        elif order.hold.isEnabled():
            self._focus(order.hold)
        elif not order.reason.text().strip() and not self._burned():
            self._focus(order.reason)
        elif self.board.open:
            self.view.tabs.setCurrentIndex(SUBJECT)
            self._focus(self.view.board.table)
            self._select_open()
        else:
            self._focus(self.view.subject.field)

    def start_anew(self) -> None:
        """Clear the page for another subject. The burn goes on; it is in the list."""
        self.view.order.reason.clear()
        self.view.order.confirm.clear()
        self._opened = ""
        self.view.order.choose_scope("GLOBAL_REVOCATION")
        self.view.subject.field.choose(None)
        self._focus(self.view.subject.field)

    def _focus(self, widget: QWidget) -> None:
        widget.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # --- the page's life ---------------------------------------------------------------------------------------------

    async def run(self, arguments: Mapping[str, str]) -> None:
        if not self.session.live.stale:
            self._foreseen.resume()
        live = self.session.live
        ends = [
            live.subscribe("burn", self._events),
            live.subscribe("alarm", self._alarmed),
        ]
        try:
            self.spawn(self.contained.run(), name="containments")
            self.spawn(self.two_keys.run(), name="requests for a second key")
            if approval_id := arguments.get("approval_id"):
                self._tab(TWO_KEYS)
                self.two_keys.want(approval_id)
            if arguments.keys() & {"node_id", "burn_id"}:
                self.view.tabs.setCurrentIndex(SUBJECT)
            if node_id := arguments.get("node_id"):
                self.view.order.reason.clear()
                await self._choose_id(node_id)
            elif burn_id := arguments.get("burn_id"):
                await self._open(burn_id)
            elif self._subject is None and not approval_id:
                self._focus(self.view.subject.field)
            if self.session.training:
                await self.badge.load()
            await self._load_alarms()
            await self._load_history()
            await self._follow()
        finally:
            for end in ends:
                end()
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
            asking = self._phase is OperationPhase.ASKING
            board.show_board(self.board, self.session.live.now(), asking=asking)
        self.contained.tick()
        self.view.count(CONTAINED, len(self.contained.rows))
        self.view.count(TWO_KEYS, sum(one.state == "PENDING" for one in self.two_keys.requests))
        if self.preview is not None:
            self.view.as_of.setText(self._foreseen.words() or f"As of {clock_time(self._foreseen.since or 0)}")
        if self._dirty:
            self._show()

    def take_change(self, change: Change) -> None:
        if change.kinds & {"burns", "nodes", "readers", "cards", "grants"}:
            self._history_due = True
            self._look_up()
        if change.kinds & {"burns", "containments"}:
            self.contained.read_now()
        if isinstance(change.reply, Burn) and change.reply.lifted_at is not None:
            self._target_told(change.reply)

    # --- subject -----------------------------------------------------------------------------------------------------

    async def _find(self, text: str) -> list[Choice]:
        page = await self.session.client.registry_list_nodes(query=ListQuery(q=text or None, limit=SUGGESTIONS))
        found = [
            Choice(node.node_id, node.display_name, marked(node.node_id, DRILL_TAG in node.tags)) for node in page.items
        ]
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

    def _drill(self) -> None:
        self.view.tabs.setCurrentIndex(SUBJECT)
        self.spawn(self._choose_drill(), name="drill identity")

    async def _choose_drill(self) -> None:
        """The first identity that is registered for drills."""
        cursor: str | None = None
        while True:
            page = await self.session.client.registry_list_nodes(query=ListQuery(limit=500, cursor=cursor))
            for node in page.items:
                if DRILL_TAG in node.tags:
                    detail = marked(node.node_id, True)
                    self.view.subject.field.choose(Choice(node.node_id, node.display_name, detail))
                    return
            cursor = page.next
            if cursor is None:
                break
        self.show_failure(
            Failure(
                "not_found",
                "No identity is registered for drills.",
                "Give one the tag drill (Settings, People), and the doors and directories that a drill may reach.",
            )
        )

    def _order_for(self, node_id: str, reason: str) -> None:
        """Fill the order in for a node of a list; the burn itself is still held or typed."""
        self.view.order.reason.setText(reason[:1000])
        self._tab(SUBJECT)
        self.spawn(self._choose_id(node_id), name="subject of a list")

    def _chosen_nodes(self) -> tuple[list[str], str]:
        """Nodes chosen in the list in front, for a list of several."""
        if self.view.tabs.currentIndex() != CONTAINED:
            return [], self.view.order.reason.text().strip()
        some = self.view.contained.chosen
        return list(dict.fromkeys(one.node_id for one in some)), (some[0].message or "") if some else ""

    def _chosen(self, choice: Choice) -> None:
        if self._subject is None or choice.id != self._subject.id:
            self.view.order.confirm.clear()
            self.view.order.message.clear()
            self.badge.forget()
            self.view.banner.clear()
            self.preview = None
            if self.board.node_id != choice.id:
                self._opened = ""
        self._subject = choice
        self._look_up()
        self._show()
        if not self.view.order.reason.text():
            self._focus(self.view.order.reason)

    def _unchosen(self) -> None:
        self._lookups.cancel()
        self._subject = self.preview = None
        self.badge.forget()
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

    def _on_board(self) -> bool:
        """The board has a burn of this subject with this scope."""
        return self._subject is not None and (self.board.node_id, self.board.scope) == (
            self._subject.id,
            self.view.order.scope,
        )

    def _burned(self) -> bool:
        """That burn stands: it is not lifted."""
        return self._on_board() and (self.board.burn is None or self.board.burn.lifted_at is None)

    def _shows_board(self) -> bool:
        return self._burned() or (self._on_board() and self._opened == self.board.burn_id)

    def _shown_burn(self) -> Burn | None:
        """The burn on the board, as the API told it."""
        return self.board.burn if self._shows_board() else None

    def _show(self) -> None:
        """Bring every part in line with what is known."""
        self._dirty = False
        view, preview = self.view, self.preview
        if preview is not None:
            view.subject.show_preview(preview)
            view.blast.show_preview(preview)
        elif self._subject is None:
            view.subject.show_nobody()
        if self._shows_board():
            view.show_part(view.board, marked("Targets", self.board.drill))
            view.board.show_alarm(self._alarm_words())
            view.board.show_board(self.board, self.session.live.now(), asking=self._phase is OperationPhase.ASKING)
        elif preview is not None:
            view.show_part(view.blast, marked("Blast radius · writes nothing", preview.drill))
        elif self._subject is None:
            view.show_part(view.empty, "Blast radius")
        shown = self._shows_board()
        if preview is None or shown:
            view.as_of.setText("")
        view.as_of.setVisible(preview is not None and not shown)
        ready, sentence = self._readiness()
        drill = preview is not None and preview.drill
        view.order.show_ready(ready, sentence, self._subject.id if self._subject else "", drill=drill)
        self.contained.show()
        self.evidence.show()
        self.session.actions.refresh()

    def _readiness(self) -> tuple[bool, str]:
        if self._subject is None:
            return False, "Choose a subject first."
        if self._sent():
            return (
                False,
                "Unknown, asking again until it is answered." if self._phase is OperationPhase.ASKING else "Burning.",
            )
        if self._burned() and self.board.burn is not None:
            when = clock_time(parse_time(self.board.burn.timestamp))
            return False, f"Burned at {when} with this scope; its targets are at the right. Ctrl+N: another subject."
        if self.preview is None:
            return False, "Asking what this burn would touch."
        if not self.view.order.reason.text().strip():
            return False, "Say why: it stays in the audit log."
        return True, "Hold 1.5 s with the mouse or Space; letting go aborts. A burn is not taken back by itself."

    # --- the burn ----------------------------------------------------------------------------------------------------

    def burn(self) -> None:
        """Burn the subject: the clock starts here."""
        ready, _ = self._readiness()
        if self._subject is None or not ready:
            return
        body = BurnBody(
            node_id=self._subject.id, scope=self.view.order.scope, reason=self.view.order.reason.text().strip()
        )
        self.view.banner.clear()
        self.view.order.confirm.clear()
        self.view.tabs.setCurrentIndex(SUBJECT)
        self.board.begin(body.node_id, body.scope, self.preview)
        self._phase = OperationPhase.RUNNING
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

    def _progressed(self, progress: OperationProgress) -> None:
        self._phase = progress.phase
        self._dirty = True

    def _answered(self, burn: Burn) -> None:
        self._phase = None
        if (self.board.node_id, self.board.scope) == (burn.node_id, burn.scope):
            self._take_burn(burn)
        face = self.board.clock(self.session.live.now())
        if not self.view.isVisible():
            said = marked(f"{burn.node_id} is burned: {face.count} in {face.time}.", burn.drill)
            self.session.notify(said, "warn" if face.running else "ok", burn.burn_id)
        self._dirty = True

    def _refused(self, failure: Failure) -> None:
        self._phase = None
        self.board = BurnBoard()
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
                ended = event.state == "COMPLETE" or event.lifted
                if ended and self.board.burn is not None and event.burn_id == self.board.burn_id:
                    self.spawn(self._reread(event.burn_id), name="burn complete")

    async def _reread(self, burn_id: str) -> None:
        burn = await self.session.client.burn_get(burn_id)
        if self.board.burn_id == burn_id:
            self._take_burn(burn)

    # --- burned badges that were presented ---------------------------------------------------------------------------

    def _alarmed(self, _events: Sequence[LiveEvent]) -> None:
        self.spawn(self._load_alarms(), name="alarms of burned badges")

    async def _load_alarms(self) -> None:
        found = (await self.session.client.gateway_alarms()).items
        self._tripped = {alarm.ref: alarm for alarm in found if alarm.kind == TRIPWIRE and alarm.ref}
        self._dirty = True

    def _alarm_words(self) -> str:
        alarm = self._tripped.get(self.board.burn_id)
        if alarm is None:
            return ""
        text = alarm.text.removesuffix(f" ({alarm.ref}).")
        return f"Alarm: {text}, first at {clock_time(parse_time(alarm.since))}"

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
            self.view.tabs.setCurrentIndex(SUBJECT)
            self.spawn(self._open(self._history[at].burn_id), name="open burn")

    async def _open(self, burn_id: str) -> None:
        burn = await self.session.client.burn_get(burn_id)
        if self._sent():
            return
        self.view.order.choose_scope(burn.scope)
        self._opened = burn_id
        self._take_burn(burn)
        await self._choose_id(burn.node_id)

    async def close(self) -> None:
        await self._lookups.close()
        await super().close()
