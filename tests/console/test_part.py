"""What a part of a page can rely on: reading again and again, waking, telling and forgetting failures, age, parts of a
page beside each other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel, QWidget

from app.console.actions import Action
from app.console.failures import Failure, NothingRead, Superseded
from app.console.operations import Change
from app.console.page import PageView
from app.console.part import Host, Part, PartsPresenter, Poll
from app.console.session import WindowSession
from app.console.telemetry.live import LiveEvent
from tests.console.conftest import Run, until


class Sample(Part):
    """Counts what happens to it; each of ``answers`` is raised once, None is a success."""

    every_s = 3600.0
    kinds = frozenset({"samples"})

    def __init__(self, host: Host, name: str = "sample") -> None:
        super().__init__(host)
        self.view = QLabel(name)
        self.mark.setParent(self.view)
        self.name = name
        self.answers: list[Exception | None] = []
        self.readings = self.paintings = 0
        self.taken: list[Mapping[str, str]] = []
        self.events: list[str] = []
        self.heard: list[str] = []

    async def read(self) -> None:
        self.readings += 1
        error = self.answers.pop(0) if self.answers else None
        if error is not None:
            raise error

    def take_stream(self, state: str) -> None:
        self.heard.append(state)

    def paint_all(self) -> None:
        self.paintings += 1

    def take(self, arguments: Mapping[str, str]) -> None:
        self.taken.append(arguments)

    def actions(self) -> Sequence[Action]:
        return [Action(f"page.{self.name}", self.name, self.read_now, page="page")]

    def first_control(self) -> QWidget | None:
        return self.view

    def listeners(self) -> Mapping[str, Callable[[Sequence[LiveEvent]], None]]:
        return {"sampled": lambda events: self.events.extend(event.kind for event in events)}


class SampleParts(PartsPresenter):
    """A page of two parts beside each other."""

    def __init__(self, session: WindowSession) -> None:
        super().__init__(session, PageView("Samples"))
        self.left, self.right = Sample(self.host(), "left"), Sample(self.host(), "right")
        self.parts = (self.left, self.right)


@pytest.fixture
def page(session: WindowSession, loop: asyncio.AbstractEventLoop, qtbot: Any) -> SampleParts:
    made = SampleParts(session)
    qtbot.addWidget(made.view)
    made.view.show()
    return made


def alive(page: SampleParts, part: Part, checks: Callable[[], Coroutine[Any, Any, None]]) -> Coroutine[Any, Any, None]:
    """The checks, while the part works."""

    async def work() -> None:
        page.spawn(part.run({}))
        await checks()
        await page.close()

    return work()


# --- the loop ---------------------------------------------------------------------------------------------------------


def test_a_part_reads_when_it_is_shown_and_paints_what_it_has_read(page: SampleParts, run: Run) -> None:
    async def checks() -> None:
        await until(lambda: page.left.paintings == 1)
        assert page.left.readings == 1

    run(alive(page, page.left, checks))


def test_a_part_takes_the_arguments_before_it_reads(page: SampleParts, run: Run) -> None:
    page.left.take = lambda arguments: page.left.taken.append({**arguments, "read": str(page.left.readings)})  # type: ignore[method-assign]

    async def work() -> None:
        page.spawn(page.left.run({"node_id": "n1"}))
        await until(lambda: page.left.readings)
        await page.close()

    run(work())
    assert page.left.taken == [{"node_id": "n1", "read": "0"}]


def test_a_part_begins_before_it_reads(page: SampleParts, run: Run) -> None:
    begun: list[int] = []

    async def begin(_arguments: Mapping[str, str]) -> None:
        begun.append(page.left.readings)

    page.left.begin = begin  # type: ignore[method-assign]

    async def checks() -> None:
        await until(lambda: page.left.readings)
        assert begun == [0]

    run(alive(page, page.left, checks))


def test_a_part_that_is_woken_reads_at_once(page: SampleParts, run: Run) -> None:
    async def checks() -> None:
        await until(lambda: page.left.readings == 1)
        page.left.read_now()
        await until(lambda: page.left.readings == 2)

    run(alive(page, page.left, checks))


def test_a_part_reads_again_by_itself(page: SampleParts, run: Run) -> None:
    read: list[int] = []

    async def answer() -> None:
        read.append(1)

    poll = Poll(answer, 0.01, show=lambda: None, on_error=lambda _error: None, on_recovery=lambda: None)

    async def work() -> None:
        page.spawn(poll.run())
        await until(lambda: len(read) >= 3)
        await page.close()

    run(work())


def test_a_part_that_is_not_shown_cannot_be_woken(page: SampleParts) -> None:
    page.left.read_now()
    assert page.left.readings == 0


def test_a_part_that_is_left_reads_no_more(page: SampleParts, run: Run) -> None:
    async def checks() -> None:
        await until(lambda: page.left.readings == 1)
        await page.close()
        page.left.read_now()
        await asyncio.sleep(0.02)
        assert page.left.readings == 1

    run(alive(page, page.left, checks))


# --- failures ---------------------------------------------------------------------------------------------------------


def test_a_reading_that_fails_is_told_at_the_head_of_the_page(page: SampleParts, run: Run) -> None:
    page.left.answers = [OSError("no")]

    async def checks() -> None:
        await until(lambda: page.view.banner.text)
        assert page.left.paintings == 0

    run(alive(page, page.left, checks))


def test_a_part_knows_whether_the_reading_before_failed_too(page: SampleParts, run: Run) -> None:
    before: list[bool] = []
    page.left.show_error = lambda _error: before.append(page.left.failing)  # type: ignore[method-assign]
    page.left.answers = [OSError("no"), OSError("no")]

    async def checks() -> None:
        await until(lambda: page.left.readings == 1)
        page.left.read_now()
        await until(lambda: page.left.readings == 2)

    page.left._poll._on_error = page.left.show_error
    run(alive(page, page.left, checks))
    assert before == [False, True]


def test_the_head_is_cleared_when_a_reading_succeeds_again(page: SampleParts, run: Run) -> None:
    page.left.answers = [OSError("no")]

    async def checks() -> None:
        await until(lambda: page.view.banner.text)
        page.left.read_now()
        await until(lambda: page.left.paintings == 1)
        assert not page.view.banner.text

    run(alive(page, page.left, checks))


def test_a_reading_that_succeeds_leaves_what_others_have_told(page: SampleParts, run: Run) -> None:
    async def checks() -> None:
        await until(lambda: page.left.paintings == 1)
        page.show_failure(Failure("refused", "It was refused."))
        page.left.read_now()
        await until(lambda: page.left.paintings == 2)
        assert page.view.banner.text == "It was refused."

    run(alive(page, page.left, checks))


def test_an_answer_to_an_old_question_is_neither_shown_nor_a_failure(page: SampleParts, run: Run) -> None:
    page.left.answers = [Superseded()]

    async def checks() -> None:
        await until(lambda: page.left.readings == 1)
        assert (page.left.paintings, page.view.banner.text, page.left.fresh.since) == (0, "", None)

    run(alive(page, page.left, checks))


def test_a_part_that_could_ask_nothing_shows_nothing_and_does_not_fail(page: SampleParts, run: Run) -> None:
    page.left.answers = [NothingRead()]

    async def checks() -> None:
        await until(lambda: page.left.readings == 1)
        assert (page.left.paintings, page.view.banner.text, page.left.fresh.since) == (0, "", None)

    run(alive(page, page.left, checks))


# --- age --------------------------------------------------------------------------------------------------------------


def test_the_mark_says_that_nothing_was_read(page: SampleParts) -> None:
    page.left.paint()
    assert not page.left.mark.isHidden()


def test_the_mark_goes_when_something_was_read(page: SampleParts, run: Run) -> None:
    async def checks() -> None:
        await until(lambda: page.left.paintings == 1)
        assert page.left.mark.isHidden()

    run(alive(page, page.left, checks))


def test_a_mark_that_no_view_has_placed_stays_hidden(page: SampleParts) -> None:
    page.left.mark.setParent(None)
    page.left.paint()
    assert page.left.mark.isHidden()


def test_a_part_is_painted_every_so_many_ticks(page: SampleParts) -> None:
    painted: list[int] = []
    page.left.paint = lambda: painted.append(page.left._painting)  # type: ignore[method-assign]
    page.left.ticks_a_paint = 5
    for _ in range(11):
        page.left.repaint()
    assert painted == [0, 5, 10]


# --- changes and events -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "readings"), [("samples", 2), ("others", 1)])
def test_a_part_reads_again_when_something_of_its_kinds_was_changed(
    page: SampleParts, run: Run, kind: str, readings: int
) -> None:
    async def checks() -> None:
        await until(lambda: page.left.readings == 1)
        page.left.take_change(Change(frozenset({kind}), None, None))
        await asyncio.sleep(0.02)
        assert page.left.readings == readings

    run(alive(page, page.left, checks))


def test_a_part_hears_events_while_it_is_shown_and_not_after(page: SampleParts, run: Run) -> None:
    live = page.session.live

    def emit() -> None:
        live._take("sampled", "{}")
        live.drain()

    async def checks() -> None:
        await until(lambda: page.left.readings == 1)
        emit()
        assert page.left.events == ["sampled"]
        await page.close()
        emit()
        assert page.left.events == ["sampled"]

    run(alive(page, page.left, checks))


def test_a_part_hears_of_the_stream_while_it_is_shown_and_not_after(page: SampleParts, run: Run) -> None:
    async def checks() -> None:
        await until(lambda: page.left.readings == 1)
        page.session.live.state_changed.emit("live")
        await page.close()
        page.session.live.state_changed.emit("lost")
        assert page.left.heard == ["live"]

    run(alive(page, page.left, checks))


def test_a_part_hears_nothing_after_two_runs_that_overlapped(page: SampleParts, run: Run) -> None:
    """It is left and shown again before the first run has ended, as by a quick hand."""

    async def work() -> None:
        page.spawn(page.left.run({}))
        page.spawn(page.left.run({}))
        await until(lambda: page.left.readings >= 2)
        page.session.live.state_changed.emit("live")
        await page.close()
        page.session.live.state_changed.emit("lost")

    run(work())
    assert page.left.heard == ["live", "live"]


# --- parts of one page ------------------------------------------------------------------------------------------------


def test_every_part_of_a_page_works_while_the_page_is_shown(page: SampleParts, run: Run) -> None:
    async def work() -> None:
        page.enter({"node_id": "n1"})
        await until(lambda: page.left.paintings == page.right.paintings == 1)
        assert page.left.taken == page.right.taken == [{"node_id": "n1"}]
        await page.close()

    run(work())


def test_a_page_has_the_actions_of_all_its_parts(page: SampleParts) -> None:
    assert [action.id for action in page.actions()] == ["page.left", "page.right"]


def test_the_hands_go_to_the_first_part_that_says_where(page: SampleParts) -> None:
    page.left.first_control = lambda: None  # type: ignore[method-assign]
    assert page.first_control() is page.right.view


def test_a_change_is_told_to_every_part(page: SampleParts) -> None:
    heard: list[str] = []
    for part in (page.left, page.right):
        part.take_change = lambda _change, name=part.name: heard.append(name)  # type: ignore[misc, method-assign]
    page.take_change(Change(frozenset({"samples"}), None, None))
    assert heard == ["left", "right"]


# --- what a host knows ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("clearance", "may"), [("citadel", True), ("CITADEL", True), ("sovereign", False)])
def test_a_citadel_key_may_write(page: SampleParts, clearance: str, may: bool) -> None:
    page.session.attach(object(), "http://service", clearance)  # type: ignore[arg-type]
    assert page.host().may_write is may


def test_nobody_may_write_without_a_service(page: SampleParts) -> None:
    page.session.clearance = "citadel"
    assert not page.host().may_write


def test_a_part_that_is_always_there_is_shown(page: SampleParts) -> None:
    host = page.host()
    host.show()
    assert host.shown()


def test_no_part_is_stale_before_its_first_turn(page: SampleParts, run: Run) -> None:
    page.session.live.stream.touch()
    page.session.live.state = "live"

    async def work() -> None:
        page.enter({})
        await asyncio.sleep(0)
        assert page.left.fresh.awaited
        assert page.right.fresh.awaited
        await page.close()

    run(work())
