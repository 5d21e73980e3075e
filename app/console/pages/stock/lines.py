"""The stock as a file: a list of elements that is brought, and the inventory that is taken away.

No Qt here. A brought list is checked whole before anything is sent, line by line and in words that quote no cell: some
of its columns are keys.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import msgspec

from app.api.wire import ShortText
from app.capabilities.provisioning.stock.messages import (
    ELEMENT_COLUMNS,
    MAX_IMPORT,
    AesKey,
    CardPin,
    CardPuk,
    Certificate,
    Declared1402,
    Declared1403,
    DeclaredListing,
    DeclaredValidation,
    Element,
    ElementState,
    ElementUid,
    ImportRow,
    Level,
    Transport,
)
from app.console.formats.spreadsheet import SheetLine, Wrong, read_rows, table_bytes
from app.console.language import tr

NEEDED = ("hardware_uid", "product")
SECRET = ("management_key", "pin", "puk")
SHAPES = {
    "hardware_uid": tr("Needed: up to 64 letters, digits, dots, dashes, underscores, colons; first a letter or digit."),
    "product": tr("Needed: a name of up to 200 characters."),
    "location": tr("A place of up to 200 characters, or nothing."),
    "state": tr("in_stock, quarantined, issued or retired; or nothing: then it stays as it is."),
    "standard": tr("FIPS 140-2, FIPS 140-3 or GSA APL; or nothing: then nothing is declared."),
    "level": tr("1, 2, 3 or 4; needed for FIPS 140."),
    "physical": tr("1, 2, 3 or 4, or nothing."),
    "certificate": tr("The number of the certificate or listing, up to 6 digits; needed with a standard."),
    "management_key": tr("An AES key in hexadecimal: 32, 48 or 64 digits."),
    "pin": tr("6 to 8 digits."),
    "puk": tr("6 to 8 letters, digits or signs."),
}
"""What each column takes, in words."""
_ROUNDED = re.compile(r"[0-9]+([.,][0-9]+)?[eE]\+[0-9]+\Z")
_STANDARDS: dict[str, type[Declared1402 | Declared1403 | DeclaredListing]] = {
    "fips 140-2": Declared1402,
    "fips 140-3": Declared1403,
    "gsa apl": DeclaredListing,
}
_TYPES: dict[str, Any] = {
    "hardware_uid": ElementUid, "product": ShortText, "location": ShortText, "level": Level, "physical": Level,
    "certificate": Certificate, "management_key": AesKey, "pin": CardPin, "puk": CardPuk,
}  # fmt: skip

DECLARED = ("standard", "level", "physical", "certificate")
INVENTORY = (
    "hardware_uid", "product", "location", "state", *DECLARED,
    "transport_keys", "provision_id", "node_id", "written_at", "detail", "created_at", "changed_at",
)  # fmt: skip
"""Columns of the inventory: the first eight are those of an import, so it can be brought back."""


@dataclass(frozen=True)
class Brought:
    """One line of a brought list. Kept out of ``repr``: it may hold keys."""

    number: int
    row: ImportRow = field(repr=False)


@dataclass(frozen=True)
class ElementList:
    """A brought list. ``wrong`` empty: all of it can be sent. ``ignored``: columns that mean nothing here."""

    lines: tuple[Brought, ...] = ()
    wrong: tuple[Wrong, ...] = ()
    ignored: tuple[str, ...] = ()

    @property
    def chunks(self) -> list[Sequence[Brought]]:
        """What goes into one call each."""
        return [self.lines[at : at + MAX_IMPORT] for at in range(0, len(self.lines), MAX_IMPORT)]


def read_elements(data: bytes) -> ElementList:
    """The list that a CSV of ``ELEMENT_COLUMNS`` holds. Raises nothing."""
    rows = read_rows(data, ELEMENT_COLUMNS, needed=NEEDED, exact=SECRET)
    lines: list[Brought] = []
    wrong = list(rows.wrong)
    seen: dict[str, int] = {}
    for line in rows.lines:
        found = _check(line)
        if isinstance(found, ImportRow):
            first = seen.setdefault(found.hardware_uid.lower(), line.number)
            if first != line.number:
                wrong.append(
                    Wrong(line.number, "hardware_uid", tr("This element stands in line {line} already.", line=first))
                )
            lines.append(Brought(line.number, found))
        else:
            wrong += found
    if not lines and not wrong:
        wrong.append(Wrong(1, "", tr("The file names its columns and has no line below them.")))
    return ElementList(tuple(lines), tuple(sorted(wrong, key=lambda one: one.number)), rows.ignored)


def _check(line: SheetLine) -> ImportRow | list[Wrong]:
    """The line as the service takes it, or all that is wrong with it."""
    cells = line.cells
    wrong: list[Wrong] = []

    def refuse(column: str, sentence: str = "") -> None:
        wrong.append(Wrong(line.number, column, sentence or SHAPES[column]))

    def value(column: str, convert: Callable[[str], object] = str) -> Any:
        """The cell as its type, None for an empty one; a wrong one is told."""
        if not cells[column]:
            return None
        try:
            return msgspec.convert(convert(cells[column]), _TYPES[column])
        except (msgspec.ValidationError, ValueError):
            rounded = column == "hardware_uid" and _ROUNDED.match(cells[column])
            refuse(column, tr("The spreadsheet has rounded this number; format the column as text.") if rounded else "")
            return None

    uid, product = value("hardware_uid"), value("product")
    for column in NEEDED:
        if not cells[column]:
            refuse(column)
    state = cells["state"].casefold().replace(" ", "_") or None
    if state is not None and state not in get_args(ElementState):
        refuse("state")
    validation = _validation(cells, value, refuse)
    secret = {column: value(column) for column in SECRET}
    location = value("location")
    if wrong:
        return wrong
    keys = Transport(**secret) if any(secret.values()) else None
    return ImportRow(
        hardware_uid=uid,
        product=product,
        location=location,
        state=state,  # type: ignore[arg-type]  # one of the words, as was checked
        validation=validation,
        transport=keys,
    )


def _validation(
    cells: Mapping[str, str], value: Callable[..., Any], refuse: Callable[..., None]
) -> DeclaredValidation | None:
    """The declared validation of a line; what is wrong with it goes to ``refuse``."""
    certificate, level, physical = value("certificate", _number), value("level", int), value("physical", int)
    if not cells["standard"]:
        if any(cells[column] for column in ("certificate", "level", "physical")):
            refuse("standard", tr("Name the standard that is declared: FIPS 140-2, FIPS 140-3 or GSA APL."))
        return None
    made = _STANDARDS.get(" ".join(cells["standard"].casefold().split()))
    if made is None:
        refuse("standard")
        return None
    if not cells["certificate"]:
        refuse("certificate")
    if made is DeclaredListing:
        for column in ("level", "physical"):
            if cells[column]:
                refuse(column, tr("A listing of the GSA has no levels; leave it empty."))
        return None if certificate is None else DeclaredListing(certificate=certificate)
    if not cells["level"]:
        refuse("level")
    if certificate is None or level is None:
        return None
    return (Declared1402 if made is Declared1402 else Declared1403)(
        certificate=certificate, level=level, physical=physical
    )


def _number(cell: str) -> str:
    return cell.removeprefix("#").strip()


def inventory_bytes(elements: Iterable[Element]) -> bytes:
    """The inventory as CSV. Transport keys stand in it as ``set`` alone."""
    return table_bytes(INVENTORY, (_inventory_row(element) for element in elements))


def _inventory_row(element: Element) -> list[str]:
    """The cells of an element in the inventory."""
    declared = element.validation
    cells = (
        element.hardware_uid,
        element.product,
        element.location,
        element.state,
        *(None if declared is None else getattr(declared, name) for name in DECLARED),
        "set" if element.transport.set else None,
        element.provision_id,
        element.node_id,
        element.written_at,
        element.detail,
        element.created_at,
        element.changed_at,
    )
    return ["" if cell is None else str(cell) for cell in cells]
