"""Readers inside the process behave like PC/SC in everything a caller can see."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.cards import inprocess
from hardware.cards.backend import CardBusy, CardError, CardRemoved, NoCard, NoSuchReader
from hardware.cards.inprocess import InProcessBackend
from hardware.cards.software import SoftwareCard, Tear, TearPoint

SELECT = bytes.fromhex("00A4040005A00000030800")
VERIFY_STATUS = bytes.fromhex("00200080")


def loaded() -> InProcessBackend:
    backend = InProcessBackend(["R1", "R2"])
    backend.insert("R1", SoftwareCard())
    return backend


def test_readers_are_listed_in_their_order() -> None:
    """All readers are there, empty or not."""
    assert loaded().readers() == ["R1", "R2"]


def test_card_answers() -> None:
    """An inserted card answers APDUs."""
    with loaded().open("R1") as card:
        assert card.transmit(SELECT)[-2:] == b"\x90\x00"


def test_unknown_reader_is_told() -> None:
    """A reader that is not connected is no empty reader."""
    with pytest.raises(NoSuchReader):
        loaded().open("R9")


def test_empty_reader_is_told() -> None:
    """A reader without a card cannot be opened."""
    with pytest.raises(NoCard):
        loaded().open("R2")


def test_second_card_does_not_fit() -> None:
    """A reader holds one card."""
    with pytest.raises(CardBusy):
        loaded().insert("R1", SoftwareCard())


def test_open_card_is_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exclusive hold keeps others out, with a name for the holder."""
    monkeypatch.setattr(inprocess, "BUSY_PATIENCE", 0.01)
    backend = loaded()
    with backend.open("R1"), pytest.raises(CardBusy) as caught:
        backend.open("R1")
    assert caught.value.holder == "this program"


def test_open_waits_for_the_holder() -> None:
    """Who opens a held card gets it as soon as the holder lets go."""
    backend = loaded()
    first = backend.open("R1")
    got: list[bytes] = []

    def second() -> None:
        with backend.open("R1") as card:
            got.append(card.transmit(SELECT)[-2:])

    thread = threading.Thread(target=second)
    thread.start()
    first.close()
    thread.join()
    assert got == [b"\x90\x00"]


def test_removed_card_is_told() -> None:
    """After the card left, the old connection is of no use, even if another card comes."""
    backend = loaded()
    with backend.open("R1") as card:
        backend.remove("R1")
        backend.insert("R1", SoftwareCard())
        with pytest.raises(CardRemoved):
            card.transmit(SELECT)


def test_unplugged_reader_takes_its_card() -> None:
    """An unplugged reader is gone, and its card with it."""
    backend = loaded()
    with backend.open("R1") as card:
        backend.remove_reader("R1")
        with pytest.raises(CardRemoved):
            card.transmit(SELECT)
    assert backend.readers() == ["R2"]


def test_power_cycle_forgets_the_selection() -> None:
    """A fresh session starts without application and PIN."""
    with loaded().open("R1") as card:
        card.transmit(SELECT)
        assert card.transmit(VERIFY_STATUS) == b"\x63\xc3"
        card.reconnect_fresh()
        assert card.transmit(VERIFY_STATUS) != b"\x63\xc3"


def test_torn_card_is_removed_and_comes_back() -> None:
    """A tear breaks the connection; opened anew the same card answers."""
    backend = InProcessBackend(["R1"])
    card = SoftwareCard()
    card.arm(Tear(1, TearPoint.BEFORE))
    backend.insert("R1", card)
    with backend.open("R1") as torn, pytest.raises(CardRemoved):
        torn.transmit(SELECT)
    with backend.open("R1") as again:
        assert again.transmit(SELECT)[-2:] == b"\x90\x00"


def test_closing_twice_lets_go_once() -> None:
    """The second close of one connection does not take the card from the next holder."""
    backend = loaded()
    first = backend.open("R1")
    first.close()
    with backend.open("R1") as second:
        first.close()
        assert second.transmit(SELECT)[-2:] == b"\x90\x00"
        with pytest.raises(CardRemoved):
            first.transmit(SELECT)


@given(st.lists(st.sampled_from(["insert", "remove", "open", "close", "transmit"]), max_size=20))
def test_any_order_of_hands_ends_in_card_errors_only(actions: list[str]) -> None:
    """Whatever people do to a reader in whatever order, nothing but `CardError` is raised."""
    backend = InProcessBackend(["R"])
    cards = [SoftwareCard()]
    held = None
    for action in actions:
        try:
            if action == "insert" and cards:
                backend.insert("R", cards[-1])
                cards.pop()
            elif action == "remove":
                cards.append(backend.remove("R"))  # type: ignore[arg-type]
            elif action == "open" and held is None:
                held = backend.open("R")
            elif action == "close" and held is not None:
                held.close()
                held = None
            elif action == "transmit" and held is not None:
                held.transmit(SELECT)
        except CardError:
            continue
