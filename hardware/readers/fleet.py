"""All OSDP readers of a site behind one object.

Threads: each group of up to 96 readers has one loop thread, and all simulated readers share one more. `on_access`,
`on_state`, `on_gap` and the callbacks of futures run ON THOSE THREADS and must return at once, without waiting (hand
over to an event loop with `call_soon_threadsafe`; futures with `asyncio.wrap_future`). The methods here may be called
from any thread and do not wait, except `stop`.

Order at start, so that doors stay shut when loading fails: load deny set and grants, `configure`, `replace_grants`,
`start`. Before `replace_grants` every card is denied.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future

from hardware.readers.binding import MAX_DEVICES_PER_PANEL
from hardware.readers.channels import open_channel
from hardware.readers.commands import PROFILE
from hardware.readers.decision import AccessDecision, Credential, DenyView, GrantTable
from hardware.readers.delta import Delta, DeltaOperation
from hardware.readers.errors import DoorReaderError, FleetStopped, NotSimulated, UnknownDoorReader
from hardware.readers.loop import PanelGroup
from hardware.readers.panel import MAX_PANELS_PER_GROUP, Presentation, ReaderLink, resolve
from hardware.readers.reader import (
    Ack,
    AckCallback,
    DecidedPresentation,
    DoorReaderConfig,
    DoorReaderIdentity,
    DoorReaderState,
    LedColor,
    Setup,
)
from hardware.readers.shared import FleetShared
from hardware.readers.simulated import SimulatedReader, Simulator

_SIMULATED = "simulated:"


class ReaderFleet:
    """Readers, their panels and their simulators.

    `deny`: the site's deny set, which each decision asks first. `simulated`: whether `simulated:` readers are allowed
    (training, tests). `on_gap`: called with the id of a reader that keeps a list and asks for all of it (`send_list`).
    """

    def __init__(
        self,
        deny: DenyView,
        on_access: Callable[[DecidedPresentation], None],
        on_state: Callable[[DoorReaderState], None],
        simulated: bool,
        on_gap: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._shared = FleetShared(deny, on_access, on_state, on_gap)
        self._simulator = Simulator() if simulated else None
        self._lock = threading.Lock()
        self._configs: dict[str, DoorReaderConfig] = {}
        self._links: dict[str, ReaderLink] = {}
        self._places: dict[str, tuple[int, int]] = {}
        self._groups: list[PanelGroup] = []
        self._running = False

    def configure(self, readers: Sequence[DoorReaderConfig]) -> None:
        """Take `readers` as the whole set. While running, only the panels whose readers changed are rebuilt.

        ValueError for an id or a line that occurs twice, or a simulated reader in a fleet without simulation; nothing
        changes then.
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
        """Stop and join every thread; calls that wait fail with FleetStopped. Do not call it from a callback.

        The fleet may be started again.
        """
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

    def states(self) -> dict[str, DoorReaderState]:
        """Return the state of every configured reader."""
        with self._lock:
            return {
                reader_id: self._links[reader_id].state
                if reader_id in self._links
                else DoorReaderState(reader_id, False, False, "", config.acked_epoch, 0.0)
                for reader_id, config in self._configs.items()
            }

    def state(self, reader_id: str) -> DoorReaderState:
        """Return the state of one reader; UnknownDoorReader if it is not configured, FleetStopped if the fleet is not
        running."""
        return self._find(reader_id)[1].state

    def announce(
        self,
        epoch: int,
        digest: bytes,
        operation: DeltaOperation = DeltaOperation.DENY,
        node_id: str | None = None,
    ) -> dict[str, Future[Ack]]:
        """Tell every loop thread and every reader that the deny set (or the grants) is now at `epoch`.

        Call it after the deny set has been changed. `digest`: 16 to 54 bytes. Each future is answered within about 1 s;
        see `Ack`. A delta that a reader has not acknowledged is sent again when its channel comes up, and `on_state`
        then reports the epoch. Announcing an epoch again is harmless. ValueError for a wrong epoch or digest; futures
        fail with FleetStopped when the fleet is stopped meanwhile.

        `node_id`: the node that is denied; readers with a list of their own forget its credentials.
        """
        futures: dict[str, Future[Ack]] = {}

        def callback_for(reader_id: str) -> AckCallback:
            futures[reader_id] = Future()
            return functools.partial(resolve, futures[reader_id])

        self._announce(Delta(operation, epoch, digest), node_id, callback_for)
        return futures

    def tell(
        self,
        epoch: int,
        digest: bytes,
        on_ack: Callable[[str, Ack | DoorReaderError], None],
        node_id: str | None = None,
    ) -> set[str]:
        """`announce` a denial with one callback for all readers; returns the ids of the readers that it goes to.

        With a thousand readers, a future for each costs as much as asking the reader does. `on_ack` is called once for
        each reader of the returned set, on the reader's loop thread, with its `Ack` or with the error that its future
        would have had.
        """
        reader_ids: set[str] = set()

        def callback_for(reader_id: str) -> AckCallback:
            reader_ids.add(reader_id)
            return functools.partial(on_ack, reader_id)

        self._announce(Delta(DeltaOperation.DENY, epoch, digest), node_id, callback_for)
        return reader_ids

    def _announce(self, delta: Delta, node_id: str | None, callback_for: Callable[[str], AckCallback]) -> None:
        """Give each group the delta, and the callbacks of its readers."""
        called_at = time.perf_counter_ns()
        credentials = tuple(self._shared.deny.credentials_of(node_id)) if node_id is not None else ()
        with self._lock:
            self._need_running()
            members: list[list[tuple[str, AckCallback]]] = [[] for _ in self._groups]
            for reader_id, (group_number, _) in self._places.items():
                members[group_number].append((reader_id, callback_for(reader_id)))
            for group, pairs in zip(self._groups, members, strict=True):
                group.announce(delta, pairs, called_at, credentials)

    def light(self, reader_id: str, color: LedColor, tenths: int = 10) -> Future[None]:
        """Light a reader's LED for `tenths` of a second (1 to 255); done when the reader has acknowledged.

        Fails with ReaderOffline, ReaderTimeout (1 s), ReaderRefused or FleetStopped.
        """
        if not 1 <= tenths <= 255:
            raise ValueError(f"{tenths} tenths of a second is not within 1 to 255")
        future: Future[None] = Future()
        group, link = self._find(reader_id)
        group.light(link, color, tenths, future)
        return future

    def rest(self, reader_id: str) -> list[Future[None]]:
        """Set lamp, buzzer and output of a reader to rest; one future each in the order of `commands.PROFILE`, done
        when the reader has acknowledged.

        They fail as `light` does; ReaderRefused names a capability that the reader does not report.
        """
        futures: list[Future[None]] = [Future() for _ in PROFILE]
        group, link = self._find(reader_id)
        group.rest(link, futures)
        return futures

    def change_setup(self, reader_id: str, setup: Setup) -> Future[None]:
        """Have a reader take another key (KEYSET; done when its channel is up with that key) or, if the key is the
        present one, another address and speed (COMSET; done when it has acknowledged).

        The caller must have made `setup` durable before, and must name it among the reader's `doubts` from then on
        until the reader has been up with it: if the power fails on the way, only that finds the reader again. Fails
        with ReaderOffline, ReaderTimeout, ReaderRefused or FleetStopped; the reader may have taken the setup even so.
        """
        future: Future[None] = Future()
        group, link = self._find(reader_id)
        group.change(link, setup, future)
        return future

    def send_list(self, reader_id: str, blob: bytes, epoch: int) -> Future[None]:
        """Have a reader keep this list (`listblob.AccessList.encode`) of this epoch; done when the reader confirms it,
        at once if it keeps the list already. Fails with ReaderOffline, ReaderRefused or FleetStopped.
        """
        future: Future[None] = Future()
        group, link = self._find(reader_id)
        group.send_list(link, blob, epoch, future)
        return future

    def read_id(self, reader_id: str) -> Future[DoorReaderIdentity]:
        """Return what the reader answered to ID and CAP when its present channel came up; fails with ReaderOffline."""
        future: Future[DoorReaderIdentity] = Future()
        group, link = self._find(reader_id)
        group.identity(link, future)
        return future

    def present(self, reader_id: str, credential: Credential) -> Future[AccessDecision]:
        """Hold a card to a simulated reader: a real CARDREAD over the secure channel, decided by the panel.

        Done when the reader has acknowledged all its signals. A reader that is cut off and keeps a list decides by the
        list, and no event reports it: the panel does not learn of it. NotSimulated at once for a real reader; the
        future fails with ReaderOffline, ReaderTimeout (3 s) or FleetStopped.
        """
        simulator = self._simulator_of(reader_id)
        group, link = self._find(reader_id)
        if (alone := simulator.get(reader_id)) is not None and alone.cut_off:
            return simulator.present_alone(alone, credential)
        presentation = Presentation(credential=credential, future=Future())

        def show() -> None:
            if not simulator.present(reader_id, credential, lambda: group.withdraw(link, presentation)):
                group.withdraw(link, presentation)

        group.expect(link, presentation, show)
        if presentation.future is None:
            raise UnknownDoorReader(reader_id)
        return presentation.future

    def unplug(self, reader_id: str) -> None:
        """Cut the line of a simulated reader; it is reported offline some 1.5 s later, as a real one would be."""
        self._simulator_of(reader_id).set_cut(reader_id, True)

    def plug(self, reader_id: str) -> None:
        """Connect the line of a simulated reader again; it is back within about 6 s."""
        self._simulator_of(reader_id).set_cut(reader_id, False)

    def simulated_reader(self, reader_id: str) -> SimulatedReader:
        """Return the simulated reader to look at (lamps, beeps, output, epoch); UnknownDoorReader while the fleet is
        stopped.
        """
        reader = self._simulator_of(reader_id).get(reader_id)
        if reader is None:
            raise UnknownDoorReader(f"{reader_id} is not running")
        return reader

    def _need_running(self) -> None:
        if not self._running:
            raise FleetStopped("the readers are stopped")

    def _find(self, reader_id: str) -> tuple[PanelGroup, ReaderLink]:
        with self._lock:
            if reader_id not in self._configs:
                raise UnknownDoorReader(f"there is no reader {reader_id}")
            self._need_running()
            return self._groups[self._places[reader_id][0]], self._links[reader_id]

    def _simulator_of(self, reader_id: str) -> Simulator:
        with self._lock:
            config = self._configs.get(reader_id)
        if config is None:
            raise UnknownDoorReader(f"there is no reader {reader_id}")
        if self._simulator is None or config.channel != _SIMULATED:
            raise NotSimulated(f"{reader_id} is a real reader")
        return self._simulator

    # Below: with the lock held.

    def _arrange(self) -> None:
        """Bring groups, panels and links in line with the configuration, moving no reader that has not changed."""
        for reader_id, link in self._links.items():
            config = self._configs.get(reader_id)
            if config == link.config and link.state.setup in config.setups:
                self._groups[self._places[reader_id][0]].adopt(link, config)
        gone = [
            reader_id
            for reader_id, link in self._links.items()
            if (config := self._configs.get(reader_id)) != link.config or link.state.setup not in config.setups
        ]
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
        """The free places (group, panel), without end, given how many readers each panel has."""
        group = 0
        while True:
            for panel in range(MAX_PANELS_PER_GROUP):
                for _ in range(MAX_DEVICES_PER_PANEL - load.get((group, panel), 0)):
                    yield group, panel
            group += 1

    def _members(self) -> dict[tuple[int, int], list[ReaderLink]]:
        members: dict[tuple[int, int], list[ReaderLink]] = {}
        for reader_id, place in self._places.items():
            members.setdefault(place, []).append(self._links[reader_id])
        return members

    def _link(self, config: DoorReaderConfig) -> ReaderLink:
        if config.channel == _SIMULATED and self._simulator is not None:
            return ReaderLink(
                config, self._simulator.add(config.reader_id, config.address, config.scbk, install=config.install)
            )
        return ReaderLink(config, open_channel(config.channel, config.setups[0].baud))
