"""PIN reset on a software card: the PUK goes to the right card, once; whatever a card answers, the caller is told."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from cryptography import x509
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.cards.apdu import ApduChannel
from hardware.cards.backend import (
    CardConnection,
    CardError,
    CardLocked,
    CardTorn,
    CardUnproven,
    TransportError,
    WrongCard,
)
from hardware.cards.inprocess import InProcessBackend
from hardware.cards.personalize import Personalizer
from hardware.cards.pin_reset import IssuedCard, reset_pin
from hardware.cards.piv import Algorithm, PivSession, Slot
from hardware.cards.profile import SlotResult
from hardware.cards.scp03 import StaticKeys
from hardware.cards.software import SoftwareCard
from hardware.cards.steps import NoJournal
from tests.hardware.cards.card_site import PIN, PUK, ScriptedConnection, TestSite, new_secrets

NEW = "27491830"
SITE = TestSite()


class Written:
    """A personalized card in a reader, and what its record knows of it."""

    def __init__(self, algorithm: Algorithm = Algorithm.P256) -> None:
        self.card = SoftwareCard()
        self.backend = InProcessBackend(["R"])
        self.backend.insert("R", self.card)
        profile = SITE.profile(algorithms=dict.fromkeys(Slot, algorithm))
        with self.backend.open("R") as connection:
            made = Personalizer(SITE).run(ApduChannel(connection), profile, new_secrets())
        self.guid = made.guid
        self.slots = {slot.slot: slot for slot in made.slots}

    def known(self, *, guid: UUID | None = None, slot: SlotResult | None = None, puk: str = PUK) -> IssuedCard:
        """The record, altered."""
        shown = slot or self.slots[Slot.CARD_AUTHENTICATION]
        return IssuedCard(guid or self.guid, x509.load_der_x509_certificate(shown.certificate), shown.algorithm, puk)

    def reset(self, known: IssuedCard, journal: NoJournal | None = None) -> list[int]:
        """A reset with this record; the instructions that were sent."""
        with self.backend.open("R") as connection:
            channel = ApduChannel(connection)
            reset_pin(channel, known, [NEW], journal or NoJournal(), None, None)
            return [int(entry.header[2:4], 16) for entry in channel.trace.entries]

    def takes(self, pin: str) -> bool:
        """Whether the card takes the PIN."""
        with self.backend.open("R") as connection:
            piv = PivSession(ApduChannel(connection))
            piv.select()
            try:
                piv.verify(pin)
            except CardError:
                return False
            return True


class Bent(ScriptedConnection):
    """The written card behind a wire that bends its ``at``-th answer."""

    def __init__(self, inner: CardConnection, at: int, bend: Callable[[bytes], bytes]) -> None:
        self._inner = inner
        self._at = at
        self._bend = bend
        super().__init__(self._hears, inner.atr)

    def _hears(self, apdu: bytes) -> bytes:
        answer = self._inner.transmit(apdu)
        return self._bend(answer) if len(self.sent) == self._at else answer

    def reconnect_fresh(self) -> None:
        super().reconnect_fresh()
        self._inner.reconnect_fresh()


@pytest.mark.parametrize("algorithm", [Algorithm.P256, Algorithm.P384, Algorithm.RSA_2048])
def test_the_order_is_six_commands(algorithm: Algorithm) -> None:
    """SELECT, CHUID, 9E, RESET RETRY COUNTER; from anew SELECT, VERIFY: for each kind of key."""
    written = Written(algorithm)
    assert written.reset(written.known()) == [0xA4, 0xCB, 0x87, 0x2C, 0xA4, 0x20]
    assert written.takes(NEW)
    assert not written.takes(PIN)


def test_everything_goes_through_the_channel() -> None:
    """Where the card's channel keys are known, neither PUK nor PIN crosses the wire in clear, in both sessions."""
    written = Written()
    with written.backend.open("R") as inner:
        connection = Bent(inner, 0, lambda answer: answer)
        known = dataclasses.replace(written.known(), channel=StaticKeys.default())
        reset_pin(ApduChannel(connection), known, [NEW], NoJournal(), None, None)
        sent = b"".join(connection.sent)
    assert [apdu[1] for apdu in connection.sent].count(0x50) == 2
    assert PUK.encode() not in sent
    assert NEW.encode() not in sent
    assert written.takes(NEW)


class Heard(NoJournal):
    """Which steps were announced."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    def before(self, step: str, digest: bytes | None) -> None:
        assert digest is None  # a digest of a PIN would be the PIN
        self.steps.append(step)


@pytest.mark.parametrize("wrong", ["guid", "key"])
def test_another_card_hears_no_puk(wrong: str) -> None:
    """Another GUID, or the right one without the right key: nothing is announced, nothing sent."""
    written = Written()
    known = written.known(guid=uuid4()) if wrong == "guid" else written.known(slot=written.slots[Slot.AUTHENTICATION])
    journal = Heard()
    with pytest.raises(WrongCard):
        written.reset(known, journal)
    assert journal.steps == []
    assert written.takes(PIN)


def test_a_wrong_puk_costs_one_try() -> None:
    """Locked, with the tries that are left; the PIN is the old one."""
    written = Written()
    with pytest.raises(CardLocked, match="2 tries left"):
        written.reset(written.known(puk="00000000"))
    assert written.takes(PIN)


def test_a_card_that_tells_no_tries_is_locked_too() -> None:
    """6300 is a wrong PUK as well: it is not sent again."""
    written = Written()
    with written.backend.open("R") as inner:
        connection = Bent(inner, 4, lambda _: bytes.fromhex("6300"))
        with pytest.raises(CardLocked, match="not the one of this card; none more"):
            reset_pin(ApduChannel(connection), written.known(), [NEW], NoJournal(), None, None)
    assert [apdu[1] for apdu in connection.sent].count(0x2C) == 1


def test_a_record_shows_no_secret() -> None:
    """Neither PUK nor anything else stands in a log by mistake."""
    assert PUK not in repr(Written().known())


WRITTEN = Written()


@settings(max_examples=200)
@given(
    at=st.integers(1, 8),
    how=st.sampled_from(["replaced", "status", "cut", "flipped", "lost"]),
    rubbish=st.binary(min_size=2, max_size=64),
    place=st.integers(0, 10_000),
)
def test_whatever_a_card_answers_the_puk_is_sent_once(at: int, how: str, rubbish: bytes, place: int) -> None:
    """Answers altered, cut, lost or invented: a CardError or a proven PIN, and at most one command with the PUK; an
    error after the card took it never says that the PIN is the old one."""

    def bend(answer: bytes) -> bytes:
        here = place % len(answer)
        match how:
            case "replaced":
                return rubbish
            case "status":
                return answer[:-2] + rubbish[:2]
            case "cut":
                return answer[:here]
            case "flipped":
                return answer[:here] + bytes((answer[here] ^ (rubbish[0] or 1),)) + answer[here + 1 :]
            case _:
                raise TransportError("pulled out")

    with WRITTEN.backend.open("R") as inner:
        connection = Bent(inner, at, bend)
        channel = ApduChannel(connection)
        told: CardError | None = None
        try:
            reset_pin(channel, WRITTEN.known(), [NEW], NoJournal(), None, None)
        except CardError as error:
            told = error
        if any(entry.header[2:4] == "2C" and entry.sw == 0x9000 for entry in channel.trace.entries):
            assert told is None or isinstance(told, CardTorn | CardUnproven)
        assert [sent[1] for sent in connection.sent].count(0x2C) <= 1
