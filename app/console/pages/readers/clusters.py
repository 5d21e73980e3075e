"""Changes of clusters: registers, edits and deletes them, opens their key window, replaces their keys."""

from __future__ import annotations

from collections.abc import Sequence

from app.console.actions import Action, Effect
from app.console.clock import clock_time
from app.console.deletion import Deletion
from app.console.failures import Failure
from app.console.language import tr
from app.console.moments import parse_time
from app.console.operations import Operation
from app.console.pages.readers.doors import DoorsPart
from app.console.pages.readers.editor import ClusterEditor
from app.console.pages.readers.words import keyed_doors, rotation_words, takes_first_key
from app.console.part import Host
from app.console.theme.tokens import Meaning
from app.console.widgets.confirm import ConfirmDialog
from app.registry.messages.clusters import EnrolBody, EnrolReply, ReaderCluster, ReaderClusterBody, RotateKeysReply

ENROL_S = 60


class ClusterChanges:
    """Changes the cluster that is chosen among ``doors``, by ``Operation`` alone."""

    def __init__(self, host: Host, doors: DoorsPart) -> None:
        self._host = host
        self._session = host.session
        self._doors = doors
        self._rotating = False

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table."""
        here = "readers"
        return [
            Action(
                "readers.register", tr("Register a cluster"), lambda: self._edit(None), "plus", ("Ctrl+N",), here,
                effect=Effect.CHANGE, hint=tr("Doors that are granted as one, with their channels and addresses."),
                calls=("registry_put_reader_cluster",),
            ),
            Action(
                "readers.edit", tr("Edit the cluster"), lambda: self._edit(self._doors.cluster), "pencil", ("F2",),
                here, when=self._chosen_one, effect=Effect.CHANGE,
                calls=("registry_put_reader_cluster",),
            ),
            Action(
                "readers.delete_cluster", tr("Delete the cluster"), self._delete, "trash-2", page=here,
                when=self._chosen_one, effect=Effect.IRREVERSIBLE,
                calls=("registry_delete_reader_cluster",),
            ),
            Action(
                "readers.enrol", tr("Open the key window"), self._enrol, "key-round", page=here,
                when=self._can_enrol, effect=Effect.CHANGE,
                hint=tr(
                    "For {seconds} s, real readers without a key take their first one over the default key.",
                    seconds=ENROL_S),
                calls=("registry_enrol_reader_cluster",),
            ),
            Action(
                "readers.rotate_keys", tr("Replace the keys"), self._ask_rotate, "rotate-ccw", ("Ctrl+Shift+K",), here,
                when=self._can_rotate, effect=Effect.CHANGE,
                hint=tr(
                    "Each door of the cluster takes a new Secure Channel key; one that is away, when it is back."),
                calls=("registry_rotate_reader_keys",),
            ),
        ]  # fmt: skip

    def _chosen_one(self) -> bool:
        return self._doors.cluster is not None

    def _can_enrol(self) -> bool:
        cluster = self._doors.cluster
        return cluster is not None and takes_first_key(cluster)

    def _can_rotate(self) -> bool:
        cluster = self._doors.cluster
        return not self._rotating and cluster is not None and keyed_doors(cluster) > 0

    # --- registering, editing, deleting ------------------------------------------------------------------------------

    def _edit(self, cluster: ReaderCluster | None) -> None:
        editor = ClusterEditor(
            self._doors.view,
            cluster,
            lambda name, body: self.save_cluster(editor, name, body),
            training=self._session.training,
        )
        editor.open()

    def save_cluster(self, editor: ClusterEditor, cluster_id: str, body: ReaderClusterBody) -> None:
        """Put the cluster; the editor stays open until the service has accepted it."""

        def finish(reply: ReaderCluster) -> None:
            editor.accept()
            self._session.notify(
                tr(
                    "{cluster}: {count} doors are registered.",
                    cluster=reply.display_name,
                    count=len(reply.readers),
                )
            )
            self._doors.replace(reply)

        Operation(
            lambda client, _key: client.registry_put_reader_cluster(cluster_id or " ", body),
            title=tr("Cluster {cluster}", cluster=cluster_id),
            changes=("clusters",),
            asks=True,
        ).success(finish).failure(editor.show_failure).run(self._session, editor)

    def _delete(self) -> None:
        """Ask before the chosen cluster is deleted."""
        cluster = self._doors.cluster
        if cluster is None:
            return
        count = len(cluster.readers)
        consequence = (
            tr("Its door and its key go; it opens to nobody afterwards. What the audit log says of the cluster stays.")
            if count == 1
            else tr(
                "Its {count} doors and their keys go; they open to nobody afterwards. What the audit log says of the "
                "cluster stays.",
                count=count,
            )
        )
        Deletion(
            cluster.display_name,
            lambda client: client.registry_delete_reader_cluster(cluster.cluster_id),
            ("clusters",),
            consequence,
            tr("Delete the cluster"),
        ).ask(self._session, self._doors.view, self._host.show_failure)

    # --- keys --------------------------------------------------------------------------------------------------------

    def _enrol(self) -> None:
        """Let the real readers of the cluster take their first key, for a minute."""
        cluster = self._doors.cluster
        if cluster is None:
            return

        def show_window(reply: EnrolReply) -> None:
            until = clock_time(parse_time(reply.until))
            names = ", ".join(reply.reader_ids[:5]) + (" …" if len(reply.reader_ids) > 5 else "")
            self._host.banner.show_note(
                tr(
                    "The key window is open until {until} for {count} readers: {names}.",
                    until=until,
                    count=len(reply.reader_ids),
                    names=names,
                ),
                tr("Power them now: each takes its own key and shows “Secure channel”."),
                Meaning.WARN,
            )

        Operation(
            lambda client, key: client.registry_enrol_reader_cluster(
                cluster.cluster_id, EnrolBody(seconds=ENROL_S), idempotency_key=key
            ),
            title=tr("Key window of {cluster}", cluster=cluster.display_name),
            changes=("readers",),
        ).success(show_window).failure(self._host.show_failure).run(self._session, self._doors.view)

    def _ask_rotate(self) -> None:
        """Ask before every door of the cluster takes a new key."""
        cluster = self._doors.cluster
        if cluster is None:
            return
        ConfirmDialog(
            self._doors.view,
            tr("Replace the keys of {cluster}?", cluster=cluster.display_name),
            tr(
                "{count} doors take a new Secure Channel key now, those that are away when they are "
                "back. Doors go on deciding; a door that fails keeps the key that it has.",
                count=keyed_doors(cluster),
            ),
            tr("Replace"),
            lambda: self._rotate(cluster),
        ).open()

    def _rotate(self, cluster: ReaderCluster) -> None:
        """Have each door take a new key, and say how many hold theirs."""
        self._rotating = True

        def finish(reply: RotateKeysReply) -> None:
            self._rotating = False
            self._host.banner.show_note(*rotation_words(reply.readers))
            self._session.actions.refresh()

        def fail(failure: Failure) -> None:
            self._rotating = False
            self._host.show_failure(failure)
            self._session.actions.refresh()

        Operation(
            lambda client, key: client.registry_rotate_reader_keys(cluster.cluster_id, idempotency_key=key),
            title=tr("New keys for {cluster}", cluster=cluster.display_name),
            changes=("readers",),
            asks=True,
        ).success(finish).failure(fail).run(self._session, self._doors.view)
