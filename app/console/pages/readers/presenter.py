"""Brings the readers page to life: reads the doors each two seconds, hears the cards, changes by operations."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.api.wire import ListQuery
from app.capabilities.credentials.messages import PresentBody, PresentReply, ReaderPlugBody, SyncBody, SyncReply
from app.console.actions import Action, Effect
from app.console.clock import Freshness, clock_time, parse_time
from app.console.deleting import Deletion
from app.console.failures import Failure, failure_of
from app.console.growing import read_all
from app.console.live import LiveEvent
from app.console.operations import Change, Operation
from app.console.page import Presenter
from app.console.pages.readers.doors import (
    CardAtDoor,
    decision_state,
    doors_of,
    reason_words,
    rotation_words,
    summary,
    sync_words,
)
from app.console.pages.readers.editor import ClusterEditor
from app.console.pages.readers.view import ReadersView
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning, sentence_case
from app.console.widgets.choice import Choice
from app.console.widgets.confirm import ConfirmDialog
from app.registry.messages import (
    AccessEvent,
    CredentialProfile,
    EnrolBody,
    EnrolReply,
    Node,
    ReaderCluster,
    ReaderClusterBody,
    RotateKeysReply,
)

CLUSTERS_EVERY_S = 2.0
"""Seconds between two readings: readers' states are not on the stream."""
LINE_EVERY_S, LINE_LOOKS = 0.3, 20
KEPT = 500
PAGE = 200
DOORS, GRANTS, UNITS = 0, 1, 2
MOST_PEOPLE = 20
ENROL_S = 60


class ReadersPresenter(Presenter):
    """Reads the doors each two seconds, hears the cards, and changes by ``Operation`` alone."""

    view: ReadersView

    def __init__(self, session: WindowSession, view: ReadersView) -> None:
        super().__init__(session, view)
        self._clusters: list[ReaderCluster] = []
        self._fresh = Freshness(CLUSTERS_EVERY_S)
        self._was_stale = False
        self._accesses: list[CardAtDoor] = []
        self._heard = 0
        self._node: Node | None = None
        self._presenting = False
        self._plugging = False
        self._syncing = False
        self._rotating = False
        self._sync_id = ""
        self._profiles_next: str | None = None
        self._wanted_door = ""
        self._dirty = True
        view.cluster_chosen.connect(lambda _row: self._show_doors())
        view.cluster_opened.connect(lambda _row: view.door_table.setFocus())
        view.door_chosen.connect(lambda _row: self._door_chosen())
        view.filtered.connect(lambda _text: self._show_doors())
        view.searched.connect(lambda text: self.spawn(self._search(text), name="persons"))
        view.person_chosen.connect(lambda choice: self.spawn(self._load_person(choice.id), name="person"))
        view.person_cleared.connect(self._person_cleared)
        view.profile_chosen.connect(lambda _row: self._profile_chosen())
        view.section_shown.connect(lambda _at: self._load_section())
        # For the whole life of the window: a card that was held up while another page was shown is news here too.
        session.live.subscribe("access", self._take_accesses)

    def actions(self) -> Sequence[Action]:
        page, view = "readers", self.view
        made = [
            Action("readers.doors", "Show the doors", lambda: self._tab(DOORS), "door-closed", ("Alt+1",), page),
            Action("readers.grants", "Show the grants", lambda: self._tab(GRANTS), "key-round", ("Alt+2",), page),
            Action("readers.units", "Show the units", lambda: self._tab(UNITS), "cpu", ("Alt+3",), page),
            Action(
                "readers.register", "Register a cluster", lambda: self._edit(None), "plus", ("Ctrl+N",), page,
                effect=Effect.CHANGE, hint="Doors that are granted as one, with their channels and addresses.",
            ),
            Action(
                "readers.edit", "Edit the cluster", lambda: self._edit(self._cluster()), "pencil", ("F2",), page,
                when=lambda: self._cluster() is not None, effect=Effect.CHANGE,
            ),
            Action(
                "readers.delete_cluster", "Delete the cluster", self._delete_cluster, "trash-2", page=page,
                when=lambda: self._cluster() is not None, effect=Effect.IRREVERSIBLE,
            ),
            Action(
                "readers.enrol", "Open the key window", self._enrol, "key-round", page=page,
                when=self._can_enrol, effect=Effect.CHANGE,
                hint=f"For {ENROL_S} s, real readers without a key take their first one over the default key.",
            ),
            Action(
                "readers.rotate_keys", "Replace the keys", self._rotate_keys, "rotate-ccw", ("Ctrl+Shift+K",), page,
                when=lambda: not self._rotating and self._with_keys() > 0, effect=Effect.CHANGE,
                hint="Each door of the cluster takes a new Secure Channel key; one that is away, when it is back.",
            ),
            Action(
                "readers.sync", "Sync the profile", self._sync, "refresh-cw", ("Ctrl+Shift+Return",), page,
                when=lambda: view.profile is not None and not self._syncing, effect=Effect.CHANGE,
                hint="Grants the profile at the cluster until its time, and tells of each door.",
            ),
            Action(
                "readers.more_profiles", "More profiles", self._more_profiles, "chevron-down", page=page,
                when=lambda: self._profiles_next is not None,
            ),
            Action(
                "readers.delete_profile", "Delete the profile", self._delete_profile, "trash-2", page=page,
                when=lambda: view.profile is not None and view.tabs.currentIndex() == GRANTS,
                effect=Effect.IRREVERSIBLE,
            ),
            Action(
                "readers.delete_unit", "Delete the unit", self._delete_unit, "trash-2", page=page,
                when=lambda: view.unit is not None and view.tabs.currentIndex() == UNITS,
                effect=Effect.IRREVERSIBLE,
            ),
        ]  # fmt: skip
        if self.session.training:
            made += [
                Action(
                    "readers.person", "Choose whose badge", self._focus_person, "user", ("Ctrl+P",), page,
                ),
                Action(
                    "readers.present", "Present the badge", self._present, "id-card", ("Ctrl+Return", "Ctrl+Enter"),
                    page, when=lambda: self._node is not None and bool(view.reader_id) and not self._presenting,
                    effect=Effect.CHANGE, hint="Holds the person's badge to the chosen door; the door decides.",
                ),
                Action(
                    "readers.unplug", "Unplug the door", lambda: self._plug("unplug"), "unplug", ("Ctrl+U",), page,
                    when=lambda: self._can_plug(online=True), effect=Effect.CHANGE,
                ),
                Action(
                    "readers.plug", "Plug the door in", lambda: self._plug("plug"), "plug", ("Ctrl+Shift+U",), page,
                    when=lambda: self._can_plug(online=False), effect=Effect.CHANGE,
                ),
            ]  # fmt: skip
        return made

    def filter_field(self) -> QWidget | None:
        return self.view.filter if self.view.tabs.currentIndex() == DOORS else None

    def first_control(self) -> QWidget:
        view = self.view
        return {GRANTS: view.profile_table, UNITS: view.unit_table}.get(view.tabs.currentIndex(), view.cluster_table)

    # --- life --------------------------------------------------------------------------------------------------------

    async def run(self, arguments: Mapping[str, str]) -> None:
        self._wanted_door = arguments.get("reader_id", "")
        cluster_id = arguments.get("cluster_id", "")
        if arguments:
            self.view.tabs.setCurrentIndex(DOORS)
            self.view.filter.clear()
        if not self.session.live.stale:
            self._fresh.resume()
        await self._read_clusters()
        if cluster_id:
            self.view.choose_cluster(cluster_id)
        elif self._wanted_door:
            self.view.choose_cluster(self._cluster_of(self._wanted_door))
        if node_id := arguments.get("node_id"):
            await self._take_badge(node_id, at_cluster=not cluster_id and not self._wanted_door)
        self._load_section()
        while True:
            await asyncio.sleep(CLUSTERS_EVERY_S)
            await self._read_clusters()

    def repaint(self) -> None:
        stale = self._fresh.stale
        if stale != self._was_stale:
            self._was_stale = stale
            self.view.show_clusters(self._clusters, stale=stale)
            self._show_doors()
        if old := self._fresh.words():
            self.view.freshness.set(Meaning.IDLE, old)
        else:
            self.view.freshness.set(Meaning.OK, f"as of {clock_time(self._fresh.since or time.time())}")
        live = self.session.live
        if live.stale:
            self.view.stream.set(Meaning.IDLE, live.stream.words() or "Stream lost")
        else:
            self.view.stream.set(Meaning.OK, "Live")
        if self._dirty:
            self._dirty = False
            self.view.show_accesses(self._accesses)

    def take_change(self, change: Change) -> None:
        if change.kinds & {"clusters", "readers"}:
            self.spawn(self._read_clusters(), name="clusters")
        if change.kinds & {"profiles", "units", "burns"}:
            self._load_section()

    async def _read_clusters(self) -> None:
        client = self.session.client
        try:
            found = await read_all(
                lambda cursor: client.registry_list_reader_clusters(query=ListQuery(limit=PAGE, cursor=cursor))
            )
        except Exception as error:  # told once; what is shown turns stale by itself
            failure = failure_of(error)
            if failure.code != "connection_lost":
                self.show_failure(failure)
            return
        self._clusters = found
        self._fresh.touch()
        self._was_stale = False
        self.view.show_clusters(found, stale=False)
        self._show_doors()

    def _cluster(self) -> ReaderCluster | None:
        name = self.view.cluster_id
        return next((cluster for cluster in self._clusters if cluster.cluster_id == name), None)

    def _cluster_of(self, reader_id: str) -> str:
        for cluster in self._clusters:
            if any(reader.reader_id == reader_id for reader in cluster.readers):
                return cluster.cluster_id
        return ""

    def _show_doors(self) -> None:
        cluster = self._cluster()
        view = self.view
        if cluster is None:
            view.show_doors("Doors", "", ())
        else:
            doors = doors_of(cluster, view.filter.text().strip(), stale=self._fresh.stale)
            view.show_doors(f"Doors of {cluster.display_name}", summary(cluster), doors)
            if self._wanted_door and (at := view.doors.row_of(self._wanted_door)) >= 0:
                self._wanted_door = ""
                view.door_table.selectRow(at)
        self._door_chosen()

    def _door_chosen(self) -> None:
        self.view.show_door(self.view.door, training=self.session.training)
        self.view.enrol.setVisible(self._can_enrol())
        self.session.actions.refresh()

    def _tab(self, at: int) -> None:
        self.view.tabs.setCurrentIndex(at)

    def _load_section(self) -> None:
        if not self.session.is_connected:
            return
        at = self.view.tabs.currentIndex()
        if at == GRANTS:
            self.spawn(self._load_profiles(None), name="profiles")
        elif at == UNITS:
            self.spawn(self._load_units(), name="units")
        self.session.actions.refresh()

    # --- cards at doors ----------------------------------------------------------------------------------------------

    def _take_accesses(self, events: Sequence[LiveEvent]) -> None:
        fresh: list[CardAtDoor] = []
        for event in events:
            try:
                body = event.read(AccessEvent)
            except msgspec.DecodeError:
                self.session.live.lost += 1
                continue
            self._heard += 1
            fresh.append(CardAtDoor(str(self._heard), body))
        self._accesses = [*reversed(fresh), *self._accesses][:KEPT]
        self._dirty = True

    # --- the badge ---------------------------------------------------------------------------------------------------

    async def _search(self, text: str) -> None:
        page = await self.session.client.registry_list_nodes(query=ListQuery(q=text or None, limit=MOST_PEOPLE))
        self.view.person.offer([_choice(node) for node in page.items])

    async def _load_person(self, node_id: str) -> None:
        self._node = await self.session.client.registry_get_node(node_id)
        self.session.actions.refresh()

    async def _take_badge(self, node_id: str, *, at_cluster: bool) -> None:
        """A person's badge in hand; ``at_cluster``: at the first cluster that opens to it."""
        if not self.session.training:
            return
        node = await self.session.client.registry_get_node(node_id)
        self.view.person.choose(_choice(node))
        self._node = node
        if at_cluster:
            for credential in node.credentials:
                if credential.clusters and credential.state in ("granted", "active"):
                    self.view.choose_cluster(credential.clusters[0])
                    break
        self.view.door_table.setFocus(Qt.FocusReason.OtherFocusReason)
        self.session.actions.refresh()

    def _person_cleared(self) -> None:
        self._node = None
        self.session.actions.refresh()

    def _focus_person(self) -> None:
        self._tab(DOORS)
        self.view.person.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.view.person.selectAll()

    def _present(self) -> None:
        node, reader_id = self._node, self.view.reader_id
        if node is None or not reader_id:
            return
        self._presenting = True
        self.view.show_decision(Meaning.IDLE, "…", f"{node.display_name} at {reader_id}")
        body = PresentBody(reader_id=reader_id, node_id=node.node_id)

        def decided(reply: PresentReply) -> None:
            self._presenting = False
            state = decision_state(reply.decision, reply.reason)
            words = f"{reason_words(reply.reason)[:1].upper()}{reason_words(reply.reason)[1:]}"
            self.view.show_decision(
                state, reply.decision, f"{words}, in {reply.latency_ms:.1f} ms.\n{reply.node_id} at {reply.reader_id}"
            )
            self.session.actions.refresh()

        def failed(failure: Failure) -> None:
            self._presenting = False
            self.view.show_decision(Meaning.IDLE, "No decision", failure.sentence)
            self.session.actions.refresh()

        Operation(
            lambda client, key: client.credentials_present(body, idempotency_key=key),
            title=f"Badge of {node.node_id} at {reader_id}",
        ).success(decided).failure(failed).run(self.session, self)

    def _can_plug(self, *, online: bool) -> bool:
        door = self.view.door
        return (
            door is not None
            and not self._plugging
            and door.reader.channel == "simulated:"
            and door.reader.online is online
        )

    def _plug(self, action: str) -> None:
        reader_id = self.view.reader_id
        self._plugging = True

        def moved(_reply: object) -> None:
            self._plugging = False
            self.spawn(self._follow_line(reader_id, online=action == "plug"), name="the door's line")

        def failed(failure: Failure) -> None:
            self._plugging = False
            self.show_failure(failure)

        body = ReaderPlugBody(reader_id=reader_id, action="plug" if action == "plug" else "unplug")
        Operation(
            lambda client, key: client.credentials_plug_reader(body, idempotency_key=key),
            title=f"{sentence_case(action)} {reader_id}",
            changes=("readers",),
        ).success(moved).failure(failed).run(self.session, self)

    async def _follow_line(self, reader_id: str, *, online: bool) -> None:
        """A door comes and goes a moment after its line was moved: looked at more often until it has."""
        for _ in range(LINE_LOOKS):
            readers = (reader for cluster in self._clusters for reader in cluster.readers)
            if any(reader.reader_id == reader_id and reader.secure_channel is online for reader in readers):
                return
            await asyncio.sleep(LINE_EVERY_S)
            await self._read_clusters()

    # --- clusters ----------------------------------------------------------------------------------------------------

    def _edit(self, cluster: ReaderCluster | None) -> None:
        editor = ClusterEditor(
            self.view, cluster, lambda name, body: self.save_cluster(editor, name, body), training=self.session.training
        )
        editor.open()

    def save_cluster(self, editor: ClusterEditor, cluster_id: str, body: ReaderClusterBody) -> None:
        """Put the cluster; the editor stays open until the service took it."""

        def saved(reply: ReaderCluster) -> None:
            editor.accept()
            self.session.notify(f"{reply.display_name}: {len(reply.readers)} doors are registered.")
            self._clusters = [*(row for row in self._clusters if row.cluster_id != reply.cluster_id), reply]
            self._clusters.sort(key=lambda row: row.cluster_id)
            self.view.show_clusters(self._clusters, stale=False)
            self.view.choose_cluster(reply.cluster_id)

        Operation(
            lambda client, _key: client.registry_put_reader_cluster(cluster_id or " ", body),
            title=f"Cluster {cluster_id}",
            changes=("clusters",),
            asks=True,
        ).success(saved).failure(editor.show_failure).run(self.session, editor)

    def _delete_cluster(self) -> None:
        cluster = self._cluster()
        if cluster is None:
            return
        count = len(cluster.readers)
        doors = "Its door and its key go; it opens" if count == 1 else f"Its {count} doors and their keys go; they open"
        Deletion(
            cluster.display_name,
            lambda client: client.registry_delete_reader_cluster(cluster.cluster_id),
            ("clusters",),
            f"{doors} to nobody afterwards. What the audit log says of the cluster stays.",
            "Delete the cluster",
        ).ask(self.session, self.view, self.show_failure)

    def _can_enrol(self) -> bool:
        cluster = self._cluster()
        return cluster is not None and any(
            reader.channel != "simulated:" and not reader.enrolled for reader in cluster.readers
        )

    def _enrol(self) -> None:
        cluster = self._cluster()
        if cluster is None:
            return

        def opened(reply: EnrolReply) -> None:
            until = clock_time(parse_time(reply.until))
            names = ", ".join(reply.reader_ids[:5]) + (" …" if len(reply.reader_ids) > 5 else "")
            self.view.banner.show_note(
                f"The key window is open until {until} for {len(reply.reader_ids)} readers: {names}.",
                "Power them now: each takes its own key and shows “Secure channel”.",
                Meaning.WARN,
            )

        Operation(
            lambda client, key: client.registry_enrol_reader_cluster(
                cluster.cluster_id, EnrolBody(seconds=ENROL_S), idempotency_key=key
            ),
            title=f"Key window of {cluster.display_name}",
            changes=("readers",),
        ).success(opened).failure(self.show_failure).run(self.session, self)

    def _with_keys(self) -> int:
        cluster = self._cluster()
        return 0 if cluster is None else sum(reader.enrolled for reader in cluster.readers)

    def _rotate_keys(self) -> None:
        cluster = self._cluster()
        if cluster is None:
            return
        doors = self._with_keys()
        ConfirmDialog(
            self.view,
            f"Replace the keys of {cluster.display_name}?",
            f"{doors} doors take a new Secure Channel key now, those that are away when they are back. "
            "Doors go on deciding; a door that fails keeps the key that it has.",
            "Replace",
            lambda: self._send_new_keys(cluster),
        ).open()

    def _send_new_keys(self, cluster: ReaderCluster) -> None:
        self._rotating = True

        def done(reply: RotateKeysReply) -> None:
            self._rotating = False
            self.view.banner.show_note(*rotation_words(reply.readers))
            self.session.actions.refresh()

        def failed(failure: Failure) -> None:
            self._rotating = False
            self.show_failure(failure)
            self.session.actions.refresh()

        Operation(
            lambda client, key: client.registry_rotate_reader_keys(cluster.cluster_id, idempotency_key=key),
            title=f"New keys for {cluster.display_name}",
            changes=("readers",),
            asks=True,
        ).success(done).failure(failed).run(self.session, self)

    # --- grants ------------------------------------------------------------------------------------------------------

    async def _load_profiles(self, cursor: str | None) -> None:
        page = await self.session.client.registry_list_credential_profiles(query=ListQuery(limit=PAGE, cursor=cursor))
        rows: Sequence[CredentialProfile] = page.items if cursor is None else [*self.view.profiles.rows, *page.items]
        self._profiles_next = page.next
        self.view.show_profiles(rows)
        self._profile_chosen()

    def _more_profiles(self) -> None:
        self.spawn(self._load_profiles(self._profiles_next), name="profiles")

    def _profile_chosen(self) -> None:
        names = {cluster.cluster_id: cluster.display_name for cluster in self._clusters}
        self.view.show_profile(self.view.profile, names)
        self.view.show_sync_error("")
        self.session.actions.refresh()

    def _sync(self) -> None:
        profile, cluster_id = self.view.profile, self.view.sync_cluster.currentData()
        if profile is None or cluster_id is None:
            return
        self._tab(GRANTS)
        self._syncing = True
        self.view.show_sync_error("")
        self.view.show_sync(Meaning.WARN, "Running", "", ())
        body = SyncBody(
            hardware_reader_cluster=cluster_id,
            credential_profile_token=profile.profile_id,
            reauth_ttl_seconds=int(self.view.sync_ttl.currentData()),
        )

        def done(reply: SyncReply) -> None:
            self._syncing = False
            self._sync_id = reply.sync_id
            self._show_sync(reply)
            if any(reader.state == "pending_offline" for reader in reply.readers):
                self.spawn(self._follow_sync(reply.sync_id), name="sync")

        def failed(failure: Failure) -> None:
            self._syncing = False
            self.view.show_sync(Meaning.BAD, "Refused", "", ())
            self.view.show_sync_error(f"{failure.sentence} {failure.next_step}".strip())

        Operation(
            lambda client, key: client.credentials_sync(body, idempotency_key=key),
            title=f"Sync {profile.profile_id} to {cluster_id}",
            changes=("grants", "nodes"),
            asks=True,
        ).success(done).failure(failed).run(self.session, self)

    async def _follow_sync(self, sync_id: str) -> None:
        """Doors that are offline take the grant when they are back: shown while the page is."""
        while self._sync_id == sync_id:
            await asyncio.sleep(CLUSTERS_EVERY_S)
            reply = await self.session.client.credentials_get_sync(sync_id)
            if self._sync_id != sync_id:
                return
            self._show_sync(reply)
            if all(reader.state != "pending_offline" for reader in reply.readers):
                return

    def _show_sync(self, reply: SyncReply) -> None:
        state, words = sync_words(reply.readers)
        status = reply.biological_status
        detail = (
            f"{reply.node_id} · {sentence_case(status.standing)} · epoch {reply.epoch} · "
            f"until {clock_time(parse_time(reply.not_after))}"
        )
        self.view.show_sync(state, words, detail, reply.readers)

    def _delete_profile(self) -> None:
        profile = self.view.profile
        if profile is None:
            return
        Deletion(
            profile.profile_id,
            lambda client: client.registry_delete_credential_profile(profile.profile_id),
            ("profiles",),
            f"What it grants to {profile.node_id} ends at {', '.join(profile.clusters)}.",
            "Delete the profile",
        ).ask(self.session, self.view, self.show_failure)

    # --- units -------------------------------------------------------------------------------------------------------

    async def _load_units(self) -> None:
        client = self.session.client
        self.view.show_units(
            await read_all(lambda cursor: client.registry_list_units(query=ListQuery(limit=PAGE, cursor=cursor)))
        )
        self.session.actions.refresh()

    def _delete_unit(self) -> None:
        unit = self.view.unit
        if unit is None:
            return
        Deletion(
            unit.unit_id,
            lambda client: client.registry_delete_unit(unit.unit_id),
            ("units",),
            "What it signs is refused from then on. A console registers itself again when it connects.",
            "Delete the unit",
        ).ask(self.session, self.view, self.show_failure)


def _choice(node: Node) -> Choice:
    return Choice(node.node_id, node.display_name, f"{node.node_id}  {sentence_case(node.standing)}")
