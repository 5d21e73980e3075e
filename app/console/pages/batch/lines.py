"""A list of cards to be written, as people bring it: a CSV from a spreadsheet, or ticked in the registry.

No Qt here. Every line keeps its place in the file and says in words what is wrong with it: a batch begins with whole
lists alone, because the line that is missed at the end of the day belongs to somebody who stands at the door.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import msgspec

from app.capabilities.provisioning.batches.messages import BATCH_COLUMNS, MAX_ROWS, BatchLine
from app.console.formats.spreadsheet import read_rows
from app.console.language import tr
from app.registry.messages.nodes import Node

MOST_SHOWN = 5 * MAX_ROWS
"""Lines of a file; a longer one is refused whole."""
UNKNOWN = tr("Nobody of this id is registered.")
BARRED = {
    "REVOKED": tr("This person is burned; no card is written for them."),
    "SUSPENDED": tr("This person is contained; no card is written for them."),
}
"""What is wrong with a line whose person has one of these standings."""
_ROUNDED = re.compile(r"[0-9]+([.,][0-9]+)?[eE]\+[0-9]+\Z")


@dataclass(frozen=True)
class ListLine:
    """One card. ``at``: its place in the list, from 1, which is its line in the batch. ``problem``: what is wrong, a
    sentence; empty for a good line. ``checked``: the registry was asked. ``file_line``: where it stands in the file, 0:
    it was ticked."""

    at: int
    node_id: str
    hardware_uid: str = ""
    name: str = ""
    standing: str = ""
    has_card: bool = False
    problem: str = ""
    checked: bool = False
    file_line: int = 0

    @property
    def body(self) -> BatchLine:
        """The line as the service takes it."""
        return BatchLine(node_id=self.node_id, hardware_uid=self.hardware_uid or None)


@dataclass(frozen=True)
class LineList:
    """``problem``: why there is no line at all, a sentence; empty when there are lines."""

    lines: Sequence[ListLine] = ()
    problem: str = ""

    @property
    def good(self) -> list[ListLine]:
        """Lines without a problem."""
        return [line for line in self.lines if not line.problem]

    @property
    def bad(self) -> list[ListLine]:
        """Lines with one."""
        return [line for line in self.lines if line.problem]


def read_list(data: bytes) -> LineList:
    """The lines of a CSV with ``BATCH_COLUMNS``. Never raises; the good lines together are what the service takes."""
    rows = read_rows(data, BATCH_COLUMNS, needed=("node_id",), exact=("node_id",), most=MOST_SHOWN)
    if not rows.lines:
        if not rows.wrong:
            return LineList(problem=tr("The file has a first line and nothing below it."))
        if len(rows.wrong) == 1:
            (wrong,) = rows.wrong
            where = "" if wrong.number == 1 else tr("Line {number} of the file: ", number=wrong.number)
            return LineList(problem=f"{where}{wrong.sentence}")
    if rows.ignored:
        # A misspelt hardware_uid that nobody looks at would give the person any card.
        known = tr(" and ").join(BATCH_COLUMNS)
        return LineList(
            problem=tr(
                "The first line names {count} unknown columns; a list has {known} alone.",
                count=len(rows.ignored),
                known=known,
            )
        )
    lines = [
        ListLine(0, line.cells["node_id"], line.cells["hardware_uid"], file_line=line.number) for line in rows.lines
    ]
    lines = [replace(line, problem=shape_problem(line)) for line in lines]
    lines += [ListLine(0, "", problem=wrong.sentence, file_line=wrong.number) for wrong in rows.wrong]
    return checked_together(number_lines(sorted(lines, key=lambda line: line.file_line)))


def number_lines(lines: Iterable[ListLine]) -> list[ListLine]:
    """The lines with their places in this order."""
    return [replace(line, at=at) for at, line in enumerate(lines, 1)]


def shape_problem(line: ListLine) -> str:
    """What the service's schema would refuse of this line, in words; empty for nothing."""
    if not line.node_id:
        return tr("The line names no node_id.")
    if _ROUNDED.match(line.hardware_uid):
        return tr("hardware_uid is rounded: format it as text.")
    try:
        msgspec.convert(msgspec.to_builtins(line.body), BatchLine)
    except msgspec.ValidationError as error:
        if "hardware_uid" in str(error):
            return tr("hardware_uid has more than 200 characters.")
        return tr("No node_id: 3 to 64 of A-Z a-z 0-9 . : _ -")
    return ""


def checked_together(lines: Iterable[ListLine]) -> LineList:
    """The list with what its lines are to each other: a node or an element stands in one line only, and lines that a
    batch has no room for say so."""
    made: list[ListLine] = []
    nodes: dict[str, int] = {}
    elements: dict[str, int] = {}
    room = MAX_ROWS
    for line in lines:
        if not line.problem:
            uid = line.hardware_uid.lower()
            if (first := nodes.get(line.node_id)) is not None:
                line = replace(line, problem=tr("This node stands in line {line} already.", line=first))
            elif uid and (first := elements.get(uid)) is not None:
                line = replace(line, problem=tr("This element stands in line {line} already.", line=first))
            elif not room:
                line = replace(line, problem=tr("A batch takes {most} lines; this one is over.", most=MAX_ROWS))
            else:
                room -= 1
                nodes[line.node_id] = line.at
                if uid:
                    elements[uid] = line.at
        made.append(line)
    return LineList(made)


def with_person(line: ListLine, node: Node | None) -> ListLine:
    """The line with what the registry says of its node; None: it has none of that id."""
    if node is None:
        return replace(line, problem=line.problem or UNKNOWN, checked=True)
    return replace(
        line,
        name=node.display_name,
        standing=node.standing,
        has_card=has_card(node),
        problem=line.problem or BARRED.get(node.standing, ""),
        checked=True,
    )


def has_card(node: Node) -> bool:
    """Whether a card that holds is in this person's hands."""
    return any(one.card_guid and one.state in ("active", "granted") for one in node.credentials)
