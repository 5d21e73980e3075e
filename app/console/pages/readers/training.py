"""Training sites: holds a person's badge to the chosen door, and unplugs the door's line."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from PySide6.QtCore import Qt

from app.api.wire import ListQuery
from app.capabilities.credentials.messages import PresentBody, PresentReply, ReaderPlugBody
from app.console.actions import Action, Effect
from app.console.code_words import decision_word
from app.console.failures import Failure
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.readers.doors import DoorsPart
from app.console.pages.readers.training_view import TrainingPanel
from app.console.pages.readers.words import decision_state, reason_words
from app.console.part import Host
from app.console.standing import standing_word
from app.console.verdicts import VerdictWatch
from app.console.widgets.choice import Choice
from app.registry.messages.nodes import Node

LINE_EVERY_S, LINE_LOOKS = 0.3, 20
"""How often, and how many times, a door is looked at after its line was moved."""
MOST_PEOPLE = 20


class DoorTraining:
    """Acts at the door that is chosen among ``doors``, by ``Operation`` alone."""

    def __init__(self, host: Host, panel: TrainingPanel, doors: DoorsPart) -> None:
        self._host = host
        self._session = host.session
        self._panel = panel
        self._watch = VerdictWatch(host.session, panel.decision)
        self._doors = doors
        self._node: Node | None = None
        """The person whose badge is in hand."""
        self._presenting = False
        self._plugging = False
        panel.searched.connect(lambda text: host.spawn(self._search(text), name="persons"))
        panel.person_chosen.connect(lambda choice: host.spawn(self._load_person(choice.id), name="person"))
        panel.person_cleared.connect(self._clear_person)

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table."""
        here = "readers"
        return [
            Action("readers.person", tr("Choose whose badge"), self._focus_person, "user", ("Ctrl+P",), here),
            Action(
                "readers.present", tr("Present the badge"), self._present, "id-card", ("Ctrl+Return", "Ctrl+Enter"),
                here, when=self._can_present, effect=Effect.CHANGE,
                hint=tr("Holds the person's badge to the chosen door; the door decides."),
                calls=("credentials_present",),
            ),
            Action(
                "readers.unplug", tr("Unplug the door"), lambda: self._plug("unplug"), "unplug", ("Ctrl+U",), here,
                when=lambda: self._can_plug(online=True), effect=Effect.CHANGE,
                calls=("credentials_plug_reader",),
            ),
            Action(
                "readers.plug", tr("Plug the door in"), lambda: self._plug("plug"), "plug", ("Ctrl+Shift+U",), here,
                when=lambda: self._can_plug(online=False), effect=Effect.CHANGE,
                calls=("credentials_plug_reader",),
            ),
        ]  # fmt: skip

    # --- whose badge -------------------------------------------------------------------------------------------------

    async def _search(self, text: str) -> None:
        page = await self._session.client.registry_list_nodes(query=ListQuery(q=text or None, limit=MOST_PEOPLE))
        self._panel.person.offer([_choice(node) for node in page.items])

    async def _load_person(self, node_id: str) -> None:
        self._node = await self._session.client.registry_get_node(node_id)
        self._session.actions.refresh()

    async def take_badge(self, node_id: str, *, at_cluster: bool) -> None:
        """Take a person's badge in hand; ``at_cluster``: at the first cluster that opens to it."""
        node = await self._session.client.registry_get_node(node_id)
        self._panel.person.choose(_choice(node))
        self._node = node
        if at_cluster:
            for credential in node.credentials:
                if credential.clusters and credential.state in ("granted", "active"):
                    self._doors.view.choose_cluster(credential.clusters[0])
                    break
        self._doors.view.table.setFocus(Qt.FocusReason.OtherFocusReason)
        self._session.actions.refresh()

    def _clear_person(self) -> None:
        self._node = None
        self._session.actions.refresh()

    def _focus_person(self) -> None:
        self._host.show()
        self._panel.person.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._panel.person.selectAll()

    # --- at the door -------------------------------------------------------------------------------------------------

    def _can_present(self) -> bool:
        return self._node is not None and bool(self._doors.view.reader_id) and not self._presenting

    def _present(self) -> None:
        """Hold the badge to the chosen door, and show what the door decides."""
        node, reader_id = self._node, self._doors.view.reader_id
        if node is None or not reader_id:
            return
        self._presenting = True
        self._panel.show_words("…", tr("{person} at {door}", person=node.display_name, door=reader_id))
        body = PresentBody(reader_id=reader_id, node_id=node.node_id)

        def show(reply: PresentReply) -> None:
            self._presenting = False
            why = reason_words(reply.reason)
            self._watch.decide(
                decision_state(reply.decision, reply.reason),
                decision_word(reply.decision),
                self._session.live.now(),
                node_id=reply.node_id,
                reader_id=reply.reader_id,
            )
            self._panel.decision_words.setText(
                tr(
                    "{why}, in {latency_ms:.1f} ms.\n{person} at {door}",
                    why=why[:1].upper() + why[1:],
                    latency_ms=reply.latency_ms,
                    person=reply.node_id,
                    door=reply.reader_id,
                )
            )
            self._session.actions.refresh()

        def fail(failure: Failure) -> None:
            self._presenting = False
            self._panel.show_words(tr("No decision"), failure.sentence)
            self._session.actions.refresh()

        Operation(
            lambda client, key: client.credentials_present(body, idempotency_key=key),
            title=tr("Badge of {person} at {door}", person=node.node_id, door=reader_id),
        ).success(show).failure(fail).run(self._session, self._panel)

    # --- the door's line ---------------------------------------------------------------------------------------------

    def _can_plug(self, *, online: bool) -> bool:
        door = self._doors.view.door
        return (
            door is not None
            and not self._plugging
            and door.reader.channel == "simulated:"
            and door.reader.online is online
        )

    def _plug(self, action: str) -> None:
        """Plug the chosen door in, or unplug it."""
        reader_id = self._doors.view.reader_id
        self._plugging = True

        def follow(_reply: object) -> None:
            self._plugging = False
            self._host.spawn(self._follow_line(reader_id, online=action == "plug"), name="the door's line")

        def fail(failure: Failure) -> None:
            self._plugging = False
            self._host.show_failure(failure)

        body = ReaderPlugBody(reader_id=reader_id, action="plug" if action == "plug" else "unplug")
        Operation(
            lambda client, key: client.credentials_plug_reader(body, idempotency_key=key),
            title=tr("Plug {door}", door=reader_id) if action == "plug" else tr("Unplug {door}", door=reader_id),
            changes=("readers",),
        ).success(follow).failure(fail).run(self._session, self._panel)

    async def _follow_line(self, reader_id: str, *, online: bool) -> None:
        """A door comes and goes a moment after its line was moved: look more often until it has."""
        for _ in range(LINE_LOOKS):
            if self._doors.has_channel(reader_id) is online:
                return
            await asyncio.sleep(LINE_EVERY_S)
            self._doors.read_now()


def _choice(node: Node) -> Choice:
    return Choice(node.node_id, node.display_name, f"{node.node_id}  {standing_word(node.standing)}")
