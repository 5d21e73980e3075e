"""All OSDP readers of a site behind one object.

Threads: each group of up to 96 readers has one loop thread, all simulated readers share one more. `on_access`,
`on_state` and the callbacks of futures are called ON THOSE THREADS and must return at once without waiting (hand over
to an event loop with `call_soon_threadsafe`; futures with `asyncio.wrap_future`). The methods here may be called from
any thread and do not wait, except `stop`.

Order at start, so that doors stay shut when loading fails: load deny set and grants, `configure`, `replace_grants`,
`start`. Before `replace_grants` every card is denied.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future

from hardware.readers.binding import MAX_DEVICES_PER_PANEL
from hardware.readers.channels import open_channel
from hardware.readers.decision import Credential, Decision, DenyView, GrantTable
from hardware.readers.delta import Delta, DeltaOperation
from hardware.readers.errors import FleetStopped, NotSimulated, UnknownReader
from hardware.readers.panel import (
    MAX_PANELS_PER_GROUP,
    AccessEvent,
    Ack,
    LedColor,
    Link,
    PanelGroup,
    Presentation,
    ReaderConfig,
    ReaderIdentity,
    ReaderState,
    Shared,
)
from hardware.readers.simulated import SimulatedReader, Simulator

_SIMULATED = "simulated:"


class ReaderFleet:
    """Readers, their panels and their simulators.

    `deny`: the site's deny set, asked first at each decision. `simulated`: whether `simulated:` readers are allowed
    (training, tests).
    """

    def __init__(
        self,
        deny: DenyView,
        on_access: Callable[[AccessEvent], None],
        on_state: Callable[[ReaderState], None],
        simulated: bool,
    ) -> None:
        self._shared = Shared(deny, on_access, on_state)
        self._simulator = Simulator() if simulated else None
        self._lock = threading.Lock()
        self._configs: dict[str, ReaderConfig] = {}
        self._links: dict[str, Link] = {}
        self._places: dict[str, tuple[int, int]] = {}
        self._groups: list[PanelGroup] = []
        self._running = False

    def configure(self, readers: Sequence[ReaderConfig]) -> None:
        """Take `readers` as the whole set. While running, only the panels whose readers changed are rebuilt.

        ValueError, and nothing changes: an id or a line twice, or a simulated reader in a fleet without simulation.
        """
        configs = {reader.reader_id: reader for reader in readers}
        if len(configs) != len(readers):
            raise ValueError("a reader id occurs twice")
        lines = [reader.channel for reader in readers if reader.channel != _SIMULATED]
        if len(set(lines)) != len(lines):
            raise ValueError("two readers share a line; one reader a line")
        if self._simulator is None and len(lines) != len(readers):
            raise ValueError("simulated readers are not allowed here")
        with self._lock:
            self._configs = configs
            if self._running:
                self._arrange()

    def replace_grants(self, table: GrantTable) -> None:
        """Decide by `table` from the next card on.

        Follow it with `announce(..., DeltaOperation.SYNC)` to know that all threads do.
        """
        self._shared.grants = table

    def start(self) -> None:
        """Start the threads and connect every reader."""
        with self._lock:
            if self._running:
                return
            self._running = True
            if self._simulator is not None:
                self._simulator.start()
            self._arrange()

    def stop(self) -> None:
        """Stop and join every thread; what waits fails with FleetStopped. May be started again. Not from a callback."""
        with self._lock:
            if not self._running:
                return
            self._running = False
            groups, self._groups = self._groups, []
            self._places.clear()
            links, self._links = self._links, {}
        for group in groups:
            group.stop()
        if self._simulator is not None:
            for reader_id in links:
                self._simulator.remove(reader_id)
            self._simulator.stop()

    def states(self) -> dict[str, ReaderState]:
        """Return the state of every configured reader."""
        with self._lock:
            return {
                reader_id: self._links[reader_id].state
                if reader_id in self._links
                else ReaderState(reader_id, False, False, "", config.acked_epoch, 0.0)
                for reader_id, config in self._configs.items()
            }

    def announce(
        self, epoch: int, digest: bytes, operation: DeltaOperation = DeltaOperation.DENY
    ) -> dict[str, Future[Ack]]:
        """Tell every loop thread and every reader that the deny set (or the grants) is now at `epoch`.

        Call it after the deny set has been changed. `digest`: 16 to 54 bytes. Each future is answered within about 1 s;
        see `Ack`. What a reader has not acknowledged is sent again when its channel comes up, and `on_state` then tells
        the epoch. Announcing an epoch again is harmless. ValueError for a wrong epoch or digest; futures fail with
        FleetStopped when the fleet is stopped meanwhile.
        """
        called_at = time.perf_counter_ns()
        delta = Delta(operation, epoch, digest)
        futures: dict[str, Future[Ack]] = {}
        with self._lock:
            self._need_running()
            members: list[list[tuple[str, Future[Ack]]]] = [[] for _ in self._groups]
            for reader_id, (group_number, _) in self._places.items():
                futures[reader_id] = Future()
                members[group_number].append((reader_id, futures[reader_id]))
            for group, pairs in zip(self._groups, members, strict=True):
                group.announce(delta, pairs, called_at)
        return futures

    def led(self, reader_id: str, color: LedColor, tenths: int = 10) -> Future[None]:
        """Light a reader's LED for `tenths` of a second (1 to 255); done when the reader has acknowledged.

        Fails with ReaderOffline, ReaderTimeout (1 s), ReaderRefused or FleetStopped.
        """
        if not 1 <= tenths <= 255:
            raise ValueError(f"{tenths} tenths of a second is not within 1 to 255")
        future: Future[None] = Future()
        group, link = self._find(reader_id)
        group.led(link, color, tenths, future)
        return future

    def read_id(self, reader_id: str) -> Future[ReaderIdentity]:
        """Return what the reader answered to ID and CAP when its present channel came up; fails with ReaderOffline."""
        future: Future[ReaderIdentity] = Future()
        group, link = self._find(reader_id)
        group.identity(link, future)
        return future

    def present(self, reader_id: str, credential: Credential) -> Future[Decision]:
        """Hold a card to a simulated reader: a real CARDREAD over the secure channel, decided by the panel.

        Done when the reader has acknowledged all its signals. NotSimulated at once for a real reader; the future fails
        with ReaderOffline, ReaderTimeout (3 s) or FleetStopped.
        """
        simulator = self._simulated(reader_id)
        group, link = self._find(reader_id)
        presentation = Presentation(credential=credential, future=Future())

        def show() -> None:
            if not simulator.present(reader_id, credential, lambda: group.withdraw(link, presentation)):
                group.withdraw(link, presentation)

        group.expect(link, presentation, show)
        if presentation.future is None:
            raise UnknownReader(reader_id)
        return presentation.future

    def unplug(self, reader_id: str) -> None:
        """Cut the line of a simulated reader; it is reported offline some 1.5 s later, as a real one would be."""
        self._simulated(reader_id).set_cut(reader_id, True)

    def plug(self, reader_id: str) -> None:
        """Connect the line of a simulated reader again; it is back within about 6 s."""
        self._simulated(reader_id).set_cut(reader_id, False)

    def simulated_reader(self, reader_id: str) -> SimulatedReader:
        """Return the simulated reader to look at (lamps, beeps, output, epoch); UnknownReader while the fleet is
        stopped.
        """
        reader = self._simulated(reader_id).get(reader_id)
        if reader is None:
            raise UnknownReader(f"{reader_id} is not running")
        return reader

    def _need_running(self) -> None:
        if not self._running:
            raise FleetStopped("the readers are stopped")

    def _find(self, reader_id: str) -> tuple[PanelGroup, Link]:
        with self._lock:
            if reader_id not in self._configs:
                raise UnknownReader(f"there is no reader {reader_id}")
            self._need_running()
            return self._groups[self._places[reader_id][0]], self._links[reader_id]

    def _simulated(self, reader_id: str) -> Simulator:
        with self._lock:
            config = self._configs.get(reader_id)
        if config is None:
            raise UnknownReader(f"there is no reader {reader_id}")
        if self._simulator is None or config.channel != _SIMULATED:
            raise NotSimulated(f"{reader_id} is a real reader")
        return self._simulator

    # Below: with the lock held.

    def _arrange(self) -> None:
        """Bring groups, panels and links in line with the configuration, moving no reader that has not changed."""
        gone = [reader_id for reader_id, link in self._links.items() if self._configs.get(reader_id) != link.config]
        changed = {self._places.pop(reader_id) for reader_id in gone}
        for reader_id in gone:
            del self._links[reader_id]
            if self._simulator is not None:
                self._simulator.remove(reader_id)
        load: dict[tuple[int, int], int] = {}
        for place in self._places.values():
            load[place] = load.get(place, 0) + 1
        new = [config for reader_id, config in self._configs.items() if reader_id not in self._links]
        places = self._free_places(load)
        for config in new:
            place = next(places)
            self._links[config.reader_id] = self._link(config)
            self._places[config.reader_id] = place
            changed.add(place)
        while len(self._groups) <= max((group for group, _ in self._places.values()), default=-1):
            group = PanelGroup(f"osdp-group-{len(self._groups)}", self._shared)
            group.start()
            self._groups.append(group)
        members = self._members()
        for group_number, panel_number in sorted(changed):
            self._groups[group_number].set_panel(panel_number, members.get((group_number, panel_number), []))

    @staticmethod
    def _free_places(load: Mapping[tuple[int, int], int]) -> Iterator[tuple[int, int]]:
        group = 0
        while True:
            for panel in range(MAX_PANELS_PER_GROUP):
                for _ in range(MAX_DEVICES_PER_PANEL - load.get((group, panel), 0)):
                    yield group, panel
            group += 1

    def _members(self) -> dict[tuple[int, int], list[Link]]:
        members: dict[tuple[int, int], list[Link]] = {}
        for reader_id, place in self._places.items():
            members.setdefault(place, []).append(self._links[reader_id])
        return members

    def _link(self, config: ReaderConfig) -> Link:
        if config.channel == _SIMULATED and self._simulator is not None:
            return Link(
                config, self._simulator.add(config.reader_id, config.address, config.scbk, install=config.install)
            )
        return Link(config, open_channel(config.channel, config.baud))
