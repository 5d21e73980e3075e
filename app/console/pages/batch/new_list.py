"""The tab of a new list: takes a list, has every line checked, and begins the batch."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt

from app.api.wire import ListQuery
from app.capabilities.provisioning.batches.messages import MAX_ROWS, Batch, BatchBody
from app.console.actions import Action, Effect
from app.console.clock import date_time
from app.console.failures import Failure, failure_of
from app.console.files import ask_open, read_some
from app.console.formats.spreadsheet import MOST_BYTES
from app.console.language import tr
from app.console.operations import Change, Operation
from app.console.pages.batch.lines import (
    BARRED,
    UNKNOWN,
    LineList,
    ListLine,
    checked_together,
    has_card,
    number_lines,
    read_list,
    with_person,
)
from app.console.pages.batch.new_list_view import NewListView, line_count
from app.console.pages.batch.people import PeopleDialog
from app.console.part import Host, Part
from app.registry.messages.nodes import Node

AT_ONCE = 8
"""Nodes that are asked for at the same time."""
PEOPLE_SHOWN = 200
PAGE = 500


class NewListTab(Part):
    """Reads nothing by itself. ``follow`` is given the batch that was made."""

    view: NewListView

    def __init__(self, host: Host, view: NewListView, follow: Callable[[Batch], None]) -> None:
        super().__init__(host)
        self.view = view
        self._follow = follow
        self._list = LineList()
        self._progress = ""
        self._starting = False
        self._list_number = 0
        """Counts the lists that were taken: a check that is overtaken by another list throws its answer away."""
        view.edited.connect(self._clear_errors)
        self._show()

    @property
    def lines(self) -> LineList:
        """The list as it stands."""
        return self._list

    async def run(self, arguments: Mapping[str, str]) -> None:
        """What was learnt of the people before may be old."""
        del arguments
        self.check_again()

    def take_change(self, change: Change) -> None:
        if change.kinds & {"nodes", "burns"}:
            self.check_again()

    def actions(self) -> Sequence[Action]:
        page, shown = "batch", self.host.shown
        return [
            Action(
                "batch.choose", tr("Choose a CSV"), self._choose, "upload", ("Ctrl+O",), page,
                when=lambda: shown() and not self._starting,
                hint=tr("A file may also be dropped anywhere on this page."),
            ),
            Action(
                "batch.people", tr("People without a card"), self._pick, "users", ("Ctrl+P",), page,
                when=lambda: shown() and not self._starting and self.session.is_connected,
                hint=tr("Search and tick, or take everyone who has no card."),
            ),
            Action(
                "batch.leave_out", tr("Leave the bad lines out"), self._leave_out, "x", ("Ctrl+Del",), page,
                when=lambda: shown() and not self._starting and not self._progress and bool(self._list.bad)
                and bool(self._list.good),
                hint=tr("The good lines stay; nobody of the others gets a card in this batch."),
            ),
            Action(
                "batch.clear", tr("Clear the list"), self._clear, "trash-2", ("Ctrl+Shift+N",), page,
                when=lambda: shown() and not self._starting and bool(self._list.lines or self._list.problem),
            ),
            Action(
                "batch.start", tr("Start the batch"), self._start, "play", ("Ctrl+Return", "Ctrl+Enter"), page,
                when=lambda: shown() and not self._what_is_missing(),
                effect=Effect.CHANGE,
                hint=tr("Each blank card that lies in a reader, or is put into one, takes the next line at once."),
                calls=("batches_make",),
            ),
        ]  # fmt: skip

    # --- where a list comes from -------------------------------------------------------------------------------------

    def _choose(self) -> None:
        kinds = [tr("Lists (*.csv *.txt *.tsv)"), tr("All files (*)")]
        ask_open(self.view, tr("Choose a list"), lambda paths: self.take_file(paths[0]), kinds=kinds)

    def take_file(self, path: Path) -> None:
        """Read this file in place of the list."""
        if not self._starting:
            self.host.spawn(self._read(path))

    async def _read(self, path: Path) -> None:
        """Read the file and have its lines checked."""
        try:
            data = await asyncio.to_thread(read_some, path, MOST_BYTES + 1)
        except OSError as error:
            self._take(
                LineList(problem=tr("{name} cannot be read ({problem}).", name=path.name, problem=error.strerror))
            )
            return
        found = await asyncio.to_thread(read_list, data)
        if not self.view.label.text().strip():
            self.view.label.setText(path.stem[:200])
        number = self._take(found)
        self._look_at_lines()
        if found.lines:
            await self._check(number)

    def _pick(self) -> None:
        dialog = PeopleDialog(self.view.window())
        dialog.searched.connect(lambda text: self.host.spawn(self._offer(dialog, text)))
        dialog.everyone.connect(lambda: self.host.spawn(self._everyone(dialog)))
        dialog.chosen.connect(self._take_people)
        dialog.open()
        self.host.spawn(self._offer(dialog, ""))

    async def _offer(self, dialog: PeopleDialog, text: str) -> None:
        """Offer the people whom ``text`` finds and who have no card."""
        nodes: list[Node] = []
        more = False
        try:
            async for node in self._without_card(text):
                if len(nodes) == PEOPLE_SHOWN:
                    more = True
                    break
                nodes.append(node)
        except Exception as error:  # told where the answer is awaited
            dialog.say(failure_of(error).sentence)
            return
        if dialog.isVisible() and dialog.search.text().strip() == text:
            dialog.offer(nodes, more=more)

    async def _everyone(self, dialog: PeopleDialog) -> None:
        """Take everybody who may have a card and has none."""
        try:
            nodes = [node async for node in self._without_card("")]
        except Exception as error:  # told where the answer is awaited
            dialog.all.setEnabled(True)
            dialog.say(failure_of(error).sentence)
            return
        if not dialog.isVisible():
            return
        if nodes:
            self._take_people(nodes)
            dialog.accept()
        else:
            dialog.all.setEnabled(True)
            dialog.say(tr("Everybody who may have a card has one."))

    async def _without_card(self, text: str) -> AsyncIterator[Node]:
        cursor: str | None = None
        while True:
            query = ListQuery(q=text or None, limit=PAGE, cursor=cursor)
            page = await self.session.client.registry_list_nodes(query=query)
            for node in page.items:
                if node.standing not in BARRED and not has_card(node):
                    yield node
            cursor = page.next
            if cursor is None:
                return

    def _take_people(self, nodes: Sequence[Node]) -> None:
        """Add ticked people behind those who are there already; nobody stands in the list twice."""
        there = {line.node_id for line in self._list.lines}
        last = max((line.at for line in self._list.lines), default=0)
        fresh = [node for node in nodes if node.node_id not in there]
        lines = [with_person(ListLine(last + at, node.node_id), node) for at, node in enumerate(fresh, 1)]
        if not self.view.label.text().strip():
            self.view.label.setText(tr("People without a card, {day}", day=date_time(self.session.live.now())[:10]))
        # Those that were over the limit are judged anew with the rest.
        self._take(checked_together([*self._list.lines, *lines]))
        self._look_at_lines()

    # --- checking ----------------------------------------------------------------------------------------------------

    def _take(self, found: LineList) -> int:
        self._list_number += 1
        self._list = found
        self._progress = ""
        self.view.show_errors({})
        self._show()
        return self._list_number

    def _look_at_lines(self) -> None:
        """Put the hands on the lines: the person who brought a list looks at what is wrong with it."""
        if self._list.lines:
            self.view.table.selectRow(0)
            self.view.table.setFocus(Qt.FocusReason.OtherFocusReason)

    async def _check(self, number: int) -> None:
        """Ask the registry for everybody of the list."""
        wanted = sorted({line.node_id for line in self._list.good})
        people: dict[str, Node | None] = {}
        gate = asyncio.Semaphore(AT_ONCE)

        async def ask(node_id: str) -> None:
            async with gate:
                if number == self._list_number:
                    people[node_id] = await self._person(node_id)
                    self._progress = tr("Checking, {count} of {total}", count=len(people), total=len(wanted))

        self._progress = tr("Checking, {count} of {total}", count=0, total=len(wanted))
        self._show()
        try:
            await asyncio.gather(*(ask(node_id) for node_id in wanted))
        except Exception as error:  # the lines stay unchecked: the list cannot begin, and the action checks again
            if number == self._list_number:
                self._progress = ""
                self.host.show_failure(failure_of(error))
                self._show()
            return
        if number == self._list_number:
            lines = [with_person(line, people[line.node_id]) if not line.problem else line for line in self._list.lines]
            self._progress = ""
            self._list = LineList([replace(line, checked=True) for line in lines])
            self._show()

    async def _person(self, node_id: str) -> Node | None:
        from app.client import ApiError

        try:
            return await self.session.client.registry_get_node(node_id)
        except ApiError as error:
            if error.code != "not_found":
                raise
            return None

    def check_again(self) -> None:
        """What was learnt of the people may be old (they were burned, or registered, meanwhile): ask again."""
        if self._list.lines and not self._starting:
            # What the registry said is asked anew; what is wrong in the file stays so.
            judged = [line.checked and (bool(line.name) or line.problem == UNKNOWN) for line in self._list.lines]
            lines = [
                replace(line, problem="" if by_registry else line.problem, checked=False)
                for line, by_registry in zip(self._list.lines, judged, strict=True)
            ]
            self.host.spawn(self._check(self._take(checked_together(lines))))

    # --- the order ---------------------------------------------------------------------------------------------------

    def paint(self) -> None:
        """Progress of the check, at most each 100 ms."""
        if self._progress:
            self._show()

    def _clear_errors(self) -> None:
        self.view.show_errors({})
        self._show()

    def _show(self) -> None:
        """The list, and beside the start what is missing or where its lines will be written."""
        self.view.show_list(self._list, self._progress)
        missing = self._what_is_missing()
        good = line_count(len(self._list.good))
        readers = len(self.view.chosen_readers)
        if missing:
            sentence = missing
        elif not readers:
            sentence = tr("{lines}, at every reader. A blank card that lies there is written at once.", lines=good)
        elif readers == 1:
            sentence = tr("{lines}, at one reader. A blank card that lies there is written at once.", lines=good)
        else:
            sentence = tr(
                "{lines}, at {count} readers. A blank card that lies there is written at once.",
                lines=good,
                count=readers,
            )
        self.view.show_verdict(sentence)
        self.session.actions.refresh()

    def _what_is_missing(self) -> str:
        """Why the batch may not begin, a sentence; empty when it may."""
        if self._starting:
            return tr("The batch is being made.")
        if not self._list.lines:
            return tr("A list is missing.")
        if self._progress or not all(line.checked for line in self._list.good):
            return tr("The lines are being checked.")
        if self._list.bad:
            return tr(
                "{lines} bad: mend the file and choose it again, or leave them out.",
                lines=line_count(len(self._list.bad)),
            )
        if not self.view.label.text().strip():
            return tr("The batch needs a label.")
        return ""

    def _leave_out(self) -> None:
        self._list = LineList(number_lines(self._list.good))
        self._show()

    def _clear(self) -> None:
        self.view.label.clear()
        self._take(LineList())

    def _start(self) -> None:
        """Begin the batch with the good lines."""
        lines = self._list.good
        body = BatchBody(
            label=self.view.label.text().strip(),
            fips_standard=self.view.demand.currentText().strip(),
            rows=[line.body for line in lines[:MAX_ROWS]],
            readers=self.view.chosen_readers,
        )
        self._starting = True
        self._show()

        def follow(batch: Batch) -> None:
            self._starting = False
            self._clear()
            self._follow(batch)

        def refuse(failure: Failure) -> None:
            self._starting = False
            self._mark(failure, lines)
            self._show()

        Operation(
            lambda client, key: client.batches_make(body, idempotency_key=key),
            title=tr("Start batch {label}", label=body.label),
            changes=("batches", "cards"),
            asks=True,
        ).success(follow).failure(refuse).run(self.session, self.view)

    def _mark(self, failure: Failure, lines: Sequence[ListLine]) -> None:
        """Put what the service refused where it stands."""
        errors: dict[str, str] = {}
        wrong: dict[int, str] = {}
        for pointer, detail in failure.fields:
            key, _, rest = pointer.strip("/").partition("/")
            at = rest.partition("/")[0]
            if key == "rows" and at.isdigit() and int(at) < len(lines):
                wrong[lines[int(at)].at] = detail
            elif key in ("label", "fips_standard"):
                errors[key] = detail
        self.view.show_errors(errors)
        self._list = LineList([replace(line, problem=wrong.get(line.at, line.problem)) for line in self._list.lines])
        if not wrong and not errors:
            self.host.show_failure(failure)
