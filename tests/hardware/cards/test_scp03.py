"""SCP03: recorded exchanges of real cards, yubikit's host on our card, our host on our card, and lies on the wire."""

import pytest
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC
from hypothesis import given
from hypothesis import strategies as st
from yubikit.core import TRANSPORT
from yubikit.core.smartcard import SmartCardConnection, SmartCardProtocol
from yubikit.core.smartcard import scp as peer_scp
from yubikit.core.smartcard.scp import KeyRef, Scp03KeyParams, ScpKid, ScpState
from yubikit.core.smartcard.scp import StaticKeys as PeerKeys

from hardware.cards.apdu import ANY, ApduChannel, CommandApdu
from hardware.cards.backend import CardError, CardLocked, StatusWordError
from hardware.cards.inprocess import InProcessBackend
from hardware.cards.personalize import Personalizer
from hardware.cards.piv import AID, PivObject, PivSession
from hardware.cards.scp03 import (
    DiversifiedKeys,
    SecureChannel,
    StaticKeys,
    open_channel,
    pad,
    unpad,
)
from hardware.cards.software import Quirks, SoftwareCard
from hardware.cards.software.state import KeySet
from tests.hardware.cards.card_site import AES_256, ScriptedConnection, TestSite, new_secrets

DOMAIN = bytes.fromhex("A000000151000000")
SITE = TestSite()


def recorded(size: int, version: int) -> StaticKeys:
    """The key sets of the recorded cards: 00.., 10.. and 20.., sixteen bytes and from the first again."""
    return StaticKeys(*(((bytes(range(at, at + 16))) * 2)[:size] for at in (0x00, 0x10, 0x20)), version)


# Exchanges with real cards as published with the tests of Osmocom's pySim: host challenge, answer to INITIALIZE UPDATE,
# EXTERNAL AUTHENTICATE, then GET EID (encrypted) with its answer.
RECORDED = [
    (
        recorded(16, 0x30),
        "fdf38259a1e0de44",
        "000000000000000000003003703b1aca81e821f219081cdc01c26b372d000003",
        "84823300108c36f96bcc00724a4e13ad591d7da3f0",
        "84e2910018267a85dfe4a98fca6fb0527e0dfecce4914e40401433c87f00",
        "f3ba2b1013aa6224f5e1c138d71805c569e5439b47576260b75fc021b25097cb2e68f8a0144975b9",
    ),
    (
        recorded(24, 0x31),
        "9b3f2eef0e8c9374",
        "00000000000000000000310370f6bb305a15bae1a68f79fb08212fbed7000002",
        "84823300109100bc22d58b45b86a26365ce39ff3cf",
        "84e29100188f7f946c84f70d17994bc6e8791251bb1bb1bf02cf8de58900",
        "c05176c1b6f72aae50c32cbee63b0e95998928fd4dfb2be9f27ffde8c8476f5909b4805cc4039599",
    ),
    (
        recorded(32, 0x32),
        "97b2055fe58599fd",
        "00000000000000000000320370a8439a22cedf045fa9f1903b2834f26e000002",
        "8482330010508a0fd959d2e547c6b33154a6be2057",
        "84e29100187a5ef717eaf1e135ae92fe54429d0e465decda65f5fe5aea00",
        "ea90dbfa648a67c5eb6abc57f8530b97d0cd5647c5e8732016b55203b078dd2ace7f8bc5d1c1cd99",
    ),
]
EID = CommandApdu(0x80, 0xE2, 0x91, 0x00, bytes.fromhex("BF3E035C015A"), 256)
EID_ANSWER = "bf3e125a1089882119900000000000000000000005"
# The same sessions' next commands, of the four cases: without a data field nothing is encrypted, but counted.
CASES = [
    CommandApdu(0x80, 0xF2, 0x20, 0x02),
    CommandApdu(0x80, 0xCA, 0x00, 0x66, b"", 256),
    CommandApdu(0x80, 0xF2, 0x20, 0x02, bytes.fromhex("4F0212345C054F9F70C5")),
    CommandApdu(0x80, 0xF2, 0x80, 0x02, bytes.fromhex("4F00"), 256),
]
PROTECTED = [
    "ac6a59024bed84cc 409912ad8fb7aed0 5f3dafc3ac14c381536a488bf44e06d056df9d74dbd21e5a"
    " 65165105be3373347d0424d4400af2ac393f569ec779389e",
    "d5d97754b6b3d2ba 516c82b8e30adbeb cc247f4761e6944277a4e0d6e32e44025b1e31537e2fc668"
    " ba22b63d509bef5d093b43e5eaed03ed23144ab2d9cb51de",
    "bcc5c17275545d93 04806aba9d543bb6 717222491556ec81a45f49ce48be33320024801a1c4cb0e0"
    " 561f105bccd3a1642904b251ccc1228beb80a82370a86370",
]


def channel_of(card: SoftwareCard, aid: bytes = AID) -> ApduChannel:
    backend = InProcessBackend(["R"])
    backend.insert("R", card)
    channel = ApduChannel(backend.open("R"))
    assert channel.select(aid).ok
    return channel


def keys_of(size: int, version: int) -> StaticKeys:
    return StaticKeys(bytes(range(size)), bytes(range(64, 64 + size)), bytes(range(128, 128 + size)), version)


def card_with(keys: StaticKeys) -> SoftwareCard:
    """A card whose issuer left it with `keys` instead of the default set."""
    card = SoftwareCard()
    card._state.channel_keys = {keys.version: KeySet(keys.enc, keys.mac, keys.dek)}
    return card


@pytest.mark.parametrize("vector", RECORDED, ids=["AES-128", "AES-192", "AES-256"])
def test_recorded_exchange_is_made_again(vector: tuple[StaticKeys, str, str, str, str, str]) -> None:
    """With the challenge of a real card's session our host sends the same bytes and reads the same answer."""
    keys, challenge, update, authenticate, eid, answer = vector
    connection = ScriptedConnection.of(update + "9000", "9000", answer + "9000")
    channel = ApduChannel(connection)
    open_channel(channel, keys, challenge=lambda: bytes.fromhex(challenge))
    assert channel.check(EID).hex() == EID_ANSWER
    assert [apdu.hex() for apdu in connection.sent] == [
        f"8050{keys.version:02x}0008{challenge}00",
        authenticate,
        eid,
    ]


@pytest.mark.parametrize("number", [0, 1, 2], ids=["AES-128", "AES-192", "AES-256"])
def test_recorded_commands_of_every_case_are_made_again(number: int) -> None:
    """With data and without, with answer and without: the published bytes of the same session."""
    keys, challenge, update, *_ = RECORDED[number]
    channel = ApduChannel(ScriptedConnection.of(update + "9000", "9000"))
    opened = open_channel(channel, keys, challenge=lambda: bytes.fromhex(challenge))
    opened.wrap(EID)
    assert [opened.wrap(command).data.hex() for command in CASES] == PROTECTED[number].split()


def test_padding_is_taken_off_as_it_was_put_on() -> None:
    """Padding is one byte at least and never more than a block."""
    assert (pad(b""), pad(bytes(15)), len(pad(bytes(16)))) == (b"\x80" + bytes(15), bytes(15) + b"\x80", 32)
    for wrong in (b"", bytes(16), b"\x80" + bytes(31), b"\x80"):
        with pytest.raises(ValueError, match="padding"):
            unpad(wrong)


class PeerConnection(SmartCardConnection):
    """yubikit's connection straight to the card."""

    def __init__(self, card: SoftwareCard) -> None:
        self._card = card
        self.sent: list[bytes] = []

    @property
    def transport(self) -> TRANSPORT:
        return TRANSPORT.USB

    def send_and_receive(self, apdu: bytes) -> tuple[bytes, int]:
        self.sent.append(apdu)
        answer = self._card.transmit(apdu)
        return answer[:-2], int.from_bytes(answer[-2:], "big")


@pytest.mark.parametrize("extended", [False, True])
def test_yubikit_talks_to_our_card(extended: bool) -> None:
    """The independent host opens a channel and reads, with and without data fields, in short and extended form."""
    protocol = SmartCardProtocol(PeerConnection(SoftwareCard(serial=4711)))
    protocol.select(AID)
    protocol.configure((5, 7, 4), force_short=not extended)  # type: ignore[arg-type]
    protocol.init_scp(Scp03KeyParams())
    assert protocol.send_apdu(0, 0xF8, 0, 0) == (4711).to_bytes(4, "big")
    assert protocol.send_apdu(0, 0xCB, 0x3F, 0xFF, bytes.fromhex("5C017E"))[:1] == b"\x7e"


def test_yubikits_wrong_keys_are_refused() -> None:
    """A host without the keys is told nothing and opens nothing."""
    protocol = SmartCardProtocol(PeerConnection(SoftwareCard()))
    protocol.select(AID)
    with pytest.raises(ValueError, match="Incorrect SCP"):
        protocol.init_scp(Scp03KeyParams(KeyRef(ScpKid.SCP03, 0), PeerKeys(bytes(16), bytes(16), bytes(16))))


@given(st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=600)), max_size=6), st.binary(min_size=8, max_size=8))
def test_equal_challenges_give_equal_bytes(commands: list[tuple[int, bytes]], challenge: bytes) -> None:
    """yubikit's host and ours, both given the same challenges, send the same bytes for any commands."""
    card = bytes(range(8))
    keys, context = StaticKeys.default(), challenge + card
    session = peer_scp.StaticKeys.default().derive(context)
    cryptogram = peer_scp._derive(session.key_smac, 0x00, context, 0x40)
    update = bytes(10) + b"\xff\x03\x60" + card + cryptogram
    state, host = ScpState.scp03_init(lambda *_: update, Scp03KeyParams(), host_challenge=challenge)
    connection = ScriptedConnection.of((update + b"\x90\x00").hex(), "9000")
    channel = ApduChannel(connection)
    ours = open_channel(channel, keys, challenge=lambda: challenge, empty_as_block=True)
    assert connection.sent[1] == bytes.fromhex("8482330010") + host + state.mac(bytes.fromhex("8482330010") + host)
    for ins, data in commands:
        wrapped = ours.wrap(CommandApdu(0, ins, 0, 0, data, ANY))
        body = state.encrypt(data)
        length = len(body) + 8
        lc = bytes((length,)) if length <= 255 else b"\0" + length.to_bytes(2, "big")
        assert wrapped.data == body + state.mac(bytes((4, ins, 0, 0)) + lc + body)


@pytest.mark.parametrize("size", [16, 24, 32])
@pytest.mark.parametrize("empty_as_block", [False, True])
@pytest.mark.parametrize("longest", [261, 3072], ids=["chained", "extended"])
def test_our_ends_talk(size: int, empty_as_block: bool, longest: int) -> None:
    """All key sizes, both ways of an empty field, long commands and long answers, over keys of the card's issuer."""
    keys = keys_of(size, 0x21)
    card = card_with(keys)
    card._state.quirks = Quirks(longest_command=longest)
    channel = channel_of(card)
    opened = open_channel(channel, keys, empty_as_block=empty_as_block)
    piv = PivSession(channel)
    assert opened.version == 0x21
    assert piv.pin_tries() == 3
    piv.authenticate_management(new_secrets().old_management)
    content = bytes(range(256)) * 4
    piv.put_object(PivObject.AUTHENTICATION, content)
    assert piv.get_object(PivObject.AUTHENTICATION) == content
    assert all(entry.header[:2] in ("04", "14", "00") for entry in channel.trace.entries[3:])


def test_nothing_of_a_protected_command_is_in_the_trace() -> None:
    """Ciphertext is of no use to people and may be of some to others: lengths only."""
    channel = channel_of(SoftwareCard())
    open_channel(channel, StaticKeys.default())
    PivSession(channel).get_object(PivObject.DISCOVERY)
    assert [(entry.data, entry.answer) for entry in channel.trace.entries[1:]] == [(None, None)] * 3


def test_select_ends_the_channel() -> None:
    """After SELECT both ends speak plainly again."""
    channel = channel_of(SoftwareCard())
    open_channel(channel, StaticKeys.default())
    channel.select(AID)
    assert channel.secure is None
    assert PivSession(channel).pin_tries() == 3


def test_plain_commands_in_a_channel_are_refused() -> None:
    """Nobody slips a bare command into an open channel."""
    card = SoftwareCard()
    open_channel(channel_of(card), StaticKeys.default())
    assert card.transmit(bytes.fromhex("00200080")) == b"\x69\x82"


def test_replayed_commands_end_the_channel() -> None:
    """The same protected bytes are good once; the second time the card closes."""
    card = SoftwareCard()
    opened = open_channel(channel_of(card), StaticKeys.default())
    apdu = opened.wrap(CommandApdu(0, 0xCB, 0x3F, 0xFF, bytes.fromhex("5C017E"), 256)).encode_short()
    assert card.transmit(apdu)[-2:] == b"\x90\x00"
    assert card.transmit(apdu) == b"\x69\x82"
    assert card.transmit(opened.wrap(CommandApdu(0, 0x20, 0, 0x80)).encode_short()) == b"\x69\x82"


def test_wrong_keys_lock_without_a_second_try() -> None:
    """A card that does not know our keys is told so, after one handshake."""
    channel = channel_of(SoftwareCard())
    with pytest.raises(CardLocked) as caught:
        open_channel(channel, StaticKeys(bytes(16), bytes(16), bytes(16)))
    assert (caught.value.what, channel.trace.apdus, channel.secure) == ("SCP03", 2, None)


def test_unknown_key_version_is_named() -> None:
    """A key version that the card does not have: its own status word."""
    with pytest.raises(StatusWordError) as caught:
        open_channel(channel_of(SoftwareCard()), keys_of(16, 0x55))
    assert caught.value.sw == 0x6A88


def test_card_without_secure_channel_is_named() -> None:
    """A card that knows no channel refuses the handshake plainly."""
    with pytest.raises(StatusWordError) as caught:
        open_channel(channel_of(SoftwareCard(quirks=Quirks(secure_channel=False))), StaticKeys.default())
    assert caught.value.sw == 0x6E00


def test_keys_of_a_batch_are_diversified() -> None:
    """Each card's set follows from the master key and the card's own data (KDF3: recomputed here block by block)."""
    master, kdd = bytes(range(16)), bytes(range(100, 110))
    mac = CMAC(AES(master))
    mac.update(b"\x01\x00\x00\x00\x02\x00" + kdd)
    assert DiversifiedKeys(master, 5).for_card(kdd).mac == mac.finalize()


def test_diversified_keys_open_a_card() -> None:
    """The card's diversification data come with the handshake, its keys are made of them."""
    card = SoftwareCard()
    master = DiversifiedKeys(bytes(range(32)), 0x30)
    channel = channel_of(card, DOMAIN)
    kdd = open_channel(channel, StaticKeys.default()).kdd
    made = master.for_card(kdd)
    card._state.channel_keys[made.version] = KeySet(made.enc, made.mac, made.dek)
    assert open_channel(channel_of(card), master).kdd == kdd


def test_keys_do_not_show_themselves() -> None:
    """`repr` of every key class has none of them."""
    shown = repr((StaticKeys.default(), DiversifiedKeys(b"@" * 16)))
    assert "@A" not in shown
    assert "@@" not in shown


@pytest.mark.parametrize("wrong", [(bytes(16), bytes(16), bytes(24)), (bytes(8),) * 3, (b"",) * 3])
def test_odd_key_sets_are_the_callers_mistake(wrong: tuple[bytes, bytes, bytes]) -> None:
    """Three AES keys of one length or nothing."""
    with pytest.raises(ValueError, match="AES"):
        StaticKeys(*wrong)


@given(st.data())
def test_no_changed_answer_is_accepted(data: st.DataObject) -> None:
    """Whatever becomes of an answer on the wire: the true answer, a bare refusal, or a `CardError`."""
    card = SoftwareCard(serial=4711)
    turn = data.draw(st.integers(0, 3))
    count = 0

    def answer(apdu: bytes) -> bytes:
        nonlocal count
        true = card.transmit(apdu)
        count += 1
        if count != turn + 2:
            return true
        return data.draw(
            st.one_of(
                st.binary(max_size=60),
                st.integers(0, len(true) * 8 - 1).map(
                    lambda at: (int.from_bytes(true, "big") ^ 1 << at).to_bytes(len(true), "big")
                ),
                st.binary(max_size=40).map(lambda noise: noise + true[-2:]),
            )
        )

    channel = ApduChannel(ScriptedConnection(answer))
    channel.select(AID)
    try:
        opened = open_channel(channel, StaticKeys.default())
        piv = PivSession(channel)
        serial = channel.send(CommandApdu(0, 0xF8, 0, 0, b"", 256))
        assert not serial.ok or serial.data == (4711).to_bytes(4, "big")
        tries = piv.pin_tries()
        assert tries in (3, None) or turn == 3
    except CardError:
        return
    assert isinstance(opened, SecureChannel)


@given(st.binary(max_size=80))
def test_no_handshake_bytes_surprise(noise: bytes) -> None:
    """Whatever answers INITIALIZE UPDATE, it is a `CardError`."""
    channel = ApduChannel(ScriptedConnection.of((noise + b"\x90\x00").hex(), "9000"))
    with pytest.raises(CardError):
        open_channel(channel, StaticKeys.default())


@given(st.binary(max_size=300))
def test_no_protected_command_surprises_the_card(noise: bytes) -> None:
    """Whatever is sent into an open channel without its keys is refused, and nothing of it is done."""
    card = SoftwareCard()
    open_channel(channel_of(card), StaticKeys.default())
    answer = card.transmit(
        CommandApdu(0x04, 0xDB, 0x3F, 0xFF, noise, 256).encode_extended() if noise else b"\x04\xdb\x3f\xff"
    )
    assert answer == b"\x69\x82"


@pytest.mark.parametrize("quirks", [Quirks(), Quirks(longest_command=261), Quirks(exact_le=True)])
def test_whole_personalization_goes_through_the_channel(quirks: Quirks) -> None:
    """Every command but SELECT, handshake and GET RESPONSE is protected, and the card is proven."""
    channel = channel_of(SoftwareCard(quirks=quirks))
    new = new_secrets(channel=StaticKeys.default())
    result = Personalizer(SITE).run(channel, SITE.profile(), new)
    assert result.verification.proof_of_possession
    assert result.kdd is not None
    bare = [entry.header for entry in result.trace.entries if not int(entry.header[:2], 16) & 0x04]
    assert {header[2:4] for header in bare} <= {"a4", "50", "c0"}
    assert result.management_algorithm is AES_256.algorithm
