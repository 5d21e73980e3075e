"""Words of the stock: what a state, a declared validation and a row of the table say to a person."""

from __future__ import annotations

from dataclasses import dataclass

from app.capabilities.provisioning.stock.messages import Element, ElementState, Validation
from app.console.clock import date_time, utc_time
from app.console.code_words import code_word
from app.console.language import tr
from app.console.moments import parse_time
from app.console.theme.tokens import Meaning

KIND = "elements"
"""What an operation of this page changes."""
LARGEST = 500
"""Elements of the largest page that the service gives."""
STATES: tuple[ElementState, ...] = ("in_stock", "quarantined", "issued", "retired")
STATE_MARKS: dict[str, Meaning] = {
    "in_stock": Meaning.OK,
    "quarantined": Meaning.WARN,
    "issued": Meaning.IDLE,
    "retired": Meaning.BAD,
}
STATE_HINTS: dict[str, str] = {
    "in_stock": tr("May be written."),
    "quarantined": tr("Kept out of use until somebody has looked at it; it is not written."),
    "issued": tr("Written for a person."),
    "retired": tr("Taken out of use for good; it is not written."),
}
STATE_WORDS: dict[str, str] = {
    "in_stock": tr("in stock"),
    "quarantined": tr("quarantined"),
    "issued": tr("issued", "element"),
    "retired": tr("retired", "element"),
}
"""What an element is, within a sentence or after a number."""


@dataclass(frozen=True)
class ElementRow:
    """One element as the table has it: texts, made once a reading."""

    element: Element
    state: Meaning
    word: str
    hint: str
    declared: str
    short: str
    """``declared`` without the physical level."""
    keys: str
    written_for: str
    written_on: str
    written_hint: str


def row_of(element: Element) -> ElementRow:
    """The row of an element."""
    reason = f" {element.detail}" if element.detail else ""
    at = None if element.written_at is None else parse_time(element.written_at)
    return ElementRow(
        element=element,
        state=STATE_MARKS[element.state],
        word=code_word(element.state),
        hint=f"{STATE_HINTS[element.state]}{reason}",
        declared=declared_words(element.validation),
        short=declared_words(element.validation, physical=False),
        keys=tr("Set", "state") if element.transport.set else "–",
        written_for=element.node_id or "–",
        written_on="–" if at is None else date_time(at)[:10],
        written_hint=tr("Nothing was written on it yet.") if at is None else f"{element.node_id}, {utc_time(at)}",
    )


def declared_words(validation: Validation | None, *, physical: bool = True) -> str:
    """``FIPS 140-3 L2 physical 3 #5291``; a dash when nothing is declared."""
    if validation is None:
        return "–"
    level = "" if validation.level is None else f" L{validation.level}"
    more = "" if validation.physical is None or not physical else tr(" physical {level}", level=validation.physical)
    return f"{validation.standard}{level}{more} #{validation.certificate}"
