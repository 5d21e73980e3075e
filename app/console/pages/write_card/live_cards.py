"""Follows the readers and the writes in them: by events at once, by reading again where events may have been lost."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence

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
from app.console.cards.words import card_words
from app.console.failures import failure_of
from app.console.live import LiveEvent
from app.console.pages.write_card.results import Results
from app.console.pages.write_card.state import Desk
from app.console.sounds import Tone
from app.console.tasks import woken

POLL_S = 0.5


class Following:
    """Keeps the desk's cards and jobs true. ``resume`` makes the same call again for a torn card that came back."""

    def __init__(self, desk: Desk, results: Results, resume: Callable[[CardJob, Card], None]) -> None:
        self._desk = desk
        self._results = results
        self._resume = resume
        self._wake: asyncio.Event | None = None

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table."""
        return [
            Action(
                "write_card.try_again", "Try again", self._try_again, "refresh-cw", ("Alt+T",), "write_card",
                hint="Cards that could not be used are looked at once more; no PIN try is spent.",
            ),
        ]  # fmt: skip

    def _try_again(self) -> None:
        self._desk.spawn(self.read(again=True), name="cards")

    async def run(self) -> None:
        """Read the readers for as long as the page is shown."""
        live = self._desk.session.live
        self._wake = asyncio.Event()
        if not live.stale:
            self._desk.fresh.resume()
        ends = (
            live.subscribe("card", self._card_events),
            live.subscribe("burn", self._burn_events),
            live.subscribe("gap", lambda _events: self.read_now()),
        )
        live.state_changed.connect(self._stream_changed)
        for job in self._desk.jobs.values():
            # What was asked of it ended with the page that was left; its events went to nobody meanwhile.
            if job.provision_id and (job.phase in OPEN or job.provision is None):
                self._desk.spawn(self._follow_job(job), name="provisioning")
        try:
            while True:
                await self.read()
                await woken(self._wake, CARDS_EVERY_S)
        finally:
            live.state_changed.disconnect(self._stream_changed)
            for unsubscribe in ends:
                unsubscribe()

    def read_now(self) -> None:
        """Do not wait for the next reading."""
        if self._wake is not None:
            self._wake.set()

    def _stream_changed(self, state: str) -> None:
        # What happened while nobody listened was told to nobody.
        if state == "live":
            self.read_now()

    # --- readers -----------------------------------------------------------------------------------------------------

    async def read(self, *, again: bool = False) -> None:
        """Read all readers once; ``again``: the service looks once more at cards that could not be used."""
        desk = self._desk
        try:
            cards = await desk.session.client.provisioning_list_cards(query=CardListQuery(again=again))
            if any(card.state == "torn" for card in cards.items):
                query = ProvisionListQuery(state="TORN", limit=200)
                desk.torn = (await desk.session.client.provisioning_list_provisions(query=query)).items
            await self._read_standings(cards)
        except Exception as error:  # told once; the rows turn stale by themselves
            failure = failure_of(error)
            if failure.code != "connection_lost":
                desk.show_failure(failure)
            return
        first = desk.cards is None
        desk.cards = cards
        desk.fresh.touch()
        desk.dirty = True
        desk.show()
        if first or not desk.view.seats.reader:
            self._choose_by_itself()
        for card in cards.items:
            self._follow_card(card)

    async def _read_standings(self, cards: CardList) -> None:
        """How the holders of all that is shown stand now: a written card is worth no more than its holder."""
        from app.client import ApiError

        desk = self._desk

        async def read(node_id: str) -> None:
            try:
                node = await desk.session.client.registry_get_node(node_id)
            except ApiError as error:
                if error.code != "not_found":
                    raise
                desk.standings.pop(node_id, None)
                return
            desk.standings[node_id] = node.standing

        wanted = {card.node_id for card in cards.items if card.state == "provisioned" and card.node_id}
        wanted |= {job.node_id for job in desk.jobs.values()}
        if desk.shown is not None:
            wanted.add(desk.shown.node_id)
        await asyncio.gather(*(read(node_id) for node_id in sorted(wanted)))
        for job in desk.jobs.values():
            if job.provision is not None and (standing := desk.standings.get(job.node_id)) is not None:
                job.provision = msgspec.structs.replace(job.provision, standing=standing)
        shown = desk.shown
        if shown is not None and desk.standings.get(shown.node_id, shown.standing) != shown.standing:
            await self._results.refresh(shown.provision_id)

    def _choose_by_itself(self) -> None:
        """The reader with a writable card; else one with a card; else the first."""
        ranked = sorted(self._desk.items, key=lambda card: (not card_words(card).writable, not card.present))
        if ranked:
            self._desk.view.seats.choose(ranked[0].reader)

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
                # Batches tell of their lines by the same kind of event; what they are not is a stage.
                with contextlib.suppress(msgspec.ValidationError):
                    self._take_stage(event.read(ProvisionEvent))
        self._desk.dirty = True

    def _take_card(self, card: Card) -> None:
        desk = self._desk
        if desk.cards is None:
            return
        before = next((known for known in desk.cards.items if known.reader == card.reader), None)
        items = [card if known.reader == card.reader else known for known in desk.cards.items]
        if before is None:
            items.append(card)
        desk.cards = msgspec.structs.replace(desk.cards, items=items)
        desk.show()
        chosen, here = desk.job, desk.card
        idle = chosen is None or chosen.phase not in {*OPEN, JobPhase.TORN}
        done = chosen is not None and chosen.phase is JobPhase.COMPLETE
        appeared = card_words(card).writable and (before is None or not card_words(before).writable)
        # A card that was just put in is what the person at the desk looks at; but a write under way keeps the eye, and
        # so does a writable card that waits for its person.
        waits = here is not None and card_words(here).writable and not done
        if appeared and idle and not waits and card.reader not in desk.jobs:
            desk.view.seats.choose(card.reader)
        self._follow_card(card)

    def _follow_card(self, card: Card) -> None:
        """What a card's coming or going means for the job of its reader."""
        job = self._desk.jobs.get(card.reader)
        if job is None or job.phase in OPEN:
            return
        if job.phase is JobPhase.TORN:
            if not card.present:
                if not job.pulled:
                    self._desk.tell(Tone.NEEDS_YOU)
                job.pulled = True
            elif job.pulled and job.ours and card.state == "torn" and job.same_card(card):
                # The person ordered this write and has put the card back: the same call goes on.
                self._resume(job, card)
        elif not card.present:
            job.pulled = True
        elif card.state is not None and job.same_card(card) is False:
            del self._desk.jobs[card.reader]
        self._desk.dirty = True

    # --- jobs --------------------------------------------------------------------------------------------------------

    def _take_stage(self, event: ProvisionEvent) -> None:
        desk = self._desk
        job = desk.jobs.get(event.reader)
        if job is None or (job.provision_id not in ("", event.provision_id)):
            if event.stage is None:
                return
            card = next((card for card in desk.items if card.reader == event.reader), None)
            # A stage may be told later than the next card was seen in this reader; with that one's names it would be
            # the card of this write for good. The card that is being written is told before the first stage.
            held = card is not None and card.state == "busy"
            names = names_of(card) if card is not None and held else frozenset()
            uid = (card.hardware_uid if card is not None and held else None) or f"reader:{event.reader}"
            job = desk.jobs[event.reader] = CardJob(
                event.reader, event.node_id, "", uid, names, ours=False, pulled=not held
            )
        known = job.provision_id
        job.take_event(event)
        if not known:
            desk.spawn(self._follow_job(job), name="provisioning")
        elif event.stage is None and not job.ours:
            desk.spawn(self._refresh_job(job), name="provisioning")

    async def _follow_job(self, job: CardJob) -> None:
        """While the stream is silent, ask for the job's stages; it ends with the write."""
        while job.phase in OPEN:
            if job.provision is None or self._desk.session.live.stale:
                await self._refresh_job(job)
            await asyncio.sleep(POLL_S)
        if not job.ours:
            await self._refresh_job(job)
            self.read_now()

    async def _refresh_job(self, job: CardJob) -> None:
        desk = self._desk
        reply = await desk.session.client.provisioning_get_provision(job.provision_id)
        live = job.stages
        job.take_reply(reply)
        if reply.state == "RUNNING" and len(live) > len(job.stages):
            job.stages = live
        # A write that another console ordered shows its result here only while its card lies here, and never in place
        # of what was opened: the next key (grant access, give out the PIN) would go to another person's card.
        here = job.reader == desk.view.seats.reader and desk.jobs.get(job.reader) is job
        if reply.state != "RUNNING" and here and not desk.opened:
            self._results.show(reply)
        desk.dirty = True
