"""The order: who shall hold the card, and the write itself, which the same call begins, joins, resumes or repeats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from app.api.wire import ListQuery
from app.capabilities.provisioning.messages import Card, Provision, ProvisionBody
from app.console.actions import Action, Effect
from app.console.cards.jobs import OPEN, CardJob, JobPhase, names_of
from app.console.code_words import code_word
from app.console.devices.sounds import Tone
from app.console.failures import Failure
from app.console.language import tr
from app.console.operations import Operation, OperationProgress
from app.console.operations import OperationPhase as AskPhase
from app.console.pages.write_card.access import CardAccess
from app.console.pages.write_card.results import Results
from app.console.pages.write_card.state import WriteCardState
from app.console.pages.write_card.view import PROOF
from app.console.widgets.choice import Choice
from app.registry.messages.nodes import Node

if TYPE_CHECKING:
    from app.client import Client

MOST_PEOPLE = 20


class PersonOrder:
    """The person of the type-ahead, and what Write does with them."""

    def __init__(self, state: WriteCardState, results: Results, access: CardAccess, initiator: object) -> None:
        self._state = state
        self._access = access
        self._results = results
        self._initiator = initiator
        view, spawn = state.view, state.spawn
        view.searched.connect(lambda text: spawn(self._search(text), name="persons"))
        view.person_chosen.connect(self._person_chosen)
        view.person_cleared.connect(self._person_cleared)
        view.demanded.connect(self._clear_errors)

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table."""
        page = "write_card"
        return [
            Action(
                "write_card.write", tr("Write card"), self._write, "id-card", ("Ctrl+Return", "Ctrl+Enter"), page,
                when=lambda: self._state.next_step is not None and self._state.next_step.can_write,
                effect=Effect.CHANGE,
                hint=tr("Makes the keys on the card, certifies them and proves the card in a fresh session."),
                calls=("provisioning_provision",),
            ),
            Action(
                "write_card.aside", tr("Set the torn card aside"), self._set_aside, "x", page=page,
                when=self.can_set_aside,
                hint=tr("This reader takes other cards again; the torn one can be finished later."),
            ),
            Action("write_card.person", tr("Choose the person"), self._focus_person, "user", ("Ctrl+P",), page),
        ]  # fmt: skip

    # --- the person --------------------------------------------------------------------------------------------------

    async def _search(self, text: str) -> None:
        page = await self._state.session.client.registry_list_nodes(query=ListQuery(q=text or None, limit=MOST_PEOPLE))
        self._state.view.person.offer([choice_of(node) for node in page.items])

    async def fill_person(self, node_id: str) -> None:
        """Choose a person, as if they had been typed."""
        node = await self._state.session.client.registry_get_node(node_id)
        self._state.view.person.choose(choice_of(node))

    async def load_person(self, node_id: str) -> None:
        """Read the chosen person (again)."""
        self._state.node = await self._state.session.client.registry_get_node(node_id)
        self._clear_errors()
        self._state.view.hero.show_person(self._state.node)
        self._state.dirty = True
        self._state.show()

    def _person_chosen(self, choice: Choice) -> None:
        self._leave_ticks(choice.id)
        self._state.spawn(self.load_person(choice.id), name="person")

    def _leave_ticks(self, node_id: str) -> None:
        """What was opened was for another card; so was what is ticked, unless that is being written."""
        job, node = self._state.job, self._state.node
        if node is None or node.node_id != node_id:
            self._state.opened = False
            if job is None or job.phase not in OPEN:
                self._state.view.then.tick(())

    def _person_cleared(self) -> None:
        self._state.node = None
        self._clear_errors()
        self._state.view.hero.show_person(None)
        self._state.show()

    def _clear_errors(self) -> None:
        self._state.view.show_errors("", "")

    def _focus_person(self) -> None:
        self._state.view.person.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._state.view.person.selectAll()

    # --- write -------------------------------------------------------------------------------------------------------

    def _write(self) -> None:
        """Begin a write, or go on with the torn one."""
        card, node = self._state.card, self._state.node
        job = self._state.job
        if card is None or not card.hardware_uid:
            return
        if job is None or job.phase in (JobPhase.COMPLETE, JobPhase.REFUSED):
            if node is None:
                return
            job = self._state.jobs[card.reader] = CardJob(
                card.reader,
                node.node_id,
                self._state.view.demand.currentText().strip(),
                card.hardware_uid,
                names_of(card),
                person=node.display_name,
            )
            self._state.opened = False
            self._access.choose_for(job)
        elif job.phase in OPEN:
            return
        self.give(job, card)

    def give(self, job: CardJob, card: Card) -> None:
        """The call that writes: the same one begins, joins, resumes, or gives the stored reply."""
        job.begin_again()
        job.ours = True
        demand = job.demand or self._state.view.demand.currentText().strip()
        job.demand = demand
        body = ProvisionBody(node_id=job.node_id, hardware_uid=card.hardware_uid or job.uid, fips_standard=demand)

        async def request(client: Client, _key: str) -> Provision:
            # No idempotency key: the call is idempotent by node and card, and a key would repeat the stored 202.
            while True:
                reply = await client.provisioning_provision(body)
                if reply.state != "RUNNING":
                    return reply
                self._take_running(job, reply)

        self._clear_errors()
        self._state.view.banner.clear()
        Operation(
            request,
            title=tr("Write card for {person}", person=job.person or job.node_id),
            changes=("cards", "nodes"),
            asks=True,
        ).progress(lambda progress: self._take_progress(job, progress)).success(
            lambda reply: self._take_reply(job, reply)
        ).failure(lambda failure: self._take_failure(job, failure)).run(self._state.session, self._initiator)
        self._state.show()

    def _take_running(self, job: CardJob, reply: Provision) -> None:
        job.take_reply(reply)
        self._state.dirty = True

    def _take_progress(self, job: CardJob, progress: OperationProgress) -> None:
        job.phase = JobPhase.ASKING if progress.phase is AskPhase.ASKING else JobPhase.RUNNING
        self._state.dirty = True

    def _take_reply(self, job: CardJob, reply: Provision) -> None:
        job.take_reply(reply)
        self._state.tell(Tone.DONE if reply.state == "COMPLETE" else Tone.NEEDS_YOU)
        here = job.reader == self._state.view.readers.reader
        if here:
            self._results.show(reply)
        if not self._access.grant_chosen(job, reply) and here and reply.state == "COMPLETE":
            self._state.view.then.focus_clusters()
        self._results.forget_list()
        self._state.show()

    def _take_failure(self, job: CardJob, failure: Failure) -> None:
        """Show where the order is wrong, or how the write ended."""
        view = self._state.view
        provision_id = failure.extra.get("provision_id")
        fields = dict(failure.fields)
        if not isinstance(provision_id, str):
            # Nothing was begun: the order is wrong, and says where.
            self._state.jobs.pop(job.reader, None)
            person, demand = fields.get("/node_id", ""), fields.get("/fips_standard", "")
            if failure.code == "fips_not_met":
                demand = failure.sentence
            view.show_errors(person, demand)
            if demand:
                self._results.tab(PROOF)
                view.demand.setFocus(Qt.FocusReason.OtherFocusReason)
            elif person:
                view.person.setFocus(Qt.FocusReason.OtherFocusReason)
            else:
                self._state.show_failure(failure)
            self._state.show()
            return
        job.provision_id = provision_id
        job.failure = failure
        torn = failure.code in ("state_conflict", "dependency_unavailable", "internal_error")
        job.phase = JobPhase.TORN if torn else JobPhase.REFUSED
        self._state.tell(Tone.NEEDS_YOU if torn else Tone.FAILED)
        card = next((card for card in self._state.items if card.reader == job.reader), None)
        job.pulled = card is not None and not card.present
        self._state.show()
        self._state.spawn(self._after_failure(job), name="provisioning")

    async def _after_failure(self, job: CardJob) -> None:
        """The service's own word on whether it is torn or refused, with the stages so far."""
        reply = await self._state.session.client.provisioning_get_provision(job.provision_id)
        if job.phase not in OPEN:
            job.take_reply(reply)
            if job.reader == self._state.view.readers.reader:
                self._results.show(reply)
            self._results.forget_list()
            self._state.show()

    def can_set_aside(self) -> bool:
        """Whether the chosen reader waits for a card that may be set aside."""
        job = self._state.job
        return job is not None and job.phase in (JobPhase.TORN, JobPhase.REFUSED)

    def _set_aside(self) -> None:
        self._state.jobs.pop(self._state.view.readers.reader, None)
        self._state.show()


def choice_of(node: Node) -> Choice:
    """A person as the type-ahead shows them."""
    return Choice(node.node_id, node.display_name, f"{node.node_id}  {code_word(node.standing)}")
