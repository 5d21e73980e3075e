"""Keys, addresses and lists that readers are given while they run: KEYSET, COMSET, FILETRANSFER over Secure Channel."""

from __future__ import annotations

import dataclasses
import time

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hardware.readers import lines
from hardware.readers.decision import Credential
from hardware.readers.delta import DeltaOperation
from hardware.readers.errors import ReaderRefused
from hardware.readers.keys import generate_scbk
from hardware.readers.listblob import AccessList, ListTrust
from hardware.readers.reader import DoorReaderConfig, LedColor, Setup
from tests.hardware.readers.reader_site import BADGE, Site, simulated, table

SIGNER = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
TRUST = ListTrust(b"k" * 16, SIGNER.public_key().public_bytes_raw())
DIGEST = bytes(range(32))


def keep(site: Site, count: int = 1) -> None:
    """`count` simulated readers that keep lists, secure."""
    site.configs = simulated(count, trust=TRUST)
    site.fleet.configure(site.configs)
    site.fleet.replace_grants(table(BADGE))
    site.fleet.start()
    site.await_secure()


def listed(epoch: int, *credentials: Credential, seconds: int = 600, signer: Ed25519PrivateKey = SIGNER) -> bytes:
    """A signed list of these, from now on."""
    now = int(time.time())
    return AccessList.build(TRUST, epoch, now, now + seconds, [(each, now + seconds) for each in credentials]).encode(
        signer.sign
    )


def cut(site: Site, reader_id: str = "reader-0") -> None:
    """Unplugs the reader and waits until the panel knows."""
    site.fleet.unplug(reader_id)
    site.await_states(lambda states: not states[reader_id].online)


def test_a_reader_takes_a_new_key_and_is_served_over_it(running: Site) -> None:
    """The channel is built anew with the new key; the door works."""
    old = running.configs[0]
    key = generate_scbk()
    running.fleet.change_setup("reader-0", Setup(old.address, old.baud, key)).result(5)
    assert running.fleet.simulated_reader("reader-0").scbk == key
    state = running.fleet.states()["reader-0"]
    assert state.secure_channel
    assert state.setup == Setup(old.address, old.baud, key)
    assert running.fleet.present("reader-0", BADGE).result(5).grant


def test_a_promoted_key_does_not_disturb_the_reader(running: Site) -> None:
    """The configuration that names the new key is taken over without a new channel; the others never notice."""
    old = running.configs[0]
    key = generate_scbk()
    running.fleet.change_setup("reader-0", Setup(old.address, old.baud, key)).result(5)
    since = {reader_id: state.since for reader_id, state in running.fleet.states().items()}
    running.fleet.configure([dataclasses.replace(old, scbk=key), *running.configs[1:]])
    running.fleet.light("reader-0", LedColor.BLUE).result(5)
    assert {reader_id: state.since for reader_id, state in running.fleet.states().items()} == since


@pytest.mark.parametrize("taken", [True, False])
def test_a_key_in_doubt_is_tried_new_then_old(site: Site, taken: bool) -> None:
    """Whether it took the new key before the power failed or not: it comes up, and the state says with which."""
    old, new = generate_scbk(), generate_scbk()
    held = new if taken else old
    config = DoorReaderConfig("door", "north", "simulated:", 1, old, doubts=(Setup(1, 9600, new),))
    # The simulated reader is made with the registered key; the other case is that the registered one is the new.
    site.fleet.configure(
        [config if not taken else dataclasses.replace(config, scbk=new, doubts=(Setup(1, 9600, old),))]
    )
    site.fleet.start()
    state = site.await_secure()["door"]
    assert state.setup == Setup(1, 9600, held)


def test_a_reader_moves_to_another_address_and_speed(running: Site) -> None:
    """COMSET; what is sent afterwards reaches it at its new address."""
    old = running.configs[1]
    running.fleet.change_setup("reader-1", Setup(77, 115200, old.scbk)).result(5)
    running.fleet.light("reader-1", LedColor.BLUE).result(5)
    reader = running.fleet.simulated_reader("reader-1")
    assert (reader.address, reader.baud) == (77, 115200)
    assert running.fleet.states()["reader-1"].setup == Setup(77, 115200, old.scbk)


def test_a_reader_left_at_another_address_is_found(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The address that it may have been left with is tried as well, where the registered one stays silent."""
    monkeypatch.setattr(lines, "_CONNECT_SECONDS", 1.0)
    key = generate_scbk()
    site.fleet.configure([DoorReaderConfig("door", "north", "simulated:", 3, key, doubts=(Setup(9, 9600, key),))])
    site.fleet.start()
    state = site.await_secure()["door"]
    assert state.setup == Setup(3, 9600, key)


def test_rest_reaches_lamp_buzzer_and_output(running: Site) -> None:
    """Each is acknowledged; the door is not opened by it."""
    for future in running.fleet.rest("reader-0"):
        future.result(5)
    reader = running.fleet.simulated_reader("reader-0")
    assert [signal.kind for signal in reader.signals] == ["led", "buzzer", "output"]
    assert reader.openings == 0


def test_a_list_is_taken_and_decides_when_the_line_is_cut(site: Site) -> None:
    """Who stands on it passes, who does not is unknown; the panel is not asked."""
    keep(site)
    site.fleet.send_list("reader-0", listed(4, BADGE), 4).result(5)
    assert site.fleet.states()["reader-0"].epoch == 4
    cut(site)
    assert site.fleet.present("reader-0", BADGE).result(5).reason == "granted"
    assert site.fleet.present("reader-0", Credential("raw", 8, b"x")).result(5).reason == "unknown_credential"
    assert (site.fleet.simulated_reader("reader-0").openings, site.events) == (1, [])


def test_a_list_of_64_kib_arrives_whole(site: Site) -> None:
    """2,700 credentials; it is not sent again when the reader has it."""
    keep(site)
    blob = listed(2, *(Credential("raw", 32, n.to_bytes(4, "big")) for n in range(2700)))
    site.fleet.send_list("reader-0", blob, 2).result(20)
    site.fleet.send_list("reader-0", blob, 2).result(5)
    assert len(site.fleet.simulated_reader("reader-0").onboard) == 2700


def test_many_readers_of_a_panel_take_different_lists(site: Site) -> None:
    """The library cannot tell them apart, so they take turns; each ends with its own."""
    keep(site, 6)
    cards = [Credential("raw", 8, bytes([n])) for n in range(3)]
    futures = [site.fleet.send_list(f"reader-{n}", listed(3, cards[n % 3]), 3) for n in range(6)]
    for future in futures:
        future.result(20)
    for n in range(6):
        site.fleet.unplug(f"reader-{n}")
        assert [site.fleet.present(f"reader-{n}", card).result(5).grant for card in cards] == [
            m == n % 3 for m in range(3)
        ]


@pytest.mark.parametrize("case", ["epoch", "signature"])
def test_a_list_that_a_reader_refuses_is_told(site: Site, case: str) -> None:
    """A lower epoch and a foreign signature: the reader keeps what it has, and the sender learns of it."""
    keep(site)
    site.fleet.send_list("reader-0", listed(5, BADGE), 5).result(5)
    stranger = Ed25519PrivateKey.generate()
    bad = listed(4) if case == "epoch" else listed(9, signer=stranger)
    with pytest.raises(ReaderRefused, match="refused the list"):
        site.fleet.send_list("reader-0", bad, 4 if case == "epoch" else 9).result(5)
    cut(site)
    assert site.fleet.present("reader-0", BADGE).result(5).grant


def test_a_reader_without_a_list_is_told_so(running: Site) -> None:
    """It was not registered to keep one."""
    with pytest.raises(ReaderRefused, match="keeps no list"):
        running.fleet.send_list("reader-0", listed(1), 1).result(5)


def test_a_burn_takes_the_badge_off_the_list(site: Site) -> None:
    """The delta names it under the cluster's key; cut off, the reader denies."""
    keep(site)
    site.deny.held["node-0"] = (BADGE,)
    site.fleet.send_list("reader-0", listed(4, BADGE), 4).result(5)
    ack = site.fleet.announce(5, DIGEST, node_id="node-0")["reader-0"].result(5)
    assert ack.delta_acked is True
    cut(site)
    assert site.fleet.present("reader-0", BADGE).result(5).reason == "unknown_credential"


def test_a_burn_over_a_gap_waits_for_the_list(site: Site) -> None:
    """The reader asks, is sent the list, and the burn is acknowledged by that."""
    keep(site)
    site.deny.held["node-0"] = (BADGE,)
    site.fleet.send_list("reader-0", listed(4, BADGE), 4).result(5)
    ack = site.fleet.announce(9, DIGEST, node_id="node-0")["reader-0"]
    assert site.gaps.get(timeout=5) == "reader-0"
    site.fleet.send_list("reader-0", listed(9), 9).result(5)
    assert ack.result(5).delta_acked is True
    assert site.fleet.states()["reader-0"].epoch == 9


def test_a_burn_whose_gap_nobody_fills_is_not_acknowledged(site: Site) -> None:
    """After a second the answer is no; the denial itself is in force at the reader all the same."""
    keep(site)
    site.deny.held["node-0"] = (BADGE,)
    site.fleet.send_list("reader-0", listed(4, BADGE), 4).result(5)
    assert site.fleet.announce(9, DIGEST, node_id="node-0")["reader-0"].result(5).delta_acked is False
    cut(site)
    assert not site.fleet.present("reader-0", BADGE).result(5).grant


def test_a_sync_asks_for_the_list(site: Site) -> None:
    """A delta cannot carry a grant."""
    keep(site)
    site.fleet.announce(1, DIGEST, DeltaOperation.SYNC)
    assert site.gaps.get(timeout=5) == "reader-0"
