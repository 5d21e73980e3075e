"""Tear switches: what a card that was pulled out remembers."""

import threading
from typing import TYPE_CHECKING

import pytest

from hardware.cards.software import CardAbsent, Quirks, SoftwareCard, Tear, TearPoint, keys
from hardware.cards.tlv import encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.hardware.cards.software.conftest import Host

    HostOf = Callable[[SoftwareCard], Host]


def _torn_write(host_of: "HostOf", card: SoftwareCard, tear: Tear) -> tuple[bytes, int]:
    """Write 600 bytes (three blocks), torn; put the card in again and read."""
    host = host_of(card)
    host.authenticate()
    card.arm(tear)
    with pytest.raises(CardAbsent):
        host.put(0x5FC105, bytes(range(200)) * 3)
    card.power(True)
    host.select()
    return host.get(0x5FC105)


def test_torn_before_the_last_block_nothing_is_written(host_of: "HostOf") -> None:
    """Pulled before APDU 3 of a chain of three the object does not exist."""
    assert _torn_write(host_of, SoftwareCard(), Tear(3, TearPoint.BEFORE))[1] == 0x6A82


def test_torn_after_the_last_block_the_object_is_there(host_of: "HostOf") -> None:
    """Pulled after APDU 3 only the answer is lost."""
    body, status = _torn_write(host_of, SoftwareCard(), Tear(3, TearPoint.AFTER))
    assert (body, status) == (encode(0x53, bytes(range(200)) * 3), 0x9000)


def test_torn_between_blocks_nothing_is_written(host_of: "HostOf") -> None:
    """Pulled inside the chain a sound card keeps the old content: none."""
    assert _torn_write(host_of, SoftwareCard(), Tear(1, TearPoint.BETWEEN))[1] == 0x6A82


def test_torn_between_blocks_a_quirky_card_keeps_250_bytes(host_of: "HostOf") -> None:
    """The other card keeps what the first block of 255 brought behind the tag list, and answers 9000."""
    card = SoftwareCard(quirks=Quirks(keeps_partial_chain=True))
    body, status = _torn_write(host_of, card, Tear(1, TearPoint.BETWEEN))
    assert (len(body), status, body[:4].hex()) == (250, 0x9000, "53820258")


def test_quirky_card_keeps_no_bytes_of_a_stranger(host_of: "HostOf") -> None:
    """Without 9B a torn chain writes nothing even there."""
    card = SoftwareCard(quirks=Quirks(keeps_partial_chain=True))
    host = host_of(card)
    card.arm(Tear(1, TearPoint.BETWEEN))
    with pytest.raises(CardAbsent):
        host.put(0x5FC105, bytes(600))
    card.power(True)
    host.select()
    assert host.get(0x5FC105)[1] == 0x6A82


def test_torn_card_stays_out(host_of: "HostOf") -> None:
    """Until it is put in again nothing is answered."""
    card = SoftwareCard()
    host = host_of(card)
    card.arm(Tear(1, TearPoint.BEFORE))
    for _ in range(2):
        with pytest.raises(CardAbsent):
            host.verify()
    card.power(True)
    assert host.select() == 0x9000


def test_tear_goes_off_once(host_of: "HostOf") -> None:
    """Put in again the card works on."""
    card = SoftwareCard()
    host = host_of(card)
    card.arm(Tear(1, TearPoint.AFTER))
    with pytest.raises(CardAbsent):
        host.verify()
    card.power(True)
    assert [host.select(), host.verify(), host.verify()] == [0x9000] * 3


def test_wrong_try_counts_though_its_answer_is_lost(host_of: "HostOf") -> None:
    """Pulling the card after a wrong PIN wins no try."""
    card = SoftwareCard()
    host = host_of(card)
    card.arm(Tear(1, TearPoint.AFTER))
    with pytest.raises(CardAbsent):
        host.verify(b"999999\xff\xff")
    card.power(True)
    host.select()
    assert host.status("00200080") == 0x63C2


def test_loss_of_power_waits_for_the_command_that_runs(host_of: "HostOf", monkeypatch: pytest.MonkeyPatch) -> None:
    """Pulled by another thread while a key is made, the card finishes the key and loses power after it."""
    card = SoftwareCard()
    host = host_of(card)
    host.authenticate()
    puller = threading.Thread(target=card.power, args=(False,))
    really = keys.generate

    def pulled(algorithm: int) -> keys.CardKey:
        puller.start()
        puller.join(0.05)
        assert puller.is_alive()
        return really(algorithm)

    monkeypatch.setattr(keys, "generate", pulled)
    host.generate(0x9A)
    puller.join(10)
    with pytest.raises(CardAbsent):
        host.select()
