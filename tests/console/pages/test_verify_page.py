"""The Verify page against a real training service: decisions by terminal, enrolment, terminals and registries."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from joserfc.jwk import ECKey, OKPKey
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from app.capabilities.burn.messages import BurnBody, ContainmentBody
from app.capabilities.gateway.audit.messages import AuditQuery
from app.console import growing
from app.console.connection.client import ConsoleClient
from app.console.file_dialog import FileDialog
from app.console.moments import api_time
from app.console.pages import verify
from app.console.pages.verify.enrolment import EnrolmentTab
from app.console.pages.verify.known import YEAR_S, Known
from app.console.pages.verify.palm import PalmTab
from app.console.pages.verify.presenter import VerifyPresenter
from app.console.pages.verify.roi import cut, read_palm
from app.console.pages.verify.terminal_form import RegistryForm, TakenForm, TerminalForm
from app.console.pages.verify.terminals import TerminalsTab
from app.console.pages.verify.terminals_view import bundle_state, bundle_words
from app.console.part import Part
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.choice import Choice
from app.console.widgets.confirm import ConfirmDialog
from app.registry.messages.jwk import OkpJwk
from app.registry.messages.nodes import NodeBody
from app.registry.messages.terminals import TerminalBody
from app.training.messages import SOFTWARE_TERMINALS, TrainingEnrolBody, TrainingPalmBody
from hardware.terminals.bundle import OPEN_WITHIN_S
from hardware.terminals.software import SoftwareTerminal
from tests.console.built import built
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect, dialog_of, on_screen
from tests.console.pages.palm_pictures import VALLEYS, drawn, placed, saved

NODE, STRANGER = "ARC-T0031", "ARC-T0032"
"""One is enrolled by these tests, the other never."""
WHERE = placed()
"""How the hand lies in every picture: the marks' first places are a little beside its valleys."""


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> VerifyPresenter:
    """The page at the size of the design, its actions in the table."""
    presenter = built(verify, session)
    on_screen(presenter, "verify", session, qtbot)
    # Without a window manager nobody gives a window the keys when it appears.
    presenter.view.activateWindow()
    return presenter


@asynccontextmanager
async def opened(page: VerifyPresenter, connect: Connect, **arguments: str) -> AsyncIterator[tuple[PalmTab, Any]]:
    """The palm tab after its first reading."""
    tab = page.tabs["palm"]
    assert isinstance(tab, PalmTab)
    async with connect(page) as client:
        page.enter({"section": "palm", **arguments})
        await until(lambda: len(tab.view.place_rows.rows) == 3, "the terminals")
        yield tab, client


@asynccontextmanager
async def enrolling(page: VerifyPresenter, connect: Connect, node_id: str) -> AsyncIterator[tuple[EnrolmentTab, Any]]:
    """The enrolment tab with that person, looked up."""
    tab = page.tabs["enrolment"]
    assert isinstance(tab, EnrolmentTab)
    async with connect(page) as client:
        page.enter({"section": "enrolment", "node_id": node_id})
        await until(lambda: tab._known is not None and tab._known.node.node_id == node_id, "the person")
        yield tab, client


@asynccontextmanager
async def registered(page: VerifyPresenter, connect: Connect) -> AsyncIterator[tuple[TerminalsTab, Any]]:
    """The terminals tab after its first reading."""
    tab = page.tabs["terminals"]
    assert isinstance(tab, TerminalsTab)
    async with connect(page) as client:
        page.enter({"section": "terminals"})
        await until(lambda: tab.view.registry_rows.rows, "the registries")
        yield tab, client


async def laid(client: ConsoleClient, node_id: str, terminal_id: str = "palm-lobby", **values: str) -> str:
    """The decision of a drawn palm on a terminal, by its id."""
    body = TrainingPalmBody(terminal_id=terminal_id, node_id=node_id, **values)
    return (await client.training_palms_lay(body)).decision_id


def test_nobody_yet_teaches_the_first_palm(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """The terminals stand there before the first decision, and the next step is a button with its key."""

    async def work() -> None:
        async with opened(page, connect) as (tab, _):
            assert tab.view.stack.currentWidget() is tab.view.empty
            assert next(row.name for row in tab.view.place_rows.rows) == "All terminals"
            assert page.session.actions.is_enabled("verify.lay")
            assert not page.session.actions.is_enabled("verify.audit")
            page.session.actions.trigger("verify.lay")
            await until(tab.view.person.hasFocus, "the field")

    run(work())


def test_a_drawn_palm_is_laid_by_keys_and_decided_live(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """Person, terminal, intent, Ctrl+Enter: the decision comes by the stream, with all that may be said of it."""

    async def work() -> None:
        async with opened(page, connect) as (tab, client):
            await client.training_palms_enrol(TrainingEnrolBody(terminal_id="palm-lobby", node_id=NODE))
            view = tab.view
            view.person.choose(Choice(NODE, "Training Person 31", NODE))
            view.intent.setFocus()
            QTest.keyClicks(view.intent, "Approve")
            decision = None
            for _ in range(TRIES):
                await until(lambda: page.session.actions.is_enabled("verify.lay"), "the terminal")
                assert page.session.actions.trigger("verify.lay")
                await until(lambda before=decision: tab.decision not in (None, before), "the decision")
                decision = tab.decision
                if decision is not None and decision.matched:
                    break
            assert decision is not None
            assert (decision.matched, decision.node_id, decision.intent) == (True, NODE, "PAYMENT_APPROVE")
            assert view.verdict.word == "Match"
            assert "Card or PIN" in view.facts.values["factor"].text()
            assert float(view.facts.values["confidence"].text()) > 0.5
            assert "card or PIN" in view.words.text()

    run(work())


def test_why_nobody_matched_is_not_told(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """A stranger and a contained person look alike here; the audit log alone has the cause, one key away."""

    async def work() -> None:
        async with opened(page, connect) as (tab, client):
            wanted = await laid(client, STRANGER)
            tab._chosen = wanted
            await until(lambda: tab.decision is not None and tab.decision.decision_id == wanted, "the decision")
            view = tab.view
            assert (view.verdict.word, view.facts.values["confidence"].text()) == ("No match", "0.0000")
            shown = " ".join(label.text() for label in view.facts.values.values()) + view.words.text()
            causes = ("below_floor", "among_the_others", "two_alike", "liveness", "nobody", "floor")
            assert not [cause for cause in causes if cause in shown]
            asked: list[tuple[str, dict[str, str]]] = []
            page.session.set_navigator(lambda name, arguments: asked.append((name, arguments)))
            page.session.actions.trigger("verify.audit")
            assert asked == [("audit", {"text": wanted})]
            query = AuditQuery(range="P1D/" + api_time(page.session.live.now() + 60), criteria=wanted)
            (leaf,) = (await client.gateway_audit_log_query(query)).entries
            assert leaf.detail["cause"] in causes

    run(work())


def test_a_strict_rate_is_called_extrapolated(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """Below what was measured the word stands there, with the bound of the rule of three."""

    async def work() -> None:
        async with opened(page, connect) as (tab, client):
            for number in (33, 34):
                body = TrainingEnrolBody(terminal_id="palm-lobby", node_id=f"ARC-T00{number}")
                await client.training_palms_enrol(body)
            wanted = await laid(client, "ARC-T0033", intent="LOGIN")
            tab._chosen = wanted
            await until(lambda: tab.decision is not None and tab.decision.decision_id == wanted, "the decision")
            assert tab.decision is not None
            assert tab.decision.extrapolated
            assert "extrapolated" in tab.view.facts.values["rate"].text().replace("\u200b", "")
            assert "0 of 660 searches, so in fewer than 0.45 %" in tab.view.sure.text()

    run(work())


def test_decisions_are_narrowed_to_one_terminal(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """The cursor on a terminal shows that terminal's alone; a move of it is a key."""

    async def work() -> None:
        async with opened(page, connect) as (tab, client):
            lobby, vault = await laid(client, STRANGER), await laid(client, STRANGER, "palm-vault")
            view = tab.view

            def ids() -> set[str]:
                return {row.decision_id for row in view.rows.rows}

            await until(lambda: {lobby, vault} <= ids(), "both decisions")
            view.place_table.setFocus()
            for _ in ("palm-lobby", "palm-vault"):
                QTest.keyClick(view.place_table, Qt.Key.Key_Down)
            assert {row.terminal for row in view.rows.rows} == {"palm-vault"}
            assert vault in ids()
            assert lobby not in ids()

    run(work())


# --- enrolment -------------------------------------------------------------------------------------------------------


def key(tab: Part, action: str) -> None:
    """Run an action as its key does; it must be possible."""
    assert tab.session.actions.trigger(action), action


async def marked(tab: EnrolmentTab, paths: Sequence[Path]) -> None:
    """Each of these pictures marked by keys and taken by Enter."""
    marker, kept = tab.view.marker, len(tab.samples.kept)
    tab.take_files(paths)
    for number in range(1, len(paths) + 1):
        await until(lambda: marker.image is not None, "the picture")
        for valley in VALLEYS:
            _to(marker, WHERE.map(valley))
            QTest.keyClick(marker, Qt.Key.Key_Tab)
        assert marker.trouble == ""
        QTest.keyClick(marker, Qt.Key.Key_Return)
        await until(lambda number=number: len(tab.samples.kept) == kept + number, f"sample {number}")


def _to(marker: Any, wanted: QPointF) -> None:
    """The active mark to that pixel, by arrows."""
    far = Qt.KeyboardModifier.ShiftModifier
    for key_less, key_more, part in (
        (Qt.Key.Key_Left, Qt.Key.Key_Right, QPointF.x),
        (Qt.Key.Key_Up, Qt.Key.Key_Down, QPointF.y),
    ):
        while abs(left := (part(wanted) - part(marker.marks[marker.active])) * marker._scale()) > 0.75:
            modifier = far if abs(left) >= 10 else Qt.KeyboardModifier.NoModifier
            QTest.keyClick(marker, key_more if left > 0 else key_less, modifier)


TRIES = 3
"""One drawn hand in a thousand lies so that it is not matched: it is laid down again, as any is."""


async def verdict(client: ConsoleClient, node_id: str) -> bool:
    """Whether that person's palm is matched at a terminal now."""
    body = TrainingPalmBody(terminal_id="palm-vault", node_id=node_id)
    for _ in range(TRIES):
        if (await client.training_palms_lay(body)).node_id == node_id:
            return True
    return False


async def ended(tab: EnrolmentTab) -> None:
    """The outcome of what was asked for."""
    await until(lambda: not tab._busy and tab.view.verdict.word != "…", "the outcome")


def told(tab: EnrolmentTab) -> list[str]:
    """What the toasts say from now on."""
    said: list[str] = []
    tab.session.toast.connect(lambda text, _kind, _reference: said.append(text))
    return said


def states(tab: EnrolmentTab) -> list[str]:
    """The state of every place."""
    return [row.state for row in tab.samples.rows]


def test_pictures_enrol_the_hand_that_a_terminal_sees(
    page: VerifyPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """Marked by arrows, Tab and Enter alone: the square is the sensor's, and the palm matches at a terminal."""
    node_id = "ARC-T0021"
    paths = saved(tmp_path, node_id, 5, WHERE)

    async def work() -> None:
        async with enrolling(page, connect, node_id) as (tab, client):
            view = tab.view
            assert (view.state.word, view.note.text()) == ("Not enrolled", "")
            assert not tab.session.actions.is_enabled("verify.enrol")
            await marked(tab, paths)
            assert view.progress.text() == "5 of 5 samples."
            key(tab, "verify.enrol")
            await ended(tab)
            assert (view.verdict.state, view.verdict.word) == (Meaning.OK, "Enrolled")
            assert tab.samples.kept == []
            await until(lambda: view.state.word == "Palm enrolled", "the person's state")
            assert view.facts.values["samples"].text().startswith("5, likeness ")
            assert await verdict(client, node_id)

    run(work())


def test_who_was_enrolled_years_ago_is_enrolled(
    page: VerifyPresenter, connect: Connect, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What counts is what is kept: the log is asked for the moment of the enrolment, whenever that was."""
    node_id = "ARC-T0038"

    async def work() -> None:
        async with enrolling(page, connect, node_id) as (tab, client):
            now = page.session.live.now
            monkeypatch.setattr(page.session.live, "now", lambda: now() + 3 * YEAR_S)
            await client.training_palms_enrol(TrainingEnrolBody(terminal_id="palm-lobby", node_id=node_id))
            tab.read_now()
            await until(lambda: tab.view.state.word == "Palm enrolled", "the enrolment")
            assert tab.view.facts.values["samples"].text().startswith("5, likeness ")
            assert tab.view.facts.values["registry"].text() == "default"

    run(work())


def test_a_picture_of_another_hand_is_told_and_taken_again(
    page: VerifyPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """One of five is a stranger's: it was not used and its place waits; the others stay for the next try."""
    node_id = "ARC-T0022"
    own, other = saved(tmp_path, node_id, 5, WHERE), saved(tmp_path, "ARC-T0029", 1, WHERE)

    async def work() -> None:
        async with enrolling(page, connect, node_id) as (tab, _):
            await marked(tab, [*own[:2], *other, *own[2:4]])
            key(tab, "verify.enrol")
            await ended(tab)
            assert states(tab) == ["used", "used", "unlike", "used", "used"]
            assert tab.view.verdict.state is Meaning.WARN
            await marked(tab, own[4:])
            key(tab, "verify.enrol")
            await ended(tab)
            assert (tab.view.verdict.state, states(tab)) == (Meaning.OK, ["used"] * 5)

    run(work())


def test_too_few_of_one_hand_are_marked_one_by_one(
    page: VerifyPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """Three samples, two of them of others: nothing is enrolled, and exactly those two are to be taken again."""
    hands = [saved(tmp_path, node_id, 1, WHERE)[0] for node_id in ("ARC-T0023", "ARC-T0028", "ARC-T0029")]

    async def work() -> None:
        async with enrolling(page, connect, "ARC-T0023") as (tab, _):
            await marked(tab, hands)
            key(tab, "verify.enrol")
            await ended(tab)
            assert tab.view.verdict.word == "Not enrolled"
            assert states(tab) == ["taken", "unlike", "unlike", "missing", "missing"]
            tab.view.table.selectRow(0)
            key(tab, "verify.enrol_drop")
            assert tab.samples.kept == []

    run(work())


def test_who_is_somebody_else_already_raises_the_alarm(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """Not enrolled; the alarm with what to do, one key to the other person."""
    first, second = "ARC-T0024", "ARC-T0025"

    async def work() -> None:
        async with enrolling(page, connect, first) as (tab, _):
            key(tab, "verify.enrol_terminal")
            await ended(tab)
            assert tab.view.verdict.word == "Enrolled"
            await tab._take_person(second)
            await until(lambda: tab._known is not None and tab._known.node.node_id == second, "the second")
            await _enrol_hand_of(tab, first)
            await ended(tab)
            assert (tab.view.verdict.state, tab.view.verdict.word) == (Meaning.CRIT, "Alarm")
            await until(lambda: "that ends the alarm" in tab.view.said.text(), "what to do")
            assert first in tab.view.said.text()
            key(tab, "verify.enrol_other")
            await until(lambda: tab._known is not None and tab._known.node.node_id == first, "the other person")
            assert tab.view.state.word == "Palm enrolled"

    async def _enrol_hand_of(tab: EnrolmentTab, node_id: str) -> None:
        for shot in range(1, 4):
            tab.samples.take(f"shot {shot}", _square(node_id, shot))
        tab._show_samples()
        key(tab, "verify.enrol")

    run(work())


def _square(node_id: str, shot: int) -> bytearray:
    return bytearray(drawn(node_id, shot).constBits())


def test_erasing_asks_and_the_palm_is_matched_no_more(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """The dialog begins on the safe button; agreed to, the next palm is nobody's, and the page says since when."""
    node_id = "ARC-T0026"

    async def work() -> None:
        async with enrolling(page, connect, node_id) as (tab, client):
            key(tab, "verify.enrol_terminal")
            await ended(tab)
            assert await verdict(client, node_id)
            key(tab, "verify.erase")
            dialog: ConfirmDialog = await dialog_of(tab, ConfirmDialog)
            assert not dialog.do.hasFocus()
            assert "until that bundle ends (not_after)" in dialog.accessibleName()
            dialog.do.click()
            await until(lambda: tab.view.verdict.word == "Erased", "the erasure")
            assert not await verdict(client, node_id)
            await until(lambda: tab.view.state.word == "Erased", "the state")

    run(work())


@pytest.mark.parametrize("leaves", ["tab", "person"])
def test_what_was_not_sent_is_overwritten(
    page: VerifyPresenter, connect: Connect, run: Run, tmp_path: Path, leaves: str
) -> None:
    """Another tab, another person: squares and picture are zeros, and a toast says so."""
    away: dict[str, Callable[[EnrolmentTab], object]] = {
        "tab": lambda _tab: page.show_section("palm"),
        "person": lambda tab: tab.view.person.choose(Choice("ARC-T0030", "Training Person 30")),
    }

    async def work() -> None:
        async with enrolling(page, connect, "ARC-T0027") as (tab, _):
            said = told(tab)
            square = _square("ARC-T0027", 1)
            tab.samples.take("shot", square)
            tab.take_files(saved(tmp_path, "ARC-T0027", 1, WHERE))
            await until(lambda: tab.view.marker.image is not None, "the picture")
            image = tab.view.marker.image
            assert image is not None
            away[leaves](tab)
            await until(lambda: said, "the toast")
            assert not any(square)
            assert tab.view.marker.image is None
            assert "overwritten" in said[0]

    run(work())


def blank(image: QImage) -> bool:
    """Whether every pixel is zero (rows are padded, and what lies there is nobody's)."""
    rows = memoryview(image.constBits())
    wide, step = image.width(), image.bytesPerLine()
    return not any(any(rows[at * step : at * step + wide]) for at in range(image.height()))


def test_a_picture_that_comes_too_late_is_overwritten(
    page: VerifyPresenter, connect: Connect, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read while another tab was opened: it is zeros, and no tab shows it."""
    go, read = threading.Event(), []

    def slow(path: Path) -> QImage:
        go.wait()
        read.append(read_palm(path))
        return read[0]

    monkeypatch.setattr("app.console.pages.verify.enrolment.read_palm", slow)

    async def work() -> None:
        async with enrolling(page, connect, "ARC-T0027") as (tab, _):
            tab.take_files(saved(tmp_path, "ARC-T0027", 1, WHERE))
            begun = tab._round
            page.show_section("palm")
            await until(lambda: tab._round > begun, "the tab that was left")
            go.set()
            await until(lambda: read and blank(read[0]), "zeros")
            assert tab.view.marker.image is None

    run(work())


def test_nobody_gets_what_was_taken_before_who_was_chosen(
    page: VerifyPresenter, connect: Connect, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No picture is opened for nobody; a square that is there nevertheless goes when somebody is chosen, and again when
    somebody else is, though no look-up was ever answered."""

    async def away(_session: WindowSession, _node_id: str) -> Known:
        raise TimeoutError

    monkeypatch.setattr("app.console.pages.verify.enrolment.look_up", away)

    async def work() -> None:
        tab = page.tabs["enrolment"]
        assert isinstance(tab, EnrolmentTab)
        async with connect(page):
            page.enter({"section": "enrolment"})
            await until(tab.view.terminal.count, "the terminals")
            assert not page.session.actions.is_enabled("verify.enrol_files")
            for chosen in ("ARC-T0027", "ARC-T0030"):
                square = _square("ARC-T0029", 1)
                tab.samples.take("shot", square)
                tab.view.person.choose(Choice(chosen, chosen))
                assert (tab.samples.kept, any(square), tab._known) == ([], False, None)
                assert page.session.actions.is_enabled("verify.enrol_files")

    run(work())


def test_a_square_that_comes_too_late_is_overwritten(
    page: VerifyPresenter, connect: Connect, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut while somebody else was chosen: it is zeros, and no sample of either."""
    go, made = threading.Event(), []

    def slow(image: QImage, first: QPointF, second: QPointF, **finest: int) -> bytearray:
        square = cut(image, first, second, **finest)
        if not finest:
            made.append(square)
            go.wait()
        return square

    monkeypatch.setattr("app.console.pages.verify.enrolment.cut", slow)

    async def work() -> None:
        async with enrolling(page, connect, "ARC-T0027") as (tab, _):
            tab.take_files(saved(tmp_path, "ARC-T0027", 1, WHERE))
            await until(lambda: tab.view.marker.image is not None, "the picture")
            key(tab, "verify.enrol_take")
            await until(lambda: made and any(made[0]), "the square")
            tab.view.person.choose(Choice("ARC-T0030", "Training Person 30"))
            go.set()
            await until(lambda: not tab._taking and not any(made[0]), "zeros")
            assert tab.samples.kept == []

    run(work())


def test_who_is_contained_is_not_enrolled_and_software_alone_captures(
    page: VerifyPresenter, connect: Connect, run: Run
) -> None:
    """The reason stands there in words, and erasing stays possible; a scanner lays no drawn palms."""
    node_id = "ARC-T0036"
    scanner = TerminalBody(
        kind="palm", public_key=OkpJwk(crv="Ed25519", x="11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
    )

    async def work() -> None:
        async with enrolling(page, connect, node_id) as (tab, client):
            view, actions = tab.view, page.session.actions
            assert actions.is_enabled("verify.enrol_terminal")
            await client.registry_put_terminal("palm-east", scanner)
            held = await client.containments_contain(ContainmentBody(node_id=node_id))
            tab.read_now()
            await until(lambda: view.note.text().startswith("Contained: the service enrols nothing"), "the reason")
            for shot in range(1, 4):
                tab.samples.take(f"shot {shot}", _square(node_id, shot))
            actions.refresh()
            assert not actions.is_enabled("verify.enrol_terminal")
            assert not actions.is_enabled("verify.enrol")
            assert actions.is_enabled("verify.erase")
            assert tuple(view.terminal.itemText(at) for at in range(view.terminal.count())) == SOFTWARE_TERMINALS
            await client.containments_release(held.containment_id)
            await client.registry_delete_terminal("palm-east")
            tab.read_now()
            await until(lambda: actions.is_enabled("verify.enrol"), "the release")

    run(work())


def test_a_file_that_is_no_picture_is_told_and_the_next_opens(
    page: VerifyPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """One bad file stops nothing."""
    bad = tmp_path / "letter.png"
    bad.write_bytes(b"\x89PNG\r\n\x1a\nDear Sir")
    good = saved(tmp_path, "ARC-T0027", 1, WHERE)

    async def work() -> None:
        async with enrolling(page, connect, "ARC-T0027") as (tab, _):
            said = told(tab)
            tab.take_files([bad, *good])
            await until(lambda: tab.view.marker.image is not None, "the good picture")
            assert said[0].startswith("letter.png is no picture of a palm. ")

    run(work())


# --- terminals and registries ----------------------------------------------------------------------------------------


def test_a_terminal_is_added_changed_and_deleted(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """By its public key; a private one that was pasted is refused at the field and goes nowhere."""
    public = '{"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}'

    async def work() -> None:
        async with registered(page, connect) as (tab, client):
            key(tab, "verify.terminal_new")
            form: TerminalForm = await dialog_of(tab, TerminalForm)
            form.terminal_id.setText("palm-north")
            form.public_key.setPlainText(public.replace("}", ', "d": "AAAA"}'))
            QTest.keyClick(form.name, Qt.Key.Key_Return)
            assert form.error("public_key").endswith("Never a private one.")
            form.public_key.setPlainText(public)
            form.liveness.setText("40")
            QTest.keyClick(form.name, Qt.Key.Key_Return)
            view = tab.view
            await until(lambda: view.terminal is not None and view.terminal.terminal_id == "palm-north", "the terminal")
            key(tab, "verify.terminal_change")
            form = await dialog_of(tab, TerminalForm)
            assert (form.liveness.text(), "Ed25519" in form.public_key.toPlainText()) == ("40", True)
            form.name.setText("North entrance")
            QTest.keyClick(form.name, Qt.Key.Key_Return)
            await until(lambda: any(row.display_name == "North entrance" for row in view.rows.rows), "the name")
            assert (await client.registry_get_terminal("palm-north")).liveness_min == 40
            key(tab, "verify.terminal_delete")
            dialog: ConfirmDialog = await dialog_of(tab, ConfirmDialog)
            dialog.do.click()
            await until(lambda: view.rows.row_of("palm-north") < 0, "the deletion")

    run(work())


def test_terminals_beyond_one_page_are_shown(
    page: VerifyPresenter, connect: Connect, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list is read to its end, however many one question gives."""
    monkeypatch.setattr(growing, "LARGEST", 1)

    async def work() -> None:
        async with registered(page, connect) as (tab, _):
            shown = {row.terminal_id for row in tab.view.rows.rows}
            assert shown >= {"gate-screen", *SOFTWARE_TERMINALS}

    run(work())


def test_a_terminal_says_which_bundle_it_took(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """Its own word stands beside it; a bundle that somebody else fetched for it is told as one that is not taken."""

    async def work() -> None:
        async with registered(page, connect) as (tab, client):

            def shown() -> tuple[str, str]:
                tab.read_now()
                row = next(row for row in tab.view.rows.rows if row.terminal_id == "palm-vault")
                return bundle_state(row)[1], bundle_words(row)

            await verdict(client, NODE)
            await until(lambda: shown()[0].startswith("Taken 20"), "its word")
            assert "It signed that it opened, checked and kept bundle" in shown()[1]
            assert "a burn counts it as exposed until then" in shown()[1]
            await client.registry_get_terminal_bundle("palm-vault")
            await until(lambda: shown()[0].endswith("not taken yet"), "the fetched one")
            assert "the terminal has not said that it took it" in shown()[1]

    run(work())


async def carried(tab: TerminalsTab, client: ConsoleClient, door: SoftwareTerminal, path: Path) -> str:
    """A bundle saved to a file by keys and taken by the terminal; what that writes."""
    key(tab, "verify.terminal_bundle")
    dialog: FileDialog = await dialog_of(tab, FileDialog)
    dialog.select_file(str(path))
    QTest.keyClick(dialog.name, Qt.Key.Key_Return)
    await until(path.exists, "the bundle")
    site_keys = [ECKey.import_key(msgspec.to_builtins(one)).public_key for one in (await client.deliveries_keys()).keys]
    text = await asyncio.to_thread(path.read_bytes)
    await asyncio.to_thread(door.take, text, site_keys)
    said = door.acknowledgement()
    assert said is not None
    return json.dumps({"issue": said[0], "signature": base64.urlsafe_b64encode(said[1]).rstrip(b"=").decode()})


def test_a_bundle_and_its_acknowledgement_are_carried_by_file(
    page: VerifyPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """What the terminal wrote ends the waiting of a burn, pasted or from its file. What is none is said at the field,
    another's and an old one in the service's words. A deletion takes nothing from the terminal, and says so."""
    door = SoftwareTerminal(tmp_path / "door.json", "palm-shed")
    row = {
        "kind": "palm",
        "offline": True,
        "public_key": OKPKey.import_key(door.public_key).as_dict(),
        "encryption_key": ECKey.import_key(door.encryption_key).as_dict(private=False),
    }

    async def work() -> None:
        async with registered(page, connect) as (tab, client):
            said, can = told(tab), tab.session.actions.is_enabled

            async def given(text: str | bytes) -> TakenForm:
                """The form with that pasted (or from a file), handed in by keys."""
                await until(lambda: can("verify.terminal_taken"), "a bundle that can be acknowledged")
                key(tab, "verify.terminal_taken")
                form: TakenForm = await dialog_of(tab, TakenForm)
                if isinstance(text, bytes):
                    (tmp_path / "word.json").write_bytes(text)
                    QTest.keyClick(form.file, Qt.Key.Key_Space)
                    dialog: FileDialog = await dialog_of(tab, FileDialog)
                    dialog.select_file(str(tmp_path / "word.json"))
                    QTest.keyClick(dialog.name, Qt.Key.Key_Return)
                    await until(lambda: form.word.toPlainText() or form.marked, "the file")
                else:
                    form.word.setPlainText(text)
                QTest.keyClick(form.save, Qt.Key.Key_Return)
                return form

            async def state(burn_id: str) -> str:
                burn = await client.burn_get(burn_id)
                return next(one.state for one in burn.targets if one.id == "terminal:palm-shed")

            await client.registry_put_terminal("palm-shed", msgspec.convert(row, TerminalBody))
            tab._wanted = "palm-shed"
            tab.read_now()
            await until(lambda: tab.view.terminal and tab.view.terminal.terminal_id == "palm-shed", "the terminal")
            assert not can("verify.terminal_taken")
            first = await carried(tab, client, door, tmp_path / "first.jwe")
            await until(lambda: said, "the toast")
            assert f"within {OPEN_WITHIN_S // 60} minutes" in said[0]
            await given(first)
            await until(lambda: len(said) == 2, "the first word")
            await client.registry_put_node("ARC-SHED", NodeBody(display_name="Training Person of the shed"))
            body = BurnBody(node_id="ARC-SHED", scope="LOCAL_ONLY", reason="drill")
            burn_id = (await client.burn_execute(body)).burn_id
            second = await carried(tab, client, door, tmp_path / "second.jwe")
            await until(lambda: "exposed until" in tab.view.said.text(), "what a burn knows")
            assert await state(burn_id) == "pending_offline"

            for wrong in ("", "palm-shed", first[:-3], '{"issue": 1}', b"\xff\xfe", b"7" * 5_000):
                form = await given(wrong)
                assert form.error("word").startswith("What the terminal wrote"), wrong
                form.reject()
            number = json.loads(second)["issue"]
            for wrong, words in (
                (json.dumps({**json.loads(first), "issue": number}), "not signed by terminal palm-shed"),
                (json.dumps({**json.loads(second), "issue": number + 1}), "was not given this bundle"),
            ):
                form = await given(wrong)
                await until(lambda form=form, words=words: words in form.banner.text, "the refusal")
                form.reject()
            assert await state(burn_id) == "pending_offline"
            await given(b"\xef\xbb\xbf" + second.encode() + b"\r\n")
            await until(lambda: len(said) == 4, "the second word")
            await until(lambda: bundle_state(tab.view.terminal)[1].startswith("Taken"), "the row")
            while (now := await state(burn_id)) != "revoked":
                assert now == "pending_offline"
                await asyncio.sleep(0.1)
            form = await given(first)
            await until(lambda: "acknowledged a later bundle" in form.banner.text, "the refusal of an old one")
            form.reject()
            key(tab, "verify.terminal_delete")
            dialog: ConfirmDialog = await dialog_of(tab, ConfirmDialog)
            assert "it may go on letting people in until 20" in dialog.accessibleName()
            dialog.do.click()
            await until(lambda: tab.view.rows.row_of("palm-shed") < 0, "the deletion")

    run(work())


def test_renewal_takes_the_persons_along(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """Asked first; the next epoch stands there, and who was enrolled is matched under it."""

    async def work() -> None:
        async with registered(page, connect) as (tab, client):
            await client.training_palms_enrol(TrainingEnrolBody(terminal_id="palm-lobby", node_id="ARC-T0035"))
            row = tab.view.registry
            assert row is not None
            assert row.registry_id == "default"
            key(tab, "verify.registry_renew")
            dialog: ConfirmDialog = await dialog_of(tab, ConfirmDialog)
            assert "two whole sets stay linkable" in dialog.accessibleName()
            dialog.do.click()
            await until(lambda: tab.view.registry_rows.rows[0].key_epoch == row.key_epoch + 1, "the next epoch")
            assert await verdict(client, "ARC-T0035")
            assert not tab.session.actions.is_enabled("verify.registry_delete")

    run(work())


def test_a_registry_is_added_and_deleted(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """With the id that was typed; an id that is taken is said at its field."""

    async def work() -> None:
        async with registered(page, connect) as (tab, _):
            key(tab, "verify.registry_new")
            form: RegistryForm = await dialog_of(tab, RegistryForm)
            form.registry_id.setText("default")
            QTest.keyClick(form.registry_id, Qt.Key.Key_Return)
            await until(lambda: form.error("id"), "the mark")
            form.registry_id.setText("north-wing")
            QTest.keyClick(form.registry_id, Qt.Key.Key_Return)
            view = tab.view
            await until(lambda: view.registry is not None and view.registry.registry_id == "north-wing", "the registry")
            key(tab, "verify.registry_delete")
            dialog: ConfirmDialog = await dialog_of(tab, ConfirmDialog)
            dialog.do.click()
            await until(lambda: view.registry_rows.row_of("north-wing") < 0, "the deletion")

    run(work())
