"""The comparison of two APDU traces: nothing is found in a trace held against itself, and every change is found."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.provisioning.messages import TraceEntry
from app.console.pages.write_card.tlv_words import element_lines, object_words
from app.console.pages.write_card.trace_diff import (
    SLOW_MS,
    ApduDifference,
    alone,
    compare,
    keys_of,
    object_tag,
)
from app.console.pages.write_card.trace_view import answered_state
from app.console.theme.tokens import Meaning


def apdu(header: str = "00CB3FFF", data: str | None = "5C035FC102", sw: str = "9000", ms: float = 1.0) -> TraceEntry:
    """One APDU."""
    return TraceEntry(
        index=1, stage="verify", header=header, lc=len(data or "") // 2, le=256, sw=sw, ms=ms, data=data,
        response=None, response_length=0,
    )  # fmt: skip


HEADERS = ("00CB3FFF", "00DB3FFF", "10DB3FFF", "0047009A", "00200080", "00C00000", "00A40400")
DATA = (None, "", "5C035FC102", "5C035FC105", "5C", "A000000308")
entries = st.builds(
    apdu,
    header=st.sampled_from(HEADERS),
    data=st.sampled_from(DATA),
    sw=st.sampled_from(("9000", "6A82", "")),
    ms=st.floats(0, 100),
)
traces = st.lists(entries, max_size=25)
NEW = apdu(header="00F80000", data=None)
"""An APDU that ``traces`` never has."""


def kinds(trace: list[TraceEntry], golden: list[TraceEntry]) -> list[ApduDifference]:
    """The differences that are told, in order."""
    return [line.difference for line in compare(trace, golden) if line.difference is not ApduDifference.NONE]


@given(traces)
def test_a_trace_does_not_differ_from_itself(trace: list[TraceEntry]) -> None:
    """Every line pairs an entry with itself."""
    lines = compare(trace, trace)
    assert [line.difference for line in lines] == [ApduDifference.NONE] * len(trace)
    assert [line.entry for line in lines] == [line.golden for line in lines] == trace


def test_a_refusal_of_the_golden_trace_warns_of_nothing() -> None:
    """An expected status word is part of the course; the same one where the golden trace had another is not."""
    missing, done, silent = apdu(sw="6A82"), apdu(), apdu(sw="")
    assert [answered_state(line) for line in compare([missing, done], [missing, done])] == [Meaning.IDLE, Meaning.OK]
    assert [answered_state(line) for line in compare([missing], [done])] == [Meaning.WARN]
    assert [answered_state(line) for line in alone([missing])] == [Meaning.WARN]
    assert [answered_state(line) for line in compare([silent], [silent])] == [Meaning.BAD]


@given(traces, traces)
def test_every_entry_of_both_stands_in_one_line_in_order(trace: list[TraceEntry], golden: list[TraceEntry]) -> None:
    """Whatever the two are: nothing is lost, nothing told twice."""
    lines = compare(trace, golden)
    assert [line.entry for line in lines if line.entry is not None] == trace
    assert [line.golden for line in lines if line.golden is not None] == golden


@given(traces, traces)
def test_as_many_entries_are_paired_as_can_be(trace: list[TraceEntry], golden: list[TraceEntry]) -> None:
    """The pairs are a longest common subsequence, by a recursion that shares nothing with the comparison."""
    ours, theirs = keys_of(trace), keys_of(golden)
    before = [0] * (len(theirs) + 1)
    for key in ours:
        row = [0]
        for at, other in enumerate(theirs):
            row.append(before[at] + 1 if key == other else max(before[at + 1], row[at]))
        before = row
    paired = [line for line in compare(trace, golden) if line.entry is not None and line.golden is not None]
    assert len(paired) == before[-1]


@given(traces, st.data())
def test_an_inserted_entry_is_extra(golden: list[TraceEntry], data: st.DataObject) -> None:
    """Wherever it stands. What follows inside a chain may lose its object with it, and is told beside it."""
    at = data.draw(st.integers(0, len(golden)))
    lines = compare([*golden[:at], NEW, *golden[at:]], golden)
    told = [line for line in lines if line.difference is ApduDifference.EXTRA]
    assert NEW in [line.entry for line in told]


@given(traces, st.data())
def test_a_removed_entry_is_missing(golden: list[TraceEntry], data: st.DataObject) -> None:
    """Wherever it stood."""
    at = data.draw(st.integers(0, len(golden)))
    with_new = [*golden[:at], NEW, *golden[at:]]
    told = [line for line in compare(golden, with_new) if line.difference is ApduDifference.MISSING]
    assert NEW in [line.golden for line in told]


@given(st.lists(st.sampled_from(("5C035FC102", "5C035FC105", "5C035FC107")), min_size=1), st.data())
def test_one_change_of_a_plain_trace_is_one_difference(data: list[str], draw: st.DataObject) -> None:
    """Without chains an APDU stands for itself: one inserted, removed or changed entry is told once, and no other."""
    golden = [apdu(data=text) for text in data]
    at = draw.draw(st.integers(0, len(golden) - 1))
    assert kinds([*golden[:at], NEW, *golden[at:]], golden) == [ApduDifference.EXTRA]
    assert kinds([*golden[:at], *golden[at + 1 :]], golden) == [ApduDifference.MISSING]
    other = msgspec.structs.replace(golden[at], sw="6A82")
    assert kinds([*golden[:at], other, *golden[at + 1 :]], golden) == [ApduDifference.STATUS]
    slow = msgspec.structs.replace(golden[at], ms=golden[at].ms + SLOW_MS + 1)
    assert kinds([*golden[:at], slow, *golden[at + 1 :]], golden) == [ApduDifference.SLOW]


def test_a_few_milliseconds_are_not_slow() -> None:
    """Ten times as long, below the floor: the machine was busy, the card was not."""
    assert kinds([apdu(ms=SLOW_MS)], [apdu(ms=SLOW_MS / 10)]) == []


def test_twice_a_long_time_is_not_slow() -> None:
    """A key of 3 s that takes 4 s is above the floor and within the factor: keys are found by luck."""
    assert kinds([apdu(ms=4000)], [apdu(ms=3000)]) == []


def test_nothing_to_compare_with_is_no_difference() -> None:
    """The first card of its kind."""
    assert [line.difference for line in alone([apdu(), NEW])] == [ApduDifference.NONE] * 2


def test_the_rest_of_a_chain_belongs_to_its_object() -> None:
    """Only the first block of a chained PUT DATA names the object; so does only the command before GET RESPONSE."""
    chain = [apdu("10DB3FFF", "5C035FC105"), apdu("10DB3FFF", "AABB"), apdu("00DB3FFF", "CC")]
    rest = [apdu("00CB3FFF", "5C035FC102", "6110"), apdu("00C00000", None)]
    assert [tag for _, tag in keys_of([*chain, *rest])] == ["5FC105"] * 3 + ["5FC102"] * 2


@pytest.mark.parametrize("data", ["5C", "5C03", "5C0", "5Czz5FC102", "", None])
def test_a_broken_tag_list_names_no_object(data: str | None) -> None:
    """Whatever a card or a service gives, a tag or nothing."""
    assert object_tag(apdu(data=data)) in ("", "5FC102")


@given(st.binary(max_size=200), st.sampled_from(("", "5FC102", "5FC109", "5FC106")))
def test_any_bytes_can_be_shown(data: bytes, tag: str) -> None:
    """What is no TLV is shown as bytes; nothing raises, nothing is shown as nothing."""
    lines = element_lines(data.hex(), tag)
    assert lines
    assert all("\n" not in line for line in lines)


def test_elements_are_named() -> None:
    """The CHUID as it is written: tag list, object, and what stands in it."""
    guid = "00112233445566778899AABBCCDDEEFF"
    lines = element_lines(f"5C035FC10253143410{guid}3E00", "5FC102")
    assert lines[0] == "5C Tag list: CHUID"
    assert lines[1].startswith("53 Object")
    assert lines[2] == f"  34 Card GUID, 16 B: {guid}"
    assert lines[3] == "  3E Issuer signature, empty"
    assert object_words("5FC1FF") == "5FC1FF"
