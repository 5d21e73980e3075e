"""Write card against a real training service: written by keys alone, torn and finished, granted, the PIN given once."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLineEdit, QListView, QTableView, QWidget

from app.capabilities.provisioning.messages import ProvisionBody, ProvisionEvent, ProvisionListQuery, Receipt
from app.console.cards.jobs import JobPhase
from app.console.connection.client import ConsoleClient
from app.console.devices.sounds import Tone
from app.console.pages import write_card as write_card_page
from app.console.pages.write_card import WriteCardPresenter
from app.console.pages.write_card.trace_diff import ApduDifference
from app.console.pages.write_card.trace_view import as_text
from app.console.pages.write_card.view import PROOF
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.choice import Choice
from app.console.widgets.stepper import StageState
from app.training.messages import TrainingCardBody
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, on_screen

READER = "Training Reader 3"
HOLDER = "ARC-T0003"
"""Holds a card from the first start on; no other test of pages gives out its PIN."""


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> WriteCardPresenter:
    """The page at the size of the design, its actions in the table; a test hears what is told, and plays nothing."""
    session.preferences.set(sounds=False)
    presenter = built(write_card_page, session)
    on_screen(presenter, "write_card", session, qtbot)
    return presenter


@asynccontextmanager
async def lying(client: ConsoleClient, page: WriteCardPresenter, card: str) -> AsyncIterator[None]:
    """The card lies in ``READER``, which is the chosen one; afterwards the reader is empty."""
    await client.drawer_move_card(TrainingCardBody(reader=READER, action="insert", card=card))
    try:
        await until(lambda: (row := row_of(page, READER)) is not None and row.present and row.uid != "–", "a card")
        page.view.readers.choose(READER)
        yield
    finally:
        await remove(client)


async def remove(client: ConsoleClient) -> None:
    """``READER`` is empty."""
    await client.drawer_move_card(TrainingCardBody(reader=READER, action="remove"))


def row_of(page: WriteCardPresenter, reader: str) -> Any:
    """What the list shows of a reader."""
    return next((row for row in page.view.readers.rows.rows if row.reader == reader), None)


def choose(page: WriteCardPresenter, node_id: str) -> None:
    """A person, as the type-ahead would give them."""
    page.view.person.choose(Choice(node_id, node_id))


async def ready(page: WriteCardPresenter) -> None:
    """The stream is live, the readers are listed, and the first start has laid out its cards."""
    page.enter({})
    # A card that is put in before the stream is live is seen by the next reading alone.
    await until(lambda: page.session.live.state == "live", "the stream")
    await until(lambda: (row := row_of(page, "Training Reader 2")) is not None and row.word == "Written", "the cards")


def test_every_control_has_a_name(page: WriteCardPresenter) -> None:
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


def test_the_reader_with_a_writable_card_is_chosen_by_itself(
    page: WriteCardPresenter, connect: Connect, run: Run
) -> None:
    """The blank card that the training site lays out."""

    async def work() -> None:
        async with connect(page):
            await ready(page)
            await until(lambda: page.view.readers.reader == "Training Reader 1", "the reader")
            assert page.view.outcome.card_mark.word == "Blank"

    run(work())


@pytest.mark.qt_log_ignore("does not support raise", "does not support grabbing the keyboard", extend=True)
def test_a_card_is_written_by_keys_alone(page: WriteCardPresenter, connect: Connect, run: Run) -> None:
    """Type the person, Enter, Ctrl+Return: all stages done, proven, and the focus on the next step."""

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            async with lying(client, page, "blank-6"):
                page.session.actions.trigger("write_card.person")
                QTest.keyClicks(page.view.person, "Training Person 40")
                await until(lambda: page.view.person._model.rowCount() == 1, "the one person")
                QTest.keyClick(page.view.person, Qt.Key.Key_Return)
                await until(lambda: page.session.actions.is_enabled("write_card.write"), "Write")
                page.session.actions.trigger("write_card.write")
                await until(lambda: page.view.hero.headline.word.startswith("Written and proven"), "the end")
                assert [page.view.hero.stepper.stage(at) for at in range(10)] == [StageState.DONE] * 10
                assert {mark.state for mark in page.view.outcome.proofs.values()} == {Meaning.OK}
                assert len(page.view.outcome.slots.rows) == 4
                assert page.view.outcome.fips.word.endswith("Unknown")

    run(work())


async def held_against_the_golden_trace(page: WriteCardPresenter, folder: Path) -> None:
    """The torn trace shows where it broke and what never came; the filter, the text and the file say the same."""
    trace = page.view.trace
    page.session.actions.trigger("write_card.trace")
    await until(lambda: [line for line in trace.shown if line.difference is ApduDifference.MISSING], "the comparison")
    lines = list(trace.shown)
    broken = [line for line in lines if line.difference is ApduDifference.STATUS]
    assert [line.shown.sw for line in broken] == [""]
    assert "no answer (good: 9000)" in as_text(broken)
    assert all(line.difference is ApduDifference.MISSING for line in lines[lines.index(broken[0]) + 1 :])
    page.session.actions.trigger("write_card.differences")
    assert trace.shown == [line for line in lines if line.difference is not ApduDifference.NONE]
    # A busy machine may have rows before it that differ by their time alone.
    trace.table.selectRow(trace.shown.index(broken[0]))
    assert "PUT DATA" in trace.detail.toPlainText()
    page.session.actions.trigger("write_card.trace_copy")
    assert QGuiApplication.clipboard().text().count("\n") == len(trace.shown) + 1
    page.recorder.save(folder / "trace.jsonl")
    await until((folder / "trace.jsonl").exists, "the file")
    head, *rows = [json.loads(line) for line in (folder / "trace.jsonl").read_text().splitlines()]
    assert head["golden_provision_id"] in trace.against.text()
    assert [row["difference"] for row in rows] == [line.difference.value or None for line in lines]
    page.session.actions.trigger("write_card.differences")


def test_a_torn_card_is_finished_by_putting_it_back(
    page: WriteCardPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """Torn, pulled out, another card refused, the same card back: the write goes on by itself, and all is heard."""
    heard: list[Tone] = []
    page.state.tell = heard.append

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            async with lying(client, page, "blank-tears-once"):
                choose(page, "ARC-T0041")
                await until(lambda: page.session.actions.is_enabled("write_card.write"), "Write")
                page.session.actions.trigger("write_card.write")
                await until(lambda: page.view.hero.headline.word == "Finish this card", "the tear")
                await until(
                    lambda: StageState.FAILED in [page.view.hero.stepper.stage(at) for at in range(10)],
                    "where it broke",
                )
                await held_against_the_golden_trace(page, tmp_path)
                await until(lambda: page.view.then.whose.text() == "for Training Person 41", "whom the card is for")
                assert not page.session.actions.is_enabled("write_card.present")
                assert not page.session.actions.is_enabled("write_card.burn")
                await remove(client)
                await until(lambda: "SAME" in page.view.hero.headline.word, "the call for the same card")
                assert page.view.then.whose.text() == "opens when written"
                assert page.view.hero.headline.state is Meaning.BAD
                await client.drawer_move_card(TrainingCardBody(reader=READER, action="insert", card="blank-2"))
                await until(lambda: page.view.hero.headline.word == "This is another card", "the refusal")
                assert not page.session.actions.is_enabled("write_card.write")
                await remove(client)
                await client.drawer_move_card(TrainingCardBody(reader=READER, action="insert", card="blank-tears-once"))
                await until(lambda: page.view.hero.headline.word.startswith("Written and proven"), "the end")
                assert heard[0] is Tone.NEEDS_YOU
                assert heard[-1] is Tone.DONE

    run(work())


def test_a_wrong_demand_is_told_at_its_field(page: WriteCardPresenter, connect: Connect, run: Run) -> None:
    """The service's sentence with the accepted forms; the card is untouched."""

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            async with lying(client, page, "blank-3-cplc"):
                choose(page, "ARC-T0042")
                page.view.demand.setEditText("NATO secret")
                await until(lambda: page.session.actions.is_enabled("write_card.write"), "Write")
                page.session.actions.trigger("write_card.write")
                await until(page.view.outcome.demand_error.text, "the sentence")
                assert "FIPS 140-3" in page.view.outcome.demand_error.text()
                assert page.view.demand.property("invalid") == "true"
                assert page.state.jobs == {}

    run(work())


def test_a_write_ordered_elsewhere_is_followed(page: WriteCardPresenter, connect: Connect, run: Run) -> None:
    """Another console or a partner writes: stages and result appear here."""

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            async with lying(client, page, "blank-5-3des-only"):
                body = ProvisionBody(node_id="ARC-T0043", hardware_uid=f"reader:{READER}", fips_standard="FIPS 201-3")
                await client.provisioning_provision(body)
                await until(
                    lambda: (
                        (job := page.state.jobs.get(READER)) is not None
                        and job.phase is JobPhase.COMPLETE
                        and job.provision
                    ),
                    "the job",
                )
                await until(lambda: page.view.hero.stepper.stage(9) is StageState.DONE, "the last stage")

    run(work())


def test_a_stage_that_is_told_late_is_not_of_the_next_card(
    page: WriteCardPresenter, connect: Connect, run: Run
) -> None:
    """The stream may lag behind what was read: the blank card that lies there by then can be written."""

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            async with lying(client, page, "stack-03"):
                body = ProvisionBody(node_id="ARC-T0045", hardware_uid=f"reader:{READER}", fips_standard="FIPS 201-3")
                written = await client.provisioning_provision(body)
            async with lying(client, page, "stack-04"):
                await until(lambda: READER not in page.state.jobs, "the written card's end")
                event = ProvisionEvent(
                    provision_id=written.provision_id,
                    node_id=written.node_id,
                    reader=READER,
                    state="RUNNING",
                    stage=written.stages[-1],
                )
                page.live_cards._take_stage(event)
                page.live_cards._take_stage(msgspec.structs.replace(event, state="COMPLETE", stage=None))
                assert READER in page.state.jobs
                await until(lambda: READER not in page.state.jobs, "the late stage's end")

    run(work())


def test_a_write_ordered_elsewhere_leaves_what_was_opened(page: WriteCardPresenter, connect: Connect, run: Run) -> None:
    """Its result waits at its reader: the opened provisioning stays, so that no key goes to another person's card."""

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            async with lying(client, page, "blank-4-nameless"):
                provision_id = await open_holder(page, client)
                body = ProvisionBody(node_id="ARC-T0044", hardware_uid=f"reader:{READER}", fips_standard="FIPS 201-3")
                await client.provisioning_provision(body)
                await until(
                    lambda: (
                        (job := page.state.jobs.get(READER)) is not None
                        and job.provision is not None
                        and job.provision.state == "COMPLETE"
                    ),
                    "the result",
                )
                assert page.state.shown is not None
                assert page.state.shown.provision_id == provision_id

    run(work())


def test_a_write_ordered_elsewhere_leaves_the_chosen_person(
    page: WriteCardPresenter, connect: Connect, run: Run
) -> None:
    """The next card is written for whom the person here chose, wherever the hands go meanwhile."""

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            async with lying(client, page, "stack-01"):
                choose(page, "ARC-T0041")
                body = ProvisionBody(node_id="ARC-T0046", hardware_uid=f"reader:{READER}", fips_standard="FIPS 201-3")
                await client.provisioning_provision(body)
                await until(lambda: READER in page.state.jobs and page.state.jobs[READER].provision, "the result")
                page.view.readers.choose("Training Reader 1")
                page.view.readers.choose(READER)
                await remove(client)
                await client.drawer_move_card(TrainingCardBody(reader=READER, action="insert", card="stack-02"))
                await until(lambda: page.session.actions.is_enabled("write_card.write"), "Write")
                assert page.view.hero.headline.word == "Ready"
                assert page.view.person.choice == Choice("ARC-T0041", "ARC-T0041")

    run(work())


async def open_holder(page: WriteCardPresenter, client: ConsoleClient) -> str:
    """The provisioning of ``HOLDER`` is shown; its id."""
    found = await client.provisioning_list_provisions(query=ProvisionListQuery(node_id=HOLDER, state="COMPLETE"))
    provision_id = found.items[0].provision_id
    page.view.provision_opened.emit(provision_id)
    # By its id: before, the page may show what the first start wrote into a reader.
    await until(lambda: page.state.shows(provision_id), "the provisioning")
    return provision_id


def test_access_is_granted_door_by_door(page: WriteCardPresenter, connect: Connect, run: Run) -> None:
    """Profile and sync: each door of the ticked cluster proves that it has the grant."""

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            await open_holder(page, client)
            await until(lambda: "garage" in page.view.then._boxes, "the clusters")
            page.view.then._boxes["garage"].setChecked(True)
            page.session.actions.trigger("write_card.grant")
            await until(lambda: page.view.then.doors.mark.word == "Granted", "the grant")
            assert page.view.then._lines["garage"].word.startswith("12 of 12 doors in")

    run(work())


def test_the_steps_of_one_person_are_not_shown_for_another(
    page: WriteCardPresenter, connect: Connect, run: Run
) -> None:
    """A card that was opened is for its holder: who chooses somebody else is offered none of its steps."""

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            await open_holder(page, client)
            assert page.view.then.whose.text().startswith("for ")
            assert page.session.actions.is_enabled("write_card.grant")
            choose(page, "ARC-T0044")
            await until(lambda: page.view.then.whose.text() == "opens when written", "the steps to be withdrawn")
            assert not page.session.actions.is_enabled("write_card.grant")
            assert not page.session.actions.is_enabled("write_card.mailer")

    run(work())


def test_doors_that_were_chosen_before_the_write_open_after_it(
    page: WriteCardPresenter, connect: Connect, run: Run
) -> None:
    """Nobody presses Grant: what was ticked is granted as soon as the card is proven, and no other door."""

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            async with lying(client, page, "stack-20"):
                choose(page, "ARC-T0047")
                await until(lambda: page.session.actions.is_enabled("write_card.write"), "Write")
                await until(lambda: "garage" in page.view.then._boxes, "the clusters")
                page.view.then._boxes["garage"].setChecked(True)
                page.session.actions.trigger("write_card.write")
                await until(lambda: page.view.then.doors.mark.word == "Granted", "the grant")
                node = await client.registry_get_node("ARC-T0047")
                granted = {name for one in node.credentials if one.state == "granted" for name in one.clusters}
                assert granted == {"garage"}

    run(work())


def test_no_cluster_is_no_grant(page: WriteCardPresenter, connect: Connect, run: Run) -> None:
    """The form says what is missing instead of asking the service."""

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            await open_holder(page, client)
            page.session.actions.trigger("write_card.grant")
            assert "Tick" in page.view.then.grant_error.text()

    run(work())


def test_the_pin_is_given_out_once(page: WriteCardPresenter, connect: Connect, run: Run, tmp_path: Path) -> None:
    """A PDF for its owner alone; afterwards the page says that it was given out, and the action is off."""

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            await open_holder(page, client)
            assert page.session.actions.is_enabled("write_card.mailer")
            page.mailer.save(tmp_path / "pin.pdf")
            await until(lambda: page.view.then.pin.mark.word == "Given out", "the mailer")
            assert (tmp_path / "pin.pdf").read_bytes().startswith(b"%PDF-")
            assert (tmp_path / "pin.pdf").stat().st_mode & 0o777 == 0o600
            page.session.actions.refresh()
            assert not page.session.actions.is_enabled("write_card.mailer")

    run(work())


def test_a_file_that_cannot_be_made_leaves_the_pin_alone(
    page: WriteCardPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """A taken name: nothing is asked of the service, and the PIN waits."""

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            provisions = await client.provisioning_list_provisions(query=ProvisionListQuery(node_id="ARC-T0004"))
            page.view.provision_opened.emit(provisions.items[0].provision_id)
            await until(lambda: page.view.then.pin.mark.word == "Waits", "the PIN that waits")
            (tmp_path / "pin.pdf").write_bytes(b"")
            page.mailer.save(tmp_path / "pin.pdf")
            await until(lambda: page.view.then.pin.mark.word == "Not saved", "the refusal")
            found = await client.provisioning_get_provision(provisions.items[0].provision_id)
            assert not found.mailer_printed

    run(work())


def test_a_typed_name_goes_to_the_person(page: WriteCardPresenter, connect: Connect, run: Run) -> None:
    """The page is opened and the hands are at the Person field; no list covers the page unasked."""

    async def work() -> None:
        async with connect(page):
            page.view.readers.setFocus()
            page.enter({})
            assert page.view.focusWidget() is page.view.person
            assert not page.view.person._timer.isActive()

    run(work())


def test_the_trace_shows_every_apdu_and_no_secret(page: WriteCardPresenter, connect: Connect, run: Run) -> None:
    """As many rows as the provisioning has APDUs; the PIN's command shows a length alone."""

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            provision_id = await open_holder(page, client)
            page.session.actions.trigger("write_card.trace")
            await until(lambda: page.view.trace.shown, "the trace")
            found = await client.provisioning_get_provision(provision_id)
            sent = [line.entry for line in page.view.trace.shown if line.entry is not None]
            assert len(sent) == found.apdu_count
            resets = [entry for entry in sent if entry.header.upper().startswith("002C")]
            assert resets
            assert all(entry.data is None for entry in resets)

    run(work())


def test_the_history_opens_a_provisioning(page: WriteCardPresenter, connect: Connect, run: Run) -> None:
    """Newest first; Enter shows its result."""

    async def work() -> None:
        async with connect(page):
            await ready(page)
            page.session.actions.trigger("write_card.history")
            await until(lambda: len(page.view.history.rows) >= 12, "the history")
            row = page.view.history.rows[-1]
            page.view.history_table.selectRow(len(page.view.history.rows) - 1)
            QTest.keyClick(page.view.history_table, Qt.Key.Key_Return)
            await until(lambda: page.view.tabs.currentIndex() == PROOF, "the result")
            assert row.node_id in page.view.outcome.facts.values["person"].text()

    run(work())


def test_the_cards_written_last_stand_beside_the_order(page: WriteCardPresenter, connect: Connect, run: Run) -> None:
    """By Alt+1 without a tab; Enter opens one, and the hands stay in the list."""

    async def work() -> None:
        async with connect(page):
            page.view.resize(1724, 980)
            await ready(page)
            await until(lambda: len(page.view.history.rows) >= 12, "the history")
            assert page.session.actions.trigger("write_card.history")
            table = page.view.history_table
            assert (page.view.tabs.currentIndex(), page.view.focusWidget()) == (PROOF, table)
            row = page.view.history.rows[3]
            shown = [table.head.titles[at] for at in table.head.places()]
            assert shown == ["AT", "PERSON", "RESULT"], "a name that is whole comes before what else could be told"
            table.selectRow(3)
            QTest.keyClick(table, Qt.Key.Key_Return)
            await until(lambda: row.node_id in page.view.outcome.facts.values["person"].text(), "the result")
            page.view.resize(1284, 820)
            assert [one.row() for one in table.selectionModel().selectedRows()] == [3]

    run(work())


def test_without_a_card_one_sentence_stands_at_the_top(page: WriteCardPresenter) -> None:
    """Where the list would be."""
    page.view.resize(1724, 980)
    page.view.show_history([], more=False)
    QApplication.processEvents()
    assert page.view.history_empty.isVisible()
    assert not page.view.history_table.isVisible()
    assert page.view.history_empty.mapTo(page.view, QPoint(0, 0)).y() < 140


def test_the_receipt_is_told_and_saved(page: WriteCardPresenter, connect: Connect, run: Run, tmp_path: Path) -> None:
    """What is proven, by whom, the chain, the leaf; the file is the JWS as the service gives it."""

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            provision_id = await open_holder(page, client)
            told = page.view.paper.facts
            page.session.actions.trigger("write_card.paper")
            await until(lambda: not told.isHidden(), "the receipt")
            assert "Read back" in told.values["Proven"].text()
            assert told.values["Signed"].text().startswith("EdDSA, 2 certificates")
            assert page.session.actions.is_enabled("write_card.receipt")
            page.papers.save_receipt(tmp_path / "receipt.json")
            await until((tmp_path / "receipt.json").exists, "the file")
            receipt = await client.provisioning_get_receipt(provision_id)
            assert msgspec.json.decode((tmp_path / "receipt.json").read_bytes(), type=Receipt) == receipt

    run(work())


@pytest.mark.parametrize("kind", ["badge", "label"])
def test_badge_and_label_are_saved(
    page: WriteCardPresenter, connect: Connect, run: Run, tmp_path: Path, kind: str
) -> None:
    """A PDF of the shown card."""

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            await open_holder(page, client)
            page.papers.save_pdf(kind, tmp_path / "card.pdf")
            await until((tmp_path / "card.pdf").exists, "the file")
            assert (tmp_path / "card.pdf").read_bytes().startswith(b"%PDF-")

    run(work())


def test_a_file_that_is_no_photo_is_refused(
    page: WriteCardPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """The badge stays without it, and the person is told."""

    async def work() -> None:
        told: list[str] = []
        page.session.toast.connect(lambda text, _kind, _reference: told.append(text))
        async with connect(page) as client:
            await ready(page)
            await open_holder(page, client)
            (tmp_path / "photo.png").write_bytes(b"not a picture")
            page.papers.take_photo(tmp_path / "photo.png")
            await until(lambda: any("no photo" in text for text in told), "the refusal")

    run(work())


def test_without_a_printer_the_pin_is_not_given_out(
    page: WriteCardPresenter, connect: Connect, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The print system is asked before the service is: the PIN exists once."""
    monkeypatch.setenv("PATH", "/nowhere")

    async def work() -> None:
        async with connect(page) as client:
            await ready(page)
            provisions = await client.provisioning_list_provisions(query=ProvisionListQuery(node_id="ARC-T0004"))
            page.view.provision_opened.emit(provisions.items[0].provision_id)
            await until(lambda: page.view.then.pin.mark.word == "Waits", "the PIN that waits")
            page.session.actions.trigger("write_card.print_mailer")
            await until(lambda: page.view.then.pin.mark.word == "Not saved", "the refusal")
            assert "not touched" in page.view.then.pin.why.text()
            found = await client.provisioning_get_provision(provisions.items[0].provision_id)
            assert not found.mailer_printed

    run(work())
