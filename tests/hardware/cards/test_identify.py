"""What a card is: its names in order, its state, and that asking costs nothing."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.cards import inprocess
from hardware.cards.apdu import ApduChannel
from hardware.cards.backend import CardTorn, TransportError
from hardware.cards.identify import CardState, UidSource, identify, identify_reader
from hardware.cards.inprocess import InProcessBackend
from hardware.cards.personalize import Personalizer
from hardware.cards.software import SELF_ATTESTING_CARD, SIMPLE_CARD, Quirks, SoftwareCard, Tear, TearPoint
from tests.hardware.cards.card_site import PIN, ScriptedConnection, TestSite, new_secrets

SITE = TestSite()


def backend_of(card: SoftwareCard) -> InProcessBackend:
    backend = InProcessBackend(["R"])
    backend.insert("R", card)
    return backend


def personalize(backend: InProcessBackend, site: TestSite = SITE) -> uuid.UUID:
    profile = site.profile()
    with backend.open("R") as connection:
        Personalizer(site).run(ApduChannel(connection), profile, new_secrets())
    return profile.guid


def test_serial_number_is_the_best_name() -> None:
    """A vendor serial comes before all else; the others stay as aliases."""
    identity = identify_reader(backend_of(SoftwareCard(serial=12345678)), "R")
    assert (identity.hardware_uid, identity.uid_source) == ("12345678", UidSource.SERIAL)
    assert identity.aliases[-1] == "reader:R"
    assert len(identity.aliases) == 2


def test_serial_zero_is_no_name() -> None:
    """A card that claims serial 0 has none."""
    identity = identify_reader(backend_of(SoftwareCard(serial=0)), "R")
    assert identity.uid_source is UidSource.CPLC


def test_chip_serial_is_the_second_name() -> None:
    """Without a vendor serial the chip's production data name the card."""
    identity = identify_reader(backend_of(SoftwareCard()), "R")
    assert identity.uid_source is UidSource.CPLC
    assert len(bytes.fromhex(identity.hardware_uid)) == 12


@pytest.mark.parametrize("quirks", [SIMPLE_CARD, SELF_ATTESTING_CARD])
def test_guid_is_the_third_name(quirks: Quirks) -> None:
    """Cards that refuse their chip data are named by the CHUID's GUID, and a random factory GUID leaves them blank."""
    identity = identify_reader(backend_of(SoftwareCard(quirks=quirks)), "R")
    assert (identity.hardware_uid, identity.uid_source) == (str(identity.card_guid), UidSource.GUID)
    assert identity.state is CardState.BLANK


def test_nameless_card_is_known_by_its_reader() -> None:
    """A card without any name of its own goes by its reader."""
    identity = identify_reader(backend_of(SoftwareCard(quirks=Quirks(cplc_status=0x6E00))), "R")
    assert (identity.hardware_uid, identity.uid_source, identity.aliases) == ("reader:R", UidSource.READER, ())


def test_blank_card() -> None:
    """A factory card is blank and names no node."""
    identity = identify_reader(backend_of(SoftwareCard()), "R", SITE.authorities)
    assert (identity.state, identity.node_id, identity.pin_tries) == (CardState.BLANK, None, 3)


def test_written_card_names_its_node() -> None:
    """A personalized card is provisioned; GUID, node and expiry are read from it."""
    backend = backend_of(SoftwareCard())
    guid = personalize(backend)
    identity = identify_reader(backend, "R", SITE.authorities)
    assert (identity.state, identity.card_guid, identity.node_id) == (CardState.PROVISIONED, guid, "node-0007")
    assert identity.expires == SITE.expires.date()


def test_card_of_another_site_is_foreign() -> None:
    """A node's name means nothing under another authority."""
    backend = backend_of(SoftwareCard())
    personalize(backend, TestSite())
    identity = identify_reader(backend, "R", SITE.authorities)
    assert (identity.state, identity.node_id) == (CardState.FOREIGN, None)


def test_card_with_blocked_pin_is_locked() -> None:
    """No tries left is a state of its own; what the card is else stays readable."""
    backend = backend_of(SoftwareCard())
    personalize(backend)
    with backend.open("R") as connection:
        connection.transmit(bytes.fromhex("00A4040005A00000030800"))
        for _ in range(3):
            connection.transmit(bytes.fromhex("0020008008") + b"99999999")
    identity = identify_reader(backend, "R", SITE.authorities)
    assert (identity.state, identity.pin_tries, identity.node_id) == (CardState.LOCKED, 0, "node-0007")


@pytest.mark.parametrize("apdu", [9, 14, 18])
def test_half_written_card_is_torn(apdu: int) -> None:
    """Our CHUID without all of its certificates is a torn card."""
    card = SoftwareCard()
    backend = backend_of(card)
    with backend.open("R") as connection:
        card.arm(Tear(apdu, TearPoint.BEFORE))
        with pytest.raises(CardTorn):
            Personalizer(SITE).run(ApduChannel(connection), SITE.profile(), new_secrets())
    assert identify_reader(backend, "R", SITE.authorities).state is CardState.TORN


def test_held_card_is_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card that others hold is a state, and keeps its reader's name."""
    monkeypatch.setattr(inprocess, "BUSY_PATIENCE", 0.01)
    backend = backend_of(SoftwareCard())
    with backend.open("R"):
        identity = identify_reader(backend, "R")
    assert (identity.state, identity.hardware_uid) == (CardState.BUSY, "reader:R")


def test_card_without_piv() -> None:
    """A card that refuses every application is not PIV."""
    identity = identify(ScriptedConnection.of("6A82"))
    assert (identity.state, identity.hardware_uid) == (CardState.NOT_PIV, "reader:Scripted")


def test_piv_is_selected_afterwards() -> None:
    """Whoever identifies can go on with PIV at once."""
    with backend_of(SoftwareCard()).open("R") as connection:
        identify(connection)
        assert connection.transmit(bytes.fromhex("00200080")) == b"\x63\xc3"


def test_identification_costs_no_try() -> None:
    """However often a card is identified, its PIN tries stay."""
    backend = backend_of(SoftwareCard())
    assert [identify_reader(backend, "R").pin_tries for _ in range(4)] == [3] * 4


def test_identification_writes_nothing_and_sends_no_pin() -> None:
    """Only reading instructions go over the wire."""
    inner = backend_of(SoftwareCard()).open("R")
    connection = ScriptedConnection(inner.transmit)
    identify(connection)
    assert {apdu[1] for apdu in connection.sent} <= {0xA4, 0xCB, 0xCA, 0x20, 0xF8, 0xC0}
    assert all(len(apdu) == 4 for apdu in connection.sent if apdu[1] == 0x20)
    assert all(PIN.encode() not in apdu for apdu in connection.sent)


def test_every_name_may_be_asked_for() -> None:
    """Any name of the card finds it, in any case; another reader's does not."""
    backend = backend_of(SoftwareCard(serial=77))
    guid = personalize(backend)
    identity = identify_reader(backend, "R")
    assert all(identity.answers_to(uid) for uid in ("77", str(guid).upper(), "reader:R", identity.aliases[0].upper()))
    assert not identity.answers_to("reader:r")


@given(st.lists(st.binary(max_size=120).map(lambda data: (data + b"\x90\x00").hex()), min_size=1, max_size=10))
def test_no_card_bytes_surprise_the_identification(answers: list[str]) -> None:
    """A card that answers anything is identified as something."""
    identity = identify(ScriptedConnection.of(*answers), SITE.authorities)
    assert identity.state in (CardState.BLANK, CardState.FOREIGN, CardState.TORN, CardState.NOT_PIV)


def test_certificate_of_an_unknown_version_is_no_certificate() -> None:
    """A card whose certificate no parser takes is identified by what is left."""
    backend = backend_of(SoftwareCard())
    personalize(backend)
    inner = backend.open("R")
    version, other = b"\xa0\x03\x02\x01\x02", b"\xa0\x03\x02\x01\x03"
    connection = ScriptedConnection(lambda apdu: inner.transmit(apdu).replace(version, other))
    assert identify(connection, SITE.authorities).state in (CardState.TORN, CardState.BLANK)


def test_broken_path_is_told() -> None:
    """A path that breaks during identification is no blank card."""
    with pytest.raises(TransportError):
        identify(ScriptedConnection.of("9000", TransportError("cut")))
