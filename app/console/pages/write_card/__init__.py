"""Write card: choose the person, press Write, and the card is made, proven, and opens doors."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from app.api.wire import ListQuery
from app.burn.messages import BurnEvent
from app.console.actions import Action, Effect
from app.console.clock import Freshness
from app.console.failures import Failure, failure_of
from app.console.live import LiveEvent
from app.console.operations import Change, Operation, Progress
from app.console.operations import Phase as AskPhase
from app.console.page import Presenter
from app.console.pages import PAGES
from app.console.pages.write_card.jobs import OPEN, Job, Phase, names_of, torn_of
from app.console.pages.write_card.mailer import MailerFile
from app.console.pages.write_card.outcome import GrantLine, grant_line
from app.console.pages.write_card.seats import Seat
from app.console.pages.write_card.situation import BARRED, Situation, card_words, holder_words, service_words, situation
from app.console.pages.write_card.view import WriteCardView
from app.console.session import Session
from app.console.theme.tokens import State, sentence_case
from app.console.widgets.choice import Choice
from app.credentials.messages import SyncBody, SyncReply
from app.provisioning.messages import (
    Card,
    CardEvent,
    CardList,
    Provision,
    ProvisionBody,
    ProvisionEvent,
    ProvisionListQuery,
    TrainingCardBody,
    TrainingCardReply,
)
from app.registry.messages import (
    CredentialBody,
    CredentialProfile,
    CredentialProfileBody,
    Node,
    ReaderCluster,
)

if TYPE_CHECKING:
    from app.client import Client

CARDS_EVERY_S = 3.0
"""Seconds between two readings of the readers: events show a change at once, a reading proves that nobody is frozen."""
POLL_S = 0.5
HISTORY_PAGE = 100
MOST_PEOPLE = 20
RESULT, TRACE, HISTORY = 0, 1, 2


class WriteCardPresenter(Presenter):
    """Follows readers and jobs; every change is an ``Operation``."""

    view: WriteCardView

    def __init__(self, session: Session, view: WriteCardView, pages: frozenset[str]) -> None:
        super().__init__(session, view)
        self._pages = pages
        self._cards: CardList | None = None
        self._fresh = Freshness(CARDS_EVERY_S)
        self._node: Node | None = None
        self._jobs: dict[str, Job] = {}
        self._torn: Sequence[Provision] = ()
        self._shown: Provision | None = None
        self._opened = False
        """Whether the person here asked for ``_shown``: nobody else's write may then take its place."""
        self._history_next: str | None = None
        self._history_key: object = None
        self._standings: dict[str, str] = {}
        self._grants: dict[str, dict[str, GrantLine]] = {}
        self._granting: set[str] = set()
        self._printing = False
        self._moving = False
        self._unsaved: dict[str, bytes] = {}
        self._situation: Situation | None = None
        self._wake: asyncio.Event | None = None
        self._dirty = True
        view.seat_chosen.connect(self._seat_chosen)
        view.searched.connect(lambda text: self.spawn(self._search(text), name="persons"))
        view.person_chosen.connect(lambda choice: self.spawn(self._load_person(choice.id), name="person"))
        view.person_cleared.connect(self._person_cleared)
        view.demanded.connect(self._clear_errors)
        view.section_shown.connect(self._section_shown)
        view.provision_opened.connect(lambda found: self.spawn(self._open(found), name="provisioning"))
        view.outcome.clusters_changed.connect(lambda: self.view.outcome.show_grant_error(""))

    def actions(self) -> Sequence[Action]:
        page = "write_card"
        made = [
            Action(
                "write_card.write", "Write card", self._write, "id-card", ("Ctrl+Return", "Ctrl+Enter"), page,
                when=lambda: self._situation is not None and self._situation.can_write,
                effect=Effect.CHANGE,
                hint="Makes the keys on the card, certifies them and proves the card in a fresh session.",
            ),
            Action(
                "write_card.aside", "Set the torn card aside", self._set_aside, "x", page=page,
                when=self._can_set_aside,
                hint="This reader takes other cards again; the torn one can be finished later.",
            ),
            Action(
                "write_card.mailer", "Save PIN mailer", self._ask_mailer, "printer", ("Ctrl+M",), page,
                when=self._can_print, effect=Effect.IRREVERSIBLE,
                hint="The PIN is given out once, as a PDF; afterwards it exists nowhere else.",
            ),
            Action(
                "write_card.grant", "Grant access", self._grant, "door-open", ("Ctrl+G",), page,
                when=lambda: self._shown is not None and self._shown.state == "COMPLETE"
                and self._shown.standing not in BARRED and self._shown.provision_id not in self._granting,
                effect=Effect.CHANGE,
                hint="Gives the card's GUID to the doors of the ticked clusters.",
            ),
            Action("write_card.person", "Choose the person", self._focus_person, "user", ("Ctrl+P",), page),
            Action("write_card.reader", "Choose the reader", self._focus_reader, "nfc", ("Ctrl+R",), page),
            Action("write_card.result", "Show the result", lambda: self._tab(RESULT), "file-check", ("Alt+1",), page),
            Action("write_card.trace", "Show the APDU trace", lambda: self._tab(TRACE), "cpu", ("Alt+2",), page),
            Action("write_card.history", "Show the history", lambda: self._tab(HISTORY), "history", ("Alt+3",), page),
            Action(
                "write_card.older", "Older provisionings", self._older, "chevron-down", page=page,
                when=lambda: self._history_next is not None,
            ),
        ]  # fmt: skip
        if self.session.training:
            made += [
                Action(
                    "write_card.insert", "Insert a training card", self._insert, "download", ("Ctrl+I",), page,
                    when=lambda: not self._moving and (card := self._card()) is not None and card.simulated
                    and not card.present,
                    effect=Effect.CHANGE,
                ),
                Action(
                    "write_card.pull", "Pull the training card out", self._pull, "upload", ("Ctrl+Shift+I",), page,
                    when=lambda: not self._moving and (card := self._card()) is not None and card.simulated
                    and card.present,
                    effect=Effect.CHANGE,
                    hint="Also in the middle of a write: the card is then torn, and the same card goes on.",
                ),
            ]  # fmt: skip
            if "readers" in self._pages:
                made.append(
                    Action(
                        "write_card.present", "Present at a door", self._present, "door-closed", ("Ctrl+D",), page,
                        when=lambda: self._shown is not None,
                        hint="Opens Readers with this person's badge in hand.",
                    )
                )  # fmt: skip
        if "burn" in self._pages:
            made.append(
                Action(
                    "write_card.burn", "Burn this person", self._burn, "flame", ("Ctrl+B",), page,
                    when=lambda: self._shown is not None and self._shown.standing != "REVOKED",
                    hint="Opens Burn filled in; nothing happens before it is held there.",
                )
            )  # fmt: skip
        return made

    def filter_field(self) -> QWidget:
        return self.view.person

    def first_control(self) -> QWidget:
        return self.view.person

    # --- life --------------------------------------------------------------------------------------------------------

    async def run(self, arguments: Mapping[str, str]) -> None:
        live = self.session.live
        self._wake = asyncio.Event()
        if not live.stale:
            self._fresh.resume()
        ends = (
            live.subscribe("card", self._card_events),
            live.subscribe("burn", self._burn_events),
            live.subscribe("gap", lambda _events: self._read_now()),
        )
        live.state_changed.connect(self._stream_changed)
        try:
            if node_id := arguments.get("node_id"):
                self.spawn(self._fill_person(node_id), name="person")
            elif self._node is not None:
                self.spawn(self._load_person(self._node.node_id), name="person")
            self.spawn(self._load_clusters(), name="clusters")
            if provision_id := arguments.get("provision_id"):
                self.spawn(self._open(provision_id), name="provisioning")
            elif self._shown is not None:
                self.spawn(self._refresh_shown(self._shown.provision_id), name="provisioning")
            while True:
                await self._read_cards()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), CARDS_EVERY_S)
                self._wake.clear()
        finally:
            live.state_changed.disconnect(self._stream_changed)
            for unsubscribe in ends:
                unsubscribe()

    def _stream_changed(self, state: str) -> None:
        # What happened while nobody listened was told to nobody.
        if state == "live":
            self._read_now()

    def repaint(self) -> None:
        stale = self._fresh.words() if self._cards is not None else ""
        if self._dirty or stale:
            self._dirty = False
            self._show(stale)

    def changed(self, change: Change) -> None:
        if change.kinds & {"nodes", "burns"} and self._node is not None:
            self.spawn(self._load_person(self._node.node_id), name="person")
        if change.kinds & {"nodes", "burns", "grants", "profiles"}:
            self._read_now()
            if self._shown is not None:
                self.spawn(self._refresh_shown(self._shown.provision_id), name="provisioning")
        if "clusters" in change.kinds:
            self.spawn(self._load_clusters(), name="clusters")

    def _read_now(self) -> None:
        if self._wake is not None:
            self._wake.set()

    def _burn_events(self, events: Sequence[LiveEvent]) -> None:
        # A burn tells of a hundred doors; only its beginning and its end say anything new of cards.
        for event in events:
            with contextlib.suppress(msgspec.DecodeError):
                if event.read(BurnEvent).target is None:
                    self._read_now()
                    return

    async def _read_standings(self, cards: CardList) -> None:
        """How the holders of all that is shown stand now: a written card is worth no more than its holder."""
        from app.client import ApiError

        async def read(node_id: str) -> None:
            try:
                node = await self.session.client.registry_get_node(node_id)
            except ApiError as error:
                if error.code != "not_found":
                    raise
                self._standings.pop(node_id, None)
                return
            self._standings[node_id] = node.standing

        wanted = {card.node_id for card in cards.items if card.state == "provisioned" and card.node_id}
        wanted |= {job.node_id for job in self._jobs.values()}
        if self._shown is not None:
            wanted.add(self._shown.node_id)
        await asyncio.gather(*(read(node_id) for node_id in sorted(wanted)))
        for job in self._jobs.values():
            if job.provision is not None and (standing := self._standings.get(job.node_id)) is not None:
                job.provision = msgspec.structs.replace(job.provision, standing=standing)
        shown = self._shown
        if shown is not None and self._standings.get(shown.node_id, shown.standing) != shown.standing:
            await self._refresh_shown(shown.provision_id)

    async def _read_cards(self) -> None:
        try:
            cards = await self.session.client.provisioning_list_cards()
            if any(card.state == "torn" for card in cards.items):
                query = ProvisionListQuery(state="TORN", limit=200)
                self._torn = (await self.session.client.provisioning_list_provisions(query=query)).items
            await self._read_standings(cards)
        except Exception as error:  # told once; the rows turn stale by themselves
            failure = failure_of(error)
            if failure.code != "connection_lost":
                self.show_failure(failure)
            return
        first = self._cards is None
        self._cards = cards
        self._fresh.touch()
        self._dirty = True
        self._show("")
        if first or not self.view.seats.reader:
            self._choose_by_itself()
        for card in cards.items:
            self._follow_card(card)

    def _choose_by_itself(self) -> None:
        """The reader with a writable card; else one with a card; else the first."""
        cards = self._cards.items if self._cards is not None else []
        ranked = sorted(cards, key=lambda card: (not card_words(card).writable, not card.present))
        if ranked:
            self.view.seats.choose(ranked[0].reader)

    def _card_events(self, events: Sequence[LiveEvent]) -> None:
        for event in events:
            try:
                self._take_card(event.read(CardEvent).card)
            except msgspec.ValidationError:
                # Batches tell of their lines by the same kind of event; what they are not is a stage.
                with contextlib.suppress(msgspec.ValidationError):
                    self._take_stage(event.read(ProvisionEvent))
        self._dirty = True

    def _take_card(self, card: Card) -> None:
        if self._cards is None:
            return
        before = next((known for known in self._cards.items if known.reader == card.reader), None)
        items = [card if known.reader == card.reader else known for known in self._cards.items]
        if before is None:
            items.append(card)
        self._cards = msgspec.structs.replace(self._cards, items=items)
        self._show("")
        chosen = self._jobs.get(self.view.seats.reader)
        here = self._card()
        idle = chosen is None or chosen.phase not in {*OPEN, Phase.TORN}
        appeared = card_words(card).writable and (before is None or not card_words(before).writable)
        # A card that was just put in is what the person at the desk looks at; but a write under way keeps the eye, and
        # so does a writable card that waits for its person.
        waits = here is not None and card_words(here).writable and not self._shown_is_done()
        if appeared and idle and not waits and card.reader not in self._jobs:
            self.view.seats.choose(card.reader)
        self._follow_card(card)

    def _shown_is_done(self) -> bool:
        job = self._jobs.get(self.view.seats.reader)
        return job is not None and job.phase is Phase.COMPLETE

    def _follow_card(self, card: Card) -> None:
        """What a card's coming or going means for the job of its reader."""
        job = self._jobs.get(card.reader)
        if job is None or job.phase in OPEN:
            return
        if job.phase is Phase.TORN:
            if not card.present:
                job.pulled = True
            elif job.pulled and job.ours and card.state == "torn" and job.same_card(card):
                # The person ordered this write and has put the card back: the same call goes on.
                self._order(job, card)
        elif card.present and card.state is not None and job.same_card(card) is False:
            del self._jobs[card.reader]
        self._dirty = True

    def _take_stage(self, event: ProvisionEvent) -> None:
        job = self._jobs.get(event.reader)
        if job is None or (job.provision_id not in ("", event.provision_id)):
            if event.stage is None:
                return
            card = next((card for card in self._items() if card.reader == event.reader), None)
            names = names_of(card) if card is not None else frozenset()
            uid = (card.hardware_uid if card is not None else None) or event.reader
            job = self._jobs[event.reader] = Job(event.reader, event.node_id, "", uid, names, ours=False)
        known = job.provision_id
        job.take_event(event)
        if not known:
            self.spawn(self._follow_job(job), name="provisioning")
        elif event.stage is None and not job.ours:
            self.spawn(self._refresh_job(job), name="provisioning")

    async def _follow_job(self, job: Job) -> None:
        """While the stream is silent, ask for the job's stages; it ends with the write."""
        while job.phase in OPEN:
            if job.provision is None or self.session.live.stale:
                await self._refresh_job(job)
            await asyncio.sleep(POLL_S)
        if not job.ours:
            await self._refresh_job(job)

    async def _refresh_job(self, job: Job) -> None:
        reply = await self.session.client.provisioning_get_provision(job.provision_id)
        live = job.stages
        job.take_reply(reply)
        if reply.state == "RUNNING" and len(live) > len(job.stages):
            job.stages = live
        # A write that another console ordered shows its result here only while its card lies here, and never in place
        # of what was opened: the next key (grant access, give out the PIN) would go to another person's card.
        here = job.reader == self.view.seats.reader and self._jobs.get(job.reader) is job
        if reply.state != "RUNNING" and here and not self._opened:
            self._show_provision(reply)
        self._dirty = True

    # --- the person --------------------------------------------------------------------------------------------------

    async def _search(self, text: str) -> None:
        page = await self.session.client.registry_list_nodes(query=ListQuery(q=text or None, limit=MOST_PEOPLE))
        self.view.person.offer([choice_of(node) for node in page.items])

    async def _fill_person(self, node_id: str) -> None:
        node = await self.session.client.registry_get_node(node_id)
        self.view.person.choose(choice_of(node))

    async def _load_person(self, node_id: str) -> None:
        self._node = await self.session.client.registry_get_node(node_id)
        self._clear_errors()
        self.view.show_person(self._node)
        self._dirty = True
        self._show("")

    def _person_cleared(self) -> None:
        self._node = None
        self._clear_errors()
        self.view.show_person(None)
        self._show("")

    def _clear_errors(self) -> None:
        self.view.show_errors("", "")

    # --- readers -----------------------------------------------------------------------------------------------------

    def _items(self) -> list[Card]:
        return self._cards.items if self._cards is not None else []

    def _card(self) -> Card | None:
        reader = self.view.seats.reader
        return next((card for card in self._items() if card.reader == reader), None)

    def _seat_chosen(self, reader: str) -> None:
        job = self._jobs.get(reader)
        if job is not None and (self._node is None or self._node.node_id != job.node_id):
            self.spawn(self._fill_person(job.node_id), name="person")
        if job is not None and job.provision is not None and job.provision.state != "RUNNING":
            self._show_provision(job.provision)
        self._show("")

    def _seat(self, card: Card) -> Seat:
        words = card_words(card, self._standings)
        job = self._jobs.get(card.reader)
        state, word, line = words.state, words.word, words.remedy
        if job is not None and job.phase in OPEN:
            state, word, line = State.WARN, "Writing", f"for {job.person or job.node_id}, {job.apdus} APDUs"
        elif job is not None and job.phase is Phase.TORN and not card.present:
            return Seat(card.reader, True, State.BAD, "Pulled out", job.uid, "Put the SAME card back.")
        elif words.writable and card.state == "blank":
            line = "May be written"
        elif card.state == "provisioned":
            line = holder_words(card, self._standings)
        return Seat(card.reader, card.present, state, word, card.hardware_uid or "–", line)

    def _show(self, stale: str) -> None:
        view = self.view
        cards = self._cards
        if cards is None:
            view.show_situation(Situation(State.IDLE, "Looking for readers", "", stands=False))
            return
        state, word, remedy = service_words(cards, training=self.session.training)
        if stale:
            state, word = State.IDLE, stale
        elif not cards.items and cards.service == "up":
            remedy = "No reader is plugged in. Plug one in: it appears here by itself."
        view.service.set(state, word)
        # Simulated readers need no reader service: its remedy would only be noise beside them.
        view.remedy.setText(remedy)
        view.remedy.setVisible(bool(remedy) and (cards.service != "off" or not cards.items))
        view.seats.show_seats([self._seat(card) for card in cards.items])
        card = self._card()
        job = self._jobs.get(view.seats.reader)
        torn = torn_of(card, self._torn) if card is not None and card.state == "torn" else None
        view.show_card(card, card_words(card, self._standings) if card is not None else None)
        silent = stale if self._fresh.stale else ""
        self._situation = situation(card, job, self._node, torn, silent, self._standings)
        view.show_situation(self._situation)
        view.show_job(job)
        view.aside.setVisible(self._can_set_aside())
        self.session.actions.refresh()

    # --- write -------------------------------------------------------------------------------------------------------

    def _write(self) -> None:
        card, node = self._card(), self._node
        job = self._jobs.get(card.reader) if card is not None else None
        if card is None or not card.hardware_uid:
            return
        if job is None or job.phase in (Phase.COMPLETE, Phase.REFUSED):
            if node is None:
                return
            job = self._jobs[card.reader] = Job(
                card.reader,
                node.node_id,
                self.view.demand.currentText().strip(),
                card.hardware_uid,
                names_of(card),
                person=node.display_name,
            )
        elif job.phase in OPEN:
            return
        self._order(job, card)

    def _order(self, job: Job, card: Card) -> None:
        """The call of section 7: the same one begins, joins, resumes, or gives the stored reply."""
        job.begin_again()
        job.ours = True
        demand = job.demand or self.view.demand.currentText().strip()
        job.demand = demand
        body = ProvisionBody(node_id=job.node_id, hardware_uid=card.hardware_uid or job.uid, fips_standard=demand)

        async def request(client: Client, _key: str) -> Provision:
            # No idempotency key: the call is idempotent by node and card, and a key would repeat the stored 202.
            while True:
                reply = await client.provisioning_provision(body)
                if reply.state != "RUNNING":
                    return reply
                self._joined(job, reply)

        self._clear_errors()
        self.view.banner.clear()
        Operation(
            request, title=f"Write card for {job.person or job.node_id}", changes=("cards", "nodes"), asks=True
        ).progress(lambda progress: self._progressed(job, progress)).success(
            lambda reply: self._written(job, reply)
        ).failure(lambda failure: self._not_written(job, failure)).run(self.session, self)
        self._show("")

    def _joined(self, job: Job, reply: Provision) -> None:
        job.take_reply(reply)
        self._dirty = True

    def _progressed(self, job: Job, progress: Progress) -> None:
        job.phase = Phase.ASKING if progress.phase is AskPhase.ASKING else Phase.RUNNING
        self._dirty = True

    def _written(self, job: Job, reply: Provision) -> None:
        job.take_reply(reply)
        if job.reader == self.view.seats.reader:
            self._show_provision(reply)
            if reply.state == "COMPLETE":
                self._tab(RESULT)
                self.view.outcome.focus_clusters()
        self._history_key = None
        self._load_section()
        self._show("")

    def _not_written(self, job: Job, failure: Failure) -> None:
        provision_id = failure.extra.get("provision_id")
        fields = dict(failure.fields)
        if not isinstance(provision_id, str):
            # Nothing was begun: the order is wrong, and says where.
            self._jobs.pop(job.reader, None)
            person, demand = fields.get("/node_id", ""), fields.get("/fips_standard", "")
            if failure.code == "fips_not_met":
                demand = failure.sentence
            self.view.show_errors(person, demand)
            if demand:
                self.view.demand.setFocus(Qt.FocusReason.OtherFocusReason)
            elif person:
                self.view.person.setFocus(Qt.FocusReason.OtherFocusReason)
            else:
                self.show_failure(failure)
            self._show("")
            return
        job.provision_id = provision_id
        job.failure = failure
        torn = failure.code in ("state_conflict", "dependency_unavailable", "internal_error")
        job.phase = Phase.TORN if torn else Phase.REFUSED
        card = next((card for card in self._items() if card.reader == job.reader), None)
        job.pulled = card is not None and not card.present
        self._show("")
        self.spawn(self._after_failure(job), name="provisioning")

    async def _after_failure(self, job: Job) -> None:
        """The service's own word on whether it is torn or refused, with the stages so far."""
        reply = await self.session.client.provisioning_get_provision(job.provision_id)
        if job.phase not in OPEN:
            job.take_reply(reply)
            if job.reader == self.view.seats.reader:
                self._show_provision(reply)
            self._history_key = None
            self._load_section()
            self._show("")

    def _can_set_aside(self) -> bool:
        job = self._jobs.get(self.view.seats.reader)
        return job is not None and job.phase in (Phase.TORN, Phase.REFUSED)

    def _set_aside(self) -> None:
        self._jobs.pop(self.view.seats.reader, None)
        self._show("")

    # --- result, trace, history --------------------------------------------------------------------------------------

    def _tab(self, at: int) -> None:
        self.view.tabs.setCurrentIndex(at)
        target = {TRACE: self.view.trace_table, HISTORY: self.view.history_table}.get(at)
        if target is not None:
            target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _section_shown(self, _at: int) -> None:
        self._load_section()

    def _load_section(self) -> None:
        if not self.session.is_connected:
            return
        at = self.view.tabs.currentIndex()
        if at == TRACE:
            self.spawn(self._load_trace(), name="trace")
        elif at == HISTORY and self._history_key is None:
            self.spawn(self._load_history(None), name="history")

    async def _open(self, provision_id: str) -> None:
        found = await self.session.client.provisioning_get_provision(provision_id)
        self._show_provision(found, opened=True)
        self._tab(RESULT)
        self.session.actions.refresh()

    def _show_provision(self, found: Provision, *, opened: bool = False) -> None:
        self._shown = found
        self._opened = opened
        self.view.outcome.show_provision(found)
        self.view.outcome.show_grants(self._grants.get(found.provision_id, {}))
        self.view.outcome.show_grant_error("")
        self._show_mailer()
        self._load_section()

    async def _load_trace(self) -> None:
        shown = self._shown
        if shown is None:
            self.view.show_trace(())
            return
        trace = await self.session.client.provisioning_get_trace(shown.provision_id)
        if self._shown is shown:
            self.view.show_trace(trace.entries)

    async def _load_history(self, cursor: str | None) -> None:
        query = ProvisionListQuery(limit=HISTORY_PAGE, cursor=cursor)
        page = await self.session.client.provisioning_list_provisions(query=query)
        rows = page.items if cursor is None else [*self.view.history.rows, *page.items]
        self.view.history.set_rows(rows)
        self._history_next = page.next
        self._history_key = page.items[0].provision_id if page.items else ""
        self.session.actions.refresh()

    def _older(self) -> None:
        self.spawn(self._load_history(self._history_next), name="history")

    # --- the mailer --------------------------------------------------------------------------------------------------

    def _can_print(self) -> bool:
        shown = self._shown
        if shown is None or shown.state != "COMPLETE" or shown.standing in BARRED or self._printing:
            return False
        return not shown.mailer_printed or shown.provision_id in self._unsaved

    def _show_mailer(self) -> None:
        shown = self._shown
        if shown is None:
            return
        if shown.standing in BARRED:
            self.view.outcome.show_mailer(State.IDLE, "Of no use", "The card opens nothing; its PIN is not given out.")
        elif shown.mailer_printed:
            self.view.outcome.show_mailer(State.OK, "Given out", "The PIN was given out; it is kept nowhere.")
        elif shown.state != "COMPLETE":
            self.view.outcome.show_mailer(
                State.IDLE, "Not yet", "There is a PIN to give out when the card is finished."
            )
        else:
            words = "A PDF for the holder. It can be made once; the PIN never appears on the screen."
            self.view.outcome.show_mailer(State.IDLE, "Waits", words)

    def _ask_mailer(self) -> None:
        shown = self._shown
        if shown is None:
            return
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        dialog = QFileDialog(self.view, "Save PIN mailer", folder, "PDF (*.pdf)")
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("pdf")
        dialog.selectFile(f"PIN-{shown.node_id.replace(':', '_')}-{(shown.card_guid or '')[:8]}.pdf")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self.save_mailer(Path(path)))
        dialog.open()

    def save_mailer(self, path: Path) -> None:
        """Make the file, have the PIN given out, and write the document into it."""
        shown = self._shown
        if shown is None or self._printing:
            return
        self._printing = True
        self.view.outcome.show_mailer(State.WARN, "Running", f"Making {path.name}.")
        self.session.actions.refresh()
        self.session.tasks.spawn(self._save_mailer(shown, MailerFile(path)), name="PIN mailer")

    async def _save_mailer(self, shown: Provision, file: MailerFile) -> None:
        try:
            try:
                await asyncio.to_thread(file.reserve)
            except FileExistsError:
                self._mailer_failed(shown, f"{file.path.name} exists already; choose another name.")
                return
            except OSError as error:
                self._mailer_failed(shown, f"The file cannot be made ({error.strerror}); the PIN was not touched.")
                return
            document = self._unsaved.get(shown.provision_id)
            if document is None:
                problem: list[Failure] = []
                document = await (
                    Operation(
                        lambda client, key: client.provisioning_print_pin_mailer(
                            shown.provision_id, idempotency_key=key
                        ),
                        title="PIN mailer",
                        changes=("cards",),
                    )
                    .success(lambda _document: None)
                    .failure(problem.append)
                    .run(self.session, self)
                )
                if document is None:
                    await asyncio.to_thread(file.give_up)
                    self._mailer_failed(shown, problem[0].sentence if problem else "The PIN was not given out.")
                    await self._refresh_shown(shown.provision_id)
                    return
            try:
                await asyncio.to_thread(file.fill, document)
            except OSError as error:
                # The PIN exists in this document alone now: it is kept until a place for it is found.
                self._unsaved[shown.provision_id] = document
                self._mailer_failed(shown, f"The disk refused the file ({error.strerror}): save it elsewhere now.")
                return
            self._unsaved.pop(shown.provision_id, None)
            self.session.notify(f"PIN mailer saved as {file.path}.")
            await self._refresh_shown(shown.provision_id)
        finally:
            self._printing = False
            self.session.actions.refresh()

    def _mailer_failed(self, shown: Provision, sentence: str) -> None:
        if self._shown is not None and self._shown.provision_id == shown.provision_id:
            self.view.outcome.show_mailer(State.BAD, "Not saved", sentence)
        else:
            self.session.notify(f"PIN mailer: {sentence}", "bad")

    async def _refresh_shown(self, provision_id: str) -> None:
        """The provisioning that is shown, with its holder's standing and the grants of its card, as they are now."""
        before = dict(self._grants.get(provision_id, {}))
        found = await self.session.client.provisioning_get_provision(provision_id)
        node = await self.session.client.registry_get_node(found.node_id)
        self._standings[node.node_id] = node.standing
        for job in self._jobs.values():
            if job.provision_id == provision_id:
                job.provision = found
        granted = {
            cluster_id
            for credential in node.credentials
            if credential.state == "granted" and credential.card_guid == found.card_guid
            for cluster_id in credential.clusters
        }
        lines = self._grants.get(provision_id, {})
        for cluster_id, line in before.items():
            # A line that came meanwhile is newer than what was just read.
            if lines.get(cluster_id) is line and line.state is State.OK and cluster_id not in granted:
                lines[cluster_id] = GrantLine(State.IDLE, "ended")
        if self._shown is not None and self._shown.provision_id == provision_id:
            self._shown = found
            self.view.outcome.show_provision(found)
            self._show_grants(found)
            self._show_mailer()
        self._history_key = None
        self._show("")

    # --- access ------------------------------------------------------------------------------------------------------

    async def _load_clusters(self) -> None:
        found: list[ReaderCluster] = []
        cursor: str | None = None
        while True:
            page = await self.session.client.registry_list_reader_clusters(query=ListQuery(limit=100, cursor=cursor))
            found += page.items
            cursor = page.next
            if cursor is None:
                break
        self.view.outcome.offer_clusters(found)

    def _grant(self) -> None:
        shown = self._shown
        if shown is None or not shown.card_guid:
            return
        clusters = self.view.outcome.chosen_clusters
        if not clusters:
            self.view.outcome.show_grant_error("Tick at least one cluster (Space).")
            self.view.outcome.focus_clusters()
            return
        self.view.outcome.show_grant_error("")
        self._granting.add(shown.provision_id)
        lines = self._grants.setdefault(shown.provision_id, {})
        for cluster_id in clusters:
            lines[cluster_id] = GrantLine(State.WARN, "running")
        self._show_grants(shown)
        self.session.tasks.spawn(
            self._grant_all(shown, clusters, self.view.outcome.ttl_s), name=f"grant {shown.node_id}"
        )

    async def _grant_all(self, shown: Provision, clusters: Sequence[str], ttl_s: int) -> None:
        """The profile first, then every cluster at once; each cluster tells for itself."""
        problem: list[Failure] = []
        try:
            profile = await (
                Operation(
                    lambda client, _key: put_badge(client, shown, clusters),
                    title=f"Profile of {shown.display_name or shown.node_id}",
                    changes=("profiles", "nodes"),
                    asks=True,
                )
                .success(lambda _profile: None)
                .failure(problem.append)
                .run(self.session, self)
            )
            if profile is None:
                sentence = problem[0].sentence if problem else "The profile was not saved."
                for cluster_id in clusters:
                    self._grants[shown.provision_id].pop(cluster_id, None)
                if self._shown is not None and self._shown.provision_id == shown.provision_id:
                    self.view.outcome.show_grant_error(sentence)
                return
            await asyncio.gather(
                *(self._grant_one(shown, profile.profile_id, cluster_id, ttl_s) for cluster_id in clusters)
            )
        finally:
            self._granting.discard(shown.provision_id)
            self._show_grants(shown)
            self.session.actions.refresh()

    async def _grant_one(self, shown: Provision, profile_id: str, cluster_id: str, ttl_s: int) -> None:
        body = SyncBody(
            hardware_reader_cluster=cluster_id, credential_profile_token=profile_id, reauth_ttl_seconds=ttl_s
        )
        problem: list[Failure] = []

        def told(reply: SyncReply) -> None:
            self._grants[shown.provision_id][cluster_id] = grant_line(reply)
            self._show_grants(shown)

        reply = await (
            Operation(
                lambda client, key: client.credentials_sync(body, idempotency_key=key),
                title=f"Grant at {cluster_id}",
                changes=("grants", "nodes"),
                asks=True,
            )
            .success(told)
            .failure(problem.append)
            .run(self.session, self)
        )
        if reply is None:
            sentence = problem[0].sentence if problem else "not known"
            self._grants[shown.provision_id][cluster_id] = GrantLine(State.BAD, sentence)
            self._show_grants(shown)
            return
        # Doors that are offline get it when they are back: asked again while somebody may look at it.
        for _ in range(30):
            if all(reader.state in ("applied", "unsupported") for reader in reply.readers):
                return
            await asyncio.sleep(2.0)
            if not self.session.is_connected:
                return
            reply = await self.session.client.credentials_get_sync(reply.sync_id)
            told(reply)

    def _show_grants(self, shown: Provision) -> None:
        if self._shown is not None and self._shown.provision_id == shown.provision_id:
            self.view.outcome.show_grants(self._grants.get(shown.provision_id, {}))

    def _present(self) -> None:
        if self._shown is not None:
            self.session.navigate("readers", node_id=self._shown.node_id)

    def _burn(self) -> None:
        if self._shown is not None:
            self.session.navigate("burn", node_id=self._shown.node_id)

    # --- the training drawer -----------------------------------------------------------------------------------------

    def _insert(self) -> None:
        card = self._card()
        if card is not None:
            name = self.view.drawer.currentData()
            self._move(TrainingCardBody(reader=card.reader, action="insert", card=name), "Insert a training card")

    def _pull(self) -> None:
        card = self._card()
        if card is not None:
            self._move(TrainingCardBody(reader=card.reader, action="remove"), "Pull the training card out")

    def _move(self, body: TrainingCardBody, title: str) -> None:
        self._moving = True

        def moved(reply: TrainingCardReply) -> None:
            self._moving = False
            self.view.offer_drawer(reply.drawer)
            self.spawn(self._read_cards(), name="cards")

        def stayed(failure: Failure) -> None:
            self._moving = False
            self.show_failure(failure)

        Operation(
            lambda client, key: client.drawer_move_card(body, idempotency_key=key), title=title, changes=("cards",)
        ).success(moved).failure(stayed).run(self.session, self)

    # --- focus -------------------------------------------------------------------------------------------------------

    def _focus_person(self) -> None:
        self.view.person.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.view.person.selectAll()

    def _focus_reader(self) -> None:
        self.view.seats.setFocus(Qt.FocusReason.ShortcutFocusReason)


def choice_of(node: Node) -> Choice:
    """A person as the type-ahead shows them."""
    return Choice(node.node_id, node.display_name, f"{node.node_id}  {sentence_case(node.standing)}")


async def put_badge(client: Client, written: Provision, clusters: Sequence[str]) -> CredentialProfile:
    """The profile of the card: its GUID at these clusters, beside those that it already opens.

    A person's first card is ``badge-<node>``; another card of theirs has its own profile, so that no credential of the
    first is taken away unasked.
    """
    from app.client import ApiError

    name = f"badge-{written.node_id}"[:55]
    kept: Sequence[str] = ()
    before: CredentialProfile | None = None
    for candidate in (name, f"{name}-{(written.card_guid or '')[:8]}"):
        name = candidate
        try:
            before = await client.registry_get_credential_profile(candidate)
        except ApiError as error:
            if error.code != "not_found":
                raise
            before = None
            break
        mine = [part.card_guid for part in before.credentials] == [written.card_guid]
        if mine and before.node_id == written.node_id:
            kept = before.clusters
            break
    body = CredentialProfileBody(
        node_id=written.node_id,
        credentials=[CredentialBody(format="piv-guid", card_guid=written.card_guid)],
        clusters=[*kept, *(cluster_id for cluster_id in clusters if cluster_id not in kept)],
        schedule=before.schedule if before is not None and kept else None,
        tags=before.tags if before is not None and kept else [],
    )
    return await client.registry_put_credential_profile(name, body)


def make(session: Session) -> WriteCardPresenter:
    """The page."""
    pages = frozenset(row.id for row in PAGES)
    view = WriteCardView(
        session.actions,
        training=session.training,
        can_present=session.training and "readers" in pages,
        can_burn="burn" in pages,
    )
    return WriteCardPresenter(session, view, pages)
