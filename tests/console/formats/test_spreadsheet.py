"""A CSV as spreadsheets write it: every habit of theirs is read, and rubbish is told by line and never raised."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.console.formats.spreadsheet import MOST_BYTES, Rows, read_rows, table_bytes

COLUMNS = ("uid", "product", "puk")
PLAIN = b"uid,product,puk\n1,Card,12345678\n2,Other card,\n"


def read(data: bytes, **options: object) -> Rows:
    """As a list of cards."""
    return read_rows(data, COLUMNS, needed=("uid", "product"), exact=("puk",), **options)  # type: ignore[arg-type]


def cells(rows: Rows) -> list[tuple[int, str, str, str]]:
    """Line numbers with their cells; nothing may be wrong."""
    assert rows.wrong == ()
    return [(line.number, *(line.cells[name] for name in COLUMNS)) for line in rows.lines]


@pytest.mark.parametrize(
    "data",
    [
        PLAIN,
        b"\xef\xbb\xbf" + PLAIN,
        PLAIN.decode().encode("utf-16"),
        PLAIN.replace(b",", b";").replace(b"\n", b"\r\n"),
        PLAIN.replace(b",", b"\t").decode().encode("utf-16"),
        PLAIN.replace(b"\n", b"\r"),
        b'"UID","Product","PUK"\n"1","Card","12345678"\n"2","Other card",""\n',
        b'uid,product,puk\n="1",Card,12345678\n2,Other card\n',
        PLAIN.rstrip(b"\n"),
        PLAIN + b"\n,,\n \n",
    ],
    ids=["plain", "bom", "utf-16", "semicolons", "tabs", "old-mac", "quotes", "as-text", "no-end", "empty-lines"],
)
def test_every_spreadsheet_is_read_the_same(data: bytes) -> None:
    """Marks, separators, quotes, line ends and empty lines make no difference."""
    assert cells(read(data)) == [(2, "1", "Card", "12345678"), (3, "2", "Other card", "")]


def test_the_line_that_names_the_separator_counts_as_a_line() -> None:
    """Excel's ``sep=;`` is obeyed, and numbers stay those that an editor shows."""
    assert cells(read(b"sep=;\r\nuid;product;puk\r\n1;A, B;\r\n")) == [(3, "1", "A, B", "")]


def test_a_line_feed_in_quotes_belongs_to_its_record() -> None:
    """A record's number is that of the line where it begins."""
    assert cells(read(b'uid,product\n1,"A\nB"\n2,C\n')) == [(2, "1", "A\nB", ""), (4, "2", "C", "")]


def test_a_carriage_return_in_quotes_belongs_to_its_cell() -> None:
    """Lists that were made on other systems keep their breaks within a cell."""
    assert cells(read(b'uid,product\n1,"A\rB"\n')) == [(2, "1", "A\rB", "")]


def test_old_windows_letters_are_read() -> None:
    """What is not UTF-8 is Windows-1252."""
    assert cells(read("uid;product\n1;Büro\n".encode("cp1252")))[0][2] == "Büro"


def test_guards_against_formulas_are_taken_off_but_never_off_a_secret() -> None:
    """What was written by ``table_bytes`` comes back; a PUK that looks guarded stays what it is."""
    data = table_bytes(COLUMNS, [("1", "=SUM(A1)", "")]) + b"2,C,'-123456\r\n"
    assert b"'=SUM" in data
    assert [row[2:] for row in cells(read(data))] == [("=SUM(A1)", ""), ("C", "'-123456")]


def test_columns_that_nobody_asked_for_are_named() -> None:
    """They are not read, and whoever misspelt one sees it."""
    rows = read(b"uid,product,Locashun\n1,Card,x\n")
    assert (rows.ignored, rows.wrong, len(rows.lines)) == (("Locashun",), (), 1)


@pytest.mark.parametrize(
    ("data", "number", "words"),
    [
        (b"", 1, "empty"),
        (b"4711,87654321\n", 1, "uid, product is missing"),
        (b"uid,uid,product\n1,2,3\n", 1, "uid twice"),
        (b"PK\x03\x04rest", 1, "no text file"),
        (b"uid,product\n\x00", 1, "no text file"),
        (b"\x81\xff", 1, "no text file"),
        (b'uid,product\n1,A\n2,"B\n3,C\n', 3, "never closed"),
        (b'uid,product\n1,"A"B\n2,C\n', 2, "closing quotation mark"),
        (b"uid,product\n1,A,,x\n", 2, "4 cells"),
        (b"uid,product\n1," + b"x" * 200_000 + b"\n", 2, "131,072"),
        (b"x" * (MOST_BYTES + 1), 1, "16 MiB"),
    ],
    ids=[
        "empty", "no-head", "twice", "workbook", "nul", "bytes", "open-quote", "after-quote", "too-many", "long", "big",
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_by_its_line(data: bytes, number: int, words: str) -> None:
    """A sentence and the line; no cell is quoted."""
    rows = read(data)
    assert rows.wrong[0].number == number
    assert words in rows.wrong[0].sentence
    assert not any("4711" in wrong.sentence or "87654321" in wrong.sentence for wrong in rows.wrong)


def test_a_bad_line_spoils_no_other() -> None:
    """Lines before and after it are read."""
    rows = read(b'uid,product\n1,A\n2,"B"x\n3,C\n')
    assert [line.number for line in rows.lines] == [2, 4]
    assert [wrong.number for wrong in rows.wrong] == [3]


def test_too_many_lines_are_refused_whole() -> None:
    """A file that was cut off is never taken for the whole list."""
    rows = read(b"uid,product\n1,A\n2,B\n3,C\n", most=2)
    assert rows.lines == ()
    assert rows.wrong[0].number == 4


def test_a_secret_is_not_in_the_words_of_a_line() -> None:
    """A trace back or a log that shows the record shows no cell."""
    assert "12345678" not in repr(read(PLAIN))


@given(st.binary(max_size=400) | st.text(max_size=400).map(str.encode))
def test_any_bytes_are_read_or_told(data: bytes) -> None:
    """Nothing is raised; every record has every column, and numbers rise within the file."""
    rows = read(b"uid,product\n" + data)
    assert all(set(line.cells) == set(COLUMNS) for line in rows.lines)
    numbers = [line.number for line in rows.lines]
    assert numbers == sorted(set(numbers))
    assert all(wrong.sentence for wrong in rows.wrong)


# A lone carriage return is left out: csv.writer of Python 3.11 does not quote it, and it then ends the line.
SHEET = st.lists(
    st.tuples(*[st.text(st.characters(exclude_characters="\0\r", exclude_categories=("Cs",)), max_size=12)] * 3),
    max_size=6,
)


@given(SHEET, st.sampled_from([",", ";", "\t", "|"]), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_what_a_writer_of_csv_writes_is_read(
    sheet: list[tuple[str, str, str]], mark: str, end: str, quoted: bool
) -> None:
    """Whatever separator and line end: the records that are not empty come back, stripped."""
    text = io.StringIO(newline="")
    written = csv.writer(
        text, delimiter=mark, lineterminator=end, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    )
    written.writerow(COLUMNS)
    written.writerows(sheet)
    rows = read_rows(text.getvalue().encode(), COLUMNS, needed=COLUMNS, exact=COLUMNS)
    kept = [tuple(cell.strip() for cell in row) for row in sheet if any(cell.strip() for cell in row)]
    assert rows.wrong == ()
    assert [tuple(line.cells[name] for name in COLUMNS) for line in rows.lines] == kept
