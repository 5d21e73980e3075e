"""The doors as they are now: reads the clusters, shows the doors of the chosen one, hears the cards at all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from app.console.clock import clock_time, date_time
from app.console.door_clusters import read_clusters
from app.console.failures import failure_of
from app.console.language import tr
from app.console.pages.readers.doors_view import DoorsView
from app.console.pages.readers.words import doors_of, summary, takes_first_key
from app.console.part import Host, Part
from app.console.theme.tokens import Meaning
from app.registry.messages.clusters import ReaderCluster


class DoorsPart(Part):
    """Readers' states are not on the stream: the clusters are read each two seconds. ``arrived`` is called with the
    arguments of the page once the doors are there."""

    every_s = 2.0
    kinds = frozenset({"clusters", "readers"})

    def __init__(self, host: Host, view: DoorsView, arrived: Callable[[Mapping[str, str]], None]) -> None:
        super().__init__(host)
        self.view: DoorsView = view
        self.clusters: list[ReaderCluster] = []
        """As last read."""
        self._arrived = arrived
        self._arguments: Mapping[str, str] | None = None
        """What the page was opened with, until the doors are there."""
        self._wanted_door = ""
        self._was_stale = False
        self._dirty = True
        view.cluster_chosen.connect(lambda _row: self.show_doors())
        view.cluster_opened.connect(lambda _row: view.table.setFocus())
        view.chosen.connect(lambda _row: self._show_door())
        view.filtered.connect(lambda _text: self.show_doors())
        # For the whole life of the window: a card that is held up while another page is shown is news here too.
        self.session.doors.changed.connect(self._take_cards)

    # --- what is known -----------------------------------------------------------------------------------------------

    @property
    def cluster(self) -> ReaderCluster | None:
        """The chosen cluster."""
        name = self.view.cluster_id
        return next((cluster for cluster in self.clusters if cluster.cluster_id == name), None)

    @property
    def names(self) -> dict[str, str]:
        """Display names of the clusters by their ids."""
        return {cluster.cluster_id: cluster.display_name for cluster in self.clusters}

    def has_channel(self, reader_id: str) -> bool | None:
        """Whether a reader was on a secure channel when the clusters were read; None: it is not listed."""
        readers = (reader for cluster in self.clusters for reader in cluster.readers)
        return next((reader.secure_channel for reader in readers if reader.reader_id == reader_id), None)

    def replace(self, cluster: ReaderCluster) -> None:
        """Show a cluster as it was just saved, and choose it."""
        rest = [row for row in self.clusters if row.cluster_id != cluster.cluster_id]
        self.clusters = sorted([*rest, cluster], key=lambda row: row.cluster_id)
        self.view.show_clusters(self.clusters, stale=False)
        self.view.choose_cluster(cluster.cluster_id)

    # --- reading -----------------------------------------------------------------------------------------------------

    def take(self, arguments: Mapping[str, str]) -> None:
        self._arguments = arguments
        self._wanted_door = arguments.get("reader_id", "")
        if arguments:
            self.host.show()
            self.view.filter.clear()

    async def read(self) -> None:
        self.clusters = await read_clusters(self.session.client)

    def show_error(self, error: Exception) -> None:
        """A lost connection is no news here: what is shown turns stale by itself."""
        failure = failure_of(error)
        if failure.code != "connection_lost":
            self.host.show_failure(failure)

    def recover(self) -> None:
        """The head of the page may hold what a change of the doors has answered: it stays."""

    # --- painting ----------------------------------------------------------------------------------------------------

    def paint_all(self) -> None:
        self._was_stale = False
        self.view.show_clusters(self.clusters, stale=False)
        self.show_doors()
        if self._arguments is not None:
            arguments, self._arguments = self._arguments, None
            self._choose_wanted(arguments)
            self._arrived(arguments)

    def _choose_wanted(self, arguments: Mapping[str, str]) -> None:
        """Choose the cluster, or the cluster of the door, that another page has named."""
        if cluster_id := arguments.get("cluster_id"):
            self.view.choose_cluster(cluster_id)
        elif self._wanted_door:
            self.view.choose_cluster(self._cluster_of(self._wanted_door))

    def _cluster_of(self, reader_id: str) -> str:
        for cluster in self.clusters:
            if any(reader.reader_id == reader_id for reader in cluster.readers):
                return cluster.cluster_id
        return ""

    def paint(self) -> None:
        stale = self.fresh.stale
        if stale != self._was_stale:
            self._was_stale = stale
            self.view.show_clusters(self.clusters, stale=stale)
            self.show_doors()
        if old := self.fresh.words():
            self.view.freshness.set(Meaning.IDLE, old)
        else:
            self.view.freshness.set(Meaning.OK, tr("as of {time}", time=clock_time(self.fresh.since or time.time())))
        live = self.session.live
        if live.stale:
            self.view.stream.set(Meaning.IDLE, live.stream.words() or tr("Stream lost"))
        else:
            self.view.stream.set(Meaning.OK, tr("Live"))
        self.view.stream.setToolTip(self._record_words())
        if self._dirty:
            self._dirty = False
            self.view.show_accesses(self.session.doors.rows)

    def show_doors(self) -> None:
        """Show the doors of the chosen cluster that the filter leaves."""
        view, cluster = self.view, self.cluster
        if cluster is None:
            view.show_doors(tr("Doors"), "", ())
        else:
            doors = doors_of(cluster, view.filter.text().strip(), stale=self.fresh.stale)
            view.show_doors(tr("Doors of {cluster}", cluster=cluster.display_name), summary(cluster), doors)
            if self._wanted_door and (at := view.rows.row_of(self._wanted_door)) >= 0:
                self._wanted_door = ""
                view.table.selectRow(at)
        self._show_door()

    def _show_door(self) -> None:
        if self.view.training is not None:
            self.view.training.show_door(self.view.door)
        cluster = self.cluster
        self.view.enrol.setVisible(cluster is not None and takes_first_key(cluster))
        self.session.actions.refresh()

    # --- cards at doors ----------------------------------------------------------------------------------------------

    def _take_cards(self) -> None:
        self._dirty = True

    def _record_words(self) -> str:
        """From when on the list may go back, or why it does not."""
        doors = self.session.doors
        if doors.trouble:
            return tr("The cards of before could not be read: {trouble}", trouble=doors.trouble)
        return (
            "" if doors.recorded_since is None else tr("Recorded since {since}", since=date_time(doors.recorded_since))
        )
