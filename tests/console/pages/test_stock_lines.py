"""A list of elements as it is brought, and the inventory as it is taken away."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api.wire import SecretState
from app.capabilities.provisioning.stock.messages import (
    ELEMENT_COLUMNS,
    MAX_IMPORT,
    Declared1402,
    Declared1403,
    DeclaredListing,
    Element,
    ImportRow,
    Transport,
    Validation,
)
from app.console.pages.stock.lines import ElementList, inventory_bytes, read_elements

KEY = "ab" * 16
HEAD = ";".join(ELEMENT_COLUMNS)


def one(line: str) -> ElementList:
    """A list of one line."""
    return read_elements(f"{HEAD}\r\n{line}\r\n".encode())


@pytest.mark.parametrize(
    ("line", "row"),
    [
        ("A1;Card", ImportRow(hardware_uid="A1", product="Card")),
        (
            f"A1;Card;Safe;Retired;fips 140-3;2;3;#5291;{KEY};123456;PUK123",
            ImportRow(
                hardware_uid="A1",
                product="Card",
                location="Safe",
                state="retired",
                validation=Declared1403(certificate="5291", level=2, physical=3),
                transport=Transport(management_key=KEY, pin="123456", puk="PUK123"),
            ),
        ),
        (
            "A1;Card;;In stock;FIPS 140-2;1;;12",
            ImportRow(
                hardware_uid="A1",
                product="Card",
                state="in_stock",
                validation=Declared1402(certificate="12", level=1),
            ),
        ),
        (
            "A1;Card;;;GSA APL;;;1512",
            ImportRow(hardware_uid="A1", product="Card", validation=DeclaredListing(certificate="1512")),
        ),
    ],
)
def test_a_line_becomes_the_row_that_the_service_takes(line: str, row: ImportRow) -> None:
    """Words in any case, levels as numbers; an empty cell is left out, so what is there stays."""
    found = one(line)
    assert found.wrong == ()
    assert [brought.row for brought in found.lines] == [row]


@pytest.mark.parametrize(
    ("line", "column"),
    [
        (";Card", "hardware_uid"),
        ("A 1;Card", "hardware_uid"),
        ("1,23457E+11;Card", "hardware_uid"),
        ("A1;", "product"),
        ("A1;Card;;lost", "state"),
        ("A1;Card;;;FIPS 199;2;;5291", "standard"),
        ("A1;Card;;;;2;;5291", "standard"),
        ("A1;Card;;;FIPS 140-3;;;5291", "level"),
        ("A1;Card;;;FIPS 140-3;5;;5291", "level"),
        ("A1;Card;;;FIPS 140-3;2;x;5291", "physical"),
        ("A1;Card;;;FIPS 140-3;2", "certificate"),
        ("A1;Card;;;GSA APL;2;;1512", "level"),
        ("A1;Card;;;;;;;zz", "management_key"),
        ("A1;Card;;;;;;;;12", "pin"),
        ("A1;Card;;;;;;;;;PUKs with spaces", "puk"),
    ],
)
def test_what_is_wrong_is_told_by_line_and_column(line: str, column: str) -> None:
    """Nothing of such a list can be sent, and the sentence quotes no cell."""
    found = one(line)
    assert [(wrong.number, wrong.column) for wrong in found.wrong] == [(2, column)]
    assert "zz" not in found.wrong[0].sentence
    assert found.lines == ()


def test_an_element_stands_in_a_list_once() -> None:
    """Whatever the case of its letters; both lines are named."""
    found = read_elements(b"hardware_uid,product\nab1,Card\n\nAB1,Card\n")
    assert [(wrong.number, wrong.sentence) for wrong in found.wrong] == [(4, "This element stands in line 2 already.")]


def test_a_list_without_a_line_is_told() -> None:
    """The head alone is no list."""
    assert len(read_elements(b"hardware_uid,product\n").wrong) == 1


def test_a_long_list_goes_in_parts_that_the_service_takes() -> None:
    """Whole and in order."""
    lines = "\n".join(f"E{n},Card" for n in range(MAX_IMPORT + 1))
    found = read_elements(f"hardware_uid,product\n{lines}".encode())
    assert [len(chunk) for chunk in found.chunks] == [MAX_IMPORT, 1]
    assert found.chunks[1][0].number == MAX_IMPORT + 2


def test_keys_are_not_in_the_words_of_a_list() -> None:
    """A trace back or a log that shows it shows none."""
    assert KEY not in repr(one(f"A1;Card;;;;;;;{KEY}"))


CELL = st.one_of(
    st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=10),
    st.sampled_from(["A1", "b-2", "FIPS 140-3", "GSA APL", "2", "5291", "retired", KEY, "123456"]),
)


@given(st.lists(st.lists(CELL, max_size=len(ELEMENT_COLUMNS) + 1), max_size=5))
def test_every_line_is_taken_or_told(sheet: list[list[str]]) -> None:
    """No cell raises; what is taken is what the service's own schema takes; a list with an error is told as one."""
    quoted = (";".join('"' + cell.replace('"', '""') + '"' for cell in line) for line in sheet)
    found = read_elements("\r\n".join([HEAD, *quoted]).encode())
    for brought in found.lines:
        assert msgspec.convert(msgspec.to_builtins(brought.row), ImportRow) == brought.row
    filled = sum(any(cell.strip() for cell in line) for line in sheet)
    told = {wrong.number for wrong in found.wrong}
    assert len({brought.number for brought in found.lines} | told) == max(filled, 1)


def element(**changes: object) -> Element:
    """One of the stock."""
    values: dict[str, object] = {
        "hardware_uid": "a1", "product": "=Card", "location": None, "state": "quarantined",
        "validation": Validation(standard="FIPS 140-3", certificate="5291", level=2),
        "transport": SecretState(set=True),
        "provision_id": None, "node_id": None, "written_at": None, "detail": "Bent",
        "created_at": "2026-03-01T10:00:00.000000Z", "changed_at": "2026-03-01T10:00:00.000000Z",
    }  # fmt: skip
    return Element(**(values | changes))  # type: ignore[arg-type]


def test_the_inventory_can_be_brought_back() -> None:
    """What is declared and where it stands comes back; that there are keys is told, and no key is in it."""
    data = inventory_bytes([element(), element(hardware_uid="b2", product="Other", state="issued", validation=None)])
    assert data.count(b"set") == 2
    found = read_elements(data)
    assert found.wrong == ()
    assert [brought.row for brought in found.lines] == [
        ImportRow(
            hardware_uid="a1",
            product="=Card",
            state="quarantined",
            validation=Declared1403(certificate="5291", level=2),
        ),
        ImportRow(hardware_uid="b2", product="Other", state="issued"),
    ]
    assert "detail" in found.ignored
