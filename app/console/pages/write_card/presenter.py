"""Puts the parts of the page together, and paints what they know."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.capabilities.provisioning.messages import Card, CardList
from app.console.actions import Action
from app.console.cards.jobs import OPEN, STAGES, JobPhase, group_under_way, milliseconds, spent_ms
from app.console.cards.words import SILENT_S, card_words, holder_name, holder_words, service_words
from app.console.devices.sounds import Speaker
from app.console.language import tr
from app.console.operations import Change
from app.console.pages.write_card.access import CardAccess
from app.console.pages.write_card.doctor import examine
from app.console.pages.write_card.drawer import DrawerMoves
from app.console.pages.write_card.four_eyes import FourEyes
from app.console.pages.write_card.known import hero_facts
from app.console.pages.write_card.live_cards import LiveCards
from app.console.pages.write_card.mailer import Mailer
from app.console.pages.write_card.next_step import NextStep
from app.console.pages.write_card.order import PersonOrder
from app.console.pages.write_card.paper import Papers
from app.console.pages.write_card.reader_list import CardReaderRow
from app.console.pages.write_card.recorder import Recorder
from app.console.pages.write_card.results import Results
from app.console.pages.write_card.state import WriteCardState
from app.console.pages.write_card.view import WriteCardView
from app.console.part import PartsPresenter
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning


class WriteCardPresenter(PartsPresenter):
    """The parts know each other only through ``state`` and what they are given here; every change is an
    ``Operation``."""

    view: WriteCardView

    def __init__(self, session: WindowSession, view: WriteCardView, pages: frozenset[str], speaker: Speaker) -> None:
        super().__init__(session, view)
        self._pages = pages
        host = self.host()
        self.state = WriteCardState(host, view, show=self._show, tell=speaker.tell)
        self.access = CardAccess(self.state, self)
        self.mailer = Mailer(self.state, self, self._reread)
        self.recorder = Recorder(self.state)
        self.papers = Papers(self.state)
        self.results = Results(self.state, self.mailer, self.access, self.recorder, self.papers)
        self.order = PersonOrder(self.state, self.results, self.access, self)
        self.live_cards = LiveCards(host, self.state, self.results, self.order.give)
        self.drawer = DrawerMoves(self.state, self, self.live_cards.read_now)
        self.four_eyes = FourEyes(
            host, self.state, self, reread=self._reread, open_card=view.provision_opened.emit, tab=self.results.tab
        )
        self.parts = (self.live_cards, self.four_eyes)
        self._then_told: tuple[str | None, bool, str | None] | None = None
        view.reader_chosen.connect(self._choose_reader)

    def actions(self) -> Sequence[Action]:
        page = "write_card"
        made = [
            *self.order.actions(),
            *self.mailer.actions(),
            *self.access.actions(),
            Action("write_card.reader", tr("Choose the reader"), self._focus_reader, "nfc", ("Ctrl+R",), page),
            *self.results.actions(),
            *self.live_cards.actions(),
            *self.four_eyes.actions(),
            *self.recorder.actions(),
            *self.papers.actions(),
        ]
        if self.session.training:
            made += self.drawer.actions()
            if "readers" in self._pages:
                made.append(
                    Action(
                        "write_card.present", tr("Present at a door"), self._present, "door-closed", ("Ctrl+D",), page,
                        when=self._is_finished,
                        hint=tr("Opens Readers with this person's badge in hand."),
                    )
                )  # fmt: skip
        if "burn" in self._pages:
            made.append(
                Action(
                    "write_card.burn", tr("Burn this person"), self._burn, "flame", ("Ctrl+B",), page,
                    when=self._can_burn,
                    hint=tr("Opens Burn filled in; nothing happens before it is held there."),
                )
            )  # fmt: skip
        return made

    def filter_field(self) -> QWidget:
        return self.view.person

    def first_control(self) -> QWidget:
        return self.view.person

    # --- life --------------------------------------------------------------------------------------------------------

    async def run(self, arguments: Mapping[str, str]) -> None:
        state = self.state
        if node_id := arguments.get("node_id"):
            self.spawn(self.order.fill_person(node_id), name="person")
        elif (choice := state.view.person.choice) is not None:
            # What the field names rules: leaving the page may have cut the reading of that person short.
            self.spawn(self.order.load_person(choice.id), name="person")
        self.spawn(self.access.load_clusters(), name="clusters")
        self.results.read_list()
        if provision_id := arguments.get("provision_id"):
            self.spawn(self.results.open(provision_id), name="provisioning")
        elif state.shown is not None:
            self.spawn(self.results.refresh(state.shown.provision_id), name="provisioning")
        await super().run(arguments)

    def take_change(self, change: Change) -> None:
        state = self.state
        if change.kinds & {"nodes", "burns"} and state.node is not None:
            self.spawn(self.order.load_person(state.node.node_id), name="person")
        if change.kinds & {"nodes", "burns", "grants", "profiles"}:
            self.live_cards.read_now()
            if state.shown is not None:
                self.spawn(self.results.refresh(state.shown.provision_id), name="provisioning")
        if "clusters" in change.kinds:
            self.spawn(self.access.load_clusters(), name="clusters")

    async def _reread(self, provision_id: str) -> None:
        await self.results.refresh(provision_id)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def repaint(self) -> None:
        stale = self.live_cards.fresh.words() if self.state.cards is not None else ""
        job = self.state.job
        if self.state.dirty or stale or (job is not None and job.phase in OPEN):
            self.state.dirty = False
            self._show(stale)
        super().repaint()

    def _show(self, stale: str = "") -> None:
        """Paint the whole page; ``stale`` says since when nothing is known of the readers."""
        view, page = self.view, self.state
        cards = page.cards
        if cards is None:
            view.hero.show_step(Meaning.WORK, tr("Looking for readers"), "", "")
            return
        self._show_service(cards, stale)
        view.readers.show_readers([self._row(card) for card in cards.items])
        card = page.card
        silent = stale if self.live_cards.fresh.stale else ""
        holder = ""
        if card is not None and card.node_id is not None:
            name = holder_name(card.node_id, page.holders)
            holder = name if name == card.node_id else f"{name}, {card.node_id}"
        view.outcome.show_card(card, card_words(card, page.holders) if card is not None else None, holder)
        self._show_hero(page.judge(silent))
        view.show_stages(page.job)
        self._show_then()
        view.doctor.show_findings(
            examine(cards, page.torn, page.holders, training=self.session.training, silent=silent)
        )
        view.hero.aside.setVisible(self.order.can_set_aside())
        self.session.actions.refresh()

    def _show_hero(self, next_step: NextStep) -> None:
        """The person's state in one line, the stage under way, and what is known of the card."""
        page, hero = self.state, self.view.hero
        job, step, sentence = page.job, "", next_step.sentence
        if job is not None and job.phase is JobPhase.RUNNING and next_step.state is Meaning.WORK:
            at = group_under_way(job)
            step = STAGES[at][0]
            told = {"at": at + 1, "count": len(STAGES), "span": milliseconds(spent_ms(job, time.monotonic()))}
            usual = page.usual[at] if page.usual else None
            sentence = (
                tr("step {at} of {count}, {span} so far", **told)
                if usual is None
                else tr("step {at} of {count}, {span} so far, usual {usual}", usual=milliseconds(usual), **told)
            )
        hero.show_step(next_step.state, next_step.headline, step, sentence)
        hero.show_facts(hero_facts(page.card, page.node, page.shown, page.holders))

    def _show_then(self) -> None:
        """The steps after the write, when they are for another card than before, or for none."""
        subject, job = self.state.subject, self.state.job
        waits = job is not None and job.phase in OPEN
        standing = None if self.state.node is None else self.state.node.standing
        told = (None if subject is None else subject.provision_id, waits, standing)
        if told != self._then_told:
            self._then_told = told
            self.access.show()
            self.mailer.show()

    def _show_service(self, cards: CardList, stale: str) -> None:
        """The service of the readers, at the head of their list."""
        view = self.view
        state, word, remedy = service_words(cards, training=self.session.training)
        if stale:
            # The head of the list is narrow: since when is in the tooltip.
            state, word = Meaning.IDLE, stale.partition(",")[0]
        elif not cards.items and cards.service == "up":
            remedy = tr("No reader is plugged in. Plug one in: it appears here by itself.")
        view.service.set(state, word)
        view.service.setToolTip(stale)
        # Simulated readers need no reader service: its remedy would only be noise beside them.
        view.remedy.setText(remedy)
        view.remedy.setVisible(bool(remedy) and (cards.service != "off" or not cards.items))

    def _row(self, card: Card) -> CardReaderRow:
        """The row of a reader, as the card or the job in it has it."""
        holders = self.state.holders
        words = card_words(card, holders)
        job = self.state.jobs.get(card.reader)
        state, word, line = words.state, words.word, words.remedy
        silent = card.silent_s >= SILENT_S
        if job is not None and job.phase in OPEN and not silent:
            state, word, line = (
                Meaning.WORK,
                tr("Writing"),
                tr("for {person}", person=job.person or job.node_id),
            )
        elif job is not None and job.phase is JobPhase.TORN and not card.present:
            return CardReaderRow(
                card.reader, True, Meaning.BAD, tr("Pulled out"), job.uid, tr("Put the SAME card back.")
            )
        elif words.writable and card.state == "blank" and not words.remedy:
            line = tr("{uid}, may be written", uid=card.hardware_uid or "–")
        elif card.state == "provisioned" and not silent:
            line = holder_words(card, holders)
        elif not card.present and not silent:
            line = tr("Put in a blank card")
        return CardReaderRow(card.reader, card.present, state, word, card.hardware_uid or "–", line)

    def _choose_reader(self, reader: str) -> None:
        job, node = self.state.jobs.get(reader), self.state.node
        # Whom Write goes on for. Anybody else's write, or one that is over, must not take the place of the person who
        # was chosen for the next card.
        goes_on = job is not None and job.ours and job.phase is not JobPhase.COMPLETE
        if job is not None and goes_on and (node is None or node.node_id != job.node_id):
            self.spawn(self.order.fill_person(job.node_id), name="person")
        self.view.then.tick(job.doors if job is not None and job.phase in OPEN else ())
        if job is not None and job.provision is not None and job.provision.state != "RUNNING":
            self.results.show(job.provision)
        self._show()

    # --- other pages, focus ------------------------------------------------------------------------------------------

    def _present(self) -> None:
        if (subject := self.state.subject) is not None:
            self.session.navigate("readers", node_id=subject.node_id)

    def _is_finished(self) -> bool:
        """Whether there is a card to try at a door: a torn one opens none."""
        return self.state.subject is not None and self.state.subject.state == "COMPLETE"

    def _can_burn(self) -> bool:
        subject = self.state.subject
        return subject is not None and self._is_finished() and subject.standing != "REVOKED"

    def _burn(self) -> None:
        if (subject := self.state.subject) is not None:
            self.session.navigate("burn", node_id=subject.node_id)

    def _focus_reader(self) -> None:
        self.view.readers.setFocus(Qt.FocusReason.ShortcutFocusReason)
