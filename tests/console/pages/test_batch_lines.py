"""Lists of cards as people bring them: any bytes are told about, and no good line is one that the service refuses."""

from __future__ import annotations

import codecs

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.provisioning.batches.messages import MAX_ROWS, BatchBody
from app.capabilities.provisioning.batches.service import _refuse_repeats
from app.console.formats.spreadsheet import MOST_BYTES
from app.console.pages.batch.lines import ListLine, checked_together, has_card, read_list, with_person
from app.registry.messages.nodes import Node, NodeCredential

HEAD = b"node_id,hardware_uid\n"
CELLS = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(
    ["ARC-T0001", "arc-t0001", "ARC-T0002", "70000001", "ABC", "abc", "7,0E+07", "", " ", "=1+1", '"', "node_id"]
)


def node(standing: str = "UNVERIFIED", credentials: list[NodeCredential] | None = None) -> Node:
    """A person of the registry."""
    return Node(
        node_id="ARC-T0001",
        display_name="Training Person 1",
        employee_id=None,
        email=None,
        notes=None,
        directory_accounts=[],
        tags=[],
        standing=standing,  # type: ignore[arg-type]
        verified_at=None,
        credentials=credentials or [],
        live_checks=[],
        templates=[],
        created_at="2026-03-01T10:00:00.000000Z",
        changed_at="2026-03-01T10:00:00.000000Z",
    )


def taken_by_the_service(lines: list[ListLine]) -> None:
    """Decode the good lines as the service does, and ask what it asks of them together."""
    body = BatchBody(label="List", fips_standard="FIPS 140-3 Level 2", rows=[line.body for line in lines])
    decoded = msgspec.json.decode(msgspec.json.encode(body), type=BatchBody)
    _refuse_repeats([line.node_id for line in decoded.rows], "node_id")
    _refuse_repeats([(line.hardware_uid or "").lower() for line in decoded.rows], "hardware_uid")


@given(
    st.binary(max_size=300)
    | st.binary(max_size=200).map(lambda data: HEAD + data)
    | st.lists(st.lists(CELLS, max_size=3), max_size=12).map(
        lambda rows: HEAD + "\n".join(",".join(row) for row in rows).encode()
    )
)
def test_any_file_is_a_list_or_told(data: bytes) -> None:
    """Nothing is raised, every line is good or says why not, and the service takes all good ones together."""
    found = read_list(data)
    assert bool(found.lines) != bool(found.problem)
    assert len(found.good) + len(found.bad) == len(found.lines)
    if found.good:
        taken_by_the_service(found.good)


@pytest.mark.parametrize(
    "data",
    [
        b"node_id,hardware_uid\nARC-T0001,70000001\nARC-T0002,\n",
        b"\xef\xbb\xbfnode_id;hardware_uid\r\nARC-T0001;70000001\r\nARC-T0002;\r\n",
        codecs.BOM_UTF16_LE + "node_id\thardware_uid\nARC-T0001\t70000001\nARC-T0002\n".encode("utf-16-le"),
        b'sep=;\r\n"NODE_ID";"hardware_uid"\r\n"ARC-T0001";"70000001"\r\n\r\n;\r\n"ARC-T0002";""\r\n',
        b"hardware_uid,node_id\n70000001,ARC-T0001\n,ARC-T0002\n",
    ],
    ids=["plain", "semicolons and BOM", "UTF-16 and tabs", "sep, quotes, empty lines", "other order"],
)
def test_a_list_is_read_as_spreadsheets_write_it(data: bytes) -> None:
    """Two people, one with an element of their own."""
    assert [(line.node_id, line.hardware_uid, line.problem) for line in read_list(data).lines] == [
        ("ARC-T0001", "70000001", ""),
        ("ARC-T0002", "", ""),
    ]


@pytest.mark.parametrize(
    ("rows", "at", "word"),
    [
        (b"ARC-T0001\nARC-T0001\n", 4, "line 2"),
        (b"ARC-T0001,ab\nARC-T0002,AB\n", 4, "element"),
        (b"ARC-T0001,7.00E+07\n", 3, "rounded"),
        (b"A B\n", 3, "No node_id"),
        (b",70000001\n", 3, "names no node_id"),
        (b"ARC-T0001,1,2\n", 3, "3 cells"),
        (b"ARC-T0001," + b"x" * 201 + b"\n", 3, "200 characters"),
        (b'ARC-T0001\n"ARC-T0002\n', 4, "never closed"),
    ],
)
def test_a_bad_line_says_what_is_wrong_and_where(rows: bytes, at: int, word: str) -> None:
    """Its place in the list, its number in the file, and a sentence."""
    (bad,) = read_list(HEAD + b"ARC-T0009\n" + rows).bad
    assert (bad.at, bad.file_line) == (at - 1, at)
    assert word in bad.problem


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "empty"),
        (HEAD, "nothing below"),
        (b"name\nTraining Person 1\n", "node_id is missing"),
        (b"node_id,hw_uid\nARC-T0001,7\n", "unknown columns"),
        (b"node_id,node_id\nARC-T0001,ARC-T0001\n", "twice"),
        (b"PK\x03\x04" + bytes(200), "no text"),
        (bytes(range(256)) * 4, "no text"),
        (b"x" * (MOST_BYTES + 1), "larger"),
    ],
    ids=["empty", "heading alone", "no node_id", "misspelt", "twice", "workbook", "rubbish", "huge"],
)
def test_a_file_that_is_no_list_says_why(data: bytes, word: str) -> None:
    """One sentence, and no line."""
    found = read_list(data)
    assert not found.lines
    assert word in found.problem


def test_a_batch_takes_a_thousand_lines() -> None:
    """The others say so, and without them the list is whole; bad lines take no room."""
    rows = b"ARC-T0001\n" + b"".join(b"ARC-L%05d\n" % number for number in range(MAX_ROWS + 2)) + b"ARC-T0001\n"
    found = read_list(HEAD + rows)
    assert len(found.good) == MAX_ROWS
    assert [line.at for line in found.bad] == list(range(MAX_ROWS + 1, MAX_ROWS + 5))
    taken_by_the_service(found.good)
    assert "5" in read_list(HEAD + b"ARC-T0001\n" * 6000).problem


def test_the_registry_has_its_say() -> None:
    """Unknown, burned and contained people are bad; whoever has a card is told as such and stays good."""
    line = ListLine(2, "ARC-T0001")
    assert with_person(line, None).problem == "Nobody of this id is registered."
    assert "burned" in with_person(line, node("REVOKED")).problem
    assert "contained" in with_person(line, node("SUSPENDED")).problem
    card = NodeCredential(profile=None, format="piv-guid", card_guid="guid", state="active")
    told = with_person(line, node(credentials=[card]))
    assert (told.problem, told.standing, told.has_card) == ("", "UNVERIFIED", True)
    revoked = NodeCredential(profile="badge", format="piv-guid", card_guid="guid", state="revoked")
    assert not has_card(node(credentials=[revoked]))


def test_a_problem_of_the_file_outlives_the_registry() -> None:
    """What was wrong before is not overwritten by what the registry says."""
    (first, second) = checked_together([ListLine(1, "ARC-T0001"), ListLine(2, "ARC-T0001")]).lines
    assert with_person(first, node()).problem == ""
    assert with_person(second, None).problem == "This node stands in line 1 already."
