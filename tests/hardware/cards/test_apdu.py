"""The APDU pipeline: forms, chaining both ways, bounds against hostile cards, and what its trace keeps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.cards.apdu import ANY, MAX_ROUNDS, ApduChannel, CommandApdu, FormatMemory
from hardware.cards.backend import CardError, CardRemoved, ProtocolError, StatusWordError, TransportError
from hardware.cards.software.command import parse_command
from tests.hardware.cards.card_site import ScriptedConnection

READ = CommandApdu(0, 0xCB, 0x3F, 0xFF, bytes.fromhex("5C035FC102"), ANY)
BYTES = st.integers(0, 255)


def write(size: int) -> CommandApdu:
    return CommandApdu(0, 0xDB, 0x3F, 0xFF, bytes(size))


@given(
    BYTES.filter(lambda c: c & 0x10 == 0),
    BYTES,
    BYTES,
    BYTES,
    st.binary(max_size=255),
    st.sampled_from([None, 1, 255, 256]),
)
def test_short_form_is_what_a_card_parses(cla: int, ins: int, p1: int, p2: int, data: bytes, le: int | None) -> None:
    """The card's own parser reads the short form back as it was meant."""
    parsed = parse_command(CommandApdu(cla, ins, p1, p2, data, le).encode_short())
    assert (parsed.cla, parsed.ins, parsed.p1, parsed.p2, parsed.data, parsed.extended) == (
        cla,
        ins,
        p1,
        p2,
        data,
        False,
    )
    assert parsed.expected == le


@given(st.binary(max_size=1200), st.sampled_from([None, 1, 256, 257, ANY]))
def test_extended_form_is_what_a_card_parses(data: bytes, le: int | None) -> None:
    """The card's own parser reads the extended form back as it was meant."""
    if not data and le is None:
        return
    parsed = parse_command(CommandApdu(0, 0xDB, 0x3F, 0xFF, data, le).encode_extended())
    assert (parsed.data, parsed.extended, parsed.expected) == (data, True, le)


def test_a_reading_command_carries_le() -> None:
    """GET DATA always ends in Le: without it some cards answer 61xx with nothing for ever."""
    connection = ScriptedConnection.of("9000")
    ApduChannel(connection).send(READ)
    assert connection.sent == [bytes.fromhex("00CB3FFF0000055C035FC1020000")]


def test_answer_in_parts_is_put_together() -> None:
    """61xx is followed with GET RESPONSE until all is there."""
    connection = ScriptedConnection.of("01026102", "030461FF", "059000")
    reply = ApduChannel(connection).send(READ)
    assert (reply.data.hex(), reply.sw) == ("0102030405", 0x9000)
    assert connection.sent[1:] == [bytes.fromhex("00C0000002"), bytes.fromhex("00C00000FF")]


def test_empty_rounds_for_ever_end_at_the_first() -> None:
    """A card that promises more and sends nothing is given up at once."""
    connection = ScriptedConnection.of("61FF")
    with pytest.raises(ProtocolError):
        ApduChannel(connection).send(READ)
    assert len(connection.sent) == 2


def test_tiny_rounds_for_ever_end_at_the_bound() -> None:
    """A card that sends one byte a round for ever is given up after the bound."""
    connection = ScriptedConnection.of("AA61FF")
    with pytest.raises(ProtocolError):
        ApduChannel(connection).send(READ)
    assert len(connection.sent) == MAX_ROUNDS + 1


def test_endless_bytes_end_at_64_kib() -> None:
    """A card that sends large rounds for ever is given up at 64 KiB."""
    connection = ScriptedConnection.of("AA" * 4096 + "6100")
    with pytest.raises(ProtocolError):
        ApduChannel(connection).send(READ)
    assert len(connection.sent) == 17


def test_wrong_le_is_corrected_once() -> None:
    """6Cxx names the length; the command is sent once more with it."""
    connection = ScriptedConnection.of("6C05", "01020304059000")
    assert ApduChannel(connection).send(READ).data.hex() == "0102030405"
    assert connection.sent[1] == bytes.fromhex("00CB3FFF055C035FC10205")


def test_wrong_le_twice_is_a_broken_card() -> None:
    """A card that corrects Le for ever is not followed."""
    with pytest.raises(ProtocolError):
        ApduChannel(ScriptedConnection.of("6C05")).send(READ)


@pytest.mark.parametrize("refusal", ["6700", "6D00", "6E00"])
def test_refused_extended_form_is_remembered_for_the_kind_of_card(refusal: str) -> None:
    """After one refusal the same kind of card gets short APDUs only, in later channels too."""
    memory = FormatMemory()
    ApduChannel(ScriptedConnection.of(refusal, "01029000"), memory).send(READ)
    later = ScriptedConnection.of("61029000", "9000", "9000")
    channel = ApduChannel(later, memory)
    channel.select(b"\xa0\x00\x00\x03\x08")  # answers the same (empty) template as the first, which selected nothing
    assert memory.get(later.atr, b"") is False


def test_refused_extended_form_is_repeated_short() -> None:
    """The refused command itself is sent again in short form."""
    connection = ScriptedConnection.of("6700", "01029000")
    assert ApduChannel(connection).send(READ).data.hex() == "0102"
    assert connection.sent[1] == bytes.fromhex("00CB3FFF055C035FC10200")


def test_command_refused_in_both_forms_teaches_nothing() -> None:
    """6D00 in both forms is about the command; the next one is tried extended again."""
    connection = ScriptedConnection.of("6D00")
    channel = ApduChannel(connection)
    channel.send(READ)
    channel.send(READ)
    assert [len(apdu) for apdu in connection.sent] == [14, 11, 14, 11]


def test_long_commands_are_chained() -> None:
    """Above 1300 bytes a command goes out in blocks of 255 with the chaining bit, the last without."""
    connection = ScriptedConnection.of("9000")
    ApduChannel(connection).send(write(1400))
    assert [(apdu[0], apdu[4]) for apdu in connection.sent] == [(0x10, 255)] * 5 + [(0x00, 125)]


def test_command_just_within_the_bound_is_one_apdu() -> None:
    """1300 bytes in all still go in one extended APDU."""
    connection = ScriptedConnection.of("9000")
    ApduChannel(connection).send(write(1293))
    assert [len(apdu) for apdu in connection.sent] == [1300]


def test_refused_chain_stops_at_its_first_block() -> None:
    """Nothing is sent after a refused block."""
    connection = ScriptedConnection.of("6A82")
    assert ApduChannel(connection).send(write(2000)).sw == 0x6A82
    assert len(connection.sent) == 1


def test_one_command_too_long_for_the_card_is_chained() -> None:
    """A card that takes extended APDUs but not this long one gets this one as a chain."""
    connection = ScriptedConnection.of("9000", "6700", "9000")
    channel = ApduChannel(connection)
    channel.send(READ)
    assert channel.send(write(600)).ok
    assert [apdu[0] for apdu in connection.sent] == [0, 0, 0x10, 0x10, 0]


def test_reader_without_extended_length_is_survived() -> None:
    """A transmit error at the first extended read: power cycle, same application, short form."""
    connection = ScriptedConnection.of("9000", TransportError("cut"), "9000", "01029000")
    channel = ApduChannel(connection)
    channel.select(b"\xa0\x00\x00\x03\x08")
    assert channel.send(READ).data.hex() == "0102"
    assert (connection.fresh, connection.sent[2]) == (1, connection.sent[0])


def test_transmit_error_while_writing_is_told() -> None:
    """A write whose fate is unknown is never repeated behind the caller's back."""
    connection = ScriptedConnection.of("9000", TransportError("cut"))
    channel = ApduChannel(connection)
    channel.select(b"\xa0\x00\x00\x03\x08")
    with pytest.raises(TransportError):
        channel.send(write(600))
    assert len(connection.sent) == 2


def test_removed_card_is_told_at_once() -> None:
    """A card that was taken out is not asked again."""
    connection = ScriptedConnection.of("9000", CardRemoved("out"))
    channel = ApduChannel(connection)
    channel.select(b"\xa0\x00\x00\x03\x08")
    with pytest.raises(CardRemoved):
        channel.send(READ)
    assert (len(connection.sent), connection.fresh) == (2, 0)


def test_answer_without_status_word_is_a_broken_card() -> None:
    """One byte is no answer."""
    with pytest.raises(ProtocolError):
        ApduChannel(ScriptedConnection.of("90")).send(READ)


def test_check_explains_the_refusal() -> None:
    """A refused command says in words what the card said."""
    with pytest.raises(StatusWordError, match="instruction CB answered 6A82"):
        ApduChannel(ScriptedConnection.of("6A82")).check(READ)


@pytest.mark.parametrize("ins", [0x20, 0x24, 0x2C, 0x87, 0xFF, 0xD8, 0xFE, 0x01])
def test_trace_keeps_secrets_as_lengths(ins: int) -> None:
    """PINs, keys and what no rule names are in the trace as lengths only, in answers and chains as well."""
    channel = ApduChannel(ScriptedConnection.of("6700", "9000", "616101", "02039000"))
    channel.send(CommandApdu(0, ins, 0, 0x80, b"\xee" * 300, ANY))
    assert all(entry.data is None and entry.answer is None for entry in channel.trace.entries)
    assert channel.trace.entries[0].lc == 300


def test_trace_keeps_what_is_public() -> None:
    """Reads are kept whole, with stage, header, lengths and status."""
    channel = ApduChannel(ScriptedConnection.of("01029000"))
    channel.stage = "identify"
    channel.send(READ)
    (entry,) = channel.trace.entries
    assert (entry.stage, entry.header, entry.lc, entry.le, entry.sw) == ("identify", "00cb3fff", 5, ANY, 0x9000)
    assert (entry.data, entry.answer, entry.answer_length) == (READ.data, b"\x01\x02", 2)


def test_lost_answer_is_in_the_trace() -> None:
    """An APDU whose answer never came is counted, without a status word."""
    channel = ApduChannel(ScriptedConnection.of(CardRemoved("out")))
    with pytest.raises(CardRemoved):
        channel.send(READ)
    assert (channel.trace.apdus, channel.trace.entries[0].sw) == (1, None)


@given(
    st.lists(st.binary(max_size=300), min_size=1, max_size=12), st.integers(0, 2000), st.sampled_from([None, 1, ANY])
)
def test_no_card_bytes_surprise_the_pipeline(answers: list[bytes], size: int, le: int | None) -> None:
    """Whatever a card answers, a command ends with a reply or a `CardError`, after a bounded number of APDUs."""
    connection = ScriptedConnection.of(*(answer.hex() for answer in answers))
    channel = ApduChannel(connection)
    try:
        channel.select(b"\xa0\x00\x00\x03\x08")
        channel.send(CommandApdu(0, 0xDB, 0x3F, 0xFF, bytes(size), le))
    except CardError:
        pass
    assert len(connection.sent) < 2 * MAX_ROUNDS + 20
