"""The parts of a motion JPEG feed, however its bytes are cut and whatever a source makes of the standard."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.media.feeds import multipart
from app.capabilities.media.feeds.errors import FeedBroken
from app.capabilities.media.feeds.multipart import PartSplitter, boundary_of


def part(body: bytes, *, length: bool = True, boundary: bytes = b"frame", line: bytes = b"\r\n") -> bytes:
    """One part as cameras send it."""
    head = [b"--" + boundary, b"Content-Type: image/jpeg"]
    if length:
        head.append(b"content-length : %d" % len(body))
    return line.join([*head, b"", body, b""])


@pytest.mark.parametrize(
    ("content_type", "boundary"),
    [
        ("multipart/x-mixed-replace; boundary=frame", b"frame"),
        ("Multipart/X-Mixed-Replace;BOUNDARY=--frame", b"frame"),
        ('multipart/x-mixed-replace; charset=utf-8; boundary = "a b:c"', b"a b:c"),
        ("multipart/x-mixed-replace;boundary=x;q=1", b"x"),
        (f"multipart/x-mixed-replace;boundary={'b' * 72}", b"b" * 72),
    ],
)
def test_the_boundary_is_read_as_cameras_write_it(content_type: str, boundary: bytes) -> None:
    """Quoted or not, in any case, with or without dashes of its own."""
    assert boundary_of(content_type) == boundary


@pytest.mark.parametrize(
    "content_type",
    [
        "image/jpeg",
        "multipart/form-data; boundary=frame",
        "multipart/x-mixed-replace",
        "multipart/x-mixed-replace; boundary=",
        'multipart/x-mixed-replace; boundary=""',
        "multipart/x-mixed-replace; boundary=--",
        "multipart/x-mixed-replace; xboundary=frame",
        'multipart/x-mixed-replace; boundary="ends with space "',
        'multipart/x-mixed-replace; boundary="line\nend"',
        f"multipart/x-mixed-replace;boundary={'b' * 73}",
    ],
)
def test_what_names_no_boundary_is_no_feed(content_type: str) -> None:
    """Another type, none, or one that RFC 2046 does not allow."""
    with pytest.raises(FeedBroken):
        boundary_of(content_type)


@given(
    bodies=st.lists(st.binary(max_size=40), max_size=4),
    length=st.booleans(),
    line=st.sampled_from([b"\r\n", b"\n"]),
    cut=st.integers(1, 60),
)
def test_any_cut_gives_the_same_parts(bodies: list[bytes], length: bool, line: bytes, cut: int) -> None:
    """By their lengths or by the boundary; a boundary inside a picture of known length ends nothing."""
    if not length:
        # Without a length the line end before the boundary belongs to the boundary.
        bodies = [body.replace(b"-", b"_").replace(b"\n", b"_").replace(b"\r", b"_") for body in bodies]
    stream = b"preamble\r\n" + b"".join(part(body, length=length, line=line) for body in bodies) + b"--frame--\r\nrest"
    splitter = PartSplitter(b"frame")
    found = [one for at in range(0, len(stream), cut) for one in splitter.feed(stream[at : at + cut])]
    assert (found, splitter.ended) == (bodies, True)
    assert splitter.feed(part(b"late")) == []


@pytest.mark.parametrize("line", [b"\r\n", b"\n"])
def test_an_empty_picture_is_one(line: bytes) -> None:
    """Also by the boundary alone, and more than once."""
    empty = part(b"", length=False, line=line)
    assert PartSplitter(b"frame").feed(empty * 3 + b"--frame") == [b""] * 3


def test_the_closing_boundary_needs_nothing_behind_it() -> None:
    """Two dashes end the feed at once."""
    splitter = PartSplitter(b"frame")
    assert splitter.feed(b"--frame-") == []
    assert not splitter.ended
    assert splitter.feed(b"-") == []
    assert splitter.ended


def test_a_boundary_is_not_looked_for_twice() -> None:
    """A picture that comes in many pieces costs no more than one that comes at once: only what is new is searched."""
    splitter = PartSplitter(b"frame")
    splitter.feed(b"--frame\r\n\r\n" + b"x" * 1000)
    assert splitter._looked >= 900
    assert splitter.feed(b"\r\n--fra") == []
    assert splitter.feed(b"me") == [b"x" * 1000]


def test_a_picture_may_hold_the_boundary() -> None:
    """What the part's own length covers is the picture."""
    body = b"x\r\n--frame\r\n\r\ny"
    splitter = PartSplitter(b"frame")
    assert splitter.feed(part(body) + part(b"next")) == [body, b"next"]
    assert not splitter.ended


@pytest.mark.parametrize("said", [b"-1", b"1e3", b"0x10", b"", b"9999999999", b"12 13"])
def test_a_length_that_is_no_number_is_none(said: bytes) -> None:
    """Then the next boundary ends the part."""
    stream = b"--frame\r\nContent-Length: " + said + b"\r\n\r\npicture\r\n--frame\r\n"
    assert PartSplitter(b"frame").feed(stream) == [b"picture"]


def test_a_part_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """To the byte: announced, or without an end."""
    monkeypatch.setattr(multipart, "PART_LIMIT", 10)
    assert PartSplitter(b"f").feed(b"--f\nContent-Length: 10\n\n" + b"x" * 10) == [b"x" * 10]
    with pytest.raises(FeedBroken, match="picture of the feed is too long"):
        PartSplitter(b"f").feed(b"--f\nContent-Length: 11\n\n")
    assert PartSplitter(b"f").feed(b"--f\n\n" + b"x" * 10 + b"\n--f") == [b"x" * 10]
    endless = PartSplitter(b"f")
    assert endless.feed(b"--f\n\n" + b"x" * 10) == []
    with pytest.raises(FeedBroken, match="picture of the feed is too long"):
        endless.feed(b"x")
    with pytest.raises(FeedBroken, match="picture of the feed is too long"):
        PartSplitter(b"f").feed(b"--f\n\n" + b"x" * 11 + b"\n--f")


def test_a_picture_of_eight_mebibytes_is_taken() -> None:
    """And no longer one."""
    whole = b"--f\nContent-Length: 8388608\n\n" + bytes(8388608)
    assert [len(one) for one in PartSplitter(b"f").feed(whole)] == [8388608]
    with pytest.raises(FeedBroken):
        PartSplitter(b"f").feed(b"--f\nContent-Length: 8388609\n\n")


def test_a_head_is_bounded() -> None:
    """To the byte, whether it ends or not; so is what comes before a boundary."""
    longest = b"--f\n" + b"h" * 4092
    assert PartSplitter(b"f").feed(longest + b"\n\nx\n--f") == [b"x"]
    with pytest.raises(FeedBroken, match="too long a head"):
        PartSplitter(b"f").feed(longest + b"h\n\nx\n--f")
    with pytest.raises(FeedBroken, match="too long a head"):
        PartSplitter(b"f").feed(longest + b"h")
    assert PartSplitter(b"f").feed(b"p" * 4096) == []
    with pytest.raises(FeedBroken, match="no boundary"):
        PartSplitter(b"f").feed(b"p" * 4097)
