"""A moment that is older than what the window measured: asked of a real service whose site has run for weeks."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.capabilities.burn.messages import BurnBody
from app.console import past_standing
from app.console.clock import date_time
from app.console.pages import audit, dashboard, infrastructure, people
from app.console.pages.audit import AuditPresenter
from app.console.pages.dashboard import DashboardPresenter
from app.console.pages.infrastructure import InfrastructurePresenter
from app.console.pages.people import PeoplePresenter
from app.console.session import WindowSession
from app.console.shell.time_field import TimeField
from app.console.shell.time_strip import TimeStrip
from app.console.shown_time import REACH_S, utc_clock
from app.console.telemetry.hour_events import HourEvents
from app.console.telemetry.past_frames import kept_step
from app.console.theme.tokens import Meaning
from tests.console.built import built
from tests.console.conftest import Run, apart, until
from tests.console.older_site import BURNED, DAY, FAST, FAST_MS, HOUR, PERSON, SLOW, SLOW_MS, Then, lay_out
from tests.console.pages.conftest import Connect, Service, on_screen

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture(scope="module")
def then() -> Then:
    """Its moments."""
    return Then.of(time.time())


@pytest.fixture(scope="module")
def training_service(tmp_path_factory: pytest.TempPathFactory, then: Then) -> Iterator[Service]:
    """That site, served."""
    site = apart(lay_out, tmp_path_factory.mktemp("older") / "site", then, probe_interval_s=1.0)
    with site.running():
        site.wait_for_doors()
        yield Service(site.base_url, site.client.headers["Authorization"].removeprefix("Bearer "), site.pid, site)


@pytest.fixture
def strip(session: WindowSession, qtbot: Any) -> Iterator[TimeStrip]:
    """The strip in a window, over the events of the session; before any page, as in the console."""
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    made = TimeStrip(session)
    column.addWidget(made)
    column.addStretch(1)
    window.resize(1284, 300)
    window.show()
    made.begin(HourEvents(session))
    yield made
    del window


@pytest.fixture
def board(session: WindowSession, strip: TimeStrip, qtbot: Any) -> DashboardPresenter:
    """The dashboard under the strip."""
    del strip
    presenter = built(dashboard, session)
    assert isinstance(presenter, DashboardPresenter)
    on_screen(presenter, "dashboard", session, qtbot)
    return presenter


@pytest.fixture
def table(session: WindowSession, strip: TimeStrip, qtbot: Any) -> InfrastructurePresenter:
    """Infrastructure under the strip."""
    del strip
    presenter = infrastructure.make(session)
    on_screen(presenter, "infrastructure", session, qtbot)
    return presenter


def type_time(strip: TimeStrip, text: str, qtbot: Any) -> TimeField:
    """Type a time on the strip, as hands do."""
    strip.type_time()
    (field,) = strip.window().findChildren(TimeField)
    field.edit.setText(text)
    qtbot.keyClick(field.edit, Qt.Key.Key_Return)
    return field


def standing(presenter: DashboardPresenter, peer_id: str) -> tuple[str, str, Meaning]:
    """How the dashboard shows a frame: word, hint, state."""
    found = presenter.frames.board.past_standing(peer_id)
    return found.word, found.hint, found.state


def test_a_time_typed_three_hours_back_shows_its_hour(
    board: DashboardPresenter, strip: TimeStrip, connect: Connect, run: Run, then: Then, qtbot: Any
) -> None:
    """Strip, tiles, grid and chart; what happened then is marked by the log, with its day where that is another."""

    async def work() -> None:
        async with connect(board):
            board.enter({})
            await until(lambda: board.view.frames_tile.value.startswith("5"), "the frames operational")
            await until(lambda: not board.session.live.stale, "the stream")
            type_time(strip, date_time(then.at), qtbot)
            shown = board.session.shown_time
            assert (shown.at, shown.hour) == (then.at, (then.at - 1800, then.at + 1800))
            assert board.session.older_frames.asking
            await until(lambda: "answered at" in board.view.frames_tile.accessibleName(), "the tile of then")
            await until(lambda: board.frames.board.older is not None, "the frames of then")
            clock = utc_clock(then.at, board.session.live.now())
            for peer_id, ms in ((FAST, FAST_MS), (SLOW, SLOW_MS)):
                word, hint, state = standing(board, peer_id)
                assert (word, state) == ("Answered", Meaning.OK)
                figure, _, rest = hint.partition(" ")
                assert float(figure) == pytest.approx(ms, rel=0.02)
                assert rest == f"ms, the median of 1 minute from {clock}"
            assert standing(board, "training-a-03")[::2] == ("No sample", Meaning.IDLE)
            await until(lambda: board.view.frames_tile.value == "2", "the tile of the frames")
            assert f"the hour around {clock}" in board.view.frames.said.text()
            await until(lambda: board.view.latency.all_chart.plot.whole == shown.hour, "the chart of the hour")
            assert board.view.latency.note.text() == "Middle p50 and highest p99 of the frames, each of 1 minute."
            await until(lambda: not strip.missing_words, "the events of then")
            assert [(one.word, one.at) for one in strip._shown] == [("Alarm", then.alarm), ("Burn", then.burn)]
            plot, marks = board.view.latency.all_chart.plot, ["Alarm", "Shown", "Burn"]
            await until(lambda: [one.word for one in plot.events] == marks, "the marks of then")
            assert strip.accessibleName() == f"Time strip, the hour around {clock}"
            assert strip.value_text == f"Past {clock}, 2 events in that hour"

    run(work())


def test_each_step_says_what_the_service_has_of_it(
    board: DashboardPresenter, connect: Connect, run: Run, then: Then
) -> None:
    """Missed in part, missed whole, and not probed at all are three things; the hour is asked for once."""

    async def work() -> None:
        async with connect(board):
            board.enter({})
            shown = board.session.shown_time
            shown.go_to(then.at)
            await until(lambda: board.frames.board.older is not None, "the frames of then")
            answer = board.session.older_frames.answer
            clock = utc_clock(then.at + 60, board.session.live.now())
            shown.go_to(then.at + 75)
            word, hint, state = standing(board, SLOW)
            assert (word, state) == ("Answered in part", Meaning.WARN)
            assert hint.endswith(f"ms, the median of 1 minute from {clock}; 1 of 2 missed")
            shown.go_to(then.at + 135)
            assert standing(board, SLOW)[::2] == ("No answer", Meaning.BAD)
            assert standing(board, SLOW)[1].startswith("2 probes in 1 minute from ")
            shown.go_to(then.at + 200)
            assert standing(board, SLOW)[::2] == ("No sample", Meaning.IDLE)
            assert board.session.older_frames.answer is answer

    run(work())


def test_of_days_ago_hours_are_kept_and_named_so(
    table: InfrastructurePresenter, connect: Connect, run: Run, then: Then
) -> None:
    """A value of an hour is never shown as one of a minute; the chart is the hour around the moment."""

    async def work() -> None:
        async with connect(table):
            table.enter({"peer_id": FAST})
            await until(lambda: table.view.rows.rows and not table.session.live.stale, "the frames")
            table.session.shown_time.go_to(then.long_ago)
            board = table.frames.board
            assert board.past_standing(FAST).word == "Asking"
            assert (table.view.mark.isVisible(), table.view.mark.word) == (True, "Asking")
            assert table.view.mark.toolTip() == "The service is asked for that hour."
            await until(lambda: board.older is not None, "the frames of then")
            clock = utc_clock(then.long_ago, table.session.live.now())
            hour = utc_clock(then.long_ago // HOUR * HOUR, table.session.live.now())
            assert board.past_standing(FAST).hint.endswith(f"the median of 1 hour from {hour}")
            row = table.view.rows.rows[table.view.rows.row_of(FAST)]
            assert float(row.now) == pytest.approx(5.0, rel=0.02)
            assert table.view.chart_title.text() == (f"{FAST}, Hour around {clock}, in steps of 1 hour")
            assert table.view.chart.plot.whole == (then.long_ago - 1800, then.long_ago + 1800)
            assert not table.view.mark.isVisible()

    run(work())


def test_a_longer_span_ends_at_the_moment_in_steps_that_are_kept(
    table: InfrastructurePresenter, connect: Connect, run: Run, then: Then
) -> None:
    """Six hours to three days ago are six hours by the hour."""

    async def work() -> None:
        async with connect(table):
            table.enter({"peer_id": FAST})
            await until(lambda: table.view.rows.rows, "the frames")
            table.session.shown_time.go_to(then.long_ago)
            table.view.spans.setCurrentIndex(1)
            table.view.spans.activated.emit(1)
            await until(lambda: table.frames._then() is not None, "the span of then")
            assert table.view.chart_title.text().endswith("in steps of 1 hour")
            known = table.frames._then()
            assert known is not None
            assert known.past.frames[FAST].span.count == 140

    run(work())


def test_an_answer_that_comes_after_another_choice_is_dropped(
    board: DashboardPresenter,
    strip: TimeStrip,
    training_service: Service,
    connect: Connect,
    run: Run,
    then: Then,
    qtbot: Any,
) -> None:
    """The service stands still while one hour is asked for; what it answers when it goes on is of the one that is
    shown, and nothing stays once live is."""

    async def work() -> None:
        async with connect(board):
            session, asked = board.session, board.session.older_frames
            board.enter({})
            await until(lambda: board.view.frames_tile.value.startswith("5"), "the frames operational")
            steps: list[int] = []
            asked.changed.connect(lambda: steps.append(asked.answer.step_s if asked.answer is not None else 0))
            session.shown_time.go_to(then.long_ago)
            await until(lambda: not session.live.stale, "the stream")
            os.kill(training_service.pid, signal.SIGSTOP)
            try:
                await asyncio.sleep(0.6)
                assert asked.lacks[0] is not Meaning.OK
                session.shown_time.go_to(then.at)
                await asyncio.sleep(0.6)
            finally:
                os.kill(training_service.pid, signal.SIGCONT)
            await until(lambda: asked.answer, "the answer")
            await asyncio.sleep(0.5)
            assert [one for one in steps if one] == [60]
            session.shown_time.go_to(then.long_ago)
            await asyncio.sleep(0.3)
            qtbot.keyClick(strip, Qt.Key.Key_End)
            assert (session.shown_time.is_past, asked.answer) == (False, None)
            await asyncio.sleep(0.5)
            assert asked.answer is None
            await until(lambda: board.view.frames_tile.value.startswith("5"), "the frames of now")

    run(work())


def test_a_service_that_is_silent_is_said_where_the_answer_would_stand(
    board: DashboardPresenter, training_service: Service, connect: Connect, run: Run, then: Then
) -> None:
    """At first it is asked, with the sign of work; when nothing is heard of it any more, nothing works."""

    async def work() -> None:
        async with connect(board):
            session, tile = board.session, board.view.frames_tile
            board.enter({})
            await until(lambda: tile.value.startswith("5"), "the frames operational")
            await until(lambda: not session.live.stale, "the stream")
            os.kill(training_service.pid, signal.SIGSTOP)
            try:
                session.shown_time.go_to(then.at)
                await until(lambda: tile.value == "–", "the tile without a value")
                assert (tile.state, board.view.frames.stale_mark.isVisible()) == (Meaning.WORK, True)
                assert standing(board, FAST) == (
                    "Asking", "The service is asked for that hour.", Meaning.WORK,
                )  # fmt: skip
                await until(lambda: tile.state is Meaning.IDLE, "the silence")
                assert standing(board, FAST)[0] == "Unknown"
                assert board.view.frames_tile.value == "–"
            finally:
                os.kill(training_service.pid, signal.SIGCONT)
            await until(lambda: tile.value == "2", "the answer")

    run(work())


def test_the_chart_of_an_hour_says_that_nothing_answers(
    table: InfrastructurePresenter, training_service: Service, connect: Connect, run: Run, then: Then
) -> None:
    """Words that say it is being read end with the stream."""

    async def work() -> None:
        async with connect(table):
            table.enter({"peer_id": FAST})
            await until(lambda: table.view.rows.rows and not table.session.live.stale, "the frames")
            os.kill(training_service.pid, signal.SIGSTOP)
            try:
                table.session.shown_time.go_to(then.at)
                said = table.view.chart_empty.findChildren(QLabel)
                assert "The history to that moment is being read." in {one.text() for one in said}
                silent = "The service was asked for that hour and is silent."
                await until(lambda: silent in {one.text() for one in said}, "the silence")
                assert (table.view.mark.word, table.view.mark.state) == ("Unknown", Meaning.IDLE)
            finally:
                os.kill(training_service.pid, signal.SIGCONT)
            await until(lambda: table.view.chart_stack.currentWidget() is table.view.chart, "the chart")

    run(work())


def test_keys_step_by_whole_hours(
    board: DashboardPresenter, strip: TimeStrip, connect: Connect, run: Run, then: Then, qtbot: Any
) -> None:
    """Back to the hour of the burn and on again; each time the events of that hour alone are there."""

    async def work() -> None:
        async with connect(board):
            session = board.session
            await until(lambda: session.live.state == "live" and not strip.missing_words, "the last hour")
            for _ in range(3):
                qtbot.keyClick(strip, Qt.Key.Key_PageUp, CONTROL)
            assert session.shown_time.hour is not None
            assert strip.unknown_words == "Asking for events"
            assert "events being read" in strip.accessibleDescription()
            await until(lambda: not strip.missing_words, "the hour of the burn")
            assert [one.sentence for one in strip._shown] == ["A frame does not answer.", BURNED]
            assert "with Ctrl a whole hour" in strip.accessibleDescription()
            qtbot.keyClick(strip, Qt.Key.Key_PageDown, CONTROL)
            assert strip._shown == []
            await until(lambda: not strip.missing_words, "the hour after it")
            assert strip._shown == []
            qtbot.keyClick(strip, Qt.Key.Key_PageDown, CONTROL)
            assert (session.shown_time.is_past, session.shown_time.hour) == (True, None)
            qtbot.keyClick(strip, Qt.Key.Key_PageDown, CONTROL)
            assert not session.shown_time.is_past

    run(work())


def test_what_is_not_kept_is_refused_with_how_far_back_it_is(
    board: DashboardPresenter, strip: TimeStrip, connect: Connect, run: Run, then: Then, qtbot: Any
) -> None:
    """In the field, and for a key; the log begins where the service says."""

    async def work() -> None:
        async with connect(board):
            session = board.session
            events = strip._events
            assert events is not None
            await until(lambda: events.first is not None, "the first entry of the log")
            assert events.first == then.first
            field = type_time(strip, "-31d", qtbot)
            assert "is too long ago: how frames answered is kept for 30 days" in field.said.text()
            field = type_time(strip, "-41d", qtbot)
            assert field.said.text().endswith(
                f"is before the first entry of the audit log, of {date_time(then.first)}: nothing is known of it."
            )
            assert not session.shown_time.is_past
            field.close_()
            said: list[str] = []
            session.toast.connect(lambda text, _kind, _reference, _subject: said.append(text))
            at = session.live.now() - 30 * DAY + REACH_S / 2
            session.shown_time.go_to(at)
            qtbot.keyClick(strip, Qt.Key.Key_PageUp, CONTROL)
            assert session.shown_time.at == at
            assert "is too long ago: how frames answered is kept for 30 days" in said[-1]

    run(work())


def test_how_somebody_stood_is_read_from_the_entries_since(
    strip: TimeStrip, session: WindowSession, connect: Connect, run: Run, then: Then, qtbot: Any
) -> None:
    """A person of that time who is burned now was not then; before the answer the page says that it asks."""
    del strip
    page: PeoplePresenter = people.make(session)
    on_screen(page, "people", session, qtbot)

    async def work() -> None:
        async with connect(page) as client:
            before = (await client.registry_get_node(PERSON)).standing
            await client.burn_execute(BurnBody(node_id=PERSON, scope="LOCAL_ONLY", reason="test"))
            page.enter({})
            view = page.everybody.view
            await until(lambda: not session.live.stale, "the stream")
            await until(lambda: view.rows.row_of(PERSON) >= 0, "the person")
            session.shown_time.go_to(then.at)
            (node,) = [one for one in view.rows.rows if one.node_id == PERSON]
            assert (view._standing_word(node), view._standing_state(node)) == ("Asking", Meaning.WORK)
            await until(lambda: view._standing_state(node) is not Meaning.WORK, "the standing of then")
            found = view._past.then(node) if view._past is not None else None
            assert found is not None
            assert (found.standing, found.said.startswith("Until ")) == (before, True)

    run(work())


def test_a_log_that_is_too_long_to_be_read_back_is_said(
    board: DashboardPresenter, connect: Connect, run: Run, then: Then, monkeypatch: Any
) -> None:
    """And it is not read from its end again: what is before the bound stays unknown."""
    monkeypatch.setattr(past_standing, "READ", 1)
    monkeypatch.setattr(past_standing, "PAGES", 1)

    async def work() -> None:
        async with connect(board) as client:
            session = board.session
            leaves = past_standing.StandingLeaves(session, PERSON)
            session.shown_time.go_to(then.at)
            standing_now = (await client.registry_get_node(PERSON)).standing
            known = session.live.now()
            await leaves.read_shown()
            assert leaves.standing(PERSON, standing_now, then.at, known) == past_standing.TOO_EARLY
            assert leaves.reaches(then.at, known)

    run(work())


def test_the_audit_page_goes_there(
    strip: TimeStrip, session: WindowSession, connect: Connect, run: Run, then: Then, qtbot: Any
) -> None:
    """The newest entry at or before the moment is chosen."""
    del strip
    page: AuditPresenter = audit.make(session)
    on_screen(page, "audit", session, qtbot)

    async def work() -> None:
        async with connect(page):
            page.enter({})
            await until(lambda: page.view.model.rowCount() > 0, "the log")
            session.shown_time.go_to(then.at)
            await until(page.view.table.selectedIndexes, "the entry")
            await until(lambda: getattr(page.entry.current(), "action", "") == "alarm.raised", "the alarm")

    run(work())


def test_a_service_that_is_killed_while_it_is_asked(
    board: DashboardPresenter, training_service: Service, connect: Connect, run: Run, then: Then
) -> None:
    """It is said, no value stands there, and live answers at once. The last test: the service is gone."""

    async def work() -> None:
        async with connect(board):
            session, asked = board.session, board.session.older_frames
            board.enter({})
            await until(lambda: board.view.frames_tile.value.startswith("5"), "the frames operational")
            await until(lambda: not session.live.stale, "the stream")
            os.kill(training_service.pid, signal.SIGSTOP)
            session.shown_time.go_to(then.at)
            await asyncio.sleep(0.5)
            await asyncio.to_thread(training_service.site.kill)
            await until(lambda: asked.trouble, "the trouble")
            assert asked.lacks == (Meaning.IDLE, asked.trouble)
            await until(lambda: board.view.frames_tile.state is Meaning.IDLE, "the tile")
            assert board.view.frames_tile.value == "–"
            assert standing(board, FAST) == ("Unknown", asked.trouble, Meaning.IDLE)
            session.shown_time.go_live()
            assert asked.lacks == (Meaning.OK, "")

    run(work())


@pytest.mark.parametrize(("age_s", "step"), [(2 * HOUR, 60), (22 * HOUR, 60), (26 * HOUR, HOUR), (20 * DAY, HOUR)])
def test_steps_are_as_the_service_keeps_them(age_s: int, step: int) -> None:
    """Minutes of a day, then hours."""
    now = 1_772_020_800.0
    assert kept_step(now - age_s, now) == step
