"""Follows the readers and the writes in them: by events at once, by reading again where events may have been lost."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence

import msgspec

from app.capabilities.burn.messages import BurnEvent
from app.capabilities.provisioning.messages import (
    Card,
    CardEvent,
    CardList,
    CardListQuery,
    ProvisionEvent,
    ProvisionListQuery,
)
from app.console.actions import Action
from app.console.cards import CARDS_EVERY_S
from app.console.cards.jobs import OPEN, CardJob, JobPhase, names_of
from app.console.cards.words import CardHolder, card_words
from app.console.devices.sounds import Tone
from app.console.failures import Failure, failure_of
from app.console.language import tr
from app.console.pages.write_card.results import Results
from app.console.pages.write_card.state import WriteCardState
from app.console.part import Host, Part
from app.console.telemetry.live import Listener, LiveEvent

POLL_S = 0.5


class LiveCards(Part):
    """Keeps the cards and jobs of the page true. ``resume`` makes the same call again for a torn card that came
    back."""

    every_s = CARDS_EVERY_S

    def __init__(
        self, host: Host, state: WriteCardState, results: Results, resume: Callable[[CardJob, Card], None]
    ) -> None:
        super().__init__(host)
        self._state = state
        self._results = results
        self._resume = resume
        self._again = False
        self._first = True
        self._told: Failure | None = None
        # By reader: the names of the card that lay in it last. A card that is seen again after the service of the
        # readers was away was not just put in.
        self._lain: dict[str, frozenset[str]] = {}

    def actions(self) -> Sequence[Action]:
        return [
            Action(
                "write_card.try_again", tr("Try again"), self._try_again, "refresh-cw", ("Alt+T",), "write_card",
                hint=tr("Cards that could not be used are looked at once more; no PIN try is spent."),
            ),
        ]  # fmt: skip

    def _try_again(self) -> None:
        """Have the service look once more at cards that could not be used."""
        self._again = True
        self.read_now()

    def take(self, arguments: Mapping[str, str]) -> None:
        del arguments
        for job in self._state.jobs.values():
            # The page that was left has ended what was asked of the job, and nobody heard its events meanwhile.
            if job.provision_id and (job.phase in OPEN or job.provision is None):
                self.host.spawn(self._follow_job(job), name="provisioning")

    def listeners(self) -> Mapping[str, Listener]:
        return {"card": self._card_events, "burn": self._burn_events, "gap": lambda _events: self.read_now()}

    def take_stream(self, state: str) -> None:
        # What happened while the stream was lost was not heard.
        if state == "live":
            self.read_now()

    # --- readers -----------------------------------------------------------------------------------------------------

    async def read(self) -> None:
        """Read all readers, and how the holders of their cards stand."""
        page, client = self._state, self.session.client
        again, self._again = self._again, False
        cards = await client.provisioning_list_cards(query=CardListQuery(again=again))
        if any(card.state == "torn" for card in cards.items):
            query = ProvisionListQuery(state="TORN", limit=200)
            page.torn = (await client.provisioning_list_provisions(query=query)).items
        await self._read_holders(cards)
        self._first = page.cards is None
        page.cards = cards

    def paint_all(self) -> None:
        page = self._state
        page.dirty = True
        page.show()
        if self._first or not page.view.readers.wanted:
            self._choose_by_itself()
        for card in page.items:
            self._remember(card)
        for card in page.items:
            self._follow_card(card)

    def show_error(self, error: Exception) -> None:
        """The rows turn stale by themselves: a lost connection is told by the shell."""
        failure = failure_of(error)
        if failure.code != "connection_lost":
            self._told = failure
            self.host.show_failure(failure)

    def recover(self) -> None:
        """A reading succeeds again: what a reading told is over. What else stands at the head of the page may be of a
        write: it stays."""
        self.host.banner.withdraw(self._told)

    async def _read_holders(self, cards: CardList) -> None:
        """How the holders of all that is shown stand now: a written card is worth no more than its holder."""
        from app.client import ApiError

        state = self._state

        async def read(node_id: str) -> None:
            try:
                node = await state.session.client.registry_get_node(node_id)
            except ApiError as error:
                if error.code != "not_found":
                    raise
                state.holders.pop(node_id, None)
                return
            state.holders[node_id] = CardHolder(node.display_name, node.standing)
            if state.node is not None and state.node.node_id == node_id:
                # Another console may have burned the chosen person.
                state.node = node
                state.view.hero.show_person(node)

        wanted = {card.node_id for card in cards.items if card.node_id}
        wanted |= {job.node_id for job in state.jobs.values()}
        if state.shown is not None:
            wanted.add(state.shown.node_id)
        if state.node is not None:
            wanted.add(state.node.node_id)
        await asyncio.gather(*(read(node_id) for node_id in sorted(wanted)))
        for job in state.jobs.values():
            if job.provision is not None and (holder := state.holders.get(job.node_id)) is not None:
                job.provision = msgspec.structs.replace(job.provision, standing=holder.standing)
        shown = state.shown
        holder = None if shown is None else state.holders.get(shown.node_id)
        if shown is not None and holder is not None and holder.standing != shown.standing:
            await self._results.refresh(shown.provision_id)

    def _choose_by_itself(self) -> None:
        """The reader with a writable card; else one with a card; else the first."""
        ranked = sorted(self._state.items, key=lambda card: (not card_words(card).writable, not card.present))
        if ranked:
            self._state.view.readers.choose(ranked[0].reader)

    # --- events ------------------------------------------------------------------------------------------------------

    def _burn_events(self, events: Sequence[LiveEvent]) -> None:
        # A burn tells of a hundred doors; only its beginning and its end say anything new of cards.
        for event in events:
            with contextlib.suppress(msgspec.DecodeError):
                if event.read(BurnEvent).target is None:
                    self.read_now()
                    return

    def _card_events(self, events: Sequence[LiveEvent]) -> None:
        for event in events:
            try:
                self._take_card(event.read(CardEvent).card)
            except msgspec.ValidationError:
                # Batches tell of their lines by the same kind of event; what is neither a card nor a line is a stage.
                with contextlib.suppress(msgspec.ValidationError):
                    self._take_stage(event.read(ProvisionEvent))
        self._state.dirty = True

    def _take_card(self, card: Card) -> None:
        """A card came, went or changed."""
        state = self._state
        if state.cards is None:
            return
        before = next((known for known in state.cards.items if known.reader == card.reader), None)
        items = [card if known.reader == card.reader else known for known in state.cards.items]
        if before is None:
            items.append(card)
        state.cards = msgspec.structs.replace(state.cards, items=items)
        state.show()
        chosen, here = state.job, state.card
        idle = chosen is None or chosen.phase not in {*OPEN, JobPhase.TORN}
        done = chosen is not None and chosen.phase is JobPhase.COMPLETE
        appeared = card_words(card).writable and (before is None or not card_words(before).writable)
        # A card that was just put in is what the person at the desk looks at; but a write under way keeps the eye, and
        # so does a writable card that waits for its person.
        waits = here is not None and card_words(here).writable and not done
        # The chosen reader that is away comes back: a write must not go to the card of another one meanwhile.
        away = here is None and bool(state.view.readers.wanted)
        again = bool(names_of(card)) and names_of(card) == self._lain.get(card.reader)
        if appeared and idle and not waits and not away and not again and card.reader not in state.jobs:
            state.view.readers.choose(card.reader)
        self._remember(card)
        self._follow_card(card)

    def _remember(self, card: Card) -> None:
        """Keep the names of the card that lies in a reader, also when reader or card are gone."""
        if card.present and names_of(card):
            self._lain[card.reader] = names_of(card)

    def _follow_card(self, card: Card) -> None:
        """What a card's coming or going means for the job of its reader."""
        job = self._state.jobs.get(card.reader)
        if job is None or job.phase in OPEN:
            return
        if job.phase is JobPhase.TORN:
            if not card.present:
                if not job.pulled:
                    self._state.tell(Tone.NEEDS_YOU)
                job.pulled = True
            elif job.pulled and job.ours and card.state == "torn" and job.same_card(card):
                # The person ordered this write and has put the card back: the same call goes on.
                self._resume(job, card)
        elif not card.present:
            job.pulled = True
        elif card.state is not None and job.same_card(card) is False:
            del self._state.jobs[card.reader]
        self._state.dirty = True

    # --- jobs --------------------------------------------------------------------------------------------------------

    def _take_stage(self, event: ProvisionEvent) -> None:
        """A stage of a write, of this console or of another one."""
        state = self._state
        job = state.jobs.get(event.reader)
        if job is None or (job.provision_id not in ("", event.provision_id)):
            if event.stage is None:
                return
            card = next((card for card in state.items if card.reader == event.reader), None)
            # A stage may be told later than the next card was seen in this reader; with that one's names it would be
            # the card of this write for good. The card that is being written is told before the first stage.
            held = card is not None and card.state == "busy"
            names = names_of(card) if card is not None and held else frozenset()
            uid = (card.hardware_uid if card is not None and held else None) or f"reader:{event.reader}"
            job = state.jobs[event.reader] = CardJob(
                event.reader, event.node_id, "", uid, names, ours=False, pulled=not held
            )
        known = job.provision_id
        job.take_event(event)
        if not known:
            state.spawn(self._follow_job(job), name="provisioning")
        elif event.stage is None and not job.ours:
            state.spawn(self._refresh_job(job), name="provisioning")

    async def _follow_job(self, job: CardJob) -> None:
        """While the stream is silent, ask for the job's stages; it ends with the write."""
        while job.phase in OPEN:
            if job.provision is None or self._state.session.live.stale:
                await self._refresh_job(job)
            await asyncio.sleep(POLL_S)
        if not job.ours:
            await self._refresh_job(job)
            self.read_now()

    async def _refresh_job(self, job: CardJob) -> None:
        """Read the provisioning of a job, and show its result where it belongs."""
        state = self._state
        reply = await state.session.client.provisioning_get_provision(job.provision_id)
        live = job.stages
        job.take_reply(reply)
        if reply.state == "RUNNING" and len(live) > len(job.stages):
            job.stages = live
        # A write that another console ordered shows its result here only while its card lies here, and never in place
        # of what was opened: the next key (grant access, give out the PIN) would go to another person's card.
        here = job.reader == state.view.readers.reader and state.jobs.get(job.reader) is job
        if reply.state != "RUNNING":
            self._results.read_list()
            if here and not state.opened:
                self._results.show(reply)
        state.dirty = True
