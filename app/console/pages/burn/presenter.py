"""Brings the burn page to life: foresees what a burn would touch, burns, follows every target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from app.capabilities.burn.messages import Burn, BurnBody, Preview, PreviewBody
from app.client import ApiError
from app.console.actions import Action, Effect
from app.console.clock import Freshness, clock_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.operations import Change
from app.console.pages.burn.badge import BadgeAtDoor
from app.console.pages.burn.board import BurnBoard
from app.console.pages.burn.contained import Contained
from app.console.pages.burn.drill import mark_drill
from app.console.pages.burn.evidence import BurnEvidence
from app.console.pages.burn.history import BurnHistory
from app.console.pages.burn.lost_card import LostCard
from app.console.pages.burn.running import RunningBurn
from app.console.pages.burn.speed import BurnSpeedPart
from app.console.pages.burn.subject import SubjectSearch
from app.console.pages.burn.targets import OpenTargets
from app.console.pages.burn.tripwire import TripwirePart
from app.console.pages.burn.two_keys import TwoKeys
from app.console.pages.burn.view import BURNS, CONTAINED, EVIDENCE, SPEED, SUBJECT, TWO_KEYS, BurnView
from app.console.pages.burn.words import REASONS
from app.console.part import Host, PartsPresenter, Poll
from app.console.past_standing import UNREGISTERED, PastStanding, StandingLeaves
from app.console.session import WindowSession
from app.console.tasks import Tasks
from app.console.telemetry.live import LiveEvent
from app.console.widgets.choice import Choice

PREVIEW_EVERY_S = 3.0
FOLLOW_EVERY_S = 2.0


class BurnPresenter(PartsPresenter):
    """Keeps the subject and the burn while other pages are shown; the burn itself belongs to the service."""

    view: BurnView
    evidence_action = "burn.save_bundle"
    past_words = tr("The subject's standing shows that moment; all else shows now.")

    def __init__(self, session: WindowSession, view: BurnView) -> None:
        super().__init__(session, view)
        self.preview: Preview | None = None
        self._subject: Choice | None = None
        self._leaves = StandingLeaves(session)
        self._unread = self._leaves.unread
        """What was shown of a subject whose standing then was not read."""
        self._known = 0.0
        """When the service was asked for the preview that is shown, Unix time by its clock."""
        self._unseen = False
        """The service cannot say what a burn of the subject would touch; it burns without that."""
        self._foreseen = Freshness(PREVIEW_EVERY_S)
        self._dirty = True
        self._opened = ""
        """The burn that was opened from a list: it is shown though it may be lifted."""
        self._hands_at: QWidget | None = None
        """Where the focus was when a reason was chosen and the hold did not answer yet."""
        self._keys_for: QWidget | None = None
        """What gets the keys as soon as it is there; until then they wait at the name of its tab."""
        # The look-ups of one subject end when another is chosen, so that no late answer paints over the new one.
        self._lookups = Tasks(self.show_error)
        self._poll = Poll(
            self._follow,
            FOLLOW_EVERY_S,
            show=self._mark_dirty,
            on_error=self.show_error,
            on_recovery=self.view.banner.clear,
        )
        self.tripwire = TripwirePart(session)
        subject = self._host(SUBJECT)
        self.running = RunningBurn(subject, view, self._mark_dirty)
        self.search = SubjectSearch(subject, view.subject.field)
        self.targets = OpenTargets(subject, view.board, burn=self._standing_burn, take=self.running.take_if_shown)
        self.badge = BadgeAtDoor(subject, view.badge, lambda: self._subject)
        burns = self.host(shown=lambda: view.burns_shown, show=lambda: self._show_tab(BURNS))
        self.history = BurnHistory(burns, view.history, self._open_listed)
        self.contained = Contained(
            self._host(CONTAINED),
            view.contained,
            view.order,
            subject=lambda: self._subject,
            burned=self._is_burned,
            burn=self._fill_order,
        )
        self.two_keys = TwoKeys(
            self._host(TWO_KEYS),
            view.two_keys,
            find=self.search.find,
            burn=self._shown_burn,
            nodes=self._chosen_nodes,
        )
        self.evidence = BurnEvidence(self._host(EVIDENCE), view.evidence, self._shown_burn)
        self.speed = BurnSpeedPart(self._host(SPEED), view.speed, self._open_listed)
        self.lost_card = LostCard(
            subject,
            view.lost_card,
            subject=lambda: self._subject,
            reason=view.order.reason.text,
            lead=self._lead_to_hold,
        )
        self.parts = (self.contained, self.two_keys, self.history, self.lost_card, self.speed)
        view.tabs.currentChanged.connect(self._turn)
        field = view.subject.field
        field.chosen.connect(self._take_subject)
        field.cleared.connect(self._drop_subject)
        # Typing shows the subject; a late answer that fills one in takes no tab to the front.
        field.textEdited.connect(lambda _text: view.tabs.setCurrentIndex(SUBJECT))
        view.subject.meant.connect(lambda node_id: self.spawn(self.search.choose_id(node_id), name="who was meant"))
        view.order.changed.connect(self._take_order)
        view.order.ordered.connect(self.burn)
        view.burned.wider.connect(self._burn_wider)
        session.shown_time.changed.connect(self._take_moment)
        self._show()

    def _host(self, tab: int) -> Host:
        """What a part of that tab is made with. A list that comes to the front gets the keys."""
        return self.host(shown=lambda: self.view.tabs.currentIndex() == tab, show=lambda: self._show_tab(tab))

    # --- the table ---------------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        here, view = "burn", self.view
        return [
            Action(
                "burn.next", tr("Next step of the burn"), self.next_step, "flame", ("Ctrl+Return", "Ctrl+Enter"), here,
                effect=Effect.IRREVERSIBLE,
                hint=tr("Goes to what is missing, at last to the hold button. It never burns by itself."),
                calls=("burn_preview", "burn_execute"), ends_past=True,
            ),
            Action(
                "burn.subject", tr("Choose whom to burn"), lambda: self._focus(view.subject.field), "user-x",
                    ("Ctrl+F",),
                here,
            ),
            Action("burn.new", tr("Another subject"), self.start_anew, "rotate-ccw", ("Ctrl+N",), here),
            Action(
                "burn.open_profile", tr("Open profile"), self._open_profile, "user", page=here,
                when=lambda: self.preview is not None and self.preview.known,
            ),
            *self.targets.actions(),
            *self.history.actions(),
            self._tab_action("history", tr("Go to the list of burns"), BURNS, "list", ("Ctrl+H", "Alt+5")),
            Action(
                "burn.drill", tr("Choose a drill identity"), self._choose_drill, "zap", ("Ctrl+Shift+D",), here,
                hint=tr("A drill burns it for real, at drill targets alone; every record says DRILL."),
                calls=("burn_preview",),
            ),
            self._tab_action("show_subject", tr("Show the subject"), SUBJECT, "user-x", ("Alt+4",)),
            self._tab_action("show_contained", tr("Show who is contained"), CONTAINED, "lock", ("Alt+6",)),
            self._tab_action("show_two_keys", tr("Show what needs two keys"), TWO_KEYS, "users", ("Alt+7",)),
            self._tab_action("show_evidence", tr("Show the evidence"), EVIDENCE, "file-check", ("Alt+8",)),
            self._tab_action("show_speed", tr("Show whether burns are fast enough"), SPEED, "timer", ("Alt+9",)),
            *self.speed.actions(),
            *self.contained.actions(),
            *self.lost_card.actions(),
            *self.two_keys.actions(),
            *self.evidence.actions(),
            *self.badge.actions(),
            *map(self._reason_action, range(len(REASONS))),
        ]  # fmt: skip

    def _tab_action(self, name: str, title: str, tab: int, icon: str, keys: tuple[str, ...]) -> Action:
        return Action(f"burn.{name}", title, lambda: self._show_tab(tab), icon, keys, "burn")

    def _reason_action(self, at: int) -> Action:
        """Alt+1 and so on: fill a reason in."""
        key, text = REASONS[at]
        return Action(
            f"burn.reason_{key}", text, lambda: self._give_reason(text), keys=(f"Alt+{at + 1}",), page="burn",
            hint=tr("Fills the reason in, and goes to the hold button."),
        )  # fmt: skip

    def _give_reason(self, text: str) -> None:
        """Fill the reason in. The hands go on to the hold button, as soon as it answers."""
        self.view.order.reason.setText(text)
        self._hands_at = QApplication.focusWidget()
        self._lead_to_hold()

    def _lead_to_hold(self) -> None:
        """Bring hands that have given a reason to the hold, if they are where they were."""
        if self._hands_at is not None and self.view.order.hold.isEnabled() and self.lost_card.is_known():
            if QApplication.focusWidget() is self._hands_at:
                # For a lost card the hands go to the card: who only lost one is not to be burned by habit.
                lost = self.view.lost_card
                self._focus(lost.confirm.hold if lost.isVisible() else self.view.order.hold)
            self._hands_at = None

    def _turn(self, tab: int) -> None:
        """Another tab is in front."""
        self._keys_for = None
        self.session.actions.refresh()
        if tab == SPEED:
            self.speed.come_to_front()

    def _show_tab(self, tab: int) -> None:
        """Bring a tab to the front, and give its list the keys. The burns need no tab where they stand beside it."""
        view = self.view
        if tab != BURNS or not view.burns_shown:
            view.tabs.setCurrentIndex(tab)
        lists = {
            BURNS: view.history.table,
            CONTAINED: view.contained.table,
            TWO_KEYS: view.two_keys.table,
            SPEED: view.speed.worst_table,
        }
        if tab in lists:
            self._give_keys(lists[tab])
        elif tab == SUBJECT and self._is_burned():
            self._focus(view.board)

    def _give_keys(self, table: QWidget) -> None:
        """To a list that has rows, or as soon as it has. Until then the keys wait at the name of the tab: the field of
        the subject would open its suggestions over the list."""
        if table.isVisible():
            self._focus(table)
        else:
            self._keys_for = table
            self._focus(self.view.tabs.tabBar())

    def _take_keys(self) -> None:
        """What the keys wait for may be there now. Hands that have gone elsewhere stay there."""
        table = self._keys_for
        if table is not None and table.isVisible():
            self._keys_for = None
            if self.view.focusWidget() is self.view.tabs.tabBar():
                self._focus(table)

    def filter_field(self) -> QWidget | None:
        if self.view.pages.currentWidget() is self.view.board:
            return self.view.board.filter
        return self.view.subject.field

    def first_control(self) -> QWidget:
        return self.view.subject.field

    def next_step(self) -> None:
        """Ctrl+Enter: go to what is missing; to the hold button when nothing is missing."""
        order = self.view.order
        confirm = self.view.two_keys.confirm
        if self.view.tabs.currentIndex() == TWO_KEYS and confirm.isVisible():
            self._focus(confirm.hold)
        elif self._subject is None:
            self._focus(self.view.subject.field)
        elif order.hold.isEnabled():
            self._focus(order.hold)
        elif not order.reason.text().strip() and not self._is_burned():
            self._focus(order.reason)
        elif self.board.open:
            self.view.tabs.setCurrentIndex(SUBJECT)
            self._focus(self.view.board)
            self.targets.select_first()
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
            live.subscribe("burn", self.running.take_events),
            live.subscribe("alarm", self._read_alarms_soon),
        ]
        try:
            await super().run(arguments)
            if arguments.keys() & {"node_id", "burn_id"}:
                # Before anything is awaited: a tab that is chosen afterwards is what somebody wants.
                self.view.tabs.setCurrentIndex(SUBJECT)
            # By itself: what cannot be read now must not end the following of a burn.
            self.spawn(self._begin(arguments), name="begin of the page")
            await self._poll.run()
        finally:
            for end in ends:
                end()
            self._lookups.cancel()

    async def _begin(self, arguments: Mapping[str, str]) -> None:
        """What is read once, when the page is shown."""
        await self._open_arguments(arguments)
        if self.session.training:
            await self.badge.load()
        await self._read_alarms()
        self.view.board.goal_s = await self.speed.read_goal()

    async def _open_arguments(self, arguments: Mapping[str, str]) -> None:
        """Show what another page has named: a node or a burn; a request is shown by its part."""
        if node_id := arguments.get("node_id"):
            self.view.order.reason.setText(arguments.get("reason", ""))
            await self.search.choose_id(node_id)
        elif burn_id := arguments.get("burn_id"):
            await self._open(burn_id)

    async def _follow(self) -> None:
        """Keep reachability and open targets current. The stream says most; a lost event must not stay lost."""
        await self.running.read_open()
        age = self._foreseen.age_s()
        if self._subject is not None and (age is None or age >= PREVIEW_EVERY_S):
            await self._foresee()

    def repaint(self) -> None:
        # What is dirty is shown whole below, the board with it.
        if self.view.pages.currentWidget() is self.view.board and not self._dirty:
            self.running.show()
        super().repaint()
        self.view.count(CONTAINED, len(self.contained.rows))
        self.view.count(TWO_KEYS, sum(one.state == "PENDING" for one in self.two_keys.requests))
        if self.preview is not None:
            self.view.as_of.setText(
                self._foreseen.words() or tr("As of {time}", time=clock_time(self._foreseen.since or 0))
            )
        if self._dirty or (self.session.shown_time.is_past and self._unread != self._leaves.unread):
            self._show()
        self._take_keys()

    def take_change(self, change: Change) -> None:
        super().take_change(change)
        if change.kinds & {"burns", "nodes", "readers", "cards", "grants"}:
            self._look_up()
        if isinstance(change.reply, Burn) and change.reply.lifted_at is not None:
            self.running.take_if_shown(change.reply)

    # --- subject -----------------------------------------------------------------------------------------------------

    def _choose_drill(self) -> None:
        self.view.tabs.setCurrentIndex(SUBJECT)
        self.spawn(self.search.choose_drill(), name="drill identity")

    def _fill_order(self, node_id: str, reason: str) -> None:
        """Fill the order in for a node of a list; the burn itself is still held or typed."""
        self.view.order.reason.setText(reason[:1000])
        self._show_tab(SUBJECT)
        self.spawn(self.search.choose_id(node_id), name="subject of a list")

    def _chosen_nodes(self) -> tuple[list[str], str]:
        """Nodes chosen in the list in front, for a list of several."""
        if self.view.tabs.currentIndex() != CONTAINED:
            return [], self.view.order.reason.text().strip()
        some = self.view.contained.chosen
        return list(dict.fromkeys(one.node_id for one in some)), (some[0].message or "") if some else ""

    def _take_subject(self, choice: Choice) -> None:
        """Another subject was chosen: forget what was said of the one before, and ask what a burn would touch."""
        if self._subject is None or choice.id != self._subject.id:
            self.view.order.confirm.clear()
            self.view.order.message.clear()
            self.view.order.ask_nobody(False)
            self.badge.forget()
            self.view.banner.clear()
            self.preview = None
            self._leaves = StandingLeaves(self.session, choice.id)
            self._unseen = False
            if self.board.node_id != choice.id:
                self._opened = ""
        self._subject = choice
        self._look_up()
        self._show()
        # Hands that chose go on; those at a list, whose burn brought the subject, stay.
        if not self.view.order.reason.text() and self.view.focusWidget() is self.view.subject.field:
            self._focus(self.view.order.reason)

    def _drop_subject(self) -> None:
        self._lookups.cancel()
        self._subject = self.preview = None
        self._unseen = False
        self._hands_at = None
        self.badge.forget()
        self._show()

    def _take_order(self) -> None:
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
        """Ask what a burn of the subject would touch; show its burn if it is burned already."""
        subject, scope, leaves = self._subject, self.view.order.scope, self._leaves
        if subject is None or self._why_closed():
            return
        asked = self.session.live.now()
        try:
            preview = await self.session.client.burn_preview(PreviewBody(node_id=subject.id, scope=scope))
        except ApiError as error:
            if error.code == "dependency_unavailable" and self._subject is subject:
                self._unseen = True
                self._show()
            raise
        self._unseen = False
        await leaves.read_shown()
        if self._subject is not subject or self.view.order.scope != scope:
            return
        self.preview, self._known = preview, asked
        self._foreseen.touch()
        if (
            preview.already_burned is not None
            and self.board.burn_id != preview.already_burned
            and not self.running.sent
        ):
            self.running.take(await self.session.client.burn_get(preview.already_burned))
        self._show()

    # --- what is shown -----------------------------------------------------------------------------------------------

    @property
    def board(self) -> BurnBoard:
        """The burn that was sent from here, or opened from a list."""
        return self.running.board

    def _mark_dirty(self) -> None:
        self._dirty = True

    def _tell_badge(self) -> None:
        """A grant that was shown before the burn on the board is of the past."""
        burn = self.board.burn
        if burn is not None and burn.lifted_at is None:
            self.badge.watch.take_burn(burn.node_id, parse_time(burn.timestamp))

    def _on_board(self) -> bool:
        """Whether the board has a burn of this subject with this scope."""
        return self._subject is not None and (self.board.node_id, self.board.scope) == (
            self._subject.id,
            self.view.order.scope,
        )

    def _is_burned(self) -> bool:
        """Whether that burn stands: it is not lifted."""
        return self._on_board() and (self.board.burn is None or self.board.burn.lifted_at is None)

    def _shows_board(self) -> bool:
        return self._is_burned() or (self._on_board() and self._opened == self.board.burn_id)

    def _shown_burn(self) -> Burn | None:
        """The burn on the board, as the API gave it."""
        return self.board.burn if self._shows_board() else None

    def _standing_burn(self) -> Burn | None:
        """The burn on the board while it stands."""
        return self.board.burn if self._is_burned() else None

    def _take_moment(self) -> None:
        """Another moment is shown, or now again."""
        at = self.session.shown_time.at
        self._show()
        if at is not None and self.preview is not None and not self._leaves.reaches(at, self._known):
            self._look_up()

    def _standing_then(self, preview: Preview, at: float) -> PastStanding:
        """How the subject stood at that moment."""
        if not preview.known or preview.standing is None:
            return UNREGISTERED
        return self._leaves.standing(preview.node_id, preview.standing, at, self._known)

    def _show(self) -> None:
        """Bring every part in line with what is known."""
        self._dirty, self._unread = False, self._leaves.unread
        view, preview = self.view, self.preview
        closed = "" if self._subject is None else self._why_closed()
        if preview is not None:
            view.subject.show_preview(preview, self.session.live.now())
            at = self.session.shown_time.at
            if at is not None:
                view.subject.show_then(preview, self._standing_then(preview, at), at)
            if not self._shows_board():
                view.blast.show_preview(preview)
        elif self._subject is None:
            view.subject.show_nobody()
        elif closed:
            view.subject.show_closed(self._subject.id, self._subject.title, closed)
        elif self._unseen:
            view.subject.show_unseen(self._subject.id)
        if self._shows_board():
            view.show_board(drill=self.board.drill)
            view.board.show_alarm(self.tripwire.words(self.board.burn_id))
            self.running.show()
        elif preview is not None:
            view.show_foreseen(view.blast, mark_drill(tr("Blast radius · writes nothing"), preview.drill))
        elif self._subject is None or self._unseen or closed:
            view.say_empty(unseen=self._unseen, closed=closed)
            view.show_foreseen(view.empty, tr("Blast radius"))
        self._tell_badge()
        shown = self._shows_board()
        if preview is None or shown:
            view.as_of.setText("")
        view.as_of.setVisible(preview is not None and not shown)
        ready, sentence = self._readiness()
        drill = preview is not None and preview.drill
        unseen = preview is None and self._unseen
        asks = unseen or (preview is not None and not preview.known)
        view.order.ask_nobody(asks and not self._is_burned(), unseen=unseen)
        view.order.show_ready(ready, sentence, self._subject.id if self._subject else "", drill=drill)
        view.show_somebody(preview is None or preview.known)
        self._show_order()
        self._lead_to_hold()
        self.contained.paint_all()
        self.lost_card.paint_all()
        self.evidence.show()
        self.session.actions.refresh()

    def _why_closed(self) -> str:
        """Why what a burn would touch is not for the operator; empty: it is."""
        return self.session.permissions.refusal(("burn_preview",))

    def _show_order(self) -> None:
        """Show the form of the order, or the order as a fact while its burn stands."""
        burned, view = self._is_burned(), self.view
        hands = view.focusWidget()
        if burned and hands is not None and view.order.isAncestorOf(hands):
            # The form goes with the hands in it: before, lest Qt choose where they go.
            if view.tabs.currentIndex() == SUBJECT:
                self._focus(view.board)
            if view.focusWidget() is hands:
                # Elsewhere, and where no target is known yet: then the board takes no hands.
                self._focus(view.tabs.tabBar())
        view.show_order(burned=burned, chosen=self._subject is not None)
        if burned:
            view.burned.show_burned(
                self.board,
                reason=view.order.reason.text().strip(),
                by=self.running.ordered_by,
                may_burn=self.session.permissions.may("burn_execute") and not self.session.shown_time.is_past,
            )

    def _burn_wider(self) -> None:
        """Have the order be one of all systems: its blast radius is shown, and it is held or typed as any other."""
        self.view.order.choose_scope("GLOBAL_REVOCATION")
        self._opened = ""
        self._take_order()
        self._focus(self.view.order.reason)

    def _open_profile(self) -> None:
        if self._subject is not None:
            self.session.navigate("people", node_id=self._subject.id)

    def _readiness(self) -> tuple[bool, str]:
        """Whether the hold answers, and the sentence below it: what is missing, or what happens."""
        if refusal := self.session.permissions.refusal(("burn_execute",)):
            return False, refusal
        if self.session.shown_time.is_past:
            return False, tr("The console shows the past. Esc or Ctrl+Enter goes back to live, then this answers.")
        if self._subject is None:
            return False, tr("Choose a subject first.")
        if self.running.sent:
            return False, tr("Unknown, asking again until it is answered.") if self.running.asking else tr("Burning.")
        if self._is_burned() and self.board.burn is not None:
            when = clock_time(parse_time(self.board.burn.timestamp))
            return False, tr(
                "Burned at {when} with this scope; its targets stand on this page. Ctrl+N: another subject.", when=when
            )
        if self.preview is None and not self._unseen:
            return False, tr("Asking what this burn would touch.")
        if self.preview is None and not self.view.order.nobody.isChecked():
            return False, tr(
                "What it would touch cannot be looked up. Tick the box if this id is to be denied as it is."
            )
        if self.preview is not None and not self.preview.known and not self.view.order.nobody.isChecked():
            return False, tr(
                "Nobody has this id. Choose a person above, or tick the box if the id itself is to be denied."
            )
        if not self.view.order.reason.text().strip():
            return False, tr("Say why: it stays in the audit log.")
        return True, tr("Hold 1.5 s with the mouse or Space; letting go aborts. A burn is not taken back by itself.")

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
        self.running.send(body, self.preview)
        self._show()
        self._focus(self.view.board)

    def _read_alarms_soon(self, _events: Sequence[LiveEvent]) -> None:
        self.spawn(self._read_alarms(), name="alarms of burned badges")

    async def _read_alarms(self) -> None:
        await self.tripwire.read()
        self._dirty = True

    def _open_listed(self, burn_id: str) -> None:
        """Show a burn of a list. Hands that were in a tab go to its board."""
        if self.view.tabs.currentIndex() != SUBJECT:
            self.view.tabs.setCurrentIndex(SUBJECT)
            self._give_keys(self.view.board)
        self.spawn(self._open(burn_id), name="open burn")

    async def _open(self, burn_id: str) -> None:
        """Show a burn of a list, with its scope and its subject."""
        burn = await self.session.client.burn_get(burn_id)
        if self.running.sent:
            return
        self.view.order.choose_scope(burn.scope)
        self._opened = burn_id
        self.running.take(burn)
        await self.search.choose_id(burn.node_id)

    async def close(self) -> None:
        await self._lookups.close()
        await super().close()
