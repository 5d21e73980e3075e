"""The audit page against a real training service: rows, filter, time, new entries, export; and its model alone."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import copy
import csv
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication

from app.capabilities.gateway.audit.messages import AuditEntry, AuditProof, AuditQuery
from app.client import ApiError
from app.commands.verify import pinned_trust
from app.console import theme
from app.console.clock import date_time
from app.console.connection.client import ConsoleClient
from app.console.evidence.entries import entry_proof, verify_entry
from app.console.failures import NoEvidence, failure_of
from app.console.moments import parse_moment, parse_time
from app.console.pages.audit import AuditPresenter, make
from app.console.pages.audit.export_file import ExportFile
from app.console.pages.audit.filter_view import IN_VAIN
from app.console.pages.audit.model import DATED_PX, KEPT_PAGES, PLACEHOLDER, TIME, TIME_PX, LogModel
from app.console.pages.audit.question import PAGE, Filter, proven_page
from app.console.session import WindowSession
from app.console.table_desk import TableDesk
from app.console.theme.tokens import DARK, LIGHT, Meaning
from app.console.widgets.table_cells import FACE_ROLE, MARK_ROLE
from app.evidence.judge import examine
from app.ledger.bundle import unpack
from app.ledger.c2sp.policy import parse_policy
from app.ledger.c2sp.proof import parse_proof, verify_proof
from app.operators.messages import PassphraseSignIn
from app.registry.messages.nodes import NodeBody
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, on_screen

MILLION = 1_000_000
LONG = "2026-01-01/P366D"


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> AuditPresenter:
    """The page at the size of the design."""
    presenter = make(session)
    on_screen(presenter, "audit", session, qtbot)
    return presenter


def entry(seq: int, **detail: object) -> AuditEntry:
    """An entry of a log."""
    return AuditEntry(
        seq=seq, timestamp="2026-03-01T10:00:00.000000Z", actor="key_1", action="test.done", node_id="ARC-1",
        outcome="ACCEPTED", detail=detail, leaf_hash="ab" * 32,
    )  # fmt: skip


def page_of(number: int) -> list[AuditEntry]:
    """A page of the whole log."""
    return [entry(seq) for seq in range(number * PAGE, (number + 1) * PAGE)]


# --- the model -------------------------------------------------------------------------------------------------------


@pytest.fixture
def million(session: WindowSession) -> LogModel:
    """A log of a million entries, none of them here."""
    model = LogModel(session.names, session.people)
    model.reset_whole(MILLION)
    return model


def test_the_newest_entry_is_the_first_row(million: LogModel) -> None:
    """And the oldest the last."""
    assert (million.place(0), million.place(MILLION - 1)) == ((MILLION // PAGE - 1, PAGE - 1), (0, 0))


def test_a_row_that_is_not_here_is_asked_for_once(million: LogModel) -> None:
    """A screen of cells wants the same page many times."""
    asked: list[int] = []
    million.missing.connect(asked.append)
    shown = [million.index(row, 1).data() for row in range(20)]
    assert (asked, set(shown)) == ([MILLION // PAGE - 1], {PLACEHOLDER})


def test_at_most_64_pages_are_kept(million: LogModel) -> None:
    """A million rows must not become a million objects."""
    for number in range(100):
        million.put(number, page_of(number))
    assert sum(million.has(number) for number in range(100)) == KEPT_PAGES


def test_a_page_that_was_read_is_painted_whole(million: LogModel) -> None:
    """From its newest entry to its oldest, and no row of another page."""
    painted: list[tuple[int, int]] = []
    million.dataChanged.connect(lambda first, last: painted.append((first.row(), last.row())))
    million.put(10, page_of(10))
    assert painted == [(million.row_of(2_199), million.row_of(2_000))]


def test_marks_stay_with_their_entries(million: LogModel) -> None:
    """When rows come on top, and when the filter shows others; what is not there yet cannot be marked."""
    million.put(10, page_of(10))
    row = million.row_of(2_050)
    million.mark(row, True)
    million.mark(0, True)
    million.grow(7)
    assert [million.index(row + at, 0).data(MARK_ROLE) for at in (0, 7)] == [False, True]
    million.reset_filtered()
    million.append([entry(90)])
    million.mark(0, True)
    assert (million.marked, [one.seq for one in million.marked_rows()]) == ([2_050, 90], [2_050, 90])
    million.mark_all(False)
    assert million.marked == []


def test_growing_moves_every_entry_down(million: LogModel) -> None:
    """The same entry is still the same entry."""
    million.put(10, page_of(10))
    before = million.entry(million.row_of(2_050))
    million.grow(7)
    assert before is not None
    assert million.entry(million.row_of(2_050)) == before


@pytest.fixture
def growing(session: WindowSession) -> LogModel:
    """A log of 250 entries whose last page is here, to which 7 came."""
    model = LogModel(session.names, session.people)
    model.reset_whole(250)
    model.put(1, [entry(seq) for seq in range(200, 250)])
    model.grow(7)
    return model


def test_what_is_here_stays_while_newer_entries_are_read(growing: LogModel) -> None:
    """No row that was read becomes a placeholder, and a Space on it marks it."""
    growing.mark(7, True)
    assert growing.marked == [249]
    assert [growing.entry(row) is None for row in (0, 6, 7)] == [True, True, False]


def test_the_box_of_a_marked_entry_is_painted_ticked(growing: LogModel) -> None:
    """By what the cells paint, not by what programs ask; no other row is, nor one that is not here yet."""
    growing.mark(7, True)
    assert [growing.index(row, 0).data(FACE_ROLE).marked for row in (6, 7, 8)] == [False, True, False]


def test_a_last_page_that_grew_is_read_again(growing: LogModel) -> None:
    """Also when the answer was on its way while the log grew once more: a short answer would stay short for ever."""
    asked: list[int] = []
    growing.missing.connect(asked.append)
    assert not growing.has(1)
    growing.entry(0)
    growing.grow(1)
    growing.put(1, [entry(seq) for seq in range(200, 257)])
    assert not growing.has(1)
    growing.entry(0)
    assert asked == [1, 1]
    growing.put(1, [entry(seq) for seq in range(200, 258)])
    assert growing.has(1)
    newest = growing.entry(0)
    assert newest is not None
    assert newest.seq == 257


def test_a_screen_reader_gets_200_rows(million: LogModel) -> None:
    """Asking a million children froze the program for 40 s."""
    million.set_windowed(True)
    million.move_window(500_000)
    assert (million.rowCount(), million.window) == (PAGE, (500_000, 500_200))


def test_a_filtered_page_may_be_short(million: LogModel) -> None:
    """Where little matches a page is short, and the next row is of the next page."""
    million.reset_filtered()
    million.append([entry(90), entry(80)])
    million.append([entry(70)])
    assert [million.place(row) for row in range(3)] == [(0, 0), (0, 1), (1, 0)]


# --- times and files -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-01T10:00:00Z", 1_772_359_200.0),
        ("2026-03-01 11:00:00+01:00", 1_772_359_200.0),
        ("tomorrow", None),
        ("25:61", None),
        ("", None),
    ],
)
def test_a_time_is_read_as_it_is_written(text: str, moment: float | None) -> None:
    """What is no time leads nowhere."""
    assert parse_moment(text, 0.0) == moment


def test_a_clock_time_is_of_today() -> None:
    """In the machine's zone."""
    now = 1_772_359_200.0
    today = parse_moment("09:30", now)
    assert today is not None
    assert abs(today - now) < 86_400


def test_an_export_that_is_broken_off_leaves_nothing(tmp_path: Path) -> None:
    """Half a file looks like a whole one."""
    with ExportFile(tmp_path / "log.json", {}) as file:
        file.write([entry(1)])
    assert list(tmp_path.iterdir()) == []


def test_an_exported_cell_is_no_formula(tmp_path: Path) -> None:
    """A spreadsheet would run it."""
    hostile = entry(1)
    hostile.actor = "=HYPERLINK(1)"
    with ExportFile(tmp_path / "log.csv", {}) as file:
        file.write([hostile])
        file.finish("")
    rows = list(csv.DictReader((tmp_path / "log.csv").read_text().splitlines()))
    assert rows[0]["actor"] == "'=HYPERLINK(1)"


def test_a_log_that_is_ahead_of_the_clock_says_so(page: AuditPresenter) -> None:
    """Whoever looks for the present must know that entries have a later time; an entry shows when it came."""
    page.log.whole.ahead_s = 0.9
    page.repaint()
    assert "ahead" not in page.view.bar.tail.accessibleName()
    page.log.whole.ahead_s = 3_540.0
    page.repaint()
    assert page.view.bar.tail.accessibleName().endswith("the log's time is 59 min ahead")
    came = msgspec.structs.replace(entry(1), received_at="2026-03-01T09:01:00.000000Z")
    page.view.entry.show_entry(came, "")
    received = dict(page.view.entry.codes.lines)["Received"]
    assert date_time(parse_time("2026-03-01T09:01:00Z")) in received
    page.view.entry.show_entry(entry(2), "")
    assert "Received" not in dict(page.view.entry.codes.lines)


# --- the page --------------------------------------------------------------------------------------------------------


async def shown(page: AuditPresenter, **arguments: str) -> None:
    """The page is open and what can be seen is there."""
    page.enter(arguments)
    await until(lambda: page.log.opened and page.view.model.total, "the log")
    await until(lambda: page.view.model.entry(0), "the first rows")


def test_the_filter_that_is_laid_out_again_keeps_nothing(page: AuditPresenter, application: QApplication) -> None:
    """A window that is dragged lays it out many times a second."""
    bar = page.view.bar
    before = len(bar.findChildren(QObject))
    for width in range(900, 1300, 20):
        page.view.resize(width, 700)
        application.processEvents()
    assert len(bar.findChildren(QObject)) == before


def test_live_is_said_of_the_newest_rows_alone(page: AuditPresenter) -> None:
    """Not while newer ones wait, not of a time that is over, not where somebody has scrolled back; and it is not said
    before anything was heard."""
    tail, bar = page.view.bar.tail, page.view.table.verticalScrollBar()
    page._show_tail()
    assert tail.word != "Live"
    page._poll.fresh.touch()
    page._show_tail()
    assert (tail.word, tail.state) == ("Live", Meaning.OK)
    page._fresh = 3
    page._show_tail()
    assert (tail.word, tail.state) == ("Paused", Meaning.IDLE)
    page._fresh = 0
    page.view.model.reset_whole(5000)
    bar.setRange(0, 100)
    bar.setValue(40)
    page._show_tail()
    assert tail.word == "Older rows"
    bar.setValue(0)
    page._show_tail()
    assert tail.word == "Live"
    page.log.wanted = Filter(until_us=1_772_359_200_000_000)
    page._show_tail()
    assert tail.word.startswith("Up to 2026-03-01")


def test_every_entry_is_a_row(page: AuditPresenter, connect: Connect, run: Run) -> None:
    """Rows are the size that the checkpoint signs."""

    async def script() -> bool:
        async with connect(page):
            await shown(page)
            return page.view.model.rowCount() == int(page.log.whole.checkpoint.split("\n")[1])

    assert run(script())


def test_the_oldest_entry_is_reached_by_scrolling(page: AuditPresenter, connect: Connect, run: Run) -> None:
    """No placeholder stays."""

    async def script() -> int:
        async with connect(page):
            await shown(page)
            page.view.table.scrollToBottom()
            last = page.view.model.rowCount() - 1
            await until(lambda: page.view.model.entry(last), "the oldest entry")
            found = page.view.model.entry(page.view.model.rowCount() - 1)
            return -1 if found is None else found.seq

    assert run(script()) == 0


def test_a_filter_shows_only_what_matches(page: AuditPresenter, connect: Connect, run: Run, qtbot: Any) -> None:
    """Typed words and Enter."""

    async def script() -> set[str | None]:
        async with connect(page) as client:
            await client.registry_put_node("ARC-AUDIT1", NodeBody(display_name="Training audit subject"))
            await shown(page)
            qtbot.keyClicks(page.view.bar.text, "ARC-AUDIT1")
            qtbot.keyClick(page.view.bar.text, Qt.Key.Key_Return)
            await until(lambda: page.log.filtered is not None and page.log.filtered.done, "the matches")
            await until(lambda: page.view.model.total, "the rows")
            return {(page.view.model.entry(row) or entry(0)).node_id for row in range(page.view.model.total)}

    assert run(script()) == {"ARC-AUDIT1"}


def test_marked_entries_become_a_bundle_that_verifies(
    page: AuditPresenter, connect: Connect, run: Run, qtbot: Any, tmp_path: Path
) -> None:
    """Marks outlive the filter; an id brings all entries that name it; the file is judged by what the site's auditor
    pinned."""

    async def script() -> tuple[list[int], bytes, dict[str, bytes]]:
        async with connect(page) as client:
            await client.registry_put_node("ARC-PROVEN1", NodeBody(display_name="Training person of the bundle"))
            await shown(page)
            table, model = page.view.table, page.view.model
            for row in (20, 30):
                table.mark_row(row)
            qtbot.keyClicks(page.view.bar.text, "ARC-PROVEN1")
            qtbot.keyClick(page.view.bar.text, Qt.Key.Key_Return)
            await until(lambda: page.log.filtered is not None and page.log.filtered.done, "the matches")
            desk = TableDesk(page.session, page.view)
            data = await desk.evidence_of([*model.marked, "ARC-PROVEN1"])
            pins = {"policy": await client.log_policy(), "roots": await client.log_roots()}
            return model.marked, data, pins

    marked, data, pins = run(script())
    assert len(marked) == 2
    for name, content in pins.items():
        (tmp_path / name).write_bytes(content)
    assert examine(data, pinned_trust(tmp_path)).good
    leaves = json.loads(unpack(data)["entries.json"])["leaves"]
    assert {*marked} < {leaf["log_index"] for leaf in leaves}
    assert any(b"ARC-PROVEN1" in base64.b64decode(leaf["opening"]["payload"]) for leaf in leaves)


def test_an_id_that_the_log_does_not_know_gives_no_bundle(page: AuditPresenter, connect: Connect, run: Run) -> None:
    """Nothing is written, and the sentence names the id."""

    async def script() -> str:
        async with connect(page):
            with pytest.raises(NoEvidence) as refused:
                await TableDesk(page.session, page.view).evidence_of(["alm_0000000000000000"])
            return failure_of(refused.value).sentence

    assert "alm_0000000000000000" in run(script())


def test_a_filter_without_matches_says_how_to_go_on(page: AuditPresenter, connect: Connect, run: Run) -> None:
    """An empty table alone looks like a fault."""

    async def script() -> bool:
        async with connect(page):
            await shown(page)
            page.view.bar.action.setText("no.such")
            page.view.bar.action.editingFinished.emit()
            await until(lambda: page.view.pages.currentWidget() is page.view.nothing, "the sentence")
            return page.session.actions.is_enabled("audit.clear")

    assert run(script())


def test_the_filter_takes_names(page: AuditPresenter, connect: Connect, run: Run) -> None:
    """A person by the name, an action by its words; who knows the id or the code may type that."""

    async def script() -> tuple[set[str | None], set[str]]:
        async with connect(page) as client:
            await client.registry_put_node("ARC-AUDIT7", NodeBody(display_name="Training filter subject"))
            await shown(page)
            bar = page.view.bar
            await until(lambda: "Training filter subject" in bar.node._of, "the name")
            bar.node.setText("Training filter subject")
            bar.action.setText("Registry: node put")
            bar.action.editingFinished.emit()
            await until(lambda: page.log.filtered is not None and page.log.filtered.done, "the matches")
            rows = [page.view.model.entry(row) or entry(0) for row in range(page.view.model.total)]
            return {one.node_id for one in rows}, {one.action for one in rows}

    assert run(script()) == ({"ARC-AUDIT7"}, {"registry.node_put"})


def test_only_what_was_in_vain_is_shown(page: AuditPresenter, connect: Connect, run: Run) -> None:
    """Refused or failed; the count says of how many."""

    async def script() -> tuple[set[str], str]:
        async with connect(page) as client:
            with contextlib.suppress(ApiError):
                await client.operators_sign_in_by_passphrase(
                    PassphraseSignIn(
                        operator_id="op_0000000000000000",
                        unit_id="console-of-the-tests",
                        passphrase=base64.b64encode(b"x" * 16).decode(),
                    )
                )
            await shown(page)
            bar = page.view.bar
            bar.outcome.setCurrentIndex(bar.outcome.findData(IN_VAIN))
            bar.outcome.activated.emit(bar.outcome.currentIndex())
            await until(lambda: page.log.filtered is not None and page.log.filtered.done, "the matches")
            found = [page.view.model.entry(row) or entry(0) for row in range(page.view.model.total)]
            await until(lambda: "of" in bar.count.text(), "the count")
            return {one.outcome for one in found}, bar.count.text()

    outcomes, count = run(script())
    assert outcomes == {"DENIED"}
    assert " of " in count


def test_a_node_id_that_cannot_be_is_marked_at_its_field(page: AuditPresenter, connect: Connect, run: Run) -> None:
    """The API says which field it was."""

    async def script() -> object:
        async with connect(page):
            await shown(page)
            page.view.bar.node.setText("no such id!")
            page.view.bar.node.editingFinished.emit()
            await until(lambda: page.view.banner.text, "the refusal")
            return page.view.bar.node.property("invalid")

    assert run(script()) == "true"


def test_a_time_leads_to_its_entry(page: AuditPresenter, connect: Connect, run: Run) -> None:
    """Of the first second of the site: among the oldest entries."""

    async def script() -> bool:
        async with connect(page) as client:
            await shown(page)
            (first, at), _ = page.log.whole.anchors.around(0)
            assert first == 0
            await page.go_to(at)
            await until(page.entry.current, "the entry")
            found = page.entry.current()
            return found is not None and found.seq < page.log.whole.size / 2 and client is page.session.client

    assert run(script())


def test_an_entry_shows_its_leaf_and_the_checkpoint(page: AuditPresenter, connect: Connect, run: Run) -> None:
    """What proves it, as text that can be copied."""

    async def script() -> tuple[bool, bool, bool]:
        async with connect(page):
            await shown(page)
            page.view.table.selectRow(0)
            found = page.entry.current()
            assert found is not None
            panel = page.view.entry.codes
            return (
                panel.leaf_hash == found.leaf_hash,
                panel.checkpoint.split("\n")[1] == str(page.view.model.total),
                ("Actor", found.actor) in panel.lines,
            )

    assert run(script()) == (True, True, True)


def test_new_entries_are_told_and_do_not_move_the_rows(page: AuditPresenter, connect: Connect, run: Run) -> None:
    """Somebody reads further down."""

    async def script() -> tuple[bool, bool]:
        async with connect(page) as client:
            await shown(page)
            page.view.table.verticalScrollBar().setValue(page.view.table.verticalScrollBar().maximum())
            before = page.view.model.total
            await client.registry_put_node("ARC-AUDIT2", NodeBody(display_name="Training audit subject"))
            page._poll.read_now()
            await until(page.view.bar.fresh.text, "the news")
            still = page.view.model.total == before
            page.session.actions.trigger("audit.newest")
            await until(lambda: page.view.model.entry(0), "the newest row")
            found = page.view.model.entry(0)
            return still, found is not None and found.seq == page.log.whole.size - 1 >= before

    assert run(script()) == (True, True)


def test_a_look_that_failed_is_not_the_last(
    page: AuditPresenter, connect: Connect, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page says what failed, looks again, and says it no more."""

    async def script() -> None:
        async with connect(page) as client:
            await shown(page)
            look, failed = page._look, asyncio.Event()

            async def fail_once() -> None:
                if not failed.is_set():
                    failed.set()
                    raise TimeoutError
                await look()

            monkeypatch.setattr(page, "_look", fail_once)
            page._poll.read_now()
            await until(lambda: failed.is_set() and not page.view.banner.isHidden(), "the failure")
            before = page.view.model.total
            await client.registry_put_node("ARC-AUDIT4", NodeBody(display_name="Training audit subject"))
            await until(lambda: page.view.model.total > before and page.view.banner.isHidden(), "the new row")

    run(script())


def test_at_the_top_new_entries_come_by_themselves(page: AuditPresenter, connect: Connect, run: Run) -> None:
    """Watching the log needs no key."""

    async def script() -> bool:
        async with connect(page) as client:
            await shown(page)
            before = page.view.model.total
            await client.registry_put_node("ARC-AUDIT3", NodeBody(display_name="Training audit subject"))
            page._poll.read_now()
            await until(lambda: page.view.model.total > before, "the new row")
            return not page.view.bar.fresh.text()

    assert run(script())


def test_the_export_holds_what_the_filter_finds(
    page: AuditPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """All of it, newest first, with the checkpoint that it is of."""

    async def script() -> tuple[int, int]:
        async with connect(page) as client:
            await client.registry_put_node("ARC-AUDIT4", NodeBody(display_name="Training audit subject"))
            await shown(page)
            page.view.bar.node.setText("ARC-AUDIT4")
            page.view.bar.node.editingFinished.emit()
            await until(lambda: page.log.filtered is not None and page.log.filtered.done, "the matches")
            page.export.export_to(tmp_path / "log.json")
            await until(lambda: not page.export.running, "the file")
            return page.view.model.total, page.log.whole.size

    total, size = run(script())
    written = json.loads((tmp_path / "log.json").read_text())
    assert [entry["node_id"] for entry in written["entries"]] == ["ARC-AUDIT4"] * total
    assert int(written["checkpoint"].split("\n")[1]) >= size - 1


def test_arguments_of_the_palette_fill_the_filter(page: AuditPresenter, connect: Connect, run: Run) -> None:
    """``#`` opens the page with an id as its text."""

    async def script() -> tuple[str, bool]:
        async with connect(page):
            page.enter({"text": "ARC-T0002"})
            await until(lambda: page.log.filtered is not None and page.view.model.total, "the matches")
            found = page.view.model.entry(0)
            return page.view.bar.text.text(), found is not None

    assert run(script()) == ("ARC-T0002", True)


# --- proofs ----------------------------------------------------------------------------------------------------------


async def judged(page: AuditPresenter) -> list[tuple[str, bool | None]]:
    """What Verify now finds of the chosen entry."""
    page.view.entry.proof.forget()
    assert page.session.actions.trigger("audit.verify")
    await until(lambda: page.view.entry.proof.judgement, "the checks")
    judgement = page.view.entry.proof.judgement
    assert judgement is not None
    return [(check.title, check.good) for check in judgement.checks]


async def cosigned(client: ConsoleClient) -> None:
    """A quorum has cosigned every entry that there is now."""
    size = int((await client.gateway_audit_log_query(AuditQuery(range=LONG))).checkpoint.split("\n")[1])
    newest = 0
    while newest < size:
        await asyncio.sleep(0.1)
        with contextlib.suppress(ApiError):  # there is none until the witnesses have started
            newest = int((await client.log_checkpoint("audit")).split(b"\n")[1])


def test_an_entry_is_verified_on_this_machine(page: AuditPresenter, connect: Connect, run: Run) -> None:
    """Leaf, content, the log's checkpoint and its witnesses: each is a line of its own."""

    async def script() -> list[tuple[str, bool | None]]:
        async with connect(page) as client:
            await shown(page)
            await cosigned(client)
            page.view.table.selectRow(page.view.model.rowCount() - 1)
            await until(page.entry.current, "the entry")
            return await judged(page)

    titles = ["Pinned policy", "Leaf", "Content", "Checkpoint", "Path", "Witnesses"]
    assert run(script()) == [(title, True) for title in titles]


def test_the_proof_is_told_in_plain_words(page: AuditPresenter, connect: Connect, run: Run) -> None:
    """Green is what was checked here and holds; witnesses that the site runs itself prove the order alone. The path
    that is drawn has as many steps as the proof has hashes."""

    async def script() -> None:
        async with connect(page) as client:
            await shown(page)
            await cosigned(client)
            page.view.table.selectRow(page.view.model.rowCount() - 1)
            await until(page.entry.current, "the entry")
            panel = page.view.entry
            assert panel.proof.verdict == (Meaning.IDLE, "Not checked yet")
            assert {(state, found) for state, _title, found in panel.proof.rows} == {(Meaning.IDLE, "not checked yet")}
            assert (panel._verify.isVisible(), panel._save.isVisible()) == (True, False)
            await judged(page)
            assert panel.proof.verdict == (Meaning.OK, "Proof holds")
            states = [state for state, _title, _found in panel.proof.rows]
            assert states == [Meaning.OK, Meaning.OK, Meaning.OK, Meaning.IDLE]
            assert "the site runs them" in panel.proof.rows[3][2]
            assert (panel._verify.isVisible(), panel._save.isVisible()) == (False, True)
            chosen = page.entry.current()
            assert chosen is not None
            found = next(one for one in (await proven_page(client, chosen)).entries if one.seq == chosen.seq)
            assert isinstance(found.proof, AuditProof)
            assert panel.proof.judgement is not None
            # The tree may have grown since: then the path is as long as before, or longer by few.
            assert 0 < panel.proof.path.steps == panel.proof.judgement.steps <= len(found.proof.path)
            page.view.table.selectRow(page.view.model.rowCount() - 2)
            assert panel.proof.verdict == (Meaning.IDLE, "Not checked yet")

    run(script())


def test_a_proof_that_fails_says_which_check(page: AuditPresenter, connect: Connect, run: Run) -> None:
    """What holds beside it stays so, and the next step is no saving."""

    async def script() -> None:
        async with connect(page) as client:
            await shown(page)
            await cosigned(client)
            page.view.table.selectRow(0)
            chosen = page.entry.current()
            assert chosen is not None
            answer, policy = await proven_page(client, chosen), await client.log_policy()
            panel = page.view.entry
            panel.show_judgement(
                verify_entry(msgspec.structs.replace(chosen, detail={"edited": True}), answer, policy), "", 0.0, 0
            )
            assert panel.proof.verdict == (Meaning.CRIT, "PROOF FAILS")
            assert [state for state, _title, _found in panel.proof.rows][:3] == [Meaning.CRIT, Meaning.OK, Meaning.OK]
            assert not panel._save.isVisible()
            forged = msgspec.structs.replace(answer, hashes=["A" * 43 + "=" for _ in answer.hashes or ()])
            panel.show_judgement(verify_entry(chosen, forged, policy), "", 0.0, 0)
            assert [state for state, _title, _found in panel.proof.rows][:3] == [Meaning.OK, Meaning.CRIT, Meaning.OK]
            assert not panel.proof.path.isVisible()

    run(script())


def test_codes_are_folded_until_they_are_wanted(page: AuditPresenter, connect: Connect, run: Run) -> None:
    """And stay open from one entry to the next."""

    async def script() -> None:
        async with connect(page):
            await shown(page)
            page.view.table.selectRow(0)
            area = page.view.entry.codes_area
            assert not area.isVisible()
            assert page.session.actions.trigger("audit.codes")
            assert area.isVisible()
            page.view.table.selectRow(1)
            assert area.isVisible()

    run(script())


def test_an_entry_goes_into_the_bundle_from_its_panel(page: AuditPresenter, connect: Connect, run: Run) -> None:
    """By the mark that Space sets in the table."""

    async def script() -> None:
        async with connect(page):
            await shown(page)
            page.view.table.selectRow(0)
            chosen = page.entry.current()
            assert chosen is not None
            assert page.session.actions.trigger("audit.to_bundle")
            assert page.view.model.marked == [chosen.seq]
            assert not page.session.actions.is_enabled("audit.to_bundle")

    run(script())


def test_an_entry_that_was_changed_is_found_out(page: AuditPresenter, connect: Connect, run: Run) -> None:
    """Whatever is edited in what is shown or proven, a check is bad."""

    async def script() -> None:
        async with connect(page) as client:
            await shown(page)
            await cosigned(client)
            chosen = page.view.model.entry(0)
            assert chosen is not None
            answer = await proven_page(client, chosen)
            policy = await client.log_policy()
            assert verify_entry(chosen, answer, policy).good is True
            for edit in (
                {"actor": "somebody"},
                {"action": "burn.start"},
                {"outcome": "FAILED" if chosen.outcome != "FAILED" else "DENIED"},
                {"timestamp": "2026-01-01T00:00:00.000000Z"},
                {"node_id": "ARC-X"},
                {"detail": {"edited": True}},
                {"leaf_hash": "0" * 64},
            ):
                changed = msgspec.structs.replace(chosen, **edit)
                assert verify_entry(changed, answer, policy).good is False, edit
            assert isinstance(answer.hashes, list)
            assert isinstance(answer.cosigned, str)
            for name, edited in (
                ("hashes", ["A" * 43 + "=" for _ in answer.hashes]),
                ("checkpoint", answer.checkpoint.replace("\n", "\n1", 1)),
                ("cosigned", answer.checkpoint),
                ("cosigned", answer.cosigned.replace("\n", "\n1", 1)),
            ):
                changed_page = msgspec.structs.replace(answer, **{name: edited})
                assert verify_entry(chosen, changed_page, policy).good is False, name
            strange = policy.replace(b"+", b"x+")
            assert verify_entry(chosen, answer, strange).good is False
            withheld = copy.deepcopy(answer)
            for kept in withheld.entries:
                assert isinstance(kept.proof, AuditProof)
                kept.proof.opening.salt = kept.proof.opening.payload = None
            nothing = {"detail": {}, "node_id": None, "unit_id": None, "request_id": None}
            erased = msgspec.structs.replace(chosen, **nothing)
            assert verify_entry(erased, withheld, policy).good is None
            for said in ({"unit_id": "u-1"}, {"request_id": "req_1"}, {"node_id": "ARC-X"}):
                changed = msgspec.structs.replace(erased, **said)
                assert verify_entry(changed, withheld, policy).good is False, said
            alone = msgspec.structs.replace(answer, cosigned=None)
            assert verify_entry(chosen, alone, policy).good is None
            bare = msgspec.structs.replace(alone, checkpoint=answer.checkpoint.partition("\n\n")[0] + "\n")
            assert verify_entry(chosen, bare, policy).good is None
            assert entry_proof(bare, chosen.seq) is None
            assert entry_proof(alone, chosen.seq) is not None

    run(script())


def test_a_proof_is_saved_under_the_newest_cosigned_checkpoint(
    page: AuditPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """A conforming reader accepts the file: the note is the witnesses' and the leaf is in its tree."""

    async def script() -> tuple[AuditEntry, bytes]:
        async with connect(page) as client:
            await shown(page)
            await cosigned(client)
            page.view.table.selectRow(page.view.model.rowCount() - 1)
            await until(page.entry.current, "the entry")
            chosen = page.entry.current()
            assert chosen is not None
            page.entry.files.ask = lambda _title, name, save: save(tmp_path / name)  # type: ignore[method-assign]
            assert page.session.actions.trigger("audit.save_proof")
            await until(lambda: any(tmp_path.glob("*.tlog-proof")) and not page.entry.files.saving, "the file")
            return chosen, await client.log_policy()

    chosen, policy = run(script())
    proof = parse_proof((tmp_path / f"audit-{chosen.seq}.tlog-proof").read_bytes())
    assert proof.index == chosen.seq
    assert verify_proof(proof, bytes.fromhex(chosen.leaf_hash), parse_policy(policy)).size > chosen.seq


def test_an_entry_is_a_sentence_whose_code_the_pointer_and_the_clipboard_have(session: WindowSession) -> None:
    """And an action without a sentence is told with its payload."""
    known = AuditEntry(
        seq=7, timestamp="2026-11-26T10:00:00Z", actor="op_1", actor_name="Training desk", action="burn.executed",
        node_id="ARC-1", outcome="ACCEPTED", detail={"reason": "lost", "scope": "GLOBAL"}, leaf_hash="00" * 32,
    )  # fmt: skip
    unknown = msgspec.structs.replace(known, seq=8, action="test.made_up", detail={"rows": [1]})
    columns = {column.title: column for column in LogModel(session.names, session.people).columns}
    what, why = columns["WHAT HAPPENED"], columns["WHY"]
    assert (what.text(known), why.text(known)) == ("ARC-1 burned everywhere: “lost”", "“lost”")
    assert (what.text(unknown), why.text(unknown)) == ("ARC-1: Test: made up", "rows: 1")
    assert what.hint is not None
    assert what.hint(known) == "Accepted\nburn.executed\nARC-1\nreason=lost  scope=GLOBAL"
    assert what.copy(known) == (
        "ARC-1 burned everywhere: “lost”; burn.executed; ACCEPTED; ARC-1; reason=lost  scope=GLOBAL"
    )
    assert why.copy(known) == "reason=lost  scope=GLOBAL"


def test_a_time_has_milliseconds_and_its_day_where_that_is_not_today(session: WindowSession) -> None:
    """In UTC; hover has the clock of this machine."""
    model = LogModel(session.names, session.people)
    time = model.columns[TIME]
    assert time.text(entry(1)) == "2026-03-01 10:00:00.000"
    model.set_today("2026-03-01")
    assert (time.text(entry(1)), time.copy(entry(1))) == ("10:00:00.000", "2026-03-01 10:00:00.000")
    model.set_today("2026-03-02")
    assert time.text(entry(1)) == "2026-03-01 10:00:00.000"


def test_the_word_of_the_shape_is_said(million: LogModel) -> None:
    """To whoever does not see it."""
    million.put(10, page_of(10))
    cell = million.index(million.row_of(2_050), 1)
    assert str(cell.data(Qt.ItemDataRole.AccessibleTextRole)).endswith(". Accepted")


def test_the_table_goes_to_the_moment_that_the_window_shows(page: AuditPresenter, connect: Connect, run: Run) -> None:
    """Its newest entry of then is chosen, and stays so; live shows the newest of all again."""

    async def script() -> tuple[int, float, float, int]:
        async with connect(page) as client:
            await shown(page)
            old = (await client.gateway_audit_log_query(AuditQuery(range=LONG, criteria="put"))).entries[-1]
            at = parse_time(old.timestamp) + 0.000_000_4
            page.session.shown_time.go_to(at)
            await until(lambda: chosen_entry(page) is not None, "the entry of then")
            found = chosen_entry(page)
            assert found is not None
            after = page.view.model.entry(page.view.model.row_of(found.seq) - 1)
            assert "Past" in page._behind()
            page.session.shown_time.go_live()
            bar = page.view.table.verticalScrollBar()
            await until(lambda: bar.value() == 0 and page._behind() != "Past", "the newest")
            assert chosen_entry(page) == found
            assert after is not None
            return found.seq, parse_time(found.timestamp) - at, parse_time(after.timestamp) - at, old.seq

    seq, before, after, least = run(script())
    assert seq >= least
    assert before <= 0.0 < after


def chosen_entry(page: AuditPresenter) -> AuditEntry | None:
    """The entry of the chosen row, when it is here."""
    rows = page.view.table.selectedIndexes()
    return page.view.model.entry(rows[0].row()) if rows else None


def test_a_table_that_was_left_in_the_past_is_live_when_the_window_is(
    page: AuditPresenter, connect: Connect, run: Run
) -> None:
    """Somebody went back to live on another page: no row is held back here."""

    async def script() -> list[int | None]:
        async with connect(page):
            page.enter({"text": "ARC-T0001"})
            await until(lambda: page.log.opened and page.log.filtered is not None, "the filtered log")
            page.session.shown_time.go_to(page.session.live.now() - 60.0)
            await until(lambda: page.log.wanted.until_us is not None, "the moment")
            ends = [page.log.wanted.until_us]
            page.leave()
            page.session.shown_time.go_live()
            page.enter({})
            await until(lambda: page.log.wanted.until_us is None, "the newest")
            return [*ends, page.log.wanted.until_us]

    then, now = run(script())
    assert then is not None
    assert now is None


@pytest.mark.parametrize(("today", "width"), [("2026-03-01", TIME_PX), ("2026-03-02", DATED_PX)])
def test_times_have_room_for_their_day_where_it_is_another_one(
    page: AuditPresenter, monkeypatch: pytest.MonkeyPatch, today: str, width: int
) -> None:
    """Times of today stand without it."""
    monkeypatch.setattr(page.session.live, "now", lambda: parse_time(f"{today}T12:00:00.000000Z"))
    page.view.model.reset_whole(PAGE)
    page.view.model.put(0, page_of(0))
    page._fit_columns(anew=True)
    assert page.view.model.columns[TIME].width == width


def test_a_slash_goes_to_the_words_of_the_filter(page: AuditPresenter) -> None:
    """The window brings the hands to it."""
    assert page.filter_field() is page.view.bar.text


def test_rows_are_painted_in_the_colours_of_the_theme_in_force(page: AuditPresenter, application: QApplication) -> None:
    """Whichever theme they were painted in before."""
    page.view.model.reset_whole(PAGE)
    page.view.model.put(0, page_of(0))
    found = []
    for tokens in (DARK, LIGHT):
        theme.apply(application, tokens)
        shown = page.view.table.viewport().grab().toImage()
        column = {shown.pixelColor(shown.width() // 2, y).name() for y in range(shown.height())}
        found.append({one.line.lower() for one in (DARK, LIGHT)} & column)
    assert found == [{DARK.line.lower()}, {LIGHT.line.lower()}]
