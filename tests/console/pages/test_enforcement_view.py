"""The enforcement page in states that no training platform gives in a moment: laws, deadlines, refusals, closed keys.

The client is a double that answers with messages of the contract (``strike_samples``); what the page does against a
real service is in ``test_enforcement_page.py``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from app.api.wire import FieldError
from app.capabilities.enforcement.messages import NoticeRow
from app.client import ApiError
from app.console.file_dialog import FileDialog
from app.console.pages.dashboard.attention_words import attention_rows
from app.console.pages.enforcement import make
from app.console.pages.enforcement.forms import FormHelper, OutcomeForm, WithdrawStrikeForm
from app.console.pages.enforcement.law_words import ShownElement
from app.console.pages.enforcement.platforms import PlatformsDialog
from app.console.pages.enforcement.presenter import EnforcementPresenter
from app.console.pages.enforcement.preview import PreviewDialog
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.confirm import ConfirmDialog
from app.console.widgets.fold_row import FoldRow
from app.console.widgets.text_dialog import TextDialog
from app.delivery.messages import Alarm
from tests.console.conftest import Run, until
from tests.console.pages.conftest import dialog_of, on_screen
from tests.console.pages.strike_samples import (
    NOW,
    TOKEN,
    StrikeDesk,
    at,
    awaiting,
    half_sent,
    missing,
    notice,
    platform,
)

STATEMENT = "The picture shows a sign that never hung there, and no consent was given."


@pytest.fixture
def page(session: WindowSession, qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> EnforcementPresenter:
    """The page at the size of the design, its actions in the table; the clock stands at that of the samples."""
    monkeypatch.setattr(session.live, "now", lambda: NOW)
    presenter = make(session)
    on_screen(presenter, "enforcement", session, qtbot)
    return presenter


@asynccontextmanager
async def opened(
    page: EnforcementPresenter, desk: StrikeDesk | None = None, clearance: str = "citadel", **arguments: str
) -> AsyncIterator[StrikeDesk]:
    """The page with that service, after its first reading."""
    desk = StrikeDesk() if desk is None else desk
    session = page.session
    session.attach(desk, "http://127.0.0.1:1", clearance)  # type: ignore[arg-type]  # answers as the client does
    session.changed.connect(page.take_change)
    page.enter(arguments)
    try:
        # On X hands are only where the window has the keys.
        page.view.window().activateWindow()
        await until(page.view.window().isActiveWindow, "the keys")
        if clearance == "citadel":
            await until(lambda: page.board.fresh.since is not None and page.draft.fresh.since is not None, "a reading")
        yield desk
    finally:
        await page.close()
        await session.tasks.close()
        session.changed.disconnect(page.take_change)
        session.detach("the test ends")


def type_draft(page: EnforcementPresenter, *, law: str = "EU", name: str = "Training Person 33") -> None:
    """What a person types, but for the attestation."""
    view = page.view.draft
    view.law.setCurrentIndex(view.law.findData(law))
    QTest.keyClicks(view.signature, "scan_5c1f")
    view.addresses.setPlainText("https://a.training.example/v/88121")
    view.statement.setPlainText(STATEMENT)
    for pointer, text in (("name", name), ("capacity", "the person shown"), ("email", "p33@training.example")):
        field = view.fields[f"/declarant/{pointer}"]
        QTest.keyClicks(field, text)


async def checked(page: EnforcementPresenter) -> None:
    """Until the service has seen the draft as it stands."""
    count = page.view.law.count
    await until(lambda: "ing" not in count.word and "checked" not in count.word and " of " in count.word, "the check")


def choose_notice(page: EnforcementPresenter, number: int) -> None:
    """Put the cursor on a notice of the board."""
    at = page.view.board.rows.row_of(f"ntc_{number:032x}")
    assert at >= 0
    page.view.board.table.selectRow(at)


# --- the draft --------------------------------------------------------------------------------------------------------


def test_before_a_law_is_chosen_nothing_can_be_issued(page: EnforcementPresenter, run: Run) -> None:
    """No law is chosen for the operator; the platforms are those that are marked as default."""

    async def work() -> None:
        async with opened(page):
            assert page.draft.law is None
            assert page.view.law.guide.isVisible()
            assert page.view.draft.platforms.text() == "Training platform A, Training platform B"
            assert not page.session.actions.is_enabled("enforcement.issue")
            assert not page.session.actions.is_enabled("enforcement.preview")

    run(work())


def test_what_is_missing_is_shown_as_it_is_typed(page: EnforcementPresenter, run: Run) -> None:
    """Each element gets its sign from the service's word, a moment after the last key; the last one is the name."""

    async def work() -> None:
        async with opened(page) as desk:
            type_draft(page)
            assert "checking" in page.view.law.count.word
            await checked(page)
            assert [one.there for one in page.draft.elements] == [True, True, True, False]
            assert page.view.law.count.word == "3 of 4"
            QTest.keyClicks(page.view.draft.typed, "Training Person 33")
            await until(lambda: page.view.law.count.word == "4 of 4", "the attestation")
            assert page.view.law.count.state is Meaning.OK
            asked = [body for name, body in desk.calls if name == "preview"]
            assert len(asked) < len("Training Person 33"), "the service is asked when the hands rest"
            assert page.view.draft.evidence.word.startswith("scan of harbour-house.jpg")
            assert page.view.draft.look.isVisible(), "and leads to it"

    run(work())


def test_enter_on_an_element_leads_to_its_field(page: EnforcementPresenter, run: Run) -> None:
    """Alt+2, an arrow, Enter: the hands are where what is missing is typed."""

    async def work() -> None:
        async with opened(page):
            page.view.draft.law.setCurrentIndex(page.view.draft.law.findData("EU"))
            page.session.actions.trigger("enforcement.elements")
            elements = page.view.law.elements
            assert elements.hasFocus()
            QTest.keyClick(elements, Qt.Key.Key_Home)
            QTest.keyClick(elements, Qt.Key.Key_Down)
            QTest.keyClick(elements, Qt.Key.Key_Return)
            assert page.view.draft.addresses.hasFocus()

    run(work())


def test_another_name_attests_nothing(page: EnforcementPresenter, run: Run) -> None:
    """It is told beside the field, and the strike cannot be issued with it."""

    async def work() -> None:
        async with opened(page):
            type_draft(page)
            QTest.keyClicks(page.view.draft.typed, "Somebody else")
            await checked(page)
            assert "Declared by" in page.view.draft.typed_note.text()
            assert not page.session.actions.is_enabled("enforcement.issue")
            page.view.draft.typed.clear()
            await checked(page)
            assert page.session.actions.is_enabled("enforcement.issue")

    run(work())


def test_fields_of_a_law_appear_with_it(page: EnforcementPresenter, run: Run) -> None:
    """The work and how to reach the sender for copyright, the nature where the clock depends on it; what they hold is
    not sent under a law that asks for neither."""

    async def work() -> None:
        async with opened(page):
            view = page.view.draft
            view.law.setCurrentIndex(view.law.findData("US"))
            assert view.work_asked
            assert view.fields["/declarant/postal_address"].isVisible()
            assert page.view.law.note.words[0] is Meaning.BAD
            QTest.keyClicks(view.fields["/work/title"], "A house")
            view.law.setCurrentIndex(view.law.findData("IN"))
            assert not view.work_asked
            assert view.nature_asked
            assert page.draft.values.work is None
            assert page.view.law.note.isHidden(), "a lawyer has signed this one off"
            view.nature.setCurrentIndex(view.nature.findData("morphed"))
            assert "36" in page.view.law.facts.values["clock"].text()

    run(work())


def test_dispatch_of_takedowns_asks_for_a_work_in_every_law(page: EnforcementPresenter, run: Run) -> None:
    """The DMCA's flag covers copyright alone: with it the fields of the work stand there."""

    async def work() -> None:
        async with opened(page) as desk:
            type_draft(page)
            assert not page.view.draft.work_asked
            page.view.law.dispatch.setChecked(True)
            assert page.view.draft.work_asked
            await checked(page)
            assert desk.calls[-1][1].automated_dmca_dispatch

    run(work())


def test_a_whole_draft_is_issued_by_one_key(page: EnforcementPresenter, run: Run) -> None:
    """The strike stands in front of the emptied draft, the law stays chosen, and nothing is sent twice."""

    async def work() -> None:
        async with opened(page) as desk:
            type_draft(page)
            QTest.keyClicks(page.view.draft.typed, "Training Person 33")
            await until(lambda: page.view.law.count.word == "4 of 4", "the whole draft")
            page.session.actions.trigger("enforcement.issue")
            page.session.actions.trigger("enforcement.issue")
            await until(lambda: page.view.section == "strike", "the strike")
            assert [name for name, _ in desk.calls].count("strike") == 1
            (sent,) = [body for name, body in desk.calls if name == "strike"]
            assert sent.declarant.attested
            assert sent.statement == STATEMENT
            assert page.view.strike.token.text() == TOKEN
            assert page.draft.values.empty
            assert page.view.draft.law.currentData() == "EU"

    run(work())


def test_an_incomplete_one_is_asked_about_first(page: EnforcementPresenter, run: Run) -> None:
    """What is missing is named, the safe button has the focus, and only the other one signs."""

    async def work() -> None:
        async with opened(page) as desk:
            type_draft(page)
            await checked(page)
            page.session.actions.trigger("enforcement.issue")
            dialog: ConfirmDialog = await dialog_of(page, ConfirmDialog)
            assert "Statement of good faith" in dialog.accessibleName()
            dialog.reject()
            assert "strike" not in [name for name, _ in desk.calls]
            page.session.actions.trigger("enforcement.issue")
            (await dialog_of(page, ConfirmDialog)).do.click()
            await until(lambda: page.view.section == "strike", "the strike")

    run(work())


def test_a_refusal_stands_at_the_field_that_it_names(page: EnforcementPresenter, run: Run) -> None:
    """The draft stays as it was typed, and can be issued again."""
    refusal = ApiError(
        status=422, code="invalid_body", detail="A field is wrong.", request_id="req_1",
        errors=[FieldError(pointer="/platforms/1", detail="No such platform.")],
    )  # fmt: skip

    async def work() -> None:
        async with opened(page) as desk:
            type_draft(page)
            QTest.keyClicks(page.view.draft.typed, "Training Person 33")
            await until(lambda: page.view.law.count.word == "4 of 4", "the whole draft")
            desk.refuses = refusal
            page.session.actions.trigger("enforcement.issue")
            await until(lambda: page.view.draft.fault("/platforms"), "the refusal")
            assert page.view.section == "draft"
            assert page.draft.values.statement == STATEMENT
            assert page.session.actions.is_enabled("enforcement.issue")

    run(work())


@pytest.mark.parametrize("size", [(1024, 700), (1480, 900)])
def test_a_fault_makes_no_field_higher(page: EnforcementPresenter, run: Run, size: tuple[int, int]) -> None:
    """The statement gives room for the words of a fault, and keeps its name above it; nothing above the fault moves."""

    async def work() -> None:
        async with opened(page):
            draft = page.view.draft
            page.view.window().resize(*size)
            type_draft(page)
            await checked(page)
            await until(draft.evidence.isVisible, "what the signature names")
            QApplication.processEvents()
            before, top = draft.statement.height(), draft.statement.mapTo(draft, QPoint()).y()
            draft.statement.setPlainText("short")
            draft.fields["/declarant/email"].setText("nobody")  # type: ignore[attr-defined]  # a line edit
            await until(lambda: draft.fault("/statement") and draft.fault("/declarant/email"), "the faults")
            shown = next(one for one in draft.findChildren(QLabel) if one.text() == draft.fault("/statement"))
            await until(shown.isVisible, "the words")
            QApplication.processEvents()
            assert draft.statement.height() <= before
            assert draft.statement.mapTo(draft, QPoint()).y() == top
            name = next(one for one in draft.findChildren(QLabel) if one.buddy() is draft.statement)
            assert 0 <= draft.statement.y() - name.geometry().bottom() <= 8

    run(work())


def test_another_page_fills_in_the_signature(page: EnforcementPresenter, run: Run) -> None:
    """``navigate("enforcement", signature=...)``, as Media and Seals do; what was typed stays."""

    async def work() -> None:
        async with opened(page, signature="KNOT-1"):
            assert page.view.draft.signature.text() == "KNOT-1"
            assert page.view.section == "draft"

    run(work())


def test_a_draft_is_emptied_only_when_asked_twice(page: EnforcementPresenter, run: Run) -> None:
    """What was typed is lost for good: the safe button has the focus."""

    async def work() -> None:
        async with opened(page):
            assert not page.session.actions.is_enabled("enforcement.new")
            type_draft(page)
            page.session.actions.trigger("enforcement.new")
            (await dialog_of(page, ConfirmDialog)).reject()
            assert not page.draft.values.empty
            page.session.actions.trigger("enforcement.new")
            (await dialog_of(page, ConfirmDialog)).do.click()
            assert page.draft.values.empty

    run(work())


def test_the_preview_is_the_document(page: EnforcementPresenter, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text of each notice in the window, the PDF in the system's viewer from a file that this user alone can read
    and that goes with the page."""
    shown: list[Path] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: bool(shown.append(Path(url.toLocalFile()))) or True)

    async def work() -> None:
        async with opened(page):
            type_draft(page)
            await checked(page)
            page.session.actions.trigger("enforcement.preview")
            dialog: PreviewDialog = await dialog_of(page, PreviewDialog)
            assert STATEMENT in dialog.text.toPlainText()
            dialog.which.setCurrentIndex(1)
            assert dialog.text.toPlainText().startswith("To Training platform B")
            assert dialog.mark.state is Meaning.WARN, "it would be held"
            page.draft._papers.open(dialog._pdf)
            await until(lambda: shown, "the viewer")
            assert await asyncio.to_thread(shown[0].read_bytes) == b"%PDF-1.7 DRAFT"
            assert shown[0].stat().st_mode & 0o077 == 0
            dialog.reject()

    run(work())
    assert not shown[0].exists()


def test_platforms_are_ticked_by_keys(page: EnforcementPresenter, run: Run) -> None:
    """Space ticks, Enter takes; the strike goes to those alone, each with the channel that this law has there."""

    async def work() -> None:
        async with opened(page) as desk:
            type_draft(page)
            page.session.actions.trigger("enforcement.platforms")
            dialog: PlatformsDialog = await dialog_of(page, PlatformsDialog)
            assert "https, https://eu.training.example/notices" in dialog.list.item(0).text()
            QTest.keyClick(dialog.list, Qt.Key.Key_Space)
            QTest.keyClick(dialog.list, Qt.Key.Key_Down)
            QTest.keyClick(dialog.list, Qt.Key.Key_Down)
            QTest.keyClick(dialog.list, Qt.Key.Key_Space)
            QTest.keyClick(dialog.list, Qt.Key.Key_Return)
            assert page.draft.values.platforms == ("training-b", "training-c")
            await checked(page)
            assert desk.calls[-1][1].platforms == ["training-b", "training-c"]
            assert page.view.law.issue.text().strip() == "Issue to 2 platforms"

    run(work())


def test_without_a_platform_the_dialog_teaches_to_register_one(page: EnforcementPresenter, run: Run) -> None:
    """Nothing can be issued, and the button says why."""

    async def work() -> None:
        async with opened(page, StrikeDesk(platforms=[])):
            type_draft(page)
            assert page.view.draft.platforms.text() == "No platform is registered"
            assert not page.session.actions.is_enabled("enforcement.issue")
            page.session.actions.trigger("enforcement.platforms")
            dialog: PlatformsDialog = await dialog_of(page, PlatformsDialog)
            assert any("Register one" in one.text() for one in dialog.findChildren(QLabel))
            assert not dialog.take_.isEnabled()
            led: list[dict[str, str]] = []
            page.session.set_navigator(lambda _page, arguments: led.append(arguments))
            (register,) = [one for one in dialog.findChildren(QPushButton) if "Register" in one.text()]
            register.click()
            assert led == [{"section": "platforms"}]

    run(work())


def test_more_than_twenty_platforms_are_not_taken(page: EnforcementPresenter, run: Run) -> None:
    """The contract takes 20 in one strike; the dialog says so before the service has to."""
    desk = StrikeDesk(platforms=[platform("X", platform_id=f"p{at}", default=True) for at in range(21)])

    async def work() -> None:
        async with opened(page, desk):
            page.session.actions.trigger("enforcement.platforms")
            dialog: PlatformsDialog = await dialog_of(page, PlatformsDialog)
            assert not dialog.take_.isEnabled()
            assert "at most 20" in dialog.said.text()

    run(work())


# --- the board --------------------------------------------------------------------------------------------------------


def test_the_board_says_every_state_with_sign_and_word(page: EnforcementPresenter, run: Run) -> None:
    """The most urgent first; what became of the resolved ones in one line below."""

    async def work() -> None:
        async with opened(page):
            board = page.view.board
            assert [(row.state, row.word) for row in board.rows.rows][:4] == [
                (Meaning.BAD, "Expired"), (Meaning.WARN, "12 h left"), (Meaning.BAD, "Dead letter"),
                (Meaning.BAD, "Bounced"),
            ]  # fmt: skip
            assert board.count.word == "3 to act on"
            assert (board.open.text(), board.resolved.text()) == ("Open 12", "Resolved 3")
            assert (board.open.isChecked(), board.resolved.isChecked()) == (True, False)
            assert board.ends.text() == "3 resolved: 1 removed, 1 labelled, 1 withdrawn"
            QTest.mouseClick(board.open, Qt.MouseButton.LeftButton)
            assert board.open.isChecked(), "those that are listed stay"
            QTest.mouseClick(board.resolved, Qt.MouseButton.LeftButton)
            await until(lambda: len(board.rows.rows) == 3, "the resolved ones")
            assert (board.open.isChecked(), board.resolved.isChecked()) == (False, True)
            assert board.resolved.text() == "Resolved 3"
            assert not board.count.isVisible()
            assert [row.word for row in board.rows.rows] == ["Removed", "Labelled", "Withdrawn"]
            assert board.ends.isHidden()

    run(work())


def test_the_line_of_the_resolved_ones_lists_them(page: EnforcementPresenter, run: Run) -> None:
    """It is a fold, as other lines that stand for many; a press on it does as one on the switch."""

    async def work() -> None:
        async with opened(page):
            board = page.view.board
            assert isinstance(board.ends, FoldRow)
            QTest.mouseClick(board.ends, Qt.MouseButton.LeftButton)
            await until(board.resolved.isChecked, "the resolved ones")
            assert [row.word for row in board.rows.rows] == ["Removed", "Labelled", "Withdrawn"]
            assert not board.ends.isChecked(), "it stands for them again as they go"

    run(work())


def test_a_title_that_is_longer_than_its_row_has_two_lines(page: EnforcementPresenter, run: Run) -> None:
    """What a law asks for is read whole; short ones keep their row."""

    async def work() -> None:
        async with opened(page):
            elements = page.view.law.elements
            short = ShownElement("a", "The URL", "rule", True, "1 address")
            whole = replace(short, id="b", title="Good-faith belief that the use is not authorized by the owner " * 2)
            elements.show_elements((short, whole))
            QApplication.processEvents()
            rows = [elements.visualRect(elements.model().index(at, 0)).height() for at in (0, 1)]
            assert rows[1] > rows[0]

    run(work())


def test_a_board_without_anything_urgent_counts_nothing(page: EnforcementPresenter) -> None:
    """ "0 to act on" would be a red sign of nothing."""
    board = page.view.board
    board.show_rows([], "", resolved=False, whole=True)
    assert board.count.isHidden()


def test_an_empty_board_teaches(page: EnforcementPresenter, run: Run) -> None:
    """What would appear there, and how."""

    async def work() -> None:
        async with opened(page, StrikeDesk(open_rows=[], ended_rows=[])):
            assert page.view.board.stack.currentWidget() is page.view.board.nothing
            page.session.actions.trigger("enforcement.resolved")
            await until(lambda: page.view.board.stack.currentWidget() is page.view.board.no_end, "the other words")

    run(work())


@pytest.mark.parametrize("number", [3, 4, 7])
def test_what_is_held_or_failed_is_sent_after_a_question(page: EnforcementPresenter, run: Run, number: int) -> None:
    """F7 asks; the safe button has the focus; the other one sends that notice."""

    async def work() -> None:
        async with opened(page) as desk:
            choose_notice(page, number)
            page.session.actions.trigger("enforcement.step")
            dialog: ConfirmDialog = await dialog_of(page, ConfirmDialog)
            assert f"{TOKEN}.{number}" in dialog.accessibleName()
            dialog.do.click()
            await until(lambda: ("send", f"ntc_{number:032x}") in desk.calls, "the call")

    run(work())


def test_what_is_incomplete_is_not_released(page: EnforcementPresenter, run: Run) -> None:
    """Its next step is to supply what is missing, in the draft."""

    async def work() -> None:
        desk = StrikeDesk(strikes={TOKEN: awaiting()})
        async with opened(page, desk):
            choose_notice(page, 6)
            assert not page.session.actions.is_enabled("enforcement.send")
            page.session.actions.trigger("enforcement.step")
            await until(lambda: page.view.draft.title.text() == "Details", "the draft of the details")
            assert page.view.draft.addresses.hasFocus()

    run(work())


def test_a_click_on_the_button_in_a_row_is_its_next_step(page: EnforcementPresenter, run: Run, qtbot: Any) -> None:
    """A click elsewhere in the row only chooses it."""

    async def work() -> None:
        async with opened(page):
            table, rows = page.view.board.table, page.view.board.rows
            at = rows.row_of(f"ntc_{5:032x}")
            table.scrollTo(rows.index(at, 0))
            for column in (1, len(rows.columns) - 1):
                box = table.visualRect(rows.index(at, column))
                place = QPoint(box.right() - 24, box.center().y())
                qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
                if column == 1:
                    assert not page.view.window().findChildren(FormHelper)
            await dialog_of(page, FormHelper)

    run(work())


def test_the_form_helper_copies_by_keys(page: EnforcementPresenter, run: Run, application: QApplication) -> None:
    """Ctrl+1 to Ctrl+9 copy; without the confirmation number nothing is recorded; with it the notice is sent."""

    async def work() -> None:
        async with opened(page) as desk:
            choose_notice(page, 5)
            page.session.actions.trigger("enforcement.helper")
            form: FormHelper = await dialog_of(page, FormHelper)
            await until(form.isActiveWindow, "the window in front")
            QTest.keyClick(form, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
            assert QGuiApplication.clipboard().text() == "value 3"
            assert form.said.text() == "Field 3 is on the clipboard."
            form.save.click()
            assert form.error("reference")
            QTest.keyClicks(form.reference, "CN-77")
            QTest.keyClick(form.reference, Qt.Key.Key_Return)
            await until(lambda: desk.calls and desk.calls[-1][0] == "outcome", "the call")
            notice_id, body = desk.calls[-1][1]
            assert (notice_id, body.state, body.reference) == (f"ntc_{5:032x}", "sent", "CN-77")

    run(work())


@pytest.mark.parametrize("state", ["acknowledged", "actioned", "rejected", "countered"])
def test_an_outcome_is_recorded_with_what_was_done(page: EnforcementPresenter, run: Run, state: str) -> None:
    """Only of a platform that acted it is asked what it did."""

    async def work() -> None:
        async with opened(page) as desk:
            choose_notice(page, 9)
            page.session.actions.trigger("enforcement.outcome")
            form: OutcomeForm = await dialog_of(page, OutcomeForm)
            assert form.reference.text() == "B-118-402"
            form.state.setCurrentIndex(form.state.findData(state))
            assert form.decision.isVisible() is (state == "actioned")
            form.note.setPlainText("As they wrote")
            form.save.click()
            await until(lambda: desk.calls and desk.calls[-1][0] == "outcome", "the call")
            body = desk.calls[-1][1][1]
            decision = "DECISION_VISIBILITY_CONTENT_REMOVED" if state == "actioned" else None
            assert (body.state, body.decision, body.note) == (state, decision, "As they wrote")

    run(work())


def test_words_for_a_second_notice_lead_to_its_draft(page: EnforcementPresenter, run: Run) -> None:
    """The text is copied; the draft is filled in with the strike, but for the attestation."""

    async def work() -> None:
        async with opened(page):
            choose_notice(page, 1)
            page.session.actions.trigger("enforcement.step")
            dialog: TextDialog = await dialog_of(page, TextDialog)
            dialog.copy()
            assert "We have no answer from you." in QGuiApplication.clipboard().text()
            (begin,) = [one for one in dialog.findChildren(type(dialog.close_)) if "second" in one.text()]
            begin.click()
            await until(lambda: page.view.draft.signature.text() == "scan_5c1f", "the draft")
            assert not page.draft.values.attested
            assert page.view.section == "draft"

    run(work())


# --- one strike -------------------------------------------------------------------------------------------------------


def test_enter_on_a_notice_shows_its_strike_with_history(page: EnforcementPresenter, run: Run) -> None:
    """Every change with its leaf, the newest first; Alt+1 goes back to the draft."""

    async def work() -> None:
        async with opened(page):
            choose_notice(page, 9)
            QTest.keyClick(page.view.board.table, Qt.Key.Key_Return)
            await until(lambda: page.strike.strike is not None, "the strike")
            view = page.view.strike
            assert page.view.section == "strike"
            assert [row.event.leaf for row in view.history.rows] == [412, 412, 411, 411]
            shown = [
                column.title
                for at, column in enumerate(view.history.columns)
                if not view.history_table.isColumnHidden(at)
            ]
            assert shown[:2] == ["AT (UTC)", "NO."], "which notice a line is of stands at the size of the design"
            assert view.state.word == "Dispatched, waits"
            assert "harbour-house.jpg" in view.facts.values["evidence"].text()
            page.session.actions.trigger("enforcement.draft")
            assert page.view.section == "draft"
            assert page.view.draft.law.hasFocus()

    run(work())


@pytest.mark.parametrize(
    ("action", "content"), [("enforcement.bundle", b"PK bundle of "), ("enforcement.declaration", b"%PDF-1.7 ")]
)
def test_bundle_and_declaration_are_saved_by_one_key(
    page: EnforcementPresenter, run: Run, tmp_path: Path, action: str, content: bytes
) -> None:
    """Of the strike of the notice under the cursor, without opening it."""

    async def work() -> None:
        async with opened(page):
            choose_notice(page, 9)
            assert page.session.actions.trigger(action)
            dialog: FileDialog = await dialog_of(page, FileDialog)
            path = tmp_path / "saved"
            dialog.select_file(str(path))
            dialog.take()
            found = tmp_path / f"saved{dialog.suffix and '.' + dialog.suffix}"
            await until(lambda: found.exists() or path.exists(), "the file")
            kept = found if found.exists() else path
            assert await asyncio.to_thread(kept.read_bytes) == content + TOKEN.encode()

    run(work())


def test_details_are_supplied_in_the_draft(page: EnforcementPresenter, run: Run) -> None:
    """It is filled with what the strike has; law and signature stay; the supplement goes to that strike."""

    async def work() -> None:
        desk = StrikeDesk(strikes={TOKEN: awaiting()})
        async with opened(page, desk, strike=TOKEN.lower()):
            await until(lambda: page.strike.strike is not None, "the strike")
            assert "Exact addresses" in page.view.strike.note.words[1]
            page.session.actions.trigger("enforcement.supply")
            view = page.view.draft
            assert not view.signature.isEnabled()
            assert page.view.law.issue.text().strip() == "Supply the details"
            view.addresses.setPlainText("https://a.training.example/v/88121")
            QTest.keyClicks(view.typed, "Training Person 33")
            await until(lambda: page.session.actions.is_enabled("enforcement.issue"), "the whole draft")
            page.session.actions.trigger("enforcement.issue")
            await until(lambda: page.view.section == "strike", "the strike")
            token, details = next(what for name, what in desk.calls if name == "supply")
            assert token == TOKEN
            assert details.content_urls == ["https://a.training.example/v/88121"]
            assert details.declarant.attested
            assert view.signature.isEnabled()
            assert view.title.text() == "Draft"

    run(work())


def test_what_a_takedown_lacks_is_supplied_after_the_declaration_left(page: EnforcementPresenter, run: Run) -> None:
    """What was sent stands there and cannot be changed; what is added goes to the service, with the attestation."""

    async def work() -> None:
        async with opened(page, StrikeDesk(strikes={TOKEN: half_sent()}), strike=TOKEN.lower()) as desk:
            await until(lambda: page.strike.strike is not None, "the strike")
            assert page.view.strike.note.words[1].startswith("Takedown notices wait until this is supplied")
            page.session.actions.trigger("enforcement.supply")
            view = page.view.draft
            assert view.note.text() == f"{TOKEN}: add what it lacks"
            assert not page.view.law.dispatch.isEnabled()
            sent = ("/platforms", "/content_urls", "/statement", "/declarant/name", "/declarant/capacity")
            assert not any(view.fields[pointer].isEnabled() for pointer in sent)
            assert not page.session.actions.is_enabled("enforcement.platforms")
            for pointer, text in (("/work/title", "A training recording"), ("/work/owner", "Training Person 33")):
                QTest.keyClicks(view.fields[pointer], text)
            QTest.keyClicks(view.typed, "Training Person 33")
            await until(lambda: page.session.actions.is_enabled("enforcement.issue"), "the whole draft")
            page.session.actions.trigger("enforcement.issue")
            await until(lambda: page.view.section == "strike", "the strike")
            _, details = next(what for name, what in desk.calls if name == "supply")
            assert (details.platforms, details.content_urls, details.statement) == (None, None, None)
            assert (details.work.title, details.declarant.name) == ("A training recording", "Training Person 33")
            assert details.declarant.attested
            assert all(view.fields[pointer].isEnabled() for pointer in sent)

    run(work())


def test_the_question_before_issuing_says_what_leaves(page: EnforcementPresenter, run: Run) -> None:
    """Where the takedown notice alone lacks something the declaration leaves, and the question does not deny it."""

    async def work() -> None:
        desk = StrikeDesk(takedown_lacks=[missing("work", "/work")])
        async with opened(page, desk):
            type_draft(page)
            await checked(page)
            page.session.actions.trigger("enforcement.issue")
            dialog: ConfirmDialog = await dialog_of(page, ConfirmDialog)
            said = " ".join(one.text() for one in dialog.findChildren(QLabel))
            assert "nothing leaves before they are supplied" in said
            dialog.reject()
            QTest.keyClicks(page.view.draft.typed, "Training Person 33")
            await checked(page)
            page.session.actions.trigger("enforcement.issue")
            dialog = await dialog_of(page, ConfirmDialog)
            said = " ".join(one.text() for one in dialog.findChildren(QLabel))
            assert "the declaration leaves, and the takedown notices wait until they are supplied" in said
            assert dialog.do.text() == "Issue it"
            dialog.reject()

    run(work())


def test_a_strike_is_withdrawn_with_a_reason(page: EnforcementPresenter, run: Run) -> None:
    """Without one nothing is sent; the form says what has not left."""

    async def work() -> None:
        desk = StrikeDesk(strikes={TOKEN: awaiting()})
        async with opened(page, desk):
            choose_notice(page, 9)
            await until(lambda: page.strike.strike is not None, "the strike")
            page.session.actions.trigger("enforcement.withdraw")
            form: WithdrawStrikeForm = await dialog_of(page, WithdrawStrikeForm)
            form.save.click()
            assert form.error("reason")
            assert any("1 of its notices have not left" in one.text() for one in form.findChildren(QLabel))
            form.reason.setPlainText("The content is gone.")
            form.save.click()
            await until(lambda: any(name == "withdraw" for name, _ in desk.calls), "the call")
            assert next(what for name, what in desk.calls if name == "withdraw")[1].reason == "The content is gone."
            await until(lambda: page.view.strike.state.word == "Withdrawn", "the state")
            assert not page.session.actions.is_enabled("enforcement.withdraw")

    run(work())


def test_an_unknown_tracking_token_is_told(page: EnforcementPresenter, run: Run) -> None:
    """Typed into the board's head; the head of the page says that there is none."""

    async def refuse(_token: str) -> None:
        raise ApiError(status=404, code="not_found", detail="No such strike.", request_id="r", errors=[])

    async def work() -> None:
        async with opened(page) as desk:
            desk.enforcement_get = refuse  # type: ignore[method-assign,assignment]
            QTest.keyClicks(page.view.board.token, "ARC-ST-NONE")
            QTest.keyClick(page.view.board.token, Qt.Key.Key_Return)
            await until(lambda: "no strike of this site" in page.view.banner.text, "the banner")

    run(work())


def test_a_sovereign_key_sees_none_of_it(page: EnforcementPresenter, run: Run) -> None:
    """The page says so, and nothing can be done."""

    async def work() -> None:
        async with opened(page, clearance="sovereign") as desk:
            await until(lambda: page.view.board.count.word == "Closed", "the words")
            assert page.view.board.stack.currentWidget() is page.view.board.closed
            assert not page.view.draft.isEnabled()
            changing = [one.id for one in page.actions() if page.session.actions.is_enabled(one.id)]
            assert set(changing) <= {f"enforcement.{one}" for one in ("draft", "elements", "board", "strike", "attest")}
            assert desk.calls == []

    run(work())


def test_a_board_that_cannot_be_read_says_so(page: EnforcementPresenter, run: Run) -> None:
    """It does not go on saying that it reads."""

    async def refuse(**_query: Any) -> None:
        raise ApiError(status=503, code="dependency_unavailable", detail="No store.", request_id="r", errors=[])

    async def work() -> None:
        desk = StrikeDesk()
        desk.enforcement_notices = refuse  # type: ignore[method-assign,assignment]
        page.session.attach(desk, "http://127.0.0.1:1", "citadel")  # type: ignore[arg-type]
        page.enter({})
        try:
            await until(lambda: "No store" in page.view.banner.text, "the banner")
            labels = [one.text() for one in page.view.board.waits.findChildren(QLabel)]
            assert "The notices cannot be read." in labels
        finally:
            await page.close()
            page.session.detach("the test ends")

    run(work())


# --- alarms -----------------------------------------------------------------------------------------------------------


def alarm(kind: str, ref: str) -> Alarm:
    """An open alarm of that kind."""
    return Alarm(alarm_id="alm_1", kind=kind, since=at(-1), node_id=None, ref=ref, text="It is about a notice.")


@pytest.mark.parametrize(
    ("kind", "state"),
    [("strike.deadline", Meaning.WARN), ("strike.follow_up", Meaning.WARN), ("strike.expired", Meaning.BAD),
     ("notice.undelivered", Meaning.BAD)],
)  # fmt: skip
def test_an_alarm_of_a_notice_leads_to_the_page(kind: str, state: Meaning) -> None:
    """From "Needs you" of the dashboard, with the strike that it is about."""
    (row,) = attention_rows([alarm(kind, "str_" + "0" * 20)], [], [], {})
    assert (row.page, row.state) == ("enforcement", state)
    assert dict(row.arguments) == ({} if kind == "notice.undelivered" else {"strike_id": "str_" + "0" * 20})


def test_the_strike_of_an_alarm_is_under_the_cursor(page: EnforcementPresenter, run: Run) -> None:
    """The board goes to its first notice, and F7 is that notice's next step."""
    desk = StrikeDesk()
    other = notice(77, platform_name="Another platform")

    async def work() -> None:
        desk.others = [NoticeRow(strike_id="str_other", tracking_token="ARC-ST-" + "8" * 32,
                                 enforcement_jurisdiction="US", created_at=at(-9), notice=other)]  # fmt: skip
        async with opened(page, desk, strike_id="str_other"):
            await until(lambda: page.board.row is not None, "the cursor")
            assert page.board.row is not None
            assert page.board.row.notice.notice_id == other.notice_id
            assert page.strike.token == "ARC-ST-" + "8" * 32

    run(work())


def test_what_is_on_its_way_is_looked_at_again_soon(page: EnforcementPresenter, run: Run) -> None:
    """Not after the usual interval: a second later the board has it."""

    async def work() -> None:
        desk = StrikeDesk(open_rows=[notice(1, state="sending", sent_at=None, follow_up_at=None)], ended_rows=[])
        async with opened(page, desk):
            assert page.view.board.rows.rows[0].word == "Sending"
            desk.open_rows = [notice(1)]

            def has_changed() -> bool:
                page.board.paint()
                return page.view.board.rows.rows[0].word == "Sent, waits"

            await until(has_changed, "the next state")

    run(work())


def test_a_board_that_nothing_refreshes_says_so(
    page: EnforcementPresenter, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rows stay, marked as of when they are: a service that is silent leaves no clock that seems to run."""

    async def work() -> None:
        async with opened(page):
            board = page.view.board
            assert board.mark.isHidden()
            monkeypatch.setattr(page.board.fresh, "age_s", lambda: 100.0)
            monkeypatch.setattr(page.board.fresh, "_asked", None)
            page.board.paint()
            assert not board.mark.isHidden()
            assert board.mark.word.startswith("STALE since ")
            assert board.rows.rows

    run(work())
