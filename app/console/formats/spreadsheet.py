"""CSV as spreadsheets write and read it: byte order marks, semicolons, ``sep=``, old Windows letters, guarded formulas.

Reading takes any bytes and raises nothing: errors come back as values that name the line. No sentence ever quotes a
cell, because a list of cards may hold their keys.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.console.language import tr

MOST_BYTES = 16 * 1024 * 1024
MOST_LINES = 50_000
MOST_WRONG = 1000
"""Errors that are reported; a file of rubbish has one in every line."""
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would run as a formula when a cell begins with it."""
_MARKS = (",", ";", "\t", "|")
_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
_SEP = re.compile(r'"?sep=([^\r\n"])"?(?:\r\n|\r|\n|\Z)', re.IGNORECASE)
_AS_TEXT = re.compile(r'="(.*)"', re.DOTALL)


@dataclass(frozen=True)
class SheetLine:
    """One record: ``number`` of the line where it begins, from 1 as editors count; ``cells`` by column, stripped, the
    empty text where the file has none. Kept out of ``repr``: a cell may be a secret."""

    number: int
    cells: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True)
class Wrong:
    """One error: line (1 = the first), column (empty = the whole line), and a sentence that says what is right."""

    number: int
    column: str
    sentence: str


@dataclass(frozen=True)
class Rows:
    """A file as it was read. ``ignored``: columns of the file that the caller did not name, as the file spells them."""

    lines: tuple[SheetLine, ...] = ()
    wrong: tuple[Wrong, ...] = ()
    ignored: tuple[str, ...] = ()


def read_rows(
    data: bytes,
    columns: Sequence[str],
    *,
    needed: Collection[str] = (),
    exact: Collection[str] = (),
    most: int = MOST_LINES,
) -> Rows:
    """The records of a CSV file whose first line names its columns, in any order and case.

    UTF-8, UTF-16 with its mark, else Windows-1252; comma, semicolon, tab or bar: the one by which the first line names
    the most of ``columns``; any line end; empty lines are left out. ``needed`` columns must be there. A cell that was
    guarded against formulas is taken without its guard, but in ``exact`` columns as it stands. At most ``most`` records
    and ``MOST_BYTES`` are read; a longer file is refused whole.
    """
    if len(data) > MOST_BYTES:
        return _refusal(tr("The file is larger than {most} MiB; save it in parts.", most=MOST_BYTES // 2**20))
    text = _decode(data)
    if text is None:
        return _refusal(tr("This is no text file. Save the sheet as CSV and choose that file."))
    skipped = 0
    marks: Sequence[str] = _MARKS
    if (said := _SEP.match(text)) is not None:
        text, marks, skipped = text[said.end() :], (said[1],), 1
    mark = _mark(text, columns, marks)
    names: list[str] | None = None
    ignored: tuple[str, ...] = ()
    lines: list[SheetLine] = []
    wrong: list[Wrong] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    while len(wrong) < MOST_WRONG:
        number = reader.line_num + 1 + skipped
        try:
            cells = [cell.strip() for cell in next(reader)]
        except StopIteration:
            break
        except csv.Error as error:
            if names is None:
                return _refusal(_unreadable(error), number)
            wrong.append(Wrong(number, "", _unreadable(error)))
            continue
        if not any(cells):
            continue
        if names is None:
            names = [_name(cell) for cell in cells]
            trouble = _head_trouble(names, columns, needed)
            if trouble:
                return _refusal(trouble, number)
            ignored = tuple(cell for cell, name in zip(cells, names, strict=True) if name not in columns and cell)
            continue
        if any(cells[len(names) :]):
            wrong.append(
                Wrong(
                    number,
                    "",
                    tr("The line has {count} cells; the first line names {named}.", count=len(cells), named=len(names)),
                )
            )
            continue
        if len(lines) == most:
            return _refusal(tr("The file has more than {most:,} lines; save it in parts.", most=most), number)
        here = dict.fromkeys(columns, "")
        for name, cell in zip(names, cells, strict=False):
            if name in here:
                here[name] = cell if name in exact else _strip_guard(cell)
        lines.append(SheetLine(number, here))
    if names is None:
        return _refusal(
            tr(
                "The file is empty. Its first line names the columns: {columns}.",
                columns=_name_list(needed or columns),
            )
        )
    return Rows(tuple(lines), tuple(wrong), ignored)


def table_bytes(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """A CSV file (RFC 4180, UTF-8) whose first line names the columns; no cell is one that a spreadsheet would run as a
    formula."""
    text = io.StringIO(newline="")
    written = csv.writer(text, lineterminator="\r\n")
    written.writerow(columns)
    for row in rows:
        written.writerow([f"'{cell}" if cell.startswith(FORMULA) else cell for cell in row])
    return text.getvalue().encode()


def _refusal(sentence: str, number: int = 1) -> Rows:
    return Rows(wrong=(Wrong(number, "", sentence),))


def _decode(data: bytes) -> str | None:
    """The text of the file; None when it is not text."""
    if data.startswith(_WORKBOOKS):
        return None
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    for encoding in ("utf-16",) if wide else ("utf-8-sig", "cp1252"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return None if "\0" in text else text
    return None


def _mark(text: str, columns: Sequence[str], marks: Sequence[str]) -> str:
    """The separator: of ``marks``, the one by which the first line names the most columns."""
    first = next((line for line in text.splitlines() if line.strip(" ,;|\t")), "")[:10_000]

    def count_known(mark: str) -> int:
        return len({_name(cell) for cell in first.replace('"', "").split(mark)} & set(columns))

    return max(marks, key=count_known)


def _name(cell: str) -> str:
    return re.sub(r"[\s-]+", "_", cell.strip()).casefold()


def _head_trouble(names: Sequence[str], columns: Sequence[str], needed: Collection[str]) -> str:
    missing = [name for name in columns if name in needed and name not in names]
    if missing:
        # The line is not quoted: a file without column names begins with keys.
        return tr("The first line must name the columns; {columns} is missing.", columns=_name_list(missing))
    twice = [name for name in columns if names.count(name) > 1]
    return tr("The first line names {columns} twice.", columns=_name_list(twice)) if twice else ""


def _name_list(names: Iterable[str]) -> str:
    return ", ".join(names)


def _unreadable(error: csv.Error) -> str:
    words = str(error)
    if "end of data" in words:
        return tr("A quotation mark that opens here is never closed; what follows could not be read.")
    if "expected after" in words:
        return tr("Text follows a closing quotation mark; a mark that belongs to the text is written twice.")
    return tr("A cell is longer than {most:,} characters.", most=csv.field_size_limit())


def _strip_guard(cell: str) -> str:
    """The cell without the apostrophe or the ``="…"`` that keeps it from being a formula or a number."""
    if cell.startswith("'") and cell[1:].startswith(FORMULA):
        return cell[1:]
    whole = _AS_TEXT.fullmatch(cell)
    return whole[1].strip() if whole else cell
