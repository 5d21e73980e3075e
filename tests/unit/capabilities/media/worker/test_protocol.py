"""Frames between the service and a worker: what is written is read, and nothing else is."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.media.worker.protocol import (
    HEADER_MAX,
    PRELUDE,
    ImageFacts,
    ImageMeasures,
    MediaJob,
    MessageBroken,
    ScanFound,
    WorkerReady,
    WorkerRefusal,
    frame,
    header_length,
    parse_job,
    parse_message,
    read_job,
)

FACTS = ImageFacts(
    width=20_000,
    height=1,
    format="JPEG",
    mode="RGB",
    sha256="0" * 64,
    conversions=("first_frame",),
    orientation=8,
    software="GIMP",
    luma_quantizers=(1,) * 63 + (65535,),
)
FOUND = ScanFound(facts=FACTS, layers=("preview", "f" * 32), cpu_s=1000.0)


def read_message(data: bytes) -> tuple[object, list[int]]:
    """What the header of a frame says."""
    return parse_message(data[PRELUDE : PRELUDE + header_length(data[:PRELUDE])])


@given(st.binary(max_size=300), st.integers(1, 3))
def test_a_job_is_read_as_it_was_written(media: bytes, count: int) -> None:
    """Each of several jobs in a pipe comes whole, then the end."""
    pipe = BytesIO(b"".join(frame(MediaJob("scan"), media)) * count)
    assert [read_job(pipe.read) for _ in range(count)] == [(MediaJob("scan"), media)] * count
    assert read_job(pipe.read) is None


@given(st.binary(max_size=40), st.data())
def test_a_job_that_is_cut_off_is_broken(media: bytes, data: st.DataObject) -> None:
    """An end within a frame is no job."""
    whole = b"".join(frame(MediaJob("scan"), media))
    pipe = BytesIO(whole[: data.draw(st.integers(1, len(whole) - 1))])
    with pytest.raises(MessageBroken):
        read_job(pipe.read)


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        (WorkerReady(), ()),
        (ImageMeasures(width=1, height=20_000), ()),
        (WorkerRefusal(code="undecodable", reason="r" * 300), ()),
        (FOUND, (b"{}", b"png", b"")),
    ],
)
def test_a_message_is_read_as_it_was_written(message: Any, parts: tuple[bytes, ...]) -> None:
    """Every message, at the bounds of its fields, with the lengths of its parts."""
    assert read_message(b"".join(frame(message, *parts))) == (message, [len(part) for part in parts])


@pytest.mark.parametrize("length", [0, HEADER_MAX + 1, 2**32 - 1])
def test_a_length_out_of_bounds_is_broken(length: int) -> None:
    """A header has 1 to 65536 bytes."""
    with pytest.raises(MessageBroken):
        header_length(length.to_bytes(4, "big"))


def test_a_length_within_bounds_is_read() -> None:
    """Both bounds, big endian."""
    assert [header_length(bytes(sent)) for sent in ((0, 0, 0, 1), (0, 1, 0, 0))] == [1, HEADER_MAX]


@given(st.binary(max_size=200))
def test_other_bytes_are_broken(header: bytes) -> None:
    """Bytes that are no header raise nothing but ``MessageBroken``."""
    with pytest.raises(MessageBroken):
        parse_message(header)
    with pytest.raises(MessageBroken):
        parse_job(header)


MESSAGES: dict[str, dict[str, Any]] = {
    "measures": {"type": "measures", "width": 5, "height": 5},
    "refused": {"type": "refused", "code": "undecodable", "reason": "r"},
    "found": {
        "type": "found",
        "facts": {"media": "image", "width": 5, "height": 5, "format": "PNG", "mode": "RGB", "sha256": "0" * 64},
        "layers": ["preview"],
        "cpu_s": 1,
    },
    "job": {"type": "job", "kind": "scan"},
}


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("measures", {"width": 0}),
        ("measures", {"height": 0}),
        ("measures", {"width": 20_001}),
        ("measures", {"height": 20_001}),
        ("measures", {"width": 5.5}),
        ("measures", {"more": 1}),
        ("refused", {"code": "other"}),
        ("refused", {"reason": "r" * 301}),
        ("found", {"layers": ["Preview"]}),
        ("found", {"layers": ["p" * 33]}),
        ("found", {"layers": ["../x"]}),
        ("found", {"cpu_s": -1}),
        ("found", {"cpu_s": 1001}),
        ("found", {"more": 1}),
        ("facts", {"more": 1}),
        ("facts", {"width": 20_001}),
        ("facts", {"height": 0}),
        ("facts", {"format": "PSD"}),
        ("facts", {"mode": "m" * 17}),
        ("facts", {"sha256": "0" * 63}),
        ("facts", {"sha256": "g" * 64}),
        ("facts", {"orientation": 0}),
        ("facts", {"orientation": 9}),
        ("facts", {"software": "s" * 201}),
        ("facts", {"luma_quantizers": [1] * 63}),
        ("facts", {"luma_quantizers": [1] * 65}),
        ("facts", {"luma_quantizers": [0] * 64}),
        ("facts", {"luma_quantizers": [65536] * 64}),
        ("facts", {"conversions": ["painted"]}),
        ("facts", {"conversions": ["first_frame"] * 9}),
        ("job", {}),
    ],
)
def test_a_field_out_of_bounds_is_broken(name: str, change: dict[str, Any]) -> None:
    """A worker that was taken over cannot say what no worker says, nor what the service says."""
    if name == "facts":
        name, change = "found", {"facts": MESSAGES["found"]["facts"] | change}
    parts = [2, 3] if name == "found" else []
    if change:
        parse_message(json.dumps({"message": MESSAGES[name], "parts": parts}).encode())
    with pytest.raises(MessageBroken):
        parse_message(json.dumps({"message": MESSAGES[name] | change, "parts": parts}).encode())


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("measures", [1]),
        ("found", []),
        ("found", [1]),
        ("found", [1, 1, 1]),
        ("found", [1, (8 << 20) + 1]),
        ("found", [1, -1]),
    ],
)
def test_parts_that_do_not_belong_to_a_message_are_broken(name: str, parts: list[int]) -> None:
    """The report and one part for each layer, of at most 8 MiB; none behind the rest."""
    parse_message(json.dumps({"message": MESSAGES["found"], "parts": [1, 8 << 20]}).encode())
    with pytest.raises(MessageBroken):
        parse_message(json.dumps({"message": MESSAGES[name], "parts": parts}).encode())


@pytest.mark.parametrize(("layers", "works"), [(1, True), (32, True), (33, False)])
def test_layers_are_counted(layers: int, works: bool) -> None:
    """At most 32."""
    names = [f"layer_{number}" for number in range(layers)]
    header = json.dumps({"message": MESSAGES["found"] | {"layers": names}, "parts": [1] * (1 + layers)}).encode()
    if works:
        assert parse_message(header)[1] == [1] * (1 + layers)
    else:
        with pytest.raises(MessageBroken):
            parse_message(header)


def test_a_layer_is_named_once() -> None:
    """Of two pictures with one name a reader could take either."""
    for sizes in ([1], [1, 1]):
        said = MESSAGES["found"] | {"layers": ["fused", "fused"]}
        with pytest.raises(MessageBroken):
            parse_message(json.dumps({"message": said, "parts": [1, *sizes]}).encode())


@pytest.mark.parametrize("parts", [[], [1, 1], [(64 << 20) + 1], [-1]])
def test_a_job_has_one_part(parts: list[int]) -> None:
    """A file of at most 64 MiB."""
    assert parse_job(json.dumps({"message": MESSAGES["job"], "parts": [64 << 20]}).encode())[1] == [64 << 20]
    with pytest.raises(MessageBroken):
        parse_job(json.dumps({"message": MESSAGES["job"], "parts": parts}).encode())


def test_nested_json_is_broken() -> None:
    """A header that would take the parser too deep is refused, as any other."""
    for begin in (b'{"message":', b'{"message":{"more":', b'{"more":', b""):
        with pytest.raises(MessageBroken):
            parse_message(begin + b"[" * 60_000)
