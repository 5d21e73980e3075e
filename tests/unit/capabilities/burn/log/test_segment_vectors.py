"""The segments of ``tests/vectors/segment-1.json`` and ``segment-2.json`` (by version of the format), written a second
time by the standard library alone."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities import burn
from app.capabilities.burn.log.segments import (
    NOTHING,
    SegmentError,
    SegmentHead,
    SegmentTarget,
    assertion_of,
    read_segment,
    write_segment,
)


def _of_version(version: int) -> list[dict[str, Any]]:
    path = Path(__file__).parents[4] / "vectors" / f"segment-{version}.json"
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


BEFORE, VECTORS = _of_version(1), _of_version(2)
ALL = [*BEFORE, *VECTORS]
NAMES = ["first of version 1", "follow-up of version 1", "first", "follow-up"]


def _lines(head: object, targets: list[object]) -> bytes:
    """Another writer of the format, made of its description alone."""
    texts = [json.dumps(part, ensure_ascii=False, separators=(",", ":")) for part in (head, *targets)]
    return "".join(f"{text}\n" for text in texts).encode()


@pytest.mark.parametrize("vector", ALL, ids=NAMES)
def test_the_bytes_follow_from_the_facts(vector: dict[str, Any]) -> None:
    """Ours and the other writer's."""
    head = msgspec.convert(vector["head"], SegmentHead)
    targets = msgspec.convert(vector["targets"], list[SegmentTarget])
    assert write_segment(head, targets) == vector["text"].encode() == _lines(vector["head"], vector["targets"])


@pytest.mark.parametrize("vector", ALL, ids=NAMES)
def test_the_digest_and_the_assertion_are_of_these_bytes(vector: dict[str, Any]) -> None:
    """What the leaf and the manifest commit to."""
    data = vector["text"].encode()
    head = read_segment(data).head
    assert sha256(data).hexdigest() == vector["sha256"]
    assert assertion_of(head.segment, head.burn_id, data) == vector["assertion"]


def test_the_follow_up_continues_the_chain() -> None:
    """It names the site's segment before it, and its burn's."""
    first, second = VECTORS
    assert first["head"]["prev_sha256"] == NOTHING
    assert second["head"]["prev_sha256"] == first["sha256"]
    assert second["head"]["follows"] == {"segment": 0, "sha256": first["sha256"]}


def test_the_page_shows_the_follow_up() -> None:
    """What a partner reads first is what the program writes."""
    page = (Path(burn.__file__).parent / "README.md").read_text(encoding="utf-8")
    assert VECTORS[1]["text"] in page
    assert VECTORS[1]["sha256"] in page


@given(text=st.text(st.characters(blacklist_categories=["Cs"])))
def test_any_text_has_one_form(text: str) -> None:
    """Quotation mark, backslash and what is below U+0020 are escaped as the standard library does it; nothing else."""
    vector = VECTORS[0]
    head = {**vector["head"], "reason": text}
    targets = msgspec.convert(vector["targets"], list[SegmentTarget])
    assert write_segment(msgspec.convert(head, SegmentHead), targets) == _lines(head, vector["targets"])


@pytest.mark.parametrize("vector", ALL, ids=NAMES)
@pytest.mark.parametrize("name", ["delivered", "unlinked"])
def test_each_version_has_its_own_members(vector: dict[str, Any], name: str) -> None:
    """Version 1 counts neither, version 2 both: nothing is left out unseen."""
    head = {key: value for key, value in vector["head"].items() if key != name}
    if vector["head"]["v"] == 1:
        head[name] = 0
    with pytest.raises(SegmentError):
        read_segment(_lines(head, vector["targets"]))


def test_what_is_no_segment_has_no_counts() -> None:
    """The check of the manifest goes on; that of the segment tells it."""
    assert sorted(assertion_of(7, "burn_1", b"{}\n")) == ["burn_id", "segment", "sha256"]
