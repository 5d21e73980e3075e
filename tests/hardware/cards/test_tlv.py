"""BER-TLV of PIV: what is written can be read, and no bytes from a card bring anything but a TlvError."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.cards.tlv import MAX_ITEMS, Tlv, TlvError, encode, find, parse, unwrap

SHORT_TAGS = st.integers(1, 0xFE).filter(lambda tag: tag & 0x1F != 0x1F)
TWO_BYTE_TAGS = st.builds(lambda a, b: (a << 5 | 0x1F) << 8 | b, st.integers(0, 6), st.integers(1, 0x7F))
THREE_BYTE_TAGS = st.builds(
    lambda a, b, c: (a << 5 | 0x1F) << 16 | b << 8 | c, st.integers(0, 6), st.integers(0x81, 0xFF), st.integers(0, 0x7F)
)
TAGS = SHORT_TAGS | TWO_BYTE_TAGS | THREE_BYTE_TAGS


@given(st.lists(st.builds(Tlv, TAGS, st.binary(max_size=300)), max_size=8))
def test_written_elements_are_read_back(items: list[Tlv]) -> None:
    """Any sequence of elements survives encoding and parsing."""
    assert parse(b"".join(bytes(item) for item in items)) == items


@given(st.binary(max_size=400))
def test_arbitrary_bytes_raise_only_tlv_errors(data: bytes) -> None:
    """Bytes from outside are either elements that fit the input or a TlvError, in every entry point."""
    try:
        items = parse(data)
    except TlvError:
        with pytest.raises(TlvError):
            find(data, 0x53)
        return
    assert sum(len(item.value) for item in items) <= len(data)


@given(st.integers(-5, 0x1FFFFFF))
def test_encode_takes_exactly_the_tags_that_parse_back(tag: int) -> None:
    """A number is either refused as a tag or comes back as the same tag."""
    try:
        data = encode(tag, b"x")
    except TlvError:
        return
    assert parse(data) == [Tlv(tag, b"x")]


@pytest.mark.parametrize(
    ("size", "head"),
    [(0, "5300"), (127, "537F"), (128, "538180"), (255, "5381FF"), (256, "53820100"), (65536, "5383010000")],
)
def test_lengths_take_their_shortest_form(size: int, head: str) -> None:
    """The length field never has more bytes than it needs."""
    assert encode(0x53, bytes(size))[: len(head) // 2] == bytes.fromhex(head)


@pytest.mark.parametrize(
    "data", ["53", "5301", "5380", "5384000000FF00", "5F", "5FC1", "5F8001", "5FC1C1C101", "0000", "538201"]
)
def test_damaged_bytes_are_refused(data: str) -> None:
    """Cut off, indefinite, over-long and padded encodings are errors."""
    with pytest.raises(TlvError):
        parse(bytes.fromhex(data))


def test_number_of_elements_is_bounded() -> None:
    """A flood of empty elements ends in an error, not in a long list."""
    with pytest.raises(TlvError):
        parse(b"\x01\x00" * (MAX_ITEMS + 1))


def test_find_walks_a_path() -> None:
    """An inner element is found by the tags on the way to it."""
    assert find(encode(0x7C, encode(0x80) + encode(0x82, b"abc")), 0x7C, 0x82) == b"abc"


def test_find_answers_none_for_an_absent_element() -> None:
    """An element that is not in a well-formed template is None."""
    assert find(encode(0x7C, encode(0x80)), 0x7C, 0x82) is None


def test_unwrap_refuses_bytes_behind_the_element() -> None:
    """Exactly one element is asked for: trailing bytes are an error."""
    with pytest.raises(TlvError):
        unwrap(0x53, encode(0x53, b"a") + encode(0x54))
