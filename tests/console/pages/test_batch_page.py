"""Batches against a real training service: real cards written, torn and finished, by actions and keys alone."""

from __future__ import annotations

import asyncio
import csv
import errno
import io
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QListView, QTableView, QWidget

from app.capabilities.provisioning.batches.messages import REPORT_COLUMNS, BatchListQuery
from app.console.cards.mailer_file import MailerFile
from app.console.connection.client import ConsoleClient
from app.console.devices.sounds import Speaker, Tone
from app.console.failures import Failure
from app.console.pages.batch.lines import ListLine
from app.console.pages.batch.people import PeopleDialog
from app.console.pages.batch.presenter import BatchPresenter
from app.console.pages.batch.view import HISTORY, LIST, RUN, BatchView
from app.console.session import WindowSession
from app.console.telemetry.live import Live
from app.console.theme.tokens import Meaning
from app.console.widgets.confirm import ConfirmDialog
from app.registry.messages.nodes import NodeBody
from app.training.messages import TrainingCardBody
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, Service

FIRST, SECOND = "Training Reader 3", "Training Reader 4"


@pytest.fixture
def heard() -> list[Tone]:
    """Sounds that were played, in order."""
    return []


@pytest.fixture
def page(session: WindowSession, heard: list[Tone], qtbot: Any) -> BatchPresenter:
    """The page at the size of the design, its actions in the table, its sounds in a list."""
    view = BatchView(session.actions, session.names, training=True)
    presenter = BatchPresenter(session, view, Speaker(session.preferences, heard.append))
    view.resize(1284, 820)
    qtbot.addWidget(view)
    session.actions.add(presenter.actions())
    session.actions.set_page("batch")
    view.show()
    return presenter


@asynccontextmanager
async def opened(page: BatchPresenter, connect: Connect) -> AsyncIterator[ConsoleClient]:
    """The page is shown, the stream lives; afterwards no batch is open and the two readers are empty."""
    async with connect(page) as client:
        page.enter({})
        await until(lambda: page.session.live.state == "live", "the stream")
        await until(lambda: FIRST in page.view.list._boxes, "the readers")
        try:
            yield client
        finally:
            for state in ("RUNNING", "PAUSED"):
                for left in (await client.batches_list(query=BatchListQuery(state=state))).items:
                    await client.batches_cancel(left.batch_id)
            for card in (await client.provisioning_list_cards()).items:
                if card.reader in (FIRST, SECOND) and card.present:
                    await remove(client, card.reader)


async def insert(client: ConsoleClient, reader: str, card: str | None = None) -> None:
    """A card goes into a reader."""
    await client.drawer_move_card(TrainingCardBody(reader=reader, action="insert", card=card))


async def remove(client: ConsoleClient, reader: str) -> None:
    """The card comes out."""
    await client.drawer_move_card(TrainingCardBody(reader=reader, action="remove"))


def listed(tmp_path: Path, *lines: str) -> Path:
    """A list as a spreadsheet saves it."""
    path = tmp_path / "new staff.csv"
    path.write_bytes(("\ufeffnode_id;hardware_uid\r\n" + "\r\n".join(lines) + "\r\n").encode())
    return path


async def start(page: BatchPresenter, path: Path, *readers: str) -> None:
    """A list is taken, checked and begun at these readers."""
    page.session.actions.trigger("batch.list")
    page.list.take_file(path)
    for reader in readers:
        page.view.list.tick(reader)
    await until(lambda: page.session.actions.is_enabled("batch.start"), "a list that is good")
    assert page.session.actions.trigger("batch.start")
    await until(lambda: page.view.tabs.currentIndex() == RUN, "the batch")


def tile(page: BatchPresenter, reader: str) -> str:
    """The word and the detail of a reader's tile."""
    found = (tile.station for tile in page.view.run.tiles.tiles if tile.station.reader == reader)
    return next((f"{one.word}: {one.detail}" for one in found), "")


def waits_at(page: BatchPresenter, reader: str) -> bool:
    """Whether a reader is empty and waits for a blank card."""
    return tile(page, reader).startswith("Empty: for ")


def words(page: BatchPresenter) -> dict[str, str]:
    """The state of each line as the table has it, by node; folded ones are listed."""
    lines = page.view.run.lines
    for fold in (lines.waiting, lines.written):
        if not fold.isChecked():
            fold.click()
    return {row.node_id: lines.rows.columns[1].text(row) for row in lines.rows.rows}


def test_every_control_has_a_name(page: BatchPresenter) -> None:
    """What the keyboard reaches is announced."""
    kinds = (QAbstractButton, QLineEdit, QComboBox, QListView, QTableView)
    unnamed = [
        widget
        for widget in page.view.findChildren(QWidget)
        if isinstance(widget, kinds)
        and widget.window() is page.view.window()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not widget.accessibleName()
        and not isinstance(widget.parentWidget(), QComboBox)
        and not (isinstance(widget, QAbstractButton) and widget.text())
    ]
    assert unnamed == []


def test_a_dropped_list_is_checked_line_by_line(
    page: BatchPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """Unknown, doubled and wrong lines stand first, each with its reason; nothing can begin before they are left
    out."""
    path = listed(tmp_path, "ARC-T0030;", "ARC-NOBODY;", "ARC-T0030;", "A B;", "ARC-T0031;")

    async def work() -> None:
        async with opened(page, connect):
            data = QMimeData()
            data.setUrls([QUrl.fromLocalFile(str(path))])
            none, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
            page.view.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, left, none))
            await until(lambda: page.view.list.mark.word == "3 of 5 lines bad", "the verdict")
            table = page.view.list.lines
            assert [(line.at, line.problem) for line in table.rows[:3]] == [
                (2, "Nobody of this id is registered."),
                (3, "This node stands in line 1 already."),
                (4, "No node_id: 3 to 64 of A-Z a-z 0-9 . : _ -"),
            ]
            assert [line.file_line for line in table.rows] == [3, 4, 5, 2, 6]
            assert table.rows[3].name == "Training Person 30"
            assert not page.session.actions.is_enabled("batch.start")
            assert page.session.actions.trigger("batch.leave_out")
            assert page.view.list.mark.word == "2 lines, all good"
            # As the batch will number them; where they stand in the file is still told.
            assert [(line.at, line.file_line) for line in table.rows] == [(1, 2), (2, 6)]
            assert page.session.actions.is_enabled("batch.start")

    run(work())


def test_a_list_that_waited_is_checked_again(page: BatchPresenter, connect: Connect, run: Run, tmp_path: Path) -> None:
    """Somebody is registered while the page is away: their line is good when it is back; the focus is not moved."""
    path = listed(tmp_path, "ARC-LATE;", "ARC-T0030;", "ARC-T0030;")

    async def work() -> None:
        async with opened(page, connect) as client:
            page.list.take_file(path)
            await until(lambda: page.view.list.mark.word == "2 of 3 lines bad", "the verdict")
            page.leave()
            await client.registry_put_node("ARC-LATE", NodeBody(display_name="Training Person Late"))
            try:
                page.enter({})
                assert page.view.focusWidget() is page.first_control()
                await until(lambda: page.view.list.mark.word == "1 of 3 lines bad", "the second verdict")
                assert page.view.focusWidget() is page.first_control()
                assert page.list.lines.bad[0].problem == "This node stands in line 2 already."
            finally:
                await client.registry_delete_node("ARC-LATE")

    run(work())


def test_a_file_that_is_no_list_is_told(page: BatchPresenter, connect: Connect, run: Run, tmp_path: Path) -> None:
    """Rubbish, and a file that is not there."""

    async def work() -> None:
        async with opened(page, connect):
            rubbish = tmp_path / "photo.jpg"
            rubbish.write_bytes(bytes(range(256)) * 9)
            for path, word in ((rubbish, "no text"), (tmp_path / "gone.csv", "cannot be read")):
                page.list.take_file(path)
                await until(lambda word=word: word in page.list.lines.problem, word)  # type: ignore[misc]
                assert page.view.list.mark.word == "Not taken"
                assert not page.session.actions.is_enabled("batch.start")

    run(work())


def test_people_without_a_card_are_ticked(page: BatchPresenter, connect: Connect, run: Run) -> None:
    """Search, Space, Enter: the person is a good line. Whoever has a card is not offered."""

    async def work() -> None:
        async with opened(page, connect):
            page.session.actions.trigger("batch.people")
            await until(lambda: page.view.window().findChildren(PeopleDialog), "the dialog")
            (dialog,) = page.view.window().findChildren(PeopleDialog)
            await until(lambda: dialog.list.count() > 20, "people")
            offered = [dialog.list.item(at).text() for at in range(dialog.list.count())]
            assert not any("ARC-T0002" in text for text in offered)
            QTest.keyClicks(dialog.search, "ARC-T0045")
            await until(lambda: dialog.list.count() == 1, "the one person")
            dialog.list.setCurrentRow(0)
            QTest.keyClick(dialog.list, Qt.Key.Key_Space)
            assert dialog.take.text() == "Take 1"
            QTest.keyClick(dialog.search, Qt.Key.Key_Return)
            await until(lambda: page.list.lines.good, "the line")
            assert [line.node_id for line in page.list.lines.lines] == ["ARC-T0045"]
            assert page.session.actions.is_enabled("batch.start")

    run(work())


def test_a_batch_is_worked_off_without_a_click(
    page: BatchPresenter, connect: Connect, run: Run, tmp_path: Path, heard: list[Tone]
) -> None:
    """Two readers, three cards that are put in and taken out, a sound for each, and what the batch leaves."""
    path = listed(tmp_path, "ARC-T0032;", "ARC-T0033;", "ARC-T0034;", "ARC-T0035;70000002x")

    async def work() -> None:
        async with opened(page, connect) as client:
            await start(page, path, FIRST, SECOND)
            assert page.view.run.head.word == "Running"
            await until(lambda: waits_at(page, FIRST), "the first call")
            await insert(client, FIRST, "stack-01")
            await until(lambda: tile(page, FIRST) == "Written: Take it out, hand it over", "the first card")
            await insert(client, SECOND, "stack-07")
            await until(lambda: page.view.run.head.written.word == "2 written", "the second card")
            await remove(client, FIRST)
            await insert(client, FIRST, "stack-02")
            await until(lambda: page.view.run.head.written.word == "3 written", "the third card")
            assert set(words(page).values()) == {"Written", "Next"}
            await until(lambda: len(heard) == 3, "the sounds")
            assert set(heard) == {Tone.DONE}

            page.running.files.save_report(tmp_path / "report.csv")
            await until(lambda: page.view.run.lines.saved.word == "report.csv is saved", "the report")
            table = list(csv.DictReader(io.StringIO((tmp_path / "report.csv").read_text(encoding="utf-8"))))
            assert tuple(table[0]) == REPORT_COLUMNS
            assert [row["state"] for row in table] == ["COMPLETE", "COMPLETE", "COMPLETE", "WAITING"]
            page.running.files.save_receipts(tmp_path / "receipts.csv")
            await until(lambda: page.view.run.lines.saved.word == "receipts.csv is saved", "the receipts")
            receipts = list(csv.DictReader(io.StringIO((tmp_path / "receipts.csv").read_text(encoding="utf-8"))))
            assert {row["provision_id"] for row in receipts} == {row["provision_id"] for row in table[:3]}
            for labels, name in ((False, "badges.pdf"), (True, "labels.pdf")):
                page.running.files.save_sheets(tmp_path / name, labels=labels)
                await until(lambda name=name: page.view.run.lines.saved.word == f"{name} is saved", name)  # type: ignore[misc]
                assert (tmp_path / name).read_bytes().startswith(b"%PDF-")

            folder = tmp_path / "mailers"
            folder.mkdir()
            page.running.files.save_mailers(folder)
            await until(lambda: page.view.run.lines.saved.word == "3 PIN mailers saved", "the mailers")
            files = sorted(folder.iterdir())
            assert [file.name[:18] for file in files] == [f"PIN-000{n}-ARC-T003{n + 1}" for n in (1, 2, 3)]
            assert all(file.read_bytes().startswith(b"%PDF-") for file in files)
            assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
            page.running.files.save_mailers(folder)
            await until(lambda: "3 given out before" in page.view.run.lines.saved.word, "nothing more to give")
            assert sorted(folder.iterdir()) == files

    run(work())


def handed(page: BatchPresenter) -> list[str]:
    """Names of the buttons of the list of what is handed out, in order."""
    return [one.button.accessibleName() for one in page.view.run.hand_out.rows if not one.isHidden()]


def order(page: BatchPresenter) -> str:
    """What the hands are told to do."""
    lead = page.view.run.hero.lead
    return "" if lead is None or lead.order is None else lead.order.words


def test_the_next_person_stands_large_and_what_is_written_is_handed_out(
    page: BatchPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """Name, what the registry knows of the person, one order that follows the readers; a written card is marked as
    given by a key and taken back by another, and the next batch begins without marks."""
    path = listed(tmp_path, "ARC-T0028;", "ARC-T0029;")
    hero, actions = page.view.run.hero, page.session.actions

    async def work() -> None:
        async with opened(page, connect) as client:
            await start(page, path, FIRST)
            await until(lambda: order(page) == f"Put a blank card into {FIRST}", "the order")
            assert (hero.caption.text(), hero.name.text()) == ("Next, line 1 of 2", "Training Person 28")
            known = await client.registry_get_node("ARC-T0028")
            told = " · ".join(part for part in (known.employee_id, *known.tags) if part)
            await until(lambda: hero.known.text() == (f"· {told}" if told else ""), "what the registry knows")
            assert hero.after.text() == "Training Person 29"
            assert not actions.is_enabled("batch.give")

            await insert(client, FIRST, "stack-14")
            await until(lambda: order(page) == f"Take the card out of {FIRST}", "the written card")
            assert hero.name.text() == "Training Person 29"
            assert handed(page) == ["Given: Training Person 28"]
            assert page.view.run.hand_out.rows[0].where.text().startswith(f"in {FIRST} · ")
            await remove(client, FIRST)
            await until(lambda: page.view.run.hand_out.rows[0].where.text().startswith("taken out · "), "the hand")
            assert actions.trigger("batch.give")
            assert handed(page) == []
            assert actions.trigger("batch.take_back")
            assert handed(page) == ["Given: Training Person 28"]
            page.view.run.hand_out.rows[0].button.click()

            assert actions.trigger("batch.pause")
            await until(lambda: order(page) == "Paused: go on with Ctrl+Shift+Space", "the pause")
            await until(lambda: actions.trigger("batch.resume"), "the way on")
            await until(lambda: order(page) == f"Put a blank card into {FIRST}", "the next order")
            await insert(client, FIRST, "stack-15")
            await until(lambda: hero.name.text() == "Done: 2 written", "the end")
            assert handed(page) == ["Given: Training Person 29"]
            await remove(client, FIRST)
            await until(lambda: order(page) == "", "nothing to do")

            await start(page, listed(tmp_path, "ARC-T0015;"), FIRST)
            assert handed(page) == []
            assert not actions.is_enabled("batch.take_back")

    run(work())


def test_an_older_batch_takes_the_cards_first(page: BatchPresenter, connect: Connect, run: Run, tmp_path: Path) -> None:
    """A blank card would go to somebody of the other list: the order says so, until that one is over."""

    async def work() -> None:
        async with opened(page, connect) as client:
            await start(page, listed(tmp_path, "ARC-T0013;"), FIRST)
            first = page.running.board
            assert first is not None
            await start(page, listed(tmp_path, "ARC-T0014;"), FIRST)
            await until(lambda: order(page).endswith("takes the cards first"), "the wait")
            assert first.summary.label in order(page)
            await client.batches_cancel(first.batch_id)
            await until(lambda: order(page) == f"Put a blank card into {FIRST}", "the turn of this one")

    run(work())


def pull_in_the_middle(hand: httpx.Client, batch_id: str, reader: str, cards: Sequence[str]) -> str:
    """The first of these cards that is out of the reader before its write has ended; it is half written. For a thread
    of its own: a write is over within half a second, and the console's thread may be busy for longer."""

    def ask(path: str, **query: str | int) -> Any:
        return hand.get(path, params=query).raise_for_status().json()

    def move(action: str, card: str | None = None) -> None:
        hand.post("/v1/training/cards", json={"reader": reader, "action": action, "card": card}).raise_for_status()

    def batch() -> Any:
        return ask(f"/v1/hardware/se/batches/{batch_id}")

    def over() -> int:
        return sum(row["state"] not in ("WAITING", "RUNNING") for row in batch()["rows"])

    def in_the_middle() -> bool:
        for row in batch()["rows"]:
            if row["state"] == "RUNNING":
                for found in ask("/v1/hardware/se/provisions", node_id=row["node_id"], limit=1)["items"]:
                    stages = ask(f"/v1/hardware/se/provisions/{found['provision_id']}")["stages"]
                    return any(stage["step"] == "printed" and stage["state"] == "done" for stage in stages)
        return False

    for card in cards:
        before = over()
        move("insert", card)
        # A write may also begin and end between two looks.
        while not in_the_middle() and over() == before:
            pass
        move("remove")
        # Asked of the service: the page may not have heard of the beginning yet.
        while (counts := batch()["counts"])["running"]:
            pass
        if counts["torn"]:
            return card
    pytest.fail("every card was finished before it could be pulled out")


def test_a_torn_card_calls_for_itself_and_blocks_nobody(
    page: BatchPresenter, connect: Connect, run: Run, tmp_path: Path, heard: list[Tone], training_service: Service
) -> None:
    """Pulled out in the middle: red, first in the table, one sound; another card takes the next line; the same card
    back goes on where it stopped."""
    path = listed(tmp_path, *(f"ARC-T{number:04};" for number in (*range(16, 28), *range(46, 51))))
    # Each is over within half a second; how soon a hand is there is up to the machine.
    stack = [f"stack-{number:02}" for number in range(12, 25)]

    async def work() -> None:
        async with opened(page, connect) as client:
            await start(page, path, FIRST)
            board = page.running.board
            assert board is not None
            hand = training_service.site.client
            torn = await asyncio.to_thread(pull_in_the_middle, hand, board.batch_id, FIRST, stack)
            await until(lambda: tile(page, FIRST).startswith("Torn: Put the SAME card back"), "the call for it")
            assert page.view.run.tiles.tile(FIRST).station.state is Meaning.BAD
            first = page.view.run.lines.rows.rows[0]
            assert first.state == "TORN"
            await until(lambda: Tone.NEEDS_YOU in heard, "the sound")
            await insert(client, FIRST, "stack-11")
            await until(lambda: tile(page, FIRST) == "Written: Take it out, hand it over", "the next line")
            assert words(page)[first.node_id] == "Torn"
            await remove(client, FIRST)
            await until(lambda: tile(page, FIRST).startswith("Torn: Put the SAME card back"), "the call again")
            await insert(client, FIRST, torn)
            await until(lambda: words(page)[first.node_id] == "Written", "the torn card's end")
            assert heard.count(Tone.NEEDS_YOU) == 1

    run(work())


def test_a_line_whose_person_is_burned_meanwhile_fails_and_blocks_nobody(
    page: BatchPresenter, connect: Connect, run: Run, tmp_path: Path, heard: list[Tone]
) -> None:
    """The failing line stands first, F8 goes to it, and it opens on Write card; the next person gets the card."""
    opened_pages: list[tuple[str, dict[str, str]]] = []
    page.session.set_navigator(lambda name, arguments: opened_pages.append((name, arguments)))
    path = listed(tmp_path, "ARC-GONE;", "ARC-T0036;")

    async def work() -> None:
        async with opened(page, connect) as client:
            await client.registry_put_node("ARC-GONE", NodeBody(display_name="Training Person Gone"))
            await start(page, path, FIRST)
            await client.registry_delete_node("ARC-GONE")
            await insert(client, FIRST, "stack-03")
            await until(lambda: page.view.run.head.word == "Done, 1 failed", "the end")
            assert words(page) == {"ARC-GONE": "Failed", "ARC-T0036": "Written"}
            assert tile(page, FIRST) == "Written: Take it out, hand it over"
            await until(lambda: Tone.FAILED in heard, "the sound")
            page.view.run.lines.table.selectRow(1)
            page.session.actions.trigger("batch.next_bad")
            chosen = page.view.run.lines.chosen
            assert chosen is not None
            assert chosen.node_id == "ARC-GONE"
            QTest.keyClick(page.view.run.lines.table, Qt.Key.Key_Return)
            assert opened_pages == [("write_card", {"node_id": "ARC-GONE"})]

    run(work())


def test_pause_gives_no_line_and_cancel_asks_first(
    page: BatchPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """Paused, a blank card takes nothing; gone on, it does not need to be put in again; cancel is confirmed."""
    path = listed(tmp_path, "ARC-T0037;", "ARC-T0038;")

    async def work() -> None:
        async with opened(page, connect) as client:
            await start(page, path, FIRST)
            assert page.session.actions.trigger("batch.pause")
            await until(lambda: page.view.run.head.word == "Paused", "the pause")
            await insert(client, FIRST, "stack-04")
            await until(
                lambda: page.running.board is not None and page.running.board.cards[FIRST].state == "blank", "it"
            )
            assert tile(page, FIRST) == "Holds a card: No card gets a line"
            assert set(words(page).values()) == {"Next", "Waits"}
            assert page.session.actions.trigger("batch.resume")
            await until(lambda: page.view.run.head.written.word == "1 written", "the card")
            assert page.session.actions.trigger("batch.cancel")
            await until(lambda: page.view.window().findChildren(ConfirmDialog), "the question")
            (dialog,) = page.view.window().findChildren(ConfirmDialog)
            assert page.view.run.head.word == "Running"
            dialog.do.click()
            await until(lambda: page.view.run.head.word == "Cancelled", "the end")
            await until(lambda: words(page) == {"ARC-T0037": "Written", "ARC-T0038": "Cancelled"}, "its lines")

    run(work())


def test_a_console_that_starts_anew_picks_the_batch_up(
    page: BatchPresenter, connect: Connect, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another page of the same service finds the open batch by itself, and follows it while the stream is silent."""
    path = listed(tmp_path, "ARC-T0039;")

    async def work() -> None:
        async with opened(page, connect) as client:
            await start(page, path, FIRST)
            batch = page.running.board
            assert batch is not None
            page.leave()
            page.running.board = None
            page.enter({})
            await until(lambda: page.running.board is not None, "the open batch")
            assert page.view.tabs.currentIndex() == RUN
            monkeypatch.setattr(Live, "stale", True)
            page.session.live._listeners.clear()
            await insert(client, FIRST, "stack-05")
            await until(lambda: page.view.run.head.word == "Done", "the end without a stream")
            page.session.actions.trigger("batch.history")
            await until(lambda: page.view.history.rows.rows, "the history")
            assert page.view.history.rows.rows[0].batch_id == batch.batch_id
            page.session.actions.trigger("batch.list")
            assert page.view.tabs.currentIndex() == LIST
            page.session.actions.trigger("batch.history")
            assert page.view.tabs.currentIndex() == HISTORY
            page.view.history.table.selectRow(0)
            QTest.keyClick(page.view.history.table, Qt.Key.Key_Return)
            await until(lambda: page.view.tabs.currentIndex() == RUN, "the old batch")

    run(work())


def test_the_disk_that_refuses_loses_no_pin(
    page: BatchPresenter, connect: Connect, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that is none: nothing was asked of the service. A disk that fails after the PIN was given out: the
    document is kept, and saved when there is a place for it."""
    fill = MailerFile.fill

    def full(self: MailerFile, document: bytes) -> None:
        monkeypatch.setattr(MailerFile, "fill", fill)
        raise OSError(errno.ENOSPC, "No space left on device")

    path = listed(tmp_path, "ARC-T0042;")

    async def work() -> None:
        async with opened(page, connect) as client:
            await start(page, path, FIRST)
            await insert(client, FIRST, "stack-06")
            await until(lambda: page.view.run.head.word == "Done", "the card")
            page.running.files.save_mailers(tmp_path / "nowhere")
            await until(lambda: page.view.run.lines.saved.word == "PIN mailers stopped", "the refusal")
            assert "was not touched" in page.view.banner.text
            monkeypatch.setattr(MailerFile, "fill", full)
            await until(lambda: page.session.actions.is_enabled("batch.mailers"), "the next try")
            page.running.files.save_mailers(tmp_path)
            await until(lambda: "is kept until this console ends" in page.view.banner.text, "the document that is kept")
            (tmp_path / "elsewhere").mkdir()
            await until(lambda: page.session.actions.is_enabled("batch.mailers"), "the next try")
            page.running.files.save_mailers(tmp_path / "elsewhere")
            await until(lambda: page.view.run.lines.saved.word == "1 PIN mailer saved", "the mailer")
            (file,) = (tmp_path / "elsewhere").iterdir()
            assert file.read_bytes().startswith(b"%PDF-")

    run(work())


def test_the_training_drawer_serves_the_reader_that_asks(
    page: BatchPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """Ctrl+I: a blank card in, the written one out, the next one in; it ends when no line is left."""
    path = listed(tmp_path, "ARC-T0043;", "ARC-T0044;")

    async def work() -> None:
        async with opened(page, connect):
            await start(page, path, FIRST)
            for asked in ("Empty: for", "Written: Take it out", "Empty: for"):
                await until(lambda asked=asked: tile(page, FIRST).startswith(asked), asked)  # type: ignore[misc]
                await until(lambda: page.session.actions.is_enabled("batch.swap"), "the drawer")
                assert page.session.actions.trigger("batch.swap")
            await until(lambda: page.view.run.head.word == "Done", "the end")

    run(work())


def test_a_refusal_of_the_whole_list_is_told_as_such(page: BatchPresenter) -> None:
    """No line is at fault: it stands on the page, and no line is marked."""
    refused = Failure("invalid_body", "The list has too many lines.", fields=(("/rows", "At most 1000."),))
    page.list._mark(refused, [ListLine(1, "ARC-T0001"), ListLine(2, "ARC-T0002")])
    assert "The list has too many lines." in page.view.banner.text
