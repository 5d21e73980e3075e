"""The enrolment tab against a real training service: pictures, the training terminal, the alarm, erasure."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog

from app.console.connection import ConsoleClient
from app.console.pages.verify import make
from app.console.pages.verify.enrolment import EnrolmentTab
from app.console.pages.verify.presenter import VerifyPresenter
from app.console.session import Session
from app.console.theme.tokens import State
from app.console.widgets.choice import Choice
from app.console.widgets.confirm import ConfirmDialog
from app.palm.messages import TrainingPalmBody
from tests.console.conftest import Run, until
from tests.console.pages.conftest import Connect
from tests.console.pages.palm_pictures import VALLEYS, placed, saved

WHERE = placed()
"""How the hand lies in every picture: the marks' first places are a little beside its valleys."""


@pytest.fixture
def page(session: Session, qtbot: Any) -> VerifyPresenter:
    """The page at the size of the design, its actions in the table."""
    presenter = make(session)
    presenter.view.resize(1284, 820)
    qtbot.addWidget(presenter.view)
    session.actions.add(presenter.actions())
    session.actions.set_page("verify")
    presenter.view.show()
    return presenter


@asynccontextmanager
async def opened(page: VerifyPresenter, connect: Connect, node_id: str) -> AsyncIterator[tuple[EnrolmentTab, Any]]:
    """The tab with that person, looked up."""
    tab = page.tabs["enrolment"]
    assert isinstance(tab, EnrolmentTab)
    async with connect(page) as client:
        page.enter({"section": "enrolment", "node_id": node_id})
        await until(lambda: tab._known is not None and tab._known.node.node_id == node_id, "the person")
        yield tab, client


def key(tab: EnrolmentTab, action: str) -> None:
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


async def verdict(client: ConsoleClient, node_id: str) -> bool:
    """Whether that person's palm is matched at a terminal now."""
    body = TrainingPalmBody(terminal_id="palm-vault", node_id=node_id)
    return (await client.training_palms_lay(body)).node_id == node_id


async def ended(tab: EnrolmentTab) -> None:
    """The outcome of what was asked for."""
    await until(lambda: not tab._busy and tab.view.verdict.word != "…", "the outcome")


async def dialog_of(tab: EnrolmentTab, kind: type[Any]) -> Any:
    """The dialog of that kind that opens."""

    def shown() -> list[QDialog]:
        return [one for one in tab.view.window().findChildren(kind) if one.isVisible()]

    await until(shown, kind.__name__)
    return shown()[-1]


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
        async with opened(page, connect, node_id) as (tab, client):
            view = tab.view
            assert view.state.word == "Not enrolled"
            assert not tab.session.actions.enabled("verify.enrol")
            await marked(tab, paths)
            assert view.progress.text() == "5 of 5 samples."
            key(tab, "verify.enrol")
            await ended(tab)
            assert (view.verdict.state, view.verdict.word) == (State.OK, "Enrolled")
            assert tab.samples.kept == []
            await until(lambda: view.state.word == "Palm enrolled", "the person's state")
            assert view.facts.values["samples"].text().startswith("5, likeness ")
            assert await verdict(client, node_id)

    run(work())


def test_a_picture_of_another_hand_is_told_and_taken_again(
    page: VerifyPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """One of five is a stranger's: it was not used and its place waits; the others stay for the next try."""
    node_id = "ARC-T0022"
    own, other = saved(tmp_path, node_id, 5, WHERE), saved(tmp_path, "ARC-T0029", 1, WHERE)

    async def work() -> None:
        async with opened(page, connect, node_id) as (tab, _):
            await marked(tab, [*own[:2], *other, *own[2:4]])
            key(tab, "verify.enrol")
            await ended(tab)
            assert states(tab) == ["used", "used", "unlike", "used", "used"]
            assert tab.view.verdict.state is State.WARN
            await marked(tab, own[4:])
            key(tab, "verify.enrol")
            await ended(tab)
            assert (tab.view.verdict.state, states(tab)) == (State.OK, ["used"] * 5)

    run(work())


def test_too_few_of_one_hand_are_marked_one_by_one(
    page: VerifyPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """Three samples, two of them of others: nothing is enrolled, and exactly those two are to be taken again."""
    hands = [saved(tmp_path, node_id, 1, WHERE)[0] for node_id in ("ARC-T0023", "ARC-T0028", "ARC-T0029")]

    async def work() -> None:
        async with opened(page, connect, "ARC-T0023") as (tab, _):
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
        async with opened(page, connect, first) as (tab, _):
            key(tab, "verify.enrol_terminal")
            await ended(tab)
            assert tab.view.verdict.word == "Enrolled"
            await tab._take_person(second)
            await until(lambda: tab._known is not None and tab._known.node.node_id == second, "the second")
            await _enrol_hand_of(tab, first)
            await ended(tab)
            assert (tab.view.verdict.state, tab.view.verdict.word) == (State.CRIT, "Alarm")
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
    from tests.console.pages.palm_pictures import drawn

    return bytearray(drawn(node_id, shot).constBits())


def test_erasing_asks_and_the_palm_is_matched_no_more(page: VerifyPresenter, connect: Connect, run: Run) -> None:
    """The dialog begins on the safe button; agreed to, the next palm is nobody's, and the page says since when."""
    node_id = "ARC-T0026"

    async def work() -> None:
        async with opened(page, connect, node_id) as (tab, client):
            key(tab, "verify.enrol_terminal")
            await ended(tab)
            assert await verdict(client, node_id)
            key(tab, "verify.erase")
            dialog: ConfirmDialog = await dialog_of(tab, ConfirmDialog)
            assert not dialog.do.hasFocus()
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
        async with opened(page, connect, "ARC-T0027") as (tab, _):
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


def test_a_file_that_is_no_picture_is_told_and_the_next_opens(
    page: VerifyPresenter, connect: Connect, run: Run, tmp_path: Path
) -> None:
    """One bad file stops nothing."""
    bad = tmp_path / "letter.png"
    bad.write_bytes(b"\x89PNG\r\n\x1a\nDear Sir")
    good = saved(tmp_path, "ARC-T0027", 1, WHERE)

    async def work() -> None:
        async with opened(page, connect, "ARC-T0027") as (tab, _):
            said = told(tab)
            tab.take_files([bad, *good])
            await until(lambda: tab.view.marker.image is not None, "the good picture")
            assert said[0].startswith("letter.png is no picture of a palm. ")

    run(work())
