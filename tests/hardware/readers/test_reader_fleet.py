"""The fleet over simulated readers: real OSDP with Secure Channel, in one process."""

from __future__ import annotations

import queue
import threading
import time
from concurrent.futures import Future
from concurrent.futures import wait as wait_for

import pytest

from hardware.readers.decision import Credential, DenyEntry, GrantTable
from hardware.readers.errors import (
    DoorReaderError,
    FleetStopped,
    NotSimulated,
    ReaderOffline,
    ReaderRefused,
    ReaderTimeout,
    UnknownDoorReader,
)
from hardware.readers.keys import generate_scbk
from hardware.readers.reader import Ack, DoorReaderConfig, LedColor
from tests.hardware.readers.reader_site import BADGE, Site, simulated, table

DIGEST = bytes(range(32))
BURN = DenyEntry("burn", "burn-1", 1)


def kinds(site: Site, reader_id: str) -> list[tuple[str, int]]:
    """What a reader was made to do: (kind, colour, repetitions or pulse time)."""
    pick = {"led": "on_color", "buzzer": "rep_count", "output": "timer_count"}
    return [
        (signal.kind, signal.fields[pick[signal.kind]]) for signal in site.fleet.simulated_reader(reader_id).signals
    ]


def test_hundred_readers_come_up_secure(site: Site) -> None:
    """More than one group's worth of readers is online over Secure Channel, firmware read."""
    site.fleet.configure(simulated(100))
    site.fleet.start()
    states = site.await_secure()
    assert {(state.online, state.firmware) for state in states.values()} == {(True, "1.3.0")}


def test_grant_opens_the_door_and_shows_green(running: Site) -> None:
    """A grant gives the output pulse, a green LED and one beep."""
    decision = running.fleet.present("reader-0", BADGE).result(10)
    assert decision.grant
    assert kinds(running, "reader-0") == [("output", 30), ("led", int(LedColor.GREEN)), ("buzzer", 1)]


@pytest.mark.parametrize("burned", [True, False])
def test_denials_look_alike_whatever_the_reason(running: Site, burned: bool) -> None:
    """A burned badge and an unknown one both get red and three beeps, and no pulse."""
    if burned:
        running.deny.nodes["node-0"] = BURN
    else:
        running.fleet.replace_grants(GrantTable())
    running.fleet.present("reader-0", BADGE).result(10)
    assert kinds(running, "reader-0") == [("led", int(LedColor.RED)), ("buzzer", 3)]


def test_burn_between_decision_and_pulse_keeps_the_door_shut(running: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """A granted door that has not been told to open yet is decided again; only the denial is shown and reported."""
    answers = iter([None])
    monkeypatch.setattr(running.deny, "denies_node", lambda node_id: next(answers, BURN))
    assert running.fleet.present("reader-0", BADGE).result(10).reason == "burned"
    assert kinds(running, "reader-0") == [("led", int(LedColor.RED)), ("buzzer", 3)]
    assert [event.reason for event in running.events] == ["burned"]


def test_access_event_names_the_burn_and_no_card_bits(running: Site) -> None:
    """The tripwire learns which burn it was; the event holds no card data."""
    running.deny.nodes["node-0"] = BURN
    running.fleet.present("reader-0", BADGE).result(10)
    event = running.events[-1]
    assert (event.reason, event.node_id, event.deny, event.reader_id) == ("burned", "node-0", BURN, "reader-0")
    assert BADGE.value not in [getattr(event, name) for name in event.__slots__]


def test_every_card_is_denied_before_grants_are_loaded(site: Site) -> None:
    """A fleet started without a grant table opens no door."""
    site.fleet.configure(simulated(1))
    site.fleet.start()
    site.await_secure()
    assert site.fleet.present("reader-0", BADGE).result(10).reason == "unknown_credential"


def test_deny_set_that_fails_keeps_the_door_shut(running: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error inside the deny view denies."""

    def fail(node_id: str) -> DenyEntry | None:
        raise RuntimeError(node_id)

    monkeypatch.setattr(running.deny, "denies_node", fail)
    assert not running.fleet.present("reader-0", BADGE).result(10).grant


def test_announce_is_acknowledged_by_threads_and_readers(running: Site) -> None:
    """Each reader answers with its thread's epoch and its own acknowledgement over the secure channel."""
    acks = [future.result(10) for future in running.fleet.announce(7, DIGEST).values()]
    assert [(ack.thread_epoch_acked, ack.delta_acked, ack.secure_channel) for ack in acks] == [(7, True, True)] * 4
    assert [delta.digest for delta in running.fleet.simulated_reader("reader-3").deltas] == [DIGEST]


def test_readers_answer_whatever_holds_the_simulation_up(running: Site) -> None:
    """Their own thread does not run at all: commands are answered, no channel is lost."""
    since = {reader_id: state.since for reader_id, state in running.fleet.states().items()}
    simulator, freed = running.fleet._simulator, threading.Event()
    assert simulator is not None
    simulator._post(freed.wait)
    try:
        for color in (LedColor.BLUE, LedColor.RED, LedColor.GREEN):
            for reader_id in since:
                running.fleet.light(reader_id, color).result(20)
    finally:
        freed.set()
    assert {reader_id: state.since for reader_id, state in running.fleet.states().items()} == since


def test_repeated_announce_sends_nothing_twice(running: Site) -> None:
    """An epoch that is acknowledged is acknowledged again without another delta."""
    wait_for(running.fleet.announce(7, DIGEST).values())
    acks = [future.result(10) for future in running.fleet.announce(7, DIGEST).values()]
    assert [ack.delta_acked for ack in acks] == [True] * 4
    assert len(running.fleet.simulated_reader("reader-0").deltas) == 1


def test_told_readers_answer_once_each(running: Site) -> None:
    """With what the future of an announcement would hold, also when the fleet stops before the reader answers."""
    came: queue.SimpleQueue[tuple[str, Ack | DoorReaderError]] = queue.SimpleQueue()
    told = running.fleet.tell(7, DIGEST, lambda reader_id, ack: came.put((reader_id, ack)))
    first = dict(came.get(timeout=10) for _ in told)
    assert {reader_id for reader_id, ack in first.items() if isinstance(ack, Ack) and ack.delta_acked} == told
    assert told == {f"reader-{number}" for number in range(4)}
    running.fleet.unplug("reader-0")
    running.fleet.tell(8, DIGEST, lambda reader_id, ack: came.put((reader_id, ack)))
    running.fleet.stop()
    then = dict(came.get(timeout=10) for _ in told)
    assert then.keys() == told
    assert isinstance(then["reader-0"], FleetStopped)
    assert came.empty()


def test_reader_without_deltas_still_has_its_thread_acknowledge(site: Site) -> None:
    """Where the controller decides, the thread's epoch is the proof."""
    site.fleet.configure(simulated(1, delta=False))
    site.fleet.start()
    site.await_secure()
    ack = site.fleet.announce(3, DIGEST)["reader-0"].result(10)
    assert (ack.thread_epoch_acked, ack.delta_acked) == (3, None)
    assert len(site.fleet.simulated_reader("reader-0").deltas) == 0


def test_badge_granted_before_is_denied_after_the_burn(running: Site) -> None:
    """The main job: grant, burn, deny."""
    assert running.fleet.present("reader-1", BADGE).result(10).grant
    running.deny.nodes["node-0"] = BURN
    wait_for(running.fleet.announce(1, DIGEST).values())
    assert running.fleet.present("reader-1", BADGE).result(10).reason == "burned"


@pytest.mark.parametrize(("count", "least"), [(8, 0), pytest.param(96, 105, marks=pytest.mark.campaign)])
def test_no_pulse_reaches_a_reader_after_its_acknowledgement(site: Site, count: int, least: int) -> None:
    """Burns race presentations over the wire: after a reader's Ack its output is never pulsed for the burned node. The
    campaign has 10,080 presentations."""
    badges = [Credential("wiegand", 32, n.to_bytes(4, "big")) for n in range(count)]
    site.fleet.configure(simulated(count))
    site.fleet.replace_grants(table(*badges))
    site.fleet.start()
    site.await_secure()
    openings_at_ack: dict[int, int] = {}
    after: dict[int, list[bool]] = {n: [] for n in range(count)}
    before: dict[int, list[bool]] = {n: [] for n in range(count)}

    def hammer(n: int) -> None:
        while len(after[n]) < 4 or len(after[n]) + len(before[n]) < least:
            burned = n in openings_at_ack
            granted = site.fleet.present(f"reader-{n}", badges[n]).result(10).grant
            (after if burned else before)[n].append(granted)

    def burn(n: int) -> Future[Ack]:
        def note(_: Future[Ack]) -> None:
            openings_at_ack[n] = site.fleet.simulated_reader(f"reader-{n}").openings

        site.deny.nodes[f"node-{n}"] = DenyEntry("burn", f"burn-{n}", n + 1)
        future = site.fleet.announce(n + 1, DIGEST)[f"reader-{n}"]
        future.add_done_callback(note)
        return future

    threads = [threading.Thread(target=hammer, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for n in range(count):
        site.fleet.present(f"reader-{n}", badges[n]).result(10)  # paced by the wire itself
        assert burn(n).result(10).thread_epoch_acked >= n + 1
    for thread in threads:
        thread.join()
    assert any(any(grants) for grants in before.values())
    assert [any(grants) for grants in after.values()] == [False] * count
    assert {n: site.fleet.simulated_reader(f"reader-{n}").openings for n in range(count)} == openings_at_ack


def test_unplugged_reader_is_offline_then_back_with_its_delta(running: Site) -> None:
    """A burn during the absence is acknowledged by the thread at once and by the reader when it is back."""
    running.fleet.unplug("reader-2")
    running.await_states(lambda states: not states["reader-2"].online)
    ack = running.fleet.announce(9, DIGEST)["reader-2"].result(10)
    assert (ack.thread_epoch_acked, ack.delta_acked, ack.secure_channel) == (9, None, False)
    running.fleet.plug("reader-2")
    states = running.await_states(lambda states: states["reader-2"].epoch == 9)
    assert states["reader-2"].secure_channel
    assert running.fleet.simulated_reader("reader-2").epoch == 9


def test_command_to_a_dead_reader_ends_at_its_deadline_and_is_never_sent_later(running: Site) -> None:
    """After a second the caller is told; the reader that comes back does not act on the old command."""
    running.fleet.unplug("reader-1")
    with pytest.raises(ReaderTimeout):
        running.fleet.light("reader-1", LedColor.BLUE).result(10)
    running.fleet.plug("reader-1")
    running.await_states(lambda states: states["reader-1"].secure_channel)
    running.fleet.light("reader-1", LedColor.AMBER).result(10)
    assert kinds(running, "reader-1") == [("led", int(LedColor.AMBER))]


def test_flood_of_lamps_is_refused(running: Site) -> None:
    """Commands wait in a bounded queue: the panel polls for cards only between them."""
    running.fleet.unplug("reader-1")
    futures = [running.fleet.light("reader-1", LedColor.BLUE) for _ in range(66)]
    assert isinstance(futures[-1].exception(10), ReaderRefused)


def test_presentation_at_an_offline_reader_is_refused(running: Site) -> None:
    """Nobody decides at a reader that is away."""
    running.fleet.unplug("reader-1")
    running.await_states(lambda states: not states["reader-1"].online)
    with pytest.raises(ReaderOffline):
        running.fleet.present("reader-1", BADGE).result(10)


def test_identity_is_what_the_reader_reported(running: Site) -> None:
    """ID and CAP are read back."""
    identity = running.fleet.read_id("reader-0").result(10)
    assert identity.firmware == "1.3.0"
    assert {"led", "output", "buzzer", "secure_channel"} <= identity.capabilities.keys()


def test_enrolment_window_gives_a_reader_its_key(site: Site) -> None:
    """A reader without a key takes the registered one over the default key and comes up secure with it."""
    key = generate_scbk()
    site.fleet.configure([DoorReaderConfig("new", "north", "simulated:", 1, key, install=True)])
    site.fleet.start()
    site.await_secure()
    reader = site.fleet.simulated_reader("new")
    assert (reader.scbk, reader.install) == (key, False)


def test_reconfiguration_keeps_the_others_and_adds_and_removes(running: Site) -> None:
    """Readers come and go while the fleet runs."""
    first, *_, last = running.configs
    running.fleet.configure([first, DoorReaderConfig("extra", "south", "simulated:", 2, generate_scbk())])
    states = running.await_secure()
    assert set(states) == {"reader-0", "extra"}
    assert running.fleet.present("extra", BADGE).result(10).reason == "wrong_cluster"
    with pytest.raises(UnknownDoorReader):
        running.fleet.light(last.reader_id, LedColor.RED)


def test_reader_in_another_panel_is_not_disturbed_by_a_change(site: Site) -> None:
    """Only the panel whose readers changed is rebuilt."""
    configs = simulated(40)
    site.fleet.configure(configs)
    site.fleet.start()
    before = site.await_secure()
    site.fleet.configure(configs[:-1])
    after = site.await_secure()
    assert before["reader-0"].since == after["reader-0"].since


@pytest.mark.parametrize(
    "readers",
    [
        [*simulated(1), *simulated(1)],
        [DoorReaderConfig(name, "c", "tcp://127.0.0.1:9", 1, generate_scbk()) for name in ("a", "b")],
    ],
)
def test_ambiguous_configuration_changes_nothing(running: Site, readers: list[DoorReaderConfig]) -> None:
    """An id or a line twice is refused whole."""
    with pytest.raises(ValueError, match=r"twice|share"):
        running.fleet.configure(readers)
    assert len(running.fleet.states()) == 4


def test_simulation_needs_permission() -> None:
    """A production fleet takes no simulated reader."""
    with pytest.raises(ValueError, match="not allowed"):
        Site(simulated=False).fleet.configure(simulated(1))


def test_only_simulated_readers_can_be_presented_with_a_card(site: Site) -> None:
    """A real reader cannot be played."""
    site.fleet.configure([DoorReaderConfig("real", "north", "tcp://127.0.0.1:9", 1, generate_scbk())])
    site.fleet.start()
    with pytest.raises(NotSimulated):
        site.fleet.present("real", BADGE)


def test_stop_leaves_no_thread_and_answers_everybody(running: Site) -> None:
    """Whatever waits fails as stopped, and every thread is gone."""
    running.fleet.unplug("reader-0")
    waiting = running.fleet.light("reader-0", LedColor.RED)
    running.fleet.stop()
    assert isinstance(waiting.exception(10), FleetStopped)
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("osdp")] == []


def test_stopped_fleet_refuses(running: Site) -> None:
    """After stop nothing is accepted."""
    running.fleet.stop()
    with pytest.raises(FleetStopped):
        running.fleet.announce(1, DIGEST)


def test_fleet_can_be_started_again(running: Site) -> None:
    """Stop and start bring the same readers back."""
    running.fleet.stop()
    running.fleet.start()
    running.await_secure()
    assert running.fleet.present("reader-0", BADGE).result(10).grant


def test_callback_that_fails_does_not_stop_the_panel(site: Site) -> None:
    """The door goes on deciding when a subscriber breaks."""

    def broken(event: object) -> None:
        raise RuntimeError("subscriber")

    site.fleet._shared.on_access = broken
    site.fleet.configure(simulated(1))
    site.fleet.replace_grants(table(BADGE))
    site.fleet.start()
    site.await_secure()
    assert [site.fleet.present("reader-0", BADGE).result(10).grant for _ in range(2)] == [True, True]


def test_deltas_missed_one_by_one_are_replayed_in_order(running: Site) -> None:
    """Every step above the acknowledged epoch is replayed, oldest first."""
    running.fleet.unplug("reader-3")
    running.await_states(lambda states: not states["reader-3"].online)
    for epoch in (4, 5, 6):
        wait_for(running.fleet.announce(epoch, DIGEST).values())
    running.fleet.plug("reader-3")
    running.await_states(lambda states: states["reader-3"].epoch == 6)
    assert [delta.epoch for delta in running.fleet.simulated_reader("reader-3").deltas] == [4, 5, 6]


def test_epochs_announced_out_of_order_all_arrive(running: Site) -> None:
    """Two burns at once may be announced in either order; the acknowledged epoch counts only without gaps."""
    futures = [*running.fleet.announce(11, DIGEST).values(), *running.fleet.announce(10, DIGEST).values()]
    assert {future.result(10).delta_acked for future in futures} == {True}
    states = running.await_states(lambda states: all(state.epoch == 11 for state in states.values()))
    assert time.time() >= max(state.since for state in states.values())
