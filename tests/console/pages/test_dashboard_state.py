"""What the state line of the Dashboard says, and what its panels lead to."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QPushButton

from app.capabilities.burn.messages import Burn, BurnLog, BurnTarget
from app.console.actions import Action
from app.console.pages import dashboard
from app.console.pages.dashboard import DashboardPresenter
from app.console.pages.dashboard.attention_words import AttentionRow, attention_rows
from app.console.pages.dashboard.frames_view import CHART
from app.console.pages.dashboard.state_words import WhatAnswers, doors_foot, last_door_foot, last_door_s, site_state
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.choice import Choice
from app.delivery.messages import Alarm
from app.registry.messages.clusters import Reader
from tests.console.built import built
from tests.console.frames.test_board import frame, record
from tests.console.pages.conftest import on_screen
from tests.console.pages.test_burn_speed_words import QUICK, REPORT

ANSWERS = WhatAnswers(frames=52, frames_up=51, doors=104, doors_up=104)


@pytest.fixture
def page(session: WindowSession, qtbot: Any) -> DashboardPresenter:
    """The page without a service."""
    presenter = built(dashboard, session)
    assert isinstance(presenter, DashboardPresenter)
    on_screen(presenter, "dashboard", session, qtbot)
    return presenter


def row(key: str, state: Meaning = Meaning.CRIT, **more: Any) -> AttentionRow:
    """Something that waits since 1000 s."""
    return AttentionRow(key, state, f"Fact {key}", "", 1000.0, "look", "burn", **more)


def test_the_worst_is_said_with_its_age_and_its_owner() -> None:
    """In one sentence; what comes after it stands below."""
    said = site_state([row("a", takes="alm_a"), row("b", owner="Ada")], ANSWERS, "", False, 1032.0)
    assert (said.state, said.word) == (Meaning.CRIT, "2 need you")
    assert said.sentence == "Fact a, 32 s ago. Nobody has taken it."
    assert said.detail == "Then: Fact b, taken by Ada."


def test_no_sentence_has_two_full_stops() -> None:
    """The service tells some alarms as whole sentences."""
    told = [AttentionRow(key, Meaning.CRIT, "See who stands there.", "", 1000.0, "look", "audit") for key in "ab"]
    said = site_state(told, ANSWERS, "", False, 1032.0)
    assert (said.sentence, said.detail) == ("See who stands there, 32 s ago.", "Then: See who stands there.")


def test_all_clear_says_what_answers() -> None:
    """A green word alone would say nothing."""
    said = site_state([], ANSWERS, "", False, 1032.0)
    assert (said.state, said.word) == (Meaning.OK, "All clear")
    assert said.sentence == "51 of 52 frames and 104 of 104 doors answer."


def test_a_door_that_is_offline_is_not_all_clear() -> None:
    """No alarm is open, and yet it is to be looked at."""
    said = site_state([], WhatAnswers(52, 52, 104, 103), "", False, 1032.0)
    assert (said.state, said.word) == (Meaning.WARN, "No alarm")


def test_a_frame_that_is_not_heard_of_is_not_all_clear() -> None:
    """Nobody knows whether it answers: no green, and no alarm either."""
    said = site_state([], WhatAnswers(52, 20, 104, 104, 32), "", False, 1032.0)
    assert (said.state, said.word) == (Meaning.IDLE, "No alarm")
    assert said.detail == "Of 32 frames nothing is heard now."


@pytest.mark.parametrize("rows", [[], [row("a")]])
def test_nothing_is_said_from_memory(rows: list[AttentionRow]) -> None:
    """Old data say neither that all is clear nor what is open."""
    said = site_state(rows, ANSWERS, "STALE since 14:32:07", False, 1032.0)
    assert (said.state, said.word, said.detail) == (Meaning.IDLE, "Not known", "STALE since 14:32:07")


def test_a_muted_row_is_the_ring_and_says_until_when() -> None:
    """It stays in the list, and the state line calls for it no more."""
    muted = row("a", muted_until=2000.0)
    assert muted.shown_state is Meaning.IDLE
    assert muted.below.startswith("Back at ")
    assert site_state([muted], ANSWERS, "", False, 1032.0).word == "All muted"


def test_a_burned_badge_is_told_with_person_and_door() -> None:
    """People know names, not ids."""
    alarm = Alarm(
        alarm_id="alm_1", kind="burn.tripwire", since="2026-03-01T10:00:00.000000Z", node_id="ARC-T0001", ref="burn_1",
        text="A burned badge of node ARC-T0001 was presented at reader data-hall-01 (burn_1).",
    )  # fmt: skip
    (told,) = attention_rows([alarm], [], [], {}, {"ARC-T0001": "Training Person 01"}.__getitem__)
    assert told.text == "Burned badge of Training Person 01 shown at data-hall-01"


def test_the_burn_opens_filled_in(page: DashboardPresenter) -> None:
    """With the person and the reason; nobody is burned here."""
    opened: list[tuple[str, dict[str, str]]] = []
    session, dock = page.session, page.view.burn_dock
    session.actions.add([Action("page.burn", "Burn", lambda: None)])
    session.set_navigator(lambda to, arguments: opened.append((to, dict(arguments))))
    dock.show_reasons(["Token leak", "Lost card"])
    dock.field.choose(Choice("ARC-T0012", "Training Person 12"))
    for button in dock.findChildren(QPushButton):
        if button.text() == "Token leak":
            button.click()
    assert session.actions.trigger("dashboard.burn")
    assert opened == [("burn", {"node_id": "ARC-T0012", "reason": "Token leak"})]


def test_the_record_of_a_frame_takes_the_place_of_the_doors(page: DashboardPresenter) -> None:
    """And gives it back."""
    view = page.view
    view.show_record(True)
    assert (view.inspector.isHidden(), view.at_doors.isHidden()) == (False, True)
    page.session.actions.trigger("dashboard.doors")
    view.show_record(False)
    assert (view.inspector.isHidden(), view.at_doors.isHidden()) == (True, False)


def test_the_chart_stands_where_the_frames_were(page: DashboardPresenter) -> None:
    """One of three choices that are in sight."""
    page.view.frames.show_view(CHART)
    assert page.view.frames.charts


def test_esc_leaves_the_record_of_a_frame(page: DashboardPresenter, qtbot: Any) -> None:
    """Who is at the doors comes back, from the grid and from the record itself."""
    view = page.view
    view.frames.show_any(True)
    page.frames._choose("training-a-01")
    assert not view.inspector.isHidden()
    view.frames.grid.setFocus()
    qtbot.keyClick(view.frames.grid, Qt.Key.Key_Escape)
    assert (view.inspector.isHidden(), view.at_doors.isHidden()) == (True, False)


def test_esc_of_an_open_record_is_not_the_windows(page: DashboardPresenter) -> None:
    """The window's own Esc would take a message away. In the past it goes back to live before anything else."""

    def taken() -> bool:
        event = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
        event.ignore()
        QApplication.sendEvent(page.view, event)
        return event.isAccepted()

    assert not taken()
    page.view.show_record(True)
    assert taken()
    page.view.show_past("14:32:07Z")
    assert not taken()


def test_the_state_line_says_now_while_the_past_is_shown(page: DashboardPresenter) -> None:
    """It is of now alone; above frames of a moment it must not look as if it were of that moment."""
    page.attention.fresh.touch()
    page.attention._paint_state()
    word = page.view.state_line.words[0]
    page.session.shown_time.go_to(page.session.live.now() - 600.0)
    page.attention._paint_state()
    assert page.view.state_line.words[0] == f"Now: {word}"


@pytest.mark.parametrize(("times", "seconds"), [([20.0, 52.0], 0.052), ([20.0, None], None), ([], None)])
def test_the_time_to_the_last_door_is_that_of_the_slowest(times: list[float | None], seconds: float | None) -> None:
    """Known only where each door has a time; what is no door does not count."""
    targets = [
        BurnTarget(id=f"door-{at}", kind="reader", state="revoked", attempts=1, latency_ms=one, evidence="e")
        for at, one in enumerate(times)
    ]
    slow = BurnTarget(id="scim", kind="scim", state="revoked", attempts=1, latency_ms=900.0, evidence="e")
    burn = Burn(
        burn_id="burn_1", node_id="ARC-X", scope="LOCAL_ONLY", reason="lost", epoch=1, state="COMPLETE",
        local_deny_us=3.0, targets=[*targets, slow], residual_exposure=[], log=BurnLog(index=1, sha256="00" * 32),
        timestamp="2026-03-01T10:00:00.000000Z",
    )  # fmt: skip
    assert last_door_s(burn) == seconds


@pytest.mark.parametrize(
    ("online", "secure", "state", "word"),
    [
        (104, 104, Meaning.OK, "All on a secure channel"),
        (104, 102, Meaning.WARN, "2 not on a secure channel"),
        (101, 90, Meaning.BAD, "3 offline"),
    ],
)
def test_the_doors_are_green_only_where_all_are_secure(online: int, secure: int, state: Meaning, word: str) -> None:
    """What is offline is said before what is not secure."""
    foot = doors_foot(online, secure, 104)
    assert (foot.state, foot.word) == (state, word)


@pytest.mark.parametrize(
    ("timed", "within", "open_", "state", "word"),
    [
        (2, 2, 0, Meaning.OK, "Goal 2.0 s kept by 2 of 2"),
        (2, 1, 0, Meaning.WARN, "Goal 2.0 s kept by 1 of 2"),
        (2, 2, 1, Meaning.BAD, "1 open"),
        (0, 0, 0, Meaning.IDLE, "No figure"),
    ],
)
def test_last_doors_are_green_only_within_the_goal(
    timed: int, within: int, open_: int, state: Meaning, word: str
) -> None:
    """A burn that misses a door is said before any that was late; without a burn there is nothing to judge."""
    foot = last_door_foot(
        msgspec.structs.replace(
            REPORT, last_door=msgspec.structs.replace(QUICK, timed=timed, within=within, open=open_)
        )
    )
    assert (foot.state, foot.word) == (state, word)


def reader(name: str, *, online: bool, secure: bool) -> Reader:
    """A door's reader as it is now."""
    return Reader(
        reader_id=name, channel="simulated:", address=0, baud=9600, onboard_list=False, online=online,
        secure_channel=secure, firmware=None, epoch=1, since=None, enrolled=True,
        key_changed_at="2026-03-01T10:00:00.000000Z",
    )  # fmt: skip


def test_a_door_without_secure_channel_is_not_covered_by_one_that_is_away(page: DashboardPresenter) -> None:
    """Who is offline may have had a secure channel: it secures nothing now."""
    page.attention._readers = (
        reader("a", online=True, secure=False), reader("b", online=True, secure=True),
        reader("c", online=True, secure=True),
    )  # fmt: skip
    page.attention._paint_doors()
    assert page.view.doors_tile.state is Meaning.WARN
    assert "3 of 3 1 not on a secure channel" in page.view.doors_tile.accessibleName()


def test_silence_of_the_service_takes_the_state_line_back(
    page: DashboardPresenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A site without frames, too: nothing is said from memory."""
    page.attention.fresh.touch()
    page.attention._paint_state()
    monkeypatch.setattr(page.attention.fresh, "words", lambda: "STALE since 14:32:07")
    page.attention._paint_state()
    assert page.view.state_line.state is Meaning.IDLE


def test_of_a_silent_service_the_last_count_of_operational_frames_stays(
    page: DashboardPresenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said to be of then: the ring, never green."""
    last = {"a": "OPERATIONAL", "b": "DOWN", "c": "OPERATIONAL"}
    when = "2026-03-01T10:00:00.000000Z"
    page.frames.board.frames = dict.fromkeys(last, frame(when))
    page.session.live.frames = {
        peer: msgspec.structs.replace(record(when), status=status) for peer, status in last.items()
    }
    monkeypatch.setattr(page.frames.board, "stale_since", lambda: "STALE since 14:32:07")
    page.frames._paint_tiles()
    tile = page.view.frames_tile
    assert (tile.value, tile.unit, tile.state) == ("2", "of 3", Meaning.IDLE)


def test_the_last_door_says_of_how_many_burns_it_is(page: DashboardPresenter) -> None:
    """A percentile of one burn is that burn."""
    titles = []
    for burns in (1, 2, 1_200):
        page.view.name_last_door(burns)
        titles.append(page.view.last_door_tile._head.text())
    assert titles == ["Last door, p95", "Last door, p95 of 2 burns", "Last door, p95 of 1,200 burns"]


@pytest.mark.parametrize(("times", "trends"), [({"a": 0.4, "b": None}, False), ({"a": 0.4, "b": 0.5}, True)])
def test_one_time_of_a_last_door_is_no_course(
    page: DashboardPresenter, times: dict[str, float | None], trends: bool
) -> None:
    """A line of one point would be a dot that says nothing."""
    page.view.resize(1900, 900)
    QApplication.processEvents()
    page.attention._speed, page.attention._last_doors = REPORT, times
    page.attention._paint_last_door()
    assert page.view.last_door_tile._has_trend is trends
